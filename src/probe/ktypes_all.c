/* SPDX-License-Identifier: BSD-2-Clause */
/* ktypes_all.c - see ktypes_all.h. */
#include "config.h"

#include "probe/ktypes_all.h"

#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct ktypes_of_module {
	char name[64];           /* MODULE_NAME_LEN of the kernel is 56 */
	struct ktypes *types;    /* NULL = nothing is known of them */
};

/* The module NAME, of LEN bytes; NULL when out of memory. */
static struct ktypes_of_module *ktypes_all_module(struct ktypes_all *a, const char *name, size_t len)
{
	struct ktypes_of_module *m;

	for (size_t i = 0; i < a->module.n; i++)
		if (!strncmp(a->module.v[i].name, name, len) && !a->module.v[i].name[len])
			return &a->module.v[i];
	m = vec_push(&a->module);
	if (!m)
		return NULL;
	*m = (struct ktypes_of_module){ .types = NULL };
	text_format(m->name, sizeof(m->name), "%.*s", (int)len, name);
	(void)ktypes_open_module(m->name, a->kernel, &m->types, NULL);
	return m;
}

int ktypes_all_of(struct ktypes_all *a, const char *symbol, struct ktypes **ret, struct err *e)
{
	const char *bracket = strstr(symbol, " [");
	const size_t len = bracket ? strcspn(bracket + 2, "]") : 0;
	const int r = a->kernel ? 0 : ktypes_open(&a->kernel, e);
	const struct ktypes_of_module *m;

	if (r)
		return r;
	if (!bracket) {
		*ret = a->kernel;
		return 0;
	}
	m = len < sizeof(m->name) ? ktypes_all_module(a, bracket + 2, len) : NULL;
	if (!m || !m->types)
		return err_set(e, ENOENT, "the kernel says nothing of the types of module %.*s: use arg0 to arg5",
			       (int)len, bracket + 2);
	*ret = m->types;
	return 0;
}

void ktypes_all_free(struct ktypes_all *a)
{
	for (size_t i = 0; i < a->module.n; i++)
		ktypes_free(a->module.v[i].types);
	vec_free(&a->module);
	ktypes_free(a->kernel);
	a->kernel = NULL;
}
