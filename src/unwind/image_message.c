// SPDX-License-Identifier: BSD-2-Clause
/*
 * image_message.c - a table says of each kind of message who sends it and how long it may be; each kind has a check of
 * what is in it.
 */
#include "config.h"

#include "unwind/image_message.h"

#include "base/cleanup.h"
#include "base/fdmessage.h"
#include "bpf/wire.h"

#include <errno.h>
#include <string.h>

_Static_assert(sizeof(struct image_head) == 32, "heads have no gaps");
_Static_assert(sizeof(struct rule_row) == 12, "rows have no gaps");
_Static_assert(offsetof(struct image_opened, load) % 8 == 0 && sizeof(struct image_opened) == 28 + 20 + ERR_TEXT_MAX,
	       "what a file is has no gaps");
_Static_assert(IMAGE_PAGE_BYTES == SB_TEXT_BYTES && IMAGE_ROWS_MAX == SB_ROWS, "pages are those of the kernel half");
_Static_assert(IMAGE_PAGES_MAX * (4 + IMAGE_ROWS_MAX * sizeof(struct rule_row)) <= IMAGE_BODY_MAX,
	       "every page finds room");
_Static_assert(sizeof(struct image_opened) + IMAGE_LOADS_MAX * sizeof(struct image_opened_load) <= IMAGE_BODY_MAX &&
	       sizeof(struct cfi_row) + CFI_ROW_OPS_MAX * sizeof(struct cfi_op) <= IMAGE_BODY_MAX, "so do the others");

static const struct {
	bool by_worker, pages;       /* it says how many pages */
	enum image_op answer;
	uint32_t min, max;           /* length of the body, bytes, when it is no failure */
} kinds[IMAGE_OPS] = {
	[IMAGE_OPEN] = { false, false, IMAGE_OPENED, 0, 0 },
	[IMAGE_PAGES] = { false, true, IMAGE_SAID_PAGES, 0, 0 },
	[IMAGE_PLACE] = { false, false, IMAGE_SAID_PLACE, 0, 0 },
	[IMAGE_ROW] = { false, false, IMAGE_SAID_ROW, 0, 0 },
	[IMAGE_CLOSE] = { false, false, 0, 0, 0 },
	[IMAGE_HELLO] = { true, false, 0, 0, 0 },
	[IMAGE_OPENED] = { true, false, 0, sizeof(struct image_opened), IMAGE_BODY_MAX },
	[IMAGE_SAID_PAGES] = { true, true, 0, 4 + sizeof(struct rule_row), IMAGE_BODY_MAX },
	[IMAGE_SAID_PLACE] = { true, false, 0, sizeof(struct rule), sizeof(struct rule) },
	[IMAGE_SAID_ROW] = { true, false, 0, 0, IMAGE_BODY_MAX },
};

/* Is what M says of a failure nothing, or a sentence with its NUL? */
static bool image_message_fails(const struct image_message *m)
{
	const struct image_head *h = &m->head;

	if (h->result > 0 || !kinds[h->op].by_worker)
		return false;
	return !h->length || (h->op == IMAGE_OPENED && h->length <= ERR_TEXT_MAX &&
			      memchr(m->body, '\0', h->length) == m->body + h->length - 1);
}

static bool image_opened_check(const struct image_message *m)
{
	const struct image_opened *o = (const struct image_opened *)m->body;

	if (o->nr_loads > IMAGE_LOADS_MAX || o->build_id_len > BUILD_ID_MAX || o->lacks_code < 0 ||
	    o->machine > UINT16_MAX || !memchr(o->lacks, '\0', sizeof(o->lacks)) ||
	    m->head.length != sizeof(*o) + o->nr_loads * sizeof(o->load[0]))
		return false;
	for (uint32_t i = 0; i < o->nr_loads; i++)
		if (o->load[i].exec > 1)
			return false;
	return true;
}

/* Are the N rows at ROW those of a page? */
static bool image_rows_check(const struct rule_row *row, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (row[i].at >= IMAGE_PAGE_BYTES || (i ? row[i].at <= row[i - 1].at : row[i].at > 0) ||
		    !rule_is_sound(&row[i].rule))
			return false;
	return n > 0 && n <= IMAGE_ROWS_MAX;
}

static bool image_pages_check(const struct image_message *m)
{
	size_t at = 0;

	for (uint32_t i = 0; i < m->head.pages; i++) {
		const size_t left = m->head.length - at;
		uint32_t n;

		if (left < sizeof(n))
			return false;
		memcpy(&n, m->body + at, sizeof(n));
		if (n > IMAGE_ROWS_MAX || left - sizeof(n) < n * sizeof(struct rule_row) ||
		    !image_rows_check((const struct rule_row *)(m->body + at + sizeof(n)), n))
			return false;
		at += sizeof(n) + n * sizeof(struct rule_row);
	}
	return at == m->head.length;
}

static bool image_body_check(const struct image_message *m)
{
	switch (m->head.op) {
	case IMAGE_OPENED:
		return image_opened_check(m);
	case IMAGE_SAID_PAGES:
		return image_pages_check(m);
	case IMAGE_SAID_PLACE:
		return rule_is_sound((const struct rule *)m->body);
	case IMAGE_SAID_ROW:
		return !m->head.length || cfi_row_check((const struct cfi_row *)m->body, m->head.length);
	default:
		return true;
	}
}

bool image_message_check(const struct image_message *m, size_t length, bool by_worker)
{
	const struct image_head *h = &m->head;

	if (length < sizeof(*h) || !h->op || h->op >= IMAGE_OPS || h->reserved || h->length != length - sizeof(*h) ||
	    kinds[h->op].by_worker != by_worker)
		return false;
	if (kinds[h->op].pages ? !h->pages || h->pages > IMAGE_PAGES_MAX || h->offset % IMAGE_PAGE_BYTES : h->pages)
		return false;
	if (h->result)
		return image_message_fails(m);
	return h->length >= kinds[h->op].min && h->length <= kinds[h->op].max && image_body_check(m);
}

enum image_op image_message_answer(enum image_op op)
{
	return kinds[op].answer;
}

int image_message_send(int socket, const struct image_message *m, int fd)
{
	return fdmessage_send(socket, m, sizeof(m->head) + m->head.length, fd);
}

ssize_t image_message_take(int socket, bool by_worker, struct image_message *m, int *ret_fd)
{
	AUTO_FD int fd = -1;
	const ssize_t n = fdmessage_take(socket, m, sizeof(*m), &fd);

	if (n == -EMSGSIZE || (n > 0 && !image_message_check(m, (size_t)n, by_worker)))
		return -EBADMSG;
	if (ret_fd)
		*ret_fd = take_fd(&fd);
	return n;
}

bool image_pages_add(struct image_message *m, const struct rule_row *row, size_t n)
{
	const uint32_t count = (uint32_t)n;
	uint8_t *p = m->body + m->head.length;

	if (sizeof(count) + n * sizeof(*row) > sizeof(m->body) - m->head.length)
		return false;
	memcpy(p, &count, sizeof(count));
	memcpy(p + sizeof(count), row, n * sizeof(*row));
	m->head.length += (uint32_t)(sizeof(count) + n * sizeof(*row));
	return true;
}

uint32_t image_pages_next(const struct image_message *m, size_t *at, const struct rule_row **ret)
{
	uint32_t n;

	memcpy(&n, m->body + *at, sizeof(n));
	*ret = (const struct rule_row *)(m->body + *at + sizeof(n));
	*at += sizeof(n) + n * sizeof(**ret);
	return n;
}
