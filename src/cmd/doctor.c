/* SPDX-License-Identifier: BSD-2-Clause */
/* doctor.c - `sberf doctor`: what this kernel, machine and user allow, and one command for each thing missing. */
#include "config.h"

#include "cmd/options.h"

#include "base/cleanup.h"
#include "capture/probe.h"
#include "capture/source.h"

/* Loads what a capture with everything in it would, and leaves the rest to the log. */
static int load_all(struct err *e)
{
	struct capture_plan plan = {
		.target = TARGET_ALL, .freq_hz = 1, .kernel = true, .walk_rules = true, .walk_or_copy = true,
			.off_cpu = true, .wakers = true,
		.stack_bytes = 64u << 10, .numa = NUMA_ON,
	};
	AUTO(source_free) struct source *s = NULL;

	return source_open(&plan, &s, e);
}

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
	r = probe_print(f, stdout);
	/* Where something is missing the log is of most interest, and what is missing has been said. */
	if (o->verbose) {
		const int loaded = load_all(r ? NULL : e);

		r = r ? r : loaded;
	}
	return r;
}
