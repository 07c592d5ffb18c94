/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runtime.h - how long the BPF programs have run. The kernel measures that while somebody asks it to,
 * with two looks at the clock for each run: 0.06 us, which is much for a program that runs a million
 * times a second. So where probes are, it is asked for a part of the time only, and what is between
 * is taken to be as what was measured.
 */
#ifndef SBERF_CAPTURE_RUNTIME_H
#define SBERF_CAPTURE_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#define RUNTIME_LOOK_NS 50000000ull      /* at least so long is measured ... */
#define RUNTIME_EACH_NS 1000000000ull    /* ... in each such time */

/* Zero it, then call runtime_begin(). Times are of CLOCK_MONOTONIC; RAN_NS is how long programs ran while measured. */
struct runtime {
	bool partly;
	bool on;                 /* it is being measured now */
	bool ended;
	uint64_t begun_ns, ran_ns;       /* when the last part began, and what was measured by then */
	uint64_t looked_ns, found_ns;    /* how long it was when it had ended, and what it had found */
	uint64_t sum_ns;         /* of the parts before it, and what came behind each */
};

/*
 * Has the kernel measure, as long as the file is open that is returned, the caller's; a negative errno where that
 * is not permitted. After runtime_allow(), which takes root, also without privileges: it measures from then on.
 */
int runtime_enable(void);
void runtime_allow(void);

/* Measuring has begun. PARTLY: it is to be a part of the time only. */
void runtime_begin(struct runtime *r, bool partly, uint64_t ran_ns, uint64_t now_ns);
/* Whether it is time to turn measuring on or off. */
bool runtime_due(const struct runtime *r, uint64_t now_ns);
/* It is turned on, if it was off, or off. */
void runtime_turn(struct runtime *r, uint64_t ran_ns, uint64_t now_ns);
/* No program runs from now on. */
void runtime_end(struct runtime *r, uint64_t ran_ns, uint64_t now_ns);
/* How long programs have run. */
uint64_t runtime_ns(const struct runtime *r, uint64_t ran_ns, uint64_t now_ns);

#endif
