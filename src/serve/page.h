/* SPDX-License-Identifier: BSD-2-Clause */
/* page.h - the page: the viewer of the HTML export (src/export/flame_*.js), and around it what follows what is live. */
#ifndef SBERF_SERVE_PAGE_H
#define SBERF_SERVE_PAGE_H

#include "base/err.h"
#include "serve/answer.h"

#include <stddef.h>

/*
 * The page, to *RET; DST, of SIZE bytes, gets the header with its policy, whose nonce no other page has: nothing but
 * the script and the style of this page runs, and they may ask the server alone. A negative errno with a sentence.
 */
int serve_page(struct serve_bytes **ret, char *dst, size_t size, struct err *e);

#endif
