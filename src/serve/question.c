/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "serve/question.h"

#include "base/http.h"
#include "base/parse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define VALUE_MAX 64u            /* bytes of a parameter, */
#define MEASURE_NAME_MAX 512u    /* and of one that can be the name of a probe */

static int question_no(int status, struct err *e, const char *why)
{
	(void)err_set(e, EINVAL, "%s", why);
	return status;
}

static int take_pane(const char *path, struct serve_question *q, struct err *e)
{
	char name[VALUE_MAX];
	const int r = http_parameter(path, "pane", name, sizeof(name));

	if (r == -ENOENT)
		return 0;
	q->pane = r ? NULL : serve_pane_named(name);
	return q->pane ? 0 : question_no(404, e, "there is no such pane");
}

/* "from" and "to" as the two ends of --time. */
static int take_range(const char *path, struct serve_question *q, struct err *e)
{
	char from[VALUE_MAX], to[VALUE_MAX], both[2 * VALUE_MAX + 2];
	const int no_from = http_parameter(path, "from", from, sizeof(from));
	const int no_to = http_parameter(path, "to", to, sizeof(to));

	if (no_from == -EBADMSG || no_to == -EBADMSG)
		return question_no(400, e, "from and to are times such as 10s or 50%25");
	q->ranged = !no_from || !no_to;
	snprintf(both, sizeof(both), "%s,%s", from, to);
	return q->ranged && time_range_parse(both, &q->range, e) ? 400 : 0;
}

/* How much of a list is wanted. */
static int take_rows(const char *path, struct serve_question *q, struct err *e)
{
	char value[VALUE_MAX];
	const int r = http_parameter(path, "rows", value, sizeof(value));

	q->rows = SERVE_ROWS;
	if (r == -ENOENT)
		return 0;
	if (r)
		return question_no(400, e, "rows is a number");
	return parse_u64(value, "number of rows", 1, SERVE_ROWS, &q->rows, e) ? 400 : 0;
}

static int take_count(const char *path, struct serve_question *q, struct err *e)
{
	char name[MEASURE_NAME_MAX];
	const int r = http_parameter(path, "count", name, sizeof(name));

	if (r == -ENOENT)
		return 0;
	q->count = r ? 0 : serve_count_named(name);
	return q->count ? 0 : question_no(404, e, "there is no such measure: see --metric");
}

/* The format of "export.NAME"; its name or one of its extensions is NAME. */
static int take_export(const char *name, size_t len, struct serve_question *q, struct err *e)
{
	/* The name goes into a header, and to a disk. */
	if (len >= sizeof(q->file) - sizeof("sberf.") || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.-") < len)
		return question_no(404, e, "there is no such format");
	snprintf(q->file, sizeof(q->file), "sberf.%.*s", (int)len, name);
	q->exporter = exporter_of_file(EXPORT_BY_REPORT, q->file);
	if (!q->exporter)
		q->exporter = exporter_named(EXPORT_BY_REPORT, q->file + strlen("sberf."));
	return q->exporter ? 0 : question_no(404, e, "there is no such format: see sberf report --help");
}

static int take_pull(const char *path, const char *name, size_t len, struct serve_question *q, struct err *e)
{
	static const char *const names[SERVE_PULLS_NR] = { "profile", "offcpu", "memory" };
	char value[VALUE_MAX];
	int r;

	for (q->pull = 0; q->pull < SERVE_PULLS_NR; q->pull++)
		if (strlen(names[q->pull]) == len && !memcmp(names[q->pull], name, len))
			break;
	if (q->pull == SERVE_PULLS_NR)
		return question_no(404, e, "there are profile, offcpu and memory");
	q->seconds = SERVE_SECONDS_DEFAULT;
	r = http_parameter(path, "seconds", value, sizeof(value));
	if (r == -ENOENT)
		return 0;
	if (r)
		return question_no(400, e, "seconds is a number");
	return parse_u64(value, "number of seconds", 1, SERVE_SECONDS_MAX, &q->seconds, e) ? 400 : 0;
}

/* What stands behind BEFORE in the LEN bytes at PATH; NULL = they do not begin with it. */
static const char *behind(const char *path, size_t len, const char *before)
{
	const size_t n = strlen(before);

	return len >= n && !memcmp(path, before, n) ? path + n : NULL;
}

static int question_take(const char *path, struct serve_question *q, struct err *e)
{
	const size_t len = strcspn(path, "?");
	const char *end = path + len, *rest;
	int status;

	if (len == 1 && *path == '/') {
		q->what = SERVE_PAGE;
		return 0;
	}
	rest = behind(path, len, "/debug/pprof/");
	if (rest) {
		q->what = SERVE_PULL;
		return take_pull(path, rest, (size_t)(end - rest), q, e);
	}
	rest = behind(path, len, "/export.");
	if (rest) {
		q->what = SERVE_EXPORT;
		status = take_export(rest, (size_t)(end - rest), q, e);
		status = status ? status : take_count(path, q, e);
		return status ? status : take_range(path, q, e);
	}
	q->what = len == strlen("/live") && behind(path, len, "/live") ? SERVE_LIVE : SERVE_SNAPSHOT;
	if (q->what == SERVE_SNAPSHOT && (len != strlen("/snapshot") || !behind(path, len, "/snapshot")))
		return question_no(404, e, *path ? "there is nothing here" : "the address ends in a slash");
	status = take_pane(path, q, e);
	status = status ? status : take_rows(path, q, e);
	status = status ? status : take_count(path, q, e);
	return status || q->what == SERVE_LIVE ? status : take_range(path, q, e);
}

int serve_question(const char *path, unsigned int may, struct serve_question *ret, struct err *e)
{
	struct serve_question q = { 0 };
	const int status = question_take(path, &q, e);

	if (status)
		return status;
	if (!(may >> q.what & 1))
		return question_no(404, e, "this is not answered here: ask for /debug/pprof/profile");
	*ret = q;
	return 0;
}
