/* SPDX-License-Identifier: BSD-2-Clause */
/* own_code.h - where code of a test is in the file of its program. */
#ifndef SBERF_TESTS_OWN_CODE_H
#define SBERF_TESTS_OWN_CODE_H

#include "cmocka_all.h"
#include "unwind/image_impl.h"

extern const uint8_t __ehdr_start[];     /* from the linker */

/* Where the code at P is in the file of this program, which is IM. */
static inline uint64_t own_offset(const struct image *im, const uint8_t *p)
{
	const uint64_t vaddr = (uint64_t)(p - __ehdr_start) + im->loads[0].vaddr - im->loads[0].offset;

	for (uint32_t i = 0; i < im->nr_loads; i++)
		if (vaddr - im->loads[i].vaddr < im->loads[i].filesz)
			return vaddr - im->loads[i].vaddr + im->loads[i].offset;
	fail_msg("it is in no segment");
	return 0;
}

#endif
