/* SPDX-License-Identifier: BSD-2-Clause */
/* task_thread.h - finds the dictionary's thread for a kernel task. */
#ifndef SBERF_ENGINE_TASK_THREAD_H
#define SBERF_ENGINE_TASK_THREAD_H

#include "engine/reconcile.h"
#include "model/dict.h"
#include "process/process.h"

/*
 * The id of TASK in D. Threads that live for microseconds may come by ten thousand a second, and
 * the memory is needed for stacks too: when there are very many, they are all "(other)". ID_NONE
 * when out of memory, or without PS.
 */
thread_id task_thread(struct processes *ps, struct dict *d, const struct reconcile_task *task);

/* The id of the thread that waits in W; ID_NONE when out of memory, or without PS. */
thread_id task_thread_waiting(struct processes *ps, const struct source_open *w);

#endif
