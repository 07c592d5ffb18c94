/* SPDX-License-Identifier: BSD-2-Clause */
/* test_err.c - sentences are set, prefixed, cut and made safe; a failure never looks like success. */
#include "config.h"

#include "base/err.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <string.h>

static void sets_code_and_sentence(void **state)
{
	struct err e = ERR_INIT;

	assert_int_equal(err_set(&e, ENOENT, "no file %s", "x"), -ENOENT);
	assert_int_equal(e.code, ENOENT);
	assert_string_equal(e.text, "no file x");
	assert_int_equal(err_set(&e, 0, "odd"), -EINVAL);
	assert_int_equal(e.code, EINVAL);
	assert_int_equal(err_set(&e, -EPERM, "odd"), -EINVAL);
	assert_int_equal(err_nomem(&e, "a tree"), -ENOMEM);
	assert_string_equal(e.text, "out of memory while building a tree");
}

static void takes_null(void **state)
{
	assert_int_equal(err_set(NULL, EIO, "x"), -EIO);
	assert_int_equal(err_prefix(NULL, "x"), -EINVAL);
	assert_int_equal(err_nomem(NULL, "x"), -ENOMEM);
}

static void prefixes(void **state)
{
	struct err e = ERR_INIT;

	assert_int_equal(err_prefix(&e, "nothing to prefix"), -EINVAL);
	assert_string_equal(e.text, "");
	err_set(&e, EIO, "cut short");
	assert_int_equal(err_prefix(&e, "file %d", 7), -EIO);
	assert_string_equal(e.text, "file 7: cut short");
}

static void bounds_and_sanitises(void **state)
{
	char longer[2 * ERR_TEXT_MAX];
	struct err e = ERR_INIT;

	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	err_set(&e, EIO, "%s", longer);
	assert_int_equal(strlen(e.text), ERR_TEXT_MAX - 1);
	err_prefix(&e, "%s", longer);
	assert_int_equal(strlen(e.text), ERR_TEXT_MAX - 1);
	err_set(&e, EIO, "\033[2J");
	assert_string_equal(e.text, "\xEF\xBF\xBD[2J");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_code_and_sentence),
		cmocka_unit_test(takes_null),
		cmocka_unit_test(prefixes),
		cmocka_unit_test(bounds_and_sanitises),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
