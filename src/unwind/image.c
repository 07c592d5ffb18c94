// SPDX-License-Identifier: BSD-2-Clause
/*
 * image.c - reads of an ELF file what unwinding needs, and nothing more.
 *
 * Everything in the file is somebody else's: each offset and size is checked against the file and
 * against a cap before anything is allocated. The call-frame sections are found by their section
 * headers, or, in files that have none, from the PT_GNU_EH_FRAME header, whose pointer names the
 * start of .eh_frame (LSB 5.0, section 10.6.2).
 */
#include "config.h"

#include "unwind/image.h"
#include "symbol/unpack.h"
#include "unwind/arch.h"
#include "unwind/image_remote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CFI_MAX (128ull << 20)           /* bytes of one call-frame section */
#define UNPACKED_MAX (32ull << 20)       /* the same of a compressed one, unpacked */
#define DYNAMIC_MAX (64u << 10)
#define NOT_FIT "is damaged, or has what no compiler writes"

/* In this order libdw has to find them: it looks for no table behind .eh_frame (elfutils, libdw/dwarf_getcfi_elf.c). */
enum { SEC_EH_FRAME_HDR, SEC_EH_FRAME, SEC_DEBUG_FRAME, SEC_NR };

/* What is known while an image is being read. */
struct reader {
	const struct elf_file *f;
	struct image *im;
	struct image_section sec[SEC_NR];
	Elf64_Phdr eh_hdr;               /* p_memsz 0 = none */
	uint64_t pclntab, pclntab_size, text;
	Elf64_Shdr relro;                /* sh_size 0 = none */
};

static int image_check_header(const struct reader *r, struct err *e)
{
	const Elf64_Ehdr *eh = &r->f->eh;

	if (eh->e_type != ET_EXEC && eh->e_type != ET_DYN)
		return err_set(e, ENOEXEC, "neither a program nor a shared library");
	if (!r->f->nr_ph)
		return err_set(e, ENOEXEC, "its program headers cannot be used");
	r->im->machine = eh->e_machine;
	r->im->arch = unwind_arch_of(eh->e_machine);
	r->im->entry = eh->e_entry;
	return 0;
}

/* Looks through the notes of one segment for the one that Go's linker writes. */
static void read_notes(struct reader *r, const Elf64_Phdr *ph)
{
	AUTO_FREE uint8_t *notes = elf_file_dup(r->f, ph->p_offset, ph->p_filesz, ELF_NOTES_MAX);
	size_t left = notes ? ph->p_filesz : 0;
	const uint8_t *p = notes;
	struct elf_note n;

	while (elf_note_next(&p, &left, &n))
		if (n.name_len == 4 && memcmp(n.name, "Go\0", 4) == 0)
			r->im->go = true;
}

static bool needs_library(struct reader *r, const Elf64_Phdr *ph)
{
	AUTO_FREE Elf64_Dyn *dyn = elf_file_dup(r->f, ph->p_offset, ph->p_filesz, DYNAMIC_MAX);

	for (size_t i = 0; dyn && i < ph->p_filesz / sizeof(*dyn) && dyn[i].d_tag != DT_NULL; i++)
		if (dyn[i].d_tag == DT_NEEDED)
			return true;
	return false;
}

static void image_read_segment(struct reader *r, const Elf64_Phdr *ph)
{
	struct image *im = r->im;

	switch (ph->p_type) {
	case PT_LOAD:
		im->loads[im->nr_loads++] = (struct image_load){
			.offset = ph->p_offset, .filesz = ph->p_filesz, .vaddr = ph->p_vaddr, .memsz = ph->p_memsz,
				.exec = ph->p_flags & PF_X };
		break;
	case PT_NOTE:
		read_notes(r, ph);
		break;
	case PT_DYNAMIC:
		im->no_needed = !needs_library(r, ph);
		break;
	case PT_GNU_EH_FRAME:
		r->eh_hdr = *ph;
		break;
	}
}

static int image_read_segments(struct reader *r, struct err *e)
{
	r->im->loads = calloc(r->f->nr_ph, sizeof(*r->im->loads));
	if (!r->im->loads)
		return err_nomem(e, "an ELF image");
	r->im->no_needed = true;
	for (size_t i = 0; i < r->f->nr_ph; i++)
		image_read_segment(r, &r->f->ph[i]);
	return 0;
}

/* Section S, which was there, is of no use: why. The first one of a file is kept. */
static void lose_section(struct image *im, const struct image_section *s, const char *why)
{
	if (!im->lacks.code)
		err_set(&im->lacks, ENOTSUP, "its call-frame information in %s %s", s->name, why);
}

static void take_section(struct reader *r, int which, const char *name, const Elf64_Shdr *sh)
{
	struct image_section *s = &r->sec[which];

	if (s->bytes || sh->sh_type == SHT_NOBITS)
		return;
	s->name = name;
	s->bytes = elf_file_dup(r->f, sh->sh_offset, sh->sh_size, CFI_MAX);
	if (!s->bytes && sh->sh_size)
		lose_section(r->im, s, "is larger than 128 MiB, or not in the file");
	if (!s->bytes)
		return;
	*s = (struct image_section){ name, sh->sh_addr, sh->sh_size,
				     sh->sh_flags & (SHF_ALLOC | SHF_COMPRESSED), s->bytes };
	if (s->flags & SHF_COMPRESSED) {
		Elf64_Chdr ch;

		/* What unpacks to more than the cap is left out, as if it were not there. */
		if (s->size < sizeof(ch) || (memcpy(&ch, s->bytes, sizeof(ch)), ch.ch_size > UNPACKED_MAX)) {
			lose_section(r->im, s, "is compressed and would be more than 32 MiB, or damaged");
			free(s->bytes);
			s->bytes = NULL;
		}
	}
}

/* Drops what libdw must not read. */
static void check_sections(struct reader *r)
{
	struct image_section *eh = &r->sec[SEC_EH_FRAME], *debug = &r->sec[SEC_DEBUG_FRAME];
	const bool had_eh = eh->bytes, had_debug = debug->bytes;

	image_check_cfi(eh, &r->sec[SEC_EH_FRAME_HDR]);
	if (!(debug->flags & SHF_COMPRESSED))
		image_check_cfi(debug, NULL);
	if (had_eh && !eh->bytes)
		lose_section(r->im, eh, NOT_FIT);
	if (had_debug && !debug->bytes)
		lose_section(r->im, debug, NOT_FIT);
}

static void read_section(struct reader *r, const char *name, const Elf64_Shdr *sh)
{
	if (strcmp(name, ".eh_frame") == 0)
		take_section(r, SEC_EH_FRAME, ".eh_frame", sh);
	else if (strcmp(name, ".eh_frame_hdr") == 0)
		take_section(r, SEC_EH_FRAME_HDR, ".eh_frame_hdr", sh);
	else if (strcmp(name, ".debug_frame") == 0)
		take_section(r, SEC_DEBUG_FRAME, ".debug_frame", sh);
	else if (strcmp(name, ".plt") == 0 && sh->sh_size <= UINT64_MAX - sh->sh_addr)
		r->im->plt = (struct image_range){ sh->sh_addr, sh->sh_addr + sh->sh_size };
	else if (strcmp(name, ".text") == 0)
		r->text = sh->sh_addr;
	else if (strcmp(name, ".data.rel.ro") == 0 && sh->sh_type != SHT_NOBITS)
		r->relro = *sh;
	else if (strcmp(name, ".gopclntab") == 0 || strcmp(name, ".data.rel.ro.gopclntab") == 0) {
		r->im->go = true;
		r->pclntab = sh->sh_offset;
		r->pclntab_size = sh->sh_size;
	}
}

static void image_read_sections(struct reader *r)
{
	const struct elf_file *f = r->f;

	for (size_t i = 1; i < f->nr_sh; i++)
		if (f->sh[i].sh_name < f->names_len)
			read_section(r, f->names + f->sh[i].sh_name, &f->sh[i]);
}

/*
 * The value at P, encoded as ENC (LSB 5.0 table 10-5), relative to PC or to the header at DATA;
 * false when not supported.
 */
static bool read_encoded(const uint8_t *p, size_t len, uint8_t enc, uint64_t pc, uint64_t data, uint64_t *ret)
{
	int32_t v32;
	uint64_t v;

	switch (enc & 0x0f) {
	case 0x00: case 0x04: case 0x0c:         /* absptr, udata8, sdata8 */
		if (len < 8)
			return false;
		memcpy(&v, p, 8);
		break;
	case 0x03: case 0x0b:                    /* udata4, sdata4 */
		if (len < 4)
			return false;
		memcpy(&v32, p, 4);
		v = (enc & 0x0f) == 0x03 ? (uint32_t)v32 : (uint64_t)(int64_t)v32;
		break;
	default:
		return false;
	}
	switch (enc & 0xf0) {
	case 0x00: *ret = v; return true;
	case 0x10: *ret = v + pc; return true;   /* pcrel */
	case 0x30: *ret = v + data; return true; /* datarel */
	default: return false;
	}
}

static const struct image_load *load_at(const struct image *im, uint64_t vaddr)
{
	for (uint32_t i = 0; i < im->nr_loads; i++)
		if (vaddr >= im->loads[i].vaddr && vaddr - im->loads[i].vaddr < im->loads[i].filesz)
			return &im->loads[i];
	return NULL;
}

/*
 * For files without section headers: .eh_frame starts where its header says and ends, at the
 * latest, with its segment.
 */
static void read_eh_by_segment(struct reader *r)
{
	struct image_section *hdr = &r->sec[SEC_EH_FRAME_HDR], *eh = &r->sec[SEC_EH_FRAME];
	const Elf64_Phdr *ph = &r->eh_hdr;
	const struct image_load *l;
	uint64_t vaddr, skip;

	if (ph->p_memsz == 0 || eh->bytes)
		return;
	free(hdr->bytes);
	*hdr = (struct image_section){ ".eh_frame_hdr", ph->p_vaddr, ph->p_filesz, SHF_ALLOC,
				       elf_file_dup(r->f, ph->p_offset, ph->p_filesz, CFI_MAX) };
	if (!hdr->bytes || hdr->size < 4 ||
	    !read_encoded(hdr->bytes + 4, hdr->size - 4, hdr->bytes[1], hdr->addr + 4, hdr->addr, &vaddr))
		return;
	l = load_at(r->im, vaddr);
	if (!l)
		return;
	skip = vaddr - l->vaddr;
	*eh = (struct image_section){ ".eh_frame", vaddr, l->filesz - skip, SHF_ALLOC,
				      elf_file_dup(r->f, l->offset + skip, l->filesz - skip, CFI_MAX) };
}

/* The section S, .debug_frame, is not used: libdw does not say whether it could not unpack it. */
static void lose_debug(struct image *im, const struct image_section *s)
{
	Elf64_Chdr ch;

	if (!(s->flags & SHF_COMPRESSED)) {
		lose_section(im, s, NOT_FIT);
	} else if (!im->lacks.code) {
		memcpy(&ch, s->bytes, sizeof(ch));
		unpack_refused("its call-frame information in .debug_frame", ch.ch_type, &im->lacks);
	}
}

static int read_image(struct reader *r, struct err *e)
{
	int err = image_check_header(r, e);

	if (!err)
		err = image_read_segments(r, e);
	if (err)
		return err;
	r->im->build_id_len = elf_file_build_id(r->f, r->im->build_id);
	image_read_sections(r);
	read_eh_by_segment(r);
	image_find_gaps(r->im, r->f, &r->sec[SEC_EH_FRAME_HDR], &r->sec[SEC_EH_FRAME]);
	check_sections(r);
	err = image_build_copy(r->im, r->f->eh.e_type, r->sec, SEC_NR, e);
	if (err)
		return err;
	if (r->sec[SEC_EH_FRAME].bytes && !r->im->copy.eh)
		lose_section(r->im, &r->sec[SEC_EH_FRAME], NOT_FIT);
	if (r->sec[SEC_DEBUG_FRAME].bytes && !r->im->debug)
		lose_debug(r->im, &r->sec[SEC_DEBUG_FRAME]);
	image_find_marks(r->im, r->f);
	/* The C linker that makes position-independent programs puts it among other data. */
	if (r->im->go && !r->pclntab_size && image_find_go(r->f, r->relro.sh_offset, r->relro.sh_size, &r->pclntab))
		r->pclntab_size = r->relro.sh_size - (r->pclntab - r->relro.sh_offset);
	if (r->pclntab_size)
		image_read_go(r->im, r->f, r->pclntab, r->pclntab_size, r->text);
	return 0;
}

static int open_elf(const struct elf_file *f, struct image **ret, struct err *e)
{
	AUTO(image_free) struct image *im = calloc(1, sizeof(*im));
	struct reader r = { .f = f, .im = im };
	int err;

	if (!im)
		return err_nomem(e, "an ELF image");
	err = read_image(&r, e);
	for (int i = 0; i < SEC_NR; i++)
		free(r.sec[i].bytes);
	if (!err)
		*ret = take_ptr(im);
	return err;
}

int image_open(int fd, struct image **ret, struct err *e)
{
	AUTO(elf_file_free) struct elf_file *f = NULL;
	const int err = elf_file_open(fd, &f, e);

	return err ? err : open_elf(f, ret, e);
}

int image_from_memory(const void *data, size_t len, struct image **ret, struct err *e)
{
	AUTO(elf_file_free) struct elf_file *f = NULL;
	const int err = elf_file_memory(data, len, &f, e);

	return err ? err : open_elf(f, ret, e);
}

int image_from_cfi(uint32_t machine, uint64_t size, const void *data, size_t len, struct image **ret, struct err *e)
{
	AUTO(image_free) struct image *im = calloc(1, sizeof(*im));
	struct image_section eh = { ".eh_frame", (size + 7) & ~7ull, len, SHF_ALLOC, malloc(len ? len : 1) };
	int err = -ENOEXEC;

	if (im)
		im->loads = calloc(1, sizeof(*im->loads));
	if (!im || !im->loads || !eh.bytes) {
		free(eh.bytes);
		return err_nomem(e, "call-frame information");
	}
	im->machine = (uint16_t)machine;
	im->arch = unwind_arch_of(machine);
	im->nr_loads = 1;
	*im->loads = (struct image_load){ .filesz = size, .exec = true };
	memcpy(eh.bytes, data, len);
	image_check_cfi(&eh, NULL);
	if (eh.bytes)
		err = image_build_copy(im, ET_DYN, &eh, 1, e);
	free(eh.bytes);
	if (!err && !im->copy.eh)
		err = err_set(e, ENOEXEC, "its call-frame information cannot be used");
	if (!err)
		*ret = take_ptr(im);
	return err;
}

void image_free(struct image *im)
{
	if (!im)
		return;
	if (im->dwarf)
		dwarf_end(im->dwarf);
	image_copy_free(&im->copy);
	image_copy_free(&im->parts);
	image_remote_free(im->remote);
	free(im->loads);
	vec_free(&im->marks);
	vec_free(&im->frames);
	vec_free(&im->split);
	go_table_free(im->go_table);
	free(im);
}

const struct err *image_lacks(const struct image *im)
{
	return &im->lacks;
}

uint8_t image_build_id(const struct image *im, uint8_t id[BUILD_ID_MAX])
{
	memcpy(id, im->build_id, im->build_id_len);
	return im->build_id_len;
}

bool image_vaddr(const struct image *im, uint64_t offset, uint64_t *ret_vaddr)
{
	const struct image_load *found = NULL;

	for (uint32_t i = 0; i < im->nr_loads; i++) {
		const struct image_load *l = &im->loads[i];

		if (offset < l->offset || offset - l->offset >= l->filesz)
			continue;
		if (!found || (l->exec && !found->exec))
			found = l;
	}
	if (!found)
		return false;
	*ret_vaddr = offset - found->offset + found->vaddr;
	return true;
}

bool image_holds(const struct image *im, uint64_t vaddr)
{
	for (uint32_t i = 0; i < im->nr_loads; i++)
		if (vaddr >= im->loads[i].vaddr && vaddr - im->loads[i].vaddr < im->loads[i].memsz)
			return true;
	return false;
}

size_t image_bytes(const struct image *im)
{
	return sizeof(*im) + image_remote_bytes(im->remote) + im->copy.size + im->parts.size +
	       im->nr_loads * sizeof(*im->loads) + im->marks.cap * sizeof(*im->marks.v) +
	       im->frames.cap * sizeof(*im->frames.v) + im->split.cap * sizeof(*im->split.v) +
	       go_table_bytes(im->go_table);
}
