/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * save.c - writes what a pane shows to a file, in the format that the user chose. saver.c calls it
 * from its thread.
 */
#include "config.h"

#include "ui/saver.h"

#include "base/numbered.h"
#include "base/text.h"
#include "base/units.h"
#include "export/exporter.h"
#include "export/outfile.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int save_write_file(FILE *out, const struct save_job *job, const struct names *names, struct err *e)
{
	struct export_view v = {
		.snapshot = job->snapshot, .names = names, .meta = &job->meta, .query = job->query, .group_given = true,
		.title = job->title[0] ? job->title : NULL,
	};

	/* What is not said is all time here; some formats would count only a part of it. */
	if (job->exporter->subject == EXPORT_COUNTED && !v.query.measures && job->meta.off_cpu)
		v.query.measures = query_only_waits(&v.query) ? MEASURES_OFF_CPU : MEASURES_WALL;
	return exporter_write(out, job->exporter, &v, e);
}

int save_now(const struct save_job *job, const struct names *names, char *text, size_t size, struct err *e)
{
	const struct exporter *x = job->exporter;
	char name[64], suffix[32], bytes[UNITS_MAX] = "";
	struct outfile out;
	struct stat st;
	int r;

	snprintf(suffix, sizeof(suffix), ".%.*s", (int)strcspn(x->extensions, ","), x->extensions);
	r = numbered_name(name, sizeof(name), "sberf-", suffix, e);
	if (r < 0)
		return r;
	r = outfile_open(&out, name, NULL, e);
	/* Like every recording, it is for whoever made it. */
	if (r >= 0 && x->subject == EXPORT_RECORDING)
		(void)fchmod(fileno(out.file), 0600);
	if (r >= 0)
		r = outfile_close(&out, save_write_file(out.file, job, names, e), e);
	if (r < 0)
		return err_set(e, -r, "cannot save %s: %s; %s", name, strerror(-r), numbered_remedy(-r));
	if (!stat(name, &st))
		units_bytes(bytes, (uint64_t)st.st_size);
	text_format(text, size, "saved as %s (%s): %s", name, bytes, x->save.use);
	return 0;
}
