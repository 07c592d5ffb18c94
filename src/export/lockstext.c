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
#include "export/lockstext.h"

#include "base/cleanup.h"
#include "export/out.h"
#include "export/waitchain.h"
#include "query/lockcolumns.h"
#include "query/locks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct locks_text {
	const struct locks *l;
	bool ascii;
	struct out o;
};

static void lockstext_thread(void *ctx, FILE *f, uint32_t tid)
{
	const struct locks_text *x = ctx;
	char label[LABEL_MAX];

	fputs(lock_thread_label(x->l, tid, label, sizeof(label)), f);
}

static void lockstext_what(void *ctx, FILE *f, size_t wait)
{
	const struct locks_text *x = ctx;
	char label[LABEL_MAX];

	fputs(lock_label(x->l, x->l->of[wait].lock, label, sizeof(label)), f);
}

static const char *lockstext_by(void *ctx, size_t wait)
{
	const struct locks_text *x = ctx;

	return lock_held_words(x->l, wait);
}

static void lockstext_holder(void *ctx, FILE *f, uint32_t tid)
{
	(void)ctx;
	(void)tid;
	fputs("waits for no lock", f);
}

void lockstext_deadlocks(FILE *out, const struct locks *l, bool ascii)
{
	struct locks_text x = { .l = l, .ascii = ascii, .o = { .file = out } };
	const struct waitchain c = { .wait = l->wait, .n = l->nr_waits, .thread = lockstext_thread,
				     .what = lockstext_what, .by = lockstext_by, .holder = lockstext_holder,
				     .ctx = &x };

	if (waitchain_print_cycles(&c, out))
		out_text(&x.o, "\n");
}

static void lockstext_put_stack(struct locks_text *x, stack_id stack, bool takes)
{
	char label[LABEL_MAX];

	out_label(&x->o, locks_stack_label(x->l, stack, takes, label, sizeof(label)), x->ascii);
}

/* The figures of R, a lock or what is KNOWN of a holder: only the first KNOWN columns. */
static void lockstext_put_figures(struct locks_text *x, const struct lock_row *r, size_t known)
{
	for (size_t c = 0; c < LOCK_COLUMNS; c++) {
		const struct list_figure figure = lock_columns[c].figure(r);

		if (c >= known)
			out_format(&x->o, "%*s", (int)lock_columns[c].text_cols, "");
		else if (figure.unit == LIST_NONE)
			out_format(&x->o, "%*s%s", (int)lock_columns[c].text_cols - 1, "", x->ascii ? "." : "·");
		else
			out_figure(&x->o, lock_columns[c].text_cols, &figure);
	}
	out_text(&x->o, known < LOCK_COLUMNS ? "    " : "  ");
}

/* A line of its own, below what it is about. */
static void lockstext_put_remark(struct locks_text *x, const char *text)
{
	if (!*text)
		return;
	lockstext_put_figures(x, &(struct lock_row){ 0 }, 0);
	out_format(&x->o, "%s\n", text);
}

static void lockstext_put_holder(struct locks_text *x, const struct lock_holder *h)
{
	char label[LABEL_MAX];

	lockstext_put_figures(x, &(struct lock_row){ .ns = h->ns, .count = h->count }, LOCK_COLUMN_COUNT + 1);
	out_text(&x->o, lock_holder_label(x->l, h, label, sizeof(label)));
	if (h->how != HOLDER_UNKNOWN) {
		out_text(&x->o, ": ");
		lockstext_put_stack(x, h->stack, false);
	}
	out_text(&x->o, "\n");
	lockstext_put_remark(x, lock_inversion_label(h, label, sizeof(label)));
}

static void lockstext_put_row(struct locks_text *x, uint32_t lock)
{
	const struct lock_row *r = &x->l->lock[lock];
	uint32_t shown = r->nr_holders < LOCKSTEXT_HOLDERS ? r->nr_holders : LOCKSTEXT_HOLDERS;
	char label[LABEL_MAX];

	lockstext_put_figures(x, r, LOCK_COLUMNS);
	out_text(&x->o, lock_label(x->l, lock, label, sizeof(label)));
	if (*lock_place_label(x->l->dict, x->l->names, r->place, r->offset, label, sizeof(label)))
		out_format(&x->o, " (0x%" PRIx64 ")", r->address);
	out_text(&x->o, ": ");
	lockstext_put_stack(x, r->stack, true);
	out_text(&x->o, "\n");
	lockstext_put_remark(x, lock_convoy_label(x->l, lock, label, sizeof(label)));
	/* That nobody is known to hold what has no holder need not be said. */
	if (!locks_has_holders(x->l, lock))
		return;
	for (uint32_t i = 0; i < shown; i++)
		lockstext_put_holder(x, &x->l->holder[r->first_holder + i]);
	if (r->nr_holders > shown) {
		lockstext_put_figures(x, &(struct lock_row){ 0 }, 0);
		out_format(&x->o, "and %" PRIu32 " more holders\n", r->nr_holders - shown);
	}
}

static int lockstext_write(FILE *out, const struct export_view *v, struct err *e)
{
	AUTO(locks_free) struct locks *l = NULL;
	struct locks_text x = { .ascii = v->ascii, .o = { .file = out } };
	int r = locks_build(v->snapshot, v->names, &v->query, &l, e);

	if (r < 0)
		return r;
	x.l = l;
	lockstext_deadlocks(out, l, v->ascii);
	for (size_t c = 0; c < LOCK_COLUMNS; c++)
		out_format(&x.o, "%*s", (int)lock_columns[c].text_cols, lock_columns[c].text_head);
	out_text(&x.o, "  lock\n");
	for (uint32_t i = 0; i < l->nr_locks; i++)
		lockstext_put_row(&x, i);
	return out_end(&x.o, e);
}

const struct exporter exporter_locks = {
	.name = "locks", .extensions = "",
	.about = "locks by the time that they made others wait, with those who held them, and deadlocks",
	.subject = EXPORT_WAITS,
	.write = lockstext_write,
};
