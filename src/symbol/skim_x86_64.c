/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * skim_x86_64.c - how long an instruction of x86-64 is and where it jumps, and nothing else of it.
 *
 * To see where instructions begin around a place, a hundred of them must be stepped over of which a
 * handful counts. capstone takes half a microsecond for each, which made it the largest cost of an
 * address; this takes some nanoseconds. It knows the encoding (Intel SDM volume 2, chapter 2 and
 * appendix A) and no instructions: one that does not exist may have a length.
 */
#include "config.h"

#include "symbol/skim_x86_64.h"

#include <string.h>

#define INSN_MAX 15u

/*
 * What follows an opcode, 16 a line: . nothing, m modrm, b 1 byte, B modrm and 1 byte, w 2 bytes, e
 * 3 bytes, z 4 bytes (2 with prefix 66 and without REX.W), Z modrm and z, v like z but 8 with
 * REX.W, o an address, j 4 bytes, t modrm and 1 byte or none, T modrm and z or none; p prefix, r
 * REX, x escape, ! does not exist.
 */
static const char one_byte[] =
	"mmmmbz!!mmmmbz!x"
	"mmmmbz!!mmmmbz!!"
	"mmmmbzp!mmmmbzp!"
	"mmmmbzp!mmmmbzp!"
	"rrrrrrrrrrrrrrrr"
	"................"
	"!!xmppppzZbB...."
	"bbbbbbbbbbbbbbbb"
	"BZ!Bmmmmmmmmmmmm"
	"..........!....."
	"oooo....bz......"
	"bbbbbbbbvvvvvvvv"
	"BBw.xxBZe.w..b!."
	"mmmm!!!.mmmmmmmm"
	"bbbbbbbbjj!b...."
	"p.pp..tT......mm";
static const char after_0f[] =
	"mmmm!.....!.!m.B"
	"mmmmmmmmmmmmmmmm"
	"mmmm!!!!mmmmmmmm"
	"........x!x!!!!!"
	"mmmmmmmmmmmmmmmm"
	"mmmmmmmmmmmmmmmm"
	"mmmmmmmmmmmmmmmm"
	"BBBBmmm.mmmmmmmm"
	"jjjjjjjjjjjjjjjj"
	"mmmmmmmmmmmmmmmm"
	"...mBm!!...mBmmm"
	"mmmmmmmmmmBmmmmm"
	"mmBmBBBm........"
	"mmmmmmmmmmmmmmmm"
	"mmmmmmmmmmmmmmmm"
	"mmmmmmmmmmmmmmmm";
_Static_assert(sizeof(one_byte) == 257 && sizeof(after_0f) == 257, "one letter an opcode");

/* An instruction that is being read: what is left of it, and what its prefixes said. */
struct reader {
	const uint8_t *p, *end;
	bool wide, operand16, address32;         /* REX.W, 66, 67 */
};

static bool skim_take(struct reader *r, uint8_t *ret)
{
	if (r->p == r->end)
		return false;
	*ret = *r->p++;
	return true;
}

static bool skim_skip(struct reader *r, size_t n)
{
	if ((size_t)(r->end - r->p) < n)
		return false;
	r->p += n;
	return true;
}

static bool skip_modrm(struct reader *r, uint8_t *ret_modrm)
{
	uint8_t modrm, sib = 0, mod;

	if (!skim_take(r, &modrm))
		return false;
	*ret_modrm = modrm;
	mod = modrm >> 6;
	if (mod == 3)
		return true;
	if ((modrm & 7) == 4 && !skim_take(r, &sib))
		return false;
	if (mod == 0 && ((modrm & 7) == 5 || ((modrm & 7) == 4 && (sib & 7) == 5)))
		mod = 2;
	return skim_skip(r, mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

static bool has_modrm(char kind)
{
	return kind == 'm' || kind == 'B' || kind == 'Z' || kind == 't' || kind == 'T';
}

/* Skips what KIND says that follows the opcode. */
static bool skip_rest(struct reader *r, char kind)
{
	const size_t z = r->operand16 && !r->wide ? 2 : 4;
	uint8_t modrm = 0;

	if (has_modrm(kind) && !skip_modrm(r, &modrm))
		return false;
	switch (kind) {
	case '.':
	case 'm': return true;
	case 'b':
	case 'B': return skim_skip(r, 1);
	case 'w': return skim_skip(r, 2);
	case 'e': return skim_skip(r, 3);
	case 'j': return skim_skip(r, 4);
	case 'z':
	case 'Z': return skim_skip(r, z);
	case 'v': return skim_skip(r, r->wide ? 8 : z);
	case 'o': return skim_skip(r, r->address32 ? 4 : 8);
	case 't': return skim_skip(r, modrm & 0x30 ? 0 : 1);
	case 'T': return skim_skip(r, modrm & 0x30 ? 0 : z);
	default: return false;
	}
}

/* Takes prefixes and the first byte of the opcode. */
static bool take_opcode(struct reader *r, uint8_t *ret)
{
	char kind;

	do {
		if (!skim_take(r, ret))
			return false;
		kind = one_byte[*ret];
		r->operand16 |= *ret == 0x66;
		r->address32 |= *ret == 0x67;
		/* Only right before the opcode it counts. */
		r->wide = kind == 'r' && *ret & 8 ? true : kind == 'p' || kind == 'r' ? false : r->wide;
	} while (kind == 'p' || kind == 'r');
	return true;
}

static bool skip_after_0f(struct reader *r, uint8_t *ret_opcode)
{
	uint8_t opcode;

	if (!skim_take(r, &opcode))
		return false;
	*ret_opcode = opcode;
	if (opcode == 0x38 || opcode == 0x3a)
		return skim_skip(r, 1) && skip_rest(r, opcode == 0x38 ? 'm' : 'B');
	return skip_rest(r, after_0f[opcode]);
}

/* FIRST is c4, c5 or 62. */
static bool skip_vex(struct reader *r, uint8_t first)
{
	const uint8_t prefix = first == 0xc5 ? 1 : first == 0xc4 ? 2 : 3;
	const uint8_t map = first == 0xc5 || r->p == r->end ? 1 : *r->p & (first == 0xc4 ? 31 : 7);
	uint8_t opcode;

	if (!skim_skip(r, prefix) || !skim_take(r, &opcode))
		return false;
	if (map == 1)
		return skip_rest(r, after_0f[opcode] == 'j' ? 'm' : after_0f[opcode]);
	return map >= 2 && map <= 6 && skip_rest(r, map == 3 ? 'B' : 'm');
}

static int32_t read_rel32(const uint8_t *p)
{
	int32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

size_t skim_x86_64(const uint8_t *code, size_t len, bool *ret_jumps, int32_t *ret_target)
{
	struct reader r = { .p = code, .end = code + (len < INSN_MAX ? len : INSN_MAX) };
	bool short_jump, near_jump, ok;
	uint8_t opcode, second = 0;
	size_t n;

	*ret_jumps = false;
	if (!take_opcode(&r, &opcode))
		return 0;
	if (opcode == 0x0f)
		ok = skip_after_0f(&r, &second);
	else if (opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62)
		ok = skip_vex(&r, opcode);
	else
		ok = skip_rest(&r, one_byte[opcode]);
	if (!ok)
		return 0;
	n = (size_t)(r.p - code);
	short_jump = opcode == 0xeb || (opcode >= 0x70 && opcode <= 0x7f) || (opcode >= 0xe0 && opcode <= 0xe3);
	near_jump = opcode == 0xe9 || (opcode == 0x0f && second >= 0x80 && second <= 0x8f);
	if (short_jump || near_jump) {
		const int64_t to = (int64_t)n + (short_jump ? (int8_t)r.p[-1] : read_rel32(r.p - 4));

		*ret_jumps = to == (int32_t)to;
		*ret_target = (int32_t)to;
	}
	return n;
}
