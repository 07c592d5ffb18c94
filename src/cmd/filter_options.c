/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filter_options.c - see filter_options.h. Names of system calls are looked up here, because only
 * the data says which machine they belong to.
 */
#include "config.h"

#include "cmd/filter_options.h"

#include "base/text.h"
#include "model/wait.h"
#include "system/listtext.h"

#include <errno.h>
#include <stdio.h>
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
		{ &o->threads, "--thread", TERM_THREAD, false }, { &o->focus, "--focus", TERM_FUNCTION, false },
		{ &o->ignore, "--ignore", TERM_FUNCTION, true },
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

int filter_options_query(const struct options *o, const char *arch, struct query *ret, struct err *e)
{
	struct query q = {
		.measures = o->measures | (o->far ? MEASURES_FAR : 0), .lead = o->lead, .no_inlines = o->no_inline,
			.hide_kernel = !o->kernel, .states = o->states, .arch = arch,
		.hide_libraries = o->no_libraries, .fold_recursion = o->fold_recursion, .short_names = o->short_names,
		.fold_idle = o->hide_idle, .by_node = o->by_node, .inverted = o->inverted,
	};
	int r = o->syscalls ? add_calls(&q, o->syscalls, e) : 0;

	if (r < 0)
		return r;
	r = filter_options_terms(o, arch, &q.terms, e);
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
