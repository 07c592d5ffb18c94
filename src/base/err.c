/* SPDX-License-Identifier: BSD-2-Clause */
/* err.c - writing and decorating error sentences. */
#include "config.h"

#include "base/err.h"

#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void err_put(struct err *e, const char *raw)
{
	text_sanitise(e->text, sizeof(e->text), raw, strlen(raw));
}

int err_set(struct err *e, int code, const char *fmt, ...)
{
	char raw[ERR_TEXT_MAX];
	va_list ap;

	if (code <= 0)
		code = EINVAL;
	if (!e)
		return -code;
	va_start(ap, fmt);
	text_vformat(raw, sizeof(raw), fmt, ap);
	va_end(ap);
	e->code = code;
	err_put(e, raw);
	return -code;
}

int err_prefix(struct err *e, const char *fmt, ...)
{
	char raw[2 * ERR_TEXT_MAX];
	va_list ap;
	size_t n;

	if (!e || !e->code)
		return -EINVAL;
	va_start(ap, fmt);
	n = text_vformat(raw, ERR_TEXT_MAX, fmt, ap);
	va_end(ap);
	text_format(raw + n, sizeof(raw) - n, ": %s", e->text);
	err_put(e, raw);
	return -e->code;
}

int err_nomem(struct err *e, const char *what)
{
	return err_set(e, ENOMEM, "out of memory while building %s", what);
}
