/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampler.h - the perf event that interrupts one CPU at the requested rate and runs the BPF
 * program.
 */
#ifndef SBERF_CAPTURE_SAMPLER_H
#define SBERF_CAPTURE_SAMPLER_H

#include "base/err.h"
#include "capture/source.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Chooses the event for WISH by opening it on CPU: *RET is EVENT_CYCLES or EVENT_CPU_CLOCK, or EVENT_BREAKPOINT, at
 * the address BREAKPOINT of the kernel. A negative errno with a sentence when the kernel lacks the event that was
 * asked for by name, or denies both.
 */
int sampler_choose(enum capture_event wish, uint64_t breakpoint, uint32_t cpu, enum capture_event *ret, struct err *e);

/* In place of the rate of EVENT_BREAKPOINT: its hits are not told. With any other rate all are. */
#define SAMPLER_RESTS 1u

/*
 * Opens EVENT (not EVENT_AUTO), of which BREAKPOINT is as above, on CPU at FREQ_HZ, disabled, with the BPF program
 * PROG_FD attached; with RECORDS each sample has the branch records of calls of user code that have not returned
 * (EVENT_CYCLES alone). Returns an fd owned by the caller or a negative errno; -ENODEV: the CPU is offline.
 */
int sampler_open(enum capture_event event, uint64_t breakpoint, uint32_t cpu, uint32_t freq_hz, bool records,
		 int prog_fd, struct err *e);
/* Throttling of the sampler FD is reported in the buffer of SIDEBAND_FD, which is mapped. Takes no privilege. */
void sampler_report_to(int fd, int sideband_fd);

/*
 * Opens an event for page faults of all tasks on CPU, disabled: major faults (which wait for a
 * disk) with MAJOR, else minor ones. The BPF program PROG_FD runs after every FAULT_PERIOD-th
 * fault, which costs a few percent of a fault on average. Returns an fd or a negative errno as
 * above. FAULT_PERIOD is prime, so that it is not in step with pages interleaved over nodes: with
 * 16, all sampled pages were on one of two nodes.
 */
#define FAULT_PERIOD 17u
int sampler_open_faults(uint32_t cpu, bool major, int prog_fd, struct err *e);

int sampler_enable(int fd, bool on);                                             /* 0 or a negative errno */

/*
 * How long the event has been enabled, in ns; 0 when unknown. After its CPU went offline it stops
 * for good, even when the CPU is back.
 */
uint64_t sampler_enabled_ns(int fd);

/*
 * The highest rate that the kernel allows now (kernel.perf_event_max_sample_rate); UINT32_MAX when
 * unknown.
 */
uint32_t sampler_max_rate(void);

const char *sampler_event_name(enum capture_event event);

#endif
