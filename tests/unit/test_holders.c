/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_holders.c - what waits of profiles made by hand were for: parts, chains, cycles and sums of what holders did;
 * and critical paths.
 */
#include "config.h"

#include "base/clock.h"
#include "query/critical.h"
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

/* The same without rewriting, whichever way the tree stands: inverted, what a holder did last is outermost. */
static void inverted(void **state)
{
	struct made *m = *state;
	struct query q = { .arch = MADE_ARCH, .measures = MEASURE_BIT(MEASURE_BLOCKED), .holders = true };
	const thread_id t[3] = { made_thread(m, 10, 11, "a"), made_thread(m, 10, 12, "b"),
				 made_thread(m, 10, 13, "c") };
	static const char forth[] = "a;pthread_mutex_lock;[held by b, which waited];b;b;pthread_mutex_lock;"
				    "[held by c, which waited];c;sleeps";
	static const char back[] = "sleeps;c;[held by c, which waited];pthread_mutex_lock;b;b;"
				   "[held by b, which waited];pthread_mutex_lock;a";
	static const char folded[] = "sleeps;c;[held by c, which waited];pthread_mutex_lock;b;"
				     "[held by b, which waited];pthread_mutex_lock;a";

	wait_for(m, 1500, t[0], "a;pthread_mutex_lock", 0x10, t[1], 400);
	wait_for(m, 1500, t[1], "b;b;pthread_mutex_lock", 0x20, t[2], 400);
	made_wait(m, 1500 * MS, t[2], "c;sleeps", EVENT_BLOCKED, "pause", 'S', 400 * MS);
	assert_int_equal(at(made_look(m, &q), forth), 400 * MS);
	q.inverted = true;
	assert_int_equal(at(made_look(m, &q), back), 400 * MS);
	assert_int_equal(made_look(m, &q)->node[0].total_ns, 1200 * MS);
	q.fold_recursion = true;
	assert_int_equal(at(made_look(m, &q), folded), 400 * MS);
	/* No node for each: nothing is lost of the sum. */
	q.max_nodes = 4;
	assert_int_equal(made_look(m, &q)->node[0].total_ns, 1200 * MS);
}

/* Of a holder that did nothing that is known: where it ended the wait. */
static void let_go(void **state)
{
	struct made *m = *state;
	const struct query q = { .arch = MADE_ARCH, .measures = MEASURE_BIT(MEASURE_BLOCKED), .holders = true };
	const thread_id a = made_thread(m, 10, 11, "a"), b = made_thread(m, 10, 12, "b"),
			c = made_thread(m, 10, 13, "c");

	wait_for(m, 1500, a, TAKE, 0x10, b, 400);
	m->ev.wait.context = WAKER_TASK;
	m->ev.wait.waker = b;
	m->ev.wait.waker_stack = made_stack(m, "start;gives;pthread_mutex_unlock");
	made_again(m);
	/* Another one's stack says nothing of it. */
	m->ev.wait.waker = c;
	made_again(m);
	assert_int_equal(at(made_look(m, &q), TAKE ";[held by b, released in];start;gives;pthread_mutex_unlock"),
			 400 * MS);
	assert_int_equal(at(made_look(m, &q), TAKE ";[held by b]"), 800 * MS);
}

/* A pipe: who ended the wait, and what that did. */
static void other_end(void **state)
{
	const struct held_lock pipe = { .address = 4711, .holder = ID_NONE, .guess = LOCK_PIPE_READ };
	const struct held_lock unix_socket = { .address = 4712, .holder = made_thread(*state, 12, 12, "peer"),
					       .guess = LOCK_SOCKET_READ };
	struct made *m = *state;
	const struct query q = { .arch = MADE_ARCH, .measures = MEASURE_BIT(MEASURE_BLOCKED), .holders = true };
	const thread_id a = made_thread(m, 10, 10, "a"), b = made_thread(m, 11, 11, "b");

	made_wait(m, 1500 * MS, a, "main;reads", EVENT_BLOCKED, "read", 'S', 400 * MS);
	m->ev.wait.lock = dict_lock(m->d, &pipe);
	m->ev.wait.context = WAKER_TASK;
	m->ev.wait.waker = b;
	profile_clear(m->p);
	made_again(m);
	made_add(m, 1400 * MS, b, "start;works", 300 * MS);
	assert_int_equal(at(made_look(m, &q), "main;reads;[other end: b, which ran];start;works"), 400 * MS);
	/* Who ends it says more than which process made the other end; that one is known before. */
	profile_clear(m->p);
	made_wait(m, 1500 * MS, a, "main;reads", EVENT_BLOCKED, "read", 'S', 400 * MS);
	m->ev.wait.lock = dict_lock(m->d, &unix_socket);
	profile_clear(m->p);
	made_again(m);
	assert_int_equal(at(made_look(m, &q), "main;reads;[other end: peer]"), 400 * MS);
	/* Waits for what has no holder are none for a lock. */
	profile_clear(m->p);
	m->ev.wait.lock = dict_lock(m->d, &pipe);
	made_again(m);
	rewrite(m, HOLDERS_ALONE);
	assert_int_equal(blocked(m)->node[0].total_ns, 0);
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

/* ---- critical paths ---- */

static struct event told[64];
static unsigned int nr_told;

static void tell(const struct made *m)
{
	assert_true(nr_told < sizeof(told) / sizeof(told[0]));
	told[nr_told++] = m->ev;
}

/* THREAD was in a wait of KIND at STACK from FROM_MS to TO_MS, which CONTEXT, or WAKER, ended. */
static void waited(struct made *m, thread_id thread, const char *stack, enum event_kind kind, const char *call,
		   uint64_t from_ms, uint64_t to_ms, enum waker_context context, thread_id waker)
{
	made_wait(m, to_ms * MS, thread, stack, kind, call, 'S', (to_ms - from_ms) * MS);
	m->ev.wait.own_ns = (to_ms - from_ms) * MS;
	m->ev.wait.context = (uint8_t)context;
	m->ev.wait.waker = waker;
	tell(m);
}

/* THREAD ran at STACK: a sample of MS at AT_MS. */
static void ran(struct made *m, thread_id thread, const char *stack, uint64_t at_ms, uint64_t ms)
{
	made_add(m, at_ms * MS, thread, stack, ms * MS);
	tell(m);
}

/* The paths of THREAD's spans from FROM_MS to TO_MS of all that was told, in a tree of all time. */
static const struct tree *path(struct made *m, thread_id thread, const uint64_t (*span)[2], size_t n, unsigned int keep,
			       struct critical_figures *ret)
{
	const struct query q = { .arch = MADE_ARCH, .measures = MEASURES_WALL };
	struct err e = ERR_INIT;
	AUTO(critical_free) struct critical *c = critical_new(m->p, m->names, MADE_ARCH);

	assert_non_null(c);
	for (unsigned int i = nr_told; i--;)
		assert_true(critical_event(c, &told[i]));
	nr_told = 0;
	assert_true(critical_ready(c));
	for (size_t i = 0; i < n; i++)
		assert_true(critical_span(c, thread, span[i][0] * MS, span[i][1] * MS));
	critical_keep_slowest(c, keep);
	assert_int_equal(critical_write(c, ret, &e), 0);
	return made_look(m, &q);
}

/* A request computes, and hands work to a thread that waits for a lock with whose holder sleeps. */
static void request(struct made *m, thread_id t[3], uint64_t at)
{
	const struct held_lock l = { .address = 0x10, .holder = t[2], .guess = LOCK_MUTEX };

	ran(m, t[0], "handle;compute", at + 19, 20);
	waited(m, t[0], "handle;sem_wait", EVENT_BLOCKED, "futex", at + 20, at + 100, WAKER_TASK, t[1]);
	waited(m, t[0], "handle;sem_wait", EVENT_RUNNABLE, "futex", at + 100, at + 105, WAKER_TASK, t[1]);
	waited(m, t[1], "serve;sem_wait", EVENT_BLOCKED, "futex", at, at + 20, WAKER_TASK, t[0]);
	waited(m, t[1], "serve;sem_wait", EVENT_RUNNABLE, "futex", at + 20, at + 22, WAKER_TASK, t[0]);
	waited(m, t[1], "serve;pthread_mutex_lock", EVENT_BLOCKED, "futex", at + 23, at + 70, WAKER_TASK, t[2]);
	told[nr_told - 1].wait.lock = dict_lock(m->d, &l);
	ran(m, t[1], "serve;works", at + 90, 30 + 1);
	waited(m, t[2], "keep;naps", EVENT_BLOCKED, "clock_nanosleep", at + 5, at + 69, WAKER_HARDIRQ, ID_NONE);
	ran(m, t[2], "keep;wakes", at + 70, 1);
}

static void handed_on(void **state)
{
	struct made *m = *state;
	thread_id t[3] = { made_thread(m, 10, 11, "request"), made_thread(m, 10, 12, "worker"),
			   made_thread(m, 10, 13, "keeper") };
	struct critical_figures f;
	const struct tree *tree;

	request(m, t, 1000);
	tree = path(m, t[0], (const uint64_t[][2]){ { 1000, 1105 } }, 1, 0, &f);
	assert_int_equal(f.spans, 1);
	assert_int_equal(f.ns, 105 * MS);
	assert_int_equal(tree->node[0].total_ns, 105 * MS);
	assert_int_equal(at(tree, "handle;compute"), 20 * MS);
	assert_int_equal(at(tree, "handle;sem_wait;[run queue]"), 5 * MS);
	assert_int_equal(at(tree, "handle;sem_wait;[woken by worker, which ran];serve;works"), 31 * MS);
	assert_int_equal(at(tree, "handle;sem_wait;[woken by worker, in the run queue];serve;sem_wait;[run queue]"),
			 2 * MS);
	assert_int_equal(at(tree, "handle;sem_wait;[woken by worker, which waited];serve;pthread_mutex_lock;"
			    "[held by keeper, which waited];keep;naps;[timer]"), 46 * MS);
	assert_int_equal(f.ran_ns, (20 + 31 + 1) * MS);
	assert_int_equal(f.queued_ns, 7 * MS);
	for (int i = 0; i < CRITICAL_UNKNOWNS; i++)
		assert_int_equal(f.unknown_ns[i], 0);
}

/* Of two requests the slower one, whatever ran in the other one's time. */
static void slowest(void **state)
{
	struct made *m = *state;
	thread_id t[3] = { made_thread(m, 10, 11, "request"), made_thread(m, 10, 12, "worker"),
			   made_thread(m, 10, 13, "keeper") };
	struct critical_figures f;

	request(m, t, 1000);
	request(m, t, 3000);
	path(m, t[0], (const uint64_t[][2]){ { 1000, 1105 }, { 3000, 3100 } }, 2, 1, &f);
	assert_int_equal(f.spans, 1);
	assert_int_equal(f.ns, 105 * MS);
}

/* A mutex that goes from hand to hand: each who had it stands below the wait, not below the one after it. */
static void in_turns(void **state)
{
	struct made *m = *state;
	const thread_id a = made_thread(m, 10, 11, "a"), b = made_thread(m, 10, 12, "b"),
			c = made_thread(m, 10, 13, "c");
	const struct held_lock by_c = { .address = 0x10, .holder = c, .guess = LOCK_MUTEX };
	struct critical_figures f;
	const struct tree *tree;

	waited(m, a, TAKE, EVENT_BLOCKED, "futex", 1000, 1100, WAKER_TASK, b);
	told[nr_told - 1].wait.lock = dict_lock(m->d, &by_c);
	waited(m, b, TAKE, EVENT_BLOCKED, "futex", 1000, 1060, WAKER_TASK, c);
	told[nr_told - 1].wait.lock = dict_lock(m->d, &by_c);
	ran(m, b, "main;has_it", 1080, 40);
	ran(m, c, "main;had_it", 1030, 60);
	waited(m, c, "main;ends", EVENT_BLOCKED, "pause", 1060, 1100, WAKER_UNKNOWN, ID_NONE);
	tree = path(m, a, (const uint64_t[][2]){ { 1000, 1100 } }, 1, 0, &f);
	assert_int_equal(at(tree, TAKE ";[held by b, which ran];main;has_it"), 40 * MS);
	assert_int_equal(at(tree, TAKE ";[held by c, which ran];main;had_it") +
			 at(tree, TAKE ";[held by c];[nothing is known of this time]"), 60 * MS);
	assert_int_equal(tree->node[0].total_ns, 100 * MS);
}

/* A wait that was told in pieces, each with who held the lock then, and nobody who ended it. */
static void in_pieces(void **state)
{
	struct made *m = *state;
	const thread_id a = made_thread(m, 10, 11, "a"), b = made_thread(m, 10, 12, "b"),
			c = made_thread(m, 10, 13, "c");
	const struct held_lock by_b = { .address = 0x10, .holder = b, .guess = LOCK_MUTEX },
			       by_c = { .address = 0x10, .holder = c, .guess = LOCK_MUTEX };
	struct critical_figures f;
	const struct tree *tree;

	waited(m, a, TAKE, EVENT_BLOCKED, "futex", 1000, 1030, WAKER_UNKNOWN, ID_NONE);
	told[nr_told - 1].wait.lock = dict_lock(m->d, &by_c);
	waited(m, a, TAKE, EVENT_BLOCKED, "futex", 1030, 1100, WAKER_UNKNOWN, ID_NONE);
	told[nr_told - 1].wait.lock = dict_lock(m->d, &by_b);
	waited(m, b, "b;naps", EVENT_BLOCKED, "clock_nanosleep", 1000, 1100, WAKER_HARDIRQ, ID_NONE);
	waited(m, c, "c;naps", EVENT_BLOCKED, "clock_nanosleep", 1000, 1100, WAKER_HARDIRQ, ID_NONE);
	tree = path(m, a, (const uint64_t[][2]){ { 1000, 1100 } }, 1, 0, &f);
	assert_int_equal(at(tree, TAKE ";[held by c, which waited];c;naps;[timer]"), 30 * MS);
	assert_int_equal(at(tree, TAKE ";[held by b, which waited];b;naps;[timer]"), 70 * MS);
}

/* What is not known is said: who ended a wait, waits that were added up, threads that were not recorded. */
static void path_not_known(void **state)
{
	struct made *m = *state;
	const thread_id a = made_thread(m, 10, 11, "a"), other = made_thread(m, 20, 21, "other");
	struct critical_figures f;
	const struct tree *tree;

	waited(m, a, "main;poll", EVENT_BLOCKED, "futex", 1000, 1010, WAKER_UNKNOWN, ID_NONE);
	waited(m, a, "main;reads", EVENT_BLOCKED, "read", 1010, 1030, WAKER_TASK, other);
	/* Three of 10 ms in all, of which one is told, before 20 ms of running. */
	made_wait(m, 1100 * MS, a, "main;naps", EVENT_BLOCKED, "clock_nanosleep", 'S', 10 * MS);
	m->ev.wait.own_ns = 4 * MS;
	m->ev.flags |= EVENT_F_EXTRAPOLATED;
	tell(m);
	ran(m, a, "main;works", 1060, 60);
	tree = path(m, a, (const uint64_t[][2]){ { 1000, 1100 } }, 1, 0, &f);
	assert_int_equal(tree->node[0].total_ns, 100 * MS);
	assert_int_equal(at(tree, "main;poll;[who ended this wait is not known]"), 10 * MS);
	assert_int_equal(at(tree, "main;reads;[woken by other, which was not recorded]"), 20 * MS);
	assert_int_equal(at(tree, "main;naps;[timer]"), 4 * MS);
	/* 66 ms that no wait covers: 60 ran, 6 were in waits that were added up. */
	assert_in_range(at(tree, "[waits that were too short to be told one by one]"), 6 * MS - 9, 6 * MS + 9);
	assert_in_range(at(tree, "main;works"), 60 * MS - 9, 60 * MS + 9);
	assert_int_equal(f.unknown_ns[CRITICAL_WAKER], 10 * MS);
	assert_int_equal(f.unknown_ns[CRITICAL_NOTHING], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(below),
		MADE_TEST(alone),
		MADE_TEST(chains),
		MADE_TEST(inverted),
		MADE_TEST(let_go),
		MADE_TEST(other_end),
		MADE_TEST(not_known),
		MADE_TEST(handed_on),
		MADE_TEST(slowest),
		MADE_TEST(in_turns),
		MADE_TEST(in_pieces),
		MADE_TEST(path_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
