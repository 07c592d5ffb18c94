/* SPDX-License-Identifier: BSD-2-Clause */
/* placer.c - see placer.h. */
#include "config.h"

#include "engine/placer.h"

#include "base/clock.h"
#include "base/parse.h"
#include "base/text.h"
#include "base/thread.h"
#include "base/vec.h"
#include "bpf/wire.h"
#include "engine/budget.h"
#include "engine/growth_facts.h"
#include "engine/unseen.h"
#include "model/probes.h"
#include "probe/catalog.h"
#include "system/lookup.h"

#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PROCESSES_MAX 65536u     /* of a target, that are followed */
#define TIMED_ENOUGH 16u         /* hits that were timed, to know what one costs */
#define UNTIMED_NS 60u           /* what a program in the kernel takes before it is timed, of a call at its entry */

/* Probes that are placed together: those of the command line, or one that was added later. */
struct probe_set {
	const struct placing *what;
	struct placing *own;     /* the same when it is the placer's; NULL */
	uint64_t off;            /* those that were taken off, by their number, as a mask */
};

/* A file of a process that was looked into for a set. */
struct done {
	const struct placing *what;
	pid_t pid;
	bool own;                /* of a process that is called as a probe says */
	struct placing_file file;
};

/* What is to be placed in a file of a process: a set of places that it owns. */
struct placed {
	const struct placing *what;
	struct placing_file file;
	pid_t pid;
	struct link_places places;       /* its arrays are at OFFSET, one behind the other */
	int fd;                  /* of the file, when it may outlive the process: path is by it; else -1 */
	char *path;
	uint64_t *offset;
	struct links *links;     /* NULL = nothing is in place */
	uint64_t probes;         /* which are, by their number, as a mask */
	uint32_t probe;          /* of which all of them are */
};

enum order_of { ORDER_PROBE, ORDER_GROWTH, ORDER_BLOCKS };

/* A probe to be added, or taken off; or growth or blocks of memory to be followed, or not any more. */
struct order {
	enum order_of of;
	char *text;              /* of a probe to be added; NULL = PROBE is to be taken off */
	uint32_t probe;
	uint32_t interval;       /* as of placer_growth() and placer_blocks() */
};

/* A process to be looked at. */
struct asked {
	uint32_t pid;
	bool born;               /* it is new: what is known under its number is of another one */
	bool gone;               /* its first thread has ended */
	uint32_t parent;         /* who forked it when it is born, else 0 */
	uint64_t since_ns;       /* when it came to have what may be probed, CLOCK_MONOTONIC */
};

struct placer {
	struct source *source;
	const char *no_programs;
	pthread_t thread;
	bool running;
	struct unseen *unseen;   /* where programs tell of their memory by themselves; else NULL */

	/* The placer's thread, or whoever calls placer_new(). */
	VEC(struct done) done;
	VEC(struct placed) placed;
	bool again;              /* what is found in the process at hand was found before */
	u32_vec unwinding;       /* processes that can throw exceptions, as far as that was looked at */
	size_t set;              /* of sets, that is being looked for, */
	pid_t pid;               /* in which process, */
	struct err in_the_way;   /* why places of it were not asked for; code 0 = all were */
	uint32_t unpriced;       /* a probe that was added, whose price is not known yet; PROBE_NONE */
	const struct link_places *places;        /* of that what is being placed, */
	uint32_t refused[PROBES_MAX];            /* of these places, those that the kernel refused, */
	struct probe_places found[PROBES_MAX];   /* and what came of each probe in that process */
	bool everywhere;         /* links are of all processes, and what is done is by file alone */
	uint32_t budget;
	bool thins;
	uint32_t scale;          /* of the slice that is under way; 1 = probes are always in place */
	uint32_t next_scale;     /* of the one to come */
	bool off;                /* between slices: nothing is in place */
	uint64_t allocs_seen;    /* calls of functions that allocate, when that began, */
	uint32_t alloc_cost_ns;  /* and what one costs at most, of those that are called often; 0 = not known */
	uint64_t trapped;        /* hits in programs by then, */
	uint64_t trapped_before; /* and when probes were about to be put in place for it */
	bool had_blocks;         /* figures.blocks was set once */
	uint64_t in_slice;       /* of these, within the last slice */
	uint32_t spent;          /* budget_spent() */
	uint64_t begun_ns;       /* of what is under way, since when hits are counted */
	uint64_t until_ns;       /* when it ends */
	uint64_t due_ns;         /* when to look whether it ends before */
	struct source_hits_cost before[PROBES_MAX];      /* hits by then */
	uint32_t thin[PROBES_MAX];       /* one of so many is told; 0 = all */
	struct probe_spell spell[PROBES_MAX];    /* that is under way; from_ns 0 = none is */

	pthread_mutex_t lock;    /* protects what follows */
	pthread_cond_t wake;
	VEC(struct probe_set) sets;      /* changed by the placer's thread only, which reads it without */
	u32_vec targets;         /* processes of the target */
	u32_vec executing;       /* those of them that have begun a program of which nothing is mapped yet */
	u32_vec called;          /* if everywhere: those that are called as a probe says */
	VEC(struct asked) asked;
	VEC(struct order) orders;
	VEC(struct placer_answer) answers;
	bool stop;
	struct placer_figures figures;
};

static bool placer_wants(void *ctx, const struct placing_file *f, bool own)
{
	struct placer *p = ctx;
	const struct placing *what = p->sets.v[p->set].what;
	struct done *at;

	for (size_t i = 0; i < p->done.n; i++)
		if ((p->everywhere || p->done.v[i].pid == p->pid) && p->done.v[i].what == what &&
		    p->done.v[i].own == own &&
		    !memcmp(&p->done.v[i].file, f, sizeof(*f)))
			return false;
	at = vec_push(&p->done);
	if (at)
		*at = (struct done){ what, p->pid, own, *f };
	return at;
}

/* Is a place of that the end of something whose begin is placed, too? */
static bool is_further_end(enum link_of of)
{
	return of == LINK_OF_ENDS || of == LINK_OF_ALLOC_ENDS;
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

	if (probe < PROBES_MAX)
		p->refused[probe]++;
	probes_note_why(probe, e->text);
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
		if (!(at->links || p->off) || p->refused[probe]) {
			p->refused[probe] -= p->refused[probe] > 0;
			p->found[probe].failed++;
		} else {
			p->found[probe].sites++;
			p->found[probe].inlined += !!(places->cookie[i] & SB_COOKIE_INLINED);
			at->probes |= (uint64_t)1 << probe;
		}
	}
}

/* A copy of PLACES into *RET, which borrows nothing but their names, which nobody needs. */
static bool placed_copy(struct placed *ret, pid_t pid, const struct link_places *places)
{
	const size_t n = places->n;
	uint64_t *at = malloc(3 * n * sizeof(*at));
	char *path = strdup(places->path);

	if (!at || !path) {
		free(at);
		free(path);
		return false;
	}
	*ret = (struct placed){ .pid = pid, .places = *places, .fd = -1, .path = path, .offset = at };
	memcpy(at, places->offset, n * sizeof(*at));
	memcpy(at + n, places->cookie, n * sizeof(*at));
	if (places->semaphore)
		memcpy(at + 2 * n, places->semaphore, n * sizeof(*at));
	ret->places.path = path;
	ret->places.offset = at;
	ret->places.cookie = at + n;
	ret->places.semaphore = places->semaphore ? at + 2 * n : NULL;
	ret->places.name = NULL;
	ret->places.cost_ns = NULL;
	return true;
}

/* X is to be in all processes from now on, whatever becomes of the one in which its file was found. */
static bool placed_everywhere(struct placed *x)
{
	char path[sizeof("/proc/self/fd/") + 12];

	x->fd = open(x->path, O_RDONLY | O_CLOEXEC);
	if (x->fd < 0)
		return false;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", x->fd);
	free(x->path);
	x->places.path = x->path = strdup(path);
	x->places.pid = 0;
	return x->path;
}

static void placed_free(struct placed *x)
{
	links_drop(x->links);
	if (x->fd >= 0)
		close(x->fd);
	free(x->path);
	free(x->offset);
}

/* What hits of PLACES cost is known from now on. The lock is held. */
static void placer_learn_costs(struct placer *p, const struct link_places *places)
{
	const bool allocs = places->of == LINK_OF_ALLOCS || places->of == LINK_OF_FREES ||
			    places->of == LINK_OF_GO_ALLOCS;

	for (uint32_t i = 0; places->cost_ns && i < places->n; i++) {
		if (allocs && !(SB_COOKIE_TEXT(places->cookie[i]) & SB_ALLOC_OUTER) &&
		    places->cost_ns[i] > p->alloc_cost_ns)
			p->alloc_cost_ns = places->cost_ns[i];
		if (allocs)
			continue;
		const uint32_t probe = placer_probe(places, i);

		if (probe < PROBES_MAX && places->cost_ns[i] > p->figures.cost_ns[probe])
			p->figures.cost_ns[probe] = places->cost_ns[i];
		probes_note_cost(probe, places->cost_ns[i]);
	}
}

/*
 * Is a function of PLACES in F followed to its return by another probe? The kernel half tells calls that
 * are under way apart by where they were made from.
 */
static bool placer_is_followed(const struct placer *p, const struct placing_file *f, const struct link_places *places)
{
	for (size_t i = 0; i < p->placed.n; i++) {
		const struct placed *x = &p->placed.v[i];

		if (x->places.of != places->of || x->what == p->sets.v[p->set].what ||
		    memcmp(&x->file, f, sizeof(*f)) || !(p->everywhere || x->pid == p->pid))
			continue;
		for (uint32_t k = 0; k < places->n; k++)
			for (uint32_t m = 0; m < x->places.n; m++)
				if (places->offset[k] == x->places.offset[m])
					return true;
	}
	return false;
}

/* Are PLACES in F in place since before the process executed another program, which has F again? */
static bool placer_is_there(const struct placer *p, const struct placing_file *f, const struct link_places *places)
{
	for (size_t i = 0; i < p->placed.n; i++) {
		const struct placed *x = &p->placed.v[i];

		if (!p->everywhere && x->pid == p->pid && x->what == p->sets.v[p->set].what &&
		    !memcmp(&x->file, f, sizeof(*f)) && x->places.of == places->of && x->places.kind == places->kind &&
		    x->places.n == places->n && x->places.cookie[0] == places->cookie[0] &&
		    x->places.offset[0] == places->offset[0])
			return true;
	}
	return false;
}

/* Forgets that F of PID was looked into for WHAT. */
static void placer_forget_done(struct placer *p, const struct placing *what, pid_t pid, const struct placing_file *f)
{
	for (size_t i = p->done.n; i--;)
		if (p->done.v[i].what == what && p->done.v[i].pid == pid && !memcmp(&p->done.v[i].file, f, sizeof(*f)))
			p->done.v[i] = p->done.v[--p->done.n];
}

/* What has no place in F is looked for again when the process executes its next program. */
static void placer_gone(void *ctx, const struct placing_file *f)
{
	struct placer *p = ctx;
	const struct placing *what = p->sets.v[p->set].what;

	if (!p->everywhere)
		placer_forget_done(p, what, p->pid, f);
	for (size_t i = p->placed.n; i-- && !p->everywhere && !p->off;) {
		struct placed *x = &p->placed.v[i];

		if (x->links || x->what != what || x->pid != p->pid || memcmp(&x->file, f, sizeof(*f)))
			continue;
		placed_free(x);
		*x = p->placed.v[--p->placed.n];
	}
}

/*
 * Puts PLACES in F in place for the process at hand, and FAILED is told of those that the kernel refuses; NULL: it is
 * all or none, and that it is none is nothing to tell. Returns whether they are among what is placed.
 */
static bool placer_put(struct placer *p, const struct placing_file *f, const struct link_places *places,
		       link_failed_fn *failed)
{
	struct placed x;
	int n;

	if (!vec_reserve(&p->placed, 1) || !placed_copy(&x, p->pid, places))
		return false;
	x.what = p->sets.v[p->set].what;
	x.file = *f;
	x.probe = placer_probe(places, 0);
	if (p->everywhere && !placed_everywhere(&x)) {
		placed_free(&x);
		return false;
	}
	p->places = places;
	memset(p->refused, 0, sizeof(p->refused));
	/* Between slices it waits for the next one. */
	n = p->off ? (int)places->n : source_place(p->source, &x.places, failed, p, &x.links, NULL);
	if (!failed && n != (int)places->n) {
		placed_free(&x);
		return false;
	}
	/* What is followed to its end is one place. */
	if (!is_further_end(places->of))
		placer_count(p, places, &x);
	p->placed.v[p->placed.n++] = x;
	pthread_mutex_lock(&p->lock);
	placer_learn_costs(p, places);
	p->figures.failed += n < 0 ? places->n : 0;
	p->figures.places += n > 0 && !is_further_end(places->of) ? (uint32_t)n : 0;
	pthread_mutex_unlock(&p->lock);
	return true;
}

/* Was PROBE of the set at hand taken off? */
static bool placer_is_off(const struct placer *p, uint32_t probe)
{
	return probe < PROBES_MAX && p->sets.v[p->set].off >> probe & 1;
}

static void placer_place(void *ctx, const struct placing_file *f, const struct link_places *places)
{
	struct placer *p = ctx;
	const uint32_t probe = placer_probe(places, 0);

	if (placer_is_off(p, probe) || placer_is_there(p, f, places))
		return;
	if (places->of != LINK_OF_MOMENTS && placer_is_followed(p, f, places)) {
		err_set(&p->in_the_way, EEXIST, "another probe is about the same calls: take that off first");
		return;
	}
	(void)placer_put(p, f, places, placer_failed);
}

static bool placer_has(const u32_vec *v, uint32_t pid)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->v[i] == pid)
			return true;
	return false;
}

/*
 * The process at hand has been forked by PARENT, so it has the same files: what was found there is placed at once, by
 * the way that leads there. A file of which not all can be is looked into.
 */
static void placer_inherit(struct placer *p, pid_t parent)
{
	const struct placing *what = p->sets.v[p->set].what;
	const size_t done = p->done.n, placed = p->placed.n;

	if (placer_has(&p->unwinding, (uint32_t)parent) != placer_has(&p->unwinding, (uint32_t)p->pid))
		return;
	for (size_t i = 0; i < done; i++) {
		struct done one = p->done.v[i];

		one.pid = p->pid;
		if (p->done.v[i].pid == parent && one.what == what && vec_reserve(&p->done, 1))
			p->done.v[p->done.n++] = one;
	}
	for (size_t i = 0; i < placed; i++) {
		const struct placing_file file = p->placed.v[i].file;
		struct link_places places = p->placed.v[i].places;

		if (p->placed.v[i].pid != parent || p->placed.v[i].what != what ||
		    placer_is_off(p, p->placed.v[i].probe))
			continue;
		places.pid = p->pid;
		if (!placer_put(p, &file, &places, NULL))
			placer_forget_done(p, what, p->pid, &file);
	}
}

static void placer_take_off(struct placer *p)
{
	for (size_t i = 0; i < p->placed.n; i++)
		links_drop(take_ptr(p->placed.v[i].links));
	p->off = true;
}

/* A block whose free may come between slices is not followed, so its free would be a price for nothing. */
static bool placer_is_needed(const struct placer *p, const struct link_places *places)
{
	return !p->figures.unfollowed || (places->of != LINK_OF_FREES && places->of != LINK_OF_TOLD_FREES);
}

/* PID is to be looked at. The lock is held. */
static void placer_ask(struct placer *p, uint32_t pid, uint32_t parent, uint64_t since_ns)
{
	const bool born = parent;
	bool known = false;

	for (size_t i = 0; i < p->asked.n && !born; i++)
		known |= p->asked.v[i].pid == pid;
	if (!known && p->asked.n < PROCESSES_MAX && vec_reserve(&p->asked, 1)) {
		p->asked.v[p->asked.n++] = (struct asked){ .pid = pid, .born = born, .parent = parent,
							   .since_ns = since_ns };
		pthread_cond_signal(&p->wake);
	}
}

/*
 * What the way to X leads to no more: its process is gone, has unmapped the file, or has it somewhere else, as it has
 * executed another program. That is looked at anew.
 */
static void placer_seek(struct placer *p, struct placed *x)
{
	const struct placing *what = x->what;
	const struct placing_file file = x->file;
	const pid_t pid = x->pid;

	placer_forget_done(p, what, pid, &file);
	for (size_t i = p->placed.n; i--;)
		if (p->placed.v[i].pid == pid && p->placed.v[i].what == what &&
		    !memcmp(&p->placed.v[i].file, &file, sizeof(file))) {
			placed_free(&p->placed.v[i]);
			p->placed.v[i] = p->placed.v[--p->placed.n];
		}
	pthread_mutex_lock(&p->lock);
	if (placer_has(&p->targets, (uint32_t)pid))
		placer_ask(p, (uint32_t)pid, 0, 0);
	pthread_mutex_unlock(&p->lock);
}

static void placer_put_back(struct placer *p)
{
	for (size_t i = p->placed.n; i-- > 0;) {
		struct placed *x = &p->placed.v[i];

		if (x->links || !placer_is_needed(p, &x->places))
			continue;
		if (!p->everywhere && access(x->path, F_OK)) {
			placer_seek(p, x);
			i = i < p->placed.n ? i : p->placed.n;
		} else {
			(void)source_place(p->source, &x->places, NULL, NULL, &x->links, NULL);
		}
	}
	p->off = false;
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
	struct probe_unseen one = { .pid = (uint32_t)p->pid };

	lookup_comm(p->pid, one.comm, sizeof(one.comm));
	for (uint32_t probe = 0; probe < PROBES_MAX; probe++) {
		struct probe_places *found = &p->found[probe];

		found->processes = found->sites && !(had >> probe & 1);
		found->unseen_ns = found->sites && since_ns && since_ns < now ? now - since_ns : 0;
		probes_note_places(probe, found);
		one.ns = found->unseen_ns;
		if (one.ns)
			probes_note_unseen(probe, &one);
	}
}

static void placer_missed(void *ctx, uint32_t probe, const char *why)
{
	(void)ctx;
	probes_note_why(probe, why);
}

/* The same for one set. PARENT, which has been looked at, has forked PID; 0 = that is not known. */
static void placer_look_for(struct placer *p, size_t set, pid_t pid, pid_t parent, uint64_t since_ns)
{
	const struct placing_visitor v = { .wants = placer_wants, .place = placer_place, .missed = placer_missed,
					   .gone = placer_gone, .everywhere = p->everywhere, .ctx = p };
	const uint64_t had = placer_probes_of(p, pid);
	uint32_t before = p->figures.places;
	struct err why = ERR_INIT;

	p->pid = pid;
	p->set = set;
	memset(p->found, 0, sizeof(p->found));
	if (parent && !p->everywhere && !p->again)
		placer_inherit(p, parent);
	(void)placing_look(p->sets.v[set].what, pid, &v, &why);
	if (!p->again)
		placer_tell(p, had, since_ns);
	pthread_mutex_lock(&p->lock);
	if (why.text[0])
		p->figures.why = why;
	p->figures.processes += p->figures.places > before;
	pthread_mutex_unlock(&p->lock);
}

/* The process that had the number PID is gone, and so are its places; or all of them are to be found anew. */
static void placer_clear(struct placer *p, pid_t pid)
{
	for (size_t i = p->done.n; i--;)
		if (p->done.v[i].pid == pid)
			p->done.v[i] = p->done.v[--p->done.n];
	for (size_t i = p->placed.n; i--;)
		if (p->placed.v[i].pid == pid) {
			placed_free(&p->placed.v[i]);
			p->placed.v[i] = p->placed.v[--p->placed.n];
		}
}

static void placer_remove_pid(u32_vec *v, uint32_t pid)
{
	for (size_t i = v->n; i--;)
		if (v->v[i] == pid)
			v->v[i] = v->v[--v->n];
}

/*
 * Once a library that throws is loaded by PID, the return probes that it has would not survive an exception: what
 * leaves the functions is to be probed in their place, so all places of it are found anew. Where all processes are
 * probed, there are no return probes at such functions. Returns whether that is so.
 */
static bool placer_heed_exceptions(struct placer *p, pid_t pid)
{
	bool returns = false;

	if (p->everywhere || placer_has(&p->unwinding, (uint32_t)pid) || !placing_unwinds(pid))
		return false;
	for (size_t i = 0; i < p->placed.n; i++)
		returns |= p->placed.v[i].pid == pid && p->placed.v[i].places.kind == LINK_RETURN;
	if (returns)
		placer_clear(p, pid);
	if (p->unwinding.n < PROCESSES_MAX && vec_reserve(&p->unwinding, 1))
		p->unwinding.v[p->unwinding.n++] = (uint32_t)pid;
	return returns;
}

static void placer_look(struct placer *p, pid_t pid, pid_t parent, uint64_t since_ns)
{
	const struct placer_figures before = p->figures;

	/* What was found once is told once. */
	p->again = placer_heed_exceptions(p, pid);
	for (size_t i = 0; i < p->sets.n; i++)
		if (placing_in_programs(p->sets.v[i].what))
			placer_look_for(p, i, pid, parent, since_ns);
	if (!p->again)
		return;
	p->again = false;
	pthread_mutex_lock(&p->lock);
	p->figures.places = before.places;
	p->figures.processes = before.processes;
	pthread_mutex_unlock(&p->lock);
}

/* The set of which PROBE is, where it is not off; NULL. */
static struct probe_set *placer_set_of(const struct placer *p, uint32_t probe)
{
	for (size_t i = 0; i < p->sets.n; i++)
		if ((placing_probes(p->sets.v[i].what) & ~p->sets.v[i].off) >> probe & 1)
			return &p->sets.v[i];
	return NULL;
}

/* All hits of probes in programs so far, also of those that are being placed or taken off. */
static uint64_t placer_trapped(const struct placer *p)
{
	uint64_t r = source_allocs_seen(p->source);

	for (uint32_t i = 0; i < probes_count(); i++) {
		const struct probe_set *set = placer_set_of(p, i);
		struct source_hits_cost now;

		if (!set || placing_kernel_ns(set->what, i))
			continue;
		source_hits_cost(p->source, i, &now);
		r += now.seen;
	}
	return r;
}

/* For NS from NOW_NS on hits are counted, each of which stands for SCALE. */
static void placer_begin(struct placer *p, uint32_t scale, uint64_t now_ns, uint64_t ns)
{
	for (uint32_t i = 0; i < probes_count(); i++)
		source_hits_cost(p->source, i, &p->before[i]);
	p->allocs_seen = source_allocs_seen(p->source);
	p->trapped = placer_trapped(p);
	p->scale = scale;
	p->begun_ns = now_ns;
	p->until_ns = now_ns + ns;
	p->due_ns = now_ns + (ns < BUDGET_CHECK_NS ? ns : BUDGET_CHECK_NS);
}

static void placer_answer(struct placer *p, const struct placer_answer *a)
{
	struct placer_answer *at = vec_push(&p->answers);

	if (at)
		*at = *a;
}

/* What the hits of a probe were since it was begun to count. */
struct priced {
	uint64_t hits;
	uint64_t trap_ns;        /* what they cost by where they are, of a probe in a program */
	uint64_t busy_ns;        /* and what the kernel half took for them, beside counting */
	struct budget_hits in_kernel;    /* of a probe that is there, instead; else zeroes */
	uint64_t in_kernel_ns;   /* of it, what they have cost */
	uint32_t told_ns;        /* what one costs that is told */
};

/* What the kernel half takes for a hit that is told, and for another one, and how many of all are told. */
struct busy {
	double told_ns, untold_ns, told;
};

static double timed_mean(const struct source_timed *t, double otherwise)
{
	return t->n ? (double)t->ns / (double)t->n : otherwise;
}

/* By what was timed since BEFORE, or in all where that is too little. */
static struct busy placer_busy(const struct source_hits_cost *now, const struct source_hits_cost *before)
{
	struct source_hits_cost c = *now;
	struct busy r;
	uint64_t n;

	if (c.told.n + c.untold.n - before->told.n - before->untold.n >= TIMED_ENOUGH) {
		c.told = (struct source_timed){ c.told.n - before->told.n, c.told.ns - before->told.ns };
		c.untold = (struct source_timed){ c.untold.n - before->untold.n, c.untold.ns - before->untold.ns };
	}
	n = c.told.n + c.untold.n;
	r.told = n ? (double)c.told.n / (double)n : 1;
	/* What was not seen now was seen before, maybe. */
	r.untold_ns = timed_mean(&c.untold, timed_mean(&now->untold, CATALOG_COUNTED_NS));
	r.told_ns = timed_mean(&c.told, timed_mean(&now->told, r.untold_ns));
	r.told_ns = r.told_ns > r.untold_ns ? r.told_ns : r.untold_ns;
	return r;
}

/* The price of PROBE. */
static struct priced placer_priced(const struct placer *p, uint32_t probe)
{
	const struct probe_set *set = placer_set_of(p, probe);
	const uint32_t counted = set ? placing_kernel_ns(set->what, probe) : 0;
	const uint32_t thin = p->thin[probe] ? p->thin[probe] : 1;
	struct source_hits_cost now;
	struct priced r = { 0 };
	struct busy busy;
	double way, all;

	source_hits_cost(p->source, probe, &now);
	busy = placer_busy(&now, &p->before[probe]);
	r.hits = now.seen - p->before[probe].seen;
	if (!counted) {
		all = busy.told * busy.told_ns + (1 - busy.told) * busy.untold_ns - CATALOG_COUNTED_NS;
		r.trap_ns = r.hits * p->figures.cost_ns[probe];
		r.busy_ns = all > 0 && r.trap_ns ? (uint64_t)((double)r.hits * all) : 0;
		r.told_ns = p->figures.cost_ns[probe];
		return r;
	}
	way = counted - CATALOG_COUNTED_NS;
	if (now.call_way_ns && placing_is_call(set->what, probe))
		way = now.call_way_ns + UNTIMED_NS;
	else if (now.trace_way_ns)
		way = now.trace_way_ns + UNTIMED_NS;
	/* If all that are wanted were told. */
	all = busy.told * thin < 1 ? busy.told * thin : 1;
	r.in_kernel.rest_ns = (uint64_t)((double)r.hits * (way + busy.untold_ns));
	r.in_kernel.told_ns = (uint64_t)((double)r.hits * all * (busy.told_ns - busy.untold_ns));
	r.in_kernel_ns = r.in_kernel.rest_ns +
		(uint64_t)((double)r.hits * busy.told * (busy.told_ns - busy.untold_ns));
	r.told_ns = (uint32_t)(way + busy.told_ns);
	return r;
}

/* Tells the price PRICED of the probe that was added last, if that waits for it. The lock is held. */
static void placer_price(struct placer *p, const struct priced *priced, uint64_t ns)
{
	const uint32_t probe = p->unpriced;
	struct placer_answer a = { .probe = probe, .priced = true, .hits_per_s = priced->hits * NSEC_PER_SEC / ns };

	a.cost_ns = priced->told_ns;
	a.share = budget_share(priced->trap_ns + priced->busy_ns + priced->in_kernel_ns, ns);
	a.scale = priced->trap_ns ? p->next_scale : 1;
	a.thin = p->thin[probe] ? p->thin[probe] : 1;
	placer_answer(p, &a);
	p->unpriced = PROBE_NONE;
}

/* Of the hits in the kernel, PRICED, in NS, so many are told from now on as the budget allows beside SHARE. */
static void placer_thin(struct placer *p, const struct priced *priced, uint64_t ns, uint32_t share)
{
	const uint32_t budget = p->thins ? budget_rest(p->budget, share / p->scale) : BUDGET_NONE;
	struct budget_hits hits[PROBES_MAX];
	const uint32_t n = probes_count();
	uint64_t rest = 0;

	for (uint32_t i = 0; i < n; i++) {
		hits[i] = priced[i].in_kernel;
		rest += hits[i].rest_ns;
	}
	budget_thin(hits, n, ns, budget);
	p->figures.floor = budget != BUDGET_NONE && budget_share(rest, ns) > budget ? budget_share(rest, ns) : 0;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t every = p->thin[i] ? p->thin[i] : 1;

		/* Of one that is not hit now nothing is known. */
		if (!priced[i].in_kernel.rest_ns || !budget_differs(every, hits[i].every))
			continue;
		p->thin[i] = hits[i].every;
		source_thin_hits(p->source, i, hits[i].every);
	}
	p->figures.most_thin = p->figures.most_thin ? p->figures.most_thin : 1;
	for (uint32_t i = 0; i < n; i++)
		if (p->thin[i] > p->figures.most_thin)
			p->figures.most_thin = p->thin[i];
}

/* All hits since what is under way began, and what they have cost. */
struct paid {
	uint64_t hits;
	uint64_t placed_ns;      /* of those in programs */
	uint64_t kernel_ns;      /* and of those in the kernel */
};

/* By probe, *PRICED, and in all. */
static struct paid placer_paid(const struct placer *p, struct priced priced[PROBES_MAX])
{
	struct paid r = { .hits = source_allocs_seen(p->source) - p->allocs_seen };

	r.placed_ns = r.hits * p->alloc_cost_ns;
	for (uint32_t i = 0; i < probes_count(); i++) {
		priced[i] = placer_priced(p, i);
		r.hits += priced[i].hits;
		r.placed_ns += priced[i].trap_ns + priced[i].busy_ns;
		r.kernel_ns += priced[i].in_kernel_ns;
	}
	return r;
}

/* What hits in programs may cost in NS, in which those in the kernel do as PAID says. */
static uint32_t placer_budget(const struct placer *p, const struct paid *paid, uint64_t ns)
{
	return budget_rest(p->budget, budget_share(paid->kernel_ns, ns));
}

/* Have probes that are always in place cost what they may until the next look at them? */
static bool placer_is_over(const struct placer *p)
{
	struct priced priced[PROBES_MAX] = { 0 };
	const struct paid paid = placer_paid(p, priced);

	return budget_share(paid.placed_ns, BUDGET_LOOK_NS) > placer_budget(p, &paid, BUDGET_LOOK_NS);
}

/* What hits have cost since that began, up to NOW_NS: the price is known, and what follows is chosen by it. */
static void placer_measure(struct placer *p, uint64_t now_ns)
{
	const uint64_t ns = now_ns - p->begun_ns + 1;
	struct priced priced[PROBES_MAX] = { 0 };
	struct paid paid;
	uint32_t placed;

	pthread_mutex_lock(&p->lock);
	paid = placer_paid(p, priced);
	for (uint32_t i = 0; i < probes_count(); i++) {
		if (!priced[i].in_kernel.rest_ns)
			continue;
		p->figures.cost_ns[i] = priced[i].told_ns;
		probes_set_cost(i, priced[i].told_ns);
	}
	placed = budget_share(paid.placed_ns, ns);
	p->next_scale = budget_scale(placed, placer_budget(p, &paid, ns),
				     p->figures.blocks ? p->spent * BUDGET_BLOCKS_PART : p->spent);
	p->figures.unfollowed |= p->next_scale > 1;
	placer_thin(p, priced, ns, placed);
	p->figures.share = budget_share(paid.placed_ns + paid.kernel_ns, ns);
	p->figures.hits_per_s = paid.hits * NSEC_PER_SEC / ns;
	if (p->unpriced != PROBE_NONE)
		placer_price(p, &priced[p->unpriced], ns);
	pthread_mutex_unlock(&p->lock);
}

static void placer_show_scale(struct placer *p, uint32_t scale)
{
	pthread_mutex_lock(&p->lock);
	if (scale > p->figures.most_scale)
		p->figures.most_scale = scale;
	pthread_mutex_unlock(&p->lock);
}

/* Which probes are, or were until NOW_NS, in place for a part of the time only, or off. */
static void placer_note_spells(struct placer *p, uint64_t now_ns)
{
	const bool sliced = p->off || p->scale > 1 || p->next_scale > 1;

	for (uint32_t i = 0; i < probes_count(); i++) {
		const struct probe_set *set = placer_set_of(p, i);
		struct probe_spell *s = &p->spell[i];
		const bool off = probes_asked(i) && probes_is_off(i);

		if (!off && !(sliced && set && !placing_kernel_ns(set->what, i))) {
			s->from_ns = 0;
			continue;
		}
		if (!s->from_ns)
			*s = (struct probe_spell){ .from_ns = now_ns, .to_ns = now_ns };
		s->on_ns += off || p->off ? 0 : now_ns - s->to_ns;
		s->to_ns = now_ns;
		probes_note_spell(i, s);
	}
}

/* What was under way until NOW_NS is over: the price is known, and what follows is chosen by it. */
static void placer_turn(struct placer *p, uint64_t now_ns)
{
	if (!p->off && now_ns < p->until_ns && !(p->scale == 1 && placer_is_over(p))) {
		p->due_ns = now_ns + BUDGET_CHECK_NS < p->until_ns ? now_ns + BUDGET_CHECK_NS : p->until_ns;
		return;
	}
	placer_note_spells(p, now_ns);
	if (p->off) {
		const uint64_t trapped = placer_trapped(p);

		p->spent = budget_spent(p->spent, p->in_slice, trapped - p->trapped_before);
		p->trapped_before = trapped;
		placer_put_back(p);
		source_scale_hits(p->source, p->next_scale);
		now_ns = clock_mono_ns();
		placer_begin(p, p->next_scale, now_ns, p->next_scale > 1 ? BUDGET_SLICE_NS : BUDGET_LOOK_NS);
		return;
	}
	placer_measure(p, now_ns);
	placer_show_scale(p, p->next_scale);
	if (p->scale > 1) {
		source_scale_hits(p->source, 0);
		p->in_slice = placer_trapped(p) - p->trapped;
		p->due_ns = p->begun_ns + (clock_mono_ns() - p->begun_ns) * p->scale;
		placer_take_off(p);
	} else {
		p->trapped_before = placer_trapped(p);
		placer_note_spells(p, now_ns);
		source_scale_hits(p->source, p->next_scale);
		placer_begin(p, p->next_scale, now_ns, p->next_scale > 1 ? BUDGET_SLICE_FIRST_NS : BUDGET_LOOK_NS);
	}
}

/* The processes in which probes in programs are to be placed now, into *RET. */
static int placer_pids(struct placer *p, u32_vec *ret, struct err *e)
{
	if (p->everywhere)
		return lookup_by_name(NULL, ret, e);
	placer_targets(p, ret);
	return 0;
}

/* Adds WHAT to the sets, and places what is in the kernel. */
static int placer_begin_set(struct placer *p, struct placing *what, struct err *e)
{
	struct capture_plan plan = { 0 };
	int r = 0;

	for (size_t i = 0; i < p->sets.n && !r; i++)
		r = placing_fits(what, p->sets.v[i].what, p->sets.v[i].off, e);
	placing_plan(what, &plan);
	r = r ? r : source_add_probes(p->source, &plan, e);
	if (r)
		return r;
	pthread_mutex_lock(&p->lock);
	r = vec_reserve(&p->sets, 1) ? 0 : err_nomem(e, "probes");
	if (!r)
		p->sets.v[p->sets.n++] = (struct probe_set){ .what = what, .own = what };
	pthread_mutex_unlock(&p->lock);
	for (uint32_t i = 0; r && i < PROBES_MAX; i++)
		if (placing_probes(what) >> i & 1)
			source_remove_probe(p->source, i);
	return r;
}

/* Forgets the set AT, which is the placer's own. */
static void placer_end_set(struct placer *p, struct probe_set *at)
{
	struct placing *own = at->own;

	for (size_t i = p->done.n; i--;)
		if (p->done.v[i].what == own)
			p->done.v[i] = p->done.v[--p->done.n];
	pthread_mutex_lock(&p->lock);
	*at = p->sets.v[--p->sets.n];
	pthread_mutex_unlock(&p->lock);
	placing_free(own);
}

static void placer_drop(struct placer *p, uint32_t probe)
{
	struct probe_set *set = placer_set_of(p, probe);

	source_remove_probe(p->source, probe);
	for (size_t i = p->placed.n; i--;)
		if (p->placed.v[i].probe == probe) {
			placed_free(&p->placed.v[i]);
			p->placed.v[i] = p->placed.v[--p->placed.n];
		}
	probes_set_off(probe, true);
	p->unpriced = p->unpriced == probe ? PROBE_NONE : p->unpriced;
	if (!set)
		return;
	if (set->own) {
		placer_end_set(p, set);
		return;
	}
	pthread_mutex_lock(&p->lock);
	set->off |= (uint64_t)1 << probe;
	pthread_mutex_unlock(&p->lock);
}

/* Whether TEXT can be placed in PIDS, or *RET_LATER: it gets no number before that is known. */
static int placer_try(struct placer *p, const char *text, const u32_vec *pids, bool *ret_later, struct err *e)
{
	AUTO(placing_free) struct placing *what = NULL;
	uint64_t absent = 0;
	int r = placing_more(p->sets.v[0].what, text, true, &what, e);

	if (r || !placing_in_programs(what))
		return r;
	if (p->no_programs)
		return err_set(e, EOPNOTSUPP, "%s", p->no_programs);
	r = placing_check(what, pids->v, pids->n, p->everywhere ? &absent : NULL, e);
	*ret_later = absent;
	return r;
}

/* Places the probe TEXT; *RET is its number. */
static int placer_take_on(struct placer *p, const char *text, const u32_vec *pids, uint32_t *ret, struct err *e)
{
	AUTO(placing_free) struct placing *what = NULL;
	bool in_programs, later = false;
	int r = placer_try(p, text, pids, &later, e);
	uint32_t probe = 0;

	r = r ? r : placing_more(p->sets.v[0].what, text, false, &what, e);
	if (r)
		return r;
	while (!(placing_probes(what) >> probe & 1))
		probe++;
	if (placer_set_of(p, probe))
		return err_set(e, EEXIST, "there is this probe already");
	r = placer_begin_set(p, what, e);
	if (r)
		return r;
	in_programs = placing_in_programs(take_ptr(what));
	if (in_programs) {
		p->in_the_way.code = 0;
		for (size_t i = 0; i < pids->n; i++)
			placer_look_for(p, p->sets.n - 1, (pid_t)pids->v[i], 0, 0);
	}
	if (p->in_the_way.code && !probes_places(probe).sites) {
		placer_drop(p, probe);
		*e = p->in_the_way;
		return -EEXIST;
	}
	probes_set_off(probe, false);
	if (later)
		probes_note_why(probe, PLACING_ABSENT);
	*ret = probe;
	return 0;
}

/* Begins, or ends, to follow what makes memory grow. */
static void placer_obey_growth(struct placer *p, uint32_t interval)
{
	struct capture_trace calls[MAPPING_CALLS];
	struct capture_plan plan = { .growth_interval = interval, .mapping_calls = calls };
	struct placer_answer a = { .probe = PROBE_NONE };

	plan.nr_mapping_calls = interval ? mapping_calls_find(calls) : 0;
	if (!source_set_growth(p->source, &plan, &a.err))
		text_format(a.err.text, sizeof(a.err.text), "%s", interval ?
			    "from now on it is told what makes memory grow" :
			    "what makes memory grow is not told any more; what was seen stays");
	pthread_mutex_lock(&p->lock);
	placer_answer(p, &a);
	pthread_mutex_unlock(&p->lock);
}

/* The set by which blocks are followed that came later; NULL. */
static struct probe_set *placer_blocks_set(struct placer *p)
{
	for (size_t i = 1; i < p->sets.n; i++)
		if (placing_follows_blocks(p->sets.v[i].what))
			return &p->sets.v[i];
	return NULL;
}

static void placer_end_blocks(struct placer *p, struct probe_set *set)
{
	for (size_t i = p->placed.n; i--;)
		if (p->placed.v[i].what == set->what) {
			placed_free(&p->placed.v[i]);
			p->placed.v[i] = p->placed.v[--p->placed.n];
		}
	placer_end_set(p, set);
	pthread_mutex_lock(&p->lock);
	p->figures.unfollowed = true;
	p->figures.blocks = false;
	pthread_mutex_unlock(&p->lock);
}

/* What happened before the first blocks does not matter to them. */
static void placer_show_blocks(struct placer *p)
{
	pthread_mutex_lock(&p->lock);
	p->figures.unfollowed &= p->had_blocks || p->off || p->scale > 1;
	p->figures.blocks = p->had_blocks = true;
	pthread_mutex_unlock(&p->lock);
}

static int placer_begin_blocks(struct placer *p, uint32_t interval, struct err *e)
{
	AUTO(placing_free) struct placing *what = NULL;
	u32_vec pids = { 0 };
	int r;

	placer_show_blocks(p);
	r = placing_blocks(p->sets.v[0].what, interval, !p->figures.unfollowed, &what, e);

	if (!r && p->no_programs)
		r = err_set(e, EOPNOTSUPP, "%s", p->no_programs);
	r = r < 0 ? r : placer_pids(p, &pids, e);
	r = r < 0 ? r : placing_check(what, pids.v, pids.n, NULL, e);
	r = r < 0 ? r : placer_begin_set(p, what, e);
	if (r >= 0) {
		take_ptr(what);
		for (size_t i = 0; i < pids.n; i++)
			placer_look_for(p, p->sets.n - 1, (pid_t)pids.v[i], 0, 0);
	}
	vec_free(&pids);
	if (r < 0) {
		pthread_mutex_lock(&p->lock);
		p->figures.blocks = false;
		pthread_mutex_unlock(&p->lock);
	}
	return r < 0 ? r : 0;
}

/* Begins, or ends, to follow blocks of memory. */
static void placer_obey_blocks(struct placer *p, uint32_t interval)
{
	struct placer_answer a = { .probe = PROBE_NONE };
	struct probe_set *set = placer_blocks_set(p);
	const uint32_t before = p->figures.places;
	int r = 0;

	if (!interval && set)
		placer_end_blocks(p, set);
	else if (interval && !set && !p->figures.blocks)
		r = placer_begin_blocks(p, interval, &a.err);
	if (!interval && p->figures.blocks)
		text_format(a.err.text, sizeof(a.err.text), "blocks are followed by --memory until the capture ends");
	else if (!r && p->figures.blocks)
		text_format(a.err.text, sizeof(a.err.text), "blocks of memory are followed: %u functions are probed, "
			    "which costs up to 1 us a call, within --budget", p->figures.places - before);
	else if (!r)
		text_format(a.err.text, sizeof(a.err.text), "blocks are not followed any more; what was seen stays");
	if (!p->off && p->scale == 1)
		placer_begin(p, 1, clock_mono_ns(), BUDGET_FIRST_NS);
	pthread_mutex_lock(&p->lock);
	placer_answer(p, &a);
	pthread_mutex_unlock(&p->lock);
}

static void placer_obey(struct placer *p, const struct order *o)
{
	struct placer_answer a = { .probe = o->probe, .off = !o->text };
	u32_vec pids = { 0 };
	int r = 0;

	placer_note_spells(p, clock_mono_ns());
	if (!o->text) {
		placer_drop(p, o->probe);
	} else {
		r = placer_pids(p, &pids, &a.err);
		r = r < 0 ? r : placer_take_on(p, o->text, &pids, &a.probe, &a.err);
	}
	vec_free(&pids);
	placer_note_spells(p, clock_mono_ns());
	if (r < 0)
		a.probe = PROBE_NONE;
	else if (o->text)
		p->unpriced = a.probe;
	/* A slice that is under way goes on: its end tells the price, too. */
	if (!p->off && p->scale == 1)
		placer_begin(p, 1, clock_mono_ns(), BUDGET_FIRST_NS);
	else if (p->unpriced != PROBE_NONE)
		source_hits_cost(p->source, p->unpriced, &p->before[p->unpriced]);
	pthread_mutex_lock(&p->lock);
	placer_answer(p, &a);
	pthread_mutex_unlock(&p->lock);
}

/* Until somebody asks for something, or it is time. The lock is held. */
static void placer_wait(struct placer *p)
{
	const struct timespec until = clock_timespec(p->due_ns);

	pthread_cond_timedwait(&p->wake, &p->lock, &until);
}

/* Has PID, whose first thread has ended, others? */
static bool placer_lives(uint32_t pid)
{
	unsigned int n = 0;
	char path[32];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	for (const struct dirent *d = dir ? readdir(dir) : NULL; d; d = readdir(dir))
		n += d->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return n > 1;
}

static void placer_look_unseen(struct placer *p)
{
	struct err why = ERR_INIT;
	uint32_t n;

	if (!p->unseen)
		return;
	unseen_look(p->unseen);
	n = unseen_count(p->unseen, &why);
	pthread_mutex_lock(&p->lock);
	p->figures.unseen = n;
	p->figures.unseen_why = why;
	pthread_mutex_unlock(&p->lock);
}

static void *placer_main(void *arg)
{
	struct placer *p = arg;

	pthread_setname_np(pthread_self(), "sberf-placer");
	placer_begin(p, 1, clock_mono_ns(), BUDGET_FIRST_NS);
	pthread_mutex_lock(&p->lock);
	while (!p->stop) {
		const uint64_t now_ns = clock_mono_ns();
		struct asked next;

		if (now_ns >= p->due_ns) {
			pthread_mutex_unlock(&p->lock);
			placer_turn(p, now_ns);
			pthread_mutex_lock(&p->lock);
			continue;
		}
		if (p->orders.n) {
			const struct order o = p->orders.v[0];

			memmove(p->orders.v, p->orders.v + 1, --p->orders.n * sizeof(*p->orders.v));
			pthread_mutex_unlock(&p->lock);
			if (o.of == ORDER_GROWTH)
				placer_obey_growth(p, o.interval);
			else if (o.of == ORDER_BLOCKS)
				placer_obey_blocks(p, o.interval);
			else
				placer_obey(p, &o);
			free(o.text);
			pthread_mutex_lock(&p->lock);
			continue;
		}
		if (!p->asked.n) {
			pthread_mutex_unlock(&p->lock);
			placer_look_unseen(p);
			pthread_mutex_lock(&p->lock);
		}
		if (!p->asked.n) {
			placer_wait(p);
			continue;
		}
		next = p->asked.v[0];
		memmove(p->asked.v, p->asked.v + 1, --p->asked.n * sizeof(*p->asked.v));
		pthread_mutex_unlock(&p->lock);
		if (next.born || (next.gone && !placer_lives(next.pid))) {
			placer_clear(p, (pid_t)next.pid);
			placer_remove_pid(&p->unwinding, next.pid);
		}
		if (!next.gone)
			placer_look(p, (pid_t)next.pid, (pid_t)next.parent, next.since_ns);
		pthread_mutex_lock(&p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* The lock is held, also by who calls the next two. */
static void placer_follow(struct placer *p, uint32_t pid)
{
	if (p->targets.n < PROCESSES_MAX && !placer_has(&p->targets, pid) && vec_reserve(&p->targets, 1))
		p->targets.v[p->targets.n++] = pid;
}

/* PID may be gone. Where all processes are probed, its places are those of others, too. */
static void placer_forget(struct placer *p, uint32_t pid)
{
	if (!p->everywhere && placer_has(&p->targets, pid) && p->asked.n < PROCESSES_MAX && vec_reserve(&p->asked, 1)) {
		p->asked.v[p->asked.n++] = (struct asked){ .pid = pid, .gone = true };
		pthread_cond_signal(&p->wake);
	}
	placer_remove_pid(&p->targets, pid);
}

/* May a file that was mapped as PATH have places, or the program of who is called COMM? */
static bool placer_is_about(const struct placer *p, const char *path, const char *comm)
{
	for (size_t i = 0; i < p->sets.n; i++)
		if (placing_is_about(p->sets.v[i].what, path, comm))
			return true;
	return false;
}

/* PID, which begins a program, is called COMM: what it maps then is looked at if some probe is about that. */
static void placer_name(struct placer *p, uint32_t pid, const char *comm)
{
	placer_remove_pid(&p->called, pid);
	if (p->everywhere && placer_is_about(p, NULL, comm) && p->called.n < PROCESSES_MAX &&
	    vec_reserve(&p->called, 1))
		p->called.v[p->called.n++] = pid;
}

/* PID executes a file, which it maps next. */
static void placer_execute(struct placer *p, uint32_t pid)
{
	placer_remove_pid(&p->executing, pid);
	if (!p->everywhere && placer_has(&p->targets, pid) && vec_reserve(&p->executing, 1))
		p->executing.v[p->executing.n++] = pid;
}

/* What PID has mapped as PATH is the first that it maps of a program. */
static void placer_executed(struct placer *p, uint32_t pid, const char *path)
{
	if (!placer_has(&p->executing, pid))
		return;
	placer_remove_pid(&p->executing, pid);
	if (p->unseen && unseen_begun(p->unseen, path))
		pthread_cond_signal(&p->wake);
}

/* A process that executes a setuid program is told to have ended by then, and goes on. */
static void placer_exit(struct placer *p, uint32_t pid)
{
	if (!placer_has(&p->executing, pid))
		placer_forget(p, pid);
}

static void placer_see(struct placer *p, const struct raw_event *ev)
{
	const uint32_t pid = (uint32_t)ev->pid;

	switch (ev->kind) {
	case RAW_FORK:
		/* It comes twice: as soon as it is known, and in its turn. */
		if (ev->pid == ev->fork.ppid || !placer_has(&p->targets, (uint32_t)ev->fork.ppid) ||
		    (placer_has(&p->targets, pid) && !placer_has(&p->executing, pid)))
			return;
		placer_remove_pid(&p->executing, pid);
		placer_follow(p, pid);
		placer_ask(p, pid, (uint32_t)ev->fork.ppid, ev->time_ns);
		return;
	case RAW_MMAP:
		placer_executed(p, pid, ev->mmap.path);
		if (p->everywhere ? placer_is_about(p, ev->mmap.path, NULL) || placer_has(&p->called, pid) :
		    placer_has(&p->targets, pid))
			placer_ask(p, pid, 0, ev->time_ns);
		return;
	case RAW_COMM:
		placer_name(p, pid, ev->comm.comm);
		placer_execute(p, pid);
		return;
	default:
		if (ev->pid == ev->tid)
			placer_exit(p, pid);
		return;
	}
}

void placer_event(struct placer *p, const struct raw_event *ev)
{
	if (ev->kind != RAW_FORK && ev->kind != RAW_EXIT && (ev->kind != RAW_MMAP || !(ev->mmap.prot & PROT_EXEC)) &&
	    (ev->kind != RAW_COMM || !ev->comm.exec))
		return;
	pthread_mutex_lock(&p->lock);
	placer_see(p, ev);
	pthread_mutex_unlock(&p->lock);
}

static void placer_order(struct placer *p, const struct order *order)
{
	struct order *at;

	pthread_mutex_lock(&p->lock);
	at = vec_push(&p->orders);
	if (at)
		*at = *order;
	else
		free(order->text);
	pthread_cond_signal(&p->wake);
	pthread_mutex_unlock(&p->lock);
}

void placer_add(struct placer *p, const char *text)
{
	char *copy = strdup(text);

	if (copy)
		placer_order(p, &(struct order){ .text = copy, .probe = PROBE_NONE });
}

void placer_remove(struct placer *p, uint32_t probe)
{
	placer_order(p, &(struct order){ .probe = probe });
}

void placer_growth(struct placer *p, uint32_t interval)
{
	placer_order(p, &(struct order){ .of = ORDER_GROWTH, .interval = interval });
}

void placer_blocks(struct placer *p, uint32_t interval)
{
	placer_order(p, &(struct order){ .of = ORDER_BLOCKS, .interval = interval });
}

bool placer_told(struct placer *p, struct placer_answer *ret)
{
	bool any;

	pthread_mutex_lock(&p->lock);
	any = p->answers.n;
	if (any) {
		*ret = p->answers.v[0];
		memmove(p->answers.v, p->answers.v + 1, --p->answers.n * sizeof(*ret));
	}
	pthread_mutex_unlock(&p->lock);
	return any;
}

void placer_targets(struct placer *p, u32_vec *ret)
{
	pthread_mutex_lock(&p->lock);
	if (vec_reserve(ret, p->targets.n))
		for (size_t i = 0; i < p->targets.n; i++)
			ret->v[ret->n++] = p->targets.v[i];
	pthread_mutex_unlock(&p->lock);
}

void placer_figures(struct placer *p, struct placer_figures *ret)
{
	pthread_mutex_lock(&p->lock);
	*ret = p->figures;
	pthread_mutex_unlock(&p->lock);
}

int placer_new(const struct placer_config *c, struct placer **ret, struct err *e)
{
	AUTO(placer_free) struct placer *p = calloc(1, sizeof(*p));
	const bool told = placing_follows_told(c->what) && !c->everywhere;
	int r;

	if (!p)
		return err_nomem(e, "probes");
	p->source = c->source;
	p->no_programs = c->no_programs;
	p->unpriced = PROBE_NONE;
	p->budget = c->budget;
	p->thins = c->thins;
	p->everywhere = p->figures.everywhere = c->everywhere;
	p->scale = p->next_scale = 1;
	p->spent = BUDGET_SPENT;
	p->figures.blocks = p->had_blocks = placing_follows_blocks(c->what);
	thread_mutex_init(&p->lock);
	thread_cond_init(&p->wake);
	p->unseen = told ? unseen_new() : NULL;
	if (!vec_reserve(&p->sets, 1) || (told && !p->unseen))
		return err_nomem(e, "probes");
	p->sets.v[p->sets.n++] = (struct probe_set){ .what = c->what };
	for (uint32_t i = 0; i < PROBES_MAX; i++)
		if (placing_probes(c->what) >> i & 1)
			probes_set_off(i, false);
	for (size_t i = 0; i < c->n; i++) {
		if (!p->everywhere)
			placer_follow(p, c->pids[i]);
		placer_look(p, (pid_t)c->pids[i], 0, 0);
	}
	r = pthread_create(&p->thread, NULL, placer_main, p);
	if (r)
		return err_set(e, r, "cannot start the thread that places probes: %s", strerror(r));
	p->running = true;
	*ret = take_ptr(p);
	return 0;
}

void placer_end(struct placer *p)
{
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_signal(&p->wake);
	pthread_mutex_unlock(&p->lock);
	if (p->running)
		pthread_join(p->thread, NULL);
	p->running = false;
	placer_look_unseen(p);
}

void placer_free(struct placer *p)
{
	if (!p)
		return;
	placer_end(p);
	unseen_free(p->unseen);
	for (size_t i = 0; i < p->placed.n; i++)
		placed_free(&p->placed.v[i]);
	vec_free(&p->placed);
	vec_free(&p->done);
	vec_free(&p->asked);
	vec_free(&p->answers);
	for (size_t i = 0; i < p->orders.n; i++)
		free(p->orders.v[i].text);
	vec_free(&p->orders);
	for (size_t i = 0; i < p->sets.n; i++)
		placing_free(p->sets.v[i].own);
	vec_free(&p->sets);
	vec_free(&p->targets);
	vec_free(&p->executing);
	vec_free(&p->called);
	vec_free(&p->unwinding);
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
