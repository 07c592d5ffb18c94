/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * otlp.h - profiles as OTLP has them, version 1.10: one request with all of them, made from pprof.
 *
 * A profile of OTLP has one value for each sample. Time on the CPU is what receivers know as such: samples/count, whose
 * period is one nanosecond. Time off it is off_cpu/nanoseconds, with the kind of wait as an attribute of each sample.
 */
#ifndef SBERF_PUSH_OTLP_H
#define SBERF_PUSH_OTLP_H

#include "base/err.h"
#include "push/pushbody.h"

#include <stddef.h>

/*
 * The request, compressed (Content-Encoding: gzip), with the N profiles P and the labels L as resource: to *RET and
 * *RET_LEN; free() it. -ENOMEM, -EINVAL: one of P is no pprof.
 */
int otlp_body(const struct push_labels *l, const struct push_profile *p, size_t n, char **ret, size_t *ret_len,
	      struct err *e);

#endif
