/* SPDX-License-Identifier: BSD-2-Clause */
/* switches.c - /proc/stat has a line for each CPU, and all interrupts in one, before that of switches. */
#include "config.h"

#include "system/switches.h"

#include "base/cleanup.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

uint64_t system_switches(void)
{
	AUTO_FILE FILE *f = fopen("/proc/stat", "re");
	AUTO_FREE char *line = NULL;
	uint64_t n = 0;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0)
		if (sscanf(line, "ctxt %" SCNu64, &n) == 1)
			break;
	return n;
}
