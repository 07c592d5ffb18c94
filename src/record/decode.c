/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * decode.c - one function for each type of block. Every id of the file goes through a map; one that is not in it is lost.
 */
#include "config.h"

#include "record/decode.h"

#include "base/arena.h"
#include "record/idmap.h"
#include "record/metatext.h"
#include "record/pieces.h"
#include "record/table.h"
#include "record/tally.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#define MEMORY_MAX ((size_t)1 << 30)     /* of dictionaries and names */
#define DEPTH_MAX (TABLE_ROWS_MAX / 4)   /* frames of one stack */
#define LOST_TEXT "[lost]"

struct text {
	const char *s;
	uint32_t len;
};

struct decoder {
	struct load_target to;
	struct dict *dict;
	struct decode_counts counts;
	uint32_t epoch;
	uint64_t next_id[BLOCK_TYPES];           /* of the tables of this epoch; of EVENTS: next ordinal */
	struct arena arena;                      /* the texts of this epoch */
	VEC(struct text) texts;
	struct idmap text, module, frame, stack, shape, thread, func;    /* id in the file -> index, id, ... */
	struct name name[NAMES_PER_FRAME_MAX];
	bool lost_named;
	struct pieces pieces;
	struct event blocked;                    /* the last event when it was the blocked part of a wait */
};

/* Of a stack: how many frames it has, and whether the first one says that there was none. */
#define SHAPE_NO_STACK 0x80000000u
#define SHAPE_DEPTH 0x7fffffffu

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
	for (int i = 0; i < BLOCK_EVENTS; i++)
		d->next_id[i] = 0;
	d->epoch = epoch;
}

struct decoder *decoder_new(const struct load_target *t)
{
	struct decoder *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->to = *t;
	d->dict = profile_dict(t->profile);
	return d;
}

void decoder_free(struct decoder *d)
{
	if (!d)
		return;
	start_epoch(d, 0);
	vec_free(&d->texts);
	pieces_free(&d->pieces);
	free(d);
}

static int no_memory(struct err *e)
{
	return err_nomem(e, "a profile from a recording");
}

static struct text text_of(const struct decoder *d, uint64_t id)
{
	const uint32_t at = id < EPOCH_IDS_MAX ? idmap_get(&d->text, (uint32_t)id) : ID_NONE;

	if (id == 0)
		return (struct text){ "", 0 };
	return at == ID_NONE ? (struct text){ LOST_TEXT, sizeof(LOST_TEXT) - 1 } : d->texts.v[at];
}

static str_id dict_text(struct decoder *d, uint64_t id)
{
	const struct text t = text_of(d, id);

	return strtab_add(dict_strings(d->dict), t.s, t.len);
}

static str_id names_text_of(struct decoder *d, uint64_t id)
{
	const struct text t = text_of(d, id);

	return names_add_text(d->to.names, t.s, t.len);
}

static uint32_t lookup(const struct idmap *m, uint64_t id)
{
	return id < EPOCH_IDS_MAX ? idmap_get(m, (uint32_t)id) : ID_NONE;
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

static stack_id lost_stack(struct decoder *d)
{
	const frame_id frame = lost_frame(d);

	return frame == ID_NONE ? ID_NONE : dict_stack(d->dict, STACK_ROOT, frame);
}

static thread_id lost_thread(struct decoder *d)
{
	const struct thread t = { .comm = strtab_adds(dict_strings(d->dict), LOST_TEXT) };

	return t.comm == STR_NONE ? ID_NONE : dict_thread(d->dict, &t);
}

static int load_str(struct decoder *d, struct table_view *t, struct err *e)
{
	for (uint32_t i = 0; i < t->rows; i++) {
		const uint8_t *bytes;
		struct text *text;
		uint64_t len;

		if (!table_get_max(t, STR_LEN, TEXT_LEN_MAX, &len))
			return -EBADMSG;
		bytes = table_get_bytes(t, STR_BYTES, (size_t)len);
		if (!bytes)
			return -EBADMSG;
		text = vec_push(&d->texts);
		if (!text)
			return no_memory(e);
		*text = (struct text){ arena_strndup(&d->arena, (const char *)bytes, (size_t)len), (uint32_t)len };
		if (!text->s || !idmap_set(&d->text, (uint32_t)(t->base + i), (uint32_t)(d->texts.n - 1)))
			return no_memory(e);
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

static int load_mod(struct decoder *d, struct table_view *t, struct err *e)
{
	for (uint32_t i = 0; i < t->rows; i++) {
		struct module m = { 0 };
		module_id id;
		uint64_t kind;

		if (!get_module(d, t, &kind, &m))
			return -EBADMSG;
		if (m.path == STR_NONE)
			return no_memory(e);
		/* What kind of place an unknown kind is cannot be known either: its frames are lost. */
		if (kind < MODULE_FILE || kind > MODULE_NOTE)
			continue;
		if (kind == MODULE_NOTE)
			m = (struct module){ 0 };
		m.kind = (enum module_kind)kind;
		id = dict_module(d->dict, &m);
		if (!idmap_set(&d->module, (uint32_t)(t->base + i), id))
			return no_memory(e);
	}
	return 0;
}

static int load_frame(struct decoder *d, struct table_view *t, struct err *e)
{
	for (uint32_t i = 0; i < t->rows; i++) {
		uint64_t module_in_file, offset;
		module_id module;

		if (!table_get(t, FRAME_MODULE, &module_in_file) || !table_get(t, FRAME_OFFSET, &offset))
			return -EBADMSG;
		module = lookup(&d->module, module_in_file);
		if (module == ID_NONE)
			continue;
		if (!idmap_set(&d->frame, (uint32_t)(t->base + i), dict_frame(d->dict, module, offset)))
			return no_memory(e);
	}
	return 0;
}

static bool is_no_stack(const struct decoder *d, frame_id frame)
{
	const struct frame *f = dict_get_frame(d->dict, frame);

	return f && f->offset == NOTE_NO_STACK && dict_get_module(d->dict, f->module)->kind == MODULE_NOTE;
}

/* One stack: PARENT and FRAME as in the file. */
static int add_stack(struct decoder *d, uint32_t own, uint32_t parent_in_file, uint64_t frame_in_file, struct err *e)
{
	stack_id parent = parent_in_file == STACK_ROOT ? STACK_ROOT : lookup(&d->stack, parent_in_file);
	frame_id frame = lookup(&d->frame, frame_in_file);
	uint32_t shape = 0;

	if (parent_in_file != STACK_ROOT && parent != ID_NONE)
		shape = idmap_get(&d->shape, parent_in_file);
	else if (parent_in_file == STACK_ROOT && is_no_stack(d, frame))
		shape = SHAPE_NO_STACK;
	if ((shape++ & SHAPE_DEPTH) >= DEPTH_MAX)
		return -EBADMSG;
	if (parent == ID_NONE)
		parent = lost_stack(d);
	if (frame == ID_NONE)
		frame = lost_frame(d);
	if (parent == ID_NONE || frame == ID_NONE ||
	    !idmap_set(&d->stack, own, dict_stack(d->dict, parent, frame)) || !idmap_set(&d->shape, own, shape))
		return no_memory(e);
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
		r = add_stack(d, own, own - (uint32_t)up, frame, e);
		if (r < 0)
			return r;
	}
	return 0;
}

static int load_thread(struct decoder *d, struct table_view *t, struct err *e)
{
	for (uint32_t i = 0; i < t->rows; i++) {
		uint64_t pid, tid, comm, exe, cgroup;
		struct thread th = { 0 };

		if (!table_get_max(t, THREAD_PID, INT_MAX, &pid) || !table_get_max(t, THREAD_TID, INT_MAX, &tid) ||
		    !table_get(t, THREAD_START, &th.start_ns) || !table_get(t, THREAD_COMM, &comm) ||
		    !table_get(t, THREAD_EXE, &exe) || !table_get(t, THREAD_CGROUP, &cgroup))
			return -EBADMSG;
		th.pid = (pid_t)pid;
		th.tid = (pid_t)tid;
		th.comm = dict_text(d, comm);
		th.exe = dict_text(d, exe);
		th.cgroup = dict_text(d, cgroup);
		if (th.comm == STR_NONE || th.exe == STR_NONE || th.cgroup == STR_NONE ||
		    !idmap_set(&d->thread, (uint32_t)(t->base + i), dict_thread(d->dict, &th)))
			return no_memory(e);
	}
	return 0;
}

static int load_func(struct decoder *d, struct table_view *t, struct err *e)
{
	for (uint32_t i = 0; i < t->rows; i++) {
		uint64_t name, module, kind;
		struct func f = { 0 };

		if (!table_get(t, FUNC_NAME, &name) || !table_get(t, FUNC_MODULE, &module) ||
		    !table_get(t, FUNC_START, &f.start) || !table_get(t, FUNC_SIZE, &f.size) || !table_get(t, FUNC_KIND, &kind))
			return -EBADMSG;
		f.kind = kind <= FUNC_NOTE ? (uint8_t)kind : FUNC_USER;
		f.module = module ? lookup(&d->module, module - 1) : ID_NONE;
		f.name = names_text_of(d, name);
		if (f.name == STR_NONE || !idmap_set(&d->func, (uint32_t)(t->base + i), names_add_func(d->to.names, &f)))
			return no_memory(e);
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
		d->name[i] = (struct name){ lookup(&d->func, func), names_text_of(d, file), (uint32_t)line };
		if (d->name[i].file == STR_NONE)
			return no_memory(e);
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
		frame = lookup(&d->frame, frame_in_file);
		if (!r || frame == ID_NONE)
			continue;
		if (names_set(d->to.names, frame, d->name, (uint16_t)n, detailed))
			return no_memory(e);
	}
	return 0;
}

/* What an event refers to, as in the file. */
struct event_ids {
	uint64_t kind, thread, stack, cut_module, waker, waker_stack;
};

static bool get_event(struct table_view *t, struct event *ev, struct event_ids *ids)
{
	uint64_t cpu, node, cut, method, flags, count;

	if (!table_get_max(t, EVENTS_TIME, TIME_MAX, &ev->time_ns) || !table_get(t, EVENTS_KIND, &ids->kind) ||
	    !table_get(t, EVENTS_THREAD, &ids->thread) || !table_get(t, EVENTS_STACK, &ids->stack) ||
	    !table_get_max(t, EVENTS_CPU, UINT32_MAX, &cpu) || !table_get_max(t, EVENTS_NODE, UINT16_MAX, &node) ||
	    !table_get_max(t, EVENTS_WEIGHT, WEIGHT_MAX, &ev->weight_ns) || !table_get_max(t, EVENTS_CUT, UINT8_MAX, &cut) ||
	    !table_get(t, EVENTS_CUT_MODULE, &ids->cut_module) || !table_get_max(t, EVENTS_METHOD, UINT8_MAX, &method) ||
	    !table_get_max(t, EVENTS_FLAGS, UINT8_MAX, &flags) || !table_get_max(t, EVENTS_COUNT, UINT32_MAX, &count))
		return false;
	ev->cpu = (uint32_t)cpu;
	ev->node = (uint16_t)node;
	ev->cut = (uint8_t)cut;
	ev->method = (uint8_t)method;
	ev->flags = (uint8_t)flags;
	ev->count = (uint32_t)count;
	return true;
}

/* The columns of waits, which every row has a part in; what they hold for other kinds is left out. */
static bool get_wait(struct table_view *t, struct event *ev, struct event_ids *ids)
{
	uint64_t call, state, context, own;

	if (!table_get_max(t, EVENTS_CALL, CALL_MAX, &call) || !table_get_max(t, EVENTS_STATE, UINT8_MAX, &state) ||
	    !table_get(t, EVENTS_WAKER, &ids->waker) || !table_get(t, EVENTS_WAKER_STACK, &ids->waker_stack) ||
	    !table_get_max(t, EVENTS_WAKER_CONTEXT, UINT8_MAX, &context) || !table_get(t, EVENTS_OWN, &own))
		return false;
	if (!EVENT_IS_WAIT(ids->kind))
		return true;
	ev->wait = (struct event_wait){
		.call = (uint32_t)call, .state = (uint8_t)state, .context = (uint8_t)context, .waker = ID_NONE,
		.own_ns = ev->weight_ns - unzigzag(own),
	};
	return ev->wait.own_ns <= WEIGHT_MAX;
}

/*
 * Whether EV is a wait too short to be shown. The blocked part of a wait comes right before its time in the run queue, which is
 * short more often than not: one is shown when the other is.
 */
static bool too_short(struct decoder *d, const struct event *ev)
{
	const struct event *before = &d->blocked;
	uint64_t ns = ev->wait.own_ns;

	if (!d->to.options.min_block_ns || !EVENT_IS_WAIT(ev->kind))
		return false;
	if (ev->kind == EVENT_RUNNABLE && before->kind == EVENT_BLOCKED && before->thread == ev->thread &&
	    before->stack == ev->stack && before->wait.call == ev->wait.call && before->wait.state == ev->wait.state)
		ns = before->wait.own_ns > ns ? before->wait.own_ns : ns;
	d->blocked = *ev;
	if (ns >= d->to.options.min_block_ns)
		return false;
	d->counts.short_waits += tally_count(ev);
	d->counts.short_ns += ev->weight_ns;
	return true;
}

static int deliver(struct decoder *d, const struct event *ev, bool no_stack, struct err *e)
{
	d->counts.events++;
	if (ev->time_ns > d->counts.last_ns)
		d->counts.last_ns = ev->time_ns;
	if (too_short(d, ev))
		return 0;
	if (pieces_add(&d->pieces, d->to.profile, ev))
		return no_memory(e);
	tally_event(d->to.meta, ev, no_stack);
	if (d->to.options.each)
		d->to.options.each(d->to.options.ctx, ev);
	return 0;
}

/* Who woke it is left out when it is lost: it is not known then. */
static void set_waker(const struct decoder *d, struct event *ev, const struct event_ids *ids)
{
	const stack_id stack = ids->waker_stack == STACK_ROOT ? STACK_ROOT : lookup(&d->stack, ids->waker_stack);

	ev->wait.waker = ids->waker ? lookup(&d->thread, ids->waker - 1) : ID_NONE;
	ev->wait.waker_stack = stack == ID_NONE ? STACK_ROOT : stack;
}

static int load_event(struct decoder *d, struct table_view *t, struct err *e)
{
	struct event ev = { 0 };
	struct event_ids ids;
	bool no_stack;

	if (!get_event(t, &ev, &ids) || !get_wait(t, &ev, &ids))
		return -EBADMSG;
	if (ids.kind != EVENT_SAMPLE && !EVENT_IS_WAIT(ids.kind)) {
		d->counts.unknown++;
		return 0;
	}
	ev.kind = (uint8_t)ids.kind;
	ev.thread = lookup(&d->thread, ids.thread);
	ev.stack = ids.stack == STACK_ROOT ? STACK_ROOT : lookup(&d->stack, ids.stack);
	ev.cut_module = ids.cut_module ? lookup(&d->module, ids.cut_module - 1) : ID_NONE;
	if (EVENT_IS_WAIT(ev.kind))
		set_waker(d, &ev, &ids);
	no_stack = ids.stack != STACK_ROOT && ev.stack != ID_NONE && idmap_get(&d->shape, (uint32_t)ids.stack) & SHAPE_NO_STACK;
	if (ev.thread == ID_NONE)
		ev.thread = lost_thread(d);
	if (ev.stack == ID_NONE)
		ev.stack = lost_stack(d);
	if (ev.thread == ID_NONE || ev.stack == ID_NONE)
		return no_memory(e);
	return deliver(d, &ev, no_stack, e);
}

static int load_events(struct decoder *d, struct table_view *t, struct err *e)
{
	for (uint32_t i = 0; i < t->rows; i++) {
		const int r = load_event(d, t, e);

		if (r == -EBADMSG)
			d->counts.lost += t->rows - i;
		if (r < 0)
			return r;
	}
	profile_advance(d->to.profile, d->counts.last_ns);
	return 0;
}

struct loader {
	int (*load)(struct decoder *d, struct table_view *t, struct err *e);
	unsigned int columns;    /* the highest that is known */
};

static const struct loader loaders[BLOCK_TYPES] = {
	[BLOCK_STR] = { load_str, STR_BYTES },
	[BLOCK_MOD] = { load_mod, MOD_GENERATION },
	[BLOCK_FRAME] = { load_frame, FRAME_OFFSET },
	[BLOCK_STACK] = { load_stack, STACK_FRAME },
	[BLOCK_THREAD] = { load_thread, THREAD_CGROUP },
	[BLOCK_FUNC] = { load_func, FUNC_KIND },
	[BLOCK_NAMES] = { load_names, NAMES_LINE },
	[BLOCK_EVENTS] = { load_events, EVENTS_COUNT },
};

/* Ids only ever go up. What lies between the last table and this one is lost; missing events are counted. */
static bool check_base(struct decoder *d, unsigned int type, const struct table_view *t)
{
	const uint64_t max = type == BLOCK_EVENTS ? WEIGHT_MAX : EPOCH_IDS_MAX - TABLE_ROWS_MAX;
	uint64_t *next = &d->next_id[type];

	if (t->base > max || t->base < *next)
		return false;
	if (type == BLOCK_EVENTS)
		d->counts.lost += t->base - *next;
	*next = t->base + t->rows;
	return true;
}

static int newer(const struct block *b, struct err *e)
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
	return err_set(e, ENOMEM, "the stacks and names of the recording need more than %zu MiB of memory", MEMORY_MAX >> 20);
}

static int load_table(struct decoder *d, const struct block *b, const uint8_t *payload, size_t n, struct err *e)
{
	const struct loader *l = &loaders[b->type];
	struct table_view t;

	switch (table_open(&t, l->columns, payload, n)) {
	case TABLE_NEWER:
		return newer(b, e);
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
	else if (b->type < BLOCK_TYPES && loaders[b->type].load)
		r = load_table(d, b, payload, n, e);
	else if (b->flags & BLOCK_F_CRITICAL)
		return newer(b, e);
	else
		d->counts.unknown++;
	return r < 0 ? r : check_memory(d, e);
}

int decoder_end(struct decoder *d, struct decode_counts *ret, struct err *e)
{
	*ret = d->counts;
	return pieces_end(&d->pieces, d->to.profile, d->to.meta) ? no_memory(e) : 0;
}
