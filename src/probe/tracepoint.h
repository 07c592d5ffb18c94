/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tracepoint.h - the tracepoints of this kernel, and the fields of their records, as tracefs
 * describes them.
 *
 * A format lists fields as C declarations with offset, size and sign. Whoever reads a record takes
 * them from there. Foreign text: names are checked, offsets and sizes are bounded, what makes no
 * sense is left out and counted.
 */
#ifndef SBERF_PROBE_TRACEPOINT_H
#define SBERF_PROBE_TRACEPOINT_H

#include "base/err.h"
#include "base/vec.h"
#include "probe/spec.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define TRACEPOINT_NAME_MAX 128u         /* of a category, event or field, with the NUL */
#define TRACEPOINT_TYPE_MAX 128u         /* of the C type of a field, with the NUL; longer ones are cut */
#define TRACEPOINT_FIELDS_MAX 128u
#define TRACEPOINT_RECORD_MAX 65536u     /* bytes in which all fields of a record lie */
#define TRACEPOINTS_MAX 10000u           /* that one probe may mean */

enum tracepoint_form {
	TRACEPOINT_NUMBER,       /* SIZE is 1, 2, 4 or 8 */
	TRACEPOINT_POINTER,      /* a number that is an address; "char *" of user or kernel memory */
	TRACEPOINT_TEXT,         /* char[SIZE], NUL-terminated unless full */
	/* __data_loc char[]: 4 bytes: the low 16 bits are the offset in the record, the high 16 the length */
	TRACEPOINT_DYNAMIC_TEXT,
	TRACEPOINT_RELATIVE_TEXT,        /* __rel_loc char[]: the same, counted from behind these 4 bytes */
	TRACEPOINT_OTHER,        /* arrays and structs */
};

struct tracepoint_field {
	char name[TRACEPOINT_NAME_MAX];
	char type[TRACEPOINT_TYPE_MAX];  /* without the name: "char [16]", "pid_t" */
	uint32_t offset, size;           /* in the record, from its first byte (common_type) on; bytes */
	uint8_t form;                    /* enum tracepoint_form */
	bool is_signed;
	bool common;                     /* one of the fields that all tracepoints have: common_pid */
};

struct tracepoint {
	char category[TRACEPOINT_NAME_MAX], name[TRACEPOINT_NAME_MAX];
	uint64_t id;                     /* perf_event_attr.config of PERF_TYPE_TRACEPOINT */
	uint32_t damaged;                /* lines that were no fields */
	VEC(struct tracepoint_field) field;
};

void tracepoint_free(struct tracepoint *t);      /* what it holds; NULL and zeroed are fine */

/*
 * Reads the LEN bytes at TEXT, a format file. 0 with *RET (category is "" then), -EBADMSG with a
 * sentence when it has no name or ID, -ENOMEM. Pure.
 */
int tracepoint_parse(const char *text, size_t len, struct tracepoint *ret, struct err *e);

/* The field called NAME; NULL when there is none. */
const struct tracepoint_field *tracepoint_field_find(const struct tracepoint *t, const char *name);

/*
 * Where tracefs is mounted, by /proc/self/mounts, into DST. -ENOENT with a sentence that says how
 * to mount it, -EACCES when its events cannot be read.
 */
int tracefs_find(char dst[PATH_MAX], struct err *e);

struct tracepoint_name {
	char category[TRACEPOINT_NAME_MAX], name[TRACEPOINT_NAME_MAX];
};

typedef VEC(struct tracepoint_name) tracepoint_names;

/*
 * Appends the tracepoints below TRACEFS that P means, by category and name. P is of kind
 * PROBE_TRACEPOINT or PROBE_RAW_TRACEPOINT (any category; "sys_enter" and "sys_exit" are found,
 * too); NULL = all. Returns how many; -ENOENT with a sentence when there is none, with the nearest
 * name; -E2BIG for more than TRACEPOINTS_MAX, -EACCES, -EINVAL, -ENOMEM. Free with vec_free().
 */
int find_tracepoints(const char *tracefs, const struct spec_point *p, tracepoint_names *ret, struct err *e);

/*
 * The same of the entry of the system call NAME, for which tracefs may have another name. Its arguments stand behind
 * the field __syscall_nr.
 */
int tracepoint_read_call(const char *tracefs, const char *name, struct tracepoint *ret, struct err *e);

/* Reads the format of NAME below TRACEFS. 0 or a negative errno with a sentence. */
int tracepoint_read(const char *tracefs, const struct tracepoint_name *name, struct tracepoint *ret, struct err *e);

#endif
