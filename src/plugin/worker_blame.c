/* SPDX-License-Identifier: BSD-2-Clause */
/* worker_blame.c - limits, and a count of two. */
#include "config.h"

#include "plugin/worker_blame.h"

#include "base/clock.h"

#include <errno.h>

#define FAULTS_MAX 2u                    /* crashes at a file, which is left alone then */

#ifdef __SANITIZE_ADDRESS__
#define SLOWER 10u
#else
#define SLOWER 1u
#endif
#define CPU_NS (20 * NSEC_PER_SEC * SLOWER)      /* that it may use between two messages: the debug files of browsers */
#define IDLE_NS (2 * NSEC_PER_SEC * SLOWER)      /* between two messages, unless it waits for a CPU or a disk ... */
#define BUSY_NS (30 * NSEC_PER_SEC * SLOWER)     /* ... and even then, beyond what it uses */

void worker_patience_begin(struct worker_patience *p, const struct worker *w)
{
	p->start_ns = clock_mono_ns();
	p->cpu_ns = worker_cpu_ns(w);
}

const char *worker_patience_over(const struct worker_patience *p, const struct worker *w)
{
	const uint64_t used = worker_cpu_ns(w) - p->cpu_ns, waited = clock_mono_ns() - p->start_ns;

	if (used > CPU_NS)
		return "it took too long";
	return waited > IDLE_NS && (worker_is_idle(w) || waited > BUSY_NS + used) ? "it did not answer" : NULL;
}

int worker_patience_ms(void)
{
	return (int)(IDLE_NS / NSEC_PER_MSEC);
}

bool worker_blame(struct worker_blame *b, const char *path, const char *how, struct unread *u)
{
	struct err e = ERR_INIT;

	if (b->left || ++b->faults < FAULTS_MAX)
		return false;
	b->left = true;
	err_set(&e, EFAULT, UNREAD_LEFT ": %s", how[0] ? how : "the connection was closed");
	unread_add(u, path, &e);
	return true;
}
