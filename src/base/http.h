/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * http.h - reads heads of HTTP/1.x messages (RFC 9112), for both sides of a connection. Foreign bytes:
 * nothing is believed, and every size is bounded.
 */
#ifndef SBERF_BASE_HTTP_H
#define SBERF_BASE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define HTTP_HEAD_MAX 8192u      /* bytes, with the empty line behind it */
#define HTTP_HEADERS_MAX 40u

struct http_head {
	/* of a request its method, target and version; of a response its version, status and reason */
	const char *start[3];
	unsigned int n;
	struct {
		const char *name, *value;        /* the value without blanks around it */
	} header[HTTP_HEADERS_MAX];
};

/*
 * How long the head is that the LEN bytes at DATA begin with, its empty line included; 0 = it is not all there
 * yet; -EMSGSIZE when it is longer than HTTP_HEAD_MAX.
 */
ssize_t http_head_length(const char *data, size_t len);

/*
 * Takes the head of LEN bytes at DATA (http_head_length()) apart, in place: *RET points into it. -EBADMSG when
 * it is none, has control characters, folded lines or too many headers.
 */
int http_head_parse(char *data, size_t len, bool response, struct http_head *ret);

/* The value of the header NAME, in any case; NULL when there is none. */
const char *http_header(const struct http_head *h, const char *name);

/* How many headers NAME there are, in any case. */
unsigned int http_headers(const struct http_head *h, const char *name);

/*
 * The parameter NAME of the query of the target TARGET ("/a?from=1s&to=2s"), decoded, to DST of SIZE bytes, with a
 * NUL behind it. 0; -ENOENT when there is none (DST is ""); -EBADMSG when it is there twice, is too long for DST, or
 * is badly encoded or has control characters.
 */
int http_parameter(const char *target, const char *name, char *dst, size_t size);

/*
 * The bytes of the body that the head announces, to *RET: 0 without Content-Length. -EMSGSIZE above MAX;
 * -EBADMSG for numbers that are none, two that differ, and Transfer-Encoding, which nobody here reads.
 */
int http_body_length(const struct http_head *h, size_t max, size_t *ret);

#endif
