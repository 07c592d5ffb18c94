/* SPDX-License-Identifier: BSD-2-Clause */
/* lines.c - see lines.h. */
#include "config.h"

#include "import/lines.h"

#include "base/progress.h"
#include "base/sizes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BUF_FIRST ((size_t)BUFFER_SIZE(256u << 10, 256u))
#define BUF_MOST ((size_t)LINES_LONGEST + BUF_FIRST)
#define SNIFF_BYTES 4u           /* of the text, which tell how it is encoded */

/* Makes room behind what is there, which begins at the front then. */
static int make_room(struct lines *l, struct err *e)
{
	const size_t more = l->size * 2 < BUF_MOST ? l->size * 2 : BUF_MOST;
	char *buf;

	memmove(l->buf, l->buf + l->at, l->n - l->at);
	l->n -= l->at;
	l->at = 0;
	if (l->n + 1 < l->size)
		return 0;
	buf = realloc(l->buf, more);
	if (!buf)
		return err_nomem(e, "a line of an import");
	l->buf = buf;
	l->size = more;
	return 0;
}

/* Reads more behind what is there. */
static int lines_fill(struct lines *l, struct err *e)
{
	ssize_t k;
	int r = make_room(l, e);

	if (r < 0)
		return r;
	k = packed_read(l->file, l->buf + l->n, l->size - 1 - l->n, e);
	if (l->progress)
		progress_at(l->progress, packed_done(l->file));
	if (k == -EBADMSG)
		return err_set(e, EBADMSG, "%s is damaged behind line %llu: it is no %s any more", l->name,
			       (unsigned long long)l->nr, packed_format(l->file));
	if (k < 0)
		return (int)k;
	l->n += (size_t)k;
	l->end = !k;
	l->cut = l->end && packed_cut(l->file);
	return 0;
}

/* How the text is encoded, when it is not UTF-8, by the zeros that stand beside or for ASCII; else NULL. */
static const char *other_encoding(const char *s, size_t n)
{
	if (n >= 4 && (!memcmp(s, "\xff\xfe\0\0", 4) || !memcmp(s, "\0\0\xfe\xff", 4)))
		return "UTF-32";
	if (n >= 2 && (!memcmp(s, "\xff\xfe", 2) || !memcmp(s, "\xfe\xff", 2)))
		return "UTF-16";
	if (n < 4)
		return NULL;
	if (s[0] && !s[1] && s[2] && !s[3])
		return "UTF-16LE";
	return !s[0] && s[1] && !s[2] && s[3] ? "UTF-16BE" : NULL;
}

/* Looks at how the text begins. */
static int begin_text(struct lines *l, struct err *e)
{
	const char *other;

	while (l->n < SNIFF_BYTES && !l->end)
		if (lines_fill(l, e) < 0)
			return -e->code;
	other = other_encoding(l->buf, l->n);
	if (other)
		return err_set(e, EBADMSG, "%s is text in %s, and UTF-8 is read: use `iconv -f %s -t UTF-8 FILE | "
			       "sberf ... -`", l->name, other, other);
	if (l->n >= 3 && !memcmp(l->buf, "\xef\xbb\xbf", 3))
		l->at = 3;
	return 0;
}

int lines_open(struct lines *l, int fd, const char *name, struct progress *p, struct err *e)
{
	int r;

	*l = (struct lines){ .name = name, .progress = p, .buf = malloc(BUF_FIRST), .size = BUF_FIRST };
	if (!l->buf)
		return err_nomem(e, name);
	r = packed_open(&l->file, fd, name, e);
	return r < 0 ? r : begin_text(l, e);
}

void lines_close(struct lines *l)
{
	packed_close(l->file);
	free(l->buf);
}

int lines_next(struct lines *l, char **ret, size_t *ret_len, struct err *e)
{
	size_t seen = 0, len;
	char *newline;

	while (!(newline = memchr(l->buf + l->at + seen, '\n', l->n - l->at - seen)) && !l->end) {
		seen = l->n - l->at;
		if (seen > LINES_LONGEST)
			break;
		if (lines_fill(l, e) < 0)
			return -e->code;
	}
	len = newline ? (size_t)(newline - (l->buf + l->at)) : l->n - l->at;
	if (!newline && !len)
		return 0;
	l->nr++;
	if (len > LINES_LONGEST)
		return err_set(e, EMSGSIZE, "line %llu of %s has more than %u bytes: no stack is as long as that",
			       (unsigned long long)l->nr, l->name, LINES_LONGEST);
	*ret = l->buf + l->at;
	l->at += len + (newline != NULL);
	l->unfinished = !newline;
	if (len && (*ret)[len - 1] == '\r')
		len--;
	(*ret)[len] = '\0';
	*ret_len = len;
	return 1;
}
