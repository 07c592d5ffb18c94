/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * script_reader.c - the thread that asks plug-ins: whether a process is theirs, with which plan, and what its
 * frames are called.
 *
 * It reads memory and files of the process without holding the lock. Whatever it found is told only if
 * the process is still the same by then.
 */
#include "config.h"

#include "engine/scripts_private.h"

#include "base/clock.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* before an interpreter that has only begun is looked at again, then twice as long */
#define LATER_NS (20 * NSEC_PER_MSEC)
#define TRIES_MAX 12u

/* What the plug-in has said of a batch of frames. */
struct script_batch {
	struct sberf_sink sink;          /* first: a plug-in has its address */
	struct scripts *s;
	uint32_t n, bytes;               /* frames, and bytes of the record of each */
	uint32_t frame[SCRIPT_BATCH];
	_Alignas(8) uint8_t records[SCRIPT_BATCH * SBERF_PLAN_RECORD_MAX];
};

static char *reader_clean(const char *text)
{
	const size_t len = strlen(text), size = 3 * len + 1;
	char *clean = malloc(size);

	if (clean)
		text_sanitise(clean, size, text, len);
	return clean;
}

static int reader_said(struct sberf_sink *sink, size_t i, const struct sberf_said *said)
{
	struct script_batch *b = (struct script_batch *)sink;
	struct script_frame *f;
	char *function, *file;

	if (i >= b->n || !said->function || !*said->function)
		return -EINVAL;
	function = reader_clean(said->function);
	file = reader_clean(said->file ? said->file : "");
	pthread_mutex_lock(&b->s->lock);
	f = &b->s->frame.v[b->frame[i]];
	if (function && file && f->naming == NAMING_ASKED) {
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
	return 0;
}

static void reader_detach(struct scripts *s, struct script_process *p)
{
	if (p->attached && s->plugin->detach)
		s->plugin->detach(p->attached);
	p->attached = NULL;
	script_host_free(p->host);
	p->host = NULL;
}

static struct sb_plan plan_of(const struct sberf_plan *p, uint64_t serial)
{
	struct sb_plan plan = { .serial = serial };

	for (uint32_t i = 0; i < p->nr_steps && i < SB_PLAN_STEPS; i++)
		plan.step[i] = (struct sb_plan_step){ p->steps[i].op, p->steps[i].count, p->steps[i].value };
	return plan;
}

/* Attaches the plug-in to P, whose life is LIFE. Its answer. */
static int reader_attach(struct scripts *s, struct script_process *p, uint32_t life, struct sberf_plan *ret)
{
	int r;

	reader_detach(s, p);
	p->host_life = life;
	p->host = script_host_new(p->pid);
	if (!p->host)
		return -ENOENT;
	r = s->plugin->attach(script_host_of(p->host), script_host_process(p->host), &p->attached);
	script_host_begin(p->host);
	*ret = (struct sberf_plan){ .size = sizeof(*ret) };
	r = r ? r : s->plugin->plan(p->attached, ret);
	return r;
}

/* P is of no language that anybody knows, or not yet: R is what the plug-in has said. */
static void reader_refuse(struct scripts *s, struct script_process *p, int r)
{
	const bool again = r == -EAGAIN && p->tries < TRIES_MAX;

	p->state = again ? SCRIPT_STATE_LATER : SCRIPT_STATE_NONE;
	p->later_ns = clock_mono_ns() + (LATER_NS << p->tries);
	p->tries++;
	if (p->host && *script_host_said(p->host))
		text_format(s->figures.said, sizeof(s->figures.said), "%s", script_host_said(p->host));
}

/* Looks whether the process AT is one that the plug-in knows. */
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
	steps = plan_of(&plan, p->serial);
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

	if (p->attached && p->host_life == life && s->plugin->expand) {
		pthread_mutex_unlock(&s->lock);
		script_host_begin(p->host);
		s->plugin->expand(p->attached, &taken, &b->sink);
		pthread_mutex_lock(&s->lock);
	}
	if (s->stop)
		return;
	reader_give_up(s, b);
	pthread_cond_broadcast(&s->named);
}

/* All that was asked for is done: what was in the lists is forgotten. */
static void reader_rest(struct scripts *s)
{
	s->looks.n = s->looked = s->names.n = s->named_to = 0;
	pthread_cond_broadcast(&s->named);
	pthread_cond_wait(&s->work, &s->lock);
}

void *script_reader(void *arg)
{
	struct scripts *s = arg;
	struct script_batch batch = { .sink = { .size = sizeof(batch.sink), .say = reader_said }, .s = s };

	pthread_mutex_lock(&s->lock);
	while (!s->stop) {
		if (s->looked < s->looks.n)
			reader_look(s, s->looks.v[s->looked++]);
		else if (s->named_to < s->names.n)
			reader_name(s, &batch);
		else
			reader_rest(s);
	}
	for (size_t i = 0; i < s->process.n; i++)
		reader_detach(s, s->process.v[i]);
	s->ended = true;
	pthread_cond_broadcast(&s->named);
	pthread_mutex_unlock(&s->lock);
	scripts_unref(s);
	return NULL;
}
