/* SPDX-License-Identifier: BSD-2-Clause */
/* mapped.c - see mapped.h. The tables of a few processes are kept, the one used longest ago makes room. */
#include "config.h"

#include "cmd/mapped.h"

#include "base/clock.h"
#include "base/sorted.h"
#include "base/vec.h"
#include "system/procfs.h"

#include <stdlib.h>
#include <string.h>

#define TABLES 64u
#define FRESH_NS (200 * NSEC_PER_MSEC)   /* what was read so long ago is believed */
#define AGAIN_NS (10 * NSEC_PER_MSEC)    /* and when an address is not in it: no more often than this */

struct range {
	uint64_t start, end;
	char *name;
};

typedef VEC(struct range) range_vec;

struct table {
	pid_t pid;               /* 0 = unused */
	uint64_t read_ns, used_ns;
	range_vec range;         /* by address */
};

struct mapped {
	struct table table[TABLES];
};

struct mapped *mapped_new(void)
{
	return calloc(1, sizeof(struct mapped));
}

static void mapped_ranges_free(range_vec *v)
{
	for (size_t i = 0; i < v->n; i++)
		free(v->v[i].name);
	vec_free(v);
}

void mapped_free(struct mapped *m)
{
	for (size_t i = 0; m && i < TABLES; i++)
		mapped_ranges_free(&m->table[i].range);
	free(m);
}

static void mapped_table_add(void *ctx, const struct maps_line *l)
{
	range_vec *to = ctx;
	struct range *r = vec_push(to);
	const size_t len = map_name_len(l->name, l->name_len, NULL);

	if (!r)
		return;
	*r = (struct range){ .start = l->start, .end = l->end };
	/* "[heap]", "[stack]", "[vdso]", "[anon:name]"; none of a private mapping of nothing. */
	if (!len)
		r->name = strdup("anon");
	else if (len > 2 && l->name[0] == '[' && l->name[len - 1] == ']')
		r->name = strndup(l->name + 1, len - 2);
	else
		r->name = strndup(l->name, len);
}

/* Of a process that has ended, what was known stays. */
static void mapped_table_read(struct table *t, pid_t pid, uint64_t now_ns)
{
	AUTO_FD int dir = proc_open(pid);
	range_vec now = { 0 };

	if (dir >= 0)
		(void)proc_read_maps(dir, mapped_table_add, &now);
	t->read_ns = now_ns;
	if (!now.n && t->pid == pid)
		return;
	mapped_ranges_free(&t->range);
	t->pid = pid;
	t->range = now;
}

static const struct range *mapped_table_find(const struct table *t, uint64_t address)
{
	const size_t at = count_upto(t->range.v, t->range.n, end, address);

	return at < t->range.n && t->range.v[at].start <= address ? &t->range.v[at] : NULL;
}

/* The table of PID, or the one that is to become it. */
static struct table *mapped_table_of(struct mapped *m, pid_t pid)
{
	struct table *oldest = &m->table[0];

	for (size_t i = 0; i < TABLES; i++) {
		if (m->table[i].pid == pid)
			return &m->table[i];
		if (m->table[i].used_ns < oldest->used_ns)
			oldest = &m->table[i];
	}
	return oldest;
}

const char *mapped_name(struct mapped *m, pid_t pid, uint64_t address, uint64_t now_ns)
{
	struct table *t = mapped_table_of(m, pid);
	const struct range *r;

	if (t->pid != pid || now_ns > t->read_ns + FRESH_NS)
		mapped_table_read(t, pid, now_ns);
	t->used_ns = now_ns;
	r = mapped_table_find(t, address);
	if (!r && now_ns > t->read_ns + AGAIN_NS) {
		mapped_table_read(t, pid, now_ns);
		r = mapped_table_find(t, address);
	}
	return r ? r->name : NULL;
}
