/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * terms.c - parses filters that a person typed into terms, and writes terms as text again. The
 * grammar is in terms.h.
 */
#include "config.h"

#include "query/terms.h"

#include "base/parse.h"
#include "base/pattern.h"
#include "base/wildcard.h"
#include "model/nodeset.h"
#include "model/wait.h"
#include "query/query.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* a cgroup's path may have PATH_MAX bytes; what is longer, in a recording, matches nothing */
#define NAME_MAX_MATCHED 4096u

static const char *const keywords[TERM_NR] = {
	[TERM_FUNCTION] = "function", [TERM_THREAD] = "thread", [TERM_PROCESS] = "process", [TERM_CGROUP] = "cgroup",
	[TERM_CONTAINER] = "container", [TERM_HOST] = "host",
	[TERM_NODE] = "node", [TERM_STATE] = "state", [TERM_SYSCALL] = "syscall",
	[TERM_SIZE] = "size",
};

/* The keyword that TEXT begins with; TERM_NR when it is a function. */
static enum term_what keyword_of(const char *text)
{
	for (enum term_what w = 0; w < TERM_NR; w++) {
		const size_t len = strlen(keywords[w]);

		if (!strncmp(text, keywords[w], len) && text[len] == ':' && text[len + 1] != ':')
			return w;
	}
	return TERM_NR;
}

/* Copies the next part of *AT, up to a comma, into DST and moves *AT behind it. False behind the last. */
static bool next_part(const char **at, char dst[TERM_TEXT_MAX])
{
	size_t n = 0;

	if (!*at)
		return false;
	*at += strspn(*at, " ");
	for (; **at && **at != ','; (*at)++) {
		if (**at == '\\' && (*at)[1] && n + 2 < TERM_TEXT_MAX)
			dst[n++] = *(*at)++;
		if (n + 1 < TERM_TEXT_MAX)
			dst[n++] = **at;
	}
	dst[n] = '\0';
	*at = **at ? *at + 1 : NULL;
	return true;
}

/* How OPTION begins a sentence. */
static const char *terms_lead(const char *option, char *dst, size_t size)
{
	snprintf(dst, size, "%s%s", option ? option : "", option ? ": " : "");
	return dst;
}

static int check_state(const char *part, const char *option, struct err *e)
{
	const enum wait_state s = wait_state_find(part);
	char before[32];

	if (s != WAIT_STATE_NR && s != WAIT_NONE)
		return 0;
	return err_set(e, EINVAL, "%sthere is no state '%s': there are R preempted, S interruptible, D "
		       "uninterruptible, K killable, T stopped, "
		       "t traced, X exiting, I idle, N new and F frozen",
		       terms_lead(option, before, sizeof(before)), part);
}

static int check_call(const char *part, const char *arch, const char *option, struct err *e)
{
	char before[32];

	if (call_find(part, arch) != CALL_NONE)
		return 0;
	return err_set(e, EINVAL, "%sthere is no system call '%s' on %s: write it as its manual page does, such as "
		       "futex, read or epoll_wait",
		       terms_lead(option, before, sizeof(before)), part, arch && arch[0] ? arch : "this machine");
}

static int terms_check_nodes(const char *text, const char *option, struct err *e)
{
	struct nodeset nodes = { { 0 } };
	char before[32];

	if (nodeset_parse(text, &nodes))
		return 0;
	return err_set(e, EINVAL, "%s'%s' is no list of NUMA nodes such as 0-1,3",
		       terms_lead(option, before, sizeof(before)), text);
}

/* The bits of "4K", "1K-64K", "1M-" or "-512"; 0 when PART is none of them. */
static uint64_t terms_size_range(const char *part)
{
	char low[TERM_TEXT_MAX];
	const char *dash = strchr(part, '-'), *high = dash ? dash + 1 : part;
	const size_t len = dash ? (size_t)(dash - part) : strlen(part);
	uint64_t from = 0, to = UINT64_MAX;

	snprintf(low, sizeof(low), "%.*s", (int)len, part);
	if ((!*low && !*high) || (*low && parse_size(low, "size", 0, INT64_MAX, &from, NULL) < 0) ||
	    (*high && parse_size(high, "size", 0, INT64_MAX, &to, NULL) < 0) || to < from)
		return 0;
	return (term_size_bit(octave_class(to)) << 1) - term_size_bit(octave_class(from));
}

int term_sizes(const char *text, const char *option, uint64_t *ret, struct err *e)
{
	char part[TERM_TEXT_MAX], before[32];
	uint64_t all = 0;

	for (const char *at = text; next_part(&at, part);) {
		const uint64_t range = terms_size_range(part);

		if (!range)
			return err_set(e, EINVAL, "%s'%s' is no size of memory such as 4K, 1K-64K, 1M- or -512",
				       terms_lead(option, before, sizeof(before)), part);
		all |= range;
	}
	*ret = all;
	return 0;
}

static int terms_check(const struct filter_term *t, const char *option, const char *arch, struct err *e)
{
	const char *at = t->text;
	char part[TERM_TEXT_MAX], before[32];
	unsigned int n = 0;
	uint64_t sizes;
	int r = 0;

	if (t->what == TERM_FUNCTION)
		return pattern_check(t->text, option, e);
	if (t->what == TERM_NODE)
		return terms_check_nodes(t->text, option, e);
	if (t->what == TERM_SIZE)
		return term_sizes(t->text, option, &sizes, e);
	while (r >= 0 && next_part(&at, part)) {
		if (!part[0])
			return err_set(e, EINVAL, "%s'%s' has nothing before or behind a comma",
				       terms_lead(option, before, sizeof(before)), t->text);
		if (t->what == TERM_SYSCALL && ++n > QUERY_CALLS_MAX)
			return err_set(e, EINVAL, "%sthere are more than %u system calls in '%s'",
				       terms_lead(option, before, sizeof(before)), QUERY_CALLS_MAX, t->text);
		if (t->what == TERM_STATE)
			r = check_state(part, option, e);
		else if (t->what == TERM_SYSCALL)
			r = check_call(part, arch, option, e);
	}
	return r;
}

int term_make(enum term_what what, bool not, const char *text, const char *option, const char *arch,
	      struct filter_term *ret, struct err *e)
{
	struct filter_term t = { .what = (uint8_t)what, .not = not };
	const size_t len = strlen(text);
	char before[32];
	int r;

	terms_lead(option, before, sizeof(before));
	if (!len)
		return err_set(e, EINVAL, "%sthere is nothing behind %s:", before, keywords[what]);
	if (len >= sizeof(t.text))
		return err_set(e, EINVAL, "%sthe pattern is longer than %zu bytes", before, sizeof(t.text) - 1);
	memcpy(t.text, text, len);
	r = terms_check(&t, option, arch, e);
	if (r >= 0)
		*ret = t;
	return r;
}

int term_parse(const char *text, const char *arch, struct filter_term *ret, struct err *e)
{
	const char *at = text + strspn(text, " ");
	const bool not = *at == '!';
	enum term_what what;
	char trimmed[TERM_WRITTEN_MAX];
	size_t len;

	at += not;
	at += strspn(at, " ");
	len = strlen(at);
	while (len && at[len - 1] == ' ')
		len--;
	if (!len)
		return err_set(e, EINVAL, "there is no pattern");
	if (len >= sizeof(trimmed))
		return err_set(e, EINVAL, "the pattern is longer than %u bytes", TERM_TEXT_MAX - 1);
	memcpy(trimmed, at, len);
	trimmed[len] = '\0';
	what = keyword_of(trimmed);
	if (what == TERM_NR)
		return term_make(TERM_FUNCTION, not, trimmed, NULL, arch, ret, e);
	at = trimmed + strlen(keywords[what]) + 1;
	return term_make(what, not, at + strspn(at, " "), NULL, arch, ret, e);
}

char *term_text(const struct filter_term *t, char dst[TERM_WRITTEN_MAX])
{
	const bool said = t->what != TERM_FUNCTION || t->text[0] == '!' || t->text[0] == ' ' ||
		keyword_of(t->text) != TERM_NR;

	snprintf(dst, TERM_WRITTEN_MAX, "%s%s%s%s", t->not ? "!" : "", said ? keywords[t->what] : "",
		 said ? ":" : "", t->text);
	return dst;
}

bool term_same(const struct filter_term *a, const struct filter_term *b)
{
	return a->what == b->what && a->not == b->not && !strcmp(a->text, b->text);
}

const char *term_complete(const char *text, size_t len, size_t *ret_len, bool *ret_only)
{
	const char *found = NULL;

	for (enum term_what w = TERM_FUNCTION + 1; w < TERM_NR; w++) {
		if (strncmp(keywords[w], text, len))
			continue;
		*ret_only = !found;
		if (!found)
			*ret_len = strlen(keywords[w]);
		for (size_t i = len; found && i < *ret_len; i++) {
			if (found[i] != keywords[w][i])
				*ret_len = i;
		}
		found = found ? found : keywords[w];
	}
	return found;
}

void terms_remove(struct terms *ts, uint32_t i)
{
	if (i >= ts->n)
		return;
	memmove(&ts->v[i], &ts->v[i + 1], (ts->n - i - 1) * sizeof(ts->v[0]));
	memset(&ts->v[--ts->n], 0, sizeof(ts->v[0]));
}

bool terms_add(struct terms *ts, const struct filter_term *t)
{
	for (uint32_t i = ts->n; i-- > 0;) {
		if (term_same(&ts->v[i], t))
			terms_remove(ts, i);
	}
	if (ts->n >= TERMS_MAX)
		return false;
	ts->v[ts->n++] = *t;
	return true;
}

void terms_drop(struct terms *ts, enum term_what what, bool picked)
{
	for (uint32_t i = ts->n; i-- > 0;) {
		if (ts->v[i].what == what && (!picked || ts->v[i].picked))
			terms_remove(ts, i);
	}
}

bool terms_same(const struct terms *a, const struct terms *b)
{
	return a->n == b->n && !memcmp(a->v, b->v, a->n * sizeof(a->v[0]));
}

bool terms_only_waits(const struct terms *ts)
{
	for (uint32_t i = 0; i < ts->n; i++) {
		if (!ts->v[i].not && (ts->v[i].what == TERM_STATE || ts->v[i].what == TERM_SYSCALL))
			return true;
	}
	return false;
}

bool term_matches(const char *pattern, const char *text, size_t len, bool anywhere)
{
	char part[TERM_TEXT_MAX], wild[TERM_TEXT_MAX + 2];

	if (len >= NAME_MAX_MATCHED)
		return false;
	while (next_part(&pattern, part)) {
		snprintf(wild, sizeof(wild), anywhere ? "*%s*" : "%s", part);
		if (wildcard_matches(wild, text))
			return true;
	}
	return false;
}

/* Copies TEXT with a backslash before each of SPECIAL, from AT on. False when it does not fit. */
static bool terms_put_escaped(char dst[TERM_TEXT_MAX], size_t at, const char *text, const char *special,
			      const char *end)
{
	for (; *text; text++) {
		if (at + 3 >= TERM_TEXT_MAX)
			return false;
		if (strchr(special, *text))
			dst[at++] = '\\';
		dst[at++] = *text;
	}
	memcpy(dst + at, end, strlen(end) + 1);
	return true;
}

bool term_exactly(const char *name, char dst[TERM_TEXT_MAX])
{
	dst[0] = '^';
	return *name && terms_put_escaped(dst, 1, name, "\\^$.[]|()*+?{}", "$");
}

bool term_literally(const char *name, char dst[TERM_TEXT_MAX])
{
	return *name && terms_put_escaped(dst, 0, name, "\\*?[],", "");
}
