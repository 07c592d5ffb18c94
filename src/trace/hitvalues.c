/* SPDX-License-Identifier: BSD-2-Clause */
/* hitvalues.c - see hitvalues.h. */
#include "config.h"

#include "trace/hitvalues.h"

#include "base/text.h"
#include "bpf/wire.h"
#include "model/probevalues.h"
#include "trace/calltext.h"
#include "trace/hit.h"
#include "trace/hitfields.h"

#include <stdlib.h>
#include <string.h>

struct hitvalues {
	const struct calltable *table;
	uint8_t of[PROBES_MAX];  /* enum hitvalues_of */
	struct hitrecord *record[PROBES_MAX];    /* with HITVALUES_RECORD */
	struct hitfields fields; /* of the hit at hand */
};

struct hitvalues *hitvalues_new(const struct calltable *table)
{
	struct hitvalues *v = calloc(1, sizeof(*v));

	if (v)
		v->table = table;
	return v;
}

void hitvalues_free(struct hitvalues *v)
{
	for (uint32_t i = 0; v && i < PROBES_MAX; i++)
		free(v->record[i]);
	free(v);
}

void hitvalues_know(struct hitvalues *v, uint32_t probe, enum hitvalues_of of)
{
	if (probe < PROBES_MAX)
		v->of[probe] = (uint8_t)of;
}

void hitvalues_know_record(struct hitvalues *v, uint32_t probe, const struct hitrecord *record)
{
	if (probe >= PROBES_MAX || v->record[probe])
		return;
	v->record[probe] = malloc(sizeof(*record));
	if (!v->record[probe])
		return;
	*v->record[probe] = *record;
	v->of[probe] = HITVALUES_RECORD;
}

static bool hitvalues_same_every_time(unsigned int type)
{
	return type != CALLARG_POINTER && type != CALLARG_IN && type != CALLARG_OUT && type != CALLARG_NUMBER;
}

/* Addresses say little: what they point to does, where it could be read. */
static void hitvalues_of_call(const struct hit *h, const struct callargs *call, uint64_t count)
{
	char text[PROBE_VALUE_TEXT_MAX * 4];

	for (unsigned int i = 0; call && i < callargs_count(call) && i < HIT_CALL_ARGS; i++) {
		if (!hitvalues_same_every_time(call->arg[i].type) ||
		    (callarg_is_memory(call->arg[i].type) && !hit_text_of(h, i)))
			continue;
		if (calltext_argument(call, h, i, text, sizeof(text)))
			probe_values_see(h->probe, i, call->arg[i].name, text, count);
	}
	if (call && call->result != CALLARG_NONE && (call->result != CALLARG_POINTER || calltext_error(h->result))) {
		calltext_returned(call, h, text, sizeof(text));
		probe_values_see(h->probe, HIT_CALL_ARGS, "result", text, count);
	}
}

/* Of several calls: which it was, and what it returned if that is an error. */
static void hitvalues_of_calls(const struct hitvalues *v, const struct hit *h, uint64_t count)
{
	char text[PROBE_VALUE_TEXT_MAX * 4];

	if (h->call == HIT_NO_CALL)
		return;
	probe_values_see(h->probe, 0, "call", calltable_name(v->table, h->call), count);
	if (calltext_error(h->result))
		calltext_returned(calltable_args(v->table, h->call), h, text, sizeof(text));
	else
		text_format(text, sizeof(text), "no error");
	probe_values_see(h->probe, HIT_CALL_ARGS, "result", text, count);
}

/* The same as a line of a trace has it: DST gets all arguments by name. */
static void hitvalues_of_function(struct hitvalues *v, const struct hit *h, uint64_t count, char *dst, size_t size)
{
	const struct measure *m = probes_measure(h->probe);

	hitfields_of_params(h, &v->fields);
	text_format(dst, size, "%.100s(%s)%s%s", m ? m->name : "?", v->fields.text, v->fields.result[0] ? " = " : "",
		    v->fields.result);
	for (unsigned int i = 0; i < v->fields.n; i++)
		probe_values_see(h->probe, v->fields.field[i].at, v->fields.field[i].key, v->fields.field[i].value,
				 count);
}

static void hitvalues_of_fault(const struct hit *h, uint64_t count, char *dst, size_t size)
{
	const struct hit_text *t = hit_text_of(h, SB_FAULT_ADDRESS);
	char name[SB_MAPPED_MAX];

	text_format(name, sizeof(name), "%.*s", t ? (int)t->len : 0, t ? t->bytes : "");
	probe_values_see(h->probe, 0, "mapped", *name ? name : "unknown", count);
	text_format(dst, size, "fault(0x%llx%s%s)", (unsigned long long)h->arg[SB_FAULT_ADDRESS], *name ? ", " : "",
		    name);
}

static void hitvalues_of_signal(struct hitvalues *v, const struct hit *h, uint64_t count, char *dst, size_t size)
{
	if (h->nr_args < SB_SIGNAL_ARGS)
		return;
	hitfields_of_signal(h, &v->fields);
	text_format(dst, size, "signal(%s)", v->fields.text);
	for (unsigned int i = 0; i < v->fields.n; i++)
		if (strcmp(v->fields.field[i].key, "to_tid"))
			probe_values_see(h->probe, i, v->fields.field[i].key, v->fields.field[i].value, count);
}

static void hitvalues_of_record(struct hitvalues *v, const struct hit *h, uint64_t count, char *dst, size_t size)
{
	const struct measure *m = probes_measure(h->probe);

	hitfields_of_record(h, v->record[h->probe], &v->fields);
	text_format(dst, size, "%.100s(%s)", m ? m->name : "?", v->fields.text);
	for (unsigned int i = 0; i < v->fields.n; i++)
		probe_values_see(h->probe, i, v->fields.field[i].key, v->fields.field[i].value, count);
}

/* What a trace says of the call H, cut to SIZE. */
static void hitvalues_call_text(const struct hitvalues *v, const struct hit *h, char *dst, size_t size)
{
	char line[CALLTEXT_MAX];

	if (h->call == HIT_NO_CALL)
		return;
	calltext_write(calltable_args(v->table, h->call), calltable_name(v->table, h->call), h, NULL, line);
	text_format(dst, size, "%.*s", (int)text_whole(line, strnlen(line, size - 1)), line);
}

/* Counts the values of H, which is OF so many; DST gets a line about it. */
static void hitvalues_count(struct hitvalues *v, const struct hit *h, unsigned int of, uint64_t count, char *dst,
			    size_t size)
{
	switch (of) {
	case HITVALUES_CALL:
		hitvalues_of_call(h, h->call == HIT_NO_CALL ? NULL : calltable_args(v->table, h->call), count);
		hitvalues_call_text(v, h, dst, size);
		break;
	case HITVALUES_CALLS:
		hitvalues_of_calls(v, h, count);
		hitvalues_call_text(v, h, dst, size);
		break;
	case HITVALUES_FUNCTION:
		hitvalues_of_function(v, h, count, dst, size);
		break;
	case HITVALUES_FAULT:
		hitvalues_of_fault(h, count, dst, size);
		break;
	case HITVALUES_RECORD:
		hitvalues_of_record(v, h, count, dst, size);
		break;
	default:
		hitvalues_of_signal(v, h, count, dst, size);
	}
}

bool hitvalues_take(struct hitvalues *v, const struct raw_event *raw, struct told_hit *ret)
{
	const uint32_t probe = raw->hit.probe - RAW_PROBE_PLACED;
	const unsigned int of = probe < PROBES_MAX ? v->of[probe] : HITVALUES_NONE;
	char text[sizeof(ret->text)] = "";
	AUTO(hit_free) struct hit *h = NULL;

	if (of != HITVALUES_NONE)
		h = hit_new(raw, of == HITVALUES_CALL || of == HITVALUES_CALLS, ID_NONE);
	if (!h)
		return false;
	probe_values_look(probe, raw->hit.look);
	hitvalues_count(v, h, of, raw->hit.look, text, sizeof(text));
	*ret = (struct told_hit){
		.time_ns = h->time_ns, .timed = h->timed, .cpu = h->cpu, .probe = probe, .look = raw->hit.look,
		.pid = (uint32_t)h->pid, .tid = (uint32_t)h->tid,
		/* Its own, not that of all that it stands for. */
		.latency_ns = h->timed ? h->time_ns - raw->hit.begun_ns : 0,
	};
	memcpy(ret->comm, h->comm, sizeof(ret->comm));
	text_sanitise(ret->text, sizeof(ret->text), text, strlen(text));
	return text[0];
}
