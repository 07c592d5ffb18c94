/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * in_worker.c - sends a call and serves what comes until its result. Time is what the kernel says that the
 * worker has used, so a machine that is busy makes no fault; errands add to what it may use.
 */
#include "config.h"

#include "plugin/in_worker.h"

#include "base/clock.h"
#include "base/sizes.h"
#include "base/text.h"
#include "plugin/worker.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_MS 5                        /* how often the time of a silent worker is looked at */
#define ERRAND_NS (20 * NSEC_PER_USEC)   /* what sending and taking two messages costs the worker, generously */

#ifdef __SANITIZE_ADDRESS__
#define SLOWER 20u
#else
#define SLOWER 1u
#endif

struct in_worker {
	int code;                    /* of the file; -1 = the worker has the plug-in, called: */
	const char *name;
	struct plugin_means means;
	struct worker worker;
	struct plugin_hello hello;   /* of the worker */
	uint32_t calls;
	struct plugin_message out, in;
};

/* What is being waited for. */
struct waiting {
	const struct plugin_call *call;
	uint32_t number;
	uint64_t cpu_ns;             /* that the worker had used before */
	uint64_t may_use_ns;
	uint32_t errands;
};

struct in_worker *in_worker_new(int code, const struct plugin_built_in *which)
{
	struct in_worker *o = calloc(1, sizeof(*o));

	if (o) {
		o->code = which ? -1 : code;
		o->name = which ? which->entry->name : "";
		o->means = which ? which->means : (struct plugin_means)PLUGIN_MEANS_USUAL;
		o->worker.socket = -1;
	}
	return o;
}

struct in_worker *in_worker_of(int socket)
{
	struct in_worker *o = in_worker_new(-1, NULL);

	if (o)
		o->worker.socket = socket;
	return o;
}

void in_worker_free(struct in_worker *o)
{
	char how[96];

	if (!o)
		return;
	worker_stop(&o->worker, false, how, sizeof(how));
	free(o);
}

/* The worker is of no use any more: how it ended, or else WHY it is ended, is the fault. */
static int in_worker_fail(struct in_worker *o, enum plugin_op op, const char *why, struct err *fault)
{
	char how[96];

	worker_stop(&o->worker, !why, how, sizeof(how));
	if (!why && worker_was_killed(&o->worker))
		return -EINTR;
	err_set(fault, EPROTO, "%s in %s", why ? why : how[0] ? how : "it closed its connection", plugin_call_name(op));
	return -EIO;
}

/* Waits for a message of the worker, to o->in. 0, or a fault, or -EINTR. */
static int in_worker_take(struct in_worker *o, const struct waiting *w, struct err *fault)
{
	const uint64_t start = clock_mono_ns();
	const enum plugin_op op = w->call->op;
	struct pollfd p = { .fd = o->worker.socket, .events = POLLIN };
	uint64_t waited;
	ssize_t n;

	for (;;) {
		const int ready = poll(&p, 1, LOOK_MS);

		if (worker_cpu_ns(&o->worker) > w->cpu_ns + w->may_use_ns + w->errands * ERRAND_NS)
			return in_worker_fail(o, op, "it used too much CPU time", fault);
		if (ready > 0)
			break;
		/* One that waits for a CPU is not silent, nor is one whose message came while we waited for one. */
		waited = clock_mono_ns() - start;
		if (waited > IN_WORKER_WALL_NS * SLOWER &&
		    (worker_is_idle(&o->worker) || waited > IN_WORKER_BUSY_NS * SLOWER) && !poll(&p, 1, 0))
			return in_worker_fail(o, op, "it did not answer within two seconds", fault);
	}
	n = plugin_message_take(o->worker.socket, PLUGIN_BY_WORKER, &o->in, NULL);
	if (n == 0 || n == -ECONNRESET)
		return in_worker_fail(o, op, NULL, fault);
	if (n < 0 || o->in.head.call != w->number)
		return in_worker_fail(o, op, "it sent a message that makes no sense", fault);
	return 0;
}

/* Answers an errand with RESULT and LENGTH bytes in o->out, and FD, unless it is negative. */
static void in_worker_answer(struct in_worker *o, int result, uint32_t length, int fd)
{
	o->out.head.op = PLUGIN_ANSWER;
	o->out.head.result = result;
	o->out.head.length = result < 0 ? 0 : length;
	/* Whoever is gone is found when the next message is waited for. */
	plugin_message_send(o->worker.socket, &o->out, fd);
}

static void in_worker_do_read(struct in_worker *o, struct plugin_target *t)
{
	const uint32_t length = o->in.head.n;

	in_worker_answer(o, plugin_target_read(t, o->in.head.a, o->out.body, length), length, -1);
}

static void in_worker_do_symbol(struct in_worker *o, struct plugin_target *t)
{
	const struct plugin_symbol_body *b = (const struct plugin_symbol_body *)o->in.body;
	uint64_t address = 0, size = 0;
	const int r = b->name[0] ? plugin_target_symbol(t, b->module, b->name, &address, &size) : -EINVAL;

	o->out.head.a = address;
	o->out.head.b = size;
	in_worker_answer(o, r, 0, -1);
}

static void in_worker_do_file(struct in_worker *o, struct plugin_target *t)
{
	AUTO_FD int fd = plugin_target_file(t, o->in.head.n);

	in_worker_answer(o, fd < 0 ? fd : 0, 0, fd);
}

/* One name that the worker says, if it makes sense, goes to whoever has called. */
static bool in_worker_do_say(const struct plugin_said_body *b, const struct plugin_call *c)
{
	char function[SBERF_PLUGIN_TEXT_MAX * 3 + 1], file[SBERF_PLUGIN_TEXT_MAX * 3 + 1];
	struct sberf_said said = { .size = sizeof(said), .kind = b->kind, .function = function, .file = file,
				   .line = b->line, .start = b->start, .size_bytes = b->size_bytes };

	if (b->i >= plugin_call_asked(c) || b->kind < SBERF_SAID_COMPILED || b->kind > SBERF_SAID_NOTE ||
	    !b->function[0] || b->size_bytes > UINT64_MAX - b->start || b->line > INT32_MAX)
		return false;
	text_sanitise(function, sizeof(function), b->function, strlen(b->function));
	text_sanitise(file, sizeof(file), b->file, strlen(b->file));
	c->say(c->ctx, b->i, &said);
	return true;
}

static bool in_worker_do_say_all(const struct in_worker *o, const struct plugin_call *c)
{
	const struct plugin_said_body *said = (const struct plugin_said_body *)o->in.body;

	for (size_t i = 0; i < o->in.head.length / sizeof(*said); i++)
		if (!in_worker_do_say(&said[i], c))
			return false;
	return true;
}

/* Does what the worker asks for in o->in. False: that makes no sense. */
static bool in_worker_do_errand(struct in_worker *o, const struct plugin_call *c)
{
	memset(&o->out.head, 0, sizeof(o->out.head));
	o->out.head.call = o->in.head.call;
	o->out.head.process = o->in.head.process;
	switch (o->in.head.op) {
	case PLUGIN_READ:
		in_worker_do_read(o, c->target);
		return true;
	case PLUGIN_MAPPED:
		in_worker_answer(
			o, plugin_target_mapped(c->target, o->in.head.n, (struct plugin_mapped_body *)o->out.body),
			sizeof(struct plugin_mapped_body), -1);
		return true;
	case PLUGIN_SYMBOL:
		in_worker_do_symbol(o, c->target);
		return true;
	case PLUGIN_FILE:
		in_worker_do_file(o, c->target);
		return true;
	case PLUGIN_LOG:
		if (c->log)
			text_sanitise(c->log, PLUGIN_LOG_MAX, (const char *)o->in.body,
				      strlen((const char *)o->in.body));
		return true;
	case PLUGIN_REFUSED:
		c->target->refused += o->in.head.a < UINT32_MAX ? o->in.head.a : UINT32_MAX;
		return true;
	case PLUGIN_SAY:
		return in_worker_do_say_all(o, c);
	default:
		return false;
	}
}

/* The result of C, which is in o->in. */
static int in_worker_result(struct in_worker *o, const struct plugin_call *c, struct err *fault)
{
	const int r = o->in.head.result;

	if (r >= 0 && o->in.head.length != (c->op == PLUGIN_PLAN ? sizeof(*c->plan) : 0))
		return in_worker_fail(o, c->op, "it sent a result of a wrong length", fault);
	if (r >= 0 && c->op == PLUGIN_PLAN)
		memcpy(c->plan, o->in.body, sizeof(*c->plan));
	return plugin_call_result_check(c, r) ? r
					      : in_worker_fail(o, c->op, "it gave a result that makes no sense", fault);
}

/* Serves the worker until the result of W. */
static int in_worker_wait(struct in_worker *o, struct waiting *w, struct err *fault)
{
	for (;;) {
		int r = in_worker_take(o, w, fault);

		if (r)
			return r;
		if (o->in.head.op == PLUGIN_RESULT)
			return in_worker_result(o, w->call, fault);
		if (++w->errands > IN_WORKER_ERRANDS_MAX)
			return in_worker_fail(o, w->call->op, "it sent too many messages", fault);
		if (!in_worker_do_errand(o, w->call))
			return in_worker_fail(o, w->call->op, "it sent a name or a message that makes no sense", fault);
	}
}

int in_worker_start(struct in_worker *o, struct plugin_hello *ret_hello, bool *ret_fresh, struct err *e)
{
	const struct plugin_call hello = { .op = PLUGIN_HELLO };
	const struct waiting w = { .call = &hello, .may_use_ns = 4 * IN_WORKER_ATTACH_NS * SLOWER };
	const struct plugin_hello *said = (const struct plugin_hello *)o->in.body;
	char how[96];
	int r;

	/* Before its limit ends it. */
	if (o->worker.pid && worker_cpu_ns(&o->worker) > o->means.cpu_seconds / 2 * NSEC_PER_SEC)
		worker_stop(&o->worker, false, how, sizeof(how));
	*ret_fresh = o->worker.socket < 0;
	if (*ret_fresh) {
		r = worker_start(o->code < 0 ? o->name : WORKER_JOB_PLUGIN, o->code, &o->worker, e);
		r = r ? r : in_worker_take(o, &w, e);
		if (r)
			return r;
		if (o->in.head.op != PLUGIN_HELLO)
			return in_worker_fail(o, PLUGIN_HELLO, "it sent a message that makes no sense", e);
		if (o->in.head.result) {
			worker_stop(&o->worker, false, how, sizeof(how));
			return err_set(e, ENOEXEC, "%s", said->trouble);
		}
		o->hello = *said;
	}
	*ret_hello = o->hello;
	return 0;
}

/* The message that makes the call C, in o->out. */
static void in_worker_write(struct in_worker *o, const struct plugin_call *c)
{
	struct plugin_head *h = &o->out.head;

	*h = (struct plugin_head){ .op = c->op, .call = ++o->calls ? o->calls : ++o->calls, .process = c->process };
	switch (c->op) {
	case PLUGIN_ATTACH:
		h->length = sizeof(struct plugin_process_body);
		/* Of a process that has ended a run-time compiler may still tell in its file. */
		plugin_target_describe(c->target, (struct plugin_process_body *)o->out.body);
		return;
	case PLUGIN_CLAIMS:
		h->a = c->pc[0];
		return;
	case PLUGIN_RESOLVE:
	case PLUGIN_THREADS:
		h->length = (uint32_t)(c->n * sizeof(*c->pc));
		memcpy(o->out.body, c->pc, h->length);
		return;
	case PLUGIN_EXPAND:
		h->n = c->taken->nr_records;
		h->a = c->taken->record_bytes;
		h->b = c->taken->flags;
		h->length = c->taken->nr_records * c->taken->record_bytes;
		memcpy(o->out.body, c->taken->records, h->length);
		return;
	default:
		h->n = c->what;
		return;
	}
}

int in_worker_call(struct in_worker *o, const struct plugin_call *c, struct err *fault)
{
	struct waiting w = { .call = c };

	if (o->worker.socket < 0 || c->n > PLUGIN_PCS_MAX ||
	    (c->op == PLUGIN_EXPAND && (c->taken->record_bytes > SBERF_PLAN_RECORD_MAX ||
					c->taken->nr_records > SBERF_PLAN_TURNS_MAX)))
		return -EINVAL;
	in_worker_write(o, c);
	w.number = o->out.head.call;
	w.may_use_ns = o->means.call_ns * SLOWER;
	if (c->op == PLUGIN_ATTACH && w.may_use_ns < IN_WORKER_ATTACH_NS * SLOWER)
		w.may_use_ns = IN_WORKER_ATTACH_NS * SLOWER;
	w.cpu_ns = worker_cpu_ns(&o->worker);
	if (plugin_message_send(o->worker.socket, &o->out, -1))
		return in_worker_fail(o, c->op, NULL, fault);
	return in_worker_wait(o, &w, fault);
}
