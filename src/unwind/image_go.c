// SPDX-License-Identifier: BSD-2-Clause
/*
 * image_go.c - where the stacks of a Go program end.
 *
 * Go's linker writes no .eh_frame, and a stripped program has no symbols, but the run time always carries a table of its
 * functions: .gopclntab. It is read once, for the few functions at which a stack ends or moves to another one. Layouts (Go
 * source, debug/gosym and runtime/symtab): a header with magic, instruction quantum and pointer size; then words nfunc,
 * nfiles, [text start, since 1.18,] and the offsets of names, units, files, pc tables and functions. The function table
 * has pairs (entry, offset of the function record); a record starts (entry, offset of the name).
 */
#include "config.h"

#include "unwind/image_impl.h"

#include <stdlib.h>
#include <string.h>

#define PCLNTAB_MAX (256ull << 20)
#define MAGIC_1_16 0xfffffffau
#define MAGIC_1_18 0xfffffff0u
#define MAGIC_1_20 0xfffffff1u

static const char *const roots[] = {
	"runtime.goexit", "runtime.mstart", "runtime.rt0_go", "runtime.mcall", "runtime.systemstack", "runtime.asmcgocall",
	"runtime.cgocallback", "runtime.goexit.abi0", "runtime.mstart.abi0", "runtime.rt0_go.abi0",
};

struct pclntab {
	const uint8_t *p;
	uint64_t size;
	uint64_t nr, text;
	uint64_t names, funcs;   /* offsets in P */
	unsigned int word;       /* of the function table: 8 bytes, 4 since 1.18 */
};

static bool get(const struct pclntab *t, uint64_t at, unsigned int size, uint64_t *ret)
{
	uint32_t v32;

	if (at > t->size || t->size - at < size)
		return false;
	if (size == 8) {
		memcpy(ret, t->p + at, 8);
		return true;
	}
	memcpy(&v32, t->p + at, 4);
	*ret = v32;
	return true;
}

static bool parse_header(struct pclntab *t, uint64_t text)
{
	uint64_t magic, at = 8;
	bool has_text;

	if (!get(t, 0, 4, &magic) || t->size < 8 || t->p[7] != 8)
		return false;
	has_text = magic == MAGIC_1_18 || magic == MAGIC_1_20;
	if (!has_text && magic != MAGIC_1_16)
		return false;
	t->word = has_text ? 4 : 8;
	if (!get(t, at, 8, &t->nr))
		return false;
	at += 16;
	t->text = 0;
	if (has_text) {
		if (!get(t, at, 8, &t->text))
			return false;
		if (t->text == 0)
			t->text = text;  /* a PIE: the word is relocated at start */
		at += 8;
	}
	return get(t, at, 8, &t->names) && get(t, at + 32, 8, &t->funcs) && t->names < t->size && t->funcs < t->size &&
	       t->nr <= (t->size - t->funcs) / (2 * t->word);
}

static bool is_root(const struct pclntab *t, uint64_t name)
{
	const char *s = (const char *)t->p + name;
	size_t max = t->size - name;

	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++) {
		size_t len = strlen(roots[i]) + 1;

		if (len <= max && memcmp(s, roots[i], len) == 0)
			return true;
	}
	return false;
}

static void add_function(struct image *im, const struct pclntab *t, uint64_t i)
{
	uint64_t at = t->funcs + i * 2 * t->word, start, end, record, name;
	struct mark *m;

	if (!get(t, at, t->word, &start) || !get(t, at + t->word, t->word, &record) ||
	    !get(t, at + 2 * (uint64_t)t->word, t->word, &end) || end <= start || record >= t->size - t->funcs)
		return;
	if (!get(t, t->funcs + record + t->word, 4, &name) || name >= t->size - t->names || !is_root(t, t->names + name))
		return;
	m = vec_push(&im->marks);
	/* A return address may be the end of the function: goexit's callers return to its second instruction. */
	if (m)
		*m = (struct mark){ MARK_ROOT, { t->text + start, t->text + end } };
}

void image_go_roots(struct image *im, const struct elf_source *src, uint64_t pclntab, uint64_t size, uint64_t text)
{
	AUTO_FREE uint8_t *bytes = source_dup(src, pclntab, size, PCLNTAB_MAX);
	struct pclntab t = { .p = bytes, .size = size };

	if (!bytes || !parse_header(&t, text))
		return;
	for (uint64_t i = 0; i < t.nr; i++)
		add_function(im, &t, i);
}
