/* SPDX-License-Identifier: BSD-2-Clause */
/* out.c - see out.h. */
#include "config.h"

#include "export/out.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

static void fail(struct out *o)
{
	o->error = errno ? errno : EIO;
}

void out_text(struct out *o, const char *s)
{
	if (!o->error && fputs(s, o->file) < 0)
		fail(o);
}

void out_format(struct out *o, const char *fmt, ...)
{
	va_list ap;

	if (o->error)
		return;
	va_start(ap, fmt);
	if (vfprintf(o->file, fmt, ap) < 0)
		fail(o);
	va_end(ap);
}

void out_guess(struct out *o, int width, uint64_t ns, uint64_t doubt_ns, const char *text)
{
	out_format(o, "%*s%s", width - (int)strlen(text), doubt_ns > ns / 2 ? "~" : "", text);
}

int out_end(struct out *o, struct err *e)
{
	if (!o->error && (fflush(o->file) || ferror(o->file)))
		fail(o);
	if (!o->error)
		return 0;
	return err_set(e, o->error, "the output cannot be written: %s", strerror(o->error));
}
