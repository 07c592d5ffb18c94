/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sideband.c - opens the dummy event, and reads perf's ring buffer (struct perf_event_mmap_page in
 * include/uapi/linux/perf_event.h): the kernel moves data_head, we move data_tail, and records may
 * wrap around the end.
 */
#include "config.h"

#include "capture/sideband.h"

#include "base/cleanup.h"
#include "capture/perf_record.h"

#include <errno.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#define RECORD_MAX 65536u        /* the size field has 16 bits */

/*
 * Without build_id, although it would identify files better: perf_event_mmap_output()
 * (kernel/events/core.c, 5.12 to 6.18 at least) sets PERF_RECORD_MISC_MMAP_BUILD_ID in a header
 * that the other events of the same mapping get too. As long as we ran, every `perf record` on the
 * machine took device numbers for build-ids; perf 6.1 ends with a smashed stack.
 */
static void fill_attr(struct perf_event_attr *a)
{
	memset(a, 0, sizeof(*a));
	a->size = sizeof(*a);
	a->type = PERF_TYPE_SOFTWARE;
	a->config = PERF_COUNT_SW_DUMMY;
	a->sample_type = PERF_RECORD_SAMPLE_TYPE;
	a->sample_id_all = 1;
	a->disabled = 1;
	a->mmap = 1;
	a->mmap2 = 1;
	a->comm = 1;
	a->comm_exec = 1;
	a->task = 1;
	a->use_clockid = 1;
	a->clockid = CLOCK_MONOTONIC;
	a->watermark = 1;
	a->wakeup_watermark = SIDEBAND_DATA_BYTES / 8;
}

int sideband_event(uint32_t cpu, struct err *e)
{
	struct perf_event_attr attr;
	int fd;

	fill_attr(&attr);
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd >= 0 ? fd : err_set(e, errno, "cannot follow processes on CPU %u: perf_event_open: %s", cpu,
				      strerror(errno));
}

/* What is tried first: a power of two of bytes. */
static size_t first_bytes(void)
{
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);
	size_t bytes = SIDEBAND_MORE_BYTES;

	while (cpus > 0 && bytes > SIDEBAND_DATA_BYTES && bytes * (size_t)cpus > SIDEBAND_ALL_BYTES)
		bytes /= 2;
	return bytes;
}

int sideband_open(struct sideband *b, int event, uint32_t cpu, struct err *e)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = first_bytes();
	AUTO_FD int fd = event;
	void *map;

	do {
		map = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	} while (map == MAP_FAILED && errno == EPERM && (bytes /= 2) >= page);
	if (map == MAP_FAILED && errno == EPERM)
		return err_set(e, ENOMEM, "the buffer that follows processes on CPU %u would lock more memory "
			       "than this user "
			       "may: run: sudo sysctl kernel.perf_event_mlock_kb=2048", cpu);
	if (map == MAP_FAILED)
		return err_set(e, errno, "cannot map the buffer that follows processes on CPU %u: %s", cpu,
			       strerror(errno));
	b->fd = take_fd(&fd);
	b->map = map;
	b->data_bytes = bytes;
	return 0;
}

int sideband_enable(struct sideband *b, bool on)
{
	return ioctl(b->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) ? -errno : 0;
}

/* The LEN bytes at position AT, in COPY when they wrap around. */
static const void *sideband_whole(const uint8_t *data, size_t size, uint64_t at, size_t len, uint8_t *copy)
{
	size_t from = at & (size - 1), first = size - from;

	if (len <= first)
		return data + from;
	memcpy(copy, data + from, first);
	memcpy(copy + first, data, len - first);
	return copy;
}

int sideband_read(struct sideband *b, sideband_fn *fn, void *ctx)
{
	struct perf_event_mmap_page *page = b->map;
	const uint8_t *data;
	alignas(8) uint8_t copy[RECORD_MAX];
	uint64_t head, at;
	int n = 0;

	if (b->fd < 0)
		return 0;
	data = (const uint8_t *)b->map + sysconf(_SC_PAGESIZE);
	head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	for (at = page->data_tail; at < head; n++) {
		const struct perf_event_header *h = (const void *)(data + (at & (b->data_bytes - 1)));

		/* Positions are multiples of 8, so a header never wraps. */
		if (h->size < sizeof(*h) || h->size % 8 || h->size > head - at) {
			n = -EBADMSG;
			break;
		}
		fn(ctx, sideband_whole(data, b->data_bytes, at, h->size, copy), h->size);
		at += h->size;
	}
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	return n;
}

void sideband_close(struct sideband *b)
{
	if (b->map)
		munmap(b->map, (size_t)sysconf(_SC_PAGESIZE) + b->data_bytes);
	if (b->fd >= 0)
		close(b->fd);
	*b = (struct sideband)SIDEBAND_INIT;
}
