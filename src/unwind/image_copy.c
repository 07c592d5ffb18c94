// SPDX-License-Identifier: BSD-2-Clause
/*
 * image_copy.c - the small ELF file that libdw reads: header, section headers, names, call-frame bytes.
 *
 * libdw takes the place of a section from sh_addr (for pc-relative pointers) and its bytes from sh_offset, so a section may
 * lie anywhere in the copy.
 */
#include "config.h"

#include "unwind/image_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN16(x) (((x) + 15) & ~(size_t)15)

static const char shstrtab[] = ".shstrtab";

struct layout {
	size_t nr_sections;      /* with the null section and .shstrtab */
	size_t names, names_size;
	size_t size;             /* of everything */
};

static struct layout lay_out(const struct image_section *sec, size_t n)
{
	struct layout l = { .nr_sections = 2, .names_size = 1 + sizeof(shstrtab) };

	for (size_t i = 0; i < n; i++)
		if (sec[i].bytes) {
			l.nr_sections++;
			l.names_size += strlen(sec[i].name) + 1;
		}
	l.names = sizeof(Elf64_Ehdr) + l.nr_sections * sizeof(Elf64_Shdr);
	l.size = ALIGN16(l.names + l.names_size);
	for (size_t i = 0; i < n; i++)
		if (sec[i].bytes)
			l.size += ALIGN16(sec[i].size);
	return l;
}

static void write_header(struct image *im, uint16_t type, const struct layout *l)
{
	Elf64_Ehdr *eh = (Elf64_Ehdr *)im->copy;

	memcpy(eh->e_ident, ELFMAG, SELFMAG);
	eh->e_ident[EI_CLASS] = ELFCLASS64;
	eh->e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	eh->e_ident[EI_VERSION] = EV_CURRENT;
	eh->e_type = type;
	eh->e_machine = im->machine;
	eh->e_version = EV_CURRENT;
	eh->e_ehsize = sizeof(*eh);
	eh->e_shoff = sizeof(*eh);
	eh->e_shentsize = sizeof(Elf64_Shdr);
	eh->e_shnum = (uint16_t)l->nr_sections;
	eh->e_shstrndx = (uint16_t)(l->nr_sections - 1);
}

static void write_sections(struct image *im, const struct layout *l, const struct image_section *sec, size_t n)
{
	Elf64_Shdr *sh = (Elf64_Shdr *)(im->copy + sizeof(Elf64_Ehdr)) + 1;
	char *names = (char *)im->copy + l->names;
	size_t name = 1, at = ALIGN16(l->names + l->names_size);

	for (size_t i = 0; i < n; i++) {
		if (!sec[i].bytes)
			continue;
		*sh++ = (Elf64_Shdr){ .sh_name = (uint32_t)name, .sh_type = SHT_PROGBITS, .sh_flags = sec[i].flags,
				      .sh_addr = sec[i].addr, .sh_offset = at, .sh_size = sec[i].size, .sh_addralign = 8 };
		memcpy(im->copy + at, sec[i].bytes, sec[i].size);
		strcpy(names + name, sec[i].name);
		name += strlen(sec[i].name) + 1;
		at += ALIGN16(sec[i].size);
	}
	strcpy(names + name, shstrtab);
	*sh = (Elf64_Shdr){ .sh_name = (uint32_t)name, .sh_type = SHT_STRTAB, .sh_offset = l->names,
			    .sh_size = l->names_size, .sh_addralign = 1 };
}

/* Is section NAME of the copy fit to be run? One that was compressed is not any more: libdw has unpacked it. */
static bool is_fit(const struct image *im, const char *name, bool eh)
{
	size_t names;
	Elf_Scn *scn = NULL;

	if (elf_getshdrstrndx(im->elf, &names))
		return false;
	while ((scn = elf_nextscn(im->elf, scn))) {
		const Elf64_Shdr *sh = elf64_getshdr(scn);
		const char *its = sh ? elf_strptr(im->elf, names, sh->sh_name) : NULL;
		Elf_Data *data;

		if (!its || strcmp(its, name))
			continue;
		data = elf_rawdata(scn, NULL);
		return data && data->d_buf && !(sh->sh_flags & SHF_COMPRESSED) && image_ops_fit(im->copy, data, eh);
	}
	return false;
}

int image_build_copy(struct image *im, uint16_t type, const struct image_section *sec, size_t n, struct err *e)
{
	struct layout l = lay_out(sec, n);

	if (l.nr_sections == 2)
		return 0;        /* no call-frame information: marks and frame pointers remain */
	im->copy = calloc(1, l.size);
	if (!im->copy)
		return err_nomem(e, "call-frame information");
	im->copy_size = l.size;
	write_header(im, type, &l);
	write_sections(im, &l, sec, n);
	elf_version(EV_CURRENT);
	im->elf = elf_memory((char *)im->copy, im->copy_size);
	if (!im->elf)
		return err_set(e, ENOEXEC, "its call-frame information cannot be used: %s", elf_errmsg(-1));
	im->eh = dwarf_getcfi_elf(im->elf);
	im->dwarf = dwarf_begin_elf(im->elf, DWARF_C_READ, NULL);
	if (im->dwarf)
		im->debug = dwarf_getcfi(im->dwarf);
	if (im->eh && !is_fit(im, ".eh_frame", true)) {
		dwarf_cfi_end(im->eh);
		im->eh = NULL;
	}
	if (im->debug && !is_fit(im, ".debug_frame", false))
		im->debug = NULL;        /* DWARF has it */
	return 0;
}

Dwarf_Frame *image_row(struct image *im, uint64_t vaddr)
{
	Dwarf_Frame *f = NULL;

	if (im->eh && dwarf_cfi_addrframe(im->eh, vaddr, &f) == 0)
		return f;
	if (im->debug && dwarf_cfi_addrframe(im->debug, vaddr, &f) == 0)
		return f;
	return NULL;
}
