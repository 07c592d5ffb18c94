/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * search.h - finding text in the names of a tree, also in what is closed, in the order of the view.
 *
 * Plain text, not a pattern; upper and lower case (of ASCII) are the same unless the text has an upper-case letter.
 */
#ifndef SBERF_UI_SEARCH_H
#define SBERF_UI_SEARCH_H

#include "base/vec.h"
#include "ui/treeview.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEARCH_MAX 120u          /* bytes of text */

struct search {
	char text[SEARCH_MAX + 1];       /* UTF-8, "" = no search */
	size_t len;
	size_t matches;                  /* in the tree under the zoom, after the last search_find() */
	size_t at;                       /* which of them the cursor is on, from 1; 0 = on none */
	uint64_t matched_ns, of_ns;      /* in a flame graph: what matches take, each with all below, and all that is shown */
	bool counted;                    /* all this is of the tree that is shown */
	VEC(uint8_t) known;              /* by func_id: whether its name matches; enum in search.c */
	VEC(uint8_t) place;              /* the same by frame_id, for places without a name */
	uint32_t base;                   /* the zoom that all this is of */
	struct shown of;                 /* what the following tells of */
	VEC(uint32_t) up;                /* by node: its parent, */
	VEC(uint32_t) what;              /* what it is called by (search.c), */
	VEC(uint32_t) hits;              /* matches in it and below, */
	VEC(uint8_t) is;                 /* and whether it is one itself */
	bool fresh, narrower;            /* the last two are of the text; of one that began so, and all that matches was among them */
};

void search_free(struct search *s);
/* Takes out of what TV shows what searching looks at again and again, if that has not been done yet. False when out of memory. */
bool search_prepare(struct search *s, const struct treeview *tv);
/* True when what S found is of what TV shows. */
bool search_is_of(const struct search *s, const struct treeview *tv);
/* To be called when a tree or an outline is about to go: another one may come to lie where it was. */
void search_forget(struct search *s);

/* Appends a character, or takes the last one away. Control characters and what does not fit are ignored. */
void search_type(struct search *s, uint32_t cp);
void search_erase(struct search *s, bool all);

enum search_step {
	SEARCH_HERE,             /* the cursor's node if it matches, else the next match */
	SEARCH_NEXT,
	SEARCH_PREV,
};

/* The match that STEP leads to from node FROM, round the ends; NODE_NONE when there is none. Counts the matches. */
uint32_t search_find(struct search *s, const struct treeview *tv, uint32_t from, enum search_step step);

/* How many matches there are in NODE of TV and below, as far as they have been counted: else 0. */
size_t search_hits(const struct search *s, const struct treeview *tv, uint32_t node);

/* Where the text first occurs in LABEL, *RET_LEN bytes long. NULL = nowhere. */
const char *search_in(const struct search *s, const char *label, size_t *ret_len);

#endif
