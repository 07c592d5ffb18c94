/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_numa_state.c - no text may make the reader of states crash or exceed its bounds, and what it
 * takes it writes in a form that reads the same again.
 */
#include "config.h"

#include "numa/state.h"

#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void check_text(const char *text, size_t size)
{
	const size_t len = strnlen(text, size);

	must(len < size && text_is_clean(text, len));
}

static void check_process(const struct numa_process *p)
{
	must(p->pid > 0 && p->resident.n <= (size_t)MAPPING_NR * NODES_MAX);
	check_text(p->comm, sizeof(p->comm));
	check_text(p->mapped_policy, sizeof(p->mapped_policy));
	for (size_t i = 0; i < p->resident.n; i++) {
		const struct numa_resident *m = &p->resident.v[i];

		must(m->node < NODES_MAX && m->mapping < MAPPING_NR);
		must(!i || m->mapping > m[-1].mapping || (m->mapping == m[-1].mapping && m->node > m[-1].node));
	}
}

static void check(const struct numa_state *s)
{
	must(s->topology.nr <= NODES_MAX && s->process.n <= NUMA_PROCESSES_MAX && s->thread.n <= NUMA_THREADS_MAX);
	for (uint32_t i = 0; i < s->topology.nr; i++) {
		must(topology_index(&s->topology, s->topology.node[i].id) == (int)i);
		must(topology_distance(&s->topology, s->topology.node[0].id, s->topology.node[i].id) > 0);
		check_text(s->topology.node[i].cpus, sizeof(s->topology.node[i].cpus));
	}
	for (size_t i = 0; i < s->process.n; i++)
		check_process(&s->process.v[i]);
	for (size_t i = 0; i < s->thread.n; i++)
		must(numa_state_thread(s, s->thread.v[i].pid, s->thread.v[i].tid) == &s->thread.v[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(numa_state_unref) struct numa_state *s = NULL;
	AUTO(numa_state_unref) struct numa_state *again = NULL;
	AUTO_FREE char *text = NULL, *second = NULL;
	struct err e = ERR_INIT;
	size_t len, second_len;
	const int r = numa_state_parse((const char *)data, size, &s, &e);

	must((r == 0) == (e.code == 0) && (r == 0) == (s != NULL) && (r == 0 || r == -EBADMSG || r == -ENOMEM));
	if (r)
		return 0;
	check(s);
	text = numa_state_write(s, &len);
	must(text && !numa_state_parse(text, len, &again, NULL));
	second = numa_state_write(again, &second_len);
	must(second && second_len == len && !memcmp(text, second, len));
	return 0;
}
