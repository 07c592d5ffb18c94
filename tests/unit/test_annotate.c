/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_annotate.c - what instructions and lines of a function take, and how its code is read: of
 * functions made by hand, and of one of this very program.
 */
#include "config.h"

#include "annotate/annotation.h"
#include "annotate/disasm.h"
#include "annotate/srcfile.h"
#include "base/clock.h"
#include "symbol/elfsyms.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/madecode.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define SAMPLE (10 * NSEC_PER_MSEC)

static const _Atomic bool never = false;

static struct annotation *annotate(struct made_session *f, enum madecode_source source, const struct query *q)
{
	struct listing_of of = { .module = dict_get_frame(f->m.d, madecode_frame(&f->m, 0, false))->module,
				 .kind = MODULE_FILE, .start = MADECODE_START, .size = 4 * MADECODE_INSNS };
	AUTO(snapshot_unref) struct snapshot *s = profile_snapshot(f->m.p);
	struct listing *l = madecode_listing(&of, source);
	struct annotation *a = NULL;

	assert_int_equal(annotation_build(l, s, f->m.names, q, &a, NULL), 0);
	listing_free(l);
	return a;
}

static void assert_hit(const struct hit *h, unsigned int self, unsigned int total)
{
	assert_int_equal(h->self_ns / SAMPLE, self);
	assert_int_equal(h->total_ns / SAMPLE, total);
}

static void each_instruction_has_its_samples(void **state)
{
	AUTO(annotation_free) struct annotation *a = NULL;
	struct made_session f;

	madesession_init(&f);
	madecode_fill(&f);
	a = annotate(&f, MADECODE_FOUND, &(struct query){ 0 });
	assert_hit(&a->hits->place[0], 0, 0);
	assert_hit(&a->hits->place[1], 30, 30);
	assert_hit(&a->hits->place[3], 45, 45);
	assert_hit(&a->hits->place[5], 0, 15);           /* a call: what is called there */
	/* the kernel is entered before the address that it goes back to */
	assert_hit(&a->hits->place[7], 0, 5);
	assert_hit(&a->hits->place[8], 0, 0);
	assert_hit(&a->hits->place[9], 5, 5);
	assert_hit(&a->hits->all, 80, 100);
	assert_int_equal(a->hits->count, 80);
	assert_int_equal(a->hits->asked_ns / SAMPLE, 120);
	annotation_free(take_ptr(a));
	a = annotate(&f, MADECODE_FOUND, &(struct query){ .hide_kernel = true });
	assert_hit(&a->hits->place[8], 5, 5);            /* then it is time of the program, where it goes on */
	annotation_free(take_ptr(a));
	a = annotate(&f, MADECODE_FOUND, &(struct query){ .measures = MEASURES_OFF_CPU });
	assert_hit(&a->hits->all, 0, 0);
	madesession_free(&f);
}

/* A function that is on a stack several times counts once in all, and each of its lines once. */
static void recursion_counts_once(void **state)
{
	AUTO(annotation_free) struct annotation *a = NULL;
	struct made_session f;

	madesession_init(&f);
	madecode_add(&f, 1, (const uint32_t[]){ 23, 23, 23, 4, MADECODE_END }, "", 10);
	madecode_add(&f, 1, (const uint32_t[]){ 23, MADECODE_END }, "note", 4);
	madecode_add(&f, 1, (const uint32_t[]){ 23, 19, 23, MADECODE_END }, "note", 2);
	a = annotate(&f, MADECODE_FOUND, &(struct query){ 0 });
	assert_hit(&a->hits->place[5], 0, 16);
	assert_hit(&a->hits->place[4], 0, 2);
	assert_hit(&a->hits->place[1], 10, 10);
	assert_hit(&a->hits->all, 10, 16);
	for (size_t i = 0; i < a->layout[ANNOT_BOTH].row.n; i++)
		assert_true(a->layout[ANNOT_BOTH].row.v[i].hit.total_ns <= a->hits->all.total_ns);
	madesession_free(&f);
}

/* In each layout, what lines and instructions have themselves is what the function has. */
static void rows_add_up(void **state)
{
	AUTO(annotation_free) struct annotation *a = NULL;
	struct made_session f;

	madesession_init(&f);
	madecode_fill(&f);
	a = annotate(&f, MADECODE_FOUND, &(struct query){ 0 });
	for (enum annot_layout k = 0; k < ANNOT_LAYOUTS; k++) {
		uint64_t lines = 0, insns = 0;

		for (size_t i = 0; i < a->layout[k].row.n; i++) {
			const struct annot_row *r = &a->layout[k].row.v[i];

			lines += r->kind == ANNOT_LINE ? r->hit.self_ns : 0;
			insns += r->kind == ANNOT_INSN ? r->hit.self_ns : 0;
		}
		assert_int_equal(lines, k == ANNOT_CODE ? 0 : a->hits->all.self_ns);
		assert_int_equal(insns, k == ANNOT_SOURCE ? 0 : a->hits->all.self_ns);
	}
	madesession_free(&f);
}

static void the_hottest_rows_come_in_their_order(void **state)
{
	AUTO(annotation_free) struct annotation *a = NULL;
	struct made_session f;
	size_t at, first;
	char text[ANNOT_TEXT_MAX];

	madesession_init(&f);
	madecode_fill(&f);
	a = annotate(&f, MADECODE_FOUND, &(struct query){ 0 });
	at = first = annotation_hottest(a, ANNOT_CODE, NULL);
	assert_non_null(strstr(annotation_text(a, &a->layout[ANNOT_CODE].row.v[at], text, sizeof(text)), "shrl"));
	at = annotation_next_hottest(a, ANNOT_CODE, at, false);
	assert_non_null(strstr(annotation_text(a, &a->layout[ANNOT_CODE].row.v[at], text, sizeof(text)),
			       "movl    (%rdi"));
	assert_int_equal(annotation_next_hottest(a, ANNOT_CODE, at, true), first);
	for (unsigned int i = 0; i < 4; i++)             /* five have any */
		at = annotation_next_hottest(a, ANNOT_CODE, at, false);
	assert_int_equal(at, first);
	at = annotation_hottest(a, ANNOT_SOURCE, "mix");
	assert_non_null(strstr(annotation_text(a, &a->layout[ANNOT_SOURCE].row.v[at], text, sizeof(text)), "return x"));
	/* The same line in another layout. */
	at = annotation_find(a, ANNOT_CODE, &a->layout[ANNOT_SOURCE].row.v[at]);
	assert_int_equal(at, first);
	madesession_free(&f);
}

static void what_is_missing_is_said(void **state)
{
	AUTO(annotation_free) struct annotation *a = NULL;
	struct made_session f;

	madesession_init(&f);
	madecode_fill(&f);
	a = annotate(&f, MADECODE_NOT_FOUND, &(struct query){ 0 });
	assert_int_equal(a->notes, 1);
	assert_string_equal(a->note[0], "the source is not at /src/app.c: No such file or directory");
	assert_int_equal(a->layout[ANNOT_SOURCE].row.n, 1 + MADECODE_INSNS);
	annotation_free(take_ptr(a));
	a = annotate(&f, MADECODE_NO_LINES, &(struct query){ 0 });
	assert_int_equal(a->layout[ANNOT_BOTH].row.n, 1 + MADECODE_INSNS);
	annotation_free(take_ptr(a));
	a = annotate(&f, MADECODE_NO_CODE, &(struct query){ 0 });
	assert_int_equal(a->layout[ANNOT_BOTH].row.n, 1);
	assert_hit(&a->hits->all, 80, 100);              /* known all the same */
	assert_int_equal(annotation_hottest(a, ANNOT_BOTH, NULL), SIZE_MAX);
	assert_int_equal(annotation_next_hottest(a, ANNOT_BOTH, 0, false), SIZE_MAX);
	madesession_free(&f);
}

/* Files */

static int memory_file(const char *bytes, size_t len)
{
	const int fd = memfd_create("source", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), (ssize_t)len);
	return fd;
}

static void source_is_made_fit_for_a_screen(void **state)
{
	static const char hostile[] = "int a;\r\n\tb\t= \"\x1b[2J\xE2\x80\xAE\xff\";\n\n  trailing   \nlast";
	AUTO_FD int fd = memory_file(hostile, sizeof(hostile) - 1), empty = memory_file("", 0),
		null = open("/dev/null", O_RDONLY);
	AUTO(srcfile_free) struct srcfile *s = NULL, *none = NULL;
	char line[3 * SRCFILE_LINE_MAX + 1];
	struct err e = ERR_INIT;

	assert_int_equal(srcfile_read(fd, &s, &e), 0);
	assert_int_equal(srcfile_lines(s), 5);
	assert_string_equal(srcfile_line(s, 1, line, sizeof(line)), "int a;");
	assert_string_equal(srcfile_line(s, 2, line, sizeof(line)),
			    "        b       = \"\xEF\xBF\xBD[2J\xEF\xBF\xBD\xEF\xBF\xBD\";");
	assert_string_equal(srcfile_line(s, 3, line, sizeof(line)), "");
	assert_string_equal(srcfile_line(s, 4, line, sizeof(line)), "  trailing");
	assert_string_equal(srcfile_line(s, 5, line, sizeof(line)), "last");
	assert_string_equal(srcfile_line(s, 6, line, sizeof(line)), "");
	assert_string_equal(srcfile_line(s, 0, line, sizeof(line)), "");
	assert_int_equal(srcfile_read(empty, &none, &e), 0);
	assert_int_equal(srcfile_lines(none), 0);
	srcfile_free(take_ptr(none));
	assert_int_equal(srcfile_read(null, &none, &e), -EINVAL);
	assert_int_equal(fchmod(empty, 0640), 0);
	assert_int_equal(srcfile_read(empty, &none, &e), geteuid() ? 0 : -EACCES);
	srcfile_free(take_ptr(none));
	assert_int_equal(fchmod(empty, 0644), 0);
	assert_int_equal(ftruncate(empty, SRCFILE_BYTES_MAX + 1l), 0);
	assert_int_equal(srcfile_read(empty, &none, &e), -EFBIG);
	assert_int_equal(ftruncate(empty, SRCFILE_BYTES_MAX), 0);
	assert_int_equal(srcfile_read(empty, &none, &e), 0);
	assert_int_equal(strlen(srcfile_line(none, 1, line, sizeof(line))), 3 * SRCFILE_LINE_MAX);
}

#if defined(__x86_64__)
static void instructions_are_text(void **state)
{
	static const uint8_t code[] = { 0x48, 0x89, 0xe5, 0xe8, 0x00, 0x01, 0x00, 0x00, 0x0f, 0x05, 0x74, 0xf4, 0xff,
					0xd0, 0x06, 0xc3, 0x48 };
	static const struct {
		const char *text;
		uint8_t size;
		bool enters, jumps;
	} want[] = { { "movq    %rsp, %rbp", 3, false, false }, { "callq   0x1108", 5, false, true },
		     { "syscall", 2, true, false },
		     { "je      0x1000", 2, false, true }, { "callq   *%rax", 2, false, false },
		       { ".byte 0x06", 1, false, false },
		     { "retq", 1, false, false }, { ".byte 0x48", 1, false, false } };
	AUTO(disasm_free) struct disasm *d = NULL;
	struct disasm_insn in;
	size_t at = 0;

	assert_int_equal(disasm_new(&d, NULL), 0);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++, at += in.size) {
		disasm_next(d, code + at, sizeof(code) - at, 0x1000 + at, &in);
		in.text[strcspn(in.text, "")] = '\0';
		while (in.text[0] && in.text[strlen(in.text) - 1] == ' ')
			in.text[strlen(in.text) - 1] = '\0';
		assert_string_equal(in.text, want[i].text);
		assert_int_equal(in.size, want[i].size);
		assert_int_equal(in.enters, want[i].enters);
		assert_int_equal(in.jumps, want[i].jumps);
	}
	assert_int_equal(at, sizeof(code));
}
#endif

__attribute__((noinline)) static unsigned int to_be_read(unsigned int n)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < n; i++)
		sum = sum * 33 + i;
	return sum;
}

static unsigned int sought;      /* source files */

static int open_self(void *ctx, module_id module, struct err *e)
{
	const int fd = module == 1 ? open("/proc/self/exe", O_RDONLY | O_CLOEXEC) : -ENOENT;

	return fd < 0 ? err_set(e, ENOENT, "there is no such file") : fd;
}

static int open_lines(void *ctx, module_id module, const char *path)
{
	char text[4000];

	sought++;
	if (!ctx)
		return -EACCES;
	memset(text, '\n', sizeof(text));
	return memory_file(text, sizeof(text));
}

/* Where to_be_read() is in the file. */
static struct listing_of find_self(void)
{
	AUTO_FD int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	AUTO(elf_file_free) struct elf_file *elf = NULL;
	AUTO(elf_syms_free) struct elf_syms *syms = NULL;
	struct listing_of of = { .module = 1, .kind = MODULE_FILE, .path = "/proc/self/exe" };

	assert_int_equal(elf_file_open(fd, &elf, NULL), 0);
	assert_int_equal(elf_syms_new(elf, NULL, &syms, NULL), 0);
	for (size_t i = 0; i < elf->nr_ph; i++) {
		const Elf64_Phdr *p = &elf->ph[i];
		struct elf_sym sym;

		for (uint64_t v = p->p_vaddr; p->p_type == PT_LOAD && p->p_flags & PF_X &&
		     v < p->p_vaddr + p->p_filesz; v++) {
			if (elf_syms_find(syms, v, &sym) && !strncmp(sym.name, "to_be_read", 10)) {
				assert_true(elf_file_offset(elf, sym.start, &of.start));
				of.size = sym.size;
				return of;
			}
		}
	}
	return of;
}

static void code_of_this_program_is_read(void **state)
{
	struct code_access access = { .open = open_self, .open_source = open_lines, .ctx = &sought };
	AUTO(listing_free) struct listing *l = NULL;
	struct listing_of of = find_self();
	uint32_t at = 0;

	assert_true(to_be_read(100) != 0);
	assert_true(of.size > 0);
	assert_int_equal(listing_read(&access, &of, &never, &l, NULL), 0);
	assert_string_equal(l->why_no_code, "");
	assert_true(l->insn.n > 3);
	for (size_t i = 0; i < l->insn.n; at += l->insn.v[i++].size) {
		assert_int_equal(l->insn.v[i].at, at);
		assert_int_equal(l->place[at], i);
	}
	assert_int_equal(at, of.size);
	if (!l->why_no_lines[0]) {
		assert_true(sought > 0 && l->file.n > 0 && l->line.n > 0);
		assert_non_null(strstr(l->file.v[0].path, "test_annotate.c"));
		assert_true(listing_has_source(l));
		assert_string_equal(l->line.v[0].text, "");
	}
	listing_free(take_ptr(l));
	access.ctx = NULL;
	assert_int_equal(listing_read(&access, &of, &never, &l, NULL), 0);
	assert_false(listing_has_source(l));
	assert_true(l->insn.n > 3);
	listing_free(take_ptr(l));
	of.module = 2;
	assert_int_equal(listing_read(&access, &of, &never, &l, NULL), 0);
	assert_string_equal(l->why_no_code, "there is no such file");
	listing_free(take_ptr(l));
	of = (struct listing_of){ .module = 1, .kind = MODULE_FILE, .start = 1ull << 60, .size = 1ull << 60 };
	assert_int_equal(listing_read(&access, &of, &never, &l, NULL), 0);
	assert_string_not_equal(l->why_no_code, "");
}

static void what_is_not_wanted_any_more_ends(void **state)
{
	const struct code_access access = { .open = open_self, .open_source = open_lines, .ctx = &sought };
	const struct listing_of of = find_self();
	const _Atomic bool stop = true;
	struct listing *l = NULL;

	assert_int_equal(listing_read(&access, &of, &stop, &l, NULL), -ECANCELED);
	assert_null(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_instruction_has_its_samples),
		cmocka_unit_test(recursion_counts_once),
		cmocka_unit_test(rows_add_up),
		cmocka_unit_test(the_hottest_rows_come_in_their_order),
		cmocka_unit_test(what_is_missing_is_said),
		cmocka_unit_test(source_is_made_fit_for_a_screen),
#if defined(__x86_64__)
		cmocka_unit_test(instructions_are_text),
#endif
		cmocka_unit_test(code_of_this_program_is_read),
		cmocka_unit_test(what_is_not_wanted_any_more_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
