/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * leakstext.c - who holds memory, and whether that grows, as text:
 *
 *	in use 40 MB ±4.4 MB in 37,687 blocks, of 1.6 GB allocated in 46.8 s; a block was sampled for each 512 KB
 *
 *	           in use    growth a second   > 10.0 s  verdict                        who allocates
 *	     35 MB ±4.2 MB   805 KB ±115 KB     100.0 %  grows, 99.9 % sure             leak_a > turn > main
 *	    4.5 MB ±1.5 MB     31 KB ±66 KB       0.0 %  plateau                        plateau > turn > main
 *
 * What follows ± is the standard error, which comes of sampling. "> 10.0 s" is the part of its blocks that
 * live longer than that.
 */
#include "config.h"

#include "export/exporter.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "export/out.h"
#include "query/leaks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COLUMNS 140u
#define PATH_LINES 3u
#define SITE_FROM 79u
#define VERDICT_COLUMNS 32
#define ARROW " \xe2\x80\xba "
#define FIGURE_MAX 64

struct leaks_text {
	const struct leaks *l;
	bool ascii;
	bool unfollowed;         /* what is in use is not known */
	uint64_t age_ms;         /* for which survival is told */
	struct out o;
};

/* "12.4 MB ±0.6 MB", or without error where there is none. */
static void leakstext_figure(const struct leaks_text *x, double bytes, double error, char dst[FIGURE_MAX])
{
	char of[UNITS_MAX], off[UNITS_MAX];

	units_bytes(of, (uint64_t)fabs(bytes));
	units_bytes(off, (uint64_t)error);
	snprintf(dst, FIGURE_MAX, error >= 1 ? "%s%s %s%s" : "%s%s", bytes <= -1 ? "-" : "", of, x->ascii ? "+-" : "±",
		 off);
}

/* TEXT, in which ± is one column, right-aligned in COLS. */
static void leakstext_put(struct leaks_text *x, int cols, const char *text)
{
	const int wide = (int)strlen(text) - (strstr(text, "±") ? 1 : 0);

	out_format(&x->o, "%*s%s", cols - wide, "", text);
}

static void leakstext_put_row(struct leaks_text *x, const struct leak_site *r)
{
	const struct out_place place = { .between = ARROW, .from = SITE_FROM, .to = COLUMNS, .lines = PATH_LINES,
					 .ascii = x->ascii };
	const struct out_place known = { .between = ARROW, .from = 19, .to = COLUMNS, .lines = PATH_LINES,
					 .ascii = x->ascii };
	const double live = growth_survival(&r->history, x->age_ms);
	char text[FIGURE_MAX], verdict[LEAK_VERDICT_MAX], label[LABEL_MAX], percent[UNITS_MAX];

	if (x->unfollowed) {
		out_format(&x->o, "%17s  ", units_bytes(text, r->allocated));
		out_parts(&x->o, leak_label(x->l, r, label, sizeof(label)), &known);
		out_text(&x->o, "\n");
		return;
	}
	leakstext_figure(x, (double)r->in_use, r->error, text);
	leakstext_put(x, 17, text);
	leakstext_figure(x, r->growth.per_s, r->growth.error, text);
	leakstext_put(x, 19, text);
	if (live < 0)
		out_format(&x->o, "%*s%s", 9, "", x->ascii ? "." : "·");
	else
		out_format(&x->o, "%10s", units_percent(percent, live));
	out_format(&x->o, "  %-*s", VERDICT_COLUMNS - 1, leak_verdict(r, verdict));
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

static void leakstext_put_head(struct leaks_text *x, const struct profile_meta *m)
{
	const struct leak_site *all = &x->l->all;
	char text[FIGURE_MAX], blocks[UNITS_MAX], of[UNITS_MAX], took[UNITS_MAX], age[UNITS_MAX];

	if (m->mem_unfollowed_ns) {
		out_format(&x->o, "%s allocated in %s. Blocks were not followed since %s: calls cost more than "
			   "--budget, so what is in use is not known\n\n%17s  who allocates\n",
			   units_bytes(of, all->allocated),
			   units_time(took, all->history.to_ns - all->history.from_ns),
			   units_time(age, m->mem_unfollowed_ns), "allocated");
		return;
	}
	leakstext_figure(x, (double)all->in_use, all->error, text);
	out_format(&x->o, "in use %s in %s blocks, of %s allocated in %s", text, units_thousands(blocks, all->blocks),
		   units_bytes(of, all->allocated),
		   units_time(took, all->history.to_ns - all->history.from_ns));
	if (m->mem_interval > 1)
		out_format(&x->o, "; a block was sampled for each %s", units_bytes(of, m->mem_interval));
	if (all->leaked)
		out_format(&x->o, "\n%s of it when its process ended", units_bytes(of, all->leaked));
	units_time(age, x->age_ms * NSEC_PER_MSEC);
	out_format(&x->o, "\n\n%17s%19s%*s%s  %-*s%s\n", "in use", "growth a second", 10 - (int)strlen(age), "> ", age,
		   VERDICT_COLUMNS - 1, "verdict", "who allocates");
}

static int leakstext_write(FILE *out, const struct export_view *v, struct err *e)
{
	const struct leaks_wish wish = {
		.from_ns = v->meta->start_mono_ns, .to_ns = v->meta->start_mono_ns + v->meta->duration_ns,
		.older_ns = v->older_ns, .min_bytes = v->min_bytes, .min_percent = v->min_percent,
	};
	AUTO(leaks_free) struct leaks *l = NULL;
	struct leaks_text x = { .ascii = v->ascii, .o = { .file = out } };
	const int r = leaks_build(v->snapshot, v->names, &v->query, &wish, &l, e);

	if (r < 0)
		return r;
	x.l = l;
	if (!l->n) {
		out_text(&x.o, "no memory was followed: record with --memory=allocs\n");
		return out_end(&x.o, e);
	}
	x.unfollowed = v->meta->mem_unfollowed_ns;
	x.age_ms = leakstext_age(l);
	leakstext_put_head(&x, v->meta);
	for (size_t i = 0; i < l->n; i++)
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
