/* SPDX-License-Identifier: BSD-2-Clause */
/* pipeends.c - compares links by their text: the number of the inode tells pipes apart. */
#include "config.h"

#include "system/pipeends.h"

#include "system/openfiles.h"

#include <fcntl.h>
#include <string.h>

struct pipeends_search {
	const char *link;
	bool writes;
	pid_t *pid;
	size_t n, max;
	pid_t last;              /* the last that has it: a process counts once */
};

static bool pipeends_see(void *ctx, const struct openfile *f)
{
	struct pipeends_search *s = ctx;
	unsigned long flags;

	if (f->pid == s->last || strcmp(f->to, s->link) || !openfile_number(f, "flags:", 8, &flags))
		return true;
	if ((flags & O_ACCMODE) != O_RDWR && (flags & O_ACCMODE) != (s->writes ? O_WRONLY : O_RDONLY))
		return true;
	if (s->n < s->max)
		s->pid[s->n] = f->pid;
	s->n++;
	s->last = f->pid;
	return true;
}

size_t pipe_ends(const char *link, bool writes, pid_t *ret, size_t max)
{
	struct pipeends_search s = { .link = link, .writes = writes, .pid = ret, .max = max };

	openfiles_each(pipeends_see, &s);
	return s.n;
}
