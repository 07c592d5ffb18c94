/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack_completion.c - one slot for each thread, found by its number; threads that share a slot
 * take turns.
 */
#include "config.h"

#include "engine/stack_completion.h"

#include "base/clock.h"
#include "base/hash.h"
#include "capture/peek.h"
#include "model/machine.h"
#include "system/sysfile.h"

#include <stdlib.h>
#include <string.h>

#define PLACES 512u
/* of the upper part at first: outermost callers are near the end of a stack ... */
#define READ_BYTES 16384u
/* ... and that there is more of it shows when the walk comes to the end of that */
#define READ_MOST (1u << 20)
#define KEPT_MOST (32u << 20)            /* of all threads together */
#define FRESH_NS NSEC_PER_SEC

struct place {
	pid_t tid;
	uint64_t start_ns;
	uint64_t addr;           /* that was asked for */
	uint64_t read_ns;        /* when it was read; 0 = not yet */
	uint32_t want;           /* bytes asked for */
	uint32_t len;            /* bytes there; 0 = none could be read */
	bool asked;
	uint8_t *bytes;          /* WANT, owned; NULL = never needed */
};

struct completion {
	struct peek *peek;
	struct place place[PLACES];
	size_t kept;             /* bytes of all places */
	uint8_t stack[SB_STACK_MAX + READ_MOST]; /* what completion_extend() gave */
};

bool completion_needed(void)
{
	uint64_t mode;

	return sysfile_u64("/proc/sys/kernel/numa_balancing", &mode) && mode;
}

struct completion *completion_new(void)
{
	struct completion *u = calloc(1, sizeof(*u));

	if (u && peek_new(&u->peek, NULL) < 0) {
		free(u);
		u = NULL;
	}
	return u;
}

void completion_free(struct completion *u)
{
	if (!u)
		return;
	peek_free(u->peek);
	for (unsigned int i = 0; i < PLACES; i++)
		free(u->place[i].bytes);
	free(u);
}

/*
 * The segment of IN behind which there is a page that cannot be read, in which FAULT is; 0: the
 * last one, which is that of the main stack. NULL when there is none.
 */
static const struct raw_segment *cut_segment(const struct unwind_input *in, uint64_t fault)
{
	const struct raw_segment *seg = fault || !in->nr_segments ? NULL : &in->segment[in->nr_segments - 1];

	for (uint32_t i = 0; fault && i < in->nr_segments; i++)
		if (in->segment[i].addr + in->segment[i].len <= fault && (!seg || in->segment[i].addr >= seg->addr))
			seg = &in->segment[i];
	return seg && seg->unreadable && seg->len && seg->len <= SB_STACK_MAX ? seg : NULL;
}

/* Gives P room for WANT bytes. False when there is none: what it had is gone then, too. */
static bool stack_completion_reserve(struct completion *u, struct place *p, uint32_t want)
{
	if (p->bytes && p->want == want)
		return true;
	free(p->bytes);
	u->kept -= p->bytes ? p->want : 0;
	p->bytes = u->kept + want <= KEPT_MOST ? malloc(want) : NULL;
	p->want = want;
	u->kept += p->bytes ? want : 0;
	return p->bytes;
}

static enum completion_state stack_completion_ask(struct completion *u, struct place *p, const struct raw_event *raw,
						  uint64_t addr, uint32_t want)
{
	if (p->asked)
		return COMPLETION_NONE;       /* for another thread, or another part: next time */
	p->len = 0;
	if (!stack_completion_reserve(u, p, want) ||
	    peek_ask(u->peek, (uint64_t)(p - u->place), raw->tid, addr + machine_host_red_zone(), want))
		return COMPLETION_NONE;
	p->tid = raw->tid;
	p->start_ns = raw->sample.start_ns;
	p->addr = addr;
	p->read_ns = 0;
	p->asked = true;
	return COMPLETION_ASKED;
}

/*
 * So much is to be read from ADDR on, for FAULT to be in it, when HAD bytes of it were read before:
 * twice as much, or as far as it takes.
 */
static uint32_t bytes_wanted(uint64_t addr, uint64_t fault, uint32_t had)
{
	uint32_t want = had ? had : READ_BYTES;

	while (want < READ_MOST && fault && fault - addr >= want)
		want *= 2;
	return want;
}

/* Where in the stack IN what is put behind SEG has to end: at what was copied when the sample was taken. */
static uint64_t completion_next_segment(const struct unwind_input *in, const struct raw_segment *seg)
{
	uint64_t next = UINT64_MAX;

	for (uint32_t i = 0; i < in->nr_segments; i++)
		if (in->segment[i].addr > seg->addr && in->segment[i].addr < next)
			next = in->segment[i].addr;
	return next;
}

/* SEG of IN with the bytes of P behind it. */
static void stack_completion_join(struct completion *u, const struct unwind_input *in, const struct raw_segment *seg,
				  const struct place *p, struct unwind_input *ret)
{
	struct raw_segment *joint = &ret->segment[seg - in->segment];
	const uint64_t room = completion_next_segment(in, seg) - p->addr;
	const uint32_t len = p->len < room ? p->len : (uint32_t)room;

	*ret = *in;
	memcpy(u->stack, seg->bytes, seg->len);
	memcpy(u->stack + seg->len, p->bytes, len);
	joint->bytes = u->stack;
	joint->len = seg->len + len;
}

enum completion_state completion_extend(struct completion *u, const struct raw_event *raw, uint64_t fault,
					struct unwind_input *ret)
{
	const struct raw_segment *seg = cut_segment(&raw->sample.user, fault);
	const uint64_t addr = seg ? seg->addr + seg->len : 0;
	struct place *p;
	uint32_t want;

	if (!seg || (fault && fault - addr >= READ_MOST))
		return COMPLETION_NONE;
	p = &u->place[hash_2u64(raw->sample.start_ns, (uint32_t)raw->tid) % PLACES];
	if (p->tid != raw->tid || p->start_ns != raw->sample.start_ns || p->addr != addr ||
	    (!p->asked && clock_mono_ns() - p->read_ns >= FRESH_NS))
		return stack_completion_ask(u, p, raw, addr, bytes_wanted(addr, fault, 0));
	if (p->asked)
		return COMPLETION_ASKED;
	want = bytes_wanted(addr, fault, p->want);
	if (p->len == p->want && want > p->want)
		return stack_completion_ask(u, p, raw, addr, want);
	if (!p->len)
		return COMPLETION_NONE;
	stack_completion_join(u, &raw->sample.user, seg, p, ret);
	return COMPLETION_READY;
}

unsigned int completion_poll(struct completion *u)
{
	struct peek_answer a;
	unsigned int n = 0;

	for (; peek_take(u->peek, &a); n++) {
		struct place *p = a.cookie < PLACES ? &u->place[a.cookie] : NULL;

		if (!p || !p->asked)
			continue;
		p->asked = false;
		p->read_ns = clock_mono_ns();
		p->len = a.status == PEEK_OK && a.addr == p->addr ? a.len < p->want ? a.len : p->want : 0;
		memcpy(p->bytes, a.bytes, p->len);
	}
	return n;
}
