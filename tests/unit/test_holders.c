/* SPDX-License-Identifier: BSD-2-Clause */
/* test_holders.c - waits for locks of profiles made by hand, as what holders did: parts, chains, cycles, sums. */
#include "config.h"

#include "base/clock.h"
#include "query/holders.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/made.h"

#include <errno.h>
#include <string.h>

#define MS NSEC_PER_MSEC

/* A wait of MS of THREAD at STACK for the lock at ADDRESS, which HOLDER held. */
static void wait_for(struct made *m, uint64_t at_ms, thread_id thread, const char *stack, uint64_t address,
		     thread_id holder, uint64_t ms)
{
	const struct held_lock l = { .address = address, .holder = holder, .guess = LOCK_MUTEX };

	m->ev = (struct event){ .kind = EVENT_BLOCKED, .flags = EVENT_F_USER, .cut_module = ID_NONE,
				.time_ns = at_ms * MS, .weight = ms * MS, .thread = thread,
				.stack = made_stack(m, stack) };
	m->ev.wait = (struct event_wait){ .call = call_find("futex", MADE_ARCH), .state = WAIT_INTERRUPTIBLE,
					  .waker = ID_NONE, .own_ns = ms * MS, .lock = dict_lock(m->d, &l) };
	made_again(m);
}

static void rewrite(struct made *m, enum holders_view how)
{
	struct err e = ERR_INIT;

	assert_int_equal(holders_rewrite(m->p, m->names, MADE_ARCH, how, &e), 0);
}

/* The blocked time of the only path of T whose names are those of TEXT, outermost first, below the groups. */
static uint64_t at(const struct tree *t, const char *text)
{
	uint32_t node = 0;

	for (const char *name = text, *end; name; name = *end ? end + 1 : NULL) {
		uint32_t c = t->node[node].first_child;
		char label[LABEL_MAX];

		end = name + strcspn(name, ";");
		while (c != NODE_NONE) {
			tree_label(t, c, label, sizeof(label));
			if (strlen(label) == (size_t)(end - name) && !strncmp(label, name, (size_t)(end - name)))
				break;
			c = t->node[c].next_sibling;
		}
		if (c == NODE_NONE)
			return 0;
		node = c;
	}
	return t->node[node].total_ns;
}

static const struct tree *blocked(struct made *m)
{
	const struct query q = { .arch = MADE_ARCH, .measures = MEASURE_BIT(MEASURE_BLOCKED) };

	return made_look(m, &q);
}

#define TAKE "main;take;pthread_mutex_lock"

/* What the holder did in the same second, by how long, but not in another one. */
static void parts(struct made *m, enum holders_view how)
{
	const thread_id a = made_thread(m, 10, 11, "a"), b = made_thread(m, 10, 12, "b");

	wait_for(m, 1500, a, TAKE, 0x10, b, 400);
	made_add(m, 1400 * MS, b, "start;works", 300 * MS);
	made_wait(m, 1300 * MS, b, "start;reads", EVENT_BLOCKED, "read", 'S', 100 * MS);
	wait_for(m, 1350, b, "start;take_too;pthread_mutex_lock", 0x10, a, 200);
	made_add(m, 4500 * MS, b, "start;elsewhere", 300 * MS);
	rewrite(m, how);
}

static void below(void **state)
{
	struct made *m = *state;
	const struct tree *t;

	parts(m, HOLDERS_BELOW);
	t = blocked(m);
	assert_int_equal(at(t, TAKE), 400 * MS);
	assert_int_equal(at(t, TAKE ";[held by b, which ran];start;works"), 300 * MS);
	assert_int_equal(at(t, TAKE ";[held by b, which waited];start;reads"), 100 * MS);
	assert_int_equal(at(t, "start;reads"), 100 * MS);
	/* And that of the other one, who did nothing else. */
	assert_int_equal(at(t, "start;take_too;pthread_mutex_lock;[held by a]"), 200 * MS);
	assert_int_equal(t->node[0].total_ns, 700 * MS);
}

static void alone(void **state)
{
	struct made *m = *state;
	const struct tree *t;

	parts(m, HOLDERS_ALONE);
	t = blocked(m);
	assert_int_equal(at(t, "start;works"), 300 * MS);
	assert_int_equal(at(t, "start;reads"), 100 * MS);
	assert_int_equal(t->node[0].total_ns, 600 * MS);
}

/* Down a chain of three, and round a cycle of three once. */
static void chains(void **state)
{
	struct made *m = *state;
	const thread_id t[3] = { made_thread(m, 10, 11, "a"), made_thread(m, 10, 12, "b"),
				 made_thread(m, 10, 13, "c") };
	const struct tree *tree;

	wait_for(m, 1500, t[0], "a;pthread_mutex_lock", 0x10, t[1], 400);
	wait_for(m, 1500, t[1], "b;pthread_mutex_lock", 0x20, t[2], 400);
	made_wait(m, 1500 * MS, t[2], "c;sleeps", EVENT_BLOCKED, "pause", 'S', 400 * MS);
	wait_for(m, 5500, t[0], "d;pthread_mutex_lock", 0x10, t[1], 300);
	wait_for(m, 5500, t[1], "e;pthread_mutex_lock", 0x20, t[2], 300);
	wait_for(m, 5500, t[2], "f;pthread_mutex_lock", 0x30, t[0], 300);
	rewrite(m, HOLDERS_BELOW);
	tree = blocked(m);
	assert_int_equal(at(tree, "a;pthread_mutex_lock;[held by b, which waited];b;pthread_mutex_lock;"
			    "[held by c, which waited];c;sleeps"), 400 * MS);
	assert_int_equal(at(tree, "d;pthread_mutex_lock;[held by b, which waited];e;pthread_mutex_lock;"
			    "[held by c, which waited];f;pthread_mutex_lock;[held by a, which is above]"), 300 * MS);
	assert_int_equal(tree->node[0].total_ns, 2100 * MS);
}

/* Whoever is not known to have held it: the waits are still there. */
static void not_known(void **state)
{
	struct made *m = *state;
	const thread_id a = made_thread(m, 10, 11, "a");

	wait_for(m, 1500, a, TAKE, 0x10, ID_NONE, 400);
	made_wait(m, 1500 * MS, a, "main;reads", EVENT_BLOCKED, "read", 'S', 100 * MS);
	rewrite(m, HOLDERS_ALONE);
	assert_int_equal(blocked(m)->node[0].total_ns, 400 * MS);
	assert_int_equal(at(blocked(m), "[waits whose holder is not known]"), 400 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(below),
		MADE_TEST(alone),
		MADE_TEST(chains),
		MADE_TEST(not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
