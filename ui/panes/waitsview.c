/* SPDX-License-Identifier: BSD-2-Clause */
/* waitsview.c - turns the list of waits (query/waits.h) into rows that a treeview can show. */
#include "config.h"

#include "ui/panes/waitsview.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/units.h"
#include "query/standstill.h"
#include "ui/text_builder.h"

#include <stdlib.h>
#include <string.h>

#define OPEN_KEY 0x6e65706full   /* of the line above threads that still wait */

/* Those that idle come last. */
static uint32_t waitsview_nr_open(const struct waits *w)
{
	uint32_t n = w->nr_open;

	while (n && w->query.fold_idle && w->open[n - 1].idling)
		n--;
	return n;
}

const struct wait_row *waitsview_row(const struct waits *w, uint32_t node)
{
	return node < w->n ? &w->row[node] : NULL;
}

const struct wait_open *waitsview_open(const struct waits *w, uint32_t node)
{
	return node > w->n && node - w->n - 1 < w->nr_open ? &w->open[node - w->n - 1] : NULL;
}

/* The line above open waits weighs as much as everything, so that a view that follows what is heavy opens it. */
static void waitsview_add_open(const struct waits *w, struct outline *o)
{
	const struct outline_row head = { .key = OPEN_KEY, .kind = NODE_GROUP, .place = ID_NONE,
					  .weight = w->row[0].total_ns };
	const uint32_t n = waitsview_nr_open(w), above = n ? outline_add(o, 0, head) : 0;

	for (uint32_t i = 0; i < n; i++)
		outline_add(o, above, (struct outline_row){ .key = hash_2u64(OPEN_KEY, w->open[i].thread),
							    .kind = NODE_GROUP, .place = ID_NONE });
}

struct outline *waitsview_outline(const struct waits *w)
{
	struct outline *o = outline_new(w->dict, w->names, &w->query);

	for (uint32_t i = 0; o && i < w->n; i++) {
		const struct wait_row *r = &w->row[i];

		outline_add(o, r->parent, (struct outline_row){ .key = r->key, .kind = i ? NODE_GROUP : NODE_ROOT,
								.place = ID_NONE, .weight = r->total_ns });
	}
	if (o)
		waitsview_add_open(w, o);
	return outline_whole(o);
}

/* Labels */

/* What a row is called but for the functions at its end. A waker is told with those that woke. */
static void waitsview_put_row(const struct waits *w, uint32_t node, struct text_builder *ret)
{
	const struct wait_row *r = waitsview_row(w, node);

	if (r->level == WAIT_LEVEL_STACK && r->stack != STACK_ROOT)
		return;
	if (r->level == WAIT_LEVEL_WAKER)
		text_builder_put(ret, "woken by ");
	wait_row_label(w, node, text_builder_end(ret), text_builder_room(ret));
	text_builder_grown(ret);
	if (r->level == WAIT_LEVEL_WAKER && r->stack != STACK_ROOT)
		text_builder_put(ret, ": ");
}

/* The stack whose functions end what NODE is called; STACK_ROOT = it has none. */
static stack_id waitsview_stack_of(const struct waits *w, uint32_t node)
{
	const struct wait_open *o = waitsview_open(w, node);
	const struct wait_row *r = waitsview_row(w, node);

	if (o)
		return o->stack;
	return r && (r->level == WAIT_LEVEL_STACK || r->level == WAIT_LEVEL_WAKER) ? r->stack : STACK_ROOT;
}

/* "worker 1235 . waiting for a lock for 12.3 s . take_b > worker > start_thread" but for the functions. */
static void waitsview_put_open(const struct waits *w, const struct wait_open *o, struct text_builder *ret)
{
	char call[CALL_NAME_MAX], time[UNITS_MAX];

	text_builder_thread(ret, w->dict, o->thread);
	text_builder_put(ret, TEXT_BUILDER_DOT "%s for %s%s" TEXT_BUILDER_DOT,
		  wait_stands_still(w, o) ? "waiting for a lock" : call_name(o->call, w->query.arch, call),
		  o->flags & EVENT_F_EARLIER ? "at least " : "", units_time(time, (uint64_t)o->waited_ns));
}

static void put_open_title(const struct waits *w, struct text_builder *ret)
{
	const uint32_t shown = waitsview_nr_open(w), idle = w->nr_open - shown;
	char n[UNITS_MAX];

	text_builder_put(ret, "still waiting: %s thread%s", units_thousands(n, shown), shown == 1 ? "" : "s");
	if (idle)
		text_builder_put(ret, ", and %s idle", units_thousands(n, idle));
}

static void waitsview_put_head(const struct waits *w, uint32_t node, struct text_builder *ret)
{
	const struct wait_open *o = waitsview_open(w, node);

	if (waitsview_row(w, node)) {
		waitsview_put_row(w, node, ret);
	} else if (o) {
		waitsview_put_open(w, o, ret);
		if (o->stack == STACK_ROOT)
			wait_stack_label(w, o->stack, text_builder_end(ret), text_builder_room(ret));
	} else {
		put_open_title(w, ret);
	}
	text_builder_grown(ret);
}

struct wait_first waitsview_head(const struct waits *w, uint32_t node, char *dst, size_t size)
{
	const stack_id stack = waitsview_stack_of(w, node);
	struct text_builder words = text_builder_in(dst, size);

	waitsview_put_head(w, node, &words);
	if (stack == STACK_ROOT)
		return (struct wait_first){ .stack = STACK_ROOT };
	return node < w->n ? w->first[node] : wait_stack_first(w, stack);
}

char *waitsview_label(const struct waits *w, uint32_t node, char *dst, size_t size)
{
	const stack_id stack = waitsview_stack_of(w, node);
	struct text_builder words = text_builder_in(dst, size);

	waitsview_put_head(w, node, &words);
	if (stack != STACK_ROOT)
		wait_stack_label(w, stack, text_builder_end(&words), text_builder_room(&words));
	return dst;
}
