/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shortname.c - shortens a demangled name by its parameters, template arguments and return type.
 * One pass from left to right copies what stays. A word before a blank was a return type if a
 * parameter list follows, so the start of the last word is remembered. It gives up on what does not
 * fit.
 */
#include "config.h"

#include "query/shortname.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define DEPTH_MAX 256u           /* of brackets; deeper is no name */

struct reader {
	const char *s;
	size_t n, at;            /* bytes there are; the next one */
	char *dst;
	size_t out;              /* bytes written */
	size_t base, word;       /* in dst: what is between may be a return type; the last word begins at WORD */
	size_t sign;             /* in dst: where an operator's sign ended, SIZE_MAX = nowhere */
	unsigned int kept;       /* angle brackets that are part of the name and still open */
	unsigned int braces;     /* open */
	bool conversion;         /* to a type, whose blanks part no words */
	bool params;             /* a parameter list was left out */
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool shortname_starts(const struct reader *r, const char *text)
{
	const size_t len = strlen(text);

	return r->n - r->at >= len && !memcmp(r->s + r->at, text, len);
}

/* What was written since FROM ends in TEXT. */
static bool shortname_ends_in(const struct reader *r, size_t from, const char *text)
{
	const size_t len = strlen(text);

	return r->out - from >= len && !memcmp(r->dst + r->out - len, text, len);
}

/* The last byte of the last word; NUL = it has none yet. */
static char shortname_before(const struct reader *r)
{
	return r->out > r->word ? r->dst[r->out - 1] : '\0';
}

static bool shortname_copy(struct reader *r, size_t n)
{
	memcpy(r->dst + r->out, r->s + r->at, n);
	r->out += n;
	r->at += n;
	return true;
}

/* So many bytes of the N at S are an operator's sign; 0 = none. */
static size_t sign_len(const char *s, size_t n)
{
	static const char *const signs[] = { "<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>", "<=", ">=", "==",
					     "!=", "&&", "||",
					     "++", "--", "->", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=",
					     "\"\"", "+", "-", "*",
					     "/", "%", "^", "&", "|", "~", "!", "=", "<", ">", ",",
					     " new[]", " delete[]", " new", " delete", " co_await" };

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (n >= strlen(signs[i]) && !memcmp(s, signs[i], strlen(signs[i])))
			return strlen(signs[i]);
	return 0;
}

#define OPERATOR "operator"

/* "operator" begins at I of the N bytes at S, and ends there as a word. */
static bool is_operator(const char *s, size_t n, size_t i)
{
	const size_t len = strlen(OPERATOR);

	return n - i > len && !memcmp(s + i, OPERATOR, len) && !is_word(s[i + len]) && !(i && is_word(s[i - 1]));
}

/* "operator" and its sign begin at I: how many bytes. 0 = they do not. */
static size_t operator_len(const char *s, size_t n, size_t i)
{
	const size_t len = strlen(OPERATOR);
	const size_t sign = is_operator(s, n, i) ? sign_len(s + i + len, n - i - len) : 0;

	return sign ? len + sign : 0;
}

static char shortname_closing(char open)
{
	return open == '<' ? '>' : open == '(' ? ')' : open == '[' ? ']' : '}';
}

/* Where the bracket that opens at I ends, behind it; 0 = nowhere. */
static size_t shortname_bracket_end(const char *s, size_t n, size_t i)
{
	char open[DEPTH_MAX];
	size_t depth = 0;

	while (i < n) {
		const size_t op = operator_len(s, n, i);
		const char c = s[i];

		i += op ? op : 1;
		if (op || !c || (c == '>' && s[i - 2] == '-')) {
			continue;
		} else if (strchr("<([{", c)) {
			if (depth == DEPTH_MAX)
				return 0;
			open[depth++] = c;
		} else if (strchr(")]}", c) || (c == '>' && open[depth - 1] == '<')) {
			while (c != '>' && depth && open[depth - 1] == '<')
				depth--;         /* "less than" */
			if (!depth || shortname_closing(open[--depth]) != c)
				return 0;
			if (!depth)
				return i;
		}
	}
	return 0;
}

static bool copy_bracket(struct reader *r)
{
	const size_t end = shortname_bracket_end(r->s, r->n, r->at);

	return end && shortname_copy(r, end - r->at);
}

static bool shortname_skip_bracket(struct reader *r)
{
	const size_t end = shortname_bracket_end(r->s, r->n, r->at);

	if (end)
		r->at = end;
	return end;
}

static bool read_operator(struct reader *r)
{
	const size_t len = operator_len(r->s, r->n, r->at);

	if (len) {
		shortname_copy(r, len);
		r->sign = r->out;
		return true;
	}
	r->conversion = r->s[r->at + strlen(OPERATOR)] == ' ';
	return shortname_copy(r, strlen(OPERATOR) + r->conversion);
}

/* Angle brackets behind "::" that are a part of the path of their own. */
static bool is_part(const struct reader *r, size_t end)
{
	static const char *const begin[] = { "<lambda", "<unnamed", "<impl " };

	for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++)
		if (shortname_starts(r, begin[i]))
			return true;
	if (end < r->n && (r->n - end < 2 || memcmp(r->s + end, "::", 2) != 0))
		return true;             /* "py::<module>:/a.py", "Foo::<init>(int)" */
	return memmem(r->s + r->at, end - r->at, " as ", 4);
}

/* Template arguments go, "<T as Trait>::f" and "<module>" stay. */
static bool read_angle(struct reader *r)
{
	const size_t end = shortname_bracket_end(r->s, r->n, r->at);
	const char c = shortname_before(r);

	if (!end)
		return false;
	if (r->sign == r->out || is_word(c) || (c && strchr(")]}>", c))) {
		r->at = end;
		return end == r->n || !is_word(r->s[end]);
	}
	if (c == ':' && !is_part(r, end)) {
		r->out -= shortname_ends_in(r, r->word, "::") ? 2 : 0;
		r->at = end;
		return true;
	}
	r->kept++;
	return shortname_copy(r, 1);
}

/* Behind a parameter list: what belongs to it goes; false when something follows that must not. */
static bool read_tail(struct reader *r)
{
	static const char *const belongs[] = { " const", " volatile", " restrict", " noexcept", " &&", " &" };

	for (size_t i = 0; i < sizeof(belongs) / sizeof(belongs[0]); i++) {
		if (shortname_starts(r, belongs[i])) {
			r->at += strlen(belongs[i]);
			i = SIZE_MAX;    /* from the first on again */
		}
	}
	if (shortname_starts(r, " requires "))
		r->at = r->n;
	return r->at == r->n || shortname_starts(r, "::") || shortname_starts(r, " [") || strchr(".@[", r->s[r->at]);
}

/* "int (*f<int>(int))(char)": what the function that returns a pointer is called is within. */
static bool read_pointer(struct reader *r)
{
	const size_t end = shortname_bracket_end(r->s, r->n, r->at);

	if (!end)
		return false;
	r->at += 2;
	r->n = end - 1;
	return true;
}

static bool read_paren(struct reader *r)
{
	const char c = shortname_before(r);

	if (shortname_starts(r, "(anonymous") || c == '.' ||
	    (r->kept && (!is_word(c) || shortname_ends_in(r, r->word, "fn"))))
		return copy_bracket(r);
	if (r->braces && !is_word(c))    /* "struct { f (int) }" of Go */
		return copy_bracket(r);
	if (r->kept || r->braces || shortname_ends_in(r, r->base, "decltype") ||
	    shortname_ends_in(r, r->base, "decltype "))
		return shortname_skip_bracket(r);
	if (c == '!') {                  /* of D */
		r->out--;
		return shortname_skip_bracket(r);
	}
	if (!c && (shortname_starts(r, "(*") || shortname_starts(r, "(&")))
		return read_pointer(r);
	if (!is_word(c) && r->sign != r->out && !r->conversion && !(c && strchr(">]}", c)))
		return false;
	r->params = true;
	r->conversion = false;
	return shortname_skip_bracket(r) && read_tail(r);
}

static bool read_blank(struct reader *r)
{
	if (r->sign == r->out && shortname_starts(r, " <")) {      /* "operator<< <int>" */
		r->at++;
		return true;
	}
	if (r->sign == r->out || shortname_starts(r, " [clone ") || r->kept || r->braces || r->conversion)
		return shortname_copy(r, 1);       /* within a word: operator"" _s */
	shortname_copy(r, 1);
	if (shortname_ends_in(r, r->base, " to ") || shortname_ends_in(r, r->base, " for "))
		r->base = r->out;        /* "non-virtual thunk to " */
	r->word = r->out;
	return true;
}

static bool read_one(struct reader *r)
{
	const char c = r->s[r->at];

	if (is_operator(r->s, r->n, r->at))
		return read_operator(r);
	switch (c) {
	case '<':
		return read_angle(r);
	case '>':
		if (shortname_before(r) == '-')
			return shortname_copy(r, 1);
		return r->kept && r->kept-- && shortname_copy(r, 1);
	case '(':
		return read_paren(r);
	case '[':
		return shortname_starts(r, "[abi:") ? shortname_skip_bracket(r) : copy_bracket(r);
	case '{':
		r->braces++;
		return shortname_copy(r, 1);
	case '}':
		return r->braces && r->braces-- && shortname_copy(r, 1);
	case ')':
	case ']':
		return false;
	case ' ':
		return read_blank(r);
	default:
		return shortname_copy(r, 1);
	}
}

size_t shortname(const char *name, size_t len, char *dst)
{
	struct reader r = { .s = name, .n = len, .dst = dst, .sign = SIZE_MAX };
	bool ok = memchr(name, '(', len) || memchr(name, '<', len);

	while (ok && r.at < r.n)
		ok = read_one(&r);
	if (!ok || r.kept || r.braces || r.out == r.word) {
		memcpy(dst, name, len);
		r.out = len;
	} else if (r.params) {
		memmove(dst + r.base, dst + r.word, r.out - r.word);
		r.out -= r.word - r.base;
	}
	dst[r.out] = '\0';
	return r.out;
}
