/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sink.h - takes what the readers of foreign text found: names become frames, stacks become facts.
 * Private to imports.
 *
 * A frame is its module and its name: two places in one function are one frame. What is not clean
 * text (base/text.h) is made so here, once and for all.
 */
#ifndef SBERF_IMPORT_SINK_H
#define SBERF_IMPORT_SINK_H

#include "base/err.h"
#include "base/vec.h"
#include "import/import.h"
#include "model/event.h"
#include "model/measure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sink {
	struct profile *profile;
	struct dict *dict;
	struct names *names;
	struct profile_meta *meta;
	VEC(char) clean;         /* room for a text made clean */
	VEC(struct name) run;    /* room for the names of one frame */
	uint64_t total_ns;       /* of all weights */
	uint64_t stacks;         /* added */
	uint64_t changed;        /* different names that were not clean */
	uint64_t deep;           /* stacks that were cut at SINK_DEPTH_MAX */
};

/* A function as a text has it. */
struct sink_name {
	const char *text;
	size_t len;
	uint8_t kind;            /* enum func_kind */
};

#define SINK_RUN_MAX 256u        /* inlined calls that one frame can have */
#define SINK_DEPTH_MAX 65000u    /* functions that a stack can have: trees have little more levels */

/* sink_free() in any case. -ENOMEM with a sentence. */
int sink_init(struct sink *s, struct profile *p, struct names *names, struct profile_meta *meta, struct err *e);
void sink_free(struct sink *s);

/* No room for more names or modules: what is read from here on would not be told apart, so reading should end. */
bool sink_full(const struct sink *s);

/* The module of KIND whose path is PATH ("" = not known); ID_NONE when out of memory. */
module_id sink_module(struct sink *s, enum module_kind kind, const char *path, size_t len);

/*
 * The frame of MODULE that is N functions (at least 1, at most SINK_RUN_MAX), outermost first: the
 * function itself, then what was inlined. TEXT of LEN bytes tells it from others there: the name
 * when N is 1. ID_NONE when out of memory.
 */
frame_id sink_frame(struct sink *s, module_id module, const char *text, size_t len,
		    const struct sink_name *name, size_t n);

/* A thread called COMM; with PID and TID 0 it is told by its name alone. ID_NONE when out of memory. */
thread_id sink_thread(struct sink *s, pid_t pid, pid_t tid, const char *comm, size_t len);

/* What one of what is counted weighs, where that is no time. */
static inline uint64_t sink_one(void)
{
	return measure_one(measure_get(MEASURE_IMPORTED));
}

/* Whether WEIGHT can be added: false when all weights together would be more than can be counted. */
bool sink_weighs(const struct sink *s, uint64_t weight);
/*
 * Adds SAMPLES, which weigh WEIGHT together. KIND: EVENT_SAMPLE, EVENT_COUNTED of what is no time,
 * or, of time off the CPU, EVENT_BLOCKED and EVENT_RUNNABLE. A negative errno with a sentence.
 */
int sink_add(struct sink *s, unsigned int kind, uint64_t time_ns, thread_id thread, stack_id stack, uint64_t weight,
	     uint64_t samples,
	     struct err *e);

/* Adds EV, which is about a block of memory. Its allocations are what sink_weighs() counts. The same. */
int sink_add_block(struct sink *s, const struct event *ev, struct err *e);

#endif
