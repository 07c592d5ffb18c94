/* SPDX-License-Identifier: BSD-2-Clause */
/* madenuma.c - see madenuma.h. The tables of a view are of calloc() here, each freed for itself. */
#include "config.h"

#include "tests/unit/madenuma.h"

#include "base/clock.h"
#include "tests/unit/cmocka_all.h"
#include "ui/builder.h"
#include "ui/panes/numaview.h"
#include "ui/panes/pane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GB (UINT64_C(1) << 30)
#define MB (UINT64_C(1) << 20)

static void *table(uint32_t n, size_t size)
{
	void *p = calloc(n + 1ul, size);

	assert_non_null(p);
	return p;
}

static struct numa_node node_of(uint16_t id, char kind, uint32_t nr)
{
	struct numa_node n = { .id = id };

	if (kind == MADE_BOTH || kind == MADE_NO_MEMORY) {
		n.nr_cpus = 16;
		snprintf(n.cpus, sizeof(n.cpus), "%u-%u", 16 * nr, 16 * nr + 15);
	}
	if (kind == MADE_BOTH || kind == MADE_NO_CPU) {
		n.size_bytes = kind == MADE_BOTH ? 16 * GB : 64 * GB;
		n.free_bytes = n.size_bytes / 4 + nr % 8 * GB;
	}
	return n;
}

/* Two nodes are neighbours: 0 and 1, 2 and 3, ... */
static uint16_t distance(uint32_t a, uint32_t b)
{
	return a == b ? 10 : a / 2 == b / 2 ? 21 : 31;
}

static void make_topology(struct numa_topology *t, const char *kinds)
{
	struct err e = ERR_INIT;
	uint32_t nr = 0, at = 0;

	for (const char *k = kinds; *k; k++)
		nr += *k != MADE_GAP && *k != MADE_OFFLINE;
	assert_int_equal(topology_make(t, nr, &e), 0);
	for (const char *k = kinds; *k; k++) {
		if (*k == MADE_GAP || *k == MADE_OFFLINE)
			continue;
		t->node[at] = node_of((uint16_t)(k - kinds), *k, at);
		for (uint32_t to = 0; to < nr; to++)
			t->distance[at * nr + to] = distance(at, to);
		at++;
	}
}

static void make_nodes(struct made_numa *n, const char *kinds)
{
	struct numa_view *v = &n->v;

	v->node = table((uint32_t)strlen(kinds), sizeof(*v->node));
	for (const char *k = kinds; *k; k++) {
		const uint16_t id = (uint16_t)(k - kinds);
		const int at = topology_index(&n->state->topology, id);

		if (*k == MADE_GAP)
			continue;
		v->node[v->nr_nodes].id = id;
		v->node[v->nr_nodes++].node = at < 0 ? NULL : &n->state->topology.node[at];
	}
	v->cell = table(v->nr_nodes * v->nr_nodes, sizeof(*v->cell));
}

static struct numa_state *make_state(const char *kinds)
{
	struct numa_state *s = numa_state_new();

	assert_non_null(s);
	s->sampled = true;
	s->time_ns = 100 * NSEC_PER_SEC;
	make_topology(&s->topology, kinds);
	return s;
}

void madenuma_init(struct made_numa *n, const char *kinds)
{
	memset(n, 0, sizeof(*n));
	made_init(&n->m, NULL);
	n->state = make_state(kinds);
	n->v.dict = n->m.d;
	n->v.names = n->m.names;
	n->v.state = n->state;
	make_nodes(n, kinds);
}

void madenuma_free(struct made_numa *n)
{
	struct numa_view *v = &n->v;

	for (uint32_t i = 0; i < v->nr_threads; i++)
		free(v->thread[i].node_ns);
	for (uint32_t i = 0; i < v->nr_funcs; i++)
		free(v->func[i].to_ns);
	for (uint32_t i = 0; i < v->nr_sites; i++)
		free(v->site[i].node_count);
	for (uint32_t i = 0; i < v->nr_mappings; i++)
		free(v->mapping[i].node_bytes);
	free(v->node);
	free(v->cell);
	free(v->thread);
	free(v->func);
	free(v->path);
	free(v->site);
	free(v->move);
	free(v->mapping);
	numa_state_unref(n->state);
	made_free(&n->m);
}

/* The service */

static bool has_cpus(const struct numa_view *v, uint32_t i)
{
	return v->node[i].node && v->node[i].node->nr_cpus;
}

static bool has_memory(const struct numa_view *v, uint32_t i)
{
	return v->node[i].node && v->node[i].node->size_bytes;
}

static void add_accesses(struct numa_accesses *a, bool far, uint64_t ns)
{
	*(far ? &a->far_ns : &a->near_ns) += ns;
	*(far ? &a->far_count : &a->near_count) += ns / (10 * NSEC_PER_MSEC);
	a->cost_ns += far ? ns * 21 / 10 : 0;
}

static void add_cell(struct numa_view *v, uint32_t from, uint32_t to, uint64_t ns)
{
	const bool far = from != to;

	if (!has_cpus(v, from) || !has_memory(v, to) || !ns)
		return;
	v->cell[from * v->nr_nodes + to].ns += ns;
	v->cell[from * v->nr_nodes + to].count += ns / (10 * NSEC_PER_MSEC);
	add_accesses(&v->all, far, ns);
	add_accesses(&v->node[from].from, far, ns);
	add_accesses(&v->node[to].to, far, ns);
}

/* The further up a node, the less happens there. */
static void fill_nodes(struct numa_view *v)
{
	for (uint32_t i = 0; i < v->nr_nodes; i++) {
		struct numa_node_row *r = &v->node[i];

		if (has_cpus(v, i)) {
			r->running_ns = 60 * NSEC_PER_SEC / (i + 1);
			r->runnable_ns = 2 * NSEC_PER_SEC / (i + 1);
			r->moves_in = r->moves_out = 24 / (i + 1);
		}
		if (has_memory(v, i)) {
			r->resident_bytes = i ? 200 * MB / i : 6 * GB;
			r->faults = i ? 600 / i : 7200;
			r->fault_samples = r->faults / 60;
		}
		add_cell(v, i, i, 6 * NSEC_PER_SEC / (i + 1));
		if (i)
			add_cell(v, i, 0, 8 * NSEC_PER_SEC / (i + 1));
		add_cell(v, 0, i + 1 < v->nr_nodes ? i + 1 : i, NSEC_PER_SEC / 5 / (i + 1));
	}
}

static stack_id stack_of(struct made_numa *n, uint32_t func, uint32_t path)
{
	static const char *const callers[] = { "main;aeMain;call", "main;aeMain;readQuery>processInput;call" };
	char text[256];

	if (!func)
		snprintf(text, sizeof(text), "%s;lookupKey", callers[path]);
	else if (func == 1)
		snprintf(text, sizeof(text), "%s;quicklistNext", callers[path]);
	else
		snprintf(text, sizeof(text), "%s;function_%u", callers[path], func);
	return made_stack(&n->m, text);
}

static func_id func_of(struct made_numa *n, stack_id stack)
{
	return names_get(n->m.names, dict_get_stack(n->m.d, stack)->frame)->name[0].func;
}

/* From 20 % of all on, each a little less; of the first two most is far, of the others it depends. */
static void fill_funcs(struct made_numa *n, thread_id thread, uint32_t funcs)
{
	struct numa_view *v = &n->v;
	const bool one = v->nr_nodes == 1;

	v->func = table(funcs, sizeof(*v->func));
	v->path = table(2 * funcs, sizeof(*v->path));
	v->nr_funcs = funcs;
	v->nr_paths = 2 * funcs;
	for (uint32_t i = 0; i < funcs; i++) {
		struct numa_func_row *r = &v->func[i];
		const uint64_t ns = (v->all.near_ns + v->all.far_ns) / (5 + 3 * i);

		r->key = 1000 + i;
		r->first_path = 2 * i;
		r->nr_paths = 2;
		r->to_ns = table(v->nr_nodes, sizeof(*r->to_ns));
		r->to_ns[0] = ns - ns / 10;
		r->to_ns[v->nr_nodes - 1] += ns / 10;
		add_accesses(&r->accesses, !one, ns / (i < 2 ? 1 : i));
		add_accesses(&r->accesses, false, ns / 3);
		r->samples = (r->accesses.near_count + r->accesses.far_count) * 5 / 4;
		for (uint32_t p = 0; p < 2; p++) {
			struct numa_path *path = &v->path[2 * i + p];

			path->stack = stack_of(n, i, p);
			path->key = path->stack;
			path->thread = thread;
			path->accesses = r->accesses;
			path->accesses.far_count = path->accesses.far_count * (2 - p) / 3;
			path->accesses.far_ns = path->accesses.far_ns * (2 - p) / 3;
		}
		r->func = func_of(n, v->path[2 * i].stack);
	}
}

static void fill_threads(struct made_numa *n, uint32_t nr)
{
	struct numa_view *v = &n->v;

	v->thread = table(nr, sizeof(*v->thread));
	v->nr_threads = nr;
	for (uint32_t i = 0; i < nr; i++) {
		struct numa_thread_row *r = &v->thread[i];
		char comm[16];

		snprintf(comm, sizeof(comm), i ? "worker-%u" : "service", i);
		r->thread = made_thread(&n->m, 1234, 1234 + (pid_t)i, comm);
		r->home = i % 4 == 3 ? -1 : v->node[i % v->nr_nodes].id;
		r->home_by_kernel = i % 2;
		r->node = v->node[(i + i / 3) % v->nr_nodes].id;
		r->running_ns = 40 * NSEC_PER_SEC / (i + 1);
		r->away_ns = i % 4 == 3 ? 0 : r->running_ns / 8 * (i % 3);
		r->moves = i % 3 * 7;
		r->node_ns = table(v->nr_nodes, sizeof(*r->node_ns));
		r->node_ns[i % v->nr_nodes] = r->running_ns - r->away_ns;
		r->node_ns[(i + 1) % v->nr_nodes] += r->away_ns;
		add_accesses(&r->accesses, v->nr_nodes > 1, r->running_ns / 9);
		add_accesses(&r->accesses, false, r->running_ns / 7);
	}
}

static void fill_sites(struct made_numa *n, thread_id thread)
{
	static const char *const stacks[] = { "main;loadRdb;dictAdd>zmalloc;@1f0",
					      "start_thread;worker;makeArena;memset" };
	struct numa_view *v = &n->v;

	v->site = table(2, sizeof(*v->site));
	v->nr_sites = 2;
	for (uint32_t i = 0; i < 2; i++) {
		struct numa_site_row *r = &v->site[i];

		r->path = (struct numa_path){ .key = 5000 + i, .stack = made_stack(&n->m, stacks[i]),
					      .thread = thread, .count = 12000 / (i + 1), .samples = 120 / (i + 1) };
		r->mapping = i ? MAPPING_ANON : MAPPING_HEAP;
		r->node_count = table(v->nr_nodes, sizeof(*r->node_count));
		r->node_count[0] = r->path.count - 100;
		r->unknown_count = 100;
		r->away_count = v->nr_nodes > 1 && i ? r->path.count / 2 : 0;
	}
}

static void fill_moves(struct made_numa *n, thread_id thread)
{
	struct numa_view *v = &n->v;

	v->move = table(1, sizeof(*v->move));
	v->nr_moves = v->nr_nodes > 1;
	v->move[0].path = (struct numa_path){ .key = 6000, .stack =
					      made_stack(&n->m, "start_thread;worker;waitForWork;futex_wait_[k]"),
					      .thread = thread, .count = 36, .samples = 36 };
}

static void fill_mappings(struct made_numa *n)
{
	static const uint8_t kinds[] = { MAPPING_HEAP, MAPPING_ANON, MAPPING_STACK, MAPPING_FILE };
	struct numa_view *v = &n->v;

	v->mapping = table(4, sizeof(*v->mapping));
	v->nr_mappings = 4;
	for (uint32_t i = 0; i < 4; i++) {
		struct numa_mapping_row *r = &v->mapping[i];

		r->mapping = kinds[i];
		r->file = ID_NONE;
		r->resident_bytes = 5 * GB >> 4 * i;
		r->node_bytes = table(v->nr_nodes, sizeof(*r->node_bytes));
		r->node_bytes[0] = r->resident_bytes - (r->resident_bytes >> 4);
		r->node_bytes[v->nr_nodes - 1] += r->resident_bytes >> 4;
		add_accesses(&r->accesses, v->nr_nodes > 1, v->all.far_ns >> i);
		add_accesses(&r->accesses, false, v->all.near_ns >> i);
	}
}

static void fill_state(struct numa_state *s)
{
	struct numa_process *p = vec_push(&s->process);

	assert_non_null(p);
	*p = (struct numa_process){ .pid = 1234, .start_ns = 1234, .comm = "service", .rss_bytes = 6 * GB,
				    .moment_ns = s->time_ns - 2 * NSEC_PER_SEC, .asked = 1000, .found = 987,
				    .policy = "default",
				    .mapped_policy = "interleave:0-1", .policies_read = true,
				    .mems = "0-1", .cpus = "0-31", .faults = 1234567, .major_faults = 12 };
	s->figures = (struct numa_figures){ .samples = 12400, .near = 6100, .far = 3700, .faults = 200,
					    .miss = { [MISS_KERNEL] = 1700, [MISS_BACKLOG] = 900 } };
}

void madenuma_service(struct made_numa *n, uint32_t funcs)
{
	struct numa_view *v = &n->v;

	v->seconds = v->sampled_seconds = 60;
	fill_nodes(v);
	fill_threads(n, 6);
	fill_funcs(n, v->thread[0].thread, funcs);
	fill_sites(n, v->thread[0].thread);
	fill_moves(n, v->thread[1].thread);
	fill_mappings(n);
	fill_state(n->state);
	v->samples = 12400;
	v->moves = 36;
	v->faults = 12000;
	v->fault_samples = 180;
	if (v->all.near_ns + v->all.far_ns) {
		v->far_share = (double)v->all.far_ns / (double)(v->all.near_ns + v->all.far_ns);
		v->far_weighed = (double)v->all.cost_ns / (double)(v->all.near_ns + v->all.cost_ns);
	}
}

/* Facts behind a session */

static uint16_t last_with_cpus(const struct numa_topology *t)
{
	uint16_t id = 0;

	for (uint32_t i = 0; i < t->nr; i++)
		id = t->node[i].nr_cpus ? t->node[i].id : id;
	return id;
}

static void add_worker(struct made *m, thread_id worker, uint64_t at, uint16_t node)
{
	static const char *const stacks[] = { "start_thread;worker;lookupKey", "start_thread;worker;scan>nextEntry" };

	for (unsigned int i = 0; i < 2; i++) {
		made_add(m, at, worker, stacks[i], 20 * NSEC_PER_MSEC);
		m->ev.node = node;
		made_again(m);
		made_place(m, at, worker, stacks[i], EVENT_ACCESS, node, i ? node : 0, 10 * NSEC_PER_MSEC);
		m->ev.place.mapping = MAPPING_HEAP;
		made_again(m);
	}
}

void madenuma_session(struct made_session *f, const char *kinds)
{
	static const char lookup[] = "main;aeMain;readQueryFromClient;processCommand;call;getCommand;lookupKey";
	const thread_id service = made_thread(&f->m, 1234, 1234, "redis-server");
	const thread_id worker = made_thread(&f->m, 1234, 1240, "worker");
	struct numa_state *s = make_state(kinds);
	const uint16_t last = last_with_cpus(&s->topology);

	pthread_mutex_lock(&f->lock);
	for (unsigned int i = 0; i < 60; i++) {
		const uint64_t at = MADE_START_NS + i * NSEC_PER_SEC;

		add_worker(&f->m, worker, at, last);
		made_place(&f->m, at, service, lookup, EVENT_ACCESS, 0, 0, 10 * NSEC_PER_MSEC);
		made_place(&f->m, at, service, "main;loadRdb;dictAdd>zmalloc", EVENT_FAULT, 0, 0, 100);
		if (last && i % 10 == 0)
			made_place(&f->m, at, worker, "start_thread;worker;waitForWork", EVENT_MIGRATION, 0, last, 1);
	}
	fill_state(s);
	profile_numa(f->m.p, s);
	numa_state_unref(s);
	f->published++;
	pthread_mutex_unlock(&f->lock);
}

void madenuma_show(struct treeview *tv, const struct numaview *nv)
{
	const struct pane_ops *ops = pane_info(PANE_NUMA)->ops;
	const struct built b = { .model = (void *)(uintptr_t)nv };

	tv->ops = ops->lines;
	ops->shows(tv, &b);
	treeview_show_model(tv, nv, (struct shown){ .list = nv->rows });
}
