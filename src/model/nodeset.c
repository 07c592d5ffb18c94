/* SPDX-License-Identifier: BSD-2-Clause */
/* nodeset.c - see nodeset.h. */
#include "config.h"

#include "model/nodeset.h"

#include "base/parse.h"

#include <stdlib.h>

bool nodeset_parse(const char *text, struct nodeset *ret)
{
	u32_vec list = { 0 };
	const bool ok = !parse_list(text, "node list", NODES_MAX - 1, &list, NULL);

	for (size_t i = 0; i < list.n; i++)
		nodeset_add(ret, list.v[i]);
	vec_free(&list);
	return ok;
}
