// SPDX-License-Identifier: BSD-2-Clause
/*
 * image_copy.c - makes the small ELF file that libdw reads: header, section headers, names,
 * call-frame bytes.
 *
 * libdw takes the place of a section from sh_addr (for pc-relative pointers) and its bytes from
 * sh_offset, so a section may lie anywhere in the copy.
 */
#include "config.h"

#include "unwind/cfi_split.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RENEW_EACH 16u
#define ALIGN16(x) (((x) + 15) & ~(size_t)15)

static const char shstrtab[] = ".shstrtab";

struct layout {
	size_t nr_sections;      /* with the null section and .shstrtab */
	size_t names, names_size;
	size_t size;             /* of everything */
};

static struct layout image_copy_lay_out(const struct image_section *sec, size_t n)
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

static void write_header(uint8_t *copy, uint16_t machine, uint16_t type, const struct layout *l)
{
	Elf64_Ehdr *eh = (Elf64_Ehdr *)copy;

	memcpy(eh->e_ident, ELFMAG, SELFMAG);
	eh->e_ident[EI_CLASS] = ELFCLASS64;
	eh->e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	eh->e_ident[EI_VERSION] = EV_CURRENT;
	eh->e_type = type;
	eh->e_machine = machine;
	eh->e_version = EV_CURRENT;
	eh->e_ehsize = sizeof(*eh);
	eh->e_shoff = sizeof(*eh);
	eh->e_shentsize = sizeof(Elf64_Shdr);
	eh->e_shnum = (uint16_t)l->nr_sections;
	eh->e_shstrndx = (uint16_t)(l->nr_sections - 1);
}

static void write_sections(uint8_t *copy, const struct layout *l, const struct image_section *sec, size_t n)
{
	Elf64_Shdr *sh = (Elf64_Shdr *)(copy + sizeof(Elf64_Ehdr)) + 1;
	char *names = (char *)copy + l->names;
	size_t name = 1, at = ALIGN16(l->names + l->names_size);

	for (size_t i = 0; i < n; i++) {
		if (!sec[i].bytes)
			continue;
		*sh++ = (Elf64_Shdr){ .sh_name = (uint32_t)name, .sh_type = SHT_PROGBITS, .sh_flags = sec[i].flags,
				      .sh_addr = sec[i].addr, .sh_offset = at, .sh_size = sec[i].size,
				      .sh_addralign = 8 };
		memcpy(copy + at, sec[i].bytes, sec[i].size);
		strcpy(names + name, sec[i].name);
		name += strlen(sec[i].name) + 1;
		at += ALIGN16(sec[i].size);
	}
	strcpy(names + name, shstrtab);
	*sh = (Elf64_Shdr){ .sh_name = (uint32_t)name, .sh_type = SHT_STRTAB, .sh_offset = l->names,
			    .sh_size = l->names_size, .sh_addralign = 1 };
}

/* Is section NAME of the copy fit to be run? One that was compressed is not any more: libdw has unpacked it. */
static bool is_fit(const struct image *im, const char *name, bool eh, struct cfi_splitter *s)
{
	size_t names;
	Elf_Scn *scn = NULL;

	if (elf_getshdrstrndx(im->copy.elf, &names))
		return false;
	while ((scn = elf_nextscn(im->copy.elf, scn))) {
		const Elf64_Shdr *sh = elf64_getshdr(scn);
		const char *its = sh ? elf_strptr(im->copy.elf, names, sh->sh_name) : NULL;
		Elf_Data *data;

		if (!its || strcmp(its, name))
			continue;
		data = elf_rawdata(scn, NULL);
		if (s && data) {
			s->addr = sh->sh_addr;
			s->base = data->d_buf;
		}
		return data && data->d_buf && !(sh->sh_flags & SHF_COMPRESSED) &&
			image_ops_fit(im->copy.bytes, data, eh, s);
	}
	return false;
}

int image_copy_make(struct image_copy *c, uint16_t machine, uint16_t type, const struct image_section *sec,
		    size_t n, struct err *e)
{
	const struct layout l = image_copy_lay_out(sec, n);

	c->bytes = calloc(1, l.size);
	if (!c->bytes)
		return err_nomem(e, "call-frame information");
	c->size = l.size;
	write_header(c->bytes, machine, type, &l);
	write_sections(c->bytes, &l, sec, n);
	elf_version(EV_CURRENT);
	c->elf = elf_memory((char *)c->bytes, c->size);
	if (!c->elf)
		return err_set(e, ENOEXEC, "its call-frame information cannot be used: %s", elf_errmsg(-1));
	c->eh = dwarf_getcfi_elf(c->elf);
	return 0;
}

void image_copy_free(struct image_copy *c)
{
	if (c->eh)
		dwarf_cfi_end(c->eh);
	if (c->elf)
		elf_end(c->elf);
	free(c->bytes);
}

/* Either .eh_frame is fit, and its long functions are split, or nobody asks it. */
static void check_eh(struct image *im, uint16_t type)
{
	struct cfi_splitter s = { 0 };

	if (is_fit(im, ".eh_frame", true, &s)) {
		cfi_splitter_end(&s, im, type);
		return;
	}
	cfi_splitter_drop(&s);
	dwarf_cfi_end(im->copy.eh);
	im->copy.eh = NULL;
}

int image_build_copy(struct image *im, uint16_t type, const struct image_section *sec, size_t n, struct err *e)
{
	bool any = false;
	int err;

	for (size_t i = 0; i < n; i++)
		any |= sec[i].bytes != NULL;
	if (!any)
		return 0;        /* no call-frame information: marks and frame pointers remain */
	err = image_copy_make(&im->copy, im->machine, type, sec, n, e);
	if (err)
		return err;
	im->dwarf = dwarf_begin_elf(im->copy.elf, DWARF_C_READ, NULL);
	if (im->dwarf)
		im->debug = dwarf_getcfi(im->dwarf);
	if (im->copy.eh)
		check_eh(im, type);
	if (im->debug && !is_fit(im, ".debug_frame", false, NULL))
		im->debug = NULL;        /* DWARF has it */
	return 0;
}

Dwarf_Frame *image_row(struct image *im, uint64_t vaddr)
{
	Dwarf_Frame *f = NULL;

	if (image_is_split(im, vaddr) && dwarf_cfi_addrframe(im->parts.eh, vaddr, &f) == 0)
		return f;
	if (im->copy.eh && dwarf_cfi_addrframe(im->copy.eh, vaddr, &f) == 0)
		return f;
	if (im->debug && dwarf_cfi_addrframe(im->debug, vaddr, &f) == 0)
		return f;
	return NULL;
}

/*
 * libdw keeps every function that it was asked about in a tree, and looks there first. Of a
 * compiler's 49,002 that takes longer than finding them in the table: all rows of its code 146 ms,
 * and 113 when it forgets every 16 pages.
 */
void image_renew(struct image *im)
{
	Dwarf_CFI *fresh;

	if (!im->copy.eh || ++im->renew_at % RENEW_EACH)
		return;
	fresh = dwarf_getcfi_elf(im->copy.elf);
	if (!fresh)
		return;
	dwarf_cfi_end(im->copy.eh);
	im->copy.eh = fresh;
}
