/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * resolver.c - one entry per module, asked through its kind. Those that are files are looked at here (elfnames.h) or
 * in sberf-worker (names_worker.h).
 */
#include "config.h"

#include "symbol/resolver.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "base/vec.h"
#include "model/reasons.h"
#include "symbol/elfnames.h"
#include "symbol/growing.h"
#include "symbol/runtime_names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct mod {
	bool known;
	struct module m;
	char *called;                /* without folders */
	struct runtime_names names;  /* of MODULE_ANON */
};

struct resolver {
	struct module_opener opener;
	struct plugins *plugins;     /* a reference */
	struct arena files;          /* of the answer of a plug-in, until the next one */
	struct fetcher *fetcher;     /* NULL = none */
	struct elf_names *elf;       /* NULL = in WORKER */
	struct names_worker *worker; /* NULL = in ELF */
	struct symbolizer_stats *stats;
	struct unread *unread;
	const _Atomic bool *stop;
	VEC(struct mod) mods;        /* by module id */
	struct kernel_table kernel;
	char *script_file;           /* of the last frame of a script */
	bool script_pending;         /* that has a name later */
};

static bool resolver_is_file(const struct mod *m)
{
	return m->m.kind == MODULE_FILE || m->m.kind == MODULE_VDSO;
}

static int resolver_open_file(void *ctx, module_id id, struct err *e)
{
	const struct resolver *r = ctx;
	uid_t owner;

	return r->opener.open ? r->opener.open(r->opener.ctx, id, &owner, e) : -ENOENT;
}

static int resolver_open_root(void *ctx, module_id id)
{
	const struct resolver *r = ctx;

	return r->opener.root ? r->opener.root(r->opener.ctx, id) : -ENOENT;
}

static int resolver_fetch(void *ctx, module_id id, const uint8_t *build_id, uint8_t len, const char *what)
{
	const struct resolver *r = ctx;

	(void)id;
	return r->fetcher ? fetcher_debuginfo(r->fetcher, build_id, len, what) : -ENOENT;
}

/* False when out of memory. */
static bool resolver_begin(struct resolver *r, const struct symbolizer_options *o, struct unread *unread)
{
	const struct elf_names_files files = { .open = resolver_open_file, .root = resolver_open_root,
					       .debuginfo = resolver_fetch, .ctx = r, .stop = r->stop };

	if (o->plugins)
		r->plugins = plugins_ref(o->plugins);
	else if (runtime_plugins_new(NULL, &r->plugins, NULL))
		return false;
	if (o->in_worker)
		r->worker = names_worker_new(&files, o->symfs, r->stats, unread);
	else
		r->elf = elf_names_new(&files, o->symfs, r->stats, unread);
	return r->worker || r->elf;
}

struct resolver *resolver_new(const struct module_opener *opener, const struct symbolizer_options *options,
			      struct fetcher *fetcher, struct symbolizer_stats *stats, struct unread *unread,
			      const _Atomic bool *stop)
{
	AUTO(resolver_free) struct resolver *r = calloc(1, sizeof(*r));

	if (!r) {
		fetcher_free(fetcher);
		return NULL;
	}
	r->fetcher = fetcher;
	r->opener = *opener;
	r->stats = stats;
	r->unread = unread;
	r->stop = stop;
	return resolver_begin(r, options, unread) ? take_ptr(r) : NULL;
}

void resolver_free(struct resolver *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->mods.n; i++) {
		runtime_names_clear(&r->mods.v[i].names);
		free(r->mods.v[i].called);
	}
	vec_free(&r->mods);
	elf_names_free(r->elf);
	names_worker_free(r->worker);
	kernel_table_clear(&r->kernel);
	plugins_free(r->plugins);
	arena_reset(&r->files);
	fetcher_free(r->fetcher);
	free(r->script_file);
	free(r);
}

bool resolver_knows(const struct resolver *r, module_id id)
{
	return id < r->mods.n && r->mods.v[id].known;
}

static const char *resolver_last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool resolver_add_module(struct resolver *r, module_id id, const struct module *m, const char *path, const char *shown)
{
	const char *last = resolver_last_part(shown);
	const struct mod fresh = { .known = true, .m = *m };
	char *called;

	while (r->mods.n <= id) {
		struct mod *more = vec_push(&r->mods);

		if (!more)
			return false;
		*more = (struct mod){ 0 };
	}
	if (resolver_is_file(&fresh) && !(r->elf ? elf_names_add(r->elf, id, m, path, last) :
					  names_worker_add(r->worker, id, m, path, last)))
		return false;
	called = strdup(last);
	if (!called)
		return false;
	r->mods.v[id] = fresh;
	r->mods.v[id].called = called;
	return true;
}

const char *resolver_rename(struct resolver *r, module_id id, const char *shown)
{
	struct mod *m = &r->mods.v[id];
	const char *called = resolver_last_part(shown);
	char *copy = strcmp(called, m->called) ? strdup(called) : NULL;

	if (!copy)
		return NULL;
	free(m->called);
	m->called = copy;
	if (r->elf)
		elf_names_call(r->elf, id, called);
	else
		names_worker_call(r->worker, id, called);
	return m->called;
}

/* The function or, with FRAME_DATA, the variable at OFFSET; where it begins is said as OFFSET is. */
static bool name_kernel(struct resolver *r, uint64_t offset, struct answer *answer)
{
	const uint64_t base = kernel_text_base(), data = offset & FRAME_DATA, at = base + (offset & ~FRAME_DATA);
	struct ksym sym;

	if (!(data ? kernel_table_find_variable(&r->kernel, at, &sym, r->stats) :
	      kernel_table_find(&r->kernel, at, &sym, r->stats)) ||
	    !answer_add(answer, sym.name, sym.user, FUNC_KERNEL))
		return false;
	answer->name[0].start = data | (sym.start - base);
	answer->name[0].size = sym.size;
	return true;
}

/* What a plug-in says of a place, as it comes in. */
struct told {
	struct resolver *r;
	struct answer *answer;
};

static void resolver_take_told(void *ctx, size_t i, const struct sberf_said *said)
{
	const struct told *t = ctx;
	struct answer_name *name = &t->answer->name[t->answer->n];
	char *file = arena_strndup(&t->r->files, said->file, strlen(said->file));

	(void)i;
	if (t->answer->n >= ANSWER_MAX || !file ||
	    !answer_add(t->answer, said->function, NULL, said->kind == SBERF_SAID_NOTE ? FUNC_NOTE : FUNC_JIT))
		return;
	name->start = said->start;
	name->size = said->size_bytes;
	name->file = file;
	name->line = said->line;
}

/* What plug-ins are told of the process of a module, unless nothing is opened any more. */
static int resolver_open_names(void *ctx, uint32_t id, uid_t *ret_owner)
{
	const struct resolver *r = ctx;

	return r->opener.open && !atomic_load(r->stop) ? r->opener.open(r->opener.ctx, id, ret_owner, NULL) : -ENOENT;
}

static int resolver_open_process(void *ctx, uint32_t id)
{
	const struct resolver *r = ctx;

	return r->opener.process && !atomic_load(r->stop) ? r->opener.process(r->opener.ctx, id) : -ESRCH;
}

/* Counts what went wrong at the process of M, and keeps the sentence. */
static void resolver_note_trouble(struct resolver *r, struct mod *m)
{
	struct plugin_trouble t;
	char what[64];

	if (!runtime_names_trouble(&m->names, &t))
		return;
	r->stats->refused_lines += t.things;
	r->stats->refused_maps += t.files;
	r->stats->workers_ended += t.ended;
	if (!t.left.code)
		return;
	r->stats->files_left++;
	snprintf(what, sizeof(what), "what process %d tells of code that it made", (int)m->m.pid);
	unread_add(r->unread, what, &t.left);
}

static struct plugin_source resolver_source(struct resolver *r, const struct mod *m)
{
	return (struct plugin_source){ .pid = m->m.pid, .start_ns = m->m.start_ns, .names = resolver_open_names,
				       .process = resolver_open_process, .ctx = r, .id = (uint32_t)(m - r->mods.v) };
}

static bool name_jit(struct resolver *r, struct mod *m, uint64_t addr, struct answer *answer)
{
	const struct plugin_source source = resolver_source(r, m);
	size_t n;

	arena_reset(&r->files);
	n = runtime_names_find(&m->names, r->plugins, &source, !atomic_load(r->stop), addr, resolver_take_told,
			       &(struct told){ r, answer });
	resolver_note_trouble(r, m);
	return n;
}

static bool name_note(uint64_t note, struct answer *answer)
{
	char text[160];

	if (note == NOTE_OTHER)
		return answer_add(answer, "(other)", NULL, FUNC_NOTE);
	if (note == NOTE_UNKNOWN)
		return answer_add(answer, "[unknown]", NULL, FUNC_NOTE);
	if (note == NOTE_LOST)
		return answer_add(answer, "[lost]", NULL, FUNC_NOTE);
	if (note < NOTE_CUT)
		return false;
	snprintf(text, sizeof(text), "[cut: %s]", cut_info((unsigned int)(note - NOTE_CUT))->text);
	return answer_add(answer, text, NULL, FUNC_NOTE);
}

/* Functions of scripts are told apart by their file and the line at which they begin. */
static bool name_script(struct resolver *r, uint64_t offset, struct answer *answer)
{
	struct script_name name = { 0 };

	free(take_ptr(r->script_file));
	r->script_pending = false;
	if (!r->opener.script || atomic_load(r->stop))
		return false;
	switch (r->opener.script(r->opener.script_ctx, offset, &name)) {
	case SCRIPT_NAMED:
		break;
	case SCRIPT_PENDING:
		r->script_pending = true;
		return false;
	default:
		return answer_add(answer, "[unknown]", NULL, FUNC_NOTE);
	}
	r->script_file = name.file;
	answer->name[answer->n++] = (struct answer_name){
		.text = name.function, .kind = name.note ? FUNC_NOTE : FUNC_SCRIPT, .file = name.file, .dir = "",
		.line = name.line,
		.start = name.note ? 0 : hash_bytes(name.file, strlen(name.file)) << 32 | name.first_line,
	};
	return true;
}

bool resolver_script_pending(const struct resolver *r)
{
	return r->script_pending;
}

/* What is a file. */
static bool resolver_name_file(struct resolver *r, module_id id, uint64_t offset, bool details, struct answer *answer)
{
	if (r->worker)
		return names_worker_find(r->worker, id, offset, details, answer);
	return details ? elf_names_details(r->elf, id, offset, answer) : elf_names_find(r->elf, id, offset, answer);
}

bool resolver_name(struct resolver *r, module_id id, uint64_t offset, struct answer *answer)
{
	struct mod *m;

	if (!resolver_knows(r, id))
		return false;
	m = &r->mods.v[id];
	switch (m->m.kind) {
	case MODULE_FILE:
	case MODULE_VDSO:
		return resolver_name_file(r, id, offset, false, answer);
	case MODULE_KERNEL:
		return name_kernel(r, offset, answer);
	case MODULE_ANON:
		return name_jit(r, m, offset, answer);
	case MODULE_NOTE:
		return name_note(offset, answer);
	case MODULE_SCRIPT:
		return name_script(r, offset, answer);
	default:
		return false;
	}
}

enum resolver_lack resolver_lack(const struct resolver *r, module_id id)
{
	const struct mod *m = &r->mods.v[id];

	if (m->m.kind == MODULE_KERNEL)
		return r->stats->kernel_hidden ? LACK_HIDDEN : LACK_FUNCTION;
	if (m->m.kind == MODULE_ANON)
		return LACK_MAP;
	return r->elf && resolver_is_file(m) ? elf_names_lack(r->elf, id) : LACK_FILE;
}

void resolver_hurry(struct resolver *r)
{
	for (size_t i = 0; i < r->mods.n; i++)
		runtime_names_hurry(&r->mods.v[i].names);
}

bool resolver_may_detail(const struct resolver *r, module_id id)
{
	if (!resolver_knows(r, id) || r->mods.v[id].m.kind != MODULE_FILE)
		return false;
	return r->elf ? elf_names_may_detail(r->elf, id) : names_worker_may_detail(r->worker, id);
}

bool resolver_details(struct resolver *r, module_id id, uint64_t offset, struct answer *answer)
{
	if (resolver_knows(r, id) && r->mods.v[id].m.kind == MODULE_FILE)
		return resolver_name_file(r, id, offset, true, answer);
	return resolver_name(r, id, offset, answer);
}

bool resolver_wants(const struct resolver *r, module_id id, uint64_t offset, bool details)
{
	const struct mod *m = resolver_knows(r, id) ? &r->mods.v[id] : NULL;

	if (!m || atomic_load(r->stop))
		return false;
	if (m->m.kind == MODULE_ANON)
		return !details && runtime_names_wants(&m->names, offset);
	return r->worker && resolver_is_file(m) && !names_worker_has(r->worker, id, offset, details);
}

/* Those of the N places Q from the FIRST on that are of its module, which has no file. */
static void resolver_prepare_made(struct resolver *r, const struct names_question *q, size_t first, size_t n)
{
	struct mod *m = &r->mods.v[q[first].module];
	const struct plugin_source source = resolver_source(r, m);
	uint64_t pc[NAMES_BATCH_MAX];
	size_t nr = 0;

	for (size_t i = first; i < n && nr < NAMES_BATCH_MAX; i++)
		if (q[i].module == q[first].module)
			pc[nr++] = q[i].offset;
	runtime_names_prepare(&m->names, r->plugins, &source, pc, nr);
	resolver_note_trouble(r, m);
}

void resolver_prepare(struct resolver *r, const struct names_question *q, size_t n, bool details)
{
	for (size_t i = 0; i < n && !details; i++)
		if (r->mods.v[q[i].module].m.kind == MODULE_ANON && resolver_wants(r, q[i].module, q[i].offset, false))
			resolver_prepare_made(r, q, i, n);
	if (r->worker)
		names_worker_prepare(r->worker, q, n, details);
}
