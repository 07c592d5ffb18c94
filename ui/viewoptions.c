/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewoptions.c - key o and what it leads to: which frames are shown, under which names, in which
 * groups.
 */
#include "config.h"

#include "ui/menu.h"
#include "ui/text_builder.h"
#include "ui/view_private.h"

#include <string.h>

void view_options_begin(struct view *v)
{
	v->over = MODE_OPTIONS;
}

enum reaction view_options_key(struct view *v, uint32_t key)
{
	const enum action a = keymap_action(key, MODE_OPTIONS, view_can(v));

	if (a == ACT_NONE)
		return REACT_NONE;
	v->over = 0;
	v->message[0] = '\0';
	return a == ACT_CANCEL ? REACT_DRAW : view_act(v, a);
}

/* What is on or off, in the order in which it is asked for. */
static const struct option {
	enum action action;
	const char *name, *state[3];     /* in the question; NULL = it is not asked for there */
	const char *said[3];             /* when it has changed; both when it is false, true, or so many */
} options[] = {
	{ ACT_INVERT, NULL, { NULL }, { "callees under each function", "inverted: callers under each function" } },
	{ ACT_HOLDERS, NULL, { NULL }, { "waits for locks as they are", "below waits for locks: what holders did" } },
	{ ACT_BY_NODE, NULL, { NULL }, { "all nodes together", "split by the node of the CPU" } },
	{ ACT_KERNEL, "kernel", { "on", "off" },
	  { "kernel frames are shown", "kernel frames are hidden, their time goes to who called" } },
	{ ACT_LIBRARIES, "libs", { "on", "off" },
	  { "frames of libraries are shown", "frames of libraries are hidden, their time goes to who called" } },
	{ ACT_SCRIPTS, "python", { "both", "only", "native" },
	  { "frames of Python are shown between native ones", "frames of Python alone are shown",
	    "native frames alone are shown, those of Python's interpreter with them" } },
	{ ACT_RECURSION, "fold", { "off", "on" },
	  { "calls of a function by itself are shown",
	    "functions that call themselves are folded: each is there once" } },
	{ ACT_INLINED, "inlined", { "on", "off" },
	  { "inlined functions are shown", "inlined functions are hidden, their time goes to what they are part of" } },
	{ ACT_NAMES, "names", { "full", "short" },
	  { "names are shown in full", "names are short: without parameters and template arguments" } },
};

#define NR_OPTIONS (sizeof(options) / sizeof(options[0]))

static const struct option *option_of(enum action a)
{
	for (size_t i = 0; i < NR_OPTIONS; i++) {
		if (options[i].action == a)
			return &options[i];
	}
	return NULL;
}

/* What A turns in Q, of those that are on or off; NULL = nothing. */
static bool *switch_of(struct query *q, enum action a)
{
	switch (a) {
	case ACT_INVERT:
		return &q->inverted;
	case ACT_BY_NODE:
		return &q->by_node;
	case ACT_HOLDERS:
		return &q->holders;
	case ACT_KERNEL:
		return &q->hide_kernel;
	case ACT_LIBRARIES:
		return &q->hide_libraries;
	case ACT_RECURSION:
		return &q->fold_recursion;
	case ACT_INLINED:
		return &q->no_inlines;
	case ACT_NAMES:
		return &q->short_names;
	default:
		return NULL;
	}
}

/* How the option O stands in Q: which of its states. */
static unsigned int option_now(const struct option *o, struct query *q)
{
	return o->action == ACT_SCRIPTS ? q->scripts : *switch_of(q, o->action);
}

/* "on", "short": how A stands in V; "" when there is no such option. */
static const char *state_of(const struct view *v, enum action a)
{
	struct query q = v->query;
	const struct option *o = option_of(a);

	return o && o->name ? o->state[option_now(o, &q)] : "";
}

bool view_option_is_on(const struct view *v, enum action a)
{
	const char *state = state_of(v, a);

	return !strcmp(state, "on") || !strcmp(state, "full") || !strcmp(state, "both");
}

static bool is_on(const void *ctx, enum action a)
{
	return view_option_is_on(ctx, a);
}

char *view_options_prompt(const struct view *v, int cols, bool keys, char *dst, size_t size)
{
	const char *begin[MENU_FORMS] = { "change which option?", "options:", "options:", "o" };
	char full[128];
	struct text_builder w = text_builder_in(full, sizeof(full));

	text_builder_put(&w, "%s ", begin[MENU_FULL]);
	for (size_t i = 0; i < NR_OPTIONS; i++) {
		if (options[i].name && (options[i].action != ACT_SCRIPTS || view_can(v) & CAN_SCRIPTS))
			text_builder_put(&w, "%s %s %s", i && options[i - 1].name ? "," : "", options[i].name,
				  state_of(v, options[i].action));
	}
	if (!keys)                       /* else the choices follow */
		begin[MENU_FULL] = full;
	return menu_prompt(MODE_OPTIONS, view_can(v), keys, begin, is_on, v, cols, dst, size);
}

static void viewoptions_turn(struct view *v, enum action a)
{
	const struct option *o = option_of(a);
	bool *on = switch_of(&v->query, a);

	if (!o || (!on && a != ACT_SCRIPTS))
		return;
	if (on)
		*on = !*on;
	else
		v->query.scripts = v->query.scripts == SCRIPTS_NATIVE ? SCRIPTS_MERGED : v->query.scripts + 1;
	view_say(v, o->said[option_now(o, &v->query)]);
}

void view_change_question(struct view *v, enum action a)
{
	static const char *const groups[] = { "all roots together", "roots by process", "roots by executable",
					      "roots by command name", "roots by thread", "roots by cgroup",
					      "roots by container", "roots by host" };

	if (a != ACT_GROUP) {
		viewoptions_turn(v, a);
		return;
	}
	v->query.group_by = v->query.group_by == GROUP_HOST ? GROUP_NONE : v->query.group_by + 1;
	/* In what was merged the names of several stand side by side (record/metasum.h). */
	if (v->query.group_by == GROUP_HOST && !strstr(v->header.meta.host, "; "))
		v->query.group_by = GROUP_NONE;
	view_say(v, groups[v->query.group_by]);
}

/* What Q leaves out and how it calls things: a mask of 1 << enum remembered_option. */
static unsigned int options_of(const struct query *q)
{
	unsigned int mask = 0;

#define X(id, name, member) mask |= q->member ? 1u << REMEMBERED_##id : 0u;
	REMEMBERED_OPTIONS(X)
#undef X
	return mask;
}

void view_restore(struct view *v, const struct remembered *what)
{
	struct query *q = &v->query;

	v->open = what->open;
	v->focus = what->focus;
	v->restored = what->options;
	pane_sort(&v->pane[PANE_HOME], what->sort);
	if (what->group)
		q->group_by = (enum group_by)(what->group - 1);
#define X(id, name, member) q->member |= (what->options >> REMEMBERED_##id & 1) != 0;
	REMEMBERED_OPTIONS(X)
#undef X
}

struct remembered view_panes(const struct view *v)
{
	const unsigned int now = options_of(&v->query), given = options_of(&v->options->filter);

	return (struct remembered){
		.open = v->open, .focus = v->focus, .sort = v->pane[PANE_HOME].lines[0].sort,
		/* Hosts are a matter of one recording. */
		.group = v->query.group_by == GROUP_PROCESS || v->query.group_by == GROUP_HOST ? 0 :
			(unsigned int)v->query.group_by + 1,
		/* What the command line asks for is for this time. */
		.options = (now & ~given) | (v->restored & given & now),
	};
}
