/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_import.c - any bytes as text of another tool: the first byte chooses which, and what is
 * asked of it. Weights that went in come out again.
 */
#include "config.h"

#include "import/import.h"
#include "query/leaks.h"
#include "query/query.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define ASKS_EVENT 0x40u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of memory all that was allocated is freed or in use. */
static void look_at_memory(const struct snapshot *s, const struct names *names)
{
	const struct query q = { 0 };
	AUTO(leaks_free) struct leaks *l = NULL;

	if (!leaks_build(s, names, &q, &(struct leaks_wish){ 0 }, &l, NULL) &&
	    l->all.allocated != l->all.freed + l->all.in_use)
		abort();
}

/* What is in P is named, sorted and labelled as a report does. */
static void look(struct profile *p, const struct names *names, uint64_t want_ns)
{
	const struct query q = { .group_by = GROUP_COMM };
	AUTO(snapshot_unref) struct snapshot *s = profile_snapshot(p);
	AUTO(tree_free) struct tree *t = NULL;
	char label[LABEL_MAX];

	if (!s || tree_build(s, names, &q, &t, NULL) < 0)
		return;
	if (t->node[0].total_ns != want_ns)
		abort();
	look_at_memory(s, names);
	for (uint32_t i = 0; i < t->n; i++)
		tree_label(t, i, label, sizeof(label));
}

static void load(int fd, enum import_format format, const char *event)
{
	const struct profile_limits limits = { .bytes = 16u << 20 };
	AUTO(profile_free) struct profile *p = profile_new(&limits);
	AUTO(names_free) struct names *names = names_new();
	struct import_report report;
	struct profile_meta meta;
	struct err e = ERR_INIT;

	if (!p || !names)
		return;
	if (!import_read(fd, "input", &(struct import_options){ .format = format, .event = event }, p, names,
			 &meta, &report, &e))
		look(p, names, meta.oncpu_ns + meta.blocked_ns + meta.runnable_ns);
	else if (!e.text[0])
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const int fd = memfd_create("input", MFD_CLOEXEC);

	if (size && fd >= 0 && write(fd, data + 1, size - 1) == (ssize_t)(size - 1) && !lseek(fd, 0, SEEK_SET))
		load(fd, IMPORT_NONE + 1 + (data[0] & ~ASKS_EVENT) % (IMPORT_NR - 1),
		     data[0] & ASKS_EVENT ? "cycles" : NULL);
	if (fd >= 0)
		close(fd);
	return 0;
}
