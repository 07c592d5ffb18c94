/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wellformed.c - see wellformed.h. One cursor over the text; each function takes what it is called
 * after, or says no.
 */
#include "config.h"

#include "tests/fuzz/wellformed.h"

#include "base/text.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#define DEPTH_XML_MAX 64
#define ATTRIBUTES_MAX 40
#define HTML_SCRIPTS 3             /* one that hides the still picture, the data, and the program */

struct xml {
	const char *p, *end;
};

struct name_at {
	const char *s;
	size_t n;
};

static bool same(const struct name_at *a, const struct name_at *b)
{
	return a->n == b->n && !memcmp(a->s, b->s, a->n);
}

/* Production 2, Char; and valid UTF-8. */
static bool characters(const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		const unsigned char c = (unsigned char)s[i];
		uint32_t cp;
		size_t k;

		if (c >= ' ' && c < 0x7f) {      /* a page has 200 KB of these */
			i++;
			continue;
		}
		k = text_decode(s + i, n - i, &cp);
		if (cp == 0xfffd && k != 3)
			return false;
		if ((c < ' ' && c != '\t' && c != '\n' && c != '\r') || cp == 0xfffe || cp == 0xffff ||
		    (cp >= 0xd800 && cp <= 0xdfff))
			return false;
		i += k;
	}
	return true;
}

static bool at(const struct xml *x, const char *text)
{
	const size_t n = strlen(text);

	return (size_t)(x->end - x->p) >= n && !memcmp(x->p, text, n);
}

static bool take(struct xml *x, const char *text)
{
	const bool is = at(x, text);

	x->p += is ? strlen(text) : 0;
	return is;
}

/* Behind the next TEXT. */
static bool take_until(struct xml *x, const char *text)
{
	const char *found = memmem(x->p, (size_t)(x->end - x->p), text, strlen(text));

	x->p = found ? found + strlen(text) : x->end;
	return found;
}

static void take_blanks(struct xml *x)
{
	while (x->p < x->end && strchr(" \t\r\n", *x->p) && *x->p)
		x->p++;
}

static bool take_name(struct xml *x, struct name_at *ret)
{
	ret->s = x->p;
	while (x->p < x->end && (isalnum((unsigned char)*x->p) || (*x->p && strchr("-_:.", *x->p))))
		x->p++;
	ret->n = (size_t)(x->p - ret->s);
	return ret->n && !isdigit((unsigned char)*ret->s) && *ret->s != '-' && *ret->s != '.';
}

/* Behind "&". */
static bool take_entity(struct xml *x)
{
	static const char *const known[] = { "amp;", "lt;", "gt;", "quot;", "apos;" };
	const char *begin;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (take(x, known[i]))
			return true;
	if (!take(x, "#"))
		return false;
	begin = x->p;
	while (x->p < x->end && isdigit((unsigned char)*x->p))
		x->p++;
	return x->p > begin && take(x, ";");
}

/* Character data or a value, up to one of STOP. */
static bool take_data(struct xml *x, const char *stop)
{
	while (x->p < x->end && !strchr(stop, *x->p)) {
		if (*x->p == '<' || at(x, "]]>"))
			return false;
		if (*x->p++ == '&' && !take_entity(x))
			return false;
	}
	return true;
}

/* Attributes up to "/>" or ">"; *RET_EMPTY: the former. */
static bool take_attributes(struct xml *x, bool *ret_empty)
{
	struct name_at seen[ATTRIBUTES_MAX];

	for (size_t n = 0; n < ATTRIBUTES_MAX; n++) {
		const char *before = x->p;
		char quote[2] = "";

		take_blanks(x);
		*ret_empty = take(x, "/>");
		if (*ret_empty || take(x, ">"))
			return true;
		if (x->p == before || !take_name(x, &seen[n]) || !take(x, "=") || x->p == x->end)
			return false;
		if (*x->p != '"' && *x->p != '\'')
			return false;
		for (size_t i = 0; i < n; i++)
			if (same(&seen[i], &seen[n]))
				return false;
		quote[0] = *x->p++;
		if (!take_data(x, quote) || !take(x, quote))
			return false;
	}
	return false;
}

/* A comment has no "--" in it. */
static bool take_comment(struct xml *x)
{
	return take_until(x, "--") && take(x, ">");
}

/* What begins with "<", which is taken; the open elements are STACK[0 .. *DEPTH - 1]. */
static bool take_markup(struct xml *x, struct name_at *stack, size_t *depth)
{
	struct name_at name;
	bool empty;

	if (take(x, "!--"))
		return take_comment(x);
	if (take(x, "![CDATA["))
		return *depth && take_until(x, "]]>");
	if (take(x, "?"))
		return take_until(x, "?>");
	if (take(x, "/")) {
		if (!*depth || !take_name(x, &name) || !same(&name, &stack[*depth - 1]))
			return false;
		take_blanks(x);
		--*depth;
		return take(x, ">");
	}
	if (*depth == DEPTH_XML_MAX || !take_name(x, &name) || !take_attributes(x, &empty))
		return false;
	if (!empty)
		stack[(*depth)++] = name;
	return true;
}

bool xml_wellformed(const char *s, size_t n)
{
	struct xml x = { s, s + n };
	struct name_at stack[DEPTH_XML_MAX];
	size_t depth = 0, roots = 0;

	if (!characters(s, n))
		return false;
	while (x.p < x.end) {
		const char *text = x.p;

		if (!take_data(&x, "<"))
			return false;
		for (; !depth && text < x.p; text++)
			if (!isspace((unsigned char)*text))
				return false;
		if (x.p == x.end)
			break;
		x.p++;
		roots += !depth && x.p < x.end && isalpha((unsigned char)*x.p);
		if (!take_markup(&x, stack, &depth))
			return false;
	}
	return !depth && roots == 1;
}

/* Behind the next TEXT, which begins with "<" and is in lower case, in any case. */
static bool take_until_any_case(struct xml *x, const char *text)
{
	const size_t n = strlen(text);

	for (; (x->p = memchr(x->p, '<', (size_t)(x->end - x->p))) && (size_t)(x->end - x->p) >= n; x->p++)
		if (!strncasecmp(x->p, text, n)) {
			x->p += n;
			return true;
		}
	return false;
}

bool html_own_scripts(const char *s, size_t n)
{
	struct xml x = { s, s + n };
	unsigned int scripts = 0;

	if (!characters(s, n))
		return false;
	while (take_until_any_case(&x, "<script")) {
		const char *begin;

		if (!take_until(&x, ">"))
			return false;
		begin = x.p;
		if (!take_until_any_case(&x, "</script>") || memmem(begin, (size_t)(x.p - begin), "<!--", 4))
			return false;
		scripts++;
	}
	x = (struct xml){ s, s + n };
	return (!scripts || scripts == HTML_SCRIPTS) && take_until(&x, "</html>");
}

bool lines_clean(const char *s, size_t n)
{
	while (n) {
		const size_t len = strcspn(s, "\t\n");

		if (len >= n || !text_is_clean(s, len))
			return false;
		s += len + 1;
		n -= len + 1;
	}
	return true;
}

bool lines_end_in_number(const char *s, size_t n)
{
	while (n) {
		const char *nl = memchr(s, '\n', n), *p = nl;

		while (p && p > s && isdigit((unsigned char)p[-1]))
			p--;
		if (!p || p == nl || p == s)
			return false;
		p -= p[-1] == '-';
		if (p == s || p[-1] != ' ')
			return false;
		n -= (size_t)(nl + 1 - s);
		s = nl + 1;
	}
	return true;
}
