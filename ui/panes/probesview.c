/* SPDX-License-Identifier: BSD-2-Clause */
/* probesview.c - turns the list of probes (query/probereport.h) into rows that a treeview can show. */
#include "config.h"

#include "ui/panes/probesview.h"

#include "base/hash.h"
#include "query/column.h"
#include "query/probecolumns.h"
#include "ui/text_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACES_A_PATH 256u       /* deeper ones are recursion */
#define SEED 0x70726f6265ull
#define LONGEST_KEY 1000u        /* beside buckets, whose numbers are smaller */
#define PLACES_KEY 1001u
#define OPEN_KEY 1002u
#define OWN_KEY 1003u
#define LOST_KEY 1004u
#define SEEN_KEY 1005u
#define VALUES_KEY 1100u         /* and the number of the argument */
#define SPELL_KEY 1200u          /* and its number */
#define UNSEEN_KEY 2000u         /* and the pid */

/* Adds a row below PARENT that IDENTITY tells from its siblings; its number, or 0 when out of memory. */
static uint32_t probesview_add(struct probesview *pv, uint32_t parent, struct outline_row what, struct probes_line line,
			       uint64_t identity)
{
	struct probes_line *more = realloc(pv->line, (pv->rows->n + 1ul) * sizeof(*more));

	if (!more) {
		pv->rows->failed = true;
		return 0;
	}
	pv->line = more;
	pv->line[pv->rows->n] = line;
	what.key = parent == NODE_NONE ? identity : hash_2u64(pv->rows->row[parent].key, identity);
	return outline_add(pv->rows, parent, what);
}

/* The functions of STACK, innermost first, below PATH. */
static void probesview_add_places(struct probesview *pv, uint32_t path, stack_id stack)
{
	struct outline_row place[PLACES_A_PATH];
	const size_t n = outline_functions(pv->rows, stack, 0, place, PLACES_A_PATH);
	struct probes_line line = pv->line[path];

	line.level = PROBES_LEVEL_PLACE;
	for (size_t i = 0; i < n; i++)
		if (!probesview_add(pv, path, place[i], line, i + 1))
			return;
}

/* What is true of the moment: calls that have not ended, and where the probe is. */
static void probesview_add_now(struct probesview *pv, uint32_t above, uint32_t i)
{
	const struct outline_row what = { .kind = NODE_GROUP, .place = ID_NONE };
	const struct probe_note *note = &pv->report->row[i].note;
	char words[PROBE_WORDS_MAX];
	uint32_t places = 0, seen = 0;

	if (note->own_ns)
		probesview_add(pv, above, what, (struct probes_line){ PROBES_LEVEL_OWN, 0, i }, OWN_KEY);
	if (note->open.calls)
		probesview_add(pv, above, what, (struct probes_line){ PROBES_LEVEL_OPEN, 0, i }, OPEN_KEY);
	if (note->places.sites || note->places.failed || note->why[0])
		places = probesview_add(pv, above, what, (struct probes_line){ PROBES_LEVEL_PLACES, 0, i }, PLACES_KEY);
	for (uint32_t u = 0; places && u < note->nr_unseen; u++)
		probesview_add(pv, places, what, (struct probes_line){ PROBES_LEVEL_UNSEEN, (uint8_t)u, i },
			       UNSEEN_KEY + note->unseen[u].pid);
	for (uint32_t s = 0; s < note->nr_spells; s++)
		probesview_add(pv, above, what, (struct probes_line){ PROBES_LEVEL_SPELL, (uint8_t)s, i },
			       SPELL_KEY + s);
	if (note->seen.n)
		seen = probesview_add(pv, above, what, (struct probes_line){ PROBES_LEVEL_SEEN, 0, i }, SEEN_KEY);
	for (uint32_t a = 0; seen && a < note->seen.n; a++)
		probesview_add(pv, seen, what, (struct probes_line){ PROBES_LEVEL_VALUES, (uint8_t)a, i },
			       VALUES_KEY + a);
	if (*probe_lost_label(&pv->report->row[i], "", words))
		probesview_add(pv, above, what, (struct probes_line){ PROBES_LEVEL_LOST, 0, i }, LOST_KEY);
}

static void probesview_add_calls(struct probesview *pv, uint32_t above, uint32_t i)
{
	const struct outline_row what = { .kind = NODE_GROUP, .place = ID_NONE };
	const struct probe_row *r = &pv->report->row[i];
	unsigned int first, last;
	uint32_t path;

	if (!r->timed || !probe_buckets(r, &first, &last))
		return;
	for (unsigned int b = first; b <= last; b++)
		probesview_add(pv, above, what, (struct probes_line){ PROBES_LEVEL_BUCKET, (uint8_t)b, i }, b);
	path = probesview_add(pv, above, what, (struct probes_line){ PROBES_LEVEL_LONGEST, 0, i }, LONGEST_KEY);
	if (path)
		probesview_add_places(pv, path, r->longest_stack);
}

static void probesview_fill(struct probesview *pv)
{
	probesview_add(pv, NODE_NONE, (struct outline_row){ .kind = NODE_ROOT, .place = ID_NONE },
		       (struct probes_line){ 0 }, SEED);
	for (uint32_t i = 0; i < pv->report->n && !pv->rows->failed; i++) {
		const struct probe_row *r = &pv->report->row[i];
		/* Without a weight: so that all probes are in sight, none opens by itself. */
		const struct outline_row what = { .kind = NODE_GROUP, .place = ID_NONE };
		const struct probes_line line = { PROBES_LEVEL_PROBE, 0, i };
		const uint32_t row = probesview_add(pv, 0, what, line, r->key);

		if (row)
			probesview_add_now(pv, row, i);
		if (row)
			probesview_add_calls(pv, row, i);
	}
}

struct probesview *probesview_new(struct probe_report *report)
{
	AUTO(probesview_free) struct probesview *pv = calloc(1, sizeof(*pv));

	if (!pv) {
		probe_report_free(report);
		return NULL;
	}
	pv->report = report;
	pv->rows = outline_new(report->dict, report->names, &report->query);
	if (!pv->rows)
		return NULL;
	probesview_fill(pv);
	return pv->rows->failed ? NULL : take_ptr(pv);
}

void probesview_free(struct probesview *pv)
{
	if (!pv)
		return;
	outline_free(pv->rows);
	free(pv->line);
	probe_report_free(pv->report);
	free(pv);
}

const struct probe_row *probesview_probe(const struct probesview *pv, uint32_t node)
{
	return &pv->report->row[pv->line[node].i];
}

stack_id probesview_stack(const struct probesview *pv, uint32_t node)
{
	return pv->line[node].level == PROBES_LEVEL_LONGEST ? probesview_probe(pv, node)->longest_stack : STACK_ROOT;
}

char *probesview_head(const struct probesview *pv, uint32_t node, char *dst, size_t size)
{
	const struct probe_row *r = probesview_probe(pv, node);
	const struct list_figure longest = probe_columns[PROBE_COLUMN_LONGEST].figure(r);
	struct text_builder words = text_builder_in(dst, size);
	char text[PROBE_BUCKET_MAX], said[PROBE_WORDS_MAX];

	switch (pv->line[node].level) {
	case PROBES_LEVEL_PROBE:
		text_builder_put(&words, "%s%s", r->measure->name, r->off ? TEXT_BUILDER_DOT "off" : "");
		break;
	case PROBES_LEVEL_BUCKET:
		text_builder_put(&words, "%s", probe_bucket_label(pv->line[node].sub, text));
		break;
	case PROBES_LEVEL_OPEN:
		text_builder_put(&words, "%s", probe_open_label(r, TEXT_BUILDER_DOT, said));
		break;
	case PROBES_LEVEL_LOST:
		text_builder_put(&words, "%s", probe_lost_label(r, TEXT_BUILDER_DOT, said));
		break;
	case PROBES_LEVEL_SEEN:
		text_builder_put(&words, "%s", probe_seen_label(r, said));
		break;
	case PROBES_LEVEL_VALUES:
		text_builder_put(&words, "%s: %s", r->note.seen.list[pv->line[node].sub].name,
				 probe_values_label(r, pv->line[node].sub, TEXT_BUILDER_DOT, said));
		break;
	case PROBES_LEVEL_UNSEEN:
		text_builder_put(&words, "%s", probe_unseen_label(r, pv->line[node].sub, said));
		break;
	case PROBES_LEVEL_SPELL:
		text_builder_put(&words, "%s", probe_spell_label(pv->report, r, pv->line[node].sub, said));
		break;
	case PROBES_LEVEL_OWN:
		text_builder_put(&words, "own cost of the probe: %s taken off each call",
				 units_time(text, r->note.own_ns));
		break;
	case PROBES_LEVEL_PLACES:
		text_builder_put(&words, "%s", probe_places_label(r, TEXT_BUILDER_DOT, said));
		break;
	case PROBES_LEVEL_LONGEST:
		text_builder_put(&words, "longest %s" TEXT_BUILDER_DOT, list_figure_text(&longest, text));
		if (r->longest_thread != ID_NONE) {
			text_builder_thread(&words, pv->report->dict, r->longest_thread);
			text_builder_put(&words, TEXT_BUILDER_DOT);
		}
		break;
	default:
		break;
	}
	return dst;
}

char *probesview_label(const struct probesview *pv, uint32_t node, char *dst, size_t size)
{
	struct tree_node place;
	struct tree one;

	if (pv->line[node].level == PROBES_LEVEL_PLACE) {
		one = outline_as_tree(pv->rows, node, &place);
		return tree_label(&one, 0, dst, size);
	}
	probesview_head(pv, node, dst, size);
	if (pv->line[node].level == PROBES_LEVEL_LONGEST) {
		const size_t n = strlen(dst);

		probe_stack_label(pv->report, probesview_stack(pv, node), dst + n, size - n);
	}
	return dst;
}
