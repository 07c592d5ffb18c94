/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * terms.h - filters as a person writes them: terms that must all hold.
 *
 *	malloc|free            stacks in which a function matches this regular expression (extended, found
 *	                       anywhere in the name)
 *	thread:redis-*,12      threads of this name or tid
 *	process:postgres       processes of this name, or pid: a thread is of it
 *	cgroup:4f1c            cgroups whose path has this somewhere, so that a part of a container's id will do
 *	node:0-1               what the CPUs of these NUMA nodes did
 *	state:D,K              waits in these states, by letter or name; running time is left out
 *	syscall:futex          waits in these system calls; the same
 *	size:4K,1M-            blocks of memory, and changes of it, of these sizes in bytes, by powers of two: 4K is
 *	                       4096 to 8191 bytes, 1M- 1 MB and more, -512 less than 1024; what has no size is left out
 *	!...                   all but that
 *
 * Commas separate what may be either; * and ? are wildcards (base/wildcard.h) in threads, processes
 * and cgroups. A keyword is one only with a single colon, so std::thread::run is a function, and
 * function: comes before what would be taken for something else.
 *
 * Terms are values of bounded size, without pointers: questions are copied and compared with them.
 * Bytes after the text are zero.
 */
#ifndef SBERF_QUERY_TERMS_H
#define SBERF_QUERY_TERMS_H

#include "base/err.h"
#include "base/octave.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TERMS_MAX 16u
#define TERM_TEXT_MAX 256u               /* with the NUL */
#define TERM_WRITTEN_MAX (TERM_TEXT_MAX + 16)    /* of term_text() */

enum term_what {
	TERM_FUNCTION,
	TERM_THREAD,
	TERM_PROCESS,
	TERM_CGROUP,
	TERM_CONTAINER,
	TERM_HOST,
	TERM_NODE,
	TERM_STATE,
	TERM_SYSCALL,
	TERM_SIZE,
	TERM_NR
};

struct filter_term {
	uint8_t what;            /* enum term_what */
	uint8_t not;             /* 1: all but that */
	uint8_t picked;          /* chosen in the list that it narrows; that list goes on showing the others */
	char text[TERM_TEXT_MAX];        /* without keyword; never empty */
};

struct terms {
	uint32_t n;
	struct filter_term v[TERMS_MAX];        /* all zero from n on */
};

/*
 * Parses TEXT, without the blanks around it, as the list above says. ARCH (NULL = this machine's)
 * decides which system calls exist. 0, or -EINVAL with a sentence when it is empty, too long or
 * invalid.
 */
int term_parse(const char *text, const char *arch, struct filter_term *ret, struct err *e);
/*
 * Makes a term of kind WHAT from TEXT, as given on the command line. Error sentences name OPTION
 * ("--focus"), if it is not NULL. As term_parse().
 */
int term_make(enum term_what what, bool not, const char *text, const char *option, const char *arch,
	      struct filter_term *ret, struct err *e);
/* Writes T to DST as term_parse() would read it. Not sanitised. Returns DST. */
char *term_text(const struct filter_term *t, char dst[TERM_WRITTEN_MAX]);
bool term_same(const struct filter_term *a, const struct filter_term *b);

/*
 * A keyword that begins with the LEN bytes at TEXT ("thr" of "!thr"); NULL when there is none.
 * *RET_LEN is the length of what all such keywords have in common; *RET_ONLY says that there is
 * only this one. "function" is not offered.
 */
const char *term_complete(const char *text, size_t len, size_t *ret_len, bool *ret_only);

/* Appends T; an equal one moves to the end instead. False when there are TERMS_MAX. */
bool terms_add(struct terms *ts, const struct filter_term *t);
void terms_remove(struct terms *ts, uint32_t i);
/* Removes all terms of WHAT, only those that were picked when PICKED. */
void terms_drop(struct terms *ts, enum term_what what, bool picked);
bool terms_same(const struct terms *a, const struct terms *b);
/* Whether a term asks only for certain waits, which leaves running time out. */
bool terms_only_waits(const struct terms *ts);

/*
 * Whether TEXT, LEN bytes that end in NUL, matches one of the comma-separated parts of PATTERN ("*"
 * and "?" are wildcards): as a whole, or, with ANYWHERE, in some part of TEXT.
 */
bool term_matches(const char *pattern, const char *text, size_t len, bool anywhere);

/* The bit of sizes of class C (base/octave.h) in what term_sizes() says. */
static inline uint64_t term_size_bit(unsigned int c)
{
	const unsigned int power = octave_power(c < OCTAVE_CLASSES ? c : OCTAVE_CLASSES - 1);

	return 1ull << (power < 63 ? power : 63);
}

/*
 * The sizes that TEXT ("4K,1M-") names, by bits. 0, or -EINVAL with a sentence, which names OPTION, if that is not
 * NULL.
 */
int term_sizes(const char *text, const char *option, uint64_t *ret, struct err *e);

/*
 * Writes a regular expression for exactly the function NAME to DST; false when it is too long for a
 * term.
 */
bool term_exactly(const char *name, char dst[TERM_TEXT_MAX]);
/* Writes a pattern for exactly the thread, process or cgroup NAME to DST; false as above. */
bool term_literally(const char *name, char dst[TERM_TEXT_MAX]);

#endif
