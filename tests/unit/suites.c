/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * suites.c - the program of a group of suites. Called by the name of one, tests/unit/test_NAME, it
 * runs that one, and with a pattern as argument only the tests of it that match. Called otherwise
 * it lists the suites that it has.
 */
#include "config.h"

#include "tests/unit/cmocka_all.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Only test files have a suite for a main(). */
#undef main

static struct suite *suites;

void suite_add(struct suite *s)
{
	s->next = suites;
	suites = s;
}

/* Is NAME that of the file of S, but for its ".c"? */
static bool is_called(const struct suite *s, const char *name)
{
	const char *slash = strrchr(s->file, '/'), *base = slash ? slash + 1 : s->file;
	const size_t n = strlen(name);

	return !strncmp(base, name, n) && !strcmp(base + n, ".c");
}

int main(int argc, char **argv)
{
	const char *name = basename(argv[0]);

	for (const struct suite *s = suites; s; s = s->next) {
		if (is_called(s, name)) {
			if (argc > 1)
				cmocka_set_test_filter(argv[1]);
			return s->run();
		}
	}
	for (const struct suite *s = suites; s; s = s->next)
		printf("%s\n", s->file);
	return 1;
}
