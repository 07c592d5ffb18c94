/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_jit.c - any bytes as a perf map or a jitdump file: what is found covers the address, and its
 * name ends. What a jitdump file says of unwinding is read from them, too.
 */
#include "config.h"

#include "symbol/jit.h"
#include "unwind/made.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const struct jit_syms *j, uint64_t addr)
{
	struct jit_sym s;

	if (!jit_syms_find(j, addr, &s))
		return;
	if (addr - s.start >= s.size || !*s.name || strlen(s.name) > 65535)
		abort();
	/* the end of a function is another place to look at */
	jit_syms_find(j, s.start + s.size, &s);
}

/* Rules of each place that the bytes may mean. */
static void look_at_rules(const uint8_t *data, size_t size)
{
	struct made_code *m = NULL;
	struct rule r;
	uint64_t addr;

	if (made_code_parse(data, size, &m, NULL))
		return;
	for (size_t at = 0; m && at + sizeof(addr) <= size; at += 4) {
		memcpy(&addr, data + at, sizeof(addr));
		for (uint64_t i = 0; i < 64; i++)
			if (made_code_rule(m, addr + i, &r) && (r.kind == RULE_NONE || r.kind == RULE_SLOW))
				abort();
	}
	made_code_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jit_syms *j;
	uint64_t addr;

	look_at_rules(data, size);
	if (jit_syms_parse(data, size, &j, NULL))
		return 0;
	for (size_t at = 0; at + sizeof(addr) <= size; at += 4) {
		memcpy(&addr, data + at, sizeof(addr));
		look(j, addr);
	}
	for (addr = 0; addr < 0x10000; addr += 0x111)
		look(j, addr);
	jit_syms_free(j);
	return 0;
}
