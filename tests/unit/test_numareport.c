/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_numareport.c - views by node of profiles made by hand, on machines of one to eight nodes
 * with holes; every figure told beforehand.
 */
#include "config.h"

#include "base/clock.h"
#include "query/numareport.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"
#include "tests/unit/made.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS NSEC_PER_MSEC
#define GB (UINT64_C(1) << 30)

static uint64_t sum_of(const uint64_t *v, uint32_t n)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += v[i];
	return sum;
}

static void add_accesses(struct numa_accesses *to, const struct numa_accesses *a)
{
	to->near_ns += a->near_ns;
	to->far_ns += a->far_ns;
	to->cost_ns += a->cost_ns;
	to->near_count += a->near_count;
	to->far_count += a->far_count;
}

static void assert_accesses(const struct numa_accesses *a, const struct numa_accesses *b)
{
	assert_memory_equal(a, b, sizeof(*a));
}

/* What is the same in every view that is not cut: everything adds up to the whole, rows are in their order. */
static void assert_sound(const struct numa_view *v)
{
	struct numa_accesses from = { 0 }, to = { 0 }, threads = { 0 }, funcs = { 0 }, mappings = { 0 };
	uint64_t cells = 0, faults = 0, moves = 0;

	for (uint32_t i = 0; i < v->nr_nodes; i++) {
		assert_true(!i || v->node[i - 1].id < v->node[i].id);
		add_accesses(&from, &v->node[i].from);
		add_accesses(&to, &v->node[i].to);
		for (uint32_t k = 0; k < v->nr_nodes; k++)
			cells += v->cell[i * v->nr_nodes + k].ns;
	}
	for (uint32_t i = 0; i < v->nr_threads; i++) {
		add_accesses(&threads, &v->thread[i].accesses);
		assert_true(!i || v->thread[i - 1].running_ns >= v->thread[i].running_ns);
		assert_true(v->thread[i].away_ns <= v->thread[i].running_ns);
	}
	for (uint32_t i = 0; i < v->nr_funcs; i++) {
		const struct numa_func_row *f = &v->func[i];
		struct numa_accesses paths = { 0 };

		add_accesses(&funcs, &f->accesses);
		assert_true(!i || v->func[i - 1].accesses.cost_ns >= f->accesses.cost_ns);
		for (uint32_t p = 0; p < f->nr_paths; p++)
			add_accesses(&paths, &v->path[f->first_path + p].accesses);
		if (f->nr_paths < NUMA_PATHS)
			assert_accesses(&paths, &f->accesses);
		assert_true(f->nr_paths > 0);
		assert_int_equal(sum_of(f->to_ns, v->nr_nodes), f->accesses.near_ns + f->accesses.far_ns);
	}
	for (uint32_t i = 0; i < v->nr_sites; i++) {
		faults += v->site[i].path.count;
		assert_int_equal(sum_of(v->site[i].node_count, v->nr_nodes) + v->site[i].unknown_count,
				 v->site[i].path.count);
		assert_true(!i || v->site[i - 1].away_count >= v->site[i].away_count);
	}
	for (uint32_t i = 0; i < v->nr_moves; i++)
		moves += v->move[i].path.count;
	for (uint32_t i = 0; i < v->nr_mappings; i++)
		add_accesses(&mappings, &v->mapping[i].accesses);
	assert_accesses(&from, &v->all);
	assert_accesses(&to, &v->all);
	assert_accesses(&threads, &v->all);
	assert_accesses(&funcs, &v->all);
	assert_accesses(&mappings, &v->all);
	assert_int_equal(cells, v->all.near_ns + v->all.far_ns);
	assert_int_equal(faults, v->faults);
	assert_int_equal(moves, v->moves);
}

static const struct numa_view *sound_view(struct made *m, const struct query *q)
{
	const struct numa_view *v = made_numa(m, q);

	assert_sound(v);
	return v;
}

static const struct numa_node_row *node(const struct numa_view *v, uint16_t id)
{
	for (uint32_t i = 0; i < v->nr_nodes; i++)
		if (v->node[i].id == id)
			return &v->node[i];
	fail_msg("there is no node %u", id);
	return NULL;
}

static const struct numa_cell *cell(const struct numa_view *v, uint16_t from, uint16_t to)
{
	return &v->cell[(node(v, from) - v->node) * v->nr_nodes + (node(v, to) - v->node)];
}

static const struct numa_func_row *func(const struct numa_view *v, const char *name)
{
	char label[LABEL_MAX];

	for (uint32_t i = 0; i < v->nr_funcs; i++)
		if (!strcmp(numa_func_label(v, i, label, sizeof(label)), name))
			return &v->func[i];
	fail_msg("there is no function %s", name);
	return NULL;
}

static void assert_label(const struct numa_view *v, stack_id stack, const char *want)
{
	char label[LABEL_MAX];

	assert_string_equal(numa_path_label(v, stack, label, sizeof(label)), want);
}

static bool about(double a, double b)
{
	return a > b - 1e-9 && a < b + 1e-9;
}

static const uint16_t two[] = { 10, 21, 21, 10 };
static const uint16_t four[] = { 10, 15, 31, 31, 15, 10, 31, 31, 31, 31, 10, 15, 31, 31, 15, 10 };

static void test_matrix(void **state)
{
	struct made *m = *state;
	const struct query q = { .arch = MADE_ARCH };
	const struct numa_view *v;
	thread_id a, b;

	made_put_on(m, made_machine(2, NULL, two));
	a = made_thread(m, 1, 1, "a");
	b = made_thread(m, 1, 2, "b");
	made_add(m, 1, a, "main;f", 700);
	m->ev.node = 1;
	m->ev.weight = 100;
	made_again(m);
	made_wait(m, 1, b, "main;g", EVENT_BLOCKED, "futex", 'S', 60);
	m->ev.node = 1;
	made_again(m);
	made_wait(m, 1, b, "main;g", EVENT_RUNNABLE, "futex", 'S', 9);
	made_place(m, 1, a, "main;f", EVENT_ACCESS, 0, 0, 300);
	made_place(m, 1, a, "main;f", EVENT_ACCESS, 0, 1, 200);
	made_place(m, 1, a, "main;f", EVENT_ACCESS, 0, 1, 200);
	made_place(m, 1, a, "main;g", EVENT_ACCESS, 1, 0, 100);
	made_place(m, 1, a, "main;g", EVENT_ACCESS, 1, NODE_UNKNOWN, 5000);
	v = sound_view(m, &q);
	assert_int_equal(v->nr_nodes, 2);
	assert_int_equal(cell(v, 0, 0)->ns, 300);
	assert_int_equal(cell(v, 0, 1)->ns, 400);
	assert_int_equal(cell(v, 0, 1)->count, 2);
	assert_int_equal(cell(v, 1, 0)->ns, 100);
	assert_int_equal(cell(v, 1, 1)->ns, 0);
	assert_int_equal(v->all.near_ns, 300);
	assert_int_equal(v->all.far_ns, 500);
	assert_int_equal(v->all.cost_ns, 1050);
	assert_int_equal(v->all.near_count, 1);
	assert_int_equal(v->all.far_count, 3);
	assert_int_equal(v->unknown_count, 1);
	assert_int_equal(v->samples, 2);
	assert_true(about(v->far_share, 5.0 / 8));
	assert_true(about(v->far_weighed, 1050.0 / 1350));
	assert_true(about(v->seconds, 1));
	assert_int_equal(node(v, 0)->running_ns, 700);
	assert_int_equal(node(v, 1)->running_ns, 100);
	assert_int_equal(node(v, 0)->blocked_ns, 60);
	assert_int_equal(node(v, 1)->blocked_ns, 60);
	assert_int_equal(node(v, 0)->runnable_ns, 9);
	assert_int_equal(node(v, 0)->from.far_ns, 400);
	assert_int_equal(node(v, 0)->to.far_ns, 100);
	assert_int_equal(node(v, 0)->to.near_ns, 300);
	assert_int_equal(node(v, 1)->to.far_ns, 400);
	assert_int_equal(node(v, 1)->node->nr_cpus, 4);
}

/* What costs most comes first: less time, but further away. */
static void test_functions(void **state)
{
	struct made *m = *state;
	struct query q = { .arch = MADE_ARCH };
	const struct numa_func_row *f;
	const struct numa_view *v;
	char label[64];
	thread_id a, b;
	uint64_t key, path;

	made_put_on(m, made_machine(4, NULL, four));
	a = made_thread(m, 1, 1, "a");
	b = made_thread(m, 1, 2, "b");
	for (int i = 0; i < 7; i++)
		made_add(m, 1, a, i % 2 ? "main;look#1" : "main;look#2", 100);
	made_add(m, 1, a, "main;idle", 100);
	made_place(m, 1, a, "main;look#1", EVENT_ACCESS, 0, 2, 60);
	made_place(m, 1, b, "main;look#2", EVENT_ACCESS, 0, 2, 30);
	made_place(m, 1, b, "main;walk;look#2", EVENT_ACCESS, 0, 3, 10);
	made_place(m, 1, b, "main;walk;look#1", EVENT_ACCESS, 1, 1, 500);
	made_place(m, 1, a, "main;near", EVENT_ACCESS, 0, 1, 150);
	made_place(m, 1, a, "main;quiet", EVENT_ACCESS, 3, 3, 9000);
	made_place(m, 1, a, "main;lost", EVENT_ACCESS, 3, NODE_UNKNOWN, 9000);
	v = sound_view(m, &q);
	assert_int_equal(v->nr_funcs, 3);
	assert_string_equal(numa_func_label(v, 0, label, sizeof(label)), "look");
	assert_string_equal(numa_func_label(v, 1, label, sizeof(label)), "near");
	assert_string_equal(numa_func_label(v, 2, label, sizeof(label)), "quiet");
	f = &v->func[0];
	assert_int_equal(f->accesses.far_ns, 100);
	assert_int_equal(f->accesses.cost_ns, 310);
	assert_int_equal(f->accesses.near_ns, 500);
	assert_int_equal(f->samples, 7);
	assert_int_equal(v->func[1].accesses.cost_ns, 225);
	assert_int_equal(f->to_ns[1], 500);
	assert_int_equal(f->to_ns[2], 90);
	assert_int_equal(f->to_ns[3], 10);
	/* Two places in one function are one path, under its heaviest stack and with the thread that has most of it. */
	assert_int_equal(f->nr_paths, 2);
	assert_int_equal(v->path[f->first_path].accesses.far_ns, 90);
	assert_int_equal(v->path[f->first_path].stack, made_stack(m, "main;look#1"));
	assert_int_equal(v->path[f->first_path].thread, a);
	assert_int_equal(v->path[f->first_path + 1].accesses.near_ns, 500);
	assert_int_equal(v->path[f->first_path + 1].thread, b);
	assert_label(v, v->path[f->first_path + 1].stack, "look › walk › main");
	key = f->key;
	path = v->path[f->first_path].key;
	made_place(m, 1, a, "main;new", EVENT_ACCESS, 0, 2, 60000);
	made_place(m, 1, b, "main;look#2", EVENT_ACCESS, 0, 2, 35);
	v = sound_view(m, &q);
	f = func(v, "look");
	assert_int_equal(f->key, key);
	/* The other of its stacks is the heaviest now: it is the same path, so it stays open in a view. */
	assert_int_equal(v->path[f->first_path].stack, made_stack(m, "main;look#2"));
	assert_int_equal(v->path[f->first_path].key, path);
	assert_int_equal(func(v, "look") - v->func, 1);
	assert_int_equal(func(v, "new")->samples, 0);
}

/* The innermost name counts: inlined or not, of the kernel or not, and the place when there is none. */
static void test_names(void **state)
{
	struct made *m = *state;
	struct query q = { .arch = MADE_ARCH };
	const struct func note = { .kind = FUNC_NOTE,
				   .name = names_add_text(m->names, "[cut: why]", strlen("[cut: why]")) };
	const struct name cut = { .func = names_add_func(m->names, &note) };
	const struct numa_view *v;
	char tiny[4], none[1];
	thread_id a;

	made_put_on(m, made_machine(2, NULL, two));
	a = made_thread(m, 1, 1, "a");
	made_place(m, 1, a, "main;f>in>in2", EVENT_ACCESS, 0, 1, 1);
	made_place(m, 1, a, "main;f", EVENT_ACCESS, 0, 1, 2);
	made_place(m, 1, a, "main;f;sys_[k]", EVENT_ACCESS, 0, 1, 4);
	made_place(m, 1, a, "main;g;@10;@20", EVENT_ACCESS, 0, 1, 8);
	made_place(m, 1, a, "@30;@40", EVENT_ACCESS, 0, 1, 16);
	made_place(m, 1, a, "!1;@30;@40", EVENT_ACCESS, 0, 1, 32);
	assert_int_equal(names_set(m->names, dict_note(m->d, NOTE_CUT + 1), &cut, 1, true), 0);
	made_place(m, 1, a, "work_[k]", EVENT_ACCESS, 0, 1, 64);
	v = sound_view(m, &q);
	assert_int_equal(func(v, "in2")->accesses.far_ns, 1);
	assert_int_equal(func(v, "f")->accesses.far_ns, 2);
	assert_int_equal(func(v, "sys")->accesses.far_ns, 4);
	assert_int_equal(func(v, "g")->accesses.far_ns, 8);
	assert_int_equal(func(v, "libc.so.6+0x40")->accesses.far_ns, 48);
	assert_int_equal(func(v, "libc.so.6+0x40")->func, ID_NONE);
	assert_int_equal(func(v, "work")->accesses.far_ns, 64);
	assert_int_equal(v->nr_funcs, 6);
	assert_string_equal(numa_func_label(v, 1, tiny, sizeof(tiny)), "lib");
	assert_ptr_equal(numa_func_label(v, 1, none, 0), none);
	q.no_inlines = true;
	v = sound_view(m, &q);
	assert_int_equal(func(v, "f")->accesses.far_ns, 3);
	assert_label(v, made_stack(m, "main;f>in>in2"), "f › main");
	q.hide_kernel = true;
	v = sound_view(m, &q);
	assert_int_equal(func(v, "f")->accesses.far_ns, 7);
	assert_true(v->func[0].func == ID_NONE && v->func[0].accesses.far_ns == 64);
}

static void test_threads(void **state)
{
	struct made *m = *state;
	struct numa_state *s = made_machine(2, NULL, two);
	struct query q = { .arch = MADE_ARCH };
	const struct numa_thread_row *r;
	const struct numa_view *v;
	thread_id t[4];

	s->time_ns = 10000 * MS;
	made_home(s, 1, 1, -1, 1, 5);
	made_home(s, 1, 2, 1, 0, 7);
	made_home(s, 1, 3, -1, 0, 0);
	s->thread.v[2].start_ns = 99;                    /* another thread of that number */
	made_put_on(m, s);
	for (int i = 0; i < 4; i++)
		t[i] = made_thread(m, 1, i + 1, "t");
	made_add(m, 1, t[0], "main", 100);              /* no home told: where it ran most */
	m->ev.node = 1;
	m->ev.weight = 300;
	made_again(m);
	made_add(m, 1, t[1], "main", 80);               /* told: node 1, where it never ran */
	made_add(m, 2000 * MS, t[2], "main", 7);
	made_add(m, 1000 * MS, t[2], "main", 20);
	m->ev.node = 1;
	m->ev.weight = 21;
	made_again(m);
	made_wait(m, 1, t[3], "main", EVENT_BLOCKED, "futex", 'S', 60);
	made_place(m, 1, t[0], "main", EVENT_MIGRATION, 0, 1, 2);
	made_place(m, 1, t[2], "main", EVENT_MIGRATION, 1, 0, 3);
	made_place(m, 1, t[2], "main", EVENT_ACCESS, 1, 0, 3);
	v = sound_view(m, &q);
	assert_int_equal(v->nr_threads, 4);
	r = &v->thread[0];
	assert_int_equal(r->thread, t[0]);
	assert_true(r->home == 1 && !r->home_by_kernel && r->node == 1);
	assert_true(r->running_ns == 400 && r->away_ns == 100 && r->moves == 5);
	assert_true(r->node_ns[0] == 100 && r->node_ns[1] == 300);
	r = &v->thread[1];
	assert_int_equal(r->thread, t[1]);
	assert_true(r->home == 1 && r->home_by_kernel && r->node == 0);
	assert_true(r->running_ns == 80 && r->away_ns == 80 && r->moves == 7);
	r = &v->thread[2];
	assert_true(r->home == 0 && !r->home_by_kernel && r->node == 0);
	assert_true(r->away_ns == 21 && r->moves == 3 && r->accesses.far_ns == 3);
	r = &v->thread[3];
	assert_true(r->home == -1 && r->node == 0 && !r->running_ns && !r->moves);

	/* Of a piece of the time, what facts of it say. */
	q.from_ns = 1;
	q.to_ns = 1000 * MS;
	v = sound_view(m, &q);
	assert_int_equal(v->thread[0].moves, 2);
	assert_int_equal(v->thread[1].node, 0);
	assert_int_equal(v->thread[2].thread, t[2]);     /* migrated, and did not run */
	assert_int_equal(v->thread[2].home, -1);
	q = (struct query){ .arch = MADE_ARCH, .terms = MADE_TERM(TERM_THREAD, "2") };
	v = sound_view(m, &q);
	assert_int_equal(v->nr_threads, 1);
	assert_int_equal(v->thread[0].thread, t[1]);
}

/*
 * What is told late comes under the name of then; the thread keeps the one that it had last,
 * whatever the order of ids.
 */
static void test_names_of_threads(void **state)
{
	struct made *m = *state;
	const struct query q = { .arch = MADE_ARCH };
	const struct numa_view *v;
	thread_id first, now, late;

	first = made_thread(m, 1, 1, "first");
	now = made_thread(m, 1, 1, "now");
	late = made_thread(m, 1, 1, "late");
	made_add(m, 1, now, "main", 50);
	made_place(m, 1, late, "main", EVENT_FAULT, 0, 0, 5);
	made_add(m, 1, first, "main", 5);
	made_place(m, 1, made_thread(m, 2, 2, "other"), "main", EVENT_FAULT, 0, 0, 1);
	v = sound_view(m, &q);
	assert_int_equal(v->nr_threads, 2);
	assert_int_equal(v->thread[0].thread, now);
	assert_int_equal(v->thread[0].running_ns, 55);
	assert_int_equal(v->site[0].path.thread, now);
	assert_int_equal(v->thread[1].thread, made_thread(m, 2, 2, "other"));
}

static const struct numa_site_row *site(const struct numa_view *v, const char *label)
{
	char text[LABEL_MAX];

	for (uint32_t i = 0; i < v->nr_sites; i++)
		if (!strcmp(numa_path_label(v, v->site[i].path.stack, text, sizeof(text)), label))
			return &v->site[i];
	fail_msg("there is no site %s", label);
	return NULL;
}

/* Who touched it first is who called memset, not memset; and what is elsewhere comes first. */
static void test_sites(void **state)
{
	struct made *m = *state;
	const struct query q = { .arch = MADE_ARCH };
	const struct numa_site_row *r;
	const struct numa_view *v;
	thread_id a, b;

	made_put_on(m, made_machine(4, NULL, four));
	a = made_thread(m, 1, 1, "a");
	b = made_thread(m, 1, 2, "b");
	made_place(m, 1, a, "main;load;__memset_avx2_unaligned_erms;exc_[k];fault_[k]", EVENT_FAULT, 0, 0, 10);
	m->ev.place.mapping = MAPPING_HEAP;
	made_again(m);
	made_place(m, 1, b, "main;load;memcpy@@GLIBC_2.14", EVENT_FAULT, 0, 2, 10);
	made_place(m, 1, b, "main;load;calloc;@10;@20", EVENT_FAULT, 0, NODE_UNKNOWN, 30);
	made_place(m, 1, a, "main;grow>std::fill;operator new(unsigned long);malloc;_int_malloc;sysmalloc",
		   EVENT_FAULT, 3, 3, 100);
	made_place(m, 1, a, "main;stack", EVENT_FAULT, 3, 1, 40);
	m->ev.place.mapping = MAPPING_STACK;
	made_again(m);
	v = sound_view(m, &q);
	assert_int_equal(v->nr_sites, 3);
	assert_int_equal(v->faults, 240);
	assert_int_equal(v->fault_samples, 7);
	assert_int_equal(node(v, 0)->faults, 20);
	assert_int_equal(node(v, 1)->faults, 80);
	assert_int_equal(node(v, 1)->fault_samples, 2);
	r = site(v, "stack › main");
	assert_int_equal(r - v->site, 0);
	assert_true(r->path.count == 80 && r->path.samples == 2 && r->away_count == 80 && r->node_count[1] == 80);
	assert_true(r->mapping == MAPPING_ANON || r->mapping == MAPPING_STACK);
	r = site(v, "load › main");
	assert_int_equal(r - v->site, 1);
	assert_true(r->path.count == 60 && r->path.samples == 4 && r->away_count == 10 && r->unknown_count == 30);
	assert_true(r->node_count[0] == 20 && r->node_count[2] == 10);
	assert_int_equal(r->mapping, MAPPING_ANON);
	assert_int_equal(r->path.thread, b);
	assert_int_equal(r->path.stack, made_stack(m, "main;load;calloc;@10;@20"));
	r = site(v, "std::fill › grow › main");
	assert_true(r->path.count == 100 && !r->away_count && r->path.thread == a);
}

/* What has nothing but libc reads as it is. */
static void test_readings(void **state)
{
	struct made *m = *state;
	static const struct { const char *stack, *text; } want[] = {
		{ "main;f;memset", "f › main" },
		{ "main;f;__memmove_evex_unaligned_erms", "f › main" },
		{ "main;f;@1;@2", "f › main" },
		{ "main;@9;f;@1", "f › libc.so.6+0x9 › main" },
		{ "main;f>memcpy", "f › main" },
		{ "main;f>memcpy>in", "in › memcpy › f › main" },
		{ "main;f;read", "f › main" },
		{ "main;member_of", "member_of › main" },
		{ "main;runtime.growslice;runtime.mallocgc;runtime.memclrNoHeapPointers", "main" },
		{ "@1;memset", "memset › libc.so.6+0x1" },
		{ "!3;memset", "memset › [cut: no_cfi]" },
		{ "work_[k];clear_page_[k]", "clear_page › work" },
		{ "", "[no stack]" },
	};
	const struct query q = { .arch = MADE_ARCH };
	const struct numa_view *v;

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		made_place(m, 1, made_thread(m, 1, 1, "a"), want[i].stack, EVENT_FAULT, 0, 0, 1);
	v = sound_view(m, &q);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		assert_label(v, made_stack(m, want[i].stack), want[i].text);
}

static void test_moves(void **state)
{
	struct made *m = *state;
	const struct query q = { .arch = MADE_ARCH };
	const struct numa_view *v;
	thread_id a, b;

	made_put_on(m, made_machine(2, NULL, two));
	a = made_thread(m, 1, 1, "a");
	b = made_thread(m, 1, 2, "b");
	made_place(m, 1, a, "main;hold;nanosleep;sys_[k]", EVENT_MIGRATION, 0, 1, 3);
	made_place(m, 1, b, "main;hold;poll", EVENT_MIGRATION, 1, 0, 4);
	made_place(m, 1, b, "main;spin", EVENT_MIGRATION, 1, 0, 9);
	/* no stack, and from where is not known */
	made_place(m, 1, b, "", EVENT_MIGRATION, NODE_UNKNOWN, NODE_UNKNOWN, 2);
	v = sound_view(m, &q);
	assert_int_equal(v->moves, 18);
	assert_int_equal(node(v, 0)->moves_out, 3);
	assert_int_equal(node(v, 0)->moves_in, 13);
	assert_int_equal(node(v, 1)->moves_in, 3);
	assert_int_equal(v->nr_nodes, 2);
	assert_int_equal(v->nr_moves, 3);
	assert_label(v, v->move[0].path.stack, "spin › main");
	assert_label(v, v->move[1].path.stack, "hold › main");
	assert_int_equal(v->move[1].path.count, 7);
	assert_int_equal(v->move[1].path.thread, b);
	assert_label(v, v->move[2].path.stack, "[no stack]");
	assert_int_not_equal(v->move[0].path.key, v->move[1].path.key);
}

static void test_mappings(void **state)
{
	struct made *m = *state;
	static const char *const want[] = { "heap", "file libdata.so", "anon", "file", "stack" };
	struct numa_state *s = made_machine(2, NULL, two);
	const struct query q = { .arch = MADE_ARCH };
	struct numa_process *p = made_process(s, 1);
	struct module file = { .kind = MODULE_FILE };
	const struct numa_view *v;
	char label[64];
	thread_id a;

	made_resident(p, 0, MAPPING_HEAP, GB);
	made_resident(p, 1, MAPPING_HEAP, 2 * GB);
	made_resident(p, 1, MAPPING_FILE, 3 * GB);
	made_resident(p, 1, MAPPING_ANON, 4 * GB);
	p = made_process(s, 2);
	made_resident(p, 0, MAPPING_HEAP, GB);
	made_resident(p, 0, MAPPING_STACK, 5);
	made_put_on(m, s);
	a = made_thread(m, 1, 1, "a");
	made_place(m, 1, a, "main", EVENT_ACCESS, 0, 1, 50);
	m->ev.place.mapping = MAPPING_HEAP;
	m->ev.weight = 70;
	made_again(m);
	m->ev.place.mapping = MAPPING_FILE;
	file.path = strtab_adds(dict_strings(m->d), "/usr/lib/libdata.so");
	m->ev.place.file = dict_module(m->d, &file);
	m->ev.weight = 60;
	made_again(m);
	m->ev.place.node = NODE_UNKNOWN;
	m->ev.place.mapping = MAPPING_SHARED;             /* nothing is known of it */
	made_again(m);
	v = sound_view(m, &q);
	assert_int_equal(v->nr_mappings, 5);
	for (uint32_t i = 0; i < 5; i++)
		assert_string_equal(numa_mapping_label(v, &v->mapping[i], label, sizeof(label)), want[i]);
	assert_int_equal(v->mapping[0].resident_bytes, 4 * GB);
	assert_int_equal(v->mapping[0].node_bytes[0], 2 * GB);
	assert_int_equal(v->mapping[0].node_bytes[1], 2 * GB);
	assert_int_equal(v->mapping[1].resident_bytes, 0);
	assert_int_equal(v->mapping[3].node_bytes[1], 3 * GB);
	assert_int_equal(node(v, 0)->resident_bytes, 2 * GB + 5);
	assert_int_equal(node(v, 1)->resident_bytes, 9 * GB);
}

static void test_one_node(void **state)
{
	struct made *m = *state;
	const struct query q = { .arch = MADE_ARCH };
	const struct numa_view *v;
	thread_id a;

	made_put_on(m, made_machine(1, NULL, (const uint16_t[]){ 10 }));
	a = made_thread(m, 1, 1, "a");
	made_add(m, 1, a, "main;f", 100);
	made_place(m, 1, a, "main;f", EVENT_ACCESS, 0, 0, 50);
	made_place(m, 1, a, "main;load", EVENT_FAULT, 0, 0, 7);
	v = sound_view(m, &q);
	assert_int_equal(v->nr_nodes, 1);
	assert_true(v->far_share == 0 && v->far_weighed == 0);
	assert_int_equal(v->all.near_ns, 50);
	assert_int_equal(v->nr_funcs, 1);
	assert_int_equal(v->nr_sites, 1);
	assert_true(v->thread[0].home == 0 && !v->thread[0].away_ns);
}

/* Without a state there are the nodes of the facts, as far from each other as nodes are that nobody knows. */
static void test_no_state(void **state)
{
	struct made *m = *state;
	const struct query q = { .arch = MADE_ARCH };
	const struct numa_view *v;
	thread_id a;

	v = sound_view(m, &q);
	assert_true(!v->nr_nodes && !v->nr_threads && !v->nr_funcs && !v->nr_mappings && v->seconds == 0);
	a = made_thread(m, 1, 1, "a");
	made_add(m, 1, a, "main;f", 100);
	m->ev.node = 6;
	made_again(m);
	made_place(m, 1, a, "main;f", EVENT_ACCESS, 6, 3, 50);
	v = sound_view(m, &q);
	assert_null(v->state);
	assert_int_equal(v->nr_nodes, 3);
	assert_null(node(v, 3)->node);
	assert_int_equal(node(v, 6)->running_ns, 100);
	assert_int_equal(cell(v, 6, 3)->ns, 50);
	assert_int_equal(v->all.cost_ns, 100);
	assert_int_equal(v->thread[0].home, 0);
}

/* CPUs without memory: what is nearest counts as their own. Memory without CPUs: always far. Numbers with gaps. */
static void test_holes(void **state)
{
	struct made *m = *state;
	static const uint16_t id[] = { 0, 2, 7, 500 };
	static const uint16_t d[] = { 10, 20, 30, 40, 20, 10, 12, 40, 30, 12, 10, 17, 40, 40, 17, 10 };
	struct numa_state *s = made_machine(4, id, d);
	const struct query q = { .arch = MADE_ARCH };
	const struct numa_view *v;
	thread_id a;

	s->topology.node[1].size_bytes = 0;
	s->topology.node[3].nr_cpus = 0;
	made_put_on(m, s);
	a = made_thread(m, 1, 1, "a");
	made_place(m, 1, a, "main;f", EVENT_ACCESS, 2, 7, 1200);
	made_place(m, 1, a, "main;f", EVENT_ACCESS, 2, 0, 1200);
	made_place(m, 1, a, "main;g", EVENT_ACCESS, 7, 500, 100);
	made_place(m, 1, a, "main;h", EVENT_ACCESS, 0, 0, 100);
	made_place(m, 1, a, "main;h", EVENT_ACCESS, 0, 600, 100);       /* of a node that is gone */
	v = sound_view(m, &q);
	assert_int_equal(v->nr_nodes, 5);
	assert_int_equal(cell(v, 2, 7)->ns, 1200);
	assert_int_equal(func(v, "f")->accesses.far_ns, 2400);
	assert_int_equal(func(v, "f")->accesses.cost_ns, 1200 + 1999);   /* 20/12, in thousandths */
	assert_int_equal(func(v, "g")->accesses.cost_ns, 170);
	assert_int_equal(func(v, "h")->accesses.cost_ns, 200);
	assert_null(node(v, 600)->node);
	assert_int_equal(node(v, 500)->to.far_ns, 100);
}

/* Everybody to everybody, in a ring: far is 7 of 8, and the mean distance of the others 2.5 times as far plus 10. */
static void test_eight_nodes(void **state)
{
	struct made *m = *state;
	const struct query q = { .arch = MADE_ARCH };
	const struct numa_view *v;
	uint16_t d[64];
	thread_id a;

	for (int i = 0; i < 8; i++)
		for (int k = 0; k < 8; k++)
			d[8 * i + k] = (uint16_t)(10 + 10 * (abs(i - k) < 4 ? abs(i - k) : 8 - abs(i - k)));
	made_put_on(m, made_machine(8, NULL, d));
	a = made_thread(m, 1, 1, "a");
	for (uint16_t i = 0; i < 8; i++)
		for (uint16_t k = 0; k < 8; k++)
			made_place(m, 1, a, "main;f", EVENT_ACCESS, i, k, 1000);
	v = sound_view(m, &q);
	assert_true(about(v->far_share, 7.0 / 8));
	assert_int_equal(v->all.cost_ns, 8 * (2 * (2 + 3 + 4) + 5) * 1000);
	assert_int_equal(cell(v, 3, 6)->count, 1);
}

static void test_filters(void **state)
{
	struct made *m = *state;
	struct query q = { .arch = MADE_ARCH, .measures = MEASURES_OFF_CPU | MEASURES_FAR, .states = 1, .by_node = true,
			   .nr_calls = 1 };
	const struct numa_view *v;
	struct numa_state *s = made_machine(2, NULL, two);
	thread_id a, b;

	s->sampled_from_ns = 4000 * MS;
	made_put_on(m, s);
	a = made_thread(m, 1, 1, "a");
	b = made_thread(m, 1, 2, "b");
	made_place(m, 1, a, "main;f", EVENT_ACCESS, 0, 1, 1);
	made_place(m, 1, b, "main;f", EVENT_ACCESS, 1, 1, 2);
	made_place(m, 5000 * MS, b, "main;f", EVENT_ACCESS, 0, 1, 4);
	v = sound_view(m, &q);                          /* what to count is not the question here */
	assert_int_equal(v->all.near_ns + v->all.far_ns, 7);
	assert_true(about(v->seconds, 6));
	assert_true(about(v->sampled_seconds, 2));      /* what is sampled since later is divided by less */
	q.from_ns = 3000 * MS;
	v = sound_view(m, &q);
	assert_int_equal(v->all.far_ns, 4);
	assert_true(about(v->seconds, 1));
	q.from_ns = 0;
	nodeset_add(&q.nodes, 1);
	v = sound_view(m, &q);
	assert_true(v->all.near_ns == 2 && !v->all.far_ns && v->nr_nodes == 2);
	q = (struct query){ .terms = MADE_TERM(TERM_THREAD, "a") };
	v = sound_view(m, &q);
	assert_true(v->all.far_ns == 1 && v->nr_threads == 1);
}

/* More than there are rows for: the heaviest have theirs, the whole is that of all. */
static void test_bounded(void **state)
{
	struct made *m = *state;
	const struct query q = { .arch = MADE_ARCH };
	struct module file = { .kind = MODULE_FILE };
	const struct numa_view *v;
	char text[64], label[64];
	thread_id t;

	for (uint32_t i = 0; i < 1500; i++) {
		t = made_thread(m, 1, 1 + (pid_t)i, "t");
		made_add(m, 1, t, "main", 1 + i);
		snprintf(text, sizeof(text), "main;p%u;f%u", i, i < 100 ? 0 : i);
		made_place(m, 1, t, text, EVENT_ACCESS, 0, 1, 1000 + i);
		file.ino = 1 + i;
		m->ev.place.file = dict_module(m->d, &file);
		made_again(m);
		made_place(m, 1, t, text, EVENT_FAULT, 0, 1, 10 + i);
		made_place(m, 1, t, text, EVENT_MIGRATION, 0, 1, 10 + i);
	}
	v = made_numa(m, &q);
	assert_int_equal(v->nr_threads, NUMA_ROWS);
	assert_int_equal(v->nr_funcs, NUMA_ROWS);
	assert_int_equal(v->nr_sites, NUMA_ROWS);
	assert_int_equal(v->nr_moves, NUMA_ROWS);
	assert_int_equal(v->nr_mappings, NUMA_ROWS);
	assert_int_equal(v->thread[0].running_ns, 1500);
	assert_string_equal(numa_func_label(v, 0, label, sizeof(label)), "f0");
	assert_int_equal(v->func[0].nr_paths, NUMA_PATHS);
	assert_int_equal(v->func[0].accesses.far_count, 200);
	assert_int_equal(v->path[0].accesses.far_ns, 2 * 1099);
	assert_string_equal(numa_func_label(v, 1, label, sizeof(label)), "f1499");
	assert_int_equal(v->nr_paths, NUMA_PATHS + NUMA_ROWS - 1);
	assert_int_equal(v->site[0].path.count, 1509);
	assert_int_equal(v->all.far_ns, 2ull * (1500 * 1000 + 1499 * 1500 / 2));
	assert_int_equal(v->faults, 1500 * 10 + 1499 * 1500 / 2);
}

/* Numbers that nothing has, as in a recording that somebody made up. */
static void test_hostile(void **state)
{
	struct made *m = *state;
	struct numa_state *s = made_machine(2, (const uint16_t[]){ 1, 1023 }, NULL);
	const struct query q = { .arch = MADE_ARCH };
	struct numa_process *p = made_process(s, 1);
	const struct numa_view *v;
	char label[64];
	thread_id a;

	made_resident(p, 60000, 250, GB);
	made_home(s, 1, 1, 70000, 80000, 1);
	made_put_on(m, s);
	a = made_thread(m, 1, 1, "a");
	made_add(m, 1, a, "main", 5);
	m->ev.node = 50000;
	made_again(m);
	made_place(m, 1, a, "main", EVENT_ACCESS, 50000, 3, UINT64_MAX);
	made_place(m, 1, a, "main", EVENT_ACCESS, 3, 50000, 5);
	made_place(m, 1, a, "main", EVENT_ACCESS, 3, 1, UINT64_MAX);
	m->ev.place.mapping = 200;
	m->ev.weight = 1;
	made_again(m);
	made_place(m, 1, a, "main", EVENT_FAULT, 1, 3, 7);
	m->ev.place.mapping = 255;
	made_again(m);
	v = made_numa(m, &q);
	assert_int_equal(v->nr_nodes, 4);
	assert_int_equal(v->all.far_ns, UINT64_MAX);
	assert_int_equal(v->all.cost_ns, UINT64_MAX);
	assert_int_equal(v->unknown_count, 1);
	assert_true(v->thread[0].home == 70000 && v->thread[0].node == 0 && v->thread[0].away_ns == 5);
	assert_string_equal(numa_mapping_label(v, &v->mapping[1], label, sizeof(label)), "other");
	assert_int_equal(v->site[0].mapping, MAPPING_UNKNOWN);
}

static struct made shared;
static struct snapshot *shared_snapshot;

static bool try_build(void)
{
	const struct query q = { .arch = MADE_ARCH };
	struct numa_view *v = NULL;
	struct err e = ERR_INIT;
	const int r = numa_view_build(shared_snapshot, shared.names, &q, &v, &e);

	assert_true(r == 0 ? v && !e.code : r == -ENOMEM && !v && e.code == ENOMEM);
	numa_view_free(v);
	return r == 0;
}

static void test_no_memory(void **state)
{
	struct numa_state *s = made_machine(2, NULL, two);
	struct numa_process *p = made_process(s, 1);

	made_init(&shared, NULL);
	made_resident(p, 1, MAPPING_HEAP, GB);
	made_put_on(&shared, s);
	for (int i = 0; i < 40; i++) {
		const thread_id t = made_thread(&shared, i, i, "a");

		made_add(&shared, 1, t, i % 2 ? "main;f;g>h" : "main;@10;x_[k]", MS);
		for (enum event_kind kind = EVENT_MIGRATION; kind <= EVENT_ACCESS; kind++)
			made_place(&shared, 1, t, i % 2 ? "main;f;g>h" : "main;@10;x_[k]", kind, 0,
				   (uint16_t)(i % 3), 5);
	}
	shared_snapshot = profile_snapshot(shared.p);
	for (long n = 0; fail_alloc_round(n, try_build); n++)
		;
	snapshot_unref(shared_snapshot);
	made_free(&shared);
}

/* A thread has the name that it was seen under last, whichever of its names came first into the dictionary. */
static void test_last_name(void **state)
{
	struct made *m = *state;
	const thread_id after = made_thread(m, 7, 7, "server"), before = made_thread(m, 7, 7, "starter");
	const struct query q = { 0 };
	const struct numa_view *v;

	made_add(m, 100, before, "main", 10);
	made_add(m, 200, after, "main", 30);
	v = made_numa(m, &q);
	assert_int_equal(v->nr_threads, 1);
	assert_int_equal(v->thread[0].thread, after);
	assert_int_equal(v->thread[0].running_ns, 40);
	/* A later slice counts for more than weight. */
	made_add(m, 5000000000, before, "main", 1);
	v = made_numa(m, &q);
	assert_int_equal(v->nr_threads, 1);
	assert_int_equal(v->thread[0].thread, before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(test_last_name),
		MADE_TEST(test_matrix),
		MADE_TEST(test_functions),
		MADE_TEST(test_names),
		MADE_TEST(test_threads),
		MADE_TEST(test_names_of_threads),
		MADE_TEST(test_sites),
		MADE_TEST(test_readings),
		MADE_TEST(test_moves),
		MADE_TEST(test_mappings),
		MADE_TEST(test_one_node),
		MADE_TEST(test_no_state),
		MADE_TEST(test_holes),
		MADE_TEST(test_eight_nodes),
		MADE_TEST(test_filters),
		MADE_TEST(test_bounded),
		MADE_TEST(test_hostile),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
