/* SPDX-License-Identifier: BSD-2-Clause */
/* message.c - a table says of each kind of message who sends it, how long its body is, and where texts are in it. */
#include "config.h"

#include "plugin/message.h"

#include "base/cleanup.h"
#include "base/fdmessage.h"

#include <errno.h>
#include <string.h>

_Static_assert(sizeof(struct plugin_head) == 40, "heads have no gaps");
_Static_assert(sizeof(struct plugin_said_body) <= SBERF_PLUGIN_READ_MAX, "a name fits where what was read does");

struct plugin_text_field {
	uint16_t at, size;           /* size 0 = there is none */
};

#define FIELD(type, member) { offsetof(struct type, member), sizeof(((struct type *)0)->member) }

static const struct plugin_message_kind {
	uint8_t side;
	uint32_t min, max;           /* length of the body, bytes */
	struct plugin_text_field text[4];
	uint32_t unit;               /* the body is a row of what is so long, which has those texts; 0 = it is one */
} kinds[PLUGIN_OPS] = {
	[PLUGIN_ATTACH] = { PLUGIN_BY_SBERF, sizeof(struct plugin_process_body), sizeof(struct plugin_process_body),
			    { FIELD(plugin_process_body, exe) } },
	[PLUGIN_DETACH] = { PLUGIN_BY_SBERF, 0, 0, { { 0 } } },
	[PLUGIN_PLAN] = { PLUGIN_BY_SBERF, 0, 0, { { 0 } } },
	[PLUGIN_CLAIMS] = { PLUGIN_BY_SBERF, 0, 0, { { 0 } } },
	[PLUGIN_RESOLVE] = { PLUGIN_BY_SBERF, 8, PLUGIN_PCS_MAX * 8, { { 0 } } },
	[PLUGIN_THREADS] = { PLUGIN_BY_SBERF, 8, PLUGIN_PCS_MAX * 8, { { 0 } } },
	[PLUGIN_EXPAND] = { PLUGIN_BY_SBERF, 0, PLUGIN_BODY_MAX, { { 0 } } },
	[PLUGIN_CHANGED] = { PLUGIN_BY_SBERF, 0, 0, { { 0 } } },
	[PLUGIN_HELLO] = { PLUGIN_BY_WORKER, sizeof(struct plugin_hello), sizeof(struct plugin_hello),
			   { FIELD(plugin_hello, name), FIELD(plugin_hello, runtime), FIELD(plugin_hello, versions),
			     FIELD(plugin_hello, trouble) } },
	[PLUGIN_READ] = { PLUGIN_BY_WORKER, 0, 0, { { 0 } } },
	[PLUGIN_MAPPED] = { PLUGIN_BY_WORKER, 0, 0, { { 0 } } },
	[PLUGIN_SYMBOL] = { PLUGIN_BY_WORKER, sizeof(struct plugin_symbol_body), sizeof(struct plugin_symbol_body),
			    { FIELD(plugin_symbol_body, module), FIELD(plugin_symbol_body, name) } },
	[PLUGIN_FILE] = { PLUGIN_BY_WORKER, 0, 0, { { 0 } } },
	[PLUGIN_LOG] = { PLUGIN_BY_WORKER, PLUGIN_LOG_MAX, PLUGIN_LOG_MAX, { { 0, PLUGIN_LOG_MAX } } },
	[PLUGIN_REFUSED] = { PLUGIN_BY_WORKER, 0, 0, { { 0 } } },
	[PLUGIN_SAY] = { PLUGIN_BY_WORKER, sizeof(struct plugin_said_body), PLUGIN_BODY_MAX,
			 { FIELD(plugin_said_body, function), FIELD(plugin_said_body, file) },
			 sizeof(struct plugin_said_body) },
	[PLUGIN_ANSWER] = { PLUGIN_BY_SBERF, 0, sizeof(struct plugin_mapped_body), { { 0 } } },
	[PLUGIN_RESULT] = { PLUGIN_BY_WORKER, 0, sizeof(struct sberf_plan), { { 0 } } },
};

/* Do the texts at BODY, which is of kind K, end within their fields? */
static bool plugin_message_texts_end(const struct plugin_message_kind *k, const unsigned char *body)
{
	for (size_t i = 0; i < sizeof(k->text) / sizeof(*k->text) && k->text[i].size; i++)
		if (!memchr(body + k->text[i].at, '\0', k->text[i].size))
			return false;
	return true;
}

bool plugin_message_check(const struct plugin_message *m, size_t length, enum plugin_side side)
{
	const struct plugin_head *h = &m->head;
	const struct plugin_message_kind *k;

	if (length < sizeof(*h) || !h->op || h->op >= PLUGIN_OPS)
		return false;
	k = &kinds[h->op];
	if (k->side != side || h->length != length - sizeof(*h) || h->length < k->min || h->length > k->max ||
	    h->process >= PLUGIN_PROCESSES_MAX || (k->unit && h->length % k->unit))
		return false;
	for (size_t at = 0; k->unit && at < h->length; at += k->unit)
		if (!plugin_message_texts_end(k, m->body + at))
			return false;
	return k->unit || plugin_message_texts_end(k, m->body);
}

int plugin_message_send(int socket, const struct plugin_message *m, int fd)
{
	return fdmessage_send(socket, m, sizeof(m->head) + m->head.length, fd);
}

ssize_t plugin_message_take(int socket, enum plugin_side side, struct plugin_message *m, int *ret_fd)
{
	AUTO_FD int fd = -1;
	const ssize_t n = fdmessage_take(socket, m, sizeof(*m), &fd);

	if (n == -EMSGSIZE || (n > 0 && !plugin_message_check(m, (size_t)n, side)))
		return -EBADMSG;
	if (ret_fd)
		*ret_fd = take_fd(&fd);
	return n;
}

bool plugin_plan_check(const struct sberf_plan *p)
{
	bool looping = false, looped = false;

	if (p->flags & ~SBERF_PLAN_INNER_FIRST || p->nr_steps > SBERF_PLAN_STEPS_MAX ||
	    p->nr_ranges > SBERF_PLAN_RANGES_MAX || p->run_end > SBERF_RUN_BEHIND ||
	    p->run_offset > SBERF_PLAN_RECORD_MAX - 8 || p->run_offset % 8)
		return false;
	for (uint32_t i = 0; i < p->nr_steps; i++) {
		const struct sberf_step *s = &p->steps[i];

		if (s->op < SBERF_STEP_ADDRESS || s->op > SBERF_STEP_THEN ||
		    (s->op == SBERF_STEP_COPY && (!s->count || s->count > SBERF_PLAN_RECORD_MAX || s->count % 8)) ||
		    (s->op == SBERF_STEP_LOOP && (looping || !s->count || s->count > SBERF_PLAN_TURNS_MAX)) ||
		    (s->op == SBERF_STEP_END && !looping) || (s->op >= SBERF_STEP_OWN && looped) ||
		    (s->op == SBERF_STEP_COPIED && (s->count > SBERF_PLAN_TAG_MAX || s->value < 0 || s->value % 8 ||
						    s->value >= SBERF_PLAN_RECORD_MAX)))
			return false;
		looping = s->op == SBERF_STEP_LOOP || (looping && s->op != SBERF_STEP_END);
		looped |= looping;
	}
	for (uint32_t i = 0; i < p->nr_ranges; i++)
		if (p->ranges[i].start >= p->ranges[i].end)
			return false;
	if (p->lock.start > p->lock.end || p->lock.end - p->lock.start > SBERF_PLAN_LOCK_MAX)
		return false;
	return !looping;
}
