/* SPDX-License-Identifier: BSD-2-Clause */
/* catalog.c - see catalog.h. */
#include "config.h"

#include "probe/catalog.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "base/wildcard.h"
#include "probe/find_syscalls.h"
#include "probe/functions.h"
#include "probe/kernel_functions.h"
#include "probe/ktypes_all.h"
#include "probe/leaves.h"
#include "probe/site.h"
#include "probe/tracepoint.h"
#include "probe/unreturning.h"
#include "probe/usdt.h"
#include "symbol/debugfile.h"
#include "symbol/details.h"
#include "symbol/dwarf.h"
#include "symbol/params.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ARGS_TEXT_MAX 1024u

uint32_t catalog_kernel_ns(enum probe_kind kind)
{
	static const uint16_t ns[PROBE_KINDS] = {
		[PROBE_SYSCALL] = 350, [PROBE_TRACEPOINT] = 360, [PROBE_RAW_TRACEPOINT] = 280, [PROBE_FAULT] = 380,
		[PROBE_SIGNAL] = 280, [PROBE_KPROBE] = 360, [PROBE_KRETPROBE] = 560,
	};

	return ns[kind];
}

/* What there is to say of the price of KIND: some were not measured by themselves. */
static const char *catalog_kernel_note(enum probe_kind kind)
{
	return kind == PROBE_KPROBE || kind == PROBE_KRETPROBE ?
		"its price is an estimate, from those of other kinds" : "";
}

static bool asks_for(const struct catalog *c, enum probe_kind kind)
{
	return !c->only || c->only->kind == kind;
}

/* Writes P as text to DST; false when the list is not about it. */
static bool catalog_wants(const struct catalog *c, const struct spec_point *p, char dst[SPEC_TEXT_MAX])
{
	const struct spec s = { .points = 1, .point = { *p } };

	spec_text(&s, dst);
	return !c->glob || wildcard_matches(c->glob, dst);
}

/* The fields of T that are not of all tracepoints, as "type name, ...", without the first SKIP. */
static void fields_text(const struct tracepoint *t, unsigned int skip, char dst[ARGS_TEXT_MAX])
{
	size_t at = 0;

	*dst = '\0';
	for (size_t i = 0; i < t->field.n; i++) {
		const struct tracepoint_field *f = &t->field.v[i];

		if (f->common)
			continue;
		if (skip) {
			skip--;
			continue;
		}
		at += text_format(dst + at, ARGS_TEXT_MAX - at, "%s%s %s", at ? ", " : "", f->type, f->name);
	}
}

/* CALL: the entry of the system call of that name; NULL = NAME. */
static void read_fields_text(const char *tracefs, const struct tracepoint_name *name, const char *call,
			     char dst[ARGS_TEXT_MAX])
{
	struct tracepoint t = { 0 };

	*dst = '\0';
	if (*tracefs && !(call ? tracepoint_read_call(tracefs, call, &t, NULL) :
			  tracepoint_read(tracefs, name, &t, NULL)))
		fields_text(&t, !!call, dst);
	tracepoint_free(&t);
}

static int catalog_syscalls(const struct catalog *c, const char *tracefs, struct err *e)
{
	static const struct spec_point all = { .kind = PROBE_SYSCALL, .match = SPEC_ANY };
	found_syscalls calls = { 0 };
	char text[SPEC_TEXT_MAX], args[ARGS_TEXT_MAX];
	int rc = find_syscalls(c->only ? c->only : &all, NULL, &calls, e);

	for (size_t i = 0; rc >= 0 && i < calls.n; i++) {
		struct spec_point p = { .kind = PROBE_SYSCALL, .match = SPEC_EXACT };

		text_format(p.name, sizeof(p.name), "%s", calls.v[i].name);
		if (!catalog_wants(c, &p, text))
			continue;
		/* The first field is the number of the call. */
		read_fields_text(tracefs, NULL, calls.v[i].name, args);
		rc = c->each(c->ctx, &(struct catalog_row){ text, args, catalog_kernel_ns(PROBE_SYSCALL), "", "" });
	}
	vec_free(&calls);
	return rc < 0 ? rc : 0;
}

static int catalog_tracepoints(const struct catalog *c, const char *tracefs, struct err *e)
{
	const enum probe_kind kind = c->only ? c->only->kind : PROBE_TRACEPOINT;
	AUTO(ktypes_free) struct ktypes *types = NULL;
	tracepoint_names names = { 0 };
	char text[SPEC_TEXT_MAX], args[ARGS_TEXT_MAX];
	int rc = find_tracepoints(tracefs, c->only, &names, e);

	if (rc >= 0 && kind == PROBE_RAW_TRACEPOINT)
		(void)ktypes_open(&types, NULL);
	for (size_t i = 0; rc >= 0 && i < names.n; i++) {
		struct spec_point p = { .kind = (uint8_t)kind, .match = SPEC_EXACT };

		if (kind == PROBE_TRACEPOINT)
			text_format(p.provider, sizeof(p.provider), "%s", names.v[i].category);
		p.provider_match = kind == PROBE_TRACEPOINT ? SPEC_EXACT : SPEC_ANY;
		text_format(p.name, sizeof(p.name), "%s", names.v[i].name);
		if (!catalog_wants(c, &p, text))
			continue;
		*args = '\0';
		if (types)
			ktypes_text(types, KTYPES_TRACEPOINT, names.v[i].name, args, sizeof(args));
		else if (kind == PROBE_TRACEPOINT)
			read_fields_text(tracefs, &names.v[i], NULL, args);
		rc = c->each(c->ctx, &(struct catalog_row){ text, args, catalog_kernel_ns(kind), "", "" });
	}
	vec_free(&names);
	return rc < 0 ? rc : 0;
}

/* "fault", "fault:major" and "signal". */
static int catalog_plain(const struct catalog *c, enum probe_kind kind)
{
	char text[SPEC_TEXT_MAX];
	int rc = 0;

	for (uint8_t major = 0; major <= (kind == PROBE_FAULT) && !rc; major++) {
		const struct spec_point p = { .kind = (uint8_t)kind, .major = major };

		if (c->only && c->only->major && !major)
			continue;
		if (catalog_wants(c, &p, text))
			rc = c->each(c->ctx, &(struct catalog_row){ text, probe_kind_values(kind),
								    catalog_kernel_ns(kind),
								    catalog_kernel_note(kind), "" });
	}
	return rc;
}

static int catalog_kernel_functions(const struct catalog *c, struct err *e)
{
	struct ktypes_all all = { 0 };
	kernel_functions found = { 0 };
	char symbol[KERNEL_SYMBOL_MAX], text[SPEC_TEXT_MAX], args[ARGS_TEXT_MAX] = "", result[128] = "";
	int rc = find_kernel_functions(KALLSYMS_PATH, c->only, &found, e);

	for (size_t i = 0; rc >= 0 && i < found.n; i++) {
		struct spec_point p = { .kind = c->only->kind, .match = SPEC_EXACT };
		struct ktypes *types;

		text_format(p.name, sizeof(p.name), "%s", found.v[i].name);
		if (!catalog_wants(c, &p, text))
			continue;
		*args = *result = '\0';
		if (!ktypes_all_of(&all, kernel_function_symbol(&found.v[i], symbol), &types, NULL)) {
			ktypes_text(types, KTYPES_FUNCTION, found.v[i].name, args, sizeof(args));
			ktypes_result_text(types, found.v[i].name, result, sizeof(result));
		}
		rc = c->each(c->ctx, &(struct catalog_row){ text, args, catalog_kernel_ns(p.kind),
							    catalog_kernel_note(p.kind), result });
	}
	ktypes_all_free(&all);
	vec_free(&found);
	return rc < 0 ? rc : 0;
}

int catalog_kernel(const struct catalog *c, struct err *e)
{
	const bool tracepoints = asks_for(c, PROBE_TRACEPOINT) || asks_for(c, PROBE_RAW_TRACEPOINT);
	char tracefs[PATH_MAX] = "";
	int rc = 0, lacks = tracepoints || asks_for(c, PROBE_SYSCALL) ? tracefs_find(tracefs, e) : 0;

	if (asks_for(c, PROBE_SYSCALL))
		rc = catalog_syscalls(c, tracefs, e);
	if (rc >= 0 && asks_for(c, PROBE_FAULT))
		rc = catalog_plain(c, PROBE_FAULT);
	if (rc >= 0 && asks_for(c, PROBE_SIGNAL))
		rc = catalog_plain(c, PROBE_SIGNAL);
	/* There are a hundred thousand: who wants to see them says so. */
	if (c->only && (c->only->kind == PROBE_KPROBE || c->only->kind == PROBE_KRETPROBE))
		rc = catalog_kernel_functions(c, e);
	if (rc < 0 || !tracepoints)
		return rc;
	if (lacks < 0)
		return c->only ? lacks : 0;
	return catalog_tracepoints(c, tracefs, e);
}

/* A file that is open for its probes. */
struct catalog_input {
	const struct catalog *c;
	const char *shown;
	struct elf_file *file;
	struct image *image; /* for kinds that return; NULL = not needed, or not to be had */
	const char *walkers; /* the same: unreturning_file() */
	const struct functions *functions; /* of it */
	struct params *params; /* of these; NULL = no debug information */
	const struct fde_starts *pieces; /* of it; NULL = not needed, or not known */
	uint64_t found;
};

/*
 * What a call of F costs whose begin is probed at SITE and whose end at each instruction that leaves
 * it; 0 and NOTE when that cannot be.
 */
static uint32_t left_cost(const struct catalog_input *in, const struct found_function *f, const struct probe_site *site,
			  char note[ARGS_TEXT_MAX])
{
	const char *why = unreturning_stack(in->file, f->symbol);
	struct err e = ERR_INIT;
	leaves left = { 0 };

	if (!why && leaves_find(in->file, in->functions, f, in->image, in->pieces, &left, &e))
		why = e.text;
	if (why)
		text_format(note, ARGS_TEXT_MAX, "its return cannot be probed: %s", why);
	else
		text_format(note, ARGS_TEXT_MAX, "left at %zu place%s, single-stepped: %s would not survive a return "
			    "probe", left.n, left.n == 1 ? "" : "s", in->walkers ? in->walkers : "who returns twice");
	vec_free(&left);
	return why ? 0 : site->cost_ns + site_insn_info(SITE_RETURN)->cost_ns;
}

/* What a hit of the function F costs in a probe of KIND, and why it costs so. */
static uint32_t function_cost(struct catalog_input *in, enum probe_kind kind, const struct found_function *f,
			      char note[ARGS_TEXT_MAX])
{
	const bool returns = kind != PROBE_ENTRY;
	const struct site_wish wish = { .returns = returns, .cfi = in->image };
	struct probe_site site;

	*note = '\0';
	if (f->resolver) {
		text_format(note, ARGS_TEXT_MAX, "only chooses a function when the program starts; probe that one");
		return 0;
	}
	if (site_of_function(in->file, f, &wish, &site, NULL) || !site.cost_ns)
		return 0;
	if (returns && !site.return_ok) {
		text_format(note, ARGS_TEXT_MAX,
			    "its return cannot be probed: no unwind table says where the return address is");
		return 0;
	}
	if (returns && (in->walkers || unreturning_function(f->symbol)))
		return left_cost(in, f, &site, note);
	if (site.stop)
		text_format(note, ARGS_TEXT_MAX, "single-stepped at %s, as %s", site_insn_info(site.insn)->name,
			    site_stop_text(site.stop));
	else if (site.behind)
		text_format(note, ARGS_TEXT_MAX, "at +%u, %s", site.behind, site_insn_info(site.insn)->name);
	return site.cost_ns + (returns ? SITE_RETURN_NS : 0);
}

static int catalog_function(struct catalog_input *in, const struct found_function *f)
{
	struct spec_point p = { .kind = in->c->only ? in->c->only->kind : PROBE_ENTRY, .match = SPEC_EXACT };
	char text[SPEC_TEXT_MAX], note[ARGS_TEXT_MAX], args[ARGS_TEXT_MAX] = "";
	uint32_t cost;

	/* A name that is too long for a probe is written as an offset. */
	if (!f->at_entry || !*f->name || strlen(f->name) >= sizeof(p.name)) {
		p.match = SPEC_FILE_OFFSET;
		p.number = f->offset;
	} else {
		text_format(p.name, sizeof(p.name), "%s", f->name);
	}
	text_format(p.target, sizeof(p.target), "%s", in->shown);
	if (!catalog_wants(in->c, &p, text))
		return 0;
	cost = function_cost(in, p.kind, f, note);
	if (f->inlined || (in->c->only && in->c->only->match == SPEC_LINE))
		text_format(note, sizeof(note), "%s", f->name);
	in->found++;
	if (in->params && f->at_entry)
		params_text(in->params, f->vaddr, args, sizeof(args));
	return in->c->each(in->c->ctx, &(struct catalog_row){ text, args, cost, note, "" });
}

static bool is_of_function(enum probe_kind kind)
{
	return kind == PROBE_ENTRY || kind == PROBE_RETURN || kind == PROBE_CALL;
}

/* Appends what debug information alone knows of: lines, and inlined calls. */
static void catalog_places(struct catalog_input *in, struct functions *functions, const struct elf_file *debug,
			   found_functions *found, int *rc, struct err *e)
{
	const struct spec_point *p = in->c->only;
	AUTO(params_free) struct params *params = NULL;
	int r;

	if (p->match != SPEC_LINE && (p->match != SPEC_EXACT || p->kind != PROBE_ENTRY))
		return;
	r = params_open(debug && !dwarf_info_present(in->file) ? debug : in->file, &params,
			p->match == SPEC_LINE ? e : NULL);
	r = r ? r : find_code_places(functions, in->file, params, p, found, p->match == SPEC_LINE ? e : NULL);
	if (p->match == SPEC_LINE || r > 0)
		*rc = r;
}

static int catalog_functions(struct catalog_input *in, const char *path, struct err *e)
{
	static const struct spec_point all = { .kind = PROBE_ENTRY, .match = SPEC_ANY };
	const struct debug_places places = { .root = -1 };
	AUTO_FD int debug_fd =
		elf_file_section_type(in->file, SHT_SYMTAB) ? -1 : debugfile_open(in->file, path, &places);
	AUTO_FD int details_fd = -1;
	AUTO(elf_file_free) struct elf_file *debug = NULL, *details = NULL;
	AUTO(params_free) struct params *params = NULL;
	AUTO(functions_free) struct functions *functions = NULL;
	found_functions found = { 0 };
	int rc;

	if (debug_fd >= 0)
		elf_file_open(debug_fd, &debug, NULL);
	rc = functions_new(in->file, debug, &functions, e);
	if (!rc && !(in->c->only && in->c->only->match == SPEC_LINE))
		rc = find_functions(functions, in->c->only ? in->c->only : &all, &found, e);
	if (in->c->only && (!rc || rc > 0 || rc == -ENOENT))
		catalog_places(in, functions, debug, &found, &rc, e);
	in->functions = functions;
	if (rc >= 0 && found.n && !in->c->no_params) {
		if (!dwarf_info_present(in->file))
			details = details_file(in->file, path, &places, &details_fd);
		(void)params_open(details ? details : in->file, &params, NULL);
		in->params = params;
	}
	for (size_t i = 0; rc >= 0 && i < found.n; i++)
		rc = catalog_function(in, &found.v[i]);
	vec_free(&found);
	return rc == -ENOENT || rc > 0 ? 0 : rc;
}

static int catalog_usdt(struct catalog_input *in, struct err *e)
{
	usdt_sites sites = { 0 };
	char text[SPEC_TEXT_MAX];
	int rc = find_usdt(in->file, in->c->only, &sites, NULL, e);

	for (size_t i = 0; rc >= 0 && i < sites.n; i++) {
		struct spec_point p = { .kind = PROBE_USDT, .match = SPEC_EXACT, .provider_match = SPEC_EXACT };
		const struct usdt_site *s = &sites.v[i];

		text_format(p.target, sizeof(p.target), "%s", in->shown);
		text_format(p.provider, sizeof(p.provider), "%.*s", (int)sizeof(p.provider) - 1, s->provider);
		text_format(p.name, sizeof(p.name), "%s", s->name);
		if (!catalog_wants(in->c, &p, text))
			continue;
		in->found++;
		rc = in->c->each(in->c->ctx,
				 &(struct catalog_row){ text, s->text, site_insn_info(SITE_NOP)->cost_ns, "",
							"" });
	}
	vec_free(&sites);
	return rc == -ENOENT || rc > 0 ? 0 : rc;
}

int catalog_file(const struct catalog *c, const char *path, const char *shown, uint64_t *ret_found, struct err *e)
{
	const bool functions = !c->only || is_of_function(c->only->kind), usdt = asks_for(c, PROBE_USDT);
	AUTO(elf_file_free) struct elf_file *file = NULL;
	AUTO(image_free) struct image *image = NULL;
	AUTO(fde_starts_free) struct fde_starts *pieces = NULL;
	struct catalog_input in = { .c = c, .shown = shown };
	int rc;

	if ((!functions && !usdt) || (c->only && !probe_target_is(c->only->target, shown)))
		return 0;
	AUTO_FD int fd = regular_open(path);
	if (fd < 0)
		return err_set(e, -fd, "%s cannot be read: %s", shown, strerror(-fd));
	rc = elf_file_open(fd, &file, e);
	if (rc < 0)
		return err_prefix(e, "%s", shown);
	if (c->only && c->only->kind != PROBE_ENTRY && functions)
		image_open(fd, &image, NULL);
	in.file = file;
	in.image = image;
	in.walkers = image ? unreturning_file(in.file) : NULL;
	pieces = image ? fde_starts_new(file) : NULL;
	in.pieces = pieces;
	rc = functions ? catalog_functions(&in, path, e) : 0;
	if (!rc && usdt)
		rc = catalog_usdt(&in, e);
	*ret_found += in.found;
	return rc;
}
