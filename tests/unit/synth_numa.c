/* SPDX-License-Identifier: BSD-2-Clause */
/* synth_numa.c - a made-up state of nodes, of which every figure follows from its number. See synth.h. */
#include "config.h"

#include "base/hash.h"
#include "numa/state.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/synth.h"

#include <inttypes.h>

static void make_nodes(struct numa_topology *t, uint64_t nr)
{
	static const uint16_t id[] = { 0, 1, 5 };

	assert_int_equal(topology_make(t, 3, NULL), 0);
	for (uint32_t i = 0; i < 3; i++) {
		t->node[i] = (struct numa_node){ .id = id[i], .nr_cpus = i < 2 ? 2 : 0, .size_bytes = (i + 1ull) << 30,
						 .free_bytes = hash_u64(nr + i) & ((1ull << 29) - 1) };
		if (i < 2)
			snprintf(t->node[i].cpus, sizeof(t->node[i].cpus), "%u-%u", 2 * i, 2 * i + 1);
		for (uint32_t k = 0; k < 3; k++)
			t->distance[i * 3 + k] = i == k ? 10 : (uint16_t)(20 + i + k);
	}
}

static void make_process(struct numa_process *p, uint64_t nr)
{
	*p = (struct numa_process){
		.pid = 4000, .start_ns = 77, .comm = "a 50%\xc3\xa9", .rss_bytes = hash_u64(nr) >> 30,
			.moment_ns = SYNTH_START_NS + nr,
		.asked = 1000, .found = (uint32_t)(nr % 1000), .policy = "bind:0-1",
		.mapped_policy = "interleave:0,5 3 MB",
		.policies_read = nr & 1, .mems = "0-1,5", .cpus = "0-3", .faults = nr, .major_faults = nr / 7,
	};
	for (uint8_t mapping = MAPPING_HEAP; mapping < MAPPING_NR; mapping += 2) {
		struct numa_resident *r = vec_push(&p->resident);

		assert_non_null(r);
		*r = (struct numa_resident){ .node = 5, .mapping = mapping, .bytes = 4096 * (nr + mapping),
					     .pages = mapping };
	}
}

struct numa_state *synth_numa(uint64_t nr)
{
	struct numa_state *s = numa_state_new();

	assert_non_null(s);
	s->time_ns = SYNTH_START_NS + nr;
	s->sampled = true;
	s->figures = (struct numa_figures){ .samples = 100 * nr, .near = 60 * nr, .far = 9 * nr,
					    .pages = 70 * nr, .moves = nr };
	s->figures.miss[MISS_OVERWRITTEN] = 31 * nr;
	make_nodes(&s->topology, nr);
	assert_true(vec_reserve(&s->process, 2) && vec_reserve(&s->thread, 2));
	make_process(vec_push(&s->process), nr);
	*vec_push(&s->process) = (struct numa_process){ .pid = 4001, .comm = "other", .denied = true };
	*vec_push(&s->thread) = (struct numa_thread){ .pid = 4000, .tid = 4000, .home = -1, .node = 1, .moves = nr };
	*vec_push(&s->thread) = (struct numa_thread){
		.pid = 4000, .tid = 4001, .start_ns = 1000, .home = 5, .node = 0, .policy = "preferred:1",
			.kernel_moves = nr + 1,
	};
	return s;
}

char *synth_numa_text(const struct numa_state *s)
{
	size_t n;
	char *text = numa_state_write(s, &n);

	assert_non_null(text);
	assert_int_equal(strlen(text), n);
	return text;
}

void memory_numa(struct memory_recording *r, uint64_t nr)
{
	AUTO(numa_state_unref) struct numa_state *s = synth_numa(nr);
	AUTO_FREE char *text = synth_numa_text(s);

	memory_block(r, BLOCK_NUMA, 0, text, strlen(text));
}

char *loaded_numa(const struct loaded *l)
{
	AUTO(snapshot_unref) struct snapshot *s = profile_snapshot(l->profile);

	assert_non_null(s);
	return snapshot_numa(s) ? synth_numa_text(snapshot_numa(s)) : strdup("");
}
