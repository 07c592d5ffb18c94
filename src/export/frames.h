/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frames.h - the names of the frames of a stack, for formats that write stacks frame by frame. They
 * are those of trees, so functions have the same names in every format. Private to exporters.
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
	const struct query *q;   /* its hide_kernel, hide_libraries and no_inlines apply */
	struct hidden hidden;
	bool hiding;             /* it is known what is hidden, and the next: from the first frames_of() on */
	bool no_tables;          /* some frame has no unwind table */
	VEC(frame_id) path;
	char *label;             /* NAME_BYTES_MAX + 1, made at the first name */
};

/* The names of a frame. */
struct frame_text {
	const struct frame *frame;
	const struct module *module;
	const struct name *name; /* innermost first; NULL: no name; it is one function called by its place */
	unsigned int n;          /* 1 or more; 0 = hidden */
};

/*
 * Collects the frames of STACK that are not hidden in r->path, innermost first. False when out of
 * memory.
 */
bool frames_of(struct frame_reader *r, stack_id stack);
/*
 * Whether one of these has code without an unwind table, from which the stack goes on by its frame
 * pointer or by a guess.
 */
bool frames_no_table(const struct frame_reader *r);
void frames_free(struct frame_reader *r);        /* zeroed is fine */

/* The names of FRAME, which frames_of() returned. */
struct frame_text frame_text(const struct frame_reader *r, frame_id frame);

/*
 * The name of function I of T, which is that of FRAME: sanitised, NAME_BYTES_MAX bytes at most;
 * valid until the next call. NULL when out of memory.
 */
const char *frame_label(struct frame_reader *r, frame_id frame, const struct frame_text *t, unsigned int i);

/* The function I of T; NULL when it has no name. */
const struct func *frame_func(const struct frame_reader *r, const struct frame_text *t, unsigned int i);

#endif
