/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "export/flame_growth.h"

#include "base/text.h"
#include "export/flame_plan.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define VERSIONS 64u             /* whoever has an older one gets all of it */
#define DEAD_MOST 4096u          /* nodes that are there no more, beside as many as there are */

struct growth_node {
	uint32_t parent, label;  /* less than its own number; FLAME_NONE for the root */
	uint32_t nth;            /* of siblings with one label; the last of the key */
	uint32_t twins;          /* of node 0 of these: how many more there are */
	uint32_t changed, seen;  /* the last versions in which it was another than before, and was there */
	uint64_t self[TIME_NR];
};

struct flame_growth {
	uint32_t epoch, version, alive;
	struct strtab *texts;
	KEYED(struct flame_label) labels;
	KEYED(struct growth_node) nodes;
	struct {
		uint32_t version, labels, nodes;
	} was[VERSIONS];         /* how many there were, by version modulo VERSIONS */
	char *about;             /* title, facts and unit, as they are written */
	char *text, *other;      /* FLAME_TEXT_MAX + 1 bytes each */
};

static _Atomic uint32_t epochs;

struct flame_growth *flame_growth_new(void)
{
	struct flame_growth *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->text = malloc(FLAME_TEXT_MAX + 1);
	g->other = malloc(FLAME_TEXT_MAX + 1);
	if (g->text && g->other)
		return g;
	flame_growth_free(g);
	return NULL;
}

static void growth_clear(struct flame_growth *g)
{
	strtab_free(g->texts);
	keyed_free(&g->labels);
	keyed_free(&g->nodes);
	free(g->about);
	g->texts = NULL;
	g->about = NULL;
	g->alive = 0;
	memset(g->was, 0, sizeof(g->was));
}

void flame_growth_free(struct flame_growth *g)
{
	if (!g)
		return;
	growth_clear(g);
	free(g->text);
	free(g->other);
	free(g);
}

/* Begins anew, under an epoch that nobody has had. */
static bool growth_begin(struct flame_growth *g)
{
	growth_clear(g);
	g->epoch = atomic_fetch_add_explicit(&epochs, 1, memory_order_relaxed) + 1;
	g->texts = strtab_new();
	return g->texts;
}

/* The number of the label of F, made when it is new; FLAME_NONE when out of memory. */
static uint32_t growth_label(struct flame_growth *g, const struct flame *f, uint32_t label)
{
	const struct flame_label *l = &f->labels.v[label];
	const struct flame_label want = {
		.text = strtab_add(g->texts, strtab_get(f->texts, l->text), strtab_len(f->texts, l->text)),
		.kind = l->kind,
	};

	return want.text == STR_NONE ? FLAME_NONE : keyed_get_whole(&g->labels, &want);
}

/* The same for a node with this label under PARENT, of several the next one. */
static uint32_t growth_node(struct flame_growth *g, uint32_t parent, uint32_t label)
{
	struct growth_node want = { .parent = parent, .label = label };
	uint32_t id = keyed_get(&g->nodes, &want, twins);

	if (id != HIDX_NONE && g->nodes.v[id].seen == g->version) {
		want.nth = ++g->nodes.v[id].twins;
		id = keyed_get(&g->nodes, &want, twins);
	}
	if (id == HIDX_NONE)
		return FLAME_NONE;
	g->nodes.v[id].twins = 0;
	g->nodes.v[id].seen = g->version;
	return id;
}

static void growth_set(struct flame_growth *g, uint32_t id, const uint64_t self[TIME_NR])
{
	struct growth_node *n = &g->nodes.v[id];

	if (!memcmp(n->self, self, sizeof(n->self)))
		return;
	memcpy(n->self, self, sizeof(n->self));
	n->changed = g->version;
}

static bool growth_nodes(struct flame_growth *g, const struct flame *f)
{
	static const uint64_t none[TIME_NR];
	AUTO_FREE uint32_t *label = malloc((f->labels.n + 1) * sizeof(*label));
	AUTO_FREE uint32_t *id = malloc(f->nodes.n * sizeof(*id));

	for (size_t i = 0; label && i < f->labels.n; i++) {
		label[i] = growth_label(g, f, (uint32_t)i);
		if (label[i] == FLAME_NONE)
			return false;
	}
	for (size_t i = 0; label && id && i < f->nodes.n; i++) {
		const struct flame_node *n = &f->nodes.v[i];

		id[i] = growth_node(g, i ? id[n->parent] : FLAME_NONE, label[n->label]);
		if (id[i] == FLAME_NONE)
			return false;
		growth_set(g, id[i], n->self);
	}
	for (uint32_t i = 0; i < g->nodes.n; i++)
		if (g->nodes.v[i].seen != g->version)
			growth_set(g, i, none);
	return label && id;
}

/* Foreign text inside a JSON string. */
static void growth_put_string(FILE *out, struct flame_growth *g, const struct flame *f, str_id text)
{
	const size_t len = text_sanitise(g->text, FLAME_TEXT_MAX + 1, strtab_get(f->texts, text),
					 strtab_len(f->texts, text));

	fputc('"', out);
	flame_put_text(out, g->text, len);
	fputc('"', out);
}

static bool growth_about(struct flame_growth *g, const struct flame *f)
{
	size_t len = 0;
	FILE *out;

	free(g->about);
	g->about = NULL;
	out = open_memstream(&g->about, &len);
	if (!out)
		return false;
	fputs("\"title\":", out);
	growth_put_string(out, g, f, f->title);
	fputs(",\"facts\":[", out);
	for (size_t i = 0; i < f->facts.n; i++) {
		fputs(i ? ",[" : "[", out);
		growth_put_string(out, g, f, f->facts.v[i].name);
		fputc(',', out);
		growth_put_string(out, g, f, f->facts.v[i].text);
		fputc(']', out);
	}
	fprintf(out, "],\"unit\":\"%s\"", flame_unit_name(f->unit));
	return !fclose(out);
}

int flame_growth_take(struct flame_growth *g, const struct flame *f, struct err *e)
{
	const bool anew = !g->texts || g->nodes.n > 2ul * g->alive + DEAD_MOST;

	g->version++;
	if ((anew && !growth_begin(g)) || !growth_nodes(g, f) || !growth_about(g, f)) {
		growth_clear(g);
		return err_nomem(e, "the flame graph");
	}
	g->alive = (uint32_t)f->nodes.n;
	g->was[g->version % VERSIONS].version = g->version;
	g->was[g->version % VERSIONS].labels = (uint32_t)g->labels.n;
	g->was[g->version % VERSIONS].nodes = (uint32_t)g->nodes.n;
	return 0;
}

/* Writing */

static void growth_put_labels(struct out *o, const struct flame_growth *g, uint32_t from)
{
	char *now = g->text, *last = g->other;

	last[0] = '\0';
	for (size_t i = from; i < g->labels.n; i++) {
		const struct flame_label *l = &g->labels.v[i];
		const size_t len = text_sanitise(now, FLAME_TEXT_MAX + 1, strtab_get(g->texts, l->text),
						 strtab_len(g->texts, l->text));
		char *swap = last;

		flame_put_label(o, last, now, len, l->kind);
		last = now;
		now = swap;
	}
}

static void growth_put_tree(FILE *out, const struct flame_growth *g, uint32_t from)
{
	for (uint32_t i = from; i < g->nodes.n; i++) {
		const struct growth_node *n = &g->nodes.v[i];

		flame_put_number(out, i ? i - n->parent : 0);
		flame_put_number(out, n->label);
	}
}

static bool growth_is_newer(const struct growth_node *n, uint32_t version)
{
	return n->changed > version;
}

static void growth_put_values(FILE *out, const struct flame_growth *g, uint32_t version)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < g->nodes.n; i++) {
		const struct growth_node *n = &g->nodes.v[i];
		uint64_t mask = 0;

		if (!growth_is_newer(n, version))
			continue;
		for (unsigned int k = 0; k < TIME_NR; k++)
			mask |= (uint64_t)(n->self[k] > 0) << k;
		flame_put_number(out, (uint64_t)(i - last) << TIME_NR | mask);
		for (unsigned int k = 0; k < TIME_NR; k++)
			if (n->self[k])
				flame_put_number(out, n->self[k]);
		last = i;
	}
}

static uint32_t growth_newer(const struct flame_growth *g, uint32_t version)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->nodes.n; i++)
		n += growth_is_newer(&g->nodes.v[i], version);
	return n;
}

int flame_growth_write(FILE *out, const struct flame_growth *g, const struct flame_mark *have,
		       struct flame_mark *ret_mark, struct err *e)
{
	const uint32_t at = have->version % VERSIONS;
	const bool known = have->version && have->epoch == g->epoch && g->was[at].version == have->version;
	const uint32_t version = known ? have->version : 0, labels = known ? g->was[at].labels : 0;
	const uint32_t nodes = known ? g->was[at].nodes : 0;
	struct out o = { .file = out };

	if (!g->about)
		return err_nomem(e, "the flame graph");
	out_format(&o, "{\"epoch\":%u,\"from\":%u,\"to\":%u,%s,\"nrLabels\":%zu,\n\"labels\":\"", g->epoch, version,
		   g->version, g->about, g->labels.n - labels);
	growth_put_labels(&o, g, labels);
	out_format(&o, "\",\n\"nrNodes\":%zu,\"tree\":\"", g->nodes.n - nodes);
	growth_put_tree(out, g, nodes);
	out_format(&o, "\",\n\"nrValues\":%u,\"values\":\"", growth_newer(g, version));
	growth_put_values(out, g, version);
	out_text(&o, "\"}\n");
	*ret_mark = (struct flame_mark){ .epoch = g->epoch, .version = g->version };
	return out_end(&o, e);
}
