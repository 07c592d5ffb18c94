/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfdata.h - the frame of a perf.data file: the parts before and behind its records. Private to
 * perfdata.c and perfdata_head.c.
 *
 * It is the file mode of the format, in native byte order: a header, the ids of events, their
 * attributes, records, then a table of features and their content. Source:
 * tools/perf/Documentation/perf.data-file-format.txt and tools/perf/util/header.c of Linux.
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

/* Append to B; these set *OK to false when memory runs out, and then do nothing more. */
void perf_put(perf_bytes *b, bool *ok, const void *data, size_t n);
void perf_put_u32(perf_bytes *b, bool *ok, uint32_t v);
void perf_put_u64(perf_bytes *b, bool *ok, uint64_t v);
/* Appends TEXT, its NUL, and zeros up to the next multiple of ALIGN. */
void perf_put_text(perf_bytes *b, bool *ok, const char *text, size_t align);

/* Appends everything before the records, which take DATA_BYTES. False when out of memory. */
bool perf_head(perf_bytes *b, const struct perf_event_kind *event, unsigned int n, uint64_t data_bytes);

/*
 * Appends everything behind the records, which end at byte END of the file: machine, command,
 * events, and the build-ids of the modules of D for which USED, by module id, is not 0. False when
 * out of memory.
 */
bool perf_tail(perf_bytes *b, const struct perf_event_kind *event, unsigned int n, uint64_t end,
	       const struct profile_meta *m, const struct dict *d, const uint8_t *used);

/* Size of what perf_head() writes for N events, in bytes. */
size_t perf_head_bytes(unsigned int n);

/*
 * Writes the name by which perf knows M, sanitised, to DST; for the kernel that of its symbols.
 * Returns DST.
 */
char *perf_module_name(const struct dict *d, const struct module *m, char *dst, size_t size);

#endif
