/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numacolumns.c - the table of columns for the view by node: what each cell says.
 *
 * What rests on sampled accesses, faults or pages is estimated and marked so. Running time, moves
 * of threads, and what the kernel tells of sizes are not.
 */
#include "config.h"

#include "query/numacolumns.h"

#include "base/clock.h"

bool numa_node_offline(const struct numa_view *v, uint32_t i)
{
	return v->state && !v->node[i].node;
}

/* Node I has no CPU that is online. */
static bool numa_node_no_cpus(const struct numa_view *v, uint32_t i)
{
	return v->node[i].node && !v->node[i].node->nr_cpus;
}

static bool numa_node_no_memory(const struct numa_view *v, uint32_t i)
{
	return v->node[i].node && !v->node[i].node->size_bytes;
}

const struct numa_accesses *numa_row_accesses(const struct numa_row *r)
{
	const struct numa_view *v = r->v;

	if (r->path != ID_NONE)
		return &v->path[r->path].accesses;
	switch (r->part) {
	case NUMA_PART_MATRIX:
	case NUMA_PART_NODES:
		return &v->node[r->i].from;
	case NUMA_PART_FUNCS:
		return &v->func[r->i].accesses;
	case NUMA_PART_THREADS:
		return &v->thread[r->i].accesses;
	case NUMA_PART_MAPPINGS:
		return &v->mapping[r->i].accesses;
	default:
		return NULL;
	}
}

uint64_t numa_accesses_count(const struct numa_accesses *a)
{
	return a->near_count + a->far_count;
}

uint64_t numa_accesses_ns(const struct numa_accesses *a)
{
	return a->near_ns + a->far_ns < a->near_ns ? UINT64_MAX : a->near_ns + a->far_ns;
}

/* Figures */

static struct list_figure numacolumns_amount(enum list_figure_unit unit, uint64_t value, bool doubt)
{
	return (struct list_figure){ .unit = (uint8_t)(value ? unit : LIST_NONE), .value = value, .doubt = doubt };
}

static struct list_figure numacolumns_share(uint64_t part, uint64_t whole, enum list_tone tone, bool doubt)
{
	return (struct list_figure){ .unit = part && whole ? LIST_SHARE : LIST_NONE, .value = part, .whole = whole,
				     .tone = (uint8_t)tone, .doubt = doubt };
}

static struct list_figure numacolumns_rate(uint64_t n, double seconds, bool doubt)
{
	return (struct list_figure){ .unit = n && seconds > 0 ? LIST_RATE : LIST_NONE, .value = n,
				     .whole = seconds > 0 ? (uint64_t)(seconds * NSEC_PER_SEC) : 0, .doubt = doubt };
}

static struct list_figure numacolumns_word(const char *word)
{
	return (struct list_figure){ .unit = LIST_WORD, .word = word };
}

/* Nodes */

static const struct numa_node_row *numacolumns_node(const struct numa_row *r)
{
	return &r->v->node[r->i];
}

static uint64_t numacolumns_running_ns(const struct numa_view *v)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < v->nr_nodes; i++)
		sum += v->node[i].running_ns;
	return sum;
}

static struct list_figure node_cpu(const struct numa_row *r)
{
	if (numa_node_offline(r->v, r->i) && !numacolumns_node(r)->running_ns)
		return numacolumns_word("offline");
	if (numa_node_no_cpus(r->v, r->i) && !numacolumns_node(r)->running_ns)
		return numacolumns_word("no CPU");
	return numacolumns_share(numacolumns_node(r)->running_ns, numacolumns_running_ns(r->v),
				 LIST_TONE_RUNNING, false);
}

static struct list_figure node_running(const struct numa_row *r)
{
	return numacolumns_amount(LIST_TIME, numacolumns_node(r)->running_ns, false);
}

static struct list_figure node_queue(const struct numa_row *r)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < r->v->nr_nodes; i++)
		sum += r->v->node[i].runnable_ns;
	return numacolumns_share(numacolumns_node(r)->runnable_ns, sum, LIST_TONE_RUNNABLE, false);
}

static struct list_figure node_runnable(const struct numa_row *r)
{
	return numacolumns_amount(LIST_TIME, numacolumns_node(r)->runnable_ns, false);
}

/* How full the node is: the target's part, then that of others. */
static struct list_figure node_bar(const struct numa_row *r)
{
	const struct numa_node *n = numacolumns_node(r)->node;
	const uint64_t own = numacolumns_node(r)->resident_bytes;
	const uint64_t used = n && n->size_bytes > n->free_bytes ? n->size_bytes - n->free_bytes : 0;

	return (struct list_figure){ .unit = LIST_BAR, .value = own, .more = used > own ? used - own : 0,
				     .whole = n ? n->size_bytes : 0 };
}

static struct list_figure node_size(const struct numa_row *r)
{
	const struct numa_node *n = numacolumns_node(r)->node;

	return numacolumns_amount(LIST_BYTES, n ? n->size_bytes : 0, false);
}

static struct list_figure node_free(const struct numa_row *r)
{
	const struct numa_node *n = numacolumns_node(r)->node;

	return numacolumns_amount(LIST_BYTES, n ? n->free_bytes : 0, false);
}

static struct list_figure node_target(const struct numa_row *r)
{
	return numacolumns_amount(LIST_BYTES, numacolumns_node(r)->resident_bytes, true);
}

static struct list_figure node_memory(const struct numa_row *r)
{
	if (numa_node_no_memory(r->v, r->i) && !numacolumns_node(r)->resident_bytes)
		return numacolumns_word("none");
	return node_target(r);
}

static struct list_figure node_faults(const struct numa_row *r)
{
	return numacolumns_amount(LIST_COUNT, numacolumns_node(r)->faults, true);
}

static struct list_figure node_fault_rate(const struct numa_row *r)
{
	return numacolumns_rate(numacolumns_node(r)->faults, r->v->sampled_seconds, true);
}

static struct list_figure node_move_rate(const struct numa_row *r)
{
	return numacolumns_rate(numacolumns_node(r)->moves_in, r->v->seconds, false);
}

static struct list_figure node_moves_in(const struct numa_row *r)
{
	return numacolumns_amount(LIST_COUNT, numacolumns_node(r)->moves_in, false);
}

static struct list_figure node_moves_out(const struct numa_row *r)
{
	return numacolumns_amount(LIST_COUNT, numacolumns_node(r)->moves_out, false);
}

/* Accesses */

static struct list_figure access_near(const struct numa_row *r)
{
	return numacolumns_share(numa_row_accesses(r)->near_ns, numa_accesses_ns(&r->v->all), LIST_TONE_PLAIN, true);
}

static struct list_figure access_far(const struct numa_row *r)
{
	return numacolumns_share(numa_row_accesses(r)->far_ns, numa_accesses_ns(&r->v->all), LIST_TONE_FAR, true);
}

static struct list_figure access_far_time(const struct numa_row *r)
{
	return numacolumns_amount(LIST_TIME, numa_row_accesses(r)->far_ns, true);
}

static struct list_figure access_share(const struct numa_row *r)
{
	return numacolumns_share(numa_accesses_ns(numa_row_accesses(r)), numa_accesses_ns(&r->v->all),
				 LIST_TONE_PLAIN, true);
}

static struct list_figure access_time(const struct numa_row *r)
{
	return numacolumns_amount(LIST_TIME, numa_accesses_ns(numa_row_accesses(r)), true);
}

static struct list_figure access_bar(const struct numa_row *r)
{
	const struct numa_accesses *a = numa_row_accesses(r);

	return (struct list_figure){ .unit = LIST_BAR, .value = a->far_ns, .more = a->near_ns,
				     .whole = numa_accesses_ns(&r->v->all), .tone = LIST_TONE_FAR };
}

static struct list_figure access_own(const struct numa_row *r)
{
	const struct numa_accesses *a = numa_row_accesses(r);

	return numacolumns_share(a->far_ns, numa_accesses_ns(a), LIST_TONE_FAR, true);
}

static struct list_figure access_weighed(const struct numa_row *r)
{
	const struct numa_accesses *all = &r->v->all;

	return numacolumns_share(numa_row_accesses(r)->cost_ns, all->near_ns + all->cost_ns, LIST_TONE_FAR, true);
}

static struct list_figure access_cost(const struct numa_row *r)
{
	return numacolumns_amount(LIST_TIME, numa_row_accesses(r)->cost_ns, true);
}

static struct list_figure access_count(const struct numa_row *r)
{
	return numacolumns_amount(LIST_COUNT, numa_accesses_count(numa_row_accesses(r)), false);
}

/* Samples are counted by function. */
static struct list_figure func_samples(const struct numa_row *r)
{
	if (r->path != ID_NONE)
		return (struct list_figure){ .unit = LIST_BLANK };
	return numacolumns_amount(LIST_COUNT, r->v->func[r->i].samples, false);
}

/* Faults and moves */

static const struct numa_path *numacolumns_path(const struct numa_row *r)
{
	return r->part == NUMA_PART_SITES ? &r->v->site[r->i].path : &r->v->move[r->i].path;
}

static struct list_figure path_count(const struct numa_row *r)
{
	const struct numa_path *p = numacolumns_path(r);

	return numacolumns_amount(LIST_COUNT, p->count, p->count != p->samples);
}

static struct list_figure path_rate(const struct numa_row *r)
{
	const struct numa_path *p = numacolumns_path(r);

	return numacolumns_rate(p->count, r->v->seconds, p->count != p->samples);
}

static struct list_figure path_samples(const struct numa_row *r)
{
	return numacolumns_amount(LIST_COUNT, numacolumns_path(r)->samples, false);
}

static struct list_figure site_away(const struct numa_row *r)
{
	return numacolumns_share(r->v->site[r->i].away_count, numacolumns_path(r)->count, LIST_TONE_FAR, true);
}

static struct list_figure site_nowhere(const struct numa_row *r)
{
	return numacolumns_share(r->v->site[r->i].unknown_count, numacolumns_path(r)->count, LIST_TONE_DOUBT, true);
}

/* Threads */

static const struct numa_thread_row *numacolumns_thread(const struct numa_row *r)
{
	return &r->v->thread[r->i];
}

static struct list_figure thread_cpu(const struct numa_row *r)
{
	return numacolumns_share(numacolumns_thread(r)->running_ns, numacolumns_running_ns(r->v),
				 LIST_TONE_RUNNING, false);
}

static struct list_figure thread_running(const struct numa_row *r)
{
	return numacolumns_amount(LIST_TIME, numacolumns_thread(r)->running_ns, false);
}

/* Node ID, -1 = not known. */
static struct list_figure node_number(int32_t id, bool doubt)
{
	return (struct list_figure){ .unit = id < 0 ? LIST_NONE : LIST_NODE, .value = id < 0 ? 0 : (uint64_t)id,
				     .doubt = doubt };
}

static struct list_figure thread_home(const struct numa_row *r)
{
	return node_number(numacolumns_thread(r)->home, !numacolumns_thread(r)->home_by_kernel);
}

static struct list_figure thread_now(const struct numa_row *r)
{
	const struct numa_thread_row *t = numacolumns_thread(r);
	struct list_figure figure = node_number(t->node, false);

	if (t->node >= 0 && t->home >= 0 && t->node != t->home)
		figure.tone = LIST_TONE_FAR;
	return figure;
}

static struct list_figure thread_away(const struct numa_row *r)
{
	const struct numa_thread_row *t = numacolumns_thread(r);

	return numacolumns_share(t->away_ns, t->running_ns, LIST_TONE_FAR, false);
}

static struct list_figure thread_away_time(const struct numa_row *r)
{
	return numacolumns_amount(LIST_TIME, numacolumns_thread(r)->away_ns, false);
}

static struct list_figure thread_moves(const struct numa_row *r)
{
	return numacolumns_amount(LIST_COUNT, numacolumns_thread(r)->moves, false);
}

/* Memory, policies, samples without an address */

static struct list_figure mapping_resident(const struct numa_row *r)
{
	return numacolumns_amount(LIST_BYTES, r->v->mapping[r->i].resident_bytes, true);
}

static const struct numa_process *numacolumns_process(const struct numa_row *r)
{
	return &r->v->state->process.v[r->i];
}

static struct list_figure process_rss(const struct numa_row *r)
{
	return numacolumns_amount(LIST_BYTES, numacolumns_process(r)->rss_bytes, false);
}

static struct list_figure process_pages(const struct numa_row *r)
{
	if (numacolumns_process(r)->denied)
		return numacolumns_word("denied");
	return numacolumns_amount(LIST_COUNT, numacolumns_process(r)->found, false);
}

static struct list_figure process_faults(const struct numa_row *r)
{
	return numacolumns_amount(LIST_COUNT, numacolumns_process(r)->faults, false);
}

static struct list_figure miss_share(const struct numa_row *r)
{
	const struct numa_figures *f = &r->v->state->figures;

	return numacolumns_share(f->miss[r->i], f->samples, LIST_TONE_PLAIN, false);
}

static struct list_figure miss_count(const struct numa_row *r)
{
	return numacolumns_amount(LIST_COUNT, r->v->state->figures.miss[r->i], false);
}

#define ONE NUMA_WHEN_ONE
#define SEVERAL NUMA_WHEN_SEVERAL
#define ANY (ONE | SEVERAL)
#define TEXT 0, 0, NULL          /* in texts alone */
#define SCREEN 0, NULL           /* on screens alone */

static const struct numa_column columns[] = {
	{ NUMA_PART_NODES, ANY, 8, 0, "cpu", SCREEN, node_cpu },
	{ NUMA_PART_NODES, ANY, TEXT, 10, "running", node_running },
	{ NUMA_PART_NODES, ANY, 8, 4, "queue", SCREEN, node_queue },
	{ NUMA_PART_NODES, ANY, TEXT, 11, "run queue", node_runnable },
	{ NUMA_PART_NODES, ANY, 9, 6, "", SCREEN, node_bar },
	{ NUMA_PART_NODES, ANY, 9, 1, "memory", SCREEN, node_memory },
	{ NUMA_PART_NODES, ANY, TEXT, 9, "memory", node_size },
	{ NUMA_PART_NODES, ANY, 9, 2, "free", 9, "free", node_free },
	{ NUMA_PART_NODES, ANY, TEXT, 9, "target", node_target },
	{ NUMA_PART_NODES, ANY, 9, 3, "faults/s", SCREEN, node_fault_rate },
	{ NUMA_PART_NODES, ANY, TEXT, 12, "faults", node_faults },
	{ NUMA_PART_NODES, SEVERAL, 8, 5, "moves/s", SCREEN, node_move_rate },
	{ NUMA_PART_NODES, SEVERAL, TEXT, 11, "moves in", node_moves_in },
	{ NUMA_PART_NODES, SEVERAL, TEXT, 11, "moves out", node_moves_out },
	{ NUMA_PART_MATRIX, ANY, 9, 2, "samples", SCREEN, access_count },
	{ NUMA_PART_MATRIX, ANY, 8, 1, "near", SCREEN, access_near },
	{ NUMA_PART_MATRIX, ANY, 8, 0, "far", SCREEN, access_far },
	{ NUMA_PART_FUNCS, SEVERAL, 9, 4, "", SCREEN, access_bar },
	{ NUMA_PART_FUNCS, SEVERAL, TEXT, 10, "cost", access_cost },
	{ NUMA_PART_FUNCS, SEVERAL, 9, 0, "far", SCREEN, access_far },
	{ NUMA_PART_FUNCS, SEVERAL, TEXT, 10, "far", access_far_time },
	{ NUMA_PART_FUNCS, SEVERAL, 9, 1, "own far", 10, "share", access_own },
	{ NUMA_PART_FUNCS, SEVERAL, 9, 5, "weighed", SCREEN, access_weighed },
	{ NUMA_PART_FUNCS, ONE, 9, 4, "", SCREEN, access_bar },
	{ NUMA_PART_FUNCS, ONE, 9, 0, "share", SCREEN, access_share },
	{ NUMA_PART_FUNCS, SEVERAL, TEXT, 10, "of time", access_time },
	{ NUMA_PART_FUNCS, ONE, TEXT, 10, "time", access_time },
	{ NUMA_PART_FUNCS, ANY, 9, 2, "accesses", 10, "accesses", access_count },
	{ NUMA_PART_FUNCS, ANY, 9, 3, "samples", 10, "samples", func_samples },
	{ NUMA_PART_SITES, ANY, 9, 0, "pages", 12, "faults", path_count },
	{ NUMA_PART_SITES, ANY, TEXT, 10, "samples", path_samples },
	{ NUMA_PART_SITES, SEVERAL, 9, 1, "away", 11, "elsewhere", site_away },
	{ NUMA_PART_SITES, ANY, 9, 3, "nowhere", SCREEN, site_nowhere },
	{ NUMA_PART_SITES, ANY, 9, 2, "samples", SCREEN, path_samples },
	{ NUMA_PART_THREADS, ANY, 8, 2, "cpu", SCREEN, thread_cpu },
	{ NUMA_PART_THREADS, ANY, TEXT, 10, "running", thread_running },
	{ NUMA_PART_THREADS, SEVERAL, TEXT, 13, "not at home", thread_away_time },
	{ NUMA_PART_THREADS, SEVERAL, TEXT, 9, "share", thread_away },
	{ NUMA_PART_THREADS, SEVERAL, 6, 1, "home", 6, "home", thread_home },
	{ NUMA_PART_THREADS, SEVERAL, 5, 3, "now", 6, "now", thread_now },
	{ NUMA_PART_THREADS, SEVERAL, 10, 0, "off home", SCREEN, thread_away },
	{ NUMA_PART_THREADS, SEVERAL, 8, 4, "moves", 11, "migrations", thread_moves },
	{ NUMA_PART_THREADS, SEVERAL, 9, 5, "own far", 9, "far", access_own },
	{ NUMA_PART_THREADS, ANY, TEXT, 10, "accesses", access_count },
	{ NUMA_PART_MOVES, ANY, 9, 0, "moves", 12, "times", path_count },
	{ NUMA_PART_MOVES, ANY, 9, 1, "moves/s", 12, "per second", path_rate },
	{ NUMA_PART_MOVES, ANY, 9, 2, "samples", SCREEN, path_samples },
	{ NUMA_PART_MAPPINGS, ANY, 9, 0, "resident", 10, "resident", mapping_resident },
	{ NUMA_PART_MAPPINGS, ANY, 9, 1, "share", SCREEN, access_share },
	{ NUMA_PART_MAPPINGS, SEVERAL, TEXT, 10, "far", access_far_time },
	{ NUMA_PART_MAPPINGS, SEVERAL, 9, 2, "own far", 10, "share", access_own },
	{ NUMA_PART_MAPPINGS, SEVERAL, TEXT, 10, "of time", access_time },
	{ NUMA_PART_MAPPINGS, ONE, TEXT, 10, "time", access_time },
	{ NUMA_PART_MAPPINGS, ANY, 9, 3, "accesses", 10, "accesses", access_count },
	{ NUMA_PART_PROCESSES, ANY, 9, 0, "resident", SCREEN, process_rss },
	{ NUMA_PART_PROCESSES, ANY, 9, 2, "pages", SCREEN, process_pages },
	{ NUMA_PART_PROCESSES, ANY, 9, 1, "faults", SCREEN, process_faults },
	{ NUMA_PART_MISSES, ANY, 9, 0, "share", 10, "share", miss_share },
	{ NUMA_PART_MISSES, ANY, 9, 1, "samples", 10, "samples", miss_count },
};

const struct numa_column *numa_columns(size_t *ret_n)
{
	*ret_n = sizeof(columns) / sizeof(columns[0]);
	return columns;
}
