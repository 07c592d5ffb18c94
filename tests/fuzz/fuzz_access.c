/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_access.c - any bytes as code: steps over it stay inside, and a rule either has a reason for
 * having no address or gives one.
 *
 * The first two bytes (little-endian) are the place, the rest is code. Corpus: the loops of
 * tests/workloads/arrays.c as gcc 12 -O2 makes them (stride, gather, chase, store, pair, copy),
 * avx512: memory operands with VEX and EVEX prefixes, some of which capstone 4.0.2 does not know,
 * strings: string instructions, odd: what has no access or no end.
 */
#include "config.h"

#include "numa/access.h"
#include "symbol/skim_x86_64.h"

#include <elf.h>
#include <stdlib.h>

#define NR_REGS 17u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void step_over(const uint8_t *code, size_t len)
{
	for (size_t at = 0; at < len;) {
		int32_t target = 0;
		bool jumps;
		const size_t n = skim_x86_64(code + at, len - at, &jumps, &target);

		must(n <= 15 && n <= len - at && (n || !jumps));
		at += n ? n : 1;
	}
}

static void apply(const struct access_rule *r)
{
	struct raw_sample s = { .user.machine = EM_X86_64, .user.nr_regs = NR_REGS };
	enum access_miss miss = MISS_NONE;
	uint64_t addr;

	for (unsigned int i = 0; i < NR_REGS; i++)
		s.user.regs[i] = 0x0123456789abcdefu * (i + 1);
	must(access_address(r, &s, &addr, &miss) ? r->how && addr < 1ull << 56 : miss != MISS_NONE && miss < MISS_NR);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct access_decoder *d;
	struct access_rule r;

	if (size < 2 || (!d && access_decoder_new(&d, NULL)))
		return 0;
	step_over(data + 2, size - 2);
	r = access_decode(d, data + 2, size - 2, data[0] | (size_t)data[1] << 8);
	must(r.how <= ACCESS_AHEAD && !r.how == !!r.miss && r.miss < MISS_NR);
	must((r.base < NR_REGS || r.base == ACCESS_REG_NONE) && (r.index < NR_REGS - 1 || r.index == ACCESS_REG_NONE));
	must(!r.how || r.index == ACCESS_REG_NONE || r.scale == 1 || r.scale == 2 || r.scale == 4 || r.scale == 8);
	apply(&r);
	return 0;
}
