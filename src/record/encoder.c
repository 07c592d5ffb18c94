/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * encoder.c - maps the ids of the dictionary to those of the file, and adds a row wherever one is
 * used for the first time.
 *
 * Ids of the file are 32-bit here; EPOCH_IDS_MAX keeps them far from the end. `failed` is sticky:
 * once memory ran out between two tables that belong together, nothing may be written any more.
 */
#include "config.h"

#include "record/encoder.h"

#include "model/inside.h"
#include "model/kind.h"
#include "model/measure.h"
#include "model/probes.h"
#include "record/idmap.h"
#include "record/table.h"

#include <stdlib.h>

#define FULL_BYTES (256u << 10)
#define FULL_ROWS (TABLE_ROWS_MAX / 4)
#define DEPTH_MAX (TABLE_ROWS_MAX / 4)   /* so that one event, with its waker, always fits what encoder_full() left */

/* A frame that this recording used, in any epoch. */
struct used {
	frame_id frame;
	const struct frame_names *written;       /* what was written last in the epoch of its last use */
};

struct encoder {
	const struct dict *dict;
	const struct names *names;
	uint32_t epoch;
	struct table table[BLOCK_TYPES];
	struct idmap dict_text, names_text, module, frame, stack, thread, func;  /* this epoch: id -> id in the file */
	struct idmap used_at;                    /* frame -> index in used */
	VEC(struct used) used;
	VEC(stack_id) chain;                     /* scratch */
	VEC(frame_id) fresh;                     /* those of used whose names are to be looked for */
	size_t looked;                           /* how many of fresh were */
	uint64_t generation;                     /* of names, up to which was read what changed */
	uint32_t described;                      /* kinds whose measures this epoch names, as a mask */
	uint64_t described_probes;               /* the same, by number */
	uint32_t gone_stack;                     /* file id of the stack that stands for forgotten ones; 0 = none yet */
	bool failed;
};

static void start_tables(struct encoder *enc)
{
	for (int i = BLOCK_STR; i < BLOCK_TYPES; i++) {
		if (i == BLOCK_EVENTS)
			continue;
		table_next(&enc->table[i]);
		enc->table[i].base = 0;
	}
	enc->described = 0;
	enc->described_probes = 0;
	/* Id 0 of these two is known without being written: "" and the empty stack. */
	enc->table[BLOCK_STR].base = enc->table[BLOCK_STACK].base = 1;
	enc->gone_stack = 0;
}

struct encoder *encoder_new(const struct dict *dict, const struct names *names)
{
	struct encoder *enc = calloc(1, sizeof(*enc));

	if (!enc)
		return NULL;
	enc->dict = dict;
	enc->names = names;
	enc->generation = names_generation(names);
	start_tables(enc);
	return enc;
}

static void clear_maps(struct encoder *enc)
{
	idmap_clear(&enc->dict_text);
	idmap_clear(&enc->names_text);
	idmap_clear(&enc->module);
	idmap_clear(&enc->frame);
	idmap_clear(&enc->stack);
	idmap_clear(&enc->thread);
	idmap_clear(&enc->func);
}

void encoder_free(struct encoder *enc)
{
	if (!enc)
		return;
	clear_maps(enc);
	idmap_clear(&enc->used_at);
	for (int i = 0; i < BLOCK_TYPES; i++)
		table_free(&enc->table[i]);
	vec_free(&enc->used);
	vec_free(&enc->fresh);
	vec_free(&enc->chain);
	free(enc);
}

static void encoder_add(struct encoder *enc, enum block_type type, unsigned int column, uint64_t value)
{
	if (!table_add(&enc->table[type], column, value))
		enc->failed = true;
}

/* Ends a row and gives its id in the file, remembered in MAP for ID. */
static uint32_t end_row(struct encoder *enc, enum block_type type, struct idmap *map, uint32_t id)
{
	struct table *t = &enc->table[type];
	const uint32_t in_file = (uint32_t)(t->base + t->rows++);

	if (in_file >= EPOCH_IDS_MAX || (map && !idmap_set(map, id, in_file)))
		enc->failed = true;
	return in_file;
}

static uint32_t map_text(struct encoder *enc, struct idmap *map, str_id id, const char *s, size_t len)
{
	const uint32_t known = idmap_get(map, id);
	size_t rest;

	if (known != ID_NONE)
		return known;
	if (!len)
		return 0;
	rest = len > TEXT_LEN_MAX ? len - TEXT_LEN_MAX : 0;
	len -= rest;
	rest = rest < TEXT_REST_MAX ? rest : TEXT_REST_MAX;
	encoder_add(enc, BLOCK_STR, STR_LEN, len);
	encoder_add(enc, BLOCK_STR, STR_REST, rest);
	if (!table_add_bytes(&enc->table[BLOCK_STR], STR_BYTES, s, len) ||
	    !table_add_bytes(&enc->table[BLOCK_STR], STR_REST_BYTES, s + len, rest))
		enc->failed = true;
	return end_row(enc, BLOCK_STR, map, id);
}

/* A name that is ours: rows are few, and each has texts of its own. */
static uint32_t own_text(struct encoder *enc, const char *s)
{
	if (!*s)
		return 0;
	encoder_add(enc, BLOCK_STR, STR_LEN, strlen(s));
	encoder_add(enc, BLOCK_STR, STR_REST, 0);
	if (!table_add_bytes(&enc->table[BLOCK_STR], STR_BYTES, s, strlen(s)))
		enc->failed = true;
	return end_row(enc, BLOCK_STR, NULL, 0);
}

static void describe_measure(struct encoder *enc, unsigned int kind, const struct measure *m)
{
	encoder_add(enc, BLOCK_MEASURES, MEASURES_KIND, kind);
	encoder_add(enc, BLOCK_MEASURES, MEASURES_NAME, own_text(enc, m->name));
	encoder_add(enc, BLOCK_MEASURES, MEASURES_UNIT, own_text(enc, measure_unit_name(m->unit)));
	encoder_add(enc, BLOCK_MEASURES, MEASURES_PROBE, m->probe);
	end_row(enc, BLOCK_MEASURES, NULL, 0);
}

/* Names the measures that events of KIND, which is used for the first time in this epoch, count in. */
static void describe_kind(struct encoder *enc, unsigned int kind)
{
	const measure_mask measures = measures_of_kind(kind);

	enc->described |= 1u << kind;
	for (unsigned int id = 0; id < measures_count(); id++)
		if (measures >> id & 1 && !measure_get(id)->probe)
			describe_measure(enc, kind, measure_get(id));
}

/*
 * The number of a probe has a name when it is used for the first time in this epoch: probes can be
 * placed at any time.
 */
static void encoder_name_probe(struct encoder *enc, uint32_t probe)
{
	const struct measure *m = probes_measure(probe);

	if (!m || enc->described_probes >> probe & 1)
		return;
	enc->described_probes |= (uint64_t)1 << probe;
	describe_measure(enc, EVENT_HIT, m);
}

static void encoder_add_probe(struct encoder *enc, const struct event *ev, bool has_probe)
{
	if (has_probe)
		encoder_name_probe(enc, (uint32_t)ev->argument);
}

/* Of which calls of probes EV was inside. */
static void encoder_add_inside(struct encoder *enc, const struct event *ev)
{
	for (unsigned int i = 0; ev->inside && i < INSIDE_MAX; i++) {
		uint32_t probe;

		if (inside_part(ev->inside, i, &probe))
			encoder_name_probe(enc, probe);
	}
	encoder_add(enc, BLOCK_EVENTS, EVENTS_INSIDE, ev->inside);
}

bool encoder_hit(struct encoder *enc, const struct told_hit *h)
{
	const struct event ev = { .kind = EVENT_HIT, .argument = h->probe };
	const size_t comm = strnlen(h->comm, sizeof(h->comm)), text = strnlen(h->text, sizeof(h->text));
	struct table *t = &enc->table[BLOCK_HITS];

	if (h->probe >= PROBES_IN_FILE_MAX || !probes_measure(h->probe))
		return !enc->failed;
	encoder_add_probe(enc, &ev, true);
	encoder_add(enc, BLOCK_HITS, HITS_TIME, h->time_ns < TIME_MAX ? h->time_ns : TIME_MAX);
	encoder_add(enc, BLOCK_HITS, HITS_PROBE, h->probe);
	encoder_add(enc, BLOCK_HITS, HITS_PID, h->pid);
	encoder_add(enc, BLOCK_HITS, HITS_TID, h->tid);
	encoder_add(enc, BLOCK_HITS, HITS_CPU, h->cpu);
	encoder_add(enc, BLOCK_HITS, HITS_LATENCY, h->timed ? h->latency_ns + 1 : 0);
	encoder_add(enc, BLOCK_HITS, HITS_LOOK, h->look);
	encoder_add(enc, BLOCK_HITS, HITS_COMM_LEN, comm);
	encoder_add(enc, BLOCK_HITS, HITS_TEXT_LEN, text);
	if (!table_add_bytes(t, HITS_COMM, h->comm, comm) || !table_add_bytes(t, HITS_TEXT, h->text, text))
		enc->failed = true;
	t->rows++;
	return !enc->failed;
}

static uint32_t map_dict_text(struct encoder *enc, str_id id)
{
	const struct strtab *strings = dict_strings(enc->dict);

	return map_text(enc, &enc->dict_text, id, strtab_get(strings, id), strtab_len(strings, id));
}

static uint32_t map_name_text(struct encoder *enc, str_id id)
{
	const char *s = names_text(enc->names, id);

	return map_text(enc, &enc->names_text, id, s, strlen(s));
}

static uint32_t map_module(struct encoder *enc, module_id id)
{
	const uint32_t known = idmap_get(&enc->module, id);
	const struct module *m = dict_get_module(enc->dict, id);
	uint32_t path, run_as;

	if (known != ID_NONE || !m)
		return known;
	path = map_dict_text(enc, m->path);
	run_as = map_dict_text(enc, __atomic_load_n(&m->run_as, __ATOMIC_RELAXED));
	encoder_add(enc, BLOCK_MOD, MOD_KIND, (uint64_t)m->kind);
	encoder_add(enc, BLOCK_MOD, MOD_PATH, path);
	encoder_add(enc, BLOCK_MOD, MOD_ID_LEN, m->build_id_len);
	if (!table_add_bytes(&enc->table[BLOCK_MOD], MOD_ID_BYTES, m->build_id, m->build_id_len))
		enc->failed = true;
	encoder_add(enc, BLOCK_MOD, MOD_DEV, m->dev);
	encoder_add(enc, BLOCK_MOD, MOD_INO, m->ino);
	encoder_add(enc, BLOCK_MOD, MOD_GENERATION, m->generation);
	encoder_add(enc, BLOCK_MOD, MOD_PID, (uint32_t)m->pid);
	encoder_add(enc, BLOCK_MOD, MOD_START, m->start_ns);
	encoder_add(enc, BLOCK_MOD, MOD_RUN_AS, run_as);
	return end_row(enc, BLOCK_MOD, &enc->module, id);
}

/* Remembers that FRAME is in use, and that its names are to be written (again). */
static void use_frame(struct encoder *enc, frame_id frame)
{
	const uint32_t at = idmap_get(&enc->used_at, frame);
	struct used *u = at != ID_NONE ? &enc->used.v[at] : vec_push(&enc->used);
	frame_id *fresh = vec_push(&enc->fresh);

	if (!u || !fresh || (at == ID_NONE && !idmap_set(&enc->used_at, frame, (uint32_t)(enc->used.n - 1)))) {
		enc->failed = true;
		return;
	}
	*u = (struct used){ .frame = frame };
	*fresh = frame;
}

static uint32_t map_frame(struct encoder *enc, frame_id id)
{
	const uint32_t known = idmap_get(&enc->frame, id);
	const struct frame *f = dict_get_frame(enc->dict, id);
	uint32_t module;

	if (known != ID_NONE || !f)
		return known;
	module = map_module(enc, f->module);
	encoder_add(enc, BLOCK_FRAME, FRAME_MODULE, module);
	encoder_add(enc, BLOCK_FRAME, FRAME_OFFSET, f->offset);
	encoder_add(enc, BLOCK_FRAME, FRAME_FLAGS, dict_frame_flags(enc->dict, id));
	use_frame(enc, id);
	return end_row(enc, BLOCK_FRAME, &enc->frame, id);
}

static uint32_t stack_row(struct encoder *enc, uint32_t parent, uint32_t frame, struct idmap *map, stack_id id)
{
	const struct table *t = &enc->table[BLOCK_STACK];

	encoder_add(enc, BLOCK_STACK, STACK_PARENT, t->base + t->rows - parent);
	encoder_add(enc, BLOCK_STACK, STACK_FRAME, frame);
	return end_row(enc, BLOCK_STACK, map, id);
}

/* "(other)": for a stack that the dictionary has forgotten, or too deep to be one. */
static uint32_t gone_stack(struct encoder *enc)
{
	uint32_t module, frame;

	if (enc->gone_stack)
		return enc->gone_stack;
	encoder_add(enc, BLOCK_MOD, MOD_KIND, MODULE_NOTE);
	for (unsigned int column = MOD_PATH; column <= MOD_RUN_AS; column++)
		if (column != MOD_ID_BYTES)
			encoder_add(enc, BLOCK_MOD, column, 0);
	module = end_row(enc, BLOCK_MOD, NULL, 0);
	encoder_add(enc, BLOCK_FRAME, FRAME_MODULE, module);
	encoder_add(enc, BLOCK_FRAME, FRAME_OFFSET, NOTE_OTHER);
	encoder_add(enc, BLOCK_FRAME, FRAME_FLAGS, 0);
	frame = end_row(enc, BLOCK_FRAME, NULL, 0);
	enc->gone_stack = stack_row(enc, STACK_ROOT, frame, NULL, 0);
	return enc->gone_stack;
}

static uint32_t map_stack(struct encoder *enc, stack_id id)
{
	uint32_t parent = STACK_ROOT;

	enc->chain.n = 0;
	for (stack_id at = id; at != STACK_ROOT; ) {
		const struct stack *s = dict_get_stack(enc->dict, at);
		const uint32_t known = idmap_get(&enc->stack, at);
		stack_id *link;

		if (known != ID_NONE) {
			parent = known;
			break;
		}
		if (!s || enc->chain.n >= DEPTH_MAX)
			return gone_stack(enc);
		link = vec_push(&enc->chain);
		if (!link) {
			enc->failed = true;
			return STACK_ROOT;
		}
		*link = at;
		at = s->parent;
	}
	while (enc->chain.n) {
		const stack_id at = enc->chain.v[--enc->chain.n];
		const uint32_t frame = map_frame(enc, dict_get_stack(enc->dict, at)->frame);

		parent = stack_row(enc, parent, frame, &enc->stack, at);
	}
	return parent;
}

static uint32_t map_thread(struct encoder *enc, thread_id id)
{
	const uint32_t known = idmap_get(&enc->thread, id);
	const struct thread *t = dict_get_thread(enc->dict, id);
	uint32_t comm, exe, cgroup, container, image, host;

	if (known != ID_NONE || !t)
		return known;
	comm = map_dict_text(enc, t->comm);
	exe = map_dict_text(enc, t->exe);
	cgroup = map_dict_text(enc, t->cgroup);
	container = map_dict_text(enc, t->container);
	image = map_dict_text(enc, t->image);
	host = map_dict_text(enc, t->host);
	encoder_add(enc, BLOCK_THREAD, THREAD_PID, (uint32_t)t->pid);
	encoder_add(enc, BLOCK_THREAD, THREAD_TID, (uint32_t)t->tid);
	encoder_add(enc, BLOCK_THREAD, THREAD_START, t->start_ns);
	encoder_add(enc, BLOCK_THREAD, THREAD_COMM, comm);
	encoder_add(enc, BLOCK_THREAD, THREAD_EXE, exe);
	encoder_add(enc, BLOCK_THREAD, THREAD_CGROUP, cgroup);
	encoder_add(enc, BLOCK_THREAD, THREAD_CONTAINER, container);
	encoder_add(enc, BLOCK_THREAD, THREAD_IMAGE, image);
	encoder_add(enc, BLOCK_THREAD, THREAD_PID_INSIDE, (uint32_t)t->pid_inside);
	encoder_add(enc, BLOCK_THREAD, THREAD_TID_INSIDE, (uint32_t)t->tid_inside);
	encoder_add(enc, BLOCK_THREAD, THREAD_HOST, host);
	return end_row(enc, BLOCK_THREAD, &enc->thread, id);
}

/* A reader refuses what is beyond the limits of the format, and the rest of its block with it. */
static uint64_t encoder_at_most(uint64_t value, uint64_t max)
{
	return value < max ? value : max;
}

/* What lock a wait was for, and who held it. */
static void encoder_add_lock(struct encoder *enc, lock_id id)
{
	const struct held_lock *l = dict_get_lock(enc->dict, id);
	const uint32_t holder = !l || l->holder == ID_NONE ? ID_NONE : map_thread(enc, l->holder);

	encoder_add(enc, BLOCK_EVENTS, EVENTS_LOCK, l ? l->address : 0);
	encoder_add(enc, BLOCK_EVENTS, EVENTS_HOLDER, (uint32_t)(holder + 1));
	encoder_add(enc, BLOCK_EVENTS, EVENTS_GUESS, l ? l->guess : 0);
	encoder_add(enc, BLOCK_EVENTS, EVENTS_LOCK_PLACE, map_stack(enc, l ? l->place : STACK_ROOT));
	encoder_add(enc, BLOCK_EVENTS, EVENTS_LOCK_OFFSET, l ? l->offset : 0);
	encoder_add(enc, BLOCK_EVENTS, EVENTS_READERS, l ? l->readers : 0);
	encoder_add(enc, BLOCK_EVENTS, EVENTS_PRIORITIES, l ? (uint64_t)l->waiter_prio << 8 | l->holder_prio : 0);
}

/* What waits have beside the others. The dictionary may have forgotten a waker; then it is not known. */
static void encoder_add_wait(struct encoder *enc, const struct event *ev, bool is_wait)
{
	static const struct event_wait none = { .waker = ID_NONE };
	const struct event_wait *w = is_wait ? &ev->wait : &none;
	const uint32_t waker = w->waker == ID_NONE ? ID_NONE : map_thread(enc, w->waker);

	encoder_add(enc, BLOCK_EVENTS, EVENTS_CALL, w->call <= CALL_MAX ? w->call : CALL_NONE);
	encoder_add(enc, BLOCK_EVENTS, EVENTS_STATE, w->state);
	encoder_add(enc, BLOCK_EVENTS, EVENTS_WAKER, (uint32_t)(waker + 1));
	encoder_add(enc, BLOCK_EVENTS, EVENTS_WAKER_STACK, map_stack(enc, w->waker_stack));
	encoder_add(enc, BLOCK_EVENTS, EVENTS_WAKER_CONTEXT, w->context);
	encoder_add_lock(enc, w->lock);
	/* Most waits stand for themselves alone: 0. */
	encoder_add(enc, BLOCK_EVENTS, EVENTS_OWN,
		    is_wait ? zigzag(encoder_at_most(ev->weight, WEIGHT_MAX) - encoder_at_most(w->own_ns, WEIGHT_MAX)) :
		    0);
}

/* What migrations, faults and accesses have beside the others. */
static void encoder_add_place(struct encoder *enc, const struct event *ev, bool has_place)
{
	static const struct event_place none = { .node = NODE_UNKNOWN, .file = ID_NONE };
	const struct event_place *p = has_place ? &ev->place : &none;
	const uint32_t file = p->file == ID_NONE ? ID_NONE : map_module(enc, p->file);

	encoder_add(enc, BLOCK_EVENTS, EVENTS_PLACE_NODE, p->node < NODES_MAX ? p->node + 1u : 0);
	encoder_add(enc, BLOCK_EVENTS, EVENTS_MAPPING, p->mapping);
	encoder_add(enc, BLOCK_EVENTS, EVENTS_HOW, p->how);
	encoder_add(enc, BLOCK_EVENTS, EVENTS_FILE, (uint32_t)(file + 1));
}

/* Of a hit it is the number of its probe. */
static void encoder_add_argument(struct encoder *enc, const struct event *ev, bool has_argument)
{
	const bool is_probe = kind_carries(ev->kind) == CARRIES_PROBE;

	encoder_add(enc, BLOCK_EVENTS, EVENTS_ARGUMENT, has_argument || is_probe ? ev->argument : 0);
}

/* By what a kind carries: the columns of that, which every row has a part in. */
static void (*const add_carried[CARRIES_NR])(struct encoder *enc, const struct event *ev, bool carries) = {
	[CARRIES_WAIT] = encoder_add_wait, [CARRIES_PLACE] = encoder_add_place,
		[CARRIES_ARGUMENT] = encoder_add_argument, [CARRIES_PROBE] = encoder_add_probe,
};

bool encoder_event(struct encoder *enc, const struct event *ev)
{
	const uint32_t stack = map_stack(enc, ev->stack);
	const uint32_t thread = map_thread(enc, ev->thread);
	const uint32_t cut_module = ev->cut_module == ID_NONE ? ID_NONE : map_module(enc, ev->cut_module);

	encoder_add(enc, BLOCK_EVENTS, EVENTS_TIME, encoder_at_most(ev->time_ns, TIME_MAX));
	encoder_add(enc, BLOCK_EVENTS, EVENTS_KIND, ev->kind);
	encoder_add(enc, BLOCK_EVENTS, EVENTS_THREAD, thread);
	encoder_add(enc, BLOCK_EVENTS, EVENTS_STACK, stack);
	encoder_add(enc, BLOCK_EVENTS, EVENTS_CPU, ev->cpu);
	encoder_add(enc, BLOCK_EVENTS, EVENTS_NODE, ev->node);
	encoder_add(enc, BLOCK_EVENTS, EVENTS_WEIGHT, encoder_at_most(ev->weight, WEIGHT_MAX));
	encoder_add(enc, BLOCK_EVENTS, EVENTS_CUT, ev->cut);
	encoder_add(enc, BLOCK_EVENTS, EVENTS_CUT_MODULE, (uint32_t)(cut_module + 1));
	encoder_add(enc, BLOCK_EVENTS, EVENTS_METHOD, ev->method);
	encoder_add(enc, BLOCK_EVENTS, EVENTS_FLAGS, ev->flags);
	encoder_add(enc, BLOCK_EVENTS, EVENTS_COUNT, ev->count);
	encoder_add(enc, BLOCK_EVENTS, EVENTS_WALK, ev->walk);
	encoder_add_inside(enc, ev);
	for (unsigned int i = 0; i < CARRIES_NR; i++)
		if (add_carried[i])
			add_carried[i](enc, ev, kind_carries(ev->kind) == i);
	if (ev->kind > KINDS_NUMBERED && ev->kind < EVENT_KINDS_MAX && !(enc->described >> ev->kind & 1))
		describe_kind(enc, ev->kind);
	enc->table[BLOCK_EVENTS].rows++;
	return !enc->failed;
}

static uint32_t map_func(struct encoder *enc, func_id id)
{
	const uint32_t known = idmap_get(&enc->func, id);
	const struct func *f = names_func(enc->names, id);
	uint32_t name, module;

	if (known != ID_NONE || !f)
		return known;
	name = map_name_text(enc, f->name);
	module = f->module == ID_NONE ? ID_NONE : map_module(enc, f->module);
	encoder_add(enc, BLOCK_FUNC, FUNC_NAME, name);
	encoder_add(enc, BLOCK_FUNC, FUNC_MODULE, (uint32_t)(module + 1));
	encoder_add(enc, BLOCK_FUNC, FUNC_START, f->start);
	encoder_add(enc, BLOCK_FUNC, FUNC_SIZE, f->size);
	encoder_add(enc, BLOCK_FUNC, FUNC_KIND, f->kind);
	return end_row(enc, BLOCK_FUNC, &enc->func, id);
}

static void names_row(struct encoder *enc, frame_id id, const struct frame_names *fn)
{
	const uint32_t frame = map_frame(enc, id);

	encoder_add(enc, BLOCK_NAMES, NAMES_FRAME, frame);
	encoder_add(enc, BLOCK_NAMES, NAMES_COUNT, fn->n);
	encoder_add(enc, BLOCK_NAMES, NAMES_DETAILED, fn->detailed);
	for (uint16_t i = 0; i < fn->n; i++) {
		const uint32_t func = map_func(enc, fn->name[i].func);
		const uint32_t file = map_name_text(enc, fn->name[i].file);

		encoder_add(enc, BLOCK_NAMES, NAMES_FUNC, func);
		encoder_add(enc, BLOCK_NAMES, NAMES_FILE, file);
		encoder_add(enc, BLOCK_NAMES, NAMES_LINE, fn->name[i].line);
	}
	enc->table[BLOCK_NAMES].rows++;
}

/*
 * The next frame to look at: one that is used now, else one that got names up to GENERATION.
 * ID_NONE = there is none.
 */
static frame_id next_to_name(struct encoder *enc, uint64_t generation)
{
	if (enc->looked < enc->fresh.n)
		return enc->fresh.v[enc->looked++];
	enc->fresh.n = enc->looked = 0;
	return enc->generation < generation ? names_changed(enc->names, enc->generation++) : ID_NONE;
}

bool encoder_names(struct encoder *enc, size_t budget, bool *ret_done)
{
	const uint64_t generation = names_generation(enc->names);

	*ret_done = false;
	for (; budget && !encoder_full(enc) && !enc->failed; budget--) {
		const frame_id frame = next_to_name(enc, generation);
		const uint32_t at = idmap_get(&enc->used_at, frame);
		/* One that has none yet is met again when it gets some. */
		const struct frame_names *fn = at == ID_NONE ? NULL : names_get(enc->names, frame);

		if (frame == ID_NONE) {
			*ret_done = true;
			break;
		}
		if (!fn || fn == enc->used.v[at].written)
			continue;
		names_row(enc, frame, fn);
		enc->used.v[at].written = fn;
	}
	return !enc->failed;
}

bool encoder_full(const struct encoder *enc)
{
	size_t size = 0;

	for (int i = BLOCK_STR; i < BLOCK_TYPES; i++) {
		if (enc->table[i].rows >= FULL_ROWS)
			return true;
		size += table_size(&enc->table[i]);
	}
	return size >= FULL_BYTES;
}

void encoder_next_epoch(struct encoder *enc)
{
	clear_maps(enc);
	start_tables(enc);
	enc->epoch++;
}

void encoder_restart(struct encoder *enc)
{
	encoder_next_epoch(enc);
	enc->epoch = 0;
	enc->table[BLOCK_EVENTS].base = 0;
}

bool encoder_all_named(const struct encoder *enc)
{
	for (size_t i = 0; i < enc->used.n; i++)
		if (idmap_get(&enc->frame, enc->used.v[i].frame) != ID_NONE &&
		    !names_get(enc->names, enc->used.v[i].frame))
			return false;
	return true;
}

uint32_t encoder_epoch(const struct encoder *enc)
{
	return enc->epoch;
}

bool encoder_take(struct encoder *enc, payload_fn *each, void *ctx)
{
	static const enum block_type order[] = {
		BLOCK_STR, BLOCK_MOD, BLOCK_THREAD, BLOCK_FRAME, BLOCK_STACK, BLOCK_MEASURES, BLOCK_EVENTS, BLOCK_HITS,
			BLOCK_FUNC, BLOCK_NAMES,
	};
	byte_vec payload = { 0 };
	bool ok = !enc->failed;

	for (size_t i = 0; ok && i < sizeof(order) / sizeof(order[0]); i++) {
		struct table *t = &enc->table[order[i]];

		if (!t->rows)
			continue;
		payload.n = 0;
		ok = table_encode(t, &payload) && each(ctx, order[i], payload.v, payload.n);
		table_next(t);
	}
	vec_free(&payload);
	enc->failed = !ok;
	return ok;
}

uint64_t encoder_events(const struct encoder *enc)
{
	return enc->table[BLOCK_EVENTS].base + enc->table[BLOCK_EVENTS].rows;
}
