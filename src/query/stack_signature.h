/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack_signature.h - how a stack reads: the functions of the program, innermost first. Private to queries.
 *
 * What a program waits for is said by the call; so the frames of the kernel and those in which libc goes there ("fsync",
 * "__futex_abstimed_wait_common64") are left out. Where memory is touched, the question is who wanted that: there libc is left out
 * altogether, and what allocates, fills and copies in other libraries. A stack that has nothing else is read whole, and one of a
 * kernel thread from where it calls the scheduler.
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
	bool no_inlines;         /* functions that were inlined are left out too */
	bool touches;            /* of memory; else waits */
	uint32_t funcs;          /* there is a memo for; 0 = none */
	uint64_t *func;          /* by func_id: hash of the name, 0 = not known yet */
	uint8_t *entry;          /* by func_id: whether it is a way into the kernel; 0 = not known yet */
	uint64_t *stack;         /* by stack_id: hash of what it reads from there outwards, 0 = not known yet */
	VEC(stack_id) path;
};

/* With memos, for many stacks. False when out of memory: to be freed all the same. */
bool stack_signature_init(struct stack_signature *r, const struct dict *d, const struct names *names, bool no_inlines, bool touches);
void stack_signature_free(struct stack_signature *r);

/* Equal for stacks that read the same, and the same in every refresh while names are; 0 when out of memory. Needs the memos. */
uint64_t stack_signature_hash(struct stack_signature *r, stack_id stack);

/*
 * The innermost frame of STACK that is read, STACK_ROOT = none, and in *RET_NAME the first of its names; of all frames outside of it
 * all names are, or, with no_inlines, the last. Needs no memos; uses that of entries where there is one.
 */
stack_id stack_signature_first(const struct stack_signature *r, stack_id stack, uint32_t *ret_name);

/* "bio_aof_fsync › bioProcessBackgroundJobs › start_thread", or "[no stack]". Needs no memos. Returns DST. */
char *stack_signature_text(const struct stack_signature *r, stack_id stack, char *dst, size_t size);

#endif
