/* SPDX-License-Identifier: BSD-2-Clause */
/* test_names_message.c - what the worker that reads files says is believed when it has been checked. */
#include "config.h"

#include "symbol/names_message.h"
#include "symbol/names_worker.h"

#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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

/* ---- a worker that says anything ---- */

#define PLACES 4u
#define MESSAGES 6u

static uint64_t dice(void)
{
	static uint64_t x = 88172645463325252ull;

	x ^= x << 13;
	x ^= x >> 7;
	return x ^= x << 17;
}

static void said(struct names_message *m, enum names_op op, const void *body, size_t length)
{
	m->head = (struct names_head){ .op = op, .length = (uint32_t)length };
	memcpy(m->body, body, length);
}

/* What an honest worker says of a batch of PLACES places. */
static void honest(struct names_message *m)
{
	static const struct unread none = { .n = 1 };
	static const struct names_counts counts = { .damaged_symbols = 1 };
	const struct names_texts texts = { "called", "file.c", "/dir" };

	said(&m[0], NAMES_AT, "", 0);
	said(&m[1], NAMES_OPEN, "", 0);
	said(&m[2], NAMES_SAID, "", 0);
	for (uint32_t i = 0; i < PLACES; i++)
		assert_true(names_record_add(&m[2], &(struct names_record){ .place = i, .token = i % 2 * (i / 2 + 1),
									    .text = 6, .file = 6, .dir = 4 }, &texts));
	said(&m[3], NAMES_PLAIN, "", 0);
	said(&m[4], NAMES_UNREAD, &none, sizeof(none));
	said(&m[5], NAMES_DONE, &counts, sizeof(counts));
}

/* Sends M, of which CHANGED bytes are anything, or which ends too early. */
static void send_changed(int socket, const struct names_message *m, unsigned int changed)
{
	const size_t length = sizeof(m->head) + m->head.length;
	uint8_t *bytes = malloc(length);

	assert_non_null(bytes);
	memcpy(bytes, m, length);
	/* Half of them where numbers are small: heads, and what stands first. */
	for (unsigned int i = 0; i < changed; i++)
		bytes[dice() % (dice() % 2 && length > 80 ? 80 : length)] = (uint8_t)(dice() % 3 ? dice() % 8 : dice());
	send(socket, bytes, changed && !(dice() % 8) ? dice() % (length + 1) : length, MSG_NOSIGNAL);
	free(bytes);
}

static int open_nothing(void *ctx, module_id module, struct err *e)
{
	return err_set(e, ENOENT, "there is no file");
}

static int no_root(void *ctx, module_id module)
{
	return -ENOENT;
}

static int no_debuginfo(void *ctx, module_id module, const uint8_t *id, uint8_t id_len, const char *what)
{
	return -ENOENT;
}

/* How many of the places have a name from a worker that says M, each message with up to CHANGED bytes that are not. */
static size_t named_by(const struct names_message *m, unsigned int changed)
{
	static const _Atomic bool never;
	const struct elf_names_files files = { .open = open_nothing, .root = no_root, .debuginfo = no_debuginfo,
					       .stop = &never };
	struct symbolizer_stats stats = { 0 };
	struct unread unread = { 0 };
	struct names_question q[PLACES];
	size_t named = 0;
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
	for (unsigned int i = 0; i < MESSAGES; i++)
		send_changed(pair[1], &m[i], changed ? (unsigned int)(dice() % (changed + 1)) : 0);
	shutdown(pair[1], SHUT_WR);
	{
		AUTO(names_worker_free) struct names_worker *w = names_worker_of(pair[0], &files, &stats, &unread);

		assert_non_null(w);
		assert_true(names_worker_add(w, 0, &(struct module){ .kind = MODULE_FILE }, "/bin/file", "file"));
		for (uint32_t i = 0; i < PLACES; i++)
			q[i] = (struct names_question){ .offset = i };
		names_worker_prepare(w, q, PLACES, true);
		for (uint32_t i = 0; i < PLACES; i++) {
			static struct answer answer;

			named += names_worker_find(w, 0, i, true, &answer);
			for (uint16_t k = 0; k < answer.n; k++)
				assert_non_null(answer.name[k].file);
			answer_clear(&answer);
		}
	}
	close(pair[1]);
	return named;
}

static void a_worker_that_says_anything_does_no_harm(void **state)
{
	struct names_message *m = calloc(MESSAGES, sizeof(*m));
	size_t named = 0, runs = 0;

	assert_non_null(m);
	honest(m);
	assert_int_equal(named_by(m, 0), PLACES);
	for (; runs < 2000; runs++)
		named += named_by(m, 1 + (unsigned int)(runs % 8));
	/* Some of it made sense, and much did not. */
	assert_in_range(named, 1, runs * PLACES - 1);
	free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_side_sends_its_own_messages),
		cmocka_unit_test(lengths_and_texts_are_checked),
		cmocka_unit_test(records_are_taken_apart_within_their_message),
		cmocka_unit_test(a_worker_that_says_anything_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
