/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * noprocs.h - processes that exist only in a test: /proc is not asked about them, and none of their
 * files can be loaded.
 */
#ifndef SBERF_TESTS_UNIT_NOPROCS_H
#define SBERF_TESTS_UNIT_NOPROCS_H

#include "base/clock.h"
#include "process/process_private.h"

#include <errno.h>

static int noprocs_load(void *ctx, const struct file_id *id, const struct place *p, struct loaded *ret, struct err *e)
{
	(void)ctx;
	(void)id;
	(void)p;
	(void)ret;
	return err_set(e, ENOENT, "there are no files here");
}

/* The result is the caller's; NULL when out of memory. */
static struct processes *noprocs_new(struct dict *dict)
{
	struct processes *ps = NULL;

	if (processes_new_with(dict, noprocs_load, NULL, NSEC_PER_SEC, &ps, NULL) < 0)
		return NULL;
	processes_recorded(ps);
	return ps;
}

#endif
