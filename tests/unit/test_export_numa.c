/* SPDX-License-Identifier: BSD-2-Clause */
/* test_export_numa.c - the text of views by node, byte for byte, and the figures of the summary. */
#include "config.h"

#include "base/clock.h"
#include "base/text.h"
#include "export/exporter.h"
#include "query/numacolumns.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/made.h"

#include <stdlib.h>
#include <string.h>

#define MS NSEC_PER_MSEC
#define GB (UINT64_C(1) << 30)

static const struct profile_meta usual = { .off_cpu = true };
static const uint16_t two[] = { 10, 21, 21, 10 };

static char *text_of(struct made *m, const struct query *q, const struct export_view *o)
{
	struct err e = ERR_INIT;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(made_write(m, f, &exporter_numa, q, o ? o : &(struct export_view){ .meta = &usual }, &e), 0);
	fclose(f);
	return text;
}

static void assert_numa(struct made *m, const struct export_view *o, const char *want)
{
	const struct query q = { .arch = MADE_ARCH };
	AUTO_FREE char *text = text_of(m, &q, o);

	assert_string_equal(text, want);
}

/* A server whose worker looks things up that its main thread has loaded, on the other node. */
static struct numa_state *make_server(struct made *m)
{
	struct numa_state *s = made_machine(2, NULL, two);
	struct numa_process *p = made_process(s, 10);
	const thread_id a = made_thread(m, 10, 10, "app"), b = made_thread(m, 10, 11, "b\033o");

	s->figures = (struct numa_figures){ .samples = 300, .near = 40, .far = 200, .kernel_moves = 25,
						.balancing_faults = 34000, .threads_left = 1234, .processes_left = 5 };
	s->figures.miss[MISS_KERNEL] = 45;
	s->figures.miss[MISS_PAGE] = 15;
	made_home(s, 10, 11, 0, 1, 7);
	p->rss_bytes = 4 * GB;
	p->moment_ns = 1;
	p->asked = 1000;
	p->found = 20;
	p->faults = 12345;
	p->major_faults = 12;
	p->policies_read = true;
	strcpy(p->policy, "bind:0");
	strcpy(p->mapped_policy, "interleave:0-1 3 MB");
	strcpy(p->mems, "0-1");
	strcpy(p->cpus, "0-7");
	made_resident(p, 0, MAPPING_HEAP, 3 * GB);
	made_resident(p, 1, MAPPING_HEAP, GB);
	made_resident(p, 1, MAPPING_STACK, 64 << 10);
	made_add(m, 1, a, "main;load", 100 * MS);
	made_add(m, 1, b, "start;work;look", 900 * MS);
	m->ev.node = 1;
	m->ev.count = 240;
	made_again(m);
	made_wait(m, 1, b, "start;work;take", EVENT_RUNNABLE, "futex", 'S', 12 * MS);
	made_place(m, 1, b, "start;work;look", EVENT_ACCESS, 1, 0, 4 * MS);
	for (int i = 1; i < 200; i++)
		made_again(m);
	m->ev.place.node = 1;
	for (int i = 0; i < 40; i++)
		made_again(m);
	m->ev.place.node = NODE_UNKNOWN;
	made_again(m);
	made_place(m, 1, a, "main;load;memcpy", EVENT_ACCESS, 0, 0, 20 * MS);
	m->ev.place.mapping = MAPPING_HEAP;
	made_again(m);
	made_place(m, 1, a, "main;load;memset", EVENT_FAULT, 0, 0, 2000);
	m->ev.place.mapping = MAPPING_HEAP;
	m->ev.place.node = 1;
	m->ev.weight = 500;
	made_again(m);
	m->ev.place.node = NODE_UNKNOWN;
	made_again(m);
	made_place(m, 1, b, "start;work;take;futex", EVENT_MIGRATION, 0, 1, 4);
	made_place(m, 1, b, "start;work", EVENT_MIGRATION, 1, 0, 3);
	return s;
}

static void test_two_nodes(void **state)
{
	const struct profile_meta meta = { .duration_ns = 14 * NSEC_PER_SEC, .off_cpu = true };
	const struct export_view plain = { .ascii = true, .meta = &meta };
	struct made *m = *state;
	AUTO_FREE char *text = NULL;
	const struct query q = { .arch = MADE_ARCH };

	made_put_on(m, make_server(m));
	assert_numa(m, NULL,
		    "2 nodes, distances 10/21\n"
		    "far ~80.0 % of the time of 242 accesses, ~89.4 % weighed by distance\n"
		    "addresses: 80.0 % of 300 samples\n"
		    "migrations: 7 (7.0/s); the scheduler put threads to another node 25 times\n"
		    "automatic balancing: ~34,000 page faults, which are no first touches\n"
		    "\n"
		    "nodes\n"
		    "  node   running  run queue   memory     free   target      faults   moves in  moves out  CPUs\n"
		    "     0    1.00 s    12.0 ms    16 GB   4.0 GB  ~3.0 GB      ~2,000          3          4  0-3\n"
		    "     1    900 ms          ·    16 GB   4.0 GB  ~1.0 GB        ~500          4          3  4-7\n"
		    "\n"
		    "accesses from the CPUs of a node to the memory of another, in brackets the distance\n"
		    "   from \\ to                0                1\n"
		    "     0          ~4.0 %   (10)         ·   (21)\n"
		    "     1         ~80.0 %   (21)   ~16.0 %   (10)\n"
		    "\n"
		    "functions by what their far accesses cost\n"
		    "      cost       far     share   of time  accesses   samples\n"
		    "   ~1.68 s   ~800 ms   ~83.3 %   ~960 ms       240       241  look\n"
		    "   ~1.68 s   ~800 ms   ~83.3 %   ~960 ms       240    look › work › start\n"
		    "         ·         ·         ·  ~40.0 ms         2         ·  memcpy\n"
		    "         ·         ·         ·  ~40.0 ms         2    load › main\n"
		    "\n"
		    "first touches of memory, by how many pages are on another node than who touched them\n"
		    "      faults   samples  elsewhere  memory       call path\n"
		    "      ~3,000         3    ~16.7 %  anon         load › main\n"
		    "                                                on 0 66.7 %, 1 16.7 %, nowhere 16.7 %,\n"
		    "                                                most by app 10\n"
		    "\n"
		    "migrations between nodes, by where the thread was when it left its CPU\n"
		    "       times  per second  call path\n"
		    "           4         4.0  take › work › start\n"
		    "                          most by b�o 11\n"
		    "           3         3.0  work › start\n"
		    "                          most by b�o 11\n"
		    "\n"
		    "threads; home is the node that the kernel prefers, or with ~ the one where it ran most\n"
		    "   running  not at home    share  home   now migrations      far  accesses\n"
		    "    1.80 s       900 ms   50.0 %     0     1          7  ~83.3 %       240  b�o 11\n"
		    "    100 ms            ·        ·    ~0     0          ·        ·         2  app 10\n"
		    "  up to 1,234 threads more at a time were not looked at: their homes are not known\n"
		    "\n"
		    "memory by what it is for; what processes share counts in each of them\n"
		    "  resident       far     share   of time  accesses\n"
		    "         ·   ~800 ms   ~81.6 %   ~980 ms       241  anon\n"
		    "   ~4.0 GB         ·         ·  ~20.0 ms         1  heap: on 0 75.0 %, 1 25.0 %\n"
		    "    ~64 KB         ·         ·         ·         ·  stack: on 1 100.0 %\n"
		    "\n"
		    "processes\n"
		    "  app 10: 4.0 GB in memory, 12,345 page faults since it began, 12 of them major\n"
		    "      policy bind:0, of mappings interleave:0-1 3 MB; memory of nodes 0-1, CPUs 0-7\n"
		    "      heap         node 0      ~3.0 GB  9 of 1,000 pages looked at\n"
		    "      heap         node 1      ~1.0 GB  9 of 1,000 pages looked at\n"
		    "      stack        node 1       ~64 KB  9 of 1,000 pages looked at\n"
		    "  up to 5 processes more at a time were not looked at: their memory is not known\n"
		    "\n"
		    "samples without an address\n"
		    "     share   samples\n"
		    "    15.0 %        45  it landed in the kernel\n"
		    "     5.0 %        15  it gave one, but the kernel did not say where its page is\n");
	text = text_of(m, &q, &plain);
	assert_non_null(strstr(text, "migrations: 7 (0.5/s); "));
	assert_non_null(strstr(text, "\n           4         0.3  take > work > start\n"));
	assert_non_null(strstr(text, "  look > work > start\n"));
	assert_null(strstr(text, "·"));
	assert_null(strstr(text, "›"));
}

/* Nothing is far; what there is all the same is shown. */
/* No migrations, and none that anybody looked for. */
static void test_no_migrations(void **state)
{
	const struct profile_meta with = { .duration_ns = NSEC_PER_SEC, .off_cpu = true },
		without = { .duration_ns = NSEC_PER_SEC };
	const struct export_view followed = { .meta = &with }, not_followed = { .meta = &without };
	const struct query q = { .arch = MADE_ARCH };
	struct made *m = *state;
	AUTO_FREE char *none = NULL, *unknown = NULL;

	made_put_on(m, made_machine(2, NULL, two));
	none = text_of(m, &q, &followed);
	assert_non_null(strstr(none, "\nmigrations: 0\n"));
	unknown = text_of(m, &q, &not_followed);
	assert_non_null(strstr(unknown, "\nmigrations: not known, as waits were not followed\n"));
}

static void test_one_node(void **state)
{
	struct made *m = *state;
	struct numa_state *s = made_machine(1, NULL, (const uint16_t[]){ 10 });
	const thread_id a = made_thread(m, 1, 1, "a");

	made_process(s, 1)->denied = true;
	made_put_on(m, s);
	made_add(m, 1, a, "main;f", 70 * MS);
	made_place(m, 1, a, "main;f", EVENT_ACCESS, 0, 0, 50 * MS);
	made_place(m, 1, a, "main;load", EVENT_FAULT, 0, 0, 7);
	assert_numa(m, NULL,
		    "1 node: all memory is near, and what follows has no distances\n"
		    "accesses with an address: 1\n"
		    "\n"
		    "nodes\n"
		    "  node   running  run queue   memory     free   target      faults  CPUs\n"
		    "     0   70.0 ms          ·    16 GB   4.0 GB        ·          ~7  0-3\n"
		    "\n"
		    "functions by the time of their accesses\n"
		    "      time  accesses   samples\n"
		    "  ~50.0 ms         1         1  f\n"
		    "  ~50.0 ms         1    f › main\n"
		    "\n"
		    "first touches of memory\n"
		    "      faults   samples  memory       call path\n"
		    "          ~7         1  anon         load › main\n"
		    "                                     most by a 1\n"
		    "\n"
		    "threads\n"
		    "   running  accesses\n"
		    "   70.0 ms         1  a 1\n"
		    "\n"
		    "memory by what it is for; what processes share counts in each of them\n"
		    "  resident      time  accesses\n"
		    "         ·  ~50.0 ms         1  anon\n"
		    "\n"
		    "processes\n"
		    "  app 1: 0 B in memory, 0 page faults since it began, 0 of them major\n"
		    "      policy not known, of mappings not read; memory of nodes not known, CPUs not known\n"
		    "      where its memory is may not be asked\n");
}

/* A recording from before there was anything about memory in one. */
static void test_nothing_known(void **state)
{
	struct made *m = *state;

	assert_numa(m, NULL,
		    "the nodes of this machine are not known: what follows is about those that events name\n"
		    "where accesses and page faults go was not sampled (--numa)\n");
	made_add(m, 1, made_thread(m, 1, 1, "a"), "main;f", 70 * MS);
	m->ev.node = 3;
	m->ev.weight = 30 * MS;
	made_again(m);
	assert_numa(m, NULL,
		    "the nodes of this machine are not known: what follows is about those that events name\n"
		    "where accesses and page faults go was not sampled (--numa)\n"
		    "\n"
		    "nodes\n"
		    "  node   running  run queue   memory     free   target      faults   moves in  moves out  CPUs\n"
		    "     0   70.0 ms          ·        ·        ·        ·           ·          ·          "
		    "·  not known\n"
		    "     3   30.0 ms          ·        ·        ·        ·           ·          ·          "
		    "·  not known\n"
		    "\n"
		    "threads; home is the node that the kernel prefers, or with ~ the one where it ran most\n"
		    "   running  not at home    share  home   now migrations      far  accesses\n"
		    "    100 ms      30.0 ms   30.0 %    ~0     0          ·        ·         ·  a 1\n");
}

/*
 * Too many nodes for a table: what has to do with each other has a line. CPUs without memory,
 * memory without CPUs, gone nodes.
 */
static void test_many_nodes(void **state)
{
	struct made *m = *state;
	struct numa_state *s = made_machine(17, NULL, NULL);
	const struct query q = { .arch = MADE_ARCH };
	const thread_id a = made_thread(m, 1, 1, "a");
	AUTO_FREE char *text = NULL;

	s->topology.node[16].nr_cpus = 0;
	s->topology.node[16].size_bytes = 0;
	made_put_on(m, s);
	made_place(m, 1, a, "main;f", EVENT_ACCESS, 2, 16, 30 * MS);
	made_place(m, 1, a, "main;f", EVENT_ACCESS, 2, 2, 10 * MS);
	for (uint16_t i = 0; i < 10; i++)
		made_place(m, 1, a, "main;f", EVENT_FAULT, 0, i, 10);
	made_place(m, 1, a, "main;f", EVENT_MIGRATION, 1, 900, 1);
	text = text_of(m, &q, NULL);
	assert_non_null(strstr(text, "17 nodes, distances 10/20\n"));
	assert_non_null(strstr(text, "\n      from      to  distance       share    accesses\n"
				     "         2       2        10     ~25.0 %           1\n"
				     "         2      16        20     ~75.0 %           1\n\n"));
	assert_non_null(strstr(text, "\n    16         ·          ·        ·   4.0 GB "));
	assert_non_null(strstr(text, "  none\n   900 "));
	assert_non_null(strstr(text, "          1          ·  not online\n"));
	assert_non_null(strstr(text, " on 0 10.0 %, 1 10.0 %, 2 10.0 %, 3 10.0 %,\n"
				     "                                                4 10.0 %, 5 10.0 %, 6 10.0 %, "
				     "7 10.0 %, …,\n"
				     "                                                most by a 1\n"));
}

static void assert_columns(const char *text)
{
	for (const char *line = text, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		assert_non_null(end);
		assert_true(text_width(line, (size_t)(end - line)) <= 100);
	}
}

/* What is long ends where a function does and is said to go on; one name that has no room loses its middle. */
static void test_long_paths(void **state)
{
	static const char path[] = "start;nine_ches;eight_ches;seven_ches;six_ches;"
				   "five_ches;four_ches;three_ches;two_ches;one_ches;"
				   "a_function_name_that_is_wider_than_what_is_left_of_a_line_of_one_hundred;leaf";
	static const char leaf[] = "main;another_name_that_is_wider_than_what_is_left_of_a_line_of_one_hundred_columns";
	const struct export_view ascii = { .ascii = true, .meta = &usual };
	const struct query q = { .arch = MADE_ARCH };
	struct made *m = *state;
	const thread_id a = made_thread(m, 1, 1, "a");
	AUTO_FREE char *text = NULL, *plain = NULL;

	made_put_on(m, made_machine(2, NULL, two));
	made_place(m, 1, a, path, EVENT_ACCESS, 0, 1, 30 * MS);
	made_place(m, 1, a, leaf, EVENT_ACCESS, 0, 1, 10 * MS);
	made_place(m, 1, a, path, EVENT_FAULT, 0, 1, 10);
	made_place(m, 1, a, path, EVENT_MIGRATION, 0, 1, 1);
	text = text_of(m, &q, NULL);
	assert_columns(text);
	assert_non_null(strstr(text, "         1    leaf › …\n"));
	assert_non_null(strstr(text, "  another_name_that_i…ne_hundred_columns\n"));
	assert_non_null(strstr(text, "anon         leaf ›\n"
				     "                                                "
				     "a_function_name_that_is_…of_a_line_of_one_hundred ›\n"));
	plain = text_of(m, &q, &ascii);
	assert_columns(plain);
	assert_non_null(strstr(plain, " > ...\n"));
	assert_null(strstr(plain, "›"));
	assert_null(strstr(plain, "…"));
}

/* Of what has more lines than anybody reads there are the first, and how many more. */
static void test_more(void **state)
{
	struct made *m = *state;
	const thread_id a = made_thread(m, 1, 1, "a");
	const struct query q = { .arch = MADE_ARCH };
	AUTO_FREE char *text = NULL;
	char path[64];

	made_put_on(m, made_machine(2, NULL, two));
	for (int i = 0; i < 60; i++) {
		snprintf(path, sizeof(path), "main;caller_%d;function_%d", i, i < 8 ? 0 : i);
		made_place(m, 1, a, path, EVENT_ACCESS, 0, 1, MS);
		made_place(m, 1, a, path, EVENT_FAULT, 0, 1, 10);
		made_add(m, 1, made_thread(m, 1, 100 + i, "b"), "main", MS);
		made_add(m, 1, made_thread(m, 1, 200 + i, "c"), "main", MS);
	}
	text = text_of(m, &q, NULL);
	assert_columns(text);
	assert_non_null(strstr(text, "\n                                                        … 3 more\n"));
	assert_non_null(strstr(text, "\n         … 3 more\n\nfirst touches"));
	assert_non_null(strstr(text, "\n           … 20 more\n\nthreads"));
	assert_non_null(strstr(text, "\n         … 21 more\n"));
}

static const struct profile_meta meta = { .samples = 1, .off_cpu = true, .numa_too_large = 2 };

static void test_summary(void **state)
{
	struct made *m = *state;
	AUTO_FREE char *none = made_summary(m, &meta), *text = NULL;

	assert_non_null(strstr(none, "\nnuma_nodes: unknown\nnuma_sampled: unknown\nnuma_samples: "
			       "unknown\nnuma_address_percent: unknown\n"
				     "numa_accesses: unknown\nnuma_far_percent: unknown\nnuma_far_us: unknown\n"
				     "numa_miss_kernel: unknown\n"));
	assert_non_null(strstr(none, "\nnuma_faults: unknown\nnuma_fault_samples: unknown\nnuma_fault_misses: unknown\n"
				     "numa_balancing_faults: unknown\n"
				     "numa_migrations: unknown\nnuma_kernel_migrations: unknown\n"));
	made_put_on(m, make_server(m));
	text = made_summary(m, &meta);
	assert_non_null(strstr(text, "\nnuma_nodes: 2\nnuma_sampled: yes\nnuma_samples: "
			       "300\nnuma_address_percent: 85.00\n"
				     "numa_accesses: 242\nnuma_far_percent: 80.00\nnuma_far_us: 800000\n"
				     "numa_miss_kernel: 45\nnuma_miss_no_regs: 0\n"));
	assert_non_null(strstr(text, "\nnuma_miss_page: 15\n"));
	assert_non_null(strstr(text, "\nnuma_faults: 3000\nnuma_fault_samples: 3\nnuma_fault_misses: 0\n"
				     "numa_balancing_faults: 34000\n"
				     "numa_migrations: 7\nnuma_kernel_migrations: 25\nnuma_too_large: 2\n"
				     "numa_threads_left: 1234\nnuma_processes_left: 5\n"));
}

/*
 * Sampled or not is a matter of the state: without samples what was sampled is unknown, what is counted is not; but for
 * migrations, which waits tell, when these were not followed.
 */
static void test_summary_of_unsampled(void **state)
{
	const struct profile_meta no_waits = { .samples = 1 };
	struct made *m = *state;
	struct numa_state *s = made_machine(2, NULL, two);
	AUTO_FREE char *text = NULL, *unfollowed = NULL;

	s->sampled = false;
	made_put_on(m, s);
	text = made_summary(m, &meta);
	assert_non_null(strstr(text, "\nnuma_nodes: 2\nnuma_sampled: no\nnuma_samples: unknown\n"));
	assert_non_null(strstr(text, "\nnuma_faults: unknown\n"));
	assert_non_null(strstr(text, "\nnuma_migrations: 0\nnuma_kernel_migrations: 0\n"));
	unfollowed = made_summary(m, &no_waits);
	assert_non_null(strstr(unfollowed, "\nnuma_migrations: unknown\nnuma_kernel_migrations: unknown\n"));
}

static void test_write_error(void **state)
{
	struct made *m = *state;
	const struct query q = { .arch = MADE_ARCH };
	struct err e = ERR_INIT;
	FILE *full = fopen("/dev/full", "w");

	assert_non_null(full);
	made_put_on(m, make_server(m));
	assert_true(made_write(m, full, &exporter_numa, &q, NULL, &e) < 0);
	assert_string_equal(e.text, "the output cannot be written: No space left on device");
	fclose(full);
}

/* What columns of both, screens and texts, say in full. */
static void test_figures(void **state)
{
	static const struct {
		struct list_figure figure;
		const char *text;
	} is[] = {
		{ { .unit = LIST_NONE }, "" },
		{ { .unit = LIST_BLANK }, "" },
		{ { .unit = LIST_NODE, .value = 1023 }, "1023" },
		{ { .unit = LIST_WORD, .word = "denied" }, "denied" },
		{ { .unit = LIST_RATE, .value = 1, .whole = 60 * NSEC_PER_SEC }, "<0.1" },
		{ { .unit = LIST_RATE, .value = 123, .whole = 10 * NSEC_PER_SEC }, "12.3" },
		{ { .unit = LIST_RATE, .value = 5 }, "<0.1" },
		{ { .unit = LIST_COUNT, .value = 1234567 }, "1,234,567" },
	};
	char text[UNITS_MAX];
	size_t n;

	(void)state;
	for (size_t i = 0; i < sizeof(is) / sizeof(is[0]); i++)
		assert_string_equal(list_figure_text(&is[i].figure, text), is[i].text);
	for (const struct numa_column *c = numa_columns(&n), *end = c + n; c < end; c++) {
		assert_true((c->cols && c->head) || (c->text_cols && c->text_head));
		assert_true(c->figure && (c->when & (NUMA_WHEN_ONE | NUMA_WHEN_SEVERAL)));
		assert_true(!c->text_cols || strlen(c->text_head) < c->text_cols);       /* heads do not touch */
		assert_true(!c->cols || strlen(c->head) < c->cols);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(test_two_nodes),
		MADE_TEST(test_no_migrations),
		MADE_TEST(test_one_node),
		MADE_TEST(test_nothing_known),
		MADE_TEST(test_many_nodes),
		MADE_TEST(test_long_paths),
		MADE_TEST(test_more),
		MADE_TEST(test_summary),
		MADE_TEST(test_summary_of_unsampled),
		MADE_TEST(test_write_error),
		cmocka_unit_test(test_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
