/* SPDX-License-Identifier: BSD-2-Clause */
/* records.c - see records.h. */
#include "config.h"

#include "cmd/records.h"

#include "base/text.h"
#include "probe/tracepoint.h"

#include <limits.h>

/* F as a field of a record; false when it is neither a number nor a text. */
static bool records_field(const struct tracepoint_field *f, uint8_t *ret_form)
{
	static const int forms[] = {
		[TRACEPOINT_NUMBER] = HITRECORD_NUMBER, [TRACEPOINT_POINTER] = HITRECORD_ADDRESS,
		[TRACEPOINT_TEXT] = HITRECORD_TEXT, [TRACEPOINT_DYNAMIC_TEXT] = HITRECORD_TEXT_AT,
		[TRACEPOINT_RELATIVE_TEXT] = HITRECORD_TEXT_BEHIND, [TRACEPOINT_OTHER] = -1,
	};

	/* Programs at tracepoints find something else in place of those that all of them have. */
	if (f->common || forms[f->form] < 0 || f->offset + f->size > HITRECORD_BYTES)
		return false;
	*ret_form = (uint8_t)forms[f->form];
	return true;
}

bool record_of_probe(const struct spec *s, struct hitrecord *ret)
{
	const struct spec_point *p = &s->point[0];
	struct tracepoint_name name;
	struct tracepoint t = { 0 };
	char tracefs[PATH_MAX];
	uint8_t form;

	ret->n = 0;
	if (s->span || p->kind != PROBE_TRACEPOINT || p->match != SPEC_EXACT || p->provider_match != SPEC_EXACT ||
	    tracefs_find(tracefs, NULL))
		return false;
	text_format(name.category, sizeof(name.category), "%s", p->provider);
	text_format(name.name, sizeof(name.name), "%s", p->name);
	if (tracepoint_read(tracefs, &name, &t, NULL))
		return false;
	for (size_t i = 0; i < t.field.n && ret->n < HITFIELDS_MAX; i++) {
		const struct tracepoint_field *f = &t.field.v[i];

		if (!records_field(f, &form))
			continue;
		text_format(ret->field[ret->n].name, sizeof(ret->field[ret->n].name), "%s", f->name);
		ret->field[ret->n].offset = (uint16_t)f->offset;
		ret->field[ret->n].size = (uint8_t)f->size;
		ret->field[ret->n].form = form;
		ret->field[ret->n++].is_signed = f->is_signed;
	}
	tracepoint_free(&t);
	return ret->n;
}
