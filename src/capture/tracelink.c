/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tracelink.c - see tracelink.h. Raw tracepoints are opened by hand, as libbpf 1.1 knows no cookies
 * of them.
 */
#include "config.h"

#include "capture/tracelink.h"

#include "bpf/wire.h"
#include "capture/features.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As much of union bpf_attr as BPF_RAW_TRACEPOINT_OPEN has of it, since 6.10. */
struct raw_attr {
	uint64_t name;
	uint32_t prog_fd, pad;
	uint64_t cookie;
};

#define RAW_ATTR_OLD 16u         /* bytes of it before */

static bool has_cookies;

/* The helper for cookies came to programs at raw tracepoints together with the cookies. */
static void try_cookies(void)
{
	static const struct bpf_insn asks[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_attach_cookie },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	AUTO_FD int prog = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "sb_cookie", "Dual BSD/GPL", asks,
					 sizeof(asks) / sizeof(asks[0]), NULL);

	has_cookies = prog >= 0 && features_allow("trace_cookies");
}

bool trace_cookies(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, try_cookies);
	return has_cookies;
}

static uint64_t trace_cookie_of(const struct capture_trace *t)
{
	return SB_COOKIE(SB_PROBE_PLACED + t->probe, 0);
}

int trace_check(const struct capture_trace *traces, uint32_t n, uint64_t *ret_cookie, struct err *e)
{
	const struct capture_trace *first = NULL;

	*ret_cookie = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (traces[i].id)
			continue;
		if (first && first->probe != traces[i].probe && !trace_cookies())
			return err_set(e, EOPNOTSUPP, "this kernel (before 6.10) can have one probe of kind "
				       "rawtracepoint: use tracepoint: for '%s'", traces[i].name);
		first = first ? first : &traces[i];
		*ret_cookie = trace_cookie_of(first);
	}
	return 0;
}

/* A descriptor of the link, or a negative errno. */
static int attach_raw(int prog, const struct capture_trace *t)
{
	const struct raw_attr attr = {
		.name = (uintptr_t)t->name, .prog_fd = (uint32_t)prog, .cookie = trace_cookie_of(t),
	};
	const long fd = syscall(SYS_bpf, BPF_RAW_TRACEPOINT_OPEN, &attr,
				trace_cookies() ? sizeof(attr) : RAW_ATTR_OLD);

	return fd < 0 ? -errno : (int)fd;
}

/* The same by a perf event, which the link keeps, and counts: one CPU is as good as all, the program runs on each. */
static int attach_formatted(int prog, const struct capture_trace *t)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_TRACEPOINT, .config = t->id,
	};
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = trace_cookie_of(t));
	AUTO_FD int event = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (event < 0)
		return -errno;
	return bpf_link_create(prog, event, BPF_PERF_EVENT, &opts);
}

static int explain_trace(const struct capture_trace *t, int error, struct err *e)
{
	switch (error) {
	case -ENOENT:
		return err_set(e, ENOENT, "the kernel lets nobody probe the tracepoint %s", t->name);
	case -EMFILE:
	case -ENFILE:
		return err_set(e, -error, "cannot probe the tracepoint %s: %s (each takes a descriptor: see ulimit -n)",
			       t->name, strerror(-error));
	default:
		return err_set(e, -error, "cannot probe the tracepoint %s: %s", t->name, strerror(-error));
	}
}

int trace_attach(int prog, int raw, const struct capture_trace *traces, uint32_t n, struct links **ret,
		 struct err *e)
{
	AUTO(links_free) struct links *l = links_new(n);

	if (!l)
		return err_nomem(e, "probes");
	for (uint32_t i = 0; i < n; i++) {
		const struct capture_trace *t = &traces[i];
		const int fd = t->id ? attach_formatted(prog, t) : attach_raw(raw, t);

		if (fd < 0)
			return explain_trace(t, fd, e);
		links_add(l, fd);
	}
	*ret = take_ptr(l);
	return 0;
}
