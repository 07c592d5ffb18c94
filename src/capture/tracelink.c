/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tracelink.c - see tracelink.h. Raw tracepoints are opened by hand, as libbpf 1.1 knows no cookies
 * of them.
 */
#include "config.h"

#include "capture/tracelink.h"

#include "bpf/wire.h"
#include "capture/features.h"
#include "system/cpus.h"
#include "system/sysfile.h"

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

static bool has_many;

/* One link to a function that every kernel has. */
static void try_many_functions(void)
{
	static const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 }, { .code = BPF_JMP | BPF_EXIT },
	};
	static const char *const names[] = { "do_send_sig_info" };
	LIBBPF_OPTS(bpf_prog_load_opts, load, .expected_attach_type = BPF_TRACE_KPROBE_MULTI);
	LIBBPF_OPTS(bpf_link_create_opts, link);
	AUTO_FD int prog = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "sb_many", "Dual BSD/GPL", nothing,
					 sizeof(nothing) / sizeof(nothing[0]), &load);
	AUTO_FD int fd = -1;

	link.kprobe_multi.syms = (const char **)(uintptr_t)names;
	link.kprobe_multi.cnt = 1;
	fd = prog < 0 ? -1 : bpf_link_create(prog, 0, BPF_TRACE_KPROBE_MULTI, &link);
	has_many = fd >= 0 && features_allow("kprobe_multi");
}

bool trace_many(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, try_many_functions);
	return has_many;
}

static uint64_t trace_cookie_of(const struct capture_trace *t)
{
	return SB_COOKIE_OF_SPAN(SB_PROBE_PLACED + t->probe, t->span) | SB_COOKIE_OF_LOADS(t->loads) | t->more;
}

int trace_check(const struct capture_trace *traces, uint32_t n, uint64_t *ret_cookie, struct err *e)
{
	const struct capture_trace *first = NULL;

	*ret_cookie = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (traces[i].how != CAPTURE_TRACE_RAW)
			continue;
		if (first && trace_cookie_of(first) != trace_cookie_of(&traces[i]) && !trace_cookies())
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

/* The same by a perf event of CPU as ATTR has it, which the link keeps, and counts. */
static int attach_event_on(int prog, const struct capture_trace *t, struct perf_event_attr *attr, uint32_t cpu)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = trace_cookie_of(t));
	AUTO_FD int event = (int)syscall(SYS_perf_event_open, attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (event < 0)
		return -errno;
	return bpf_link_create(prog, event, BPF_PERF_EVENT, &opts);
}

/* One CPU is as good as all, the program runs on each. */
static int attach_event(int prog, const struct capture_trace *t, struct perf_event_attr *attr)
{
	return attach_event_on(prog, t, attr, 0);
}

static int attach_formatted(int prog, const struct capture_trace *t)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_TRACEPOINT, .config = t->id };

	return attach_event(prog, t, &attr);
}

/* The number of the perf events for functions of the kernel; false when there are none. */
static bool function_event_type(uint32_t *ret)
{
	uint64_t type;

	if (!sysfile_u64("/sys/bus/event_source/devices/kprobe/type", &type))
		return false;
	*ret = (uint32_t)type;
	return true;
}

int trace_check_functions(struct err *e)
{
	uint32_t type;

	if (function_event_type(&type))
		return 0;
	return err_set(e, EOPNOTSUPP, "this kernel was built without kprobes (CONFIG_KPROBE_EVENTS), so its functions "
		       "cannot be probed: use a tracepoint (sberf list 'tracepoint:*'), or another kernel");
}

static bool is_function(const struct capture_trace *t)
{
	return t->how == CAPTURE_TRACE_FUNCTION || t->how == CAPTURE_TRACE_RETURN ||
		t->how == CAPTURE_TRACE_FOLLOWED || t->how == CAPTURE_TRACE_FOLLOWED_RETURN ||
		t->how == CAPTURE_TRACE_CALLED || t->how == CAPTURE_TRACE_CALLED_RETURN ||
		t->how == CAPTURE_TRACE_POINTER;
}

static bool is_return(const struct capture_trace *t)
{
	return t->how == CAPTURE_TRACE_RETURN || t->how == CAPTURE_TRACE_FOLLOWED_RETURN ||
		t->how == CAPTURE_TRACE_CALLED_RETURN;
}

/* By its address, where that is known: several functions can have one name. */
static int attach_function(int prog, const struct capture_trace *t)
{
	/* Bit 0 asks for the return (format/retprobe of that device). */
	struct perf_event_attr attr = { .size = sizeof(attr), .config = is_return(t) };

	if (!function_event_type(&attr.type))
		return -EOPNOTSUPP;
	if (t->id)
		attr.kprobe_addr = t->id;
	else
		attr.kprobe_func = (uintptr_t)t->name;
	return attach_event(prog, t, &attr);
}

/*
 * Adds links to the counter of page faults of each of CPUS to L. Each fault is a sample of its own,
 * of which the kernel suppresses none: it does so only where several come at once.
 */
static int attach_faults(int prog, const struct capture_trace *t, const u32_vec *cpus, struct links *l)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE,
		.config = t->id ? PERF_COUNT_SW_PAGE_FAULTS_MAJ : PERF_COUNT_SW_PAGE_FAULTS_MIN,
		.sample_period = 1, .sample_type = PERF_SAMPLE_ADDR,
	};

	for (size_t i = 0; i < cpus->n; i++) {
		const int fd = attach_event_on(prog, t, &attr, cpus->v[i]);

		if (fd < 0 && fd != -ENODEV)
			return fd;
		if (fd >= 0)
			links_add(l, fd);
	}
	return 0;
}

static int attach_signals(int prog)
{
	const int fd = bpf_raw_tracepoint_open(NULL, prog);

	return fd < 0 ? -errno : fd;
}

static int trace_attach_one(const int prog[CAPTURE_TRACE_HOWS], const struct capture_trace *t)
{
	switch (t->how) {
	case CAPTURE_TRACE_FORMATTED:
		return attach_formatted(prog[t->how], t);
	case CAPTURE_TRACE_RAW:
		return attach_raw(prog[t->how], t);
	case CAPTURE_TRACE_SIGNAL:
		return attach_signals(prog[t->how]);
	default:
		return attach_function(prog[t->how], t);
	}
}

static int explain_function(const struct capture_trace *t, int error, struct err *e)
{
	switch (error) {
	case -ENOENT:
	case -EINVAL:
	case -EILSEQ:
		return err_set(e, -error, "the kernel lets nobody probe its function %s: its own probes need it, it "
			       "was built not to be traced, or it is no longer there", t->name);
	case -EADDRNOTAVAIL:
		return err_set(e, -error, "several functions of the kernel are called %s, and it shows no addresses to "
			       "tell them apart: sysctl kernel.kptr_restrict=1", t->name);
	default:
		return err_set(e, -error, "cannot probe the function %s of the kernel: %s", t->name, strerror(-error));
	}
}

static int explain_trace(const struct capture_trace *t, int error, struct err *e)
{
	if (is_function(t) && error != -EMFILE && error != -ENFILE)
		return explain_function(t, error, e);
	switch (error) {
	case -ENOENT:
		return err_set(e, ENOENT, "the kernel lets nobody probe the tracepoint %s", t->name);
	case -EEXIST:
		return err_set(e, EEXIST, "two probes are about %s, where the kernel runs a program once: leave one of "
			       "them out", t->name);
	case -EMFILE:
	case -ENFILE:
		return err_set(e, -error, "cannot probe %s: %s (each place takes a descriptor: see ulimit -n)",
			       t->name, strerror(-error));
	default:
		return err_set(e, -error, "cannot probe %s: %s", t->name, strerror(-error));
	}
}

/* May a failure with ERROR be passed over, when there are others of the probe? */
static bool is_spared(const struct capture_trace *t, int error)
{
	return is_function(t) && !(t->more & SB_COOKIE_ROOT) &&
		(error == -ENOENT || error == -EINVAL || error == -EILSEQ);
}

/* Are TRACES[I], of N, and the one behind it of the same probe? */
static bool is_joined(const struct capture_trace *traces, uint32_t n, uint32_t i)
{
	return i + 1 < n && traces[i].probe == traces[i + 1].probe && traces[i].span == traces[i + 1].span;
}

/*
 * Attaches PROG to the N functions from TRACES on, which are of one kind, by one link, and by their addresses, or where
 * these are not known by their names. Its descriptor, or a negative errno.
 */
static int attach_functions_at_once(int prog, const struct capture_trace *traces, uint32_t n)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts);
	AUTO_FREE uint64_t *at = calloc(2 * (size_t)n, sizeof(*at));
	int fd;

	if (!at)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		at[i] = traces->id ? traces[i].id : (uint64_t)(uintptr_t)traces[i].name;
		at[n + i] = trace_cookie_of(&traces[i]);
	}
	if (traces->id)
		opts.kprobe_multi.addrs = (const unsigned long *)at;
	else
		opts.kprobe_multi.syms = (const char **)at;
	opts.kprobe_multi.cookies = (const __u64 *)(at + n);
	opts.kprobe_multi.cnt = n;
	opts.kprobe_multi.flags = is_return(traces) ? BPF_F_KPROBE_MULTI_RETURN : 0;
	fd = bpf_link_create(prog, 0, BPF_TRACE_KPROBE_MULTI, &opts);
	return fd < 0 ? -errno : fd;
}

/*
 * Adds links to the N functions from TRACES on. The kernel takes all or none: where one of them must not be probed, the
 * halves are tried, until that is left out.
 */
static int attach_functions(int prog, const struct capture_trace *traces, uint32_t n, struct links *l, struct err *e)
{
	const int fd = attach_functions_at_once(prog, traces, n);
	int r;

	if (fd >= 0) {
		links_add(l, fd);
		return 0;
	}
	if (n == 1)
		return is_spared(traces, fd) ? 0 : explain_trace(traces, fd, e);
	if (!is_spared(traces, fd) && fd != -EINVAL)
		return explain_trace(traces, fd, e);
	r = attach_functions(prog, traces, n / 2, l, e);
	return r ? r : attach_functions(prog, traces + n / 2, n - n / 2, l, e);
}

/* How many from TRACES on, of N, are functions that can have one link. */
static uint32_t count_functions(const struct capture_trace *traces, uint32_t n)
{
	uint32_t many = 0;

	if ((traces->how != CAPTURE_TRACE_CALLED && traces->how != CAPTURE_TRACE_CALLED_RETURN) || !trace_many())
		return 0;
	while (many < n && traces[many].how == traces->how && traces[many].probe == traces->probe)
		many++;
	return many;
}

static int trace_attach_all(const int prog[CAPTURE_TRACE_HOWS], const struct capture_trace *traces, uint32_t n,
			    const u32_vec *cpus, struct links *l, struct err *e)
{
	uint32_t placed = 0;     /* of the probe at hand */

	for (uint32_t i = 0; i < n; i++) {
		const struct capture_trace *t = &traces[i];
		const uint32_t many = count_functions(t, n - i);
		int fd;

		if (many) {
			fd = attach_functions(prog[t->how], t, many, l, e);
			if (fd < 0)
				return fd;
			i += many - 1;
			placed++;
			continue;
		}
		if (t->how == CAPTURE_TRACE_FAULT) {
			fd = attach_faults(prog[t->how], t, cpus, l);
			if (fd < 0)
				return explain_trace(t, fd, e);
			continue;
		}
		fd = trace_attach_one(prog, t);
		placed = i && is_joined(traces, n, i - 1) ? placed : 0;
		if (fd < 0 && !(is_spared(t, fd) && (placed || is_joined(traces, n, i))))
			return explain_trace(t, fd, e);
		if (fd < 0)
			continue;
		links_add(l, fd);
		placed++;
	}
	return 0;
}

/* How many links TRACES, N of them, take at most on so many CPUS. */
static uint32_t trace_links(const struct capture_trace *traces, uint32_t n, uint32_t cpus)
{
	uint32_t all = 0;

	for (uint32_t i = 0; i < n; i++)
		all += traces[i].how == CAPTURE_TRACE_FAULT ? cpus : 1;
	return all;
}

int trace_attach(const int prog[CAPTURE_TRACE_HOWS], const struct capture_trace *traces, uint32_t n, struct links **ret,
		 struct err *e)
{
	AUTO(links_free) struct links *l = NULL;
	u32_vec cpus = { 0 };
	int r = cpus_read(SYSTEM_DIR "/cpu/online", &cpus, e);

	l = r < 0 ? NULL : links_new(trace_links(traces, n, (uint32_t)cpus.n));
	if (r >= 0 && !l)
		r = err_nomem(e, "probes");
	if (r >= 0)
		r = trace_attach_all(prog, traces, n, &cpus, l, e);
	vec_free(&cpus);
	if (r < 0)
		return r;
	*ret = take_ptr(l);
	return 0;
}
