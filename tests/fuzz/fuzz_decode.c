/* SPDX-License-Identifier: BSD-2-Clause */
/* fuzz_decode.c - whatever the bytes, a decoded wire record points only into itself. The header's size is made to agree. */
#include "config.h"

#include "capture/decode.h"

#include "bpf/wire.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *low, *high;

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void inside(const void *p, size_t n)
{
	const uint8_t *at = p;

	must(at >= low && n <= (size_t)(high - at));
}

static void check_sample(const struct raw_sample *s)
{
	must(s->nr_regs <= RAW_REGS_MAX && s->nr_segments <= RAW_SEGMENTS_MAX);
	must(!s->nr_regs == !s->machine);
	must(memchr(s->comm, '\0', sizeof(s->comm)));
	for (uint32_t i = 0; i < s->nr_segments; i++)
		inside(s->segment[i].bytes, s->segment[i].len);
	if (s->nr_kernel)
		inside(s->kernel, s->nr_kernel * sizeof(*s->kernel));
	if (s->nr_walked)
		inside(s->walked, s->nr_walked * sizeof(*s->walked));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);
	const uint32_t n = (uint32_t)size;
	struct raw_event ev;

	must(copy);
	memcpy(copy, data, size);
	if (size >= sizeof(n))
		memcpy(copy, &n, sizeof(n));
	low = copy;
	high = copy + size;
	if (decode_record(copy, size, &ev) == 1)
		check_sample(&ev.sample);
	free(copy);
	return 0;
}
