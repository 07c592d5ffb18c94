// SPDX-License-Identifier: BSD-2-Clause
/* taking.c - records of BPF programs (sberf/record.h) become stacks, each kept once, by their tokens. */
#include "config.h"

#include "lib/handle.h"

#include <errno.h>
#include <sberf/record.h>
#include <stddef.h>
#include <string.h>

#define TOLD_MAX (4u << 20)
#define RECORD_HEAD offsetof(struct sberf_record, regs)

/* Checks what RECORD says of itself, and copies its head to *REC. */
static int read_head(struct sberf *s, const void *record, size_t length, struct sberf_record *rec)
{
	uint64_t behind;

	if (length < sizeof(*rec))
		return err_set(&s->err, EINVAL, "a record of %zu bytes is none of sberf/bpf.h", length);
	memcpy(rec, record, sizeof(*rec));
	behind = rec->copied ? rec->nr_bytes : (uint64_t)rec->nr_walked * 8;
	if (rec->version != SBERF_RECORD_VERSION || rec->nr_regs != SBERF_RECORD_REGS || rec->size > length ||
	    rec->size < sizeof(*rec) || behind > rec->size - sizeof(*rec) || rec->nr_walked > SBERF_WALK_MAX + 1)
		return err_set(&s->err, EINVAL, "a record makes no sense, or is of another version of sberf/bpf.h (%u)",
			       rec->version);
	return 0;
}

/* What REC has, and what is BEHIND it, as the unwinder wants it; WALKED has room for SBERF_WALK_MAX + 1. */
static void record_input(const struct sberf_record *rec, const uint8_t *behind, uint64_t *walked,
			 struct unwind_input *ret)
{
	*ret = (struct unwind_input){ .machine = rec->machine, .nr_regs = rec->nr_regs };
	_Static_assert(sizeof(rec->regs) <= sizeof(ret->regs), "all registers of a record have room");
	memcpy(ret->regs, rec->regs, sizeof(rec->regs));
	if (!rec->copied) {
		memcpy(walked, behind, rec->nr_walked * sizeof(*walked));
		ret->nr_walked = rec->nr_walked;
		ret->walked = walked;
		/* Nobody checks which rules were used: they are put in for the memory that the record names. */
		ret->ruled = ret->placed = ret->no_table = ret->unchecked = true;
	} else if (rec->nr_bytes) {
		ret->nr_segments = 1;
		ret->segment[0] = (struct raw_segment){ .addr = rec->stack_at, .len = rec->nr_bytes,
							.want = rec->nr_bytes, .unreadable = rec->unreadable,
							.bytes = behind };
	}
}

/* Keeps the last walk as the stack of TOKEN. */
static int keep_told(struct sberf *s, uint64_t token)
{
	struct told_stack want = { .token = token, .stack = STACK_ROOT, .cut = s->chain.cut,
				   .cut_module = s->chain.cut_module, .bytes = s->chain.bytes_used };

	if (s->told.n >= TOLD_MAX)
		return err_set(&s->err, ENOSPC, "there are %u stacks already: close this handle and open another one",
			       TOLD_MAX);
	for (uint32_t i = s->chain.n; i-- && want.stack != ID_NONE;) {
		const struct frame *f = &s->chain.frame[i];
		const frame_id id = dict_frame(s->dict, f->module, f->offset);

		want.stack = id == ID_NONE ? ID_NONE : dict_stack(s->dict, want.stack, id);
		if (id != ID_NONE)
			dict_frame_flag(s->dict, id, f->flags);
	}
	if (want.stack == ID_NONE || keyed_get(&s->told, &want, stack) == HIDX_NONE)
		return err_nomem(&s->err, "a stack");
	return 0;
}

int sberf_take(struct sberf *s, const void *record, size_t length, uint64_t *token, uint64_t *cookie)
{
	const uint8_t *behind = (const uint8_t *)record + sizeof(struct sberf_record);
	uint64_t walked[SBERF_WALK_MAX + 1];
	struct sberf_record rec;
	struct unwind_input in;
	struct told_stack want;
	struct process *p;
	int rc;

	lib_begin(s);
	rc = read_head(s, record, length, &rec);
	if (rc)
		return rc;
	if (token)
		*token = rec.token;
	if (cookie)
		*cookie = rec.cookie;
	want = (struct told_stack){ .token = rec.token };
	if (keyed_find(&s->told, &want, stack) != HIDX_NONE)
		return 0;
	p = processes_get(s->ps, (pid_t)rec.pid);
	if (!p)
		return err_nomem(&s->err, "the table of processes");
	if (s->maps.size)
		lib_put_rules(s, (pid_t)rec.pid, p, rec.memory);
	record_input(&rec, behind, walked, &in);
	rc = lib_walk(s, p, &in);
	return rc ? rc : keep_told(s, rec.token);
}

int sberf_stack(struct sberf *s, uint64_t token, struct sberf_frame *frames, size_t max, struct sberf_end *end)
{
	const struct told_stack want = { .token = token };
	const uint32_t at = keyed_find(&s->told, &want, stack);
	const struct told_stack *t = at == HIDX_NONE ? NULL : &s->told.v[at];
	size_t n = 0;

	lib_begin(s);
	if (!t)
		return err_set(&s->err, ENOENT, "no record of token %#llx was taken", (unsigned long long)token);
	for (stack_id id = t->stack; id != STACK_ROOT && n < max; n++) {
		const struct stack *stack = dict_get_stack(s->dict, id);
		const struct frame *f = dict_get_frame(s->dict, stack->frame);
		const struct module *m = dict_get_module(s->dict, f->module);

		frames[n] = (struct sberf_frame){ .address = m && m->kind == MODULE_ANON ? f->offset : 0,
						  .offset = f->offset, .module = f->module,
						  .flags = dict_frame_flags(s->dict, stack->frame) & FRAME_F_NO_TABLE ?
							   SBERF_FRAME_GUESS : 0 };
		id = stack->parent;
	}
	if (end) {
		*end = lib_end(t->cut, t->cut_module, t->bytes);
		end->key = hash_2u64(t->stack, t->cut) | 1;
	}
	return (int)n;
}
