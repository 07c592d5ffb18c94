/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * diffflame.c - writes a comparison of two profiles as a flame graph whose frames have the weights
 * of both sides.
 */
#include "config.h"

#include "export/diff_view.h"

#include "base/cleanup.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Inlined everywhere in this place, or not at all: that is what the node says. */
static enum flame_kind diffflame_kind_of(const struct diff *d, uint32_t i)
{
	int side;
	const uint32_t node = diff_named(d, d->node[i].what, &side);
	const enum flame_kind kind = flame_kind_of(d->tree[side], node);

	if (kind != FLAME_USER && kind != FLAME_INLINED)
		return kind;
	return d->node[i].inlined ? FLAME_INLINED : FLAME_USER;
}

/* In hundredths of a point. */
static uint32_t error_of(const struct diff *d, const struct diff_node *n)
{
	return (uint32_t)fmin(100 * 100 * DIFF_Z * diff_judge(d, &n->total).sigma + 0.5, UINT32_MAX);
}

/* What N took itself before: of calls, in as many as there are after. */
static void before_values(const struct diff *d, const struct diff_node *n, uint64_t dst[MEASURES_ASKED])
{
	const uint64_t *value = n->self.value[DIFF_BEFORE];

	for (unsigned int place = 0; place < MEASURES_ASKED; place++)
		dst[place] = d->norm == DIFF_BY_CALL ? diff_scaled(d, value[place]) : value[place];
}

/* EACH: so much of a value is one of what the graph counts. */
static bool diffflame_add_nodes(struct flame *f, const struct diff *d, uint64_t each)
{
	AUTO_FREE char *label = malloc(NAME_BYTES_MAX + 1);

	for (uint32_t i = 0; label && i < d->n; i++) {
		const struct diff_node *n = &d->node[i];
		uint64_t before[MEASURES_ASKED];
		struct flame_node *to;

		diff_label(d, n->what, label, NAME_BYTES_MAX + 1);
		if (i && flame_add(f, n->parent, flame_label(f, label, strlen(label),
							     diffflame_kind_of(d, i))) == FLAME_NONE)
			return false;
		to = &f->nodes.v[i];
		before_values(d, n, before);
		flame_set_parts(to->before, &d->tree[DIFF_BEFORE]->set, before, each);
		flame_set_parts(to->self, &d->tree[DIFF_AFTER]->set, n->self.value[DIFF_AFTER], each);
		to->error = error_of(d, n);
	}
	return label;
}

/* By how much a share of 10 % may be off on both sides together. */
static int add_chance(struct flame *f, const struct diff *d, struct err *e)
{
	const struct diff_pair *all = &d->node[0].total;
	double v = 0;
	char text[96];

	for (int side = 0; side < DIFF_SIDES; side++) {
		const double ns = (double)all->ns[side], share = diff_share(d, side, all->ns[side]);

		v += ns > 0 ? 0.1 * 0.9 * all->squares[side] / (ns * ns) * share * share : 0;
	}
	snprintf(text, sizeof(text), "up to %.1f points for what takes 10 %% of its side", 100 * DIFF_Z * sqrt(v));
	return flame_fact(f, "differs by chance", text, e);
}

static int diffflame_add_facts(struct flame *f, const struct diff_view *v, struct err *e)
{
	const bool calls = v->diff->norm == DIFF_BY_CALL;
	int r = 0;

	for (int side = 0; side < DIFF_SIDES && r >= 0; side++) {
		char text[256], count[UNITS_MAX], time[UNITS_MAX];

		snprintf(text, sizeof(text), "%.*s%s%s %s%s%s", calls ? 128 : 0, v->name[side], calls ? ", " : "",
			 units_thousands(count, v->diff->tree[side]->node[0].count),
			 tree_counted(v->diff->tree[side], 0),
			 v->wall_ns[side] ? " in " : "", v->wall_ns[side] ? units_time(time, v->wall_ns[side]) : "");
		r = flame_fact(f, diff_view_head(v, side), text, e);
	}
	if (r >= 0)
		r = flame_filters(f, v->diff->tree[DIFF_AFTER], e);
	/* Of calls each frame says it. */
	return r < 0 || calls ? r : add_chance(f, v->diff, e);
}

static int add_title(struct flame *f, const struct diff_view *v, struct err *e)
{
	AUTO_FREE char *text = NULL;

	if (v->title)
		return flame_title(f, v->title, e);
	if (asprintf(&text, "%s, compared with %s", v->name[DIFF_AFTER], v->name[DIFF_BEFORE]) >= 0)
		return flame_title(f, text, e);
	text = NULL;
	return err_nomem(e, "the flame graph");
}

static int diffflame_fill(struct flame *f, const struct diff_view *v, struct err *e)
{
	const struct diff *d = v->diff;
	/* One import and one recording have no unit in common: numbers of folded stacks are most often microseconds. */
	const struct measure *before = measure_lead(&d->tree[DIFF_BEFORE]->set),
		*after = measure_lead(&d->tree[DIFF_AFTER]->set);
	const struct measure *m = before->unit == UNIT_OWN ? after : before;
	const uint64_t each = measure_one(m);
	const char *names[DIFF_SIDES];
	int r;

	/* Which calls they are takes a sentence. */
	for (int side = 0; side < DIFF_SIDES; side++)
		names[side] = d->norm == DIFF_BY_CALL ? diff_view_head(v, side) : v->name[side];
	f->compared = true;
	f->unit = flame_unit_of(m);
	f->after_whole = (uint64_t)d->unit[DIFF_AFTER] / each;
	f->before_whole = d->norm == DIFF_BY_CALL ? f->after_whole : (uint64_t)d->unit[DIFF_BEFORE] / each;
	f->before_name = strtab_adds(f->texts, names[DIFF_BEFORE]);
	f->after_name = strtab_adds(f->texts, names[DIFF_AFTER]);
	if (f->before_name == STR_NONE || f->after_name == STR_NONE || !diffflame_add_nodes(f, d, each))
		return err_nomem(e, "the flame graph");
	r = add_title(f, v, e);
	return r < 0 ? r : diffflame_add_facts(f, v, e);
}

int export_diff_flame(FILE *out, const struct diff_view *v, flame_drawer *draw, struct err *e)
{
	struct flame f;
	int r = flame_init(&f, e);

	if (r < 0)
		return r;
	r = diffflame_fill(&f, v, e);
	if (r >= 0)
		r = draw(out, &f, &v->flame, e);
	flame_free(&f);
	return r;
}
