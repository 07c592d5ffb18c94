/* SPDX-License-Identifier: BSD-2-Clause */
/* list.c - `sberf list`: what can be probed, in the kernel and in the files of a target, and what each hit costs. */
#include "config.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "base/vec.h"
#include "base/wildcard.h"
#include "capture/tracelink.h"
#include "cmd/clean.h"
#include "cmd/options.h"
#include "engine/completing.h"
#include "engine/executed.h"
#include "probe/catalog.h"
#include "probe/ktypes.h"
#include "system/bpfprogs.h"
#include "system/lookup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct listing {
	executed_files file; /* of the target */
	uint64_t rows;
};

/* "  0.93 us  uprobe:libc.so.6:free  # at +3, branch", "  0.36 us  kprobe:vfs_fsync(struct file * file) -> int" */
static int print_row(void *ctx, const struct catalog_row *row)
{
	struct listing *l = ctx;

	l->rows++;
	if (row->cost_ns)
		printf("%6u.%02u us  ", row->cost_ns / 1000, row->cost_ns % 1000 / 10);
	else
		printf("%12s  ", "unknown");
	print_clean(stdout, row->probe);
	if (*row->args || *row->result) {
		putchar('(');
		print_clean(stdout, row->args);
		putchar(')');
	}
	if (*row->result) {
		fputs(" -> ", stdout);
		print_clean(stdout, row->result);
	}
	if (*row->note) {
		fputs("  # ", stdout);
		print_clean(stdout, row->note);
	}
	putchar('\n');
	return ferror(stdout) ? -EPIPE : 0;
}

/* The files of the target; without one, that of a probe which names it by a path. */
static int list_files(struct listing *l, const struct options *o, struct err *e)
{
	u32_vec ids = { 0 };
	int rc = 0;

	if (o->target == OPT_TARGET_NAME)
		rc = lookup_by_name(o->name, &ids, e);
	if (!rc && o->target == OPT_TARGET_NAME && !ids.n)
		rc = err_set(e, ESRCH, "no process is called '%s' (see 'ps -e')", o->name);
	for (size_t i = 0; !rc && i < ids.n; i++)
		rc = executed_add(&l->file, (pid_t)ids.v[i], e);
	for (size_t i = 0; !rc && o->target == OPT_TARGET_PIDS && i < o->ids.n; i++)
		rc = executed_add(&l->file, (pid_t)o->ids.v[i], e);
	vec_free(&ids);
	return rc;
}

/* Lists the file at PATH, called SHOWN. One that cannot be read is told, and the others go on. */
static int list_file(const struct catalog *c, const char *path, const char *shown, struct err *ret_near)
{
	struct err why = ERR_INIT;
	uint64_t rows = 0;
	int rc = catalog_file(c, path, shown, &rows, &why);

	if (rc < 0 && rc != -EPIPE)
		fprintf(stderr, "sberf list: %s\n", why.text);
	if (!rc && why.code == ENOENT)
		*ret_near = why;
	return rc == -EPIPE || rc == -ENOMEM ? rc : 0;
}

/* Lists what C asks for. *RET_NEAR says what is near, where something was asked for that is not there. */
static int list_one(struct listing *l, const struct catalog *c, struct err *ret_near, struct err *e)
{
	const char *target = c->only ? c->only->target : "";
	int rc = catalog_kernel(c, e);

	if (!rc && strchr(target, '/') && !executed_has(&l->file, target))
		rc = list_file(c, target, target, ret_near);
	for (size_t i = 0; !rc && i < l->file.n; i++)
		rc = list_file(c, l->file.v[i].path, l->file.v[i].shown, ret_near);
	return rc;
}

#define BPF_KIND "bpf:"
#define BPF_TEXT_MAX (2 * BPF_PROG_NAME_MAX)

/* Lists function F, number NR of P, whose types are TYPES (NULL = not known), if TEXT means it. */
static int list_program_function(struct listing *l, const char *text, const struct bpf_prog *p,
				 const struct bpf_function *f, size_t nr, struct ktypes *types)
{
	char by_id[BPF_TEXT_MAX], by_name[BPF_TEXT_MAX], args[512] = "", note[128], type[32];
	char result[128] = "";

	text_format(by_id, sizeof(by_id), BPF_KIND "%u:%s", p->id, f->name);
	text_format(by_name, sizeof(by_name), BPF_KIND "%s", f->name);
	if (!wildcard_matches(text, by_id) && !wildcard_matches(text, by_name))
		return 0;
	if (types) {
		ktypes_text(types, KTYPES_FUNCTION, f->name, args, sizeof(args));
		ktypes_result_text(types, f->name, result, sizeof(result));
	}
	text_format(note, sizeof(note), "%s, tag %02x%02x%02x%02x%02x%02x%02x%02x%s", bpfprogs_type(p->type, type),
		    p->tag[0], p->tag[1], p->tag[2], p->tag[3], p->tag[4], p->tag[5], p->tag[6], p->tag[7],
		    nr ? ", sub-program" : "");
	return print_row(l, &(struct catalog_row){ by_id, args, 0, note, result });
}

static int list_program(struct listing *l, const char *text, const struct bpf_prog *p)
{
	AUTO(ktypes_free) struct ktypes *types = NULL;
	bpf_function_vec functions = { 0 };
	struct bpf_function own;
	int rc = bpfprogs_functions(p, &functions);

	/* One that has gone by now is no error. */
	rc = rc == -ENOMEM ? rc : 0;
	if (p->btf_id)
		(void)ktypes_open_program(p->btf_id, &types, NULL);
	snprintf(own.name, sizeof(own.name), "%s", p->name);
	if (!rc && !functions.n)
		rc = list_program_function(l, text, p, &own, 0, NULL);
	for (size_t i = 0; !rc && i < functions.n; i++)
		rc = list_program_function(l, text, p, &functions.v[i], i, types);
	vec_free(&functions);
	return rc;
}

/* BPF programs that are loaded, and their functions: TEXT is a wildcard for "bpf:ID:FUNCTION" or "bpf:FUNCTION". */
static int list_programs(struct listing *l, const char *text, struct err *e)
{
	const uint64_t before = l->rows;
	bpf_prog_vec programs = { 0 };
	int rc = bpfprogs_list(&programs, e);

	for (size_t i = 0; !rc && i < programs.n; i++)
		rc = list_program(l, text, &programs.v[i]);
	vec_free(&programs);
	return rc || l->rows > before ? rc : err_set(e, ENOENT, "no BPF program has a function that is called '%s' "
						     "(sberf bpf lists programs)", text);
}

/* TEXT is a probe when it begins with a kind of probe and a colon; else it is a wildcard for the text of probes. */
static int list_asked(struct listing *l, const char *text, struct err *e)
{
	struct catalog c = { .each = print_row, .ctx = l };
	const size_t len = strcspn(text, ":");
	const uint64_t before = l->rows;
	struct err near = ERR_INIT, why = ERR_INIT;
	bool kernel = false;
	struct spec s;
	int rc;

	if (!strncmp(text, BPF_KIND, strlen(BPF_KIND)))
		return list_programs(l, text, e);
	if (text[len] == ':' && probe_kind_find(text, len) != PROBE_KINDS) {
		rc = spec_parse(text, &s, e);
		if (rc < 0)
			return rc;
		if (s.span)
			return err_set(e, EINVAL, "'%s' is a span: list its probes one by one", text);
		c.only = &s.point[0];
		kernel = s.point[0].kind == PROBE_KPROBE || s.point[0].kind == PROBE_KRETPROBE;
	} else {
		c.glob = text;
	}
	rc = list_one(l, &c, &near, e);
	/* They are listed all the same: for another machine, or for what they are given. */
	if (!rc && kernel && l->rows > before && trace_check_functions(&why))
		fprintf(stderr, "sberf list: %s\n", why.text);
	if (rc || l->rows > before)
		return rc;
	if (near.code)
		return err_set(e, ENOENT, "'%s': %s", text, near.text);
	if (c.glob && strchr(text, '/') && !access(text, R_OK))
		return err_set(e, ENOENT, "'%.200s' is a file: u:%.200s:* lists its functions, usdt:%.200s:* its "
			       "static probes", text, text, text);
	return err_set(e, ENOENT, "nothing that can be probed is '%s'%s", text,
		       l->file.n ? "" : ": functions and USDT need a target (-p PID, -n NAME) or a path");
}

/* For shells: a line for each way in which the text of a probe can go on. What cannot be looked at has none. */
static int list_completions(const struct options *o)
{
	AUTO_FREE struct completions *c = malloc(sizeof(*c));
	u32_vec ids = { 0 };
	const bool named = o->target == OPT_TARGET_NAME;

	if (named)
		(void)lookup_by_name(o->name, &ids, NULL);
	if (c) {
		complete_probe(o->complete, named ? ids.v : o->ids.v, named ? ids.n : o->ids.n, c);
		for (uint32_t i = 0; i < c->n; i++) {
			print_clean(stdout, c->at[i].text);
			putchar('\n');
		}
	}
	vec_free(&ids);
	return 0;
}

int cmd_list(const struct options *o, struct err *e)
{
	struct listing l = { 0 };
	struct err near = ERR_INIT;
	int rc;

	if (o->complete)
		return list_completions(o);
	rc = list_files(&l, o, e);
	if (!rc && !o->files.n)
		rc = list_one(&l, &(struct catalog){ .each = print_row, .ctx = &l }, &near, e);
	for (size_t i = 0; !rc && i < o->files.n; i++)
		rc = list_asked(&l, o->files.v[i], e);
	executed_free(&l.file);
	return rc == -EPIPE ? 0 : rc;
}
