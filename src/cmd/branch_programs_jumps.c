/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branch_programs_jumps.c - the jumps on a condition of BPF programs, which breakpoints watch: see
 * branch_programs_private.h.
 *
 * A CPU has four breakpoints. Where a program has more jumps on a condition, four of them are watched for some calls,
 * then the next four, and so on. So of a single call not all is known, but of many calls each jump is. What lies
 * between two jumps that were watched is marked as a gap, unless there is only one way.
 */
#include "config.h"

#include "cmd/branch_programs_private.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "branch/jumps.h"

#include <stdio.h>
#include <stdlib.h>

#define SET_NS NSEC_PER_SEC              /* a set of jumps is watched so long from its first call on, */
#define SET_CALLS 64u                    /* or for so many calls, where they are not shown singly, */
#define SET_CALLS_FIRST 8u               /* until each jump was watched once, */
#define SET_LEAST_NS (NSEC_PER_SEC / 50) /* and not less: moving breakpoints takes the kernel milliseconds */
#define OFF_MOST_NS (2 * NSEC_PER_SEC)

/* All jumps on a condition, each once. */
int branch_programs_gather_jumps(struct branch_programs *p, struct err *e)
{
	for (size_t i = 0; i < p->followed.n; i++)
		for (size_t k = 0; k < p->followed.v[i].part.n; k++) {
			const struct program_part *part = &p->followed.v[i].part.v[k];

			for (uint32_t b = 0; b < part->code.n; b++) {
				const struct code_block *block = &part->code.block[b];
				const uint64_t address = block->vaddr + block->last;
				struct program_jump *at;
				size_t had = 0;

				while (had < p->jump.n && p->jump.v[had].address != address)
					had++;
				if (block->end != CODE_CONDITION || had < p->jump.n)
					continue;
				at = vec_push(&p->jump);
				if (!at)
					return err_nomem(e, "jumps of BPF programs");
				*at = (struct program_jump){ address, part->function->bytes +
							     (address - part->function->address),
							     block->size - block->last };
			}
		}
	return 0;
}

/* ---- taking turns ---- */

uint32_t branch_programs_sets(const struct branch_programs *p)
{
	return p->each ? (uint32_t)((p->jump.n + p->each - 1) / p->each) : 0;
}

/* The first jump of SET, and how many are in it. */
size_t branch_programs_set(const struct branch_programs *p, uint32_t set, uint32_t *ret_n)
{
	const size_t first = (size_t)(set - 1) * p->each;

	*ret_n = set && first < p->jump.n ? (uint32_t)(p->jump.n - first < p->each ? p->jump.n - first : p->each) : 0;
	return first;
}

/* Was no call told of SET yet? */
static bool programs_is_new(const struct branch_programs *p, uint32_t set)
{
	return set && set <= p->met.n && !p->met.v[set - 1];
}

/* The set that is watched next: those of which nothing is known come first. */
static uint32_t programs_next(const struct branch_programs *p)
{
	const uint32_t sets = branch_programs_sets(p);

	for (uint32_t i = 1; i < sets; i++) {
		const uint32_t set = (p->set - 1 + i) % sets + 1;

		if (programs_is_new(p, set))
			return set;
	}
	return p->set % sets + 1;
}

/* Says which jumps are watched, where calls are shown one by one. */
static void programs_say_set(const struct branch_programs *p)
{
	uint32_t n;
	const size_t first = branch_programs_set(p, p->set, &n);

	if (branch_programs_sets(p) > 1 && !p->o->part && !p->o->branch_count && !p->o->branch_disasm &&
	    !p->o->trace_json)
		fprintf(stderr, "sberf branches: jumps %zu to %zu of %zu are watched from now on\n", first + 1,
			first + n, p->jump.n);
}

void branch_programs_watch(struct branch_programs *p, uint32_t set)
{
	const bool changes = p->set && set != p->set;
	uint64_t address[SB_JUMPS] = { 0 };
	uint32_t n;
	const size_t first = branch_programs_set(p, set, &n);

	for (uint32_t i = 0; i < n; i++)
		address[i] = p->jump.v[first + i].address;
	if (!bpfcalls_watch(p->calls, address, n, set))
		n = 0;
	p->set = set;
	p->set_calls = 0;
	if (changes)
		programs_say_set(p);
}

/* When hits have cost more than the budget, calls are not followed for so long that it fits. */
static void programs_keep_budget(struct branch_programs *p, uint64_t now_ns)
{
	const double share = p->o->budget / 100;
	struct sb_bpf_lost lost;
	uint64_t cost_ns, wanted_ns;

	if (p->off_until_ns && now_ns < p->off_until_ns)
		return;
	bpfcalls_lost(p->calls, &lost);
	if (p->off_until_ns) {
		bpfcalls_off(p->calls, false);
		/* Where calls come quickly the time in between may be all that a set gets. */
		branch_programs_watch(p, p->set_calls ? programs_next(p) : p->set);
		p->off_until_ns = 0;
	} else if (share > 0 && now_ns - p->look_ns >= SET_LEAST_NS) {
		cost_ns = (lost.hits - p->look_hits) * bpfcalls_hit_ns(p->calls);
		wanted_ns = (uint64_t)((double)cost_ns / share);
		if (wanted_ns > now_ns - p->look_ns) {
			const uint64_t off_ns = wanted_ns - (now_ns - p->look_ns);

			(void)bpfcalls_watch(p->calls, NULL, 0, 0);
			bpfcalls_off(p->calls, true);
			p->off_until_ns = now_ns + (off_ns < OFF_MOST_NS ? off_ns : OFF_MOST_NS);
		}
	} else {
		return;
	}
	p->look_ns = now_ns;
	p->look_hits = lost.hits;
}

void branch_programs_note_set(struct branch_programs *p, uint32_t set)
{
	if (set == p->set && !p->set_calls++)
		p->set_ns = clock_mono_ns();
	if (programs_is_new(p, set))
		p->met.v[set - 1] = true;
}

void branch_programs_take_turns(struct branch_programs *p)
{
	const uint32_t sets = branch_programs_sets(p);
	const bool single = !p->o->part && !p->o->branch_count && !p->o->branch_disasm;
	const uint64_t now_ns = clock_mono_ns();
	uint64_t for_ns;
	uint32_t next;

	programs_keep_budget(p, now_ns);
	for_ns = now_ns - p->set_ns;
	next = sets > 1 ? programs_next(p) : 0;
	if (sets > 1 && !p->off_until_ns && p->set_calls &&
	    (for_ns >= SET_NS || (!single && programs_is_new(p, next) && p->set_calls >= SET_CALLS_FIRST) ||
	     (!single && p->set_calls >= SET_CALLS && for_ns >= SET_LEAST_NS)))
		branch_programs_watch(p, next);
}

/* ---- what they told ---- */

/* Marks what SET watches in F. */
static void programs_mark(const struct branch_programs *p, const struct program_followed *f, uint32_t set)
{
	uint32_t n;
	const size_t first = branch_programs_set(p, set, &n);

	for (size_t k = 0; k < f->part.n; k++)
		for (uint32_t b = 0; b < f->part.v[k].code.n; b++) {
			const struct code_block *block = &f->part.v[k].code.block[b];

			f->part.v[k].watched[b] = false;
			for (uint32_t i = 0; i < n; i++)
				f->part.v[k].watched[b] |= block->end == CODE_CONDITION &&
					p->jump.v[first + i].address == block->vaddr + block->last;
		}
}

/* The hit HIT of SET, as a jump of F; false = it is of none. */
static bool programs_jump_of(const struct branch_programs *p, const struct program_followed *f, uint32_t set,
			     uint64_t hit, struct branch_jump *ret)
{
	uint32_t n;
	const size_t first = branch_programs_set(p, set, &n);
	const struct program_jump *j = SB_JUMP_WHICH(hit) < n ? &p->jump.v[first + SB_JUMP_WHICH(hit)] : NULL;

	if (!j || !branch_jump_taken_x86_64(j->insn, j->size, SB_JUMP_FLAGS(hit), &ret->taken))
		return false;
	ret->frame = SB_JUMP_FRAME(hit);
	for (size_t k = 0; k < f->part.n; k++)
		for (uint32_t b = 0; b < f->part.v[k].code.n; b++) {
			const struct code_block *block = &f->part.v[k].code.block[b];

			if (block->end != CODE_CONDITION || block->vaddr + block->last != j->address)
				continue;
			ret->code = (uint32_t)k;
			ret->block = b;
			return true;
		}
	return false;
}

/* The branches of the call C of F, by its breakpoints. False when out of memory. */
bool branch_programs_follow(struct branch_programs *p, const struct program_followed *f, const struct sb_bpf_call *c,
		     struct branch_call *ret)
{
	struct branch_jump jump[SB_CALL_JUMPS];
	AUTO_FREE struct branch_jumps_code *code = calloc(f->part.n + 1, sizeof(*code));
	size_t n = 0;

	if (!code)
		return false;
	programs_mark(p, f, c->set);
	for (size_t k = 0; k < f->part.n; k++)
		code[k] = (struct branch_jumps_code){ &f->part.v[k].code, f->part.v[k].watched };
	for (uint32_t i = 0; i < c->jumps; i++)
		n += c->set && programs_jump_of(p, f, c->set, c->jump[i], &jump[n]);
	return branch_jumps_follow(code, f->part.n, jump, n, c->dropped, &ret->branch, &ret->gaps);
}
