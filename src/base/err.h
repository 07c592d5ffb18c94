/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * err.h - makes an error a value: a negative errno and one sentence.
 *
 * A function that can fail returns 0 (or a count) on success and a negative errno on failure, and
 * describes the failure in a caller-supplied `struct err`: one sentence that names the thing, the
 * cause and the remedy, without a trailing newline or full stop. Library code never prints; only
 * main() and the status line speak. Outputs named `ret_*` change only on success. A NULL `struct
 * err *` is allowed everywhere and discards the sentence.
 */
#ifndef SBERF_BASE_ERR_H
#define SBERF_BASE_ERR_H

#include <stdbool.h>

#define ERR_TEXT_MAX 512

struct err {
	int code;                    /* positive errno of the last err_set(), 0 = none */
	char text[ERR_TEXT_MAX];     /* NUL-terminated UTF-8, sanitised: safe to print */
};

#define ERR_INIT { .code = 0, .text = "" }

/*
 * Records a failure. CODE is a positive errno; FMT and its arguments make the sentence, cut at
 * ERR_TEXT_MAX - 1 bytes and sanitised (text_sanitise) because it often quotes foreign names.
 * Returns -CODE, so that callers can write `return err_set(e, errno, ...)`. A CODE of 0 is turned
 * into EINVAL: a failure never looks like success.
 */
int err_set(struct err *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/*
 * Puts "CONTEXT: " before the sentence already in E, e.g. the name of the file being read. Returns -e->code
 * (-EINVAL when E is NULL or empty).
 */
int err_prefix(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Out of memory, said in one way everywhere. WHAT names what was being built. Returns -ENOMEM. */
int err_nomem(struct err *e, const char *what);

#endif
