/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * top.c - `sberf top`: the live view.
 *
 * A command that `top` started has no terminal; it is asked to end (SIGTERM) when the view is left.
 * Signals that end sberf must not keep that from happening. The view catches them only while it has
 * the terminal, and closing the terminal right after `q` sends one later. So the handlers here end
 * the view whether it has started, runs, or has ended.
 */
#include "config.h"

#include "base/text.h"
#include "cmd/batch.h"
#include "cmd/filter_options.h"
#include "cmd/options.h"
#include "cmd/record_split.h"
#include "cmd/signals.h"
#include "cmd/top_targets.h"
#include "engine/guard.h"
#include "session/recording_text.h"
#include "ui/ui.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const int ending[] = { SIGINT, SIGTERM, SIGHUP };
#define NR_ENDING (sizeof(ending) / sizeof(ending[0]))

/* Readable once a signal has come that ends the view. */
struct end_signals {
	int pipe[2];
	struct sigaction old[NR_ENDING];
};

static int end_fd = -1;                  /* for the handler */

static void on_end(int sig)
{
	const int saved = errno;

	if (write(end_fd, "", 1) < 0)
		errno = saved;           /* full: it has been told */
}

/* Catches them; whoever wants one ignored (nohup) has it so. */
static int catch_end(struct end_signals *es, struct err *e)
{
	const struct sigaction act = { .sa_handler = on_end, .sa_flags = SA_RESTART };

	if (pipe2(es->pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		return err_set(e, errno, "cannot make a pipe for signals: %s", strerror(errno));
	end_fd = es->pipe[1];
	for (size_t i = 0; i < NR_ENDING; i++) {
		sigaction(ending[i], NULL, &es->old[i]);
		if (es->old[i].sa_handler != SIG_IGN)
			sigaction(ending[i], &act, NULL);
	}
	return 0;
}

static void release_end(struct end_signals *es)
{
	for (size_t i = 0; i < NR_ENDING; i++)
		sigaction(ending[i], &es->old[i], NULL);
	close(es->pipe[0]);
	close(es->pipe[1]);
}

/* Who has the flight recorder; for the handler. */
static struct targets *keeping;

static void on_save(int sig)
{
	const int saved = errno;
	struct engine *en = atomic_load(&keeping->keeper);

	if (en)
		engine_save(en);
	errno = saved;
}

/* SIGUSR2 does what key R does. Without a flight recorder it is not for us. */
static void catch_save(struct targets *t)
{
	const struct sigaction act = { .sa_handler = on_save, .sa_flags = SA_RESTART };

	keeping = t;
	sigaction(SIGUSR2, &act, NULL);
	signals_keep_usr2(false);
}

/*
 * Ends what is still being recorded, and says where it is. Whoever watched has seen most names; the
 * others are waited for for a while. The view has its last news told by then, or not at all.
 */
static int top_end(struct capture *c, struct err *e)
{
	char text[RECORDING_TEXT_MAX];
	struct profile_meta m;

	capture_end_recording(c, text, sizeof(text));
	if (text[0])
		fprintf(stderr, "sberf top: %s\n", text);
	if (!c->s.engine)
		return 0;
	launch_end_command(&c->s);
	engine_status(c->s.engine, &m);
	split_say("top", &m);
	return engine_result(c->s.engine, e);
}

/* Begins the capture that is shown first. */
static int top_begin(void *ctx, struct session *ret, struct err *e)
{
	struct capture *c = ctx;
	const int r = capture_start(c, e);

	if (r < 0)
		return r;
	if (c->all->o->keep_ns)
		catch_save(c->all);
	*ret = capture_session(c);
	return 0;
}

/* What the screen says while that is going on. */
static char *top_starting(const struct capture *c, char *dst, size_t size)
{
	if (c->names)            /* a list to pick from is there at once */
		*dst = '\0';
	else
		text_format(dst, size, "%s %s ...", c->s.child.pid ? "starting" : "attaching to", c->s.target_text);
	return dst;
}

/* C is given back as what was looked at last. */
static int top_show(struct capture **c, const struct query *filter, int quit_fd, struct err *e)
{
	struct targets *t = (*c)->all;
	const struct options *o = t->o;
	char starting[sizeof((*c)->s.target_text) + 32];
	const struct ui_options ui = {
		.refresh_ns = o->refresh_ns, .ascii = o->ascii, .no_color = o->no_color, .title = "sberf top",
		.filter = *filter, .min_block_ns = o->min_block_ns,
		.otherwise = "sberf top -b needs no terminal, and prints text",
		.start = top_begin, .start_ctx = *c, .starting = top_starting(*c, starting, sizeof(starting)),
	};
	struct session session = { 0 };
	int r = ui_run(&session, &ui, quit_fd, e), ended;

	if (!t->newest)          /* nothing has begun */
		return r;
	*c = session.owner;
	ended = top_end(*c, r < 0 ? NULL : e);
	if (o->keep_ns)
		signals_keep_usr2(true);         /* nobody has anything to write any more */
	if (t->command)
		guard_end(t->command);
	return r < 0 ? r : ended;
}

static int top_run(struct capture **c, const struct query *filter, struct err *e)
{
	struct end_signals es;
	int r;

	if (!(*c)->s.child.pid)
		return top_show(c, filter, -1, e);
	r = catch_end(&es, e);
	if (r < 0)
		return r;
	r = top_show(c, filter, es.pipe[0], e);
	release_end(&es);
	return r;
}

int cmd_top(const struct options *o, struct err *e)
{
	struct targets t = { .o = o };
	AUTO(capture_free) struct capture *c = NULL;
	struct query filter;
	int status = 0, r = filter_options_query(o, NULL, &filter, e);

	if (r < 0)
		return r;
	if (o->batch)
		return batch_run(o, &filter, e);
	filter_options_as_terms(o, &filter);
	if (o->keep_ns)
		signals_keep_usr2(true);
	r = capture_open(&t, o, &c, &status, e);
	if (!r) {
		r = top_run(&c, &filter, e);
		status = c->s.status;
	}
	return r < 0 && status ? status : r;
}
