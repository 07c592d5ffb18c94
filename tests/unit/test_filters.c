/* SPDX-License-Identifier: BSD-2-Clause */
/* test_filters.c - conditions and sums of probes as the kernel half gets them, and what it cannot evaluate. */
#include "config.h"

#include "engine/filters.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <string.h>

static struct filter_names names;        /* of what was translated last */

static struct sb_filter translated(const char *text)
{
	struct err e = ERR_INIT;
	struct sb_filter f;
	struct spec s;

	assert_int_equal(spec_parse(text, &s, &e), 0);
	assert_true(filter_in_spec(&s, 0));
	if (filter_of_spec(&s, 0, &f, &names, &e))
		fail_msg("%s: %s", text, e.text);
	return f;
}

static void assert_step(const struct sb_step *s, uint32_t op, int64_t value)
{
	assert_int_equal(s->op, op);
	assert_int_equal(s->value, value);
}

static void steps_stay_in_their_order(void **state)
{
	const struct sb_filter f = translated("call:app:f /arg1 > 4096 && latency < 2us/ sum(retval)");

	assert_step(&f.when[0], SB_OP_INPUT, SB_INPUT_ARG + 1);
	assert_step(&f.when[1], SB_OP_NUMBER, 4096);
	assert_step(&f.when[2], SB_OP_GREATER, 0);
	assert_step(&f.when[3], SB_OP_INPUT, SB_INPUT_LATENCY);
	assert_step(&f.when[4], SB_OP_NUMBER, 2000);
	assert_step(&f.when[5], SB_OP_LESS, 0);
	assert_step(&f.when[6], SB_OP_AND, 0);
	assert_step(&f.when[7], SB_OP_END, 0);
	assert_step(&f.sum[0], SB_OP_INPUT, SB_INPUT_RESULT);
	assert_step(&f.sum[1], SB_OP_END, 0);
}

/* Either side of == and != may be the text; the kernel compares 16 bytes. */
static void names_of_threads_are_compared(void **state)
{
	static const char padded[16] = "worker", other[16] = "exactly15bytes.";
	const struct sb_filter f = translated("u:app:f /comm == \"worker\" || \"exactly15bytes.\" != comm/");

	assert_step(&f.when[0], SB_OP_COMM, 0);
	assert_step(&f.when[1], SB_OP_COMM, 1);
	assert_step(&f.when[2], SB_OP_NOT, 0);
	assert_step(&f.when[3], SB_OP_OR, 0);
	assert_step(&f.when[4], SB_OP_END, 0);
	assert_memory_equal(f.comm[0], padded, sizeof(padded));
	assert_memory_equal(f.comm[1], other, sizeof(other));
}

static void every_operator_has_a_step(void **state)
{
	const struct sb_filter f = translated("u:app:f /!(~arg0 - -pid * tid + cpu << 1 >> 2 & 3 ^ 4 | 5) || "
					      "1 == 2 && 1 != 2/");
	uint32_t seen = 0;

	for (unsigned int i = 0; i < SB_STEPS && f.when[i].op; i++)
		seen |= 1u << f.when[i].op;
	for (uint32_t op = SB_OP_NOT; op <= SB_OP_MULTIPLY; op++)
		if (op < SB_OP_LESS || op > SB_OP_GREATER_EQUAL)
			assert_true(seen >> op & 1);
}

static void values_of_faults_and_signals_have_names(void **state)
{
	struct sb_filter f = translated("fault /address >= 4K/");

	assert_int_equal(f.when[0].op, SB_OP_INPUT);
	assert_int_equal(f.when[0].value, SB_INPUT_ARG);
	f = translated("signal /result == 0 && sig == 9/ sum(to_tid)");
	assert_int_equal(f.when[0].value, SB_INPUT_ARG + SB_SIGNAL_RESULT);
	assert_int_equal(f.when[3].value, SB_INPUT_ARG + SB_SIGNAL_SIG);
	assert_int_equal(f.sum[0].value, SB_INPUT_ARG + SB_SIGNAL_TID);
}

/* Equal names are one value, also in the sum. */
static void names_are_numbered(void **state)
{
	const struct sb_filter f = translated("t:sched:sched_switch /prev_pid == 1 && args[2] > args->prev_pid/ "
					      "sum(prev_prio)");

	assert_step(&f.when[0], SB_OP_INPUT, SB_INPUT_LOAD);
	assert_step(&f.when[3], SB_OP_INPUT, SB_INPUT_LOAD + 1);
	assert_step(&f.when[4], SB_OP_INPUT, SB_INPUT_LOAD);
	assert_step(&f.sum[0], SB_OP_INPUT, SB_INPUT_LOAD + 2);
	assert_int_equal(names.n, 3);
	assert_string_equal(names.name[0], "prev_pid");
	assert_string_equal(names.name[1], "args[2]");
	assert_string_equal(names.name[2], "prev_prio");
	(void)translated("usdt:app:a:b /arg0 > arg3/ sum(arg0)");
	assert_int_equal(names.n, 2);
	assert_string_equal(names.name[0], "arg0");
	assert_string_equal(names.name[1], "arg3");
}

/* A comparison with a text is one value; the same of another text is another one. */
static void texts_are_values(void **state)
{
	const struct sb_filter f = translated("sys:openat /filename == \"/a\" || \"/b\" != filename || fd == 1/");

	assert_step(&f.when[0], SB_OP_INPUT, SB_INPUT_LOAD);
	assert_step(&f.when[1], SB_OP_INPUT, SB_INPUT_LOAD + 1);
	assert_step(&f.when[2], SB_OP_NOT, 0);
	assert_step(&f.when[3], SB_OP_OR, 0);
	assert_int_equal(names.n, 3);
	assert_true(names.compared[0] && names.compared[1] && !names.compared[2]);
	assert_string_equal(names.name[1], "filename");
	assert_string_equal(names.text[1], "/b");
	(void)translated("call:app:f /arg1 == \"x\" && retval == \"y\" && retval->n == 2/");
	assert_string_equal(names.name[0], "arg1");
	assert_string_equal(names.name[1], "retval");
	assert_string_equal(names.name[2], "retval->n");
	(void)translated("kprobe:f /size > 1/");
	assert_string_equal(names.name[0], "size");
}

static void what_is_not_known_is_said(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "call:app:f /a + b + c + d->e + f/", "4 different names" },
		{ "signal /signo == 9/", "'signo' cannot be looked up yet" },
		{ "sys:openat /retval == \"x\"/", "nothing but comm" },
		{ "u:app:f /arg0 == arg1 || comm == comm/", "text in quotes" },
		{ "u:app:f /a == \"1\" || a == \"2\" || a == \"3\" || a == \"4\" || a == \"5\"/", "4 texts" },
		{ "u:app:f /comm == \"a-name-of-16-byt\"/", "at most" },
		{ "u:app:f /comm == \"a\" || comm == \"b\" || comm == \"c\" || comm == \"d\" || comm == \"e\"/",
		  "4 times" },
		{ "t:a:b /a + b + c + d + e + f + g + h + i/", "8 different names" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct err e = ERR_INIT;
		struct sb_filter f;
		struct spec s;

		assert_int_equal(spec_parse(bad[i].text, &s, NULL), 0);
		assert_true(filter_of_spec(&s, 0, &f, &names, &e) < 0);
		assert_non_null(strstr(e.text, bad[i].why));
	}
}

static void a_probe_without_either_has_none(void **state)
{
	struct spec s;

	assert_int_equal(spec_parse("u:app:f", &s, NULL), 0);
	assert_false(filter_in_spec(&s, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_stay_in_their_order),
		cmocka_unit_test(names_of_threads_are_compared),
		cmocka_unit_test(every_operator_has_a_step),
		cmocka_unit_test(values_of_faults_and_signals_have_names),
		cmocka_unit_test(names_are_numbered),
		cmocka_unit_test(texts_are_values),
		cmocka_unit_test(what_is_not_known_is_said),
		cmocka_unit_test(a_probe_without_either_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
