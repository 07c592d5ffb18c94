/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serving.c - one call at a time; what the plug-in needs meanwhile is asked of sberf, which answers in
 * between. A message that makes no sense, and the end of the connection, end it all.
 */
#include "config.h"

#include "plugin/serving.h"

#include "plugin/hosted.h"
#include "plugin/load.h"
#include "plugin/sandbox.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The CPU time is what a worker whose sberf is gone can use up; sberf starts another one before it is used up. */
static struct sandbox_needs serving_needs(const struct plugin_means *means)
{
	return (struct sandbox_needs){ .memory_bytes = means->memory_bytes, .stack_bytes = 1u << 20, .files = 32,
				       .cpu_seconds = means->cpu_seconds, .reads_files = means->reads_files };
}

struct serving {
	int socket;
	bool gone; /* sberf is, or has said what makes no sense: nothing is asked of it any more */
	struct sberf_plugin plugin;
	struct hosted *process[PLUGIN_PROCESSES_MAX];
	struct plugin_message call;      /* what sberf wants; stays while the plug-in works on it */
	struct plugin_message out;
	struct plugin_message answer;
	struct plugin_message said;      /* names that are being gathered */
};

static void serving_send_message(struct serving *s, struct plugin_message *m, enum plugin_op op, uint32_t length)
{
	m->head.op = op;
	m->head.length = length;
	m->head.call = s->call.head.call;
	m->head.process = s->call.head.process;
	s->gone = s->gone || plugin_message_send(s->socket, m, -1);
}

/* Sends the names that have been gathered. */
static void serving_flush(struct serving *s)
{
	if (s->said.head.length)
		serving_send_message(s, &s->said, PLUGIN_SAY, s->said.head.length);
	s->said.head.length = 0;
}

/* Sends what is in S->out, behind those. */
static void serving_send(struct serving *s, enum plugin_op op, uint32_t length)
{
	serving_flush(s);
	serving_send_message(s, &s->out, op, length);
}

/* An errand: sends S->out and waits for its answer, of LENGTH bytes when it has succeeded. Its result. */
static int serving_ask(struct serving *s, enum plugin_op op, uint32_t length, uint32_t answer_length, int *ret_fd)
{
	serving_send(s, op, length);
	s->gone = s->gone || plugin_message_take(s->socket, PLUGIN_BY_SBERF, &s->answer, ret_fd) <= 0 ||
		  s->answer.head.op != PLUGIN_ANSWER || s->answer.head.call != s->call.head.call ||
		  (s->answer.head.result >= 0 && s->answer.head.length != answer_length);
	return s->gone ? -EPIPE : s->answer.head.result < 0 ? s->answer.head.result : 0;
}

static void serving_clear_out(struct serving *s)
{
	memset(&s->out.head, 0, sizeof(s->out.head));
}

static int serving_read(void *ctx, uint64_t address, void *buf, size_t length)
{
	struct serving *s = ctx;
	int r;

	serving_clear_out(s);
	s->out.head.a = address;
	s->out.head.n = (uint32_t)length;
	r = serving_ask(s, PLUGIN_READ, 0, (uint32_t)length, NULL);
	if (!r)
		memcpy(buf, s->answer.body, length);
	return r;
}

static int serving_mapped(void *ctx, size_t i, struct plugin_mapped_body *ret)
{
	struct serving *s = ctx;
	int r;

	serving_clear_out(s);
	s->out.head.n = (uint32_t)i;
	r = serving_ask(s, PLUGIN_MAPPED, 0, sizeof(*ret), NULL);
	if (r)
		return r;
	memcpy(ret, s->answer.body, sizeof(*ret));
	ret->path[sizeof(ret->path) - 1] = '\0';
	return 0;
}

static int serving_symbol(void *ctx, const char *module, const char *name, uint64_t *ret_address, uint64_t *ret_size)
{
	struct serving *s = ctx;
	struct plugin_symbol_body *b = (struct plugin_symbol_body *)s->out.body;
	int r;

	serving_clear_out(s);
	memset(b, 0, sizeof(*b));
	snprintf(b->module, sizeof(b->module), "%s", module);
	snprintf(b->name, sizeof(b->name), "%s", name);
	r = serving_ask(s, PLUGIN_SYMBOL, sizeof(*b), 0, NULL);
	if (r)
		return r;
	*ret_address = s->answer.head.a;
	if (ret_size)
		*ret_size = s->answer.head.b;
	return 0;
}

static int serving_file(void *ctx, uint32_t which)
{
	struct serving *s = ctx;
	int fd = -1, r;

	serving_clear_out(s);
	s->out.head.n = which;
	r = serving_ask(s, PLUGIN_FILE, 0, 0, &fd);
	if (r && fd >= 0)
		close(fd);
	return r ? r : fd < 0 ? -EBADF : fd;
}

static void serving_log(void *ctx, const char *text)
{
	struct serving *s = ctx;

	serving_clear_out(s);
	memset(s->out.body, 0, PLUGIN_LOG_MAX);
	snprintf((char *)s->out.body, PLUGIN_LOG_MAX, "%s", text ? text : "");
	serving_send(s, PLUGIN_LOG, PLUGIN_LOG_MAX);
}

static void serving_refused(void *ctx, uint64_t n)
{
	struct serving *s = ctx;

	serving_clear_out(s);
	s->out.head.a = n;
	serving_send(s, PLUGIN_REFUSED, 0);
}

static void serving_say(void *ctx, size_t i, const struct sberf_said *said)
{
	struct serving *s = ctx;
	struct plugin_said_body *b;

	if (sizeof(*b) > sizeof(s->said.body) - s->said.head.length)
		serving_flush(s);
	b = (struct plugin_said_body *)(s->said.body + s->said.head.length);
	s->said.head.length += sizeof(*b);
	memset(b, 0, sizeof(*b));
	b->i = (uint32_t)i;
	b->kind = said->kind;
	b->line = said->line;
	b->start = said->start;
	b->size_bytes = said->size_bytes;
	snprintf(b->function, sizeof(b->function), "%s", said->function);
	snprintf(b->file, sizeof(b->file), "%s", said->file);
}

static const struct plugin_services services = {
	.read = serving_read, .mapped = serving_mapped, .symbol = serving_symbol, .file = serving_file,
	.log = serving_log, .refused = serving_refused, .say = serving_say,
};

static int serving_expand(struct serving *s, struct hosted *h)
{
	const struct plugin_head *head = &s->call.head;
	const struct sberf_taken taken = {
		.size = sizeof(taken),
		.nr_records = head->n,
		.flags = (uint32_t)head->b,
		.record_bytes = (uint32_t)head->a,
		.records = s->call.body,
	};

	return taken.record_bytes > SBERF_PLAN_RECORD_MAX ||
			       (uint64_t)taken.nr_records * taken.record_bytes != head->length
		       ? -EINVAL
		       : hosted_expand(h, &taken);
}

static int serving_attach(struct serving *s, struct hosted **slot)
{
	if (*slot)
		return -EEXIST;
	return hosted_attach(&s->plugin, &services, s, (const struct plugin_process_body *)s->call.body, slot);
}

/* Does what S->call wants of the process at SLOT, whose answer is in S->out, *RET_LENGTH bytes. */
static int serving_do(struct serving *s, struct hosted **slot, struct sberf_plan *plan, uint32_t *ret_length)
{
	const struct plugin_head *head = &s->call.head;
	int r;

	if (head->op == PLUGIN_ATTACH)
		return serving_attach(s, slot);
	if (!*slot)
		return -ENOENT;
	switch (head->op) {
	case PLUGIN_DETACH:
		hosted_detach(*slot);
		*slot = NULL;
		return 0;
	case PLUGIN_PLAN:
		r = hosted_plan(*slot, plan);
		*ret_length = r ? 0 : sizeof(*plan);
		return r;
	case PLUGIN_CLAIMS:
		return hosted_claims(*slot, head->a);
	case PLUGIN_RESOLVE:
		return hosted_resolve(*slot, (const uint64_t *)s->call.body, head->length / sizeof(uint64_t));
	case PLUGIN_THREADS:
		return hosted_threads(*slot, (const uint64_t *)s->call.body, head->length / sizeof(uint64_t));
	case PLUGIN_EXPAND:
		return serving_expand(s, *slot);
	default:
		return hosted_changed(*slot, head->n);
	}
}

static int serving_serve(struct serving *s)
{
	for (;;) {
		const ssize_t n = plugin_message_take(s->socket, PLUGIN_BY_SBERF, &s->call, NULL);
		struct sberf_plan plan;
		uint32_t length = 0;
		int r;

		if (n <= 0 || s->call.head.op == PLUGIN_ANSWER)
			return n ? 1 : 0;
		r = serving_do(s, &s->process[s->call.head.process], &plan, &length);
		serving_clear_out(s);
		s->out.head.result = r;
		memcpy(s->out.body, &plan, length);
		serving_send(s, PLUGIN_RESULT, length);
		if (s->gone)
			return 1;
	}
}

/* The first message: what was loaded, or E. */
static void serving_hello(struct serving *s, const struct plugin_hello *hello, const struct err *e)
{
	struct plugin_hello *b = (struct plugin_hello *)s->out.body;

	serving_clear_out(s);
	*b = *hello;
	snprintf(b->trouble, sizeof(b->trouble), "%.*s", (int)sizeof(b->trouble) - 1, e->text);
	s->out.head.result = -e->code;
	serving_send(s, PLUGIN_HELLO, sizeof(*b));
}

static int serving_begin(struct serving *s, const struct sberf_plugin *entry, struct err *e)
{
	struct plugin_hello hello = { .has = 0 };
	const int r = e->code ? -e->code : hosted_accept(entry, &s->plugin, &hello, e);

	serving_hello(s, &hello, e);
	return r;
}

int serving_loop(int socket, const struct sberf_plugin *entry, struct err *e)
{
	struct serving *s = calloc(1, sizeof(*s));
	int status = 1;

	if (!s)
		return 1;
	s->socket = socket;
	if (!serving_begin(s, entry, e))
		status = serving_serve(s);
	for (size_t i = 0; i < PLUGIN_PROCESSES_MAX; i++)
		hosted_detach(s->process[i]);
	free(s);
	return status;
}

int serving_run(int socket, int code)
{
	const struct sandbox_needs needs = serving_needs(&(struct plugin_means)PLUGIN_MEANS_USUAL);
	plugin_entry_fn *entry = NULL;
	struct err e = ERR_INIT;

	if (!sandbox_enter(&needs, &e))
		entry = plugin_load(code, &e);
	close(code);
	if (entry && sandbox_close(&needs, &e))
		entry = NULL;
	return serving_loop(socket, entry ? entry(SBERF_PLUGIN_ABI) : NULL, &e);
}

int serving_run_built_in(int socket, const struct plugin_built_in *which)
{
	const struct sandbox_needs needs = serving_needs(&which->means);
	struct err e = ERR_INIT;

	if (!sandbox_enter(&needs, &e))
		sandbox_close(&needs, &e);
	return serving_loop(socket, e.code ? NULL : which->entry, &e);
}
