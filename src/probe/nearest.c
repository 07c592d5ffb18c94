/* SPDX-License-Identifier: BSD-2-Clause */
/* nearest.c - see nearest.h. */
#include "config.h"

#include "probe/nearest.h"

#include <string.h>

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* How many letters have to be added, left out, changed or swapped to make B of A; both at most NEAREST_MAX long. */
static unsigned int letters_apart(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned int d[3][NEAREST_MAX + 1]; /* the last rows of the matrix of all prefixes */

	for (size_t i = 0; i <= na; i++) {
		unsigned int *row = d[i % 3], *above = d[(i + 2) % 3], *before = d[(i + 1) % 3];

		for (size_t j = 0; j <= nb; j++) {
			if (!i || !j) {
				row[j] = (unsigned int)(i + j);
				continue;
			}
			row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return d[na % 3][nb];
}

struct nearest nearest_begin(const char *word, size_t len)
{
	return (struct nearest){ .word = word, .len = len, .apart = (unsigned int)(len + 2) / 3 + 1 };
}

bool nearest_offer(struct nearest *n, const char *name)
{
	const size_t len = strnlen(name, NEAREST_MAX + 1);
	const size_t difference = len > n->len ? len - n->len : n->len - len;
	unsigned int apart;

	if (!n->len || n->len > NEAREST_MAX || len > NEAREST_MAX || difference >= n->apart)
		return false;
	apart = letters_apart(n->word, n->len, name, len);
	if (apart >= n->apart)
		return false;
	n->apart = apart;
	memcpy(n->best, name, len + 1);
	return true;
}
