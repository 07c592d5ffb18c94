/* SPDX-License-Identifier: BSD-2-Clause */
/* fuzz_http.c - heads of HTTP messages: the first byte says whether it is a response. */
#include "config.h"

#include "base/http.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = size ? malloc(size) : NULL;
	struct http_head h;
	ssize_t head;
	size_t body;

	if (!copy)
		return 0;
	memcpy(copy, data + 1, size - 1);
	head = http_head_length(copy, size - 1);
	if (head > (ssize_t)size - 1)
		abort();
	if (head > 0 && !http_head_parse(copy, (size_t)head, data[0] & 1, &h)) {
		if (!http_body_length(&h, 1000, &body) && body > 1000)
			abort();
		for (unsigned int i = 0; i < h.n; i++)
			if (strpbrk(h.header[i].name, " \r\n") || strpbrk(h.header[i].value, "\r\n"))
				abort();
	}
	free(copy);
	return 0;
}
