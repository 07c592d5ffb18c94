/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * calltable.h - the system calls of one architecture by number: names, arguments (callargs.h), and
 * what the kernel half is to tell of each (bpf/wire.h). Nothing changes after it is made, so any
 * thread may read it.
 */
#ifndef SBERF_TRACE_CALLTABLE_H
#define SBERF_TRACE_CALLTABLE_H

#include "base/cleanup.h"
#include "trace/callargs.h"

#include <stdint.h>

struct calltable;
struct sb_call_wish;

/* Of ARCH as uname gives it; NULL = this machine's. NULL when out of memory. */
struct calltable *calltable_new(const char *arch);
void calltable_free(struct calltable *t);        /* NULL is fine */

/* The name of call NR, "syscall 999" when it has none. Valid as long as T. */
const char *calltable_name(const struct calltable *t, uint32_t nr);
/* What its arguments are; NULL = not known. */
const struct callargs *calltable_args(const struct calltable *t, uint32_t nr);
/* What a trace wants of each, SB_CALLS_MAX of them. */
const struct sb_call_wish *calltable_wishes(const struct calltable *t);

DEFINE_AUTO(calltable_free, struct calltable);

#endif
