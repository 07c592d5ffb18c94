/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_raw.c - whatever the bytes, a raw capture is read to some end, and each event points only
 * into the reader's own buffer: what it says is written again, and comes back the same.
 */
#include "config.h"

#include "capture/rawfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

/* What EV points to can be read, and is what is written. */
static void check_written(const struct raw_event *ev)
{
	static uint64_t buf[RAWFILE_RECORD_MAX / 8];
	char *bytes = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&bytes, &n);
	int r;

	must(f);
	r = rawfile_put(f, ev, buf);
	fclose(f);
	/* One that lacked parts which are always written may have grown too long. */
	must(r == -EMSGSIZE || (r == 0 && n > 0 && n % 8 == 0 && n <= RAWFILE_RECORD_MAX));
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *f = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
	struct rawfile_head head;
	struct rawfile *r = NULL;
	struct raw_event ev;
	struct losses lost;
	uint64_t seen_ns;
	int what;

	if (!f || rawfile_open(f, &head, &r, NULL))
		return 0;
	must(memchr(head.event, '\0', sizeof(head.event)) && head.freq_hz);
	while ((what = rawfile_next(r, &ev, &seen_ns, &lost, NULL)) > 0)
		if (what == RAWFILE_EVENT)
			check_written(&ev);
	rawfile_close(r);
	return 0;
}
