/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * standstill.c - looks for processes in which several threads wait for locks without ever being
 * woken; standstill.h says from when on this is reported.
 */
#include "config.h"

#include "query/standstill.h"

#include <string.h>

#define SUSPECTS_MAX 256u        /* of the longest waits, looked at for a standstill */
#define JOIN_FRAMES 24u          /* kernel frames included */

static pid_t standstill_pid(const struct waits *w, const struct wait_open *o)
{
	const struct thread *t = dict_get_thread(w->dict, o->thread);

	return t ? t->pid : 0;
}

/* Whether a function that FRAME stands for waits for the end of a thread. */
static bool standstill_joins(const struct waits *w, frame_id frame)
{
	static const char *const parts[] = { "pthread_join", "pthread_clockjoin", "pthread_timedjoin", "thrd_join" };
	const struct frame_names *fn = names_get(w->names, frame);

	for (uint32_t i = 0; fn && i < fn->n; i++) {
		const struct func *f = names_func(w->names, fn->name[i].func);

		for (size_t p = 0; f && p < sizeof(parts) / sizeof(parts[0]); p++) {
			if (strstr(names_text(w->names, f->name), parts[p]))
				return true;
		}
	}
	return false;
}

/*
 * A futex is behind locks and behind thread ends; who waits for these holds nothing up. Told by the
 * innermost frames.
 */
static bool standstill_is_join(const struct waits *w, stack_id stack)
{
	for (unsigned int i = 0; i < JOIN_FRAMES && stack != STACK_ROOT; i++) {
		const struct stack *s = dict_get_stack(w->dict, stack);

		if (standstill_joins(w, s->frame))
			return true;
		stack = s->parent;
	}
	return false;
}

static bool standstill_is_suspect(const struct waits *w, const struct wait_open *o)
{
	return !o->idling && o->waited_ns >= (double)STANDSTILL_NS && standstill_pid(w, o) &&
	       wait_class_of(o->call, o->state, w->query.arch) == WAIT_CLASS_LOCK && !standstill_is_join(w, o->stack);
}

/* The suspects in the process of O. */
static struct standstill standstill_suspects(const struct waits *w, const struct wait_open *o)
{
	const pid_t pid = standstill_pid(w, o);
	struct standstill s = { 0 };

	for (uint32_t i = 0; i < w->nr_open && i < SUSPECTS_MAX; i++) {
		if (standstill_pid(w, &w->open[i]) != pid || !standstill_is_suspect(w, &w->open[i]))
			continue;
		s.threads++;
		s.waited_ns = (uint64_t)w->open[i].waited_ns;    /* the longest come first */
	}
	return s.threads > 1 ? s : (struct standstill){ 0 };
}

struct standstill waits_standstill(const struct waits *w)
{
	struct standstill most = { 0 };

	for (uint32_t i = 0; i < w->nr_open && i < SUSPECTS_MAX; i++) {
		struct standstill s;

		if (!standstill_is_suspect(w, &w->open[i]))
			continue;
		s = standstill_suspects(w, &w->open[i]);
		if (s.threads > most.threads)
			most = s;
	}
	return most;
}

bool wait_stands_still(const struct waits *w, const struct wait_open *o)
{
	return standstill_is_suspect(w, o) && standstill_suspects(w, o).threads;
}
