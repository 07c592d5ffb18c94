/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewbuild.c - what the panes of a view are built from, and how they take over what was built.
 *
 * When there is news, a *round* begins: all open panes are built from the same snapshot, so that
 * their figures agree. The pane in focus comes first. A pane whose question changed in between does
 * not wait for the next round.
 */
#include "config.h"

#include "ui/view_private.h"

#include <string.h>

#define BUILD_SHARE 20u          /* building may take 1/BUILD_SHARE of the time */

/* What P is to show: it does not depend on what makes no difference to it. */
static struct query viewbuild_question(const struct view *v, enum pane_id p)
{
	struct query q = v->query;

	if (v->pane[p].ops->question)
		v->pane[p].ops->question(&q);
	return q;
}

/* Which frames there are, and what they are called. */
static bool same_frames(const struct query *a, const struct query *b)
{
	return a->hide_kernel == b->hide_kernel && a->hide_libraries == b->hide_libraries &&
	       a->scripts == b->scripts && a->no_inlines == b->no_inlines &&
	       a->fold_recursion == b->fold_recursion && a->short_names == b->short_names;
}

/* What else a query says comes from the command line and never changes. */
static bool same_query(const struct query *a, const struct query *b)
{
	return a->group_by == b->group_by && a->inverted == b->inverted && same_frames(a, b) &&
	       a->measures == b->measures && a->lead == b->lead && a->fold_idle == b->fold_idle &&
	       a->from_ns == b->from_ns && a->to_ns == b->to_ns &&
	       a->by_node == b->by_node && a->holders == b->holders && a->by_span == b->by_span && a->span == b->span &&
	       a->span_where == b->span_where && span_limit_same(&a->span_from, &b->span_from) &&
	       span_limit_same(&a->span_to, &b->span_to) && span_limit_same(&a->span_than_from, &b->span_than_from) &&
	       span_limit_same(&a->span_than_to, &b->span_than_to) && !memcmp(&a->nodes, &b->nodes, sizeof(a->nodes)) &&
	       terms_same(&a->terms, &b->terms);
}

/*
 * The time up to which S knows what is under way; END_NS, that of the figures, where nothing is. They are told at other
 * times.
 */
static uint64_t viewbuild_end_of(const struct snapshot *s, uint64_t end_ns)
{
	struct slice_view last;

	return s && snapshot_last(s, &last) && last.provisional ? last.to_ns : end_ns;
}

/* Of what time S is: from the beginning, or from when all was forgotten, until now. */
static void set_times(const struct view *v, const struct snapshot *s, struct build_job *job)
{
	const struct profile_meta *m = &v->header.meta;

	job->start_ns = m->start_mono_ns;
	job->end_ns = viewbuild_end_of(s, m->start_mono_ns + m->duration_ns);
	if (job->end_ns < job->start_ns)
		job->end_ns = job->start_ns;
	job->from_ns = v->reset_ns > job->start_ns && v->reset_ns < job->end_ns ? v->reset_ns : job->start_ns;
}

/* What was built from the newest data, NULL when nothing was. */
static const struct built *viewbuild_newest(const struct view *v)
{
	const struct built *b = NULL;

	for (enum pane_id p = 0; p < PANES; p++) {
		const struct built *own = v->pane[p].built;

		if (own && (!b || own->job.end_ns > b->job.end_ns))
			b = own;
	}
	return b;
}

/*
 * What is to be looked at, without the question; NULL when there is nothing yet. A paused view
 * stays with what it has.
 */
static struct snapshot *viewbuild_wanted(const struct view *v, struct build_job *job)
{
	const struct built *b = v->header.paused ? viewbuild_newest(v) : NULL;
	struct snapshot *s;

	if (b) {
		*job = b->job;
		return snapshot_ref(b->snapshot);
	}
	s = v->session->snapshot(v->session->ctx);
	set_times(v, s, job);
	job->off_cpu = v->header.meta.off_cpu;
	return s;
}

/* Whether what P shows is what was asked for last, and for as many columns, where that makes a difference. */
static bool same_question(const struct view *v, enum pane_id pane)
{
	const struct pane *p = &v->pane[pane];
	const struct query q = viewbuild_question(v, pane);

	return p->asked && same_query(&q, &p->asked_query) && p->asked_mark_ns == view_baseline_of(v, pane) &&
	       (!p->ops->fits || p->ops->fits(p));
}

static bool has_news(const struct view *v, const struct pane *p, uint64_t published, uint64_t generation)
{
	const bool still = v->header.paused || view_is_held(v, p->id);

	return (published != p->seen_published && !still) || generation != p->seen_generation;
}

static unsigned int viewbuild_building(const struct view *v)
{
	unsigned int panes = 0;

	for (enum pane_id p = 0; p < PANES; p++)
		panes |= v->pane[p].building ? 1u << p : 0;
	return panes;
}

/* Panes that are open but find no room are not built until they do. */
static bool is_wanted(const struct view *v, enum pane_id p)
{
	return view_is_open(v, p) && (v->pane[p].at.h || v->room.h <= 0 || p == v->focus);
}

/* The panes whose question is not the one that they answer. */
static unsigned int viewbuild_changed(const struct view *v)
{
	unsigned int panes = 0;

	for (enum pane_id p = 0; p < PANES; p++)
		panes |= is_wanted(v, p) && !same_question(v, p) ? 1u << p : 0;
	return panes;
}

static unsigned int viewbuild_news(const struct view *v, uint64_t published, uint64_t generation)
{
	unsigned int panes = 0;

	for (enum pane_id p = 0; p < PANES; p++)
		panes |= is_wanted(v, p) && has_news(v, &v->pane[p], published, generation) ? 1u << p : 0;
	return panes;
}

/* The one of PANES to begin with, PANES when there is none. */
static enum pane_id first_of(const struct view *v, unsigned int panes)
{
	if (panes & 1u << v->focus)
		return v->focus;
	return panes ? (enum pane_id)__builtin_ctz(panes) : PANES;
}

static void end_round(struct view *v)
{
	v->todo = 0;
	snapshot_unref(v->round.snapshot);
	v->round.snapshot = NULL;
}

/*
 * What P is to be built from: what its round is about, or, outside of one, the newest there is.
 * False when that is nothing.
 */
static bool viewbuild_take_snapshot(struct view *v, struct build_job *job)
{
	if (v->round.snapshot) {
		*job = v->round;
		job->snapshot = snapshot_ref(v->round.snapshot);
	} else {
		job->snapshot = viewbuild_wanted(v, job);
	}
	return job->snapshot;
}

bool view_job(struct view *v, uint64_t now_ns, struct build_job *ret)
{
	const uint64_t published = v->session->published(v->session->ctx),
		generation = names_generation(v->session->names);
	struct build_job job = { 0 };
	unsigned int due = viewbuild_changed(v);
	struct pane *p;

	v->todo &= v->open;
	if (!due && !v->todo && !viewbuild_building(v) && now_ns >= v->next_build_ns &&
	    viewbuild_news(v, published, generation)) {
		v->todo = viewbuild_news(v, published, generation);
		v->round.snapshot = viewbuild_wanted(v, &v->round);
	}
	due = due ? due : v->todo;
	if (!due || !viewbuild_take_snapshot(v, &job)) {
		end_round(v);
		return false;
	}
	job.what = first_of(v, due);
	view_hold(v, &job);
	p = &v->pane[job.what];
	v->todo &= ~(1u << job.what);
	if (!v->todo)
		end_round(v);
	job.query = viewbuild_question(v, job.what);
	job.width = p->asked_w = p->at.w;
	job.meta = v->header.meta;
	job.filtered = view_time_is_filtered(v);
	job.ended = v->session->ended(v->session->ctx);
	job.live = v->session->numa && !job.ended;
	if (!v->header.paused)           /* else there is news as soon as it goes on */
		p->seen_published = published;
	p->seen_generation = generation;
	p->asked_query = job.query;
	p->asked_mark_ns = view_baseline_of(v, job.what);
	job.mark = view_baseline_job(v, job.what);
	p->asked = p->building = true;
	*ret = job;
	return true;
}

static struct tree_look look_of(const struct build_job *job)
{
	return (struct tree_look){ .kinds = title_columns(&job->query, job->off_cpu),
				   .set = measure_set(job->query.measures ? job->query.measures : MEASURES_WALL,
						      job->query.lead),
				   .elapsed_ns = build_elapsed_ns(job) };
}

/* Whether the user has begun to look around in what the question is about. */
static bool is_touched(const struct view *v)
{
	for (enum pane_id p = 0; p < PANES; p++) {
		const struct treeview *tv = v->pane[p].tv;

		if (pane_is(&v->pane[p], PANE_CALL_TREE) && (treeview_lists_own(tv) ? !tv->at_first : tv->touched))
			return true;
	}
	return false;
}

/*
 * Idle waits are better than nothing, but not than anything else, as long as the user has not said which to show.
 * Inside of a call nothing is idle (query_only_inside()).
 */
static void choose_idle(struct view *v, const struct tree *t)
{
	const bool only_idle = t->idle_ns && t->idle_ns >= t->node[0].total_ns;
	const bool fold = !only_idle && !query_only_inside(&t->query);

	if (v->idle == IDLE_AUTO && fold != t->query.fold_idle && (!fold || !is_touched(v)))
		v->query.fold_idle = fold;
}

/* Keys that came while the pane they were meant for was being built. */
static void type_ahead(struct view *v)
{
	const unsigned int n = v->nr_typed;

	v->nr_typed = 0;
	for (unsigned int i = 0; i < n; i++)
		view_key(v, v->typed[i]);
}

/* What the header tells of B: levels of all the time that it knows, and who may be standing still. */
static void show_in_header(struct view *v, const struct built *b)
{
	if (view_is_held(v, b->job.what))
		return;
	v->header.history = b->history;
	v->header.frames = b->frames;
	v->header.standstill = b->standstill;
}

void view_show(struct view *v, struct built *b)
{
	struct pane *p = &v->pane[b->job.what];
	struct treeview *tv = pane_lines_for(p, &b->job.query);

	if (tv != p->tv) {
		treeview_show(p->tv, NULL);
		treeview_set_height(tv, p->tv->height);
		p->tv = tv;
	}
	tv->base = b->baseline;
	if (p->ops->shows)
		p->ops->shows(tv, b);
	treeview_show_model(tv, b->model, built_shown(b));
	show_in_header(v, b);
	p->look = look_of(&b->job);
	search_forget(&v->search);
	built_free(p->built);
	p->built = b;
	v->begun = true;
	if (pane_is(p, PANE_CALL_TREE))
		choose_idle(v, b->tree);
	if (p->ops->shown)
		p->ops->shown(v);
	if (p == view_here(v))
		type_ahead(v);
}

void view_drop(struct view *v, enum pane_id pane)
{
	struct pane *p = &v->pane[pane];

	treeview_show(p->tv, NULL);
	search_forget(&v->search);
	built_free(take_ptr(p->built));
	p->asked = false;
}

void view_give(struct view *v, struct built *b, uint64_t now_ns)
{
	const bool failed = b && !shown_any(built_shown(b));
	struct query q;
	struct pane *p;

	if (!b) {
		for (enum pane_id i = 0; i < PANES; i++)
			v->pane[i].building = false;     /* which one it was is not known */
		v->nr_typed = 0;
		view_say(v, "not enough memory for the call tree");
		return;
	}
	p = &v->pane[b->job.what];
	p->building = false;
	if (failed && p == view_here(v))
		v->nr_typed = 0;
	v->took_ns += b->took_ns;
	v->next_build_ns = now_ns + v->took_ns * (BUILD_SHARE - 1);
	if (!viewbuild_building(v))
		v->took_ns = 0;
	q = viewbuild_question(v, b->job.what);
	if (failed || !same_query(&b->job.query, &q) || b->job.mark.mark_ns != view_baseline_of(v, b->job.what) ||
	    !view_is_open(v, b->job.what)) {
		if (failed)
			view_say(v, b->err.text);
		built_free(b);
		return;
	}
	if (v->over == MODE_SEARCH && !v->annot.view.shown && p == view_here(v)) {
		built_free(v->parked);
		v->parked = b;
		return;
	}
	view_show(v, b);
}

void view_spent(struct view *v, uint64_t spent_ns)
{
	v->next_build_ns += spent_ns * BUILD_SHARE;
}
