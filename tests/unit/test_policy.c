/* SPDX-License-Identifier: BSD-2-Clause */
/* test_policy.c - memory policies as text. */
#include "config.h"

#include "numa/policy.h"

#include "cmocka_all.h"

#include <numaif.h>
#include <string.h>

static const char *text(unsigned int mode, uint64_t low, uint64_t high)
{
	static char buf[64];
	const uint64_t nodes[2] = { low, high };

	return policy_text(buf, sizeof(buf), mode, nodes, 128);
}

static void names_and_nodes(void **state)
{
	assert_string_equal(text(MPOL_DEFAULT, 0, 0), "default");
	assert_string_equal(text(MPOL_DEFAULT, 3, 0), "default");
	assert_string_equal(text(MPOL_PREFERRED, 2, 0), "preferred:1");
	assert_string_equal(text(MPOL_BIND, 3, 0), "bind:0-1");
	assert_string_equal(text(MPOL_INTERLEAVE, 0xd, 0), "interleave:0,2-3");
	assert_string_equal(text(MPOL_LOCAL, 0, 0), "local");
	assert_string_equal(text(5, 1ull << 63, 1), "preferred-many:63-64");
	assert_string_equal(text(6, UINT64_MAX, UINT64_MAX), "weighted-interleave:0-127");
	assert_string_equal(text(4711, 1, 0), "other:0");
}

/* What does not fit says so, and stays within its bounds, whatever these are. */
static void too_long(void **state)
{
	const uint64_t nodes[2] = { 0x5555555555555555, 0x5555555555555555 };
	char buf[64];

	policy_text(buf, sizeof(buf), MPOL_BIND, nodes, 128);
	assert_true(strlen(buf) < 64 && strlen(buf) > 55);
	assert_string_equal(buf + strlen(buf) - 4, ",...");
	assert_memory_equal(buf, "bind:0,2,4,", 11);
	for (size_t size = 32; size < sizeof(buf); size++) {
		memset(buf, 'x', sizeof(buf));
		policy_text(buf, size, MPOL_BIND, nodes, 128);
		assert_true(memchr(buf, '\0', size));
		assert_int_equal(buf[size], 'x');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(names_and_nodes), cmocka_unit_test(too_long) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
