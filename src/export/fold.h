/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fold.h - stacks as lines of text, "a;b;c 10": frames with the same text under the same callers
 * are one, however they differ otherwise; lines are sorted by text. Private to exporters.
 *
 * Numbers are microseconds, or units of another measure. Rounding is carried from line to line:
 * each is within 1 of its weight, and they add up to the total, rounded once. A line may have
 * several numbers, each with its own sum.
 */
#ifndef SBERF_EXPORT_FOLD_H
#define SBERF_EXPORT_FOLD_H

#include "base/keyed.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "export/out.h"
#include "model/measure.h"

#include <stdbool.h>
#include <stdint.h>

#define FOLD_NONE UINT32_MAX
#define FOLD_COLUMNS 2u

/* A frame under its callers. If stacks end in it, it has a line. */
struct fold_node {
	uint32_t parent;
	str_id text;
	uint64_t self_ns[FOLD_COLUMNS];
	uint32_t children;
	uint32_t first, entries;         /* in fold.family */
	uint32_t at;                     /* the next of them to be walked */
	uint32_t depth;
};

struct fold {
	struct strtab *texts;
	KEYED(struct fold_node) nodes;   /* parents before children; the first is the root */
	/* lines of nodes and of what is below them, siblings together, in order of text */
	uint32_t *family;
	uint64_t each;                   /* so much of a weight is 1 on a line */
	uint64_t done_ns[FOLD_COLUMNS], written_us[FOLD_COLUMNS];
};

/* Initialises F for weights of M. False when out of memory; call fold_free() in any case. */
bool fold_init(struct fold *f, const struct measure *m);
void fold_free(struct fold *f);                  /* zeroed is fine */

/*
 * The node under PARENT (FOLD_NONE for the root, which must come first) with the text TEXT, in
 * which ";" becomes ":"; FOLD_NONE when out of memory.
 */
uint32_t fold_node(struct fold *f, uint32_t parent, char *text);

/*
 * Writes a line for each node that has weight in one of COLUMNS columns, or no children.
 * WITHOUT_ROOT: lines begin below the root, and what ends in the root is "(other)". False when out
 * of memory.
 */
bool fold_write(struct fold *f, struct out *o, unsigned int columns, bool without_root);

#endif
