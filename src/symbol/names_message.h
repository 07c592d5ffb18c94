/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names_message.h - what sberf and the sberf-worker that reads files for it tell each other, through a socket that
 * keeps messages apart (SOCK_SEQPACKET).
 *
 * sberf tells of modules, and asks for the names of a batch of places. While the worker is at that, it says which
 * module it is at, asks for files, says names, and ends with NAMES_DONE. The worker is not believed:
 * names_message_check() knows for each kind of message who sends it and how long it is, names_record_next() takes
 * what was said apart, and no file is handed out but one that begins as ELF files do.
 */
#ifndef SBERF_SYMBOL_NAMES_MESSAGE_H
#define SBERF_SYMBOL_NAMES_MESSAGE_H

#include "model/dict.h"
#include "model/unread.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define NAMES_JOB "names"                /* of worker_start() */
#define NAMES_BODY_MAX (96u << 10)       /* bytes behind the head of a message */
#define NAMES_BATCH_MAX 128u             /* places asked for at a time */
#define NAMES_TEXT_MAX 65535u            /* bytes of the name of a function ... */
#define NAMES_FILE_MAX (PATH_MAX - 1)    /* ... and of one of a file or folder, without the NUL */

enum names_op {
	/* by sberf */
	NAMES_SETUP = 1,             /* the first one: the path of symfs, "" = none */
	NAMES_MODULE,                /* what a module is: struct names_module */
	NAMES_CALLED,                /* a module is called otherwise now */
	NAMES_ASK,                   /* struct names_place; FLAG: with details */
	NAMES_FILE,                  /* the answer to what follows: result, and a file */
	/* by the worker, errands */
	NAMES_OPEN,                  /* the file of a module */
	NAMES_ROOT,                  /* has a module a root that is not ours? Answered without a file */
	NAMES_PATH,                  /* an ELF file at a path; FLAG: below the root of the module */
	NAMES_FETCH,                 /* the debug file with a build-id, from a server */
	/* by the worker, not answered */
	NAMES_HELLO,                 /* the first one; result: of giving up what it does not need */
	NAMES_AT,                    /* which module it begins to work on */
	NAMES_SAID,                  /* struct names_record, one after the other */
	NAMES_PLAIN,                 /* a module has no details */
	NAMES_UNREAD,                /* what could not be read: struct unread */
	NAMES_DONE,                  /* all has been said: struct names_counts */
	NAMES_OPS
};

struct names_head {
	uint32_t op, length;         /* enum names_op; bytes behind the head */
	uint32_t module;             /* that it is about; 0 where it is about none */
	int32_t result;              /* of NAMES_FILE and NAMES_HELLO: 0 or a negative errno */
	uint32_t flag;
	uint32_t reserved;
};

struct names_message {
	struct names_head head;
	uint8_t body[NAMES_BODY_MAX];
};

struct names_module {
	uint8_t kind;                /* MODULE_FILE or MODULE_VDSO */
	uint8_t build_id_len;
	uint8_t build_id[BUILD_ID_MAX];
	char text[2 * PATH_MAX];     /* path and what it is called, each with a NUL; the message ends behind them */
};

struct names_place {
	uint64_t offset;
	uint32_t module, reserved;
};

struct names_counts {                /* of struct symbolizer_stats, since the worker began */
	uint64_t unreadable_modules, unreadable_details, damaged_symbols, damaged_details;
	uint64_t deep_inlining, tables_dropped;
};

/* A name of a place. Behind it are the texts, each with a NUL, and zeros up to a multiple of 8 bytes. */
struct names_record {
	uint64_t start, size;
	uint32_t place;              /* of the batch, ascending; of one place, the innermost name comes first */
	uint32_t token;              /* of the function: 1, 2 ... as they are first said; 0 = none */
	uint32_t line;
	uint32_t by_place;
	uint32_t text, file, dir;    /* lengths without NULs; TEXT 0: the function has been said before */
	uint32_t reserved;
};

/* May a message M of LENGTH bytes come from BY_WORKER, else from sberf? */
bool names_message_check(const struct names_message *m, size_t length, bool by_worker);

/* As fdmessage_send(), fdmessage_take(); -EBADMSG: what came is no message. */
int names_message_send(int socket, const struct names_message *m, int fd);
ssize_t names_message_take(int socket, bool by_worker, struct names_message *m, int *ret_fd);

/*
 * The record at *AT of the LENGTH bytes BODY, and its texts; *AT is moved behind it. 1; 0 at the end; -EBADMSG when
 * what is there is none.
 */
struct names_texts {
	const char *text, *file, *dir;
};
int names_record_next(const uint8_t *body, size_t length, size_t *at, struct names_record *ret,
		      struct names_texts *ret_texts);
/* Adds R, whose lengths are those of the texts T, to M; false when there is no room. */
bool names_record_add(struct names_message *m, const struct names_record *r, const struct names_texts *t);

#endif
