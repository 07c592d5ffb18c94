/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elffile.h - reads foreign ELF files within limits: headers, sections, build-id, and file offset
 * <-> virtual address.
 *
 * Nothing is mapped: a file that shrinks while it is read gives an error and not SIGBUS. Only
 * 64-bit files of the byte order of this machine are read, because only such code is unwound. Every
 * size and count from the file is checked against the length of the file and a limit.
 */
#ifndef SBERF_SYMBOL_ELFFILE_H
#define SBERF_SYMBOL_ELFFILE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "model/raw.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file {                    /* read-only to everybody else */
	int fd;                      /* borrowed; -1 when in memory */
	const uint8_t *mem;          /* borrowed; NULL when in a file */
	uint64_t size;               /* of the file, bytes */
	Elf64_Ehdr eh;
	Elf64_Phdr *ph;
	size_t nr_ph;
	Elf64_Shdr *sh;              /* NULL when the file has no section headers */
	size_t nr_sh;
	char *names;                 /* of sections, NUL-terminated as a whole */
	size_t names_len;
};

/* Bytes read from a file, owned by whoever asked. */
struct elf_bytes {
	uint8_t *data;               /* malloc'ed; a NUL stands behind the last byte */
	size_t len;
};

/*
 * Reads the headers of the file at FD (borrowed as long as the result is used; must be a regular
 * file, else -EINVAL), or of the LEN bytes at DATA (likewise borrowed). -ENOEXEC with a sentence
 * for what is not such an ELF file.
 */
int elf_file_open(int fd, struct elf_file **ret, struct err *e);
int elf_file_memory(const void *data, size_t len, struct elf_file **ret, struct err *e);
void elf_file_free(struct elf_file *f);          /* NULL is fine; the fd stays open */

/* LEN bytes at OFFSET into BUF; false when the file does not hold them. */
bool elf_file_read(const struct elf_file *f, uint64_t offset, void *buf, size_t len);

/*
 * A copy of LEN bytes at OFFSET, malloc'ed, with a NUL behind; NULL when they are not all there,
 * none, or more than MAX.
 */
void *elf_file_dup(const struct elf_file *f, uint64_t offset, uint64_t len, uint64_t max);

/* The section called NAME, or the first of TYPE; NULL when there is none. */
const Elf64_Shdr *elf_file_section(const struct elf_file *f, const char *name);
const Elf64_Shdr *elf_file_section_type(const struct elf_file *f, uint32_t type);

/* All bytes of section SH (SHT_NOBITS: none), refused when more than MAX or more than the file holds. */
bool elf_file_bytes(const struct elf_file *f, const Elf64_Shdr *sh, size_t max, struct elf_bytes *ret);

#define ELF_NOTES_MAX (1u << 20) /* bytes of notes that are worth reading */

struct elf_note {
	uint32_t type;
	const uint8_t *name, *desc;
	uint32_t name_len, desc_len;
};

/* Takes the next note off the *LEN bytes at *P; false at their end, or where they make no sense any more. */
bool elf_note_next(const uint8_t **p, size_t *len, struct elf_note *ret);

/* The build-id copied to ID; returns its length, 0 = none. Longer ones are cut at BUILD_ID_MAX, as the kernel does. */
uint8_t elf_file_build_id(const struct elf_file *f, uint8_t id[BUILD_ID_MAX]);

/*
 * By the PT_LOAD that covers it, executable ones first; false when none does. In a debug file, whose program
 * headers have lost their offsets, an offset counts from the lowest address: as in the file that it belongs to,
 * when that was linked as GNU ld does by default.
 */
bool elf_file_vaddr(const struct elf_file *f, uint64_t offset, uint64_t *ret_vaddr);
bool elf_file_offset(const struct elf_file *f, uint64_t vaddr, uint64_t *ret_offset);

DEFINE_AUTO(elf_file_free, struct elf_file);

#endif
