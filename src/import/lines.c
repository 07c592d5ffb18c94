/* SPDX-License-Identifier: BSD-2-Clause */
/* lines.c - see lines.h. zlib gives what is not compressed as it is. */
#include "config.h"

#include "import/lines.h"

#include "base/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUF_BYTES (LINES_LONGEST + (256u << 10))

int lines_open(struct lines *l, int fd, const char *name, struct progress *p, struct err *e)
{
	const int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	*l = (struct lines){ .name = name, .progress = p };
	if (own < 0)
		return err_set(e, errno, "cannot read %s: %s", name, strerror(errno));
	l->file = gzdopen(own, "r");
	if (!l->file)
		close(own);
	l->buf = malloc(BUF_BYTES);
	if (!l->file || !l->buf)
		return err_nomem(e, name);
	return 0;
}

void lines_close(struct lines *l)
{
	if (l->file)
		gzclose_r(l->file);
	free(l->buf);
}

/* Reads more behind what is there, which begins at the front then. */
static int fill(struct lines *l, struct err *e)
{
	int k, code;

	memmove(l->buf, l->buf + l->at, l->n - l->at);
	l->n -= l->at;
	l->at = 0;
	k = gzread(l->file, l->buf + l->n, (unsigned int)(BUF_BYTES - 1 - l->n));
	if (l->progress)
		progress_at(l->progress, (uint64_t)gzoffset(l->file));
	if (k > 0) {
		l->n += (size_t)k;
		return 0;
	}
	gzerror(l->file, &code);
	if (code == Z_ERRNO)
		return err_set(e, errno, "cannot read %s: %s", l->name, strerror(errno));
	if (code != Z_OK && code != Z_BUF_ERROR && code != Z_STREAM_END)
		return err_set(e, EBADMSG, "%s is damaged behind line %llu: it is no gzip any more", l->name,
			       (unsigned long long)l->nr);
	l->cut = code == Z_BUF_ERROR;
	l->end = true;
	return 0;
}

int lines_next(struct lines *l, char **ret, size_t *ret_len, struct err *e)
{
	size_t seen = 0, len;
	char *newline;

	while (!(newline = memchr(l->buf + l->at + seen, '\n', l->n - l->at - seen)) && !l->end) {
		seen = l->n - l->at;
		if (seen > LINES_LONGEST)
			break;
		if (fill(l, e) < 0)
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
