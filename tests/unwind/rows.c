/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rows.c - the rows of whole files beside the rules that the walk would ask for place by place.
 *
 *	rows STEP FILE...
 *
 * For each FILE every row is looked at, at its first and its last byte, and every STEPth byte of
 * the code. It says how many places were compared, how many had another rule (which must be none),
 * and of how many that have call-frame information the rows know nothing: what gaps swallowed, and
 * pages with more rows than fit.
 */
#include "config.h"

#include "base/clock.h"
#include "bpf/wire.h"
#include "unwind/rows.h"
#include "unwind/walk.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct tally {
	uint64_t places, different, swallowed, pages, full, rows, most, ns;
	uint64_t by_size[5];     /* pages of at most 16, 32, 64, 96 rows, and more */
};

static bool same(const struct rule *a, const struct rule *b)
{
	return a->kind == b->kind && a->arg == b->arg && a->bp == b->bp && a->cfa == b->cfa;
}

static bool has_row(struct image *im, uint64_t offset)
{
	uint64_t vaddr;
	AUTO_FREE Dwarf_Frame *row = image_vaddr(im, offset, &vaddr) ? image_row(im, vaddr) : NULL;

	return row;
}

static void compare(struct tally *t, struct image *im, uint64_t offset, const struct rule *got)
{
	const struct rule want = walk_learn(im, offset);

	t->places++;
	if (same(&want, got))
		return;
	if (got->kind == RULE_NONE) {
		t->swallowed += has_row(im, offset);
		return;
	}
	if (t->different++ < 5)
		printf("different: offset %#" PRIx64 ": row %u %u %d %d, rule %u %u %d %d\n", offset, got->kind,
		       got->arg, got->bp, got->cfa, want.kind, want.arg, want.bp, want.cfa);
}

static void one_page(struct tally *t, struct image *im, uint64_t offset, uint64_t step)
{
	const uint64_t from = clock_mono_ns();
	struct rule_row row[SB_ROWS];
	const size_t n = rows_of(im, offset, SB_TEXT_BYTES, row, SB_ROWS);

	t->ns += clock_mono_ns() - from;
	t->pages++;
	t->rows += n;
	t->most = n > t->most ? n : t->most;
	t->full += n == SB_ROWS;
	t->by_size[n <= 16 ? 0 : n <= 32 ? 1 : n <= 64 ? 2 : n <= 96 ? 3 : 4]++;
	for (size_t i = 0; i < n; i++) {
		const uint32_t end = i + 1 < n ? row[i + 1].at : SB_TEXT_BYTES;

		compare(t, im, offset + row[i].at, &row[i].rule);
		compare(t, im, offset + end - 1, &row[i].rule);
		for (uint64_t at = (row[i].at + step - 1) / step * step; at < end; at += step)
			compare(t, im, offset + at, &row[i].rule);
	}
}

static bool one_file(const char *path, uint64_t step)
{
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	AUTO(image_free) struct image *im = NULL;
	struct err e = ERR_INIT;
	struct tally t = { 0 };

	if (fd < 0 || image_open(fd, &im, &e) < 0) {
		printf("%s: cannot be read: %s\n", path, e.text);
		return false;
	}
	for (uint32_t i = 0; i < im->nr_loads; i++) {
		const struct image_load *l = &im->loads[i];

		for (uint64_t at = l->offset / SB_TEXT_BYTES * SB_TEXT_BYTES; l->exec && at < l->offset + l->filesz;
		     at += SB_TEXT_BYTES)
			one_page(&t, im, at, step);
	}
	printf("%s: %" PRIu64 " places, %" PRIu64 " different, %" PRIu64 " swallowed; %" PRIu64 " rows of %" PRIu64
	       " pages, %" PRIu64
	       " at most, %" PRIu64 " full; pages of 16, 32, 64, 96, more: %" PRIu64 " %" PRIu64 " %" PRIu64
	       	" %" PRIu64 " %" PRIu64
	       "; %" PRIu64 " ns a row\n", path, t.places, t.different, t.swallowed, t.rows, t.pages, t.most,
	       	t.full, t.by_size[0],
	       t.by_size[1], t.by_size[2], t.by_size[3], t.by_size[4], t.rows ? t.ns / t.rows : 0);
	return t.places && !t.different && t.swallowed <= t.places / 2000 + 16;
}

int main(int argc, char **argv)
{
	const uint64_t step = argc > 2 ? strtoull(argv[1], NULL, 10) : 0;
	bool fine = step > 0;

	for (int i = 2; i < argc; i++)
		fine = one_file(argv[i], step) && fine;
	return fine ? 0 : 1;
}
