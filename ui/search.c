/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * search.c - every node's name is looked at once per function, not once per node; then only the parts of the tree that hold a
 * match, or the place where the search starts, are walked in the order of the view.
 */
#include "config.h"

#include "ui/search.h"

#include <stdlib.h>
#include <string.h>

enum { UNKNOWN, NO, YES };

#define HIT 1u                   /* flags of nodes: the name matches */
#define BELOW 2u                 /* a descendant is a hit, or the start */

void search_free(struct search *s)
{
	vec_free(&s->known);
}

static void changed(struct search *s)
{
	s->known.n = 0;
	s->matches = s->at = 0;
}

static size_t put_utf8(char *dst, uint32_t cp)
{
	const size_t n = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
	static const uint8_t lead[] = { 0, 0, 0xC0, 0xE0, 0xF0 };

	for (size_t i = n; i-- > 1; cp >>= 6)
		dst[i] = (char)(0x80 | (cp & 0x3F));
	dst[0] = (char)(lead[n] | cp);
	return n;
}

void search_type(struct search *s, uint32_t cp)
{
	if (cp < 0x20 || (cp >= 0x7F && cp < 0xA0) || cp > 0x10FFFF || s->len + 4 > SEARCH_MAX)
		return;
	s->len += put_utf8(s->text + s->len, cp);
	s->text[s->len] = '\0';
	for (size_t i = 0; i < s->known.n; i++) {        /* what did not match less will not match more */
		if (s->known.v[i] == YES)
			s->known.v[i] = UNKNOWN;
	}
	s->matches = s->at = 0;
}

void search_erase(struct search *s, bool all)
{
	while (s->len) {
		const bool start = ((unsigned char)s->text[--s->len] & 0xC0) != 0x80;

		if (start && !all)
			break;
	}
	s->text[s->len] = '\0';
	changed(s);
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static bool has_upper(const char *s)
{
	while (*s && !(*s >= 'A' && *s <= 'Z'))
		s++;
	return *s;
}

const char *search_in(const struct search *s, const char *label, size_t *ret_len)
{
	const bool exact = has_upper(s->text);

	if (!s->len)
		return NULL;
	for (; *label; label++) {
		size_t i = 0;

		while (i < s->len && (exact ? label[i] : lower(label[i])) == (exact ? s->text[i] : lower(s->text[i])))
			i++;
		if (i == s->len) {
			*ret_len = s->len;
			return label;
		}
	}
	return NULL;
}

static bool label_matches(const struct search *s, const struct treeview *tv, uint32_t node)
{
	char label[LABEL_MAX];
	size_t len;

	return search_in(s, treeview_label(tv, node, label, sizeof(label)), &len);
}

/* The text of a function's name is what its label says but for bytes that cannot be typed. */
static bool func_matches(const struct search *s, const struct names *names, func_id func)
{
	size_t len;

	return search_in(s, names_text(names, names_func(names, func)->name), &len);
}

static bool matches(struct search *s, const struct treeview *tv, uint32_t node)
{
	const struct tree_node *n = &tv->tree->node[node];

	if (n->kind != NODE_FUNC || n->func >= s->known.n)
		return label_matches(s, tv, node);
	if (s->known.v[n->func] == UNKNOWN)
		s->known.v[n->func] = func_matches(s, tv->tree->names, n->func) ? YES : NO;
	return s->known.v[n->func] == YES;
}

/* Makes room for what is known of each function. */
static void know(struct search *s, const struct tree *t)
{
	const size_t funcs = names_funcs(t->names);

	if (funcs <= s->known.n || !vec_reserve(&s->known, funcs - s->known.n))
		return;
	memset(s->known.v + s->known.n, UNKNOWN, funcs - s->known.n);
	s->known.n = funcs;
}

static void mark_up(const struct tree *t, uint32_t node, uint8_t *flags)
{
	for (uint32_t at = node; at && !(flags[t->node[at].parent] & BELOW); at = t->node[at].parent)
		flags[t->node[at].parent] |= BELOW;
}

struct walk {
	uint32_t from;           /* where the search starts */
	uint32_t first, last;    /* hits; NODE_NONE = none */
	uint32_t before, after;  /* nearest hits around FROM */
	bool passed;             /* FROM was met */
	size_t n, n_before;
};

static void pass(struct walk *w, uint32_t node, bool hit)
{
	if (hit) {
		w->n++;
		w->first = w->first == NODE_NONE ? node : w->first;
		w->last = node;
	}
	if (node == w->from) {
		w->passed = true;
	} else if (hit && !w->passed) {
		w->before = node;
		w->n_before++;
	} else if (hit && w->after == NODE_NONE) {
		w->after = node;
	}
}

static void walk(const struct treeview *tv, const uint8_t *flags, struct walk *w)
{
	node_vec stack = { 0 };
	uint32_t *slot = vec_push(&stack);

	if (slot)
		*slot = treeview_base(tv);
	while (stack.n) {
		const uint32_t node = stack.v[--stack.n];
		const size_t start = stack.n;

		if (node)
			pass(w, node, flags[node] & HIT);
		if (!(flags[node] & BELOW))
			continue;
		treeview_children(tv, node, NULL, &stack);
		for (size_t a = start, b = stack.n; a + 1 < b; a++, b--) {
			const uint32_t t = stack.v[a];

			stack.v[a] = stack.v[b - 1];
			stack.v[b - 1] = t;
		}
	}
	vec_free(&stack);
}

uint32_t search_find(struct search *s, const struct treeview *tv, uint32_t from, enum search_step step)
{
	struct walk w = { .from = from, .first = NODE_NONE, .last = NODE_NONE, .before = NODE_NONE, .after = NODE_NONE };
	AUTO_FREE uint8_t *flags = NULL;
	uint32_t found;

	s->matches = s->at = 0;
	if (!s->len || !tv->tree || !(flags = calloc(tv->tree->n, 1)))
		return NODE_NONE;
	know(s, tv->tree);
	for (uint32_t i = 1; i < tv->tree->n; i++) {
		if (matches(s, tv, i)) {
			flags[i] |= HIT;
			mark_up(tv->tree, i, flags);
		}
	}
	if (from != NODE_NONE)
		mark_up(tv->tree, from, flags);
	walk(tv, flags, &w);
	s->matches = w.n;
	if (!w.n)
		return NODE_NONE;
	if (from != NODE_NONE && step == SEARCH_HERE && (flags[from] & HIT) && w.passed)
		found = from, s->at = w.n_before + 1;
	else if (step == SEARCH_PREV)
		found = w.before != NODE_NONE ? w.before : w.last, s->at = w.before != NODE_NONE ? w.n_before : w.n;
	else
		found = w.after != NODE_NONE ? w.after : w.first,
		s->at = w.after != NODE_NONE ? w.n_before + (flags[from] & HIT ? 1 : 0) + 1 : 1;
	return found;
}
