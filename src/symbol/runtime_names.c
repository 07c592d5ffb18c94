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

#include <string.h>

#define MISSED_MAX 65536u
#define PATIENCE_MAX (16 * NSEC_PER_SEC) /* between two looks of which none brings anything; at first a second */

/*
 * Asked in the other order. A perf map may be as long as JIT_FILE_MAX, which takes two seconds to read, and its
 * names take more memory than it does.
 */
static const struct plugin_built_in built_in[] = {
	{ &jit_plugin, { .memory_bytes = 4ull << 30, .cpu_seconds = 600, .call_ns = 10 * NSEC_PER_SEC,
			 .reads_files = true } },
	{ &cpython_plugin, PLUGIN_MEANS_USUAL },
};

const struct plugin_built_in *runtime_built_in_named(const char *name)
{
	for (size_t i = 0; i < sizeof(built_in) / sizeof(*built_in); i++)
		if (!strcmp(built_in[i].entry->name, name))
			return &built_in[i];
	return NULL;
}

int runtime_plugins_new(const struct runtime_plugins *which, struct plugins **ret, struct err *e)
{
	static const struct plugin_elf elf = { .symbol = elf_symbol_named, .vaddr = elf_vaddr_at };
	AUTO(plugins_free) struct plugins *ps = plugins_new(&elf);
	const bool in_worker = !(which && which->no_worker) && worker_is_there();
	int r = ps ? 0 : err_nomem(e, "plug-ins");

	for (size_t i = 0; !r && i < sizeof(built_in) / sizeof(*built_in); i++)
		r = plugins_add_built_in(ps, &built_in[i], in_worker, e);
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

static bool runtime_names_begin(struct runtime_names *t, struct plugins *ps, const struct plugin_source *source)
{
	if (!t->process)
		t->process = plugin_process_new(ps, source);
	return t->process;
}

static void runtime_names_forget_said(struct runtime_names *t)
{
	t->said.n = t->next = 0;
	arena_reset(&t->texts);
}

/* Where the names of ADDR begin among those that were said; their number if there are none. */
static size_t runtime_names_said_at(const struct runtime_names *t, uint64_t addr)
{
	for (size_t i = 0; i < t->said.n; i++) {
		const size_t at = (t->next + i) % t->said.n;

		if (t->said.v[at].pc == addr)
			return at;
	}
	return t->said.n;
}

/* Tells SAY what was said of ADDR; how many names. They are asked for in the order in which they were. */
static size_t runtime_names_tell(struct runtime_names *t, uint64_t addr, plugin_said_fn *say, void *ctx)
{
	const size_t first = runtime_names_said_at(t, addr);
	size_t at = first;

	for (; at < t->said.n && t->said.v[at].pc == addr; at++)
		say(ctx, 0, &t->said.v[at].said);
	t->next = at < t->said.n ? at : 0;
	return at - first;
}

/* Keeps what plug-ins say of several addresses. */
struct runtime_keeping {
	struct runtime_names *t;
	const uint64_t *pc;
};

static void runtime_names_keep(void *ctx, size_t i, const struct sberf_said *said)
{
	const struct runtime_keeping *k = ctx;
	struct runtime_names *t = k->t;
	char *function = arena_strndup(&t->texts, said->function, strlen(said->function));
	char *file = arena_strndup(&t->texts, said->file, strlen(said->file));
	struct runtime_said *kept = function && file ? vec_push(&t->said) : NULL;

	if (!kept)
		return;
	*kept = (struct runtime_said){ .pc = k->pc[i], .said = *said };
	kept->said.function = function;
	kept->said.file = file;
}

void runtime_names_prepare(struct runtime_names *t, struct plugins *ps, const struct plugin_source *source,
			   const uint64_t *pc, size_t n)
{
	struct runtime_keeping k = { .t = t, .pc = pc };

	runtime_names_forget_said(t);
	if (!runtime_names_begin(t, ps, source))
		return;
	n = n < PLUGIN_NAME_MAX ? n : PLUGIN_NAME_MAX;
	plugin_process_name(t->process, pc, n, runtime_names_keep, &k);
	for (size_t i = 0; i < n; i++)
		if (runtime_names_said_at(t, pc[i]) == t->said.n && !runtime_names_missed(t, pc[i]))
			runtime_names_miss(t, pc[i]);
}

bool runtime_names_wants(const struct runtime_names *t, uint64_t addr)
{
	return !runtime_names_missed(t, addr) && runtime_names_said_at(t, addr) == t->said.n;
}

/* Asks plug-ins for ADDR, and remembers when none knows it. */
static size_t runtime_names_ask(struct runtime_names *t, uint64_t addr, plugin_said_fn *say, void *ctx)
{
	const size_t n = plugin_process_name(t->process, &addr, 1, say, ctx);

	if (!n)
		runtime_names_miss(t, addr);
	return n;
}

size_t runtime_names_find(struct runtime_names *t, struct plugins *ps, const struct plugin_source *source,
			  bool may_look, uint64_t addr, plugin_said_fn *say, void *ctx)
{
	size_t n;

	if (!may_look || !runtime_names_begin(t, ps, source))
		return 0;
	n = runtime_names_tell(t, addr, say, ctx);
	if (!n && !runtime_names_missed(t, addr))
		n = runtime_names_ask(t, addr, say, ctx);
	if (!n && runtime_names_look(t))
		n = runtime_names_ask(t, addr, say, ctx);
	return n;
}

bool runtime_names_trouble(struct runtime_names *t, struct plugin_trouble *ret)
{
	return t->process && plugin_process_trouble(t->process, ret);
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
	vec_free(&t->said);
	arena_reset(&t->texts);
	*t = (struct runtime_names){ 0 };
}
