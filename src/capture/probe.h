/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe.h - checks what this kernel, machine and user allow, and says how to get the rest.
 *
 * probe_gather() collects facts; probe_checks() and probe_sentence() judge them and are pure, so
 * every situation can be tested on any machine. Capabilities decide what is permitted, never the
 * user id. The user id only chooses the words, because a plain user, root in a container and root
 * on a locked-down kernel need different remedies.
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

/* What starts the container that sberf is in, and how a person tells it to give it more. */
enum probe_manager { PROBE_DOCKER, PROBE_PODMAN, PROBE_KUBERNETES };

struct probe_facts {
	bool btf;                        /* /sys/kernel/btf/vmlinux is there */
	bool cap_bpf, cap_perfmon;       /* each also by CAP_SYS_ADMIN */
	bool cap_sys_ptrace, cap_syslog, cap_sys_admin;
	bool root;                       /* effective uid 0 */
	bool init_userns, init_pidns;    /* in the initial user and pid namespace */
	/* one of these but CAP_SYS_ADMIN is not in the bounding set: this process can never get it */
	bool bounded;
	enum probe_manager manager;      /* when it is in one; PROBE_DOCKER also where nothing says which */
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
	/* BPF programs may read user registers: 1 yes, 0 no, negative = not known */
	int pt_regs;
	struct features features;        /* for time off the CPU */
	int64_t ptrace_scope;            /* kernel.yama.ptrace_scope; unknown = the kernel has no Yama */
	uint32_t nodes;                  /* NUMA nodes, those without CPUs too; 0 = not known */
	char distances[32];              /* between them: "10/21" */
	int move_pages;                  /* asking where a page is: 0 or errno */
	bool kallsyms;                   /* kernel symbols have addresses */
	char elfutils[16];               /* version of libdw, "" = not known */
	/* it reads zstd-compressed debug information, and packages of split units (.dwp) */
	bool zstd, packages;
	uint64_t nofile, nofile_max;     /* descriptors: soft and hard limit */
	uint64_t nofile_need;            /* file descriptors that a capture of all CPUs takes */
	uint32_t nr_cpus;                /* possible */
};

/*
 * Collects the facts of the running system. Never fails: what cannot be found out stays unknown,
 * denied or absent. What reads files and asks for pages (nodes, distances, move_pages, elfutils, zstd, packages) is
 * absent; the other one adds it.
 */
void probe_gather(struct probe_facts *ret);
void probe_gather_readers(struct probe_facts *f);

/* Of this process. */
enum probe_manager probe_manager(void);
/* What to add for the pid namespace of the host: "start the container with --pid=host" */
const char *probe_host_pids(enum probe_manager m);

enum probe_state {
	PROBE_OK,
	PROBE_NOTE,              /* works with less */
	PROBE_MISSING,           /* capture does not work */
};

#define PROBE_CHECKS_MAX 24u
#define PROBE_TEXT_MAX 192u

struct probe_check {
	const char *name;                /* of the item checked */
	enum probe_state state;
	char now[PROBE_TEXT_MAX];        /* its value */
	const char *need;                /* the value needed, "" when fine */
	char fix[PATH_MAX + PROBE_TEXT_MAX];     /* one command, "" when fine */
};

/*
 * Judges the facts: one row for each item, the most important first. Returns the number of rows
 * written. Pure.
 */
size_t probe_checks(const struct probe_facts *f, struct probe_check ret[PROBE_CHECKS_MAX]);

/*
 * Writes the rows of probe_checks() to OUT. Returns 0 when capturing works, 1 when something needed
 * is missing.
 */
int probe_print(const struct probe_facts *f, FILE *out);

/* Where opening a capture failed. */
enum probe_step {
	PROBE_STEP_RING,         /* bpf(BPF_MAP_CREATE) of a ring buffer */
	PROBE_STEP_LOAD,         /* bpf(BPF_PROG_LOAD) */
	PROBE_STEP_ATTACH,       /* attaching to a tracepoint */
	PROBE_STEP_PERF,         /* perf_event_open() and mapping its buffer */
};

/*
 * Explains the failure CODE (a positive errno) of STEP in one sentence in E: what was denied, the
 * value now, the value needed and one command. When the facts explain nothing, the sentence already
 * in E stays. Returns -CODE. Pure.
 */
int probe_sentence(const struct probe_facts *f, enum probe_step step, int code, struct err *e);

/* probe_sentence() with the facts of the running system. */
int probe_explain(enum probe_step step, int code, struct err *e);

/*
 * Explains a lack of file descriptors. CODE is EMFILE: ALLOWED (RLIMIT_NOFILE) were too few for a
 * capture of NR_CPUS CPUs, which takes NEED; or ENFILE: the whole system has no more. Returns
 * -CODE. Pure: there may be no descriptor left to gather facts with.
 */
int probe_nofile(int code, uint64_t allowed, uint32_t nr_cpus, uint64_t need, struct err *e);

/*
 * Writes what a working capture lacks because of a missing permission (names of kernel functions,
 * files of other users' processes) to DST: one sentence with one command, cut to SIZE bytes; ""
 * when nothing is missing. Pure.
 */
void probe_notice(const struct probe_facts *f, char *dst, size_t size);

/*
 * probe_notice() with the facts of the running system. Returns 0, or a negative errno with "" in
 * DST.
 */
int probe_notices(char *dst, size_t size);

#endif
