/* SPDX-License-Identifier: BSD-2-Clause */
/* params.c - see params.h. */
#include "config.h"

#include "symbol/params_impl.h"

#include "base/text.h"
#include "symbol/dwarf.h"
#include "symbol/unpack.h"

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNITS_LOOKED_AT 100000u
#define TYPES_MAX 32u            /* names and qualifiers of one type */
#define MEMBERS_MAX 10000u       /* of one structure */
#define NESTED_MAX 8u            /* structures without names in one another */

int params_open(const struct elf_file *f, struct params **ret, struct err *e)
{
	AUTO(params_free) struct params *p = NULL;
	int r;

	if (!dwarf_info_present(f))
		return err_set(e, ENOENT, "it has no debug information");
	if (dwarf_debug_bytes(f) > DWARF_BYTES_MAX)
		return err_set(e, EFBIG, "its debug information is too large");
	p = calloc(1, sizeof(*p));
	if (!p)
		return err_nomem(e, "the names of parameters");
	p->fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 3);
	elf_version(EV_CURRENT);
	p->elf = p->fd >= 0 ? elf_begin(p->fd, ELF_C_READ, NULL) : NULL;
	r = p->elf ? unpack_debug(p->elf, e) : 0;
	if (r)
		return r;
	p->dw = p->elf ? dwarf_begin_elf(p->elf, DWARF_C_READ, NULL) : NULL;
	if (!p->dw)
		return err_set(e, EBADMSG, "its debug information cannot be read: %s", dwarf_errmsg(-1));
	*ret = take_ptr(p);
	return 0;
}

void params_free(struct params *p)
{
	if (!p)
		return;
	dwarf_end(p->dw);
	elf_end(p->elf);
	if (p->fd >= 0)
		close(p->fd);
	vec_free(&p->functions);
	free(p);
}

struct Dwarf *params_dwarf(struct params *p)
{
	return p->dw;
}

/* The unit that has code at PC. Not all compilers write a table of addresses. */
static bool params_unit(struct params *p, uint64_t pc, Dwarf_Die *ret)
{
	Dwarf_Off at = 0, next;
	size_t head;

	if (dwarf_addrdie(p->dw, pc, ret))
		return true;
	for (unsigned int i = 0; i < UNITS_LOOKED_AT && !dwarf_nextcu(p->dw, at, &next, &head, NULL, NULL, NULL); i++) {
		if (dwarf_offdie(p->dw, at + head, ret) && dwarf_haspc(ret, pc) > 0)
			return true;
		at = next;
	}
	return false;
}

/* The function around PC. */
static bool params_function(struct params *p, uint64_t pc, Dwarf_Die *ret)
{
	Dwarf_Die unit, *scopes = NULL;
	int n = params_unit(p, pc, &unit) ? dwarf_getscopes(&unit, pc, &scopes) : 0;
	bool found = false;

	for (int i = 0; i < n && !found; i++) {
		found = dwarf_tag(&scopes[i]) == DW_TAG_subprogram;
		if (found)
			*ret = scopes[i];
	}
	free(scopes);
	return found;
}

bool params_type_of(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Die at = *die;

	for (unsigned int i = 0; i < TYPES_MAX; i++) {
		if (!dwarf_attr_integrate(&at, DW_AT_type, &attr) || !dwarf_formref_die(&attr, ret))
			return false;
		switch (dwarf_tag(ret)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			at = *ret;
			break;
		default:
			return true;
		}
	}
	return false;
}

static bool is_pointer(Dwarf_Die *type)
{
	const int tag = dwarf_tag(type);

	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

uint64_t params_number_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return dwarf_attr_integrate(die, name, &attr) && !dwarf_formudata(&attr, &value) ? value : 0;
}

/* Whether TYPE is a number: *RET gets its size and sign. */
static bool is_number_type(Dwarf_Die *type, struct param_value *ret)
{
	const uint64_t size = is_pointer(type) ? sizeof(uint64_t) : params_number_of(type, DW_AT_byte_size);
	const uint64_t encoding = params_number_of(type, DW_AT_encoding);
	Dwarf_Die under;
	bool is_signed = false;

	if (dwarf_tag(type) == DW_TAG_base_type) {
		is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
		if (!is_signed && encoding != DW_ATE_unsigned && encoding != DW_ATE_unsigned_char &&
		    encoding != DW_ATE_boolean && encoding != DW_ATE_UTF && encoding != DW_ATE_address)
			return false;
	} else if (dwarf_tag(type) == DW_TAG_enumeration_type) {
		is_signed = params_type_of(type, &under) && params_number_of(&under, DW_AT_encoding) == DW_ATE_signed;
	} else if (!is_pointer(type)) {
		return false;
	}
	ret->size = (uint8_t)size;
	ret->is_signed = is_signed;
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/*
 * In which register PARAM, which goes by memory, is passed to FN: numbers and pointers go by the next of REGS. A
 * structure, before it or as the result, may take some.
 */
static int param_by_order(Dwarf_Die *fn, Dwarf_Die *param, const uint8_t regs[PARAM_ARGS], uint8_t *ret)
{
	struct param_value v;
	Dwarf_Die at, type;
	unsigned int i = 0;

	if ((params_type_of(fn, &type) && dwarf_tag(&type) != DW_TAG_base_type && !is_number_type(&type, &v)) ||
	    dwarf_child(fn, &at))
		return -EOPNOTSUPP;
	do {
		if (dwarf_tag(&at) != DW_TAG_formal_parameter)
			continue;
		if (!params_type_of(&at, &type))
			return -EOPNOTSUPP;
		if (is_number_type(&type, &v)) {
			if (i == PARAM_ARGS)
				return -EOPNOTSUPP;
			*ret = regs[i++];
		} else if (dwarf_tag(&type) != DW_TAG_base_type || dwarf_dieoffset(&at) == dwarf_dieoffset(param)) {
			return -EOPNOTSUPP;
		}
		if (dwarf_dieoffset(&at) == dwarf_dieoffset(param))
			return 0;
	} while (!dwarf_siblingof(&at, &at));
	return -EOPNOTSUPP;
}

/* The register in which PARAM of FN is at PC. */
static int param_register(Dwarf_Die *fn, Dwarf_Die *param, uint64_t pc, const uint8_t regs[PARAM_ARGS], uint8_t *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Op *op;
	size_t n;

	if (!dwarf_attr(param, DW_AT_location, &attr) || dwarf_getlocation_addr(&attr, pc, &op, &n, 1) != 1 || !n)
		return -EOPNOTSUPP;
	if (n == 1 && op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
		*ret = (uint8_t)(op->atom - DW_OP_reg0);
		return 0;
	}
	/* Without optimisation it goes to the stack: not yet. */
	return op->atom == DW_OP_fbreg && n == 1 ? param_by_order(fn, param, regs, ret) : -EOPNOTSUPP;
}

/* The member NAME of the structure TYPE, and where in it that is. False when it has none. */
static bool find_member(Dwarf_Die *type, const char *name, unsigned int nested, Dwarf_Die *ret, int64_t *ret_offset)
{
	Dwarf_Die at, inner;
	int64_t offset;

	if (nested == NESTED_MAX || dwarf_child(type, &at))
		return false;
	for (unsigned int i = 0; i < MEMBERS_MAX; i++) {
		const int tag = dwarf_tag(&at);
		const char *is = dwarf_diename(&at);

		if (tag == DW_TAG_member && is && !strcmp(is, name)) {
			*ret = at;
			*ret_offset = (int64_t)params_number_of(&at, DW_AT_data_member_location);
			return true;
		}
		/* What a structure without a name has, or a class that this one is made of. */
		if (((tag == DW_TAG_member && !is) || (tag == DW_TAG_inheritance &&
		     !params_number_of(&at, DW_AT_virtuality))) && params_type_of(&at, &inner) &&
		    find_member(&inner, name, nested + 1, ret, &offset)) {
			*ret_offset = offset + (int64_t)params_number_of(&at, DW_AT_data_member_location);
			return true;
		}
		if (dwarf_siblingof(&at, &at))
			return false;
	}
	return false;
}

/* A value on the way from a parameter to what is asked for. */
struct param_at {
	const char *param;       /* for sentences */
	Dwarf_Die type;
	bool in_memory;          /* at the offset of the next hop */
	struct param_value *value;
};

/* The address that A holds becomes what the next hop reads at. */
static int param_follow(struct param_at *a, const char *step, struct err *e)
{
	Dwarf_Die to;

	if (!is_pointer(&a->type))
		return err_set(e, EINVAL, "what stands before '%s' in the path from parameter '%s' is no pointer", step,
			       a->param);
	if (!params_type_of(&a->type, &to))
		return err_set(e, EINVAL, "what stands before '%s' in the path from parameter '%s' points to no known "
			       "type", step, a->param);
	if (a->in_memory && ++a->value->hops >= PARAM_HOPS)
		return err_set(e, E2BIG, "the path from parameter '%s' goes through too many pointers: %u are possible",
			       a->param, PARAM_HOPS);
	a->in_memory = true;
	a->type = to;
	return 0;
}

static int param_member(struct param_at *a, const struct param_step *s, struct err *e)
{
	Dwarf_Die member, type;
	int64_t offset;
	int r;

	/* References are pointers that are written like what they point to. */
	if (s->join == PARAM_POINTER || (is_pointer(&a->type) && dwarf_tag(&a->type) != DW_TAG_pointer_type)) {
		r = param_follow(a, s->name, e);
		if (r)
			return r;
	}
	if (is_pointer(&a->type))
		return err_set(e, EINVAL, "'.%s' in the path from parameter '%s' stands behind a pointer: write ->%s",
			       s->name, a->param, s->name);
	if (!a->in_memory)
		return err_set(e, EOPNOTSUPP, "parameter '%s' is no pointer, and was passed in pieces: its member '%s' "
			       "cannot be read", a->param, s->name);
	if (!find_member(&a->type, s->name, 0, &member, &offset) || !params_type_of(&member, &type))
		return err_set(e, ENOENT, "'%s' in the path from parameter '%s' is no member of '%s'%s", s->name,
			       a->param, dwarf_diename(&a->type) ? dwarf_diename(&a->type) : "that structure",
			       dwarf_hasattr(&a->type, DW_AT_declaration) ? ", of which the debug information of this "
			       "part of the program says nothing" : "");
	if (dwarf_hasattr_integrate(&member, DW_AT_bit_size))
		return err_set(e, EOPNOTSUPP, "member '%s' is a field of bits, which cannot be read", s->name);
	a->value->offset[a->value->hops] += offset;
	a->type = type;
	return 0;
}

static int param_element(struct param_at *a, const struct param_step *s, struct err *e)
{
	Dwarf_Die element;
	Dwarf_Word size;
	int r;

	if (is_pointer(&a->type)) {
		r = param_follow(a, "[", e);
		if (r)
			return r;
		element = a->type;
	} else if (dwarf_tag(&a->type) != DW_TAG_array_type || !a->in_memory || !params_type_of(&a->type, &element)) {
		return err_set(e, EINVAL, "what stands before '[' in the path from parameter '%s' is neither an array "
			       "nor a pointer", a->param);
	}
	if (dwarf_aggregate_size(&element, &size) || size > UINT32_MAX)
		return err_set(e, EOPNOTSUPP, "what '[' in the path from parameter '%s' counts is of unknown size",
			       a->param);
	a->value->offset[a->value->hops] += (int64_t)(s->index * size);
	a->type = element;
	return 0;
}

/* Is TYPE a character? */
static bool is_char(Dwarf_Die *type)
{
	const uint64_t encoding = params_number_of(type, DW_AT_encoding);

	return dwarf_tag(type) == DW_TAG_base_type && params_number_of(type, DW_AT_byte_size) == 1 &&
		(encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char || encoding == DW_ATE_UTF);
}

/* A, which is a pointer to characters, or an array of them, becomes the string there. */
static int param_string(struct param_at *a, struct err *e)
{
	Dwarf_Die of;

	a->value->size = 1;
	if (is_pointer(&a->type) && params_type_of(&a->type, &of) && is_char(&of))
		return param_follow(a, "its text", e);
	if (dwarf_tag(&a->type) == DW_TAG_array_type && a->in_memory && params_type_of(&a->type, &of) && is_char(&of))
		return 0;
	return err_set(e, EOPNOTSUPP, "what the path leads to from parameter '%s' is no text: no 'char *', and no "
		       "array of 'char'", a->param);
}

/* Goes STEPS from A on, up to a number, or a TEXT. */
static int param_walk(struct param_at *a, const struct param_step *step, uint32_t n, bool text, struct err *e)
{
	int r = 0;

	for (uint32_t i = 0; i < n && !r; i++)
		r = step[i].join == PARAM_INDEX ? param_element(a, &step[i], e) : param_member(a, &step[i], e);
	r = r || !text ? r : param_string(a, e);
	if (r)
		return r;
	if (!text && !is_number_type(&a->type, a->value))
		return err_set(e, EOPNOTSUPP, "%s '%s' is no number of at most 8 bytes, and no pointer",
			       n ? "what the path leads to from parameter" : "parameter", a->param);
	a->value->hops += a->in_memory;
	return 0;
}

/* The parameter of FN that is in the register of NAME, which is "argN", at PC. */
static bool param_by_number(Dwarf_Die *fn, const char *name, uint64_t pc, const uint8_t regs[PARAM_ARGS],
			    Dwarf_Die *ret)
{
	const bool numbered = !strncmp(name, "arg", 3) && strlen(name) == 4 && name[3] >= '0';
	const unsigned int number = numbered ? (unsigned int)(name[3] - '0') : PARAM_ARGS;
	uint8_t reg;

	if (number >= PARAM_ARGS || dwarf_child(fn, ret))
		return false;
	do {
		if (dwarf_tag(ret) == DW_TAG_formal_parameter && !param_register(fn, ret, pc, regs, &reg) &&
		    reg == regs[number])
			return true;
	} while (!dwarf_siblingof(ret, ret));
	return false;
}

/* FN has no parameter NAME. */
static int param_unknown(Dwarf_Die *fn, const char *name, struct err *e)
{
	char others[200] = "";
	size_t len = 0;
	Dwarf_Die at;

	if (!dwarf_child(fn, &at)) {
		do {
			const char *is = dwarf_tag(&at) == DW_TAG_formal_parameter ? dwarf_diename(&at) : NULL;

			if (is && len + strlen(is) + 3 < sizeof(others))
				len += (size_t)snprintf(others + len, sizeof(others) - len, "%s%s", len ? ", " : "",
							is);
		} while (!dwarf_siblingof(&at, &at));
	}
	return err_set(e, ENOENT, "function '%.100s' has no parameter '%s'%s%s", dwarf_diename(fn) ? dwarf_diename(fn) :
		       "?", name, *others ? ": it has " : "", others);
}

int params_find(struct params *p, uint64_t pc, const char *name, const struct param_step *step, uint32_t n,
		bool text, const uint8_t regs[PARAM_ARGS], struct param_value *ret, struct err *e)
{
	struct param_at a = { .param = name, .value = ret };
	Dwarf_Die fn, at;
	bool found = false;

	memset(ret, 0, sizeof(*ret));
	if (!params_function(p, pc, &fn))
		return err_set(e, ENOENT, "the debug information does not know the function at 0x%llx: use arg0 to "
			       "arg5", (unsigned long long)pc);
	for (int more = dwarf_child(&fn, &at); !more && !found; more = found ? 1 : dwarf_siblingof(&at, &at))
		found = dwarf_tag(&at) == DW_TAG_formal_parameter && dwarf_diename(&at) &&
			!strcmp(dwarf_diename(&at), name);
	if (!found && !strcmp(name, "retval")) {
		ret->is_result = true;
		return params_type_of(&fn, &a.type) ? param_walk(&a, step, n, text, e) :
			err_set(e, ENOENT, "function '%.100s' returns nothing",
				dwarf_diename(&fn) ? dwarf_diename(&fn) : "?");
	}
	if (!found)
		found = param_by_number(&fn, name, pc, regs, &at);
	if (!found)
		return param_unknown(&fn, name, e);
	if (!params_type_of(&at, &a.type) || param_register(&fn, &at, pc, regs, &ret->reg))
		return err_set(e, EOPNOTSUPP, "parameter '%s' is in no register when function '%.100s' begins: the "
			       "compiler left it out, or it is passed in memory", name,
			       dwarf_diename(&fn) ? dwarf_diename(&fn) : "?");
	return param_walk(&a, step, n, text, e);
}

/* DIE, a parameter or a function, by the type of what it is, as NAME. */
static void param_list(Dwarf_Die *die, const char *name, struct param_listed *ret)
{
	struct param_value v = { 0 };
	Dwarf_Die type;

	if (!name || !params_type_of(die, &type) || !is_number_type(&type, &v))
		return;
	text_format(ret->name, sizeof(ret->name), "%s", name);
	ret->size = v.size;
	ret->is_signed = v.is_signed;
	ret->is_pointer = is_pointer(&type);
}

void params_list(struct params *p, uint64_t pc, const uint8_t regs[PARAM_ARGS], struct param_listed ret[PARAM_ARGS + 1])
{
	Dwarf_Die fn, at;
	uint8_t reg;

	memset(ret, 0, (PARAM_ARGS + 1) * sizeof(*ret));
	if (!params_function(p, pc, &fn))
		return;
	param_list(&fn, "retval", &ret[PARAM_ARGS]);
	for (int more = dwarf_child(&fn, &at); !more; more = dwarf_siblingof(&at, &at)) {
		if (dwarf_tag(&at) != DW_TAG_formal_parameter || param_register(&fn, &at, pc, regs, &reg))
			continue;
		for (unsigned int i = 0; i < PARAM_ARGS; i++)
			if (regs[i] == reg)
				param_list(&at, dwarf_diename(&at), &ret[i]);
	}
}
