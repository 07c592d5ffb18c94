/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * remember.c - reads and writes the file that keeps open panes and the look of the tree from one
 * run to the next.
 */
#include "config.h"

#include "ui/remember.h"

#include "base/cleanup.h"
#include "base/part.h"
#include "export/outfile.h"
#include "ui/panes/pane.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX 4096u           /* a longer one is none of ours */
#define BLANKS " \t\r"

bool remembered_same(const struct remembered *a, const struct remembered *b)
{
	return a->open == b->open && a->focus == b->focus && a->sort == b->sort && a->group == b->group &&
		a->options == b->options;
}

/* PANES = none is called NAME. */
static enum pane_id pane_called(struct part name)
{
	enum pane_id p = 0;

	while (p < PANES && !part_is(name, pane_info(p)->name))
		p++;
	return p;
}

static const char *const sorts[SORT_NR] = {
	[SORT_TOTAL] = "total", [SORT_SELF] = "self", [SORT_RUNNING] = "running", [SORT_RUNNABLE] = "runnable",
	[SORT_BLOCKED] = "blocked", [SORT_FOURTH] = "fourth", [SORT_FIFTH] = "fifth", [SORT_SIXTH] = "sixth",
	[SORT_NAME] = "name",
};

static const char *const groups[] = {
	[GROUP_NONE] = "none", [GROUP_PROCESS] = "process", [GROUP_EXE] = "exe", [GROUP_COMM] = "comm",
	[GROUP_THREAD] = "thread", [GROUP_CGROUP] = "cgroup",
	[GROUP_CONTAINER] = "container",
};
#define GROUPS_NR (sizeof(groups) / sizeof(groups[0]))

static const char *const options[REMEMBERED_NR] = {
#define X(id, name, member) [REMEMBERED_##id] = name,
	REMEMBERED_OPTIONS(X)
#undef X
};

/* Which of the N words TEXT is; N = none. */
static size_t word_called(const char *const *word, size_t n, struct part text)
{
	size_t i = 0;

	while (i < n && !part_is(text, word[i]))
		i++;
	return i;
}

/* The next word of *IN, which moves behind it; an empty one at the end. */
static struct part remember_next_word(struct part *in)
{
	const char *from = in->s, *end = in->s + in->len, *to;

	while (from < end && strchr(BLANKS, *from))
		from++;
	for (to = from; to < end && !strchr(BLANKS, *to); to++)
		;
	*in = (struct part){ to, (size_t)(end - to) };
	return (struct part){ from, (size_t)(to - from) };
}

/* The words of LINE as a mask of panes; false when one is none. */
static bool parse_panes(struct part line, unsigned int *ret)
{
	struct part word;

	*ret = 0;
	while ((word = remember_next_word(&line)).len) {
		const enum pane_id p = pane_called(word);

		if (p == PANES)
			return false;
		*ret |= 1u << p;
	}
	return *ret;
}

/* The words of LINE behind KEY, which say how the tree looked. Words of a later version are skipped. */
static void parse_look(struct part key, struct part line, struct remembered *r)
{
	struct part word;

	while ((word = remember_next_word(&line)).len) {
		const size_t sort = word_called(sorts, SORT_NR, word), group = word_called(groups, GROUPS_NR, word),
			option = word_called(options, REMEMBERED_NR, word);

		if (part_is(key, "sort") && sort < SORT_NR)
			r->sort = (enum sort_by)sort;
		if (part_is(key, "group") && group < GROUPS_NR)
			r->group = (unsigned int)group + 1;
		if (part_is(key, "options") && option < REMEMBERED_NR)
			r->options |= 1u << option;
	}
}

/* A key that a later version may write: lower case letters and "_". */
static bool remember_may_be_key(struct part key)
{
	for (size_t i = 0; i < key.len; i++)
		if (key.s[i] != '_' && !(key.s[i] >= 'a' && key.s[i] <= 'z'))
			return false;
	return true;
}

static bool remember_parse_line(struct part line, struct remembered *r)
{
	const struct part key = remember_next_word(&line);
	unsigned int panes;

	if (!key.len || *key.s == '#')
		return true;
	if (part_is(key, "panes"))
		return parse_panes(line, &r->open);
	parse_look(key, line, r);
	if (!part_is(key, "focus"))
		return remember_may_be_key(key);
	if (!parse_panes(line, &panes) || (panes & (panes - 1)))
		return false;
	r->focus = (enum pane_id)__builtin_ctz(panes);
	return true;
}

int remember_parse(const char *text, size_t len, struct remembered *ret, unsigned int *ret_line)
{
	struct remembered r = { .focus = PANES };
	struct part in = { text, len };

	for (*ret_line = 1; in.len; ++*ret_line) {
		const struct part line = part_cut(&in, '\n');

		if (memchr(line.s, '\0', line.len) || !remember_parse_line(line, &r))
			return -EINVAL;
	}
	if (r.focus == PANES || !(r.open & 1u << r.focus))
		return -EINVAL;
	*ret = r;
	return 0;
}

bool remember_path(char *dst, size_t size)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int n = -1;

	if (config && *config == '/')
		n = snprintf(dst, size, "%s/sberf/view", config);
	else if (home && *home == '/')
		n = snprintf(dst, size, "%s/.config/sberf/view", home);
	return n > 0 && (size_t)n < size;
}

int remember_read(const char *path, struct remembered *ret, struct err *e)
{
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char text[FILE_MAX];
	unsigned int line;
	ssize_t n;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? -ENOENT :
			err_set(e, errno, "cannot read %s: %s", path, strerror(errno));
	n = read(fd, text, sizeof(text));
	if (n < 0)
		return err_set(e, errno, "cannot read %s: %s", path, strerror(errno));
	if ((size_t)n == sizeof(text))
		return err_set(e, EINVAL, "%s is too long to be what it should: it is ignored", path);
	if (remember_parse(text, (size_t)n, ret, &line) < 0)
		return err_set(e, EINVAL, "%s is damaged at line %u: it is ignored", path, line);
	return 0;
}

/* The folder of PATH, in place; false when it has none. */
static bool remember_up(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || slash == path)
		return false;
	*slash = '\0';
	return true;
}

/* Makes the folders that PATH is to be in. 1 = somebody else's are left alone. */
static int make_folders(const char *path, struct err *e)
{
	char config[PATH_MAX], own[PATH_MAX];
	struct stat st;

	if (strlen(path) >= sizeof(own))
		return err_set(e, ENAMETOOLONG, "the path of what the view remembers is too long");
	strcpy(config, strcpy(own, path));
	if (!remember_up(own) || !remember_up(config) || !remember_up(config))
		return err_set(e, EINVAL, "%s is in no folder", path);
	if (mkdir(config, 0700) < 0 && errno != EEXIST)
		return err_set(e, errno, "cannot make %s: %s", config, strerror(errno));
	if (stat(config, &st) < 0)
		return err_set(e, errno, "cannot look at %s: %s", config, strerror(errno));
	if (st.st_uid != geteuid())
		return 1;
	if (mkdir(own, 0700) < 0 && errno != EEXIST)
		return err_set(e, errno, "cannot make %s: %s", own, strerror(errno));
	return 0;
}

static int remember_put(FILE *f, const struct remembered *what)
{
	fputs("# What sberf top showed last; made anew when it ends.\npanes", f);
	for (enum pane_id p = 0; p < PANES; p++) {
		if (what->open & 1u << p)
			fprintf(f, " %s", pane_info(p)->name);
	}
	fprintf(f, "\nfocus %s\n", pane_info(what->focus)->name);
	if (what->sort != SORT_TOTAL)
		fprintf(f, "sort %s\n", sorts[what->sort]);
	if (what->group)
		fprintf(f, "group %s\n", groups[what->group - 1]);
	for (unsigned int i = 0; i < REMEMBERED_NR; i++) {
		if (what->options & 1u << i)
			fprintf(f, "options %s\n", options[i]);
	}
	return ferror(f) ? -EIO : 0;
}

int remember_write(const char *path, const struct remembered *what, struct err *e)
{
	struct outfile out;
	int r = make_folders(path, e);

	if (r)
		return r < 0 ? r : 0;
	r = outfile_open(&out, path, NULL, e);
	return r < 0 ? r : outfile_close(&out, remember_put(out.file, what), e);
}
