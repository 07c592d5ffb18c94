/* SPDX-License-Identifier: BSD-2-Clause */
/* test_params.c - where parameters are, by the debug information of a program: numbers, members, texts, results. */
#include "config.h"

#include "base/cleanup.h"
#include "probe/functions.h"
#include "probe/site.h"
#include "symbol/params.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct elf_file *file;
static struct params *debug;
static struct functions *functions;

static int open_named(void **state)
{
	const char *dir = getenv("WORKLOADS");
	char path[4096];
	struct err e = ERR_INIT;
	int fd;

	snprintf(path, sizeof(path), "%s/named", dir ? dir : "tests/workloads/bin");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || elf_file_open(fd, &file, &e) < 0 || functions_new(file, NULL, &functions, &e) < 0)
		fail_msg("%s: %s", path, e.text);
	if (params_open(file, &debug, &e) < 0)
		fail_msg("%s: %s", path, e.text);
	return 0;
}

static int close_named(void **state)
{
	params_free(debug);
	functions_free(functions);
	elf_file_free(file);
	return 0;
}

static uint64_t entry_of(const char *name)
{
	struct spec_point p = { .kind = PROBE_ENTRY, .match = SPEC_EXACT };
	found_functions found = { 0 };
	uint64_t vaddr;

	strcpy(p.name, name);
	assert_int_equal(find_functions(functions, &p, &found, NULL), 1);
	vaddr = found.v[0].vaddr;
	vec_free(&found);
	return vaddr;
}

/* Finds what begins with NAME, and goes on by the pointer to MEMBER unless that is NULL. */
static int find(const char *fn, const char *name, const char *member, bool text, struct param_value *v, struct err *e)
{
	const struct param_step step = { .join = PARAM_POINTER, .name = member };
	uint8_t reg[PARAM_ARGS];

	for (unsigned int i = 0; i < PARAM_ARGS; i++)
		reg[i] = site_arg_register(file->eh.e_machine, i);
	return params_find(debug, entry_of(fn), name, &step, member ? 1 : 0, text, reg, v, e);
}

static uint8_t reg_of(unsigned int i)
{
	return site_arg_register(file->eh.e_machine, i);
}

static void numbers_are_found(void **state)
{
	struct err e = ERR_INIT;
	struct param_value v;

	assert_int_equal(find("handle", "i", NULL, false, &v, &e), 0);
	assert_true(v.reg == reg_of(2) && !v.hops && v.size == 4 && v.is_signed && !v.is_result);
	assert_int_equal(find("handle", "r", "n", false, &v, &e), 0);
	assert_true(v.reg == reg_of(0) && v.hops == 1 && v.size == 4 && v.is_signed && !v.offset[0]);
	assert_int_equal(find("handle", "arg0", "path", false, &v, &e), 0);
	assert_true(v.reg == reg_of(0) && v.hops == 1 && v.size == 8 && v.offset[0] == 8);
}

static void texts_are_found(void **state)
{
	struct err e = ERR_INIT;
	struct param_value v;

	assert_int_equal(find("handle", "how", NULL, true, &v, &e), 0);
	assert_true(v.reg == reg_of(1) && v.hops == 1 && v.size == 1 && !v.offset[0]);
	/* A pointer to it, and an array. */
	assert_int_equal(find("handle", "r", "path", true, &v, &e), 0);
	assert_true(v.hops == 2 && v.offset[0] == 8 && !v.offset[1]);
	assert_int_equal(find("handle", "r", "tag", true, &v, &e), 0);
	assert_true(v.hops == 1 && v.offset[0] == 16);
	assert_int_equal(find("handle", "r", "n", true, &v, &e), -EOPNOTSUPP);
	assert_int_equal(find("handle", "r", NULL, true, &v, &e), -EOPNOTSUPP);
	assert_non_null(strstr(e.text, "no text"));
}

static void results_are_found(void **state)
{
	struct err e = ERR_INIT;
	struct param_value v;

	assert_int_equal(find("handle", "retval", "status", false, &v, &e), 0);
	assert_true(v.is_result && v.hops == 1 && v.size == 4 && v.is_signed && !v.offset[0]);
	assert_int_equal(find("handle", "retval", "name", true, &v, &e), 0);
	assert_true(v.is_result && v.hops == 1 && v.offset[0] == 4);
	assert_int_equal(find("plain", "retval", NULL, false, &v, &e), 0);
	assert_true(v.is_result && !v.hops && v.size == 8);
	assert_int_equal(find("twice", "retval", NULL, false, &v, &e), -ENOENT);
	assert_non_null(strstr(e.text, "returns nothing"));
}

static void what_is_not_there_is_said(void **state)
{
	static const struct {
		const char *name, *member, *why;
		int code;
	} bad[] = {
		{ "j", NULL, "has no parameter 'j': it has r, how, i", -ENOENT },
		{ "arg5", NULL, "no parameter", -ENOENT },
		{ "r", "nothing", "is no member of 'asked'", -ENOENT },
		{ "i", "x", "is no pointer", -EINVAL },
		{ "retval", "nothing", "is no member of 'reply'", -ENOENT },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct err e = ERR_INIT;
		struct param_value v;
		const int r = find("handle", bad[i].name, bad[i].member, false, &v, &e);

		if (r != bad[i].code || !strstr(e.text, bad[i].why))
			fail_msg("%s: %d, %s", bad[i].name, r, e.text);
	}
}

static void parameters_are_written(void **state)
{
	char text[64], few[24];

	assert_string_equal(params_text(debug, entry_of("handle"), text, sizeof(text)),
			    "const struct asked * r, const char * how, int i");
	assert_string_equal(params_text(debug, entry_of("main"), text, sizeof(text)), "");
	/* Not within a function, and no more than there is room for. */
	assert_string_equal(params_text(debug, entry_of("handle") + 1, text, sizeof(text)), "");
	assert_true(strlen(params_text(debug, entry_of("handle"), few, sizeof(few))) < sizeof(few));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_found),
		cmocka_unit_test(texts_are_found),
		cmocka_unit_test(results_are_found),
		cmocka_unit_test(what_is_not_there_is_said),
		cmocka_unit_test(parameters_are_written),
	};

	return cmocka_run_group_tests(tests, open_named, close_named);
}
