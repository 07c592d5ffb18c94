/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfdata_head.c - writes what surrounds the records of a perf.data file: header, ids, attributes
 * of events, and the table of features behind them.
 */
#include "config.h"

#include "export/perfdata.h"

#include "base/text.h"
#include "model/event.h"
#include "model/perfname.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES 104                   /* struct perf_file_header */
#define ATTR_BYTES PERF_ATTR_SIZE_VER5   /* which every perf since 4.1 knows */
#define SECTION_BYTES 16
#define NAME_ALIGN 64
#define RECORD_BUILD_ID 67               /* enum perf_user_event_type */
#define MISC_BUILD_ID_SIZE (1u << 15)    /* a byte behind the build-id says how long it is */
#define BUILD_ID_ROOM 24
#define HOST_PID 0xffffffffu
#define FEATURE_WORDS 4

/* Features by number, rising: enum in tools/perf/util/header.h. */
enum feature {
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
};

static const uint8_t features[] = {
	FEATURE_BUILD_ID, FEATURE_HOSTNAME, FEATURE_OSRELEASE, FEATURE_VERSION, FEATURE_ARCH, FEATURE_NRCPUS,
		FEATURE_CMDLINE,
	FEATURE_EVENT_DESC,
};

#define NR_FEATURES (sizeof(features) / sizeof(features[0]))

void perf_put(perf_bytes *b, bool *ok, const void *data, size_t n)
{
	*ok = *ok && vec_reserve(b, n);
	if (!*ok || !n)
		return;
	memcpy(b->v + b->n, data, n);
	b->n += n;
}

void perf_put_u32(perf_bytes *b, bool *ok, uint32_t v)
{
	perf_put(b, ok, &v, sizeof(v));
}

void perf_put_u64(perf_bytes *b, bool *ok, uint64_t v)
{
	perf_put(b, ok, &v, sizeof(v));
}

void perf_put_text(perf_bytes *b, bool *ok, const char *text, size_t align)
{
	static const char zeros[NAME_ALIGN];
	const size_t len = strlen(text), room = (len / align + 1) * align;

	perf_put(b, ok, text, len);
	perf_put(b, ok, zeros, room - len);
}

static void perfdata_head_put_section(perf_bytes *b, bool *ok, uint64_t at, uint64_t bytes)
{
	perf_put_u64(b, ok, at);
	perf_put_u64(b, ok, bytes);
}

static void put_attr(perf_bytes *b, bool *ok, const struct perf_event_kind *event)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = ATTR_BYTES,
		.config = event->config,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
		PERF_SAMPLE_CPU |
			       PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
		.read_format = PERF_FORMAT_ID,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
	};

	perf_put(b, ok, &attr, ATTR_BYTES);
}

size_t perf_head_bytes(unsigned int n)
{
	return HEAD_BYTES + n * (sizeof(uint64_t) + ATTR_BYTES + SECTION_BYTES);
}

bool perf_head(perf_bytes *b, const struct perf_event_kind *event, unsigned int n, uint64_t data_bytes)
{
	uint64_t has[FEATURE_WORDS] = { 0 };
	bool ok = true;

	for (size_t i = 0; i < NR_FEATURES; i++)
		has[features[i] / 64] |= 1ull << features[i] % 64;
	perf_put(b, &ok, "PERFILE2", 8);
	perf_put_u64(b, &ok, HEAD_BYTES);
	perf_put_u64(b, &ok, ATTR_BYTES + SECTION_BYTES);
	perfdata_head_put_section(b, &ok, HEAD_BYTES + n * sizeof(uint64_t), n * (ATTR_BYTES + SECTION_BYTES));
	perfdata_head_put_section(b, &ok, perf_head_bytes(n), data_bytes);
	perfdata_head_put_section(b, &ok, 0, 0);
	perf_put(b, &ok, has, sizeof(has));
	for (unsigned int i = 0; i < n; i++)
		perf_put_u64(b, &ok, i + 1);
	for (unsigned int i = 0; i < n; i++) {
		put_attr(b, &ok, &event[i]);
		perfdata_head_put_section(b, &ok, HEAD_BYTES + i * sizeof(uint64_t), sizeof(uint64_t));
	}
	return ok;
}

/* A text with its length before it. */
static void perfdata_head_put_string(perf_bytes *b, bool *ok, const char *text)
{
	char safe[3 * META_TEXT];

	text_sanitise(safe, sizeof(safe), text, strlen(text));
	perf_put_u32(b, ok, (uint32_t)((strlen(safe) / NAME_ALIGN + 1) * NAME_ALIGN));
	perf_put_text(b, ok, safe, NAME_ALIGN);
}

static void put_events(perf_bytes *b, bool *ok, const struct perf_event_kind *event, unsigned int n)
{
	perf_put_u32(b, ok, n);
	perf_put_u32(b, ok, ATTR_BYTES);
	for (unsigned int i = 0; i < n; i++) {
		put_attr(b, ok, &event[i]);
		perf_put_u32(b, ok, 1);
		perfdata_head_put_string(b, ok, perf_name(event[i].kind));
		perf_put_u64(b, ok, i + 1);
	}
}

char *perf_module_name(const struct dict *d, const struct module *m, char *dst, size_t size)
{
	const struct strtab *st = dict_strings(d);
	const char *name = m->kind == MODULE_KERNEL ? "[kernel.kallsyms]" : m->kind == MODULE_VDSO ? "[vdso]" :
			   m->kind == MODULE_ANON ? "//anon" : strtab_get(st, m->path);

	text_sanitise(dst, size, name, strlen(name));
	return dst;
}

static void put_build_id(perf_bytes *b, bool *ok, const struct dict *d, const struct module *m)
{
	uint8_t id[BUILD_ID_ROOM] = { 0 };
	struct perf_event_header h = {
		.type = RECORD_BUILD_ID,
		.misc = (uint16_t)(MISC_BUILD_ID_SIZE |
				   (m->kind == MODULE_KERNEL ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER)),
	};
	char name[4096];

	perf_module_name(d, m, name, sizeof(name));
	memcpy(id, m->build_id, m->build_id_len);
	id[BUILD_ID_MAX] = m->build_id_len;
	h.size = (uint16_t)(sizeof(h) + sizeof(uint32_t) + sizeof(id) + (strlen(name) / NAME_ALIGN + 1) * NAME_ALIGN);
	perf_put(b, ok, &h, sizeof(h));
	perf_put_u32(b, ok, HOST_PID);
	perf_put(b, ok, id, sizeof(id));
	perf_put_text(b, ok, name, NAME_ALIGN);
}

static void put_build_ids(perf_bytes *b, bool *ok, const struct dict *d, const uint8_t *used)
{
	for (module_id id = 0; id < dict_modules(d); id++) {
		const struct module *m = dict_get_module(d, id);

		if (used[id] && m->build_id_len && m->build_id_len <= BUILD_ID_MAX)
			put_build_id(b, ok, d, m);
	}
}

static void put_feature(perf_bytes *b, bool *ok, enum feature f, const struct perf_event_kind *event, unsigned int n,
			const struct profile_meta *m, const struct dict *d, const uint8_t *used)
{
	switch (f) {
	case FEATURE_BUILD_ID:
		put_build_ids(b, ok, d, used);
		break;
	case FEATURE_HOSTNAME:
		perfdata_head_put_string(b, ok, m->host);
		break;
	case FEATURE_OSRELEASE:
		perfdata_head_put_string(b, ok, m->kernel);
		break;
	case FEATURE_VERSION:
		perfdata_head_put_string(b, ok, m->version);
		break;
	case FEATURE_ARCH:
		perfdata_head_put_string(b, ok, m->arch);
		break;
	case FEATURE_NRCPUS:
		perf_put_u32(b, ok, m->cpus);
		perf_put_u32(b, ok, m->cpus);
		break;
	case FEATURE_CMDLINE:
		perf_put_u32(b, ok, 1);
		perfdata_head_put_string(b, ok, m->cmdline);
		break;
	case FEATURE_EVENT_DESC:
		put_events(b, ok, event, n);
		break;
	}
}

bool perf_tail(perf_bytes *b, const struct perf_event_kind *event, unsigned int n, uint64_t end,
	       const struct profile_meta *m, const struct dict *d, const uint8_t *used)
{
	perf_bytes what = { 0 };
	bool ok = true;

	end += NR_FEATURES * SECTION_BYTES;
	for (size_t i = 0; i < NR_FEATURES; i++) {
		const size_t before = what.n;

		put_feature(&what, &ok, features[i], event, n, m, d, used);
		perfdata_head_put_section(b, &ok, end + before, what.n - before);
	}
	if (ok)
		perf_put(b, &ok, what.v, what.n);
	vec_free(&what);
	return ok;
}
