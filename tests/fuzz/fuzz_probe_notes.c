/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_probe_notes.c - no text may make the reader of what is known of probes crash or exceed its bounds,
 * and what it takes it writes in a form that reads the same again.
 */
#include "config.h"

#include "model/probenotes.h"

#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void check(const struct probe_notes *s)
{
	must(s->probe.n <= PROBES_MAX);
	for (size_t i = 0; i < s->probe.n; i++) {
		const struct probe_note *n = &s->probe.v[i];
		const size_t len = strnlen(n->why, sizeof(n->why));

		must(probes_measure(n->probe) && probe_notes_of(s, n->probe) == n);
		must(!i || n->probe > n[-1].probe);
		must(len < sizeof(n->why) && text_is_clean(n->why, len));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(probe_notes_unref) struct probe_notes *s = NULL;
	AUTO(probe_notes_unref) struct probe_notes *again = NULL;
	AUTO_FREE char *text = NULL, *second = NULL;
	struct err e = ERR_INIT;
	size_t len, second_len;
	const int r = probe_notes_parse((const char *)data, size, &s, &e);

	must((r == 0) == (e.code == 0) && (r == 0) == (s != NULL) && (r == 0 || r == -EBADMSG || r == -ENOMEM));
	if (r)
		return 0;
	check(s);
	text = probe_notes_write(s, &len);
	must(text && !probe_notes_parse(text, len, &again, NULL));
	second = probe_notes_write(again, &second_len);
	must(second && second_len == len && !memcmp(text, second, len));
	return 0;
}
