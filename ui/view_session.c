/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view_session.c - starts and ends a session together with its view, its builder and its annotator.
 */
#include "config.h"

#include "ui/view_session.h"

#include <stdlib.h>

int view_session_new(const struct session *session, const struct ui_options *o,
		     struct view_session **ret, struct err *e)
{
	AUTO(view_session_free) struct view_session *st = calloc(1, sizeof(*st));
	int r;

	if (!st)
		return err_nomem(e, "the view");
	st->session = *session;
	r = builder_new(st->session.names, &st->builder, e);
	if (!r)
		r = annotator_new(&st->session.code, st->session.names, &st->annotator, e);
	if (r)
		return r;
	st->view = view_new(&st->session, o);
	if (!st->view)
		return err_nomem(e, "the view");
	*ret = take_ptr(st);
	return 0;
}

void view_session_free(struct view_session *st)
{
	if (!st)
		return;
	annotator_free(st->annotator);
	builder_free(st->builder);       /* it reads what the view's questions point at */
	view_free(st->view);
	free(st);
}

void view_session_leave(struct view_session *st, char *text, size_t size)
{
	const struct session session = st->session;

	view_session_free(st);
	if (session.leave)
		session.leave(session.owner, text, size);
}
