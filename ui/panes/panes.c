/* SPDX-License-Identifier: BSD-2-Clause */
/* panes.c - the table behind panes.h. */
#include "config.h"

#include "ui/panes/panes.h"

static const struct pane_info table[PANES] = {
	[PANE_TREE] = { "tree", MODE_TREE, ACT_TREE, 3 },
	[PANE_FLAME] = { "flame", MODE_FLAME, ACT_FLAME, 3 },
	[PANE_NUMA] = { "numa", MODE_NUMA, ACT_NUMA, 2 },
	[PANE_THREADS] = { "threads", MODE_THREADS, ACT_THREADS, 2 },
	[PANE_FUNCS] = { "functions", MODE_FUNCS, ACT_FUNCS, 2 },
	[PANE_WAITS] = { "waits", MODE_WAITS, ACT_WAITS, 2 },
	[PANE_QUALITY] = { "quality", MODE_QUALITY, ACT_QUALITY, 2 },
	[PANE_TIME] = { "time", MODE_TIME, ACT_TIME, 1 },
};

const struct pane_info *pane_info(enum pane_id p)
{
	return &table[p];
}
