/* SPDX-License-Identifier: BSD-2-Clause */
/* tracepoint.c - formats of tracepoints: text to fields. See tracepoint.h; find_tracepoints.c looks for them. */
#include "config.h"

#include "probe/tracepoint.h"

#include "base/parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands on a line behind KEY, up to a semicolon or END; false when KEY is not there. */
static bool line_value(const char *line, const char *end, const char *key, const char **ret, const char **ret_end)
{
	const char *at = memmem(line, (size_t)(end - line), key, strlen(key));
	const char *semicolon;

	if (!at)
		return false;
	at += strlen(key);
	semicolon = memchr(at, ';', (size_t)(end - at));
	*ret = at;
	*ret_end = semicolon ? semicolon : end;
	return true;
}

static bool line_number(const char *line, const char *end, const char *key, uint64_t max, uint64_t *ret)
{
	const char *at, *stop;

	return line_value(line, end, key, &at, &stop) && parse_dec(&at, stop, ret) && *ret <= max;
}

static bool is_name(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)s[i]) && s[i] != '_')
			return false;
	return len > 0 && len < TRACEPOINT_NAME_MAX;
}

static bool starts(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/*
 * Splits the declaration from S to END, "unsigned long args[6]", into name and type: the name is the
 * last word, before brackets.
 */
static bool split_declaration(const char *s, const char *end, struct tracepoint_field *f)
{
	const char *bracket = end > s && end[-1] == ']' ? memrchr(s, '[', (size_t)(end - s)) : NULL;
	const char *name_end = bracket ? bracket : end, *name = name_end;
	size_t type_len;

	while (name > s && (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
		name--;
	if (name == s || !is_name(name, (size_t)(name_end - name)))
		return false;
	memcpy(f->name, name, (size_t)(name_end - name));
	type_len = (size_t)(name - s);
	while (type_len && s[type_len - 1] == ' ')
		type_len--;
	snprintf(f->type, sizeof(f->type), "%.*s%s%.*s",
		 (int)(type_len < TRACEPOINT_TYPE_MAX ? type_len : TRACEPOINT_TYPE_MAX), s, bracket ? " " : "",
		 bracket && end - bracket < 64 ? (int)(end - bracket) : 0, bracket ? bracket : "");
	return true;
}

static enum tracepoint_form form_of(const struct tracepoint_field *f)
{
	const char *element = strchr(f->type, '[');
	const bool number = f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8;

	if (starts(f->type, "__data_loc char") && f->size == 4)
		return TRACEPOINT_DYNAMIC_TEXT;
	if (starts(f->type, "__rel_loc char") && f->size == 4)
		return TRACEPOINT_RELATIVE_TEXT;
	if (starts(f->type, "__data_loc") || starts(f->type, "__rel_loc"))
		return TRACEPOINT_OTHER;
	if (element)
		return starts(f->type, "char") ? TRACEPOINT_TEXT : TRACEPOINT_OTHER;
	if (strchr(f->type, '*') && f->size == sizeof(uint64_t))
		return TRACEPOINT_POINTER;
	return number && !starts(f->type, "struct ") ? TRACEPOINT_NUMBER : TRACEPOINT_OTHER;
}

/* "	field:int common_pid;	offset:4;	size:4;	signed:1;": false when it makes no sense. */
static bool parse_field(const char *line, const char *end, struct tracepoint_field *ret)
{
	struct tracepoint_field f = { 0 };
	const char *at, *stop;
	uint64_t offset, size, sign = 0;

	if (!line_value(line, end, "field:", &at, &stop) || !split_declaration(at, stop, &f) ||
	    !line_number(stop, end, "offset:", TRACEPOINT_RECORD_MAX, &offset) ||
	    !line_number(stop, end, "size:", TRACEPOINT_RECORD_MAX - offset, &size) || !size)
		return false;
	line_number(stop, end, "signed:", 1, &sign);
	f.offset = (uint32_t)offset;
	f.size = (uint32_t)size;
	f.is_signed = sign;
	f.form = form_of(&f);
	f.common = starts(f.name, "common_");
	*ret = f;
	return true;
}

/* One line of a format. False when out of memory. */
static bool parse_line(const char *line, const char *end, struct tracepoint *t, bool *has_id)
{
	const char *at, *stop;
	struct tracepoint_field f, *slot;

	while (line < end && (*line == '\t' || *line == ' '))
		line++;
	if (end - line >= 6 && starts(line, "field:")) {
		if (!parse_field(line, end, &f) || t->field.n == TRACEPOINT_FIELDS_MAX) {
			t->damaged++;
			return true;
		}
		slot = vec_push(&t->field);
		if (slot)
			*slot = f;
		return slot;
	}
	if (end - line > 5 && starts(line, "name:") && line_value(line, end, "name: ", &at, &stop) &&
	    is_name(at, (size_t)(stop - at)) && !*t->name)
		memcpy(t->name, at, (size_t)(stop - at));
	else if (end - line > 3 && starts(line, "ID:"))
		*has_id |= line_number(line, end, "ID: ", UINT32_MAX, &t->id);
	return true;
}

int tracepoint_parse(const char *text, size_t len, struct tracepoint *ret, struct err *e)
{
	struct tracepoint t = { 0 };
	const char *const all = text + len;
	bool has_id = false;

	while (text < all) {
		const char *newline = memchr(text, '\n', (size_t)(all - text)), *end = newline ? newline : all;

		/* The rest says how a record is printed. */
		if (end - text >= 10 && starts(text, "print fmt:"))
			break;
		if (!parse_line(text, end, &t, &has_id)) {
			tracepoint_free(&t);
			return err_nomem(e, "the fields of a tracepoint");
		}
		text = end + 1;
	}
	if (!*t.name || !has_id) {
		tracepoint_free(&t);
		return err_set(e, EBADMSG, "this is no format of a tracepoint: it has no %s", *t.name ? "ID" : "name");
	}
	*ret = t;
	return 0;
}

void tracepoint_free(struct tracepoint *t)
{
	if (t)
		vec_free(&t->field);
}

const struct tracepoint_field *tracepoint_field_find(const struct tracepoint *t, const char *name)
{
	for (size_t i = 0; i < t->field.n; i++)
		if (!strcmp(t->field.v[i].name, name))
			return &t->field.v[i];
	return NULL;
}
