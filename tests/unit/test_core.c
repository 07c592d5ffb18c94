/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_core.c - what unwinds stacks and names frames links alone: this program takes every object
 * of libsberf_core.a and none of the libraries that only captures, views and exporters need
 * (curses, libbpf, capstone, jansson, libdeflate, libnuma). That it links is the test; here it
 * walks a stack and names a function with it.
 */
#include "config.h"

#include "base/cleanup.h"
#include "symbol/resolver.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unwind/fixture.h"
#include "unwind/unwind.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline, used)) static int core_named(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

static void test_walks(void **state)
{
	static struct chain chain;
	AUTO(unwinder_free) struct unwinder *u = unwinder_new();
	AUTO_FILE FILE *f = NULL;
	struct unwind_space space;
	struct fixture fx;
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/fixtures/tiny.raw", getenv("top_srcdir") ? getenv("top_srcdir") : ".");
	f = fopen(path, "re");
	assert_non_null(f);
	assert_non_null(u);
	assert_true(fixture_read(f, &fx));
	space = fixture_space(&fx);
	unwind_sample(u, &space, &fx.input, &chain);
	assert_int_equal(chain.cut, CUT_COMPLETE);
	assert_int_equal(chain.n, fx.expect->n);
	fixture_free(&fx);
}

static int open_self(void *ctx, module_id module, uid_t *ret_uid, struct err *e)
{
	*ret_uid = getuid();
	return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
}

/* The file offset of P, an address in this program. */
static int offset_of(struct dl_phdr_info *info, size_t size, void *ctx)
{
	uint64_t *at = ctx;

	for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const uint64_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && *at >= start && *at - start < p->p_memsz) {
			*at += p->p_offset - start;
			break;
		}
	}
	return 1;        /* the first is the program itself */
}

static void test_names(void **state)
{
	const struct module_opener opener = { .open = open_self };
	const struct module m = { .kind = MODULE_FILE };
	const _Atomic bool stop = false;
	const struct symbolizer_options options = { .symfs = NULL };
	struct symbolizer_stats stats = { 0 };
	struct unread unread = { 0 };
	struct answer answer = { 0 };
	uint64_t at = (uint64_t)(uintptr_t)core_named;
	AUTO(resolver_free) struct resolver *r = resolver_new(&opener, &options, NULL, &stats, &unread, &stop);

	dl_iterate_phdr(offset_of, &at);
	assert_non_null(r);
	assert_true(resolver_add_module(r, 1, &m, "/proc/self/exe", "/proc/self/exe"));
	assert_true(resolver_name(r, 1, at + 1, &answer));
	assert_string_equal(answer.name[0].text, "core_named");
	answer_clear(&answer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walks),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
