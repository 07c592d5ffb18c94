/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * search.h - finds text in the names of a tree, closed parts included, in the order of the view.
 *
 * Plain text, not a pattern; case (of ASCII) matters only when the text has an upper-case letter.
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
	size_t matches;                  /* in the tree under the zoom, as of the last search_find() */
	size_t at;                       /* which of them the cursor is on, from 1; 0 = on none */
	/* in a flame graph: time of matches with everything below, and of everything shown */
	uint64_t matched_ns, of_ns;
	bool counted;                    /* the above is for the tree that is shown */
	VEC(uint8_t) known;              /* by func_id: whether its name matches; enum in search.c */
	VEC(uint8_t) place;              /* the same by frame_id, for places without a name */
	uint32_t base;                   /* the zoom that the above is for */
	struct shown of;                 /* what the following is for */
	VEC(uint32_t) up;                /* by node: its parent, */
	VEC(uint32_t) what;              /* its name (search.c), */
	VEC(uint32_t) hits;              /* matches in it and below, */
	VEC(uint8_t) is;                 /* and whether it matches itself */
	/*
	 * the last two are for this text; or for a text that this one begins with, so that they
	 * include all its matches
	 */
	bool fresh, narrower;
};

void search_free(struct search *s);
/* Prepares what searching TV needs again and again, if not done yet. False when out of memory. */
bool search_prepare(struct search *s, const struct treeview *tv);
/* Whether S found its matches in what TV shows. */
bool search_is_of(const struct search *s, const struct treeview *tv);
/* Call before a tree or an outline is freed: another one may get its address. */
void search_forget(struct search *s);

/*
 * Append a character, or remove the last one (or ALL). Control characters and what does not fit are
 * ignored.
 */
void search_type(struct search *s, uint32_t cp);
void search_erase(struct search *s, bool all);

enum search_step {
	SEARCH_HERE,             /* the cursor's node if it matches, else the next match */
	SEARCH_NEXT,
	SEARCH_PREV,
};

/*
 * Returns the match that STEP leads to from node FROM, wrapping around; NODE_NONE when there is
 * none. Counts the matches.
 */
uint32_t search_find(struct search *s, const struct treeview *tv, uint32_t from, enum search_step step);

/* The number of matches in NODE of TV and below; 0 while they have not been counted. */
size_t search_hits(const struct search *s, const struct treeview *tv, uint32_t node);

/* The first occurrence of the text in LABEL, *RET_LEN bytes long; NULL = none. */
const char *search_in(const struct search *s, const char *label, size_t *ret_len);

#endif
