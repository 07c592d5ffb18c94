/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branchrecords.h - whether branch records of the CPU (LBR of Intel, LbrExtV2 and BRS of AMD) can be had here, and if
 * not, why. Few machines have them: virtual ones mostly have no PMU at all.
 */
#ifndef SBERF_CAPTURE_BRANCHRECORDS_H
#define SBERF_CAPTURE_BRANCHRECORDS_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct branchrecords_facts {
	int error;               /* of perf_event_open() for branches of the kernel, positive; 0 = it was opened */
	bool pmu;                /* the kernel drives a PMU of the CPU */
	bool hypervisor;         /* the CPU says that it is a virtual one */
	bool snapshot;           /* BPF programs may take records: bpf_get_branch_snapshot(), since 5.16 */
	int paranoid;            /* kernel.perf_event_paranoid; INT_MIN = not known */
	uint32_t depth;          /* entries that the hardware has; 0 = not known */
};

/* Gathers them from the running system. */
void branchrecords_gather(struct branchrecords_facts *ret);

/*
 * One sentence about why there are none, which names the reason: permission, PMU, hypervisor, processor or kernel. 0
 * and nothing in E when nothing is in the way, else a negative errno. Pure.
 */
int branchrecords_judge(const struct branchrecords_facts *f, struct err *e);

#endif
