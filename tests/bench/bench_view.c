/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_view.c - what a key costs in each pane, and a refresh, with as many stacks and threads as
 * are promised (big.h):
 *
 *	bench_view [STACKS [THREADS [keys|search|refresh [PANE]]]]
 *
 * Every key of the table that is valid in a pane is pressed there. A key takes the time until the
 * view has been drawn again; what is built for it is built meanwhile, elsewhere, and only *taking
 * it over* keeps the thread of the keys busy again. Both are told, and what building takes, in time
 * of a CPU, so that neighbours count less. No terminal: what that adds is told by view.sh.
 */
#include "config.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/parse.h"
#include "tests/unit/big.h"
#include "tests/unit/madesession.h"
#include "tests/unit/synth.h"
#include "ui/view_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 160
#define HEIGHT 50
#define SECONDS 600u
#define PRESSED 5u               /* times each key is that only moves what is there */
#define SLOWEST 12u              /* keys that are listed */
#define REFRESHES 10u

struct times {
	VEC(uint64_t) ns;
};

/* A key in a pane. */
struct pressed {
	char where[48];
	uint64_t worst_ns;
};

struct bench {
	struct made_session f;
	struct big big;
	struct view *view;
	struct canvas *canvas;
	uint64_t now_ns, second;
	struct times keys, taken, built[PANES];
	VEC(struct pressed) slow;
};

/* Whether PART, in pane P, is what was asked for. */
static bool is(char **argv, const char *part, enum pane_id p)
{
	return !argv[0] || (!strcmp(argv[0], part) && (!argv[1] || !strcmp(argv[1], pane_info(p)->name)));
}

static void die(const char *what)
{
	fprintf(stderr, "bench_view: %s\n", what);
	exit(1);
}

static uint64_t cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void note(struct times *t, uint64_t ns)
{
	uint64_t *slot = vec_push(&t->ns);

	if (!slot)
		die("out of memory");
	*slot = ns;
}

static int compare(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

static void print(const char *what, struct times *t)
{
	const size_t n = t->ns.n;

	if (!n)
		return;
	qsort(t->ns.v, n, sizeof(*t->ns.v), compare);
	printf("%-34s %5zu times: %7.1f ms in the middle, %7.1f of a hundred all but one, %7.1f at most\n", what, n,
	       (double)t->ns.v[n / 2] / 1e6, (double)t->ns.v[n * 99 / 100] / 1e6, (double)t->ns.v[n - 1] / 1e6);
}

/*
 * Builds what the view asks for, as its thread would, and hands it over. Returns the time that this
 * thread had to give.
 */
static uint64_t settle(struct bench *b)
{
	uint64_t spent = 0;
	struct build_job job;

	while (view_job(b->view, b->now_ns, &job)) {
		const uint64_t began = cpu_ns();
		struct built *built = build_now(b->f.m.names, &job);
		const uint64_t from = cpu_ns();

		if (!built || (!built->tree && !built->list && !built->model))
			die("not built");
		note(&b->built[built->job.what], from - began);
		view_give(b->view, built, b->now_ns);
		view_draw(b->view, b->canvas);
		spent = cpu_ns() - from;
		note(&b->taken, spent);
	}
	return spent;
}

static uint64_t press(struct bench *b, uint32_t key)
{
	const uint64_t from = cpu_ns();
	uint64_t took;

	view_key(b->view, key);
	view_draw(b->view, b->canvas);
	took = cpu_ns() - from;
	note(&b->keys, took);
	settle(b);
	return took;
}

static void only(struct bench *b, enum pane_id p)
{
	struct view *v = b->view;

	while (v->over || v->query.terms.n || v->range.snapshot || v->search.len || view_here(v)->tv->zooms.n)
		view_key(v, UI_KEY_ESC);
	view_open(b->view, p);
	for (enum pane_id i = 0; i < PANES; i++) {
		if (i != p && view_is_open(b->view, i))
			view_close(b->view, i);
	}
	view_focus(b->view, p);
	view_draw(b->view, b->canvas);
	settle(b);
}

static void note_slow(struct bench *b, enum pane_id p, const char *key, uint64_t worst)
{
	struct pressed *s = vec_push(&b->slow);

	if (!s)
		die("out of memory");
	s->worst_ns = worst;
	snprintf(s->where, sizeof(s->where), "%s in %s", key, pane_info(p)->name);
}

static void press_in(struct bench *b, enum pane_id p, const struct binding *k)
{
	const size_t before = b->taken.ns.n;
	uint64_t worst = 0, took;

	/* What builds for long does so each time, and is told by itself. */
	for (unsigned int i = 0; i < PRESSED && b->taken.ns.n == before; i++) {
		only(b, p);
		for (unsigned int down = 0; down < i; down++)
			view_key(b->view, 'j');
		took = press(b, k->key[0]);
		worst = took > worst ? took : worst;
	}
	note_slow(b, p, k->shown, worst);
}

/* Types a text to search for, goes from match to match, and back. */
static void search_in_pane(struct bench *b, enum pane_id p)
{
	static const char *const text[] = { "function_12", "worker-3", "+0x4", "read", "zzz" };

	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		uint64_t worst = 0, took;

		only(b, p);
		press(b, '/');
		for (const char *c = text[i]; *c; c++) {
			took = press(b, (uint32_t)*c);
			worst = took > worst ? took : worst;
		}
		note_slow(b, p, "a character of a search", worst);
		took = press(b, UI_KEY_BACKSPACE);
		note_slow(b, p, "Backspace in a search", took);
		press(b, UI_KEY_ENTER);
		took = press(b, 'n');
		worst = press(b, 'N');
		note_slow(b, p, "n N", took > worst ? took : worst);
		press(b, UI_KEY_ESC);
	}
}

static void all_keys(struct bench *b, char **argv)
{
	size_t n;
	const struct binding *k = keymap(&n);

	for (enum pane_id p = 0; p < PANES; p++) {
		for (size_t i = 0; i < n && is(argv, "keys", p); i++) {
			if (k[i].action != ACT_QUIT && binding_valid(&k[i], pane_info(p)->mode, view_can(b->view)))
				press_in(b, p, &k[i]);
		}
		if (is(argv, "search", p))
			search_in_pane(b, p);
	}
}

static int by_time(const void *va, const void *vb)
{
	const struct pressed *a = va, *b = vb;

	return (a->worst_ns < b->worst_ns) - (a->worst_ns > b->worst_ns);
}

static void print_slowest(struct bench *b)
{
	qsort(b->slow.v, b->slow.n, sizeof(*b->slow.v), by_time);
	printf("the slowest keys:\n");
	for (size_t i = 0; i < b->slow.n && i < SLOWEST; i++)
		printf("  %-40s %7.1f ms\n", b->slow.v[i].where, (double)b->slow.v[i].worst_ns / 1e6);
}

static void add(struct bench *b, const struct event *ev)
{
	if (profile_add(b->f.m.p, ev) < 0)
		die("an event was refused");
}

static void fill(struct bench *b)
{
	struct event ev;

	for (uint64_t i = 0; i < big_events(&b->big); i++) {
		big_event(&b->big, i, MADE_START_NS, SECONDS, &ev);
		add(b, &ev);
		b->f.meta.samples += ev.kind == EVENT_SAMPLE;
		b->f.meta.user_samples = b->f.meta.cut[CUT_COMPLETE] = b->f.meta.samples;
	}
	b->f.meta.off_cpu = true;
	b->f.meta.duration_ns = SECONDS * NSEC_PER_SEC;
	b->second = SECONDS;
	profile_numa(b->f.m.p, synth_numa(1));
}

/* A second more, as of two busy CPUs at 99 Hz. */
static void grow(struct bench *b)
{
	struct event ev;

	for (unsigned int i = 0; i < 198; i++) {
		const uint64_t n = b->second * 198 + i;

		big_sample(&b->big, big_pick(&b->big, n), n, MADE_START_NS + b->second * NSEC_PER_SEC + i, &ev);
		add(b, &ev);
	}
	b->second++;
	b->f.meta.duration_ns += NSEC_PER_SEC;
	b->f.published++;
}

static void refreshes(struct bench *b, enum pane_id p)
{
	struct times all = { 0 };
	char what[64];

	only(b, p);
	if (b->view->header.paused)              /* by the keys that were pressed */
		view_key(b->view, 'p');
	for (unsigned int i = 0; i < REFRESHES; i++) {
		const uint64_t from = cpu_ns();

		grow(b);
		b->now_ns += 1000 * NSEC_PER_SEC;        /* as long as the view may want to wait */
		view_tick(b->view, b->now_ns);
		settle(b);
		note(&all, cpu_ns() - from);
	}
	snprintf(what, sizeof(what), "a refresh of %s, CPU", pane_info(p)->name);
	print(what, &all);
	vec_free(&all.ns);
}

int main(int argc, char **argv)
{
	static const struct ui_options options = { .refresh_ns = NSEC_PER_SEC, .title = "bench_view" };
	static struct bench b;
	uint64_t stacks = BIG_STACKS, threads = BIG_THREADS;
	struct err e = ERR_INIT;
	char what[64], *none[] = { NULL };

	if ((argc > 1 && parse_u64(argv[1], "stacks", 1, 10000000, &stacks, &e) < 0) ||
	    (argc > 2 && parse_u64(argv[2], "threads", 1, 1000000, &threads, &e) < 0))
		die(e.text);
	madesession_init(&b.f);
	if (!big_init(&b.big, b.f.m.d, b.f.m.names, (uint32_t)stacks, (uint32_t)threads))
		die("out of memory");
	fill(&b);
	b.f.session.reset = NULL;
	b.view = view_new(&b.f.session, &options);
	b.canvas = canvas_new(WIDTH, HEIGHT, false);
	if (!b.view || !b.canvas)
		die("out of memory");
	view_tick(b.view, b.now_ns = NSEC_PER_SEC);
	view_draw(b.view, b.canvas);
	settle(&b);
	all_keys(&b, argc > 3 ? argv + 3 : none);
	print("a key", &b.keys);
	print("taking over what was built", &b.taken);
	for (enum pane_id p = 0; p < PANES; p++) {
		snprintf(what, sizeof(what), "building %s", pane_info(p)->name);
		print(what, &b.built[p]);
	}
	print_slowest(&b);
	for (enum pane_id p = 0; p < PANES; p++) {
		if (is(argc > 3 ? argv + 3 : none, "refresh", p))
			refreshes(&b, p);
	}
	view_free(b.view);
	canvas_free(b.canvas);
	big_free(&b.big);
	madesession_free(&b.f);
	return 0;
}
