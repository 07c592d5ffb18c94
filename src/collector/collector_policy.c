/* SPDX-License-Identifier: BSD-2-Clause */
/* collector_policy.c - the rows, and comparisons with them. */
#include "config.h"

#include "collector/collector_policy.h"

#include "base/clock.h"
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <string.h>

#define CAP(name) ((uint64_t)1 << CAP_##name)
/* Another user's process may be looked at; files and folders that are that user's alone may be opened. */
#define LOOKS CAP(SYS_PTRACE)
#define OPENS (CAP(SYS_PTRACE) | CAP(DAC_READ_SEARCH))

static const struct policy_row rows[COLLECTOR_OPS] = {
	[COLLECTOR_MAPS] = { .name = "maps", .of_process = true, .content = POLICY_KERNEL_TEXT, .caps = LOOKS },
	[COLLECTOR_MAPPING_SIZES] = { .name = "sizes of mappings", .of_process = true, .content = POLICY_KERNEL_TEXT,
				      .caps = LOOKS },
	[COLLECTOR_POLICIES] = { .name = "memory policies", .of_process = true, .content = POLICY_KERNEL_TEXT,
				 .caps = LOOKS },
	[COLLECTOR_PAGES] = { .name = "nodes of pages", .of_process = true, .has_pages = true,
			      .content = POLICY_KERNEL_TEXT, .caps = LOOKS },
	[COLLECTOR_MAPPED] = { .name = "mapped file", .of_process = true, .has_range = true, .content = POLICY_ELF,
			       .caps = OPENS | CAP(CHECKPOINT_RESTORE) },
	[COLLECTOR_EXE] = { .name = "executable", .of_process = true, .content = POLICY_ELF, .caps = OPENS },
	[COLLECTOR_FILE] = { .name = "file", .of_process = true, .has_path = true, .content = POLICY_ELF,
			     .caps = OPENS },
	[COLLECTOR_PERF_MAP] = { .name = "perf map", .of_process = true, .content = POLICY_TEXT, .owned = true,
				 .caps = OPENS },
	[COLLECTOR_JITDUMP] = { .name = "jitdump", .of_process = true, .has_path = true, .content = POLICY_JITDUMP,
				.owned = true, .caps = OPENS },
	[COLLECTOR_MEMORY] = { .name = "memory", .of_process = true, .has_range = true, .content = POLICY_KERNEL_TEXT,
			       .caps = LOOKS },
	[COLLECTOR_STACK] = { .name = "stack", .of_process = true, .has_range = true, .content = POLICY_KERNEL_TEXT,
			      .caps = LOOKS },
	[COLLECTOR_SOURCE] = { .name = "source", .of_process = true, .has_path = true, .content = POLICY_SOURCE,
			       .for_all = true, .caps = OPENS },
	[COLLECTOR_CONTAINER] = { .name = "file about a container", .of_process = true, .has_path = true,
				  .content = POLICY_JSON, .of_root = true, .caps = OPENS },
	[COLLECTOR_KALLSYMS] = { .name = "kernel symbols", .content = POLICY_KERNEL_TEXT, .caps = CAP(SYSLOG) },
};

const struct policy_row *policy_row(uint32_t op)
{
	return op < COLLECTOR_OPS && rows[op].name ? &rows[op] : NULL;
}

uint64_t policy_caps(void)
{
	uint64_t caps = 0;

	for (uint32_t op = 0; op < COLLECTOR_OPS; op++)
		caps |= rows[op].caps;
	return caps;
}

uint64_t policy_caps_to_hold(void)
{
	return CAP(BPF) | CAP(PERFMON) | LOOKS;
}

const char *policy_caps_text(uint64_t caps, char dst[POLICY_CAPS_TEXT])
{
	static const struct {
		int cap;
		const char *name;
	} known[] = {
		{ CAP_BPF, "cap_bpf" }, { CAP_PERFMON, "cap_perfmon" },
		{ CAP_DAC_READ_SEARCH, "cap_dac_read_search" }, { CAP_SYS_PTRACE, "cap_sys_ptrace" },
		{ CAP_SYSLOG, "cap_syslog" }, { CAP_CHECKPOINT_RESTORE, "cap_checkpoint_restore" },
	};
	size_t at = 0;

	dst[0] = '\0';
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (caps >> known[i].cap & 1)
			at += text_format(dst + at, POLICY_CAPS_TEXT - at, "%s%s", at ? " and " : "", known[i].name);
	return dst;
}

/* Is the field that holds PATH a text with NULs up to its end? */
static bool policy_is_text(const char path[COLLECTOR_PATH_MAX])
{
	const size_t len = strnlen(path, COLLECTOR_PATH_MAX);

	for (size_t i = len; i < COLLECTOR_PATH_MAX; i++)
		if (path[i])
			return false;
	return len < COLLECTOR_PATH_MAX;
}

/* Has PATH a part that is ".."? */
static bool policy_climbs(const char *path)
{
	for (const char *p = path; (p = strstr(p, "..")); p += 2)
		if ((p == path || p[-1] == '/') && (!p[2] || p[2] == '/'))
			return true;
	return false;
}

/* What is there is no program, and opening it may do something. */
static bool policy_special(const char *path)
{
	return policy_below(path, "/proc") || policy_below(path, "/sys") || policy_below(path, "/dev");
}

/*
 * Where runtimes keep what they know of containers (system/container.h reads it): "?" stands for one part of a path,
 * "#" for the one that is the id of a container.
 */
static const char *const of_containers[] = {
	"/var/lib/docker/containers/#/config.v2.json",
	"/run/containerd/io.containerd.runtime.v2.task/?/#/config.json",
	"/run/k3s/containerd/io.containerd.runtime.v2.task/?/#/config.json",
	"/var/snap/microk8s/common/run/containerd/io.containerd.runtime.v2.task/?/#/config.json",
	"/run/containers/storage/?/#/userdata/config.json",
	"/run/containers/storage/?/volatile-containers.json",
	"/var/lib/containers/storage/?/containers.json",
};

/* Has the cgroup CGROUP a part with the id ID, of LEN bytes, between what is neither a letter nor a digit? */
static bool policy_has_id(const char *cgroup, const char *id, size_t len)
{
	for (const char *p = cgroup; len >= POLICY_ID_MIN && (p = memmem(p, strlen(p), id, len)); p++)
		if ((p == cgroup || !isalnum((unsigned char)p[-1])) && !isalnum((unsigned char)p[len]))
			return true;
	return false;
}

/* Is PATH one of PATTERN, and of a container that CGROUP is of? NULL = whichever. */
static bool policy_is_of(const char *pattern, const char *path, const char *cgroup)
{
	while (*pattern && *path) {
		const size_t len = strcspn(path, "/");

		const bool id = *pattern == '#', part = id || *pattern == '?';

		if (part ? !len || (id && cgroup && !policy_has_id(cgroup, path, len)) : *pattern != *path)
			return false;
		pattern++;
		path += part ? len : 1;
	}
	return !*pattern && !*path;
}

bool policy_of_containers(const char *path, const char *cgroup)
{
	for (size_t i = 0; i < sizeof(of_containers) / sizeof(*of_containers); i++)
		if (policy_is_of(of_containers[i], path, cgroup))
			return true;
	return false;
}

/* Are there as many addresses as Q says, and zeroes behind them? */
static bool policy_are_pages(const struct collector_request *q)
{
	for (uint64_t i = q->a; i < COLLECTOR_PAGES_MAX; i++)
		if (q->page[i])
			return false;
	return q->a && q->a <= COLLECTOR_PAGES_MAX && !q->b;
}

int policy_request(const struct collector_request *q, const struct policy_row **ret_row)
{
	const struct policy_row *row = policy_row(q->op);

	if (!row || q->reserved || !(row->has_pages ? policy_are_pages(q) : policy_is_text(q->path)))
		return -EINVAL;
	if (row->of_process ? q->pid <= 0 || !q->start_ticks : q->pid || q->start_ticks)
		return -EINVAL;
	if (row->has_pages) {
		*ret_row = row;
		return 0;
	}
	if (row->has_range ? q->a >= q->b : q->a || q->b)
		return -EINVAL;
	if (row->has_path ? q->path[0] != '/' : q->path[0])
		return -EINVAL;
	if (row->has_path && (policy_climbs(q->path) || policy_special(q->path)))
		return -EPERM;
	if (q->op == COLLECTOR_CONTAINER && !policy_of_containers(q->path, NULL))
		return -EPERM;
	if (q->op == COLLECTOR_MEMORY && q->b - q->a > POLICY_READ_MAX)
		return -EPERM;
	*ret_row = row;
	return 0;
}

static bool policy_content_fits(enum policy_content content, const unsigned char *head, size_t n)
{
	switch (content) {
	case POLICY_ELF:
		return n >= 4 && !memcmp(head, "\177ELF", 4);
	case POLICY_JITDUMP:
		/* of either byte order */
		return n >= 4 && (!memcmp(head, "DTiJ", 4) || !memcmp(head, "JiTD", 4));
	case POLICY_JSON:
		return n && (head[0] == '{' || head[0] == '[');
	case POLICY_SOURCE:
		return !memchr(head, 0, n);
	case POLICY_TEXT:
		for (size_t i = 0; i < n; i++)
			if (!head[i] || head[i] > '~')
				return false;
		return true;
	case POLICY_KERNEL_TEXT:
		break;
	}
	return true;
}

int policy_file(const struct policy_row *row, const struct policy_file *f, uid_t owner)
{
	/* Files of /proc are regular ones to fstat(2), also the memory of a process. */
	if (!S_ISREG(f->st.st_mode) || f->fs_type == PROC_SUPER_MAGIC || f->fs_type == SYSFS_MAGIC)
		return -ENOTSUP;
	if (row->for_all && !(f->st.st_mode & S_IROTH))
		return -EPERM;
	if (row->of_root && f->st.st_uid != 0)
		return -EPERM;
	if (row->owned && f->st.st_uid != owner && f->st.st_uid != 0)
		return -EPERM;
	if ((uint64_t)f->st.st_size > POLICY_FILE_MAX)
		return -EFBIG;
	return policy_content_fits(row->content, f->head, f->n) ? 0 : -ENOEXEC;
}

uint64_t policy_stack(const struct policy_thread *t, uint64_t a, uint64_t b)
{
	const uint64_t lowest = t->sp > POLICY_RED_ZONE ? t->sp - POLICY_RED_ZONE : 0;

	if (t->state == 'R')
		return 0;
	if (t->futex >= POLICY_FUTEX && a >= t->futex - POLICY_FUTEX && a < b && b <= t->futex + POLICY_FUTEX)
		return b;
	if (t->sp < t->start || t->sp >= t->end || a < lowest || a < t->start || a >= t->end || a > t->sp ||
	    b - a > POLICY_STACK_MAX)
		return 0;
	return b < t->end ? b : t->end;
}

bool policy_below(const char *path, const char *target)
{
	const size_t n = strcmp(target, "/") ? strlen(target) : 0;

	return !strncmp(path, target, n) && (!path[n] || path[n] == '/');
}

bool policy_refused(int err)
{
	switch (err) {
	case -EINVAL:
	case -EPERM:
	case -ENOTSUP:
	case -EFBIG:
	case -EDQUOT:
		return true;
	default:
		return false;
	}
}

bool policy_rate(struct policy_rate *r, uint64_t now_ns)
{
	const uint64_t back = (now_ns - r->since_ns) / (NSEC_PER_SEC / POLICY_PER_SECOND);

	if (back) {
		r->used -= back < r->used ? back : r->used;
		r->since_ns = now_ns;
	}
	if (r->used >= POLICY_BURST)
		return false;
	r->used++;
	return true;
}

void policy_rate_back(struct policy_rate *r)
{
	r->used -= r->used ? 1 : 0;
}
