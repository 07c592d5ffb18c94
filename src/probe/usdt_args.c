/* SPDX-License-Identifier: BSD-2-Clause */
/* usdt_args.c - arguments of static probes: the assembler's operands in notes. See usdt.h. */
#include "config.h"

#include "probe/usdt.h"

#include "base/parse.h"
#include "model/machine.h"

#include <ctype.h>
#include <elf.h>
#include <string.h>

/* Names of the registers of x86-64 by DWARF number, as 8, 4, 2 and 1 bytes. */
static const char *const x86_64_regs[][4] = {
	{ "rax", "eax", "ax", "al" },      { "rdx", "edx", "dx", "dl" },      { "rcx", "ecx", "cx", "cl" },
	{ "rbx", "ebx", "bx", "bl" },      { "rsi", "esi", "si", "sil" },     { "rdi", "edi", "di", "dil" },
	{ "rbp", "ebp", "bp", "bpl" },     { "rsp", "esp", "sp", "spl" },     { "r8", "r8d", "r8w", "r8b" },
	{ "r9", "r9d", "r9w", "r9b" },     { "r10", "r10d", "r10w", "r10b" }, { "r11", "r11d", "r11w", "r11b" },
	{ "r12", "r12d", "r12w", "r12b" }, { "r13", "r13d", "r13w", "r13b" }, { "r14", "r14d", "r14w", "r14b" },
	{ "r15", "r15d", "r15w", "r15b" }, { "rip", "eip", "ip", "" },
};

struct operand_reader {
	const char *at, *end;
};

static bool operand_char(struct operand_reader *r, char c)
{
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

/* A number with a sign, decimal or hexadecimal. */
static bool operand_number(struct operand_reader *r, int64_t *ret)
{
	const bool negative = operand_char(r, '-');
	uint64_t value;
	bool ok;

	if (r->end - r->at > 2 && r->at[0] == '0' && r->at[1] == 'x') {
		r->at += 2;
		ok = parse_hex(&r->at, r->end, &value);
	} else {
		ok = parse_dec(&r->at, r->end, &value);
	}
	*ret = ok ? (int64_t)(negative ? -value : value) : 0;
	return ok;
}

/* "%rbp" */
static bool operand_register(struct operand_reader *r, uint8_t *ret)
{
	const char *name = r->at + 1;
	size_t len = 0;

	if (!operand_char(r, '%'))
		return false;
	while (name + len < r->end && isalnum((unsigned char)name[len]))
		len++;
	r->at = name + len;
	for (size_t i = 0; len && i < sizeof(x86_64_regs) / sizeof(x86_64_regs[0]); i++) {
		for (size_t size = 0; size < 4; size++) {
			if (strlen(x86_64_regs[i][size]) != len || memcmp(x86_64_regs[i][size], name, len))
				continue;
			*ret = (uint8_t)i;
			return true;
		}
	}
	return false;
}

/* "(%rbx)", "(%rbx,%rax,8)", "(,%rax,8)", behind the offset. */
static bool operand_memory(struct operand_reader *r, struct usdt_arg *a)
{
	int64_t scale = 1;

	if (!operand_char(r, '(') || (r->at < r->end && *r->at != ',' && !operand_register(r, &a->reg)))
		return false;
	a->where = USDT_MEMORY;
	if (operand_char(r, ',')) {
		a->where = USDT_INDEXED;
		if (!operand_register(r, &a->index) || (operand_char(r, ',') && !operand_number(r, &scale)))
			return false;
	}
	if (scale != 1 && scale != 2 && scale != 4 && scale != 8)
		return false;
	a->scale = (uint8_t)scale;
	return operand_char(r, ')') && r->at == r->end;
}

/* One operand from S to END, behind "N@". False for a form that is not known. */
static bool operand_x86_64(const char *s, const char *end, struct usdt_arg *a)
{
	struct operand_reader r = { s, end };

	if (operand_char(&r, '$')) {
		a->where = USDT_CONSTANT;
		return operand_number(&r, &a->offset) && r.at == r.end;
	}
	if (s < end && *s == '%') {
		a->where = USDT_REGISTER;
		return operand_register(&r, &a->reg) && r.at == r.end;
	}
	if (s < end && *s != '(' && !operand_number(&r, &a->offset))
		return false;
	return operand_memory(&r, a);
}

/* "[-]N@OPERAND" from S to END. */
static struct usdt_arg operand(const char *s, const char *end, uint16_t machine)
{
	static const struct usdt_arg unknown = {
		.where = USDT_UNKNOWN, .size = 8, .reg = MACHINE_NO_REG, .index = MACHINE_NO_REG, .scale = 1
	};
	struct operand_reader r = { s, end };
	struct usdt_arg a = unknown;
	uint64_t size = sizeof(uint64_t);

	/* Without a size it is one of a pointer. */
	if (memchr(s, '@', (size_t)(end - s))) {
		a.is_signed = operand_char(&r, '-');
		if (!parse_dec(&r.at, r.end, &size) || !operand_char(&r, '@'))
			return unknown;
	}
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return unknown;
	a.size = (uint8_t)size;
	return machine == EM_X86_64 && operand_x86_64(r.at, end, &a) ? a : unknown;
}

uint32_t usdt_args_parse(const char *text, uint16_t machine, struct usdt_arg arg[USDT_ARGS_MAX])
{
	uint32_t n = 0;

	for (text += strspn(text, " "); *text && n < USDT_ARGS_MAX; text += strspn(text, " ")) {
		const size_t len = strcspn(text, " ");

		arg[n++] = operand(text, text + len, machine);
		text += len;
	}
	return n;
}
