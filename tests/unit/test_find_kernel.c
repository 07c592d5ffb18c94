/* SPDX-License-Identifier: BSD-2-Clause */
/* test_find_kernel.c - system calls by name and group, tracepoints and their fields, functions, nearest names. */
#include "config.h"

#include "probe/find_syscalls.h"
#include "probe/kernel_functions.h"
#include "probe/tracepoint.h"

#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct spec_point point_of(const char *text)
{
	struct spec s;

	assert_int_equal(spec_parse(text, &s, NULL), 0);
	return s.point[0];
}

static int syscalls(const char *text, const char *arch, found_syscalls *ret, struct err *e)
{
	const struct spec_point p = point_of(text);

	return find_syscalls(&p, arch, ret, e);
}

static bool has(const found_syscalls *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->v[i].name, name))
			return true;
	return false;
}

static void system_calls_have_numbers(void **state)
{
	found_syscalls l = { 0 };
	struct err e = ERR_INIT;

	assert_int_equal(syscalls("sys:openat", "x86_64", &l, &e), 1);
	assert_int_equal(l.v[0].number, 257);
	assert_int_equal(syscalls("sys:openat", "aarch64", &l, &e), 1);
	assert_int_equal(l.v[1].number, 56);
	assert_true(syscalls("sys:*", "x86_64", &l, &e) > 300);
	vec_free(&l);
	assert_true(syscalls("sys:%file", "x86_64", &l, &e) > 50);
	assert_true(has(&l, "openat") && has(&l, "execve") && !has(&l, "read"));
	vec_free(&l);
	assert_true(syscalls("sys:%net", "x86_64", &l, &e) > 15);
	assert_true(has(&l, "sendto") && !has(&l, "open"));
	vec_free(&l);
	assert_true(syscalls("sys:%memory", "x86_64", &l, &e) > 15 && has(&l, "mmap"));
	vec_free(&l);
	assert_true(syscalls("sys:%process", "aarch64", &l, &e) > 8 && has(&l, "clone3") && !has(&l, "fork"));
	vec_free(&l);
	assert_int_equal(syscalls("sys:/^p(read|write)v2$/", "x86_64", &l, &e), 2);
	vec_free(&l);
}

static void misspelt_system_calls_have_a_nearest(void **state)
{
	found_syscalls l = { 0 };
	struct err e = ERR_INIT;

	assert_int_equal(syscalls("sys:opnat", "x86_64", &l, &e), -ENOENT);
	assert_string_equal(e.text, "there is no system call 'opnat' on x86_64: did you mean 'openat'?");
	assert_int_equal(syscalls("sys:open", "aarch64", &l, &e), -ENOENT);
	assert_int_equal(syscalls("sys:zz*", "x86_64", &l, &e), -ENOENT);
	assert_string_equal(e.text, "no system call of x86_64 matches 'zz*': see syscalls(2)");
	assert_int_equal(l.n, 0);
}

static const char format[] = "name: demo\nID: 372\nformat:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			     "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
			     "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
			     "\tfield:__data_loc char[] name;\toffset:28;\tsize:4;\tsigned:0;\n"
			     "\tfield:const char * filename;\toffset:32;\tsize:8;\tsigned:0;\n"
			     "\tfield:unsigned long args[6];\toffset:40;\tsize:48;\tsigned:0;\n"
			     "\tfield:struct thing *what;\toffset:88;\tsize:8;\tsigned:0;\n"
			     "print fmt: \"field:int no;\toffset:1;\tsize:4;\"\n";

static void formats_have_fields(void **state)
{
	static const struct {
		const char *name, *type;
		uint32_t offset, size, form;
	} want[] = {
		{ "common_pid", "int", 4, 4, TRACEPOINT_NUMBER },
		{ "prev_comm", "char [16]", 8, 16, TRACEPOINT_TEXT },
		{ "prev_pid", "pid_t", 24, 4, TRACEPOINT_NUMBER },
		{ "name", "__data_loc char[]", 28, 4, TRACEPOINT_DYNAMIC_TEXT },
		{ "filename", "const char *", 32, 8, TRACEPOINT_POINTER },
		{ "args", "unsigned long [6]", 40, 48, TRACEPOINT_OTHER },
		{ "what", "struct thing *", 88, 8, TRACEPOINT_POINTER },
	};
	struct tracepoint t;

	assert_int_equal(tracepoint_parse(format, sizeof(format) - 1, &t, NULL), 0);
	assert_string_equal(t.name, "demo");
	assert_int_equal(t.id, 372);
	assert_int_equal(t.damaged, 0);
	assert_int_equal(t.field.n, 8);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct tracepoint_field *f = tracepoint_field_find(&t, want[i].name);

		assert_non_null(f);
		assert_string_equal(f->type, want[i].type);
		assert_int_equal(f->offset, want[i].offset);
		assert_int_equal(f->size, want[i].size);
		assert_int_equal(f->form, want[i].form);
	}
	assert_true(tracepoint_field_find(&t, "prev_pid")->is_signed);
	assert_true(tracepoint_field_find(&t, "common_pid")->common);
	tracepoint_free(&t);
}

/* Each cut of a format, and each byte of it changed, is read within bounds or refused. */
static void hostile_formats_are_survived(void **state)
{
	static const char wrong[] =
		"name: x\nID: 1\n\tfield:int a;\toffset:70000;\tsize:4;\n\tfield:int b;\toffset:65536;\tsize:1;\n"
		"\tfield:;\toffset:0;\tsize:4;\n\tfield:int c;\toffset:0;\tsize:0;\n\tfield:int "
		"*;\toffset:0;\tsize:4;\n"
		"\tfield:\n\tfield:int [;\toffset:1;size:1;\n\tfield:int d]\n";
	struct tracepoint t;

	assert_int_equal(tracepoint_parse(wrong, sizeof(wrong) - 1, &t, NULL), 0);
	assert_int_equal(t.field.n, 0);
	assert_int_equal(t.damaged, 8);
	tracepoint_free(&t);
	for (size_t len = 0; len < sizeof(format); len++) {
		char *copy = malloc(len + 1); /* exact: a checker sees a byte too many */

		memcpy(copy, format, len);
		if (!tracepoint_parse(copy, len, &t, NULL))
			tracepoint_free(&t);
		for (size_t i = 0; len == sizeof(format) - 1 && i < len; i++) {
			for (const char *c = ":;[] \n\xff"; *c; c++) {
				copy[i] = *c;
				if (!tracepoint_parse(copy, len, &t, NULL))
					tracepoint_free(&t);
			}
			copy[i] = format[i];
		}
		free(copy);
	}
}

static void put_format(const char *root, const char *category, const char *name)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/events", root);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/events/%s", root, category);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/events/%s/%s", root, category, name);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/events/%s/%s/format", root, category, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(format, f);
	fclose(f);
}

static void tracepoints_are_found(void **state)
{
	char root[] = "/tmp/test_find_kernel.XXXXXX", command[64];
	tracepoint_names l = { 0 };
	struct err e = ERR_INIT;
	struct spec_point p;
	struct tracepoint t;

	assert_non_null(mkdtemp(root));
	put_format(root, "sched", "demo");
	put_format(root, "sched", "other");
	put_format(root, "irq", "demo");
	p = point_of("t:sched:*");
	assert_int_equal(find_tracepoints(root, &p, &l, &e), 2);
	assert_string_equal(l.v[0].name, "demo");
	p = point_of("rt:demo");
	assert_int_equal(find_tracepoints(root, &p, &l, &e), 2);
	assert_int_equal(tracepoint_read(root, &l.v[0], &t, &e), 0);
	assert_string_equal(t.category, "sched");
	assert_int_equal(t.field.n, 8);
	tracepoint_free(&t);
	p = point_of("t:sched:dmeo");
	assert_int_equal(find_tracepoints(root, &p, &l, &e), -ENOENT);
	assert_string_equal(e.text, "this kernel has no tracepoint sched:dmeo: did you mean 'demo'?");
	p = point_of("t:nothing:demo");
	assert_int_equal(find_tracepoints(root, &p, &l, &e), -ENOENT);
	assert_string_equal(e.text,
			    "this kernel has no tracepoints 'nothing:...': see the output of perf list tracepoint");
	assert_int_equal(l.n, 4);
	vec_free(&l);
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

static int functions(const char *text, const char *path, kernel_functions *ret, struct err *e)
{
	const struct spec_point p = point_of(text);

	return find_kernel_functions(path, &p, ret, e);
}

static void functions_of_the_kernel_have_addresses(void **state)
{
	static const char table[] = "ffffffff81000000 T _stext\n"
				    "ffffffff81000010 t helper\n"
				    "ffffffff81000020 t helper\t[module]\n"
				    "ffffffff81000030 t made.isra.0\n"
				    "ffffffff81000040 t made.isra.0.cold\n"
				    "ffffffff81000050 t made.constprop.0\n"
				    "ffffffff81000060 D made_data\n"
				    "ffffffff81000070 t __pfx_made\n"
				    "ffffffffc0000080 t made_prog\t[bpf]\n"
				    "garbage\n\nffffffff81000090 W vfs_read";
	char path[] = "/tmp/test_find_kernel.XXXXXX";
	const int fd = mkstemp(path);
	kernel_functions l = { 0 };
	struct err e = ERR_INIT;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, table, sizeof(table) - 1), sizeof(table) - 1);
	close(fd);
	assert_int_equal(functions("k:vfs_read", path, &l, &e), 1);
	assert_true(l.v[0].address == 0xffffffff81000090);
	assert_string_equal(l.v[0].name, "vfs_read");
	assert_int_equal(functions("k:helper", path, &l, &e), 2);
	assert_int_equal(functions("k:made", path, &l, &e), 2);
	assert_string_equal(l.v[3].name, "made.isra.0");
	assert_int_equal(functions("k:made*", path, &l, &e), 2);
	assert_int_equal(functions("kprobe:/^vfs_(read|write)$/", path, &l, &e), 1);
	assert_int_equal(functions("kprobe:vfs_raed", path, &l, &e), -ENOENT);
	assert_string_equal(e.text, "the kernel has no function vfs_raed: did you mean 'vfs_read'?");
	assert_int_equal(functions("kprobe:made_data", path, &l, &e), -ENOENT);
	assert_int_equal(functions("k:[module]helper", path, &l, &e), 1);
	assert_true(l.v[l.n - 1].address == 0xffffffff81000020);
	assert_string_equal(l.v[l.n - 1].module, "module");
	assert_int_equal(functions("k:[mod*]", path, &l, &e), 1);
	assert_int_equal(functions("k:[module]made", path, &l, &e), -ENOENT);
	assert_string_equal(e.text, "module module has no function made, or is not loaded");
	unlink(path);
	assert_int_equal(functions("kprobe:vfs_read", path, &l, &e), -ENOENT);
	vec_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(system_calls_have_numbers), cmocka_unit_test(misspelt_system_calls_have_a_nearest),
		cmocka_unit_test(formats_have_fields),       cmocka_unit_test(hostile_formats_are_survived),
		cmocka_unit_test(tracepoints_are_found),
		cmocka_unit_test(functions_of_the_kernel_have_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
