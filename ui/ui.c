/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ui.c - the loop that ties terminal, view and builder together. It waits in one place, for keys, signals, finished trees,
 * the end, or the time of the next refresh; whatever wakes it, a key is answered before anything else is looked at.
 */
#include "config.h"

#include "ui/feed.h"

#include "base/clock.h"
#include "ui/builder.h"
#include "ui/term.h"
#include "ui/view.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define EAGER_NS (50 * NSEC_PER_MSEC)    /* refresh until the first tree is up */
#define LEAST_REFRESH_NS (100 * NSEC_PER_MSEC)

struct ui {
	const struct ui_options *options;
	struct terminal *term;
	struct builder *builder;
	struct view *view;
	struct canvas *canvas;
	uint64_t next_tick_ns;
	bool dirty, quit;
};

static void redraw_all(struct ui *ui)
{
	int w, h;

	term_size(ui->term, &w, &h);
	if (w != ui->canvas->w || h != ui->canvas->h)
		canvas_resize(ui->canvas, w, h);
	ui->dirty = true;
}

static void react(struct ui *ui, enum reaction r)
{
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
			react(ui, view_key(ui->view, ev.key));
			break;
		case TERM_MOUSE:
			react(ui, view_mouse(ui->view, ev.mouse, ev.x, ev.y));
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

static void tick(struct ui *ui, uint64_t now)
{
	const uint64_t refresh = ui->options->refresh_ns > LEAST_REFRESH_NS ? ui->options->refresh_ns : LEAST_REFRESH_NS;

	if (now < ui->next_tick_ns)
		return;
	view_tick(ui->view, now);
	ui->next_tick_ns = now + (view_has_tree(ui->view) ? refresh : EAGER_NS);
	ui->dirty = true;
}

static void take_tree(struct ui *ui)
{
	struct built *b = builder_take(ui->builder);
	const uint64_t began = clock_mono_ns();

	if (!b)
		return;
	view_give(ui->view, b, began);
	view_spent(ui->view, clock_mono_ns() - began);
	ui->dirty = true;
}

static void ask_tree(struct ui *ui, uint64_t now)
{
	struct build_job job;

	if (view_job(ui->view, now, &job))
		builder_ask(ui->builder, &job);
}

/* Milliseconds until the next refresh, rounded up. */
static int wait_ms(const struct ui *ui)
{
	const uint64_t now = clock_mono_ns();

	return now >= ui->next_tick_ns ? 0 : (int)((ui->next_tick_ns - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC);
}

static int run(struct ui *ui, int quit_fd, struct err *e)
{
	struct pollfd p[] = {
		{ .fd = term_input_fd(ui->term), .events = POLLIN },
		{ .fd = term_signal_fd(ui->term), .events = POLLIN },
		{ .fd = builder_fd(ui->builder), .events = POLLIN },
		{ .fd = quit_fd, .events = POLLIN },     /* poll() leaves out what is negative */
	};

	while (!ui->quit) {
		const uint64_t now = clock_mono_ns();

		tick(ui, now);
		ask_tree(ui, now);
		if (ui->dirty) {
			view_draw(ui->view, ui->canvas);
			term_draw(ui->term, ui->canvas);
			ui->dirty = false;
		}
		if (poll(p, sizeof(p) / sizeof(p[0]), wait_ms(ui)) < 0 && errno != EINTR)
			return err_set(e, errno, "cannot wait for keys: %s", strerror(errno));
		handle_input(ui);
		if (p[2].revents)
			take_tree(ui);
		if (p[3].revents)
			ui->quit = true;
		p[2].revents = p[3].revents = 0;
	}
	return 0;
}

/* By option, or by the environment (https://no-color.org: set and not empty). */
static bool no_color(const struct ui_options *o)
{
	const char *env = getenv("NO_COLOR");

	return o->no_color || (env && *env);
}

int ui_run(const struct feed *feed, const struct ui_options *o, int quit_fd, struct err *e)
{
	const bool utf8 = term_use_locale();
	const struct term_options to = { .title = o->title, .in_fd = STDIN_FILENO, .out_fd = STDOUT_FILENO,
					 .no_color = no_color(o) };
	AUTO(canvas_free) struct canvas *canvas = NULL;
	AUTO(view_free) struct view *view = NULL;
	AUTO(builder_free) struct builder *builder = NULL;
	AUTO(term_close) struct terminal *term = NULL;
	struct ui ui = { .options = o };
	int w, h, r;

	r = term_open(&to, &term, e);
	if (r)
		return r;
	r = builder_new(feed->names, &builder, e);
	if (r)
		return r;
	term_size(term, &w, &h);
	view = view_new(feed, o);
	canvas = canvas_new(w, h, o->ascii || !utf8);
	if (!view || !canvas)
		return err_nomem(e, "the view");
	ui.term = term;
	ui.builder = builder;
	ui.view = view;
	ui.canvas = canvas;
	return run(&ui, quit_fd, e);
}
