/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_ehframe.c - starts of functions from this program's own unwind tables, and tables that are
 * not what they should be.
 */
#include "config.h"

#include "symbol/ehframe.h"

#include "cmocka_all.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static __attribute__((noinline, used)) int somewhere(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

static int take_bias(struct dl_phdr_info *info, size_t size, void *ctx)
{
	*(uint64_t *)ctx = info->dlpi_addr;
	return 1;        /* the first is the program itself */
}

static uint64_t vaddr_of(const void *p)
{
	uint64_t bias = 0;

	dl_iterate_phdr(take_bias, &bias);
	return (uint64_t)(uintptr_t)p - bias;
}

static struct elf_file *open_self(int *fd)
{
	struct elf_file *f = NULL;

	*fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	assert_true(*fd >= 0);
	assert_int_equal(elf_file_open(*fd, &f, NULL), 0);
	return f;
}

static void finds_the_start_of_a_function(void **state)
{
	const uint64_t at = vaddr_of((const void *)(uintptr_t)somewhere);
	struct fde_start got, again;
	struct fde_starts *t;
	int fd;
	struct elf_file *f = open_self(&fd);

	t = fde_starts_new(f);
	assert_non_null(t);
	assert_true(fde_starts_find(t, at, &got));
	assert_int_equal(got.start, at);
	assert_true(fde_starts_find(t, at + 1, &again));
	assert_int_equal(again.start, at);
	assert_ptr_equal(got.user, again.user);
	assert_int_equal(*got.user, 0);
	assert_int_equal(fde_starts_bound(t, at - 1, UINT64_MAX), at);
	assert_int_equal(fde_starts_bound(t, at - 1, at), at);
	assert_true(fde_starts_bound(t, at, UINT64_MAX) > at);
	assert_int_equal(fde_starts_bound(t, at, at + 1), at + 1);
	assert_int_equal(fde_starts_bound(NULL, at, UINT64_MAX), UINT64_MAX);
	/* Addresses that are no code. */
	assert_false(fde_starts_find(t, 0, &got));
	assert_false(fde_starts_find(t, UINT64_MAX, &got));
	assert_true(fde_starts_bytes(t) > 0);
	fde_starts_free(t);
	elf_file_free(f);
	close(fd);
}

/* A file in memory: ELF header, one executable PT_LOAD, PT_GNU_EH_FRAME with LEN bytes of HDR at 0x200. */
static struct fde_starts *table_of(uint8_t *image, size_t size, const void *hdr, size_t len)
{
	Elf64_Ehdr eh = { .e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = 1, .e_phoff = sizeof(eh),
			  .e_ehsize = sizeof(eh), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2 };
	const Elf64_Phdr ph[2] = {
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = size, .p_memsz = 0x10000, .p_align = 0x1000 },
		{ .p_type = PT_GNU_EH_FRAME, .p_flags = PF_R, .p_offset = 0x200, .p_vaddr = 0x200, .p_filesz = len,
		  .p_memsz = len },
	};
	struct fde_starts *t = NULL;
	struct elf_file *f = NULL;

	memcpy(eh.e_ident, ELFMAG, SELFMAG);
	eh.e_ident[EI_CLASS] = ELFCLASS64;
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	eh.e_ident[EI_VERSION] = EV_CURRENT;
	memcpy(image, &eh, sizeof(eh));
	memcpy(image + sizeof(eh), ph, sizeof(ph));
	memcpy(image + 0x200, hdr, len);
	if (!elf_file_memory(image, size, &f, NULL))
		t = fde_starts_new(f);
	elf_file_free(f);
	return t;
}

/*
 * A search table for two pieces, 0x300 to 0x340 and 0x500 to 0x580, and behind it the two entries,
 * at 0x240 and 0x250.
 */
struct made {
	uint8_t head[4];
	uint32_t ptr, n;
	int32_t table[4];
	uint8_t pad[0x240 - 0x200 - 28];
	struct {
		uint32_t length, cie;
		int32_t start;
		uint32_t size;
	} entry[2];
};

static const struct made good = {
	{ 1, 0x1b, 0x03, 0x3b }, 0, 2, { 0x100, 0x40, 0x300, 0x50 }, { 0 },
	{ { 12, 4, 0x300 - 0x248, 0x40 }, { 12, 4, 0x500 - 0x258, 0x80 } },
};

static bool covers(struct fde_starts *t, uint64_t vaddr, uint64_t start)
{
	struct fde_start got;

	return fde_starts_find(t, vaddr, &got) && got.start == start;
}

static void pieces_have_ends(void **state)
{
	static uint8_t image[0x400];
	struct fde_starts *t = table_of(image, sizeof(image), &good, sizeof(good));
	struct made other = good;

	assert_non_null(t);
	assert_true(covers(t, 0x300, 0x300));
	assert_true(covers(t, 0x33f, 0x300));
	assert_true(covers(t, 0x500, 0x500));
	assert_true(covers(t, 0x57f, 0x500));
	assert_false(covers(t, 0x2ff, 0x300));
	assert_false(covers(t, 0x340, 0x300));
	assert_false(covers(t, 0x580, 0x500));
	fde_starts_free(t);

	/* An entry that speaks of another place does not tell the size of this one. */
	other.entry[0].start++;
	t = table_of(image, sizeof(image), &other, sizeof(other));
	assert_false(covers(t, 0x300, 0x300));
	assert_true(covers(t, 0x500, 0x500));
	fde_starts_free(t);
}

static void other_forms_are_no_table(void **state)
{
	static uint8_t image[0x400];
	struct fde_starts *t;
	struct made bad;

	for (size_t i = 0; i < 4; i++) {
		bad = good;
		bad.head[i] ^= 0x0c;
		assert_null(table_of(image, sizeof(image), &bad, sizeof(bad)));
	}
	bad = good;
	bad.n = 1u << 30;
	assert_null(table_of(image, sizeof(image), &bad, sizeof(bad)));
	bad.n = 0;
	assert_null(table_of(image, sizeof(image), &bad, sizeof(bad)));
	assert_null(table_of(image, sizeof(image), &good, 11));
	/* Pieces that go back end the table; entries far away have no sizes. */
	bad = good;
	bad.table[2] = 0;
	t = table_of(image, sizeof(image), &bad, sizeof(bad));
	assert_true(covers(t, 0x300, 0x300));
	assert_false(covers(t, 0x500, 0x500));
	fde_starts_free(t);
	bad = good;
	bad.table[3] = INT32_MAX;
	t = table_of(image, sizeof(image), &bad, sizeof(bad));
	assert_false(covers(t, 0x300, 0x300));
	fde_starts_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_start_of_a_function),
		cmocka_unit_test(pieces_have_ends),
		cmocka_unit_test(other_forms_are_no_table),
	};

	return somewhere(-1) + cmocka_run_group_tests(tests, NULL, NULL);
}
