/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * alloc_facts.c - weighs blocks and knows which process they are of: a pid belongs to one process
 * until that ends, and events come in the order of time.
 */
#include "config.h"

#include "engine/alloc_facts.h"

#include "base/hash.h"

#include <stdlib.h>

struct alloc_facts {
	struct alloc_facts_config config;
	struct blocks *blocks;
	uint64_t draws;          /* random numbers drawn */
	uint64_t dropped;        /* blocks for which the kernel half had no room */
	uint64_t unfollowed_ns;  /* alloc_facts_unfollowed_ns() */
};

static void alloc_facts_tell(void *sink, const struct event *ev)
{
	event_sink_add(sink, ev);
}

struct alloc_facts *alloc_facts_new(const struct alloc_facts_config *c)
{
	AUTO(alloc_facts_free) struct alloc_facts *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->config = *c;
	a->blocks = blocks_new(&(struct blocks_config){ .tell = alloc_facts_tell, .ctx = c->sink });
	return a->blocks ? take_ptr(a) : NULL;
}

void alloc_facts_free(struct alloc_facts *a)
{
	if (!a)
		return;
	blocks_free(a->blocks);
	free(a);
}

/* The block that RAW tells of stands for as many as RAW does: the probe was there for part of the time. */
static void alloc_facts_begin(struct alloc_facts *a, const struct raw_event *raw, const struct event *ev)
{
	const uint64_t size = raw->hit.arg[1], scale = raw->hit.count ? raw->hit.count : 1;
	struct block_begin b = {
		.process = (uint64_t)raw->pid, .addr = raw->hit.arg[0], .size = size, .interval = a->config.interval,
		.time_ns = ev->time_ns, .thread = ev->thread, .stack = ev->stack, .cpu = ev->cpu, .node = ev->node,
		.unfollowed = raw->hit.nr_args > 2 && raw->hit.arg[2],
		.cut = ev->cut, .method = ev->method, .walk = ev->walk, .cut_module = ev->cut_module,
	};

	/* It has no address where frees cannot be seen. */
	if (scale > 1 || !b.addr)
		alloc_facts_unfollow(a, raw->time_ns);
	a->dropped += b.unfollowed && scale == 1;
	b.unfollowed |= a->unfollowed_ns > 0;
	if (raw->hit.nr_args > 3)
		b.weight = alloc_weight_told(size, raw->hit.arg[3], a->config.interval, hash_u64(++a->draws),
					     &b.interval);
	else
		b.weight = alloc_weight(size, a->config.interval, hash_u64(++a->draws));
	b.weight.bytes *= scale;
	b.weight.blocks = b.weight.blocks < UINT32_MAX / scale ? b.weight.blocks * (uint32_t)scale : UINT32_MAX;
	blocks_begin(a->blocks, &b);
}

bool alloc_facts_at(const struct alloc_facts *a, pid_t pid, uint64_t addr, stack_id *ret_stack, uint32_t *ret_offset)
{
	return a && blocks_at(a->blocks, (uint64_t)pid, addr, ret_stack, ret_offset);
}

void alloc_facts_hit(struct alloc_facts *a, const struct raw_event *raw, const struct event *ev)
{
	if (raw->hit.nr_args < 2)
		return;
	if (ev->kind == EVENT_ALLOC)
		alloc_facts_begin(a, raw, ev);
	else
		blocks_end(a->blocks, &(struct block_end){
			.process = (uint64_t)raw->pid, .addr = raw->hit.arg[0], .time_ns = ev->time_ns,
			.thread = ev->thread, .temporary = raw->hit.arg[1] });
}

void alloc_facts_process(struct alloc_facts *a, const struct raw_event *raw)
{
	if (raw->kind == RAW_EXIT && raw->pid == raw->tid)
		blocks_process_over(a->blocks, (uint64_t)raw->pid, raw->time_ns);
	else if (raw->kind == RAW_COMM && raw->comm.exec)
		blocks_process_exec(a->blocks, (uint64_t)raw->pid, raw->time_ns);
}

void alloc_facts_in_use(struct alloc_facts *a, uint64_t now_ns, struct event_sink *sink)
{
	if (a->config.frees && !a->unfollowed_ns)
		blocks_tell_in_use(a->blocks, now_ns, a->config.older_ns, alloc_facts_tell, sink);
}

void alloc_facts_finish(struct alloc_facts *a, uint64_t now_ns)
{
	alloc_facts_in_use(a, now_ns, a->config.sink);
}

void alloc_facts_figures(const struct alloc_facts *a, struct blocks_figures *ret)
{
	blocks_figures(a->blocks, ret);
	ret->dropped += a->dropped;
}

void alloc_facts_unfollow(struct alloc_facts *a, uint64_t now_ns)
{
	if (!a->unfollowed_ns)
		a->unfollowed_ns = now_ns;
}

uint64_t alloc_facts_unfollowed_ns(const struct alloc_facts *a)
{
	return a->unfollowed_ns;
}
