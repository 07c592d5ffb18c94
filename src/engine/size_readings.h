/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * size_readings.h - how large the memory of the processes of the target is, over time: what the kernel counts for each,
 * every second, more often in its first one, and every few seconds what is resident by kind of mapping
 * (numa/procsizes.h). Each reading becomes events of EVENT_SIZE. What a process had when it was last read stays when it
 * has ended.
 *
 * For one thread, the engine.
 */
#ifndef SBERF_ENGINE_SIZE_READINGS_H
#define SBERF_ENGINE_SIZE_READINGS_H

#include "base/cleanup.h"
#include "engine/event_sink.h"
#include "model/raw.h"
#include "process/process.h"

#include <stdint.h>
#include <sys/types.h>

struct sizes;

/* What is borrowed must outlive the result, which is the caller's; NULL when out of memory. */
struct sizes *sizes_new(struct processes *ps, struct dict *dict, struct event_sink *sink);
void sizes_free(struct sizes *s);                /* NULL is fine */

/* The process PID is of the target. */
void sizes_add(struct sizes *s, pid_t pid);
/* RAW, any event, may mean that a process ends. */
void sizes_process(struct sizes *s, const struct raw_event *raw);

/* Reads what is due at NOW_NS. */
void sizes_turn(struct sizes *s, uint64_t now_ns);
/* Reads all for the last time, mappings for at most 0.1 s: those of the process whose were read first, first. */
void sizes_finish(struct sizes *s, uint64_t now_ns);

DEFINE_AUTO(sizes_free, struct sizes);

#endif
