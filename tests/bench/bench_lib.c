/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_lib.c - what a frame and a name cost through libsberf, and through libdwfl, which other tools use:
 *
 *	bench_lib [DEPTH]
 *
 * A child waits DEPTH calls deep (30) in a function without frame pointers. Its stack is unwound and named by both,
 * in turns; the figures are medians of the rounds.
 */
#include "config.h"

#include "base/clock.h"

#include <elf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <sberf/symbolize.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 15
#define OURS 2000                        /* stacks in a round */
#define THEIRS 40
#define FRAMES 512
#define STACK_BYTES (256u << 10)

static volatile int sink;

__attribute__((noipa)) static int deeper(int n)
{
	volatile char room[64] = { 0 };

	if (!n)
		return pause();
	return deeper(n - 1) + room[n & 63];
}

/* What the child was doing. */
struct moment {
	uint64_t regs[SBERF_REGISTERS_MAX];
	char stack[STACK_BYTES];
	struct sberf_segment segment;
	struct sberf_capture capture;
};

static bool take_moment(pid_t pid, struct moment *m)
{
	char raw[1024];
	struct iovec iov = { raw, sizeof(raw) }, to = { m->stack, sizeof(m->stack) }, from;
	ssize_t got;
	int n;

	if (ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &iov))
		return false;
	n = sberf_registers(raw, iov.iov_len, m->regs);
	if (n < 0)
		return false;
	m->segment = (struct sberf_segment){ .address = m->regs[n == 17 ? 7 : 31] - 128, .bytes = m->stack };
	from = (struct iovec){ (void *)(uintptr_t)m->segment.address, to.iov_len };
	while ((got = process_vm_readv(pid, &to, 1, &from, 1, 0)) < 0 && from.iov_len > 4096)
		to.iov_len = from.iov_len -= 4096;
	m->segment.length = got > 0 ? (uint32_t)got : 0;
	m->capture = (struct sberf_capture){ .size = sizeof(m->capture), .pid = pid, .nr_registers = (uint32_t)n,
					     .registers = m->regs, .nr_segments = 1, .segments = &m->segment };
	return got > 0;
}

static int count_frame(Dwfl_Frame *frame, void *arg)
{
	Dwarf_Addr pc;
	bool isactivation;

	if (dwfl_frame_pc(frame, &pc, &isactivation))
		((Dwarf_Addr *)arg)[1 + ((Dwarf_Addr *)arg)[0]++ % FRAMES] = pc;
	return DWARF_CB_OK;
}

static Dwfl *open_dwfl(pid_t pid)
{
	static char *debuginfo_path;
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = dwfl_standard_find_debuginfo,
		.debuginfo_path = &debuginfo_path,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);

	if (dwfl && !dwfl_linux_proc_report(dwfl, pid) && !dwfl_report_end(dwfl, NULL, NULL) &&
	    !dwfl_linux_proc_attach(dwfl, pid, true))
		return dwfl;
	return NULL;
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v)
{
	qsort(v, ROUNDS, sizeof(*v), by_size);
	return v[ROUNDS / 2];
}

static int run(pid_t pid)
{
	static struct moment m;
	static struct sberf_frame frame[FRAMES];
	static Dwarf_Addr pcs[FRAMES + 1];
	double unwind[2][ROUNDS], name[2][ROUNDS];
	struct sberf *s;
	Dwfl *dwfl;
	int n;

	dwfl = take_moment(pid, &m) && !sberf_open(&s, NULL) ? open_dwfl(pid) : NULL;
	if (!dwfl)
		return fprintf(stderr, "bench_lib: the child cannot be looked at\n"), 1;
	n = sberf_unwind(s, &m.capture, frame, FRAMES, NULL);
	for (int r = 0; r < ROUNDS; r++) {
		struct sberf_names *names = NULL;
		uint64_t t = clock_mono_ns();

		for (int i = 0; i < OURS; i++)
			n = sberf_unwind(s, &m.capture, frame, FRAMES, NULL);
		unwind[0][r] = (double)(clock_mono_ns() - t) / OURS / n;
		t = clock_mono_ns();
		for (int i = 0; i < OURS; i++) {
			sberf_symbolize(s, frame, (size_t)n, SBERF_FUNCTIONS_ONLY, &names);
			sberf_names_free(names);
		}
		name[0][r] = (double)(clock_mono_ns() - t) / OURS / n;
		t = clock_mono_ns();
		for (int i = 0; i < THEIRS; i++) {
			pcs[0] = 0;
			dwfl_getthread_frames(dwfl, pid, count_frame, pcs);
		}
		unwind[1][r] = (double)(clock_mono_ns() - t) / THEIRS / (double)pcs[0];
		t = clock_mono_ns();
		for (int i = 0; i < THEIRS; i++)
			for (Dwarf_Addr k = 1; k <= pcs[0] && k <= FRAMES; k++) {
				Dwfl_Module *module = dwfl_addrmodule(dwfl, pcs[k] - 1);

				sink += module && dwfl_module_addrname(module, pcs[k] - 1);
			}
		name[1][r] = (double)(clock_mono_ns() - t) / THEIRS / (double)pcs[0];
	}
	printf("a stack of %d frames (libdwfl: %llu)\n", n, (unsigned long long)pcs[0]);
	printf("unwinding a frame: libsberf %.0f ns, libdwfl %.0f ns: %.0f times\n", median(unwind[0]),
	       median(unwind[1]), median(unwind[1]) / median(unwind[0]));
	printf("naming a frame:    libsberf %.0f ns, libdwfl %.0f ns: %.0f times\n", median(name[0]), median(name[1]),
	       median(name[1]) / median(name[0]));
	dwfl_end(dwfl);
	sberf_close(s);
	return 0;
}

int main(int argc, char **argv)
{
	const int depth = argc > 1 ? atoi(argv[1]) : 30;
	const pid_t pid = fork();
	int rc;

	if (!pid) {
		sink = deeper(depth);
		_exit(0);
	}
	usleep(100000);
	if (ptrace(PTRACE_SEIZE, pid, 0, 0) || ptrace(PTRACE_INTERRUPT, pid, 0, 0) || waitpid(pid, NULL, 0) != pid)
		return fprintf(stderr, "bench_lib: cannot stop a child: %s\n", strerror(errno)), 1;
	rc = run(pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return rc;
}
