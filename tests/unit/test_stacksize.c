/* SPDX-License-Identifier: BSD-2-Clause */
/* test_stacksize.c - sizes grow at the first cut, shrink after a long run, and do not swing. */
#include "config.h"

#include "bpf/wire.h"
#include "engine/stacksize.h"

#include "cmocka_all.h"

static struct stacksize table;

/* Learns N equal stacks; returns the last change, 0 when there was none. */
static uint32_t learn(uint64_t exe, uint32_t needed, unsigned int n)
{
	uint32_t last = 0;

	while (n--) {
		const uint32_t r = stacksize_learn(&table, exe, needed, false);

		if (r)
			last = r;
	}
	return last;
}

static void grows_at_once(void **state)
{
	stacksize_init(&table, 32768);
	assert_int_equal(stacksize_learn(&table, 7, 32768, true), 65536);
	assert_int_equal(stacksize_learn(&table, 7, 65536, true), 0);
	/* Another executable is not concerned. */
	assert_int_equal(stacksize_learn(&table, 8, 32768, true), 65536);
	assert_int_equal(stacksize_learn(&table, 0, 32768, true), 0);
}

static void shrinks_after_a_run(void **state)
{
	stacksize_init(&table, 32768);
	assert_int_equal(learn(7, 1000, STACKSIZE_RUN - 1), 0);
	assert_int_equal(learn(7, 1000, 1), 4096);
	assert_int_equal(learn(7, 1000, 10 * STACKSIZE_RUN), 0);

	/* One deep stack in the run keeps the size. */
	assert_int_equal(learn(9, 1000, STACKSIZE_RUN - 1), 0);
	assert_int_equal(learn(9, 12000, 1), 0);
	assert_int_equal(learn(9, 3000, STACKSIZE_RUN), 8192);
}

static void does_not_swing(void **state)
{
	stacksize_init(&table, 32768);
	assert_int_equal(learn(7, 1000, STACKSIZE_RUN), 4096);
	assert_int_equal(stacksize_learn(&table, 7, 4096, true), 8192);
	assert_int_equal(stacksize_learn(&table, 7, 8192, true), 16384);
	assert_int_equal(learn(7, 1000, 100 * STACKSIZE_RUN), 0);
}

static void forgets_the_least_recently_seen(void **state)
{
	unsigned int grown = 0;

	stacksize_init(&table, 32768);
	assert_int_equal(stacksize_learn(&table, 1, 0, true), 65536);
	for (uint64_t exe = 2; exe < 100 * STACKSIZE_EXES; exe++)
		stacksize_learn(&table, exe, 100, false);
	/* Forgotten: it starts again. */
	assert_int_equal(stacksize_learn(&table, 1, 0, true), 65536);
	for (unsigned int i = 0; i < STACKSIZE_EXES; i++)
		grown += table.exe[i].cap == 65536;
	assert_int_equal(grown, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows_at_once),
		cmocka_unit_test(shrinks_after_a_run),
		cmocka_unit_test(does_not_swing),
		cmocka_unit_test(forgets_the_least_recently_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
