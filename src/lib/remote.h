/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * remote.h - asks a service for names, by build-ids and offsets; nothing else leaves.
 *
 * A request is a POST to /symbolize of lines "BUILD-ID OFFSET", both hexadecimal. The response has for each of
 * them, in the same order, a line for each function, innermost first, "NAME<tab>FILE<tab>LINE", and then a
 * line with a full stop alone. `sberf symbolize --serve` is such a service.
 */
#ifndef SBERF_LIB_REMOTE_H
#define SBERF_LIB_REMOTE_H

#include "base/cleanup.h"
#include "base/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define REMOTE_BODY_MAX (16u << 20)      /* bytes of a request or response */
#define REMOTE_ASKED_MAX 65536u          /* places in a request */

struct remote;

/* WHERE is the path of a UNIX socket, or http://HOST[:PORT][/PATH]. -EINVAL with a sentence. */
int remote_new(const char *where, struct remote **ret, struct err *e);
void remote_free(struct remote *r);              /* NULL is fine */

/*
 * Sends the LEN bytes at BODY and waits for the answer, five seconds at most and not longer than STOP is
 * false. *RET, with a NUL behind, is the caller's. After a failure it fails at once for half a minute.
 */
int remote_ask(struct remote *r, const char *body, size_t len, const _Atomic bool *stop, char **ret, struct err *e);

DEFINE_AUTO(remote_free, struct remote);

#endif
