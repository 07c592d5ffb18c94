/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * query.c - builds a call tree from the facts of a snapshot, touching each fact and each trie node
 * once.
 *
 * 1. Facts are summed per (group, stack), over slices and threads. Most stacks have the first
 *    measure alone, so sums of the other measures are kept apart.
 * 2. The sums are sorted: groups by falling weight, and in each group stacks by falling weight (in
 *    classes of an eighth of an octave, so a counting sort will do). So the heaviest stacks get
 *    their nodes first: they decide on tree_node.place, and if there are too many nodes, the
 *    lightest stacks are left out.
 * 3. Each stack walks up the trie to the first node that this group has met before, and down again
 *    making tree nodes. The memo of what was met is one array over the trie, stamped with the
 *    group. An inverted tree has no shared prefixes to remember and walks each stack whole, as is
 *    done where recursion is folded.
 * 4. Totals are summed from the back (parents come before their children), and siblings sorted.
 *
 * No recursion anywhere: stacks are thousands of frames deep.
 */
#include "config.h"

#include "query/query.h"

#include "base/hash.h"
#include "base/order.h"
#include "base/vec.h"
#include "model/allocation.h"
#include "profile/slice.h"
#include "query/filter.h"
#include "query/foldpath.h"
#include "query/group.h"
#include "query/hidden.h"
#include "query/holderparts.h"
#include "query/identity.h"
#include "query/tree.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* What a (group, stack) weighs. */
struct sum {
	stack_id stack;
	uint32_t group;          /* 0 when there are no groups */
	uint64_t ns, count;
	double squares;          /* as in tree_node */
	/* plus one: where builder.beside says what of it is not of the first measure; 0 = nothing */
	uint64_t beside;
};

/*
 * What of a sum is not of the measure in the first place, and what of it is in waits. Apart, as
 * most questions are about stacks that only run.
 */
struct beside {
	uint64_t value[MEASURES_ASKED];  /* by place; the first one's only when it is no part of the total */
	uint64_t open_ns, doubt_ns;
	float open_longest_ns;
};

/* A wait whose holder is known: its parts are added by themselves. */
struct held_wait {
	struct fact fact;
	size_t slice;
	uint32_t group;
	unsigned int is;
};

/* A place of a part of a wait, where trees have no memo: it is added when the part is whole, as it may begin inside. */
struct held_step {
	uint32_t outer;          /* the place that it is below, in builder.step; NODE_NONE = the group */
	stack_id stack;
	thread_id holder;        /* of a note, HOW; ID_NONE = it is STACK */
	enum holder_how how;
};

/* Where a trie node ended up in the tree, for the group whose number plus one is in STAMP. */
struct memo {
	uint32_t stamp;
	uint32_t node;           /* with MEMO_CUT when that is only an ancestor of the right place */
};

#define MEMO_CUT 0x80000000u
#define DEPTH_MAX (UINT16_MAX - 1)
/* what a wait stands for at least that stands for others: docs/architecture.md, "Time off the CPU" */
#define DOUBT_NS 1e7

struct builder {
	const struct dict *d;
	const struct names *names;
	const struct query *q;
	uint32_t max_nodes;
	struct groups groups;
	struct filter filter;
	VEC(struct sum) sums;
	VEC(struct beside) beside;
	struct hidx sum_index;
	uint32_t last_sum;       /* that was found: facts are sorted by stack, so the next one is often of the same */
	VEC(struct tree_node) nodes;
	uint64_t *more;          /* tree.more, by node; there is none before more than NODE_VALUES are asked for */
	size_t more_room;        /* nodes that it has room for */
	bool has_more;           /* more than NODE_VALUES are asked for */
	struct hidx node_index;  /* by key */
	struct memo *memo;       /* by stack id; none for inverted trees, and where recursion is folded */
	VEC(stack_id) path;
	struct identity identity;
	struct hidden hidden;
	struct fold_path folded;
	struct holder_parts *parts;      /* with query.holders; NULL = without */
	VEC(struct held_wait) held;
	const struct held_wait *dividing;
	VEC(struct held_step) step;      /* of that */
	uint32_t dividing_top;           /* the node of its group, with MEMO_CUT when there was no room for it */
	uint32_t stamp;          /* the last one of a memo that stands for no group */
	uint64_t max_ns, cut_ns;
	uint8_t *idle_thread;    /* by filter.same[]: it idles; NULL while there is none */
	uint32_t idle_threads;
	uint64_t idle_ns;
	struct beside idle;      /* what was folded */
	uint64_t idle_count;
	double idle_squares;
	bool no_memory;
};

static bool query_fail(struct builder *b)
{
	b->no_memory = true;
	return false;
}

/* 1. Sums. */

static uint64_t query_sum_hash(uint32_t group, stack_id stack)
{
	return hash_u64((uint64_t)group << 32 | stack);
}

static uint64_t query_sum_rehash(const void *ctx, uint32_t id)
{
	const struct builder *b = ctx;

	return query_sum_hash(b->sums.v[id].group, b->sums.v[id].stack);
}

/* The sum of (GROUP, STACK), made when there is none; NULL when out of memory. */
static struct sum *query_find_sum(struct builder *b, uint32_t group, stack_id stack)
{
	uint32_t id = b->last_sum;
	uint64_t h;

	if (id < b->sums.n && b->sums.v[id].stack == stack && b->sums.v[id].group == group)
		return &b->sums.v[id];
	h = query_sum_hash(group, stack);
	hidx_each(&b->sum_index, h, id) {
		if (b->sums.v[id].stack != stack || b->sums.v[id].group != group)
			continue;
		b->last_sum = id;
		return &b->sums.v[id];
	}
	if (!vec_reserve(&b->sums, 1))
		return NULL;
	b->last_sum = (uint32_t)b->sums.n;
	b->sums.v[b->last_sum] = (struct sum){ .stack = stack, .group = group };
	if (!hidx_add(&b->sum_index, h, b->last_sum, query_sum_rehash, b))
		return NULL;
	return &b->sums.v[b->sums.n++];
}

static void add_beside(struct beside *to, const struct measure_set *set, const struct fact *f, unsigned int places,
		       unsigned int is)
{
	for (unsigned int place = 0; place < MEASURES_ASKED; place++)
		if (places >> place & 1)
			to->value[place] = add_capped(to->value[place],
						      measure_value(set, place, f->weight, f->count));
	if (is & FACT_OPEN) {
		to->open_ns = add_capped(to->open_ns, f->weight);
		if (f->longest_ns > to->open_longest_ns)
			to->open_longest_ns = f->longest_ns;
	}
	if (is & FACT_DOUBT)
		to->doubt_ns = add_capped(to->doubt_ns, f->weight);
}

/* Counts F, which idles. */
static bool note_idle(struct builder *b, const struct fact *f)
{
	const thread_id t = b->filter.same[f->thread];

	if (!b->idle_thread)
		b->idle_thread = calloc(b->filter.threads, sizeof(*b->idle_thread));
	if (!b->idle_thread)
		return query_fail(b);
	b->idle_threads += !b->idle_thread[t];
	b->idle_thread[t] = 1;
	b->idle_ns = add_capped(b->idle_ns, f->weight);
	return true;
}

static bool query_grouped(const struct builder *b)
{
	return b->q->group_by != GROUP_NONE || b->q->by_node || b->q->by_span;
}

/* The group that F, which was INSIDE, is in; GROUP_TOP when out of memory. */
static uint32_t query_group_of(struct builder *b, const struct fact *f, uint64_t inside)
{
	uint32_t group = b->groups.of_thread ? b->groups.of_thread[f->thread] : GROUP_TOP;

	if (b->q->by_node) {
		group = groups_on_node(&b->groups, group, f->node < NODES_MAX ? f->node : NODE_UNKNOWN);
		if (group == GROUP_TOP)
			return GROUP_TOP;
	}
	if (b->q->by_span)
		return groups_in_place(&b->groups, group, span_filter_place(&b->filter.span, inside));
	return group == GROUP_TOP ? 0 : group;
}

/* What F adds to tree_node.squares: its weight times what each event in it weighs; of blocks its variance. */
static double squares_of(const struct builder *b, const struct fact *f, unsigned int is)
{
	const double ns = (double)f->weight;
	double each = f->count ? ns / (double)f->count : ns;

	if (EVENT_IS_MEMORY(f->kind)) {
		const struct allocation a = allocation_of(dict_get_argument(b->filter.d, f->argument));

		return b->filter.set.events >> b->filter.set.first & 1 ? alloc_blocks_variance(&a, f->count) :
			alloc_variance(&a, f->weight);
	}
	if (EVENT_IS_WAIT(f->kind) && f->longest_ns > each)
		each = f->longest_ns;
	if (is & FACT_DOUBT && each < DOUBT_NS)
		each = ns < DOUBT_NS ? ns : DOUBT_NS;
	return ns * each;
}

/* Keeps F, of slice number SLICE, for later, when it is to be divided; false when it is not. */
static bool query_keep_held(struct builder *b, const struct fact *f, size_t slice, uint32_t group, unsigned int is)
{
	const struct held_lock *l;
	struct held_wait *held;

	if (!b->parts || holder_parts_holder(b->parts, f, &l) == ID_NONE)
		return false;
	held = vec_push(&b->held);
	if (!held)
		return query_fail(b);
	*held = (struct held_wait){ *f, slice, group, is };
	return true;
}

static bool query_add_fact(struct builder *b, const struct fact *f, size_t slice, uint64_t inside, unsigned int is)
{
	const unsigned int places = filter_places(&b->filter, f);
	const bool leads = places & b->filter.set.lead;
	const uint64_t count = leads && is & FACT_COUNTS ? f->count : 0;
	uint32_t group;
	struct sum *s;

	if (is & FACT_IDLE && !note_idle(b, f))
		return false;
	if (is & FACT_IDLE && b->q->fold_idle) {
		add_beside(&b->idle, &b->filter.set, f, places, is);
		b->idle_count += count;
		b->idle_squares += squares_of(b, f, is);
		return true;
	}
	group = query_group_of(b, f, inside);
	if (group != GROUP_TOP && query_keep_held(b, f, slice, group, is))
		return true;
	s = group == GROUP_TOP ? NULL : query_find_sum(b, group, f->stack);
	if (!s)
		return query_fail(b);
	if (leads) {
		s->ns = add_capped(s->ns, measure_total(&b->filter.set, f->weight, f->count));
		s->count += count;
		s->squares += squares_of(b, f, is);
	}
	if (places == 1 && leads)
		return true;
	if (!s->beside) {
		struct beside *beside = vec_push(&b->beside);

		if (!beside)
			return query_fail(b);
		*beside = (struct beside){ 0 };
		s->beside = b->beside.n;
	}
	add_beside(&b->beside.v[s->beside - 1], &b->filter.set, f, places, is);
	return true;
}

static bool sum_facts(struct builder *b)
{
	struct asked a = { 0 };

	while (filter_next(&b->filter, &a))
		if (!query_add_fact(b, a.fact, a.v.next - 1, a.inside, a.is))
			return false;
	b->max_ns = a.end_ns;
	hidx_free(&b->sum_index);
	return true;
}

/* 2. Order. */

struct group_weight {
	uint64_t ns;
	uint32_t group;
};

static int query_compare_groups(const void *va, const void *vb)
{
	const struct group_weight *a = va, *b = vb;

	return a->ns != b->ns ? compare_numbers(b->ns, a->ns) : compare_numbers(a->group, b->group);
}

/* Stable counting sort of the N sums at FROM into TO; PLACE(sum) < CLASSES is at start[]. */
static void place_sums(struct sum *to, const struct sum *from, size_t n, size_t *start, const uint32_t *rank)
{
	for (size_t i = 0; i < n; i++)
		to[start[rank ? rank[from[i].group] : WEIGHT_CLASSES - 1 - weight_class(from[i].ns)]++] = from[i];
}

/* Turns counts into where each class starts. */
static void counts_to_starts(size_t *count, size_t n)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		const size_t here = count[i];

		count[i] = at;
		at += here;
	}
}

/* Fills RANK, the place of each of N groups by falling weight, and START, where the sums of each rank start. */
static bool rank_groups(const struct builder *b, size_t n, uint32_t *rank, size_t *start)
{
	AUTO_FREE struct group_weight *w = calloc(n, sizeof(*w));

	if (!w)
		return false;
	for (size_t g = 0; g < n; g++)
		w[g].group = (uint32_t)g;
	for (size_t i = 0; i < b->sums.n; i++)
		w[b->sums.v[i].group].ns = add_capped(w[b->sums.v[i].group].ns, b->sums.v[i].ns);
	qsort(w, n, sizeof(*w), query_compare_groups);
	for (size_t r = 0; r < n; r++)
		rank[w[r].group] = (uint32_t)r;
	for (size_t i = 0; i < b->sums.n; i++)
		start[rank[b->sums.v[i].group]]++;
	counts_to_starts(start, n);
	return true;
}

static bool order_sums(struct builder *b)
{
	const size_t groups = b->groups.v.n ? b->groups.v.n : 1;
	AUTO_FREE struct sum *tmp = malloc((b->sums.n + 1) * sizeof(*tmp));
	AUTO_FREE uint32_t *rank = malloc(groups * sizeof(*rank));
	AUTO_FREE size_t *start = calloc(groups, sizeof(*start));
	size_t classes[WEIGHT_CLASSES] = { 0 };

	if (!tmp || !rank || !start || !rank_groups(b, groups, rank, start))
		return query_fail(b);
	for (size_t i = 0; i < b->sums.n; i++)
		classes[WEIGHT_CLASSES - 1 - weight_class(b->sums.v[i].ns)]++;
	counts_to_starts(classes, WEIGHT_CLASSES);
	place_sums(tmp, b->sums.v, b->sums.n, classes, NULL);
	place_sums(b->sums.v, tmp, b->sums.n, start, rank);
	return true;
}

/* 3. Nodes. */

static bool query_same_node(const struct builder *b, const struct tree_node *have, const struct tree_node *want)
{
	if (have->key != want->key || have->parent != want->parent || have->kind != want->kind ||
	    have->inlined != want->inlined)
		return false;
	if (have->kind == NODE_HOLDER)
		return dict_get_thread(b->d, have->thread)->comm == dict_get_thread(b->d, want->thread)->comm;
	return have->kind == NODE_FUNC ? identity_same_func(b->names, have->func, want->func) :
		have->frame == want->frame;
}

static uint64_t query_node_rehash(const void *ctx, uint32_t id)
{
	const struct builder *b = ctx;

	return b->nodes.v[id].key;
}

/* Room for the values that are not in a node, of one node more. */
static bool query_more_room(struct builder *b)
{
	const size_t room = b->nodes.cap;
	uint64_t *more;

	if (!b->has_more || room <= b->more_room)
		return true;
	more = reallocarray(b->more, room, MORE_VALUES * sizeof(*more));
	if (!more)
		return false;
	memset(more + b->more_room * MORE_VALUES, 0, (room - b->more_room) * MORE_VALUES * sizeof(*more));
	b->more = more;
	b->more_room = room;
	return true;
}

/*
 * The child of WANT->parent that is like WANT, made when there is none; NODE_NONE when there can be
 * no more, or no memory.
 */
static uint32_t query_child(struct builder *b, struct tree_node *want, uint64_t identity)
{
	const uint32_t parent = want->parent;
	uint32_t id;

	want->key = tree_key(b->nodes.v[parent].key, identity, want->kind, want->inlined);
	hidx_each(&b->node_index, want->key, id)
		if (query_same_node(b, &b->nodes.v[id], want))
			return id;
	if (b->nodes.n >= b->max_nodes || b->nodes.v[parent].depth >= DEPTH_MAX)
		return NODE_NONE;
	want->depth = b->nodes.v[parent].depth + 1;
	if (!vec_reserve(&b->nodes, 1) || !query_more_room(b) ||
	    !hidx_add(&b->node_index, want->key, (uint32_t)b->nodes.n, query_node_rehash, b)) {
		query_fail(b);
		return NODE_NONE;
	}
	b->nodes.v[b->nodes.n] = *want;
	return (uint32_t)b->nodes.n++;
}

/* The node of group G, under those of the groups above. */
static uint32_t group_node(struct builder *b, uint32_t g)
{
	struct group *group = &b->groups.v.v[g];
	struct tree_node want = { .kind = group->kind, .place = ID_NONE };

	if (group->node != NODE_NONE)
		return group->node;
	if (group->kind == NODE_NUMA)
		want.frame = group->numa;
	else
		want.thread = group->thread;
	if (group->up != GROUP_TOP)
		want.parent = group_node(b, group->up);
	if (want.parent != NODE_NONE)
		group->node = query_child(b, &want, group->hash);
	return group->node;
}

/* Goes from NODE to the child for one name of FRAME, or for its address when NAME is NULL. */
static uint32_t query_step(struct builder *b, uint32_t node, frame_id frame, const struct name *name, bool inlined)
{
	const struct func *f = name ? names_func(b->names, name->func) : NULL;
	struct tree_node want = { .parent = node, .place = frame };

	if (f) {
		want.kind = NODE_FUNC;
		want.inlined = inlined;
		want.func = name->func;
		return query_child(b, &want, identity_func(&b->identity, name->func));
	}
	want.kind = NODE_ADDR;
	want.frame = frame;
	return query_child(b, &want, identity_frame(&b->identity, frame));
}

/*
 * Goes from *NODE through all that FRAME stands for, and leaves it at the last that exists. False
 * when there was no more.
 */
static bool query_steps(struct builder *b, uint32_t *node, frame_id frame)
{
	const struct frame *f = dict_get_frame(b->d, frame);
	const struct module *m = f ? dict_get_module(b->d, f->module) : NULL;
	const struct frame_names *fn;
	uint32_t next, n;

	if (!m || hidden_frame(&b->hidden, f))
		return true;
	fn = m->kind == MODULE_NOTE ? NULL : names_get(b->names, frame);
	n = fn ? fn->n : 1;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t at = b->q->inverted ? i : n - 1 - i;      /* names are innermost first */
		const bool inlined = at < n - 1;

		if (inlined && b->q->no_inlines)
			continue;
		next = query_step(b, *node, frame, fn ? &fn->name[at] : NULL, inlined);
		if (next == NODE_NONE)
			return false;
		*node = next;
	}
	return true;
}

/* The node of STACK under the group node TOP, remembered under STAMP; with MEMO_CUT when it is only an ancestor. */
static uint32_t walk_down(struct builder *b, uint32_t top, uint32_t stamp, stack_id stack)
{
	uint32_t node = top;

	b->path.n = 0;
	while (stack != STACK_ROOT && b->memo[stack].stamp != stamp) {
		stack_id *slot = vec_push(&b->path);

		if (!slot) {
			query_fail(b);
			return top;
		}
		*slot = stack;
		stack = dict_get_stack(b->d, stack)->parent;
	}
	if (stack != STACK_ROOT)
		node = b->memo[stack].node;
	while (b->path.n) {
		stack = b->path.v[--b->path.n];
		if (!(node & MEMO_CUT) && !query_steps(b, &node, dict_get_stack(b->d, stack)->frame))
			node |= MEMO_CUT;
		b->memo[stack] = (struct memo){ .stamp = stamp, .node = node };
	}
	return node;
}

/* The node that STACK ends at in an inverted tree, from its innermost frame to its outermost. */
static uint32_t query_walk_up(struct builder *b, uint32_t top, stack_id stack)
{
	uint32_t node = top;

	while (stack != STACK_ROOT) {
		const struct stack *s = dict_get_stack(b->d, stack);

		if (!query_steps(b, &node, s->frame))
			return node | MEMO_CUT;
		stack = s->parent;
	}
	return node;
}

/* The node that STACK ends at when recursion is folded, whichever way the tree stands. */
static uint32_t query_walk_folded(struct builder *b, uint32_t top, stack_id stack)
{
	uint32_t node = top;

	if (!fold_path_of(&b->folded, stack)) {
		query_fail(b);
		return top;
	}
	for (size_t i = 0; i < b->folded.step.n; i++) {
		const struct fold_step *s = &b->folded.step.v[b->q->inverted ? b->folded.step.n - 1 - i : i];
		const uint32_t next = query_step(b, node, s->frame, s->name, s->inlined);

		if (next == NODE_NONE)
			return node | MEMO_CUT;
		node = next;
	}
	return node;
}

/*
 * Adds to what ends at NODE a weight of NS, of which BESIDE (NULL = nothing) is not of the measure in
 * the first place, or not of it at all.
 */
static void query_add_self(struct builder *b, uint32_t node, uint64_t ns, const struct beside *beside)
{
	const struct beside none = { 0 }, *o = beside ? beside : &none;
	const struct measure_set *set = &b->filter.set;
	struct tree_node *n = &b->nodes.v[node];
	uint64_t first = ns;

	n->self_ns = add_capped(n->self_ns, ns);
	for (unsigned int place = 1; place < NODE_VALUES; place++) {
		n->value[place] = add_capped(n->value[place], o->value[place]);
		if (set->lead >> place & 1)
			first -= o->value[place] < first ? o->value[place] : first;
	}
	n->value[0] = add_capped(n->value[0], set->lead & 1 ? first : o->value[0]);
	for (unsigned int k = 0; b->more && k < MORE_VALUES; k++) {
		uint64_t *more = &b->more[(size_t)node * MORE_VALUES + k];

		*more = add_capped(*more, o->value[NODE_VALUES + k]);
	}
	if (!beside)
		return;
	n->open_ns = add_capped(n->open_ns, o->open_ns);
	if (o->open_longest_ns > n->open_longest_ns)
		n->open_longest_ns = o->open_longest_ns;
	n->doubt_ns = add_capped(n->doubt_ns, o->doubt_ns);
}

/*
 * The node of what was folded; without room for it it stays with the root. Made first, so that
 * there usually is room.
 */
static void query_add_idle(struct builder *b)
{
	struct tree_node want = { .kind = NODE_IDLE, .place = ID_NONE };
	uint32_t at;

	if (!b->q->fold_idle || !b->idle_threads)
		return;
	at = query_child(b, &want, 0);
	if (at == NODE_NONE) {
		b->cut_ns = add_capped(b->cut_ns, b->idle_ns);
		at = 0;
	} else {
		b->nodes.v[at].frame = b->idle_threads;
	}
	query_add_self(b, at, b->idle_ns, &b->idle);
	b->nodes.v[at].count += b->idle_count;
	b->nodes.v[at].squares += b->idle_squares;
}

static bool query_add_stacks(struct builder *b)
{
	query_add_idle(b);
	for (size_t i = 0; i < b->sums.n && !b->no_memory; i++) {
		const struct sum *s = &b->sums.v[i];
		const uint32_t top = query_grouped(b) ? group_node(b, s->group) : 0;
		uint32_t at = MEMO_CUT;          /* no room even for its group: stays with the root */

		if (top != NODE_NONE)
			at = b->memo ? walk_down(b, top, s->group + 1, s->stack) :
			     b->q->fold_recursion ? query_walk_folded(b, top, s->stack) :
			     	query_walk_up(b, top, s->stack);
		if (at & MEMO_CUT)
			b->cut_ns = add_capped(b->cut_ns, s->ns);
		at &= ~MEMO_CUT;
		query_add_self(b, at, s->ns, s->beside ? &b->beside.v[s->beside - 1] : NULL);
		b->nodes.v[at].count += s->count;
		b->nodes.v[at].squares += s->squares;
	}
	return !b->no_memory;
}

/* Parts of waits. Places are nodes, with MEMO_CUT when they are only ancestors; without a memo they are steps. */

/* The node of a note about HOLDER below the node AT, which may be cut. */
static uint32_t query_note(struct builder *b, uint32_t at, thread_id holder, enum holder_how how)
{
	struct tree_node want = { .kind = NODE_HOLDER, .parent = at, .place = ID_NONE, .thread = holder,
				  .inlined = (uint8_t)how };
	const struct thread *t = dict_get_thread(b->d, holder);
	const char *name = t ? strtab_get(dict_strings(b->d), t->comm) : "";
	uint32_t node;

	if (at & MEMO_CUT)
		return at;
	node = query_child(b, &want, hash_bytes(name, strlen(name)));
	return node == NODE_NONE ? at | MEMO_CUT : node;
}

static uint32_t query_add_step(struct builder *b, const struct held_step *step)
{
	struct held_step *slot = vec_push(&b->step);

	if (!slot) {
		query_fail(b);
		return 0;
	}
	*slot = *step;
	return (uint32_t)b->step.n - 1;
}

static uint32_t query_holder_note(void *ctx, uint32_t at, thread_id holder, enum holder_how how, unsigned int depth)
{
	struct builder *b = ctx;

	(void)depth;
	return b->memo ? query_note(b, at, holder, how) :
		query_add_step(b, &(struct held_step){ .outer = at, .holder = holder, .how = how });
}

static uint32_t query_holder_stack(void *ctx, uint32_t at, stack_id stack)
{
	struct builder *b = ctx;

	if (!b->memo)
		return query_add_step(b, &(struct held_step){ .outer = at, .holder = ID_NONE, .stack = stack });
	return at & MEMO_CUT ? at : walk_down(b, at, ++b->stamp, stack);
}

/* The node of S below AT. */
static uint32_t query_take_step(struct builder *b, uint32_t at, const struct held_step *s)
{
	if (at & MEMO_CUT)
		return at;
	if (s->holder != ID_NONE)
		return query_note(b, at, s->holder, s->how);
	return b->q->fold_recursion ? query_walk_folded(b, at, s->stack) : query_walk_up(b, at, s->stack);
}

#define QUERY_STEPS (2 * HOLDERS_DEEP + 4)       /* each holder has a note and a stack, and the one who waits has one */

/* The node that the step AT ends at, whichever way the tree stands. */
static uint32_t query_steps_node(struct builder *b, uint32_t at)
{
	uint32_t step[QUERY_STEPS], n = 0, node = b->dividing_top;

	while (at < b->step.n && n < QUERY_STEPS) {
		step[n++] = at;
		at = b->step.v[at].outer;
	}
	for (uint32_t i = 0; i < n; i++)
		node = query_take_step(b, node, &b->step.v[step[b->q->inverted ? i : n - 1 - i]]);
	return node;
}

static void query_holder_tell(void *ctx, uint32_t at, uint64_t ns, bool first)
{
	struct builder *b = ctx;
	const struct held_wait *held = b->dividing;
	const unsigned int places = filter_places(&b->filter, &held->fact);
	const bool leads = places & b->filter.set.lead;
	struct fact part = held->fact;
	struct beside beside = { 0 };
	uint64_t total;

	if (!b->memo)
		at = query_steps_node(b, at);
	part.weight = ns;
	part.count = first ? part.count : 0;
	total = leads ? measure_total(&b->filter.set, part.weight, part.count) : 0;
	if (at & MEMO_CUT)
		b->cut_ns = add_capped(b->cut_ns, total);
	at &= ~MEMO_CUT;
	add_beside(&beside, &b->filter.set, &part, places, held->is);
	query_add_self(b, at, total, places == 1 && leads ? NULL : &beside);
	if (!leads)
		return;
	b->nodes.v[at].count += held->is & FACT_COUNTS ? part.count : 0;
	b->nodes.v[at].squares += squares_of(b, &part, held->is);
}

/* Where the wait HELD itself stands, of the group node TOP. */
static uint32_t query_held_place(struct builder *b, const struct held_wait *held, uint32_t top)
{
	b->dividing = held;
	b->dividing_top = top == NODE_NONE ? MEMO_CUT : top;
	b->step.n = 0;
	if (!b->memo)
		return query_holder_stack(b, NODE_NONE, held->fact.stack);
	return top == NODE_NONE ? MEMO_CUT : walk_down(b, top, held->group + 1, held->fact.stack);
}

static bool query_add_held(struct builder *b)
{
	const struct holder_sink to = { .note = query_holder_note, .stack = query_holder_stack,
					.tell = query_holder_tell, .ctx = b };

	/* Those of groups are below. */
	b->stamp = (uint32_t)b->groups.v.n + 1;
	for (size_t i = 0; i < b->held.n && !b->no_memory; i++) {
		const struct held_wait *held = &b->held.v[i];
		const uint32_t top = query_grouped(b) ? group_node(b, held->group) : 0;

		holder_parts_divide(b->parts, &held->fact, held->slice, query_held_place(b, held, top), &to);
	}
	return !b->no_memory;
}

/* Frees everything but the nodes. */
static void query_builder_free(struct builder *b)
{
	groups_free(&b->groups);
	filter_free(&b->filter);
	holder_parts_free(b->parts);
	vec_free(&b->held);
	vec_free(&b->step);
	free(b->idle_thread);
	vec_free(&b->sums);
	vec_free(&b->beside);
	hidx_free(&b->sum_index);
	hidx_free(&b->node_index);
	free(b->memo);
	vec_free(&b->path);
	identity_free(&b->identity);
	hidden_free(&b->hidden);
	fold_path_free(&b->folded);
}

static bool query_prepare(struct builder *b, const struct snapshot *s)
{
	struct tree_node *root = vec_push(&b->nodes);

	if (!root || !filter_init(&b->filter, s, b->names, b->q))
		return query_fail(b);
	for (unsigned int place = NODE_VALUES; place < MEASURES_ASKED; place++)
		b->has_more |= b->filter.set.at[place] != MEASURE_NONE;
	if (!query_more_room(b))
		return query_fail(b);
	if (groups_build(&b->groups, b->d, b->q->group_by) < 0 || !identity_init(&b->identity, b->d, b->names) ||
	    !hidden_init(&b->hidden, b->d, b->q))
		return query_fail(b);
	b->folded = (struct fold_path){ .q = b->q, .hidden = &b->hidden, .identity = &b->identity };
	*root = (struct tree_node){ .kind = NODE_ROOT, .parent = NODE_NONE, .key = TREE_ROOT_KEY, .place = ID_NONE };
	if (!b->q->inverted && !b->q->fold_recursion)
		b->memo = calloc(dict_stacks(b->d), sizeof(*b->memo));
	if (b->q->holders) {
		b->parts = holder_parts_new(s, b->names, b->q);
		if (!b->parts)
			return query_fail(b);
	}
	return b->memo || b->q->inverted || b->q->fold_recursion || query_fail(b);
}

int tree_build(const struct snapshot *s, const struct names *names, const struct query *q,
	       struct tree **ret, struct err *e)
{
	struct builder b = { .d = snapshot_dict(s), .names = names, .q = q };
	struct tree *t = calloc(1, sizeof(*t));
	struct measure_set set;
	bool ok;

	b.max_nodes = q->max_nodes ? q->max_nodes : TREE_NODES_DEFAULT;
	if (b.max_nodes >= HIDX_IDS)
		b.max_nodes = HIDX_IDS - 1;
	ok = t && query_prepare(&b, s) && sum_facts(&b) && order_sums(&b) && query_add_stacks(&b) &&
		query_add_held(&b);
	set = b.filter.set;
	query_builder_free(&b);
	if (!ok || tree_link(b.nodes.v, b.more, (uint32_t)b.nodes.n, b.d, names, !q->unsorted) < 0) {
		vec_free(&b.nodes);
		free(b.more);
		free(t);
		return err_nomem(e, "the call tree");
	}
	*t = (struct tree){ .dict = b.d, .names = names, .query = *q, .set = set, .node = b.nodes.v, .more = b.more,
			    .n = (uint32_t)b.nodes.n };
	t->cut_ns = b.cut_ns;
	t->idle_ns = b.idle_ns;
	t->idle_threads = b.idle_threads;
	t->max_ns = b.max_ns;
	*ret = t;
	return 0;
}

struct tree *tree_share(struct tree *t)
{
	atomic_fetch_add(&t->shared, 1);
	return t;
}

void tree_free(struct tree *t)
{
	if (!t || atomic_fetch_sub(&t->shared, 1))
		return;
	free(t->node);
	free(t->more);
	free(t);
}
