/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * script_reader.c - the thread that asks plug-ins: whether a process is theirs, with which plan, and what its
 * frames are called.
 *
 * It reads memory and files of the process without holding the lock. Whatever it found is told only if
 * the process is still the same by then.
 */
#include "config.h"

#include "engine/script_plan.h"
#include "engine/scripts_private.h"

#include "base/clock.h"
#include "base/text.h"
#include "system/procfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* before an interpreter that has only begun is looked at again, then twice as long */
#define LATER_NS (20 * NSEC_PER_MSEC)
#define TRIES_MAX 12u
#define THREAD_LATER_NS (500 * NSEC_PER_MSEC)    /* before threads are asked about again that had no name */

/* A batch of frames that are to be named. */
struct script_batch {
	struct scripts *s;
	uint32_t n, bytes;               /* frames, and bytes of the record of each */
	uint32_t frame[SCRIPT_BATCH];
	_Alignas(8) uint8_t records[SCRIPT_BATCH * SBERF_PLAN_RECORD_MAX];
};

/* Takes what a plug-in says of the frame I of a batch: its texts are clean. */
static void reader_said(void *ctx, size_t i, const struct sberf_said *said)
{
	struct script_batch *b = ctx;
	struct script_frame *f;
	char *function = strdup(said->function), *file = strdup(said->file);

	pthread_mutex_lock(&b->s->lock);
	f = i < b->n ? &b->s->frame.v[b->frame[i]] : NULL;
	if (f && function && file && f->naming == NAMING_ASKED) {
		f->function = take_ptr(function);
		f->file = take_ptr(file);
		f->line = said->line;
		f->first_line = said->start <= UINT32_MAX ? (uint32_t)said->start : 0;
		f->note = said->kind == SBERF_SAID_NOTE;
		f->naming = NAMING_DONE;
		b->s->figures.nameless += f->note;
	}
	pthread_mutex_unlock(&b->s->lock);
	free(function);
	free(file);
}

/* A handle of /proc/PID of the process CTX, while that is still the one that was attached to. */
static int reader_open(void *ctx, uint32_t id)
{
	struct script_process *p = ctx;
	AUTO_FD int dir = proc_open(p->pid);
	struct proc_stat st;

	(void)id;
	if (dir < 0 || proc_read_stat(dir, &st))
		return -ESRCH;
	if (!p->start_ticks)
		p->start_ticks = st.start_ticks;
	return p->start_ticks == st.start_ticks ? take_fd(&dir) : -ESRCH;
}

static void reader_detach(struct script_process *p)
{
	plugin_process_free(take_ptr(p->seen));
}

/* Asks for a plan of P, whose life is LIFE. 0 or a negative errno: -EAGAIN = later. */
static int reader_attach(struct scripts *s, struct script_process *p, uint32_t life, struct sberf_plan *ret)
{
	const struct plugin_source source = { .pid = p->pid, .process = reader_open, .ctx = p };

	if (p->seen_life != life) {
		reader_detach(p);
		p->start_ticks = 0;
	}
	p->seen_life = life;
	if (!p->seen)
		p->seen = plugin_process_new(s->plugins, &source);
	else
		plugin_process_changed(p->seen, SBERF_CHANGED_MAPPINGS);
	*ret = (struct sberf_plan){ .size = sizeof(*ret) };
	return p->seen ? plugin_process_plan(p->seen, ret, &p->plugin) : -ENOMEM;
}

/* P is of no language that anybody knows, or not yet: R is what the plug-in has said. */
static void reader_refuse(struct scripts *s, struct script_process *p, int r)
{
	const bool again = r == -EAGAIN && p->tries < TRIES_MAX;
	struct plugin_info info;

	p->state = again ? SCRIPT_STATE_LATER : SCRIPT_STATE_NONE;
	p->later_ns = clock_mono_ns() + (LATER_NS << p->tries);
	p->tries++;
	for (size_t i = 0; i < plugins_count(s->plugins); i++) {
		plugins_info(s->plugins, i, &info);
		if (*info.log)
			text_format(s->figures.said, sizeof(s->figures.said), "%s", info.log);
	}
}

/* Looks whether the process AT is one that a plug-in knows. */
static void reader_look(struct scripts *s, uint32_t at)
{
	struct script_process *p = s->process.v[at];
	const uint32_t life = p->life;
	struct sberf_plan plan;
	struct sb_plan steps;
	int r;

	pthread_mutex_unlock(&s->lock);
	r = reader_attach(s, p, life, &plan);
	pthread_mutex_lock(&s->lock);
	if (p->life != life || s->stop)
		return;
	if (r) {
		reader_refuse(s, p, r);
		return;
	}
	p->serial = ++s->next_serial;
	p->plan = plan;
	p->placed = false;
	p->state = SCRIPT_STATE_PLANNED;
	script_plan_make(&plan, p->serial, &steps);
	r = source_set_plan(s->source, p->pid, &steps);
	s->figures.processes += !r;
	s->figures.refused += r == -E2BIG;
	if (r)
		p->state = SCRIPT_STATE_NONE;
}

/* Gathers frames of one process that are to be named, from the next one on, to B. Returns the place of the process. */
static uint32_t reader_gather(struct scripts *s, struct script_batch *b, uint32_t *ret_life)
{
	const struct script_frame *first = &s->frame.v[s->names.v[s->named_to]];
	const uint32_t at = first->process, bytes = first->record_bytes;

	*ret_life = first->life;
	b->n = 0;
	while (b->n < SCRIPT_BATCH && s->named_to < s->names.n) {
		struct script_frame *f = &s->frame.v[s->names.v[s->named_to]];

		if (f->process != at || f->life != *ret_life || f->record_bytes != bytes)
			break;
		memcpy(b->records + b->n * bytes, f->record, bytes);
		free(take_ptr(f->record));
		b->frame[b->n++] = s->names.v[s->named_to++];
	}
	b->bytes = bytes;
	return at;
}

/* Frames of B of which nothing was said have no name: their process has ended, or executes another program. */
static void reader_give_up(struct scripts *s, const struct script_batch *b)
{
	for (uint32_t i = 0; i < b->n; i++) {
		struct script_frame *f = &s->frame.v[b->frame[i]];

		if (f->naming != NAMING_ASKED)
			continue;
		f->function = strdup("[python: a function of a process that has ended]");
		f->file = strdup("");
		f->note = true;
		f->naming = f->function && f->file ? NAMING_DONE : NAMING_FAILED;
		s->figures.nameless++;
	}
}

static void reader_name(struct scripts *s, struct script_batch *b)
{
	uint32_t life;
	struct script_process *p = s->process.v[reader_gather(s, b, &life)];
	const struct sberf_taken taken = { .size = sizeof(taken), .nr_records = b->n, .record_bytes = b->bytes,
					   .records = b->records };

	if (p->seen && p->seen_life == life) {
		pthread_mutex_unlock(&s->lock);
		plugin_process_expand(p->seen, p->plugin, &taken, reader_said, b);
		pthread_mutex_lock(&s->lock);
	}
	if (s->stop)
		return;
	reader_give_up(s, b);
	pthread_cond_broadcast(&s->named);
}

/* Threads of one process that are to be named: so few that a call for them stays within its limits. */
struct script_crowd {
	struct scripts *s;
	struct script_process *p;
	uint32_t life, n;
	pid_t tid[SCRIPT_BATCH];
	uint64_t inside[SCRIPT_BATCH];           /* what the process calls them */
};

/* Takes what a plug-in says of the thread I of a crowd. */
static void reader_said_thread(void *ctx, size_t i, const struct sberf_said *said)
{
	struct script_crowd *c = ctx;
	char *name = strdup(said->function);
	struct script_thread *t;

	pthread_mutex_lock(&c->s->lock);
	t = i < c->n && c->p->life == c->life ? script_thread_find(c->p, c->tid[i]) : NULL;
	if (t && name && t->state == THREAD_ASKED) {
		t->name = take_ptr(name);
		t->state = THREAD_NAMED;
	}
	pthread_mutex_unlock(&c->s->lock);
	free(name);
}

/* The number of the thread TID of P in its own pid namespace; 0 = it has ended. */
static uint64_t reader_inside(const struct script_process *p, pid_t tid)
{
	AUTO_FD int dir = proc_open_thread(p->pid, tid);
	struct proc_status status;

	return dir < 0 || proc_read_status(dir, &status) ? 0 : (uint64_t)status.ns_pid;
}

/* Those of C of which nothing was said may have a name a little later. */
static void reader_leave_nameless(struct script_crowd *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		struct script_thread *t = script_thread_find(c->p, c->tid[i]);

		if (t && t->state == THREAD_ASKED) {
			t->state = THREAD_NAMELESS;
			t->later_ns = clock_mono_ns() + THREAD_LATER_NS;
		}
	}
}

/* Asks what some of the threads of the next process in the list are called; it stays there while there are more. */
static void reader_crowd(struct scripts *s)
{
	struct script_process *p = s->process.v[s->crowds.v[s->crowds_to]];
	struct script_crowd c = { .s = s, .p = p, .life = p->life };

	for (size_t i = 0; i < p->thread.n && c.n < SCRIPT_BATCH; i++)
		if (p->thread.v[i].state == THREAD_ASKED)
			c.tid[c.n++] = p->thread.v[i].tid;
	if (c.n < SCRIPT_BATCH) {
		p->threads_asked = false;
		s->crowds_to++;
	}
	if (p->seen && p->seen_life == c.life && c.n) {
		pthread_mutex_unlock(&s->lock);
		for (uint32_t i = 0; i < c.n; i++)
			c.inside[i] = reader_inside(p, c.tid[i]);
		plugin_process_threads(p->seen, p->plugin, c.inside, c.n, reader_said_thread, &c);
		pthread_mutex_lock(&s->lock);
	}
	if (p->life == c.life)
		reader_leave_nameless(&c);
}

/* All that was asked for is done: what was in the lists is forgotten. */
static void reader_rest(struct scripts *s)
{
	s->looks.n = s->looked = s->names.n = s->named_to = s->crowds.n = s->crowds_to = 0;
	pthread_cond_broadcast(&s->named);
	pthread_cond_wait(&s->work, &s->lock);
}

void *script_reader(void *arg)
{
	struct scripts *s = arg;
	struct script_batch batch = { .s = s };

	pthread_mutex_lock(&s->lock);
	while (!s->stop) {
		if (s->looked < s->looks.n)
			reader_look(s, s->looks.v[s->looked++]);
		else if (s->named_to < s->names.n)
			reader_name(s, &batch);
		else if (s->crowds_to < s->crowds.n)
			reader_crowd(s);
		else
			reader_rest(s);
	}
	for (size_t i = 0; i < s->process.n; i++)
		reader_detach(s->process.v[i]);
	s->ended = true;
	pthread_cond_broadcast(&s->named);
	pthread_mutex_unlock(&s->lock);
	scripts_unref(s);
	return NULL;
}
