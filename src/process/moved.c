/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * moved.c - see moved.h. Where the file would have its text follows from its program headers and
 * one mapping of it.
 */
#include "config.h"

#include "process/moved.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define SEGMENTS_MAX 64u
#define PIECES 32u               /* compared at most */
#define PIECE_BYTES 64u
#define PIECES_MIN 2u            /* that say something: filling is everywhere the same */
#define BLOCK 4096u
#define BLOCKS 16384u            /* that are looked through for them: 64 MB */
#define PATCHED 8u               /* of so many pieces one may differ */

struct segments {
	Elf64_Phdr at[SEGMENTS_MAX];
	unsigned int n;
};

/* The PT_LOADs of the file FD. False when it is none that is executed here. */
static bool moved_read_segments(int fd, struct segments *ret)
{
	Elf64_Ehdr h;
	Elf64_Phdr p;

	ret->n = 0;
	if (pread(fd, &h, sizeof(h), 0) != (ssize_t)sizeof(h) || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
	    h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_phentsize != sizeof(p) ||
	    h.e_phoff > INT64_MAX - UINT16_MAX * sizeof(p))
		return false;
	for (unsigned int i = 0; i < h.e_phnum && ret->n < SEGMENTS_MAX; i++) {
		if (pread(fd, &p, sizeof(p), (off_t)(h.e_phoff + i * sizeof(p))) != (ssize_t)sizeof(p))
			return false;
		if (p.p_type == PT_LOAD && p.p_filesz && p.p_filesz <= p.p_memsz &&
		    p.p_offset <= INT64_MAX - p.p_filesz && p.p_vaddr <= UINT64_MAX - p.p_memsz)
			ret->at[ret->n++] = p;
	}
	return ret->n > 0;
}

static uint64_t moved_page_of(uint64_t at)
{
	return at & ~((uint64_t)sysconf(_SC_PAGESIZE) - 1);
}

/*
 * Which segment the mapping of M is of. Two may have a page of the file in common: one is executed,
 * or one begins there.
 */
static const Elf64_Phdr *mapped_segment(const struct segments *s, const struct moved *m)
{
	const Elf64_Phdr *best = NULL;

	for (unsigned int i = 0; i < s->n; i++) {
		const Elf64_Phdr *p = &s->at[i];

		if (!(p->p_flags & PF_X) != !m->exec || m->pgoff < moved_page_of(p->p_offset) ||
		    m->pgoff >= p->p_offset + p->p_filesz)
			continue;
		if (!best || moved_page_of(p->p_offset) == m->pgoff)
			best = p;
	}
	return best;
}

/* The executable segment that begins no later than M, with BIAS added to its addresses, and no other one is there. */
static const Elf64_Phdr *text_segment(const struct segments *s, const struct moved *m, uint64_t bias)
{
	const Elf64_Phdr *text = NULL;

	for (unsigned int i = 0; i < s->n; i++) {
		const Elf64_Phdr *p = &s->at[i];
		const uint64_t from = moved_page_of(p->p_vaddr) + bias, to = p->p_vaddr + bias + p->p_memsz;

		if (m->start >= to || m->end <= from)
			continue;
		if (text || !(p->p_flags & PF_X) || m->start < from)
			return NULL;
		text = p;
	}
	return text;
}

/* Does a piece say nothing, as it is filled with one byte? */
static bool is_filling(const uint8_t *piece, size_t n)
{
	return !memcmp(piece, piece + 1, n - 1);
}

/* What a comparison of memory with a file has come to. */
struct comparison {
	int fd;
	uint64_t offset;         /* in FD */
	pid_t pid;
	uint64_t from;           /* in the memory of PID */
	uint64_t len;
	unsigned int said, same; /* pieces that say something; those that are the same */
	unsigned int blocks;     /* of the file that may still be looked through */
};

/* Compares the piece WANT, which lies AT bytes behind the beginning, with the memory. */
static int compare_piece(struct comparison *c, uint64_t at, const uint8_t want[PIECE_BYTES], struct err *e)
{
	uint8_t have[PIECE_BYTES];
	const struct iovec local = { have, sizeof(have) }, remote = { (void *)(uintptr_t)(c->from + at), sizeof(have) };

	if (is_filling(want, PIECE_BYTES))
		return 0;
	c->said++;
	if (process_vm_readv(c->pid, &local, 1, &remote, 1, 0) == (ssize_t)sizeof(have))
		c->same += !memcmp(want, have, sizeof(have));
	else if (errno != EFAULT)
		return err_set(e, errno, "cannot read the memory of process %d: %s", (int)c->pid, strerror(errno));
	return 0;
}

/* Pieces all over it. */
static int compare_some(struct comparison *c, struct err *e)
{
	int r = 0;

	for (unsigned int i = 0; !r && c->len >= PIECE_BYTES && i < PIECES; i++) {
		const uint64_t at = (c->len - PIECE_BYTES) / (PIECES - 1) * i;
		uint8_t want[PIECE_BYTES];

		if (pread(c->fd, want, sizeof(want), (off_t)(c->offset + at)) != (ssize_t)sizeof(want))
			return err_set(e, EIO, "the file is too short");
		r = compare_piece(c, at, want, e);
	}
	return r;
}

/* Where nearly all is filling, the pieces that say something are looked for, from the beginning on. */
static int compare_rest(struct comparison *c, struct err *e)
{
	uint8_t block[BLOCK];
	int r = 0;

	for (uint64_t at = 0; !r && c->said < PIECES && c->len - at >= PIECE_BYTES && c->blocks; c->blocks--) {
		const uint64_t left = c->len - at, n = (left < BLOCK ? left : BLOCK) & ~(uint64_t)(PIECE_BYTES - 1);

		if (pread(c->fd, block, n, (off_t)(c->offset + at)) != (ssize_t)n)
			return err_set(e, EIO, "the file is too short");
		for (uint64_t i = 0; !r && i < n && c->said < PIECES; i += PIECE_BYTES)
			r = compare_piece(c, at + i, block + i, e);
		at += n;
	}
	return r;
}

/* The LEN bytes at FROM in PID beside those at OFFSET in FD. */
static int moved_compare(int fd, uint64_t offset, pid_t pid, uint64_t from, uint64_t len, struct err *e)
{
	struct comparison c = { .fd = fd, .offset = offset, .pid = pid, .from = from, .len = len, .blocks = BLOCKS };
	int r = compare_some(&c, e);

	if (!r && c.said < PIECES_MIN) {
		c.said = c.same = 0;
		r = compare_rest(&c, e);
	}
	if (r)
		return r;
	if (c.said < PIECES_MIN || (c.said - c.same) * PATCHED > c.said)
		return err_set(e, ESTALE, "the memory has other bytes than the file");
	return 0;
}

int moved_check(int fd, pid_t pid, const struct moved *m, uint64_t *ret_offset, struct err *e)
{
	const Elf64_Phdr *mapped, *text;
	struct segments s;
	uint64_t bias, from, to;
	int r;

	if (!moved_read_segments(fd, &s))
		return err_set(e, ESTALE, "it is no 64-bit ELF file");
	mapped = mapped_segment(&s, m);
	if (!mapped)
		return err_set(e, ESTALE, "it is mapped otherwise than its headers say");
	bias = m->addr - (mapped->p_vaddr - mapped->p_offset + m->pgoff);
	text = text_segment(&s, m, bias);
	if (!text)
		return err_set(e, ESTALE, "its text belongs elsewhere");
	from = text->p_vaddr + bias > m->start ? text->p_vaddr + bias : m->start;
	to = text->p_vaddr + bias + text->p_filesz < m->end ? text->p_vaddr + bias + text->p_filesz : m->end;
	if (from >= to)
		return err_set(e, ESTALE, "its text belongs elsewhere");
	r = moved_compare(fd, text->p_offset + (from - bias - text->p_vaddr), pid, from, to - from, e);
	if (!r)
		*ret_offset = text->p_offset - text->p_vaddr - bias + m->start;
	return r;
}
