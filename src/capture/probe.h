/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe.h - what this kernel, machine and user allow, and what to do about the rest.
 *
 * Facts are gathered in one place, judged in another: probe_checks() and probe_sentence() are pure, so every situation can be
 * tested on any machine. Permission is judged by capabilities, never by the user's number: that only chooses the words,
 * since a plain user, root in a container and root on a locked-down kernel need different remedies.
 */
#ifndef SBERF_CAPTURE_PROBE_H
#define SBERF_CAPTURE_PROBE_H

#include "base/err.h"
#include "capture/features.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PROBE_UNKNOWN INT64_MIN          /* a number that the kernel does not show */

struct probe_facts {
	bool btf;                        /* /sys/kernel/btf/vmlinux is there */
	bool cap_bpf, cap_perfmon;       /* each also by CAP_SYS_ADMIN */
	bool cap_sys_ptrace, cap_syslog, cap_sys_admin;
	bool root;                       /* effective uid 0 */
	bool init_userns, init_pidns;    /* in the initial user and pid namespace */
	bool bounded;                    /* this process could never get CAP_BPF and CAP_PERFMON: not in its bounding set */
	bool seccomp;                    /* system calls are filtered */
	int64_t paranoid;                /* kernel.perf_event_paranoid */
	int64_t unprivileged_bpf;        /* kernel.unprivileged_bpf_disabled */
	int64_t kptr_restrict;           /* kernel.kptr_restrict */
	int64_t max_rate;                /* kernel.perf_event_max_sample_rate */
	char lockdown[32];               /* "none", "integrity", "confidentiality"; "" = the kernel has no lockdown */
	char release[65];                /* uname -r */
	char self[PATH_MAX];             /* sberf's executable, for setcap */
	int perf_clock, perf_cycles;     /* opening the event on a CPU: 0 or errno */
	int ringbuf;                     /* making a BPF ring buffer: 0 or errno */
	int pt_regs;                     /* BPF programs may read user registers: 1 yes, 0 no, negative = could not be asked */
	struct features features;        /* for time off the CPU */
	int64_t ptrace_scope;            /* kernel.yama.ptrace_scope; unknown = the kernel has no Yama */
	uint32_t nodes;                  /* NUMA nodes, those without CPUs too; 0 = not known */
	char distances[32];              /* between them: "10/21" */
	int move_pages;                  /* asking where a page is: 0 or errno */
	bool kallsyms;                   /* kernel symbols have addresses */
	char elfutils[16];               /* version of libdw, "" = not known */
	bool zstd, packages;             /* it reads debug information packed by zstd, and packages of split units (.dwp) */
	uint64_t nofile, nofile_max;     /* descriptors: soft and hard limit */
	uint64_t nofile_need;            /* what a capture of all CPUs takes */
	uint32_t nr_cpus;                /* possible */
};

/* Looks at the running system. Never fails: what cannot be learnt stays unknown, denied or absent. */
void probe_gather(struct probe_facts *ret);

enum probe_state {
	PROBE_OK,
	PROBE_NOTE,              /* works with less */
	PROBE_MISSING,           /* capture does not work */
};

#define PROBE_CHECKS_MAX 24u
#define PROBE_TEXT_MAX 192u

struct probe_check {
	const char *name;                /* of the thing looked at */
	enum probe_state state;
	char now[PROBE_TEXT_MAX];        /* its value */
	const char *need;                /* the value needed, "" when fine */
	char fix[PATH_MAX + PROBE_TEXT_MAX];     /* one command, "" when fine */
};

/* Judges the facts: one row for each thing, in order of importance. Returns how many were written. Pure. */
size_t probe_checks(const struct probe_facts *f, struct probe_check ret[PROBE_CHECKS_MAX]);

/* Writes the rows of probe_checks() to OUT. Returns 0 when capture works, 1 when something needed is missing. */
int probe_print(const struct probe_facts *f, FILE *out);

/* Where opening a capture failed. */
enum probe_step {
	PROBE_STEP_RING,         /* bpf(BPF_MAP_CREATE) of a ring buffer */
	PROBE_STEP_LOAD,         /* bpf(BPF_PROG_LOAD) */
	PROBE_STEP_ATTACH,       /* attaching to a tracepoint */
	PROBE_STEP_PERF,         /* perf_event_open() and mapping its buffer */
};

/*
 * Turns the failure CODE (positive errno) of STEP into one sentence that names what was denied, its value now, the value
 * needed and one command. When the facts explain nothing, the sentence that is already in E stays, if any. Returns
 * -CODE. Pure.
 */
int probe_sentence(const struct probe_facts *f, enum probe_step step, int code, struct err *e);

/* probe_gather() and probe_sentence() together. */
int probe_explain(enum probe_step step, int code, struct err *e);

/*
 * The sentence for CODE EMFILE, when ALLOWED descriptors (RLIMIT_NOFILE) were not enough for a capture of NR_CPUS CPUs that
 * takes NEED, or ENFILE, when those of the whole system were not. Returns -CODE. Pure: there may be no descriptor left to
 * gather facts with.
 */
int probe_nofile(int code, uint64_t allowed, uint32_t nr_cpus, uint64_t need, struct err *e);

/*
 * What a capture that works goes without because of a missing permission, in one sentence with one command: names of kernel
 * functions, files of other users' processes. Cut to SIZE. "" when nothing is missing. Pure.
 */
void probe_notice(const struct probe_facts *f, char *dst, size_t size);

/* probe_gather() and probe_notice() together. Returns 0 with DST filled, or a negative errno with "" in it. */
int probe_notices(char *dst, size_t size);

#endif
