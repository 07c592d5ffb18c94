// SPDX-License-Identifier: BSD-2-Clause
/*
 * image_dear.c - functions whose rows take libdw long.
 *
 * It runs the call-frame instructions of a function from its start for each row that it is asked for (elfutils, libdw/cfi.c:
 * execute_cfi()), so all rows of one take time with the square of their number. Hardly any function has as many as a
 * hundred; but a compiler has some with thousands: of the 49,002 of cc1plus 12.2 (Debian's) 30 have more than 1,000 bytes
 * of instructions, and take five sixths of the time for all.
 */
#include "config.h"

#include "unwind/image_impl.h"

#include <string.h>

#define DEAR_BYTES 1000u                 /* of an FDE */
#define DEAR_MAX 4096u                   /* per file */

void image_find_dear(struct image *im, const struct image_section *eh, const struct image_section *hdr)
{
	const size_t n = eh->bytes ? eh_table_entries(hdr) : 0;

	for (size_t i = 0; i < n && im->dear.n < DEAR_MAX; i++) {
		const struct eh_entry f = eh_table_entry(hdr, i);
		const uint64_t next = i + 1 < n ? eh_table_entry(hdr, i + 1).start : UINT64_MAX;
		struct image_range *dear;
		uint32_t len;

		memcpy(&len, eh->bytes + (f.fde - eh->addr), sizeof(len));
		dear = len > DEAR_BYTES ? vec_push(&im->dear) : NULL;
		if (dear)
			*dear = (struct image_range){ f.start, next };
	}
}

bool image_is_dear(const struct image *im, uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < im->dear.n; i++)
		if (im->dear.v[i].start < end && start < im->dear.v[i].end)
			return true;
	return false;
}
