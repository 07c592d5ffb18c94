// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_plt.c - the linker's stubs in files of AArch64: who each of them jumps to, and how they are
 * unwound, since they have no call-frame information. Both libraries of tests/data/symbol are of
 * one source that calls puts(), _exit() and dlopen():
 *
 *	aarch64-linux-gnu-gcc -O2 -fPIC -shared -nostdlib
 *	-Wl,-z,max-page-size=4096,-z,noseparate-code,--build-id=none,-z,lazy -s
 *
 * and "bti" with -mbranch-protection=standard -Wl,-z,force-bti,-z,pac-plt.
 */
#include "config.h"

#include "base/cleanup.h"
#include "symbol/plt.h"
#include "tests/unit/cmocka_all.h"
#include "unwind/rows.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTRIES_MAX 16u
#define HEAD 32u                 /* bytes of the first stub */

struct found {
	unsigned int n;
	struct {
		uint64_t vaddr;
		uint32_t size, sym;
	} entry[ENTRIES_MAX];
};

static void keep(void *ctx, uint64_t vaddr, uint32_t size, uint32_t sym)
{
	struct found *f = ctx;

	assert_true(f->n < ENTRIES_MAX);
	f->entry[f->n].vaddr = vaddr;
	f->entry[f->n].size = size;
	f->entry[f->n++].sym = sym;
}

static int open_data(const char *name)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/tests/data/symbol/%s",
		 getenv("top_srcdir") ? getenv("top_srcdir") : ".", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

/* Who the entry of SYM in F is for. */
static const char *name_of(const struct elf_file *f, uint32_t sym, char text[64])
{
	const Elf64_Shdr *sh = elf_file_section_type(f, SHT_DYNSYM);
	struct elf_bytes syms, names;
	Elf64_Sym s;

	assert_non_null(sh);
	assert_true(elf_file_bytes(f, sh, 65536, &syms) && elf_file_bytes(f, &f->sh[sh->sh_link], 65536, &names));
	assert_true((sym + 1) * sizeof(s) <= syms.len);
	memcpy(&s, (const uint8_t *)syms.data + sym * sizeof(s), sizeof(s));
	assert_true(s.st_name < names.len);
	snprintf(text, 64, "%s", (const char *)names.data + s.st_name);
	free(syms.data);
	free(names.data);
	return text;
}

static void names(const char *file, uint64_t first, uint32_t size, uint32_t step)
{
	static const char *const called[] = { "puts", "dlopen", "_exit" };
	AUTO(elf_file_free) struct elf_file *f = NULL;
	AUTO_FD int fd = open_data(file);
	struct found found = { 0 };
	char text[64];

	assert_int_equal(elf_file_open(fd, &f, NULL), 0);
	plt_entries(f, keep, &found);
	assert_int_equal(found.n, 3);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(found.entry[i].vaddr, first + i * step);
		assert_int_equal(found.entry[i].size, size);
		assert_string_equal(name_of(f, found.entry[i].sym, text), called[i]);
	}
}

static void test_names(void **state)
{
	names("aarch64-plt-plain.so", 0x2c0, 16, 16);
	names("aarch64-plt-bti.so", 0x330, 20, 24);
}

/*
 * All the way through the return address is in x30; the first stub pushes it, too, after a landing
 * pad or none.
 */
static void test_rules(void **state)
{
	AUTO(image_free) struct image *im = NULL;
	AUTO_FD int fd = open_data("aarch64-plt-plain.so");
	struct rule_row row[16];
	size_t n;

	assert_int_equal(image_open(fd, &im, NULL), 0);
	n = rows_of(im, 0x2a0, 0x50, row, 16);
	assert_int_equal(n, 4);
	assert_int_equal(row[0].rule.kind, RULE_SP);
	assert_int_equal(row[0].rule.arg, RULE_RA_LINK);
	assert_int_equal(row[0].rule.cfa, 0);
	assert_int_equal(row[1].at, 4);
	assert_int_equal(row[1].rule.kind, RULE_BAD);
	assert_int_equal(row[2].at, 8);
	assert_int_equal(row[2].rule.arg, RULE_RA_PUSHED);
	assert_int_equal(row[2].rule.cfa, 16);
	assert_int_equal(row[3].at, HEAD);
	assert_int_equal(row[3].rule.arg, RULE_RA_LINK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
