/* SPDX-License-Identifier: BSD-2-Clause */
/* locklabel.c - builds the texts for the list of locks: what a lock, a holder and a place are called. */
#include "config.h"

#include "query/locks.h"

#include "base/text.h"
#include "query/label.h"
#include "query/stack_signature.h"

#include <inttypes.h>

char *lock_label(const struct locks *l, uint32_t lock, char *dst, size_t size)
{
	const struct lock_row *r = &l->lock[lock];

	if (r->address)
		text_format(dst, size, "%s 0x%" PRIx64, lock_kind_name(r->kind), r->address);
	else
		text_format(dst, size, "futexes of which nothing more is known");
	return dst;
}

static bool locklabel_is(const struct locks *l, thread_id id, uint32_t tid)
{
	const struct thread *t = id == ID_NONE ? NULL : dict_get_thread(l->dict, id);

	return t && (uint32_t)t->tid == tid;
}

char *lock_thread_label(const struct locks *l, uint32_t tid, char *dst, size_t size)
{
	thread_id found = ID_NONE;

	for (uint32_t i = 0; i < l->nr_waits && found == ID_NONE; i++)
		found = l->wait[i].waiter == tid ? l->of[i].thread : ID_NONE;
	for (uint32_t i = 0; i < l->nr_holders && found == ID_NONE; i++)
		found = locklabel_is(l, l->holder[i].thread, tid) ? l->holder[i].thread : ID_NONE;
	if (found == ID_NONE)
		text_format(dst, size, "thread %" PRIu32, tid);
	else
		label_thread(l->dict, dict_get_thread(l->dict, found), dst, size);
	return dst;
}

char *lock_holder_label(const struct locks *l, const struct lock_holder *h, char *dst, size_t size)
{
	static const char *const how[] = {
		[HOLDER_UNKNOWN] = "", [HOLDER_WAITS] = ", waits now", [HOLDER_BESIDE] = ", mostly in",
		[HOLDER_RELEASED] = ", released in",
	};
	char thread[LABEL_MAX];

	if (h->thread == ID_NONE) {
		text_format(dst, size, "holder not known");
		return dst;
	}
	label_thread(l->dict, dict_get_thread(l->dict, h->thread), thread, sizeof(thread));
	text_format(dst, size, "%s %s%s%s", h->inferred ? "ended by" : "held by", thread,
		    h->inferred ? " (inferred)" : "", how[h->how]);
	return dst;
}

const char *lock_held_words(const struct locks *l, size_t wait)
{
	return l->lock[l->of[wait].lock].kind == LOCK_JOIN ? ", " : ", held by ";
}

static struct stack_signature locklabel_reading(const struct locks *l)
{
	return (struct stack_signature){ .d = l->dict, .names = l->names, .no_inlines = l->query.no_inlines };
}

char *locks_stack_label(const struct locks *l, stack_id stack, char *dst, size_t size)
{
	const struct stack_signature r = locklabel_reading(l);

	return stack_signature_text(&r, stack, dst, size);
}

stack_id locks_stack_first(const struct locks *l, stack_id stack, uint32_t *ret_name)
{
	const struct stack_signature r = locklabel_reading(l);

	return stack_signature_first(&r, stack, ret_name);
}
