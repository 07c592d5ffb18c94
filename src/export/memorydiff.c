/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memorydiff.c - the memory of two recordings side by side: what is in use, and of everything and of the sites that
 * differ most, how many blocks there are by size and by age.
 *
 *	before: before.data: in use 4.9 KB in 50 blocks, of 20 KB allocated in 541 ms
 *	after:  after.data: in use 9.8 KB in 100 blocks, of 39 KB allocated in 540 ms
 *
 *	site_kept > main
 *	  in use 4.9 KB before, 9.8 KB after
 *	  blocks allocated, by size           before           after          change
 *	      64 B to 128 B                       50             100             +50
 */
#include "config.h"

#include "export/diff_view.h"

#include "base/order.h"
#include "base/text.h"
#include "base/units.h"
#include "export/memoryhead.h"
#include "export/out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DETAILED 10u
#define TITLE_COLUMNS 36         /* of histograms; and what their rows are called */
#define ROW_COLUMNS (TITLE_COLUMNS - 4)
#define FIGURE_COLUMNS 16
#define PATH_COLUMNS 100u
#define PATH_LINES 4u
#define ARROW " \xe2\x80\xba "

/* A site, on the sides where it is. */
struct memorydiff_pair {
	const struct leak_site *site[DIFF_SIDES];
	uint64_t change;         /* by how many bytes, whichever way */
};

struct memorydiff {
	struct out o;
	const struct diff_view *v;
	struct leaks *l[DIFF_SIDES];
	struct memorydiff_pair *pair;
	size_t n;
	bool known;              /* on both sides, what is in use */
};

static const struct leak_site memorydiff_none;

static const struct leak_site *memorydiff_side(const struct memorydiff_pair *p, int side)
{
	return p->site[side] ? p->site[side] : &memorydiff_none;
}

/* What sites are compared by. */
static uint64_t memorydiff_bytes(const struct memorydiff *x, const struct leak_site *s)
{
	return x->known ? s->in_use : s->allocated;
}

static int cmp_memorydiff(const void *va, const void *vb)
{
	const struct memorydiff_pair *a = va, *b = vb;

	return compare_numbers(b->change, a->change);
}

/* The pair that has the site LABEL before, and none after yet; NULL = there is none. */
static struct memorydiff_pair *memorydiff_find(struct memorydiff *x, const char *label)
{
	char other[LABEL_MAX];

	for (size_t i = 0; i < x->n; i++) {
		struct memorydiff_pair *p = &x->pair[i];

		if (p->site[DIFF_BEFORE] && !p->site[DIFF_AFTER] &&
		    !strcmp(leak_label(x->l[DIFF_BEFORE], p->site[DIFF_BEFORE], other, sizeof(other)), label))
			return p;
	}
	return NULL;
}

/* Sites are one where all of their functions have the same names. */
static bool memorydiff_match(struct memorydiff *x)
{
	const struct leaks *before = x->l[DIFF_BEFORE], *after = x->l[DIFF_AFTER];
	char label[LABEL_MAX];

	x->pair = calloc(before->n + after->n + 1, sizeof(*x->pair));
	if (!x->pair)
		return false;
	for (size_t i = 0; i < before->n; i++)
		x->pair[x->n++].site[DIFF_BEFORE] = &before->row[i];
	for (size_t i = 0; i < after->n; i++) {
		const struct leak_site *site = &after->row[i];
		struct memorydiff_pair *p = memorydiff_find(x, leak_label(after, site, label, sizeof(label)));

		p = p ? p : &x->pair[x->n++];
		p->site[DIFF_AFTER] = site;
	}
	for (size_t i = 0; i < x->n; i++) {
		struct memorydiff_pair *p = &x->pair[i];
		const uint64_t was = memorydiff_bytes(x, memorydiff_side(p, DIFF_BEFORE));
		const uint64_t is = memorydiff_bytes(x, memorydiff_side(p, DIFF_AFTER));

		p->change = is > was ? is - was : was - is;
	}
	qsort(x->pair, x->n, sizeof(*x->pair), cmp_memorydiff);
	return true;
}

/* "+1,200", "-3", or nothing. */
static void memorydiff_put_change(struct memorydiff *x, uint64_t before, uint64_t after)
{
	char number[UNITS_MAX], text[UNITS_MAX + 1];

	if (before == after) {
		out_format(&x->o, "%*s%s\n", FIGURE_COLUMNS - 1, "", x->v->ascii ? "." : "\xc2\xb7");
		return;
	}
	units_thousands(number, after > before ? after - before : before - after);
	snprintf(text, sizeof(text), "%c%s", after > before ? '+' : '-', number);
	out_format(&x->o, "%*s\n", FIGURE_COLUMNS, text);
}

static void memorydiff_put_histogram(struct memorydiff *x, const char *title, const struct leak_amount *before,
				     const struct leak_amount *after, bool times)
{
	unsigned int first[DIFF_SIDES], last[DIFF_SIDES];
	const bool has[DIFF_SIDES] = {
		leak_powers(before, &first[DIFF_BEFORE], &last[DIFF_BEFORE]),
		leak_powers(after, &first[DIFF_AFTER], &last[DIFF_AFTER]),
	};
	const int one = has[DIFF_BEFORE] ? DIFF_BEFORE : DIFF_AFTER, other = has[DIFF_AFTER] ? DIFF_AFTER : DIFF_BEFORE;
	unsigned int from, to;

	if (!has[DIFF_BEFORE] && !has[DIFF_AFTER])
		return;
	from = first[one] < first[other] ? first[one] : first[other];
	to = last[one] > last[other] ? last[one] : last[other];
	out_format(&x->o, "  %-*s%*s%*s%*s\n", TITLE_COLUMNS + 2, title, FIGURE_COLUMNS,
		   diff_view_head(x->v, DIFF_BEFORE), FIGURE_COLUMNS, diff_view_head(x->v, DIFF_AFTER),
		   FIGURE_COLUMNS, "change");
	for (unsigned int p = from; p <= to; p++) {
		char label[LEAK_POWER_MAX], was[UNITS_MAX], is[UNITS_MAX];

		out_format(&x->o, "      %-*s  %*s%*s", ROW_COLUMNS, leak_powers_label(p, p, times, label),
			   FIGURE_COLUMNS, units_thousands(was, before[p].blocks), FIGURE_COLUMNS,
			   units_thousands(is, after[p].blocks));
		memorydiff_put_change(x, before[p].blocks, after[p].blocks);
	}
}

static void memorydiff_put_histograms(struct memorydiff *x, const struct leak_site *before,
				      const struct leak_site *after)
{
	memorydiff_put_histogram(x, before->grown || after->grown ? "what became resident, by size" :
				 "blocks allocated, by size", before->sizes, after->sizes, false);
	if (!x->known)
		return;
	memorydiff_put_histogram(x, "blocks in use, by age", before->ages, after->ages, true);
	memorydiff_put_histogram(x, "blocks freed, by their age", before->lives, after->lives, true);
}

static void memorydiff_put_site(struct memorydiff *x, const struct memorydiff_pair *p)
{
	const int named = p->site[DIFF_AFTER] ? DIFF_AFTER : DIFF_BEFORE;
	const struct leak_site *before = memorydiff_side(p, DIFF_BEFORE), *after = memorydiff_side(p, DIFF_AFTER);
	const struct out_place place = { .between = ARROW, .from = 0, .to = PATH_COLUMNS, .lines = PATH_LINES,
					 .ascii = x->v->ascii };
	char label[LABEL_MAX], was[LEAK_FIGURE_MAX], is[LEAK_FIGURE_MAX];

	out_text(&x->o, "\n");
	out_parts(&x->o, leak_label(x->l[named], p->site[named], label, sizeof(label)), &place);
	leak_figure((double)memorydiff_bytes(x, before), x->known ? before->error : before->allocated_error,
		    x->v->ascii, was);
	leak_figure((double)memorydiff_bytes(x, after), x->known ? after->error : after->allocated_error,
		    x->v->ascii, is);
	out_format(&x->o, "\n  %s %s %s, %s %s\n", x->known ? "in use" : before->grown || after->grown ?
		   "became resident" : "allocated", was, diff_view_head(x->v, DIFF_BEFORE), is,
		   diff_view_head(x->v, DIFF_AFTER));
	memorydiff_put_histograms(x, before, after);
}

static void memorydiff_write_all(struct memorydiff *x)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		char name[LABEL_MAX];

		text_sanitise(name, sizeof(name), x->v->name[side], strlen(x->v->name[side]));
		out_format(&x->o, "%s: %s: ", diff_view_head(x->v, side), name);
		memoryhead_put(&x->o, x->l[side], x->v->of[side]);
	}
	out_text(&x->o, "all sites\n");
	memorydiff_put_histograms(x, &x->l[DIFF_BEFORE]->all, &x->l[DIFF_AFTER]->all);
	for (size_t i = 0; i < x->n && i < DETAILED; i++)
		if (x->pair[i].change)
			memorydiff_put_site(x, &x->pair[i]);
}

int export_diff_memory(FILE *out, const struct diff_view *v, struct err *e)
{
	struct memorydiff x = { .o = { .file = out }, .v = v };
	int r = 0;

	if (!v->of[DIFF_BEFORE] || !v->of[DIFF_AFTER])
		return err_set(e, EINVAL, "memory is compared of two recordings, not of calls within one");
	for (int side = 0; side < DIFF_SIDES && r >= 0; side++) {
		const struct export_view *of = v->of[side];
		const struct leaks_wish wish = leaks_wish_of(of);

		r = leaks_build(of->snapshot, of->names, &of->query, &wish, &x.l[side], e);
	}
	x.known = r >= 0 && !x.l[DIFF_BEFORE]->all.unfollowed && !x.l[DIFF_AFTER]->all.unfollowed;
	if (r >= 0 && !memorydiff_match(&x))
		r = err_nomem(e, "the comparison of memory");
	if (r >= 0) {
		memorydiff_write_all(&x);
		r = out_end(&x.o, e);
	}
	free(x.pair);
	leaks_free(x.l[DIFF_BEFORE]);
	leaks_free(x.l[DIFF_AFTER]);
	return r;
}
