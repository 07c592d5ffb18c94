/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_find.c - searching in a tree finds what going through all of its lines finds, from any line,
 * in any order, zoomed or not.
 */
#include "config.h"

#include "base/clock.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/made.h"
#include "ui/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS NSEC_PER_MSEC

/* Names that share letters, and places without one. */
static void random_stack(unsigned int *seed, char *dst, size_t size)
{
	static const char *const names[] = { "main", "alpha", "beta", "gamma", "alphabet", "@1f0", "@2f0",
					     "delta_[k]", "mu" };
	size_t n = 0;

	for (int depth = 1 + rand_r(seed) % 7; depth > 0; depth--)
		n += (size_t)snprintf(dst + n, size - n, "%s%s", n ? ";" : "", names[(size_t)rand_r(seed) % 9]);
}

static bool is_hit(const struct treeview *tv, uint32_t node, const char *text)
{
	char label[LABEL_MAX];

	return strstr(treeview_label(tv, node, label, sizeof(label)), text);
}

/* What STEP leads to from row FROM when all lines are gone through; *RET_AT says which of the matches that is. */
static uint32_t plainly(const struct treeview *tv, const char *text, size_t from, enum search_step step, size_t *ret_n,
			size_t *ret_at)
{
	uint32_t found = NODE_NONE;

	*ret_n = *ret_at = 0;
	for (size_t i = 0; i < tv->rows.n; i++)
		*ret_n += is_hit(tv, tv->rows.v[i].node, text);
	for (size_t k = step == SEARCH_HERE ? 0 : 1; k <= tv->rows.n && *ret_n && found == NODE_NONE; k++) {
		const size_t i = (from + (step == SEARCH_PREV ? tv->rows.n - k % tv->rows.n : k)) % tv->rows.n;

		if (is_hit(tv, tv->rows.v[i].node, text))
			found = tv->rows.v[i].node;
	}
	for (size_t i = 0; i < tv->rows.n && found != NODE_NONE; i++) {
		*ret_at += is_hit(tv, tv->rows.v[i].node, text);
		if (tv->rows.v[i].node == found)
			break;
	}
	return found;
}

static void compare_all(struct treeview *tv, const char *text)
{
	struct search s = { 0 };

	for (const char *c = text; *c; c++)
		search_type(&s, (uint32_t)*c);
	for (size_t from = 0; from < tv->rows.n; from++) {
		for (enum search_step step = SEARCH_HERE; step <= SEARCH_PREV; step++) {
			size_t n, at;
			const uint32_t want = plainly(tv, text, from, step, &n, &at);

			assert_int_equal(search_find(&s, tv, tv->rows.v[from].node, step), want);
			assert_int_equal(s.matches, n);
			assert_int_equal(s.at, at);
		}
	}
	search_free(&s);
}

static void searching_is_looking_at_all_lines(void **state)
{
	static const char *const texts[] = { "a", "alpha", "lib", "mu", "delta", "+0x1", "nothing" };
	unsigned int seed = 4711;

	for (unsigned int round = 0; round < 12; round++) {
		const struct query q = { .group_by = round % 2 ? GROUP_PROCESS : GROUP_NONE };
		struct treeview tv;
		struct made m;

		made_init(&m, NULL);
		for (unsigned int i = 0; i < 30; i++) {
			char stack[256];

			random_stack(&seed, stack, sizeof(stack));
			made_add(&m, NSEC_PER_SEC,
				 made_thread(&m, 1 + (pid_t)(i % 3), 1 + (pid_t)(i % 3), "app"), stack,
				 (1 + (uint64_t)rand_r(&seed) % 5) * MS);
		}
		treeview_init(&tv, 20);
		treeview_show(&tv, made_look(&m, &q));
		treeview_sort(&tv, (enum sort_by)(round % SORT_NR));
		treeview_all(&tv, true);
		for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
			compare_all(&tv, texts[i]);
		treeview_to_row(&tv, tv.rows.n / 3);
		treeview_zoom(&tv);
		treeview_all(&tv, true);
		for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
			compare_all(&tv, texts[i]);
		treeview_free(&tv);
		made_free(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(searching_is_looking_at_all_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
