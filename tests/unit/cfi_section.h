/* SPDX-License-Identifier: BSD-2-Clause */
/* cfi_section.h - call-frame sections made byte by byte. */
#ifndef SBERF_TESTS_CFI_SECTION_H
#define SBERF_TESTS_CFI_SECTION_H

#include "cmocka_all.h"
#include "unwind/image_impl.h"

#include <dwarf.h>
#include <string.h>

static uint8_t section[1100 * 1100];
static size_t used;

static const unsigned char ident[EI_NIDENT] = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
						ELFDATA2LSB, EV_CURRENT };

static inline void put(const void *bytes, size_t n)
{
	assert_true(n <= sizeof(section) - used);
	if (n)
		memcpy(section + used, bytes, n);
	used += n;
}

static inline void put_u32(uint32_t v)
{
	put(&v, sizeof(v));
}

/* The length of the entry at AT, which ends here. */
static inline void end_entry(size_t at)
{
	const uint32_t len = (uint32_t)(used - at - 4);

	memcpy(section + at, &len, sizeof(len));
}

/* A CIE with instructions OPS, first in the section. */
static inline void begin(const char *augmentation, const void *data, size_t data_len, const void *ops, size_t n)
{
	static const uint8_t factors[] = { 1, 0x78, 16 };        /* code 1, data -8, return address in 16 */

	memset(section, 0, sizeof(section));
	used = 0;
	put_u32(0);
	put_u32(0);
	put("\1", 1);
	put(augmentation, strlen(augmentation) + 1);
	put(factors, sizeof(factors));
	put(data, data_len);
	put(ops, n);
	end_entry(0);
}

static inline void begin_usual(void)
{
	static const uint8_t data[] = { 1, DW_EH_PE_pcrel | DW_EH_PE_sdata4 };
	static const uint8_t ops[] = { DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1 };

	begin("zR", data, sizeof(data), ops, sizeof(ops));
}

/* An FDE of the CIE BACK bytes before its pointer (0: the first), of SIZE bytes of code, with instructions OPS. */
static inline void add_fde_of(uint32_t back, uint32_t size, const void *ops, size_t n)
{
	const size_t at = used;

	put_u32(0);
	put_u32(back ? back : (uint32_t)at + 4);
	put_u32(0x1000);
	put_u32(size);
	put("", 1);      /* no augmentation data */
	put(ops, n);
	end_entry(at);
}

static inline void add_fde(uint32_t back, const void *ops, size_t n)
{
	add_fde_of(back, 0x100, ops, n);
}

#endif
