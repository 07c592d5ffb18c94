/* SPDX-License-Identifier: BSD-2-Clause */
/* optable.c - the tables. To add an option: a row here and a field in struct options. */
#include "config.h"

#include "cmd/optable.h"

#include "base/clock.h"
#include "event/event.h"

#include <stdio.h>
#include <string.h>

#define LINUX_PID_MAX 4194304u           /* PID_MAX_LIMIT of 64-bit kernels, include/linux/threads.h */
#define LINUX_CPU_MAX 8191u              /* NR_CPUS of the largest kernels, less one */

#define FIELD(name) offsetof(struct options, name)

const char *const section_titles[NR_SECTIONS] = {
	[SECTION_TARGET] = "Target",
	[SECTION_CAPTURE] = "Capture",
	[SECTION_FILTER] = "What is shown",
	[SECTION_SYMBOLS] = "Names",
	[SECTION_OUTPUT] = "Output",
	[SECTION_OTHER] = "Other",
};

static const struct opt_choice events[] = {
	{ "auto", EVENT_AUTO }, { "cycles", EVENT_CYCLES }, { "cpu-clock", EVENT_CPU_CLOCK }, { NULL, 0 },
};
static const struct opt_choice call_graphs[] = { { "dwarf", false }, { "fp", true }, { NULL, 0 } };
static const struct opt_choice formats[] = {
	{ "tree", FORMAT_TREE }, { "folded", FORMAT_FOLDED }, { "waits", FORMAT_WAITS }, { "summary", FORMAT_SUMMARY },
	{ NULL, 0 },
};
static const struct opt_choice metrics[] = {
	{ "on-cpu", KINDS_ON_CPU }, { "blocked", 1u << EVENT_BLOCKED }, { "runnable", 1u << EVENT_RUNNABLE },
	{ "off-cpu", KINDS_OFF_CPU }, { "wall", KINDS_WALL }, { NULL, 0 },
};
static const struct opt_choice groups[] = {
	{ "process", GROUP_PROCESS }, { "exe", GROUP_EXE }, { "comm", GROUP_COMM }, { "thread", GROUP_THREAD },
	{ "cgroup", GROUP_CGROUP }, { NULL, 0 },
};

const struct opt opts[] = {
	/* TARGET */
	{
		.letter = 'p', .name = "pid", .metavar = "PID[,PID...]", .type = OPT_IDS, .what = "process id",
		.section = SECTION_TARGET, .commands = CMD_CAPTURING, .target = OPT_TARGET_PIDS, .at = FIELD(ids),
		.min = 1, .max = LINUX_PID_MAX,
		.help = "these processes, with all their threads",
	}, {
		.letter = 't', .name = "tid", .metavar = "TID[,TID...]", .type = OPT_IDS, .what = "thread id",
		.section = SECTION_TARGET, .commands = CMD_CAPTURING, .target = OPT_TARGET_TIDS, .at = FIELD(ids),
		.min = 1, .max = LINUX_PID_MAX,
		.help = "these threads",
	}, {
		.letter = 'n', .name = "name", .metavar = "NAME", .type = OPT_TEXT, .what = "name",
		.section = SECTION_TARGET, .commands = CMD_CAPTURING, .target = OPT_TARGET_NAME, .at = FIELD(name),
		.help = "every process of this name that runs now",
	}, {
		.name = "cgroup", .metavar = "PATH", .type = OPT_DIR, .what = "cgroup",
		.section = SECTION_TARGET, .commands = CMD_CAPTURING, .target = OPT_TARGET_CGROUP, .at = FIELD(cgroup),
		.help = "everything in this cgroup and the cgroups below it",
		.more = "PATH is a directory of the cgroup v2 file system, or its name below the mount point, as "
			"--group-by cgroup prints it; / is the root.",
	}, {
		.letter = 'a', .name = "all", .type = OPT_FLAG,
		.section = SECTION_TARGET, .commands = CMD_CAPTURING, .target = OPT_TARGET_ALL,
		.help = "the whole machine; what top shows when nothing is named",
	},
	/* CAPTURE */
	{
		.letter = 'F', .name = "freq", .metavar = "HZ", .type = OPT_NUMBER, .what = "rate",
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(freq_hz), .min = 1, .max = 1000000,
		.fallback = "99",
		.help = "samples per second and CPU",
		.more = "The kernel grants at most kernel.perf_event_max_sample_rate.",
	}, {
		.letter = 'e', .name = "event", .metavar = "EVENT", .type = OPT_CHOICE, .what = "event",
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(event), .choices = events, .fallback = "auto",
		.help = "what makes a sample",
		.more = "cycles needs a hardware counter, sees the kernel where it keeps interrupts off, and follows the clock rate. "
			"cpu-clock is a timer, and there everywhere. auto takes cycles where they can be counted.",
	}, {
		.letter = 'C', .name = "cpu", .metavar = "CPUS", .type = OPT_LIST, .what = "CPU list",
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(cpus), .max = LINUX_CPU_MAX,
		.help = "sample on these CPUs only, such as 0-3,8",
	}, {
		.name = "kernel", .type = OPT_FLAG, .min = true,
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING | CMD_REPORT, .at = FIELD(kernel), .fallback = "",
		.help = "with kernel functions (the default)",
	}, {
		.name = "no-kernel", .type = OPT_FLAG, .min = false,
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING | CMD_REPORT, .at = FIELD(kernel),
		.help = "without kernel functions: what they took counts for their caller",
	}, {
		.name = "stack-size", .metavar = "BYTES", .type = OPT_SIZE32, .what = "stack size",
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(stack_bytes), .given = FIELD(stack_fixed),
		.min = 4096, .max = 65536, .fallback = "32K",
		.help = "copy at most this much of a stack, 4K to 64K",
		.more = "Without this option the size needed is learnt for each executable, starting from the default.",
	}, {
		.name = "call-graph", .metavar = "HOW", .type = OPT_SWITCH, .what = "call graph",
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(frame_pointers), .choices = call_graphs,
		.fallback = "dwarf",
		.help = "how stacks are walked",
		.more = "dwarf uses the unwind tables that compilers emit, and is complete on ordinary binaries; fp follows "
			"frame pointers, which most binaries do not keep.",
	}, {
		.name = "ring-size", .metavar = "BYTES", .type = OPT_SIZE, .what = "ring size",
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(ring_bytes), .min = 65536, .max = 1u << 30,
		.help = "memory between kernel and sberf, 64K to 1G",
	}, {
		.name = "delay", .metavar = "TIME", .type = OPT_TIME, .what = "delay",
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(delay_ns), .max = 24 * 3600 * NSEC_PER_SEC,
		.help = "begin to sample after this time",
	}, {
		.name = "off-cpu", .type = OPT_FLAG, .min = true,
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(off_cpu), .fallback = "",
		.help = "with the time that threads wait (the default)",
		.more = "Each wait is followed from the moment a thread leaves its CPU to the moment it runs again: what it asked "
			"the kernel for, with which stack, how long it was blocked and how long it then waited in the run queue. "
			"Running time is exact as well then.",
	}, {
		.name = "no-off-cpu", .type = OPT_FLAG, .min = false,
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(off_cpu),
		.help = "sample running threads only",
	}, {
		.name = "wakers", .type = OPT_FLAG, .min = true,
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(wakers),
		.help = "note who ends each wait, with its stack",
		.more = "Also when it is outside the target. It costs about as much again as following waits does.",
	}, {
		.name = "min-block", .metavar = "TIME", .type = OPT_TIME, .what = "shortest wait",
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(min_block_ns), .max = 3600 * NSEC_PER_SEC,
		.help = "only count waits shorter than this, without their stacks",
	},
	/* What is shown */
	{
		.name = "metric", .metavar = "METRIC", .type = OPT_CHOICE, .what = "metric",
		.section = SECTION_FILTER, .commands = CMD_TOP | CMD_REPORT, .at = FIELD(kinds), .choices = metrics,
		.help = "what to count",
		.more = "on-cpu is the time that threads ran, blocked the time until somebody woke them, runnable the time that "
			"they waited for a CPU, off-cpu both of these, and wall all of it. When not given: wall; on-cpu with "
			"--format folded, or off-cpu when --state or --syscall choose waits.",
	}, {
		.name = "state", .metavar = "STATE[,STATE...]", .type = OPT_STATES, .what = "state",
		.section = SECTION_FILTER, .commands = CMD_TOP | CMD_REPORT, .at = FIELD(states),
		.help = "only waits in these states, such as D or killable",
		.more = "R preempted, S interruptible, D uninterruptible, K killable, T stopped, t traced, X exiting, I idle, N new "
			"(not run yet). Running time is left out.",
	}, {
		.name = "syscall", .metavar = "CALL[,CALL...]", .type = OPT_TEXT, .what = "system call",
		.section = SECTION_FILTER, .commands = CMD_TOP | CMD_REPORT, .at = FIELD(syscalls),
		.help = "only waits in these system calls",
		.more = "By name, such as futex or epoll_wait, or \"page fault\", \"preempted\", \"kernel thread\". Running time is "
			"left out.",
	}, {
		.name = "thread", .metavar = "PATTERN", .type = OPT_TEXT, .what = "thread",
		.section = SECTION_FILTER, .commands = CMD_TOP | CMD_REPORT, .at = FIELD(thread),
		.help = "only threads of this name or tid; * and ? are wildcards",
	}, {
		.name = "hide-idle", .type = OPT_FLAG, .min = true,
		.section = SECTION_FILTER, .commands = CMD_REPORT, .at = FIELD(hide_idle),
		.help = "fold waits of threads that have nothing to do",
		.more = "Event waits, sleeps, and the waits of a pool's workers for work become one line.",
	}, {
		.name = "min-block", .metavar = "TIME", .type = OPT_TIME, .what = "shortest wait",
		.section = SECTION_FILTER, .commands = CMD_REPORT, .at = FIELD(min_block_ns), .max = 3600 * NSEC_PER_SEC,
		.help = "leave out waits shorter than this",
	},
	/* Names */
	{
		.name = "symfs", .metavar = "DIR", .type = OPT_DIR, .what = "directory",
		.section = SECTION_SYMBOLS, .commands = CMD_CAPTURING, .at = FIELD(symfs),
		.help = "look for binaries and their debug files under DIR first",
	}, {
		.name = "debuginfod", .type = OPT_FLAG, .min = true,
		.section = SECTION_SYMBOLS, .commands = CMD_CAPTURING, .at = FIELD(debuginfod),
		.help = "fetch missing debug files from $DEBUGINFOD_URLS",
		.more = "Nothing is ever fetched without this option.",
	}, {
		.name = "no-inline", .type = OPT_FLAG, .min = true,
		.section = SECTION_SYMBOLS, .commands = CMD_CAPTURING | CMD_REPORT, .at = FIELD(no_inline),
		.help = "without inlined functions",
	},
	/* Output */
	{
		.letter = 'd', .name = "refresh", .metavar = "SECONDS", .type = OPT_TIME, .what = "refresh",
		.section = SECTION_OUTPUT, .commands = CMD_TOP, .at = FIELD(refresh_ns), .min = 100 * NSEC_PER_MSEC,
		.max = 3600 * NSEC_PER_SEC, .fallback = "1s",
		.help = "time between two pictures",
	}, {
		.letter = 'o', .name = "output", .metavar = "FILE", .type = OPT_FILE, .what = "output file",
		.section = SECTION_OUTPUT, .commands = CMD_RECORD, .at = FIELD(output),
		.help = "the recording; sberf.data when not given",
	}, {
		.name = "duration", .metavar = "TIME", .type = OPT_TIME, .what = "duration",
		.section = SECTION_OUTPUT, .commands = CMD_RECORD, .at = FIELD(duration_ns), .min = NSEC_PER_MSEC,
		.max = 366ull * 24 * 3600 * NSEC_PER_SEC,
		.help = "stop after this time",
		.more = "Without it, recording goes on until Ctrl-C or until the target has ended.",
	}, {
		.letter = 'i', .name = "input", .metavar = "FILE", .type = OPT_FILE, .what = "recording", .positional = true,
		.section = SECTION_OUTPUT, .commands = CMD_REPORT, .at = FIELD(input),
		.help = "the recording; sberf.data when not given",
		.more = "- is standard input.",
	}, {
		.name = "format", .metavar = "FORMAT", .type = OPT_CHOICE, .what = "format",
		.section = SECTION_OUTPUT, .commands = CMD_REPORT, .at = FIELD(format), .choices = formats,
		.help = "what to write",
		.more = "tree is a call tree to read. folded has one line for each stack, its functions separated by "
			"semicolons and its weight in microseconds at the end; kernel functions end in _[k], inlined ones in "
			"_[i], those of JIT compilers in _[j]. waits lists what threads waited for: by class, system call, stack, "
			"and, when that was recorded, who ended the wait; with a histogram of lengths, and the threads that still "
			"waited in the end. summary has one \"name: value\" line for each figure (see below). ~ stands before what "
			"is mostly extrapolated. On a terminal and without this option, the recording is shown as `sberf top` would.",
	}, {
		.name = "group-by", .metavar = "GROUP", .type = OPT_CHOICE, .what = "group",
		.section = SECTION_OUTPUT, .commands = CMD_REPORT, .at = FIELD(group_by), .given = FIELD(group_given),
		.choices = groups,
		.help = "what the roots of the tree are",
		.more = "comm when not given with --format folded, process otherwise.",
	}, {
		.letter = 'o', .name = "output", .metavar = "OUT", .type = OPT_FILE, .what = "output file",
		.section = SECTION_OUTPUT, .commands = CMD_REPORT, .at = FIELD(output),
		.help = "write to this file instead of standard output",
		.more = "A recording is never replaced. - is standard output.",
	}, {
		.name = "ascii", .type = OPT_FLAG, .min = true,
		.section = SECTION_OUTPUT, .commands = CMD_TOP | CMD_REPORT, .at = FIELD(ascii),
		.help = "draw with ASCII characters only",
	}, {
		.name = "no-color", .type = OPT_FLAG, .min = true,
		.section = SECTION_OUTPUT, .commands = CMD_TOP | CMD_REPORT, .at = FIELD(no_color),
		.help = "draw the terminal view without colour, as with $NO_COLOR",
	},
	{
		.letter = 'h', .name = "help", .type = OPT_HELP,
		.section = SECTION_OTHER, .commands = CMD_ALL,
		.help = "print this and end",
	}, {
		.letter = 'V', .name = "version", .type = OPT_VERSION,
		.section = SECTION_OTHER, .commands = CMD_ALL,
		.help = "print the version of sberf and end",
	},
};

const size_t nr_opts = sizeof(opts) / sizeof(opts[0]);

static const char *const top_text[] = {
	"Shows, while it happens, where the target spends its time, running or waiting, as one call tree whose stacks are "
	"complete on ordinary optimised binaries without frame pointers.",
	"Where waits are followed each line has running, runnable and blocked time, in percent of the time that has passed: of "
	"one thread, so four busy threads have 400 %. A ~ stands before what is estimated for the most part. A wait that has not "
	"ended counts with what it has lasted so far, and says so. Waits that only idle (for events, for work, for a time) have "
	"one line at the end until w shows them; 6 lists what is waited for.",
	"Threads and child processes that start later belong to the target. When the target ends, the view stays.",
	"A command behind -- is started by sberf as the user who called it (also through sudo), with no terminal of its own, "
	"and is asked to end when the view is left.",
	NULL,
};

static const char *const top_examples[] = {
	"sberf top -n redis-server", "every process called redis-server",
	"sberf top -F 499 -- make -j2", "a build and everything it starts, at 499 samples a second",
	NULL,
};

static const char *const record_text[] = {
	"Saves what the target does, on the CPU and while it waits, into a file, with all names and line numbers, until Ctrl-C, "
	"the target's end or --duration. The file needs no binaries to be read later, on any machine.",
	"Threads and child processes that start later belong to the target.",
	"A command behind -- is started by sberf as the user who called it (also through sudo). Its exit status becomes that "
	"of sberf. When --duration is over before the command is, recording stops, the command goes on, and sberf waits for its "
	"end.",
	"Ctrl-C, SIGTERM and SIGHUP end the recording, and reach the command too; at the second one sberf no longer waits for "
	"it. SIGKILL costs a recording its last second.",
	NULL,
};

static const char *const record_examples[] = {
	"sberf record -p 1234 --duration 30s", "half a minute of process 1234 into sberf.data",
	"sberf record -o build.data -- make", "a build, from its beginning to its end",
	"sberf record -p 1234 --wakers --min-block 1ms", "with who ended each wait of a millisecond and more",
	NULL,
};

static const char *const report_text[] = {
	"Reads a recording and writes it as a tree, as folded stacks, as a list of waits or as figures for scripts.",
	NULL,
};

static const char *const report_examples[] = {
	"sberf report", "look at sberf.data in the terminal view",
	"sberf report --format folded build.data >build.folded", "input for a flame graph",
	"sberf report --format waits --syscall futex,fsync", "what threads waited for in these calls, and how long",
	"sberf report --format folded --metric off-cpu", "the same as a flame graph: where the program waits",
	NULL,
};

static const char *const doctor_text[] = {
	"Says what this kernel, this machine and this user allow, and one command for each thing that is missing.",
	NULL,
};

static const char *const doctor_examples[] = {
	"sberf doctor", "check everything",
	NULL,
};

const struct command_info command_infos[] = {
	{
		.name = "top", .bit = CMD_TOP, .synopsis = "[TARGET] [CAPTURE] [-d SECONDS]",
		.summary = "show live where the time goes", .text = top_text, .examples = top_examples,
	}, {
		.name = "record", .bit = CMD_RECORD, .synopsis = "TARGET [CAPTURE] [-o FILE] [--duration TIME]",
		.summary = "save where the time goes", .text = record_text, .examples = record_examples,
	}, {
		.name = "report", .bit = CMD_REPORT, .synopsis = "[-i FILE | FILE] [OPTIONS]",
		.summary = "read a recording", .text = report_text, .examples = report_examples,
	}, {
		.name = "doctor", .bit = CMD_DOCTOR, .synopsis = "",
		.summary = "say what is missing to measure on this machine", .text = doctor_text, .examples = doctor_examples,
	},
};

const size_t nr_command_infos = sizeof(command_infos) / sizeof(command_infos[0]);

const struct command_info *command_find(const char *name)
{
	for (size_t i = 0; i < nr_command_infos; i++)
		if (!strcmp(command_infos[i].name, name))
			return &command_infos[i];
	return NULL;
}

const char *opt_value(const struct opt *opt, char dst[OPT_VALUE_MAX])
{
	size_t used = 0;

	if (!opt->choices)
		used = (size_t)snprintf(dst, OPT_VALUE_MAX, "%s", opt->metavar);
	for (const struct opt_choice *c = opt->choices; c && c->name && used < OPT_VALUE_MAX; c++)
		used += (size_t)snprintf(dst + used, OPT_VALUE_MAX - used, "%s%s", used ? "|" : "", c->name);
	return dst;
}
