/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_link.c - what cannot be probed is said before the kernel is asked; live/links.sh has the
 * rest.
 */
#include "config.h"

#include "capture/link.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <string.h>

static void refused_with(const struct link_places *p, int error, const char *says)
{
	struct links *l = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(links_attach(NULL, LINK_MANY, p, NULL, NULL, &l, &e), -error);
	assert_non_null(strstr(e.text, says));
	assert_null(l);
}

static void what_is_no_place_is_refused(void **state)
{
	static const uint64_t offset[1];
	struct link_places p = { .path = "/proc/self/exe", .offset = offset };

	(void)state;
	refused_with(&p, E2BIG, "0 places of '/proc/self/exe' cannot be probed at once: 10000 can");
	p.n = LINK_PLACES_MAX + 1;
	refused_with(&p, E2BIG, "10001 places");
	p.n = 1;
	p.path = "/no/such/file";
	refused_with(&p, ENOENT, "cannot probe '/no/such/file': No such file or directory");
	p.path = "/";
	refused_with(&p, EINVAL, "cannot probe '/': it is no file with code");
}

static void what_no_kernel_can_is_refused(void **state)
{
	(void)state;
	assert_int_equal(link_prepare(NULL, LINK_ENTRY, LINK_NOT), -ENOTSUP);
	assert_int_equal(link_prepare(NULL, LINK_SESSION, LINK_SINGLE), -ENOTSUP);
	assert_int_equal(link_prepare(NULL, LINK_RETURN, LINK_SINGLE), 0);
}

static void nothing_is_taken_off(void **state)
{
	(void)state;
	links_free(NULL);
	links_drop(NULL);
	assert_int_equal(links_dropping(0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_place_is_refused),
		cmocka_unit_test(what_no_kernel_can_is_refused),
		cmocka_unit_test(nothing_is_taken_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
