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
	VEC(uint8_t) known;              /* by func_id: whether its name matches; enum in search.c */
};

void search_free(struct search *s);

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

/* Where the text first occurs in LABEL, *RET_LEN bytes long. NULL = nowhere. */
const char *search_in(const struct search *s, const char *label, size_t *ret_len);

#endif
