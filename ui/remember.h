/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * remember.h - remembers open panes and the look of the tree from one run to the next, in a small
 * text file.
 *
 *	panes tree waits
 *	focus waits
 *	sort blocked
 *	group thread
 *	options no-libraries short-names
 *
 * Lines that begin with # are skipped, and so are unknown keys, orders, groups and options (of a
 * later version). With anything else that cannot be understood the file counts as damaged, and
 * nothing of it is used.
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
	X(HOLDERS, "holders", holders) \
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
	unsigned int group;      /* enum group_by plus one; 0 = the default */
	unsigned int options;    /* mask of 1 << enum remembered_option */
};

bool remembered_same(const struct remembered *a, const struct remembered *b);

/*
 * Parses the LEN bytes at TEXT. 0, or -EINVAL with *RET unchanged and the line of the error in
 * *RET_LINE.
 */
int remember_parse(const char *text, size_t len, struct remembered *ret, unsigned int *ret_line);

/*
 * Writes the path of the file, "$XDG_CONFIG_HOME/sberf/view" or under ~/.config, to DST; false when
 * neither is known or it does not fit.
 */
bool remember_path(char *dst, size_t size);

/*
 * Reads the file PATH. 0; -ENOENT without a sentence when there is none; another negative errno
 * with a sentence when it is damaged or unreadable.
 */
int remember_read(const char *path, struct remembered *ret, struct err *e);
/*
 * Replaces the file PATH by WHAT in one step, and creates its folder and the one above if missing.
 * If the folder above belongs to another user, it does nothing, so that sberf run with more rights
 * leaves no files of its own there. 0, or a negative errno with a sentence: the old file, if any,
 * is unchanged.
 */
int remember_write(const char *path, const struct remembered *what, struct err *e);

#endif
