/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rules.h - defines how to get from a frame to its caller, in eight bytes, and the table that
 * remembers this per place.
 *
 * CFA, the canonical frame address, is the value of sp before the call, and the caller's sp. Of
 * RULE_SP and RULE_BP, arg says where the return address is (RULE_RA_*): where the call of x86-64
 * pushes it, in a slot of its own, beside the frame pointer, or still in the link register.
 * RULE_END says that there is none. All other kinds have it where the call pushes it, unless they
 * say otherwise.
 */
#ifndef SBERF_UNWIND_RULES_H
#define SBERF_UNWIND_RULES_H

#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rule_kind {
	RULE_SP,         /* CFA = sp + cfa */
	RULE_BP,         /* CFA = bp + cfa */
	RULE_PLT,        /* CFA = sp + cfa, and one word more when (pc & 15) >= arg; always where something runs */
	RULE_DRAP,       /* CFA = [bp + cfa], caller's bp = [bp]: a stack that was realigned */
	RULE_END,        /* there is no caller */
	RULE_SIGNAL,     /* everything is in the ucontext at sp */
	RULE_CLONE,      /* behind clone's system call: child = no caller, parent = RULE_NONE */
	RULE_FP,         /* a module that keeps frame pointers instead of CFI */
	RULE_NONE,       /* no information */
	RULE_SLOW,       /* there is CFI, and it needs the complete evaluator */
	RULE_BAD,        /* there is CFI, and it makes no sense */
	RULE_SWITCH,     /* the caller is on another stack: arg says how it is found (SB_SWITCH_* of bpf/wire.h) */
};

#define RULE_PLACED 0x80u        /* in arg: no call left this return address, somebody put it on the stack */
/* in arg: not of a table, but by frame pointers and how functions set them up; always with RULE_FP */
#define RULE_NO_TABLE 0x40u
#define RULE_RA 0x30u            /* in arg of RULE_SP and RULE_BP: where the return address is */
#define RULE_RA_PUSHED 0x00u     /* at CFA - 8 */
#define RULE_RA_BESIDE 0x10u     /* in the word above the caller's bp: at CFA + 8 * bp + 8 */
#define RULE_RA_SLOT 0x20u       /* at CFA + 8 * bp; the caller's bp is the bp of this frame */
#define RULE_RA_LINK 0x30u       /* in the link register, of the frame that runs only; bp as usual */
#define RULE_BP_SAME INT16_MAX   /* rule.bp: the caller's bp is the bp of this frame */

struct rule {
	uint8_t kind;    /* enum rule_kind */
	uint8_t arg;
	int16_t bp;      /* the caller's bp is at CFA + 8 * bp, or RULE_BP_SAME */
	int32_t cfa;     /* bytes */
};

_Static_assert(sizeof(struct rule) == 8, "two rules and two keys in 32 bytes");

/* Is R not of a table: by frame pointers, or how a frame must look where nothing is known? */
static inline bool rule_is_guess(const struct rule *r)
{
	return r->arg & RULE_NO_TABLE || r->kind == RULE_FP || r->kind == RULE_NONE;
}

/* Is R one that a row, or what else is known of a place, can have become? */
bool rule_is_sound(const struct rule *r);

/* An open-addressing table (module, offset) -> rule, with linear probing, at most half full. */
struct rule_slot {
	uint64_t key;    /* rule_key() + 1; 0 = free */
	struct rule rule;
};

struct rule_table {
	struct rule_slot *slot;
	uint64_t mask;   /* slots - 1 */
	uint64_t used;
};

#define RULE_OFFSET_BITS 40
#define RULE_TABLE_MAX (1u << 22)        /* rules at most: 128 MB of slots; then the table starts afresh */

/* False for places that have no key (a file of more than 1 TB): they are asked for each time. */
static inline bool rule_key(module_id module, uint64_t offset, uint64_t *ret)
{
	if (module >= 1u << (64 - RULE_OFFSET_BITS) || offset >> RULE_OFFSET_BITS)
		return false;
	*ret = ((uint64_t)module << RULE_OFFSET_BITS | offset) + 1;
	return true;
}

static inline uint64_t rule_home(const struct rule_table *t, uint64_t key)
{
	/* Fibonacci hashing: the high half of the product depends on every bit of the key. */
	return (key * 0x9e3779b97f4a7c15ull >> 32) & t->mask;
}

/* The rule under KEY, NULL when it is not known. Valid until the next call that adds. */
static inline const struct rule *rule_find(const struct rule_table *t, uint64_t key)
{
	if (!t->slot)
		return NULL;
	for (uint64_t i = rule_home(t, key); t->slot[i].key; i = (i + 1) & t->mask)
		if (t->slot[i].key == key)
			return &t->slot[i].rule;
	return NULL;
}

/* Remembers R under KEY, which is not in the table; does nothing when out of memory. */
void rule_add(struct rule_table *t, uint64_t key, struct rule r);
void rule_table_free(struct rule_table *t);      /* empty and usable again */
size_t rule_table_bytes(const struct rule_table *t);

#endif
