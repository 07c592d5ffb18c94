/* SPDX-License-Identifier: BSD-2-Clause */
/* names_message.c - a table says of each kind of message who sends it and how long its body may be. */
#include "config.h"

#include "symbol/names_message.h"

#include "base/cleanup.h"
#include "base/fdmessage.h"

#include <errno.h>
#include <string.h>

_Static_assert(sizeof(struct names_head) == 24, "heads have no gaps");
_Static_assert(sizeof(struct names_record) == 48, "records have no gaps");
_Static_assert(sizeof(struct names_record) + NAMES_TEXT_MAX + 2 * NAMES_FILE_MAX + 3 + 8 < NAMES_BODY_MAX,
	       "every record finds room in an empty message");

#define MODULE_MIN (offsetof(struct names_module, text) + 2)

static const struct {
	bool by_worker;
	uint32_t min, max;           /* length of the body, bytes */
	uint8_t texts;               /* NULs that it has, of which one is its last byte; 0 = none need be */
} kinds[NAMES_OPS] = {
	[NAMES_SETUP] = { false, 1, PATH_MAX, 1 },
	[NAMES_MODULE] = { false, MODULE_MIN, sizeof(struct names_module), 0 },
	[NAMES_CALLED] = { false, 1, PATH_MAX, 1 },
	[NAMES_ASK] = { false, sizeof(struct names_place), NAMES_BATCH_MAX * sizeof(struct names_place), 0 },
	[NAMES_FILE] = { false, 0, 0, 0 },
	[NAMES_OPEN] = { true, 0, 0, 0 },
	[NAMES_ROOT] = { true, 0, 0, 0 },
	[NAMES_PATH] = { true, 2, PATH_MAX, 1 },
	[NAMES_FETCH] = { true, 1, BUILD_ID_MAX, 0 },
	[NAMES_HELLO] = { true, 0, ERR_TEXT_MAX, 1 },
	[NAMES_AT] = { true, 0, 0, 0 },
	[NAMES_SAID] = { true, sizeof(struct names_record), NAMES_BODY_MAX, 0 },
	[NAMES_PLAIN] = { true, 0, 0, 0 },
	[NAMES_UNREAD] = { true, sizeof(struct unread), sizeof(struct unread), 0 },
	[NAMES_DONE] = { true, sizeof(struct names_counts), sizeof(struct names_counts), 0 },
};

/* Is the body of M, which is not empty, one text, with its NUL at the end? */
static bool names_message_is_text(const struct names_message *m)
{
	return memchr(m->body, '\0', m->head.length) == m->body + m->head.length - 1;
}

bool names_message_check(const struct names_message *m, size_t length, bool by_worker)
{
	const struct names_head *h = &m->head;

	if (length < sizeof(*h) || !h->op || h->op >= NAMES_OPS || h->reserved || h->length != length - sizeof(*h))
		return false;
	return kinds[h->op].by_worker == by_worker && h->length >= kinds[h->op].min && h->length <= kinds[h->op].max &&
	       (!kinds[h->op].texts || !h->length || names_message_is_text(m));
}

int names_message_send(int socket, const struct names_message *m, int fd)
{
	return fdmessage_send(socket, m, sizeof(m->head) + m->head.length, fd);
}

ssize_t names_message_take(int socket, bool by_worker, struct names_message *m, int *ret_fd)
{
	AUTO_FD int fd = -1;
	const ssize_t n = fdmessage_take(socket, m, sizeof(*m), &fd);

	if (n == -EMSGSIZE || (n > 0 && !names_message_check(m, (size_t)n, by_worker)))
		return -EBADMSG;
	if (ret_fd)
		*ret_fd = take_fd(&fd);
	return n;
}

static size_t names_record_bytes(const struct names_record *r)
{
	return (sizeof(*r) + r->text + (size_t)r->file + r->dir + 3 + 7) & ~(size_t)7;
}

/* The text of LEN bytes at *P, which is moved behind it; NULL when that is none. */
static const char *names_record_text(const uint8_t **p, uint32_t len)
{
	const char *text = (const char *)*p;

	*p += len + 1;
	return strnlen(text, len + (size_t)1) == len ? text : NULL;
}

int names_record_next(const uint8_t *body, size_t length, size_t *at, struct names_record *ret,
		      struct names_texts *ret_texts)
{
	const uint8_t *p = body + *at + sizeof(*ret);

	if (*at == length)
		return 0;
	if (length - *at < sizeof(*ret))
		return -EBADMSG;
	memcpy(ret, body + *at, sizeof(*ret));
	if (ret->text > NAMES_TEXT_MAX || ret->file > NAMES_FILE_MAX || ret->dir > NAMES_FILE_MAX || ret->reserved ||
	    names_record_bytes(ret) > length - *at)
		return -EBADMSG;
	ret_texts->text = names_record_text(&p, ret->text);
	ret_texts->file = names_record_text(&p, ret->file);
	ret_texts->dir = names_record_text(&p, ret->dir);
	*at += names_record_bytes(ret);
	return ret_texts->text && ret_texts->file && ret_texts->dir ? 1 : -EBADMSG;
}

bool names_record_add(struct names_message *m, const struct names_record *r, const struct names_texts *t)
{
	uint8_t *p = m->body + m->head.length;
	const size_t bytes = names_record_bytes(r);

	if (bytes > sizeof(m->body) - m->head.length)
		return false;
	memset(p, 0, bytes);
	memcpy(p, r, sizeof(*r));
	p += sizeof(*r);
	memcpy(p, t->text, r->text);
	memcpy(p + r->text + 1, t->file, r->file);
	memcpy(p + r->text + 1 + r->file + 1, t->dir, r->dir);
	m->head.length += (uint32_t)bytes;
	return true;
}
