// SPDX-License-Identifier: BSD-2-Clause
/*
 * putting.c - the rules of a process go into the maps of a BPF program that uses sberf/bpf.h.
 *
 * Rules are those of files: they are put in once for each, and each process has a list of what it has
 * mapped. Rows are never taken back, since a program may be in the middle of a walk by them; when there
 * is no room for more, the stacks that need them are copied. Lists are: of a process that is over, or forgotten, at
 * once, and of one that maps or unmaps code until its next record.
 */
#include "config.h"

#include "lib/handle.h"

#include "unwind/rows.h"

#include <errno.h>
#include <linux/bpf.h>
#include <sberf/record.h>
#include <string.h>
#include <sys/syscall.h>

#define ROW_ENDS 0u                      /* the first row: a frame that has no caller, for handles of SBERF_OFF */
#define PIECE (1u << 16)                 /* bytes of code whose rows are computed at once ... */
#define PIECE_ROWS 32768u                /* ... and that they are at most */
#define LISTED_MAX 4096u                 /* mappings of a process that are looked at */

_Static_assert(SBERF_RULE_SP == (int)RULE_SP && SBERF_RULE_BP == (int)RULE_BP && SBERF_RULE_PLT == (int)RULE_PLT &&
	       SBERF_RULE_DRAP == (int)RULE_DRAP && SBERF_RULE_END == (int)RULE_END &&
	       SBERF_RULE_SIGNAL == (int)RULE_SIGNAL && SBERF_RULE_FP == (int)RULE_FP &&
	       SBERF_RULE_NONE == (int)RULE_NONE && SBERF_RULE_BP_SAME == RULE_BP_SAME, "kinds of rules are the same");

static long bpf_call(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr)) < 0 ? -errno : 0;
}

static long put_element(int map, const void *key, const void *value)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)map;
	attr.key = (uintptr_t)key;
	attr.value = (uintptr_t)value;
	return bpf_call(BPF_MAP_UPDATE_ELEM, &attr);
}

static long drop_element(int map, const void *key)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)map;
	attr.key = (uintptr_t)key;
	return bpf_call(BPF_MAP_DELETE_ELEM, &attr);
}

/* The N rows V become those from FIRST on. */
static long put_rows(int map, uint32_t first, const struct sberf_row *v, uint32_t n)
{
	AUTO_FREE uint32_t *key = malloc(n * sizeof(*key));
	union bpf_attr attr;

	if (!key)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		key[i] = first + i;
	memset(&attr, 0, sizeof(attr));
	attr.batch.map_fd = (uint32_t)map;
	attr.batch.keys = (uintptr_t)key;
	attr.batch.values = (uintptr_t)v;
	attr.batch.count = n;
	return bpf_call(BPF_MAP_UPDATE_BATCH, &attr);
}

/* R as BPF programs have it. */
static struct sberf_rule to_public(const struct rule *r)
{
	const uint8_t ra = r->arg & RULE_RA;
	struct sberf_rule ret = { .kind = SBERF_RULE_NONE };

	switch ((enum rule_kind)r->kind) {
	case RULE_SP:
	case RULE_BP:
		if (ra != RULE_RA_PUSHED)
			return ret;
		break;
	case RULE_PLT:
	case RULE_DRAP:
	case RULE_END:
	case RULE_SIGNAL:
	case RULE_FP:
		break;
	default:
		return ret;
	}
	ret.kind = r->kind;
	ret.arg = r->kind == RULE_PLT ? r->arg : 0;
	ret.bp = r->bp;
	ret.cfa = r->cfa;
	return ret;
}

/* Appends the rows of the code of M to *ROW. False when out of memory. */
static bool rows_of_mapping(const struct unwind_map *m, struct sberf_row **row, size_t *n)
{
	AUTO_FREE struct rule_row *piece = malloc(PIECE_ROWS * sizeof(*piece));
	VEC(struct sberf_row) all = { 0 };

	for (uint64_t at = 0; piece && at < m->end - m->start; at += PIECE) {
		const uint64_t left = m->end - m->start - at;
		const size_t nr = rows_of(m->image, m->pgoff + at, left < PIECE ? (uint32_t)left : PIECE, piece,
					  PIECE_ROWS);

		if (!vec_reserve(&all, nr)) {
			vec_free(&all);
			return false;
		}
		for (size_t i = 0; i < nr; i++)
			all.v[all.n++] = (struct sberf_row){ .place = (uint32_t)at + piece[i].at,
							     .rule = to_public(&piece[i].rule) };
	}
	*row = all.v;
	*n = all.n;
	return piece;
}

/* The rules of M, which are put in if they are not there. NULL when they find no room. */
static const struct rules_of *rules_put_for(struct sberf *s, const struct unwind_map *m)
{
	struct rules_of want = { .module = m->module, .pgoff = m->pgoff, .size = m->end - m->start };
	uint32_t at = keyed_find(&s->put.file, &want, row);
	AUTO_FREE struct sberf_row *row = NULL;
	size_t n = 0;

	if (at != HIDX_NONE)
		return s->put.file.v[at].nr ? &s->put.file.v[at] : NULL;
	if (want.size <= UINT32_MAX && rows_of_mapping(m, &row, &n) && n && n <= s->maps.nr_rows - s->put.next_row &&
	    !put_rows(s->maps.rows, s->put.next_row, row, (uint32_t)n)) {
		want.row = s->put.next_row;
		want.nr = (uint32_t)n;
		s->put.next_row += want.nr;
	} else {
		s->put.refused++;
	}
	at = keyed_get(&s->put.file, &want, row);
	return at != HIDX_NONE && s->put.file.v[at].nr ? &s->put.file.v[at] : NULL;
}

/* What P has mapped, to SP, by address. What is behind the last one begins above all addresses. */
static void fill_space(struct sberf *s, const struct unwind_map *map, size_t n, struct sberf_space *sp)
{
	static const struct rules_of ends = { .row = ROW_ENDS, .nr = 1 };

	for (size_t i = 0; i < n && sp->nr < SBERF_MAPPINGS; i++) {
		const struct rules_of *r = s->mode == SBERF_OFF ? &ends :
			map[i].state == MAP_READY ? rules_put_for(s, &map[i]) : NULL;

		/* Of code that a run-time compiler describes other code may be in its place at any time. */
		if (!r && (map[i].state == MAP_READY || s->mode == SBERF_FORCE || map[i].made))
			continue;
		sp->mapping[sp->nr++] = (struct sberf_mapping){ .start = map[i].start, .end = map[i].end,
								.row = r ? r->row : 0, .nr_rows = r ? r->nr : 0 };
	}
	for (uint32_t i = sp->nr; i < SBERF_MAPPINGS; i++)
		sp->mapping[i].start = INT64_MAX;
}

/* Puts SP in for PID; another process goes when there is no room. */
static long put_space(struct sberf *s, pid_t pid, const struct sberf_space *sp)
{
	const uint32_t key = (uint32_t)pid;
	long rc = put_element(s->maps.spaces, &key, sp);

	for (size_t tries = 0; rc == -E2BIG && tries < s->put.space.n; tries++) {
		struct space_put *out = &s->put.space.v[s->put.next_out++ % s->put.space.n];
		const uint32_t gone = (uint32_t)out->pid;

		out->memory = 0;
		if (!drop_element(s->maps.spaces, &gone))
			rc = put_element(s->maps.spaces, &key, sp);
	}
	return rc;
}

void lib_put_rules(struct sberf *s, pid_t pid, struct process *p, uint64_t memory)
{
	const struct space_put want = { .pid = (uint64_t)pid };
	const uint32_t at = keyed_get(&s->put.space, &want, memory);
	AUTO_FREE struct unwind_map *map = NULL;
	AUTO_FREE struct sberf_space *sp = NULL;
	struct unwind_space space;
	size_t n;

	if (at == HIDX_NONE || s->put.space.v[at].memory == memory)
		return;
	/* Without events of the caller nobody has said that its mappings are others. */
	if (s->put.space.v[at].memory) {
		process_doubt(p);
		p = processes_get(s->ps, pid);
	}
	map = malloc(LISTED_MAX * sizeof(*map));
	sp = calloc(1, sizeof(*sp));
	if (!map || !sp || !p)
		return;
	space = process_space(s->ps, p);
	n = space.list(space.ctx, map, LISTED_MAX, true);
	if (processes_poll(s->ps))
		n = space.list(space.ctx, map, LISTED_MAX, true);
	sp->memory = memory;
	fill_space(s, map, n, sp);
	if (put_space(s, pid, sp))
		s->put.refused++;
	else
		s->put.space.v[at].memory = memory;
}

void lib_drop_rules(struct sberf *s, pid_t pid)
{
	const struct space_put want = { .pid = (uint64_t)pid };
	const uint32_t at = s->maps.size ? keyed_find(&s->put.space, &want, memory) : HIDX_NONE;
	const uint32_t key = (uint32_t)pid;

	if (at == HIDX_NONE || !s->put.space.v[at].memory)
		return;
	drop_element(s->maps.spaces, &key);
	s->put.space.v[at].memory = 0;
}

void lib_put_clear(struct sberf *s)
{
	keyed_free(&s->put.file);
	keyed_free(&s->put.space);
}

int sberf_bpf_use(struct sberf *s, const struct sberf_bpf_maps *maps)
{
	const struct sberf_row ends = { .rule.kind = SBERF_RULE_END };
	struct sberf_bpf_maps m;
	long rc;

	lib_begin(s);
	rc = lib_take_struct(s, &m, sizeof(m), maps);
	if (rc)
		return (int)rc;
	if (!m.nr_rows)
		return err_set(&s->err, EINVAL, "the map of rules has no rows");
	rc = put_rows(m.rows, ROW_ENDS, &ends, 1);
	if (rc)
		return err_set(&s->err, (int)-rc, "cannot write to the map of rules: %s", strerror((int)-rc));
	lib_put_clear(s);
	s->put = (struct rules_put){ .next_row = ROW_ENDS + 1 };
	s->maps = m;
	s->maps.size = sizeof(m);
	/* Nothing marks the root of a chain of frame pointers: with these alone stacks are copied. */
	if (s->mode == SBERF_FP)
		s->maps.size = 0;
	return 0;
}
