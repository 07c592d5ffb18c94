/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_relocated.c - any bytes as the file of a module of the kernel, with sections at any addresses: what is made of
 * it has headers that can be read, and its sections are where they were said to be, or nowhere.
 *
 * The bytes are how many sections have addresses, nine for each of these (which of the names below, address), and the
 * file. Corpus: made of
 *	static int h(int x) { return x * 3; } int data = 4; int api(int x) { return h(x) + data; }
 * by gcc -O1 -g -c, with and without -gz=zlib.
 */
#include "config.h"

#include "symbol/elfsyms.h"
#include "symbol/relocated.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SECTIONS 8u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

/* Of what was made: sections have no address, or one of the N at S. */
static void look_at_sections(const struct elf_file *f, const struct relocated_section *s, size_t n)
{
	for (size_t i = 0; i < f->nr_sh; i++) {
		bool said = !f->sh[i].sh_addr;

		for (size_t k = 0; k < n && !said; k++)
			said = s[k].address == f->sh[i].sh_addr;
		must(said);
	}
	must(f->eh.e_type == ET_DYN);
}

static void look_at_symbols(const struct elf_file *f, const struct relocated_section *s, size_t n)
{
	struct elf_syms *syms = NULL;
	struct elf_sym sym;

	if (!elf_syms_new(f, f, &syms, NULL))
		for (size_t i = 0; i < n; i++)
			if (elf_syms_find(syms, s[i].address, &sym))
				must(s[i].address - sym.start < sym.size);
	elf_syms_free(syms);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {
		".text", ".data", ".bss", ".rodata", ".debug_info", ".symtab", "", ".rela.text",
	};
	const int fd = memfd_create("module", MFD_CLOEXEC);
	const size_t n = size ? data[0] % (SECTIONS + 1) : 0;
	struct relocated_section s[SECTIONS];
	struct elf_file *f = NULL;
	int made = -1;

	if (size < 1 + n * 9 || fd < 0) {
		close(fd);
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		const uint8_t *at = data + 1 + i * 9;

		strcpy(s[i].name, names[at[0] % (sizeof(names) / sizeof(names[0]))]);
		memcpy(&s[i].address, at + 1, sizeof(s[i].address));
		s[i].address |= !s[i].address;
	}
	must(write(fd, data + 1 + n * 9, size - 1 - n * 9) == (ssize_t)(size - 1 - n * 9));
	if (!relocated_open(fd, s, n, &made, NULL)) {
		must(made >= 0 && !elf_file_open(made, &f, NULL));
		look_at_sections(f, s, n);
		look_at_symbols(f, s, n);
		elf_file_free(f);
		close(made);
	}
	close(fd);
	return 0;
}
