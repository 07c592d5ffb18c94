/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfdata.h - the frame of a perf.data file: what stands before and behind its records. Private to perfdata.c and perfdata_head.c.
 *
 * The file mode of the format, native byte order: a header, the ids of events, their attributes, records, then a table of features
 * and what they say. Facts: tools/perf/Documentation/perf.data-file-format.txt and tools/perf/util/header.c of Linux.
 */
#ifndef SBERF_EXPORT_PERFDATA_H
#define SBERF_EXPORT_PERFDATA_H

#include "base/vec.h"
#include "model/dict.h"
#include "profile/meta.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERF_EVENTS_MAX 4

/* An event that samples are of. Its id is its place plus one. */
struct perf_event_kind {
	uint32_t kind;           /* enum event_kind; its name is perf_name() */
	uint32_t config;         /* PERF_COUNT_SW_*, for readers that do not read names */
};

typedef VEC(uint8_t) perf_bytes;

/* Appends N bytes. False when out of memory, and from then on: *OK is what it was before, or false. */
void perf_put(perf_bytes *b, bool *ok, const void *data, size_t n);
void perf_put_u32(perf_bytes *b, bool *ok, uint32_t v);
void perf_put_u64(perf_bytes *b, bool *ok, uint64_t v);
/* TEXT and zeros: NUL-terminated, up to the next multiple of ALIGN. */
void perf_put_text(perf_bytes *b, bool *ok, const char *text, size_t align);

/* All before the records, which take DATA_BYTES. */
bool perf_head(perf_bytes *b, const struct perf_event_kind *event, unsigned int n, uint64_t data_bytes);

/*
 * All behind the records, which end at byte END of the file: the machine, the command, the events, and the build-ids of the modules of D
 * for which USED, by module id, is not 0.
 */
bool perf_tail(perf_bytes *b, const struct perf_event_kind *event, unsigned int n, uint64_t end, const struct profile_meta *m,
	       const struct dict *d, const uint8_t *used);

/* The bytes that perf_head() makes for N events. */
size_t perf_head_bytes(unsigned int n);

/* The name that perf knows M by, sanitised; for the kernel that of its symbols. Returns DST. */
char *perf_module_name(const struct dict *d, const struct module *m, char *dst, size_t size);

#endif
