/* SPDX-License-Identifier: BSD-2-Clause */
/* branch_record.c - see branch_record.h. */
#include "config.h"

#include "cmd/branch_record.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/text.h"
#include "model/probenotes.h"
#include "model/probes.h"
#include "model/probevalues.h"

#include <stdlib.h>
#include <string.h>

#define KEPT 65536u              /* calls under way whose begin is known; a power of two */
#define NAMES_NS (5 * NSEC_PER_SEC)
#define RESULT_AT 6u             /* lists of values: behind those of six arguments */
#define PLACE_AT 7u

struct record_kept {
	pid_t tid;
	struct event event;
};

struct branch_record {
	struct engine *engine;
	struct recorder *recorder;
	struct record_kept *kept[KEPT];  /* by thread and time: a later one may take the place of an earlier one */
};

int branch_record_open(struct engine *en, const char *path, struct branch_record **ret, struct err *e)
{
	const struct recorder_config c = { .path = path };
	struct branch_record *r = calloc(1, sizeof(*r));
	struct profile_meta meta;
	int rc;

	if (!r)
		return err_nomem(e, "the recording");
	r->engine = en;
	engine_status(en, &meta);
	rc = recorder_open(&c, engine_dict(en), engine_names(en), &meta, &r->recorder, e);
	if (rc < 0) {
		free(r);
		return rc;
	}
	*ret = r;
	return 0;
}

static struct record_kept **record_slot(struct branch_record *r, pid_t tid, uint64_t time_ns)
{
	return &r->kept[hash_2u64(time_ns, (uint64_t)tid) & (KEPT - 1)];
}

void branch_record_take(struct branch_record *r, const struct hit *h)
{
	struct record_kept *k = r && h->event ? malloc(sizeof(*k)) : NULL, **slot;

	if (!k)
		return;
	*k = (struct record_kept){ h->tid, *h->event };
	slot = record_slot(r, h->tid, h->time_ns);
	free(*slot);
	*slot = k;
}

/* The event that C began with, the caller's; NULL = it is not known any more. */
static struct record_kept *record_find(struct branch_record *r, const struct branch_recorded *c)
{
	struct record_kept **slot = record_slot(r, c->tid, c->begun_ns), *k = *slot;

	if (!k || k->tid != c->tid || k->event.time_ns != c->begun_ns)
		return NULL;
	*slot = NULL;
	return k;
}

static void record_see(uint32_t probe, unsigned int at, const char *name, const char *value)
{
	char clean_name[PROBE_PARAM_NAME], clean[PROBE_VALUE_TEXT_MAX];

	if (!*value)
		return;
	text_sanitise(clean_name, sizeof(clean_name), name, strlen(name));
	text_sanitise(clean, sizeof(clean), value, strlen(value));
	probe_values_see(probe, at, clean_name, clean, 1);
}

/* Counts what C was given and returned, and where it went last. */
static void record_values(const struct branch_recorded *c)
{
	probe_values_look(c->probe, 1);
	for (unsigned int i = 0; i < c->fields->n; i++)
		if (c->fields->field[i].at < RESULT_AT)
			record_see(c->probe, c->fields->field[i].at, c->fields->field[i].key,
				   c->fields->field[i].value);
	record_see(c->probe, RESULT_AT, "retval", c->result);
	record_see(c->probe, PLACE_AT, "last branch", c->place);
}

/* C by itself, as a line has it. */
static void record_line(const struct branch_recorded *c, uint32_t cpu, struct told_hit *ret)
{
	char text[TOLD_TEXT_MAX];

	*ret = (struct told_hit){ .time_ns = c->ended_ns, .latency_ns = c->ended_ns - c->begun_ns, .timed = c->timed,
				  .cpu = cpu, .probe = c->probe, .look = 1, .pid = (uint32_t)c->pid,
				  .tid = (uint32_t)c->tid };
	text_format(ret->comm, sizeof(ret->comm), "%s", c->comm);
	text_format(text, sizeof(text), "%s(%s)%s%s%s%s", c->function, c->fields->text, *c->result ? " = " : "",
		    c->result, *c->place ? "  " : "", c->place);
	text_sanitise(ret->text, sizeof(ret->text), text, strlen(text));
}

bool branch_record_put(struct branch_record *r, const struct branch_recorded *c)
{
	AUTO_FREE struct record_kept *k = r ? record_find(r, c) : NULL;
	struct told_hit told;

	if (!r)
		return true;
	if (!k)
		return false;
	record_values(c);
	record_line(c, k->event.cpu, &told);
	k->event.time_ns = c->ended_ns;
	k->event.weight = c->timed ? c->ended_ns - c->begun_ns : 1;
	k->event.count = 1;
	return recorder_event(r->recorder, &k->event) && recorder_hit(r->recorder, &told);
}

int branch_record_end(struct branch_record *r, struct recorder_saved *ret, struct err *e)
{
	AUTO(probe_notes_unref) struct probe_notes *notes = probe_notes_now(clock_mono_ns());
	struct profile_meta meta;
	int rc;

	if (notes)
		recorder_probes(r->recorder, notes);
	symbolizer_look_again(engine_symbolizer(r->engine));
	symbolizer_wait(engine_symbolizer(r->engine), NAMES_NS);
	engine_status(r->engine, &meta);
	meta.complete = true;
	meta.symbols_pending = symbolizer_pending(engine_symbolizer(r->engine));
	rc = recorder_end(r->recorder, &meta, ret, e);
	for (size_t i = 0; i < KEPT; i++)
		free(r->kept[i]);
	free(r);
	return rc;
}
