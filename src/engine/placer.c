/* SPDX-License-Identifier: BSD-2-Clause */
/* placer.c - see placer.h. */
#include "config.h"

#include "engine/placer_private.h"

#include "base/clock.h"
#include "base/thread.h"
#include "base/vec.h"
#include "bpf/wire.h"
#include "engine/budget.h"
#include "engine/pointers.h"
#include "engine/unseen.h"
#include "model/probes.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define POINTED_NS (NSEC_PER_SEC / 20)   /* calls by pointers are looked at so often */
#define PROCESSES_MAX 65536u     /* of a target, that are followed */

/* Until somebody asks for something, or it is time. The lock is held. */
static void placer_wait(struct placer *p)
{
	const struct timespec until = clock_timespec(p->pointers && p->pointed_ns < p->due_ns ? p->pointed_ns :
						     p->due_ns);

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

/* Follows what was called by pointers; at the END only counts are read. */
static void placer_look_pointed(struct placer *p, bool end)
{
	struct pointed_figures figures;

	if (!p->pointers)
		return;
	if (end)
		pointers_end(p->pointers, p->source);
	else
		pointers_turn(p->pointers, p->source);
	pointers_figures(p->pointers, &figures);
	p->pointed_ns = clock_mono_ns() + POINTED_NS;
	pthread_mutex_lock(&p->lock);
	p->figures.pointed = figures;
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
		if (p->pointers && now_ns >= p->pointed_ns) {
			pthread_mutex_unlock(&p->lock);
			placer_look_pointed(p, false);
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
	p->pointers = placing_pointers(c->what);
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
	placer_look_pointed(p, true);
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
