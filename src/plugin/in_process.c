/* SPDX-License-Identifier: BSD-2-Clause */
/* in_process.c - services are the target's own functions. */
#include "config.h"

#include "plugin/in_process.h"

#include "base/text.h"
#include "plugin/hosted.h"
#include "plugin/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A process, as number .process of calls. */
struct in_process_target {
	struct hosted *hosted;       /* NULL = it is not attached to */
	struct plugin_target *target;
	const struct plugin_call *call;      /* that runs */
};

struct in_process {
	struct sberf_plugin plugin;
	VEC(struct in_process_target *) process;        /* by number; NULL = none */
};

static int in_process_read(void *ctx, uint64_t address, void *buf, size_t length)
{
	const struct in_process_target *p = ctx;

	return plugin_target_read(p->target, address, buf, length);
}

static int in_process_mapped(void *ctx, size_t i, struct plugin_mapped_body *ret)
{
	const struct in_process_target *p = ctx;

	return plugin_target_mapped(p->target, i, ret);
}

static int in_process_symbol(void *ctx, const char *module, const char *name, uint64_t *ret_address, uint64_t *ret_size)
{
	const struct in_process_target *p = ctx;

	return plugin_target_symbol(p->target, module, name, ret_address, ret_size);
}

static int in_process_file(void *ctx, uint32_t which)
{
	const struct in_process_target *p = ctx;

	return plugin_target_file(p->target, which);
}

static void in_process_log(void *ctx, const char *text)
{
	const struct in_process_target *p = ctx;

	if (p->call && p->call->log && text)
		text_sanitise(p->call->log, PLUGIN_LOG_MAX, text, strlen(text));
}

static void in_process_refused(void *ctx, uint64_t n)
{
	const struct in_process_target *p = ctx;

	p->target->refused += n;
}

static void in_process_say(void *ctx, size_t i, const struct sberf_said *said)
{
	const struct in_process_target *p = ctx;

	p->call->say(p->call->ctx, i, said);
}

static const struct plugin_services in_process_services = {
	.read = in_process_read,
	.mapped = in_process_mapped,
	.symbol = in_process_symbol,
	.file = in_process_file,
	.log = in_process_log,
	.refused = in_process_refused,
	.say = in_process_say,
};

int in_process_new(const struct sberf_plugin *entry, struct in_process **ret, struct plugin_hello *ret_hello,
		   struct err *e)
{
	struct in_process *in = calloc(1, sizeof(*in));
	int r;

	if (!in)
		return err_nomem(e, "a plug-in");
	r = hosted_accept(entry, &in->plugin, ret_hello, e);
	if (r) {
		free(in);
		return r;
	}
	*ret = in;
	return 0;
}

int in_process_load(int code, struct in_process **ret, struct plugin_hello *ret_hello, struct err *e)
{
	plugin_entry_fn *entry = plugin_load(code, e);

	return entry ? in_process_new(entry(SBERF_PLUGIN_ABI), ret, ret_hello, e) : -ENOEXEC;
}

static void in_process_drop(struct in_process *in, uint32_t process)
{
	struct in_process_target *p = process < in->process.n ? in->process.v[process] : NULL;

	if (!p)
		return;
	hosted_detach(p->hosted);
	free(p);
	in->process.v[process] = NULL;
}

/* Room for the process of that number; false when out of memory. */
static bool in_process_make_room(struct in_process *in, uint32_t process)
{
	while (in->process.n <= process) {
		struct in_process_target **slot = vec_push(&in->process);

		if (!slot)
			return false;
		*slot = NULL;
	}
	return true;
}

void in_process_free(struct in_process *in)
{
	if (!in)
		return;
	for (uint32_t i = 0; i < in->process.n; i++)
		in_process_drop(in, i);
	vec_free(&in->process);
	free(in);
}

static int in_process_attach(struct in_process *in, const struct plugin_call *c)
{
	struct plugin_process_body *body = malloc(sizeof(*body));
	struct in_process_target *p = calloc(1, sizeof(*p));
	int r = body && p && in_process_make_room(in, c->process) ? 0 : -ENOMEM;

	in_process_drop(in, c->process);
	if (!r) {
		*p = (struct in_process_target){ .target = c->target, .call = c };
		/* Of a process that has ended a run-time compiler may still tell in its file. */
		plugin_target_describe(c->target, body);
		r = hosted_attach(&in->plugin, &in_process_services, p, body, &p->hosted);
		p->call = NULL;
	}
	free(body);
	if (r)
		free(p);
	else
		in->process.v[c->process] = p;
	return r;
}

static int in_process_do(struct hosted *h, const struct plugin_call *c)
{
	switch (c->op) {
	case PLUGIN_PLAN:
		return hosted_plan(h, c->plan);
	case PLUGIN_CLAIMS:
		return hosted_claims(h, c->pc[0]);
	case PLUGIN_RESOLVE:
		return hosted_resolve(h, c->pc, c->n);
	case PLUGIN_THREADS:
		return hosted_threads(h, c->pc, c->n);
	case PLUGIN_EXPAND:
		return hosted_expand(h, c->taken);
	default:
		return hosted_changed(h, c->what);
	}
}

int in_process_call(struct in_process *in, const struct plugin_call *c, struct err *fault)
{
	struct in_process_target *p = c->process < in->process.n ? in->process.v[c->process] : NULL;
	int r;

	if (c->op == PLUGIN_ATTACH)
		return in_process_attach(in, c);
	if (!p)
		return -ENOENT;
	if (c->op == PLUGIN_DETACH) {
		in_process_drop(in, c->process);
		return 0;
	}
	p->call = c;
	r = in_process_do(p->hosted, c);
	p->call = NULL;
	if (plugin_call_result_check(c, r))
		return r;
	err_set(fault, EPROTO, "its answer to %s makes no sense", plugin_call_name(c->op));
	return -EIO;
}
