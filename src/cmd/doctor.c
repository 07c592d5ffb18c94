/* SPDX-License-Identifier: BSD-2-Clause */
/* doctor.c - `sberf doctor`: what this kernel, machine and user allow, and one command for each thing missing; or, with
 * -p, who waits for whom (doctor_waits.h). */
#include "config.h"

#include "cmd/doctor_waits.h"
#include "cmd/options.h"

#include "base/cleanup.h"
#include "base/installed.h"
#include "capture/probe.h"
#include "capture/source.h"
#include "collector/ask.h"
#include "plugin/find.h"
#include "plugin/worker.h"
#include "symbol/runtime_names.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

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

/* One plug-in: what it is for, where it is, and what is wrong with it. */
static void doctor_plugin(const struct plugin_info *p)
{
	char name[48];

	snprintf(name, sizeof(name), "plug-in %s", p->name);
	printf("%-8s %-32s %s%s%s%s%s\n", p->trouble[0] ? "note" : "ok", name, p->runtime, p->versions[0] ? " " : "",
	       p->versions, p->runtime[0] ? ", " : "", p->path[0] ? p->path : "built in");
	if (p->trouble[0])
		printf("%-8s needed: %s\n", "", p->trouble);
}

/* Plug-ins, each of which is loaded for that. */
static int doctor_plugins(struct err *e)
{
	AUTO(plugins_free) struct plugins *ps = NULL;
	const struct runtime_plugins which = { .n = 0 };
	char folder[PATH_MAX];
	struct plugin_info info;
	const int r = runtime_plugins_new(&which, &ps, e);

	if (r)
		return r;
	plugins_load_all(ps);
	printf("%-8s %-32s %s\n", "ok", "folder of plug-ins", plugin_folder(folder) ? folder : "none");
	for (size_t i = 0; i < plugins_count(ps); i++) {
		plugins_info(ps, i, &info);
		doctor_plugin(&info);
	}
	return 0;
}

/* Whether sberf can capture without root's privileges: --split needs two programs. */
static void doctor_split(void)
{
	char program[PATH_MAX];
	const char *missing = !installed_find(COLLECTOR_PROGRAM, program) ? COLLECTOR_PROGRAM :
			      !worker_is_there() ? "sberf-worker" : NULL;

	if (!missing) {
		printf("%-8s %-32s %s\n", "ok", "sudo sberf record --split", program);
		return;
	}
	printf("%-8s %-32s %s is not installed\n", "note", "sudo sberf record --split", missing);
	printf("%-8s needed: %s in %s, to give up root while capturing\n", "", missing, installed_dir());
}

int cmd_doctor(const struct options *o, struct err *e)
{
	AUTO_FREE struct probe_facts *f = malloc(sizeof(*f));
	struct features features;
	int r;

	if (o->ids.n)
		return doctor_waits(o, e);
	if (!f)
		return err_nomem(e, "the report");
	/* What tests force off has to be something that there is. */
	r = features_read(&features, e);
	if (r)
		return r;
	probe_gather(f);
	probe_gather_readers(f);
	r = probe_print(f, stdout);
	doctor_split();
	if (doctor_plugins(e))
		return -ENOMEM;
	/* Where something is missing the log is of most interest, and what is missing has been said. */
	if (o->verbose) {
		const int loaded = load_all(r ? NULL : e);

		r = r ? r : loaded;
	}
	return r;
}
