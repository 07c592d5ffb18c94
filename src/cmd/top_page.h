/* SPDX-License-Identifier: BSD-2-Clause */
/* top_page.h - a server beside a view: what sberf serve shows of the same capture (key U). */
#ifndef SBERF_CMD_TOP_PAGE_H
#define SBERF_CMD_TOP_PAGE_H

#include "base/err.h"
#include "cmd/options.h"
#include "session/session.h"

struct page;

/*
 * Begins to answer at a free port of this machine's own addresses, in a thread, about SESSION, whose engine must
 * outlive it, with the filters of O. On success *RET is the caller's; else a negative errno with a sentence.
 */
int page_open(const struct options *o, const struct session *session, struct page **ret, struct err *e);
/* "http://127.0.0.1:PORT/SECRET/", as long as P is open. */
const char *page_address(const struct page *p);
void page_close(struct page *p);                 /* NULL is fine; waits for the answer at hand */

#endif
