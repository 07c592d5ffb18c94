/* SPDX-License-Identifier: BSD-2-Clause */
/* A view of 100,000 different stacks and 2,000 threads: every pane has all of it, and all panes agree. */
#include "config.h"

#include "base/clock.h"
#include "query/threadlist.h"
#include "query/waits.h"
#include "tests/unit/big.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/keys.h"
#include "query/flatlist.h"
#include "ui/view_private.h"

#include <stdio.h>
#include <string.h>

#define SECONDS 600u

struct sized {
	struct made_session f;
	struct big big;
	struct driver d;
	uint64_t ns[EVENT_KINDS];
};

static int set_up(void **state)
{
	static struct sized s;
	struct event ev;

	madesession_init(&s.f);
	assert_true(big_init(&s.big, s.f.m.d, s.f.m.names, BIG_STACKS, BIG_THREADS));
	for (uint64_t i = 0; i < big_events(&s.big); i++) {
		big_event(&s.big, i, MADE_START_NS, SECONDS, &ev);
		assert_int_equal(profile_add(s.f.m.p, &ev), 0);
		s.ns[ev.kind] += ev.weight;
	}
	s.f.meta.off_cpu = true;
	s.f.meta.duration_ns = SECONDS * NSEC_PER_SEC;
	driver_init(&s.d, &s.f, 120, 40, false);
	driver_press(&s.d, "w");         /* idle waits are shown as others */
	*state = &s;
	return 0;
}

static int tear_down(void **state)
{
	struct sized *s = *state;

	driver_free(&s->d);
	big_free(&s->big);
	madesession_free(&s->f);
	return 0;
}

static const struct pane *shown(const struct sized *s, enum pane_id p)
{
	const struct pane *pane = &s->d.view->pane[p];

	assert_non_null(pane->built);
	return pane;
}

static void test_tree(void **state)
{
	struct sized *s = *state;
	const struct tree *t = shown(s, PANE_TREE)->built->tree;
	const struct treeview *tv = shown(s, PANE_TREE)->tv;

	assert_int_equal(t->node[0].value[TIME_RUNNING], s->ns[EVENT_SAMPLE]);
	assert_int_equal(t->node[0].value[TIME_BLOCKED], s->ns[EVENT_BLOCKED]);
	assert_int_equal(t->node[0].value[TIME_RUNNABLE], s->ns[EVENT_RUNNABLE]);
	assert_int_equal(t->cut_ns, 0);
	assert_true(t->n > BIG_STACKS);
	driver_press(&s->d, "EG");
	assert_int_equal(tv->cursor, tv->rows.n - 1);
	assert_in_range(tv->rows.n, OPEN_ROWS_MAX / 2, OPEN_ROWS_MAX);
	for (size_t i = 0; i < tv->rows.n; i++) {
		const uint32_t node = tv->rows.v[i].node;

		assert_true(t->node[node].parent == 0 || t->node[t->node[node].parent].total_ns >= tv->least_open_ns);
	}
	driver_press(&s->d, "gC");
}

static void test_panes_agree(void **state)
{
	struct sized *s = *state;
	const uint64_t off_ns = s->ns[EVENT_BLOCKED] + s->ns[EVENT_RUNNABLE], all_ns = s->ns[EVENT_SAMPLE] + off_ns;
	uint64_t self_ns = 0;
	const struct flatlist *l;

	driver_press(&s->d, "456");
	assert_int_equal(((const struct threadlist *)shown(s, PANE_THREADS)->built->model)->n, BIG_THREADS);
	assert_int_equal(shown(s, PANE_THREADS)->built->list->row[0].weight, all_ns);
	assert_int_equal(((const struct waits *)shown(s, PANE_WAITS)->built->model)->row[0].total_ns, off_ns);
	l = shown(s, PANE_FUNCS)->built->model;
	assert_int_equal(l->row[0].total_ns, all_ns);
	assert_int_equal(l->shown, FLATLIST_FUNCTIONS);
	assert_true(l->known > FLATLIST_FUNCTIONS);
	for (uint32_t i = 1; i < l->n; i++)
		self_ns += l->row[i].self_ns;
	assert_true(self_ns && self_ns < all_ns);
	driver_press(&s->d, "456");
}

static uint64_t matches(const struct sized *s, const char *text)
{
	const struct treeview *tv = view_tree(s->d.view);
	char label[LABEL_MAX];
	uint64_t n = 0;

	for (uint32_t i = 1; i < shown_n(treeview_shown(tv)); i++)
		n += strstr(treeview_label(tv, i, label, sizeof(label)), text) != NULL;
	return n;
}

static void search_for(struct sized *s, const char *text)
{
	driver_press(&s->d, "/");
	driver_press(&s->d, text);
	assert_int_equal(s->d.view->search.matches, matches(s, text));
	driver_press(&s->d, "<Enter><Esc>");
}

/* What a search counts is what reading every line would have found. */
static void test_search(void **state)
{
	struct sized *s = *state;

	search_for(s, "function_123");
	search_for(s, "app+0x4");
	driver_press(&s->d, "60");
	search_for(s, "function_123");
	search_for(s, "function_77_0");
	search_for(s, "worker-3");
	driver_press(&s->d, "06");
}

static void test_grows(void **state)
{
	struct sized *s = *state;
	const uint64_t before = shown(s, PANE_TREE)->built->tree->node[0].total_ns;
	struct event ev;

	for (uint32_t i = 0; i < 100; i++) {
		big_sample(&s->big, i, i, MADE_START_NS + SECONDS * NSEC_PER_SEC, &ev);
		assert_int_equal(profile_add(s->f.m.p, &ev), 0);
		s->ns[EVENT_SAMPLE] += ev.weight;
	}
	s->f.published++;
	s->d.now_ns += 1000 * NSEC_PER_SEC;
	driver_refresh(&s->d);
	assert_int_equal(shown(s, PANE_TREE)->built->tree->node[0].value[TIME_RUNNING], s->ns[EVENT_SAMPLE]);
	assert_true(shown(s, PANE_TREE)->built->tree->node[0].total_ns > before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_panes_agree),
		cmocka_unit_test(test_search),
		cmocka_unit_test(test_grows),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
