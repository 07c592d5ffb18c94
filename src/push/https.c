/* SPDX-License-Identifier: BSD-2-Clause */
/* https.c - libcurl through dlopen(3): whoever pushes to this machine pays nothing for it. */
#include "config.h"

#include "push/https.h"

#include "base/clock.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#ifdef HAVE_CURL_CURL_H

#include <curl/curl.h>
#include <dlfcn.h>

struct https {
	const char *ca;
	void *lib;
	CURLcode (*global_init)(long flags);
	CURL *(*init)(void);
	CURLcode (*setopt)(CURL *c, CURLoption option, ...);
	CURLcode (*perform)(CURL *c);
	CURLcode (*getinfo)(CURL *c, CURLINFO info, ...);
	void (*cleanup)(CURL *c);
	struct curl_slist *(*append)(struct curl_slist *list, const char *text);
	void (*free_all)(struct curl_slist *list);
	const char *(*strerror)(CURLcode code);
};

/* An answer as it comes. */
struct https_answer {
	char *data;
	size_t n, most;
	char again[64];          /* Retry-After */
	bool too_large;
	const _Atomic bool *stop;
};

static void *https_function(struct https *h, const char *name, bool *missing)
{
	void *p = dlsym(h->lib, name);

	*missing |= !p;
	return p;
}

static int https_load(struct https *h, struct err *e)
{
	static const char *const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4" };
	bool missing = false;

	for (size_t i = 0; !h->lib && i < sizeof(names) / sizeof(*names); i++)
		h->lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!h->lib)
		return err_set(e, ENOTSUP, "pushing over https needs libcurl (Debian: libcurl4): %s", dlerror());
	h->global_init = (CURLcode (*)(long))https_function(h, "curl_global_init", &missing);
	h->init = (CURL * (*)(void))https_function(h, "curl_easy_init", &missing);
	h->setopt = (CURLcode (*)(CURL *, CURLoption, ...))https_function(h, "curl_easy_setopt", &missing);
	h->perform = (CURLcode (*)(CURL *))https_function(h, "curl_easy_perform", &missing);
	h->getinfo = (CURLcode (*)(CURL *, CURLINFO, ...))https_function(h, "curl_easy_getinfo", &missing);
	h->cleanup = (void (*)(CURL *))https_function(h, "curl_easy_cleanup", &missing);
	h->append = (struct curl_slist * (*)(struct curl_slist *, const char *))https_function(h, "curl_slist_append",
											     &missing);
	h->free_all = (void (*)(struct curl_slist *))https_function(h, "curl_slist_free_all", &missing);
	h->strerror = (const char *(*)(CURLcode))https_function(h, "curl_easy_strerror", &missing);
	if (missing)
		return err_set(e, ENOTSUP, "this libcurl is too old to push with");
	return h->global_init(CURL_GLOBAL_DEFAULT) ? err_set(e, ENOTSUP, "libcurl cannot be used") : 0;
}

int https_new(const char *ca, struct https **ret, struct err *e)
{
	AUTO(https_free) struct https *h = calloc(1, sizeof(*h));
	int r;

	if (!h)
		return err_nomem(e, "a client of https");
	if (ca && access(ca, R_OK))
		return err_set(e, errno, "cannot read certificates from %s: %s", ca, strerror(errno));
	h->ca = ca;
	r = https_load(h, e);
	if (!r)
		*ret = take_ptr(h);
	return r;
}

/* It stays loaded: libraries of cryptography do not like to go. */
void https_free(struct https *h)
{
	free(h);
}

static size_t https_take(char *data, size_t size, size_t n, void *ctx)
{
	struct https_answer *a = ctx;

	if (n > a->most - a->n) {
		a->too_large = true;
		return 0;
	}
	memcpy(a->data + a->n, data, n);
	a->n += n;
	(void)size;              /* is 1 */
	return n;
}

static size_t https_header(char *data, size_t size, size_t n, void *ctx)
{
	static const char name[] = "retry-after:";
	struct https_answer *a = ctx;
	size_t at = sizeof(name) - 1;

	(void)size;
	if (n <= at || strncasecmp(data, name, at) != 0)
		return n;
	while (at < n && (data[at] == ' ' || data[at] == '\t'))
		at++;
	text_format(a->again, sizeof(a->again), "%.*s", (int)(n - at < 60 ? n - at : 60), data + at);
	a->again[strcspn(a->again, "\r\n")] = '\0';
	return n;
}

static int https_stopped(void *ctx, curl_off_t down_all, curl_off_t down, curl_off_t up_all, curl_off_t up)
{
	const struct https_answer *a = ctx;

	return a->stop && atomic_load(a->stop);
}

/* The headers of Q, one of libcurl's for each line; NULL when out of memory. */
static struct curl_slist *https_headers(struct https *h, const struct http_post *q)
{
	char line[1100];
	struct curl_slist *list, *more;

	/* It would wait for a go-ahead before it sends what is large. */
	list = h->append(NULL, "Expect:");
	snprintf(line, sizeof(line), "Content-Type: %s", q->type);
	for (const char *at = q->headers; list; at += strcspn(at, "\n") + 1) {
		more = h->append(list, line);
		if (!more) {
			h->free_all(list);
			return NULL;
		}
		list = more;
		if (!*at)
			break;
		text_format(line, sizeof(line), "%.*s", (int)strcspn(at, "\r\n"), at);
	}
	return list;
}

static CURLcode https_ask(struct https *h, CURL *c, const char *url, const struct http_post *q,
			  struct curl_slist *headers, struct https_answer *a)
{
	const uint64_t now = clock_mono_ns();
	const long ms = q->end_ns > now ? (long)((q->end_ns - now) / NSEC_PER_MSEC) + 1 : 1;

	h->setopt(c, CURLOPT_URL, url);
	h->setopt(c, CURLOPT_NOSIGNAL, 1L);
	h->setopt(c, CURLOPT_TIMEOUT_MS, ms);
	h->setopt(c, CURLOPT_POST, 1L);
	h->setopt(c, CURLOPT_POSTFIELDS, q->body);
	h->setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)q->len);
	h->setopt(c, CURLOPT_HTTPHEADER, headers);
	h->setopt(c, CURLOPT_USERAGENT, "sberf/" PACKAGE_VERSION);
	h->setopt(c, CURLOPT_WRITEFUNCTION, https_take);
	h->setopt(c, CURLOPT_WRITEDATA, a);
	h->setopt(c, CURLOPT_HEADERFUNCTION, https_header);
	h->setopt(c, CURLOPT_HEADERDATA, a);
	h->setopt(c, CURLOPT_NOPROGRESS, 0L);
	h->setopt(c, CURLOPT_XFERINFOFUNCTION, https_stopped);
	h->setopt(c, CURLOPT_XFERINFODATA, a);
	if (h->ca) {
		h->setopt(c, CURLOPT_CAPATH, NULL);
		h->setopt(c, CURLOPT_CAINFO, h->ca);
	}
	return h->perform(c);
}

static int https_errno(const struct https_answer *a, CURLcode code)
{
	switch (code) {
	case CURLE_OK:
		return 0;
	case CURLE_OPERATION_TIMEDOUT:
		return -ETIMEDOUT;
	case CURLE_ABORTED_BY_CALLBACK:
		return -ECANCELED;
	case CURLE_OUT_OF_MEMORY:
		return -ENOMEM;
	case CURLE_COULDNT_CONNECT:
		return -ECONNREFUSED;
	default:
		return a->too_large ? -EMSGSIZE : -EPROTO;
	}
}

int https_post(struct https *h, const struct http_peer *p, const struct http_post *q, struct http_reply *ret,
	       char why[HTTPS_WHY_MAX])
{
	const bool six = strchr(p->host, ':');
	char url[1024], text[CURL_ERROR_SIZE] = "";
	struct https_answer a = { .data = malloc(q->most + sizeof(a.again) + 1), .most = q->most, .stop = q->stop };
	struct curl_slist *headers = https_headers(h, q);
	CURL *c = h->init();
	CURLcode code = CURLE_OUT_OF_MEMORY;
	long status = 0;

	*ret = (struct http_reply){ .data = a.data };
	*why = '\0';
	snprintf(url, sizeof(url), "https://%s%s%s:%s%s", six ? "[" : "", p->host, six ? "]" : "", p->port, q->target);
	if (c && headers && a.data) {
		h->setopt(c, CURLOPT_ERRORBUFFER, text);
		code = https_ask(h, c, url, q, headers, &a);
		h->getinfo(c, CURLINFO_RESPONSE_CODE, &status);
	}
	if (code)
		text_format(why, HTTPS_WHY_MAX, "%s", *text ? text : h->strerror(code));
	if (c)
		h->cleanup(c);
	h->free_all(headers);
	if (!a.data)
		return -ENOMEM;
	a.data[a.n] = '\0';
	ret->body = a.data;
	ret->len = a.n;
	ret->status = (int)status;
	if (*a.again)
		ret->retry_after = strcpy(a.data + a.n + 1, a.again);
	return https_errno(&a, code);
}

#else

struct https {
	int none;
};

int https_new(const char *ca, struct https **ret, struct err *e)
{
	return err_set(e, ENOTSUP, "this sberf cannot push over https: it was built without curl/curl.h (Debian: "
		       "libcurl4-gnutls-dev); push to a proxy or collector on this machine");
}

void https_free(struct https *h)
{
	free(h);
}

int https_post(struct https *h, const struct http_peer *p, const struct http_post *q, struct http_reply *ret,
	       char why[HTTPS_WHY_MAX])
{
	*ret = (struct http_reply){ .status = 0 };
	*why = '\0';
	return -ENOTSUP;
}

#endif
