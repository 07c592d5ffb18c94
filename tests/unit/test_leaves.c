/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_leaves.c - where functions are left: of all functions of libraries of the system, beside capstone. A place
 * that is no instruction would end the program, and at one that is missing calls would not end.
 */
#include "config.h"

#include "probe/leaves.h"
#include "probe/unreturning.h"

#include "tests/unit/cmocka_all.h"

#include <capstone/capstone.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIB "/usr/lib/x86_64-linux-gnu/"

struct library {
	int fd;
	struct elf_file *file;
	struct functions *functions;
	struct image *image;
	struct fde_starts *pieces;
	csh cs;
	cs_insn *insn;
	size_t followed, refused, cold, blocks;
};

static bool open_library(const char *path, struct library *l)
{
	*l = (struct library){ .fd = open(path, O_RDONLY | O_CLOEXEC) };
	if (l->fd < 0)
		return false;
	assert_int_equal(elf_file_open(l->fd, &l->file, NULL), 0);
	assert_int_equal(functions_new(l->file, NULL, &l->functions, NULL), 0);
	assert_int_equal(image_open(l->fd, &l->image, NULL), 0);
	l->pieces = fde_starts_new(l->file);
	assert_non_null(l->pieces);
	assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &l->cs), CS_ERR_OK);
	cs_option(l->cs, CS_OPT_DETAIL, CS_OPT_ON);
	l->insn = cs_malloc(l->cs);
	return true;
}

static void close_library(struct library *l)
{
	cs_free(l->insn, 1);
	cs_close(&l->cs);
	image_free(l->image);
	fde_starts_free(l->pieces);
	functions_free(l->functions);
	elf_file_free(l->file);
	close(l->fd);
}

static const struct leave *leave_at(const leaves *all, uint64_t offset)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].offset == offset)
			return &all->v[i];
	return NULL;
}

static bool is_return(const struct library *l)
{
	return cs_insn_group(l->cs, l->insn, CS_GRP_RET);
}

static bool is_indirect(const struct library *l)
{
	return l->insn->id == X86_INS_JMP && l->insn->detail->x86.operands[0].type != X86_OP_IMM;
}

/* Whether the instruction at hand, of F, jumps out of it, and not into its unlikely part. */
static bool is_way_out(const struct library *l, const struct found_function *f)
{
	const uint64_t to = (uint64_t)l->insn->detail->x86.operands[0].imm;
	struct function_part cold;

	return l->insn->id == X86_INS_JMP && !is_indirect(l) && (to <= f->vaddr || to - f->vaddr >= f->size) &&
		!functions_cold_part(l->functions, f->start, to, &cold);
}

/* Whether the jump at hand goes to a piece of code without a symbol: part of a function, or one itself. */
static bool is_unnamed(const struct library *l)
{
	struct fde_start piece;

	return fde_starts_find(l->pieces, (uint64_t)l->insn->detail->x86.operands[0].imm, &piece) &&
		!functions_begin_in(l->functions, piece.start, piece.size);
}

/* The body of F beside capstone: LEFT has what returns and jumps out, and nothing else of it. */
static void check_body(struct library *l, const struct found_function *f, const leaves *left)
{
	uint8_t *bytes = elf_file_dup(l->file, f->offset, f->size, SIZE_MAX);
	const uint8_t *at = bytes;
	size_t len = (size_t)f->size, known = 0, inside = 0;
	uint64_t address = f->vaddr;

	assert_non_null(bytes);
	while (cs_disasm_iter(l->cs, &at, &len, &address, l->insn)) {
		const struct leave *have = leave_at(left, l->insn->address - f->vaddr + f->offset);

		if (is_return(l)       ? !have || have->jumps
		    : is_way_out(l, f) ? have ? !have->jumps : !is_unnamed(l)
				       : have && !is_indirect(l))
			fail_msg("%s: %s %s at +0x%lx", f->symbol, l->insn->mnemonic, l->insn->op_str,
				 (unsigned long)(l->insn->address - f->vaddr));
		known += have != NULL;
	}
	/* capstone 4 does not know all vector instructions. */
	for (size_t i = 0; i < left->n && !len; i++)
		inside += left->v[i].offset - f->offset < f->size;
	if (!len)
		assert_int_equal(known, inside);
	free(bytes);
}

/* What is left in parts elsewhere is left by instructions that can. */
static void check_cold(struct library *l, const struct found_function *f, const leaves *left)
{
	for (size_t i = 0; i < left->n; i++) {
		uint8_t bytes[15];
		const uint8_t *at = bytes;
		size_t len = sizeof(bytes);
		uint64_t address = 0;

		if (left->v[i].offset - f->offset < f->size)
			continue;
		l->cold++;
		assert_true(elf_file_read(l->file, left->v[i].offset, bytes, len));
		assert_true(cs_disasm_iter(l->cs, &at, &len, &address, l->insn));
		assert_true(left->v[i].jumps ? l->insn->id == X86_INS_JMP : is_return(l));
	}
}

static const struct code_block *block_at(const code_blocks *all, uint64_t vaddr)
{
	for (size_t i = 0; i < all->n; i++)
		if (vaddr - all->v[i].vaddr < all->v[i].size)
			return &all->v[i];
	return NULL;
}

/*
 * The blocks of F beside capstone: probes stand at instructions, each jump is the last one of its block, and leads to
 * the begin of another one.
 */
static void check_blocks(struct library *l, const struct found_function *f, const leaves *left)
{
	uint8_t *bytes = elf_file_dup(l->file, f->offset, f->size, SIZE_MAX);
	const uint8_t *at = bytes;
	size_t len = (size_t)f->size, inside = 0, places = 0;
	uint64_t address = f->vaddr;
	code_blocks all = { 0 };

	assert_non_null(bytes);
	assert_int_equal(leaves_blocks(l->file, l->functions, f, l->image, l->pieces, &all, NULL), 0);
	assert_int_equal(all.v[0].vaddr, f->vaddr);
	while (cs_disasm_iter(l->cs, &at, &len, &address, l->insn)) {
		const struct code_block *b = block_at(&all, l->insn->address);
		const bool jumps = cs_insn_group(l->cs, l->insn, CS_GRP_JUMP) && l->insn->id != X86_INS_XBEGIN;
		const uint64_t to = jumps && !is_indirect(l) ? (uint64_t)l->insn->detail->x86.operands[0].imm : 0;

		places += b && b->vaddr + b->at == l->insn->address;
		if (b && jumps && b->vaddr + b->last != l->insn->address)
			fail_msg("%s: a jump at 0x%lx is within a block", f->symbol, (unsigned long)l->insn->address);
		if (b && to && b->end == CODE_CONDITION && (b->target != to || !block_at(&all, to)))
			fail_msg("%s: the jump at 0x%lx leads to no block", f->symbol, (unsigned long)l->insn->address);
		if (leave_at(left, l->insn->address - f->vaddr + f->offset))
			assert_true(b && b->vaddr == l->insn->address &&
				    (b->end == CODE_RETURN || b->end == CODE_TAIL));
	}
	for (size_t i = 0; i < all.n; i++)
		inside += all.v[i].vaddr - f->vaddr < f->size;
	if (!len)
		assert_int_equal(places, inside);
	l->blocks += all.n;
	vec_free(&all);
	free(bytes);
}

static void check_function(struct library *l, const struct found_function *f)
{
	struct err e = ERR_INIT;
	leaves left = { 0 };
	const int r = leaves_find(l->file, l->functions, f, l->image, l->pieces, &left, &e);

	if (r) {
		assert_int_equal(r, -EOPNOTSUPP);
		assert_true(!left.n && !strncmp(e.text, f->size ? "" : "its size", f->size ? 0 : 8));
		if (getenv("LEAVES_VERBOSE"))
			print_message("%s: %s\n", f->symbol, e.text);
		l->refused++;
		return;
	}
	l->followed++;
	check_body(l, f, &left);
	check_cold(l, f, &left);
	check_blocks(l, f, &left);
	vec_free(&left);
}

static void check_library(const char *path, unsigned int percent)
{
	const struct spec_point all = { .kind = PROBE_ENTRY, .match = SPEC_ANY };
	found_functions found = { 0 };
	struct library l;

	if (!open_library(path, &l))
		skip();
	assert_true(find_functions(l.functions, &all, &found, NULL) > 100);
	for (size_t i = 0; i < found.n; i++)
		check_function(&l, &found.v[i]);
	print_message("%s: %zu functions are followed, %zu are not; %zu places are elsewhere; %zu blocks\n", path,
		      l.followed, l.refused, l.cold, l.blocks);
	assert_true(l.followed * 100 >= (l.followed + l.refused) * percent);
	vec_free(&found);
	close_library(&l);
}

static void functions_of_cpp(void **state)
{
	check_library(LIB "libstdc++.so.6", 95);
}

static void functions_of_c(void **state)
{
	check_library(LIB "libc.so.6", 50);
}

/* The test itself has symbols of its unlikely parts. */
static void functions_of_this_program(void **state)
{
	check_library("/proc/self/exe", 80);
}

/* Of the C library those that call back; of other files any. */
static void functions_that_exceptions_may_pass(void **state)
{
	assert_true(unreturning_caller("/usr/lib/libc.so.6", "qsort"));
	assert_true(unreturning_caller("/usr/lib/libc.so.6", "__qsort_r"));
	assert_true(unreturning_caller("/usr/lib/libc.so.6", "msort_with_tmp.part.0"));
	assert_false(unreturning_caller("/usr/lib/libc.so.6", "malloc"));
	assert_false(unreturning_caller("/lib64/ld-linux-x86-64.so.2", "__tls_get_addr"));
	assert_true(unreturning_caller("/usr/lib/libcurl.so.4", "malloc"));
	assert_true(unreturning_library("/usr/lib/libstdc++.so.6.0.30"));
	assert_true(unreturning_library("libgcc_s.so.1"));
	assert_false(unreturning_library("/usr/lib/libc.so.6"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_cpp),
		cmocka_unit_test(functions_of_c),
		cmocka_unit_test(functions_that_exceptions_may_pass),
		cmocka_unit_test(functions_of_this_program),
	};

	return cmocka_run_group_tests_name("leaves", tests, NULL, NULL);
}
