/* SPDX-License-Identifier: BSD-2-Clause */
/* test_probe.c - each situation gets its own sentence: what was denied, its value, the value needed, one command. */
#include "config.h"

#include "capture/probe.h"

#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <string.h>

/* A machine where everything works. */
static struct probe_facts fine(void)
{
	return (struct probe_facts){
		.btf = true, .cap_bpf = true, .cap_perfmon = true, .cap_sys_ptrace = true, .cap_syslog = true,
		.cap_sys_admin = true, .root = true, .init_userns = true, .init_pidns = true, .paranoid = 2,
		.unprivileged_bpf = 2, .max_rate = 100000, .lockdown = "none", .release = "6.1.0",
		.self = "/usr/bin/sberf",
		.features = { true, true, true, true, true, true, true, true, true }, .ptrace_scope = PROBE_UNKNOWN,
		.pt_regs = 1, .kallsyms = true, .nofile = 1024, .nofile_max = 4096, .nofile_need = 70,
		.nr_cpus = 2, .nodes = 1, .elfutils = "0.191", .zstd = true, .packages = true,
	};
}

static void drop_caps(struct probe_facts *f)
{
	f->cap_bpf = f->cap_perfmon = f->cap_sys_ptrace = f->cap_syslog = f->cap_sys_admin = false;
	f->perf_clock = f->perf_cycles = EACCES;
	f->ringbuf = EPERM;
	f->pt_regs = -EPERM;
	f->kallsyms = false;
}

static void says(const struct probe_facts *f, enum probe_step step, int code, const char *const *words)
{
	struct err e = ERR_INIT;

	assert_int_equal(probe_sentence(f, step, code, &e), -code);
	for (; *words; words++)
		if (!strstr(e.text, *words))
			fail_msg("no '%s' in: %s", *words, e.text);
	assert_true(strlen(e.text) + 1 < ERR_TEXT_MAX);
	assert_null(strchr(e.text, '\n'));
}

#define SAYS(f, step, code, ...) says(f, step, code, (const char *const[]){ __VA_ARGS__, NULL })

static void plain_user(void **state)
{
	struct probe_facts f = fine();

	drop_caps(&f);
	f.root = false;
	SAYS(&f, PROBE_STEP_RING, EPERM, "BPF_MAP_CREATE", "cap_bpf and cap_perfmon", "sberf is run without",
	     "sudo setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog+ep /usr/bin/sberf");
	f.cap_bpf = true;
	SAYS(&f, PROBE_STEP_PERF, EACCES, "perf_event_open", "without cap_perfmon", "setcap");
}

static void root_in_container(void **state)
{
	struct probe_facts f = fine();

	drop_caps(&f);
	f.bounded = true;
	SAYS(&f, PROBE_STEP_RING, EPERM, "container", "cap_bpf and cap_perfmon",
	     "--cap-add BPF --cap-add PERFMON", "--pid=host");
	f.manager = PROBE_PODMAN;
	SAYS(&f, PROBE_STEP_RING, EPERM, "podman run --pid=host --cgroupns=host", "seccomp=unconfined --cap-add");
	f.manager = PROBE_KUBERNETES;
	SAYS(&f, PROBE_STEP_RING, EPERM, "hostPID: true", "privileged: true");
	assert_non_null(strstr(probe_host_pids(PROBE_KUBERNETES), "hostPID"));
	f = fine();
	f.init_userns = false;
	SAYS(&f, PROBE_STEP_RING, EPERM, "user namespace", "docker run");
	f = fine();
	f.seccomp = true;
	SAYS(&f, PROBE_STEP_PERF, EPERM, "seccomp");
}

static void locked_down(void **state)
{
	struct probe_facts f = fine();

	strcpy(f.lockdown, "confidentiality");
	SAYS(&f, PROBE_STEP_LOAD, EINVAL, "locked down", "confidentiality", "none or integrity", "/proc/cmdline");
}

static void no_btf(void **state)
{
	struct probe_facts f = fine();

	f.btf = false;
	SAYS(&f, PROBE_STEP_LOAD, ESRCH, "/sys/kernel/btf/vmlinux", "6.1.0", "CONFIG_DEBUG_INFO_BTF=y");
}

static void old_kernel(void **state)
{
	struct probe_facts f = fine();

	f.pt_regs = 0;
	SAYS(&f, PROBE_STEP_LOAD, EINVAL, "too old", "5.15");
}

static void paranoid(void **state)
{
	struct probe_facts f = fine();

	f.paranoid = 4;
	f.cap_sys_admin = false;
	SAYS(&f, PROBE_STEP_PERF, EACCES, "kernel.perf_event_paranoid is 4", "2 or less",
	     "sysctl kernel.perf_event_paranoid=2");
	drop_caps(&f);
	SAYS(&f, PROBE_STEP_RING, EPERM, "run: sudo setcap",
	     "/usr/bin/sberf && sudo sysctl kernel.perf_event_paranoid=2");
}

static void too_few_files(void **state)
{
	struct probe_facts f = fine();

	f.nofile_need = 9999;
	SAYS(&f, PROBE_STEP_PERF, EMFILE, "4096 (RLIMIT_NOFILE)", "2 CPUs takes 9999", "run: ulimit -n 9999");
	SAYS(&f, PROBE_STEP_PERF, ENFILE, "fs.file-max", "9999");
	f.nofile_need = 70;
	SAYS(&f, PROBE_STEP_PERF, EMFILE, "4096", "takes 70", "run: ulimit -n 8192");
}

static void notices(void **state)
{
	struct probe_facts f = fine();
	char text[PATH_MAX + 2 * PROBE_TEXT_MAX];

	probe_notice(&f, text, sizeof(text));
	assert_string_equal(text, "");
	f.kallsyms = f.cap_syslog = false;
	probe_notice(&f, text, sizeof(text));
	assert_string_equal(text, "kernel functions stay unnamed: CAP_SYSLOG is missing; run: sudo setcap "
			    "cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog+ep /usr/bin/sberf");
	f.kptr_restrict = 2;
	probe_notice(&f, text, sizeof(text));
	assert_string_equal(text, "kernel functions stay unnamed: kernel.kptr_restrict is 2; run: sudo sysctl "
			    "kernel.kptr_restrict=1");
	f.cap_sys_ptrace = false;
	probe_notice(&f, text, sizeof(text));
	assert_string_equal(text, "kernel functions stay unnamed: kernel.kptr_restrict is 2, and files of other "
			    "users' processes "
			    "cannot be read: CAP_SYS_PTRACE is missing; run: sudo setcap "
			    "cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog+ep /usr/bin/sberf && sudo sysctl "
			    "kernel.kptr_restrict=1");
	f.kallsyms = true;
	probe_notice(&f, text, sizeof(text));
	assert_string_equal(text, "files of other users' processes cannot be read: CAP_SYS_PTRACE is missing; "
			    "run: sudo setcap "
			    "cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog+ep /usr/bin/sberf");
	f.bounded = true;
	probe_notice(&f, text, 40);
	assert_int_equal(strlen(text), 39);
	assert_int_equal(probe_notices(text, sizeof(text)), 0);
}

/* What the facts do not explain keeps the sentence that is there, or names the call and the error. */
static void unexplained(void **state)
{
	struct probe_facts f = fine();
	struct err e = ERR_INIT;

	assert_int_equal(probe_sentence(&f, PROBE_STEP_PERF, EIO, &e), -EIO);
	assert_non_null(strstr(e.text, "perf_event_open"));
	assert_non_null(strstr(e.text, strerror(EIO)));
	err_set(&e, EIO, "cannot sample CPU 7");
	assert_int_equal(probe_sentence(&f, PROBE_STEP_PERF, EIO, &e), -EIO);
	assert_string_equal(e.text, "cannot sample CPU 7");
	assert_int_equal(probe_sentence(&f, PROBE_STEP_PERF, EIO, NULL), -EIO);
}

static size_t count(const struct probe_facts *f, enum probe_state state)
{
	struct probe_check row[PROBE_CHECKS_MAX];
	size_t n = probe_checks(f, row), k = 0;

	assert_in_range(n, 1, PROBE_CHECKS_MAX);
	for (size_t i = 0; i < n; i++) {
		k += row[i].state == state;
		assert_true(row[i].now[0]);
		assert_int_equal(row[i].need[0] == '\0', row[i].state == PROBE_OK);
		assert_true(row[i].state != PROBE_OK || !row[i].fix[0]);
		assert_true(row[i].state != PROBE_MISSING || row[i].fix[0]);
	}
	return k;
}

static void checks(void **state)
{
	struct probe_facts f = fine();

	assert_int_equal(count(&f, PROBE_MISSING) + count(&f, PROBE_NOTE), 0);
	f.perf_cycles = ENOENT;
	assert_int_equal(count(&f, PROBE_NOTE), 1);
	assert_int_equal(count(&f, PROBE_MISSING), 0);
	drop_caps(&f);
	assert_int_equal(count(&f, PROBE_MISSING), 5);
	f = fine();
	f.btf = false;
	assert_int_equal(count(&f, PROBE_MISSING), 1);
	f = fine();
	f.init_pidns = false;
	assert_int_equal(count(&f, PROBE_MISSING), 1);
}

/* The row of NAME when it is not fine; fails the test when it is, or absent. */
static struct probe_check bad_row(const struct probe_facts *f, const char *name)
{
	struct probe_check row[PROBE_CHECKS_MAX];
	size_t n = probe_checks(f, row);

	for (size_t i = 0; i < n; i++)
		if (strstr(row[i].name, name) && row[i].state != PROBE_OK)
			return row[i];
	fail_msg("'%s' is fine", name);
	return row[0];
}

/* Whose debug information cannot be read is said, and is no reason not to capture. */
static void debug_information(void **state)
{
	struct probe_facts f = fine();

	f.zstd = false;
	assert_string_equal(bad_row(&f, "debug information").now,
			    "elfutils 0.191: cannot read sections packed by zstd");
	f.packages = false;
	assert_string_equal(bad_row(&f, "debug information").now,
			    "elfutils 0.191: cannot read sections packed by zstd, nor packages of split units (.dwp)");
	f.zstd = true;
	assert_string_equal(bad_row(&f, "debug information").now,
			    "elfutils 0.191: cannot read packages of split units (.dwp)");
	assert_int_equal(count(&f, PROBE_MISSING), 0);
	probe_gather(&f);
	probe_gather_readers(&f);
	assert_true(!strncmp(f.elfutils, "0.", 2));
}

/* What time off the CPU needs: each thing missing is one note with its own remedy; samples work without. */
static void off_cpu(void **state)
{
	struct probe_facts f = fine();
	struct probe_check c;

	f.features.prev_state = false;
	c = bad_row(&f, "state of who leaves");
	assert_string_equal(c.fix, "uname -r   # boot kernel 5.18 or later");
	assert_int_equal(count(&f, PROBE_NOTE), 1);
	f.features.task_iter = false;
	assert_non_null(strstr(bad_row(&f, "iterator").fix, "5.15"));
	f.features.task_storage = false;
	assert_non_null(strstr(bad_row(&f, "storage").need, "only time on CPUs"));
	assert_int_equal(count(&f, PROBE_NOTE), 3);
	f = fine();
	f.features.sched_waking = false;
	c = bad_row(&f, "tracepoints");
	assert_string_equal(c.now, "no sched_waking");
	assert_string_equal(c.fix, "grep CONFIG_BPF_EVENTS /boot/config-6.1.0   # boot a kernel where it is y");
	f.features.sched_switch = f.features.prev_state = false;
	assert_string_equal(bad_row(&f, "tracepoints").now, "none");
	assert_int_equal(count(&f, PROBE_NOTE), 1);

	/* Without BTF its row says it all. */
	f = fine();
	f.btf = false;
	f.features = (struct features){ 0 };
	assert_int_equal(count(&f, PROBE_NOTE), 0);
	assert_int_equal(count(&f, PROBE_MISSING), 1);
}

static void stacks_from_before(void **state)
{
	struct probe_facts f = fine();
	struct probe_check c;

	f.ptrace_scope = 2;
	assert_int_equal(count(&f, PROBE_NOTE), 0);
	f.ptrace_scope = 3;
	c = bad_row(&f, "stacks from before");
	assert_string_equal(c.now, "not readable, kernel.yama.ptrace_scope = 3");
	assert_non_null(strstr(c.fix, "reboot"));
	f.cap_sys_ptrace = false;
	assert_non_null(strstr(bad_row(&f, "stacks from before").fix, "reboot"));
	f.ptrace_scope = 1;
	c = bad_row(&f, "stacks from before");
	assert_string_equal(c.now, "not readable, kernel.yama.ptrace_scope = 1");
	assert_non_null(strstr(c.fix, "setcap"));
	f.ptrace_scope = 0;
	c = bad_row(&f, "stacks from before");
	assert_string_equal(c.now, "of the same user's processes only, kernel.yama.ptrace_scope = 0");
	f.ptrace_scope = PROBE_UNKNOWN;
	assert_string_equal(bad_row(&f, "stacks from before").now, "of the same user's processes only");
}

static void nodes(void **state)
{
	struct probe_check row[PROBE_CHECKS_MAX];
	struct probe_facts f = fine();
	bool found = false;

	f.nodes = 2;
	snprintf(f.distances, sizeof(f.distances), "10/21");
	for (size_t i = probe_checks(&f, row); i--;)
		found |= !strcmp(row[i].now, "2, distances 10/21");
	assert_true(found);
	f.nodes = 0;
	assert_string_equal(bad_row(&f, "NUMA: nodes").now, "not known");
	f.nodes = 4;
	f.move_pages = EPERM;
	assert_string_equal(bad_row(&f, "where pages are").now, "Operation not permitted");
	assert_string_equal(bad_row(&f, "where pages are").fix, "");
	f.move_pages = 0;
	f.cap_sys_ptrace = false;
	assert_string_equal(bad_row(&f, "where pages are").now, "of the same user's processes only");
	assert_non_null(strstr(bad_row(&f, "where pages are").fix, "setcap"));
}

/* A name with an escape sequence does not reach the terminal raw. */
static void prints_safely(void **state)
{
	struct probe_facts f = fine();
	char text[16384];
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_non_null(out);
	drop_caps(&f);
	f.root = false;
	strcpy(f.self, "/tmp/\x1b[31msberf");
	assert_int_equal(probe_print(&f, out), 1);
	fclose(out);
	assert_non_null(strstr(text, "MISSING"));
	assert_null(strchr(text, '\x1b'));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_user),
		cmocka_unit_test(root_in_container),
		cmocka_unit_test(locked_down),
		cmocka_unit_test(no_btf),
		cmocka_unit_test(old_kernel),
		cmocka_unit_test(paranoid),
		cmocka_unit_test(too_few_files),
		cmocka_unit_test(notices),
		cmocka_unit_test(unexplained),
		cmocka_unit_test(checks),
		cmocka_unit_test(debug_information),
		cmocka_unit_test(off_cpu),
		cmocka_unit_test(stacks_from_before),
		cmocka_unit_test(nodes),
		cmocka_unit_test(prints_safely),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
