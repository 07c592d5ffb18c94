/* SPDX-License-Identifier: BSD-2-Clause */
/* test_scanner.c - lists of processes come from a thread, as long as somebody wants them. */
#include "config.h"

#include "tests/unit/cmocka_all.h"

#include "base/clock.h"
#include "ui/scanner.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONG_MS 60000

/* The next list; NULL when none comes within MS. */
static struct proclist *next_list(struct scanner *s, int ms)
{
	struct pollfd p = { .fd = scanner_fd(s), .events = POLLIN };
	struct proclist *l = NULL;
	struct err e = ERR_INIT;

	if (poll(&p, 1, ms) <= 0)
		return NULL;
	assert_true(scanner_take(s, &l, &e));
	assert_non_null(l);
	return l;
}

static const struct proc_row *row(const struct proclist *l, pid_t pid)
{
	for (size_t i = 0; i < l->row.n; i++) {
		if (l->row.v[i].pid == pid)
			return &l->row.v[i];
	}
	return NULL;
}

/* The second one measures from the first one on; whoever scans is in none of them. */
static void lists_come(void **state)
{
	struct scanner *s = NULL;
	struct proclist *first, *second;
	struct err e = ERR_INIT;

	assert_int_equal(scanner_new("/proc", &s, &e), 0);
	assert_null(next_list(s, 0));
	scanner_go(s, NSEC_PER_SEC);
	first = next_list(s, LONG_MS);
	assert_int_equal(first->over_ns, 0);
	assert_non_null(row(first, getppid()));
	assert_null(row(first, getpid()));
	second = next_list(s, LONG_MS);
	assert_true(second->over_ns > 0);
	assert_true(second->time_ns > first->time_ns);
	proclist_unref(first);
	proclist_unref(second);
	scanner_free(s);
}

/* One that nobody took gives way to the next. */
static void it_can_be_stopped_and_left(void **state)
{
	struct scanner *s = NULL;
	struct proclist *l;
	struct err e = ERR_INIT;

	assert_int_equal(scanner_new("/proc", &s, &e), 0);
	scanner_go(s, NSEC_PER_MSEC);
	l = next_list(s, LONG_MS);
	proclist_unref(l);
	scanner_go(s, 0);
	scanner_go(s, NSEC_PER_MSEC);
	l = next_list(s, LONG_MS);
	proclist_unref(l);
	scanner_free(s);                 /* also in the middle of reading */
	scanner_free(NULL);
}

static void what_is_not_there(void **state)
{
	struct scanner *s = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(scanner_new("/nowhere", &s, &e), -ENOENT);
	assert_non_null(strstr(e.text, "/nowhere"));
	assert_null(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_come),
		cmocka_unit_test(it_can_be_stopped_and_left),
		cmocka_unit_test(what_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
