/* SPDX-License-Identifier: BSD-2-Clause */
/* test_topology.c - machines of one to eight nodes, with holes of every sort, and the machine that this runs on. */
#include "config.h"

#include "system/topology.h"

#include "base/cleanup.h"
#include "base/parse.h"
#include "system/cpus.h"
#include "system/listtext.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <ftw.h>
#include <numa.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GB (UINT64_C(1) << 30)

/* A machine whose nodes have the numbers ID, four CPUs and memory each, and the distances of the NR x NR matrix D. */
static struct numa_topology machine(uint32_t nr, const uint16_t *id, const uint16_t *d)
{
	struct numa_topology t;

	assert_int_equal(topology_make(&t, nr, NULL), 0);
	for (uint32_t i = 0; i < nr; i++) {
		t.node[i].id = id ? id[i] : (uint16_t)i;
		t.node[i].nr_cpus = 4;
		t.node[i].size_bytes = t.node[i].free_bytes = GB;
	}
	if (d)
		memcpy(t.distance, d, sizeof(*d) * nr * nr);
	return t;
}

#define assert_distances(t, text) \
	do { \
		char dst_[64]; \
		assert_string_equal(topology_distances(t, dst_, sizeof(dst_)), text); \
	} while (0)

static void one_node(void **state)
{
	struct numa_topology t = machine(1, NULL, (const uint16_t[]){ 10 });

	assert_int_equal(topology_index(&t, 0), 0);
	assert_int_equal(topology_index(&t, 1), -1);
	assert_int_equal(topology_distance(&t, 0, 0), 10);
	assert_int_equal(topology_cost_permille(&t, 0, 0), 1000);
	assert_distances(&t, "10");
	topology_free(&t);
	topology_free(&t);
}

static void two_nodes(void **state)
{
	struct numa_topology t = machine(2, NULL, (const uint16_t[]){ 10, 21, 22, 11 });

	assert_int_equal(topology_distance(&t, 0, 1), 21);
	assert_int_equal(topology_distance(&t, 1, 0), 22);
	assert_int_equal(topology_cost_permille(&t, 0, 1), 2100);
	assert_int_equal(topology_cost_permille(&t, 1, 0), 2000);
	assert_int_equal(topology_cost_permille(&t, 1, 1), 1000);
	assert_distances(&t, "10/11/21/22");
	assert_true(topology_is_far(0, 1));
	assert_false(topology_is_far(1, 1));
	assert_false(topology_is_far(0, NODE_UNKNOWN));
	topology_free(&t);
}

/* A ring: what is opposite is farther. */
static void four_nodes(void **state)
{
	static const uint16_t ring[] = { 10, 16, 22, 16, 16, 10, 16, 22, 22, 16, 10, 16, 16, 22, 16, 10 };
	struct numa_topology t = machine(4, NULL, ring);

	assert_int_equal(topology_distance(&t, 0, 2), 22);
	assert_int_equal(topology_cost_permille(&t, 3, 2), 1600);
	assert_int_equal(topology_cost_permille(&t, 3, 1), 2200);
	assert_distances(&t, "10/16/22");
	topology_free(&t);
}

/* Two sockets of four nodes each. */
static void eight_nodes(void **state)
{
	struct numa_topology t = machine(8, NULL, NULL);

	for (uint32_t i = 0; i < 8; i++)
		for (uint32_t j = 0; j < 8; j++)
			t.distance[i * 8 + j] = i == j ? 10 : i / 4 == j / 4 ? 12 : 32;
	for (unsigned int i = 0; i < 8; i++)
		assert_int_equal(topology_index(&t, i), i);
	assert_int_equal(topology_index(&t, 8), -1);
	assert_int_equal(topology_cost_permille(&t, 5, 6), 1200);
	assert_int_equal(topology_cost_permille(&t, 5, 1), 3200);
	assert_distances(&t, "10/12/32");
	topology_free(&t);
}

static void numbers_with_gaps(void **state)
{
	struct numa_topology t = machine(3, (const uint16_t[]){ 0, 8, 1023 },
					 (const uint16_t[]){ 10, 20, 40, 20, 10, 80, 40, 80, 10 });

	assert_int_equal(topology_index(&t, 0), 0);
	assert_int_equal(topology_index(&t, 8), 1);
	assert_int_equal(topology_index(&t, 1023), 2);
	assert_int_equal(topology_index(&t, 1), -1);
	assert_int_equal(topology_index(&t, NODE_UNKNOWN), -1);
	assert_int_equal(topology_distance(&t, 8, 1023), 80);
	assert_int_equal(topology_cost_permille(&t, 0, 1023), 4000);
	assert_int_equal(topology_distance(&t, 0, 1), DISTANCE_REMOTE);
	assert_int_equal(topology_distance(&t, 1, 1), DISTANCE_LOCAL);
	topology_free(&t);
}

static void no_distances(void **state)
{
	struct numa_topology t = machine(2, NULL, NULL);

	assert_int_equal(topology_distance(&t, 0, 0), DISTANCE_LOCAL);
	assert_int_equal(topology_distance(&t, 0, 1), DISTANCE_REMOTE);
	assert_int_equal(topology_cost_permille(&t, 0, 1), 2000);
	assert_distances(&t, "10/20");
	topology_free(&t);
}

/* Node 1 has CPUs only: its memory is that of node 0, and node 2 costs in relation to it. */
static void without_memory(void **state)
{
	struct numa_topology t = machine(3, NULL, (const uint16_t[]){ 10, 15, 30, 15, 10, 45, 30, 45, 10 });

	t.node[1].size_bytes = 0;
	assert_int_equal(topology_cost_permille(&t, 1, 0), 1000);
	assert_int_equal(topology_cost_permille(&t, 1, 2), 3000);
	assert_int_equal(topology_cost_permille(&t, 1, 1), 1000);
	assert_int_equal(topology_cost_permille(&t, 0, 2), 3000);
	assert_true(topology_is_far(1, 0));
	for (int i = 0; i < 3; i++)
		t.node[i].size_bytes = 0;
	assert_int_equal(topology_cost_permille(&t, 1, 0), 1500);
	topology_free(&t);
}

/* Memory of its own, far from every CPU, as CXL has it. */
static void without_cpus(void **state)
{
	struct numa_topology t = machine(2, NULL, (const uint16_t[]){ 10, 24, 24, 10 });

	t.node[1].nr_cpus = 0;
	assert_int_equal(topology_cost_permille(&t, 0, 1), 2400);
	assert_true(topology_is_far(0, 1));
	topology_free(&t);
}

static void copies(void **state)
{
	struct numa_topology t = machine(2, (const uint16_t[]){ 3, 5 }, (const uint16_t[]){ 10, 21, 21, 10 }),
		copy = { 0 };

	assert_int_equal(topology_copy(&copy, &t, NULL), 0);
	topology_free(&t);
	assert_int_equal(copy.nr, 2);
	assert_int_equal(topology_distance(&copy, 5, 3), 21);
	assert_int_equal(copy.node[1].size_bytes, GB);
	topology_free(&copy);
	assert_int_equal(topology_copy(&copy, &t, NULL), 0);
	assert_int_equal(copy.nr, 0);
	topology_free(&copy);
}

static void too_many(void **state)
{
	struct numa_topology t = { 0 };
	struct err e = ERR_INIT;

	assert_int_equal(topology_make(&t, NODES_MAX + 1, &e), -EINVAL);
	assert_non_null(strstr(e.text, "1025 nodes"));
	assert_null(t.node);
	assert_int_equal(topology_make(&t, NODES_MAX, NULL), 0);
	topology_free(&t);
}

/* As many distances as fit, whole. */
static void distances_that_do_not_fit(void **state)
{
	struct numa_topology t = machine(2, NULL, (const uint16_t[]){ 10, 21, 31, 10 });
	char dst[8];

	assert_string_equal(topology_distances(&t, dst, sizeof(dst)), "10/21");
	assert_string_equal(topology_distances(&t, dst, 1), "");
	topology_free(&t);
}

static void lists_are_cut_at_a_comma(void **state)
{
	static const struct {
		const char *list, *in_16, *in_8;
	} cases[] = {
		{ "", "", "" },
		{ "0-3", "0-3", "0-3" },
		{ "0,2,4,6", "0,2,4,6", "0,2,4,6" },
		{ "0,2,4,6,8", "0,2,4,6,8", "0,2,..." },
		{ "0-15,32-47", "0-15,32-47", "..." },
		{ "0-15,32-47,64-79", "0-15,32-47,...", "..." },
		{ "100-101,103", "100-101,103", "..." },
		{ "10000000000000000000", "...", "..." },
	};
	char dst[16];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_string_equal(list_text_copy(dst, 16, cases[i].list, strlen(cases[i].list)), cases[i].in_16);
		assert_string_equal(list_text_copy(dst, 8, cases[i].list, strlen(cases[i].list)), cases[i].in_8);
	}
}

/* What is read agrees with other ways of asking. */
static void this_machine(void **state)
{
	const uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	const long online = sysconf(_SC_NPROCESSORS_ONLN);
	struct numa_topology t;
	uint64_t cpus = 0, bytes = 0;
	u32_vec nodes = { 0 };

	assert_int_equal(topology_read(SYSTEM_DIR, &t, NULL), 0);
	assert_in_range(t.nr, 1, NODES_MAX);
	for (uint32_t i = 0; i < t.nr; i++) {
		const struct numa_node *n = &t.node[i];

		assert_true(!i || n->id > t.node[i - 1].id);
		assert_int_equal(topology_index(&t, n->id), i);
		assert_true(n->free_bytes <= n->size_bytes);
		assert_int_equal(n->nr_cpus != 0, n->cpus[0] != '\0');
		assert_in_range(topology_distance(&t, n->id, n->id), 1, 254);
		cpus += n->nr_cpus;
		bytes += n->size_bytes;
	}
	assert_int_equal(cpus, online);
	/* Memory that a hypervisor plugged in is in no node's total, so the sum can be less. */
	assert_in_range(bytes, 1, memory / 10 * 11);
	if (!cpus_read("/sys/devices/system/node/online", &nodes, NULL))
		assert_int_equal(nodes.n, t.nr);
	vec_free(&nodes);
	topology_free(&t);
}

/* A folder as the kernel has for CPUs and nodes, in DIR, which is made. */
static void put(const char *dir, const char *path, const char *text)
{
	char whole[512];
	FILE *f;

	snprintf(whole, sizeof(whole), "%s/%s", dir, path);
	for (char *at = whole + strlen(dir) + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		mkdir(whole, 0700);
	}
	f = fopen(whole, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static int forget(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

/* A node with CPUs and memory that is put in while sberf runs, and one that is taken out. */
static void nodes_come_and_go(void **state)
{
	char dir[] = "/tmp/sberf-topology-XXXXXX";
	struct numa_topology t;

	assert_non_null(mkdtemp(dir));
	put(dir, "node/online", "0\n");
	put(dir, "node/node0/cpulist", "0-1\n");
	put(dir, "node/node0/meminfo", "Node 0 MemTotal:       2048 kB\nNode 0 MemFree:        1024 kB\n");
	put(dir, "node/node0/distance", "10\n");
	assert_int_equal(topology_read(dir, &t, NULL), 0);
	assert_int_equal(t.nr, 1);
	assert_int_equal(t.node[0].size_bytes, 2048 << 10);
	assert_int_equal(t.node[0].free_bytes, 1024 << 10);
	assert_string_equal(t.node[0].cpus, "0-1");
	topology_free(&t);

	put(dir, "node/online", "0,5\n");
	put(dir, "node/node0/distance", "10 17\n");
	put(dir, "node/node5/cpulist", "2,4-6\n");
	put(dir, "node/node5/meminfo", "Node 5 MemTotal:          0 kB\nNode 5 MemFree:           0 kB\n");
	put(dir, "node/node5/distance", "28 10\n");
	assert_int_equal(topology_read(dir, &t, NULL), 0);
	assert_int_equal(t.nr, 2);
	assert_int_equal(topology_index(&t, 5), 1);
	assert_string_equal(t.node[1].cpus, "2,4-6");
	assert_int_equal(t.node[1].nr_cpus, 4);
	assert_int_equal(topology_distance(&t, 0, 5), 17);
	assert_int_equal(topology_distance(&t, 5, 0), 28);
	topology_free(&t);

	/* It goes between two readings: its list still has it. */
	put(dir, "node/node5/meminfo", "");
	put(dir, "node/node0/distance", "10\n");
	assert_int_equal(topology_read(dir, &t, NULL), 0);
	assert_int_equal(t.nr, 1);
	assert_int_equal(topology_distance(&t, 0, 0), 10);
	topology_free(&t);
	assert_int_equal(nftw(dir, forget, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* libnuma must have no way to write into the view. */
static void libnuma_is_silent(void **state)
{
	FILE *before = stderr;
	char *text = NULL;
	size_t len = 0;

	stderr = open_memstream(&text, &len);
	assert_non_null(stderr);
	numa_node_size64(1000000, NULL);
	assert_null(numa_parse_nodestring_all("no node"));
	numa_warn(1, (char *)"%s", "x");
	numa_error((char *)"x");
	fclose(stderr);
	stderr = before;
	assert_string_equal(text, "");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_node),
		cmocka_unit_test(two_nodes),
		cmocka_unit_test(four_nodes),
		cmocka_unit_test(eight_nodes),
		cmocka_unit_test(numbers_with_gaps),
		cmocka_unit_test(no_distances),
		cmocka_unit_test(without_memory),
		cmocka_unit_test(without_cpus),
		cmocka_unit_test(copies),
		cmocka_unit_test(too_many),
		cmocka_unit_test(distances_that_do_not_fit),
		cmocka_unit_test(lists_are_cut_at_a_comma),
		cmocka_unit_test(this_machine),
		cmocka_unit_test(nodes_come_and_go),
		cmocka_unit_test(libnuma_is_silent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
