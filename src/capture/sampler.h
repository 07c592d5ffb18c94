/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampler.h - the perf event that interrupts one CPU at the asked rate and runs the BPF program.
 */
#ifndef SBERF_CAPTURE_SAMPLER_H
#define SBERF_CAPTURE_SAMPLER_H

#include "base/err.h"
#include "capture/source.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Which event the kernel has for WISH: EVENT_CYCLES or EVENT_CPU_CLOCK, tried on CPU. A negative errno when it has not what
 * was asked for by name, or denies all.
 */
int sampler_choose(enum capture_event wish, uint32_t cpu, enum capture_event *ret, struct err *e);

/*
 * Opens EVENT (not EVENT_AUTO) on CPU at FREQ_HZ, switched off, with the BPF program PROG_FD attached; records about
 * throttling go into the buffer of SIDEBAND_FD. An fd owned by the caller or a negative errno; -ENODEV: the CPU is offline.
 */
int sampler_open(enum capture_event event, uint32_t cpu, uint32_t freq_hz, int prog_fd, int sideband_fd, struct err *e);

/*
 * Opens an event for the page faults of all tasks on CPU, those that waited for a disk (MAJOR) or the others, switched off,
 * that runs the BPF program PROG_FD for each FAULT_PERIOD of them, when they have been handled: on average that costs a few
 * percent of what a fault does. An fd or a negative errno as above. A prime, lest it be in step with pages that are
 * interleaved over nodes: of every sixteenth all were on one of two.
 */
#define FAULT_PERIOD 17u
int sampler_open_faults(uint32_t cpu, bool major, int prog_fd, struct err *e);

int sampler_enable(int fd, bool on);                                             /* 0 or a negative errno */

/* How long the event has been on, ns; 0 when unknown. It stands still after its CPU went offline, even when that is back. */
uint64_t sampler_enabled_ns(int fd);

/* The largest rate the kernel allows now, kernel.perf_event_max_sample_rate; UINT32_MAX when it does not say. */
uint32_t sampler_max_rate(void);

const char *sampler_event_name(enum capture_event event);

#endif
