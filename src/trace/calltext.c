/* SPDX-License-Identifier: BSD-2-Clause */
/* calltext.c - see calltext.h. */
#include "config.h"

#include "trace/calltext.h"

#include "base/text.h"
#include "trace/callflags.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ERRORS_MAX 4095                  /* results from -ERRORS_MAX on are errors: MAX_ERRNO of include/linux/err.h */
#define QUOTE_END 5u                     /* bytes of what ends a quoted text, with its NUL */
#define ESCAPED_MAX 5u                   /* bytes of a byte that is escaped, with the NUL */

/* ---- strings ---- */

/* How the byte C is written within quotes. Returns the length. */
static size_t calltext_escape(char dst[ESCAPED_MAX], unsigned char c)
{
	static const char from[] = "\a\b\t\n\v\f\r\"\\", to[] = "abtnvfr\"\\";
	const char *at = c ? strchr(from, c) : NULL;

	return at ? text_format(dst, ESCAPED_MAX, "\\%c", to[at - from]) : text_format(dst, ESCAPED_MAX, "\\x%02x", c);
}

/* The character of N bytes at S within quotes, in PIECE. Returns the length. */
static size_t calltext_piece(char piece[4 * ESCAPED_MAX], const char *s, size_t n)
{
	size_t at = 0;

	if (text_is_clean(s, n) && *s != '"' && *s != '\\') {
		memcpy(piece, s, n);
		return n;
	}
	for (size_t i = 0; i < n; i++)
		at += calltext_escape(piece + at, (unsigned char)s[i]);
	return at;
}

size_t calltext_quote(char *dst, size_t size, const char *bytes, size_t len, bool cut)
{
	size_t at = text_format(dst, size, "\"");

	for (size_t i = 0; i < len;) {
		char piece[4 * ESCAPED_MAX];
		uint32_t cp;
		const size_t n = text_decode(bytes + i, len - i, &cp), k = calltext_piece(piece, bytes + i, n);

		if (at + k + QUOTE_END > size) {
			cut = true;
			break;
		}
		memcpy(dst + at, piece, k);
		at += k;
		i += n;
	}
	return at + text_format(dst + at, size - at, "\"%s", cut ? "..." : "");
}

/* ---- numbers ---- */

int calltext_error(int64_t result)
{
	return result < 0 && result >= -ERRORS_MAX ? (int)-result : 0;
}

static size_t calltext_hex(char *dst, size_t size, uint64_t v)
{
	return text_format(dst, size, v ? "0x%llx" : "0", (unsigned long long)v);
}

/* A value that is no string. */
static size_t calltext_number(unsigned int type, uint64_t v, char *dst, size_t size)
{
	const struct callflags *flags = callflags_of(type);

	if (flags)
		return callflags_text(flags, (uint32_t)v, dst, size);
	switch (type) {
	case CALLARG_INT:
	case CALLARG_FD:
	case CALLARG_ID:
		return text_format(dst, size, "%d", (int)v);
	case CALLARG_DIRFD:
		return (int)v == AT_FDCWD ? text_format(dst, size, "AT_FDCWD") : text_format(dst, size, "%d", (int)v);
	case CALLARG_UINT:
		return text_format(dst, size, "%u", (unsigned int)v);
	case CALLARG_LONG:
		return text_format(dst, size, "%lld", (long long)v);
	case CALLARG_SIZE:
		return text_format(dst, size, "%llu", (unsigned long long)v);
	case CALLARG_MODE:
		return text_format(dst, size, "%#o", (unsigned int)v);
	case CALLARG_NUMBER:
		return calltext_hex(dst, size, v);
	default:
		return v ? calltext_hex(dst, size, v) : text_format(dst, size, "NULL");
	}
}

static bool calltext_is_fd(unsigned int type)
{
	return type == CALLARG_FD || type == CALLARG_DIRFD;
}

/* What FD stands for, sanitised, in DST; false when it is not known. */
static bool calltext_file(const struct calltext_files *files, const struct hit *h, int fd, const struct hit_file *file,
			  char *dst, size_t size)
{
	char name[CALLTEXT_FILE_MAX];

	if (!files || fd < 0 || !file || !file->inode || !files->name(files->ctx, h, fd, file, name))
		return false;
	text_sanitise(dst, size, name, strlen(name));
	return true;
}

/* ---- a call ---- */

/* The mode of open(2) counts only where it may make a file. */
static bool calltext_left_out(const struct callargs *call, const struct hit *h, unsigned int i)
{
	return i && call->arg[i].type == CALLARG_MODE && call->arg[i - 1].type == CALLARG_OPEN &&
	       !(h->arg[i - 1] & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)));
}

static unsigned int calltext_count(const struct callargs *call, const struct hit *h)
{
	const unsigned int n = call ? callargs_count(call) : HIT_CALL_ARGS;

	return n < h->nr_args ? n : h->nr_args;
}

/* The descriptor among the arguments whose file is known: the first one (bpf/calls.bpf.h). */
static const struct hit_file *calltext_file_of(const struct callargs *call, const struct hit *h, unsigned int i)
{
	for (unsigned int k = 0; k < i; k++)
		if (calltext_is_fd(call->arg[k].type))
			return NULL;
	return &h->file;
}

/* Argument I, of TYPE. */
static size_t calltext_arg(const struct callargs *call, const struct hit *h, unsigned int i,
			   const struct calltext_files *files, char *dst, size_t size)
{
	const unsigned int type = call ? call->arg[i].type : CALLARG_NUMBER;
	const bool data = type == CALLARG_IN || type == CALLARG_OUT;
	const struct hit_text *t = callarg_is_memory(type) ? hit_text_of(h, i) : NULL;
	char name[3 * CALLTEXT_FILE_MAX];
	size_t at;

	if (t)
		return calltext_quote(dst, size, t->bytes, data && t->len > CALLTEXT_DATA ? CALLTEXT_DATA : t->len,
				      t->cut || (data && t->len > CALLTEXT_DATA));
	at = calltext_number(type, h->arg[i], dst, size);
	if (calltext_is_fd(type) &&
	    calltext_file(files, h, (int)h->arg[i], calltext_file_of(call, h, i), name, sizeof(name)))
		at += text_format(dst + at, size - at, "<%s>", name);
	return at;
}

static size_t calltext_result(const struct callargs *call, const struct hit *h, const struct calltext_files *files,
			      char *dst, size_t size)
{
	const unsigned int type = call ? call->result : CALLARG_LONG;
	const int error = calltext_error(h->result);
	const char *name = callflags_error(error);
	char file[3 * CALLTEXT_FILE_MAX];
	size_t at;

	if (h->open)
		return text_format(dst, size, "?");
	if (error)
		return name ? text_format(dst, size, "-1 %s (%s)", name, strerror(error)) :
			text_format(dst, size, "-1 (error %d)", error);
	at = calltext_number(type == CALLARG_FD ? CALLARG_INT : type, (uint64_t)h->result, dst, size);
	if (type == CALLARG_FD && calltext_file(files, h, (int)h->result, &h->made, file, sizeof(file)))
		at += text_format(dst + at, size - at, "<%s>", file);
	return at;
}

size_t calltext_argument(const struct callargs *call, const struct hit *h, unsigned int i, char *dst, size_t size)
{
	return calltext_left_out(call, h, i) ? 0 : calltext_arg(call, h, i, NULL, dst, size);
}

size_t calltext_returned(const struct callargs *call, const struct hit *h, char *dst, size_t size)
{
	const char *name = callflags_error(calltext_error(h->result));

	return name ? text_format(dst, size, "%s", name) : calltext_result(call, h, NULL, dst, size);
}

size_t calltext_write(const struct callargs *call, const char *name, const struct hit *h,
		      const struct calltext_files *files, char dst[CALLTEXT_MAX])
{
	size_t at = text_format(dst, CALLTEXT_MAX, "%s(", name);

	for (unsigned int i = 0; i < calltext_count(call, h); i++) {
		if (call && calltext_left_out(call, h, i))
			continue;
		at += text_format(dst + at, CALLTEXT_MAX - at, "%s", i ? ", " : "");
		at += calltext_arg(call, h, i, files, dst + at, CALLTEXT_MAX - at);
	}
	at += text_format(dst + at, CALLTEXT_MAX - at, ") = ");
	return at + calltext_result(call, h, files, dst + at, CALLTEXT_MAX - at);
}

/* ---- JSON ---- */

static json_t *calltext_string(const char *bytes, size_t len)
{
	char *clean = malloc(3 * len + 1);
	json_t *s = NULL;

	if (clean)
		s = json_stringn_nocheck(clean, text_sanitise(clean, 3 * len + 1, bytes, len));
	free(clean);
	return s;
}

/* A value that is no string: a number where JSON has one for it, else its text. */
static json_t *calltext_json_number(unsigned int type, uint64_t v)
{
	char text[CALLTEXT_FILE_MAX];

	switch (type) {
	case CALLARG_INT:
	case CALLARG_FD:
	case CALLARG_DIRFD:
	case CALLARG_ID:
		return json_integer((int)v);
	case CALLARG_UINT:
		return json_integer((unsigned int)v);
	case CALLARG_LONG:
		return json_integer((json_int_t)v);
	case CALLARG_SIZE:
		return json_integer(v > INT64_MAX ? INT64_MAX : (json_int_t)v);
	default:
		calltext_number(type, v, text, sizeof(text));
		return json_string(text);
	}
}

/* Sets KEY and MORE, put together, of OBJECT. */
static bool calltext_set(json_t *object, const char *key, const char *more, json_t *value)
{
	char name[64];

	text_format(name, sizeof(name), "%s%s", key, more);
	return !json_object_set_new(object, name, value);
}

static bool calltext_json_arg(const struct callargs *call, const struct hit *h, unsigned int i,
			      const struct calltext_files *files, json_t *args)
{
	const struct callarg *a = &call->arg[i];
	const struct hit_text *t = callarg_is_memory(a->type) ? hit_text_of(h, i) : NULL;
	char name[3 * CALLTEXT_FILE_MAX];
	bool ok;

	if (t)
		return calltext_set(args, a->name, "", calltext_string(t->bytes, t->len)) &&
		       (!t->cut || calltext_set(args, a->name, "_cut", json_true()));
	ok = calltext_set(args, a->name, "", callarg_is_memory(a->type) ? json_null() :
			  calltext_json_number(a->type, h->arg[i]));
	if (calltext_is_fd(a->type) &&
	    calltext_file(files, h, (int)h->arg[i], calltext_file_of(call, h, i), name, sizeof(name)))
		ok = ok && calltext_set(args, a->name, "_path", json_string(name));
	return ok;
}

static bool calltext_json_result(const struct callargs *call, const struct hit *h, const struct calltext_files *files,
				 json_t *line)
{
	const unsigned int type = call ? call->result : CALLARG_LONG;
	const int error = calltext_error(h->result);
	const char *name = callflags_error(error);
	char file[3 * CALLTEXT_FILE_MAX];
	bool ok;

	if (h->open)
		return calltext_set(line, "result", "", json_null());
	ok = calltext_set(line, "result", "", error ? json_integer(-1) :
			  calltext_json_number(type, (uint64_t)h->result));
	if (error)
		ok = ok && calltext_set(line, "error", "", name ? json_string(name) : json_integer(error));
	else if (type == CALLARG_FD && calltext_file(files, h, (int)h->result, &h->made, file, sizeof(file)))
		ok = ok && calltext_set(line, "result_path", "", json_string(file));
	return ok;
}

bool calltext_json(const struct callargs *call, const struct hit *h, const struct calltext_files *files,
		   json_t *line)
{
	json_t *args = call ? json_object() : json_array();
	bool ok = args;

	for (unsigned int i = 0; i < calltext_count(call, h); i++) {
		if (!call)
			ok = ok && !json_array_append_new(args, calltext_json_number(CALLARG_NUMBER, h->arg[i]));
		else if (!calltext_left_out(call, h, i))
			ok = ok && calltext_json_arg(call, h, i, files, args);
	}
	ok = calltext_set(line, "args", "", args) && ok;
	return ok && calltext_json_result(call, h, files, line);
}
