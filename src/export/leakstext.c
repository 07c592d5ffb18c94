/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * leakstext.c - who holds memory, and whether that grows, as text:
 *
 *	in use 40 MB ±4.4 MB in 37,687 blocks, of 1.6 GB allocated in 46.8 s
 *	a block was sampled for each 512 KB
 *
 *	           in use  growth a second    > 10.0 s  verdict                   who allocates
 *	    35 MB ±4.2 MB   805 KB ±115 KB     100.0 %  grows, 99.9 % sure        leak_a > turn > main
 *	   4.5 MB ±1.5 MB     31 KB ±66 KB       0.0 %  plateau                   plateau > turn > main
 *
 * What follows ± is the standard error, which comes of sampling. "> 10.0 s" is the part of its blocks that
 * live longer than that.
 */
#include "config.h"

#include "export/exporter.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "export/memoryhead.h"
#include "export/out.h"
#include "query/leaks.h"

#include <stdio.h>
#include <string.h>

#define COLUMNS 100u
#define PATH_LINES 4u
#define IN_USE_COLUMNS 17
#define GROWTH_COLUMNS 17
#define AGE_COLUMNS 10
#define VERDICT_COLUMNS 26
#define SITE_FROM (IN_USE_COLUMNS + GROWTH_COLUMNS + AGE_COLUMNS + 2u + VERDICT_COLUMNS)
#define ARROW " \xe2\x80\xba "

struct leaks_text {
	const struct leaks *l;
	bool ascii;
	uint64_t age_ms;         /* for which survival is told */
	struct out o;
};

/* BYTES with their ERROR, right-aligned in COLS. */
static void leakstext_put(struct leaks_text *x, int cols, double bytes, double error)
{
	char text[LEAK_FIGURE_MAX];
	const size_t n = strlen(leak_figure(bytes, error, x->ascii, text));

	out_format(&x->o, "%*s%s", cols - (int)text_width(text, n), "", text);
}

static void leakstext_put_row(struct leaks_text *x, const struct leak_site *r)
{
	const struct out_place place = { .between = ARROW, .from = SITE_FROM, .to = COLUMNS, .lines = PATH_LINES,
					 .ascii = x->ascii };
	const struct out_place known = { .between = ARROW, .from = IN_USE_COLUMNS + 2, .to = COLUMNS,
					 .lines = PATH_LINES, .ascii = x->ascii };
	const double live = growth_survival(&r->history, x->age_ms);
	char verdict[LEAK_VERDICT_MAX], label[LABEL_MAX], percent[UNITS_MAX];

	if (r->unfollowed) {
		leakstext_put(x, IN_USE_COLUMNS, (double)r->allocated, r->allocated_error);
		out_text(&x->o, "  ");
		out_parts(&x->o, leak_label(x->l, r, label, sizeof(label)), &known);
		out_text(&x->o, "\n");
		return;
	}
	leakstext_put(x, IN_USE_COLUMNS, (double)r->in_use, r->error);
	leakstext_put(x, GROWTH_COLUMNS, r->growth.per_s, r->growth.error);
	if (live < 0)
		out_format(&x->o, "%*s%s", AGE_COLUMNS - 1, "", x->ascii ? "." : "·");
	else
		out_format(&x->o, "%*s", AGE_COLUMNS, units_percent(percent, live));
	out_format(&x->o, "  %-*s", VERDICT_COLUMNS, leak_verdict(r, verdict));
	out_parts(&x->o, leak_label(x->l, r, label, sizeof(label)), &place);
	out_text(&x->o, "\n");
}

/* The age for which survival is told: of those that people think in the greatest that was seen for long. */
static uint64_t leakstext_age(const struct leaks *l)
{
	static const uint64_t ages_s[] = { 3600, 600, 60, 10, 1 };
	const uint64_t looked = l->all.history.to_ns - l->all.history.from_ns;

	for (size_t i = 0; i < sizeof(ages_s) / sizeof(ages_s[0]); i++)
		if (3 * ages_s[i] * NSEC_PER_SEC <= looked + NSEC_PER_SEC / 2)
			return ages_s[i] * 1000;
	return 100;
}

static void leakstext_put_heads(struct leaks_text *x)
{
	char age[UNITS_MAX];

	if (x->l->all.unfollowed) {
		out_format(&x->o, "%*s  who allocates\n", IN_USE_COLUMNS, "allocated");
		return;
	}
	units_time(age, x->age_ms * NSEC_PER_MSEC);
	out_format(&x->o, "%*s%*s%*s%s  %-*s%s\n", IN_USE_COLUMNS, "in use", GROWTH_COLUMNS, "growth a second",
		   AGE_COLUMNS - (int)strlen(age), "> ", age, VERDICT_COLUMNS, "verdict", "who allocates");
}

static int leakstext_write(FILE *out, const struct export_view *v, struct err *e)
{
	const struct leaks_wish wish = leaks_wish_of(v);
	AUTO(leaks_free) struct leaks *l = NULL;
	struct leaks_text x = { .ascii = v->ascii, .o = { .file = out } };
	const int r = leaks_build(v->snapshot, v->names, &v->query, &wish, &l, e);

	if (r < 0)
		return r;
	x.l = l;
	x.age_ms = leakstext_age(l);
	memoryhead_put(&x.o, l, v);
	if (l->all.grown)
		out_text(&x.o, "blocks were not followed: --format memory says who made memory grow; record with "
			 "--memory=allocs\nfor a verdict\n");
	else if (l->n)
		leakstext_put_heads(&x);
	for (size_t i = 0; !l->all.grown && i < l->n; i++)
		leakstext_put_row(&x, &l->row[i]);
	return out_end(&x.o, e);
}

const struct exporter exporter_leaks = {
	.name = "leaks", .extensions = "",
	.about = "who holds memory (--memory), a line for each site that allocates: what it has in use, by how much "
		"that grows, each with its standard error, how many of its blocks live for long, and a verdict: "
		"grows, plateau, or cannot tell yet",
	.subject = EXPORT_MEMORY, .takes = EXPORT_TAKES_PERCENT | EXPORT_TAKES_AGE,
	.write = leakstext_write,
};
