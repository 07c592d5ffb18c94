/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * statetext.c - one table of keys for each kind of line serves both directions.
 *
 * A line is "what key=value key=value ...". Numbers are decimal. In texts a space, a percent sign
 * and control characters stand as %XX. The lines of a process's memory follow the process. A line
 * without a newline was cut off, so it is refused.
 */
#include "config.h"

#include "numa/state.h"

#include "base/keyvalue.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A node with the distances from it as they stand in the text: how many there are is known behind the last node. */
struct node_line {
	struct numa_node node;
	struct part distances;
};

/* What the first line says. */
struct head_line {
	uint64_t time_ns;
	bool sampled;
	uint64_t sampled_from_ns;
};

#define AT(type, member, kind, ...) { #member, kind, VALUE_AT(struct type, member), __VA_ARGS__ }
#define TEXT(type, member) AT(type, member, VALUE_ESCAPED, 0, 0, VALUE_OPTIONAL)
#define NUMBER(type, member, max) AT(type, member, VALUE_UNSIGNED, 0, max, VALUE_OPTIONAL)
#define U64(type, member) NUMBER(type, member, UINT64_MAX)
#define U32(type, member) NUMBER(type, member, UINT32_MAX)
#define BOOL(type, member) NUMBER(type, member, 1)
#define NODE(type, member) AT(type, member, VALUE_UNSIGNED, 0, NODES_MAX - 1, VALUE_REQUIRED)
#define PID(type, member) AT(type, member, VALUE_UNSIGNED, 1, INT32_MAX, VALUE_REQUIRED)

static const struct value_key head_keys[] = {
	AT(head_line, time_ns, VALUE_UNSIGNED, 0, UINT64_MAX, VALUE_REQUIRED),
	BOOL(head_line, sampled),
	U64(head_line, sampled_from_ns),
};

static const struct value_key figures_keys[] = {
	U64(numa_figures, samples),
#define X(nr, id, name, text) \
	{ "miss_" name, VALUE_UNSIGNED, VALUE_AT(struct numa_figures, miss[nr]), 0, UINT64_MAX, VALUE_OPTIONAL },
	ACCESS_MISSES(X)
#undef X
	U64(numa_figures, near),
	U64(numa_figures, far),
	U64(numa_figures, pages),
	U64(numa_figures, faults),
	U64(numa_figures, fault_misses),
	U64(numa_figures, balancing_faults),
	U64(numa_figures, moves),
	U64(numa_figures, kernel_moves),
	U64(numa_figures, threads_left),
	U64(numa_figures, processes_left),
};

#define NODE_AT(member, kind, ...) { #member, kind, VALUE_AT(struct node_line, node.member), __VA_ARGS__ }

static const struct value_key node_keys[] = {
	NODE_AT(id, VALUE_UNSIGNED, 0, NODES_MAX - 1, VALUE_REQUIRED),
	NODE_AT(nr_cpus, VALUE_UNSIGNED, 0, UINT32_MAX, VALUE_OPTIONAL),
	NODE_AT(cpus, VALUE_ESCAPED, 0, 0, VALUE_OPTIONAL),
	NODE_AT(size_bytes, VALUE_UNSIGNED, 0, UINT64_MAX, VALUE_OPTIONAL),
	NODE_AT(free_bytes, VALUE_UNSIGNED, 0, UINT64_MAX, VALUE_OPTIONAL),
	AT(node_line, distances, VALUE_PART, 0, 0, VALUE_OPTIONAL),
};

static const struct value_key process_keys[] = {
	PID(numa_process, pid),
	U64(numa_process, start_ns),
	TEXT(numa_process, comm),
	BOOL(numa_process, denied),
	U64(numa_process, rss_bytes),
	U64(numa_process, moment_ns),
	U32(numa_process, asked),
	U32(numa_process, found),
	TEXT(numa_process, policy),
	TEXT(numa_process, mapped_policy),
	BOOL(numa_process, policies_read),
	TEXT(numa_process, mems),
	TEXT(numa_process, cpus),
	U64(numa_process, faults),
	U64(numa_process, major_faults),
};

static const struct value_key resident_keys[] = {
	NODE(numa_resident, node),
	AT(numa_resident, mapping, VALUE_UNSIGNED, 0, UINT8_MAX, VALUE_REQUIRED),
	U64(numa_resident, bytes),
	U32(numa_resident, pages),
};

static const struct value_key thread_keys[] = {
	PID(numa_thread, pid),
	PID(numa_thread, tid),
	U64(numa_thread, start_ns),
	AT(numa_thread, home, VALUE_SIGNED, -1, NODES_MAX - 1, VALUE_OPTIONAL),
	NUMBER(numa_thread, node, NODES_MAX - 1),
	TEXT(numa_thread, policy),
	U64(numa_thread, moves),
	U64(numa_thread, kernel_moves),
};

/* What came is noted in a word (parse_pair()). */
_Static_assert(sizeof(figures_keys) / sizeof(*figures_keys) <= 32, "the longest line has a bit for each key");

/* Everything that a line can become. */
union row {
	struct head_line head;
	struct numa_figures figures;
	struct node_line node;
	struct numa_process process;
	struct numa_resident resident;
	struct numa_thread thread;
};

struct reading {
	struct numa_state *s;
	VEC(struct node_line) nodes;
	bool begun;              /* the first line was there */
	unsigned int line;
	struct err *e;
};

static int take_head(struct reading *r, const union row *row);
static int take_figures(struct reading *r, const union row *row);
static int take_node(struct reading *r, const union row *row);
static int take_process(struct reading *r, const union row *row);
static int take_resident(struct reading *r, const union row *row);
static int take_thread(struct reading *r, const union row *row);

enum line_kind { LINE_HEAD, LINE_FIGURES, LINE_NODE, LINE_PROCESS, LINE_RESIDENT, LINE_THREAD, LINE_NR };

static const struct line {
	const char *name;
	const struct value_key *keys;
	size_t nr_keys;
	int (*take)(struct reading *r, const union row *row);
} lines[LINE_NR] = {
#define LINE(id, name, keys, take) [id] = { name, keys, sizeof(keys) / sizeof((keys)[0]), take }
	LINE(LINE_HEAD, "state", head_keys, take_head),
	LINE(LINE_FIGURES, "figures", figures_keys, take_figures),
	LINE(LINE_NODE, "node", node_keys, take_node),
	LINE(LINE_PROCESS, "process", process_keys, take_process),
	LINE(LINE_RESIDENT, "resident", resident_keys, take_resident),
	LINE(LINE_THREAD, "thread", thread_keys, take_thread),
#undef LINE
};

/* Writing. */

struct writing {
	VEC(char) text;
	bool failed;             /* out of memory; nothing is added any more */
};

static void statetext_put(struct writing *w, const char *s, size_t len)
{
	if (w->failed || !vec_reserve(&w->text, len)) {
		w->failed = true;
		return;
	}
	memcpy(w->text.v + w->text.n, s, len);
	w->text.n += len;
}

static void statetext_putf(struct writing *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void statetext_putf(struct writing *w, const char *fmt, ...)
{
	char text[64];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	statetext_put(w, text, (size_t)n);
}

/* A line of KIND from ROW, which is of its type, up to before the newline. */
static void put_line(struct writing *w, enum line_kind kind, const void *row)
{
	const struct line *l = &lines[kind];
	char value[VALUE_PRINT_MAX];

	statetext_put(w, l->name, strlen(l->name));
	for (size_t i = 0; i < l->nr_keys; i++) {
		statetext_put(w, " ", 1);
		statetext_put(w, l->keys[i].name, strlen(l->keys[i].name));
		statetext_put(w, "=", 1);
		statetext_put(w, value, value_print(&l->keys[i], row, value));
	}
}

/* The distances are the last key of a node, so that they can be appended. */
static void statetext_put_nodes(struct writing *w, const struct numa_topology *t)
{
	for (uint32_t i = 0; i < t->nr; i++) {
		const struct node_line row = { .node = t->node[i] };

		put_line(w, LINE_NODE, &row);
		for (uint32_t j = 0; j < t->nr; j++)
			statetext_putf(w, "%s%u", j ? "," : "", (unsigned int)t->distance[(size_t)i * t->nr + j]);
		statetext_put(w, "\n", 1);
	}
}

static void statetext_put_processes(struct writing *w, const struct numa_state *s)
{
	for (size_t i = 0; i < s->process.n && i < NUMA_PROCESSES_MAX; i++) {
		const struct numa_process *p = &s->process.v[i];

		put_line(w, LINE_PROCESS, p);
		statetext_put(w, "\n", 1);
		for (size_t j = 0; j < p->resident.n; j++) {
			put_line(w, LINE_RESIDENT, &p->resident.v[j]);
			statetext_put(w, "\n", 1);
		}
	}
}

char *numa_state_write(const struct numa_state *s, size_t *ret_len)
{
	const struct head_line head = {
		.time_ns = s->time_ns, .sampled = s->sampled, .sampled_from_ns = s->sampled_from_ns,
	};
	struct writing w = { 0 };

	put_line(&w, LINE_HEAD, &head);
	statetext_put(&w, "\n", 1);
	put_line(&w, LINE_FIGURES, &s->figures);
	statetext_put(&w, "\n", 1);
	statetext_put_nodes(&w, &s->topology);
	statetext_put_processes(&w, s);
	for (size_t i = 0; i < s->thread.n && i < NUMA_THREADS_MAX; i++) {
		put_line(&w, LINE_THREAD, &s->thread.v[i]);
		statetext_put(&w, "\n", 1);
	}
	statetext_put(&w, "", 1);
	if (w.failed) {
		vec_free(&w.text);
		return NULL;
	}
	*ret_len = w.text.n - 1;
	return w.text.v;
}

/* Reading. */

static int statetext_refuse(const struct reading *r, const char *why)
{
	return err_set(r->e, EBADMSG, "line %u of the state of nodes %s", r->line, why);
}

/* Sets in ROW what PAIR, "key=value", says. Notes keys that came as bits of *SEEN. */
static int parse_pair(const struct reading *r, const struct line *l, struct part pair, union row *row,
		      uint32_t *seen)
{
	const struct value_key *k = value_key(l->keys, l->nr_keys, part_cut(&pair, '='));

	if (!k)
		return 0;
	if (!value_read(k, pair, row))
		return err_set(r->e, EBADMSG, "line %u of the state of nodes: %s makes no sense", r->line, k->name);
	*seen |= UINT32_C(1) << (k - l->keys);
	return 0;
}

/* What ROW, of a line L, says by itself: what is left out is 0, but node 0 is a node. */
static void clear_row(const struct line *l, union row *row)
{
	memset(row, 0, sizeof(*row));
	if (l == &lines[LINE_THREAD])
		row->thread.home = -1;
}

static int statetext_parse_line(struct reading *r, struct part line)
{
	const struct part what = part_cut(&line, ' ');
	const struct line *l = lines;
	union row row;
	uint32_t seen = 0;

	while (l < lines + LINE_NR && !part_is(what, l->name))
		l++;
	if (l == lines + LINE_NR)
		return 0;
	if (r->begun == (l == &lines[LINE_HEAD]))
		return statetext_refuse(r, r->begun ? "begins another one" : "stands before its beginning");
	clear_row(l, &row);
	while (line.len) {
		const int rc = parse_pair(r, l, part_cut(&line, ' '), &row, &seen);

		if (rc)
			return rc;
	}
	for (size_t i = 0; i < l->nr_keys; i++)
		if (l->keys[i].rule == VALUE_REQUIRED && !(seen >> i & 1))
			return err_set(r->e, EBADMSG, "line %u of the state of nodes says no %s", r->line,
				       l->keys[i].name);
	return l->take(r, &row);
}

static int take_head(struct reading *r, const union row *row)
{
	r->begun = true;
	r->s->time_ns = row->head.time_ns;
	r->s->sampled = row->head.sampled;
	r->s->sampled_from_ns = row->head.sampled_from_ns;
	return 0;
}

static int take_figures(struct reading *r, const union row *row)
{
	r->s->figures = row->figures;
	return 0;
}

static int take_node(struct reading *r, const union row *row)
{
	struct node_line *n;

	/* So they are no more than there are numbers. */
	if (r->nodes.n && r->nodes.v[r->nodes.n - 1].node.id >= row->node.node.id)
		return statetext_refuse(r, "is not behind the node before it");
	n = vec_push(&r->nodes);
	if (!n)
		return err_nomem(r->e, "a state of nodes");
	*n = row->node;
	return 0;
}

static int take_process(struct reading *r, const union row *row)
{
	struct numa_process *p;

	if (r->s->process.n == NUMA_PROCESSES_MAX)
		return statetext_refuse(r, "is one process too many");
	p = vec_push(&r->s->process);
	if (!p)
		return err_nomem(r->e, "a state of nodes");
	*p = row->process;
	return 0;
}

static int take_resident(struct reading *r, const union row *row)
{
	struct numa_process *p = r->s->process.n ? &r->s->process.v[r->s->process.n - 1] : NULL;
	struct numa_resident *m;

	if (!p)
		return statetext_refuse(r, "is the memory of no process");
	if (p->resident.n == (size_t)MAPPING_NR * NODES_MAX)
		return statetext_refuse(r, "is one too many for its process");
	m = vec_push(&p->resident);
	if (!m)
		return err_nomem(r->e, "a state of nodes");
	*m = row->resident;
	/* Kinds that a newer sberf knows. */
	if (m->mapping >= MAPPING_NR)
		m->mapping = MAPPING_UNKNOWN;
	return 0;
}

static int take_thread(struct reading *r, const union row *row)
{
	const struct numa_thread *last = r->s->thread.n ? &r->s->thread.v[r->s->thread.n - 1] : NULL;
	struct numa_thread *t;

	if (last && (last->pid > row->thread.pid || (last->pid == row->thread.pid && last->tid >= row->thread.tid)))
		return statetext_refuse(r, "is not behind the thread before it");
	if (r->s->thread.n == NUMA_THREADS_MAX)
		return statetext_refuse(r, "is one thread too many");
	t = vec_push(&r->s->thread);
	if (!t)
		return err_nomem(r->e, "a state of nodes");
	*t = row->thread;
	return 0;
}

/* As many distances from node I as there are nodes; none at all means that they are not known. */
static int finish_distances(const struct reading *r, uint32_t i)
{
	struct part in = r->nodes.v[i].distances;
	const uint32_t nr = (uint32_t)r->nodes.n;
	uint64_t v;

	if (!in.len)
		return 0;
	for (uint32_t j = 0; j < nr; j++) {
		const struct part value = j + 1 < nr ? part_cut(&in, ',') : in;

		if (!part_number(value, &v) || v > UINT16_MAX)
			return err_set(r->e, EBADMSG, "the distances from node %u are not %" PRIu32 " numbers",
				       (unsigned int)r->nodes.v[i].node.id, nr);
		r->s->topology.distance[(size_t)i * nr + j] = (uint16_t)v;
	}
	return 0;
}

static int finish_topology(const struct reading *r)
{
	int rc = topology_make(&r->s->topology, (uint32_t)r->nodes.n, r->e);

	for (uint32_t i = 0; i < r->nodes.n && !rc; i++) {
		r->s->topology.node[i] = r->nodes.v[i].node;
		rc = finish_distances(r, i);
	}
	return rc;
}

static int parse_lines(struct reading *r, struct part in)
{
	int rc = 0;

	while (in.len && !rc) {
		r->line++;
		if (!memchr(in.s, '\n', in.len))
			return statetext_refuse(r, "is cut off");
		rc = statetext_parse_line(r, part_cut(&in, '\n'));
	}
	if (!rc && !r->begun)
		rc = err_set(r->e, EBADMSG, "the state of nodes has no beginning");
	return rc ? rc : finish_topology(r);
}

int numa_state_parse(const char *text, size_t len, struct numa_state **ret, struct err *e)
{
	AUTO(numa_state_unref) struct numa_state *s = numa_state_new();
	struct reading r = { .s = s, .e = e };
	int rc;

	if (!s)
		return err_nomem(e, "a state of nodes");
	rc = parse_lines(&r, (struct part){ text, len });
	vec_free(&r.nodes);
	if (rc)
		return rc;
	for (size_t i = 0; i < s->process.n; i++)
		numa_process_tidy(&s->process.v[i]);
	*ret = take_ptr(s);
	return 0;
}
