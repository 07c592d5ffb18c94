/* SPDX-License-Identifier: BSD-2-Clause */
/* hung.c - two looks at all threads; between them locks, stacks and names are read. */
#include "config.h"

#include "cmd/hung.h"

#include "base/order.h"
#include "capture/peek.h"
#include "capture/source.h"
#include "engine/variables.h"
#include "model/machine.h"
#include "model/wait.h"
#include "system/filelocks.h"
#include "system/lookup.h"
#include "system/pipeends.h"
#include "system/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define THREADS_MAX 65536u
#define PROCESSES_MAX 64u        /* that are looked at because they hold what others wait for */
#define FRAMES_MAX 256u
#define STACK_FIRST (64u << 10)  /* bytes that are read of each stack; where that is too little ... */
#define STACK_MOST PEEK_BYTES_MAX        /* ... so many */

struct thread_regs {
	pid_t tid;
	uint32_t nr;
	uint64_t reg[RAW_REGS_MAX];
};

struct looking {
	struct hung *h;
	struct peek *peek;
	VEC(pid_t) process;
	VEC(struct thread_regs) regs;    /* by tid */
	struct variables *variables;     /* of the process ... */
	pid_t variables_of;              /* ... 0 = of none */
	bool nomem;
};

static void looking_clear(struct looking *l)
{
	peek_free(l->peek);
	vec_free(&l->process);
	vec_free(&l->regs);
	variables_free(l->variables);
}

void hung_free(struct hung *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->thread.n; i++) {
		free(h->thread.v[i].frame);
		sberf_names_free(h->thread.v[i].names);
	}
	vec_free(&h->thread);
	sberf_close(h->s);
	free(h);
}

static int hung_compare(const void *va, const void *vb)
{
	const struct hung_thread *a = va, *b = vb;

	return compare_numbers(a->tid, b->tid);
}

const struct hung_thread *hung_find(const struct hung *h, uint32_t tid)
{
	const struct hung_thread wanted = { .tid = (pid_t)tid };

	return h->thread.n ? bsearch(&wanted, h->thread.v, h->thread.n, sizeof(wanted), hung_compare) : NULL;
}

/* What the thread TID of PID is in, to *RET. False when it has ended. */
static bool thread_see(struct hung *h, pid_t pid, pid_t tid, struct hung_thread *ret)
{
	AUTO_FD int dir = proc_open_thread(pid, tid);
	struct proc_stat stat;
	int rc;

	*ret = (struct hung_thread){ .pid = pid, .tid = tid };
	if (dir < 0 || proc_read_stat(dir, &stat) || stat.zombie || task_switches_read(dir, &ret->switches))
		return false;
	memcpy(ret->comm, stat.comm, sizeof(ret->comm));
	ret->state = stat.state;
	ret->prio = stat.prio + LOCK_PRIO < 0 ? 0 : (unsigned int)(stat.prio + LOCK_PRIO);
	rc = task_call_read(dir, &ret->call);
	if (rc == -EPERM || rc == -EACCES)
		h->denied++;
	if (rc)
		ret->call = (struct task_call){ .running = true, .number = -1 };
	return true;
}

/* Adds the threads of PID. */
static int process_see(struct looking *l, pid_t pid, struct err *e)
{
	char path[64];
	AUTO_DIR DIR *dir = NULL;
	const struct dirent *entry;
	struct hung_thread seen;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return err_set(e, ESRCH, "there is no process %d", (int)pid);
	while ((entry = readdir(dir)) && l->h->thread.n < THREADS_MAX) {
		struct hung_thread *t;
		const int tid = entry->d_name[0] == '.' ? 0 : (int)strtoul(entry->d_name, NULL, 10);

		if (!tid || !thread_see(l->h, pid, tid, &seen))
			continue;
		t = vec_push(&l->h->thread);
		if (!t)
			return err_nomem(e, "the threads of a process");
		*t = seen;
	}
	return 0;
}

/* LEN bytes from ADDRESS on of PID, or fewer. They are the helper's until the next call. */
static bool memory_read(struct looking *l, pid_t pid, uint64_t address, uint32_t len, struct peek_answer *ret)
{
	if (!l->peek || peek_ask(l->peek, 0, pid, address + machine_host_red_zone(), len))
		return false;
	while (!peek_take(l->peek, ret)) {
		struct pollfd p = { .fd = peek_fd(l->peek), .events = POLLIN };

		(void)poll(&p, 1, PEEK_LIMIT_MS);
	}
	return ret->status == PEEK_OK && ret->len;
}

/* The registers of T as the kernel has told them, if they are those of the same call. */
static const struct thread_regs *known_registers(const struct looking *l, const struct hung_thread *t)
{
	const struct machine *m = machine_host();

	for (size_t i = 0; i < l->regs.n; i++) {
		const struct thread_regs *r = &l->regs.v[i];

		if (r->tid == t->tid && r->nr == m->nr_regs)
			return r->reg[m->sp] == t->call.sp && r->reg[m->pc] == t->call.pc ? r : NULL;
	}
	return NULL;
}

/* Unwinds the stack of T, of which BYTES are read. True when more of it is wanted. */
static bool stack_unwind(struct looking *l, struct hung_thread *t, const uint64_t *regs, uint32_t bytes)
{
	const uint64_t red_zone = machine_host_red_zone();
	struct sberf_frame frames[FRAMES_MAX];
	struct peek_answer a;
	struct sberf_segment segment;
	struct sberf_capture capture = { .size = sizeof(capture), .pid = t->pid,
					 .nr_registers = machine_host()->nr_regs, .registers = regs,
					 .nr_segments = 1, .segments = &segment };
	struct sberf_end end = { 0 };
	int n;

	if (!memory_read(l, t->pid, t->call.sp - red_zone, bytes, &a)) {
		t->cut = "its memory cannot be read";
		return false;
	}
	segment = (struct sberf_segment){ .address = a.addr, .bytes = a.bytes, .length = a.len,
					  .flags = a.unreadable ? SBERF_SEGMENT_UNREADABLE : 0 };
	n = sberf_unwind(l->h->s, &capture, frames, FRAMES_MAX, &end);
	if (n <= 0) {
		t->cut = n ? sberf_error(l->h->s) : "it has no frame";
		return false;
	}
	free(t->frame);
	t->frame = malloc((size_t)n * sizeof(*frames));
	t->nr_frames = t->frame ? (uint32_t)n : 0;
	if (t->frame)
		memcpy(t->frame, frames, (size_t)n * sizeof(*frames));
	else
		l->nomem = true;
	t->cut = end.reason ? end.text : NULL;
	return end.reason && a.len >= bytes;
}

static void stack_read(struct looking *l, struct hung_thread *t)
{
	const struct machine *m = machine_host();
	const struct thread_regs *known = m ? known_registers(l, t) : NULL;
	uint64_t regs[MACHINE_REGS_MAX] = { 0 };

	if (!m || t->call.running || !t->call.sp)
		return;
	regs[m->sp] = t->call.sp;
	regs[m->pc] = t->call.pc;
	if (known)
		memcpy(regs, known->reg, m->nr_regs * sizeof(*regs));
	if (stack_unwind(l, t, regs, STACK_FIRST))
		(void)stack_unwind(l, t, regs, STACK_MOST);
	if (t->nr_frames && sberf_symbolize(l->h->s, t->frame, t->nr_frames, 0, &t->names) < 0)
		l->nomem = true;
}

/* The kind of the lock that the stack of T says it waits for. */
static enum lock_kind kind_by_stack(const struct hung_thread *t)
{
	for (size_t i = 0; t->names && i < t->names->n; i++)
		for (uint32_t k = 0; k < t->names->name[i].nr_functions; k++) {
			const enum lock_kind kind = lock_kind_of(t->names->name[i].functions[k].name);

			if (kind != LOCK_NONE)
				return kind;
		}
	return LOCK_FUTEX;
}

/* The mappings of PID; NULL when they cannot be read. */
static const struct variables *variables_of(struct looking *l, pid_t pid)
{
	if (l->variables_of == pid)
		return l->variables;
	variables_free(l->variables);
	l->variables = NULL;
	l->variables_of = pid;
	(void)variables_new(pid, &l->variables, NULL);
	return l->variables;
}

/* Has the thread TID not ended, and is it one of PID? */
static bool is_thread_of(pid_t pid, uint32_t tid)
{
	AUTO_FD int dir = proc_open_thread(pid, (pid_t)tid);

	return dir >= 0;
}

/* PID is looked at, too. */
static void process_add(struct looking *l, pid_t pid)
{
	pid_t *p;

	for (size_t i = 0; i < l->process.n; i++)
		if (l->process.v[i] == pid)
			return;
	p = l->process.n < PROCESSES_MAX ? vec_push(&l->process) : NULL;
	if (p)
		*p = pid;
}

/* May the thread TID of another process hold the lock of T, because both have mapped the memory that it is in? */
static bool shares_lock(struct looking *l, const struct hung_thread *t, uint32_t tid)
{
	const struct variables *v = variables_of(l, t->pid);
	AUTO(variables_free) struct variables *theirs = NULL;
	struct variables_shared file;
	const pid_t pid = lookup_process_of((pid_t)tid);

	if (!pid || !v || lock_op_private((uint32_t)t->call.args[1]) || !variables_shared(v, t->call.args[0], &file) ||
	    variables_new(pid, &theirs, NULL) || !variables_shares(theirs, &file))
		return false;
	process_add(l, pid);
	return true;
}

struct inside_asked {
	pid_t inside, found;
};

static bool is_inside(void *ctx, pid_t tid, pid_t inside)
{
	struct inside_asked *a = ctx;

	a->found = inside == a->inside ? tid : 0;
	return !a->found;
}

/* The number here of the thread that PID calls TID, in a pid namespace of its own; TID when it has no such thread. */
static uint32_t thread_inside(pid_t pid, uint32_t tid)
{
	AUTO_FD int dir = proc_open(pid);
	struct inside_asked a = { .inside = (pid_t)tid };
	struct proc_status status;

	if (dir < 0 || proc_read_status(dir, &status) || !status.ns_pid || status.root_ns)
		return tid;
	(void)proc_each_thread(dir, is_inside, &a);
	return a.found ? (uint32_t)a.found : tid;
}

/* What the memory of the lock says that T, which waits on a futex, waits for. */
static struct lock_state lock_memory(struct looking *l, const struct hung_thread *t)
{
	struct lock_futex f = { .kind = t->kind, .address = t->call.args[0], .op = (uint32_t)t->call.args[1],
				.value = (uint32_t)t->call.args[2] };
	struct lock_state state;
	struct peek_answer a;

	if (memory_read(l, t->pid, f.address - LOCK_BYTES_BEFORE, LOCK_BYTES + 8, &a))
		lock_fill(&f, a.addr, a.bytes, a.len);
	l->h->unread += !f.len;
	state = lock_read(&f);
	if (state.holder)
		state.holder = thread_inside(t->pid, state.holder);
	return state;
}

static pid_t parent_of(pid_t pid)
{
	AUTO_FD int dir = proc_open(pid);
	struct proc_stat stat;

	return dir < 0 || proc_read_stat(dir, &stat) ? 0 : stat.ppid;
}

static void lock_look(struct looking *l, struct hung_thread *t)
{
	const struct variables *v;

	t->kind = lock_op_lends_priority((uint32_t)t->call.args[1]) ? LOCK_LENDING : kind_by_stack(t);
	t->lock = lock_memory(l, t);
	if (t->lock.holder && !is_thread_of(t->pid, t->lock.holder) && !shares_lock(l, t, t->lock.holder)) {
		t->gone = t->lock.holder;
		t->gone_of = parent_of(t->pid) == lookup_process_of((pid_t)t->gone) ? parent_of(t->pid) : 0;
		t->lock.holder = 0;
	}
	v = variables_of(l, t->pid);
	if (v)
		variables_name(v, t->lock.address, t->lock_name, sizeof(t->lock_name));
}

/* The file behind the descriptor FD of PID, to DST. False when it cannot be asked. */
static bool descriptor_file(pid_t pid, uint64_t fd, char *dst, size_t size, struct stat *ret)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, (int)fd);
	n = readlink(path, dst, size - 1);
	dst[n > 0 ? n : 0] = '\0';
	return n > 0 && !stat(path, ret);
}

static bool waits_for_file_lock(const struct task_call *call)
{
	const uint64_t cmd = call->args[1];

	return call->number == SYS_flock || (call->number == SYS_fcntl && (cmd == F_SETLKW || cmd == F_OFD_SETLKW));
}

/* The process that holds the lock on a file that T waits for; 0 = nobody knows. *RET_NAME is the file. */
static uint32_t file_lock_memory(const struct hung_thread *t, char *ret_name, size_t size)
{
	struct stat st;

	if (!descriptor_file(t->pid, t->call.args[0], ret_name, size, &st))
		return 0;
	return (uint32_t)file_lock_holder(t->pid, major(st.st_dev), minor(st.st_dev), st.st_ino);
}

static void file_lock_look(struct looking *l, struct hung_thread *t)
{
	t->kind = LOCK_FILE;
	t->lock.holder = file_lock_memory(t, t->lock_name, sizeof(t->lock_name));
	if (t->lock.holder)
		process_add(l, (pid_t)t->lock.holder);
}

/* Who is at the other end of the pipe that T waits for, if it is one. */
static void pipe_look(struct hung_thread *t)
{
	t->reads = t->call.number == SYS_read || t->call.number == SYS_readv;
	t->at_pipe = !strncmp(t->lock_name, "pipe:[", strlen("pipe:["));
	if (t->at_pipe)
		t->nr_ends = (uint32_t)pipe_ends(t->lock_name, t->reads, t->end, HUNG_ENDS);
}

/* Where in the kernel T is, which a signal cannot wake: "rwsem_down_write_slowpath, ext4_buffered_write_iter". */
static void kernel_look(struct hung_thread *t)
{
	AUTO_FD int dir = t->state == 'D' ? proc_open_thread(t->pid, t->tid) : -1;
	char text[2048];
	size_t at = 0;

	if (dir < 0 || !proc_read_start(dir, "stack", text, sizeof(text)))
		return;
	for (const char *line = strstr(text, "] "); line; line = strstr(line, "] ")) {
		const size_t n = strcspn(line += 2, "+\n");

		if (at + n + 3 > sizeof(t->kernel))
			break;
		at += (size_t)snprintf(t->kernel + at, sizeof(t->kernel) - at, "%s%.*s", at ? ", " : "", (int)n, line);
	}
}

/* What T waits for, and where. */
static void thread_look(struct looking *l, struct hung_thread *t)
{
	char text[CALL_NAME_MAX];

	stack_read(l, t);
	kernel_look(t);
	if (t->call.number < 0)
		return;
	if (call_is_futex(CALL_SYSCALL + (uint32_t)t->call.number, NULL) && lock_op_waits((uint32_t)t->call.args[1]))
		lock_look(l, t);
	else if (waits_for_file_lock(&t->call))
		file_lock_look(l, t);
	else if (wait_class_of(CALL_SYSCALL + (uint32_t)t->call.number, WAIT_INTERRUPTIBLE, NULL) == WAIT_CLASS_PIPE) {
		struct stat st;

		(void)call_name(CALL_SYSCALL + (uint32_t)t->call.number, NULL, text);
		if (strcmp(text, "poll") != 0)
			(void)descriptor_file(t->pid, t->call.args[0], t->lock_name, sizeof(t->lock_name), &st);
		pipe_look(t);
	}
}

static void take_registers(void *ctx, const struct source_open *w)
{
	struct looking *l = ctx;
	struct thread_regs *r = w->nr_regs ? vec_push(&l->regs) : NULL;

	if (!r)
		return;
	*r = (struct thread_regs){ .tid = w->tid, .nr = w->nr_regs };
	memcpy(r->reg, w->regs, w->nr_regs * sizeof(*r->reg));
}

/*
 * Asks the kernel for the registers of threads that sleep: /proc has but two of them, with which the caller of a
 * function that keeps a frame pointer may not be found. Where that is not permitted these have to do.
 */
static void registers_look(struct looking *l, const uint32_t *pids, size_t n)
{
	struct capture_plan plan = { .target = TARGET_PIDS, .freq_hz = 1, .off_cpu = true, .stack_bytes = STACK_FIRST };
	AUTO(source_free) struct source *s = NULL;
	struct err why = ERR_INIT;
	uint64_t now;

	plan.ids.v = malloc(n * sizeof(*pids));
	if (!plan.ids.v)
		return;
	memcpy(plan.ids.v, pids, n * sizeof(*pids));
	plan.ids.n = plan.ids.cap = n;
	if (!source_open(&plan, &s, &why) && !source_start(s, &why))
		l->h->by_registers = source_open_waits(s, 0, UINT64_MAX, take_registers, l, &now, &why) >= 0;
	memcpy(l->h->no_registers, why.text, sizeof(why.text));
	vec_free(&plan.ids);
}

/* Was T not switched to since the first look, and is what it waits for held by the same thread? */
static bool still_waits(struct looking *l, const struct hung_thread *t)
{
	AUTO_FD int dir = proc_open_thread(t->pid, t->tid);
	const uint32_t holder = t->lock.holder ? t->lock.holder : t->gone;
	char name[sizeof(t->lock_name)];
	struct task_call now;
	uint64_t switches;

	if (t->call.running || dir < 0 || task_call_read(dir, &now) || now.running || now.number != t->call.number ||
	    now.sp != t->call.sp || memcmp(now.args, t->call.args, sizeof(now.args)) != 0)
		return false;
	if (t->kind == LOCK_FILE && file_lock_memory(t, name, sizeof(name)) != holder)
		return false;
	if (t->kind != LOCK_NONE && t->kind != LOCK_FILE && lock_memory(l, t).holder != holder)
		return false;
	return !task_switches_read(dir, &switches) && switches == t->switches;
}

/* The first ASKED of the processes have to exist. */
static int hung_look_all(struct looking *l, size_t asked, struct err *e)
{
	struct hung *h = l->h;
	size_t done = 0;
	int rc = 0;

	/* Looking at a process may bring others. */
	for (size_t p = 0; !rc && p < l->process.n; p++) {
		rc = process_see(l, l->process.v[p], e);
		if (rc == -ESRCH && p >= asked)
			rc = 0;
		for (; !rc && done < h->thread.n; done++)
			thread_look(l, &h->thread.v[done]);
	}
	if (rc)
		return rc;
	if (h->denied && h->denied == h->thread.n)
		return err_set(e, EPERM, "what the threads of process %d wait for may not be seen: that takes its "
			       "user, or root (CAP_SYS_PTRACE; see kernel.yama.ptrace_scope)", (int)l->process.v[0]);
	for (size_t i = 0; i < h->thread.n; i++)
		h->thread.v[i].asleep = still_waits(l, &h->thread.v[i]);
	if (h->thread.n)
		qsort(h->thread.v, h->thread.n, sizeof(*h->thread.v), hung_compare);
	return l->nomem ? err_nomem(e, "the waits of a process") : 0;
}

int hung_look(const uint32_t *pids, size_t n, struct hung **ret, struct err *e)
{
	const struct sberf_options options = { .size = sizeof(options) };
	__attribute__((cleanup(looking_clear))) struct looking l = { 0 };
	AUTO(hung_free) struct hung *h = calloc(1, sizeof(*h));
	int rc;

	if (!h)
		return err_nomem(e, "the waits of a process");
	rc = sberf_open(&h->s, &options);
	if (rc < 0)
		return err_set(e, -rc, "cannot set up what unwinds stacks: %s", strerror(-rc));
	l.h = h;
	rc = peek_new(&l.peek, e);
	if (rc)
		return rc;
	for (size_t i = 0; i < n; i++)
		process_add(&l, (pid_t)pids[i]);
	registers_look(&l, pids, n);
	rc = hung_look_all(&l, n, e);
	if (rc)
		return rc;
	*ret = take_ptr(h);
	return 0;
}
