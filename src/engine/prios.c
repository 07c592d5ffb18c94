/* SPDX-License-Identifier: BSD-2-Clause */
/* prios.c - see prios.h. */
#include "config.h"

#include "engine/prios.h"

#include "model/lock.h"

#include <stdlib.h>
#include <string.h>

void prios_free(struct prios *p)
{
	vec_free(&p->of);
}

/* Without memory it is not known. */
void prios_put(struct prios *p, thread_id thread, uint8_t prio)
{
	if (!prio || thread == ID_NONE)
		return;
	if (thread >= p->of.n) {
		const size_t more = thread + 1 - p->of.n;

		if (!vec_reserve(&p->of, more))
			return;
		memset(p->of.v + p->of.n, 0, more);
		p->of.n += more;
	}
	p->of.v[thread] = prio;
}

static uint8_t prios_get(const struct prios *p, thread_id thread)
{
	return thread < p->of.n ? p->of.v[thread] : 0;
}

void prios_compare(const struct prios *p, thread_id waiter, uint32_t op, struct held_lock *l)
{
	const uint8_t own = prios_get(p, waiter), holder = prios_get(p, l->holder);

	if (!own || own >= holder || lock_op_lends_priority(op))
		return;
	l->waiter_prio = own;
	l->holder_prio = holder;
}
