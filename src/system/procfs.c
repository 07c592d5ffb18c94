/* SPDX-License-Identifier: BSD-2-Clause */
/* procfs.c - small readers of kernel text; every one bounded by its buffer. */
#include "config.h"

#include "system/procfs.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/parse.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK 65536u
#define LINES_MAX (1u << 20)
#define PF_KTHREAD_BIT 0x00200000u   /* PF_KTHREAD of include/linux/sched.h, shown as field 9 of stat */

int proc_open(pid_t pid)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int proc_open_thread(pid_t pid, pid_t tid)
{
	char path[48];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)pid, (int)tid);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static proc_denied_fn *procfs_denied;

void proc_on_denied(proc_denied_fn *fn)
{
	procfs_denied = fn;
}

/* The file NAME under DIR, for reading: an fd or a negative errno. */
int procfs_open(int dir, const char *name)
{
	const int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	const int code = errno;

	if (fd >= 0)
		return fd;
	return procfs_denied && (code == EACCES || code == EPERM) ? procfs_denied(dir, name) : -code;
}

ssize_t proc_read_text(int dir, const char *name, char *buf, size_t size)
{
	AUTO_FD int fd = procfs_open(dir, name);
	size_t len = 0;

	if (fd < 0)
		return fd;
	for (;;) {
		const ssize_t n = read(fd, buf + len, size - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		len += (size_t)n;
		if (len == size)
			return -E2BIG;
		if (!n)
			break;
	}
	buf[len] = '\0';
	return (ssize_t)len;
}

size_t proc_read_start(int dir, const char *name, char *buf, size_t size)
{
	AUTO_FD int fd = procfs_open(dir, name);
	const ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	buf[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

bool proc_read_cgroup(int dir, char *buf, size_t size)
{
	static const char head[] = "\n0::/";
	char text[2 * PROC_PATH_MAX] = "\n", *at;

	proc_read_start(dir, "cgroup", text + 1, sizeof(text) - 1);
	at = strstr(text, head);
	if (!at)
		return false;
	at += strlen(head) - 1;
	at[strcspn(at, "\n")] = '\0';
	return (size_t)snprintf(buf, size, "%s", at) < size;
}

/* Skips N words and the spaces around them. */
static bool skip_words(const char **p, const char *end, unsigned int n)
{
	while (n--) {
		while (*p != end && **p == ' ')
			(*p)++;
		if (*p == end)
			return false;
		while (*p != end && **p != ' ')
			(*p)++;
	}
	while (*p != end && **p == ' ')
		(*p)++;
	return true;
}

/* A whole number below a thousand, perhaps negative. */
static bool parse_small(const char **p, const char *end, int *ret)
{
	const bool negative = *p != end && **p == '-';
	uint64_t n;

	*p += negative;
	if (!parse_dec(p, end, &n) || n >= 1000)
		return false;
	*ret = negative ? -(int)n : (int)n;
	return true;
}

bool proc_parse_stat(const char *text, size_t len, struct proc_stat *ret)
{
	const char *end = text + len, *open = memchr(text, '(', len), *close = memrchr(text, ')', len), *p = text;
	uint64_t pid, ppid, flags, minor, user, kernel;
	struct proc_stat st;
	size_t n;

	/* The name may hold parentheses and spaces: it ends at the last one. */
	if (!open || !close || close < open || end - close < 3 || !parse_dec(&p, open, &pid))
		return false;
	n = (size_t)(close - open - 1);
	if (n >= sizeof(st.comm))
		n = sizeof(st.comm) - 1;
	memset(&st, 0, sizeof(st));
	memcpy(st.comm, open + 1, n);
	p = close + 2;
	st.state = *p;
	st.zombie = *p == 'Z' || *p == 'X';
	if (!skip_words(&p, end, 1) || !parse_dec(&p, end, &ppid) || !skip_words(&p, end, 4) ||
	    !parse_dec(&p, end, &flags) ||
	    !skip_words(&p, end, 0) || !parse_dec(&p, end, &minor) || !skip_words(&p, end, 1) ||
	    !parse_dec(&p, end, &st.major_faults) || !skip_words(&p, end, 1) || !parse_dec(&p, end, &user) ||
	    !skip_words(&p, end, 0) || !parse_dec(&p, end, &kernel) || !skip_words(&p, end, 2) ||
	    !parse_small(&p, end, &st.prio) || !skip_words(&p, end, 1) ||
	    !parse_dec(&p, end, &st.threads) || !skip_words(&p, end, 1) || !parse_dec(&p, end, &st.start_ticks) ||
	    !skip_words(&p, end, 1) || !parse_dec(&p, end, &st.rss_pages))
		return false;
	st.faults = minor + st.major_faults;
	st.ticks = user + kernel;
	st.pid = (pid_t)pid;
	st.ppid = (pid_t)ppid;
	st.prio += 100;
	st.kthread = flags & PF_KTHREAD_BIT;
	*ret = st;
	return true;
}

int proc_read_stat(int dir, struct proc_stat *ret)
{
	char buf[1024];
	const ssize_t n = proc_read_text(dir, "stat", buf, sizeof(buf));

	if (n < 0)
		return (int)n;
	return proc_parse_stat(buf, (size_t)n, ret) ? 0 : -EBADMSG;
}

/* The numbers of the line that starts with KEY: how many, and the last one and the fourth one. */
static unsigned int numbers_of(const char *text, const char *key, uint64_t *ret_last, uint64_t *ret_fourth)
{
	const char *p = strstr(text, key), *end;
	unsigned int n = 0;
	uint64_t v;

	if (!p)
		return 0;
	p += strlen(key);
	end = p + strcspn(p, "\n");
	for (;;) {
		while (p != end && (*p == '\t' || *p == ' '))
			p++;
		if (!parse_dec(&p, end, &v))
			return n;
		*ret_last = v;
		if (++n == 4)
			*ret_fourth = v;
	}
}

bool proc_parse_status(const char *text, struct proc_status *ret)
{
	uint64_t last = 0, fourth = 0, pid = 0, tgid = 0, unused = 0;
	unsigned int levels;

	/* The kernel escapes newlines in "Name:", so a line start cannot be forged. */
	if (numbers_of(text, "\nUid:", &last, &fourth) != 4)
		return false;
	levels = numbers_of(text, "\nNSpid:", &pid, &unused);
	(void)numbers_of(text, "\nTgid:", &tgid, &unused);
	*ret = (struct proc_status){ .tgid = (pid_t)tgid, .ns_pid = levels ? (pid_t)pid : 0, .root_ns = levels == 1,
				     .uid = (uid_t)fourth };
	return true;
}

int proc_read_status(int dir, struct proc_status *ret)
{
	char buf[8192];
	const ssize_t n = proc_read_text(dir, "status", buf, sizeof(buf));

	if (n < 0)
		return (int)n;
	return proc_parse_status(buf, ret) ? 0 : -EBADMSG;
}

int proc_each_thread(int dir, bool (*each)(void *ctx, pid_t tid, pid_t inside), void *ctx)
{
	AUTO_FD int tasks = openat(dir, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = tasks < 0 ? NULL : fdopendir(tasks);
	const struct dirent *entry;
	const int r = -errno;

	if (!list)
		return r;
	(void)take_fd(&tasks);
	while ((entry = readdir(list))) {
		AUTO_FD int task = *entry->d_name == '.' ? -1 :
			openat(dirfd(list), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		struct proc_status status;

		if (task >= 0 && !proc_read_status(task, &status) &&
		    !each(ctx, (pid_t)strtol(entry->d_name, NULL, 10), status.ns_pid))
			break;
	}
	closedir(list);
	return 0;
}

ssize_t proc_read_exe(int dir, char buf[PROC_PATH_MAX])
{
	const ssize_t n = readlinkat(dir, "exe", buf, PROC_PATH_MAX - 1);
	size_t len;

	if (n < 0)
		return -errno;
	len = map_name_len(buf, (size_t)n, NULL);
	buf[len] = '\0';
	return (ssize_t)len;
}

struct line_reader {
	int fd;
	char buf[CHUNK];
	size_t at, len;          /* unread bytes are [at, len) */
};

/*
 * The next line without its newline, in *RET; 1, 0 at the end, or a negative errno. A line longer
 * than the buffer, which the kernel does not write, is an error.
 */
static int procfs_next_line(struct line_reader *r, char **ret, size_t *ret_len)
{
	for (;;) {
		char *nl = memchr(r->buf + r->at, '\n', r->len - r->at);
		ssize_t n;

		if (nl) {
			*ret = r->buf + r->at;
			*ret_len = (size_t)(nl - *ret);
			r->at += *ret_len + 1;
			return 1;
		}
		memmove(r->buf, r->buf + r->at, r->len - r->at);
		r->len -= r->at;
		r->at = 0;
		if (r->len == sizeof(r->buf))
			return -EBADMSG;
		n = read(r->fd, r->buf + r->len, sizeof(r->buf) - r->len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		r->len += (size_t)n;
	}
}

ssize_t proc_read_lines(int dir, const char *name, void (*each)(void *ctx, char *line, size_t len), void *ctx)
{
	AUTO_FREE struct line_reader *r = malloc(sizeof(*r));
	AUTO_FD int fd = procfs_open(dir, name);
	ssize_t lines = 0;
	size_t len = 0;
	char *line = NULL;
	int got;

	if (fd < 0)
		return fd;
	if (!r)
		return -ENOMEM;
	r->fd = fd;
	r->at = r->len = 0;
	while ((got = procfs_next_line(r, &line, &len)) > 0) {
		each(ctx, line, len);
		if (++lines == LINES_MAX)
			return -E2BIG;
	}
	return got < 0 ? got : lines;
}

struct maps_reader {
	void (*each)(void *ctx, const struct maps_line *m);
	void *ctx;
};

static void take_maps_line(void *ctx, char *line, size_t len)
{
	const struct maps_reader *r = ctx;
	struct maps_line m;

	if (maps_parse(line, len, &m))
		r->each(r->ctx, &m);
}

ssize_t proc_read_maps(int dir, void (*each)(void *ctx, const struct maps_line *m), void *ctx)
{
	struct maps_reader r = { each, ctx };

	return proc_read_lines(dir, "maps", take_maps_line, &r);
}

uint64_t proc_ticks_to_ns(uint64_t start_ticks)
{
	const uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK);
	const uint64_t slept = clock_ns(CLOCK_BOOTTIME) - clock_mono_ns();
	const uint64_t boot = start_ticks / hz * NSEC_PER_SEC + start_ticks % hz * NSEC_PER_SEC / hz;

	return boot > slept ? boot - slept : 0;
}
