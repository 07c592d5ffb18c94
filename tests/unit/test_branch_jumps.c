/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_branch_jumps.c - branches of calls by where some jumps on a condition led. The function is made by hand, its
 * sub-program too:
 *
 *	0  0x1000  if ... to 3             0  0x2000  if ... to 2
 *	1  0x1010  if ... to 3             1  0x2010  on
 *	2  0x1020  jump to 4               2  0x2020  return
 *	3  0x1030  if ... to 3, a loop
 *	4  0x1040  return
 */
#include "config.h"

#include "branch/jumps.h"

#include "tests/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUTER 0x9000ull
#define INNER 0x8000ull
#define BLOCKS 5u

static const struct code_block outer[BLOCKS] = {
	{ .vaddr = 0x1000, .size = 16, .last = 14, .end = CODE_CONDITION, .target = 0x1030 },
	{ .vaddr = 0x1010, .size = 16, .last = 14, .end = CODE_CONDITION, .target = 0x1030 },
	{ .vaddr = 0x1020, .size = 16, .last = 14, .end = CODE_JUMP, .target = 0x1040 },
	{ .vaddr = 0x1030, .size = 16, .last = 14, .end = CODE_CONDITION, .target = 0x1030 },
	{ .vaddr = 0x1040, .size = 1, .end = CODE_RETURN },
};
static const struct code_block inner[] = {
	{ .vaddr = 0x2000, .size = 16, .last = 14, .end = CODE_CONDITION, .target = 0x2020 },
	{ .vaddr = 0x2010, .size = 16, .last = 12, .end = CODE_ON },
	{ .vaddr = 0x2020, .size = 1, .end = CODE_RETURN },
};
static const struct probe_code codes[] = {
	{ .name = "outer", .start = 0x1000, .n = BLOCKS, .block = outer },
	{ .name = "inner", .start = 0x2000, .n = 3, .first = BLOCKS, .block = inner },
};

/*
 * Follows JUMPS, "o0+ i0-": of which function and block, taken or not, where the blocks in WATCHED, "o0 o1 i0", are
 * watched, to "100e>1030 ": from where, taken or passed, to where; "?" is a gap.
 */
static const char *followed(const char *watched, const char *jumps, bool cut)
{
	static char text[512];
	bool marks[2][BLOCKS] = { { false } };
	const struct branch_jumps_code code[] = { { &codes[0], marks[0] }, { &codes[1], marks[1] } };
	struct branch_jump all[16];
	branch_vec got = { 0 };
	uint32_t gaps = 0, seen = 0;
	size_t n = 0, at = 0;

	for (; *watched; watched += watched[2] ? 3 : 2)
		marks[*watched == 'i'][watched[1] - '0'] = true;
	for (; *jumps; jumps += jumps[3] ? 4 : 3)
		all[n++] = (struct branch_jump){ .code = *jumps == 'i', .block = (uint32_t)(jumps[1] - '0'),
						 .frame = *jumps == 'i' ? INNER : OUTER, .taken = jumps[2] == '+' };
	assert_true(branch_jumps_follow(code, 2, all, n, cut, &got, &gaps));
	text[0] = '\0';
	for (size_t i = 0; i < got.n; i++) {
		const struct branch *b = &got.v[i];

		at += (size_t)snprintf(text + at, sizeof(text) - at, "%llx%s%llx ", (unsigned long long)b->from,
				       b->how == BRANCH_TAKEN ? ">" : b->how == BRANCH_PASSED ? "|" : "?",
				       (unsigned long long)b->to);
		seen += b->how == BRANCH_GAP;
		assert_int_equal(b->space, BRANCH_SPACE(0, b->from >= 0x2000 || b->to >= 0x2000 ? BLOCKS : 0));
	}
	assert_int_equal(seen, gaps);
	vec_free(&got);
	return text;
}

static void test_all_are_watched(void **state)
{
	(void)state;
	assert_string_equal(followed("o0 o1 o3", "o0- o1-", false), "100e|1010 101e|1020 102e>1040 ");
	assert_string_equal(followed("o0 o1 o3", "o0+ o3-", false), "100e>1030 103e|1040 ");
	assert_string_equal(followed("o0 o1 o3", "o0- o1+ o3+ o3+ o3-", false),
			    "100e|1010 101e>1030 103e>1030 103e>1030 103e|1040 ");
}

/* One way alone leads from the last jump to the return, or there are several. */
static void test_some_are_watched(void **state)
{
	(void)state;
	assert_string_equal(followed("o1 o3", "o1-", false), "100e|1010 101e|1020 102e>1040 ");
	assert_string_equal(followed("o0 o1", "o0+", false), "100e>1030 1030?0 ");
	/* Two ways lead to the loop. */
	assert_string_equal(followed("o3", "o3-", false), "1000?1030 103e|1040 ");
	assert_string_equal(followed("", "", false), "1000?0 ");
}

static void test_sub_programs(void **state)
{
	(void)state;
	assert_string_equal(followed("o0 o1 o3 i0", "o0- i0+ o1-", false),
			    "100e|1010 200e>2020 101e|1020 102e>1040 ");
	/* It is called twice, and its frame is the same. */
	assert_string_equal(followed("o0 o1 o3 i0", "i0- o0- i0+ o1-", false),
			    "200e|2010 100e|1010 200e>2020 101e|1020 102e>1040 ");
}

/* What is lost, or cannot be, is a gap, and no more than that. */
static void test_odd(void **state)
{
	(void)state;
	assert_string_equal(followed("o0 o1 o3", "o0+ o3+", true), "100e>1030 103e>1030 1030?0 ");
	/* There is no way from there to here. */
	assert_string_equal(followed("o0 o1 o3", "o3- o0+", false), "1000?1030 103e|1040 1040?1000 100e>1030 1030?0 ");
	assert_string_equal(followed("o0", "o9+", false), "1000?0 ");
}

static void test_flags(void **state)
{
	/* carry, zero, sign, overflow, parity; and for which of the sixteen conditions the jump is taken */
	static const struct {
		uint32_t flags;
		uint16_t taken;
	} rows[] = {
		{ 0x000, 0xaaaa }, { 0x001, 0xaa66 }, { 0x040, 0x6a5a }, { 0x080, 0x59aa }, { 0x800, 0x5aa9 },
		{ 0x004, 0xa6aa }, { 0x880, 0xa9a9 }, { 0x841, 0x5a55 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint16_t short_form = 0, long_form = 0;

		for (unsigned int c = 0; c < 16; c++) {
			const uint8_t near[] = { (uint8_t)(0x70 + c), 0x10 }, far[] = { 0x0f, (uint8_t)(0x80 + c), 1,
										       2, 3, 4 };
			bool taken;

			assert_true(branch_jump_taken_x86_64(near, sizeof(near), rows[i].flags, &taken));
			short_form |= (uint16_t)(taken << c);
			assert_true(branch_jump_taken_x86_64(far, sizeof(far), rows[i].flags, &taken));
			long_form |= (uint16_t)(taken << c);
		}
		assert_int_equal(short_form, long_form);
		assert_int_equal(short_form, rows[i].taken);
	}
}

static void test_no_condition(void **state)
{
	const uint8_t jump[] = { 0xeb, 0x10 }, call[] = { 0xe8, 0, 0, 0, 0 }, loop[] = { 0xe3, 0x10 };
	bool taken;

	(void)state;
	assert_false(branch_jump_taken_x86_64(jump, sizeof(jump), 0, &taken));
	assert_false(branch_jump_taken_x86_64(call, sizeof(call), 0, &taken));
	assert_false(branch_jump_taken_x86_64(loop, sizeof(loop), 0, &taken));
	assert_false(branch_jump_taken_x86_64(jump, 0, 0, &taken));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_are_watched),
		cmocka_unit_test(test_some_are_watched),
		cmocka_unit_test(test_sub_programs),
		cmocka_unit_test(test_odd),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_no_condition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
