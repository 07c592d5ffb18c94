/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_image_split.c - long functions in parts: the rows of this program's own code and of the
 * libraries that it uses are the same, byte by byte, as libdw says of the functions as they are;
 * and what cannot be split stays whole.
 */
#include "config.h"

#include "cfi_section.h"
#include "own_code.h"
#include "unwind/cfi_split.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>

#define REGS 17                          /* of the ABI, with the return address */

#define FUNCTION(name, body) \
	__asm__(".pushsection .text\n" \
		".type " name ", @function\n" name ":\n" \
		".cfi_startproc\n" body \
		".cfi_endproc\n" \
		".size " name ", . - " name "\n" \
		".popsection\n")

/* An epilogue in the midst of a function. */
#define EXIT "nop\n .cfi_remember_state\n nop\n .cfi_def_cfa 7, 8\n .cfi_restore 6\n nop\n .cfi_restore_state\n nop\n"

FUNCTION("many_exits", "nop\n .cfi_adjust_cfa_offset 8\n .cfi_offset 6, -16\n nop\n .cfi_def_cfa_register 6\n .rept "
	 "200\n" EXIT ".endr\n");
FUNCTION("pushes", ".rept 200\n nop\n .cfi_adjust_cfa_offset 8\n nop\n .cfi_adjust_cfa_offset -8\n .endr\n");
FUNCTION("nested", ".rept 100\n nop\n .cfi_remember_state\n nop\n .cfi_adjust_cfa_offset 16\n" EXIT
	 " nop\n .cfi_restore_state\n nop\n"
	 ".cfi_adjust_cfa_offset 8\n .endr\n");
/* The stack is aligned: DW_CFA_def_cfa_expression, breg10 0; and register 6 by DW_CFA_expression, breg6 0. */
FUNCTION("realigned", "nop\n .cfi_escape 0x0f, 0x02, 0x7a, 0x00\n .cfi_escape 0x10, 0x06, 0x02, 0x76, 0x00\n"
	 ".rept 100\n" EXIT ".endr\n");
FUNCTION("restores", ".cfi_offset 3, -24\n .rept 100\n nop\n .cfi_remember_state\n nop\n .cfi_undefined 3\n nop\n "
	 ".cfi_restore_state\n"
	 "nop\n .cfi_restore 3\n nop\n .cfi_escape 0x2e, 0x10\n .endr\n");
/* What is remembered is never restored: there is only one part. */
FUNCTION("remembers", ".cfi_remember_state\n .rept 200\n nop\n .cfi_adjust_cfa_offset 8\n .endr\n");
/* Too much is left of what was before. */
FUNCTION("moves", ".rept 400\n nop\n .cfi_offset 3, -24\n nop\n .cfi_offset 12, -32\n .endr\n");
FUNCTION("short_one", ".rept 10\n" EXIT ".endr\n");

extern const uint8_t many_exits[], pushes[], nested[], realigned[], restores[], remembers[], moves[], short_one[];

static bool same_ops(const Dwarf_Op *a, size_t na, const Dwarf_Op *b, size_t nb)
{
	if (na != nb || !a != !b)
		return false;
	for (size_t i = 0; i < na; i++)
		if (a[i].atom != b[i].atom || a[i].number != b[i].number || a[i].number2 != b[i].number2)
			return false;
	return true;
}

static bool same_register(Dwarf_Frame *a, Dwarf_Frame *b, int reg)
{
	Dwarf_Op mem_a[3], mem_b[3], *ops_a = NULL, *ops_b = NULL;
	size_t na = 0, nb = 0;

	return dwarf_frame_register(a, reg, mem_a, &ops_a, &na) == dwarf_frame_register(b, reg, mem_b, &ops_b, &nb) &&
	       same_ops(ops_a, na, ops_b, nb);
}

/* Do A and B say the same, and A of at least the place VADDR? *RET_END: up to where both do. */
static bool same_row(Dwarf_Frame *a, Dwarf_Frame *b, uint64_t vaddr, uint64_t *ret_end)
{
	Dwarf_Op *ops_a = NULL, *ops_b = NULL;
	Dwarf_Addr start_a, start_b, end_a, end_b;
	size_t na = 0, nb = 0;
	bool signal_a, signal_b;

	if (dwarf_frame_info(a, &start_a, &end_a, &signal_a) != dwarf_frame_info(b, &start_b, &end_b, &signal_b) ||
	    signal_a != signal_b || start_a > vaddr || end_a <= vaddr || end_b <= vaddr)
		return false;
	*ret_end = end_a < end_b ? end_a : end_b;
	if (dwarf_frame_cfa(a, &ops_a, &na) != dwarf_frame_cfa(b, &ops_b, &nb) || !same_ops(ops_a, na, ops_b, nb))
		return false;
	for (int reg = 0; reg < REGS; reg++)
		if (!same_register(a, b, reg))
			return false;
	return true;
}

/* How many rows of IM's functions that are in parts are there? Each is what libdw says of the function as it is. */
static size_t compare(const struct image *im, const char *name)
{
	size_t rows = 0;
	uint64_t at, next = 0;

	for (size_t i = 0; i < im->split.n; i++)
		for (at = im->split.v[i].start; at < im->split.v[i].end; at = next, rows++) {
			AUTO_FREE Dwarf_Frame *part = NULL, *whole = NULL;

			assert_int_equal(dwarf_cfi_addrframe(im->copy.eh, at, &whole), 0);
			assert_int_equal(dwarf_cfi_addrframe(im->parts.eh, at, &part), 0);
			if (!same_row(part, whole, at, &next))
				fail_msg("%s, %#lx: libdw says something else of the part", name, (unsigned long)at);
		}
	return rows;
}

static uint64_t own_vaddr(const struct image *im, const uint8_t *code)
{
	uint64_t vaddr;

	assert_true(image_vaddr(im, own_offset(im, code), &vaddr));
	return vaddr;
}

static void own_functions(void **state)
{
	static const uint8_t *const split[] = { many_exits, pushes, nested, realigned, restores, remembers };
	static const uint8_t *const whole[] = { moves, short_one };
	AUTO_FD int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	AUTO(image_free) struct image *im = NULL;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(image_open(fd, &im, NULL), 0);
	for (size_t i = 0; i < sizeof(split) / sizeof(*split); i++)
		assert_true(image_is_split(im, own_vaddr(im, split[i]) + 1));
	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++)
		assert_false(image_is_split(im, own_vaddr(im, whole[i]) + 1));
	/* Up to its end, and no further. */
	for (size_t i = 0; i < im->split.n; i++) {
		assert_true(image_is_split(im, im->split.v[i].start) && image_is_split(im, im->split.v[i].end - 1));
		assert_true(i + 1 == im->split.n || im->split.v[i].end <= im->split.v[i + 1].start);
	}
	assert_false(image_is_split(im, im->split.v[0].start - 1));
	assert_false(image_is_split(im, im->split.v[im->split.n - 1].end));
	assert_false(image_is_split(im, UINT64_MAX));
	assert_true(compare(im, "own code") > 1500);
}

static int compare_one(struct dl_phdr_info *info, size_t size, void *ctx)
{
	AUTO_FD int fd = open(info->dlpi_name, O_RDONLY | O_CLOEXEC);
	AUTO(image_free) struct image *im = NULL;

	(void)size;
	if (fd >= 0 && !image_open(fd, &im, NULL))
		*(size_t *)ctx += compare(im, info->dlpi_name);
	return 0;
}

static void libraries(void **state)
{
	size_t rows = 0;

	(void)state;
	dl_iterate_phdr(compare_one, &rows);
	/* A C library alone has some. */
	assert_true(rows > 100);
}

/* ---- sections of nobody's making ---- */

/* What becomes of the section at hand. */
static struct cfi_splitter take_section(void)
{
	Elf_Data data = { .d_buf = section, .d_size = used, .d_version = EV_CURRENT };
	struct cfi_splitter s = { .addr = 0x10000, .base = section };

	elf_version(EV_CURRENT);
	assert_true(image_ops_fit(ident, &data, true, &s));
	return s;
}

/* One FDE of N instructions OPS and SIZE bytes of code: is it split? */
static bool is_split(uint32_t size, const void *ops, size_t n)
{
	struct cfi_splitter s;
	bool split;

	begin_usual();
	add_fde_of(0, size, ops, n);
	s = take_section();
	split = s.split.n == 1;
	assert_true(s.split.n <= 1);
	cfi_splitter_drop(&s);
	return split;
}

/* 300 places, one byte from each other; then END. */
static bool ends_split(uint32_t size, const void *end, size_t n)
{
	uint8_t ops[1000];
	size_t at = 0;

	for (unsigned int i = 0; i < 300; i++) {
		ops[at++] = DW_CFA_advance_loc | 1;
		ops[at++] = DW_CFA_def_cfa_offset;
		ops[at++] = (uint8_t)(i % 100);
	}
	memcpy(ops + at, end, n);
	return is_split(size, ops, at + n);
}

#define ENDS_SPLIT(size, ...) ends_split(size, (const uint8_t[]){ __VA_ARGS__ }, \
					 sizeof((const uint8_t[]){ __VA_ARGS__ }))

static void what_stays_whole(void **state)
{
	(void)state;
	assert_true(ENDS_SPLIT(0x1000, DW_CFA_nop));
	/* The last place may be behind the last byte, but not further. */
	assert_true(ENDS_SPLIT(300, DW_CFA_nop));
	assert_false(ENDS_SPLIT(299, DW_CFA_nop));
	assert_false(ENDS_SPLIT(0, DW_CFA_nop));
	assert_false(ENDS_SPLIT(0x1000, DW_CFA_advance_loc4, 0xff, 0xff, 0xff, 0xff));
	assert_false(ENDS_SPLIT(0x1000, DW_CFA_set_loc, 0, 0x10, 0, 0));
	assert_false(ENDS_SPLIT(0x1000, DW_CFA_MIPS_advance_loc8, 1, 0, 0, 0, 0, 0, 0, 0));
	/* There is nothing to be restored. */
	assert_false(ENDS_SPLIT(0x1000, DW_CFA_restore_state));
	assert_false(ENDS_SPLIT(0x1000, DW_CFA_remember_state, DW_CFA_restore_state, DW_CFA_restore_state));
	/* It ends in the midst of an instruction. */
	assert_false(ENDS_SPLIT(0x1000, DW_CFA_advance_loc2, 1));
	assert_false(ENDS_SPLIT(0x1000, DW_CFA_def_cfa_expression, 5, 0));
	/* More code than a file can have. */
	assert_false(ENDS_SPLIT(0xf0000000, DW_CFA_nop));
}

/*
 * Five functions that would become nine times as large, each with as much left of earlier
 * instructions as is let through.
 */
static void not_without_limit(void **state)
{
	static uint8_t ops[150000];
	struct cfi_splitter s;
	size_t at = 0;

	(void)state;
	while (at < 500) {
		ops[at++] = DW_CFA_same_value;
		ops[at++] = 3;
	}
	while (at < sizeof(ops)) {
		ops[at++] = DW_CFA_advance_loc | 1;
		ops[at++] = DW_CFA_nop;
	}
	begin_usual();
	for (unsigned int i = 0; i < 5; i++)
		add_fde_of(0, 1 << 20, ops, sizeof(ops));
	s = take_section();
	assert_in_range(s.split.n, 1, 4);
	assert_in_range(s.out.n, 1 << 20, 4 << 20);
	cfi_splitter_drop(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_functions),
		cmocka_unit_test(libraries),
		cmocka_unit_test(what_stays_whole),
		cmocka_unit_test(not_without_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
