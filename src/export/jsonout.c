/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jsonout.c - writes large JSON piece by piece. libjansson escapes texts and writes numbers, so the
 * locale does not matter.
 */
#include "config.h"

#include "export/jsonout.h"

#include "base/cleanup.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Enough for nanoseconds within three months; the shortest text that tells such numbers apart. */
#define DIGITS 16
#define SHORT_TEXT 1024u

static int jsonout_write_bytes(const char *bytes, size_t n, void *data)
{
	struct out *o = data;

	if (!o->error && fwrite(bytes, 1, n, o->file) != n)
		o->error = errno ? errno : EIO;
	return o->error ? -1 : 0;
}

static void write_piece(struct jsonout *j, const json_t *piece)
{
	if (j->o.error || j->no_memory)
		return;
	if (json_dump_callback(piece, jsonout_write_bytes, &j->o,
			       JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(DIGITS)) &&
	    !j->o.error)
		j->no_memory = true;
}

/* What stands before an item. Keys are ours: nothing in them needs to be escaped. */
static void write_before(struct jsonout *j, const char *key)
{
	if (j->no_memory)
		return;
	out_text(&j->o, j->more ? ",\n" : "\n");
	if (key)
		out_format(&j->o, "\"%s\":", key);
	j->more = true;
}

void jsonout_begin(struct jsonout *j, const char *key, char open)
{
	const char text[] = { open, '\0' };

	if (j->begun)
		write_before(j, key);
	j->begun = true;
	if (!j->no_memory)
		out_text(&j->o, text);
	j->more = false;
}

void jsonout_end(struct jsonout *j, char close)
{
	if (!j->no_memory)
		out_format(&j->o, "\n%c", close);
	j->more = true;
}

void jsonout_put(struct jsonout *j, const char *key, json_t *piece)
{
	if (!piece)
		j->no_memory = true;
	write_before(j, key);
	write_piece(j, piece);
	json_decref(piece);
}

void jsonout_set(struct jsonout *j, json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new_nocheck(object, key, value))
		j->no_memory = true;
}

void jsonout_append(struct jsonout *j, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value))
		j->no_memory = true;
}

void jsonout_set_some(struct jsonout *j, json_t *object, const char *key, uint64_t v)
{
	if (v)
		jsonout_set(j, object, key, jsonout_u64(v));
}

json_t *jsonout_u64(uint64_t v)
{
	return json_integer(v < INT64_MAX ? (json_int_t)v : INT64_MAX);
}

json_t *jsonout_amount(const struct measure *m, uint64_t value)
{
	const unsigned int one = measure_one(m);

	return value % one ? json_real((double)value / one) : jsonout_u64(value / one);
}

json_t *jsonout_text(const char *text, size_t len)
{
	char small[3 * SHORT_TEXT + 1];
	AUTO_FREE char *large = NULL;
	char *safe = small;

	if (len > SHORT_TEXT)
		safe = large = malloc(3 * len + 1);
	return safe ? json_stringn_nocheck(safe, text_sanitise(safe, 3 * len + 1, text, len)) : NULL;
}

json_t *jsonout_string(const char *text)
{
	return jsonout_text(text, strlen(text));
}

int jsonout_finish(struct jsonout *j, const char *what, struct err *e)
{
	if (j->no_memory)
		return err_nomem(e, what);
	out_text(&j->o, "\n");
	return out_end(&j->o, e);
}
