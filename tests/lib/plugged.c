/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plugged.c - names the place ADDRESS (hexadecimal) of the process PID with a plug-in of libsberf.
 *
 * usage: plugged PID ADDRESS FLAGS [PLUGIN [late]]
 *
 * Prints its name, or why it has none, or what sberf_plugin_add() returns, with its sentence. With late it is added
 * once more afterwards.
 */
#include <sberf/symbolize.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static bool add(struct sberf *s, const char *path, const char *flags)
{
	const int rc = sberf_plugin_add(s, path, (uint32_t)atoi(flags));

	if (rc)
		printf("%d: %s\n", rc, sberf_error(s));
	return !rc;
}

int main(int argc, char **argv)
{
	struct sberf *s;
	struct sberf_frame frame;
	struct sberf_names *names;
	uint64_t address;

	if (argc < 4 || sberf_open(&s, NULL))
		return 1;
	address = strtoull(argv[2], NULL, 16);
	if ((argc < 5 || add(s, argv[4], argv[3])) && sberf_locate(s, atoi(argv[1]), &address, 1, 0, &frame) == 1 &&
	    !sberf_symbolize(s, &frame, 1, SBERF_FUNCTIONS_ONLY, &names)) {
		printf("%s ", names->name->nr_functions ? names->name->functions->name :
		       sberf_why_text(names->name->why));
		sberf_names_free(names);
		if (argc > 5)
			add(s, argv[4], argv[3]);
	}
	sberf_close(s);
	return 0;
}
