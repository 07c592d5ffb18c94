/* SPDX-License-Identifier: BSD-2-Clause */
/* http.c - line by line; a line that is not understood makes the whole head one that is not. */
#include "config.h"

#include "base/http.h"

#include "base/parse.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

ssize_t http_head_length(const char *data, size_t len)
{
	const char *end = memmem(data, len < HTTP_HEAD_MAX ? len : HTTP_HEAD_MAX, "\r\n\r\n", 4);

	if (end)
		return end + 4 - data;
	return len < HTTP_HEAD_MAX ? 0 : -EMSGSIZE;
}

/* Characters of a token (RFC 9110, section 5.6.2). */
static bool is_token(const char *s)
{
	size_t n = strcspn(s, "\"(),/:;<=>?@[\\]{} \t");

	for (size_t i = 0; i < n; i++)
		if (s[i] <= ' ' || s[i] >= 0x7f)
			return false;
	return n && !s[n];
}

/* No control characters but tabs. */
static bool is_printable(const char *s)
{
	for (; *s; s++)
		if (((unsigned char)*s < ' ' && *s != '\t') || *s == 0x7f)
			return false;
	return true;
}

/* Three words, of which the third may have blanks, and of a response be empty. */
static bool http_parse_start(char *line, bool response, struct http_head *ret)
{
	char *second = strchr(line, ' '), *third;

	if (!second)
		return false;
	*second++ = '\0';
	third = strchr(second, ' ');
	if (!third && !response)
		return false;
	if (third)
		*third++ = '\0';
	ret->start[0] = line;
	ret->start[1] = second;
	ret->start[2] = third ? third : "";
	return *second && !strncmp(ret->start[response ? 0 : 2], "HTTP/1.", 7) &&
	       (response || (is_token(line) && !strchr(third, ' ')));
}

static bool http_parse_header(char *line, struct http_head *ret)
{
	char *value = strchr(line, ':'), *end;

	/* A line that begins with a blank goes on with the one before: obsolete, and a way to be understood twice. */
	if (!value || ret->n == HTTP_HEADERS_MAX)
		return false;
	*value++ = '\0';
	if (!is_token(line))
		return false;
	value += strspn(value, " \t");
	end = value + strlen(value);
	while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
		*--end = '\0';
	ret->header[ret->n].name = line;
	ret->header[ret->n++].value = value;
	return true;
}

int http_head_parse(char *data, size_t len, bool response, struct http_head *ret)
{
	char *end = data + len, *line = data;

	*ret = (struct http_head){ 0 };
	if (len < 4 || memcmp(end - 4, "\r\n\r\n", 4) || memchr(data, '\0', len))
		return -EBADMSG;
	end[-2] = '\0';
	while (*line) {
		char *next = strstr(line, "\r\n");

		if (!next)
			return -EBADMSG;
		*next = '\0';
		if (!is_printable(line) ||
		    !(line == data ? http_parse_start(line, response, ret) : http_parse_header(line, ret)))
			return -EBADMSG;
		line = next + 2;
	}
	return ret->start[0] ? 0 : -EBADMSG;
}

const char *http_header(const struct http_head *h, const char *name)
{
	for (unsigned int i = 0; i < h->n; i++)
		if (!strcasecmp(h->header[i].name, name))
			return h->header[i].value;
	return NULL;
}

unsigned int http_headers(const struct http_head *h, const char *name)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < h->n; i++)
		n += !strcasecmp(h->header[i].name, name);
	return n;
}

/* The value of a hexadecimal digit; -1 = it is none. */
static int http_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c >= 'A' && c <= 'F' ? c + ('a' - 'A') : c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Decodes the LEN bytes at TEXT into DST. */
static bool http_decode(const char *text, size_t len, char *dst, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		int c = (unsigned char)text[i];

		if (c == '%') {
			const int high = len - i > 2 ? http_digit(text[i + 1]) : -1;
			const int low = high >= 0 ? http_digit(text[i + 2]) : -1;

			c = low >= 0 ? high * 16 + low : 0;
			i += 2;
		}
		if (c < ' ' || c == 0x7f || n + 1 >= size)
			return false;
		dst[n++] = (char)c;
	}
	dst[n] = '\0';
	return true;
}

int http_parameter(const char *target, const char *name, char *dst, size_t size)
{
	const size_t name_len = strlen(name);
	const char *at = strchr(target, '?');
	bool found = false;

	*dst = '\0';
	while (at) {
		const size_t len = strcspn(++at, "&");

		if (len > name_len && at[name_len] == '=' && !memcmp(at, name, name_len)) {
			if (found || !http_decode(at + name_len + 1, len - name_len - 1, dst, size))
				return -EBADMSG;
			found = true;
		}
		at = at[len] ? at + len : NULL;
	}
	return found ? 0 : -ENOENT;
}

int http_body_length(const struct http_head *h, size_t max, size_t *ret)
{
	const char *first = http_header(h, "Content-Length");
	uint64_t n = 0;

	if (http_header(h, "Transfer-Encoding"))
		return -EBADMSG;
	for (unsigned int i = 0; first && i < h->n; i++)
		if (!strcasecmp(h->header[i].name, "Content-Length") && strcmp(h->header[i].value, first) != 0)
			return -EBADMSG;
	if (first && parse_u64(first, "length", 0, UINT64_MAX, &n, NULL))
		return -EBADMSG;
	if (n > max)
		return -EMSGSIZE;
	*ret = (size_t)n;
	return 0;
}
