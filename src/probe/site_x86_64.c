/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * site_x86_64.c - what the instructions do with which compilers begin functions on x86-64.
 *
 * Lengths are skim_x86_64()'s. What is emulated is what arch/x86/kernel/uprobes.c takes in
 * branch_setup_xol_ops() and push_setup_xol_ops(). Of all others those are understood that stand at
 * the begin of functions; an instruction that is not listed here ends the walk.
 */
#include "config.h"

#include "probe/site_arch.h"

#include "model/machine.h"
#include "symbol/skim_x86_64.h"

#include <elf.h>
#include <string.h>

enum { RAX = 0, RDX = 1, RSP = 7 }; /* DWARF numbers */

/* DWARF numbers of registers as instructions number them. */
static const uint8_t dwarf_of[16] = { 0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15 };

/* An instruction taken apart: prefixes, opcode, and its operands' registers. */
struct insn_x86_64 {
	bool operand16, repeat, notrack, rex, wide;
	uint8_t rex_bits, opcode, second; /* second: behind 0f */
	uint8_t modrm; /* 0 when there is none behind the opcode */
	uint8_t modrm_at;
	bool two_bytes;
};

static struct insn_x86_64 insn_of(const uint8_t *code, size_t size)
{
	struct insn_x86_64 i = { 0 };
	size_t at = 0;

	for (; at < size && memchr("\x66\xf2\xf3\x2e\x36\x3e\x26\x64\x65\x67", code[at], 10); at++) {
		i.operand16 |= code[at] == 0x66;
		i.repeat |= code[at] == 0xf2 || code[at] == 0xf3;
		i.notrack |= code[at] == 0x3e;
	}
	if (at < size && (code[at] & 0xf0) == 0x40) {
		i.rex = true;
		i.wide = code[at] & 8;
		i.rex_bits = code[at++] & 7;
	}
	i.opcode = at < size ? code[at++] : 0;
	i.two_bytes = i.opcode == 0x0f;
	if (i.two_bytes)
		i.second = at < size ? code[at++] : 0;
	i.modrm = at < size ? code[at] : 0;
	i.modrm_at = (uint8_t)at;
	return i;
}

static uint8_t modrm_reg(const struct insn_x86_64 *i)
{
	return dwarf_of[(i->modrm >> 3 & 7) | (i->rex_bits & 4) << 1];
}

static uint8_t modrm_rm(const struct insn_x86_64 *i)
{
	return dwarf_of[(i->modrm & 7) | (i->rex_bits & 1) << 3];
}

static bool rm_is_register(const struct insn_x86_64 *i)
{
	return i->modrm >> 6 == 3;
}

/* The register in the opcode, as in push and mov of a constant. */
static uint8_t opcode_reg(const struct insn_x86_64 *i)
{
	return dwarf_of[(i->opcode & 7) | (i->rex_bits & 1) << 3];
}

/* In byte operands 4 to 7 are ah, ch, dh, bh without a REX prefix: parts of the first four. */
static uint8_t byte_reg(const struct insn_x86_64 *i, uint8_t reg)
{
	static const uint8_t high[8] = { 0, 1, 2, 3, 1, 3, 2, 0 }; /* by DWARF number: si dh, di bh, bp ch, sp ah */

	return i->rex || reg > 7 ? reg : high[reg];
}

static uint32_t bit(uint8_t reg)
{
	return 1u << reg;
}

/* What is written when the operand r/m is. */
static uint32_t rm_bits(const struct insn_x86_64 *i, bool byte)
{
	return rm_is_register(i) ? bit(byte ? byte_reg(i, modrm_rm(i)) : modrm_rm(i)) : 0;
}

static void effect_understood(struct site_effect *f, enum site_insn insn, uint32_t writes)
{
	f->insn = insn;
	f->understood = true;
	f->writes = writes;
}

/* add, or, adc, sbb, and, sub, xor, cmp by number. */
static enum site_insn alu_insn(unsigned int number)
{
	return number == 5 ? SITE_SUBTRACT : number == 6 ? SITE_XOR : number == 7 ? SITE_COMPARE : SITE_OTHER;
}

static void effect_alu(const struct insn_x86_64 *i, struct site_effect *f)
{
	const bool byte = !(i->opcode & 1), to_reg = i->opcode & 2, accumulator = i->opcode & 4;
	const unsigned int number = i->opcode >> 3;
	const uint8_t reg = byte ? byte_reg(i, modrm_reg(i)) : modrm_reg(i);
	const uint32_t writes = accumulator ? bit(RAX) : to_reg ? bit(reg) : rm_bits(i, byte);

	effect_understood(f, alu_insn(number), number == 7 ? 0 : writes);
	f->adds = !number && !accumulator;
}

/* mov between registers and memory, and constants. */
static void effect_move(const struct insn_x86_64 *i, struct site_effect *f)
{
	const bool byte = !(i->opcode & 1), to_reg = i->opcode & 2;
	const uint8_t reg = byte ? byte_reg(i, modrm_reg(i)) : modrm_reg(i);

	effect_understood(f, SITE_MOVE, to_reg ? bit(reg) : rm_bits(i, byte));
	if (!i->wide || byte || !rm_is_register(i))
		return;
	f->to = to_reg ? reg : modrm_rm(i);
	f->from = to_reg ? modrm_rm(i) : reg;
}

/* f6 and f7: test, not, neg, mul, div by the middle of modrm. */
static void effect_unary(const struct insn_x86_64 *i, struct site_effect *f)
{
	const unsigned int number = i->modrm >> 3 & 7;

	if (number < 2)
		effect_understood(f, SITE_TEST, 0);
	else if (number < 4)
		effect_understood(f, SITE_OTHER, rm_bits(i, !(i->opcode & 1)));
	else
		effect_understood(f, SITE_OTHER, bit(RAX) | bit(RDX));
}

/* fe and ff: inc and dec; indirect calls and jumps, pushes of memory. */
static void effect_ff(const struct insn_x86_64 *i, struct site_effect *f)
{
	const unsigned int number = i->modrm >> 3 & 7;

	if (number < 2)
		effect_understood(f, SITE_OTHER, rm_bits(i, !(i->opcode & 1)));
	else
		f->leaves = i->opcode == 0xff && number >= 2 && number <= 5;
}

/* Moves of vector registers, which write no others; of those that can, only to memory. */
static bool is_vector_move(uint8_t second)
{
	return memchr("\x10\x11\x12\x13\x14\x16\x17\x28\x29\x57\x6c\x6e\x6f\x7f\xd6\xef", second, 16);
}

/* Behind 0f. */
static void effect_two_bytes(const struct insn_x86_64 *i, struct site_effect *f)
{
	const uint8_t op = i->second;

	if (op >= 0x80 && op <= 0x8f) {
		if (!i->operand16)
			f->insn = SITE_BRANCH;
		f->leaves = i->operand16;
	} else if (op == 0x1e && i->repeat && i->modrm == 0xfa) {
		effect_understood(f, SITE_ENDBR, 0);
	} else if (op == 0x1f) {
		effect_understood(f, f->size == 5 ? SITE_NOP5 : SITE_OTHER, 0);
	} else if ((op >= 0x40 && op <= 0x4f) || op == 0xaf || op == 0xb6 || op == 0xb7 || op == 0xbe || op == 0xbf) {
		effect_understood(f, SITE_OTHER, bit(modrm_reg(i)));
	} else if (op >= 0x90 && op <= 0x9f) {
		effect_understood(f, SITE_OTHER, rm_bits(i, true));
	} else if (is_vector_move(op)) {
		effect_understood(f, SITE_OTHER, 0);
	}
}

/* One-byte opcodes that are no moves between operands, no arithmetic of two of them, and no jumps. */
static void effect_others(const struct insn_x86_64 *i, struct site_effect *f)
{
	switch (i->opcode) {
	case 0x63:
	case 0x69:
	case 0x6b:
		effect_understood(f, SITE_OTHER, bit(modrm_reg(i)));
		break;
	case 0x80:
	case 0x81:
	case 0x83: {
		const unsigned int number = i->modrm >> 3 & 7;

		effect_understood(f, alu_insn(number), number == 7 ? 0 : rm_bits(i, i->opcode == 0x80));
		break;
	}
	case 0x84:
	case 0x85:
	case 0xa8:
	case 0xa9:
		effect_understood(f, SITE_TEST, 0);
		break;
	case 0x8d:
		effect_understood(f, SITE_LEA, bit(modrm_reg(i)));
		f->adds = (i->modrm & 7) == 4;
		break;
	case 0x98:
		effect_understood(f, SITE_OTHER, bit(RAX));
		break;
	case 0x99:
		effect_understood(f, SITE_OTHER, bit(RDX));
		break;
	case 0xc0:
	case 0xc1:
	case 0xd0:
	case 0xd1:
	case 0xd2:
	case 0xd3:
		effect_understood(f, SITE_OTHER, rm_bits(i, !(i->opcode & 1)));
		break;
	case 0xc6:
	case 0xc7:
		effect_understood(f, SITE_MOVE, rm_bits(i, i->opcode == 0xc6));
		break;
	case 0xc2:
	case 0xc3:
		f->insn = SITE_RETURN;
		f->leaves = true;
		f->way = SITE_WAY_END;
		break;
	case 0xf6:
	case 0xf7:
		effect_unary(i, f);
		break;
	case 0xfe:
	case 0xff:
		effect_ff(i, f);
		break;
	default:
		break;
	}
}

/* Those that the kernel emulates; false when this is none of them. Of REX prefixes it takes 41 alone before a push. */
static bool effect_emulated(const struct insn_x86_64 *i, struct site_effect *f)
{
	if (i->opcode == 0x90 && !i->rex && !i->repeat)
		f->insn = SITE_NOP;
	else if (i->opcode >= 0x50 && i->opcode <= 0x57 &&
		 (f->size == 1 || (f->size == 2 && i->rex && !i->wide && i->rex_bits == 1)))
		f->insn = SITE_PUSH;
	else if (i->opcode == 0xe8 && !i->operand16)
		f->insn = SITE_CALL;
	else if ((i->opcode == 0xe9 || i->opcode == 0xeb) && !i->operand16)
		f->insn = SITE_JUMP;
	else if (i->opcode >= 0x70 && i->opcode <= 0x7f && !i->operand16)
		f->insn = SITE_BRANCH;
	else
		return false;
	return true;
}

/*
 * An indirect jump. Compilers jump through tables by a register that they have added to, or, in programs that
 * are not moved, by a table of addresses; and with control-flow protection by a jump that is not tracked.
 */
static uint8_t indirect_way(const struct insn_x86_64 *i, const uint8_t *code, struct site_effect *f)
{
	const uint8_t *sib = code + i->modrm_at + 1;
	const bool has_sib = !rm_is_register(i) && (i->modrm & 7) == 4;
	const bool indexed = has_sib && ((sib[0] >> 3 & 7) != 4 || i->rex_bits & 2);
	int32_t at;

	if (i->notrack)
		return SITE_WAY_LABEL;
	if (rm_is_register(i)) {
		f->via = modrm_rm(i);
		return SITE_WAY_REGISTER;
	}
	if (!indexed)
		return SITE_WAY_POINTER;
	if (i->modrm >> 6 || (sib[0] & 7) != 5 || sib[0] >> 6 != 3)
		return SITE_WAY_UNKNOWN;
	memcpy(&at, sib + 1, sizeof(at));
	f->table = (uint64_t)(int64_t)at;
	return SITE_WAY_TABLE;
}

/* Where the instruction at CODE leads. */
static void effect_way(const struct insn_x86_64 *i, const uint8_t *code, struct site_effect *f)
{
	const uint8_t number = i->modrm >> 3 & 7;

	f->idle = (i->opcode == 0x90 && !i->rex) || (i->two_bytes && i->second == 0x1f);
	if (i->two_bytes) {
		/* ud1, ud2, and the end of a system call */
		f->way = memchr("\x0b\xb9\x07\x35", i->second, 4) ? SITE_WAY_END : SITE_WAY_ON;
		return;
	}
	switch (i->opcode) {
	case 0xe9:
	case 0xeb:
		f->way = SITE_WAY_END;
		f->always = true;
		break;
	case 0xe8:
		f->calls = true;
		memcpy(&f->target, code + i->modrm_at, sizeof(f->target));
		/* Modulo 2^32, as the processor adds. */
		f->target = (int32_t)((uint32_t)f->target + f->size);
		break;
	case 0xcc:
	case 0xf4:
		f->way = SITE_WAY_END;
		break;
	case 0xca:
	case 0xcb:
	case 0xcf:
		f->way = SITE_WAY_UNKNOWN;
		break;
	case 0xff:
		f->way = number == 4 ? indirect_way(i, code, f) : number == 5 ? SITE_WAY_UNKNOWN : SITE_WAY_ON;
		f->calls = number == 2 || number == 3;
		f->calls_via = number == 2 && rm_is_register(i);
		if (f->calls_via)
			f->via = modrm_rm(i);
		break;
	default:
		/* pop of a register */
		if ((i->opcode & 0xf8) == 0x58)
			f->writes = bit(opcode_reg(i));
		break;
	}
}

static struct site_effect decode_x86_64(const uint8_t *code, size_t len)
{
	struct site_effect f = { .insn = SITE_OTHER, .to = MACHINE_NO_REG, .from = MACHINE_NO_REG };
	struct insn_x86_64 i;

	f.size = (uint8_t)skim_x86_64(code, len, &f.jumps, &f.target);
	if (!f.size) {
		f.insn = SITE_UNKNOWN;
		return f;
	}
	i = insn_of(code, f.size);
	effect_way(&i, code, &f);
	if (effect_emulated(&i, &f))
		return f;
	if (i.two_bytes)
		effect_two_bytes(&i, &f);
	else if (i.opcode < 0x40 && (i.opcode & 7) < 6)
		effect_alu(&i, &f);
	else if (i.opcode >= 0x88 && i.opcode <= 0x8b)
		effect_move(&i, &f);
	else if (i.opcode >= 0xb0 && i.opcode <= 0xb7)
		effect_understood(&f, SITE_MOVE, bit(byte_reg(&i, opcode_reg(&i))));
	else if (i.opcode >= 0xb8 && i.opcode <= 0xbf)
		effect_understood(&f, SITE_MOVE, bit(opcode_reg(&i)));
	else
		effect_others(&i, &f);
	return f;
}

/* In the order of DWARF. */
static uint8_t thunk_x86_64(const char *name)
{
	static const char *const registers[] = {
		"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
		"r15",
	};
	const char *of = strrchr(name, '_');

	if (strncmp(name, "__x86_indirect_", 15) || !of)
		return MACHINE_NO_REG;
	for (uint8_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++)
		if (!strcmp(of + 1, registers[i]))
			return i;
	/* All of them begin with the one of rax, and have a symbol there. */
	return strcmp(of + 1, "array") ? MACHINE_NO_REG : 0;
}

const struct site_arch site_arch_x86_64 = {
	.machine = EM_X86_64,
	.args = { 5, 4, 1, 2, 8, 9 },
	.entry_cfa = 8,
	.lock = 0xf0,
	.decode = decode_x86_64,
	.thunk = thunk_x86_64,
};
