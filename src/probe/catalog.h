/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * catalog.h - lists what can be probed, each as it is written in a probe, with what is known of its
 * arguments and what a hit costs.
 */
#ifndef SBERF_PROBE_CATALOG_H
#define SBERF_PROBE_CATALOG_H

#include "base/err.h"
#include "probe/spec.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What a hit costs in the kernel that is counted, or timed, and not told. Measured on Linux 6.18 in a KVM guest on an
 * AMD EPYC, as what a program takes longer that does nothing else: a system call 325 to 350 ns, a tracepoint 357 to
 * 361, a raw one 275 to 288, a page fault 373 to 390. Functions of the kernel: as tracepoints, and one more program on
 * the return. A capture measures what its own programs take, and how long it is on the way to them (engine/placer.h).
 */
uint32_t catalog_kernel_ns(enum probe_kind kind);        /* 0 = KIND is in programs */
#define CATALOG_COUNTED_NS 60u   /* of it, what a program takes that only counts */

struct catalog_row {
	const char *probe;       /* canonical, as spec_parse() reads it: "uprobe:libc.so.6:malloc"; not sanitised */
	/* "int dfd, const char * filename"; of USDT the operands; of functions by debug information; "" = not known */
	const char *args;
	uint32_t cost_ns;        /* of a hit that is counted; of kinds with a return both halves; 0 = not known */
	const char *note;        /* a remark for a person, as why it is dear; "" = none */
	const char *result;      /* the type of what a function of the kernel returns, "ssize_t"; "" = not known */
};

/* Takes a row, valid during the call. Not 0 ends the list with that, a negative errno. */
typedef int catalog_fn(void *ctx, const struct catalog_row *row);

/* What to list, and for whom. Borrowed during the call. */
struct catalog {
	const struct spec_point *only;   /* what this point means; NULL = all kinds */
	bool no_params;                  /* parameters of functions are not wanted: no debug information is read */
	const char *glob;                /* of these, whose text matches this wildcard; NULL = all of them */
	catalog_fn *each;
	void *ctx;
};

/*
 * Lists system calls, page faults, signals and tracepoints of this kernel, and its functions when
 * they alone are asked for. Of a point that is of another kind: nothing. 0, what EACH returned, or a
 * negative errno with a sentence. Without tracefs system calls are listed without arguments, and
 * tracepoints are refused only when they alone were asked for. Whether the kernel lets functions be
 * probed is not looked at.
 */
int catalog_kernel(const struct catalog *c, struct err *e);

/*
 * Lists functions and static probes of the file PATH, which this process can open, as those of a
 * target called SHOWN. Where ONLY names a target, SHOWN has to be that (probe_target_is()), else
 * nothing is listed. Not found is no error here: *RET_FOUND (added to) counts rows, and E may hold a
 * sentence about what is near (code ENOENT) though 0 is returned.
 */
int catalog_file(const struct catalog *c, const char *path, const char *shown, uint64_t *ret_found, struct err *e);

#endif
