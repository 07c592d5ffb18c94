/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * owncost.h - measures what probes add to the times that they measure, by probing sberf's own code:
 * the way of the kernel out of the probe where a call begins, and into the one where it ends. The
 * kernel half takes that off each time (bpf/owncost.bpf.h).
 */
#ifndef SBERF_CAPTURE_OWNCOST_H
#define SBERF_CAPTURE_OWNCOST_H

#include "bpf/wire.h"
#include "capture/link.h"
#include "capture/programs.h"

#include <stdint.h>

struct sberf_bpf;

/* Nanoseconds; 0 = not known. */
struct owncost {
	int32_t begin[SB_BEGINS], end[SB_ENDS];  /* of what begins and ends at places, in programs: the sum of both */
	uint32_t call;           /* of a system call */
	/* what every system call of the machine takes longer while some are probed, as no probe is about it */
	uint32_t call_way;
	uint8_t begins[SB_PROBES], ends[SB_PROBES];      /* kinds of places that probes have, as masks */
};

/*
 * Measures, with the programs of P (ATTACH_OWN_*) as far as they are loaded, in the object SKEL, whose
 * own_tgid is known, and tells the kernel half. Takes some milliseconds. What cannot be measured is 0.
 */
void owncost_measure(struct programs *p, struct sberf_bpf *skel, struct owncost *ret);

/*
 * PLACES are probed: what is taken off the times of their probes becomes known (probes_note_own()). One
 * thread at a time.
 */
void owncost_note(struct owncost *o, const struct link_places *places);

#endif
