/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * optable.c - the tables of commands and options. To add an option, add a row here and a field in
 * struct options.
 */
#include "config.h"

#include "cmd/optable.h"

#include "base/clock.h"
#include "capture/source.h"
#include "model/allocation.h"
#include "model/event.h"
#include "system/cpus.h"

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
static const struct opt_choice call_graphs[] = {
	{ "fallback", CALL_GRAPH_FALLBACK }, { "force", CALL_GRAPH_FORCE }, { "fp", CALL_GRAPH_FP },
	{ "off", CALL_GRAPH_OFF }, { "dwarf", CALL_GRAPH_FALLBACK }, { "lbr", CALL_GRAPH_LBR }, { NULL, 0 },
};
static const struct opt_choice script_views[] = {
	{ "both", SCRIPTS_MERGED }, { "only", SCRIPTS_ONLY }, { "native", SCRIPTS_NATIVE }, { NULL, 0 },
};
static const struct opt_choice unwinds[] = { { "auto", UNWIND_AUTO }, { "kernel", UNWIND_KERNEL },
					     { "copy", UNWIND_COPY },
					     { NULL, 0 } };
static const struct opt_choice imports[] = {
#define X(id, name, read) { name, IMPORT_##id },
	IMPORT_FORMATS(X)
#undef X
	{ NULL, 0 },
};
static const struct opt_choice norms[] = {
	{ "total", DIFF_BY_TOTAL }, { "wall", DIFF_BY_WALL }, { "none", DIFF_BY_NONE }, { NULL, 0 },
};
static const struct opt_choice metrics[] = {
	{ "on-cpu", MEASURES_ON_CPU }, { "blocked", (uint32_t)MEASURE_BIT(MEASURE_BLOCKED) },
	  { "runnable", (uint32_t)MEASURE_BIT(MEASURE_RUNNABLE) },
	{ "off-cpu", MEASURES_OFF_CPU }, { "wall", MEASURES_WALL }, { NULL, 0 },
};
static const struct opt_choice trace_formats[] = { { "text", false }, { "json", true }, { NULL, 0 } };
static const struct opt_choice branch_ways[] = {
	{ "auto", BRANCHES_AUTO }, { "lbr", BRANCHES_LBR }, { "graph", BRANCHES_GRAPH }, { "step", BRANCHES_STEP },
	{ NULL, 0 },
};
static const struct opt_choice orientations[] = { { "icicle", false }, { "flame", true }, { NULL, 0 } };
static const struct opt_choice groups[] = {
	{ "process", GROUP_PROCESS }, { "exe", GROUP_EXE }, { "comm", GROUP_COMM }, { "thread", GROUP_THREAD },
	{ "cgroup", GROUP_CGROUP }, { "container", GROUP_CONTAINER }, { "host", GROUP_HOST }, { NULL, 0 },
};

static const struct opt_choice memory_levels[] = {
	{ "growth", MEMORY_GROWTH }, { "allocs", MEMORY_ALLOCS }, { "preload", MEMORY_PRELOAD }, { NULL, 0 },
};

const struct opt opts[] = {
	/* TARGET */
	{
		.letter = 'p', .name = "pid", .metavar = "PID[,PID...]", .type = OPT_IDS, .what = "process id",
		.section = SECTION_TARGET, .commands = CMD_TARGETING | CMD_LIST | CMD_DOCTOR, .target = OPT_TARGET_PIDS,
		.at = FIELD(ids), .min = 1, .max = LINUX_PID_MAX,
		.help = "these processes, with all their threads",
	}, {
		.letter = 'p', .name = "pid", .metavar = "PID", .type = OPT_IDS, .what = "process id",
		.section = SECTION_TARGET, .commands = CMD_SYMBOLIZE, .target = OPT_TARGET_PIDS,
		.at = FIELD(ids), .min = 1, .max = LINUX_PID_MAX,
		.help = "addresses are of this process, which runs",
	}, {
		.letter = 'e', .name = "exe", .metavar = "FILE", .type = OPT_FILE, .what = "file",
		.section = SECTION_TARGET, .commands = CMD_SYMBOLIZE, .at = FIELD(elf),
		.help = "addresses are of this ELF file, as nm and addr2line have them",
	}, {
		.name = "address", .metavar = "ADDRESS", .type = OPT_FILES, .what = "address", .positional = true,
		.section = SECTION_TARGET, .commands = CMD_SYMBOLIZE, .at = FIELD(addresses),
		.help = "an address, hexadecimal, or before all of them a build-id",
		.more = "With neither -p nor -e addresses are of the file with that build-id, which has more than 16 "
			"digits, or without one of the kernel. Where no address is given, sberf reads them from "
			"standard input, one a line, and answers each at once. With --serve these are files and "
			"folders instead.",
	}, {
		.name = "spec", .metavar = "SPEC", .type = OPT_TEXTS, .what = "function", .positional = true,
		.section = SECTION_TARGET, .commands = CMD_BRANCHES, .at = FIELD(branches_of),
		.help = "a function: u:FILE:NAME of programs and libraries, k:NAME of the kernel, bpf:NAME of BPF "
			"programs",
		.more = "It is written as a probe (sberf-probe(7)), and may have a /condition/: then only calls that "
			"meet it count. You can give several functions, each as an argument or behind a comma. "
			"Functions of the kernel may also be meant by a wildcard (k:tcp_*), with their module "
			"(k:[nf_tables]nft_*), or by their source files (k::net/core/*.c). "
			"A BPF program is bpf:NAME, bpf:ID, bpf:tag:TAG or bpf:pinned:PATH, a sub-program of it has "
			":SUB behind that (sberf bpf and sberf list 'bpf:*' show them).",
	}, {
		.letter = 't', .name = "tid", .metavar = "TID[,TID...]", .type = OPT_IDS, .what = "thread id",
		.section = SECTION_TARGET, .commands = CMD_TARGETING, .target = OPT_TARGET_TIDS, .at = FIELD(ids),
		.min = 1, .max = LINUX_PID_MAX,
		.help = "these threads",
	}, {
		.letter = 'n', .name = "name", .metavar = "NAME", .type = OPT_TEXT, .what = "name",
		.section = SECTION_TARGET, .commands = CMD_TARGETING, .target = OPT_TARGET_NAME, .at = FIELD(name),
		.help = "every process of this name, also those that start later",
		.more = "NAME is what a process is called (its comm, at most 15 characters), or the file that it "
			"executes, without folders. A process that gets this name later, by executing a program or by "
			"renaming itself, belongs to the target from that moment on, before its first instruction "
			"under the name, with everything that it starts. The capture ends with the last such process, "
			"unless --wait is given. It is an error when there is none at the beginning.",
	}, {
		.letter = 'n', .name = "name", .metavar = "NAME", .type = OPT_TEXT, .what = "name",
		.section = SECTION_TARGET, .commands = CMD_LIST, .target = OPT_TARGET_NAME, .at = FIELD(name),
		.help = "every process of this name",
	}, {
		.name = "wait", .type = OPT_FLAG, .min = true,
		.section = SECTION_TARGET, .commands = CMD_TARGETING, .at = FIELD(wait),
		.help = "wait for processes of --name to start",
		.more = "The capture begins at once, even when no process has the name yet, and goes on when the last "
			"one has ended. It ends when you stop it, or when --duration is over, which counts from the "
			"beginning. So the capture misses nothing of the first process, or of one that is started "
			"again.",
	}, {
		.name = "cgroup", .metavar = "PATH", .type = OPT_DIR, .what = "cgroup",
		.section = SECTION_TARGET, .commands = CMD_TARGETING, .target = OPT_TARGET_CGROUP, .at = FIELD(cgroup),
		.help = "everything in this cgroup and the cgroups below it",
		.more = "PATH is a directory of the cgroup v2 file system, or its name below the mount point, as "
			"--group-by cgroup prints it; / is the root.",
	}, {
		.name = "container", .metavar = "NAME", .type = OPT_TEXT, .what = "container",
		.section = SECTION_TARGET, .commands = CMD_TARGETING, .target = OPT_TARGET_CONTAINER,
		.at = FIELD(container),
		.help = "everything in this container, pod or systemd unit",
		.more = "NAME is what its tools call it, NAMESPACE/POD or NAMESPACE/POD/NAME in Kubernetes, the name "
			"of a unit such as nginx.service, or the first digits of an id. Names are read from files that "
			"Docker, containerd, k3s, CRI-O, Podman and LXC keep; no daemon is asked. In cgroup v1 it is "
			"the processes of now and those that they start.",
	}, {
		.letter = 'a', .name = "all", .type = OPT_FLAG,
		.section = SECTION_TARGET, .commands = CMD_TARGETING, .target = OPT_TARGET_ALL,
		.help = "the whole machine; top -b does this when nothing is named",
	},
	{
		.name = "replay", .metavar = "FILE", .type = OPT_FILE, .what = "raw capture",
		.section = SECTION_TARGET, .commands = CMD_RECORD, .target = OPT_TARGET_REPLAY, .at = FIELD(replay),
		.help = "unwind again what --raw-capture wrote into FILE",
		.more = "For developers of sberf. sberf captures nothing: it unwinds the samples of FILE again, with "
			"the binaries that are there now, and records them, with the waits and the hits of probes. It "
			"leaves out NUMA nodes.",
	},
	/* CAPTURE */
	{
		.letter = 'F', .name = "freq", .metavar = "HZ", .type = OPT_NUMBER, .what = "rate",
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(freq_hz), .min = 1,
		.max = CAPTURE_FREQ_MAX,
		.fallback = "99",
		.help = "samples per second and CPU",
		.more = "The kernel allows at most kernel.perf_event_max_sample_rate.",
	}, {
		.letter = 'e', .name = "event", .metavar = "EVENT", .type = OPT_CHOICE, .what = "event",
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(event), .choices = events,
		.fallback = "auto", .help = "what makes a sample",
		.more = "cycles needs a hardware counter; it also samples the kernel where interrupts are off, and "
			"follows the clock rate of the CPU. cpu-clock is a timer, which every machine has. auto takes "
			"cycles where they can be counted.",
	}, {
		.letter = 'C', .name = "cpu", .metavar = "CPUS", .type = OPT_LIST, .what = "CPU list",
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(cpus), .max = LINUX_CPU_MAX,
		.help = "sample on these CPUs only, such as 0-3,8",
	}, {
		.name = "kernel", .type = OPT_FLAG, .min = true,
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING | CMD_READING,
		.at = FIELD(kernel), .fallback = "", .help = "with kernel functions (the default)",
	}, {
		.name = "no-kernel", .type = OPT_FLAG, .min = false,
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING | CMD_READING, .at = FIELD(kernel),
		.help = "without kernel functions: their time counts for their caller",
	}, {
		.name = "stack-size", .metavar = "BYTES", .type = OPT_SIZE32, .what = "stack size",
		.section = SECTION_CAPTURE, .commands = CMD_UNWINDING, .at = FIELD(stack_bytes),
		.given = FIELD(stack_fixed), .min = 4096, .max = 65536, .fallback = "32K",
		.help = "copy at most this much of a stack, 4K to 64K",
		.more = "Without this option sberf learns the size that each executable needs. It begins with 64K, or "
			"with the default when --unwind copy is given; the copied stack of a wait is never larger than "
			"the default then. The stack of a wait that began before the capture is read as far as it "
			"goes, up to 8M.",
	}, {
		.name = "call-graph", .metavar = "HOW", .type = OPT_CHOICE, .what = "call graph",
		.section = SECTION_CAPTURE, .commands = CMD_UNWINDING, .at = FIELD(call_graph), .choices = call_graphs,
		.fallback = "fallback",
		.help = "how stacks are unwound",
		.more = "fallback uses the unwind tables that compilers emit: with them stacks of ordinary binaries "
			"are complete. In code without tables that keeps frame pointers it follows those. force uses "
			"the tables alone, and truncates a stack that comes to other code. fp follows frame pointers, "
			"which most binaries do not keep; stacks of waits are copied even with fp, and use the tables. "
			"off takes no stacks: it records the function that ran of each sample, and the function that "
			"called the kernel of each wait, without callers. dwarf is another name of fallback. lbr takes "
			"the last 8 to 32 calls that have not returned from the branch records of the CPU, where it "
			"has them, and else says why not; deeper stacks lack their begin, and stacks of waits are "
			"copied. Frames of code without tables are marked: with fp in the view, [fp] in text, no_table "
			"in JSON; in pprof, samples that have such frames have the label no_table. Other formats have "
			"no place for a mark. The share of such frames is among the figures of summary, JSON and "
			"pprof, and in the comments before the samples of perf-script.",
	}, {
		.name = "unwind", .metavar = "WHERE", .type = OPT_CHOICE, .what = "place of unwinding",
		.section = SECTION_CAPTURE, .commands = CMD_UNWINDING, .at = FIELD(unwind), .choices = unwinds,
		.fallback = "auto",
		.help = "where stacks are unwound",
		.more = "kernel unwinds stacks in the kernel, however large they are, up to 1,024 frames. It uses "
			"rules that sberf learns from copied stacks while it runs. Then the kernel also adds up short "
			"waits whose stack is known already, and samples none of them, except with --wakers. copy has "
			"the kernel copy each stack, up to --stack-size. auto is kernel, or copy where the kernel "
			"refuses the program that unwinds. Not with --call-graph fp.",
	}, {
		.name = "verify-unwind", .metavar = "N", .type = OPT_NUMBER, .what = "number of stacks",
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(verify_every),
		.min = 1, .max = CAPTURE_VERIFY_MAX,
		.help = "also copy one of N stacks unwound in the kernel, and compare",
		.more = "Not with --unwind copy or --call-graph fp. The kernel's own unwinder also unwinds one of N "
			"kernel stacks. The summary counts what was compared and what differed.",
	}, {
		.name = "ring-size", .metavar = "BYTES", .type = OPT_SIZE, .what = "ring size",
		.section = SECTION_CAPTURE, .commands = CMD_TARGETING, .at = FIELD(ring_bytes), .min = RING_MIN,
		.max = RING_MAX, .help = "size of the buffers between kernel and sberf, 64K to 1G",
	}, {
		.name = "store-size", .metavar = "BYTES", .type = OPT_SIZE, .what = "size of the store",
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(store_bytes), .min = 4u << 20,
		.max = 64ull << 30,
		.help = "memory for stacks, threads and their times, 4M to 64G, by default 160M",
		.more = "When it is full, old times get coarser first. Then stacks and threads that are new count as "
			"\"(other)\"; sums stay exact. An agent begins a new store instead. Names and tables of "
			"programs take memory beside it.",
	}, {
		.name = "split", .type = OPT_FLAG, .min = true,
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(split),
		.help = "leave all privileges to a small program, sberf-collector",
		.more = "With sudo, sberf becomes the user who called it before it looks at anything of the target, "
			"and the recording is that user's. Without sudo it takes a sberf-collector that has "
			"capabilities of its own (sberf doctor says how). --split need not be given then, nor with "
			"sudo, but for the whole machine (-a) and for sberf top without a target. "
			"sberf-collector, which parses nothing, loads and attaches the BPF programs and probes, opens "
			"programs and libraries of the target, and reads the stacks of threads that slept already "
			"when the capture began. Files are read in sberf-worker, which may do nothing else. "
			"In a view the keys P and A, which would take privileges, do nothing then.",
	}, {
		.name = "no-split", .type = OPT_FLAG, .min = true,
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(no_split),
		.help = "one process, which needs root or capabilities of its own",
		.more = "It is what sudo sberf record -a uses, as it takes less of the CPU, and what is used where a "
			"split cannot be: when the user who called sudo may not write the recording, and before "
			"Linux 6.10 for probes in programs.",
	}, {
		.name = "delay", .metavar = "TIME", .type = OPT_TIME, .what = "delay",
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(delay_ns),
		.max = 24 * 3600 * NSEC_PER_SEC, .help = "begin to sample after this time",
	}, {
		.name = "at", .metavar = "CLOCK", .type = OPT_CLOCK, .what = "moment",
		.section = SECTION_CAPTURE, .commands = CMD_RECORD, .at = FIELD(at_real_ns),
		.max = 24 * 3600 * NSEC_PER_SEC, .help = "begin to sample at this moment",
		.more = "15:04:05 or 15:04, of the local clock, 2026-11-29T15:04:05Z, or @SECONDS since 1970; at most "
			"a day ahead. All is in place before, so that several hosts whose clocks agree begin together, "
			"for sberf merge. A command behind -- starts at once.",
	}, {
		.name = "off-cpu", .type = OPT_FLAG, .min = true,
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(off_cpu), .fallback = "",
		.help = "follow the time that threads wait, too (the default)",
		.more = "sberf follows each wait from the moment a thread leaves its CPU to the moment it runs again: "
			"its system call, its stack, how long the thread was blocked, and how long it then waited in "
			"the run queue. Running time is exact as well then.",
	}, {
		.name = "no-off-cpu", .type = OPT_FLAG, .min = false,
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(off_cpu),
		.help = "sample running threads only",
	}, {
		.name = "wakers", .type = OPT_FLAG, .min = true,
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(wakers),
		.help = "record who ended each wait, with its stack",
		.more = "The waker may be outside the target. This costs about as much again as following waits does.",
	}, {
		.name = "kernel-locks", .type = OPT_FLAG, .min = true,
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(kernel_locks),
		.help = "tell which lock of the kernel threads wait for, and who holds it",
		.more = "Mutexes and read/write semaphores of the kernel stand in the list of locks then (report "
			"--format locks, key D), with their holders, which may be threads outside of the target. Needs "
			"Linux 5.19 or later. Only threads that have to wait for such a lock pay for it.",
	}, {
		.name = "every-wait", .type = OPT_FLAG, .min = true,
		.section = SECTION_CAPTURE, .commands = CMD_RECORD, .at = FIELD(every_wait),
		.help = "record each wait by itself, however short, with who ended it",
		.more = "Otherwise short waits are added up, or some of them stand for others. This is what report "
			"--critical-path wants. It costs a few microseconds a wait, and files grow with their number.",
	}, {
		.name = "numa", .type = OPT_SET, .min = NUMA_ON,
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(numa),
		.help = "sample which memory is accessed, and on which node it is",
		.more = "sberf finds the address that a sample was accessing from the code and registers around it, "
			"and asks the kernel for the node of its page. It also samples page faults, because they "
			"decide on which node a page is. Where there is more than one NUMA node sberf does all this "
			"without the option. It always counts migrations between nodes.",
	}, {
		.name = "no-numa", .type = OPT_SET, .min = NUMA_OFF,
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(numa),
		.help = "do not sample accesses and page faults",
	}, {
		.name = "min-block", .metavar = "TIME", .type = OPT_TIME, .what = "shortest wait",
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(min_block_ns),
		.max = CAPTURE_BLOCK_MAX_NS, .help = "waits shorter than this are only counted, without stacks",
		.more = "The length of a wait is the whole of it: blocked time and then time in the run queue.",
	},
	{
		.name = "how", .metavar = "WAY", .type = OPT_CHOICE, .what = "way", .section = SECTION_CAPTURE,
		.commands = CMD_BRANCHES, .at = FIELD(how), .choices = branch_ways, .fallback = "auto",
		.help = "where branches come from",
		.more = "step: a probe at each basic block of the function, and of BPF programs breakpoints at jumps. "
			"lbr: branch records of the CPU, of functions of the kernel and BPF programs. graph: the "
			"functions that a function of the kernel calls, each with its arguments, its result, and the "
			"time it took. auto: graph where a name may be several functions, else step, and for BPF "
			"programs lbr where the CPU has records; it says which, and why.",
	}, {
		.name = "depth", .metavar = "LEVELS", .type = OPT_NUMBER, .what = "depth",
		.section = SECTION_CAPTURE, .commands = CMD_BRANCHES, .at = FIELD(depth), .min = 1, .max = 9,
		.help = "with --how graph, how many calls below the function (3)",
	}, {
		.name = "entry", .type = OPT_FLAG, .min = true,
		.section = SECTION_CAPTURE, .commands = CMD_BRANCHES, .at = FIELD(branch_entry),
		.help = "tell each call when it begins: with its arguments, and with --stacks who calls",
		.more = "One probe at the begin of the function is enough for that, so it costs least. Which branches "
			"the call takes, its result and its time are not known then; with --how lbr branches are those "
			"that led to the call. With --how graph each call below the function is told as well.",
	}, {
		.name = "exit", .type = OPT_FLAG, .min = true,
		.section = SECTION_CAPTURE, .commands = CMD_BRANCHES, .at = FIELD(branch_exit),
		.help = "tell each call when it ends, with its result and its branches (what is done if nothing is "
			"said)",
	}, {
		.name = "print", .metavar = "EXPR[,EXPR...]", .type = OPT_TEXTS, .what = "expression",
		.section = SECTION_CAPTURE, .commands = CMD_BRANCHES, .at = FIELD(branch_print),
		.help = "show what parameters and the result of a function lead to: '*file', 'req->name', "
			"'file->f_path.dentry->d_name.name'",
		.more = "EXPR is a path as in a condition, by the types of the kernel, of a module or of a BPF "
			"program, or by the debug information of a program. '*' before it shows the structure that a "
			"pointer points to, as '*retval' of the result, but in programs. Up to four, of 512 bytes at "
			"most. "
			"Parameters are followed when the call begins, the result when it has returned. Members that "
			"are 0 are left out, enums, functions and errors have names, and what cannot be read is said.",
	}, {
		.name = "any", .type = OPT_FLAG, .min = true,
		.section = SECTION_CAPTURE, .commands = CMD_BRANCHES, .at = FIELD(branch_any),
		.help = "show all branches: jumps, calls and returns (what is shown if nothing is said)",
	}, {
		.name = "calls", .type = OPT_FLAG, .min = true,
		.section = SECTION_CAPTURE, .commands = CMD_BRANCHES, .at = FIELD(branch_calls),
		.help = "with --how graph, show and compare who called what, and not what that returned",
	}, {
		.name = "returns", .type = OPT_FLAG, .min = true,
		.section = SECTION_CAPTURE, .commands = CMD_BRANCHES, .at = FIELD(branch_returns),
		.help = "with --how graph, show and compare what each function returned, and not its arguments",
		.more = "--part 'retval < 0' --returns names the functions alone whose failures are those of the call.",
	}, {
		.name = "part", .metavar = "CONDITION", .type = OPT_TEXT, .what = "condition",
		.section = SECTION_CAPTURE, .commands = CMD_BRANCHES, .at = FIELD(part),
		.help = "show where calls that meet CONDITION part from the others",
		.more = "CONDITION is one of probes: retval < 0, latency > 1ms, arg1 == 3, size > 100 && pid == 1234. "
			"At the end sberf shows the instructions at which both kinds of calls came, and of which one "
			"branch was taken by calls of one kind alone: first the one that calls come to first. Where "
			"there is none it shows the one at which they differ most.",
	}, {
		.name = "probe", .metavar = "SPEC", .type = OPT_TEXTS, .what = "probe",
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(probes),
		.help = "also count, with their stacks, the calls that SPEC means (sys:openat, uprobe:app:f)",
		.more = "sberf-probe(7) has the grammar. Of what it describes, these kinds can be placed "
		"so far: system "
			"calls (sys:NAME, with wildcards, sys:%file, sys:%net, sys:%memory and sys:%process), of which "
			"the time from entry to return is added up; tracepoints of the kernel "
			"(tracepoint:CATEGORY:NAME, rawtracepoint:NAME) and its functions (kprobe:NAME), where it has "
			"kprobes, page faults (fault, fault:major) and signals (signal), which are counted; and in a "
			"process or command "
			"functions (uprobe:FILE:NAME), their returns (uretprobe:FILE:NAME) and static probes "
			"(usdt:FILE:PROVIDER:NAME), which are counted, and calls of functions (call:FILE:NAME), whose "
			"time from entry to return is added up. Of a span from one probe to another "
			"(span:PROBE~~PROBE) it is the time between them. Children, and files that are loaded "
			"later, get their probes within a fraction of a second. As soon as probes are in place, record "
			"and trace say so (\"probes placed ...\"): what happens from then on is counted. You can give "
			"--probe several times. "
			"Each probe is a metric of its name: top shows it, report --metric "
			"sys:openat, too.",
	}, {
		.name = "every", .metavar = "N", .type = OPT_NUMBER, .what = "number of hits",
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(every), .min = 1, .max = 1000000,
		.help = "take the stack of one in N hits of each probe",
		.more = "It stands for the others on its CPU, too: totals of counts, times and sums stay "
		"exact, and how "
			"they are shared out among stacks becomes an estimate. A hit without its stack "
			"costs a fraction.",
	}, {
		.name = "max-rate", .metavar = "HITS", .type = OPT_NUMBER, .what = "hits a second",
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(max_rate), .min = 1,
		.max = 100000000, .help = "take the stacks of at most so many hits of each probe in a second",
		.more = "Totals stay exact, as with --every.",
	}, {
		.name = "memory", .metavar = "LEVEL", .type = OPT_CHOICE, .what = "level",
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(memory), .choices = memory_levels,
		.bare = "growth",
		.help = "follow who makes memory grow, or with allocs who allocates it, who holds it, and what leaks",
		.more = "growth, which is what --memory alone means: the kernel tells what memory becomes resident, "
			"and ceases to be (page faults by the size of their pages, unmapping), and what is "
			"mapped, unmapped and given back (mmap, munmap, mremap, brk, madvise), by stack; and the "
			"sizes of the processes are read from time to time. That needs no probe in the target, "
			"and costs it about 1 %. report --metric shows what has grown, was returned, mapped, "
			"unmapped, and given back by advice. "
			"allocs: functions that allocate and free memory are probed in the target: those of "
			"malloc(3) by whichever library or program defines them (glibc, musl, jemalloc, "
			"tcmalloc, mimalloc), and C++ operators that do not only call these. Blocks are "
			"sampled by bytes (--sample-bytes), and followed until they are freed. Each call "
			"costs the target about 1 us, sampled or not. Where that is more than --budget, the "
			"functions are probed for a part of the time, and blocks are not followed to their "
			"frees any more. preload: the target samples by itself, which costs it a few ns a "
			"call, and tells of sampled blocks alone. A command gets a library for that "
			"(LD_PRELOAD, before those that are there already), as do programs that it starts; "
			"it must be linked dynamically, to glibc and without a malloc(3) of its own, and be "
			"neither setuid nor setgid. With -p the target has to carry the static probes "
			"otel_memory:alloc(address, bytes, weight) and otel_memory:free(address), as a "
			"program does that was started with the library, and any other that has them. report "
			"--metric shows what was allocated, in-use, peak, temporary and leaked, in bytes or in blocks "
			"(allocated-blocks, ...), and report --format leaks what grows.",
	}, {
		.name = "sample-bytes", .metavar = "BYTES", .type = OPT_SIZE32, .what = "distance of samples",
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(sample_bytes), .min = 1,
		.max = ALLOC_INTERVAL_MAX,
		.help = "with --memory, follow a block for each so many bytes allocated (512K; of growth "
			"64K, with -a 256K)",
		.more = "Each byte is picked with the same probability, and a block of which one was picked is "
			"followed, for all that it stands for, or of memory that grows told with its stack. 1: every "
			"block is. A target that samples by itself "
			"(--memory=preload with -p) does so as it was told when it was started.",
	}, {
		.name = "allocator", .metavar = "FILE:FUNCTION=LIKE", .type = OPT_TEXTS, .what = "allocator",
		.section = SECTION_CAPTURE, .commands = CMD_CAPTURING, .at = FIELD(allocators),
		.help = "with --memory=allocs, FUNCTION of FILE allocates as LIKE does (malloc, calloc, free, ...)",
		.more = "For allocators that a program has of its own. FILE is the program or library, as probes name "
			"it (sberf-probe(7)), FUNCTION its symbol, and LIKE a function of malloc(3) that has the same "
			"arguments in the same order: malloc, calloc, realloc, reallocarray, memalign, aligned_alloc, "
			"posix_memalign, valloc, pvalloc or free. Where the order is another one, LIKE says for each "
			"of its own arguments which one of FUNCTION that is, from arg0 on: of my_alloc(pool, bytes, "
			"align) app:my_alloc=malloc(arg1), of my_free(pool, block) app:my_free=free(arg1). What "
			"FUNCTION allocates meanwhile, by malloc() or by others, is a part of its block. You "
			"can give --allocator several times.",
	}, {
		.name = "yes", .type = OPT_FLAG, .min = true,
		.section = SECTION_CAPTURE, .commands = CMD_TARGETING, .at = FIELD(yes),
		.help = "place probes in programs in every process that has the file",
		.more = "This is asked for where the target is neither -p PID nor a command: then the kernel places "
			"breakpoints for all processes that have mapped the file, now or later. Each hit costs them, "
			"also those that do not belong to the target and are not shown.",
	}, {
		.name = "budget", .metavar = "PERCENT", .type = OPT_PERCENT_OR_NONE, .what = "budget",
		.section = SECTION_CAPTURE, .commands = CMD_TARGETING, .at = FIELD(budget), .min = 0,
		.max = 100000, .fallback = "5",
		.help = "what hits of probes may cost, in percent of one CPU",
		.more = "A breakpoint costs the target 0.6 to 16 us a hit, which sberf list tells for each place, and "
			"a system call or tracepoint 0.1 to 2 us, by whether its stack is taken. The hits are counted "
			"a tenth of a second after the beginning for the first time, and some of them are timed. "
			"Where they cost more than PERCENT of one CPU, of probes in the kernel fewer hits are told, "
			"each with what those before it weigh: totals stay exact, and whose stack they are seen with "
			"becomes a sample (not of sberf trace, nor in a raw capture, which tell each hit: --every and "
			"--max-rate make these fewer). Probes in programs are "
			"taken off, and put back for a part of the time: each hit then stands for several, so numbers "
			"become estimates of what there would be if the probes were always in place, and calls that "
			"take longer than 100 ms are missing. The summary, the view and record say so. none: the "
			"probes stay in place, and each hit is told, whatever that costs.",
	}, {
		.name = "probe", .metavar = "SPEC", .type = OPT_TEXTS, .what = "probe",
		.section = SECTION_CAPTURE, .commands = CMD_TRACE, .at = FIELD(probes),
		.help = "print a line for each hit of SPEC (sys:openat, sys:%file, uprobe:app:f)",
		.more = "sberf-probe(7) has the grammar, and sberf-record(1) says what of it can be placed so far. You "
			"can give --probe several times. Without it, sberf prints all system calls: sys:*.",
	}, {
		.letter = 'k', .name = "stack", .type = OPT_FLAG, .min = true,
		.section = SECTION_CAPTURE, .commands = CMD_TRACE, .at = FIELD(trace_stacks),
		.help = "print the stack below each line, innermost function first",
	}, {
		.name = "metric", .metavar = "METRIC[,METRIC...]", .type = OPT_MEASURES, .what = "metric",
		.section = SECTION_CAPTURE, .commands = CMD_RECORD, .at = FIELD(measures), .choices = metrics,
		.help = "also count what is counted only on request",
		.more = "forks counts processes that are started and new-threads threads, each with the stack that "
			"starts it. All other metrics are recorded without being named. report --metric shows them.",
	},
	{
		.name = "raw-capture", .metavar = "FILE", .type = OPT_FILE, .what = "raw capture",
		.section = SECTION_CAPTURE, .commands = CMD_RECORD, .at = FIELD(raw_capture),
		.help = "also write into FILE what was captured, before unwinding",
		.more = "For developers of sberf: --replay reads it, on the same machine. Stacks are copied then, as "
			"with --unwind copy, unless you say --unwind kernel. The file holds memory of the target, and "
			"is large. It has no names of what is interpreted: stacks of Python are native ones then.",
	},
	/* What is shown */
	{
		.name = "metric", .metavar = "METRIC[,METRIC...]", .type = OPT_MEASURES, .what = "metric",
		.section = SECTION_FILTER, .commands = CMD_SHOWING, .at = FIELD(measures), .choices = metrics,
		.help = "what to count",
		.more = "on-cpu is the time that threads ran, blocked the time until somebody woke them, runnable the "
			"time that they waited for a CPU, off-cpu both of these, and wall all of it. The default is "
			"wall, or what --format says. You can name up to six metrics, of which three can be "
			"parts of wall "
			"time. Those add up. Totals and order are those of the metric that you name first, "
			"and the others have columns beside it. There are also:",
	}, {
		.name = "state", .metavar = "STATE[,STATE...]", .type = OPT_STATES, .what = "state",
		.section = SECTION_FILTER, .commands = CMD_SHOWING, .at = FIELD(states),
		.help = "only waits in these states, such as D or killable",
		.more = "R preempted, S interruptible, D uninterruptible, K killable, T stopped, t traced, X exiting, "
		"I idle, N new (not run yet), F frozen (by the freezer of its cgroup), Q throttled (its cgroup has "
		"used up its quota of CPU time). Running time is left out.",
	}, {
		.name = "syscall", .metavar = "CALL[,CALL...]", .type = OPT_TEXT, .what = "system call",
		.section = SECTION_FILTER, .commands = CMD_SHOWING, .at = FIELD(syscalls),
		.help = "only waits in these system calls",
		.more = "By name, such as futex or epoll_wait, or \"page fault\", \"preempted\", \"kernel "
		"thread\", \"stopped\", "
			"\"traced\", \"frozen\". Running time is "
			"left out.",
	}, {
		.name = "process", .metavar = "PATTERN", .type = OPT_TEXTS, .what = "process",
		.section = SECTION_FILTER, .commands = CMD_SHOWING, .at = FIELD(processes),
		.help = "only processes of this name or pid; * and ? are wildcards",
		.more = "The name is that of the main thread or of the executable. The pattern must match the whole "
			"name. Commas separate several patterns, of which one must match. When --process is given "
			"several times, all of them must hold; so it is with --cgroup, --container, --host, "
			"--thread, --focus and --ignore.",
	}, {
		.name = "cgroup", .metavar = "TEXT", .type = OPT_TEXTS, .what = "cgroup",
		.section = SECTION_FILTER, .commands = CMD_READING, .at = FIELD(cgroups),
		.help = "only cgroups with this text in their path",
		.more = "A part of a container's id is enough; * and ? are wildcards.",
	}, {
		.name = "container", .metavar = "TEXT", .type = OPT_TEXTS, .what = "container",
		.section = SECTION_FILTER, .commands = CMD_READING, .at = FIELD(containers),
		.help = "only containers with this text in their name or image",
		.more = "The name of one in a pod is NAMESPACE/POD/NAME; * and ? are wildcards.",
	}, {
		.name = "host", .metavar = "PATTERN", .type = OPT_TEXTS, .what = "host",
		.section = SECTION_FILTER, .commands = CMD_READING, .at = FIELD(hosts),
		.help = "only what ran on hosts of this name, of a recording that merge made; * and ? are wildcards",
	}, {
		.name = "thread", .metavar = "PATTERN", .type = OPT_TEXTS, .what = "thread",
		.section = SECTION_FILTER, .commands = CMD_SHOWING, .at = FIELD(threads),
		.help = "only threads of this name or tid; * and ? are wildcards",
		.more = "Commas separate several patterns, of which one must match.",
	}, {
		.name = "focus", .metavar = "REGEX", .type = OPT_TEXTS, .what = "regular expression",
		.section = SECTION_FILTER, .commands = CMD_SHOWING, .at = FIELD(focus),
		.help = "only stacks in which a function matches",
		.more = "An extended regular expression, as for grep -E but without back references. It may match "
			"anywhere in the name of a function, and it distinguishes upper and lower case. A sentence on "
			"standard error says how much is left.",
	}, {
		.name = "ignore", .metavar = "REGEX", .type = OPT_TEXTS, .what = "regular expression",
		.section = SECTION_FILTER, .commands = CMD_SHOWING, .at = FIELD(ignore),
		.help = "no stacks in which a function matches",
	}, {
		.name = "time", .metavar = "FROM,TO", .type = OPT_TEXT, .what = "time range",
		.section = SECTION_FILTER, .commands = CMD_READING, .at = FIELD(time),
		.help = "only what happened in this range, such as 10s,20s or 50%,60%",
		.more = "Times count from the beginning of the recording. Either end may be left out. Ranges are exact "
			"to a tenth of a second, as long as there is memory for that. A wait counts at the time when "
			"it ended, and in pieces while it lasted.",
	}, {
		.name = "node", .metavar = "NODES", .type = OPT_LIST, .what = "node list",
		.section = SECTION_FILTER, .commands = CMD_SHOWING, .at = FIELD(nodes), .max = NODES_MAX - 1,
		.help = "only what the CPUs of these NUMA nodes did, such as 0-1,3",
	}, {
		.name = "size", .metavar = "SIZE[,SIZE...]", .type = OPT_TEXTS, .what = "size",
		.section = SECTION_FILTER, .commands = CMD_SHOWING, .at = FIELD(sizes),
		.help = "only blocks of memory, and changes of it, of these sizes",
		.more = "With --memory. Sizes are told by powers of two, as the histograms of --format memory are: 4K "
			"is 4 KB to less than 8 KB, 1K-64K 1 KB to less than 128 KB, 1M- 1 MB and more, -512 less than "
			"1 KB. Of memory that grows it is the size of one change: of a page, or a huge page (2M), or "
			"of what a call maps. What has no size, such as running time, is left out.",
	}, {
		.name = "by-node", .type = OPT_FLAG, .min = true,
		.section = SECTION_FILTER, .commands = CMD_SHOWING, .at = FIELD(by_node),
		.help = "split by the NUMA node of the CPU",
		.more = "Nodes are the roots of the tree, above the groups; the first frame of folded stacks; and the "
			"first level in the list of waits, above the classes.",
	}, {
		.name = "holders", .type = OPT_FLAG, .min = true,
		.section = SECTION_FILTER, .commands = CMD_REPORT, .at = FIELD(holders),
		.help = "below each wait for a lock what its holder did meanwhile",
		.more = "The wait is divided among what the holder did in the same second: samples, waits for other "
			"things, time in the run queue; and if the holder waited for a lock, further down. What waits "
			"were for adds up to the waits. Only wall time is shown.",
	}, {
		.name = "by-holder", .type = OPT_FLAG, .min = true,
		.section = SECTION_FILTER, .commands = CMD_REPORT, .at = FIELD(by_holder),
		.help = "who made others wait: holders of locks by the time of the waiters",
		.more = "A tree, or a flame graph, of what holders did, each as heavy as the time that others waited "
			"for it. Nothing else is shown. --format locks has the locks themselves.",
	}, {
		.name = "critical-path", .metavar = "SPAN", .type = OPT_TEXT, .what = "span",
		.section = SECTION_FILTER, .commands = CMD_REPORT, .at = FIELD(critical_path),
		.help = "what the time of a probe's calls, or of a thread, was needed for",
		.more = "SPAN is a probe that has a beginning and an end, as for --span; main, the first thread "
			"of each process; or a thread, by its number or its name. From its end on each call is "
			"followed back: while its thread waited, what the thread did that ended the wait, and "
			"what that one waited for. So the tree says what would have to be faster, and its widths "
			"add up to the time of the calls. Record with --every-wait: otherwise much of it is not "
			"known, and the tree says so.",
	}, {
		.name = "slowest", .metavar = "N", .type = OPT_NUMBER, .what = "number of calls",
		.section = SECTION_FILTER, .commands = CMD_REPORT, .at = FIELD(slowest), .min = 1, .max = UINT32_MAX,
		.help = "with --critical-path, only the N longest calls",
	}, {
		.name = "span", .metavar = "SPEC", .type = OPT_TEXT, .what = "probe",
		.section = SECTION_FILTER, .commands = CMD_SHOWING, .at = FIELD(span),
		.help = "split by what was inside calls of this probe",
		.more = "SPEC is a probe that has a beginning and an end (call:, sys:, span:), as it was given to "
			"--probe; its beginning is enough where one probe alone has it. Samples and waits of a "
			"thread that was in such a call are below the row \"inside SPEC\", all others below "
			"\"outside\". The options below need --span only where several such probes were placed.",
	}, {
		.name = "inside", .type = OPT_FLAG, .min = true,
		.section = SECTION_FILTER, .commands = CMD_SHOWING, .at = FIELD(inside),
		.help = "only what happened inside calls of the probe of --span",
	}, {
		.name = "outside", .type = OPT_FLAG, .min = true,
		.section = SECTION_FILTER, .commands = CMD_SHOWING, .at = FIELD(outside),
		.help = "only what happened outside of these calls",
	}, {
		.name = "span-above", .metavar = "LENGTH", .type = OPT_TEXT, .what = "length of calls",
		.section = SECTION_FILTER, .commands = CMD_SHOWING, .at = FIELD(span_above),
		.help = "only inside calls that took that long, such as p99 or 10ms",
		.more = "A percentile is that of all calls, not of those that were sampled. Lengths of calls are known "
			"to 3 percent.",
	}, {
		.name = "span-below", .metavar = "LENGTH", .type = OPT_TEXT, .what = "length of calls",
		.section = SECTION_FILTER, .commands = CMD_SHOWING, .at = FIELD(span_below),
		.help = "only inside calls that took less than that",
	}, {
		.name = "span-diff", .type = OPT_FLAG, .min = true,
		.section = SECTION_FILTER, .commands = CMD_TOP | CMD_REPORT, .at = FIELD(span_diff),
		.help = "what slow calls do that others do not",
		.more = "Compares what happened inside calls of p99 and more, or of --span-above, with what happened "
			"inside those around the median (p25 to p75), or with --span-below inside those that took "
			"less than that. 100 percent is what a slow call takes on average, and times are those of "
			"one call. Shown as sberf-diff(1) shows two recordings.",
	}, {
		.name = "far", .type = OPT_FLAG, .min = true,
		.section = SECTION_FILTER, .commands = CMD_SHOWING, .at = FIELD(far),
		.help = "count accesses to memory of other NUMA nodes",
		.more = "Instead of time, the tree then shows samples that were accessing a page on another node than "
			"that of their CPU, each with the time that it stands for. These are estimates: see --numa.",
	}, {
		.name = "hide-idle", .type = OPT_FLAG, .min = true,
		.section = SECTION_FILTER, .commands = CMD_READING, .at = FIELD(hide_idle),
		.help = "fold waits of threads that have nothing to do",
		.more = "Event waits, sleeps, and waits of pool workers for work become one line.",
	}, {
		.name = "min-block", .metavar = "TIME", .type = OPT_TIME, .what = "shortest wait",
		.section = SECTION_FILTER, .commands = CMD_READING, .at = FIELD(min_block_ns),
		.max = 3600 * NSEC_PER_SEC, .help = "leave out waits shorter than this",
		.more = "The length of a wait is the whole of it: blocked time and then time in the run queue. A long "
			"wait is recorded in pieces, once a second; each piece has the length that the wait had "
			"reached by then. Time of which no single length is known is left out.",
	}, {
		.name = "no-libraries", .type = OPT_FLAG, .min = true,
		.section = SECTION_FILTER, .commands = CMD_SHOWING, .at = FIELD(no_libraries),
		.help = "without libraries: their time counts for their caller",
		.more = "A library is a shared object that does not belong to the program. What belongs to the program "
			"is the executable and everything in its folder or below (for an executable in a folder bin, "
			"the folder above), unless many programs share that folder, such as /usr/lib. In imported "
			"files, what is called like libc.so.6 is a library.",
	}, {
		.name = "python", .metavar = "FRAMES", .type = OPT_CHOICE, .what = "frames of Python",
		.section = SECTION_FILTER, .commands = CMD_SHOWING, .at = FIELD(scripts),
		.choices = script_views, .help = "frames of Python programs: both, only, native (both)",
		.more = "both: frames of Python stand between native ones, in place of those of the interpreter that "
			"ran them. only: frames of Python alone, without native ones and the kernel. native: native "
			"frames alone, those of the interpreter with them. Time counts for who called what is left "
			"out.",
	}, {
		.name = "fold-recursion", .type = OPT_FLAG, .min = true,
		.section = SECTION_FILTER, .commands = CMD_SHOWING, .at = FIELD(fold_recursion),
		.help = "fold functions that call themselves, directly or not",
		.more = "When a function is called that is already running in this stack, the stack goes back to its "
			"first call: main, a, b, a, c becomes main, a, c. Formats that list stacks one by one, such as "
			"pprof, have them as they were.",
	},
	/* Names */
	{
		.name = "short-names", .type = OPT_FLAG, .min = true,
		.section = SECTION_SYMBOLS, .commands = CMD_SHOWING, .at = FIELD(short_names),
		.help = "C++ names without parameters and template arguments",
		.more = "Functions whose short names are the same stay different functions. pprof and other formats "
			"for further tools have full names.",
	}, {
		.name = "symfs", .metavar = "DIR", .type = OPT_DIR, .what = "directory",
		.section = SECTION_SYMBOLS, .commands = CMD_TARGETING | CMD_SYMBOLIZE, .at = FIELD(symfs),
		.help = "look for binaries and their debug files under DIR first",
	}, {
		.name = "debuginfod", .type = OPT_FLAG, .min = true,
		.section = SECTION_SYMBOLS, .commands = CMD_TARGETING | CMD_SYMBOLIZE, .at = FIELD(debuginfod),
		.help = "fetch missing debug files from $DEBUGINFOD_URLS",
		.more = "sberf never fetches anything without this option.",
	}, {
		.name = "plugin", .metavar = "FILE", .type = OPT_FILES, .what = "plug-in",
		.section = SECTION_SYMBOLS, .commands = CMD_UNWINDING, .at = FIELD(plugins),
		.help = "let the plug-in FILE name code of a language runtime",
		.more = "May be repeated. FILE is a shared library, made with sberf/plugin.h (sberf-plugin(3)). It "
			"runs in a process of its own, which may open no files and no sockets, and sees of the target "
			"what sberf reads for it. After it has crashed, hung, or answered nonsense three times it is "
			"not asked any more. Plug-ins in the folder plugins below the library folder of sberf are used "
			"without this option, if the folder is root's and nobody else can write to it or to them.",
	}, {
		.name = "plugin-in-process", .type = OPT_FLAG, .min = true,
		.section = SECTION_SYMBOLS, .commands = CMD_UNWINDING, .at = FIELD(plugin_in_process),
		.help = "run plug-ins of --plugin inside of sberf",
		.more = "With all of sberf's privileges, and without any protection from their mistakes: for who "
			"writes one. Their files must be root's or yours, and nobody else may be able to change them.",
	}, {
		.name = "no-plugins", .type = OPT_FLAG, .min = true,
		.section = SECTION_SYMBOLS, .commands = CMD_UNWINDING, .at = FIELD(no_plugins),
		.help = "without the plug-ins that are installed",
	}, {
		.name = "remote", .metavar = "SERVICE", .type = OPT_TEXT, .what = "service",
		.section = SECTION_SYMBOLS, .commands = CMD_SYMBOLIZE, .at = FIELD(remote),
		.help = "ask this service for names that are not known here",
		.more = "SERVICE is the path of a socket (--serve) or http://HOST[:PORT]. It gets build-ids and "
			"offsets, and nothing else. One that does not answer within five seconds is left alone for 30.",
	}, {
		.name = "serve", .metavar = "SOCKET", .type = OPT_FILE, .what = "socket",
		.section = SECTION_SYMBOLS, .commands = CMD_SYMBOLIZE, .at = FIELD(serve),
		.help = "answer at this socket those who ask by build-id and offset",
		.more = "Until it is interrupted. It looks for files as for a build-id on the command line, and "
			"before that among those given behind it and in the folders given. Requests "
			"are POST /symbolize over HTTP, with lines of a build-id, a blank and an offset; a response "
			"has for each a line for each function, innermost first, of name, file and line with tabs "
			"between, and then a line with a full stop.",
	}, {
		.name = "no-inline", .type = OPT_FLAG, .min = true,
		.section = SECTION_SYMBOLS, .commands = CMD_UNWINDING | CMD_READING | CMD_SYMBOLIZE,
		.at = FIELD(no_inline),
		.help = "without inlined functions",
	},
	/* Output */
	{
		.name = "listen", .metavar = "[ADDRESS:]PORT", .type = OPT_TEXT, .what = "address",
		.section = SECTION_OUTPUT, .commands = CMD_SERVING, .at = FIELD(listen),
		.help = "answer at this port of 127.0.0.1 and [::1] (0: one that is free)",
		.more = "ADDRESS is one of these two, and then the only one. Any other address is refused: from "
			"another machine come through ssh -L PORT:127.0.0.1:PORT, with the same port on both sides, or "
			"through a proxy in front of --socket.",
	}, {
		.name = "socket", .metavar = "PATH", .type = OPT_FILE, .what = "socket",
		.section = SECTION_OUTPUT, .commands = CMD_SERVING, .at = FIELD(socket),
		.help = "answer at this socket instead, which the user alone can open",
		.more = "For a proxy, which decides who may ask, and under what name: Host is not looked at here.",
	}, {
		.name = "prefix-file", .metavar = "FILE", .type = OPT_FILE, .what = "file of the prefix",
		.section = SECTION_OUTPUT, .commands = CMD_SERVING, .at = FIELD(prefix_file),
		.help = "the first line of FILE is the secret that paths begin with",
		.more = "16 to 128 letters, digits, - . _ or ~, in a file that others cannot read. So the address is "
			"the same at each start. Without it sberf draws a secret of 128 bits.",
	}, {
		.name = "max-cpu", .metavar = "PERCENT", .type = OPT_PERCENT_OR_NONE, .what = "ceiling",
		.section = SECTION_CAPTURE, .commands = CMD_AGENT, .at = FIELD(max_cpu), .max = 100000,
		.fallback = "none",
		.help = "what sberf itself may take, BPF programs included, in percent of one CPU",
		.more = "sberf-collector and sberf-worker count, too. What BPF programs take the kernel measures with "
			"CAP_SYS_ADMIN, or when kernel.bpf_stats_enabled is 1, as the unit of systemd sets it; else "
			"that is said. Above the ceiling it samples less often and tells fewer waits one by one, down "
			"to a 64th, and each of them weighs as much more. Where that does not suffice, as with "
			"hundreds of thousands of switches a second, it leaves out waits until the machine has been "
			"calm for two minutes, and then captures for a part of the time, with pauses between. All of "
			"that is said on standard error, and at the end what it took.",
	}, {
		.name = "push", .metavar = "URL", .type = OPT_TEXT, .what = "address to push to",
		.section = SECTION_OUTPUT, .commands = CMD_AGENT, .at = FIELD(push),
		.help = "push profiles to a store, every ten seconds",
		.more = "pyroscope+http://HOST[:4040][/PATH] for Pyroscope and Grafana Alloy, "
			"parca+http://HOST[:7070][/PATH] for Parca, otlp+http://HOST[:4318][/PATH] for a "
			"collector of OpenTelemetry (profiles of OTLP 1.10). +https:// instead of +http:// is "
			"over TLS, by libcurl. Then --listen is not needed. What the store does not take at "
			"once waits in memory, 64 MiB and an hour at most, and everything that is lost is "
			"counted.",
	}, {
		.name = "push-ca", .metavar = "FILE", .type = OPT_FILE, .what = "file of certificates",
		.section = SECTION_OUTPUT, .commands = CMD_AGENT, .at = FIELD(push_ca),
		.help = "over https trust these certificates instead of those of the system",
		.more = "A file of PEM. The server's certificate is always checked.",
	}, {
		.name = "push-headers", .metavar = "FILE", .type = OPT_FILE, .what = "file of headers",
		.section = SECTION_OUTPUT, .commands = CMD_AGENT, .at = FIELD(push_headers),
		.help = "send the lines of FILE as headers of each push",
		.more = "\"X-Scope-OrgID: tenant\" or \"Authorization: Bearer ...\", in a file that others cannot "
			"read. A command line, which everybody sees, is no place for them.",
	}, {
		.name = "label", .metavar = "NAME=VALUE", .type = OPT_TEXTS, .what = "label",
		.section = SECTION_OUTPUT, .commands = CMD_AGENT, .at = FIELD(labels),
		.help = "label what is pushed",
		.more = "Without one called service_name it is what was named as target, and instance is the host.",
	}, {
		.letter = 'd', .name = "refresh", .metavar = "SECONDS", .type = OPT_TIME, .what = "refresh",
		.section = SECTION_OUTPUT, .commands = CMD_TOP | CMD_SERVE, .at = FIELD(refresh_ns),
		.min = 100 * NSEC_PER_MSEC, .max = 3600 * NSEC_PER_SEC, .fallback = "1s",
		.help = "time between two refreshes",
	}, {
		.letter = 'o', .name = "output", .metavar = "FILE", .type = OPT_FILE, .what = "output file",
		.section = SECTION_OUTPUT, .commands = CMD_AGENT, .at = FIELD(output),
		.help = "with --keep, the recording; sberf.data when not given",
	}, {
		.letter = 'o', .name = "output", .metavar = "FILE", .type = OPT_FILE, .what = "output file",
		.section = SECTION_OUTPUT, .commands = CMD_RECORD, .at = FIELD(output),
		.help = "the recording; sberf.data when not given",
		.more = "- is standard output, which must not be a terminal. A command behind -- then writes to "
			"standard error instead of standard output.",
	}, {
		.letter = 'b', .name = "batch", .type = OPT_FLAG, .min = true,
		.section = SECTION_OUTPUT, .commands = CMD_TOP, .at = FIELD(batch),
		.help = "print to standard output, without a terminal",
		.more = "sberf prints one document at each refresh, about all that was seen so far. It ends with "
			"Ctrl-C, SIGTERM, the end of the target, the number of --iterations, or when nobody reads the "
			"output any more. As text a document has the header with all losses, and the tree as sberf "
			"report prints it.",
	}, {
		.name = "iterations", .metavar = "N", .type = OPT_NUMBER, .what = "number of documents",
		.section = SECTION_OUTPUT, .commands = CMD_TOP, .at = FIELD(iterations), .min = 1, .max = UINT32_MAX,
		.help = "with --batch, end after N documents; -n N says the same",
		.more = "So -n is a number of documents when its value is a number, and the name of a process "
			"otherwise. --name always takes a name.",
	}, {
		.name = "format", .metavar = "FORMAT", .type = OPT_FORMAT, .what = "format", .min = EXPORT_BY_BATCH,
		.section = SECTION_OUTPUT, .commands = CMD_TOP, .at = FIELD(format),
		.help = "with --batch, what to print; text when not given",
	}, {
		.name = "percent-limit", .metavar = "PERCENT", .type = OPT_PERCENT, .what = "limit",
		.section = SECTION_OUTPUT, .commands = CMD_TOP, .at = FIELD(percent_limit),
		.given = FIELD(percent_given), .max = 100,
		.help = "with --batch, leave out of the text what is smaller (1%)",
	}, {
		.name = "depth", .metavar = "LEVELS", .type = OPT_NUMBER, .what = "depth",
		.section = SECTION_OUTPUT, .commands = CMD_TOP, .at = FIELD(depth), .min = 1, .max = 65000,
		.help = "with --batch, levels of functions in the text of the tree",
	}, {
		.name = "keep", .metavar = "TIME", .type = OPT_TIME, .what = "time to keep",
		.section = SECTION_OUTPUT, .commands = CMD_TOP, .at = FIELD(keep_ns), .min = NSEC_PER_SEC,
		.max = 30ull * 24 * 3600 * NSEC_PER_SEC,
		.help = "keep the last TIME in memory, to write it on request",
		.more = "A flight recorder that runs while you watch. The key R, SIGUSR2 and the end of the view write "
			"what happened in this time, or up to a tenth more. The file is the first of sberf-1.sberf, "
			"sberf-2.sberf, ... in the current directory that does not exist. The view goes on. It takes "
			"at most 256M of memory; when that is not enough, it keeps less time. Without this option R "
			"begins and ends a recording.",
	}, {
		.name = "keep", .metavar = "TIME", .type = OPT_TIME, .what = "time to keep",
		.section = SECTION_OUTPUT, .commands = CMD_RECORD, .at = FIELD(keep_ns), .min = NSEC_PER_SEC,
		.max = 30ull * 24 * 3600 * NSEC_PER_SEC,
		.help = "keep only the last TIME, in memory, until SIGUSR2 or the end",
		.more = "A flight recorder. At the end sberf writes what happened in this time, or up to a tenth more, "
			"to FILE. Each time that it receives SIGUSR2 it writes to FILE.1, FILE.2 and so on, the first "
			"name that is free, and goes on recording. It takes at most the memory that --max-size says, "
			"256M when it is not given; when that is not enough, it keeps less time. On a disk without "
			"room for all of it sberf writes the newest part, and says how much that is.",
	}, {
		.name = "keep", .metavar = "TIME", .type = OPT_TIME, .what = "time to keep",
		.section = SECTION_OUTPUT, .commands = CMD_AGENT, .at = FIELD(keep_ns), .min = NSEC_PER_SEC,
		.max = 30ull * 24 * 3600 * NSEC_PER_SEC,
		.help = "keep the last TIME in memory, for SIGUSR2, --when and the end",
		.more = "A flight recorder beside what is pushed or pulled. At the end sberf writes what happened in "
			"this time to FILE (-o), and before that for each SIGUSR2 and --when to FILE.1, FILE.2 and so "
			"on. It takes at most the memory that --max-size says, 256M when it is not given.",
	}, {
		.name = "when", .metavar = "CONDITION", .type = OPT_TEXTS, .what = "condition",
		.section = SECTION_OUTPUT, .commands = CMD_TOP | CMD_RECORD | CMD_AGENT, .at = FIELD(when),
		.help = "with --keep, write a file when this happens",
		.more = "'blocked > 200ms in FUNCTION' and 'runnable > 50ms in FUNCTION' are about single waits "
			"with that function on their stack, whose name may have * and ?. Without \"in FUNCTION\" "
			"each wait counts that is not idle: not for events, for work, or for time to pass. A wait "
			"is seen at its end, or within two seconds after it has lasted one. 'cpu > 90% for 5s', "
			"or cpu < 10%, is about all threads of the target together, in percent of one CPU, in "
			"each of so many seconds. The option may be repeated. Between two files the TIME of "
			"--keep passes, and there are --max-files of them at most.",
	}, {
		.name = "max-size", .metavar = "BYTES", .type = OPT_SIZE, .what = "memory to keep it in",
		.section = SECTION_OUTPUT, .commands = CMD_AGENT, .at = FIELD(max_bytes), .min = 65536,
		.max = 1ull << 50, .help = "with --keep, memory that it takes at most (256M)",
	}, {
		.name = "max-files", .metavar = "N", .type = OPT_NUMBER, .what = "number of files",
		.section = SECTION_OUTPUT, .commands = CMD_TOP | CMD_AGENT, .at = FIELD(max_files),
		.given = FIELD(max_files_given), .min = 1, .max = 100000, .fallback = "10",
		.help = "with --when, write at most this many files",
	}, {
		.name = "max-size", .metavar = "BYTES", .type = OPT_SIZE, .what = "size of a file",
		.section = SECTION_OUTPUT, .commands = CMD_RECORD, .at = FIELD(max_bytes), .min = 65536,
		.max = 1ull << 50, .help = "begin another file when one has about this size",
		.more = "FILE is always the newest file, FILE.1 the one before it, FILE.2 the one before that, and so "
			"on. Each can be read by itself, and sberf merge makes one recording of all of them. Files of "
			"an earlier recording with the same names count as older files: they are renamed and in the "
			"end deleted, too.",
	}, {
		.name = "max-files", .metavar = "N", .type = OPT_NUMBER, .what = "number of files",
		.section = SECTION_OUTPUT, .commands = CMD_RECORD, .at = FIELD(max_files),
		.given = FIELD(max_files_given), .min = 1, .max = 100000, .fallback = "10",
		.help = "with --max-size, keep this many files; with --when, write at most so many",
		.more = "So a recording of weeks takes about BYTES times N.",
	}, {
		.name = "duration", .metavar = "TIME", .type = OPT_TIME, .what = "duration",
		.section = SECTION_OUTPUT, .commands = CMD_RECORD | CMD_TRACE | CMD_BRANCHES, .at = FIELD(duration_ns),
		.min = NSEC_PER_MSEC,
		.max = 366ull * 24 * 3600 * NSEC_PER_SEC,
		.help = "stop after this time",
		.more = "Without it, sberf records until Ctrl-C, or until the target has ended.",
	}, {
		.letter = 'i', .name = "input", .metavar = "FILE", .type = OPT_FILE, .what = "recording",
			.positional = true,
		.section = SECTION_OUTPUT, .commands = CMD_REPORT | CMD_SERVE, .at = FIELD(input),
		.help = "the recording; sberf.data when not given",
		.more = "- is standard input.",
	}, {
		.letter = 's', .name = "summary", .type = OPT_FLAG, .min = true,
		.section = SECTION_OUTPUT, .commands = CMD_TRACE, .at = FIELD(trace_sums),
		.help = "at the end, print for each call how many there were, and how long they took",
	}, {
		.letter = 'S', .name = "summary-only", .type = OPT_FLAG, .min = true,
		.section = SECTION_OUTPUT, .commands = CMD_TRACE, .at = FIELD(trace_sums_only),
		.help = "print these sums, and no lines",
	}, {
		.name = "format", .metavar = "FORMAT", .type = OPT_CHOICE, .what = "format",
		.section = SECTION_OUTPUT, .commands = CMD_TRACE, .at = FIELD(trace_json), .choices = trace_formats,
		.fallback = "text", .help = "how lines are written",
		.more = "json is an object for each hit, on a line of its own: time_ns (since 1970), comm, pid, tid, "
			"cpu, latency_ns, call or probe, args or registers, result, error, stack. An argument that "
			"stands for a file has another one beside it whose name ends in _path. What was lost is an "
			"object with the member lost, and a sum one with the member sum.",
	}, {
		.name = "format", .metavar = "FORMAT", .type = OPT_CHOICE, .what = "format",
		.section = SECTION_OUTPUT, .commands = CMD_SYMBOLIZE, .at = FIELD(trace_json), .choices = trace_formats,
		.fallback = "text", .help = "how answers are written",
		.more = "text is as addr2line -a -f -i -p has it. json is an object for each address, on a line of its "
			"own: address, module, build_id, offset, and functions, innermost first, each with name, file, "
			"directory, line and inlined; or unknown, which says why there are none.",
	}, {
		.name = "count", .type = OPT_FLAG, .min = true,
		.section = SECTION_OUTPUT, .commands = CMD_BRANCHES, .at = FIELD(branch_count),
		.help = "at the end, how many calls there were, how long they took, and how often branches were taken",
	}, {
		.name = "last", .metavar = "N", .type = OPT_NUMBER, .what = "number of calls",
		.section = SECTION_OUTPUT, .commands = CMD_BRANCHES, .at = FIELD(last), .min = 1, .max = 100000,
		.help = "at the end, the branches of the last N calls",
	}, {
		.name = "disasm", .type = OPT_FLAG, .min = true,
		.section = SECTION_OUTPUT, .commands = CMD_BRANCHES, .at = FIELD(branch_disasm),
		.help = "at the end, the instructions of the function, with how often each branch was taken",
	}, {
		.name = "stacks", .type = OPT_FLAG, .min = true,
		.section = SECTION_OUTPUT, .commands = CMD_BRANCHES, .at = FIELD(branch_stacks),
		.help = "show by whom each call was made: its whole stack",
		.more = "That of the program, which is unwound as everywhere, and of a function of the kernel that of "
			"the kernel before it. Of one BPF program at a time: a breakpoint of each CPU takes it, and "
			"one more tells of the end of calls, so that fewer are left for jumps.",
	}, {
		.name = "record", .metavar = "FILE", .type = OPT_FILE, .what = "recording",
		.section = SECTION_OUTPUT, .commands = CMD_BRANCHES, .at = FIELD(branch_record),
		.help = "also record each call that is told, with its stacks",
		.more = "sberf report and all formats work on the recording, in which each such call is an event that "
			"weighs the time it took. sberf report --format probes has results, with errors by name, and "
			"last branches; sberf trace --input FILE has a line for each call.",
	}, {
		.name = "lines", .type = OPT_FLAG, .min = true,
		.section = SECTION_OUTPUT, .commands = CMD_BRANCHES, .at = FIELD(branch_lines),
		.help = "show the text of source lines, where they can be found; of the kernel its lines",
		.more = "Lines of the kernel take its debug information (/usr/lib/debug/boot/vmlinux-RELEASE, or "
			"--debuginfod): without it sberf says so.",
	}, {
		.name = "format", .metavar = "FORMAT", .type = OPT_CHOICE, .what = "format",
		.section = SECTION_OUTPUT, .commands = CMD_BRANCHES, .at = FIELD(trace_json), .choices = trace_formats,
		.fallback = "text", .help = "how it is written",
		.more = "json is an object on a line of its own for each call: call, time_ns (since 1970), comm, pid, "
			"tid, latency_ns, depth, args, result, end (return, jump, left or begun), meets, and branches, "
			"each with from, to and taken, or gap; print and stack where they are asked for. With --how "
			"graph it has calls in their place, in the order of their begins, each with function, depth, "
			"after_ns (since the first one began), latency_ns, args and result. With --count it is one "
			"for each function and each branch, with --part one that has the member part.",
	}, {
		.letter = 'd', .name = "duration", .metavar = "SECONDS", .type = OPT_TIME, .what = "duration",
		.section = SECTION_OUTPUT, .commands = CMD_BPF, .at = FIELD(watch_ns), .min = 10 * NSEC_PER_MSEC,
		.max = 3600 * NSEC_PER_SEC, .fallback = "1s",
		.help = "how long runs are counted",
	}, {
		.name = "format", .metavar = "FORMAT", .type = OPT_CHOICE, .what = "format",
		.section = SECTION_OUTPUT, .commands = CMD_BPF, .at = FIELD(trace_json), .choices = trace_formats,
		.fallback = "text", .help = "how programs are written",
		.more = "json is an object for each program, on a line of its own: id, type, name, tag, uid, "
			"jited_bytes, pinned (paths) and processes (pid and comm) that keep it, and, when runs were "
			"counted, over_ns, and within that runs, run_ns and missed.",
	}, {
		.letter = 'o', .name = "output", .metavar = "FILE", .type = OPT_FILE, .what = "output file",
		.section = SECTION_OUTPUT, .commands = CMD_TRACE | CMD_BRANCHES, .at = FIELD(output),
		.help = "write to this file instead of standard output",
		.more = "Without it, a command behind -- writes to standard error instead of standard output.",
	}, {
		.letter = 'i', .name = "input", .metavar = "FILE", .type = OPT_FILE, .what = "recording",
		.section = SECTION_OUTPUT, .commands = CMD_TRACE, .at = FIELD(input),
		.help = "print what a recording holds, instead of what happens now",
		.more = "A recording has of each hit of its probes when it was, who, how long it took, and the stack. "
			"It has no arguments and results. Hits with the same stack that the kernel added up are one "
			"line with their number, and the time that they took together.",
	}, {
		.letter = 'i', .name = "input", .metavar = "FILE", .type = OPT_FILES, .what = "recording",
			.positional = true,
		.section = SECTION_OUTPUT, .commands = CMD_MERGE, .at = FIELD(files),
		.help = "a recording, once for each",
		.more = "- is standard input. sberf reads each recording twice, so it first copies what comes through "
			"a pipe into a file in $TMPDIR.",
	}, {
		.letter = 'o', .name = "output", .metavar = "OUT", .type = OPT_FILE, .what = "output file",
		.section = SECTION_OUTPUT, .commands = CMD_MERGE, .at = FIELD(output),
		.help = "write the merged recording to this file",
		.more = "A recording is never replaced. - is standard output, which must not be a terminal.",
	}, {
		.letter = 'i', .name = "input", .metavar = "FILE", .type = OPT_FILES, .what = "recording",
			.positional = true,
		.section = SECTION_OUTPUT, .commands = CMD_CHECK, .at = FIELD(files),
		.help = "a recording; sberf.data when none is given",
		.more = "May be given several times. - is standard input.",
	}, {
		.letter = 'e', .name = "probe", .metavar = "PROBE", .type = OPT_FILES, .what = "probe",
			.positional = true,
		.section = SECTION_OUTPUT, .commands = CMD_LIST, .at = FIELD(files),
		.help = "list this alone: a probe (sberf-probe(7)), or a wildcard for its text",
		.more = "May be given several times.",
	}, {
		.name = "complete", .metavar = "TEXT", .type = OPT_TEXT, .what = "text",
		.section = SECTION_OUTPUT, .commands = CMD_LIST, .at = FIELD(complete), .min = 1,
		.help = "only in which ways the text of a probe can go on, a line each",
		.more = "For shells. TEXT may be empty; at most 200 are printed.",
	}, {
		.name = "import", .metavar = "FORMAT", .type = OPT_CHOICE, .what = "format of the input",
		.section = SECTION_OUTPUT, .commands = CMD_READING | CMD_SERVE, .at = FIELD(import), .choices = imports,
		.help = "the input is a file of another tool",
		.more = "folded: one stack on each line, its functions separated by semicolons and a number at the "
			"end, as stackcollapse-perf.pl, bcc and many others write it; the first name is the program "
			"that ran. sberf shows the numbers as they are, because the file does not say what they count. "
			"Names that end in _[k] are functions of the kernel, in _[i] inlined functions, in _[j] "
			"functions of JIT compilers. perf-script: what perf script prints, by perf or by others, with "
			"stacks or without; of several events see --event. sberf passes over lines that it does not "
			"know and counts them, as long as it knows most lines. heaptrack: a file of heaptrack 1.4, "
			"with each allocation and each free of a program: everything that --memory measures, without "
			"errors and without threads. Input may be compressed by gzip or xz, "
			"and by zstd or bzip2 where sberf was built with their libraries. An imported file has no NUMA "
			"nodes.",
	}, {
		.name = "event", .metavar = "EVENT", .type = OPT_TEXT, .what = "event",
		.section = SECTION_OUTPUT, .commands = CMD_READING, .at = FIELD(imported_event),
		.help = "the event of --import perf-script to look at",
		.more = "Such as cycles or sched:sched_switch. Without it the first sample decides. When its event is "
			"time (cpu-clock, task-clock, offcpu-blocked, offcpu-runnable, offcpu-time), sberf reads all "
			"of these, so time on the CPU and off it. When it is another event, sberf reads that one "
			"alone, in its own unit. A sentence on standard error says how many samples of which events "
			"were left out.",
	}, {
		.name = "format", .metavar = "FORMAT", .type = OPT_FORMAT, .what = "format", .min = EXPORT_BY_REPORT,
		.section = SECTION_OUTPUT, .commands = CMD_REPORT, .at = FIELD(format),
		.help = "what to write",
		.more = "When not given, the extension of -o chooses. On a terminal without -o and without this "
			"option, sberf shows the recording as `sberf top` would. ~ stands before what is "
			"estimated or mostly "
			"extrapolated. Names longer than 65,535 bytes are truncated, except in formats that say "
			"otherwise. What "
			"is imported and is not time is written in its own unit.",
	}, {
		.name = "before", .metavar = "FILE", .type = OPT_FILE, .what = "recording before the change",
			.positional = true,
		.section = SECTION_OUTPUT, .commands = CMD_DIFF, .at = FIELD(before),
		.help = "the recording to compare with; the first of two arguments",
		.more = "- is standard input.",
	}, {
		.name = "after", .metavar = "FILE", .type = OPT_FILE, .what = "recording after the change",
			.positional = true,
		.section = SECTION_OUTPUT, .commands = CMD_DIFF, .at = FIELD(after),
		.help = "the recording to look at; the second of two arguments",
		.more = "- is standard input.",
	}, {
		.name = "format", .metavar = "FORMAT", .type = OPT_FORMAT, .what = "format", .min = EXPORT_BY_DIFF,
		.section = SECTION_OUTPUT, .commands = CMD_DIFF, .at = FIELD(format),
		.help = "what to write",
		.more = "When not given, the extension of -o chooses, or else tree.",
	}, {
		.name = "normalize", .metavar = "HOW", .type = OPT_CHOICE, .what = "normalisation",
		.section = SECTION_OUTPUT, .commands = CMD_DIFF, .at = FIELD(norm), .choices = norms,
		.fallback = "total", .help = "what shares are of",
		.more = "total: shares are of all time on their side. So recordings of different lengths can be "
			"compared, and a function grew when it takes a larger part. wall: shares are of the time for "
			"which their side was recorded. So a program that does the same with less time shows that "
			"everywhere; four busy threads have 400 %. none: shares are of the total before, on both "
			"sides; for a job that was recorded from its beginning to its end.",
	}, {
		.name = "percent-limit", .metavar = "PERCENT", .type = OPT_PERCENT, .what = "limit",
		.section = SECTION_OUTPUT, .commands = CMD_DIFF, .at = FIELD(percent_limit), .max = 100,
		.help = "leave out what changed by fewer points than this",
		.more = "In a tree, leave out lines below which nothing changed by more.",
	}, {
		.name = "depth", .metavar = "LEVELS", .type = OPT_NUMBER, .what = "depth",
		.section = SECTION_OUTPUT, .commands = CMD_DIFF, .at = FIELD(depth), .min = 1, .max = UINT16_MAX,
		.help = "levels of the tree under the groups",
	}, {
		.name = "fail-above", .metavar = "PERCENT", .type = OPT_PERCENT, .what = "limit of growth",
		.section = SECTION_OUTPUT, .commands = CMD_DIFF, .at = FIELD(fail_above),
		.given = FIELD(fail_given), .max = 10000,
		.help = "end with status 3 when a function grew by more points",
		.more = "A function grew when its share, its own or its total, is larger by more than this many "
			"points, and by more than sampling varies. Over all functions that are compared, chance alone "
			"causes status 3 in at most one of a hundred cases. A sentence on standard error names the "
			"function that grew most. Other differences between two runs of one program are not chance in "
			"this sense: choose a limit above them. When the filters leave nothing on either side, there "
			"is nothing to judge, and the status is 1.",
	}, {
		.name = "inverted", .type = OPT_FLAG, .min = true,
		.section = SECTION_OUTPUT, .commands = CMD_REPORT, .at = FIELD(inverted),
		.help = "callers below the functions that they call",
		.more = "So the tree begins with the innermost functions: first what runs or waits, then "
		"who called it.",
	}, {
		.name = "percent-limit", .metavar = "PERCENT", .type = OPT_PERCENT, .what = "limit",
		.section = SECTION_OUTPUT, .commands = CMD_REPORT, .at = FIELD(percent_limit), .max = 100,
		.help = "leave out of the text what is smaller than this",
		.more = "One line counts what is left out.",
	}, {
		.name = "older", .metavar = "TIME", .type = OPT_TIME, .what = "age",
		.section = SECTION_OUTPUT, .commands = CMD_REPORT, .at = FIELD(older_ns),
		.max = 1000 * 24 * 3600 * NSEC_PER_SEC,
		.help = "of memory in use, only blocks that have been in use for so long",
		.more = "For --format memory and leaks. Ages are known to an eighth.",
	}, {
		.name = "min-bytes", .metavar = "BYTES", .type = OPT_SIZE, .what = "size",
		.section = SECTION_OUTPUT, .commands = CMD_REPORT, .at = FIELD(min_bytes), .min = 1,
		.max = (uint64_t)1 << 50,
		.help = "a line only for sites that have so much memory in use",
		.more = "For --format memory and leaks. One line has all others.",
	}, {
		.name = "depth", .metavar = "LEVELS", .type = OPT_NUMBER, .what = "depth",
		.section = SECTION_OUTPUT, .commands = CMD_REPORT, .at = FIELD(depth), .min = 1, .max = 65000,
		.help = "levels of functions in the text of the tree",
	}, {
		.name = "group-by", .metavar = "GROUP", .type = OPT_CHOICE, .what = "group",
		.section = SECTION_OUTPUT, .commands = CMD_READING | CMD_SERVE, .at = FIELD(group_by),
		.given = FIELD(group_given),
		.choices = groups,
		.help = "what the roots of the tree are",
		.more = "The default is process, or what --format says.",
	}, {
		.name = "title", .metavar = "TEXT", .type = OPT_TEXT, .what = "title",
		.section = SECTION_OUTPUT, .commands = CMD_READING, .at = FIELD(title),
		.help = "title of a flame graph; the target when not given",
	}, {
		.name = "min-width", .metavar = "PIXELS", .type = OPT_PIXELS, .what = "smallest width",
		.section = SECTION_OUTPUT, .commands = CMD_READING, .at = FIELD(min_width),
		.given = FIELD(min_width_given), .min = 0, .max = 1000, .fallback = "0.5",
		.help = "frames narrower than this share a box in a flame graph",
		.more = "The file holds all frames all the same: zooming in shows them, and a search counts them.",
	}, {
		.name = "orientation", .metavar = "WHERE", .type = OPT_SWITCH, .what = "orientation",
		.section = SECTION_OUTPUT, .commands = CMD_READING, .at = FIELD(upwards), .given = FIELD(upwards_given),
		.choices = orientations, .fallback = "icicle",
		.help = "callers on top (icicle), or at the bottom (flame)",
		.more = "A key in the flame graph switches.",
	}, {
		.name = "no-script", .type = OPT_FLAG, .min = true,
		.section = SECTION_OUTPUT, .commands = CMD_READING, .at = FIELD(no_script),
		.help = "a still flame graph, for papers and mails",
		.more = "It has only frames of 0.1 % and more.",
	}, {
		.letter = 'o', .name = "output", .metavar = "OUT", .type = OPT_FILE, .what = "output file",
		.section = SECTION_OUTPUT, .commands = CMD_READING, .at = FIELD(output),
		.help = "write to this file instead of standard output",
		.more = "A recording is never replaced. - is standard output.",
	}, {
		.name = "ascii", .type = OPT_FLAG, .min = true,
		.section = SECTION_OUTPUT, .commands = CMD_SHOWING, .at = FIELD(ascii),
		.help = "draw with ASCII characters only",
	}, {
		.name = "no-color", .type = OPT_FLAG, .min = true,
		.section = SECTION_OUTPUT, .commands = CMD_TOP | CMD_REPORT, .at = FIELD(no_color),
		.help = "draw the terminal view without colour, as with $NO_COLOR",
	},
	{
		.name = "verbose", .type = OPT_FLAG, .min = true,
		.section = SECTION_OTHER, .commands = CMD_TARGETING | CMD_DOCTOR, .at = FIELD(verbose),
		.help = "at the end, print messages of libbpf and of the verifier",
		.more = "They go to standard error. Add them to a report about a BPF program that the kernel refuses: "
			"sberf can go on without some programs, and then nothing else shows the reason. doctor loads "
			"all programs to find out.",
	}, {
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
	"Shows live where the target spends its time, running or waiting, as one call tree. The stacks are complete on "
	"ordinary optimised binaries without frame pointers.",
	"When waits are followed, each line has running, runnable and blocked time, in percent of the time that has "
	"passed. 100 % is one thread, so four busy threads have 400 %. ~ stands before a figure that is mostly an "
	"estimate. A wait that has not ended counts with its length so far, and is marked. Idle waits (for events, for "
	"work, for a time) are one line at the end, until w shows them. 6 lists what the threads wait for.",
	"3 shows the NUMA nodes: on which of them the target runs, on which its memory is, which accesses go to which "
	"node, which functions pay for the distance, and who touched memory first. On a machine with one node, sberf "
	"samples accesses from the moment 3 is pressed. f can limit all panes to one node, and T splits the tree by "
	"node.",
	"S saves exactly what is shown, with its filters and zoom, into the current directory: as a flame graph, for "
	"pprof, as folded stacks, or as a recording (of sums, so its times are whole seconds). R records everything "
	"from now on, until it is pressed again.",
	"Threads and child processes that the target starts later belong to it. Child processes that run already do "
	"not; sberf says how many there are. -n takes every process of a name, and -p several. When the target ends, "
	"the view stays.",
	"Without a target sberf begins with a list of processes to pick from, sorted by the CPU time that they take "
	"now. P shows the same list at any time: the capture ends, and a capture of the picked process begins in the "
	"same panes. If that fails, nothing has changed.",
	"After o, + and - change how often sberf samples, and > and < how often it refreshes the screen. Each sample "
	"is weighed by the rate in force when it was taken, so totals stay right. A file with samples of several rates "
	"does not tell a single rate.",
	"A command behind -- runs as the user who called sberf (also through sudo), with no terminal of its own. sberf "
	"asks it to end when the view is left.",
	NULL,
};

static const char *const top_examples[] = {
	"sberf top", "pick a process from a list",
	"sberf top -n redis-server", "every process called redis-server",
	"sberf top -F 499 -- make -j2", "a build and everything it starts, at 499 samples a second",
	"sberf top --keep 5m -p 1234", "when it happens, R saves the five minutes before",
	"sberf top -b -n 3 -d 10 -p 1234", "three documents as text, one every ten seconds",
	"sberf top -b --format json -a | jq -c .figures.oncpu_samples", "for scripts",
	NULL,
};

static const char *const record_text[] = {
	"Saves what the target does, on the CPU and while it waits, into a file, until Ctrl-C, the end of the target, "
	"or --duration. The file holds all names and line numbers. So any machine can read it later, without the "
	"binaries.",
	"Threads and child processes that the target starts later belong to it. Child processes that run already do "
	"not; sberf says how many there are. -n takes every process of a name, and -p several.",
	"A command behind -- runs as the user who called sberf (also through sudo). sberf ends with the exit status of "
	"the command. When --duration is over before the command has ended, recording stops, the command goes on, and "
	"sberf waits for its end.",
	"Ctrl-C, SIGTERM and SIGHUP end the recording, and reach the command too. At the second signal sberf no longer "
	"waits for the command. SIGKILL costs a recording its last second.",
	"When the recording cannot go on, because the disk is full or nobody reads -o - any more, what was written so "
	"far is a recording up to that moment. sberf says so at once and does not end the command: it waits for it, "
	"and then ends with status 1. When the recording cannot begin, sberf does not start the command.",
	NULL,
};

static const char *const record_examples[] = {
	"sberf record -p 1234 --duration 30s", "half a minute of process 1234 into sberf.data",
	"sberf record -o build.data -- make", "a build, from its beginning to its end",
	"ssh host sberf record -a --duration 5s -o - | sberf report -i -",
	"what another machine does, without a file in between",
	"sberf record -a --keep 5m -o flight.data", "the last five minutes, whenever: pkill -USR2 sberf",
	"sberf record -a --max-size 100M --max-files 20", "for weeks: what lies back no more than 2 GB",
	"sberf record -p 1234 --wakers --min-block 1ms", "with who ended each wait of a millisecond and more",
	NULL,
};

/* What commands that read recordings say of what they give up; docs/permissions.md has the table. */
#define READS_WITHOUT_RIGHTS \
	"Before it looks at the first byte of a file, sberf gives up what it does not need for that: it can start no " \
	"program, look into no other process and connect to nobody from then on, and open no files but those that " \
	"this command writes or reads (by Landlock, where the kernel has it)."

static const char *const report_text[] = {
	"Reads a recording and shows it: as a tree, as folded stacks, as a list of waits, by NUMA node, as figures for "
	"scripts, or as a file for another program.",
	"Filters choose what is counted in every format but summary, which is about all that was recorded.",
	READS_WITHOUT_RIGHTS,
	NULL,
};

static const char *const report_examples[] = {
	"sberf report", "look at sberf.data in the terminal view",
	"sberf report -o build.svg build.data", "a flame graph, to be opened in a web browser",
	"sberf report --format folded build.data >build.folded", "stacks as text",
	"sberf report --format waits --syscall futex,fsync", "what threads waited for in these calls, and how long",
	"sberf report --metric off-cpu -o waits.svg", "the same as a flame graph: where the program waits",
	"sberf report --format probes", "hits of --probe, and how long the calls took",
	"sberf report --format numa", "which nodes run it, where its memory is, what pays for the distance",
	"sberf report -o x.speedscope.json", "to be looked at in speedscope",
	"sberf report -o x.firefox.json", "to be loaded at profiler.firefox.com",
	"sberf report --format json", "everything, for jq and scripts",
	"sberf report --format flat --percent-limit 1%", "the functions that take most of it",
	"sberf report --focus 'malloc|free' --inverted | less", "who calls these, heaviest first",
	"sberf report --time 50%, --thread 'worker*' -o half.svg", "the second half of it, and of some threads",
	"sberf report --import folded perf.folded", "look at what stackcollapse-perf.pl wrote",
	"sberf report --far -o far.html", "a flame graph of accesses to memory of other nodes",
	NULL,
};

static const char *const merge_text[] = {
	"Makes one recording of several: of the parts of a rotated recording, of several processes, or of several "
	"machines. Of one recording, it writes the same again, in the format of this version of sberf.",
	"Totals add up exactly, losses too. Recordings of one machine since it booted share a clock. The times of "
	"another machine are moved by the difference between the two clocks. Its threads, and its files without a "
	"build-id, stay apart from those with the same number here. The duration is the time in which something was "
	"recorded. The command of the merged recording is that of the merge, so it names the recordings that it was "
	"made of. Counts of NUMA nodes are added; where memory was is what the last recording says.",
	READS_WITHOUT_RIGHTS,
	NULL,
};

static const char *const merge_examples[] = {
	"sberf merge sberf.data sberf.data.* -o whole.data", "the whole of a recording with --max-size",
	NULL,
};

static const char *const check_text[] = {
	"Says what is in recordings: which sberf made them, where and when; how many events of each kind, names and "
	"losses they have; and the size of each type of block. It also says what is damaged, where, and what is lost "
	"by the damage.",
	READS_WITHOUT_RIGHTS,
	NULL,
};

static const char *const check_examples[] = {
	"sberf check", "look into sberf.data",
	"sberf check *.data >/dev/null && echo sound", "whether all recordings here are whole",
	NULL,
};

static const char *const diff_text[] = {
	"Compares two recordings of a program, one from before a change and one from after it. It says what takes more "
	"or less of the time, and what appeared or vanished.",
	"Within one build (files with the same build-id), functions are the same when they are at the same place. In "
	"different builds they are the same when their demangled names are the same, inlined or not: first in files of "
	"the same name, then in any file, and without what compilers add to the names of clones. Code without names in "
	"files that differ is one line for each file. Groups are matched by their names, without pids and tids. Two "
	"groups that have more than half of the time, each on its side, are the same, whatever they are called.",
	"Changes are in points: percent of what --normalize says. Two samples of the same thing differ by chance. "
	"Beside each change stands by how much it may be off for that reason, 95 times of 100: 1.96 standard errors of "
	"the difference of two proportions, from the numbers and weights of samples and waits, with one added for and "
	"one against (Agresti and Caffo, 2000). ~ stands before a change that is no larger than that. A longer "
	"recording makes the error smaller: four times as long, half as large.",
	"Filters choose what is compared, on both sides.",
	READS_WITHOUT_RIGHTS,
	NULL,
};

static const char *const diff_examples[] = {
	"sberf diff old.data new.data", "what changed, as a tree",
	"sberf diff --format flat --metric on-cpu old.data new.data", "the same by function, for running time",
	"sberf diff --percent-limit 1 old.data new.data", "only where a point or more is between them",
	"sberf diff --fail-above 2 --metric on-cpu old.data new.data",
	"a gate: status 3 when a function takes 2 points more of the whole",
	"sberf diff -o change.svg old.data new.data", "one flame graph of both, to be opened in a browser",
	"sberf diff --format folded old.data new.data | flamegraph.pl >diff.svg", "for other tools",
	NULL,
};

static const char *const doctor_text[] = {
	"Says what this kernel, this machine and this user allow, and one command for each thing that is missing.",
	"With -p it says instead who waits for whom in a program that hangs, or runs, now: deadlocks first, as chains "
	"(\"a waits for mutex l, held by b, which waits for mutex m, held by a\"), then other chains, then what each "
	"thread waits for, with its stack. Nothing need have been recorded, and nobody is stopped.",
	"The holder is the thread whose number stands in the lock: in mutexes and rwlocks of glibc, in locks that "
	"inherit priorities, at the end of a thread that is waited for, and, of locks on files, in /proc/locks. "
	"Readers of an rwlock are counted. Of conditions, semaphores, barriers and the locks of other libraries "
	"nobody says who holds them. A holder that has ended is called gone.",
	"Threads are looked at twice; of those that ran in between no holder is named. Where BPF is permitted, stacks "
	"are complete; else they may end at functions that keep a frame pointer.",
	NULL,
};

static const char *const doctor_examples[] = {
	"sberf doctor", "check everything",
	"sberf doctor -p $(pidof app)", "who waits for whom in a program that hangs",
	NULL,
};

static const char *const list_text[] = {
	"Lists what can be probed, one a line: what a hit costs, the probe as sberf-probe(7) describes it, its "
	"arguments, and a remark. System calls and tracepoints are those of this kernel; functions and static "
	"probes are those of the files that the target executes.",
	"The cost is that of counting, without a stack. It was measured on one machine, a virtual one, and says "
	"which of two probes is dearer rather than what either costs elsewhere. A function costs less than a "
	"microsecond where the kernel emulates the probed instruction, and 11 to 16 where it has to run a copy of "
	"it. sberf looks for the first instruction of the former kind behind the entry; the remark says where it "
	"is, or why there is none.",
	"sberf top and sberf record can place all of these (--probe).",
	"k:NAME and kr:NAME, with wildcards, list functions of the kernel and of its modules with their prototypes "
	"(k:[MODULE]* those of a module, k::fs/*.c those of source files, with debug information), as "
	"its BTF has them, also where they cannot be probed, which is said then.",
	"bpf:ID:FUNCTION and bpf:FUNCTION, with wildcards, list the functions of BPF programs that are loaded, "
	"with their sub-programs, and what each is given. These cannot be probed yet.",
	NULL,
};

static const char *const list_examples[] = {
	"sberf list 'bpf:*'", "the functions of all BPF programs",
	"sberf list 'k:vfs_*'", "functions of the kernel, with what they are given and return",
	"sberf list 'sys:%net'", "system calls about the network, with their arguments",
	"sberf list 'tracepoint:sched:*'", "tracepoints of the scheduler, with their fields",
	"sberf list -p 1234 'call:libc.so.6:*alloc'", "functions of the C library of a process, and what timing "
	"them costs",
	"sberf list 'usdt:/usr/bin/python3:*'", "static probes of a program",
	"sberf list -p 1234 '*lock*'", "whatever has lock in its name",
	NULL,
};

static const char *const symbolize_text[] = {
	"Names addresses: functions, the calls that were inlined there, files and lines. Of a running process they are "
	"addresses in it, in files that were deleted or are in a container, too, in its vDSO and in what run-time "
	"compilers tell of (perf maps, jitdump). Of a file they are those that nm prints. With a build-id sberf looks "
	"for the file as for debug files: below --symfs and /usr/lib/debug, and, with --debuginfod, on servers. "
	"Addresses of the kernel are taken with all of these.",
	"The program answers by libsberf, which other programs can use as well (sberf/symbolize.h).",
	NULL,
};

static const char *const symbolize_examples[] = {
	"sberf symbolize -p 1234 7f12c0a3b110", "where a process is at that address",
	"sberf symbolize -e ./app 401136 40113b", "two places of a program, as addr2line -afip -e does",
	"sberf symbolize c8ba9b8a5bd6ac2c1a4f2e6a7f1c1c2d3e4f5061 1136", "a place in a file of which the build-id is "
	"known",
	"dmesg | grep -o 'ffffffff[0-9a-f]*' | sberf symbolize", "addresses of the kernel",
	"sberf symbolize --serve /run/names /srv/builds", "names for others, of all programs below that folder",
	NULL,
};

static const char *const bpf_text[] = {
	"Lists the BPF programs that the kernel has loaded, by the time that they took while sberf looked: how often "
	"each ran, how long a run took, and what that is of one CPU. A program is named as its source does; the tag is "
	"a hash of its instructions, so two with the same tag do the same.",
	"Behind the name stands who keeps it: paths where it, or a link of it, is pinned, and processes that have one "
	"of these or a perf event with it open. Programs that are attached otherwise, to a network device or a cgroup, "
	"have nobody there.",
	"The kernel counts runs for as long as sberf looks (since 5.8), which takes two readings of the clock a run. "
	"Runs that were missed are those of a program that ran on that CPU already.",
	NULL,
};

static const char *const bpf_examples[] = {
	"sberf bpf", "what BPF costs now, program by program",
	"sberf bpf -d 10 --format json | jq -r 'select(.runs > 0) | .name'", "which programs ran within ten seconds",
	NULL,
};

static const char *const branches_text[] = {
	"Shows which branches the calls of a function took, oldest first: each from where to where, by function and "
	"offset, with file, line and inlined functions. With --part it shows the first branch at which calls that "
	"meet a condition part from those that do not: the line that decided.",
	"In programs and libraries that needs no hardware: probes are placed at basic blocks of the function, as many "
	"as are needed to know which branches a call took. The price is said first: how many probes, "
	"and what a hit of one costs. Where they cost more than --budget they are in place for a part of the time. "
	"Each call is printed when it ends, unless --part, --count, --disasm or --last asks for what is known in the "
	"end: at Ctrl-C, after --duration, or with the end of the target.",
	"Functions of the kernel are followed in the same way, by kprobes, of which it takes one a block. A condition "
	"on parameters is evaluated in the kernel, before anything is told: then one call at a time is followed in "
	"each thread, and what others do in the same function costs a look. It takes a kernel with kprobes, its own "
	"code (/proc/kcore), and for the names of parameters its BTF.",
	"With --how graph it shows what the function calls instead: each call with its arguments, its result, with "
	"errors by name, and its time. --part then names the function whose failure, or whose call, parts calls that "
	"meet the condition from the others. Functions are found by decoding the code; what a pointer leads to is "
	"found when it is called, and followed from then on, which is said: calls that came before are counted.",
	"BPF programs are followed wherever they run, without a target: each call with its context, the length of the "
		"packet "
	"(len) and the result by its name, and with the jumps on a condition that it came to, by the lines that the "
		"program "
	"has. No probe of the kernel can stand in their code, but breakpoints of the CPU can: four at a time. Of a "
	"program with more jumps four are watched for some calls, then the next four; so single calls have gaps, and "
		"counts, "
	"--part and --disasm show all jumps. A condition is evaluated in the kernel, the one on the result too. It "
		"takes a "
	"kernel that lets BPF programs be traced (fentry), was built with kprobes, and a program with type information "
		"(BTF).",
	"Times of calls include what their probes took. A call that calls itself is told apart from the inner one. "
	"One that goes on in another function (a tail call) ends where that does. One that was left by longjmp() or "
	"an exception is shown as such. Where a table of jumps leads, and where a caught exception goes on, is known "
	"if that stands behind a jump; else the way between two blocks is marked as a gap.",
	NULL,
};

static const char *const branches_examples[] = {
	"sberf branches u:/usr/bin/app:parse -p 1234", "the branches of each call",
	"sberf branches u:app:parse --part 'retval < 0' --lines -p 1234", "why some calls fail, in the source",
	"sberf branches u:libc.so.6:malloc --count --duration 5s -p 1234", "how often each branch of malloc is taken",
	"sberf branches 'u:app:parse /arg1 > 4096/' --last 3 -- ./app", "the last three calls with a large argument",
	"sberf branches k:ksys_dup3 --entry --stacks -p 1234", "each call when it begins, and who calls",
	"sberf branches k:ksys_dup3 --part 'retval < 0' -p 1234", "which branch of the kernel refuses a system call",
	"sberf branches k:do_sys_openat2 --how graph --part 'retval < 0' -p 1234", "which function below it fails",
	"sberf branches bpf:my_filter --part 'retval == 1' --lines --duration 10s", "why an XDP program drops packets",
	NULL,
};

static const char *const trace_text[] = {
	"Prints a line for each hit of a probe while it happens, all system calls when no probe is given: the time of "
	"day, the thread, its CPU, how long it took, and the call with its arguments and its result. Lines are in "
	"order of time, which is that of the return. Ctrl-C, the end of the target, or the end of the program that "
	"reads the lines ends it.",
	"The target is not stopped. So sberf reads strings and the begin of data when the call begins, and when it "
	"returns where they were not in memory by then, and looks up files of descriptors a little later. It names "
	"only the file that the descriptor stood for at that moment. Where it comes too late it prints the "
	"name that opened the file, if it has seen that call, else none. Foreign bytes are escaped.",
	"What was lost, because the target was faster than sberf or than whoever reads the lines, is said on "
	"standard error when it happens, and once more at the end. Calls that had begun before sberf did "
	"have no line, and those that do not return (exit_group) have one when they begin, without a stack.",
	"Functions have the names and types that debug information gives their parameters and their result, static "
	"probes (usdt:) arg0 to arg5 where their notes say. Where functions of one probe differ in that, a line has "
	"the six registers that may hold arguments, and at a return the one that may hold a result. Of a probe that "
	"means several functions or tracepoints the line says which one it is, and -s adds up each by itself.",
	NULL,
};

static const char *const trace_examples[] = {
	"sberf trace -- ls", "all system calls of a command",
	"sberf trace -p 1234 --probe sys:%file", "which files a process opens, looks at and changes",
	"sberf trace -n redis-server --probe sys:fsync -k", "who calls fsync, with the stack, and how long it takes",
	"sberf trace -S --duration 5s -p 1234", "how many calls of each kind, and how long they take",
	"sberf trace --format json -p 1234 | jq -c 'select(.error)'", "calls that fail",
	"sberf trace -i sberf.data", "each hit of the probes of a recording",
	NULL,
};

static const char *const serve_text[] = {
	"Shows a page in a browser of this machine: the call tree and the flame graph of the HTML export, a strip of "
	"time, functions, threads, waits, locks, NUMA nodes, memory, probes. It is about what runs, and follows it, or "
	"about a recording. sberf prints the address, and answers until it is interrupted.",
	"A range that is chosen in the strip, with the pointer or the arrow keys, freezes what is shown, while the "
	"strip goes on. It consists of slices of 100ms, as those of sberf report --time, and has the same totals. In "
	"what runs, slices become longer after two minutes; the page says which range it is. What is shown can be "
	"saved in any format of sberf report.",
	"The address has a secret in it: whoever has the address can see everything, and nobody else anything. Other "
	"names of this machine and pages of other sites are refused, and nothing can be changed from the page. "
	"Programs may ask too: /live (server-sent events, JSON), /snapshot?from=1s&to=2s&pane=tree, /export.pb.gz and "
	"the like, and /debug/pprof/profile?seconds=N, offcpu and memory as sberf-agent(1) has them.",
	"Four pages can follow at a time; one that is hidden does not count. One that does not read gets the newest "
	"state when it does, and is dropped after 30 seconds.",
	NULL,
};

static const char *const serve_examples[] = {
	"sberf serve -n redis-server", "a page of what a server does now",
	"sberf serve sberf.data", "a page of a recording",
	"sberf serve -a --listen 7007", "all of this machine, at a fixed port",
	"ssh -L 7007:127.0.0.1:7007 host sudo sberf serve -a --listen 7007", "the same of another machine",
	NULL,
};

static const char *const agent_text[] = {
	"Captures without a terminal, and answers programs that collect profiles: Parca, Grafana Alloy, Pyroscope, or "
	"go tool pprof. They ask for http://127.0.0.1:PORT/PREFIX/debug/pprof/NAME?seconds=N, with N up to 60 (30 when "
	"it is left out). NAME is profile, the time on the CPU of the next N seconds; offcpu, the time that threads "
	"were blocked or waited for a CPU in them, without waits of threads that have nothing to do; or memory, which "
	"--memory follows, at once. The answer is a profile of pprof, with names, and says of which whole seconds it "
	"is: it comes one to seven seconds after them.",
	"With --push it sends the same to a store itself, time on the CPU and off it, every ten seconds.",
	"There is no page here. sberf ends with SIGTERM, or with the target.",
	NULL,
};

static const char *const agent_examples[] = {
	"sberf agent -n shop --push pyroscope+http://127.0.0.1:4040 --label region=eu",
	"push to Pyroscope or Alloy",
	"sberf agent -a --listen 127.0.0.1:7007 --prefix-file /etc/sberf/prefix", "answer scrapers on this machine",
	"go tool pprof http://127.0.0.1:7007/$(cat /etc/sberf/prefix)/debug/pprof/profile?seconds=10",
	"ask it by hand",
	NULL,
};

const struct command_info command_infos[] = {
	{
		.name = "top", .bit = CMD_TOP, .synopsis = "[TARGET] [CAPTURE] [-d SECONDS] [-b [-n N]]",
		.summary = "show live where the time goes", .text = top_text, .examples = top_examples,
	}, {
		.name = "record", .bit = CMD_RECORD, .synopsis = "TARGET [CAPTURE] [-o FILE] [--duration TIME]",
		.summary = "record into a file where the time goes", .text = record_text, .examples = record_examples,
	}, {
		.name = "report", .bit = CMD_REPORT, .synopsis = "[-i FILE | FILE] [OPTIONS]",
		.summary = "show a recording, or write it for other programs", .text = report_text,
		.examples = report_examples,
	}, {
		.name = "serve", .bit = CMD_SERVE,
		.synopsis = "TARGET|FILE [--listen [ADDRESS:]PORT | --socket PATH]",
		.summary = "show it live in a browser, or a recording", .text = serve_text,
		.examples = serve_examples,
	}, {
		.name = "agent", .bit = CMD_AGENT,
		.synopsis = "TARGET --push URL | --listen [ADDRESS:]PORT|--socket PATH --prefix-file FILE",
		.summary = "push profiles to a store, or answer collectors", .text = agent_text,
		.examples = agent_examples,
	}, {
		.name = "merge", .bit = CMD_MERGE, .synopsis = "FILE... -o OUT",
		.summary = "make one recording of several", .text = merge_text, .examples = merge_examples,
	}, {
		.name = "check", .bit = CMD_CHECK, .synopsis = "[FILE...]",
		.summary = "say what is in a recording, and what is damaged", .text = check_text,
		.examples = check_examples,
	}, {
		.name = "diff", .bit = CMD_DIFF, .synopsis = "BEFORE AFTER [OPTIONS]",
		.summary = "compare two recordings", .text = diff_text, .examples = diff_examples,
	}, {
		.name = "doctor", .bit = CMD_DOCTOR, .synopsis = "[-p PID]",
		.summary = "say what is missing to measure on this machine, or who waits for whom", .text = doctor_text,
		.examples = doctor_examples,
	}, {
		.name = "trace", .bit = CMD_TRACE, .synopsis = "TARGET|-i FILE [--probe SPEC] [-k] [-s]",
		.summary = "print a line for each system call, or hit of a probe", .text = trace_text,
		.examples = trace_examples,
	}, {
		.name = "list", .bit = CMD_LIST, .synopsis = "[-p PID | -n NAME] [PROBE...]",
		.summary = "list what can be probed, and what a hit costs", .text = list_text,
		.examples = list_examples,
	}, {
		.name = "symbolize", .bit = CMD_SYMBOLIZE, .synopsis = "[-p PID | -e FILE | BUILD-ID] [ADDRESS...]",
		.summary = "name addresses of a process, a file or the kernel", .text = symbolize_text,
		.examples = symbolize_examples,
	}, {
		.name = "branches", .bit = CMD_BRANCHES,
		.synopsis = "SPEC... TARGET [--part CONDITION] [--count] [--disasm] [--lines]",
		.summary = "show which branches calls of a function took, and where failures part",
		.text = branches_text, .examples = branches_examples,
	}, {
		.name = "bpf", .bit = CMD_BPF, .synopsis = "[-d SECONDS] [--format FORMAT]",
		.summary = "list the BPF programs that run, and what they cost", .text = bpf_text,
		.examples = bpf_examples,
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

const char *opt_word(const struct opt *opt, unsigned int nr)
{
	const struct opt_choice *c = opt->choices;
	const struct exporter *x;

	if (opt->type == OPT_FORMAT) {
		x = exporter_get((enum exporter_user)opt->min, nr);
		return x ? exporter_name((enum exporter_user)opt->min, x) : NULL;
	}
	for (; c && c->name && nr; c++)
		nr--;
	if (c && c->name)
		return c->name;
	/* Parts of wall time are among the choices; what an import counts is not asked for. */
	for (unsigned int id = TIME_NR; opt->type == OPT_MEASURES && id < measures_count(); id++)
		if (measure_get(id)->about && !nr--)
			return measure_get(id)->name;
	return NULL;
}

const char *opt_words(const struct opt *opt, char *dst, size_t size)
{
	const char *name;
	size_t n = 0;

	dst[0] = '\0';
	for (unsigned int i = 0; (name = opt_word(opt, i)) && n < size; i++)
		n += (size_t)snprintf(dst + n, size - n, "%s%s", i ? "|" : "", name);
	return dst;
}

const char *opt_value(const struct opt *opt, char dst[OPT_VALUE_MAX])
{
	if (!opt_word(opt, 0) || opt->type == OPT_MEASURES)
		snprintf(dst, OPT_VALUE_MAX, "%s", opt->metavar);
	else
		opt_words(opt, dst, OPT_VALUE_MAX);
	return dst;
}

measure_mask opt_measures(const struct opt *opt, const char *name, size_t len)
{
	unsigned int id;

	for (const struct opt_choice *c = opt->choices; c->name; c++)
		if (strlen(c->name) == len && !memcmp(c->name, name, len))
			return c->value;
	id = measure_named(name, len);
	return id == MEASURE_NONE || (id >= TIME_NR && !measure_get(id)->about) ? 0 : MEASURE_BIT(id);
}
