/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * list.h - the list of panes, in the order in which they stand. A new pane is a line here and a
 * file beside it, which has a const struct pane_ops (pane.h) called pane_NAME: pane_tree,
 * pane_flame, ...
 *
 * A line says what is known without that file, for the table of keys and for the man pages: its id
 * (PANE_ID, and MODE_ID for keys while it is in focus), its NAME, one word that is kept in files,
 * the key that shows and hides it as the character and as it is written, what of enum ui_can it
 * needs, its place in the footer with its word there, the line of help, and the heading of its keys
 * in the man page. A pane has the keys of a list that is sorted and searched, unless keymap.c says
 * otherwise. The first one is always there.
 */
#ifndef SBERF_UI_PANES_LIST_H
#define SBERF_UI_PANES_LIST_H

#define PANE_LIST(X) \
	X(TREE, tree, '0', "0", 0, 0, "", "show or hide the call tree", "In the tree") \
	X(FLAME, flame, '7', "7", 0, 22, "flame", "show or hide the flame graph", "In the flame graph") \
	X(NUMA, numa, '3', "3", 0, 8, "numa", "show or hide NUMA nodes, far memory", "In the pane of NUMA nodes") \
	X(THREADS, threads, '4', "4", 0, 20, "threads", "show or hide the threads", "In the list of threads") \
	X(FUNCS, functions, '5', "5", 0, 21, "functions", "show or hide the functions", "In the list of functions") \
	X(WAITS, waits, '6', "6", CAN_OFF_CPU, 5, "waits", "show or hide the list of waits", "In the list of waits") \
	X(QUALITY, quality, '8', "8", 0, 24, "quality", "quality: how good the figures are", "In the quality pane") \
	X(TIME, time, '9', "9", 0, 26, "time", "time: the last minutes as a strip", "In the time pane") \
	X(MODULES, modules, 'B', "B", 0, 0, "", "show or hide executables, libraries", "In the list of modules") \
	X(PROBES, probes, 'V', "V", 0, 0, "", "show or hide the probes", "In the list of probes") \
	X(MEMORY, memory, 'M', "M", 0, 0, "", "show or hide who allocates memory", "In the pane of memory") \
	X(LOCKS, locks, 'D', "D", CAN_OFF_CPU, 0, "", "show or hide locks, who held them", "In the list of locks")

enum pane_id {
#define X(id, name, key, shown, needs, footer, brief, help, where) PANE_##id,
	PANE_LIST(X)
#undef X
	PANES
};

#define PANE_HOME ((enum pane_id)0)      /* opened when the last one is closed, and never closed then */

#endif
