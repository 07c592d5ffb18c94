/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * topology.c - what the kernel tells of its nodes, read anew each time, and a few questions to a
 * table.
 *
 * Not by libnuma, which keeps from when the program began which nodes there are, and distances from
 * when they were first asked for: nodes that come later would never be seen.
 */
#include "config.h"

#include "system/topology.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "system/cpus.h"
#include "system/listtext.h"
#include "system/sysfile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <numa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MEMINFO_BYTES 8192u       /* 40 lines in a kernel of 2025 */
#define DISTANCES_BYTES 8192u    /* three digits and a blank of each node */

/*
 * libnuma's own print to stderr, where the view may be. numa(3) says that a program may define its
 * own; so these two, alone of all our functions, are visible to libraries.
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
		return err_set(e, EINVAL, "%" PRIu32
			       " nodes are more than the %u that a kernel can have", nr, NODES_MAX);
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

/* Writes where FILE of node ID is, of which the folder SYSTEM tells. */
static const char *node_file(char path[PATH_MAX], const char *system, uint32_t id, const char *file)
{
	snprintf(path, PATH_MAX, "%s/node/node%" PRIu32 "/%s", system, id, file);
	return path;
}

/* The beginning of a file of /sys, which comes in one reading. */
static bool read_text(const char *path, char *dst, size_t size)
{
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t n = fd < 0 ? -1 : read(fd, dst, size - 1);

	dst[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* The number of KiB behind "NAME:" in TEXT, in bytes; 0 when there is none. */
static uint64_t meminfo_bytes(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 10) << 10 : 0;
}

/* Fills NODE with what there is of node ID. 1, 0 when it has gone offline, or a negative errno. */
static int read_node(const char *system, struct numa_node *node, uint32_t id, struct err *e)
{
	char path[PATH_MAX], text[MEMINFO_BYTES];
	u32_vec cpus = { 0 };
	int r;

	if (!read_text(node_file(path, system, id, "meminfo"), text, sizeof(text)))
		return 0;
	*node = (struct numa_node){ .id = (uint16_t)id, .size_bytes = meminfo_bytes(text, "MemTotal:"),
				    .free_bytes = meminfo_bytes(text, "MemFree:") };
	/* The kernel lists those that are online. */
	r = cpus_read(node_file(path, system, id, "cpulist"), &cpus, NULL);
	set_cpus(node, cpus.v, cpus.n);
	vec_free(&cpus);
	return r == -ENOMEM ? err_nomem(e, "a list of CPUs") : 1;
}

/* The distances of the node in ROW, of which the kernel tells one for each of the nodes ONLINE, in their order. */
static void read_distances(const char *system, struct numa_topology *t, uint32_t row, const u32_vec *online)
{
	char path[PATH_MAX], text[DISTANCES_BYTES];
	char *at = text, *end;

	if (!sysfile_line(node_file(path, system, t->node[row].id, "distance"), text, sizeof(text)))
		return;
	for (size_t i = 0; i < online->n; i++, at = end) {
		const unsigned long d = strtoul(at, &end, 10);
		const int column = topology_index(t, online->v[i]);

		if (end == at)
			return;
		if (column >= 0 && d <= UINT16_MAX)
			t->distance[row * t->nr + (uint32_t)column] = (uint16_t)d;
	}
}

static int topology_read_online(const char *system, const u32_vec *online, struct numa_topology *ret, struct err *e)
{
	struct numa_topology t;
	int r = topology_make(&t, (uint32_t)online->n, e);

	if (r)
		return r;
	t.nr = 0;
	for (size_t i = 0; i < online->n && r >= 0; i++)
		if ((r = read_node(system, &t.node[t.nr], online->v[i], e)) > 0)
			t.nr++;
	if (r < 0) {
		topology_free(&t);
		return r;
	}
	for (uint32_t row = 0; row < t.nr; row++)
		read_distances(system, &t, row, online);
	*ret = t;
	return 0;
}

static int topology_read_nodes(const char *system, struct numa_topology *ret, struct err *e)
{
	char path[PATH_MAX];
	u32_vec online = { 0 };
	int r = 0;

	snprintf(path, sizeof(path), "%s/node/online", system);
	/* A kernel without NUMA has no such file. */
	if (!cpus_read(path, &online, NULL) && online.n && online.v[online.n - 1] < NODES_MAX)
		r = topology_read_online(system, &online, ret, e);
	vec_free(&online);
	return r;
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

int topology_read(const char *system, struct numa_topology *ret, struct err *e)
{
	struct numa_topology t = { 0 };
	int r = topology_read_nodes(system, &t, e);

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

static int topology_compare_u32(const void *va, const void *vb)
{
	const uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;

	return compare_numbers(a, b);
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
	qsort(v, n, sizeof(*v), topology_compare_u32);
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
