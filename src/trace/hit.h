/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hit.h - one hit of a probe as a value that owns all of it: it outlives the buffer of the capture,
 * and goes from the thread that reads to the one that prints.
 */
#ifndef SBERF_TRACE_HIT_H
#define SBERF_TRACE_HIT_H

#include "base/cleanup.h"
#include "model/dict.h"
#include "model/event.h"
#include "model/raw.h"

#include <stddef.h>
#include <stdint.h>

#define HIT_CALL_ARGS 6u
#define HIT_NO_CALL UINT32_MAX
#define HIT_PRINT 16u            /* and from here on, in place of an argument: what is told with a hit beside them */
#define HIT_SAID 255u            /* in place of an argument: the text is the whole of what there is to say */

/* What tells a file apart from others that were open under the same number; all zero = not known. */
struct hit_file {
	uint64_t inode;          /* as /proc/PID/fdinfo/FD has it */
	uint64_t where;          /* made of its device, generation and kind, as the kernel has them */
};

/* Bytes that an argument points to. */
struct hit_text {
	uint8_t arg;             /* its number */
	bool cut;                /* there is more */
	bool unread;             /* it could not be read */
	uint16_t len;
	const char *bytes;       /* raw, without an end; part of the hit */
};

struct hit {
	uint64_t time_ns;        /* CLOCK_MONOTONIC: when it happened, or was over */
	uint64_t latency_ns;     /* from its beginning, of all COUNT together; of a moment 0 */
	uint32_t count;          /* so many hits that were alike, and were added up by the kernel; 1 = it alone */
	bool timed;              /* it has a beginning */
	bool open;               /* it has begun, and will not end */
	uint32_t cpu;
	uint32_t probe;          /* model/probes.h */
	pid_t pid, tid;
	char comm[17];           /* raw bytes, NUL-terminated */
	uint32_t call;           /* number of the system call; HIT_NO_CALL */
	int64_t result;          /* of a call */
	uint32_t nr_args;
	uint64_t arg[RAW_ARGS_MAX];
	uint16_t unread;         /* which of them could not be read, as a mask: these are 0 */
	struct hit_file file;    /* what the descriptor among the arguments stands for ... */
	struct hit_file made;    /* ... and the one that the call returned */
	stack_id stack;          /* ID_NONE = not asked for */
	struct event *event;     /* as it was unwound, for whoever records it; NULL = not kept; owned */
	uint64_t seq;            /* order of arrival */
	size_t bytes;            /* of memory, in all */
	uint32_t nr_texts;
	struct hit_text text[RAW_TEXTS_MAX];
};

/*
 * A copy of RAW, a RAW_EVENT of a probe that somebody placed. CALL: it is one of a system call, whose
 * arguments are those of SB_CALL_* in bpf/wire.h. NULL when out of memory.
 */
struct hit *hit_new(const struct raw_event *raw, bool call, stack_id stack);
void hit_free(struct hit *h);                    /* NULL is fine */

/* The bytes that argument ARG points to; NULL when they could not be read, or were not asked for. */
const struct hit_text *hit_text_of(const struct hit *h, unsigned int arg);

/* What a hit at a basic block says beside its six registers of arguments. */
struct hit_branch {
	uint32_t number;         /* of the block (model/probecode.h) */
	bool returned;           /* the function that begins with it has returned */
	uint64_t sp, result;     /* the registers */
};

/* False when H is none of a basic block. */
bool hit_of_branch(const struct hit *h, struct hit_branch *ret);

DEFINE_AUTO(hit_free, struct hit);

#endif
