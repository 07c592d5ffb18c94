// SPDX-License-Identifier: BSD-2-Clause
/*
 * go_frames_x86_64.c - knows where Go's runtime changes stacks on x86-64, and what it keeps for the
 * way back.
 *
 * Five functions in assembly call something on another stack than they were called on (Go source,
 * runtime/asm_amd64.s). What they called returns to one address, and what they were called by is
 * found from there:
 *
 *  systemstack   the goroutine that the thread has at hand (m.curg) keeps its stack pointer in sched.sp.
 *  morestack     the same, and sched.pc is where it goes on.
 *  mcall         pushes the goroutine; it is the caller as long as it is the one at hand.
 *  asmcgocall    keeps the goroutine and how far below the end of its stack it was: the stack may move
 *                meanwhile. On the thread's own stack
 *                already it keeps no goroutine, and the stack pointer itself.
 *  cgocallback   the thread's own stack (m.g0) is where C called: sched.sp is the frame of this function there.
 *
 *  time.now, nanotime1 and walltime ask the vDSO, and change the stack for that. Their caller is where rbp
 *  says, all the time.
 *
 * Offsets that differ from version to version are read from the code, and whether these functions
 * have a frame, as they do since Go 1.21: then rbp lies below their return address (the rules that
 * are framed). In a position-independent program the offset of g comes in a register. Code that
 * looks different is not followed: what returns to it is cut. Seen: Go 1.19 with and without cgo,
 * also position-independent, and 1.26; the source of those between has the same instructions.
 */
#include "config.h"

#include "bpf/wire.h"
#include "unwind/arch.h"
#include "unwind/image_impl.h"

#include <string.h>

#define ANY (-1)
#define NOWHERE SIZE_MAX

#define FIND(code, from, ...) \
	go_frames_find((code), (from), (const int16_t[]){ __VA_ARGS__ }, \
		       sizeof((const int16_t[]){ __VA_ARGS__ }) / sizeof(int16_t))

/* Where the N bytes WANT are in C, from FROM on; NOWHERE when they are not. */
static size_t go_frames_find(const struct go_code *c, size_t from, const int16_t *want, size_t n)
{
	for (size_t at = from; at < c->len && n <= c->len - at; at++) {
		size_t i = 0;

		while (i < n && (want[i] == ANY || want[i] == c->text[at + i]))
			i++;
		if (i == n)
			return at;
	}
	return NOWHERE;
}

static int32_t word_at(const struct go_code *c, size_t at)
{
	int32_t v;

	memcpy(&v, c->text + at, sizeof(v));
	return v;
}

/* Loads of g: mov %fs:N,reg, or mov $N,%rcx; mov %fs:(%rcx),reg. */
#define LOAD_G 9u                /* bytes of the first kind ... */
#define LOAD_G_PIE 11u           /* ... and of the second */

/*
 * The offset of g from the thread pointer if C loads it at AT, to the register REG unless that is
 * ANY. *RET_LEN: bytes of that.
 */
static bool loads_g(const struct go_code *c, size_t at, int16_t reg, int32_t *ret, size_t *ret_len)
{
	const uint8_t *p = c->text + at;
	/* Of the byte that says how the address is made, and to which register. */
	const uint8_t mask = reg == ANY ? 0xc7 : 0xff, to = reg == ANY ? 0 : (uint8_t)(reg << 3);

	if (at + LOAD_G <= c->len && memcmp(p, "\x64\x48\x8b", 3) == 0 && (p[3] & mask) == (to | 4) && p[4] == 0x25) {
		*ret = word_at(c, at + 5);
		*ret_len = LOAD_G;
		return true;
	}
	if (at + LOAD_G_PIE <= c->len && memcmp(p, "\x48\xc7\xc1", 3) == 0 && memcmp(p + 7, "\x64\x48\x8b", 3) == 0 &&
	    (p[10] & mask) == (to | 1)) {
		*ret = word_at(c, at + 3);
		*ret_len = LOAD_G_PIE;
		return true;
	}
	return false;
}

/* That of the first load; 0 = there is none. */
static int32_t g_at(const struct go_code *c)
{
	int32_t offset;
	size_t len;

	for (size_t at = 0; at < c->len; at++)
		if (loads_g(c, at, ANY, &offset, &len))
			return offset;
	return 0;
}

/* push %rbp; mov %rsp,%rbp */
static bool is_framed(const struct go_code *c)
{
	return FIND(c, 0, 0x55, 0x48, 0x89, 0xe5) == 0;
}

/* crosscall_amd64() of runtime/cgo: push %rbx, %rbp, %r12 to %r15; ...; call *%rbx; pop them; ret */
size_t x86_64_find_go_thread(const uint8_t *text, size_t len, struct rule *ret)
{
	static const uint8_t code[] = { 0xff, 0xd3, 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xc3 };
	const uint8_t *at = memmem(text, len, code, sizeof(code));

	*ret = (struct rule){ .kind = RULE_SP, .bp = -3, .cfa = 7 * 8 };
	return at ? (size_t)(at - text) + 2 : SIZE_MAX;
}

/* mov sched.sp(g),%rsp, or by way of %rbx */
bool x86_64_changes_go_stack(const struct go_code *c)
{
	for (int16_t modrm = 0x60; modrm < 0x68; modrm++)
		if (FIND(c, 0, 0x8b, modrm, SB_GO_SP) != NOWHERE)
			return true;
	return FIND(c, 0, SB_GO_SP, 0x48, 0x89, 0xdc) != NOWHERE;
}

/* Where a call in a function returns to, and the rule that holds there. */
struct way_back {
	size_t at;               /* NOWHERE = not found */
	struct rule rule;
};

static struct way_back go_frames_way(size_t at, uint8_t how, int16_t bp, int32_t cfa)
{
	return (struct way_back){ at, { .kind = RULE_SWITCH, .arg = how, .bp = bp, .cfa = cfa } };
}

static const struct way_back no_way = { .at = NOWHERE };

/* call *%rdi; load g to %rax; mov m(%rax),%rbx; mov curg(%rbx),%rax */
static struct way_back from_systemstack(const struct go_code *c)
{
	int32_t g, curg;
	size_t len, at;

	for (at = FIND(c, 0, 0xff, 0xd7); at != NOWHERE; at = FIND(c, at + 2, 0xff, 0xd7)) {
		const size_t behind = at + 2;
		size_t load;

		if (!loads_g(c, behind, 0, &g, &len))
			continue;
		load = behind + len;
		if (FIND(c, load, 0x48, 0x8b, 0x58, SB_GO_M, 0x48, 0x8b, 0x83, ANY, ANY, 0, 0) != load)
			continue;
		curg = word_at(c, load + 7);
		return curg > INT16_MAX
			       ? no_way
			       : go_frames_way(behind, is_framed(c) ? SB_SWITCH_UP_FRAMED : SB_SWITCH_UP,
					       (int16_t)curg, g);
	}
	return no_way;
}

/* mov sched.sp(%rbx),%rsp; call newstack; between them perhaps mov sched.bp(%rbx),%rbp, or mov $0,%rbp */
static struct way_back from_morestack(const struct go_code *c, int16_t curg)
{
	size_t at = FIND(c, 0, 0x48, 0x8b, 0x63, SB_GO_SP, 0xe8, ANY, ANY, ANY, ANY), len = 9;

	if (at == NOWHERE) {
		at = FIND(c, 0, 0x48, 0x8b, 0x63, SB_GO_SP, 0x48, 0x8b, 0x6b, ANY, 0xe8, ANY, ANY, ANY, ANY);
		len = 13;
	}
	if (at == NOWHERE) {
		at = FIND(c, 0, 0x48, 0x8b, 0x63, SB_GO_SP, 0x48, 0xc7, 0xc5, 0, 0, 0, 0, 0xe8, ANY, ANY, ANY, ANY);
		len = 16;
	}
	return at == NOWHERE || !g_at(c) ? no_way : go_frames_way(at + len, SB_SWITCH_MORE, curg, g_at(c));
}

/* push %rax; mov (%rdx),%r12; call *%r12 */
static struct way_back from_mcall(const struct go_code *c, int16_t curg)
{
	const size_t at = FIND(c, 0, 0x50, 0x4c, 0x8b, 0x22, 0x41, 0xff, 0xd4);

	return at == NOWHERE ? no_way : go_frames_way(at + 7, SB_SWITCH_PARK, curg, 0);
}

/*
 * Where what asmcgocall() calls returns to, when it has noted at AT what it needs then: call
 * landing pad, there and then, or call *%rax.
 */
static size_t behind_call(const struct go_code *c, size_t at)
{
	const size_t call = at < c->len && c->text[at] == 0xe8 ? NOWHERE : FIND(c, at, 0xff, 0xd0);

	return call == NOWHERE ? at + 5 : call + 2;
}

/* mov %rdi,G(%rsp); mov stack.hi(%rdi),%rdi; sub %rdx,%rdi; mov %rdi,D(%rsp); ...; call */
static struct way_back from_asmcgocall(const struct go_code *c)
{
	const size_t at = FIND(c, 0, 0x48, 0x89, 0x7c, 0x24, ANY, 0x48, 0x8b, 0x7f, SB_GO_STACK_END, 0x48, 0x29, 0xd7,
			       0x48, 0x89, ANY, 0x24);
	const uint8_t how = is_framed(c) ? SB_SWITCH_CALL_FRAMED : SB_SWITCH_CALL;

	if (at == NOWHERE || at + 17 >= c->len)
		return no_way;
	return c->text[at + 14] == 0x3c ? go_frames_way(behind_call(c, at + 16), how, c->text[at + 4], 0) :
	       go_frames_way(behind_call(c, at + 17), how, c->text[at + 4], c->text[at + 16]);
}

/* The same on the thread's own stack: movq $0,G(%rsp); mov %rdx,D(%rsp); ...; call */
static struct way_back from_asmcgocall_on_g0(const struct go_code *c, const struct rule *r)
{
	const size_t at = FIND(c, 0, 0x48, 0xc7, 0x44, 0x24, r->bp, 0, 0, 0, 0, 0x48, 0x89, r->cfa ? 0x54 : 0x14, 0x24);

	if (at == NOWHERE || at + 14 >= c->len || (r->cfa && c->text[at + 13] != r->cfa))
		return no_way;
	return (struct way_back){ behind_call(c, at + (r->cfa ? 14 : 13)), *r };
}

/*
 * Bytes of the frame of C, with %rbp in it: sub $F,%rsp at its beginning, or behind push %rbp; mov
 * %rsp,%rbp. 0 = there is none.
 */
static uint8_t go_frames_frame_of(const struct go_code *c)
{
	const size_t at = is_framed(c) ? 4 : 0;
	uint8_t bytes;

	if (FIND(c, at, 0x48, 0x83, 0xec, ANY) != at)
		return 0;
	bytes = (uint8_t)(c->text[at + 3] + (at ? 8 : 0));
	return bytes % 8 || bytes > INT8_MAX ? 0 : bytes;
}

/*
 * sub $F,%rsp; ...; mov sched.sp(%rsi),%rax; mov %rax,(%rsp); mov %rsp,sched.sp(%rsi); ...; mov
 * %rdi,%rsp; ...; call *%rax
 */
static struct way_back from_cgocallback(const struct go_code *c)
{
	const size_t keep = FIND(c, 0, 0x48, 0x8b, 0x46, SB_GO_SP, 0x48, 0x89, 0x04, 0x24, 0x48, 0x89, 0x66, SB_GO_SP);
	const size_t change = keep == NOWHERE ? NOWHERE : FIND(c, keep, 0x48, 0x89, 0xfc);
	const size_t call = change == NOWHERE ? NOWHERE : FIND(c, change, 0xff, 0xd0);

	return call == NOWHERE || !g_at(c) || !go_frames_frame_of(c)
		       ? no_way
		       : go_frames_way(call + 2, SB_SWITCH_BACK, go_frames_frame_of(c), g_at(c));
}

/* Marks C, where nothing is known but of the return addresses A and B, which are in this order. */
static void go_frames_mark(struct image *im, const struct go_code *c, struct way_back a, struct way_back b)
{
	const struct way_back *ways[] = { &a, &b };
	const struct rule unknown = { .kind = RULE_SWITCH, .arg = SB_SWITCH_UNKNOWN };
	uint64_t at = c->vaddr;

	for (size_t i = 0; i < 2; i++) {
		const uint64_t back = c->vaddr + ways[i]->at;

		if (ways[i]->at == NOWHERE || back < at || ways[i]->at >= c->len)
			continue;
		image_add_switch(im, at, back, unknown);
		image_add_switch(im, back, back + 1, ways[i]->rule);
		at = back + 1;
	}
	image_add_switch(im, at, c->vaddr + c->len, unknown);
}

void x86_64_mark_go_switches(struct image *im, const struct go_code code[GO_CODE_NR])
{
	const struct way_back up = from_systemstack(&code[GO_SYSTEMSTACK]);
	const int16_t curg = up.rule.bp;
	const bool known = up.at != NOWHERE;

	for (unsigned int i = 0; i < GO_CODE_NR; i++) {
		const struct go_code *c = &code[i];
		struct way_back a = no_way, b = no_way;

		if (!x86_64_changes_go_stack(c))
			continue;
		if (i == GO_SYSTEMSTACK)
			a = up;
		else if (i == GO_MORESTACK && known)
			a = from_morestack(c, curg);
		else if (i == GO_MCALL && known)
			a = from_mcall(c, curg);
		else if (i == GO_CGOCALLBACK)
			a = from_cgocallback(c);
		else if (i == GO_ASMCGOCALL && (a = from_asmcgocall(c)).at != NOWHERE)
			b = from_asmcgocall_on_g0(c, &a.rule);
		go_frames_mark(im, c, a, b);
	}
}

/*
 * mov %rsp,%r12; ...; mov sched.sp(g),%rsp; ...; mov %r12,%rsp; ...; ret. What is behind that makes
 * the system call instead, and jumps back. Rbp is set before, by lea F(%rsp),%rbp or as in all
 * functions, and what is called keeps it.
 */
void x86_64_mark_go_clock(struct image *im, const struct go_code *c)
{
	const struct rule rule = { .kind = RULE_SWITCH, .arg = SB_SWITCH_BP };
	const size_t keep = FIND(c, 0, 0x49, 0x89, 0xe4), back = FIND(c, keep, 0x4c, 0x89, 0xe4);
	size_t end;

	if (keep == NOWHERE || back == NOWHERE || !x86_64_changes_go_stack(c) ||
	    (!is_framed(c) && FIND(c, 0, 0x48, 0x8d, 0x6c, 0x24) > keep))
		return;
	/* A mark holds for what runs one byte before it. */
	image_add_switch(im, c->vaddr + keep + 1, c->vaddr + back + 4, rule);
	end = FIND(c, back, 0x48, 0x83, 0xc4, ANY, 0xc3);
	end = end == NOWHERE ? FIND(c, back, 0x5d, 0xc3) : end + 3;
	if (end != NOWHERE)
		image_add_switch(im, c->vaddr + end + 3, c->vaddr + c->len, rule);
}
