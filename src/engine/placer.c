/* SPDX-License-Identifier: BSD-2-Clause */
/* placer.c - see placer.h. */
#include "config.h"

#include "engine/placer.h"

#include "base/clock.h"
#include "base/parse.h"
#include "base/thread.h"
#include "base/vec.h"
#include "bpf/wire.h"
#include "model/probes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PROCESSES_MAX 65536u     /* of a target, that are followed */

/* A file of a process that was looked into. */
struct done {
	pid_t pid;
	struct placing_file file;
};

/* What was placed in a process. */
struct placed {
	pid_t pid;
	struct links *links;     /* NULL = nothing */
	uint64_t probes;         /* which, by their number, as a mask */
};

/* A process to be looked at. */
struct asked {
	uint32_t pid;
	bool born;               /* it is new: what is known under its number is of another one */
	uint64_t since_ns;       /* when it came to have what may be probed, CLOCK_MONOTONIC */
};

struct placer {
	const struct placing *what;
	struct source *source;
	u32_vec targets;         /* the engine's thread: processes of the target */
	pthread_t thread;
	bool running;

	/* The placer's thread, or whoever calls placer_new(). */
	VEC(struct done) done;
	VEC(struct placed) placed;
	pid_t pid;               /* that is being looked at, */
	const struct link_places *places;        /* of that what is being placed, */
	uint32_t refused[PROBES_MAX];            /* of these places, those that the kernel refused, */
	struct probe_places found[PROBES_MAX];   /* and what came of each probe in that process */

	pthread_mutex_t lock;    /* protects what follows */
	pthread_cond_t wake;
	VEC(struct asked) asked;
	bool stop;
	struct placer_figures figures;
};

static bool placer_wants(void *ctx, const struct placing_file *f)
{
	struct placer *p = ctx;
	struct done *at;

	for (size_t i = 0; i < p->done.n; i++)
		if (p->done.v[i].pid == p->pid && !memcmp(&p->done.v[i].file, f, sizeof(*f)))
			return false;
	at = vec_push(&p->done);
	if (at)
		*at = (struct done){ p->pid, *f };
	return at;
}

/* The number of the probe that place I of PLACES is of. */
static uint32_t placer_probe(const struct link_places *places, uint32_t i)
{
	return SB_COOKIE_PROBE(places->cookie[i]) - SB_PROBE_PLACED;
}

static void placer_failed(void *ctx, uint32_t place, const struct err *e)
{
	struct placer *p = ctx;
	const uint32_t probe = place < p->places->n ? placer_probe(p->places, place) : PROBE_NONE;

	(void)e;
	if (probe < PROBES_MAX)
		p->refused[probe]++;
	pthread_mutex_lock(&p->lock);
	p->figures.failed++;
	pthread_mutex_unlock(&p->lock);
}

/* Takes note of what has become of PLACES, whose links, as far as there are some, are AT's. */
static void placer_count(struct placer *p, const struct link_places *places, struct placed *at)
{
	for (uint32_t i = 0; i < places->n; i++) {
		const uint32_t probe = placer_probe(places, i);

		if (probe >= PROBES_MAX)
			continue;
		if (!at->links || p->refused[probe]) {
			p->refused[probe] -= p->refused[probe] > 0;
			p->found[probe].failed++;
		} else {
			p->found[probe].sites++;
			at->probes |= (uint64_t)1 << probe;
		}
	}
}

static void placer_place(void *ctx, const struct placing_file *f, const struct link_places *places)
{
	struct placer *p = ctx;
	struct placed *at = vec_push(&p->placed);
	int n;

	(void)f;
	if (!at)
		return;
	*at = (struct placed){ .pid = p->pid };
	p->places = places;
	memset(p->refused, 0, sizeof(p->refused));
	n = source_place(p->source, places, placer_failed, p, &at->links, NULL);
	/* What is followed to its end is one place. */
	if (places->of != LINK_OF_ENDS)
		placer_count(p, places, at);
	pthread_mutex_lock(&p->lock);
	p->figures.failed += n < 0 ? places->n : 0;
	p->figures.places += n > 0 && places->of != LINK_OF_ENDS ? (uint32_t)n : 0;
	pthread_mutex_unlock(&p->lock);
}

/* The probes that PID has places of, as a mask. */
static uint64_t placer_probes_of(const struct placer *p, pid_t pid)
{
	uint64_t r = 0;

	for (size_t i = 0; i < p->placed.n; i++)
		r |= p->placed.v[i].pid == pid ? p->placed.v[i].probes : 0;
	return r;
}

/*
 * Says of each probe what was placed in a process that HAD places of some, and has had what is probed
 * since SINCE_NS; 0 = since before the capture.
 */
static void placer_tell(struct placer *p, uint64_t had, uint64_t since_ns)
{
	const uint64_t now = clock_mono_ns();

	for (uint32_t probe = 0; probe < PROBES_MAX; probe++) {
		struct probe_places *found = &p->found[probe];

		found->processes = found->sites && !(had >> probe & 1);
		found->unseen_ns = found->sites && since_ns && since_ns < now ? now - since_ns : 0;
		probes_note_places(probe, found);
	}
}

static void placer_look(struct placer *p, pid_t pid, uint64_t since_ns)
{
	const struct placing_visitor v = { placer_wants, placer_place, p };
	const uint64_t had = placer_probes_of(p, pid);
	uint32_t before = p->figures.places;

	p->pid = pid;
	memset(p->found, 0, sizeof(p->found));
	(void)placing_look(p->what, pid, &v, NULL);
	placer_tell(p, had, since_ns);
	pthread_mutex_lock(&p->lock);
	p->figures.processes += p->figures.places > before;
	pthread_mutex_unlock(&p->lock);
}

/* The process that had the number PID is gone, and so are its places. */
static void placer_clear(struct placer *p, pid_t pid)
{
	for (size_t i = p->done.n; i--;)
		if (p->done.v[i].pid == pid)
			p->done.v[i] = p->done.v[--p->done.n];
	for (size_t i = p->placed.n; i--;)
		if (p->placed.v[i].pid == pid) {
			links_drop(p->placed.v[i].links);
			p->placed.v[i] = p->placed.v[--p->placed.n];
		}
}

static void *placer_main(void *arg)
{
	struct placer *p = arg;

	pthread_setname_np(pthread_self(), "sberf-placer");
	pthread_mutex_lock(&p->lock);
	while (!p->stop) {
		struct asked next;

		if (!p->asked.n) {
			pthread_cond_wait(&p->wake, &p->lock);
			continue;
		}
		next = p->asked.v[0];
		memmove(p->asked.v, p->asked.v + 1, --p->asked.n * sizeof(*p->asked.v));
		pthread_mutex_unlock(&p->lock);
		if (next.born)
			placer_clear(p, (pid_t)next.pid);
		placer_look(p, (pid_t)next.pid, next.since_ns);
		pthread_mutex_lock(&p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static bool placer_has(const u32_vec *v, uint32_t pid)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->v[i] == pid)
			return true;
	return false;
}

static void placer_follow(struct placer *p, uint32_t pid)
{
	if (p->targets.n < PROCESSES_MAX && !placer_has(&p->targets, pid) && vec_reserve(&p->targets, 1))
		p->targets.v[p->targets.n++] = pid;
}

static void placer_ask(struct placer *p, uint32_t pid, bool born, uint64_t since_ns)
{
	bool known = false;

	pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < p->asked.n && !born; i++)
		known |= p->asked.v[i].pid == pid;
	if (!known && p->asked.n < PROCESSES_MAX && vec_reserve(&p->asked, 1)) {
		p->asked.v[p->asked.n++] = (struct asked){ pid, born, since_ns };
		pthread_cond_signal(&p->wake);
	}
	pthread_mutex_unlock(&p->lock);
}

static void placer_forget(struct placer *p, uint32_t pid)
{
	for (size_t i = 0; i < p->targets.n; i++)
		if (p->targets.v[i] == pid) {
			p->targets.v[i] = p->targets.v[--p->targets.n];
			return;
		}
}

void placer_event(struct placer *p, const struct raw_event *ev)
{
	const uint32_t pid = (uint32_t)ev->pid;

	switch (ev->kind) {
	case RAW_FORK:
		if (ev->pid == ev->fork.ppid || !placer_has(&p->targets, (uint32_t)ev->fork.ppid))
			return;
		placer_follow(p, pid);
		placer_ask(p, pid, true, ev->time_ns);
		return;
	case RAW_MMAP:
		if (ev->mmap.prot & PROT_EXEC && placer_has(&p->targets, pid))
			placer_ask(p, pid, false, ev->time_ns);
		return;
	case RAW_EXIT:
		if (ev->pid == ev->tid)
			placer_forget(p, pid);
		return;
	default:
		return;
	}
}

void placer_figures(struct placer *p, struct placer_figures *ret)
{
	pthread_mutex_lock(&p->lock);
	*ret = p->figures;
	pthread_mutex_unlock(&p->lock);
}

int placer_new(const struct placing *what, struct source *source, const uint32_t *pids, size_t n, struct placer **ret,
	       struct err *e)
{
	AUTO(placer_free) struct placer *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return err_nomem(e, "probes");
	p->what = what;
	p->source = source;
	thread_mutex_init(&p->lock);
	thread_cond_init(&p->wake);
	for (size_t i = 0; i < n; i++) {
		placer_follow(p, pids[i]);
		placer_look(p, (pid_t)pids[i], 0);
	}
	r = pthread_create(&p->thread, NULL, placer_main, p);
	if (r)
		return err_set(e, r, "cannot start the thread that places probes: %s", strerror(r));
	p->running = true;
	*ret = take_ptr(p);
	return 0;
}

void placer_free(struct placer *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_signal(&p->wake);
	pthread_mutex_unlock(&p->lock);
	if (p->running)
		pthread_join(p->thread, NULL);
	for (size_t i = 0; i < p->placed.n; i++)
		links_drop(p->placed.v[i].links);
	vec_free(&p->placed);
	vec_free(&p->done);
	vec_free(&p->asked);
	vec_free(&p->targets);
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
