/* SPDX-License-Identifier: BSD-2-Clause */
/* probenotes_text.c - one table of keys for each kind of line serves both directions. */
#include "config.h"

#include "model/probenotes.h"

#include "base/keyline.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A probe and what is known of it; its name and unit are those of its measure. */
struct probe_line {
	char name[PROBES_TEXT_MAX], unit[8];
	struct probe_note note;
};

#define AT(type, name, member, kind, ...) { name, kind, VALUE_AT(struct type, member), __VA_ARGS__ }
#define U32(name, member) AT(probe_line, name, note.member, VALUE_UNSIGNED, 0, UINT32_MAX, VALUE_OPTIONAL)
#define U64(name, member) AT(probe_line, name, note.member, VALUE_UNSIGNED, 0, UINT64_MAX, VALUE_OPTIONAL)

static const struct value_key head_keys[] = {
	AT(probe_notes, "time_ns", time_ns, VALUE_UNSIGNED, 0, UINT64_MAX, VALUE_REQUIRED),
};

static const struct value_key probe_keys[] = {
	AT(probe_line, "name", name, VALUE_ESCAPED, 0, 0, VALUE_REQUIRED),
	AT(probe_line, "unit", unit, VALUE_ESCAPED, 0, 0, VALUE_REQUIRED),
	U32("cost_ns", cost_ns),
	U32("own_ns", own_ns),
	U32("places", places.sites),
	U32("processes", places.processes),
	U32("inlined", places.inlined),
	U32("refused", places.failed),
	U64("unseen_ns", places.unseen_ns),
	U32("open", open.calls),
	U64("open_oldest_ns", open.oldest_ns),
	U64("lost_stacks", lost[PROBE_LOST_STACK]),
	U64("lost_values", lost[PROBE_LOST_VALUE]),
	U64("lost_hits", lost[PROBE_LOST_HIT]),
	U64("lost_records", lost[PROBE_LOST_RECORD]),
	U64("looked", seen.looked),
	U64("looked_for", seen.looked_for),
	AT(probe_line, "why", note.why, VALUE_ESCAPED, 0, 0, VALUE_OPTIONAL),
};

static const struct value_key unseen_keys[] = {
	AT(probe_unseen, "pid", pid, VALUE_UNSIGNED, 1, INT32_MAX, VALUE_REQUIRED),
	AT(probe_unseen, "comm", comm, VALUE_ESCAPED, 0, 0, VALUE_OPTIONAL),
	AT(probe_unseen, "ns", ns, VALUE_UNSIGNED, 0, UINT64_MAX, VALUE_REQUIRED),
};

static const struct value_key spell_keys[] = {
	AT(probe_spell, "from_ns", from_ns, VALUE_UNSIGNED, 0, UINT64_MAX, VALUE_REQUIRED),
	AT(probe_spell, "to_ns", to_ns, VALUE_UNSIGNED, 0, UINT64_MAX, VALUE_REQUIRED),
	AT(probe_spell, "on_ns", on_ns, VALUE_UNSIGNED, 0, UINT64_MAX, VALUE_OPTIONAL),
};

static const struct value_key values_keys[] = {
	AT(probe_values, "name", name, VALUE_ESCAPED, 0, 0, VALUE_REQUIRED),
	AT(probe_values, "total", total, VALUE_UNSIGNED, 0, UINT64_MAX, VALUE_REQUIRED),
};

static const struct value_key value_keys[] = {
	AT(probe_value, "text", text, VALUE_ESCAPED, 0, 0, VALUE_REQUIRED),
	AT(probe_value, "count", count, VALUE_UNSIGNED, 0, UINT64_MAX, VALUE_REQUIRED),
	AT(probe_value, "error", error, VALUE_UNSIGNED, 0, UINT64_MAX, VALUE_OPTIONAL),
};

enum { LINE_HEAD, LINE_PROBE, LINE_UNSEEN, LINE_SPELL, LINE_VALUES, LINE_VALUE, LINE_NR };

#define LINE(name, keys) { name, keys, sizeof(keys) / sizeof((keys)[0]) }

static const struct keyline lines[LINE_NR] = {
	[LINE_HEAD] = LINE("probes", head_keys), [LINE_PROBE] = LINE("probe", probe_keys),
		[LINE_UNSEEN] = LINE("unseen", unseen_keys), [LINE_SPELL] = LINE("spell", spell_keys),
		[LINE_VALUES] = LINE("values", values_keys),
		[LINE_VALUE] = LINE("value", value_keys),
};

union row {
	struct probe_notes head;
	struct probe_line probe;
	struct probe_unseen unseen;
	struct probe_spell spell;
	struct probe_values values;
	struct probe_value value;
};

/* Writing. */

static void probenotes_put(struct keyline_text *w, const struct probe_note *note)
{
	const struct measure *m = probes_measure(note->probe);
	struct probe_line row = { .note = *note };

	if (!m)
		return;
	text_format(row.name, sizeof(row.name), "%s", m->name);
	text_format(row.unit, sizeof(row.unit), "%s", measure_unit_name(m->unit));
	keyline_put(w, &lines[LINE_PROBE], &row);
	for (uint32_t i = 0; i < note->nr_unseen; i++)
		keyline_put(w, &lines[LINE_UNSEEN], &note->unseen[i]);
	for (uint32_t i = 0; i < note->nr_spells; i++)
		keyline_put(w, &lines[LINE_SPELL], &note->spell[i]);
	for (uint32_t i = 0; i < note->seen.n; i++) {
		keyline_put(w, &lines[LINE_VALUES], &note->seen.list[i]);
		for (uint32_t k = 0; k < note->seen.list[i].n; k++)
			keyline_put(w, &lines[LINE_VALUE], &note->seen.list[i].v[k]);
	}
}

char *probe_notes_write(const struct probe_notes *s, size_t *ret_len)
{
	struct keyline_text w = { 0 };

	keyline_put(&w, &lines[LINE_HEAD], s);
	for (size_t i = 0; i < s->probe.n; i++)
		probenotes_put(&w, &s->probe.v[i]);
	if (w.failed || !vec_reserve(&w.text, 1)) {
		vec_free(&w.text);
		return NULL;
	}
	w.text.v[w.text.n] = '\0';
	*ret_len = w.text.n;
	return w.text.v;
}

/* Reading. */

struct probenotes_reading {
	struct probe_notes *s;
	bool begun;              /* the first line was there */
	bool in_probe;           /* a line of a probe was: what follows is about */
	bool in_values;          /* a line of values was; what follows is about the list LIST of it, if there is room */
	char list[sizeof(((struct probe_values *)0)->name)];
	uint32_t probe;          /* this one; PROBE_NONE = one that is left out */
};

static int probenotes_take_probe(struct probenotes_reading *r, const struct probe_line *row)
{
	const uint32_t probe = probes_of_file(row->name, strlen(row->name), row->unit, strlen(row->unit));
	struct probe_notes *one;
	bool ok;

	r->in_probe = true;
	r->in_values = false;
	r->probe = probe;
	if (probe == PROBE_NONE)
		return 0;
	if (probe_notes_of(r->s, probe))
		return -EBADMSG;
	one = probe_notes_new();
	ok = one && vec_reserve(&one->probe, 1);
	if (ok) {
		one->probe.v[0] = row->note;
		one->probe.v[0].probe = probe;
		one->probe.n = 1;
		ok = probe_notes_add(r->s, one, false);
	}
	probe_notes_unref(one);
	return ok ? 0 : -ENOMEM;
}

/* The note that lines after that of a probe are about; NULL = it is left out. */
static struct probe_note *probenotes_at(const struct probenotes_reading *r)
{
	for (size_t i = 0; r->probe != PROBE_NONE && i < r->s->probe.n; i++)
		if (r->s->probe.v[i].probe == r->probe)
			return &r->s->probe.v[i];
	return NULL;
}

static int probenotes_take_unseen(const struct probenotes_reading *r, const struct probe_unseen *one)
{
	struct probe_note *note = probenotes_at(r);

	if (!r->in_probe)
		return -EBADMSG;
	if (note)
		probe_unseen_add(note->unseen, &note->nr_unseen, one);
	return 0;
}

static int probenotes_take_spell(const struct probenotes_reading *r, const struct probe_spell *one)
{
	struct probe_note *note = probenotes_at(r);

	if (!r->in_probe || one->to_ns < one->from_ns || one->on_ns > one->to_ns - one->from_ns)
		return -EBADMSG;
	if (note)
		probe_spell_add(note->spell, &note->nr_spells, one);
	return 0;
}

static int probenotes_take_values(struct probenotes_reading *r, const struct probe_values *one)
{
	struct probe_note *note = probenotes_at(r);
	struct probe_values *l = note ? probe_seen_list(&note->seen, one->name) : NULL;

	if (!r->in_probe || !one->name[0] || (l && (l->n || l->total)))
		return -EBADMSG;
	r->in_values = true;
	memcpy(r->list, one->name, sizeof(r->list));
	if (l)
		l->total = one->total;
	return 0;
}

static int probenotes_take_value(const struct probenotes_reading *r, const struct probe_value *one)
{
	struct probe_note *note = probenotes_at(r);
	struct probe_values *l = note && r->in_values ? probe_seen_list(&note->seen, r->list) : NULL;

	if (!r->in_values)
		return -EBADMSG;
	if (l)
		probe_values_add(l, one);
	return 0;
}

static int probenotes_take_line(struct probenotes_reading *r, struct part line)
{
	union row row;
	size_t kind;

	switch (keyline_parse(line, lines, LINE_NR, &kind, &row, sizeof(row))) {
	case KEYLINE_UNKNOWN:
		return r->begun ? 0 : -EBADMSG;
	case KEYLINE_REFUSED:
		return -EBADMSG;
	case KEYLINE_READ:
		break;
	}
	if (r->begun == (kind == LINE_HEAD))
		return -EBADMSG;
	if (kind == LINE_PROBE)
		return probenotes_take_probe(r, &row.probe);
	if (kind == LINE_UNSEEN)
		return probenotes_take_unseen(r, &row.unseen);
	if (kind == LINE_SPELL)
		return probenotes_take_spell(r, &row.spell);
	if (kind == LINE_VALUES)
		return probenotes_take_values(r, &row.values);
	if (kind == LINE_VALUE)
		return probenotes_take_value(r, &row.value);
	r->begun = true;
	r->s->time_ns = row.head.time_ns;
	return 0;
}

int probe_notes_parse(const char *text, size_t len, struct probe_notes **ret, struct err *e)
{
	AUTO(probe_notes_unref) struct probe_notes *s = probe_notes_new();
	struct probenotes_reading r = { .s = s };
	struct part in = { text, len };
	int rc = s ? 0 : -ENOMEM;

	/* A line without its end was cut off. */
	if (!len || text[len - 1] != '\n')
		rc = rc ? rc : -EBADMSG;
	while (!rc && in.len)
		rc = probenotes_take_line(&r, part_cut(&in, '\n'));
	if (!rc && !r.begun)
		rc = -EBADMSG;
	if (rc == -ENOMEM)
		return err_nomem(e, "what is known of probes");
	if (rc)
		return err_set(e, EBADMSG, "what is known of probes makes no sense");
	*ret = take_ptr(s);
	return 0;
}
