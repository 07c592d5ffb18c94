/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * search.c - every name is looked at once per function or place, not once per node. Then the
 * matches below each node are counted, which needs no order, and the order of the view is asked for
 * only on the way from the start to what is found.
 *
 * A tree of 300,000 nodes is 40 MB: what a search needs of each is taken out once for as long as
 * the tree is shown.
 */
#include "config.h"

#include "ui/search.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { UNKNOWN, NO, YES };

void search_forget(struct search *s)
{
	vec_free(&s->up);
	vec_free(&s->what);
	vec_free(&s->hits);
	vec_free(&s->is);
	s->of = (struct shown){ 0 };
	s->fresh = s->narrower = false;
}

void search_free(struct search *s)
{
	vec_free(&s->known);
	vec_free(&s->place);
	search_forget(s);
}

static void search_changed(struct search *s)
{
	s->known.n = s->place.n = 0;
	s->matches = s->at = 0;
	s->fresh = s->narrower = false;
}

void search_type(struct search *s, uint32_t cp)
{
	const bool began = s->len;

	if (cp < 0x20 || (cp >= 0x7F && cp < 0xA0) || cp > 0x10FFFF || s->len + 4 > SEARCH_MAX)
		return;
	s->len += text_encode(cp, s->text + s->len);
	s->text[s->len] = '\0';
	for (size_t i = 0; i < s->known.n; i++)          /* what did not match less will not match more */
		s->known.v[i] = s->known.v[i] == YES ? UNKNOWN : s->known.v[i];
	for (size_t i = 0; i < s->place.n; i++)
		s->place.v[i] = s->place.v[i] == YES ? UNKNOWN : s->place.v[i];
	s->narrower = began && (s->fresh || s->narrower);
	s->fresh = false;
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
	search_changed(s);
}

static char search_lower(char c)
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

		while (i < s->len &&
		       (exact ? label[i] : search_lower(label[i])) == (exact ? s->text[i] : search_lower(s->text[i])))
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

static bool known_matches(struct search *s, const struct names *names, func_id func)
{
	if (func >= s->known.n)
		return func_matches(s, names, func);
	if (s->known.v[func] == UNKNOWN)
		s->known.v[func] = func_matches(s, names, func) ? YES : NO;
	return s->known.v[func] == YES;
}

/* What is known of the matches in a view. */
struct searched {
	const struct treeview *tv;
	const uint32_t *n;       /* by node: matches in it and below */
	const uint8_t *is;       /* by node: it is one itself */
	/*
	 * by stack_id: whether a function of it matches, all of its frames read whole; NULL =
	 * nobody asked yet
	 */
	uint8_t *stack;
	struct tree_node place;  /* any one, */
	struct tree only_place;  /* and a tree of nothing else */
	uint32_t base;
	node_vec children;       /* of the node that was asked for last, in the order of the view */
};

/* A place without a name is called the same wherever it is. */
static bool place_matches(struct search *s, struct searched *h, frame_id frame)
{
	const bool known = frame < s->place.n;
	char label[LABEL_MAX];
	size_t len;
	bool yes;

	if (known && s->place.v[frame] != UNKNOWN)
		return s->place.v[frame] == YES;
	h->place.frame = frame;
	yes = search_in(s, tree_label(&h->only_place, 0, label, sizeof(label)), &len);
	if (known)
		s->place.v[frame] = yes ? YES : NO;
	return yes;
}

/* Whether what FRAME is read as matches, from its name FIRST on. */
static bool frame_matches(struct search *s, struct searched *h, frame_id frame, uint32_t first)
{
	const struct shown shown = treeview_shown(h->tv);
	const struct names *names = shown_names(shown);
	const struct frame_names *fn = names_get(names, frame);

	if (!fn)
		return place_matches(s, h, frame);
	if (shown_query(shown) && shown_query(shown)->no_inlines && first < fn->n - 1u)
		first = fn->n - 1u;
	for (uint32_t i = first; i < fn->n; i++) {
		if (known_matches(s, names, fn->name[i].func))
			return true;
	}
	return false;
}

/*
 * Whether a function of STACK matches. There are thousands of call paths, and each takes long to
 * read; but their callers are the same again and again.
 */
static bool stack_matches(struct search *s, struct searched *h, stack_id stack)
{
	const struct dict *d = shown_dict(treeview_shown(h->tv));
	stack_id from = stack;
	uint8_t found = NO;

	if (!h->stack)
		h->stack = calloc(dict_stacks(d), 1);
	while (from != STACK_ROOT) {
		const struct stack *at = dict_get_stack(d, from);

		if (h->stack && h->stack[from] != UNKNOWN) {
			found = h->stack[from];
			break;
		}
		if (frame_matches(s, h, at->frame, 0)) {
			found = YES;
			break;
		}
		from = at->parent;
	}
	for (stack_id i = stack; h->stack && i != from; i = dict_get_stack(d, i)->parent)
		h->stack[i] = found;
	if (h->stack && from != STACK_ROOT)
		h->stack[from] = found;
	return found == YES;
}

/* What a node is called by: a number, and in its last two bits of what. */
enum { BY_LABEL, BY_FUNC, BY_PLACE, BY_NOTHING, BY_BITS = 2 };

static uint32_t called_by(const struct treeview *tv, const struct outline_row *n)
{
	const bool places = !tv->ops || !tv->ops->label_places;

	if (tv->ops && tv->ops->all_paths)
		return BY_LABEL;
	if (n->kind == NODE_IDLE)        /* it is no row */
		return BY_NOTHING;
	if (n->kind == NODE_FUNC && n->func <= UINT32_MAX >> BY_BITS)
		return n->func << BY_BITS | BY_FUNC;
	return n->kind == NODE_ADDR && places && n->frame <= UINT32_MAX >> BY_BITS ?
		n->frame << BY_BITS | BY_PLACE : BY_LABEL;
}

/* A row that stands for a call path is called by all functions of it. */
static bool line_matches(struct search *s, struct searched *h, uint32_t node)
{
	const struct treeview *tv = h->tv;
	struct row_path path = { .stack = STACK_ROOT };
	char words[LABEL_MAX];
	const struct stack *at;
	size_t len;

	if (!tv->ops || !tv->ops->path || !tv->ops->path(tv, node, words, sizeof(words), &path))
		return label_matches(s, tv, node);
	if (search_in(s, words, &len))
		return true;
	at = path.stack == STACK_ROOT ? NULL : dict_get_stack(shown_dict(treeview_shown(tv)), path.stack);
	return at && (frame_matches(s, h, at->frame, path.first) || stack_matches(s, h, at->parent));
}

static bool search_matches(struct search *s, struct searched *h, uint32_t node)
{
	const uint32_t what = s->what.v[node];

	switch (what & ((1u << BY_BITS) - 1)) {
	case BY_FUNC:
		return known_matches(s, shown_names(treeview_shown(h->tv)), what >> BY_BITS);
	case BY_PLACE:
		return place_matches(s, h, what >> BY_BITS);
	case BY_NOTHING:
		return false;
	default:
		return line_matches(s, h, node);
	}
}

/* Makes room for what is known of N functions or places. */
#define make_room(vec, count) do { \
	const size_t n_ = (count); \
	if (n_ > (vec)->n && vec_reserve(vec, n_ - (vec)->n)) { \
		memset((vec)->v + (vec)->n, UNKNOWN, n_ - (vec)->n); \
		(vec)->n = n_; \
	} \
} while (0)

bool search_is_of(const struct search *s, const struct treeview *tv)
{
	return s->of.tree == tv->tree && s->of.list == tv->list;
}

bool search_prepare(struct search *s, const struct treeview *tv)
{
	const struct shown shown = treeview_shown(tv);
	const uint32_t n = shown_n(shown);

	if (!n || search_is_of(s, tv))
		return n;
	search_forget(s);
	if (!vec_reserve(&s->up, n) || !vec_reserve(&s->what, n) || !vec_reserve(&s->hits, n) ||
	    !vec_reserve(&s->is, n))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct outline_row row = shown_at(shown, i);

		s->up.v[i] = row.parent;
		s->what.v[i] = called_by(tv, &row);
	}
	s->of = shown;
	return true;
}

static void count_hits(struct search *s, struct searched *h)
{
	const uint32_t n = shown_n(s->of);

	s->is.v[0] = 0;
	for (uint32_t i = 1; i < n; i++)         /* what did not match less will not match more */
		s->is.v[i] = (!s->narrower || s->is.v[i]) && search_matches(s, h, i);
	memset(s->hits.v, 0, n * sizeof(*s->hits.v));
	for (uint32_t i = n; i-- > 1;) {         /* parents come before their children */
		s->hits.v[i] += s->is.v[i];
		s->hits.v[s->up.v[i]] += s->hits.v[i];
	}
	s->fresh = true;
	s->narrower = false;
}

/* Sums what the matches under the base take; one that is below another is a part of that. */
static void weigh_hits(struct search *s, const struct searched *h)
{
	enum { OUTSIDE, INSIDE, BELOW };
	const uint32_t n = shown_n(s->of);
	uint8_t *state = calloc(n, 1);

	for (uint32_t i = h->base; state && i < n; i++) {
		const uint8_t above = i == h->base ? INSIDE : state[s->up.v[i]];

		state[i] = above == INSIDE && h->is[i] ? BELOW : above;
		if (above == INSIDE && h->is[i])
			s->matched_ns += shown_at(s->of, i).weight;
	}
	s->of_ns = state ? h->tv->ops->whole_ns(h->tv) : 0;
	free(state);
}

/* The children of NODE in the order of the view; returns the place of CHILD among them. */
static size_t list_children(struct searched *h, uint32_t node, uint32_t child)
{
	size_t at = 0;

	h->children.n = 0;
	treeview_children(h->tv, node, NULL, &h->children);
	while (at < h->children.n && h->children.v[at] != child)
		at++;
	return at;
}

/* The first match in NODE and below it, which has some. */
static uint32_t first_in(struct searched *h, uint32_t node)
{
	while (!h->is[node]) {
		size_t i = 0;

		list_children(h, node, NODE_NONE);
		while (i < h->children.n && !h->n[h->children.v[i]])
			i++;
		if (i == h->children.n)
			return NODE_NONE;        /* out of memory */
		node = h->children.v[i];
	}
	return node;
}

/* The last one. */
static uint32_t last_in(struct searched *h, uint32_t node)
{
	for (;;) {
		size_t i;

		list_children(h, node, NODE_NONE);
		i = h->children.n;
		while (i && !h->n[h->children.v[i - 1]])
			i--;
		if (!i)
			return h->is[node] ? node : NODE_NONE;
		node = h->children.v[i - 1];
	}
}

/* The first match after FROM; NODE_NONE = none. */
static uint32_t search_after(struct searched *h, uint32_t from)
{
	list_children(h, from, NODE_NONE);
	for (size_t i = 0; i < h->children.n; i++) {
		if (h->n[h->children.v[i]])
			return first_in(h, h->children.v[i]);
	}
	for (uint32_t at = from; at != h->base; at = treeview_at(h->tv, at).parent) {
		for (size_t i = list_children(h, treeview_at(h->tv, at).parent, at) + 1; i < h->children.n; i++) {
			if (h->n[h->children.v[i]])
				return first_in(h, h->children.v[i]);
		}
	}
	return NODE_NONE;
}

/* The last match before FROM, NODE_NONE = none; *RET_N says how many there are. */
static uint32_t search_before(struct searched *h, uint32_t from, size_t *ret_n)
{
	uint32_t near = NODE_NONE, under = NODE_NONE;    /* the nearest, or what it is the last one in */

	*ret_n = 0;
	for (uint32_t at = from; at != h->base; at = treeview_at(h->tv, at).parent) {
		const uint32_t parent = treeview_at(h->tv, at).parent;

		for (size_t i = list_children(h, parent, at); i-- > 0;) {
			const uint32_t c = h->children.v[i];

			if (near == NODE_NONE && under == NODE_NONE && h->n[c])
				under = c;
			*ret_n += h->n[c];
		}
		if (near == NODE_NONE && under == NODE_NONE && h->is[parent])
			near = parent;
		*ret_n += h->is[parent];
	}
	return under != NODE_NONE ? last_in(h, under) : near;
}

static bool is_under(const struct treeview *tv, uint32_t node, uint32_t base)
{
	while (node != base && node && node != NODE_NONE)
		node = treeview_at(tv, node).parent;
	return node == base;
}

static uint32_t search_find_match(struct search *s, struct searched *h, uint32_t from, enum search_step step)
{
	const bool inside = from != NODE_NONE && is_under(h->tv, from, h->base);
	size_t n_before = s->matches;
	uint32_t found;

	if (inside && step == SEARCH_HERE && h->is[from]) {
		search_before(h, from, &n_before);
		s->at = n_before + 1;
		return from;
	}
	if (step == SEARCH_PREV) {
		found = inside ? search_before(h, from, &n_before) : NODE_NONE;
		s->at = found == NODE_NONE ? s->matches : n_before;
		return found == NODE_NONE ? last_in(h, h->base) : found;
	}
	found = inside ? search_after(h, from) : NODE_NONE;
	if (found != NODE_NONE)
		search_before(h, from, &n_before);
	s->at = found == NODE_NONE ? 1 : n_before + h->is[from] + 1;
	return found == NODE_NONE ? first_in(h, h->base) : found;
}

size_t search_hits(const struct search *s, const struct treeview *tv, uint32_t node)
{
	return s->fresh && search_is_of(s, tv) && node < shown_n(s->of) ? s->hits.v[node] : 0;
}

uint32_t search_find(struct search *s, const struct treeview *tv, uint32_t from, enum search_step step)
{
	const struct shown shown = treeview_shown(tv);
	struct searched h = { .tv = tv };
	uint32_t found = NODE_NONE;

	s->matches = s->at = 0;
	s->matched_ns = s->of_ns = 0;
	s->counted = true;
	if (!s->len || !shown_any(shown))
		return NODE_NONE;
	make_room(&s->known, names_funcs(shown_names(shown)));
	make_room(&s->place, dict_frames(shown_dict(shown)));
	if (!search_prepare(s, tv))
		return NODE_NONE;
	h.place.kind = NODE_ADDR;
	h.only_place = (struct tree){ .dict = shown_dict(shown), .names = shown_names(shown), .node = &h.place,
				      .n = 1 };
	if (!s->fresh)
		count_hits(s, &h);
	h.base = s->base = treeview_base(tv);
	h.n = s->hits.v;
	h.is = s->is.v;
	s->matches = h.n[h.base];
	if (tv->ops && tv->ops->whole_ns)
		weigh_hits(s, &h);
	if (s->matches)
		found = search_find_match(s, &h, from, step);
	free(h.stack);
	vec_free(&h.children);
	return found;
}
