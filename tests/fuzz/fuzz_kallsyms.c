/* SPDX-License-Identifier: BSD-2-Clause */
/* fuzz_kallsyms.c - any bytes as /proc/kallsyms: what is found covers the address. */
#include "config.h"

#include "symbol/kernel.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const struct ksyms *k, uint64_t addr)
{
	struct ksym s;

	if (ksyms_find(k, addr, &s) && (addr - s.start >= s.size || strlen(s.name) > (1u << 20)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ksyms *k;

	if (ksyms_parse((const char *)data, size, &k, NULL))
		return 0;
	for (uint64_t addr = 0; addr < 0x4000; addr += 0x77) {
		look(k, addr);
		look(k, 0xffffffff81000000 + addr);
		look(k, UINT64_MAX - addr);
	}
	ksyms_free(k);
	return 0;
}
