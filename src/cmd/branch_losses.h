/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branch_losses.h - what is missing in what `sberf branches` has shown, and what was left out of it: one table for all
 * ways in which calls are followed.
 */
#ifndef SBERF_CMD_BRANCH_LOSSES_H
#define SBERF_CMD_BRANCH_LOSSES_H

#include <stdint.h>
#include <stdio.h>

/* In the order in which they are said. */
enum branch_loss {
	LOSS_HITS,               /* hits, of which calls consist */
	LOSS_FULL,               /* whole calls: the kernel half had no room for them */
	LOSS_CROWDED,            /* the same, as too many others were under way */
	LOSS_OFF,                /* the same, as --budget had what follows them taken off */
	LOSS_NO_RECORDS,         /* calls without records of the CPU */
	LOSS_STACKS,             /* calls whose stack was not taken */
	LOSS_LATE,               /* hits that came too late to be in order */
	LOSS_UNBEGUN,            /* hits of calls that had begun before */
	LOSS_STRANGE,            /* hits of breakpoints in no call that is followed */
	LOSS_LEFT,               /* calls without a return */
	LOSS_SLICES,             /* calls whose end came while probes were off */
	LOSS_END,                /* graphs whose end was not seen */
	LOSS_UNRETURNED,         /* calls within them, the same */
	LOSS_OPEN,               /* calls that had not ended */
	LOSS_WAYS,               /* ways from one place to the next that are not known */
	LOSS_BRANCHES,           /* of calls with too many */
	LOSS_CALLS,              /* of graphs with too many */
	LOSS_EARLY,              /* calls by pointer before what they call was followed */
	LOSS_POINTED,            /* calls by pointer of what is not followed */
	LOSS_POINTED_FULL,       /* calls by pointer that could not be counted */
	LOSS_POINTERS,           /* instructions that call by pointer, and are not watched */
	LOSS_UNWATCHED,          /* jumps that were watched in no call */
	LOSS_OWN,                /* records of what takes the records */
	LOSS_BEFORE,             /* records from before the call */
	LOSS_UNNAMED,            /* ends of branches in no known function */
	LOSS_REFUSED,            /* hits for which there was no room here */
	LOSS_UNRECORDED,         /* calls that are not in the recording */
	LOSS_UNMET,              /* calls that do not meet the condition of their function */
	LOSS_UNKNOWN,            /* calls of which that cannot be said */
	LOSS_UNTOLD,             /* calls or branches for which there was no memory */
	BRANCH_LOSSES
};

/* Says those of LOSS that are not 0, on standard error; and as JSON, an object a line, to JSON; NULL = nowhere else. */
void branch_losses_say(const uint64_t loss[BRANCH_LOSSES], FILE *json);

#endif
