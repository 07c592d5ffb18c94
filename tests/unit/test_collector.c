/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_collector.c - the policy of sberf-collector, request by request: by values, and by files that are really
 * opened; what hangs keeps nobody else waiting; a stream of random requests changes nothing.
 *
 * Much of it needs root: a mount namespace, files of other users, a device.
 */
#include "config.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fdmessage.h"
#include "collector/keeper.h"
#include "system/procfs.h"
#include "system/vmread.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/deadfs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534u
#define ELF_BYTES "\177ELF\2\1\1"

#define ID "4f1c22aa90d3e5b6"
#define OTHER_ID "4f1c22aa90d3e5b7"

static char folder[] = "/tmp/sberf-collector-XXXXXX";

/* ---- by values ---- */

static struct collector_request request(enum collector_op op)
{
	struct collector_request q = { .seq = 7, .op = op };

	if (op != COLLECTOR_KALLSYMS) {
		q.pid = 1;
		q.start_ticks = 1;
	}
	if (op == COLLECTOR_MAPPED || op == COLLECTOR_STACK || op == COLLECTOR_MEMORY)
		q.b = 4096;
	if (op == COLLECTOR_FILE || op == COLLECTOR_JITDUMP || op == COLLECTOR_SOURCE)
		snprintf(q.path, sizeof(q.path), "/usr/bin/true");
	if (op == COLLECTOR_PAGES)
		q.a = 1;
	if (op == COLLECTOR_CONTAINER)
		snprintf(q.path, sizeof(q.path), "/var/lib/docker/containers/" ID "/config.v2.json");
	return q;
}

static int judged(const struct collector_request *q)
{
	const struct policy_row *row;

	return policy_request(q, &row);
}

static void a_request_has_what_its_row_says(void **state)
{
	(void)state;
	for (uint32_t op = 1; op < COLLECTOR_OPS; op++) {
		struct collector_request q = request(op);

		assert_int_equal(judged(&q), 0);
		q.reserved = 1;
		assert_int_equal(judged(&q), -EINVAL);
		q = request(op);
		q.pid = q.pid ? 0 : 1;
		assert_int_equal(judged(&q), -EINVAL);
		q = request(op);
		q.start_ticks = q.start_ticks ? 0 : 1;
		assert_int_equal(judged(&q), -EINVAL);
		q = request(op);
		q.b = q.b ? q.a : 1;
		assert_int_equal(judged(&q), -EINVAL);
		q = request(op);
		q.path[0] = q.path[0] ? 'u' : '/';
		assert_int_equal(judged(&q), op == COLLECTOR_PAGES ? 0 : -EINVAL);
		q = request(op);
		q.path[COLLECTOR_PATH_MAX - 1] = 'x';
		assert_int_equal(judged(&q), -EINVAL);
	}
	for (uint32_t op = COLLECTOR_OPS; op < COLLECTOR_OPS + 3; op++) {
		struct collector_request q = { .op = op };

		assert_int_equal(judged(&q), -EINVAL);
	}
	assert_null(policy_row(0));
}

static void pages_are_few_and_as_many_as_is_said(void **state)
{
	struct collector_request q = request(COLLECTOR_PAGES);

	(void)state;
	q.a = 0;
	assert_int_equal(judged(&q), -EINVAL);
	q.a = COLLECTOR_PAGES_MAX;
	memset(q.page, 0xff, sizeof(q.page));
	assert_int_equal(judged(&q), 0);
	q.a--;
	assert_int_equal(judged(&q), -EINVAL);
	q.a = COLLECTOR_PAGES_MAX + 1;
	assert_int_equal(judged(&q), -EINVAL);
	q.a = UINT64_MAX;
	assert_int_equal(judged(&q), -EINVAL);
}

static void memory_is_read_in_small_pieces(void **state)
{
	struct collector_request q = request(COLLECTOR_MEMORY);

	(void)state;
	q.a = UINT64_MAX - POLICY_READ_MAX;
	q.b = UINT64_MAX;
	assert_int_equal(judged(&q), 0);
	q.a--;
	assert_int_equal(judged(&q), -EPERM);
}

static void paths_do_not_climb_or_lead_to_the_kernel(void **state)
{
	static const struct {
		const char *path;
		int want;
	} at[] = {
		{ "/usr/bin/true", 0 }, { "/", 0 }, { "/..a/b..", 0 }, { "/process/x", 0 }, { "/a/...", 0 },
		{ "/..", -EPERM }, { "/a/../b", -EPERM }, { "/a/..", -EPERM }, { "/a//../b", -EPERM },
		{ "/proc/1/mem", -EPERM }, { "/proc", -EPERM }, { "/sys/kernel", -EPERM }, { "/dev/mem", -EPERM },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++) {
		struct collector_request q = request(COLLECTOR_FILE);

		memset(q.path, 0, sizeof(q.path));
		snprintf(q.path, sizeof(q.path), "%s", at[i].path);
		assert_int_equal(judged(&q), at[i].want);
	}
}

static void of_a_container_there_is_a_fixed_list_of_files(void **state)
{
	static const char docker[] = "/var/lib/docker/containers/" ID "/config.v2.json",
		task[] = "/run/containerd/io.containerd.runtime.v2.task/k8s.io/" ID "/config.json",
		list[] = "/var/lib/containers/storage/overlay-containers/containers.json";
	static const char *const not[] = {
		"/var/lib/docker/containers/" ID "/hostconfig.json", "/var/lib/docker/containers/" ID,
		"/var/lib/docker/containers/config.v2.json", "/var/lib/docker/containers//config.v2.json",
		"/var/lib/docker/containers/" ID "/x/config.v2.json",
		"/var/lib/docker/containers/" ID "/config.v2.json/",
		"/etc/shadow", "/", "/run/containerd/io.containerd.runtime.v2.task/" ID "/config.json",
		"/srv/var/lib/docker/containers/" ID "/config.v2.json",
	};
	struct collector_request q = request(COLLECTOR_CONTAINER);

	(void)state;
	for (size_t i = 0; i < sizeof(not) / sizeof(*not); i++) {
		memset(q.path, 0, sizeof(q.path));
		snprintf(q.path, sizeof(q.path), "%s", not[i]);
		assert_int_equal(judged(&q), -EPERM);
	}
	memset(q.path, 0, sizeof(q.path));
	snprintf(q.path, sizeof(q.path), "/run/containerd/io.containerd.runtime.v2.task/../" ID "/config.json");
	assert_int_equal(judged(&q), -EPERM);
	/* And of those only what is about the container that the process is in. */
	assert_true(policy_of_containers(docker, "/system.slice/docker-" ID ".scope/inner"));
	assert_true(policy_of_containers(docker, "/docker/" ID));
	assert_true(policy_of_containers(task, "/kubepods/" ID));
	assert_true(policy_of_containers(list, "/machine.slice/libpod-" ID ".scope"));
	assert_false(policy_of_containers(docker, "/system.slice/docker-" OTHER_ID ".scope"));
	assert_false(policy_of_containers(task, "/system.slice/docker-" ID "0.scope"));
	assert_false(policy_of_containers(docker, "/system.slice/x" ID));
	assert_false(policy_of_containers(docker, "/"));
	/* What is no id is found anywhere. */
	assert_false(policy_of_containers("/var/lib/docker/containers/docker/config.v2.json", "/docker/" ID));
}

static void a_file_is_what_its_row_says(void **state)
{
	const struct policy_file elf = { .st = { .st_mode = S_IFREG | 0700, .st_size = 4096 }, .head = "\177ELF",
					 .n = 4 };
	const struct policy_row *row = policy_row(COLLECTOR_FILE), *map = policy_row(COLLECTOR_PERF_MAP),
				*dump = policy_row(COLLECTOR_JITDUMP),
				*container = policy_row(COLLECTOR_CONTAINER), *source = policy_row(COLLECTOR_SOURCE);
	static const mode_t others[] = { S_IFDIR, S_IFCHR, S_IFBLK, S_IFIFO, S_IFSOCK, S_IFLNK };
	struct policy_file f = elf;

	(void)state;
	assert_int_equal(policy_file(row, &f, 0), 0);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		f.st.st_mode = others[i] | 0777;
		assert_int_equal(policy_file(row, &f, 0), -ENOTSUP);
	}
	f = elf;
	f.fs_type = PROC_SUPER_MAGIC;
	assert_int_equal(policy_file(row, &f, 0), -ENOTSUP);
	f = elf;
	f.st.st_size = (off_t)POLICY_FILE_MAX;
	assert_int_equal(policy_file(row, &f, 0), 0);
	f.st.st_size++;
	assert_int_equal(policy_file(row, &f, 0), -EFBIG);
	f = elf;
	f.n = 3;
	assert_int_equal(policy_file(row, &f, 0), -ENOEXEC);
	/* An ELF file may be anybody's. */
	f = elf;
	f.st.st_uid = 1;
	assert_int_equal(policy_file(row, &f, 2), 0);
	assert_int_equal(policy_file(map, &f, 2), -EPERM);
	assert_int_equal(policy_file(map, &f, 1), -ENOEXEC);
	memcpy(f.head, "7f00", 4);
	assert_int_equal(policy_file(map, &f, 1), 0);
	assert_int_equal(policy_file(dump, &f, 1), -ENOEXEC);
	memcpy(f.head, "DTiJ", 4);
	assert_int_equal(policy_file(dump, &f, 1), 0);
	assert_int_equal(policy_file(dump, &f, 2), -EPERM);
	f.st.st_uid = 0;
	assert_int_equal(policy_file(dump, &f, 2), 0);
	/* What a runtime keeps is root's, whoever's the process is. */
	assert_int_equal(policy_file(container, &f, 0), -ENOEXEC);
	f.head[0] = '{';
	assert_int_equal(policy_file(container, &f, 2), 0);
	f.st.st_uid = 2;
	assert_int_equal(policy_file(container, &f, 2), -EPERM);
	/* Privileges show nobody a source that is not for everybody. */
	assert_int_equal(policy_file(source, &f, 2), -EPERM);
	f.st.st_mode = S_IFREG | 0604;
	assert_int_equal(policy_file(source, &f, 1), 0);
	f.head[3] = 0xc3;
	assert_int_equal(policy_file(source, &f, 1), 0);
	f.head[3] = 0;
	assert_int_equal(policy_file(source, &f, 1), -ENOEXEC);
	f.n = 0;
	assert_int_equal(policy_file(source, &f, 1), 0);
}

static void a_stack_is_read_where_it_is(void **state)
{
	const struct policy_thread waits = { .state = 'S', .sp = 0x7010, .futex = 0x100000, .start = 0x6000,
					     .end = 0x9000 };
	struct policy_thread t = waits;

	(void)state;
	assert_int_equal(policy_stack(&t, 0x7010, 0x7020), 0x7020);
	assert_int_equal(policy_stack(&t, 0x7010 - POLICY_RED_ZONE, 0x8000), 0x8000);
	/* It ends where its mapping does. */
	assert_int_equal(policy_stack(&t, 0x7000, 0x20000), 0x9000);
	/* Below, above its pointer, too much, none. */
	assert_int_equal(policy_stack(&t, 0x7000 - POLICY_RED_ZONE, 0x8000), 0);
	assert_int_equal(policy_stack(&t, 0x7011, 0x8000), 0);
	assert_int_equal(policy_stack(&t, 0x7010, 0x7011 + POLICY_STACK_MAX), 0);
	assert_int_equal(policy_stack(&t, 0x400000, 0x401000), 0);
	t.sp = 0x6010;
	assert_int_equal(policy_stack(&t, 0x5ff0, 0x8000), 0);
	t.sp = 0x9000;
	assert_int_equal(policy_stack(&t, 0x9000, 0x9010), 0);
	t = waits;
	t.end = 0;
	assert_int_equal(policy_stack(&t, 0x7010, 0x7020), 0);
	/* Around its futex. */
	assert_int_equal(policy_stack(&t, 0x100000 - POLICY_FUTEX, 0x100000 + POLICY_FUTEX), 0x100000 + POLICY_FUTEX);
	assert_int_equal(policy_stack(&t, 0x100000 - POLICY_FUTEX - 1, 0x100000), 0);
	assert_int_equal(policy_stack(&t, 0x100000, 0x100001 + POLICY_FUTEX), 0);
	t.futex = 0;
	assert_int_equal(policy_stack(&t, 0, POLICY_FUTEX), 0);
	/* One that runs. */
	t = waits;
	t.state = 'R';
	assert_int_equal(policy_stack(&t, 0x7010, 0x7020), 0);
	assert_int_equal(policy_stack(&t, 0x100000, 0x100010), 0);
}

static void a_cgroup_holds_what_is_below_it(void **state)
{
	(void)state;
	assert_true(policy_below("/a/b", "/a/b"));
	assert_true(policy_below("/a/b/c", "/a/b"));
	assert_false(policy_below("/a/bc", "/a/b"));
	assert_false(policy_below("/a", "/a/b"));
	assert_true(policy_below("/", "/"));
	assert_true(policy_below("/a", "/"));
}

static void requests_are_bounded(void **state)
{
	struct policy_rate r = { .since_ns = 1000 };

	(void)state;
	for (uint32_t i = 0; i < POLICY_BURST; i++)
		assert_true(policy_rate(&r, 1000));
	assert_false(policy_rate(&r, 1000));
	policy_rate_back(&r);
	assert_true(policy_rate(&r, 1000));
	assert_false(policy_rate(&r, 1000));
	for (uint32_t i = 0; i < POLICY_PER_SECOND; i++)
		assert_true(policy_rate(&r, 1000 + NSEC_PER_SEC));
	assert_false(policy_rate(&r, 1000 + NSEC_PER_SEC));
}

static void four_capabilities_are_kept(void **state)
{
	char text[POLICY_CAPS_TEXT];

	(void)state;
	assert_int_equal(policy_caps(), 1ull << CAP_SYS_PTRACE | 1ull << CAP_DAC_READ_SEARCH | 1ull << CAP_SYSLOG |
					1ull << CAP_CHECKPOINT_RESTORE);
	assert_string_equal(policy_caps_text(policy_caps(), text),
			    "cap_dac_read_search and cap_sys_ptrace and cap_syslog and cap_checkpoint_restore");
	assert_string_equal(policy_caps_text(0, text), "");
}

/* ---- by files ---- */

/* A child that does nothing, and ends with this process. */
static pid_t start_idle(void)
{
	const pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

/* The same in a mount namespace of its own where FOLDER is empty but for "inside", if that is allowed. */
static pid_t start_target(bool *ret_apart)
{
	char path[128], c = 0;
	int ready[2];
	pid_t pid;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		const bool apart = !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
				   !mount("none", folder, "tmpfs", 0, NULL);

		if (apart) {
			snprintf(path, sizeof(path), "%s/inside", folder);
			const int fd = open(path, O_WRONLY | O_CREAT, 0600);

			if (write(fd, ELF_BYTES, 7) != 7)
				_exit(1);
			close(fd);
		}
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (write(ready[1], apart ? "y" : "n", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	*ret_apart = c == 'y';
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void end_target(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static uint64_t start_of(pid_t pid)
{
	AUTO_FD int dir = proc_open(pid);
	struct proc_stat st;

	assert_true(dir >= 0);
	assert_int_equal(proc_read_stat(dir, &st), 0);
	assert_int_equal(st.pid, pid);
	return st.start_ticks;
}

/* A file or a negative errno. */
static int served(const struct grant *s, const struct collector_request *q)
{
	struct collector_answer a;
	const int fd = grant_request(s, q, &a);

	assert_int_equal(a.seq, q->seq);
	assert_true(fd >= 0 ? !a.err : a.err < 0);
	return fd >= 0 ? fd : a.err;
}

static int served_path(const struct grant *s, enum collector_op op, pid_t pid, const char *name)
{
	struct collector_request q = { .seq = 1, .op = op, .pid = pid, .start_ticks = start_of(pid) };

	snprintf(q.path, sizeof(q.path), "%s/%s", folder, name);
	return served(s, &q);
}

/* Such a request is served, with a file. */
#define assert_served(expr)                      \
	do {                                     \
		const int got_ = (expr);         \
		assert_true(got_ >= 0);          \
		close(got_);                     \
	} while (0)

static void make_file(const char *name, const char *bytes, size_t n)
{
	char path[128];
	AUTO_FD int fd = -1;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), (ssize_t)n);
}

static const char *in_folder(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void links_lead_nowhere(const struct grant *s, pid_t pid)
{
	/* Below the root of the process a link is as good as what it leads to, unless the kernel cannot confine it. */
	if (s->no_openat2)
		assert_true(served_path(s, COLLECTOR_FILE, pid, "link") < 0);
	else
		assert_served(served_path(s, COLLECTOR_FILE, pid, "link"));
	assert_true(served_path(s, COLLECTOR_FILE, pid, "magic") < 0);
	assert_true(served_path(s, COLLECTOR_FILE, pid, "memory") < 0);
	assert_true(served_path(s, COLLECTOR_FILE, pid, "aside/program") < 0 || !s->no_openat2);
	assert_int_equal(served_path(s, COLLECTOR_JITDUMP, pid, "dumplink"), -ELOOP);
}

static void files_are_opened_or_refused(void **state)
{
	const pid_t pid = start_idle();

	(void)state;
	make_file("program", ELF_BYTES, 7);
	make_file("text", "hello\n", 6);
	make_file("dump", "DTiJ", 4);
	make_file("huge", ELF_BYTES, 7);
	make_file("source.c", "int i;\n", 7);
	make_file("secret", "hello\n", 6);
	assert_int_equal(chmod(in_folder("source.c"), 0644), 0);
	assert_int_equal(chmod(in_folder("huge"), 0644), 0);
	assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
	assert_int_equal(symlink("program", in_folder("link")), 0);
	assert_int_equal(symlink("dump", in_folder("dumplink")), 0);
	assert_int_equal(symlink("/proc/self/exe", in_folder("magic")), 0);
	assert_int_equal(symlink("/proc/self/mem", in_folder("memory")), 0);
	assert_int_equal(symlink(".", in_folder("aside")), 0);
	/* 8 TB, or what the file system has room for */
	if (truncate(in_folder("huge"), 8ll << 40))
		assert_int_equal(truncate(in_folder("huge"), 5ll << 30), 0);
	for (int walks = 0; walks < 2; walks++) {
		const struct grant s = { .target = COLLECTOR_ALL, .list = -1, .no_openat2 = walks };

		assert_true(walks || grant_has_openat2());
		assert_served(served_path(&s, COLLECTOR_FILE, pid, "program"));
		assert_served(served_path(&s, COLLECTOR_FILE, pid, "//program"));
		assert_int_equal(served_path(&s, COLLECTOR_FILE, pid, "nothing"), -ENOENT);
		assert_int_equal(served_path(&s, COLLECTOR_FILE, pid, "program/x"), -ENOTDIR);
		assert_int_equal(served_path(&s, COLLECTOR_FILE, pid, "text"), -ENOEXEC);
		assert_int_equal(served_path(&s, COLLECTOR_FILE, pid, "fifo"), -ENOTSUP);
		assert_int_equal(served_path(&s, COLLECTOR_FILE, pid, ""), -ENOTSUP);
		assert_int_equal(served_path(&s, COLLECTOR_FILE, pid, "../etc/passwd"), -EPERM);
		assert_int_equal(served_path(&s, COLLECTOR_FILE, pid, "huge"), -EFBIG);
		assert_served(served_path(&s, COLLECTOR_JITDUMP, pid, "dump"));
		assert_int_equal(served_path(&s, COLLECTOR_JITDUMP, pid, "program"), -ENOEXEC);
		assert_served(served_path(&s, COLLECTOR_SOURCE, pid, "source.c"));
		assert_int_equal(served_path(&s, COLLECTOR_SOURCE, pid, "secret"), -EPERM);
		assert_int_equal(served_path(&s, COLLECTOR_SOURCE, pid, "../etc/shadow"), -EPERM);
		assert_int_equal(served_path(&s, COLLECTOR_SOURCE, pid, "fifo"), -ENOTSUP);
		assert_int_equal(served_path(&s, COLLECTOR_SOURCE, pid, "huge"), -EFBIG);
		links_lead_nowhere(&s, pid);
	}
	end_target(pid);
}

static void devices_and_files_of_others_are_refused(void **state)
{
	const struct grant s = { .target = COLLECTOR_ALL, .list = -1 };
	pid_t pid;

	(void)state;
	if (geteuid() || mknod(in_folder("device"), S_IFCHR | 0600, 1 << 8 | 5))
		skip();
	make_file("dump-of-nobody", "DTiJ", 4);
	assert_int_equal(chown(in_folder("dump-of-nobody"), NOBODY, NOBODY), 0);
	pid = start_idle();
	assert_int_equal(served_path(&s, COLLECTOR_FILE, pid, "device"), -ENOTSUP);
	assert_int_equal(served_path(&s, COLLECTOR_JITDUMP, pid, "dump-of-nobody"), -EPERM);
	end_target(pid);
}

static void perf_maps_are_regular_files_of_the_process(void **state)
{
	const struct grant s = { .target = COLLECTOR_ALL, .list = -1 };
	const pid_t pid = start_idle();
	struct collector_request q = { .op = COLLECTOR_PERF_MAP, .pid = pid };
	char path[64];
	AUTO_FD int fd = -1;

	(void)state;
	q.start_ticks = start_of(pid);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
	assert_int_equal(served(&s, &q), -ENOENT);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_served(served(&s, &q));
	assert_int_equal(pwrite(fd, "7f0000000000 10 f\n", 18, 0), 18);
	assert_served(served(&s, &q));
	assert_int_equal(pwrite(fd, ELF_BYTES, 7, 0), 7);
	assert_int_equal(served(&s, &q), -ENOEXEC);
	unlink(path);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_int_equal(served(&s, &q), -ELOOP);
	unlink(path);
	end_target(pid);
}

static void a_process_is_the_one_that_is_meant(void **state)
{
	struct grant s = { .target = COLLECTOR_ALL, .list = -1, .cgroup = "/no/such/cgroup" };
	const pid_t pid = start_idle();
	struct collector_request q = { .op = COLLECTOR_EXE, .pid = pid };

	(void)state;
	q.start_ticks = start_of(pid);
	assert_served(served(&s, &q));
	q.op = COLLECTOR_MAPS;
	assert_served(served(&s, &q));
	q.start_ticks++;
	assert_int_equal(served(&s, &q), -ESRCH);
	q.start_ticks--;
	/* Foreign ones, sberf's own ones, and no list. */
	s.target = COLLECTOR_CGROUP;
	assert_int_equal(served(&s, &q), POLICY_OUTSIDE);
	s.target = COLLECTOR_PROCESSES;
	assert_int_equal(served(&s, &q), POLICY_OUTSIDE);
	s.target = COLLECTOR_THREADS;
	assert_int_equal(served(&s, &q), POLICY_OUTSIDE);
	s.target = COLLECTOR_ALL;
	s.own[0] = pid;
	assert_int_equal(served(&s, &q), POLICY_OUTSIDE);
	s.own[0] = 0;
	q.pid = getpid();
	q.start_ticks = start_of(q.pid);
	assert_int_equal(served(&s, &q), POLICY_OUTSIDE);
	q.pid = pid;
	q.start_ticks = start_of(pid);
	end_target(pid);
	assert_int_equal(served(&s, &q), -ESRCH);
}

static void pages_of_a_process_have_nodes_and_others_none(void **state)
{
	const struct grant s = { .target = COLLECTOR_ALL, .list = -1 };
	const pid_t pid = start_idle();
	struct collector_request q = { .op = COLLECTOR_PAGES, .pid = pid, .a = 3 };
	struct collector_answer a;
	int status[4] = { 0 };
	AUTO_FD int fd = -1;

	(void)state;
	q.start_ticks = start_of(pid);
	/* On the stack, where nothing is, and in the kernel. */
	q.page[0] = (uintptr_t)&q;
	q.page[2] = UINT64_MAX - 4095;
	fd = grant_request(&s, &q, &a);
	if (a.err == -EPERM || a.err == -ENOSYS) {
		end_target(pid);
		skip();
	}
	assert_int_equal(a.err, 0);
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, status, sizeof(status), 0), 3 * sizeof(*status));
	assert_in_range(status[0], 0, 1023);
	assert_true(status[1] < 0 && status[2] < 0);
	q.op = COLLECTOR_POLICIES;
	q.a = 0;
	memset(q.path, 0, sizeof(q.path));
	assert_served(served(&s, &q));
	end_target(pid);
}

static void mapped_files_are_found_by_their_place(void **state)
{
	const struct grant s = { .target = COLLECTOR_ALL, .list = -1 };
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct collector_request q = { .op = COLLECTOR_MAPPED };
	void *program, *text, *none;
	int fd;

	(void)state;
	if (geteuid())
		skip();
	make_file("mapped", ELF_BYTES, 7);
	fd = open(in_folder("mapped"), O_RDONLY | O_CLOEXEC);
	program = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	make_file("mapped-text", "text", 4);
	fd = open(in_folder("mapped-text"), O_RDONLY | O_CLOEXEC);
	text = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	none = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(program != MAP_FAILED && text != MAP_FAILED && none != MAP_FAILED);
	q.pid = start_idle();
	q.start_ticks = start_of(q.pid);
	q.a = (uintptr_t)program;
	q.b = q.a + page;
	assert_served(served(&s, &q));
	q.b += page;
	assert_int_equal(served(&s, &q), -ENOENT);
	q.a = (uintptr_t)text;
	q.b = q.a + page;
	assert_int_equal(served(&s, &q), -ENOEXEC);
	q.a = (uintptr_t)none;
	q.b = q.a + page;
	assert_int_equal(served(&s, &q), -ENOENT);
	end_target(q.pid);
	munmap(program, page);
	munmap(text, page);
	munmap(none, page);
}

/* The stack pointer of PID, which waits. */
static uint64_t sp_of(pid_t pid)
{
	AUTO_FD int dir = proc_open(pid);
	char text[256], *last, *word;
	uint64_t sp = 0;

	while (!proc_read_start(dir, "syscall", text, sizeof(text)) || !strncmp(text, "running", 7))
		sched_yield();
	last = strrchr(text, ' ');
	assert_non_null(last);
	*last = '\0';
	word = strrchr(text, ' ');
	assert_non_null(word);
	assert_int_equal(sscanf(word, " 0x%" SCNx64, &sp), 1);
	return sp;
}

static void stacks_of_threads_that_wait_are_read(void **state)
{
	struct grant s = { .target = COLLECTOR_ALL, .list = -1 };
	struct collector_request q = { .op = COLLECTOR_STACK };
	uint8_t bytes[512], want[512];
	pid_t runs;
	int fd;

	(void)state;
	if (geteuid())
		skip();
	q.pid = start_idle();
	q.start_ticks = start_of(q.pid);
	q.a = sp_of(q.pid);
	q.b = q.a + sizeof(bytes);
	fd = served(&s, &q);
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, bytes, sizeof(bytes), 0), sizeof(bytes));
	assert_int_equal(vmread(q.pid, q.a, sizeof(want), (uint64_t)sysconf(_SC_PAGESIZE), want), sizeof(want));
	assert_memory_equal(bytes, want, sizeof(want));
	close(fd);
	/* Data of the program: for plug-ins alone. */
	q.a = (uintptr_t)folder;
	q.b = q.a + sizeof(folder);
	assert_int_equal(served(&s, &q), -EPERM);
	q.op = COLLECTOR_MEMORY;
	assert_int_equal(served(&s, &q), -EPERM);
	s.reads_memory = true;
	fd = served(&s, &q);
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, bytes, sizeof(bytes), 0), sizeof(folder));
	assert_memory_equal(bytes, folder, sizeof(folder));
	close(fd);
	q.op = COLLECTOR_STACK;
	end_target(q.pid);
	runs = fork();
	if (!runs) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			;
	}
	q.pid = runs;
	q.start_ticks = start_of(runs);
	q.a = (uintptr_t)&q;
	q.b = q.a + 16;
	assert_int_equal(served(&s, &q), -EPERM);
	end_target(runs);
}

static void paths_are_those_of_the_process(void **state)
{
	const struct grant s = { .target = COLLECTOR_ALL, .list = -1 };
	bool apart;
	const pid_t pid = start_target(&apart);

	(void)state;
	if (apart) {
		make_file("outside", ELF_BYTES, 7);
		assert_served(served_path(&s, COLLECTOR_FILE, pid, "inside"));
		assert_int_equal(served_path(&s, COLLECTOR_FILE, pid, "outside"), -ENOENT);
	}
	end_target(pid);
	if (!apart)
		skip();
}

/* ---- the keeper ---- */

/* A keeper in a process of its own, which serves all of this machine. */
static pid_t start_keeper(int *ret_socket)
{
	int pair[2];
	pid_t pid;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	pid = fork();
	if (!pid) {
		const struct grant s = { .target = COLLECTOR_ALL, .list = -1, .own = { getppid(), getpid() } };

		close(pair[0]);
		_exit(keeper_run(pair[1], KEEPER_LIMIT_MS, &s));
	}
	close(pair[1]);
	*ret_socket = pair[0];
	return pid;
}

static int end_keeper(pid_t pid, int socket)
{
	int status = -1;

	close(socket);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* A file or a negative errno. */
static int asked(int socket, const struct collector_request *q)
{
	struct collector_answer a;
	int fd = -1;

	assert_int_equal(fdmessage_send(socket, q, sizeof(*q), -1), 0);
	assert_int_equal(fdmessage_take(socket, &a, sizeof(a), &fd), sizeof(a));
	assert_int_equal(a.seq, q->seq);
	assert_true(a.err ? a.err < 0 && fd < 0 : fd >= 0);
	return a.err ? a.err : fd;
}

static unsigned int files_of(pid_t pid)
{
	char path[32];
	AUTO_DIR DIR *d = NULL;
	unsigned int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	d = opendir(path);
	assert_non_null(d);
	while (readdir(d))
		n++;
	return n;
}

static uint64_t random_next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	return *seed ^= *seed << 17;
}

/* Q, of which something is not as it should be. */
static void spoil(struct collector_request *q, uint64_t *seed)
{
	static const char *const paths[] = { "/", "/etc/passwd", "/bin/true", "/tmp/../etc", "/proc/1/maps",
					     "/dev/zero" };

	switch (random_next(seed) % 6) {
	case 0:
		q->pid = (int32_t)(random_next(seed) % 70000);
		break;
	case 1:
		q->start_ticks ^= 1ull << random_next(seed) % 64;
		break;
	case 2:
		q->a = random_next(seed);
		q->b = q->a + random_next(seed) % 65536;
		break;
	case 3:
		snprintf(q->path, sizeof(q->path), "%s", paths[random_next(seed) % (sizeof(paths) / sizeof(*paths))]);
		break;
	case 4:
		((unsigned char *)q)[random_next(seed) % sizeof(*q)] ^= (unsigned char)random_next(seed);
		break;
	default:
		break;
	}
}

static void random_requests_change_nothing(void **state)
{
	const pid_t target = start_idle();
	uint64_t seed = 40, start;
	unsigned int files = 0;
	int socket, fd;
	pid_t keeper;

	(void)state;
	start = start_of(target);
	keeper = start_keeper(&socket);
	for (uint32_t i = 0; i < 6000; i++) {
		struct collector_request q = request((enum collector_op)(1 + random_next(&seed) % COLLECTOR_OPS));

		q.seq = i;
		if (q.pid) {
			q.pid = target;
			q.start_ticks = start;
		}
		spoil(&q, &seed);
		fd = asked(socket, &q);
		if (fd >= 0)
			close(fd);
		if (i == 100)
			files = files_of(keeper);
	}
	assert_int_equal(files_of(keeper), files);
	assert_int_equal(end_keeper(keeper, socket), 0);
	end_target(target);
}

static void what_is_no_request_ends_the_session(void **state)
{
	const struct collector_request q = request(COLLECTOR_MAPS);
	int socket;
	pid_t pid;

	(void)state;
	for (size_t size = sizeof(q) - 1; size <= sizeof(q) + 1; size += 2) {
		char bytes[sizeof(q) + 1] = { 0 };

		pid = start_keeper(&socket);
		assert_int_equal(fdmessage_send(socket, bytes, size, -1), 0);
		assert_int_equal(fdmessage_take(socket, bytes, sizeof(bytes), NULL), 0);
		assert_int_equal(end_keeper(pid, socket), 1);
	}
}

static void what_hangs_is_left_alone(void **state)
{
	struct collector_request q = { .seq = 1, .op = COLLECTOR_FILE }, other = { .seq = 2, .op = COLLECTOR_EXE };
	pid_t server, keeper;
	uint64_t before;
	int socket;

	(void)state;
	if (geteuid())
		skip();
	/* In a process whose mount namespace is its own. */
	mkdir(in_folder("dead"), 0700);
	server = deadfs_start(in_folder("dead"));
	if (!server)
		skip();
	q.pid = start_idle();
	other.pid = start_idle();
	q.start_ticks = start_of(q.pid);
	other.start_ticks = start_of(other.pid);
	snprintf(q.path, sizeof(q.path), "%s/" DEADFS_FILE, in_folder("dead"));
	keeper = start_keeper(&socket);
	assert_int_equal(asked(socket, &q), -ETIMEDOUT);
	before = clock_mono_ns();
	assert_int_equal(asked(socket, &q), -ETIMEDOUT);
	assert_true(clock_mono_ns() - before < KEEPER_LIMIT_MS * NSEC_PER_MSEC);
	assert_served(asked(socket, &other));
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	assert_int_equal(end_keeper(keeper, socket), 0);
	end_target(q.pid);
	end_target(other.pid);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void **state)
{
	AUTO_DIR DIR *d = opendir(folder);
	const struct dirent *at;

	(void)state;
	umount2(in_folder("dead"), MNT_DETACH);
	while (d && (at = readdir(d)))
		unlinkat(dirfd(d), at->d_name, strcmp(at->d_name, "dead") ? 0 : AT_REMOVEDIR);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_has_what_its_row_says),
		cmocka_unit_test(memory_is_read_in_small_pieces),
		cmocka_unit_test(pages_are_few_and_as_many_as_is_said),
		cmocka_unit_test(pages_of_a_process_have_nodes_and_others_none),
		cmocka_unit_test(paths_do_not_climb_or_lead_to_the_kernel),
		cmocka_unit_test(of_a_container_there_is_a_fixed_list_of_files),
		cmocka_unit_test(a_file_is_what_its_row_says),
		cmocka_unit_test(a_stack_is_read_where_it_is),
		cmocka_unit_test(a_cgroup_holds_what_is_below_it),
		cmocka_unit_test(requests_are_bounded),
		cmocka_unit_test(four_capabilities_are_kept),
		cmocka_unit_test(files_are_opened_or_refused),
		cmocka_unit_test(devices_and_files_of_others_are_refused),
		cmocka_unit_test(perf_maps_are_regular_files_of_the_process),
		cmocka_unit_test(a_process_is_the_one_that_is_meant),
		cmocka_unit_test(mapped_files_are_found_by_their_place),
		cmocka_unit_test(stacks_of_threads_that_wait_are_read),
		cmocka_unit_test(paths_are_those_of_the_process),
		cmocka_unit_test(random_requests_change_nothing),
		cmocka_unit_test(what_is_no_request_ends_the_session),
		cmocka_unit_test(what_hangs_is_left_alone),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
