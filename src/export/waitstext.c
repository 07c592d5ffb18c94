/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * waitstext.c - what threads wait for, as text:
 *
 *	                                                 10us  1ms    100ms  10s
 *	     total      count    longest    average   1us   100us  10ms  1s
 *	    8.12 s      1,300     1.20 s    6.25 ms   ▂   ▇█▃     ▂      ▁       all waits
 *	    7.12 s      1,200     1.20 s    5.93 ms       ▇█▃     ▂      ▁         lock
 *	    7.12 s      1,200     1.20 s    5.93 ms       ▇█▃     ▂      ▁           futex
 *	    7.12 s      1,200     1.20 s    5.93 ms       ▇█▃     ▂      ▁             take › worker
 *	    7.12 s      1,200     1.20 s    5.93 ms       ▇█▃     ▂      ▁               woken by app 12: give › main
 *	   ~1.00 s        100     100 ms    10.0 ms   █                            I/O
 *
 *	still waiting
 *	    12.3 s  worker 4711              futex             take › worker › start_thread
 *	            7 threads that idle, the longest for 2h00
 *
 * Each column of the histogram is a power of two of length; a block is as high as its share of the highest in its line.
 */
#include "config.h"

#include "export/exporter.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "base/units.h"
#include "export/out.h"
#include "query/pressure_text.h"
#include "query/waitcolumns.h"
#include "query/waits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COLUMNS 28u              /* of the histogram: the last is for a minute and more */
#define LEVELS 8u                /* heights of a block */
#define THREAD_COLUMNS 24u
#define CALL_COLUMNS 16u

static const enum wait_column order[] = { WAIT_COLUMN_TOTAL, WAIT_COLUMN_COUNT, WAIT_COLUMN_LONGEST,
					  WAIT_COLUMN_AVERAGE };
#define NR_COLUMNS (sizeof(order) / sizeof(order[0]))

struct waits_text {
	const struct waits *w;
	bool ascii;
	struct out o;
};

/* TEXT padded to COLUMNS. */
static void put_padded(struct waits_text *x, const char *text, size_t columns)
{
	const size_t width = text_width(text, strlen(text));

	out_format(&x->o, "%s%*s", text, width < columns ? (int)(columns - width) : 0, "");
}

/* The heads of all columns before the histogram; blanks in their place unless SHOWN. */
static void waitstext_put_heads(struct waits_text *x, bool shown)
{
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		const struct list_column *c = &wait_columns[order[i]];

		out_format(&x->o, "%*s", (int)c->text_cols, shown ? c->text_head : "");
	}
	out_text(&x->o, "  ");
}

/* Two lines, so that neighbours have room. */
static void waitstext_put_scale(struct waits_text *x)
{
	static const struct { uint64_t ns; const char *text; } marks[] = {
		{ 1000, "1us" }, { 10000, "10us" }, { 100000, "100us" }, { 1000000, "1ms" }, { 10000000, "10ms" },
		{ 100000000, "100ms" }, { 1000000000, "1s" }, { 10000000000, "10s" },
	};

	for (unsigned int line = 0; line < 2; line++) {
		unsigned int at = 0;

		waitstext_put_heads(x, line);
		for (unsigned int i = !line; i < sizeof(marks) / sizeof(marks[0]); i += 2) {
			const unsigned int column = wait_bucket(marks[i].ns);

			out_format(&x->o, "%*s%s", (int)(column - at), "", marks[i].text);
			at = column + (unsigned int)strlen(marks[i].text);
		}
		out_text(&x->o, "\n");
	}
}

static void put_histogram(struct waits_text *x, const uint64_t hist[WAIT_BUCKETS])
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const plain[] = { " ", ".", ":", "-", "=", "+", "*", "%", "#" };
	uint64_t n[COLUMNS] = { 0 }, most = 1;

	for (unsigned int i = 0; i < WAIT_BUCKETS; i++)
		n[i < COLUMNS ? i : COLUMNS - 1] += hist[i];
	for (unsigned int i = 0; i < COLUMNS; i++)
		most = n[i] > most ? n[i] : most;
	for (unsigned int i = 0; i < COLUMNS; i++) {
		const unsigned int level = n[i] ? 1 + (unsigned int)((double)n[i] / (double)most * (LEVELS - 1)) : 0;

		out_text(&x->o, (x->ascii ? plain : blocks)[level]);
	}
}

/* Rows of nodes are there only when asked for. */
static unsigned int waitstext_depth(const struct waits_text *x, const struct wait_row *r)
{
	return r->level > WAIT_LEVEL_NODE && !x->w->query.by_node ? r->level - 1u : r->level;
}

static void waitstext_put_row(struct waits_text *x, uint32_t i)
{
	const struct wait_row *r = &x->w->row[i];
	char text[UNITS_MAX], label[LABEL_MAX];

	for (size_t c = 0; c < NR_COLUMNS; c++) {
		const struct list_figure figure = wait_columns[order[c]].figure(r);

		out_figure(&x->o, wait_columns[order[c]].text_cols, &figure);
	}
	out_text(&x->o, "  ");
	put_histogram(x, r->hist);
	out_format(&x->o, "  %*s%s", (int)(2 * waitstext_depth(x, r)), "",
		   r->level == WAIT_LEVEL_WAKER ? "woken by " : "");
	out_label(&x->o, wait_row_label(x->w, i, label, sizeof(label)), x->ascii);
	if (r->level == WAIT_LEVEL_WAKER && r->stack != STACK_ROOT) {
		out_text(&x->o, ": ");
		out_label(&x->o, wait_stack_label(x->w, r->stack, label, sizeof(label)), x->ascii);
	}
	if (r->level == WAIT_LEVEL_STACK && r->open_ns)
		out_format(&x->o, "  open: %s", units_time(text, r->open_ns));
	out_text(&x->o, "\n");
}

/* "12.3 s", "> 12.3 s" for a wait whose beginning nobody saw. */
static void put_waited(struct waits_text *x, const struct wait_open *w)
{
	char text[UNITS_MAX], both[UNITS_MAX + 2];

	units_time(text, w->waited_ns < 1e19 ? (uint64_t)w->waited_ns : UINT64_MAX);
	snprintf(both, sizeof(both), "%s%s", w->flags & EVENT_F_EARLIER ? ">" : "", text);
	out_format(&x->o, "%10s  ", both);
}

static void waitstext_put_open(struct waits_text *x, const struct wait_open *w)
{
	const struct thread *t = dict_get_thread(x->w->dict, w->thread);
	const struct strtab *strings = dict_strings(x->w->dict);
	char comm[256], thread[sizeof(comm) + 16], call[CALL_NAME_MAX], label[LABEL_MAX];

	text_sanitise(comm, sizeof(comm), strtab_get(strings, t->comm), strtab_len(strings, t->comm));
	snprintf(thread, sizeof(thread), "%s %d", comm, (int)t->tid);
	put_waited(x, w);
	put_padded(x, thread, THREAD_COLUMNS);
	out_text(&x->o, " ");
	put_padded(x, call_name(w->call, x->w->query.arch, call), CALL_COLUMNS);
	out_text(&x->o, " ");
	out_label(&x->o, wait_stack_label(x->w, w->stack, label, sizeof(label)), x->ascii);
	out_text(&x->o, "\n");
}

static void put_all_open(struct waits_text *x)
{
	double longest = 0;
	uint32_t idle = 0;
	char text[UNITS_MAX];

	out_text(&x->o, "\nstill waiting\n");
	for (uint32_t i = 0; i < x->w->nr_open; i++) {
		const struct wait_open *w = &x->w->open[i];

		if (!w->idling) {
			waitstext_put_open(x, w);
			continue;
		}
		idle++;
		longest = w->waited_ns > longest ? w->waited_ns : longest;
	}
	if (idle)
		out_format(&x->o, "%10s  %" PRIu32 " thread%s with nothing to do, the longest for %s\n", "", idle,
			   idle == 1 ? "" : "s", units_time(text, longest < 1e19 ? (uint64_t)longest : UINT64_MAX));
}

static int waitstext_write(FILE *out, const struct export_view *v, struct err *e)
{
	AUTO(waits_free) struct waits *w = NULL;
	char pressure[PRESSURE_TEXT_MAX];
	struct waits_text x = { .ascii = v->ascii, .o = { .file = out } };
	int r = waits_build(v->snapshot, v->names, &v->query, &w, e);

	if (r < 0)
		return r;
	x.w = w;
	if (*pressure_text(v->meta, pressure))
		out_format(&x.o, "%s\n", pressure);
	waitstext_put_scale(&x);
	for (uint32_t i = 0; i < w->n; i++)
		waitstext_put_row(&x, i);
	if (w->nr_open)
		put_all_open(&x);
	return out_end(&x.o, e);
}

const struct exporter exporter_waits = {
	.name = "waits", .extensions = "",
	.about = "what threads waited for: by class, system call and stack, and, when that was recorded, by who ended "
		"the wait; with a histogram of lengths, and the threads that still waited at the end",
	.subject = EXPORT_WAITS,
	.write = waitstext_write,
};
