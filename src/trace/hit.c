/* SPDX-License-Identifier: BSD-2-Clause */
/* hit.c - see hit.h. A hit is one block of memory: its texts stand behind it. */
#include "config.h"

#include "trace/hit.h"

#include "bpf/wire.h"
#include "model/probes.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(HIT_PRINT == SB_TEXT_PRINT, "as the kernel half tells them");

static size_t hit_text_bytes(const struct raw_hit *raw)
{
	size_t n = 0;

	for (unsigned int i = 0; i < raw->nr_texts; i++)
		n += raw->text[i].len;
	return n;
}

static void hit_copy_texts(struct hit *h, const struct raw_hit *raw)
{
	char *at = (char *)(h + 1);

	for (unsigned int i = 0; i < raw->nr_texts && i < RAW_TEXTS_MAX; i++) {
		const struct raw_text *t = &raw->text[i];

		memcpy(at, t->bytes, t->len);
		h->text[h->nr_texts++] = (struct hit_text){ (uint8_t)t->arg, t->cut, t->unread, t->len, at };
		at += t->len;
	}
}

/* Whoever is older has fewer arguments; what is missing is not known. */
static uint64_t hit_raw_arg(const struct raw_hit *raw, unsigned int i)
{
	return i < raw->nr_args ? raw->arg[i] : 0;
}

static void hit_take_call(struct hit *h, const struct raw_hit *raw)
{
	h->nr_args = raw->nr_args < HIT_CALL_ARGS ? raw->nr_args : HIT_CALL_ARGS;
	h->result = (int64_t)hit_raw_arg(raw, SB_CALL_RESULT);
	h->call = raw->nr_args > SB_CALL_NUMBER ? (uint32_t)raw->arg[SB_CALL_NUMBER] : HIT_NO_CALL;
	h->file = (struct hit_file){ hit_raw_arg(raw, SB_CALL_FILE), hit_raw_arg(raw, SB_CALL_FILE + 1) };
	h->made = (struct hit_file){ hit_raw_arg(raw, SB_CALL_MADE), hit_raw_arg(raw, SB_CALL_MADE + 1) };
}

struct hit *hit_new(const struct raw_event *ev, bool call, stack_id stack)
{
	const struct raw_hit *raw = &ev->hit;
	const size_t bytes = sizeof(struct hit) + hit_text_bytes(raw);
	struct hit *h = calloc(1, bytes);
	const struct measure *m;

	if (!h)
		return NULL;
	h->bytes = bytes;
	h->time_ns = ev->time_ns;
	h->open = raw->open;
	h->count = raw->count ? raw->count : 1;
	h->cpu = ev->cpu;
	h->probe = raw->probe - RAW_PROBE_PLACED;
	m = probes_measure(h->probe);
	/* A probe at a return counts, though it is known when the call began. */
	h->timed = raw->begun_ns && !(m && m->unit == UNIT_COUNT);
	h->latency_ns = h->timed ? raw->value : 0;
	h->pid = ev->pid;
	h->tid = ev->tid;
	memcpy(h->comm, ev->sample.comm, sizeof(h->comm));
	h->stack = stack;
	h->call = HIT_NO_CALL;
	h->nr_args = raw->nr_args < RAW_ARGS_MAX ? raw->nr_args : RAW_ARGS_MAX;
	for (unsigned int i = 0; i < h->nr_args; i++)
		h->arg[i] = raw->arg[i];
	h->unread = raw->unread;
	if (call)
		hit_take_call(h, raw);
	hit_copy_texts(h, raw);
	return h;
}

void hit_free(struct hit *h)
{
	if (h)
		free(h->event);
	free(h);
}

const struct hit_text *hit_text_of(const struct hit *h, unsigned int arg)
{
	for (unsigned int i = 0; i < h->nr_texts; i++)
		if (h->text[i].arg == arg)
			return &h->text[i];
	return NULL;
}

bool hit_of_branch(const struct hit *h, struct hit_branch *ret)
{
	if (h->nr_args < SB_BRANCH_ARGS)
		return false;
	*ret = (struct hit_branch){
		.number = (uint32_t)h->arg[SB_BRANCH_NUMBER], .returned = h->arg[SB_BRANCH_RETURNED],
		.sp = h->arg[SB_BRANCH_SP], .result = h->arg[SB_BRANCH_RESULT],
	};
	return true;
}
