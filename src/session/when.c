/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * when.c - a list of conditions; waits that are long enough, until their functions have names; and the time on the CPU
 * of the seconds that are not settled yet.
 */
#include "config.h"

#include "session/when.h"

#include "base/clock.h"
#include "base/parse.h"
#include "base/text.h"
#include "base/units.h"
#include "base/vec.h"
#include "base/wildcard.h"
#include "query/idle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_WAIT_NS (10 * NSEC_PER_MSEC)       /* each of them is told by itself, which costs */
#define LEAST_FOR_NS (100 * NSEC_PER_MSEC)
#define LONGEST_NS (3600 * NSEC_PER_SEC)
#define PERCENT_MOST 1000000u    /* 10,000 CPUs */
#define BINS 64u                 /* seconds, or what is less, that are not settled */
#define PENDING_MAX 1024u        /* waits whose functions have no names yet */
#define PATIENCE_NS (10 * NSEC_PER_SEC)
#define MET 256u
#define SAME_WAIT_NS (10 * NSEC_PER_MSEC)        /* two beginnings that are no further apart are one */

/* ---- what it says ---- */

/* The next word or sign of *AT, of at most SIZE - 1 bytes. */
static const char *when_word(const char **at, char *dst, size_t size)
{
	const char *from = *at + strspn(*at, " \t");
	const bool sign = *from == '>' || *from == '<';
	const size_t n = sign ? 1 : strcspn(from, " \t<>");

	*at = from + n;
	text_format(dst, size, "%.*s", n < size ? (int)n : (int)size - 1, from);
	return dst;
}

static int when_what_is_wrong(const char *text, struct err *e)
{
	return err_set(e, EINVAL, "'%.100s' is no condition: write it as 'blocked > 200ms in FUNCTION', "
		       "'runnable > 50ms' or 'cpu > 90%% for 5s'", text);
}

/* Behind the length of a wait: "in FUNCTION", which may have blanks itself. */
static int when_function(const char *text, const char *at, struct when *ret, struct err *e)
{
	char word[8];
	size_t n;

	if (!*when_word(&at, word, sizeof(word)))
		return 0;
	at += strspn(at, " \t");
	n = strlen(at);
	while (n && (at[n - 1] == ' ' || at[n - 1] == '\t'))
		n--;
	if (strcmp(word, "in") != 0 || !n)
		return when_what_is_wrong(text, e);
	if (n >= sizeof(ret->function))
		return err_set(e, EINVAL, "the function in '%.60s...' is too long: %u bytes at most", text,
			       WHEN_FUNCTION_MAX - 1);
	memcpy(ret->function, at, n);
	return 0;
}

/* Behind the percentage: "for TIME", else it is a second. */
static int when_for(const char *text, const char *at, struct when *ret, struct err *e)
{
	char word[64];
	int r;

	ret->ns = NSEC_PER_SEC;
	if (!*when_word(&at, word, sizeof(word)))
		return 0;
	if (strcmp(word, "for") != 0)
		return when_what_is_wrong(text, e);
	r = parse_time(when_word(&at, word, sizeof(word)), "time", LEAST_FOR_NS, LONGEST_NS, &ret->ns, e);
	return r ? r : *when_word(&at, word, sizeof(word)) ? when_what_is_wrong(text, e) : 0;
}

int when_parse(const char *text, struct when *ret, struct err *e)
{
	static const char *const whats[] = { [WHEN_BLOCKED] = "blocked", [WHEN_RUNNABLE] = "runnable",
					     [WHEN_CPU] = "cpu" };
	struct when w = { .what = WHEN_BLOCKED };
	const char *at = text;
	char word[64];
	int r;

	when_word(&at, word, sizeof(word));
	while (w.what <= WHEN_CPU && strcmp(word, whats[w.what]) != 0)
		w.what++;
	if (w.what > WHEN_CPU)
		return when_what_is_wrong(text, e);
	when_word(&at, word, sizeof(word));
	w.below = *word == '<';
	if (!w.below && *word != '>')
		return when_what_is_wrong(text, e);
	if (w.below && w.what != WHEN_CPU)
		return err_set(e, EINVAL, "'%.100s' would always be so: of waits sberf looks for long ones (>)", text);
	when_word(&at, word, sizeof(word));
	if (!*word)
		return when_what_is_wrong(text, e);
	if (w.what == WHEN_CPU)
		r = parse_percent(word, "share of a CPU", 0, PERCENT_MOST, &w.percent, e);
	else
		r = parse_time(word, "length of a wait", LEAST_WAIT_NS, LONGEST_NS, &w.ns, e);
	r = r ? r : w.what == WHEN_CPU ? when_for(text, at, &w, e) : when_function(text, at, &w, e);
	if (!r)
		*ret = w;
	return r;
}

/* ---- who looks ---- */

/* A wait that is long enough for CONDITION. */
struct long_wait {
	unsigned int condition;
	stack_id stack;
	thread_id thread;
	uint64_t ns, begun_ns;
	uint64_t seen_ns;        /* by the clock of this machine */
	bool futex;
};

/* How the CPU was used, for one condition. */
struct cpu_use {
	uint64_t slice_ns;       /* a second, or what is less */
	uint64_t at;             /* the number of the slice that is settled next; 0 = not known yet */
	uint64_t ns[BINS];       /* from that one on, by number */
	uint64_t held;           /* slices in a row in which it was so */
};

struct condition {
	struct when w;
	const char *text;
	struct cpu_use cpu;
};

struct when_watch {
	struct condition v[WHEN_MAX];
	unsigned int n;
	uint64_t pause_ns, written_ns;   /* the last time by the clock of the source; 0 = never */
	uint32_t files;
	struct when_figures figures;
	VEC(struct long_wait) pending;
	struct long_wait met[MET];       /* the last waits that met one, which may go on: in a circle */
	unsigned int nr_met;
	struct engine_watcher watcher;
};

static void when_add_cpu(struct cpu_use *u, const struct event *ev)
{
	const uint64_t slice = ev->time_ns / u->slice_ns;

	if (u->at && slice >= u->at && slice < u->at + BINS)
		u->ns[slice % BINS] += ev->weight;
}

static bool when_idles(const struct event *ev, bool *ret_futex)
{
	const enum wait_class class = wait_class_of(ev->wait.call, ev->wait.state, NULL);

	*ret_futex = class == WAIT_CLASS_LOCK && call_is_futex(ev->wait.call, NULL);
	return class == WAIT_CLASS_EVENT || class == WAIT_CLASS_SLEEP || ev->wait.state == WAIT_IDLE;
}

static void when_add_wait(struct when_watch *w, unsigned int condition, const struct event *ev)
{
	const struct when *c = &w->v[condition].w;
	struct long_wait *fresh;
	bool futex;

	if (ev->wait.own_ns <= c->ns || ev->flags & EVENT_F_EXTRAPOLATED || ev->flags & EVENT_F_EARLIER ||
	    (when_idles(ev, &futex) && !*c->function) || w->pending.n >= PENDING_MAX)
		return;
	fresh = vec_push(&w->pending);
	if (fresh)
		*fresh = (struct long_wait){ .condition = condition, .stack = ev->stack, .thread = ev->thread,
					     .ns = ev->wait.own_ns, .begun_ns = ev->time_ns - ev->wait.own_ns,
					     .seen_ns = clock_mono_ns(), .futex = futex };
}

static void when_event(void *ctx, const struct event *ev)
{
	struct when_watch *w = ctx;

	for (unsigned int i = 0; i < w->n; i++) {
		const enum when_what what = w->v[i].w.what;

		if (what == WHEN_CPU && ev->kind == EVENT_SAMPLE)
			when_add_cpu(&w->v[i].cpu, ev);
		else if ((what == WHEN_BLOCKED && ev->kind == EVENT_BLOCKED) ||
			 (what == WHEN_RUNNABLE && ev->kind == EVENT_RUNNABLE))
			when_add_wait(w, i, ev);
	}
}

/* "ns::handle(int)" is called "ns::handle", too. */
static bool when_is_called(const char *pattern, const char *name)
{
	const char *arguments = strchr(name, '(');
	char plain[WHEN_FUNCTION_MAX];

	if (wildcard_matches(pattern, name))
		return true;
	if (!arguments || arguments == name || (size_t)(arguments - name) >= sizeof(plain))
		return false;
	memcpy(plain, name, (size_t)(arguments - name));
	plain[arguments - name] = '\0';
	return wildcard_matches(pattern, plain);
}

/* Whether a function of STACK is called like PATTERN. *RET_NAMED: all of its frames have names. */
static bool when_in(const struct engine *en, stack_id stack, const char *pattern, bool *ret_named)
{
	const struct names *names = engine_names(en);
	const struct dict *d = engine_dict(en);

	*ret_named = true;
	(void)dict_inside(d, &stack);
	while (stack != STACK_ROOT) {
		const struct stack *s = dict_get_stack(d, stack);
		const struct frame_names *fn = names_get(names, s->frame);

		*ret_named &= fn && fn->detailed;
		for (uint32_t i = 0; fn && i < fn->n; i++)
			if (when_is_called(pattern, names_text(names, names_func(names, fn->name[i].func)->name)))
				return true;
		stack = s->parent;
	}
	return false;
}

enum answer { NO, YES, LATER };

/* Only a query knows what idles; there it is decided for all stacks at once. */
static enum answer when_works(const struct engine *en, const struct long_wait *l)
{
	stack_id stack = l->stack;
	struct idle_memo memo;
	enum answer r = YES;
	bool named;

	if (!l->futex)
		return YES;
	/* Nothing is called so: it tells whether all have names. */
	(void)when_in(en, stack, "\\", &named);
	if (!named && symbolizer_pending(engine_symbolizer(en)))
		return LATER;
	(void)dict_inside(engine_dict(en), &stack);
	if (idle_init(&memo, engine_dict(en), engine_names(en)))
		r = idle_stack(&memo, stack) ? NO : YES;
	idle_free(&memo);
	return r;
}

/* Whether L is a wait of which the beginning was seen before. */
static bool when_has_met(const struct when_watch *w, const struct long_wait *l)
{
	for (unsigned int i = 0; i < w->nr_met && i < MET; i++)
		if (l->thread == w->met[i].thread && l->condition == w->met[i].condition &&
		    l->begun_ns + SAME_WAIT_NS > w->met[i].begun_ns &&
		    l->begun_ns < w->met[i].begun_ns + SAME_WAIT_NS)
			return true;
	return false;
}

static enum answer when_judge(const struct when_watch *w, const struct engine *en, const struct long_wait *l)
{
	const struct when *c = &w->v[l->condition].w;
	bool named;

	if (when_has_met(w, l))
		return NO;
	if (!*c->function)
		return when_works(en, l);
	if (when_in(en, l->stack, c->function, &named))
		return YES;
	return named || !symbolizer_pending(engine_symbolizer(en)) ? NO : LATER;
}

/* Whether this is the time to write; else it is counted. */
static bool when_may_write(struct when_watch *w, uint64_t now_ns)
{
	if (w->figures.files >= w->files) {
		w->figures.over++;
		return false;
	}
	if (w->written_ns && now_ns < w->written_ns + w->pause_ns) {
		w->figures.paused++;
		return false;
	}
	w->figures.files++;
	w->written_ns = now_ns;
	return true;
}

static void when_say_wait(const struct when_watch *w, const struct engine *en, const struct long_wait *l, char *why,
			  size_t size)
{
	const struct condition *c = &w->v[l->condition];
	const struct dict *d = engine_dict(en);
	const struct thread *t = dict_get_thread(d, l->thread);
	const char *name = t ? strtab_get(dict_strings(d), t->comm) : "a thread";
	char comm[64], length[UNITS_MAX], thread[32] = "";

	text_sanitise(comm, sizeof(comm), name, strnlen(name, sizeof(comm)));
	if (t && t->tid != t->pid)
		text_format(thread, sizeof(thread), " (thread %d)", (int)t->tid);
	text_format(why, size, "%.100s: %s %d%s was %s for %s", c->text, comm, t ? (int)t->pid : 0, thread,
		    c->w.what == WHEN_BLOCKED ? "blocked" : "in the run queue", units_time(length, l->ns));
}

/* Takes the waits that can be judged. */
static bool when_waits(struct when_watch *w, const struct engine *en, uint64_t settled_ns, char *why, size_t size)
{
	const uint64_t now = clock_mono_ns();
	bool write = false;
	size_t kept = 0;

	for (size_t i = 0; i < w->pending.n; i++) {
		const struct long_wait l = w->pending.v[i];
		const enum answer a = when_judge(w, en, &l);

		if (a == LATER && now - l.seen_ns < PATIENCE_NS) {
			w->pending.v[kept++] = l;
			continue;
		}
		if (a != YES)
			continue;
		w->met[w->nr_met++ % MET] = l;
		if (when_may_write(w, settled_ns)) {
			when_say_wait(w, en, &l, why, size);
			write = true;
		}
	}
	w->pending.n = kept;
	return write;
}

/* Whether the slice that is settled was the last of as many as it takes. */
static bool when_slice(struct condition *c)
{
	struct cpu_use *u = &c->cpu;
	const double percent = (double)u->ns[u->at % BINS] * 100 / (double)u->slice_ns;
	const uint64_t needed = (c->w.ns + u->slice_ns - 1) / u->slice_ns;

	u->ns[u->at % BINS] = 0;
	u->at++;
	u->held = (c->w.below ? percent < c->w.percent : percent > c->w.percent) ? u->held + 1 : 0;
	if (u->held < needed)
		return false;
	u->held = 0;
	return true;
}

static bool when_cpu(struct when_watch *w, struct condition *c, uint64_t settled_ns, char *why, size_t size)
{
	struct cpu_use *u = &c->cpu;
	bool write = false;

	/* What was before has not been seen from its beginning. */
	if (!u->at)
		u->at = settled_ns / u->slice_ns + 2;
	while ((u->at + 1) * u->slice_ns <= settled_ns) {
		const uint64_t end_ns = (u->at + 1) * u->slice_ns;

		if (when_slice(c) && when_may_write(w, end_ns)) {
			text_format(why, size, "%.100s", c->text);
			write = true;
		}
	}
	return write;
}

static bool when_turn(void *ctx, const struct engine *en, uint64_t settled_ns, char *why, size_t size)
{
	struct when_watch *w = ctx;
	bool write = w->pending.n && when_waits(w, en, settled_ns, why, size);

	for (unsigned int i = 0; i < w->n; i++)
		if (w->v[i].w.what == WHEN_CPU)
			write |= when_cpu(w, &w->v[i], settled_ns, why, size);
	return write;
}

int when_new(const char *const *text, size_t n, uint64_t pause_ns, uint32_t files, struct when_watch **ret,
	     struct err *e)
{
	AUTO(when_free) struct when_watch *w = calloc(1, sizeof(*w));

	if (!w)
		return err_nomem(e, "conditions");
	if (n > WHEN_MAX)
		return err_set(e, E2BIG, "--when is given %zu times: %u are as many as there can be", n, WHEN_MAX);
	*w = (struct when_watch){ .pause_ns = pause_ns, .files = files };
	w->watcher = (struct engine_watcher){ .event = when_event, .turn = when_turn, .ctx = w };
	for (; w->n < n; w->n++) {
		struct condition *c = &w->v[w->n];
		const int r = when_parse(text[w->n], &c->w, e);

		if (r < 0)
			return r;
		c->text = text[w->n];
		c->cpu.slice_ns = c->w.ns < NSEC_PER_SEC ? c->w.ns : NSEC_PER_SEC;
		if (c->w.what != WHEN_CPU && (!w->watcher.least_wait_ns || c->w.ns < w->watcher.least_wait_ns))
			w->watcher.least_wait_ns = c->w.ns;
	}
	*ret = take_ptr(w);
	return 0;
}

void when_free(struct when_watch *w)
{
	if (!w)
		return;
	vec_free(&w->pending);
	free(w);
}

const struct engine_watcher *when_watcher(const struct when_watch *w)
{
	return &w->watcher;
}

void when_figures(const struct when_watch *w, struct when_figures *ret)
{
	*ret = w->figures;
}
