/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_flamelayout.c - where frames stand: in exact proportion, inside their parents, nothing lost
 * of what is too narrow.
 */
#include "config.h"

#include "base/clock.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"
#include "tests/unit/made.h"
#include "ui/panes/flamelayout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS NSEC_PER_MSEC

/* All with one root. */
static struct query everything(void)
{
	return (struct query){ .group_by = GROUP_NONE };
}

static void add(struct made *m, const char *stack, uint64_t weight)
{
	made_add(m, NSEC_PER_SEC, made_thread(m, 1, 1, "app"), stack, weight);
}

/* "label x+w" of each frame, ":" before the number of those that are merged. */
static void assert_frames(const struct tree *t, const struct flame_layout *l, const char *want)
{
	char text[1024] = "", label[LABEL_MAX];
	size_t n = 0;

	for (size_t i = 0; i < l->frame.n; i++) {
		const struct flame_frame *f = &l->frame.v[i];

		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", i ? ", " : "",
				      tree_label(t, f->node, label, sizeof(label)));
		if (f->merged > 1)
			n += (size_t)snprintf(text + n, sizeof(text) - n, ":%u", f->merged);
		n += (size_t)snprintf(text + n, sizeof(text) - n, " %u/%d+%d", f->level, f->x, f->w);
	}
	assert_string_equal(text, want);
}

static uint32_t node_called(const struct tree *t, const char *label)
{
	char text[LABEL_MAX];
	uint32_t i = 0;

	while (i < t->n && strcmp(tree_label(t, i, text, sizeof(text)), label) != 0)
		i++;
	assert_true(i < t->n);
	return i;
}

static void frames_are_as_wide_as_their_share(void **state)
{
	struct flame_layout l = { 0 };
	struct query q = everything();
	const struct tree *t;
	struct made m;

	made_init(&m, NULL);
	add(&m, "main;a;x", 30 * MS);
	add(&m, "main;a", 10 * MS);
	add(&m, "main;b", 40 * MS);
	add(&m, "start", 20 * MS);
	t = made_look(&m, &q);
	assert_true(flame_layout_make(&l, t, 0, 100, NODE_NONE));
	assert_frames(t, &l, "all 0/0+100, main 1/0+80, a 2/0+40, x 3/0+30, b 2/40+40, start 1/80+20");
	assert_int_equal(l.levels, 4);
	assert_int_equal(l.narrow_ns, 0);
	assert_int_equal(l.whole_ns, 100 * MS);
	assert_true(flame_layout_make(&l, t, 0, 7, NODE_NONE));
	assert_frames(t, &l, "all 0/0+7, main 1/0+5, a 2/0+2, x 3/0+2, b 2/2+3, start 1/5+2");
	assert_true(flame_layout_make(&l, t, node_called(t, "a"), 10, NODE_NONE));
	assert_frames(t, &l, "a 0/0+10, x 1/0+7");
	flame_layout_free(&l);
	made_free(&m);
}

/* Ten functions of which each takes 0.4 columns: together they have four. */
static void narrow_ones_are_merged(void **state)
{
	struct flame_layout l = { 0 };
	struct query q = everything();
	const struct tree *t;
	char stack[64];
	struct made m;

	made_init(&m, NULL);
	add(&m, "main;wide", 96 * MS);
	for (unsigned int i = 0; i < 10; i++) {
		snprintf(stack, sizeof(stack), "main;n%u;below", i);
		add(&m, stack, 4 * MS / 10);
	}
	t = made_look(&m, &q);
	assert_true(flame_layout_make(&l, t, 0, 100, NODE_NONE));
	assert_frames(t, &l, "all 0/0+100, main 1/0+100, wide 2/0+96, n0:10 2/96+4");
	assert_int_equal(l.narrow_ns, 4 * MS);
	assert_true(flame_layout_make(&l, t, 0, 20, NODE_NONE));         /* 0.8 of a column: nothing to see */
	assert_frames(t, &l, "all 0/0+20, main 1/0+20, wide 2/0+19, n0:10 2/19+1");
	assert_true(flame_layout_make(&l, t, 0, 1, NODE_NONE));
	assert_frames(t, &l, "all 0/0+1, main 1/0+1, wide:11 2/0+1");
	assert_int_equal(l.narrow_ns, 100 * MS);
	flame_layout_free(&l);
	made_free(&m);
}

/* Where the cursor is there is a frame, and what leads to it. */
static void what_is_kept_has_a_frame(void **state)
{
	struct flame_layout l = { 0 };
	struct query q = everything();
	const struct tree *t;
	char stack[64];
	struct made m;

	made_init(&m, NULL);
	add(&m, "main;wide", 96 * MS);
	for (unsigned int i = 0; i < 10; i++) {
		snprintf(stack, sizeof(stack), "main;n%u;below%u;end", i, i);
		add(&m, stack, 4 * MS / 10);
	}
	t = made_look(&m, &q);
	assert_true(flame_layout_make(&l, t, 0, 100, node_called(t, "below7")));
	assert_frames(t, &l, "all 0/0+100, main 1/0+100, wide 2/0+96, n7:10 2/96+4, below7 3/96+1");
	assert_int_equal(l.narrow_ns, 4 * MS);
	/* over the last column of another one */
	assert_true(flame_layout_make(&l, t, 0, 10, node_called(t, "n3")));
	assert_frames(t, &l, "all 0/0+10, main 1/0+10, wide 2/0+9, n3:10 2/9+1");
	assert_true(flame_layout_make(&l, t, 0, 1, node_called(t, "n3")));
	assert_frames(t, &l, "all 0/0+1, main 1/0+1, n3:11 2/0+1");
	flame_layout_free(&l);
	made_free(&m);
}

static void idle_waits_are_left_out(void **state)
{
	struct flame_layout l = { 0 };
	struct query q = everything();
	const struct tree *t;
	struct made m;

	made_init(&m, NULL);
	add(&m, "main;work", 40 * MS);
	made_wait(&m, NSEC_PER_SEC, made_thread(&m, 1, 1, "app"), "main;poll", EVENT_BLOCKED,
		  "epoll_wait", 'S', 960 * MS);
	made_wait(&m, NSEC_PER_SEC, made_thread(&m, 1, 1, "app"), "main;lock", EVENT_BLOCKED, "futex", 'S', 60 * MS);
	q.fold_idle = true;
	q.arch = MADE_ARCH;
	t = made_look(&m, &q);
	assert_int_equal(t->idle_ns, 960 * MS);
	assert_true(flame_layout_make(&l, t, 0, 100, NODE_NONE));
	assert_frames(t, &l, "all 0/0+100, main 1/0+100, lock 2/0+60, work 2/60+40");
	assert_int_equal(l.whole_ns, 100 * MS);
	assert_int_equal(l.narrow_ns, 0);
	flame_layout_free(&l);
	made_free(&m);
}

static void nothing_has_no_frames(void **state)
{
	struct flame_layout l = { 0 };
	struct query q = everything();
	struct made m;

	made_init(&m, NULL);
	assert_true(flame_layout_make(&l, made_look(&m, &q), 0, 100, NODE_NONE));
	assert_int_equal(l.frame.n, 0);
	assert_int_equal(l.levels, 0);
	assert_int_equal(flame_layout_at(&l, 0, 0), FLAME_NONE);
	flame_layout_free(&l);
	made_free(&m);
}

/* Random trees */

static void add_random(struct made *m, unsigned int *seed, unsigned int stacks)
{
	for (unsigned int i = 0; i < stacks; i++) {
		char stack[256] = "main";
		const int depth = rand_r(seed) % 9;
		size_t n = 4;

		for (int k = 0; k < depth; k++)
			n += (size_t)snprintf(stack + n, sizeof(stack) - n, ";f%d",
					      (rand_r(seed) % 30) * (rand_r(seed) % 30) / 40);
		add(m, stack, (uint64_t)(rand_r(seed) % 1000) * (uint64_t)(rand_r(seed) % 1000) + 1);
	}
}

static int exact(const struct flame_layout *l, int width, uint64_t ns)
{
	return (int)((unsigned __int128)ns * (unsigned int)width / l->whole_ns);
}

/*
 * The frames right below frame I: inside it, one beside the other, where they belong, and nothing
 * of its time is missing.
 */
static void check_children(const struct tree *t, const struct flame_layout *l, int width, uint32_t i, uint64_t from_ns,
			   bool kept)
{
	const struct flame_frame *f = &l->frame.v[i];
	uint64_t sum = 0;
	int x = f->x;

	for (uint32_t c = i + 1; c < f->end; c = l->frame.v[c].end) {
		const struct flame_frame *child = &l->frame.v[c];

		assert_int_equal(child->parent, i);
		assert_int_equal(child->level, f->level + 1);
		assert_int_equal(t->node[child->node].parent, f->node);
		assert_true(child->w >= 1 && child->x >= f->x && child->x + child->w <= f->x + f->w);
		if (child->merged == 1 && t->node[child->node].total_ns * (uint64_t)width >= l->whole_ns) {
			assert_true(child->x >= x);
			assert_int_equal(child->x, exact(l, width, from_ns + sum));
			assert_int_equal(child->x + child->w, exact(l, width, from_ns + sum + child->ns));
			assert_int_equal(child->ns, t->node[child->node].total_ns);
			check_children(t, l, width, c, from_ns + sum, kept);
			x = child->x + child->w;
		} else {
			assert_int_equal(child->end == c + 1 || kept, 1);
		}
		sum += child->ns;
	}
	/* What has no column of its own is missing only where it is less than one. */
	assert_true(sum + t->node[f->node].self_ns <= f->ns);
	if (!kept)
		assert_true((f->ns - sum - t->node[f->node].self_ns) * (uint64_t)width < l->whole_ns + (uint64_t)width);
}

static uint32_t slow_at(const struct flame_layout *l, int x, uint32_t level)
{
	uint32_t found = FLAME_NONE;

	for (uint32_t i = 0; i < l->frame.n; i++) {
		const struct flame_frame *f = &l->frame.v[i];

		if (f->level == level && x >= f->x && x < f->x + f->w)
			found = i;
	}
	return found;
}

static bool has_frame(const struct flame_layout *l, uint32_t node)
{
	for (size_t i = 0; i < l->frame.n; i++) {
		if (l->frame.v[i].node == node)
			return true;
	}
	return false;
}

static void random_trees(void **state)
{
	static const int widths[] = { 1, 2, 20, 79, 80, 133, 400, 4096 };

	for (unsigned int seed = 1; seed <= 12; seed++) {
		struct flame_layout l = { 0 };
		struct query q = everything();
		unsigned int random = seed;
		const struct tree *t;
		struct made m;

		made_init(&m, NULL);
		add_random(&m, &random, 40 * seed);
		t = made_look(&m, &q);
		for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
			const uint32_t keep = (uint32_t)rand_r(&random) % t->n,
				base = i % 2 ? 0 : t->node[0].first_child;

			assert_true(flame_layout_make(&l, t, base, widths[i], NODE_NONE));
			assert_true(l.frame.v[0].x == 0 && l.frame.v[0].w == widths[i] &&
				    l.frame.v[0].end == l.frame.n);
			check_children(t, &l, widths[i], 0, 0, false);
			assert_true(l.frame.n <= (size_t)widths[i] * l.levels);
			assert_true(flame_layout_make(&l, t, base, widths[i], keep));
			check_children(t, &l, widths[i], 0, 0, true);
			assert_true(has_frame(&l, keep) || t->node[keep].depth <= t->node[base].depth);
			for (unsigned int k = 0; k < 200; k++) {
				const int x = rand_r(&random) % (widths[i] + 1);
				const uint32_t level = (uint32_t)rand_r(&random) % (l.levels + 1);

				assert_int_equal(flame_layout_at(&l, x, level), slow_at(&l, x, level));
			}
		}
		flame_layout_free(&l);
		made_free(&m);
	}
}

/* As deep as call trees get; the stack of the program is not. */
static void deep_stacks(void **state)
{
	const uint32_t depth = 20000;
	AUTO_FREE char *stack = malloc(depth * 4ul + 8);
	struct flame_layout l = { 0 };
	struct query q = everything();
	const struct tree *t;
	struct made m;
	size_t n = 0;

	assert_non_null(stack);
	for (uint32_t i = 0; i < depth; i++)
		n += (size_t)sprintf(stack + n, i ? ";f%c" : "f%c", 'a' + (int)(i % 26));
	made_init(&m, NULL);
	add(&m, stack, 10 * MS);
	t = made_look(&m, &q);
	assert_true(flame_layout_make(&l, t, 0, 100, t->n - 1));
	assert_int_equal(l.levels, t->n);
	assert_int_equal(l.frame.v[l.frame.n - 1].level, t->n - 1);
	assert_int_equal(l.frame.v[l.frame.n - 1].w, 100);
	assert_int_equal(flame_layout_at(&l, 99, t->n - 1), t->n - 1);
	flame_layout_free(&l);
	made_free(&m);
}

static const struct tree *shared;

static bool try_layout(void)
{
	struct flame_layout l = { 0 };
	const bool ok = flame_layout_make(&l, shared, 0, 80, shared->n - 1);

	for (size_t i = 1; i < l.frame.n; i++)
		assert_true(l.frame.v[i].parent < i && l.frame.v[i].end > i && l.frame.v[i].end <= l.frame.n);
	flame_layout_free(&l);
	return ok;
}

static void out_of_memory(void **state)
{
	struct query q = everything();
	unsigned int seed = 7;
	struct made m;

	made_init(&m, NULL);
	add_random(&m, &seed, 200);
	shared = made_look(&m, &q);
	for (long n = 0; fail_alloc_round(n, try_layout); n++)
		;
	made_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_as_wide_as_their_share),
		cmocka_unit_test(narrow_ones_are_merged),
		cmocka_unit_test(what_is_kept_has_a_frame),
		cmocka_unit_test(idle_waits_are_left_out),
		cmocka_unit_test(nothing_has_no_frames),
		cmocka_unit_test(random_trees),
		cmocka_unit_test(deep_stacks),
		cmocka_unit_test(out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
