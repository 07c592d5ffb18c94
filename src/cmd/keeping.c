/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "cmd/keeping.h"

#include "cmd/open_recording.h"
#include "session/recording_text.h"
#include "session/when.h"

#include <inttypes.h>
#include <stdio.h>

void keeping_config(const struct options *o, struct recorder_config *ret)
{
	ret->path = o->output ? o->output : RECORDING_USUAL;
	ret->keep_ns = o->keep_ns;
	ret->keep_bytes = o->max_bytes ? o->max_bytes : KEEP_BYTES;
	ret->max_bytes = o->keep_ns ? 0 : o->max_bytes;
	ret->max_files = o->max_files;
}

void keeping_say(struct engine *en, const char *command)
{
	char text[RECORDING_TEXT_MAX];
	struct recorder_saved saved;

	if (engine_saved(en, &saved))
		fprintf(stderr, "sberf %s: %s\n", command,
			recording_text(&saved, "recording goes on", text, sizeof(text)));
}

void keeping_say_end(const struct launch *s, const char *command)
{
	struct when_figures f;

	if (!s->when)
		return;
	when_figures(s->when, &f);
	fprintf(stderr, "sberf %s: conditions were met %" PRIu64 " times: %" PRIu64 " files written, %" PRIu64
		" times within the pause after one, %" PRIu64 " after the last of --max-files\n", command,
		f.files + f.paused + f.over, f.files, f.paused, f.over);
}
