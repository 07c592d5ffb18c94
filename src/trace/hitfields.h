/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hitfields.h - what the arguments of a hit mean, by their names: of a page fault, of a signal, of a
 * tracepoint, which makes a record, and of what has parameters.
 */
#ifndef SBERF_TRACE_HITFIELDS_H
#define SBERF_TRACE_HITFIELDS_H

#include "model/probevalues.h"
#include "trace/hit.h"

#include <stdbool.h>

#define HITFIELDS_MAX 7u
#define HITFIELD_BYTES 512u

struct hitfields {
	char text[HITFIELD_BYTES + 64];          /* "SIGTERM, sleep/4711": as in a line. Raw bytes */
	char result[32];                         /* what it returned, a field, too; "" = that is not known */
	unsigned int n;
	struct {
		const char *key;         /* "to_pid" */
		bool number;             /* value is a decimal number */
		uint8_t at;              /* number of the argument, where these are those of parameters */
		char value[HITFIELD_BYTES];
	} field[HITFIELDS_MAX];
	char name[HITFIELDS_MAX][PROBE_PARAM_NAME];      /* of parameters: their keys */
};

/*
 * Of the page fault H, where MAPPED says what the address is of now; NULL = not known. What the kernel
 * half said of it then comes first; of a file it has no path, which MAPPED gives if it is that file.
 * What is too long is cut.
 */
void hitfields_of_fault(const struct hit *h, const char *mapped, struct hitfields *ret);

#define HITRECORD_BYTES 192u     /* of a record that are told */

/* How the fields of a tracepoint's record are called, and where they are. */
enum hitrecord_form {
	HITRECORD_NUMBER, HITRECORD_ADDRESS,
	HITRECORD_TEXT,                  /* SIZE bytes, with an end unless they are full */
	HITRECORD_TEXT_AT,               /* 2 bytes that say where in the record a text is, and 2 how long */
	HITRECORD_TEXT_BEHIND,           /* the same, counted from behind these */
};
struct hitrecord {
	unsigned int n;
	struct {
		char name[32];
		uint16_t offset;
		uint8_t size, form;      /* of a number 1, 2, 4 or 8; enum hitrecord_form */
		bool is_signed;
	} field[HITFIELDS_MAX];
};

/* Of the hit H of a tracepoint whose records are R: of what its record had in its first HITRECORD_BYTES. */
void hitfields_of_record(const struct hit *h, const struct hitrecord *r, struct hitfields *ret);

/*
 * Of the hit H of a function, or of another place, by the names of its parameters (model/probevalues.h): those that
 * have one, and could be read. The result of a function has its place behind all arguments.
 */
void hitfields_of_params(const struct hit *h, struct hitfields *ret);

/* The same of arguments ARG, N of them, that are those of the parameters PARAM; the seventh is the result. */
void hitfields_of_list(const uint64_t *arg, unsigned int n, const struct probe_param *param, struct hitfields *ret);

/* Of the signal H (SB_SIGNAL_* in bpf/wire.h). */
void hitfields_of_signal(const struct hit *h, struct hitfields *ret);

#endif
