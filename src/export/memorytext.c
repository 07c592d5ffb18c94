/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memorytext.c - the sites that allocate memory, as text: a line for each, and below these, for those
 * with most in use, how large their blocks are, how long they live, and which threads allocate them.
 *
 *	in use 24 MB ±889 KB in 185,096 blocks, of 372 MB allocated in 12.1 s
 *	a block was sampled for each 32 KB
 *
 *	    in use       +-  allocated   churn/s   growth/s     blocks  verdict  who allocates
 *	     12 MB   620 KB      12 MB         ·     995 KB     92,160    grows  leak_fast > turn > work
 *	         ·        ·     347 MB     29 MB          ·          ·    freed  churn > turn > work
 *
 *	leak_fast > turn > work
 *	  grows, 100.0 % sure, by 995 KB ±63 KB a second
 *	  threads: leaks 4711 120 KB, leaks 4712 96 KB, 198 others
 *	  blocks allocated, by size
 *	      128 B to 256 B            92,160  ########################################
 */
#include "config.h"

#include "export/exporter.h"

#include "base/clock.h"
#include "base/units.h"
#include "export/memoryhead.h"
#include "export/out.h"
#include "query/leaks.h"
#include "query/memorycolumns.h"
#include "query/memorysizes.h"

#include <stdio.h>
#include <string.h>

#define COLUMNS 100u
#define PATH_LINES 4u
#define LABEL_COLUMNS 22
#define DETAILED 10u             /* sites with more than a line */
#define ARROW " \xe2\x80\xba "

struct memory_text {
	const struct leaks *l;
	const struct list_column *columns;
	bool ascii;
	struct out o;
};

static void memorytext_put_heads(struct memory_text *x)
{
	for (size_t c = 0; c < MEMORY_COLUMNS; c++)
		if (x->columns[c].text_head)
			out_format(&x->o, "%*s", (int)x->columns[c].text_cols, x->columns[c].text_head);
	out_text(&x->o, x->l->all.grown ? "  who made it grow\n" : "  who allocates\n");
}

static void memorytext_put_row(struct memory_text *x, const struct leak_site *r)
{
	struct out_place place = { .between = ARROW, .from = 2, .to = COLUMNS, .lines = PATH_LINES,
				   .ascii = x->ascii };
	char label[LABEL_MAX];

	for (size_t c = 0; c < MEMORY_COLUMNS; c++) {
		const struct list_figure figure = x->columns[c].figure(r);

		place.from += x->columns[c].text_head ? x->columns[c].text_cols : 0;
		if (!x->columns[c].text_head)
			continue;
		if (figure.unit == LIST_NONE)
			out_format(&x->o, "%*s%s", (int)x->columns[c].text_cols - 1, "", x->ascii ? "." : "·");
		else
			out_figure(&x->o, x->columns[c].text_cols, &figure);
	}
	out_text(&x->o, "  ");
	out_parts(&x->o, leak_label(x->l, r, label, sizeof(label)), &place);
	out_text(&x->o, "\n");
}

static void memorytext_put_histogram(struct memory_text *x, const char *title,
				     const struct leak_amount hist[OCTAVE_POWERS], bool times)
{
	unsigned int first, last;
	uint64_t most = 0;

	if (!leak_powers(hist, &first, &last))
		return;
	out_format(&x->o, "  %s\n", title);
	for (unsigned int p = first; p <= last; p++)
		most = hist[p].blocks > most ? hist[p].blocks : most;
	for (unsigned int p = first; p <= last; p++) {
		char label[LEAK_POWER_MAX], count[UNITS_MAX];

		out_format(&x->o, "      %-*s %15s%s", LABEL_COLUMNS, leak_powers_label(p, p, times, label),
			   units_thousands(count, hist[p].blocks), hist[p].blocks ? "  " : "");
		out_bar(&x->o, hist[p].blocks, most, x->ascii);
		out_text(&x->o, "\n");
	}
}

static void memorytext_put_threads(struct memory_text *x, const struct leak_site *r)
{
	const struct out_place place = { .between = ", ", .from = 11, .to = COLUMNS, .lines = PATH_LINES,
					 .ascii = x->ascii };
	char label[LABEL_MAX];

	if (!r->threads)
		return;
	out_text(&x->o, "  threads: ");
	out_parts(&x->o, leak_threads_label(x->l, r, label, sizeof(label)), &place);
	out_text(&x->o, "\n");
}

static void memorytext_put_site(struct memory_text *x, const struct leak_site *r)
{
	const struct out_place place = { .between = ARROW, .from = 0, .to = COLUMNS, .lines = PATH_LINES,
					 .ascii = x->ascii };
	char label[LABEL_MAX], verdict[LEAK_VERDICT_MAX], by[LEAK_FIGURE_MAX];

	out_text(&x->o, "\n");
	out_parts(&x->o, leak_label(x->l, r, label, sizeof(label)), &place);
	out_text(&x->o, "\n");
	if (!r->unfollowed)
		out_format(&x->o, "  %s", leak_verdict(r, verdict));
	if ((r->grown || !r->unfollowed) && r->growth.error > 0)
		out_format(&x->o, "%s by %s a second", r->grown ? "  grows" : ",",
			   leak_figure(r->growth.per_s, r->growth.error, x->ascii, by));
	out_text(&x->o, r->unfollowed && !r->grown ? "" : "\n");
	memorytext_put_threads(x, r);
	memorytext_put_histogram(x, r->grown ? "what became resident, by size" : "blocks allocated, by size", r->sizes,
				 false);
	if (r->unfollowed)
		return;
	memorytext_put_histogram(x, "blocks in use, by age", r->ages, true);
	memorytext_put_histogram(x, "blocks freed, by the age that they had", r->lives, true);
}

/* "resident 134 MB at last, 150 MB at most: anonymous 120 MB, files 14 MB", and by kind of mapping. */
static void memorytext_put_sizes(struct memory_text *x, const struct memory_history *h)
{
	const struct memory_sizes *last = h->moment.n ? &h->moment.v[h->moment.n - 1].sizes : NULL;
	char text[UNITS_MAX], most_text[UNITS_MAX];
	const char *before = "";
	uint64_t most = 0;

	if (!last)
		return;
	for (size_t i = 0; i < h->moment.n; i++)
		most = h->moment.v[i].most > most ? h->moment.v[i].most : most;
	out_format(&x->o, "resident %s at last, %s at most\n", units_bytes(text, memory_resident(last)),
		   units_bytes(most_text, most));
	for (unsigned int i = 0; i < SIZE_NR; i++) {
		if (i == SIZE_MAPPINGS) {
			out_text(&x->o, *before ? "\n" : "");
			before = "";
		}
		if (!last->bytes[i])
			continue;
		out_format(&x->o, "%s%s %s", *before ? before : i < SIZE_MAPPINGS ? "  " : "  by mapping: ",
			   memory_size_word(i)->name, units_bytes(text, last->bytes[i]));
		before = ", ";
	}
	out_text(&x->o, *before ? "\n\n" : "\n");
}

static int memorytext_write(FILE *out, const struct export_view *v, struct err *e)
{
	const struct leaks_wish wish = leaks_wish_of(v);
	AUTO(leaks_free) struct leaks *l = NULL;
	struct memory_text x = { .ascii = v->ascii, .o = { .file = out } };
	AUTO(memory_history_free) struct memory_history *h = NULL;
	int r = leaks_build(v->snapshot, v->names, &v->query, &wish, &l, e);

	if (r < 0)
		return r;
	r = memory_history_build(v->snapshot, v->names, &v->query, &h, e);
	if (r < 0)
		return r;
	x.l = l;
	memorytext_put_sizes(&x, h);
	x.columns = l->all.grown ? grown_columns : memory_columns;
	memoryhead_put(&x.o, l, v);
	if (l->n)
		memorytext_put_heads(&x);
	for (size_t i = 0; i < l->n; i++)
		memorytext_put_row(&x, &l->row[i]);
	for (size_t i = 0; i < l->n && i < DETAILED; i++)
		memorytext_put_site(&x, &l->row[i]);
	return out_end(&x.o, e);
}

const struct exporter exporter_memory = {
	.name = "memory", .extensions = "",
	.about = "memory (--memory): a line for each site that allocates, with what it has in use and the standard "
		"error of that, what it allocated, how much of that it frees again in a second, how it grows, and a "
		"verdict; below these, for those with most in use, histograms of the sizes of blocks and of their "
		"ages, of those in use and when others were freed, and the threads that allocate. --format json has "
		"the same",
	.subject = EXPORT_MEMORY, .takes = EXPORT_TAKES_PERCENT | EXPORT_TAKES_AGE,
	.write = memorytext_write,
	.diff = {
		.about = "memory (--memory) that is in use and was allocated before and after, and of everything and "
			"of the ten sites that differ most histograms of the sizes and ages of blocks side by side, "
			"as numbers of blocks",
		.measures = MEASURE_BIT(MEASURE_ALLOCATED), .of_sides = true,
		.write = export_diff_memory,
	},
};
