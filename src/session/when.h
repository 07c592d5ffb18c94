/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * when.h - conditions on which a flight recorder is written (--when), and who looks for them while a capture runs.
 *
 *	blocked > 200ms                  a wait as long as that which is not idle,
 *	blocked > 200ms in handle_req*   or any wait, with such a function on its stack
 *	runnable > 50ms [in FUNCTION]    the same of time in the run queue
 *	cpu > 90% for 5s                 time on the CPU of all threads together, in percent of one CPU, each second
 *	cpu < 10% for 5s
 *
 * A wait is seen at its end, or within two seconds after it has lasted a second. When one of the conditions is met the
 * recorder is written, unless it was so less than the pause before.
 */
#ifndef SBERF_SESSION_WHEN_H
#define SBERF_SESSION_WHEN_H

#include "base/cleanup.h"
#include "base/err.h"
#include "engine/engine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WHEN_MAX 16u             /* conditions */
#define WHEN_FUNCTION_MAX 256u   /* bytes of a function's name, with a NUL */

enum when_what { WHEN_BLOCKED, WHEN_RUNNABLE, WHEN_CPU };

struct when {
	enum when_what what;
	bool below;              /* WHEN_CPU: less than PERCENT */
	uint64_t ns;             /* length of a wait; how long it has to be so */
	double percent;          /* WHEN_CPU */
	char function[WHEN_FUNCTION_MAX];        /* of waits, with * and ?; "" = any that is not idle */
};

/* Reads TEXT. 0, or -EINVAL or -ERANGE with a sentence. Pure. */
int when_parse(const char *text, struct when *ret, struct err *e);

struct when_watch;

/*
 * Watches for the N conditions TEXT, 1 to WHEN_MAX, which are borrowed. Between two files PAUSE_NS pass, and there are
 * at most FILES of them. 0, or a negative errno with a sentence.
 */
int when_new(const char *const *text, size_t n, uint64_t pause_ns, uint32_t files, struct when_watch **ret,
	     struct err *e);
void when_free(struct when_watch *w);            /* NULL is fine */

/* What an engine calls; valid as long as W. */
const struct engine_watcher *when_watcher(const struct when_watch *w);

/* How often a condition was met but nothing was written: within the pause, and after the last file. */
struct when_figures {
	uint64_t files, paused, over;
};
/* After the engine has ended. */
void when_figures(const struct when_watch *w, struct when_figures *ret);

DEFINE_AUTO(when_free, struct when_watch);

#endif
