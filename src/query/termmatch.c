/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * termmatch.c - decides which threads, nodes and waits match the terms of a question (terms.h). A
 * process goes by the name of its main thread and by that of its executable; where the main thread
 * was never seen, by the executable alone.
 */
#include "config.h"

#include "query/termmatch.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "model/allocation.h"
#include "model/event.h"
#include "model/wait.h"
#include "query/threadtext.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool about_threads(const struct filter_term *t)
{
	return t->what == TERM_THREAD || t->what == TERM_PROCESS || thread_text_filtered(t->what);
}

/* Copies the next of the words with commas at *AT, the last of which ends with the text. False behind it. */
static bool termmatch_next_word(const char **at, char *dst, size_t size)
{
	size_t len;

	*at += strspn(*at, " ");
	len = strcspn(*at, ",");
	if (!len)
		return false;
	snprintf(dst, size, "%.*s", (int)len, *at);
	*at += len;
	*at += **at == ',';
	return true;
}

static void termmatch_read_wait(struct wait_term *w, const struct filter_term *t, const char *arch)
{
	const char *at = t->text;
	char word[TERM_TEXT_MAX];

	*w = (struct wait_term){ .not = t->not };
	while (termmatch_next_word(&at, word, sizeof(word))) {
		if (t->what == TERM_STATE) {
			w->states |= 1u << wait_state_find(word);
		} else if (w->nr_calls < QUERY_CALLS_MAX) {
			w->call[w->nr_calls] = call_find(word, arch);
			w->compat[w->nr_calls] = call_compat(w->call[w->nr_calls], arch);
			w->nr_calls++;
		}
	}
}

static void termmatch_read_nodes(struct term_match *m, const struct filter_term *t)
{
	struct nodeset nodes = { { 0 } };

	if (!nodeset_parse(t->text, &nodes))
		return;
	for (unsigned int i = 0; i < NODES_MAX / 64; i++) {
		if (t->not)
			m->barred.word[i] |= nodes.word[i];
		else
			m->nodes.word[i] = nodes.word[i] & (m->only_nodes ? m->nodes.word[i] : UINT64_MAX);
	}
	m->only_nodes |= !t->not;
	m->bars_nodes |= t->not;
}

static void termmatch_read_sizes(struct term_match *m, const struct filter_term *t)
{
	uint64_t sizes;

	if (term_sizes(t->text, NULL, &sizes, NULL) < 0)
		return;
	m->has_sizes = true;
	m->only_sizes |= !t->not;
	m->sizes &= t->not ? ~sizes : sizes;
}

void term_match_init(struct term_match *m, const struct query *q)
{
	*m = (struct term_match){ .nodes = q->nodes, .only_nodes = !nodeset_empty(&q->nodes), .sizes = UINT64_MAX };
	for (uint32_t i = 0; i < q->terms.n; i++) {
		const struct filter_term *t = &q->terms.v[i];

		m->threads |= about_threads(t);
		if (t->what == TERM_NODE)
			termmatch_read_nodes(m, t);
		else if (t->what == TERM_SIZE)
			termmatch_read_sizes(m, t);
		else if (t->what == TERM_STATE || t->what == TERM_SYSCALL)
			termmatch_read_wait(&m->wait[m->n++], t, q->arch);
	}
}

bool term_match_size(const struct term_match *m, unsigned int kind, uint64_t argument)
{
	return EVENT_IS_MEMORY(kind) ? m->sizes & term_size_bit(allocation_of(argument).size) : !m->only_sizes;
}

static bool call_is_one(const struct wait_term *w, uint32_t call)
{
	for (uint32_t i = 0; i < w->nr_calls; i++) {
		if (call == w->call[i] || (w->compat[i] != CALL_NONE && call == w->compat[i]))
			return true;
	}
	return !w->nr_calls;
}

bool term_match_wait(const struct term_match *m, uint32_t call, unsigned int state)
{
	for (uint32_t i = 0; i < m->n; i++) {
		const struct wait_term *w = &m->wait[i];
		const bool is = (!w->states || (state < 32 && w->states >> state & 1)) && call_is_one(w, call);

		if (is == w->not)
			return false;
	}
	return true;
}

/* Whether PATTERN has the id ID or the name S, a string of D. */
static bool is_called(const struct dict *d, const char *pattern, pid_t id, str_id s)
{
	char number[16];
	const int len = snprintf(number, sizeof(number), "%d", (int)id);

	return term_matches(pattern, number, (size_t)len, false) ||
	       term_matches(pattern, strtab_get(dict_strings(d), s), strtab_len(dict_strings(d), s), false);
}

/* The same for the name of the executable without its folder. */
static bool termmatch_runs(const struct dict *d, const char *pattern, str_id exe)
{
	const char *path = strtab_get(dict_strings(d), exe), *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return *name && term_matches(pattern, name, strlen(name), false);
}

static uint32_t judge_thread(const struct terms *ts, const struct dict *d, const struct thread *t)
{
	uint32_t bits = 0;

	for (uint32_t i = 0; i < ts->n; i++) {
		const struct thread_text *text = thread_text_filtered(ts->v[i].what);
		const char *pattern = ts->v[i].text;
		bool is = text && thread_text_matches(text, d, t, pattern);

		if (ts->v[i].what == TERM_THREAD)
			is = is_called(d, pattern, t->tid, t->comm);
		else if (ts->v[i].what == TERM_PROCESS)
			is = (t->tid == t->pid && is_called(d, pattern, t->pid, t->comm)) ||
			     is_called(d, pattern, t->pid, 0) || termmatch_runs(d, pattern, t->exe);
		bits |= is ? 1u << i : 0;
	}
	return bits;
}

/* What is true of a process by the name of its main thread. */
struct process {
	pid_t pid;
	uint32_t bits;
};

static int compare_pids(const void *va, const void *vb)
{
	const struct process *a = va, *b = vb;

	return compare_numbers(a->pid, b->pid);
}

static uint32_t bits_of(const struct process *p, size_t n, pid_t pid)
{
	const struct process key = { .pid = pid }, *found = n ? bsearch(&key, p, n, sizeof(*p), compare_pids) : NULL;

	return found ? found->bits : 0;
}

/* The N main threads at P in order of pid, one for each pid; returns how many these are. */
static size_t termmatch_unite(struct process *p, size_t n)
{
	size_t to = 0;

	qsort(p, n, sizeof(*p), compare_pids);
	for (size_t i = 0; i < n; i++) {
		if (to && p[to - 1].pid == p[i].pid)
			p[to - 1].bits |= p[i].bits;
		else
			p[to++] = p[i];
	}
	return to;
}

bool term_match_threads(const struct terms *ts, const struct dict *d, uint32_t *terms, uint32_t n)
{
	AUTO_FREE struct process *p = malloc((n + 1ul) * sizeof(*p));
	uint32_t processes = 0;
	size_t mains = 0;

	if (!p)
		return false;
	for (uint32_t i = 0; i < ts->n; i++)
		processes |= ts->v[i].what == TERM_PROCESS ? 1u << i : 0;
	for (thread_id id = 0; id < n; id++) {
		const struct thread *t = dict_get_thread(d, id);

		terms[id] = judge_thread(ts, d, t);
		if (t->tid == t->pid)
			p[mains++] = (struct process){ .pid = t->pid, .bits = terms[id] & processes };
	}
	mains = processes ? termmatch_unite(p, mains) : 0;
	for (thread_id id = 0; id < n; id++)
		terms[id] |= bits_of(p, mains, dict_get_thread(d, id)->pid);
	return true;
}

bool term_match_all(const struct terms *ts, uint32_t bits)
{
	for (uint32_t i = 0; i < ts->n; i++) {
		if (about_threads(&ts->v[i]) && (bits >> i & 1) == ts->v[i].not)
			return false;
	}
	return true;
}
