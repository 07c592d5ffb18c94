/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ehframe.c - only the form that linkers write is read: version 1, a 4-byte pointer, a 4-byte
 * count, and pairs of 4-byte offsets from the start of the section: a piece of code and the entry
 * of .eh_frame that describes it, which tells the size. Anything else means no table, or no size; a
 * piece whose size is not known covers nothing.
 */
#include "config.h"

#include "symbol/ehframe.h"

#include "base/sorted.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define HDR_BYTES 12u
#define HDR_MAX (64u << 20)
#define ENTRIES_MAX (256u << 20) /* bytes of .eh_frame */
#define ENTRY_BYTES 16u          /* length, CIE pointer, start, size: 4 bytes each in the usual form */

struct piece {
	uint64_t start;
	uint32_t size;           /* bytes; 0 = not told */
	uint32_t user;
};

struct fde_starts {
	size_t n;
	struct piece *piece;
};

/* The entries that describe pieces, as far as the search table points to them. */
struct entries {
	uint64_t vaddr;          /* of data[0] */
	uint8_t *data;
	size_t len;
};

static const Elf64_Phdr *find_hdr(const struct elf_file *f)
{
	for (size_t i = 0; i < f->nr_ph; i++)
		if (f->ph[i].p_type == PT_GNU_EH_FRAME)
			return &f->ph[i];
	return NULL;
}

static int32_t ehframe_get_s32(const uint8_t *p)
{
	int32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* How many entries stand behind the header DATA of LEN bytes; 0 when it has another form. */
static size_t count_entries(const uint8_t *data, size_t len)
{
	uint32_t n;

	if (len < HDR_BYTES || data[0] != 1 || (data[1] & 0x0f) != DW_EH_PE_sdata4 || data[2] != DW_EH_PE_udata4 ||
	    data[3] != (DW_EH_PE_datarel | DW_EH_PE_sdata4))
		return 0;
	memcpy(&n, data + 8, sizeof(n));
	return n <= (len - HDR_BYTES) / 8 ? n : 0;
}

/* Where entry I of the search table DATA points: the piece and the entry that describes it. */
static uint64_t start_of(const uint8_t *data, size_t i, uint64_t base)
{
	return base + (uint64_t)(int64_t)ehframe_get_s32(data + HDR_BYTES + 8 * i);
}

static uint64_t entry_of(const uint8_t *data, size_t i, uint64_t base)
{
	return base + (uint64_t)(int64_t)ehframe_get_s32(data + HDR_BYTES + 8 * i + 4);
}

/* Reads the bytes from the first to the last entry. Without them sizes are not known, which is no failure. */
static void read_entries(const struct elf_file *f, const uint8_t *data, size_t n, uint64_t base, struct entries *ret)
{
	uint64_t low = UINT64_MAX, high = 0, offset;

	for (size_t i = 0; i < n; i++) {
		const uint64_t at = entry_of(data, i, base);

		low = at < low ? at : low;
		high = at > high ? at : high;
	}
	if (high - low > ENTRIES_MAX || !elf_file_offset(f, low, &offset))
		return;
	ret->vaddr = low;
	ret->len = (size_t)(high - low) + ENTRY_BYTES;
	ret->data = malloc(ret->len);
	if (ret->data && elf_file_read(f, offset, ret->data, ret->len))
		return;
	free(ret->data);
	*ret = (struct entries){ 0 };
}

/*
 * The size that the entry at AT tells of the piece at START; 0 when it is not in the usual form (a
 * pc-relative start).
 */
static uint32_t ehframe_size_of(const struct entries *in, uint64_t at, uint64_t start)
{
	const uint8_t *p;
	uint32_t size;

	if (!in->data || at < in->vaddr || at - in->vaddr > in->len - ENTRY_BYTES)
		return 0;
	p = in->data + (at - in->vaddr);
	if (at + 8 + (uint64_t)(int64_t)ehframe_get_s32(p + 8) != start)
		return 0;
	memcpy(&size, p + 12, sizeof(size));
	return size;
}

/* The pieces of DATA that are in order; a table that is not sorted ends where it goes back. */
static bool take_pieces(struct fde_starts *t, const struct elf_file *f, const uint8_t *data, size_t n, uint64_t base)
{
	struct entries in = { 0 };

	t->piece = calloc(n, sizeof(*t->piece));
	if (!t->piece)
		return false;
	read_entries(f, data, n, base, &in);
	for (size_t i = 0; i < n; i++) {
		const uint64_t start = start_of(data, i, base);

		if (t->n && start < t->piece[t->n - 1].start)
			break;
		t->piece[t->n++] =
			(struct piece){ .start = start, .size = ehframe_size_of(&in, entry_of(data, i, base), start) };
	}
	free(in.data);
	return true;
}

struct fde_starts *fde_starts_new(const struct elf_file *file)
{
	const Elf64_Phdr *hdr = find_hdr(file);
	AUTO(fde_starts_free) struct fde_starts *t = NULL;
	AUTO_FREE uint8_t *data = NULL;
	size_t n;

	if (!hdr || hdr->p_filesz > HDR_MAX)
		return NULL;
	data = malloc(hdr->p_filesz + 1);
	t = calloc(1, sizeof(*t));
	if (!data || !t || !elf_file_read(file, hdr->p_offset, data, hdr->p_filesz))
		return NULL;
	n = count_entries(data, hdr->p_filesz);
	if (!n || !take_pieces(t, file, data, n, hdr->p_vaddr))
		return NULL;
	return take_ptr(t);
}

void fde_starts_free(struct fde_starts *t)
{
	if (!t)
		return;
	free(t->piece);
	free(t);
}

bool fde_starts_find(const struct fde_starts *t, uint64_t vaddr, struct fde_start *ret)
{
	const size_t n = count_upto(t->piece, t->n, start, vaddr);
	struct piece *p;

	if (!n)
		return false;
	p = &t->piece[n - 1];
	if (vaddr - p->start >= p->size)
		return false;
	*ret = (struct fde_start){ .start = p->start, .size = p->size, .user = &p->user };
	return true;
}

uint64_t fde_starts_bound(const struct fde_starts *t, uint64_t vaddr, uint64_t end)
{
	const size_t n = t ? count_upto(t->piece, t->n, start, vaddr) : 0;

	return t && n < t->n && t->piece[n].start < end ? t->piece[n].start : end;
}

size_t fde_starts_bytes(const struct fde_starts *t)
{
	return t ? sizeof(*t) + t->n * sizeof(*t->piece) : 0;
}
