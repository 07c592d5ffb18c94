/* SPDX-License-Identifier: BSD-2-Clause */
/* test_target.c - what the target does that is told: executing another program. Ends are tests/tui/top.sh's. */
#include "config.h"

#include "tests/unit/cmocka_all.h"

#include "engine/target.h"
#include "system/lookup.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
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
	const struct raw_event ev = { .kind = RAW_COMM, .pid = pid, .tid = pid,
				      .comm = { .exec = exec, .comm = name } };
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

static pid_t named(const char *name)
{
	const pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_NAME, name);
		for (;;)
			pause();
	}
	for (int i = 0; i < 5000; i++) {
		char comm[32] = "";

		if (!strcmp(lookup_comm(pid, comm, sizeof(comm)), name))
			return pid;
		usleep(1000);
	}
	fail_msg("no process is called %s", name);
	return -1;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Within two seconds: the status of an end may come late. */
static bool ends(struct target_watch *w)
{
	enum target_state state;
	int code;

	for (int i = 0; i < 200; i++) {
		if (target_watch_ended(w, &state, &code))
			return true;
		usleep(10000);
	}
	return false;
}

static void those_of_a_name_end_with_the_last(void **state)
{
	enum target_state how;
	char name[16];
	int code;

	snprintf(name, sizeof(name), "t%d", (int)getpid());
	for (int stay = 0; stay < 2; stay++) {
		uint32_t ids[] = { (uint32_t)named(name) };
		struct capture_plan plan = { .target = TARGET_PIDS, .ids = { .v = ids, .n = 1, .cap = 1 },
					     .name = name, .stay = stay };
		struct target_watch *w = NULL;
		pid_t next;

		assert_int_equal(target_watch_new(&plan, 0, &w, NULL), 0);
		next = named(name);
		end((pid_t)ids[0]);
		for (int i = 0; i < 100; i++) {
			assert_false(target_watch_ended(w, &how, &code));
			usleep(10000);
		}
		end(next);
		assert_int_equal(ends(w), !stay);
		target_watch_free(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process),
		cmocka_unit_test(a_command),
		cmocka_unit_test(others),
		cmocka_unit_test(those_of_a_name_end_with_the_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
