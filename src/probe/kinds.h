/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kinds.h - the kinds of probes: how they are written, and what is known when one is hit.
 *
 * One table: the parser of probes (spec.h), its sentences and the man page sberf-probe(7) read it.
 */
#ifndef SBERF_PROBE_KINDS_H
#define SBERF_PROBE_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum probe_kind {
	PROBE_SYSCALL, /* from the entry of a system call to its return */
	PROBE_TRACEPOINT, /* of the kernel, with the fields of its format */
	PROBE_RAW_TRACEPOINT, /* the same with the arguments that the kernel passes, as they are */
	PROBE_ENTRY, /* a function of a program begins, or an instruction is reached */
	PROBE_RETURN, /* a function of a program returns */
	PROBE_CALL, /* both: from its entry to its return */
	PROBE_USDT, /* a probe that the program's authors placed */
	PROBE_FAULT, /* page faults of user code */
	PROBE_SIGNAL, /* a signal is sent */
	PROBE_KPROBE, /* a function of the kernel begins */
	PROBE_KRETPROBE, /* it returns */
	PROBE_SPAN, /* from one probe to another of the same thread: two points */
	PROBE_KINDS
};

/* What a kind knows when it is hit, and can be used in a condition or a sum: bits. */
enum probe_knows {
	PROBE_KNOWS_ARGS = 1, /* arg0 to arg5 */
	PROBE_KNOWS_RETVAL = 2,
	PROBE_KNOWS_LATENCY = 4,
	PROBE_KNOWS_FIELDS = 8, /* names: parameters, fields of a format, members behind a pointer */
};

struct probe_kind_info {
	const char *name; /* canonical: "uprobe" */
	const char *alias; /* short form, as bpftrace has it: "u"; NULL = none */
	const char *form; /* what stands behind the name: ":TARGET:FUNCTION" */
	const char *about; /* one clause for the manual, without a full stop */
	uint8_t knows; /* enum probe_knows */
	bool target; /* the first field behind the kind names a file of a program */
};

/* The row of KIND, which must be below PROBE_KINDS. */
const struct probe_kind_info *probe_kind_info(enum probe_kind kind);

/*
 * Which argument of a probe of KIND is called NAME, as "sig" of a signal: 0 to 5; -1 = none is. Those
 * of kinds whose names are to be looked up elsewhere are not among them.
 */
int probe_kind_value(enum probe_kind kind, const char *name);

/* The names of these arguments of KIND, as "sig, to_pid, ..."; "" = there are none. */
const char *probe_kind_values(enum probe_kind kind);

/* The kind whose name or alias is the LEN bytes at WORD; PROBE_KINDS when there is none. */
enum probe_kind probe_kind_find(const char *word, size_t len);

#endif
