/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numa_facts.c - the schedule of NUMA work. Each process of the target has a card: its recent
 * activity, and the last survey of its memory. Every STATE_NS the kernel lists the target's
 * threads, the busiest processes are surveyed in turn, and everything known goes into a state.
 */
#include "config.h"

#include "engine/numa_facts.h"

#include "base/clock.h"
#include "base/order.h"
#include "base/sorted.h"
#include "base/text.h"
#include "base/vec.h"
#include "engine/data_access.h"
#include "engine/moves.h"
#include "numa/policy.h"
#include "system/cpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATE_NS (2 * NSEC_PER_SEC)
#define SETTLE_NS (500 * NSEC_PER_MSEC)  /* for answers, at the end */
#define SURVEYS 8u                       /* asked for at a time */
#define CARDS_MAX 4096u

struct card {
	pid_t pid;
	uint64_t start_ns;
	uint64_t weight;                 /* samples and faults since the last survey */
	uint64_t surveyed_ns;            /* when it was last asked about; 0 = never */
	bool listed;                     /* has threads, by the last list */
	struct numa_process memory;      /* moment_ns 0 = not known */
	char policy[NUMA_LIST_MAX];      /* of its first thread */
};

typedef VEC(struct numa_thread) thread_list;

struct numa_facts {
	struct numa_facts_config config;
	struct numa_topology topology;
	struct code *code;
	struct placement *placement;
	struct data_access *touch;
	struct moves *moves;
	bool on;
	uint64_t on_ns;                  /* since when */
	bool waiting;                    /* for answers */
	uint64_t stated_ns;
	VEC(struct card) cards;          /* by pid */
	thread_list threads;             /* of the last list that was not empty */
	uint64_t threads_left, processes_left;           /* of the last list: no room */
	uint64_t most_threads_left, most_processes_left; /* of all of them */
};

/* In the thread of code.h: once it may hang in a file, it needs nothing of PS any more. */
static int numa_facts_open_code(void *ctx, module_id module, struct err *e)
{
	struct processes *ps = ctx;

	return processes_open_code(ps, module, e);
}

static int numa_facts_build(struct numa_facts *n, struct err *e)
{
	struct dict *dict = profile_dict(n->config.profile);
	const struct code_config code = { .dict = dict, .open = numa_facts_open_code, .ctx = n->config.ps };
	const struct moves_config moves = { .dict = dict, .sink = n->config.sink, .ps = n->config.ps };
	struct data_access_config touch = { .dict = dict, .sink = n->config.sink };
	int r = topology_read(SYSTEM_DIR, &n->topology, e);

	r = r < 0 ? r : code_new(&code, &n->code, e);
	r = r == -EOPNOTSUPP ? 0 : r;    /* faults have their addresses all the same */
	r = r < 0 ? r : placement_new(&n->config.placement, &n->placement, e);
	touch.code = n->code;
	touch.placement = n->placement;
	r = r < 0 ? r : data_access_new(&touch, &n->touch, e);
	return r < 0 ? r : moves_new(&moves, &n->moves, e);
}

int numa_facts_new(const struct numa_facts_config *c, struct numa_facts **ret, struct err *e)
{
	AUTO(numa_facts_free) struct numa_facts *n = calloc(1, sizeof(*n));
	int r;

	if (!n)
		return err_nomem(e, "the engine");
	n->config = *c;
	r = numa_facts_build(n, e);
	if (r < 0)
		return r;
	*ret = take_ptr(n);
	return 0;
}

void numa_facts_free(struct numa_facts *n)
{
	if (!n)
		return;
	data_access_free(n->touch);
	moves_free(n->moves);
	placement_free(n->placement);
	code_free(n->code);
	for (size_t i = 0; i < n->cards.n; i++)
		numa_process_clear(&n->cards.v[i].memory);
	vec_free(&n->cards);
	vec_free(&n->threads);
	topology_free(&n->topology);
	free(n);
}

bool numa_facts_has_nodes(const struct numa_facts *n)
{
	return n->topology.nr > 1;
}

int numa_facts_set(struct numa_facts *n, bool on, struct err *e)
{
	int r;

	if (on == n->on)
		return 0;
	r = source_set_faults(n->config.source, on, e);
	if (r < 0)
		return r;
	n->on = on;
	n->on_ns = on ? clock_mono_ns() : 0;
	n->stated_ns = 0;        /* say so at once */
	return 0;
}

/* ---- cards ---- */

static struct card *card_of(struct numa_facts *n, pid_t pid)
{
	const size_t at = count_below(n->cards.v, n->cards.n, pid, pid);

	return at < n->cards.n && n->cards.v[at].pid == pid ? &n->cards.v[at] : NULL;
}

/* The card of a process that began at START_NS, made when there is none; NULL when there is no room. */
static struct card *make_card(struct numa_facts *n, pid_t pid, uint64_t start_ns)
{
	const size_t at = count_below(n->cards.v, n->cards.n, pid, pid);
	struct card *c = card_of(n, pid);

	if (!c) {
		if (n->cards.n >= CARDS_MAX || !vec_reserve(&n->cards, 1))
			return NULL;
		c = &n->cards.v[at];
		memmove(c + 1, c, (n->cards.n++ - at) * sizeof(*c));
		*c = (struct card){ .pid = pid, .start_ns = start_ns };
	} else if (c->start_ns != start_ns) {
		numa_process_clear(&c->memory);
		*c = (struct card){ .pid = pid, .start_ns = start_ns };
	}
	return c;
}

static void add_weight(struct numa_facts *n, pid_t pid)
{
	struct card *c = card_of(n, pid);

	if (c)
		c->weight++;
}

/* Those of processes that have ended. */
static void drop_cards(struct numa_facts *n)
{
	size_t left = 0;

	for (size_t i = 0; i < n->cards.n; i++) {
		if (n->cards.v[i].listed)
			n->cards.v[left++] = n->cards.v[i];
		else
			numa_process_clear(&n->cards.v[i].memory);
	}
	n->cards.n = left;
}

/* ---- what threads do ---- */

void numa_facts_sample(struct numa_facts *n, const struct raw_event *raw, const struct event *ev)
{
	if (!n->on)
		return;
	add_weight(n, raw->pid);
	data_access_sample(n->touch, raw, ev);
	n->waiting = true;
}

void numa_facts_fault(struct numa_facts *n, const struct raw_event *raw, const struct event *ev)
{
	if (!n->on)
		return;
	add_weight(n, raw->pid);
	data_access_fault(n->touch, raw, ev);
	n->waiting = true;
}

void numa_facts_wait(struct numa_facts *n, const struct raw_event *raw, const struct event *ev)
{
	const struct reconcile_task task = { .pid = raw->pid, .tid = raw->tid, .start_ns = raw->sample.start_ns };
	struct event move = *ev;

	/* A new thread was never anywhere else; what has no stack is told with the totals. */
	if (raw->wait.to_node == raw->node || raw->wait.to_node >= NODES_MAX || raw->wait.state == WAIT_NEW ||
	    ev->stack == ID_NONE)
		return;
	move.kind = EVENT_MIGRATION;
	move.flags = 0;
	move.weight = move.count = 1;
	move.wait = (struct event_wait){ .waker = ID_NONE };
	move.place = (struct event_place){ .node = (uint16_t)raw->wait.to_node, .file = ID_NONE };
	moves_told(n->moves, &task, &move);
}

void numa_facts_total(struct numa_facts *n, const struct source_total *t)
{
	moves_total(n->moves, t);
}

void numa_facts_totals_read(struct numa_facts *n, uint64_t time_ns)
{
	moves_settle(n->moves, time_ns, false);
}

/* ---- the state ---- */

static void take_home(void *ctx, const struct source_home *h)
{
	struct numa_facts *n = ctx;
	struct numa_thread *t;
	struct card *c = NULL;
	char policy[NUMA_LIST_MAX];

	policy_text(policy, sizeof(policy), h->policy, h->nodes, SOURCE_POLICY_NODES);
	if (h->pid == h->tid) {
		c = make_card(n, h->pid, h->start_ns);
		if (c) {
			c->listed = true;
			memcpy(c->policy, policy, sizeof(policy));
		} else {
			n->processes_left++;
		}
	}
	t = n->threads.n < NUMA_THREADS_MAX ? vec_push(&n->threads) : NULL;
	if (!t) {
		n->threads_left++;
		return;
	}
	*t = (struct numa_thread){ .pid = h->pid, .tid = h->tid, .start_ns = h->start_ns, .home = h->home,
				   .node = h->node };
	memcpy(t->policy, policy, sizeof(policy));
}

static void sort_threads(struct numa_facts *n)
{
	if (n->threads.n > 1)
		qsort(n->threads.v, n->threads.n, sizeof(n->threads.v[0]), numa_thread_order);
}

/* Lists them anew; what was listed before is given to RET_BEFORE. The result is that of source_homes(). */
static int list_again(struct numa_facts *n, thread_list *ret_before)
{
	int r;

	*ret_before = n->threads;
	n->threads = (thread_list){ 0 };
	n->threads_left = n->processes_left = 0;
	r = source_homes(n->config.source, take_home, n, NULL);
	sort_threads(n);
	return r;
}

static void list_threads(struct numa_facts *n)
{
	thread_list before;
	int r;

	for (size_t i = 0; i < n->cards.n; i++)
		n->cards.v[i].listed = false;
	r = list_again(n, &before);
	/* All have ended: that is when somebody wants to know what their memory was like. */
	if (r >= 0 && !n->threads.n) {
		n->threads = before;
		return;
	}
	/* What was listed before it failed is not all: nobody has ended for being left out. */
	if (r >= 0)
		drop_cards(n);
	vec_free(&before);
}

/* For the last time: those that have ended since stay as they were. */
static void list_last_threads(struct numa_facts *n)
{
	thread_list before;
	size_t listed;

	list_again(n, &before);
	listed = n->threads.n;
	for (size_t i = 0; i < before.n && n->threads.n < NUMA_THREADS_MAX; i++) {
		const struct numa_thread *old = &before.v[i];
		struct numa_thread *t = NULL;

		if (!listed || !bsearch(old, n->threads.v, listed, sizeof(*old), numa_thread_order))
			t = vec_push(&n->threads);
		if (t)
			*t = *old;
	}
	vec_free(&before);
	sort_threads(n);
}

static void take_surveys(struct numa_facts *n)
{
	struct numa_process p;
	struct card *c;

	while (placement_surveyed(n->placement, &p)) {
		c = card_of(n, p.pid);
		/* One that is ending has no memory any more: what it had is what is of interest. */
		if (c && c->start_ns == p.start_ns && (p.rss_bytes || !c->memory.moment_ns)) {
			numa_process_clear(&c->memory);
			c->memory = p;
		} else {
			numa_process_clear(&p);
		}
	}
}

static int compare_turns(const struct card *a, const struct card *b)
{
	return compare_numbers(a->surveyed_ns, b->surveyed_ns);
}

static int compare_weights(const struct card *a, const struct card *b)
{
	return compare_numbers(b->weight, a->weight);
}

/* Before others: those that have done most since they were last asked about. */
static int busiest_first(const void *va, const void *vb)
{
	const struct card *a = *(struct card *const *)va, *b = *(struct card *const *)vb;
	const int r = compare_weights(a, b);

	return r ? r : compare_turns(a, b);
}

/* Before others: those never asked about, then those that were not for longest. */
static int oldest_first(const void *va, const void *vb)
{
	const struct card *a = *(struct card *const *)va, *b = *(struct card *const *)vb;
	const int r = compare_turns(a, b);

	return r ? r : compare_weights(a, b);
}

/* Asks about the first SOME of the N at ORDER; returns how many that are. */
static size_t ask_first(struct numa_facts *n, struct card **order, size_t nr, size_t some, uint64_t now_ns,
			int (*compare)(const void *, const void *))
{
	size_t i = 0;

	qsort(order, nr, sizeof(order[0]), compare);
	for (; i < nr && i < some; i++) {
		placement_survey(n->placement, order[i]->pid, order[i]->start_ns);
		order[i]->surveyed_ns = now_ns;
		order[i]->weight = 0;
	}
	return i;
}

/* Half of them for what is busy, however many come and go; the other half for all in their turn, however idle. */
static void ask_surveys(struct numa_facts *n, uint64_t now_ns)
{
	AUTO_FREE struct card **order = malloc((n->cards.n + 1) * sizeof(*order));
	size_t asked;

	if (!order)
		return;
	for (size_t i = 0; i < n->cards.n; i++)
		order[i] = &n->cards.v[i];
	asked = ask_first(n, order, n->cards.n, SURVEYS / 2, now_ns, busiest_first);
	ask_first(n, order + asked, n->cards.n - asked, SURVEYS - asked, now_ns, oldest_first);
}

static bool copy_process(struct numa_state *s, const struct card *c)
{
	struct numa_process *p = vec_push(&s->process);

	if (!p)
		return false;
	*p = c->memory;
	p->resident.v = NULL;
	p->resident.n = p->resident.cap = 0;
	p->pid = c->pid;
	p->start_ns = c->start_ns;
	memcpy(p->policy, c->policy, sizeof(p->policy));
	for (size_t i = 0; i < c->memory.resident.n; i++) {
		struct numa_resident *r = vec_push(&p->resident);

		if (!r)
			return false;
		*r = c->memory.resident.v[i];
	}
	return true;
}

static int compare_rss(const void *va, const void *vb)
{
	const struct numa_process *a = va, *b = vb;

	if (a->rss_bytes != b->rss_bytes)
		return a->rss_bytes < b->rss_bytes ? 1 : -1;
	return compare_numbers(a->pid, b->pid);
}

/* The processes that are known, but no more than a state holds. */
static bool copy_processes(struct numa_facts *n, struct numa_state *s)
{
	for (size_t i = 0; i < n->cards.n; i++)
		if (n->cards.v[i].memory.moment_ns && !copy_process(s, &n->cards.v[i]))
			return false;
	if (s->process.n > 1)
		qsort(s->process.v, s->process.n, sizeof(s->process.v[0]), compare_rss);
	for (; s->process.n > NUMA_PROCESSES_MAX; n->processes_left++)
		numa_process_clear(&s->process.v[--s->process.n]);
	return true;
}

/* What found no room, at the worst moment: a figure that went back to none would be missed. */
static void count_left(struct numa_facts *n, struct numa_figures *ret)
{
	if (n->threads_left > n->most_threads_left)
		n->most_threads_left = n->threads_left;
	if (n->processes_left > n->most_processes_left)
		n->most_processes_left = n->processes_left;
	ret->threads_left = n->most_threads_left;
	ret->processes_left = n->most_processes_left;
}

static bool copy_threads(const struct numa_facts *n, struct numa_state *s)
{
	if (n->threads.n && !vec_reserve(&s->thread, n->threads.n))
		return false;
	for (size_t i = 0; i < n->threads.n; i++) {
		struct numa_thread *t = &s->thread.v[s->thread.n++];

		*t = n->threads.v[i];
		moves_of(n->moves, t->tid, t->start_ns, &t->moves, &t->kernel_moves);
	}
	return true;
}

static void make_state(struct numa_facts *n, uint64_t now_ns)
{
	AUTO(numa_state_unref) struct numa_state *s = numa_state_new();
	struct numa_topology fresh;

	n->stated_ns = now_ns;
	if (!s)
		return;
	/* Nodes come and go, and what is free of them changes. */
	if (!topology_read(SYSTEM_DIR, &fresh, NULL)) {
		topology_free(&n->topology);
		n->topology = fresh;
	}
	s->time_ns = now_ns;
	s->sampled = n->on;
	s->sampled_from_ns = n->on_ns;
	data_access_figures(n->touch, &s->figures);
	s->figures.balancing_faults = source_balancing_faults(n->config.source);
	moves_sum(n->moves, &s->figures.moves, &s->figures.kernel_moves);
	if (topology_copy(&s->topology, &n->topology, NULL) || !copy_threads(n, s) || !copy_processes(n, s))
		return;
	count_left(n, &s->figures);
	event_sink_numa(n->config.sink, s);
}

void numa_facts_turn(struct numa_facts *n, uint64_t now_ns)
{
	if (n->waiting)
		n->waiting = data_access_poll(n->touch);
	take_surveys(n);
	if (now_ns - n->stated_ns >= STATE_NS) {
		if (n->on || numa_facts_has_nodes(n))
			list_threads(n);
		else
			n->threads.n = 0;        /* what was listed once does not stay true */
		make_state(n, now_ns);
		if (n->on)
			ask_surveys(n, now_ns);
	}
}

void numa_facts_finish(struct numa_facts *n)
{
	const uint64_t until = clock_mono_ns() + SETTLE_NS;
	uint64_t now = clock_mono_ns();

	/* What a short recording knows of memory, and of where threads are, would be from its beginning otherwise. */
	if (n->on || numa_facts_has_nodes(n))
		list_last_threads(n);
	if (n->on)
		ask_surveys(n, now);
	moves_settle(n->moves, now, true);
	for (; (data_access_poll(n->touch) || placement_surveying(n->placement)) && now < until; now = clock_mono_ns())
		usleep(1000);
	data_access_give_up(n->touch);
	take_surveys(n);
	make_state(n, now);
}
