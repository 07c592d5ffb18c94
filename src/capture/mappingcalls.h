/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mappingcalls.h - the tracepoints at which system calls return that map, unmap or advise: by them it is told what
 * a process maps (capture_plan.mapping_calls).
 */
#ifndef SBERF_CAPTURE_MAPPINGCALLS_H
#define SBERF_CAPTURE_MAPPINGCALLS_H

#include "capture/source.h"

#define MAPPING_CALLS 5u

/* Finds them in the tracefs that is mounted at TRACEFS. How many there are; 0 where it cannot be read, too. */
uint32_t mapping_calls_find(const char *tracefs, struct capture_trace ret[MAPPING_CALLS]);

/* The same where tracefs usually is. It takes root or cap_dac_read_search. */
uint32_t mapping_calls_find_usual(struct capture_trace ret[MAPPING_CALLS]);

#endif
