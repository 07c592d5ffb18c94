/* SPDX-License-Identifier: BSD-2-Clause */
/* placing.c - see placing.h. */
#include "config.h"

#include "engine/placing.h"

#include "model/probes.h"
#include "probe/find_syscalls.h"
#include "probe/kinds.h"
#include "probe/spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct placing {
	VEC(struct capture_call) calls;
};

/* The number of S, whose canonical text goes to TEXT; PROBE_NONE. */
static uint32_t placing_number(const struct spec *s, char text[SPEC_TEXT_MAX])
{
	spec_text(s, text);
	return probes_add(text, strlen(text), s->measure != SPEC_COUNT && spec_has_latency(s) ? UNIT_TIME : UNIT_COUNT);
}

static int placing_read(const char *text, struct spec *s, uint32_t *ret, struct err *e)
{
	char canonical[SPEC_TEXT_MAX];
	int r = spec_parse(text, s, e);

	if (r < 0)
		return r;
	*ret = placing_number(s, canonical);
	if (*ret != PROBE_NONE)
		return 0;
	return err_set(e, ENOSPC, "probe '%.100s' has no place: there can be %u probes, with %u bytes of text each",
		       text, PROBES_MAX, PROBES_TEXT_MAX - 1);
}

int placing_measure(const char *text, unsigned int *ret, struct err *e)
{
	struct spec s;
	uint32_t probe;
	const int r = placing_read(text, &s, &probe, e);

	if (!r)
		*ret = probes_measure_id(probe);
	return r;
}

/* What is understood, and cannot be placed. */
static int placing_check(const struct spec *s, const char *text, struct err *e)
{
	const struct spec_point *p = &s->point[0];

	if (s->span)
		return err_set(e, EOPNOTSUPP, "probe '%.100s' is a span, which sberf cannot place yet", text);
	if (p->kind != PROBE_SYSCALL)
		return err_set(e, EOPNOTSUPP, "probe '%.100s' is a %s, and sberf can place system calls "
			       "(sys:NAME) only", text, probe_kind_info(p->kind)->name);
	if (p->when.n || s->sum.n)
		return err_set(e, EOPNOTSUPP, "probe '%.100s' has a condition or a sum, which sberf cannot "
			       "evaluate yet", text);
	return 0;
}

static int placing_calls(struct placing *p, const struct spec *s, const char *text, uint32_t probe, struct err *e)
{
	found_syscalls found = { 0 };
	int r = find_syscalls(&s->point[0], NULL, &found, e);

	for (size_t i = 0; r >= 0 && i < found.n; i++) {
		const struct capture_call call = { .nr = found.v[i].number, .probe = probe };

		for (size_t k = 0; k < p->calls.n; k++)
			if (p->calls.v[k].nr == call.nr)
				r = err_set(e, EEXIST, "probes '%.100s' and '%.100s' are both about %s: leave one of "
					    "them out", text,
					    probes_measure(p->calls.v[k].probe)->name, found.v[i].name);
		if (r >= 0 && !vec_reserve(&p->calls, 1))
			r = err_nomem(e, "probes");
		if (r >= 0)
			p->calls.v[p->calls.n++] = call;
	}
	vec_free(&found);
	return r < 0 ? r : 0;
}

int placing_new(const char *const *texts, size_t n, struct placing **ret, struct err *e)
{
	AUTO(placing_free) struct placing *p = calloc(1, sizeof(*p));

	if (!p)
		return err_nomem(e, "probes");
	for (size_t i = 0; i < n; i++) {
		struct spec s;
		uint32_t probe;
		int r = placing_read(texts[i], &s, &probe, e);

		r = r ? r : placing_check(&s, texts[i], e);
		r = r ? r : placing_calls(p, &s, texts[i], probe, e);
		if (r)
			return r;
	}
	*ret = take_ptr(p);
	return 0;
}

void placing_free(struct placing *p)
{
	if (!p)
		return;
	vec_free(&p->calls);
	free(p);
}

void placing_plan(const struct placing *p, struct capture_plan *plan)
{
	plan->calls = p->calls.v;
	plan->nr_calls = (uint32_t)p->calls.n;
}
