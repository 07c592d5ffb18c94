/* SPDX-License-Identifier: BSD-2-Clause */
/* doctor.c - `sberf doctor`: what this kernel, machine and user allow, and one command for each thing missing; or, with
 * -p, who waits for whom (doctor_waits.h). */
#include "config.h"

#include "cmd/doctor_waits.h"
#include "cmd/options.h"
#include "cmd/record_split.h"

#include "base/cleanup.h"
#include "base/installed.h"
#include "capture/probe.h"
#include "capture/source.h"
#include "collector/ask.h"
#include "collector/collector_policy.h"
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

/* Says whether sberf can capture without privileges of its own, and how: that needs two programs. True: it can. */
static bool doctor_split(void)
{
	char program[PATH_MAX], caps[POLICY_CAPS_TEXT], list[POLICY_CAPS_TEXT];
	bool set_up;
	const char *missing = !split_find(program, &set_up) ? COLLECTOR_PROGRAM :
			      !worker_is_there() ? "sberf-worker" : NULL;
	size_t n = 0;

	if (missing) {
		printf("%-8s %-32s %s is not installed\n", "note", "sudo sberf, split", missing);
		printf("%-8s needed: %s in %s, to capture without privileges\n", "", missing, installed_dir());
		return false;
	}
	printf("%-8s %-32s %s\n", "ok", "sudo sberf, split", program);
	if (set_up) {
		printf("%-8s %-32s by the capabilities of %s\n", "ok", "sberf record without sudo", program);
		printf("%-8s what is MISSING above, only --no-split needs, and probes in programs before Linux 6.10\n",
		       "");
		return true;
	}
	policy_caps_text(policy_caps() | policy_caps_to_hold(), caps);
	/* "a and b" as setcap wants it. */
	for (const char *p = caps; *p; p += strncmp(p, " and ", 5) ? 1 : 5)
		list[n++] = strncmp(p, " and ", 5) ? *p : ',';
	list[n] = '\0';
	printf("%-8s %-32s %s has no capabilities, or is not for this user\n", "note", "sberf record without sudo",
	       program);
	printf("%-8s needed: for the users of a group, who can then see what any process does, and parts of its "
	       "memory\n", "");
	printf("%-8s run: sudo groupadd -f -r sberf && sudo chgrp sberf %s && sudo chmod 0750 %s\n", "", program,
	       program);
	printf("%-8s run: sudo setcap %s=ep %s\n", "", list, program);
	printf("%-8s run: sudo usermod -aG sberf USER\n", "");
	return false;
}

int cmd_doctor(const struct options *o, struct err *e)
{
	AUTO_FREE struct probe_facts *f = malloc(sizeof(*f));
	struct features features;
	bool set_up;
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
	set_up = doctor_split();
	if (doctor_plugins(e))
		return -ENOMEM;
	/* Where something is missing the log is of most interest, and what is missing has been said. */
	if (o->verbose) {
		const int loaded = load_all(r ? NULL : e);

		r = r ? r : loaded;
	}
	/* What this process lacks, that program has. */
	return set_up && r > 0 ? 0 : r;
}
