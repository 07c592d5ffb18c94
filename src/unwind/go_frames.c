// SPDX-License-Identifier: BSD-2-Clause
/*
 * go_frames.c - knows how large the frames of a Go program are, and where its stacks end.
 *
 * Go's linker writes no .eh_frame, and a stripped program has no .debug_frame either, but the run
 * time always carries a table of its functions: .gopclntab. It names the few functions at which a
 * stack ends or moves to another one, and for every instruction the distance from sp to the return
 * address, which frame pointers do not give in leaf functions and prologues. Layouts (Go source,
 * debug/gosym and runtime/symtab.go): a header with magic, instruction quantum and pointer size;
 * then words nfunc, nfiles, [text start, since 1.18,] and the offsets of names, units, files, pc
 * tables and functions. The function table has pairs (entry, offset of the function record). A
 * record is (entry, then 32 bits each:) name, arguments, deferreturn, pcsp. A pc table is a row of
 * (value difference as zigzag varint, pc difference as varint over the quantum), from value -1 at
 * the entry.
 */
#include "config.h"

#include "unwind/arch.h"
#include "unwind/image_impl.h"

#include <stdlib.h>
#include <string.h>

/* of one function in a pc table: Go changes sp where functions begin and end */
#define STEPS_MAX 16384u
#define PCLNTAB_MAX (256ull << 20)
#define TABLE_ALIGN 32u                  /* of the table, by Go's linker */
#define MAGIC_1_16 0xfffffffau
#define MAGIC_1_18 0xfffffff0u
#define MAGIC_1_20 0xfffffff1u

#define CODE_MAX (64ull << 20)           /* bytes of code that are looked through for where threads begin */
#define SWITCH_MAX 4096u                 /* bytes of a function that changes stacks: they have 50 to 300 */

static const char *const roots[] = { "runtime.goexit", "runtime.rt0_go", "runtime.mstart" };
#define NR_ROOTS (sizeof(roots) / sizeof(*roots))
#define ROOT_MSTART (NR_ROOTS - 1)

static const char *const switches[GO_CODE_NR] = {
	[GO_SYSTEMSTACK] = "runtime.systemstack", [GO_MORESTACK] = "runtime.morestack", [GO_MCALL] = "runtime.mcall",
	[GO_ASMCGOCALL] = "runtime.asmcgocall", [GO_CGOCALLBACK] = "runtime.cgocallback",
};

/* They ask the vDSO, which is C, on the thread's own stack. */
static const char *const clocks[] = { "time.now", "runtime.nanotime1", "runtime.walltime", "runtime.walltime1" };
#define NR_CLOCKS (sizeof(clocks) / sizeof(*clocks))

struct go_table {
	uint8_t *p;
	uint64_t size;
	uint64_t nr, text;
	uint64_t names, pcs, funcs;      /* offsets in P */
	unsigned int word;               /* of the function table: 8 bytes, 4 since 1.18 */
	unsigned int quantum;            /* bytes: instructions lie on multiples of it */
};

void go_table_free(struct go_table *t)
{
	if (t)
		free(t->p);
	free(t);
}

size_t go_table_bytes(const struct go_table *t)
{
	return t ? sizeof(*t) + t->size : 0;
}

static bool go_frames_get(const struct go_table *t, uint64_t at, unsigned int size, uint64_t *ret)
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

bool image_find_go(const struct elf_file *f, uint64_t offset, uint64_t size, uint64_t *ret)
{
	AUTO_FREE uint8_t *p = elf_file_dup(f, offset, size, PCLNTAB_MAX);
	static const uint32_t magics[] = { MAGIC_1_16, MAGIC_1_18, MAGIC_1_20 };
	uint32_t magic;

	for (uint64_t at = 0; p && at + 8 <= size; at += TABLE_ALIGN) {
		memcpy(&magic, p + at, sizeof(magic));
		/* Behind it two bytes of nothing, the quantum of x86 and the size of a pointer. */
		if ((magic != magics[0] && magic != magics[1] && magic != magics[2]) ||
		    memcmp(p + at + 4, "\0\0\1\10", 4) != 0)
			continue;
		*ret = offset + at;
		return true;
	}
	return false;
}

static bool parse_header(struct go_table *t, uint64_t text)
{
	uint64_t magic, at = 8;
	bool has_text;

	if (!go_frames_get(t, 0, 4, &magic) || t->size < 8 || t->p[7] != 8)
		return false;
	has_text = magic == MAGIC_1_18 || magic == MAGIC_1_20;
	if (!has_text && magic != MAGIC_1_16)
		return false;
	t->word = has_text ? 4 : 8;
	if (!go_frames_get(t, at, 8, &t->nr))
		return false;
	at += 16;
	t->text = 0;
	if (has_text) {
		if (!go_frames_get(t, at, 8, &t->text))
			return false;
		if (t->text == 0)
			/*
			 * relocated at start, or (since 1.26) told elsewhere: mark_functions() sees
			 * if that is right
			 */
			t->text = text;
		at += 8;
	}
	t->quantum = t->p[6];
	return go_frames_get(t, at, 8, &t->names) && go_frames_get(t, at + 24, 8, &t->pcs) &&
	       go_frames_get(t, at + 32, 8, &t->funcs) && t->names < t->size && t->pcs < t->size &&
	       t->funcs < t->size && t->nr <= (t->size - t->funcs) / (2 * t->word);
}

/* Which of the N names OF is that of T at NAME, perhaps as of the ABI of assembly? N = none of them. */
static size_t which_name(const struct go_table *t, uint64_t name, const char *const *of, size_t n)
{
	const char *s = (const char *)t->p + name;
	const size_t max = t->size - name, len = strnlen(s, max);
	const size_t suffix = len > 5 && len < max && memcmp(s + len - 5, ".abi0", 5) == 0 ? 5 : 0;

	for (size_t i = 0; i < n; i++)
		if (len < max && strlen(of[i]) == len - suffix && memcmp(s, of[i], len - suffix) == 0)
			return i;
	return n;
}

/* The function I: its range, relative to the text, and the place of its record. */
static bool go_frames_function(const struct go_table *t, uint64_t i, uint64_t *ret_start, uint64_t *ret_end,
			       uint64_t *ret_record)
{
	uint64_t at = t->funcs + i * 2 * t->word, record;

	if (!go_frames_get(t, at, t->word, ret_start) || !go_frames_get(t, at + t->word, t->word, &record) ||
	    !go_frames_get(t, at + 2 * (uint64_t)t->word, t->word, ret_end) || *ret_end <= *ret_start ||
	    record >= t->size - t->funcs)
		return false;
	*ret_record = t->funcs + record;
	return true;
}

/* The code from START to END of IM, as the file has it. */
static struct go_code go_frames_read_code(const struct image *im, const struct elf_file *f,
					  uint64_t start, uint64_t end)
{
	for (uint32_t i = 0; i < im->nr_loads && end - start <= SWITCH_MAX; i++) {
		const struct image_load *l = &im->loads[i];

		if (l->exec && start >= l->vaddr && start - l->vaddr < l->filesz &&
		    end - start <= l->filesz - (start - l->vaddr)) {
			uint8_t *text = elf_file_dup(f, l->offset + (start - l->vaddr), end - start, SWITCH_MAX);

			return (struct go_code){ start, text, text ? end - start : 0 };
		}
	}
	return (struct go_code){ 0 };
}

/*
 * The function I of T, if it is the end of a stack or changes to another one. What is called alike
 * but does neither is left alone.
 */
static void look_at_function(struct image *im, const struct elf_file *f, const struct go_table *t, uint64_t i,
			     bool threads_of_c, struct go_code code[GO_CODE_NR])
{
	uint64_t start, end, record, name;
	struct go_code c;
	bool is_clock;
	size_t which;

	if (!go_frames_function(t, i, &start, &end, &record) || !go_frames_get(t, record + t->word, 4, &name) ||
	    name >= t->size - t->names)
		return;
	which = which_name(t, t->names + name, roots, NR_ROOTS);
	if (which == ROOT_MSTART && threads_of_c)
		image_add_switch(im, t->text + start, t->text + end,
				 (struct rule){ .kind = RULE_SP, .bp = RULE_BP_SAME, .cfa = 8 });
	else if (which < NR_ROOTS)
		image_add_mark(im, MARK_ROOT, t->text + start, t->text + end);
	if (which < NR_ROOTS)
		return;
	is_clock = which_name(t, t->names + name, clocks, NR_CLOCKS) < NR_CLOCKS;
	which = which_name(t, t->names + name, switches, GO_CODE_NR);
	if (which == GO_CODE_NR && !is_clock)
		return;
	c = go_frames_read_code(im, f, t->text + start, t->text + end);
	if (is_clock) {
		im->arch->mark_go_clock(im, &c);
		free(c.text);
		return;
	}
	if (!c.len || (code[which].len && !im->arch->changes_go_stack(&c))) {
		free(c.text);
		return;
	}
	free(code[which].text);
	code[which] = c;
}

/*
 * Marks where C begins threads of Go in IM, if it does: with cgo, what Go calls the first function
 * of a thread is called by C.
 */
static bool mark_threads(struct image *im, const struct elf_file *f)
{
	struct rule rule;

	for (uint32_t i = 0; i < im->nr_loads; i++) {
		const struct image_load *l = &im->loads[i];
		AUTO_FREE uint8_t *text = l->exec ? elf_file_dup(f, l->offset, l->filesz, CODE_MAX) : NULL;
		const size_t at = text ? im->arch->find_go_thread(text, l->filesz, &rule) : SIZE_MAX;

		if (at == SIZE_MAX)
			continue;
		image_add_switch(im, l->vaddr + at, l->vaddr + at + 1, rule);
		return true;
	}
	return false;
}

/*
 * Marks what the functions of T are. False when none of those that change stacks looks like it:
 * then what T is relative to was not where it was taken to be, as in programs where C comes before
 * Go, and nothing is marked.
 */
static bool mark_functions(struct image *im, const struct elf_file *f, const struct go_table *t)
{
	struct go_code code[GO_CODE_NR] = { 0 };
	const size_t before = im->marks.n;
	const bool threads_of_c = mark_threads(im, f);
	bool right = false;

	for (uint64_t i = 0; i < t->nr; i++)
		look_at_function(im, f, t, i, threads_of_c, code);
	for (unsigned int i = 0; i < GO_CODE_NR; i++)
		right |= im->arch->changes_go_stack(&code[i]);
	if (right)
		im->arch->mark_go_switches(im, code);
	else
		im->marks.n = before;
	for (unsigned int i = 0; i < GO_CODE_NR; i++)
		free(code[i].text);
	return right;
}

bool image_go_rule(const struct image *im, uint64_t vaddr, struct rule *ret)
{
	const struct mark *m = image_mark(im, MARK_SWITCH, vaddr + 1);

	if (m)
		*ret = m->rule;
	else if (im->go && image_mark(im, MARK_ROOT, vaddr + 1))
		*ret = (struct rule){ .kind = RULE_END };
	else
		return false;
	return true;
}

void image_read_go(struct image *im, const struct elf_file *f, uint64_t pclntab, uint64_t size, uint64_t text)
{
	struct go_table *t = im->arch && im->arch->mark_go_switches ? calloc(1, sizeof(*t)) : NULL;

	if (!t)
		return;
	*t = (struct go_table){ .p = elf_file_dup(f, pclntab, size, PCLNTAB_MAX), .size = size };
	if (!t->p || !parse_header(t, text) || !mark_functions(im, f, t)) {
		go_table_free(t);
		return;
	}
	if (im->debug)
		go_table_free(t);        /* .debug_frame says the same */
	else
		im->go_table = t;
}

bool image_go_function(const struct image *im, const char *name, uint64_t *ret_vaddr, uint64_t *ret_size)
{
	const struct go_table *t = im->go_table;
	uint64_t start, end, record, at;

	for (uint64_t i = 0; t && i < t->nr; i++) {
		if (!go_frames_function(t, i, &start, &end, &record) ||
		    !go_frames_get(t, record + t->word, 4, &at) || at >= t->size - t->names ||
		    which_name(t, t->names + at, &name, 1))
			continue;
		*ret_vaddr = t->text + start;
		*ret_size = end - start;
		return true;
	}
	return false;
}

static bool get_varint(const struct go_table *t, uint64_t *at, uint32_t *ret)
{
	uint32_t v = 0;

	for (unsigned int shift = 0; shift < 32; shift += 7) {
		uint8_t byte;

		if (*at >= t->size)
			return false;
		byte = t->p[(*at)++];
		v |= (uint32_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret = v;
			return true;
		}
	}
	return false;
}

/*
 * The value of the pc table at AT for the pc OFFSET bytes behind the entry of its function, and up
 * to which pc it holds.
 */
static bool pc_value(const struct go_table *t, uint64_t at, uint64_t offset, int32_t *ret, uint64_t *ret_end)
{
	uint32_t value = UINT32_MAX, diff, step, left = STEPS_MAX;
	uint64_t pc = 0;

	while (left-- && get_varint(t, &at, &diff) && (diff || pc == 0) && get_varint(t, &at, &step) && step) {
		value += diff & 1 ? ~(diff >> 1) : diff >> 1;
		pc += (uint64_t)step * t->quantum;
		if (offset < pc) {
			*ret = (int32_t)value;
			*ret_end = pc;
			return true;
		}
	}
	return false;
}

bool go_frame_size(const struct go_table *t, uint64_t vaddr, uint32_t *ret, uint64_t *ret_end)
{
	uint64_t lo = 0, hi, start, end, record, pcsp, until;
	int32_t size;

	if (!t || vaddr < t->text)
		return false;
	hi = t->nr;
	while (lo < hi) {
		uint64_t mid = (lo + hi) / 2;

		if (!go_frames_function(t, mid, &start, &end, &record))
			return false;
		if (vaddr - t->text < start)
			hi = mid;
		else if (vaddr - t->text >= end)
			lo = mid + 1;
		else
			break;
	}
	if (lo >= hi || !go_frames_get(t, record + t->word + 12, 4, &pcsp) || pcsp == 0 || pcsp >= t->size - t->pcs ||
	    !pc_value(t, t->pcs + pcsp, vaddr - t->text - start, &size, &until) || size < 0 || size % 8)
		return false;
	*ret = (uint32_t)size;
	*ret_end = t->text + (until < end - start ? start + until : end);
	return true;
}
