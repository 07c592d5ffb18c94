/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_perf_record.c - whatever the bytes, text in a side-band record ends inside it. The header's
 * size is made to agree.
 */
#include "config.h"

#include "capture/perf_record.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void check(const struct perf_record *rec, const uint8_t *low, const uint8_t *high)
{
	const char *text = rec->ev.kind == RAW_MMAP ? rec->ev.mmap.path : rec->ev.kind == RAW_COMM ?
		rec->ev.comm.comm : NULL;

	if (rec->ev.kind == RAW_MMAP)
		must(rec->ev.mmap.build_id_len <= BUILD_ID_MAX);
	if (text)
		must((const uint8_t *)text >= low && (const uint8_t *)text + strlen(text) < high);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);
	struct perf_record rec;

	must(copy);
	memcpy(copy, data, size);
	if (size >= sizeof(struct perf_event_header))
		((struct perf_event_header *)copy)->size = (uint16_t)size;
	if (!perf_record_read(copy, size, &rec) && rec.what == PERF_REC_EVENT)
		check(&rec, copy, copy + size);
	free(copy);
	return 0;
}
