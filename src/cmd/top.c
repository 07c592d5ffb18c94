/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * top.c - `sberf top`: the live view.
 *
 * A command that `top` started has no terminal of its own; it is asked to end (SIGTERM) when the view is left.
 */
#include "config.h"

#include "cmd/feed.h"
#include "cmd/filter.h"
#include "cmd/options.h"
#include "cmd/session.h"

#include <signal.h>

static void end_command(const struct session *s)
{
	struct profile_meta m;

	if (!s->child.pid)
		return;
	engine_status(s->engine, &m);
	if (m.target_state == TARGET_EXITED || m.target_state == TARGET_KILLED)
		return;
	kill(s->child.pid, SIGTERM);
}

static int run(struct session *s, const struct options *o, const struct query *filter, struct err *e)
{
	const struct ui_options ui = {
		.refresh_ns = o->refresh_ns, .ascii = o->ascii, .no_color = o->no_color, .title = "sberf top",
		.filter = *filter, .min_block_ns = o->min_block_ns,
	};
	const struct feed feed = feed_from_engine(s->engine);
	int r = session_start(s, e);

	if (r < 0)
		return r;
	r = ui_run(&feed, &ui, -1, e);
	end_command(s);
	return r < 0 ? r : engine_result(s->engine, e);
}

int cmd_top(const struct options *o, struct err *e)
{
	struct session s = SESSION_INIT;
	struct query filter;
	int r = filter_query(o, NULL, &filter, e);

	if (r < 0)
		return r;
	s.config.refresh_ns = o->refresh_ns;
	r = session_open(&s, o, true, e);
	if (!r)
		r = run(&s, o, &filter, e);
	session_close(&s);
	return session_exit(&s, r);
}
