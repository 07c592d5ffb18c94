/* SPDX-License-Identifier: BSD-2-Clause */
/* test_options.c - every way of writing an option, every refusal with its sentence, and tables that hold together. */
#include "config.h"

#include "cmd/options.h"

#include "base/clock.h"
#include "cmd/filter.h"
#include "cmd/optable.h"
#include "event/event.h"
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
	assert_false(o.frame_pointers);
	assert_int_equal(o.event, EVENT_AUTO);
	assert_int_equal(o.ring_bytes, 0);
	assert_int_equal(o.delay_ns, 0);
	assert_int_equal(o.refresh_ns, NSEC_PER_SEC);
	assert_int_equal(o.duration_ns, 0);
	assert_int_equal(o.format, FORMAT_NONE);
	assert_int_equal(o.kinds, 0);
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

static void capture_options(void **state)
{
	char line[] = "record -p 20,3 -e cpu-clock -C 0-1,4 --no-kernel --stack-size 16K --call-graph fp --ring-size=1M --delay 250ms "
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
	assert_true(o.frame_pointers);
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
	assert_int_equal(o.format, FORMAT_FOLDED);
	assert_int_equal(o.group_by, GROUP_EXE);
	assert_true(o.group_given);
	assert_string_equal(o.output, "out");
	assert_string_equal(o.input, "x.data");
	options_free(&o);
}

static void waits_are_followed_unless_told_otherwise(void **state)
{
	char plain[] = "record -a", all[] = "record -a --wakers --min-block 2ms", none[] = "top --no-off-cpu --metric wall",
	     back[] = "top --no-off-cpu --off-cpu";
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
	refused("top --no-off-cpu --wakers", "--wakers is about waits, which --no-off-cpu leaves out: give one of them");
	refused("record -a --no-off-cpu --min-block 1ms", "--min-block is about waits, which --no-off-cpu leaves out: give one of them");
	refused("top --metric blocked --no-off-cpu", "--metric is about waits, which --no-off-cpu leaves out: give one of them");
	refused("top --state D --no-off-cpu", "--state is about waits, which --no-off-cpu leaves out: give one of them");
}

static void what_is_shown(void **state)
{
	char line[] = "report --metric off-cpu --state D,Killable,t --syscall futex,read --thread redis* --hide-idle --min-block 1",
	     plain[] = "report", wall[] = "top --metric wall";
	struct options o;

	assert_int_equal(parse(line, &o, NULL), 0);
	assert_int_equal(o.kinds, KINDS_OFF_CPU);
	assert_int_equal(o.states, 1u << WAIT_UNINTERRUPTIBLE | 1u << WAIT_KILLABLE | 1u << WAIT_TRACED);
	assert_string_equal(o.syscalls, "futex,read");
	assert_string_equal(o.thread, "redis*");
	assert_true(o.hide_idle);
	assert_int_equal(o.min_block_ns, NSEC_PER_SEC);
	options_free(&o);
	assert_int_equal(parse(plain, &o, NULL), 0);
	assert_int_equal(o.kinds + o.states, 0);
	assert_null(o.syscalls);
	assert_null(o.thread);
	assert_false(o.hide_idle);
	options_free(&o);
	assert_int_equal(parse(wall, &o, NULL), 0);
	assert_int_equal(o.kinds, KINDS_WALL);
	options_free(&o);
}

static void filters(void **state)
{
	struct options o = { .kinds = KINDS_OFF_CPU, .states = 4, .syscalls = "futex,page fault", .thread = "redis*", .kernel = true };
	char long_thread[QUERY_THREAD_MAX + 1];
	struct err e = ERR_INIT;
	struct query q;

	assert_int_equal(filter_query(&o, "x86_64", &q, &e), 0);
	assert_int_equal(q.kinds, KINDS_OFF_CPU);
	assert_int_equal(q.states, 4);
	assert_string_equal(q.thread, "redis*");
	assert_false(q.hide_kernel);
	assert_int_equal(q.calls[0], CALL_SYSCALL + 202);
	assert_int_equal(q.calls[1], CALL_FAULT);
	assert_int_equal(q.nr_calls, 2);
	assert_int_equal(filter_query(&o, "aarch64", &q, &e), 0);
	assert_int_equal(q.calls[0], CALL_SYSCALL + 98);

	o.syscalls = "futex,fly";
	assert_int_equal(filter_query(&o, "x86_64", &q, &e), -EINVAL);
	assert_string_equal(e.text, "there is no system call 'fly' on x86_64: write it as its manual page does, such as futex, read or "
				    "epoll_wait");
	o.syscalls = "futex,";
	assert_int_equal(filter_query(&o, NULL, &q, &e), -EINVAL);
	assert_non_null(strstr(e.text, "'' on this machine"));
	o.syscalls = "read,read,read,read,read,read,read,read,read,read,read,read,read,read,read,read,read";
	assert_int_equal(filter_query(&o, "x86_64", &q, &e), -E2BIG);
	assert_string_equal(e.text, "--syscall takes at most 16 system calls");
	o.syscalls = NULL;
	memset(long_thread, '*', QUERY_THREAD_MAX);
	long_thread[QUERY_THREAD_MAX] = '\0';
	o.thread = long_thread;
	assert_int_equal(filter_query(&o, NULL, &q, &e), -EINVAL);
	assert_string_equal(e.text, "the pattern of --thread is longer than 63 bytes");
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

static void top_shows_everything_when_nothing_is_named(void **state)
{
	struct options o;
	char line[] = "top";

	assert_int_equal(parse(line, &o, NULL), 0);
	assert_int_equal(o.target, OPT_TARGET_ALL);
	options_free(&o);
}

static void refuses(void **state)
{
	refused("record", "say what to observe: -p PID, -t TID, -n NAME, --cgroup PATH, -a for the whole machine, or -- COMMAND to "
		"start one");
	refused("top -p 1 -p 2", "-p was given twice: separate the ids by commas");
	refused("top -a -a", "-a was given twice");
	refused("top -p 1 --cgroup x", "-p and --cgroup both say what to observe: give one of them");
	refused("record -a -- ls", "-a and -- both say what to observe: give one of them");
	refused("record --", "there is no command behind --");
	refused("record -a ls", "'ls' is no option: to run a command, put -- before it (sberf record -- ls)");
	refused("record -a -F", "-F needs a value: -F HZ");
	refused("record -a --call-graph", "--call-graph needs a value: --call-graph dwarf|fp");
	refused("record -a --call-graph lbr", "call graph 'lbr' is unknown: it must be one of dwarf|fp");
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
	refused("record -a -o -", "a recording cannot be written to standard output: name a file with -o");
	refused("record -a --kernel=no", "--kernel takes no value");
	refused("record -a --frequency 9", "there is no option --frequency");
	refused("record -ax", "there is no option -x");
	refused("record -a -d 1", "there is no option -d");
	refused("record -n x --symfs=", "the directory is empty");
	refused("report --metric cpu", "metric 'cpu' is unknown: it must be one of on-cpu|blocked|runnable|off-cpu|wall");
	refused("report --state D,Q", "state 'Q' is unknown: it must be one of preempted (R), interruptible (S), uninterruptible (D), "
		"killable (K), stopped (T), traced (t), exiting (X), idle (I), new (N)");
	refused("report --state D,", "state '' is unknown: it must be one of preempted (R), interruptible (S), uninterruptible (D), "
		"killable (K), stopped (T), traced (t), exiting (X), idle (I), new (N)");
	refused("report --syscall=", "the system call is empty");
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
		assert_int_equal(!a->metavar, a->type == OPT_FLAG || a->type == OPT_HELP ||
				 a->type == OPT_VERSION);
		assert_true(!a->metavar || a->what);
		assert_int_equal(!a->choices, a->type != OPT_CHOICE && a->type != OPT_SWITCH);
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
		cmocka_unit_test(capture_options),
		cmocka_unit_test(report_options),
		cmocka_unit_test(waits_are_followed_unless_told_otherwise),
		cmocka_unit_test(what_is_shown),
		cmocka_unit_test(filters),
		cmocka_unit_test(command_behind_dashes),
		cmocka_unit_test(quotes_the_command_line),
		cmocka_unit_test(help_ends_parsing),
		cmocka_unit_test(top_shows_everything_when_nothing_is_named),
		cmocka_unit_test(refuses),
		cmocka_unit_test(unknown_command),
		cmocka_unit_test(tables_hold_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
