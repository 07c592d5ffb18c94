/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_raw.c - whatever the bytes, a raw capture is read to some end, and each record points only
 * into the reader's own buffer: what it says is written again. And its replay is a source, whatever
 * it is asked.
 */
#include "config.h"

#include "base/cleanup.h"
#include "capture/rawfile.h"
#include "capture/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

/* What ITEM points to can be read, and is what is written. */
static void check_written(const struct rawfile_item *item)
{
	static uint64_t buf[RAWFILE_RECORD_MAX / 8];
	char *bytes = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&bytes, &n);
	int r;

	must(f);
	r = rawfile_put(f, item, buf);
	fclose(f);
	/* One that lacked parts which are always written may have grown too long. */
	must(r == -EMSGSIZE || (r == 0 && n > 0 && n % 8 == 0 && n <= RAWFILE_RECORD_MAX));
	free(bytes);
}

static void read_records(const uint8_t *data, size_t size)
{
	FILE *f = fmemopen((void *)(uintptr_t)data, size, "r");
	static struct rawfile_item item;
	struct rawfile_head head;
	struct rawfile *r = NULL;

	if (!f || rawfile_open(f, &head, &r, NULL))
		return;
	must(memchr(head.event, '\0', sizeof(head.event)) && head.freq_hz);
	while (rawfile_next(r, &item, NULL) > 0)
		check_written(&item);
	rawfile_close(r);
}

/* ---- the replay ---- */

/* Adds up what can be seen of it, so that all of it is read. */
struct seen {
	struct source *source;
	uint64_t sum;
};

static void see_event(void *ctx, const struct raw_event *ev)
{
	struct seen *seen = ctx;

	if (ev->kind == RAW_WAIT_STACK)
		seen->sum += source_read_further(seen->source, ev);
	for (uint32_t i = 0; ev->kind == RAW_WAIT_STACK && i < ev->sample.nr_kernel; i++)
		seen->sum += ev->sample.kernel[i];
}

static void see_total(void *ctx, const struct source_total *t)
{
	((struct seen *)ctx)->sum += t->count;
}

static void see_sum(void *ctx, const struct source_sum *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		((struct seen *)ctx)->sum += s->part[i].count;
}

static void see_open(void *ctx, const struct source_open *w)
{
	struct seen *seen = ctx;
	struct raw_event ev;

	for (uint32_t i = 0; i < w->nr_kernel; i++)
		seen->sum += w->kernel[i];
	if (source_open_stack(seen->source, w, &ev) == SOURCE_STACK_HERE)
		see_event(seen, &ev);
}

static void see_home(void *ctx, const struct source_home *h)
{
	((struct seen *)ctx)->sum += h->node;
}

static void ask(struct source *s, struct seen *seen)
{
	struct source_stats st;
	uint64_t ns;

	must(source_totals(s, see_total, seen, &ns, NULL) >= 0);
	(void)source_turn_sums(s, &ns);
	must(source_sums(s, see_sum, seen, NULL) >= 0);
	must(source_open_waits(s, 0, 0, see_open, seen, &ns, NULL) >= 0);
	must(source_homes(s, see_home, seen, NULL) >= 0);
	source_stats(s, &st);
}

static void replay(const uint8_t *data, size_t size)
{
	AUTO_FD int fd = memfd_create("raw", MFD_CLOEXEC);
	char path[32];
	struct capture_plan plan = { .replay = path };
	AUTO(source_free) struct source *s = NULL;
	struct seen seen = { 0 };
	int n = 0;

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (source_open(&plan, &s, NULL))
		return;
	seen.source = s;
	for (unsigned int i = 0; n >= 0 && !source_ended(s); i++) {
		n = source_read(s, 0, false, see_event, &seen, NULL);
		if (i % 2)
			ask(s, &seen);
	}
	source_stop(s);
	do {
		n = source_read(s, 0, true, see_event, &seen, NULL);
		ask(s, &seen);
	} while (n > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	read_records(data, size);
	replay(data, size);
	return 0;
}
