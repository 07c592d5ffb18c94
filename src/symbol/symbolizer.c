/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbolizer.c - the worker: which frame next, and handing the answer over.
 *
 * The worker reads files without holding anything. Dictionary and names are touched only under
 * `lock` and only while `stop` is false; symbolizer_free() sets `stop` under the same lock, so
 * after it returned nobody touches them, even if the worker still hangs in a file. Both sides hold
 * a reference to the shared state, and the last one frees it.
 */
#include "config.h"

#include "symbol/symbolizer.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/order.h"
#include "base/thread.h"
#include "base/vec.h"
#include "symbol/demangle.h"
#include "symbol/resolver.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define PREFER_MAX 4096u
#define WORKER_STACK (DEMANGLE_STACK + (8u << 20))
#define MISSED_MAX 65536u            /* frames of run-time compilers that are asked for again */
#define RETRY_NS NSEC_PER_SEC
#define GOODBYE_NS (200 * NSEC_PER_MSEC)         /* how long symbolizer_free() waits for the worker */

enum frame_state {
	FRAME_NEW,
	FRAME_NAMED,                     /* from symbol tables; details are still to come */
	FRAME_SETTLED,
};

/* A frame whose details are wanted; in order of place, so that a file and its units are used while they are at hand. */
struct todo {
	module_id module;
	frame_id frame;
	uint64_t offset;
};

struct symbolizer {
	pthread_mutex_t lock;
	pthread_cond_t work, news;       /* for the worker; from the worker */
	int refs;
	_Atomic bool stop, cancelled;    /* set under lock */
	bool ended, kicked;
	uint32_t looks_wanted, looks_done;       /* symbolizer_look_again() */
	pthread_mutex_t progress_lock;
	char progress[192];
	const struct dict *dict;
	struct names *names;
	VEC(frame_id) prefer;            /* the latest wish */
	uint32_t settled_below;          /* every frame below is settled */
	_Atomic uint64_t nr_settled;
	struct symbolizer_stats stats;   /* copied from the worker's */
	struct unread unread;            /* the same */

	/* the worker's alone */
	struct resolver *resolver;
	struct symbolizer_stats counts;
	struct unread found;             /* that could not be read */
	VEC(uint8_t) state;              /* enum frame_state by frame id */
	VEC(frame_id) preferred;
	size_t next_preferred, next_preferred_details;
	frame_id next;                   /* every frame below has been looked up in symbol tables */
	bool details;                    /* are wanted */
	frame_id next_details;           /* every frame below is settled or in todo */
	VEC(struct todo) todo;
	size_t next_todo;
	VEC(frame_id) missed;            /* without a name in the map of their run-time compiler, so far */
	uint64_t retry_ns;               /* when to ask for them again */
	struct answer answer;
};

/* A question to the resolver, copied out of the dictionary. */
struct question {
	struct frame frame;
	struct module module;
	char *path;                      /* NULL: the resolver knows the module */
	char *shown;                     /* the same */
};

static void question_clear(struct question *q)
{
	free(take_ptr(q->path));
	free(take_ptr(q->shown));
}

static struct timespec deadline_after(uint64_t ns)
{
	const uint64_t now = clock_mono_ns(), at = ns < UINT64_MAX / 2 - now ? now + ns : UINT64_MAX / 2;

	return clock_timespec(at);
}

/* Locks unless the symbolizer is being freed. */
static bool symbolizer_enter(struct symbolizer *sy)
{
	pthread_mutex_lock(&sy->lock);
	if (!atomic_load(&sy->stop))
		return true;
	pthread_mutex_unlock(&sy->lock);
	return false;
}

static void symbolizer_leave(struct symbolizer *sy)
{
	pthread_mutex_unlock(&sy->lock);
}

static bool symbolizer_ask(struct symbolizer *sy, frame_id id, struct question *q)
{
	const struct frame *frame;
	const struct module *module;
	bool ok;

	if (!symbolizer_enter(sy))
		return false;
	frame = dict_get_frame(sy->dict, id);
	module = frame ? dict_get_module(sy->dict, frame->module) : NULL;
	ok = module;
	if (ok)
		*q = (struct question){ .frame = *frame, .module = *module };
	if (ok && !resolver_knows(sy->resolver, frame->module)) {
		q->path = strdup(strtab_get(dict_strings(sy->dict), module->path));
		q->shown = strdup(strtab_get(dict_strings(sy->dict), module_shown_path(module)));
		ok = q->path && q->shown;
		if (!ok)
			question_clear(q);
	}
	symbolizer_leave(sy);
	return ok;
}

/* The function of one name of an answer, interned; under lock. */
static func_id symbolizer_function_of(struct symbolizer *sy, const struct answer_name *an, module_id module)
{
	struct func f = { .module = module, .start = an->start, .size = an->size, .kind = an->kind };
	func_id id;

	if (an->user && *an->user)
		return *an->user - 1;
	f.name = names_add_text(sy->names, an->text, strlen(an->text));
	if (f.name == STR_NONE)
		return ID_NONE;
	id = names_add_func(sy->names, &f);
	if (an->user && id != ID_NONE)
		*an->user = id + 1;
	return id;
}

/* Hands the answer over. */
static void symbolizer_tell(struct symbolizer *sy, frame_id id, module_id module, bool detailed)
{
	struct name name[ANSWER_MAX];
	bool ok = true;

	if (!symbolizer_enter(sy))
		return;
	for (uint16_t i = 0; i < sy->answer.n && ok; i++) {
		const struct answer_name *an = &sy->answer.name[i];

		name[i] = (struct name){ .func = symbolizer_function_of(sy, an, module), .line = an->line,
					 .file = names_add_text(sy->names, an->file, strlen(an->file)) };
		ok = name[i].func != ID_NONE && name[i].file != STR_NONE;
	}
	if (!ok || names_set(sy->names, id, name, sy->answer.n, detailed))
		sy->counts.no_memory++;
	symbolizer_leave(sy);
}

static void symbolizer_settle(struct symbolizer *sy, frame_id id)
{
	if (sy->state.v[id] == FRAME_SETTLED)
		return;
	sy->state.v[id] = FRAME_SETTLED;
	atomic_fetch_add(&sy->nr_settled, 1);
}

/* A perf map may be written later than the code runs: the frame is settled without a name, but not forgotten. */
static void symbolizer_miss(struct symbolizer *sy, frame_id id)
{
	frame_id *slot = sy->missed.n < MISSED_MAX ? vec_push(&sy->missed) : NULL;

	if (slot)
		*slot = id;
	else
		sy->counts.jit_given_up++;
}

/* What is to be asked of frame ID; its module is known to the resolver then. False: it cannot be asked. */
static bool symbolizer_know(struct symbolizer *sy, frame_id id, struct question *q)
{
	if (!symbolizer_ask(sy, id, q))
		return false;
	if (q->path && !resolver_add_module(sy->resolver, q->frame.module, &q->module, q->path, q->shown))
		sy->counts.no_memory++;
	question_clear(q);
	return true;
}

/* Places that a worker is asked for together. */
struct batch {
	struct names_question q[NAMES_BATCH_MAX];
	size_t n;
	bool details;
};

static void symbolizer_gather_frame(struct symbolizer *sy, struct batch *b, frame_id id)
{
	struct question q = { 0 };

	if (b->n < NAMES_BATCH_MAX && sy->state.v[id] == (b->details ? FRAME_NAMED : FRAME_NEW) &&
	    symbolizer_know(sy, id, &q) && resolver_wants(sy->resolver, q.frame.module, q.frame.offset, b->details))
		b->q[b->n++] = (struct names_question){ q.frame.module, q.frame.offset };
}

/*
 * Files that are read in a worker: asks for frame ID, of which Q is known, together with those whose turn comes
 * next, in the order of symbolizer_step().
 */
static void symbolizer_gather(struct symbolizer *sy, frame_id id, const struct question *q, bool details)
{
	const size_t first = details ? sy->next_preferred_details : sy->next_preferred;
	struct batch b = { .details = details };

	if (!resolver_wants(sy->resolver, q->frame.module, q->frame.offset, details))
		return;
	symbolizer_gather_frame(sy, &b, id);
	for (size_t i = first; i < sy->preferred.n && b.n < NAMES_BATCH_MAX; i++)
		if (sy->preferred.v[i] < sy->state.n && sy->preferred.v[i] != id)
			symbolizer_gather_frame(sy, &b, sy->preferred.v[i]);
	for (size_t i = sy->next_todo; details && i < sy->todo.n && b.n < NAMES_BATCH_MAX; i++)
		symbolizer_gather_frame(sy, &b, sy->todo.v[i].frame);
	for (frame_id i = sy->next; !details && i < sy->state.n && i - sy->next < 4 * NAMES_BATCH_MAX; i++)
		symbolizer_gather_frame(sy, &b, i);
	resolver_prepare(sy->resolver, b.q, b.n, details);
}

/* Asks for a frame that was settled without a name; true when it has one now. */
static bool symbolizer_ask_again(struct symbolizer *sy, frame_id id)
{
	struct question q = { 0 };
	bool named;

	if (!symbolizer_ask(sy, id, &q))
		return false;
	named = resolver_name(sy->resolver, q.frame.module, q.frame.offset, &sy->answer);
	if (named)
		symbolizer_tell(sy, id, q.frame.module, true);
	question_clear(&q);
	answer_clear(&sy->answer);
	return named;
}

/* Asks for the missed frames again. */
static void symbolizer_retry(struct symbolizer *sy)
{
	size_t kept = 0;

	for (size_t i = 0; i < sy->missed.n; i++)
		if (!symbolizer_ask_again(sy, sy->missed.v[i]))
			sy->missed.v[kept++] = sy->missed.v[i];
	sy->missed.n = kept;
}

/* Asks for ID, of a run-time compiler, again unless it has a name by now. */
static void ask_nameless(struct symbolizer *sy, frame_id id)
{
	const struct module *m = NULL;
	bool nameless = false;

	if (symbolizer_enter(sy)) {
		m = dict_get_module(sy->dict, dict_get_frame(sy->dict, id)->module);
		nameless = m && (m->kind == MODULE_ANON || m->kind == MODULE_SCRIPT) && !names_get(sy->names, id);
		symbolizer_leave(sy);
	}
	if (nameless)
		symbolizer_ask_again(sy, id);
}

/* The last look at frames of run-time compilers, also at those that were given up. */
static void look_again(struct symbolizer *sy)
{
	uint32_t wanted;

	if (!symbolizer_enter(sy))
		return;
	wanted = sy->looks_wanted;
	symbolizer_leave(sy);
	if (wanted == sy->looks_done)
		return;
	resolver_hurry(sy->resolver);
	for (frame_id id = 0; id < sy->state.n && !atomic_load(&sy->stop); id++)
		if (sy->state.v[id] == FRAME_SETTLED)
			ask_nameless(sy, id);
	if (!symbolizer_enter(sy))
		return;
	sy->looks_done = wanted;
	symbolizer_leave(sy);
}

/* The first look at a frame: symbol tables. */
static void symbolizer_name_frame(struct symbolizer *sy, frame_id id)
{
	struct question q = { 0 };
	bool more;

	if (sy->state.v[id] != FRAME_NEW)
		return;
	if (!symbolizer_know(sy, id, &q)) {
		symbolizer_settle(sy, id);
		return;
	}
	symbolizer_gather(sy, id, &q, false);
	/* What has no debug information, as the first of its frames found out, is not looked at twice. */
	more = resolver_may_detail(sy->resolver, q.frame.module);
	if (resolver_name(sy->resolver, q.frame.module, q.frame.offset, &sy->answer))
		symbolizer_tell(sy, id, q.frame.module, !more);
	else if (q.module.kind == MODULE_ANON ||
		 (q.module.kind == MODULE_SCRIPT && resolver_script_pending(sy->resolver)))
		symbolizer_miss(sy, id);
	answer_clear(&sy->answer);
	if (sy->details && more)
		sy->state.v[id] = FRAME_NAMED;
	else
		symbolizer_settle(sy, id);
}

/* The second look: debug information. */
static void detail_frame(struct symbolizer *sy, frame_id id)
{
	struct question q = { 0 };

	if (sy->state.v[id] != FRAME_NAMED)
		return;
	if (symbolizer_know(sy, id, &q)) {
		symbolizer_gather(sy, id, &q, true);
		if (resolver_details(sy->resolver, q.frame.module, q.frame.offset, &sy->answer))
			symbolizer_tell(sy, id, q.frame.module, true);
	}
	answer_clear(&sy->answer);
	symbolizer_settle(sy, id);
}

static int cmp_todo(const void *va, const void *vb)
{
	const struct todo *a = va, *b = vb;

	if (a->module != b->module)
		return a->module > b->module ? 1 : -1;
	return compare_numbers(a->offset, b->offset);
}

/* Collects the frames below N that were only named so far; false when there are none. */
static bool plan_details(struct symbolizer *sy, uint32_t n)
{
	sy->todo.n = sy->next_todo = 0;
	for (; sy->next_details < n; sy->next_details++) {
		const frame_id id = sy->next_details;
		const struct frame *frame;
		struct todo *slot;

		if (sy->state.v[id] != FRAME_NAMED)
			continue;
		if (!vec_reserve(&sy->todo, 1) || !symbolizer_enter(sy))
			break;
		slot = vec_push(&sy->todo);
		frame = dict_get_frame(sy->dict, id);
		*slot = (struct todo){ .module = frame->module, .offset = frame->offset, .frame = id };
		symbolizer_leave(sy);
	}
	if (sy->todo.n)
		qsort(sy->todo.v, sy->todo.n, sizeof(*sy->todo.v), cmp_todo);
	return sy->todo.n;
}

/* Makes room for the states of frames that are new; returns how many frames there are. */
static uint32_t note_new_frames(struct symbolizer *sy)
{
	const uint32_t n = dict_frames(sy->dict);

	if (n > sy->state.n && vec_reserve(&sy->state, n - sy->state.n)) {
		memset(sy->state.v + sy->state.n, FRAME_NEW, n - sy->state.n);
		sy->state.n = n;
	}
	return (uint32_t)sy->state.n;
}

/*
 * Looks at the outside once: takes the newest wish over, publishes counts. Returns the number of
 * frames; 0 when stopped.
 */
static uint32_t look_around(struct symbolizer *sy)
{
	uint32_t n;

	if (!symbolizer_enter(sy))
		return 0;
	if (sy->prefer.n) {
		sy->preferred.n = 0;
		if (vec_reserve(&sy->preferred, sy->prefer.n)) {
			memcpy(sy->preferred.v, sy->prefer.v, sy->prefer.n * sizeof(*sy->prefer.v));
			sy->preferred.n = sy->prefer.n;
		}
		sy->next_preferred = sy->next_preferred_details = 0;
		sy->prefer.n = 0;
	}
	sy->stats = sy->counts;
	if (sy->unread.n != sy->found.n)
		sy->unread = sy->found;
	n = note_new_frames(sy);
	symbolizer_leave(sy);
	return n;
}

/*
 * The next of the preferred frames, below N, that is in STATE; *AT remembers how far we are.
 * ID_NONE when there is none.
 */
static frame_id next_preferred(struct symbolizer *sy, size_t *at, enum frame_state state, uint32_t n)
{
	while (*at < sy->preferred.n) {
		const frame_id id = sy->preferred.v[(*at)++];

		if (id < n && sy->state.v[id] == state)
			return id;
	}
	return ID_NONE;
}

/* One frame; false when there is nothing to do. */
static bool symbolizer_step(struct symbolizer *sy)
{
	const uint32_t n = look_around(sy);
	frame_id id = next_preferred(sy, &sy->next_preferred, FRAME_NEW, n);

	if (id != ID_NONE || sy->next < n) {
		symbolizer_name_frame(sy, id != ID_NONE ? id : sy->next++);
		return true;
	}
	id = next_preferred(sy, &sy->next_preferred_details, FRAME_NAMED, n);
	if (id == ID_NONE && (sy->next_todo < sy->todo.n || plan_details(sy, n)))
		id = sy->todo.v[sy->next_todo++].frame;
	if (id == ID_NONE)
		return false;
	detail_frame(sy, id);
	return n;
}

/* Calls the function of frame ID by CALLED, when it has no name but that of its file; under lock. */
static void rename_frame(struct symbolizer *sy, frame_id id, const char *called)
{
	const struct frame_names *fn = names_get(sy->names, id);
	const struct func *f = fn && fn->n <= ANSWER_MAX ? names_func(sy->names, fn->name[fn->n - 1].func) : NULL;
	AUTO_FREE char *text = NULL;
	struct name name[ANSWER_MAX];
	struct func now;

	if (!f || !names_by_place(sy->names, f))
		return;
	if (asprintf(&text, "%s+0x%" PRIx64, called, f->start) < 0)
		text = NULL;
	now = *f;
	now.name = text ? names_add_text(sy->names, text, strlen(text)) : STR_NONE;
	memcpy(name, fn->name, fn->n * sizeof(*name));
	name[fn->n - 1].func = now.name == STR_NONE ? ID_NONE : names_add_func(sy->names, &now);
	if (name[fn->n - 1].func == ID_NONE || names_set(sy->names, id, name, fn->n, fn->detailed))
		sy->counts.no_memory++;
}

/*
 * An executable may be shown by another name than when its first frames were named: by which one it
 * runs is known a little later (module_shown_path()). Functions that are called by it follow.
 */
static void symbolizer_follow_names(struct symbolizer *sy)
{
	if (!symbolizer_enter(sy))
		return;
	for (module_id id = 0; id < dict_modules(sy->dict); id++) {
		const struct module *m = dict_get_module(sy->dict, id);
		const char *shown = strtab_get(dict_strings(sy->dict), module_shown_path(m));
		const char *called = m->kind == MODULE_FILE && resolver_knows(sy->resolver, id) ?
				     resolver_rename(sy->resolver, id, shown) : NULL;

		for (frame_id frame = 0; called && frame < sy->state.n; frame++)
			if (dict_get_frame(sy->dict, frame)->module == id)
				rename_frame(sy, frame, called);
	}
	symbolizer_leave(sy);
}

/* Says that all is settled, and sleeps until there is more. False = stop. */
static bool symbolizer_rest(struct symbolizer *sy)
{
	const struct timespec retry_at = deadline_after(RETRY_NS);
	bool early = true;

	look_again(sy);
	symbolizer_follow_names(sy);
	if (!symbolizer_enter(sy))
		return false;
	sy->settled_below = sy->next < sy->next_details || !sy->details ? sy->next : sy->next_details;
	pthread_cond_broadcast(&sy->news);
	while (!atomic_load(&sy->stop) && !sy->kicked && !sy->prefer.n && early) {
		if (sy->missed.n)
			early = !pthread_cond_timedwait(&sy->work, &sy->lock, &retry_at);
		else
			pthread_cond_wait(&sy->work, &sy->lock);
	}
	sy->kicked = false;
	symbolizer_leave(sy);
	if (sy->missed.n && clock_mono_ns() >= sy->retry_ns) {
		symbolizer_retry(sy);
		sy->retry_ns = clock_mono_ns() + RETRY_NS;
	}
	return !atomic_load(&sy->stop);
}

static void symbolizer_unref(struct symbolizer *sy)
{
	int refs;

	pthread_mutex_lock(&sy->lock);
	refs = --sy->refs;
	pthread_mutex_unlock(&sy->lock);
	if (refs)
		return;
	resolver_free(sy->resolver);
	vec_free(&sy->prefer);
	vec_free(&sy->state);
	vec_free(&sy->preferred);
	vec_free(&sy->todo);
	vec_free(&sy->missed);
	pthread_cond_destroy(&sy->work);
	pthread_cond_destroy(&sy->news);
	pthread_mutex_destroy(&sy->lock);
	pthread_mutex_destroy(&sy->progress_lock);
	free(sy);
}

static void *symbolizer_worker(void *arg)
{
	struct symbolizer *sy = arg;

	do {
		while (symbolizer_step(sy))
			;
	} while (symbolizer_rest(sy));
	pthread_mutex_lock(&sy->lock);
	sy->ended = true;
	pthread_cond_broadcast(&sy->news);
	pthread_mutex_unlock(&sy->lock);
	symbolizer_unref(sy);
	return NULL;
}

static void init_sync(struct symbolizer *sy)
{
	thread_mutex_init(&sy->lock);
	thread_mutex_init(&sy->progress_lock);
	thread_cond_init(&sy->work);
	thread_cond_init(&sy->news);
}

static void set_progress(void *ctx, const char *line)
{
	struct symbolizer *sy = ctx;

	pthread_mutex_lock(&sy->progress_lock);
	snprintf(sy->progress, sizeof(sy->progress), "%s", line);
	pthread_mutex_unlock(&sy->progress_lock);
}

static int new_resolver(struct symbolizer *sy, const struct module_opener *opener, const struct symbolizer_options *o,
			struct err *e)
{
	const struct fetch_hooks hooks = { .stop = &sy->stop, .cancelled = &sy->cancelled,
					   .progress = set_progress, .ctx = sy };
	struct fetcher *fetcher = NULL;
	int rc;

	if (o->debuginfod) {
		rc = fetcher_new(&hooks, &fetcher, e);
		if (rc)
			return rc;
	}
	sy->resolver = resolver_new(opener, o, fetcher, &sy->counts, &sy->found, &sy->stop);
	return sy->resolver ? 0 : err_nomem(e, "the symbolizer");
}

int symbolizer_new(const struct dict *dict, struct names *names, const struct module_opener *opener,
		   const struct symbolizer_options *options, struct symbolizer **ret, struct err *e)
{
	static const struct symbolizer_options defaults;
	struct symbolizer *sy = calloc(1, sizeof(*sy));
	int rc;

	if (!sy)
		return err_nomem(e, "the symbolizer");
	if (!options)
		options = &defaults;
	init_sync(sy);
	sy->dict = dict;
	sy->names = names;
	sy->details = !options->no_details;
	sy->refs = 2;
	rc = new_resolver(sy, opener, options, e);
	if (!rc) {
		rc = thread_start(symbolizer_worker, sy, WORKER_STACK);
		if (rc)
			rc = err_set(e, rc, "cannot start the thread that names functions: %s", strerror(rc));
	}
	if (rc) {
		sy->refs = 1;
		symbolizer_unref(sy);
		return rc;
	}
	*ret = sy;
	return 0;
}

void symbolizer_prefer(struct symbolizer *sy, const frame_id *frames, size_t n)
{
	if (n > PREFER_MAX)
		n = PREFER_MAX;
	pthread_mutex_lock(&sy->lock);
	sy->prefer.n = 0;
	if (n && vec_reserve(&sy->prefer, n)) {
		memcpy(sy->prefer.v, frames, n * sizeof(*frames));
		sy->prefer.n = n;
		pthread_cond_signal(&sy->work);
	}
	pthread_mutex_unlock(&sy->lock);
}

void symbolizer_kick(struct symbolizer *sy)
{
	pthread_mutex_lock(&sy->lock);
	sy->kicked = true;
	pthread_cond_signal(&sy->work);
	pthread_mutex_unlock(&sy->lock);
}

void symbolizer_look_again(struct symbolizer *sy)
{
	pthread_mutex_lock(&sy->lock);
	sy->looks_wanted++;
	sy->kicked = true;
	pthread_cond_signal(&sy->work);
	pthread_mutex_unlock(&sy->lock);
}

uint64_t symbolizer_pending(const struct symbolizer *sy)
{
	const uint64_t settled = atomic_load(&sy->nr_settled), frames = dict_frames(sy->dict);

	return frames > settled ? frames - settled : 0;
}

bool symbolizer_wait(struct symbolizer *sy, uint64_t timeout_ns)
{
	const struct timespec deadline = deadline_after(timeout_ns);
	const uint32_t want = dict_frames(sy->dict);
	bool settled;
	int rc = 0;

	pthread_mutex_lock(&sy->lock);
	sy->kicked = true;
	pthread_cond_signal(&sy->work);
	while ((sy->settled_below < want || sy->looks_done != sy->looks_wanted) && !atomic_load(&sy->cancelled) && !rc)
		rc = pthread_cond_timedwait(&sy->news, &sy->lock, &deadline);
	settled = sy->settled_below >= want && sy->looks_done == sy->looks_wanted;
	pthread_mutex_unlock(&sy->lock);
	return settled;
}

void symbolizer_cancel(struct symbolizer *sy)
{
	pthread_mutex_lock(&sy->lock);
	atomic_store(&sy->cancelled, true);
	pthread_cond_broadcast(&sy->news);
	pthread_mutex_unlock(&sy->lock);
}

char *symbolizer_progress(struct symbolizer *sy, char *dst, size_t dst_size)
{
	pthread_mutex_lock(&sy->progress_lock);
	snprintf(dst, dst_size, "%s", sy->progress);
	pthread_mutex_unlock(&sy->progress_lock);
	return dst;
}

void symbolizer_unread(struct symbolizer *sy, struct unread *ret)
{
	pthread_mutex_lock(&sy->lock);
	*ret = sy->unread;
	pthread_mutex_unlock(&sy->lock);
}

void symbolizer_stats(struct symbolizer *sy, struct symbolizer_stats *ret)
{
	pthread_mutex_lock(&sy->lock);
	*ret = sy->stats;
	pthread_mutex_unlock(&sy->lock);
}

void symbolizer_free(struct symbolizer *sy)
{
	const struct timespec deadline = deadline_after(GOODBYE_NS);
	int rc = 0;

	if (!sy)
		return;
	pthread_mutex_lock(&sy->lock);
	atomic_store(&sy->stop, true);
	pthread_cond_broadcast(&sy->work);
	while (!sy->ended && !rc)
		rc = pthread_cond_timedwait(&sy->news, &sy->lock, &deadline);
	pthread_mutex_unlock(&sy->lock);
	symbolizer_unref(sy);
}
