/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pushbody.h - the body of a request that pushes profiles, as the JSON that the engines' own interfaces have: that of
 * Pyroscope's PusherService (Connect), and that of Parca's ProfileStoreService.WriteRaw (grpc-gateway); and
 * that of OTLP, which is no JSON (otlp.h).
 */
#ifndef SBERF_PUSH_PUSHBODY_H
#define SBERF_PUSH_PUSHBODY_H

#include "base/err.h"
#include "push/pushurl.h"

#include <stddef.h>

#define PUSH_LABELS_MAX 24u      /* Pyroscope takes 30 */
#define PUSH_LABEL_MAX 256u      /* bytes of a name or a value, with a NUL */

struct push_label {
	char name[PUSH_LABEL_MAX], value[PUSH_LABEL_MAX];
};

/* Labels of all profiles. */
struct push_labels {
	unsigned int n;
	struct push_label v[PUSH_LABELS_MAX];
};

/* Adds NAME=VALUE to L, or replaces the value. -EINVAL with a sentence: NAME is none (letters, digits and _). */
int push_labels_add(struct push_labels *l, const char *text, struct err *e);
/* The value of NAME; NULL = it has none. */
const char *push_labels_get(const struct push_labels *l, const char *name);

/* A profile: pprof, by what engines call its kind ("process_cpu", "off_cpu"). */
struct push_profile {
	const char *kind;
	const void *data;
	size_t len;
};

/* The body with the N profiles P and the labels L, to *RET and *RET_LEN; free() it. -ENOMEM. */
int push_body(enum push_engine engine, const struct push_labels *l, const struct push_profile *p, size_t n, char **ret,
	      size_t *ret_len, struct err *e);

#endif
