/* SPDX-License-Identifier: BSD-2-Clause */
/* golden.c - see golden.h. */
#include "config.h"

#include "tests/unit/golden.h"

#include "base/cleanup.h"
#include "tests/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCREEN_MAX (1u << 20)

static char *read_all(const char *path)
{
	AUTO_FILE FILE *f = fopen(path, "r");
	char *text = calloc(1, SCREEN_MAX);

	assert_non_null(text);
	if (f)
		text[fread(text, 1, SCREEN_MAX - 1, f)] = '\0';
	return text;
}

void golden_screen(const struct canvas *cv, const char *name)
{
	AUTO_FREE char *got = canvas_dump(cv), *want = NULL;
	const char *top = getenv("top_srcdir");
	char path[4096];

	assert_non_null(got);
	snprintf(path, sizeof(path), "%s/tests/golden/%s.txt", top ? top : ".", name);
	if (getenv("SBERF_GOLDEN")) {
		AUTO_FILE FILE *f = fopen(path, "w");

		assert_non_null(f);
		fputs(got, f);
		return;
	}
	want = read_all(path);
	if (strcmp(want, got))
		fail_msg("%s is not what is on screen:\n%s", path, got);
}

bool screen_has(const struct canvas *cv, const char *text)
{
	AUTO_FREE char *screen = canvas_dump(cv);

	return strstr(screen, text);
}

void assert_screen_has(const struct canvas *cv, const char *text)
{
	if (!screen_has(cv, text)) {
		AUTO_FREE char *screen = canvas_dump(cv);

		print_message("%s\n", screen);
		fail_msg("\"%s\" is not on screen", text);
	}
}
