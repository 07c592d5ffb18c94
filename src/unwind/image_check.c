// SPDX-License-Identifier: BSD-2-Clause
/*
 * image_check.c - refuses call-frame information that only wastes time (image_ops.c: that only
 * takes memory).
 *
 * libdw runs the instructions of an FDE from its start for each row that is asked for. Real FDEs
 * have tens or hundreds of bytes of them; one of 100 MB would stop the unwinding thread at every
 * new place. So entries have a largest size here. The search table of .eh_frame_hdr could point
 * into the middle of an entry, where another length stands: it is used only when each of its
 * entries points to the start of one. Without it libdw reads .eh_frame once from front to back.
 */
#include "config.h"

#include "base/order.h"

#include "unwind/image_impl.h"

#include <stdlib.h>
#include <string.h>

/* of a section without a table: libdw reads and keeps all of them to find one */
#define ENTRIES_MAX (512u << 10)

typedef VEC(uint32_t) offset_vec;

/* Goes from entry to entry and keeps where they start; false when one is too long or has a 64-bit length. */
static bool collect_entries(struct image_section *sec, offset_vec *starts)
{
	uint64_t at = 0;

	while (sec->size - at >= 4) {
		uint32_t len, *start;

		memcpy(&len, sec->bytes + at, sizeof(len));
		if (len == 0) {
			/*
			 * The terminator. What stands behind it is something else in a file without
			 * sections, and no use in others.
			 */
			sec->size = at + sizeof(len);
			return true;
		}
		if (len > IMAGE_ENTRY_MAX)
			return false;
		start = vec_push(starts);
		if (!start)
			return false;
		*start = (uint32_t)at;
		if (len > sec->size - at - 4)
			return true;
		at += 4 + (uint64_t)len;
	}
	return true;
}

static int image_check_compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return compare_numbers(*x, *y);
}

static bool table_fits(const struct image_section *hdr, const struct image_section *eh, const offset_vec *starts)
{
	size_t n = eh_table_entries(hdr);

	for (size_t i = 0; i < n; i++) {
		uint64_t at = eh_table_entry(hdr, i).fde - eh->addr;
		uint32_t key = (uint32_t)at;

		if (at > UINT32_MAX || starts->n == 0 ||
		    !bsearch(&key, starts->v, starts->n, sizeof(key), image_check_compare))
			return false;
	}
	return n > 0;
}

static void image_check_drop(struct image_section *sec)
{
	free(sec->bytes);
	sec->bytes = NULL;
}

void image_check_cfi(struct image_section *eh, struct image_section *hdr)
{
	offset_vec starts = { 0 };

	if (eh->bytes && (eh->size > UINT32_MAX || !collect_entries(eh, &starts)))
		image_check_drop(eh);
	if (hdr && hdr->bytes && (!eh->bytes || !table_fits(hdr, eh, &starts)))
		image_check_drop(hdr);
	if (eh->bytes && !(hdr && hdr->bytes) && starts.n > ENTRIES_MAX)
		image_check_drop(eh);
	vec_free(&starts);
}
