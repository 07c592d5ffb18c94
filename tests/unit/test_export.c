/* SPDX-License-Identifier: BSD-2-Clause */
/* test_export.c - what exporters write, byte for byte, for profiles made by hand; and that they report failed writes. */
#include "config.h"

#include "export/export.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"
#include "tests/unit/made.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ull

static char *folded(struct made *m, const struct query *q)
{
	AUTO(tree_free) struct tree *t = made_tree(m, q);
	struct err e = ERR_INIT;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(export_folded(f, t, &e), 0);
	fclose(f);
	return text;
}

static void assert_folded(struct made *m, const struct query *q, const char *want)
{
	AUTO_FREE char *text = folded(m, q);

	assert_string_equal(text, want);
}

static void test_folded_kinds(void **state)
{
	const struct query q = { .group_by = GROUP_COMM };
	struct made m;
	thread_id t;

	made_init(&m, NULL);
	t = made_thread(&m, 10, 10, "app");
	made_add(&m, 1, t, "main;work>twice>once;@2a1f0", 10 * MS);
	made_add(&m, 2, t, "main;write;ksys_write_[k];@k77", 5 * MS);
	made_add(&m, 3, t, "main;LazyCompile:~f_[j];@jff00", 3 * MS);
	made_add(&m, 4, t, "!1;deep", 2 * MS);
	made_add(&m, 5, t, "(other)", 1 * MS);
	made_add(&m, 6, t, "", 1500);
	assert_folded(&m, &q,
		      "app 2\n"
		      "app;(other) 1000\n"
		      "app;[cut: stack_size];deep 2000\n"
		      "app;main;LazyCompile:~f_[j];[anon]+0xff00_[j] 3000\n"
		      "app;main;work;twice_[i];once_[i];libc.so.6+0x2a1f0 10000\n"
		      "app;main;write;ksys_write_[k];[kernel]+0x77_[k] 5000\n");
	made_free(&m);
}

static void test_folded_groups(void **state)
{
	struct query q = { .group_by = GROUP_NONE };
	struct made m;
	thread_id a, b;

	made_init(&m, NULL);
	b = made_thread(&m, 10, 11, "bio");
	a = made_thread(&m, 10, 10, "app");
	made_add(&m, 1, a, "main;f", MS);
	made_add(&m, 2, b, "main;f", MS);
	assert_folded(&m, &q, "all;main;f 2000\n");
	q.group_by = GROUP_PROCESS;
	assert_folded(&m, &q, "app 10;main;f 2000\n");
	q.group_by = GROUP_THREAD;
	assert_folded(&m, &q, "app 10;app 10;main;f 1000\napp 10;bio 11;main;f 1000\n");
	q.group_by = GROUP_EXE;
	assert_folded(&m, &q, "/usr/bin/app;main;f 2000\n");
	q.group_by = GROUP_CGROUP;
	assert_folded(&m, &q, "/system.slice/app.service;main;f 2000\n");
	q.group_by = GROUP_COMM;
	assert_folded(&m, &q, "app;main;f 1000\nbio;main;f 1000\n");
	q.inverted = true;
	assert_folded(&m, &q, "app;f;main 1000\nbio;f;main 1000\n");
	made_free(&m);
}

/* Names may hold anything: every stack stays on one line, and what reads the same is one line. */
static void test_folded_hostile(void **state)
{
	const struct query q = { .group_by = GROUP_COMM };
	AUTO_FREE char *text = NULL;
	struct made m;
	thread_id t;

	made_init(&m, NULL);
	t = made_thread(&m, 10, 10, "a;b\nc\033[2J");
	made_add(&m, 1, t, "x\n1 2\n;\xff\xfe", MS);
	made_add(&m, 2, t, "x\r1 2\n;\xfe\xff", MS);
	made_add(&m, 3, t, "@10;\xe2\x80\xaetxt", MS);
	text = folded(&m, &q);
	assert_string_equal(text, "a:b\xef\xbf\xbd" "c\xef\xbf\xbd[2J;libc.so.6+0x10;\xef\xbf\xbdtxt 1000\n"
				  "a:b\xef\xbf\xbd" "c\xef\xbf\xbd[2J;x\xef\xbf\xbd" "1 2\xef\xbf\xbd;"
				  "\xef\xbf\xbd\xef\xbf\xbd 2000\n");
	made_free(&m);
}

/* Weights that no line can show exactly still add up, and no stack vanishes. */
static void test_folded_rounding(void **state)
{
	const struct query q = { .group_by = GROUP_NONE };
	AUTO_FREE char *text = NULL;
	uint64_t sum = 0, ns = 0;
	unsigned int lines = 0;
	char stack[32];
	struct made m;

	made_init(&m, NULL);
	for (unsigned int i = 0; i < 1000; i++) {
		snprintf(stack, sizeof(stack), "main;f%u", i);
		made_add(&m, 1, made_thread(&m, 1, 1, "a"), stack, 7 + i * 13 % 1700);
		ns += 7 + i * 13 % 1700;
	}
	text = folded(&m, &q);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++)
		sum += strtoull(strrchr(line, ' '), NULL, 10);
	assert_int_equal(lines, 1000);
	assert_int_equal(sum, (ns + 500) / 1000);
	made_free(&m);
}

static void test_write_errors(void **state)
{
	const struct query q = { .group_by = GROUP_COMM };
	AUTO(tree_free) struct tree *t = NULL;
	FILE *full = fopen("/dev/full", "w");
	struct err e = ERR_INIT;
	struct made m;

	made_init(&m, NULL);
	made_add(&m, 1, made_thread(&m, 1, 1, "a"), "main;f", MS);
	t = made_tree(&m, &q);
	assert_non_null(full);
	assert_int_equal(export_folded(full, t, &e), -ENOSPC);
	assert_non_null(strstr(e.text, "No space left on device"));
	fclose(full);
	made_free(&m);
}

static struct tree *shared_tree;

static bool try_folded(void)
{
	FILE *null = fopen("/dev/null", "w");
	bool ok;

	assert_non_null(null);
	ok = export_folded(null, shared_tree, NULL) == 0;
	fclose(null);
	return ok;
}

static void test_no_memory(void **state)
{
	const struct query q = { .group_by = GROUP_COMM };
	struct made m;

	made_init(&m, NULL);
	made_add(&m, 1, made_thread(&m, 1, 1, "a"), "main;f;g>h", MS);
	shared_tree = made_tree(&m, &q);
	for (long n = 0; fail_alloc_round(n, try_folded); n++)
		;
	tree_free(shared_tree);
	made_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folded_kinds),
		cmocka_unit_test(test_folded_groups),
		cmocka_unit_test(test_folded_hostile),
		cmocka_unit_test(test_folded_rounding),
		cmocka_unit_test(test_write_errors),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
