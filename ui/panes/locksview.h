/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * locksview.h - the list of locks as rows that a treeview can show: deadlocks first, each as the chain
 * of its waits, then locks; below a lock those who held it, those who wait for it now, and where it was
 * waited for, each of which opens as a call path.
 *
 * Nothing is copied: the number of a row leads to its content.
 */
#ifndef SBERF_UI_PANES_LOCKSVIEW_H
#define SBERF_UI_PANES_LOCKSVIEW_H

#include "base/cleanup.h"
#include "query/locks.h"
#include "ui/outline.h"

#include <stddef.h>
#include <stdint.h>

enum locks_level {               /* I is: */
	LOCKS_LEVEL_DEADLOCK,    /* in locks.wait, the first of its waits */
	LOCKS_LEVEL_LINK,        /* in locks.wait: one wait of that */
	LOCKS_LEVEL_LOCK,        /* in locks.lock */
	LOCKS_LEVEL_HOLDER,      /* in locks.holder */
	LOCKS_LEVEL_NOW,         /* in locks.wait: who waits for the lock now */
	LOCKS_LEVEL_WHERE,       /* in locks.place */
	LOCKS_LEVEL_MORE_HOLDERS,        /* so many have no row, like the next two */
	LOCKS_LEVEL_MORE_NOW,
	LOCKS_LEVEL_MORE_PLACES,
	LOCKS_LEVEL_CONVOY,      /* in locks.lock: that it is one, ... */
	LOCKS_LEVEL_INVERSION,   /* in locks.holder: ... that threads of a higher priority waited for the one above */
	LOCKS_LEVEL_PLACE,       /* one function of a path: the row of the outline tells; I as in its parent */
};

struct locks_line {
	uint8_t level;           /* enum locks_level */
	uint32_t i;
};

struct locksview {
	struct locks *locks;             /* owned, like the others */
	struct locks_line *line;         /* by row; that of the root means nothing */
	struct outline *rows;
	uint32_t deadlocks;
};

/* Takes over L, also when out of memory: NULL. To be freed with locksview_free(). */
struct locksview *locksview_new(struct locks *l);
void locksview_free(struct locksview *lv);       /* NULL is fine */

/* The figures of row NODE to *RET; false when it has none. */
bool locksview_figures(const struct locksview *lv, uint32_t node, struct lock_row *ret);
/* The thread that row NODE is about; ID_NONE = none. */
thread_id locksview_thread(const struct locksview *lv, uint32_t node);
/* The stack at the end of what row NODE is called; STACK_ROOT = none. */
stack_id locksview_stack(const struct locksview *lv, uint32_t node);
/* Whether that is read without the functions that take the lock, as stacks of those are who wait for it. */
bool locksview_takes(const struct locksview *lv, uint32_t node);
/* What row NODE is called, sanitised. Returns DST. */
char *locksview_label(const struct locksview *lv, uint32_t node, char *dst, size_t size);
/* The same but for the functions at its end. Returns DST. */
char *locksview_head(const struct locksview *lv, uint32_t node, char *dst, size_t size);

DEFINE_AUTO(locksview_free, struct locksview);

#endif
