// SPDX-License-Identifier: BSD-2-Clause
/*
 * cfi_split.c - splits long functions, so that libdw runs their call-frame instructions once
 * instead of once per row.
 *
 * libdw runs the call-frame instructions of a function from its start for each row that it is asked
 * for (elfutils, libdw/cfi.c: execute_cfi()), so the time for all rows of one function grows with
 * the square of their number. Hardly any function has as many as a hundred; but a compiler has some
 * with thousands: of the 49,002 of cc1plus 12.2 (Debian's) 162 have more than 256 bytes of
 * instructions, and take four fifths of the time for all.
 *
 * Most of these instructions have no lasting effect: compilers write an epilogue in the middle of a
 * function as DW_CFA_remember_state, its instructions, and DW_CFA_restore_state, which takes all of
 * it back. So libdw gets a long function in parts, in a second section. The FDE of each part begins
 * with what is left, at its first place, of all instructions before, and goes on with its own
 * instructions as they are. libdw still says what they mean; this file only knows which of them may
 * be left out.
 *
 * A function that cannot be split stays as it is. In 2,489 files of Debian with 4,869 long
 * functions there is none.
 */
#include "config.h"

#include "unwind/cfi_split.h"

#include "base/order.h"
#include "base/sorted.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define LONG_BYTES 256u                  /* instructions of a function that is worth it */
#define PART_BYTES 64u                   /* of a part's own instructions, at least */
#define LEFT_MAX 512u                    /* of what is left of those before */
#define OUT_MAX (4u << 20)               /* of the new section */
#define FUNCS_MAX (64u << 10)            /* per file */
#define NO_OFFSET SIZE_MAX

/* A function that is being split. */
struct cut {
	struct cfi_splitter *s;
	const struct op_cie *cie;
	uint64_t pc, end;        /* where the instructions at hand begin to hold; of the function */
	uint64_t part_pc;        /* of the part under way */
	const uint8_t *own;      /* its own first instruction */
	size_t fde;              /* its FDE, in s->out */
	unsigned int depth;      /* states remembered */
	uint64_t left_expr;      /* bytes of expressions in LEFT */
	size_t offset_at;        /* the last one in LEFT, if it is DW_CFA_def_cfa_offset: the next one replaces it */
	size_t left_n;
	uint8_t left[LEFT_MAX];  /* what is left of the instructions so far */
};

static bool cfi_split_put(struct cfi_splitter *s, const void *bytes, size_t n)
{
	if (s->out.n + n > OUT_MAX || !vec_reserve(&s->out, n))
		return false;
	if (n)
		memcpy(s->out.v + s->out.n, bytes, n);
	s->out.n += n;
	return true;
}

/* The number of the size that ENC says at AT. */
static uint64_t read_number(const uint8_t *at, uint8_t enc)
{
	uint64_t v64;
	uint32_t v32;

	if (op_address_size(enc) == sizeof(v64)) {
		memcpy(&v64, at, sizeof(v64));
		return v64;
	}
	memcpy(&v32, at, sizeof(v32));
	return enc & DW_EH_PE_signed ? (uint64_t)(int64_t)(int32_t)v32 : v32;
}

/* Can addresses that are encoded as ENC be read and written here? */
static bool is_usual(uint8_t enc)
{
	return op_address_size(enc) >= 4 && ((enc & 0xf0) == DW_EH_PE_absptr || (enc & 0xf0) == DW_EH_PE_pcrel);
}

/* What is added to a number encoded as ENC that stands AT bytes from the start of the section. */
static uint64_t base_of(const struct cfi_splitter *s, uint8_t enc, size_t at)
{
	return (enc & 0xf0) == DW_EH_PE_pcrel ? s->addr + at : 0;
}

/* V in the size that ENC says. False when it does not fit. */
static bool cfi_split_put_number(struct cfi_splitter *s, uint64_t v, uint8_t enc)
{
	const uint32_t v32 = (uint32_t)v;
	const size_t size = op_address_size(enc);

	return cfi_split_put(s, size == sizeof(v) ? (const void *)&v : &v32, size) &&
	       read_number(s->out.v + s->out.n - size, enc) == v;
}

/* How long what begins at AT of the output is stands there. */
static void end_entry(struct cfi_splitter *s, size_t at)
{
	const uint32_t len = (uint32_t)(s->out.n - at - sizeof(len));

	memcpy(s->out.v + at, &len, sizeof(len));
}

/* C itself, once. */
static bool put_cie(struct cfi_splitter *s, struct op_cie *c)
{
	uint32_t len;

	if (c->copied)
		return true;
	memcpy(&len, s->base + c->at, sizeof(len));
	c->copied_at = s->out.n;
	c->copied = cfi_split_put(s, s->base + c->at, sizeof(len) + len);
	return c->copied;
}

/* A part begins at the place at hand, with the instruction OWN. How far it goes is not known yet. */
static bool begin_part(struct cut *c, const uint8_t *own)
{
	struct cfi_splitter *s = c->s;
	const uint8_t enc = c->cie->encoding, no_data = 0;
	const uint32_t len = 0, back = (uint32_t)(s->out.n + sizeof(len) - c->cie->copied_at);

	c->part_pc = c->pc;
	c->own = own;
	c->fde = s->out.n;
	s->expr += c->left_expr;
	return s->expr <= OP_EXPR_ALL && cfi_split_put(s, &len, sizeof(len)) && cfi_split_put(s, &back, sizeof(back)) &&
	       cfi_split_put_number(s, c->pc - base_of(s, enc, s->out.n), enc) &&
	       cfi_split_put_number(s, 0, enc & 0x0f) &&
	       cfi_split_put(s, &no_data, 1) && cfi_split_put(s, c->left, c->left_n);
}

/* The part under way ends where the instruction AT begins, and at the address PC. */
static bool end_part(struct cut *c, const uint8_t *at, uint64_t pc)
{
	const uint8_t enc = c->cie->encoding & 0x0f;
	const size_t size = op_address_size(enc);
	const uint64_t range = pc - c->part_pc;
	const uint32_t range32 = (uint32_t)range;

	if (!cfi_split_put(c->s, c->own, (size_t)(at - c->own)) || range > INT32_MAX)
		return false;
	memcpy(c->s->out.v + c->fde + 2 * sizeof(uint32_t) + size,
	       size == sizeof(range) ? (const void *)&range : &range32, size);
	end_entry(c->s, c->fde);
	return true;
}

/*
 * OP, up to END, is left for the parts to come, unless it is of a state that will be forgotten.
 * EXPR: bytes of an expression in it.
 */
static bool cfi_split_leave(struct cut *c, const struct op *op, const uint8_t *end, uint64_t expr)
{
	const size_t n = (size_t)(end - op->at);

	if (c->depth)
		return true;
	if (op->code == DW_CFA_def_cfa_offset && c->offset_at != NO_OFFSET)
		c->left_n = c->offset_at;
	if (n > LEFT_MAX - c->left_n)
		return false;
	c->offset_at = op->code == DW_CFA_def_cfa_offset ? c->left_n : NO_OFFSET;
	memcpy(c->left + c->left_n, op->at, n);
	c->left_n += n;
	c->left_expr += expr;
	return true;
}

/* OP is in front of B and leads to another place, where a part may begin. */
static bool cfi_split_advance(struct cut *c, const struct op *op, const struct op_bytes *b)
{
	uint64_t by;

	if (__builtin_mul_overflow(op->advance, c->cie->code_align, &by) || by > c->end - c->pc)
		return false;
	c->pc += by;
	if (c->depth || (size_t)(b->at - c->own) < PART_BYTES || c->pc == c->part_pc || c->pc == c->end)
		return true;
	return end_part(c, op->at, c->pc) && begin_part(c, b->at);
}

/*
 * OP is in front of B, which had EXPR bytes of expressions before it. False when it is none of
 * those that this understands.
 */
static bool cfi_split_take(struct cut *c, const struct op *op, const struct op_bytes *b, uint64_t expr)
{
	switch (op->code) {
	case DW_CFA_advance_loc: case DW_CFA_advance_loc1: case DW_CFA_advance_loc2: case DW_CFA_advance_loc4:
		return cfi_split_advance(c, op, b);
	case DW_CFA_set_loc: case DW_CFA_MIPS_advance_loc8:
		return false;
	case DW_CFA_remember_state:
		c->depth++;
		return true;
	case DW_CFA_restore_state:
		return c->depth-- > 0;
	case DW_CFA_nop: case DW_CFA_GNU_args_size:
		return true;     /* say nothing of rows */
	default:
		return cfi_split_leave(c, op, b->at, b->expr - expr);
	}
}

static bool cfi_split_row(struct cut *c, struct op_bytes b)
{
	if (!begin_part(c, b.at))
		return false;
	while (b.at < b.end) {
		const uint64_t expr = b.expr;
		struct op op;

		if (!op_next(&b, c->cie->encoding, &op) || b.over || !cfi_split_take(c, &op, &b, expr))
			return false;
	}
	return end_part(c, b.at, c->end);
}

static bool cfi_split_note(range_vec *v, const struct image_range *func)
{
	struct image_range *r = v->n < FUNCS_MAX ? vec_push(v) : NULL;

	if (r)
		*r = *func;
	return r;
}

/* The function of IN, an FDE of CIE; an empty one where that cannot be said. */
static struct image_range cfi_split_function_of(const struct cfi_splitter *s, const struct op_cie *cie,
						const Dwarf_FDE *in)
{
	const size_t size = op_address_size(cie->encoding);
	uint64_t start, range;

	if (!is_usual(cie->encoding))
		return (struct image_range){ 0 };
	start = read_number(in->start, cie->encoding) + base_of(s, cie->encoding, (size_t)(in->start - s->base));
	range = read_number(in->start + size, cie->encoding & 0x0f);
	return (struct image_range){ start, range <= INT32_MAX && range <= UINT64_MAX - start ? start + range : start };
}

void cfi_split_fde(struct cfi_splitter *s, struct op_cie *cie, const Dwarf_FDE *in, const uint8_t *ops)
{
	const bool is_long = (size_t)(in->end - ops) > LONG_BYTES;
	const struct image_range func = is_long ? cfi_split_function_of(s, cie, in) : (struct image_range){ 0 };
	struct cut c = { .s = s, .cie = cie, .pc = func.start, .end = func.end, .offset_at = NO_OFFSET };
	size_t out;

	if (func.start == func.end || !cie->sized || !put_cie(s, cie))
		return;
	out = s->out.n;
	if (!cfi_split_row(&c, (struct op_bytes){ .at = ops, .end = in->end }) || !cfi_split_note(&s->split, &func))
		s->out.n = out;
}

static int cfi_split_by_start(const void *a, const void *b)
{
	const struct image_range *x = a, *y = b;

	return compare_numbers(x->start, y->start);
}

void cfi_splitter_end(struct cfi_splitter *s, struct image *im, uint16_t type)
{
	const uint32_t none = 0;         /* the entry behind the last */
	struct image_section eh = { ".eh_frame", s->addr, 0, SHF_ALLOC, NULL };

	if (s->split.n && vec_reserve(&s->out, sizeof(none))) {
		memcpy(s->out.v + s->out.n, &none, sizeof(none));
		eh.bytes = s->out.v;
		eh.size = s->out.n + sizeof(none);
		qsort(s->split.v, s->split.n, sizeof(*s->split.v), cfi_split_by_start);
		if (!image_copy_make(&im->parts, im->machine, type, &eh, 1, NULL) && im->parts.eh) {
			memcpy(&im->split, &s->split, sizeof(im->split));
			memset(&s->split, 0, sizeof(s->split));
		}
	}
	cfi_splitter_drop(s);
}

void cfi_splitter_drop(struct cfi_splitter *s)
{
	vec_free(&s->out);
	vec_free(&s->split);
}

bool image_is_split(const struct image *im, uint64_t vaddr)
{
	const size_t n = count_upto(im->split.v, im->split.n, start, vaddr);

	return n && vaddr < im->split.v[n - 1].end;
}
