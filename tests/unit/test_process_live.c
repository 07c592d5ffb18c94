/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_process_live.c - real children of this test, seen through /proc: libraries mapped late,
 * deleted and replaced files, other mount namespaces, perf maps, and things at a path that are no
 * files. Needs no privileges; where root can do more, the test says what it expects of both.
 */
#include "config.h"

#include "base/clock.h"
#include "process/process_private.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATH 256

struct world {
	struct dict *dict;
	struct processes *ps;
	char dir[64];            /* of this test, removed at its end */
	pid_t child;
	int to_child, from_child;
	unsigned int fds;        /* open before */
};

/* A file that can be executed and mapped: this test, whose build-id is its own. */
static const char self_exe[] = "/proc/self/exe";

static unsigned int open_fds(void)
{
	AUTO_DIR DIR *d = opendir("/proc/self/fd");
	unsigned int n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	return n;
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->fds = open_fds();
	w->dict = dict_new();
	assert_int_equal(processes_new_with(w->dict, load_file, NULL, 5 * NSEC_PER_SEC, &w->ps, NULL), 0);
	strcpy(w->dir, "/tmp/sberf-test-XXXXXX");
	assert_non_null(mkdtemp(w->dir));
	w->to_child = w->from_child = -1;
	*state = w;
	return 0;
}

static void end_child(struct world *w)
{
	if (!w->child)
		return;
	if (w->to_child >= 0)
		close(w->to_child);
	if (w->from_child >= 0)
		close(w->from_child);
	w->to_child = w->from_child = -1;
	waitpid(w->child, NULL, 0);
	w->child = 0;
}

static int teardown(void **state)
{
	struct world *w = *state;
	char cmd[PATH];

	end_child(w);
	processes_free(w->ps);
	dict_free(w->dict);
	assert_int_equal(open_fds(), w->fds);
	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", w->dir);
	assert_int_equal(system(cmd), 0);
	free(w);
	return 0;
}

/* No assertion here: children use it too. */
static bool copied(const char *from, const char *to)
{
	AUTO_FD int in = open(from, O_RDONLY | O_CLOEXEC),
		out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	char buf[65536];
	ssize_t n = -1;

	while (in >= 0 && out >= 0 && (n = read(in, buf, sizeof(buf))) > 0)
		if (write(out, buf, (size_t)n) != n)
			return false;
	return !n;
}

static void copy_file(const char *from, const char *to)
{
	assert_true(copied(from, to));
}

/*
 * Starts a child that runs BODY with step 0, and again with each next_step(), until end_child().
 * What BODY returns is the address that it wants looked at; 0 = it could not do its part.
 */
static uint64_t run_child(struct world *w, uint64_t (*body)(struct world *w, int step))
{
	uint64_t addr = 0;
	int up[2], down[2];

	assert_int_equal(pipe2(up, O_CLOEXEC), 0);
	assert_int_equal(pipe2(down, O_CLOEXEC), 0);
	w->child = fork();
	assert_true(w->child >= 0);
	if (!w->child) {
		char c;

		close(down[1]);
		close(up[0]);
		for (int step = 0; !step || read(down[0], &c, 1) == 1; step++) {
			addr = body(w, step);
			if (write(up[1], &addr, sizeof(addr)) != sizeof(addr))
				_exit(1);
		}
		_exit(0);
	}
	close(up[1]);
	close(down[0]);
	w->from_child = up[0];
	w->to_child = down[1];
	assert_int_equal(read(up[0], &addr, sizeof(addr)), sizeof(addr));
	return addr;
}

static uint64_t next_step(struct world *w)
{
	uint64_t addr = 0;

	assert_int_equal(write(w->to_child, "", 1), 1);
	assert_int_equal(read(w->from_child, &addr, sizeof(addr)), sizeof(addr));
	return addr;
}

static struct unwind_map settled(struct world *w, pid_t pid, uint64_t addr)
{
	const uint64_t limit = clock_mono_ns() + 20 * NSEC_PER_SEC;
	struct unwind_map m = { .module = ID_NONE };

	for (;;) {
		const struct unwind_space s = process_space(w->ps, processes_get(w->ps, pid));
		struct pollfd pfd = { .fd = processes_fd(w->ps), .events = POLLIN };

		assert_true(s.find(s.ctx, addr, &m));
		if (m.state != MAP_LOADING)
			return m;
		assert_true(clock_mono_ns() < limit);
		poll(&pfd, 1, 10000);
		processes_poll(w->ps);
	}
}

static void *map_code(const char *path)
{
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

static bool has_code(int fd)
{
	char magic[4];

	return pread(fd, magic, 4, 0) == 4 && !memcmp(magic, "\177ELF", 4);
}

static const char *in_dir(const struct world *w, const char *name)
{
	static char path[PATH];

	snprintf(path, sizeof(path), "%s/%s", w->dir, name);
	return path;
}

static bool privileged(void)
{
	return geteuid() == 0;
}

static uint64_t child_waits(struct world *w, int step)
{
	return (uint64_t)(uintptr_t)&child_waits;
}

static void a_child_that_was_there_before(void **state)
{
	struct world *w = *state;
	const uint64_t addr = run_child(w, child_waits);
	const struct unwind_map m = settled(w, w->child, addr);
	const struct process *p = processes_get(w->ps, w->child);
	char exe[PROC_PATH_MAX];
	const ssize_t n = readlink(self_exe, exe, sizeof(exe) - 1);
	struct err e = ERR_INIT;
	AUTO_FD int fd = -1;
	uid_t uid;

	assert_true(n > 0);
	exe[n] = '\0';
	assert_int_equal(m.state, MAP_READY);
	assert_string_equal(strtab_get(dict_strings(w->dict), dict_get_module(w->dict, m.module)->path), exe);
	assert_string_equal(strtab_get(dict_strings(w->dict), p->exe), exe);
	assert_true(dict_get_module(w->dict, m.module)->build_id_len > 0);
	assert_int_equal(settled(w, getpid(), addr).module, m.module);

	/* Its file can be opened after its end too. */
	end_child(w);
	fd = processes_open_symbols(w->ps, m.module, &uid, &e);
	assert_true(fd >= 0);
	assert_true(has_code(fd));
}

/* Runs PATH, a copy of sleep(1), and returns where its code is mapped. */
static pid_t start_sleep(const char *path, uint64_t *ret_addr)
{
	const uint64_t limit = clock_mono_ns() + 20 * NSEC_PER_SEC;
	const char *last = strrchr(path, '/') + 1;
	const pid_t pid = fork();
	char name[64], line[PATH + 128], comm[32] = "";

	assert_true(pid >= 0);
	if (!pid) {
		execl(path, path, "600", NULL);
		_exit(127);
	}
	*ret_addr = 0;
	while (!*ret_addr && clock_mono_ns() < limit) {
		AUTO_FILE FILE *maps = NULL, *f = NULL, *command = NULL;

		snprintf(name, sizeof(name), "/proc/%d/comm", (int)pid);
		f = fopen(name, "re");
		if (!f || !fgets(comm, sizeof(comm), f) || strncmp(comm, last, strlen(last) < 15 ? strlen(last) : 15))
			continue;
		/* The kernel writes down how it was called a moment after it has named it. */
		snprintf(name, sizeof(name), "/proc/%d/cmdline", (int)pid);
		command = fopen(name, "re");
		if (!command || fgetc(command) == EOF)
			continue;
		snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
		maps = fopen(name, "re");
		while (maps && fgets(line, sizeof(line), maps))
			if (strstr(line, " r-xp ") && strstr(line, "real-name"))
				*ret_addr = strtoull(line, NULL, 16);
	}
	assert_true(*ret_addr);
	return pid;
}

static void end_sleep(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* What the module M and the first thread of PID are shown as: the part behind the last slash, of both. */
static void expect_shown(struct world *w, pid_t pid, module_id m, const char *module, const char *exe)
{
	const struct strtab *strings = dict_strings(w->dict);
	const thread_id t = process_thread(w->ps, processes_get(w->ps, pid), pid, 0, 0, NULL);
	const char *shown = strtab_get(strings, module_shown_path(dict_get_module(w->dict, m)));

	assert_string_equal(strrchr(shown, '/') + 1, module);
	assert_string_equal(strrchr(strtab_get(strings, dict_get_module(w->dict, m)->path), '/') + 1, "real-name");
	assert_string_equal(strrchr(strtab_get(strings, dict_get_thread(w->dict, t)->exe), '/') + 1, exe);
}

static void an_executable_is_called_as_it_is_run(void **state)
{
	static const struct timespec unused[] = { { .tv_sec = 1000 }, { .tv_nsec = UTIME_OMIT } };
	struct world *w = *state;
	char link[PATH];
	uint64_t addr;
	module_id m;
	pid_t pid;

	copy_file("/bin/sleep", in_dir(w, "real-name"));
	snprintf(link, sizeof(link), "%s/by-a-link-longer-than-comm", w->dir);
	assert_int_equal(symlink("real-name", link), 0);
	/* Of a name that comm has not room for, the link beside the file cannot be told. */
	pid = start_sleep(link, &addr);
	m = settled(w, pid, addr).module;
	expect_shown(w, pid, m, "real-name", "real-name");
	end_sleep(pid);

	snprintf(link, sizeof(link), "%s/by-a-link", w->dir);
	assert_int_equal(symlink("real-name", link), 0);
	pid = start_sleep(link, &addr);
	/* Whoever follows it next has to write to it that it was used, as of one that was last followed days ago. */
	assert_int_equal(utimensat(AT_FDCWD, link, unused, AT_SYMLINK_NOFOLLOW), 0);
	assert_int_equal(settled(w, pid, addr).module, m);
	expect_shown(w, pid, m, "by-a-link", "by-a-link");
	end_sleep(pid);

	/* Nobody who runs it by another name sees that one. */
	snprintf(link, sizeof(link), "%s/another-link", w->dir);
	assert_int_equal(symlink("real-name", link), 0);
	pid = start_sleep(link, &addr);
	assert_int_equal(settled(w, pid, addr).module, m);
	expect_shown(w, pid, m, "real-name", "another-link");
	end_sleep(pid);
}

static uint64_t child_maps_late(struct world *w, int step)
{
	return step ? (uint64_t)(uintptr_t)map_code(in_dir(w, "late")) : 1;
}

static void a_library_that_comes_later(void **state)
{
	struct world *w = *state;
	struct unwind_map m;
	struct unwind_space s;
	struct process *p;
	uint64_t addr;

	copy_file(self_exe, in_dir(w, "late"));
	run_child(w, child_maps_late);
	p = processes_get(w->ps, w->child);
	addr = next_step(w);
	assert_true(addr);
	s = process_space(w->ps, p);
	assert_false(s.find(s.ctx, addr, &m));

	/* Read again, but not before its time. */
	p->tried_ns = clock_mono_ns();
	assert_false(process_reread(w->ps, p));
	p->tried_ns = 0;
	assert_true(process_reread(w->ps, p));
	m = settled(w, w->child, addr);
	assert_int_equal(m.state, MAP_READY);
}

/* The mapping at ADDR in a glimpse of PID; its module is ID_NONE when there is none. */
static struct unwind_map glimpsed(struct world *w, pid_t pid, uint64_t addr)
{
	struct unwind_map m[64], found = { .module = ID_NONE };
	const size_t n = processes_glimpse(w->ps, pid, m, 64);

	for (size_t i = 0; i < n; i++) {
		assert_int_equal(m[i].state, MAP_READY);
		assert_true(!i || m[i].start >= m[i - 1].end);
		if (addr >= m[i].start && addr < m[i].end)
			found = m[i];
	}
	return found;
}

static void what_is_seen_at_a_glimpse(void **state)
{
	struct world *w = *state;
	struct process *p;
	struct unwind_map m, g;
	uint64_t addr, late;
	size_t known;
	pid_t pid;

	copy_file(self_exe, in_dir(w, "late"));
	run_child(w, child_maps_late);
	addr = (uint64_t)(uintptr_t)&child_maps_late;
	pid = w->child;
	/* Files that are loaded, and no others: nothing is loaded for it. */
	p = processes_get(w->ps, pid);
	assert_int_equal(processes_glimpse(w->ps, pid, &m, 1), 0);
	m = settled(w, pid, addr);
	g = glimpsed(w, pid, addr);
	assert_int_equal(g.module, m.module);
	assert_ptr_equal(g.image, m.image);
	assert_true(g.start == m.start && g.end == m.end && g.pgoff == m.pgoff);

	/*
	 * It shows what is so now; of what is known of the process nothing changes. A copy of a
	 * file is the same module.
	 */
	known = p->space->maps.n;
	late = next_step(w);
	assert_true(late);
	assert_int_equal(glimpsed(w, pid, late).module, ID_NONE);
	assert_int_equal(p->space->maps.n, known);
	p->tried_ns = 0;
	assert_true(process_reread(w->ps, p));
	assert_int_equal(settled(w, pid, late).module, m.module);
	assert_int_equal(glimpsed(w, pid, late).module, m.module);
	assert_int_equal(processes_glimpse(w->ps, pid, &g, 1), 1);

	end_child(w);
	assert_int_equal(processes_glimpse(w->ps, pid, &g, 1), 0);
}

static uint64_t child_maps_deleted(struct world *w, int step)
{
	void *p = map_code(in_dir(w, "gone"));

	unlink(in_dir(w, "gone"));
	return (uint64_t)(uintptr_t)p;
}

static void a_library_that_was_deleted(void **state)
{
	struct world *w = *state;
	struct err e = ERR_INIT;
	struct unwind_map m;
	uint64_t addr;
	uid_t uid;
	int fd;

	copy_file(self_exe, in_dir(w, "gone"));
	addr = run_child(w, child_maps_deleted);
	assert_true(addr);
	/* Another file has its name now, with the mark that the kernel puts on deleted ones and without. */
	copy_file("/bin/sh", in_dir(w, "gone"));
	copy_file("/bin/sh", in_dir(w, "gone (deleted)"));
	m = settled(w, w->child, addr);
	assert_string_equal(strtab_get(dict_strings(w->dict), dict_get_module(w->dict, m.module)->path),
			    in_dir(w, "gone"));
	fd = processes_open_symbols(w->ps, m.module, &uid, &e);
	if (privileged()) {
		/* map_files leads to it, and an fd keeps it for symbols, beyond the end of the process. */
		assert_int_equal(m.state, MAP_READY);
		assert_true(fd >= 0);
		close(fd);
		end_child(w);
		fd = processes_open_symbols(w->ps, m.module, &uid, &e);
		assert_true(fd >= 0);
		assert_true(has_code(fd));
		close(fd);
	} else {
		assert_int_equal(m.state, MAP_NO_FILE);
		assert_int_equal(fd, -ESTALE);
		assert_non_null(strstr(e.text, "another file is there now"));
	}
}

/* Runs the copy of this test as another program, which says that it runs and waits for its input to end. */
static uint64_t child_execs(struct world *w, int step)
{
	int in[2], out[2];
	pid_t pid;
	char c;

	if (pipe(in) || pipe(out))
		return 0;
	pid = fork();
	if (!pid) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		execl(in_dir(w, "prog"), "prog", "wait", NULL);
		_exit(1);
	}
	/* The pipe stays open in this child, so the other lives as long as it. */
	close(in[0]);
	close(out[1]);
	return read(out[0], &c, 1) == 1 ? (uint64_t)pid : 0;
}

static void a_program_that_was_deleted(void **state)
{
	struct world *w = *state;
	const struct process *p;
	struct err e = ERR_INIT;
	struct unwind_map m;
	AUTO_FD int fd = -1;
	uid_t uid;
	pid_t pid;

	copy_file(self_exe, in_dir(w, "prog"));
	pid = (pid_t)run_child(w, child_execs);
	assert_true(pid > 0);
	p = processes_get(w->ps, pid);
	assert_string_equal(strtab_get(dict_strings(w->dict), p->exe), in_dir(w, "prog"));
	unlink(in_dir(w, "prog"));
	assert_true(p->space->maps.n > 0);
	m = settled(w, pid, p->space->maps.v[0].start);
	assert_int_equal(m.state, MAP_READY);
	/* exe leads to it without privileges; the fd that was kept needs no process. */
	end_child(w);
	fd = processes_open_symbols(w->ps, m.module, &uid, &e);
	assert_true(fd >= 0);
	assert_true(has_code(fd));
}

static bool wrote(const char *path, const char *text)
{
	AUTO_FD int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

/* Root needs only a mount namespace; others need a user namespace around it, where their files belong to somebody. */
static bool enter_namespace(void)
{
	char uids[64], gids[64];

	snprintf(uids, sizeof(uids), "0 %d 1\n", (int)geteuid());
	snprintf(gids, sizeof(gids), "0 %d 1\n", (int)getegid());
	if (privileged())
		return !unshare(CLONE_NEWNS);
	return !unshare(CLONE_NEWUSER | CLONE_NEWNS) && wrote("/proc/self/setgroups", "deny") &&
	       wrote("/proc/self/uid_map", uids) && wrote("/proc/self/gid_map", gids);
}

static uint64_t child_in_namespace(struct world *w, int step)
{
	if (!enter_namespace() || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", w->dir, "tmpfs", 0, NULL) || !copied(self_exe, in_dir(w, "hidden")))
		return 0;
	return (uint64_t)(uintptr_t)map_code(in_dir(w, "hidden"));
}

static void a_file_that_only_the_target_sees(void **state)
{
	struct world *w = *state;
	const uint64_t addr = run_child(w, child_in_namespace);
	struct err e = ERR_INIT;
	struct unwind_map m;
	AUTO_FD int fd = -1;
	uid_t uid;
	pid_t pid;

	if (!addr) {
		/* No namespaces for this user here (a container, user.max_user_namespaces): nothing to be seen. */
		print_message("not tested: no new mount namespace: %s\n",
			      privileged() ? "root in a container" : "plain user");
		return;
	}
	assert_int_not_equal(access(in_dir(w, "hidden"), F_OK), 0);
	/* Only its root leads there once it has ended; map_files and exe are gone with it. */
	pid = w->child;
	processes_get(w->ps, pid);
	end_child(w);
	m = settled(w, pid, addr);
	assert_int_equal(m.state, MAP_READY);
	fd = processes_open_symbols(w->ps, m.module, &uid, &e);
	assert_true(fd >= 0);
	assert_true(has_code(fd));
}

static uint64_t child_dumps_jit(struct world *w, int step)
{
	char path[PATH];
	int fd;
	void *p;

	if (step)
		return 1;
	p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	snprintf(path, sizeof(path), "%s/jit-%d.dump", w->dir, (int)getpid());
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || p == MAP_FAILED || write(fd, "\177ELF", 4) != 4)
		return 0;
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) != MAP_FAILED ? (uint64_t)(uintptr_t)p : 0;
}

static void dumps_of_runtimes(void **state)
{
	struct world *w = *state;
	const uint64_t addr = run_child(w, child_dumps_jit);
	const struct unwind_map m = settled(w, w->child, addr);
	struct err e = ERR_INIT;
	AUTO_FD int fd = -1;
	uid_t uid = 12345;

	assert_int_equal(m.state, MAP_ANON);
	fd = processes_open_symbols(w->ps, m.module, &uid, &e);
	assert_true(fd >= 0);
	assert_int_equal(uid, getuid());
	assert_true(has_code(fd));
}

/* The address of an instruction that cannot be: ud2. */
static uint64_t child_has_code(struct world *w, int step)
{
	uint8_t *p = step ? NULL : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (step)
		return 1;
	if (p == MAP_FAILED)
		return 0;
	p[0] = 0x0f;
	p[1] = 0x0b;
	return mprotect(p, 4096, PROT_READ | PROT_EXEC) ? 0 : (uint64_t)(uintptr_t)p;
}

/* Code in memory is read where its process has it, and from nobody else. */
static void code_in_memory(void **state)
{
	struct world *w = *state;
	const uint64_t addr = run_child(w, child_has_code);
	const struct unwind_map m = settled(w, w->child, addr);
	struct err e = ERR_INIT;
	uint8_t code[2] = { 0 };
	int fd;

	assert_int_equal(m.state, MAP_ANON);
	fd = processes_open_code(w->ps, m.module, &e);
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, code, sizeof(code), (off_t)addr), 2);
	assert_int_equal(code[0], 0x0f);
	assert_int_equal(code[1], 0x0b);
	close(fd);
	end_child(w);
	assert_int_equal(processes_open_code(w->ps, m.module, &e), -ESRCH);
}

static uint64_t child_has_jit(struct world *w, int step)
{
	char path[64];
	FILE *f;
	void *p;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	unlink(path);
	switch (step) {
	case 0:
		p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		return p == MAP_FAILED ? 0 : (uint64_t)(uintptr_t)p;
	case 1:
		f = fopen(path, "we");
		return f && fputs("\177ELF 10 jitted\n", f) >= 0 && !fclose(f);
	case 2:
		return !symlink("/etc/passwd", path);
	case 3:
		return !mkfifo(path, 0600);
	default:
		return 1;
	}
}

static void maps_of_runtimes(void **state)
{
	struct world *w = *state;
	const uint64_t addr = run_child(w, child_has_jit);
	const struct unwind_map m = settled(w, w->child, addr);
	struct err e = ERR_INIT;
	uid_t uid = 12345;
	int fd;

	assert_int_equal(m.state, MAP_ANON);
	assert_int_equal(dict_get_module(w->dict, m.module)->kind, MODULE_ANON);
	assert_int_equal(processes_open_symbols(w->ps, m.module, &uid, &e), -ENOENT);
	assert_int_equal(uid, 12345);

	assert_true(next_step(w));
	fd = processes_open_symbols(w->ps, m.module, &uid, &e);
	assert_true(fd >= 0);
	assert_true(has_code(fd));
	assert_int_equal(uid, geteuid());
	close(fd);

	assert_true(next_step(w));
	assert_int_equal(processes_open_symbols(w->ps, m.module, &uid, &e), -ELOOP);
	assert_true(next_step(w));
	assert_int_equal(processes_open_symbols(w->ps, m.module, &uid, &e), -ENOTSUP);
	assert_true(next_step(w));
}

/* What a symbolizer would read of MODULE begins so; nothing when it cannot be opened. */
static void begins_with(struct world *w, module_id module, const char *want)
{
	char text[16] = "";
	struct err e = ERR_INIT;
	uid_t uid = 12345;
	const int fd = processes_open_symbols(w->ps, module, &uid, &e);

	if (fd < 0) {
		assert_string_equal("", want);
		return;
	}
	assert_true(pread(fd, text, sizeof(text) - 1, 0) >= 0);
	assert_memory_equal(text, want, strlen(want));
	assert_int_equal(uid, geteuid());
	close(fd);
}

static const char *map_path(pid_t pid)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
	return path;
}

static bool write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	return f && fputs(text, f) >= 0 && !fclose(f);
}

static uint64_t child_tells_at_its_end(struct world *w, int step)
{
	void *p;

	switch (step) {
	case 0:
		p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		return p == MAP_FAILED ? 0 : (uint64_t)(uintptr_t)p;
	default:
		return write_file(map_path(getpid()), "1000 10 late\n");
	}
}

/* A perf map that is written when the process ends, and one that is gone then but was looked at before. */
static void maps_that_come_late_or_go_early(void **state)
{
	struct world *w = *state;
	const uint64_t addr = run_child(w, child_tells_at_its_end);
	const struct unwind_map m = settled(w, w->child, addr);
	const pid_t child = w->child;

	begins_with(w, m.module, "");
	assert_true(next_step(w));
	end_child(w);
	begins_with(w, m.module, "1000 10 late");
	unlink(map_path(child));
	begins_with(w, m.module, "1000 10 late");
	/* Whatever else takes its place is not followed. */
	assert_int_equal(symlink("/etc/passwd", map_path(child)), 0);
	begins_with(w, m.module, "");
	unlink(map_path(child));
}

static uint64_t child_has_a_jitdump(struct world *w, int step)
{
	char path[300];
	void *code, *mark;
	int fd;

	if (step)
		return 1;
	snprintf(path, sizeof(path), "%s/jit-%d.dump", w->dir, (int)getpid());
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	mark = fd < 0 || ftruncate(fd, 4096) ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return mark == MAP_FAILED || code == MAP_FAILED ? 0 : (uint64_t)(uintptr_t)code;
}

/* The mapping that tells where a jitdump file is goes with the process. */
static void jitdumps_after_the_end(void **state)
{
	struct world *w = *state;
	const uint64_t addr = run_child(w, child_has_a_jitdump);
	const struct unwind_map m = settled(w, w->child, addr);
	char name[64];

	snprintf(name, sizeof(name), "jit-%d.dump", (int)w->child);
	end_child(w);
	assert_true(write_file(in_dir(w, name), "DTiJ at its end"));
	begins_with(w, m.module, "DTiJ at its end");
}

static int try_load(const struct world *w, const char *name, uint64_t dev, uint64_t ino, struct err *e)
{
	const struct file_id id = { .dev = dev, .ino = ino };
	const struct place p = { .pid = -1, .path = (char *)in_dir(w, name) };
	struct loaded l = { .fd = -1 };
	const int r = load_file(NULL, &id, &p, &l, e);

	if (!r)
		loaded_clear(&l);
	return r;
}

static void what_stands_at_a_path(void **state)
{
	struct world *w = *state;
	struct err e = ERR_INIT;
	struct stat st;

	copy_file(self_exe, in_dir(w, "file"));
	assert_int_equal(stat(in_dir(w, "file"), &st), 0);
	assert_int_equal(try_load(w, "file", st.st_dev, st.st_ino, &e), 0);
	assert_int_equal(try_load(w, "file", st.st_dev, st.st_ino + 1, &e), -ESTALE);
	assert_int_equal(try_load(w, "file", st.st_dev + 1, st.st_ino, &e), -ESTALE);
	assert_int_equal(try_load(w, "file", 0, 0, &e), -ESTALE);
	assert_non_null(strstr(e.text, "another file is there now"));
	assert_int_equal(try_load(w, "none", st.st_dev, st.st_ino, &e), -ENOENT);

	assert_int_equal(mkfifo(in_dir(w, "fifo"), 0600), 0);
	assert_int_equal(try_load(w, "fifo", 0, 0, &e), -ENOTSUP);
	assert_int_equal(mkdir(in_dir(w, "dir"), 0700), 0);
	assert_int_equal(try_load(w, "dir", 0, 0, &e), -ENOTSUP);
	assert_int_equal(symlink("loop", in_dir(w, "loop")), 0);
	assert_int_equal(try_load(w, "loop", 0, 0, &e), -ELOOP);
	assert_int_equal(symlink("/dev/zero", in_dir(w, "device")), 0);
	assert_int_equal(try_load(w, "device", 0, 0, &e), -ENOTSUP);
}

static uint64_t child_gone(struct world *w, int step)
{
	_exit(0);
}

static void a_zombie_and_a_kernel_thread(void **state)
{
	struct world *w = *state;
	struct process *p;
	siginfo_t info;

	w->child = fork();
	if (!w->child)
		child_gone(w, 0);
	assert_int_equal(waitid(P_PID, (id_t)w->child, &info, WEXITED | WNOWAIT), 0);
	p = processes_get(w->ps, w->child);
	assert_true(process_gone(p));
	assert_false(p->denied);

	p = processes_get(w->ps, 2);
	if (p->kthread) {
		assert_false(process_gone(p));
		assert_false(p->denied);
	}
	assert_int_equal(processes_scan(w->ps, NULL, 0, NULL), 0);
	assert_true(processes_get(w->ps, getpid())->maps_known);
}

static void the_cgroup_of_this_process(void **state)
{
	struct world *w = *state;
	AUTO(cgroups_free) struct cgroups *cg = cgroups_new(dict_strings(w->dict));
	char text[8192], path[PROC_PATH_MAX + 64], *line, *end;
	AUTO_FD int dir = proc_open(getpid());
	struct stat st;

	assert_non_null(cg);
	assert_int_equal(cgroups_path(cg, 0, getpid()), 0);
	assert_int_equal(cgroups_path(cg, 0x7fffffffffffffff, getpid()), 0);
	assert_true(proc_read_text(dir, "cgroup", text, sizeof(text)) > 0);
	line = strstr(text, "0::/");
	if (!line)
		return;
	line += 3;
	end = strchr(line, '\n');
	assert_non_null(end);
	*end = '\0';
	snprintf(path, sizeof(path), "/sys/fs/cgroup/unified%s", line);
	if (stat(path, &st)) {
		snprintf(path, sizeof(path), "/sys/fs/cgroup%s", line);
		if (stat(path, &st))
			return;
	}
	/* A namespace may hide where the mount begins; where it does not, the path is that of /proc. */
	assert_string_equal(strtab_get(dict_strings(w->dict), cgroups_path(cg, st.st_ino, getpid())), line);
}

static ino_t inode_of(const char *cgroup)
{
	AUTO_FD int fd = cgroup_open(cgroup, NULL);
	struct stat st;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	return st.st_ino;
}

static void a_cgroup_by_its_name(void **state)
{
	char path[PROC_PATH_MAX], name[2 * PROC_PATH_MAX];
	struct err e = ERR_INIT;
	AUTO_FD int mount = cgroup_mount(path);
	AUTO_DIR DIR *d = NULL;
	const struct dirent *de;
	struct stat st;

	assert_int_equal(cgroup_open("/proc", &e), -ENOENT);
	assert_non_null(strstr(e.text, "there is no cgroup '/proc'"));
	assert_int_equal(cgroup_open("no/such/cgroup", &e), -ENOENT);
	if (mount < 0)
		return;
	assert_int_equal(fstat(mount, &st), 0);
	assert_int_equal(inode_of("/"), st.st_ino);
	assert_int_equal(inode_of(path), st.st_ino);
	d = opendir(path);
	while (d && (de = readdir(d))) {
		if (de->d_type != DT_DIR || de->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "/%s", de->d_name);
		assert_int_equal(inode_of(name), de->d_ino);
		assert_int_equal(inode_of(name + 1), de->d_ino);
		snprintf(name, sizeof(name), "%s/%s", path, de->d_name);
		assert_int_equal(inode_of(name), de->d_ino);
		break;
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(a_child_that_was_there_before),
		TEST(an_executable_is_called_as_it_is_run),
		TEST(a_library_that_comes_later),
		TEST(what_is_seen_at_a_glimpse),
		TEST(a_library_that_was_deleted),
		TEST(a_program_that_was_deleted),
		TEST(a_file_that_only_the_target_sees),
		TEST(maps_of_runtimes),
		TEST(maps_that_come_late_or_go_early),
		TEST(jitdumps_after_the_end),
		TEST(code_in_memory),
		TEST(dumps_of_runtimes),
		TEST(what_stands_at_a_path),
		TEST(a_zombie_and_a_kernel_thread),
		TEST(the_cgroup_of_this_process),
		TEST(a_cgroup_by_its_name),
	};
	char c;

	/* As the program of child_execs(). */
	if (argc > 1 && !strcmp(argv[1], "wait"))
		return write(1, "", 1) == 1 && read(0, &c, 1) == 0 ? 0 : 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
