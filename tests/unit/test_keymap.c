/* SPDX-License-Identifier: BSD-2-Clause */
/* test_keymap.c - the one table of keys: no key means two things, and whatever is shown works. */
#include "config.h"

#include "base/text.h"
#include "tests/unit/cmocka_all.h"
#include "ui/keymap.h"

#include <stdlib.h>
#include <string.h>

static const enum ui_mode modes[] = {
#define X(id, name, key, shown, needs, footer, brief, help, where) MODE_##id,
	PANE_LIST(X)
#undef X
				      MODE_ANNOTATE, MODE_SEARCH, MODE_FILTER, MODE_FILTERS, MODE_PROBE, MODE_SAVE,
				      MODE_OPTIONS, MODE_SPAN, MODE_LENGTH, MODE_PICK, MODE_PICK_TEXT, MODE_HELP };
#define MODES (sizeof(modes) / sizeof(modes[0]))
#define ALL (CAN_PAUSE | CAN_RESET | CAN_OFF_CPU | CAN_WAKERS | CAN_TAB | CAN_RECORD | CAN_PACE | CAN_ATTACH | \
	     CAN_PROBE | CAN_SCRIPTS | CAN_SERVE)

static bool bound(const struct binding *b, uint32_t key)
{
	return b->key[0] == key || b->key[1] == key || b->key[2] == key;
}

static void no_key_means_two_things(void **state)
{
	size_t n;
	const struct binding *b = keymap(&n);

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			for (int k = 0; k < 3 && (b[i].modes & b[j].modes); k++) {
				if (b[i].key[k] && bound(&b[j], b[i].key[k]))
					fail_msg("%s and %s share a key", b[i].help, b[j].help);
			}
		}
	}
}

static void every_row_says_what_it_does(void **state)
{
	size_t n;
	const struct binding *b = keymap(&n);

	for (size_t i = 0; i < n; i++) {
		assert_int_not_equal(b[i].key[0], 0);
		assert_int_not_equal(b[i].action, ACT_NONE);
		assert_true(b[i].shown[0] && b[i].help[0]);
		assert_true(strlen(b[i].shown) <= 12);
		assert_true(strlen(b[i].help) <= 35);
		/* A key that is named together with the next one. */
		assert_true(!b[i].footer || b[i].brief[0] ||
			    (i + 1 < n && b[i + 1].footer == b[i].footer + 1 && b[i + 1].brief[0]));
		if (b[i].key[0] > ' ' && b[i].key[0] < 0x7F)
			assert_non_null(strchr(b[i].shown, (int)b[i].key[0]));
	}
}

/* What a question can be answered with has to be on screen: 78 columns of it, with two between them. */
static void questions_fit(void **state)
{
	static const enum ui_mode asked[] = { MODE_SAVE, MODE_OPTIONS, MODE_FILTERS, MODE_FILTER, MODE_SEARCH,
					      MODE_PICK_TEXT, MODE_PROBE, MODE_SPAN, MODE_LENGTH };

	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		const struct binding *b[32];
		const size_t n = keymap_footer(asked[i], ALL, b, sizeof(b) / sizeof(b[0]));
		size_t cols = 0;

		for (size_t k = 0; k < n; k++)
			cols += strcspn(b[k]->shown, " ") + 1 + strlen(b[k]->brief) + (k + 1 < n &&
				b[k]->brief[0] ? 2 : 0);
		assert_true(n && cols <= 78);
	}
}

static void dispatch_reads_the_rows(void **state)
{
	size_t n;
	const struct binding *b = keymap(&n);

	for (size_t i = 0; i < n; i++) {
		for (size_t m = 0; m < MODES; m++) {
			for (int k = 0; k < 3 && b[i].key[k] && (b[i].modes & modes[m]); k++)
				assert_int_equal(keymap_action(b[i].key[k], modes[m], ALL), b[i].action);
		}
	}
	assert_int_equal(keymap_action(0, MODE_TREE, ALL), ACT_NONE);
	assert_int_equal(keymap_action(UI_KEY_UNKNOWN, MODE_TREE, ALL), ACT_NONE);
	assert_int_equal(keymap_action(0x1F600, MODE_TREE, ALL), ACT_NONE);
	assert_int_equal(keymap_action('j', MODE_SEARCH, ALL), ACT_NONE);
}

static void what_the_source_cannot_do_is_not_there(void **state)
{
	const struct binding *footer[64];

	assert_int_equal(keymap_action('r', MODE_TREE, ALL), ACT_RESET);
	assert_int_equal(keymap_action('r', MODE_TREE, CAN_PAUSE), ACT_NONE);
	assert_int_equal(keymap_action('p', MODE_TREE, CAN_RESET), ACT_NONE);
	for (size_t i = keymap_footer(MODE_TREE, 0, footer, 64); i-- > 0;)
		assert_true(footer[i]->action != ACT_RESET && footer[i]->action != ACT_PAUSE);
}

static void the_footer_is_in_order_and_bounded(void **state)
{
	const struct binding *footer[64];

	for (size_t m = 0; m < MODES; m++) {
		const size_t n = keymap_footer(modes[m], ALL, footer, 64);

		assert_true(n > 0);
		for (size_t i = 1; i < n; i++)
			assert_true(footer[i - 1]->footer < footer[i]->footer);
		assert_int_equal(keymap_footer(modes[m], ALL, footer, 1), 1);
		assert_int_equal(keymap_footer(modes[m], ALL, footer, 0), 0);
	}
}

/* The modes of this test are all that rows have. */
static void every_mode_is_tried(void **state)
{
	unsigned int known = 0;
	size_t n;
	const struct binding *b = keymap(&n);

	for (size_t m = 0; m < MODES; m++)
		known |= modes[m];
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(b[i].modes & ~known, 0);
		assert_true(text_is_clean(b[i].shown, strlen(b[i].shown)));
		assert_true(text_is_clean(b[i].help, strlen(b[i].help)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_key_means_two_things),
		cmocka_unit_test(every_row_says_what_it_does),
		cmocka_unit_test(questions_fit),
		cmocka_unit_test(dispatch_reads_the_rows),
		cmocka_unit_test(what_the_source_cannot_do_is_not_there),
		cmocka_unit_test(the_footer_is_in_order_and_bounded),
		cmocka_unit_test(every_mode_is_tried),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
