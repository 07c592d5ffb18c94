/* SPDX-License-Identifier: BSD-2-Clause */
/* filelocks.c - the lines of /proc/locks, in which a holder stands before those who wait for it. */
#include "config.h"

#include "system/filelocks.h"

#include "base/cleanup.h"
#include "base/parse.h"
#include "system/procfs.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* Skips a word and the blanks behind it. */
static const char *skip_word(const char *at)
{
	at += strcspn(at, " ");
	return at + strspn(at, " ");
}

static bool take_sign(const char **at, char sign)
{
	if (**at != sign)
		return false;
	++*at;
	return true;
}

/* "fd:00:2531452" */
static bool take_file(const char *at, const char *end, struct file_lock *ret)
{
	uint64_t maj, min;

	if (!parse_hex(&at, end, &maj) || !take_sign(&at, ':') || !parse_hex(&at, end, &min) || !take_sign(&at, ':') ||
	    !parse_dec(&at, end, &ret->ino))
		return false;
	ret->maj = (uint32_t)maj;
	ret->min = (uint32_t)min;
	return true;
}

bool file_lock_parse(const char *line, struct file_lock *ret)
{
	const char *at = line, *end = line + strlen(line);
	struct file_lock lock = { .pid = -1 };
	uint64_t number;

	if (!parse_dec(&at, end, &number) || !take_sign(&at, ':'))
		return false;
	at += strspn(at, " ");
	lock.waits = !strncmp(at, "->", 2);
	if (lock.waits)
		at = skip_word(at);
	for (int i = 0; i < 3; i++)      /* its type, whether it is advisory, what it is for */
		at = skip_word(at);
	if (strncmp(at, "-1 ", 3) != 0) {
		if (!parse_dec(&at, end, &number) || number > INT32_MAX)
			return false;
		lock.pid = (pid_t)number;
	}
	if (!take_file(skip_word(at), end, &lock))
		return false;
	*ret = lock;
	return true;
}

struct file_lock_search {
	struct file_lock wanted;
	pid_t holder, found;
};

static void search_line(void *ctx, char *line, size_t len)
{
	struct file_lock_search *s = ctx;
	struct file_lock lock;

	line[len] = '\0';
	if (!file_lock_parse(line, &lock))
		return;
	if (!lock.waits)
		s->holder = lock.pid;
	else if (lock.pid == s->wanted.pid && lock.maj == s->wanted.maj && lock.min == s->wanted.min &&
		 lock.ino == s->wanted.ino && s->holder > 0 && !s->found)
		s->found = s->holder;
}

pid_t file_lock_holder(pid_t pid, uint32_t maj, uint32_t min, uint64_t ino)
{
	struct file_lock_search s = { .wanted = { .pid = pid, .maj = maj, .min = min, .ino = ino } };
	AUTO_FD int dir = open("/proc", O_DIRECTORY | O_RDONLY | O_CLOEXEC);

	if (dir < 0 || proc_read_lines(dir, "locks", search_line, &s) < 0)
		return 0;
	return s.found;
}
