/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * decode.c - one cursor over the record; each part is taken whole and then read.
 *
 * The cursor hands out 8-byte aligned pieces only: every size in the format is a multiple of 8, and one that is not makes
 * the record bad.
 */
#include "config.h"

#include "capture/decode.h"

#include "bpf/wire.h"

#include <errno.h>
#include <string.h>

struct cursor {
	const uint8_t *at;
	size_t left;
};

static const void *take(struct cursor *in, size_t n)
{
	const void *p = in->at;

	if (n % 8 || n > in->left)
		return NULL;
	in->at += n;
	in->left -= n;
	return p;
}

/* The next part, cut out of IN into *RET; NULL at the end or when it is bad (then something is left). */
static const struct sb_part *take_part(struct cursor *in, struct cursor *ret)
{
	const struct sb_part *part = (const void *)in->at;

	if (in->left < sizeof(*part) || part->size < sizeof(*part))
		return NULL;
	ret->at = in->at;
	ret->left = part->size;
	return take(in, part->size);
}

static bool read_task(struct cursor *in, struct raw_event *ev)
{
	const struct sb_part_task *t = take(in, sizeof(*t));

	if (!t)
		return false;
	ev->pid = (pid_t)t->pid;
	ev->tid = (pid_t)t->tid;
	ev->sample.start_ns = t->start_ns;
	ev->sample.cgroup_id = t->cgroup_id;
	ev->sample.exe_id = t->exe_id;
	memcpy(ev->sample.comm, t->comm, sizeof(t->comm));
	ev->sample.comm[sizeof(t->comm)] = '\0';
	return true;
}

static bool read_sample(struct cursor *in, struct raw_sample *s)
{
	const struct sb_part_sample *p = take(in, sizeof(*p));

	if (!p)
		return false;
	s->period = p->period;
	s->ip = p->ip;
	s->since_ns = p->since_ns;
	return true;
}

static bool read_regs(struct cursor *in, struct raw_sample *s)
{
	const struct sb_part_regs *r = take(in, sizeof(*r));
	const uint64_t *v;

	if (!r || !r->machine || !r->nr || r->nr > RAW_REGS_MAX)
		return false;
	v = take(in, r->nr * sizeof(*v));
	if (!v)
		return false;
	s->machine = r->machine;
	s->nr_regs = r->nr;
	memcpy(s->regs, v, r->nr * sizeof(*v));
	return true;
}

static bool read_addrs(struct cursor *in, const uint64_t **ret, uint32_t *ret_nr, int32_t *ret_error, bool *ret_full)
{
	const struct sb_part_addrs *a = take(in, sizeof(*a));
	const uint64_t *v;

	if (!a || a->nr > in->left / sizeof(*v))
		return false;
	*ret = take(in, a->nr * sizeof(*v));
	*ret_nr = a->nr;
	*ret_error = a->error;
	*ret_full = a->part.flags & SB_ADDRS_FULL;
	return true;
}

static bool read_segment(struct cursor *in, struct raw_sample *s)
{
	const struct sb_part_segment *g = take(in, sizeof(*g));
	struct raw_segment *seg;

	if (!g || g->got > in->left || g->got > g->want || s->nr_segments == RAW_SEGMENTS_MAX)
		return false;
	seg = &s->segment[s->nr_segments++];
	seg->addr = g->addr;
	seg->len = g->got;
	seg->unreadable = g->got < g->want;
	seg->interrupted = g->part.flags & SB_SEG_INTERRUPTED;
	seg->bytes = in->at;
	return true;
}

static bool read_part(const struct sb_part *part, struct cursor *in, struct raw_event *ev)
{
	struct raw_sample *s = &ev->sample;

	switch (part->type) {
	case SB_PART_SAMPLE:
		return read_sample(in, s);
	case SB_PART_REGS:
		return read_regs(in, s);
	case SB_PART_KSTACK:
		return read_addrs(in, &s->kernel, &s->nr_kernel, &s->kernel_error, &s->kernel_full);
	case SB_PART_WALKED:
		return read_addrs(in, &s->walked, &s->nr_walked, &s->walked_error, &s->walked_full);
	case SB_PART_SEGMENT:
		return read_segment(in, s);
	default:
		return true;
	}
}

static void read_flags(uint16_t flags, struct raw_sample *s)
{
	s->in_kernel = flags & SB_F_KERNEL;
	s->kthread = flags & SB_F_KTHREAD;
	s->compat = flags & SB_F_COMPAT;
	s->no_user = flags & SB_F_NO_USER;
}

int decode_record(const void *data, size_t len, struct raw_event *ret)
{
	struct cursor in = { data, len }, body;
	const struct sb_hdr *h = take(&in, sizeof(*h));
	const struct sb_part *part;
	struct raw_event ev;

	if (!h || h->size != len)
		return -EBADMSG;
	if (h->kind != SB_REC_SAMPLE)
		return 0;
	memset(&ev, 0, sizeof(ev));
	ev.kind = RAW_SAMPLE;
	ev.cpu = h->cpu;
	ev.node = h->node;
	ev.time_ns = h->time_ns;
	read_flags(h->flags, &ev.sample);
	part = take_part(&in, &body);
	if (!part || part->type != SB_PART_TASK || !read_task(&body, &ev))
		return -EBADMSG;
	while ((part = take_part(&in, &body)))
		if (!read_part(part, &body, &ev))
			return -EBADMSG;
	if (in.left)
		return -EBADMSG;
	*ret = ev;
	return 1;
}
