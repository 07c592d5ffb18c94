/* SPDX-License-Identifier: BSD-2-Clause */
/* fuzz_parse.c - the parsers of numbers stay inside their limits, and change nothing when they refuse. */
#include "config.h"

#include "base/parse.h"
#include "session/when.h"

#include <stdlib.h>
#include <string.h>

#define UNTOUCHED 12345u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

typedef int number_fn(const char *s, const char *what, uint64_t min, uint64_t max, uint64_t *ret, struct err *e);

static void try_number(number_fn *f, const char *s)
{
	uint64_t v = UNTOUCHED;
	struct err e = ERR_INIT;
	const int rc = f(s, "value", 100, 1u << 30, &v, &e);

	must(rc <= 0 && (rc ? v == UNTOUCHED && e.code == -rc && *e.text : v >= 100 && v <= 1u << 30));
}

static void try_percent(const char *s)
{
	double v = -1;
	struct err e = ERR_INIT;
	const int rc = parse_percent(s, "value", 1, 100, &v, &e);

	must(rc <= 0 && (rc ? v == -1 && e.code == -rc && *e.text : v >= 1 && v <= 100));
}

static void try_list(const char *s)
{
	u32_vec l = { 0 };
	const int rc = parse_list(s, "list", 4000, &l, NULL);

	must(rc <= 0 && (l.n > 0) == !rc);
	for (size_t i = 0; i < l.n; i++)
		must(l.v[i] <= 4000 && (!i || l.v[i] > l.v[i - 1]));
	vec_free(&l);
}

static void try_when(const char *s)
{
	struct when w = { .ns = UNTOUCHED };
	struct err e = ERR_INIT;
	const int rc = when_parse(s, &w, &e);

	must(rc <= 0 && (rc ? w.ns == UNTOUCHED && e.code == -rc && *e.text : w.what <= WHEN_CPU && w.ns != UNTOUCHED));
	must(rc || strlen(w.function) < sizeof(w.function));
}

static void try_cursor(bool (*f)(const char **, const char *, uint64_t *), const char *data, size_t size)
{
	const char *p = data;
	uint64_t v = UNTOUCHED;

	if (f(&p, data + size, &v))
		must(p > data && p <= data + size);
	else
		must(p == data && v == UNTOUCHED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *s = malloc(size + 1);

	must(s);
	memcpy(s, data, size);
	s[size] = '\0';
	try_number(parse_u64, s);
	try_number(parse_time, s);
	try_number(parse_size, s);
	try_percent(s);
	try_list(s);
	try_cursor(parse_hex, (const char *)data, size);
	try_cursor(parse_dec, (const char *)data, size);
	try_when(s);
	free(s);
	return 0;
}
