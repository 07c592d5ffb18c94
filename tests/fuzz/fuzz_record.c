/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_record.c - whatever a ring holds, libsberf takes it or says that it is no record: the input is
 * records one after the other, each behind its length (two bytes).
 */
#include "config.h"


#include <sberf/record.h>
#include <sberf/unwind.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PID 4194303

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct sberf_event ev = { .size = sizeof(ev), .kind = SBERF_EVENT_MAP, .pid = PID, .tid = PID,
					.time_ns = 5, .start = 0x10000, .length = 0x10000, .protection = PROT_EXEC,
					.path = "//anon" };
	struct sberf_frame frame[256];
	struct sberf_end end;
	struct sberf *s;

	if (sberf_open(&s, NULL))
		return 0;
	sberf_process_event(s, &ev);
	while (size >= 2) {
		size_t n = data[0] | (size_t)data[1] << 8;
		uint64_t token;

		data += 2;
		size -= 2;
		n = n < size ? n : size;
		if (!sberf_take(s, data, n, &token, NULL) && sberf_stack(s, token, frame, 256, &end) > 256)
			abort();
		data += n;
		size -= n;
	}
	sberf_close(s);
	return 0;
}
