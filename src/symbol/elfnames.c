/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elfnames.c - one entry per module, opened at its first question.
 *
 * A file stays open after its symbols were read, so that a target that ends and is deleted still
 * gets its inlined calls and lines; beyond FDS_MAX the one not used for longest is closed and, if
 * asked again, opened again.
 */
#include "config.h"

#include "symbol/elfnames.h"

#include "base/clock.h"
#include "base/vec.h"
#include "symbol/debugfile.h"
#include "symbol/details.h"
#include "symbol/dwarf.h"
#include "symbol/ehframe.h"
#include "symbol/elfdata.h"
#include "symbol/elfsyms.h"
#include "symbol/members.h"
#include "symbol/vdso.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define FDS_MAX 128u
#define SYMBOLS_BYTES_MAX (256u << 20)
#define DETAILS_BYTES_MAX (512u << 20)
/* Beyond so much, what nobody has asked for for so long is dropped: with -a programs come and go. */
#define DETAILS_IDLE_BYTES (64u << 20)
#define DETAILS_IDLE_NS (30 * NSEC_PER_SEC)

struct mod {
	bool known;
	struct module m;
	char *path;
	char *called;                /* what functions without a name are called by */
	uint64_t used;               /* elf_names.clock of the last question */
	int fd;                      /* -1 = closed */
	bool open_failed, read_failed;
	struct elf_file *elf;
	struct elf_syms *syms;
	uint64_t variable_start;     /* of the last variable that was looked for */
	struct elf_variable variable;
	struct fde_starts *starts;   /* for code without symbols; NULL = not needed yet, or none */
	bool no_starts;
	bool dwarf_failed;
	struct dwarf_info *dwarf;
	uint64_t dwarf_asked_ns;     /* when it was last looked into */
	struct members *members;     /* of dwarf; NULL = not needed yet */
};

struct elf_names {
	struct elf_names_files files;
	char *symfs;                 /* NULL = none */
	struct symbolizer_stats *stats;
	struct unread *unread;
	VEC(struct mod) mods;        /* by module id */
	uint64_t clock;
};

static void mod_drop_dwarf(struct mod *m)
{
	members_free(m->members);
	m->members = NULL;
	dwarf_info_free(m->dwarf);
	m->dwarf = NULL;
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
	mod_drop_dwarf(m);
	elf_file_free(m->elf);
	free(m->path);
	free(m->called);
}

struct elf_names *elf_names_new(const struct elf_names_files *files, const char *symfs, struct symbolizer_stats *stats,
				struct unread *unread)
{
	AUTO(elf_names_free) struct elf_names *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->files = *files;
	n->stats = stats;
	n->unread = unread;
	if (symfs) {
		n->symfs = strdup(symfs);
		if (!n->symfs)
			return NULL;
	}
	return take_ptr(n);
}

void elf_names_free(struct elf_names *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->mods.n; i++)
		mod_free(&n->mods.v[i]);
	vec_free(&n->mods);
	free(n->symfs);
	free(n);
}

bool elf_names_knows(const struct elf_names *n, module_id id)
{
	return id < n->mods.n && n->mods.v[id].known;
}

bool elf_names_add(struct elf_names *n, module_id id, const struct module *m, const char *path, const char *called)
{
	char *its_path, *its_name;

	while (n->mods.n <= id) {
		struct mod *more = vec_push(&n->mods);

		if (!more)
			return false;
		*more = (struct mod){ .fd = -1 };
	}
	its_path = strdup(path);
	its_name = strdup(called);
	if (!its_path || !its_name) {
		free(its_path);
		free(its_name);
		return false;
	}
	mod_free(&n->mods.v[id]);
	n->mods.v[id] = (struct mod){ .known = true, .m = *m, .path = its_path, .called = its_name, .fd = -1 };
	return true;
}

void elf_names_call(struct elf_names *n, module_id id, const char *called)
{
	struct mod *m = elf_names_knows(n, id) ? &n->mods.v[id] : NULL;
	char *copy = m ? strdup(called) : NULL;

	if (!copy)
		return;
	free(m->called);
	m->called = copy;
}

static bool has_wanted_build_id(const struct mod *m, const struct elf_file *f)
{
	uint8_t id[BUILD_ID_MAX];

	return !m->m.build_id_len || (elf_file_build_id(f, id) == m->m.build_id_len &&
				      !memcmp(id, m->m.build_id, m->m.build_id_len));
}

/* The file below --symfs, when it is there and the same. */
static int open_in_symfs(const struct elf_names *n, const struct mod *m)
{
	AUTO(elf_file_free) struct elf_file *f = NULL;
	AUTO_FD int fd = -1;
	char path[PATH_MAX];

	if (!n->symfs || snprintf(path, sizeof(path), "%s%s", n->symfs, m->path) >= PATH_MAX)
		return -ENOENT;
	fd = regular_open(path);
	if (fd < 0 || elf_file_open(fd, &f, NULL) || !has_wanted_build_id(m, f))
		return -ENOENT;
	return take_fd(&fd);
}

/* Keeps the number of open files bounded. */
static void close_oldest(struct elf_names *n)
{
	struct mod *oldest = NULL;
	unsigned int open = 0;

	for (size_t i = 0; i < n->mods.n; i++) {
		struct mod *m = &n->mods.v[i];

		open += m->fd >= 0;
		if (m->fd >= 0 && (!oldest || m->used < oldest->used))
			oldest = m;
	}
	if (open >= FDS_MAX)
		mod_close(oldest);
}

/* Opens the file of M (again), so that m->elf can be read from. */
static bool ensure_file(struct elf_names *n, struct mod *m)
{
	struct err e = ERR_INIT;

	if (m->open_failed || atomic_load(n->files.stop))
		return false;
	if (m->fd >= 0)
		return true;
	close_oldest(n);
	m->fd = open_in_symfs(n, m);
	if (m->fd < 0)
		m->fd = n->files.open(n->files.ctx, (module_id)(m - n->mods.v), &e);
	if (m->fd >= 0 && m->elf)
		m->elf->fd = m->fd;
	else if (m->fd >= 0 && elf_file_open(m->fd, &m->elf, &e))
		mod_close(m);
	m->open_failed = m->fd < 0;
	n->stats->unreadable_modules += m->open_failed;
	if (m->open_failed && e.code)
		unread_add(n->unread, m->path, &e);
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
static void bound_symbols(struct elf_names *n, const struct mod *keep)
{
	for (;;) {
		struct mod *oldest = NULL;
		size_t bytes = 0;

		for (size_t i = 0; i < n->mods.n; i++) {
			struct mod *m = &n->mods.v[i];

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
		n->stats->tables_dropped++;
	}
}

/* The root in which the path of M means what it says; negative = ours. */
static int root_of(const struct elf_names *n, const struct mod *m)
{
	return atomic_load(n->files.stop) ? -ENOENT : n->files.root(n->files.ctx, (module_id)(m - n->mods.v));
}

/* The separate debug file of M, as details_file(). */
static struct elf_file *find_debug(const struct elf_names *n, const struct mod *m, int *ret_fd)
{
	AUTO_FD int root = root_of(n, m);
	const struct debug_places where = { n->symfs, root };

	return details_file(m->elf, m->path, &where, ret_fd);
}

static bool ensure_symbols(struct elf_names *n, struct mod *m)
{
	AUTO(elf_file_free) struct elf_file *debug = NULL;
	AUTO_FD int debug_fd = -1;

	if (m->syms)
		return true;
	if (m->read_failed || !(m->m.kind == MODULE_VDSO ? ensure_vdso(m) : ensure_file(n, m)))
		return false;
	if (m->m.kind == MODULE_FILE && !elf_syms_complete(m->elf))
		debug = find_debug(n, m, &debug_fd);
	m->read_failed = elf_syms_new(m->elf, debug, &m->syms, NULL) != 0;
	if (m->read_failed)
		return false;
	n->stats->damaged_symbols += elf_syms_damaged(m->syms);
	bound_symbols(n, m);
	return true;
}

/*
 * A function that has lost its name is called by the place where it starts, "dash+0x4700", so that
 * at least its parts stay together.
 */
static bool name_by_start(struct elf_names *n, struct mod *m, uint64_t vaddr, struct answer *answer)
{
	AUTO_FREE char *text = NULL;
	struct fde_start at;
	uint64_t offset;

	if (!m->starts && !m->no_starts) {
		m->starts = fde_starts_new(m->elf);
		m->no_starts = !m->starts;
		bound_symbols(n, m);
	}
	if (!m->starts || !fde_starts_find(m->starts, vaddr, &at) || !elf_file_offset(m->elf, at.start, &offset) ||
	    asprintf(&text, "%s+0x%" PRIx64, m->called, offset) < 0)
		return false;
	answer->name[answer->n++] = (struct answer_name){ .text = take_ptr(text), .kind = FUNC_USER, .by_place = true,
							  .file = "", .dir = "", .start = offset, .size = at.size };
	return true;
}

static bool name_elf(struct elf_names *n, struct mod *m, uint64_t offset, struct answer *answer)
{
	uint64_t vaddr, start;
	struct elf_sym sym;

	if (!ensure_symbols(n, m) || !elf_file_vaddr(m->elf, offset, &vaddr))
		return false;
	if (!elf_syms_find(m->syms, vaddr, &sym))
		return m->m.kind == MODULE_FILE && name_by_start(n, m, vaddr, answer);
	if (!answer_add(answer, sym.name, sym.user, FUNC_USER))
		return false;
	answer->name[0].start = elf_file_offset(m->elf, sym.start, &start) ? start : offset - (vaddr - sym.start);
	answer->name[0].size = sym.size;
	return true;
}

/* Makes m->variable the one at VADDR: an array may have thousands of locks, and tables are read through for each. */
static bool elf_names_find_variable(struct elf_names *n, struct mod *m, uint64_t vaddr)
{
	AUTO(elf_file_free) struct elf_file *debug = NULL;
	AUTO_FD int debug_fd = -1;

	if (vaddr >= m->variable_start && vaddr - m->variable_start < m->variable.size)
		return true;
	if (!ensure_file(n, m))
		return false;
	if (!elf_variable_find(m->elf, vaddr, &m->variable)) {
		debug = elf_syms_complete(m->elf) ? NULL : find_debug(n, m, &debug_fd);
		if (!debug || !elf_variable_find(debug, vaddr, &m->variable))
			return false;
	}
	m->variable_start = vaddr - m->variable.offset;
	return true;
}

/* The variable at VADDR; where it begins is said as in offsets of frames. */
static bool name_variable(struct elf_names *n, struct mod *m, uint64_t vaddr, struct answer *answer)
{
	if (!elf_names_find_variable(n, m, vaddr) || !answer_add(answer, m->variable.name, NULL, FUNC_USER))
		return false;
	answer->name[0].start = FRAME_DATA | m->variable_start;
	answer->name[0].size = m->variable.size;
	return true;
}

static struct mod *elf_names_ask(struct elf_names *n, module_id id)
{
	struct mod *m = elf_names_knows(n, id) ? &n->mods.v[id] : NULL;

	if (m)
		m->used = ++n->clock;
	return m;
}

bool elf_names_find(struct elf_names *n, module_id id, uint64_t offset, struct answer *answer)
{
	struct mod *m = elf_names_ask(n, id);

	if (!m)
		return false;
	if (m->m.kind == MODULE_FILE && offset & FRAME_DATA)
		return name_variable(n, m, offset & ~FRAME_DATA, answer);
	return name_elf(n, m, offset, answer);
}

enum resolver_lack elf_names_lack(const struct elf_names *n, module_id id)
{
	const struct mod *m = &n->mods.v[id];

	if (!m->syms)
		return LACK_FILE;
	return elf_syms_count(m->syms) ? LACK_FUNCTION : LACK_SYMBOLS;
}

bool elf_names_may_detail(const struct elf_names *n, module_id id)
{
	const struct mod *m = elf_names_knows(n, id) ? &n->mods.v[id] : NULL;

	return m && m->m.kind == MODULE_FILE && !m->dwarf_failed;
}

/* Drops debug information, the oldest first, until the rest fits; never that of KEEP, which is being looked into. */
static void bound_details(struct elf_names *n, struct mod *keep)
{
	const uint64_t now = clock_mono_ns();

	keep->dwarf_asked_ns = now;
	for (;;) {
		struct mod *oldest = NULL;
		size_t bytes = 0;

		for (size_t i = 0; i < n->mods.n; i++) {
			struct mod *m = &n->mods.v[i];

			bytes += m->dwarf ? dwarf_info_bytes(m->dwarf) : 0;
			if (m->dwarf && m != keep && (!oldest || m->dwarf_asked_ns < oldest->dwarf_asked_ns))
				oldest = m;
		}
		if (!oldest || bytes <= (now > oldest->dwarf_asked_ns + DETAILS_IDLE_NS ? DETAILS_IDLE_BYTES :
					 DETAILS_BYTES_MAX))
			return;
		mod_drop_dwarf(oldest);
		n->stats->tables_dropped++;
	}
}

/* Opens the debug information in F, which belongs to M. */
static void open_dwarf(struct elf_names *n, struct mod *m, const struct elf_file *f)
{
	AUTO_FD int root = root_of(n, m);
	const struct debug_places where = { n->symfs, root };
	struct err e = ERR_INIT;

	if (!details_open(m->elf, f, m->path, &where, &m->dwarf, &e))
		return;
	n->stats->unreadable_details++;
	unread_add(n->unread, m->path, &e);
}

/* A debug file from a server; what it knows of functions replaces what is known so far. */
static struct elf_file *fetch_debug(struct elf_names *n, struct mod *m, int *ret_fd)
{
	uint8_t id[BUILD_ID_MAX];
	const uint8_t id_len = elf_file_build_id(m->elf, id);
	AUTO_FD int fd = n->files.debuginfo(n->files.ctx, (module_id)(m - n->mods.v), id, id_len, m->path);
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

static bool ensure_dwarf(struct elf_names *n, struct mod *m)
{
	AUTO(elf_file_free) struct elf_file *debug = NULL;
	AUTO_FD int debug_fd = -1;

	if (m->dwarf)
		return true;
	if (m->dwarf_failed || !ensure_file(n, m))
		return false;
	if (dwarf_info_present(m->elf)) {
		open_dwarf(n, m, m->elf);
	} else {
		debug = find_debug(n, m, &debug_fd);
		if (!debug)
			debug = fetch_debug(n, m, &debug_fd);
		if (debug && dwarf_info_present(debug))
			open_dwarf(n, m, debug);
	}
	m->dwarf_failed = !m->dwarf;
	return m->dwarf;
}

/* Puts the inlined calls of PLACE before the function that ANSWER has from the symbol table, if it has one. */
static bool elf_names_add_places(const struct dwarf_place *place, size_t n, struct answer *answer)
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

static void note_lack(struct elf_names *n, const struct mod *m)
{
	struct err e = ERR_INIT;

	err_set(&e, ENOENT, "%s", dwarf_info_lacks(m->dwarf));
	n->stats->unreadable_details++;
	unread_add(n->unread, m->path, &e);
}

/* ANSWER is the variable around VADDR of M, whose debug information is there: by its members, where it has some. */
static void elf_names_add_members(struct mod *m, uint64_t vaddr, struct answer *answer)
{
	struct answer_name *name = &answer->name[0];
	char path[MEMBERS_MAX];
	char *text;
	uint64_t start;

	if (!m->members)
		m->members = members_new(dwarf_info_dwarf(m->dwarf));
	if (!m->members || !members_path(m->members, m->variable_start, vaddr - m->variable_start, path, &start) ||
	    asprintf(&text, "%s%s", name->text, path) < 0)
		return;
	free(name->text);
	name->text = text;
	name->start += start;
	name->size -= start;
}

bool elf_names_details(struct elf_names *n, module_id id, uint64_t offset, struct answer *answer)
{
	struct mod *m = elf_names_knows(n, id) ? &n->mods.v[id] : NULL;
	/* First: it may bring a better symbol table, and the answer points into the one that is there. */
	const bool has = elf_names_may_detail(n, id) && ensure_dwarf(n, m);
	const bool named = elf_names_find(n, id, offset, answer);
	struct dwarf_place place[ANSWER_MAX];
	const char *lacked;
	size_t damaged, places;
	uint64_t vaddr;

	if (has && named && m->m.kind == MODULE_FILE && offset & FRAME_DATA) {
		elf_names_add_members(m, offset & ~FRAME_DATA, answer);
		bound_details(n, m);
	}
	if (!has || !elf_file_vaddr(m->elf, offset, &vaddr))
		return named;
	damaged = dwarf_info_damaged(m->dwarf);
	lacked = dwarf_info_lacks(m->dwarf);
	places = dwarf_info_find(m->dwarf, vaddr, place, ANSWER_MAX);
	n->stats->damaged_details += dwarf_info_damaged(m->dwarf) - damaged;
	if (!lacked && dwarf_info_lacks(m->dwarf))
		note_lack(n, m);
	bound_details(n, m);
	if (places > ANSWER_MAX) {
		n->stats->deep_inlining++;
		places = ANSWER_MAX;
	}
	return places ? elf_names_add_places(place, places, answer) : named;
}
