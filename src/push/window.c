/* SPDX-License-Identifier: BSD-2-Clause */
/* window.c - see window.h. */
#include "config.h"

#include "push/window.h"

#include <errno.h>

/* What a window consists of, by what stores call it. Memory is no matter of a window. */
static const struct {
	enum serve_pull pull;
	const char *name;
} kinds[] = { { PULL_PROFILE, "process_cpu" }, { PULL_OFFCPU, "off_cpu" } };
#define KINDS (sizeof(kinds) / sizeof(*kinds))

int push_window(const struct serve_source *source, const struct serve_moment *m, enum push_engine engine,
		const struct push_labels *l, char **ret, size_t *ret_len)
{
	struct serve_bytes *bytes[KINDS] = { NULL };
	struct push_profile profile[KINDS];
	struct err e = ERR_INIT;
	size_t n = 0;
	int r = -ENODATA;

	for (unsigned int k = 0; k < KINDS; k++) {
		const struct serve_question q = { .what = SERVE_PULL, .pull = kinds[k].pull };

		if (!serve_answer(source, m, &q, NULL, &bytes[k], &e))
			profile[n++] = (struct push_profile){ kinds[k].name, bytes[k]->data, bytes[k]->len };
	}
	if (n)
		r = push_body(engine, l, profile, n, ret, ret_len, &e);
	for (unsigned int k = 0; k < KINDS; k++)
		serve_bytes_unref(bytes[k]);
	return r;
}
