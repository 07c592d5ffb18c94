/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dict.c - six tables of one make: elements in an append-only paged array (base/pages.h), found
 * through a hash index of 4 bytes a slot that keeps no keys. A trie node costs its 8 bytes and 1.3
 * to 2.7 slots; nothing else is stored for it.
 *
 * Under a limit (dict_limit) a sixteenth of the room, of the bytes and of what each index holds
 * without growing, is set aside for the stand-ins, so that "(other)" still finds its place under
 * known callers when all else is full.
 *
 * The index belongs to the writer alone. Readers only ever touch the arrays.
 */
#include "config.h"

#include "model/dict.h"

#include "base/hash.h"
#include "base/pages.h"
#include "model/memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct table {
	struct pages elems;
	struct hidx index;
	uint64_t (*hash)(const void *elem);
};

struct dict {
	struct strtab *strings;
	struct table modules, frames, stacks, threads, waits, places, arguments, locks;
	module_id notes;         /* the pseudo module; ID_NONE until the first note */
	size_t limit;            /* bytes, 0 = none; with a limit OTHER_FRAME and OTHER_STACK exist */
	frame_id other_frame;
	stack_id other_stack;
	thread_id other_thread;  /* ID_NONE until it is needed */
	_Atomic uint64_t refused;
	_Atomic bool has_inside;
};

/* Who adds: what may be refused, and the stand-ins, for which some room is set aside. */
enum need { NEED_USUAL, NEED_STAND_IN, NEED_ALWAYS };

#define ID_FULL (ID_NONE - 1)    /* from dict_intern(): there is no room under the limit */

_Static_assert(sizeof(struct frame) == 16, "frames come in millions");
_Static_assert(sizeof(struct stack) == 8, "trie nodes come in millions");
_Static_assert(sizeof(struct wait) == 20, "as many as there are ways to wait, times wakers");
_Static_assert(sizeof(struct held_lock) == 32, "hashed and compared as a whole");
_Static_assert(sizeof(struct memory_place) == 8, "hashed and compared as a whole");

static uint64_t dict_module_hash(const void *elem)
{
	const struct module *m = elem;
	uint64_t h = hash_2u64((uint64_t)m->kind << 32 | (uint32_t)m->pid, m->start_ns);

	if (m->build_id_len)
		return hash_2u64(h, hash_bytes(m->build_id, m->build_id_len));
	if (m->ino)
		return hash_2u64(hash_2u64(h, m->dev), hash_2u64(m->ino, m->generation));
	return hash_2u64(h, m->path);
}

static bool module_equal(const void *va, const void *vb)
{
	const struct module *a = va, *b = vb;

	if (a->kind != b->kind || a->pid != b->pid || a->start_ns != b->start_ns || a->build_id_len != b->build_id_len)
		return false;
	if (a->build_id_len)
		return !memcmp(a->build_id, b->build_id, a->build_id_len);
	if (a->ino || b->ino)
		return a->dev == b->dev && a->ino == b->ino && a->generation == b->generation;
	return a->path == b->path;
}

static uint64_t dict_frame_hash(const void *elem)
{
	const struct frame *f = elem;

	return hash_2u64(f->module, f->offset);
}

static bool frame_equal(const void *va, const void *vb)
{
	const struct frame *a = va, *b = vb;

	return a->module == b->module && a->offset == b->offset;
}

static uint64_t dict_stack_hash(const void *elem)
{
	const struct stack *s = elem;

	return hash_u64((uint64_t)s->parent << 32 | s->frame);
}

static bool stack_equal(const void *va, const void *vb)
{
	const struct stack *a = va, *b = vb;

	return a->parent == b->parent && a->frame == b->frame;
}

static uint64_t dict_thread_hash(const void *elem)
{
	const struct thread *t = elem;

	return hash_2u64(hash_2u64((uint64_t)(uint32_t)t->pid << 32 | (uint32_t)t->tid, t->start_ns),
			 hash_2u64((uint64_t)t->comm << 32 | t->exe, (uint64_t)t->container << 32 | t->cgroup));
}

static bool thread_equal(const void *va, const void *vb)
{
	const struct thread *a = va, *b = vb;

	return a->pid == b->pid && a->tid == b->tid && a->start_ns == b->start_ns && a->comm == b->comm &&
	       a->exe == b->exe && a->cgroup == b->cgroup && a->container == b->container && a->image == b->image &&
	       a->pid_inside == b->pid_inside && a->tid_inside == b->tid_inside && a->host == b->host;
}

static uint64_t wait_hash(const void *elem)
{
	const struct wait *w = elem;

	const uint32_t rest = (uint32_t)w->state << 24 | (uint32_t)w->bucket << 16 |
		(uint32_t)w->context << 8 | w->flags;

	return hash_2u64((uint64_t)w->call << 32 | rest,
			 hash_2u64((uint64_t)w->waker << 32 | w->waker_stack, w->lock));
}

static uint64_t lock_hash(const void *elem)
{
	const struct held_lock *l = elem;

	return hash_2u64(l->address, (uint64_t)l->holder << 32 | l->guess);
}

static bool lock_equal(const void *va, const void *vb)
{
	return !memcmp(va, vb, sizeof(struct held_lock));
}

static bool wait_equal(const void *va, const void *vb)
{
	return !memcmp(va, vb, sizeof(struct wait));     /* there is no padding */
}

static uint64_t dict_place_hash(const void *elem)
{
	const struct memory_place *p = elem;

	return hash_2u64((uint64_t)p->node << 16 | (uint64_t)p->mapping << 8 | p->how, p->file);
}

static bool place_equal(const void *va, const void *vb)
{
	return !memcmp(va, vb, sizeof(struct memory_place));    /* there is no padding */
}

static void table_init(struct table *t, size_t size, uint64_t (*hash)(const void *elem))
{
	pages_init(&t->elems, size);
	t->hash = hash;
}

static void dict_table_free(struct table *t)
{
	hidx_free(&t->index);
	pages_free(&t->elems);
}

static uint64_t table_rehash(const void *ctx, uint32_t id)
{
	const struct table *t = ctx;

	return t->hash(pages_at(&t->elems, id));
}

/* Whether ADDED more elements in T, a page of them at most, and the growth they bring about, stay under the limit. */
static bool has_room(const struct dict *d, const struct table *t, uint32_t added, enum need need)
{
	const uint32_t n = pages_count(&t->elems);
	const uint32_t more = need == NEED_USUAL ? added + n / 16 : added;
	const size_t limit = need == NEED_USUAL ? d->limit - d->limit / 16 : d->limit;

	return !d->limit || need == NEED_ALWAYS ||
	       dict_bytes(d) + pages_growth(&t->elems, added) + hidx_growth(&t->index, more) <= limit;
}

/*
 * The id of the element equal to KEY, added when there is none. HASH and EQUAL are constants: this
 * becomes a plain loop.
 */
static inline __attribute__((always_inline)) uint32_t dict_intern(const struct dict *d, struct table *t,
							      const void *key,
							      size_t size, uint64_t (*hash)(const void *),
							      bool (*equal)(const void *, const void *), enum need need)
{
	const uint64_t h = hash(key);
	const uint32_t new_id = pages_count(&t->elems);
	uint32_t id;
	void *elem;

	hidx_each(&t->index, h, id)
		if (equal(pages_at(&t->elems, id), key))
			return id;
	if (!has_room(d, t, 1, need))
		return ID_FULL;
	elem = pages_reserve(&t->elems);
	if (!elem || !hidx_add(&t->index, h, new_id, table_rehash, t))
		return ID_NONE;
	memcpy(elem, key, size);
	pages_commit(&t->elems);
	return new_id;
}

static frame_id dict_add_frame(struct dict *d, const struct frame *f, enum need need)
{
	return dict_intern(d, &d->frames, f, sizeof(*f), dict_frame_hash, frame_equal, need);
}

static stack_id dict_add_stack(struct dict *d, const struct stack *s, enum need need)
{
	return dict_intern(d, &d->stacks, s, sizeof(*s), dict_stack_hash, stack_equal, need);
}

static thread_id add_thread(struct dict *d, const struct thread *t, enum need need)
{
	return dict_intern(d, &d->threads, t, sizeof(*t), dict_thread_hash, thread_equal, need);
}

static wait_id dict_add_wait(struct dict *d, const struct wait *w, enum need need)
{
	return dict_intern(d, &d->waits, w, sizeof(*w), wait_hash, wait_equal, need);
}

static place_id dict_add_place(struct dict *d, const struct memory_place *p, enum need need)
{
	return dict_intern(d, &d->places, p, sizeof(*p), dict_place_hash, place_equal, need);
}

static uint64_t argument_hash(const void *elem)
{
	return hash_u64(*(const uint64_t *)elem);
}

static bool argument_equal(const void *va, const void *vb)
{
	return *(const uint64_t *)va == *(const uint64_t *)vb;
}

static lock_id dict_add_lock(struct dict *d, const struct held_lock *l, enum need need)
{
	return dict_intern(d, &d->locks, l, sizeof(*l), lock_hash, lock_equal, need);
}

static argument_id dict_add_argument(struct dict *d, uint64_t argument, enum need need)
{
	return dict_intern(d, &d->arguments, &argument, sizeof(argument), argument_hash, argument_equal, need);
}

struct dict *dict_new(void)
{
	const struct stack root = { .parent = STACK_ROOT, .frame = ID_NONE };
	const struct wait none = { .waker = ID_NONE };
	const struct held_lock unheld = { .holder = ID_NONE };
	const struct memory_place nowhere = { .node = NODE_UNKNOWN, .file = ID_NONE };
	struct dict *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->notes = ID_NONE;
	table_init(&d->modules, sizeof(struct module), dict_module_hash);
	table_init(&d->frames, sizeof(struct frame), dict_frame_hash);
	table_init(&d->stacks, sizeof(struct stack), dict_stack_hash);
	table_init(&d->threads, sizeof(struct thread), dict_thread_hash);
	table_init(&d->waits, sizeof(struct wait), wait_hash);
	table_init(&d->places, sizeof(struct memory_place), dict_place_hash);
	table_init(&d->arguments, sizeof(uint64_t), argument_hash);
	table_init(&d->locks, sizeof(struct held_lock), lock_hash);
	d->strings = strtab_new();
	d->other_frame = d->other_stack = d->other_thread = ID_NONE;
	if (!d->strings || dict_add_stack(d, &root, NEED_ALWAYS) != STACK_ROOT ||
	    dict_add_wait(d, &none, NEED_ALWAYS) != WAIT_EMPTY ||
	    dict_add_place(d, &nowhere, NEED_ALWAYS) != PLACE_EMPTY ||
	    dict_add_argument(d, 0, NEED_ALWAYS) != ARGUMENT_EMPTY ||
	    dict_add_lock(d, &unheld, NEED_ALWAYS) != LOCK_ID_NONE) {
		dict_free(d);
		return NULL;
	}
	return d;
}

void dict_free(struct dict *d)
{
	if (!d)
		return;
	dict_table_free(&d->modules);
	dict_table_free(&d->frames);
	dict_table_free(&d->stacks);
	dict_table_free(&d->threads);
	dict_table_free(&d->waits);
	dict_table_free(&d->places);
	dict_table_free(&d->arguments);
	dict_table_free(&d->locks);
	strtab_free(d->strings);
	free(d);
}

module_id dict_module(struct dict *d, const struct module *m)
{
	if (m->build_id_len > BUILD_ID_MAX)
		return ID_NONE;
	return dict_intern(d, &d->modules, m, sizeof(*m), dict_module_hash, module_equal, NEED_ALWAYS);
}

void dict_module_run_as(struct dict *d, module_id id, str_id path)
{
	struct module *m = id < dict_modules(d) ? pages_at(&d->modules.elems, id) : NULL;

	if (!m || !path || path == STR_NONE || m->run_as == path)
		return;
	__atomic_store_n(&m->run_as, m->run_as ? m->path : path, __ATOMIC_RELAXED);
}

/* Counts that STAND_IN was given for something else, and returns it. */
static uint32_t dict_refuse(struct dict *d, uint32_t stand_in)
{
	atomic_fetch_add_explicit(&d->refused, 1, memory_order_relaxed);
	return stand_in;
}

frame_id dict_frame(struct dict *d, module_id module, uint64_t offset)
{
	const struct frame f = { .module = module, .offset = offset };
	frame_id id;

	if (module >= dict_modules(d))
		return ID_NONE;
	id = dict_add_frame(d, &f, module == d->notes ? NEED_STAND_IN : NEED_USUAL);
	return id == ID_FULL ? dict_refuse(d, d->other_frame) : id;
}

void dict_frame_flag(struct dict *d, frame_id id, uint32_t flags)
{
	struct frame *f = id < dict_frames(d) && id != d->other_frame ? pages_at(&d->frames.elems, id) : NULL;

	if (f && (f->flags & flags) != flags)
		__atomic_fetch_or(&f->flags, flags, __ATOMIC_RELAXED);
}

uint32_t dict_frame_flags(const struct dict *d, frame_id id)
{
	const struct frame *f = dict_get_frame(d, id);

	return f ? __atomic_load_n(&f->flags, __ATOMIC_RELAXED) : 0;
}

void dict_frame_ahead(const struct dict *d, module_id module, uint64_t offset)
{
	const struct frame f = { .module = module, .offset = offset };

	hidx_prefetch(&d->frames.index, dict_frame_hash(&f));
}

stack_id dict_stack(struct dict *d, stack_id parent, frame_id frame)
{
	const struct stack s = { .parent = parent, .frame = frame };
	const struct stack other = { .parent = parent, .frame = d->other_frame };
	const struct stack *up = dict_get_stack(d, parent);
	stack_id id;

	if (!up || frame >= dict_frames(d))
		return ID_NONE;
	if (d->limit && up->frame == d->other_frame)
		return parent;
	id = dict_add_stack(d, &s, NEED_USUAL);
	if (id == ID_FULL)
		id = dict_refuse(d, dict_add_stack(d, &other, NEED_STAND_IN));
	return id == ID_FULL ? d->other_stack : id;
}

#define NEW_AT_ONCE 64u

/*
 * Adds the N nodes FRAME on top of PARENT, which has no children: none of them has to be looked up,
 * and since their ids are known before they are there, what the index needs of memory is asked for
 * at once instead of one after the other. False when that cannot be done; what was added by then
 * does no harm.
 */
static bool add_new(struct dict *d, stack_id parent, const frame_id *frame, uint32_t n, stack_id *ret)
{
	struct table *t = &d->stacks;
	const uint32_t first = pages_count(&t->elems), frames = dict_frames(d);
	struct stack key[NEW_AT_ONCE];
	uint64_t hash[NEW_AT_ONCE];

	if (hidx_growth(&t->index, n) || !has_room(d, t, n, NEED_USUAL))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (frame[i] >= frames || frame[i] == d->other_frame)
			return false;
		key[i] = (struct stack){ .parent = i ? first + i - 1 : parent, .frame = frame[i] };
		hash[i] = dict_stack_hash(&key[i]);
		hidx_prefetch(&t->index, hash[i]);
	}
	for (uint32_t i = 0; i < n; i++) {
		struct stack *s = pages_reserve(&t->elems);

		if (!s || !hidx_add(&t->index, hash[i], first + i, table_rehash, t))
			return false;
		*s = key[i];
		pages_commit(&t->elems);
		ret[i] = first + i;
	}
	return true;
}

/*
 * Is ID, which FRAME was added as when there were BEFORE, a node of its own without children yet?
 * "(other)" is its own child.
 */
static bool is_new(const struct dict *d, stack_id id, uint32_t before, frame_id frame)
{
	return id == before && dict_get_stack(d, id)->frame == frame && frame != d->other_frame;
}

stack_id dict_path(struct dict *d, stack_id parent, const frame_id *frame, uint32_t n, stack_id *ret)
{
	bool new = false;

	for (uint32_t i = 0; i < n;) {
		const uint32_t some = n - i < NEW_AT_ONCE ? n - i : NEW_AT_ONCE, before = dict_stacks(d);

		if (new && add_new(d, parent, frame + i, some, ret + i)) {
			i += some;
		} else {
			ret[i] = dict_stack(d, parent, frame[i]);
			if (ret[i] == ID_NONE)
				return ID_NONE;
			new = is_new(d, ret[i], before, frame[i]);
			i++;
		}
		parent = ret[i - 1];
	}
	return parent;
}

thread_id dict_thread(struct dict *d, const struct thread *t)
{
	const thread_id id = add_thread(d, t, NEED_USUAL);

	return id == ID_FULL ? dict_refuse(d, dict_other_thread(d)) : id;
}

/* The same as W without waker and lock; WAIT_EMPTY when there is no room for that. */
static wait_id add_wakerless(struct dict *d, const struct wait *w)
{
	struct wait less = *w;
	wait_id id;

	less.waker = ID_NONE;
	less.waker_stack = STACK_ROOT;
	less.lock = LOCK_ID_NONE;
	id = dict_add_wait(d, &less, NEED_STAND_IN);
	return id == ID_FULL ? WAIT_EMPTY : id;
}

wait_id dict_wait(struct dict *d, const struct wait *w)
{
	wait_id id;

	if (w->waker_stack >= dict_stacks(d) || (w->waker != ID_NONE && w->waker >= dict_threads(d)) ||
	    w->lock >= dict_locks(d))
		return ID_NONE;
	id = dict_add_wait(d, w, NEED_USUAL);
	return id == ID_FULL ? dict_refuse(d, add_wakerless(d, w)) : id;
}

wait_id dict_wakerless(struct dict *d, wait_id id)
{
	const struct wait *w = dict_get_wait(d, id);

	return !w || (w->waker == ID_NONE && w->waker_stack == STACK_ROOT && !w->lock) ? id : add_wakerless(d, w);
}

/* The same as P without file; PLACE_EMPTY when there is no room for that. */
static place_id add_fileless(struct dict *d, const struct memory_place *p)
{
	struct memory_place less = *p;
	place_id id;

	less.file = ID_NONE;
	id = dict_add_place(d, &less, NEED_STAND_IN);
	return id == ID_FULL ? PLACE_EMPTY : id;
}

place_id dict_place(struct dict *d, const struct memory_place *p)
{
	place_id id;

	if (p->file != ID_NONE && p->file >= dict_modules(d))
		return ID_NONE;
	id = dict_add_place(d, p, NEED_USUAL);
	return id == ID_FULL ? dict_refuse(d, add_fileless(d, p)) : id;
}

argument_id dict_argument(struct dict *d, uint64_t argument)
{
	const argument_id id = dict_add_argument(d, argument, NEED_USUAL);

	return id == ID_FULL ? dict_refuse(d, ARGUMENT_EMPTY) : id;
}

lock_id dict_lock(struct dict *d, const struct held_lock *l)
{
	lock_id id;

	if (l->holder != ID_NONE && l->holder >= dict_threads(d))
		return ID_NONE;
	id = dict_add_lock(d, l, NEED_USUAL);
	return id == ID_FULL ? dict_refuse(d, LOCK_ID_NONE) : id;
}

place_id dict_fileless(struct dict *d, place_id id)
{
	const struct memory_place *p = dict_get_place(d, id);
	place_id less = p && p->file != ID_NONE ? add_fileless(d, p) : id;

	return less == ID_NONE ? id : less;
}

frame_id dict_note(struct dict *d, uint64_t note)
{
	const struct module m = { .kind = MODULE_NOTE };

	if (d->notes == ID_NONE)
		d->notes = dict_module(d, &m);
	return dict_frame(d, d->notes, note);
}

stack_id dict_stack_inside(struct dict *d, stack_id stack, uint64_t inside)
{
	frame_id frame;
	stack_id with;

	if (inside <= NOTE_MAX)
		return stack;
	frame = dict_note(d, inside);
	with = frame == ID_NONE || frame == d->other_frame ? ID_NONE : dict_stack(d, stack, frame);
	if (with == ID_NONE || dict_get_stack(d, with)->frame != frame)
		return stack;
	atomic_store(&d->has_inside, true);
	return with;
}

bool dict_has_inside(const struct dict *d)
{
	return atomic_load(&d->has_inside);
}

uint64_t dict_inside(const struct dict *d, stack_id *stack)
{
	const struct stack *s = dict_has_inside(d) ? dict_get_stack(d, *stack) : NULL;
	const struct frame *f = s && *stack != STACK_ROOT ? dict_get_frame(d, s->frame) : NULL;

	if (!f || f->module != d->notes || f->offset <= NOTE_MAX)
		return 0;
	*stack = s->parent;
	return f->offset;
}

int dict_limit(struct dict *d, size_t bytes)
{
	const frame_id frame = dict_note(d, NOTE_OTHER);
	const struct stack other = { .parent = STACK_ROOT, .frame = frame };
	const stack_id stack = frame == ID_NONE ? ID_NONE : dict_add_stack(d, &other, NEED_ALWAYS);

	if (stack == ID_NONE)
		return -ENOMEM;
	d->other_frame = frame;
	d->other_stack = stack;
	d->limit = bytes;
	return 0;
}

stack_id dict_other_stack(const struct dict *d)
{
	return d->other_stack;
}

thread_id dict_other_thread(struct dict *d)
{
	struct thread t = { .comm = strtab_adds(d->strings, "(other)") };

	if (d->other_thread == ID_NONE && t.comm != STR_NONE)
		d->other_thread = add_thread(d, &t, NEED_ALWAYS);
	return d->other_thread;
}

uint64_t dict_refused(const struct dict *d)
{
	return atomic_load_explicit(&d->refused, memory_order_relaxed);
}

struct strtab *dict_strings(const struct dict *d)
{
	return d->strings;
}

/* For one pointer; a call of its own for each frame that is looked at would cost more. */
static inline __attribute__((always_inline)) const void *dict_table_get(const struct table *t, uint32_t id)
{
	return id < pages_count(&t->elems) ? pages_at(&t->elems, id) : NULL;
}

const struct module *dict_get_module(const struct dict *d, module_id id)
{
	return dict_table_get(&d->modules, id);
}

const struct frame *dict_get_frame(const struct dict *d, frame_id id)
{
	return dict_table_get(&d->frames, id);
}

const struct stack *dict_get_stack(const struct dict *d, stack_id id)
{
	return dict_table_get(&d->stacks, id);
}

const struct thread *dict_get_thread(const struct dict *d, thread_id id)
{
	return dict_table_get(&d->threads, id);
}

const struct wait *dict_get_wait(const struct dict *d, wait_id id)
{
	return dict_table_get(&d->waits, id);
}

const struct memory_place *dict_get_place(const struct dict *d, place_id id)
{
	return dict_table_get(&d->places, id);
}

uint32_t dict_modules(const struct dict *d)
{
	return pages_count(&d->modules.elems);
}

uint32_t dict_frames(const struct dict *d)
{
	return pages_count(&d->frames.elems);
}

uint32_t dict_stacks(const struct dict *d)
{
	return pages_count(&d->stacks.elems);
}

uint32_t dict_threads(const struct dict *d)
{
	return pages_count(&d->threads.elems);
}

uint32_t dict_waits(const struct dict *d)
{
	return pages_count(&d->waits.elems);
}

const struct held_lock *dict_get_lock(const struct dict *d, lock_id id)
{
	return dict_table_get(&d->locks, id);
}

uint32_t dict_locks(const struct dict *d)
{
	return pages_count(&d->locks.elems);
}

uint64_t dict_get_argument(const struct dict *d, argument_id id)
{
	const uint64_t *argument = dict_table_get(&d->arguments, id);

	return argument ? *argument : 0;
}

uint32_t dict_arguments(const struct dict *d)
{
	return pages_count(&d->arguments.elems);
}

uint32_t dict_places(const struct dict *d)
{
	return pages_count(&d->places.elems);
}

static size_t table_bytes(const struct table *t)
{
	return pages_bytes(&t->elems) + hidx_bytes(&t->index);
}

size_t dict_bytes(const struct dict *d)
{
	return sizeof(*d) + strtab_bytes(d->strings) + table_bytes(&d->modules) + table_bytes(&d->frames) +
	       table_bytes(&d->stacks) + table_bytes(&d->threads) + table_bytes(&d->waits) + table_bytes(&d->places) +
	       table_bytes(&d->arguments) + table_bytes(&d->locks);
}
