/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hold_ask.h - has a collector load and attach the kernel half of a capture (hold.h), and asks it for what that is made
 * of. So sberf needs no privilege, from the beginning on.
 */
#ifndef SBERF_CAPTURE_HOLD_ASK_H
#define SBERF_CAPTURE_HOLD_ASK_H

#include "base/cleanup.h"
#include "capture/hold.h"

#include <sys/types.h>

struct hold;

/*
 * Starts a collector that runs as the user UID, which is not root, and loads what PLAN says. *RET is the caller's.
 * A negative errno with a sentence, that of the collector where it is the one that cannot.
 */
int hold_begin(const struct capture_plan *plan, uid_t uid, gid_t gid, struct hold **ret, struct err *e);
/* Ends it, and with it the capture. NULL is fine. */
void hold_end(struct hold *h);

/* What the kernel half is made of; valid as long as H. */
const struct hold_reply *hold_reply(const struct hold *h);

/*
 * Asks for OP, which is answered with a file: the caller's. A negative errno with a sentence; -EPIPE: the collector has
 * ended. Any thread may ask; they take turns.
 */
int hold_file(struct hold *h, enum hold_op op, uint64_t a, uint64_t b, struct err *e);
/* The same of one that is answered with none. 0, and *RET_VALUE (NULL = of no interest). */
int hold_do(struct hold *h, enum hold_op op, uint64_t a, uint64_t *ret_value, struct err *e);

/*
 * Asks for OP with A, whose row says that M follows, and if it does, the file FD: 0 and *RET, or a negative errno with
 * a sentence.
 */
int hold_tell(struct hold *h, enum hold_op op, uint64_t a, const void *m, int fd, struct hold_answer *ret,
	      struct err *e);

/* Is the collector still there? 0, or -EPIPE with a sentence. The thread that reads what is captured. */
int hold_look(struct hold *h, struct err *e);

DEFINE_AUTO(hold_end, struct hold);

#endif
