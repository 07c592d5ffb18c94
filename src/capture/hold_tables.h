/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hold_tables.h - what the plan of a capture says of its probes, as sberf tells it to the collector that holds the
 * kernel half (hold.h): each element of each table is a message, in the order of the tables, and the plan says how many
 * there are.
 *
 * Where probes of the kernel read its memory is said here alone, before sberf has looked at a byte of anybody else.
 */
#ifndef SBERF_CAPTURE_HOLD_TABLES_H
#define SBERF_CAPTURE_HOLD_TABLES_H

#include "base/cleanup.h"
#include "capture/hold.h"

/* Each has as many elements as the plan says, but LOADS, which has SB_LOAD_SETS; NULL = none. */
struct hold_tables {
	struct capture_call *calls;
	struct capture_trace *traces;
	struct capture_filter *filters;
	struct sb_loads *loads;
	struct sb_call_wish *wishes;
};

/* Tells what PLAN has of these, as P says, through SOCKET. 0 or a negative errno. */
int hold_tables_send(int socket, const struct hold_plan *p, const struct capture_plan *plan);

/*
 * Takes them, whatever is in them, for P, which is well-formed. *RET is the caller's with any result: 0 or a negative
 * errno.
 */
int hold_tables_take(int socket, const struct hold_plan *p, struct hold_tables *ret);
void hold_tables_clear(struct hold_tables *t);

/* Are the tables T of P well-formed? 0 or -EINVAL with a sentence. Pure. */
int hold_tables_check(const struct hold_tables *t, const struct hold_plan *p, struct err *e);

/* Sets what RET, that of hold_plan_back(), has of T, which RET borrows. */
void hold_tables_plan(struct hold_tables *t, const struct hold_plan *p, struct capture_plan *ret);

/*
 * Is the set AT of SETS, SB_LOAD_SETS of them, with those that it refers to, about memory of programs alone, so that
 * nobody can read memory of the kernel by it? Pure.
 */
bool hold_loads_of_user(const struct sb_loads *sets, uint32_t at);

#endif
