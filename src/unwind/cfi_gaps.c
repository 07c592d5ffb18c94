// SPDX-License-Identifier: BSD-2-Clause
/*
 * cfi_gaps.c - finds code without CFI that keeps frame pointers.
 *
 * What the table of .eh_frame_hdr (LSB 5.0, section 10.6.2) does not cover is looked at: before its
 * first entry, between two of them, behind the last, or all code of a file without table. Mostly
 * these are functions that were compiled without unwind tables, each of which shows by how it
 * begins if it keeps a frame pointer (image_frames_x86_64.c).
 *
 * V8 keeps its built-in functions, a megabyte and a half of code that its own compiler wrote, in
 * the text of node: no CFI, but frame pointers, as in the code that it writes at run time. Such a
 * block is told by two things: a long way between two entries, and many functions in it that begin
 * by setting up a frame pointer. Hand-written code without CFI, which keeps none, has few of these.
 */
#include "config.h"

#include "base/order.h"
#include "base/sorted.h"
#include "unwind/arch.h"
#include "unwind/image_impl.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_MIN (64u << 10)            /* bytes of a block of another compiler's */
#define GAP_MIN 16u                      /* bytes: less is what functions are aligned by */
#define GAP_MAX (64u << 20)
#define GAPS_MAX 16384u                  /* looked at per file */
#define SECTIONS_MAX 64u                 /* of code: files with more are read by their segments */
#define READ_BYTES (16u << 10)           /* at least, at once: further gaps are mostly small and near */
#define FRAMES_MAX (1u << 17)            /* per file */
#define BYTES_PER_PROLOGUE 4096u         /* at most, on average */
#define TABLE 12u                        /* offset of the first entry, for the encodings below */
#define ENTRY 8u                         /* bytes: start of the code, FDE; both relative to the section */
#define FDE_HEAD 16u                     /* bytes: length, CIE, start and size of the code, as nearly all encode them */

size_t eh_table_entries(const struct image_section *hdr)
{
	uint32_t n;

	/* version 1; .eh_frame pcrel sdata4, count udata4, table datarel sdata4 */
	if (!hdr->bytes || hdr->size < TABLE || memcmp(hdr->bytes, "\x01\x1b\x03\x3b", 4) != 0)
		return 0;
	memcpy(&n, hdr->bytes + 8, sizeof(n));
	return n <= (hdr->size - TABLE) / ENTRY ? n : 0;
}

struct eh_entry eh_table_entry(const struct image_section *hdr, size_t i)
{
	int32_t rel[2];

	memcpy(rel, hdr->bytes + TABLE + i * ENTRY, sizeof(rel));
	return (struct eh_entry){ hdr->addr + (uint64_t)(int64_t)rel[0], hdr->addr + (uint64_t)(int64_t)rel[1] };
}

/* Where the code of entry I of HDR ends, as its FDE in EH says; where it begins when that does not tell. */
static uint64_t entry_end(const struct image_section *hdr, const struct image_section *eh, size_t i)
{
	const struct eh_entry e = eh_table_entry(hdr, i);
	const uint64_t at = e.fde - eh->addr;
	int32_t start;
	uint32_t size;

	if (!eh->bytes || e.fde < eh->addr || eh->size < FDE_HEAD || at > eh->size - FDE_HEAD)
		return e.start;
	memcpy(&start, eh->bytes + at + 8, sizeof(start));
	memcpy(&size, eh->bytes + at + 12, sizeof(size));
	return e.fde + 8 + (uint64_t)(int64_t)start == e.start && size <= UINT64_MAX - e.start ?
		e.start + size : e.start;
}

/* Code that is being looked through for gaps: a section, or a segment where sections are not known. */
struct gaps {
	struct image *im;
	const struct elf_file *f;
	const range_vec *covered;
	struct image_load area;
	unsigned int seen;
	uint8_t *bytes;          /* NR_BYTES bytes of the file at offset AT */
	uint64_t at;
	size_t nr_bytes;
};

/* LEN bytes of the file at OFFSET, which lie in the area; valid until the next call. NULL = they cannot be read. */
static const uint8_t *gap_bytes(struct gaps *g, uint64_t offset, size_t len)
{
	const uint64_t left = g->area.offset + g->area.filesz - offset;

	if (g->bytes && offset >= g->at && offset - g->at <= g->nr_bytes && len <= g->nr_bytes - (offset - g->at))
		return g->bytes + (offset - g->at);
	free(g->bytes);
	g->at = offset;
	g->nr_bytes = len < READ_BYTES && left > len ? left < READ_BYTES ? left : READ_BYTES : len;
	g->bytes = elf_file_dup(g->f, offset, g->nr_bytes, GAP_MAX);
	/* A segment may say that it reaches beyond the end of the file. */
	if (!g->bytes && g->nr_bytes > len) {
		g->nr_bytes = len;
		g->bytes = elf_file_dup(g->f, offset, len, GAP_MAX);
	}
	return g->bytes;
}

/* The code from START to END of the area has no entry; INNER: there is one before and one behind. */
static void look_at_gap(struct gaps *g, uint64_t start, uint64_t end, bool inner)
{
	const uint8_t *text;
	size_t len;

	if (start < g->area.vaddr)
		start = g->area.vaddr;
	if (end - g->area.vaddr > g->area.filesz)
		end = g->area.vaddr + g->area.filesz;
	if (end <= start || end - start < GAP_MIN || end - start > GAP_MAX || g->seen++ >= GAPS_MAX)
		return;
	len = end - start;
	text = gap_bytes(g, g->area.offset + (start - g->area.vaddr), len);
	if (!text)
		return;
	if (inner && len >= BLOCK_MIN && g->im->arch->count_prologues(text, len) >= len / BYTES_PER_PROLOGUE)
		image_add_mark(g->im, MARK_FP, start, end);
	else if (g->im->arch->find_frames)
		g->im->arch->find_frames(g->im, text, len, start);
}

static bool in_segment(const struct image_load *l, uint64_t vaddr)
{
	return vaddr >= l->vaddr && vaddr - l->vaddr < l->filesz;
}

static bool in_code(const struct image *im, uint64_t vaddr)
{
	for (uint32_t i = 0; i < im->nr_loads; i++)
		if (im->loads[i].exec && in_segment(&im->loads[i], vaddr))
			return true;
	return false;
}

static bool cfi_gaps_cover(range_vec *c, uint64_t start, uint64_t end)
{
	struct image_range *r = vec_push(c);

	if (r)
		*r = (struct image_range){ start, end };
	return r;
}

/* The code that the N entries of HDR are about, in the order of these, to C. */
static bool cover_by_table(range_vec *c, const struct image_section *hdr, const struct image_section *eh, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!cfi_gaps_cover(c, eh_table_entry(hdr, i).start, entry_end(hdr, eh, i)))
			return false;
	return true;
}

static int cfi_gaps_by_start(const void *a, const void *b)
{
	const struct image_range *x = a, *y = b;

	return compare_numbers(x->start, y->start);
}

/*
 * The same of the entries themselves, where there is no table of them. False when they are encoded
 * in another way than usual.
 */
static bool cover_by_entries(const struct image *im, range_vec *c, const struct image_section *eh)
{
	uint32_t word[2], size;
	int32_t start;
	uint64_t from;

	for (uint64_t at = 0; eh->size - at >= FDE_HEAD; at += 4 + word[0]) {
		memcpy(word, eh->bytes + at, sizeof(word));
		if (word[0] == 0)
			break;
		if (word[0] == UINT32_MAX || word[0] > eh->size - at - 4 || word[0] < 4)
			return false;
		if (word[1] == 0)
			continue;        /* a CIE */
		memcpy(&start, eh->bytes + at + 8, sizeof(start));
		memcpy(&size, eh->bytes + at + 12, sizeof(size));
		from = eh->addr + at + 8 + (uint64_t)(int64_t)start;
		if (word[0] < FDE_HEAD - 4 || !in_code(im, from) || !cfi_gaps_cover(c, from, from + size))
			return false;
	}
	if (c->n)
		qsort(c->v, c->n, sizeof(*c->v), cfi_gaps_by_start);
	return true;
}

static void look_at_area(struct gaps *g)
{
	uint64_t known = g->area.vaddr;
	bool any = false;

	for (size_t i = 0; i < g->covered->n; i++) {
		const struct image_range *r = &g->covered->v[i];

		if (!in_segment(&g->area, r->start) || r->start < known)
			continue;
		look_at_gap(g, known, r->start, any);
		known = r->end;
		any = true;
	}
	look_at_gap(g, known, UINT64_MAX, false);
}

static bool gap_is_code(const Elf64_Shdr *sh)
{
	return (sh->sh_flags & SHF_ALLOC) && (sh->sh_flags & SHF_EXECINSTR) && sh->sh_type != SHT_NOBITS;
}

/* Looks at the sections of code in the segment L; at all of it where these are not known. */
static void look_at_segment(struct gaps *g, const struct image_load *l, bool by_section)
{
	uint64_t behind = l->vaddr;

	g->area = *l;
	if (!by_section)
		look_at_area(g);
	for (size_t i = 1; by_section && i < g->f->nr_sh; i++) {
		const Elf64_Shdr *sh = &g->f->sh[i];

		/* They are in order, and what is not is left out, so that nothing is looked at twice. */
		if (!gap_is_code(sh) || !in_segment(l, sh->sh_addr) || sh->sh_addr < behind ||
		    sh->sh_size > l->filesz - (sh->sh_addr - l->vaddr))
			continue;
		g->area.vaddr = sh->sh_addr;
		g->area.offset = l->offset + (sh->sh_addr - l->vaddr);
		g->area.filesz = sh->sh_size;
		look_at_area(g);
		behind = sh->sh_addr + sh->sh_size;
	}
}

void image_find_gaps(struct image *im, const struct elf_file *f, const struct image_section *hdr,
		     const struct image_section *eh)
{
	const size_t n = eh_table_entries(hdr);
	range_vec covered = { 0 };
	struct gaps g = { .im = im, .f = f, .covered = &covered };
	size_t sections = 0;
	bool known = true;

	/* Go has a table of its own. */
	if (!im->arch || im->go)
		return;
	if (n)
		known = cover_by_table(&covered, hdr, eh, n);
	else if (eh->bytes)
		known = cover_by_entries(im, &covered, eh);
	for (size_t i = 1; i < f->nr_sh; i++)
		sections += gap_is_code(&f->sh[i]);
	for (uint32_t i = 0; known && i < im->nr_loads; i++) {
		const struct image_load *l = &im->loads[i];

		if (l->exec && l->filesz <= UINT64_MAX - l->vaddr && l->filesz <= UINT64_MAX - l->offset)
			look_at_segment(&g, l, sections && sections <= SECTIONS_MAX);
	}
	free(g.bytes);
	vec_free(&covered);
}

void image_add_frames(struct image *im, uint64_t start, uint64_t end, struct rule rule)
{
	const uint64_t last = im->frames.n ? im->frames.v[im->frames.n - 1].range.end : 0;
	struct frames *fr = start >= last && start < end && im->frames.n < FRAMES_MAX ? vec_push(&im->frames) : NULL;

	if (fr)
		*fr = (struct frames){ { start, end }, rule };
}

const struct frames *image_frames(const struct image *im, uint64_t vaddr, uint64_t *ret_next)
{
	const size_t n = count_upto(im->frames.v, im->frames.n, range.start, vaddr);

	if (n && vaddr < im->frames.v[n - 1].range.end)
		return &im->frames.v[n - 1];
	*ret_next = n < im->frames.n ? im->frames.v[n].range.start : UINT64_MAX;
	return NULL;
}
