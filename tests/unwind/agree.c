// SPDX-License-Identifier: BSD-2-Clause
/*
 * agree.c - walks many raw captures of a program and compares each with libdwfl's walk of the same
 * bytes and with the truth.
 *
 *	agree [-n CAPTURES] [-c CAP] [-e NAME,...] [-t] [-r] [-x] [-k CUT] [-m PERCENT] [-p PERCENT] [-w FILE] [-v]
 *	      PROGRAM [ARGS]
 *
 * -e: these functions must stand in every complete chain, in this order from the root; NAME*N means
 * N times in a row. -t: the captures are of new threads, at their first instruction and at some of
 * the next ones. -r: PROGRAM is removed from the disk before it is walked. -x: libdwfl is not asked
 * (it has no rule for this code: frame pointers, musl's libc). -k CUT: every chain must be cut for
 * this reason. -m: at most this many percent may lack the names of -e (10: a capture may land
 * between two rounds of the work). -p: at least this many percent of the chains must be complete
 * (100). -w: the first capture is written to FILE as a fixture (fixture.h). Prints one line of
 * figures; exit status 1 when a chain differs, too many lack a name, or too few are complete.
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
#include <time.h>

#define THREAD_STEPS 20          /* instructions of a new thread that are looked at */
#define SHOW_MAX 3               /* chains that are printed when something is wrong */
#define TIME_MAX 900             /* seconds; then the test is killed. It gets a CPU while nobody else wants it */

struct options {
	unsigned int captures;
	size_t cap;
	char *expect;
	const char *cut, *write_to;
	bool no_oracle, verbose, threads, removed;
	double percent, unnamed;
};

struct figures {
	unsigned int captures, complete, agree, longer, differ, unnamed, wrong_cut, shown;
	unsigned int cut[CUT_NR];
	uint64_t frames;
};

static struct chain chain;
static struct oracle_chain oracle;

static bool same_place(const struct fixture *fx, unsigned int i)
{
	uint64_t ours = fixture_address(fx, &chain.frame[i]);

	/*
	 * libdwfl looks one byte before the sigreturn code and before a coroutine's end, although
	 * nobody called them.
	 */
	return ours == oracle.lookup[i] || (ours == oracle.lookup[i] + 1 &&
					    (i + 1 == oracle.n || oracle.signal[i + 1]));
}

static void compare(const struct fixture *fx, struct figures *f)
{
	unsigned int n = chain.n < oracle.n ? chain.n : oracle.n;

	for (unsigned int i = 0; i < n; i++)
		if (!same_place(fx, i)) {
			f->differ++;
			return;
		}
	if (chain.n == oracle.n)
		f->agree++;
	else if (chain.n > oracle.n)
		f->longer++;
	else
		f->differ++;
}

/* How often the name at *WORD must stand in a row; cuts the "*N" off. */
static unsigned int repeat_of(char *word)
{
	char *star = strchr(word, '*');

	if (!star)
		return 1;
	*star = '\0';
	return (unsigned int)atoi(star + 1);
}

static bool has_names(Dwfl *dwfl, const struct fixture *fx, const char *expect)
{
	AUTO_FREE char *copy = strdup(expect);
	unsigned int at = chain.n;

	for (char *word = copy ? strtok(copy, ",") : NULL; word; word = strtok(NULL, ",")) {
		unsigned int want = repeat_of(word), have = 0;

		while (at > 0 && have < want) {
			bool is = strcmp(oracle_name(dwfl, fixture_address(fx, &chain.frame[--at])), word) == 0;

			if (!is && have > 0)
				return false;
			have += is;
		}
		if (have < want)
			return false;
	}
	return true;
}

static void print_chain(Dwfl *dwfl, const struct fixture *fx)
{
	printf("# cut %s, bytes used %u, oracle %u frames\n", cut_info(chain.cut)->name, chain.bytes_used, oracle.n);
	for (unsigned int i = 0; i < chain.n || i < oracle.n; i++) {
		uint64_t a = i < chain.n ? fixture_address(fx, &chain.frame[i]) : 0;

		if (i == 40)
			break;
		printf("#   %2u %16llx %-30s  oracle %16llx %s\n", i, (unsigned long long)a,
		       a ? oracle_name(dwfl, a) : "", i < oracle.n ? (unsigned long long)oracle.lookup[i] : 0,
		       i < oracle.n ? oracle_name(dwfl, oracle.lookup[i]) : "");
	}
}

/* Was the capture between BEFORE and F one that a person wants to see? */
static bool is_news(const struct figures *before, const struct figures *f, const struct options *o)
{
	return f->differ > before->differ || f->unnamed > before->unnamed || f->wrong_cut > before->wrong_cut ||
	       (f->complete == before->complete && !o->cut);
}

static void look(pid_t pid, struct fixture *fx, const struct options *o, struct unwinder *u, struct figures *f)
{
	struct unwind_space space = fixture_space(fx);
	struct figures before = *f;
	Dwfl *dwfl = oracle_open(pid);

	unwind_sample(u, &space, &fx->input, &chain);
	f->captures++;
	f->frames += chain.n;
	f->cut[chain.cut]++;
	f->complete += chain.cut == CUT_COMPLETE;
	oracle.n = 0;
	if (dwfl && !o->no_oracle) {
		oracle_walk(dwfl, pid, fx, &oracle);
		compare(fx, f);
	}
	if (dwfl && o->expect && chain.cut == CUT_COMPLETE && !has_names(dwfl, fx, o->expect))
		f->unnamed++;
	if (o->cut && strcmp(cut_info(chain.cut)->name, o->cut) != 0)
		f->wrong_cut++;
	if (dwfl && (o->verbose || (f->shown < SHOW_MAX && is_news(&before, f, o)))) {
		f->shown++;
		print_chain(dwfl, fx);
	}
	if (dwfl)
		dwfl_end(dwfl);
}

/* Lets the target run for a moment of varying length: captures must land in different places. */
static void let_run(pid_t pid, unsigned int nr)
{
	struct timespec ts = { .tv_nsec = 200000 + nr * 7919 % 1000 * 1000 };

	ptrace(PTRACE_CONT, pid, 0, 0);
	nanosleep(&ts, NULL);
}

static bool write_fixture(const char *path, const struct fixture *fx)
{
	AUTO_FILE FILE *f = fopen(path, "we");

	return f && fixture_write(f, fx, &chain);
}

static bool capture(pid_t pid, pid_t tid, struct target_files *files, const struct options *o, struct unwinder *u,
		    struct figures *f)
{
	struct fixture fx;

	if (!target_capture(pid, tid, o->cap, files, NULL, &fx))
		return false;
	look(pid, &fx, o, u, f);
	if (o->write_to && f->captures == 1 && !write_fixture(o->write_to, &fx))
		fprintf(stderr, "%s cannot be written\n", o->write_to);
	fixture_free(&fx);
	return true;
}

/* The new thread TID, which has not run yet: there, and after each of some steps. */
static void look_at_thread(pid_t pid, pid_t tid, struct target_files *files, const struct options *o,
			   struct unwinder *u, struct figures *f)
{
	int status;

	for (unsigned int i = 0; i < THREAD_STEPS && f->captures < o->captures; i++) {
		if (!capture(pid, tid, files, o, u, f) || ptrace(PTRACE_SINGLESTEP, tid, 0, 0) < 0 ||
		    waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
			return;
	}
	ptrace(PTRACE_CONT, tid, 0, 0);
}

static void look_at_threads(pid_t pid, struct target_files *files, const struct options *o, struct unwinder *u,
			    struct figures *f)
{
	int status;

	ptrace(PTRACE_CONT, pid, 0, 0);
	while (f->captures < o->captures) {
		pid_t tid = waitpid(-1, &status, __WALL);

		if (tid < 0)
			return;
		if (!WIFSTOPPED(status))
			continue;
		if (tid != pid && status >> 16 == PTRACE_EVENT_STOP)
			look_at_thread(pid, tid, files, o, u, f);
		else
			ptrace(PTRACE_CONT, tid, 0, 0);
	}
}

static int run(char **argv, const struct options *o, struct figures *f)
{
	struct unwinder *u = unwinder_new();
	struct target_files files = { 0 };
	pid_t pid = target_start(argv);

	if (pid < 0 || ptrace(PTRACE_SEIZE, pid, 0, o->threads ? PTRACE_O_TRACECLONE : 0) < 0)
		return 1;
	if (o->removed)
		unlink(argv[0]);
	if (o->expect && target_stop(pid)) {
		target_settle(pid);
		ptrace(PTRACE_CONT, pid, 0, 0);
	}
	while (f->captures < o->captures && target_stop(pid)) {
		if (o->threads)
			look_at_threads(pid, &files, o, u, f);
		else if (!capture(pid, pid, &files, o, u, f))
			break;
		let_run(pid, f->captures);
	}
	kill(pid, SIGKILL);
	/* The process is not gone before its traced threads have been waited for. */
	while (waitpid(-1, NULL, __WALL) > 0)
		;
	unwinder_free(u);
	target_files_free(&files);
	return f->captures < o->captures;
}

static void print_figures(const char *what, const struct options *o, const struct figures *f)
{
	printf("# %s: captures %u, frames %llu, complete %u", what, f->captures,
	       (unsigned long long)f->frames, f->complete);
	for (int i = 1; i < CUT_NR; i++)
		if (f->cut[i])
			printf(", cut_%s %u", cut_info((unsigned int)i)->name, f->cut[i]);
	if (!o->no_oracle)
		printf("; libdwfl: same %u, shorter than ours %u, different %u", f->agree, f->longer, f->differ);
	printf("\n");
}

int main(int argc, char **argv)
{
	struct options o = { .captures = 50, .cap = 64u << 10, .percent = 100, .unnamed = 10 };
	struct figures f = { 0 };
	int c, err;

	while ((c = getopt(argc, argv, "+n:c:e:k:m:p:w:rtxv")) != -1) {
		switch (c) {
		case 'n': o.captures = (unsigned int)atoi(optarg); break;
		case 'c': o.cap = (size_t)atoi(optarg); break;
		case 'e': o.expect = optarg; break;
		case 'k': o.cut = optarg; break;
		case 'm': o.unnamed = atof(optarg); break;
		case 'p': o.percent = atof(optarg); break;
		case 'w': o.write_to = optarg; break;
		case 'r': o.removed = true; break;
		case 't': o.threads = true; break;
		case 'x': o.no_oracle = true; break;
		case 'v': o.verbose = true; break;
		default: return 2;
		}
	}
	if (optind == argc)
		return 2;
	alarm(TIME_MAX);
	err = run(argv + optind, &o, &f);
	print_figures(argv[optind], &o, &f);
	return err || f.differ || f.wrong_cut || f.unnamed > o.unnamed / 100 * f.captures ||
	       (!o.cut && f.complete < o.percent / 100 * f.captures);
}
