/* SPDX-License-Identifier: BSD-2-Clause */
/* fuzz_tracepoint.c - any text as the format of a tracepoint: fields lie in a record, and have names and types. */
#include "config.h"

#include "probe/tracepoint.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tracepoint t;
	struct err e = ERR_INIT;

	if (tracepoint_parse((const char *)data, size, &t, &e) < 0) {
		must(e.code && *e.text);
		return 0;
	}
	must(*t.name && t.field.n <= TRACEPOINT_FIELDS_MAX);
	for (size_t i = 0; i < t.field.n; i++) {
		const struct tracepoint_field *f = &t.field.v[i];

		must(*f->name && strlen(f->name) < TRACEPOINT_NAME_MAX && strlen(f->type) < TRACEPOINT_TYPE_MAX);
		must(f->size && f->offset + f->size <= TRACEPOINT_RECORD_MAX && f->form <= TRACEPOINT_OTHER);
		must(tracepoint_field_find(&t, f->name));
	}
	tracepoint_free(&t);
	return 0;
}
