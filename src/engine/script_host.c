/* SPDX-License-Identifier: BSD-2-Clause */
/* script_host.c - memory by process_vm_readv(2), files by /proc/PID/map_files. */
#include "config.h"

#include "engine/script_host.h"

#include "base/arena.h"
#include "base/text.h"
#include "base/vec.h"
#include "model/machine.h"
#include "symbol/elffile.h"
#include "symbol/elfnamed.h"
#include "system/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define ALLOCATED_MAX (4u << 20)         /* bytes, of a plug-in for one process */
#define MAPPINGS_MAX 4096u               /* of code */

struct script_map {
	uint64_t start, end, offset, ino;
	char *path;
};

struct script_host {
	struct sberf_host host;          /* first: a plug-in has its address */
	struct sberf_process process;
	struct arena arena;
	VEC(struct script_map) map;
	bool nomem;
	uint32_t reads;                  /* in this call */
	char exe[PROC_PATH_MAX], said[256];
};

static struct script_host *host_of(const struct sberf_host *host)
{
	return (struct script_host *)host;
}

static int host_read(const struct sberf_host *host, uint64_t address, void *buf, size_t length)
{
	struct script_host *h = host_of(host);
	const struct iovec to = { buf, length }, from = { (void *)address, length };

	if (length > SBERF_PLUGIN_READ_MAX)
		return -EINVAL;
	if (h->reads++ >= SBERF_PLUGIN_READS_MAX)
		return -EDQUOT;
	if (process_vm_readv(h->process.pid, &to, 1, &from, 1, 0) == (ssize_t)length)
		return 0;
	return errno == ESRCH ? -EIO : -EFAULT;
}

static int host_mapped(const struct sberf_host *host, size_t i, struct sberf_mapped *ret)
{
	const struct script_host *h = host_of(host);

	if (i >= h->map.n)
		return -ENOENT;
	*ret = (struct sberf_mapped){ .start = h->map.v[i].start, .end = h->map.v[i].end,
				      .offset = h->map.v[i].offset, .path = h->map.v[i].path,
				      .flags = SBERF_MAPPED_READ | SBERF_MAPPED_EXECUTE };
	return 0;
}

/* The file behind M, or a negative errno. */
static int host_open(const struct script_host *h, const struct script_map *m)
{
	char path[64 + PROC_PATH_MAX];
	AUTO_FD int fd = -1;
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, h->process.pid, m->start, m->end);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		/* Who may not open that has the path, which may lead elsewhere. */
		snprintf(path, sizeof(path), "/proc/%d/root%s", h->process.pid, m->path);
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	}
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_ino != m->ino)
		return -ENOENT;
	return take_fd(&fd);
}

static bool host_symbol_in(const struct script_host *h, const struct script_map *m, const char *name, uint64_t *ret,
			   uint64_t *ret_size)
{
	AUTO_FD int fd = host_open(h, m);
	AUTO(elf_file_free) struct elf_file *f = NULL;
	struct err e = ERR_INIT;
	uint64_t vaddr, base, size;

	if (fd < 0 || elf_file_open(fd, &f, &e) || !elf_named_export(f, name, &vaddr, &size) ||
	    !elf_file_vaddr(f, m->offset, &base))
		return false;
	*ret = m->start - base + vaddr;
	if (ret_size)
		*ret_size = size;
	return true;
}

static int host_symbol(const struct sberf_host *host, const char *module, const char *name, uint64_t *ret_address,
		       uint64_t *ret_size)
{
	const struct script_host *h = host_of(host);

	for (size_t i = 0; i < h->map.n; i++) {
		const struct script_map *m = &h->map.v[i];
		const size_t len = strlen(m->path), end = module ? strlen(module) : 0;

		if (module && (len < end || strcmp(m->path + len - end, module)))
			continue;
		if (host_symbol_in(h, m, name, ret_address, ret_size))
			return 0;
	}
	return -ENOENT;
}

static void *host_allocate(const struct sberf_host *host, size_t length)
{
	struct script_host *h = host_of(host);

	return length > ALLOCATED_MAX - h->arena.total ? NULL : arena_alloc(&h->arena, length);
}

static void host_log(const struct sberf_host *host, const char *text)
{
	struct script_host *h = host_of(host);

	text_sanitise(h->said, sizeof(h->said), text, strlen(text));
}

static int host_file(const struct sberf_host *host, uint32_t which)
{
	(void)host;
	(void)which;
	return -ENOENT;
}

static void host_take_map(void *ctx, const struct maps_line *m)
{
	struct script_host *h = ctx;
	const size_t len = map_name_len(m->name, m->name_len, NULL);
	struct script_map *slot;

	if (!m->exec || !m->ino || h->map.n >= MAPPINGS_MAX)
		return;
	slot = vec_push(&h->map);
	if (slot)
		*slot = (struct script_map){ m->start, m->end, m->pgoff, m->ino,
					     arena_strndup(&h->arena, m->name, len) };
	h->nomem |= !slot || !slot->path;
}

struct script_host *script_host_new(pid_t pid)
{
	AUTO(script_host_free) struct script_host *h = calloc(1, sizeof(*h));
	AUTO_FD int dir = proc_open(pid);
	struct proc_status status;

	if (!h || dir < 0 || proc_read_maps(dir, host_take_map, h) < 0 || h->nomem)
		return NULL;
	h->host = (struct sberf_host){ .abi = SBERF_PLUGIN_ABI, .size = sizeof(h->host), .read = host_read,
				       .mapped = host_mapped, .symbol = host_symbol, .file = host_file,
				       .allocate = host_allocate, .log = host_log };
	if (proc_read_exe(dir, h->exe) < 0)
		h->exe[0] = '\0';
	h->process = (struct sberf_process){ .size = sizeof(h->process), .pid = pid, .exe = h->exe,
					     .machine = machine_host() ? machine_host()->number : 0 };
	if (!proc_read_status(dir, &status))
		h->process.pid_inside = status.ns_pid;
	return take_ptr(h);
}

void script_host_free(struct script_host *h)
{
	if (!h)
		return;
	vec_free(&h->map);
	arena_reset(&h->arena);
	free(h);
}

const struct sberf_host *script_host_of(const struct script_host *h)
{
	return &h->host;
}

const struct sberf_process *script_host_process(const struct script_host *h)
{
	return &h->process;
}

const char *script_host_said(const struct script_host *h)
{
	return h->said;
}

void script_host_begin(struct script_host *h)
{
	h->reads = 0;
}
