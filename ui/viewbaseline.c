/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewbaseline.c - key b: the tree and the list of functions show how what comes differs from what
 * was. The snapshot of that moment stays as long as the mark does, so what was before does not
 * change as the store merges what is old.
 */
#include "config.h"

#include "ui/view_private.h"

#include "query/spandiff.h"

bool view_baseline_end(struct view *v)
{
	if (!v->mark.snapshot)
		return false;
	snapshot_unref(take_ptr(v->mark.snapshot));
	v->mark.mark_ns = 0;
	v->header.baseline = false;
	return true;
}

/* Where S ends, without what is not settled yet: that will be told again. */
static uint64_t viewbaseline_settled(const struct snapshot *s, uint64_t end_ns)
{
	struct slice_view last;

	return snapshot_last(s, &last) && last.provisional && last.from_ns < end_ns ? last.from_ns : end_ns;
}

bool view_baseline_mark(struct view *v)
{
	const struct profile_meta *m = &v->header.meta;
	const uint64_t now_ns = m->start_mono_ns + m->duration_ns;
	struct baseline_mark mark = { .mark_ns = now_ns, .from_ns = v->query.from_ns, .to_ns = v->query.to_ns };
	const bool range = v->range.snapshot;

	if (v->session->ended(v->session->ctx)) {
		view_say(v, "nothing comes that could be compared; sberf diff compares two recordings");
		return false;
	}
	if (span_is_compared(&v->query)) {
		view_say(v, "slow calls are compared with others already: Esc ends that");
		return false;
	}
	if (v->header.paused) {
		view_say(v, "the view is paused, nothing was marked: press p first");
		return false;
	}
	mark.snapshot = range ? snapshot_ref(v->range.snapshot) : v->session->snapshot(v->session->ctx);
	if (!mark.snapshot)
		return false;
	if (!range) {
		mark.from_ns = v->reset_ns > m->start_mono_ns ? v->reset_ns : m->start_mono_ns;
		mark.to_ns = viewbaseline_settled(mark.snapshot, now_ns);
	}
	if (mark.to_ns <= mark.from_ns) {
		snapshot_unref(mark.snapshot);
		view_say(v, "there is nothing to compare with yet");
		return false;
	}
	view_baseline_end(v);
	v->mark = mark;
	v->header.baseline = true;
	v->header.baseline_ns = 0;
	return true;
}

uint64_t view_baseline_of(const struct view *v, enum pane_id p)
{
	return v->pane[p].ops->compare ? v->mark.mark_ns : 0;
}

struct baseline_mark view_baseline_job(const struct view *v, enum pane_id p)
{
	struct baseline_mark m = { 0 };

	if (!view_baseline_of(v, p))
		return m;
	m = v->mark;
	m.snapshot = snapshot_ref(m.snapshot);
	return m;
}

void view_baseline_tick(struct view *v)
{
	const uint64_t now_ns = v->header.meta.start_mono_ns + v->header.meta.duration_ns;

	v->header.baseline_ns = v->mark.snapshot && now_ns > v->mark.mark_ns ? now_ns - v->mark.mark_ns : 0;
}
