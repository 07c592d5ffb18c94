// SPDX-License-Identifier: BSD-2-Clause
/* naming.c - sberf/symbolize.h: from places to names, in one block of memory for each question. */
#include "config.h"

#include <sberf/symbolize.h>
#include "lib/handle.h"

#include "base/parse.h"
#include "base/regular.h"
#include "process/open.h"
#include "symbol/debugfile.h"
#include "symbol/fetch.h"
#include "symbol/kernel.h"
#include "symbol/runtime_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A list of names that grows: texts are offsets into TEXT until it is whole. */
struct naming {
	VEC(struct sberf_function) function;     /* name, file, directory: offsets */
	VEC(struct sberf_name) name;             /* functions: an index */
	VEC(char) text;
};

/* The block that a caller gets: the struct that it sees, and what that points to. */
struct names_block {
	struct sberf_names names;
	void *parts[3];
};

void lib_names_clear(struct sberf *s)
{
	answer_clear(&s->answer);
	resolver_free(s->resolver);
	plugins_free(s->plugins);
	vec_free(&s->function);
}

static int open_symbols_of(void *ctx, module_id module, uid_t *ret_uid, struct err *e)
{
	struct sberf *s = ctx;
	const struct added_file *f = lib_added(s, module);

	return f ? reopen_fd(f->fd) : processes_open_symbols(s->ps, module, ret_uid, e);
}

static int open_root_of(void *ctx, module_id module)
{
	struct sberf *s = ctx;

	return lib_added(s, module) ? -ENOENT : processes_open_root(s->ps, module);
}

static int open_process_of(void *ctx, module_id module)
{
	struct sberf *s = ctx;

	return lib_added(s, module) ? -ESRCH : processes_open_process(s->ps, module);
}

static void no_progress(void *ctx, const char *line)
{
}

/* Plug-ins that are built in, without a process of their own: the program that uses us has no children of ours. */
static int lib_plugins(struct sberf *s)
{
	static const struct runtime_plugins none = { .no_installed = true, .no_worker = true };

	return s->plugins ? 0 : runtime_plugins_new(&none, &s->plugins, &s->err);
}

static int need_resolver(struct sberf *s)
{
	const struct module_opener opener = { .open = open_symbols_of, .root = open_root_of,
					      .process = open_process_of, .ctx = s };
	const struct fetch_hooks hooks = { .stop = &s->stop, .cancelled = &s->stop, .progress = no_progress };
	struct symbolizer_options options = { .symfs = s->symfs };
	struct fetcher *fetcher = NULL;
	int rc;

	if (s->resolver)
		return 0;
	rc = lib_plugins(s);
	if (rc)
		return rc;
	options.plugins = s->plugins;
	if (s->flags & SBERF_DEBUGINFOD) {
		rc = fetcher_new(&hooks, &fetcher, &s->err);
		if (rc)
			return rc;
	}
	s->resolver = resolver_new(&opener, &options, fetcher, &s->counts, &s->unread, &s->stop);
	return s->resolver ? 0 : err_nomem(&s->err, "the names of functions");
}

int sberf_plugin_add(struct sberf *s, const char *path, uint32_t flags)
{
	int rc;

	lib_begin(s);
	if (flags & ~SBERF_PLUGIN_IN_PROCESS)
		return err_set(&s->err, EINVAL, "flags of a plug-in that this libsberf does not know");
	if (s->resolver)
		return err_set(&s->err, EBUSY, "plug-in %s comes too late: add it before names are asked for", path);
	rc = lib_plugins(s);
	return rc ? rc : plugins_add_file(s->plugins, path, flags & SBERF_PLUGIN_IN_PROCESS, &s->err);
}

static bool know_module(struct sberf *s, module_id id)
{
	const struct module *m = dict_get_module(s->dict, id);
	const struct strtab *texts = dict_strings(s->dict);

	return resolver_knows(s->resolver, id) ||
	       (m && resolver_add_module(s->resolver, id, m, strtab_get(texts, m->path),
					 strtab_get(texts, module_shown_path(m))));
}

/* The name of AN, S's; NULL when out of memory. */
static const char *function_name(struct sberf *s, const struct answer_name *an)
{
	str_id text, *slot;

	if (an->user && *an->user)
		return strtab_get(s->texts, s->function.v[*an->user - 1]);
	text = strtab_add(s->texts, an->text, strlen(an->text));
	if (text == STR_NONE)
		return NULL;
	slot = an->user && s->function.n < UINT32_MAX - 1 ? vec_push(&s->function) : NULL;
	if (slot) {
		*slot = text;
		*an->user = (uint32_t)s->function.n;
	}
	return strtab_get(s->texts, text);
}

/* Keeps TEXT; where it is, plus 1, to *RET as if that were a pointer. False when out of memory. */
static bool keep_text(struct naming *n, const char *text, const char **ret)
{
	const size_t len = strlen(text) + 1;

	if (!vec_reserve(&n->text, len))
		return false;
	memcpy(n->text.v + n->text.n, text, len);
	*ret = (const char *)(uintptr_t)(n->text.n + 1);
	n->text.n += len;
	return true;
}

static bool keep_answer(struct sberf *s, struct naming *n, struct sberf_name *ret)
{
	const struct answer *a = &s->answer;

	for (uint16_t i = 0; i < a->n; i++) {
		const struct answer_name *an = &a->name[i];
		struct sberf_function f = { .line = an->line, .flags = (i < a->n - 1 ? SBERF_FUNCTION_INLINED : 0u) |
					    (an->by_place ? SBERF_FUNCTION_BY_PLACE : 0u) };
		const char *name = function_name(s, an);
		struct sberf_function *slot = name ? vec_push(&n->function) : NULL;

		if (!slot)
			return false;
		*slot = f;
		if (!keep_text(n, an->file, &slot->file) || !keep_text(n, an->dir, &slot->directory) ||
		    !keep_text(n, name, &slot->name))
			return false;
	}
	ret->nr_functions = a->n;
	if (a->n) {
		ret->start = a->name[a->n - 1].start;
		ret->size_bytes = a->name[a->n - 1].size;
	}
	return true;
}

static uint32_t why_unknown(const struct sberf *s, module_id module)
{
	switch (resolver_lack(s->resolver, module)) {
	case LACK_FILE:
		return SBERF_NO_FILE;
	case LACK_SYMBOLS:
		return SBERF_NO_SYMBOLS;
	case LACK_MAP:
		return SBERF_NO_MAP;
	case LACK_HIDDEN:
		return SBERF_HIDDEN;
	case LACK_FUNCTION:
		break;
	}
	return SBERF_NO_FUNCTION;
}

/* Appends the name of F to N. False when out of memory. */
static bool name_frame(struct sberf *s, const struct sberf_frame *f, uint32_t flags, struct naming *n)
{
	const size_t first = n->function.n;
	struct sberf_name name = { .why = SBERF_NO_MODULE };
	struct sberf_name *slot;
	bool ok = true;

	if (atomic_load(&s->stop)) {
		name.why = SBERF_CANCELLED;
	} else if (know_module(s, f->module)) {
		ok = flags & SBERF_FUNCTIONS_ONLY ? resolver_name(s->resolver, f->module, f->offset, &s->answer) :
		     resolver_details(s->resolver, f->module, f->offset, &s->answer);
		name.why = ok ? SBERF_KNOWN : why_unknown(s, f->module);
		ok = keep_answer(s, n, &name);
		answer_clear(&s->answer);
	}
	if (!ok) {
		n->function.n = first;
		name = (struct sberf_name){ .why = SBERF_NO_MEMORY };
	}
	name.functions = (const struct sberf_function *)(uintptr_t)first;
	slot = vec_push(&n->name);
	if (!slot)
		return false;
	*slot = name;
	return true;
}

/* Is the place of F, which is called N, one that somebody else may know better? */
static const struct module *may_be_asked(const struct sberf *s, const struct sberf_frame *f, const struct sberf_name *n,
					 const struct naming *naming)
{
	const struct module *m = dict_get_module(s->dict, f->module);

	if (!m || m->kind != MODULE_FILE || !m->build_id_len)
		return NULL;
	if (n->why == SBERF_NO_FILE || n->why == SBERF_NO_SYMBOLS || n->why == SBERF_NO_FUNCTION)
		return m;
	return n->nr_functions == 1 &&
	       naming->function.v[(uintptr_t)n->functions].flags & SBERF_FUNCTION_BY_PLACE ? m : NULL;
}

/* Reads "NAME<tab>FILE<tab>LINE" lines up to END into functions of N, for NAME. False when out of memory. */
static bool take_lines(struct naming *n, char *at, struct sberf_name *name)
{
	const size_t first = n->function.n;

	for (char *next; *at; at = next) {
		char *end = strchr(at, '\n'), *file, *line;
		struct sberf_function f = { 0 }, *slot;
		uint64_t nr = 0;

		if (!end)
			break;
		*end = '\0';
		next = end + 1;
		file = strchr(at, '\t');
		line = file ? strchr(file + 1, '\t') : NULL;
		if (!line)
			continue;
		*file++ = *line++ = '\0';
		if (!parse_u64(line, "line", 0, UINT32_MAX, &nr, NULL))
			f.line = (uint32_t)nr;
		f.flags = *next ? SBERF_FUNCTION_INLINED : 0;
		slot = vec_push(&n->function);
		if (!slot || !keep_text(n, at, &f.name) || !keep_text(n, file, &f.file) ||
		    !keep_text(n, "", &f.directory))
			return false;
		n->function.v[n->function.n - 1] = f;
	}
	if (n->function.n > first)
		*name = (struct sberf_name){ .functions = (const struct sberf_function *)(uintptr_t)first,
					     .nr_functions = (uint32_t)(n->function.n - first) };
	return true;
}

/* Asks the service for what QUESTION has, NR places that are the last ones of s->known. */
static void ask_service(struct sberf *s, const char *question, size_t len, size_t nr)
{
	AUTO_FREE char *reply = NULL;
	char *at, *end;

	if (remote_ask(s->remote, question, len, &s->stop, &reply, NULL)) {
		s->remote_failed++;
		keyed_free(&s->known);   /* so that it is asked again, some time */
		return;
	}
	at = reply;
	for (size_t i = s->known.n - nr; i < s->known.n && *at; i++) {
		end = !strncmp(at, ".\n", 2) ? at : strstr(at, "\n.\n");
		if (!end)
			return;
		end += end != at;
		s->known.v[i].lines = end > at ? strtab_add(s->texts, at, (size_t)(end - at)) : 0;
		if (s->known.v[i].lines == STR_NONE)
			s->known.v[i].lines = 0;
		at = end + 2;
	}
}

/* Remembers that the place of F, in M, is asked for, and adds it to QUESTION. */
static bool add_question(struct sberf *s, const struct sberf_frame *f, const struct module *m, struct naming *question)
{
	const struct remote_name want = { .module = f->module, .offset = f->offset };
	char line[2 * BUILD_ID_MAX + 24];
	size_t n = 0;

	if (keyed_get(&s->known, &want, lines) == HIDX_NONE || !vec_reserve(&question->text, sizeof(line)))
		return false;
	for (uint8_t i = 0; i < m->build_id_len; i++)
		n += (size_t)snprintf(line + n, sizeof(line) - n, "%02x", m->build_id[i]);
	n += (size_t)snprintf(line + n, sizeof(line) - n, " %" PRIx64 "\n", f->offset);
	memcpy(question->text.v + question->text.n, line, n);
	question->text.n += n;
	return true;
}

/* Names by the service what is not named in N. False when out of memory. */
static bool name_remotely(struct sberf *s, const struct sberf_frame *frames, struct naming *n)
{
	struct naming question = { 0 };
	size_t asked = 0;
	bool ok = true;

	if (s->known.n >= REMOTE_ASKED_MAX)
		keyed_free(&s->known);
	for (size_t i = 0; i < n->name.n && asked < REMOTE_ASKED_MAX && ok; i++) {
		const struct remote_name want = { .module = frames[i].module, .offset = frames[i].offset };
		const struct module *m = may_be_asked(s, &frames[i], &n->name.v[i], n);

		if (!m || keyed_find(&s->known, &want, lines) != HIDX_NONE)
			continue;
		ok = add_question(s, &frames[i], m, &question);
		asked += ok;
	}
	if (asked)
		ask_service(s, question.text.v, question.text.n, asked);
	vec_free(&question.text);
	for (size_t i = 0; i < n->name.n && ok; i++) {
		const struct remote_name want = { .module = frames[i].module, .offset = frames[i].offset };
		const uint32_t at = may_be_asked(s, &frames[i], &n->name.v[i], n) ?
			keyed_find(&s->known, &want, lines) : HIDX_NONE;
		AUTO_FREE char *lines = at != HIDX_NONE && s->known.v[at].lines ?
			strdup(strtab_get(s->texts, s->known.v[at].lines)) : NULL;

		if (lines)
			ok = take_lines(n, lines, &n->name.v[i]);
	}
	return ok;
}

static void naming_clear(struct naming *n)
{
	vec_free(&n->function);
	vec_free(&n->name);
	vec_free(&n->text);
}

/* Makes pointers of the offsets in N, which becomes the block's. */
static struct sberf_names *finish(struct naming *n)
{
	struct names_block *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	for (size_t i = 0; i < n->function.n; i++) {
		n->function.v[i].name = n->text.v + (uintptr_t)n->function.v[i].name - 1;
		n->function.v[i].file = n->text.v + (uintptr_t)n->function.v[i].file - 1;
		n->function.v[i].directory = n->text.v + (uintptr_t)n->function.v[i].directory - 1;
	}
	for (size_t i = 0; i < n->name.n; i++)
		n->name.v[i].functions = n->name.v[i].nr_functions ?
			n->function.v + (uintptr_t)n->name.v[i].functions : NULL;
	b->names = (struct sberf_names){ .n = n->name.n, .name = n->name.v };
	b->parts[0] = n->function.v;
	b->parts[1] = n->name.v;
	b->parts[2] = n->text.v;
	return &b->names;
}

int sberf_symbolize(struct sberf *s, const struct sberf_frame *frames, size_t n, uint32_t flags,
		    struct sberf_names **ret)
{
	struct naming naming = { 0 };
	struct sberf_names *names;
	bool ok = true;
	int rc;

	lib_begin(s);
	if (flags & ~SBERF_FUNCTIONS_ONLY)
		return err_set(&s->err, EINVAL, "there are no flags 0x%x of sberf_symbolize()", flags);
	atomic_store(&s->stop, false);
	rc = need_resolver(s);
	if (rc)
		return rc;
	for (size_t i = 0; i < n && ok; i++)
		ok = name_frame(s, &frames[i], flags, &naming);
	if (ok && s->remote)
		ok = name_remotely(s, frames, &naming);
	names = ok ? finish(&naming) : NULL;
	if (!names) {
		naming_clear(&naming);
		return err_nomem(&s->err, "the names of functions");
	}
	*ret = names;
	return atomic_load(&s->stop) ? err_set(&s->err, ECANCELED, "naming was cancelled") : 0;
}

void sberf_names_free(struct sberf_names *names)
{
	struct names_block *b = (struct names_block *)names;

	if (!b)
		return;
	for (size_t i = 0; i < sizeof(b->parts) / sizeof(*b->parts); i++)
		free(b->parts[i]);
	free(b);
}

void sberf_cancel(struct sberf *s)
{
	atomic_store(&s->stop, true);
}

const char *sberf_why_text(uint32_t why)
{
	static const char *const texts[] = {
		[SBERF_KNOWN] = "its name is known",
		[SBERF_NO_MODULE] = "nothing is mapped there",
		[SBERF_NO_FILE] = "the file cannot be read",
		[SBERF_NO_SYMBOLS] = "the file has no symbols",
		[SBERF_NO_FUNCTION] = "no function is known there",
		[SBERF_NO_MAP] = "no run-time compiler has told what is there",
		[SBERF_HIDDEN] = "the kernel hides its symbols",
		[SBERF_NO_MEMORY] = "memory ran out",
		[SBERF_CANCELLED] = "naming was cancelled",
	};

	return why < sizeof(texts) / sizeof(*texts) ? texts[why] : "for an unknown reason";
}
