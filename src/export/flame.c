/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame.c - builds the model of a flame graph, frame by frame or from a call tree. Drawing it is up
 * to flame_still.c and the viewer.
 */
#include "config.h"

#include "export/flame.h"

#include "base/text.h"
#include "base/units.h"
#include "export/export_view.h"
#include "model/dict.h"
#include "numa/state.h"
#include "system/listtext.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Room for the longest name that is worth keeping. */
#define TEXT_MAX (64u << 10)

uint32_t flame_label(struct flame *f, const char *text, size_t len, enum flame_kind kind)
{
	const str_id id = strtab_add(f->texts, text, len);
	const struct flame_label want = { .text = id, .kind = kind };

	return id == STR_NONE ? FLAME_NONE : keyed_get_whole(&f->labels, &want);
}

uint32_t flame_add(struct flame *f, uint32_t parent, uint32_t label)
{
	struct flame_node *n = label == FLAME_NONE || f->nodes.n >= FLAME_NONE ? NULL : vec_push(&f->nodes);

	if (!n)
		return FLAME_NONE;
	*n = (struct flame_node){ .parent = parent, .label = label };
	return (uint32_t)f->nodes.n - 1;
}

int flame_init(struct flame *f, struct err *e)
{
	*f = (struct flame){ .texts = strtab_new() };
	if (f->texts && flame_add(f, FLAME_NONE, flame_label(f, "all", 3, FLAME_ROOT)) != FLAME_NONE)
		return 0;
	flame_free(f);
	return err_nomem(e, "the flame graph");
}

void flame_free(struct flame *f)
{
	strtab_free(f->texts);
	keyed_free(&f->labels);
	vec_free(&f->nodes);
	vec_free(&f->facts);
	*f = (struct flame){ 0 };
}

int flame_title(struct flame *f, const char *title, struct err *e)
{
	const str_id id = strtab_adds(f->texts, title);

	if (id == STR_NONE)
		return err_nomem(e, "the flame graph");
	f->title = id;
	return 0;
}

int flame_fact(struct flame *f, const char *name, const char *text, struct err *e)
{
	const struct flame_fact fact = { .name = strtab_adds(f->texts, name), .text = strtab_adds(f->texts, text) };

	if (fact.name == STR_NONE || fact.text == STR_NONE || !vec_reserve(&f->facts, 1))
		return err_nomem(e, "the flame graph");
	f->facts.v[f->facts.n++] = fact;
	return 0;
}

/* Other tools call what they could not name so, in stacks that were imported. */
static bool flame_is_unknown(const struct names *names, const struct func *func)
{
	return !strcmp(names_text(names, func->name), FLAME_UNKNOWN);
}

static enum flame_kind flame_func_kind(const struct names *names, const struct tree_node *n, const struct func *func)
{
	if (func->kind == FUNC_KERNEL)
		return FLAME_KERNEL;
	if (func->kind == FUNC_NOTE)
		return flame_is_unknown(names, func) ? FLAME_UNRESOLVED : FLAME_NOTE;
	if (n->inlined)
		return FLAME_INLINED;
	if (func->kind == FUNC_JIT)
		return FLAME_JIT;
	return flame_is_unknown(names, func) ? FLAME_UNRESOLVED : FLAME_USER;
}

enum flame_kind flame_kind_of(const struct tree *t, uint32_t node)
{
	const struct tree_node *n = &t->node[node];

	switch (n->kind) {
	case NODE_ROOT:
		return FLAME_ROOT;
	case NODE_GROUP:
		return FLAME_GROUP;
	case NODE_NUMA:
		return FLAME_NUMA;
	case NODE_SPAN:
		return FLAME_GROUP;
	case NODE_HOLDER:
		return FLAME_NOTE;
	case NODE_IDLE:
		return FLAME_IDLE;
	case NODE_FUNC:
		return flame_func_kind(t->names, n, names_func(t->names, n->func));
	default:
		break;
	}
	switch (dict_get_module(t->dict, dict_get_frame(t->dict, n->frame)->module)->kind) {
	case MODULE_NOTE:
		return FLAME_NOTE;
	case MODULE_KERNEL:
		return FLAME_KERNEL;
	default:
		return FLAME_UNRESOLVED;
	}
}

/* From a tree: what functions are called is looked up once each, as each stands in many places. */
struct from_tree {
	struct flame *f;
	const struct tree *t;
	uint32_t *label_of;      /* by func_id, twice: inlined or not; FLAME_NONE = not yet */
	uint32_t funcs;          /* when it was made: names may grow meanwhile */
	char *text;              /* TEXT_MAX bytes */
};

static uint32_t make_label(const struct from_tree *b, uint32_t node)
{
	tree_label(b->t, node, b->text, TEXT_MAX);
	return flame_label(b->f, b->text, strlen(b->text), flame_kind_of(b->t, node));
}

static uint32_t label_node(const struct from_tree *b, uint32_t node)
{
	const struct tree_node *n = &b->t->node[node];
	uint32_t *known;

	if (n->kind != NODE_FUNC || n->func >= b->funcs)
		return make_label(b, node);
	known = &b->label_of[2ul * n->func + n->inlined];
	if (*known == FLAME_NONE)
		*known = make_label(b, node);
	return *known;
}

/* Takes V away from *FROM, which has no less, but when sums were capped. */
static void flame_take(uint64_t *from, uint64_t v)
{
	*from -= v < *from ? v : *from;
}

enum flame_unit flame_unit_of(const struct measure *m)
{
	return m->unit == UNIT_TIME ? FLAME_NS : m->unit == UNIT_BYTES ? FLAME_BYTES : FLAME_COUNT;
}

void flame_set_parts(uint64_t parts[TIME_NR], const struct measure_set *set,
		     const uint64_t value[MEASURES_ASKED], uint64_t each)
{
	const bool wall = measure_set_is_wall(set);

	memset(parts, 0, TIME_NR * sizeof(*parts));
	for (unsigned int place = 0; place < MEASURES_ASKED; place++)
		if (set->lead >> place & 1)
			parts[wall ? place : TIME_RUNNING] = value[place] / each;
}

/* Fills SELF of every node: what a node is made of, less what its children are, in numbers of EACH. */
static void set_selfs(struct flame *f, const struct tree *t, uint64_t each)
{
	uint64_t value[MEASURES_ASKED], parts[TIME_NR];

	for (uint32_t i = 0; i < t->n; i++) {
		tree_values(t, i, value);
		flame_set_parts(parts, &t->set, value, each);
		memcpy(f->nodes.v[i].self, parts, sizeof(parts));
		for (unsigned int k = 0; i && k < TIME_NR; k++)
			flame_take(&f->nodes.v[t->node[i].parent].self[k], parts[k]);
	}
}

static bool flame_add_nodes(const struct from_tree *b)
{
	if (!b->label_of || !b->text || !vec_reserve(&b->f->nodes, b->t->n))
		return false;
	memset(b->label_of, 0xff, 2ul * b->funcs * sizeof(*b->label_of));
	for (uint32_t i = 1; i < b->t->n; i++)
		if (flame_add(b->f, b->t->node[i].parent, label_node(b, i)) == FLAME_NONE)
			return false;
	return true;
}

/* "99 Hz cpu-clock on 4 CPUs", as far as it is known. */
static int add_event(struct flame *f, const struct profile_meta *m, struct err *e)
{
	const uint32_t hz = m->freq_got ? m->freq_got : m->freq_asked;
	char text[128];

	if (!m->event[0])
		return 0;
	if (hz)
		text_format(text, sizeof(text), "%s at %u Hz", m->event, (unsigned int)hz);
	else
		text_format(text, sizeof(text), "%s", m->event);
	return flame_fact(f, "event", text, e);
}

static int flame_add_facts(struct flame *f, const struct profile_meta *m, struct err *e)
{
	const struct {
		const char *name, *text;
	} texts[] = {
		{ "written when", m->written_when },
		{ "command", m->cmdline }, { "host", m->host }, { "kernel", m->kernel }, { "sberf", m->version },
	};
	char text[UNITS_MAX];
	int r = m->target[0] ? flame_title(f, m->target, e) : 0;

	if (r >= 0)
		r = add_event(f, m, e);
	if (r >= 0 && m->duration_ns)
		r = flame_fact(f, "duration", units_time(text, m->duration_ns), e);
	if (r >= 0 && m->samples)
		r = flame_fact(f, "samples", units_thousands(text, m->samples), e);
	if (r >= 0 && m->user_samples)
		r = flame_fact(f, "complete stacks",
			       units_percent(text, (double)m->cut[CUT_COMPLETE] / (double)m->user_samples), e);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && r >= 0; i++)
		if (texts[i].text[0])
			r = flame_fact(f, texts[i].name, texts[i].text, e);
	return r;
}

/* What is counted, when that is none of what everybody expects: time, or what an import is of. */
static const struct measure *flame_special(const struct tree *t)
{
	const struct measure *m = measure_lead(&t->set);

	return m->wall || m->unit == UNIT_OWN ? NULL : m;
}

static int measure_title(struct flame *f, const struct measure *of, const struct profile_meta *m, struct err *e)
{
	char title[sizeof(m->target) + 64];

	text_format(title, sizeof(title), "%s%s%s", m->target, m->target[0] ? ": " : "", of->title);
	return flame_title(f, title, e);
}

/* The numbers of what is in SET, "0,2", which must not be empty. */
static const char *node_list(const struct nodeset *set, char *dst, size_t size)
{
	struct list_text list = list_text(dst, size);
	char id[16];

	for (uint32_t node = 0; node < NODES_MAX; node++) {
		if (!nodeset_has(set, node))
			continue;
		snprintf(id, sizeof(id), "%" PRIu32, node);
		list_text_add(&list, id, strlen(id));
	}
	return dst;
}

/* "only stacks with", "without threads". */
static int flame_add_term(struct flame *f, const struct filter_term *t, struct err *e)
{
	static const char *const names[TERM_NR][2] = {
		[TERM_FUNCTION] = { "only stacks with", "without stacks with" },
		[TERM_THREAD] = { "only threads", "without threads" },
		[TERM_PROCESS] = { "only processes", "without processes" },
		[TERM_CGROUP] = { "only cgroups", "without cgroups" },
		[TERM_CONTAINER] = { "only containers", "without containers" },
		[TERM_HOST] = { "only hosts", "without hosts" },
		[TERM_NODE] = { "only CPUs of nodes", "without CPUs of nodes" },
		[TERM_STATE] = { "only waits in state", "without waits in state" },
		[TERM_SYSCALL] = { "only waits in", "without waits in" },
		[TERM_SIZE] = { "only memory of size", "without memory of size" },
	};

	return flame_fact(f, names[t->what][t->not], t->text, e);
}

int flame_filters(struct flame *f, const struct tree *t, struct err *e)
{
	const struct query *q = &t->query;
	char nodes[NUMA_LIST_MAX];
	int r = 0;

	if (flame_special(t))
		r = flame_fact(f, "counted", flame_special(t)->about, e);
	for (uint32_t i = 0; i < q->terms.n && r >= 0; i++)
		r = flame_add_term(f, &q->terms.v[i], e);
	if (r >= 0 && !nodeset_empty(&q->nodes))
		r = flame_fact(f, "only CPUs of nodes", node_list(&q->nodes, nodes, sizeof(nodes)), e);
	return r;
}

/* Initialises *RET from T, with facts from M (NULL = none). 0, or -ENOMEM with *RET empty. */
static int flame_from_tree(struct flame *ret, const struct tree *t, const struct profile_meta *m, struct err *e)
{
	struct from_tree b = { .f = ret, .t = t, .funcs = names_funcs(t->names), .text = malloc(TEXT_MAX) };
	const struct measure *lead = measure_lead(&t->set);
	int r = flame_init(ret, e);

	b.label_of = malloc((2ul * b.funcs + 1) * sizeof(*b.label_of));
	if (r >= 0 && !flame_add_nodes(&b))
		r = err_nomem(e, "the flame graph");
	if (r >= 0) {
		ret->unit = flame_unit_of(lead);
		set_selfs(ret, t, measure_one(lead));
	}
	if (r >= 0)
		r = flame_filters(ret, t, e);
	if (r >= 0 && m)
		r = flame_add_facts(ret, m, e);
	if (r >= 0 && m && flame_special(t))
		r = measure_title(ret, flame_special(t), m, e);
	free(b.label_of);
	free(b.text);
	if (r < 0)
		flame_free(ret);
	return r;
}

int flame_of(struct flame *ret, const struct export_view *v, struct err *e)
{
	int r = flame_from_tree(ret, v->tree, v->meta, e);

	if (r < 0)
		return r;
	if (v->title)
		r = flame_title(ret, v->title, e);
	if (r < 0)
		flame_free(ret);
	return r;
}

int flame_write(FILE *out, const struct export_view *v, flame_drawer *draw, struct err *e)
{
	struct flame f;
	int r = flame_of(&f, v, e);

	if (r < 0)
		return r;
	r = draw(out, &f, &v->flame, e);
	flame_free(&f);
	return r;
}
