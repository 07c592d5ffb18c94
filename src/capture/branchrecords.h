/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branchrecords.h - whether branch records of the CPU (LBR of Intel, LbrExtV2 and BRS of AMD) can be had here, and if
 * not, why. Few machines have them: virtual ones mostly have no PMU at all.
 */
#ifndef SBERF_CAPTURE_BRANCHRECORDS_H
#define SBERF_CAPTURE_BRANCHRECORDS_H

#include "base/err.h"

#include <linux/perf_event.h>
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

/* Of an event that samples user code with records of the calls that have not returned (perf_event_open(2)). */
#define BRANCHRECORDS_CALLERS (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK)
#define BRANCHRECORDS_DEPTH 32u          /* what processors have at most, where the kernel does not say how many */

/* Gathers them from the running system: of all branches of the kernel. */
void branchrecords_gather(struct branchrecords_facts *ret);
/* The same of calls of user code, which BPF programs of samples may take in any kernel that sberf runs on. */
void branchrecords_gather_callers(struct branchrecords_facts *ret);

/*
 * One sentence about why there are none, which names the reason: permission, PMU, hypervisor, processor or kernel. 0
 * and nothing in E when nothing is in the way, else a negative errno. Pure.
 */
int branchrecords_judge(const struct branchrecords_facts *f, struct err *e);

#define BRANCHRECORDS_TEXT_MAX 96u
/* "this CPU keeps records of its last 32 branches", or that their number is not known, into DST, which is returned. */
char *branchrecords_depth(const struct branchrecords_facts *f, char dst[BRANCHRECORDS_TEXT_MAX]);

#endif
