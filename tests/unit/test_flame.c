/* SPDX-License-Identifier: BSD-2-Clause */
/* test_flame.c - flame graphs put together by hand: order does not matter, comparisons have both sides. */
#include "config.h"

#include "tests/unit/cmocka_all.h"

#include "export/flame.h"

#include <stdlib.h>
#include <string.h>

static uint32_t add(struct flame *f, uint32_t parent, const char *text, enum flame_kind kind, uint64_t running,
		    uint64_t before)
{
	const uint32_t i = flame_add(f, parent, flame_label(f, text, strlen(text), kind));

	assert_int_not_equal(i, FLAME_NONE);
	f->nodes.v[i].self[TIME_RUNNING] = running;
	f->nodes.v[i].before[TIME_RUNNING] = before;
	return i;
}

static char *drawn(const struct flame *f, int (*draw)(FILE *, const struct flame *,
						      const struct flame_options *, struct err *))
{
	struct err e = ERR_INIT;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(draw(out, f, NULL, &e), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void order(void **state)
{
	struct flame a, b;
	char *ta, *tb;

	(void)state;
	assert_int_equal(flame_init(&a, NULL), 0);
	assert_int_equal(flame_init(&b, NULL), 0);
	add(&a, add(&a, 0, "main", FLAME_USER, 1, 0), "work", FLAME_USER, 5, 0);
	add(&a, 0, "idle", FLAME_KERNEL, 2, 0);
	add(&b, 0, "idle", FLAME_KERNEL, 2, 0);
	add(&b, add(&b, 0, "main", FLAME_USER, 1, 0), "work", FLAME_USER, 5, 0);
	ta = drawn(&a, flame_svg);
	tb = drawn(&b, flame_svg);
	assert_string_equal(ta, tb);
	/*
	 * Labels: all, idle, main, work. The root, main (1), below it work (5), one up idle (2); a
	 * bit says that there is weight.
	 */
	assert_non_null(strstr(ta, "\"labels\":\"AAall\\nAFidle\\nADmain\\nADwork\\n\""));
	assert_non_null(strstr(ta, "\"tree\":\"AABCBBDFFBC\""));
	free(ta);
	free(tb);
	flame_free(&a);
	flame_free(&b);
}

static void comparison(void **state)
{
	struct flame f;
	char *text;

	(void)state;
	assert_int_equal(flame_init(&f, NULL), 0);
	f.compared = true;
	add(&f, 0, "new", FLAME_USER, 3, 0);
	f.nodes.v[add(&f, 0, "gone", FLAME_USER, 0, 4)].error = 201;
	text = drawn(&f, flame_html);
	assert_non_null(strstr(text, "\"compared\":true,\"whole\":[0,0],\"sides\":[\"before\",\"after\"]"));
	/* Both are half of it: by text then. Three columns: bit 0 is after, bit 1 before, bit 2 the error. */
	assert_non_null(strstr(text, "\"tree\":\"AAGBEpGJCD\""));
	free(text);
	flame_free(&f);
}

static void no_weight(void **state)
{
	struct flame f;
	char *text;

	(void)state;
	assert_int_equal(flame_init(&f, NULL), 0);
	add(&f, 0, "never", FLAME_USER, 0, 0);
	text = drawn(&f, flame_svg);
	assert_null(strstr(text, "nan"));
	assert_null(strstr(text, "inf%"));
	free(text);
	flame_free(&f);
	flame_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order),
		cmocka_unit_test(comparison),
		cmocka_unit_test(no_weight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
