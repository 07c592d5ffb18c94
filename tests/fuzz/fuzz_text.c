/* SPDX-License-Identifier: BSD-2-Clause */
/* fuzz_text.c - whatever goes in, what text_sanitise() lets out is clean, complete and as long as it says. */
#include "config.h"

#include "base/text.h"

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
	const char *s = (const char *)data;
	const size_t room = 3 * size + 4;
	char *clean = malloc(room), *cut = malloc(room);
	size_t n;

	must(clean && cut);
	n = text_sanitise(clean, room, s, size);
	must(n <= 3 * size && !clean[n] && text_is_clean(clean, n));
	must(text_is_clean(s, size) == (n == size && !memcmp(clean, s, n)));
	for (size_t cols = 0; cols < 24; cols++) {
		const size_t used = text_cut_middle(cut, room, clean, n, cols, cols & 1);

		must(used <= cols && text_width(cut, strlen(cut)) == used);
		must(text_is_clean(cut, strlen(cut)));
	}
	for (size_t small = 1; small < 16 && small < room; small++)
		must(text_is_clean(cut, text_sanitise(cut, small, s, size)));
	free(clean);
	free(cut);
	return 0;
}
