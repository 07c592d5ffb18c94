/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wellformed.h - is what a writer wrote whole? Strict and small: it knows what our writers write,
 * and refuses the rest.
 */
#ifndef SBERF_TESTS_FUZZ_WELLFORMED_H
#define SBERF_TESTS_FUZZ_WELLFORMED_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The N bytes at S as XML 1.0 without a DTD: characters that it allows, in UTF-8; elements that are
 * closed in order, one root; attributes in quotes and none twice; no <, and & only before an entity
 * that exists; comments and CDATA sections that end. (W3C XML 1.0, 2.1 to 3.1)
 */
bool xml_wellformed(const char *s, size_t n);

/*
 * As a page of ours: characters as above, and three scripts or none as a browser finds them. A name
 * that could begin one or end one early, or open a comment in one, makes it false.
 */
bool html_own_scripts(const char *s, size_t n);

/* Lines of text that text_sanitise() would leave as they are, but for tabs; the last one ends, too. */
bool lines_clean(const char *s, size_t n);

/* Each line ends in a blank and digits, perhaps with a sign. */
bool lines_end_in_number(const char *s, size_t n);

#endif
