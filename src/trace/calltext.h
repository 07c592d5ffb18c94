/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * calltext.h - writes the arguments and the result of a system call as a person, or a program that
 * reads JSON, wants them: flags by name, strings in quotes, descriptors with what they stand for.
 *
 * All foreign bytes are escaped: what is written is printable text, and strings can be told from
 * what stands around them.
 */
#ifndef SBERF_TRACE_CALLTEXT_H
#define SBERF_TRACE_CALLTEXT_H

#include "trace/callargs.h"
#include "trace/hit.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define CALLTEXT_MAX 8192u               /* bytes of a call, whatever its arguments are */
#define CALLTEXT_FILE_MAX 1024u          /* of what a descriptor stands for */
#define CALLTEXT_DATA 32u                /* bytes of a buffer that text shows; JSON has all that were read */

/* Knows what descriptors stand for. */
struct calltext_files {
	/*
	 * Writes what descriptor FD of the process of H, which is FILE, stands for: raw bytes, NUL-terminated, into
	 * DST. False when it is not known.
	 */
	bool (*name)(void *ctx, const struct hit *h, int fd, const struct hit_file *file, char dst[CALLTEXT_FILE_MAX]);
	void *ctx;
};

/*
 * Writes LEN raw bytes in double quotes, with C's escapes, and "..." behind them when CUT. Valid
 * UTF-8 stays, but for what text_sanitise() replaces. Returns the length written into DST of SIZE
 * bytes, cut at a character.
 */
size_t calltext_quote(char *dst, size_t size, const char *bytes, size_t len, bool cut);

/*
 * "openat(AT_FDCWD, "/etc/passwd", O_RDONLY) = 3</etc/passwd>" for hit H of CALL, whose name is NAME.
 * CALL is NULL when nothing is known of it but its name. FILES may be NULL. Of a call that does not
 * return the result is "?", in JSON null. Returns the length written into DST.
 */
size_t calltext_write(const struct callargs *call, const char *name, const struct hit *h,
		      const struct calltext_files *files, char dst[CALLTEXT_MAX]);

/*
 * The same as JSON: sets "args" (an object by parameter, or an array where these have no names),
 * "result", and "error" in LINE. False when out of memory.
 */
bool calltext_json(const struct callargs *call, const struct hit *h, const struct calltext_files *files,
		   json_t *line);

/* The error that RESULT of a system call means, positive; 0 = it succeeded. */
int calltext_error(int64_t result);

/*
 * Argument I of CALL as calltext_write() has it, without what descriptors stand for, into DST; and what H
 * returned, an error by its name alone. Return the length; 0 for an argument that does not count.
 */
size_t calltext_argument(const struct callargs *call, const struct hit *h, unsigned int i, char *dst, size_t size);
size_t calltext_returned(const struct callargs *call, const struct hit *h, char *dst, size_t size);

#endif
