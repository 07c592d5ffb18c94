/* SPDX-License-Identifier: BSD-2-Clause */
/* hitvalues.c - see hitvalues.h. */
#include "config.h"

#include "trace/hitvalues.h"

#include "base/text.h"
#include "bpf/wire.h"
#include "model/probes.h"
#include "model/probevalues.h"
#include "trace/calltext.h"
#include "trace/hit.h"
#include "trace/hitfields.h"

#include <stdlib.h>
#include <string.h>

#define HEX_FROM (1ull << 32)    /* unsigned numbers from here on are more likely addresses or masks */

struct hitvalues {
	const struct calltable *table;
	uint8_t of[PROBES_MAX];  /* enum hitvalues_of */
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
	free(v);
}

void hitvalues_know(struct hitvalues *v, uint32_t probe, enum hitvalues_of of)
{
	if (probe < PROBES_MAX)
		v->of[probe] = (uint8_t)of;
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

static int64_t hitvalues_signed(uint64_t value, unsigned int size)
{
	return size == 1 ? (int8_t)value : size == 2 ? (int16_t)value : size == 4 ? (int32_t)value : (int64_t)value;
}

static uint64_t hitvalues_unsigned(uint64_t value, unsigned int size)
{
	return size == 1 ? (uint8_t)value : size == 2 ? (uint16_t)value : size == 4 ? (uint32_t)value : value;
}

static void hitvalues_of_function(const struct hit *h, uint64_t count)
{
	for (unsigned int i = 0; i < h->nr_args && i <= HIT_CALL_ARGS; i++) {
		const struct probe_param p = probe_param_get(h->probe, i);
		const uint64_t value = hitvalues_unsigned(h->arg[i], p.size);
		char text[32];

		if (!p.name[0])
			continue;
		if (p.is_signed)
			text_format(text, sizeof(text), "%lld", (long long)hitvalues_signed(value, p.size));
		else if (p.is_pointer && !value)
			text_format(text, sizeof(text), "NULL");
		else
			text_format(text, sizeof(text), p.is_pointer || value >= HEX_FROM ? "0x%llx" : "%llu",
				    (unsigned long long)value);
		probe_values_see(h->probe, i, p.name, text, count);
	}
}

static void hitvalues_of_fault(const struct hit *h, uint64_t count)
{
	const struct hit_text *t = hit_text_of(h, SB_FAULT_ADDRESS);
	char name[SB_MAPPED_MAX];

	text_format(name, sizeof(name), "%.*s", t ? (int)t->len : 0, t ? t->bytes : "");
	probe_values_see(h->probe, 0, "mapped", *name ? name : "unknown", count);
}

static void hitvalues_of_signal(struct hitvalues *v, const struct hit *h, uint64_t count)
{
	if (h->nr_args < SB_SIGNAL_ARGS)
		return;
	hitfields_of_signal(h, &v->fields);
	for (unsigned int i = 0; i < v->fields.n; i++)
		if (strcmp(v->fields.field[i].key, "to_tid"))
			probe_values_see(h->probe, i, v->fields.field[i].key, v->fields.field[i].value, count);
}

void hitvalues_take(struct hitvalues *v, const struct raw_event *raw)
{
	const uint32_t probe = raw->hit.probe - RAW_PROBE_PLACED;
	const unsigned int of = probe < PROBES_MAX ? v->of[probe] : HITVALUES_NONE;
	const uint64_t count = raw->hit.look;
	AUTO(hit_free) struct hit *h = NULL;

	if (of != HITVALUES_NONE)
		h = hit_new(raw, of == HITVALUES_CALL || of == HITVALUES_CALLS, ID_NONE);
	if (!h)
		return;
	probe_values_look(probe, count);
	if (of == HITVALUES_CALL)
		hitvalues_of_call(h, h->call == HIT_NO_CALL ? NULL : calltable_args(v->table, h->call), count);
	else if (of == HITVALUES_CALLS)
		hitvalues_of_calls(v, h, count);
	else if (of == HITVALUES_FUNCTION)
		hitvalues_of_function(h, count);
	else if (of == HITVALUES_FAULT)
		hitvalues_of_fault(h, count);
	else
		hitvalues_of_signal(v, h, count);
}
