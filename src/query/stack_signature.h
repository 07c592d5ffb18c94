/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack_signature.h - the reading of a stack: the program's functions, innermost first. Private to
 * queries.
 *
 * For waits the call already says what is waited for; so kernel frames, and the frames in which
 * libc enters the kernel ("fsync", "__futex_abstimed_wait_common64"), are left out. For memory
 * touches the question is who wanted it; so libc is left out altogether, and functions that
 * allocate, fill and copy in other libraries. Of stacks that take a lock, functions that take locks
 * for others are left out, those of libc and of the runtimes of languages. A stack with nothing
 * else is read whole, and one of a kernel thread from where it calls the scheduler.
 */
#ifndef SBERF_QUERY_STACK_SIGNATURE_H
#define SBERF_QUERY_STACK_SIGNATURE_H

#include "base/vec.h"
#include "model/dict.h"
#include "model/names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stack_signature {
	const struct dict *d;
	const struct names *names;
	bool no_inlines;         /* inlined functions are left out too */
	bool touches;            /* stacks touch memory; else they wait, */
	bool takes;              /* for a lock */
	uint32_t funcs;          /* size of the memos; 0 = none */
	uint64_t *func;          /* by func_id: hash of the name, 0 = not known yet */
	uint8_t *entry;          /* by func_id: whether it is an entry into the kernel; 0 = not known yet */
	uint64_t *stack;         /* by stack_id: hash of its reading from there outwards, 0 = not known yet */
	VEC(stack_id) path;
};

/*
 * Initialises R with memos, for many stacks. False when out of memory; call stack_signature_free()
 * in any case.
 */
bool stack_signature_init(struct stack_signature *r, const struct dict *d, const struct names *names,
			  bool no_inlines, bool touches);
void stack_signature_free(struct stack_signature *r);

/*
 * A hash that is equal for stacks with the same reading, and the same in every refresh while names
 * are; 0 when out of memory. Needs the memos.
 */
uint64_t stack_signature_hash(struct stack_signature *r, stack_id stack);

/*
 * The innermost frame of STACK that is part of the reading, STACK_ROOT = none; *RET_NAME is the
 * first of its names that is. Frames outside of it are read with all their names, or, with
 * no_inlines, the last. Needs no memos; uses that of entries if there is one.
 */
stack_id stack_signature_first(const struct stack_signature *r, stack_id stack, uint32_t *ret_name);

/* The function of the kernel that waits in STACK for a lock, outside of what takes locks for others; "" = none. */
const char *stack_signature_kernel_taker(const struct stack_signature *r, stack_id stack);

/* "bio_aof_fsync › bioProcessBackgroundJobs › start_thread", or "[no stack]". Needs no memos. Returns DST. */
char *stack_signature_text(const struct stack_signature *r, stack_id stack, char *dst, size_t size);

#endif
