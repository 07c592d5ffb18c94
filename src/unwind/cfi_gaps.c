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

/* Code that is being looked through for gaps, a segment at a time. */
struct gaps {
	struct image *im;
	const struct elf_file *f;
	const struct image_load *l;
	unsigned int seen;
};

/* The code from START to END of the segment has no entry; INNER: there is one before and one behind. */
static void look_at_gap(struct gaps *g, uint64_t start, uint64_t end, bool inner)
{
	AUTO_FREE uint8_t *text = NULL;
	size_t len;

	if (start < g->l->vaddr)
		start = g->l->vaddr;
	if (end - g->l->vaddr > g->l->filesz)
		end = g->l->vaddr + g->l->filesz;
	if (end <= start || end - start < GAP_MIN || end - start > GAP_MAX || g->seen++ >= GAPS_MAX)
		return;
	len = end - start;
	text = elf_file_dup(g->f, g->l->offset + (start - g->l->vaddr), len, GAP_MAX);
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

static void look_at_segment(struct gaps *g, const range_vec *c)
{
	uint64_t known = g->l->vaddr;
	bool any = false;

	for (size_t i = 0; i < c->n; i++) {
		const struct image_range *r = &c->v[i];

		if (!in_segment(g->l, r->start) || r->start < known)
			continue;
		look_at_gap(g, known, r->start, any);
		known = r->end;
		any = true;
	}
	look_at_gap(g, known, UINT64_MAX, false);
}

void image_find_gaps(struct image *im, const struct elf_file *f, const struct image_section *hdr,
		     const struct image_section *eh)
{
	struct gaps g = { .im = im, .f = f };
	const size_t n = eh_table_entries(hdr);
	range_vec covered = { 0 };
	bool known = true;

	/* Go has a table of its own. */
	if (!im->arch || im->go)
		return;
	if (n)
		known = cover_by_table(&covered, hdr, eh, n);
	else if (eh->bytes)
		known = cover_by_entries(im, &covered, eh);
	for (uint32_t i = 0; known && i < im->nr_loads; i++) {
		g.l = &im->loads[i];
		if (g.l->exec && g.l->filesz <= UINT64_MAX - g.l->vaddr)
			look_at_segment(&g, &covered);
	}
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
