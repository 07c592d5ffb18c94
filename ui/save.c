/* SPDX-License-Identifier: BSD-2-Clause */
/* save.c - what is shown, as a file. */
#include "config.h"

#include "ui/saver.h"

#include "base/numbered.h"
#include "base/text.h"
#include "base/units.h"
#include "export/formats.h"
#include "export/outfile.h"
#include "export/recording_out.h"
#include "record/recording.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
	const char *suffix;
	enum format format;      /* FORMAT_NONE: a recording */
	const char *what;
} kinds[SAVE_NR] = {
	[SAVE_SVG] = { ".svg", FORMAT_SVG, "a flame graph, to be opened in a web browser" },
	[SAVE_HTML] = { ".html", FORMAT_HTML, "a flame graph and a table, to be opened in a web browser" },
	[SAVE_PPROF] = { ".pb.gz", FORMAT_PPROF, "for go tool pprof and many others" },
	[SAVE_FOLDED] = { ".folded", FORMAT_FOLDED, "a line for each stack, its weight in microseconds" },
	[SAVE_RECORDING] = { RECORDING_SUFFIX, FORMAT_NONE, "for sberf report" },
};

static int save_write_file(FILE *out, const struct save_job *job, const struct names *names, struct err *e)
{
	struct export_view v = {
		.snapshot = job->snapshot, .names = names, .meta = &job->meta, .query = job->query, .group_given = true,
		.title = job->title[0] ? job->title : NULL,
	};

	if (kinds[job->as].format == FORMAT_NONE)
		return export_recording(out, &v, e);
	/* What is not said is all time here; some formats would count only a part of it. */
	if (!v.query.measures && job->meta.off_cpu)
		v.query.measures = query_only_waits(&v.query) ? MEASURES_OFF_CPU : MEASURES_WALL;
	return format_write(out, kinds[job->as].format, &v, e);
}

int save_now(const struct save_job *job, const struct names *names, char *text, size_t size, struct err *e)
{
	char name[64], bytes[UNITS_MAX] = "";
	struct outfile out;
	struct stat st;
	int r = numbered_name(name, sizeof(name), "sberf-", kinds[job->as].suffix, e);

	if (r < 0)
		return r;
	r = outfile_open(&out, name, NULL, e);
	/* Like every recording, it is for whoever made it. */
	if (r >= 0 && job->as == SAVE_RECORDING)
		(void)fchmod(fileno(out.file), 0600);
	if (r >= 0)
		r = outfile_close(&out, save_write_file(out.file, job, names, e), e);
	if (r < 0)
		return err_set(e, -r, "cannot save %s: %s; %s", name, strerror(-r), numbered_remedy(-r));
	if (!stat(name, &st))
		units_bytes(bytes, (uint64_t)st.st_size);
	text_format(text, size, "saved as %s (%s): %s", name, bytes, kinds[job->as].what);
	return 0;
}
