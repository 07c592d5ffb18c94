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
 * Where in R->read the N bytes at user address ADDR are; -1: they cannot be read. FRAME: they are what a turn
 * begins with. Frames of one stack are near each other, each next one below: then what is below is read with it,
 * up to the begin of the page, so that nothing is read that might not be there.
 */
static __always_inline __s64 plan_read(struct plan_run *r, __u64 addr, __u32 n, bool frame)
{
	const __u64 behind = addr - r->window_at, before = r->near - addr;
	__u64 from = addr & ~(__u64)(PAGE_BYTES - 1);
	__u32 bytes;

	if (behind < r->window_bytes && r->window_bytes - behind >= n)
		return behind;
	if (frame)
		r->near = addr;
	if (!frame || before - 1 >= PLAN_WINDOW - SB_PICK_BYTES)
		return bpf_probe_read_user(r->read + PLAN_WINDOW, n, (void *)addr) ? -1 : PLAN_WINDOW;
	if (addr + n - from > PLAN_WINDOW)
		from = addr + n - PLAN_WINDOW;
	bytes = addr + n - from;
	barrier_var(bytes);
	if (bytes > PLAN_WINDOW)
		return -1;
	r->window_bytes = 0;
	if (bpf_probe_read_user(r->read, bytes, (void *)from))
		return -1;
	r->window_at = from;
	r->window_bytes = bytes;
	return addr - from;
}

/*
 * Takes the step NR of the run WHICH, which is SB_STEP_PICK, at user address AT. SB_TAKEN_*. Global, as the next: else
 * the verifier looks at it again for each step.
 */
__noinline int sb_plan_pick(__u32 which, __u32 nr, __u64 at)
{
	struct plan_run *r = bpf_map_lookup_elem(&plan_runs, &which);
	const struct sb_plan_step *s;
	__u32 n, pick, last, at_word;
	__s64 got;

	if (!r)
		return SB_TAKEN_BAD;
	s = &r->plan.step[nr & (SB_PLAN_STEPS - 1)];
	n = s->words;
	pick = s->count;
	at_word = r->words;
	barrier_var(n);
	if (!n || n > SB_PLAN_RECORD / 8 || at_word > SB_PLAN_RECORD / 8 - n)
		return SB_TAKEN_BAD;
	last = pick >> (n - 1) * SB_PICK_BITS & ((1u << SB_PICK_BITS) - 1);
	got = plan_read(r, at + s->value, 8 * last + 8, !at_word);
	barrier_var(got);
	if (got < 0 || got > PLAN_WINDOW)
		return SB_TAKEN_UNREAD;
	for (__u32 i = 0; i < SB_PLAN_RECORD / 8 && i < n; i++) {
		const __u32 word = pick & ((1u << SB_PICK_BITS) - 1);

		r->word[(at_word + i) & (SB_PLAN_RECORD / 8 - 1)] = *(__u64 *)(r->read + got + 8 * word);
		pick >>= SB_PICK_BITS;
	}
	r->words = at_word + n;
	return SB_TAKEN_WHOLE;
}

/* One turn of the run R is whole: its record goes where it belongs. Returns how it goes on. */
static __always_inline int plan_turned(struct plan_run *r)
{
	const __u32 n = r->words;
	__u64 *to = (__u64 *)plan_at(r->place, r->off), fold = r->fold;

	if (!r->turn_words)
		r->turn_words = n;
	if (n != r->turn_words)
		return SB_TAKEN_BAD;
	if (!to)
		return SB_TAKEN_ROOM;
	for (__u32 i = 0; i < SB_PLAN_RECORD / 8 && i < n; i++) {
		to[i] = r->word[i];
		fold = sum_fold(fold, r->word[i]);
	}
	r->fold = fold;
	r->off += 8 * n;
	r->words = 0;
	r->turns++;
	return PLAN_END;
}

/*
 * Takes the step NR of the run WHICH, which is SB_STEP_OWN or SB_STEP_THEN: AT may become the state of the current
 * thread that the step tells of, and the steps behind it are done once more from the other one.
 */
__noinline int sb_plan_own(__u32 which, __u32 nr)
{
	struct plan_run *r = bpf_map_lookup_elem(&plan_runs, &which);
	const struct sb_plan_step *s;
	__u64 own, thread;

	if (!r)
		return SB_TAKEN_BAD;
	s = &r->plan.step[nr & (SB_PLAN_STEPS - 1)];
	own = s->value;
	if (s->op == SB_STEP_OWN && (bpf_probe_read_user(&own, sizeof(own), (void *)s->value) || !own))
		return SB_TAKEN_WHOLE;
	if (own != r->at) {
		if (bpf_probe_read_user(&thread, sizeof(thread), (void *)(own + s->count)) ||
		    thread != sb_thread_pointer(plain((struct task_struct *)bpf_get_current_task_btf())))
			return SB_TAKEN_WHOLE;
		r->again_at = s->op == SB_STEP_OWN ? r->at : own;
	}
	r->step += s->words;
	r->again_step = r->step;
	if (s->op == SB_STEP_OWN)
		r->at = own;
	return SB_TAKEN_WHOLE;
}

/* Takes the steps of the run WHICH up to the begin of its loop, or to the end of a turn of it. */
__noinline int sb_plan_turn(__u32 which)
{
	struct plan_run *r = bpf_map_lookup_elem(&plan_runs, &which);
	__u64 at;
	int how;

	if (!r)
		return SB_TAKEN_BAD;
	r->turn_at = r->at;
	for (__u32 i = 0; i < PLAN_STEPS_TURN; i++) {
		const __u32 nr = r->step & (SB_PLAN_STEPS - 1);
		const struct sb_plan_step *s = &r->plan.step[nr];
		int why;

		/* Kept in memory: of each number that it may be, the verifier would look at all steps again. */
		at = r->at;
		r->step++;
		if (s->from != SB_STEP_HERE) {
			if (s->from >= r->words)
				return SB_TAKEN_BAD;
			at = r->word[s->from & (SB_PLAN_RECORD / 8 - 1)] & ~(__u64)s->tag;
			if (!at)
				goto turned;
		}
		switch (s->op) {
		case SB_STEP_ADDRESS:
			at = s->value;
			break;
		case SB_STEP_REGISTER:
			at = s->count < SB_NR_REGS ? r->reg[s->count] : 0;
			break;
		case SB_STEP_THREAD:
			at = sb_thread_pointer(plain((struct task_struct *)bpf_get_current_task_btf()));
			break;
		case SB_STEP_ADD:
			at += s->value;
			break;
		case SB_STEP_OWN:
		case SB_STEP_THEN:
			if (sb_plan_own(which, nr))
				return SB_TAKEN_BAD;
			/* No "continue": clang lays the loop out so that Linux 6.1 refuses it ("back-edge"). */
			at = r->at;
			break;
		case SB_STEP_DEREF:
			if (bpf_probe_read_user(&at, sizeof(at), (void *)(at + s->value)))
				return SB_TAKEN_UNREAD;
			if (!at)
				goto turned;
			break;
		case SB_STEP_PICK:
			why = sb_plan_pick(which, nr, at);
			if (why)
				return why;
			break;
		case SB_STEP_LOOP:
			r->loop_step = r->step;
			r->turns_max = s->count;
			r->words = 0;
			r->at = at;
			return PLAN_LOOP;
		case SB_STEP_END:
			at = s->value ? r->turn_at : at;
			r->at = at;
			goto turned;
		default:
			return s->op == SB_STEP_STOP ? SB_TAKEN_WHOLE : SB_TAKEN_BAD;
		}
		r->at = at;
	}
	return SB_TAKEN_BAD;
turned:
	/* An AT of 0 ends the plan, unless it is to be done once more. */
	r->step = r->loop_step;
	how = r->turns_max && r->words ? plan_turned(r) : PLAN_END;
	if (how != PLAN_END || at)
		return how;
	if (!r->again_at)
		return SB_TAKEN_WHOLE;
	r->at = r->again_at;
	r->step = r->again_step;
	r->again_at = 0;
	r->words = r->turns_max = 0;
	return PLAN_END;
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
	return end->why != PLAN_END && end->why != PLAN_LOOP;
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
	r->at = r->fold = r->again_at = 0;
	r->place = place;
	r->off = off + sizeof(struct sb_part_taken);
	r->words = r->turn_words = r->step = r->loop_step = r->turns = r->turns_max = 0;
	r->window_bytes = 0;
	r->near = 0;
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
	__u32 turns;

	if (!p || !r || !plan_begin(r, p, place, off))
		return 0;
	part = (void *)plan_at(place, off);
	if (!part)
		return 0;
	end.why = sb_plan_turn(which);
	if (end.why == PLAN_END)
		end.why = sb_plan_turn(which);
	turns = r->turns_max;
	if (end.why == PLAN_LOOP && turns && turns <= SB_PLAN_TURNS) {
		if (loops) {
			bpf_loop(turns, plan_turn_step, &end, 0);
		} else {
			for (__u32 i = 0; i < PLAN_TURNS_PLAIN && i < turns; i++) {
				end.why = sb_plan_turn(which);
				if (end.why != PLAN_END && end.why != PLAN_LOOP)
					break;
			}
		}
	}
	part->part.size = sizeof(*part) + 8 * r->turns * r->turn_words;
	part->part.type = SB_PART_TAKEN;
	part->part.flags = end.why < PLAN_END ? end.why : r->turns ? SB_TAKEN_DEEP : SB_TAKEN_BAD;
	part->serial = r->plan.serial;
	part->nr = r->turns;
	part->record = 8 * r->turn_words;
	return sizeof(*part) + 8 * r->turns * r->turn_words;
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
