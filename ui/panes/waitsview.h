/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * waitsview.h - the list of waits as rows that a treeview can show.
 *
 * Rows of the list are rows of an outline with the same number. Behind them, as the last under the
 * root, comes one row for the threads that are still waiting, with a row for each. Nothing is
 * copied: a label or a figure is looked up in the list by the number of its row.
 */
#ifndef SBERF_UI_PANES_WAITSVIEW_H
#define SBERF_UI_PANES_WAITSVIEW_H

#include "query/waits.h"
#include "ui/outline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The outline of W, to be freed with outline_free(); NULL when out of memory. */
struct outline *waitsview_outline(const struct waits *w);

/* What NODE stands for: a row of the list, a thread that still waits, or (both NULL) the line above those. */
const struct wait_row *waitsview_row(const struct waits *w, uint32_t node);
const struct wait_open *waitsview_open(const struct waits *w, uint32_t node);

/* What NODE is called, sanitised. Returns DST. */
char *waitsview_label(const struct waits *w, uint32_t node, char *dst, size_t size);
/*
 * The same without the functions at its end, which are most of it. Returns where these begin;
 * STACK_ROOT: nothing is left out.
 */
struct wait_first waitsview_head(const struct waits *w, uint32_t node, char *dst, size_t size);

#endif
