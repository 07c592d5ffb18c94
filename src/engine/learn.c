/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * learn.c - see learn.h. The mappings of a process are taught together: those seen now, and older
 * ones that still hold. For unknown memory the present mappings are taught: its stack is some
 * milliseconds older, but a process that has executed a program or mapped a file since has another
 * id; anything the id cannot show is found out when its stacks come.
 */
#include "config.h"

#include "engine/learn.h"

#include "base/clock.h"
#include "base/order.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/*
 * Pages taught at a time: what runs next is often near. A module of which more and more is missing
 * gets more at a time, so that all of a compiler is known after some hundred misses, and of a
 * library with one busy function a few pages.
 */
#define AROUND_MIN 8u
#define AROUND_MAX 512u
#define LESSONS 4u               /* after so many, twice as much */
/* for all that a stack lacks: there are files whose rows take libdw for ever */
#define LESSON_NS (20 * NSEC_PER_MSEC)
/* modules whose pages take so long, on average, where others take a hundredth ... */
#define DEAR_NS NSEC_PER_MSEC
#define DEAR_COSTS 8u                    /* ... get an eighth of the time, together ... */
#define DEAR_OVER_NS (4 * NSEC_PER_SEC)  /* ... seen over so long */
#define GLIMPSE_COSTS 20u        /* looking at strangers takes a twentieth of the time at most ... */
#define GLIMPSE_MIN_NS 250000u           /* ... with what waking up for one of them takes ... */
#define GLIMPSE_OVER_NS NSEC_PER_SEC     /* ... seen over so long */
#define GLIMPSE_MAPS 96u                 /* of more, a space should have those that stacks come by */
#define AGAIN_NS (100 * NSEC_PER_MSEC)   /* one process is looked at so often ... */
#define AGAIN_MAX 4u                     /* ... or so many times at once, after as long without */
/* and not for so long when nothing was found that is known: it may be about to execute ... */
#define VAIN_NS (2 * NSEC_PER_MSEC)
#define VAIN_MAX 10u                     /* ... doubled each time, but no more often than that: two seconds */
#define LOOKED_AT 256u                   /* places to remember that in; a power of two */

/* Of one process, up to when its share is used up. Who loses its place to another may be looked at again. */
struct looked {
	pid_t pid;
	uint32_t vain;           /* how often nothing was found, one after the other; VAIN_MAX at most */
	uint64_t used_ns;
};

/* What a module was taught. */
struct taught {
	uint32_t lessons;
	uint32_t pages;
	uint64_t ns;             /* that the rows of these took */
};

struct learn {
	struct rulebook *book;
	struct unwind_space inner;
	bool tables_only;
	uint32_t last_pid;       /* whose mappings were taught last */
	uint32_t lately;         /* events that taught rules, not asked for yet */
	uint64_t glimpse_ns;     /* up to when the time for looking at strangers is used up */
	uint64_t dear_ns;        /* up to when the time for modules that are dear is used up */
	VEC(struct taught) taught;       /* by module */
	struct looked looked[LOOKED_AT];
	size_t nr_seen;
	struct unwind_map seen[SB_SPACE_MAPS];
};

struct learn *learn_new(struct rulebook *b)
{
	struct learn *l = calloc(1, sizeof(*l));

	if (l)
		l->book = b;
	return l;
}

void learn_tables_only(struct learn *l)
{
	l->tables_only = true;
}

void learn_free(struct learn *l)
{
	if (l)
		vec_free(&l->taught);
	free(l);
}

uint32_t learn_lessons(struct learn *l)
{
	const uint32_t n = l->lately;

	l->lately = 0;
	return n;
}

/*
 * Can M be published? Offsets beyond would be places of another module; code without a file has
 * none. Of code that a run-time compiler describes no rules are taught, since other code may be in
 * its place at any time: it is walked from copies.
 */
static bool has_places(const struct learn *l, const struct unwind_map *m)
{
	const uint64_t limit = 1ull << SB_OFFSET_BITS;

	if (m->module == ID_NONE)
		return false;
	if (m->state == MAP_ANON)
		return !l->tables_only && !m->made;
	return m->state == MAP_READY && m->pgoff < limit && m->end - m->start <= limit - m->pgoff;
}

static bool learn_find(void *ctx, uint64_t pc, struct unwind_map *ret)
{
	struct learn *l = ctx;

	if (!l->inner.find(l->inner.ctx, pc, ret))
		return false;
	if (l->nr_seen == SB_SPACE_MAPS || !has_places(l, ret))
		return true;
	for (size_t i = 0; i < l->nr_seen; i++)
		if (l->seen[i].start == ret->start)
			return true;
	l->seen[l->nr_seen++] = *ret;
	return true;
}

struct unwind_space learn_watch(struct learn *l, const struct unwind_space *space)
{
	l->inner = *space;
	l->nr_seen = 0;
	return (struct unwind_space){ .find = learn_find, .ctx = l };
}

/* Does M overlap one of the N of MAP? */
static bool learn_overlaps(const struct sb_map *map, size_t n, const struct sb_map *m)
{
	for (size_t i = 0; i < n; i++)
		if (m->start < map[i].end && map[i].start < m->end)
			return true;
	return false;
}

static int learn_by_start(const void *a, const void *b)
{
	const struct sb_map *x = a, *y = b;

	return compare_numbers(x->start, y->start);
}

static struct sb_map as_taught(const struct unwind_map *m)
{
	return (struct sb_map){ .start = m->start, .end = m->end, .pgoff = m->pgoff,
				.module = m->module | (m->state == MAP_ANON ? SB_MAP_FP : 0) };
}

/* Is M still mapped as it was? */
static bool learn_stands(struct learn *l, const struct sb_map *m)
{
	struct unwind_map now;
	struct sb_map as;

	if (!l->inner.find(l->inner.ctx, m->start, &now) || !has_places(l, &now))
		return false;
	as = as_taught(&now);
	return !memcmp(&as, m, sizeof(as));
}

/* Is each mapping seen now among the N of KNOWN, which are by address? */
static bool all_known(const struct learn *l, const struct sb_map *known, size_t n)
{
	for (size_t i = 0; i < l->nr_seen; i++) {
		const struct sb_map m = as_taught(&l->seen[i]);
		const struct sb_map *k = bsearch(&m, known, n, sizeof(m), learn_by_start);

		if (!k || memcmp(k, &m, sizeof(m)) != 0)
			return false;
	}
	return true;
}

/*
 * Adds those of the NR_KNOWN mappings KNOWN that still stand to the N of MAP, as far as there is
 * room: those of files when FP is 0, those of memory without when it is SB_MAP_FP. Returns how many
 * there are then.
 */
static size_t keep_known(struct learn *l, const struct sb_map *known, size_t nr_known, uint64_t fp,
			 struct sb_map *map, size_t n)
{
	for (size_t i = 0; i < nr_known && n < SB_SPACE_MAPS; i++)
		if ((known[i].module & SB_MAP_FP) == fp && !learn_overlaps(map, l->nr_seen, &known[i]) &&
		    learn_stands(l, &known[i]))
			map[n++] = known[i];
	return n;
}

/*
 * Adds all other mappings of the process to the N of MAP, as far as there is room: a walk may come
 * by them before any copy does. Those that a file is still missing of are LOADed. Returns how many
 * there are then.
 */
static size_t add_others(struct learn *l, bool load, uint64_t fp, struct sb_map *map, size_t n)
{
	struct unwind_map other[SB_SPACE_MAPS];
	const size_t had = n, nr = l->inner.list ? l->inner.list(l->inner.ctx, other, SB_SPACE_MAPS, load) : 0;

	for (size_t i = 0; i < nr && n < SB_SPACE_MAPS; i++) {
		const struct sb_map m = as_taught(&other[i]);

		if (has_places(l, &other[i]) && (m.module & SB_MAP_FP) == fp && !learn_overlaps(map, had, &m))
			map[n++] = m;
	}
	return n;
}

/* True when there was something to teach. */
static bool teach_maps(struct learn *l, uint32_t pid, uint64_t id, uint64_t time_ns, bool load)
{
	struct sb_map map[SB_SPACE_MAPS];
	uint64_t known_id;
	size_t nr_known, n = 0;
	const struct sb_map *known = rulebook_maps(l->book, pid, &known_id, &nr_known);

	/* Mostly nothing is new. Code that went changes the id. */
	if (nr_known && id == known_id && all_known(l, known, nr_known))
		return false;
	/* Nothing yet: it may be a relative of who was taught last. What is mapped elsewhere in it does not stand. */
	if (!nr_known)
		known = rulebook_maps(l->book, l->last_pid, &known_id, &nr_known);
	for (size_t i = 0; i < l->nr_seen; i++)
		map[n++] = as_taught(&l->seen[i]);
	/*
	 * Files first: run-time compilers may have more pieces of memory than there is room for,
	 * and every stack goes through files.
	 */
	n = keep_known(l, known, nr_known, 0, map, n);
	n = add_others(l, load, 0, map, n);
	n = keep_known(l, known, nr_known, SB_MAP_FP, map, n);
	n = add_others(l, false, SB_MAP_FP, map, n);
	qsort(map, n, sizeof(*map), learn_by_start);
	if (!rulebook_teach_maps(l->book, pid, id, map, n, time_ns))
		return false;
	l->last_pid = pid;
	return true;
}

static struct image *image_of(const struct learn *l, module_id module)
{
	for (size_t i = 0; i < l->nr_seen; i++)
		if (l->seen[i].module == module)
			return l->seen[i].image;
	return NULL;
}

/* Adds COST to what is used up at *USED, of which OVER can be saved up. */
static void learn_use_up(uint64_t *used, uint64_t cost_ns, uint64_t over_ns, uint64_t now_ns)
{
	*used = (*used + over_ns < now_ns ? now_ns - over_ns : *used) + cost_ns;
}

/* What MODULE was taught; NULL when out of memory. */
static struct taught *taught_of(struct learn *l, module_id module)
{
	while (l->taught.n <= module) {
		struct taught *none = vec_push(&l->taught);

		if (!none)
			return NULL;
		*none = (struct taught){ 0 };
	}
	return &l->taught.v[module];
}

/*
 * Pages to teach now of a module that was taught T, a power of two. What is only near shall not
 * drive out what is in use.
 */
static uint32_t learn_around(const struct learn *l, struct taught *t)
{
	uint32_t n = AROUND_MIN;

	for (uint32_t left = t->lessons; left >= LESSONS && n < AROUND_MAX; left -= LESSONS)
		n *= 2;
	t->lessons += n < AROUND_MAX;
	return rulebook_is_crowded(l->book) ? AROUND_MIN : n;
}

static bool learn_is_dear(const struct taught *t)
{
	return t->ns > t->pages * DEAR_NS;
}

static void teach_page(struct learn *l, struct taught *t, struct image *im, module_id module, uint64_t at)
{
	const uint64_t began_ns = clock_mono_ns();
	struct rule_row row[SB_ROWS];
	uint64_t took_ns;
	size_t n;

	if (rulebook_has(l->book, module, at) || (learn_is_dear(t) && began_ns < l->dear_ns))
		return;
	n = rows_of(im, at, SB_TEXT_BYTES, row, SB_ROWS);
	if (!n)
		return;
	for (size_t i = 0; l->tables_only && i < n; i++)
		if (rule_is_guess(&row[i].rule))
			row[i].rule = (struct rule){ .kind = RULE_NONE };
	rulebook_teach(l->book, module, at, row, n);
	took_ns = clock_mono_ns() - began_ns;
	t->pages++;
	t->ns += took_ns;
	if (learn_is_dear(t))
		learn_use_up(&l->dear_ns, took_ns * DEAR_COSTS, DEAR_OVER_NS, began_ns);
}

/* Teaches what F needs, and until UNTIL_NS what is near. True when something was missing. */
static bool teach_rules(struct learn *l, const struct frame *f, uint64_t until_ns)
{
	struct taught *t;
	struct image *im;
	uint64_t bytes, start;

	if (rulebook_has(l->book, f->module, f->offset) || clock_mono_ns() >= until_ns)
		return false;
	/* A place in no module has no image: nothing is kept of it, by a number that is none. */
	im = image_of(l, f->module);
	t = im ? taught_of(l, f->module) : NULL;
	if (!t)
		return false;
	bytes = (uint64_t)learn_around(l, t) * SB_TEXT_BYTES;
	start = f->offset / bytes * bytes;
	teach_page(l, t, im, f->module, f->offset / SB_TEXT_BYTES * SB_TEXT_BYTES);
	for (uint64_t at = start; at < start + bytes && clock_mono_ns() < until_ns; at += SB_TEXT_BYTES)
		teach_page(l, t, im, f->module, at);
	return rulebook_has(l->book, f->module, f->offset);
}

/* When the stack of EV was taken: that of a wait when it began. */
static uint64_t taken_ns(const struct raw_event *ev)
{
	if (ev->kind != RAW_WAIT && ev->kind != RAW_MOVE)
		return ev->time_ns;
	return ev->time_ns - ev->wait.blocked_ns - ev->wait.runnable_ns;
}

/*
 * Looks where the walk of S stopped, so that the mapping is seen; *RET is that place. False when it
 * is in no file that is loaded.
 */
static bool look_at_stop(struct learn *l, const struct raw_sample *s, struct frame *ret)
{
	const uint64_t pc = s->user.stop.pc - !s->user.stop.exact;
	struct unwind_map m;

	if (!s->user.stopped || !learn_find(l, pc, &m) || m.state != MAP_READY)
		return false;
	*ret = (struct frame){ .module = m.module, .offset = unwind_place(&m, pc) };
	return true;
}

bool learn_from(struct learn *l, const struct raw_event *ev, const struct chain *c)
{
	const struct raw_sample *s = &ev->sample;
	bool mapped, ruled = false, stopped;
	struct frame stop;
	uint64_t until_ns;

	if (!s->space_id)
		return false;
	if (c->stale || c->cut == CUT_STALE)
		rulebook_teach_maps(l->book, (uint32_t)ev->pid, s->space_id, NULL, 0, taken_ns(ev));
	if (s->user.ruled)
		return false;
	/* A copy may end before: then nothing else tells what is needed there. */
	stopped = look_at_stop(l, s, &stop);
	if (!l->nr_seen)
		return false;
	mapped = teach_maps(l, (uint32_t)ev->pid, s->space_id, taken_ns(ev), s->user.stopped &&
			    s->walk_why == SB_WALK_NO_MAP);
	until_ns = clock_mono_ns() + LESSON_NS;
	if (stopped)
		ruled = teach_rules(l, &stop, until_ns);
	for (uint32_t i = 0; i < c->n; i++)
		ruled |= teach_rules(l, &c->frame[i], until_ns);
	l->lately += ruled;
	return mapped || ruled;
}

/* Teaches what PID has mapped now; true when there is something. */
static bool teach_glimpse(struct learn *l, struct processes *ps, pid_t pid, uint64_t space_id, uint64_t now_ns)
{
	struct unwind_map map[GLIMPSE_MAPS + 1];
	struct sb_map taught[GLIMPSE_MAPS + 1];
	const size_t n = processes_glimpse(ps, pid, map, GLIMPSE_MAPS + 1);

	for (size_t i = 0; i < n; i++) {
		if (!has_places(l, &map[i]))
			return false;
		taught[i] = as_taught(&map[i]);
	}
	return n && n <= GLIMPSE_MAPS && rulebook_teach_maps(l->book, (uint32_t)pid, space_id, taught, n, now_ns);
}

uint64_t learn_early(struct learn *l, struct processes *ps, const struct raw_event *ev)
{
	const uint64_t from = clock_mono_ns(), id = ev->sample.space_id;
	struct looked *one = &l->looked[(uint32_t)ev->pid & (LOOKED_AT - 1)];
	uint64_t known_id, ns;
	size_t n;

	if (from <= l->glimpse_ns)
		return l->glimpse_ns;
	if (one->pid != ev->pid)
		*one = (struct looked){ .pid = ev->pid };
	/* What is known of it is taught already, or was not right, and is not guessed again. */
	if (from <= one->used_ns || (rulebook_maps(l->book, (uint32_t)ev->pid, &known_id, &n) && known_id == id) ||
	    rulebook_is_past(l->book, (uint32_t)ev->pid, id, taken_ns(ev)))
		return l->glimpse_ns;
	if (teach_glimpse(l, ps, ev->pid, id, from)) {
		one->vain = 0;
		learn_use_up(&one->used_ns, AGAIN_NS, AGAIN_MAX * AGAIN_NS, from);
	} else {
		one->used_ns = from + (VAIN_NS << one->vain);
		one->vain += one->vain < VAIN_MAX;
	}
	ns = clock_mono_ns() - from;
	learn_use_up(&l->glimpse_ns, (ns < GLIMPSE_MIN_NS ? GLIMPSE_MIN_NS : ns) * GLIMPSE_COSTS,
		     GLIMPSE_OVER_NS, from);
	return l->glimpse_ns;
}
