/* SPDX-License-Identifier: BSD-2-Clause */
/* state.c - a state's life, and looking things up in it. */
#include "config.h"

#include "numa/state.h"

#include "base/order.h"

#include <stdatomic.h>
#include <stdlib.h>

struct numa_state *numa_state_new(void)
{
	struct numa_state *s = calloc(1, sizeof(*s));

	if (s)
		atomic_init(&s->refs, 1);
	return s;
}

struct numa_state *numa_state_ref(struct numa_state *s)
{
	if (s)
		atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
	return s;
}

void numa_process_clear(struct numa_process *p)
{
	vec_free(&p->resident);
	*p = (struct numa_process){ 0 };
}

static int compare_resident(const void *va, const void *vb)
{
	const struct numa_resident *a = va, *b = vb;

	if (a->mapping != b->mapping)
		return compare_numbers(a->mapping, b->mapping);
	return compare_numbers(a->node, b->node);
}

void numa_process_tidy(struct numa_process *p)
{
	size_t out = 0;

	if (p->resident.n)
		qsort(p->resident.v, p->resident.n, sizeof(*p->resident.v), compare_resident);
	for (size_t i = 0; i < p->resident.n; i++) {
		const struct numa_resident *m = &p->resident.v[i];

		if (out && !compare_resident(&p->resident.v[out - 1], m)) {
			p->resident.v[out - 1].bytes += m->bytes;
			p->resident.v[out - 1].pages += m->pages;
		} else {
			p->resident.v[out++] = *m;
		}
	}
	p->resident.n = out;
}

void numa_state_unref(struct numa_state *s)
{
	if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
		return;
	for (size_t i = 0; i < s->process.n; i++)
		numa_process_clear(&s->process.v[i]);
	vec_free(&s->process);
	vec_free(&s->thread);
	topology_free(&s->topology);
	free(s);
}

int numa_thread_order(const void *va, const void *vb)
{
	const struct numa_thread *a = va, *b = vb;

	return a->pid != b->pid ? compare_numbers(a->pid, b->pid) : compare_numbers(a->tid, b->tid);
}

const struct numa_thread *numa_state_thread(const struct numa_state *s, pid_t pid, pid_t tid)
{
	const struct numa_thread key = { .pid = pid, .tid = tid };

	return s->thread.n ? bsearch(&key, s->thread.v, s->thread.n, sizeof(key), numa_thread_order) : NULL;
}
