/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan.bpf.h - reads of a process, with a stack, what user space has planned for it: the frames that an
 * interpreter keeps in memory of its own, as they are at this moment.
 *
 * A plan is a program for a machine with one number (struct sb_plan of wire.h). Its steps are looked at
 * by the verifier once, in a function that takes one turn of the loop of a plan. What is read goes
 * behind the stack, into the record in its place.
 */
#ifndef SBERF_BPF_PLAN_H
#define SBERF_BPF_PLAN_H

#include "kstack.bpf.h"
#include "maps.bpf.h"
#include "record.bpf.h"

#define PLAN_END 0x100           /* of one turn, which is whole; all else is SB_TAKEN_* and ends the plan */
#define PLAN_LOOP 0x101          /* the loop begins */
#define PLAN_STEPS_TURN 16u              /* of one turn at most, or in front of the loop */
#define PLAN_SLOT_ROOM 8192u             /* of a slot, which a copied stack leaves for what is planned */
#define PLAN_TURNS_PLAIN 64u     /* at most, where there is no bpf_loop() */

/* Where SB_PLAN_RECORD bytes of the record in PLACE are, from OFF on; NULL: there is no room for them. */
static __always_inline __u8 *plan_at(__u32 place, __u32 off)
{
	__u32 index = place & ~PLACE_SLOT;

	if (place & PLACE_SLOT) {
		struct sb_slot *slot = bpf_map_lookup_elem(&slots, &index);

		barrier_var(off);
		if (!slot || off > slot_bytes - SLOT_HEAD_BYTES - BEHIND_BYTES - SB_PLAN_RECORD)
			return NULL;
		barrier_var(off);
		return slot->rec + off;
	}
	struct scratch *s = bpf_map_lookup_elem(&scratches, &index);

	barrier_var(off);
	if (!s || off > RECORD_MAX - BEHIND_BYTES - SB_PLAN_RECORD)
		return NULL;
	barrier_var(off);
	return s->rec + off;
}

/*
 * Copies N bytes at user address ADDR behind what the run WHICH has. SB_TAKEN_*. Global, as the next: else the
 * verifier looks at it again for each step.
 */
__noinline int sb_plan_copy(__u32 which, __u32 n, __u64 addr)
{
	struct plan_run *r = bpf_map_lookup_elem(&plan_runs, &which);
	__u8 *to;

	if (!r)
		return SB_TAKEN_BAD;
	to = plan_at(r->place, r->off);
	barrier_var(n);
	if (!n || n > SB_PLAN_RECORD || n & 7)
		return SB_TAKEN_BAD;
	if (!to || r->off - r->turn_off > SB_PLAN_RECORD - n)
		return SB_TAKEN_ROOM;
	if (bpf_probe_read_user(to, n, (void *)addr))
		return SB_TAKEN_UNREAD;
	for (__u32 i = 0; i < SB_PLAN_RECORD && i < n; i += 8)
		r->fold = sum_fold(r->fold, *(__u64 *)(to + i));
	r->off += n;
	return SB_TAKEN_WHOLE;
}

/* AT of the run WHICH becomes the word at BEHIND of what this turn has copied, without the bits TAG. SB_TAKEN_*. */
__noinline int sb_plan_copied(__u32 which, __u32 behind, __u32 tag)
{
	struct plan_run *r = bpf_map_lookup_elem(&plan_runs, &which);
	__u8 *from;

	if (!r)
		return SB_TAKEN_BAD;
	from = plan_at(r->place, r->turn_off);
	barrier_var(behind);
	if (!from || behind > SB_PLAN_RECORD - 8 || r->off - r->turn_off < behind + 8)
		return SB_TAKEN_BAD;
	r->at = *(__u64 *)(from + behind) & ~(__u64)tag;
	return SB_TAKEN_WHOLE;
}

/* One turn of the run WHICH is whole. Returns how it goes on. */
static __always_inline int plan_turned(struct plan_run *r)
{
	const __u32 bytes = r->off - r->turn_off;

	if (!r->turn_bytes)
		r->turn_bytes = bytes;
	if (bytes != r->turn_bytes)
		return SB_TAKEN_BAD;
	r->turn_off = r->off;
	r->turns++;
	r->step = r->loop_step;
	return PLAN_END;
}

/* Takes the steps of the run WHICH up to the begin of its loop, or to the end of a turn of it. */
__noinline int sb_plan_turn(__u32 which)
{
	struct plan_run *r = bpf_map_lookup_elem(&plan_runs, &which);

	if (!r)
		return SB_TAKEN_BAD;
	r->turn_at = r->at;
	for (__u32 i = 0; i < PLAN_STEPS_TURN; i++) {
		const struct sb_plan_step *s = &r->plan.step[r->step & (SB_PLAN_STEPS - 1)];
		const __u32 count = s->count;
		__u64 at = r->at;
		int why = SB_TAKEN_WHOLE;

		r->step++;
		switch (s->op) {
		case SB_STEP_ADDRESS:
			r->at = s->value;
			continue;
		case SB_STEP_REGISTER:
			r->at = count < SB_NR_REGS ? r->reg[count] : 0;
			continue;
		case SB_STEP_THREAD:
			r->at = sb_thread_pointer(plain((struct task_struct *)bpf_get_current_task_btf()));
			continue;
		case SB_STEP_ADD:
			r->at = at + s->value;
			continue;
		case SB_STEP_DEREF:
			if (bpf_probe_read_user(&at, sizeof(at), (void *)(at + s->value)))
				return SB_TAKEN_UNREAD;
			break;
		case SB_STEP_COPIED:
			why = sb_plan_copied(which, s->value, count);
			at = r->at;
			break;
		case SB_STEP_COPY:
			why = sb_plan_copy(which, count, at + s->value);
			break;
		case SB_STEP_LOOP:
			r->loop_step = r->step;
			r->turns_max = count;
			r->turn_off = r->off;
			return PLAN_LOOP;
		case SB_STEP_END:
			if (s->value)
				r->at = r->turn_at;
			return plan_turned(r);
		default:
			return s->op == SB_STEP_STOP ? SB_TAKEN_WHOLE : SB_TAKEN_BAD;
		}
		if (why)
			return why;
		r->at = at;
		if (!at)
			return !r->turns_max || plan_turned(r) == PLAN_END ? SB_TAKEN_WHOLE : SB_TAKEN_BAD;
	}
	return SB_TAKEN_BAD;
}

/* What a run of a plan came to, for its callback. */
struct plan_end {
	__u32 which;
	int why;
};

static long plan_turn_step(__u32 i, void *ctx)
{
	struct plan_end *end = ctx;

	end->why = sb_plan_turn(end->which);
	return end->why != PLAN_END;
}

/* Begins the run R of P, into the record in PLACE at OFF. False when P is being replaced. */
static __always_inline bool plan_begin(struct plan_run *r, const struct sb_plan *p, __u32 place, __u32 off)
{
	const __u64 serial = *(const volatile __u64 *)&p->serial;

	if (r->plan.serial != serial) {
		barrier();
		r->plan = *p;
		barrier();
		if (*(const volatile __u64 *)&p->serial != serial || r->plan.serial != serial) {
			r->plan.serial = 0;
			return false;
		}
	}
	r->at = r->fold = 0;
	r->place = place;
	r->off = r->turn_off = off + sizeof(struct sb_part_taken);
	r->turn_bytes = r->step = r->loop_step = r->turns = r->turns_max = 0;
	return true;
}

/*
 * Carries out the plan of the current process, if it has one, by the run WHICH, whose registers are set, into
 * the record in PLACE at OFF. Returns the bytes that were added.
 */
__noinline int sb_put_taken(__u32 which, __u32 place, __u32 off)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;
	const struct sb_plan *p = bpf_map_lookup_elem(&plans, &tgid);
	struct plan_run *r = bpf_map_lookup_elem(&plan_runs, &which);
	struct plan_end end = { .which = which };
	struct sb_part_taken *part;

	if (!p || !r || !plan_begin(r, p, place, off))
		return 0;
	part = (void *)plan_at(place, off);
	if (!part)
		return 0;
	end.why = sb_plan_turn(which);
	if (end.why == PLAN_LOOP && r->turns_max && r->turns_max <= SB_PLAN_TURNS) {
		if (loops) {
			bpf_loop(r->turns_max, plan_turn_step, &end, 0);
		} else {
			for (__u32 i = 0; i < PLAN_TURNS_PLAIN && i < r->turns_max; i++) {
				end.why = sb_plan_turn(which);
				if (end.why != PLAN_END)
					break;
			}
		}
	}
	part->part.size = sizeof(*part) + r->turns * r->turn_bytes;
	part->part.type = SB_PART_TAKEN;
	part->part.flags = end.why == PLAN_END ? SB_TAKEN_DEEP : end.why == PLAN_LOOP ? SB_TAKEN_BAD : end.why;
	part->serial = r->plan.serial;
	part->nr = r->turns;
	part->record = r->turn_bytes;
	/* A turn that was not whole has left bytes behind the part, which the next one overwrites. */
	return sizeof(*part) + r->turns * r->turn_bytes;
}

/*
 * What is planned for the current process, of which the record in PLACE has the registers V, at OFF of that.
 * Returns the offset behind it.
 */
static __always_inline __u32 put_taken(__u32 place, __u32 off, const __u64 *v)
{
	const __u32 which = own_context(place, !!(place & PLACE_SLOT));
	struct plan_run *r;

	if (!*(volatile __u32 *)&planned)
		return off;
	r = bpf_map_lookup_elem(&plan_runs, &which);
	if (!r)
		return off;
	r->fold = 0;
	for (int i = 0; i < SB_NR_REGS; i++)
		r->reg[i] = v[i];
	return off + sb_put_taken(which, place, off);
}

/* What the last plan that was carried out for PLACE is known by, among equal stacks; 0 = there was none. */
static __always_inline __u64 taken_fold(__u32 place)
{
	const __u32 which = own_context(place, !!(place & PLACE_SLOT));
	const struct plan_run *r = *(volatile __u32 *)&planned ? bpf_map_lookup_elem(&plan_runs, &which) : NULL;

	return r ? r->fold : 0;
}

#endif
