/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_maps.c - any text as /proc/PID/maps, stat and status: what is parsed lies inside the text
 * and keeps its promises, and the mappings of any file overlay to a sorted space without overlaps.
 * What is told of nodes from the same texts (areas, allowed nodes, policies, stack pointers) stays
 * within its bounds.
 */
#include "config.h"

#include "numa/areas.h"
#include "numa/proctext.h"
#include "process/space.h"
#include "system/hugedevs.h"
#include "system/maps.h"
#include "system/procfs.h"

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

/* Everything that is known of nodes, of one text. */
struct nodes {
	struct areas areas;
	struct policies policies;
	dev_vec devs;
};

static void node_line(struct nodes *n, char *text, size_t len)
{
	struct maps_line m;
	uint64_t sp;

	policies_add(&n->policies, text, len);
	hugedevs_of_line(text, len, &n->devs);
	if (syscall_parse_sp(text, len, &sp))
		areas_saw_stack(&n->areas, sp);
	if (maps_parse(text, len, &m)) {
		must(areas_add(&n->areas, &m, n->devs.v, n->devs.n));
		areas_saw_stack(&n->areas, m.end - 1);
	}
}

static void check_nodes(struct nodes *n, const char *text)
{
	const struct areas *a = &n->areas;
	struct node_status st;
	char dst[NUMA_LIST_MAX];

	for (size_t i = 0; i < a->v.n; i++) {
		must(a->v.v[i].start < a->v.v[i].end && (!i || a->v.v[i - 1].end <= a->v.v[i].start));
		must(areas_find(a, a->v.v[i].start) == &a->v.v[i] && areas_find(a, a->v.v[i].end - 1) == &a->v.v[i]);
		must(area_kind(&a->v.v[i], a->v.v[i].start) < MAPPING_NR && area_path(a, &a->v.v[i]) != NULL);
		must(a->v.v[i].stack_end <= a->v.v[i].end);
	}
	must(strlen(policies_text(&n->policies, dst, sizeof(dst))) < sizeof(dst));
	node_status_parse(text, &st);
	must(strlen(st.mems) < sizeof(st.mems) && strlen(st.cpus) < sizeof(st.cpus));
	areas_free(&n->areas);
	vec_free(&n->devs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct space *s = space_new();
	struct nodes nodes = { 0 };
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
		node_line(&nodes, at, (size_t)(end - at));
		line(s, at, (size_t)(end - at));
		at = end + 1;
	}
	for (size_t i = 0; i < s->maps.n; i++)
		must(s->maps.v[i].start < s->maps.v[i].end && (!i || s->maps.v[i - 1].end <= s->maps.v[i].start));
	check_nodes(&nodes, text);
	free(text);
	space_free(s);
	return 0;
}
