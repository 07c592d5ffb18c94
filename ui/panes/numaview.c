/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numaview.c - turns a view by node (query/numareport.h) into rows that a treeview can show.
 * numarowlabel.c has their texts.
 *
 * Rows of functions in call paths say which they are, as the nodes of a call tree do, so that
 * searching and following new names work as there. There are PLACES of them for each part at most,
 * those of the heaviest paths; other paths have their one line alone.
 */
#include "config.h"

#include "ui/panes/numaview.h"

#include "base/hash.h"
#include "base/vec.h"
#include "ui/treeview.h"

#include <stdlib.h>

#define PLACES 20000u
#define PLACES_A_PATH 256u       /* deeper ones are recursion */
#define FEW_NODES 8u             /* so many have a line each below a node, used or not */
#define NODE_ROWS 8u             /* so many are listed of a longer list of nodes */
#define SEED 0x6e756d61ull

struct maker {
	const struct numa_view *v;
	struct outline *rows;
	VEC(struct numa_line) line;
	uint32_t places;         /* that there is room for yet */
};

bool numaview_is_one(const struct numa_view *v)
{
	return v->nr_nodes <= 1;
}

int numaview_node(const struct numa_line *line)
{
	const bool nodes = line->part == NUMA_PART_NODES || line->part == NUMA_PART_MATRIX;

	return nodes && (line->level == NUMA_LEVEL_ROW || line->level == NUMA_LEVEL_NODE) ? (int)line->i : -1;
}

int numaview_only(const struct nodeset *s)
{
	int only = -1;

	for (unsigned int i = 0; i < NODES_MAX; i++) {
		if (!nodeset_has(s, i))
			continue;
		if (only >= 0)
			return -1;
		only = (int)i;
	}
	return only;
}

uint32_t numaview_head(const struct numaview *nv, enum numa_part part)
{
	uint32_t c = nv->rows->row[0].first_child;

	while (c != NODE_NONE && !(nv->line[c].part == part && nv->line[c].level == NUMA_LEVEL_PART))
		c = nv->rows->row[c].next_sibling;
	return c;
}

stack_id numaview_path(const struct numaview *nv, uint32_t node)
{
	const struct numa_line *line = &nv->line[node];

	return line->level == NUMA_LEVEL_PATH ? nv->v->path[line->sub].stack : STACK_ROOT;
}

stack_id numaview_stack(const struct numaview *nv, const struct numa_line *line)
{
	if (line->level == NUMA_LEVEL_PATH)
		return nv->v->path[line->sub].stack;
	if (line->level != NUMA_LEVEL_ROW)
		return STACK_ROOT;
	return line->part == NUMA_PART_SITES ? nv->v->site[line->i].path.stack :
	       line->part == NUMA_PART_MOVES ? nv->v->move[line->i].path.stack : STACK_ROOT;
}

/* Adds a line below PARENT that IDENTITY tells from its siblings; its number, or 0 when out of memory. */
static uint32_t numaview_add(struct maker *m, uint32_t parent, struct outline_row what, struct numa_line line,
			     uint64_t identity)
{
	struct numa_line *slot = m->rows->failed ? NULL : vec_push(&m->line);

	if (!slot) {
		m->rows->failed = true;
		return 0;
	}
	*slot = line;
	what.key = parent == NODE_NONE ? identity : hash_2u64(m->rows->row[parent].key, identity);
	return outline_add(m->rows, parent, what);
}

static uint32_t numaview_add_line(struct maker *m, uint32_t parent, struct numa_line line, uint64_t identity)
{
	return numaview_add(m, parent, (struct outline_row){ .kind = NODE_GROUP, .place = ID_NONE }, line, identity);
}

static uint32_t numaview_add_row(struct maker *m, uint32_t head, uint32_t i, uint64_t identity)
{
	return numaview_add_line(m, head, (struct numa_line){ m->line.v[head].part, NUMA_LEVEL_ROW, i, 0 }, identity);
}

/* Call paths */

/*
 * Adds a function of a call path: the name NR of FRAME, or the place itself when it has none. False
 * when there is no more room.
 */
static bool numaview_add_place(struct maker *m, uint32_t path, frame_id frame,
			       const struct frame_names *fn, uint32_t nr, uint32_t at)
{
	struct outline_row what = { .kind = NODE_ADDR, .frame = frame, .place = frame };
	struct numa_line line = m->line.v[path];

	if (!m->places || at >= PLACES_A_PATH)
		return false;
	m->places--;
	line.level = NUMA_LEVEL_PLACE;
	if (fn) {
		what.kind = NODE_FUNC;
		what.func = fn->name[nr].func;
		what.inlined = nr + 1u < fn->n;
	}
	return numaview_add(m, path, what, line, at + 1ull);
}

static bool is_kernel(const struct dict *d, frame_id frame)
{
	return dict_get_module(d, dict_get_frame(d, frame)->module)->kind == MODULE_KERNEL;
}

/* The functions of STACK as lines below PATH, innermost first. */
static void numaview_add_places(struct maker *m, uint32_t path, stack_id stack)
{
	const struct dict *d = m->v->dict;
	uint32_t at = 0;

	for (; stack != STACK_ROOT; stack = dict_get_stack(d, stack)->parent) {
		const frame_id frame = dict_get_stack(d, stack)->frame;
		const struct frame_names *fn = names_get(m->v->names, frame);
		const uint32_t last = fn ? fn->n - 1u : 0;

		if (m->v->query.hide_kernel && is_kernel(d, frame))
			continue;
		for (uint32_t i = m->v->query.no_inlines ? last : 0; i <= last; i++) {
			if (!numaview_add_place(m, path, frame, fn, i, at++))
				return;
		}
	}
}

/* Where in the call paths of R its function is: the innermost frame that is called so. ID_NONE = nowhere. */
static frame_id numaview_place_of(const struct numa_view *v, const struct numa_func_row *r)
{
	stack_id s = r->nr_paths ? v->path[r->first_path].stack : STACK_ROOT;

	for (; s != STACK_ROOT; s = dict_get_stack(v->dict, s)->parent) {
		const frame_id frame = dict_get_stack(v->dict, s)->frame;
		const struct frame_names *fn = names_get(v->names, frame);

		if (r->func == ID_NONE)
			return frame;
		for (uint32_t i = 0; fn && i < fn->n; i++) {
			if (fn->name[i].func == r->func)
				return frame;
		}
	}
	return ID_NONE;
}

static uint32_t numaview_add_func(struct maker *m, uint32_t head, uint32_t i)
{
	const struct numa_func_row *r = &m->v->func[i];
	struct outline_row what = { .kind = NODE_GROUP, .place = numaview_place_of(m->v, r) };

	if (r->func != ID_NONE) {
		what.kind = NODE_FUNC;
		what.func = r->func;
	} else if (what.place != ID_NONE) {
		what.kind = NODE_ADDR;
		what.frame = what.place;
	}
	return numaview_add(m, head, what, (struct numa_line){ NUMA_PART_FUNCS, NUMA_LEVEL_ROW, i, 0 }, r->key);
}

/* Parts */

/* What row I has to do with each node, of which VALUE tells how much. */
static void numaview_add_nodes(struct maker *m, uint32_t row, const uint64_t *value, bool all)
{
	for (uint32_t i = 0; value && i < m->v->nr_nodes; i++) {
		struct numa_line line = m->line.v[row];

		if (!value[i] && !all)
			continue;
		line.level = NUMA_LEVEL_NODE;
		line.sub = i;
		numaview_add_line(m, row, line, m->v->node[i].id);
	}
}

static void make_notes(struct maker *m, uint32_t root)
{
	const struct numa_state *s = m->v->state;
	const bool is[NUMA_NOTES] = { [NUMA_NOTE_NOTHING] = !s, [NUMA_NOTE_ONE] = s && numaview_is_one(m->v),
				      [NUMA_NOTE_UNSAMPLED] = s && !s->sampled };

	for (uint32_t i = 0; i < NUMA_NOTES; i++) {
		if (is[i])
			numaview_add_line(m, root,
					  (struct numa_line){ NUMA_PART_NOTES, NUMA_LEVEL_ROW, i, 0 }, SEED + i);
	}
}

/* Accesses of the CPUs of each node, with a line for each node that they went to. */
static void make_matrix(struct maker *m, uint32_t head)
{
	const uint32_t n = m->v->nr_nodes;

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t row = numaview_add_row(m, head, i, m->v->node[i].id);

		for (uint32_t to = 0; row && n > 1 && to < n; to++) {
			const uint64_t value[] = { m->v->cell[i * n + to].ns };

			if (value[0] || (n <= FEW_NODES && m->v->all.near_ns + m->v->all.far_ns))
				numaview_add_line(m, row,
						  (struct numa_line){ m->line.v[head].part, NUMA_LEVEL_NODE, i, to },
						  m->v->node[to].id);
		}
	}
}

static void numaview_make_nodes(struct maker *m, uint32_t head)
{
	for (uint32_t i = 0; i < m->v->nr_nodes; i++)
		numaview_add_row(m, head, i, m->v->node[i].id);
}

static void make_funcs(struct maker *m, uint32_t head)
{
	m->places = PLACES;
	for (uint32_t i = 0; i < m->v->nr_funcs; i++) {
		const struct numa_func_row *r = &m->v->func[i];
		const uint32_t row = numaview_add_func(m, head, i);

		for (uint32_t p = r->first_path; row && p < r->first_path + r->nr_paths; p++) {
			const struct numa_line line = { NUMA_PART_FUNCS, NUMA_LEVEL_PATH, i, p };
			const uint32_t path = numaview_add_line(m, row, line, m->v->path[p].key);

			if (path)
				numaview_add_places(m, path, m->v->path[p].stack);
		}
	}
}

static void make_sites(struct maker *m, uint32_t head)
{
	m->places = PLACES;
	for (uint32_t i = 0; i < m->v->nr_sites; i++) {
		const uint32_t row = numaview_add_row(m, head, i, m->v->site[i].path.key);

		if (row)
			numaview_add_places(m, row, m->v->site[i].path.stack);
	}
}

static void make_threads(struct maker *m, uint32_t head)
{
	for (uint32_t i = 0; i < m->v->nr_threads; i++) {
		const uint32_t row = numaview_add_row(m, head, i, m->v->thread[i].thread);

		if (row)
			numaview_add_nodes(m, row, m->v->thread[i].node_ns, false);
	}
}

static void make_moves(struct maker *m, uint32_t head)
{
	m->places = PLACES;
	for (uint32_t i = 0; i < m->v->nr_moves; i++) {
		const uint32_t row = numaview_add_row(m, head, i, m->v->move[i].path.key);

		if (row)
			numaview_add_places(m, row, m->v->move[i].path.stack);
	}
}

static void make_mappings(struct maker *m, uint32_t head)
{
	for (uint32_t i = 0; i < m->v->nr_mappings; i++) {
		const struct numa_mapping_row *r = &m->v->mapping[i];
		const uint32_t row = numaview_add_row(m, head, i, hash_2u64(r->mapping, r->file));

		if (row && m->v->nr_nodes > 1)
			numaview_add_nodes(m, row, r->node_bytes, false);
	}
}

static void make_processes(struct maker *m, uint32_t head)
{
	for (uint32_t i = 0; m->v->state && i < m->v->state->process.n; i++) {
		const struct numa_process *p = &m->v->state->process.v[i];
		const uint32_t row = numaview_add_row(m, head, i, hash_2u64((uint64_t)p->pid, p->start_ns));

		for (uint32_t k = 0; row && k < NUMA_WORDS; k++)
			numaview_add_line(m, row, (struct numa_line){ NUMA_PART_PROCESSES, NUMA_LEVEL_WORDS, i, k }, k);
	}
}

static void make_misses(struct maker *m, uint32_t head)
{
	for (uint32_t i = 0; i < MISS_NR; i++) {
		if (m->v->state->figures.miss[i])
			numaview_add_row(m, head, i, i);
	}
}

/* Which parts there are: on one node nothing moves, and where nothing is known there is nothing to say. */
static bool has_part(const struct numaview *nv, enum numa_part part)
{
	const struct numa_view *v = nv->v;
	const bool several = !numaview_is_one(v), sampled = v->state && v->state->sampled;

	switch (part) {
	case NUMA_PART_NODES:
		return v->nr_nodes;
	case NUMA_PART_MATRIX:
		return several && !nv->beside;
	case NUMA_PART_THREADS:
		return several && v->nr_threads;
	case NUMA_PART_MOVES:
		return several;
	case NUMA_PART_FUNCS:
		return sampled || v->nr_funcs;
	case NUMA_PART_SITES:
		return sampled || v->nr_sites;
	case NUMA_PART_MAPPINGS:
		return v->nr_mappings;
	case NUMA_PART_PROCESSES:
		return v->state && v->state->process.n;
	case NUMA_PART_MISSES:
		return v->state && v->state->figures.samples;
	default:
		return false;
	}
}

/* Lines above rows weigh by how much they say, so that a view that nobody has touched opens these first. */
static uint32_t add_head(struct maker *m, enum numa_part part)
{
	static const uint8_t weight[NUMA_PARTS] = {
		[NUMA_PART_NODES] = 9, [NUMA_PART_FUNCS] = 8, [NUMA_PART_MATRIX] = 7, [NUMA_PART_SITES] = 6,
		[NUMA_PART_THREADS] = 5, [NUMA_PART_MAPPINGS] = 4, [NUMA_PART_MOVES] = 3, [NUMA_PART_PROCESSES] = 2,
		[NUMA_PART_MISSES] = 1,
	};
	const struct outline_row what = { .kind = NODE_GROUP, .place = ID_NONE, .weight = weight[part] };

	return numaview_add(m, 0, what, (struct numa_line){ (uint8_t)part, NUMA_LEVEL_PART, 0, 0 },
			    SEED + NUMA_NOTES + part);
}

static void make_part(struct maker *m, const struct numaview *nv, enum numa_part part)
{
	static void (*const make[NUMA_PARTS])(struct maker *m, uint32_t head) = {
		[NUMA_PART_NODES] = numaview_make_nodes, [NUMA_PART_MATRIX] = make_matrix,
			[NUMA_PART_FUNCS] = make_funcs,
		[NUMA_PART_SITES] = make_sites, [NUMA_PART_THREADS] = make_threads, [NUMA_PART_MOVES] = make_moves,
		[NUMA_PART_MAPPINGS] = make_mappings, [NUMA_PART_PROCESSES] = make_processes,
		[NUMA_PART_MISSES] = make_misses,
	};
	const uint32_t few = part <= NUMA_PART_MATRIX ? NODE_ROWS : 0;
	const struct outline_row more = { .kind = NODE_MORE, .place = ID_NONE, .few = few };
	uint32_t head, rows;

	if (!has_part(nv, part))
		return;
	head = add_head(m, part);
	if (!head)
		return;
	(part == NUMA_PART_NODES && nv->beside ? make_matrix : make[part])(m, head);
	rows = m->rows->row[head].nr_children;
	if (rows > (few ? few : LIST_ROWS_MIN) + 1)
		numaview_add(m, head, more, (struct numa_line){ (uint8_t)part, NUMA_LEVEL_MORE, rows, 0 }, SEED);
}

/* The lines of NV; false when out of memory. */
static bool make_lines(struct maker *m, const struct numaview *nv)
{
	const struct outline_row root = { .kind = NODE_ROOT, .place = ID_NONE, .weight = NUMA_PARTS };

	numaview_add(m, NODE_NONE, root, (struct numa_line){ .part = NUMA_PARTS }, SEED);
	if (m->rows->failed)
		return false;
	make_notes(m, 0);
	for (unsigned int p = NUMA_PART_NODES; p < NUMA_PARTS; p++)
		make_part(m, nv, (enum numa_part)p);
	return !m->rows->failed;
}

struct numaview *numaview_new(const struct numa_view *v, bool beside, bool live)
{
	AUTO(numaview_free) struct numaview *nv = calloc(1, sizeof(*nv));
	struct maker m = { .v = v };
	bool whole;

	if (!nv)
		return NULL;
	nv->v = v;
	nv->beside = beside;
	nv->live = live;
	for (size_t i = 0; i < (size_t)v->nr_nodes * v->nr_nodes; i++)
		nv->top_ns = v->cell[i].ns > nv->top_ns ? v->cell[i].ns : nv->top_ns;
	nv->rows = m.rows = outline_new(v->dict, v->names, &v->query);
	if (!nv->rows)
		return NULL;
	whole = make_lines(&m, nv);
	nv->line = take_ptr(m.line.v);
	return whole ? take_ptr(nv) : NULL;
}

void numaview_free(struct numaview *nv)
{
	if (!nv)
		return;
	outline_free(nv->rows);
	free(nv->line);
	free(nv);
}
