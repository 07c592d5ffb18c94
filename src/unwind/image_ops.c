/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * image_ops.c - refuses call-frame instructions that only take memory.
 *
 * libdw keeps a rule for each register up to the highest one that an instruction names, and a copy
 * of all of them for each DW_CFA_remember_state until its DW_CFA_restore_state (elfutils,
 * libdw/cfi.c: execute_cfi() and enough_registers()). Neither has a limit of its own: one
 * instruction of five bytes makes it take gigabytes. Compilers name the few registers of the ABI
 * and remember one state, hardly ever two. Of an expression it keeps 32 bytes for each operation
 * until the section is closed; they have some ten bytes, and a library of hand-written code has
 * hundreds of them.
 *
 * Entries are taken apart by libdw; only where the instructions of an FDE begin, which it does not
 * tell, is found here, by the augmentation of its CIE (LSB 5.0 Core, section 10.6.1). What is not
 * understood is refused, so that libdw never runs what was not looked at.
 */
#include "config.h"

#include "unwind/cfi_split.h"
#include "unwind/image_ops.h"

#include "base/order.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define REGISTER_MAX 255u                /* x86-64 has 146 (psABI 1.0, figure 3.36), AArch64 128 */
#define STATES_MAX 64u                   /* remembered at a time */
#define EXPR_MAX 1024u                   /* bytes of an expression; of all in a section OP_EXPR_ALL */
#define LEB_MAX 10u                      /* bytes of a number; libdw reads no more either */

typedef VEC(struct op_cie) cie_vec;

static uint8_t take_byte(struct op_bytes *b)
{
	if (b->at >= b->end) {
		b->over = true;
		return 0;
	}
	return *b->at++;
}

static void image_ops_skip(struct op_bytes *b, uint64_t n)
{
	if (n > (uint64_t)(b->end - b->at)) {
		b->over = true;
		b->at = b->end;
	} else {
		b->at += n;
	}
}

/* A number of SIZE bytes, at most 8, in the order of this machine. */
static uint64_t take_fixed(struct op_bytes *b, unsigned int size)
{
	const uint8_t *at = b->at;
	uint64_t v = 0;

	image_ops_skip(b, size);
	for (unsigned int i = 0; !b->over && i < size; i++)
		v |= (uint64_t)at[__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : size - 1 - i] << (8 * i);
	return v;
}

/* False when it is longer than a number can be. */
static bool take_uleb(struct op_bytes *b, uint64_t *ret)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < LEB_MAX; i++) {
		const uint8_t c = take_byte(b);

		v |= i < 9 ? (uint64_t)(c & 0x7f) << (7 * i) : (uint64_t)(c & 1) << 63;
		if (!(c & 0x80)) {
			*ret = v;
			return true;
		}
	}
	return false;
}

size_t op_address_size(uint8_t enc)
{
	if ((enc & 0x70) == DW_EH_PE_aligned || enc == DW_EH_PE_omit)
		return 0;
	switch (enc & 0x07) {
	case DW_EH_PE_absptr: case DW_EH_PE_udata8: return 8;
	case DW_EH_PE_udata2: return 2;
	case DW_EH_PE_udata4: return 4;
	default: return 0;
	}
}

/*
 * What instructions are followed by: r a register, u a number, b a block with its length, a an
 * address, 1 2 4 8 so many bytes; NULL = there is no such instruction. The upper two bits are 0.
 */
static const char *const operands[0x40] = {
	[DW_CFA_nop] = "",
	[DW_CFA_set_loc] = "a",
	[DW_CFA_advance_loc1] = "1",
	[DW_CFA_advance_loc2] = "2",
	[DW_CFA_advance_loc4] = "4",
	[DW_CFA_MIPS_advance_loc8] = "8",
	[DW_CFA_offset_extended] = "ru",
	[DW_CFA_restore_extended] = "r",
	[DW_CFA_undefined] = "r",
	[DW_CFA_same_value] = "r",
	[DW_CFA_register] = "rr",
	[DW_CFA_remember_state] = "",
	[DW_CFA_restore_state] = "",
	[DW_CFA_def_cfa] = "ru",
	[DW_CFA_def_cfa_register] = "r",
	[DW_CFA_def_cfa_offset] = "u",
	[DW_CFA_def_cfa_expression] = "b",
	[DW_CFA_expression] = "rb",
	[DW_CFA_offset_extended_sf] = "ru",
	[DW_CFA_def_cfa_sf] = "ru",
	[DW_CFA_def_cfa_offset_sf] = "u",
	[DW_CFA_val_offset] = "ru",
	[DW_CFA_val_offset_sf] = "ru",
	[DW_CFA_val_expression] = "rb",
	[DW_CFA_GNU_window_save] = "",   /* on AArch64 DW_CFA_AARCH64_negate_ra_state */
	[DW_CFA_GNU_args_size] = "u",
	[DW_CFA_GNU_negative_offset_extended] = "ru",
};

/* Takes what follows OP, which is behind its first byte, to the numbers of *RET. False when it is not fit. */
static bool take_operands(struct op_bytes *b, const char *op, uint8_t encoding, struct op *ret)
{
	uint64_t v = 0;

	for (; *op && !b->over; op++) {
		switch (*op) {
		case 'a':
			if (!op_address_size(encoding))
				return false;
			image_ops_skip(b, op_address_size(encoding));
			break;
		case 'r': case 'u': case 'b':
			if (!take_uleb(b, &v) || (*op == 'r' && v > REGISTER_MAX))
				return false;
			if (*op == 'b' && v > EXPR_MAX)
				return false;
			if (*op == 'b') {
				image_ops_skip(b, v);
				b->expr += v;
			}
			break;
		default:
			ret->advance = take_fixed(b, (unsigned int)(*op - '0'));
			break;
		}
	}
	return true;
}

bool op_next(struct op_bytes *b, uint8_t encoding, struct op *ret)
{
	uint8_t first;

	*ret = (struct op){ .at = b->at };
	first = take_byte(b);
	ret->code = first & 0xc0 ? first & 0xc0 : first;
	switch (ret->code) {
	case DW_CFA_advance_loc:
		ret->advance = first & 0x3f;
		return true;
	case DW_CFA_restore:
		return true;
	case DW_CFA_offset:
		return take_operands(b, "u", encoding, ret);
	default:
		return operands[first] && take_operands(b, operands[first], encoding, ret);
	}
}

/* Are the instructions from AT to END fit? Adds the bytes of their expressions to *EXPR. */
static bool are_fit(const uint8_t *at, const uint8_t *end, uint8_t encoding, uint64_t *expr)
{
	struct op_bytes b = { at, end, false, 0 };
	unsigned int states = 0;
	struct op op;

	while (b.at < b.end && !b.over) {
		if (!op_next(&b, encoding, &op))
			return false;
		if (op.code == DW_CFA_remember_state && ++states > STATES_MAX)
			return false;
		if (op.code == DW_CFA_restore_state && states)
			states--;
	}
	*expr += b.expr;
	return *expr <= OP_EXPR_ALL;
}

/* Reads the augmentation of IN to *C. False when it is not understood. */
static bool read_augmentation(const Dwarf_CIE *in, struct op_cie *c)
{
	struct op_bytes b = { in->augmentation_data, in->initial_instructions, false, 0 };
	uint8_t enc;

	if (!b.at)
		b.at = b.end;
	c->encoding = DW_EH_PE_absptr;
	for (const char *a = in->augmentation; *a; a++) {
		switch (*a) {
		case 'z':
			c->sized = true;
			break;
		case 'S':
			break;
		case 'L':
			(void)take_byte(&b);
			break;
		case 'R':
			c->encoding = take_byte(&b);
			break;
		case 'P':
			enc = take_byte(&b);
			if (enc != DW_EH_PE_omit && !op_address_size(enc))
				return false;
			image_ops_skip(&b, op_address_size(enc));
			break;
		default:
			/* How addresses are encoded does not stand behind what libdw does not know. */
			return c->sized && !strchr(a, 'R') && !b.over && op_address_size(c->encoding);
		}
	}
	c->skip = in->fde_augmentation_data_size;
	return !b.over && op_address_size(c->encoding);
}

static int image_ops_by_place(const void *a, const void *b)
{
	const struct op_cie *x = a, *y = b;

	return compare_numbers(x->at, y->at);
}

/* Are addresses of this machine's size? From version 4 on a CIE says it, behind the augmentation. */
static bool has_usual_addresses(const Dwarf_CIE *in)
{
	const uint8_t *version = (const uint8_t *)in->augmentation - 1, *sizes = version + strlen(in->augmentation) + 2;

	return *version < 4 || (sizes[0] == 8 && !sizes[1]);
}

static bool add_cie(cie_vec *cies, Dwarf_Off at, const Dwarf_CIE *in, uint64_t *expr)
{
	struct op_cie c = { .at = at, .code_align = in->code_alignment_factor }, *new;

	if (!has_usual_addresses(in) || !read_augmentation(in, &c) ||
	    !are_fit(in->initial_instructions, in->initial_instructions_end, c.encoding, expr))
		return false;
	new = vec_push(cies);
	if (new)
		*new = c;
	return new;
}

static struct op_cie *cie_at(const cie_vec *cies, Dwarf_Off at)
{
	const struct op_cie key = { .at = at };

	return cies->n ? bsearch(&key, cies->v, cies->n, sizeof(key), image_ops_by_place) : NULL;
}

/* Is the FDE IN, of C, fit? If so, and it is long, it is split to S, unless that is NULL. */
static bool fde_is_fit(struct op_cie *c, const Dwarf_FDE *in, uint64_t *expr, struct cfi_splitter *s)
{
	struct op_bytes b = { in->start, in->end, false, 0 };
	uint64_t size = 0;

	image_ops_skip(&b, 2 * op_address_size(c->encoding));
	if (c->sized && !take_uleb(&b, &size))
		return false;
	image_ops_skip(&b, c->sized ? size : c->skip);
	if (b.over)
		return true;
	if (!are_fit(b.at, b.end, c->encoding, expr))
		return false;
	if (s)
		cfi_split_fde(s, c, in, b.at);
	return true;
}

/*
 * Goes through the entries of DATA and adds its CIEs to CIES. *RET_LATER: an FDE has none of these,
 * or not yet, and has not been looked at. What libdw itself does not understand it does not run
 * either.
 */
static bool each_entry(const unsigned char *ident, Elf_Data *data, bool eh, cie_vec *cies, struct cfi_splitter *s,
		       bool *ret_later)
{
	const bool have_cies = cies->n;
	uint64_t at = 0, expr = 0;
	uint32_t len;

	*ret_later = false;
	for (; data->d_size - at >= sizeof(len); at += sizeof(len) + (uint64_t)len) {
		Dwarf_CFI_Entry e;
		Dwarf_Off next;

		memcpy(&len, (const uint8_t *)data->d_buf + at, sizeof(len));
		if (!len)
			break;           /* the last one, for libdw too */
		if (len > IMAGE_ENTRY_MAX)
			return false;
		if (dwarf_next_cfi(ident, data, eh, at, &next, &e)) {
			;
		} else if (dwarf_cfi_cie_p(&e)) {
			if (!have_cies && !add_cie(cies, at, &e.cie, &expr))
				return false;
		} else {
			struct op_cie *c = cie_at(cies, e.fde.CIE_pointer);

			if (c && !fde_is_fit(c, &e.fde, &expr, s))
				return false;
			*ret_later |= !c;
		}
		if (len > data->d_size - at - sizeof(len))
			break;
	}
	return true;
}

bool image_ops_fit(const unsigned char *ident, Elf_Data *data, bool eh, struct cfi_splitter *s)
{
	cie_vec cies = { 0 };
	bool later, fit = each_entry(ident, data, eh, &cies, s, &later);

	/*
	 * A CIE may stand behind its FDEs; linkers write it before. One that is no entry, but
	 * within another, is of nobody's making.
	 */
	if (fit && later)
		fit = each_entry(ident, data, eh, &cies, NULL, &later) && !later;
	vec_free(&cies);
	return fit;
}
