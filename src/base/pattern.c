/* SPDX-License-Identifier: BSD-2-Clause */
/* pattern.c - see pattern.h. */
#include "config.h"

#include "base/pattern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64u            /* of parentheses */
#define FORGET_NS (50 * NSEC_PER_MSEC)   /* of matching: about so many megabytes may be remembered by then */
#define CLOCK_BYTES 1024u        /* of texts, between two looks at the clock */

/* What is wrong with a pattern that the library would take. */
static const char back_reference[] = "it has a back reference, and these can take for ever";
static const char too_large[] = "what it repeats is too large";
static const char too_deep[] = "its parentheses are nested too deeply";

/* Behind the bracket expression that begins at AT, "[^]a[:alpha:]]". */
static const char *pattern_skip_bracket(const char *at)
{
	at += at[1] == '^' ? 2 : 1;
	at += *at == ']';
	while (*at && *at != ']') {
		const char kind = at[0] == '[' && at[1] && strchr(":.=", at[1]) ? at[1] : '\0';

		at += kind ? 2 : 1;
		while (kind && *at && !(at[0] == kind && at[1] == ']'))
			at++;
		at += kind && *at ? 2 : 0;
	}
	return *at ? at + 1 : at;
}

/* How often the interval at *AT, "{2,5}", repeats what is before it at most; moves *AT onto its end. */
static size_t pattern_interval(const char **at)
{
	char *end;
	unsigned long n = strtoul(*at + 1, &end, 10);

	if (*end == ',' && end[1] >= '0' && end[1] <= '9')
		n = strtoul(end + 1, &end, 10);
	else if (*end == ',')
		n++;
	end += strcspn(end, "}");
	*at = *end ? end : end - 1;
	return n > PATTERN_SIZE_MAX ? PATTERN_SIZE_MAX + 1 : n ? n : 1;
}

/* How large TEXT is with its repetitions written out; 0, and *RET_WHY, when that is too much. */
static size_t pattern_size_of(const char *text, const char **ret_why)
{
	/* of what is in parentheses; of what a repetition would repeat */
	size_t sum[DEPTH_MAX] = { 0 }, last = 0;
	unsigned int depth = 0;

	for (const char *at = text; *at; at++) {
		if (at[0] == '\\' && at[1] >= '1' && at[1] <= '9') {
			*ret_why = back_reference;
			return 0;
		}
		if (*at == '{') {
			const size_t more = last * (pattern_interval(&at) - 1);

			sum[depth] += more;
			last += more;
		} else if (*at == '(') {
			if (++depth == DEPTH_MAX) {
				*ret_why = too_deep;
				return 0;
			}
			sum[depth] = 0;
			continue;
		} else if (*at == ')' && depth) {
			last = sum[depth--] + 1;
			sum[depth] += last;
		} else if (*at == '[') {
			at = pattern_skip_bracket(at) - 1;
			last = 1;
			sum[depth]++;
		} else if (*at == '+') {
			/* The library writes x+ as xx*, and so twice as much for each further one: x++ is xx*(xx*)*. */
			sum[depth] += last;
			last += last;
		} else if (at > text && strchr("*+?", *at) && strchr("*+?}", at[-1]) &&
			   (at < text + 2 || at[-2] != '\\')) {
			/* What is repeated once more: it takes the library twice as long for each. */
			sum[depth] += last;
			last += last;
		} else if (!strchr("*+?", *at)) {
			at += at[0] == '\\' && at[1];
			last = 1;
			sum[depth]++;
		}
		if (sum[depth] > PATTERN_SIZE_MAX) {
			*ret_why = too_large;
			return 0;
		}
	}
	return sum[0] + 1;
}

int pattern_check(const char *text, const char *option, struct err *e)
{
	const char *why = NULL, *blank = option ? " " : "";
	char sentence[128];
	struct pattern p = { .text = text };
	int r;

	option = option ? option : "";
	if (!pattern_size_of(text, &why))
		return err_set(e, EINVAL, "%s%s'%s' is no pattern that can be looked for: %s", option,
			       blank, text, why);
	r = regcomp(&p.regex, text, REG_EXTENDED | REG_NOSUB);
	if (!r) {
		regfree(&p.regex);
		return 0;
	}
	regerror(r, &p.regex, sentence, sizeof(sentence));
	return err_set(e, EINVAL, "%s%s'%s' is no regular expression: %s", option, blank, text, sentence);
}

static bool pattern_make(struct pattern *p)
{
	const char *why;

	p->made = pattern_size_of(p->text, &why) && !regcomp(&p->regex, p->text, REG_EXTENDED | REG_NOSUB);
	p->gave_up = !p->made;
	p->since_ns = 0;
	return p->made;
}

bool pattern_init(struct pattern *p, const char *text)
{
	*p = (struct pattern){ .text = text, .clock_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) };
	return pattern_make(p);
}

void pattern_free(struct pattern *p)
{
	if (p->made)
		regfree(&p->regex);
	p->made = false;
}

/* Looks at the clock; what has grown large is made anew, what takes too long gives up. */
static void look_at_clock(struct pattern *p)
{
	const uint64_t now = clock_ns(CLOCK_THREAD_CPUTIME_ID), took = now - p->clock_ns;

	p->clock_ns = now;
	p->unclocked = 0;
	p->spent_ns += took;
	p->since_ns += took;
	if (p->since_ns >= FORGET_NS) {
		pattern_free(p);
		pattern_make(p);
	}
	p->gave_up |= p->spent_ns >= PATTERN_CPU_NS;
}

bool pattern_in(struct pattern *p, const char *text)
{
	p->unclocked += strlen(text) + 1;
	if (p->unclocked >= CLOCK_BYTES)
		look_at_clock(p);
	return !p->gave_up && !regexec(&p->regex, text, 0, NULL, 0);
}
