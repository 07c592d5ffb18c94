/* SPDX-License-Identifier: BSD-2-Clause */
/* locklabel.c - builds the texts for the list of locks: what a lock, a holder and a place are called. */
#include "config.h"

#include "query/locks.h"

#include "base/text.h"
#include "base/units.h"
#include "query/label.h"
#include "query/stack_signature.h"

#include <inttypes.h>
#include <string.h>

/* Appends "+0x28" unless OFFSET is 0. */
static void locklabel_put_offset(uint64_t offset, char *dst, size_t size, size_t at)
{
	if (offset && at < size)
		text_format(dst + at, size - at, "+0x%" PRIx64, offset);
}

/*
 * The variable MORE bytes behind the place of FRAME, and how far behind its begin that is; or its place in the file; ""
 * of the kernel, which is no file.
 */
static void locklabel_variable(const struct dict *d, const struct names *names, frame_id frame, uint32_t more,
			       char *dst, size_t size)
{
	const struct frame_names *fn = names_get(names, frame);
	const struct func *f = fn ? names_func(names, fn->name[0].func) : NULL;
	const struct module *m = dict_get_module(d, dict_get_frame(d, frame)->module);
	const char *name = f ? names_text(names, f->name) : "";

	*dst = '\0';
	if (*name)
		locklabel_put_offset(dict_get_frame(d, frame)->offset - f->start + (uint64_t)(int32_t)more, dst, size,
				     label_put(dst, size, 0, name, strlen(name)));
	else if (m->kind != MODULE_KERNEL)
		label_place(d, frame, dst, size);
}

char *lock_place_label(const struct dict *d, const struct names *names, stack_id place, uint32_t offset, char *dst,
		       size_t size)
{
	static const char block[] = "in a block of ";
	const struct stack *s = place == STACK_ROOT ? NULL : dict_get_stack(d, place);
	const struct stack_signature r = { .d = d, .names = names, .touches = true };
	char *end;

	*dst = '\0';
	if (!s)
		return dst;
	if (dict_get_frame(d, s->frame)->offset & FRAME_DATA) {
		locklabel_variable(d, names, s->frame, offset, dst, size);
		return dst;
	}
	if (dict_get_module(d, dict_get_frame(d, s->frame)->module)->kind == MODULE_NOTE) {
		label_place(d, s->frame, dst, size);
		return dst;
	}
	stack_signature_text(&r, place, dst + label_put(dst, size, 0, block, strlen(block)), size - strlen(block));
	end = strstr(dst, " \xE2\x80\xBA ");
	if (end)
		*end = '\0';
	locklabel_put_offset(offset, dst, size, strlen(dst));
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
		[HOLDER_UNKNOWN] = "", [HOLDER_WAITS] = ", waits now", [HOLDER_STOPPED] = ", is stopped now, in",
		[HOLDER_BESIDE] = ", mostly in",
		[HOLDER_RELEASED] = ", released in",
	};
	const bool channel = lock_is_channel(l->lock[h->lock].kind);
	char thread[LABEL_MAX];

	if (h->thread == ID_NONE && h->readers) {
		text_format(dst, size, "held by %s%" PRIu32 " reader%s", h->readers == 1 ? "" : "up to ", h->readers,
			    h->readers == 1 ? "" : "s");
		return dst;
	}
	if (h->thread == ID_NONE) {
		text_format(dst, size, channel ? "other end not known" : "holder not known");
		return dst;
	}
	label_thread(l->dict, dict_get_thread(l->dict, h->thread), thread, sizeof(thread));
	text_format(dst, size, "%s %s%s%s", h->inferred ? "ended by" : channel ? "other end:" : "held by", thread,
		    h->inferred ? " (inferred)" : "", how[h->how]);
	return dst;
}

char *lock_convoy_label(const struct locks *l, uint32_t lock, char *dst, size_t size)
{
	const struct lock_convoy *c = &l->lock[lock].convoy;
	char turn[UNITS_MAX], over[UNITS_MAX], ns[UNITS_MAX];

	*dst = '\0';
	if (!c->ns)
		return dst;
	text_format(dst, size,
		    "convoy: %.1f threads wait, handed over every %s (%s until the next one runs), for %s",
		    (double)c->waited_ns / (double)c->ns, units_time(turn, c->ns / c->count),
		    units_time(over, c->hand_over_ns / c->count), units_time(ns, c->ns));
	return dst;
}

char *lock_inversion_label(const struct lock_holder *h, char *dst, size_t size)
{
	char waiter[LOCK_PRIO_TEXT], holder[LOCK_PRIO_TEXT], ns[UNITS_MAX], queued[UNITS_MAX];

	*dst = '\0';
	if (!h->inverted_queued_ns)
		return dst;
	text_format(dst, size,
		    "priority inversion: threads at %s waited for %s of that, while this one, at %s, stood in the run "
		    "queue for about %s",
		    lock_priority_text(h->waiter_prio, waiter, sizeof(waiter)), units_time(ns, h->inverted_ns),
		    lock_priority_text(h->holder_prio, holder, sizeof(holder)),
		    units_time(queued, h->inverted_queued_ns));
	return dst;
}

const char *lock_held_words(const struct locks *l, size_t wait)
{
	return l->lock[l->of[wait].lock].kind == LOCK_JOIN ? ", " : ", held by ";
}

static struct stack_signature locklabel_reading(const struct locks *l, bool takes)
{
	return (struct stack_signature){ .d = l->dict, .names = l->names, .no_inlines = l->query.no_inlines,
					 .takes = takes };
}

/* Most locks of the kernel are in memory without a name: they are called by the function that waits for them. */
static void locklabel_kernel(const struct lock_row *r, const char *taker, char *dst, size_t size)
{
	char name[LABEL_MAX];

	label_put(name, sizeof(name), 0, taker, strlen(taker));
	text_format(dst, size, "%s of %s, 0x%" PRIx64, lock_kind_name(r->kind), name, r->address);
}

char *lock_label(const struct locks *l, uint32_t lock, char *dst, size_t size)
{
	const struct lock_row *r = &l->lock[lock];
	const struct stack_signature reading = locklabel_reading(l, false);
	char place[LABEL_MAX];

	lock_place_label(l->dict, l->names, r->place, r->offset, place, sizeof(place));
	if (r->kind == LOCK_DATABASE)
		text_format(dst, size, "%s", lock_kind_name(r->kind));
	else if (!r->address)
		text_format(dst, size, "futexes of which nothing more is known");
	else if (lock_is_channel(r->kind))
		text_format(dst, size, "%s [%" PRIu64 "]", lock_kind_name(r->kind), r->address);
	else if (*place)
		text_format(dst, size, "%s %s", lock_kind_name(r->kind), place);
	else if (lock_is_of_kernel(r->kind) && *stack_signature_kernel_taker(&reading, r->stack))
		locklabel_kernel(r, stack_signature_kernel_taker(&reading, r->stack), dst, size);
	else
		text_format(dst, size, "%s 0x%" PRIx64, lock_kind_name(r->kind), r->address);
	return dst;
}

char *locks_stack_label(const struct locks *l, stack_id stack, bool takes, char *dst, size_t size)
{
	const struct stack_signature r = locklabel_reading(l, takes);

	return stack_signature_text(&r, stack, dst, size);
}

stack_id locks_stack_first(const struct locks *l, stack_id stack, bool takes, uint32_t *ret_name)
{
	const struct stack_signature r = locklabel_reading(l, takes);

	return stack_signature_first(&r, stack, ret_name);
}
