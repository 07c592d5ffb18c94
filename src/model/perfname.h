/* SPDX-License-Identifier: BSD-2-Clause */
/* perfname.h - what perf's formats call the kinds of events whose periods are nanoseconds: exports write these names, imports read them. */
#ifndef SBERF_MODEL_PERFNAME_H
#define SBERF_MODEL_PERFNAME_H

#include <stddef.h>

/* Of KIND (enum event_kind): "cpu-clock", "offcpu-blocked", "offcpu-runnable", "far-access". */
const char *perf_name(unsigned int kind);

/*
 * The kind that the LEN bytes at NAME are; 0 = its periods are no time. task-clock is EVENT_SAMPLE as well. perf's own offcpu-time
 * (tools/perf/util/bpf_off_cpu.c of Linux) goes from falling asleep to running again, and is EVENT_BLOCKED.
 */
unsigned int perf_name_kind(const char *name, size_t len);

#endif
