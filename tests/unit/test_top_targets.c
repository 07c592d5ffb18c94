/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_top_targets.c - going on with another target: whose flight recorder it is, and that the
 * process is the one that was picked.
 */
#include "config.h"

#include "tests/unit/cmocka_all.h"

#include "cmd/record_split.h"
#include "cmd/top_targets.h"
#include "session/backends.h"
#include "session/recording_text.h"
#include "system/procfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sessions and engines are made up: an engine is a number. */
static uintptr_t engines = 4096;

int launch_resolve(struct launch *s, const struct options *o, bool detached, struct err *e)
{
	return 0;
}

bool split_is_usual(const struct options *o)
{
	return false;
}

int launch_load(struct launch *s, struct err *e)
{
	s->engine = (struct engine *)engines++;
	return 0;
}

int launch_start(struct launch *s, struct err *e)
{
	return 0;
}

void launch_close(struct launch *s)
{
}

pid_t launch_command(const struct launch *s)
{
	return 0;
}

void engine_status(struct engine *en, struct profile_meta *ret)
{
	*ret = (struct profile_meta){ .freq_asked = 99 };
}

uint64_t engine_refresh(const struct engine *en)
{
	return 1;
}

void engine_recording(struct engine *en, struct recording_status *ret)
{
	*ret = (struct recording_status){ .state = RECORDING_NONE };
}

void engine_stop(struct engine *en)
{
}

bool engine_wait(struct engine *en, uint64_t max_ns)
{
	return true;
}

void engine_hurry(struct engine *en)
{
}

bool engine_saved(struct engine *en, struct recorder_saved *ret)
{
	return false;
}

char *recording_text(const struct recorder_saved *s, const char *otherwise, char *dst, size_t size)
{
	return dst;
}

struct session session_from_engine(struct engine *en)
{
	return (struct session){ .ctx = en };
}

static struct capture *begin(struct targets *t, const struct options *o)
{
	struct capture *c;
	int status;

	assert_int_equal(capture_open(t, o, &c, &status, NULL), 0);
	assert_int_equal(capture_start(c, NULL), 0);
	return c;
}

static uint64_t ticks_of(pid_t pid)
{
	const int dir = proc_open(pid);
	struct proc_stat st;

	assert_true(dir >= 0);
	assert_int_equal(proc_read_stat(dir, &st), 0);
	close(dir);
	return st.start_ticks;
}

static void the_newest_capture_keeps(void **state)
{
	const struct options o = { .target = OPT_TARGET_ALL, .keep_ns = 1 };
	struct targets t = { .o = &o };
	struct capture *c = begin(&t, &o);
	const struct session first = capture_session(c);
	struct session next;
	struct engine *one = atomic_load(&t.keeper), *two;
	char text[RECORDING_TEXT_MAX];

	assert_ptr_equal(one, c->s.engine);
	assert_int_equal(first.attach(first.owner, 0, 0, &next, NULL), 0);
	two = atomic_load(&t.keeper);
	assert_ptr_not_equal(one, two);
	/* The view cannot go on with it. */
	next.leave(next.owner, text, sizeof(text));
	assert_ptr_equal(atomic_load(&t.keeper), one);
	/* It can. */
	assert_int_equal(first.attach(first.owner, 0, 0, &next, NULL), 0);
	two = atomic_load(&t.keeper);
	first.leave(first.owner, text, sizeof(text));
	assert_ptr_equal(atomic_load(&t.keeper), two);
	next.leave(next.owner, text, sizeof(text));
	assert_null(atomic_load(&t.keeper));
}

static void a_number_is_not_a_process(void **state)
{
	const struct options o = { .target = OPT_TARGET_ALL, .keep_ns = 1 };
	struct targets t = { .o = &o };
	struct capture *c = begin(&t, &o);
	const struct session first = capture_session(c);
	const uint64_t ticks = ticks_of(getpid());
	struct engine *one = atomic_load(&t.keeper);
	struct err e = ERR_INIT;
	struct session next;
	char text[RECORDING_TEXT_MAX];

	assert_int_equal(first.attach(first.owner, getpid(), ticks + 1, &next, &e), -ESRCH);
	assert_non_null(strstr(e.text, "that process has ended, and another one is number "));
	assert_ptr_equal(atomic_load(&t.keeper), one);
	assert_int_equal(first.attach(first.owner, getpid(), ticks, &next, &e), 0);
	next.leave(next.owner, text, sizeof(text));
	assert_int_equal(first.attach(first.owner, getpid(), 0, &next, &e), 0);
	next.leave(next.owner, text, sizeof(text));
	first.leave(first.owner, text, sizeof(text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_newest_capture_keeps),
		cmocka_unit_test(a_number_is_not_a_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
