/* SPDX-License-Identifier: BSD-2-Clause */
/* pushurl.c - a table of engines, and the parts of an address. */
#include "config.h"

#include "push/pushurl.h"

#include "base/text.h"

#include <errno.h>
#include <string.h>

#define OTLP_END "/profiles"      /* some receivers have it elsewhere */

static const struct push_kind {
	const char *scheme, *port, *path;
} kinds[PUSH_ENGINES] = {
	[PUSH_PYROSCOPE] = { "pyroscope+http", "4040", "/push.v1.PusherService/Push" },
	[PUSH_PARCA] = { "parca+http", "7070", "/api/profiles/writeraw" },
	[PUSH_OTLP] = { "otlp+http", "4318", "/v1development/profiles" },
};

/* HOST, [HOST] or HOST:PORT, of LEN bytes. */
static bool take_host(const char *text, size_t len, const char *port, struct push_url *ret)
{
	const bool bracket = len && *text == '[';
	const char *end = bracket ? memchr(text, ']', len) : memchr(text, ':', len);
	const char *host = text + bracket, *after = end ? end + bracket : text + len;
	const size_t n = (size_t)((end ? end : text + len) - host), left = (size_t)(text + len - after);

	if (!n || n >= sizeof(ret->host) || (bracket && !end) || (left && *after != ':') || left == 1)
		return false;
	memcpy(ret->host, host, n);
	ret->host[n] = '\0';
	if (!left)
		return text_format(ret->port, sizeof(ret->port), "%s", port) > 0;
	if (left - 1 >= sizeof(ret->port) || strspn(after + 1, "0123456789") < left - 1)
		return false;
	memcpy(ret->port, after + 1, left - 1);
	ret->port[left - 1] = '\0';
	return true;
}

/* Nothing in it ends a line of a request, or begins something else. */
static bool is_plain(const char *text)
{
	for (; *text; text++)
		if (*text <= ' ' || *text > '~' || strchr("?#@\"<>\\^`{|}", *text))
			return false;
	return true;
}

int push_url_parse(const char *text, struct push_url *ret, struct err *e)
{
	for (unsigned int k = 0; k < PUSH_ENGINES; k++) {
		const size_t n = strlen(kinds[k].scheme);
		const bool tls = !strncmp(text + n, "s://", 4);
		const char *at = text + n + (tls ? 4 : 3), *path, *end = kinds[k].path;
		size_t len;

		if (strncmp(text, kinds[k].scheme, n) != 0 || (!tls && strncmp(text + n, "://", 3) != 0))
			continue;
		path = at + strcspn(at, "/");
		len = strlen(path);
		len -= len && path[len - 1] == '/';
		if (k == PUSH_OTLP && len >= strlen(OTLP_END) &&
		    !strncmp(path + len - strlen(OTLP_END), OTLP_END, strlen(OTLP_END)))
			end = "";
		*ret = (struct push_url){ .engine = (enum push_engine)k, .tls = tls };
		if (!is_plain(at) || !take_host(at, (size_t)(path - at), tls ? "443" : kinds[k].port, ret) ||
		    len + strlen(end) >= sizeof(ret->target))
			return err_set(e, EINVAL, "'%s' is no address: write it as %s%s://HOST[:PORT][/PATH]", text,
				       kinds[k].scheme, tls ? "s" : "");
		text_format(ret->target, sizeof(ret->target), "%.*s%s", (int)len, path, end);
		return 0;
	}
	return err_set(e, EINVAL, "'%s' does not say who takes profiles: it must begin with pyroscope+http://, "
		       "parca+http:// or otlp+http://, or +https:// in the same way", text);
}
