/* SPDX-License-Identifier: BSD-2-Clause */
/* elfdata.c - reads a symbol table once for each address. */
#include "config.h"

#include "symbol/elfdata.h"

#include "base/cleanup.h"

#include <string.h>

#define TABLE_MAX (256u << 20)   /* bytes of symbols, and of their names */

static void elf_bytes_clear(struct elf_bytes *b)
{
	free(b->data);
}

#define AUTO_BYTES __attribute__((cleanup(elf_bytes_clear)))

/* Whether S, a variable that covers VADDR, is the one at BEST, too, or one that starts later. */
static bool covers(const Elf64_Sym *s, uint64_t vaddr, const Elf64_Sym *best)
{
	const unsigned int type = ELF64_ST_TYPE(s->st_info);

	return (type == STT_OBJECT || type == STT_COMMON) && s->st_shndx != SHN_UNDEF && s->st_value <= vaddr &&
	       vaddr - s->st_value < s->st_size && (!best->st_size || s->st_value > best->st_value);
}

static bool find_in_table(const struct elf_file *file, uint32_t type, uint64_t vaddr, struct elf_variable *ret)
{
	const Elf64_Shdr *sh = elf_file_section_type(file, type);
	AUTO_BYTES struct elf_bytes symbols = { 0 };
	AUTO_BYTES struct elf_bytes names = { 0 };
	Elf64_Sym best = { 0 };

	if (!sh || sh->sh_link >= file->nr_sh || !elf_file_bytes(file, sh, TABLE_MAX, &symbols) ||
	    !elf_file_bytes(file, &file->sh[sh->sh_link], TABLE_MAX, &names))
		return false;
	for (size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.len; at += sizeof(Elf64_Sym)) {
		Elf64_Sym s;

		memcpy(&s, symbols.data + at, sizeof(s));
		if (covers(&s, vaddr, &best) && s.st_name < names.len && names.data[s.st_name])
			best = s;
	}
	if (!best.st_size)
		return false;
	*ret = (struct elf_variable){ .offset = vaddr - best.st_value, .size = best.st_size };
	strncpy(ret->name, (const char *)names.data + best.st_name, sizeof(ret->name) - 1);
	return true;
}

bool elf_variable_find(const struct elf_file *file, uint64_t vaddr, struct elf_variable *ret)
{
	return find_in_table(file, SHT_SYMTAB, vaddr, ret) || find_in_table(file, SHT_DYNSYM, vaddr, ret);
}
