/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * callflags.h - names of flags, and of values that are one of several, as the headers of the system
 * that built sberf have them: open(2)'s O_RDONLY, mmap(2)'s PROT_READ.
 */
#ifndef SBERF_TRACE_CALLFLAGS_H
#define SBERF_TRACE_CALLFLAGS_H

#include <stddef.h>
#include <stdint.h>

struct callflag {
	uint64_t value;
	const char *name;
};

/*
 * The names of one type. The bits of CHOICE are one value of several, all others are flags. Where
 * several flags together have a name, that stands before theirs.
 */
struct callflags {
	const struct callflag *flag;
	size_t n;
	uint64_t choice;         /* UINT64_MAX: it has no flags */
};

/* The names of TYPE, an enum callarg_type; NULL when its values have none. */
const struct callflags *callflags_of(unsigned int type);

/*
 * Writes VALUE by the names of SET, "O_RDONLY|O_CLOEXEC|0x8000", into DST of SIZE bytes, cut at its
 * end. What has no name is hexadecimal; 0 without a name is "0". Returns the length written.
 */
size_t callflags_text(const struct callflags *set, uint64_t value, char *dst, size_t size);

/*
 * The name of the error -CODE as system calls return it, "ENOENT", with those that only a tracer
 * sees ("ERESTARTSYS"); NULL when it has none.
 */
const char *callflags_error(int code);

/* Those of sockets, whose headers do not go with those of the kernel: callflags_socket.c. */
extern const struct callflags callflags_domain, callflags_msg, callflags_shutdown, callflags_socket,
	callflags_sockopt_level;

#endif
