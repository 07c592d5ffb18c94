/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_kernel_debug.c - the debug information of a kernel, from an excerpt of Debian's (tests/symbol/kernel_excerpt.c):
 * it is found by release and build-id, and names lines and inlined functions of a kernel that runs elsewhere.
 */
#include "config.h"

#include "symbol/codeplaces.h"
#include "symbol/kernel_debug.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <sberf/symbolize.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXCERPT "tests/data/symbol/vmlinux-6.1.0-57-amd64"
#define SHIFT 0x1a200000ull

static const struct kernel_debug_of debian = {
	.release = "6.1.0-57-amd64",
	.build_id = { 0x6a, 0x2b, 0x4a, 0xc7, 0x75, 0x85, 0xb8, 0xcf, 0x10, 0x2c, 0xba, 0x77, 0x13, 0x00, 0xe5, 0x73,
		      0xc8, 0x48, 0x9b, 0x69 },
	.build_id_len = 20,
	.text = 0xffffffff81000000ull + SHIFT,
};

/* A folder of its own with the excerpt at its place; the caller frees it. */
static char *make_symfs(void)
{
	const char *top = getenv("top_srcdir");
	char *dir = strdup("/tmp/sberf-debug-XXXXXX"), command[1024];

	assert_non_null(dir && mkdtemp(dir) ? dir : NULL);
	snprintf(command, sizeof(command), "mkdir -p %s/boot && cp %s/" EXCERPT " %s/boot/vmlinux-%s", dir,
		 top ? top : ".", dir, debian.release);
	assert_int_equal(system(command), 0);
	return dir;
}

static void drop_symfs(char *dir)
{
	char command[256];

	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
	free(dir);
}

/* "inlined file:line < ... < function file:line" of ADDRESS, as it runs, to DST. */
static void name_of(struct sberf *s, uint32_t module, uint64_t address, char dst[512])
{
	struct sberf_names *names = NULL;
	struct sberf_frame at;
	size_t n = 0;

	assert_int_equal(sberf_file_place(s, module, address - SHIFT, &at), 0);
	assert_int_equal(sberf_symbolize(s, &at, 1, 0, &names), 0);
	for (uint32_t i = 0; i < names->name[0].nr_functions; i++) {
		const struct sberf_function *f = &names->name[0].functions[i];

		n += (size_t)snprintf(dst + n, 512 - n, "%s%s %s:%u", i ? " < " : "", f->name, f->file, f->line);
	}
	sberf_names_free(names);
}

static void an_excerpt_is_found_and_has_lines(void **state)
{
	char *dir = make_symfs(), text[512], path[32];
	struct kernel_debug debug;
	struct sberf *s;
	uint32_t module;

	(void)state;
	assert_int_equal(kernel_debug_find(&debian, dir, false, &debug, NULL), 0);
	assert_true(debug.shift == SHIFT);
	assert_non_null(strstr(debug.path, "/boot/vmlinux-6.1.0-57-amd64"));
	assert_int_equal(sberf_open(&s, NULL), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", debug.fd);
	assert_int_equal(sberf_file_add(s, path, &module), 0);
	close(debug.fd);
	/* The three branches at which calls of ksys_dup3 that fail part from the others. */
	name_of(s, module, 0xffffffff8138fd75 + SHIFT, text);
	assert_string_equal(text, "ksys_dup3 fs/file.c:1220");
	name_of(s, module, 0xffffffff8138fd81 + SHIFT, text);
	assert_string_equal(text, "ksys_dup3 fs/file.c:1220");
	name_of(s, module, 0xffffffff8138fde1 + SHIFT, text);
	assert_string_equal(text, "ksys_dup3 fs/file.c:1229");
	name_of(s, module, 0xffffffff8138fdc9 + SHIFT, text);
	assert_string_equal(text, "files_lookup_fd_raw include/linux/fdtable.h:87 < files_lookup_fd_locked "
			    "include/linux/fdtable.h:97 < ksys_dup3 fs/file.c:1228");
	sberf_close(s);
	drop_symfs(dir);
}

/* How many functions are in source files like GLOB of D; the last one is NAME. */
static void of_sources(struct params *d, const char *glob, size_t n, const char *name)
{
	code_places found = { 0 };

	assert_int_equal(code_places_of_sources(d, glob, &found, NULL), 0);
	assert_int_equal(found.n, n);
	if (n)
		assert_string_equal(found.v[n - 1].in, name);
	vec_free(&found);
}

static void functions_are_found_by_source_file(void **state)
{
	char *dir = make_symfs();
	struct kernel_debug debug;
	struct elf_file *f;
	struct params *d;

	(void)state;
	assert_int_equal(kernel_debug_find(&debian, dir, false, &debug, NULL), 0);
	assert_int_equal(elf_file_open(debug.fd, &f, NULL), 0);
	assert_int_equal(params_open(f, &d, NULL), 0);
	of_sources(d, "fs/file.c", 2, "do_dup2");
	of_sources(d, "file.c", 2, "do_dup2");
	of_sources(d, "fs/*.c", 4, "do_dup2");
	of_sources(d, "fs/open.c", 1, "do_sys_openat2");
	of_sources(d, "ile.c", 0, NULL);
	of_sources(d, "net/*", 0, NULL);
	params_free(d);
	elf_file_free(f);
	close(debug.fd);
	drop_symfs(dir);
}

static void a_file_of_another_build_is_refused(void **state)
{
	struct kernel_debug_of other = debian;
	char *dir = make_symfs();
	struct kernel_debug debug;
	struct err why = ERR_INIT;

	(void)state;
	other.build_id[19]++;
	assert_int_equal(kernel_debug_find(&other, dir, false, &debug, &why), -ENOENT);
	assert_int_equal(debug.fd, -1);
	assert_non_null(strstr(why.text, "/boot/vmlinux-6.1.0-57-amd64 is not of this build of the kernel"));
	other.build_id_len = 0;
	assert_int_equal(kernel_debug_find(&other, dir, false, &debug, NULL), -ENOENT);
	drop_symfs(dir);
}

static void where_it_is_missing_is_said(void **state)
{
	struct kernel_debug_of other = debian;
	struct kernel_debug debug;
	struct err why = ERR_INIT;

	(void)state;
	other.release = "0.0-none";
	assert_int_equal(kernel_debug_find(&other, "/nowhere", false, &debug, &why), -ENOENT);
	assert_non_null(strstr(why.text, "linux-image-0.0-none-dbg"));
}

static void the_build_id_is_read_from_notes(void **state)
{
	static const uint32_t notes[] = {
		4, 4, 7, 0x006e6558, 0x34332e32,         /* "Xen" */
		4, 8, 3, 0x00554e47, 0x04030201, 0x08070605,
	};
	uint8_t id[BUILD_ID_MAX];

	(void)state;
	assert_int_equal(kernel_debug_build_id(notes, sizeof(notes), id), 8);
	assert_memory_equal(id, "\1\2\3\4\5\6\7\10", 8);
	assert_int_equal(kernel_debug_build_id(notes, sizeof(notes) - 4, id), 0);
	assert_int_equal(kernel_debug_build_id(notes, 20, id), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_excerpt_is_found_and_has_lines),
		cmocka_unit_test(functions_are_found_by_source_file),
		cmocka_unit_test(a_file_of_another_build_is_refused),
		cmocka_unit_test(where_it_is_missing_is_said),
		cmocka_unit_test(the_build_id_is_read_from_notes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
