/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * https.h - the POST of base/httpclient.h over TLS, by libcurl, which is loaded when somebody asks for it. The server's
 * certificate is always checked.
 */
#ifndef SBERF_PUSH_HTTPS_H
#define SBERF_PUSH_HTTPS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/httpclient.h"

#define HTTPS_WHY_MAX 256u

struct https;

/*
 * CA is a file of certificates (PEM) that are trusted instead of those of the system, NULL = these; borrowed. 0, or a
 * negative errno with a sentence: -ENOTSUP when sberf was built without curl/curl.h, or there is no libcurl.
 */
int https_new(const char *ca, struct https **ret, struct err *e);
void https_free(struct https *h);        /* NULL is fine */

/* As http_post(), to P's host and port. What failed, where it is more than the errno says, is in WHY, else "". */
int https_post(struct https *h, const struct http_peer *p, const struct http_post *q, struct http_reply *ret,
	       char why[HTTPS_WHY_MAX]);

DEFINE_AUTO(https_free, struct https);

#endif
