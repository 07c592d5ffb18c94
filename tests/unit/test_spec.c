/* SPDX-License-Identifier: BSD-2-Clause */
/* test_spec.c - probes as a person writes them: what is read, how it is written back, what is refused and where. */
#include "config.h"

#include "probe/spec.h"

#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* TEXT is read, written as WANT (NULL = as it is), and read again as the same. */
static struct spec reads(const char *text, const char *want)
{
	static char back[SPEC_TEXT_MAX];
	struct err e = ERR_INIT;
	struct spec s, again;

	if (spec_parse(text, &s, &e) < 0)
		fail_msg("%s: %s", text, e.text);
	assert_string_equal(spec_text(&s, back), want ? want : text);
	assert_int_equal(spec_parse(back, &again, NULL), 0);
	assert_memory_equal(&s, &again, sizeof(s));
	return s;
}

/* The only point of TEXT. */
static struct spec_point point(const char *text, const char *want, enum probe_kind kind, enum spec_match match,
			       const char *name)
{
	const struct spec s = reads(text, want);

	assert_int_equal(s.points, 1);
	assert_int_equal(s.point[0].kind, kind);
	assert_int_equal(s.point[0].match, match);
	assert_string_equal(s.point[0].name, name);
	return s.point[0];
}

static void refused(const char *text, const char *sentence)
{
	struct spec s, before;
	struct err e = ERR_INIT;

	memset(&s, 0x5a, sizeof(s));
	before = s;
	assert_int_equal(spec_parse(text, &s, &e), -EINVAL);
	assert_memory_equal(&s, &before, sizeof(s));
	assert_string_equal(e.text, sentence);
}

static void kinds_of_probes_are_read_and_written(void **state)
{
	struct spec_point p;

	point("sys:openat", NULL, PROBE_SYSCALL, SPEC_EXACT, "openat");
	point("sys:*", NULL, PROBE_SYSCALL, SPEC_WILDCARD, "*");
	point("sys:%net", NULL, PROBE_SYSCALL, SPEC_GROUP, "net");
	p = point("t:sched:sched_switch", "tracepoint:sched:sched_switch", PROBE_TRACEPOINT, SPEC_EXACT,
		  "sched_switch");
	assert_string_equal(p.provider, "sched");
	point("rt:sys_enter", "rawtracepoint:sys_enter", PROBE_RAW_TRACEPOINT, SPEC_EXACT, "sys_enter");
	p = point("u:libc.so.6:malloc", "uprobe:libc.so.6:malloc", PROBE_ENTRY, SPEC_EXACT, "malloc");
	assert_string_equal(p.target, "libc.so.6");
	point("ur:libc.so.6:malloc", "uretprobe:libc.so.6:malloc", PROBE_RETURN, SPEC_EXACT, "malloc");
	point(" call:./app:handle ", "call:./app:handle", PROBE_CALL, SPEC_EXACT, "handle");
	p = point("U:/usr/bin/python3:python:gc__start", "usdt:/usr/bin/python3:python:gc__start", PROBE_USDT,
		  SPEC_EXACT, "gc__start");
	assert_string_equal(p.target, "/usr/bin/python3");
	assert_string_equal(p.provider, "python");
	p = point("usdt:postgres:query*", NULL, PROBE_USDT, SPEC_WILDCARD, "query*");
	assert_int_equal(p.provider_match, SPEC_ANY);
	assert_int_equal(point("fault", NULL, PROBE_FAULT, SPEC_ANY, "").major, 0);
	assert_int_equal(point("fault:major", NULL, PROBE_FAULT, SPEC_ANY, "").major, 1);
	point("signal", NULL, PROBE_SIGNAL, SPEC_ANY, "");
	point("k:tcp_sendmsg", "kprobe:tcp_sendmsg", PROBE_KPROBE, SPEC_EXACT, "tcp_sendmsg");
	point("kr:tcp_sendmsg", "kretprobe:tcp_sendmsg", PROBE_KRETPROBE, SPEC_EXACT, "tcp_sendmsg");
}

static void functions_are_named_as_in_the_source(void **state)
{
	struct spec_point p;

	point("u:app:Class::method", "uprobe:app:Class::method", PROBE_ENTRY, SPEC_EXACT, "Class::method");
	point("u:app:f(char\\*, int)", "uprobe:app:f(char\\*, int)", PROBE_ENTRY, SPEC_EXACT, "f(char*, int)");
	point("u:app:A::~A", "uprobe:app:A::~A", PROBE_ENTRY, SPEC_EXACT, "A::~A");
	point("u:app:operator new /pid == 1/", "uprobe:app:operator new /pid == 1/", PROBE_ENTRY, SPEC_EXACT,
	      "operator new");
	point("u:app:operator+", "uprobe:app:operator+", PROBE_ENTRY, SPEC_EXACT, "operator+");
	point("u:app:f+branches", "uprobe:app:f+branches", PROBE_ENTRY, SPEC_BRANCHES, "f");
	point("u:app:operator++branches", "uprobe:app:operator++branches", PROBE_ENTRY, SPEC_BRANCHES, "operator+");
	point("k:f+branches", "kprobe:f+branches", PROBE_KPROBE, SPEC_BRANCHES, "f");
	point("k:tcp_*+graph0", "kprobe:tcp_*+graph0", PROBE_KPROBE, SPEC_GRAPH, "tcp_*");
	point("k::net/core/*.c+graph0", "kprobe::net/core/*.c+graph0", PROBE_KPROBE, SPEC_GRAPH, ":net/core/*.c");
	point("k::fs/file.c", "kprobe::fs/file.c", PROBE_KPROBE, SPEC_WILDCARD, ":fs/file.c");
	point("k:[nf_tables]", "kprobe:[nf_tables]*", PROBE_KPROBE, SPEC_WILDCARD, "*");
	point("kr:[nf_*]nft_do_chain", "kretprobe:[nf_*]nft_do_chain", PROBE_KRETPROBE, SPEC_EXACT, "nft_do_chain");
	point("k:[nf_tables]nft_*+graph0", "kprobe:[nf_tables]nft_*+graph0", PROBE_KPROBE, SPEC_GRAPH, "nft_*");
	point("k:[a-z]*", "kprobe:[a-z]*", PROBE_KPROBE, SPEC_WILDCARD, "[a-z]*");
	point("k:f+graph3 /arg0 == 1/", "kprobe:f+graph3 /arg0 == 1/", PROBE_KPROBE, SPEC_GRAPH, "f");
	point("u:app:f+graph3", "uprobe:app:f\\+graph3", PROBE_ENTRY, SPEC_EXACT, "f+graph3");
	point("u:app:f\\+branches", "uprobe:app:f\\+branches", PROBE_ENTRY, SPEC_EXACT, "f+branches");
	point("u:app:str[abi:cxx11](int)", "uprobe:app:str\\[abi\\:cxx11\\](int)", PROBE_ENTRY, SPEC_EXACT,
	      "str[abi:cxx11](int)");
	point("u:app:str[abi:cxx11]*", "uprobe:app:str\\[abi:cxx11]*", PROBE_ENTRY, SPEC_WILDCARD, "str\\[abi:cxx11]*");
	point("u:app:ns::*::[a-c]?", "uprobe:app:ns::*::[a-c]?", PROBE_ENTRY, SPEC_WILDCARD, "ns::*::[a-c]?");
	point("u:app:/^a\\/b|c:d$/", "uprobe:app:/^a\\/b|c:d$/", PROBE_ENTRY, SPEC_REGEX, "^a/b|c:d$");
	p = point("u:main", "uprobe::main", PROBE_ENTRY, SPEC_EXACT, "main");
	assert_string_equal(p.target, "");
	point("u::/re/", "uprobe::/re/", PROBE_ENTRY, SPEC_REGEX, "re");
	point("u:::f", "uprobe::f", PROBE_ENTRY, SPEC_EXACT, "f");
	p = point("u:./app:dir/file.c:123", "uprobe:./app:dir/file.c:123", PROBE_ENTRY, SPEC_LINE, "dir/file.c");
	assert_int_equal(p.number, 123);
	p = point("u:file.c:7", "uprobe::file.c:7", PROBE_ENTRY, SPEC_LINE, "file.c");
	assert_string_equal(p.target, "");
	p = point("u:/lib/libfoo.so+0x1234", "uprobe:/lib/libfoo.so+0x1234", PROBE_ENTRY, SPEC_FILE_OFFSET, "");
	assert_string_equal(p.target, "/lib/libfoo.so");
	assert_int_equal(p.number, 0x1234);
	point("u:app:0x10", "uprobe:app+0x10", PROBE_ENTRY, SPEC_FILE_OFFSET, "");
	p = point("u:app:main+4", "uprobe:app:main+0x4", PROBE_ENTRY, SPEC_FUNCTION_OFFSET, "main");
	assert_int_equal(p.number, 4);
	p = point("u:a\\:b:f", "uprobe:a\\:b:f", PROBE_ENTRY, SPEC_EXACT, "f");
	assert_string_equal(p.target, "a:b");
}

static void spans_and_measures_are_read_and_written(void **state)
{
	struct spec s = reads("span:u:app:begin ~~ur:app:end", "span:uprobe:app:begin~~uretprobe:app:end");

	assert_true(s.span && s.points == 2 && s.point[0].kind == PROBE_ENTRY && s.point[1].kind == PROBE_RETURN);
	assert_true(spec_has_latency(&s));
	s = reads("span:u:a:b /arg0 == 1/~~u:a:c /latency > 10ms/ time()",
		  "span:uprobe:a:b /arg0 == 1/~~uprobe:a:c /latency > 10000000/ time()");
	assert_int_equal(s.measure, SPEC_TIME);
	s = reads("call:a:f sum(arg1)", NULL);
	assert_int_equal(s.measure, SPEC_SUM);
	assert_int_equal(s.sum.step[0].op, SPEC_ARG);
	assert_int_equal(s.sum.step[0].value, 1);
	assert_int_equal(reads("sys:read /retval > 0/ sum(retval)", NULL).point[0].when.n, 3);
	assert_int_equal(reads("signal count( )", "signal count()").measure, SPEC_COUNT);
	s = reads("fault", NULL);
	assert_false(spec_has_latency(&s));
}

static void expressions_keep_their_meaning(void **state)
{
	static const char *const pairs[][2] = {
		{ "arg1>4096&&comm==\"worker\"", "arg1 > 4096 && comm == \"worker\"" },
		{ "arg1 & 64 == 64", NULL },
		{ "(arg1 & 64) == 64", "arg1 & 64 == 64" },
		{ "arg1 - (arg2 - arg3)", NULL },
		{ "(arg1 - arg2) - arg3", "arg1 - arg2 - arg3" },
		{ "!(pid == 3 || tid == 4) && cpu < 2", NULL },
		{ "!!pid", NULL },
		{ "~(arg0 + 1) << 3", NULL },
		{ "-(-5) != - 5", "5 != -5" },
		{ "latency >= 1.5ms", "latency >= 1500000" },
		{ "arg2 == 0x1f", "arg2 == 31" },
		{ "arg2 <= 4K", "arg2 <= 4096" },
		{ "args->size > args.flags", "size > flags" },
		{ "args.pid == pid", NULL },
		{ "req->head.size[3].x == 1", NULL },
		{ "arg0->next->len ^ 1", NULL },
		{ "name == \"a\\\"\\\\/b\"", NULL },
		{ "retval == \"x\"", NULL },
	};
	char text[256], want[256];

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		snprintf(text, sizeof(text), "sys:x /%s/", pairs[i][0]);
		snprintf(want, sizeof(want), "sys:x /%s/", pairs[i][1] ? pairs[i][1] : pairs[i][0]);
		reads(text, want);
	}
}

/* The values of these tests: argN = 10 * N, names = 7, text = "worker". */
static bool look(void *ctx, const struct spec_expr *expr, const struct spec_step *step, bool text, int64_t *ret_number,
		 const char **ret_text)
{
	(void)ctx;
	if (text)
		*ret_text = "worker";
	else
		*ret_number = step->op == SPEC_ARG ? 10 * step->value : 7;
	return step->op != SPEC_PATH || strcmp(expr->pool + step->value, "nobody_knows");
}

static void conditions_are_evaluated(void **state)
{
	static const struct {
		const char *text;
		int64_t value;
	} cases[] = {
		{ "arg1 == 10 && comm == \"worker\"", 1 },
		{ "comm != \"worker\" || arg2 < 20", 0 },
		{ "arg0 == \"worker\"", 1 },
		{ "arg1 + arg2 * 2 - 1", 49 },
		{ "arg1 & 2 == 2", 1 },
		{ "1 << 63 >> 63", -1 },
		{ "1 << 64", 0 },
		{ "pid >> -1", 0 },
		{ "~arg0", -1 },
		{ "-arg1 < 0", 1 },
		{ "!arg1", 0 },
		{ "size ^ 7", 0 },
		{ "9223372036854775807 + 1 < 0", 1 },
		{ "req->size >= 7 && \"worker\" == name", 1 },
	};
	const struct spec_expr none = { 0 }, unsound = { .n = 1, .step = { { .op = SPEC_ADD } } };
	char text[256];
	int64_t value;
	struct spec s;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), "call:a:b /%s/", cases[i].text);
		assert_int_equal(spec_parse(text, &s, NULL), 0);
		assert_true(spec_eval(&s.point[0].when, look, NULL, &value));
		assert_int_equal(value, cases[i].value);
	}
	assert_true(spec_eval(&none, look, NULL, &value) && value == 1);
	assert_false(spec_eval(&unsound, look, NULL, &value));
	assert_int_equal(spec_parse("call:a:b /nobody_knows/", &s, NULL), 0);
	assert_false(spec_eval(&s.point[0].when, look, NULL, &value));
}

static void paths_have_steps(void **state)
{
	const char *at = "req->head.size[12]";
	static const struct spec_path_step want[] = {
		{ SPEC_PATH_FIRST, "req", 0 },
		{ SPEC_PATH_POINTER, "head", 0 },
		{ SPEC_PATH_MEMBER, "size", 0 },
		{ SPEC_PATH_INDEX, "", 12 },
	};
	struct spec_path_step got;

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_true(spec_path_next(&at, &got));
		assert_memory_equal(&got, &want[i], sizeof(got));
	}
	assert_false(spec_path_next(&at, &got));
}

static void what_makes_no_sense_is_refused(void **state)
{
	refused("", "probe '', character 1: a probe is missing here: KIND:..., such as sys:openat");
	refused("uprob:libc:malloc",
		"probe 'uprob:libc:malloc', character 1: 'uprob' is no kind of probe: did you mean 'uprobe'?");
	refused("xyzzy:a", "probe 'xyzzy:a', character 1: 'xyzzy' is no kind of probe: it must be sys, tracepoint, "
			   "rawtracepoint, uprobe, uretprobe, call, usdt, fault, signal, kprobe, kretprobe or span");
	refused("sys", "probe 'sys', character 4: behind 'sys' a ':' is missing: it is written sys:CALL");
	refused("sys:", "probe 'sys:', character 5: a system call is missing behind 'sys:'");
	refused("sys:%fiel", "probe 'sys:%fiel', character 5: '%fiel' is no group of system calls: did you mean %file");
	refused("u:/usr/bin/x", "probe 'u:/usr/bin/x', character 13: behind the file a ':' and a function are missing");
	refused("u:a:/(/", "probe 'u:a:/(/', character 5: '(' is no regular expression: Unmatched ( or \\(");
	refused("u:a:/x", "probe 'u:a:/x', character 5: the regular expression has no end: a '/' is missing");
	refused("u:a:f /arg0 == /",
		"probe 'u:a:f /arg0 == /', character 16: a value is missing here: a number, \"text\", arg0 to "
		"arg5, retval, latency, comm, pid, tid, cpu or a name");
	refused("u:a:f /arg0", "probe 'u:a:f /arg0', character 12: the expression has no end: a '/' is missing");
	refused("u:a:f /(arg0/",
		"probe 'u:a:f /(arg0/', character 13: a ')' is missing here for the '(' at character 8");
	refused("u:a:f /retval/",
		"probe 'u:a:f /retval/', character 8: 'retval' is not known at a probe of kind uprobe: sys, "
		"call, uretprobe and kretprobe have a result");
	refused("u:a:f /arg6/", "probe 'u:a:f /arg6/', character 8: 'arg6' is not known: a probe has arg0 to arg5");
	refused("ur:a:f /arg0/",
		"probe 'ur:a:f /arg0/', character 9: 'arg0' is not known at a probe of kind uretprobe: it has no "
		"arguments; call has both arguments and result");
	refused("t:a:b /arg0/",
		"probe 't:a:b /arg0/', character 8: 'arg0' is not known at a probe of kind tracepoint: use the "
		"names of its fields");
	refused("u:a:f /comm == 3/",
		"probe 'u:a:f /comm == 3/', character 13: text is compared with a number: write both sides "
		"as text, or as numbers");
	refused("u:a:f /comm/",
		"probe 'u:a:f /comm/', character 8: text alone is no condition: compare it by == or !=");
	refused("u:a:f time()",
		"probe 'u:a:f time()', character 7: a probe of kind uprobe takes no time: sys, call and span do");
	refused("u:a:f count() /pid/",
		"probe 'u:a:f count() /pid/', character 15: nothing can stand here: a condition comes "
		"before the measure, and each stands once");
	refused("span:u:a:b", "probe 'span:u:a:b', character 11: a span needs a second probe: span:PROBE~~PROBE");
	refused("u:a:b~~u:a:c",
		"probe 'u:a:b~~u:a:c', character 6: '~~' joins the two probes of a span: span:PROBE~~PROBE");
	refused("signal\t", "probe 'signal\xef\xbf\xbd', character 7: a control character cannot stand in a probe");
	refused("fault/pid/", "probe 'fault/pid/', character 6: a blank must stand before a condition");
	refused("sys:a /1 + 12q/", "probe 'sys:a /1 + 12q/', character 12: number '12q' is not a time such as "
				   "500ms, 5s or 2m");
}

static void long_and_deep_probes_are_refused(void **state)
{
	static char text[SPEC_TEXT_MAX + 8];
	struct err e = ERR_INIT;
	struct spec s;

	memset(text, 'a', SPEC_TEXT_MAX);
	assert_int_equal(spec_parse(text, &s, &e), -E2BIG);
	text[SPEC_TEXT_MAX - 1] = '\0';
	memcpy(text, "sys:", 4);
	assert_int_equal(spec_parse(text, &s, &e), -EINVAL);
	assert_non_null(strstr(e.text, "the name is too long: 255 bytes are the limit"));
	strcpy(text, "signal /");
	for (int i = 0; i < 4000; i++)
		strcat(text, "(");
	assert_int_equal(spec_parse(text, &s, &e), -EINVAL);
	assert_non_null(strstr(e.text, "nested too deeply"));
	strcpy(text, "signal /pid");
	for (int i = 0; i < 40; i++)
		strcat(text, "+1");
	assert_int_equal(spec_parse(text, &s, &e), -EINVAL);
	assert_non_null(strstr(e.text, "the expression is too long: it may have 32 values and operators"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_of_probes_are_read_and_written),
		cmocka_unit_test(functions_are_named_as_in_the_source),
		cmocka_unit_test(spans_and_measures_are_read_and_written),
		cmocka_unit_test(expressions_keep_their_meaning),
		cmocka_unit_test(conditions_are_evaluated),
		cmocka_unit_test(paths_have_steps),
		cmocka_unit_test(what_makes_no_sense_is_refused),
		cmocka_unit_test(long_and_deep_probes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
