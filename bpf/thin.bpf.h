/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thin.bpf.h - of many hits of a placed probe some are told, each for those before it that were not:
 * one in so many (hits_every, hits_thin), or so many a second (hits_rate). What they weigh together stays exact;
 * whose stack it is seen with becomes a sample. The same is done with hits for which the ring had no
 * room.
 */
#ifndef SBERF_BPF_THIN_H
#define SBERF_BPF_THIN_H

#include "hitsums.bpf.h"

const volatile bool thinned = false;     /* not all are told one by one */
const volatile __u32 hits_every = 1;
const volatile __u32 hits_rate = 0;      /* of one probe; 0 = no bound */
/* hits_thin is looked at: of a probe in the kernel that costs too much one in so many hits is told, 0 = all */
const volatile bool bounded = false;
__u32 hits_thin[SB_PROBES] = { 0 };
/*
 * How many hits each hit in the code of a program stands for. Probes that cost too much are in place
 * during a part of the time only (engine/placer.h). 0: hits of probes that are being placed, or taken
 * off, are not counted.
 */
__u32 hits_scale = 1;
/*
 * Which slice of time it is, where probes are in place for slices of it only. What began in an earlier one may
 * have ended unseen.
 */
__u32 hits_slice = 1;
#define RATE_SHARES 10u                  /* it is kept in each tenth of a second */
#define RATE_NS (1000000000ull / RATE_SHARES)

/* Of one probe on one CPU: hits that are not told yet, and their weight; and all that there were. */
struct untold {
	__u64 count, value;
	__u64 seen;              /* whatever its condition says */
	__u64 lost[SB_HIT_LOST_NR];
	/* of hits that were timed, by whether they were told: how many, and how long that took */
	__u64 timed[2], took_ns[2];
	/* of hits whose arguments are looked at, one of 1 << shift: when a share of a second began, how many in it */
	__u64 share_ns;
	__u32 shift, to_skip, looked;
	__u32 thin_at;           /* of hits that are thinned (hits_thin) the one that is told next; 0 = the first */
};

/* In a share of a second so many are looked at, on each CPU; twice as many, when more come than before. */
#define LOOKS 16u
#define LOOK_SHIFT_MAX 20u

/* By the number of a placed probe. User space sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct untold);
} untold SEC(".maps");

/* Of one probe: how many were told in which share of a second. */
struct rate {
	__u64 share, told;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct rate);
} rates SEC(".maps");

/*
 * A hit of the probe KEY has come, which is to be counted before anything is asked about it. Returns which one
 * it is on this CPU, from 1 on.
 */
static __always_inline __u64 see_hit(__u32 key)
{
	struct untold *u = bpf_map_lookup_elem(&untold, &key);

	return u ? __sync_fetch_and_add(&u->seen, 1) + 1 : 0;
}

/* The first hits on each CPU are timed, and then one of so many: to look at the clock takes 25 ns. */
#define TIMED_FIRST 64u
#define TIMED_EACH 64u
#define TOOK_MAX_NS 100000u              /* what took longer was interrupted */

/* Hit number SEEN of the probe KEY has taken since SINCE_NS; TOLD: it was told. */
static __always_inline void time_hit(__u32 key, __u64 seen, __u64 since_ns, bool told)
{
	struct untold *u;
	__u64 took;

	if (!seen || (seen > TIMED_FIRST && seen % TIMED_EACH))
		return;
	u = bpf_map_lookup_elem(&untold, &key);
	took = bpf_ktime_get_ns() - since_ns;
	if (!u || took > TOOK_MAX_NS)
		return;
	if (told) {
		u->timed[1]++;
		u->took_ns[1] += took;
	} else {
		u->timed[0]++;
		u->took_ns[0] += took;
	}
}

/* Of a hit of PROBE, SB_PROBE_*, WHAT is lost: SB_HIT_LOST_*. */
static __always_inline void lose_hit(__u32 probe, __u32 what)
{
	const __u32 key = probe - SB_PROBE_PLACED;
	struct untold *u = bpf_map_lookup_elem(&untold, &key);

	if (u)
		__sync_fetch_and_add(&u->lost[what], 1);
}

/* It is NOW: hits of PROBE, SB_PROBE_*, may be looked at again, when a share of a second is over. */
static __always_inline void turn_looks(__u32 probe, __u64 now)
{
	const __u32 key = probe - SB_PROBE_PLACED;
	struct untold *u = bpf_map_lookup_elem(&untold, &key);

	if (!u || now - u->share_ns < RATE_NS)
		return;
	u->share_ns = now;
	/* Fewer came than are to be looked at: of the next ones more. */
	if (u->looked < LOOKS / 2 && u->shift) {
		u->shift--;
		u->to_skip = 0;
	}
	u->looked = 0;
}

/*
 * Are the arguments of a hit of PROBE, SB_PROBE_*, to be looked at? If so, how many hits they stand for: 1 << the
 * result - 1. 0 = no.
 */
static __always_inline __u32 take_look(__u32 probe)
{
	const __u32 key = probe - SB_PROBE_PLACED;
	struct untold *u = bpf_map_lookup_elem(&untold, &key);

	if (!u)
		return 0;
	if (u->to_skip) {
		u->to_skip--;
		return 0;
	}
	u->looked++;
	if (u->looked >= 2 * LOOKS && u->shift < LOOK_SHIFT_MAX) {
		u->shift++;
		u->looked = LOOKS;
	}
	/* As many as that on average, so that nothing which comes in turns is always missed. */
	u->to_skip = bpf_get_prandom_u32() % ((2u << (u->shift & 31)) - 1);
	return u->shift + 1;
}

/* May another hit of the probe KEY be told NOW? */
static __always_inline bool is_within_rate(__u32 key, __u64 now)
{
	struct rate *r = bpf_map_lookup_elem(&rates, &key);
	const __u64 share = now / RATE_NS;

	if (!r || !hits_rate)
		return true;
	if (r->share != share) {
		r->share = share;
		r->told = 0;
	}
	return __sync_fetch_and_add(&r->told, 1) < (hits_rate + RATE_SHARES - 1) / RATE_SHARES;
}

/* Hits of the probe KEY, of WEIGHT, are to be told with the next one. */
static __always_inline void keep_untold(__u32 key, const struct weight *weight)
{
	struct untold *u = bpf_map_lookup_elem(&untold, &key);

	if (!u)
		return;
	__sync_fetch_and_add(&u->value, weight->value);
	__sync_fetch_and_add(&u->count, weight->count);
}

/* A hit of the probe KEY is told: its WEIGHT becomes that of those before it, too. False when there were none. */
static __always_inline bool take_untold(__u32 key, struct weight *weight)
{
	struct untold *u = bpf_map_lookup_elem(&untold, &key);

	if (!u || !u->count)
		return false;
	weight->count += __sync_lock_test_and_set(&u->count, 0);
	weight->value += __sync_lock_test_and_set(&u->value, 0);
	return true;
}

/* As hits_thin says of the probe KEY, where that is more than hits_every; else 0. */
static __always_inline __u32 thin_of(__u32 key)
{
	const __u32 thin = bounded ? hits_thin[key & (SB_PROBES - 1)] : 0;

	return thin > 1 && thin > hits_every ? thin : 0;
}

/*
 * Is a hit of the probe KEY, of WEIGHT, to be told, as one of THIN if that is not 0? If so, WEIGHT becomes that of
 * all hits that are told by it.
 */
static __always_inline bool is_told_hit(__u32 key, __u32 thin, struct weight *weight, __u64 now)
{
	struct untold *u = bpf_map_lookup_elem(&untold, &key);
	__u64 every;

	if (!u)
		return true;
	every = thin ? u->thin_at : hits_every;
	/* Another hit may come in between on this CPU. */
	__sync_fetch_and_add(&u->value, weight->value);
	if (__sync_fetch_and_add(&u->count, weight->count) + weight->count < every * weight->count ||
	    !is_within_rate(key, now))
		return false;
	/* As many on average, so that what comes in turns is not always the same. */
	if (thin)
		u->thin_at = 1 + bpf_get_prandom_u32() % (2 * (thin & 0xffff) - 1);
	weight->count = __sync_lock_test_and_set(&u->count, 0);
	weight->value = __sync_lock_test_and_set(&u->value, 0);
	return weight->count;
}

#endif
