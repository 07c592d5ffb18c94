/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flatlist.h - what a call tree spends its time in, as a list: its functions, or its modules.
 *
 * The total of a row includes everything it calls, once however often it recurs; its self time and
 * what that is made of are its own. Row 0 is the whole. Idle waits keep a row of their own kind.
 * When there are very many functions, the FLATLIST_FUNCTIONS with the largest self time or total
 * have a row.
 */
#ifndef SBERF_QUERY_FLATLIST_H
#define SBERF_QUERY_FLATLIST_H

#include "base/cleanup.h"
#include "base/err.h"
#include "query/funcs.h"
#include "query/query.h"

#include <stdint.h>

#define FLATLIST_FUNCTIONS 2000u

struct flat_row {
	uint64_t key;            /* the same in every refresh; of a function func_key() */
	uint64_t self_ns, total_ns;
	uint64_t doubt_ns;       /* of self_ns, of which this is about: stands for waits without a stack of their own */
	uint64_t count;          /* samples and waits in self_ns */
	double squares;          /* of self_ns, as tree_node.squares; functions alone */
	struct tree_parts self;  /* the measures that make up self_ns */
	union {
		func_id func;            /* NODE_FUNC */
		frame_id frame;          /* NODE_ADDR */
		module_id module;        /* NODE_GROUP: a module; ID_NONE = code and notes that are in none */
	};
	frame_id place;          /* as tree_node.place */
	uint8_t kind;            /* enum node_kind */
};

struct flatlist {
	const struct dict *dict;         /* borrowed, like the next */
	const struct names *names;
	struct query query;
	struct flat_row *row;            /* row 0, whose figures are those of all, and then by falling total */
	uint32_t n;                      /* that one included */
	uint32_t idle;                   /* the row of idle waits; NODE_NONE */
	uint32_t idle_threads;
	uint32_t known, shown;           /* functions or modules that there are, and that have a row */
	uint64_t outside_ns;             /* ended in no function: frames that are left out */
};

/*
 * The functions of T, which is not inverted and may be freed afterwards; names and dictionary are
 * borrowed as T borrows them. On success *RET is the caller's. -ENOMEM with a sentence.
 */
int flatlist_functions(const struct tree *t, struct flatlist **ret, struct err *e);
/*
 * The same for modules, the kernel being one. The total of a module grows at frames that have no
 * other frame of it above them.
 */
int flatlist_modules(const struct tree *t, struct flatlist **ret, struct err *e);
void flatlist_free(struct flatlist *l);          /* NULL is fine */

/* All of L but for idle waits. */
uint64_t flatlist_work_ns(const struct flatlist *l);
/* What row I is called, sanitised. Returns DST. */
char *flatlist_label(const struct flatlist *l, uint32_t i, char *dst, size_t size);

DEFINE_AUTO(flatlist_free, struct flatlist);

#endif
