/* SPDX-License-Identifier: BSD-2-Clause */
/* filters.c - see filters.h. Steps stay in their order; a comparison of the thread's name becomes one of them. */
#include "config.h"

#include "engine/filters.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define COMM_BYTES 16u           /* of the name of a thread, with its end */

/* One step for each, but for those that push: NUMBER, and the rest by filters_input(). */
static const uint8_t filter_ops[SPEC_OPS] = {
	[SPEC_NUMBER] = SB_OP_NUMBER,
	[SPEC_NOT] = SB_OP_NOT,
	[SPEC_COMPLEMENT] = SB_OP_COMPLEMENT,
	[SPEC_NEGATE] = SB_OP_NEGATE,
	[SPEC_OR] = SB_OP_OR,
	[SPEC_AND] = SB_OP_AND,
	[SPEC_EQUAL] = SB_OP_EQUAL,
	[SPEC_UNEQUAL] = SB_OP_UNEQUAL,
	[SPEC_LESS] = SB_OP_LESS,
	[SPEC_LESS_EQUAL] = SB_OP_LESS_EQUAL,
	[SPEC_GREATER] = SB_OP_GREATER,
	[SPEC_GREATER_EQUAL] = SB_OP_GREATER_EQUAL,
	[SPEC_BIT_OR] = SB_OP_BIT_OR,
	[SPEC_BIT_XOR] = SB_OP_BIT_XOR,
	[SPEC_BIT_AND] = SB_OP_BIT_AND,
	[SPEC_SHIFT_LEFT] = SB_OP_SHIFT_LEFT,
	[SPEC_SHIFT_RIGHT] = SB_OP_SHIFT_RIGHT,
	[SPEC_ADD] = SB_OP_ADD,
	[SPEC_SUBTRACT] = SB_OP_SUBTRACT,
	[SPEC_MULTIPLY] = SB_OP_MULTIPLY,
};

_Static_assert(SB_STEPS == SPEC_CODE_MAX && SB_DEPTH == SPEC_DEPTH_MAX, "what can be written can be evaluated");

/* What is translated. */
struct translating {
	const struct spec_expr *from;
	enum probe_kind kind;
	struct sb_filter *filter;
	struct sb_step *to;
	uint32_t n;              /* steps so far */
	uint32_t comms;          /* names of threads in filter */
	struct filter_names *names;
	struct err *e;
};

bool filter_in_spec(const struct spec *s, uint32_t point)
{
	return s->point[point].when.n || (point + 1 == s->points && s->sum.n);
}

static void filters_add(struct translating *t, uint32_t op, int64_t value)
{
	t->to[t->n++] = (struct sb_step){ .op = op, .value = value };
}

/* Do hits of KIND come with the registers that arguments are in? */
static bool has_arguments(enum probe_kind kind)
{
	return kind == PROBE_SYSCALL || kind == PROBE_ENTRY || kind == PROBE_CALL || kind == PROBE_KPROBE ||
		kind == PROBE_FAULT || kind == PROBE_SIGNAL;
}

/* Is the operand ST of a probe of KIND looked up when its place is known? */
static bool filters_is_name(enum probe_kind kind, const struct spec_step *st)
{
	if (st->op == SPEC_ARG)
		return kind == PROBE_USDT || kind == PROBE_RAW_TRACEPOINT;
	return st->op == SPEC_PATH && kind != PROBE_USDT && kind != PROBE_FAULT && kind != PROBE_SIGNAL;
}

/* The value that is called NAME; with TEXT whether the string there is that. */
static int filters_name(struct translating *t, const char *name, const char *text)
{
	const uint32_t most = t->kind == PROBE_CALL || t->kind == PROBE_RETURN ? SB_CALL_LOADS : SB_LOADS;
	struct filter_names *all = t->names;
	uint32_t i = 0;

	while (i < all->n && (strcmp(all->name[i], name) || all->compared[i] != !!text ||
			      (text && strcmp(all->text[i], text))))
		i++;
	if (i == most)
		return err_set(t->e, E2BIG, "a probe of kind %s can have %u different names in its condition and sum",
			       probe_kind_info(t->kind)->name, most);
	if (i == all->n) {
		snprintf(all->name[all->n], sizeof(all->name[0]), "%s", name);
		snprintf(all->text[all->n], sizeof(all->text[0]), "%s", text ? text : "");
		all->compared[all->n++] = text;
	}
	filters_add(t, SB_OP_INPUT, SB_INPUT_LOAD + i);
	return 0;
}

/* The operand ST. */
static int filters_input(struct translating *t, const struct spec_step *st)
{
	const int value = st->op == SPEC_PATH ? probe_kind_value(t->kind, t->from->pool + st->value) : -1;
	char arg[sizeof("argN")];

	if (value >= 0) {
		filters_add(t, SB_OP_INPUT, SB_INPUT_ARG + value);
		return 0;
	}
	snprintf(arg, sizeof(arg), "arg%u", (unsigned int)st->value & 7);
	if (filters_is_name(t->kind, st))
		return filters_name(t, st->op == SPEC_PATH ? t->from->pool + st->value : arg, NULL);
	switch (st->op) {
	case SPEC_ARG:
		if (!has_arguments(t->kind))
			return err_set(t->e, EOPNOTSUPP,
				       "arg%d of a probe of kind %s cannot be read yet", (int)st->value,
				       probe_kind_info(t->kind)->name);
		filters_add(t, SB_OP_INPUT, SB_INPUT_ARG + st->value);
		return 0;
	case SPEC_RETVAL:
		if (!(probe_kind_info(t->kind)->knows & PROBE_KNOWS_RETVAL))
			return err_set(t->e, EOPNOTSUPP, "retval of a probe of kind %s cannot be read yet",
				       probe_kind_info(t->kind)->name);
		filters_add(t, SB_OP_INPUT, SB_INPUT_RESULT);
		return 0;
	case SPEC_LATENCY:
		filters_add(t, SB_OP_INPUT, SB_INPUT_LATENCY);
		return 0;
	case SPEC_PID:
		filters_add(t, SB_OP_INPUT, SB_INPUT_PID);
		return 0;
	case SPEC_TID:
		filters_add(t, SB_OP_INPUT, SB_INPUT_TID);
		return 0;
	case SPEC_CPU:
		filters_add(t, SB_OP_INPUT, SB_INPUT_CPU);
		return 0;
	default:
		return err_set(t->e, EOPNOTSUPP, "'%.100s' cannot be looked up yet: arg0 to arg5, retval, "
			       "latency, comm, "
			       "pid, tid and cpu can", st->op == SPEC_PATH ? t->from->pool + st->value : "that");
	}
}

/* The name TEXT of a thread: its index, or a negative errno. */
static int filters_comm(struct translating *t, const char *text)
{
	const size_t len = strlen(text);

	if (len >= COMM_BYTES)
		return err_set(t->e, EINVAL, "no thread is called \"%.100s\": names of threads have %u bytes at most",
			       text, COMM_BYTES - 1);
	if (t->comms == SB_COMMS)
		return err_set(t->e, E2BIG, "a probe can compare names of threads %u times", SB_COMMS);
	memcpy(t->filter->comm[t->comms], text, len);
	return (int)t->comms++;
}

/* Whether the string that ST says is TEXT. */
static int filters_string(struct translating *t, const struct spec_step *st, const char *text)
{
	uint32_t texts = 1;
	char arg[sizeof("argN")];

	if (t->kind == PROBE_FAULT || t->kind == PROBE_SIGNAL || (st->op == SPEC_RETVAL && t->kind == PROBE_SYSCALL))
		return err_set(t->e, EOPNOTSUPP, "nothing but comm can be compared with text at a probe of kind %s",
			       probe_kind_info(t->kind)->name);
	for (uint32_t i = 0; i < t->names->n; i++)
		texts += t->names->compared[i] && strcmp(t->names->text[i], text);
	if (texts > SB_LOAD_TEXTS)
		return err_set(t->e, E2BIG, "a probe can compare strings with %u texts", SB_LOAD_TEXTS);
	snprintf(arg, sizeof(arg), "arg%u", (unsigned int)st->value & 7);
	return filters_name(t, st->op == SPEC_PATH ? t->from->pool + st->value : st->op == SPEC_RETVAL ? "retval" : arg,
			    text);
}

/* The three steps at ST: two texts, and how they are compared. */
static int filters_text(struct translating *t, const struct spec_step *st)
{
	const struct spec_step *text = st[0].op == SPEC_STRING ? &st[0] : &st[1], *other = text == st ? &st[1] : &st[0];
	int r;

	if (text->op != SPEC_STRING)
		return err_set(t->e, EOPNOTSUPP, "text can be compared with text in quotes alone");
	if (other->op == SPEC_COMM) {
		r = filters_comm(t, t->from->pool + text->value);
		if (r >= 0)
			filters_add(t, SB_OP_COMM, r);
	} else {
		r = filters_string(t, other, t->from->pool + text->value);
	}
	if (r < 0)
		return r;
	if (st[2].op == SPEC_UNEQUAL)
		filters_add(t, SB_OP_NOT, 0);
	return 0;
}

static int filters_translate(struct translating *t, const struct spec_expr *from, struct sb_step *to)
{
	int r = 0;

	t->from = from;
	t->to = to;
	t->n = 0;
	for (uint32_t i = 0; i < from->n && !r; i++) {
		const struct spec_step *st = &from->step[i];

		if (st->text && i + 2 < from->n) {
			r = filters_text(t, st);
			i += 2;
		} else if (filter_ops[st->op]) {
			filters_add(t, filter_ops[st->op], st->value);
		} else {
			r = filters_input(t, st);
		}
	}
	return r;
}

int filter_of_spec(const struct spec *s, uint32_t point, struct sb_filter *ret, struct filter_names *ret_names,
		   struct err *e)
{
	struct translating t = { .kind = s->point[point].kind, .filter = ret, .names = ret_names, .e = e };
	int r;

	memset(ret, 0, sizeof(*ret));
	memset(ret_names, 0, sizeof(*ret_names));
	r = filters_translate(&t, &s->point[point].when, ret->when);
	return r || point + 1 < s->points ? r : filters_translate(&t, &s->sum, ret->sum);
}
