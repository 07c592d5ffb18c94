// SPDX-License-Identifier: BSD-2-Clause
/* target.c - raw captures of a child; see target.h. */
#include "config.h"

#include "bpf/wire.h"
#include "tests/unwind/target.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

#define PAGE 4096u
#define NR_REGS 17               /* of x86-64 */
#define RED_ZONE 128u            /* the same */
#define SETTLE_STEPS 3000
#define SETTLE_WAITS 1000        /* of 20 us */

void target_files_free(struct target_files *tf)
{
	for (size_t i = 0; i < tf->files.n; i++)
		image_free(tf->files.v[i].image);
	vec_free(&tf->files);
}

static bool wait_ready(int fd)
{
	char c, last = 0;

	while (read(fd, &c, 1) == 1) {
		if (c == '\n' && last == 'y')
			return true;
		last = c;
	}
	return false;
}

pid_t target_start(char *const argv[])
{
	pid_t pid;
	int p[2];

	if (pipe(p) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		/* One that outlived a test would keep its output open, which is then waited for without end. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(p[1], STDOUT_FILENO);
		close(p[0]);
		close(p[1]);
		execv(argv[0], argv);
		_exit(127);
	}
	close(p[1]);
	if (pid > 0 && !wait_ready(p[0])) {
		fprintf(stderr, "%s did not get ready\n", argv[0]);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	close(p[0]);
	return pid;
}

bool target_stop(pid_t tid)
{
	int status;

	if (ptrace(PTRACE_INTERRUPT, tid, 0, 0) < 0)
		return false;
	while (waitpid(tid, &status, __WALL) == tid && WIFSTOPPED(status)) {
		if (status >> 16 == PTRACE_EVENT_STOP)
			return true;
		ptrace(PTRACE_CONT, tid, 0, WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status));
	}
	return false;
}

/* Waits for a stop of PID, but not for ever: a step into a system call may sleep. */
static bool stopped_soon(pid_t pid, int *status)
{
	const struct timespec wait = { .tv_nsec = 20000 };

	for (int i = 0; i < SETTLE_WAITS; i++) {
		if (waitpid(pid, status, __WALL | WNOHANG) == pid)
			return true;
		nanosleep(&wait, NULL);
	}
	return false;
}

/*
 * Signals that come meanwhile are left out. A handler is entered with the trap flag of the step
 * among the flags that it saves, and Go's, which preempts, lets another thread go on with them:
 * nobody traces that one, and it dies of SIGTRAP.
 */
void target_settle(pid_t pid)
{
	int status;

	for (int i = 0; i < SETTLE_STEPS; i++) {
		if (ptrace(PTRACE_SINGLESTEP, pid, 0, 0) < 0)
			return;
		if (!stopped_soon(pid, &status)) {
			target_stop(pid);
			return;
		}
		if (!WIFSTOPPED(status))
			return;
	}
}

/* Bytes of PID at ADDR, page by page until one cannot be read; how many. */
static size_t copy_stack(pid_t pid, uint64_t addr, uint8_t *dst, size_t cap)
{
	struct iovec all = { dst, cap }, there = { (void *)(uintptr_t)addr, cap };
	size_t got = 0;

	if (process_vm_readv(pid, &all, 1, &there, 1, 0) == (ssize_t)cap)
		return cap;
	while (got < cap) {
		size_t n = PAGE - (addr + got) % PAGE;
		struct iovec to, from;

		if (n > cap - got)
			n = cap - got;
		to = (struct iovec){ dst + got, n };
		from = (struct iovec){ (void *)(uintptr_t)(addr + got), n };
		if (process_vm_readv(pid, &to, 1, &from, 1, 0) != (ssize_t)n)
			break;
		got += n;
	}
	return got;
}

static bool add_segment(pid_t pid, uint64_t sp, size_t cap, bool interrupted, struct fixture *fx)
{
	struct unwind_input *s = &fx->input;
	struct raw_segment *seg = &s->segment[s->nr_segments];
	uint8_t *bytes = malloc(cap);

	if (!bytes)
		return false;
	seg->addr = sp - RED_ZONE;
	seg->len = (uint32_t)copy_stack(pid, seg->addr, bytes, cap);
	seg->unreadable = seg->len < cap;
	seg->interrupted = interrupted;
	seg->bytes = fx->seg[s->nr_segments++] = bytes;
	return true;
}

static module_id file_module(struct target_files *tf, pid_t pid, const char *path, uint64_t start, uint64_t end)
{
	AUTO_FREE uint8_t *bytes = NULL;
	struct target_file *f;
	struct err e = ERR_INIT;
	char open_path[600];

	for (size_t i = 0; i < tf->files.n; i++)
		if (strcmp(tf->files.v[i].path, path) == 0)
			return (module_id)i;
	f = vec_push(&tf->files);
	if (!f)
		return ID_NONE;
	*f = (struct target_file){ 0 };
	snprintf(f->path, sizeof(f->path), "%s", path);
	if (strcmp(path, "[vdso]") == 0) {
		bytes = malloc(end - start);
		if (bytes && copy_stack(pid, start, bytes, end - start) == end - start)
			image_from_memory(bytes, end - start, &f->image, &e);
	} else if (path[0] == '/') {
		bool deleted = strstr(path, " (deleted)");
		AUTO_FD int fd = -1;

		if (deleted)
			snprintf(open_path, sizeof(open_path), "/proc/%d/exe", pid);
		fd = open(deleted ? open_path : path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			image_open(fd, &f->image, &e);
	}
	if (e.code)
		fprintf(stderr, "%s: %s\n", path, e.text);
	return (module_id)tf->files.n - 1;
}

static bool read_maps(pid_t pid, struct target_files *tf, struct fixture *fx)
{
	AUTO_FILE FILE *f = NULL;
	char name[64], line[1024];

	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	f = fopen(name, "re");
	while (f && fgets(line, sizeof(line), f)) {
		struct fixture_map m = { 0 };
		char prot[8];
		int at = 0;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &m.map.start, &m.map.end, prot,
			   &m.map.pgoff, &at) < 4 || prot[2] != 'x')
			continue;
		snprintf(m.path, sizeof(m.path), "%s", at ? line + at : "");
		m.map.module = file_module(tf, pid, m.path, m.map.start, m.map.end);
		if (m.map.module == ID_NONE || !vec_reserve(&fx->maps, 1))
			return false;
		m.map.image = tf->files.v[m.map.module].image;
		m.map.state = m.map.image ? MAP_READY : m.path[0] == '/' ? MAP_NO_FILE : m.path[0] ?
			MAP_SPECIAL : MAP_ANON;
		if (m.map.state == MAP_ANON)
			m.map.pgoff = m.map.start;
		fx->maps.v[fx->maps.n++] = m;
	}
	return f;
}

/*
 * The sp that a handler on an alternate stack interrupted: in the ucontext above sp, whose uc_stack
 * names that stack.
 */
static uint64_t interrupted_sp(const struct raw_segment *seg, uint64_t sp)
{
	for (uint64_t at = sp & ~(uint64_t)7; seg->len >= 168 && at - seg->addr <= seg->len - 168; at += 8) {
		uint64_t word[21], ss_sp, ss_size;

		memcpy(word, seg->bytes + (at - seg->addr), sizeof(word));
		ss_sp = word[2];
		ss_size = word[4];
		if (word[1] == 0 && (uint32_t)word[3] == 0 && ss_size >= 2048 && ss_size < (1 << 20) && sp >= ss_sp &&
		    sp - ss_sp < ss_size && word[20])
			return word[20];
	}
	return 0;
}

static bool read_registers(pid_t tid, struct unwind_input *s)
{
	struct user_regs_struct u;

	if (ptrace(PTRACE_GETREGS, tid, 0, &u) < 0)
		return false;
	memcpy(s->regs, (uint64_t[]){ u.rax, u.rdx, u.rcx, u.rbx, u.rsi, u.rdi, u.rbp, u.rsp, u.r8, u.r9, u.r10, u.r11,
				       u.r12, u.r13, u.r14, u.r15, u.rip }, NR_REGS * sizeof(uint64_t));
	s->nr_regs = NR_REGS;
	s->machine = EM_X86_64;
	return true;
}

static bool copy_maps(const struct fixture *from, struct fixture *to)
{
	if (!vec_reserve(&to->maps, from->maps.n))
		return false;
	memcpy(to->maps.v, from->maps.v, from->maps.n * sizeof(*from->maps.v));
	to->maps.n = from->maps.n;
	return true;
}

bool target_capture(pid_t pid, pid_t tid, size_t cap, struct target_files *tf, const struct fixture *before,
		    struct fixture *ret)
{
	struct unwind_input *s = &ret->input;
	uint64_t sp, under;

	*ret = (struct fixture){ 0 };
	if (!read_registers(tid, s) || !(before ? copy_maps(before, ret) : read_maps(pid, tf, ret))) {
		fixture_free(ret);
		return false;
	}
	sp = s->regs[7];
	if (!add_segment(pid, sp, cap, false, ret)) {
		fixture_free(ret);
		return false;
	}
	under = interrupted_sp(&s->segment[0], sp);
	if (under && (under < s->segment[0].addr || under >= s->segment[0].addr + s->segment[0].len))
		add_segment(pid, under, cap, true, ret);
	return true;
}
