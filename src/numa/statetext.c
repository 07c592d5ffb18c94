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

#include "base/parse.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text that stands somewhere else. */
struct span {
	const char *p;
	size_t len;
};

enum value_kind { VALUE_TEXT, VALUE_UNSIGNED, VALUE_SIGNED, VALUE_SPAN };

struct key {
	const char *name;
	enum value_kind kind;
	size_t at, size;         /* in the struct of the line: 1, 2, 4 or 8 bytes of a number */
	int64_t min;
	uint64_t max;
	bool must;               /* a line without it makes no sense */
};

/* A node with the distances from it as they stand in the text: how many there are is known behind the last node. */
struct node_line {
	struct numa_node node;
	struct span distances;
};

/* What the first line says. */
struct head_line {
	uint64_t time_ns;
	bool sampled;
	uint64_t sampled_from_ns;
};

#define AT(type, member, kind, ...) \
	{ #member, kind, offsetof(struct type, member), sizeof(((struct type *)0)->member), __VA_ARGS__ }
#define TEXT(type, member) AT(type, member, VALUE_TEXT, 0, 0, false)
#define NUMBER(type, member, max) AT(type, member, VALUE_UNSIGNED, 0, max, false)
#define U64(type, member) NUMBER(type, member, UINT64_MAX)
#define U32(type, member) NUMBER(type, member, UINT32_MAX)
#define BOOL(type, member) NUMBER(type, member, 1)
#define NODE(type, member) AT(type, member, VALUE_UNSIGNED, 0, NODES_MAX - 1, true)
#define PID(type, member) AT(type, member, VALUE_UNSIGNED, 1, INT32_MAX, true)

static const struct key head_keys[] = {
	AT(head_line, time_ns, VALUE_UNSIGNED, 0, UINT64_MAX, true),
	BOOL(head_line, sampled),
	U64(head_line, sampled_from_ns),
};

static const struct key figures_keys[] = {
	U64(numa_figures, samples),
#define X(nr, id, name, text) \
	{ "miss_" name, VALUE_UNSIGNED, offsetof(struct numa_figures, miss) + nr * sizeof(uint64_t), 8, 0, \
	  UINT64_MAX, false },
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

static const struct key node_keys[] = {
	{ "id", VALUE_UNSIGNED, offsetof(struct node_line, node.id), sizeof(uint16_t), 0, NODES_MAX - 1, true },
	{ "nr_cpus", VALUE_UNSIGNED, offsetof(struct node_line, node.nr_cpus), sizeof(uint32_t), 0, UINT32_MAX, false },
	{ "cpus", VALUE_TEXT, offsetof(struct node_line, node.cpus),
	  sizeof(((struct node_line *)0)->node.cpus), 0, 0, false },
	{ "size_bytes", VALUE_UNSIGNED, offsetof(struct node_line, node.size_bytes), sizeof(uint64_t), 0,
	  UINT64_MAX, false },
	{ "free_bytes", VALUE_UNSIGNED, offsetof(struct node_line, node.free_bytes), sizeof(uint64_t), 0,
	  UINT64_MAX, false },
	{ "distances", VALUE_SPAN, offsetof(struct node_line, distances), sizeof(struct span), 0, 0, false },
};

static const struct key process_keys[] = {
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

static const struct key resident_keys[] = {
	NODE(numa_resident, node),
	AT(numa_resident, mapping, VALUE_UNSIGNED, 0, UINT8_MAX, true),
	U64(numa_resident, bytes),
	U32(numa_resident, pages),
};

static const struct key thread_keys[] = {
	PID(numa_thread, pid),
	PID(numa_thread, tid),
	U64(numa_thread, start_ns),
	AT(numa_thread, home, VALUE_SIGNED, -1, NODES_MAX - 1, false),
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
	const struct key *keys;
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

static void statetext_put_text(struct writing *w, const char *s, size_t size)
{
	const size_t len = strnlen(s, size);

	for (size_t i = 0; i < len; i++)
		if (s[i] == '%' || s[i] == ' ' || (unsigned char)s[i] < ' ')
			statetext_putf(w, "%%%02X", (unsigned int)(unsigned char)s[i]);
		else
			statetext_put(w, &s[i], 1);
}

static uint64_t number_at(const void *p, size_t size)
{
	switch (size) {
	case 1:
		return *(const uint8_t *)p;
	case 2:
		return *(const uint16_t *)p;
	case 4:
		return *(const uint32_t *)p;
	}
	return *(const uint64_t *)p;
}

/* A line of KIND from ROW, which is of its type, up to before the newline. */
static void put_line(struct writing *w, enum line_kind kind, const void *row)
{
	const struct line *l = &lines[kind];

	statetext_put(w, l->name, strlen(l->name));
	for (size_t i = 0; i < l->nr_keys; i++) {
		const struct key *k = &l->keys[i];
		const void *p = (const char *)row + k->at;

		statetext_put(w, " ", 1);
		statetext_put(w, k->name, strlen(k->name));
		statetext_put(w, "=", 1);
		if (k->kind == VALUE_TEXT)
			statetext_put_text(w, p, k->size);
		else if (k->kind == VALUE_UNSIGNED)
			statetext_putf(w, "%" PRIu64, number_at(p, k->size));
		else if (k->kind == VALUE_SIGNED)
			statetext_putf(w, "%" PRId32, *(const int32_t *)p);
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

static bool span_is(const struct span *s, const char *name)
{
	return s->len == strlen(name) && !memcmp(s->p, name, s->len);
}

/* What stands before the next C of *IN, which moves behind it; all of it when there is none. */
static struct span statetext_cut_at(struct span *in, char c)
{
	const char *at = in->len ? memchr(in->p, c, in->len) : NULL;
	const struct span before = { in->p, at ? (size_t)(at - in->p) : in->len };
	const size_t used = before.len + (at ? 1 : 0);

	*in = (struct span){ in->p + used, in->len - used };
	return before;
}

static bool statetext_parse_number(const struct span *value, uint64_t *ret)
{
	const char *p = value->p, *end = value->p + value->len;

	return parse_dec(&p, end, ret) && p == end;
}

/* A byte of VALUE at *AT, which moves behind it, escapes undone. False: an escape makes no sense. */
static bool next_byte(const struct span *value, size_t *at, char *ret)
{
	const char *hex = value->p + *at + 1;
	uint64_t v;

	if (value->p[*at] != '%') {
		*ret = value->p[(*at)++];
		return true;
	}
	if (value->len - *at < 3 || !parse_hex(&hex, hex + 2, &v) || hex != value->p + *at + 3)
		return false;
	*at += 3;
	*ret = (char)v;
	return true;
}

/* The longest field three times over, since the sanitised form can be as long; what is behind is cut anyway. */
#define RAW_MAX (3 * NUMA_LIST_MAX)

static bool parse_text(const struct span *value, char *dst, size_t size)
{
	char raw[RAW_MAX];
	size_t n = 0;

	for (size_t at = 0; at < value->len && n < sizeof(raw); n++)
		if (!next_byte(value, &at, &raw[n]))
			return false;
	text_sanitise(dst, size, raw, n);
	return true;
}

static void set_number(void *p, size_t size, uint64_t v)
{
	switch (size) {
	case 1:
		*(uint8_t *)p = (uint8_t)v;
		break;
	case 2:
		*(uint16_t *)p = (uint16_t)v;
		break;
	case 4:
		*(uint32_t *)p = (uint32_t)v;
		break;
	default:
		*(uint64_t *)p = v;
	}
}

static bool parse_signed(const struct key *k, struct span value, int32_t *ret)
{
	const bool negative = value.len && value.p[0] == '-';
	uint64_t v;

	if (negative)
		statetext_cut_at(&value, '-');
	if (!statetext_parse_number(&value, &v) || v > INT32_MAX)
		return false;
	*ret = negative ? -(int32_t)v : (int32_t)v;
	return *ret >= k->min && (negative || v <= k->max);
}

static bool statetext_parse_value(const struct key *k, const struct span *value, void *row)
{
	void *p = (char *)row + k->at;
	uint64_t v;

	switch (k->kind) {
	case VALUE_TEXT:
		return parse_text(value, p, k->size);
	case VALUE_UNSIGNED:
		if (!statetext_parse_number(value, &v) || v < (uint64_t)k->min || v > k->max)
			return false;
		set_number(p, k->size, v);
		return true;
	case VALUE_SIGNED:
		return parse_signed(k, *value, p);
	case VALUE_SPAN:
		*(struct span *)p = *value;
		return true;
	}
	return false;
}

/* Sets in ROW what PAIR, "key=value", says. Notes keys that came as bits of *SEEN. */
static int parse_pair(const struct reading *r, const struct line *l, struct span *pair, union row *row, uint32_t *seen)
{
	const struct span name = statetext_cut_at(pair, '=');

	for (size_t i = 0; i < l->nr_keys; i++) {
		if (!span_is(&name, l->keys[i].name))
			continue;
		if (!statetext_parse_value(&l->keys[i], pair, row))
			return err_set(r->e, EBADMSG, "line %u of the state of nodes: %s makes no sense", r->line,
				       l->keys[i].name);
		*seen |= UINT32_C(1) << i;
	}
	return 0;
}

/* What ROW, of a line L, says by itself: what is left out is 0, but node 0 is a node. */
static void clear_row(const struct line *l, union row *row)
{
	memset(row, 0, sizeof(*row));
	if (l == &lines[LINE_THREAD])
		row->thread.home = -1;
}

static int statetext_parse_line(struct reading *r, struct span line)
{
	const struct span what = statetext_cut_at(&line, ' ');
	const struct line *l = lines;
	union row row;
	uint32_t seen = 0;

	while (l < lines + LINE_NR && !span_is(&what, l->name))
		l++;
	if (l == lines + LINE_NR)
		return 0;
	if (r->begun == (l == &lines[LINE_HEAD]))
		return statetext_refuse(r, r->begun ? "begins another one" : "stands before its beginning");
	clear_row(l, &row);
	while (line.len) {
		struct span pair = statetext_cut_at(&line, ' ');
		const int rc = parse_pair(r, l, &pair, &row, &seen);

		if (rc)
			return rc;
	}
	for (size_t i = 0; i < l->nr_keys; i++)
		if (l->keys[i].must && !(seen >> i & 1))
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
	struct span in = r->nodes.v[i].distances;
	const uint32_t nr = (uint32_t)r->nodes.n;
	uint64_t v;

	if (!in.len)
		return 0;
	for (uint32_t j = 0; j < nr; j++) {
		const struct span value = j + 1 < nr ? statetext_cut_at(&in, ',') : in;

		if (!statetext_parse_number(&value, &v) || v > UINT16_MAX)
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

static int parse_lines(struct reading *r, struct span in)
{
	int rc = 0;

	while (in.len && !rc) {
		r->line++;
		if (!memchr(in.p, '\n', in.len))
			return statetext_refuse(r, "is cut off");
		rc = statetext_parse_line(r, statetext_cut_at(&in, '\n'));
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
	rc = parse_lines(&r, (struct span){ text, len });
	vec_free(&r.nodes);
	if (rc)
		return rc;
	for (size_t i = 0; i < s->process.n; i++)
		numa_process_tidy(&s->process.v[i]);
	*ret = take_ptr(s);
	return 0;
}
