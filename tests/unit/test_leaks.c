/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_leaks.c - the list of sites that allocate: sums, order, errors, who has no row of his own, ages,
 * and verdicts.
 */
#include "config.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/octave.h"
#include "memory/blocks.h"
#include "model/allocation.h"
#include "query/leaks.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"
#include "tests/unit/made.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define KB 1024u
#define SECONDS 30u

static const struct query plain = { .arch = MADE_ARCH };

/* BYTES in blocks of 1 KB, at second S. */
static void some(struct made *m, uint8_t kind, unsigned int s, uint64_t bytes, unsigned int age_ms, const char *stack)
{
	const struct allocation a = { .size = (uint8_t)octave_class(KB), .age = (uint8_t)octave_class(age_ms),
				      .interval = 64 * KB, .leaked = kind == EVENT_IN_USE && age_ms > 20000 };

	m->ev = (struct event){ .kind = kind, .cut_module = ID_NONE, .weight = bytes, .count = (uint32_t)(bytes / KB),
				.time_ns = s * NSEC_PER_SEC + NSEC_PER_SEC / 2, .thread = made_thread(m, 10, 10, "app"),
				.stack = made_stack(m, stack), .argument = allocation_argument(&a),
				.wait.waker = ID_NONE, .place.file = ID_NONE };
	made_again(m);
}

/* A leak of 1 MB a second, a cache that is replaced each second, and a block that is there from the beginning. */
static void make(struct made *m)
{
	for (unsigned int s = 1; s <= SECONDS; s++) {
		some(m, EVENT_ALLOC, s, 1024 * KB, 0, "main;leak;f");
		some(m, EVENT_IN_USE, SECONDS, 1024 * KB, (SECONDS - s) * 1000 + 500, "main;leak;f");
		some(m, EVENT_ALLOC, s, 2048 * KB, 0, "main;cache");
		if (s > 1)
			some(m, EVENT_FREE, s, 2048 * KB, 900, "main;cache");
	}
	some(m, EVENT_IN_USE, SECONDS, 2048 * KB, 500, "main;cache");
	some(m, EVENT_ALLOC, 1, 64 * KB, 0, "main;once");
	some(m, EVENT_IN_USE, SECONDS, 64 * KB, 29500, "main;once");
}

static struct leaks *leaks_of(struct made *m, const struct leaks_wish *wish)
{
	struct snapshot *s = profile_snapshot(m->p);
	struct leaks *l = NULL;

	assert_non_null(s);
	assert_int_equal(leaks_build(s, m->names, &plain, wish, &l, NULL), 0);
	snapshot_unref(s);
	return l;
}

static const char *site(const struct leaks *l, size_t row)
{
	static char label[256];

	return leak_label(l, &l->row[row], label, sizeof(label));
}

static void rows_and_verdicts(void **state)
{
	struct made *m = *state;
	char text[LEAK_VERDICT_MAX];
	struct leaks *l;

	make(m);
	l = leaks_of(m, &(struct leaks_wish){ 0 });
	assert_int_equal(l->n, 3);
	assert_int_equal(strncmp(site(l, 0), "f ", 2), 0);
	assert_int_equal(l->row[0].in_use, SECONDS * 1024 * KB);
	assert_int_equal(l->row[0].blocks, SECONDS * 1024);
	assert_int_equal(l->row[0].allocated, SECONDS * 1024 * KB);
	assert_int_equal(l->row[0].growth.verdict, GROWTH_GROWS);
	assert_true(fabs(l->row[0].growth.per_s / (1024 * KB) - 1) < 0.05);
	/* 480 blocks were sampled: the error is one of 22 */
	assert_true(fabs(l->row[0].error / (double)l->row[0].in_use - 1 / sqrt(480)) < 0.003);
	assert_int_equal(strncmp(site(l, 1), "cache", 5), 0);
	assert_int_equal(l->row[1].freed, (SECONDS - 1) * 2048 * KB);
	assert_int_equal(l->row[1].growth.verdict, GROWTH_PLATEAU);
	assert_string_equal(leak_verdict(&l->row[1], text), "plateau");
	assert_int_equal(l->row[2].growth.verdict, GROWTH_UNKNOWN);
	assert_string_equal(leak_verdict(&l->row[2], text), "cannot tell: 1 sampled");
	assert_int_equal(l->all.in_use, SECONDS * 1024 * KB + 2048 * KB + 64 * KB);
	leaks_free(l);
}

/* Histograms, churn and threads of sites. */
static void parts_of_sites(void **state)
{
	const unsigned int kb = octave_power(octave_class(KB)), second = octave_power(octave_class(900));
	struct made *m = *state;
	unsigned int first, last;
	char label[128];
	struct leaks *l;

	make(m);
	m->ev.thread = made_thread(m, 10, 11, "other");
	m->ev.kind = EVENT_ALLOC;
	m->ev.stack = made_stack(m, "main;cache");
	made_again(m);
	l = leaks_of(m, &(struct leaks_wish){ 0 });
	assert_true(leak_powers(l->row[1].sizes, &first, &last));
	assert_int_equal(first, kb);
	assert_int_equal(last, kb);
	assert_int_equal(l->row[1].sizes[kb].blocks, SECONDS * 2048 + 64);
	assert_int_equal(l->row[1].sizes[kb].bytes, (SECONDS * 2048 + 64) * KB);
	assert_int_equal(l->row[1].lives[second].blocks, (SECONDS - 1) * 2048);
	assert_int_equal(l->row[1].ages[octave_power(octave_class(500))].blocks, 2048);
	assert_string_equal(leak_powers_label(kb, kb, false, label), "1.0 KB to 2.0 KB");
	assert_string_equal(leak_powers_label(second, second, true, label), "512 ms to 1.02 s");
	assert_string_equal(leak_powers_label(0, 0, true, label), "below 1 ms");
	assert_string_equal(leak_powers_label(0, second, true, label), "0 to 1.02 s");
	assert_string_equal(leak_powers_label(5, 64, false, label), "16 B to ...");
	assert_false(leak_powers(l->row[0].lives, &first, &last));
	assert_int_equal(leak_churn(&l->row[0]), 0);
	/* in 30 of 31 slices, which are seconds */
	assert_true(leak_churn(&l->row[1]) > 1900 * KB && leak_churn(&l->row[1]) < 2048 * KB);
	assert_int_equal(l->row[1].threads, 2);
	assert_string_equal(leak_threads_label(l, &l->row[1], label, sizeof(label)), "app 10 60 MB, other 11 64 KB");
	assert_int_equal(l->all.sizes[kb].blocks, SECONDS * 3072 + 128);
	leaks_free(l);
	/* Where not all frees were seen nothing is said of what is in use. */
	l = leaks_of(m, &(struct leaks_wish){ .unfollowed_ns = 1 });
	assert_true(l->row[0].unfollowed && l->all.unfollowed);
	leaks_free(l);
}

/* Blocks of other sizes than asked for are not in the list, nor what became of them. */
static void blocks_of_some_sizes(void **state)
{
	struct made *m = *state;
	struct query q = { .arch = MADE_ARCH };
	struct snapshot *s;
	struct leaks *l;

	make(m);
	for (unsigned int kind = EVENT_ALLOC; kind <= EVENT_IN_USE; kind += EVENT_IN_USE - EVENT_ALLOC) {
		const struct allocation a = { .size = (uint8_t)octave_class(64 * KB), .interval = 64 * KB };

		some(m, (uint8_t)kind, 2, 64 * KB, 0, "main;large");
		m->ev.argument = allocation_argument(&a);
		m->ev.weight = 3 * 64 * KB;
		m->ev.count = 3;
		made_again(m);
	}
	made_term(&q, "size:64K");
	s = profile_snapshot(m->p);
	assert_int_equal(leaks_build(s, m->names, &q, &(struct leaks_wish){ 0 }, &l, NULL), 0);
	assert_int_equal(l->n, 1);
	assert_int_equal(strncmp(site(l, 0), "large", 5), 0);
	assert_int_equal(l->all.in_use, 3 * 64 * KB);
	leaks_free(l);
	snapshot_unref(s);
}

/* Where no blocks were followed, sites are those that made memory grow, and rates are of all the time. */
static void who_made_memory_grow(void **state)
{
	const struct leaks_wish wish = { .from_ns = NSEC_PER_SEC, .to_ns = (SECONDS + 1ull) * NSEC_PER_SEC };
	struct made *m = *state;
	struct leaks *l;

	for (unsigned int s = 1; s <= 3; s++)
		some(m, EVENT_GROWN, s, 1024 * KB, 0, "main;table");
	some(m, EVENT_GROWN, SECONDS / 2 + 1, 4096 * KB, 0, "main;late");
	some(m, EVENT_RETURNED, SECONDS, 512 * KB, 0, "main;trim");
	l = leaks_of(m, &wish);
	assert_int_equal(l->n, 3);
	assert_true(l->all.grown && l->all.unfollowed);
	assert_int_equal(strncmp(site(l, 0), "late", 4), 0);
	assert_int_equal(l->row[0].allocated, 4096 * KB);
	/* 64 changes were told */
	assert_true(fabs(l->row[0].allocated_error / (4096.0 * KB) - 1.0 / 8) < 0.01);
	assert_true(fabs(l->row[0].growth.per_s / (4096.0 * KB / (SECONDS * 2 / 3)) - 1) < 0.1);
	assert_int_equal(l->row[1].allocated, 3072 * KB);
	assert_true(fabs(l->row[1].growth.per_s) < KB);
	assert_int_equal(l->row[2].freed, 512 * KB);
	assert_int_equal(l->all.history.to_ns - l->all.history.from_ns, SECONDS * NSEC_PER_SEC);
	leaks_free(l);
}

/* The tree of M by the measures that are called NAMES, of which FIRST leads. */
static struct tree *tree_of(struct made *m, const char *first, const char *second)
{
	const unsigned int lead = measure_named(first, strlen(first)), other = measure_named(second, strlen(second));
	struct query q = plain;
	struct snapshot *s = profile_snapshot(m->p);
	struct tree *t = NULL;

	assert_non_null(s);
	q.measures = MEASURE_BIT(lead) | MEASURE_BIT(other);
	q.lead = (uint8_t)(lead + 1);
	assert_int_equal(tree_build(s, m->names, &q, &t, NULL), 0);
	snapshot_unref(s);
	return t;
}

/* Blocks are counted beside their bytes, and whichever leads makes the total. */
static void numbers_of_blocks(void **state)
{
	const uint64_t told = 1024 * KB / KB, n = SECONDS * told + SECONDS * 2 * told + 64;
	const double p = alloc_probability(octave_middle(octave_class(KB)), 64 * KB);
	struct made *m = *state;
	struct tree *t;

	make(m);
	t = tree_of(m, "allocated", "allocated-blocks");
	assert_int_equal(t->node[0].total_ns, n * KB);
	assert_int_equal(tree_value(t, 0, 0), n * KB);
	assert_int_equal(tree_value(t, 0, 1), n);
	tree_free(t);
	t = tree_of(m, "allocated-blocks", "allocated");
	assert_int_equal(t->node[0].total_ns, n);
	assert_int_equal(tree_value(t, 0, 1), n * KB);
	/* each told block stands for 1 / p, and was told with the probability p */
	assert_true(fabs(t->node[0].squares / ((double)n * (1 - p) / p) - 1) < 1e-6);
	tree_free(t);
	t = tree_of(m, "in-use-blocks", "leaked-blocks");
	assert_int_equal(t->node[0].total_ns, SECONDS * told + 2 * told + 64);
	assert_int_equal(tree_value(t, 0, 1), 10 * told + 64);
	tree_free(t);
}

static void what_is_left_out(void **state)
{
	struct made *m = *state;
	struct leaks *l;

	make(m);
	l = leaks_of(m, &(struct leaks_wish){ .min_bytes = 1024 * KB });
	assert_int_equal(l->n, 3);
	assert_string_equal(site(l, 2), "(1 others)");
	assert_int_equal(l->row[2].in_use, 64 * KB);
	leaks_free(l);
	l = leaks_of(m, &(struct leaks_wish){ .min_percent = 50 });
	assert_int_equal(l->n, 2);
	assert_int_equal(l->left_out, 2);
	leaks_free(l);
	/* Blocks of the last ten seconds count no more: 20 of 30 MB, within a class of age. */
	l = leaks_of(m, &(struct leaks_wish){ .older_ns = 10 * NSEC_PER_SEC });
	assert_true(l->row[0].in_use >= 19 * 1024 * KB && l->row[0].in_use <= 22 * 1024 * KB);
	assert_int_equal(l->row[0].growth.verdict, GROWTH_GROWS);
	leaks_free(l);
}

static void nothing_at_all(void **state)
{
	struct leaks *l = leaks_of(*state, &(struct leaks_wish){ .from_ns = 5, .to_ns = 1 });

	assert_int_equal(l->n, 0);
	assert_int_equal(l->all.growth.verdict, GROWTH_UNKNOWN);
	leaks_free(l);
}

/* A site that allocates RATE bytes a second in blocks of SIZE, which live for LIFE_MS; 0 = for ever. */
struct played {
	const char *stack;
	double rate;
	unsigned int size, life_ms;
};

#define PLAYED_INTERVAL (512u * KB)

static double draw(uint64_t *seed)
{
	return ((double)(hash_u64((*seed)++) >> 11) + 0.5) * 0x1p-53;
}

static void tell_played(void *ctx, const struct event *ev)
{
	struct made *m = ctx;

	m->ev = *ev;
	m->ev.wait.waker = ID_NONE;
	m->ev.place.file = ID_NONE;
	made_again(m);
}

/* What the kernel half would tell of S in SECONDS: by SEED, as each byte is picked by chance. */
static void play(struct made *m, struct blocks *b, const struct played *s, uint64_t *seed)
{
	const double told_per_s = s->rate / s->size * alloc_probability(s->size, PLAYED_INTERVAL);

	for (double t = -log(draw(seed)) / told_per_s; t < SECONDS; t -= log(draw(seed)) / told_per_s) {
		const struct block_begin begin = {
			.process = 10, .addr = ++*seed, .size = s->size, .interval = PLAYED_INTERVAL,
			.weight = alloc_weight(s->size, PLAYED_INTERVAL, hash_u64(*seed)),
			.time_ns = NSEC_PER_SEC + (uint64_t)(t * 1e9), .thread = made_thread(m, 10, 10, "app"),
			.stack = made_stack(m, s->stack), .cut_module = ID_NONE,
		};
		const uint64_t end_ns = begin.time_ns + s->life_ms * NSEC_PER_MSEC;

		blocks_begin(b, &begin);
		if (s->life_ms && end_ns < (SECONDS + 1ull) * NSEC_PER_SEC)
			blocks_end(b, &(struct block_end){ .process = 10, .addr = begin.addr, .time_ns = end_ns,
							   .thread = begin.thread });
	}
}

/* The row of the site that NAME begins; NULL = nothing of it was told. */
static const struct leak_site *site_named(const struct leaks *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strncmp(site(l, i), name, strlen(name)))
			return &l->row[i];
	return NULL;
}

/*
 * A leak of 1 MB a second beside 50 MB a second of churn and a table that is full, a hundred times by other
 * chances: after 30 s sums are within three standard errors of the truth, and verdicts right, 99 times.
 */
static void a_hundred_times(void **state)
{
	static const struct played leak = { "main;leak", 1024 * KB, 200, 0 }, churn = { "main;churn", 50e6, 512, 10 },
				   table = { "main;table", 8e6, 1000, 2000 };
	const struct leaks_wish wish = { .from_ns = NSEC_PER_SEC, .to_ns = (SECONDS + 1ull) * NSEC_PER_SEC };
	unsigned int near_leak = 0, near_table = 0, grows = 0, others = 0;

	(void)state;
	for (uint64_t run = 1; run <= 100; run++) {
		const struct leak_site *l_site, *t_site, *c_site;
		uint64_t seed = run << 32;
		struct blocks *b;
		struct leaks *l;
		struct made *m;
		void *own;

		assert_int_equal(made_set_up(&own), 0);
		m = own;
		b = blocks_new(&(struct blocks_config){ .tell = tell_played, .ctx = m });
		play(m, b, &leak, &seed);
		play(m, b, &churn, &seed);
		play(m, b, &table, &seed);
		blocks_tell_in_use(b, (SECONDS + 1ull) * NSEC_PER_SEC, 0, tell_played, m);
		l = leaks_of(m, &wish);
		l_site = site_named(l, "leak");
		t_site = site_named(l, "table");
		c_site = site_named(l, "churn");
		assert_true(l_site && t_site && c_site);
		near_leak += fabs((double)l_site->in_use - leak.rate * SECONDS) <= 3 * l_site->error;
		near_table += fabs((double)t_site->in_use - table.rate * 2) <= 3 * t_site->error;
		grows += l_site->growth.verdict == GROWTH_GROWS;
		others += t_site->growth.verdict != GROWTH_GROWS && c_site->growth.verdict != GROWTH_GROWS;
		leaks_free(l);
		blocks_free(b);
		made_tear_down(&own);
	}
	assert_true(near_leak >= 99);
	assert_true(near_table >= 99);
	assert_true(grows >= 99);
	assert_true(others >= 99);
}

static struct snapshot *try_snapshot;
static const struct names *try_names;

static bool try_build(void)
{
	struct leaks *l = NULL;
	const int r = leaks_build(try_snapshot, try_names, &plain, &(struct leaks_wish){ 0 }, &l, NULL);

	assert_true(r == 0 || r == -ENOMEM);
	assert_true(!r == (l != NULL));
	leaks_free(l);
	return !r;
}

static void little_memory(void **state)
{
	struct made *m = *state;

	make(m);
	try_snapshot = profile_snapshot(m->p);
	try_names = m->names;
	for (long n = 0; fail_alloc_round(n, try_build); n++)
		;
	snapshot_unref(try_snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rows_and_verdicts, made_set_up, made_tear_down),
		cmocka_unit_test_setup_teardown(parts_of_sites, made_set_up, made_tear_down),
		cmocka_unit_test_setup_teardown(who_made_memory_grow, made_set_up, made_tear_down),
		cmocka_unit_test_setup_teardown(numbers_of_blocks, made_set_up, made_tear_down),
		cmocka_unit_test_setup_teardown(blocks_of_some_sizes, made_set_up, made_tear_down),
		cmocka_unit_test_setup_teardown(what_is_left_out, made_set_up, made_tear_down),
		cmocka_unit_test(a_hundred_times),
		cmocka_unit_test_setup_teardown(nothing_at_all, made_set_up, made_tear_down),
		cmocka_unit_test_setup_teardown(little_memory, made_set_up, made_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
