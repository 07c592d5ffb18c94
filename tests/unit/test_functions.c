/* SPDX-License-Identifier: BSD-2-Clause */
/* test_functions.c - which functions a probe means: of this program, of libc and libstdc++, by all their names. */
#include "config.h"

#include "probe/functions.h"

#include "tests/unit/cmocka_all.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LIBSTDCXX "/usr/lib/x86_64-linux-gnu/libstdc++.so.6"

/* Two names of one place, and one that ends as a copy does. */
__attribute__((noinline, used)) static int probe_me(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}
int probe_me_too(int x) __attribute__((alias("probe_me")));
__asm__(".text\n.type copied.constprop.0, @function\ncopied.constprop.0: ret\n.size copied.constprop.0, 1\n"
	".type copied.cold, @function\ncopied.cold: ret\n.size copied.cold, 1\n");

struct opened {
	int fd;
	struct elf_file *file;
	struct functions *functions;
};

static bool open_functions(const char *path, struct opened *o)
{
	*o = (struct opened){ .fd = open(path, O_RDONLY | O_CLOEXEC) };
	if (o->fd < 0)
		return false;
	assert_int_equal(elf_file_open(o->fd, &o->file, NULL), 0);
	assert_int_equal(functions_new(o->file, NULL, &o->functions, NULL), 0);
	assert_int_equal(functions_damaged(o->functions), 0);
	return true;
}

static void close_functions(struct opened *o)
{
	functions_free(o->functions);
	elf_file_free(o->file);
	close(o->fd);
}

static int find(struct opened *o, const char *function, found_functions *ret, struct err *e)
{
	char text[512];
	struct spec s;

	snprintf(text, sizeof(text), "u::%s", function);
	assert_int_equal(spec_parse(text, &s, NULL), 0);
	return find_functions(o->functions, &s.point[0], ret, e);
}

static void own_functions_are_found_by_all_names(void **state)
{
	found_functions l = { 0 };
	struct err e = ERR_INIT;
	struct opened o;
	uint8_t code[4];

	assert_true(open_functions("/proc/self/exe", &o));
	assert_int_equal(find(&o, "probe_me", &l, &e), 1);
	assert_int_equal(find(&o, "probe_me_too", &l, &e), 1);
	assert_int_equal(l.v[0].offset, l.v[1].offset);
	assert_true(l.v[0].at_entry && l.v[0].size && !l.v[0].resolver);
	assert_true(elf_file_read(o.file, l.v[0].offset, code, sizeof(code)));
	assert_memory_equal(code, (const void *)probe_me, sizeof(code));
	assert_int_equal(find(&o, "probe_me*", &l, &e), 1);
	assert_int_equal(l.v[2].names, 2);
	assert_int_equal(find(&o, "/^probe_me_to{2}$/", &l, &e), 1);
	assert_int_equal(find(&o, "copied", &l, &e), 1);
	assert_string_equal(l.v[4].symbol, "copied.constprop.0");
	assert_int_equal(find(&o, "probe_me+0x1", &l, &e), 1);
	assert_true(!l.v[5].at_entry && l.v[5].offset == l.v[0].offset + 1 && l.v[5].start == l.v[0].vaddr);
	assert_int_equal(find(&o, "probe_me+0x1000", &l, &e), -ERANGE);
	assert_int_equal(find(&o, "probe_mee", &l, &e), -ENOENT);
	assert_string_equal(e.text, "there is no function 'probe_mee' in it: did you mean 'probe_me'?");
	assert_int_equal(find(&o, "zzz*", &l, &e), -ENOENT);
	assert_string_equal(e.text, "no function in it matches 'zzz*'");
	assert_int_equal(find(&o, "test.c:12", &l, &e), -ENOENT);
	assert_int_equal(l.n, 6);
	vec_free(&l);
	close_functions(&o);
}

static void offsets_are_places(void **state)
{
	found_functions l = { 0 };
	struct err e = ERR_INIT;
	struct opened o;
	struct spec s;
	char text[64];

	assert_true(open_functions("/proc/self/exe", &o));
	assert_int_equal(find(&o, "probe_me", &l, &e), 1);
	snprintf(text, sizeof(text), "u:x+0x%llx", (unsigned long long)l.v[0].offset + 2);
	assert_int_equal(spec_parse(text, &s, NULL), 0);
	assert_int_equal(find_functions(o.functions, &s.point[0], &l, &e), 1);
	assert_int_equal(l.v[1].offset, l.v[0].offset + 2);
	assert_int_equal(l.v[1].start, l.v[0].vaddr);
	assert_int_equal(spec_parse("u:x+0x1", &s, NULL), 0);
	assert_int_equal(find_functions(o.functions, &s.point[0], &l, &e), -ERANGE);
	assert_string_equal(e.text, "there is no code at offset 0x1 of it");
	vec_free(&l);
	close_functions(&o);
}

static void functions_of_cxx_have_names_of_the_source(void **state)
{
	static const struct {
		const char *text;
		int n;
	} cases[] = {
		{ "std::__throw_bad_alloc", 1 },
		{ "std::__throw_bad_alloc()", 1 },
		{ "_ZSt17__throw_bad_allocv", 1 },
		{ "std::ios_base::Init::Init", 1 },
		{ "operator new", 4 },
		{ "operator new(unsigned long)", 1 },
		{ "__cxa_throw", 1 },
		{ "std::locale::~locale()", 1 },
		{ "std::ostream::put", 1 },
		{ "std::istream::get", 6 },
	};
	found_functions l = { 0 };
	struct opened o;

	if (!open_functions(LIBSTDCXX, &o))
		skip();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = ERR_INIT;
		const int n = find(&o, cases[i].text, &l, &e);

		if (n != cases[i].n)
			fail_msg("%s: %d %s", cases[i].text, n, e.text);
	}
	assert_true(find(&o, "std::ostream*", &l, NULL) > 10);
	assert_true(find(&o, "/^std::.*<wchar_t/", &l, NULL) > 100);
	vec_free(&l);
	close_functions(&o);
}

static void functions_of_libc_are_those_of_the_loader(void **state)
{
	static const char *const names[] = { "malloc", "free", "calloc", "read", "pthread_mutex_lock", "qsort" };
	found_functions l = { 0 };
	struct opened o;
	Dl_info info;

	assert_true(dladdr(dlsym(RTLD_DEFAULT, "qsort"), &info));
	assert_true(probe_target_is("libc", info.dli_fname) && probe_target_is("libc.so.6", info.dli_fname));
	assert_true(open_functions(info.dli_fname, &o));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const uint64_t at = (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, names[i]);

		l.n = 0;
		if (at - (uint64_t)(uintptr_t)info.dli_fbase > 1u << 30)
			continue; /* a checker's own */
		assert_int_equal(find(&o, names[i], &l, NULL), 1);
		assert_int_equal(l.v[0].vaddr, at - (uint64_t)(uintptr_t)info.dli_fbase);
	}
	l.n = 0;
	assert_int_equal(find(&o, "memcpy", &l, NULL), 2); /* memcpy@GLIBC_2.2.5 is a function */
	assert_true(l.v[0].resolver != l.v[1].resolver);
	vec_free(&l);
	close_functions(&o);
}

static void targets_are_files(void **state)
{
	assert_true(probe_target_is("", "/a/b"));
	assert_true(probe_target_is("libstdc++.so.6", "/usr/lib/libstdc++.so.6.0.30"));
	assert_true(probe_target_is("app", "/opt/app"));
	assert_true(probe_target_is("/opt/app", "/opt/app"));
	assert_false(probe_target_is("/opt/ap", "/opt/app"));
	assert_false(probe_target_is("libc", "/usr/lib/libcrypt.so.1"));
	assert_false(probe_target_is("libc.so", "/usr/lib/libc.sorted"));
	assert_false(probe_target_is("python3", "/usr/bin/python3.11"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_functions_are_found_by_all_names),
		cmocka_unit_test(offsets_are_places),
		cmocka_unit_test(functions_of_cxx_have_names_of_the_source),
		cmocka_unit_test(functions_of_libc_are_those_of_the_loader),
		cmocka_unit_test(targets_are_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
