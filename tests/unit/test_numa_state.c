/* SPDX-License-Identifier: BSD-2-Clause */
/* test_numa_state.c - a state of nodes as text and back; text that is cut, wrong, hostile or newer. */
#include "config.h"

#include "numa/state.h"

#include "base/cleanup.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void add_node(struct numa_topology *t, uint32_t i, uint16_t id, const char *cpus,
		     uint32_t nr_cpus, uint64_t size)
{
	t->node[i] = (struct numa_node){ .id = id, .nr_cpus = nr_cpus, .size_bytes = size, .free_bytes = size / 3 };
	snprintf(t->node[i].cpus, sizeof(t->node[i].cpus), "%s", cpus);
	for (uint32_t j = 0; j < t->nr; j++)
		t->distance[i * t->nr + j] = (uint16_t)(i == j ? 10 : 20 + i + j);
}

static bool add_process(struct numa_state *s)
{
	const struct numa_process p = {
		.pid = INT32_MAX, .start_ns = UINT64_MAX, .comm = "a %b=c", .rss_bytes = 1 << 30,
			.moment_ns = 77, .asked = 1000,
		.found = 900, .policy = "interleave:0,5", .mapped_policy = "interleave:0-1 412 MB, bind:1 3 MB",
		.policies_read = true, .mems = "0-1023", .cpus = "0,2,4,...", .faults = 5, .major_faults = 6,
	};
	struct numa_process *to = vec_push(&s->process);
	const struct numa_resident rows[] = {
		{ .node = 0, .mapping = MAPPING_HEAP, .bytes = 1 << 29, .pages = 450 },
		{ .node = 1023, .mapping = MAPPING_HEAP, .bytes = 1 << 28, .pages = 225 },
		{ .node = 0, .mapping = MAPPING_KERNEL, .bytes = 4096, .pages = 1 },
	};

	if (!to)
		return false;
	*to = p;
	if (!vec_reserve(&to->resident, 3))
		return false;
	for (size_t i = 0; i < 3; i++)
		*vec_push(&to->resident) = rows[i];
	to = vec_push(&s->process);
	if (to)
		*to = (struct numa_process){ .pid = 1, .comm = "", .denied = true };
	return to;
}

static bool add_threads(struct numa_state *s)
{
	if (!vec_reserve(&s->thread, 2))
		return false;
	*vec_push(&s->thread) = (struct numa_thread){ .pid = 1, .tid = 7, .start_ns = 9, .home = -1,
						      .node = 5, .moves = 1 };
	*vec_push(&s->thread) = (struct numa_thread){
		.pid = 2, .tid = 2, .home = 1023, .node = 1023, .policy = "preferred:1", .moves = UINT64_MAX,
			.kernel_moves = 3,
	};
	return true;
}

/* A state in which every field differs from zero somewhere. NULL when out of memory. */
static struct numa_state *made(void)
{
	AUTO(numa_state_unref) struct numa_state *s = numa_state_new();

	if (!s || topology_make(&s->topology, 3, NULL) || !add_process(s) || !add_threads(s))
		return NULL;
	s->time_ns = 123456789;
	s->sampled = true;
	s->sampled_from_ns = 12;
	add_node(&s->topology, 0, 0, "0-3,8", 5, UINT64_C(1) << 40);
	add_node(&s->topology, 1, 5, "", 0, 4096);
	add_node(&s->topology, 2, 1023, "4-7", 4, 0);
	s->figures = (struct numa_figures){
		.samples = 1, .near = 2, .far = 3, .pages = 4, .faults = 5, .fault_misses = 6,
		.balancing_faults = 11, .moves = 7, .kernel_moves = 8, .threads_left = 9, .processes_left = UINT64_MAX,
	};
	for (unsigned int i = 0; i < MISS_NR; i++)
		s->figures.miss[i] = 100 + i;
	return take_ptr(s);
}

static void same_process(const struct numa_process *a, const struct numa_process *b)
{
	struct numa_process plain_a = *a, plain_b = *b;

	assert_int_equal(a->resident.n, b->resident.n);
	for (size_t i = 0; i < a->resident.n; i++) {
		assert_int_equal(a->resident.v[i].node, b->resident.v[i].node);
		assert_int_equal(a->resident.v[i].mapping, b->resident.v[i].mapping);
		assert_int_equal(a->resident.v[i].bytes, b->resident.v[i].bytes);
		assert_int_equal(a->resident.v[i].pages, b->resident.v[i].pages);
	}
	memset(&plain_a.resident, 0, sizeof(plain_a.resident));
	memset(&plain_b.resident, 0, sizeof(plain_b.resident));
	assert_memory_equal(&plain_a, &plain_b, sizeof(plain_a));
}

static void same_state(const struct numa_state *a, const struct numa_state *b)
{
	assert_int_equal(a->time_ns, b->time_ns);
	assert_int_equal(a->sampled, b->sampled);
	assert_memory_equal(&a->figures, &b->figures, sizeof(a->figures));
	assert_int_equal(a->topology.nr, b->topology.nr);
	assert_memory_equal(a->topology.node, b->topology.node, a->topology.nr * sizeof(*a->topology.node));
	assert_memory_equal(a->topology.distance, b->topology.distance, 2u * a->topology.nr * a->topology.nr);
	assert_int_equal(a->process.n, b->process.n);
	for (size_t i = 0; i < a->process.n; i++)
		same_process(&a->process.v[i], &b->process.v[i]);
	assert_int_equal(a->thread.n, b->thread.n);
	for (size_t i = 0; i < a->thread.n; i++)
		assert_memory_equal(&a->thread.v[i], &b->thread.v[i], sizeof(*a->thread.v));
}

static void there_and_back(void **state)
{
	AUTO(numa_state_unref) struct numa_state *s = made();
	AUTO(numa_state_unref) struct numa_state *back = NULL;
	AUTO_FREE char *again = NULL;
	size_t len, again_len;
	AUTO_FREE char *text = numa_state_write(s, &len);
	struct err e = ERR_INIT;

	assert_non_null(text);
	assert_int_equal(strlen(text), len);
	assert_int_equal(numa_state_parse(text, len, &back, &e), 0);
	same_state(s, back);
	again = numa_state_write(back, &again_len);
	assert_string_equal(again, text);
	assert_non_null(strstr(text, " comm=a%20%25b=c "));
	assert_non_null(strstr(text, " mapped_policy=interleave:0-1%20412%20MB,%20bind:1%203%20MB "));
	assert_non_null(strstr(text, "node id=5 nr_cpus=0 cpus= size_bytes=4096 free_bytes=1365 distances=21,10,23\n"));
	assert_non_null(strstr(text, " miss_page=109 "));
}

static void an_empty_state(void **state)
{
	AUTO(numa_state_unref) struct numa_state *s = numa_state_new();
	AUTO(numa_state_unref) struct numa_state *back = NULL;
	size_t len;
	AUTO_FREE char *text = numa_state_write(s, &len);

	assert_int_equal(numa_state_parse(text, len, &back, NULL), 0);
	assert_int_equal(back->topology.nr, 0);
	assert_int_equal(back->process.n + back->thread.n, 0);
}

/* Cut anywhere it is refused, but between two lines, where it cannot be told. */
static void cut_anywhere(void **state)
{
	AUTO(numa_state_unref) struct numa_state *s = made();
	size_t len;
	AUTO_FREE char *text = numa_state_write(s, &len);

	for (size_t n = 0; n < len; n++) {
		AUTO(numa_state_unref) struct numa_state *back = NULL;
		AUTO_FREE char *copy = malloc(n ? n : 1);
		struct err e = ERR_INIT;
		int r;

		/* A block of just that size, so that a sanitizer sees a read behind it. */
		assert_non_null(copy);
		memcpy(copy, text, n);
		r = numa_state_parse(copy, n, &back, &e);
		if (n && text[n - 1] == '\n' && e.code != EBADMSG) {
			assert_int_equal(r, 0);
			continue;
		}
		assert_int_equal(r, -EBADMSG);
		assert_int_equal(e.code, EBADMSG);
		assert_null(back);
	}
}

/* What parsing TEXT says; no state comes of a failure. */
static int parse(const char *text, struct numa_state **ret)
{
	struct err e = ERR_INIT;
	const int r = numa_state_parse(text, strlen(text), ret, &e);

	assert_int_equal(-r, e.code);
	assert_int_equal(r == 0, *ret != NULL);
	return r;
}

static void refuses(const char *text)
{
	struct numa_state *s = NULL;

	if (parse(text, &s) != -EBADMSG)
		fail_msg("it takes '%s'", text);
}

#define HEAD "state time_ns=1 sampled=0\n"
#define NODE2 "node id=0 distances=10,20\nnode id=1 distances=20,10\n"

static void what_makes_no_sense(void **state)
{
	static const char *const bad[] = {
		"", "\n", "node id=0\n", HEAD HEAD, "state sampled=0\n", "state time_ns=x\n", "state time_ns=-1\n",
		"state time_ns=18446744073709551616\n", "state time_ns=1 sampled=2\n", "state time_ns=\n",
		"state time_ns=1",
		HEAD "node\n", HEAD "node id=1024\n", HEAD "node id=0\nnode id=0\n", HEAD "node id=1\nnode id=0\n",
		HEAD "node id=0 nr_cpus=4294967296\n", HEAD "node id=0 distances=10,20\n",
		HEAD "node id=0 distances=65536\n", HEAD "node id=0 distances=,\n", HEAD "node id=0 distances=10,\n",
		HEAD "node id=0 distances=10\nnode id=1 distances=20,10\n", HEAD "process comm=x\n",
		HEAD "process pid=0\n",
		HEAD "process pid=2147483648\n", HEAD "process pid=1 comm=%\n", HEAD "process pid=1 comm=%2\n",
		HEAD "process pid=1 comm=%zz\n", HEAD "process pid=1 asked=4294967296\n",
		HEAD "process pid=1 denied=2\n",
		HEAD "resident node=0 mapping=1\n", HEAD "process pid=1\nresident node=1024 mapping=1\n",
		HEAD "process pid=1\nresident node=0 mapping=256\n", HEAD "process pid=1\nresident node=0\n",
		HEAD "thread pid=1\n", HEAD "thread pid=1 tid=1 home=-2\n", HEAD "thread pid=1 tid=1 home=1024\n",
		HEAD "thread pid=1 tid=1 home=-\n", HEAD "thread pid=1 tid=1 home=--1\n",
		HEAD "thread pid=1 tid=1 home=4294967295\n",
		HEAD "thread pid=1 tid=1 node=65535\n", HEAD "thread pid=1 tid=1\nthread pid=1 tid=1\n",
		HEAD "thread pid=2 tid=1\nthread pid=1 tid=2\n", HEAD "figures samples=1x\n",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		refuses(bad[i]);
}

static void newer_text(void **state)
{
	AUTO(numa_state_unref) struct numa_state *s = NULL;

	assert_int_equal(parse("state time_ns=5 new=%zz sampled=1 alone\n"
			       "something else=1\n\n"
			       "node id=3 tier=2 distances=10\n"
			       "process pid=9 comm=x\x1b[31m%0Ay\n"
			       "resident node=1 mapping=200 bytes=5 pages=2\n"
			       "resident node=0 mapping=2 bytes=7\n"
			       "resident node=1 mapping=201 bytes=6 pages=3\n"
			       "thread pid=9 tid=9\n", &s), 0);
	assert_int_equal(s->time_ns, 5);
	assert_true(s->sampled);
	assert_int_equal(s->topology.node[0].id, 3);
	assert_string_equal(s->process.v[0].comm, "x\xEF\xBF\xBD[31m\xEF\xBF\xBDy");
	/* Kinds that are not known are one, and rows stand in their order. */
	assert_int_equal(s->process.v[0].resident.n, 2);
	assert_int_equal(s->process.v[0].resident.v[0].mapping, MAPPING_UNKNOWN);
	assert_int_equal(s->process.v[0].resident.v[0].bytes, 11);
	assert_int_equal(s->process.v[0].resident.v[0].pages, 5);
	assert_int_equal(s->process.v[0].resident.v[1].mapping, MAPPING_STACK);
	/* Who says nothing of a home has none: node 0 is one. */
	assert_int_equal(s->thread.v[0].home, -1);
}

static void distances_may_be_missing(void **state)
{
	AUTO(numa_state_unref) struct numa_state *s = NULL;

	assert_int_equal(parse(HEAD "node id=0 distances=\nnode id=4\n", &s), 0);
	assert_int_equal(topology_distance(&s->topology, 0, 4), DISTANCE_REMOTE);
	numa_state_unref(take_ptr(s));
	assert_int_equal(parse(HEAD NODE2, &s), 0);
	assert_int_equal(topology_distance(&s->topology, 1, 1), 10);
}

/* Text longer than its field is cut at a character, as it is everywhere. */
static void long_text(void **state)
{
	AUTO(numa_state_unref) struct numa_state *s = NULL;
	char text[2000] = HEAD "process pid=1 comm=";
	const size_t at = strlen(text);

	memset(text + at, 'c', sizeof(text) - at - 1);
	text[sizeof(text) - 2] = '\n';
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(parse(text, &s), 0);
	assert_string_equal(s->process.v[0].comm, "cccccccccccccccc");
}

/* N lines by FMT, which takes a number; the last of them must be refused when REFUSED. */
static void many(const char *before, unsigned int n, const char *fmt, bool refused)
{
	AUTO(numa_state_unref) struct numa_state *s = NULL;
	AUTO_FREE char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	fputs(before, f);
	for (unsigned int i = 0; i < n; i++) {
		fputs(fmt, f);
		fprintf(f, "%u\n", i + 1);
	}
	fclose(f);
	assert_int_equal(parse(text, &s), refused ? -EBADMSG : 0);
}

static void too_many_rows(void **state)
{
	const unsigned int rows = MAPPING_NR * NODES_MAX;

	many(HEAD, NUMA_PROCESSES_MAX, "process pid=", false);
	many(HEAD, NUMA_PROCESSES_MAX + 1, "process pid=", true);
	many(HEAD, NUMA_THREADS_MAX, "thread pid=1 tid=", false);
	many(HEAD, NUMA_THREADS_MAX + 1, "thread pid=1 tid=", true);
	many(HEAD "process pid=1\n", rows, "resident node=1 mapping=1 bytes=", false);
	many(HEAD "process pid=1\n", rows + 1, "resident node=1 mapping=1 bytes=", true);
	many(HEAD, NODES_MAX - 1, "node id=", false);
	many(HEAD, NODES_MAX, "node id=", true);
}

static void looks_things_up(void **state)
{
	AUTO(numa_state_unref) struct numa_state *s = made();

	assert_ptr_equal(numa_state_thread(s, 2, 2), &s->thread.v[1]);
	assert_null(numa_state_thread(s, 2, 7));
	assert_ptr_equal(numa_state_ref(s), s);
	numa_state_unref(s);
	assert_null(numa_state_ref(NULL));
}

static bool write_without_memory(void)
{
	AUTO(numa_state_unref) struct numa_state *s = made();
	size_t len;
	AUTO_FREE char *text = s ? numa_state_write(s, &len) : NULL;

	return text;
}

static char *the_text;
static size_t the_len;

static bool parse_without_memory(void)
{
	AUTO(numa_state_unref) struct numa_state *s = NULL;
	struct err e = ERR_INIT;
	const int r = numa_state_parse(the_text, the_len, &s, &e);

	if (r)
		assert_int_equal(r, -ENOMEM);
	return !r;
}

static void without_memory(void **state)
{
	AUTO(numa_state_unref) struct numa_state *s = made();
	AUTO_FREE char *text = numa_state_write(s, &the_len);

	the_text = text;
	for (long n = 0; fail_alloc_round(n, write_without_memory); n++)
		;
	for (long n = 0; fail_alloc_round(n, parse_without_memory); n++)
		;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(an_empty_state),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(what_makes_no_sense),
		cmocka_unit_test(newer_text),
		cmocka_unit_test(distances_may_be_missing),
		cmocka_unit_test(long_text),
		cmocka_unit_test(too_many_rows),
		cmocka_unit_test(looks_things_up),
		cmocka_unit_test(without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
