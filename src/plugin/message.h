/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * message.h - what sberf and the process in which a plug-in runs tell each other, through a socket that
 * keeps messages apart (SOCK_SEQPACKET).
 *
 * sberf asks (a call), the worker may ask back any number of times while it works on that (an errand),
 * and ends the call with its result. Neither side believes the other: plugin_message_check() knows
 * for each kind of message who may send it and how long it may be, and texts are looked at where they
 * are taken out.
 */
#ifndef SBERF_PLUGIN_MESSAGE_H
#define SBERF_PLUGIN_MESSAGE_H

#include <sberf/plugin.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PLUGIN_BODY_MAX 65536u           /* bytes behind the head of a message: the records of one expand */
#define PLUGIN_PCS_MAX 512u              /* of one resolve, and threads of one threads */
#define PLUGIN_PROCESSES_MAX 32768u      /* that a worker knows at a time */
#define PLUGIN_PATH_MAX 4096u            /* with a NUL */
#define PLUGIN_LOG_MAX 256u
#define PLUGIN_SYMBOL_MAX 512u           /* of a file's path and of a symbol, each with a NUL */

enum plugin_op {
	/* calls, by sberf */
	PLUGIN_ATTACH = 1,
	PLUGIN_DETACH,
	PLUGIN_PLAN,
	PLUGIN_CLAIMS,
	PLUGIN_RESOLVE,
	PLUGIN_EXPAND,
	PLUGIN_CHANGED,
	PLUGIN_THREADS,
	/* errands, by the worker */
	PLUGIN_HELLO,                /* the first one, without a call: what it has loaded, or why it has not */
	PLUGIN_READ,
	PLUGIN_MAPPED,
	PLUGIN_SYMBOL,
	PLUGIN_FILE,
	PLUGIN_LOG,                  /* this and the next two are not answered */
	PLUGIN_REFUSED,
	PLUGIN_SAY,
	/* ends */
	PLUGIN_ANSWER,               /* of an errand, by sberf */
	PLUGIN_RESULT,               /* of a call, by the worker */
	PLUGIN_OPS,
};

struct plugin_head {
	uint32_t op;                 /* enum plugin_op */
	uint32_t length;             /* of what is behind it, bytes */
	uint32_t call;               /* number of the call that it belongs to; 0 = none */
	uint32_t process;            /* number of the process, below PLUGIN_PROCESSES_MAX */
	int32_t result;              /* 0, a count, or a negative errno */
	uint32_t n;                  /* bytes to read, index of a mapping, kind of file, what has changed, records */
	uint64_t a, b;               /* address, size */
};

struct plugin_message {
	struct plugin_head head;
	_Alignas(8) unsigned char body[PLUGIN_BODY_MAX];
};

/* Bodies. Texts are NUL-terminated and fill what is left of their fields with NULs. */
struct plugin_hello {
	char name[32], runtime[32], versions[32];
	uint32_t has;                /* bit for each call that the plug-in has a function for */
	char trouble[PLUGIN_LOG_MAX];        /* of a negative result */
};

struct plugin_process_body {
	uint32_t machine;
	int32_t pid, pid_inside;
	uint32_t reserved;
	uint64_t start_ns;
	char exe[PLUGIN_PATH_MAX];
};

struct plugin_mapped_body {
	uint64_t start, end, offset, bias;
	uint32_t flags, reserved;
	char path[PLUGIN_PATH_MAX];
};

struct plugin_symbol_body {
	char module[PLUGIN_SYMBOL_MAX];      /* "" = any */
	char name[PLUGIN_SYMBOL_MAX];
};

/* Of PLUGIN_SAY, one or more of them. */
struct plugin_said_body {
	uint32_t i, kind, line, reserved;
	uint64_t start, size_bytes;
	char function[SBERF_PLUGIN_TEXT_MAX + 1];
	char file[SBERF_PLUGIN_TEXT_MAX + 1];
};

enum plugin_side {
	PLUGIN_BY_SBERF = 1,
	PLUGIN_BY_WORKER = 2,
};

/*
 * Are the LENGTH bytes at M a message that SIDE may send? Its body is as long as its head says, and as its kind
 * may be. What is in the body is not looked at, but for texts, which end within their fields.
 */
bool plugin_message_check(const struct plugin_message *m, size_t length, enum plugin_side side);

/*
 * Sends M and, unless FD is negative, that descriptor by SOCKET. 0 or a negative errno; -EPIPE: nobody is
 * there. Waits for room.
 */
int plugin_message_send(int socket, const struct plugin_message *m, int fd);

/*
 * Takes the next message to M, and the descriptor that came with it to *RET_FD, -1 = none (RET_FD NULL: it is
 * closed). Its length; 0: nobody is there any more; -EAGAIN when there is none and the socket does not
 * wait; -EBADMSG when it is none of SIDE's.
 */
ssize_t plugin_message_take(int socket, enum plugin_side side, struct plugin_message *m, int *ret_fd);

/* Does the answer P of a plug-in make sense? Steps are known, loops end, counts are within their limits. */
bool plugin_plan_check(const struct sberf_plan *p);

#endif
