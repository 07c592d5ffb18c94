/* SPDX-License-Identifier: BSD-2-Clause */
/* made.c - see made.h. */
#include "config.h"

#include "tests/unit/made.h"

#include "base/hash.h"
#include "base/parse.h"
#include "model/inside.h"
#include "tests/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void made_init(struct made *m, const struct profile_limits *limits)
{
	m->p = profile_new(limits);
	m->names = names_new();
	assert_non_null(m->p);
	assert_non_null(m->names);
	m->d = profile_dict(m->p);
	m->tree = NULL;
	m->waits = NULL;
	m->numa = NULL;
}

void made_free(struct made *m)
{
	numa_view_free(m->numa);
	waits_free(m->waits);
	tree_free(m->tree);
	profile_free(m->p);
	names_free(m->names);
}

int made_set_up(void **state)
{
	struct made *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	made_init(m, NULL);
	*state = m;
	return 0;
}

int made_tear_down(void **state)
{
	made_free(*state);
	free(*state);
	return 0;
}

static module_id made_module(struct made *m, enum module_kind kind, const char *path)
{
	struct module mod = { .kind = kind, .path = strtab_adds(dict_strings(m->d), path),
			      .pid = kind == MODULE_ANON ? 7 : 0 };

	return dict_module(m->d, &mod);
}

/* The module that TEXT names by its suffix, and what is left of its length. */
static module_id module_of(struct made *m, const char *text, size_t *len, enum func_kind *ret_kind)
{
	const char *suffix = *len > 4 ? text + *len - 4 : "";
	const bool kernel = !memcmp(suffix, "_[k]", *len > 4 ? 4 : 1), jit = !memcmp(suffix, "_[j]", *len > 4 ? 4 : 1);

	*ret_kind = kernel ? FUNC_KERNEL : jit ? FUNC_JIT : FUNC_USER;
	if (kernel || jit)
		*len -= 4;
	return kernel ? made_module(m, MODULE_KERNEL, "[kernel]") : jit ? made_module(m, MODULE_ANON, "")
						: made_module(m, MODULE_FILE, "/usr/bin/app");
}

/* Where the function of the LEN bytes at TEXT starts: it matters when it is called so, "app+0x4700". */
static uint64_t made_start(const char *text, size_t len)
{
	const char *at = memmem(text, len, "+0x", 3), *digits = at ? at + 3 : NULL;
	uint64_t start;

	return at && parse_hex(&digits, text + len, &start) && digits == text + len ? start : 0;
}

static func_id made_func(struct made *m, const char *text, size_t len, module_id mod, enum func_kind kind)
{
	const char *hash = memchr(text, '#', len);
	struct func f = { .module = mod, .kind = kind };

	if (hash)
		len = (size_t)(hash - text);
	f.name = names_add_text(m->names, text, len);
	f.start = made_start(text, len);
	return names_add_func(m->names, &f);
}

static frame_id made_named(struct made *m, const char *text, size_t len)
{
	const uint64_t place = hash_bytes(text, len) & 0xffffff;
	const char *part = text, *end = text + len;
	struct name name[16], swap[16];
	enum func_kind kind;
	uint16_t n = 0;
	frame_id frame;
	module_id mod = module_of(m, text, &len, &kind);

	end = text + len;
	while (part < end && n < 16) {
		const char *next = memchr(part, '>', (size_t)(end - part));
		const char *stop = next ? next : end;

		name[n] = (struct name){ .func = made_func(m, part, (size_t)(stop - part), mod, kind) };
		/* "app+0x4700" has lost its name, and its lines with it. */
		if (!memmem(part, (size_t)(stop - part), "+0x", 3)) {
			name[n].file = names_add_text(m->names, "/src/app.c", strlen("/src/app.c"));
			name[n].line = 10u * (n + 1u);
		}
		n++;
		part = stop + 1;
	}
	for (uint16_t i = 0; i < n; i++)
		swap[i] = name[n - 1 - i];
	frame = dict_frame(m->d, mod, place);
	assert_int_not_equal(frame, ID_NONE);
	assert_int_equal(names_set(m->names, frame, swap, n, true), 0);
	return frame;
}

stack_id made_variable(struct made *m, const char *name, uint64_t offset)
{
	const module_id app = made_module(m, MODULE_FILE, "/usr/bin/app");
	const uint64_t start = FRAME_DATA | (hash_bytes(name, strlen(name)) & 0xffff00);
	const struct func f = { .module = app, .kind = FUNC_USER, .start = start, .size = 256,
				.name = names_add_text(m->names, name, strlen(name)) };
	const struct name n = { .func = names_add_func(m->names, &f) };
	const frame_id frame = dict_frame(m->d, app, start + offset);

	assert_int_not_equal(frame, ID_NONE);
	assert_int_equal(names_set(m->names, frame, &n, 1, true), 0);
	return dict_stack(m->d, STACK_ROOT, frame);
}

static frame_id made_frame(struct made *m, const char *text, size_t len)
{
	if (len == 7 && !memcmp(text, "(other)", 7))
		return dict_note(m->d, NOTE_OTHER);
	if (text[0] == '!')
		return dict_note(m->d, NOTE_CUT + (uint64_t)atoi(text + 1));
	if (text[0] == '@' && text[1] == 'k')
		return dict_frame(m->d, made_module(m, MODULE_KERNEL, "[kernel]"), strtoull(text + 2, NULL, 16));
	if (text[0] == '@' && text[1] == 'j')
		return dict_frame(m->d, made_module(m, MODULE_ANON, ""), strtoull(text + 2, NULL, 16));
	if (text[0] == '@')
		return dict_frame(m->d, made_module(m, MODULE_FILE, "/lib/libc.so.6"), strtoull(text + 1, NULL, 16));
	return made_named(m, text, len);
}

stack_id made_stack(struct made *m, const char *text)
{
	stack_id s = STACK_ROOT;

	while (*text) {
		const size_t len = strcspn(text, ";");

		s = dict_stack(m->d, s, made_frame(m, text, len));
		assert_int_not_equal(s, ID_NONE);
		text += len + (text[len] == ';');
	}
	return s;
}

thread_id made_thread(struct made *m, pid_t pid, pid_t tid, const char *comm)
{
	struct thread t = { .pid = pid, .tid = tid, .start_ns = (uint64_t)tid };
	thread_id id;

	t.comm = strtab_adds(dict_strings(m->d), comm);
	t.exe = strtab_adds(dict_strings(m->d), "/usr/bin/app");
	t.cgroup = strtab_adds(dict_strings(m->d), "/system.slice/app.service");
	id = dict_thread(m->d, &t);
	assert_int_not_equal(id, ID_NONE);
	return id;
}

void made_add(struct made *m, uint64_t time_ns, thread_id thread, const char *stack, uint64_t weight)
{
	m->ev = (struct event){ .kind = EVENT_SAMPLE, .flags = EVENT_F_USER, .cut_module = ID_NONE, .time_ns = time_ns,
				.weight = weight, .thread = thread, .stack = made_stack(m, stack) };
	made_again(m);
}

void made_wait(struct made *m, uint64_t time_ns, thread_id thread, const char *stack, enum event_kind kind,
	       const char *call, char state, uint64_t weight)
{
	m->ev = (struct event){ .kind = kind, .flags = EVENT_F_USER, .cut_module = ID_NONE, .time_ns = time_ns,
				.weight = weight, .thread = thread, .stack = made_stack(m, stack) };
	m->ev.wait = (struct event_wait){ .call = call_find(call, MADE_ARCH),
					  .state = wait_state_find((char[]){ state, 0 }),
					  .waker = ID_NONE, .own_ns = weight };
	assert_int_not_equal(m->ev.wait.call, CALL_NONE);
	made_again(m);
}

void made_calls(struct made *m, uint64_t time_ns, thread_id thread, const char *stack, uint32_t probe, uint32_t count,
		uint64_t each_ns)
{
	made_hits(m, time_ns, thread, stack, probe, count, count * each_ns);
	m->ev = (struct event){ .kind = EVENT_SAMPLE, .flags = EVENT_F_USER, .cut_module = ID_NONE, .time_ns = time_ns,
				.weight = count * each_ns, .thread = thread, .stack = made_stack(m, stack),
				.count = count, .inside = inside_with(0, probe, inside_class(each_ns)) };
	made_again(m);
}

void made_place(struct made *m, uint64_t time_ns, thread_id thread, const char *stack,
		enum event_kind kind, uint16_t from, uint16_t to, uint64_t weight)
{
	m->ev = (struct event){ .kind = kind, .cut_module = ID_NONE, .time_ns = time_ns, .weight = weight,
				.thread = thread, .stack = made_stack(m, stack), .node = from };
	m->ev.count = kind == EVENT_MIGRATION ? (uint32_t)weight : 1;
	m->ev.place = (struct event_place){ .node = to, .file = ID_NONE };
	if (kind != EVENT_MIGRATION)
		m->ev.place.mapping = MAPPING_ANON;
	if (kind == EVENT_ACCESS)
		m->ev.place.how = ACCESS_BEFORE;
	made_again(m);
}

void made_hits(struct made *m, uint64_t time_ns, thread_id thread, const char *stack, uint32_t probe,
	       uint32_t count, uint64_t weight)
{
	m->ev = (struct event){ .kind = EVENT_HIT, .cut_module = ID_NONE, .time_ns = time_ns, .weight = weight,
				.count = count, .thread = thread, .stack = made_stack(m, stack), .argument = probe,
				.wait.waker = ID_NONE, .place.file = ID_NONE };
	made_again(m);
}

void made_again(struct made *m)
{
	assert_int_equal(profile_add(m->p, &m->ev), 0);
}

void made_open(struct made *m)
{
	m->ev.flags |= EVENT_F_OPEN;
	made_again(m);
}

struct numa_state *made_machine(uint32_t nr, const uint16_t *id, const uint16_t *d)
{
	struct numa_state *s = numa_state_new();

	assert_non_null(s);
	assert_int_equal(topology_make(&s->topology, nr, NULL), 0);
	s->sampled = true;
	for (uint32_t i = 0; i < nr; i++) {
		s->topology.node[i] = (struct numa_node){ .id = id ? id[i] : (uint16_t)i, .nr_cpus = 4 };
		s->topology.node[i].size_bytes = UINT64_C(16) << 30;
		s->topology.node[i].free_bytes = UINT64_C(4) << 30;
		snprintf(s->topology.node[i].cpus, sizeof(s->topology.node[i].cpus), "%u-%u", 4 * i, 4 * i + 3);
	}
	if (d)
		memcpy(s->topology.distance, d, sizeof(*d) * nr * nr);
	return s;
}

void made_home(struct numa_state *s, pid_t pid, pid_t tid, int32_t home, uint32_t node, uint64_t moves)
{
	struct numa_thread *t = vec_push(&s->thread);

	assert_non_null(t);
	*t = (struct numa_thread){ .pid = pid, .tid = tid, .start_ns = (uint64_t)tid, .home = home, .node = node,
				   .moves = moves };
}

struct numa_process *made_process(struct numa_state *s, pid_t pid)
{
	struct numa_process *p = vec_push(&s->process);

	assert_non_null(p);
	*p = (struct numa_process){ .pid = pid, .comm = "app" };
	return p;
}

void made_resident(struct numa_process *p, uint16_t node, enum mapping_kind mapping, uint64_t bytes)
{
	struct numa_resident *r = vec_push(&p->resident);

	assert_non_null(r);
	*r = (struct numa_resident){ .node = node, .mapping = (uint8_t)mapping, .bytes = bytes, .pages = 9 };
}

void made_put_on(struct made *m, struct numa_state *state)
{
	profile_numa(m->p, state);
	numa_state_unref(state);
}

struct tree *made_tree(struct made *m, const struct query *q)
{
	AUTO(snapshot_unref) struct snapshot *s = profile_snapshot(m->p);
	struct err e = ERR_INIT;
	struct tree *t = NULL;

	assert_non_null(s);
	assert_int_equal(tree_build(s, m->names, q, &t, &e), 0);
	return t;
}

const struct tree *made_look(struct made *m, const struct query *q)
{
	tree_free(m->tree);
	m->tree = NULL;
	m->tree = made_tree(m, q);
	return m->tree;
}

const struct waits *made_waits(struct made *m, const struct query *q)
{
	AUTO(snapshot_unref) struct snapshot *s = profile_snapshot(m->p);
	struct err e = ERR_INIT;

	assert_non_null(s);
	waits_free(m->waits);
	m->waits = NULL;
	assert_int_equal(waits_build(s, m->names, q, &m->waits, &e), 0);
	return m->waits;
}

const struct numa_view *made_numa(struct made *m, const struct query *q)
{
	AUTO(snapshot_unref) struct snapshot *s = profile_snapshot(m->p);
	struct err e = ERR_INIT;

	assert_non_null(s);
	numa_view_free(m->numa);
	m->numa = NULL;
	assert_int_equal(numa_view_build(s, m->names, q, &m->numa, &e), 0);
	return m->numa;
}

int made_write(struct made *m, FILE *f, const struct exporter *x, const struct query *q,
	       const struct export_view *how, struct err *e)
{
	AUTO(snapshot_unref) struct snapshot *s = profile_snapshot(m->p);
	static const struct profile_meta none;
	struct export_view v = how ? *how : (struct export_view){ 0 };

	assert_non_null(s);
	v.snapshot = s;
	v.names = m->names;
	v.query = *q;
	v.tree = x->reads == EXPORT_TREE || x->reads == EXPORT_TREE_UNSORTED ? made_look(m, q) : NULL;
	if (!v.meta)
		v.meta = &none;
	return x->write(f, &v, e);
}

char *made_summary(struct made *m, const struct profile_meta *meta)
{
	AUTO(snapshot_unref) struct snapshot *s = profile_snapshot(m->p);
	const struct export_view v = { .snapshot = s, .names = m->names, .meta = meta };
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(exporter_summary.write(f, &v, NULL), 0);
	fclose(f);
	return text;
}

struct made_sums made_sums(struct made *m)
{
	AUTO(snapshot_unref) struct snapshot *s = profile_snapshot(m->p);
	struct made_sums sums = { 0 };
	struct slice_view v;
	uint64_t end = 0;

	assert_non_null(s);
	sums.slices = snapshot_slices(s);
	for (size_t i = 0; i < sums.slices; i++) {
		snapshot_slice(s, i, &v);
		assert_true(v.provisional ? i == sums.slices - 1 : v.from_ns >= end && v.to_ns > v.from_ns);
		end = v.to_ns;
		sums.facts += v.n;
		for (size_t k = 0; k < v.n; k++) {
			sums.ns += v.fact[k].weight;
			sums.count += v.fact[k].count;
			if (k)
				assert_true(v.fact[k - 1].stack <= v.fact[k].stack);
		}
	}
	return sums;
}

void made_term(struct query *q, const char *text)
{
	struct filter_term t;
	struct err e = ERR_INIT;

	if (term_parse(text, q->arch, &t, &e) < 0)
		fail_msg("%s", e.text);
	assert_true(terms_add(&q->terms, &t));
}

void made_only(struct query *q, const char *text)
{
	memset(&q->terms, 0, sizeof(q->terms));
	made_term(q, text);
}
