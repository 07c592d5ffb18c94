// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_unwind_aarch64.c - stacks of AArch64, unwound wherever this runs:
 * tests/data/unwind/aarch64-*.bin, which tests/unwind/aarch64/record.py has made, are all the
 * states of a program that was stepped through, and who had called whom by then.
 */
#include "config.h"

#include "base/cleanup.h"
#include "tests/unit/cmocka_all.h"
#include "unwind/unwind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MACHINE 183u             /* EM_AARCH64 */
#define REGS 33u
#define LINK 30u
#define SP 31u
#define PC 32u
#define FILE_MAX (1u << 20)
#define WORDS_MAX 8192u
#define FRAMES_MAX 64u

/* A file, and what is known after the states so far. */
struct tape {
	uint8_t *bytes;
	const uint8_t *elf;      /* in them */
	size_t size, at;
	struct image *image;
	uint64_t start, end, pgoff;
	uint32_t states;
	struct word {
		uint64_t addr, value;
	} word[WORDS_MAX];
	size_t nr_words;
	struct unwind_input in;
	uint64_t stack[RAW_SEGMENTS_MAX][2048];
	uint32_t nr_frames;
	uint64_t frame[FRAMES_MAX];
};

static struct chain chain;

static void take(struct tape *t, void *dst, size_t n)
{
	assert_true(n <= t->size - t->at);
	memcpy(dst, t->bytes + t->at, n);
	t->at += n;
}

static uint32_t take_u32(struct tape *t)
{
	uint32_t v;

	take(t, &v, sizeof(v));
	return v;
}

static uint64_t take_u64(struct tape *t)
{
	uint64_t v;

	take(t, &v, sizeof(v));
	return v;
}

static struct tape *tape_open(const char *name)
{
	struct tape *t = calloc(1, sizeof(*t));
	AUTO_FILE FILE *f = NULL;
	char path[4096], magic[4];
	uint32_t elf;

	assert_non_null(t);
	snprintf(path, sizeof(path), "%s/tests/data/unwind/%s",
		 getenv("top_srcdir") ? getenv("top_srcdir") : ".", name);
	f = fopen(path, "re");
	assert_non_null(f);
	t->bytes = malloc(FILE_MAX);
	assert_non_null(t->bytes);
	t->size = fread(t->bytes, 1, FILE_MAX, f);
	take(t, magic, sizeof(magic));
	assert_memory_equal(magic, "SBFX", 4);
	elf = take_u32(t);
	assert_true(elf <= t->size - t->at);
	assert_int_equal(image_from_memory(t->bytes + t->at, elf, &t->image, NULL), 0);
	t->elf = t->bytes + t->at;
	t->at += elf;
	t->start = take_u64(t);
	t->end = take_u64(t);
	t->pgoff = take_u64(t);
	t->states = take_u32(t);
	t->in.machine = MACHINE;
	t->in.nr_regs = REGS;
	return t;
}

static void tape_close(struct tape *t)
{
	image_free(t->image);
	free(t->bytes);
	free(t);
}

static uint64_t *word_at(struct tape *t, uint64_t addr)
{
	for (size_t i = 0; i < t->nr_words; i++)
		if (t->word[i].addr == addr)
			return &t->word[i].value;
	assert_true(t->nr_words < WORDS_MAX);
	t->word[t->nr_words] = (struct word){ .addr = addr };
	return &t->word[t->nr_words++].value;
}

static void read_segment(struct tape *t, uint32_t i)
{
	struct raw_segment *s = &t->in.segment[i];

	*s = (struct raw_segment){ .addr = take_u64(t), .bytes = (const uint8_t *)t->stack[i] };
	s->len = s->want = take_u32(t);
	s->interrupted = take_u32(t);
	assert_true(s->len <= sizeof(t->stack[i]) && s->len % 8 == 0);
	for (uint32_t k = 0; k < s->len / 8; k++)
		t->stack[i][k] = *word_at(t, s->addr + 8ull * k);
}

/* Goes on to the next state. */
static void tape_next(struct tape *t)
{
	const uint64_t changed = take_u64(t);

	for (unsigned int i = 0; i < REGS; i++)
		if (changed & 1ull << i)
			t->in.regs[i] = take_u64(t);
	for (uint32_t left = take_u32(t); left; left--) {
		const uint64_t addr = take_u64(t);

		*word_at(t, addr) = take_u64(t);
	}
	t->in.nr_segments = take_u32(t);
	assert_true(t->in.nr_segments <= RAW_SEGMENTS_MAX);
	for (uint32_t i = 0; i < t->in.nr_segments; i++)
		read_segment(t, i);
	t->nr_frames = take_u32(t);
	assert_true(t->nr_frames && t->nr_frames <= FRAMES_MAX);
	for (uint32_t i = 0; i < t->nr_frames; i++)
		t->frame[i] = take_u64(t);
}

static bool find(void *ctx, uint64_t pc, struct unwind_map *ret)
{
	const struct tape *t = ctx;

	if (pc < t->start || pc >= t->end)
		return false;
	*ret = (struct unwind_map){ .start = t->start, .end = t->end, .pgoff = t->pgoff, .module = 1,
				    .state = MAP_READY, .image = t->image };
	return true;
}

static void walk(struct unwinder *u, struct tape *t)
{
	const struct unwind_space space = { .find = find, .ctx = t };

	unwind_sample(u, &space, &t->in, &chain);
}

/* Are the frames of the chain, all of which it has, those that the tape tells? */
static void assert_frames(const struct tape *t, uint32_t state)
{
	for (uint32_t i = 0; i < chain.n && i < t->nr_frames; i++) {
		/* A return address is looked up at the byte before. */
		const uint64_t addr = t->frame[i] % 2 ? t->frame[i] - 2 : t->frame[i];

		if (chain.frame[i].offset != addr - t->start + t->pgoff)
			fail_msg("state %u, at %#lx: frame %u is at %#lx, not %#lx", state,
				 (unsigned long)t->in.regs[PC], i,
				 (unsigned long)(chain.frame[i].offset + t->start - t->pgoff), (unsigned long)addr);
	}
}

/*
 * At every instruction of the file NAME. Returns in how many of the states the return address is
 * signed, in x30 or on the stack.
 */
static unsigned int every_state(const char *name, struct unwind_stats *ret)
{
	AUTO(unwinder_free) struct unwinder *u = unwinder_new();
	struct tape *t = tape_open(name);
	unsigned int is_signed = 0;

	assert_non_null(u);
	for (uint32_t i = 0; i < t->states; i++) {
		tape_next(t);
		walk(u, t);
		assert_frames(t, i);
		if (chain.cut != CUT_COMPLETE || chain.n != t->nr_frames || chain.method != METHOD_CFI)
			fail_msg("state %u, at %#lx: %u frames of %u, cut %d, method %d", i,
				 (unsigned long)t->in.regs[PC], chain.n, t->nr_frames, chain.cut, chain.method);
		is_signed += t->in.regs[LINK] >> 48 != 0;
	}
	assert_int_equal(t->at, t->size);
	unwinder_stats(u, ret);
	tape_close(t);
	return is_signed;
}

static void test_every_instruction(void **state)
{
	struct unwind_stats st;

	assert_int_equal(every_state("aarch64-plain.bin", &st), 0);
	/* What by_expression() needs the complete evaluator for, which comes to its callers as well. */
	assert_true(st.slow_frames > 0 && st.slow_frames < st.frames / 20);
	assert_int_equal(st.fp_frames, 0);
}

static void test_signed(void **state)
{
	struct unwind_stats st;

	assert_true(every_state("aarch64-pac.bin", &st) > 50);
	assert_true(st.slow_frames > 0);
}

/* The same rows in .debug_frame, and no others. */
static void test_debug_frame(void **state)
{
	struct unwind_stats st;

	assert_int_equal(every_state("aarch64-debug.bin", &st), 0);
}

/*
 * However few bytes of the stack there are, what is told is the beginning of the true chain, and
 * why it ends.
 */
static void test_short(void **state)
{
	AUTO(unwinder_free) struct unwinder *u = unwinder_new();
	struct tape *t = tape_open("aarch64-pac.bin");
	unsigned int cut = 0;

	assert_non_null(u);
	for (uint32_t i = 0; i < t->states; i++) {
		tape_next(t);
		for (uint32_t len = t->in.segment[0].len; len >= 32; len -= 32) {
			t->in.segment[0].len = len - 32;
			walk(u, t);
			assert_frames(t, i);
			assert_true(chain.n <= t->nr_frames && chain.n > 0);
			if (chain.cut == CUT_COMPLETE) {
				assert_int_equal(chain.n, t->nr_frames);
				continue;
			}
			assert_int_equal(chain.cut, CUT_STACK_SIZE);
			cut++;
		}
	}
	assert_true(cut > 100);
	tape_close(t);
}

/* x30 is the caller's only where something runs: it is not believed of a frame that has called another. */
static void test_link_of_caller(void **state)
{
	AUTO(unwinder_free) struct unwinder *u = unwinder_new();
	struct tape *t = tape_open("aarch64-plain.bin");
	unsigned int leaves = 0;

	assert_non_null(u);
	for (uint32_t i = 0; i < t->states; i++) {
		const uint64_t link = t->in.regs[LINK];

		tape_next(t);
		/* A leaf, at its second instruction: as if it had called itself. */
		if (t->in.regs[LINK] != link || t->in.regs[LINK] + 1 != t->frame[1] ||
		    t->in.regs[SP] != t->in.segment[0].addr)
			continue;
		t->in.regs[LINK] = t->in.regs[PC];
		walk(u, t);
		t->in.regs[LINK] = link;
		if (chain.n > 2 || chain.cut != CUT_BAD_FRAME)
			continue;
		assert_int_equal(chain.n, 2);
		leaves++;
	}
	assert_true(leaves > 10);
	tape_close(t);
}

/* In the system call by which a handler ends, the place is behind the two instructions that it returns to. */
static void test_in_sigreturn(void **state)
{
	AUTO(unwinder_free) struct unwinder *u = unwinder_new();
	struct tape *t = tape_open("aarch64-plain.bin");
	const uint64_t code = 0xd4000001d2801168;        /* mov x8, #139; svc #0 */
	unsigned int seen = 0;

	assert_non_null(u);
	for (uint32_t i = 0; i < t->states; i++) {
		tape_next(t);
		if (memcmp(t->elf + (t->in.regs[PC] - 4 - t->start + t->pgoff), &code, sizeof(code)) != 0)
			continue;
		t->in.regs[PC] += 4;
		t->frame[0] += 4;
		walk(u, t);
		assert_frames(t, i);
		assert_int_equal(chain.cut, CUT_COMPLETE);
		assert_int_equal(chain.n, t->nr_frames);
		t->in.regs[PC] -= 4;
		seen++;
	}
	assert_int_equal(seen, 2);
	tape_close(t);
}

/* Registers of another machine do not lead through this one's files, nor do too few of them. */
static void test_other_machine(void **state)
{
	AUTO(unwinder_free) struct unwinder *u = unwinder_new();
	struct tape *t = tape_open("aarch64-plain.bin");

	assert_non_null(u);
	for (int i = 0; i < 40; i++)
		tape_next(t);
	t->in.nr_regs = REGS - 1;
	walk(u, t);
	assert_int_equal(chain.n, 0);
	assert_int_equal(chain.cut, CUT_NO_REGS);
	t->in.nr_regs = REGS;
	t->in.machine = 62;
	t->in.regs[16] = t->in.regs[PC];
	t->in.regs[7] = t->in.regs[SP];
	t->in.regs[6] = t->in.regs[29];
	walk(u, t);
	assert_int_equal(chain.n, 1);
	assert_int_equal(chain.cut, CUT_NO_CFI);
	tape_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_instruction),
		cmocka_unit_test(test_signed),
		cmocka_unit_test(test_debug_frame),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_link_of_caller),
		cmocka_unit_test(test_in_sigreturn),
		cmocka_unit_test(test_other_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
