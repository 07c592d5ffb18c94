/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spec_expr.c - expressions of probes: text to postfix steps, and their reference evaluation.
 *
 * While steps are written, the types of the values that would be on the stack are kept: so what
 * leaves here needs no check of types or depth in the kernel.
 */
#include "config.h"

#include "probe/spec_read.h"

#include "base/parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum value_type { VALUE_NUMBER, VALUE_TEXT, VALUE_EITHER };

struct expr_reader {
	struct spec_reader *r;
	struct spec_expr *out;
	unsigned int knows;
	enum probe_kind kind;
	char ends;
	uint32_t pool_used, values;
	uint8_t type[SPEC_DEPTH_MAX]; /* of the values on the stack */
	uint8_t pushed_by[SPEC_DEPTH_MAX]; /* the step that pushed each */
};

struct operator
{
	char text[3];
	uint8_t op, binds;
};

/* Longer ones before those that they begin with. */
static const struct operator operators[] = {
	{ "||", SPEC_OR, 1 },         { "&&", SPEC_AND, 2 },
	{ "==", SPEC_EQUAL, 3 },      { "!=", SPEC_UNEQUAL, 3 },
	{ "<<", SPEC_SHIFT_LEFT, 8 }, { ">>", SPEC_SHIFT_RIGHT, 8 },
	{ "<=", SPEC_LESS_EQUAL, 4 }, { ">=", SPEC_GREATER_EQUAL, 4 },
	{ "<", SPEC_LESS, 4 },        { ">", SPEC_GREATER, 4 },
	{ "|", SPEC_BIT_OR, 5 },      { "^", SPEC_BIT_XOR, 6 },
	{ "&", SPEC_BIT_AND, 7 },     { "+", SPEC_ADD, 9 },
	{ "-", SPEC_SUBTRACT, 9 },    { "*", SPEC_MULTIPLY, 10 },
};

static const struct variable {
	const char *name;
	uint8_t op, type, knows; /* KNOWS 0: every kind */
} variables[] = {
	{ "retval", SPEC_RETVAL, VALUE_EITHER, PROBE_KNOWS_RETVAL },
	{ "latency", SPEC_LATENCY, VALUE_NUMBER, PROBE_KNOWS_LATENCY },
	{ "comm", SPEC_COMM, VALUE_TEXT, 0 },
	{ "pid", SPEC_PID, VALUE_NUMBER, 0 },
	{ "tid", SPEC_TID, VALUE_NUMBER, 0 },
	{ "cpu", SPEC_CPU, VALUE_NUMBER, 0 },
};
#define NR_VARIABLES (sizeof(variables) / sizeof(variables[0]))

unsigned int spec_op_takes(enum spec_op op)
{
	return op >= SPEC_OR ? 2 : op >= SPEC_NOT ? 1 : 0;
}

const char *spec_variable(unsigned int nr, unsigned int *ret_knows)
{
	if (nr >= NR_VARIABLES)
		return NULL;
	*ret_knows = variables[nr].knows;
	return variables[nr].name;
}

static const struct variable *variable_find(const char *word, size_t len)
{
	for (size_t i = 0; i < NR_VARIABLES; i++)
		if (strlen(variables[i].name) == len && !memcmp(variables[i].name, word, len))
			return &variables[i];
	return NULL;
}

/* Whether the LEN bytes at WORD are argN. */
static bool is_argument(const char *word, size_t len)
{
	return len == 4 && !memcmp(word, "arg", 3) && word[3] >= '0' && word[3] <= '9';
}

static int push(struct expr_reader *x, const char *at, enum spec_op op, enum value_type type, int64_t value)
{
	struct spec_expr *out = x->out;

	if (out->n == SPEC_CODE_MAX)
		return spec_refuse(x->r, at, "the expression is too long: it may have %u values and operators",
				   SPEC_CODE_MAX);
	if (x->values == SPEC_DEPTH_MAX)
		return spec_refuse(x->r, at, "the expression is nested too deeply: write it with fewer parentheses");
	x->type[x->values] = type;
	x->pushed_by[x->values++] = (uint8_t)out->n;
	out->step[out->n++] = (struct spec_step){ .op = op, .text = type == VALUE_TEXT, .value = value };
	if (x->values > out->depth)
		out->depth = x->values;
	return 0;
}

/* Compares texts when a side is text: the other side must be text, or be able to be. */
static int text_sides(struct expr_reader *x, const char *at, enum spec_op op, bool *ret_text)
{
	const uint32_t left = x->values - 2;
	bool text = false, number = false;

	for (uint32_t i = left; i < x->values; i++) {
		text |= x->type[i] == VALUE_TEXT;
		number |= x->type[i] == VALUE_NUMBER;
	}
	if (text && op != SPEC_EQUAL && op != SPEC_UNEQUAL)
		return spec_refuse(x->r, at, "text can be compared by == and != alone");
	if (text && number)
		return spec_refuse(x->r, at, "text is compared with a number: write both sides as text, or as numbers");
	for (uint32_t i = left; text && i < x->values; i++)
		x->out->step[x->pushed_by[i]].text = 1;
	*ret_text = text;
	return 0;
}

static int operate(struct expr_reader *x, const char *at, enum spec_op op)
{
	struct spec_expr *out = x->out;
	bool text = false;
	int rc;

	if (spec_op_takes(op) == 2) {
		rc = text_sides(x, at, op, &text);
		if (rc < 0)
			return rc;
		x->values--;
	} else if (x->type[x->values - 1] == VALUE_TEXT) {
		return spec_refuse(x->r, at, "text can be compared by == and != alone");
	}
	if (out->n == SPEC_CODE_MAX)
		return spec_refuse(x->r, at, "the expression is too long: it may have %u values and operators",
				   SPEC_CODE_MAX);
	x->type[x->values - 1] = VALUE_NUMBER;
	x->pushed_by[x->values - 1] = (uint8_t)out->n;
	out->step[out->n++] = (struct spec_step){ .op = op, .text = text };
	return 0;
}

/* Keeps the LEN bytes at S, with a NUL behind; *RET says where. */
static int pool_add(struct expr_reader *x, const char *at, const char *s, size_t len, int64_t *ret)
{
	if (len >= SPEC_POOL_MAX - x->pool_used)
		return spec_refuse(x->r, at,
				   "the texts and names of the expression are too long: %u bytes are the limit",
				   SPEC_POOL_MAX);
	memcpy(x->out->pool + x->pool_used, s, len);
	*ret = x->pool_used;
	x->pool_used += (uint32_t)len + 1;
	return 0;
}

static int read_literal(struct expr_reader *x)
{
	struct spec_reader *r = x->r;
	const char *at = r->at;
	struct err why = ERR_INIT;
	uint64_t value = 0;
	char word[32];
	size_t len = 0;
	int rc;

	while (isalnum((unsigned char)at[len]) || at[len] == '.')
		len++;
	if (len >= sizeof(word))
		return spec_refuse(r, at, "the number is too long");
	memcpy(word, at, len);
	word[len] = '\0';
	if (word[0] == '0' && word[1] == 'x') {
		const char *p = word + 2;

		if (!parse_hex(&p, word + len, &value) || *p || value > INT64_MAX)
			return spec_refuse(r, at, "'%s' is no hexadecimal number of at most 63 bits", word);
	} else {
		if (strchr("KMGB", word[len - 1]))
			rc = parse_size(word, "number", 0, INT64_MAX, &value, &why);
		else if (isdigit((unsigned char)word[len - 1]) && !strchr(word, '.'))
			rc = parse_u64(word, "number", 0, INT64_MAX, &value, &why);
		else
			rc = parse_time(word, "number", 0, INT64_MAX, &value, &why);
		if (rc < 0)
			return spec_refuse(r, at, "%s", why.text);
	}
	r->at += len;
	return push(x, at, SPEC_NUMBER, VALUE_NUMBER, (int64_t)value);
}

static int read_string(struct expr_reader *x)
{
	struct spec_reader *r = x->r;
	const char *at = r->at++;
	char text[SPEC_WORD_MAX];
	size_t len = 0;
	int64_t where = 0;
	int rc;

	for (; *r->at && *r->at != '"'; r->at++) {
		if (*r->at == '\\' && (r->at[1] == '"' || r->at[1] == '\\'))
			r->at++;
		if (len == sizeof(text))
			return spec_refuse(r, at, "the text is too long: %u bytes are the limit", SPEC_WORD_MAX);
		text[len++] = *r->at;
	}
	if (!*r->at)
		return spec_refuse(r, at, "the text has no end: a '\"' is missing");
	r->at++;
	rc = pool_add(x, at, text, len, &where);
	return rc < 0 ? rc : push(x, at, SPEC_STRING, VALUE_TEXT, where);
}

static size_t word_len(const char *s)
{
	size_t len = 0;

	if (isdigit((unsigned char)*s))
		return 0;
	while (isalnum((unsigned char)s[len]) || s[len] == '_')
		len++;
	return len;
}

/* How long the "->", "." or "[" is that begins a further step of a path at S; 0 = none does. */
static size_t path_join(const char *s)
{
	return s[0] == '-' && s[1] == '>' ? 2 : s[0] == '.' || s[0] == '[';
}

/* Steps over the rest of a path, behind its first name. */
static int path_rest(struct expr_reader *x)
{
	struct spec_reader *r = x->r;

	for (unsigned int steps = 0; path_join(r->at); steps++) {
		const char *at = r->at;
		const bool index = *at == '[';
		size_t len;

		r->at += path_join(at);
		len = index ? strspn(r->at, "0123456789") : word_len(r->at);
		if (!len || len >= (index ? 7 : SPEC_WORD_MAX) || (index && r->at[len] != ']'))
			return spec_refuse(r, at, "behind '%.*s' a %s is missing", (int)path_join(at), at,
					   index ? "number below 1000000 and ']'" : "name of at most 63 letters");
		if (steps == SPEC_PATH_STEPS_MAX)
			return spec_refuse(r, at, "the path is too long: %u members are the limit",
					   SPEC_PATH_STEPS_MAX);
		r->at += len + index;
	}
	return 0;
}

/* Refuses what needs a value that the kind does not know. */
static int need(struct expr_reader *x, const char *at, unsigned int needs, const char *word, size_t len)
{
	const unsigned int lacks = needs & ~x->knows;
	const char *why = lacks & PROBE_KNOWS_LATENCY  ? "sys, call and the end of a span have a latency"
			  : lacks & PROBE_KNOWS_RETVAL ? "sys, call, uretprobe and kretprobe have a result"
			  : lacks & PROBE_KNOWS_ARGS && x->knows & PROBE_KNOWS_FIELDS ? "use the names of its fields"
			  : lacks & PROBE_KNOWS_ARGS    ? "it has no arguments; call has both arguments and result"
			  : x->knows & PROBE_KNOWS_ARGS ? "it has no names, but arg0 to arg5"
							: "use retval, comm, pid, tid or cpu";

	if (!lacks)
		return 0;
	return spec_refuse(x->r, at, "'%.*s' is not known at a probe of kind %s: %s", (int)len, word,
			   probe_kind_info(x->kind)->name, why);
}

/* A path, or a name alone, whose first name is the LEN bytes at WORD. */
static int read_path(struct expr_reader *x, const char *at, const char *word, size_t len)
{
	const struct variable *v = variable_find(word, len);
	const unsigned int needs = is_argument(word, len)      ? PROBE_KNOWS_ARGS
				   : v && v->op == SPEC_RETVAL ? PROBE_KNOWS_RETVAL
							       : PROBE_KNOWS_FIELDS;
	int64_t where = 0;
	int rc = need(x, at, needs, word, len);

	if (rc < 0)
		return rc;
	if (len >= SPEC_WORD_MAX)
		return spec_refuse(x->r, at, "the name is too long: %u letters are the limit", SPEC_WORD_MAX - 1);
	rc = path_rest(x);
	if (rc < 0)
		return rc;
	rc = pool_add(x, at, word, (size_t)(x->r->at - word), &where);
	return rc < 0 ? rc : push(x, at, SPEC_PATH, VALUE_EITHER, where);
}

static int read_word(struct expr_reader *x)
{
	struct spec_reader *r = x->r;
	const char *at = r->at, *word = at;
	size_t len = word_len(word);
	bool field = false;
	const struct variable *v;
	int rc;

	if (len == 4 && !memcmp(word, "args", 4) && path_join(word + len) && word[len] != '[') {
		word += len + path_join(word + len);
		len = word_len(word);
		field = true;
		if (!len)
			return spec_refuse(r, at, "behind 'args' the name of a field is missing");
	}
	r->at = word + len;
	v = variable_find(word, len);
	if (path_join(r->at) && v && !field && v->op != SPEC_RETVAL)
		return spec_refuse(r, at, "'%s' has no members", v->name);
	if (is_argument(word, len) && word[3] > '5')
		return spec_refuse(r, at, "'%.*s' is not known: a probe has arg0 to arg5", (int)len, word);
	if (path_join(r->at))
		return read_path(x, at, word, len);
	if (is_argument(word, len)) {
		rc = need(x, at, PROBE_KNOWS_ARGS, word, len);
		return rc < 0 ? rc : push(x, at, SPEC_ARG, VALUE_EITHER, word[3] - '0');
	}
	if (!v || (field && v->op != SPEC_RETVAL))
		return read_path(x, at, word, len);
	rc = need(x, at, v->knows, word, len);
	return rc < 0 ? rc : push(x, at, v->op, v->type, 0);
}

static int read_level(struct expr_reader *x, unsigned int binds, unsigned int nested);

static int read_unary(struct expr_reader *x, unsigned int nested)
{
	struct spec_reader *r = x->r;
	const char *at;
	int rc;

	spec_blanks(r);
	at = r->at;
	if (nested > SPEC_DEPTH_MAX)
		return spec_refuse(r, at, "the expression is nested too deeply: write it with fewer parentheses");
	if (*at == '!' || *at == '~' || *at == '-') {
		const enum spec_op op = *at == '!' ? SPEC_NOT : *at == '~' ? SPEC_COMPLEMENT : SPEC_NEGATE;
		struct spec_step *last;

		r->at++;
		rc = read_unary(x, nested + 1);
		last = rc < 0 ? NULL : &x->out->step[x->out->n - 1];
		if (last && op == SPEC_NEGATE && last->op == SPEC_NUMBER) {
			last->value = -last->value;
			return 0;
		}
		return rc < 0 ? rc : operate(x, at, op);
	}
	if (*at == '(') {
		r->at++;
		rc = read_level(x, 1, nested + 1);
		if (rc < 0)
			return rc;
		spec_blanks(r);
		if (*r->at != ')')
			return spec_refuse(r, r->at, "a ')' is missing here for the '(' at character %zu",
					   (size_t)(at - r->text) + 1);
		r->at++;
		return 0;
	}
	if (isdigit((unsigned char)*at))
		return read_literal(x);
	if (*at == '"')
		return read_string(x);
	if (word_len(at))
		return read_word(x);
	return spec_refuse(r, at,
			   "a value is missing here: a number, \"text\", arg0 to arg5, retval, latency, comm, pid, "
			   "tid, cpu or a name");
}

static const struct operator* operator_at(const char *at)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (!strncmp(at, operators[i].text, strlen(operators[i].text)))
			return &operators[i];
	return NULL;
}

/* What operators that bind at least as strongly as BINDS connect. */
static int read_level(struct expr_reader *x, unsigned int binds, unsigned int nested)
{
	int rc = read_unary(x, nested);

	while (!rc) {
		const struct operator* o;
		const char *at;

		spec_blanks(x->r);
		at = x->r->at;
		o = operator_at(at);
		if (!o || o->binds < binds)
			break;
		x->r->at += strlen(o->text);
		rc = read_level(x, o->binds + 1, nested);
		if (!rc)
			rc = operate(x, at, o->op);
	}
	return rc;
}

int spec_expr_read(struct spec_reader *r, char ends, unsigned int knows, enum probe_kind kind, struct spec_expr *ret)
{
	struct expr_reader x = { .r = r, .out = ret, .knows = knows, .kind = kind, .ends = ends };
	const char *at = r->at;
	int rc;

	*ret = (struct spec_expr){ 0 };
	rc = read_level(&x, 1, 0);
	if (rc < 0)
		return rc;
	if (!*r->at)
		return spec_refuse(r, r->at, "the expression has no end: a '%c' is missing", ends);
	if (*r->at != ends)
		return spec_refuse(r, r->at, "'%c' makes no sense here: an operator or '%c' would", *r->at, ends);
	r->at++;
	if (x.type[0] == VALUE_TEXT)
		return spec_refuse(r, at,
				   "text alone is no %s: compare it by == or !=", ends == '/' ? "condition" : "sum");
	return 0;
}

bool spec_path_next(const char **at, struct spec_path_step *ret)
{
	const char *s = *at;
	const size_t join = path_join(s);
	size_t len;

	*ret = (struct spec_path_step){ .join = !join       ? SPEC_PATH_FIRST
						: *s == '.' ? SPEC_PATH_MEMBER
						: *s == '[' ? SPEC_PATH_INDEX
							    : SPEC_PATH_POINTER };
	s += join;
	if (ret->join == SPEC_PATH_INDEX) {
		uint64_t index;
		const char *end = s + strlen(s);

		if (!parse_dec(&s, end, &index) || *s != ']' || index > UINT32_MAX)
			return false;
		ret->index = (uint32_t)index;
		*at = s + 1;
		return true;
	}
	len = word_len(s);
	if (!len || len >= sizeof(ret->name))
		return false;
	memcpy(ret->name, s, len);
	*at = s + len;
	return true;
}

/* A value of the reference evaluation. */
struct spec_value {
	int64_t number;
	const char *text;
};

static bool spec_value_of(const struct spec_expr *x, const struct spec_step *st, spec_look_fn *look, void *ctx,
			  struct spec_value *ret)
{
	const bool pooled = st->op == SPEC_STRING || st->op == SPEC_PATH;

	if (pooled && (st->value < 0 || st->value >= (int64_t)SPEC_POOL_MAX))
		return false;
	if (st->op == SPEC_NUMBER || st->op == SPEC_STRING) {
		*ret = (struct spec_value){ .number = st->value,
					    .text = st->op == SPEC_STRING ? x->pool + st->value : NULL };
		return true;
	}
	return look(ctx, x, st, st->text, &ret->number, &ret->text) && (!st->text || ret->text);
}

static int64_t shifted(int64_t a, int64_t by, bool left)
{
	if (by < 0 || by > 63)
		return 0;
	return left ? (int64_t)((uint64_t)a << by) : a >> by;
}

static int64_t spec_operate(enum spec_op op, int64_t a, int64_t b)
{
	switch (op) {
	case SPEC_OR:
		return a || b;
	case SPEC_AND:
		return a && b;
	case SPEC_EQUAL:
		return a == b;
	case SPEC_UNEQUAL:
		return a != b;
	case SPEC_LESS:
		return a < b;
	case SPEC_LESS_EQUAL:
		return a <= b;
	case SPEC_GREATER:
		return a > b;
	case SPEC_GREATER_EQUAL:
		return a >= b;
	case SPEC_BIT_OR:
		return a | b;
	case SPEC_BIT_XOR:
		return a ^ b;
	case SPEC_BIT_AND:
		return a & b;
	case SPEC_SHIFT_LEFT:
		return shifted(a, b, true);
	case SPEC_SHIFT_RIGHT:
		return shifted(a, b, false);
	case SPEC_ADD:
		return (int64_t)((uint64_t)a + (uint64_t)b);
	case SPEC_SUBTRACT:
		return (int64_t)((uint64_t)a - (uint64_t)b);
	case SPEC_MULTIPLY:
		return (int64_t)((uint64_t)a * (uint64_t)b);
	case SPEC_NOT:
		return !a;
	case SPEC_COMPLEMENT:
		return ~a;
	default:
		return (int64_t) - (uint64_t)a;
	}
}

bool spec_eval(const struct spec_expr *expr, spec_look_fn *look, void *ctx, int64_t *ret)
{
	struct spec_value stack[SPEC_DEPTH_MAX];
	uint32_t n = 0;

	if (expr->n > SPEC_CODE_MAX || expr->pool[SPEC_POOL_MAX - 1])
		return false;
	for (uint32_t i = 0; i < expr->n; i++) {
		const struct spec_step *st = &expr->step[i];
		const unsigned int takes = spec_op_takes(st->op);
		struct spec_value v = { 0 }, *a;

		if (!st->op || st->op >= SPEC_OPS || n < takes || n - takes >= SPEC_DEPTH_MAX)
			return false;
		a = &stack[n - takes];
		if (!takes && !spec_value_of(expr, st, look, ctx, &v))
			return false;
		if (takes == 2 && st->text) {
			if (!a[0].text || !a[1].text)
				return false;
			v.number = !strcmp(a[0].text, a[1].text) == (st->op == SPEC_EQUAL);
		} else if (takes) {
			v.number = spec_operate(st->op, a[0].number, takes == 2 ? a[1].number : 0);
		}
		n -= takes;
		stack[n++] = v;
	}
	if (expr->n && n != 1)
		return false;
	*ret = expr->n ? stack[0].number : 1;
	return true;
}
