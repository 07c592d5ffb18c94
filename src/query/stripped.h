/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stripped.h - finds the files whose functions have no names, because their symbols were stripped.
 *
 * Such a function is named by the place where it starts, "dash+0x4700", as far as unwind tables
 * tell where functions start (symbol/resolver.h). A file may have names for some functions alone:
 * a library without symbols keeps those that it exports.
 */
#ifndef SBERF_QUERY_STRIPPED_H
#define SBERF_QUERY_STRIPPED_H

#include "base/vec.h"
#include "model/names.h"
#include "profile/profile.h"

/* Functions on the stacks of samples and waits, each counted once. */
struct stripped_file {
	module_id module;
	uint32_t nameless;       /* 1 or more */
	uint32_t functions;      /* of the file, these included */
};

typedef VEC(struct stripped_file) stripped_vec;

/*
 * Appends the files of which S has nameless functions to *RET, by falling number of these. 0, or
 * -ENOMEM with *RET unchanged; the caller frees it.
 */
int stripped_files(const struct snapshot *s, const struct names *names, stripped_vec *ret);

#endif
