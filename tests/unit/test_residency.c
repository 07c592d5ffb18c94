/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_residency.c - address spaces of known truth, small and huge, dense and sparse: what is
 * estimated from a thousand pages comes near it, the first time already, and costs no more than
 * that.
 *
 * Errors are parts of all memory, as they are in "43 % on node 1". The spread of a share of p among
 * n pages that were found is sqrt(p (1 - p) / n), 1.6 % at most for a thousand. A hundred seeds
 * each; bounds are four times that, but where most of what is asked for is not there.
 */
#include "config.h"

#include "numa/residency.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PAGE 4096u
#define MB (UINT64_C(1) << 20)
#define GB (UINT64_C(1) << 30)
#define TB (UINT64_C(1) << 40)
#define BUDGET 1000u
#define NODES 4u
#define SEEDS 100u

/* A made process: a run of mappings, and a rule that says where its pages are. */
struct made {
	struct areas areas;
	uint64_t next;           /* where the next mapping goes */
	/* node, or negative: page PAGE of A */
	int (*where)(const struct made *m, const struct area *a, uint64_t page);
	uint64_t huge_dev;
	double truth[MAPPING_NR][NODES];         /* pages */
	double there;
};

static void map(struct made *m, uint64_t bytes, const char *perms, const char *name)
{
	struct maps_line line = {
		.start = m->next, .end = m->next + bytes,
		.read = perms[0] == 'r', .write = perms[1] == 'w', .shared = perms[3] == 's',
		.ino = name[0] == '/' ? 7 : 0, .name = name, .name_len = strlen(name),
	};

	assert_true(areas_add(&m->areas, &line, NULL, 0));
	m->next += bytes + PAGE;
}

/*
 * Counts where everything is. Slow for terabytes, so the rule must say "nowhere" by whole mappings
 * beyond FULL pages.
 */
static void count_truth(struct made *m, uint64_t full)
{
	memset(m->truth, 0, sizeof(m->truth));
	m->there = 0;
	for (size_t i = 0; i < m->areas.v.n; i++) {
		const struct area *a = &m->areas.v.v[i];
		const uint64_t pages = (a->end - a->start) / PAGE;

		for (uint64_t page = 0; page < pages && page < full && !a->none; page++) {
			const int node = m->where(m, a, page);

			if (node < 0)
				continue;
			m->truth[a->kind][node]++;
			m->there += a->kind != MAPPING_HUGE;
		}
	}
}

static size_t survey(struct residency *r, const struct made *m, uint64_t seed, resident_vec *rows,
		     struct residency_sum *sum)
{
	struct sampled_page *s = NULL;
	size_t all = 0;

	assert_true(residency_begin(r, &m->areas, (uint64_t)m->there, PAGE, seed));
	for (unsigned int i = 0; i < RESIDENCY_ROUNDS; i++) {
		const size_t n = residency_round(r, BUDGET / RESIDENCY_ROUNDS, &s);

		for (size_t j = 0; j < n; j++) {
			const struct area *a = areas_find(&m->areas, s[j].addr);

			assert_non_null(a);
			assert_false(a->none);
			s[j].status = m->where(m, a, (s[j].addr - a->start) / PAGE);
		}
		all += n;
	}
	assert_true(residency_end(r, (uint64_t)m->there * PAGE, rows, sum));
	return all;
}

/* The largest difference between the share of a kind on a node as estimated and as it is. */
static double error_of(const struct made *m, const resident_vec *rows)
{
	double got[MAPPING_NR][NODES] = { 0 }, most = 0;

	for (size_t i = 0; i < rows->n; i++)
		got[rows->v[i].mapping][rows->v[i].node] += (double)rows->v[i].bytes / PAGE;
	for (unsigned int k = 0; k < MAPPING_NR; k++)
		for (unsigned int n = 0; n < NODES; n++)
			most = fmax(most, fabs(got[k][n] - m->truth[k][n]) / m->there);
	return most;
}

static uint64_t sum_of(const resident_vec *rows)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < rows->n; i++)
		bytes += rows->v[i].bytes;
	return bytes;
}

/* Surveys M by a hundred seeds, five times each. The first may be off by FIRST, later ones by LATER. */
static void check(struct made *m, const char *what, double first, double later)
{
	double worst[2] = { 0 }, squares[2] = { 0 }, missing[2] = { 0 };

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct residency r = { 0 };

		for (unsigned int i = 0; i < 5; i++) {
			resident_vec rows = { 0 };
			struct residency_sum sum;
			const size_t asked = survey(&r, m, hash_2u64(seed, i), &rows, &sum);
			const double off = error_of(m, &rows);

			assert_in_range(asked, 1, BUDGET + OPEN_WAIT_MERGE_MAX);
			assert_int_equal(sum.asked, asked);
			assert_true((double)sum_of(&rows) / PAGE <= m->there + 1 + (double)sum.found / PAGE);
			missing[i > 0] = fmax(missing[i > 0], 1 - (double)sum_of(&rows) / PAGE / m->there);
			worst[i > 0] = fmax(worst[i > 0], off);
			squares[i > 0] += off * off;
			vec_free(&rows);
		}
		residency_free(&r);
	}
	printf("%s: first survey off by %.2f %% (at most %.2f %%), later ones by %.2f %% (%.2f %%); missing %.2f "
	       "%%, %.2f %%\n",
	       what, 100 * sqrt(squares[0] / SEEDS), 100 * worst[0],
	       100 * sqrt(squares[1] / (4 * SEEDS)), 100 * worst[1], 100 * missing[0], 100 * missing[1]);
	assert_true(worst[0] <= first);
	assert_true(worst[1] <= later);
	areas_free(&m->areas);
}

static int all_here(const struct made *m, const struct area *a, uint64_t page)
{
	return 0;
}

static void all_of_it_is_there(void **state)
{
	struct made m = { .next = 0x10000, .where = all_here };

	map(&m, 400 * MB, "rw-p", "[heap]");
	map(&m, 100 * MB, "rw-p", "");
	map(&m, 900 * GB, "---p", "");
	count_truth(&m, UINT64_MAX);
	check(&m, "all there", 0.001, 0.001);
}

/* Interleaved page by page: no step through the pages may be in time with it. */
static int interleaved(const struct made *m, const struct area *a, uint64_t page)
{
	if (a->kind == MAPPING_FILE && page % 8 >= 4)
		return -ENOENT;
	return (int)(page % 2);
}

static void pages_alternate(void **state)
{
	struct made m = { .next = 0x10000, .where = interleaved };

	map(&m, 1 * GB, "rw-p", "[heap]");
	map(&m, 512 * MB, "r--p", "/data");
	count_truth(&m, UINT64_MAX);
	check(&m, "interleaved", 0.07, 0.07);
}

static int at_its_beginning(const struct made *m, const struct area *a, uint64_t page)
{
	return a->kind == MAPPING_HEAP ? (int)(page >> 12 & 1) : page < 10 * MB / PAGE ? 2 : -ENOENT;
}

static void a_terabyte_with_nothing_in_it(void **state)
{
	struct made m = { .next = 0x10000, .where = at_its_beginning };

	map(&m, 1 * GB, "rw-p", "[heap]");
	map(&m, 1 * TB, "rw-p", "");
	count_truth(&m, GB / PAGE);
	check(&m, "a terabyte reserved", 0.05, 0.05);
}

/* A Java heap: 32 GB reserved and 2 GB used, on two nodes. */
static int of_java(const struct made *m, const struct area *a, uint64_t page)
{
	if (a->kind != MAPPING_ANON)
		return 3;
	return page < 1 * GB / PAGE ? 0 : page < 2 * GB / PAGE ? 1 : -ENOENT;
}

static void a_sparse_heap(void **state)
{
	struct made m = { .next = 0x10000, .where = of_java };

	map(&m, 32 * GB, "rw-p", "");
	map(&m, 500 * MB, "r-xp", "/opt/lib.so");
	count_truth(&m, 2 * GB / PAGE);
	check(&m, "32 GB with 2 GB in it", 0.02, 0.02);
}

/* Thousands of mappings, half of whose pages are there, on a node by mapping. */
static int scattered(const struct made *m, const struct area *a, uint64_t page)
{
	const uint64_t at = a->start / PAGE + page;

	return hash_u64(at) % 2 ? -ENOENT : (int)(hash_u64(a->start) % NODES);
}

static void thousands_of_mappings(void **state)
{
	struct made m = { .next = 0x10000, .where = scattered };

	for (unsigned int i = 0; i < 20000; i++)
		map(&m, (1 + hash_u64(i) % 64) * PAGE, i % 3 ? "rw-p" : "rw-s", i % 3 ? "" : "/dev/shm/x");
	count_truth(&m, UINT64_MAX);
	check(&m, "20,000 mappings", 0.08, 0.08);
}

/* Stacks of which the upper end is used, beside memory that is. */
static int tops_of_stacks(const struct made *m, const struct area *a, uint64_t page)
{
	const uint64_t pages = (a->end - a->start) / PAGE;

	return a->kind == MAPPING_HEAP || page >= pages - 25 ? (int)(page % 3) : -ENOENT;
}

static void a_thousand_stacks(void **state)
{
	struct made m = { .next = 0x10000, .where = tops_of_stacks };

	map(&m, 500 * MB, "rw-p", "[heap]");
	for (unsigned int i = 0; i < 1000; i++) {
		map(&m, PAGE, "---p", "");
		map(&m, 8 * MB, "rw-p", "");
	}
	count_truth(&m, UINT64_MAX);
	check(&m, "1,000 stacks", 0.17, 0.17);
}

/*
 * One page of 300 of 100 GB, far apart: every hit stands for more than there is, and the heap says
 * how much that can be.
 */
static int thinly(const struct made *m, const struct area *a, uint64_t page)
{
	if (a->kind == MAPPING_HEAP)
		return 0;
	return hash_u64(page) % 300 ? -ENOENT : 3;
}

static void a_thin_mapping(void **state)
{
	struct made m = { .next = 0x10000, .where = thinly };

	map(&m, 1 * GB, "rw-p", "[heap]");
	map(&m, 100 * GB, "rw-p", "");
	count_truth(&m, UINT64_MAX);
	check(&m, "thin", 0.26, 0.26);
}

/* What was learnt about mappings that go and come does no harm. */
static void mappings_change(void **state)
{
	struct residency r = { 0 };

	for (uint64_t i = 0; i < 40; i++) {
		struct made m = { .next = 0x10000 + i % 5 * GB, .where = i % 2 ? at_its_beginning : of_java };
		resident_vec rows = { 0 };
		struct residency_sum sum;

		for (uint64_t j = 0; j <= i % 7; j++) {
			map(&m, (1 + j) * 100 * MB, "rw-p", j % 2 ? "" : "[heap]");
			map(&m, i % 3 * GB + PAGE, i % 4 ? "rw-p" : "---p", "");
		}
		count_truth(&m, UINT64_MAX);
		assert_true(survey(&r, &m, i, &rows, &sum) <= BUDGET + OPEN_WAIT_MERGE_MAX);
		assert_true(r.pieces.n <= OPEN_WAIT_MERGE_MAX);
		assert_true(error_of(&m, &rows) < 0.12);
		vec_free(&rows);
		areas_free(&m.areas);
	}
	residency_free(&r);
	residency_free(&r);
}

/* No more is asked for than there is, and then the answer is nearly exact. */
static void a_small_process(void **state)
{
	struct made m = { .next = 0x10000, .where = interleaved };
	struct residency r = { 0 };
	resident_vec rows = { 0 };
	struct residency_sum sum;

	for (unsigned int i = 0; i < 10; i++)
		map(&m, 8 * PAGE, i % 2 ? "rw-p" : "r--p", i % 2 ? "" : "/lib");
	count_truth(&m, UINT64_MAX);
	assert_true(survey(&r, &m, 1, &rows, &sum) <= 80);
	assert_true(error_of(&m, &rows) < 0.1);
	vec_free(&rows);
	areas_free(&m.areas);
	residency_free(&r);
}

static int nowhere(const struct made *m, const struct area *a, uint64_t page)
{
	return -EPERM;
}

static void nothing_to_find(void **state)
{
	struct made m = { .next = 0x10000, .where = nowhere };
	struct residency r = { 0 };
	resident_vec rows = { 0 };
	struct residency_sum sum;

	/* No mappings. */
	m.there = 5;
	assert_int_equal(survey(&r, &m, 1, &rows, &sum), 0);
	/* Nothing in memory, so that nothing needs to be asked. */
	map(&m, 100 * MB, "rw-p", "");
	m.there = 0;
	assert_int_equal(survey(&r, &m, 1, &rows, &sum), 0);
	/* Something, but it is not told. */
	m.there = 5;
	assert_true(survey(&r, &m, 1, &rows, &sum) > 0);
	assert_int_equal(sum.found, 0);
	assert_true(sum.asked > 0);
	/* Nothing that may be touched. */
	areas_reset(&m.areas);
	map(&m, 100 * MB, "---p", "");
	assert_int_equal(survey(&r, &m, 1, &rows, &sum), 0);
	assert_int_equal(rows.n, 0);
	areas_free(&m.areas);
	residency_free(&r);
}

static int halves(const struct made *m, const struct area *a, uint64_t page)
{
	return page < (a->end - a->start) / PAGE / 2 ? 1 : 2;
}

/* Pages of hugetlbfs have an estimate of their own, and so much of the total as the kernel says. */
static void huge_pages(void **state)
{
	struct made m = { .next = 2 * MB, .where = halves };
	struct residency small = { 0 }, huge = { .huge = true };
	resident_vec rows = { 0 };
	struct residency_sum sum;

	map(&m, 64 * MB, "rw-p", "/anon_hugepage (deleted)");
	map(&m, 10 * MB, "rw-p", "[heap]");
	count_truth(&m, UINT64_MAX);
	survey(&small, &m, 1, &rows, &sum);
	assert_int_equal(rows.n, 2);
	assert_int_equal(rows.v[0].mapping, MAPPING_HEAP);
	rows.n = 0;
	m.there = 48.0 * MB / PAGE;
	survey(&huge, &m, 1, &rows, &sum);
	assert_int_equal(rows.n, 2);
	assert_int_equal(rows.v[0].mapping, MAPPING_HUGE);
	assert_in_range(sum_of(&rows), 48 * MB - PAGE, 48 * MB + PAGE);
	vec_free(&rows);
	areas_free(&m.areas);
	residency_free(&small);
	residency_free(&huge);
}

/* Where the kernel does not say how much there is, the sample does. */
static void total_unknown(void **state)
{
	struct made m = { .next = 2 * MB, .where = halves };
	struct residency r = { .huge = true };
	struct sampled_page *s;
	struct residency_sum sum;
	resident_vec rows = { 0 };
	size_t n;

	map(&m, 64 * MB, "rw-p", "/anon_hugepage (deleted)");
	assert_true(residency_begin(&r, &m.areas, RESIDENCY_UNKNOWN, PAGE, 1));
	n = residency_round(&r, 100, &s);
	assert_in_range(n, 100, 110);
	for (size_t i = 0; i < n; i++)
		s[i].status = s[i].addr < 32 * MB ? 3 : -ENOENT;
	assert_true(residency_end(&r, RESIDENCY_UNKNOWN, &rows, &sum));
	assert_int_equal(rows.n, 1);
	assert_in_range(rows.v[0].bytes, 28 * MB, 32 * MB);
	assert_int_equal(rows.v[0].pages, sum.found);
	vec_free(&rows);
	areas_free(&m.areas);
	residency_free(&r);
}

static struct made *the_made;

static bool survey_without_memory(void)
{
	struct residency r = { 0 };
	struct sampled_page *s = NULL;
	resident_vec rows = { 0 };
	struct residency_sum sum;
	bool ok = residency_begin(&r, &the_made->areas, 1000, PAGE, 1);

	if (ok) {
		const size_t n = residency_round(&r, 50, &s);

		ok = n;
		for (size_t i = 0; i < n; i++)
			s[i].status = 0;
		ok &= residency_end(&r, 1000 * PAGE, &rows, &sum);
	}
	vec_free(&rows);
	residency_free(&r);
	return ok;
}

static void survives_lack_of_memory(void **state)
{
	struct made m = { .next = 0x10000, .where = all_here };

	map(&m, 4000 * PAGE, "rw-p", "[heap]");
	the_made = &m;
	for (long n = 0; fail_alloc_round(n, survey_without_memory); n++)
		;
	areas_free(&m.areas);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_it_is_there),
		cmocka_unit_test(pages_alternate),
		cmocka_unit_test(a_terabyte_with_nothing_in_it),
		cmocka_unit_test(a_sparse_heap),
		cmocka_unit_test(thousands_of_mappings),
		cmocka_unit_test(a_thousand_stacks),
		cmocka_unit_test(a_thin_mapping),
		cmocka_unit_test(mappings_change),
		cmocka_unit_test(a_small_process),
		cmocka_unit_test(nothing_to_find),
		cmocka_unit_test(huge_pages),
		cmocka_unit_test(total_unknown),
		cmocka_unit_test(survives_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
