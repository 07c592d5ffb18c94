/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_exporters.c - the table of formats: whoever reads it finds each by one name, one extension
 * and one key, with words for each place.
 */
#include "config.h"

#include "base/text.h"
#include "export/exporter.h"
#include "export/pprofparts.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/made.h"

#include <string.h>

static const enum exporter_user users[] = { EXPORT_BY_REPORT, EXPORT_BY_DIFF, EXPORT_BY_BATCH, EXPORT_BY_SAVE };

static void a_name_means_one_format(void **state)
{
	for (size_t u = 0; u < sizeof(users) / sizeof(users[0]); u++) {
		const struct exporter *x;
		unsigned int n = 0;

		for (; (x = exporter_get(users[u], n)); n++)
			assert_ptr_equal(exporter_named(users[u], exporter_name(users[u], x)), x);
		assert_true(n);
		assert_null(exporter_named(users[u], "no such format"));
		assert_null(exporter_named(users[u], ""));
	}
	assert_null(exporter_named(EXPORT_BY_REPORT, "recording"));
	assert_null(exporter_named(EXPORT_BY_DIFF, "pprof"));
	assert_null(exporter_named(EXPORT_BY_BATCH, "tree"));
	assert_ptr_equal(exporter_named(EXPORT_BY_BATCH, "text"), &exporter_tree);
	assert_ptr_equal(exporter_get(EXPORT_BY_REPORT, 0), &exporter_tree);
}

/* Also where one ends in another, as x.perf.data and x.speedscope.json do. */
static void an_extension_means_one_format(void **state)
{
	const struct exporter *x;

	for (unsigned int i = 0; (x = exporter_get(EXPORT_BY_REPORT, i)); i++) {
		for (const char *at = x->extensions; *at; at += *at == ',') {
			const int len = (int)strcspn(at, ",");
			char path[64];

			snprintf(path, sizeof(path), "some.where/x.%.*s", len, at);
			assert_ptr_equal(exporter_of_file(EXPORT_BY_REPORT, path), x);
			snprintf(path, sizeof(path), "x%.*s", len, at);
			assert_ptr_not_equal(exporter_of_file(EXPORT_BY_REPORT, path), x);
			snprintf(path, sizeof(path), "x/.%.*s", len, at);
			assert_ptr_not_equal(exporter_of_file(EXPORT_BY_REPORT, path), x);
			at += len;
		}
	}
	assert_null(exporter_of_file(EXPORT_BY_REPORT, "x.sberf"));
	assert_null(exporter_of_file(EXPORT_BY_DIFF, "x.callgrind"));
	assert_null(exporter_of_file(EXPORT_BY_REPORT, ""));
}

static void words_are_there_for_each_place(void **state)
{
	for (size_t u = 0; u < sizeof(users) / sizeof(users[0]); u++) {
		const struct exporter *x;

		for (unsigned int i = 0; (x = exporter_get(users[u], i)); i++) {
			const char *const texts[] = {
				x->name, x->about, x->diff.write ? x->diff.about : NULL,
					x->batch.name ? x->batch.about : NULL,
				x->save.letter ? x->save.word : NULL, x->save.letter ? x->save.help : NULL,
				x->save.letter ? x->save.use : NULL,
			};

			assert_non_null(x->write);
			assert_true(!x->diff.write == !x->diff.about);
			for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
				if (!texts[k])
					continue;
				assert_true(*texts[k] && text_is_clean(texts[k], strlen(texts[k])));
				assert_int_not_equal(texts[k][strlen(texts[k]) - 1], '.');
			}
		}
	}
}

/* The menu has one format at each place, up to the last: a gap would hide what comes behind it. */
static void the_menu_has_no_gap(void **state)
{
	unsigned int offered = 0, saved = 0;
	const struct exporter *const all[] = {
#define X(name) &exporter_##name,
		EXPORTERS(X)
#undef X
	};

	while (exporter_get(EXPORT_BY_SAVE, offered))
		offered++;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		saved += all[i]->save.letter != 0;
		assert_true(!all[i]->save.letter || (all[i]->save.place && *all[i]->extensions));
		for (size_t k = 0; k < i; k++)
			assert_true(!all[i]->save.letter || all[i]->save.letter != all[k]->save.letter);
	}
	assert_int_equal(offered, saved);
}

static void those_that_take_an_option_are_named(void **state)
{
	char text[64], small[8];

	assert_string_equal(exporters_taking(EXPORT_TAKES_PERCENT, text, sizeof(text)), "tree, flat, memory and leaks");
	assert_string_equal(exporters_taking(EXPORT_TAKES_DEPTH, text, sizeof(text)), "tree");
	assert_string_equal(exporters_taking(EXPORT_TAKES_INVERTED, text, sizeof(text)),
			    "tree, folded, svg, html and speedscope");
	assert_string_equal(exporters_taking(EXPORT_TAKES_INVERTED, small, sizeof(small)), "tree, f");
	assert_string_equal(exporters_taking(0, text, sizeof(text)), "");
}

/* While something runs, functions get names that were not there when a profile was begun. */
static void functions_come_while_it_is_written(void **state)
{
	FILE *null = fopen("/dev/null", "w");
	struct gzout *gz = gzout_open(null);
	const struct query q = { 0 };
	struct pprof_parts p;
	struct err e = ERR_INIT;
	struct made m;
	struct name late = { 0 };
	frame_id frame;

	(void)state;
	made_init(&m, NULL);
	frame = dict_get_stack(m.d, made_stack(&m, "main"))->frame;
	assert_non_null(gz);
	assert_true(pprof_parts_init(&p, gz, m.d, m.names, &q));
	for (unsigned int i = 0; i < 300000; i++) {
		const struct func f = { .kind = FUNC_USER, .start = i, .size = 1,
					.name = names_add_text(m.names, "f", 1) };

		late.func = names_add_func(m.names, &f);
	}
	assert_in_range(late.func, 300000, 300001);
	assert_int_equal(names_set(m.names, frame, &late, 1, true), 0);
	assert_int_equal(pprof_place(&p, frame), frame + 1);
	assert_false(p.no_memory);
	/* It is marked: another place of it writes it no second time. */
	assert_int_equal(p.func_seen.n, late.func + 2);
	assert_int_equal(p.func_seen.v[late.func + 1], 1);
	pprof_parts_free(&p);
	assert_int_equal(gzout_close(gz, 0, &e), 0);
	fclose(null);
	made_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_means_one_format),
		cmocka_unit_test(an_extension_means_one_format),
		cmocka_unit_test(words_are_there_for_each_place),
		cmocka_unit_test(the_menu_has_no_gap),
		cmocka_unit_test(those_that_take_an_option_are_named),
		cmocka_unit_test(functions_come_while_it_is_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
