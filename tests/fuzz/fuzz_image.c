/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_image.c - any bytes as an ELF file: it is opened or refused, and every row of it can be
 * asked for, one by one or by the page, which says the same.
 */
#include "config.h"

#include "bpf/wire.h"
#include "unwind/image.h"
#include "unwind/rows.h"
#include "unwind/unwind.h"
#include "unwind/walk.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define X86_64_PC 16
#define AARCH64_LINK 30
#define AARCH64_PC 32
#define BASE 0x10000u
#define WALKS 64u
#define STACK 512u
#define PAGES 8u

struct space {
	struct image *image;
	uint64_t size;
};

static bool find(void *ctx, uint64_t pc, struct unwind_map *ret)
{
	const struct space *s = ctx;

	if (pc < BASE || pc >= BASE + s->size)
		return false;
	*ret = (struct unwind_map){ .start = BASE, .end = BASE + s->size, .module = 1, .state = MAP_READY,
				    .image = s->image };
	return true;
}

/* Walks from places all over the file, on a stack that leads back into it. */
static void walk(struct image *im, uint64_t size)
{
	static struct chain chain;
	AUTO(unwinder_free) struct unwinder *u = unwinder_new();
	struct space at = { im, size };
	struct unwind_space space = { .find = find, .ctx = &at };
	uint64_t stack[STACK / 8];
	struct unwind_input s = { .machine = im->machine, .nr_regs = RAW_REGS_MAX, .nr_segments = 1 };

	for (uint64_t i = 0; u && i < WALKS; i++) {
		for (unsigned int k = 0; k < STACK / 8; k++)
			stack[k] = BASE + (i * 7919 + k * 31) % size;
		for (unsigned int k = 0; k < RAW_REGS_MAX; k++)
			s.regs[k] = 0x7000 + 16 * k;
		s.regs[X86_64_PC] = s.regs[AARCH64_PC] = s.regs[AARCH64_LINK] = BASE + size * i / WALKS;
		s.segment[0] = (struct raw_segment){ .addr = 0x7000, .len = STACK, .bytes = (const uint8_t *)stack };
		unwind_sample(u, &space, &s, &chain);
	}
}

static void check_row(struct image *im, uint64_t offset, const struct rule *got)
{
	const struct rule want = walk_learn(im, offset);

	if (got->kind != RULE_NONE && memcmp(got, &want, sizeof(want)) != 0)
		abort();
}

/*
 * Rows of pages all over the file: in order, and rules that the walk has where each begins. Where
 * functions overlap, libdw says of a row that it reaches to where another one counts.
 */
static void rows(struct image *im, uint64_t size)
{
	const uint64_t pages = (size + SB_TEXT_BYTES - 1) / SB_TEXT_BYTES, step = (pages + PAGES - 1) / PAGES;

	for (uint64_t page = 0; page < pages; page += step) {
		struct rule_row row[SB_ROWS];
		const size_t n = rows_of(im, page * SB_TEXT_BYTES, SB_TEXT_BYTES, row, SB_ROWS);

		if (!n || n > SB_ROWS || row[0].at != 0)
			abort();
		for (size_t i = 0; i < n; i++) {
			const uint32_t end = i + 1 < n ? row[i + 1].at : SB_TEXT_BYTES;

			if (row[i].at >= end)
				abort();
			check_row(im, page * SB_TEXT_BYTES + row[i].at, &row[i].rule);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t id[BUILD_ID_MAX];
	struct image *im;

	if (size == 0 || image_from_memory(data, size, &im, NULL) < 0)
		return 0;
	image_build_id(im, id);
	walk(im, size);
	rows(im, size);
	image_free(im);
	return 0;
}
