/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_maps.c - any text as /proc/PID/maps, stat and status: what is parsed lies inside the text and keeps its promises, and
 * the mappings of any file overlay to a sorted space without overlaps.
 */
#include "config.h"

#include "process/maps.h"
#include "process/procfs.h"
#include "process/space.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void line(struct space *s, char *text, size_t len)
{
	struct maps_line m;
	struct mapping map;
	bool deleted;
	size_t n;

	if (!maps_parse(text, len, &m))
		return;
	must(m.start < m.end && m.name >= text && m.name_len <= len && m.name + m.name_len <= text + len);
	n = map_name_len(m.name, m.name_len, &deleted);
	must(deleted == (n != m.name_len));
	map = (struct mapping){ .start = m.start, .end = m.end, .pgoff = m.pgoff, .backing = (backing_id)m.ino % 8 };
	if (!m.exec)
		map.backing = BACKING_NONE;
	else if (map_what(m.name, m.name_len) == WHAT_ANON)
		map.backing = BACKING_ANON;
	must(space_map(s, &map));
	must((space_find(s, m.start) != NULL) == m.exec && (space_find(s, m.end - 1) != NULL) == m.exec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct space *s = space_new();
	char *text = malloc(size + 1);
	struct proc_stat stat;
	struct proc_status status;

	must(s && text);
	memcpy(text, data, size);
	text[size] = '\0';
	if (proc_parse_stat(text, size, &stat))
		must(memchr(stat.comm, '\0', sizeof(stat.comm)) != NULL);
	proc_parse_status(text, &status);
	for (char *at = text; at < text + size;) {
		char *end = memchr(at, '\n', (size_t)(text + size - at));

		end = end ? end : text + size;
		line(s, at, (size_t)(end - at));
		at = end + 1;
	}
	for (size_t i = 0; i < s->maps.n; i++)
		must(s->maps.v[i].start < s->maps.v[i].end && (!i || s->maps.v[i - 1].end <= s->maps.v[i].start));
	free(text);
	space_free(s);
	return 0;
}
