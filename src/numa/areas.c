/* SPDX-License-Identifier: BSD-2-Clause */
/* areas.c - see areas.h. */
#include "config.h"

#include "numa/areas.h"

#include "base/sorted.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#define ABOVE_SP (128u << 10)    /* of a stack larger than usual: what is taken for it above a stack pointer */
#define TEXT_MAX (64u << 20)     /* bytes of paths */

static bool areas_starts(const struct maps_line *m, const char *prefix)
{
	const size_t n = strlen(prefix);

	return m->name_len >= n && !memcmp(m->name, prefix, n);
}

struct rule {
	const char *prefix;      /* the first that fits decides */
	enum mapping_kind kind;
};

/* fs/proc/task_mmu.c, show_map_vma(); mm/shmem.c, ipc/shm.c, fs/hugetlbfs/inode.c for the names of files in memory. */
static const struct rule rules[] = {
	{ "[heap]", MAPPING_HEAP },
	{ "[stack", MAPPING_STACK },             /* before 4.5 also "[stack:TID]" */
	{ "[anon:stack", MAPPING_STACK },        /* bionic names its threads' stacks */
	{ "[anon_shmem:", MAPPING_SHARED },
	{ "[anon", MAPPING_ANON },
	{ "[", MAPPING_KERNEL },
	{ "/anon_hugepage", MAPPING_HUGE },
	{ "/memfd:", MAPPING_SHARED },
	{ "/SYSV", MAPPING_SHARED },
	{ "/dev/shm/", MAPPING_SHARED },
	{ "/", MAPPING_FILE },
	{ "", MAPPING_KERNEL },                  /* "anon_inode:[perf_event]" and the like */
};

static bool areas_is_one_of(uint64_t dev, const uint64_t *devs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (devs[i] == dev)
			return true;
	return false;
}

static enum mapping_kind areas_kind_of(const struct maps_line *m, uint64_t dev, const uint64_t *devs, size_t nr_devs)
{
	const struct rule *r = rules;

	if (m->ino && areas_is_one_of(dev, devs, nr_devs))
		return MAPPING_HUGE;
	/*
	 * Shared memory without a name is a file of this name inside the kernel; a private mapping
	 * of the device is plain memory.
	 */
	if (!m->name_len || areas_starts(m, "/dev/zero"))
		return m->shared ? MAPPING_SHARED : MAPPING_ANON;
	while (!areas_starts(m, r->prefix))
		r++;
	return r->kind;
}

enum mapping_kind areas_kind_named(const struct maps_line *m)
{
	return areas_kind_of(m, 0, NULL, 0);
}

/* Whether a file can be named that somebody made: not those that only the kernel knows. */
static bool has_file(const struct maps_line *m, enum mapping_kind kind)
{
	return m->ino &&
	       (kind == MAPPING_FILE || (kind != MAPPING_ANON &&
					 (areas_starts(m, "/memfd:") || areas_starts(m, "/dev/shm/"))));
}

/* Keeps the name of M for A, which is behind LAST (NULL = the first). Neighbours are often of one file. */
static bool areas_add_path(struct areas *a, struct area *area, const struct area *last, const struct maps_line *m)
{
	const size_t len = map_name_len(m->name, m->name_len, NULL);

	if (last && last->ino == area->ino && last->dev == area->dev && strlen(area_path(a, last)) == len &&
	    !memcmp(area_path(a, last), m->name, len)) {
		area->path = last->path;
		return true;
	}
	if (a->text.n + len + 1 > TEXT_MAX || !vec_reserve(&a->text, len + 1))
		return false;
	area->path = (uint32_t)a->text.n;
	memcpy(a->text.v + a->text.n, m->name, len);
	a->text.v[a->text.n + len] = '\0';
	a->text.n += len + 1;
	return true;
}

/* Where a stack of A with a pointer SP in it ends. */
static uint64_t stack_end(const struct area *a, uint64_t sp)
{
	const uint64_t usual = a->start + STACK_USUAL, above = sp + ABOVE_SP;
	const uint64_t end = above > usual ? above : usual;

	return end < a->end && end > a->start ? end : a->end;
}

/* The stack that was seen to begin at START, NULL when none was. */
static struct stack_seen *areas_find_stack(const struct areas *a, uint64_t start)
{
	const size_t n = count_upto(a->stacks.v, a->stacks.n, start, start);

	return n && a->stacks.v[n - 1].start == start ? &a->stacks.v[n - 1] : NULL;
}

/* The area is a stack when one was seen that began where it does. */
static void recall_stack(const struct areas *a, struct area *area)
{
	const struct stack_seen *s = areas_find_stack(a, area->start);

	if (s)
		area->stack_end = s->end < area->end ? s->end : area->end;
}

bool areas_add(struct areas *a, const struct maps_line *m, const uint64_t *devs, size_t nr_devs)
{
	const struct area *last = a->v.n ? &a->v.v[a->v.n - 1] : NULL;
	const uint64_t dev = makedev(m->maj, m->min);
	struct area area = { .start = m->start, .end = m->end, .none = !m->read && !m->write && !m->exec };

	if (last && m->start < last->end)
		return true;
	area.kind = (uint8_t)areas_kind_of(m, dev, devs, nr_devs);
	if (has_file(m, area.kind)) {
		area.dev = dev;
		area.ino = m->ino;
		if (!areas_add_path(a, &area, last, m))
			return false;
	}
	area.guarded = area.kind == MAPPING_ANON && m->write && last && last->none && last->kind == MAPPING_ANON &&
		       last->end == area.start;
	if (area.guarded)
		recall_stack(a, &area);
	if (a->v.n == AREAS_MAX || !vec_reserve(&a->v, 1))
		return false;
	*vec_push(&a->v) = area;
	return true;
}

/* The same, and what is found may be changed. */
static struct area *areas_find_at(const struct areas *a, uint64_t addr)
{
	const size_t n = count_upto(a->v.v, a->v.n, start, addr);

	return n && addr < a->v.v[n - 1].end ? &a->v.v[n - 1] : NULL;
}

const struct area *areas_find(const struct areas *a, uint64_t addr)
{
	return areas_find_at(a, addr);
}

enum mapping_kind area_kind(const struct area *area, uint64_t addr)
{
	if (!area)
		return MAPPING_UNKNOWN;
	return addr < area->stack_end ? MAPPING_STACK : (enum mapping_kind)area->kind;
}

const char *area_path(const struct areas *a, const struct area *area)
{
	return area->ino ? a->text.v + area->path : "";
}

/*
 * Remembers S, in the place of an older one that began there. What does not fit is forgotten with
 * the next reading of maps.
 */
static void areas_remember(struct areas *a, const struct stack_seen *s)
{
	const size_t at = count_upto(a->stacks.v, a->stacks.n, start, s->start);
	struct stack_seen *old = areas_find_stack(a, s->start);

	if (old) {
		*old = *s;
		return;
	}
	if (a->stacks.n == STACKS_MAX || !vec_reserve(&a->stacks, 1))
		return;
	memmove(&a->stacks.v[at + 1], &a->stacks.v[at], (a->stacks.n - at) * sizeof(*s));
	a->stacks.v[at] = *s;
	a->stacks.n++;
}

void areas_saw_stack(struct areas *a, uint64_t sp)
{
	struct area *area = areas_find_at(a, sp);

	if (!area || !area->guarded || sp < area->stack_end)
		return;
	area->stack_end = stack_end(area, sp);
	areas_remember(a, &(struct stack_seen){ area->start, area->stack_end });
}

void areas_reset(struct areas *a)
{
	a->v.n = a->text.n = 0;
}

void areas_free(struct areas *a)
{
	vec_free(&a->v);
	vec_free(&a->text);
	vec_free(&a->stacks);
}

size_t areas_bytes(const struct areas *a)
{
	return a->v.cap * sizeof(*a->v.v) + a->text.cap + a->stacks.cap * sizeof(*a->stacks.v);
}
