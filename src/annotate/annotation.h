/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * annotation.h - joins a listing with the time that its lines and instructions take, as rows in
 * three layouts. It is pure.
 *
 * A row's total is its self time and that of what is called there. In ANNOT_BOTH instructions stand
 * in the order of their addresses, each run of one line below that line, whose figures are those of
 * the run; in ANNOT_SOURCE a line stands once, with all that was made of it. Where there is no
 * source, all layouts are that of the instructions.
 */
#ifndef SBERF_ANNOTATE_ANNOTATION_H
#define SBERF_ANNOTATE_ANNOTATION_H

#include "annotate/listing.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "query/instruction_costs.h"

#include <stddef.h>
#include <stdint.h>

enum annot_layout {
	ANNOT_BOTH,
	ANNOT_SOURCE,
	ANNOT_CODE,
	ANNOT_LAYOUTS
};

enum annot_kind {
	ANNOT_NOTE,              /* a sentence: what is missing, and why */
	ANNOT_FILE,              /* the lines behind it are of this file */
	ANNOT_LINE,
	ANNOT_INSN,
	ANNOT_GAP,               /* lines are left out */
};

#define ANNOT_NOTES_MAX 6u
#define ANNOT_TEXT_MAX 2048u     /* bytes that annotation_text() needs to cut nothing */

struct annot_row {
	uint8_t kind;            /* enum annot_kind */
	uint32_t of;             /* number of the note, file, line, instruction */
	struct hit hit;
};

struct annotation {
	struct listing *listing;                 /* a reference, owned */
	struct instruction_costs *hits;                       /* owned */
	struct {
		VEC(struct annot_row) row;
	} layout[ANNOT_LAYOUTS];
	unsigned int notes;
	char *note[ANNOT_NOTES_MAX];             /* owned, sanitised */
};

/*
 * What Q asks S for, on L, to which it takes a reference. On success *RET is the caller's; -ENOMEM with a sentence.
 */
int annotation_build(struct listing *l, const struct snapshot *s, const struct names *names, const struct query *q,
		     struct annotation **ret, struct err *e);
void annotation_free(struct annotation *a);      /* NULL is fine */

/* What stands on row R, sanitised, without figures. Returns DST. */
char *annotation_text(const struct annotation *a, const struct annot_row *r, char *dst, size_t size);
/*
 * The row of LAYOUT with the largest total, those of INLINED alone when that is not NULL and there
 * are any; SIZE_MAX when none has any.
 */
size_t annotation_hottest(const struct annotation *a, enum annot_layout layout, const char *inlined);
/*
 * The row that comes behind ROW when those with a total stand in falling order, or, when BACK,
 * before it; round the ends. SIZE_MAX when there is none.
 */
size_t annotation_next_hottest(const struct annotation *a, enum annot_layout layout, size_t row, bool back);
/*
 * The row of LAYOUT for the same line or instruction as R in another layout, or as near as there is
 * one; 0 when nothing is.
 */
size_t annotation_find(const struct annotation *a, enum annot_layout layout, const struct annot_row *r);

DEFINE_AUTO(annotation_free, struct annotation);

#endif
