// SPDX-License-Identifier: BSD-2-Clause
/*
 * image_marks.c - recognises places that call-frame information does not describe.
 *
 * C libraries leave a few pieces of assembly without CFI, exactly where chains end or bend. They
 * are found once, by their code, in programs that need no library (static ones, Go) and in small
 * files (a libc has 1.5 MB of code); elsewhere they do not occur. What the bytes are is
 * architecture, so the patterns are in image_marks_x86_64.c and image_marks_aarch64.c.
 */
#include "config.h"

#include "unwind/image_impl.h"
#include "unwind/arch.h"

#include <stdlib.h>

#define MARKS_MAX 4096u                  /* per image: what has more is not what marks are for */
#define ENTRY_CODE 256u                  /* bytes from the entry point that are looked at */
#define SMALL_CODE (4ull << 20)          /* bytes of code that are looked through in any file */
#define STATIC_CODE (64ull << 20)        /* the same in a file that needs no library */

void image_add_mark(struct image *im, enum mark_kind kind, uint64_t start, uint64_t end)
{
	struct mark *m = im->marks.n < MARKS_MAX ? vec_push(&im->marks) : NULL;

	if (m)
		*m = (struct mark){ .kind = kind, .range = { start, end } };
}

void image_add_switch(struct image *im, uint64_t start, uint64_t end, struct rule rule)
{
	const size_t before = im->marks.n;

	if (start < end)
		image_add_mark(im, MARK_SWITCH, start, end);
	if (im->marks.n > before)
		im->marks.v[before].rule = rule;
}

/* Does a function with call-frame information begin at VADDR? */
static bool begins_at(struct image *im, uint64_t vaddr)
{
	AUTO_FREE Dwarf_Frame *row = image_row(im, vaddr);
	Dwarf_Addr start;

	return row && dwarf_frame_info(row, &start, NULL, NULL) >= 0 && start == vaddr;
}

void image_add_sigreturn(struct image *im, uint64_t start, uint64_t end)
{
	image_add_mark(im, MARK_SIGRETURN, start, end);
	image_add_switch(im, start, end + (begins_at(im, end) ? 1 : 2),
			 (struct rule){ .kind = RULE_SIGNAL, .arg = RULE_PLACED });
}

/* Only the code at the entry point itself has no caller; what follows it may be anybody's. */
static void find_entry(struct image *im, const struct elf_file *f)
{
	for (uint32_t i = 0; i < im->nr_loads && im->entry; i++) {
		const struct image_load *l = &im->loads[i];
		const uint64_t skip = im->entry - l->vaddr, left = l->filesz - skip,
			len = left < ENTRY_CODE ? left : ENTRY_CODE;
		AUTO_FREE uint8_t *text = NULL;

		if (!l->exec || im->entry < l->vaddr || skip >= l->filesz)
			continue;
		text = elf_file_dup(f, l->offset + skip, len, ENTRY_CODE);
		if (text)
			im->entry_end = im->entry + im->arch->entry_code(text, len);
		return;
	}
}

void image_find_marks(struct image *im, const struct elf_file *f)
{
	uint64_t code = 0;

	for (uint32_t i = 0; i < im->nr_loads; i++)
		if (im->loads[i].exec && im->loads[i].filesz <= STATIC_CODE)
			code += im->loads[i].filesz;
	if (im->arch)
		find_entry(im, f);
	if (!im->arch || code > (im->no_needed ? STATIC_CODE : SMALL_CODE))
		return;
	for (uint32_t i = 0; i < im->nr_loads; i++) {
		const struct image_load *l = &im->loads[i];
		AUTO_FREE uint8_t *text = l->exec ? elf_file_dup(f, l->offset, l->filesz, STATIC_CODE) : NULL;

		if (text)
			im->arch->find_marks(im, text, l->filesz, l->vaddr);
	}
}

const struct mark *image_mark(const struct image *im, enum mark_kind kind, uint64_t vaddr)
{
	for (size_t i = 0; i < im->marks.n; i++) {
		const struct mark *m = &im->marks.v[i];

		if (m->kind == kind && vaddr >= m->range.start && vaddr < m->range.end)
			return m;
	}
	return NULL;
}
