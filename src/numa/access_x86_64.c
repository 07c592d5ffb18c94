/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * access_x86_64.c - says what instructions of x86-64 access and change, from capstone's operands.
 *
 * Sources: Intel SDM volume 2 (chapter 2: prefixes, VEX, EVEX; appendix A: opcode maps), System V
 * psABI 1.0 figure 3.36 (registers). Where capstone 4.0.2 is known to be wrong or silent, that
 * stands beside the line that makes up for it.
 *
 * - push, pop, call, ret and leave touch the top of the stack, which is in the nearest cache: no
 *   access. An operand of their own ("call *8(%rax)") is one.
 * - lea and nop compute an address and touch nothing; prefetches and cache flushes do not wait.
 * - movs touches two places. Repeated, the destination counts: on the machine where this was
 *   measured, copying to memory takes 10 to 40 % longer than copying from it. Done once, the source
 *   does: a load is waited for, one store is not. cmps: the first.
 * - The direction flag is clear, as the psABI (section 3.2.1) has it at every call.
 */
#include "config.h"

#include "numa/access_arch.h"
#include "symbol/skim_x86_64.h"

#include <elf.h>
#include <string.h>

#define RSP 7
#define RBP 6
#define PC 16
/* with five levels of page tables; addresses that four levels do not have are in no mapping */
#define USER_END (1ull << 56)

#define REG64(n, r, e, x, l) [X86_REG_##r] = (n) + 1, [X86_REG_##e] = (n) + 1, [X86_REG_##x] = (n) + 1, \
	[X86_REG_##l] = (n) + 1
#define REGN(n) REG64(n, R##n, R##n##D, R##n##W, R##n##B)

/* capstone's register, whatever part of it, -> DWARF number + 1. */
static const uint8_t dwarf_reg[X86_REG_ENDING] = {
	REG64(0, RAX, EAX, AX, AL), [X86_REG_AH] = 1,
	REG64(1, RDX, EDX, DX, DL), [X86_REG_DH] = 2,
	REG64(2, RCX, ECX, CX, CL), [X86_REG_CH] = 3,
	REG64(3, RBX, EBX, BX, BL), [X86_REG_BH] = 4,
	REG64(4, RSI, ESI, SI, SIL),
	REG64(5, RDI, EDI, DI, DIL),
	REG64(6, RBP, EBP, BP, BPL),
	REG64(7, RSP, ESP, SP, SPL),
	REGN(8), REGN(9), REGN(10), REGN(11), REGN(12), REGN(13), REGN(14), REGN(15),
	[X86_REG_RIP] = PC + 1, [X86_REG_EIP] = PC + 1,
};

/* Number in an instruction -> DWARF number. */
static const uint8_t dwarf_number[16] = { 0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15 };

static uint8_t reg_of(unsigned int reg)
{
	return reg < X86_REG_ENDING && dwarf_reg[reg] ? (uint8_t)(dwarf_reg[reg] - 1) : ACCESS_REG_NONE;
}

static bool is_vector(unsigned int reg)
{
	return reg >= X86_REG_XMM0 && reg <= X86_REG_ZMM31;
}

static bool is_vector_or_mask(unsigned int reg)
{
	return is_vector(reg) || (reg >= X86_REG_K0 && reg <= X86_REG_MM7);
}

/* Gathers and scatters; capstone names a general register as the index of a scatter. */
static bool has_vector_index(unsigned int id, const x86_op_mem *m)
{
	return is_vector(m->index) || (id >= X86_INS_VPSCATTERDD && id <= X86_INS_VPSCATTERQQ) ||
	       (id >= X86_INS_VSCATTERDPD && id <= X86_INS_VSCATTERQPS);
}

static bool has_group(const cs_detail *d, uint8_t group)
{
	return memchr(d->groups, group, d->groups_count);
}

/* It leads to a place that it does not tell, or to none. */
static bool access_ends_flow(const cs_insn *in)
{
	static const uint8_t groups[] = { X86_GRP_CALL, X86_GRP_RET, X86_GRP_INT, X86_GRP_IRET };
	static const unsigned int ids[] = {
		X86_INS_HLT, X86_INS_UD2, X86_INS_UD0, X86_INS_SYSENTER, X86_INS_LCALL, X86_INS_LJMP,
	};

	for (size_t i = 0; i < sizeof(groups); i++)
		if (has_group(in->detail, groups[i]))
			return true;
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		if (in->id == ids[i])
			return true;
	return false;
}

/* Has an operand in memory and does not wait for it. */
static bool only_names_memory(unsigned int id)
{
	switch (id) {
	case X86_INS_LEA:
	case X86_INS_NOP:
	case X86_INS_CLFLUSH:
	case X86_INS_CLFLUSHOPT:
	case X86_INS_CLWB:
	case X86_INS_INVLPG:
		return true;
	default:
		return id >= X86_INS_PREFETCH && id <= X86_INS_PREFETCHW;
	}
}

static bool is_string(const cs_x86 *x)
{
	return (x->opcode[0] >= 0xa4 && x->opcode[0] <= 0xa7) || (x->opcode[0] >= 0xaa && x->opcode[0] <= 0xaf);
}

static bool is_repeated(const cs_x86 *x)
{
	return x->prefix[0] == X86_PREFIX_REP || x->prefix[0] == X86_PREFIX_REPNE;
}

/* The operand that counts; NULL when none is in memory. */
static const cs_x86_op *memory_operand(const cs_x86 *x)
{
	const bool once = (x->opcode[0] == 0xa4 || x->opcode[0] == 0xa5) && !is_repeated(x);
	const cs_x86_op *found = NULL;

	for (uint8_t i = 0; i < x->op_count; i++)
		if (x->operands[i].type == X86_OP_MEM && (!found || once))
			found = &x->operands[i];
	return found;
}

/*
 * capstone has some stores as reads: what comes from a vector or mask register (the destination
 * stands first), and two more.
 */
static bool is_write(unsigned int id, const cs_x86 *x, const cs_x86_op *op)
{
	if (op->access & CS_AC_WRITE || id == X86_INS_MOVNTI || id == X86_INS_CMPXCHG)
		return true;
	return op == x->operands && x->op_count > 1 && op[1].type == X86_OP_REG && is_vector_or_mask(op[1].reg);
}

static enum access_touch touch_of(unsigned int id, const x86_op_mem *m)
{
	const uint8_t base = reg_of(m->base);

	if (m->segment == X86_REG_FS || m->segment == X86_REG_GS)
		return TOUCH_SEGMENT;
	if (has_vector_index(id, m))
		return TOUCH_VECTOR;
	if (reg_of(m->index) == ACCESS_REG_NONE && (base == RSP || (base == RBP && m->disp < 0)))
		return TOUCH_STACK;
	return TOUCH_MEMORY;
}

static void set_memory(struct access_insn *ret, unsigned int id, const cs_x86 *x)
{
	const cs_x86_op *op = only_names_memory(id) ? NULL : memory_operand(x);

	if (!op)
		return;
	ret->touch = (uint8_t)touch_of(id, &op->mem);
	ret->mem.base = reg_of(op->mem.base);
	ret->mem.index = reg_of(op->mem.index);
	ret->mem.scale = (uint8_t)op->mem.scale;
	ret->mem.disp = op->mem.disp;
	ret->mem.size = op->size;
	ret->mem.write = is_write(id, x, op);
	ret->mem.absolute32 = x->addr_size == 4;
	if (is_string(x))
		ret->passed = op->size;
}

/* Adds a number to a register of 64 bits? A register of 32 bits is cut off, which is more than that. */
static void set_move(struct access_insn *ret, unsigned int id, const cs_x86 *x)
{
	const cs_x86_op *to = &x->operands[0], *by = &x->operands[1];
	const bool reg = x->op_count > 0 && to->type == X86_OP_REG && to->size == 8;
	int64_t move = 0;

	if (!reg)
		return;
	if (x->op_count == 1 && (id == X86_INS_INC || id == X86_INS_DEC))
		move = id == X86_INS_INC ? 1 : -1;
	else if (x->op_count == 2 && by->type == X86_OP_IMM && (id == X86_INS_ADD || id == X86_INS_SUB))
		move = id == X86_INS_ADD ? by->imm : -by->imm;
	else if (x->op_count == 2 && id == X86_INS_LEA && by->mem.base == to->reg && by->mem.index == X86_REG_INVALID)
		move = by->mem.disp;
	if (!move || move != (int32_t)move)
		return;
	ret->moved = reg_of(to->reg);
	ret->move = (int32_t)move;
}

static uint32_t access_x86_64_bit_of(unsigned int reg)
{
	const uint8_t n = reg_of(reg);

	return n == ACCESS_REG_NONE ? 0 : 1u << n;
}

static uint32_t changes_of(csh cs, const cs_insn *in)
{
	const cs_x86 *x = &in->detail->x86;
	uint8_t nr_read, nr_written;
	cs_regs read, written;
	uint32_t set = 0;

	if (cs_regs_access(cs, in, read, &nr_read, written, &nr_written) != CS_ERR_OK)
		return UINT32_MAX;
	for (uint8_t i = 0; i < nr_written; i++)
		set |= access_x86_64_bit_of(written[i]);
	/* What capstone does not tell. */
	if (x->op_count && x->operands[0].type == X86_OP_REG && !x->operands[0].access)
		set |= access_x86_64_bit_of(x->operands[0].reg);
	if (in->id == X86_INS_CMPXCHG || in->id == X86_INS_XLATB)
		set |= access_x86_64_bit_of(X86_REG_RAX);
	if (in->id == X86_INS_ENTER)
		set |= 1u << RSP | 1u << RBP;
	return set;
}

static enum access_flow flow_of(const cs_insn *in, int32_t *ret_target)
{
	const cs_detail *d = in->detail;
	const cs_x86 *x = &d->x86;

	if (access_ends_flow(in))
		return FLOW_END;
	if (!has_group(d, X86_GRP_JUMP) && !has_group(d, X86_GRP_BRANCH_RELATIVE))
		return FLOW_NEXT;
	if (x->op_count != 1 || x->operands[0].type != X86_OP_IMM || x->operands[0].imm != (int32_t)x->operands[0].imm)
		return FLOW_END;
	*ret_target = (int32_t)x->operands[0].imm;
	return in->id == X86_INS_JMP ? FLOW_JUMP : FLOW_BRANCH;
}

/* VEX and EVEX prefixes as far as they matter, inverted bits set right. */
struct vex {
	size_t opcode_at;
	uint8_t map, vector, length;     /* opcode map; vvvv; 16 << length bytes */
	uint8_t r, x, b;                 /* bit 3 of modrm.reg, sib.index, modrm.rm or sib.base: 0 or 8 */
	bool wide, broadcast, evex;
};

static bool read_vex(const uint8_t *p, struct vex *ret)
{
	*ret = (struct vex){ .map = 1 };
	if (p[0] == 0xc5) {
		ret->opcode_at = 2;
		ret->r = ~p[1] >> 4 & 8;
		ret->vector = ~p[1] >> 3 & 15;
		return true;
	}
	if (p[0] != 0xc4 && p[0] != 0x62)
		return false;
	ret->evex = p[0] == 0x62;
	ret->opcode_at = ret->evex ? 4 : 3;
	ret->map = p[1] & (ret->evex ? 7 : 31);
	ret->r = ~p[1] >> 4 & 8;
	ret->x = ~p[1] >> 3 & 8;
	ret->b = ~p[1] >> 2 & 8;
	ret->wide = p[2] & 0x80;
	ret->vector = ~p[2] >> 3 & 15;
	ret->length = ret->evex ? p[3] >> 5 & 3 : 0;
	ret->broadcast = ret->evex && p[3] & 0x10;
	return true;
}

/* May write a general register: moves and conversions out of vectors and masks, bit manipulation. */
static bool vex_writes_general(const struct vex *v, uint8_t opcode)
{
	static const uint8_t first_map[] = { 0x2c, 0x2d, 0x50, 0x78, 0x79, 0x7e, 0x93, 0xc5, 0xd7 };

	if (v->map == 2 || v->map == 3)
		return opcode >= 0xf0 && opcode <= 0xf7;
	return memchr(first_map, opcode, sizeof(first_map));
}

/* Moves from a vector or mask register to memory. */
static bool vex_stores(uint8_t opcode)
{
	static const uint8_t stores[] = { 0x11, 0x29, 0x2b, 0x7e, 0x7f, 0x91, 0xe7 };

	return memchr(stores, opcode, sizeof(stores));
}

/*
 * What a displacement of one byte counts in: the vector, or one element when it is broadcast. Some
 * instructions touch a half or less; not telling them apart costs some kilobytes at most.
 */
static int32_t disp8_unit(const struct vex *v)
{
	if (!v->evex)
		return 1;
	if (v->broadcast)
		return v->wide ? 8 : 4;
	return 16 << (v->length < 3 ? v->length : 2);
}

static int32_t access_get_s32(const uint8_t *p)
{
	int32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* The operand in memory of modrm at P. */
static void read_modrm(const struct vex *v, const uint8_t *p, struct access_rule *ret)
{
	const uint8_t mod = p[0] >> 6, rm = p[0] & 7, sib = rm == 4 ? p[1] : 0;
	const uint8_t index = v->x | (sib >> 3 & 7);
	const uint8_t *disp = p + (rm == 4 ? 2 : 1);

	ret->base = dwarf_number[v->b | (rm == 4 ? sib & 7 : rm)];
	if (rm == 4 && index != 4) {
		ret->index = dwarf_number[index];
		ret->scale = (uint8_t)(1 << (sib >> 6));
	}
	if (mod == 0 && (rm == 5 || (rm == 4 && (sib & 7) == 5))) {
		ret->base = rm == 5 ? PC : ACCESS_REG_NONE;
		ret->disp = access_get_s32(disp);
	} else if (mod == 1) {
		ret->disp = (int8_t)*disp * disp8_unit(v);
	} else if (mod == 2) {
		ret->disp = access_get_s32(disp);
	}
}

/*
 * An instruction of LEN bytes with VEX or EVEX prefix that capstone does not know (4.0.2 lacks
 * those of masks of 64 bits, and what came after 2018). They are all built alike, so the address
 * can be told without knowing what it does.
 */
static bool decode_vex(const uint8_t *p, size_t len, struct access_insn *ret)
{
	uint8_t opcode, modrm;
	struct vex v;

	if (!read_vex(p, &v) || v.opcode_at + 1 >= len)
		return false;
	opcode = p[v.opcode_at];
	modrm = p[v.opcode_at + 1];
	if (modrm < 0xc0) {
		ret->touch = TOUCH_MEMORY;
		if (v.map == 2 && ((opcode >= 0x90 && opcode <= 0x93) || (opcode >= 0xa0 && opcode <= 0xa3)))
			ret->touch = TOUCH_VECTOR;
		read_modrm(&v, p + v.opcode_at + 1, &ret->mem);
		ret->mem.write = vex_stores(opcode);
	}
	if (vex_writes_general(&v, opcode))
		ret->changes = 1u << dwarf_number[v.r | (modrm >> 3 & 7)] | 1u << dwarf_number[v.b | (modrm & 7)] |
			       1u << dwarf_number[v.vector];
	return true;
}

static bool decode_insn(csh cs, cs_insn *in, const uint8_t *code, size_t len, struct access_insn *ret)
{
	const uint8_t *p = code;
	uint64_t address = 0;
	int32_t target;
	bool jumps;
	const size_t n = skim_x86_64(code, len, &jumps, &target);

	*ret = (struct access_insn){ .moved = ACCESS_REG_NONE,
				     .mem = { .base = ACCESS_REG_NONE, .index = ACCESS_REG_NONE, .scale = 1 } };
	ret->len = (uint8_t)n;
	if (!n || !cs_disasm_iter(cs, &p, &len, &address, in))
		return n && decode_vex(code, n, ret);
	if (in->size != n)
		return false;
	ret->flow = (uint8_t)flow_of(in, &ret->target);
	ret->pad = in->id == X86_INS_NOP;
	ret->changes = changes_of(cs, in);
	set_move(ret, in->id, &in->detail->x86);
	set_memory(ret, in->id, &in->detail->x86);
	return true;
}

const struct access_arch access_x86_64 = {
	.machine = EM_X86_64,
	.nr_regs = 17,
	.pc = PC,
	.user_end = USER_END,
	.cs = CS_ARCH_X86,
	.mode = CS_MODE_64,
	.skim = skim_x86_64,
	.decode = decode_insn,
};
