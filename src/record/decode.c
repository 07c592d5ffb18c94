/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * decode.c - one function for each type of block. Every id of the file goes through a map; one that
 * is not in it is lost.
 */
#include "config.h"

#include "record/decode_private.h"

#include "base/hash.h"
#include "base/text.h"
#include "model/measure.h"
#include "model/probes.h"
#include "model/probenotes.h"
#include "numa/state.h"
#include "record/metatext.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#define MEMORY_MAX ((size_t)1 << 30)     /* of dictionaries and names */
#define DEPTH_MAX (TABLE_ROWS_MAX / 4)   /* frames of one stack */
#define LOST_TEXT "[lost]"

static void start_epoch(struct decoder *d, uint32_t epoch)
{
	idmap_clear(&d->text);
	idmap_clear(&d->module);
	idmap_clear(&d->frame);
	idmap_clear(&d->stack);
	idmap_clear(&d->shape);
	idmap_clear(&d->thread);
	idmap_clear(&d->func);
	arena_reset(&d->arena);
	d->texts.n = 0;
	for (int i = 0; i < BLOCK_TYPES; i++)
		d->next_id[i] = i == BLOCK_EVENTS ? d->next_id[i] : 0;
	memset(d->kind_of, 0, sizeof(d->kind_of));
	memset(d->probe_of, 0, sizeof(d->probe_of));
	d->epoch = epoch;
	d->counts.epochs++;
}

struct decoder *decoder_new(const struct load_target *t)
{
	struct decoder *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->to = *t;
	d->dict = profile_dict(t->profile);
	d->counts.epochs = 1;
	return d;
}

void decoder_free(struct decoder *d)
{
	if (!d)
		return;
	start_epoch(d, 0);
	vec_free(&d->texts);
	open_wait_merge_free(&d->pieces);
	free(d);
}

static struct text decode_text_of(const struct decoder *d, uint64_t id)
{
	const uint32_t at = id < EPOCH_IDS_MAX ? idmap_get(&d->text, (uint32_t)id) : ID_NONE;

	if (id == 0)
		return (struct text){ "", 0 };
	return at == ID_NONE ? (struct text){ LOST_TEXT, sizeof(LOST_TEXT) - 1 } : d->texts.v[at];
}

static str_id dict_text(struct decoder *d, uint64_t id)
{
	const struct text t = decode_text_of(d, id);

	return strtab_add(dict_strings(d->dict), t.s, t.len);
}

static str_id names_text_of(struct decoder *d, uint64_t id)
{
	const struct text t = decode_text_of(d, id);

	return names_add_text(d->to.names, t.s, t.len);
}

/* The frame of what is lost, which has its name from the start. ID_NONE: no memory. */
static frame_id lost_frame(struct decoder *d)
{
	const frame_id frame = dict_note(d->dict, NOTE_LOST);
	const struct frame *f = dict_get_frame(d->dict, frame);
	struct func func = { .kind = FUNC_NOTE };
	struct name name = { .func = ID_NONE };

	if (!f || d->lost_named)
		return frame;
	func.module = f->module;
	func.name = names_add_text(d->to.names, LOST_TEXT, sizeof(LOST_TEXT) - 1);
	if (func.name == STR_NONE)
		return ID_NONE;
	name.func = names_add_func(d->to.names, &func);
	if (name.func == ID_NONE || names_set(d->to.names, frame, &name, 1, true))
		return ID_NONE;
	d->lost_named = true;
	return frame;
}

stack_id decode_lost_stack(struct decoder *d)
{
	const frame_id frame = lost_frame(d);

	return frame == ID_NONE ? ID_NONE : dict_stack(d->dict, STACK_ROOT, frame);
}

thread_id decode_lost_thread(struct decoder *d)
{
	const struct thread t = { .comm = strtab_adds(dict_strings(d->dict), LOST_TEXT) };

	return t.comm == STR_NONE ? ID_NONE : dict_thread(d->dict, &t);
}

/* The two pieces of a text, one behind the other; NULL when out of memory. */
static char *decode_join(struct arena *a, const uint8_t *head, size_t len, const uint8_t *rest, size_t rest_len)
{
	char *s = arena_alloc(a, len + rest_len + 1);

	if (!s)
		return NULL;
	memcpy(s, head, len);
	memcpy(s + len, rest, rest_len);
	s[len + rest_len] = '\0';
	return s;
}

static int load_str(struct decoder *d, struct table_view *t, struct err *e)
{
	for (uint32_t i = 0; i < t->rows; i++) {
		const uint8_t *bytes, *more;
		struct text *text;
		uint64_t len, rest;

		if (!table_get_max(t, STR_LEN, TEXT_LEN_MAX, &len) || !table_get_max(t, STR_REST, TEXT_REST_MAX, &rest))
			return -EBADMSG;
		bytes = table_get_bytes(t, STR_BYTES, (size_t)len);
		more = table_get_bytes(t, STR_REST_BYTES, (size_t)rest);
		if (!bytes || !more)
			return -EBADMSG;
		text = vec_push(&d->texts);
		if (!text)
			return decode_nomem(e);
		*text = (struct text){ decode_join(&d->arena, bytes, (size_t)len, more, (size_t)rest),
				       (uint32_t)(len + rest) };
		if (!text->s || !idmap_set(&d->text, (uint32_t)(t->base + i), (uint32_t)(d->texts.n - 1)))
			return decode_nomem(e);
	}
	return 0;
}

static bool get_module(struct decoder *d, struct table_view *t, uint64_t *ret_kind, struct module *m)
{
	uint64_t path, id_len, pid;
	const uint8_t *id;

	if (!table_get(t, MOD_KIND, ret_kind) || !table_get(t, MOD_PATH, &path) ||
	    !table_get_max(t, MOD_ID_LEN, BUILD_ID_MAX, &id_len) || !table_get(t, MOD_DEV, &m->dev) ||
	    !table_get(t, MOD_INO, &m->ino) || !table_get(t, MOD_GENERATION, &m->generation) ||
	    !table_get_max(t, MOD_PID, INT_MAX, &pid) || !table_get(t, MOD_START, &m->start_ns))
		return false;
	id = table_get_bytes(t, MOD_ID_BYTES, (size_t)id_len);
	if (!id)
		return false;
	memcpy(m->build_id, id, (size_t)id_len);
	m->build_id_len = (uint8_t)id_len;
	m->pid = (pid_t)pid;
	m->path = dict_text(d, path);
	return true;
}

/* What is the same on every machine (a build-id, a note) stays the same. */
static void tell_module_apart(const struct decoder *d, struct module *m)
{
	const uint64_t origin = d->to.options.origin;

	if (!origin || m->kind == MODULE_NOTE)
		return;
	if (m->kind == MODULE_ANON || m->kind == MODULE_SCRIPT) {
		m->start_ns ^= hash_u64(origin);
	} else if (!m->build_id_len) {
		m->generation = hash_2u64(m->generation, m->ino ? m->ino : m->path);
		m->ino = hash_u64(origin) | 1;
	}
}

static int load_mod(struct decoder *d, struct table_view *t, struct err *e)
{
	for (uint32_t i = 0; i < t->rows; i++) {
		struct module m = { 0 };
		module_id id;
		uint64_t kind, run_as;
		str_id shown;

		if (!get_module(d, t, &kind, &m) || !table_get(t, MOD_RUN_AS, &run_as))
			return -EBADMSG;
		shown = run_as ? dict_text(d, run_as) : 0;
		if (m.path == STR_NONE || shown == STR_NONE)
			return decode_nomem(e);
		/* What kind of place an unknown kind is cannot be known either: its frames are lost. */
		if (kind < MODULE_FILE || kind > MODULE_SCRIPT)
			continue;
		if (kind == MODULE_NOTE)
			m = (struct module){ 0 };
		m.kind = (enum module_kind)kind;
		tell_module_apart(d, &m);
		id = dict_module(d->dict, &m);
		if (kind == MODULE_FILE)
			dict_module_run_as(d->dict, id, shown);
		if (!idmap_set(&d->module, (uint32_t)(t->base + i), id))
			return decode_nomem(e);
	}
	return 0;
}

static int load_frame(struct decoder *d, struct table_view *t, struct err *e)
{
	for (uint32_t i = 0; i < t->rows; i++) {
		uint64_t module_in_file, offset, flags;
		module_id module;
		frame_id frame;

		if (!table_get(t, FRAME_MODULE, &module_in_file) || !table_get(t, FRAME_OFFSET, &offset) ||
		    !table_get(t, FRAME_FLAGS, &flags))
			return -EBADMSG;
		module = decode_id(&d->module, module_in_file);
		if (module == ID_NONE)
			continue;
		frame = dict_frame(d->dict, module, offset);
		dict_frame_flag(d->dict, frame, flags & FRAME_FLAGS_ALL);
		if (!idmap_set(&d->frame, (uint32_t)(t->base + i), frame))
			return decode_nomem(e);
	}
	return 0;
}

static bool is_no_stack(const struct decoder *d, frame_id frame)
{
	const struct frame *f = dict_get_frame(d->dict, frame);

	return f && f->offset == NOTE_NO_STACK && dict_get_module(d->dict, f->module)->kind == MODULE_NOTE;
}

/* One stack: PARENT and FRAME as in the file. */
static int decode_add_stack(struct decoder *d, uint32_t own, uint32_t parent_in_file,
			    uint64_t frame_in_file, struct err *e)
{
	stack_id parent = parent_in_file == STACK_ROOT ? STACK_ROOT : decode_id(&d->stack, parent_in_file);
	frame_id frame = decode_id(&d->frame, frame_in_file);
	uint32_t shape = 0;

	if (parent_in_file != STACK_ROOT && parent != ID_NONE)
		shape = idmap_get(&d->shape, parent_in_file);
	else if (parent_in_file == STACK_ROOT && is_no_stack(d, frame))
		shape = SHAPE_NO_STACK;
	if ((shape++ & SHAPE_DEPTH) >= DEPTH_MAX)
		return -EBADMSG;
	if (parent == ID_NONE)
		parent = decode_lost_stack(d);
	if (frame == ID_NONE)
		frame = lost_frame(d);
	if (parent == ID_NONE || frame == ID_NONE ||
	    !idmap_set(&d->stack, own, dict_stack(d->dict, parent, frame)) || !idmap_set(&d->shape, own, shape))
		return decode_nomem(e);
	return 0;
}

static int load_stack(struct decoder *d, struct table_view *t, struct err *e)
{
	for (uint32_t i = 0; i < t->rows; i++) {
		const uint32_t own = (uint32_t)(t->base + i);
		uint64_t up, frame;
		int r;

		if (!table_get_max(t, STACK_PARENT, own, &up) || !up || !table_get(t, STACK_FRAME, &frame))
			return -EBADMSG;
		r = decode_add_stack(d, own, own - (uint32_t)up, frame, e);
		if (r < 0)
			return r;
	}
	return 0;
}

static int load_thread(struct decoder *d, struct table_view *t, struct err *e)
{
	for (uint32_t i = 0; i < t->rows; i++) {
		uint64_t pid, tid, pid_inside, tid_inside, comm, exe, cgroup, container, image, host;
		struct thread th = { 0 };

		if (!table_get_max(t, THREAD_PID, INT_MAX, &pid) || !table_get_max(t, THREAD_TID, INT_MAX, &tid) ||
		    !table_get(t, THREAD_START, &th.start_ns) || !table_get(t, THREAD_COMM, &comm) ||
		    !table_get(t, THREAD_EXE, &exe) || !table_get(t, THREAD_CGROUP, &cgroup) ||
		    !table_get(t, THREAD_CONTAINER, &container) || !table_get(t, THREAD_IMAGE, &image) ||
		    !table_get_max(t, THREAD_PID_INSIDE, INT_MAX, &pid_inside) ||
		    !table_get_max(t, THREAD_TID_INSIDE, INT_MAX, &tid_inside) || !table_get(t, THREAD_HOST, &host))
			return -EBADMSG;
		th.start_ns ^= d->to.options.origin ? hash_u64(d->to.options.origin) : 0;
		th.pid = (pid_t)pid;
		th.tid = (pid_t)tid;
		th.pid_inside = (pid_t)pid_inside;
		th.tid_inside = (pid_t)tid_inside;
		th.comm = dict_text(d, comm);
		th.exe = dict_text(d, exe);
		th.cgroup = dict_text(d, cgroup);
		th.container = dict_text(d, container);
		th.image = dict_text(d, image);
		/* Only what was merged says it of each thread. */
		th.host = host ? dict_text(d, host) : strtab_adds(dict_strings(d->dict), d->to.meta->host);
		if (th.comm == STR_NONE || th.exe == STR_NONE || th.cgroup == STR_NONE ||
		    th.container == STR_NONE || th.image == STR_NONE || th.host == STR_NONE ||
		    !idmap_set(&d->thread, (uint32_t)(t->base + i), dict_thread(d->dict, &th)))
			return decode_nomem(e);
	}
	return 0;
}

static int load_func(struct decoder *d, struct table_view *t, struct err *e)
{
	for (uint32_t i = 0; i < t->rows; i++) {
		uint64_t name, module, kind;
		struct func f = { 0 };

		if (!table_get(t, FUNC_NAME, &name) || !table_get(t, FUNC_MODULE, &module) ||
		    !table_get(t, FUNC_START, &f.start) || !table_get(t, FUNC_SIZE, &f.size) ||
		    !table_get(t, FUNC_KIND, &kind))
			return -EBADMSG;
		f.kind = kind <= FUNC_SCRIPT ? (uint8_t)kind : FUNC_USER;
		f.module = module ? decode_id(&d->module, module - 1) : ID_NONE;
		f.name = names_text_of(d, name);
		if (f.name == STR_NONE || !idmap_set(&d->func, (uint32_t)(t->base + i),
						     names_add_func(d->to.names, &f)))
			return decode_nomem(e);
	}
	return 0;
}

/* Our kind for the events that a file counts in the measure of that NAME, in UNIT; 0 = there is none. */
static uint8_t kind_named(struct text name, struct text unit)
{
	const struct measure *m = measure_get(measure_named(name.s, name.len));
	const char *ours = m ? measure_unit_name(m->unit) : "";

	if (!m || strlen(ours) != unit.len || memcmp(ours, unit.s, unit.len) != 0)
		return 0;
	return (uint8_t)__builtin_ctz(m->kinds);
}

/* The probe of that NAME in a file, whose events weigh in UNIT, as one of ours, + 1; 0 = there is none. */
static uint8_t decode_probe(const struct decoder *d, uint64_t name, uint64_t unit)
{
	const struct text n = decode_text_of(d, name), u = decode_text_of(d, unit);

	return (uint8_t)(1 + probes_of_file(n.s, n.len, u.s, u.len));
}

/*
 * The first kinds have numbers that stay; what later ones are is said by the first measure of them
 * that is known here.
 */
static int load_measures(struct decoder *d, struct table_view *t, struct err *e)
{
	(void)e;
	for (uint32_t i = 0; i < t->rows; i++) {
		uint64_t kind, name, unit, probe;

		if (!table_get(t, MEASURES_KIND, &kind) || !table_get(t, MEASURES_NAME, &name) ||
		    !table_get(t, MEASURES_UNIT, &unit) || !table_get(t, MEASURES_PROBE, &probe))
			return -EBADMSG;
		if (probe && probe <= PROBES_IN_FILE_MAX && kind > KINDS_NUMBERED && kind < EVENT_KINDS_MAX) {
			d->kind_of[kind] = EVENT_HIT;
			d->probe_of[probe - 1] = decode_probe(d, name, unit);
			continue;
		}
		if (kind > KINDS_NUMBERED && kind < EVENT_KINDS_MAX && !d->kind_of[kind])
			d->kind_of[kind] = kind_named(decode_text_of(d, name), decode_text_of(d, unit));
	}
	return 0;
}

/* Reads the N nested names of a row into d->name. 1 when all of their functions are known, else 0. */
static int get_names(struct decoder *d, struct table_view *t, uint64_t n, struct err *e)
{
	int known = 1;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t func, file, line;

		if (!table_get(t, NAMES_FUNC, &func) || !table_get(t, NAMES_FILE, &file) ||
		    !table_get_max(t, NAMES_LINE, UINT32_MAX, &line))
			return -EBADMSG;
		d->name[i] = (struct name){ decode_id(&d->func, func), names_text_of(d, file), (uint32_t)line };
		if (d->name[i].file == STR_NONE)
			return decode_nomem(e);
		if (d->name[i].func == ID_NONE)
			known = 0;
	}
	return known;
}

static int load_names(struct decoder *d, struct table_view *t, struct err *e)
{
	uint64_t nested = 0;

	for (uint32_t i = 0; i < t->rows; i++) {
		uint64_t frame_in_file, n, detailed;
		frame_id frame;
		int r;

		if (!table_get(t, NAMES_FRAME, &frame_in_file) || !table_get_max(t, NAMES_DETAILED, 1, &detailed) ||
		    !table_get_max(t, NAMES_COUNT, NAMES_PER_FRAME_MAX, &n) || !n)
			return -EBADMSG;
		nested += n;
		if (nested > TABLE_NESTED_MAX)
			return -EBADMSG;
		r = get_names(d, t, n, e);
		if (r < 0)
			return r;
		frame = decode_id(&d->frame, frame_in_file);
		if (!r || frame == ID_NONE)
			continue;
		if (!detailed && d->to.options.only_each && names_get(d->to.names, frame) &&
		    names_get(d->to.names, frame)->detailed)
			continue;
		if (names_set(d->to.names, frame, d->name, (uint16_t)n, detailed))
			return decode_nomem(e);
	}
	return 0;
}

/* The next row of T as a hit. */
static bool get_hit(struct table_view *t, struct told_hit *h, uint64_t *ret_probe)
{
	uint64_t pid, tid, cpu, latency, look, comm_len, text_len;
	const uint8_t *comm, *text;

	if (!table_get_max(t, HITS_TIME, TIME_MAX, &h->time_ns) || !table_get(t, HITS_PROBE, ret_probe) ||
	    !table_get_max(t, HITS_PID, INT_MAX, &pid) || !table_get_max(t, HITS_TID, INT_MAX, &tid) ||
	    !table_get_max(t, HITS_CPU, UINT32_MAX, &cpu) || !table_get(t, HITS_LATENCY, &latency) ||
	    !table_get_max(t, HITS_LOOK, UINT32_MAX, &look) ||
	    !table_get_max(t, HITS_COMM_LEN, sizeof(h->comm) - 1, &comm_len) ||
	    !table_get_max(t, HITS_TEXT_LEN, sizeof(h->text) - 1, &text_len))
		return false;
	comm = table_get_bytes(t, HITS_COMM, (size_t)comm_len);
	text = table_get_bytes(t, HITS_TEXT, (size_t)text_len);
	if (!comm || !text)
		return false;
	memcpy(h->comm, comm, (size_t)comm_len);
	text_sanitise(h->text, sizeof(h->text), (const char *)text, (size_t)text_len);
	h->timed = latency;
	h->latency_ns = latency ? latency - 1 : 0;
	h->cpu = (uint32_t)cpu;
	h->look = (uint32_t)look;
	h->pid = (uint32_t)pid;
	h->tid = (uint32_t)tid;
	return true;
}

static int load_hits(struct decoder *d, struct table_view *t, struct err *e)
{
	(void)e;
	for (uint32_t i = 0; i < t->rows; i++) {
		struct told_hit h = { 0 };
		uint64_t probe;

		if (!get_hit(t, &h, &probe))
			return -EBADMSG;
		/* One of which nothing is known cannot be named. */
		if (probe >= PROBES_IN_FILE_MAX || !d->probe_of[probe] || !d->to.options.hit)
			continue;
		h.probe = d->probe_of[probe] - 1u;
		h.time_ns += (uint64_t)d->to.options.shift_ns;
		d->to.options.hit(d->to.options.ctx, &h);
	}
	return 0;
}

struct loader {
	int (*load)(struct decoder *d, struct table_view *t, struct err *e);
	unsigned int columns;    /* the highest that is known */
};

static const struct loader loaders[BLOCK_TYPES] = {
	[BLOCK_STR] = { load_str, STR_REST_BYTES },
	[BLOCK_MOD] = { load_mod, MOD_RUN_AS },
	[BLOCK_FRAME] = { load_frame, FRAME_FLAGS },
	[BLOCK_STACK] = { load_stack, STACK_FRAME },
	[BLOCK_THREAD] = { load_thread, THREAD_HOST },
	[BLOCK_FUNC] = { load_func, FUNC_KIND },
	[BLOCK_NAMES] = { load_names, NAMES_LINE },
	[BLOCK_EVENTS] = { decode_events, EVENTS_PRIORITIES },
	[BLOCK_MEASURES] = { load_measures, MEASURES_PROBE },
	[BLOCK_HITS] = { load_hits, HITS_TEXT },
};

/* How many rows of TYPE lie between the NEXT one and BASE. Id 0 of two types is known without being written. */
static uint64_t rows_between(unsigned int type, uint64_t next, uint64_t base)
{
	const bool known = !next && base && (type == BLOCK_STR || type == BLOCK_STACK);

	return base - next - known;
}

/* Ids only ever go up. What lies between the last table and this one is lost; missing events are counted. */
static bool check_base(struct decoder *d, unsigned int type, const struct table_view *t)
{
	const uint64_t max = type == BLOCK_EVENTS ? WEIGHT_MAX : EPOCH_IDS_MAX - TABLE_ROWS_MAX;
	uint64_t *next = &d->next_id[type];

	if (t->base > max || t->base < *next)
		return false;
	if (type == BLOCK_EVENTS)
		d->counts.lost += t->base - *next;
	d->counts.lost_rows[type] += rows_between(type, *next, t->base);
	d->counts.rows[type] += t->rows;
	*next = t->base + t->rows;
	return true;
}

static int decode_newer(const struct block *b, struct err *e)
{
	return err_set(e, EPROTONOSUPPORT,
		       "the recording holds data (block type %u) that this sberf does not know and must not "
		       "leave out; read it with a newer one", b->type);
}

static int check_memory(const struct decoder *d, struct err *e)
{
	const size_t bytes = dict_bytes(d->dict) + names_bytes(d->to.names) + d->arena.total + idmap_bytes(&d->stack);

	if (bytes <= MEMORY_MAX)
		return 0;
	return err_set(e, ENOMEM, "the stacks and names of the recording need more than %zu MiB of memory",
		       MEMORY_MAX >> 20);
}

static int load_table(struct decoder *d, const struct block *b, const uint8_t *payload, size_t n, struct err *e)
{
	const struct loader *l = &loaders[b->type];
	struct table_view t;

	switch (table_open(&t, l->columns, payload, n)) {
	case TABLE_NEWER:
		return decode_newer(b, e);
	case TABLE_MALFORMED:
		return -EBADMSG;
	case TABLE_OK:
		break;
	}
	if (!check_base(d, b->type, &t))
		return -EBADMSG;
	return l->load(d, &t, e);
}

static int load_end(struct decoder *d, const uint8_t *payload, size_t n)
{
	uint64_t events;

	if (!meta_number(payload, n, "events", &events) || events < d->next_id[BLOCK_EVENTS] || events > WEIGHT_MAX)
		return -EBADMSG;
	d->counts.lost += events - d->next_id[BLOCK_EVENTS];
	d->counts.ended = true;
	return 0;
}

/* A state is whole or nothing: the one before stays when this one makes no sense. */
static int load_numa(struct decoder *d, const uint8_t *payload, size_t n, struct err *e)
{
	AUTO(numa_state_unref) struct numa_state *state = NULL;
	int r;

	if (n > META_BYTES_MAX)
		return -EBADMSG;
	r = numa_state_parse((const char *)payload, n, &state, NULL);
	if (r == -ENOMEM)
		return decode_nomem(e);
	if (r < 0)
		return -EBADMSG;
	profile_numa(d->to.profile, state);
	return 0;
}

/* The same for what is known of probes. */
static int load_probes(struct decoder *d, const uint8_t *payload, size_t n, struct err *e)
{
	AUTO(probe_notes_unref) struct probe_notes *state = NULL;
	int r;

	if (n > META_BYTES_MAX)
		return -EBADMSG;
	r = probe_notes_parse((const char *)payload, n, &state, NULL);
	if (r == -ENOMEM)
		return decode_nomem(e);
	if (r < 0)
		return -EBADMSG;
	profile_probes(d->to.profile, state);
	return 0;
}

int decoder_block(struct decoder *d, const struct block *b, const uint8_t *payload, size_t n, struct err *e)
{
	int r = 0;

	if (b->epoch < d->epoch)
		return -EBADMSG;
	if (b->epoch > d->epoch)
		start_epoch(d, b->epoch);
	if (b->type == BLOCK_META)
		meta_parse(d->to.meta, payload, n);
	else if (b->type == BLOCK_END)
		return load_end(d, payload, n);
	else if (b->type == BLOCK_NUMA)
		r = load_numa(d, payload, n, e);
	else if (b->type == BLOCK_PROBES)
		r = load_probes(d, payload, n, e);
	else if (b->type < BLOCK_TYPES && loaders[b->type].load)
		r = load_table(d, b, payload, n, e);
	else if (b->flags & BLOCK_F_CRITICAL)
		return decode_newer(b, e);
	else
		d->counts.unknown++;
	return r < 0 ? r : check_memory(d, e);
}

int decoder_end(struct decoder *d, struct decode_counts *ret, struct err *e)
{
	const int r = decode_events_end(d, e);

	*ret = d->counts;
	if (r < 0)
		return r;
	return open_wait_merge_end(&d->pieces, d->to.profile, d->to.meta) ? decode_nomem(e) : 0;
}
