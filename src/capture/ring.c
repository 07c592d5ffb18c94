/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring.c - see Documentation/bpf/ringbuf.rst and kernel/bpf/ringbuf.c for the layout.
 *
 * The first page holds the consumer position, which we write; the second the producer position,
 * which the kernel writes; the data follows, mapped twice. Positions only grow. A record begins
 * with 8 bytes: its length with two flags, and an offset that only the kernel needs.
 *
 * `pending` lists the records handed out, oldest first, by the position of their end. Those at its
 * head that are released are given back to the kernel.
 */
#include "config.h"

#include "capture/ring.h"

#include "base/vec.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#define LEN_MASK (~(uint32_t)(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT))

#define COMPACT 4096u            /* entries given back that are worth moving the others for */

struct pending {
	uint64_t end;
	bool done;
};

struct ring {
	size_t size, page;
	_Atomic unsigned long *consumer;
	const _Atomic unsigned long *producer;
	const uint8_t *data;
	uint64_t collected;              /* position up to which records were handed out */
	VEC(struct pending) pending;
	size_t head;                     /* the first of them that is not given back */
	uint64_t first_tag;              /* of pending.v[0] */
	uint64_t bad;
};

int ring_open(int fd, size_t size, struct ring **ret, struct err *e)
{
	AUTO(ring_free) struct ring *r = calloc(1, sizeof(*r));
	void *p;

	if (!r)
		return err_nomem(e, "a ring buffer");
	r->size = size;
	r->page = (size_t)sysconf(_SC_PAGESIZE);
	p = mmap(NULL, r->page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return err_set(e, errno, "cannot map a ring buffer: %s", strerror(errno));
	r->consumer = p;
	p = mmap(NULL, r->page + 2 * size, PROT_READ, MAP_SHARED, fd, (off_t)r->page);
	if (p == MAP_FAILED)
		return err_set(e, errno, "cannot map %zu bytes of a ring buffer: %s", size, strerror(errno));
	r->producer = p;
	r->data = (const uint8_t *)p + r->page;
	r->collected = atomic_load_explicit(r->consumer, memory_order_relaxed);
	*ret = take_ptr(r);
	return 0;
}

void ring_free(struct ring *r)
{
	if (!r)
		return;
	if (r->consumer)
		munmap((void *)r->consumer, r->page);
	if (r->producer)
		munmap((void *)(uintptr_t)r->producer, r->page + 2 * r->size);
	vec_free(&r->pending);
	free(r);
}

/* Gives back what is done at the head. */
static void ring_release(struct ring *r)
{
	uint64_t end = 0;

	while (r->head < r->pending.n && r->pending.v[r->head].done)
		end = r->pending.v[r->head++].end;
	if (end)
		atomic_store_explicit(r->consumer, end, memory_order_release);
	if (r->head && (r->head == r->pending.n || r->head >= COMPACT)) {
		memmove(r->pending.v, r->pending.v + r->head, (r->pending.n - r->head) * sizeof(*r->pending.v));
		r->pending.n -= r->head;
		r->first_tag += r->head;
		r->head = 0;
	}
}

void ring_done(struct ring *r, uint64_t tag)
{
	r->pending.v[tag - r->first_tag].done = true;
	ring_release(r);
}

bool ring_collect(struct ring *r, ring_fn *fn, void *ctx)
{
	uint64_t end = atomic_load_explicit(r->producer, memory_order_acquire);

	while (r->collected < end) {
		const uint8_t *at = r->data + (r->collected & (r->size - 1));
		uint32_t head = atomic_load_explicit((const _Atomic uint32_t *)(const void *)at, memory_order_acquire);
		uint64_t len = head & LEN_MASK, next = r->collected + (len + BPF_RINGBUF_HDR_SZ + 7) / 8 * 8;
		bool bad = next > end;
		struct pending *p;

		if (head & BPF_RINGBUF_BUSY_BIT)
			return false;
		if (bad) {
			r->bad++;
			next = end;
		}
		p = vec_push(&r->pending);
		if (!p)
			return false;
		p->end = next;
		p->done = bad || (head & BPF_RINGBUF_DISCARD_BIT);
		r->collected = next;
		if (!p->done)
			fn(ctx, at + BPF_RINGBUF_HDR_SZ, (uint32_t)len, r->first_tag + r->pending.n - 1);
	}
	ring_release(r);
	return true;
}

size_t ring_used(const struct ring *r)
{
	unsigned long consumed = atomic_load_explicit(r->consumer, memory_order_relaxed);

	return atomic_load_explicit(r->producer, memory_order_relaxed) - consumed;
}

uint64_t ring_bad(const struct ring *r)
{
	return r->bad;
}
