/* SPDX-License-Identifier: BSD-2-Clause */
/* byname.c - elfnamed.h and program headers, of a file that is open. */
#include "config.h"

#include "symbol/byname.h"

#include "symbol/elfnamed.h"

#include <unistd.h>

bool elf_symbol_named(int fd, const char *name, bool all, uint64_t *ret_vaddr, uint64_t *ret_size)
{
	AUTO(elf_file_free) struct elf_file *f = NULL;

	return !elf_file_open(fd, &f, NULL) &&
	       (all ? elf_named : elf_named_export)(f, name, ret_vaddr, ret_size);
}

bool elf_vaddr_at(int fd, uint64_t offset, uint64_t *ret)
{
	AUTO(elf_file_free) struct elf_file *f = NULL;

	if (elf_file_open(fd, &f, NULL))
		return false;
	for (size_t i = 0; i < f->nr_ph; i++) {
		const Elf64_Phdr *ph = &f->ph[i];
		/* mappings begin at a page; what is in front of the segment in it comes along */
		const uint64_t before = ph->p_offset & ((uint64_t)getpagesize() - 1);

		if (ph->p_type == PT_LOAD && offset >= ph->p_offset - before && offset < ph->p_offset + ph->p_filesz) {
			*ret = ph->p_vaddr + offset - ph->p_offset;
			return true;
		}
	}
	return false;
}
