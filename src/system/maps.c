/* SPDX-License-Identifier: BSD-2-Clause */
/* maps.c - one cursor over one line; names are classified by a table. */
#include "config.h"

#include "system/maps.h"

#include "base/parse.h"

#include <string.h>

#define HUGE_PAGE (2ull << 20)            /* the smallest one, of x86-64 and of AArch64 with pages of 4 KB */

static bool maps_skip(const char **p, const char *end, char c)
{
	if (*p == end || **p != c)
		return false;
	(*p)++;
	return true;
}

/* "r-xp": four characters. */
static bool take_perms(const char **p, const char *end, struct maps_line *m)
{
	if (end - *p < 4)
		return false;
	m->read = (*p)[0] == 'r';
	m->write = (*p)[1] == 'w';
	m->exec = (*p)[2] == 'x';
	m->shared = (*p)[3] == 's';
	*p += 4;
	return true;
}

static bool take_u32_hex(const char **p, const char *end, uint32_t *ret)
{
	uint64_t v;

	if (!parse_hex(p, end, &v) || v > UINT32_MAX)
		return false;
	*ret = (uint32_t)v;
	return true;
}

/* Turns each \012 in the LEN bytes at S into a newline, in place; returns the new length. */
static size_t restore_newlines(char *s, size_t len)
{
	size_t to = 0;

	for (size_t from = 0; from < len; to++) {
		if (len - from >= 4 && !memcmp(s + from, "\\012", 4)) {
			s[to] = '\n';
			from += 4;
		} else {
			s[to] = s[from++];
		}
	}
	return to;
}

bool maps_parse(char *line, size_t len, struct maps_line *ret)
{
	const char *p = line, *end = line + len;
	struct maps_line m;
	char *name;

	if (!parse_hex(&p, end, &m.start) || !maps_skip(&p, end, '-') || !parse_hex(&p, end, &m.end) ||
	    m.start >= m.end ||
	    !maps_skip(&p, end, ' ') || !take_perms(&p, end, &m) || !maps_skip(&p, end, ' ') ||
	    !parse_hex(&p, end, &m.pgoff) ||
	    !maps_skip(&p, end, ' ') || !take_u32_hex(&p, end, &m.maj) || !maps_skip(&p, end, ':') ||
	    !take_u32_hex(&p, end, &m.min) || !maps_skip(&p, end, ' ') || !parse_dec(&p, end, &m.ino))
		return false;
	/* An anonymous mapping ends here or after one space; a name stands behind at least one space of padding. */
	if (p != end && *p != ' ')
		return false;
	while (p != end && *p == ' ')
		p++;
	name = line + (p - line);
	m.name = name;
	m.name_len = restore_newlines(name, (size_t)(end - p));
	*ret = m;
	return true;
}

static bool maps_starts(const char *s, size_t len, const char *prefix)
{
	const size_t n = strlen(prefix);

	return len >= n && !memcmp(s, prefix, n);
}

static bool maps_is(const char *s, size_t len, const char *whole)
{
	return len == strlen(whole) && !memcmp(s, whole, len);
}

enum map_what map_what(const char *name, size_t len)
{
	/*
	 * Shared anonymous memory has a file only inside the kernel: shmem_zero_setup(), ipc/shm.c,
	 * hugetlbfs, anon_inodes.
	 */
	static const char *const anon[] = { "/dev/zero", "/SYSV", "/anon_hugepage", "anon_inode:", "//anon",
					    "[heap]", "[stack", "[anon" };

	if (!len)
		return WHAT_ANON;
	if (maps_is(name, len, "[vdso]"))
		return WHAT_VDSO;
	for (size_t i = 0; i < sizeof(anon) / sizeof(*anon); i++)
		if (maps_starts(name, len, anon[i]))
			return WHAT_ANON;
	if (name[0] == '[')
		return WHAT_SPECIAL;
	return name[0] == '/' ? WHAT_FILE : WHAT_ANON;
}

bool map_is_memory(const char *name, size_t len)
{
	return map_what(name, len) == WHAT_ANON || maps_starts(name, len, "/memfd:");
}

bool map_may_be_huge(uint32_t maj, uint64_t start, uint64_t end, uint64_t pgoff)
{
	return !maj && !((start | end | pgoff) & (HUGE_PAGE - 1));
}

size_t map_name_len(const char *name, size_t len, bool *ret_deleted)
{
	static const char mark[] = " (deleted)";
	const size_t n = sizeof(mark) - 1;
	const bool deleted = len > n && !memcmp(name + len - n, mark, n);

	if (ret_deleted)
		*ret_deleted = deleted;
	return deleted ? len - n : len;
}
