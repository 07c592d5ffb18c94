// SPDX-License-Identifier: BSD-2-Clause
/*
 * image_gaps.c - code of another compiler inside a file that has CFI.
 *
 * V8 keeps its built-in functions, a megabyte and a half of code that its own compiler wrote, in the text of node: no CFI,
 * but frame pointers, as in the code that it writes at run time. Such a block is told by two things: a long way between
 * two entries of the table of .eh_frame_hdr (LSB 5.0, section 10.6.2), and many functions in it that begin by setting up a
 * frame pointer. Hand-written code without CFI, which keeps none, has few of these.
 */
#include "config.h"

#include "unwind/arch.h"
#include "unwind/image_impl.h"

#include <stdlib.h>
#include <string.h>

#define GAP_MIN (64u << 10)              /* bytes between two entries */
#define GAP_MAX (64u << 20)
#define GAPS_MAX 64u                     /* looked at per file */
#define BYTES_PER_PROLOGUE 4096u         /* at most, on average */
#define TABLE 12u                        /* offset of the first entry, for the encodings below */
#define ENTRY 8u                         /* bytes: start of the code, FDE; both relative to the section */

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

static void look_at_gap(struct image *im, const struct elf_file *f, uint64_t start, uint64_t end)
{
	for (uint32_t i = 0; i < im->nr_loads; i++) {
		const struct image_load *l = &im->loads[i];
		AUTO_FREE uint8_t *text = NULL;

		if (!l->exec || start < l->vaddr || start - l->vaddr >= l->filesz)
			continue;
		if (end - l->vaddr > l->filesz)
			end = l->vaddr + l->filesz;
		text = elf_file_dup(f, l->offset + (start - l->vaddr), end - start, GAP_MAX);
		if (!text || arch_count_prologues(text, end - start) < (end - start) / BYTES_PER_PROLOGUE)
			return;
		image_add_mark(im, MARK_FP, start, end);
		return;
	}
}

void image_find_gaps(struct image *im, const struct elf_file *f, const struct image_section *hdr)
{
	size_t n = eh_table_entries(hdr), seen = 0;

	if (im->machine != ARCH_MACHINE)
		return;
	for (size_t i = 0; i + 1 < n && seen < GAPS_MAX; i++) {
		uint64_t start = eh_table_entry(hdr, i).start, end = eh_table_entry(hdr, i + 1).start;

		if (end > start && end - start >= GAP_MIN) {
			look_at_gap(im, f, start, end);
			seen++;
		}
	}
}
