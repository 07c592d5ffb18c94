/* SPDX-License-Identifier: BSD-2-Clause */
/* hosted.c - the host and the sink that a plug-in sees, in front of the services. */
#include "config.h"

#include "plugin/hosted.h"

#include "base/arena.h"
#include "base/cleanup.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALLOCATED_MAX (64u << 20)        /* bytes, for one process */

struct hosted {
	struct sberf_host host;      /* first: the plug-in has its address */
	struct sberf_sink sink;
	const struct sberf_plugin *plugin;
	const struct plugin_services *services;
	void *ctx;
	void *state;
	struct arena arena;
	struct sberf_process process;
	struct plugin_mapped_body mapped;
	char exe[PLUGIN_PATH_MAX];
	size_t asked, said;          /* of the call that runs */
};

static struct hosted *hosted_of(const struct sberf_host *host)
{
	return (struct hosted *)host;
}

static int hosted_read(const struct sberf_host *host, uint64_t address, void *buf, size_t length)
{
	const struct hosted *h = hosted_of(host);

	return length > SBERF_PLUGIN_READ_MAX ? -EINVAL : h->services->read(h->ctx, address, buf, length);
}

static int hosted_mapped(const struct sberf_host *host, size_t i, struct sberf_mapped *ret)
{
	struct hosted *h = hosted_of(host);
	const int r = i > UINT32_MAX ? -ENOENT : h->services->mapped(h->ctx, i, &h->mapped);

	if (!r)
		*ret = (struct sberf_mapped){ .start = h->mapped.start, .end = h->mapped.end,
					      .offset = h->mapped.offset, .bias = h->mapped.bias,
					      .flags = h->mapped.flags, .path = h->mapped.path };
	return r;
}

static int hosted_symbol(const struct sberf_host *host, const char *module, const char *name, uint64_t *ret_address,
			 uint64_t *ret_size)
{
	const struct hosted *h = hosted_of(host);

	if (!name || !*name || strlen(name) >= PLUGIN_SYMBOL_MAX || (module && strlen(module) >= PLUGIN_SYMBOL_MAX))
		return -EINVAL;
	return h->services->symbol(h->ctx, module ? module : "", name, ret_address, ret_size);
}

static int hosted_file(const struct sberf_host *host, uint32_t which)
{
	const struct hosted *h = hosted_of(host);

	return h->services->file(h->ctx, which);
}

static void *hosted_allocate(const struct sberf_host *host, size_t length)
{
	struct hosted *h = hosted_of(host);

	return length > ALLOCATED_MAX - h->arena.total ? NULL : arena_alloc(&h->arena, length);
}

static void hosted_log(const struct sberf_host *host, const char *text)
{
	const struct hosted *h = hosted_of(host);

	h->services->log(h->ctx, text);
}

static void hosted_refused(const struct sberf_host *host, uint64_t n)
{
	const struct hosted *h = hosted_of(host);

	h->services->refused(h->ctx, n);
}

static int hosted_say(struct sberf_sink *sink, size_t i, const struct sberf_said *said)
{
	struct hosted *h = (struct hosted *)((char *)sink - offsetof(struct hosted, sink));
	struct sberf_said s = { 0 };

	if (h->said >= SBERF_PLUGIN_SAID_MAX)
		return -EDQUOT;
	memcpy(&s, said, said->size < sizeof(s) ? said->size : sizeof(s));
	if (i >= h->asked || !s.function || !*s.function || s.kind < SBERF_SAID_COMPILED || s.kind > SBERF_SAID_NOTE ||
	    s.size_bytes > UINT64_MAX - s.start)
		return -EINVAL;
	s.size = sizeof(s);
	s.file = s.file ? s.file : "";
	h->said++;
	h->services->say(h->ctx, i, &s);
	return 0;
}

/* Is NAME one that a plug-in may have? */
static bool hosted_name_is_fine(const char *name)
{
	const size_t n = name ? strlen(name) : 0;

	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '-' && name[i] != '_')
			return false;
	return n && n < sizeof(((struct plugin_hello *)0)->name);
}

static void hosted_describe(const struct sberf_plugin *p, struct plugin_hello *ret)
{
	snprintf(ret->name, sizeof(ret->name), "%s", p->name);
	snprintf(ret->runtime, sizeof(ret->runtime), "%s", p->runtime ? p->runtime : "");
	snprintf(ret->versions, sizeof(ret->versions), "%s", p->versions ? p->versions : "");
	ret->has = 1u << PLUGIN_ATTACH | (p->plan ? 1u << PLUGIN_PLAN : 0) | (p->claims ? 1u << PLUGIN_CLAIMS : 0) |
		   (p->resolve ? 1u << PLUGIN_RESOLVE : 0) | (p->expand ? 1u << PLUGIN_EXPAND : 0) |
		   (p->changed ? 1u << PLUGIN_CHANGED : 0) | (p->threads ? 1u << PLUGIN_THREADS : 0);
}

int hosted_accept(const struct sberf_plugin *p, struct sberf_plugin *ret, struct plugin_hello *ret_hello,
		  struct err *e)
{
	if (!p)
		return err_set(e, ENOTSUP, "it does not work with version %u of the interface", SBERF_PLUGIN_ABI);
	if (p->abi != SBERF_PLUGIN_ABI)
		return err_set(e, ENOTSUP,
			       "it was made for version %u of the interface, and this is version %u: compile it "
			       "again",
			       p->abi, SBERF_PLUGIN_ABI);
	if (p->size < offsetof(struct sberf_plugin, detach))
		return err_set(e, EINVAL, "its structure is %u bytes long, which is too short: set size to "
			       "sizeof(struct sberf_plugin)", p->size);
	*ret = (struct sberf_plugin){ 0 };
	memcpy(ret, p, p->size < sizeof(*ret) ? p->size : sizeof(*ret));
	if (!hosted_name_is_fine(ret->name))
		return err_set(e, EINVAL, "its name is none: it must be of letters, digits, '-' and '_', 31 at most");
	if (!ret->attach)
		return err_set(e, EINVAL, "it has no function attach");
	*ret_hello = (struct plugin_hello){ 0 };
	hosted_describe(ret, ret_hello);
	return 0;
}

int hosted_attach(const struct sberf_plugin *p, const struct plugin_services *services, void *ctx,
		  const struct plugin_process_body *process, struct hosted **ret)
{
	struct hosted *h = calloc(1, sizeof(*h));
	int r;

	if (!h)
		return -ENOMEM;
	h->host = (struct sberf_host){ .abi = SBERF_PLUGIN_ABI, .size = sizeof(h->host), .read = hosted_read,
				       .mapped = hosted_mapped, .symbol = hosted_symbol, .file = hosted_file,
				       .allocate = hosted_allocate, .log = hosted_log, .refused = hosted_refused };
	h->sink = (struct sberf_sink){ .size = sizeof(h->sink), .say = hosted_say };
	h->plugin = p;
	h->services = services;
	h->ctx = ctx;
	snprintf(h->exe, sizeof(h->exe), "%s", process->exe);
	h->process = (struct sberf_process){ .size = sizeof(h->process),
					     .machine = process->machine,
					     .pid = process->pid,
					     .pid_inside = process->pid_inside,
					     .start_ns = process->start_ns,
					     .exe = h->exe };
	r = p->attach(&h->host, &h->process, &h->state);
	if (r) {
		arena_reset(&h->arena);
		free(h);
		return r < 0 ? r : -ENOENT;
	}
	*ret = h;
	return 0;
}

void hosted_detach(struct hosted *h)
{
	if (!h)
		return;
	if (h->plugin->detach)
		h->plugin->detach(h->state);
	arena_reset(&h->arena);
	free(h);
}

int hosted_plan(struct hosted *h, struct sberf_plan *ret)
{
	*ret = (struct sberf_plan){ .size = sizeof(*ret) };
	return h->plugin->plan ? h->plugin->plan(h->state, ret) : -ENOSYS;
}

int hosted_claims(struct hosted *h, uint64_t pc)
{
	return h->plugin->claims ? h->plugin->claims(h->state, pc) : -ENOSYS;
}

int hosted_resolve(struct hosted *h, const uint64_t *pc, size_t n)
{
	h->asked = n;
	h->said = 0;
	return h->plugin->resolve ? h->plugin->resolve(h->state, pc, n, &h->sink) : -ENOSYS;
}

int hosted_expand(struct hosted *h, const struct sberf_taken *taken)
{
	h->asked = taken->nr_records;
	h->said = 0;
	return h->plugin->expand ? h->plugin->expand(h->state, taken, &h->sink) : -ENOSYS;
}

int hosted_changed(struct hosted *h, uint32_t what)
{
	return h->plugin->changed ? h->plugin->changed(h->state, what) : 0;
}

int hosted_threads(struct hosted *h, const uint64_t *tid, size_t n)
{
	h->asked = n;
	h->said = 0;
	return h->plugin->threads ? h->plugin->threads(h->state, tid, n, &h->sink) : -ENOSYS;
}
