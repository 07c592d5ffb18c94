/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view_private.h - the state of a view, shared by view.c (its life, and where keys go), viewact.c
 * (the effect of keys), viewsearch.c, viewpanes.c (open panes and their places), viewbuild.c
 * (content) and viewdraw.c (looks).
 */
#ifndef SBERF_UI_VIEW_PRIVATE_H
#define SBERF_UI_VIEW_PRIVATE_H

#include "ui/annotator.h"
#include "ui/annotpane.h"
#include "ui/completer.h"
#include "ui/header.h"
#include "ui/panes/pane.h"
#include "ui/picker.h"
#include "ui/prompt.h"
#include "ui/search.h"
#include "ui/title.h"
#include "ui/treeview.h"
#include "ui/view.h"

#define TYPED_MAX 32u
#define SPOTS 32u
#define VIEW_WHEEL_ROWS 3

enum idle_mode {
	IDLE_AUTO,               /* not chosen: hidden as soon as there is anything else */
	IDLE_SAID,               /* as the user said */
};

/* A part of the footer that can be clicked. */
struct spot {
	int x, cols;
	uint32_t key;
};

/* The code of a function, over the panes while view.shown. */
struct annotating {
	struct annotview view;
	struct query query;              /* that of the pane from which it was asked for */
	unsigned int kinds;              /* what time that is: title_kinds() */
	size_t origin;                   /* the row that the search began on */
	bool building;
	uint64_t seen_published, next_ns;
};

struct view {
	const struct session *session;
	const struct ui_options *options;
	struct header header;
	bool is_file;                    /* all data were there from the beginning */
	enum ui_mode over;               /* MODE_SEARCH, MODE_HELP, ..., 0 = keys go to the pane in focus */
	struct query query;              /* what the user wants to see */
	char arch[32];                   /* what query.arch points at, once known */
	enum idle_mode idle;
	uint32_t given_terms;            /* of query.terms: the first ones, which the command line gave */
	bool wakers;                     /* who ends waits is told */
	bool sampled;                    /* the session was asked to sample accesses and faults */
	/* when the user last had all forgotten, on the clock of the capture; 0 = never */
	uint64_t reset_ns;

	struct pane pane[PANES];
	unsigned int open;               /* panes: a mask, never 0 */
	unsigned int restored;           /* options that view_restore() said: a mask of 1 << enum remembered_option */
	enum pane_id focus;                 /* one of them */
	bool alone;                      /* the one in focus has the whole screen */
	struct baseline_mark mark;       /* what comes is compared with what was then; no snapshot = it is not */
	struct build_job range;          /* what a range of time was chosen in; no snapshot = none was */
	uint32_t range_behind;           /* how many filters there were then */
	/* the question is about memory since the pane of that led to the tree; what it counted before, and its lead */
	bool about_memory;
	measure_mask measures_before;
	uint8_t lead_before;
	uint64_t sought;                 /* the function that the tree is to go to when it is there; 0 = none */
	struct built *parked;            /* for the pane in focus, newer: it waits for the search to end */

	bool begun;                      /* something was shown; until then keys wait for nothing */
	struct build_job round;          /* what all panes are about to be built from; no snapshot = no round */
	unsigned int todo;               /* panes of the round that have not been asked for */
	uint64_t took_ns;                /* what those took that have been built since nothing was being built */
	uint64_t next_build_ns;
	uint64_t now_ns, first_tick_ns;

	uint32_t typed[TYPED_MAX];       /* keys for a pane that has been asked for and is not there yet */
	unsigned int nr_typed;

	struct search search;            /* in the pane in focus */
	uint32_t origin;                 /* the node that the search began on, */
	uint32_t origin_line;            /* and the first one of its line */
	size_t origin_top;
	bool origin_first;

	uint64_t refresh_ns;
	uint32_t asked_hz;               /* the rate that was asked for last; 0 = none was */

	struct picker picker;            /* processes to pick from */
	bool picking;                    /* it stands in place of the panes */
	pid_t pick_pid;                  /* what was picked last, */
	uint64_t pick_start;             /* and its start_ticks */
	struct annotating annot;

	struct prompt prompt;            /* of a filter, with MODE_FILTER; what was typed stays */
	char prompt_error[ERR_TEXT_MAX]; /* what is wrong with it, "" = nothing that is known */
	struct prompt probe;             /* the same of a probe, with MODE_PROBE */
	bool placing;                    /* what was typed there is being placed */
	uint32_t span_probe;             /* with MODE_SPAN and MODE_LENGTH: whose calls it is about */
	struct prompt length;            /* how long these took, with MODE_LENGTH */
	bool span_given;                 /* query.span comes from the command line */
	uint32_t span_behind;            /* how many filters there were when it was chosen, */
	measure_mask span_measures;      /* and what was counted, if that was no time; 0 */
	uint8_t span_lead;
	struct completer *completer;     /* in which ways it can go on is being looked up; NULL */
	char probe_hint[256];            /* some of these ways, or what is known of the only one; "" */
	uint64_t news_until_ns;          /* news of probes are looked for often until then */
	uint32_t changes;                /* the number, from 1, of the filter that it takes the place of; 0 = none */
	uint32_t filters_at;             /* with MODE_FILTERS: the line of view_filters_count() under the cursor */

	char message[2 * ERR_TEXT_MAX];  /* in the status line until the next key */
	const struct exporter *save_as;  /* what was chosen last */
	int help_top;
	struct rect room;                /* of the last view_draw(): where panes stand, */
	struct spot spot[SPOTS];         /* and what can be clicked in its footer */
	unsigned int nr_spots;
	int footer;                      /* the row of that */
	bool rules;                      /* of the same: there is room for rules */
	VEC(frame_id) preferred;         /* what the session was told */
};

/* The pane in focus. */
static inline struct pane *view_here(struct view *v)
{
	return &v->pane[v->focus];
}

/* True while P is open. */
static inline bool view_is_open(const struct view *v, enum pane_id p)
{
	return v->open & 1u << p;
}

/* Which keys are valid when nothing is asked or searched for. */
static inline enum ui_mode view_base_mode(const struct view *v)
{
	return v->annot.view.shown ? MODE_ANNOTATE : pane_info(v->focus)->mode;
}

/* What help is about: the keys of what it covers. */
static inline enum ui_mode view_help_mode(const struct view *v)
{
	return v->picking ? MODE_PICK : view_base_mode(v);
}

/* Which keys are valid. */
static inline enum ui_mode view_mode(const struct view *v)
{
	return v->over ? v->over : view_base_mode(v);
}

/* What the source of data can do now: a mask of enum ui_can. */
unsigned int view_can(const struct view *v);

/* True when P has idle waits, which are folded into a line of their own. */
bool view_has_idle(const struct pane *p);

/* Panes (viewpanes.c) */

/* Shows P beside the others, and puts it in focus. */
void view_open(struct view *v, enum pane_id p);
/* Closes P; the last one makes room for the tree. False when it is the tree alone. */
bool view_close(struct view *v, enum pane_id p);
/* Opens P, closes it, or, when it is open but finds no room, brings it to the front. False when it is the last one. */
bool view_toggle(struct view *v, enum pane_id p);
/* The view by node was opened: asks the session to sample accesses and page faults from now on, where it can. */
void view_begin_sampling(struct view *v);
/* Puts P, which is open, in focus. */
void view_focus(struct view *v, enum pane_id p);
/* The open pane that is BY steps after the one in focus, round the ends; BY is 1 or -1. */
enum pane_id view_neighbour(const struct view *v, int by);
/* Places the open panes in v->room. */
void view_place(struct view *v);
/* The pane at (X, Y) of the canvas, PANES = none. */
enum pane_id view_pane_at(const struct view *v, int x, int y);
/* Lines of P below its rule. */
int view_lines(const struct pane *p);
/* How many of them, the last ones, are for idle waits: 0 or 1. */
int view_idle_lines(const struct pane *p);
/* How many open panes are not on screen. */
unsigned int view_hidden(const struct view *v);

/* KEY does nothing here: says where it does something (viewnokey.c). */
enum reaction view_no_key(struct view *v, uint32_t key);

/* What keys do (viewact.c) */

enum reaction view_act(struct view *v, enum action a);
/* Opens the call tree, and puts its cursor where the function that is known by KEY (func_key()) takes most. */
void view_show_in_tree(struct view *v, uint64_t key);
/*
 * All panes count memory until a key shows time again, unless they do: what grew and was returned (GROWN), or what is
 * in use and was allocated, this first when ALLOCATED.
 */
void view_count_memory(struct view *v, bool grown, bool allocated);
/* Sorts the pane in focus, which has such a column, and says so. */
void view_sort(struct view *v, enum sort_by sort);

/* The range of time that was chosen (viewtime.c) */

/* Shows in all panes only the time from FROM_NS to TO_NS of B's snapshot; NAME is what the header calls it. */
void view_choose_time(struct view *v, const struct built *b, uint64_t from_ns, uint64_t to_ns, const char *name);
/* Shows all time again. */
void view_all_time(struct view *v);
/* True when P shows a range of time, and so does not change with new data. */
bool view_is_held(const struct view *v, enum pane_id p);
/* If that is true of the pane JOB->what, sets the rest of JOB to what it is built from; else false. */
bool view_hold(const struct view *v, struct build_job *job);
/* True when filters leave out more than kinds of time. */
bool view_time_is_filtered(const struct view *v);
/* Shows the keys that are valid. */
void view_help_begin(struct view *v);

/* The baseline (viewbaseline.c) */

/*
 * Marks the baseline: what comes is compared with what was until now, or with the chosen range of
 * time. False when that is not possible; a message then says why.
 */
bool view_baseline_mark(struct view *v);
/* Ends the comparison; false when there is none. */
bool view_baseline_end(struct view *v);
/* When the mark that P is compared with was set, 0 = there is none; the mark, with a reference for the caller. */
uint64_t view_baseline_of(const struct view *v, enum pane_id p);
struct baseline_mark view_baseline_job(const struct view *v, enum pane_id p);
/* The figures are those of now. */
void view_baseline_tick(struct view *v);

/* Searching (viewsearch.c) */

void view_search_begin(struct view *v);
/* Goes to the next match, or the one before. */
void view_search_step(struct view *v, enum search_step step);
/* Counts again how often the text is found in what the pane in focus shows now. */
void view_search_recount(struct view *v);
/* A key while the text is typed. */
enum reaction view_search_key(struct view *v, uint32_t key);

/* Rate and refresh (viewpace.c) */

/* Does A if it changes the rate or the refresh; false when it does not. */
bool view_pace_act(struct view *v, enum action a);

/* Picking a process (viewpick.c) */

/* Key P: shows the list in place of the panes. Keys and the mouse, at row Y, while it does. */
void view_pick_begin(struct view *v);
enum reaction view_pick_key(struct view *v, uint32_t key);
enum reaction view_pick_mouse(struct view *v, enum mouse what, int y);

/* The code of a function (viewannot.c) */

/* Key a: shows the code of the function under the cursor, or says why there is none. */
void view_annot_begin(struct view *v);
/* A key while it is shown; the same while a search in it is typed; the mouse at row Y. */
enum reaction view_annot_act(struct view *v, enum action a);
enum reaction view_annot_search_key(struct view *v, uint32_t key);
enum reaction view_annot_mouse(struct view *v, enum mouse what, int y);
/* Draws it in place of the panes; its status line at row Y. */
void view_annot_draw(struct view *v, struct canvas *cv);
void view_annot_status(const struct view *v, struct canvas *cv, int y);

/* Filters (viewfilter.c) */

/* Takes note of what the command line gave. */
void view_filter_init(struct view *v);
/* Tells the header what is filtered now. */
void view_filter_changed(struct view *v);
/* Key f: asks for a filter, and suggests what is under the cursor. Keys while it is typed. */
void view_filter_begin(struct view *v);
enum reaction view_filter_key(struct view *v, uint32_t key);
/* Edits P by KEY, which does A there. False when it does nothing. */
bool view_prompt_key(struct prompt *p, enum action a, uint32_t key);
/* Key F: shows the filters that are active. Keys while they are shown. */
void view_filters_begin(struct view *v);
/* Is what is inside, or outside, of calls a filter? */
bool view_filter_has_span(const struct view *v);
/* Lines of that list: all terms, and behind them that. */
uint32_t view_filters_count(const struct view *v);
enum reaction view_filters_key(struct view *v, uint32_t key);
/*
 * Removes the latest filter that the command line did not give, or the range of time when that was
 * chosen later. False when there is neither.
 */
bool view_filter_back(struct view *v);
/*
 * Shows only the thread or node ID (WHAT says which it is), in place of one that was picked before.
 * When ID is the one that is shown already, shows all again. True in the first case.
 */
bool view_filter_pick(struct view *v, enum term_what what, unsigned int id);
/* T as it is typed, sanitised. Returns DST. */
char *view_filter_label(const struct filter_term *t, char *dst, size_t size);
/*
 * The prompt at row Y (viewfilterdraw.c), with what is wrong in its place when ERRORS; that alone,
 * false when nothing is.
 */
void view_filter_draw(const struct view *v, struct canvas *cv, int y, bool errors);
bool view_filter_draw_error(const struct view *v, struct canvas *cv, int y);
/* The list of filters; CV has nothing else. */
void view_filters_draw(const struct view *v, struct canvas *cv);

/* Probes while the view runs (viewprobe.c) */

/* Key A: asks for a probe, and suggests one of the function under the cursor. Keys while it is typed. */
void view_probe_begin(struct view *v);
enum reaction view_probe_key(struct view *v, uint32_t key);
/* Takes PROBE off, or puts it back. */
void view_probe_turn(struct view *v, uint32_t probe);

/* Time in the calls of a probe (viewspan.c) */

/* Key I: asks what of it is to be shown. Keys while that is asked for, and while a length is typed. */
void view_span_begin(struct view *v);
enum reaction view_span_key(struct view *v, uint32_t key);
enum reaction view_length_key(struct view *v, uint32_t key);
/* Shows what is inside and outside of calls again. False when that is shown. */
bool view_span_end(struct view *v);
/* The question, as view_save_prompt() puts it. Returns DST. True for a choice that is on. */
char *view_span_prompt(const struct view *v, int cols, bool keys, char *dst, size_t size);
bool view_span_is_on(const struct view *v, enum action a);

/* Saving (viewsave.c) */

/* Key S: asks what to save as. Keys while that is asked for. */
void view_save_begin(struct view *v);
enum reaction view_save_key(struct view *v, uint32_t key);
/* The question, in words, as fully as fits into COLS columns: with the letters when KEYS. Returns DST. */
char *view_save_prompt(const struct view *v, int cols, bool keys, char *dst, size_t size);

/* Options (viewoptions.c) */

/* Key o: asks what to change. Keys while that is asked for: what is chosen is done as if it had a key of its own. */
void view_options_begin(struct view *v);
enum reaction view_options_key(struct view *v, uint32_t key);
/* The question, as view_save_prompt() puts it. Returns DST. */
char *view_options_prompt(const struct view *v, int cols, bool keys, char *dst, size_t size);
/* True for an option that is on: of names, in full. */
bool view_option_is_on(const struct view *v, enum action a);
/* Another grouping, or which frames there are and what they are called: what ACT_GROUP, ACT_KERNEL and the like do. */
void view_change_question(struct view *v, enum action a);

/* What is shown (viewbuild.c) */

/* Shows B in its pane, and handles the keys that waited for it. B is the view's from now on. */
void view_show(struct view *v, struct built *b);
/* P shows nothing any more. */
void view_drop(struct view *v, enum pane_id p);

#endif
