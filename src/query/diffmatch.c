/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * diffmatch.c - finds out which nodes of two trees are the same thing (treediff.h has the rules).
 * Whatever a node can be is an *item*, found by its key: a function by name and file, a place by
 * build-id and offset, a group by its name. Items that turn out to be the same are joined; what a
 * node is, is the item at which these joins end (diffmatch_top()).
 *
 * 1. Modules: a *file class* for all that have one name or one build-id; a *build* for each
 *    build-id, shared when both sides have it.
 * 2. Every node gets its item. A function whose place in a shared build is known is joined with
 *    that place, and so with whatever the other side calls it.
 * 3. Unnamed places in shared builds are joined with the function that covers them on any side.
 * 4. Functions that only one side has are joined with those of the other that have the same bare
 *    name; and two groups of different names, each of which has most of its side.
 */
#include "config.h"

#include "query/diffmatch.h"

#include "base/hash.h"
#include "base/order.h"
#include "base/vec.h"
#include "query/holderparts.h"
#include "query/label.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum tag {
	TAG_KIND,                /* the root, what idles: a = kind */
	TAG_NUMA,                /* a = node */
	TAG_SPAN,                /* a = enum span_place */
	TAG_GROUP,               /* a = depth, b = name */
	TAG_HOLDER,              /* a = what its note says */
	TAG_NOTE,                /* a = note */
	TAG_FUNC,                /* a = name, b = file class and kind */
	TAG_PLACE,               /* a = build, b = offset */
	TAG_NAMELESS,            /* a = file class */
};

struct item {
	uint64_t a, b;
	str_id text;             /* to be sorted by */
	uint32_t up;             /* what it was joined to; itself = nothing */
	uint8_t tag;
	uint8_t seen;            /* of what is joined: on which sides, as a mask */
	uint32_t node[DIFF_SIDES], named[DIFF_SIDES];    /* the heaviest node, and the heaviest with a name */
};

struct build {
	uint8_t len, id[BUILD_ID_MAX];
	uint8_t seen;            /* on which sides, as a mask */
	str_id class;
};

/* A function at a known place of a shared build. */
struct range {
	uint64_t start, end;
	uint32_t build, item;
};

#define BOTH 3u
#define NONE UINT32_MAX
#define GROUP_LEVELS 3u          /* node, process, thread */

struct side {
	const struct tree *t;
	str_id *class;           /* by module: its file class */
	uint32_t *build;         /* by module; NONE = not known, or not shared */
	uint32_t *func;          /* by function: its item; NONE = not asked yet */
	uint32_t *what;          /* by node */
};

struct matches {
	struct side side[DIFF_SIDES];
	struct strtab *texts;
	VEC(struct item) items;
	struct hidx index;
	VEC(struct build) builds;
	struct hidx build_index;
	VEC(struct range) ranges;
};

static uint64_t item_hash(uint8_t tag, uint64_t a, uint64_t b)
{
	return hash_2u64(hash_2u64(tag, a), b);
}

static uint64_t item_rehash(const void *ctx, uint32_t id)
{
	const struct matches *m = ctx;

	return item_hash(m->items.v[id].tag, m->items.v[id].a, m->items.v[id].b);
}

/* The item with this key, made when there is none; NONE when out of memory. */
static uint32_t find_item(struct matches *m, uint8_t tag, uint64_t a, uint64_t b, str_id text)
{
	const uint64_t h = item_hash(tag, a, b);
	uint32_t id;

	if (text == STR_NONE)
		return NONE;
	hidx_each(&m->index, h, id) {
		const struct item *i = &m->items.v[id];

		if (i->tag == tag && i->a == a && i->b == b)
			return id;
	}
	if (!vec_reserve(&m->items, 1))
		return NONE;
	id = (uint32_t)m->items.n;
	m->items.v[id] = (struct item){
		.tag = tag, .a = a, .b = b, .text = text, .up = id, .node = { NODE_NONE, NODE_NONE },
			.named = { NODE_NONE, NODE_NONE },
	};
	if (!hidx_add(&m->index, h, id, item_rehash, m))
		return NONE;
	m->items.n++;
	return id;
}

static uint32_t diffmatch_top(struct matches *m, uint32_t id)
{
	struct item *v = m->items.v;

	while (v[id].up != id)
		id = v[id].up = v[v[id].up].up;
	return id;
}

static void diffmatch_join(struct matches *m, uint32_t a, uint32_t b)
{
	a = diffmatch_top(m, a);
	b = diffmatch_top(m, b);
	m->items.v[a > b ? a : b].up = a > b ? b : a;
}

/* 1. Modules. */

static uint64_t build_rehash(const void *ctx, uint32_t id)
{
	const struct matches *m = ctx;

	return hash_bytes(m->builds.v[id].id, m->builds.v[id].len);
}

/* The build of MODULE, which has a build-id, made when there is none and then of CLASS; NONE when out of memory. */
static uint32_t find_build(struct matches *m, const struct module *module, str_id class)
{
	const uint64_t h = hash_bytes(module->build_id, module->build_id_len);
	struct build b = { .len = module->build_id_len, .class = class };
	uint32_t id;

	hidx_each(&m->build_index, h, id)
		if (m->builds.v[id].len == b.len && !memcmp(m->builds.v[id].id, module->build_id, b.len))
			return id;
	memcpy(b.id, module->build_id, b.len);
	if (!vec_reserve(&m->builds, 1))
		return NONE;
	m->builds.v[m->builds.n] = b;
	if (!hidx_add(&m->build_index, h, (uint32_t)m->builds.n, build_rehash, m))
		return NONE;
	return (uint32_t)m->builds.n++;
}

/* "app", "[kernel]": what MODULE is called in both recordings. */
static str_id file_class(struct matches *m, const struct dict *d, const struct module *module)
{
	char text[LABEL_MAX];

	if (module->kind == MODULE_KERNEL)
		return strtab_adds(m->texts, "[kernel]");
	if (module->kind == MODULE_ANON)
		return strtab_adds(m->texts, "[anon]");
	if (module->kind == MODULE_VDSO)
		return strtab_adds(m->texts, "[vdso]");
	label_file(d, module->path, text, sizeof(text));
	return strtab_adds(m->texts, text);
}

static bool note_modules(struct matches *m, int side)
{
	struct side *s = &m->side[side];
	const uint32_t n = dict_modules(s->t->dict);

	s->class = calloc(n + 1ul, sizeof(*s->class));
	s->build = calloc(n + 1ul, sizeof(*s->build));
	if (!s->class || !s->build)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct module *module = dict_get_module(s->t->dict, i);

		s->class[i] = file_class(m, s->t->dict, module);
		s->build[i] = module->build_id_len ? find_build(m, module, s->class[i]) : NONE;
		if (s->class[i] == STR_NONE || (module->build_id_len && s->build[i] == NONE))
			return false;
		if (s->build[i] == NONE)
			continue;
		m->builds.v[s->build[i]].seen |= (uint8_t)(1u << side);
		s->class[i] = m->builds.v[s->build[i]].class;
	}
	return true;
}

/* Places in a build that only one side has are of no use. */
static void forget_unshared(struct matches *m, int side)
{
	struct side *s = &m->side[side];

	for (uint32_t i = 0; i < dict_modules(s->t->dict); i++)
		if (s->build[i] != NONE && m->builds.v[s->build[i]].seen != BOTH)
			s->build[i] = NONE;
}

/* 2. Nodes. */

/* The file class of MODULE; that of no name for one that does not exist. */
static str_id class_of(const struct side *s, module_id module)
{
	return module < dict_modules(s->t->dict) ? s->class[module] : 0;
}

static uint32_t build_of(const struct side *s, module_id module)
{
	return module < dict_modules(s->t->dict) ? s->build[module] : NONE;
}

/* A function that has lost its name is called by where it starts: "dash+0x4700" (symbol/resolver.c). */
static bool is_place_name(const struct side *s, const struct func *f)
{
	const char *name = names_text(s->t->names, f->name);
	const struct module *module = dict_get_module(s->t->dict, f->module);
	const char *path = module ? strtab_get(dict_strings(s->t->dict), module->path) : "", *base = strrchr(path, '/');
	char end[32];
	size_t len;

	base = base ? base + 1 : path;
	len = strlen(base);
	snprintf(end, sizeof(end), "+0x%" PRIx64, f->start);
	return f->size && !strncmp(name, base, len) && !strcmp(name + len, end);
}

/* The item of a place of MODULE; NONE when out of memory. */
static uint32_t place_item(struct matches *m, const struct side *s, module_id module, uint64_t offset)
{
	const uint32_t build = build_of(s, module);
	const str_id class = class_of(s, module);

	return build == NONE ? find_item(m, TAG_NAMELESS, class, 0, class) :
		find_item(m, TAG_PLACE, build, offset, class);
}

static uint32_t make_func_item(struct matches *m, const struct side *s, const struct func *f)
{
	const uint32_t build = build_of(s, f->module);
	const str_id text = strtab_adds(m->texts, names_text(s->t->names, f->name));
	uint32_t item, place;
	struct range *range;

	if (is_place_name(s, f))
		item = place_item(m, s, f->module, f->start);
	else
		item = find_item(m, TAG_FUNC, text, (uint64_t)class_of(s, f->module) << 8 | f->kind, text);
	if (item == NONE || !f->size || build == NONE)
		return item;
	place = find_item(m, TAG_PLACE, build, f->start, class_of(s, f->module));
	range = vec_push(&m->ranges);
	if (place == NONE || !range)
		return NONE;
	diffmatch_join(m, item, place);
	*range = (struct range){ .build = build, .start = f->start, .end = f->start + f->size, .item = item };
	return item;
}

static uint32_t func_item(struct matches *m, struct side *s, func_id func)
{
	const struct func *f = names_func(s->t->names, func);

	if (s->func[func] == NONE)
		s->func[func] = make_func_item(m, s, f);
	return s->func[func];
}

static uint32_t addr_item(struct matches *m, const struct side *s, frame_id frame)
{
	const struct frame *f = dict_get_frame(s->t->dict, frame);

	if (dict_get_module(s->t->dict, f->module)->kind == MODULE_NOTE)
		return find_item(m, TAG_NOTE, f->offset, 0, 0);
	return place_item(m, s, f->module, f->offset);
}

static uint32_t group_item(struct matches *m, const struct side *s, uint32_t node)
{
	char text[LABEL_MAX];
	str_id id;

	label_kin(s->t, node, text, sizeof(text));
	id = strtab_adds(m->texts, text);
	return find_item(m, TAG_GROUP, s->t->node[node].depth, id, id);
}

static uint32_t holder_item(struct matches *m, const struct side *s, const struct tree_node *n)
{
	char text[LABEL_MAX];
	str_id id;

	holder_note(s->t->dict, n->thread, (enum holder_how)n->inlined, text, sizeof(text));
	id = strtab_adds(m->texts, text);
	return find_item(m, TAG_HOLDER, id, 0, id);
}

static uint32_t node_item(struct matches *m, struct side *s, uint32_t node)
{
	const struct tree_node *n = &s->t->node[node];

	switch (n->kind) {
	case NODE_FUNC:
		return func_item(m, s, n->func);
	case NODE_ADDR:
		return addr_item(m, s, n->frame);
	case NODE_GROUP:
		return group_item(m, s, node);
	case NODE_NUMA:
		return find_item(m, TAG_NUMA, n->frame, 0, 0);
	case NODE_SPAN:
		return find_item(m, TAG_SPAN, n->frame, 0, 0);
	case NODE_HOLDER:
		return holder_item(m, s, n);
	default:
		return find_item(m, TAG_KIND, n->kind, 0, 0);
	}
}

static bool note_nodes(struct matches *m, int side)
{
	struct side *s = &m->side[side];
	const size_t funcs = names_funcs(s->t->names);

	s->func = malloc((funcs + 1) * sizeof(*s->func));
	s->what = malloc(s->t->n * sizeof(*s->what));
	if (!s->func || !s->what)
		return false;
	memset(s->func, 0xff, (funcs + 1) * sizeof(*s->func));
	for (uint32_t i = 0; i < s->t->n; i++) {
		s->what[i] = node_item(m, s, i);
		if (s->what[i] == NONE)
			return false;
	}
	return true;
}

/* 3. Places. */

static int compare_ranges(const void *va, const void *vb)
{
	const struct range *a = va, *b = vb;
	const int r = compare_numbers(a->build, b->build);

	return r ? r : compare_numbers(a->start, b->start);
}

/* Joins the places among the first N items with the functions that cover them. */
static void join_covered(struct matches *m, size_t n)
{
	const struct range *v = m->ranges.v;

	for (size_t i = 0; i < n; i++) {
		const struct item *item = &m->items.v[i];
		const struct range want = { .build = (uint32_t)item->a, .start = item->b };
		size_t lo = 0, hi = m->ranges.n;

		if (item->tag != TAG_PLACE)
			continue;
		while (lo < hi) {
			const size_t mid = lo + (hi - lo) / 2;

			if (compare_ranges(&v[mid], &want) <= 0)
				lo = mid + 1;
			else
				hi = mid;
		}
		if (lo && v[lo - 1].build == want.build && want.start < v[lo - 1].end)
			diffmatch_join(m, (uint32_t)i, v[lo - 1].item);
	}
}

/* What is on a side goes up to what it was joined to. */
static void diffmatch_see(struct matches *m)
{
	for (size_t i = 0; i < m->items.n; i++)
		m->items.v[i].seen = 0;
	for (int side = 0; side < DIFF_SIDES; side++)
		for (uint32_t i = 0; i < m->side[side].t->n; i++)
			m->items.v[diffmatch_top(m, m->side[side].what[i])].seen |= (uint8_t)(1u << side);
}

/* 4. What only one side has. */

/* How much of the LEN bytes at NAME stays without what compilers put behind the names of clones. */
static size_t bare_len(const char *name, size_t len)
{
	static const char *const clones[] = { ".isra.", ".constprop.", ".part.", ".cold", ".llvm.",
					      ".lto_priv.", " [clone " };

	for (size_t i = 0; i < sizeof(clones) / sizeof(clones[0]); i++) {
		const char *at = memmem(name, len, clones[i], strlen(clones[i]));

		if (at && at > name)
			len = (size_t)(at - name);
	}
	return len;
}

/* Joins functions that only one side has, by bare name: a table has those before, and those after are looked up. */
static bool join_by_name(struct matches *m)
{
	AUTO(strtab_free) struct strtab *bare = strtab_new();
	VEC(uint32_t) first = { 0 };             /* by text in BARE: what has that name before; NONE = nothing */
	const size_t n = m->items.n;
	bool ok = bare;

	for (int side = 0; ok && side < DIFF_SIDES; side++) {
		for (size_t i = 0; ok && i < n; i++) {
			const struct item *item = &m->items.v[i];
			const char *name = strtab_get(m->texts, item->text);
			const uint8_t seen = m->items.v[diffmatch_top(m, (uint32_t)i)].seen;
			str_id text;

			if (item->tag != TAG_FUNC || seen != 1u << side)
				continue;
			text = strtab_add(bare, name, bare_len(name, strlen(name)));
			ok = text != STR_NONE;
			while (ok && first.n <= text) {
				uint32_t *slot = vec_push(&first);

				ok = slot;
				if (ok)
					*slot = NONE;
			}
			if (ok && side == DIFF_BEFORE && first.v[text] == NONE)
				first.v[text] = (uint32_t)i;
			else if (ok && side == DIFF_AFTER && first.v[text] != NONE)
				diffmatch_join(m, (uint32_t)i, first.v[text]);
		}
	}
	vec_free(&first);
	return ok;
}

/*
 * The group of DEPTH that only SIDE has and that has more than half of its time; NONE = there is
 * none. WEIGHT: zeros, by item.
 */
static uint32_t main_group(struct matches *m, int side, uint32_t depth, double *weight)
{
	const struct tree *t = m->side[side].t;

	for (uint32_t i = 0; i < t->n; i++) {
		const uint32_t item = m->side[side].what[i];

		if (t->node[i].kind != NODE_GROUP || t->node[i].depth != depth ||
		    m->items.v[diffmatch_top(m, item)].seen != 1u << side)
			continue;
		weight[item] += (double)t->node[i].total_ns;
		if (weight[item] > (double)t->node[0].total_ns / 2)
			return item;
	}
	return NONE;
}

/* Joins groups of different names that have most of their sides. */
static bool join_main_groups(struct matches *m)
{
	for (uint32_t depth = 1; depth <= GROUP_LEVELS; depth++) {
		uint32_t group[DIFF_SIDES];

		for (int side = 0; side < DIFF_SIDES; side++) {
			AUTO_FREE double *weight = calloc(m->items.n + 1, sizeof(*weight));

			if (!weight)
				return false;
			group[side] = main_group(m, side, depth, weight);
		}
		if (group[DIFF_BEFORE] != NONE && group[DIFF_AFTER] != NONE)
			diffmatch_join(m, group[DIFF_BEFORE], group[DIFF_AFTER]);
	}
	return true;
}

static bool diffmatch_has_name(const struct side *s, const struct tree_node *n)
{
	return n->kind != NODE_ADDR && (n->kind != NODE_FUNC || !is_place_name(s, names_func(s->t->names, n->func)));
}

/* What each node is in the end, and the heaviest nodes of each thing. */
static void diffmatch_settle(struct matches *m, int side)
{
	struct side *s = &m->side[side];

	for (uint32_t i = 0; i < s->t->n; i++) {
		const struct tree_node *n = &s->t->node[i];
		struct item *item;
		uint32_t *named;

		s->what[i] = diffmatch_top(m, s->what[i]);
		item = &m->items.v[s->what[i]];
		if (item->node[side] == NODE_NONE || n->total_ns > s->t->node[item->node[side]].total_ns)
			item->node[side] = i;
		named = &item->named[side];
		if ((*named == NODE_NONE || n->total_ns > s->t->node[*named].total_ns) && diffmatch_has_name(s, n))
			*named = i;
	}
}

static bool diffmatch_match(struct matches *m)
{
	size_t places;

	if (!note_modules(m, DIFF_BEFORE) || !note_modules(m, DIFF_AFTER))
		return false;
	forget_unshared(m, DIFF_BEFORE);
	forget_unshared(m, DIFF_AFTER);
	if (!note_nodes(m, DIFF_BEFORE) || !note_nodes(m, DIFF_AFTER))
		return false;
	places = m->items.n;
	if (m->ranges.n)
		qsort(m->ranges.v, m->ranges.n, sizeof(*m->ranges.v), compare_ranges);
	join_covered(m, places);
	diffmatch_see(m);
	if (!join_by_name(m) || !join_main_groups(m))
		return false;
	diffmatch_settle(m, DIFF_BEFORE);
	diffmatch_settle(m, DIFF_AFTER);
	return true;
}

struct matches *matches_new(const struct tree *const tree[DIFF_SIDES])
{
	struct matches *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->side[DIFF_BEFORE].t = tree[DIFF_BEFORE];
	m->side[DIFF_AFTER].t = tree[DIFF_AFTER];
	m->texts = strtab_new();
	if (m->texts && diffmatch_match(m))
		return m;
	matches_free(m);
	return NULL;
}

void matches_free(struct matches *m)
{
	if (!m)
		return;
	for (int side = 0; side < DIFF_SIDES; side++) {
		free(m->side[side].class);
		free(m->side[side].build);
		free(m->side[side].func);
		free(m->side[side].what);
	}
	strtab_free(m->texts);
	vec_free(&m->items);
	hidx_free(&m->index);
	vec_free(&m->builds);
	hidx_free(&m->build_index);
	vec_free(&m->ranges);
	free(m);
}

uint32_t matches_what(const struct matches *m, int side, uint32_t node)
{
	return m->side[side].what[node];
}

uint32_t matches_count(const struct matches *m)
{
	return (uint32_t)m->items.n;
}

int matches_compare(const struct matches *m, uint32_t a, uint32_t b)
{
	const struct item *x = &m->items.v[a], *y = &m->items.v[b];
	int r = strcmp(strtab_get(m->texts, x->text), strtab_get(m->texts, y->text));

	if (!r)
		r = compare_numbers(x->tag, y->tag);
	if (!r)
		r = compare_numbers(x->b, y->b);
	return r ? r : compare_numbers(x->a, y->a);
}

uint32_t matches_node(const struct matches *m, int side, uint32_t what)
{
	return m->items.v[what].node[side];
}

uint32_t matches_named(const struct matches *m, uint32_t what, int *ret_side)
{
	const struct item *i = &m->items.v[what];

	*ret_side = i->named[DIFF_AFTER] != NODE_NONE ? DIFF_AFTER : DIFF_BEFORE;
	if (i->named[*ret_side] != NODE_NONE)
		return i->named[*ret_side];
	*ret_side = i->node[DIFF_AFTER] != NODE_NONE ? DIFF_AFTER : DIFF_BEFORE;
	return i->node[*ret_side];
}

bool matches_nameless(const struct matches *m, uint32_t what)
{
	return m->items.v[what].tag == TAG_NAMELESS;
}
