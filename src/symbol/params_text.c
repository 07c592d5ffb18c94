/* SPDX-License-Identifier: BSD-2-Clause */
/* params_text.c - writes the parameters of functions as a person would. See params.h. */
#include "config.h"

#include "symbol/params_impl.h"

#include "base/order.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNITS_LISTED 100000u
#define FUNCTIONS_MAX 2000000u
#define NAMESPACES_DEEP 16u
#define TYPES_DEEP 16u
#define TYPE_TEXT_MAX 256u

static int params_text_by_pc(const void *va, const void *vb)
{
	const struct params_function *a = va, *b = vb;

	return compare_numbers(a->pc, b->pc);
}

/* Takes note of the functions below DIE, also of those in namespaces. */
static void params_text_list(struct params *p, Dwarf_Die *die, unsigned int depth)
{
	struct params_function *f;
	Dwarf_Die at;
	Dwarf_Addr pc;

	for (int end = dwarf_child(die, &at); !end && p->functions.n < FUNCTIONS_MAX; end = dwarf_siblingof(&at, &at)) {
		if (dwarf_tag(&at) == DW_TAG_namespace && depth < NAMESPACES_DEEP)
			params_text_list(p, &at, depth + 1);
		if (dwarf_tag(&at) != DW_TAG_subprogram || dwarf_lowpc(&at, &pc))
			continue;
		f = vec_push(&p->functions);
		if (!f)
			return;
		*f = (struct params_function){ pc, dwarf_dieoffset(&at) };
	}
}

static void params_text_list_all(struct params *p)
{
	Dwarf_Off at = 0, next;
	Dwarf_Die unit;
	size_t head;

	p->listed = true;
	for (unsigned int i = 0; i < UNITS_LISTED; i++) {
		if (dwarf_nextcu(p->dw, at, &next, &head, NULL, NULL, NULL))
			break;
		if (dwarf_offdie(p->dw, at + head, &unit))
			params_text_list(p, &unit, 0);
		at = next;
	}
	if (p->functions.n)
		qsort(p->functions.v, p->functions.n, sizeof(*p->functions.v), params_text_by_pc);
}

/* Appends TEXT at N of DST, as far as there is room; returns where it ends. */
static size_t params_text_put(char *dst, size_t size, size_t n, const char *text)
{
	const size_t len = strlen(text);

	if (n + len >= size)
		return n;
	memcpy(dst + n, text, len + 1);
	return n + len;
}

/* Appends the type of DIE; without one it is void. */
static size_t params_text_type(Dwarf_Die *die, char *dst, size_t size, size_t n, unsigned int depth)
{
	Dwarf_Attribute attr;
	Dwarf_Die type;
	const char *name, *before = "", *behind = "";

	if (depth > TYPES_DEEP || !dwarf_attr_integrate(die, DW_AT_type, &attr) || !dwarf_formref_die(&attr, &type))
		return params_text_put(dst, size, n, "void");
	name = dwarf_diename(&type);
	switch (dwarf_tag(&type)) {
	case DW_TAG_const_type:
		before = "const ";
		break;
	case DW_TAG_volatile_type:
		before = "volatile ";
		break;
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
		break;
	case DW_TAG_pointer_type:
		behind = " *";
		break;
	case DW_TAG_reference_type:
		behind = " &";
		break;
	case DW_TAG_rvalue_reference_type:
		behind = " &&";
		break;
	case DW_TAG_array_type:
		behind = " []";
		break;
	case DW_TAG_structure_type:
		return params_text_put(dst, size, params_text_put(dst, size, n, "struct "), name ? name : "{}");
	case DW_TAG_union_type:
		return params_text_put(dst, size, params_text_put(dst, size, n, "union "), name ? name : "{}");
	case DW_TAG_enumeration_type:
		return params_text_put(dst, size, params_text_put(dst, size, n, "enum "), name ? name : "{}");
	case DW_TAG_subroutine_type:
		return params_text_put(dst, size, n, "function");
	default:
		return params_text_put(dst, size, n, name ? name : "?");
	}
	n = params_text_put(dst, size, n, before);
	return params_text_put(dst, size, params_text_type(&type, dst, size, n, depth + 1), behind);
}

static const struct params_function *params_text_find(struct params *p, uint64_t pc)
{
	const struct params_function key = { .pc = pc };

	if (!p->listed)
		params_text_list_all(p);
	return p->functions.n ? bsearch(&key, p->functions.v, p->functions.n, sizeof(key), params_text_by_pc) : NULL;
}

char *params_text(struct params *p, uint64_t pc, char *dst, size_t size)
{
	const struct params_function *f = params_text_find(p, pc);
	char type[TYPE_TEXT_MAX];
	Dwarf_Die fn, at;
	size_t n = 0;

	*dst = '\0';
	if (!f || !dwarf_offdie(p->dw, f->die, &fn))
		return dst;
	for (int more = dwarf_child(&fn, &at); !more; more = dwarf_siblingof(&at, &at)) {
		const char *name = dwarf_tag(&at) == DW_TAG_formal_parameter ? dwarf_diename(&at) : NULL;

		if (!name)
			continue;
		*type = '\0';
		params_text_type(&at, type, sizeof(type), 0, 0);
		n = params_text_put(dst, size, n, n ? ", " : "");
		n = params_text_put(dst, size, n, type);
		n = params_text_put(dst, size, n, " ");
		n = params_text_put(dst, size, n, name);
	}
	return dst;
}
