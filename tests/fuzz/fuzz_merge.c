/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_merge.c - whatever two recordings hold, `sberf merge` ends with a sound one that has the
 * events of both, or with a sentence.
 *
 * Input: two bytes say how long the first one is, a third one which of them get checksums that fit,
 * and whether there is a second.
 */
#include "config.h"

#include "cmd/options.h"
#include "record/check_stats.h"
#include "record/reader.h"
#include "tests/fuzz/seal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define INPUTS 2

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void ignore_event(void *ctx, const struct event *ev)
{
}

/* How many events can be read, or a negative errno. *RET_SOUND: nothing is damaged or missing. */
static int64_t count(const uint8_t *p, size_t n, bool *ret_sound)
{
	AUTO(profile_free) struct profile *profile = profile_new(NULL);
	AUTO(names_free) struct names *names = names_new();
	struct cursor in = { p, p + n };
	struct check_stats survey = { 0 };
	struct load_report report;
	struct profile_meta meta;
	const struct load_target t = {
		.profile = profile, .names = names, .meta = &meta, .report = &report,
		.options = { .each = ignore_event, .only_each = true, .survey = &survey },
	};
	int r;

	must(profile && names);
	r = recording_read("fuzz.data", seal_read, &in, &t, NULL);
	*ret_sound = !r && meta.complete && !survey.damages && !survey.lost_events && !survey.type[0].blocks &&
		!survey.kind[0];
	check_stats_free(&survey);
	return r < 0 ? r : (int64_t)report.events;
}

/* A file of N bytes at P, and its path. */
static int make_file(const uint8_t *p, size_t n, char *path, size_t size)
{
	const int fd = memfd_create("recording", MFD_CLOEXEC);

	must(fd >= 0 && write(fd, p, n) == (ssize_t)n);
	snprintf(path, size, "/proc/self/fd/%d", fd);
	return fd;
}

/* What merge says is for people, and on a terminal it would not write. */
static void be_quiet(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	must(freopen("/dev/null", "we", stdout));
	stderr = fopen("/dev/null", "we");
	must(stderr);
}

static int merge(const struct options *o, char **ret, size_t *ret_n)
{
	FILE *before = stdout;
	struct err e = ERR_INIT;
	int r;

	stdout = open_memstream(ret, ret_n);
	must(stdout);
	r = merge_recordings(o, &e);
	must(!fclose(stdout));
	stdout = before;
	must(r <= 0 && (r == 0) == (e.code == 0) && (!r || e.text[0]));
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct options o = { .command_name = "merge", .cmdline = (char[]){ "sberf merge" }, .output = "-" };
	size_t len[INPUTS], n = 0, merged = 0;
	char path[INPUTS][32], *out = NULL;
	int64_t events = 0, each[INPUTS];
	const char *name[INPUTS];
	uint8_t *copy;
	int fd[INPUTS];
	bool sound;

	if (size < 3)
		return 0;
	be_quiet();
	copy = malloc(size);
	must(copy);
	memcpy(copy, data + 3, size - 3);
	len[0] = get_le(data, 2);
	if (len[0] > size - 3 || data[2] & 4)
		len[0] = size - 3;
	len[1] = size - 3 - len[0];
	for (int i = 0; i < (data[2] & 4 ? 1 : INPUTS); i++) {
		uint8_t *p = copy + (i ? len[0] : 0);

		if (data[2] >> i & 1)
			seal_recording(p, len[i]);
		fd[i] = make_file(p, len[i], path[i], sizeof(path[i]));
		each[i] = count(p, len[i], &sound);
		name[n++] = path[i];
	}
	o.files.v = name;
	o.files.n = n;
	if (!merge(&o, &out, &merged)) {
		for (size_t i = 0; i < n; i++) {
			must(each[i] >= 0);
			events += each[i];
		}
		must(count((const uint8_t *)out, merged, &sound) == events && sound);
	}
	for (size_t i = 0; i < n; i++)
		close(fd[i]);
	free(out);
	free(copy);
	return 0;
}
