/* SPDX-License-Identifier: BSD-2-Clause */
/* test_target.c - what the target does that is told: executing another program. Ends are tests/tui/top.sh's. */
#include "config.h"

#include "tests/unit/cmocka_all.h"

#include "engine/target.h"

#include <string.h>
#include <unistd.h>

static struct target_watch *watch(enum target_kind kind, pid_t child, uint32_t *ids, size_t n)
{
	const struct capture_plan plan = { .target = kind, .ids = { .v = ids, .n = n, .cap = n } };
	struct target_watch *w = NULL;

	assert_int_equal(target_watch_new(&plan, child, &w, NULL), 0);
	return w;
}

/* What W makes of PID calling itself NAME, by executing it or else; "" = nothing. */
static const char *told(struct target_watch *w, pid_t pid, bool exec, const char *name)
{
	const struct raw_event ev = { .kind = RAW_COMM, .pid = pid, .tid = pid, .comm = { .exec = exec, .comm = name } };
	static char text[64];
	bool news;

	text[0] = '\0';
	news = target_watch_exec(w, &ev, text, sizeof(text));
	assert_int_equal(news, text[0] != '\0');
	return text;
}

static void a_process(void **state)
{
	uint32_t ids[] = { (uint32_t)getpid() };
	struct target_watch *w = watch(TARGET_PIDS, 0, ids, 1);

	assert_string_equal(told(w, getpid(), false, "renamed"), "");
	assert_string_equal(told(w, getpid() + 1, true, "child"), "");
	assert_string_equal(told(w, getpid(), true, "sleep"), "sleep");
	assert_string_equal(told(w, getpid(), true, "a\033b"), "a\xEF\xBF\xBD" "b");
	target_watch_free(w);
}

static void a_command(void **state)
{
	uint32_t ids[] = { (uint32_t)getpid() };
	struct target_watch *w = watch(TARGET_PIDS, getpid(), ids, 1);

	assert_string_equal(told(w, getpid(), true, "sh"), "");
	assert_string_equal(told(w, getpid(), true, "make"), "make");
	target_watch_free(w);
}

/* Where there is no single one, it would not be clear who. */
static void others(void **state)
{
	uint32_t ids[] = { (uint32_t)getpid(), (uint32_t)getppid() };
	struct target_watch *w = watch(TARGET_PIDS, 0, ids, 2);

	assert_string_equal(told(w, getpid(), true, "sleep"), "");
	target_watch_free(w);
	w = watch(TARGET_TIDS, 0, ids, 1);
	assert_string_equal(told(w, getpid(), true, "sleep"), "");
	target_watch_free(w);
	w = watch(TARGET_ALL, 0, NULL, 0);
	assert_string_equal(told(w, getpid(), true, "sleep"), "");
	target_watch_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process),
		cmocka_unit_test(a_command),
		cmocka_unit_test(others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
