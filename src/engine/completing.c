/* SPDX-License-Identifier: BSD-2-Clause */
/* completing.c - see completing.h. What there is comes from the catalog (probe/catalog.h). */
#include "config.h"

#include "engine/completing.h"

#include "base/text.h"
#include "capture/tracelink.h"
#include "engine/executed.h"
#include "probe/catalog.h"
#include "probe/functions.h"
#include "probe/kinds.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SPAN "span:"
#define SPAN_BETWEEN "~~"

struct completing {
	struct completions *ret;
	const char *before;      /* that of the probe which stands before the one that is typed: in a span, */
	size_t before_len;
	const char *kind;        /* and its kind as it was typed, */
	size_t kind_len;
	bool only;               /* it is a function, of which all is to be told */
	bool categories;         /* of what is found up to its second colon is asked for */
};

static void completing_shorten(char *common, const char *text)
{
	size_t n = 0;

	while (common[n] && common[n] == text[n])
		n++;
	common[n] = '\0';
}

/* Adds the probe that has TEXT behind its kind. */
static void completing_add(struct completing *c, const char *text, const char *args, uint32_t cost_ns)
{
	struct completions *r = c->ret;
	struct completion *at = &r->at[r->n < COMPLETIONS_MAX ? r->n : COMPLETIONS_MAX - 1];
	char all[COMPLETION_TEXT_MAX];

	if (snprintf(all, sizeof(all), "%.*s%.*s%s", (int)c->before_len, c->before, (int)c->kind_len, c->kind,
		     text) >= (int)sizeof(all))
		return;
	/* Those of one category, and places of one static probe, stand together. */
	if (r->n && !strcmp(r->at[r->n - 1].text, all))
		return;
	if (r->all++)
		completing_shorten(r->common, all);
	else
		memcpy(r->common, all, sizeof(all));
	if (r->n == COMPLETIONS_MAX)
		return;
	memcpy(at->text, all, sizeof(all));
	text_format(at->args, sizeof(at->args), "%s", strlen(args) < sizeof(at->args) ? args : "");
	at->cost_ns = cost_ns;
	r->n++;
}

static int completing_see(void *ctx, const struct catalog_row *row)
{
	struct completing *c = ctx;
	char text[COMPLETION_TEXT_MAX];
	const char *rest = row->probe + strcspn(row->probe, ":");
	size_t len = strlen(rest);

	if (c->categories && *rest) {
		len = 1 + strcspn(rest + 1, ":");
		len += rest[len] == ':';
	}
	if (len >= sizeof(text))
		return 0;
	memcpy(text, rest, len);
	text[len] = '\0';
	completing_add(c, text, c->categories ? "" : row->args, c->categories ? 0 : row->cost_ns);
	return 0;
}

static bool completing_needs_kprobes(unsigned int kind)
{
	return kind == PROBE_KPROBE || kind == PROBE_KRETPROBE;
}

static void completing_kinds(struct completing *c, const char *typed)
{
	const size_t len = strlen(typed);
	char text[32];

	for (unsigned int k = 0; k < PROBE_KINDS; k++) {
		const struct probe_kind_info *info = probe_kind_info((enum probe_kind)k);

		if (strncmp(info->name, typed, len) || (completing_needs_kprobes(k) && trace_check_functions(NULL)) ||
		    (k == PROBE_SPAN && c->before_len))
			continue;
		snprintf(text, sizeof(text), "%s%s", info->name, info->form[0] == ':' ? ":" : "");
		completing_add(c, text, "", 0);
	}
}

/* TEXT as a wildcard that means it, and whatever follows. */
static void completing_glob(char *dst, size_t size, const char *text)
{
	size_t n = 0;

	for (; *text && n + 4 < size; text++) {
		if (strchr("*?[]\\", *text))
			dst[n++] = '\\';
		dst[n++] = *text;
	}
	dst[n++] = '*';
	dst[n] = '\0';
}

static void completing_kernel(struct completing *c, enum probe_kind kind, const char *typed)
{
	const struct spec_point all = { .kind = (uint8_t)kind, .match = SPEC_ANY };
	char glob[2 * COMPLETION_TEXT_MAX], text[COMPLETION_TEXT_MAX + 32];
	const struct catalog what = { .only = &all, .glob = glob, .each = completing_see, .ctx = c };

	snprintf(text, sizeof(text), "%s%s", probe_kind_info(kind)->name, typed);
	completing_glob(glob, sizeof(glob), text);
	c->categories = kind == PROBE_TRACEPOINT && *typed && !strchr(typed + 1, ':');
	if (completing_needs_kprobes(kind) && trace_check_functions(&c->ret->why))
		return;
	(void)catalog_kernel(&what, &c->ret->why);
}

static void completing_target(struct completing *c, const char *name, const char *typed)
{
	char text[COMPLETION_TEXT_MAX];

	if (!strncmp(name, typed + 1, strlen(typed + 1)) &&
	    snprintf(text, sizeof(text), ":%s:", name) < (int)sizeof(text))
		completing_add(c, text, "", 0);
}

/* The names of files of the target that begin with TYPED, a colon before it. */
static void completing_files(struct completing *c, const executed_files *files, const char *typed)
{
	for (size_t i = 0; i < files->n; i++) {
		const char *shown = files->v[i].shown, *slash = strrchr(shown, '/');

		if (files->v[i].called)
			completing_target(c, files->v[i].called, typed);
		else
			completing_target(c, typed[1] == '/' || !slash ? shown : slash + 1, typed);
	}
	if (!c->ret->all)
		err_set(&c->ret->why, ENOENT, files->n ? "no file that the target executes is called so" :
			"there is no target whose files could be looked at: name one by its path");
}

/* Functions and static probes of the file that is named before the second colon of TYPED. */
static void completing_file(struct completing *c, const executed_files *files, enum probe_kind kind, const char *typed)
{
	struct spec_point p = { .kind = (uint8_t)kind, .match = SPEC_WILDCARD };
	const size_t len = strcspn(typed + 1, ":");
	char glob[2 * COMPLETION_TEXT_MAX], text[COMPLETION_TEXT_MAX + 32];
	struct catalog what = { .only = &p, .each = completing_see, .ctx = c, .no_params = true };
	uint64_t found = 0;
	bool any = false;

	text_format(p.target, sizeof(p.target), "%.*s", (int)len, typed + 1);
	completing_glob(p.name, sizeof(p.name), typed + 1 + len + 1);
	if (!strcmp(p.name, "*"))
		p.match = SPEC_ANY;
	if (kind == PROBE_USDT) {
		p.match = SPEC_ANY;
		p.name[0] = '\0';
		snprintf(text, sizeof(text), "%s%s", probe_kind_info(kind)->name, typed);
		completing_glob(glob, sizeof(glob), text);
		what.glob = glob;
	}
	/* Of a function that is the only one everything is said; to read debug information of many takes long. */
	if (c->only) {
		text_format(p.name, sizeof(p.name), "%s", typed + 1 + len + 1);
		p.match = SPEC_EXACT;
		what.no_params = false;
	}
	for (size_t i = 0; i < files->n; i++) {
		const char *called = files->v[i].called;

		if (!probe_target_is(p.target, files->v[i].shown) && !(called && !strcmp(called, p.target)))
			continue;
		any = true;
		(void)catalog_file(&what, files->v[i].path, p.target, &found, &c->ret->why);
	}
	if (!any && strchr(p.target, '/'))
		(void)catalog_file(&what, p.target, p.target, &found, &c->ret->why);
	else if (!any)
		err_set(&c->ret->why, ENOENT, "no file that the target executes is called so");
}

static void completing_one(struct completing *c, const executed_files *files, const char *typed)
{
	const size_t len = strcspn(typed, ":");
	const enum probe_kind kind = probe_kind_find(typed, len);

	if (!typed[len]) {
		completing_kinds(c, typed);
		if (!c->ret->all)
			err_set(&c->ret->why, ENOENT, "no kind of probe begins so");
		return;
	}
	if (kind == PROBE_KINDS) {
		err_set(&c->ret->why, ENOENT, "'%.*s' is no kind of probe", (int)(len < 40 ? len : 40), typed);
		return;
	}
	c->kind = typed;
	c->kind_len = len;
	typed += len;
	if (!probe_kind_info(kind)->target)
		completing_kernel(c, kind, typed);
	else if (strchr(typed + 1, ':'))
		completing_file(c, files, kind, typed);
	else
		completing_files(c, files, typed);
}

/* Adds the word NAME, LEN bytes, if it goes on as what was TYPED. */
static void completing_word(struct completing *c, const char *typed, const char *name, size_t len)
{
	char word[64];

	if (!len || len >= sizeof(word) || strncmp(name, typed, strlen(typed)))
		return;
	memcpy(word, name, len);
	word[len] = '\0';
	completing_add(c, word, "", 0);
}

/* What is known of the arguments of a probe whose condition is typed. */
struct completing_names {
	char args[1024];
};

static int completing_take_args(void *ctx, const struct catalog_row *row)
{
	struct completing_names *names = ctx;

	text_format(names->args, sizeof(names->args), "%s", row->args);
	return 1;
}

/* The names in "int dfd, const char * filename": the last word of each; BARE: they have no types. */
static void completing_args(struct completing *c, const char *typed, const char *args, bool bare)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

	while (*args) {
		const size_t len = strcspn(args, ",");
		size_t from = len;

		while (from && strchr(letters, args[from - 1]))
			from--;
		/* "int" alone is a type. */
		if (from || bare)
			completing_word(c, typed, args + from, len - from);
		args += len + strspn(args + len, ", ");
	}
}

/* The arguments of the point P, of a file of FILES or of the kernel. */
static void completing_find_args(const struct spec_point *p, const executed_files *files, struct completing_names *ret)
{
	const struct catalog what = { .only = p, .each = completing_take_args, .ctx = ret };
	uint64_t found = 0;

	ret->args[0] = '\0';
	if (!probe_kind_info(p->kind)->target) {
		(void)catalog_kernel(&what, NULL);
		return;
	}
	for (size_t i = 0; i < files->n && !ret->args[0]; i++)
		if (probe_target_is(p->target, files->v[i].shown))
			(void)catalog_file(&what, files->v[i].path, p->target, &found, NULL);
	if (!found && strchr(p->target, '/'))
		(void)catalog_file(&what, p->target, p->target, &found, NULL);
}

/* TYPED goes on behind the probe of LEN bytes with a condition, or a measure: the names that its last word can be. */
static void completing_condition(struct completing *c, const executed_files *files, const char *typed, size_t len)
{
	struct completing_names names = { .args = "" };
	const char *word = typed + strlen(typed);
	char probe[COMPLETION_TEXT_MAX], arg[sizeof("argN")];
	unsigned int knows, needs;
	struct spec s;

	while (word > typed + len && (strchr("_", word[-1]) || (word[-1] >= '0' && word[-1] <= '9') ||
				      ((word[-1] | 32) >= 'a' && (word[-1] | 32) <= 'z')))
		word--;
	text_format(probe, sizeof(probe), "%.*s", (int)len, typed);
	if (spec_parse(probe, &s, &c->ret->why) < 0)
		return;
	knows = probe_kind_info(s.point[0].kind)->knows;
	c->before = typed;
	c->before_len = (size_t)(word - typed);
	completing_find_args(&s.point[0], files, &names);
	completing_args(c, word, names.args, *probe_kind_values(s.point[0].kind));
	for (unsigned int i = 0; spec_variable(i, &needs); i++)
		if (!needs || knows & needs)
			completing_word(c, word, spec_variable(i, &needs), strlen(spec_variable(i, &needs)));
	for (unsigned int i = 0; i < 6 && knows & PROBE_KNOWS_ARGS; i++) {
		snprintf(arg, sizeof(arg), "arg%u", i);
		completing_word(c, word, arg, strlen(arg));
	}
}

static bool completing_is_function(const char *text)
{
	const enum probe_kind kind = probe_kind_find(text, strcspn(text, ":"));
	const char *target = strchr(text, ':'), *name = target ? strchr(target + 1, ':') : NULL;

	return name && name[1] && (kind == PROBE_CALL || kind == PROBE_ENTRY || kind == PROBE_RETURN);
}

void complete_probe(const char *typed, const uint32_t *pids, size_t n, struct completions *ret)
{
	struct completing c = { .ret = ret, .before = typed, .kind = "" };
	const char *between = strstr(typed, SPAN_BETWEEN);
	executed_files files = { 0 };
	char whole[COMPLETION_TEXT_MAX];

	ret->n = ret->all = 0;
	ret->common[0] = '\0';
	ret->why = (struct err)ERR_INIT;
	for (size_t i = 0; i < n; i++)
		(void)executed_add(&files, (pid_t)pids[i], NULL);
	if (strchr(typed, ' ')) {
		completing_condition(&c, &files, typed, (size_t)(strchr(typed, ' ') - typed));
		if (!ret->all && !ret->why.code)
			err_set(&ret->why, ENOENT, "no value of the probe begins so");
		executed_free(&files);
		return;
	}
	if (!strncmp(typed, SPAN, strlen(SPAN)))
		c.before_len = between ? (size_t)(between - typed) + strlen(SPAN_BETWEEN) : strlen(SPAN);
	completing_one(&c, &files, typed + c.before_len);
	if (ret->all == 1 && completing_is_function(ret->at[0].text + c.before_len) &&
	    strlen(ret->at[0].text) < sizeof(whole)) {
		memcpy(whole, ret->at[0].text, sizeof(whole));
		ret->n = ret->all = 0;
		c.only = true;
		completing_one(&c, &files, whole + c.before_len);
	}
	if (ret->all)
		ret->why.code = 0;
	else if (!ret->why.code)
		err_set(&ret->why, ENOENT, "nothing that can be probed begins so");
	executed_free(&files);
}
