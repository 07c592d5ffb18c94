/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * options.c - arguments into struct options, by the rows of optable.c.
 *
 * The defaults are parsed from the table too, through the same code as what a person writes. "-F99", "-F 99", "--freq=99",
 * "--freq 99" and "-aF99" are all the same to it; long names are not abbreviated, so that a new option never changes what an
 * old script means.
 */
#include "config.h"

#include "cmd/options.h"

#include "base/cleanup.h"
#include "cmd/optable.h"
#include "event/event.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(enum opt_format) == 4 && sizeof(enum group_by) == 4 && sizeof(enum capture_event) == 4,
	       "OPT_CHOICE fields have four bytes");

struct parser {
	const struct command_info *command;
	struct options *o;
	const struct opt *target;        /* the TARGET option that was given, NULL = none yet */
	struct err *e;
};

/* "-F" or "--cgroup", for sentences. */
static const char *display(const struct opt *opt, char dst[64])
{
	if (opt->letter)
		snprintf(dst, 64, "-%c", opt->letter);
	else
		snprintf(dst, 64, "--%s", opt->name);
	return dst;
}

static int set_choice(const struct opt *opt, const char *value, uint32_t *ret, struct err *e)
{
	char all[OPT_VALUE_MAX];

	for (const struct opt_choice *c = opt->choices; c->name; c++) {
		if (!strcmp(c->name, value)) {
			*ret = c->value;
			return 0;
		}
	}
	return err_set(e, EINVAL, "%s '%s' is unknown: it must be one of %s", opt->what, value, opt_value(opt, all));
}

static int set_list(const struct opt *opt, const char *value, u32_vec *ret, struct err *e)
{
	const int r = parse_list(value, opt->what, (uint32_t)opt->max, ret, e);

	/* Sorted: the least one is first. */
	if (!r && ret->v[0] < opt->min)
		return err_set(e, ERANGE, "%s '%s' is out of range: it must be at least %llu", opt->what, value,
			       (unsigned long long)opt->min);
	return r;
}

/* Numbers with a comma between each two. */
static bool is_id_list(const char *s)
{
	size_t digits = strspn(s, "0123456789");

	while (digits && s[digits] == ',') {
		s += digits + 1;
		digits = strspn(s, "0123456789");
	}
	return digits && !s[digits];
}

static int set_ids(const struct opt *opt, const char *value, u32_vec *ret, struct err *e)
{
	if (!is_id_list(value))
		return err_set(e, EINVAL, "%s '%s' is not a list of ids such as 12,34", opt->what, value);
	return set_list(opt, value, ret, e);
}

/* A number of any type with 32 bits in the end; .max of such a row fits. */
static int set_u32(const struct opt *opt, const char *value, uint32_t *ret, struct err *e)
{
	uint64_t v;
	const int r = opt->type == OPT_NUMBER ? parse_u64(value, opt->what, opt->min, opt->max, &v, e) :
						parse_size(value, opt->what, opt->min, opt->max, &v, e);

	if (!r)
		*ret = (uint32_t)v;
	return r;
}

static int set_switch(const struct opt *opt, const char *value, bool *ret, struct err *e)
{
	uint32_t v;
	const int r = set_choice(opt, value, &v, e);

	if (!r)
		*ret = v;
	return r;
}

/* "preempted (R), interruptible (S), ..." */
static const char *all_states(char *dst, size_t size)
{
	static const struct { char letter; const char *name; } states[] = {
#define X(id, nr, letter, name) { letter, name },
		WAIT_STATES(X)
#undef X
	};
	size_t n = 0;

	for (size_t i = WAIT_PREEMPTED; i < WAIT_STATE_NR && n < size; i++)
		n += (size_t)snprintf(dst + n, size - n, "%s%s (%c)", i > WAIT_PREEMPTED ? ", " : "", states[i].name,
				      states[i].letter);
	return dst;
}

/* Letters or names with commas between them. */
static int set_states(const struct opt *opt, const char *value, uint32_t *ret, struct err *e)
{
	char word[32], all[256];
	uint32_t mask = 0;

	for (const char *at = value;; at++) {
		const size_t len = strcspn(at, ",");
		enum wait_state state = WAIT_STATE_NR;

		snprintf(word, sizeof(word), "%.*s", len < sizeof(word) ? (int)len : (int)sizeof(word) - 1, at);
		if (len < sizeof(word))
			state = wait_state_find(word);
		if (state == WAIT_STATE_NR || state == WAIT_NONE)
			return err_set(e, EINVAL, "%s '%s' is unknown: it must be one of %s", opt->what, word,
				       all_states(all, sizeof(all)));
		mask |= 1u << state;
		at += len;
		if (!*at)
			break;
	}
	*ret = mask;
	return 0;
}

static int set_text(const struct opt *opt, const char *value, const char **ret, struct err *e)
{
	if (!*value)
		return err_set(e, EINVAL, "the %s is empty", opt->what);
	*ret = value;
	return 0;
}

/* Parses VALUE into the field of OPT. */
static int set_field(struct options *o, const struct opt *opt, const char *value, struct err *e)
{
	void *field = (char *)o + opt->at;

	switch (opt->type) {
	case OPT_HELP:
	case OPT_VERSION:
		return 0;
	case OPT_FLAG:
		if (opt->at)
			*(bool *)field = opt->min;
		return 0;
	case OPT_NUMBER:
	case OPT_SIZE32:
		return set_u32(opt, value, field, e);
	case OPT_TIME:
		return parse_time(value, opt->what, opt->min, opt->max, field, e);
	case OPT_SIZE:
		return parse_size(value, opt->what, opt->min, opt->max, field, e);
	case OPT_LIST:
		return set_list(opt, value, field, e);
	case OPT_IDS:
		return set_ids(opt, value, field, e);
	case OPT_CHOICE:
		return set_choice(opt, value, field, e);
	case OPT_SWITCH:
		return set_switch(opt, value, field, e);
	case OPT_STATES:
		return set_states(opt, value, field, e);
	case OPT_TEXT:
	case OPT_FILE:
	case OPT_DIR:
		return set_text(opt, value, field, e);
	}
	return -EINVAL;
}

static int set_defaults(struct options *o, struct err *e)
{
	for (size_t i = 0; i < nr_opts; i++) {
		const int r = opts[i].fallback ? set_field(o, &opts[i], opts[i].fallback, e) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

static int take_target(struct parser *p, const struct opt *opt)
{
	char was[64], now[64];

	if (p->target == opt)
		return err_set(p->e, EINVAL, "%s was given twice%s", display(opt, now),
			       opt->type == OPT_IDS ? ": separate the ids by commas" : "");
	if (p->target)
		return err_set(p->e, EINVAL, "%s and %s both say what to observe: give one of them", display(p->target, was),
			       display(opt, now));
	p->target = opt;
	p->o->target = opt->target;
	return 0;
}

static int take(struct parser *p, const struct opt *opt, const char *value)
{
	int r = set_field(p->o, opt, value, p->e);

	if (!r && opt->target != OPT_TARGET_NONE)
		r = take_target(p, opt);
	if (r < 0)
		return r;
	if (opt->given)
		*(bool *)((char *)p->o + opt->given) = true;
	if (opt->type == OPT_VERSION)
		return OPTIONS_VERSION;
	return opt->type == OPT_HELP ? OPTIONS_HELP : 0;
}

static const struct opt *find_letter(const struct parser *p, char letter)
{
	for (size_t i = 0; i < nr_opts; i++)
		if (opts[i].letter == letter && opts[i].commands & p->command->bit)
			return &opts[i];
	return NULL;
}

static const struct opt *find_name(const struct parser *p, const char *name, size_t len)
{
	for (size_t i = 0; i < nr_opts; i++)
		if (strlen(opts[i].name) == len && !strncmp(opts[i].name, name, len) && opts[i].commands & p->command->bit)
			return &opts[i];
	return NULL;
}

static int needs_value(struct parser *p, const struct opt *opt)
{
	char name[64], value[OPT_VALUE_MAX];

	return err_set(p->e, EINVAL, "%s needs a value: %s %s", display(opt, name), name, opt_value(opt, value));
}

/* "--name", "--name=value" or "--name" and the next argument; *I is moved onto the last argument used. */
static int parse_long(struct parser *p, int argc, char **argv, int *i)
{
	const char *name = argv[*i] + 2, *equals = strchr(name, '=');
	const size_t len = equals ? (size_t)(equals - name) : strlen(name);
	const struct opt *opt = find_name(p, name, len);

	if (!opt)
		return err_set(p->e, EINVAL, "there is no option --%.*s", len < 64 ? (int)len : 64, name);
	if (!opt->metavar && equals)
		return err_set(p->e, EINVAL, "--%s takes no value", opt->name);
	if (!opt->metavar || equals)
		return take(p, opt, equals ? equals + 1 : "");
	if (*i + 1 >= argc)
		return needs_value(p, opt);
	return take(p, opt, argv[++*i]);
}

/* "-a", "-F99", "-F" and the next argument, "-aF99"; *I is moved onto the last argument used. */
static int parse_short(struct parser *p, int argc, char **argv, int *i)
{
	for (const char *at = argv[*i] + 1; *at; at++) {
		const struct opt *opt = find_letter(p, *at);
		int r;

		if (!opt)
			return err_set(p->e, EINVAL, "there is no option -%c", *at);
		if (opt->metavar && at[1])
			return take(p, opt, at + 1);
		if (opt->metavar && *i + 1 >= argc)
			return needs_value(p, opt);
		r = take(p, opt, opt->metavar ? argv[++*i] : "");
		if (r || opt->metavar)
			return r;
	}
	return 0;
}

static const struct opt *find_positional(const struct parser *p)
{
	for (size_t i = 0; i < nr_opts; i++)
		if (opts[i].positional && opts[i].commands & p->command->bit)
			return &opts[i];
	return NULL;
}

static int parse_argument(struct parser *p, const char *value)
{
	const struct opt *opt = find_positional(p);

	if (!opt && p->command->bit & CMD_CAPTURING)
		return err_set(p->e, EINVAL, "'%s' is no option: to run a command, put -- before it (sberf %s -- %s)", value,
			       p->command->name, value);
	if (!opt)
		return err_set(p->e, EINVAL, "'%s' is one argument too many", value);
	if (*(const char **)((char *)p->o + opt->at))
		return err_set(p->e, EINVAL, "'%s' is a second %s: give one", value, opt->what);
	return take(p, opt, value);
}

/* What stands behind "--": the command to run, or further arguments of a command that runs none. */
static int parse_rest(struct parser *p, int argc, char **argv, int i)
{
	static const struct opt dashes = { .name = "", .type = OPT_TEXT, .target = OPT_TARGET_COMMAND };
	int r = 0;

	if (p->command->bit & CMD_CAPTURING) {
		if (i >= argc || !*argv[i])
			return err_set(p->e, EINVAL, "there is no command behind --");
		p->o->argv = argv + i;
		return take_target(p, &dashes);
	}
	for (; !r && i < argc; i++)
		r = parse_argument(p, argv[i]);
	return r;
}

static int parse_all(struct parser *p, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		int r;

		if (!strcmp(argv[i], "--"))
			return parse_rest(p, argc, argv, i + 1);
		if (!strncmp(argv[i], "--", 2))
			r = parse_long(p, argc, argv, &i);
		else if (argv[i][0] == '-' && argv[i][1])
			r = parse_short(p, argc, argv, &i);
		else
			r = parse_argument(p, argv[i]);
		if (r)
			return r;
	}
	return 0;
}

static bool plain_for_shell(const char *s)
{
	return *s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-")];
}

static void put_quoted(FILE *f, const char *s)
{
	if (plain_for_shell(s)) {
		fputs(s, f);
		return;
	}
	fputc('\'', f);
	for (; *s; s++) {
		if (*s == '\'')
			fputs("'\\''", f);
		else
			fputc(*s, f);
	}
	fputc('\'', f);
}

static char *quote_command_line(int argc, char **argv)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	bool ok;

	if (!f)
		return NULL;
	fputs("sberf", f);
	for (int i = 0; i < argc; i++) {
		fputc(' ', f);
		put_quoted(f, argv[i]);
	}
	ok = !ferror(f);
	if (!fclose(f) && ok)
		return text;
	free(text);
	return NULL;
}

/* What is about waits makes no sense without them. */
static int check_waits(const struct options *o, struct err *e)
{
	const char *which = o->wakers ? "--wakers" : o->min_block_ns ? "--min-block" : o->states ? "--state" :
			    o->syscalls ? "--syscall" : o->kinds && !(o->kinds & KINDS_ON_CPU) ? "--metric" : NULL;

	if (!which)
		return 0;
	return err_set(e, EINVAL, "%s is about waits, which --no-off-cpu leaves out: give one of them", which);
}

int options_parse(const char *command_name, int argc, char **argv, struct options *ret, struct err *e)
{
	struct parser p = { .command = command_find(command_name), .o = ret, .e = e };
	int r;

	memset(ret, 0, sizeof(*ret));
	if (!p.command)
		return err_set(e, EINVAL, "there is no command '%s'", command_name);
	ret->command_name = p.command->name;
	r = set_defaults(ret, e);
	if (!r)
		r = parse_all(&p, argc, argv);
	if (r)
		return r;
	if (p.command->bit & CMD_TOP && ret->target == OPT_TARGET_NONE)
		ret->target = OPT_TARGET_ALL;
	if (p.command->bit & CMD_RECORD && ret->target == OPT_TARGET_NONE)
		return err_set(e, EINVAL, "say what to observe: -p PID, -t TID, -n NAME, --cgroup PATH, -a for the whole "
			       "machine, or -- COMMAND to start one");
	if (p.command->bit & CMD_RECORD && ret->output && !strcmp(ret->output, "-"))
		return err_set(e, EINVAL, "a recording cannot be written to standard output: name a file with -o");
	if (p.command->bit & CMD_CAPTURING && !ret->off_cpu) {
		r = check_waits(ret, e);
		if (r < 0)
			return r;
	}
	ret->cmdline = quote_command_line(argc, argv);
	return ret->cmdline ? 0 : err_nomem(e, "the command line");
}

void options_free(struct options *o)
{
	vec_free(&o->ids);
	vec_free(&o->cpus);
	free(o->cmdline);
	o->cmdline = NULL;
}
