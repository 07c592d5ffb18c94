/* SPDX-License-Identifier: BSD-2-Clause */
/* doctor.c - `sberf doctor`: what this kernel, machine and user allow, and one command for each thing missing. */
#include "config.h"

#include "cmd/options.h"

#include "base/cleanup.h"
#include "capture/probe.h"

int cmd_doctor(const struct options *o, struct err *e)
{
	AUTO_FREE struct probe_facts *f = malloc(sizeof(*f));
	struct features features;
	int r;

	if (!f)
		return err_nomem(e, "the report");
	/* What tests force off has to be something that there is. */
	r = features_read(&features, e);
	if (r)
		return r;
	probe_gather(f);
	return probe_print(f, stdout);
}
