/* SPDX-License-Identifier: BSD-2-Clause */
/* ktypes_private.h - what the two parts of ktypes.h share: looking up (ktypes.c), and values (ktypes_show.c). */
#ifndef SBERF_PROBE_KTYPES_PRIVATE_H
#define SBERF_PROBE_KTYPES_PRIVATE_H

#include "probe/ktypes.h"

#include <bpf/btf.h>

#define MODIFIERS_MAX 32u        /* names and qualifiers of one type, behind each other */

struct ktypes_name {
	const char *name;        /* of BTF */
	uint32_t proto;          /* BTF_KIND_FUNC_PROTO */
};

struct ktypes {
	struct btf *btf;
	struct ktypes_name *name;        /* of functions, in the order of their names */
	size_t nr;
};

/* ID without names of types, and qualifiers. */
const struct btf_type *ktypes_plain(const struct ktypes *t, uint32_t id);

#endif
