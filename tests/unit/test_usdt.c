/* SPDX-License-Identifier: BSD-2-Clause */
/* test_usdt.c - static probes of this program, which it has by hand, of programs of this machine, and damaged ones. */
#include "config.h"

#include "probe/usdt.h"

#include "model/machine.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef __x86_64__
/* What sys/sdt.h makes: a nop, and a note that says where it is. */
__asm__(".pushsection .probes, \"aw\", @progbits\n"
	"test_usdt_semaphore: .2byte 0\n"
	".popsection\n"
	".pushsection .stapsdt.base, \"aG\", @progbits, .stapsdt.base, comdat\n"
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n"
	".popsection\n"
	"test_usdt_place: nop\n ret\n"
	".pushsection .note.stapsdt, \"\", @note\n"
	".balign 4\n.4byte 992f-991f, 994f-993f, 3\n"
	"991: .asciz \"stapsdt\"\n992: .balign 4\n"
	"993: .8byte test_usdt_place, _.stapsdt.base, test_usdt_semaphore\n"
	".asciz \"sberf\", \"made_here\", \"-4@%edi 8@-16(%rbp) 1@$-5\"\n"
	"994: .balign 4\n.popsection\n");
#endif

static struct elf_file *opened(const char *path, int *ret_fd)
{
	struct elf_file *f = NULL;

	*ret_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (*ret_fd < 0)
		return NULL;
	assert_int_equal(elf_file_open(*ret_fd, &f, NULL), 0);
	return f;
}

static struct spec_point point_of(const char *text)
{
	struct spec s;

	assert_int_equal(spec_parse(text, &s, NULL), 0);
	return s.point[0];
}

static void arguments_are_read(void **state)
{
	struct usdt_arg a[USDT_ARGS_MAX];

	assert_int_equal(
		usdt_args_parse("-4@%edi 8@-16(%rbp) 1@$-5 2@(%rbx,%r12,8) 8@%xmm0 4@0x10(,%rax,4) 8@v(%rip) %r9",
				EM_X86_64, a),
		8);
	assert_true(a[0].where == USDT_REGISTER && a[0].reg == 5 && a[0].size == 4 && a[0].is_signed);
	assert_true(a[1].where == USDT_MEMORY && a[1].reg == 6 && a[1].offset == -16 && !a[1].is_signed);
	assert_true(a[2].where == USDT_CONSTANT && a[2].offset == -5 && a[2].size == 1);
	assert_true(a[3].where == USDT_INDEXED && a[3].reg == 3 && a[3].index == 12 && a[3].scale == 8);
	assert_int_equal(a[4].where, USDT_UNKNOWN);
	assert_true(a[5].where == USDT_INDEXED && a[5].reg == MACHINE_NO_REG && a[5].index == 0 && a[5].offset == 16);
	assert_int_equal(a[6].where, USDT_UNKNOWN);
	assert_true(a[7].where == USDT_REGISTER && a[7].reg == 9 && a[7].size == 8);
	assert_int_equal(usdt_args_parse("", EM_X86_64, a), 0);
	assert_int_equal(usdt_args_parse("8@%rdi", EM_AARCH64, a), 1);
	assert_int_equal(a[0].where, USDT_UNKNOWN);
	assert_int_equal(
		usdt_args_parse("@ -@ 3@%eax 8@( 8@) 8@%rax) 8@$ 8@(%rax,%rbx,3) 8@-(%rax) - 99@$1 8@8( 8@1 1@1",
				EM_X86_64, a),
		USDT_ARGS_MAX);
	for (uint32_t i = 0; i < USDT_ARGS_MAX; i++)
		assert_int_equal(a[i].where, USDT_UNKNOWN);
}

static void own_probe_is_found(void **state)
{
#ifdef __x86_64__
	usdt_sites l = { 0 };
	uint32_t damaged = 9;
	struct spec_point p = point_of("usdt::sberf:made_here");
	struct err e = ERR_INIT;
	uint8_t code, counter[2];
	int fd;
	struct elf_file *f = opened("/proc/self/exe", &fd);

	assert_int_equal(find_usdt(f, &p, &l, &damaged, &e), 1);
	assert_int_equal(damaged, 0);
	assert_string_equal(l.v[0].text, "-4@%edi 8@-16(%rbp) 1@$-5");
	assert_int_equal(l.v[0].nr_args, 3);
	assert_true(elf_file_read(f, l.v[0].offset, &code, 1) && code == 0x90);
	assert_true(l.v[0].semaphore && elf_file_read(f, l.v[0].semaphore, counter, 2) && !counter[0] && !counter[1]);
	p = point_of("usdt:made_heer");
	assert_int_equal(find_usdt(f, &p, &l, NULL, &e), -ENOENT);
	assert_string_equal(e.text, "there is no static probe 'made_heer' in it: did you mean 'made_here'?");
	vec_free(&l);
	elf_file_free(f);
	close(fd);
#else
	skip();
#endif
}

/* Every place is a nop, every semaphore is a zero in the file. */
static int all_of(const char *path, const char *probe, usdt_sites *ret)
{
	struct spec_point p = point_of(probe);
	uint32_t damaged;
	int fd, n;
	struct elf_file *f = opened(path, &fd);

	if (!f)
		return -1;
	n = find_usdt(f, &p, ret, &damaged, NULL);
	assert_int_equal(damaged, 0);
	for (size_t i = 0; i < ret->n; i++) {
		uint8_t code, counter[2];

		assert_true(elf_file_read(f, ret->v[i].offset, &code, 1));
		assert_true(code == 0x90 || code == 0x0f);
		if (ret->v[i].semaphore) {
			assert_true(elf_file_read(f, ret->v[i].semaphore, counter, 2));
			assert_true(!counter[0] && !counter[1]);
		}
	}
	elf_file_free(f);
	close(fd);
	return n;
}

static void programs_of_this_machine_have_theirs(void **state)
{
	static const struct {
		const char *path, *probe;
		int at_least;
		bool counted;
	} cases[] = {
		{ "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "usdt::libstdcxx:*", 3, false },
		{ "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "usdt::libstdcxx:throw", 1, false },
		{ "/usr/bin/python3.11", "usdt::python:*", 8, true },
		{ "/usr/lib/postgresql/15/bin/postgres", "usdt::postgresql:query__*", 8, true },
	};
	int looked = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		usdt_sites l = { 0 };
		const int n = all_of(cases[i].path, cases[i].probe, &l);

		print_message("%s %s: %d\n", cases[i].path, cases[i].probe, n);
		if (n >= 0) {
			looked++;
			assert_true(n >= cases[i].at_least);
			assert_int_equal(l.v[0].semaphore != 0, cases[i].counted);
		}
		vec_free(&l);
	}
	if (!looked)
		skip();
}

/* This program with its notes damaged, byte by byte, from a copy in memory. */
static void damaged_notes_are_survived(void **state)
{
	int fd;
	struct elf_file *f = opened("/proc/self/exe", &fd), *copy;
	const Elf64_Shdr *sh = elf_file_section(f, ".note.stapsdt");
	uint8_t *all;

	if (!sh) {
		elf_file_free(f);
		close(fd);
		skip();
	}
	all = elf_file_dup(f, 0, f->size, 1u << 30);
	assert_non_null(all);
	for (uint64_t i = 0; i < sh->sh_size; i++) {
		const uint8_t was = all[sh->sh_offset + i];

		for (unsigned int bit = 0; bit < 8; bit += 3) {
			usdt_sites l = { 0 };

			all[sh->sh_offset + i] = was ^ (uint8_t)(1u << bit);
			assert_int_equal(elf_file_memory(all, f->size, &copy, NULL), 0);
			assert_true(find_usdt(copy, NULL, &l, NULL, NULL) <= 1);
			vec_free(&l);
			elf_file_free(copy);
		}
		all[sh->sh_offset + i] = was;
	}
	free(all);
	elf_file_free(f);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_are_read),
		cmocka_unit_test(own_probe_is_found),
		cmocka_unit_test(programs_of_this_machine_have_theirs),
		cmocka_unit_test(damaged_notes_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
