/* SPDX-License-Identifier: BSD-2-Clause */
/* synth.c - see synth.h. */
#include "config.h"

#include "model/kind.h"
#include "tests/unit/synth.h"

#include "base/hash.h"
#include "record/metatext.h"
#include "record/reader.h"
#include "tests/unit/cmocka_all.h"

#include <inttypes.h>

#define MODULES 5u
#define THREADS 7u

void synth_init(struct synth *s, uint64_t seed)
{
	*s = (struct synth){ .dict = dict_new(), .names = names_new(), .random = seed, .places = 40, .depth = 12 };
	assert_non_null(s->dict);
	assert_non_null(s->names);
}

void synth_free(struct synth *s)
{
	dict_free(s->dict);
	names_free(s->names);
}

uint64_t synth_random(struct synth *s)
{
	return hash_u64(s->random += 0x9e3779b97f4a7c15ull);
}

static module_id module(struct synth *s, unsigned int i)
{
	struct module m = { .kind = i == 0 ? MODULE_KERNEL : i == 1 ? MODULE_ANON : MODULE_FILE };
	char path[64] = "";

	if (i > 1)
		snprintf(path, sizeof(path), "/usr/lib/\xff\x1b[31mlib%u.so", i);
	m.path = strtab_adds(dict_strings(s->dict), path);
	if (i == 1) {
		m.pid = 4242;
		m.start_ns = 77;
	}
	if (i > 2) {
		m.build_id_len = i == 3 ? 20 : 8;
		memset(m.build_id, (int)(0x10 * i), m.build_id_len);
	} else if (i == 2) {
		m.dev = 0x801;
		m.ino = 123456;
		m.generation = 9;
	}
	return dict_module(s->dict, &m);
}

static thread_id thread(struct synth *s, unsigned int i)
{
	struct thread t = { .pid = 4000 + (pid_t)(i / 2), .tid = 4000 + (pid_t)i, .start_ns = 1000 * i };
	char text[64];

	snprintf(text, sizeof(text), "thread %u", i);
	t.comm = strtab_adds(dict_strings(s->dict), text);
	t.exe = strtab_adds(dict_strings(s->dict), i % 2 ? "/usr/bin/true" : "");
	t.cgroup = strtab_adds(dict_strings(s->dict), "/system.slice/some.service");
	return dict_thread(s->dict, &t);
}

static stack_id stack(struct synth *s, enum cut_reason cut)
{
	const unsigned int depth = 1 + (unsigned int)(synth_random(s) % s->depth);
	stack_id at = STACK_ROOT;
	frame_id frame;

	if (cut != CUT_COMPLETE)
		at = dict_stack(s->dict, at, dict_note(s->dict, NOTE_CUT + cut));
	for (unsigned int i = 0; i < depth; i++) {
		const uint64_t r = synth_random(s);
		const module_id m = module(s, (unsigned int)(r % MODULES));

		frame = dict_frame(s->dict, m, 0x1000 + 0x13 * (r >> 32) % s->places);
		dict_frame_flag(s->dict, frame, frame % 3 ? 0 : FRAME_F_NO_TABLE);
		at = dict_stack(s->dict, at, frame);
	}
	return at;
}

/* A third of the events are waits: with and without waker, cut, long, extrapolated, without a stack, still open. */
static void make_wait(struct synth *s, struct event *ev)
{
	static const uint32_t calls[] = { CALL_NONE, CALL_FAULT, CALL_PREEMPTED, CALL_SYSCALL + 202,
					  CALL_COMPAT + 240, CALL_MAX, CALL_NEW };
	const uint64_t r = synth_random(s);
	struct event_wait *w = &ev->wait;

	ev->kind = r & 1 ? EVENT_BLOCKED : EVENT_RUNNABLE;
	w->call = calls[(r >> 1) % (sizeof(calls) / sizeof(*calls))];
	w->state = (uint8_t)((r >> 4) % WAIT_STATE_NR);
	w->own_ns = ev->weight;
	if (r >> 8 & 1) {
		w->context = WAKER_TASK;
		w->waker = thread(s, (unsigned int)(r >> 9) % THREADS);
		w->waker_stack = r >> 12 & 1 ? stack(s, CUT_COMPLETE) : STACK_ROOT;
	}
	switch (r >> 13 & 7) {
	case 0:
		ev->stack = dict_stack(s->dict, STACK_ROOT, dict_note(s->dict, NOTE_NO_STACK));
		ev->flags = EVENT_F_EXTRAPOLATED;
		ev->cut = CUT_COMPLETE;
		ev->cut_module = ID_NONE;
		ev->count = 1000;
		w->own_ns = 0;
		break;
	case 1:
		ev->flags |= EVENT_F_EXTRAPOLATED;
		ev->count = (uint32_t)(r >> 20) % 50;
		w->own_ns = ev->weight / 7;
		break;
	case 2:
		ev->flags |= EVENT_F_OPEN | EVENT_F_PIECE;
		/* One thread never gets on. */
		if (r >> 16 & 1)
			ev->thread = thread(s, THREADS);
		w->own_ns = 3 * ev->weight;
		break;
	case 3:
		ev->flags |= EVENT_F_EARLIER;
		break;
	default:
		break;
	}
}

/*
 * A migration, a fault or an access: with and without file, of unknown node, of mappings and ways
 * that are not known yet.
 */
static void make_place(struct synth *s, struct event *ev)
{
	const uint64_t r = synth_random(s);

	ev->kind = (uint8_t)(EVENT_MIGRATION + r % 3);
	ev->count = (uint32_t)(r >> 2) % 4;
	ev->place = (struct event_place){
		.node = r >> 4 & 3 ? (uint16_t)(r >> 6) % NODES_MAX : NODE_UNKNOWN,
			.mapping = (uint8_t)(r >> 16) % (MAPPING_NR + 2),
		.how = (uint8_t)(r >> 24) % 6, .file = r >> 32 & 1 ?
		module(s, 2 + (unsigned int)(r >> 33) % (MODULES - 2)) : ID_NONE,
	};
	if (ev->kind == EVENT_MIGRATION)
		ev->place = (struct event_place){ .node = ev->place.node, .file = ID_NONE };
	/* The thread whose wait never ends does so whatever else is told of it. */
	if (!(r >> 40 & 3))
		ev->thread = thread(s, THREADS);
}

void synth_event(struct synth *s, uint64_t i, struct event *ret)
{
	const uint64_t r = synth_random(s);

	*ret = (struct event){
		.kind = EVENT_SAMPLE, .cut = r % 5 ? CUT_COMPLETE : (uint8_t)(r / 5 % CUT_NR),
			.method = (uint8_t)((r >> 8) % 5),
		.walk = r >> 11 & 1 ? (uint8_t)((r >> 12) % (WALK_NR + 1)) : 0,
		.flags = EVENT_F_USER | (r >> 16 & EVENT_F_KERNEL) | (r >> 37 & 1 ? EVENT_F_LEARNT : 0),
		.node = r >> 20 & 1, .cpu = r >> 21 & 3,
		.time_ns = SYNTH_START_NS + 1000000 * i + (r >> 40) % 1000, .weight = SYNTH_WEIGHT + i,
		.thread = thread(s, (unsigned int)(r >> 24) % THREADS), .cut_module = ID_NONE,
		.wait.waker = ID_NONE,
	};
	ret->stack = stack(s, (enum cut_reason)ret->cut);
	if (ret->cut)
		ret->cut_module = module(s, (unsigned int)(r >> 30) % MODULES);
	if (r >> 33 & 1 && r >> 34 & 1)
		make_wait(s, ret);
	else if (r >> 35 & 1 && r >> 36 & 1)
		make_place(s, ret);
}

static bool has_no_stack(const struct dict *d, stack_id id)
{
	const struct stack *s = dict_get_stack(d, id);
	const struct frame *f;

	while (s->parent != STACK_ROOT)
		s = dict_get_stack(d, s->parent);
	f = dict_get_frame(d, s->frame);
	return dict_get_module(d, f->module)->kind == MODULE_NOTE && f->offset == NOTE_NO_STACK;
}

/* What EV leaves open at the end: nothing when its thread is heard of again, in a sample or a wait. */
static uint64_t still_open(const struct event *ev, const struct event *after, size_t n)
{
	if (!(ev->flags & EVENT_F_OPEN))
		return 0;
	for (size_t i = 0; i < n; i++)
		if (after[i].thread == ev->thread && !(after[i].flags & EVENT_F_OPEN) &&
		    kind_carries(after[i].kind) != CARRIES_PLACE)
			return 0;
	return ev->weight;
}

/* Whether EV is the last that is open of its thread. */
static bool last_open(const struct event *ev, const struct event *after, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (after[i].thread == ev->thread && kind_carries(after[i].kind) != CARRIES_PLACE)
			return false;
	return true;
}

/* The way of a stack that counts N times. */
static void sum_way(const struct event *ev, uint64_t n, struct unwound *u)
{
	static const unsigned int ways[] = { WAY_NONE, WAY_COPY, WAY_COPY, WAY_FRAME_POINTERS, WAY_KERNEL };

	if (ev->method == METHOD_NONE && !ev->cut)
		return;
	u->way[ev->method == METHOD_RULES && ev->cut == CUT_STALE ? WAY_NONE : ways[ev->method]] += n;
	if (ways[ev->method] != WAY_COPY)
		return;
	u->learned += ev->flags & EVENT_F_LEARNT ? n : 0;
	if (ev->walk < WALK_NR)
		u->walk[ev->walk] += n;
}

static void sum_wait(const struct dict *d, const struct event *ev, struct profile_meta *m)
{
	const uint64_t count = ev->flags & EVENT_F_PIECE ? 0 : ev->count ? ev->count : 1;

	*(ev->kind == EVENT_BLOCKED ? &m->blocked_ns : &m->runnable_ns) += ev->weight;
	m->waits += count;
	if (has_no_stack(d, ev->stack)) {
		m->wait_none_ns += ev->weight;
		return;
	}
	m->wait_own_ns += ev->flags & EVENT_F_EXTRAPOLATED ? ev->wait.own_ns : ev->weight;
	m->wait_stacks += count != 0;
	m->wait_cut[ev->cut] += count != 0;
	sum_way(ev, count != 0, &m->unwound);
	sum_way(ev, count != 0, &m->wait_unwound);
}

void synth_sums(const struct dict *d, const struct event *ev, size_t n, struct profile_meta *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < n; i++) {
		const uint64_t open = still_open(&ev[i], ev + i + 1, n - i - 1);

		ret->wait_open_ns += open;
		ret->wait_open += open && last_open(&ev[i], ev + i + 1, n - i - 1);
		if (EVENT_IS_WAIT(ev[i].kind))
			sum_wait(d, &ev[i], ret);
		if (ev[i].kind != EVENT_SAMPLE)
			continue;
		ret->samples++;
		ret->user_samples++;
		ret->oncpu_ns += ev[i].weight;
		ret->cut[ev[i].cut]++;
		sum_way(&ev[i], 1, &ret->unwound);
	}
}

/* What the frame must be called, innermost first, ";" between inlined calls. Notes are called "note N". */
static void expected_name(const struct frame *f, const struct module *m, bool detailed, char *dst, size_t size)
{
	if (m->kind == MODULE_NOTE)
		snprintf(dst, size, f->offset == NOTE_LOST ? "[lost] :0" : "note %" PRIu64 " :0", f->offset);
	else if (detailed)
		snprintf(dst, size, "inl%" PRIu64 " a%" PRIu64 ".h:%" PRIu64 ";fn%" PRIx64
			 "_%d_%u f%" PRIu64 ".c:%" PRIu64,
			 f->offset % 5, f->offset % 5, f->offset, f->offset / 32, (int)m->kind,
			 m->build_id[0], f->offset % 3, f->offset % 911);
	else
		snprintf(dst, size, "fn%" PRIx64 "_%d_%u :0", f->offset / 32, (int)m->kind, m->build_id[0]);
}

static struct name parse_name(struct names *ns, const struct frame *f, const struct module *m, char *text, bool inlined)
{
	char *file = strrchr(text, ' '), *line = strrchr(text, ':');
	struct func func = { .module = f->module, .kind = m->kind == MODULE_NOTE ? FUNC_NOTE : FUNC_USER };

	*file++ = *line++ = '\0';
	func.name = names_add_text(ns, text, strlen(text));
	func.start = inlined || m->kind == MODULE_NOTE ? 0 : f->offset / 32 * 32;
	func.size = func.start ? 32 : 0;
	return (struct name){ names_add_func(ns, &func), names_add_text(ns, file, strlen(file)),
			      (uint32_t)strtoul(line, NULL, 10) };
}

void synth_name(struct synth *s, frame_id count, bool detailed)
{
	for (frame_id id = 0; id < count; id++) {
		const struct frame *f = dict_get_frame(s->dict, id);
		const struct module *m = dict_get_module(s->dict, f->module);
		const struct frame_names *have = names_get(s->names, id);
		struct name name[2];
		char text[256], *semi;
		uint16_t n = 0;

		if (have && (have->detailed || !detailed))
			continue;
		expected_name(f, m, detailed, text, sizeof(text));
		semi = strchr(text, ';');
		if (semi) {
			*semi++ = '\0';
			name[n++] = parse_name(s->names, f, m, text, true);
		}
		name[n++] = parse_name(s->names, f, m, semi ? semi : text, false);
		assert_int_equal(names_set(s->names, id, name, n, detailed), 0);
	}
}

bool synth_names_right(const struct dict *d, const struct names *ns, unsigned int *ret_named)
{
	*ret_named = 0;
	for (frame_id id = 0; id < dict_frames(d); id++) {
		const struct frame *f = dict_get_frame(d, id);
		const struct frame_names *fn = names_get(ns, id);
		char want[256], have[256] = "";
		size_t used = 0;

		if (!fn)
			continue;
		++*ret_named;
		expected_name(f, dict_get_module(d, f->module), fn->detailed, want, sizeof(want));
		for (uint16_t i = 0; i < fn->n && used < sizeof(have); i++)
			used += (size_t)snprintf(have + used, sizeof(have) - used, "%s%s %s:%u", i ? ";" : "",
						 names_text(ns, names_func(ns, fn->name[i].func)->name),
						 names_text(ns, fn->name[i].file), fn->name[i].line);
		/* Parts of a name that a damaged block took away say so. */
		if (strcmp(want, have) != 0 && !strstr(have, "[lost]"))
			return false;
	}
	return true;
}

void synth_meta(struct profile_meta *m)
{
	meta_init(m);
	snprintf(m->host, sizeof(m->host), "host.example");
	snprintf(m->kernel, sizeof(m->kernel), "6.18.0");
	snprintf(m->arch, sizeof(m->arch), "x86_64");
	snprintf(m->version, sizeof(m->version), "0.1");
	snprintf(m->target, sizeof(m->target), "redis-server 1234");
	snprintf(m->cmdline, sizeof(m->cmdline), "sberf record -p 1234");
	snprintf(m->event, sizeof(m->event), "cpu-clock");
	m->freq_asked = 997;
	m->freq_got = 995;
	m->cpus = 2;
	m->start_real_ns = 1700000000000000000ull;
	m->start_mono_ns = SYNTH_START_NS;
	m->duration_ns = 10000000000ull;
	m->target_state = TARGET_KILLED;
	m->end_code = 9;
	m->lost.n[LOST_RING_FULL] = 3;
	m->late = 4;
	m->user_cpu_ns = 123456789;
	m->symbols_pending = 5;
	m->off_cpu = m->wakers = true;
	m->wait_short_ns = 12345;
	m->wait_short = 67;
	m->wait_period_ns = 10000000;
}

static size_t module_text(const struct dict *d, const struct module *m, char *dst, size_t size)
{
	size_t n = (size_t)snprintf(dst, size, "%d:%s:%" PRIx64 ":%" PRIu64 ":%" PRIu64 ":%d:%" PRIu64
				    ":", (int)m->kind,
				    strtab_get(dict_strings(d), m->path), m->dev, m->ino, m->generation, (int)m->pid,
				    m->start_ns);

	for (int i = 0; i < m->build_id_len && n < size; i++)
		n += (size_t)snprintf(dst + n, size - n, "%02x", m->build_id[i]);
	return n;
}

static size_t frame_text(const struct dict *d, frame_id id, char *dst, size_t size)
{
	const struct frame *f = dict_get_frame(d, id);
	const struct module *m = dict_get_module(d, f->module);
	size_t n;

	if (m->kind == MODULE_NOTE && f->offset == NOTE_LOST)
		return (size_t)snprintf(dst, size, " [lost]");
	n = (size_t)snprintf(dst, size, " ");
	n += module_text(d, m, dst + n, size - n);
	return n + (size_t)snprintf(dst + n, size - n, "+%" PRIx64, f->offset);
}

static size_t stack_text(const struct dict *d, stack_id at, char *dst, size_t size)
{
	size_t n = 0;

	for (; at != STACK_ROOT && n < size; at = dict_get_stack(d, at)->parent)
		n += frame_text(d, dict_get_stack(d, at)->frame, dst + n, size - n);
	return n;
}

static size_t wait_text(const struct dict *d, const struct event_wait *w, char *dst, size_t size)
{
	size_t n = (size_t)snprintf(dst, size, " call %x state %u own %" PRIu64 " woken from %u", w->call,
				    w->state, w->own_ns, w->context);

	if (w->waker != ID_NONE)
		n += (size_t)snprintf(dst + n, size - n, " by %d", (int)dict_get_thread(d, w->waker)->tid);
	return n + stack_text(d, w->waker_stack, dst + n, size - n);
}

static size_t place_text(const struct dict *d, const struct event_place *p, char *dst, size_t size)
{
	size_t n = (size_t)snprintf(dst, size, " on %u mapping %u how %u", p->node, p->mapping, p->how);

	if (p->file == ID_NONE)
		return n;
	n += (size_t)snprintf(dst + n, size - n, " in ");
	return n + module_text(d, dict_get_module(d, p->file), dst + n, size - n);
}

void synth_text(const struct dict *d, const struct event *ev, char *dst, size_t size)
{
	const struct strtab *strings = dict_strings(d);
	const struct thread *t = dict_get_thread(d, ev->thread);
	size_t n;

	n = (size_t)snprintf(dst, size, "%u cut %u method %u flags %u node %u cpu %u at %" PRIu64 " for %" PRIu64
			     " in %d/%d/%" PRIu64 " %s %s %s by ", ev->kind, ev->cut, ev->method, ev->flags,
			     ev->node, ev->cpu,
			     ev->time_ns, ev->weight, (int)t->pid, (int)t->tid, t->start_ns,
			     strtab_get(strings, t->comm), strtab_get(strings, t->exe), strtab_get(strings, t->cgroup));
	if (ev->cut_module != ID_NONE)
		n += module_text(d, dict_get_module(d, ev->cut_module), dst + n, size - n);
	n += stack_text(d, ev->stack, dst + n, size - n);
	if (ev->count)
		n += (size_t)snprintf(dst + n, size - n, " count %u", ev->count);
	if (ev->walk)
		n += (size_t)snprintf(dst + n, size - n, " walk %u", ev->walk);
	if (EVENT_IS_WAIT(ev->kind))
		n += wait_text(d, &ev->wait, dst + n, size - n);
	if (kind_carries(ev->kind) == CARRIES_PLACE)
		n += place_text(d, &ev->place, dst + n, size - n);
	assert_true(n < size);
}

void memory_block(struct memory_recording *r, unsigned int type, unsigned int flags, const void *payload, size_t n)
{
	struct packer packer = { NULL };

	r->next.type = (uint16_t)type;
	r->next.flags = (uint8_t)flags;
	r->next.epoch = encoder_epoch(r->enc);
	assert_true(block_put(&r->next, payload, n, &packer, &r->bytes));
	packer_free(&packer);
	r->next.seq++;
}

void memory_begin(struct memory_recording *r, const struct synth *s, const struct profile_meta *m)
{
	struct record_header h = {
		.major = RECORD_MAJOR, .minor = RECORD_MINOR, .size = HEADER_SIZE, .uuid = "an example, 16b",
		.start_real_ns = m->start_real_ns, .start_mono_ns = m->start_mono_ns,
	};
	uint8_t header[HEADER_SIZE];
	byte_vec text = { 0 };

	h.uuid[UUID_SIZE - 1] = (uint8_t)(h.uuid[UUID_SIZE - 1] + s->recording);
	memset(r, 0, sizeof(*r));
	r->enc = encoder_new(s->dict, s->names);
	assert_non_null(r->enc);
	r->next.stream = header_stream(&h);
	header_put(header, &h);
	assert_true(bytes_add(&r->bytes, header, sizeof(header)));
	assert_true(meta_text(m, &text));
	memory_block(r, BLOCK_META, 0, text.v, text.n);
	vec_free(&text);
}

static bool to_memory(void *ctx, enum block_type type, const uint8_t *payload, size_t n)
{
	memory_block(ctx, type, 0, payload, n);
	return true;
}

void memory_flush(struct memory_recording *r)
{
	bool done;

	do {
		assert_true(encoder_names(r->enc, 1000, &done));
		assert_true(encoder_take(r->enc, to_memory, r));
	} while (!done);
}

void memory_end(struct memory_recording *r)
{
	char text[64];
	const int n = snprintf(text, sizeof(text), "events=%" PRIu64 "\nblocks=%u\n", encoder_events(r->enc),
			       r->next.seq + 1);

	memory_block(r, BLOCK_END, 0, text, (size_t)n);
}

void memory_free(struct memory_recording *r)
{
	encoder_free(r->enc);
	vec_free(&r->bytes);
}

static void keep(void *ctx, const struct event *ev)
{
	struct loaded *l = ctx;
	struct event *copy = vec_push(&l->event);
	char **line = vec_push(&l->line);
	char text[8192];

	assert_non_null(copy);
	assert_non_null(line);
	*copy = *ev;
	synth_text(profile_dict(l->profile), ev, text, sizeof(text));
	*line = strdup(text);
	assert_non_null(*line);
}

static void loaded_init(struct loaded *l)
{
	memset(l, 0, sizeof(*l));
	l->profile = profile_new(NULL);
	l->names = names_new();
	assert_non_null(l->profile);
	assert_non_null(l->names);
}

static ssize_t from_memory(void *ctx, void *dst, size_t n)
{
	struct cursor *c = ctx;
	const size_t left = (size_t)(c->end - c->p), k = n < left ? n : left;

	memcpy(dst, c->p, k);
	c->p += k;
	return (ssize_t)k;
}

void load_bytes_from(struct loaded *l, const void *bytes, size_t n, uint64_t min_block_ns)
{
	struct cursor in = { bytes, (const uint8_t *)bytes + n };
	struct load_target t;

	loaded_init(l);
	t = (struct load_target){
		.profile = l->profile, .names = l->names, .meta = &l->meta, .report = &l->report,
		.options = { .min_block_ns = min_block_ns, .each = keep, .ctx = l },
	};
	l->code = recording_read("test.data", from_memory, &in, &t, &l->err);
}

void load_bytes(struct loaded *l, const void *bytes, size_t n)
{
	load_bytes_from(l, bytes, n, 0);
}

void load_recording(struct loaded *l, const char *path)
{
	const struct load_options o = { .each = keep, .ctx = l };

	loaded_init(l);
	l->code = recording_load(path, l->profile, l->names, &l->meta, &l->report, &o, &l->err);
}

void loaded_free(struct loaded *l)
{
	profile_free(l->profile);
	names_free(l->names);
	for (size_t i = 0; i < l->line.n; i++)
		free(l->line.v[i]);
	vec_free(&l->line);
	vec_free(&l->event);
}

static stack_id example_stack(struct synth *s)
{
	struct module m = { .kind = MODULE_FILE, .build_id_len = 4, .build_id = { 0xde, 0xad, 0xbe, 0xef } };
	struct name name[2];
	frame_id outer, inner;

	m.path = strtab_adds(dict_strings(s->dict), "/bin/x");
	outer = dict_frame(s->dict, dict_module(s->dict, &m), 0x1150);
	inner = dict_frame(s->dict, 0, 0x1100);
	name[0].func = names_add_func(s->names, &(struct func){ .name = names_add_text(s->names, "f",
		1), .module = 0 });
	name[1].func = names_add_func(s->names, &(struct func){ .name = names_add_text(s->names, "main",
							       4), .module = 0, .start = 0x1140, .size = 48 });
	name[0].file = name[1].file = names_add_text(s->names, "x.c", 3);
	name[0].line = 7;
	name[1].line = 12;
	assert_int_equal(names_set(s->names, outer, name, 2, true), 0);
	return dict_stack(s->dict, dict_stack(s->dict, STACK_ROOT, outer), inner);
}

void memory_example(struct memory_recording *r)
{
	const struct profile_meta none = { .start_real_ns = 1700000000000000000ull, .start_mono_ns = SYNTH_START_NS };
	static const char meta[] = "event=cpu-clock\nlate=0\n";
	struct thread t = { .pid = 42, .tid = 43, .start_ns = 1000 };
	struct event ev = {
		.kind = EVENT_SAMPLE, .flags = EVENT_F_USER, .cpu = 1, .time_ns = SYNTH_START_NS + 1000,
			.weight = 10101010,
		.cut_module = ID_NONE,
	};
	struct record_header h;
	struct synth s;

	synth_init(&s, 0);
	memory_begin(r, &s, &none);
	/* Nothing in it is newer than 1.0, and it has its own figures in place of all of them. */
	assert_true(header_get(r->bytes.v, &h));
	h.minor = 0;
	header_put(r->bytes.v, &h);
	r->bytes.n = HEADER_SIZE;
	r->next.seq = 0;
	memory_block(r, BLOCK_META, 0, meta, sizeof(meta) - 1);
	t.comm = t.exe = strtab_adds(dict_strings(s.dict), "x");
	ev.stack = example_stack(&s);
	ev.thread = dict_thread(s.dict, &t);
	assert_true(encoder_event(r->enc, &ev));
	memory_flush(r);
	memory_end(r);
	encoder_free(r->enc);
	r->enc = NULL;
	synth_free(&s);
}

static void print_names(FILE *f, const struct loaded *l)
{
	const struct dict *d = profile_dict(l->profile);
	char text[1024];

	for (frame_id id = 0; id < dict_frames(d); id++) {
		const struct frame_names *fn = names_get(l->names, id);

		if (!fn)
			continue;
		frame_text(d, id, text, sizeof(text));
		fprintf(f, "frame%s %s", text, fn->detailed ? "detailed" : "named");
		for (uint16_t i = 0; i < fn->n; i++) {
			const struct func *func = names_func(l->names, fn->name[i].func);

			fprintf(f, " %s(%u %" PRIx64 "+%" PRIu64 ") %s:%u",
				names_text(l->names, func->name), func->kind,
				func->start, func->size, names_text(l->names, fn->name[i].file), fn->name[i].line);
		}
		fputc('\n', f);
	}
}

char *loaded_text(const struct loaded *l)
{
	byte_vec meta = { 0 };
	char *text = NULL, *numa = loaded_numa(l);
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_true(meta_text(&l->meta, &meta));
	fprintf(f, "%.*s", (int)meta.n, (const char *)meta.v);
	for (size_t i = 0; i < l->line.n; i++)
		fprintf(f, "%s\n", l->line.v[i]);
	print_names(f, l);
	/* One figure a line: a later version may say more in between. */
	for (const char *p = numa; *p; p++)
		fputc(*p == ' ' ? '\n' : *p, f);
	assert_int_equal(fclose(f), 0);
	free(numa);
	vec_free(&meta);
	return text;
}
