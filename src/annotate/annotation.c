/* SPDX-License-Identifier: BSD-2-Clause */
/* annotation.c - see annotation.h. */
#include "config.h"

#include "annotate/annotation.h"

#include "base/text.h"
#include "profile/slice.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct builder {
	struct annotation *a;
	const struct listing *l;
	bool no_memory;
};

__attribute__((format(printf, 2, 3)))
static void annotation_note(struct builder *b, const char *fmt, ...)
{
	struct annotation *a = b->a;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&a->note[a->notes], fmt, ap) < 0) {
		a->note[a->notes] = NULL;
		b->no_memory = true;
	} else {
		a->notes++;
	}
	va_end(ap);
}

/* What is missing; each at most once. */
static void take_notes(struct builder *b)
{
	const struct listing *l = b->l;
	const struct listing_file *own = l->file.n ? &l->file.v[0] : NULL;

	if (l->why_no_code[0])
		annotation_note(b, "%s", l->why_no_code);
	if (l->why_no_lines[0])
		annotation_note(b, "%s", l->why_no_lines);
	if (l->lacks[0])
		annotation_note(b, "%s", l->lacks);
	if (own && own->why)
		annotation_note(b, "the source is not at %s: %s", own->path, own->why);
	if (own && own->newer)
		annotation_note(b, "%s was changed after the program was built: lines may not fit", own->path);
	if (l->size && l->size < l->of.size)
		annotation_note(b, "only the first %" PRIu32 " bytes of the function are shown", l->size);
}

static void annotation_put(struct builder *b, enum annot_layout layout, enum annot_kind kind, uint32_t of,
			   const struct hit *hit)
{
	struct annot_row *r = vec_push(&b->a->layout[layout].row);

	if (r)
		*r = (struct annot_row){ .kind = (uint8_t)kind, .of = of, .hit = hit ? *hit : (struct hit){ 0 } };
	else
		b->no_memory = true;
}

static const struct hit *hit_of(const struct builder *b, uint32_t insn)
{
	return &b->a->hits->place[insn];
}

static void put_code(struct builder *b, enum annot_layout layout)
{
	for (uint32_t i = 0; i < b->l->insn.n; i++)
		annotation_put(b, layout, ANNOT_INSN, i, hit_of(b, i));
}

/* Of the instructions from FROM on that are made of the same line; *RET_END is behind the last. */
static struct hit sum_run(const struct builder *b, uint32_t from, uint32_t *ret_end)
{
	struct hit sum = { 0 };
	uint32_t i = from;

	for (; i < b->l->insn.n && b->l->insn.v[i].line == b->l->insn.v[from].line; i++) {
		sum.self_ns = add_capped(sum.self_ns, hit_of(b, i)->self_ns);
		sum.total_ns = add_capped(sum.total_ns, hit_of(b, i)->total_ns);
	}
	/* What recurses is in several of them. */
	if (sum.total_ns > b->a->hits->all.total_ns)
		sum.total_ns = b->a->hits->all.total_ns;
	*ret_end = i;
	return sum;
}

static void put_both(struct builder *b)
{
	uint32_t end, file = LISTING_NONE;

	for (uint32_t i = 0; i < b->l->insn.n; i = end) {
		const struct hit sum = sum_run(b, i, &end);
		const uint32_t line = b->l->insn.v[i].line;
		const struct listing_line *ln = line == LISTING_NONE ? NULL : &b->l->line.v[line];

		if (ln && ln->text && ln->file != file)
			annotation_put(b, ANNOT_BOTH, ANNOT_FILE, ln->file, NULL);
		if (ln && ln->text)
			annotation_put(b, ANNOT_BOTH, ANNOT_LINE, line, &sum);
		file = ln && ln->text ? ln->file : file;
		for (; i < end; i++)
			annotation_put(b, ANNOT_BOTH, ANNOT_INSN, i, hit_of(b, i));
	}
}

static void put_source(struct builder *b)
{
	for (uint32_t i = 0; i < b->l->line.n; i++) {
		const struct listing_line *ln = &b->l->line.v[i], *before = i ? ln - 1 : NULL;

		if (!before || before->file != ln->file)
			annotation_put(b, ANNOT_SOURCE, ANNOT_FILE, ln->file, NULL);
		else if (before->number + 1 != ln->number)
			annotation_put(b, ANNOT_SOURCE, ANNOT_GAP, 0, NULL);
		annotation_put(b, ANNOT_SOURCE, ANNOT_LINE, i, &b->a->hits->group[i]);
	}
}

static void annotation_put_rows(struct builder *b)
{
	for (enum annot_layout k = 0; k < ANNOT_LAYOUTS; k++) {
		for (uint32_t i = 0; i < b->a->notes; i++)
			annotation_put(b, k, ANNOT_NOTE, i, NULL);
		if (k == ANNOT_CODE || !listing_has_source(b->l))
			put_code(b, k);
		else if (k == ANNOT_BOTH)
			put_both(b);
		else
			put_source(b);
	}
}

/* What places and groups are: instructions and lines, or, where there are none, the function as a whole. */
static int build_hits(struct annotation *a, const struct snapshot *s, const struct names *names,
		      const struct query *q, struct err *e)
{
	const struct listing *l = a->listing;
	const uint32_t size = l->size ? l->size : l->of.size < LISTING_CODE_MAX ? (uint32_t)l->of.size :
		LISTING_CODE_MAX;
	AUTO_FREE uint32_t *none = calloc(size + 1ul, sizeof(*none)), *group = calloc(l->insn.n + 1ul, sizeof(*group));
	AUTO_FREE bool *enters = calloc(l->insn.n + 1ul, sizeof(*enters));
	const struct instruction_costs_of of = {
		.module = l->of.module, .start = l->of.start, .size = size, .place = l->insn.n ? l->place : none,
		.places = l->insn.n ? (uint32_t)l->insn.n : 1, .group = group, .groups = (uint32_t)l->line.n,
		.enters = enters,
	};

	if (!none || !group || !enters)
		return err_nomem(e, "what a function weighs");
	group[0] = INSTRUCTION_COSTS_NONE;
	for (size_t i = 0; i < l->insn.n; i++) {
		group[i] = l->insn.v[i].line;
		enters[i] = l->insn.v[i].enters;
	}
	return instruction_costs_build(s, names, q, &of, &a->hits, e);
}

int annotation_build(struct listing *l, const struct snapshot *s, const struct names *names, const struct query *q,
		     struct annotation **ret, struct err *e)
{
	AUTO(annotation_free) struct annotation *a = calloc(1, sizeof(*a));
	struct builder b = { .a = a, .l = l };
	int r;

	if (!a)
		return err_nomem(e, "what a function weighs");
	a->listing = listing_ref(l);
	r = build_hits(a, s, names, q, e);
	if (r < 0)
		return r;
	take_notes(&b);
	annotation_put_rows(&b);
	if (b.no_memory)
		return err_nomem(e, "what a function weighs");
	*ret = take_ptr(a);
	return 0;
}

void annotation_free(struct annotation *a)
{
	if (!a)
		return;
	listing_free(a->listing);
	instruction_costs_free(a->hits);
	for (unsigned int i = 0; i < a->notes; i++)
		free(a->note[i]);
	for (unsigned int i = 0; i < ANNOT_LAYOUTS; i++)
		vec_free(&a->layout[i].row);
	free(a);
}

char *annotation_text(const struct annotation *a, const struct annot_row *r, char *dst, size_t size)
{
	const struct listing *l = a->listing;

	dst[0] = '\0';
	switch (r->kind) {
	case ANNOT_NOTE:
		text_format(dst, size, "%s", a->note[r->of]);
		break;
	case ANNOT_FILE:
		text_format(dst, size, "%s%s%s", l->file.v[r->of].path, l->file.v[r->of].why ? ": " : "",
			    l->file.v[r->of].why ? l->file.v[r->of].why : "");
		break;
	case ANNOT_LINE:
		text_format(dst, size, "%5" PRIu32 "  %s", l->line.v[r->of].number,
			    l->line.v[r->of].text ? l->line.v[r->of].text : "");
		break;
	case ANNOT_INSN:
		text_format(dst, size, "%8" PRIx64 ":  %s", l->insn.v[r->of].address, l->insn.v[r->of].text);
		break;
	default:
		snprintf(dst, size, "    \xE2\x8B\xAE");
		break;
	}
	return dst;
}

static bool insn_is_of(const struct listing *l, size_t i, const char *inlined)
{
	return l->insn.v[i].inlined && !strcmp(l->insn.v[i].inlined, inlined);
}

/* By line: whether an instruction of it is of the inlined function INLINED. NULL when out of memory. */
static bool *lines_of(const struct listing *l, const char *inlined)
{
	bool *is = calloc(l->line.n + 1ul, sizeof(*is));

	for (size_t i = 0; is && i < l->insn.n; i++) {
		if (l->insn.v[i].line != LISTING_NONE && insn_is_of(l, i, inlined))
			is[l->insn.v[i].line] = true;
	}
	return is;
}

static size_t hottest_of(const struct annotation *a, enum annot_layout layout, const char *inlined, const bool *line)
{
	const struct annot_row *row = a->layout[layout].row.v;
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < a->layout[layout].row.n; i++) {
		if (!row[i].hit.total_ns || (best != SIZE_MAX && row[i].hit.total_ns <= row[best].hit.total_ns))
			continue;
		if (!line || (row[i].kind == ANNOT_INSN && insn_is_of(a->listing, row[i].of, inlined)) ||
		    (row[i].kind == ANNOT_LINE && line[row[i].of]))
			best = i;
	}
	return best;
}

size_t annotation_hottest(const struct annotation *a, enum annot_layout layout, const char *inlined)
{
	AUTO_FREE bool *line = inlined ? lines_of(a->listing, inlined) : NULL;
	const size_t best = hottest_of(a, layout, inlined, line);

	return best == SIZE_MAX && line ? hottest_of(a, layout, NULL, NULL) : best;
}

/* Whether row A comes before row B when they stand in falling order. */
static bool annotation_hotter(const struct annot_row *row, size_t a, size_t b)
{
	return row[a].hit.total_ns != row[b].hit.total_ns ? row[a].hit.total_ns > row[b].hit.total_ns : a < b;
}

size_t annotation_next_hottest(const struct annotation *a, enum annot_layout layout, size_t at, bool back)
{
	const struct annot_row *row = a->layout[layout].row.v;
	const size_t n = a->layout[layout].row.n;
	size_t next = SIZE_MAX, end = SIZE_MAX;  /* END: where it goes on round the end */

	for (size_t i = 0; i < n && at < n; i++) {
		if (!row[i].hit.total_ns || i == at)
			continue;
		if (annotation_hotter(row, back ? i : at, back ? at : i) &&
		    (next == SIZE_MAX || annotation_hotter(row, back ? next : i, back ? i : next)))
			next = i;
		if (end == SIZE_MAX || annotation_hotter(row, back ? end : i, back ? i : end))
			end = i;
	}
	return next != SIZE_MAX ? next : end;
}

/* The line that R is about; LISTING_NONE = none. */
static uint32_t annotation_line_of(const struct annotation *a, const struct annot_row *r)
{
	return r->kind == ANNOT_LINE ? r->of : r->kind == ANNOT_INSN ? a->listing->insn.v[r->of].line : LISTING_NONE;
}

size_t annotation_find(const struct annotation *a, enum annot_layout layout, const struct annot_row *r)
{
	const struct annot_row *row = a->layout[layout].row.v;
	const uint32_t line = annotation_line_of(a, r);
	size_t near = SIZE_MAX;

	for (size_t i = 0; i < a->layout[layout].row.n; i++) {
		if (row[i].kind == r->kind && row[i].of == r->of)
			return i;
		if (near == SIZE_MAX && line != LISTING_NONE && annotation_line_of(a, &row[i]) == line)
			near = i;
	}
	return near == SIZE_MAX ? 0 : near;
}
