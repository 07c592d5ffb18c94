/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filter_options.c - see filter_options.h. Names of system calls are looked up here, because only
 * the data says which machine they belong to.
 */
#include "config.h"

#include "cmd/filter_options.h"

#include "base/clock.h"
#include "base/parse.h"
#include "base/text.h"
#include "import/import.h"
#include "model/probes.h"
#include "model/wait.h"
#include "query/spandiff.h"
#include "system/listtext.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add_call(struct query *q, uint32_t call, struct err *e)
{
	if (q->nr_calls >= QUERY_CALLS_MAX)
		return err_set(e, E2BIG, "--syscall takes at most %u system calls", QUERY_CALLS_MAX);
	q->calls[q->nr_calls++] = call;
	return 0;
}

static int add_named(struct query *q, const char *name, struct err *e)
{
	const uint32_t call = call_find(name, q->arch);

	if (call != CALL_NONE)
		return add_call(q, call, e);
	return err_set(e, EINVAL, "there is no system call '%s' on %s: write it as its manual page does, such "
		       "as futex, read "
		       "or epoll_wait", name, q->arch && q->arch[0] ? q->arch : "this machine");
}

static int add_calls(struct query *q, const char *list, struct err *e)
{
	for (const char *at = list;; at++) {
		const size_t len = strcspn(at, ",");
		char name[CALL_NAME_MAX];
		int r;

		text_format(name, sizeof(name), "%.*s", len < sizeof(name) ? (int)len : (int)sizeof(name), at);
		r = add_named(q, name, e);
		if (r < 0)
			return r;
		at += len;
		if (!*at)
			return 0;
	}
}

int filter_options_terms(const struct options *o, const char *arch, struct terms *ret, struct err *e)
{
	const struct {
		const text_vec *texts;
		const char *option;
		enum term_what what;
		bool not;
	} all[] = {
		{ &o->processes, "--process", TERM_PROCESS, false }, { &o->cgroups, "--cgroup", TERM_CGROUP, false },
		{ &o->containers, "--container", TERM_CONTAINER, false }, { &o->hosts, "--host", TERM_HOST, false },
		{ &o->threads, "--thread", TERM_THREAD, false }, { &o->focus, "--focus", TERM_FUNCTION, false },
		{ &o->ignore, "--ignore", TERM_FUNCTION, true }, { &o->sizes, "--size", TERM_SIZE, false },
	};

	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		for (size_t k = 0; k < all[i].texts->n; k++) {
			struct filter_term t;
			int r = term_make(all[i].what, all[i].not, all[i].texts->v[k], all[i].option, arch, &t, e);

			if (r < 0)
				return r;
			if (!terms_add(ret, &t))
				return err_set(e, E2BIG, "%s: there can be %u filters", all[i].option, TERMS_MAX);
		}
	}
	return 0;
}

/* How well PROBE is named by SPEC, which may be NULL: 2 exactly, 1 by its beginning, 0 not. */
static unsigned int is_named(uint32_t probe, const char *spec)
{
	const char *name = probes_measure(probe)->name;

	if (!probes_has_calls(probe))
		return 0;
	return !spec ? 1 : !strcmp(name, spec) ? 2 : !strncmp(name, spec, strlen(spec));
}

int filter_options_span(const char *spec, uint32_t *ret, struct err *e)
{
	unsigned int best = 0, n = 0;
	char all[256];
	struct list_text list = list_text(all, sizeof(all));

	for (uint32_t probe = 0; probe < probes_count(); probe++) {
		const struct measure *m = probes_measure(probe);
		const unsigned int named = is_named(probe, spec);

		if (probes_has_calls(probe))
			list_text_add(&list, m->name, strlen(m->name));
		if (!named || named < best)
			continue;
		n = named > best ? 1 : n + 1;
		best = named;
		*ret = probe;
	}
	if (n == 1)
		return 0;
	if (!all[0])
		return err_set(e, EINVAL, "--span is about calls of a probe, and there is none that has a beginning "
			       "and an end: record with --probe call:PROGRAM:FUNCTION, sys:NAME or span:");
	if (!spec)
		return err_set(e, EINVAL, "say with --span which of these probes is meant: %s", all);
	return err_set(e, EINVAL, n ? "'%s' is the beginning of several probes: %s" : "there is no probe '%s' that "
		       "has a beginning and an end; there are: %s", spec, all);
}

static int parse_limit(const char *text, const char *option, struct span_limit *ret, struct err *e)
{
	struct err why = ERR_INIT;
	int r = span_limit_parse(text, ret, &why);

	return r < 0 ? err_set(e, EINVAL, "%s: %s", option, why.text) : 0;
}

/* What O asks of the calls of a probe. */
static int add_span(const struct options *o, struct query *q, struct err *e)
{
	const bool limited = o->span_above || o->span_below;
	uint32_t probe = 0;
	int r;

	if (!o->span && !o->inside && !o->outside && !limited && !o->span_diff)
		return 0;
	if (o->span_diff && (o->inside || o->outside))
		return err_set(e, EINVAL, "--span-diff compares what is inside of calls with what is inside of others: "
			       "leave out --inside and --outside");
	if (o->inside && o->outside)
		return err_set(e, EINVAL, "--inside and --outside together are everything: give --span alone, which "
			       "splits it");
	if (o->outside && limited)
		return err_set(e, EINVAL, "--span-above and --span-below are about what is inside of calls, and "
			       "--outside is not");
	r = filter_options_span(o->span, &probe, e);
	r = r < 0 ? r : o->span_above ? parse_limit(o->span_above, "--span-above", &q->span_from, e) : 0;
	r = r < 0 ? r : o->span_below ? parse_limit(o->span_below, "--span-below", &q->span_to, e) : 0;
	if (r < 0)
		return r;
	q->span = (uint8_t)(probe + 1);
	q->span_where = o->inside || limited ? SPAN_INSIDE : o->outside ? SPAN_OUTSIDE : SPAN_ALL;
	q->by_span = q->span_where == SPAN_ALL;
	if (!o->span_diff)
		return 0;
	q->span_than_to = q->span_to;
	span_compare(q, probe);
	return 0;
}

int filter_options_query(const struct options *o, const char *arch, struct query *ret, struct err *e)
{
	struct query q = {
		.measures = o->measures | (o->far ? MEASURES_FAR : 0), .lead = o->lead, .no_inlines = o->no_inline,
			.hide_kernel = !o->kernel, .states = o->states, .arch = arch,
		.hide_libraries = o->no_libraries, .scripts = (enum script_view)o->scripts,
		.fold_recursion = o->fold_recursion, .short_names = o->short_names,
		.fold_idle = o->hide_idle, .by_node = o->by_node, .inverted = o->inverted,
	};
	int r;

	if (!q.measures)
		q.measures = import_measures(o->import);
	r = o->syscalls ? add_calls(&q, o->syscalls, e) : 0;

	if (r < 0)
		return r;
	r = filter_options_terms(o, arch, &q.terms, e);
	r = r < 0 ? r : add_span(o, &q, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < o->nodes.n; i++)
		nodeset_add(&q.nodes, o->nodes.v[i]);
	*ret = q;
	return 0;
}

/* "S,D" */
static void filter_options_put_states(uint32_t states, char *dst, size_t size)
{
	static const char letters[WAIT_STATE_NR] = {
#define X(id, nr, letter, name) [nr] = letter,
		WAIT_STATES(X)
#undef X
	};
	struct list_text list = list_text(dst, size);

	for (unsigned int s = 0; s < WAIT_STATE_NR; s++) {
		if (states >> s & 1)
			list_text_add(&list, &letters[s], 1);
	}
}

/* "0-1,3". False when DST has no room. */
static bool filter_options_put_nodes(const struct nodeset *s, char *dst, size_t size)
{
	struct list_text list = list_text(dst, size);

	for (unsigned int i = 0, last; i < NODES_MAX; i = last + 1) {
		char item[2 * 12];

		last = i;
		if (!nodeset_has(s, i))
			continue;
		while (nodeset_has(s, last + 1))
			last++;
		snprintf(item, sizeof(item), last > i ? "%u-%u" : "%u", i, last);
		list_text_add(&list, item, strlen(item));
	}
	return !list.cut;
}

/* False when Q has no room for it, or a term has none. */
static bool filter_options_add(struct query *q, enum term_what what, const char *text)
{
	struct filter_term t;

	return term_make(what, false, text, NULL, q->arch, &t, NULL) >= 0 && terms_add(&q->terms, &t);
}

void filter_options_as_terms(const struct options *o, struct query *q)
{
	char text[TERM_TEXT_MAX];

	filter_options_put_states(q->states, text, sizeof(text));
	if (q->states && filter_options_add(q, TERM_STATE, text))
		q->states = 0;
	if (q->nr_calls && filter_options_add(q, TERM_SYSCALL, o->syscalls))
		q->nr_calls = 0;
	if (!nodeset_empty(&q->nodes) && filter_options_put_nodes(&q->nodes, text, sizeof(text)) &&
	    filter_options_add(q, TERM_NODE, text))
		q->nodes = (struct nodeset){ { 0 } };
}

int filter_options_why_nothing(const struct options *o, const struct query *q, const struct snapshot *s,
		       const struct names *names, char *dst, size_t size, struct err *e)
{
	struct query all = *q;
	uint64_t ns, all_ns;
	int r;

	filter_options_as_terms(o, &all);
	if (!all.terms.n)
		return 0;
	r = query_share(s, names, &all, &ns, &all_ns, e);
	if (r < 0 || ns || !all_ns)
		return r;
	r = query_unmatched(s, names, &all);
	if (r < 0)
		return err_nomem(e, "the filter");
	query_unmatched_text(&all, r, dst, size);
	return 1;
}
