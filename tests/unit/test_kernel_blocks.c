/* SPDX-License-Identifier: BSD-2-Clause */
/* test_kernel_blocks.c - basic blocks of functions of the kernel, and code that is read as /proc/kcore has it. */
#include "config.h"

#include "probe/leaves.h"
#include "probe/traceable.h"
#include "symbol/kcore.h"

#include "tests/unit/cmocka_all.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BASE 0xffffffff81000000u
#define COLD (BASE + 0x100)
#define THUNK (BASE + 0x200)
#define OTHER (BASE + 0x300)
#define OPTIMISED (BASE + 0x400)         /* where the kernel puts what probes need */
#define UNKNOWN (BASE + 0x500)
#define CALLS_R11 (BASE + 0x580)
#define SIZE 0x600u

static uint8_t memory[SIZE];

static bool read_memory(void *ctx, uint64_t address, void *to, size_t size)
{
	if (address - BASE > SIZE || SIZE - (address - BASE) < size)
		return false;
	memcpy(to, memory + (address - BASE), size);
	return true;
}

static bool find_symbol(void *ctx, uint64_t address, const char **ret_name, uint64_t *ret_start, uint64_t *ret_size)
{
	static const struct {
		uint64_t start, size;
		const char *name;
	} symbols[] = {
		{ BASE, 0x40, "refuses" }, { COLD, 0x10, "refuses.cold" }, { THUNK, 0x10, "__x86_return_thunk" },
		{ OTHER, 0x10, "other" }, { CALLS_R11, 0x10, "__x86_indirect_thunk_r11" },
		{ OPTIMISED, 0x10, "kprobe_optinsn_page" },
	};

	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
		if (address - symbols[i].start < symbols[i].size) {
			*ret_name = symbols[i].name;
			*ret_start = symbols[i].start;
			*ret_size = symbols[i].size;
			return true;
		}
	return false;
}

static const struct leaves_kernel kernel = { read_memory, find_symbol, NULL };

static void put(uint32_t at, const void *bytes, size_t n)
{
	memcpy(memory + at, bytes, n);
}

/* A jump of 5 bytes, OPCODE in front of it, at AT to TO. */
static void put_jump(uint32_t at, uint8_t opcode, uint64_t to)
{
	const int32_t by = (int32_t)(to - (BASE + at + 5));

	memory[at] = opcode;
	memcpy(memory + at + 1, &by, sizeof(by));
}

/*
 * if (!arg) WARN_ON(1), return 0; else if (arg < 0) in the cold part; else if (arg == 1) other(); else return -EINVAL.
 */
static void put_function(void)
{
	memset(memory, 0xcc, sizeof(memory));
	put(0x00, "\x0f\x1f\x44\x00\x00", 5);    /* the place of ftrace */
	put(0x05, "\x85\xff", 2);                /* test edi,edi */
	put(0x07, "\x74\x14", 2);                /* je 1d */
	put(0x09, "\x0f\x88", 2);                /* js COLD */
	put(0x0b, &(int32_t){ (int32_t)(COLD - (BASE + 0x0f)) }, 4);
	put(0x0f, "\x83\xff\x01", 3);            /* cmp edi,1 */
	put(0x12, "\x74\x11", 2);                /* je 25 */
	put(0x14, "\x6a\xea\x58\x90", 4);        /* push -22, pop rax, nop */
	put_jump(0x18, 0xe9, THUNK);
	put(0x1d, "\x0f\x0b", 2);                /* ud2, behind which WARN_ON goes on */
	put(0x1f, "\x31\xc0\xc3", 3);            /* xor eax,eax; ret */
	put_jump(0x25, 0xe9, OTHER);
	put(COLD - BASE, "\x6a\xf3\x58", 3);
	put_jump(COLD - BASE + 3, 0xe9, BASE + 0x18);
}

static const struct code_block *block_at(const code_blocks *all, uint64_t offset)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].vaddr == BASE + offset)
			return &all->v[i];
	fail_msg("no block begins at +0x%lx", (unsigned long)offset);
	return NULL;
}

static void blocks_end_as_the_code_does(void **state)
{
	static const struct {
		uint64_t at, target;
		enum code_end end;
	} want[] = {
		{ 0x00, 0x1d, CODE_CONDITION }, { 0x09, COLD - BASE, CODE_CONDITION }, { 0x0f, 0x25, CODE_CONDITION },
		{ 0x14, 0, CODE_ON }, { 0x18, 0, CODE_RETURN }, { 0x1d, 0, CODE_ON }, { 0x21, 0, CODE_RETURN },
		{ 0x25, 0, CODE_TAIL }, { COLD - BASE, 0x18, CODE_JUMP },
	};
	code_blocks blocks = { 0 };
	struct err e = ERR_INIT;

	put_function();
	assert_int_equal(leaves_kernel_blocks(&kernel, BASE, &blocks, &e), 0);
	assert_int_equal(blocks.n, sizeof(want) / sizeof(want[0]));
	assert_int_equal(blocks.v[0].vaddr, BASE);
	for (size_t i = 0; i < blocks.n; i++) {
		const struct code_block *b = block_at(&blocks, want[i].at);

		assert_int_equal(b->end, want[i].end);
		if (want[i].target)
			assert_int_equal(b->target, BASE + want[i].target);
	}
	/* Not where ftrace writes. */
	assert_int_equal(blocks.v[0].at, 5);
	vec_free(&blocks);
}

/* BUG_ON() at the end of a function: what stands behind it is padding. */
static void traps_end_functions(void **state)
{
	code_blocks blocks = { 0 };
	struct err e = ERR_INIT;

	put_function();
	put(0x25, "\x0f\x0b\xcc\xcc\xcc", 5);
	assert_int_equal(leaves_kernel_blocks(&kernel, BASE, &blocks, &e), 0);
	assert_int_equal(block_at(&blocks, 0x25)->end, CODE_END);
	vec_free(&blocks);
}

static int result(struct err *e)
{
	code_blocks blocks = { 0 };
	const int r = leaves_kernel_blocks(&kernel, BASE, &blocks, e);

	assert_true(!r || !blocks.n);
	vec_free(&blocks);
	return r;
}

static void probes_of_others_are_seen(void **state)
{
	struct err e = ERR_INIT;

	put_function();
	memory[0x14] = 0xcc;
	memory[0x0f] = 0xcc;
	assert_int_equal(result(&e), -EBUSY);
	assert_string_equal(e.text, "somebody else probes an instruction of it (at 0xffffffff8100000f)");
	/* A jump to what stands in place of the instruction. */
	put_function();
	put_jump(0x0f, 0xe9, OPTIMISED);
	assert_int_equal(result(&e), -EBUSY);
	put_function();
	put_jump(0x0f, 0xe9, UNKNOWN);
	assert_int_equal(result(&e), -EBUSY);
}

static void what_is_not_understood_is_refused(void **state)
{
	struct err e = ERR_INIT;
	code_blocks blocks = { 0 };

	put_function();
	put(0x09, "\x0f\x88", 2);
	put(0x0b, &(int32_t){ (int32_t)(OTHER - (BASE + 0x0f)) }, 4);
	assert_int_equal(result(&e), -EOPNOTSUPP);
	memset(memory, 0xcc, sizeof(memory));
	assert_int_equal(result(&e), -EOPNOTSUPP);
	assert_string_equal(e.text,
			    "it is no longer there: it was for the start of the kernel (at 0xffffffff81000000)");
	/* Into an instruction. */
	put_function();
	put(0x12, "\x74\x0c", 2);
	assert_int_equal(result(&e), -EOPNOTSUPP);
	assert_int_equal(leaves_kernel_blocks(&kernel, BASE + 1, &blocks, &e), -EOPNOTSUPP);
	assert_int_equal(leaves_kernel_blocks(&kernel, UNKNOWN, &blocks, &e), -EOPNOTSUPP);
}

struct targets {
	unsigned int n;
	uint64_t at[8];
	unsigned int pointers;
	uint64_t by[8];
	uint8_t reg[8];
};

static void note_target(void *ctx, uint64_t target)
{
	struct targets *t = ctx;

	assert_true(t->n < 8);
	t->at[t->n++] = target;
}

static void note_pointer(void *ctx, uint64_t address, uint8_t reg)
{
	struct targets *t = ctx;

	assert_true(t->pointers < 8);
	t->reg[t->pointers] = reg;
	t->by[t->pointers++] = address;
}

/* As the kernel is compiled, by the code that calls for others, and as it makes of that what it can call itself. */
static void calls_by_pointers_are_found(void **state)
{
	struct targets t = { 0 };
	const struct leaves_calls to = { note_target, note_pointer, &t };

	put_function();
	put_jump(0x05, 0xe8, CALLS_R11);
	put(0x0a, "\xff\xd0\x41\xff\xd2", 5);  /* call rax; call r10 */
	put(0x0f, "\xff\x10\x90", 3);           /* call [rax]: by no register */
	put(0x12, "\x90\x90", 2);
	put_jump(0x25, 0xe9, CALLS_R11);
	put_jump(0x14, 0xe8, OTHER);
	memset(memory + 0x19, 0x90, 4);
	put(COLD - BASE, "\xff\xe2", 2);         /* jmp rdx, not from the function */
	leaves_kernel_calls(&kernel, BASE, &to);
	assert_int_equal(t.n, 1);
	assert_int_equal(t.pointers, 4);
	assert_true(t.by[0] == BASE + 0x05 && t.reg[0] == 11);
	assert_true(t.by[1] == BASE + 0x0a && t.reg[1] == 0);
	assert_true(t.by[2] == BASE + 0x0c && t.reg[2] == 10);
	assert_true(t.by[3] == BASE + 0x25 && t.reg[3] == 11);
}

static void calls_are_found(void **state)
{
	struct targets t = { 0 };
	const struct leaves_calls to = { .each = note_target, .ctx = &t };

	/* A call and a tail call of the body, and a call of its cold part. */
	put_function();
	put_jump(0x14, 0xe8, UNKNOWN);
	memset(memory + 0x19, 0x90, 4);
	put_jump(COLD - BASE, 0xe8, OTHER);
	put_jump(COLD - BASE + 5, 0xe9, BASE + 0x1f);
	leaves_kernel_calls(&kernel, BASE, &to);
	assert_int_equal(t.n, 3);
	assert_true(t.at[0] == UNKNOWN && t.at[1] == OTHER && t.at[2] == OTHER);
	t.n = 0;
	leaves_kernel_calls(&kernel, UNKNOWN, &to);
	assert_int_equal(t.n, 0);
}

static void names_of_what_can_be_traced(void **state)
{
	char path[] = "/tmp/test_traceable.XXXXXX";
	const char text[] = "vfs_read\nnft_do_chain [nf_tables]\n\nabsent_newline";
	const int fd = mkstemp(path);
	struct traceable *t = NULL;
	struct err e = ERR_INIT;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	assert_int_equal(traceable_read(path, &t, &e), 0);
	assert_true(traceable_has(t, "vfs_read") && traceable_has(t, "nft_do_chain") &&
		    traceable_has(t, "absent_newline"));
	assert_false(traceable_has(t, "vfs_rea") || traceable_has(t, "nf_tables"));
	traceable_free(t);
	close(fd);
	unlink(path);
	assert_int_equal(traceable_read(path, &t, &e), -ENOENT);
}

static void code_is_read_by_its_address(void **state)
{
	const Elf64_Ehdr eh = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_phnum = 3,
		.e_phoff = sizeof(eh), .e_phentsize = sizeof(Elf64_Phdr),
	};
	const Elf64_Phdr ph[3] = {
		{ .p_type = PT_NOTE, .p_offset = 0, .p_vaddr = BASE, .p_filesz = 0x1000 },
		{ .p_type = PT_LOAD, .p_offset = 0x1000, .p_vaddr = BASE, .p_filesz = 4 },
		{ .p_type = PT_LOAD, .p_offset = UINT64_MAX - 1, .p_vaddr = UNKNOWN, .p_filesz = UINT64_MAX },
	};
	char path[] = "/tmp/test_kcore.XXXXXX", to[8];
	const int fd = mkstemp(path);
	struct kcore *k = NULL;
	struct err e = ERR_INIT;

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "text", 4, 0x1000), 4);
	assert_int_equal(kcore_open(path, &k, &e), -ENOEXEC);
	assert_int_equal(pwrite(fd, &eh, sizeof(eh), 0), sizeof(eh));
	assert_int_equal(pwrite(fd, ph, sizeof(ph), sizeof(eh)), sizeof(ph));
	assert_int_equal(kcore_open(path, &k, &e), 0);
	assert_true(kcore_read(k, BASE + 1, to, 3));
	assert_memory_equal(to, "ext", 3);
	assert_false(kcore_read(k, BASE + 1, to, 4));
	assert_false(kcore_read(k, BASE - 1, to, 1));
	assert_false(kcore_read(k, UNKNOWN, to, 8));
	kcore_free(k);
	assert_int_equal(ftruncate(fd, sizeof(eh) + 8), 0);
	assert_int_equal(kcore_open(path, &k, &e), -ENOEXEC);
	close(fd);
	unlink(path);
	assert_int_equal(kcore_open(path, &k, &e), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_end_as_the_code_does),
		cmocka_unit_test(traps_end_functions),
		cmocka_unit_test(probes_of_others_are_seen),
		cmocka_unit_test(what_is_not_understood_is_refused),
		cmocka_unit_test(calls_are_found),
		cmocka_unit_test(calls_by_pointers_are_found),
		cmocka_unit_test(names_of_what_can_be_traced),
		cmocka_unit_test(code_is_read_by_its_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
