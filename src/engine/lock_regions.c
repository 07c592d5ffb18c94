/* SPDX-License-Identifier: BSD-2-Clause */
/* lock_regions.c - a list of regions for each process. */
#include "config.h"

#include "engine/lock_regions.h"

#include "base/clock.h"
#include "base/sorted.h"
#include "system/procfs.h"

#include <string.h>

#define PROCESSES_REMEMBERED 1024u
#define AGAIN_NS NSEC_PER_SEC

void lock_regions_free(struct lock_regions *r)
{
	for (size_t i = 0; i < r->of.n; i++)
		vec_free(&r->of.v[i].region);
	keyed_free(&r->of);
}

static bool lock_regions_is(const struct maps_line *m, const char *name)
{
	return m->name_len == strlen(name) && !memcmp(m->name, name, m->name_len);
}

/* What M is for locks; 0: something else, as a file that a program is made of. */
static uint32_t lock_regions_note(const struct maps_line *m)
{
	if (!m->write)
		return 0;
	if (m->shared)
		return NOTE_SHARED;
	if (lock_regions_is(m, "[heap]"))
		return NOTE_HEAP;
	if (lock_regions_is(m, "[stack]"))
		return NOTE_STACK;
	return map_what(m->name, m->name_len) == WHAT_ANON ? NOTE_ANON : 0;
}

static void lock_regions_take(void *ctx, const struct maps_line *m)
{
	struct lock_regions_of *of = ctx;
	const uint32_t note = lock_regions_note(m);
	struct lock_region *last = of->region.n ? &of->region.v[of->region.n - 1] : NULL;

	if (!note)
		return;
	if (last && last->end == m->start && last->note == note) {
		last->end = m->end;
		return;
	}
	last = vec_push(&of->region);
	if (last)
		*last = (struct lock_region){ m->start, m->end, (enum note_kind)note };
}

static void lock_regions_read(struct lock_regions_of *of, uint64_t now_ns)
{
	AUTO_FD int dir = proc_open((pid_t)of->pid);

	of->region.n = 0;
	of->read_ns = now_ns;
	if (dir >= 0)
		(void)proc_read_maps(dir, lock_regions_take, of);
}

static uint64_t lock_regions_find(const struct lock_regions_of *of, uint64_t address)
{
	const size_t at = count_upto(of->region.v, of->region.n, end, address);

	return at < of->region.n && of->region.v[at].start <= address ? of->region.v[at].note : 0;
}

uint64_t lock_regions_at(struct lock_regions *r, pid_t pid, uint64_t address, uint64_t now_ns)
{
	const struct lock_regions_of want = { .pid = (uint64_t)pid };
	uint32_t id = keyed_find(&r->of, &want, read_ns);
	struct lock_regions_of *of;
	uint64_t note;

	if (id == HIDX_NONE && r->of.n < PROCESSES_REMEMBERED)
		id = keyed_get(&r->of, &want, read_ns);
	if (id == HIDX_NONE)
		return 0;
	of = &r->of.v[id];
	note = lock_regions_find(of, address);
	if (note || (of->read_ns && now_ns < of->read_ns + AGAIN_NS))
		return note;
	lock_regions_read(of, now_ns);
	return lock_regions_find(of, address);
}
