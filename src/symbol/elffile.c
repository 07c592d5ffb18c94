/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elffile.c - the only place that reads bytes of an ELF file: elf_file_read() checks each range
 * against the size.
 */
#include "config.h"

#include "symbol/elffile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SECTIONS_MAX 65536u
#define SEGMENTS_MAX 4096u
#define SECTION_NAMES_MAX (16u << 20)

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HOST_DATA ELFDATA2LSB
#else
#define HOST_DATA ELFDATA2MSB
#endif

static bool pread_all(int fd, uint64_t offset, void *buf, size_t len)
{
	char *p = buf;

	while (len) {
		const ssize_t n = pread(fd, p, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return true;
}

bool elf_file_read(const struct elf_file *f, uint64_t offset, void *buf, size_t len)
{
	if (offset > f->size || len > f->size - offset)
		return false;
	if (!f->mem)
		return pread_all(f->fd, offset, buf, len);
	memcpy(buf, f->mem + offset, len);
	return true;
}

void *elf_file_dup(const struct elf_file *f, uint64_t offset, uint64_t len, uint64_t max)
{
	char *p;

	if (!len || len > max || offset > f->size || len > f->size - offset)
		return NULL;
	p = malloc(len + 1);
	if (!p)
		return NULL;
	if (!elf_file_read(f, offset, p, len)) {
		free(p);
		return NULL;
	}
	p[len] = '\0';
	return p;
}

static void elffile_read_sections(struct elf_file *f)
{
	uint64_t nr = f->eh.e_shnum, names = f->eh.e_shstrndx;
	Elf64_Shdr first;

	if (!f->eh.e_shoff || f->eh.e_shentsize != sizeof(first) ||
	    !elf_file_read(f, f->eh.e_shoff, &first, sizeof(first)))
		return;
	if (!nr)
		nr = first.sh_size;
	if (names == SHN_XINDEX)
		names = first.sh_link;
	if (nr > SECTIONS_MAX || names >= nr)
		return;
	f->sh = elf_file_dup(f, f->eh.e_shoff, nr * sizeof(*f->sh), UINT64_MAX);
	if (!f->sh)
		return;
	f->nr_sh = nr;
	if (f->sh[names].sh_type != SHT_NOBITS)
		f->names = elf_file_dup(f, f->sh[names].sh_offset, f->sh[names].sh_size, SECTION_NAMES_MAX);
	f->names_len = f->names ? f->sh[names].sh_size : 0;
}

static int read_headers(struct elf_file *f, struct err *e)
{
	if (!elf_file_read(f, 0, &f->eh, sizeof(f->eh)) || memcmp(f->eh.e_ident, ELFMAG, SELFMAG))
		return err_set(e, ENOEXEC, "not an ELF file");
	if (f->eh.e_ident[EI_CLASS] != ELFCLASS64 || f->eh.e_ident[EI_DATA] != HOST_DATA)
		return err_set(e, ENOEXEC, "not a 64-bit ELF file of this machine's byte order");
	if (f->eh.e_phentsize == sizeof(*f->ph))
		f->ph = elf_file_dup(f, f->eh.e_phoff, f->eh.e_phnum * sizeof(*f->ph), SEGMENTS_MAX * sizeof(*f->ph));
	f->nr_ph = f->ph ? f->eh.e_phnum : 0;
	elffile_read_sections(f);
	return 0;
}

static int open_common(const struct elf_file *what, struct elf_file **ret, struct err *e)
{
	AUTO(elf_file_free) struct elf_file *f = malloc(sizeof(*f));
	int rc;

	if (!f)
		return err_nomem(e, "an ELF reader");
	*f = *what;
	rc = read_headers(f, e);
	if (rc)
		return rc;
	*ret = take_ptr(f);
	return 0;
}

int elf_file_open(int fd, struct elf_file **ret, struct err *e)
{
	struct elf_file f = { .fd = fd };
	struct stat st;

	if (fstat(fd, &st))
		return err_set(e, errno, "cannot look at the file: %s", strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_size < 0)
		return err_set(e, EINVAL, "not a regular file");
	f.size = (uint64_t)st.st_size;
	return open_common(&f, ret, e);
}

int elf_file_memory(const void *data, size_t len, struct elf_file **ret, struct err *e)
{
	return open_common(&(struct elf_file){ .fd = -1, .mem = data, .size = len }, ret, e);
}

void elf_file_free(struct elf_file *f)
{
	if (!f)
		return;
	free(f->ph);
	free(f->sh);
	free(f->names);
	free(f);
}

const Elf64_Shdr *elf_file_section(const struct elf_file *f, const char *name)
{
	for (size_t i = 0; i < f->nr_sh; i++)
		if (f->sh[i].sh_name < f->names_len && !strcmp(f->names + f->sh[i].sh_name, name))
			return &f->sh[i];
	return NULL;
}

const Elf64_Shdr *elf_file_section_type(const struct elf_file *f, uint32_t type)
{
	for (size_t i = 0; i < f->nr_sh; i++)
		if (f->sh[i].sh_type == type)
			return &f->sh[i];
	return NULL;
}

bool elf_file_bytes(const struct elf_file *f, const Elf64_Shdr *sh, size_t max, struct elf_bytes *ret)
{
	void *data;

	data = sh->sh_type == SHT_NOBITS ? NULL : elf_file_dup(f, sh->sh_offset, sh->sh_size, max);
	if (!data)
		return false;
	*ret = (struct elf_bytes){ .data = data, .len = sh->sh_size };
	return true;
}

static uint64_t elffile_align4(uint64_t n)
{
	return (n + 3) & ~(uint64_t)3;
}

bool elf_note_next(const uint8_t **p, size_t *len, struct elf_note *ret)
{
	uint64_t name_len, desc_len;
	Elf64_Nhdr nh;

	if (*len < sizeof(nh))
		return false;
	memcpy(&nh, *p, sizeof(nh));
	name_len = elffile_align4(nh.n_namesz);
	desc_len = elffile_align4(nh.n_descsz);
	*p += sizeof(nh);
	*len -= sizeof(nh);
	if (name_len > *len || nh.n_descsz > *len - name_len)
		return false;
	*ret = (struct elf_note){ nh.n_type, *p, *p + name_len, nh.n_namesz, nh.n_descsz };
	/* The last one may lack its padding. */
	if (desc_len > *len - name_len)
		desc_len = *len - name_len;
	*p += name_len + desc_len;
	*len -= name_len + desc_len;
	return true;
}

static uint8_t build_id_at(const struct elf_file *f, uint64_t offset, uint64_t len, uint8_t id[BUILD_ID_MAX])
{
	AUTO_FREE uint8_t *notes = elf_file_dup(f, offset, len, ELF_NOTES_MAX);
	const uint8_t *p = notes;
	size_t left = notes ? len : 0;
	struct elf_note n;

	while (elf_note_next(&p, &left, &n)) {
		if (n.type == NT_GNU_BUILD_ID && n.name_len == 4 && !memcmp(n.name, "GNU", 4) && n.desc_len) {
			const uint8_t id_len = n.desc_len < BUILD_ID_MAX ? (uint8_t)n.desc_len : BUILD_ID_MAX;

			memcpy(id, n.desc, id_len);
			return id_len;
		}
	}
	return 0;
}

uint8_t elf_file_build_id(const struct elf_file *f, uint8_t id[BUILD_ID_MAX])
{
	uint8_t n = 0;

	for (size_t i = 0; i < f->nr_sh && !n; i++)
		if (f->sh[i].sh_type == SHT_NOTE)
			n = build_id_at(f, f->sh[i].sh_offset, f->sh[i].sh_size, id);
	for (size_t i = 0; i < f->nr_ph && !n; i++)
		if (f->ph[i].p_type == PT_NOTE)
			n = build_id_at(f, f->ph[i].p_offset, f->ph[i].p_filesz, id);
	return n;
}

/* The PT_LOAD for which (AT - BASE) < SIZE, with BASE its offset in the file or its address; executable ones first. */
static const Elf64_Phdr *load_of(const struct elf_file *f, uint64_t at, bool by_offset)
{
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < f->nr_ph; i++) {
			const Elf64_Phdr *ph = &f->ph[i];
			const uint64_t base = by_offset ? ph->p_offset : ph->p_vaddr;

			if (ph->p_type == PT_LOAD && !!(ph->p_flags & PF_X) == !pass && at >= base &&
			    at - base < ph->p_filesz)
				return ph;
		}
	}
	return NULL;
}

/*
 * Of a debug file, which has no code: the lowest address of what it belongs to, from which offsets are
 * counted then. False: F has code.
 */
static bool debug_only(const struct elf_file *f, uint64_t *ret_lowest)
{
	bool code = false;

	*ret_lowest = UINT64_MAX;
	for (size_t i = 0; i < f->nr_ph; i++) {
		const Elf64_Phdr *ph = &f->ph[i];

		if (ph->p_type != PT_LOAD)
			continue;
		if (ph->p_flags & PF_X && ph->p_filesz)
			return false;
		code |= ph->p_flags & PF_X && ph->p_memsz;
		*ret_lowest = ph->p_vaddr < *ret_lowest ? ph->p_vaddr : *ret_lowest;
	}
	return code;
}

/* Does what F belongs to have VADDR? */
static bool has_vaddr(const struct elf_file *f, uint64_t vaddr)
{
	for (size_t i = 0; i < f->nr_ph; i++) {
		const Elf64_Phdr *ph = &f->ph[i];

		if (ph->p_type == PT_LOAD && vaddr >= ph->p_vaddr && vaddr - ph->p_vaddr < ph->p_memsz)
			return true;
	}
	return false;
}

bool elf_file_vaddr(const struct elf_file *f, uint64_t offset, uint64_t *ret_vaddr)
{
	const Elf64_Phdr *ph = load_of(f, offset, true);
	uint64_t lowest;

	if (debug_only(f, &lowest)) {
		if (!has_vaddr(f, lowest + offset))
			return false;
		*ret_vaddr = lowest + offset;
		return true;
	}
	if (ph)
		*ret_vaddr = offset - ph->p_offset + ph->p_vaddr;
	return ph;
}

bool elf_file_offset(const struct elf_file *f, uint64_t vaddr, uint64_t *ret_offset)
{
	const Elf64_Phdr *ph = load_of(f, vaddr, false);
	uint64_t lowest;

	if (debug_only(f, &lowest)) {
		if (!has_vaddr(f, vaddr))
			return false;
		*ret_offset = vaddr - lowest;
		return true;
	}
	if (ph)
		*ret_offset = vaddr - ph->p_vaddr + ph->p_offset;
	return ph;
}
