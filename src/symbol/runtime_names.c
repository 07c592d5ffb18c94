/* SPDX-License-Identifier: BSD-2-Clause */
/* runtime_names.c - plug-ins keep what they know; here is only what they do not. */
#include "config.h"

#include "symbol/runtime_names.h"

#include "base/clock.h"
#include "plugin/cpython.h"
#include "plugin/worker.h"
#include "symbol/byname.h"
#include "symbol/growing.h"
#include "symbol/jit_plugin.h"

#define MISSED_MAX 65536u
#define PATIENCE_MAX (16 * NSEC_PER_SEC) /* between two looks of which none brings anything; at first a second */

int runtime_plugins_new(const struct runtime_plugins *which, struct plugins **ret, struct err *e)
{
	static const struct plugin_elf elf = { .symbol = elf_symbol_named, .vaddr = elf_vaddr_at };
	AUTO(plugins_free) struct plugins *ps = plugins_new(&elf);
	int r = ps ? plugins_add_built_in(ps, &jit_plugin, false, e) : err_nomem(e, "plug-ins");

	/* With libsberf alone there is no such program. */
	r = r ? r : plugins_add_built_in(ps, &cpython_plugin, worker_is_there(), e);
	if (!r && which && !which->no_installed)
		plugins_add_installed(ps);
	for (size_t i = 0; !r && which && i < which->n; i++)
		r = plugins_add_file(ps, which->file[i], which->in_process, e);
	if (!r)
		*ret = take_ptr(ps);
	return r;
}

static uint64_t rehash_missed(const void *ctx, uint32_t id)
{
	const struct runtime_names *t = ctx;

	return hash_u64(t->missed_pcs.v[id]);
}

static bool runtime_names_missed(const struct runtime_names *t, uint64_t addr)
{
	const uint64_t h = hash_u64(addr);
	uint32_t id;

	hidx_each(&t->missed, h, id)
		if (t->missed_pcs.v[id] == addr)
			return true;
	return false;
}

static void runtime_names_miss(struct runtime_names *t, uint64_t addr)
{
	uint64_t *slot = t->missed_pcs.n < MISSED_MAX ? vec_push(&t->missed_pcs) : NULL;

	if (!slot)
		return;
	*slot = addr;
	if (!hidx_add(&t->missed, hash_u64(addr), (uint32_t)(t->missed_pcs.n - 1), rehash_missed, t))
		t->missed_pcs.n--;
}

static void runtime_names_forget_missed(struct runtime_names *t)
{
	hidx_free(&t->missed);
	t->missed_pcs.n = 0;
}

/* Whether plug-ins know more than before, if it is time to ask them. */
static bool runtime_names_look(struct runtime_names *t)
{
	const uint64_t start = clock_mono_ns();
	bool more;

	if (start < t->not_before_ns)
		return false;
	more = plugin_process_changed(t->process, SBERF_CHANGED_CODE | SBERF_CHANGED_MAPPINGS);
	if (more || !t->patience_ns)
		t->patience_ns = NSEC_PER_SEC;
	else if (t->patience_ns < PATIENCE_MAX)
		t->patience_ns *= 2;
	t->not_before_ns = growing_pause(start, t->patience_ns);
	if (more)
		runtime_names_forget_missed(t);
	return more;
}

size_t runtime_names_find(struct runtime_names *t, struct plugins *ps, const struct plugin_source *source,
			  bool may_look, uint64_t addr, plugin_said_fn *say, void *ctx, uint64_t *things,
			  uint64_t *files)
{
	size_t n = 0;

	if (!may_look)
		return 0;
	if (!t->process)
		t->process = plugin_process_new(ps, source);
	if (!t->process)
		return 0;
	if (!runtime_names_missed(t, addr)) {
		n = plugin_process_name(t->process, addr, say, ctx);
		if (!n)
			runtime_names_miss(t, addr);
	}
	if (!n && runtime_names_look(t)) {
		n = plugin_process_name(t->process, addr, say, ctx);
		if (!n)
			runtime_names_miss(t, addr);
	}
	plugin_process_refused(t->process, things, files);
	return n;
}

void runtime_names_hurry(struct runtime_names *t)
{
	t->not_before_ns = 0;
}

void runtime_names_clear(struct runtime_names *t)
{
	plugin_process_free(t->process);
	hidx_free(&t->missed);
	vec_free(&t->missed_pcs);
	*t = (struct runtime_names){ 0 };
}
