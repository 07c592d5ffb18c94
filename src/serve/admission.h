/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * admission.h - who may ask the server: whoever knows its secret, by a name of this machine, and not from a page of
 * somebody else. Pure.
 *
 * Every path begins with the secret, "/SECRET/live". Host must be the address at which the server listens, so that a
 * foreign name that was made to lead here (DNS rebinding) is refused although a browser sends it in good faith.
 * Sec-Fetch-Site says whether a page of ours asks, or nobody's. There is no header that lets other pages read
 * answers, and nothing that a request could change.
 */
#ifndef SBERF_SERVE_ADMISSION_H
#define SBERF_SERVE_ADMISSION_H

#include "base/err.h"
#include "base/http.h"

#include <stdbool.h>
#include <stdint.h>

#define SERVE_SECRET_MAX 128u
#define SERVE_SECRET_MIN 16u     /* characters of one that a user chose */

struct serve_policy {
	char secret[SERVE_SECRET_MAX + 1];       /* letters, digits, and - . _ ~ */
	uint16_t port;           /* Host names a loopback address with this port; 0 = a socket of files: any Host */
};

/* Draws a secret of 128 random bits, 32 hexadecimal digits. A negative errno with a sentence. */
int serve_secret_draw(struct serve_policy *p, struct err *e);
/*
 * Reads the secret from the first line of the file PATH, which others must not be able to read, as "prefix" or
 * "/prefix". A negative errno with a sentence.
 */
int serve_secret_read(struct serve_policy *p, const char *path, struct err *e);

/*
 * Whether H may be answered: 0, and *RET_PATH is what stands behind the secret ("/live?pane=tree"). Else the status of
 * the answer, 400 to 499, and a sentence in *RET_WHY.
 */
int serve_admit(const struct serve_policy *p, const struct http_head *h, const char **ret_path, const char **ret_why);

#endif
