/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_decode.c - whatever the bytes, a decoded wire record points only into itself, and a wait
 * ends when its record says. The header's size is made to agree.
 */
#include "config.h"

#include "capture/wire_decode.h"

#include "bpf/wire.h"
#include "model/wait.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *low, *high;

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void inside(const void *p, size_t n)
{
	const uint8_t *at = p;

	must(at >= low && n <= (size_t)(high - at));
}

static void check_sample(const struct raw_sample *s)
{
	must(s->user.nr_regs <= RAW_REGS_MAX && s->user.nr_segments <= RAW_SEGMENTS_MAX);
	must(!s->user.nr_regs == !s->user.machine);
	must(memchr(s->comm, '\0', sizeof(s->comm)));
	for (uint32_t i = 0; i < s->user.nr_segments; i++)
		inside(s->user.segment[i].bytes, s->user.segment[i].len);
	if (s->nr_kernel)
		inside(s->kernel, s->nr_kernel * sizeof(*s->kernel));
	if (s->user.nr_walked)
		inside(s->user.walked, s->user.nr_walked * sizeof(*s->user.walked));
}

static void check_wait(const struct raw_wait *w, uint64_t end_ns)
{
	char name[CALL_NAME_MAX];

	must(w->period_ns && w->blocked_ns <= end_ns && w->runnable_ns <= end_ns - w->blocked_ns);
	must(wait_bucket(w->blocked_ns + w->runnable_ns) < WAIT_BUCKETS);
	must(!w->blocked_ns || (w->call != CALL_PREEMPTED && w->call != CALL_NEW));
	must(memchr(w->waker_comm, '\0', sizeof(w->waker_comm)));
	must(w->context == WAKER_TASK || (!w->waker_tid && !w->waker_comm[0]));
	must(call_name(w->call, NULL, name)[0] && memchr(name, '\0', sizeof(name)));
	must(wait_state_name(w->state)[0] && waker_context_name(w->context)[0]);
	must((unsigned int)wait_class_of(w->call, w->state, NULL) < WAIT_CLASS_NR);
}

static void check_hit(const struct raw_hit *hit, uint64_t end_ns)
{
	must(hit->probe && hit->count && hit->begun_ns <= end_ns && hit->nr_args <= RAW_ARGS_MAX &&
	     hit->nr_texts <= RAW_TEXTS_MAX);
	if (hit->nr_args)
		inside(hit->arg, hit->nr_args * sizeof(*hit->arg));
	for (uint32_t i = 0; i < hit->nr_texts; i++) {
		must(hit->text[i].arg < hit->nr_args);
		inside(hit->text[i].bytes, hit->text[i].len);
	}
}

static void check_event(const struct raw_event *ev)
{
	must(ev->kind == RAW_SAMPLE || ev->kind == RAW_WAIT || ev->kind == RAW_WAKE || ev->kind == RAW_MOVE ||
	     ev->kind == RAW_FAULT || ev->kind == RAW_EVENT || ev->kind == RAW_INSIDE ||
	     ev->kind == RAW_HANDOVER);
	check_sample(&ev->sample);
	if (ev->kind == RAW_WAIT || ev->kind == RAW_MOVE)
		check_wait(&ev->wait, ev->time_ns);
	else if (ev->kind == RAW_FAULT)
		must(ev->sample.addr && ev->sample.period);
	else if (ev->kind == RAW_EVENT)
		check_hit(&ev->hit, ev->time_ns);
	else if (ev->kind == RAW_WAKE)
		must(ev->wake.wait_id);
	else if (ev->kind == RAW_HANDOVER)
		must(ev->handover.lock.address && ev->handover.since_ns <= ev->time_ns &&
		     ev->handover.lock.from <= LOCK_BYTES);
	else if (ev->kind == RAW_INSIDE)
		must(ev->inside.call && raw_inside_begun_ns(ev->inside.call) <= ev->time_ns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);
	const uint32_t n = (uint32_t)size;
	struct raw_event ev;

	must(copy);
	memcpy(copy, data, size);
	if (size >= sizeof(n))
		memcpy(copy, &n, sizeof(n));
	low = copy;
	high = copy + size;
	if (wire_decode_record(copy, size, &ev) == 1)
		check_event(&ev);
	free(copy);
	return 0;
}
