/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_view_pace.c - rate and refresh, changed in steps. With SBERF_GOLDEN=write in the environment the screens in
 * tests/golden/view are written.
 */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/golden.h"
#include "tests/unit/keys.h"

#include "base/clock.h"
#include "ui/view_private.h"

#include <stdio.h>
#include <string.h>

static uint32_t asked_hz;
static uint64_t asked_ns;

static void rate(void *ctx, uint32_t hz)
{
	asked_hz = hz;
}

static void refresh(void *ctx, uint64_t ns)
{
	asked_ns = ns;
}

struct world {
	struct made_session f;
	struct driver d;
};

static void begin(struct world *w, int cols, int rows, const char *keys)
{
	madesession_init(&w->f);
	madesession_server(&w->f);
	w->f.session.rate = rate;
	w->f.session.refresh = refresh;
	asked_hz = 0;
	asked_ns = 0;
	driver_init(&w->d, &w->f, cols, rows, false);
	driver_press(&w->d, keys);
}

static void end(struct world *w)
{
	driver_free(&w->d);
	madesession_free(&w->f);
}

static void golden(const char *name, int cols, int rows, const char *keys)
{
	char path[128];
	struct world w;

	begin(&w, cols, rows, keys);
	snprintf(path, sizeof(path), "view/pace-%s", name);
	golden_screen(w.d.canvas, path);
	end(&w);
}

static void screens(void **state)
{
	golden("20x5", 20, 5, "o");
	golden("40x10", 40, 10, "o");
	golden("80x24", 80, 24, "o");
	golden("200x60", 200, 60, "o");
	golden("asked-80x24", 80, 24, "o+");
}

/* Keys come faster than the capture answers: each step counts. */
static void the_rate(void **state)
{
	struct world w;

	begin(&w, 80, 24, "o+");
	assert_int_equal(asked_hz, 199);
	driver_press(&w.d, "o+o+");
	assert_int_equal(asked_hz, 999);
	driver_press(&w.d, "o-o-o-o-");
	assert_int_equal(asked_hz, 49);
	driver_press(&w.d, "o-o-");
	assert_int_equal(asked_hz, 9);
	asked_hz = 0;
	driver_press(&w.d, "o-");
	assert_int_equal(asked_hz, 0);
	end(&w);
	begin(&w, 80, 24, "");
	w.f.meta.freq_asked = 12000;
	driver_refresh(&w.d);
	driver_press(&w.d, "o+");
	assert_int_equal(asked_hz, 0);
	driver_press(&w.d, "o-");
	assert_int_equal(asked_hz, 9999);
	end(&w);
}

static void the_refresh(void **state)
{
	struct world w;

	begin(&w, 80, 24, "o>");
	assert_int_equal(asked_ns, 2 * NSEC_PER_SEC);
	assert_int_equal(view_refresh_ns(w.d.view), 2 * NSEC_PER_SEC);
	driver_press(&w.d, "o<o<o<o<o<o<");
	assert_int_equal(asked_ns, 100 * NSEC_PER_MSEC);
	end(&w);
}

static void where_nothing_is_captured(void **state)
{
	struct world w;

	begin(&w, 80, 24, "");
	w.f.ended = true;
	driver_press(&w.d, "o+");
	assert_int_equal(asked_hz, 0);
	end(&w);
}

/* What is saved holds samples of both rates. */
static void what_a_file_says(void **state)
{
	struct profile_meta m = { .freq_asked = 199, .freq_got = 198 };

	meta_of_file(&m);
	assert_int_equal(m.freq_asked, 199);
	m.rate_changed = true;
	meta_of_file(&m);
	assert_int_equal(m.freq_asked, 0);
	assert_int_equal(m.freq_got, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens),     cmocka_unit_test(the_rate),
		cmocka_unit_test(the_refresh), cmocka_unit_test(where_nothing_is_captured),
		cmocka_unit_test(what_a_file_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
