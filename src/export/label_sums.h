/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * label_sums.h - sums by stack, thread, node, kind, state and system call, for formats whose
 * samples have labels. Private to exporters.
 */
#ifndef SBERF_EXPORT_LABEL_SUMS_H
#define SBERF_EXPORT_LABEL_SUMS_H

#include "base/err.h"
#include "base/keyed.h"
#include "base/vec.h"
#include "export/export_view.h"

#include <stdint.h>

struct stack_sum {
	stack_id stack;
	thread_id thread;
	uint32_t call;           /* of waits: CALL_* */
	uint16_t node;
	uint16_t kind : 5;       /* enum event_kind */
	uint16_t state : 5;      /* of waits: enum wait_state */
	uint16_t places : 6;     /* of stack_sums.set: what measures it counts in */
	uint64_t count;          /* of samples or waits: the two parts of a wait count once */
	uint64_t ns;
};

_Static_assert(EVENT_KINDS_MAX <= 1u << 5 && WAIT_STATE_NR <= 1u << 5 && MEASURES_ASKED <= 6, "they fit");

struct stack_sums {
	KEYED(struct stack_sum) v;       /* in the order of first use */
	struct measure_set set;  /* what was asked for */
	unsigned int places;     /* of it, where there is something, as a mask */
	uint64_t idle_ns, idle_count;    /* query.fold_idle: idling waits, which are in no sum */
	uint32_t idle_threads;
};

/*
 * Sums what Q asks for of V. Takes 60 bytes for each sum. 0, or -ENOMEM with a sentence; call
 * stack_sums_free() in any case.
 */
int stack_sums_build(struct stack_sums *s, const struct export_view *v, const struct query *q, struct err *e);
void stack_sums_free(struct stack_sums *s);      /* zeroed is fine */

#endif
