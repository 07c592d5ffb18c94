/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "serve/page.h"

#include "src/serve/serve_viewer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define NONCE_BYTES 16u

int serve_page(struct serve_bytes **ret, char *dst, size_t size, struct err *e)
{
	unsigned char bits[NONCE_BYTES];
	char nonce[2 * NONCE_BYTES + 1];
	struct serve_bytes *b;
	size_t room;

	if (getrandom(bits, sizeof(bits), 0) != (ssize_t)sizeof(bits))
		return err_set(e, errno, "cannot get random bits: %s", strerror(errno));
	for (size_t i = 0; i < sizeof(bits); i++)
		snprintf(nonce + 2 * i, 3, "%02x", bits[i]);
	snprintf(dst, size, "Content-Security-Policy: default-src 'none'; script-src 'nonce-%s'; style-src 'nonce-%s'; "
		 "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n", nonce, nonce);
	room = sizeof(serve_style) + sizeof(serve_script) + 1024;
	b = calloc(1, sizeof(*b));
	if (b)
		*b = (struct serve_bytes){ .refs = 1, .data = malloc(room) };
	if (!b || !b->data) {
		free(b);
		return err_nomem(e, "the page");
	}
	b->len = (size_t)snprintf(b->data, room,
		"<!DOCTYPE html>\n<html class=\"sberf sberf-live\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>sberf</title>\n"
		"<style nonce=\"%s\">%s</style>\n</head>\n<body class=\"sberf-page\">\n"
		"<noscript>This page needs scripts: its own, and nothing else can run in it.</noscript>\n"
		"<script nonce=\"%s\">%s</script>\n</body>\n</html>\n", nonce, serve_style, nonce, serve_script);
	*ret = b;
	return 0;
}
