/* SPDX-License-Identifier: BSD-2-Clause */
/* srcfile.c - see srcfile.h. */
#include "config.h"

#include "annotate/srcfile.h"

#include "base/parse.h"
#include "base/text.h"
#include "base/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct srcfile {
	char *text;
	size_t len;
	VEC(uint32_t) start;     /* of each line */
	struct timespec changed;
};

/*
 * With privileges any file could be read, and the path comes from the target: `#line 1
 * "/etc/shadow"` would show it to whoever may only profile. Without them the kernel decides.
 */
static int check_readable(const struct stat *st, struct err *e)
{
	const char *sudo = getenv("SUDO_UID");
	uint64_t uid;

	if (geteuid() != 0 || st->st_mode & S_IROTH)
		return 0;
	if (sudo && !parse_u64(sudo, "SUDO_UID", 1, UINT32_MAX - 1, &uid, NULL) && uid == st->st_uid)
		return 0;
	return err_set(e, EACCES, "it is not for everybody to read, so privileges are not used to show it");
}

static int srcfile_read_all(struct srcfile *s, int fd, struct err *e)
{
	char *text;
	ssize_t n;

	s->text = malloc(SRCFILE_BYTES_MAX + 1ul);
	if (!s->text)
		return err_nomem(e, "a source file");
	while ((n = pread(fd, s->text + s->len, SRCFILE_BYTES_MAX + 1ul - s->len, (off_t)s->len))) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(e, errno, "%s", strerror(errno));
		s->len += (size_t)n;
		if (s->len > SRCFILE_BYTES_MAX)
			return err_set(e, EFBIG, "it has more than %u MiB", SRCFILE_BYTES_MAX >> 20);
	}
	text = realloc(s->text, s->len + 1);
	if (text)
		s->text = text;
	return 0;
}

static bool srcfile_find_lines(struct srcfile *s)
{
	for (size_t at = 0; at < s->len;) {
		const char *end = memchr(s->text + at, '\n', s->len - at);
		uint32_t *start = vec_push(&s->start);

		if (!start)
			return false;
		*start = (uint32_t)at;
		at = end ? (size_t)(end - s->text) + 1 : s->len;
	}
	return true;
}

int srcfile_read(int fd, struct srcfile **ret, struct err *e)
{
	AUTO(srcfile_free) struct srcfile *s = calloc(1, sizeof(*s));
	struct stat st;
	int r;

	if (!s)
		return err_nomem(e, "a source file");
	if (fstat(fd, &st) < 0)
		return err_set(e, errno, "%s", strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(e, EINVAL, "it is no regular file");
	s->changed = st.st_mtim;
	r = check_readable(&st, e);
	if (!r)
		r = srcfile_read_all(s, fd, e);
	if (r < 0)
		return r;
	if (!srcfile_find_lines(s))
		return err_nomem(e, "a source file");
	*ret = take_ptr(s);
	return 0;
}

void srcfile_free(struct srcfile *s)
{
	if (!s)
		return;
	free(s->text);
	vec_free(&s->start);
	free(s);
}

size_t srcfile_bytes(const struct srcfile *s)
{
	return s->len + s->start.n * sizeof(*s->start.v);
}

uint32_t srcfile_lines(const struct srcfile *s)
{
	return (uint32_t)s->start.n;
}

struct timespec srcfile_changed(const struct srcfile *s)
{
	return s->changed;
}

char *srcfile_line(const struct srcfile *s, uint32_t number, char *dst, size_t size)
{
	const char *from = number && number <= s->start.n ? s->text + s->start.v[number - 1] : NULL;
	const size_t left = from ? s->len - s->start.v[number - 1] : 0;
	char wide[SRCFILE_LINE_MAX];
	size_t n = 0;

	for (size_t i = 0; i < left && from[i] != '\n' && n < sizeof(wide); i++) {
		if (from[i] == '\t')
			do
				wide[n++] = ' ';
			while (n % SRCFILE_TAB && n < sizeof(wide));
		else if (from[i] != '\r' || (i + 1 < left && from[i + 1] != '\n'))
			wide[n++] = from[i];
	}
	while (n && wide[n - 1] == ' ')
		n--;
	text_sanitise(dst, size, wide, n);
	return dst;
}
