/* SPDX-License-Identifier: BSD-2-Clause */
/* elfnamed.c - .dynsym, with the filter of .gnu.hash in front of it, and .symtab. */
#include "config.h"

#include "symbol/elfnamed.h"

#include <stdlib.h>
#include <string.h>

#define SYMBOLS_MAX (64u << 20)          /* bytes of one table */
#define STRINGS_MAX (256u << 20)
#define FILTER_MAX (16u << 20)

/* The hash of NAME that .gnu.hash is made of. */
static uint32_t gnu_hash(const char *name)
{
	uint32_t h = 5381;

	for (; *name; name++)
		h = h * 33 + (uint8_t)*name;
	return h;
}

/* May FILE export NAME? False only if its hash table says that it does not. */
static bool may_export(const struct elf_file *file, const char *name)
{
	const Elf64_Shdr *sh = elf_file_section(file, ".gnu.hash");
	const uint32_t h = gnu_hash(name);
	uint32_t head[4];                /* buckets, first symbol, words of the filter, its shift */
	uint64_t word, bits;

	if (!sh || sh->sh_size < sizeof(head) || !elf_file_read(file, sh->sh_offset, head, sizeof(head)) || !head[2] ||
	    head[3] > 31 || head[2] > FILTER_MAX / sizeof(word) ||
	    sh->sh_size - sizeof(head) < head[2] * sizeof(word) ||
	    !elf_file_read(file, sh->sh_offset + sizeof(head) + sizeof(word) * (h / 64 % head[2]), &word, sizeof(word)))
		return true;
	bits = 1ull << h % 64 | 1ull << (h >> head[3]) % 64;
	return (word & bits) == bits;
}

/* Looks for NAME in the table SH of FILE. */
static bool find_named(const struct elf_file *file, const Elf64_Shdr *sh, const char *name, uint64_t *ret_vaddr,
		       uint64_t *ret_size)
{
	const size_t len = strlen(name) + 1;
	struct elf_bytes syms, strings;
	bool found = false;

	if (!sh || sh->sh_link >= file->nr_sh || !elf_file_bytes(file, sh, SYMBOLS_MAX, &syms))
		return false;
	if (elf_file_bytes(file, &file->sh[sh->sh_link], STRINGS_MAX, &strings)) {
		for (size_t at = 0; at + sizeof(Elf64_Sym) <= syms.len && !found; at += sizeof(Elf64_Sym)) {
			const Elf64_Sym *s = (const void *)(syms.data + at);

			found = s->st_shndx != SHN_UNDEF && s->st_name < strings.len &&
				strings.len - s->st_name >= len && !memcmp(strings.data + s->st_name, name, len);
			if (found) {
				*ret_vaddr = s->st_value;
				*ret_size = s->st_size;
			}
		}
		free(strings.data);
	}
	free(syms.data);
	return found;
}

bool elf_named_export(const struct elf_file *file, const char *name, uint64_t *ret_vaddr, uint64_t *ret_size)
{
	return may_export(file, name) &&
	       find_named(file, elf_file_section_type(file, SHT_DYNSYM), name, ret_vaddr, ret_size);
}

bool elf_named(const struct elf_file *file, const char *name, uint64_t *ret_vaddr, uint64_t *ret_size)
{
	return elf_named_export(file, name, ret_vaddr, ret_size) ||
	       find_named(file, elf_file_section_type(file, SHT_SYMTAB), name, ret_vaddr, ret_size);
}
