/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bpfcalls.h - follows calls of BPF programs: from entry to return (fentry, fexit), with the jumps on a condition that
 * they come to in between.
 *
 * The kernel lets no kprobe stand in the code of BPF programs. But a CPU has four breakpoints, which may stand anywhere
 * in the kernel (perf_event_open(2), PERF_TYPE_BREAKPOINT), where the kernel was built with kprobes. So up to four
 * jumps are watched at a time, and which ones can be changed. Where branch records are taken there are no breakpoints,
 * and calls of functions of the kernel may be followed as well.
 */
#ifndef SBERF_CAPTURE_BPFCALLS_H
#define SBERF_CAPTURE_BPFCALLS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "bpf/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BPFCALLS_FUNCTIONS_MAX 16u

/* What the packet is known by that a program is about. */
enum bpfcalls_packet {
	BPFCALLS_NO_PACKET,
	BPFCALLS_SKB,
	BPFCALLS_XDP,
};

/* A function that is followed. Borrowed during the call of bpfcalls_open(). */
struct bpfcalls_function {
	uint32_t program;        /* number of the program; 0 = it is a function of the kernel, for records alone */
	const char *name;
	uint32_t nr_args;        /* up to SB_BPF_ARGS */
	enum bpfcalls_packet packet;
	uint8_t unused_bits[SB_BPF_ARGS + 1];    /* of arguments and the result: high bits that mean nothing */
	bool is_signed[SB_BPF_ARGS + 1];
	/* its end is told by a breakpoint at this instruction, where its result is known; 0 = by its return (fexit) */
	uint64_t leaves;
	bool entry;              /* calls are told when they begin, with the records of that moment, and no result */
	const struct sb_filter *when;    /* calls that do not meet this are not told; NULL */
	/* what is read of calls: to be shown, and for the condition (struct sb_bpf_prints); NULL = nothing */
	const struct sb_loads *loads;
};

struct bpfcalls;

/*
 * Loads and attaches programs for the N functions at F, numbered in that order. RECORDS: with branch records, and with
 * breakpoints else. 0; a negative errno with a sentence: -EOPNOTSUPP where the kernel cannot follow a program, -EPERM.
 */
int bpfcalls_open(const struct bpfcalls_function *f, size_t n, bool records, struct bpfcalls **ret, struct err *e);
void bpfcalls_free(struct bpfcalls *b);          /* NULL is fine */

/* The same loaded, but not attached to anything: whether the kernel takes the programs (tests/live/verifier.c). */
int bpfcalls_load(const struct bpfcalls_function *f, size_t n, bool records, struct bpfcalls **ret, struct err *e);

/*
 * Opens breakpoints on all CPUs, which do not stand anywhere yet. Returns how many of each CPU can be had, up to
 * SB_JUMPS; 0 = none, and WHY says why in a clause, "this kernel ...".
 */
uint32_t bpfcalls_breakpoints(struct bpfcalls *b, struct err *why);
/* What a hit of a breakpoint costs here, in ns: measured at a function of this process. 0 = it cannot be. */
uint32_t bpfcalls_hit_ns(const struct bpfcalls *b);

/*
 * Moves the breakpoints to the N addresses at ADDRESS, which calls that begin after that tell of as SET (not 0); N = 0
 * takes them off. False when some could not be moved: then none is watched.
 */
bool bpfcalls_watch(struct bpfcalls *b, const uint64_t *address, uint32_t n, uint32_t set);
/* Whether calls are followed at all: else they are only counted. */
void bpfcalls_off(struct bpfcalls *b, bool off);

/* PRINTS: what is to be shown of CALL; NULL = nothing is, of any function. */
typedef void bpfcalls_each(void *ctx, const struct sb_bpf_call *call, const struct sb_bpf_prints *prints);

/* Waits up to TIMEOUT_MS for calls and tells EACH of them, which is valid during the call. */
void bpfcalls_read(struct bpfcalls *b, int timeout_ms, bpfcalls_each *each, void *ctx);
/* What was counted so far, of all CPUs. */
void bpfcalls_lost(const struct bpfcalls *b, struct sb_bpf_lost *ret);

DEFINE_AUTO(bpfcalls_free, struct bpfcalls);

#endif
