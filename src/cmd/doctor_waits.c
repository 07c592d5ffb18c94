/* SPDX-License-Identifier: BSD-2-Clause */
/* doctor_waits.c - deadlocks first, then chains, then what each thread waits for, with its stack. */
#include "config.h"

#include "cmd/doctor_waits.h"

#include "cmd/clean.h"
#include "cmd/hung.h"
#include "cmd/symbolize_text.h"
#include "export/waitchain.h"
#include "model/wait.h"
#include "system/lookup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_SHOWN 24u
#define THREADS_SHOWN 200u       /* with their stacks */
/* what holds a lock is a process of several threads: no thread has a number with this bit */
#define PROCESS_BIT 0x80000000u

struct report {
	const struct hung *h;
	VEC(struct waitgraph_wait) wait;         /* for locks, by tid */
	VEC(const struct hung_thread *) of;      /* the thread of each */
};

static void report_clear(struct report *r)
{
	vec_free(&r->wait);
	vec_free(&r->of);
}

static void print_thread(void *ctx, FILE *f, uint32_t tid)
{
	const struct report *r = ctx;
	const struct hung_thread *t = hung_find(r->h, tid & ~PROCESS_BIT);

	if (tid & PROCESS_BIT)
		fputs(t ? "process " : "process", f);
	if (t)
		print_clean(f, t->comm);
	else if (!(tid & PROCESS_BIT))
		fputs("thread", f);
	fprintf(f, " (%" PRIu32 "%s)", tid & ~PROCESS_BIT,
		!t ? "" : t->state == 'T' ? ", stopped" : t->state == 't' ? ", stopped by a debugger" : "");
}

/* Who holds what T waits for, as the graph has it: a lock on a file belongs to all threads of a process. */
static uint32_t holder_of(const struct report *r, const struct hung_thread *t)
{
	size_t threads = 0;

	if (t->kind != LOCK_FILE || !t->lock.holder)
		return t->lock.holder;
	for (size_t i = 0; i < r->h->thread.n; i++)
		threads += r->h->thread.v[i].pid == (pid_t)t->lock.holder;
	return threads == 1 ? t->lock.holder : t->lock.holder | PROCESS_BIT;
}

/* "mutex db_lock (0x5580)", and who holds it where that is no thread that can be named. */
static void print_lock(FILE *f, const struct hung_thread *t)
{
	if (t->kind == LOCK_JOIN && t->lock.holder) {
		fputs("the end of a thread", f);
		return;
	}
	fprintf(f, "%s", lock_kind_name(t->kind));
	if (t->lock_name[0]) {
		fputc(' ', f);
		print_clean(f, t->lock_name);
	}
	if (t->kind != LOCK_FILE)
		fprintf(f, " (0x%" PRIx64 ")", t->lock.address);
	if (t->gone && t->gone_of)
		fprintf(f, ", held by thread %" PRIu32 " of process %d when that forked this one", t->gone,
			(int)t->gone_of);
	else if (t->gone)
		fprintf(f, ", held by thread %" PRIu32 ", which is gone", t->gone);
	else if (t->lock.readers)
		fprintf(f, ", held by %" PRIu32 " reader%s", t->lock.readers, t->lock.readers == 1 ? "" : "s");
}

static void print_what(void *ctx, FILE *f, size_t wait)
{
	const struct report *r = ctx;

	print_lock(f, r->of.v[wait]);
}

/* A thread does not hold its own end. */
static const char *by_of(const struct hung_thread *t)
{
	return t->kind == LOCK_JOIN ? ", " : ", held by ";
}

static const char *print_by(void *ctx, size_t wait)
{
	const struct report *r = ctx;

	return by_of(r->of.v[wait]);
}

static bool is_stopped(const struct hung_thread *t)
{
	return t->state == 'T' || t->state == 't';
}

/* ", which sh (12), make (13) and 2 more can write into" */
static void print_ends(FILE *f, const struct hung_thread *t)
{
	const uint32_t n = t->nr_ends < HUNG_ENDS ? t->nr_ends : HUNG_ENDS;

	fprintf(f, ", which %s", n ? "" : "nobody");
	for (uint32_t i = 0; i < n; i++) {
		char name[64];

		fputs(i ? ", " : "", f);
		if (t->end[i] == t->pid)
			fputs("itself", f);
		else
			print_clean(f, *lookup_comm(t->end[i], name, sizeof(name)) ? name : "process");
		fprintf(f, " (%d)", (int)t->end[i]);
	}
	if (t->nr_ends > n)
		fprintf(f, " and %" PRIu32 " more", t->nr_ends - n);
	fputs(t->reads ? " can write into" : " can read from", f);
}

/* "is in read of pipe:[123]" */
static void print_state(FILE *f, const struct hung_thread *t)
{
	char name[CALL_NAME_MAX];

	if (t->call.running)
		fputs(is_stopped(t) ? "is stopped" : "runs", f);
	else if (t->call.number < 0)
		fputs("is in the kernel, in no system call", f);
	else
		fprintf(f, "%s %s", is_stopped(t) ? "is stopped in" : "is in",
			call_name(CALL_SYSCALL + (uint32_t)t->call.number, NULL, name));
	if (t->kind == LOCK_NONE && t->lock_name[0]) {
		fputs(" of ", f);
		print_clean(f, t->lock_name);
	}
	if (t->at_pipe)
		print_ends(f, t);
	if (t->kernel[0]) {
		fputs(", where no signal wakes it: ", f);
		print_clean(f, t->kernel);
	}
}

/* T, which could run, holds what a thread of a higher priority waits for. */
static void print_inversion(FILE *f, const struct report *r, const struct hung_thread *t)
{
	char own[LOCK_PRIO_TEXT], other[LOCK_PRIO_TEXT];

	for (size_t i = 0; i < r->wait.n; i++) {
		const struct hung_thread *waiter = r->of.v[i];

		if (r->wait.v[i].holder != (uint32_t)t->tid || waiter->prio >= t->prio)
			continue;
		fprintf(f, ", but at a lower priority: %s, and ", lock_priority_text(t->prio, own, sizeof(own)));
		print_thread((void *)r, f, (uint32_t)waiter->tid);
		fprintf(f, " has %s", lock_priority_text(waiter->prio, other, sizeof(other)));
		return;
	}
}

static void print_holder(void *ctx, FILE *f, uint32_t tid)
{
	const struct report *r = ctx;
	const struct hung_thread *t = hung_find(r->h, tid);

	if (tid & PROCESS_BIT)
		fputs("has several threads", f);
	else if (!t)
		fputs("began after this look", f);
	else if (t->kind != LOCK_NONE)
		fputs("comes and goes", f);
	else
		print_state(f, t);
	if (t && t->call.running)
		print_inversion(f, r, t);
}

static void print_frame_function(FILE *f, const struct hung *h, const struct sberf_frame *frame,
			   const struct sberf_function *fn)
{
	struct sberf_module m;

	fputs("    ", f);
	print_clean(f, fn->name);
	if (fn->file[0]) {
		fputs(" at ", f);
		symbolize_print_file(f, fn);
		fprintf(f, ":%" PRIu32, fn->line);
	} else if (!(fn->flags & SBERF_FUNCTION_BY_PLACE) && !sberf_module_info(h->s, frame->module, &m) && m.path[0]) {
		fputs(" in ", f);
		print_clean(f, m.path);
	}
	fputc('\n', f);
}

static void print_stack(FILE *f, const struct hung *h, const struct hung_thread *t)
{
	const size_t n = t->names ? t->names->n : 0;

	for (size_t i = 0; i < n && i < FRAMES_SHOWN; i++) {
		const struct sberf_name *name = &t->names->name[i];

		for (uint32_t k = 0; k < name->nr_functions; k++)
			print_frame_function(f, h, &t->frame[i], &name->functions[k]);
		if (!name->nr_functions)
			fprintf(f, "    0x%" PRIx64 " (%s)\n", t->frame[i].address, sberf_why_text(name->why));
	}
	if (n > FRAMES_SHOWN)
		fprintf(f, "    ... and %zu more\n", n - FRAMES_SHOWN);
	else if (t->cut)
		fprintf(f, "    [truncated: %s]\n", t->cut);
}

static void print_wait(FILE *f, const struct report *r, const struct hung_thread *t)
{
	fputc('\n', f);
	print_thread((void *)r, f, (uint32_t)t->tid);
	fputc(' ', f);
	if (t->kind == LOCK_NONE) {
		print_state(f, t);
	} else {
		fputs(t->asleep ? "waits for " : "has just waited for ", f);
		print_lock(f, t);
		if (t->asleep && t->lock.holder) {
			fputs(by_of(t), f);
			print_thread((void *)r, f, holder_of(r, t));
		}
	}
	fputc('\n', f);
	print_stack(f, r->h, t);
}

/* All waits for locks, with those holders that are sure. */
static int report_link(struct report *r, struct err *e)
{
	for (size_t i = 0; i < r->h->thread.n; i++) {
		const struct hung_thread *t = &r->h->thread.v[i];
		struct waitgraph_wait *w;
		const struct hung_thread **of;

		if (t->kind == LOCK_NONE || !t->asleep)
			continue;
		w = vec_push(&r->wait);
		of = vec_push(&r->of);
		if (!w || !of)
			return err_nomem(e, "who waits for whom");
		*w = (struct waitgraph_wait){ .waiter = (uint32_t)t->tid, .holder = holder_of(r, t) };
		*of = t;
	}
	waitgraph_link(r->wait.v, r->wait.n);
	return 0;
}

/* The longest chains: those whose first thread nobody waits for. */
static void print_chains(const struct report *r, const struct waitchain *c, size_t cycles)
{
	size_t printed = 0;

	for (size_t i = 0; i < c->n && printed < THREADS_SHOWN; i++)
		if (!c->wait[i].behind && (c->wait[i].holder || r->of.v[i]->gone)) {
			if (!printed++)
				puts(cycles ? "who waits for these and others:" : "no cycle:");
			waitchain_print(c, stdout, i);
		}
	if (cycles || printed)
		return;
	if (c->n)
		printf("no cycle: %zu thread%s for locks, of which nobody says who holds them\n", c->n,
		       c->n == 1 ? " waits" : "s wait");
	else
		puts("no thread waits for a lock");
}

/* Those who wait for locks first. */
static void print_waits(const struct report *r)
{
	const size_t n = r->h->thread.n;
	size_t shown = 0;

	for (int others = 0; others < 2; others++)
		for (size_t i = 0; i < n && shown < THREADS_SHOWN; i++)
			if ((r->h->thread.v[i].kind == LOCK_NONE) == others) {
				print_wait(stdout, r, &r->h->thread.v[i]);
				shown++;
			}
	if (n > shown)
		printf("\n... and %zu more threads\n", n - shown);
}

static void print_losses(const struct hung *h)
{
	if (!h->by_registers)
		fprintf(stderr, "sberf doctor: stacks may end early, at functions with a frame pointer: %s\n",
			h->no_registers);
	if (h->denied)
		fprintf(stderr, "sberf doctor: what %" PRIu32 " threads wait for may not be seen\n", h->denied);
	if (h->unread)
		fprintf(stderr, "sberf doctor: the memory of %" PRIu32 " lock%s could not be read\n", h->unread,
			h->unread == 1 ? "" : "s");
}

int doctor_waits(const struct options *o, struct err *e)
{
	__attribute__((cleanup(report_clear))) struct report r = { 0 };
	AUTO(hung_free) struct hung *h = NULL;
	struct waitchain c = { .thread = print_thread, .what = print_what, .by = print_by,
			       .holder = print_holder, .ctx = &r };
	size_t cycles;
	int rc = hung_look(o->ids.v, o->ids.n, &h, e);

	if (rc)
		return rc;
	r.h = h;
	rc = report_link(&r, e);
	if (rc)
		return rc;
	c.wait = r.wait.v;
	c.n = r.wait.n;
	cycles = waitchain_print_cycles(&c, stdout);
	print_chains(&r, &c, cycles);
	print_waits(&r);
	print_losses(h);
	return fflush(stdout) ? -EPIPE : cycles ? EXIT_DEADLOCK : 0;
}
