/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * address_layout.c - gives every module a range of addresses, for formats that want addresses. The
 * idea is in address_layout.h.
 */
#include "config.h"

#include "export/address_layout.h"

#include <stdlib.h>

#define PAGE_MASK 0xfffull
#define FIRST_BASE (1ull << 44)           /* where hardly anything is mapped, so code without a file is elsewhere */
/* of a file that gets addresses of its own; a hostile recording may say anything */
#define OFFSET_MAX (1ull << 40)
#define BASE_MAX (1ull << 46)            /* user addresses end at 2^47 */

struct span *layout_modules(const struct dict *d)
{
	/* In this order: who adds frames while they are read adds their modules before. */
	const uint32_t frames = dict_frames(d), modules = dict_modules(d);
	struct span *span = calloc(modules + 1ul, sizeof(*span));
	uint64_t next = FIRST_BASE;

	for (frame_id id = 0; span && id < frames; id++) {
		const struct frame *f = dict_get_frame(d, id);
		struct span *s = &span[f->module];
		const uint64_t low = f->offset & ~PAGE_MASK, high = (f->offset | PAGE_MASK) + 1;

		if (!s->high || low < s->low)
			s->low = low;
		if (high > s->high)
			s->high = high;
	}
	for (module_id id = 0; span && id < modules; id++) {
		struct span *s = &span[id];
		const unsigned int kind = dict_get_module(d, id)->kind;

		if (kind == MODULE_KERNEL) {
			s->base = LAYOUT_KERNEL;
		} else if ((kind == MODULE_FILE || kind == MODULE_VDSO) && s->high && s->high <= OFFSET_MAX &&
			   next < BASE_MAX) {
			s->low = 0;
			s->base = next;
			next += s->high + PAGE_MASK + 1;
		}
	}
	return span;
}

uint64_t layout_address(const struct span *modules, const struct dict *d, frame_id frame)
{
	const struct frame *f = dict_get_frame(d, frame);

	return dict_get_module(d, f->module)->kind == MODULE_NOTE ? 0 : modules[f->module].base + f->offset;
}
