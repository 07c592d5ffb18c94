/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack.c - what a program of somebody else's does with an installed libsberf: it unwinds and names
 * the stack of a child, which waits in known functions without frame pointers, and asks everything
 * that a user may ask wrongly.
 *
 *	stack [force|fallback|fp|off]    the stack of the child, a line a frame: NAME FILE:LINE
 *	stack wrong                      errors: a line for each, "ok" or what was wrong
 *	stack of PID                     the stack of the first thread of PID: a line a frame, ADDRESS NAME
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <sberf/record.h>
#include <sberf/symbolize.h>
#include <sberf/unwind.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_BYTES 65536
#define FRAMES 64

static volatile int sink;

/* Each keeps something on its stack, and none is the last thing that its caller does. */
__attribute__((noipa)) static int innermost(int x)
{
	volatile char room[48] = { 0 };

	pause();
	return x + room[x & 15];
}

__attribute__((noipa)) static int middle(int x)
{
	volatile char room[200] = { 0 };

	return innermost(x + 1) * 3 + room[x & 15];
}

__attribute__((noipa)) static int outermost(int x)
{
	return middle(x + 1) * 5 + x;
}

static pid_t start_child(void)
{
	const pid_t pid = fork();

	if (!pid) {
		sink = outermost(1);
		_exit(0);
	}
	usleep(100000);
	if (ptrace(PTRACE_SEIZE, pid, 0, 0) || ptrace(PTRACE_INTERRUPT, pid, 0, 0) || waitpid(pid, NULL, 0) != pid)
		exit(99);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* The registers and the stack of PID. */
static void capture(pid_t pid, uint64_t *regs, char *stack, size_t room, struct sberf_segment *seg,
		    struct sberf_capture *ret)
{
	char raw[1024];
	struct iovec iov = { raw, sizeof(raw) }, to, from;
	int n;
	ssize_t got;

	if (ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &iov))
		exit(98);
	n = sberf_registers(raw, iov.iov_len, regs);
	if (n < 0)
		exit(97);
	*seg = (struct sberf_segment){ .address = regs[n == 17 ? 7 : 31] - 128, .bytes = stack };
	to = (struct iovec){ stack, room };
	from = (struct iovec){ (void *)seg->address, room };
	do {
		got = process_vm_readv(pid, &to, 1, &from, 1, 0);
		from.iov_len -= got < 0 ? 1024 : 0;
		to.iov_len = from.iov_len;
	} while (got < 0 && from.iov_len > 1024);
	seg->length = got < 0 ? 0 : (uint32_t)got;
	*ret = (struct sberf_capture){ .size = sizeof(*ret), .pid = pid, .nr_registers = (uint32_t)n, .registers = regs,
				       .nr_segments = 1, .segments = seg };
}

static int print_stack(struct sberf *s, pid_t pid, int out)
{
	static __thread char stack[STACK_BYTES];
	struct sberf_frame frame[FRAMES];
	uint64_t regs[SBERF_REGISTERS_MAX];
	struct sberf_names *names;
	struct sberf_segment seg;
	struct sberf_capture c;
	struct sberf_end end;
	int n;

	capture(pid, regs, stack, sizeof(stack), &seg, &c);
	n = sberf_unwind(s, &c, frame, FRAMES, &end);
	if (n < 0 || sberf_symbolize(s, frame, (size_t)n, 0, &names)) {
		fprintf(stderr, "%s\n", sberf_error(s));
		return 1;
	}
	for (int i = 0; i < n && out; i++) {
		const struct sberf_name *name = &names->name[i];

		for (uint32_t k = 0; k < name->nr_functions; k++)
			printf("%s %s:%u\n", name->functions[k].name, name->functions[k].file, name->functions[k].line);
		if (!name->nr_functions)
			printf("?? %s\n", sberf_why_text(name->why));
		if (!frame[i].address)
			printf("no address\n");
	}
	if (out)
		printf("%s\n", end.name);
	sberf_names_free(names);
	return 0;
}

/* The stack of the first thread of PID, which is stopped meanwhile; addresses as debuggers have them. */
static int print_stack_of(pid_t pid)
{
	static char stack[8 << 20];
	struct sberf_frame frame[1024];
	uint64_t regs[SBERF_REGISTERS_MAX];
	struct sberf_names *names;
	struct sberf_segment seg;
	struct sberf_capture c;
	struct sberf_end end;
	struct sberf *s;
	int n;

	if (ptrace(PTRACE_SEIZE, pid, 0, 0) || ptrace(PTRACE_INTERRUPT, pid, 0, 0) || waitpid(pid, NULL, 0) != pid)
		return 1;
	capture(pid, regs, stack, sizeof(stack), &seg, &c);
	ptrace(PTRACE_DETACH, pid, 0, 0);
	if (sberf_open(&s, NULL))
		return 1;
	n = sberf_unwind(s, &c, frame, 1024, &end);
	if (n < 0 || sberf_symbolize(s, frame, (size_t)n, SBERF_FUNCTIONS_ONLY, &names))
		return 1;
	for (int i = 0; i < n; i++)
		printf("%#llx %s\n", (unsigned long long)frame[i].address + (i > 0),
		       names->name[i].nr_functions ? names->name[i].functions[0].name : "??");
	printf("%s\n", end.name);
	sberf_names_free(names);
	sberf_close(s);
	return 0;
}

static void check(const char *what, int good)
{
	printf("%s %s\n", good ? "ok" : "WRONG", what);
}

static int count_modules(const struct sberf_module *m, void *arg)
{
	unsigned int *n = arg;

	n[0]++;
	n[1] += strstr(m->path, "libc.so") != NULL;
	n[2] += m->build_id != NULL;
	n[3] += m->start >= m->end;
	return 0;
}

static int stop_at_once(const struct sberf_module *m, void *arg)
{
	return 42;
}

static void check_processes(struct sberf *s, pid_t pid)
{
	unsigned int n[4] = { 0 };
	struct sberf_module m;

	check("a process that does not exist", sberf_process_add(s, 4194304) == -ESRCH && *sberf_error(s));
	check("process 0", sberf_process_add(s, 0) == -ESRCH);
	check("a process", sberf_process_add(s, pid) == 0 && !*sberf_error(s));
	check("a process again", sberf_process_add(s, pid) == 0);
	check("its modules", sberf_modules(s, pid, count_modules, n) == 0 && n[0] >= 3 && n[1] == 1 && n[2] >= 2 &&
	      !n[3]);
	check("its first module", sberf_modules(s, pid, stop_at_once, NULL) == 42);
	check("a module that does not exist", sberf_module_info(s, 12345, &m) == -ENOENT);
	check("forgetting it", sberf_process_forget(s, pid) == 0 && sberf_process_forget(s, pid) == 0);
}

static void check_structures(pid_t pid)
{
	struct {
		struct sberf_options o;
		uint64_t newer;
	} longer = { .o.size = sizeof(longer) };
	struct sberf_options o = { .size = 4 };
	struct sberf *s = NULL;

	check("a structure of a wrong size", sberf_open(&s, &o) == -EINVAL && !s);
	o.size = sizeof(size_t);
	check("a shorter structure", sberf_open(&s, &o) == 0);
	sberf_close(s);
	check("a longer structure with nothing new", sberf_open(&s, &longer.o) == 0);
	sberf_close(s);
	s = NULL;
	longer.newer = 1;
	check("a longer structure with something new", sberf_open(&s, &longer.o) == -EINVAL && !s);
	o = (struct sberf_options){ .size = sizeof(o), .mode = 77 };
	check("a mode that does not exist", sberf_open(&s, &o) == -EINVAL);
	sberf_close(NULL);
	sberf_names_free(NULL);
}

static void check_captures(struct sberf *s, pid_t pid)
{
	const struct sberf_segment bad = { .address = UINT64_MAX - 10, .bytes = "", .length = 100 };
	const uint64_t regs[SBERF_REGISTERS_MAX] = { 0 };
	struct sberf_capture c = { .size = sizeof(c), .pid = pid, .nr_registers = 1000, .registers = regs };
	struct sberf_frame frame[4];
	struct sberf_end end;

	check("too many registers", sberf_unwind(s, &c, frame, 4, &end) == -EINVAL);
	c.nr_registers = 17;
	c.nr_segments = 1;
	c.segments = &bad;
	check("a segment behind the end", sberf_unwind(s, &c, frame, 4, &end) == -EINVAL);
	c.nr_segments = 0;
	check("nothing to unwind", sberf_unwind(s, &c, frame, 4, &end) == 0 && end.reason);
	c.pid = 4194304;
	check("a capture of no process", sberf_unwind(s, &c, frame, 4, &end) == -ESRCH);
	check("registers that are cut", sberf_registers(regs, 8, (uint64_t *)regs) < 0);
}

static void check_names(struct sberf *s, pid_t pid)
{
	const uint64_t at[] = { (uint64_t)(uintptr_t)middle, 0x10, UINT64_MAX };
	struct sberf_frame frame[3] = { 0 }, file;
	struct sberf_names *names = NULL;
	uint32_t module;

	check("addresses", sberf_locate(s, pid, at, 2, 0, frame) == 1 && frame[1].module == SBERF_MODULE_NONE);
	check("their names", sberf_symbolize(s, frame, 2, 0, &names) == 0 && names->n == 2 &&
	      !strcmp(names->name[0].functions[0].name, "middle") && names->name[1].nr_functions == 0 &&
	      names->name[1].why == SBERF_NO_MODULE);
	sberf_names_free(names);
	check("flags that do not exist", sberf_symbolize(s, frame, 2, 0x80, &names) == -EINVAL);
	check("a frame of no module", (frame[0].module = 9999, sberf_symbolize(s, frame, 1, 0, &names)) == 0 &&
	      names->name[0].why == SBERF_NO_MODULE);
	sberf_names_free(names);
	check("a file that does not exist", sberf_file_add(s, "/nonexistent", &module) == -ENOENT && *sberf_error(s));
	check("a file that is none of code", sberf_file_add(s, "/etc/passwd", &module) == -ENOEXEC);
	check("a device", sberf_file_add(s, "/dev/zero", &module) < 0);
	check("a build-id of nobody", sberf_build_id_add(s, (const uint8_t *)"0123456789", 10, &module) == -ENOENT);
	check("a build-id of one byte", sberf_build_id_add(s, (const uint8_t *)"0", 1, &module) == -EINVAL);
	check("a file", sberf_file_add(s, "/proc/self/exe", &module) == 0);
	check("a folder that does not exist", sberf_folder_add(s, "/nonexistent") == -ENOENT && *sberf_error(s));
	check("a folder without programs", sberf_folder_add(s, "/proc/self/fdinfo") == 0);
	check("a program as a folder", sberf_folder_add(s, "/proc/self/exe") == 1);
	check("nothing in it", sberf_file_place(s, module, 0x7fffffff0000, &file) == -ENOENT);
}

static void check_events(struct sberf *s)
{
	const struct sberf_event fork_event = { .size = sizeof(fork_event), .kind = SBERF_EVENT_FORK, .pid = 4194303,
						.tid = 4194303, .time_ns = 1, .parent_pid = getpid(),
						.parent_tid = getpid() };
	struct sberf_event ev = fork_event;
	struct sberf_frame frame;
	const uint64_t at = (uint64_t)(uintptr_t)middle;

	check("a child by its event", sberf_process_event(s, &fork_event) == 0);
	check("which has what its parent has", sberf_locate(s, 4194303, &at, 1, 0, &frame) == 1);
	ev = (struct sberf_event){ .size = sizeof(ev), .kind = SBERF_EVENT_MAP, .pid = 4194303, .tid = 4194303,
				   .time_ns = 2, .start = at & ~4095ull, .length = 4096, .protection = 1,
				   .path = "//anon" };
	check("memory that replaces it", sberf_process_event(s, &ev) == 0 &&
	      sberf_locate(s, 4194303, &at, 1, 0, &frame) == 0);
	ev.kind = 99;
	check("an event of no kind", sberf_process_event(s, &ev) == -EINVAL);
	ev.kind = SBERF_EVENT_MAP;
	ev.path = NULL;
	check("a mapping without a path", sberf_process_event(s, &ev) == -EINVAL);
}

/* Code that is unmapped is gone once that is said. */
static void check_unmapped(struct sberf *s)
{
	const int fd = open("/proc/self/exe", O_RDONLY);
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	const uint64_t at = (uint64_t)(uintptr_t)code + 64;
	const struct sberf_event ev = { .size = sizeof(ev), .kind = SBERF_EVENT_UNMAP, .pid = getpid(),
				       .tid = getpid() };
	struct sberf_frame frame;

	check("this process again", sberf_process_forget(s, getpid()) == 0);
	check("code that was mapped", code != MAP_FAILED && sberf_locate(s, getpid(), &at, 1, 0, &frame) == 1);
	munmap(code, 4096);
	check("code that was unmapped", sberf_process_event(s, &ev) == 0 &&
	      sberf_locate(s, getpid(), &at, 1, 0, &frame) == 0);
	close(fd);
}

static long bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static int make_map(uint32_t type, uint32_t value, uint32_t n)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = type;
	attr.key_size = 4;
	attr.value_size = value;
	attr.max_entries = n;
	return (int)bpf(BPF_MAP_CREATE, &attr);
}

static int has_space(int map, pid_t pid)
{
	static struct sberf_space space;
	const uint32_t key = (uint32_t)pid;
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)map;
	attr.key = (uintptr_t)&key;
	attr.value = (uintptr_t)&space;
	return !bpf(BPF_MAP_LOOKUP_ELEM, &attr);
}

/* A record of PID, so that its rules are put in. */
static int take_record(struct sberf *s, pid_t pid, uint64_t token)
{
	const struct sberf_record rec = { .size = sizeof(rec), .version = SBERF_RECORD_VERSION, .token = token,
					  .time_ns = 1, .memory = 7, .pid = (uint32_t)pid, .tid = (uint32_t)pid,
					  .machine = SBERF_RECORD_MACHINE, .nr_regs = SBERF_RECORD_REGS };

	return sberf_take(s, &rec, sizeof(rec), NULL, NULL);
}

/* What is in the maps of BPF programs goes with the process that it is about, and with what that had mapped. */
static void check_rules(struct sberf *s, pid_t pid)
{
	struct sberf_bpf_maps maps = { .size = sizeof(maps), .nr_rows = 100000 };
	struct sberf_event ev = { .size = sizeof(ev), .kind = SBERF_EVENT_UNMAP, .pid = pid, .tid = pid };

	maps.spaces = make_map(BPF_MAP_TYPE_HASH, sizeof(struct sberf_space), 16);
	maps.rows = make_map(BPF_MAP_TYPE_ARRAY, sizeof(struct sberf_row), maps.nr_rows);
	if (maps.spaces < 0 && errno == EPERM)
		return;
	check("maps", maps.spaces >= 0 && maps.rows >= 0 && sberf_bpf_use(s, &maps) == 0);
	check("a record", take_record(s, pid, 1) == 0 && has_space(maps.spaces, pid));
	check("code is unmapped: what was put in is gone", sberf_process_event(s, &ev) == 0 &&
	      !has_space(maps.spaces, pid));
	check("it comes back", take_record(s, pid, 2) == 0 && has_space(maps.spaces, pid));
	ev.kind = SBERF_EVENT_EXIT;
	ev.tid++;
	check("a thread ends: nothing is gone", sberf_process_event(s, &ev) == 0 && has_space(maps.spaces, pid));
	check("forgotten: it is", sberf_process_forget(s, pid) == 0 && !has_space(maps.spaces, pid));
	check("and back", take_record(s, pid, 3) == 0 && has_space(maps.spaces, pid));
	ev.tid = pid;
	check("the process ends: it is gone", sberf_process_event(s, &ev) == 0 && !has_space(maps.spaces, pid));
	close(maps.spaces);
	close(maps.rows);
}

static void *in_thread(void *arg)
{
	struct sberf *s;
	long wrong = 0;

	for (int i = 0; i < 20; i++) {
		const uint64_t at[] = { (uint64_t)(uintptr_t)middle, (uint64_t)(uintptr_t)&in_thread };
		struct sberf_names *names = NULL;
		struct sberf_frame frame[2];

		if (sberf_open(&s, NULL))
			return (void *)1;
		wrong += sberf_locate(s, getpid(), at, 2, 0, frame) != 2 || sberf_symbolize(s, frame, 2, 0, &names) ||
			strcmp(names->name[0].functions[0].name, "middle");
		sberf_names_free(names);
		sberf_close(s);
	}
	return (void *)wrong;
}

static void check_threads(void)
{
	pthread_t t[2];
	void *wrong[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, in_thread, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], &wrong[i]);
	check("two handles in two threads", !wrong[0] && !wrong[1]);
}

static int check_all(pid_t pid)
{
	struct sberf_stats st = { .size = sizeof(st) };
	struct sberf *s;

	if (sberf_open(&s, NULL))
		return 1;
	check_structures(pid);
	check_processes(s, pid);
	check_captures(s, pid);
	check_names(s, pid);
	check_events(s);
	check_unmapped(s);
	check_rules(s, pid);
	check("figures", sberf_stats(s, &st) == 0 && st.processes >= 2 && st.files_read >= 1 && st.bytes > 1000);
	sberf_cancel(s);
	sberf_close(s);
	check_threads();
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const modes[] = { "fallback", "force", "fp", "off" };
	struct sberf_options o = { .size = sizeof(o) };
	struct sberf *s;
	pid_t pid;
	int rc;

	if (argc == 3 && !strcmp(argv[1], "of"))
		return print_stack_of(atoi(argv[2]));
	pid = start_child();

	for (uint32_t i = 0; argc > 1 && i < 4; i++)
		if (!strcmp(argv[1], modes[i]))
			o.mode = i;
	if (argc > 2)
		o.flags = SBERF_BACKGROUND;
	if (argc > 1 && !strcmp(argv[1], "wrong")) {
		rc = check_all(pid);
	} else if ((rc = sberf_open(&s, &o)) == 0) {
		rc = print_stack(s, pid, 1);
		sberf_close(s);
	}
	end_child(pid);
	return rc != 0;
}
