/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * resolver.c - one entry per module, opened at its first question and asked through its kind.
 *
 * A file stays open after its symbols were read, so that a target that ends and is deleted still
 * gets its inlined calls and lines; beyond FDS_MAX the one not used for longest is closed and, if
 * asked again, opened again.
 */
#include "config.h"

#include "symbol/resolver.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "base/vec.h"
#include "model/reasons.h"
#include "symbol/debugfile.h"
#include "symbol/demangle.h"
#include "symbol/details.h"
#include "symbol/dwarf.h"
#include "symbol/ehframe.h"
#include "symbol/elfdata.h"
#include "symbol/elfsyms.h"
#include "symbol/growing.h"
#include "symbol/runtime_names.h"
#include "symbol/vdso.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define FDS_MAX 128u
#define SYMBOLS_BYTES_MAX (256u << 20)
#define DETAILS_BYTES_MAX (512u << 20)

struct mod {
	bool known;
	struct module m;
	char *path;
	char *called;                /* without folders */
	uint64_t used;               /* resolver.clock of the last question */
	int fd;                      /* -1 = closed */
	bool open_failed, read_failed;
	struct elf_file *elf;
	struct elf_syms *syms;
	uint64_t variable_start;     /* of the last variable that was looked for */
	struct elf_variable variable;
	struct fde_starts *starts;   /* for code without symbols; NULL = not needed yet, or none */
	bool no_starts;
	struct runtime_names names;  /* of MODULE_ANON */
	bool dwarf_failed;
	struct dwarf_info *dwarf;
};

struct resolver {
	struct module_opener opener;
	struct plugins *plugins;     /* a reference */
	struct arena files;          /* of the answer of a plug-in, until the next one */
	char *symfs;                 /* NULL = none */
	struct fetcher *fetcher;     /* NULL = none */
	struct symbolizer_stats *stats;
	struct unread *unread;
	const _Atomic bool *stop;
	VEC(struct mod) mods;        /* by module id */
	uint64_t clock;
	struct kernel_table kernel;
	char *script_file;           /* of the last frame of a script */
	bool script_pending;         /* that has a name later */
};

void answer_clear(struct answer *a)
{
	for (uint16_t i = 0; i < a->n; i++)
		free(a->name[i].text);
	a->n = 0;
}

static void mod_close(struct mod *m)
{
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
	if (m->elf)
		m->elf->fd = -1;
}

static void mod_free(struct mod *m)
{
	mod_close(m);
	elf_syms_free(m->syms);
	fde_starts_free(m->starts);
	dwarf_info_free(m->dwarf);
	runtime_names_clear(&m->names);
	elf_file_free(m->elf);
	free(m->path);
	free(m->called);
}

struct resolver *resolver_new(const struct module_opener *opener, struct plugins *plugins, const char *symfs,
			      struct fetcher *fetcher, struct symbolizer_stats *stats, struct unread *unread,
			      const _Atomic bool *stop)
{
	AUTO(resolver_free) struct resolver *r = calloc(1, sizeof(*r));

	if (!r) {
		fetcher_free(fetcher);
		return NULL;
	}
	if (plugins)
		r->plugins = plugins_ref(plugins);
	else if (runtime_plugins_new(NULL, &r->plugins, NULL))
		r->plugins = NULL;
	r->fetcher = fetcher;
	r->opener = *opener;
	r->stats = stats;
	r->unread = unread;
	r->stop = stop;
	if (symfs) {
		r->symfs = strdup(symfs);
		if (!r->symfs)
			return NULL;
	}
	return r->plugins ? take_ptr(r) : NULL;
}

void resolver_free(struct resolver *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->mods.n; i++)
		mod_free(&r->mods.v[i]);
	vec_free(&r->mods);
	kernel_table_clear(&r->kernel);
	plugins_free(r->plugins);
	arena_reset(&r->files);
	fetcher_free(r->fetcher);
	free(r->symfs);
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
	char *copy, *called;

	while (r->mods.n <= id) {
		struct mod *more = vec_push(&r->mods);

		if (!more)
			return false;
		*more = (struct mod){ .fd = -1 };
	}
	copy = strdup(path);
	called = strdup(resolver_last_part(shown));
	if (!copy || !called) {
		free(copy);
		free(called);
		return false;
	}
	r->mods.v[id] = (struct mod){ .known = true, .m = *m, .path = copy, .called = called, .fd = -1 };
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
	return m->called = copy;
}

static bool has_wanted_build_id(const struct mod *m, const struct elf_file *f)
{
	uint8_t id[BUILD_ID_MAX];

	return !m->m.build_id_len || (elf_file_build_id(f, id) == m->m.build_id_len &&
				      !memcmp(id, m->m.build_id, m->m.build_id_len));
}

/* The file below --symfs, when it is there and the same. */
static int open_in_symfs(const struct resolver *r, const struct mod *m)
{
	AUTO(elf_file_free) struct elf_file *f = NULL;
	AUTO_FD int fd = -1;
	char path[PATH_MAX];

	if (!r->symfs || snprintf(path, sizeof(path), "%s%s", r->symfs, m->path) >= PATH_MAX)
		return -ENOENT;
	fd = regular_open(path);
	if (fd < 0 || elf_file_open(fd, &f, NULL) || !has_wanted_build_id(m, f))
		return -ENOENT;
	return take_fd(&fd);
}

/* Keeps the number of open files bounded. */
static void close_oldest(struct resolver *r)
{
	struct mod *oldest = NULL;
	unsigned int open = 0;

	for (size_t i = 0; i < r->mods.n; i++) {
		struct mod *m = &r->mods.v[i];

		open += m->fd >= 0;
		if (m->fd >= 0 && (!oldest || m->used < oldest->used))
			oldest = m;
	}
	if (open >= FDS_MAX)
		mod_close(oldest);
}

/* Opens the file of M (again), so that m->elf can be read from. */
static bool ensure_file(struct resolver *r, struct mod *m)
{
	struct err e = ERR_INIT;
	uid_t uid;

	if (m->open_failed || atomic_load(r->stop))
		return false;
	if (m->fd >= 0)
		return true;
	close_oldest(r);
	m->fd = open_in_symfs(r, m);
	if (m->fd < 0 && r->opener.open)
		m->fd = r->opener.open(r->opener.ctx, (module_id)(m - r->mods.v), &uid, &e);
	if (m->fd >= 0 && m->elf)
		m->elf->fd = m->fd;
	else if (m->fd >= 0 && elf_file_open(m->fd, &m->elf, &e))
		mod_close(m);
	m->open_failed = m->fd < 0;
	r->stats->unreadable_modules += m->open_failed;
	if (m->open_failed && e.code)
		unread_add(r->unread, m->path, &e);
	return !m->open_failed;
}

static bool ensure_vdso(struct mod *m)
{
	const void *image;
	size_t len;

	if (m->elf)
		return true;
	image = vdso_image(&len);
	if (image && !elf_file_memory(image, len, &m->elf, NULL) && !has_wanted_build_id(m, m->elf)) {
		elf_file_free(m->elf);
		m->elf = NULL;
	}
	return m->elf;
}

/* Drops tables, the oldest first, until they fit; never that of KEEP. */
static void bound_symbols(struct resolver *r, const struct mod *keep)
{
	for (;;) {
		struct mod *oldest = NULL;
		size_t bytes = 0;

		for (size_t i = 0; i < r->mods.n; i++) {
			struct mod *m = &r->mods.v[i];

			bytes += (m->syms ? elf_syms_bytes(m->syms) : 0) + fde_starts_bytes(m->starts);
			if (m->syms && m != keep && (!oldest || m->used < oldest->used))
				oldest = m;
		}
		if (bytes <= SYMBOLS_BYTES_MAX || !oldest)
			return;
		elf_syms_free(oldest->syms);
		oldest->syms = NULL;
		fde_starts_free(oldest->starts);
		oldest->starts = NULL;
		r->stats->tables_dropped++;
	}
}

/* The root in which the path of M means what it says; negative = ours. */
static int root_of(const struct resolver *r, const struct mod *m)
{
	return r->opener.root && !atomic_load(r->stop) ?
		r->opener.root(r->opener.ctx, (module_id)(m - r->mods.v)) : -ENOENT;
}

/* The separate debug file of M, as details_file(). */
static struct elf_file *find_debug(const struct resolver *r, const struct mod *m, int *ret_fd)
{
	AUTO_FD int root = root_of(r, m);
	const struct debug_places where = { r->symfs, root };

	return details_file(m->elf, m->path, &where, ret_fd);
}

static bool ensure_symbols(struct resolver *r, struct mod *m)
{
	AUTO(elf_file_free) struct elf_file *debug = NULL;
	AUTO_FD int debug_fd = -1;

	if (m->syms)
		return true;
	if (m->read_failed || !(m->m.kind == MODULE_VDSO ? ensure_vdso(m) : ensure_file(r, m)))
		return false;
	if (m->m.kind == MODULE_FILE && !elf_syms_complete(m->elf))
		debug = find_debug(r, m, &debug_fd);
	m->read_failed = elf_syms_new(m->elf, debug, &m->syms, NULL) != 0;
	if (m->read_failed)
		return false;
	r->stats->damaged_symbols += elf_syms_damaged(m->syms);
	bound_symbols(r, m);
	return true;
}

/* Adds a name to ANSWER, demangled unless the caller knows it by *USER. */
static bool answer_add(struct answer *answer, const char *raw, uint32_t *user, uint8_t kind)
{
	char *text = NULL;

	if (!user || !*user) {
		text = demangle_symbol(raw);
		if (!text)
			return false;
	}
	answer->name[answer->n++] = (struct answer_name){ .text = text, .user = user, .kind = kind, .file = "",
							  .dir = "" };
	return true;
}

/*
 * A function that has lost its name is called by the place where it starts, "dash+0x4700", so that
 * at least its parts stay together.
 */
static bool name_by_start(struct resolver *r, struct mod *m, uint64_t vaddr, struct answer *answer)
{
	AUTO_FREE char *text = NULL;
	struct fde_start at;
	uint64_t offset;

	if (!m->starts && !m->no_starts) {
		m->starts = fde_starts_new(m->elf);
		m->no_starts = !m->starts;
		bound_symbols(r, m);
	}
	if (!m->starts || !fde_starts_find(m->starts, vaddr, &at) || !elf_file_offset(m->elf, at.start, &offset) ||
	    asprintf(&text, "%s+0x%" PRIx64, m->called, offset) < 0)
		return false;
	answer->name[answer->n++] = (struct answer_name){ .text = take_ptr(text), .kind = FUNC_USER, .by_place = true,
							  .file = "", .dir = "", .start = offset, .size = at.size };
	return true;
}

static bool name_elf(struct resolver *r, struct mod *m, uint64_t offset, struct answer *answer)
{
	uint64_t vaddr, start;
	struct elf_sym sym;

	if (!ensure_symbols(r, m) || !elf_file_vaddr(m->elf, offset, &vaddr))
		return false;
	if (!elf_syms_find(m->syms, vaddr, &sym))
		return m->m.kind == MODULE_FILE && name_by_start(r, m, vaddr, answer);
	if (!answer_add(answer, sym.name, sym.user, FUNC_USER))
		return false;
	answer->name[0].start = elf_file_offset(m->elf, sym.start, &start) ? start : offset - (vaddr - sym.start);
	answer->name[0].size = sym.size;
	return true;
}

/* Makes m->variable the one at VADDR: an array may have thousands of locks, and tables are read through for each. */
static bool resolver_find_variable(struct resolver *r, struct mod *m, uint64_t vaddr)
{
	AUTO(elf_file_free) struct elf_file *debug = NULL;
	AUTO_FD int debug_fd = -1;

	if (vaddr >= m->variable_start && vaddr - m->variable_start < m->variable.size)
		return true;
	if (!ensure_file(r, m))
		return false;
	if (!elf_variable_find(m->elf, vaddr, &m->variable)) {
		debug = elf_syms_complete(m->elf) ? NULL : find_debug(r, m, &debug_fd);
		if (!debug || !elf_variable_find(debug, vaddr, &m->variable))
			return false;
	}
	m->variable_start = vaddr - m->variable.offset;
	return true;
}

/* The variable at VADDR; where it begins is said as in offsets of frames. */
static bool name_variable(struct resolver *r, struct mod *m, uint64_t vaddr, struct answer *answer)
{
	if (!resolver_find_variable(r, m, vaddr) || !answer_add(answer, m->variable.name, NULL, FUNC_USER))
		return false;
	answer->name[0].start = FRAME_DATA | m->variable_start;
	answer->name[0].size = m->variable.size;
	return true;
}

static bool name_kernel(struct resolver *r, uint64_t offset, struct answer *answer)
{
	const uint64_t base = kernel_text_base();
	struct ksym sym;

	if (!kernel_table_find(&r->kernel, offset + base, &sym, r->stats) ||
	    !answer_add(answer, sym.name, sym.user, FUNC_KERNEL))
		return false;
	answer->name[0].start = sym.start - base;
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

static bool name_jit(struct resolver *r, struct mod *m, uint64_t addr, struct answer *answer)
{
	const struct plugin_source source = { .pid = m->m.pid, .start_ns = m->m.start_ns, .names = resolver_open_names,
					      .process = resolver_open_process, .ctx = r,
					      .id = (uint32_t)(m - r->mods.v) };

	arena_reset(&r->files);
	return runtime_names_find(&m->names, r->plugins, &source, !atomic_load(r->stop), addr, resolver_take_told,
				  &(struct told){ r, answer }, &r->stats->refused_lines, &r->stats->refused_maps);
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

bool resolver_name(struct resolver *r, module_id id, uint64_t offset, struct answer *answer)
{
	struct mod *m;

	if (!resolver_knows(r, id))
		return false;
	m = &r->mods.v[id];
	m->used = ++r->clock;
	switch (m->m.kind) {
	case MODULE_FILE:
		if (offset & FRAME_DATA)
			return name_variable(r, m, offset & ~FRAME_DATA, answer);
		return name_elf(r, m, offset, answer);
	case MODULE_VDSO:
		return name_elf(r, m, offset, answer);
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
	if (!m->syms)
		return LACK_FILE;
	return elf_syms_count(m->syms) ? LACK_FUNCTION : LACK_SYMBOLS;
}

void resolver_hurry(struct resolver *r)
{
	for (size_t i = 0; i < r->mods.n; i++)
		runtime_names_hurry(&r->mods.v[i].names);
}

bool resolver_may_detail(const struct resolver *r, module_id id)
{
	const struct mod *m = resolver_knows(r, id) ? &r->mods.v[id] : NULL;

	return m && m->m.kind == MODULE_FILE && !m->dwarf_failed;
}

/* Drops debug information, the oldest first, until the rest fits; never that of KEEP. */
static void bound_details(struct resolver *r, const struct mod *keep)
{
	for (;;) {
		struct mod *oldest = NULL;
		size_t bytes = 0;

		for (size_t i = 0; i < r->mods.n; i++) {
			struct mod *m = &r->mods.v[i];

			bytes += m->dwarf ? dwarf_info_bytes(m->dwarf) : 0;
			if (m->dwarf && m != keep && (!oldest || m->used < oldest->used))
				oldest = m;
		}
		if (bytes <= DETAILS_BYTES_MAX || !oldest)
			return;
		dwarf_info_free(oldest->dwarf);
		oldest->dwarf = NULL;
		r->stats->tables_dropped++;
	}
}

/* Opens the debug information in F, which belongs to M. */
static void open_dwarf(struct resolver *r, struct mod *m, const struct elf_file *f)
{
	AUTO_FD int root = root_of(r, m);
	const struct debug_places where = { r->symfs, root };
	struct err e = ERR_INIT;

	if (!details_open(m->elf, f, m->path, &where, &m->dwarf, &e))
		return;
	r->stats->unreadable_details++;
	unread_add(r->unread, m->path, &e);
}

/* A debug file from a server; what it knows of functions replaces what is known so far. */
static struct elf_file *fetch_debug(struct resolver *r, struct mod *m, int *ret_fd)
{
	uint8_t id[BUILD_ID_MAX];
	const uint8_t id_len = elf_file_build_id(m->elf, id);
	AUTO_FD int fd = r->fetcher ? fetcher_debuginfo(r->fetcher, id, id_len, m->path) : -ENOENT;
	struct elf_syms *better;
	struct elf_file *f;

	if (fd < 0 || elf_file_open(fd, &f, NULL))
		return NULL;
	if (!elf_syms_complete(m->elf) && !elf_syms_new(m->elf, f, &better, NULL)) {
		elf_syms_free(m->syms);
		m->syms = better;
	}
	*ret_fd = take_fd(&fd);
	return f;
}

static bool ensure_dwarf(struct resolver *r, struct mod *m)
{
	AUTO(elf_file_free) struct elf_file *debug = NULL;
	AUTO_FD int debug_fd = -1;

	if (m->dwarf)
		return true;
	if (m->dwarf_failed || !ensure_file(r, m))
		return false;
	if (dwarf_info_present(m->elf)) {
		open_dwarf(r, m, m->elf);
	} else {
		debug = find_debug(r, m, &debug_fd);
		if (!debug)
			debug = fetch_debug(r, m, &debug_fd);
		if (debug && dwarf_info_present(debug))
			open_dwarf(r, m, debug);
	}
	m->dwarf_failed = !m->dwarf;
	return m->dwarf;
}

/* Puts the inlined calls of PLACE before the function that ANSWER has from the symbol table, if it has one. */
static bool resolver_add_places(const struct dwarf_place *place, size_t n, struct answer *answer)
{
	const bool named = answer->n;
	struct answer_name outer = answer->name[0];

	answer->n = 0;
	for (size_t i = 0; i < n; i++) {
		const bool last = i == n - 1;

		if (last && named)
			answer->name[answer->n++] = outer;
		else if (last && !place[i].func)
			break;
		else if (!answer_add(answer, place[i].func ? place[i].func : "[inlined]", place[i].user, FUNC_USER))
			break;
		answer->name[answer->n - 1].file = place[i].file;
		answer->name[answer->n - 1].dir = place[i].dir;
		answer->name[answer->n - 1].line = place[i].line;
		if (last)
			return true;
	}
	/* Not complete: the function alone is better than calls without it. */
	answer_clear(answer);
	if (named)
		answer->name[answer->n++] = outer;
	return named;
}

static void note_lack(struct resolver *r, const struct mod *m)
{
	struct err e = ERR_INIT;

	err_set(&e, ENOENT, "%s", dwarf_info_lacks(m->dwarf));
	r->stats->unreadable_details++;
	unread_add(r->unread, m->path, &e);
}

bool resolver_details(struct resolver *r, module_id id, uint64_t offset, struct answer *answer)
{
	struct mod *m = resolver_knows(r, id) ? &r->mods.v[id] : NULL;
	/* First: it may bring a better symbol table, and the answer points into the one that is there. */
	const bool has = resolver_may_detail(r, id) && ensure_dwarf(r, m);
	const bool named = resolver_name(r, id, offset, answer);
	struct dwarf_place place[ANSWER_MAX];
	const char *lacked;
	size_t damaged, n;
	uint64_t vaddr;

	if (!has || !elf_file_vaddr(m->elf, offset, &vaddr))
		return named;
	damaged = dwarf_info_damaged(m->dwarf);
	lacked = dwarf_info_lacks(m->dwarf);
	n = dwarf_info_find(m->dwarf, vaddr, place, ANSWER_MAX);
	r->stats->damaged_details += dwarf_info_damaged(m->dwarf) - damaged;
	if (!lacked && dwarf_info_lacks(m->dwarf))
		note_lack(r, m);
	bound_details(r, m);
	if (n > ANSWER_MAX) {
		r->stats->deep_inlining++;
		n = ANSWER_MAX;
	}
	return n ? resolver_add_places(place, n, answer) : named;
}
