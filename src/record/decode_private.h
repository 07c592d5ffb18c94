/* SPDX-License-Identifier: BSD-2-Clause */
/* decode_private.h - has what the files of the decoder share; nobody else includes this. */
#ifndef SBERF_RECORD_DECODE_PRIVATE_H
#define SBERF_RECORD_DECODE_PRIVATE_H

#include "base/arena.h"
#include "record/decode.h"
#include "record/idmap.h"
#include "record/open_wait_merge.h"
#include "record/table.h"

struct text {
	const char *s;
	uint32_t len;
};

struct decoder {
	struct load_target to;
	struct dict *dict;
	struct decode_counts counts;
	uint32_t epoch;
	uint64_t next_id[BLOCK_TYPES];           /* of the tables of this epoch; of EVENTS: next ordinal */
	struct arena arena;                      /* the texts of this epoch */
	VEC(struct text) texts;
	struct idmap text, module, frame, stack, shape, thread, func;    /* id in the file -> index, id, ... */
	struct name name[NAMES_PER_FRAME_MAX];
	bool lost_named;
	struct open_wait_merge pieces;
	/* by kind in the file, from EVENT_COUNTED on: ours, by the name of a measure; 0 = not known */
	uint8_t kind_of[EVENT_KINDS_MAX];
	uint8_t probe_of[PROBES_IN_FILE_MAX];    /* by number in the file: ours, + 1; 0 = not known */
	/* the last event when it was the blocked part of a wait; else of kind 0 */
	struct event blocked;
	bool blocked_held, blocked_no_stack;     /* it is too short by itself: what comes next decides */
};

/* Of a stack: how many frames it has, and whether the first one says that there was none. */
#define SHAPE_NO_STACK 0x80000000u
#define SHAPE_DEPTH 0x7fffffffu

/* What ID of the file is in map M; ID_NONE = it is lost. */
static inline uint32_t decode_id(const struct idmap *m, uint64_t id)
{
	return id < EPOCH_IDS_MAX ? idmap_get(m, (uint32_t)id) : ID_NONE;
}

static inline int decode_nomem(struct err *e)
{
	return err_nomem(e, "a profile from a recording");
}

/* What stands for stacks and threads that are lost; ID_NONE: no memory. */
stack_id decode_lost_stack(struct decoder *d);
thread_id decode_lost_thread(struct decoder *d);

/* Takes in the rows of EVENTS. -EBADMSG for one that contradicts itself: the rows from it on count as lost. */
int decode_events(struct decoder *d, struct table_view *t, struct err *e);

/* No more events will come: takes in what was held back. -ENOMEM with a sentence. */
int decode_events_end(struct decoder *d, struct err *e);

#endif
