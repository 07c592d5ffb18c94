/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf_record.h - decodes the bytes of a perf side-band record into a raw_event. Pure.
 *
 * Records are those of include/uapi/linux/perf_event.h, from events with sample_id_all and the
 * sample type PERF_RECORD_SAMPLE_TYPE: each record ends with the thread, time and CPU that made it.
 */
#ifndef SBERF_CAPTURE_PERF_RECORD_H
#define SBERF_CAPTURE_PERF_RECORD_H

#include "model/raw.h"

#include <linux/perf_event.h>

#define PERF_RECORD_SAMPLE_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

enum perf_record_what {
	PERF_REC_EVENT,          /* ev is filled in */
	PERF_REC_LOST,           /* the kernel dropped `lost` records */
	PERF_REC_THROTTLE,       /* sampling stopped on ev.cpu at ev.time_ns */
	PERF_REC_UNTHROTTLE,     /* and went on */
	PERF_REC_OTHER,          /* not used */
};

struct perf_record {
	enum perf_record_what what;
	uint64_t lost;
	struct raw_event ev;     /* time_ns and cpu are always set, except for PERF_REC_OTHER */
};

/*
 * Decodes the record of LEN bytes at DATA, which must be 8-byte aligned. Strings in *RET point into
 * DATA. Returns 0, or -EBADMSG with *RET unchanged.
 */
int perf_record_read(const void *data, size_t len, struct perf_record *ret);

#endif
