/* SPDX-License-Identifier: BSD-2-Clause */
/* parked.c - deep copies of samples in one allocation each. */
#include "config.h"

#include "engine/parked.h"

#include <stdlib.h>
#include <string.h>

void parked_init(struct parked *q)
{
	memset(q, 0, sizeof(*q));
	q->tail = &q->head;
}

static size_t parked_words(size_t bytes)
{
	return (bytes + 7) / 8;
}

/*
 * 8-byte words that the variable parts of EV take. Each part is bounded by the wire format, so the
 * sum cannot overflow.
 */
static size_t data_words(const struct raw_event *ev)
{
	const struct raw_sample *s = &ev->sample;
	size_t n = s->nr_kernel + s->user.nr_walked + parked_words((size_t)s->taken.nr * s->taken.record);

	for (uint32_t i = 0; i < s->user.nr_segments; i++)
		n += parked_words(s->user.segment[i].len);
	if (ev->kind != RAW_EVENT)
		return n;
	n += ev->hit.nr_args;
	for (uint32_t i = 0; i < ev->hit.nr_texts; i++)
		n += parked_words(ev->hit.text[i].len);
	return n;
}

static void *parked_append(uint64_t **at, const void *src, size_t bytes)
{
	void *dst = *at;

	if (bytes)
		memcpy(dst, src, bytes);
	*at += parked_words(bytes);
	return dst;
}

static void append_hit(uint64_t **at, struct raw_hit *hit)
{
	hit->arg = parked_append(at, hit->arg, 8ul * hit->nr_args);
	for (uint32_t i = 0; i < hit->nr_texts; i++)
		hit->text[i].bytes = parked_append(at, hit->text[i].bytes, hit->text[i].len);
}

bool parked_add(struct parked *q, const struct raw_event *ev, uint64_t now_ns, thread_id thread,
		struct process_hold *hold)
{
	const size_t bytes = sizeof(struct parked_sample) + 8 * data_words(ev);
	struct parked_sample *p;
	struct raw_sample *s;
	uint64_t *at;

	if (bytes > PARKED_BYTES_MAX - q->bytes)
		return false;
	p = malloc(bytes);
	if (!p)
		return false;
	p->next = NULL;
	p->since_ns = now_ns;
	p->bytes = bytes;
	p->thread = thread;
	p->hold = hold;
	p->ev = *ev;
	s = &p->ev.sample;
	at = p->data;
	s->kernel = parked_append(&at, s->kernel, 8ul * s->nr_kernel);
	s->user.walked = parked_append(&at, s->user.walked, 8ul * s->user.nr_walked);
	for (uint32_t i = 0; i < s->user.nr_segments; i++)
		s->user.segment[i].bytes = parked_append(&at, s->user.segment[i].bytes, s->user.segment[i].len);
	s->taken.bytes = parked_append(&at, s->taken.bytes, (size_t)s->taken.nr * s->taken.record);
	if (ev->kind == RAW_EVENT)
		append_hit(&at, &p->ev.hit);
	*q->tail = p;
	q->tail = &p->next;
	q->bytes += bytes;
	q->n++;
	return true;
}

void parked_each(struct parked *q, bool (*try)(void *ctx, const struct parked_sample *s), void *ctx)
{
	struct parked_sample **at = &q->head;

	while (*at) {
		struct parked_sample *p = *at;

		if (!try(ctx, p)) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		q->bytes -= p->bytes;
		q->n--;
		free(p);
	}
	q->tail = at;
}
