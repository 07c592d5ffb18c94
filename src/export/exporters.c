/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exporters.c - the list of all export formats, and the search for one by name or extension. The
 * generator of man pages links this file, so it calls no function that writes.
 */
#include "config.h"

#include "export/exporter.h"

#include <string.h>

static const struct exporter *const exporters[] = {
#define X(name) &exporter_##name,
	EXPORTERS(X)
#undef X
};

#define NR_EXPORTERS (sizeof(exporters) / sizeof(exporters[0]))

static bool is_offered(const struct exporter *x, enum exporter_user user)
{
	switch (user) {
	case EXPORT_BY_DIFF:
		return x->diff.about;
	case EXPORT_BY_BATCH:
		return x->batch.name;
	case EXPORT_BY_SAVE:
		return x->save.letter;
	default:
		return x->subject != EXPORT_RECORDING;
	}
}

const struct exporter *exporter_get(enum exporter_user user, unsigned int nr)
{
	unsigned int offered = 0;

	for (size_t i = 0; i < NR_EXPORTERS; i++) {
		const struct exporter *x = exporters[i];

		if (is_offered(x, user) && (user == EXPORT_BY_SAVE ? x->save.place == nr + 1 : offered++ == nr))
			return x;
	}
	return NULL;
}

const char *exporter_name(enum exporter_user user, const struct exporter *x)
{
	return user == EXPORT_BY_BATCH ? x->batch.name : x->name;
}

const struct exporter *exporter_named(enum exporter_user user, const char *name)
{
	const struct exporter *x = NULL;

	for (unsigned int i = 0; (x = exporter_get(user, i)) && strcmp(exporter_name(user, x), name); i++)
		;
	return x;
}

/* Does the name BASE, behind something else, end in "." and the LEN bytes at EXTENSION? */
static bool ends_in(const char *base, const char *extension, size_t len)
{
	const size_t base_len = strlen(base);

	return len && base_len > len + 1 && base[base_len - len - 1] == '.' &&
		!memcmp(base + base_len - len, extension, len);
}

const struct exporter *exporter_of_file(enum exporter_user user, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const struct exporter *x;

	for (unsigned int i = 0; (x = exporter_get(user, i)); i++) {
		for (const char *at = x->extensions; *at; at += *at == ',') {
			const size_t len = strcspn(at, ",");

			if (ends_in(base, at, len))
				return x;
			at += len;
		}
	}
	return NULL;
}

const char *exporters_taking(uint32_t takes, char *dst, size_t size)
{
	unsigned int left = 0;
	size_t n = 0;

	for (size_t i = 0; i < NR_EXPORTERS; i++)
		left += (exporters[i]->takes & takes) != 0;
	dst[0] = '\0';
	for (size_t i = 0; i < NR_EXPORTERS && n < size; i++) {
		if (!(exporters[i]->takes & takes))
			continue;
		left--;
		n += (size_t)snprintf(dst + n, size - n, "%s%s", exporters[i]->name,
				      left > 1 ? ", " : left ? " and " : "");
	}
	return dst;
}
