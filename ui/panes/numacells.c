/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numacells.c - draws the columns of the view by node of which there is one for each node: accesses
 * from node to node, where the memory of a function, a site or a kind is, where a thread ran.
 *
 * Where percentages do not fit each node has a column of a height, and where there are more nodes
 * than columns several share one: so a line never runs into another one, however many nodes there
 * are.
 */
#include "config.h"

#include "ui/panes/numapane_private.h"

#include <stdio.h>
#include <string.h>

#define HEAT_NODES 64u           /* so many at most have columns of a height beside other figures */
#define LOOSE_NODES 16u          /* so many at most have a blank between them */
#define NOTHING_CP 0x00B7

struct numa_cells numa_cells_for(uint32_t nr, int room, int end, int most, bool must)
{
	const int n = (int)nr;
	struct numa_cells c = { .n = nr, .per = 1 };

	if (nr <= 1 || room <= 0)
		return (struct numa_cells){ 0 };
	if (most >= NUMA_DISTANCE_COLS && n <= room / NUMA_DISTANCE_COLS) {
		c.mode = NUMA_CELLS_DISTANCES;
		c.cols = NUMA_DISTANCE_COLS;
	} else if (n <= room / NUMA_CELL_COLS) {
		c.mode = NUMA_CELLS_NUMBERS;
		c.cols = NUMA_CELL_COLS;
	} else if (must || (n <= room && nr <= HEAT_NODES)) {
		c.mode = NUMA_CELLS_HEAT;
		c.per = ((uint32_t)n + (uint32_t)room - 1) / (uint32_t)room;
		c.n = (nr + c.per - 1) / c.per;
		c.cols = c.n <= LOOSE_NODES && (int)c.n <= room / 2 ? 2 : 1;
	} else {
		return (struct numa_cells){ 0 };
	}
	c.x = end - (int)c.n * c.cols;
	return c;
}

/* What the cells are about, in front of the first number. */
static const char *lead_of(enum numa_part part)
{
	return part == NUMA_PART_THREADS ? "cpu" : "mem";
}

/* Numbers of nodes above their columns, as many as leave a blank between each other. */
void numa_cells_heads(const struct numa_cells *c, const struct numa_view *v, enum numa_part part,
		      struct canvas *cv, int y)
{
	const int end = c->mode == NUMA_CELLS_DISTANCES ? NUMA_CELL_COLS : c->cols;
	int free_x = c->x - NUMA_CELLS_GAP;
	char text[32];

	for (uint32_t i = 0; i < c->n && c->mode; i++) {
		int x, len;

		len = snprintf(text, sizeof(text), "%u", v->node[i * c->per].id);
		x = c->x + (int)i * c->cols + end - len;
		if (c->mode == NUMA_CELLS_HEAT)
			x = c->x + (int)i * c->cols;
		if (x < free_x || (c->mode == NUMA_CELLS_HEAT && x + len > cv->w))
			continue;
		canvas_put(cv, x, y, STYLE_FAINT, text);
		if (!i && c->mode != NUMA_CELLS_HEAT && x - 4 >= free_x)
			canvas_put(cv, x - 4, y, STYLE_FAINT, lead_of(part));
		free_x = x + len + 1;
	}
}

/* Of what the cells of a line are shares, and how they look. */
struct values {
	const uint64_t *value;   /* by index of node; NULL = cells of the matrix */
	const struct numa_cell *cell;
	uint64_t whole;          /* what 100 % is; 0 = nothing to tell */
	uint64_t top;            /* the highest of the columns of a height */
	int home;                /* the index that is near; -1 = none, -2 = no node is far */
	bool doubt;
};

#define NO_NODE_IS_FAR (-2)

static uint64_t value_at(const struct values *s, uint32_t node)
{
	return s->cell ? s->cell[node].ns : s->value[node];
}

static int index_of(const struct numa_view *v, int32_t id)
{
	for (uint32_t i = 0; i < v->nr_nodes; i++) {
		if (v->node[i].id == id)
			return (int)i;
	}
	return -1;
}

static uint64_t numacells_sum_of(const uint64_t *value, uint32_t n)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; value && i < n; i++)
		sum += value[i];
	return sum;
}

static struct values matrix_values(const struct numaview *nv, uint32_t row)
{
	const struct numa_view *v = nv->v;

	return (struct values){ .cell = v->cell + (size_t)row * v->nr_nodes, .whole = v->all.near_ns + v->all.far_ns,
				.top = nv->top_ns, .home = (int)row, .doubt = true };
}

static struct values values_of(const struct numaview *nv, const struct numa_line *l)
{
	const struct numa_view *v = nv->v;
	struct values s = { .home = NO_NODE_IS_FAR, .doubt = true };

	switch (l->part) {
	case NUMA_PART_NODES:
	case NUMA_PART_MATRIX:
		return matrix_values(nv, l->i);
	case NUMA_PART_FUNCS:
		s.value = l->level == NUMA_LEVEL_ROW ? v->func[l->i].to_ns : NULL;
		break;
	case NUMA_PART_SITES:
		s.value = v->site[l->i].node_count;
		break;
	case NUMA_PART_THREADS:
		s.value = v->thread[l->i].node_ns;
		s.home = index_of(v, v->thread[l->i].home);
		s.doubt = false;
		break;
	case NUMA_PART_MAPPINGS:
		s.value = v->mapping[l->i].node_bytes;
		break;
	default:
		break;
	}
	s.whole = s.top = numacells_sum_of(s.value, v->nr_nodes);
	return s;
}

/* SHARE without its sign, in at most five columns with a "~" in front. */
static const char *brief_percent(char dst[UNITS_MAX], double share)
{
	const double percent = share * 100;

	if (percent < 0.05)
		snprintf(dst, UNITS_MAX, "<0.1");
	else
		snprintf(dst, UNITS_MAX, percent < 9.95 ? "%.1f" : "%.0f", percent);
	return dst;
}

static void draw_number(const struct values *s, uint32_t node, struct canvas *cv, int x, int y)
{
	const uint64_t value = value_at(s, node);
	const bool far = s->home != NO_NODE_IS_FAR && s->home != (int)node;
	char text[UNITS_MAX];

	if (!value || !s->whole) {
		canvas_fill(cv, x + NUMA_CELL_COLS - 1, y, 1, STYLE_FAINT, NOTHING_CP);
		return;
	}
	brief_percent(text, (double)value / (double)s->whole);
	x += NUMA_CELL_COLS - (int)strlen(text);
	if (s->doubt)
		canvas_put(cv, x - 1, y, STYLE_DOUBT, "~");
	canvas_put(cv, x, y, far ? STYLE_FAR : STYLE_TEXT, text);
}

static void draw_distance(const struct numa_view *v, uint32_t from, uint32_t to, struct canvas *cv, int x, int y)
{
	char text[16];
	int len;

	if (!v->state)
		return;
	len = snprintf(text, sizeof(text), "%u", topology_distance(&v->state->topology, v->node[from].id,
								   v->node[to].id));
	canvas_put(cv, x + NUMA_DISTANCE_COLS - len, y, STYLE_FAINT,
		   len < NUMA_DISTANCE_COLS - NUMA_CELL_COLS ? text : "");
}

/* The column of a height for the nodes from FIRST on that share it. */
static void draw_height(const struct numa_cells *c, const struct values *s, uint32_t nr, uint32_t first,
			struct canvas *cv, int x, int y)
{
	uint64_t value = 0;
	bool near = s->home == NO_NODE_IS_FAR;

	for (uint32_t i = first; i < first + c->per && i < nr; i++) {
		value += value_at(s, i);
		near |= s->home == (int)i;
	}
	if (value && s->top)
		canvas_spark(cv, x, y, near ? STYLE_TEXT : STYLE_FAR, (double)value / (double)s->top);
	else
		canvas_fill(cv, x, y, 1, STYLE_FAINT, NOTHING_CP);
}

void numa_cells_draw(const struct numa_cells *c, const struct numaview *nv, const struct numa_line *l,
		     struct canvas *cv, int y, bool heat)
{
	struct values s;

	if (!c->mode || (c->mode == NUMA_CELLS_HEAT) != heat)
		return;
	s = values_of(nv, l);
	for (uint32_t i = 0; i < c->n && (s.cell || s.whole); i++) {
		const int x = c->x + (int)i * c->cols;

		if (heat)
			draw_height(c, &s, nv->v->nr_nodes, i * c->per, cv, x, y);
		else
			draw_number(&s, i, cv, x, y);
		if (c->mode == NUMA_CELLS_DISTANCES && s.cell)
			draw_distance(nv->v, l->i, i, cv, x, y);
	}
}
