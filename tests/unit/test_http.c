/* SPDX-License-Identifier: BSD-2-Clause */
/* test_http.c - heads of HTTP messages, as they should be and as they should not. */
#include "config.h"

#include "base/http.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int parse(const char *text, bool response, struct http_head *h)
{
	static char copy[HTTP_HEAD_MAX];

	snprintf(copy, sizeof(copy), "%s", text);
	return http_head_parse(copy, strlen(copy), response, h);
}

static void requests(void **state)
{
	struct http_head h;
	size_t n = 1;

	assert_int_equal(parse("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length:  12 \r\n\r\n", false, &h), 0);
	assert_string_equal(h.start[0], "POST");
	assert_string_equal(h.start[1], "/a");
	assert_string_equal(http_header(&h, "content-length"), "12");
	assert_null(http_header(&h, "Cookie"));
	assert_int_equal(http_body_length(&h, 12, &n), 0);
	assert_int_equal(n, 12);
	assert_int_equal(http_body_length(&h, 11, &n), -EMSGSIZE);
	assert_int_equal(parse("GET / HTTP/1.0\r\n\r\n", false, &h), 0);
	assert_int_equal(http_body_length(&h, 11, &n), 0);
	assert_int_equal(n, 0);
}

static void responses(void **state)
{
	struct http_head h;

	assert_int_equal(parse("HTTP/1.1 404 Not Found\r\n\r\n", true, &h), 0);
	assert_string_equal(h.start[1], "404");
	assert_string_equal(h.start[2], "Not Found");
	assert_int_equal(parse("HTTP/1.1 200\r\n\r\n", true, &h), 0);
	assert_string_equal(h.start[2], "");
}

static void refused(void **state)
{
	static const char *const bad[] = {
		"", "\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/2\r\n\r\n", "GET  HTTP/1.1\r\n\r\n",
		"G T / HTTP/1.1\r\n\r\n",
		"GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", "GET / HTTP/1.1\r\nA b\r\n\r\n",
		"GET / HTTP/1.1\r\nA : b\r\n\r\n",
		"GET / HTTP/1.1\r\nA: b\001\r\n\r\n", "GET / HTTP/1.1\r\n: b\r\n\r\n", "GET / HTTP/1.1\nA: b\n\r\n\r\n",
	};
	struct http_head h;
	size_t n;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(parse(bad[i], false, &h), -EBADMSG);
	assert_int_equal(parse("GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", false, &h), 0);
	assert_int_equal(http_body_length(&h, 9, &n), -EBADMSG);
	assert_int_equal(parse("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", false, &h), 0);
	assert_int_equal(http_body_length(&h, 9, &n), -EBADMSG);
	assert_int_equal(parse("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", false, &h), 0);
	assert_int_equal(http_body_length(&h, 9, &n), -EBADMSG);
}

static void lengths(void **state)
{
	static char many[HTTP_HEAD_MAX + 10];

	assert_int_equal(http_head_length("GET / HTTP/1.1\r\n\r\nbody", 22), 18);
	assert_int_equal(http_head_length("GET / HTTP/1.1\r\n\r", 17), 0);
	memset(many, 'x', sizeof(many));
	assert_int_equal(http_head_length(many, HTTP_HEAD_MAX - 1), 0);
	assert_int_equal(http_head_length(many, HTTP_HEAD_MAX), -EMSGSIZE);
}

static void parameters(void **state)
{
	char v[8];

	assert_int_equal(http_parameter("/a?from=1s&to=2s", "to", v, sizeof(v)), 0);
	assert_string_equal(v, "2s");
	assert_int_equal(http_parameter("/a?from=5%30%25", "from", v, sizeof(v)), 0);
	assert_string_equal(v, "50%");
	assert_int_equal(http_parameter("/a", "from", v, sizeof(v)), -ENOENT);
	assert_string_equal(v, "");
	assert_int_equal(http_parameter("/a?xfrom=1&from", "from", v, sizeof(v)), -ENOENT);
	assert_int_equal(http_parameter("/a?from=", "from", v, sizeof(v)), 0);
	assert_string_equal(v, "");
	assert_int_equal(http_parameter("/a?from=1&from=1", "from", v, sizeof(v)), -EBADMSG);
	assert_int_equal(http_parameter("/a?from=12345678", "from", v, sizeof(v)), -EBADMSG);
	assert_int_equal(http_parameter("/a?from=1234567", "from", v, sizeof(v)), 0);
	assert_int_equal(http_parameter("/a?from=%", "from", v, sizeof(v)), -EBADMSG);
	assert_int_equal(http_parameter("/a?from=%4", "from", v, sizeof(v)), -EBADMSG);
	assert_int_equal(http_parameter("/a?from=%4g", "from", v, sizeof(v)), -EBADMSG);
	assert_int_equal(http_parameter("/a?from=%0a", "from", v, sizeof(v)), -EBADMSG);
	assert_int_equal(http_parameter("/a?from=%4A", "from", v, sizeof(v)), 0);
	assert_string_equal(v, "J");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests), cmocka_unit_test(responses), cmocka_unit_test(refused),
		cmocka_unit_test(lengths), cmocka_unit_test(parameters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
