/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fxmarkers.c - writes the waits of a Firefox profile as markers, that is, as intervals of time.
 * fxmarkers.h says which waits get one.
 */
#include "config.h"

#include "export/fxmarkers.h"

#include "base/order.h"
#include "base/text.h"
#include "query/label.h"
#include "query/locks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MARKER_TYPE "wait"
#define PHASE_INTERVAL 1

json_t *fx_marker_schema(void)
{
	static const char *const fields[][2] = {
		{ "part", "Part of the wait" }, { "state", "State" }, { "class", "Waited for" },
		  { "waker", "Woken by" }, { "lock", "Lock" }, { "holder", "Held by" },
	};
	json_t *list = json_array(), *schema;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:b}", "key", fields[i][0], "label",
							  fields[i][1], "format", "string", "searchable", 1))) {
			json_decref(list);
			return NULL;
		}
	schema = json_pack("{s:s, s:s, s:s, s:s, s:[s, s], s:o}", "name", MARKER_TYPE, "tooltipLabel",
			   "{marker.name}: {marker.data.part}",
			   "tableLabel", "{marker.data.part}, {marker.data.state}", "chartLabel",
			   "{marker.data.class}", "display", "marker-chart", "marker-table", "data", list);
	return schema;
}

bool fx_markers_add(struct fx_markers *m, const struct event *ev, enum fx_category category)
{
	const uint64_t length_ns = ev->wait.own_ns < ev->weight ? ev->wait.own_ns : ev->weight;
	struct fx_marker *to;

	if (!EVENT_IS_WAIT(ev->kind) || !length_ns || length_ns > ev->time_ns)
		return true;
	to = vec_push(&m->v);
	if (!to)
		return false;
	*to = (struct fx_marker){
		.start_ns = ev->time_ns - length_ns, .end_ns = ev->time_ns, .thread = ev->thread,
			.waker = ev->wait.waker, .lock = ev->wait.lock,
		.stack = ev->stack, .call = ev->wait.call, .kind = ev->kind, .state = ev->wait.state,
		.context = ev->wait.context, .category = (uint8_t)category,
	};
	return true;
}

void fx_markers_free(struct fx_markers *m)
{
	vec_free(&m->v);
	vec_free(&m->turns);
}

static int fxmarkers_compare(const void *va, const void *vb)
{
	const struct fx_marker *a = va, *b = vb;

	if (a->thread != b->thread)
		return compare_numbers(a->thread, b->thread);
	if (a->start_ns != b->start_ns)
		return compare_numbers(a->start_ns, b->start_ns);
	if (a->end_ns != b->end_ns)
		return compare_numbers(a->end_ns, b->end_ns);
	return compare_numbers(a->stack, b->stack);
}

static bool fxmarkers_goes_on(const struct fx_marker *a, const struct fx_marker *b)
{
	return a->thread == b->thread && a->end_ns == b->start_ns && a->kind == b->kind && a->call == b->call &&
	       a->state == b->state && a->stack == b->stack && a->category == b->category;
}

/* Notes for MARKER, the last one that has turns, that its lock was held for the time of PIECE as that says. */
static void fxmarkers_add_turn(struct fx_markers *m, struct fx_marker *marker, const struct fx_marker *piece)
{
	struct fx_turn *turn = piece->lock && piece->kind == EVENT_BLOCKED ? vec_push(&m->turns) : NULL;

	if (!turn)
		return;
	*turn = (struct fx_turn){ .lock = piece->lock, .ns = piece->end_ns - piece->start_ns };
	if (!marker->nr_turns++)
		marker->first_turn = (uint32_t)(m->turns.n - 1);
}

void fx_markers_sort(struct fx_markers *m)
{
	size_t n = 0;

	if (m->v.n)
		qsort(m->v.v, m->v.n, sizeof(*m->v.v), fxmarkers_compare);
	for (size_t i = 0; i < m->v.n; i++) {
		struct fx_marker *last = n ? &m->v.v[n - 1] : NULL;
		const struct fx_marker next = m->v.v[i];

		if (!last || !fxmarkers_goes_on(last, &next)) {
			m->v.v[n++] = next;
			fxmarkers_add_turn(m, &m->v.v[n - 1], &next);
			continue;
		}
		fxmarkers_add_turn(m, last, &next);
		last->lock = last->lock ? last->lock : next.lock;
		last->end_ns = next.end_ns;      /* who ended it is told by the last piece */
		last->waker = next.waker;
		last->context = next.context;
	}
	m->v.n = n;
}

static void set_waker(struct jsonout *j, json_t *data, const struct dict *d, const struct fx_marker *m)
{
	char name[LABEL_MAX];

	if (m->context == WAKER_UNKNOWN)
		return;
	if (m->context == WAKER_TASK && m->waker == ID_NONE)
		return;
	if (m->context == WAKER_TASK)
		label_thread(d, dict_get_thread(d, m->waker), name, sizeof(name));
	jsonout_set(j, data, "waker", m->context == WAKER_TASK ? json_string(name) :
		    json_string(waker_context_name(m->context)));
}

static int fxmarkers_compare_held(const void *va, const void *vb)
{
	const struct fx_turn *a = va, *b = vb;

	return compare_numbers(b->ns, a->ns);
}

/*
 * Who held the lock of M: its lock of each turn is replaced by a holder, turns of one holder are added up and sorted by
 * time. Returns how many there are; those of which nobody is known are left out.
 */
static uint32_t fxmarkers_held(const struct fx_tables *t, const struct fx_marker *m, struct fx_turn *held)
{
	const enum lock_kind kind = locks_wait_kind(t->reader->d, t->reader->names, NULL, m->stack, m->lock);
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->nr_turns; i++) {
		const struct fx_turn turn = { .lock = locks_told_holder(t->reader->d, held[i].lock, kind),
					      .ns = held[i].ns };
		uint32_t at = 0;

		if (turn.lock == ID_NONE)
			continue;
		while (at != n && held[at].lock != turn.lock)
			at++;
		if (at != n)
			held[at].ns += turn.ns;
		else
			held[n++] = turn;
	}
	if (n)
		qsort(held, n, sizeof(*held), fxmarkers_compare_held);
	return n;
}

#define HELD_TEXT (2 * LABEL_MAX)        /* bytes of the names of those who held one lock during one wait */

/* "worker 12", or "worker 12 (60.0 %), worker 13 (40.0 %)" of the wait M. */
static void fxmarkers_put_held(const struct fx_tables *t, const struct fx_marker *m, const struct fx_turn *held,
			       uint32_t n, char *dst)
{
	const uint64_t length_ns = m->end_ns - m->start_ns;
	size_t at = 0;

	for (uint32_t i = 0; i < n && at < HELD_TEXT - LABEL_MAX; i++) {
		const double percent = length_ns ? 100.0 * (double)held[i].ns / (double)length_ns : 100;
		char name[LABEL_MAX];

		label_thread(t->reader->d, dict_get_thread(t->reader->d, held[i].lock), name, sizeof(name));
		text_format(dst + at, HELD_TEXT - at, n > 1 || percent < 99.95 ? "%s%s (%.1f %%)" : "%s%s",
			    i ? ", " : "", name, percent);
		at += strlen(dst + at);
	}
}

/* Which lock it waited for, and who held it meanwhile. */
static void set_lock(struct jsonout *j, json_t *data, const struct fx_markers *list, const struct fx_tables *t,
		     const struct fx_marker *m)
{
	const struct dict *d = t->reader->d;
	const struct held_lock *l = m->lock ? dict_get_lock(d, m->lock) : NULL;
	struct fx_turn *held = list->turns.v + m->first_turn;
	char name[LABEL_MAX], names[HELD_TEXT];
	uint32_t n;

	if (!l || m->kind != EVENT_BLOCKED || !m->nr_turns)
		return;
	lock_place_label(d, t->reader->names, l->place, l->offset, name, sizeof(name));
	jsonout_set(j, data, "lock", *name ? json_sprintf("%s (0x%" PRIx64 ")", name, l->address) :
		    json_sprintf("0x%" PRIx64, l->address));
	n = fxmarkers_held(t, m, held);
	if (!n)
		return;
	fxmarkers_put_held(t, m, held, n, names);
	jsonout_set(j, data, "holder", json_string(names));
}

/* The stack that it waited in, as the viewer shows beside a marker: false when out of memory. */
static bool set_stack(struct jsonout *j, json_t *data, struct fx_tables *t, const struct fx_marker *m)
{
	uint32_t row;

	if (!fx_stack(t, m->stack, m->category, &row))
		return false;
	jsonout_set(j, data, "cause", json_pack("{s:I}", "stack", (json_int_t)row));
	return true;
}

static bool put_data(struct jsonout *j, const struct fx_markers *list, struct fx_tables *t, const struct fx_marker *m,
		     const char *arch)
{
	json_t *data = json_pack("{s:s, s:s, s:s, s:s}", "type", MARKER_TYPE, "part",
				 m->kind == EVENT_BLOCKED ? "blocked" : "runnable",
				 "state", wait_state_name(m->state), "class",
				 wait_class_name(m->kind == EVENT_BLOCKED ? wait_class_of(m->call, m->state,
				 arch) : WAIT_CLASS_RUN_QUEUE));
	const bool ok = set_stack(j, data, t, m);

	set_waker(j, data, t->reader->d, m);
	set_lock(j, data, list, t, m);
	jsonout_put(j, NULL, data);
	return ok;
}

static str_id fxmarkers_name_of(struct fx_tables *t, const struct fx_marker *m, const char *arch)
{
	char name[CALL_NAME_MAX];

	if (m->kind == EVENT_RUNNABLE)
		return strtab_adds(t->texts, wait_class_name(WAIT_CLASS_RUN_QUEUE));
	return strtab_adds(t->texts, m->call == CALL_NONE ? "blocked" : call_name(m->call, arch, name));
}

static bool put_names(struct jsonout *j, struct fx_tables *t, const struct fx_marker *m, size_t n, const char *arch)
{
	bool ok = true;

	jsonout_begin(j, "name", '[');
	for (size_t i = 0; i < n && ok; i++) {
		const str_id id = fxmarkers_name_of(t, &m[i], arch);

		ok = id != STR_NONE;
		jsonout_put(j, NULL, json_integer(id));
	}
	jsonout_end(j, ']');
	return ok;
}

/* When they began, or ended: milliseconds since the recording began. */
static void fxmarkers_put_times(struct jsonout *j, const char *column, const struct fx_marker *m, size_t n,
				uint64_t zero_ns)
{
	const bool ends = !strcmp(column, "endTime");

	jsonout_begin(j, column, '[');
	for (size_t i = 0; i < n; i++)
		jsonout_put(j, NULL, json_real(((double)(ends ? m[i].end_ns : m[i].start_ns) - (double)zero_ns) / 1e6));
	jsonout_end(j, ']');
}

bool fx_markers_put(const struct fx_markers *list, size_t *at, thread_id thread, struct fx_tables *t,
		    const struct profile_meta *meta, struct jsonout *j)
{
	const struct fx_marker *m;
	bool ok = true;
	size_t n = 0;

	while (*at < list->v.n && list->v.v[*at].thread < thread)
		++*at;
	m = list->v.n ? list->v.v + *at : NULL;
	while (*at + n < list->v.n && m[n].thread == thread)
		n++;
	*at += n;
	jsonout_begin(j, "markers", '{');
	jsonout_begin(j, "data", '[');
	for (size_t i = 0; i < n && ok; i++)
		ok = put_data(j, list, t, &m[i], meta->arch);
	jsonout_end(j, ']');
	ok = ok && put_names(j, t, m, n, meta->arch);
	fxmarkers_put_times(j, "startTime", m, n, meta->start_mono_ns);
	fxmarkers_put_times(j, "endTime", m, n, meta->start_mono_ns);
	jsonout_begin(j, "phase", '[');
	for (size_t i = 0; i < n; i++)
		jsonout_put(j, NULL, json_integer(PHASE_INTERVAL));
	jsonout_end(j, ']');
	jsonout_begin(j, "category", '[');
	for (size_t i = 0; i < n; i++)
		jsonout_put(j, NULL, json_integer(m[i].category));
	jsonout_end(j, ']');
	jsonout_put(j, "length", json_integer((json_int_t)n));
	jsonout_end(j, '}');
	return ok;
}
