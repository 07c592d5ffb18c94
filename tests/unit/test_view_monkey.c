/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_view_monkey.c - somebody who presses every key of the key table, in no order, clicks
 * everywhere and resizes the window while the profile grows, panes are late and memory runs out.
 * Nothing may come of it but a sound screen.
 *
 * It does the same each time: SBERF_MONKEY_SEED=N in the environment has it do something else,
 * SBERF_MONKEY_STEPS=N for longer.
 */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/madenuma.h"

#include "base/clock.h"
#include "model/probes.h"
#include "ui/view_private.h"

#include <stdlib.h>
#include <string.h>

#define STEPS 2500u
#define PATIENCE 60u             /* times STEPS */
#define LATE 6u                  /* panes that are being built, at most */
#define ROWS_MAX 256u
#define ELSEWHERE MODE_ANNOTATE  /* needs code in files, which a made profile has not */

static const struct ui_options options = { .refresh_ns = NSEC_PER_SEC, .title = "sberf top" };

struct monkey {
	struct made_session f;
	struct view *view;
	struct canvas *canvas;
	uint64_t now_ns;
	unsigned int seed, first_seed, step;
	struct build_job late[LATE];
	unsigned int nr_late;
	unsigned int could;              /* mask of enum ui_can */
	bool pressed[ROWS_MAX];          /* rows of the key table, where they were valid */
};

static unsigned int below(struct monkey *m, unsigned int n)
{
	return (unsigned int)rand_r(&m->seed) / 7 % n;
}

static unsigned int number_from(const char *name, unsigned int otherwise)
{
	const char *text = getenv(name);

	return text && *text ? (unsigned int)strtoul(text, NULL, 10) : otherwise;
}

/* Keys */

static bool is_valid(const struct monkey *m, const struct binding *b)
{
	return binding_valid(b, view_mode(m->view), view_can(m->view));
}

/*
 * One that has not been pressed where it is valid, as it is here; 0 = there is none. Chance alone
 * would take long to find all.
 */
static uint32_t new_key(const struct monkey *m)
{
	size_t n;
	const struct binding *b = keymap(&n);

	for (size_t i = 0; i < n; i++) {
		if (!m->pressed[i] && is_valid(m, &b[i]))
			return b[i].key[0];
	}
	return 0;
}

static uint32_t any_key(struct monkey *m)
{
	static const uint32_t others[] = { 'a', 'Z', 0x6F22, 0x301, 0x1F525, 0x202E, 0xFFFD, UI_KEY_UNKNOWN,
					   UI_KEY_DELETE, 1, 0 };
	size_t n;
	const struct binding *b = keymap(&n);
	uint32_t key;

	if (below(m, 8) == 0)
		return others[below(m, sizeof(others) / sizeof(others[0]))];
	if (below(m, 2) && (key = new_key(m)))
		return key;
	do
		key = b[below(m, (unsigned int)n)].key[below(m, 3)];
	while (!key);
	return key;
}

static void press(struct monkey *m)
{
	const uint32_t key = any_key(m);
	size_t n;
	const struct binding *b = keymap(&n);

	assert_true(n <= ROWS_MAX);
	m->could |= view_can(m->view);
	for (size_t i = 0; i < n; i++) {
		if ((b[i].key[0] == key || b[i].key[1] == key || b[i].key[2] == key) && is_valid(m, &b[i]))
			m->pressed[i] = true;
	}
	if (view_key(m->view, key) == REACT_SAVE) {
		struct save_job job;

		view_save_job(m->view, &job);
		snapshot_unref(job.snapshot);
	}
}

static void click(struct monkey *m)
{
	const int x = (int)below(m, (unsigned int)m->canvas->w + 2) - 1,
		y = (int)below(m, (unsigned int)m->canvas->h + 2) - 1;

	view_mouse(m->view, (enum mouse)below(m, MOUSE_WHEEL_DOWN + 1), x, y);
}

/* Panes */

static void build_one(struct monkey *m)
{
	const unsigned int i = below(m, m->nr_late);
	struct build_job job = m->late[i];

	m->late[i] = m->late[--m->nr_late];
	if (below(m, 20) == 0) {
		snapshot_unref(job.snapshot);
		view_give(m->view, NULL, m->now_ns);     /* out of memory */
	} else {
		view_give(m->view, build_now(m->f.m.names, &job), m->now_ns);
	}
}

static void ask(struct monkey *m)
{
	while (m->nr_late < LATE && view_job(m->view, m->now_ns, &m->late[m->nr_late]))
		m->nr_late++;
}

static void some_time_passes(struct monkey *m)
{
	m->now_ns += below(m, 3) * NSEC_PER_SEC / 2;
	if (!m->f.ended && below(m, 3) == 0)
		madesession_grow(&m->f, 60 + m->step / 100, 1 + below(m, 5));
	view_tick(m->view, m->now_ns);
	ask(m);
}

/* The screen */

static void assert_sound(const struct monkey *m)
{
	const struct canvas *cv = m->canvas;

	for (int y = 0; y < cv->h; y++) {
		for (int x = 0; x < cv->w; x++) {
			const struct cell *c = canvas_at(cv, x, y);
			const bool right = c->width == 0, wide = c->width == 2;

			if ((right && (x == 0 || canvas_at(cv, x - 1, y)->width != 2)) ||
			    (wide && (x + 1 == cv->w || canvas_at(cv, x + 1, y)->width != 0)) || c->style >= STYLE_NR ||
			    (!right && (c->ch < 0x20 || (c->ch >= 0x7F && c->ch < 0xA0))))
				fail_msg("seed %u, step %u: the cell at %d, %d of %dx%d is %#x, %u wide",
					 m->first_seed, m->step, x, y, cv->w, cv->h, (unsigned int)c->ch, c->width);
		}
	}
}

static void assert_places(const struct monkey *m)
{
	for (enum pane_id p = 0; p < PANES; p++) {
		const struct treeview *tv = m->view->pane[p].tv;

		if (tv->rows.n && (tv->cursor >= tv->rows.n || tv->top >= tv->rows.n))
			fail_msg("seed %u, step %u: pane %d has its cursor at %zu and its top at %zu of "
				 "%zu", m->first_seed, m->step, (int)p, tv->cursor, tv->top, tv->rows.n);
	}
	if (!(m->view->open & 1u << m->view->focus))
		fail_msg("seed %u, step %u: the focus is on a pane that is closed", m->first_seed, m->step);
}

static void resize(struct monkey *m)
{
	const int w = 1 + (int)below(m, below(m, 3) ? 130 : 12), h = 1 + (int)below(m, below(m, 3) ? 50 : 10);

	assert_true(canvas_resize(m->canvas, w, h));
}

static void one_step(struct monkey *m)
{
	switch (below(m, 12)) {
	case 0:
		resize(m);
		break;
	case 1:
	case 2:
		click(m);
		break;
	case 3:
	case 4:
		some_time_passes(m);
		break;
	default:
		press(m);
		ask(m);
	}
	while (m->nr_late && below(m, 4))
		build_one(m);
	view_draw(m->view, m->canvas);
	assert_sound(m);
	assert_places(m);
}

static void say(void *ctx, struct recording_status *ret)
{
	*ret = (struct recording_status){ .state = RECORDING_GOING, .bytes = 12345 };
}

static int record(void *ctx, char *text, size_t size, struct err *e)
{
	return 0;
}

static int attach(void *owner, pid_t pid, uint64_t start_ticks, struct session *ret, struct err *e)
{
	return -1;
}

static void rate(void *ctx, uint32_t hz)
{
}

static void refresh(void *ctx, uint64_t ns)
{
}

static void add_probe(void *ctx, const char *text)
{
}

static void remove_probe(void *ctx, uint32_t probe)
{
}

static bool probe_told(void *ctx, struct session_probe *ret)
{
	return false;
}

static void begin(struct monkey *m, void (*fill)(struct made_session *f), bool live, unsigned int seed)
{
	memset(m, 0, sizeof(*m));
	m->seed = m->first_seed = number_from("SBERF_MONKEY_SEED", seed);
	madesession_init(&m->f);
	fill(&m->f);
	m->f.ended = !live;
	if (live) {
		m->f.session.recording = say;
		m->f.session.record = record;
		m->f.session.attach = attach;
		m->f.session.rate = rate;
		m->f.session.refresh = refresh;
		m->f.session.add_probe = add_probe;
		m->f.session.remove_probe = remove_probe;
		m->f.session.probe_told = probe_told;
	} else {
		m->f.meta.target_state = TARGET_EXITED;
		m->f.session.reset = NULL;
		m->f.session.wakers = NULL;
	}
	m->view = view_new(&m->f.session, &options);
	m->canvas = canvas_new(80, 24, false);
	m->now_ns = MADE_START_NS;
	assert_non_null(m->view);
	assert_non_null(m->canvas);
	view_tick(m->view, m->now_ns);
}

/* The first key that could do something and has not done it; NULL = none. */
static const struct binding *left_out(const struct monkey *m)
{
	size_t n;
	const struct binding *b = keymap(&n);

	for (size_t i = 0; i < n; i++) {
		if (!m->pressed[i] && b[i].modes & ~ELSEWHERE && (b[i].needs & m->could) == b[i].needs)
			return &b[i];
	}
	return NULL;
}

static void end(struct monkey *m)
{
	while (m->nr_late)
		build_job_drop(&m->late[--m->nr_late]);
	view_free(m->view);
	canvas_free(m->canvas);
	madesession_free(&m->f);
}

static void play(void (*fill)(struct made_session *f), bool live, unsigned int seed)
{
	const unsigned int steps = number_from("SBERF_MONKEY_STEPS", STEPS);
	struct monkey m;

	begin(&m, fill, live, seed);
	/*
	 * While there is something to see every key comes to have its turn; some need a mode that
	 * few others lead to.
	 */
	for (m.step = 0; m.step < steps || (live && left_out(&m) && m.step < PATIENCE * steps); m.step++)
		one_step(&m);
	if (live && left_out(&m))
		fail_msg("seed %u: after %u steps nobody has pressed %s (%s) where it is valid", m.first_seed, m.step,
			 left_out(&m)->shown, left_out(&m)->help);
	m.f.ended = true;
	m.f.meta.target_state = TARGET_KILLED;
	m.f.meta.end_code = 9;
	for (unsigned int until = m.step + steps / 4; m.step < until; m.step++)
		one_step(&m);
	end(&m);
}

/* Everything that there is to see. */
static void fill_all(struct made_session *f)
{
	static const char call[] = "call:redis-server:call";
	const uint32_t probe = probes_add(call, strlen(call), UNIT_TIME);

	madesession_off_cpu(f);
	madenuma_session(f, "bb");
	made_calls(&f->m, MADE_START_NS, made_thread(&f->m, 1234, 1234, "redis-server"), "main;call", probe, 900,
		   NSEC_PER_MSEC);
	made_calls(&f->m, MADE_START_NS, made_thread(&f->m, 1234, 1234, "redis-server"), "main;call;fsync", probe, 9,
		   20 * NSEC_PER_MSEC);
	madesession_memory(f);
	madesession_locks(f);
}

static void fill_hostile(struct made_session *f)
{
	madesession_off_cpu(f);
	madesession_hostile(f);
}

static void fill_nothing(struct made_session *f)
{
	f->meta.off_cpu = true;
}

static void live(void **state)
{
	play(fill_all, true, 12);
}

static void live_on_cpu_alone(void **state)
{
	play(madesession_server, false, 2);
}

static void recorded(void **state)
{
	play(fill_all, false, 3);
}

static void hostile(void **state)
{
	play(fill_hostile, false, 4);
}

static void nothing(void **state)
{
	play(fill_nothing, false, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(live),
		cmocka_unit_test(live_on_cpu_alone),
		cmocka_unit_test(recorded),
		cmocka_unit_test(hostile),
		cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
