/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_serve.c - requests to `sberf serve`, from the first byte to what is asked for: whatever is let in has the secret
 * and a name of this machine, and whatever is asked for is within its limits.
 */
#include "config.h"

#include "base/http.h"
#include "serve/admission.h"
#include "serve/question.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SECRET "0123456789abcdef"

static void check_question(const char *path)
{
	struct serve_question q;
	struct err e = ERR_INIT;
	const int status = serve_question(path, SERVE_ALL, &q, &e);

	if (status ? (status != 400 && status != 404) || !e.text[0] : q.what > SERVE_PULL)
		abort();
	if (!status && q.what == SERVE_EXPORT && (!q.exporter || strlen(q.file) >= sizeof(q.file) ||
						  strpbrk(q.file, "/\"\r\n\\")))
		abort();
	if (!status && q.what == SERVE_PULL &&
	    (q.pull >= SERVE_PULLS_NR || !q.seconds || q.seconds > SERVE_SECONDS_MAX))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct serve_policy policy = { .secret = SECRET, .port = 7007 };
	char *copy = malloc(size + 1), value[16];
	const char *path = NULL, *why = NULL;
	struct http_head h;
	ssize_t len;

	if (!copy)
		return 0;
	memcpy(copy, data, size);
	len = http_head_length(copy, size);
	if (len > 0 && !http_head_parse(copy, (size_t)len, false, &h)) {
		const int status = serve_admit(&policy, &h, &path, &why);

		if (status ? status < 400 || status > 499 || !why : strncmp(h.start[1], "/" SECRET, 17) != 0 ||
		    path != h.start[1] + 17 || http_headers(&h, "Host") != 1)
			abort();
		if (!http_parameter(h.start[1], "from", value, sizeof(value)) && strlen(value) >= sizeof(value))
			abort();
		if (!status)
			check_question(path);
	}
	free(copy);
	return 0;
}
