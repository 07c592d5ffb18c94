/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_image_ops.c - which call-frame instructions libdw is let at: sections made byte by byte.
 * What real files have is for test_unwind_rows.c.
 */
#include "config.h"

#include "cfi_section.h"

#define MANY 5000u

static bool is_fit(bool eh)
{
	Elf_Data data = { .d_buf = section, .d_size = used, .d_version = EV_CURRENT };

	elf_version(EV_CURRENT);
	return image_ops_fit(ident, &data, eh, NULL);
}

static bool fde_is_fit(const void *ops, size_t n)
{
	begin_usual();
	add_fde(0, ops, n);
	return is_fit(true);
}

#define FIT(...) fde_is_fit((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

static void what_compilers_write(void **state)
{
	(void)state;
	begin_usual();
	assert_true(is_fit(true));
	assert_true(FIT(DW_CFA_nop));
	assert_true(FIT(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 6, 2, DW_CFA_remember_state,
			DW_CFA_advance_loc1, 200, DW_CFA_def_cfa, 7, 8, DW_CFA_advance_loc2, 1, 1, DW_CFA_restore_state,
			DW_CFA_GNU_args_size, 0x80, 1, DW_CFA_advance_loc4, 1, 2, 3, 4, DW_CFA_restore | 6,
			DW_CFA_same_value, 3));
	assert_true(FIT(DW_CFA_def_cfa_expression, 2, DW_OP_breg7, 8, DW_CFA_expression, 6, 2, DW_OP_breg6, 0,
			DW_CFA_val_offset, 7, 1, DW_CFA_set_loc, 1, 2, 3, 4, DW_CFA_undefined, 16));
	/* A block is not looked into. */
	assert_true(FIT(DW_CFA_val_expression, 7, 4, DW_CFA_undefined, 0xff, 0xff, 0x7f));
}

static void registers(void **state)
{
	(void)state;
	assert_true(FIT(DW_CFA_undefined, 0xff, 0x01));
	assert_false(FIT(DW_CFA_undefined, 0x80, 0x02));
	assert_false(FIT(DW_CFA_undefined, 0xff, 0xff, 0xff, 0x3f));
	assert_false(FIT(DW_CFA_nop, DW_CFA_offset_extended, 0x80, 0x02, 1));
	assert_false(FIT(DW_CFA_restore_extended, 0x80, 0x02));
	assert_false(FIT(DW_CFA_same_value, 0x80, 0x02));
	assert_false(FIT(DW_CFA_register, 0x80, 0x02, 1));
	assert_false(FIT(DW_CFA_register, 1, 0x80, 0x02));
	assert_false(FIT(DW_CFA_def_cfa, 0x80, 0x02, 1));
	assert_false(FIT(DW_CFA_def_cfa_register, 0x80, 0x02));
	assert_false(FIT(DW_CFA_expression, 0x80, 0x02, 1, DW_OP_nop));
	assert_false(FIT(DW_CFA_val_expression, 0x80, 0x02, 1, DW_OP_nop));
	assert_false(FIT(DW_CFA_offset_extended_sf, 0x80, 0x02, 1));
	assert_false(FIT(DW_CFA_def_cfa_sf, 0x80, 0x02, 1));
	assert_false(FIT(DW_CFA_val_offset, 0x80, 0x02, 1));
	assert_false(FIT(DW_CFA_val_offset_sf, 0x80, 0x02, 1));
	assert_false(FIT(DW_CFA_GNU_negative_offset_extended, 0x80, 0x02, 1));
	/* Offsets may be large. */
	assert_true(FIT(DW_CFA_def_cfa_offset, 0xff, 0xff, 0xff, 0x3f));
	/* In the CIE. */
	begin("", NULL, 0, (const uint8_t[]){ DW_CFA_undefined, 0x80, 0x02 }, 3);
	assert_false(is_fit(true));
}

static void expressions(void **state)
{
	uint8_t ops[3 + 1025] = { DW_CFA_def_cfa_expression };

	(void)state;
	memset(ops, DW_OP_nop, sizeof(ops));
	ops[0] = DW_CFA_def_cfa_expression;
	ops[1] = 0x80 | (1024 & 0x7f);
	ops[2] = 1024 >> 7;
	assert_true(fde_is_fit(ops, 3 + 1024));
	ops[1]++;
	assert_false(fde_is_fit(ops, 3 + 1025));
	ops[1]--;
	/* Each is fit, but not a megabyte of them. */
	begin_usual();
	for (unsigned int i = 0; i < 1024; i++)
		add_fde(0, ops, 3 + 1024);
	assert_true(is_fit(true));
	add_fde(0, ops, 3 + 1024);
	assert_false(is_fit(true));
}

static void states(void **state)
{
	uint8_t ops[MANY];

	(void)state;
	memset(ops, DW_CFA_remember_state, sizeof(ops));
	assert_true(fde_is_fit(ops, 64));
	assert_false(fde_is_fit(ops, 65));
	for (size_t i = 1; i < sizeof(ops); i += 2)
		ops[i] = DW_CFA_restore_state;
	assert_true(fde_is_fit(ops, sizeof(ops)));
	/* One that is not there is no room for another. */
	memset(ops, DW_CFA_remember_state, sizeof(ops));
	memset(ops, DW_CFA_restore_state, 100);
	assert_false(fde_is_fit(ops, 165));
}

static void what_is_not_understood(void **state)
{
	static const uint8_t data[] = { 1, DW_EH_PE_sdata4 }, leb[] = { 1, DW_EH_PE_uleb128 };
	static const uint8_t nop[] = { DW_CFA_nop };

	(void)state;
	assert_false(FIT(0x17));
	assert_false(FIT(DW_CFA_def_cfa_offset, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1));
	assert_false(FIT(DW_CFA_undefined, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01));
	/* Behind what ends early there is nothing more. */
	assert_true(FIT(DW_CFA_advance_loc4, 1, 2));
	assert_true(FIT(DW_CFA_def_cfa_offset));
	assert_true(FIT(DW_CFA_expression, 3, 200, 1));
	begin("zRB", data, sizeof(data), nop, 1);
	assert_true(is_fit(true));
	begin("zBR", data, sizeof(data), nop, 1);
	assert_false(is_fit(true));
	begin("zR", leb, sizeof(leb), nop, 1);
	assert_false(is_fit(true));
}

/* An FDE whose CIE stands within another entry, where nobody looked. */
static void a_hidden_cie(void **state)
{
	static const uint8_t hidden[] = { 16, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0x78, 16, DW_CFA_undefined, 0xff, 0xff,
					  0xff, 0x3f, 0, 0 };
	uint8_t ops[2 + sizeof(hidden)] = { DW_CFA_def_cfa_expression, sizeof(hidden) };
	size_t at;

	(void)state;
	memcpy(ops + 2, hidden, sizeof(hidden));
	begin_usual();
	add_fde(0, ops, sizeof(ops));
	assert_true(is_fit(true));
	at = used - sizeof(hidden);
	add_fde((uint32_t)(used + 4 - at), "", 1);
	assert_false(is_fit(true));
}

/* In .debug_frame an FDE may stand before its CIE, whose place its pointer says. */
static void behind_its_fde(void **state)
{
	static const uint8_t cie[] = { 16, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 1, 0x78, 16, DW_CFA_nop, 0,
				       0, 0, 0, 0, 0 };
	static const uint8_t good[16 + 1] = { [16] = DW_CFA_nop };
	static const uint8_t bad[16 + 5] = { [16] = DW_CFA_undefined, 0xff, 0xff, 0xff, 0x3f };

	(void)state;
	for (int i = 0; i < 2; i++) {
		const size_t n = i ? sizeof(bad) : sizeof(good);

		used = 0;
		put_u32((uint32_t)n + 4);
		put_u32((uint32_t)n + 8);
		put(i ? bad : good, n);
		put(cie, sizeof(cie));
		assert_int_equal(is_fit(false), !i);
	}
}

/* An entry of the section is more than libdw is let at. */
static void long_entries(void **state)
{
	const uint32_t len = IMAGE_ENTRY_MAX + 1;

	(void)state;
	begin_usual();
	put_u32(len);
	put_u32(0);
	assert_false(is_fit(true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_compilers_write), cmocka_unit_test(registers), cmocka_unit_test(expressions),
			cmocka_unit_test(states),
		cmocka_unit_test(what_is_not_understood), cmocka_unit_test(a_hidden_cie),
		cmocka_unit_test(long_entries), cmocka_unit_test(behind_its_fde),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
