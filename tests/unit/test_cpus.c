/* SPDX-License-Identifier: BSD-2-Clause */
/* test_cpus.c - CPUs are dealt to rings of their node, and rings get sizes that the kernel takes. */
#include "config.h"

#include "system/cpus.h"

#include "base/cleanup.h"
#include "tests/unit/cmocka_all.h"

#include <sys/stat.h>
#include <unistd.h>

static struct cpu_layout deal(uint32_t nr_cpus, uint32_t (*node_of)(uint32_t cpu))
{
	struct cpu_layout l = { .nr_cpus = nr_cpus, .node = calloc(nr_cpus, sizeof(uint32_t)) };

	assert_non_null(l.node);
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
		l.node[cpu] = node_of(cpu);
	assert_int_equal(cpu_layout_deal(&l, NULL), 0);
	return l;
}

static uint32_t one(uint32_t cpu)
{
	return 0;
}

static uint32_t halves(uint32_t cpu)
{
	return cpu / 12;
}

static uint32_t alternating(uint32_t cpu)
{
	return cpu % 4;
}

/* Each CPU has a ring of its own node, no ring has too many, and the counts agree. */
static void check(struct cpu_layout *l, uint32_t nr_rings)
{
	uint32_t sum = 0;

	assert_int_equal(l->nr_rings, nr_rings);
	for (uint32_t cpu = 0; cpu < l->nr_cpus; cpu++) {
		assert_in_range(l->ring[cpu], 0, nr_rings - 1);
		assert_int_equal(l->ring_node[l->ring[cpu]], l->node[cpu]);
	}
	for (uint32_t r = 0; r < nr_rings; r++) {
		assert_in_range(l->ring_cpus[r], 1, CPUS_PER_RING);
		sum += l->ring_cpus[r];
	}
	assert_int_equal(sum, l->nr_cpus);
	cpu_layout_free(l);
	cpu_layout_free(l);
}

static void deals_rings(void **state)
{
	struct cpu_layout l = deal(1, one);

	check(&l, 1);
	l = deal(8, one);
	check(&l, 1);
	l = deal(9, one);
	check(&l, 2);
	l = deal(24, halves);
	check(&l, 4);
	l = deal(64, alternating);
	check(&l, 8);
}

static void is_power_of_two(uint64_t v)
{
	assert_true(v >= RING_MIN && v <= RING_MAX && !(v & (v - 1)));
}

static void sizes_rings(void **state)
{
	for (uint32_t cpus = 1; cpus <= 8; cpus++)
		for (uint32_t rings = 1; rings < 3000; rings = rings * 3 + 1)
			for (uint64_t asked = 0; asked < 1ull << 40; asked = asked * 5 + 4096)
				is_power_of_two(cpu_ring_bytes(cpus, rings, 99, 32768, asked));
	assert_int_equal(cpu_ring_bytes(2, 1, 99, 32768, 0), RING_DEFAULT_MIN);
	assert_int_equal(cpu_ring_bytes(8, 1, 997, 32768, 0), 32u * 1024 * 1024);
	assert_int_equal(cpu_ring_bytes(8, 64, 100000, 65536, 0), RINGS_MAX / 64);
	assert_int_equal(cpu_ring_bytes(8, 2, 99, 32768, 2u * 1024 * 1024), 1024 * 1024);
	assert_int_equal(cpu_ring_bytes(8, 2, 99, 32768, 3u * 1024 * 1024), 1024 * 1024);
	assert_int_equal(cpu_ring_bytes(8, 1, 99, 32768, 1), RING_MIN);
}

static void reads_lists(void **state)
{
	char path[] = "/tmp/sberf-cpus.XXXXXX";
	int fd = mkstemp(path);
	struct err e = ERR_INIT;
	u32_vec v = { 0 };

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "0-2,5\n", 6), 6);
	assert_int_equal(cpus_read(path, &v, &e), 0);
	assert_int_equal(v.n, 4);
	assert_int_equal(v.v[3], 5);
	assert_int_equal(write(fd, "x", 1), 1);
	assert_true(cpus_read(path, &v, &e) < 0);
	assert_int_equal(v.n, 4);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(cpus_read(path, &v, &e), 0);
	assert_int_equal(v.n, 4);
	close(fd);
	unlink(path);
	assert_true(cpus_read(path, &v, &e) < 0);
	vec_free(&v);
}

static void reads_this_machine(void **state)
{
	struct cpu_layout l;

	assert_int_equal(cpu_layout_read(SYSTEM_DIR, &l, NULL), 0);
	assert_true(l.nr_cpus >= 1 && l.nr_rings >= 1);
	check(&l, l.nr_rings);
}

/* Of four CPUs, 1 and 2 are on node 3, of which 2 is offline; 3 is put in later, on node 5. */
static void offline_cpus_have_nodes(void **state)
{
	static const char *const dirs[] = { "cpu", "cpu/cpu0", "cpu/cpu0/node0", "cpu/cpu1", "cpu/cpu1/node3",
					    "cpu/cpu2", "cpu/cpu2/node3",
					    "cpu/cpu2/nodes", "node", "node/node3", "cpu/cpu3", "cpu/cpu3/node5" };
	const size_t nr = sizeof(dirs) / sizeof(*dirs), first = nr - 2;
	char dir[] = "/tmp/sberf-cpus-XXXXXX", path[64];
	struct cpu_layout l;
	uint32_t node = 77;
	FILE *f;

	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < first; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, dirs[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	snprintf(path, sizeof(path), "%s/cpu/possible", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("0-3\n", f);
	fclose(f);
	assert_int_equal(cpu_layout_read(dir, &l, NULL), 0);
	assert_int_equal(l.nr_cpus, 4);
	assert_memory_equal(l.node, ((const uint32_t[]){ 0, 3, 3, 0 }), 4 * sizeof(uint32_t));
	check(&l, 2);
	assert_false(cpu_node_read(dir, 3, &node));
	assert_int_equal(node, 77);
	for (size_t i = first; i < nr; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, dirs[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	assert_true(cpu_node_read(dir, 3, &node));
	assert_int_equal(node, 5);
	snprintf(path, sizeof(path), "%s/cpu/possible", dir);
	unlink(path);
	for (size_t i = nr; i-- > 0;) {
		snprintf(path, sizeof(path), "%s/%s", dir, dirs[i]);
		assert_int_equal(rmdir(path), 0);
	}
	assert_int_equal(rmdir(dir), 0);
}

static void says_possible(const char *dir, const char *text)
{
	char path[160];
	FILE *f;

	snprintf(path, sizeof(path), "%s/node/possible", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void nodes_that_may_come(void **state)
{
	char dir[] = "/tmp/sberf-cpus.XXXXXX", node[64], file[80];

	assert_non_null(mkdtemp(dir));
	assert_false(cpu_nodes_possible(dir));
	snprintf(node, sizeof(node), "%s/node", dir);
	assert_int_equal(mkdir(node, 0700), 0);
	says_possible(dir, "0\n");
	assert_false(cpu_nodes_possible(dir));
	says_possible(dir, "0-3\n");
	assert_true(cpu_nodes_possible(dir));
	says_possible(dir, "0,2\n");
	assert_true(cpu_nodes_possible(dir));
	snprintf(file, sizeof(file), "%s/possible", node);
	unlink(file);
	rmdir(node);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deals_rings),
		cmocka_unit_test(nodes_that_may_come),
		cmocka_unit_test(sizes_rings),
		cmocka_unit_test(reads_lists),
		cmocka_unit_test(reads_this_machine),
		cmocka_unit_test(offline_cpus_have_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
