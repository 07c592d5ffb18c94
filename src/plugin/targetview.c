/* SPDX-License-Identifier: BSD-2-Clause */
/* targetview.c - /proc/PID/mem and maps; files by map_files, and by their path under the root of the process. */
#include "config.h"

#include "plugin/targetview.h"

#include "base/clock.h"
#include "collector/ask.h"
#include "model/machine.h"
#include "system/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

void plugin_target_init(struct plugin_target *t, const struct plugin_source *source, const struct plugin_elf *elf)
{
	*t = (struct plugin_target){ .source = *source, .elf = elf, .dir = -1, .mem = -1 };
}

#define FILES_MAX 64u                    /* that are open at once of a process */

static void target_close_files(struct plugin_target *t)
{
	for (size_t i = 0; t->nr_files && i < t->map.n; i++)
		if (t->map.v[i].fd >= 0)
			close(take_fd(&t->map.v[i].fd));
	t->nr_files = 0;
}

void plugin_target_end(struct plugin_target *t)
{
	target_close_files(t);
	if (t->mem >= 0)
		close(take_fd(&t->mem));
	if (t->dir >= 0)
		close(take_fd(&t->dir));
}

void plugin_target_clear(struct plugin_target *t)
{
	plugin_target_end(t);
	vec_free(&t->map);
	vec_free(&t->texts);
}

void plugin_target_begin(struct plugin_target *t)
{
	plugin_target_end(t);
	t->reads = 0;
}

/* What the process executes. 0 or a negative errno. */
static int target_exe(const struct plugin_target *t, struct stat *ret)
{
	AUTO_FD int fd = -1;

	if (!fstatat(t->dir, "exe", ret, 0))
		return 0;
	fd = ask_for(COLLECTOR_EXE, t->source.pid);
	return fd < 0 || fstat(fd, ret) ? -EIO : 0;
}

/* Opens the process, if that has not been done in this call. -EIO: it has ended, or runs another program now. */
static int target_dir(struct plugin_target *t)
{
	struct stat exe;

	if (t->dir >= 0)
		return 0;
	if (!t->source.process)
		return -EIO;
	t->dir = t->source.process(t->source.ctx, t->source.id);
	if (t->dir < 0)
		return -EIO;
	if (target_exe(t, &exe) ||
	    (t->exe_ino && (exe.st_dev != t->exe_dev || exe.st_ino != t->exe_ino))) {
		close(take_fd(&t->dir));
		return -EIO;
	}
	t->exe_dev = exe.st_dev;
	t->exe_ino = exe.st_ino;
	return 0;
}

int plugin_target_describe(struct plugin_target *t, struct plugin_process_body *ret)
{
	char exe[PROC_PATH_MAX];
	struct proc_status st;

	*ret = (struct plugin_process_body){ .machine = machine_host() ? machine_host()->number : 0,
					     .pid = t->source.pid,
					     .start_ns = t->source.start_ns };
	if (target_dir(t))
		return -ESRCH;
	if (!proc_read_status(t->dir, &st))
		ret->pid_inside = st.ns_pid;
	if (proc_read_exe(t->dir, exe) > 0)
		snprintf(ret->exe, sizeof(ret->exe), "%.*s", (int)sizeof(ret->exe) - 1, exe);
	return 0;
}

/* May it be read once more? */
static bool target_may_read(struct plugin_target *t)
{
	const uint64_t now = clock_mono_ns();

	if (now - t->second_ns >= NSEC_PER_SEC) {
		t->second_ns = now;
		t->reads_in_second = 0;
	}
	return t->reads++ < SBERF_PLUGIN_READS_MAX && t->reads_in_second++ < PLUGIN_READS_PER_SECOND;
}

int plugin_target_read(struct plugin_target *t, uint64_t address, void *buf, size_t length)
{
	if (length > SBERF_PLUGIN_READ_MAX)
		return -EINVAL;
	if (!target_may_read(t))
		return -EDQUOT;
	if (target_dir(t))
		return -EIO;
	/* Of the vsyscall page and above nothing is the process's. */
	if (address > INT64_MAX - SBERF_PLUGIN_READ_MAX)
		return -EFAULT;
	if (t->mem < 0)
		t->mem = openat(t->dir, "mem", O_RDONLY | O_CLOEXEC);
	if (t->mem < 0 && length && collector_is_there())
		return ask_memory(t->source.pid, address, buf, length) ? -EFAULT : 0;
	if (t->mem < 0)
		return -EIO;
	for (size_t done = 0; done < length;) {
		const ssize_t n = pread(t->mem, (char *)buf + done, length - done, (off_t)(address + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -EFAULT;
		done += (size_t)n;
	}
	return 0;
}

static void target_take_map(void *ctx, const struct maps_line *m)
{
	struct plugin_target *t = ctx;
	const size_t len = map_name_len(m->name, m->name_len, NULL);
	struct plugin_target_map *slot = NULL;

	if (len < PLUGIN_PATH_MAX && t->map.n < PLUGIN_MAPPINGS_MAX && vec_reserve(&t->texts, len + 1))
		slot = vec_push(&t->map);
	if (!slot)
		return;
	*slot = (struct plugin_target_map){
		.start = m->start, .end = m->end, .offset = m->pgoff, .path = (uint32_t)t->texts.n,
		.flags = (m->read ? SBERF_MAPPED_READ : 0) | (m->write ? SBERF_MAPPED_WRITE : 0) |
			 (m->exec ? SBERF_MAPPED_EXECUTE : 0),
		.dev = makedev(m->maj, m->min), .ino = m->ino, .fd = -1,
	};
	memcpy(t->texts.v + t->texts.n, m->name, len);
	t->texts.v[t->texts.n + len] = '\0';
	t->texts.n += len + 1;
}

void plugin_target_remap(struct plugin_target *t)
{
	t->mapped = false;
}

static int target_read_maps(struct plugin_target *t)
{
	if (t->mapped)
		return 0;
	if (target_dir(t))
		return -EIO;
	target_close_files(t);
	t->map.n = t->texts.n = 0;
	if (proc_read_maps(t->dir, target_take_map, t) < 0)
		return -EIO;
	t->mapped = true;
	return 0;
}

/* PATH of the process of T, when it is a regular file with the inode INO, 0 = any; else -ENOENT. */
static int target_open_file(const struct plugin_target *t, const char *path, ino_t ino)
{
	AUTO_FD int fd = openat(t->dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || (ino && st.st_ino != ino))
		return -ENOENT;
	return take_fd(&fd);
}

/* Is the mapping I of a file of which a part is mapped to be executed? Parts of one file stand together. */
static bool target_has_code(const struct plugin_target *t, size_t i)
{
	const struct plugin_target_map *v = t->map.v, *m = &v[i];
	size_t from = i, to = i;

	while (from && (!v[from - 1].ino || (v[from - 1].ino == m->ino && v[from - 1].dev == m->dev)))
		from--;
	while (to < t->map.n && (!v[to].ino || (v[to].ino == m->ino && v[to].dev == m->dev)))
		to++;
	for (size_t k = from; m->ino && k < to; k++)
		if (v[k].ino && v[k].flags & SBERF_MAPPED_EXECUTE)
			return true;
	return false;
}

/* Opens the file behind the mapping I. What is never executed has no symbols: data, and tables of a locale. */
static int target_open(const struct plugin_target *t, size_t i)
{
	const struct plugin_target_map *m = &t->map.v[i];
	char path[PLUGIN_PATH_MAX + 8];
	int fd;

	if (!target_has_code(t, i))
		return -ENOENT;
	snprintf(path, sizeof(path), "map_files/%" PRIx64 "-%" PRIx64, m->start, m->end);
	fd = target_open_file(t, path, 0);
	if (fd < 0 && collector_is_there())
		fd = ask_mapped(t->source.pid, m->start, m->end);
	if (fd >= 0)
		return fd;
	/* Who may not open those has the path, which may lead elsewhere. */
	snprintf(path, sizeof(path), "root%s", t->texts.v + m->path);
	return target_open_file(t, path, m->ino);
}

/* The mapping with which the file of the mapping I begins, or with which the first part of it that is there does. */
static size_t target_first_part(const struct plugin_target *t, size_t i)
{
	const struct plugin_target_map *m = &t->map.v[i];

	while (i && t->map.v[i].offset && t->map.v[i - 1].ino == m->ino && t->map.v[i - 1].dev == m->dev)
		i--;
	return i;
}

/* The file behind the mapping I, which stays open until the call of the plug-in ends; or a negative errno. */
static int target_file(struct plugin_target *t, size_t i)
{
	struct plugin_target_map *first = &t->map.v[target_first_part(t, i)];

	if (first->fd >= 0)
		return first->fd;
	if (t->nr_files == FILES_MAX)
		target_close_files(t);
	first->fd = target_open(t, i);
	t->nr_files += first->fd >= 0;
	return first->fd;
}

/*
 * What is added to virtual addresses of the file of the mapping I, which FD is. Segments may share a page of the
 * file, so what is mapped from its beginning tells better.
 */
static uint64_t target_bias(const struct plugin_target *t, size_t i, int fd)
{
	const struct plugin_target_map *m = &t->map.v[target_first_part(t, i)];
	uint64_t vaddr;

	return t->elf->vaddr(fd, m->offset, &vaddr) ? m->start - vaddr : 0;
}

/* The same, found once for all parts of the file; 0 where it cannot be opened. */
static uint64_t target_bias_of(struct plugin_target *t, size_t i)
{
	struct plugin_target_map *first = &t->map.v[target_first_part(t, i)];

	if (!first->biased) {
		const int fd = target_file(t, i);

		first->biased = fd >= 0;
		first->bias = fd >= 0 ? target_bias(t, i, fd) : 0;
	}
	return first->bias;
}

int plugin_target_mapped(struct plugin_target *t, size_t i, struct plugin_mapped_body *ret)
{
	const struct plugin_target_map *m;
	int r = target_read_maps(t);

	r = r ? r : target_dir(t);
	if (r)
		return r;
	if (i >= t->map.n)
		return -ENOENT;
	m = &t->map.v[i];
	*ret = (struct plugin_mapped_body){ .start = m->start, .end = m->end, .offset = m->offset, .flags = m->flags };
	snprintf(ret->path, sizeof(ret->path), "%s", t->texts.v + m->path);
	ret->bias = target_bias_of(t, i);
	return 0;
}

/* Is PATH meant by the name MODULE: by all of it, or by its last parts? */
static bool target_path_ends(const char *path, const char *module)
{
	const size_t len = strlen(path), n = strlen(module);

	return n && len >= n && !strcmp(path + len - n, module) &&
	       (len == n || path[len - n - 1] == '/' || *module == '/');
}

/* The symbol NAME of the file of the mapping I, with ALL also one that it does not export. */
static bool target_symbol_in(struct plugin_target *t, size_t i, const char *name, bool all, uint64_t *ret_address,
			     uint64_t *ret_size)
{
	const int fd = target_file(t, i);
	uint64_t vaddr, size;

	if (fd < 0 || !t->elf->symbol(fd, name, all, &vaddr, &size))
		return false;
	*ret_address = vaddr + target_bias(t, i, fd);
	if (ret_size)
		*ret_size = size;
	return true;
}

/* Is the mapping I the first one of its file, and meant by MODULE: one that ends so, NULL = any? */
static bool target_is_asked(const struct plugin_target *t, size_t i, const char *module)
{
	const struct plugin_target_map *m = &t->map.v[i];

	return m->ino && (!i || t->map.v[i - 1].ino != m->ino || t->map.v[i - 1].dev != m->dev) &&
	       (!module || target_path_ends(t->texts.v + m->path, module));
}

int plugin_target_symbol(struct plugin_target *t, const char *module, const char *name, uint64_t *ret_address,
			 uint64_t *ret_size)
{
	int r = target_may_read(t) ? target_read_maps(t) : -EDQUOT;

	r = r ? r : target_dir(t);
	if (r)
		return r;
	module = module && *module ? module : NULL;
	for (size_t i = 0; i < t->map.n; i++)
		if (target_is_asked(t, i, module) && target_symbol_in(t, i, name, false, ret_address, ret_size))
			return 0;
	/* One that is not exported takes longer: it is looked for in the executable, or where it is said to be. */
	for (size_t i = 0; i < t->map.n; i++)
		if (target_is_asked(t, i, module) && (module || t->map.v[i].ino == t->exe_ino) &&
		    target_symbol_in(t, i, name, true, ret_address, ret_size))
			return 0;
	return -ENOENT;
}

int plugin_target_file(struct plugin_target *t, uint32_t which)
{
	AUTO_FD int fd = -1;
	uid_t owner = 0;
	struct stat st;

	if (which != SBERF_FILE_NAMES)
		return -EINVAL;
	if (!t->source.names)
		return -ENOENT;
	fd = t->source.names(t->source.ctx, t->source.id, &owner);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (st.st_uid != owner && st.st_uid != 0)) {
		t->refused_files++;
		return -EPERM;
	}
	return take_fd(&fd);
}
