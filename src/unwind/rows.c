/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rows.c - from row to row of libdw's. Between functions there is nothing, and asking about nothing
 * costs as much as asking about something. So gaps are crossed in strides, and byte by byte only
 * where a row turns out to have begun within one: the code that signal handlers return to has its
 * row begin one byte before it, for the sake of that byte. What is smaller than a stride may stay
 * without.
 *
 * libdw runs the instructions of a function from its start for each row, however many there are: a
 * page of a file that is made for it takes a second. So a file gets that much time once; what the
 * kernel half has no rules for is copied.
 */
#include "config.h"

#include "unwind/rows.h"

#include "base/clock.h"
#include "unwind/image_remote.h"
#include "unwind/walk.h"

#include <stdlib.h>

#define STRIDE 16u
#define BUDGET_NS (200 * NSEC_PER_MSEC)  /* of CPU time for a page: those of compilers and browsers take a thousandth */
#define ASKED_EACH 16u                   /* rows: so often the clock is looked at */

struct rows {
	struct rule_row *row;
	size_t n, max;
};

/*
 * What a page has taken so far. Only the time of day can be had without a system call: CPU time is
 * asked for when half of it has gone by.
 */
struct budget {
	uint64_t began_ns;       /* by the clock */
	uint64_t half_ns;        /* CPU time of the thread when half was over; 0 = not yet */
};

static bool used_up(struct budget *b)
{
	uint64_t cpu_ns;

	if (clock_mono_ns() - b->began_ns < BUDGET_NS / 2)
		return false;
	cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (!b->half_ns)
		b->half_ns = cpu_ns;
	return cpu_ns - b->half_ns > BUDGET_NS / 2;
}

static bool rows_same_rule(const struct rule *a, const struct rule *b)
{
	return a->kind == b->kind && a->arg == b->arg && a->bp == b->bp && a->cfa == b->cfa;
}

static const struct rule none = { .kind = RULE_NONE };

/* False when there is no room: then what follows has no rule. */
static bool rows_add(struct rows *rs, uint32_t at, struct rule r)
{
	if (rs->n && rows_same_rule(&rs->row[rs->n - 1].rule, &r))
		return true;
	if (rs->n == rs->max)
		return false;    /* the last row is none */
	if (rs->n + 1 == rs->max) {
		rs->row[rs->n++] = (struct rule_row){ at, none };
		return r.kind == RULE_NONE;
	}
	rs->row[rs->n++] = (struct rule_row){ at, r };
	return true;
}

/* What is known of one place. */
struct place {
	struct rule rule;
	uint64_t start, end;     /* offsets between which the rule holds */
	bool known;              /* else there is none up to END, unless a row begins */
};

/* What the walk knows without a row of VADDR, which is at OFFSET of the file; nothing up to END. */
static struct place without_row(struct image *im, uint64_t offset, uint64_t vaddr)
{
	uint64_t end;
	const struct rule r = walk_rule_until(im, vaddr, &end);

	return (struct place){ r, offset, end - vaddr < UINT64_MAX - offset ? offset + (end - vaddr) : UINT64_MAX,
			       r.kind != RULE_NONE };
}

/*
 * A root of Go's at VADDR, or a change of stacks, which is at OFFSET of the file, if there is one:
 * as in walk_learn(), that counts more than a row, and the byte behind VADDR is what is asked
 * about. *END: where the next one begins, if that is less.
 */
static struct place rows_marked(const struct image *im, uint64_t offset, uint64_t vaddr, uint64_t *end)
{
	for (size_t i = 0; i < im->marks.n; i++) {
		const struct mark *m = &im->marks.v[i];
		const uint64_t first = m->range.start - 1, behind = m->range.end - 1;

		if ((m->kind != MARK_SWITCH && !(im->go && m->kind == MARK_ROOT)) || behind <= vaddr)
			continue;
		if (first <= vaddr)
			return (struct place){ m->kind == MARK_SWITCH ? m->rule : (struct rule){ .kind = RULE_END },
					       vaddr - first > offset ? 0 : offset - (vaddr - first),
					       offset + (behind - vaddr), true };
		if (first < *end)
			*end = first;
	}
	return (struct place){ .rule = none, .end = offset + 1 };
}

/*
 * The row that covers the place of the file at OFFSET. A row that leads out of its segment says
 * nothing about what the file has there.
 */
static struct place rows_look_at(struct image *im, uint64_t offset)
{
	struct place p = { .rule = none, .end = offset + 1 };
	AUTO_FREE Dwarf_Frame *row = NULL;
	uint64_t vaddr, last, until = UINT64_MAX;
	Dwarf_Addr start, end;
	bool signal;

	if (!im->arch || !image_vaddr(im, offset, &vaddr))
		return p;
	p = rows_marked(im, offset, vaddr, &until);
	if (p.known)
		return p;
	row = image_row(im, vaddr);
	if (!row)
		return without_row(im, offset, vaddr);
	if (dwarf_frame_info(row, &start, &end, &signal) != im->arch->return_column || start > vaddr || end <= vaddr)
		return p;
	if (end > until)
		end = until;
	if (!image_vaddr(im, offset + (end - vaddr) - 1, &last) || last != end - 1)
		return p;
	p.rule = im->arch->rule(row, signal);
	p.start = vaddr - start > offset ? 0 : offset - (vaddr - start);
	p.end = offset + (end - vaddr);
	p.known = true;
	return p;
}

/*
 * The first place behind the gap at OFFSET, of which all is known up to END, and up to LIMIT, that
 * may have a rule. *RET_SEEN: that has been looked at, and *RET is what is known of it.
 */
static uint64_t cross_gap(struct image *im, uint64_t offset, uint64_t end, uint64_t limit,
			  struct place *ret, bool *ret_seen)
{
	const uint64_t next = (offset | (STRIDE - 1)) + 1;

	*ret_seen = false;
	if (next >= limit)
		return offset + 1;
	if (end < next)
		return end;
	*ret = rows_look_at(im, next);
	if (ret->known && ret->start < next)
		return offset + 1;
	/* The byte before a function without caller may be where somebody's return address leads to. */
	if (ret->known && ret->rule.kind == RULE_END && offset < next - 1)
		return next - 1;
	*ret_seen = true;
	return next;
}

size_t rows_of(struct image *im, uint64_t offset, uint32_t size, struct rule_row *ret, size_t max)
{
	struct rows rs = { .row = ret, .max = max };
	const uint64_t limit = offset + size;
	struct budget budget = { .began_ns = clock_mono_ns() };
	unsigned int asked = 0;
	bool seen = false;
	struct place p;

	if (im->remote)
		return image_remote_rows(im, offset, size, ret, max);
	image_renew(im);
	for (uint64_t at = offset; at < limit;) {
		uint64_t next;

		if (++asked % ASKED_EACH == 0 && used_up(&budget))
			im->too_slow = true;
		if (im->too_slow) {
			rows_add(&rs, (uint32_t)(at - offset), none);
			break;
		}
		if (!seen)
			p = rows_look_at(im, at);
		seen = false;
		if (!rows_add(&rs, (uint32_t)(at - offset), p.rule))
			break;
		next = p.known ? p.end : cross_gap(im, at, p.end, limit, &p, &seen);
		at = next > at ? next : at + 1;  /* whatever a hostile file says */
	}
	return rs.n;
}
