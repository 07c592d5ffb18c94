/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scripts.h - frames of interpreted languages: finds processes that a plug-in knows (sberf/plugin.h), has its
 * plan carried out with their stacks, and puts the frames that were read between the native ones.
 *
 * A frame is known by what the plan has copied of it. It gets a number, which is its place in the one
 * module of its language (MODULE_SCRIPT), at once; what it is called is read a moment later, by a thread
 * of its own, which may wait for the memory of the process. That thread also looks whether a process is
 * one that a plug-in knows.
 *
 * The native frames of the interpreter stay in the stack, below the frames that they ran, with the mark
 * FRAME_F_INTERPRETER.
 */
#ifndef SBERF_ENGINE_SCRIPTS_H
#define SBERF_ENGINE_SCRIPTS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "capture/source.h"
#include "model/dict.h"
#include "plugin/plugins.h"
#include "process/process.h"
#include "symbol/symbolizer.h"
#include "unwind/unwind.h"

#include <stdbool.h>
#include <stdint.h>

struct scripts;

struct scripts_figures {
	uint64_t processes;      /* that have a plan now */
	uint64_t stacks;         /* of them, with what was read */
	uint64_t whole;          /* of these: all frames were read */
	uint64_t unread;         /* some memory could not be read */
	uint64_t cut;            /* there was no room, or there were more frames than are read */
	uint64_t unmatched;      /* whose runs of frames are not as many as the native frames of the interpreter */
	uint64_t nameless;       /* frames whose name could not be read */
	uint64_t refused;        /* frames and processes beyond the limits of this module */
	char said[256];          /* the last sentence of a plug-in, "" = none */
};

/*
 * SOURCE, DICT and PS must outlive the result; PLUGINS, which are asked, gets one more who frees it. Starts the
 * thread. On success *RET is the caller's.
 */
int scripts_new(struct source *source, struct dict *dict, struct processes *ps, struct plugins *plugins,
		struct scripts **ret, struct err *e);
void scripts_free(struct scripts *s);            /* NULL is fine; a thread that hangs is left behind */

/*
 * Looks at the N processes PIDS before anything of them is captured, for at most a moment: so the first stack
 * has all frames. The engine's thread.
 */
void scripts_expect(struct scripts *s, const pid_t *pids, size_t n);

/* Sees what happens to processes: forks, executed programs, mapped files, ends. The engine's thread. */
void scripts_event(struct scripts *s, const struct raw_event *ev);

/*
 * CHAIN is the native stack of RAW, which is of P: the frames that were read with it are put into it. Asks for
 * a look at P where that is due. The engine's thread.
 */
void scripts_merge(struct scripts *s, struct process *p, const struct raw_event *raw, struct chain *chain);

/*
 * What the frame at OFFSET of a module of scripts is called, as module_opener.script. Waits for it for a moment. Any
 * thread.
 */
enum script_answer scripts_name(struct scripts *s, uint64_t offset, struct script_name *ret);

void scripts_figures(struct scripts *s, struct scripts_figures *ret);

DEFINE_AUTO(scripts_free, struct scripts);

#endif
