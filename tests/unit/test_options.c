/* SPDX-License-Identifier: BSD-2-Clause */
/* test_options.c - every way of writing an option, every refusal with its sentence, and tables that hold together. */
#include "config.h"

#include "cmd/options.h"

#include "base/clock.h"
#include "cmd/filter_options.h"
#include "cmd/optable.h"
#include "model/event.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ARGS_MAX 32

/* Splits LINE at blanks and parses it as the arguments of its first word. */
static int parse(char *line, struct options *o, struct err *e)
{
	static char *argv[ARGS_MAX + 1];
	int argc = 0;

	for (char *word = strtok(line, " "); word && argc < ARGS_MAX; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	return options_parse(argv[0], argc, argv, o, e);
}

static void refused(const char *text, const char *want)
{
	char line[256];
	struct err e = ERR_INIT;
	struct options o;
	int r;

	snprintf(line, sizeof(line), "%s", text);
	r = parse(line, &o, &e);
	if (r >= 0)
		print_error("accepted: %s\n", text);
	assert_true(r < 0);
	assert_string_equal(e.text, want);
	options_free(&o);
}

static void defaults(void **state)
{
	char line[] = "top -a";
	struct options o;

	assert_int_equal(parse(line, &o, NULL), 0);
	assert_string_equal(o.command_name, "top");
	assert_int_equal(o.target, OPT_TARGET_ALL);
	assert_int_equal(o.freq_hz, 99);
	assert_int_equal(o.cpus.n, 0);
	assert_true(o.kernel);
	assert_int_equal(o.stack_bytes, 32768);
	assert_false(o.stack_fixed);
	assert_int_equal(o.call_graph, CALL_GRAPH_FALLBACK);
	assert_int_equal(o.event, EVENT_AUTO);
	assert_int_equal(o.ring_bytes, 0);
	assert_int_equal(o.delay_ns, 0);
	assert_int_equal(o.refresh_ns, NSEC_PER_SEC);
	assert_int_equal(o.duration_ns, 0);
	assert_null(o.format);
	assert_int_equal(o.measures, 0);
	assert_false(o.group_given || o.debuginfod || o.no_inline || o.ascii || o.no_color);
	assert_null(o.output);
	assert_null(o.input);
	options_free(&o);
}

static void every_way_of_writing(void **state)
{
	static const char *const same[] = {
		"record -a -F499", "record -a -F 499", "record -aF499", "record -aF 499", "record --all --freq=499",
		"record --freq 499 -a", "record -F 12 -F 499 -a", "record -F499 --all",
	};

	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		char line[64];
		struct options o;

		snprintf(line, sizeof(line), "%s", same[i]);
		assert_int_equal(parse(line, &o, NULL), 0);
		assert_int_equal(o.freq_hz, 499);
		assert_int_equal(o.target, OPT_TARGET_ALL);
		options_free(&o);
	}
}

static void a_name_or_a_number(void **state)
{
	static const struct {
		const char *line, *name;
		unsigned int iterations;
	} lines[] = {
		{ "top -b -n 3", NULL, 3 }, { "top -bn3", NULL, 3 }, { "top -n3 -b", NULL, 3 },
		{ "top -b --iterations=3", NULL, 3 }, { "top -n redis -b", "redis", 0 },
		  { "top -n redis -b -n 7", "redis", 7 },
		{ "top -n 7 -b -n redis", "redis", 7 }, { "top -b -n 7z", "7z", 0 }, { "top --name 7", "7", 0 },
		{ "top --name=7 -b -n 2", "7", 2 }, { "record -n 7", "7", 0 },
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char line[64];
		struct options o;

		snprintf(line, sizeof(line), "%s", lines[i].line);
		assert_int_equal(parse(line, &o, NULL), 0);
		assert_int_equal(o.target, lines[i].name ? OPT_TARGET_NAME : OPT_TARGET_ALL);
		if (lines[i].name)
			assert_string_equal(o.name, lines[i].name);
		assert_int_equal(o.iterations, lines[i].iterations);
		options_free(&o);
	}
}

/* It can do without, and takes no argument that is none of its values. */
static void memory_may_have_no_level(void **state)
{
	static const struct {
		const char *line;
		enum memory_level level;
	} lines[] = {
		{ "record -a --memory", MEMORY_GROWTH }, { "record --memory -a", MEMORY_GROWTH },
		{ "record --memory=allocs -a", MEMORY_ALLOCS }, { "record --memory allocs -a", MEMORY_ALLOCS },
		{ "record --memory -- allocs", MEMORY_GROWTH }, { "record -a", MEMORY_OFF },
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char line[64];
		struct options o;

		snprintf(line, sizeof(line), "%s", lines[i].line);
		assert_int_equal(parse(line, &o, NULL), 0);
		assert_int_equal(o.memory, lines[i].level);
		options_free(&o);
	}
}

static void assert_call_graph(const char *text, enum opt_call_graph want)
{
	char line[64];
	struct options o;

	snprintf(line, sizeof(line), "%s", text);
	assert_int_equal(parse(line, &o, NULL), 0);
	assert_int_equal(o.call_graph, want);
	options_free(&o);
}

static void capture_options(void **state)
{
	char line[] = "record -p 20,3 -e cpu-clock -C 0-1,4 --no-kernel --stack-size 16K --call-graph fp "
		      "--ring-size=1M --delay 250ms "
		      "-o x.data --duration 2m";
	struct options o;

	assert_int_equal(parse(line, &o, NULL), 0);
	assert_int_equal(o.target, OPT_TARGET_PIDS);
	assert_int_equal(o.ids.n, 2);
	assert_int_equal(o.ids.v[0], 3);
	assert_int_equal(o.cpus.n, 3);
	assert_false(o.kernel);
	assert_int_equal(o.stack_bytes, 16384);
	assert_true(o.stack_fixed);
	assert_int_equal(o.call_graph, CALL_GRAPH_FP);
	assert_int_equal(o.event, EVENT_CPU_CLOCK);
	assert_int_equal(o.ring_bytes, 1 << 20);
	assert_int_equal(o.delay_ns, 250 * NSEC_PER_MSEC);
	assert_string_equal(o.output, "x.data");
	assert_int_equal(o.duration_ns, 120 * NSEC_PER_SEC);
	options_free(&o);
}

static void report_options(void **state)
{
	char line[] = "report --format folded --group-by exe --metric on-cpu -o out x.data";
	struct options o;

	assert_int_equal(parse(line, &o, NULL), 0);
	assert_ptr_equal(o.format, &exporter_folded);
	assert_int_equal(o.group_by, GROUP_EXE);
	assert_true(o.group_given);
	assert_string_equal(o.output, "out");
	assert_string_equal(o.input, "x.data");
	options_free(&o);
}

static void waits_are_followed_unless_told_otherwise(void **state)
{
	char plain[] = "record -a", all[] = "record -a --wakers --min-block 2ms",
	     none[] = "top --no-off-cpu --metric wall", back[] = "top --no-off-cpu --off-cpu";
	struct options o;

	assert_int_equal(parse(plain, &o, NULL), 0);
	assert_true(o.off_cpu);
	assert_false(o.wakers);
	assert_int_equal(o.min_block_ns, 0);
	options_free(&o);
	assert_int_equal(parse(all, &o, NULL), 0);
	assert_true(o.wakers);
	assert_int_equal(o.min_block_ns, 2 * NSEC_PER_MSEC);
	options_free(&o);
	assert_int_equal(parse(none, &o, NULL), 0);
	assert_false(o.off_cpu);
	options_free(&o);
	assert_int_equal(parse(back, &o, NULL), 0);
	assert_true(o.off_cpu);
	options_free(&o);
	refused("top --no-off-cpu --wakers", "--wakers is about waits, which --no-off-cpu leaves out: "
		"give one of them");
	refused("record -a --no-off-cpu --min-block 1ms",
		"--min-block is about waits, which --no-off-cpu leaves out: give one of them");
	refused("top --metric blocked --no-off-cpu",
		"--metric is about waits, which --no-off-cpu leaves out: give one of them");
	refused("record -a --unwind copy --verify-unwind 5",
		"--verify-unwind is about stacks that are unwound by rules, which --unwind copy leaves out: "
		"give one of them");
	refused("top --verify-unwind 5 --call-graph fp",
		"--verify-unwind is about stacks that are unwound by rules, which --call-graph fp leaves out: "
		"give one of them");
	refused("record -a --unwind kernel --call-graph fp",
		"--unwind kernel is about stacks that are unwound by rules, and --call-graph fp needs none: "
		"give one of them");
	refused("top --state D --no-off-cpu", "--state is about waits, which --no-off-cpu leaves out: "
		"give one of them");
}

static void what_is_shown(void **state)
{
	char line[] = "report --metric off-cpu --state D,Killable,t --syscall futex,read --thread redis* --hide-idle "
	     "--min-block 1", plain[] = "report", wall[] = "top --metric wall";
	struct options o;

	assert_int_equal(parse(line, &o, NULL), 0);
	assert_int_equal(o.measures, MEASURES_OFF_CPU);
	assert_int_equal(o.states, 1u << WAIT_UNINTERRUPTIBLE | 1u << WAIT_KILLABLE | 1u << WAIT_TRACED);
	assert_string_equal(o.syscalls, "futex,read");
	assert_int_equal(o.threads.n, 1);
	assert_string_equal(o.threads.v[0], "redis*");
	assert_true(o.hide_idle);
	assert_int_equal(o.min_block_ns, NSEC_PER_SEC);
	options_free(&o);
	assert_int_equal(parse(plain, &o, NULL), 0);
	assert_int_equal(o.measures + o.states, 0);
	assert_null(o.syscalls);
	assert_int_equal(o.threads.n, 0);
	assert_false(o.hide_idle);
	options_free(&o);
	assert_int_equal(parse(wall, &o, NULL), 0);
	assert_int_equal(o.measures, MEASURES_WALL);
	options_free(&o);
}

/* What is named first leads; a comma within a probe parts nothing. */
static void metrics_have_an_order(void **state)
{
	char line[] = "report --metric faults,on-cpu", probe[] = "report --metric sys:/^rea{1,2}d$/,blocked";
	struct options o;
	struct query q;

	(void)state;
	assert_int_equal(parse(line, &o, NULL), 0);
	assert_int_equal(filter_options_query(&o, NULL, &q, NULL), 0);
	assert_int_equal(q.lead, measure_named("faults", 6) + 1);
	assert_int_equal(__builtin_popcountll(q.measures), 2);
	options_free(&o);
	assert_int_equal(parse(probe, &o, NULL), 0);
	assert_int_equal(o.lead, measure_named("sys:/^rea{1,2}d$/", 17) + 1);
	assert_int_equal(o.measures, MEASURE_BIT(MEASURE_BLOCKED) | MEASURE_BIT(o.lead - 1));
	options_free(&o);
}

static void nodes(void **state)
{
	char line[] = "report --node 0-1,3 --by-node", far[] = "top --far", numa[] = "record -a --no-numa --numa",
	     none[] = "record -a --no-numa", plain[] = "record -a";
	struct options o;
	struct query q;

	assert_int_equal(parse(line, &o, NULL), 0);
	assert_int_equal(o.nodes.n, 3);
	assert_int_equal(o.nodes.v[2], 3);
	assert_true(o.by_node && !o.far);
	assert_int_equal(filter_options_query(&o, NULL, &q, NULL), 0);
	assert_true(q.by_node && !(q.measures & MEASURES_FAR));
	assert_int_equal(q.nodes.word[0], 0xb);
	options_free(&o);
	assert_int_equal(parse(far, &o, NULL), 0);
	assert_true(o.far);
	assert_int_equal(o.numa, NUMA_ON);
	assert_int_equal(filter_options_query(&o, NULL, &q, NULL), 0);
	assert_true(q.measures == MEASURES_FAR && nodeset_empty(&q.nodes));
	options_free(&o);
	assert_int_equal(parse(numa, &o, NULL), 0);
	assert_int_equal(o.numa, NUMA_ON);
	options_free(&o);
	assert_int_equal(parse(none, &o, NULL), 0);
	assert_int_equal(o.numa, NUMA_OFF);
	options_free(&o);
	assert_int_equal(parse(plain, &o, NULL), 0);
	assert_int_equal(o.numa, NUMA_AUTO);
	options_free(&o);
	refused("report --node first", "node list 'first' is not a list such as 3 or 0-3,8");
	refused("top --node 3-1", "node list '3-1' is not a list such as 3 or 0-3,8");
	refused("report --node 1024", "node list '1024' is out of range: it must be from 0 to 1023");
	refused("record -a --node 1", "there is no option --node");
	refused("report --numa", "there is no option --numa");
	refused("report --far --metric wall", "--far and --metric both say what to count: give one of them");
	refused("top --far --state D", "--far and --state both say what to count: give one of them");
	refused("report --far --syscall read", "--far and --syscall both say what to count: give one of them");
	refused("report --far --format waits", "--far is about running code, and --format waits is not: "
		"give one of them");
	refused("top --far --no-numa", "--far is about accesses to memory, which --no-numa leaves out: "
		"give one of them");
}

static void filters(void **state)
{
	struct options o = { .measures = MEASURES_OFF_CPU, .states = 4, .syscalls = "futex,page fault",
			     .kernel = true };
	char long_thread[TERM_TEXT_MAX + 1];
	struct err e = ERR_INIT;
	struct query q;

	*vec_push(&o.threads) = "redis*";
	assert_int_equal(filter_options_query(&o, "x86_64", &q, &e), 0);
	assert_int_equal(q.measures, MEASURES_OFF_CPU);
	assert_int_equal(q.states, 4);
	assert_int_equal(q.terms.n, 1);
	assert_string_equal(q.terms.v[0].text, "redis*");
	assert_false(q.hide_kernel);
	assert_int_equal(q.calls[0], CALL_SYSCALL + 202);
	assert_int_equal(q.calls[1], CALL_FAULT);
	assert_int_equal(q.nr_calls, 2);
	assert_int_equal(filter_options_query(&o, "aarch64", &q, &e), 0);
	assert_int_equal(q.calls[0], CALL_SYSCALL + 98);

	o.syscalls = "futex,fly";
	assert_int_equal(filter_options_query(&o, "x86_64", &q, &e), -EINVAL);
	assert_string_equal(e.text, "there is no system call 'fly' on x86_64: write it as its manual page does, such "
				    "as futex, read or "
				    "epoll_wait");
	o.syscalls = "futex,";
	assert_int_equal(filter_options_query(&o, NULL, &q, &e), -EINVAL);
	assert_non_null(strstr(e.text, "'' on this machine"));
	o.syscalls = "read,read,read,read,read,read,read,read,read,read,read,read,read,read,read,read,read";
	assert_int_equal(filter_options_query(&o, "x86_64", &q, &e), -E2BIG);
	assert_string_equal(e.text, "--syscall takes at most 16 system calls");
	o.syscalls = NULL;
	memset(long_thread, '*', TERM_TEXT_MAX);
	long_thread[TERM_TEXT_MAX] = '\0';
	o.threads.v[0] = long_thread;
	assert_int_equal(filter_options_query(&o, NULL, &q, &e), -EINVAL);
	assert_string_equal(e.text, "--thread: the pattern is longer than 255 bytes");
	vec_free(&o.threads);
}

/* What the view can list and remove, whichever option it came from. */
static void filters_are_terms(void **state)
{
	char line[] = "top -p 1 --thread redis-* --state D,interruptible --syscall futex,fsync --node "
		"0-1,3", many[8] = "a";
	static const char *const want[] = { "thread:redis-*", "state:S,D", "syscall:futex,fsync", "node:0-1,3" };
	struct err e = ERR_INIT;
	struct options o;
	struct query q;
	char text[TERM_WRITTEN_MAX];

	assert_int_equal(parse(line, &o, NULL), 0);
	assert_int_equal(filter_options_query(&o, "x86_64", &q, &e), 0);
	filter_options_as_terms(&o, &q);
	assert_int_equal(q.terms.n, 4);
	for (uint32_t i = 0; i < q.terms.n; i++)
		assert_string_equal(term_text(&q.terms.v[i], text), want[i]);
	assert_true(!q.states && !q.nr_calls && nodeset_empty(&q.nodes));
	assert_true(query_only_waits(&q));
	assert_int_equal(filter_options_query(&o, "x86_64", &q, &e), 0);
	while (q.terms.n < TERMS_MAX - 1) {
		struct filter_term t;

		many[0]++;
		assert_int_equal(term_make(TERM_FUNCTION, false, many, NULL, NULL, &t, &e), 0);
		assert_true(terms_add(&q.terms, &t));
	}
	filter_options_as_terms(&o, &q);
	assert_string_equal(term_text(&q.terms.v[TERMS_MAX - 1], text), "state:S,D");
	assert_int_equal(q.nr_calls, 2);
	assert_int_equal(q.nodes.word[0], 0xb);
	options_free(&o);
}

static void filters_add_up(void **state)
{
	char line[] = "report --thread redis-* --focus call --process redis-server --ignore malloc --focus ^main$ "
		"--cgroup 4f1c";
	static const char *const want[] = { "process:redis-server", "cgroup:4f1c", "thread:redis-*", "call",
					    "^main$", "!malloc" };
	struct err e = ERR_INIT;
	struct options o;
	struct query q;
	char text[TERM_WRITTEN_MAX];

	assert_int_equal(parse(line, &o, NULL), 0);
	assert_int_equal(filter_options_query(&o, NULL, &q, &e), 0);
	assert_int_equal(q.terms.n, 6);
	for (uint32_t i = 0; i < q.terms.n; i++)
		assert_string_equal(term_text(&q.terms.v[i], text), want[i]);
	options_free(&o);
	memset(&o, 0, sizeof(o));
	for (unsigned int i = 0; i < TERMS_MAX + 1; i++)
		*vec_push(&o.ignore) = &"abcdefghijklmnopqrstuvw"[i];
	assert_int_equal(filter_options_query(&o, NULL, &q, &e), -E2BIG);
	assert_string_equal(e.text, "--ignore: there can be 16 filters");
	vec_free(&o.ignore);
	refused("report --focus (a)\\1", "--focus '(a)\\1' is no pattern that can be looked for: it has a back "
		"reference, and these can take for ever");
	refused("top --thread a,,b -p 1", "--thread: 'a,,b' has nothing before or behind a comma");
}

static void command_behind_dashes(void **state)
{
	char line[] = "record -F 49 -- sleep -a --help";
	struct options o;

	assert_int_equal(parse(line, &o, NULL), 0);
	assert_int_equal(o.target, OPT_TARGET_COMMAND);
	assert_string_equal(o.argv[0], "sleep");
	assert_string_equal(o.argv[2], "--help");
	assert_null(o.argv[3]);
	assert_string_equal(o.cmdline, "sberf record -F 49 -- sleep -a --help");
	options_free(&o);
}

static void quotes_the_command_line(void **state)
{
	char top[] = "top", n[] = "-n", name[] = "it's $HOME", symfs[] = "--symfs=a b";
	char *argv[] = { top, n, name, symfs, NULL };
	struct options o;

	assert_int_equal(options_parse("top", 4, argv, &o, NULL), 0);
	assert_string_equal(o.cmdline, "sberf top -n 'it'\\''s $HOME' '--symfs=a b'");
	options_free(&o);
}

static void help_ends_parsing(void **state)
{
	char line[] = "record --help --nonsense";
	struct options o;

	assert_int_equal(parse(line, &o, NULL), OPTIONS_HELP);
	options_free(&o);
}

/* On a terminal it is picked; where nobody can, it is everything. */
static void top_does_without_a_target(void **state)
{
	struct options o;
	char line[] = "top", batch[] = "top -b";

	assert_int_equal(parse(line, &o, NULL), 0);
	assert_int_equal(o.target, OPT_TARGET_NONE);
	options_free(&o);
	assert_int_equal(parse(batch, &o, NULL), 0);
	assert_int_equal(o.target, OPT_TARGET_ALL);
	options_free(&o);
}

static void refuses(void **state)
{
	refused("record", "say what to observe: -p PID, -t TID, -n NAME, --cgroup PATH, -a for the whole machine, or "
		"-- COMMAND to "
		"start one");
	refused("top -p 1 -p 2", "-p was given twice: separate the ids by commas");
	refused("top -a -a", "-a was given twice");
	refused("top -p 1 --cgroup x", "-p and --cgroup both say what to observe: give one of them");
	refused("record -a -- ls", "-a and -- both say what to observe: give one of them");
	refused("record --", "there is no command behind --");
	refused("record -a ls", "'ls' is no option: to run a command, put -- before it (sberf record -- ls)");
	refused("record -a -F", "-F needs a value: -F HZ");
	refused("record -a --call-graph", "--call-graph needs a value: --call-graph fallback|force|fp|off|dwarf|lbr");
	refused("record -a --call-graph nt", "call graph 'nt' is unknown: it must be one of "
		"fallback|force|fp|off|dwarf|lbr");
	assert_call_graph("record -a --call-graph lbr", CALL_GRAPH_LBR);
	assert_call_graph("record -a --call-graph force", CALL_GRAPH_FORCE);
	assert_call_graph("top --call-graph off", CALL_GRAPH_OFF);
	refused("record -a --unwind kernel --call-graph off",
		"--unwind kernel is about stacks that are unwound by rules, and --call-graph off needs none: "
		"give one of them");
	assert_call_graph("top --call-graph dwarf", CALL_GRAPH_FALLBACK);
	assert_call_graph("top --call-graph fallback", CALL_GRAPH_FALLBACK);
	refused("record -a -F 0", "rate '0' is out of range: it must be from 1 to 1000000");
	refused("record -a --stack-size 1K", "stack size '1K' is out of range: it must be from 4K to 64K");
	refused("record -a --stack-size 65537", "stack size '65537' is out of range: it must be from 4K to 64K");
	refused("record -p 0", "process id '0' is out of range: it must be at least 1");
	refused("record -p redis", "process id 'redis' is not a list of ids such as 12,34");
	refused("record -p -1", "process id '-1' is not a list of ids such as 12,34");
	refused("record -p 1-3", "process id '1-3' is not a list of ids such as 12,34");
	refused("record -p 1,", "process id '1,' is not a list of ids such as 12,34");
	refused("record -p 1,,2", "process id '1,,2' is not a list of ids such as 12,34");
	refused("record -t ,1", "thread id ',1' is not a list of ids such as 12,34");
	refused("record -a --kernel=no", "--kernel takes no value");
	refused("record -a --frequency 9", "there is no option --frequency");
	refused("record -ax", "there is no option -x");
	refused("record -a -d 1", "there is no option -d");
	refused("top -n 3", "--iterations (-n with a number) is about documents, which only --batch (-b) prints; a "
		"process with a "
		"number for a name is --name N");
	refused("top --format json", "--format is about documents, which only --batch (-b) prints");
	refused("top --depth 3", "--depth is about documents, which only --batch (-b) prints");
	refused("top --percent-limit 0%", "--percent-limit is about documents, which only --batch (-b) prints");
	refused("top -b --format json --depth 3", "--depth is for text: json is complete");
	refused("top -b --format svg", "format 'svg' is unknown: it must be one of text|json");
	refused("top -b -n 0", "number of documents '0' is out of range: it must be from 1 to 4294967295");
	refused("top -b --keep 5m", "--keep is for whoever watches, and --batch (-b) has nobody who could; "
		"use sberf record "
		"--keep");
	refused("record -b -a", "there is no option -b");
	refused("record -a --memory=all", "level 'all' is unknown: it must be one of growth|allocs|preload");
	refused("record -a --max-files 3",
		"--max-files says how many files there may be, and --max-size, when another one begins: give both");
	refused("record -a --when cpu>5%",
		"--when writes what --keep has in memory: say how much that is, as --keep 5m");
	refused("record -a --keep 5m --no-off-cpu --when blocked>1s",
		"'blocked>1s' is about waits, which --no-off-cpu leaves out");
	refused("agent -a --keep 5m", "say where to push or to answer: --push URL, --listen 127.0.0.1:PORT or "
		"--socket PATH; or when to write a file: --when CONDITION --keep TIME");
	refused("agent -a --push pyroscope+http://h -o f",
		"-o is where --keep writes what it has in memory: give both");
	refused("top --max-files 3", "--max-files is about what --when writes: give both");
	refused("record -a --max-size 1M -o -", "--max-size is about files, and standard output is none: name a "
		"file with -o");
	refused("record -a --max-size 1K", "size of a file '1K' is out of range: it must be from 64K to 1048576G");
	refused("record -n x --symfs=", "the directory is empty");
	refused("report --metric cpu", "metric 'cpu' is unknown: it must be one of "
		"on-cpu|blocked|runnable|off-cpu|wall|far|allocated|in-use|peak|temporary|leaked|faults|migrations|"
		"forks|new-threads|allocated-blocks|in-use-blocks|peak-blocks|temporary-blocks|leaked-blocks|"
		"grown|returned|mapped|unmapped|grown-anon|grown-files|grown-shared|advised|advised-lazily|spinning");
	refused("report --metric wall,faults,migrations,forks,new-threads",
		"--metric 'wall,faults,migrations,forks,new-threads' asks for more than 6: wall time is three");
	refused("report --metric faults,", "metric '' is unknown: it must be one of "
		"on-cpu|blocked|runnable|off-cpu|wall|far|allocated|in-use|peak|temporary|leaked|faults|migrations|"
		"forks|new-threads|allocated-blocks|in-use-blocks|peak-blocks|temporary-blocks|leaked-blocks|"
		"grown|returned|mapped|unmapped|grown-anon|grown-files|grown-shared|advised|advised-lazily|spinning");
	refused("report --state D,Y", "state 'Y' is unknown: it must be one of preempted (R), interruptible (S), "
		"uninterruptible (D), "
		"killable (K), stopped (T), traced (t), exiting (X), idle (I), new (N), frozen (F), throttled (Q)");
	refused("report --state D,", "state '' is unknown: it must be one of preempted (R), interruptible (S), "
		"uninterruptible (D), "
		"killable (K), stopped (T), traced (t), exiting (X), idle (I), new (N), frozen (F), throttled (Q)");
	refused("report --syscall=", "the system call is empty");
	refused("report --focus a(b", "--focus 'a(b' is no regular expression: Unmatched ( or \\(");
	refused("diff --ignore a(b x y", "--ignore 'a(b' is no regular expression: Unmatched ( or \\(");
	refused("merge -o x", "say which recordings are to be merged");
	refused("merge a b", "say where the merged recording goes: -o FILE");
	refused("report a b", "'b' is a second recording: give one");
	refused("report -i a -- b", "'b' is a second recording: give one");
	refused("report -p 1", "there is no option -p");
	refused("doctor x", "'x' is one argument too many");
}

static void unknown_command(void **state)
{
	char fly[] = "fly", *argv[] = { fly, NULL };
	struct err e = ERR_INIT;
	struct options o;

	assert_int_equal(options_parse("fly", 1, argv, &o, &e), -EINVAL);
	assert_string_equal(e.text, "there is no command 'fly'");
	options_free(&o);
}

/* What parsing relies on: no name means two things to one command, and every row says what it needs. */
static void tables_hold_together(void **state)
{
	for (size_t i = 0; i < nr_opts; i++) {
		const struct opt *a = &opts[i];

		assert_non_null(a->name);
		assert_non_null(a->help);
		assert_int_not_equal(a->commands, 0);
		assert_int_equal(!a->metavar, a->type == OPT_FLAG || a->type == OPT_SET || a->type == OPT_HELP ||
				 a->type == OPT_VERSION);
		assert_true(!a->metavar || a->what);
		assert_int_equal(!a->choices, a->type != OPT_CHOICE && a->type != OPT_SWITCH &&
				 a->type != OPT_MEASURES);
		assert_true(a->at || a->target || a->type == OPT_HELP || a->type == OPT_VERSION);
		for (size_t k = 0; k < i; k++) {
			if (!(a->commands & opts[k].commands))
				continue;
			assert_string_not_equal(a->name, opts[k].name);
			assert_true(!a->letter || a->letter != opts[k].letter);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(every_way_of_writing),
		cmocka_unit_test(a_name_or_a_number),
		cmocka_unit_test(memory_may_have_no_level),
		cmocka_unit_test(capture_options),
		cmocka_unit_test(report_options),
		cmocka_unit_test(waits_are_followed_unless_told_otherwise),
		cmocka_unit_test(what_is_shown),
		cmocka_unit_test(nodes),
		cmocka_unit_test(filters),
		cmocka_unit_test(filters_are_terms),
		cmocka_unit_test(filters_add_up),
		cmocka_unit_test(command_behind_dashes),
		cmocka_unit_test(quotes_the_command_line),
		cmocka_unit_test(help_ends_parsing),
		cmocka_unit_test(top_does_without_a_target),
		cmocka_unit_test(refuses),
		cmocka_unit_test(unknown_command),
		cmocka_unit_test(tables_hold_together),
		cmocka_unit_test(metrics_have_an_order),         /* last: it adds a metric, for all */
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
