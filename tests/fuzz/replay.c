/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * replay.c - main() of a fuzz target without libFuzzer: runs the target on the files named on the command line, as
 * libFuzzer does with files, so that a corpus is replayed by any compiler.
 */
#include "config.h"

#include "base/cleanup.h"

#include <stdint.h>

#define INPUT_MAX (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
	AUTO_FILE FILE *f = fopen(path, "re");
	AUTO_FREE uint8_t *all = malloc(INPUT_MAX);
	AUTO_FREE uint8_t *exact = NULL;
	size_t n;

	if (!f || !all) {
		perror(path);
		return 1;
	}
	n = fread(all, 1, INPUT_MAX, f);
	/* A block of exactly N bytes, so that a sanitizer sees a read behind its end. */
	exact = malloc(n ? n : 1);
	if (!exact)
		return 1;
	for (size_t i = 0; i < n; i++)
		exact[i] = all[i];
	return LLVMFuzzerTestOneInput(exact, n);
}

int main(int argc, char **argv)
{
	int rc = 0;

	for (int i = 1; i < argc; i++)
		rc |= replay(argv[i]);
	return rc;
}
