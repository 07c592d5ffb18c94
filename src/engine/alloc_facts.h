/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * alloc_facts.h - blocks of memory as the kernel half tells of them become events: each allocation and
 * free with what it stands for, and what is in use (memory/blocks.h). For one thread, the engine.
 */
#ifndef SBERF_ENGINE_ALLOC_FACTS_H
#define SBERF_ENGINE_ALLOC_FACTS_H

#include "base/cleanup.h"
#include "engine/event_sink.h"
#include "memory/blocks.h"
#include "model/event.h"
#include "model/raw.h"

#include <stdint.h>

struct alloc_facts;

struct alloc_facts_config {
	uint32_t interval;       /* with which blocks are sampled; at least 1 */
	bool frees;              /* they are followed to their ends; else nothing is known of what is in use */
	uint64_t older_ns;       /* blocks in use for longer are leaked; 0 = only those of processes that have ended */
	struct event_sink *sink; /* outlives it */
};

/* The caller's; NULL when out of memory. */
struct alloc_facts *alloc_facts_new(const struct alloc_facts_config *c);
void alloc_facts_free(struct alloc_facts *a);    /* NULL is fine */

/* EV, which is RAW with its stack, is a block that was allocated or freed. */
void alloc_facts_hit(struct alloc_facts *a, const struct raw_event *raw, const struct event *ev);
/* blocks_at() of the process PID; A may be NULL: then nothing is known of blocks. */
bool alloc_facts_at(const struct alloc_facts *a, pid_t pid, uint64_t addr, stack_id *ret_stack, uint32_t *ret_offset);
/* RAW, any event, may mean that a process ends or executes another program. */
void alloc_facts_process(struct alloc_facts *a, const struct raw_event *raw);

/* Tells SINK what is in use at NOW_NS. It must not keep it: it is provisional. */
void alloc_facts_in_use(struct alloc_facts *a, uint64_t now_ns, struct event_sink *sink);
/* The same for good, at the end. */
void alloc_facts_finish(struct alloc_facts *a, uint64_t now_ns);

void alloc_facts_figures(const struct alloc_facts *a, struct blocks_figures *ret);
/* Probes are taken off and put back from NOW_NS on, if not from earlier. */
void alloc_facts_unfollow(struct alloc_facts *a, uint64_t now_ns);
/*
 * Since when blocks are not followed to their frees any more, CLOCK_MONOTONIC: since then probes are in place
 * for a part of the time only (engine/budget.h), so frees may not be seen. 0 = they are.
 */
uint64_t alloc_facts_unfollowed_ns(const struct alloc_facts *a);

DEFINE_AUTO(alloc_facts_free, struct alloc_facts);

#endif
