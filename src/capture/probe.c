/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe.c - judges the facts of probe.h.
 *
 * Reasons for a denial are checked in the kernel's own order: is the feature there at all, do
 * capabilities count here (a user namespace has its own), are they held, does a lockdown or a
 * sysctl forbid it all the same.
 */
#include "config.h"

#include "capture/probe.h"

#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#define CAPS "cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog"
#define CAP_ADD "--cap-add BPF --cap-add PERFMON --cap-add SYS_PTRACE --cap-add SYSLOG"

#define PARANOID_MAX 2
#define YAMA_NO_ATTACH 3         /* kernel.yama.ptrace_scope: not even with the capability, until the next boot */
#define UNPARANOID "sudo sysctl kernel.perf_event_paranoid=2"
#define UNRESTRICTED "sudo sysctl kernel.kptr_restrict=1"

/* By who starts it. The filter of system calls of Podman 4 denies bpf() with these capabilities, too. */
static const struct {
	const char *start, *pids, *seccomp;
} managers[] = {
	[PROBE_DOCKER] = { "docker run --pid=host --cgroupns=host " CAP_ADD " ...",
			   "start the container with --pid=host", "docker run --security-opt seccomp=unconfined ..." },
	[PROBE_PODMAN] = { "podman run --pid=host --cgroupns=host --security-opt seccomp=unconfined " CAP_ADD " ...",
			   "start the container with --pid=host", "podman run --security-opt seccomp=unconfined ..." },
	[PROBE_KUBERNETES] = { "in the spec of the pod: hostPID: true, and in that of its container: "
			       "securityContext: {privileged: true}",
			       "set hostPID: true in the spec of the pod",
			       "in the spec of its container: securityContext: {seccompProfile: {type: Unconfined}}" },
};

const char *probe_host_pids(enum probe_manager m)
{
	return managers[m].pids;
}

/* In a container: namespaces of its own, or capabilities that no command inside can give. */
static bool probe_contained(const struct probe_facts *f)
{
	return !f->init_userns || !f->init_pidns || f->bounded;
}

static void probe_fill(char *dst, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void probe_fill(char *dst, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(dst, size, fmt, ap);
	va_end(ap);
}

/* Debian's kernels know a level 3, at which CAP_PERFMON is not enough for perf_event_open(). */
static bool is_paranoid(const struct probe_facts *f)
{
	return f->paranoid > PARANOID_MAX && !f->cap_sys_admin;
}

/* The command that grants capabilities, by situation. */
static void probe_grant(const struct probe_facts *f, char *dst, size_t size)
{
	if (probe_contained(f))
		probe_fill(dst, size, "%s", managers[f->manager].start);
	else
		probe_fill(dst, size, "sudo setcap " CAPS "+ep %s%s", f->self[0] ? f->self : "sberf",
			   is_paranoid(f) ? " && " UNPARANOID : "");
}

/* The list being written. */
struct rows {
	const struct probe_facts *f;
	struct probe_check *row;
	size_t n;
};

static struct probe_check *probe_add(struct rows *r, const char *name, bool ok, enum probe_state otherwise,
				     const char *need)
{
	struct probe_check *c = &r->row[r->n++];

	*c = (struct probe_check){ .name = name, .state = ok ? PROBE_OK : otherwise, .need = ok ? "" : need };
	return c;
}

static void check_btf(struct rows *r)
{
	struct probe_check *c =
		probe_add(r, "kernel type information (BTF)", r->f->btf, PROBE_MISSING, "/sys/kernel/btf/vmlinux");

	probe_fill(c->now, sizeof(c->now), r->f->btf ? "/sys/kernel/btf/vmlinux" : "absent in kernel %s",
		   r->f->release);
	if (!r->f->btf)
		probe_fill(c->fix, sizeof(c->fix),
			   "grep CONFIG_DEBUG_INFO_BTF /boot/config-%s   # boot a kernel where it is y", r->f->release);
}

static void check_cap(struct rows *r, const char *name, bool held, enum probe_state otherwise, const char *need)
{
	struct probe_check *c = probe_add(r, name, held, otherwise, need);

	probe_fill(c->now, sizeof(c->now), held ? "held" : "not held");
	if (!held)
		probe_grant(r->f, c->fix, sizeof(c->fix));
}

static void check_namespaces(struct rows *r)
{
	bool user = r->f->init_userns, pid = r->f->init_pidns;
	struct probe_check *c = probe_add(r, "namespaces", user && pid, PROBE_MISSING,
					  "the initial user and pid namespaces");

	probe_fill(c->now, sizeof(c->now), "%s user namespace, %s pid namespace", user ? "initial" : "other",
		   pid ? "initial" : "other");
	if (!user || !pid)
		probe_fill(c->fix, sizeof(c->fix), "%s", managers[r->f->manager].start);
}

/* The programs need nothing that a lockdown denies, so this is for information; see say_locked(). */
static void check_lockdown(struct rows *r)
{
	struct probe_check *c = probe_add(r, "kernel lockdown", true, PROBE_OK, "");

	probe_fill(c->now, sizeof(c->now), "%s", r->f->lockdown[0] ? r->f->lockdown : "none (not built in)");
}

static void check_perf(struct rows *r)
{
	int code = r->f->perf_clock;
	struct probe_check *c = probe_add(r, "perf events on all CPUs", !code, PROBE_MISSING, "allowed");

	if (r->f->paranoid == PROBE_UNKNOWN)
		probe_fill(c->now, sizeof(c->now), "%s", code ? strerror(code) : "allowed");
	else
		probe_fill(c->now, sizeof(c->now), "%s, kernel.perf_event_paranoid = %lld",
			   code ? strerror(code) : "allowed", (long long)r->f->paranoid);
	if (code && r->f->cap_perfmon)
		probe_fill(c->fix, sizeof(c->fix), UNPARANOID);
	else if (code)
		probe_grant(r->f, c->fix, sizeof(c->fix));
}

static void check_pmu(struct rows *r)
{
	int code = r->f->perf_cycles;
	struct probe_check *c =
		probe_add(r, "hardware cycle counter (PMU)", !code, PROBE_NOTE, "a PMU; cpu-clock is used instead");

	probe_fill(c->now, sizeof(c->now), "%s", code == ENOENT ? "none" : code ? strerror(code) : "present");
}

static void check_ringbuf(struct rows *r)
{
	int code = r->f->ringbuf;
	struct probe_check *c = probe_add(r, "BPF ring buffers", !code, PROBE_MISSING,
					  "kernel 5.15 or later, and CAP_BPF");

	if (r->f->unprivileged_bpf == PROBE_UNKNOWN)
		probe_fill(c->now, sizeof(c->now), "%s", code ? strerror(code) : "allowed");
	else
		probe_fill(c->now, sizeof(c->now), "%s, kernel.unprivileged_bpf_disabled = %lld",
			   code ? strerror(code) : "allowed", (long long)r->f->unprivileged_bpf);
	if (code == EINVAL)
		probe_fill(c->fix, sizeof(c->fix), "uname -r   # boot kernel 5.15 or later");
	else if (code)
		probe_grant(r->f, c->fix, sizeof(c->fix));
}

static void check_pt_regs(struct rows *r)
{
	int v = r->f->pt_regs;
	struct probe_check *c = probe_add(r, "user registers in BPF programs", v == 1, PROBE_MISSING,
					  "kernel 5.15 or later");

	probe_fill(c->now, sizeof(c->now), "%s", v == 1 ? "allowed" : v ? "could not be asked" : "absent");
	if (v < 0)
		probe_grant(r->f, c->fix, sizeof(c->fix));
	else if (!v)
		probe_fill(c->fix, sizeof(c->fix), "uname -r   # boot kernel 5.15 or later");
}

static void need_kernel(struct probe_check *c, const char *version)
{
	probe_fill(c->now, sizeof(c->now), c->state == PROBE_OK ? "present" : "absent");
	if (c->state != PROBE_OK)
		probe_fill(c->fix, sizeof(c->fix), "uname -r   # boot kernel %s or later", version);
}

/* Time off the CPU. All of it is asked of BTF: without that there is nothing to say that check_btf() has not said. */
static void check_off_cpu(struct rows *r)
{
	const struct features *f = &r->f->features;
	const bool both = f->sched_switch && f->sched_waking;
	struct probe_check *c;

	if (!r->f->btf)
		return;
	c = probe_add(r, "off-CPU: scheduler tracepoints", both, PROBE_NOTE,
		      "sched_switch and sched_waking; else only time on CPUs is seen");
	probe_fill(c->now, sizeof(c->now), "%s", both ? "sched_switch, sched_waking" : f->sched_switch ?
		   "no sched_waking" : f->sched_waking ? "no sched_switch" : "none");
	if (!both)
		probe_fill(c->fix, sizeof(c->fix),
			   "grep CONFIG_BPF_EVENTS /boot/config-%s   # boot a kernel where it is y", r->f->release);
	need_kernel(probe_add(r, "off-CPU: task storage in BPF", f->task_storage, PROBE_NOTE,
			      "kernel 5.15 or later; else only time on CPUs is seen"), "5.15");
	need_kernel(probe_add(r, "off-CPU: iterator over tasks", f->task_iter, PROBE_NOTE,
			      "kernel 5.15 or later; else waits are seen when they end, not before"), "5.15");
	if (both)
		need_kernel(probe_add(r, "off-CPU: state of who leaves", f->prev_state, PROBE_NOTE,
				      "kernel 5.18 or later; else a wait that ends as it begins may count "
				      "as preempted"),
			    "5.18");
}

/* For information: those that matter to somebody have rows of their own. */
static void check_missing(struct rows *r)
{
	char names[PROBE_TEXT_MAX - 1];

	if (!r->f->btf)
		return;
	features_missing(&r->f->features, names, sizeof(names));
	probe_fill(probe_add(r, "kernel features done without", true, PROBE_OK, "")->now, PROBE_TEXT_MAX, "%s", names);
}

/* What capture/peek.h needs. */
static void check_peek(struct rows *r)
{
	const int64_t scope = r->f->ptrace_scope;
	const bool forbidden = scope >= YAMA_NO_ATTACH, ok = !forbidden && r->f->cap_sys_ptrace;
	const char *now = ok ? "readable" : scope > 0 ? "not readable" : "of the same user's processes only";
	struct probe_check *c =
		probe_add(r, "off-CPU: stacks from before", ok, PROBE_NOTE,
			  forbidden ? "2 or less, to read stacks of threads that were blocked before the start"
				    : "CAP_SYS_PTRACE, to read stacks of others' threads that were blocked "
				    "before the start");

	if (scope == PROBE_UNKNOWN)
		probe_fill(c->now, sizeof(c->now), "%s", now);
	else
		probe_fill(c->now, sizeof(c->now), "%s, kernel.yama.ptrace_scope = %lld", now, (long long)scope);
	if (forbidden)
		probe_fill(c->fix, sizeof(c->fix), "grep -r ptrace_scope /etc/sysctl.*   # set it to 1 and reboot");
	else if (!ok)
		probe_grant(r->f, c->fix, sizeof(c->fix));
}

/* What numa/placement.h needs. */
static void probe_check_nodes(struct rows *r)
{
	const struct probe_facts *f = r->f;
	struct probe_check *c = probe_add(r, "NUMA: nodes", f->nodes, PROBE_NOTE, "/sys/devices/system/node");

	if (f->nodes == 1)
		probe_fill(c->now, sizeof(c->now), "1: no memory is far");
	else
		probe_fill(c->now, sizeof(c->now), f->nodes ? "%u, distances %s" : "not known", f->nodes, f->distances);
	c = probe_add(r, "NUMA: where pages are", !f->move_pages && f->cap_sys_ptrace, PROBE_NOTE,
		      f->move_pages ? "the system call move_pages; else accesses and memory have no node" :
		      "CAP_SYS_PTRACE, to ask about other users' processes");
	probe_fill(c->now, sizeof(c->now), "%s", f->move_pages ? strerror(f->move_pages) : f->cap_sys_ptrace ?
		   "may be asked" : "of the same user's processes only");
	if (!f->move_pages && !f->cap_sys_ptrace)
		probe_grant(f, c->fix, sizeof(c->fix));
}

static void check_kallsyms(struct rows *r)
{
	const struct probe_facts *f = r->f;
	struct probe_check *c = probe_add(r, "names of kernel functions", f->kallsyms, PROBE_NOTE,
					  "readable addresses in /proc/kallsyms");

	probe_fill(c->now, sizeof(c->now), "%s, kernel.kptr_restrict = %lld", f->kallsyms ? "readable" : "hidden",
		   f->kptr_restrict == PROBE_UNKNOWN ? -1LL : (long long)f->kptr_restrict);
	if (!f->kallsyms && f->kptr_restrict >= 2)
		probe_fill(c->fix, sizeof(c->fix), UNRESTRICTED);
	else if (!f->kallsyms)
		probe_grant(f, c->fix, sizeof(c->fix));
}

/* Without debug information there are no inlined calls and no lines; names come from symbol tables. */
static void check_debug(struct rows *r)
{
	const struct probe_facts *f = r->f;
	struct probe_check *c =
		probe_add(r, "debug information", f->zstd && f->packages, PROBE_NOTE,
			  "elfutils 0.191 or newer, built with zstd, for inlined calls and lines of files "
			  "that have these");

	probe_fill(c->now, sizeof(c->now), "elfutils %s%s%s%s", f->elfutils[0] ? f->elfutils : "(unknown)",
		   f->zstd && f->packages ? "" : ": cannot read ", f->zstd ? "" : "sections packed by zstd",
		   f->packages ? "" : f->zstd ? "packages of split units (.dwp)" :
		   ", nor packages of split units (.dwp)");
}

static void check_nofile(struct rows *r)
{
	const struct probe_facts *f = r->f;
	struct probe_check *c =
		probe_add(r, "open files", f->nofile_max >= f->nofile_need, PROBE_MISSING, "a higher hard limit");

	probe_fill(c->now, sizeof(c->now), "%llu, at most %llu; %u CPUs take %llu", (unsigned long long)f->nofile,
		   (unsigned long long)f->nofile_max, f->nr_cpus, (unsigned long long)f->nofile_need);
	if (c->state != PROBE_OK)
		probe_fill(c->fix, sizeof(c->fix), "sudo prlimit --pid $$ --nofile=%llu",
			   (unsigned long long)f->nofile_need);
}

static void check_rate(struct rows *r)
{
	int64_t max = r->f->max_rate;
	bool enough = max == PROBE_UNKNOWN || max >= 1000;
	struct probe_check *c = probe_add(r, "highest sampling rate", enough, PROBE_NOTE, "1000 Hz or more");

	if (max == PROBE_UNKNOWN)
		probe_fill(c->now, sizeof(c->now), "unknown");
	else
		probe_fill(c->now, sizeof(c->now), "%lld Hz", (long long)max);
	if (c->state != PROBE_OK)
		probe_fill(c->fix, sizeof(c->fix), "sudo sysctl kernel.perf_event_max_sample_rate=100000");
}

size_t probe_checks(const struct probe_facts *f, struct probe_check ret[PROBE_CHECKS_MAX])
{
	struct rows r = { f, ret, 0 };

	check_btf(&r);
	check_namespaces(&r);
	check_cap(&r, "CAP_BPF", f->cap_bpf, PROBE_MISSING, "to load BPF programs");
	check_cap(&r, "CAP_PERFMON", f->cap_perfmon, PROBE_MISSING, "to sample all CPUs");
	check_cap(&r, "CAP_SYS_PTRACE", f->cap_sys_ptrace, PROBE_NOTE, "to read the files of other users' processes");
	check_cap(&r, "CAP_SYSLOG", f->cap_syslog, PROBE_NOTE, "to name kernel functions");
	check_lockdown(&r);
	check_ringbuf(&r);
	check_pt_regs(&r);
	check_off_cpu(&r);
	check_missing(&r);
	check_peek(&r);
	probe_check_nodes(&r);
	check_perf(&r);
	check_pmu(&r);
	check_kallsyms(&r);
	check_debug(&r);
	check_rate(&r);
	check_nofile(&r);
	return r.n;
}

int probe_print(const struct probe_facts *f, FILE *out)
{
	static const char *const words[] = { [PROBE_OK] = "ok", [PROBE_NOTE] = "note", [PROBE_MISSING] = "MISSING" };
	struct probe_check row[PROBE_CHECKS_MAX];
	size_t n = probe_checks(f, row);
	int missing = 0;

	for (size_t i = 0; i < n; i++) {
		char fix[3 * sizeof(row[i].fix)];

		fprintf(out, "%-8s %-32s %s\n", words[row[i].state], row[i].name, row[i].now);
		if (row[i].need[0])
			fprintf(out, "%-8s needed: %s\n", "", row[i].need);
		text_sanitise(fix, sizeof(fix), row[i].fix, strlen(row[i].fix));
		if (fix[0])
			fprintf(out, "%-8s run: %s\n", "", fix);
		missing |= row[i].state == PROBE_MISSING;
	}
	return missing;
}

static const char *probe_denied(enum probe_step step)
{
	switch (step) {
	case PROBE_STEP_RING:
		return "making a BPF ring buffer (bpf BPF_MAP_CREATE)";
	case PROBE_STEP_LOAD:
		return "loading the BPF programs (bpf BPF_PROG_LOAD)";
	case PROBE_STEP_ATTACH:
		return "attaching to the scheduler's tracepoints (bpf BPF_RAW_TRACEPOINT_OPEN)";
	default:
		return "sampling all CPUs (perf_event_open)";
	}
}

static bool is_permission(int code)
{
	return code == EPERM || code == EACCES;
}

/* The capabilities that STEP needs and that are not held. */
static const char *probe_lacking(const struct probe_facts *f, enum probe_step step)
{
	bool bpf = step != PROBE_STEP_PERF && !f->cap_bpf;

	if (bpf && !f->cap_perfmon)
		return "cap_bpf and cap_perfmon";
	if (bpf)
		return "cap_bpf";
	return f->cap_perfmon ? NULL : "cap_perfmon";
}

static int say_capabilities(const struct probe_facts *f, enum probe_step step, int code,
			    const char *caps, struct err *e)
{
	char fix[ERR_TEXT_MAX];

	probe_grant(f, fix, sizeof(fix));
	if (probe_contained(f))
		return err_set(e, code, "%s was denied (%s): this container was started without %s; start it with: %s",
			       probe_denied(step), strerror(code), caps, fix);
	return err_set(e, code, "%s was denied (%s): sberf is run without %s; needed are " CAPS "; run: %s",
		       probe_denied(step), strerror(code), caps, fix);
}

/* What the facts say about a denial; 0 when they say nothing. */
static int say_denied(const struct probe_facts *f, enum probe_step step, int code, struct err *e)
{
	const char *caps = probe_lacking(f, step);

	if (!f->init_userns)
		return err_set(e, code,
			       "%s was denied (%s): sberf runs in a user namespace, whose capabilities do not "
			       "count for the "
			       "kernel as a whole; it must run in the initial one, as root, with: %s",
			       probe_denied(step), strerror(code), managers[f->manager].start);
	if (caps)
		return say_capabilities(f, step, code, caps, e);
	if (step == PROBE_STEP_PERF && is_paranoid(f))
		return err_set(e, code,
			       "%s was denied (%s): kernel.perf_event_paranoid is %lld and must be 2 or less; "
			       "run: " UNPARANOID, probe_denied(step), strerror(code), (long long)f->paranoid);
	if (f->seccomp)
		return err_set(e, code,
			       "%s was denied (%s) though the capabilities are held: the seccomp filter of "
			       "this container "
			       "must allow it; run: %s",
			       probe_denied(step), strerror(code), managers[f->manager].seccomp);
	return 0;
}

/* Only what a capable process was denied on a kernel that is locked down, and for which there is no other reason. */
static int say_locked(const struct probe_facts *f, enum probe_step step, int code, struct err *e)
{
	bool all = !strcmp(f->lockdown, "confidentiality");

	return err_set(e, code,
		       "%s was denied (%s): the kernel is locked down, /sys/kernel/security/lockdown is %s "
		       "and should be "
		       "none%s; boot without lockdown=%s (see: cat /proc/cmdline)",
		       probe_denied(step), strerror(code), f->lockdown, all ? " or integrity" : "", f->lockdown);
}

int probe_nofile(int code, uint64_t allowed, uint32_t nr_cpus, uint64_t need, struct err *e)
{
	/* What takes more than was reckoned with, such as files that were open before, takes twice as much at most. */
	const uint64_t ask = need > allowed ? need : 2 * allowed;

	if (code == ENFILE)
		return err_set(e, code, "the whole system has too many open files (fs.file-max), and a capture of "
			       "%u CPUs takes "
			       "%llu; run: sudo sysctl fs.file-max=9223372036854775807", nr_cpus,
			       (unsigned long long)need);
	return err_set(e, code, "too few open files are allowed: %llu (RLIMIT_NOFILE), and a capture of %u CPUs "
		       "takes %llu; run: "
		       "ulimit -n %llu", (unsigned long long)allowed, nr_cpus, (unsigned long long)need,
		       (unsigned long long)ask);
}

int probe_sentence(const struct probe_facts *f, enum probe_step step, int code, struct err *e)
{
	int r = is_permission(code) ? say_denied(f, step, code, e) : 0;

	if (r)
		return r;
	if (step != PROBE_STEP_PERF && !f->btf)
		return err_set(e, code,
			       "kernel %s has no type information: /sys/kernel/btf/vmlinux is absent and "
			       "must be there; "
			       "boot a kernel built with CONFIG_DEBUG_INFO_BTF=y (see: grep BTF /boot/config-%s)",
			       f->release, f->release);
	if (step != PROBE_STEP_PERF && f->pt_regs == 0)
		return err_set(e, code, "kernel %s is too old: BPF programs cannot read user registers in it; "
			       "5.15 or later is "
			       "needed (see: uname -r)", f->release);
	if (step == PROBE_STEP_LOAD && f->lockdown[0] && strcmp(f->lockdown, "none"))
		return say_locked(f, step, code, e);
	if (code == EMFILE || code == ENFILE)
		return probe_nofile(code, f->nofile_max, f->nr_cpus, f->nofile_need, e);
	if (e && e->code)
		return -code;
	return err_set(e, code, "%s failed: %s", probe_denied(step), strerror(code));
}

void probe_notice(const struct probe_facts *f, char *dst, size_t size)
{
	const bool restricted = !f->kallsyms && f->kptr_restrict >= 2;
	char names[PROBE_TEXT_MAX] = "", fix[PATH_MAX + PROBE_TEXT_MAX] = "";

	dst[0] = '\0';
	if (f->kallsyms && f->cap_sys_ptrace)
		return;
	if (restricted)
		probe_fill(names, sizeof(names), "kernel functions stay unnamed: kernel.kptr_restrict is %lld",
			   (long long)f->kptr_restrict);
	else if (!f->kallsyms)
		probe_fill(names, sizeof(names), "kernel functions stay unnamed: CAP_SYSLOG is missing");
	if (!f->cap_sys_ptrace || !restricted)
		probe_grant(f, fix, sizeof(fix));
	probe_fill(dst, size, "%s%s%s; run: %s%s%s", names, names[0] && !f->cap_sys_ptrace ? ", and " : "",
		   f->cap_sys_ptrace ? "" : "files of other users' processes cannot be read: CAP_SYS_PTRACE is missing",
		   fix, fix[0] && restricted ? " && " : "", restricted ? UNRESTRICTED : "");
}
