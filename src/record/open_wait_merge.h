/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * open_wait_merge.h - joins the pieces in which a long wait is recorded, and finds out whether it
 * has ended.
 *
 * A piece says that its wait had not ended then. Whether it ended later is known only when a
 * further event of its thread comes, or when none does. So pieces are held back until that is
 * known, and then reach the profile as parts of a wait that is over, or of one that is not. There
 * is one piece a second; old pieces are joined, so that there are never many: none is longer than a
 * sixteenth of its age.
 */
#ifndef SBERF_RECORD_OPEN_WAIT_MERGE_H
#define SBERF_RECORD_OPEN_WAIT_MERGE_H

#include "base/vec.h"
#include "model/event.h"
#include "profile/meta.h"
#include "profile/profile.h"
#include "record/idmap.h"

#include <stdint.h>

#define OPEN_WAIT_MERGE_OF_THREAD 256u            /* enough for a month */
#define OPEN_WAIT_MERGE_AGE 16u                   /* an old piece is at most this part of what came after it */
/* held at a time; further ones are taken for waits that have not ended */
#define OPEN_WAIT_MERGE_MAX (1u << 18)

struct piece {
	struct event ev;
	uint32_t next;           /* of the same thread, or free; plus one, 0 = none */
};

/* What is known of a thread's wait. */
struct piece_thread {
	uint64_t ns;             /* told of it so far; 0 = it is over */
	uint64_t time_ns;        /* when that was */
	uint32_t first, last;    /* held; plus one, 0 = none */
	uint32_t n;              /* held */
	uint32_t thin_at;        /* how many are to be thinned out */
};

/* A zeroed one is empty. */
struct open_wait_merge {
	struct idmap thread_of;          /* thread -> index in thread */
	VEC(struct piece_thread) thread;
	VEC(struct piece) piece;
	uint32_t free;                   /* the first; plus one */
};

/* Adds EV to P, or holds it back. 0 or -ENOMEM. */
int open_wait_merge_add(struct open_wait_merge *ps, struct profile *p, const struct event *ev);

/* Nothing more will come: adds what is held to P, and counts waits that have not ended in M. 0 or -ENOMEM. */
int open_wait_merge_end(struct open_wait_merge *ps, struct profile *p, struct profile_meta *m);

void open_wait_merge_free(struct open_wait_merge *ps);             /* a zeroed one is fine */

#endif
