/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_trace.c - whatever a hit has for arguments and strings, its line is one line of printable
 * text, and in JSON one object on one line.
 *
 * A byte says which call, 12 words are the arguments, a byte the length of the first string; what is
 * left is the second one.
 */
#include "config.h"

#include "base/text.h"
#include "trace/callargs.h"
#include "trace/hitline.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static bool fuzzed_name(void *ctx, const struct hit *h, int fd, const struct hit_file *file,
			char dst[CALLTEXT_FILE_MAX])
{
	text_format(dst, CALLTEXT_FILE_MAX, "%s", h->comm);
	return fd & 1;
}

/* What WRITE makes of L is one line, of clean text. */
static void must_be_a_line(const struct hitline *l, bool json)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	must(f);
	if (json)
		must(hitline_json(f, l));
	else
		hitline_text(f, l);
	must(!fclose(f) && len && text[len - 1] == '\n' && text_is_clean(text, len - 1));
	if (json) {
		json_t *o = json_loads(text, 0, NULL);

		must(json_is_object(o));
		json_decref(o);
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct calltext_files files = { .name = fuzzed_name };
	uint64_t arg[RAW_ARGS_MAX] = { 0 };
	struct raw_event ev = { .kind = RAW_EVENT, .time_ns = 5000 };
	struct hitline l = { .files = &files };
	const char *rest = (const char *)data + 2 + sizeof(arg);
	struct hit *h;
	size_t left, first;

	if (size < 2 + sizeof(arg))
		return 0;
	left = size - 2 - sizeof(arg) < 600 ? size - 2 - sizeof(arg) : 600;
	first = data[1] < left ? data[1] : left;
	memcpy(arg, data + 2, sizeof(arg));
	memcpy(ev.sample.comm, rest, left < 16 ? left : 16);
	ev.hit = (struct raw_hit){ .probe = RAW_PROBE_PLACED, .nr_args = RAW_ARGS_MAX, .nr_texts = 2, .value = 7,
				   .count = 1, .begun_ns = data[1] & 1, .arg = arg,
				   .text = { { 0, (uint16_t)first, data[1] & 1, rest },
					     { 1, (uint16_t)(left - first), data[1] & 2, rest + first } } };
	l.call = callargs_get(data[0]);
	l.is_call = !(data[1] & 4);
	h = hit_new(&ev, l.is_call, ID_NONE);
	must(h);
	l.hit = h;
	l.real_ns = arg[0];
	l.registers = true;
	l.name = l.call ? l.call->name : h->comm;
	must_be_a_line(&l, false);
	must_be_a_line(&l, true);
	hit_free(h);
	return 0;
}
