/* SPDX-License-Identifier: BSD-2-Clause */
/* placer_places.c - places of probes are put in, taken off and sought again; see placer_private.h. */
#include "config.h"

#include "engine/placer_private.h"

#include "base/clock.h"
#include "base/vec.h"
#include "bpf/wire.h"
#include "collector/proclink.h"
#include "model/probes.h"
#include "system/lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROCESSES_MAX 65536u     /* of a target, that are followed */

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

	x->fd = proclink_open(x->path);
	if (x->fd < 0)
		return false;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", x->fd);
	free(x->path);
	x->places.path = x->path = strdup(path);
	x->places.pid = 0;
	return x->path;
}

void placed_free(struct placed *x)
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

bool placer_has(const u32_vec *v, uint32_t pid)
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

void placer_take_off(struct placer *p)
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

void placer_ask(struct placer *p, uint32_t pid, uint32_t parent, uint64_t since_ns)
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

void placer_put_back(struct placer *p)
{
	for (size_t i = p->placed.n; i-- > 0;) {
		struct placed *x = &p->placed.v[i];

		if (x->links || !placer_is_needed(p, &x->places))
			continue;
		if (!p->everywhere && !proclink_is_there(x->path)) {
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

void placer_look_for(struct placer *p, size_t set, pid_t pid, pid_t parent, uint64_t since_ns)
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

void placer_clear(struct placer *p, pid_t pid)
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

void placer_remove_pid(u32_vec *v, uint32_t pid)
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

void placer_look(struct placer *p, pid_t pid, pid_t parent, uint64_t since_ns)
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
