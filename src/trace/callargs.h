/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * callargs.h - knows what the arguments of system calls are: their names and types, by the name of
 * the call, so that one table serves every architecture.
 *
 * A call that is not in the table has six arguments without names, which are printed as numbers.
 */
#ifndef SBERF_TRACE_CALLARGS_H
#define SBERF_TRACE_CALLARGS_H

#include <stdbool.h>
#include <stdint.h>

#define CALLARGS_MAX 6u

/* What a value is. Those from CALLARG_FLAGS on have names for their bits or values (callflags.h). */
enum callarg_type {
	CALLARG_NONE,            /* the call has no such argument, or does not return */
	CALLARG_NUMBER,          /* hexadecimal; of unknown type */
	CALLARG_INT,             /* int: signed, 32 bits */
	CALLARG_LONG,            /* signed, 64 bits */
	CALLARG_SIZE,            /* unsigned, 64 bits */
	CALLARG_UINT,            /* unsigned, 32 bits */
	CALLARG_POINTER,         /* an address, of anything */
	CALLARG_FD,              /* a file descriptor */
	CALLARG_DIRFD,           /* the same, or AT_FDCWD */
	CALLARG_PATH,            /* a string that names a file */
	CALLARG_TEXT,            /* another string */
	CALLARG_IN,              /* bytes that the call reads: as many as the argument behind it says */
	CALLARG_OUT,             /* bytes that the call writes: as many as it returns */
	CALLARG_MODE,            /* permissions, octal */
	CALLARG_ID,              /* a user or group; -1 = none */
	CALLARG_FLAGS,
	CALLARG_ACCESS = CALLARG_FLAGS,
	CALLARG_ADVICE,
	CALLARG_AT,
	CALLARG_CLOCK,
	CALLARG_CLONE,
	CALLARG_CLOEXEC,         /* O_CLOEXEC and O_NONBLOCK, under whatever name a call has them */
	CALLARG_DOMAIN,
	CALLARG_EPOLL_OP,
	CALLARG_FCNTL,
	CALLARG_FUTEX,
	CALLARG_IOCTL,
	CALLARG_LOCK,
	CALLARG_MAP,
	CALLARG_MEMFD,
	CALLARG_MSG,
	CALLARG_OPEN,
	CALLARG_PRCTL,
	CALLARG_PROT,
	CALLARG_RANDOM,
	CALLARG_REMAP,
	CALLARG_RENAME,
	CALLARG_RLIMIT,
	CALLARG_SHUTDOWN,
	CALLARG_SIGNAL,
	CALLARG_SIGMASK,
	CALLARG_SOCKET,          /* the type of a socket */
	CALLARG_SOCKOPT_LEVEL,
	CALLARG_STATX,
	CALLARG_SYNC,
	CALLARG_WAIT,
	CALLARG_WHENCE,
	CALLARG_WHO,
	CALLARG_TYPES
};

struct callarg {
	const char *name;        /* of the parameter, as its manual page calls it */
	uint8_t type;            /* enum callarg_type */
};

struct callargs {
	const char *name;        /* of the call */
	/* enum callarg_type: CALLARG_FD, CALLARG_POINTER or CALLARG_LONG; CALLARG_NONE: it never returns */
	uint8_t result;
	struct callarg arg[CALLARGS_MAX];        /* up to the first of CALLARG_NONE */
};

/* The call NAME ("openat"); NULL when it is not in the table. Any thread. */
const struct callargs *callargs_find(const char *name);

/* The NR-th call of the table, by name; NULL = no more. */
const struct callargs *callargs_get(unsigned int nr);

/* How many arguments CALL has. */
unsigned int callargs_count(const struct callargs *call);

/* Whether an argument of TYPE is the address of bytes that are read with the hit: a string or data. */
bool callarg_is_memory(unsigned int type);

#endif
