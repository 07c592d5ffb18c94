/* SPDX-License-Identifier: BSD-2-Clause */
/* test_oomkills.c - what the kernel says of processes killed for lack of memory, in both versions of cgroups. */
#include "config.h"

#include "system/oomkills.h"
#include "tests/unit/cmocka_all.h"

static void the_count_is_behind_its_key(void **state)
{
	(void)state;
	assert_int_equal(oomkills_parse("low 0\nhigh 3\nmax 17\noom 2\noom_kill 12\noom_group_kill 1\n"), 12);
	assert_int_equal(oomkills_parse("oom_kill_disable 1\nunder_oom 0\noom_kill 3\n"), 3);
	assert_int_equal(oomkills_parse("oom_kill 7"), 7);
}

static void without_it_there_are_none(void **state)
{
	(void)state;
	assert_int_equal(oomkills_parse(""), 0);
	assert_int_equal(oomkills_parse("oom_kill_disable 1\nunder_oom 0\n"), 0);
	assert_int_equal(oomkills_parse("oom_kill x\n"), 0);
	assert_int_equal(oomkills_parse("oom 5\n\n"), 0);
	/* Whatever this machine says, it is read. */
	(void)oomkills_count();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_count_is_behind_its_key),
		cmocka_unit_test(without_it_there_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
