/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probestext.c - the probes of a capture, as text:
 *
 *	       hits      per s         total      mean       p50       p99   longest  probe
 *	      1,000      166.7        203 ms    203 us   ~195 us   ~254 us    412 us  call:timed:slow
 *	      5,000      833.3    12,497,500     2,499         ·         ·         ·  uprobe:asked:counted sum(arg0)
 *
 *	call:timed:slow
 *	  placed at 1 site in 1 process
 *	  a hit costs its program up to 2.30 us
 *	      128 us to 256 us            987  ########################################
 *	      256 us to 512 us             13  #
 *	  longest 412 us, timed 4711:
 *	      slow > act > main > __libc_start_main > _start
 *
 * First a line for each probe, in the order in which they were asked for. Then, for each one, where it is
 * placed, or why not; and, if it takes time, how many of its calls took how long, and the stack of the
 * longest. ~ stands before what follows from the histogram alone.
 */
#include "config.h"

#include "export/exporter.h"

#include "base/cleanup.h"
#include "base/units.h"
#include "export/out.h"
#include "query/probecolumns.h"
#include "query/probereport.h"

#include <stdio.h>
#include <string.h>

#define LABEL_COLUMNS 22
#define COLUMNS 100u
#define PATH_LINES 8u
#define PATH_FROM 6u
#define ARROW " \xe2\x80\xba "

struct probes_text {
	const struct probe_report *p;
	bool ascii;
	struct out o;
};

static void probestext_put_heads(struct probes_text *x)
{
	for (size_t c = 0; c < PROBE_COLUMNS; c++)
		out_format(&x->o, "%*s", (int)probe_columns[c].text_cols, probe_columns[c].text_head);
	out_text(&x->o, "  probe\n");
}

static void probestext_put_row(struct probes_text *x, const struct probe_row *r)
{
	for (size_t c = 0; c < PROBE_COLUMNS; c++) {
		const struct list_figure figure = probe_columns[c].figure(r);

		if (figure.unit == LIST_NONE)
			out_format(&x->o, "%*s%s", (int)probe_columns[c].text_cols - 1, "", x->ascii ? "." : "·");
		else
			out_figure(&x->o, probe_columns[c].text_cols, &figure);
	}
	out_format(&x->o, "  %s\n", r->measure->name);
}

static void probestext_put_histogram(struct probes_text *x, const struct probe_row *r)
{
	unsigned int first, last;
	uint64_t most = 0;

	if (!probe_buckets(r, &first, &last))
		return;
	for (unsigned int b = first; b <= last; b++)
		most = r->hist[b] > most ? r->hist[b] : most;
	for (unsigned int b = first; b <= last; b++) {
		char label[PROBE_BUCKET_MAX], count[UNITS_MAX];

		out_format(&x->o, "      %-*s %15s%s", LABEL_COLUMNS, probe_bucket_label(b, label),
			   units_thousands(count, r->hist[b]), r->hist[b] ? "  " : "");
		out_bar(&x->o, r->hist[b], most, x->ascii);
		out_text(&x->o, "\n");
	}
}

static void probestext_put_longest(struct probes_text *x, const struct probe_row *r)
{
	const struct out_place place = { .between = ARROW, .from = PATH_FROM, .to = COLUMNS, .lines = PATH_LINES,
					 .ascii = x->ascii };
	const struct list_figure longest = probe_columns[PROBE_COLUMN_LONGEST].figure(r);
	char text[UNITS_MAX], label[LABEL_MAX];

	out_format(&x->o, "  longest %s", list_figure_text(&longest, text));
	if (*probe_thread_label(x->p, r->longest_thread, label, sizeof(label)))
		out_format(&x->o, ", %s", label);
	out_format(&x->o, ":\n%*s", (int)PATH_FROM, "");
	out_parts(&x->o, probe_stack_label(x->p, r->longest_stack, label, sizeof(label)), &place);
	out_text(&x->o, "\n");
}

static void probestext_put_values(struct probes_text *x, const struct probe_row *r)
{
	char words[PROBE_WORDS_MAX];

	if (!*probe_seen_label(r, words))
		return;
	out_format(&x->o, "  %s:\n", words);
	for (uint32_t i = 0; i < r->note.seen.n; i++)
		out_format(&x->o, "    %-12s %s\n", r->note.seen.list[i].name, probe_values_label(r, i, ", ", words));
}

/* Where it is placed, what a hit costs, and what has not ended. */
static void probestext_put_note(struct probes_text *x, const struct probe_row *r)
{
	char words[PROBE_WORDS_MAX], text[UNITS_MAX];

	if (*probe_places_label(r, ", ", words))
		out_format(&x->o, "  %s\n", words);
	for (uint32_t i = 0; i < r->note.nr_unseen; i++)
		out_format(&x->o, "    %s\n", probe_unseen_label(r, i, words));
	for (uint32_t i = 0; i < r->note.nr_spells; i++)
		out_format(&x->o, "  %s\n", probe_spell_label(x->p, r, i, words));
	if (*probe_lost_label(r, ", ", words))
		out_format(&x->o, "  %s\n", words);
	probestext_put_values(x, r);
	if (r->note.cost_ns && r->note.places.sites)
		out_format(&x->o, "  a hit costs its program up to %s\n", units_time(text, r->note.cost_ns));
	else if (r->note.cost_ns)
		out_format(&x->o, "  a hit costs %s\n", units_time(text, r->note.cost_ns));
	if (r->note.own_ns && r->hits)
		out_format(&x->o, "  own cost of the probe: %s taken off each call\n",
			   units_time(text, r->note.own_ns));
	if (*probe_open_label(r, ", ", words))
		out_format(&x->o, "  %s\n", words);
}

static void probestext_put_probe(struct probes_text *x, const struct probe_row *r)
{
	const struct probe_note *n = &r->note;
	const bool calls = r->timed && r->hits;
	char words[PROBE_WORDS_MAX];

	if (!calls && !n->seen.n && !*probe_lost_label(r, "", words) && !n->places.sites && !n->places.failed &&
	    !n->why[0] && !n->open.calls && !n->cost_ns)
		return;
	out_format(&x->o, "\n%s\n", r->measure->name);
	probestext_put_note(x, r);
	if (!calls)
		return;
	probestext_put_histogram(x, r);
	probestext_put_longest(x, r);
}

/* A recording may not know it of each probe: NS is the most of all. */
static void probestext_put_own(struct probes_text *x, uint64_t ns)
{
	char text[UNITS_MAX];
	bool said = !ns;

	for (uint32_t i = 0; i < x->p->n; i++)
		said |= x->p->row[i].note.own_ns;
	if (!said)
		out_format(&x->o, "\nown cost of the probes: up to %s taken off each call\n", units_time(text, ns));
}

static int probestext_write(FILE *out, const struct export_view *v, struct err *e)
{
	AUTO(probe_report_free) struct probe_report *p = NULL;
	struct probes_text x = { .ascii = v->ascii, .o = { .file = out } };
	int r = probe_report_build(v->snapshot, v->names, &v->query, &p, e);

	if (r < 0)
		return r;
	probe_report_bound(p, v->meta->duration_ns, v->meta);
	x.p = p;
	if (!p->n)
		out_text(&x.o, "no probe was placed\n");
	else
		probestext_put_heads(&x);
	for (uint32_t i = 0; i < p->n; i++)
		probestext_put_row(&x, &p->row[i]);
	for (uint32_t i = 0; i < p->n; i++)
		probestext_put_probe(&x, &p->row[i]);
	probestext_put_own(&x, v->meta->probe_own_ns);
	return out_end(&x.o, e);
}

const struct exporter exporter_probes = {
	.name = "probes", .extensions = "",
	.about = "the probes that were placed (--probe), a line each: hits, time or sum of values, mean, percentiles; "
		"below that where each is placed, or why not, the values that arguments had most often, a histogram of "
		"how long calls took, and the stack of the longest one",
	.subject = EXPORT_PROBES,
	.write = probestext_write,
};
