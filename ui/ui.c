/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ui.c - the loop that ties terminal, view and builder together. It waits in one place, for keys,
 * signals, finished trees, the end, or the time of the next refresh; whatever wakes it, a key is
 * answered before anything else is looked at.
 */
#include "config.h"

#include "ui/ui.h"

#include "base/clock.h"
#include "base/locale.h"
#include "base/thread.h"
#include "ui/remember.h"
#include "ui/saver.h"
#include "ui/scanner.h"
#include "ui/term.h"
#include "ui/view_session.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EAGER_NS (50 * NSEC_PER_MSEC)    /* refresh until the first tree is up */
#define NEWS_NS (20 * NSEC_PER_MSEC)     /* between looks for what came of a probe that was asked for */
#define LEAST_REFRESH_NS (100 * NSEC_PER_MSEC)

struct ui {
	const struct ui_options *options;
	struct terminal *term;
	struct view_session *stage;             /* what is shown, */
	struct view *view;               /* and its view */
	struct saver *saver;
	struct scanner *scanner;         /* NULL as long as nobody wanted a list of processes */
	bool scanning;
	struct canvas *canvas;
	uint64_t next_tick_ns;
	bool dirty, quit;
	char remember[PATH_MAX];         /* where it is kept which panes are open; "" = nowhere */
	struct remembered before;        /* those that were open at first */
};

static void redraw_all(struct ui *ui)
{
	int w, h;

	term_size(ui->term, &w, &h);
	if (w != ui->canvas->w || h != ui->canvas->h)
		canvas_resize(ui->canvas, w, h);
	ui->dirty = true;
}

/* Has what waits for a disk or the kernel done elsewhere; take_saved() says what came of it. */
static void ui_save(struct ui *ui, enum reaction r)
{
	struct save_job job = { .as = r == REACT_ATTACH ? SAVE_ATTACH : SAVE_RECORD };
	struct err e = ERR_INIT;

	job.pid = view_picked(ui->view, &job.start_ticks);
	if (r == REACT_SAVE)
		view_save_job(ui->view, &job);
	if (saver_ask(ui->saver, &job, &e) < 0)
		view_say(ui->view, e.text);
	else if (r == REACT_SAVE)
		view_say(ui->view, "saving ...");
}

/* What the user should know of what SESSION shows. */
static void ui_say_note(struct view *v, const struct session *session)
{
	if (session->note && *session->note)
		view_say(v, session->note);
}

/*
 * Goes on with another session, in the same panes; what was shown before is left elsewhere, since
 * that takes its time.
 */
static void ui_follow(struct ui *ui, struct session *fresh)
{
	struct save_job job = { .as = SAVE_LEAVE, .stage = ui->stage };
	struct err e = ERR_INIT;
	struct view_session *stage;
	char text[ERR_TEXT_MAX];

	if (view_session_new(fresh, ui->options, &stage, &e) < 0) {
		view_say(ui->view, e.text);
		fresh->leave(fresh->owner, text, sizeof(text));
		saver_use(ui->saver, &ui->stage->session);
		return;
	}
	view_take_over(stage->view, ui->view);
	ui->stage = stage;
	ui->view = stage->view;
	ui_say_note(ui->view, fresh);
	ui->next_tick_ns = 0;
	saver_ask(ui->saver, &job, &e);
	saver_use(ui->saver, &stage->session);
}

static void take_saved(struct ui *ui)
{
	char text[2 * ERR_TEXT_MAX];
	struct session fresh;

	if (!saver_take(ui->saver, text, sizeof(text)))
		return;
	if (text[0])
		view_say(ui->view, text);
	if (saver_fresh(ui->saver, &fresh))
		ui_follow(ui, &fresh);
	ui->dirty = true;
}

/* Lists of processes are read as long as one is looked at. */
static void ui_scan(struct ui *ui)
{
	const bool wanted = view_is_picking(ui->view);
	struct err e = ERR_INIT;

	if (wanted && !ui->scanner && scanner_new("/proc", &ui->scanner, &e) < 0)
		view_say(ui->view, e.text);
	if (ui->scanner && wanted != ui->scanning)
		scanner_go(ui->scanner, wanted ? view_refresh_ns(ui->view) : 0);
	ui->scanning = ui->scanner && wanted;
}

static void take_list(struct ui *ui)
{
	struct proclist *l = NULL;
	struct err e = ERR_INIT;

	if (!scanner_take(ui->scanner, &l, &e))
		return;
	if (l)
		view_give_list(ui->view, l);
	else
		view_say(ui->view, e.text);
	ui->dirty = true;
}

static void ui_react(struct ui *ui, enum reaction r)
{
	if (r == REACT_SAVE || r == REACT_RECORD || r == REACT_ATTACH)
		ui_save(ui, r);
	if (r == REACT_QUIT)
		ui->quit = true;
	if (r == REACT_REDRAW)
		term_forget(ui->term);
	if (r != REACT_NONE)
		ui->dirty = true;
}

static void handle_input(struct ui *ui)
{
	struct term_event ev;

	for (;;) {
		term_next(ui->term, &ev);
		switch (ev.type) {
		case TERM_NONE:
			return;
		case TERM_KEY:
			ui_react(ui, view_key(ui->view, ev.key));
			break;
		case TERM_MOUSE:
			ui_react(ui, view_mouse(ui->view, ev.mouse, ev.x, ev.y));
			break;
		case TERM_REDRAW:
			redraw_all(ui);
			break;
		case TERM_QUIT:
		case TERM_LOST:
			ui->quit = true;
			return;
		}
		if (ui->quit)
			return;
	}
}

static void ui_tick(struct ui *ui, uint64_t now)
{
	const uint64_t wanted = view_refresh_ns(ui->view), refresh = wanted > LEAST_REFRESH_NS ? wanted :
		LEAST_REFRESH_NS;

	if (now < ui->next_tick_ns)
		return;
	view_tick(ui->view, now);
	ui->next_tick_ns = now + (view_has_tree(ui->view) || ui->stage->session.none ? refresh : EAGER_NS);
	ui->dirty = true;
}

static void take_built(struct ui *ui)
{
	struct built *b;

	while (builder_take(ui->stage->builder, &b)) {
		const uint64_t began = clock_mono_ns();

		view_give(ui->view, b, began);
		view_spent(ui->view, clock_mono_ns() - began);
		ui->dirty = true;
	}
}

static void take_annotated(struct ui *ui)
{
	struct annot_answer answer;

	if (annotator_take(ui->stage->annotator, &answer))
		view_annot_give(ui->view, &answer, clock_mono_ns());
	ui->dirty = true;
}

static void ui_ask(struct ui *ui, uint64_t now)
{
	struct build_job job[PANES];
	struct annot_job code;
	size_t n = 0;

	if (view_annot_job(ui->view, now, &code))
		annotator_ask(ui->stage->annotator, &code);
	while (n < PANES && view_job(ui->view, now, &job[n]))
		n++;
	if (n)
		builder_ask(ui->stage->builder, job, n);
}

/* Milliseconds until the next refresh, rounded up. */
static int wait_ms(const struct ui *ui)
{
	const uint64_t now = clock_mono_ns();

	const uint64_t soon = now + NEWS_NS;
	const uint64_t next = view_probe_expects(ui->view, now) && soon < ui->next_tick_ns ? soon : ui->next_tick_ns;

	return now >= next ? 0 : (int)((next - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC);
}

static int ui_run_loop(struct ui *ui, int quit_fd, struct err *e)
{
	/* Behind the threads that build, which a view has by now: they compute, and take their turns as they come. */
	thread_run_first();
	while (!ui->quit) {
		const uint64_t now = clock_mono_ns();
		struct pollfd p[] = {
			{ .fd = term_input_fd(ui->term), .events = POLLIN },
			{ .fd = term_signal_fd(ui->term), .events = POLLIN },
			{ .fd = builder_fd(ui->stage->builder), .events = POLLIN },
			{ .fd = quit_fd, .events = POLLIN },     /* poll() leaves out what is negative */
			{ .fd = saver_fd(ui->saver), .events = POLLIN },
			{ .fd = -1, .events = POLLIN },
			{ .fd = annotator_fd(ui->stage->annotator), .events = POLLIN },
		};

		ui_tick(ui, now);
		ui->dirty |= view_probe_news(ui->view);
		ui_ask(ui, now);
		ui_scan(ui);
		p[5].fd = ui->scanner ? scanner_fd(ui->scanner) : -1;
		if (ui->dirty) {
			view_draw(ui->view, ui->canvas);
			term_draw(ui->term, ui->canvas);
			ui->dirty = false;
		}
		if (poll(p, sizeof(p) / sizeof(p[0]), wait_ms(ui)) < 0 && errno != EINTR)
			return err_set(e, errno, "cannot wait for keys: %s", strerror(errno));
		handle_input(ui);
		if (p[2].revents)
			take_built(ui);
		if (p[3].revents)
			ui->quit = true;
		if (p[4].revents)
			take_saved(ui);
		if (p[5].revents)
			take_list(ui);
		if (p[6].revents)
			take_annotated(ui);
	}
	return 0;
}

/* Opens the panes of the last time; what cannot be read is said, and changes nothing. */
static void ui_restore(struct ui *ui)
{
	struct remembered what;
	struct err e = ERR_INIT;
	int r;

	if (!remember_path(ui->remember, sizeof(ui->remember)))
		ui->remember[0] = '\0';
	r = ui->remember[0] ? remember_read(ui->remember, &what, &e) : -ENOENT;
	if (!r)
		view_restore(ui->view, &what);
	else if (r != -ENOENT)
		view_say(ui->view, e.text);
	ui->before = view_panes(ui->view);
}

/* Nobody asked for it, so nobody is told when it cannot be kept. */
static void ui_remember(const struct ui *ui)
{
	const struct remembered now = view_panes(ui->view);
	struct err e = ERR_INIT;

	if (ui->remember[0] && !remembered_same(&now, &ui->before))
		remember_write(ui->remember, &now, &e);
}

/* By option, or by the environment (https://no-color.org: set and not empty). */
static bool no_color(const struct ui_options *o)
{
	const char *env = getenv("NO_COLOR");

	return o->no_color || (env && *env);
}

/* What is said when the terminal is as it was before. */
static void ui_say_left(void *ctx, const char *sentence)
{
	const struct ui *ui = ctx;

	fprintf(stderr, "%s: %s\n", ui->options->title ? ui->options->title : "sberf", sentence);
}

/* Says at once what is being begun, and begins it. */
static int ui_start(const struct ui_options *o, struct session *session, struct terminal *term, struct canvas *cv,
		    struct err *e)
{
	if (!o->start)
		return 0;
	if (*o->starting) {
		canvas_text_cut(cv, 1, 0, cv->w - 2, STYLE_TITLE, o->starting, strlen(o->starting));
		term_draw(term, cv);
	}
	return o->start(o->start_ctx, session, e);
}

int ui_run(struct session *session, const struct ui_options *o, int quit_fd, struct err *e)
{
	const bool utf8 = locale_use();
	const struct term_options to = { .title = o->title, .in_fd = STDIN_FILENO, .out_fd = STDOUT_FILENO,
					 .no_color = no_color(o), .otherwise = o->otherwise,
					 .dark = style_on_dark(getenv("SBERF_THEME"), getenv("COLORFGBG"),
							       getenv("TERM")) };
	AUTO(canvas_free) struct canvas *canvas = NULL;
	AUTO(term_close) struct terminal *term = NULL;
	struct ui ui = { .options = o };
	int w, h, r;

	r = term_open(&to, &term, e);
	if (r)
		return r;
	term_size(term, &w, &h);
	canvas = canvas_new(w, h, o->ascii || !utf8);
	if (!canvas)
		return err_nomem(e, "the view");
	r = ui_start(o, session, term, canvas, e);
	if (r < 0)
		return r;
	r = view_session_new(session, o, &ui.stage, e);
	if (!r)
		r = saver_new(&ui.stage->session, &ui.saver, e);
	if (r) {
		view_session_free(ui.stage);
		return r;
	}
	ui.term = term;
	ui.view = ui.stage->view;
	ui.canvas = canvas;
	ui_restore(&ui);
	ui_say_note(ui.view, session);
	r = ui_run_loop(&ui, quit_fd, e);
	ui_remember(&ui);
	term_close(take_ptr(term));
	scanner_free(ui.scanner);
	saver_end(ui.saver, ui_say_left, &ui);   /* it may be writing files or leaving a former target, for seconds */
	*session = ui.stage->session;
	view_session_free(ui.stage);
	return r;
}
