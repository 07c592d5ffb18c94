/* SPDX-License-Identifier: BSD-2-Clause */
/* kind.c - the table of kinds of events. */
#include "config.h"

#include "model/kind.h"

#define EVENT_WORTH_NS 1000u     /* a page fault takes about as long, and so does getting on on another node */

const struct event_kind_info event_kinds[EVENT_KINDS_MAX] = {
	[EVENT_SAMPLE] = { "running", CARRIES_NOTHING, 1 },
	[EVENT_BLOCKED] = { "blocked", CARRIES_WAIT, 1 },
	[EVENT_RUNNABLE] = { "runnable", CARRIES_WAIT, 1 },
	[EVENT_MIGRATION] = { "migrations", CARRIES_PLACE, EVENT_WORTH_NS },
	[EVENT_FAULT] = { "faults", CARRIES_PLACE, EVENT_WORTH_NS },
	[EVENT_ACCESS] = { "accesses", CARRIES_PLACE, 0 },         /* those of a sample that is there too */
	[EVENT_COUNTED] = { "counted by an import", CARRIES_NOTHING, 1 },
	[EVENT_FORK] = { "forks", CARRIES_ARGUMENT, EVENT_WORTH_NS },
	[EVENT_HIT] = { "hits of probes", CARRIES_PROBE, EVENT_WORTH_NS },
	/* a byte of them is worth a ns: what is folded first are small sites */
	[EVENT_ALLOC] = { "blocks allocated", CARRIES_ARGUMENT, 1 },
	[EVENT_FREE] = { "blocks freed", CARRIES_ARGUMENT, 1 },
	[EVENT_IN_USE] = { "blocks in use", CARRIES_ARGUMENT, 1 },
	[EVENT_PEAK] = { "blocks in use at the peak", CARRIES_ARGUMENT, 1 },
	[EVENT_GROWN] = { "memory grown", CARRIES_ARGUMENT, 1 },
	[EVENT_RETURNED] = { "memory returned", CARRIES_ARGUMENT, 1 },
	[EVENT_MAPPED] = { "memory mapped", CARRIES_ARGUMENT, 1 },
	[EVENT_UNMAPPED] = { "memory unmapped", CARRIES_ARGUMENT, 1 },
	[EVENT_SIZE] = { "sizes of memory", CARRIES_ARGUMENT, 1 },
	[EVENT_ADVISED] = { "memory given back by advice", CARRIES_ARGUMENT, 1 },
	[EVENT_SPIN] = { "spinning", CARRIES_WAIT, 1 },
#ifdef KINDS_OF_TEST
	KINDS_OF_TEST            /* tests/unit/test_measure.c takes this file in, with rows of its own */
#endif
};
