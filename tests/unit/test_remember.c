/* SPDX-License-Identifier: BSD-2-Clause */
/* test_remember.c - which panes were open: what is written is read again, what is damaged is ignored as a whole. */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "ui/remember.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct remembered untouched = { .open = 1u << PANE_FUNCS, .focus = PANE_FUNCS };

static void assert_parses(const char *text, unsigned int open, enum pane_id focus)
{
	struct remembered r = untouched;
	unsigned int line;

	assert_int_equal(remember_parse(text, strlen(text), &r, &line), 0);
	assert_int_equal(r.open, open);
	assert_int_equal(r.focus, focus);
}

static void assert_damaged(const char *text, size_t len, unsigned int at)
{
	struct remembered r = untouched;
	unsigned int line;

	assert_int_equal(remember_parse(text, len, &r, &line), -EINVAL);
	assert_int_equal(line, at);
	assert_true(remembered_same(&r, &untouched));
}

static void files_are_read(void **state)
{
	const unsigned int two = 1u << PANE_TREE | 1u << PANE_WAITS;

	assert_parses("panes tree waits\nfocus waits\n", two, PANE_WAITS);
	assert_parses("focus tree\n\n# a word\n  panes\twaits  tree \r\n", two, PANE_TREE);
	assert_parses("later_key 7 8\npanes quality\nfocus quality", 1u << PANE_QUALITY, PANE_QUALITY);
}

/* A text that ends where memory does. */
static void nothing_behind_the_text_is_read(void **state)
{
	static const char text[] = "panes tree\nfocus tree\nlater";
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), len = sizeof(text) - 1;
	char *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct remembered r = untouched;
	unsigned int line;

	assert_true(two != MAP_FAILED);
	assert_int_equal(mprotect(two + page, page, PROT_NONE), 0);
	memcpy(two + page - len, text, len);
	assert_int_equal(remember_parse(two + page - len, len, &r, &line), 0);
	assert_int_equal(r.focus, PANE_TREE);
	munmap(two, 2 * page);
}

static void looks_are_read(void **state)
{
	static const char text[] = "panes tree\nsort runnable\ngroup thread\nfocus tree\noptions short-names "
				   "later no-kernel\n"
				   "options inverted\nsort sideways\ngroup moon\n";
	struct remembered r = untouched;
	unsigned int line;

	assert_int_equal(remember_parse(text, strlen(text), &r, &line), 0);
	assert_int_equal(r.sort, SORT_RUNNABLE);         /* what is not known changes nothing */
	assert_int_equal(r.group, GROUP_THREAD + 1);
	assert_int_equal(r.options, 1u << REMEMBERED_SHORT_NAMES | 1u << REMEMBERED_NO_KERNEL |
			 1u << REMEMBERED_INVERTED);
}

static void damaged_files_are_not(void **state)
{
	static const struct {
		const char *text;
		unsigned int line;
	} bad[] = { { "", 1 }, { "panes tree\n", 2 }, { "focus tree\n", 2 }, { "panes tree\nfocus waits\n", 3 },
		    { "panes\nfocus tree\n", 1 }, { "panes tree tre\n", 1 }, { "panes tree\nfocus tree waits\n", 2 },
		    { "\033[2J\n", 1 }, { "panes tree\n{\"focus\": 1}\n", 2 } };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_damaged(bad[i].text, strlen(bad[i].text), bad[i].line);
	assert_damaged("panes tree\0\nfocus tree\n", 23, 1);
}

static void written_files_come_back(void **state)
{
	char dir[] = "/tmp/sberf-remember-XXXXXX", config[64], own[80], path[96], again[128];
	const struct remembered what = { 1u << PANE_NUMA | 1u << PANE_THREADS, PANE_NUMA, SORT_NAME, GROUP_NONE + 1,
					 (1u << REMEMBERED_NR) - 1 };
	const struct remembered next = { 1u << PANE_TREE, PANE_TREE, SORT_TOTAL, 0, 0 };
	struct remembered r = untouched;
	struct err e = ERR_INIT;
	struct stat st;
	FILE *f;

	assert_non_null(mkdtemp(dir));
	snprintf(config, sizeof(config), "%s/config", dir);
	snprintf(own, sizeof(own), "%s/sberf", config);
	snprintf(path, sizeof(path), "%s/view", own);
	assert_int_equal(remember_read(path, &r, &e), -ENOENT);
	assert_int_equal(remember_write(path, &what, &e), 0);
	assert_int_equal(stat(config, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(remember_read(path, &r, &e), 0);
	assert_true(remembered_same(&r, &what));
	assert_int_equal(remember_write(path, &next, &e), 0);
	assert_int_equal(remember_read(path, &r, &e), 0);
	assert_true(remembered_same(&r, &next));
	f = fopen(path, "w");
	fputs("panes of glass\n", f);
	fclose(f);
	assert_int_equal(remember_read(path, &r, &e), -EINVAL);
	assert_non_null(strstr(e.text, "damaged at line 1: it is ignored"));
	f = fopen(path, "w");
	for (unsigned int i = 0; i < 5000; i++)
		fputs("#\n", f);
	fclose(f);
	assert_int_equal(remember_read(path, &r, &e), -EINVAL);
	assert_true(remembered_same(&r, &next));
	snprintf(again, sizeof(again), "%s/x/y", path);          /* a file is no folder */
	assert_true(remember_write(again, &what, &e) < 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(own), 0);                         /* nothing else was left there */
	assert_int_equal(rmdir(config), 0);
	assert_int_equal(rmdir(dir), 0);
}

static void the_environment_says_where(void **state)
{
	char path[64];

	setenv("XDG_CONFIG_HOME", "/a/b", 1);
	setenv("HOME", "/of/me", 1);
	assert_true(remember_path(path, sizeof(path)));
	assert_string_equal(path, "/a/b/sberf/view");
	setenv("XDG_CONFIG_HOME", "relative", 1);
	assert_true(remember_path(path, sizeof(path)));
	assert_string_equal(path, "/of/me/.config/sberf/view");
	assert_false(remember_path(path, 10));
	unsetenv("HOME");
	assert_false(remember_path(path, sizeof(path)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_read),
		cmocka_unit_test(nothing_behind_the_text_is_read),
		cmocka_unit_test(looks_are_read),
		cmocka_unit_test(damaged_files_are_not),
		cmocka_unit_test(written_files_come_back),
		cmocka_unit_test(the_environment_says_where),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
