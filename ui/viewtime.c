/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewtime.c - the range of time that a user chose, to which all panes are limited except those
 * that show all of time.
 *
 * A range belongs to the snapshot that it was chosen in, which stays: what is shown of it does not
 * change as the store merges what is old. The pane that it was chosen in goes on.
 */
#include "config.h"

#include "ui/view_private.h"

#include <stdio.h>

bool view_is_held(const struct view *v, enum pane_id p)
{
	return v->range.snapshot && !pane_is(&v->pane[p], PANE_ALL_TIME);
}

bool view_hold(const struct view *v, struct build_job *job)
{
	struct build_job held = v->range;

	if (!view_is_held(v, job->what))
		return false;
	held.snapshot = snapshot_ref(held.snapshot);
	held.what = job->what;
	snapshot_unref(job->snapshot);
	*job = held;
	return true;
}

/* The question is about FROM_NS to TO_NS from now on; 0, 0: as the command line says. */
static void viewtime_ask_for(struct view *v, uint64_t from_ns, uint64_t to_ns)
{
	const struct query *all = &v->options->filter;

	v->query.from_ns = to_ns ? from_ns : all->from_ns;
	v->query.to_ns = to_ns ? to_ns : all->to_ns;
}

void view_all_time(struct view *v)
{
	snapshot_unref(take_ptr(v->range.snapshot));
	v->header.range[0] = '\0';
	viewtime_ask_for(v, 0, 0);
}

void view_choose_time(struct view *v, const struct built *b, uint64_t from_ns, uint64_t to_ns, const char *name)
{
	view_all_time(v);
	v->range = b->job;
	v->range.snapshot = snapshot_ref(b->snapshot);
	viewtime_ask_for(v, from_ns, to_ns);
	snprintf(v->header.range, sizeof(v->header.range), "%s", name);
	v->range_behind = v->query.terms.n;
}

/* Something that the strip does not know of is left out elsewhere. */
static bool viewtime_is_filtered(const struct view *v)
{
	return v->query.terms.n || !nodeset_empty(&v->query.nodes);
}

bool view_time_is_filtered(const struct view *v)
{
	return viewtime_is_filtered(v) || v->query.states || v->query.nr_calls;
}
