/* SPDX-License-Identifier: BSD-2-Clause */
/* spec.c - points of probes: from text to values. Expressions are in spec_expr.c, writing is in spec_text.c. */
#include "config.h"

#include "probe/spec_read.h"

#include "base/parse.h"
#include "base/pattern.h"
#include "probe/nearest.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define QUOTED_MAX 120 /* bytes of the probe that a sentence repeats */

static const char *const groups[] = { "file", "net", "memory", "process" };
static const char *const measures[] = { [SPEC_COUNT] = "count", [SPEC_TIME] = "time", [SPEC_SUM] = "sum" };
#define NR_MEASURES (sizeof(measures) / sizeof(measures[0]))

int spec_refuse(const struct spec_reader *r, const char *at, const char *fmt, ...)
{
	char why[ERR_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return err_set(r->e, EINVAL, "probe '%.*s'%s, character %zu: %s", QUOTED_MAX, r->text,
		       strlen(r->text) > QUOTED_MAX ? "..." : "", (size_t)(at - r->text) + 1, why);
}

void spec_blanks(struct spec_reader *r)
{
	r->at += strspn(r->at, " ");
}

const char *spec_nearest(const char *word, size_t len, const char *const *words, size_t n)
{
	struct nearest near = nearest_begin(word, len);
	const char *best = NULL;

	for (size_t i = 0; i < n; i++)
		if (words[i] && nearest_offer(&near, words[i]))
			best = words[i];
	return best;
}

static int refuse_kind(const struct spec_reader *r, size_t len)
{
	const char *words[PROBE_KINDS], *nearest;

	for (enum probe_kind k = 0; k < PROBE_KINDS; k++)
		words[k] = probe_kind_info(k)->name;
	nearest = spec_nearest(r->at, len, words, PROBE_KINDS);
	if (nearest)
		return spec_refuse(r, r->at, "'%.*s' is no kind of probe: did you mean '%s'?", (int)len, r->at,
				   nearest);
	return spec_refuse(r, r->at,
			   "'%.*s' is no kind of probe: it must be sys, tracepoint, rawtracepoint, uprobe, "
			   "uretprobe, call, usdt, fault, signal, kprobe, kretprobe or span",
			   (int)len, r->at);
}

/* Whether S, behind a blank, begins a measure. */
static bool begins_measure(const char *s)
{
	for (size_t i = SPEC_COUNT; i < NR_MEASURES; i++)
		if (!strncmp(s, measures[i], strlen(measures[i])) && s[strlen(measures[i])] == '(')
			return true;
	return false;
}

/* Whether the fields of a point end at S: with the text, or before a condition, a measure or "~~". */
static bool fields_end(const char *s)
{
	const char *behind = s + strspn(s, " ");

	return !*behind || (behind[0] == '~' && behind[1] == '~') ||
	       (behind > s && (*behind == '/' || begins_measure(behind)));
}

/* The end of the field that begins at S: an unescaped single colon when COLONS, or the end of all fields. */
static const char *field_end(const char *s, bool colons)
{
	while (!fields_end(s)) {
		if (s[0] == '\\' && s[1])
			s++;
		else if (s[0] == ':' && s[1] == ':')
			s++;
		else if (s[0] == ':' && colons)
			break;
		s++;
	}
	return s;
}

/* Whether the field from S to END is a wildcard: *, ? or a bracket that is closed, none of them escaped. */
static bool has_wildcard(const char *s, const char *end)
{
	for (; s < end; s++) {
		if (*s == '\\')
			s++;
		else if (*s == '*' || *s == '?')
			return true;
		else if (*s == '[' && strncmp(s, "[abi:", 5) && end - s > 2 &&
			 memchr(s + 2, ']', (size_t)(end - s - 2)))
			return true;
	}
	return false;
}

/* Copies the field from S to END into DST, without escapes unless KEEP. */
static int take_field(const struct spec_reader *r, const char *s, const char *end, bool keep, char *dst, size_t size)
{
	const char *begin = s;
	size_t len = 0;

	for (; s < end; s++) {
		if (*s == '\\' && !keep && s + 1 < end)
			s++;
		/* As a wildcard it would be one letter. */
		if (keep && !strncmp(s, "[abi:", 5) && (s == begin || s[-1] != '\\') && len < size - 1)
			dst[len++] = '\\';
		if (len == size - 1)
			return spec_refuse(r, begin, "the name is too long: %zu bytes are the limit", size - 1);
		dst[len++] = *s;
	}
	dst[len] = '\0';
	return 0;
}

/* "/regex/" at R, which ends the fields. */
static int read_regex(struct spec_reader *r, struct spec_point *p)
{
	const char *begin = r->at++;
	struct err why = ERR_INIT;
	size_t len = 0;

	for (; *r->at && *r->at != '/'; r->at++) {
		if (len >= sizeof(p->name) - 2)
			return spec_refuse(r, begin, "the regular expression is too long: %zu bytes are the limit",
					   sizeof(p->name) - 2);
		if (r->at[0] == '\\' && r->at[1] == '/')
			r->at++;
		else if (r->at[0] == '\\' && r->at[1])
			p->name[len++] = *r->at++;
		p->name[len++] = *r->at;
	}
	p->name[len] = '\0';
	if (!*r->at || !len)
		return spec_refuse(r, begin,
				   *r->at ? "the regular expression is empty"
					  : "the regular expression has no end: a '/' is missing");
	r->at++;
	if (!fields_end(r->at))
		return spec_refuse(r, r->at,
				   "a regular expression ends the probe: put a blank before a condition, and a "
				   "backslash before a '/' in it");
	p->match = SPEC_REGEX;
	if (pattern_check(p->name, NULL, &why) < 0)
		return spec_refuse(r, begin, "%s", why.text);
	return 0;
}

/* Reads the number from S to END, decimal or hexadecimal with 0x, up to MAX. False when it is none. */
static bool whole_number(const char *s, const char *end, uint64_t max, uint64_t *ret)
{
	const bool hex = end - s > 2 && s[0] == '0' && s[1] == 'x';

	s += hex ? 2 : 0;
	return (hex ? parse_hex(&s, end, ret) : parse_dec(&s, end, ret)) && s == end && *ret <= max;
}

/* The last unescaped CHARACTER from S to END; NULL when there is none. */
static const char *last_of(const char *s, const char *end, char character)
{
	const char *last = NULL;

	for (; s < end; s++) {
		if (*s == '\\')
			s++;
		else if (*s == character)
			last = s;
	}
	return last;
}

/* The plain name from S to END. */
static int plain_name(const struct spec_reader *r, const char *s, const char *end, struct spec_point *p)
{
	const bool wildcard = has_wildcard(s, end);

	p->match = wildcard ? SPEC_WILDCARD : SPEC_EXACT;
	return take_field(r, s, end, wildcard, p->name, sizeof(p->name));
}

/* The last field of a point, which begins at R: a name, a wildcard or a regular expression. */
static int read_name(struct spec_reader *r, struct spec_point *p, const char *what)
{
	const char *begin = r->at;

	if (*begin == '/')
		return read_regex(r, p);
	if (*begin == ':')
		return spec_refuse(r, begin, "%s does not begin with ':'", what);
	r->at = field_end(begin, false);
	if (r->at == begin)
		return spec_refuse(r, begin, "%s is missing behind '%s:'", what, probe_kind_info(p->kind)->name);
	return plain_name(r, begin, r->at, p);
}

/* How a function that ends the field from BEGIN to END is followed: SPEC_BRANCHES, SPEC_GRAPH; SPEC_ANY = it is not. */
static enum spec_match followed_match(const char *begin, const char *end)
{
	const char *plus = last_of(begin, end, '+');
	const size_t len = plus ? (size_t)(end - plus) : 0, graph = strlen(SPEC_GRAPH_TEXT);

	if (!plus || plus == begin)
		return SPEC_ANY;
	if (len == graph + 1 && !memcmp(plus, SPEC_GRAPH_TEXT, graph) && plus[graph] == '0')
		return SPEC_GRAPH;
	if (has_wildcard(begin, plus) || *begin == ':')
		return SPEC_ANY;
	if (len == strlen(SPEC_BRANCHES_TEXT) && !memcmp(plus, SPEC_BRANCHES_TEXT, len))
		return SPEC_BRANCHES;
	return len == graph + 1 && !memcmp(plus, SPEC_GRAPH_TEXT, graph) && plus[graph] >= '1' && plus[graph] <= '9' ?
		SPEC_GRAPH : SPEC_ANY;
}

/* Takes such a function. */
static int take_followed(struct spec_reader *r, const char *begin, const char *end, struct spec_point *p)
{
	p->match = (uint8_t)followed_match(begin, end);
	p->number = p->match == SPEC_GRAPH ? (uint64_t)(end[-1] - '0') : 0;
	return take_field(r, begin, last_of(begin, end, '+'), p->match == SPEC_GRAPH && !p->number, p->name,
			  sizeof(p->name));
}

/* A function by name, a line or an offset, at R. */
static int read_place(struct spec_reader *r, struct spec_point *p)
{
	const char *begin = r->at, *end, *colon, *plus;
	uint64_t number;

	while (begin[0] == ':' && begin[1] == ':')
		begin += 2;
	if (begin > r->at && *begin == '/')
		return spec_refuse(r, r->at, "before a regular expression a single ':' must stand");
	end = r->at = field_end(begin, false);
	if (end == begin)
		return spec_refuse(r, begin, "a function is missing behind '%s:'", probe_kind_info(p->kind)->name);
	if (end - begin > 2 && begin[0] == '0' && begin[1] == 'x') {
		if (!whole_number(begin, end, INT64_MAX, &p->number))
			return spec_refuse(r, begin, "'%.*s' is no file offset", (int)(end - begin), begin);
		p->match = SPEC_FILE_OFFSET;
		return 0;
	}
	colon = last_of(begin, end, ':');
	if (colon && colon > begin && colon[-1] != ':' && isdigit((unsigned char)colon[1])) {
		if (!whole_number(colon + 1, end, UINT32_MAX, &number) || !number)
			return spec_refuse(r, colon + 1, "'%.*s' is no line number", (int)(end - colon - 1), colon + 1);
		p->match = SPEC_LINE;
		p->number = number;
		return take_field(r, begin, colon, false, p->name, sizeof(p->name));
	}
	plus = last_of(begin, end, '+');
	if (followed_match(begin, end) == SPEC_BRANCHES) {
		if (p->kind != PROBE_ENTRY)
			return spec_refuse(r, plus, "branches within a function are places: write uprobe:");
		return take_followed(r, begin, end, p);
	}
	if (plus && plus > begin && whole_number(plus + 1, end, INT64_MAX, &number) && !has_wildcard(begin, plus)) {
		p->match = SPEC_FUNCTION_OFFSET;
		p->number = number;
		return take_field(r, begin, plus, false, p->name, sizeof(p->name));
	}
	return plain_name(r, begin, end, p);
}

/* The last field of a probe in a program. */
static int read_last_field(struct spec_reader *r, struct spec_point *p)
{
	return *r->at == '/' ? read_regex(r, p) : read_place(r, p);
}

/* "TARGET+0x1234", or FILE:LINE or a function without a target: what has no field of its own for it. */
static int read_without_target(struct spec_reader *r, struct spec_point *p)
{
	const char *begin = r->at;
	int rc = read_place(r, p);

	if (!rc && p->match == SPEC_FUNCTION_OFFSET) {
		memcpy(p->target, p->name, sizeof(p->target));
		memset(p->name, 0, sizeof(p->name));
		p->match = SPEC_FILE_OFFSET;
	} else if (!rc && p->match == SPEC_FILE_OFFSET) {
		return spec_refuse(r, begin, "an offset needs its file: TARGET+OFFSET");
	} else if (!rc && *begin == '/' && p->match != SPEC_LINE) {
		return spec_refuse(r, r->at, "behind the file a ':' and a function are missing");
	}
	return rc;
}

static int read_target_and_function(struct spec_reader *r, struct spec_point *p)
{
	const char *begin = r->at, *colon = field_end(begin, true), *end;
	uint64_t line;

	if (*colon != ':' || fields_end(colon))
		return read_without_target(r, p);
	/* FILE:LINE, not TARGET:FUNCTION, which does not begin with a digit. */
	end = field_end(colon + 1, false);
	if (colon > begin && whole_number(colon + 1, end, UINT32_MAX, &line) && colon[2] != 'x')
		return read_without_target(r, p);
	r->at = colon + 1;
	if (take_field(r, begin, colon, false, p->target, sizeof(p->target)) < 0)
		return -EINVAL;
	begin = r->at;
	if (read_last_field(r, p) < 0)
		return -EINVAL;
	if (p->match == SPEC_FILE_OFFSET && !*p->target)
		return spec_refuse(r, begin, "an offset needs its file: TARGET+OFFSET");
	return 0;
}

/* A provider or category from BEGIN to END. */
static int take_provider(const struct spec_reader *r, const char *begin, const char *end, struct spec_point *p)
{
	const bool wildcard = has_wildcard(begin, end);

	p->provider_match = wildcard ? SPEC_WILDCARD : begin < end ? SPEC_EXACT : SPEC_ANY;
	return take_field(r, begin, end, wildcard, p->provider, sizeof(p->provider));
}

static bool is_colon(const char *s)
{
	return *s == ':' && !fields_end(s);
}

/* "TARGET:PROVIDER:NAME", "TARGET:NAME", or "NAME" wherever it is. */
static int read_usdt(struct spec_reader *r, struct spec_point *p)
{
	const char *first = r->at, *colon = field_end(first, true), *second;
	int rc = 0;

	if (is_colon(colon)) {
		rc = take_field(r, first, colon, false, p->target, sizeof(p->target));
		r->at = colon + 1;
		second = r->at;
		colon = *second == '/' ? second : field_end(second, true);
		if (!rc && is_colon(colon)) {
			rc = take_provider(r, second, colon, p);
			r->at = colon + 1;
		}
	} else if (*first == '/') {
		return spec_refuse(r, colon, "behind the file the name of a probe is missing: TARGET:PROVIDER:NAME");
	}
	return rc < 0 ? rc : read_name(r, p, "the name of a probe");
}

static int read_tracepoint(struct spec_reader *r, struct spec_point *p)
{
	const char *begin = r->at, *colon = field_end(begin, true);

	if (!is_colon(colon) || colon == begin)
		return spec_refuse(r, begin,
				   "a tracepoint is written CATEGORY:EVENT, such as tracepoint:sched:sched_switch");
	if (take_provider(r, begin, colon, p) < 0)
		return -EINVAL;
	r->at = colon + 1;
	return read_name(r, p, "an event");
}

static int read_syscall(struct spec_reader *r, struct spec_point *p)
{
	const char *begin = r->at, *nearest;
	const size_t nr_groups = sizeof(groups) / sizeof(groups[0]);
	size_t len;

	if (*begin != '%')
		return read_name(r, p, "a system call");
	r->at = field_end(begin, false);
	len = (size_t)(r->at - begin) - 1;
	for (size_t i = 0; i < nr_groups; i++) {
		if (strlen(groups[i]) != len || memcmp(groups[i], begin + 1, len))
			continue;
		p->match = SPEC_GROUP;
		memcpy(p->name, groups[i], len);
		return 0;
	}
	nearest = spec_nearest(begin + 1, len, groups, nr_groups);
	return spec_refuse(r, begin, "'%.*s' is no group of system calls: %s%s", (int)len + 1, begin,
			   nearest ? "did you mean %" : "it must be %file, %net, %memory or %process",
			   nearest ? nearest : "");
}

/* The module in brackets at R, if one is there: no bracket of a wildcard, which has a range, or no end. */
static int read_module(struct spec_reader *r, struct spec_point *p)
{
	const char *begin = r->at + 1, *end = begin;

	if (*r->at != '[')
		return 0;
	while (isalnum((unsigned char)*end) || *end == '_' || *end == '*' || *end == '?')
		end++;
	if (*end != ']' || end == begin)
		return 0;
	r->at = end + 1;
	return take_provider(r, begin, end, p);
}

/* ":net/core/dev.c", with or without a wildcard, at R. */
static int read_source_file(struct spec_reader *r, struct spec_point *p)
{
	const char *begin = r->at;

	r->at = field_end(begin, false);
	if (r->at == begin + 1)
		return spec_refuse(r, begin, "a source file is missing behind ':'");
	p->match = SPEC_WILDCARD;
	return take_field(r, begin, r->at, true, p->name, sizeof(p->name));
}

static int read_kernel_function(struct spec_reader *r, struct spec_point *p)
{
	const char *begin, *end;
	int rc = read_module(r, p);

	begin = r->at;
	end = *begin == '/' ? begin : field_end(begin, false);
	if (rc)
		return rc;
	if (p->kind == PROBE_KPROBE && followed_match(begin, end) != SPEC_ANY) {
		r->at = end;
		return take_followed(r, begin, end, p);
	}
	if (*begin == ':' && !*p->provider)
		return read_source_file(r, p);
	if (!*p->provider || !fields_end(begin))
		return read_name(r, p, "a function");
	/* All of the module. */
	p->match = SPEC_WILDCARD;
	p->name[0] = '*';
	return 0;
}

/* The fields behind the colon of a kind that has fields. */
static int read_fields(struct spec_reader *r, struct spec_point *p)
{
	switch (p->kind) {
	case PROBE_SYSCALL:
		return read_syscall(r, p);
	case PROBE_TRACEPOINT:
		return read_tracepoint(r, p);
	case PROBE_RAW_TRACEPOINT:
		return read_name(r, p, "an event");
	case PROBE_KPROBE:
	case PROBE_KRETPROBE:
		return read_kernel_function(r, p);
	case PROBE_USDT:
		return read_usdt(r, p);
	default:
		return read_target_and_function(r, p);
	}
}

/* "fault", "fault:major" and "signal". */
static int read_without_fields(struct spec_reader *r, struct spec_point *p)
{
	if (p->kind == PROBE_FAULT && !strncmp(r->at, ":major", 6)) {
		r->at += 6;
		p->major = 1;
	}
	if (fields_end(r->at))
		return 0;
	return spec_refuse(r, r->at,
			   *r->at == '/' ? "a blank must stand before a condition"
			   : p->kind == PROBE_FAULT
				   ? "behind 'fault' only ':major' can stand, or a blank and a condition"
				   : "behind 'signal' only a blank and a condition can stand: /sig == 9/");
}

/* The condition behind a point, if there is one. KNOWS is what may be used in it. */
static int read_condition(struct spec_reader *r, struct spec_point *p, unsigned int knows)
{
	const char *behind = r->at + strspn(r->at, " ");

	if (*behind != '/')
		return 0;
	r->at = behind + 1;
	return spec_expr_read(r, '/', knows, p->kind, &p->when);
}

/* A kind and its fields. SPAN: as a point of a span, which is none itself. */
static int read_point(struct spec_reader *r, bool span, struct spec_point *p)
{
	const size_t len = strcspn(r->at, ": /~");
	const enum probe_kind kind = probe_kind_find(r->at, len);
	const char *begin = r->at;

	if (!len)
		return spec_refuse(r, begin, "a probe is missing here: KIND:..., such as sys:openat");
	if (kind == PROBE_KINDS)
		return refuse_kind(r, len);
	if (kind == PROBE_SPAN)
		return spec_refuse(r, begin,
				   span ? "a span cannot be a point of a span" : "a span is written span:PROBE~~PROBE");
	p->kind = (uint8_t)kind;
	r->at += len;
	if (kind == PROBE_FAULT || kind == PROBE_SIGNAL)
		return read_without_fields(r, p);
	if (*r->at != ':')
		return spec_refuse(r, r->at, "behind '%.*s' a ':' is missing: it is written %s%s", (int)len, begin,
				   probe_kind_info(kind)->name, probe_kind_info(kind)->form);
	r->at++;
	return read_fields(r, p);
}

bool spec_has_latency(const struct spec *s)
{
	return s->span || spec_is_followed(&s->point[0]) ||
		probe_kind_info(s->point[0].kind)->knows & PROBE_KNOWS_LATENCY;
}

/* The measure at R, if there is one. KNOWS is what may be added up. */
static int read_measure(struct spec_reader *r, struct spec *s, unsigned int knows)
{
	const char *begin = r->at, *end;

	if (!begins_measure(begin))
		return 0;
	for (size_t i = SPEC_COUNT; i < NR_MEASURES; i++)
		if (!strncmp(begin, measures[i], strlen(measures[i])))
			s->measure = (uint8_t)i;
	r->at = begin + strlen(measures[s->measure]) + 1;
	if (s->measure == SPEC_SUM)
		return spec_expr_read(r, ')', knows, s->point[s->points - 1].kind, &s->sum);
	spec_blanks(r);
	end = r->at;
	if (*end != ')')
		return spec_refuse(r, end, "a ')' is missing: %s() takes nothing", measures[s->measure]);
	r->at++;
	if (s->measure == SPEC_TIME && !spec_has_latency(s))
		return spec_refuse(r, begin, "a probe of kind %s takes no time: sys, call and span do",
				   probe_kind_info(s->point[0].kind)->name);
	return 0;
}

/* What the condition of point I of a span of S, or of its only point, may use. */
static unsigned int knows_at(const struct spec *s, uint32_t i)
{
	const unsigned int knows = probe_kind_info(s->point[i].kind)->knows;

	if (!s->span)
		return knows;
	if (i)
		return knows | PROBE_KNOWS_LATENCY;
	/* A span begins where a call begins. */
	return knows & PROBE_KNOWS_LATENCY ? knows & ~(unsigned int)(PROBE_KNOWS_LATENCY | PROBE_KNOWS_RETVAL) : knows;
}

static int read_points(struct spec_reader *r, struct spec *s)
{
	for (uint32_t i = 0; i < s->points; i++) {
		int rc = read_point(r, s->span, &s->point[i]);

		if (!rc)
			rc = read_condition(r, &s->point[i], knows_at(s, i));
		if (rc < 0)
			return rc;
		spec_blanks(r);
		if (i + 1 == s->points)
			break;
		if (r->at[0] != '~' || r->at[1] != '~')
			return spec_refuse(r, r->at, "a span needs a second probe: span:PROBE~~PROBE");
		r->at += 2;
		spec_blanks(r);
	}
	return 0;
}

static int read_spec(struct spec_reader *r, struct spec *s)
{
	int rc;

	s->points = 1;
	if (!strncmp(r->at, "span:", 5)) {
		r->at += 5;
		s->span = 1;
		s->points = 2;
	}
	rc = read_points(r, s);
	if (!rc)
		rc = read_measure(r, s, knows_at(s, s->points - 1u));
	if (rc < 0)
		return rc;
	spec_blanks(r);
	if (r->at[0] == '~' && r->at[1] == '~')
		return spec_refuse(r, r->at, "'~~' joins the two probes of a span: span:PROBE~~PROBE");
	if (*r->at)
		return spec_refuse(r, r->at,
				   "nothing can stand here: a condition comes before the measure, and each stands "
				   "once");
	return 0;
}

int spec_parse(const char *text, struct spec *ret, struct err *e)
{
	struct spec_reader r = { .text = text, .at = text, .e = e };
	struct spec s = { 0 };
	int rc;

	if (strlen(text) >= SPEC_TEXT_MAX)
		return err_set(e, E2BIG, "a probe of %zu bytes is too long: %u are the limit", strlen(text),
			       SPEC_TEXT_MAX - 1);
	for (const char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return spec_refuse(&r, p, "a control character cannot stand in a probe");
	spec_blanks(&r);
	rc = read_spec(&r, &s);
	if (!rc)
		*ret = s;
	return rc;
}
