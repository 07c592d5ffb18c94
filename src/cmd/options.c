/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * options.c - parses arguments into struct options by the rows of optable.c.
 *
 * The defaults are parsed from the table too, by the same code as the user's arguments. "-F99", "-F
 * 99", "--freq=99", "--freq 99" and "-aF99" mean the same. Long names cannot be abbreviated, so
 * that a new option never changes what an old script means.
 */
#include "config.h"

#include "cmd/options.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/clocktext.h"
#include "base/text.h"
#include "cmd/filter_options.h"
#include "cmd/optable.h"
#include "query/timerange.h"
#include "engine/placing.h"
#include "model/event.h"
#include "query/query.h"
#include "session/when.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(enum group_by) == 4 && sizeof(enum capture_event) == 4 && sizeof(enum numa_wish) == 4 &&
	       sizeof(enum import_format) == 4 && sizeof(enum diff_norm) == 4,
	       "OPT_CHOICE and OPT_SET fields have four bytes");

struct parser {
	const struct command_info *command;
	struct options *o;
	const struct opt *target;        /* the TARGET option that was given, NULL = none yet */
	struct err *e;
};

/* "-F" or "--cgroup", for sentences. */
static const char *options_display(const struct opt *opt, char dst[64])
{
	if (opt->letter)
		snprintf(dst, 64, "-%c", opt->letter);
	else
		snprintf(dst, 64, "--%s", opt->name);
	return dst;
}

static bool is_choice(const struct opt *opt, const char *value)
{
	for (const struct opt_choice *c = opt->choices; c->name; c++)
		if (!strcmp(c->name, value))
			return true;
	return false;
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

static int set_format(const struct opt *opt, const char *value, const struct exporter **ret, struct err *e)
{
	const struct exporter *x = exporter_named((enum exporter_user)opt->min, value);
	char all[OPT_VALUE_MAX];

	if (!x)
		return err_set(e, EINVAL, "%s '%s' is unknown: it must be one of %s", opt->what, value,
			       opt_value(opt, all));
	*ret = x;
	return 0;
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

	for (size_t i = WAIT_PREEMPTED; i < WAIT_STATE_NR; i++)
		n += text_format(dst + n, size - n, "%s%s (%c)", i > WAIT_PREEMPTED ? ", " : "", states[i].name,
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

		text_format(word, sizeof(word), "%.*s", len < sizeof(word) ? (int)len : (int)sizeof(word), at);
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

#define METRIC_PROBE_MAX 1024u   /* bytes of a probe that --metric names */

/* The measure of the probe NAME, which a recording may have; 0 = that is none. */
static measure_mask metric_of_probe(const char *name, size_t len)
{
	char text[METRIC_PROBE_MAX];
	unsigned int id;

	if (len >= sizeof(text))
		return 0;
	memcpy(text, name, len);
	text[len] = 0;
	return placing_measure(text, &id, NULL) ? 0 : MEASURE_BIT(id);
}

/*
 * The measures of the name that AT begins with, of *RET_LEN bytes: up to a comma, or further where
 * it takes a later one to make a probe of it, as conditions and globs have commas too. 0 = unknown.
 */
static measure_mask metric_at(const struct opt *opt, const char *at, size_t *ret_len)
{
	const size_t first = *ret_len = strcspn(at, ",");

	for (size_t len = first;; len += 1 + strcspn(at + len + 1, ",")) {
		measure_mask some = opt_measures(opt, at, len);

		some = some ? some : metric_of_probe(at, len);
		if (some)
			*ret_len = len;
		if (some || !at[len])
			return some;
	}
}

/* Names with commas between them. *RET_LEAD: the first of them, as query.lead. */
static int set_measures(const struct opt *opt, const char *value, measure_mask *ret, uint8_t *ret_lead, struct err *e)
{
	measure_mask mask = 0;
	char all[512];
	uint8_t lead = 0;

	for (const char *at = value;; at++) {
		size_t len;
		const measure_mask some = metric_at(opt, at, &len);

		if (!some)
			return err_set(e, EINVAL, "%s '%.*s' is unknown: it must be one of %s", opt->what,
				       len < 64 ? (int)len : 64, at, opt_words(opt, all, sizeof(all)));
		if (!lead)
			lead = (uint8_t)(measures_first(some) + 1);
		mask |= some;
		at += len;
		if (!*at)
			break;
	}
	if (!measures_fit(mask))
		return err_set(e, EINVAL, "--%s '%s' asks for more than %u: wall time is three", opt->name, value,
			       MEASURES_ASKED);
	*ret = mask;
	*ret_lead = lead;
	return 0;
}

static int set_text(const struct opt *opt, const char *value, const char **ret, struct err *e)
{
	if (!*value && !opt->min)
		return err_set(e, EINVAL, "the %s is empty", opt->what);
	*ret = value;
	return 0;
}

static int options_add_text(const struct opt *opt, const char *value, text_vec *ret, struct err *e)
{
	const char *text = NULL, **at;
	const int r = set_text(opt, value, &text, e);

	if (r < 0)
		return r;
	at = vec_push(ret);
	if (!at)
		return err_nomem(e, "the command line");
	*at = text;
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
	case OPT_SET:
		*(uint32_t *)field = (uint32_t)opt->min;
		return 0;
	case OPT_NUMBER:
	case OPT_SIZE32:
		return set_u32(opt, value, field, e);
	case OPT_TIME:
		return parse_time(value, opt->what, opt->min, opt->max, field, e);
	case OPT_CLOCK:
		return clocktext_parse(value, clock_ns(CLOCK_REALTIME), opt->max, field, e);
	case OPT_SIZE:
		return parse_size(value, opt->what, opt->min, opt->max, field, e);
	case OPT_PIXELS:
		return parse_pixels(value, opt->what, opt->min, opt->max, field, e);
	case OPT_PERCENT_OR_NONE:
		if (!strcmp(value, "none")) {
			*(double *)field = PERCENT_NONE;
			return 0;
		}
		return parse_percent(value, opt->what, opt->min, opt->max, field, e);
	case OPT_PERCENT:
		return parse_percent(value, opt->what, opt->min, opt->max, field, e);
	case OPT_LIST:
		return set_list(opt, value, field, e);
	case OPT_IDS:
		return set_ids(opt, value, field, e);
	case OPT_CHOICE:
		return set_choice(opt, value, field, e);
	case OPT_SWITCH:
		return set_switch(opt, value, field, e);
	case OPT_FORMAT:
		return set_format(opt, value, field, e);
	case OPT_MEASURES:
		return set_measures(opt, value, field, &o->lead, e);
	case OPT_STATES:
		return set_states(opt, value, field, e);
	case OPT_TEXTS:
	case OPT_FILES:
		return options_add_text(opt, value, field, e);
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
		return err_set(p->e, EINVAL, "%s was given twice%s", options_display(opt, now),
			       opt->type == OPT_IDS ? ": separate the ids by commas" : "");
	if (p->target)
		return err_set(p->e, EINVAL, "%s and %s both say what to observe: give one of them",
			       options_display(p->target, was), options_display(opt, now));
	p->target = opt;
	p->o->target = opt->target;
	return 0;
}

static int options_take(struct parser *p, const struct opt *opt, const char *value)
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
		if (strlen(opts[i].name) == len && !strncmp(opts[i].name, name, len) &&
		    opts[i].commands & p->command->bit)
			return &opts[i];
	return NULL;
}

static int needs_value(struct parser *p, const struct opt *opt)
{
	char name[64], value[OPT_VALUE_MAX];

	return err_set(p->e, EINVAL, "%s needs a value: %s %s", options_display(opt, name), name,
		       opt_value(opt, value));
}

/*
 * "--name", "--name=value" or "--name" and the next argument; *I is moved onto the last argument used. An
 * option that has a bare value takes the next argument only if that is one of its choices.
 */
static int parse_long(struct parser *p, int argc, char **argv, int *i)
{
	const char *name = argv[*i] + 2, *equals = strchr(name, '=');
	const size_t len = equals ? (size_t)(equals - name) : strlen(name);
	const struct opt *opt = find_name(p, name, len);

	if (!opt)
		return err_set(p->e, EINVAL, "there is no option --%.*s",
			       (int)text_whole(name, len < 64 ? len : 64), name);
	if (!opt->metavar && equals)
		return err_set(p->e, EINVAL, "--%s takes no value", opt->name);
	if (!opt->metavar || equals)
		return options_take(p, opt, equals ? equals + 1 : "");
	if (opt->bare && !(*i + 1 < argc && is_choice(opt, argv[*i + 1])))
		return options_take(p, opt, opt->bare);
	if (*i + 1 >= argc)
		return needs_value(p, opt);
	return options_take(p, opt, argv[++*i]);
}

/* What -n with VALUE means: for top a number of documents, as for other programs of this name, when it is a number. */
static const struct opt *meant_by(const struct parser *p, const struct opt *opt, const char *value)
{
	if (p->command->bit & CMD_TOP && opt->letter == 'n' && *value && !value[strspn(value, "0123456789")])
		return find_name(p, "iterations", strlen("iterations"));
	return opt;
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
			return options_take(p, meant_by(p, opt, at + 1), at + 1);
		if (opt->metavar && *i + 1 >= argc)
			return needs_value(p, opt);
		if (opt->metavar) {
			const char *value = argv[++*i];

			return options_take(p, meant_by(p, opt, value), value);
		}
		r = options_take(p, opt, "");
		if (r)
			return r;
	}
	return 0;
}

/* What a lone argument is: the first such option without a value, or the last one when all have theirs. */
static const struct opt *find_positional(const struct parser *p)
{
	const struct opt *found = NULL;

	for (size_t i = 0; i < nr_opts; i++) {
		if (!opts[i].positional || !(opts[i].commands & p->command->bit))
			continue;
		found = &opts[i];
		if (!*(const char **)((char *)p->o + found->at))
			break;
	}
	return found;
}

static int parse_argument(struct parser *p, const char *value)
{
	const struct opt *opt = find_positional(p);

	if (!opt && p->command->bit & CMD_TARGETING)
		return err_set(p->e, EINVAL, "'%s' is no option: to run a command, put -- before it (sberf %s -- %s)",
			       value, p->command->name, value);
	if (!opt)
		return err_set(p->e, EINVAL, "'%s' is one argument too many", value);
	if (opt->type != OPT_FILES && *(const char **)((char *)p->o + opt->at))
		return err_set(p->e, EINVAL, "'%s' is a second %s: give one", value, opt->what);
	return options_take(p, opt, value);
}

/* What stands behind "--": the command to run, or further arguments of a command that runs none. */
static int parse_rest(struct parser *p, int argc, char **argv, int i)
{
	static const struct opt dashes = { .name = "", .type = OPT_TEXT, .target = OPT_TARGET_COMMAND };
	int r = 0;

	if (p->command->bit & CMD_TARGETING) {
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

static int check_diff(const struct options *o, struct err *e)
{
	if (!o->before || !o->after)
		return err_set(e, EINVAL, "name two recordings: the one before, and the one after");
	if (!strcmp(o->before, "-") && !strcmp(o->after, "-"))
		return err_set(e, EINVAL, "only one of the recordings can come from standard input");
	return 0;
}

static int check_merge(const struct options *o, struct err *e)
{
	if (!o->files.n)
		return err_set(e, EINVAL, "say which recordings are to be merged");
	if (!o->output)
		return err_set(e, EINVAL, "say where the merged recording goes: -o FILE");
	return 0;
}

/* That the patterns can be understood: a wrong one is a wrong command line. */
static int check_patterns(const struct options *o, struct err *e)
{
	struct terms terms;

	return filter_options_terms(o, NULL, &terms, e);
}

/* Whether MEASURES are about waits and nothing else. */
static bool waits_alone(measure_mask measures)
{
	return measures & MEASURES_OFF_CPU && !(measures & ~MEASURES_OFF_CPU);
}

/* Whether any of MEASURES is known only where accesses and page faults are sampled. */
static bool needs_sampling(measure_mask measures)
{
	for (unsigned int id = 0; id < measures_count(); id++)
		if (measures >> id & 1 && measure_get(id)->estimate)
			return true;
	return false;
}

/* What is asked for is time inside or outside of calls: no hit is there. */
static bool asks_spans(const struct options *o)
{
	return o->span || o->inside || o->outside || o->span_above || o->span_below || o->span_diff;
}

/* Each probe has a measure. A view shows them, as far as there is room, unless it is told what to show. */
static int measure_probes(struct options *o, bool shows, struct err *e)
{
	const bool chosen = o->measures || asks_spans(o);

	if (o->allocators.n && o->memory != MEMORY_ALLOCS)
		return err_set(e, EINVAL, "--allocator names functions that --memory=allocs probes: give that, too");
	if (!o->probes.n && (o->every || o->max_rate))
		return err_set(e, EINVAL, "%s is about hits of probes: name some by --probe",
			       o->every ? "--every" : "--max-rate");
	for (size_t i = 0; i < o->probes.n; i++) {
		unsigned int id;
		const int r = placing_measure(o->probes.v[i], &id, e);

		if (r)
			return r;
		if (!shows || chosen || !measures_fit(o->measures | MEASURE_BIT(id)))
			continue;
		o->measures |= MEASURE_BIT(id);
		o->lead = o->lead ? o->lead : (uint8_t)(id + 1);
	}
	return 0;
}

/* What is about waits makes no sense without them. */
static int check_waits(const struct options *o, struct err *e)
{
	const char *which = o->wakers ? "--wakers" : o->every_wait ? "--every-wait" :
			    o->min_block_ns ? "--min-block" : o->states ? "--state" :
			    o->syscalls ? "--syscall" : waits_alone(o->measures) ? "--metric" : NULL;

	if (!which)
		return 0;
	return err_set(e, EINVAL, "%s is about waits, which --no-off-cpu leaves out: give one of them", which);
}

/* Rules are there to walk in the kernel what has call-frame information, and for nothing else. */
static int check_unwind(const struct options *o, struct err *e)
{
	const char *how = o->call_graph == CALL_GRAPH_FP ? "--call-graph fp" : o->call_graph == CALL_GRAPH_OFF ?
		"--call-graph off" : o->call_graph == CALL_GRAPH_LBR ? "--call-graph lbr" : NULL;

	if (how && o->unwind == UNWIND_KERNEL)
		return err_set(e, EINVAL, "--unwind kernel is about stacks that are unwound by rules, and %s needs "
			       "none: give one of them", how);
	if (o->verify_every && (how || o->unwind == UNWIND_COPY))
		return err_set(e, EINVAL, "--verify-unwind is about stacks that are unwound by rules, which %s leaves "
			       "out: give one of them", how ? how : "--unwind copy");
	return 0;
}

/* Far accesses are those of running code, and there are none without sampling them. */
static int check_far(const struct options *o, struct err *e)
{
	const char *which = o->measures ? "--metric" : o->states ? "--state" : o->syscalls ? "--syscall" : NULL;

	if (which)
		return err_set(e, EINVAL, "--far and %s both say what to count: give one of them", which);
	if (o->format && o->format->subject == EXPORT_WAITS)
		return err_set(e, EINVAL, "--far is about running code, and --format %s is not: give one of them",
			       o->format->name);
	if (o->numa == NUMA_OFF)
		return err_set(e, EINVAL, "--far is about accesses to memory, which --no-numa leaves out: "
			       "give one of them");
	return 0;
}

/* What shows all measures, or all probes, side by side lets nobody choose one. */
static int check_side_by_side(const struct options *o, struct err *e)
{
	if (o->format && o->format->subject == EXPORT_NODES && o->measures)
		return err_set(e, EINVAL, "--format %s counts running, waiting and accesses side by side: leave out "
			       "--metric", o->format->name);
	if (o->format && o->format->subject == EXPORT_PROBES && o->measures)
		return err_set(e, EINVAL, "--format %s lists all probes side by side: leave out --metric",
			       o->format->name);
	if (o->format && o->format->subject == EXPORT_MEMORY && o->measures)
		return err_set(e, EINVAL, "--format %s is about memory, whatever is counted: leave out --metric",
			       o->format->name);
	return 0;
}

const struct exporter *options_exporter(const struct options *o, enum exporter_user user)
{
	const struct exporter *by_file = o->output && !o->format ? exporter_of_file(user, o->output) : NULL;

	return o->format ? o->format : by_file ? by_file : &exporter_tree;
}

/* An option of flame graphs that was given; NULL = none was. */
static const char *about_flame(const struct options *o)
{
	return o->title ? "--title" : o->min_width_given ? "--min-width" : o->upwards_given ? "--orientation" :
	       o->no_script ? "--no-script" : NULL;
}

/* What a file is called, when it ends as if that were a format, and none is called so; NULL = it does not. */
static const char *unknown_ending(const struct options *o)
{
	const char *slash = o->output ? strrchr(o->output, '/') : NULL, *base = slash ? slash + 1 : o->output;
	const char *dot = base ? strrchr(base, '.') : NULL;

	return !o->format && dot && dot > base && dot[1] && !exporter_of_file(EXPORT_BY_REPORT, o->output) ? dot : NULL;
}

/* What the format has a place for. */
static int check_shown(const struct options *o, struct err *e)
{
	const struct exporter *x = options_exporter(o, EXPORT_BY_REPORT);
	const char *flame = about_flame(o), *ending = unknown_ending(o);
	const char *about_time = o->focus.n ? "--focus" : o->ignore.n ? "--ignore" : o->time ? "--time" : NULL;
	struct time_range range;
	char all[OPT_VALUE_MAX];

	if (ending)
		return err_set(e, EINVAL, "no format is called '%s': say with --format what '%s' is to be",
			       ending, o->output);
	if (flame && !(x->takes & EXPORT_TAKES_FLAME))
		return err_set(e, EINVAL, "%s is for flame graphs: --format %s", flame,
			       exporters_taking(EXPORT_TAKES_FLAME, all, sizeof(all)));
	if (o->percent_limit > 0 && !(x->takes & EXPORT_TAKES_PERCENT))
		return err_set(e, EINVAL, "--percent-limit is for --format %s: every other format is complete",
			       exporters_taking(EXPORT_TAKES_PERCENT, all, sizeof(all)));
	if (o->depth && !(x->takes & EXPORT_TAKES_DEPTH))
		return err_set(e, EINVAL, "--depth is for --format %s: every other format is complete",
			       exporters_taking(EXPORT_TAKES_DEPTH, all, sizeof(all)));
	if ((o->older_ns || o->min_bytes) && !(x->takes & EXPORT_TAKES_AGE))
		return err_set(e, EINVAL, "%s is about memory that is in use: --format %s", o->older_ns ? "--older" :
			       "--min-bytes", exporters_taking(EXPORT_TAKES_AGE, all, sizeof(all)));
	if (o->inverted && !(x->takes & EXPORT_TAKES_INVERTED))
		return err_set(e, EINVAL, "--inverted is for formats that are drawn as a tree: %s",
			       exporters_taking(EXPORT_TAKES_INVERTED, all, sizeof(all)));
	if (o->span_diff && !x->diff.write)
		return err_set(e, EINVAL, "--span-diff compares calls, which --format %s cannot show: choose tree, "
			       "flat, folded, json, svg or html", x->name);
	if (o->holders && o->by_holder)
		return err_set(e, EINVAL, "--holders has the waits, --by-holder holders alone: give one of them");
	if ((o->holders || o->by_holder) && (x->reads == EXPORT_EVENTS || x->subject != EXPORT_COUNTED))
		return err_set(e, EINVAL, "%s is about call trees, which --format %s has not (locks has holders)",
			       o->holders ? "--holders" : "--by-holder", x->name);
	if (o->slowest && !o->critical_path)
		return err_set(e, EINVAL, "--slowest is about calls on a critical path: give --critical-path, too");
	if (o->critical_path && (o->holders || o->by_holder || o->span || o->inside || o->outside || o->span_above ||
				 o->span_below || o->span_diff))
		return err_set(e, EINVAL, "--critical-path has holders and spans of its own: leave out --holders, "
			       "--by-holder, --span and the options that belong to it");
	if (o->critical_path && (x->reads == EXPORT_EVENTS || x->subject != EXPORT_COUNTED))
		return err_set(e, EINVAL, "--critical-path makes a call tree, which --format %s has not: choose "
			       "another one, such as tree, folded or html", x->name);
	if (about_time && x->subject == EXPORT_CAPTURE)
		return err_set(e, EINVAL, "%s cannot change --format %s, which is about all that was recorded",
			       about_time, x->name);
	return o->time ? time_range_parse(o->time, &range, e) : 0;
}

/* An option whose subject is in no import of that format; NULL = none was given. */
static const char *not_imported(const struct options *o, char dst[OPT_VALUE_MAX])
{
	const bool folded = o->import == IMPORT_FOLDED, memory = o->import == IMPORT_HEAPTRACK;
	const bool waits = o->format && o->format->subject == EXPORT_WAITS;
	const bool nodes = o->format && o->format->subject == EXPORT_NODES;
	const bool probes = o->format && (o->format->subject == EXPORT_PROBES ||
					  (!memory && o->format->subject == EXPORT_MEMORY));
	const measure_mask known = memory ? MEASURES_MEMORY : MEASURES_WALL;
	const struct {
		bool given;
		const char *name;
	} all[] = {
		{ o->states, "--state" }, { o->syscalls, "--syscall" }, { o->min_block_ns, "--min-block" },
		{ o->hide_idle, "--hide-idle" }, { (folded && waits_alone(o->measures)) ||
						   o->measures & ~known, "--metric" },
		{ ((folded || memory) && waits) || nodes || probes, dst }, { o->nodes.n, "--node" },
		{ o->by_node, "--by-node" }, { o->holders, "--holders" }, { o->by_holder, "--by-holder" },
		{ o->critical_path, "--critical-path" },
		{ o->far, "--far" }, { o->span, "--span" }, { o->inside, "--inside" }, { o->outside, "--outside" },
		{ o->span_above, "--span-above" }, { o->span_below, "--span-below" },
		{ o->span_diff, "--span-diff" },
	};

	snprintf(dst, OPT_VALUE_MAX, "--format %s", o->format ? o->format->name : "");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].given)
			return all[i].name;
	return NULL;
}

/*
 * Text of other tools tells little of waits and nothing of nodes; and there is no file that would
 * be meant when none is named.
 */
static int check_import(const struct options *o, struct err *e)
{
	char text[OPT_VALUE_MAX];
	const char *which = not_imported(o, text);

	if (!o->input && !o->before)
		return err_set(e, EINVAL, "say which file to import, or - for standard input");
	if (o->time && o->import == IMPORT_FOLDED)
		return err_set(e, EINVAL, "--time needs to know when things happened, and folded stacks do not tell");
	if (which)
		return o->import == IMPORT_HEAPTRACK ?
			err_set(e, EINVAL, "%s is not about memory, and what heaptrack wrote is about nothing else",
				which) :
			err_set(e, EINVAL, "%s is about waits, NUMA nodes or probes, and what is imported %s", which,
				o->import == IMPORT_FOLDED ? "has none" : "says nothing of it");
	if (o->imported_event && o->import != IMPORT_PERF_SCRIPT)
		return err_set(e, EINVAL, "--event needs to know of what event a sample is, and %s do not tell",
			       o->import == IMPORT_FOLDED ? "folded stacks" : "files of heaptrack");
	return 0;
}

/* What --when needs; without --keep there is nothing to write. */
static int check_when(const struct options *o, bool only_kept, struct err *e)
{
	struct when w;

	if (o->when.n && !o->keep_ns)
		return err_set(e, EINVAL, "--when writes what --keep has in memory: say how much that is, as "
			       "--keep 5m");
	if (only_kept && o->max_files_given && !o->when.n)
		return err_set(e, EINVAL, "--max-files is about what --when writes: give both");
	if (only_kept && !o->keep_ns && o->max_bytes)
		return err_set(e, EINVAL, "--max-size is about what --keep has in memory: give both");
	for (size_t i = 0; i < o->when.n; i++) {
		const int r = when_parse(o->when.v[i], &w, e);

		if (r < 0)
			return r;
		if (w.what != WHEN_CPU && !o->off_cpu)
			return err_set(e, EINVAL, "'%s' is about waits, which --no-off-cpu leaves out", o->when.v[i]);
	}
	return 0;
}

static int check_files(const struct options *o, struct err *e)
{
	if (o->at_real_ns && o->delay_ns)
		return err_set(e, EINVAL, "--at and --delay both say when to begin: give one of them");
	if (o->max_files_given && !o->max_bytes && !o->when.n)
		return err_set(e, EINVAL, "--max-files says how many files there may be, and --max-size, when another "
			       "one begins: give both");
	if (o->keep_ns && o->max_files_given && !o->when.n)
		return err_set(e, EINVAL, "--max-files is about a recording that is written as it comes, and --keep is "
			       "not: give one of them");
	if (o->keep_ns && o->output && !strcmp(o->output, "-"))
		return err_set(e, EINVAL, "--keep writes files, and standard output is none: name a file with -o");
	if (o->max_bytes && o->output && !strcmp(o->output, "-"))
		return err_set(e, EINVAL, "--max-size is about files, and standard output is none: name a "
			       "file with -o");
	return 0;
}

/* Something that runs, or a recording. */
static int check_trace(const struct options *o, struct err *e)
{
	if (o->input && o->target != OPT_TARGET_NONE)
		return err_set(e, EINVAL, "-i prints what a recording holds, and has no other target: leave one of "
			       "them out");
	if (o->input && o->probes.n)
		return err_set(e, EINVAL, "-i prints all probes of a recording: leave out --probe");
	if (!o->input && o->target == OPT_TARGET_NONE)
		return err_set(e, EINVAL, "say what to trace: -p PID, -t TID, -n NAME, --cgroup PATH, -a for the whole "
			       "machine, -- COMMAND to start one, or -i FILE for a recording");
	return 0;
}

/* What runs, or a recording; and where. */
static int check_serving(const struct options *o, bool page, struct err *e)
{
	if (o->input && o->target != OPT_TARGET_NONE)
		return err_set(e, EINVAL, "'%s' is a recording, and there is another target: give one of them",
			       o->input);
	if (!o->input && o->target == OPT_TARGET_NONE)
		return err_set(e, EINVAL, "say what to observe: -p PID, -t TID, -n NAME, --cgroup PATH, -a for the "
			       "whole machine, -- COMMAND to start one%s", page ? ", or FILE for a recording" : "");
	if (o->import && !o->input)
		return err_set(e, EINVAL, "--import is about a file: name it");
	if (o->listen && o->socket)
		return err_set(e, EINVAL, "--listen and --socket both say where to answer: give one of them");
	if (!o->push && (o->push_headers || o->push_ca || o->labels.n))
		return err_set(e, EINVAL, "%s is about what is pushed: say where to, with --push",
			       o->push_headers ? "--push-headers" : o->push_ca ? "--push-ca" : "--label");
	if (!page && o->output && !o->keep_ns)
		return err_set(e, EINVAL, "-o is where --keep writes what it has in memory: give both");
	if (!page && !o->push && !o->listen && !o->socket && !o->when.n)
		return err_set(e, EINVAL, "say where to push or to answer: --push URL, --listen 127.0.0.1:PORT or "
			       "--socket PATH; or when to write a file: --when CONDITION --keep TIME");
	if (!page && (o->listen || o->socket) && !o->prefix_file)
		return err_set(e, EINVAL, "say what paths begin with: --prefix-file FILE");
	return 0;
}

static int check_branches(const struct options *o, struct err *e)
{
	if (!o->branches_of.n)
		return err_set(e, EINVAL, "say which function: u:FILE:NAME or k:NAME");
	if (o->branch_disasm && o->trace_json)
		return err_set(e, EINVAL, "--disasm is for text: leave out --format json");
	if (o->branch_disasm && o->how == BRANCHES_GRAPH)
		return err_set(e, EINVAL, "--disasm shows branches, which --how graph does not follow: leave one of "
			       "them out");
	if (o->depth && o->how != BRANCHES_GRAPH)
		return err_set(e, EINVAL, "--depth is for --how graph");
	if (o->branch_any + o->branch_calls + o->branch_returns > 1)
		return err_set(e, EINVAL, "--any, --calls and --returns exclude each other");
	if (o->branch_entry && o->branch_exit)
		return err_set(e, EINVAL, "--entry and --exit exclude each other");
	if (o->branch_entry && (o->part || o->branch_count || o->branch_disasm || o->branch_returns))
		return err_set(e, EINVAL, "--entry tells calls when they begin, before it is known %s: leave one of "
			       "them out", o->branch_returns ? "what they return (--returns)" :
			       o->part ? "where they part (--part)" : o->branch_count ?
			       "how long they take (--count)" : "which branches they take (--disasm)");
	if (o->last && (o->part || o->branch_count || o->branch_disasm))
		return err_set(e, EINVAL, "--last shows single calls, and %s what there was in all: leave one of them "
			       "out", o->part ? "--part" : o->branch_count ? "--count" : "--disasm");
	return 0;
}

/* What only a document has a place for, and what only the view has. */
static int check_batch(const struct options *o, struct err *e)
{
	const char *which = o->iterations ? "--iterations (-n with a number)" : o->format ? "--format" :
			    o->percent_given ? "--percent-limit" : o->depth ? "--depth" : NULL;

	if (!o->batch && which)
		return err_set(e, EINVAL, "%s is about documents, which only --batch (-b) prints%s", which,
			       o->iterations ? "; a process with a number for a name is --name N" : "");
	if (o->batch && o->keep_ns)
		return err_set(e, EINVAL, "--keep is for whoever watches, and --batch (-b) has nobody who could; "
			       "use sberf record "
			       "--keep");
	if (o->batch && o->span_diff)
		return err_set(e, EINVAL, "--span-diff is for the view and for recordings, and --batch (-b) prints "
			       "documents that compare nothing");
	if (o->format && (o->depth ? !(o->format->takes & EXPORT_TAKES_DEPTH) :
				     o->percent_given && !(o->format->takes & EXPORT_TAKES_PERCENT)))
		return err_set(e, EINVAL, "%s is for text: %s is complete", o->depth ? "--depth" : "--percent-limit",
			       exporter_name(EXPORT_BY_BATCH, o->format));
	return 0;
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
	if (p.command->bit & CMD_TOP && ret->batch && ret->target == OPT_TARGET_NONE)
		ret->target = OPT_TARGET_ALL;
	ret->split &= !ret->no_split;
	if (p.command->bit & CMD_TOP && ret->split && ret->target == OPT_TARGET_NONE)
		return err_set(e, EINVAL, "--split gives up root once one target is captured: say which, by -p PID, "
			       "-t TID, -n NAME, --cgroup PATH, -a for the whole machine, or -- COMMAND to start one");
	if (p.command->bit & CMD_RECORD && ret->target == OPT_TARGET_NONE)
		return err_set(e, EINVAL, "say what to observe: -p PID, -t TID, -n NAME, --cgroup PATH, -a "
			       "for the whole "
			       "machine, or -- COMMAND to start one");
	if (p.command->bit & CMD_TRACE && check_trace(ret, e) < 0)
		return -EINVAL;
	if (p.command->bit & CMD_BRANCHES && check_branches(ret, e) < 0)
		return -EINVAL;
	if (p.command->bit & CMD_SERVING && check_serving(ret, p.command->bit & CMD_SERVE, e) < 0)
		return -EINVAL;
	r = p.command->bit & CMD_RECORD ? check_files(ret, e) : 0;
	r = r < 0 ? r : check_when(ret, !(p.command->bit & CMD_RECORD), e);
	if (r < 0)
		return r;
	if (p.command->bit & CMD_CAPTURING && !ret->off_cpu) {
		r = check_waits(ret, e);
		if (r < 0)
			return r;
	}
	r = ret->far ? check_far(ret, e) : 0;
	if (r >= 0 && p.command->bit & CMD_CAPTURING)
		r = check_unwind(ret, e);
	r = r < 0 ? r : check_side_by_side(ret, e);
	if (r >= 0 && ret->wait && ret->target != OPT_TARGET_NAME)
		return err_set(e, EINVAL, "--wait waits for processes of a name: say which, with -n NAME");
	if (r >= 0 && p.command->bit & CMD_TOP)
		r = check_batch(ret, e);
	if (r >= 0 && p.command->bit & CMD_REPORT)
		r = check_shown(ret, e);
	if (!r && ret->imported_event && !ret->import)
		return err_set(e, EINVAL, "--event is about what --import perf-script reads");
	if (!r && ret->import)
		r = check_import(ret, e);
	if (!r && p.command->bit & CMD_DIFF)
		r = check_diff(ret, e);
	if (!r && p.command->bit & CMD_MERGE)
		r = check_merge(ret, e);
	if (!r)
		r = check_patterns(ret, e);
	if (!r)
		r = measure_probes(ret, p.command->bit & (CMD_TOP | CMD_SERVE), e);
	if (r < 0)
		return r;
	if (ret->far || needs_sampling(ret->measures))
		ret->numa = NUMA_ON;
	ret->cmdline = quote_command_line(argc, argv);
	return ret->cmdline ? 0 : err_nomem(e, "the command line");
}

void options_free(struct options *o)
{
	vec_free(&o->ids);
	vec_free(&o->when);
	vec_free(&o->cpus);
	vec_free(&o->nodes);
	vec_free(&o->files);
	vec_free(&o->addresses);
	vec_free(&o->labels);
	vec_free(&o->branches_of);
	vec_free(&o->branch_print);
	vec_free(&o->focus);
	vec_free(&o->ignore);
	vec_free(&o->threads);
	vec_free(&o->processes);
	vec_free(&o->cgroups);
	vec_free(&o->containers);
	vec_free(&o->hosts);
	vec_free(&o->sizes);
	vec_free(&o->probes);
	vec_free(&o->allocators);
	vec_free(&o->plugins);
	free(o->cmdline);
	o->cmdline = NULL;
}
