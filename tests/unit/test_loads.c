/* SPDX-License-Identifier: BSD-2-Clause */
/* test_loads.c - where named values of probes are: fields by formats, arguments by notes, and what cannot be read. */
#include "config.h"

#include "engine/loads.h"
#include "tests/unit/cmocka_all.h"

#include <elf.h>
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

/* How the argument of the note TEXT is read. */
static struct sb_load usdt_load(const char *text)
{
	struct filter_names names = { .n = 1, .name = { "arg0" } };
	struct usdt_site site = { .provider = "p", .name = "n" };
	struct err e = ERR_INIT;
	struct sb_loads l;

	site.nr_args = usdt_args_parse(text, EM_X86_64, site.arg);
	if (loads_of_usdt(&names, &site, &l, &e))
		fail_msg("%s: %s", text, e.text);
	return l.load[0];
}

static void assert_load(const char *text, const struct sb_load *want)
{
	const struct sb_load got = usdt_load(text);

	assert_memory_equal(&got, want, sizeof(got));
}

static void arguments_are_where_the_note_says(void **state)
{
	assert_load("-4@%edi", &(struct sb_load){ .size = 4, .is_signed = 1, .from = SB_LOAD_REG + 5 });
	assert_load("8@%r15", &(struct sb_load){ .size = 8, .from = SB_LOAD_REG + 15 });
	assert_load("-4@$-5", &(struct sb_load){ .size = 4, .is_signed = 1, .offset = { -5 } });
	assert_load("8@-16(%rbp)", &(struct sb_load){ .size = 8, .hops = 1, .user = 1, .from = SB_LOAD_REG + 6,
						      .offset = { -16 } });
	assert_load("1@8(%rax,%rcx,4)", &(struct sb_load){ .size = 1, .hops = 1, .user = 1, .from = SB_LOAD_REG,
							   .index = SB_LOAD_REG + 2, .scale = 4, .offset = { 8 } });
}

static void arguments_that_are_not_there_are_said(void **state)
{
	struct filter_names names = { .n = 1, .name = { "arg1" } };
	struct usdt_site site = { .provider = "p", .name = "n", .text = "8@%rax" };
	struct err e = ERR_INIT;
	struct sb_loads l;

	site.nr_args = usdt_args_parse(site.text, EM_X86_64, site.arg);
	assert_int_equal(loads_of_usdt(&names, &site, &l, &e), -ENOENT);
	assert_non_null(strstr(e.text, "arg1 of static probe p:n cannot be read: it has 1 argument"));
	strcpy(site.text, "8@%rax 8@%xmm0");
	site.nr_args = usdt_args_parse(site.text, EM_X86_64, site.arg);
	assert_int_equal(loads_of_usdt(&names, &site, &l, &e), -EOPNOTSUPP);
	assert_non_null(strstr(e.text, "8@%xmm0"));
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

static const char call_format[] = "name: sys_enter_made\nID: 8\nformat:\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:umode_t mode;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:size_t count;\toffset:40;\tsize:8;\tsigned:0;\n";

/* The format says of all that they are words without sign: the type knows better. */
static void arguments_of_calls_have_names(void **state)
{
	struct filter_names names = { .n = 4, .name = { "dfd", "filename", "mode", "count" },
				      .compared = { [1] = true }, .text = { [1] = "/x" } };
	struct tracepoint t = { 0 };
	struct err e = ERR_INIT;
	struct sb_loads l;

	assert_int_equal(tracepoint_parse(call_format, strlen(call_format), &t, NULL), 0);
	assert_int_equal(loads_of_call(&names, &t, NULL, &l, &e), 0);
	assert_true(l.load[0].from == SB_LOAD_ARG && l.load[0].size == 4 && l.load[0].is_signed && !l.load[0].hops);
	assert_true(l.load[1].from == SB_LOAD_ARG + 1 && l.load[1].size == SB_LOAD_TEXT && l.load[1].hops == 1 &&
		    l.load[1].user == 1);
	assert_true(l.load[2].from == SB_LOAD_ARG + 2 && l.load[2].size == 4 && !l.load[2].is_signed);
	assert_true(l.load[3].from == SB_LOAD_ARG + 3 && l.load[3].size == 8);
	assert_string_equal((const char *)l.text[0], "/x");
	strcpy(names.name[0], "fnord");
	assert_int_equal(loads_of_call(&names, &t, NULL, &l, &e), -ENOENT);
	assert_false(loads_need_types(&names));
	names.compared[0] = true;
	strcpy(names.name[0], "count");
	assert_int_equal(loads_of_call(&names, &t, NULL, &l, &e), -EOPNOTSUPP);
	tracepoint_free(&t);
}

/* What an argument points to, and what functions and tracepoints of the running kernel are given. */
static void types_of_the_kernel_know_more(void **state)
{
	const struct filter_names behind = { .n = 2, .name = { "addr->sa_family", "vec[1].iov_len" } };
	const struct filter_names raw = { .n = 3, .name = { "bprm->filename", "arg0->pid", "bprm->filename" },
					  .compared = { [2] = true }, .text = { [2] = "/bin/true" } };
	const struct filter_names function = { .n = 2, .name = { "count", "file->f_path.dentry" } };
	const struct filter_names bad = { .n = 1, .name = { "bprm->filenme" } };
	AUTO(ktypes_free) struct ktypes *types = NULL;
	static const char with_pointers[] = "name: sys_enter_made\nID: 7\nformat:\n"
		"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:struct sockaddr * addr;\toffset:16;\tsize:8;\tsigned:0;\n"
		"\tfield:const struct iovec * vec;\toffset:24;\tsize:8;\tsigned:0;\n";
	struct tracepoint t = { 0 };
	struct err e = ERR_INIT;
	struct sb_loads l;
	char text[256];

	if (ktypes_open(&types, &e)) {
		assert_int_equal(e.code, ENOENT);
		skip();
	}
	assert_int_equal(tracepoint_parse(with_pointers, strlen(with_pointers), &t, NULL), 0);
	assert_true(loads_need_types(&behind));
	assert_int_equal(loads_of_call(&behind, &t, types, &l, &e), 0);
	assert_true(l.load[0].from == SB_LOAD_ARG && l.load[0].hops == 1 && l.load[0].user == 1 &&
		    l.load[0].size == 2 && !l.load[0].is_signed && !l.load[0].offset[0]);
	assert_true(l.load[1].from == SB_LOAD_ARG + 1 && l.load[1].hops == 1 && l.load[1].size == 8 &&
		    l.load[1].offset[0] == 24);
	tracepoint_free(&t);

	/* Arguments of a tracepoint are in an array of words. */
	assert_int_equal(loads_of_kernel(&raw, types, KTYPES_TRACEPOINT, "sched_process_exec", &l, &e), 0);
	assert_true(l.load[0].from == SB_LOAD_RECORD && l.load[0].hops == 2 && !l.load[0].user &&
		    l.load[0].offset[0] == 16 && l.load[0].size == 8);
	assert_true(l.load[1].hops == 2 && !l.load[1].offset[0] && l.load[1].size == 4 && l.load[1].is_signed);
	assert_true(l.load[2].hops == 3 && l.load[2].size == SB_LOAD_TEXT && !l.load[2].offset[2]);
	assert_int_equal(loads_of_kernel(&function, types, KTYPES_FUNCTION, "vfs_read", &l, &e), 0);
	assert_true(l.load[0].from == SB_LOAD_ARG + 2 && !l.load[0].hops && l.load[0].size == 8);
	assert_true(l.load[1].from == SB_LOAD_ARG && l.load[1].hops == 1 && l.load[1].offset[0]);
	assert_int_equal(loads_of_kernel(&bad, types, KTYPES_TRACEPOINT, "sched_process_exec", &l, &e), -ENOENT);
	assert_non_null(strstr(e.text, "did you mean 'filename'?"));
	ktypes_text(types, KTYPES_FUNCTION, "vfs_read", text, sizeof(text));
	assert_string_equal(text, "struct file * file, char * buf, size_t count, loff_t * pos");
	assert_string_equal(ktypes_text(types, KTYPES_FUNCTION, "no_such_function", text, sizeof(text)), "");
}

/* Equal texts share a place. */
static void texts_are_where_the_format_says(void **state)
{
	struct filter_names names = { .n = 4, .name = { "comm", "text", "name", "comm" },
				      .compared = { true, true, true, true }, .text = { "a", "b", "a", "c" } };
	struct err e = ERR_INIT;
	struct sb_loads l;

	if (loads_of_tracepoint(&names, &made, &l, &e))
		fail_msg("%s", e.text);
	assert_true(l.load[0].size == SB_LOAD_TEXT && l.load[0].hops == 1 && l.load[0].offset[0] == 80);
	assert_true(l.load[1].size == SB_LOAD_TEXT + 1 && l.load[1].scale == SB_STRING_AT);
	assert_true(l.load[2].size == SB_LOAD_TEXT && l.load[2].hops == 2 && !l.load[2].user);
	assert_int_equal(l.load[3].size, SB_LOAD_TEXT + 2);
	strcpy(names.name[0], "flags");
	assert_int_equal(loads_of_tracepoint(&names, &made, &l, &e), -EOPNOTSUPP);
}

/* Without debug information. */
static void texts_of_arguments_need_no_names(void **state)
{
	struct filter_names names = { .n = 2, .name = { "arg2", "retval" }, .compared = { true, true },
				      .text = { "a", "b" } };
	struct err e = ERR_INIT;
	struct sb_loads l;

	assert_false(loads_need_params(&names));
	assert_int_equal(loads_of_function(&names, NULL, EM_X86_64, 0x1000, &l, &e), 0);
	assert_true(l.load[0].from == SB_LOAD_ARG + 2 && l.load[0].hops == 1 && l.load[0].user == 1);
	assert_true(l.load[1].from == SB_LOAD_RESULT && l.load[1].size == SB_LOAD_TEXT + 1);
	strcpy(names.name[0], "arg2->x");
	assert_true(loads_need_params(&names));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_where_the_format_says),
		cmocka_unit_test(what_is_no_number_is_said),
		cmocka_unit_test(arguments_are_where_the_note_says),
		cmocka_unit_test(arguments_that_are_not_there_are_said),
		cmocka_unit_test(equal_sets_are_one),
		cmocka_unit_test(arguments_of_calls_have_names),
		cmocka_unit_test(types_of_the_kernel_know_more),
		cmocka_unit_test(texts_are_where_the_format_says),
		cmocka_unit_test(texts_of_arguments_need_no_names),
	};

	return cmocka_run_group_tests(tests, made_format, made_free);
}
