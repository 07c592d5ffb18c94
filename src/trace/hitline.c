/* SPDX-License-Identifier: BSD-2-Clause */
/* hitline.c - see hitline.h. */
#include "config.h"

#include "trace/hitline.h"

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WHO_COLS 22                      /* a name of 15 characters, and most numbers */
#define NAME_MAX_BYTES 1024u

/* TEXT, sanitised, in DST. */
static const char *hitline_clean(char *dst, size_t size, const char *text)
{
	text_sanitise(dst, size, text, strlen(text));
	return dst;
}

static void hitline_put_head(FILE *f, const struct hitline *l)
{
	char comm[64], who[96], latency[UNITS_MAX], day[32];
	const time_t second = (time_t)(l->real_ns / NSEC_PER_SEC);
	struct tm tm;

	if (!localtime_r(&second, &tm) || !strftime(day, sizeof(day), "%H:%M:%S", &tm))
		text_format(day, sizeof(day), "??:??:??");
	text_format(who, sizeof(who), "%s/%d", hitline_clean(comm, sizeof(comm), l->hit->comm), (int)l->hit->tid);
	fprintf(f, "%s.%06llu %-*s %3u %10s  ", day,
		(unsigned long long)(l->real_ns % NSEC_PER_SEC / NSEC_PER_USEC), WHO_COLS, who, l->hit->cpu,
		l->hit->timed ? units_time(latency, l->hit->latency_ns) : "");
}

/* What a recording says of the hit, in DST. */
static const char *hitline_said(const struct hitline *l, char *dst, size_t size)
{
	text_sanitise(dst, size, l->said->bytes, l->said->len);
	return dst;
}

/* How many registers of L have arguments. */
static uint32_t hitline_args(const struct hitline *l)
{
	return l->hit->nr_args - (l->returns && l->hit->nr_args);
}

/*
 * "uprobe:./app:f(0x1, 0x2, 0, 0, 0, 0)", "call:./app:f(0x1, 0x2, 0, 0, 0, 0) = 0x7", "fault(0x7f0012345000, heap)"
 */
static void hitline_put_probe(FILE *f, const struct hitline *l)
{
	const uint32_t args = hitline_args(l);
	char name[3 * NAME_MAX_BYTES];

	fputs(hitline_clean(name, sizeof(name), l->name), f);
	if (l->fields)
		fprintf(f, "(%s)%s%s", hitline_clean(name, sizeof(name), l->fields->text),
			l->fields->result[0] ? " = " : "", l->fields->result);
	for (uint32_t i = 0; l->registers && i < args; i++)
		fprintf(f, l->hit->arg[i] ? "%s0x%llx" : "%s%llx", i ? ", " : "(",
			(unsigned long long)l->hit->arg[i]);
	if (l->registers && args)
		fputc(')', f);
	if (l->registers && args < l->hit->nr_args)
		fprintf(f, l->hit->arg[args] ? " = 0x%llx" : " = %llx", (unsigned long long)l->hit->arg[args]);
}

void hitline_text(FILE *f, const struct hitline *l)
{
	char text[CALLTEXT_MAX], clean[3 * NAME_MAX_BYTES];

	hitline_put_head(f, l);
	if (l->said)
		fputs(hitline_said(l, clean, sizeof(clean)), f);
	else if (l->is_call)
		fwrite(text, 1, calltext_write(l->call, hitline_clean(clean, sizeof(clean), l->name), l->hit, l->files,
					       text), f);
	else
		hitline_put_probe(f, l);
	if (l->said && l->hit->count > 1)
		fprintf(f, "  (one of %u)", l->hit->count);
	else if (l->hit->count > 1)
		fprintf(f, "  (%u alike, added up)", l->hit->count);
	fputc('\n', f);
	for (uint32_t i = 0; i < l->nr_frames; i++)
		fprintf(f, "        %s\n", hitline_clean(clean, sizeof(clean), l->frame[i]));
}

static json_t *hitline_string(const char *text)
{
	char clean[3 * NAME_MAX_BYTES];

	return json_string(hitline_clean(clean, sizeof(clean), text));
}

static bool hitline_set(json_t *o, const char *key, json_t *value)
{
	return !json_object_set_new(o, key, value);
}

static bool hitline_set_registers(json_t *o, const struct hitline *l)
{
	json_t *args = json_array();
	bool ok = args;

	for (uint32_t i = 0; i < l->hit->nr_args; i++) {
		json_t *value;
		char text[24];

		text_format(text, sizeof(text), "0x%llx", (unsigned long long)l->hit->arg[i]);
		value = json_string(text);
		ok = ok && (i < hitline_args(l) ? !json_array_append_new(args, value) :
			    hitline_set(o, "result", value));
	}
	return hitline_set(o, "registers", args) && ok;
}

static bool hitline_set_fields(json_t *o, const struct hitfields *fields)
{
	json_t *args = json_object();
	bool ok = args;

	for (unsigned int i = 0; i < fields->n; i++) {
		const char *value = fields->field[i].value;

		ok = ok && hitline_set(args, fields->field[i].key,
				       fields->field[i].number ? json_integer(strtoll(value, NULL, 10)) :
				       hitline_string(value));
	}
	return hitline_set(o, "args", args) && ok;
}

static bool hitline_set_stack(json_t *o, const struct hitline *l)
{
	json_t *stack = json_array();
	bool ok = stack;

	for (uint32_t i = 0; i < l->nr_frames; i++)
		ok = ok && !json_array_append_new(stack, hitline_string(l->frame[i]));
	return hitline_set(o, "stack", stack) && ok;
}

/* Writes O, which is given up, on a line of its own. False when out of memory. */
static bool hitline_put_object(FILE *f, json_t *o, bool ok)
{
	char *text = ok ? json_dumps(o, JSON_COMPACT) : NULL;

	json_decref(o);
	if (!text)
		return false;
	fputs(text, f);
	fputc('\n', f);
	free(text);
	return true;
}

bool hitline_json(FILE *f, const struct hitline *l)
{
	const struct hit *h = l->hit;
	char clean[3 * NAME_MAX_BYTES];
	json_t *o = json_object();
	bool ok = hitline_set(o, "time_ns", json_integer((json_int_t)l->real_ns));

	ok = ok && hitline_set(o, "comm", hitline_string(h->comm));
	ok = ok && hitline_set(o, "pid", json_integer(h->pid)) && hitline_set(o, "tid", json_integer(h->tid));
	ok = ok && hitline_set(o, "cpu", json_integer(h->cpu));
	if (h->timed)
		ok = ok && hitline_set(o, "latency_ns", json_integer((json_int_t)h->latency_ns));
	if (h->count > 1)
		ok = ok && hitline_set(o, "count", json_integer(h->count));
	ok = ok && hitline_set(o, l->is_call ? "call" : "probe", hitline_string(l->name));
	if (l->said)
		ok = ok && hitline_set(o, "text", json_string(hitline_said(l, clean, sizeof(clean))));
	else if (l->is_call)
		ok = ok && calltext_json(l->call, h, l->files, o);
	else if (l->fields)
		ok = ok && hitline_set_fields(o, l->fields);
	else if (l->registers)
		ok = ok && hitline_set_registers(o, l);
	if (l->nr_frames)
		ok = ok && hitline_set_stack(o, l);
	return hitline_put_object(f, o, ok);
}

/* ---- sums ---- */

void hitline_sum_head(FILE *f)
{
	fprintf(f, "%10s %10s %12s %12s %12s  %s\n", "calls", "errors", "total", "average", "longest", "name");
}

void hitline_sum_text(FILE *f, const char *name, const struct callsum *s)
{
	char total[UNITS_MAX], average[UNITS_MAX], longest[UNITS_MAX], clean[3 * NAME_MAX_BYTES];

	fprintf(f, "%10llu %10llu %12s %12s %12s  %s\n", (unsigned long long)s->hits, (unsigned long long)s->errors,
		units_time(total, s->total_ns), units_time(average, s->hits ? s->total_ns / s->hits : 0),
		units_time(longest, s->max_ns), hitline_clean(clean, sizeof(clean), name));
}

bool hitline_sum_json(FILE *f, const char *name, const struct callsum *s)
{
	json_t *o = json_object();
	bool ok = hitline_set(o, "sum", hitline_string(name));

	ok = ok && hitline_set(o, "calls", json_integer((json_int_t)s->hits));
	ok = ok && hitline_set(o, "errors", json_integer((json_int_t)s->errors));
	ok = ok && hitline_set(o, "total_ns", json_integer((json_int_t)s->total_ns));
	ok = ok && hitline_set(o, "max_ns", json_integer((json_int_t)s->max_ns));
	return hitline_put_object(f, o, ok);
}
