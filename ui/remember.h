/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * remember.h - which panes were open and how the tree looked, from one run to the next: a small file of words.
 *
 *	panes tree waits
 *	focus waits
 *	sort blocked
 *	group thread
 *	options no-libraries short-names
 *
 * Lines that begin with # and keys that are not known (of a later version) are passed over, and so are orders, groups and options that
 * are not; anything else that cannot be understood makes the file damaged, and nothing of it is used.
 */
#ifndef SBERF_UI_REMEMBER_H
#define SBERF_UI_REMEMBER_H

#include "base/err.h"
#include "query/query.h"
#include "ui/panes/list.h"
#include "ui/treeview.h"

#include <stdbool.h>
#include <stddef.h>

/*     id, name in the file, member of struct query */
#define REMEMBERED_OPTIONS(X) \
	X(INVERTED, "inverted", inverted) \
	X(BY_NODE, "by-node", by_node) \
	X(NO_KERNEL, "no-kernel", hide_kernel) \
	X(NO_LIBRARIES, "no-libraries", hide_libraries) \
	X(NO_INLINED, "no-inlined", no_inlines) \
	X(FOLD_RECURSION, "fold-recursion", fold_recursion) \
	X(SHORT_NAMES, "short-names", short_names)

enum remembered_option {
#define X(id, name, member) REMEMBERED_##id,
	REMEMBERED_OPTIONS(X)
#undef X
	REMEMBERED_NR
};

struct remembered {
	unsigned int open;       /* panes: a mask, not 0 */
	enum pane_id focus;      /* one of them */
	enum sort_by sort;       /* of the tree */
	unsigned int group;      /* enum group_by plus one; 0 = as it is without */
	unsigned int options;    /* mask of 1 << enum remembered_option */
};

bool remembered_same(const struct remembered *a, const struct remembered *b);

/*
 * Reads the LEN bytes at TEXT. 0, or -EINVAL: *RET is untouched, and *RET_LINE says where.
 */
int remember_parse(const char *text, size_t len, struct remembered *ret, unsigned int *ret_line);

/* "$XDG_CONFIG_HOME/sberf/view", or under ~/.config, into DST; false when neither is known or it does not fit. */
bool remember_path(char *dst, size_t size);

/*
 * Reads the file PATH. -ENOENT, without a sentence, when there is none; another negative errno with one when it is damaged or
 * cannot be read.
 */
int remember_read(const char *path, struct remembered *ret, struct err *e);
/*
 * Replaces the file PATH by WHAT at once; makes its folder, and the one above, when missing. Does nothing where the folder
 * above belongs to somebody else: who runs sberf with more rights leaves no files of their own there. A negative errno with a
 * sentence: the old file, if any, is as it was.
 */
int remember_write(const char *path, const struct remembered *what, struct err *e);

#endif
