/* SPDX-License-Identifier: BSD-2-Clause */
/* test_serve.c - who is let in, and what paths ask for. */
#include "config.h"

#include "serve/admission.h"
#include "serve/question.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECRET "0123456789abcdef0123456789abcdef"

static const struct serve_policy policy = { .secret = SECRET, .port = 7007 };

/* The status of a request with METHOD, TARGET and HEADERS; 0 = it is let in, *RET_PATH is what is asked. */
static int ask_of(const struct serve_policy *p, const char *method, const char *target, const char *headers,
		  char *ret_path, size_t size)
{
	const char *path = "", *why = "";
	char text[2048];
	struct http_head h;
	int status;

	snprintf(text, sizeof(text), "%s %s HTTP/1.1\r\n%s\r\n", method, target, headers);
	assert_int_equal(http_head_parse(text, strlen(text), false, &h), 0);
	status = serve_admit(p, &h, &path, &why);
	if (status)
		assert_true(*why);
	if (ret_path)
		snprintf(ret_path, size, "%s", path);
	return status;
}

static int admits(const char *method, const char *target, const char *headers)
{
	return ask_of(&policy, method, target, headers, NULL, 0);
}

#define HOST "Host: 127.0.0.1:7007\r\n"

static void matrix(void **state)
{
	static const struct {
		int status;
		const char *method, *target, *headers;
	} rows[] = {
		{ 0, "GET", "/" SECRET "/", HOST },
		{ 0, "HEAD", "/" SECRET "/", HOST },
		{ 0, "GET", "/" SECRET "/live", "Host: localhost:7007\r\n" },
		{ 0, "GET", "/" SECRET "/live", "Host: [::1]:7007\r\n" },
		{ 0, "GET", "/" SECRET "/live", HOST "Sec-Fetch-Site: none\r\n" },
		{ 0, "GET", "/" SECRET "/live", HOST "Sec-Fetch-Site: same-origin\r\n" },
		{ 0, "GET", "/" SECRET "/live", HOST "X-Forwarded-For: 10.0.0.1\r\n" },
		{ 405, "POST", "/" SECRET "/", HOST },
		{ 405, "OPTIONS", "/" SECRET "/", HOST },
		{ 405, "get", "/" SECRET "/", HOST },
		{ 400, "GET", "/" SECRET "/", HOST "Content-Length: 3\r\n" },
		{ 400, "GET", "/" SECRET "/", HOST "Transfer-Encoding: chunked\r\n" },
		{ 400, "GET", "/" SECRET "/", "" },
		{ 400, "GET", "/" SECRET "/", HOST HOST },
		{ 400, "GET", "/" SECRET "/", HOST "host: localhost:7007\r\n" },
		{ 403, "GET", "/" SECRET "/", "Host: 127.0.0.1\r\n" },
		{ 403, "GET", "/" SECRET "/", "Host: 127.0.0.1:7008\r\n" },
		{ 403, "GET", "/" SECRET "/", "Host: 127.0.0.1:70070\r\n" },
		{ 403, "GET", "/" SECRET "/", "Host: 127.0.0.1:7007.evil.example\r\n" },
		{ 403, "GET", "/" SECRET "/", "Host: evil.example:7007\r\n" },
		{ 403, "GET", "/" SECRET "/", "Host: 0.0.0.0:7007\r\n" },
		{ 403, "GET", "/" SECRET "/", "Host: localhost.:7007\r\n" },
		{ 403, "GET", "/" SECRET "/", HOST "Sec-Fetch-Site: cross-site\r\n" },
		{ 403, "GET", "/" SECRET "/", HOST "Sec-Fetch-Site: same-site\r\n" },
		{ 403, "GET", "/" SECRET "/", HOST "Sec-Fetch-Site: None\r\n" },
		{ 403, "GET", "/" SECRET "/", HOST "Sec-Fetch-Site: none\r\nSec-Fetch-Site: none\r\n" },
		{ 403, "GET", "/", HOST },
		{ 403, "GET", "/" SECRET "0/", HOST },
		{ 403, "GET", "/0123456789abcdef0123456789abcde/", HOST },
		{ 403, "GET", "/0123456789abcdef0123456789abcdee/", HOST },
		{ 403, "GET", "//" SECRET "/", HOST },
		{ 403, "GET", "/x/../" SECRET "/", HOST },
		{ 403, "GET", "http://127.0.0.1:7007/" SECRET "/", HOST },
		{ 403, "GET", "*", HOST },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (admits(rows[i].method, rows[i].target, rows[i].headers) != rows[i].status)
			fail_msg("%s %s %s", rows[i].method, rows[i].target, rows[i].headers);
}

static void behind_the_secret(void **state)
{
	const struct serve_policy socket = { .secret = SECRET };
	char path[64];

	assert_int_equal(ask_of(&policy, "GET", "/" SECRET "/live?pane=tree", HOST, path, sizeof(path)), 0);
	assert_string_equal(path, "/live?pane=tree");
	assert_int_equal(ask_of(&policy, "GET", "/" SECRET, HOST, path, sizeof(path)), 0);
	assert_string_equal(path, "");
	assert_int_equal(ask_of(&policy, "GET", "/" SECRET "?x", HOST, path, sizeof(path)), 0);
	assert_string_equal(path, "?x");
	/* What a proxy sends is up to it, but for the secret. */
	assert_int_equal(ask_of(&socket, "GET", "/" SECRET "/", "Host: any.example\r\n", path, sizeof(path)), 0);
	assert_int_equal(ask_of(&socket, "GET", "/x/", "Host: any.example\r\n", path, sizeof(path)), 403);
	assert_int_equal(ask_of(&socket, "GET", "/" SECRET "/", "Host: x\r\nSec-Fetch-Site: cross-site\r\n", path,
				sizeof(path)), 403);
}

/* What serve_secret_read() makes of a file with TEXT and MODE. */
static int secret_of(struct serve_policy *p, const char *text, mode_t mode)
{
	char path[] = "/tmp/sberf-prefix.XXXXXX";
	const int fd = mkstemp(path);
	int r;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
	r = serve_secret_read(p, path, NULL);
	unlink(path);
	return r;
}

static void secrets(void **state)
{
	struct serve_policy a = { 0 }, b = { 0 };

	assert_int_equal(serve_secret_draw(&a, NULL), 0);
	assert_int_equal(serve_secret_draw(&b, NULL), 0);
	assert_int_equal(strlen(a.secret), 32);
	assert_string_not_equal(a.secret, b.secret);
	assert_int_equal(secret_of(&a, "/my-own_prefix.1234/\nmore\n", 0600), 0);
	assert_string_equal(a.secret, "my-own_prefix.1234");
	assert_int_equal(secret_of(&a, "0123456789abcdef", 0640), 0);
	assert_string_equal(a.secret, "0123456789abcdef");
	assert_int_equal(secret_of(&a, "0123456789abcdef\n", 0644), -EPERM);
	assert_int_equal(secret_of(&a, "0123456789abcde\n", 0600), -EINVAL);
	assert_int_equal(secret_of(&a, "0123456789/abcdef\n", 0600), -EINVAL);
	assert_int_equal(secret_of(&a, "0123456789 abcdef\n", 0600), -EINVAL);
	assert_int_equal(secret_of(&a, "", 0600), -EINVAL);
	assert_int_equal(serve_secret_read(&a, "/nowhere/at/all", NULL), -ENOENT);
	assert_string_equal(a.secret, "0123456789abcdef");
}

static int question(const char *path, struct serve_question *ret)
{
	struct err e = ERR_INIT;
	const int status = serve_question(path, SERVE_ALL, ret, &e);

	if (status)
		assert_true(e.text[0]);
	return status;
}

static void questions(void **state)
{
	struct serve_question q;

	assert_int_equal(question("/", &q), 0);
	assert_int_equal(q.what, SERVE_PAGE);
	assert_int_equal(question("/live?pane=tree", &q), 0);
	assert_int_equal(q.what, SERVE_LIVE);
	assert_string_equal(q.pane->name, "tree");
	assert_int_equal(q.rows, SERVE_ROWS);
	assert_true(!q.count);
	assert_int_equal(question("/live?pane=waits&rows=200&count=time", &q), 0);
	assert_int_equal(q.rows, 200);
	assert_true(q.count == MEASURES_WALL);
	assert_int_equal(question("/export.svg?count=far", &q), 0);
	assert_true(q.count == MEASURES_FAR);
	assert_int_equal(question("/live", &q), 0);
	assert_null(q.pane);
	assert_int_equal(question("/snapshot?from=1s&to=2500ms&pane=waits", &q), 0);
	assert_int_equal(q.what, SERVE_SNAPSHOT);
	assert_true(q.ranged);
	assert_int_equal(q.range.from.ns, 1000000000);
	assert_int_equal(q.range.to.ns, 2500000000);
	assert_int_equal(question("/snapshot?from=50%25", &q), 0);
	assert_true(q.range.from.percent && q.range.to.percent);
	assert_int_equal(question("/export.svg", &q), 0);
	assert_ptr_equal(q.exporter, &exporter_svg);
	assert_string_equal(q.file, "sberf.svg");
	assert_int_equal(question("/export.pb.gz?from=0s&to=1s", &q), 0);
	assert_ptr_equal(q.exporter, &exporter_pprof);
	assert_int_equal(question("/export.waits", &q), 0);
	assert_ptr_equal(q.exporter, &exporter_waits);
	assert_int_equal(question("/debug/pprof/profile?seconds=5", &q), 0);
	assert_int_equal(q.what, SERVE_PULL);
	assert_int_equal(q.pull, PULL_PROFILE);
	assert_int_equal(q.seconds, 5);
	assert_int_equal(question("/debug/pprof/offcpu", &q), 0);
	assert_int_equal(q.seconds, SERVE_SECONDS_DEFAULT);
	assert_int_equal(q.pull, PULL_OFFCPU);
}

static void no_questions(void **state)
{
	static const struct {
		int status;
		const char *path;
	} rows[] = {
		{ 404, "" }, { 404, "/x" }, { 404, "/livex" }, { 404, "/live/" }, { 404, "/snapshots" },
		{ 404, "/live?pane=x" }, { 404, "/live?pane=tree&pane=tree" }, { 404, "/export." },
		{ 404, "/export.exe" }, { 404, "/export.../../etc/passwd" }, { 404, "/export.recording" },
		{ 404, "/export.x\".svg" }, { 404, "/export.x/y.svg" },
		{ 404, "/debug/pprof/" }, { 404, "/debug/pprof/heap" },
		{ 404, "/export.svgsvgsvgsvgsvgsvgsvgsvgsvgsvgsvgsvgsvgsvgsvgsvgsvgsvg" },
		{ 400, "/snapshot?from=x" }, { 400, "/snapshot?from=2s&to=1s" }, { 400, "/snapshot?from=1s&from=1s" },
		{ 400, "/snapshot?from=%00" }, { 400, "/snapshot?from=%5" }, { 400, "/snapshot?from=%zz" },
		{ 400, "/export.svg?to=-1s" }, { 404, "/live?pane=tree&count=nothing" }, { 404, "/export.svg?count=" },
		{ 400, "/live?pane=waits&rows=0" }, { 400, "/live?pane=waits&rows=2001" }, { 400, "/live?rows=x" },
		{ 400, "/debug/pprof/profile?seconds=0" }, { 400, "/debug/pprof/profile?seconds=61" },
		{ 400, "/debug/pprof/profile?seconds=1x" }, { 400, "/debug/pprof/profile?seconds=1&seconds=1" },
	};
	struct serve_question q;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (question(rows[i].path, &q) != rows[i].status)
			fail_msg("'%s'", rows[i].path);
	/* An agent has no page. */
	assert_int_equal(serve_question("/", SERVE_PULLS, &q, NULL), 404);
	assert_int_equal(serve_question("/export.svg", SERVE_PULLS, &q, NULL), 404);
	assert_int_equal(serve_question("/debug/pprof/memory", SERVE_PULLS, &q, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matrix), cmocka_unit_test(behind_the_secret), cmocka_unit_test(secrets),
		cmocka_unit_test(questions), cmocka_unit_test(no_questions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
