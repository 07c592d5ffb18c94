// SPDX-License-Identifier: BSD-2-Clause
/*
 * step.c - walks a program at every single instruction and compares with the truth.
 *
 *	step [-n STEPS] [-c CUT] PROGRAM [ARGS]
 *
 * The program is run from its first instruction (in ld.so, or its own entry) by PTRACE_SINGLESTEP.
 * A call instruction pushes its return address on a shadow stack, a return pops one; so at each
 * instruction every return address of the chain is known, whatever the prologue or epilogue has
 * done so far. Exit status 1 when any chain differs, or more than CUT are not complete (0).
 */
#include "config.h"

#include "tests/unwind/oracle.h"
#include "tests/unwind/target.h"

#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#define CAP (32u << 10)
#define SHOW_MAX 5
#define TIME_MAX 900             /* seconds; then the test is killed. It gets a CPU while nobody else wants it */

struct shadow {
	VEC(uint64_t) ra;
};

struct figures {
	unsigned long steps, walks, frames, calls, wrong, lost;
};

static struct chain chain;

static pid_t start(char *const argv[])
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[0], argv);
		_exit(127);
	}
	return waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) ? pid : -1;
}

/* Skips the prefixes that calls and returns may have. */
static const uint8_t *opcode(const uint8_t *p)
{
	while (*p == 0xf2 || *p == 0xf3 || *p == 0x3e || *p == 0x66 || *p == 0x67 || (*p & 0xf0) == 0x40)
		p++;
	return p;
}

static bool is_call(const uint8_t *code)
{
	const uint8_t *p = opcode(code);

	return *p == 0xe8 || (*p == 0xff && (p[1] & 0x38) == 0x10);
}

static bool is_return(const uint8_t *code)
{
	const uint8_t *p = opcode(code);

	return *p == 0xc3 || *p == 0xc2;
}

static void peek(pid_t pid, uint64_t addr, void *dst)
{
	for (size_t i = 0; i < 16; i += 8) {
		long word = ptrace(PTRACE_PEEKDATA, pid, (void *)(uintptr_t)(addr + i), 0);

		memcpy((char *)dst + i, &word, 8);
	}
}

static bool one_step(pid_t pid)
{
	int status;

	if (ptrace(PTRACE_SINGLESTEP, pid, 0, 0) < 0 || waitpid(pid, &status, 0) != pid)
		return false;
	return WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
}

/* Keeps the shadow stack while the instruction CODE, at PC with SP, is done. */
static bool follow(pid_t pid, const struct fixture *fx, struct shadow *sh, struct figures *f)
{
	uint64_t pc = fx->input.regs[16], word[2];
	uint8_t code[16];
	bool call, ret;

	peek(pid, pc, code);
	call = is_call(code);
	ret = is_return(code);
	if (!one_step(pid))
		return false;
	if (call) {
		peek(pid, fx->input.regs[7] - 8, word);
		if (word[0] > pc && word[0] - pc < 16 && vec_reserve(&sh->ra, 1)) {
			sh->ra.v[sh->ra.n++] = word[0];
			f->calls++;
		}
	} else if (ret) {
		uint64_t to = (uint64_t)ptrace(PTRACE_PEEKUSER, pid, (void *)(16 * 8), 0);

		/* A lazy resolver may return to a function that nobody called; then nothing is popped. */
		if (sh->ra.n && sh->ra.v[sh->ra.n - 1] == to)
			sh->ra.n--;
	}
	return true;
}

static bool is_right(const struct fixture *fx, const struct shadow *sh)
{
	/* Below the outermost call that was seen there is one frame more, the entry point's. */
	if (chain.cut != CUT_COMPLETE || chain.n != sh->ra.n + 1)
		return false;
	for (uint32_t i = 1; i < chain.n; i++)
		if (fixture_address(fx, &chain.frame[i]) + 1 != sh->ra.v[sh->ra.n - i])
			return false;
	return fixture_address(fx, &chain.frame[0]) == fx->input.regs[16];
}

static void show(pid_t pid, const struct fixture *fx, const struct shadow *sh)
{
	Dwfl *dwfl = oracle_open(pid);

	printf("# pc %llx: cut %s, %u frames, %zu calls open\n", (unsigned long long)fx->input.regs[16],
	       cut_info(chain.cut)->name, chain.n, sh->ra.n);
	for (uint32_t i = 0; dwfl && i < 8 && (i < chain.n || i <= sh->ra.n); i++) {
		uint64_t ours = i < chain.n ? fixture_address(fx, &chain.frame[i]) : 0;
		uint64_t truth = i == 0 ? fx->input.regs[16] : i <= sh->ra.n ? sh->ra.v[sh->ra.n - i] - 1 : 0;

		printf("#   %8llx %16llx %-24s true %16llx %s\n",
		       i < chain.n ? (unsigned long long)chain.frame[i].offset : 0, (unsigned long long)ours,
		       ours ? oracle_name(dwfl, ours) : "", (unsigned long long)truth,
		       truth ? oracle_name(dwfl, truth) : "");
	}
	if (dwfl)
		dwfl_end(dwfl);
}

/* A capture with the mappings of the last one, unless the walk then leaves them: ld.so is mapping all the time. */
static bool capture(pid_t pid, struct target_files *files, struct unwinder *u, struct fixture *last, struct fixture *fx)
{
	struct unwind_space space = fixture_space(fx);

	if (last->maps.n && target_capture(pid, pid, CAP, files, last, fx)) {
		unwind_sample(u, &space, &fx->input, &chain);
		if (chain.cut == CUT_COMPLETE)
			return true;
		fixture_free(fx);
	}
	return target_capture(pid, pid, CAP, files, NULL, fx);
}

static void check(pid_t pid, struct unwinder *u, struct fixture *fx, const struct shadow *sh, struct figures *f)
{
	struct unwind_space space = fixture_space(fx);

	unwind_sample(u, &space, &fx->input, &chain);
	f->walks++;
	f->frames += chain.n;
	if (is_right(fx, sh))
		return;
	if (chain.cut == CUT_COMPLETE)
		f->wrong++;
	else
		f->lost++;
	if (f->wrong + f->lost <= SHOW_MAX)
		show(pid, fx, sh);
}

static void run(pid_t pid, unsigned long steps, struct figures *f)
{
	struct unwinder *u = unwinder_new();
	struct target_files files = { 0 };
	struct shadow sh = { 0 };
	struct fixture fx = { 0 }, last = { 0 };

	for (f->steps = 0; f->steps < steps && capture(pid, &files, u, &last, &fx); f->steps++) {
		check(pid, u, &fx, &sh, f);
		fixture_free(&last);
		last = fx;
		if (!follow(pid, &last, &sh, f))
			break;
	}
	fixture_free(&last);
	vec_free(&sh.ra);
	unwinder_free(u);
	target_files_free(&files);
}

int main(int argc, char **argv)
{
	unsigned long steps = 1000000, cut_max = 0;
	struct figures f = { 0 };
	pid_t pid;
	int c;

	while ((c = getopt(argc, argv, "+c:n:")) != -1) {
		switch (c) {
		case 'n': steps = strtoul(optarg, NULL, 10); break;
		case 'c': cut_max = strtoul(optarg, NULL, 10); break;
		default: return 2;
		}
	}
	if (optind == argc)
		return 2;
	pid = start(argv + optind);
	if (pid < 0)
		return 1;
	alarm(TIME_MAX);
	run(pid, steps, &f);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, __WALL);
	printf("# %s: instructions %lu, walks %lu, calls %lu, frames %lu, not complete %lu, wrong %lu\n",
	       argv[optind], f.steps, f.walks, f.calls, f.frames, f.lost, f.wrong);
	return f.wrong || f.lost > cut_max || f.walks == 0;
}
