/* SPDX-License-Identifier: BSD-2-Clause */
/* grant.c - finds the process, opens one file of it, looks at the file, and at the process once more. */
#include "config.h"

#include "collector/grant.h"

#include "base/cleanup.h"
#include "base/parse.h"
#include "base/regular.h"
#include "system/cgroup.h"
#include "system/procfs.h"
#include "system/vmread.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define READING (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
#define THREADS_MAX 65536u               /* of one process, that are looked at */

/* ---- whose process ---- */

/* Is ID, of a process or a thread, in the list that the kernel half keeps? */
static bool grant_listed(const struct grant *s, uint32_t id)
{
	uint64_t since_ns;
	union bpf_attr attr = { .map_fd = (uint32_t)s->list, .key = (uintptr_t)&id, .value = (uintptr_t)&since_ns };

	return !syscall(SYS_bpf, BPF_MAP_LOOKUP_ELEM, &attr, sizeof(attr));
}

static bool grant_has_listed_thread(const struct grant *s, int dir)
{
	const int fd = openat(dir, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_DIR DIR *tasks = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *at;
	bool found = false;
	uint64_t id;

	for (uint32_t n = 0; tasks && !found && n < THREADS_MAX && (at = readdir(tasks)); n++) {
		const char *p = at->d_name;

		found = parse_dec(&p, p + strlen(p), &id) && !*p && grant_listed(s, (uint32_t)id);
	}
	return found;
}

static bool grant_in_cgroup(const struct grant *s, int dir)
{
	char path[PROC_PATH_MAX];

	return proc_read_cgroup(dir, path, sizeof(path)) && policy_below(path, s->cgroup);
}

/* Is PID, with the directory DIR, of the target? */
static bool grant_is_target(const struct grant *s, pid_t pid, int dir)
{
	if (pid == s->own[0] || pid == s->own[1] || pid == getpid())
		return false;
	switch (s->target) {
	case COLLECTOR_ALL:
		return true;
	case COLLECTOR_PROCESSES:
		return grant_listed(s, (uint32_t)pid);
	case COLLECTOR_THREADS:
		return grant_has_listed_thread(s, dir);
	case COLLECTOR_CGROUP:
		return grant_in_cgroup(s, dir);
	case COLLECTOR_TARGETS:
		break;
	}
	return false;
}

/* 0 when DIR is that of the process of Q, -ESRCH when that has ended. */
static int grant_same(const struct collector_request *q, int dir)
{
	struct proc_stat st;

	return proc_read_stat(dir, &st) || st.zombie || st.start_ticks != q->start_ticks ? -ESRCH : 0;
}

/* ---- which file ---- */

bool grant_has_openat2(void)
{
	const struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	AUTO_FD int fd = (int)syscall(SYS_openat2, AT_FDCWD, "/", &how, sizeof(how));

	return fd >= 0;
}

/* What is at PATH below ROOT, by one part after the other, of which none may be a symbolic link. */
static int grant_walk(int root, const char *path)
{
	AUTO_FD int at = fcntl(root, F_DUPFD_CLOEXEC, 0);
	char part[COLLECTOR_PATH_MAX];

	for (const char *p = path + strspn(path, "/"); at >= 0 && *p; p += strspn(p, "/")) {
		const size_t len = strcspn(p, "/");
		int next;

		memcpy(part, p, len);
		part[len] = '\0';
		next = openat(at, part, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		close(at);
		at = next;
		p += len;
	}
	return at < 0 ? -errno : take_fd(&at);
}

/* The regular file PATH below the root of the process DIR, or of this machine, for ROW. */
static int grant_path(const struct grant *s, const struct policy_row *row, int dir, const char *path)
{
	const bool straight = row->owned || row->of_root;
	const uint64_t links = straight ? RESOLVE_NO_SYMLINKS : 0;
	const struct open_how how = { .flags = O_PATH | O_CLOEXEC | (straight ? O_NOFOLLOW : 0),
				      .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | links };
	AUTO_FD int root = openat(dir, row->of_root ? "/" : "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	AUTO_FD int fd = -1;

	if (root < 0)
		return -errno;
	if (s->no_openat2)
		fd = grant_walk(root, path);
	else
		fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	if (fd < 0)
		return s->no_openat2 ? fd : -errno;
	return regular_reopen(fd);
}

/* The same of a link of the kernel's in DIR, which leads to the file itself, not to a path. */
static int grant_link(int dir, const char *name)
{
	AUTO_FD int fd = openat(dir, name, O_PATH | O_CLOEXEC);

	return fd < 0 ? -errno : regular_reopen(fd);
}

static int grant_perf_map(const struct grant *s, const struct policy_row *row, int dir, const struct proc_status *st)
{
	char path[48];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)st->ns_pid);
	return grant_path(s, row, dir, path);
}

/* ---- a thread that waits ---- */

static void grant_take_mapping(void *ctx, const struct maps_line *m)
{
	struct policy_thread *t = ctx;

	if (m->start <= t->sp && t->sp < m->end) {
		t->start = m->start;
		t->end = m->end;
	}
}

/* What /proc/PID/syscall says: "NUMBER and six arguments, SP, PC", "-1 SP PC", or "running". */
static void grant_read_call(int dir, struct policy_thread *ret)
{
	char text[256], *p = text, *words[9] = { NULL };
	uint64_t number = 0, v[9] = { 0 };
	size_t n = 0;

	proc_read_start(dir, "syscall", text, sizeof(text));
	for (char *word; n < 9 && (word = strsep(&p, " \n"));)
		if (*word)
			words[n++] = word;
	for (size_t i = 1; i < n; i++) {
		const char *at = words[i] + (strncmp(words[i], "0x", 2) ? 0 : 2);

		(void)parse_hex(&at, at + strlen(at), &v[i]);
	}
	if (n == 9) {
		const char *at = words[0];

		if (parse_dec(&at, at + strlen(at), &number) && number == SYS_futex)
			ret->futex = v[1];
		ret->sp = v[7];
	} else if (n == 3) {
		ret->sp = v[1];
	}
}

/* Copies the memory of the thread PID from A to B to a file of our own. */
static int grant_copy(pid_t pid, uint64_t a, uint64_t b)
{
	AUTO_FD int fd = memfd_create("stack", MFD_CLOEXEC);
	const size_t size = (size_t)(b - a);
	ssize_t n;
	void *at;

	if (fd < 0 || ftruncate(fd, (off_t)size))
		return -errno;
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	n = vmread(pid, a, (uint32_t)size, (uint64_t)sysconf(_SC_PAGESIZE), at);
	munmap(at, size);
	if (n < 0)
		return (int)n;
	return ftruncate(fd, n) ? -errno : take_fd(&fd);
}

/* On which nodes the pages of Q are, as move_pages(2) says it. */
static int grant_pages(const struct collector_request *q)
{
	AUTO_FD int fd = memfd_create("pages", MFD_CLOEXEC);
	int status[COLLECTOR_PAGES_MAX] = { 0 };
	const size_t bytes = (size_t)q->a * sizeof(*status);

	if (fd < 0 || syscall(SYS_move_pages, q->pid, (unsigned long)q->a, q->page, NULL, status, 0) < 0)
		return -errno;
	return write(fd, status, bytes) == (ssize_t)bytes ? take_fd(&fd) : -EIO;
}

static int grant_stack(const struct collector_request *q, int dir)
{
	struct policy_thread t = { .state = 'R' };
	struct proc_stat st;
	uint64_t end;

	if (proc_read_stat(dir, &st))
		return -ESRCH;
	t.state = st.state;
	grant_read_call(dir, &t);
	if (proc_read_maps(dir, grant_take_mapping, &t) <= 0)
		return -ESRCH;
	end = policy_stack(&t, q->a, q->b);
	return end ? grant_copy(q->pid, q->a, end) : -EPERM;
}

/* What is kept of the container that the process DIR is in. */
static int grant_container(const struct grant *s, const struct policy_row *row, int dir, const char *path)
{
	char cgroup[PROC_PATH_MAX];

	if (!cgroup_read_container(dir, cgroup, sizeof(cgroup), NULL) || !policy_of_containers(path, cgroup))
		return -EPERM;
	return grant_path(s, row, dir, path);
}

static int grant_open(const struct grant *s, const struct policy_row *row, const struct collector_request *q, int dir,
		      const struct proc_status *st)
{
	char name[64];
	int fd;

	switch (q->op) {
	case COLLECTOR_MAPS:
	case COLLECTOR_MAPPING_SIZES:
	case COLLECTOR_POLICIES:
		fd = openat(dir, q->op == COLLECTOR_MAPS ? "maps" :
			    q->op == COLLECTOR_POLICIES ? "numa_maps" : "smaps", READING);
		return fd < 0 ? -errno : fd;
	case COLLECTOR_MAPPED:
		snprintf(name, sizeof(name), "map_files/%" PRIx64 "-%" PRIx64, q->a, q->b);
		return grant_link(dir, name);
	case COLLECTOR_EXE:
		return grant_link(dir, "exe");
	case COLLECTOR_FILE:
	case COLLECTOR_JITDUMP:
	case COLLECTOR_SOURCE:
		return grant_path(s, row, dir, q->path);
	case COLLECTOR_CONTAINER:
		return grant_container(s, row, dir, q->path);
	case COLLECTOR_PERF_MAP:
		return grant_perf_map(s, row, dir, st);
	case COLLECTOR_MEMORY:
		return s->reads_memory ? grant_copy(q->pid, q->a, q->b) : -EPERM;
	case COLLECTOR_PAGES:
		return grant_pages(q);
	case COLLECTOR_STACK:
		return grant_stack(q, dir);
	default:
		return -EINVAL;
	}
}

/* May FD be handed out? 0 or a negative errno. */
static int grant_check(const struct policy_row *row, int fd, uid_t owner)
{
	struct policy_file f;
	struct statfs fs;
	ssize_t n;

	if (row->content == POLICY_KERNEL_TEXT)
		return 0;
	if (fstat(fd, &f.st))
		return -errno;
	/* A file system that does not answer that is none of the kernel's. */
	f.fs_type = fstatfs(fd, &fs) ? 0 : (uint64_t)fs.f_type;
	n = pread(fd, f.head, sizeof(f.head), 0);
	f.n = n > 0 ? (size_t)n : 0;
	return n < 0 ? -errno : policy_file(row, &f, owner);
}

/* ---- a request ---- */

/* A file for Q, whose row is ROW, of a process; or a negative errno. */
static int grant_of_process(const struct grant *s, const struct policy_row *row, const struct collector_request *q)
{
	AUTO_FD int dir = proc_open(q->pid);
	AUTO_FD int fd = -1;
	struct proc_status st = { .uid = 0 };
	int r;

	if (dir < 0)
		return -ESRCH;
	r = grant_same(q, dir);
	if (r)
		return r;
	if (proc_read_status(dir, &st))
		return -ESRCH;
	if (!grant_is_target(s, st.tgid, dir))
		return POLICY_OUTSIDE;
	fd = grant_open(s, row, q, dir, &st);
	if (fd < 0)
		return fd;
	r = grant_check(row, fd, st.uid);
	r = r ? r : grant_same(q, dir);
	return r ? r : take_fd(&fd);
}

int grant_request(const struct grant *s, const struct collector_request *q, struct collector_answer *ret)
{
	const struct policy_row *row = NULL;
	struct stat st;
	int r = policy_request(q, &row);

	if (!r && q->op == COLLECTOR_KALLSYMS) {
		r = open("/proc/kallsyms", READING);
		r = r < 0 ? -errno : r;
	} else if (!r) {
		r = grant_of_process(s, row, q);
	}
	*ret = (struct collector_answer){ .seq = q->seq, .err = r < 0 ? r : 0 };
	if (r >= 0 && !fstat(r, &st)) {
		ret->dev = st.st_dev;
		ret->ino = st.st_ino;
		ret->size = (uint64_t)st.st_size;
	}
	return r < 0 ? -1 : r;
}
