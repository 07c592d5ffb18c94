/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fxtables.h - the tables of one thread of a Firefox profile: texts, resources, functions, frames,
 * stacks; each row once. Private to export/firefox.c.
 *
 * A stack is a row with the row of its caller. What a frame was doing stands in its *category*; of
 * a wait that is the frame that waits, the innermost. So the same function has one frame for each
 * category, and its time is told apart by it.
 */
#ifndef SBERF_EXPORT_FXTABLES_H
#define SBERF_EXPORT_FXTABLES_H

#include "base/keyed.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "export/frames.h"
#include "export/jsonout.h"

#include <stdint.h>

/* In the order in which the profile lists them. */
#define FX_CATEGORIES(X) \
	X(OTHER, "Other", "grey") \
	X(IDLE, "Idle", "transparent") \
	X(USER, "User", "yellow") \
	X(KERNEL, "Kernel", "orange") \
	X(JIT, "JIT", "green") \
	X(BLOCKED, "Blocked", "lightblue") \
	X(RUNNABLE, "Runnable", "purple")

enum fx_category {
#define X(id, name, color) FX_##id,
	FX_CATEGORIES(X)
#undef X
};

#define FX_NONE UINT32_MAX

struct fx_row {
	uint64_t a, b;           /* what makes it this row */
};

struct fx_rows {
	KEYED(struct fx_row) v;
};

/* What fx_stack() was asked for, and what came of it. */
struct fx_known {
	stack_id stack;
	uint32_t category;
	uint32_t row;
};

struct fx_tables {
	struct frame_reader *reader;     /* borrowed */
	struct strtab *texts;
	struct fx_rows resources, funcs, frames, stacks;
	KEYED(struct fx_known) known;
};

/* False when out of memory: to be freed all the same. */
bool fx_tables_init(struct fx_tables *t, struct frame_reader *reader);
void fx_tables_free(struct fx_tables *t);

/*
 * Sets *RET to the row of STACK, created when missing. CATEGORY is that of its innermost frame:
 * FX_OTHER = that of its function (user, kernel, JIT). A stack without frames gets one that says
 * so. False when out of memory.
 */
bool fx_stack(struct fx_tables *t, stack_id stack, enum fx_category category, uint32_t *ret);

/*
 * Writes the tables as members of the thread. LIB has the place of each module in the profile's
 * list, FX_NONE = not in it.
 */
void fx_tables_put(const struct fx_tables *t, const uint32_t *lib, struct jsonout *j);

#endif
