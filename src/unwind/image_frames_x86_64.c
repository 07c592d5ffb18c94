// SPDX-License-Identifier: BSD-2-Clause
/*
 * image_frames_x86_64.c - recognises functions without call-frame information that keep frame
 * pointers, by their code.
 *
 * Code is read function by function. A function ends where the flow does (ret, jmp, hlt, ud2) and
 * no jump that was seen before leads further; padding follows, and the next one. It keeps a frame
 * pointer if it begins with push %rbp and mov %rsp,%rbp, perhaps with other instructions in
 * between. Then all of it has rules: two up to there, one for its body, and one for a ret, where
 * the frame pointer is the caller's again. Others get none, since their frames would be passed
 * over, but those beside them that call nobody and leave the stack pointer alone.
 */
#include "config.h"

#include "symbol/skim_x86_64.h"
#include "unwind/arch.h"
#include "unwind/image_impl.h"

#include <string.h>

#define BEGINS 6u                        /* instructions of a function among which its frame is set up */

/* An instruction of some code. */
struct insn {
	const uint8_t *p;
	size_t len;              /* 0 = there is none */
	bool jumps;              /* to ... */
	int32_t target;          /* ... so far behind P */
};

struct code {
	const uint8_t *text;
	size_t len;
	uint64_t vaddr;
};

static struct insn image_frames_insn_at(const struct code *c, size_t at)
{
	struct insn in = { .p = c->text + at };

	if (at < c->len)
		in.len = skim_x86_64(in.p, c->len - at, &in.jumps, &in.target);
	return in;
}

static bool image_frames_is(const struct insn *in, const char *bytes, size_t n)
{
	return in->len == n && memcmp(in->p, bytes, n) == 0;
}

/* nop, int3, and nop of several bytes with any prefixes */
static bool is_padding(const struct insn *in)
{
	size_t i = 0;

	while (i + 2 < in->len && (in->p[i] == 0x66 || in->p[i] == 0x2e))
		i++;
	return image_frames_is(in, "\x90", 1) || image_frames_is(in, "\x66\x90", 2) || image_frames_is(in, "\xcc", 1) ||
	       (in->len >= i + 3 && in->p[i] == 0x0f && in->p[i + 1] == 0x1f);
}

static bool is_jmp(const struct insn *in)
{
	const size_t prefix = in->len && (in->p[0] == 0x3e || in->p[0] == 0xf2 || (in->p[0] & 0xf0) == 0x40);

	return in->len && (in->p[0] == 0xe9 || in->p[0] == 0xeb ||
			   (in->len >= prefix + 2 && in->p[prefix] == 0xff && (in->p[prefix + 1] & 0x38) == 0x20));
}

static bool is_ret(const struct insn *in)
{
	return image_frames_is(in, "\xc3", 1) || image_frames_is(in, "\xf3\xc3", 2) ||
		(in->len == 3 && in->p[0] == 0xc2);
}

static bool is_call(const struct insn *in)
{
	const size_t prefix = in->len && (in->p[0] == 0x3e || in->p[0] == 0xf2 || in->p[0] == 0x67 ||
					  (in->p[0] & 0xf0) == 0x40);

	return in->len >= prefix + 2 &&
	       (in->p[prefix] == 0xe8 || (in->p[prefix] == 0xff && (in->p[prefix + 1] & 0x38) == 0x10));
}

static bool image_frames_ends_flow(const struct insn *in)
{
	return is_ret(in) || is_jmp(in) || image_frames_is(in, "\xf4", 1) || image_frames_is(in, "\x0f\x0b", 2);
}

static size_t skip_padding(const struct code *c, size_t at)
{
	struct insn in = image_frames_insn_at(c, at);

	while (in.len && is_padding(&in)) {
		at += in.len;
		in = image_frames_insn_at(c, at);
	}
	return at;
}

/* Does IN change the stack pointer, or may it? */
static bool moves_sp(const struct insn *in)
{
	const size_t rex = in->len > 2 && (in->p[0] & 0xf0) == 0x40;
	const uint8_t op = in->p[rex], modrm = in->len > rex + 1 ? in->p[rex + 1] : 0;
	const bool to_reg = (modrm & 0x38) == 0x20, to_rm = (modrm & 0xc7) == 0xc4;

	return is_call(in) || (op & 0xf0) == 0x50 || op == 0xc8 || op == 0xc9 || op == 0x9c ||
	       op == 0x9d || op == 0x8f ||
	       (op == 0xff && (modrm & 0x38) == 0x30) || op == 0x68 || op == 0x6a || op == 0x94 ||
	       (!(rex && in->p[0] & 4) && to_reg && (op == 0x8b || op == 0x8d || op == 0x87)) ||
	       (!(rex && in->p[0] & 1) && to_rm &&
		(op == 0x81 || op == 0x83 || op == 0x87 || op == 0x89 || op == 0x01 || op == 0x29));
}

/* A function: where its frame pointer is pushed and set, and where it ends. */
struct function {
	size_t start, pushed, set, end;
	bool keeps;              /* the frame pointer */
	bool moves;              /* the stack pointer */
	bool whole;              /* its end was found */
};

/* Reads the function at START of C. */
static struct function read_function(const struct code *c, size_t start)
{
	struct function f = { .start = start, .end = start };
	size_t furthest = start;
	unsigned int nr = 0;

	for (;;) {
		const struct insn in = image_frames_insn_at(c, f.end);

		if (!in.len)
			return f;
		f.moves |= moves_sp(&in);
		if (nr++ < BEGINS && !f.keeps) {
			if (image_frames_is(&in, "\x55", 1))
				f.pushed = f.end + 1;
			else if (f.pushed &&
				 (image_frames_is(&in, "\x48\x89\xe5", 3) || image_frames_is(&in, "\x48\x8b\xec", 3)))
				f.keeps = (f.set = f.end + 3);
		}
		if (in.jumps && in.target > 0 && f.end + (size_t)in.target < c->len &&
		    f.end + (size_t)in.target > furthest && !is_jmp(&in))
			furthest = f.end + (size_t)in.target;
		f.end += in.len;
		if (image_frames_ends_flow(&in) && f.end > furthest) {
			f.whole = true;
			return f;
		}
	}
}

static void image_frames_add(struct image *im, const struct code *c, size_t from, size_t to, struct rule r)
{
	image_add_frames(im, c->vaddr + from, c->vaddr + to, r);
}

static const struct rule called = { .kind = RULE_SP, .arg = RULE_NO_TABLE, .bp = RULE_BP_SAME, .cfa = 8 };

/* The rules of F: its body's, but where a ret follows pop %rbp or leave. */
static void add_function(struct image *im, const struct code *c, const struct function *f)
{
	const struct rule pushed = { .kind = RULE_SP, .arg = RULE_NO_TABLE, .bp = -2, .cfa = 16 };
	const struct rule body = { .kind = RULE_FP, .arg = RULE_NO_TABLE };
	size_t from = f->set;

	image_frames_add(im, c, f->start, f->pushed, called);
	image_frames_add(im, c, f->pushed, f->set, pushed);
	for (size_t at = f->set; at < f->end;) {
		const struct insn in = image_frames_insn_at(c, at);

		if (!in.len)
			break;
		if (is_ret(&in) && (in.p[-1] == 0x5d || in.p[-1] == 0xc9)) {
			image_frames_add(im, c, from, at, body);
			image_frames_add(im, c, at, at + in.len, called);
			from = at + in.len;
		}
		at += in.len;
	}
	image_frames_add(im, c, from, f->end, body);
}

/* The function behind F in C; all of C when there is none. */
static size_t image_frames_behind(const struct code *c, const struct function *f)
{
	const uint8_t *next;

	if (f->whole)
		return skip_padding(c, f->end);
	/* Data among the code: the next function that can be told for sure. */
	next = memmem(c->text + f->end, c->len - f->end, "\x55\x48\x89\xe5", 4);
	return !next ? c->len : (size_t)(next - c->text) > f->start ? (size_t)(next - c->text) : f->start + 1;
}

/* Does any function of C keep the frame pointer? Else it may be anybody's code. */
static bool any_keeps(const struct code *c)
{
	for (size_t at = skip_padding(c, 0); at < c->len;) {
		const struct function f = read_function(c, at);

		if (f.keeps)
			return true;
		at = image_frames_behind(c, &f);
	}
	return false;
}

void x86_64_find_frames(struct image *im, const uint8_t *text, size_t len, uint64_t vaddr)
{
	const struct code c = { text, len, vaddr };

	for (size_t at = any_keeps(&c) ? skip_padding(&c, 0) : len; at < len;) {
		const struct function f = read_function(&c, at);

		if (f.keeps)
			add_function(im, &c, &f);
		else if (f.whole && !f.moves)
			image_frames_add(im, &c, f.start, f.end, called);
		at = image_frames_behind(&c, &f);
	}
}

/* push, sub $N,%rsp, endbr64 or padding: behind a call that does not return, this is the next function. */
static bool begins_function(const struct insn *in)
{
	return (in->len == 1 && (in->p[0] & 0xf8) == 0x50) ||
	       (in->len == 2 && in->p[0] == 0x41 && (in->p[1] & 0xf8) == 0x50) ||
	       (in->len >= 4 && in->p[0] == 0x48 && (in->p[1] | 2) == 0x83 && in->p[2] == 0xec) ||
	       image_frames_is(in, "\xf3\x0f\x1e\xfa", 4) || is_padding(in);
}

size_t x86_64_entry_code(const uint8_t *text, size_t len)
{
	const struct code c = { .text = text, .len = len };
	bool has_called = false;

	for (size_t at = 0; at < len;) {
		const struct insn in = image_frames_insn_at(&c, at);

		if (!in.len || (has_called && begins_function(&in)))
			return at;
		at += in.len;
		if (image_frames_ends_flow(&in))
			return at;
		has_called |= is_call(&in);
	}
	return len;
}
