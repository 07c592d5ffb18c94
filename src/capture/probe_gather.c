/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe_gather.c - gathers the facts of probe.h, asking the system for each in the way that a
 * capture will use it.
 */
#include "config.h"

#include "base/cleanup.h"
#include "base/parse.h"
#include "capture/probe.h"
#include "system/cpus.h"
#include "system/sysfile.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#define CAP_BPF 39
#endif

/* include/linux/proc_ns.h: the initial namespaces have fixed inode numbers. */
#define INIT_USER_NS_INO 0xEFFFFFFDu
#define INIT_PID_NS_INO 0xEFFFFFFCu

static void gather_caps(struct probe_facts *f)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };
	uint64_t caps;

	if (syscall(SYS_capget, &head, data))
		return;
	caps = (uint64_t)data[1].effective << 32 | data[0].effective;
	f->cap_sys_admin = caps >> CAP_SYS_ADMIN & 1;
	f->cap_bpf = f->cap_sys_admin || (caps >> CAP_BPF & 1);
	f->cap_perfmon = f->cap_sys_admin || (caps >> CAP_PERFMON & 1);
	f->cap_sys_ptrace = caps >> CAP_SYS_PTRACE & 1;
	f->cap_syslog = caps >> CAP_SYSLOG & 1;
}

/* In the initial namespace when it cannot be told: /proc may be closed. */
static bool is_ns(const char *path, ino_t ino)
{
	struct stat st;

	return stat(path, &st) || st.st_ino == ino;
}

static int64_t probe_gather_number(const char *path)
{
	int64_t v;

	return sysfile_i64(path, &v) ? v : PROBE_UNKNOWN;
}

/* "none [integrity] confidentiality": the one in brackets holds. */
static void gather_lockdown(struct probe_facts *f)
{
	char line[128], *open, *close;

	if (!sysfile_line("/sys/kernel/security/lockdown", line, sizeof(line)))
		return;
	open = strchr(line, '[');
	close = open ? strchr(open, ']') : NULL;
	if (!close)
		return;
	snprintf(f->lockdown, sizeof(f->lockdown), "%.*s", (int)(close - open - 1), open + 1);
}

static int try_perf(uint32_t type, uint64_t config)
{
	struct perf_event_attr a = { .size = sizeof(a), .type = type, .config = config, .disabled = 1 };
	AUTO_FD int fd = (int)syscall(SYS_perf_event_open, &a, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? errno : 0;
}

static int try_ringbuf(void)
{
	AUTO_FD int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "sb_probe", 0, 0, (uint32_t)sysconf(_SC_PAGESIZE), NULL);

	return fd < 0 ? errno : 0;
}

/* Without the permission every address reads as zero. */
static bool kallsyms_readable(void)
{
	AUTO_FILE FILE *in = fopen("/proc/kallsyms", "re");
	char line[256];

	while (in && fgets(line, sizeof(line), in)) {
		size_t zeros = strspn(line, "0");

		/* The first symbols of the per-CPU area really are at 0 on some kernels. */
		if (line[zeros] && line[zeros] != ' ')
			return true;
	}
	return false;
}

/* "Seccomp: 2" in /proc/self/status: a filter is in force. */
static bool probe_gather_is_filtered(void)
{
	AUTO_FILE FILE *in = fopen("/proc/self/status", "re");
	char line[256];

	while (in && fgets(line, sizeof(line), in))
		if (!strncmp(line, "Seccomp:", 8))
			return strchr(line, '2');
	return false;
}

static void gather_limits(struct probe_facts *f)
{
	struct rlimit lim;
	struct cpu_layout layout = { 0 };

	if (!getrlimit(RLIMIT_NOFILE, &lim)) {
		f->nofile = lim.rlim_cur;
		f->nofile_max = lim.rlim_max;
	}
	if (!cpu_layout_read(SYSTEM_DIR, &layout, NULL)) {
		f->nr_cpus = layout.nr_cpus;
		f->nofile_need = cpus_nofile(layout.nr_cpus, layout.nr_rings);
	}
	cpu_layout_free(&layout);
}

/* Podman leaves a file in each container; Kubernetes tells each one where its own service is. */
enum probe_manager probe_manager(void)
{
	if (getenv("KUBERNETES_SERVICE_HOST"))
		return PROBE_KUBERNETES;
	return access("/run/.containerenv", F_OK) ? PROBE_DOCKER : PROBE_PODMAN;
}

static bool is_bounded(void)
{
	static const int caps[] = { CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE, CAP_SYSLOG };

	for (size_t i = 0; i < sizeof(caps) / sizeof(caps[0]); i++)
		if (!prctl(PR_CAPBSET_READ, caps[i], 0, 0, 0))
			return true;
	return false;
}

void probe_gather(struct probe_facts *ret)
{
	struct probe_facts f = { 0 };
	struct utsname u;
	ssize_t n;

	f.btf = access("/sys/kernel/btf/vmlinux", R_OK) == 0;
	gather_caps(&f);
	f.root = geteuid() == 0;
	f.init_userns = is_ns("/proc/self/ns/user", INIT_USER_NS_INO);
	f.init_pidns = is_ns("/proc/self/ns/pid", INIT_PID_NS_INO);
	f.bounded = is_bounded();
	f.manager = probe_manager();
	f.seccomp = probe_gather_is_filtered();
	f.paranoid = probe_gather_number("/proc/sys/kernel/perf_event_paranoid");
	f.unprivileged_bpf = probe_gather_number("/proc/sys/kernel/unprivileged_bpf_disabled");
	f.kptr_restrict = probe_gather_number("/proc/sys/kernel/kptr_restrict");
	f.ptrace_scope = probe_gather_number("/proc/sys/kernel/yama/ptrace_scope");
	f.max_rate = probe_gather_number("/proc/sys/kernel/perf_event_max_sample_rate");
	gather_lockdown(&f);
	if (!uname(&u))
		snprintf(f.release, sizeof(f.release), "%s", u.release);
	n = readlink("/proc/self/exe", f.self, sizeof(f.self) - 1);
	f.self[n > 0 ? n : 0] = '\0';
	f.perf_clock = try_perf(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	f.perf_cycles = try_perf(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	f.ringbuf = try_ringbuf();
	/* libbpf takes a denial for a yes. */
	f.pt_regs = f.cap_bpf && f.cap_perfmon && f.init_userns ?
		libbpf_probe_bpf_helper(BPF_PROG_TYPE_PERF_EVENT, BPF_FUNC_task_pt_regs, NULL) : -EPERM;
	if (!features_allow("pt_regs"))
		f.pt_regs = 0;
	(void)features_read(&f.features, NULL);
	f.kallsyms = kallsyms_readable();
	gather_limits(&f);
	*ret = f;
}

int probe_explain(enum probe_step step, int code, struct err *e)
{
	AUTO_FREE struct probe_facts *f = malloc(sizeof(*f));

	if (!f)
		return err_nomem(e, "an explanation");
	probe_gather(f);
	return probe_sentence(f, step, code, e);
}

int probe_notices(char *dst, size_t size)
{
	AUTO_FREE struct probe_facts *f = malloc(sizeof(*f));

	dst[0] = '\0';
	if (!f)
		return -ENOMEM;
	probe_gather(f);
	probe_notice(f, dst, size);
	return 0;
}
