/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bpflog.c - see bpflog.h. The first bytes are kept as they come, the last ones in a ring buffer
 * that is made when it is needed.
 */
#include "config.h"

#include "capture/bpflog.h"

#include "base/text.h"

#include <bpf/libbpf.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define HALF ((size_t)256 << 10)
#define LINE_MAX_BYTES 4096u

static struct {
	pthread_mutex_t lock;
	char *first, *last;      /* HALF bytes each; NULL = not needed yet, or no memory */
	size_t bytes;            /* said in all */
} bpflog = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void bpflog_add(const char *text, size_t n)
{
	const size_t head = bpflog.bytes < HALF ? HALF - bpflog.bytes : 0, take = n < head ? n : head;

	if (!bpflog.first)
		bpflog.first = malloc(HALF);
	if (bpflog.first)
		memcpy(bpflog.first + HALF - head, text, take);
	if (n > take && !bpflog.last)
		bpflog.last = malloc(HALF);
	for (size_t i = take; bpflog.last && i < n; i++)
		bpflog.last[(bpflog.bytes + i) % HALF] = text[i];
	bpflog.bytes += n;
}

static int bpflog_print(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	char *text;
	int n;

	if (level == LIBBPF_DEBUG)
		return 0;
	n = vasprintf(&text, fmt, ap);
	if (n < 0)
		return 0;
	pthread_mutex_lock(&bpflog.lock);
	bpflog_add(text, (size_t)n);
	pthread_mutex_unlock(&bpflog.lock);
	free(text);
	return n;
}

void bpflog_begin(void)
{
	libbpf_set_print(bpflog_print);
}

/* Writes the N bytes at TEXT, whose lines may be of any length. */
static void bpflog_lines(FILE *out, const char *text, size_t n)
{
	char clean[LINE_MAX_BYTES];

	while (n) {
		const char *end = memchr(text, '\n', n);
		const size_t line = end ? (size_t)(end - text) : n;

		text_sanitise(clean, sizeof(clean), text, line);
		fprintf(out, "%s\n", clean);
		n -= end ? line + 1 : line;
		text += end ? line + 1 : line;
	}
}

size_t bpflog_write(FILE *out)
{
	const size_t bytes = bpflog.bytes, head = bytes < HALF ? bytes : HALF;
	const size_t rest = bytes - head, tail = rest < HALF ? rest : HALF;

	pthread_mutex_lock(&bpflog.lock);
	if (bpflog.first)
		bpflog_lines(out, bpflog.first, head);
	if (rest > tail)
		fprintf(out, "[%zu bytes of the log left out]\n", rest - tail);
	if (bpflog.last && tail) {
		const size_t at = (bytes - tail) % HALF, run = tail < HALF - at ? tail : HALF - at;

		bpflog_lines(out, bpflog.last + at, run);
		bpflog_lines(out, bpflog.last, tail - run);
	}
	pthread_mutex_unlock(&bpflog.lock);
	return bytes;
}
