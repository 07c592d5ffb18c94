/* SPDX-License-Identifier: BSD-2-Clause */
/* cpus.c - see cpus.h. */
#include "config.h"

#include "system/cpus.h"

#include "base/cleanup.h"
#include "system/sysfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define LIST_BYTES 65536         /* /sys gives lists of a page; longer ones since 5.16 */

int cpus_read(const char *path, u32_vec *ret, struct err *e)
{
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_set(e, errno, "cannot open %s: %s", path, strerror(errno));
	return cpus_read_fd(fd, path, ret, e);
}

int cpus_read_fd(int fd, const char *path, u32_vec *ret, struct err *e)
{
	char text[LIST_BYTES];
	size_t used = 0;
	ssize_t n = 0;

	/* A list ends with its line: mostly that is one reading. */
	while (used < LIST_BYTES - 1 && !(used && text[used - 1] == '\n') &&
	       (n = pread(fd, text + used, LIST_BYTES - 1 - used, (off_t)used)) > 0)
		used += (size_t)n;
	if (n < 0)
		return err_set(e, errno, "cannot read %s: %s", path, strerror(errno));
	while (used && text[used - 1] == '\n')
		used--;
	text[used] = '\0';
	return used ? parse_list(text, path, CPUS_MAX - 1, ret, e) : 0;
}

/* The number N of "NAMEN"; false when ENTRY is something else. */
static bool number_behind(const char *entry, const char *name, uint32_t *ret)
{
	const size_t len = strlen(name);
	uint64_t n;

	if (strncmp(entry, name, len) || parse_u64(entry + len, name, 0, CPUS_MAX - 1, &n, NULL))
		return false;
	*ret = (uint32_t)n;
	return true;
}

/*
 * By the folder of the CPU, which has a link to its node from when the CPU is there to when it is
 * taken out. The lists that nodes have leave out CPUs that are offline.
 */
bool cpu_node_read(const char *system, uint32_t cpu, uint32_t *ret)
{
	char path[PATH_MAX];
	const struct dirent *de;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/cpu/cpu%u", system, cpu);
	dir = opendir(path);
	while (dir && !found && (de = readdir(dir)))
		found = number_behind(de->d_name, "node", ret);
	if (dir)
		closedir(dir);
	return found;
}

int cpu_layout_read(const char *system, struct cpu_layout *ret, struct err *e)
{
	struct cpu_layout l = { 0 };
	u32_vec possible = { 0 };
	char path[PATH_MAX];
	int r;

	snprintf(path, sizeof(path), "%s/cpu/possible", system);
	r = cpus_read(path, &possible, e);
	if (!r && !possible.n)
		r = err_set(e, ENODATA, "%s is empty", path);
	if (!r) {
		l.nr_cpus = possible.v[possible.n - 1] + 1;
		l.node = calloc(l.nr_cpus, sizeof(*l.node));
		r = l.node ? 0 : err_nomem(e, "a list of CPUs");
	}
	/* A kernel without NUMA has no such links: all CPUs stay on node 0. */
	for (uint32_t cpu = 0; !r && cpu < l.nr_cpus; cpu++)
		(void)cpu_node_read(system, cpu, &l.node[cpu]);
	if (!r)
		r = cpu_layout_deal(&l, e);
	vec_free(&possible);
	if (r)
		cpu_layout_free(&l);
	else
		*ret = l;
	return r;
}

/* The ring of NODE that has room, a new one when there is none. */
static uint32_t ring_with_room(struct cpu_layout *l, uint32_t node)
{
	uint32_t r = l->nr_rings;

	/* The newest ring of a node is the only one that can have room. */
	while (r-- > 0)
		if (l->ring_node[r] == node)
			break;
	if (r != UINT32_MAX && l->ring_cpus[r] < CPUS_PER_RING)
		return r;
	l->ring_node[l->nr_rings] = node;
	return l->nr_rings++;
}

int cpu_layout_deal(struct cpu_layout *l, struct err *e)
{
	l->ring = calloc(l->nr_cpus, sizeof(*l->ring));
	l->ring_node = calloc(l->nr_cpus, sizeof(*l->ring_node));
	l->ring_cpus = calloc(l->nr_cpus, sizeof(*l->ring_cpus));
	l->nr_rings = 0;
	if (!l->ring || !l->ring_node || !l->ring_cpus)
		return err_nomem(e, "a list of CPUs");
	for (uint32_t cpu = 0; cpu < l->nr_cpus; cpu++) {
		l->ring[cpu] = ring_with_room(l, l->node[cpu]);
		l->ring_cpus[l->ring[cpu]]++;
	}
	return 0;
}

uint32_t cpu_layout_nodes(const struct cpu_layout *l)
{
	uint32_t n = 0;

	for (uint32_t cpu = 0; cpu < l->nr_cpus; cpu++) {
		uint32_t before = 0;

		while (before < cpu && l->node[before] != l->node[cpu])
			before++;
		n += before == cpu;
	}
	return n;
}

bool cpu_nodes_possible(const char *system)
{
	char path[PATH_MAX], line[256];

	snprintf(path, sizeof(path), "%s/node/possible", system);
	return sysfile_line(path, line, sizeof(line)) && strpbrk(line, ",-");
}

void cpu_layout_free(struct cpu_layout *l)
{
	free(l->node);
	free(l->ring);
	free(l->ring_node);
	free(l->ring_cpus);
	*l = (struct cpu_layout){ 0 };
}

static uint64_t cpus_clamp(uint64_t v, uint64_t low, uint64_t high)
{
	return v < low ? low : v > high ? high : v;
}

uint64_t cpu_ring_bytes(uint32_t nr_cpus, uint32_t nr_rings, uint32_t freq_hz, uint32_t stack_bytes, uint64_t asked)
{
	uint64_t want, bytes = RING_MIN;

	if (asked) {
		want = cpus_clamp(asked / nr_rings, RING_MIN, RING_MAX);
	} else {
		want = (uint64_t)nr_cpus * freq_hz / 4 * stack_bytes;
		want = cpus_clamp(want, RING_DEFAULT_MIN, RING_DEFAULT_MAX);
		want = cpus_clamp(want, RING_MIN, RINGS_MAX / nr_rings > RING_MIN ? RINGS_MAX / nr_rings : RING_MIN);
	}
	/* Downwards: what was asked for is a limit. */
	while (bytes * 2 <= want)
		bytes *= 2;
	return bytes;
}
