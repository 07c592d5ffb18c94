/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_rows_budget.c - a function that has a thousand call-frame instructions for each of its own:
 * libdw, which runs all of them from its start for each row, would take many times what it may, be
 * it asked for all rows or, by walks, for one after the other.
 */
#include "config.h"

#include "unwind/rows.h"

#include "bpf/wire.h"
#include "base/clock.h"
#include "own_code.h"
#include "unwind/walk.h"

#include <fcntl.h>

#define ROWS 240                         /* as below */

__asm__(".pushsection .text\n"
	".p2align 11\n"
	".type dear_code, @function\n"
	"dear_code:\n"
	".cfi_startproc\n"
	/*
	 * DW_CFA_undefined of register 255: each state that is remembered is of 4 KB. So often, the
	 * function cannot be split.
	 */
	".rept 200\n"
	"	.cfi_escape 0x07, 0xff, 0x01\n"
	".endr\n"
	".rept 240\n"
	"	nop\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.rept 500\n"
	"		.cfi_remember_state\n"
	"		.cfi_restore_state\n"
	"	.endr\n"
	".endr\n"
	"	ret\n"
	".cfi_endproc\n"
	".size dear_code, . - dear_code\n"
	".p2align 11\n"
	".popsection\n");
extern const uint8_t dear_code[];

static void rows_that_take_too_long(void **state)
{
	AUTO_FD int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	AUTO(image_free) struct image *im = NULL, *fresh = NULL;
	struct rule_row row[SB_ROWS];
	uint64_t at;
	size_t n;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(image_open(fd, &im, NULL), 0);
	assert_int_equal(image_open(fd, &fresh, NULL), 0);
	at = own_offset(im, dear_code);
	assert_int_equal(at % SB_TEXT_BYTES, 0);
	n = rows_of(im, at, SB_TEXT_BYTES, row, SB_ROWS);
	/* What was found in its time is right, and nothing is said of the rest. */
	assert_in_range(n, 2, ROWS);
	for (size_t i = 0; i < n - 1; i++) {
		assert_int_equal(row[i].at, i);
		assert_int_equal(row[i].rule.kind, RULE_SP);
		assert_int_equal(row[i].rule.cfa, 8 * (i + 1));
	}
	assert_int_equal(row[n - 1].at, n - 1);
	assert_int_equal(row[n - 1].rule.kind, RULE_NONE);
	/* Nor of anything else in the file from there on: there may be more of the kind. */
	at = own_offset(im, (const uint8_t *)(uintptr_t)rows_that_take_too_long) / SB_TEXT_BYTES * SB_TEXT_BYTES;
	assert_true(rows_of(fresh, at, SB_TEXT_BYTES, row, SB_ROWS) > 1);
	assert_int_equal(rows_of(im, at, SB_TEXT_BYTES, row, SB_ROWS), 1);
	assert_int_equal(row[0].rule.kind, RULE_NONE);
}

static void walks_that_take_too_long(void **state)
{
	AUTO_FD int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	AUTO(image_free) struct image *dear = NULL, *other = NULL;
	AUTO(unwinder_free) struct unwinder *u = unwinder_new();
	uint64_t now_ns = clock_mono_ns();

	(void)state;
	assert_true(fd >= 0 && u);
	assert_int_equal(image_open(fd, &dear, NULL), 0);
	assert_int_equal(image_open(fd, &other, NULL), 0);
	/* What finding the functions of a file takes once does not count. */
	walk_has_asked(u, dear, now_ns - 100 * NSEC_PER_MSEC);
	assert_true(walk_may_ask(u, dear, now_ns));
	/* Half a second may be saved up. */
	walk_has_asked(u, dear, now_ns - 300 * NSEC_PER_MSEC);
	assert_true(walk_may_ask(u, dear, now_ns));
	walk_has_asked(u, dear, now_ns - NSEC_PER_SEC);
	now_ns = clock_mono_ns();
	assert_false(walk_may_ask(u, dear, now_ns));
	assert_false(walk_may_ask(u, dear, now_ns + 3 * NSEC_PER_SEC));
	assert_true(walk_may_ask(u, dear, now_ns + 12 * NSEC_PER_SEC));
	/* Who comes by other files does not suffer for it. */
	assert_true(walk_may_ask(u, other, now_ns));
	for (int i = 0; i < 1000; i++)
		walk_has_asked(u, other, clock_mono_ns());
	assert_true(walk_may_ask(u, other, now_ns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_that_take_too_long),
		cmocka_unit_test(walks_that_take_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
