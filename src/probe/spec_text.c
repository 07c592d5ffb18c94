/* SPDX-License-Identifier: BSD-2-Clause */
/* spec_text.c - probes back to text that reads as the same value. */
#include "config.h"

#include "probe/spec_read.h"

#include "base/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* Text that grows in a buffer. What has no room is cut. */
struct writer {
	char *dst;
	size_t len, size;
};

static void put_char(struct writer *w, char c)
{
	if (w->len + 1 < w->size)
		w->dst[w->len++] = c;
	w->dst[w->len] = '\0';
}

static void put(struct writer *w, const char *s)
{
	for (; *s; s++)
		put_char(w, *s);
}

static void put_offset(struct writer *w, uint64_t offset)
{
	w->len += text_format(w->dst + w->len, w->size - w->len, "+0x%" PRIx64, offset);
}

static void put_number(struct writer *w, int64_t value)
{
	w->len += text_format(w->dst + w->len, w->size - w->len, "%" PRId64, value);
}

static bool is_graph_suffix(const char *s)
{
	const size_t len = strlen(SPEC_GRAPH_TEXT);

	return !strncmp(s, SPEC_GRAPH_TEXT, len) && isdigit((unsigned char)s[len]) && !s[len + 1];
}

/* Whether what begins at S, within the name BEGIN, would mean something if it had no backslash. */
static bool needs_escape(const char *begin, const char *s)
{
	if (s == begin && (isdigit((unsigned char)*s) || *s == '/' || *s == '%' || *s == ' '))
		return true;
	if (*s == '~' || *s == ' ')
		return !s[1] || strchr(*s == '~' ? "~" : " /cts", s[1]);
	return strchr("\\*?[]:", *s) || (*s == '+' && isdigit((unsigned char)s[1])) ||
		!strcmp(s, SPEC_BRANCHES_TEXT) || is_graph_suffix(s);
}

/* NAME with backslashes; "::" inside of it stays as it is. */
static void put_plain_name(struct writer *w, const char *name)
{
	for (const char *s = name; *s; s++) {
		if (s > name && s[0] == ':' && s[1] == ':' && s[2] && s[2] != ':') {
			put(w, "::");
			s++;
			continue;
		}
		if (needs_escape(name, s))
			put_char(w, '\\');
		put_char(w, *s);
	}
}

/* The same for a target, which may begin with a slash. */
static void put_target(struct writer *w, const char *target)
{
	if (*target == '/')
		put_char(w, *target++);
	put_plain_name(w, target);
}

static void put_regex(struct writer *w, const char *regex)
{
	put_char(w, '/');
	for (const char *s = regex; *s; s++) {
		if (s[0] == '\\' && s[1])
			put_char(w, *s++);
		else if (*s == '/')
			put_char(w, '\\');
		put_char(w, *s);
	}
	put_char(w, '/');
}

static void put_match(struct writer *w, const struct spec_point *p)
{
	switch (p->match) {
	case SPEC_WILDCARD:
		put(w, p->name);
		break;
	case SPEC_REGEX:
		put_regex(w, p->name);
		break;
	case SPEC_GROUP:
		put_char(w, '%');
		put(w, p->name);
		break;
	case SPEC_GRAPH:
		if (!p->number) {
			put(w, p->name);
			break;
		}
		/* fall through */
	default:
		put_plain_name(w, p->name);
	}
	if (p->match == SPEC_FUNCTION_OFFSET)
		put_offset(w, p->number);
	if (p->match == SPEC_BRANCHES)
		put(w, SPEC_BRANCHES_TEXT);
	if (p->match == SPEC_GRAPH) {
		put(w, SPEC_GRAPH_TEXT);
		put_number(w, (int64_t)p->number);
	}
	if (p->match == SPEC_LINE) {
		put_char(w, ':');
		put_number(w, (int64_t)p->number);
	}
}

static void put_provider(struct writer *w, const struct spec_point *p)
{
	if (p->provider_match == SPEC_WILDCARD)
		put(w, p->provider);
	else
		put_plain_name(w, p->provider);
	put_char(w, ':');
}

static void put_point(struct writer *w, const struct spec_point *p)
{
	const struct probe_kind_info *info = probe_kind_info(p->kind);

	put(w, info->name);
	if (p->kind == PROBE_FAULT || p->kind == PROBE_SIGNAL) {
		put(w, p->major ? ":major" : "");
		return;
	}
	put_char(w, ':');
	if (p->match == SPEC_FILE_OFFSET) {
		put_target(w, p->target);
		put_offset(w, p->number);
		return;
	}
	if (info->target) {
		put_target(w, p->target);
		put_char(w, ':');
	}
	if (p->kind == PROBE_TRACEPOINT || (p->kind == PROBE_USDT && p->provider_match != SPEC_ANY))
		put_provider(w, p);
	if ((p->kind == PROBE_KPROBE || p->kind == PROBE_KRETPROBE) && *p->provider) {
		put_char(w, '[');
		put(w, p->provider);
		put_char(w, ']');
	}
	put_match(w, p);
}

/* How strongly an operator binds, and how it is written. */
struct written {
	const char *text;
	int binds;
};

static const struct written written[SPEC_OPS] = {
	[SPEC_OR] = { " || ", 1 },          [SPEC_AND] = { " && ", 2 },
	[SPEC_EQUAL] = { " == ", 3 },       [SPEC_UNEQUAL] = { " != ", 3 },
	[SPEC_LESS] = { " < ", 4 },         [SPEC_LESS_EQUAL] = { " <= ", 4 },
	[SPEC_GREATER] = { " > ", 4 },      [SPEC_GREATER_EQUAL] = { " >= ", 4 },
	[SPEC_BIT_OR] = { " | ", 5 },       [SPEC_BIT_XOR] = { " ^ ", 6 },
	[SPEC_BIT_AND] = { " & ", 7 },      [SPEC_SHIFT_LEFT] = { " << ", 8 },
	[SPEC_SHIFT_RIGHT] = { " >> ", 8 }, [SPEC_ADD] = { " + ", 9 },
	[SPEC_SUBTRACT] = { " - ", 9 },     [SPEC_MULTIPLY] = { " * ", 10 },
	[SPEC_NOT] = { "!", 11 },           [SPEC_COMPLEMENT] = { "~", 11 },
	[SPEC_NEGATE] = { "-", 11 },        [SPEC_RETVAL] = { "retval", 12 },
	[SPEC_LATENCY] = { "latency", 12 }, [SPEC_COMM] = { "comm", 12 },
	[SPEC_PID] = { "pid", 12 },         [SPEC_TID] = { "tid", 12 },
	[SPEC_CPU] = { "cpu", 12 },
};

static void put_string(struct writer *w, const char *s)
{
	put_char(w, '"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			put_char(w, '\\');
		put_char(w, *s);
	}
	put_char(w, '"');
}

/* A path that begins like a variable without members is a field: it says so. */
static void put_path(struct writer *w, const char *path)
{
	const char *const fields[] = { "latency", "comm", "pid", "tid", "cpu", "args" };
	struct spec_path_step first = { 0 };
	const char *at = path;

	spec_path_next(&at, &first);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!strcmp(first.name, fields[i]))
			put(w, "args.");
	put(w, path);
}

static void put_leaf(struct writer *w, const struct spec_expr *x, const struct spec_step *st)
{
	switch (st->op) {
	case SPEC_NUMBER:
		put_number(w, st->value);
		break;
	case SPEC_STRING:
		put_string(w, x->pool + st->value);
		break;
	case SPEC_PATH:
		put_path(w, x->pool + st->value);
		break;
	case SPEC_ARG:
		put(w, "arg");
		put_number(w, st->value);
		break;
	default:
		put(w, written[st->op].text);
	}
}

/* The step at which what ends with step LAST begins. */
static uint32_t begin_of(const struct spec_expr *x, uint32_t last)
{
	uint32_t need = 1, i = last + 1;

	while (need && i) {
		i--;
		need += spec_op_takes(x->step[i].op) - 1;
	}
	return i;
}

/* Writes what ends with step LAST, in parentheses when it binds less strongly than BINDS. */
static void put_expr(struct writer *w, const struct spec_expr *x, uint32_t last, int binds)
{
	const struct spec_step *st = &x->step[last];
	const unsigned int takes = spec_op_takes(st->op);
	const int own = takes ? written[st->op].binds : 12;

	if (own < binds)
		put_char(w, '(');
	if (takes == 2) {
		put_expr(w, x, begin_of(x, last - 1) - 1, own);
		put(w, written[st->op].text);
		put_expr(w, x, last - 1, own + 1);
	} else if (takes) {
		put(w, written[st->op].text);
		put_expr(w, x, last - 1, own);
	} else {
		put_leaf(w, x, st);
	}
	if (own < binds)
		put_char(w, ')');
}

size_t spec_expr_write(const struct spec_expr *expr, char *dst, size_t len, size_t size)
{
	struct writer w = { .dst = dst, .len = len, .size = size };

	if (expr->n)
		put_expr(&w, expr, expr->n - 1, 0);
	return w.len;
}

static void put_when(struct writer *w, const struct spec_expr *when)
{
	if (!when->n)
		return;
	put(w, " /");
	w->len = spec_expr_write(when, w->dst, w->len, w->size);
	put_char(w, '/');
}

char *spec_text(const struct spec *s, char dst[SPEC_TEXT_MAX])
{
	struct writer w = { .dst = dst, .size = SPEC_TEXT_MAX };

	put(&w, s->span ? "span:" : "");
	for (uint32_t i = 0; i < s->points; i++) {
		/* A name may end with what joins. */
		put(&w, !i ? "" : dst[w.len - 1] == '~' ? " ~~" : "~~");
		put_point(&w, &s->point[i]);
		put_when(&w, &s->point[i].when);
	}
	if (s->measure == SPEC_SUM) {
		put(&w, " sum(");
		w.len = spec_expr_write(&s->sum, dst, w.len, SPEC_TEXT_MAX);
		put_char(&w, ')');
	} else if (s->measure) {
		put(&w, s->measure == SPEC_COUNT ? " count()" : " time()");
	}
	return dst;
}
