/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_site.c - the cheapest place of a probe: of code by hand, and of the allocators of Debian 12,
 * whose places were timed and counted. Another version of a library is another table: it is skipped.
 */
#include "config.h"

#include "probe/site_arch.h"

#include "model/machine.h"
#include "tests/unit/cmocka_all.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LIB "/usr/lib/x86_64-linux-gnu/"
struct golden {
	const char *function;
	uint8_t args;
	uint32_t behind;
	enum site_insn insn;
};

struct golden_library {
	const char *path, *build_id; /* the first bytes of it, in hexadecimal */
	struct golden functions[16];
};

static const struct golden_library libraries[] = {
	{ LIB "libc.so.6",
	  "93ac61ec",
	  { { "malloc", 1, 0, SITE_PUSH },
	    { "calloc", 3, 0, SITE_PUSH },
	    { "realloc", 3, 0, SITE_PUSH },
	    { "free", 1, 3, SITE_BRANCH },
	    { "memalign", 3, 7, SITE_BRANCH },
	    { "aligned_alloc", 3, 7, SITE_BRANCH },
	    { "posix_memalign", 7, 7, SITE_PUSH } } },
	{ LIB "libjemalloc.so.2",
	  "1d5163c2",
	  { { "malloc", 1, 7, SITE_BRANCH },
	    { "calloc", 3, 0, SITE_PUSH },
	    { "realloc", 3, 0, SITE_PUSH },
	    { "memalign", 3, 0, SITE_PUSH },
	    { "posix_memalign", 7, 0, SITE_PUSH },
	    { "free", 1, 48, SITE_BRANCH },
	    { "_Znwm", 1, 7, SITE_BRANCH },
	    { "_ZdlPv", 1, 0, SITE_JUMP },
	    { "_ZdlPvm", 3, 3, SITE_BRANCH } } },
	{ LIB "libtcmalloc_minimal.so.4",
	  "39dfd4a5",
	  { { "malloc", 1, 10, SITE_BRANCH },
	    { "free", 1, 10, SITE_BRANCH },
	    { "_Znwm", 1, 10, SITE_BRANCH },
	    { "_ZdlPv", 1, 10, SITE_BRANCH },
	    { "_ZdlPvm", 3, 10, SITE_BRANCH },
	    { "memalign", 3, 10, SITE_BRANCH },
	    { "aligned_alloc", 3, 10, SITE_BRANCH },
	    { "posix_memalign", 7, 11, SITE_BRANCH },
	    { "calloc", 3, 0, SITE_PUSH },
	    { "realloc", 3, 0, SITE_PUSH } } },
	{ LIB "libmimalloc.so.2.0",
	  "d07f4e7d",
	  { { "posix_memalign", 7, 0, SITE_JUMP },
	    { "aligned_alloc", 3, 0, SITE_JUMP },
	    { "_ZdlPvm", 3, 0, SITE_JUMP },
	    { "_Znwm", 1, 0, SITE_PUSH },
	    { "free", 1, 6, SITE_BRANCH },
	    { "_ZdlPv", 1, 6, SITE_BRANCH } } },
	{ LIB "libstdc++.so.6", "289ee39f", { { "_Znwm", 1, 12, SITE_PUSH }, { "_ZdlPv", 1, 4, SITE_JUMP } } },
};

struct library {
	int fd;
	struct elf_file *file;
	struct functions *functions;
	struct image *image;
};

static bool open_library(const char *path, struct library *l)
{
	*l = (struct library){ .fd = open(path, O_RDONLY | O_CLOEXEC) };
	if (l->fd < 0)
		return false;
	assert_int_equal(elf_file_open(l->fd, &l->file, NULL), 0);
	assert_int_equal(functions_new(l->file, NULL, &l->functions, NULL), 0);
	assert_int_equal(image_open(l->fd, &l->image, NULL), 0);
	return true;
}

static void close_library(struct library *l)
{
	image_free(l->image);
	functions_free(l->functions);
	elf_file_free(l->file);
	close(l->fd);
}

static struct probe_site site_of(struct library *l, const char *function, uint8_t args, bool returns)
{
	const struct site_wish wish = { .args = args, .returns = returns, .cfi = l->image };
	struct spec_point p = { .kind = PROBE_ENTRY, .match = SPEC_EXACT };
	found_functions found = { 0 };
	struct probe_site site;
	struct err e = ERR_INIT;

	snprintf(p.name, sizeof(p.name), "%s", function);
	if (find_functions(l->functions, &p, &found, &e) < 1)
		fail_msg("%s", e.text);
	assert_int_equal(site_of_function(l->file, &found.v[0], &wish, &site, &e), 0);
	vec_free(&found);
	return site;
}

static bool is_version(const struct elf_file *f, const char *build_id)
{
	uint8_t id[BUILD_ID_MAX];
	char text[9];

	if (elf_file_build_id(f, id) < 4)
		return false;
	snprintf(text, sizeof(text), "%02x%02x%02x%02x", id[0], id[1], id[2], id[3]);
	return !strcmp(text, build_id);
}

static void allocators_have_their_places(void **state)
{
	int looked = 0;

	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		struct library l;

		if (!open_library(libraries[i].path, &l))
			continue;
		for (const struct golden *g = libraries[i].functions;
		     g->function && is_version(l.file, libraries[i].build_id); g++) {
			const struct probe_site s = site_of(&l, g->function, g->args, true);

			looked++;
			if (s.stop || s.behind != g->behind || s.insn != g->insn)
				fail_msg("%s %s: +%u %s (%s)", libraries[i].path, g->function, s.behind,
					 site_insn_info(s.insn)->name, site_stop_text(s.stop));
			assert_int_equal(s.cost_ns, site_insn_info(g->insn)->cost_ns);
			assert_true(s.return_ok && s.entry_cost_ns >= 610);
			assert_true(!(g->args & 1) || s.arg_reg[0] == 5);
		}
		close_library(&l);
	}
	print_message("%d functions of allocators\n", looked);
	if (!looked)
		skip();
}

/* mimalloc keeps the size in another register before anything cheap: that register is told. */
static void arguments_are_followed_to_other_registers(void **state)
{
	struct library l;
	struct probe_site s;

	if (!open_library(LIB "libmimalloc.so.2.0", &l))
		skip();
	if (is_version(l.file, "d07f4e7d")) {
		s = site_of(&l, "malloc", 1, false);
		assert_true(s.behind == 21 && s.insn == SITE_BRANCH && s.arg_reg[0] == 4);
	}
	close_library(&l);
}

static struct probe_site find(const char *bytes, size_t len, struct site_wish wish)
{
	const struct site_code code = {
		.machine = EM_X86_64, .bytes = (const uint8_t *)bytes, .len = len, .offset = 0x1000
	};
	struct probe_site s;

	site_find(&code, &wish, &s);
	return s;
}

#define FIND(bytes, ...) find(bytes, sizeof(bytes) - 1, (struct site_wish){ __VA_ARGS__ })

static void assert_site(struct probe_site s, uint32_t behind, enum site_insn insn, enum site_stop stop)
{
	assert_int_equal(s.behind, behind);
	assert_int_equal(s.offset, 0x1000 + behind);
	assert_int_equal(s.insn, insn);
	assert_int_equal(s.stop, stop);
	assert_false(s.return_ok);
}

static void places_by_hand(void **state)
{
	struct probe_site s = FIND("\x48\x89\xfb\x31\xff\x55\xc3", .args = 1);

	/* mov %rdi,%rbx; xor %edi,%edi; push %rbp */
	assert_site(s, 5, SITE_PUSH, SITE_STOP_NONE);
	assert_true(s.arg_reg[0] == 3 && s.arg_reg[1] == 4 && s.arg_reg[5] == 9);
	/* xor %edi,%edi; push %rbp */
	assert_site(FIND("\x31\xff\x55\xc3", .args = 1), 0, SITE_XOR, SITE_STOP_ARGUMENT);
	s = FIND("\x31\xff\x55\xc3", .args = 2);
	assert_site(s, 2, SITE_PUSH, SITE_STOP_NONE);
	assert_int_equal(s.arg_reg[0], MACHINE_NO_REG);
	/* mov %edi,%ebx keeps half of it; mov %dil,%al is none of it */
	assert_site(FIND("\x89\xfb\x31\xff\x55", .args = 1), 0, SITE_MOVE, SITE_STOP_ARGUMENT);
	/* test %rdi,%rdi; ret */
	assert_site(FIND("\x48\x85\xff\xc3", .args = 1), 0, SITE_TEST, SITE_STOP_LINE);
	/* test; jmp *%rax: an indirect jump */
	assert_site(FIND("\x48\x85\xff\xff\xe0\x55", .args = 1), 0, SITE_TEST, SITE_STOP_LINE);
	/* cpuid is not understood */
	assert_site(FIND("\x0f\xa2\x55", .args = 1), 0, SITE_OTHER, SITE_STOP_INSN);
	/* dec %rsi; jne to it: the push behind the entry would not be hit more often, the branch would */
	assert_site(FIND("\x48\xff\xce\x75\xfb\xc3", .args = 1), 3, SITE_BRANCH, SITE_STOP_NONE);
	/* mov; dec %rsi; jne back to dec */
	assert_site(FIND("\x48\x89\xf0\x48\xff\xce\x75\xfb\xc3", .args = 1), 0, SITE_MOVE, SITE_STOP_JUMP);
	/* a long nop is cheap only where the kernel says so */
	assert_site(FIND("\x0f\x1f\x44\x00\x00\x55", .nop5 = true), 0, SITE_NOP5, SITE_STOP_NONE);
	s = FIND("\x0f\x1f\x44\x00\x00\x55", .nop5 = false);
	assert_site(s, 5, SITE_PUSH, SITE_STOP_NONE);
	assert_int_equal(s.entry_cost_ns, site_insn_info(SITE_OTHER)->cost_ns);
	/* endbr64; call; and a call with a prefix, which the kernel does not emulate */
	assert_site(FIND("\xf3\x0f\x1e\xfa\xe8\x00\x00\x00\x00"), 4, SITE_CALL, SITE_STOP_NONE);
	assert_site(FIND("\x66\xe8\x00\x00\x00\x00\x55"), 0, SITE_OTHER, SITE_STOP_INSN);
	/* xchg %ax,%ax is a nop; push %r12 with 41 before it is emulated, and with 49 it is not */
	assert_site(FIND("\x66\x90\x55"), 0, SITE_NOP, SITE_STOP_NONE);
	assert_site(FIND("\x41\x54\xc3"), 0, SITE_PUSH, SITE_STOP_NONE);
	assert_site(FIND("\x49\x54\xc3"), 0, SITE_OTHER, SITE_STOP_INSN);
	/* cut short, and nothing */
	assert_site(FIND("\x48\x85"), 0, SITE_UNKNOWN, SITE_STOP_END);
	assert_site(FIND("\x48\x85\xff", .args = 1), 0, SITE_TEST, SITE_STOP_END);
	/* a return where nothing is known of the stack */
	assert_site(FIND("\x48\x85\xff\x55", .returns = true), 0, SITE_TEST, SITE_STOP_FRAME);
}

static void other_machines_are_not_known(void **state)
{
	const struct site_code code = { .machine = EM_AARCH64, .bytes = (const uint8_t *)"\x1f\x20\x03\xd5", .len = 4 };
	const struct site_wish wish = { .args = 1 };
	struct probe_site s;

	site_find(&code, &wish, &s);
	assert_true(s.stop == SITE_STOP_MACHINE && !s.cost_ns && !s.return_ok && s.arg_reg[0] == MACHINE_NO_REG);
}

static void arguments_of_expressions_are_wanted(void **state)
{
	struct spec s;

	assert_int_equal(spec_parse("call:a:f /arg1 > 3 || arg4->x == 2/ sum(arg0)", &s, NULL), 0);
	assert_int_equal(site_args_of(&s), 1 | 2 | 16);
	assert_int_equal(spec_parse("call:a:f /args.argument == 2/", &s, NULL), 0);
	assert_int_equal(site_args_of(&s), 0);
}

/* DWARF number of a register of capstone, by the 64 bits that it is a part of; MACHINE_NO_REG = another kind. */
static uint8_t number_of(csh cs, unsigned int reg)
{
	static const char *const names[][5] = {
		{ "rax", "eax", "ax", "al", "ah" },    { "rdx", "edx", "dx", "dl", "dh" },
		{ "rcx", "ecx", "cx", "cl", "ch" },    { "rbx", "ebx", "bx", "bl", "bh" },
		{ "rsi", "esi", "si", "sil", "" },     { "rdi", "edi", "di", "dil", "" },
		{ "rbp", "ebp", "bp", "bpl", "" },     { "rsp", "esp", "sp", "spl", "" },
		{ "r8", "r8d", "r8w", "r8b", "" },     { "r9", "r9d", "r9w", "r9b", "" },
		{ "r10", "r10d", "r10w", "r10b", "" }, { "r11", "r11d", "r11w", "r11b", "" },
		{ "r12", "r12d", "r12w", "r12b", "" }, { "r13", "r13d", "r13w", "r13b", "" },
		{ "r14", "r14d", "r14w", "r14b", "" }, { "r15", "r15d", "r15w", "r15b", "" },
	};
	const char *name = cs_reg_name(cs, reg);

	for (uint8_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		for (size_t k = 0; k < 5; k++)
			if (!strcmp(names[i][k], name))
				return i;
	return MACHINE_NO_REG;
}

/* What is understood writes what capstone says, or more. (capstone 4 believes that test writes.) */
static void check_writes(csh cs, const cs_insn *insn, const struct site_effect *f)
{
	cs_regs reads, writes;
	uint8_t nr_reads, nr_writes;

	assert_int_equal(cs_regs_access(cs, insn, reads, &nr_reads, writes, &nr_writes), CS_ERR_OK);
	for (uint8_t i = 0; i < nr_writes; i++) {
		const uint8_t reg = number_of(cs, writes[i]);

		if (f->insn != SITE_TEST && reg != MACHINE_NO_REG && !(f->writes >> reg & 1))
			fail_msg("%s %s writes %s", insn->mnemonic, insn->op_str, cs_reg_name(cs, writes[i]));
	}
}

/* The first instructions of all functions of a library, beside capstone. */
static void decoding_agrees_with_capstone(void **state)
{
	const struct spec_point all = { .kind = PROBE_ENTRY, .match = SPEC_ANY };
	found_functions found = { 0 };
	size_t seen = 0, understood = 0;
	struct library l;
	cs_insn *insn;
	csh cs;

	if (!open_library(LIB "libc.so.6", &l))
		skip();
	assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &cs), CS_ERR_OK);
	cs_option(cs, CS_OPT_DETAIL, CS_OPT_ON);
	insn = cs_malloc(cs);
	assert_true(find_functions(l.functions, &all, &found, NULL) > 1000);
	for (size_t i = 0; i < found.n; i++) {
		uint8_t bytes[64];
		const uint8_t *at = bytes;
		size_t left = found.v[i].size < sizeof(bytes) ? (size_t)found.v[i].size : sizeof(bytes);
		uint64_t address = found.v[i].vaddr;

		if (!elf_file_read(l.file, found.v[i].offset, bytes, left))
			continue;
		while (left > 15 && cs_disasm_iter(cs, &at, &left, &address, insn)) {
			const struct site_effect f = site_arch_x86_64.decode(insn->bytes, insn->size);

			seen++;
			understood += f.understood;
			assert_int_equal(f.size, insn->size);
			if (f.understood)
				check_writes(cs, insn, &f);
			else if (!strcmp(insn->mnemonic, "push") && insn->size <= 2)
				assert_true(f.insn == SITE_PUSH || insn->bytes[0] == 0x6a || insn->bytes[0] == 0xff);
		}
	}
	print_message("%zu of %zu instructions understood\n", understood, seen);
	assert_true(understood > seen / 2);
	cs_free(insn, 1);
	cs_close(&cs);
	vec_free(&found);
	close_library(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allocators_have_their_places),
		cmocka_unit_test(arguments_are_followed_to_other_registers),
		cmocka_unit_test(places_by_hand),
		cmocka_unit_test(other_machines_are_not_known),
		cmocka_unit_test(arguments_of_expressions_are_wanted),
		cmocka_unit_test(decoding_agrees_with_capstone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
