/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * image_message.h - what sberf and the sberf-worker that reads files for unwinding tell each other, through a socket
 * that keeps messages apart (SOCK_SEQPACKET).
 *
 * sberf hands over an open file, which gets a number, and asks about places of it. Each request but one is answered by
 * one message, in the order in which they were sent, which repeats what it answers. The worker is not believed:
 * image_message_check() looks at every value before anybody uses it. What comes is plain data: rules of eight bytes
 * (rules.h) and, for one frame in ten thousand, a row (cfi_row.h).
 */
#ifndef SBERF_UNWIND_IMAGE_MESSAGE_H
#define SBERF_UNWIND_IMAGE_MESSAGE_H

#include "base/err.h"
#include "unwind/cfi_row.h"
#include "unwind/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define IMAGE_JOB "images"               /* of worker_start() */
#define IMAGE_BODY_MAX (64u << 10)       /* bytes behind the head of a message */
#define IMAGE_PAGE_BYTES 2048u           /* of a page, as those of the kernel half are (SB_TEXT_BYTES) */
#define IMAGE_PAGES_MAX 8u               /* of one request */
#define IMAGE_ROWS_MAX 256u              /* of a page (SB_ROWS) */
#define IMAGE_LOADS_MAX 1024u            /* of a file; those of programs have four, and of the kernel some ten */

enum image_op {
	/* by sberf */
	IMAGE_OPEN = 1,              /* reads the file that comes with it, of which what follows is asked */
	IMAGE_PAGES,                 /* the rules of pages */
	IMAGE_PLACE,                 /* the rule of one place, of which a page knows none */
	IMAGE_ROW,                   /* the row of one place, for the complete evaluator */
	IMAGE_CLOSE,                 /* nothing more is asked of it; no answer */
	/* by the worker; RESULT is 0 or a negative errno, of IMAGE_OPEN with a sentence */
	IMAGE_HELLO,                 /* the first one: of giving up what it does not need */
	IMAGE_OPENED,                /* struct image_opened */
	IMAGE_SAID_PAGES,            /* of each page a number of rows, and those */
	IMAGE_SAID_PLACE,            /* struct rule */
	IMAGE_SAID_ROW,              /* struct cfi_row; empty: no call-frame information covers the place */
	IMAGE_OPS
};

struct image_head {
	uint32_t op, length;         /* enum image_op; bytes behind the head */
	uint32_t image;              /* number of the file, never used again */
	int32_t result;
	uint64_t offset;             /* of the place or the first page in the file; 0 where it is about none */
	uint32_t pages;              /* of IMAGE_PAGES and its answer, else 0 */
	uint32_t reserved;
};

struct image_message {
	struct image_head head;
	uint8_t body[IMAGE_BODY_MAX];
};

/* A part of the file that is mapped, as its program header says. */
struct image_opened_load {
	uint64_t offset, filesz, vaddr, memsz;
	uint64_t exec;               /* 0 or 1 */
};

/* What a file is. */
struct image_opened {
	uint64_t bytes;              /* memory that it takes in the worker */
	uint32_t machine;            /* ELF e_machine */
	uint32_t nr_loads;
	int32_t lacks_code;          /* image_lacks(): a positive errno, 0 = nothing */
	uint8_t build_id_len;
	uint8_t build_id[BUILD_ID_MAX];
	uint8_t reserved[7];
	char lacks[ERR_TEXT_MAX];
	struct image_opened_load load[];
};

/* May a message M of LENGTH bytes come from BY_WORKER, else from sberf? */
bool image_message_check(const struct image_message *m, size_t length, bool by_worker);

/* The answer to OP; 0 = none. */
enum image_op image_message_answer(enum image_op op);

/* As fdmessage_send(), fdmessage_take(); -EBADMSG: what came is no message. */
int image_message_send(int socket, const struct image_message *m, int fd);
ssize_t image_message_take(int socket, bool by_worker, struct image_message *m, int *ret_fd);

/* Adds the N rows ROW of the next page to M; false when there is no room. */
bool image_pages_add(struct image_message *m, const struct rule_row *row, size_t n);
/* The next page of M, which has been checked: how many rows, to *RET; *AT is moved behind them. */
uint32_t image_pages_next(const struct image_message *m, size_t *at, const struct rule_row **ret);

#endif
