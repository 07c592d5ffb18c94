/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lockstext.c - who made others wait, as text:
 *
 *	deadlock of 2 threads:
 *	  first 12 waits for mutex 0x5580, held by second 13,
 *	    which waits for mutex 0x55a8, held by first 12
 *
 *	     total      count    longest    average  waiters  now  handing over  lock
 *	    2.00 s          2     1.00 s     1.00 s        2    1       12.0 us  mutex 0x5580: take › worker
 *	    1.50 s          1                                                      held by second 13, waits now: ...
 */
#include "config.h"

#include "export/exporter.h"

#include "base/cleanup.h"
#include "base/units.h"
#include "export/out.h"
#include "export/waitchain.h"
#include "query/label.h"
#include "query/locks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define HOLDERS_SHOWN 10u        /* of one lock */
#define BLANKS 61                /* under the columns behind the count */

struct locks_text {
	const struct locks *l;
	bool ascii;
	struct out o;
};

static void lockstext_thread(void *ctx, FILE *f, uint32_t tid)
{
	const struct locks_text *x = ctx;
	const thread_id id = locks_thread(x->l, tid);
	char label[LABEL_MAX];

	if (id == ID_NONE) {
		fprintf(f, "thread %" PRIu32, tid);
		return;
	}
	(void)label_thread(x->l->dict, dict_get_thread(x->l->dict, id), label, sizeof(label));
	fputs(label, f);
}

static void lockstext_put_lock(FILE *f, const struct lock_row *r)
{
	if (r->address)
		fprintf(f, "%s 0x%" PRIx64, lock_kind_name(r->kind), r->address);
	else
		fputs("futexes of which nothing more is known", f);
}

static void lockstext_what(void *ctx, FILE *f, size_t wait)
{
	const struct locks_text *x = ctx;

	lockstext_put_lock(f, &x->l->lock[x->l->of[wait].lock]);
}

static const char *lockstext_by(void *ctx, size_t wait)
{
	const struct locks_text *x = ctx;

	return x->l->lock[x->l->of[wait].lock].kind == LOCK_JOIN ? ", " : ", held by ";
}

static void lockstext_holder(void *ctx, FILE *f, uint32_t tid)
{
	(void)ctx;
	(void)tid;
	fputs("waits for no lock", f);
}

/* Deadlocks, and nothing where there are none. */
static void lockstext_put_deadlocks(struct locks_text *x)
{
	const struct waitchain c = { .wait = x->l->wait, .n = x->l->nr_waits, .thread = lockstext_thread,
				     .what = lockstext_what, .by = lockstext_by, .holder = lockstext_holder, .ctx = x };

	if (waitchain_print_cycles(&c, x->o.file))
		out_text(&x->o, "\n");
}

static void lockstext_put_stack(struct locks_text *x, stack_id stack)
{
	char label[LABEL_MAX];

	out_label(&x->o, locks_stack_label(x->l, stack, label, sizeof(label)), x->ascii);
}

static void lockstext_put_holder(struct locks_text *x, const struct lock_holder *h)
{
	static const char *const how[] = {
		[HOLDER_UNKNOWN] = "", [HOLDER_WAITS] = ", waits now: ", [HOLDER_BESIDE] = ", mostly in: ",
		[HOLDER_RELEASED] = ", released in: ",
	};
	char text[UNITS_MAX], label[LABEL_MAX];

	out_format(&x->o, "%10s %10" PRIu64 "%*s", units_time(text, h->ns), h->count, BLANKS, "");
	if (h->thread == ID_NONE) {
		out_text(&x->o, "holder not known\n");
		return;
	}
	(void)label_thread(x->l->dict, dict_get_thread(x->l->dict, h->thread), label, sizeof(label));
	out_format(&x->o, "%s %s%s%s", h->inferred ? "ended by" : "held by", label, h->inferred ? " (inferred)" : "",
		   how[h->how]);
	if (h->how != HOLDER_UNKNOWN)
		lockstext_put_stack(x, h->stack);
	out_text(&x->o, "\n");
}

static void lockstext_put_row(struct locks_text *x, const struct lock_row *r)
{
	char total[UNITS_MAX], longest[UNITS_MAX], average[UNITS_MAX], over[UNITS_MAX];
	uint32_t shown = r->nr_holders < HOLDERS_SHOWN ? r->nr_holders : HOLDERS_SHOWN;

	out_format(&x->o, "%10s %10" PRIu64 " %10s %10s %8" PRIu32 " %4" PRIu32 " %13s  ", units_time(total, r->ns),
		   r->count, units_time(longest, r->longest_ns), units_time(average, r->count ? r->ns / r->count : 0),
		   r->waiters, r->waiting, units_time(over, r->hand_over_ns));
	lockstext_put_lock(x->o.file, r);
	out_text(&x->o, ": ");
	lockstext_put_stack(x, r->stack);
	out_text(&x->o, "\n");
	/* That nobody is known to hold what has no holder need not be said. */
	if (r->nr_holders == 1 && x->l->holder[r->first_holder].thread == ID_NONE)
		return;
	for (uint32_t i = 0; i < shown; i++)
		lockstext_put_holder(x, &x->l->holder[r->first_holder + i]);
	if (r->nr_holders > shown)
		out_format(&x->o, "%*sand %" PRIu32 " more holders\n", BLANKS + 21, "", r->nr_holders - shown);
}

static int lockstext_write(FILE *out, const struct export_view *v, struct err *e)
{
	AUTO(locks_free) struct locks *l = NULL;
	struct locks_text x = { .ascii = v->ascii, .o = { .file = out } };
	int r = locks_build(v->snapshot, v->names, &v->query, &l, e);

	if (r < 0)
		return r;
	x.l = l;
	lockstext_put_deadlocks(&x);
	out_format(&x.o, "%10s %10s %10s %10s %8s %4s %13s  %s\n", "total", "count", "longest", "average", "waiters",
		   "now", "handing over", "lock");
	for (uint32_t i = 0; i < l->nr_locks; i++)
		lockstext_put_row(&x, &l->lock[i]);
	return out_end(&x.o, e);
}

const struct exporter exporter_locks = {
	.name = "locks", .extensions = "",
	.about = "locks by the time that they made others wait, with those who held them, and deadlocks",
	.subject = EXPORT_WAITS,
	.write = lockstext_write,
};
