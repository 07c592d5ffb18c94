/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numafigures.c - what the columns of the view by node say.
 *
 * What rests on sampled accesses, faults or pages is estimated and marked so. Running time, moves of threads, and what the
 * kernel tells of sizes are not.
 */
#include "config.h"

#include "ui/panes/numapane_private.h"

#include <stdio.h>
#include <string.h>

#define NOTHING "\xC2\xB7"

const struct numa_accesses *numa_accesses_of(const struct numa_view *v, const struct numa_line *l)
{
	if (l->level == NUMA_LEVEL_PATH)
		return &v->path[l->sub].accesses;
	if (l->level != NUMA_LEVEL_ROW)
		return NULL;
	switch (l->part) {
	case NUMA_PART_MATRIX:
	case NUMA_PART_NODES:
		return &v->node[l->i].from;
	case NUMA_PART_FUNCS:
		return &v->func[l->i].accesses;
	case NUMA_PART_THREADS:
		return &v->thread[l->i].accesses;
	case NUMA_PART_MAPPINGS:
		return &v->mapping[l->i].accesses;
	default:
		return NULL;
	}
}

uint64_t numa_accesses_count(const struct numa_accesses *a)
{
	return a->near_count + a->far_count;
}

/* Faults or moves of a call path; NULL = LINE is none. */
static const struct numa_path *numa_path_of(const struct numa_view *v, const struct numa_line *l)
{
	if (l->level != NUMA_LEVEL_ROW)
		return NULL;
	return l->part == NUMA_PART_SITES ? &v->site[l->i].path : l->part == NUMA_PART_MOVES ? &v->move[l->i].path : NULL;
}

/* Values */

static void numafigures_nothing(struct numa_figure *ret)
{
	snprintf(ret->text, sizeof(ret->text), NOTHING);
	ret->style = STYLE_FAINT;
	ret->doubt = false;
}

static void numafigures_word(struct numa_figure *ret, const char *text)
{
	snprintf(ret->text, sizeof(ret->text), "%s", text);
	ret->style = STYLE_FAINT;
}

static void numafigures_share(struct numa_figure *ret, uint64_t part, uint64_t whole, enum style style, bool doubt)
{
	if (!part || !whole) {
		numafigures_nothing(ret);
		return;
	}
	units_percent(ret->text, (double)part / (double)whole);
	ret->style = (uint8_t)style;
	ret->doubt = doubt;
}

static void numafigures_count(struct numa_figure *ret, uint64_t n, bool doubt)
{
	if (!n) {
		numafigures_nothing(ret);
		return;
	}
	if (n < 100000)
		units_thousands(ret->text, n);
	else
		units_count(ret->text, n);
	ret->doubt = doubt;
}

static void numafigures_bytes(struct numa_figure *ret, uint64_t n, bool doubt)
{
	if (!n) {
		numafigures_nothing(ret);
		return;
	}
	units_bytes(ret->text, n);
	ret->doubt = doubt;
}

static void numafigures_rate(struct numa_figure *ret, uint64_t n, double seconds, bool doubt)
{
	const double each = seconds > 0 ? (double)n / seconds : 0;

	if (!n || seconds <= 0) {
		numafigures_nothing(ret);
		return;
	}
	if (each < 0.05)
		snprintf(ret->text, sizeof(ret->text), "<0.1");
	else if (each < 9.95)
		snprintf(ret->text, sizeof(ret->text), "%.1f", each);
	else
		units_count(ret->text, (uint64_t)(each + 0.5));
	ret->doubt = doubt;
}

static uint64_t numafigures_all_ns(const struct numa_accesses *a)
{
	return a->near_ns + a->far_ns;
}

/* Nodes */

static void node_cpu(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < v->nr_nodes; i++)
		sum += v->node[i].running_ns;
	if (numaview_offline(v, l->i) && !v->node[l->i].running_ns)
		numafigures_word(ret, "offline");
	else if (numaview_no_cpus(v, l->i) && !v->node[l->i].running_ns)
		numafigures_word(ret, "no CPU");
	else
		numafigures_share(ret, v->node[l->i].running_ns, sum, STYLE_RUNNING, false);
}

static void node_queue(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < v->nr_nodes; i++)
		sum += v->node[i].runnable_ns;
	numafigures_share(ret, v->node[l->i].runnable_ns, sum, STYLE_RUNNABLE, false);
}

/* How full the node is: the target's part, then that of others. */
static void node_bar(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	const struct numa_node *n = v->node[l->i].node;
	double used;

	if (!n || !n->size_bytes)
		return;
	ret->share = (double)v->node[l->i].resident_bytes / (double)n->size_bytes;
	used = 1 - (double)n->free_bytes / (double)n->size_bytes;
	ret->more = used > ret->share ? used - ret->share : 0;
}

static void node_memory(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	if (numaview_no_memory(v, l->i) && !v->node[l->i].resident_bytes)
		numafigures_word(ret, "none");
	else
		numafigures_bytes(ret, v->node[l->i].resident_bytes, true);
}

static void node_free(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	numafigures_bytes(ret, v->node[l->i].node ? v->node[l->i].node->free_bytes : 0, false);
}

static void node_faults(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	numafigures_rate(ret, v->node[l->i].faults, v->sampled_seconds, true);
}

static void node_moves(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	numafigures_rate(ret, v->node[l->i].moves_in, v->seconds, false);
}

/* Accesses */

static void access_near(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	numafigures_share(ret, numa_accesses_of(v, l)->near_ns, numafigures_all_ns(&v->all), STYLE_TEXT, true);
}

static void access_far(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	numafigures_share(ret, numa_accesses_of(v, l)->far_ns, numafigures_all_ns(&v->all), STYLE_FAR, true);
}

static void access_share(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	numafigures_share(ret, numafigures_all_ns(numa_accesses_of(v, l)), numafigures_all_ns(&v->all), STYLE_TEXT, true);
}

static void access_bar(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	const struct numa_accesses *a = numa_accesses_of(v, l);
	const double all = numafigures_all_ns(&v->all) ? (double)numafigures_all_ns(&v->all) : 1;

	ret->share = (double)a->far_ns / all;
	ret->more = (double)a->near_ns / all;
	ret->style = STYLE_FAR;
}

static void access_own(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	const struct numa_accesses *a = numa_accesses_of(v, l);

	numafigures_share(ret, a->far_ns, numafigures_all_ns(a), STYLE_FAR, true);
}

static void access_weighed(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	numafigures_share(ret, numa_accesses_of(v, l)->cost_ns, v->all.near_ns + v->all.cost_ns, STYLE_FAR, true);
}

static void access_count(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	numafigures_count(ret, numa_accesses_count(numa_accesses_of(v, l)), false);
}

static void func_samples(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	if (l->level == NUMA_LEVEL_ROW)
		numafigures_count(ret, v->func[l->i].samples, false);
}

/* Faults and moves */

static void path_count(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	const struct numa_path *p = numa_path_of(v, l);

	numafigures_count(ret, p->count, p->count != p->samples);
}

static void path_rate(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	const struct numa_path *p = numa_path_of(v, l);

	numafigures_rate(ret, p->count, v->seconds, p->count != p->samples);
}

static void path_samples(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	numafigures_count(ret, numa_path_of(v, l)->samples, false);
}

static void site_away(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	numafigures_share(ret, v->site[l->i].away_count, v->site[l->i].path.count, STYLE_FAR, true);
}

static void site_nowhere(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	numafigures_share(ret, v->site[l->i].unknown_count, v->site[l->i].path.count, STYLE_DOUBT, true);
}

/* Threads */

static void thread_cpu(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < v->nr_nodes; i++)
		sum += v->node[i].running_ns;
	numafigures_share(ret, v->thread[l->i].running_ns, sum, STYLE_RUNNING, false);
}

static void node_number(struct numa_figure *ret, int32_t node, bool doubt)
{
	if (node < 0) {
		numafigures_nothing(ret);
		return;
	}
	snprintf(ret->text, sizeof(ret->text), "%d", (int)node);
	ret->doubt = doubt;
}

static void thread_home(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	node_number(ret, v->thread[l->i].home, !v->thread[l->i].home_by_kernel);
}

static void thread_now(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	node_number(ret, v->thread[l->i].node, false);
	if (v->thread[l->i].node >= 0 && v->thread[l->i].home >= 0 && v->thread[l->i].node != v->thread[l->i].home)
		ret->style = STYLE_FAR;
}

static void thread_away(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	numafigures_share(ret, v->thread[l->i].away_ns, v->thread[l->i].running_ns, STYLE_FAR, false);
}

static void thread_moves(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	numafigures_count(ret, v->thread[l->i].moves, false);
}

/* Memory and policies */

static void mapping_resident(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	numafigures_bytes(ret, v->mapping[l->i].resident_bytes, true);
}

static const struct numa_process *process_of(const struct numa_view *v, const struct numa_line *l)
{
	return &v->state->process.v[l->i];
}

static void process_rss(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	numafigures_bytes(ret, process_of(v, l)->rss_bytes, false);
}

static void process_pages(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	if (process_of(v, l)->denied)
		numafigures_word(ret, "denied");
	else
		numafigures_count(ret, process_of(v, l)->found, false);
}

static void process_faults(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	numafigures_count(ret, process_of(v, l)->faults, false);
}

static void miss_share(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	numafigures_share(ret, v->state->figures.miss[l->i], v->state->figures.samples, STYLE_TEXT, false);
}

static void miss_count(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret)
{
	numafigures_count(ret, v->state->figures.miss[l->i], false);
}

#define ONE NUMA_WHEN_ONE
#define SEVERAL NUMA_WHEN_SEVERAL
#define ANY (ONE | SEVERAL)

static const struct numa_column columns[] = {
	{ NUMA_PART_NODES, ANY, 8, 0, "cpu", node_cpu },
	{ NUMA_PART_NODES, ANY, 8, 4, "queue", node_queue },
	{ NUMA_PART_NODES, ANY, 9, 6, "", node_bar },
	{ NUMA_PART_NODES, ANY, 9, 1, "memory", node_memory },
	{ NUMA_PART_NODES, ANY, 9, 2, "free", node_free },
	{ NUMA_PART_NODES, ANY, 9, 3, "faults/s", node_faults },
	{ NUMA_PART_NODES, SEVERAL, 8, 5, "moves/s", node_moves },
	{ NUMA_PART_MATRIX, ANY, 9, 2, "samples", access_count },
	{ NUMA_PART_MATRIX, ANY, 8, 1, "near", access_near },
	{ NUMA_PART_MATRIX, ANY, 8, 0, "far", access_far },
	{ NUMA_PART_FUNCS, SEVERAL, 9, 4, "", access_bar },
	{ NUMA_PART_FUNCS, SEVERAL, 9, 0, "far", access_far },
	{ NUMA_PART_FUNCS, SEVERAL, 9, 1, "own far", access_own },
	{ NUMA_PART_FUNCS, SEVERAL, 9, 5, "weighed", access_weighed },
	{ NUMA_PART_FUNCS, ONE, 9, 4, "", access_bar },
	{ NUMA_PART_FUNCS, ONE, 9, 0, "share", access_share },
	{ NUMA_PART_FUNCS, ANY, 9, 2, "accesses", access_count },
	{ NUMA_PART_FUNCS, ANY, 9, 3, "samples", func_samples },
	{ NUMA_PART_SITES, ANY, 9, 0, "pages", path_count },
	{ NUMA_PART_SITES, SEVERAL, 9, 1, "away", site_away },
	{ NUMA_PART_SITES, ANY, 9, 3, "nowhere", site_nowhere },
	{ NUMA_PART_SITES, ANY, 9, 2, "samples", path_samples },
	{ NUMA_PART_THREADS, ANY, 8, 2, "cpu", thread_cpu },
	{ NUMA_PART_THREADS, ANY, 6, 1, "home", thread_home },
	{ NUMA_PART_THREADS, ANY, 5, 3, "now", thread_now },
	{ NUMA_PART_THREADS, ANY, 10, 0, "off home", thread_away },
	{ NUMA_PART_THREADS, ANY, 8, 4, "moves", thread_moves },
	{ NUMA_PART_THREADS, ANY, 9, 5, "own far", access_own },
	{ NUMA_PART_MOVES, ANY, 9, 0, "moves", path_count },
	{ NUMA_PART_MOVES, ANY, 9, 1, "moves/s", path_rate },
	{ NUMA_PART_MOVES, ANY, 9, 2, "samples", path_samples },
	{ NUMA_PART_MAPPINGS, ANY, 9, 0, "resident", mapping_resident },
	{ NUMA_PART_MAPPINGS, ANY, 9, 1, "share", access_share },
	{ NUMA_PART_MAPPINGS, SEVERAL, 9, 2, "own far", access_own },
	{ NUMA_PART_MAPPINGS, ANY, 9, 3, "accesses", access_count },
	{ NUMA_PART_PROCESSES, ANY, 9, 0, "resident", process_rss },
	{ NUMA_PART_PROCESSES, ANY, 9, 2, "pages", process_pages },
	{ NUMA_PART_PROCESSES, ANY, 9, 1, "faults", process_faults },
	{ NUMA_PART_MISSES, ANY, 9, 0, "share", miss_share },
	{ NUMA_PART_MISSES, ANY, 9, 1, "samples", miss_count },
};

const struct numa_column *numa_columns(size_t *ret_n)
{
	*ret_n = sizeof(columns) / sizeof(columns[0]);
	return columns;
}
