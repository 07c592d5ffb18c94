/* SPDX-License-Identifier: BSD-2-Clause */
/* test_loads.c - where named values of probes are: fields by the format of a tracepoint, and what cannot be read. */
#include "config.h"

#include "engine/loads.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <string.h>

static const char format[] = "name: made\nID: 7\nformat:\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned char flags;\toffset:28;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned long args[6];\toffset:32;\tsize:48;\tsigned:0;\n"
	"\tfield:char comm[16];\toffset:80;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] text;\toffset:96;\tsize:4;\tsigned:0;\n"
	"\tfield:char * name;\toffset:104;\tsize:8;\tsigned:0;\n";

static struct tracepoint made;

static int made_format(void **state)
{
	return tracepoint_parse(format, strlen(format), &made, NULL);
}

static int made_free(void **state)
{
	tracepoint_free(&made);
	return 0;
}

static void assert_field(const char *name, uint32_t offset, uint32_t size, bool is_signed)
{
	struct filter_names names = { .n = 1 };
	struct err e = ERR_INIT;
	struct sb_loads l;

	strcpy(names.name[0], name);
	if (loads_of_tracepoint(&names, &made, &l, &e))
		fail_msg("%s: %s", name, e.text);
	assert_int_equal(l.load[0].from, SB_LOAD_RECORD);
	assert_int_equal(l.load[0].hops, 1);
	assert_int_equal(l.load[0].user, 0);
	assert_int_equal(l.load[0].offset[0], offset);
	assert_int_equal(l.load[0].size, size);
	assert_int_equal(l.load[0].is_signed, is_signed);
	assert_int_equal(l.load[1].size, 0);
}

static void fields_are_where_the_format_says(void **state)
{
	assert_field("prev_pid", 24, 4, true);
	assert_field("flags", 28, 1, false);
	assert_field("args[0]", 32, 8, false);
	assert_field("args[5]", 72, 8, false);
	assert_field("comm[3]", 83, 1, false);
	assert_field("name", 104, 8, false);
}

static void what_is_no_number_is_said(void **state)
{
	static const char *const bad[][2] = {
		{ "prev_pod", "has no field 'prev_pod': did you mean 'prev_pid'?" },
		{ "nothing_like_it", "has no field 'nothing_like_it': it has 'prev_pid'" },
		{ "comm", "is a 'char [16]', no number" },
		{ "args", "is a 'unsigned long [6]', no number" },
		{ "args[6]", "the last is args[5]" },
		{ "flags[0]", "no array of numbers" },
		{ "text", "no number" },
		{ "text[0]", "no array of numbers" },
		{ "name->first", "cannot be looked up" },
		{ "args[0][1]", "cannot be looked up" },
		{ "common_pid", "use tid" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct filter_names names = { .n = 1 };
		struct err e = ERR_INIT;
		struct sb_loads l;

		strcpy(names.name[0], bad[i][0]);
		if (!loads_of_tracepoint(&names, &made, &l, &e) || !strstr(e.text, bad[i][1]))
			fail_msg("%s: %s", bad[i][0], e.text);
	}
}

static void equal_sets_are_one(void **state)
{
	static struct load_sets sets;
	struct sb_loads l = { .load = { { .size = 4 } } };
	struct err e = ERR_INIT;

	assert_int_equal(load_sets_add(&sets, &l, &e), 1);
	l.load[0].size = 8;
	assert_int_equal(load_sets_add(&sets, &l, &e), 2);
	l.load[0].size = 4;
	assert_int_equal(load_sets_add(&sets, &l, &e), 1);
	assert_int_equal(sets.n, 3);
	for (uint32_t i = 3; i < SB_LOAD_SETS; i++) {
		l.load[0].offset[0] = i;
		assert_int_equal(load_sets_add(&sets, &l, &e), i);
	}
	l.load[0].offset[0] = 1;
	assert_int_equal(load_sets_add(&sets, &l, &e), -E2BIG);
	assert_non_null(strstr(e.text, "255"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_where_the_format_says),
		cmocka_unit_test(what_is_no_number_is_said),
		cmocka_unit_test(equal_sets_are_one),
	};

	return cmocka_run_group_tests(tests, made_format, made_free);
}
