/* SPDX-License-Identifier: BSD-2-Clause */
/* test_names_message.c - what the worker that reads files says is believed when it has been checked. */
#include "config.h"

#include "symbol/names_message.h"

#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct names_message *message_of(enum names_op op, size_t length)
{
	struct names_message *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	m->head = (struct names_head){ .op = op, .length = (uint32_t)length };
	return m;
}

static bool accepted(const struct names_message *m, bool by_worker)
{
	return names_message_check(m, sizeof(m->head) + m->head.length, by_worker);
}

static void each_side_sends_its_own_messages(void **state)
{
	struct names_message *m = message_of(NAMES_OPEN, 0);

	assert_true(accepted(m, true));
	assert_false(accepted(m, false));
	m->head.op = NAMES_FILE;
	assert_true(accepted(m, false));
	assert_false(accepted(m, true));
	m->head.op = 0;
	assert_false(accepted(m, true));
	m->head.op = NAMES_OPS;
	assert_false(accepted(m, true));
	m->head.op = NAMES_OPEN;
	m->head.reserved = 1;
	assert_false(accepted(m, true));
	free(m);
}

static void lengths_and_texts_are_checked(void **state)
{
	struct names_message *m = message_of(NAMES_PATH, 5);

	memcpy(m->body, "/a/b", 5);
	assert_true(accepted(m, true));
	assert_false(names_message_check(m, sizeof(m->head) + 4, true));
	m->body[2] = '\0';       /* it ends before the message does */
	assert_false(accepted(m, true));
	memcpy(m->body, "/a/bc", 5);     /* it does not end */
	assert_false(accepted(m, true));
	m->head.length = 1;
	assert_false(accepted(m, true));
	m->head.op = NAMES_DONE;
	m->head.length = sizeof(struct names_counts) - 1;
	assert_false(accepted(m, true));
	free(m);
}

/* What a message of one record is taken for when the byte AT of it is VALUE. */
static int taken_with(const struct names_message *m, size_t at, uint8_t value)
{
	/* As long as the body and no longer: a sanitizer sees what is read behind it. */
	uint8_t *body = malloc(m->head.length);
	struct names_record r;
	struct names_texts t;
	size_t behind = 0;
	int n;

	assert_non_null(body);
	memcpy(body, m->body, m->head.length);
	body[at] = value;
	do
		n = names_record_next(body, m->head.length, &behind, &r, &t);
	while (n > 0 && behind < m->head.length);
	free(body);
	return n;
}

static void records_are_taken_apart_within_their_message(void **state)
{
	const struct names_texts texts = { "function", "file.c", "/dir" };
	const struct names_record record = { .start = 1, .size = 2, .place = 3, .token = 4, .line = 5, .text = 8,
					     .file = 6, .dir = 4 };
	struct names_message *m = message_of(NAMES_SAID, 0);
	struct names_record r;
	struct names_texts t;
	size_t at = 0, n = 0;

	while (names_record_add(m, &record, &texts))
		n++;
	assert_true(n > 1000);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(names_record_next(m->body, m->head.length, &at, &r, &t), 1);
		assert_memory_equal(&r, &record, sizeof(r));
		assert_string_equal(t.text, "function");
		assert_string_equal(t.file, "file.c");
		assert_string_equal(t.dir, "/dir");
	}
	assert_int_equal(names_record_next(m->body, m->head.length, &at, &r, &t), 0);
	m->head.length = 0;
	assert_true(names_record_add(m, &record, &texts));
	for (size_t i = 0; i < m->head.length; i++)
		for (unsigned int value = 0; value < 256; value++)
			taken_with(m, i, (uint8_t)value);
	for (size_t i = offsetof(struct names_record, text); i < sizeof(record); i++)
		if (((const uint8_t *)&record)[i] != 0xee)
			assert_int_equal(taken_with(m, i, 0xee), -EBADMSG);
	free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_side_sends_its_own_messages),
		cmocka_unit_test(lengths_and_texts_are_checked),
		cmocka_unit_test(records_are_taken_apart_within_their_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
