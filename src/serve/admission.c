/* SPDX-License-Identifier: BSD-2-Clause */
/* admission.c - looks at what can be told without the secret first, so that a wrong Host is named as such. */
#include "config.h"

#include "serve/admission.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECRET_BYTES 16u         /* 128 bits */

int serve_secret_draw(struct serve_policy *p, struct err *e)
{
	unsigned char bits[SECRET_BYTES];

	if (getrandom(bits, sizeof(bits), 0) != (ssize_t)sizeof(bits))
		return err_set(e, errno, "cannot get random bits for the address: %s", strerror(errno));
	for (size_t i = 0; i < sizeof(bits); i++)
		snprintf(p->secret + 2 * i, 3, "%02x", bits[i]);
	return 0;
}

/* Takes the secret out of LINE. False: it is none. */
static bool serve_secret_take(struct serve_policy *p, const char *line)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
	const char *text = line + (*line == '/');
	size_t len = strcspn(text, "\r\n");

	len -= len && text[len - 1] == '/';
	if (len < SERVE_SECRET_MIN || len > SERVE_SECRET_MAX || strspn(text, allowed) < len)
		return false;
	memcpy(p->secret, text, len);
	p->secret[len] = '\0';
	return true;
}

int serve_secret_read(struct serve_policy *p, const char *path, struct err *e)
{
	AUTO_FILE FILE *f = fopen(path, "re");
	char line[SERVE_SECRET_MAX + 8];
	struct stat st;

	if (!f || fstat(fileno(f), &st))
		return err_set(e, errno, "cannot read the prefix from %s: %s", path, strerror(errno));
	if (st.st_mode & S_IROTH)
		return err_set(e, EPERM, "everybody can read the prefix in %s: chmod o-r it", path);
	if (!fgets(line, sizeof(line), f) || !serve_secret_take(p, line))
		return err_set(e, EINVAL, "the first line of %s is no prefix: it must be %u to %u letters, digits, "
			       "- . _ or ~", path, SERVE_SECRET_MIN, SERVE_SECRET_MAX);
	return 0;
}

/* How long that takes does not depend on where they differ. */
static bool is_secret(const struct serve_policy *p, const char *text, size_t len)
{
	const size_t want = strlen(p->secret);
	volatile unsigned char differs = len != want;

	for (size_t i = 0; i < want; i++)
		differs |= (unsigned char)(p->secret[i] ^ (i < len ? text[i] : 0));
	return !differs;
}

static bool is_own_host(const struct serve_policy *p, const char *host)
{
	static const char *const names[] = { "127.0.0.1", "localhost", "[::1]" };
	char want[32];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(want, sizeof(want), "%s:%u", names[i], (unsigned int)p->port);
		if (!strcasecmp(host, want))
			return true;
	}
	return false;
}

/* A page of ours, or the user by hand, or no browser. */
static bool is_own_site(const struct http_head *h)
{
	const char *site = http_header(h, "Sec-Fetch-Site");

	if (http_headers(h, "Sec-Fetch-Site") > 1)
		return false;
	return !site || !strcmp(site, "none") || !strcmp(site, "same-origin");
}

int serve_admit(const struct serve_policy *p, const struct http_head *h, const char **ret_path, const char **ret_why)
{
	const char *target = h->start[1], *slash;
	size_t body = 0;

	if (strcmp(h->start[0], "GET") != 0 && strcmp(h->start[0], "HEAD") != 0)
		return *ret_why = "only GET and HEAD are answered: nothing can be changed from here", 405;
	if (http_body_length(h, 0, &body))
		return *ret_why = "requests have no body here", 400;
	if (http_headers(h, "Host") != 1)
		return *ret_why = "a request needs one Host", 400;
	if (p->port && !is_own_host(p, http_header(h, "Host")))
		return *ret_why = "this name is not the address of sberf: use the one that it printed", 403;
	if (!is_own_site(h))
		return *ret_why = "another site has asked for this: open the address that sberf printed by hand", 403;
	slash = *target == '/' ? strpbrk(target + 1, "/?") : NULL;
	if (*target != '/' || !is_secret(p, target + 1, slash ? (size_t)(slash - target - 1) : strlen(target + 1)))
		return *ret_why = "this is not the address that sberf printed; another start has another one", 403;
	*ret_path = slash ? slash : target + strlen(target);
	return 0;
}
