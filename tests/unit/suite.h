/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * suite.h - many test files in one program (local.mk). The compiler includes this before anything
 * else of a test file: what the file calls main() becomes its suite, known by the name of the file.
 * The program runs the suite that it is called by.
 */
#ifndef SBERF_TESTS_UNIT_SUITE_H
#define SBERF_TESTS_UNIT_SUITE_H

struct suite {
	const char *file;
	int (*run)(void);
	struct suite *next;
};

/* Adds S, before main() begins. It stays the caller's, for as long as the program runs. */
void suite_add(struct suite *s);

/*
 * In "int main(void) {...}" the "int" declares a function that nobody calls or defines, and the
 * braces become suite_run()'s.
 */
#define main(...)                                                                    \
	suite_begins(void);                                                          \
	static int suite_run(void);                                                  \
	static __attribute__((constructor)) void suite_register(void)                \
	{                                                                            \
		static struct suite s = { .file = __FILE__, .run = suite_run };      \
                                                                                     \
		suite_add(&s);                                                       \
	}                                                                            \
	static int suite_run(void)

#endif
