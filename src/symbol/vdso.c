/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vdso.c - the kernel maps the image as a whole and tells where (getauxval(3)); its headers, which
 * are the kernel's and to be trusted, tell its length.
 */
#include "config.h"

#include "symbol/vdso.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <sys/auxv.h>

const void *vdso_image(size_t *ret_len)
{
	const uintptr_t base = (uintptr_t)getauxval(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *eh = (const ElfW(Ehdr) *)base;
	const ElfW(Phdr) *ph;
	size_t len;

	if (!base)
		return NULL;
	ph = (const ElfW(Phdr) *)(base + eh->e_phoff);
	len = eh->e_shoff + (size_t)eh->e_shnum * eh->e_shentsize;
	for (size_t i = 0; i < eh->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD && ph[i].p_offset + ph[i].p_filesz > len)
			len = ph[i].p_offset + ph[i].p_filesz;
	*ret_len = len;
	return eh;
}
