/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numaview.h - the view by node as rows that a treeview can show.
 *
 * Its *parts* (numacolumns.h: nodes, functions, threads, ...) are lines with the rows of the tables
 * of struct numa_view below them, and below these call paths, the functions of a call path one by
 * one, or words. Nothing is copied: the number of a row leads to its content. A long table is a
 * long list (treeview.h).
 */
#ifndef SBERF_UI_PANES_NUMAVIEW_H
#define SBERF_UI_PANES_NUMAVIEW_H

#include "base/cleanup.h"
#include "query/numacolumns.h"
#include "ui/outline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum numa_level {
	NUMA_LEVEL_PART,         /* the line above the rows of a part */
	NUMA_LEVEL_ROW,          /* row I of its table; of misses: reason I; of notes: note I */
	NUMA_LEVEL_PATH,         /* of a function: call path SUB of view.path */
	NUMA_LEVEL_PLACE,        /* one function of a call path: the node tells */
	NUMA_LEVEL_NODE,         /* what row I has to do with node SUB of view.node */
	NUMA_LEVEL_WORDS,        /* row I in words, SUB of enum numa_words */
	NUMA_LEVEL_MORE,         /* NODE_MORE */
};

enum numa_note {
	NUMA_NOTE_NOTHING,       /* there is no state */
	NUMA_NOTE_ONE,           /* the machine has one node */
	NUMA_NOTE_UNSAMPLED,     /* neither accesses nor faults are sampled */
	NUMA_NOTES
};

enum numa_words {                /* of a process */
	NUMA_WORDS_POLICY,
	NUMA_WORDS_ALLOWED,
	NUMA_WORDS_PAGES,
	NUMA_WORDS_FAULTS,
	NUMA_WORDS
};

struct numa_line {
	uint8_t part, level;
	uint32_t i, sub;
};

struct numaview {
	const struct numa_view *v;
	bool beside;             /* accesses from node to node stand beside the nodes: there is no NUMA_PART_MATRIX */
	bool live;               /* sampling can still begin */
	uint64_t top_ns;         /* of the cell of V that has most */
	struct numa_line *line;  /* by row; that of the root means nothing */
	struct outline *rows;    /* owned */
};

/* V must outlive the result, which is to be freed with numaview_free(). NULL when out of memory. */
struct numaview *numaview_new(const struct numa_view *v, bool beside, bool live);
void numaview_free(struct numaview *nv);         /* NULL is fine */

/* The row above the rows of PART; NODE_NONE when there is no such part. */
uint32_t numaview_head(const struct numaview *nv, enum numa_part part);

/* What row NODE is called, sanitised. Returns DST. */
char *numaview_label(const struct numaview *nv, uint32_t node, char *dst, size_t size);
/* "file.c:12" of the function that row NODE is, "" = not known, or it is none. Returns DST. */
char *numaview_place_line(const struct numaview *nv, uint32_t node, char *dst, size_t size);

/* The stack that LINE is about; STACK_ROOT = none. */
stack_id numaview_stack(const struct numaview *nv, const struct numa_line *line);
/* The stack of the call path of a function that row NODE is; STACK_ROOT = it is none. */
stack_id numaview_path(const struct numaview *nv, uint32_t node);
/* The index in view.node that LINE stands for, a node or what lies below one; -1 = none. */
int numaview_node(const struct numa_line *line);
/* The only node in S; -1 when there are none or several. */
int numaview_only(const struct nodeset *s);

/* True when there is but one node: nothing is far. */
bool numaview_is_one(const struct numa_view *v);

DEFINE_AUTO(numaview_free, struct numaview);

#endif
