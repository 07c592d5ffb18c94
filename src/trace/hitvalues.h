/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hitvalues.h - the arguments of hits that are looked at become values that people read, and are counted
 * (model/probevalues.h): of system calls by type, of functions by the names and types of debug information,
 * of page faults what is mapped there, of signals which one, to whom and why.
 */
#ifndef SBERF_TRACE_HITVALUES_H
#define SBERF_TRACE_HITVALUES_H

#include "base/cleanup.h"
#include "model/probes.h"
#include "model/raw.h"
#include "trace/calltable.h"
#include "trace/hitfields.h"

struct hitvalues;

/* TABLE is borrowed, and must outlive the result, which is the caller's; NULL when out of memory. */
struct hitvalues *hitvalues_new(const struct calltable *table);
void hitvalues_free(struct hitvalues *v);        /* NULL is fine */

/*
 * What PROBE (model/probes.h) is of: ONE system call, or several; a function, or another place whose arguments have
 * names (model/probevalues.h); page faults; signals. Of what is none of these nothing is counted.
 */
enum hitvalues_of { HITVALUES_NONE, HITVALUES_CALL, HITVALUES_CALLS, HITVALUES_FUNCTION, HITVALUES_FAULT,
		    HITVALUES_SIGNAL, HITVALUES_RECORD };
/* PROBE is of a tracepoint that makes such RECORDS, which is copied. Nothing when out of memory. */
void hitvalues_know_record(struct hitvalues *v, uint32_t probe, const struct hitrecord *record);
void hitvalues_know(struct hitvalues *v, uint32_t probe, enum hitvalues_of of);

/*
 * RAW is a hit that is looked at (raw_hit.look). True: *RET is what there is to say of it. For one thread at
 * a time.
 */
bool hitvalues_take(struct hitvalues *v, const struct raw_event *raw, struct told_hit *ret);

DEFINE_AUTO(hitvalues_free, struct hitvalues);

#endif
