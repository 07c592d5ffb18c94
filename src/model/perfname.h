/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfname.h - the names that perf's formats use for events whose periods are nanoseconds: exports
 * write them, imports read them.
 */
#ifndef SBERF_MODEL_PERFNAME_H
#define SBERF_MODEL_PERFNAME_H

#include <inttypes.h>
#include <stddef.h>

/*
 * The first line of a sample behind the thread's name, as perf prints it: pid, tid, CPU (uint32_t),
 * seconds, microseconds, period (uint64_t), event. Imports know what was written so, and then take
 * the name as it is.
 */
#define PERF_SAMPLE_FORMAT " %5d/%-5d [%03" PRIu32 "] %5" PRIu64 ".%06" PRIu64 ": %10" PRIu64 " %s:"
#define PERF_SAMPLE_BYTES 160u   /* of that, with the NUL */

/* Of KIND (enum event_kind): "cpu-clock", "offcpu-blocked", "offcpu-runnable", "far-access". */
const char *perf_name(unsigned int kind);

/*
 * The kind that the LEN bytes at NAME are; 0 = its periods are no time. task-clock is EVENT_SAMPLE
 * as well. perf's own offcpu-time (tools/perf/util/bpf_off_cpu.c of Linux) goes from falling asleep
 * to running again, and is EVENT_BLOCKED.
 */
unsigned int perf_name_kind(const char *name, size_t len);

#endif
