/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relocated.c - see relocated.h. The new file is: header, program headers, the contents of the sections, section
 * headers. Contents of sections that were stripped are holes.
 */
#include "config.h"

#include "symbol/relocated.h"

#include "base/cleanup.h"
#include "base/vec.h"
#include "symbol/dwarf.h"
#include "symbol/elffile.h"
#include "symbol/unpack.h"

#include <errno.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SECTIONS_MAX 65280u              /* SHN_LORESERVE */
#define BYTES_MAX (1ull << 30)           /* of all sections */
#define PAGE 4096u

/* How wide what a relocation of a machine changes is. */
static const struct relocation_kind {
	uint16_t machine;
	uint32_t type;
	uint8_t bytes;
} kinds[] = {
	{ EM_X86_64, R_X86_64_64, 8 }, { EM_X86_64, R_X86_64_32, 4 }, { EM_X86_64, R_X86_64_32S, 4 },
	{ EM_AARCH64, R_AARCH64_ABS64, 8 }, { EM_AARCH64, R_AARCH64_ABS32, 4 },
};

struct linking {
	Elf *elf;
	Elf64_Ehdr eh;
	Elf64_Shdr *sh;          /* of the new file */
	Elf_Data **data;         /* of each section; NULL = it has none */
	size_t n, names;         /* sections; which of them has their names */
	VEC(Elf64_Phdr) ph;
	Elf64_Sym *sym;          /* as the new file has them; NULL = there are none */
	size_t syms, symtab;
	struct err *e;
};

static int linking_damaged(const struct linking *l, const char *what)
{
	return err_set(l->e, EBADMSG, "it is damaged: %s", what);
}

static const char *linking_name(const struct linking *l, size_t at)
{
	const char *name = elf_strptr(l->elf, l->names, l->sh[at].sh_name);

	return name ? name : "";
}

/* The sections of the file, with their contents, unpacked. */
static int linking_read(struct linking *l)
{
	const Elf64_Ehdr *eh = elf64_getehdr(l->elf);
	uint64_t sum = 0;
	int r;

	if (!eh || eh->e_type != ET_REL || elf_getshdrnum(l->elf, &l->n) || elf_getshdrstrndx(l->elf, &l->names))
		return err_set(l->e, ENOEXEC, "it is no relocatable ELF file of 64 bits");
	if (!l->n || l->n > SECTIONS_MAX)
		return err_set(l->e, EFBIG, "it has %zu sections", l->n);
	r = unpack_debug(l->elf, l->e);
	if (r)
		return r;
	l->eh = *eh;
	l->sh = calloc(l->n, sizeof(*l->sh));
	l->data = calloc(l->n, sizeof(*l->data));
	if (!l->sh || !l->data)
		return err_nomem(l->e, "sections");
	for (size_t i = 1; i < l->n; i++) {
		Elf_Scn *scn = elf_getscn(l->elf, i);
		const Elf64_Shdr *sh = scn ? elf64_getshdr(scn) : NULL;

		if (!sh)
			return linking_damaged(l, "a section has no header");
		l->sh[i] = *sh;
		if (sh->sh_size > BYTES_MAX || (sum += sh->sh_size) > BYTES_MAX)
			return err_set(l->e, EFBIG, "its sections are larger than %llu bytes", BYTES_MAX);
		l->data[i] = sh->sh_type == SHT_NOBITS || !sh->sh_size ? NULL : elf_getdata(scn, NULL);
		if (sh->sh_type != SHT_NOBITS && sh->sh_size && (!l->data[i] || !l->data[i]->d_buf))
			return linking_damaged(l, "a section is not there as a whole");
		if (sh->sh_type == SHT_SYMTAB)
			l->symtab = i;
	}
	return 0;
}

/* Gives those that are in memory their addresses. */
static void linking_place(struct linking *l, const struct relocated_section *s, size_t n)
{
	for (size_t i = 1; i < l->n; i++) {
		const char *name = linking_name(l, i);

		l->sh[i].sh_addr = 0;
		for (size_t k = 0; k < n && l->sh[i].sh_flags & SHF_ALLOC && !l->sh[i].sh_addr; k++)
			l->sh[i].sh_addr = strcmp(s[k].name, name) ? 0 : s[k].address;
	}
}

/* Symbols say where they are in memory; those of sections that are not there are undefined. */
static int linking_name_symbols(struct linking *l)
{
	const Elf_Data *data = l->symtab ? l->data[l->symtab] : NULL;

	l->syms = data ? data->d_size / sizeof(*l->sym) : 0;
	l->sym = calloc(l->syms + 1, sizeof(*l->sym));
	if (!l->sym)
		return err_nomem(l->e, "symbols");
	for (size_t i = 0; i < l->syms; i++) {
		Elf64_Sym *to = &l->sym[i];

		memcpy(to, (const char *)data->d_buf + i * sizeof(*to), sizeof(*to));
		if (to->st_shndx == SHN_UNDEF || to->st_shndx >= l->n)
			continue;
		/* What refers to debug information refers to its begin. */
		if (l->sh[to->st_shndx].sh_flags & SHF_ALLOC && !l->sh[to->st_shndx].sh_addr)
			*to = (Elf64_Sym){ .st_name = to->st_name };
		else
			to->st_value += l->sh[to->st_shndx].sh_addr;
	}
	return 0;
}

/* How many bytes TYPE changes in files of this machine; 0 = it is not known. */
static size_t linking_width(const struct linking *l, uint32_t type)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].machine == l->eh.e_machine && kinds[i].type == type)
			return kinds[i].bytes;
	return 0;
}

/* Applies the relocations of section AT to debug information, in memory. */
static int linking_relocate(struct linking *l, size_t at)
{
	const Elf64_Shdr *sh = &l->sh[at];
	const Elf_Data *rela = l->data[at], *to = sh->sh_info < l->n ? l->data[sh->sh_info] : NULL;

	if (sh->sh_info >= l->n || sh->sh_link != l->symtab)
		return linking_damaged(l, "relocations are of no section");
	if (l->sh[sh->sh_info].sh_flags & SHF_ALLOC || !to)
		return 0;
	for (size_t i = 0; rela && i < rela->d_size / sizeof(Elf64_Rela); i++) {
		Elf64_Rela r;
		uint64_t value;
		size_t bytes;

		memcpy(&r, (const char *)rela->d_buf + i * sizeof(r), sizeof(r));
		bytes = linking_width(l, (uint32_t)ELF64_R_TYPE(r.r_info));
		if (!ELF64_R_TYPE(r.r_info))
			continue;
		if (!bytes)
			return err_set(l->e, EOPNOTSUPP, "its debug information has relocations of type %u, which are "
				       "not known for machine %u", (uint32_t)ELF64_R_TYPE(r.r_info), l->eh.e_machine);
		if (ELF64_R_SYM(r.r_info) >= l->syms || r.r_offset > to->d_size || bytes > to->d_size - r.r_offset)
			return linking_damaged(l, "a relocation is outside of what it is about");
		value = l->sym[ELF64_R_SYM(r.r_info)].st_value + (uint64_t)r.r_addend;
		/* Files of this byte order alone are read. */
		memcpy((char *)to->d_buf + r.r_offset, &value, bytes);
	}
	return 0;
}

/* Where sections are in the new file, those in memory in pages of their own; where that ends to *RET_END. */
static int linking_lay_out(struct linking *l, uint64_t *ret_end)
{
	uint64_t at = sizeof(l->eh);

	for (size_t i = 1; i < l->n; i++)
		at += l->sh[i].sh_addr ? sizeof(Elf64_Phdr) : 0;
	for (size_t i = 1; i < l->n; i++) {
		Elf64_Shdr *sh = &l->sh[i];
		const bool loaded = sh->sh_addr;
		Elf64_Phdr *ph = loaded ? vec_push(&l->ph) : NULL;

		if (loaded && !ph)
			return err_nomem(l->e, "sections");
		sh->sh_flags &= ~(Elf64_Xword)SHF_COMPRESSED;
		sh->sh_size = l->data[i] ? l->data[i]->d_size : sh->sh_size;
		at = loaded ? (at + PAGE - 1) / PAGE * PAGE + sh->sh_addr % PAGE : (at + 15) & ~15ull;
		sh->sh_offset = at;
		/* The relocations have been applied. */
		if (sh->sh_type == SHT_RELA)
			*sh = (Elf64_Shdr){ .sh_name = sh->sh_name, .sh_offset = at };
		if (loaded)
			*ph = (Elf64_Phdr){
				.p_type = PT_LOAD, .p_flags = PF_R | (sh->sh_flags & SHF_EXECINSTR ? PF_X : 0),
				.p_offset = at, .p_vaddr = sh->sh_addr, .p_paddr = sh->sh_addr, .p_filesz = sh->sh_size,
				.p_memsz = sh->sh_size, .p_align = PAGE,
			};
		if (loaded || l->data[i])
			at += sh->sh_size;
	}
	*ret_end = (at + 15) & ~15ull;
	return 0;
}

static int linking_compare_loads(const void *a, const void *b)
{
	const Elf64_Phdr *x = a, *y = b;

	return (x->p_vaddr > y->p_vaddr) - (x->p_vaddr < y->p_vaddr);
}

static bool linking_put(int fd, const void *bytes, size_t len, uint64_t at)
{
	for (size_t done = 0; done < len;) {
		const ssize_t n = pwrite(fd, (const char *)bytes + done, len - done, (off_t)(at + done));

		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static int linking_write(struct linking *l, int fd)
{
	uint64_t end = 0;
	const int r = linking_lay_out(l, &end);
	bool ok;

	if (r)
		return r;
	if (l->ph.n)
		qsort(l->ph.v, l->ph.n, sizeof(*l->ph.v), linking_compare_loads);
	l->eh.e_type = ET_DYN;
	l->eh.e_phoff = sizeof(l->eh);
	l->eh.e_phentsize = sizeof(Elf64_Phdr);
	l->eh.e_phnum = (Elf64_Half)l->ph.n;
	l->eh.e_shoff = end;
	l->eh.e_shentsize = sizeof(Elf64_Shdr);
	ok = !ftruncate(fd, (off_t)(end + l->n * sizeof(*l->sh))) && linking_put(fd, &l->eh, sizeof(l->eh), 0) &&
		linking_put(fd, l->ph.v, l->ph.n * sizeof(*l->ph.v), l->eh.e_phoff) &&
		linking_put(fd, l->sh, l->n * sizeof(*l->sh), end);
	for (size_t i = 1; i < l->n && ok; i++)
		if (i == l->symtab)
			ok = linking_put(fd, l->sym, l->syms * sizeof(*l->sym), l->sh[i].sh_offset);
		else if (l->data[i] && l->sh[i].sh_size)
			ok = linking_put(fd, l->data[i]->d_buf, l->data[i]->d_size, l->sh[i].sh_offset);
	return ok ? 0 : err_set(l->e, errno, "a copy of it in memory cannot be written: %s", strerror(errno));
}

static int linking_link(struct linking *l, const struct relocated_section *s, size_t n, int fd)
{
	int r = linking_read(l);

	if (r)
		return r;
	linking_place(l, s, n);
	r = linking_name_symbols(l);
	for (size_t i = 1; i < l->n && !r; i++)
		r = l->sh[i].sh_type == SHT_RELA ? linking_relocate(l, i) : 0;
	return r ? r : linking_write(l, fd);
}

int relocated_open(int fd, const struct relocated_section *s, size_t n, int *ret_fd, struct err *e)
{
	struct linking l = { .e = e };
	AUTO(elf_file_free) struct elf_file *f = NULL;
	AUTO_FD int to = -1;
	/* What libelf is given has been looked at. */
	int r = elf_file_open(fd, &f, e);

	if (r)
		return r;
	if (dwarf_debug_bytes(f) == UINT64_MAX)
		return err_set(e, EFBIG, "it has too much debug information");
	to = memfd_create("sberf-module", MFD_CLOEXEC);
	if (to < 0)
		return err_set(e, errno, "there is no memory for a copy of it: %s", strerror(errno));
	elf_version(EV_CURRENT);
	l.elf = elf_begin(fd, ELF_C_READ, NULL);
	r = l.elf ? linking_link(&l, s, n, to) : err_set(e, ENOEXEC, "%s", elf_errmsg(-1));
	elf_end(l.elf);
	free(l.sh);
	free(l.data);
	free(l.sym);
	vec_free(&l.ph);
	if (!r)
		*ret_fd = take_fd(&to);
	return r;
}
