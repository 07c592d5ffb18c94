/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_view_annot.c - key a: the code of a function over the panes, as keys and refreshes leave it.
 * With SBERF_GOLDEN=write in the environment the screens in tests/golden/view are written.
 */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/golden.h"
#include "tests/unit/keys.h"
#include "tests/unit/madecode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct world {
	struct made_session f;
	struct driver d;
	enum madecode_source source;
	unsigned int asked;
};

static int no_file(void *ctx, module_id module, struct err *e)
{
	return err_set(e, 2, "nothing is opened here");
}

static void begin(struct world *w, int cols, int rows, bool ascii)
{
	*w = (struct world){ .source = MADECODE_FOUND };
	madesession_init(&w->f);
	madecode_fill(&w->f);
	w->f.session.code.open = no_file;
	driver_init(&w->d, &w->f, cols, rows, ascii);
}

static void end(struct world *w)
{
	driver_free(&w->d);
	madesession_free(&w->f);
}

/* Does what is asked for, as a thread would. */
static void serve(struct world *w)
{
	struct annot_answer answer;
	struct annot_job job;

	while (view_annot_job(w->d.view, w->d.now_ns, &job)) {
		struct listing *l = madecode_listing(&job.of, w->source);

		w->asked++;
		annotate_now(l, w->f.m.names, &job, &answer);
		answer.took_ns = 0;
		view_annot_give(w->d.view, &answer, w->d.now_ns);
		listing_free(l);
	}
	driver_refresh(&w->d);
}

static void press(struct world *w, const char *keys)
{
	driver_press(&w->d, keys);
	serve(w);
}

static void golden(const char *name, int cols, int rows, bool ascii, enum madecode_source source, const char *keys)
{
	char path[128];
	struct world w;

	begin(&w, cols, rows, ascii);
	w.source = source;
	press(&w, "/work<Enter>a");
	press(&w, keys);
	snprintf(path, sizeof(path), "view/annot-%s", name);
	golden_screen(w.d.canvas, path);
	end(&w);
}

static void screens(void **state)
{
	golden("20x5", 20, 5, false, MADECODE_FOUND, "");
	golden("40x10", 40, 10, false, MADECODE_FOUND, "");
	golden("80x24", 80, 24, false, MADECODE_FOUND, "");
	golden("200x60", 200, 60, false, MADECODE_FOUND, "");
	golden("80x24-ascii", 80, 24, true, MADECODE_FOUND, "");
	golden("source-80x24", 80, 24, false, MADECODE_FOUND, "s");
	golden("code-80x24", 80, 24, false, MADECODE_FOUND, "ss");
	golden("help-80x24", 80, 24, false, MADECODE_FOUND, "?");
	golden("search-80x24", 80, 24, false, MADECODE_FOUND, "/edx");
	golden("not-found-80x24", 80, 24, false, MADECODE_NOT_FOUND, "");
	golden("no-lines-80x24", 80, 24, false, MADECODE_NO_LINES, "");
	golden("no-code-80x24", 80, 24, false, MADECODE_NO_CODE, "");
	golden("hostile-80x24", 80, 24, false, MADECODE_HOSTILE, "");
	golden("scrolled-40x10", 40, 10, false, MADECODE_FOUND, "<Right>");
}

static void it_says_that_it_reads_until_it_has(void **state)
{
	struct annot_answer failed = { .err = { .code = 12, .text = "not enough memory for the code of a function" } };
	struct annot_job job;
	struct world w;

	begin(&w, 80, 24, false);
	driver_press(&w.d, "/work<Enter>a");
	assert_screen_has(w.d.canvas, "reading");
	driver_press(&w.d, "jnHs/x<Enter>G");            /* nothing to move in */
	assert_screen_has(w.d.canvas, "reading");
	assert_true(view_annot_job(w.d.view, w.d.now_ns, &job));
	assert_false(view_annot_job(w.d.view, w.d.now_ns, &(struct annot_job){ 0 }));
	snapshot_unref(job.snapshot);
	view_annot_give(w.d.view, &failed, w.d.now_ns);
	driver_refresh(&w.d);
	assert_screen_has(w.d.canvas, "not enough memory");
	press(&w, "q");
	assert_screen_has(w.d.canvas, "by process");
	assert_int_equal(w.asked, 0);
	end(&w);
}

static void an_answer_that_comes_too_late_is_dropped(void **state)
{
	struct annot_answer answer;
	struct annot_job job;
	struct listing *l;
	struct world w;

	begin(&w, 80, 24, false);
	driver_press(&w.d, "/work<Enter>a");
	assert_true(view_annot_job(w.d.view, w.d.now_ns, &job));
	l = madecode_listing(&job.of, MADECODE_FOUND);
	annotate_now(l, w.f.m.names, &job, &answer);
	listing_free(l);
	driver_press(&w.d, "q");
	view_annot_give(w.d.view, &answer, w.d.now_ns);
	driver_refresh(&w.d);
	assert_screen_has(w.d.canvas, "by process");
	press(&w, "a");                                  /* and it can be asked for again */
	assert_screen_has(w.d.canvas, "samples stand");
	end(&w);
}

static void what_has_no_code_says_why(void **state)
{
	struct world w;

	begin(&w, 100, 24, false);
	madesession_add(&w.f, 1, "main;sys_read_[k]", 50);
	madesession_add(&w.f, 1, "main;@123", 40);
	driver_refresh(&w.d);
	press(&w, "ga");
	assert_screen_has(w.d.canvas, "this line is no function");
	press(&w, "/main<Enter>a");
	assert_screen_has(w.d.canvas, "only a name is known of this");
	press(&w, "E/sys_read<Enter>a");
	assert_screen_has(w.d.canvas, "sberf does not read it");
	press(&w, "/0x123<Enter>a");
	assert_screen_has(w.d.canvas, "it is not known to which function this belongs");
	press(&w, "<Esc>/work<Enter>");
	w.f.session.code.open = NULL;
	press(&w, "a");
	assert_screen_has(w.d.canvas, "cannot be opened from here");
	assert_int_equal(w.asked, 0);
	end(&w);
}

/* Newer figures come by themselves, and leave the cursor where the user has put it. */
static void a_refresh_moves_nothing(void **state)
{
	struct world w;

	begin(&w, 80, 24, false);
	press(&w, "/work<Enter>a");
	assert_screen_has(w.d.canvas, "8 of 22 rows");               /* the hottest */
	press(&w, "kkk");
	assert_screen_has(w.d.canvas, "5 of 22 rows");
	madecode_add(&w.f, 2, (const uint32_t[]){ 40, MADECODE_END }, "", 900);
	driver_refresh(&w.d);
	serve(&w);
	assert_screen_has(w.d.canvas, "5 of 22 rows");
	assert_screen_has(w.d.canvas, "9.80 s here");
	press(&w, "H");
	assert_screen_has(w.d.canvas, "popq");
	assert_screen_has(w.d.canvas, "20 of 22 rows");
	press(&w, "p");
	w.asked = 0;
	madecode_add(&w.f, 3, (const uint32_t[]){ 4, MADECODE_END }, "", 9000);
	driver_refresh(&w.d);
	serve(&w);
	assert_int_equal(w.asked, 0);                    /* paused */
	end(&w);
}

static void keys_go_from_place_to_place(void **state)
{
	struct world w;

	begin(&w, 80, 30, false);
	press(&w, "/work<Enter>a");
	press(&w, "s");
	assert_screen_has(w.d.canvas, "work \xC2\xB7 app.c:5");      /* the same line in another layout */
	press(&w, "n");
	assert_screen_has(w.d.canvas, "work \xC2\xB7 app.c:12");
	press(&w, "N");
	assert_screen_has(w.d.canvas, "work \xC2\xB7 app.c:5");
	press(&w, "/NOTE(");
	assert_screen_has(w.d.canvas, "no match");
	press(&w, "<^U>note(");
	assert_screen_has(w.d.canvas, "1 row");
	press(&w, "<Enter>");
	press(&w, "<Esc>");
	assert_screen_has(w.d.canvas, "work \xC2\xB7 app.c:13");
	press(&w, "/for<Esc>");
	assert_screen_has(w.d.canvas, "work \xC2\xB7 app.c:13");     /* back to where it began */
	press(&w, "?");
	assert_screen_has(w.d.canvas, "to the hottest line");
	press(&w, "?<Esc>");
	assert_screen_has(w.d.canvas, "by process");
	press(&w, "50/work<Enter><Esc>a");
	assert_screen_has(w.d.canvas, "samples stand");
	end(&w);
}

/* Of an inlined function, that which it is a part of is shown, and the cursor is where it takes most. */
static void inlined_functions_are_shown_where_they_are(void **state)
{
	struct world w;

	begin(&w, 100, 30, false);
	madecode_add(&w.f, 1, (const uint32_t[]){ 4, MADECODE_END }, "", 500);
	driver_refresh(&w.d);
	press(&w, "/mix<Enter>a");
	assert_screen_has(w.d.canvas, "work, which has mix in it");
	assert_screen_has(w.d.canvas, "work \xC2\xB7 app.c:5");
	end(&w);
}

static void the_mouse_points_at_rows(void **state)
{
	struct world w;

	begin(&w, 80, 24, false);
	press(&w, "/work<Enter>a");
	press(&w, "g");
	assert_screen_has(w.d.canvas, "1 of 22 rows");
	view_mouse(w.d.view, MOUSE_WHEEL_DOWN, 3, 10);
	driver_refresh(&w.d);
	assert_screen_has(w.d.canvas, "4 of 22 rows");
	view_mouse(w.d.view, MOUSE_CLICK, 3, 7);
	driver_refresh(&w.d);
	assert_screen_has(w.d.canvas, "3 of 22 rows");
	view_mouse(w.d.view, MOUSE_CLICK, 3, 3);
	driver_refresh(&w.d);
	assert_screen_has(w.d.canvas, "3 of 22 rows");               /* on the rule */
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens),
		cmocka_unit_test(it_says_that_it_reads_until_it_has),
		cmocka_unit_test(an_answer_that_comes_too_late_is_dropped),
		cmocka_unit_test(what_has_no_code_says_why),
		cmocka_unit_test(a_refresh_moves_nothing),
		cmocka_unit_test(keys_go_from_place_to_place),
		cmocka_unit_test(inlined_functions_are_shown_where_they_are),
		cmocka_unit_test(the_mouse_points_at_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
