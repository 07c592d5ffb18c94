/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_unwind_rows.c - every row of some system libraries: what the remembered rule does to
 * registers and a random stack is what the complete evaluator, which asks libdw and knows no rules,
 * does to the same.
 */
#include "config.h"

#include "base/hash.h"
#include "tests/unit/cmocka_all.h"
#include "unwind/walk.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define NR_REGS 17
#define REG_SP 7
#define REG_PC 16
#define STACK 0x7f0000000000u
#define STACK_SIZE 32768u
#define SP_AT 8192u              /* bytes of the stack below sp and at least as many above the frames */
#define BASE 0x10000000u
#define ROWS_MAX 300000u         /* of one file: enough for all of a libc or libcrypto */

static const char *const files[] = {
	"/proc/self/exe", "/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6", "/usr/lib/libc.so.6",
	"/lib64/ld-linux-x86-64.so.2", "/usr/lib/x86_64-linux-gnu/libcrypto.so.3", "/usr/lib64/libcrypto.so.3",
	"/usr/lib/libcrypto.so.3", "/usr/bin/python3", "/usr/lib/x86_64-linux-gnu/libdw.so.1", "/usr/lib64/libdw.so.1",
};

struct file {
	struct image *im;
	uint64_t size;
};

struct figures {
	unsigned long rows, compared, slow, ends, signals;
};

static struct chain chain;
static uint64_t stack[STACK_SIZE / 8];

static bool find(void *ctx, uint64_t pc, struct unwind_map *ret)
{
	const struct file *f = ctx;

	if (pc < BASE || pc >= BASE + f->size)
		return false;
	*ret = (struct unwind_map){ .start = BASE, .end = BASE + f->size, .module = 1, .state = MAP_READY,
				    .image = f->im };
	return true;
}

/*
 * Every word of the stack is an address in the stack, so that memory can be followed; it has the
 * alignment of the ABI.
 */
static void fill_stack(void)
{
	for (size_t i = 0; i < STACK_SIZE / 8; i++)
		stack[i] = STACK + SP_AT + 16 * (hash_u64(i) % 1024);
}

static struct unwind_input sample_at(uint64_t pc)
{
	struct unwind_input s = { .machine = EM_X86_64, .nr_regs = NR_REGS, .nr_segments = 1 };

	for (int i = 0; i < NR_REGS; i++)
		s.regs[i] = STACK + SP_AT + 16 * (hash_2u64(pc, (uint64_t)i) % 1024);
	s.regs[REG_SP] = STACK + SP_AT;
	s.regs[REG_PC] = pc;
	s.segment[0] = (struct raw_segment){ .addr = STACK, .len = STACK_SIZE, .bytes = (const uint8_t *)stack };
	return s;
}

/* False when the fast walk refused these registers: a CFA that is not above sp. */
static bool compare(struct unwinder *u, struct file *f, uint64_t pc, enum rule_kind kind)
{
	struct unwind_space space = { .find = find, .ctx = f };
	struct unwind_input s = sample_at(pc);
	struct walk fast, slow;
	enum step a, b;

	walk_begin(&fast, u, &space, &s, &chain);
	a = walk_frame(&fast);
	walk_begin(&slow, u, &space, &s, &chain);
	chain.n = 1;
	b = slow_step(&slow);
	if (a == STEP_CUT)
		return false;
	if (b != STEP_OK || fast.pc != slow.pc || fast.sp != slow.sp || fast.bp != slow.bp)
		fail_msg("offset %llx, rule %d: rule %llx %llx %llx, row %llx %llx %llx",
			 (unsigned long long)(pc - BASE), kind,
			 (unsigned long long)fast.pc, (unsigned long long)fast.sp, (unsigned long long)fast.bp,
			 (unsigned long long)slow.pc, (unsigned long long)slow.sp, (unsigned long long)slow.bp);
	return true;
}

static void count_row(struct unwinder *u, struct file *f, uint64_t offset, struct figures *fig)
{
	struct unwind_space space = { .find = find, .ctx = f };
	struct unwind_input s = sample_at(BASE + offset);
	struct unwind_map m;
	struct walk w;
	enum rule_kind kind;

	walk_begin(&w, u, &space, &s, &chain);
	assert_true(find(f, BASE + offset, &m));
	kind = walk_rule(&w, &m, offset).kind;
	fig->rows++;
	fig->slow += kind == RULE_SLOW;
	fig->ends += kind == RULE_END;
	fig->signals += kind == RULE_SIGNAL;
	assert_int_not_equal(kind, RULE_BAD);
	if (kind <= RULE_DRAP)
		fig->compared += compare(u, f, BASE + offset, kind);
}

static void all_rows(struct unwinder *u, struct file *f, struct figures *fig)
{
	for (uint32_t i = 0; i < f->im->nr_loads; i++) {
		const struct image_load *l = &f->im->loads[i];
		uint64_t at = l->vaddr, end = l->vaddr + l->filesz;

		while (l->exec && at < end && fig->rows < ROWS_MAX) {
			AUTO_FREE Dwarf_Frame *row = image_row(f->im, at);
			Dwarf_Addr from, to;

			if (!row) {
				at++;
				continue;
			}
			assert_int_equal(dwarf_frame_info(row, &from, &to, NULL), REG_PC);
			count_row(u, f, at - l->vaddr + l->offset, fig);
			at = to > at ? to : at + 1;
		}
	}
}

static void test_rows(void **state)
{
	unsigned int seen = 0;

	fill_stack();
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		AUTO_FD int fd = open(files[i], O_RDONLY | O_CLOEXEC);
		AUTO(image_free) struct image *im = NULL;
		AUTO(unwinder_free) struct unwinder *u = unwinder_new();
		struct figures fig = { 0 };
		struct file f = { 0 };
		struct stat st;

		if (fd < 0 || fstat(fd, &st) < 0 || image_open(fd, &im, NULL) < 0)
			continue;
		f = (struct file){ im, (uint64_t)st.st_size };
		all_rows(u, &f, &fig);
		printf("%s: %lu rows, %lu compared, %lu without a rule, %lu ends, %lu signal frames, %zu bytes "
		       "held of %llu\n",
		       files[i], fig.rows, fig.compared, fig.slow, fig.ends, fig.signals, image_bytes(im),
		       (unsigned long long)st.st_size);
		assert_true(fig.rows > 0);
		assert_true(fig.slow * 20 < fig.rows);
		assert_true(fig.compared * 20 > fig.rows * 19);
		seen++;
	}
	assert_true(seen >= 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
