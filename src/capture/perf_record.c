/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf_record.c - reads the fixed fields with a cursor, cuts the trailer off the end, and takes the
 * text in between.
 */
#include "config.h"

#include "capture/perf_record.h"

#include <errno.h>
#include <string.h>

#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#define PERF_RECORD_MISC_MMAP_BUILD_ID (1 << 14)         /* since 5.12 */
#endif

/* The end of every record, by PERF_RECORD_SAMPLE_TYPE. */
struct trailer {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, res;
};

struct mmap2_fields {
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	uint32_t prot, flags;
};

struct comm_fields {
	uint32_t pid, tid;
};

struct task_fields {
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

struct lost_fields {
	uint64_t id, lost;
};

struct body {
	const uint8_t *at;
	size_t left;
};

static const void *perf_record_take(struct body *in, size_t n)
{
	const void *p = in->at;

	if (n > in->left)
		return NULL;
	in->at += n;
	in->left -= n;
	return p;
}

/* What is left of the body, as text; NULL when it does not end. */
static const char *take_text(struct body *in)
{
	return memchr(in->at, '\0', in->left) ? (const char *)in->at : NULL;
}

/*
 * Build-ids are never asked for (sideband.c), so PERF_RECORD_MISC_MMAP_BUILD_ID says nothing here:
 * the kernel sets it when an event of somebody else asks, and leaves it set in the record that it
 * builds for the next event.
 */
static bool read_mmap2(struct body *in, uint16_t misc, struct raw_event *ev)
{
	const struct mmap2_fields *f = perf_record_take(in, sizeof(*f));
	struct raw_mmap *m = &ev->mmap;

	m->path = f ? take_text(in) : NULL;
	if (!m->path)
		return false;
	ev->kind = RAW_MMAP;
	ev->pid = (pid_t)f->pid;
	ev->tid = (pid_t)f->tid;
	m->start = f->addr;
	m->len = f->len;
	m->pgoff = f->pgoff;
	m->prot = f->prot;
	m->flags = f->flags;
	m->maj = f->maj;
	m->min = f->min;
	m->ino = f->ino;
	m->ino_generation = f->ino_generation;
	return true;
}

static bool read_comm(struct body *in, uint16_t misc, struct raw_event *ev)
{
	const struct comm_fields *f = perf_record_take(in, sizeof(*f));

	ev->comm.comm = f ? take_text(in) : NULL;
	if (!ev->comm.comm)
		return false;
	ev->kind = RAW_COMM;
	ev->pid = (pid_t)f->pid;
	ev->tid = (pid_t)f->tid;
	ev->comm.exec = misc & PERF_RECORD_MISC_COMM_EXEC;
	return true;
}

static bool perf_record_read_task(struct body *in, enum raw_kind kind, struct raw_event *ev)
{
	const struct task_fields *f = perf_record_take(in, sizeof(*f));

	if (!f)
		return false;
	ev->kind = kind;
	ev->pid = (pid_t)f->pid;
	ev->tid = (pid_t)f->tid;
	ev->fork.ppid = (pid_t)f->ppid;
	ev->fork.ptid = (pid_t)f->ptid;
	return true;
}

static bool read_lost(struct body *in, struct perf_record *rec)
{
	const struct lost_fields *f = perf_record_take(in, sizeof(*f));

	if (!f)
		return false;
	rec->what = PERF_REC_LOST;
	rec->lost = f->lost;
	return true;
}

static bool read_body(struct body *in, const struct perf_event_header *h, struct perf_record *rec)
{
	switch (h->type) {
	case PERF_RECORD_MMAP2:
		return read_mmap2(in, h->misc, &rec->ev);
	case PERF_RECORD_COMM:
		return read_comm(in, h->misc, &rec->ev);
	case PERF_RECORD_FORK:
		return perf_record_read_task(in, RAW_FORK, &rec->ev);
	case PERF_RECORD_EXIT:
		return perf_record_read_task(in, RAW_EXIT, &rec->ev);
	case PERF_RECORD_LOST:
		return read_lost(in, rec);
	case PERF_RECORD_THROTTLE:
		rec->what = PERF_REC_THROTTLE;
		return true;
	case PERF_RECORD_UNTHROTTLE:
		rec->what = PERF_REC_UNTHROTTLE;
		return true;
	default:
		rec->what = PERF_REC_OTHER;
		return true;
	}
}

int perf_record_read(const void *data, size_t len, struct perf_record *ret)
{
	struct perf_record rec = { .what = PERF_REC_EVENT };
	const struct perf_event_header *h = data;
	const struct trailer *end;
	struct body in;

	if (len < sizeof(*h) + sizeof(*end) || len % 8 || h->size != len)
		return -EBADMSG;
	end = (const void *)((const uint8_t *)data + len - sizeof(*end));
	rec.ev.time_ns = end->time;
	rec.ev.cpu = end->cpu;
	in.at = (const uint8_t *)data + sizeof(*h);
	in.left = len - sizeof(*h) - sizeof(*end);
	if (!read_body(&in, h, &rec))
		return -EBADMSG;
	*ret = rec;
	return 0;
}
