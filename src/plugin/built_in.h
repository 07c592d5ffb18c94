/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * built_in.h - a plug-in that sberf has itself, and what any plug-in in a process of its own may use: the worker
 * takes that for its limits, and sberf for how long it waits.
 */
#ifndef SBERF_PLUGIN_BUILT_IN_H
#define SBERF_PLUGIN_BUILT_IN_H

#include <sberf/plugin.h>

#include "base/clock.h"

#include <stdbool.h>
#include <stdint.h>

struct plugin_means {
	uint64_t memory_bytes;   /* of address space */
	uint32_t cpu_seconds;    /* of one worker; sberf starts another one when half of it is used up */
	uint64_t call_ns;        /* CPU time of one call, beside what its reads take */
	bool reads_files;        /* that it has asked for (SBERF_FILE_*) */
};

struct plugin_built_in {
	const struct sberf_plugin *entry;
	struct plugin_means means;
};

/* Of those that nobody has said more of. */
#define PLUGIN_MEANS_USUAL \
	{ .memory_bytes = 512u << 20, .cpu_seconds = 60, .call_ns = 20 * NSEC_PER_MSEC }

#endif
