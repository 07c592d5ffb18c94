/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_treeview.c - staying put: refreshes that change weights, add nodes and bring names leave the
 * cursor on its node, the node on its line of the screen, and everything open that was open.
 */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/keys.h"
#include "ui/panes/flameview.h"
#include "ui/treeview.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEIGHT 12u

struct world {
	struct made_session f;
	struct treeview tv;
	struct tree *tree;
	struct query query;
};

static void refresh(struct world *w)
{
	struct tree *next = made_tree(&w->f.m, &w->query);

	treeview_show(&w->tv, next);
	tree_free(w->tree);
	w->tree = next;
}

static void init(struct world *w)
{
	memset(w, 0, sizeof(*w));
	madesession_init(&w->f);
	w->query.group_by = GROUP_PROCESS;
	treeview_init(&w->tv, HEIGHT);
}

static void fini(struct world *w)
{
	treeview_free(&w->tv);
	tree_free(w->tree);
	madesession_free(&w->f);
}

static const char *label(const struct world *w, size_t row)
{
	static char text[LABEL_MAX];

	return tree_label(w->tree, w->tv.rows.v[row].node, text, sizeof(text));
}

static const char *under_cursor(const struct world *w)
{
	return label(w, w->tv.cursor);
}

/* Puts the cursor on the first row called NAME. */
static void go(struct world *w, const char *name)
{
	for (size_t i = 0; i < w->tv.rows.n; i++) {
		if (!strcmp(label(w, i), name)) {
			treeview_to_row(&w->tv, i);
			return;
		}
	}
	fail_msg("no row %s", name);
}

static size_t row_of(const struct world *w, const char *name)
{
	for (size_t i = 0; i < w->tv.rows.n; i++) {
		if (!strcmp(label(w, i), name))
			return i;
	}
	return SIZE_MAX;
}

static void the_hottest_path_is_open_at_first(void **state)
{
	struct world w;

	init(&w);
	madesession_add(&w.f, 1, "main;hot;hotter;hottest", 50);
	madesession_add(&w.f, 1, "main;cold;colder", 3);
	refresh(&w);
	assert_int_not_equal(row_of(&w, "hottest"), SIZE_MAX);
	assert_int_not_equal(row_of(&w, "cold"), SIZE_MAX);
	assert_int_equal(row_of(&w, "colder"), SIZE_MAX);
	assert_int_equal(w.tv.cursor, 0);
	madesession_add(&w.f, 2, "main;cold;colder", 300);         /* nobody has touched it: it follows */
	refresh(&w);
	assert_int_equal(row_of(&w, "colder"), row_of(&w, "cold") + 1);
	assert_int_equal(w.tv.cursor, 0);
	fini(&w);
}

/* However few samples it was chosen by, and whatever turns out to be hotter: only the user closes lines. */
static void what_opened_by_itself_stays_open(void **state)
{
	struct world w;
	size_t rows;

	init(&w);
	madesession_add(&w.f, 1, "main;early;earlier;earliest", 5);
	refresh(&w);
	assert_int_not_equal(row_of(&w, "earliest"), SIZE_MAX);
	for (unsigned int i = 2; i < 6; i++) {
		madesession_add(&w.f, i, "main;late;later", 100);
		refresh(&w);
		assert_int_not_equal(row_of(&w, "later"), SIZE_MAX);
		assert_int_not_equal(row_of(&w, "earliest"), SIZE_MAX);
	}
	treeview_move(&w.tv, 1);
	rows = w.tv.rows.n;
	madesession_add(&w.f, 6, "main;late;later;latest", 1000);
	refresh(&w);
	assert_int_equal(w.tv.rows.n, rows);
	assert_int_equal(row_of(&w, "latest"), SIZE_MAX);
	fini(&w);
}

static void wide_and_deep_trees_do_not_flood_the_screen(void **state)
{
	struct world w;
	char stack[64];

	init(&w);
	for (int i = 0; i < 200; i++) {
		snprintf(stack, sizeof(stack), "main;f%d;g;h", i);
		madesession_add(&w.f, 1, stack, 2);
	}
	refresh(&w);
	assert_true(w.tv.rows.n <= 202);
	assert_int_equal(row_of(&w, "g"), SIZE_MAX);
	fini(&w);
}

static void the_line_stays_when_weights_change(void **state)
{
	struct world w;
	size_t line;

	init(&w);
	madesession_add(&w.f, 1, "main;a;a1", 50);
	madesession_add(&w.f, 1, "main;b;b1", 40);
	madesession_add(&w.f, 1, "main;c;c1", 30);
	refresh(&w);
	treeview_all(&w.tv, true);
	go(&w, "b");
	line = w.tv.cursor - w.tv.top;
	madesession_add(&w.f, 2, "main;c;c2", 500);
	madesession_add(&w.f, 2, "main;new;new1;new2", 900);
	refresh(&w);
	assert_string_equal(under_cursor(&w), "b");
	assert_int_equal(w.tv.cursor - w.tv.top, line);
	assert_true(row_of(&w, "a") < row_of(&w, "b"));
	assert_true(row_of(&w, "b") < row_of(&w, "new"));
	assert_true(row_of(&w, "new") < row_of(&w, "c"));
	treeview_first(&w.tv);                   /* first is first: now the order is right everywhere */
	refresh(&w);
	assert_int_equal(w.tv.cursor, 0);
	assert_true(row_of(&w, "new") < row_of(&w, "c") && row_of(&w, "c") < row_of(&w, "a"));
	fini(&w);
}

static void what_opens_above_pushes_the_screen_not_the_line(void **state)
{
	struct world w;
	char stack[64];
	size_t line;

	init(&w);
	madesession_add(&w.f, 1, "main;a;a0", 50);
	madesession_add(&w.f, 1, "main;b;b0", 40);
	refresh(&w);
	treeview_all(&w.tv, true);
	go(&w, "b0");
	line = w.tv.cursor - w.tv.top;
	for (int i = 1; i < 40; i++) {
		snprintf(stack, sizeof(stack), "main;a;a%d", i);
		madesession_add(&w.f, 2, stack, 1);
		refresh(&w);
		assert_string_equal(under_cursor(&w), "b0");
		assert_int_equal(w.tv.cursor - w.tv.top, line);
	}
	fini(&w);
}

/* Gives the unnamed places of STACK, made with "@", the names in NAMED. */
static void name_frames(struct world *w, const char *place, const char *name, const char *inlined)
{
	struct names *ns = w->f.m.names;
	const stack_id s = made_stack(&w->f.m, place);
	const frame_id f = dict_get_stack(w->f.m.d, s)->frame;
	const module_id mod = dict_get_frame(w->f.m.d, f)->module;
	struct name n[2] = { 0 };
	uint16_t count = 0;

	if (inlined)
		n[count++].func = names_add_func(ns, &(struct func){ .name = names_add_text(ns, inlined,
			strlen(inlined)), .module = mod });
	n[count++].func = names_add_func(ns, &(struct func){ .name = names_add_text(ns, name, strlen(name)),
							     .module = mod });
	assert_int_equal(names_set(ns, f, n, count, inlined), 0);
}

static void names_that_arrive_move_nothing(void **state)
{
	struct world w;
	size_t line;

	init(&w);
	madesession_add(&w.f, 1, "main;@10;@20;@30", 50);
	madesession_add(&w.f, 1, "main;@10;@20;@31", 40);
	madesession_add(&w.f, 1, "main;@11;@21", 10);
	refresh(&w);
	treeview_all(&w.tv, false);
	treeview_first(&w.tv);
	for (int i = 0; i < 6; i++)
		treeview_right(&w.tv);
	assert_string_equal(under_cursor(&w), "libc.so.6+0x20");
	assert_int_equal(w.tv.rows.v[w.tv.cursor].depth, 3);
	treeview_right(&w.tv);
	treeview_move(&w.tv, 1);
	assert_string_equal(under_cursor(&w), "libc.so.6+0x30");
	line = w.tv.cursor - w.tv.top;
	name_frames(&w, "@10", "first", NULL);
	refresh(&w);
	assert_string_equal(under_cursor(&w), "libc.so.6+0x30");
	assert_int_equal(w.tv.cursor - w.tv.top, line);
	name_frames(&w, "@20", "second", "second_inline");
	refresh(&w);
	assert_string_equal(under_cursor(&w), "libc.so.6+0x30");
	name_frames(&w, "@30", "third", NULL);
	name_frames(&w, "@31", "fourth", NULL);
	refresh(&w);
	assert_string_equal(under_cursor(&w), "third");
	name_frames(&w, "@10", "first", "first_inline"); /* better names: an inlined function comes in between */
	refresh(&w);
	assert_string_equal(under_cursor(&w), "third");
	assert_int_not_equal(row_of(&w, "fourth"), SIZE_MAX);
	fini(&w);
}

static uint32_t node_called(const struct world *w, const char *name)
{
	char text[LABEL_MAX];
	uint32_t i = 0;

	while (i < w->tree->n && strcmp(tree_label(w->tree, i, text, sizeof(text)), name) != 0)
		i++;
	assert_true(i < w->tree->n);
	return i;
}

/*
 * The same in a flame graph, for a frame that is far too narrow to be there unless the cursor is on
 * it; and its zoom.
 */
static void frames_keep_their_place_when_names_arrive(void **state)
{
	struct flameview f = { 0 };
	struct world w;

	init(&w);
	flameview_init(&w.tv, &f);
	treeview_set_height(&w.tv, HEIGHT);
	treeview_set_width(&w.tv, 20);
	madesession_add(&w.f, 1, "main;@10;@20;@30", 500);
	madesession_add(&w.f, 1, "main;@10;@21;@31;leaf", 1);
	refresh(&w);
	assert_string_equal(under_cursor(&w), "all");
	assert_int_equal(row_of(&w, "libc.so.6+0x31"), SIZE_MAX);
	treeview_visit(&w.tv, node_called(&w, "libc.so.6+0x31"));
	assert_string_equal(under_cursor(&w), "libc.so.6+0x31");
	name_frames(&w, "@10", "first", "first_inline");
	refresh(&w);
	assert_string_equal(under_cursor(&w), "libc.so.6+0x31");
	name_frames(&w, "@31", "third", NULL);
	refresh(&w);
	assert_string_equal(under_cursor(&w), "third");
	flameview_zoom(&w.tv);
	assert_int_equal(flameview_here(&w.tv)->w, 20);
	name_frames(&w, "@21", "second", NULL);
	madesession_add(&w.f, 2, "main;@10;@20;@30", 5000);
	refresh(&w);
	assert_string_equal(under_cursor(&w), "third");
	assert_int_equal(flameview_here(&w.tv)->w, 20);
	assert_int_equal(w.tv.rows.n, 2);        /* and the leaf */
	treeview_unzoom(&w.tv);
	assert_string_equal(under_cursor(&w), "third");
	flameview_down(&w.tv, -1);
	assert_string_equal(under_cursor(&w), "second");
	treeview_show(&w.tv, NULL);
	assert_null(flameview_here(&w.tv));
	fini(&w);
	flameview_free(&f);
}

static void a_zoom_survives_names_and_resets(void **state)
{
	struct world w;

	init(&w);
	madesession_add(&w.f, 1, "main;@10;x;y", 50);
	madesession_add(&w.f, 1, "main;other", 50);
	refresh(&w);
	treeview_all(&w.tv, true);
	go(&w, "x");
	treeview_zoom(&w.tv);
	assert_string_equal(label(&w, 0), "x");
	assert_int_equal(w.tv.rows.n, 2);
	name_frames(&w, "@10", "named", NULL);
	refresh(&w);
	assert_string_equal(label(&w, 0), "x");
	go(&w, "y");
	profile_clear(w.f.m.p);
	refresh(&w);
	assert_int_equal(w.tv.rows.n, 0);
	treeview_move(&w.tv, 1);
	treeview_left(&w.tv);
	treeview_toggle(&w.tv);
	madesession_add(&w.f, 3, "main;@10;x;y", 5);
	madesession_add(&w.f, 3, "main;other", 50);
	refresh(&w);
	assert_string_equal(label(&w, 0), "x");
	assert_true(treeview_unzoom(&w.tv));
	assert_false(treeview_unzoom(&w.tv));
	assert_string_equal(label(&w, 0), "app 7");
	fini(&w);
}

/* What was visible, by key, to be found again after a refresh. */
struct before {
	VEC(uint64_t) open;
	uint64_t cursor;
	size_t line;
};

static void remember(const struct world *w, struct before *b)
{
	b->open.n = 0;
	for (size_t i = 0; i < w->tv.rows.n; i++) {
		const uint32_t node = w->tv.rows.v[i].node;

		if (w->tree->node[node].first_child != NODE_NONE && treeview_is_open(&w->tv, node))
			*vec_push(&b->open) = w->tree->node[node].key;
	}
	b->cursor = w->tree->node[treeview_node(&w->tv)].key;
	b->line = w->tv.cursor - w->tv.top;
}

static void check_put(const struct world *w, const struct before *b)
{
	assert_true(w->tree->node[treeview_node(&w->tv)].key == b->cursor);
	assert_int_equal(w->tv.cursor - w->tv.top, b->line);
	for (size_t i = 0; i < b->open.n; i++) {
		bool found = false;

		for (size_t r = 0; r < w->tv.rows.n && !found; r++)
			found = w->tree->node[w->tv.rows.v[r].node].key == b->open.v[i] &&
				treeview_is_open(&w->tv, w->tv.rows.v[r].node);
		assert_true(found);
	}
}

static const char *const plain_functions[5] = { "f0", "f1", "f2", "f3", "f4" };
/* Some of them share a line until another call comes in between. */
static const char *const entry_functions[5] = { "entry_SYSCALL_64_after_hwframe_[k]", "do_syscall_64_[k]",
						"asm_exc_page_fault_[k]", "exc_page_fault_[k]", "sysvec_reboot_[k]" };

static void random_stack(unsigned int *seed, const char *const function[5], char *dst, size_t size)
{
	const int depth = 1 + rand_r(seed) % 7;
	int at = snprintf(dst, size, "main");

	for (int i = 0; i < depth; i++)
		at += snprintf(dst + at, size - (size_t)at, ";%s", function[rand_r(seed) % 5]);
}

static void act(struct world *w, unsigned int *seed)
{
	switch (rand_r(seed) % 13) {
	case 10:
		treeview_open_further(&w->tv);
		break;
	case 0:
		treeview_toggle(&w->tv);
		break;
	case 1:
		treeview_open_level(&w->tv);
		break;
	case 2:
		treeview_close_level(&w->tv);
		break;
	case 3:
		treeview_sort(&w->tv, rand_r(seed) % SORT_NR);
		break;
	case 4:
		if (!treeview_unzoom(&w->tv) && rand_r(seed) % 4 == 0)
			treeview_zoom(&w->tv);
		break;
	case 5:
		treeview_left(&w->tv);
		break;
	case 6:
		treeview_sibling(&w->tv, rand_r(seed) % 2 ? 1 : -1);
		break;
	case 7:
		treeview_parent(&w->tv);
		break;
	case 8:
		treeview_heaviest(&w->tv);
		break;
	case 9:
		treeview_hottest(&w->tv);
		break;
	default:
		treeview_to_row(&w->tv, (size_t)rand_r(seed) % w->tv.rows.n);
	}
}

static void refresh_at_random(const char *const function[5])
{
	unsigned int seed = 42;
	struct before b = { 0 };
	char stack[512];

	for (int run = 0; run < 20; run++) {
		struct world w;

		init(&w);
		for (int i = 0; i < 20; i++) {
			random_stack(&seed, function, stack, sizeof(stack));
			madesession_add(&w.f, 1, stack, 1 + (unsigned int)rand_r(&seed) % 20);
		}
		refresh(&w);
		for (int i = 0; i < 60; i++) {
			act(&w, &seed);
			if (w.tv.at_first || !w.tv.touched)
				treeview_to_row(&w.tv, w.tv.rows.n / 2);
			remember(&w, &b);
			for (int n = rand_r(&seed) % 4; n >= 0; n--) {
				random_stack(&seed, function, stack, sizeof(stack));
				madesession_add(&w.f, 2, stack, 1 + (unsigned int)rand_r(&seed) % 100);
			}
			refresh(&w);
			check_put(&w, &b);
		}
		fini(&w);
	}
	vec_free(&b.open);
}

static void random_refreshes_stay_put(void **state)
{
	refresh_at_random(plain_functions);
}

static void random_lines_of_several_stay_put(void **state)
{
	refresh_at_random(entry_functions);
}

static void very_deep_trees_are_fine(void **state)
{
	struct world w;
	char *stack = malloc(20000 * 8);
	size_t at = 0;

	init(&w);
	for (int i = 0; i < 20000; i++)
		at += (size_t)sprintf(stack + at, "%sf%d", i ? ";" : "", i % 100);
	madesession_add(&w.f, 1, stack, 3);
	refresh(&w);
	treeview_all(&w.tv, true);
	assert_int_equal(w.tv.rows.n, 20001);
	treeview_to_row(&w.tv, SIZE_MAX);
	assert_int_equal(w.tv.cursor, 20000);
	madesession_add(&w.f, 2, stack, 3);
	refresh(&w);
	assert_int_equal(w.tv.cursor, 20000);
	treeview_zoom(&w.tv);
	refresh(&w);
	assert_int_equal(w.tv.rows.n, 1);
	free(stack);
	fini(&w);
}

static void idle_waits_are_no_row(void **state)
{
	struct world w;

	init(&w);
	w.query.fold_idle = true;
	madesession_off_cpu(&w.f);
	refresh(&w);
	assert_int_not_equal(treeview_idle(w.tree), NODE_NONE);
	assert_true(treeview_work_ns(w.tree) + w.tree->node[treeview_idle(w.tree)].total_ns ==
		    w.tree->node[0].total_ns);
	treeview_all(&w.tv, true);
	for (size_t i = 0; i < w.tv.rows.n; i++)
		assert_int_not_equal(w.tree->node[w.tv.rows.v[i].node].kind, NODE_IDLE);
	assert_int_equal(row_of(&w, "epoll_wait"), SIZE_MAX);
	go(&w, "fsync");
	w.query.fold_idle = false;
	refresh(&w);
	assert_string_equal(under_cursor(&w), "fsync");
	assert_int_not_equal(row_of(&w, "epoll_wait"), SIZE_MAX);
	fini(&w);
}

static void kinds_of_time_sort(void **state)
{
	struct world w;

	init(&w);
	w.query.fold_idle = true;
	madesession_off_cpu(&w.f);
	refresh(&w);
	treeview_all(&w.tv, true);
	treeview_sort(&w.tv, SORT_RUNNING);
	assert_true(row_of(&w, "memcpy") < row_of(&w, "libc.so.6+0x2c40"));
	treeview_sort(&w.tv, SORT_BLOCKED);
	assert_true(row_of(&w, "memcpy") > row_of(&w, "libc.so.6+0x2c40"));
	fini(&w);
}

static void relatives_are_a_key_away(void **state)
{
	struct world w;

	init(&w);
	madesession_add(&w.f, 1, "main;a;a1;a2", 60);
	madesession_add(&w.f, 1, "main;a;a1;a3", 30);
	madesession_add(&w.f, 1, "main;b;b1", 40);
	madesession_add(&w.f, 1, "main;c", 30);
	refresh(&w);
	treeview_all(&w.tv, false);
	assert_true(treeview_hottest(&w.tv));            /* app 7, main: a has 90 of 160, a1 all of it, a2 60 of 90 */
	assert_string_equal(under_cursor(&w), "a2");
	assert_false(treeview_hottest(&w.tv));
	assert_false(treeview_heaviest(&w.tv));
	assert_true(treeview_sibling(&w.tv, 1));
	assert_string_equal(under_cursor(&w), "a3");
	assert_false(treeview_sibling(&w.tv, 1));
	assert_true(treeview_sibling(&w.tv, -1));
	assert_false(treeview_sibling(&w.tv, -1));
	assert_true(treeview_parent(&w.tv));
	assert_string_equal(under_cursor(&w), "a1");
	assert_false(treeview_sibling(&w.tv, -1));
	assert_true(treeview_parent(&w.tv));
	assert_true(treeview_sibling(&w.tv, 1));         /* over what is open below it */
	assert_string_equal(under_cursor(&w), "b");
	assert_true(treeview_heaviest(&w.tv));
	assert_string_equal(under_cursor(&w), "b1");
	assert_int_not_equal(row_of(&w, "a3"), SIZE_MAX); /* nothing is closed again */
	treeview_first(&w.tv);
	assert_false(treeview_parent(&w.tv));
	assert_false(treeview_sibling(&w.tv, -1));
	fini(&w);
}

/* It stops where nothing has half of the weight, shows what there is, and goes on from there when told to again. */
static void the_hottest_path_ends_where_it_splits(void **state)
{
	struct world w;

	init(&w);
	madesession_add(&w.f, 1, "main;run;x;x1", 40);
	madesession_add(&w.f, 1, "main;run;y", 35);
	madesession_add(&w.f, 1, "main;run;z", 30);
	refresh(&w);
	treeview_all(&w.tv, false);
	treeview_hottest(&w.tv);
	assert_string_equal(under_cursor(&w), "run");
	assert_int_not_equal(row_of(&w, "z"), SIZE_MAX);
	assert_int_equal(row_of(&w, "x1"), SIZE_MAX);
	treeview_hottest(&w.tv);
	assert_string_equal(under_cursor(&w), "x1");
	fini(&w);
}

static void the_hottest_path_is_that_of_the_column(void **state)
{
	struct world w;

	init(&w);
	w.query.fold_idle = true;
	madesession_off_cpu(&w.f);
	refresh(&w);
	treeview_all(&w.tv, false);
	treeview_sort(&w.tv, SORT_BLOCKED);
	treeview_first(&w.tv);
	assert_true(treeview_hottest(&w.tv));
	assert_true(w.tree->node[treeview_node(&w.tv)].value[TIME_BLOCKED] > 0);
	treeview_sort(&w.tv, SORT_RUNNABLE);
	treeview_first(&w.tv);
	assert_true(treeview_hottest(&w.tv));
	assert_true(w.tree->node[treeview_node(&w.tv)].value[TIME_RUNNABLE] > 0);
	treeview_sort(&w.tv, SORT_RUNNING);
	treeview_first(&w.tv);
	assert_true(treeview_hottest(&w.tv));
	assert_true(w.tree->node[treeview_node(&w.tv)].value[TIME_RUNNING] > 0);
	treeview_show(&w.tv, NULL);
	assert_false(treeview_hottest(&w.tv) || treeview_heaviest(&w.tv) || treeview_parent(&w.tv) ||
		     treeview_sibling(&w.tv, 1));
	fini(&w);
}

/* FROM to UNTIL: so many pairs of a function and its callee, of N samples each. */
static void add_pairs(struct world *w, unsigned int slice, unsigned int from, unsigned int until, unsigned int n)
{
	char stack[64];

	for (unsigned int i = from; i < until; i++) {
		snprintf(stack, sizeof(stack), "main;upper%u;lower%u", i, i);
		madesession_add(&w->f, slice, stack, n);
	}
}

static void of_a_very_large_tree_all_is_what_weighs_most(void **state)
{
	struct world w;
	size_t line;

	init(&w);
	madesession_add(&w.f, 1, "main;hot;hotter;hottest", 1000);
	add_pairs(&w, 1, 0, 3000, 2);
	add_pairs(&w, 1, 3000, 6000, 1);
	refresh(&w);
	treeview_all(&w.tv, true);
	assert_true(w.tv.least_open_ns > 0);
	assert_in_range(w.tv.rows.n, 8800, OPEN_ROWS_MAX);
	assert_int_not_equal(row_of(&w, "hottest"), SIZE_MAX);
	assert_int_not_equal(row_of(&w, "lower2999"), SIZE_MAX);
	assert_int_not_equal(row_of(&w, "upper3000"), SIZE_MAX);
	assert_int_equal(row_of(&w, "lower3000"), SIZE_MAX);
	assert_false(treeview_open_level(&w.tv));

	/* There are more of their weight now: together they are too many, but those on the screen stay. */
	go(&w, "lower777");
	line = w.tv.cursor - w.tv.top;
	add_pairs(&w, 2, 6000, 8500, 2);
	refresh(&w);
	assert_in_range(w.tv.rows.n, 8300, OPEN_ROWS_MAX);
	assert_string_equal(under_cursor(&w), "lower777");
	assert_int_equal(w.tv.cursor - w.tv.top, line);
	assert_int_equal(row_of(&w, "lower6000"), SIZE_MAX);
	assert_int_equal(row_of(&w, "lower2999"), SIZE_MAX);

	treeview_visit(&w.tv, w.tv.rows.v[row_of(&w, "upper6000")].node);
	treeview_open(&w.tv);
	assert_int_not_equal(row_of(&w, "lower6000"), SIZE_MAX);
	treeview_zoom(&w.tv);
	treeview_all(&w.tv, true);
	assert_int_equal(w.tv.least_open_ns, 0);
	assert_true(treeview_unzoom(&w.tv));
	assert_in_range(w.tv.rows.n, 8300, OPEN_ROWS_MAX);
	fini(&w);
}

/* All of it was open, until there was too much: what is on the screen stays. */
static void a_tree_that_grows_too_large_keeps_the_screen(void **state)
{
	struct world w;
	size_t line;

	init(&w);
	add_pairs(&w, 1, 0, 3000, 1);
	refresh(&w);
	treeview_all(&w.tv, true);
	assert_int_equal(w.tv.least_open_ns, 0);
	go(&w, "lower777");
	line = w.tv.cursor - w.tv.top;
	add_pairs(&w, 2, 3000, 8500, 2);
	refresh(&w);
	assert_true(w.tv.least_open_ns > 0);
	assert_string_equal(under_cursor(&w), "lower777");
	assert_int_equal(w.tv.cursor - w.tv.top, line);
	fini(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_a_very_large_tree_all_is_what_weighs_most),
		cmocka_unit_test(a_tree_that_grows_too_large_keeps_the_screen),
		cmocka_unit_test(the_hottest_path_is_open_at_first),
		cmocka_unit_test(what_opened_by_itself_stays_open),
		cmocka_unit_test(wide_and_deep_trees_do_not_flood_the_screen),
		cmocka_unit_test(the_line_stays_when_weights_change),
		cmocka_unit_test(what_opens_above_pushes_the_screen_not_the_line),
		cmocka_unit_test(names_that_arrive_move_nothing),
		cmocka_unit_test(frames_keep_their_place_when_names_arrive),
		cmocka_unit_test(a_zoom_survives_names_and_resets),
		cmocka_unit_test(random_refreshes_stay_put),
		cmocka_unit_test(random_lines_of_several_stay_put),
		cmocka_unit_test(very_deep_trees_are_fine),
		cmocka_unit_test(idle_waits_are_no_row),
		cmocka_unit_test(kinds_of_time_sort),
		cmocka_unit_test(relatives_are_a_key_away),
		cmocka_unit_test(the_hottest_path_ends_where_it_splits),
		cmocka_unit_test(the_hottest_path_is_that_of_the_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
