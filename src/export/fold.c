/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fold.c - merges stacks into sorted lines "a;b;c 10" and rounds their numbers so that they still
 * add up. fold.h has the rules.
 */
#include "config.h"

#include "export/fold.h"

#include "base/clock.h"
#include "base/order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BELOW 0x80000000u        /* with the number of a node: not its line, but those of what is below it */

bool fold_init(struct fold *f, const struct measure *m)
{
	*f = (struct fold){ .texts = strtab_new(), .each = m->unit == UNIT_TIME ? NSEC_PER_USEC : measure_one(m) };
	return f->texts;
}

void fold_free(struct fold *f)
{
	strtab_free(f->texts);
	keyed_free(&f->nodes);
	free(f->family);
	*f = (struct fold){ 0 };
}

static uint32_t fold_find_node(struct fold *f, uint32_t parent, str_id text)
{
	struct fold_node want = { .parent = parent, .text = text };

	if (parent != FOLD_NONE)
		want.depth = f->nodes.v[parent].depth + 1;
	return keyed_get(&f->nodes, &want, self_ns);
}

uint32_t fold_node(struct fold *f, uint32_t parent, char *text)
{
	str_id id;

	for (char *c = text; (c = strchr(c, ';'));)
		*c = ':';
	id = strtab_adds(f->texts, text);
	return id == STR_NONE ? FOLD_NONE : fold_find_node(f, parent, id);
}

/* Whether a line ends at N; otherwise all of it is in what is below. */
static bool has_line(const struct fold_node *n)
{
	for (unsigned int c = 0; c < FOLD_COLUMNS; c++)
		if (n->self_ns[c])
			return true;
	return !n->children && n->depth;
}

/* Lines are in the order of their text, where ";" follows the name of a node under which there are others. */
static int compare_texts(const void *va, const void *vb, void *ctx)
{
	const struct fold *f = ctx;
	const uint32_t ia = *(const uint32_t *)va, ib = *(const uint32_t *)vb;
	const char *a = strtab_get(f->texts, f->nodes.v[ia & ~BELOW].text),
		*b = strtab_get(f->texts, f->nodes.v[ib & ~BELOW].text);
	unsigned char ca, cb;

	for (; *a && *a == *b; a++, b++)
		;
	ca = *a || !(ia & BELOW) ? (unsigned char)*a : ';';
	cb = *b || !(ib & BELOW) ? (unsigned char)*b : ';';
	return compare_numbers(ca, cb);
}

/* Gathers siblings, those that have a line and others below them twice, and sorts them. */
static bool sort_families(struct fold *f)
{
	struct fold_node *v = f->nodes.v;
	uint32_t at = 0;

	f->family = malloc(2 * f->nodes.n * sizeof(*f->family));
	if (!f->family)
		return false;
	for (size_t i = 1; i < f->nodes.n; i++)
		v[v[i].parent].children++;
	for (size_t i = 1; i < f->nodes.n; i++)
		v[v[i].parent].entries += has_line(&v[i]) + (v[i].children > 0);
	for (size_t i = 0; i < f->nodes.n; i++) {
		v[i].first = v[i].at = at;
		at += v[i].entries;
	}
	for (uint32_t i = 1; i < f->nodes.n; i++) {
		struct fold_node *up = &v[v[i].parent];

		if (has_line(&v[i]))
			f->family[up->at++] = i;
		if (v[i].children)
			f->family[up->at++] = i | BELOW;
	}
	for (size_t i = 0; i < f->nodes.n; i++) {
		v[i].at = 0;
		if (v[i].entries > 1)
			qsort_r(&f->family[v[i].first], v[i].entries, sizeof(*f->family), compare_texts, f);
	}
	return true;
}

/* The number of the next NS of COLUMN, of time microseconds, so that all of them add up to the whole rounded once. */
static uint64_t next_us(struct fold *f, unsigned int column, uint64_t ns)
{
	const uint64_t before = f->written_us[column];
	uint64_t us;

	f->done_ns[column] += ns;
	us = f->done_ns[column] / f->each + (f->each > 1 && f->done_ns[column] % f->each >= f->each / 2);
	f->written_us[column] = us;
	return us - before;
}

static void write_line(struct fold *f, struct out *o, const uint32_t *path, uint32_t depth, unsigned int columns,
		       bool without_root)
{
	if (without_root && !depth)
		out_text(o, "(other)");
	for (uint32_t i = without_root; i <= depth; i++) {
		if (i > without_root)
			out_text(o, ";");
		out_text(o, strtab_get(f->texts, f->nodes.v[path[i]].text));
	}
	for (unsigned int c = 0; c < columns; c++)
		out_format(o, " %" PRIu64, next_us(f, c, f->nodes.v[path[depth]].self_ns[c]));
	out_text(o, "\n");
}

/* Room for the nodes on the way to the deepest one; NULL when out of memory. */
static uint32_t *new_path(const struct fold *f)
{
	uint32_t deepest = 0;

	for (size_t i = 0; i < f->nodes.n; i++)
		deepest = f->nodes.v[i].depth > deepest ? f->nodes.v[i].depth : deepest;
	return malloc((deepest + 1ul) * sizeof(uint32_t));
}

bool fold_write(struct fold *f, struct out *o, unsigned int columns, bool without_root)
{
	AUTO_FREE uint32_t *path = new_path(f);
	uint32_t depth = 0;

	if (!path || !sort_families(f))
		return false;
	path[0] = 0;
	if (has_line(&f->nodes.v[0]))
		write_line(f, o, path, 0, columns, without_root);
	for (;;) {
		struct fold_node *n = &f->nodes.v[path[depth]];
		uint32_t entry;

		if (n->at == n->entries) {
			if (!depth--)
				return true;
			continue;
		}
		entry = f->family[n->first + n->at++];
		path[depth + 1] = entry & ~BELOW;
		if (entry & BELOW)
			depth++;
		else
			write_line(f, o, path, depth + 1, columns, without_root);
	}
}
