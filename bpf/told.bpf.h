/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * told.bpf.h - the ends of calls in which something was told: a sample or a wait says which calls of
 * probes were under way (inside.bpf.h), but not yet how long they take. So a call that a sample or a
 * wait was told of is told once more when it ends. There are as many of these records at most as
 * there are samples and waits, however many calls there are.
 *
 * What keeps the calls of a task keeps the calls that its last record named, too. A call stays among
 * these as long as it goes on, since those that began first are named first.
 */
#ifndef SBERF_BPF_TOLD_H
#define SBERF_BPF_TOLD_H

#include "record.bpf.h"

#define INSIDE_BYTES (sizeof(struct sb_hdr) + sizeof(struct sb_part_task) + sizeof(struct sb_part_inside))

/* What has an end and can be told apart, as a mask of SB_INSIDE_*; 0 = no sample says what it is inside of. */
const volatile __u32 insides = 0;

/* Some call has begun: before, nothing needs to be looked for. */
bool calls_began = false;

static __always_inline void note_begun(void)
{
	if (insides && !calls_began)
		calls_began = true;
}

/* The call of PROBE that began at BEGUN_NS. */
static __always_inline __u64 inside_of(__u32 probe, __u64 begun_ns)
{
	return SB_INSIDE(probe - SB_PROBE_PLACED, begun_ns);
}

/* Notes in TOLD, of what keeps the calls of a task, that a record says it was in these calls. */
static __always_inline void note_told(struct sb_inside *told, const struct sb_inside *inside)
{
#pragma unroll
	for (unsigned int i = 0; i < SB_INSIDE_MAX; i++)
		told->call[i] = inside->call[i];
}

/* Was CALL told of in TOLD? If so, it is not any more. */
static __always_inline bool take_told(struct sb_inside *told, __u64 call)
{
	bool found = false;

#pragma unroll
	for (unsigned int i = 0; i < SB_INSIDE_MAX; i++) {
		if (told->call[i] != call)
			continue;
		told->call[i] = 0;
		found = true;
	}
	return found;
}

/*
 * Tells that CALL of TASK, which TOOK so long, ended NOW; UNWANTED: the condition of its probe does not hold. In S,
 * as there is no room on the stack beside that of a walk.
 */
static __always_inline void tell_ended(struct sb_cpu *c, struct scratch *s, struct task_struct *task, __u64 call,
				       __u64 took, bool unwanted, __u64 now)
{
	struct sb_part_inside *p = put_head(s->rec, SB_REC_INSIDE, task, now);
	struct sb_part_task *t = (void *)(s->rec + sizeof(struct sb_hdr));

	bpf_get_current_comm(t->comm, sizeof(t->comm));
	p->part.size = sizeof(*p);
	p->part.type = SB_PART_INSIDE;
	p->part.flags = unwanted ? SB_INSIDE_UNWANTED : 0;
	p->call = call;
	p->took_ns = took;
	((struct sb_hdr *)s->rec)->size = INSIDE_BYTES;
	send(c, s->rec, INSIDE_BYTES, INSIDE_BYTES, SB_LOST_ARGS);
}

#endif
