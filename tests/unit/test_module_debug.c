/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_module_debug.c - the debug information of a module, which is relocatable: it is found by the list of modules and
 * its build-id, and put to where the kernel has its sections. tests/data/symbol/port-x.ko was made of
 *
 *	1	static inline __attribute__((always_inline)) int limit(int n)
 *	2	{
 *	3		if (n > 4096)
 *	4			return -22;
 *	5		return n;
 *	6	}
 *	7
 *	8	int port_open(int n)
 *	9	{
 *	10		return limit(n) + 1;
 *	11	}
 *	12
 *	13	__attribute__((section(".text.unlikely"))) int port_close(int n)
 *	14	{
 *	15		return limit(n) - 1;
 *	16	}
 *
 * by gcc -g -O2 -fdebug-prefix-map=$PWD=/usr/src/port -c port.c -o port.o
 *	ld -r --build-id=0x0102030405060708090a0b0c0d0e0f1011121314 port.o -o port.full
 *	objcopy --only-keep-debug port.full port-x.ko
 */
#include "config.h"

#include "base/cleanup.h"
#include "symbol/elfnamed.h"
#include "symbol/module_debug.h"
#include "symbol/relocated.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <sberf/symbolize.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MODULE "tests/data/symbol/port-x.ko"
#define TEXT 0xffffffffc0401000ull
#define UNLIKELY 0xffffffffc0405234ull
#define RUN_MAX 2048u
#define LIMIT_OF_OPEN "limit /usr/src/port/port.c:3 < port_open /usr/src/port/port.c:10"

static const struct relocated_section placed[] = { { ".text", TEXT }, { ".text.unlikely", UNLIKELY } };

static int open_module(void)
{
	const char *top = getenv("top_srcdir");
	char path[1024];
	int fd;

	snprintf(path, sizeof(path), "%s/" MODULE, top ? top : ".");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

/* What ADDRESS of the file at FD is, "inlined file:line < function file:line". */
static const char *name_of(int fd, uint64_t address)
{
	static char text[512];
	struct sberf_names *names = NULL;
	struct sberf_frame at;
	struct sberf *s;
	uint32_t module;
	char path[32];
	size_t n = 0;

	*text = '\0';
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(sberf_open(&s, NULL), 0);
	assert_int_equal(sberf_file_add(s, path, &module), 0);
	if (!sberf_file_place(s, module, address, &at)) {
		assert_int_equal(sberf_symbolize(s, &at, 1, 0, &names), 0);
		for (uint32_t i = 0; i < names->name[0].nr_functions; i++) {
			const struct sberf_function *f = &names->name[0].functions[i];

			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s %s:%u", i ? " < " : "", f->name,
					      f->file, f->line);
		}
	}
	sberf_names_free(names);
	sberf_close(s);
	return text;
}

static void lines_are_where_the_sections_are(void **state)
{
	AUTO_FD int file = open_module();
	AUTO_FD int fd = -1;
	AUTO(elf_file_free) struct elf_file *f = NULL;
	uint64_t at, size;

	assert_int_equal(relocated_open(file, placed, 2, &fd, NULL), 0);
	assert_string_equal(name_of(fd, TEXT), LIMIT_OF_OPEN);
	assert_string_equal(name_of(fd, TEXT + 0x15), "port_open /usr/src/port/port.c:11");
	assert_string_equal(name_of(fd, UNLIKELY), "limit /usr/src/port/port.c:3 < port_close /usr/src/port/port.c:15");
	assert_string_equal(name_of(fd, TEXT - 1), "");
	assert_int_equal(elf_file_open(fd, &f, NULL), 0);
	assert_true(elf_named(f, "port_close", &at, &size));
	assert_true(at == UNLIKELY && size == 0x16);
}

/* As of a section of code for the begin alone. */
static void what_is_not_in_memory_has_no_place(void **state)
{
	AUTO_FD int file = open_module();
	AUTO_FD int fd = -1;
	AUTO(elf_file_free) struct elf_file *f = NULL;
	uint64_t at, size;

	assert_int_equal(relocated_open(file, placed, 1, &fd, NULL), 0);
	assert_string_equal(name_of(fd, TEXT), LIMIT_OF_OPEN);
	assert_string_equal(name_of(fd, UNLIKELY), "");
	assert_string_equal(name_of(fd, 0), "");
	assert_int_equal(elf_file_open(fd, &f, NULL), 0);
	assert_false(elf_named(f, "port_close", &at, &size));
}

/* The module's bytes, with those at AT changed, or cut there. */
static int damaged(const char *bytes, size_t len, size_t at, bool cut)
{
	const int fd = memfd_create("damaged", MFD_CLOEXEC);
	const char other = (char)~bytes[at];

	assert_true(fd >= 0 && write(fd, bytes, cut ? at : len) == (ssize_t)(cut ? at : len));
	if (!cut)
		assert_int_equal(pwrite(fd, &other, 1, (off_t)at), 1);
	return fd;
}

static void damage_is_refused_or_does_no_harm(void **state)
{
	AUTO_FD int file = open_module();
	static char bytes[16384];
	const ssize_t len = read(file, bytes, sizeof(bytes));
	uint32_t refused = 0;

	assert_true(len > 1000 && len < (ssize_t)sizeof(bytes));
	for (size_t at = 1; at < (size_t)len; at++)
		for (unsigned int cut = 0; cut < 2; cut++) {
			AUTO_FD int from = damaged(bytes, (size_t)len, at, cut);
			AUTO_FD int to = -1;
			struct err e = ERR_INIT;

			if (relocated_open(from, placed, 2, &to, &e)) {
				assert_true(e.text[0]);
				refused++;
			}
		}
	assert_true(refused > (uint32_t)len);
}

static void run(const char *command)
{
	assert_int_equal(system(command), 0);
}

/* A tree of what the kernel says, and of files, in DIR. */
static void make_tree(const char *dir)
{
	const char *top = getenv("top_srcdir");
	char command[RUN_MAX];

	snprintf(command, sizeof(command), "cd %s && mkdir -p sys/port_x/sections sys/port_x/notes fs/lib/modules/6 "
		 "fs/usr/lib/debug/lib/modules/6/kernel/drivers && "
		 "echo 0xffffffffc0401000 >sys/port_x/sections/.text && "
		 "printf '\\004\\0\\0\\0\\024\\0\\0\\0\\003\\0\\0\\0GNU\\0\\001\\002\\003\\004\\005\\006\\007"
		 "\\010\\011\\012\\013\\014\\015\\016\\017\\020\\021\\022\\023\\024' "
		 ">sys/port_x/notes/.note.gnu.build-id", dir);
	run(command);
	snprintf(command, sizeof(command), "cd %s && printf 'kernel/a/port.ko: kernel/drivers/port-x.ko\\n"
		 "kernel/drivers/port-x.ko.xz:\\n' >fs/lib/modules/6/modules.dep", dir);
	run(command);
	snprintf(command, sizeof(command), "cp %s/" MODULE " %s/fs/usr/lib/debug/lib/modules/6/kernel/drivers/",
		 top ? top : ".", dir);
	run(command);
}

static void a_module_is_found_by_list_and_build_id(void **state)
{
	char dir[] = "/tmp/sberf-module-XXXXXX", sys[64], fs[64], command[RUN_MAX];
	struct module_debug_where where = { .modules = sys, .release = "6", .symfs = fs };
	AUTO_FD int fd = -1;
	struct err e = ERR_INIT;

	assert_non_null(mkdtemp(dir));
	snprintf(sys, sizeof(sys), "%s/sys", dir);
	snprintf(fs, sizeof(fs), "%s/fs", dir);
	make_tree(dir);
	assert_int_equal(module_debug_open("port_x", &where, &fd, NULL), 0);
	assert_string_equal(name_of(fd, TEXT), LIMIT_OF_OPEN);
	assert_int_equal(module_debug_open("port", &where, &fd, &e), -ENOENT);
	assert_string_equal(e.text, "the kernel does not say which build of module port is loaded");
	assert_int_equal(module_debug_open("../port_x", &where, &fd, &e), -EINVAL);
	/* Where it is, is hidden. */
	snprintf(command, sizeof(command), "echo 0x0000000000000000 >%s/port_x/sections/.text", sys);
	run(command);
	assert_int_equal(module_debug_open("port_x", &where, &fd, &e), -EPERM);
	assert_non_null(strstr(e.text, "hides where module port_x is"));
	/* Another build of it is loaded. */
	snprintf(command, sizeof(command), "printf '\\001' | dd of=%s/port_x/notes/.note.gnu.build-id bs=1 seek=20 "
		 "conv=notrunc 2>/dev/null", sys);
	run(command);
	assert_int_equal(module_debug_open("port_x", &where, &fd, &e), -ENOENT);
	assert_string_equal(e.text, "the file of module port_x is of another build, or has no debug information: "
			    "install that of 6 (Debian: linux-image-6-dbg)");
	snprintf(command, sizeof(command), "rm -r %s", dir);
	run(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_where_the_sections_are),
		cmocka_unit_test(what_is_not_in_memory_has_no_place),
		cmocka_unit_test(damage_is_refused_or_does_no_harm),
		cmocka_unit_test(a_module_is_found_by_list_and_build_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
