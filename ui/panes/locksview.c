/* SPDX-License-Identifier: BSD-2-Clause */
/* locksview.c - turns the list of locks (query/locks.h) into rows that a treeview can show. */
#include "config.h"

#include "ui/panes/locksview.h"

#include "base/hash.h"
#include "base/units.h"
#include "ui/text_builder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PLACES_A_PATH 256u       /* deeper ones are recursion */
#define BELOW_A_LOCK 100u        /* rows of one kind; the others are told as one */
#define PATHS_OPEN_MAX 200000u   /* with more rows than that no further path opens, as few look at such light ones */
#define SEED 0x6c6f636b73ull

/*
 * Adds a row below PARENT that IDENTITY tells from its siblings; its number, or 0 when out of memory. WEIGHT is
 * what it deserves to be opened by.
 */
static uint32_t locksview_add(struct locksview *lv, uint32_t parent, struct outline_row what, struct locks_line line,
			      uint64_t identity)
{
	struct locks_line *more = realloc(lv->line, (lv->rows->n + 1ul) * sizeof(*more));

	if (!more) {
		lv->rows->failed = true;
		return 0;
	}
	lv->line = more;
	lv->line[lv->rows->n] = line;
	what.key = parent == NODE_NONE ? identity :
		hash_2u64(hash_2u64(lv->rows->row[parent].key, line.level), identity);
	return outline_add(lv->rows, parent, what);
}

static uint32_t locksview_group(struct locksview *lv, uint32_t parent, enum locks_level level, uint32_t i,
				uint64_t identity, uint64_t weight)
{
	const struct outline_row what = { .kind = NODE_GROUP, .place = ID_NONE, .weight = weight };

	return locksview_add(lv, parent, what, (struct locks_line){ level, i }, identity);
}

/* A row that opens as the functions of its stack. */
static void locksview_path(struct locksview *lv, uint32_t parent, enum locks_level level, uint32_t i,
			   uint64_t identity)
{
	struct outline_row place[PLACES_A_PATH];
	const uint32_t row = locksview_group(lv, parent, level, i, identity, 0);
	uint32_t name = 0;
	stack_id first = STACK_ROOT;
	size_t n;

	if (!row || locksview_stack(lv, row) == STACK_ROOT || lv->rows->n > PATHS_OPEN_MAX)
		return;
	first = locks_stack_first(lv->locks, locksview_stack(lv, row), locksview_takes(lv, row), &name);
	n = first == STACK_ROOT ? 0 : outline_functions(lv->rows, first, name, place, PLACES_A_PATH);
	for (size_t p = 0; p < n; p++)
		if (!locksview_add(lv, row, place[p], (struct locks_line){ LOCKS_LEVEL_PLACE, i }, p + 1))
			return;
}

/* A deadlock weighs as much as everything, so that a view that follows what is heavy opens it. */
static void locksview_add_deadlock(struct locksview *lv, uint32_t first)
{
	const struct waitgraph_wait *w = lv->locks->wait;
	const uint32_t row = locksview_group(lv, 0, LOCKS_LEVEL_DEADLOCK, first, w[first].waiter, lv->locks->ns);
	size_t at = first;

	lv->deadlocks++;
	do {
		if (row)
			locksview_path(lv, row, LOCKS_LEVEL_LINK, (uint32_t)at, w[at].waiter);
		at = w[at].next;
	} while (at != first && !lv->rows->failed);
}

/* Says of N rows of LEVEL how many have no room. */
static void locksview_add_more(struct locksview *lv, uint32_t row, enum locks_level level, uint32_t n)
{
	if (n > BELOW_A_LOCK && !lv->rows->failed)
		locksview_group(lv, row, level, n - BELOW_A_LOCK, 0, 0);
}

static uint32_t locksview_end(uint32_t first, uint32_t n)
{
	return first + (n < BELOW_A_LOCK ? n : BELOW_A_LOCK);
}

static void locksview_add_holders(struct locksview *lv, uint32_t row, const struct lock_row *r)
{
	const struct lock_holder *h = lv->locks->holder;
	const uint32_t end = locksview_end(r->first_holder, r->nr_holders);

	for (uint32_t i = r->first_holder; i < end && !lv->rows->failed; i++) {
		locksview_path(lv, row, LOCKS_LEVEL_HOLDER, i, hash_2u64(h[i].thread, h[i].inferred));
		if (h[i].inverted_queued_ns)
			locksview_group(lv, row, LOCKS_LEVEL_INVERSION, i, h[i].thread, 0);
	}
	locksview_add_more(lv, row, LOCKS_LEVEL_MORE_HOLDERS, r->nr_holders);
}

static void locksview_add_waiters(struct locksview *lv, uint32_t row, uint32_t lock)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < lv->locks->nr_waits && !lv->rows->failed; i++) {
		if (lv->locks->of[i].lock == lock && n++ < BELOW_A_LOCK)
			locksview_path(lv, row, LOCKS_LEVEL_NOW, i, lv->locks->wait[i].waiter);
	}
	locksview_add_more(lv, row, LOCKS_LEVEL_MORE_NOW, n);
}

static void locksview_add_places(struct locksview *lv, uint32_t row, const struct lock_row *r)
{
	for (uint32_t i = r->first_place; i < locksview_end(r->first_place, r->nr_places) && !lv->rows->failed; i++)
		locksview_path(lv, row, LOCKS_LEVEL_WHERE, i, lv->locks->place[i].stack);
	locksview_add_more(lv, row, LOCKS_LEVEL_MORE_PLACES, r->nr_places);
}

static void locksview_add_lock(struct locksview *lv, uint32_t i)
{
	const struct lock_row *r = &lv->locks->lock[i];
	const uint64_t identity = hash_2u64(hash_2u64(r->address, r->pid), r->kind);
	const uint32_t row = locksview_group(lv, 0, LOCKS_LEVEL_LOCK, i, identity, r->ns);

	if (row && r->convoy.ns)
		locksview_group(lv, row, LOCKS_LEVEL_CONVOY, i, 0, 0);
	if (row && locks_has_holders(lv->locks, i))
		locksview_add_holders(lv, row, r);
	if (row && r->waiting)
		locksview_add_waiters(lv, row, i);
	if (row)
		locksview_add_places(lv, row, r);
}

static void locksview_fill(struct locksview *lv)
{
	const struct locks *l = lv->locks;

	locksview_add(lv, NODE_NONE, (struct outline_row){ .kind = NODE_ROOT, .place = ID_NONE, .weight = l->ns },
		      (struct locks_line){ 0 }, SEED);
	for (uint32_t i = 0; i < l->nr_waits && !lv->rows->failed; i++)
		if (l->wait[i].in_cycle && l->wait[i].end == i)
			locksview_add_deadlock(lv, i);
	for (uint32_t i = 0; i < l->nr_locks && !lv->rows->failed; i++)
		locksview_add_lock(lv, i);
}

struct locksview *locksview_new(struct locks *l)
{
	AUTO(locksview_free) struct locksview *lv = calloc(1, sizeof(*lv));

	if (!lv) {
		locks_free(l);
		return NULL;
	}
	lv->locks = l;
	lv->rows = outline_new(l->dict, l->names, &l->query);
	if (!lv->rows)
		return NULL;
	locksview_fill(lv);
	return lv->rows->failed ? NULL : take_ptr(lv);
}

void locksview_free(struct locksview *lv)
{
	if (!lv)
		return;
	outline_free(lv->rows);
	free(lv->line);
	locks_free(lv->locks);
	free(lv);
}

/* What rows say */

bool locksview_figures(const struct locksview *lv, uint32_t node, struct lock_row *ret)
{
	const struct locks *l = lv->locks;
	const uint32_t i = lv->line[node].i;

	switch (lv->line[node].level) {
	case LOCKS_LEVEL_LOCK:
		*ret = l->lock[i];
		return true;
	case LOCKS_LEVEL_HOLDER:
		*ret = (struct lock_row){ .ns = l->holder[i].ns, .count = l->holder[i].count };
		return true;
	case LOCKS_LEVEL_WHERE:
		*ret = (struct lock_row){ .ns = l->place[i].ns };
		return true;
	default:
		return false;
	}
}

thread_id locksview_thread(const struct locksview *lv, uint32_t node)
{
	switch (lv->line[node].level) {
	case LOCKS_LEVEL_LINK:
	case LOCKS_LEVEL_NOW:
		return lv->locks->of[lv->line[node].i].thread;
	case LOCKS_LEVEL_HOLDER:
		return lv->locks->holder[lv->line[node].i].thread;
	default:
		return ID_NONE;
	}
}

stack_id locksview_stack(const struct locksview *lv, uint32_t node)
{
	const uint32_t i = lv->line[node].i;

	switch (lv->line[node].level) {
	case LOCKS_LEVEL_LINK:
	case LOCKS_LEVEL_NOW:
		return lv->locks->of[i].stack;
	case LOCKS_LEVEL_LOCK:
		return lv->locks->lock[i].stack;
	case LOCKS_LEVEL_HOLDER:
		return lv->locks->holder[i].how == HOLDER_UNKNOWN ? STACK_ROOT : lv->locks->holder[i].stack;
	case LOCKS_LEVEL_WHERE:
		return lv->locks->place[i].stack;
	default:
		return STACK_ROOT;
	}
}

bool locksview_takes(const struct locksview *lv, uint32_t node)
{
	return lv->line[node].level != LOCKS_LEVEL_HOLDER;
}

/* "deadlock of 3 threads", "deadlock of a thread with itself" */
static void locksview_put_deadlock(const struct locksview *lv, size_t first, struct text_builder *ret)
{
	size_t threads = 1;

	for (size_t at = lv->locks->wait[first].next; at != first; at = lv->locks->wait[at].next)
		threads++;
	if (threads == 1)
		text_builder_put(ret, "deadlock of a thread with itself");
	else
		text_builder_put(ret, "deadlock of %zu threads", threads);
}

/* "first 12 waits for mutex 0x5580, held by second 13" */
static void locksview_put_link(const struct locksview *lv, uint32_t wait, struct text_builder *ret)
{
	char label[LABEL_MAX];

	text_builder_thread(ret, lv->locks->dict, lv->locks->of[wait].thread);
	text_builder_put(ret, " waits for %s", lock_label(lv->locks, lv->locks->of[wait].lock, label, sizeof(label)));
	text_builder_put(ret, "%s", lock_held_words(lv->locks, wait));
	text_builder_put(ret, "%s", lock_thread_label(lv->locks, lv->locks->wait[wait].holder, label, sizeof(label)));
}

/* What stands between the head of a row and its functions. */
static const char *locksview_before_stack(unsigned int level)
{
	return level == LOCKS_LEVEL_HOLDER ? ": " : level == LOCKS_LEVEL_WHERE ? " " : TEXT_BUILDER_DOT;
}

char *locksview_head(const struct locksview *lv, uint32_t node, char *dst, size_t size)
{
	const struct locks *l = lv->locks;
	const uint32_t i = lv->line[node].i;
	struct text_builder words = text_builder_in(dst, size);
	char label[LABEL_MAX], text[UNITS_MAX];

	switch (lv->line[node].level) {
	case LOCKS_LEVEL_DEADLOCK:
		locksview_put_deadlock(lv, i, &words);
		break;
	case LOCKS_LEVEL_LINK:
		locksview_put_link(lv, i, &words);
		break;
	case LOCKS_LEVEL_LOCK:
		text_builder_put(&words, "%s", lock_label(l, i, label, sizeof(label)));
		break;
	case LOCKS_LEVEL_HOLDER:
		text_builder_put(&words, "%s", lock_holder_label(l, &l->holder[i], label, sizeof(label)));
		break;
	case LOCKS_LEVEL_NOW:
		text_builder_thread(&words, l->dict, l->of[i].thread);
		text_builder_put(&words, " waits now, for %s", units_time(text, l->of[i].waited_ns));
		break;
	case LOCKS_LEVEL_WHERE:
		text_builder_put(&words, "waited in");
		break;
	case LOCKS_LEVEL_CONVOY:
		text_builder_put(&words, "%s", lock_convoy_label(l, i, label, sizeof(label)));
		break;
	case LOCKS_LEVEL_INVERSION:
		text_builder_put(&words, "%s", lock_inversion_label(&l->holder[i], label, sizeof(label)));
		break;
	case LOCKS_LEVEL_MORE_HOLDERS:
		text_builder_put(&words, "and %" PRIu32 " more holders", i);
		break;
	case LOCKS_LEVEL_MORE_NOW:
		text_builder_put(&words, "and %" PRIu32 " more threads wait now", i);
		break;
	case LOCKS_LEVEL_MORE_PLACES:
		text_builder_put(&words, "and in %" PRIu32 " more places", i);
		break;
	default:
		break;
	}
	if (locksview_stack(lv, node) != STACK_ROOT)
		text_builder_put(&words, "%s", locksview_before_stack(lv->line[node].level));
	return dst;
}

char *locksview_label(const struct locksview *lv, uint32_t node, char *dst, size_t size)
{
	const stack_id stack = locksview_stack(lv, node);
	struct tree_node place;
	struct tree one;
	size_t n;

	if (lv->line[node].level == LOCKS_LEVEL_PLACE) {
		one = outline_as_tree(lv->rows, node, &place);
		return tree_label(&one, 0, dst, size);
	}
	n = strlen(locksview_head(lv, node, dst, size));
	if (stack != STACK_ROOT)
		locks_stack_label(lv->locks, stack, locksview_takes(lv, node), dst + n, size - n);
	return dst;
}
