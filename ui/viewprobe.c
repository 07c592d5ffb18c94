/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewprobe.c - probes that are added while the view runs (key A), and taken off. Placing one may take
 * the kernel a second, so it is only asked for here; what came of it is looked for until it is known.
 * What cannot be placed stays in the prompt, with a sentence.
 */
#include "config.h"

#include "ui/view_private.h"

#include "base/clock.h"
#include "base/strtab.h"
#include "base/text.h"
#include "base/units.h"
#include "model/probes.h"
#include "ui/text_builder.h"

#include <stdio.h>
#include <string.h>

#define NEWS_NS (10 * NSEC_PER_SEC)      /* so long answers are looked for often after something was asked for */

static void viewprobe_expect(struct view *v)
{
	v->news_until_ns = v->now_ns + view_refresh_ns(v) + NEWS_NS;
}

/* What stands behind the last colon of TEXT that something follows; of a condition its last word. */
static const char *viewprobe_last(const char *text)
{
	const char *between = strchr(text, ' ') ? " /(&|=<>!+-*" : ":", *at = text + strlen(text);

	at -= at > text;
	while (at > text && !strchr(between, at[-1]))
		at--;
	return at;
}

/* As many of the ways of F as fit, or what is known of the only one. */
static void viewprobe_hint(struct view *v, const struct completions *f)
{
	struct text_builder w = text_builder_in(v->probe_hint, sizeof(v->probe_hint));
	char text[UNITS_MAX], clean[3 * COMPLETION_TEXT_MAX];

	if (f->all == 1) {
		if (f->at[0].cost_ns)
			text_builder_put(&w, "%s a hit", units_time(text, f->at[0].cost_ns));
		text_sanitise(clean, sizeof(clean), f->at[0].args, strlen(f->at[0].args));
		text_builder_put(&w, "%s%s", w.n && *clean ? TEXT_BUILDER_DOT : "", clean);
		return;
	}
	text_builder_put(&w, "%u:", f->all);
	for (uint32_t i = 0; i < f->n && w.n + COMPLETION_TEXT_MAX / 4 < sizeof(v->probe_hint); i++) {
		const char *last = viewprobe_last(f->at[i].text);

		text_sanitise(clean, sizeof(clean), last, strlen(last));
		text_builder_put(&w, " %.60s", clean);
	}
}

static void viewprobe_complete(struct view *v)
{
	struct prompt *p = &v->probe;

	p->suggested = false;
	if (v->completer)
		return;
	v->completer = completer_ask(v->session, p->text);
	viewprobe_expect(v);
}

/* Takes what was found, if it is still about what stands there. */
static bool viewprobe_take_found(struct view *v)
{
	const char *typed;
	const struct completions *f = v->completer ? completer_found(v->completer, &typed) : NULL;

	if (!f)
		return false;
	if (v->over == MODE_PROBE && !strcmp(typed, v->probe.text)) {
		if (f->all) {
			prompt_set(&v->probe, f->common);
			viewprobe_hint(v, f);
		} else {
			text_format(v->prompt_error, sizeof(v->prompt_error), "%s", f->why.text);
		}
	}
	completer_free(take_ptr(v->completer));
	return true;
}

/* NAME as a probe can have it: what else means something there stands for anything. */
static void viewprobe_name(char *dst, size_t size, const char *name)
{
	size_t n = 0;

	for (; *name && n + 1 < size; name++) {
		const bool plain = !strchr(" /<>(),&*?[]{}~!\"'", *name);

		if (plain || !n || dst[n - 1] != '*')
			dst[n++] = plain ? *name : '*';
	}
	dst[n] = '\0';
}

/* The probe of the function NAME of the kernel: of the entry of a system call that of the call. */
static void viewprobe_kernel(char *dst, size_t size, const char *name)
{
	static const char *const entries[] = { "__x64_sys_", "__arm64_sys_", "__do_sys_", "__se_sys_" };

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		const size_t len = strlen(entries[i]);

		if (!strncmp(name, entries[i], len)) {
			snprintf(dst, size, "sys:%s", name + len);
			return;
		}
	}
	snprintf(dst, size, "kprobe:%s", name);
}

/* A probe of the function under the cursor into DST; "" when there is none. */
static void viewprobe_suggest(const struct view *v, char *dst, size_t size)
{
	const struct pane *p = &v->pane[v->focus];
	const uint32_t node = p->built ? treeview_node(p->tv) : NODE_NONE;
	const frame_id place = node == NODE_NONE ? ID_NONE : treeview_place(p->tv, node);
	const struct tree *t = p->tv->tree;
	const struct frame *f;
	const struct module *m;
	const char *path;
	char name[PROMPT_MAX / 2];
	func_id func;

	*dst = '\0';
	if (place == ID_NONE)
		return;
	func = p->tv->list ? p->tv->list->row[node].func : t->node[node].func;
	if ((p->tv->list ? p->tv->list->row[node].kind : t->node[node].kind) != NODE_FUNC)
		return;
	f = dict_get_frame(snapshot_dict(p->built->snapshot), place);
	m = f ? dict_get_module(snapshot_dict(p->built->snapshot), f->module) : NULL;
	if (!m)
		return;
	viewprobe_name(name, sizeof(name), names_text(v->session->names, names_func(v->session->names, func)->name));
	if (m->kind == MODULE_KERNEL) {
		viewprobe_kernel(dst, size, name);
	} else if (m->kind == MODULE_FILE) {
		path = strtab_get(dict_strings(snapshot_dict(p->built->snapshot)), module_shown_path(m));
		path = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
		if (!strpbrk(path, ": "))
			snprintf(dst, size, "call:%s:%s", path, name);
	}
}

void view_probe_begin(struct view *v)
{
	char text[PROMPT_MAX];

	viewprobe_suggest(v, text, sizeof(text));
	prompt_begin(&v->probe, text);
	v->probe_hint[0] = '\0';
	v->prompt_error[0] = '\0';
	v->over = MODE_PROBE;
}

static void viewprobe_accept(struct view *v)
{
	struct prompt *p = &v->probe;

	if (v->placing)
		return;
	if (!p->text[strspn(p->text, " ")]) {
		v->over = 0;
		return;
	}
	p->suggested = false;
	v->placing = true;
	viewprobe_expect(v);
	v->session->add_probe(v->session->ctx, p->text);
}

/* Its column stands beside the others, as long as there is room for it. False when there is none. */
static bool viewprobe_add_column(struct view *v, uint32_t probe)
{
	const measure_mask now = v->query.measures ? v->query.measures : MEASURES_WALL;
	const measure_mask next = now | MEASURE_BIT(probes_measure_id(probe));

	if (!measures_fit(next))
		return false;
	v->query.measures = next;
	return true;
}

/* Where the return of a function cannot be probed, its entry can: Enter confirms that. */
static void viewprobe_offer_entry(struct view *v)
{
	char text[PROMPT_MAX];

	if (strncmp(v->probe.text, "call:", 5) || !strstr(v->prompt_error, "uprobe:"))
		return;
	snprintf(text, sizeof(text), "uprobe:%s", v->probe.text + 5);
	prompt_set(&v->probe, text);
}

static void viewprobe_take(struct view *v, const struct session_probe *told)
{
	const bool waited = v->placing && (told->added || told->probe == PROBE_NONE);

	if (waited)
		v->placing = false;
	if (told->probe == PROBE_NONE && waited && v->over == MODE_PROBE) {
		text_format(v->prompt_error, sizeof(v->prompt_error), "%s", told->text);
		viewprobe_offer_entry(v);
		return;
	}
	if (waited && v->over == MODE_PROBE) {
		prompt_enter(&v->probe);
		v->over = 0;
	}
	text_format(v->message, sizeof(v->message), "%s", told->text);
	if (told->added && !viewprobe_add_column(v, told->probe))
		text_format(v->message + strlen(v->message), sizeof(v->message) - strlen(v->message),
			    "; the tree has no room for its column");
}

bool view_probe_news(struct view *v)
{
	struct session_probe told;
	bool any = viewprobe_take_found(v);

	while (v->session->probe_told && v->session->probe_told(v->session->ctx, &told)) {
		viewprobe_take(v, &told);
		any = true;
	}
	return any;
}

bool view_probe_expects(const struct view *v, uint64_t now_ns)
{
	return now_ns < v->news_until_ns;
}

void view_probe_turn(struct view *v, uint32_t probe)
{
	const struct measure *m = probes_measure(probe);

	if (!m)
		return;
	viewprobe_expect(v);
	if (probes_is_off(probe))
		v->session->add_probe(v->session->ctx, m->name);
	else
		v->session->remove_probe(v->session->ctx, probe);
}

enum reaction view_probe_key(struct view *v, uint32_t key)
{
	const enum action a = keymap_action(key, MODE_PROBE, view_can(v));
	struct prompt *p = &v->probe;

	switch (a) {
	case ACT_ACCEPT:
		v->prompt_error[0] = '\0';
		viewprobe_accept(v);
		return REACT_DRAW;
	case ACT_CANCEL:
		v->over = 0;
		v->placing = false;
		break;
	case ACT_COMPLETE:
		viewprobe_complete(v);
		break;
	default:
		/* A suggestion is there to be gone on with: a condition may follow. */
		p->suggested &= a != ACT_ERASE && key != ' ';
		if (!view_prompt_key(p, a, key))
			return REACT_NONE;
		break;
	}
	v->prompt_error[0] = v->probe_hint[0] = '\0';
	return REACT_DRAW;
}
