/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * topology.c - libnuma, asked so that its caches do no harm, and a few questions to a table.
 *
 * What libnuma 2.0.16 keeps from when the program began: which nodes there are (numa_nodes_ptr). So a node that comes online
 * later is not seen. Distances are kept from when they were first asked for. What it reads each time: sizes. They come from a
 * folder that a node loses when it goes offline, so nodes that go and come back are followed. The CPUs of a node, which the
 * kernel lists as long as they are online, are kept, too, but for one call after numa_node_to_cpu_update().
 */
#include "config.h"

#include "system/topology.h"

#include "base/cleanup.h"
#include "system/cpus.h"
#include "system/listtext.h"

#include <errno.h>
#include <inttypes.h>
#include <numa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * libnuma's own print to stderr, where the view may be. numa(3) says that a program may define its own; so these two, alone of all
 * our functions, are visible to libraries.
 */
__attribute__((visibility("default"))) void numa_warn(int num, char *fmt, ...)
{
	(void)num;
	(void)fmt;
}

__attribute__((visibility("default"))) void numa_error(char *where)
{
	(void)where;
}

int topology_make(struct numa_topology *ret, uint32_t nr, struct err *e)
{
	struct numa_topology t = { .nr = nr };

	if (nr > NODES_MAX)
		return err_set(e, EINVAL, "%" PRIu32 " nodes are more than the %u that a kernel can have", nr, NODES_MAX);
	t.node = calloc(nr ? nr : 1, sizeof(*t.node));
	t.distance = calloc(nr ? (size_t)nr * nr : 1, sizeof(*t.distance));
	if (!t.node || !t.distance) {
		topology_free(&t);
		return err_nomem(e, "a list of nodes");
	}
	*ret = t;
	return 0;
}

void topology_free(struct numa_topology *t)
{
	free(t->node);
	free(t->distance);
	*t = (struct numa_topology){ 0 };
}

int topology_copy(struct numa_topology *dst, const struct numa_topology *src, struct err *e)
{
	struct numa_topology t;
	const int r = topology_make(&t, src->nr, e);

	if (r)
		return r;
	if (src->nr) {
		memcpy(t.node, src->node, src->nr * sizeof(*t.node));
		memcpy(t.distance, src->distance, (size_t)src->nr * src->nr * sizeof(*t.distance));
	}
	*dst = t;
	return 0;
}

/* Appends "4" or "0-3". */
static void add_range(struct list_text *l, uint32_t first, uint32_t last)
{
	char text[32];
	const int n = first == last ? snprintf(text, sizeof(text), "%" PRIu32, first)
				    : snprintf(text, sizeof(text), "%" PRIu32 "-%" PRIu32, first, last);

	list_text_add(l, text, (size_t)n);
}

/* Writes the N numbers at V, which rise, as the CPUs of NODE. */
static void set_cpus(struct numa_node *node, const uint32_t *v, size_t n)
{
	struct list_text l = list_text(node->cpus, sizeof(node->cpus));

	node->nr_cpus = (uint32_t)n;
	for (size_t i = 0, first = 0; i < n; i++)
		if (i + 1 == n || v[i + 1] != v[i] + 1) {
			add_range(&l, v[first], v[i]);
			first = i + 1;
		}
}

/* The CPUs of NODE that are online. A node that libnuma does not know has none. */
static int read_cpus(struct numa_node *node, struct err *e)
{
	const unsigned int nr = (unsigned int)numa_num_possible_cpus(), bits = 8 * sizeof(unsigned long);
	AUTO_FREE unsigned long *words = calloc(nr / bits + 1, sizeof(*words));
	struct bitmask mask = { .size = nr, .maskp = words };
	u32_vec cpus = { 0 };

	if (!words || !vec_reserve(&cpus, nr))
		return err_nomem(e, "a list of CPUs");
	/* It holds for the next call only. */
	numa_node_to_cpu_update();
	if (!numa_node_to_cpus(node->id, &mask))
		for (unsigned int cpu = 0; cpu < nr; cpu++)
			if (numa_bitmask_isbitset(&mask, cpu))
				*vec_push(&cpus) = cpu;
	set_cpus(node, cpus.v, cpus.n);
	vec_free(&cpus);
	return 0;
}

/* Fills NODE with what there is of node ID. 1, 0 when it is offline, or a negative errno. */
static int read_node(struct numa_node *node, unsigned int id, struct err *e)
{
	long long free_bytes = 0;
	const long long size = numa_node_size64((int)id, &free_bytes);
	int r;

	if (size < 0)
		return 0;
	*node = (struct numa_node){ .id = (uint16_t)id, .size_bytes = (uint64_t)size };
	node->free_bytes = free_bytes > 0 ? (uint64_t)free_bytes : 0;
	r = read_cpus(node, e);
	return r ? r : 1;
}

static void read_distances(struct numa_topology *t)
{
	for (uint32_t i = 0; i < t->nr; i++)
		for (uint32_t j = 0; j < t->nr; j++) {
			const int d = numa_distance(t->node[i].id, t->node[j].id);

			t->distance[i * t->nr + j] = d > 0 && d <= UINT16_MAX ? (uint16_t)d : 0;
		}
}

static int read_nodes(struct numa_topology *ret, struct err *e)
{
	const unsigned int last = (unsigned int)numa_max_node(), end = last < NODES_MAX ? last + 1 : NODES_MAX;
	struct numa_topology t;
	int r = topology_make(&t, numa_bitmask_weight(numa_nodes_ptr), e);

	if (r)
		return r;
	t.nr = 0;
	for (unsigned int id = 0; id < end && r >= 0; id++)
		if (numa_bitmask_isbitset(numa_nodes_ptr, id) && (r = read_node(&t.node[t.nr], id, e)) > 0)
			t.nr++;
	if (r < 0) {
		topology_free(&t);
		return r;
	}
	read_distances(&t);
	*ret = t;
	return 0;
}

/* The only node of a kernel without NUMA, or of a system without /sys. */
static int make_one_node(struct numa_topology *ret, struct err *e)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const long online = sysconf(_SC_NPROCESSORS_ONLN);
	struct numa_topology t;
	u32_vec cpus = { 0 };
	const int r = topology_make(&t, 1, e);

	if (r)
		return r;
	t.node[0].size_bytes = page * (uint64_t)sysconf(_SC_PHYS_PAGES);
	t.node[0].free_bytes = page * (uint64_t)sysconf(_SC_AVPHYS_PAGES);
	t.distance[0] = DISTANCE_LOCAL;
	if (!cpus_read("/sys/devices/system/cpu/online", &cpus, NULL) && cpus.n)
		set_cpus(&t.node[0], cpus.v, cpus.n);
	else
		t.node[0].nr_cpus = online > 0 ? (uint32_t)online : 1;
	vec_free(&cpus);
	*ret = t;
	return 0;
}

int topology_read(struct numa_topology *ret, struct err *e)
{
	struct numa_topology t = { 0 };
	int r = numa_available() < 0 ? 0 : read_nodes(&t, e);

	if (!r && !t.nr) {
		topology_free(&t);
		r = make_one_node(&t, e);
	}
	if (!r)
		*ret = t;
	return r;
}

int topology_index(const struct numa_topology *t, unsigned int id)
{
	uint32_t lo = 0, hi = t->nr;

	while (lo < hi) {
		const uint32_t mid = lo + (hi - lo) / 2;

		if (t->node[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < t->nr && t->node[lo].id == id ? (int)lo : -1;
}

/* Distance between places in the table, of which either may be -1. */
static unsigned int distance_at(const struct numa_topology *t, int i, int j, bool same)
{
	const unsigned int known = i < 0 || j < 0 ? 0 : t->distance[(size_t)i * t->nr + (size_t)j];

	return known ? known : same ? DISTANCE_LOCAL : DISTANCE_REMOTE;
}

unsigned int topology_distance(const struct numa_topology *t, unsigned int from, unsigned int to)
{
	return distance_at(t, topology_index(t, from), topology_index(t, to), from == to);
}

/* How far the memory is that node FROM, at I in the table, has to be content with. */
static unsigned int own_distance(const struct numa_topology *t, int i)
{
	unsigned int nearest = UINT32_MAX;

	if (i < 0 || t->node[i].size_bytes)
		return distance_at(t, i, i, true);
	for (int j = 0; j < (int)t->nr; j++)
		if (t->node[j].size_bytes && distance_at(t, i, j, false) < nearest)
			nearest = distance_at(t, i, j, false);
	return nearest == UINT32_MAX ? distance_at(t, i, i, true) : nearest;
}

unsigned int topology_cost_permille(const struct numa_topology *t, unsigned int from, unsigned int to)
{
	const int i = topology_index(t, from);

	if (from == to)
		return 1000;
	return distance_at(t, i, topology_index(t, to), false) * 1000 / own_distance(t, i);
}

bool topology_is_far(unsigned int from, unsigned int to)
{
	return to != NODE_UNKNOWN && to != from;
}

static int compare_u32(const void *va, const void *vb)
{
	const uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;

	return (a > b) - (a < b);
}

#define DISTANCES_MAX 64u        /* different ones; real machines have less than ten */

/* Adds D to the N at V when it is new and there is room. */
static size_t add_distance(uint32_t v[DISTANCES_MAX], size_t n, uint32_t d)
{
	for (size_t i = 0; i < n; i++)
		if (v[i] == d)
			return n;
	if (n < DISTANCES_MAX)
		v[n++] = d;
	return n;
}

char *topology_distances(const struct numa_topology *t, char *dst, size_t size)
{
	uint32_t v[DISTANCES_MAX];
	size_t n = 0, len = 0;

	for (int i = 0; i < (int)t->nr; i++)
		for (int j = 0; j < (int)t->nr; j++)
			n = add_distance(v, n, distance_at(t, i, j, i == j));
	qsort(v, n, sizeof(*v), compare_u32);
	dst[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		char text[16];
		const size_t more = (size_t)snprintf(text, sizeof(text), "%s%" PRIu32, i ? "/" : "", v[i]);

		if (more >= size - len)
			break;
		memcpy(dst + len, text, more + 1);
		len += more;
	}
	return dst;
}
