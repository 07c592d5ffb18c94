/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frames.h - what the frames of a stack are called, for formats that write stacks frame by frame. The words are those of trees, so
 * functions have the same names in every format. Private to exporters.
 */
#ifndef SBERF_EXPORT_FRAMES_H
#define SBERF_EXPORT_FRAMES_H

#include "base/vec.h"
#include "model/dict.h"
#include "model/names.h"
#include "query/hidden.h"
#include "query/query.h"

#include <stdbool.h>
#include <stddef.h>

struct frame_reader {
	const struct dict *d;
	const struct names *names;
	const struct query *q;   /* hide_kernel, hide_libraries and no_inlines are heeded */
	struct hidden hidden;
	bool hiding;             /* it is known what is hidden, and the next: from the first frames_of() on */
	bool no_tables;          /* some frame has no unwind table */
	VEC(frame_id) path;
	char *label;             /* NAME_BYTES_MAX + 1, made at the first name */
};

/* What FRAME is; its module always exists. */
struct frame_text {
	const struct frame *frame;
	const struct module *module;
	const struct name *name; /* innermost first; NULL: it has no name, and stands for one function called by its place */
	unsigned int n;          /* 1 and more; 0 = left out */
};

/* Gathers the frames of STACK in r->path, innermost first, without those that are left out. False when out of memory. */
bool frames_of(struct frame_reader *r, stack_id stack);
/* Has one of these code without an unwind table, from which the stack goes on by its frame pointer or by a guess? */
bool frames_no_table(const struct frame_reader *r);
void frames_free(struct frame_reader *r);        /* zeroed is fine */

/* Of a frame that frames_of() told. */
struct frame_text frame_text(const struct frame_reader *r, frame_id frame);

/*
 * What the function I of T, that of FRAME, is called: sanitised, NAME_BYTES_MAX bytes at most; valid until the next call. NULL when out
 * of memory.
 */
const char *frame_label(struct frame_reader *r, frame_id frame, const struct frame_text *t, unsigned int i);

/* The function I of T; NULL when it has no name. */
const struct func *frame_func(const struct frame_reader *r, const struct frame_text *t, unsigned int i);

#endif
