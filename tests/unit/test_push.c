/* SPDX-License-Identifier: BSD-2-Clause */
/* test_push.c - addresses of stores, labels, and headers; what is sent, real stores' requests: tests/live/push.sh. */
#include "config.h"

#include "base/clock.h"

#include "push/pushbody.h"
#include "push/pusher.h"
#include "push/pushurl.h"
#include "push/otlp.h"
#include "push/retryafter.h"

#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void addresses(void **state)
{
	static const struct {
		const char *text, *host, *port, *target;
	} cases[] = {
		{ "pyroscope+http://host", "host", "4040", "/push.v1.PusherService/Push" },
		{ "pyroscope+http://host/", "host", "4040", "/push.v1.PusherService/Push" },
		{ "pyroscope+http://10.0.0.1:80/a/b", "10.0.0.1", "80", "/a/b/push.v1.PusherService/Push" },
		{ "parca+http://[::1]", "::1", "7070", "/api/profiles/writeraw" },
		{ "otlp+https://host/x", "host", "443", "/x/v1development/profiles" },
		{ "pyroscope+https://host:8443", "host", "8443", "/push.v1.PusherService/Push" },
		{ "otlp+http://host", "host", "4318", "/v1development/profiles" },
		{ "otlp+http://host/x", "host", "4318", "/x/v1development/profiles" },
		{ "otlp+http://host:80/api/org/v1/profiles/", "host", "80", "/api/org/v1/profiles" },
		{ "parca+http://[fe80::1]:7071/x/", "fe80::1", "7071", "/x/api/profiles/writeraw" },
	};
	struct err e = ERR_INIT;
	struct push_url u;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(push_url_parse(cases[i].text, &u, &e), 0);
		assert_string_equal(u.host, cases[i].host);
		assert_string_equal(u.port, cases[i].port);
		assert_string_equal(u.target, cases[i].target);
	}
}

static void no_addresses(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "", "must begin with pyroscope+http://" },
		{ "http://host", "must begin with pyroscope+http://" },
		{ "pyroscope+ftp://host", "must begin with" },
		{ "pyroscope+https://", "write it as pyroscope+https://HOST" },
		{ "pyroscope+http://", "is no address" },
		{ "pyroscope+http://:4040", "is no address" },
		{ "pyroscope+http://host:", "is no address" },
		{ "pyroscope+http://host:port", "is no address" },
		{ "pyroscope+http://host:123456789", "is no address" },
		{ "pyroscope+http://user@host", "is no address" },
		{ "parca+http://[::1", "is no address" },
		{ "parca+http://[::1]x", "is no address" },
		{ "parca+http://host/a b", "is no address" },
		{ "parca+http://host/a\r\nX: y", "is no address" },
		{ "parca+http://host/?a=b", "is no address" },
	};
	char text[800] = "parca+http://";
	struct push_url u;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct err e = ERR_INIT;

		assert_int_equal(push_url_parse(cases[i].text, &u, &e), -EINVAL);
		if (!strstr(e.text, cases[i].says))
			fail_msg("'%s' does not say '%s'", e.text, cases[i].says);
	}
	for (size_t len = 250; len < 780; len += 17) {
		struct err e = ERR_INIT;

		memset(text + 13, 'a', len - 13);
		text[len] = '\0';
		(void)push_url_parse(text, &u, &e);
		text[100] = '/';
		(void)push_url_parse(text, &u, &e);
	}
}

static void labels(void **state)
{
	static const char *const none[] = { "", "a", "=b", "1a=b", "a-b=c", "a b=c", "__name__=x", "\xc3\xa4=x" };
	struct push_labels l = { 0 };
	struct err e = ERR_INIT;
	char text[PUSH_LABEL_MAX + 8];

	(void)state;
	assert_int_equal(push_labels_add(&l, "region=eu", &e), 0);
	assert_int_equal(push_labels_add(&l, "empty=", &e), 0);
	assert_int_equal(push_labels_add(&l, "region=us=1\033[2J", &e), 0);
	assert_int_equal(l.n, 2);
	assert_string_equal(push_labels_get(&l, "region"), "us=1\xEF\xBF\xBD[2J");
	assert_string_equal(push_labels_get(&l, "empty"), "");
	assert_null(push_labels_get(&l, "other"));
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		assert_int_equal(push_labels_add(&l, none[i], &e), -EINVAL);
	memset(text, 'x', sizeof(text));
	memcpy(text, "a=", 2);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(push_labels_add(&l, text, &e), -EINVAL);
	for (unsigned int i = 2; i < PUSH_LABELS_MAX; i++) {
		snprintf(text, sizeof(text), "l%u=v", i);
		assert_int_equal(push_labels_add(&l, text, &e), 0);
	}
	assert_int_equal(push_labels_add(&l, "more=v", &e), -EINVAL);
	assert_int_equal(push_labels_add(&l, "region=again", &e), 0);
}

/* RFC 4648, section 10. */
static void bodies(void **state)
{
	static const char *const texts[][2] = {
		{ "f", "\"Zg==\"" }, { "fo", "\"Zm8=\"" }, { "foo", "\"Zm9v\"" }, { "foobar", "\"Zm9vYmFy\"" },
	};
	const struct push_labels l = { .n = 1, .v = { { "a", "b\"" } } };
	struct err e = ERR_INIT;
	char *body;
	size_t len;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const struct push_profile p = { "process_cpu", texts[i][0], strlen(texts[i][0]) };

		assert_int_equal(push_body(PUSH_PYROSCOPE, &l, &p, 1, &body, &len, &e), 0);
		assert_int_equal(len, strlen(body));
		assert_non_null(strstr(body, texts[i][1]));
		assert_non_null(strstr(body, "{\"name\":\"a\",\"value\":\"b\\\"\"}"));
		free(body);
	}
}

static void headers(void **state)
{
	static const char *const none[] = { "x", ": y", "a b: c", "a: b\001c", "a\xc3: b" };
	char path[] = "/tmp/sberf-test-headers.XXXXXX", *text = NULL;
	const int fd = mkstemp(path);
	struct err e = ERR_INIT;

	(void)state;
	assert_true(fd >= 0);
	assert_true(write(fd, "A: b c\r\n\nX-Y:z\n", 15) == 15);
	assert_int_equal(push_headers_read(path, &text, &e), 0);
	assert_string_equal(text, "A: b c\r\nX-Y:z\r\n");
	free(text);
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_true(pwrite(fd, none[i], strlen(none[i]), 0) > 0);
		assert_int_equal(push_headers_read(path, &text, &e), -EINVAL);
		assert_non_null(strstr(e.text, "is no header"));
	}
	assert_int_equal(fchmod(fd, 0644), 0);
	assert_int_equal(push_headers_read(path, &text, &e), -EPERM);
	close(fd);
	unlink(path);
	assert_int_equal(push_headers_read(path, &text, &e), -ENOENT);
}

/* 1994-11-06 08:49:37 is 784111777. */
static void again(void **state)
{
	static const struct {
		const char *text;
		int64_t seconds;         /* -1: it says nothing */
	} cases[] = {
		{ "0", 0 }, { "17", 17 }, { "99999", 3600 }, { NULL, -1 }, { "", -1 }, { "-1", -1 }, { "1.5", -1 },
		{ "Sun, 06 Nov 1994 08:49:37 GMT", 37 }, { "Sun, 06 Nov 1994 08:48:59 GMT", 0 },
		{ "Mon, 07 Nov 1994 08:49:00 GMT", 3600 }, { "Sun, 06 Nov 1994 08:49:37", -1 },
		{ "Sun, 06 Nov 1994 08:49:37 GMT+1", -1 }, { "Sun, 06 Foo 1994 08:49:37 GMT", -1 },
		{ "Sun, 06 anF 1994 08:49:37 GMT", -1 }, { "Sun, 66 Nov 1994 08:49:37 GMT", -1 },
		{ "Sun, 06 Nov 1994 24:49:37 GMT", -1 }, { "Sunday, 06-Nov-94 08:49:37 GMT", -1 },
		{ "Sun, 06 Nov 1934 08:49:37 GMT", -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t ns = 12345;
		const bool says = retry_after(cases[i].text, 784111740 * NSEC_PER_SEC + 5, &ns);

		assert_int_equal(says, cases[i].seconds >= 0);
		assert_int_equal(ns, says ? (uint64_t)cases[i].seconds * NSEC_PER_SEC : 12345);
	}
}

/* What a pprof is not. What it is: tests/live/push.sh. */
static void no_pprof(void **state)
{
	static const char *const texts[] = { "", "abc", "\x1f\x8b\x08", "\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b\x04\0" };
	const struct push_labels l = { .n = 0 };
	struct err e = ERR_INIT;
	char *body;
	size_t len;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const struct push_profile p = { "process_cpu", texts[i], i == 3 ? 13 : strlen(texts[i]) };

		assert_int_equal(otlp_body(&l, &p, 1, &body, &len, &e), -EINVAL);
		assert_non_null(strstr(e.text, "cannot be read"));
	}
	assert_int_equal(otlp_body(&l, NULL, 0, &body, &len, &e), 0);
	assert_true(len > 18);
	free(body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses),
		cmocka_unit_test(no_addresses),
		cmocka_unit_test(labels),
		cmocka_unit_test(bodies),
		cmocka_unit_test(again),
		cmocka_unit_test(no_pprof),
		cmocka_unit_test(headers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
