/* SPDX-License-Identifier: BSD-2-Clause */
/* members.c - a list of variables by address, and the way down their types. */
#include "config.h"

#include "symbol/members.h"

#include "base/order.h"
#include "base/text.h"
#include "base/vec.h"
#include "symbol/params_impl.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define UNITS_WALKED 100000u
#define VARIABLES_MAX 1000000u
#define SCOPES_DEEP 16u
#define WAY_MAX 16u              /* members and elements of one path */
#define FIELDS_MAX 10000u        /* of one structure */

struct members_variable {
	uint64_t start;
	Dwarf_Off die;
};

struct members {
	Dwarf *dw;
	bool listed;
	VEC(struct members_variable) variables;  /* by address */
};

struct members *members_new(struct Dwarf *dw)
{
	struct members *m = calloc(1, sizeof(*m));

	if (m)
		m->dw = dw;
	return m;
}

void members_free(struct members *m)
{
	if (!m)
		return;
	vec_free(&m->variables);
	free(m);
}

/* ---- variables ---- */

/* Where the variable DIE is, if that is one address for all the program. */
static bool members_address(Dwarf_Die *die, uint64_t *ret)
{
	Dwarf_Attribute attr, address;
	Dwarf_Addr at;
	Dwarf_Op *op;
	size_t n;

	if (!dwarf_attr(die, DW_AT_location, &attr) || dwarf_getlocation(&attr, &op, &n) || n != 1)
		return false;
	if (op->atom == DW_OP_addr) {
		*ret = op->number;
		return true;
	}
	if ((op->atom != DW_OP_addrx && op->atom != DW_OP_GNU_addr_index) ||
	    dwarf_getlocation_attr(&attr, op, &address) || dwarf_formaddr(&address, &at))
		return false;
	*ret = at;
	return true;
}

/* Takes note of the variables below DIE, also of those in namespaces. */
static void members_list(struct members *m, Dwarf_Die *die, unsigned int depth)
{
	struct members_variable *v;
	uint64_t start;
	Dwarf_Die at;

	for (int end = dwarf_child(die, &at); !end && m->variables.n < VARIABLES_MAX; end = dwarf_siblingof(&at, &at)) {
		if (dwarf_tag(&at) == DW_TAG_namespace && depth < SCOPES_DEEP)
			members_list(m, &at, depth + 1);
		if (dwarf_tag(&at) != DW_TAG_variable || !members_address(&at, &start))
			continue;
		v = vec_push(&m->variables);
		if (!v)
			return;
		*v = (struct members_variable){ start, dwarf_dieoffset(&at) };
	}
}

static int members_by_start(const void *va, const void *vb)
{
	const struct members_variable *a = va, *b = vb;

	return compare_numbers(a->start, b->start);
}

static void members_list_all(struct members *m)
{
	Dwarf_Off at = 0, next;
	Dwarf_Die unit;
	size_t head;

	m->listed = true;
	for (unsigned int i = 0; i < UNITS_WALKED && !dwarf_nextcu(m->dw, at, &next, &head, NULL, NULL, NULL); i++) {
		if (dwarf_offdie(m->dw, at + head, &unit))
			members_list(m, &unit, 0);
		at = next;
	}
	if (m->variables.n)
		qsort(m->variables.v, m->variables.n, sizeof(*m->variables.v), members_by_start);
}

/* ---- the way down ---- */

struct members_way {
	char *dst;
	size_t len;
	Dwarf_Die type;          /* of what the path leads to so far, ... */
	uint64_t offset;         /* in which the place is */
};

static bool members_append(struct members_way *w, const char *name)
{
	const size_t len = strlen(name);

	if (w->len + len >= MEMBERS_MAX)
		return false;
	memcpy(w->dst + w->len, name, len + 1);
	w->len += len;
	return true;
}

/* Into the element of the array; only one dimension has one number. */
static bool members_element(struct members_way *w)
{
	unsigned int dimensions = 0;
	Dwarf_Die element, at;
	Dwarf_Word size;
	char index[32];

	for (int end = dwarf_child(&w->type, &at); !end; end = dwarf_siblingof(&at, &at))
		dimensions += dwarf_tag(&at) == DW_TAG_subrange_type;
	if (dimensions != 1 || !params_type_of(&w->type, &element) || dwarf_aggregate_size(&element, &size) || !size)
		return false;
	text_format(index, sizeof(index), "[%llu]", (unsigned long long)(w->offset / size));
	if (!members_append(w, index))
		return false;
	w->offset %= size;
	w->type = element;
	return true;
}

/* Is the place in MEMBER? Then *RET is its type, and *RET_AT where it begins. */
static bool members_is_in(Dwarf_Die *member, uint64_t offset, Dwarf_Die *ret, uint64_t *ret_at)
{
	const uint64_t at = params_number_of(member, DW_AT_data_member_location);
	Dwarf_Word size;

	*ret_at = at;
	return (dwarf_tag(member) == DW_TAG_member || dwarf_tag(member) == DW_TAG_inheritance) &&
		!dwarf_hasattr(member, DW_AT_declaration) && !dwarf_hasattr(member, DW_AT_bit_size) &&
		!params_number_of(member, DW_AT_virtuality) && offset >= at && params_type_of(member, ret) &&
		!dwarf_aggregate_size(ret, &size) && offset - at < size;
}

static bool members_has_parts(Dwarf_Die *type)
{
	const int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
		tag == DW_TAG_array_type;
}

/* Into the member of the structure. */
static bool members_member(struct members_way *w)
{
	Dwarf_Die at, type;
	uint64_t begins;
	const char *name;
	int end = dwarf_child(&w->type, &at);

	for (unsigned int i = 0; !end && i < FIELDS_MAX; i++, end = dwarf_siblingof(&at, &at)) {
		if (!members_is_in(&at, w->offset, &type, &begins))
			continue;
		name = dwarf_tag(&at) == DW_TAG_member ? dwarf_diename(&at) : NULL;
		/* Then the structure is meant, as a lock that begins with its futex. */
		if (!w->offset && !members_has_parts(&type))
			return false;
		if (name && (*name == '_' || !members_append(w, ".") || !members_append(w, name)))
			return false;
		w->offset -= begins;
		w->type = type;
		return true;
	}
	return false;
}

static bool members_step(struct members_way *w)
{
	switch (dwarf_tag(&w->type)) {
	case DW_TAG_array_type:
		return members_element(w);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return members_member(w);
	default:
		return false;
	}
}

bool members_path(struct members *m, uint64_t start, uint64_t offset, char dst[MEMBERS_MAX], uint64_t *ret_start)
{
	const struct members_variable key = { .start = start }, *v;
	struct members_way w = { .dst = dst, .offset = offset };
	size_t len = 0;
	Dwarf_Die die;

	*dst = '\0';
	*ret_start = 0;
	if (!m->listed)
		members_list_all(m);
	v = m->variables.n ? bsearch(&key, m->variables.v, m->variables.n, sizeof(key), members_by_start) : NULL;
	if (!v || !dwarf_offdie(m->dw, v->die, &die) || !params_type_of(&die, &w.type))
		return false;
	for (unsigned int i = 0; i < WAY_MAX && members_step(&w); i++)
		if (w.len > len) {
			len = w.len;
			*ret_start = offset - w.offset;
		}
	/* A step that failed may have begun to write. */
	dst[len] = '\0';
	return len;
}
