/* SPDX-License-Identifier: BSD-2-Clause */
/* ktypes.c - see ktypes.h. */
#include "config.h"

#include "probe/ktypes_private.h"

#include "base/text.h"
#include "probe/nearest.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ELEMENT_MAX (1 << 24)            /* bytes of one of an array: whatever its number is, it is somewhere */
#define NESTED_MAX 16u           /* members without a name, in each other */
#define TYPE_TEXT_MAX 128u

static int ktypes_compare(const void *a, const void *b)
{
	return strcmp(((const struct ktypes_name *)a)->name, ((const struct ktypes_name *)b)->name);
}

const struct btf_type *ktypes_plain(const struct ktypes *t, uint32_t id)
{
	const struct btf_type *type = btf__type_by_id(t->btf, id);

	for (unsigned int i = 0; type && i < MODIFIERS_MAX; i++) {
		if (!btf_is_mod(type) && !btf_is_typedef(type) && !btf_is_type_tag(type))
			break;
		id = type->type;
		type = btf__type_by_id(t->btf, id);
	}
	return type;
}

static int ktypes_index(struct ktypes *t)
{
	const uint32_t n = btf__type_cnt(t->btf);
	size_t nr = 0;

	for (uint32_t id = 1; id < n; id++)
		nr += btf_is_func(btf__type_by_id(t->btf, id));
	t->name = calloc(nr + 1, sizeof(*t->name));
	if (!t->name)
		return -ENOMEM;
	for (uint32_t id = 1; id < n; id++) {
		const struct btf_type *type = btf__type_by_id(t->btf, id);
		const char *name = btf_is_func(type) ? btf__name_by_offset(t->btf, type->name_off) : NULL;

		if (name)
			t->name[t->nr++] = (struct ktypes_name){ name, type->type };
	}
	qsort(t->name, t->nr, sizeof(*t->name), ktypes_compare);
	return 0;
}

int ktypes_of_btf(struct btf *btf, struct ktypes **ret, struct err *e)
{
	AUTO(ktypes_free) struct ktypes *t = btf ? calloc(1, sizeof(*t)) : NULL;

	if (!btf)
		return -ENOENT;
	if (!t) {
		btf__free(btf);
		return err_nomem(e, "types of the kernel");
	}
	t->btf = btf;
	if (ktypes_index(t))
		return err_nomem(e, "types of the kernel");
	*ret = take_ptr(t);
	return 0;
}

int ktypes_open(struct ktypes **ret, struct err *e)
{
	struct btf *btf = btf__load_vmlinux_btf();

	if (!btf)
		err_set(e, ENOENT, "this kernel says nothing of its types (CONFIG_DEBUG_INFO_BTF): use arg0 to arg5");
	return ktypes_of_btf(btf, ret, e);
}

int ktypes_open_module(const char *module, const struct ktypes *kernel, struct ktypes **ret, struct err *e)
{
	struct btf *btf = btf__load_module_btf(module, kernel->btf);

	if (!btf)
		err_set(e, ENOENT, "the kernel says nothing of the types of module %s", module);
	return ktypes_of_btf(btf, ret, e);
}

int ktypes_open_program(uint32_t btf_id, struct ktypes **ret, struct err *e)
{
	struct btf *btf = btf__load_from_kernel_by_id(btf_id);

	if (!btf)
		err_set(e, ENOENT, "the BPF program says nothing of its types");
	return ktypes_of_btf(btf, ret, e);
}

void ktypes_free(struct ktypes *t)
{
	if (!t)
		return;
	free(t->name);
	btf__free(t->btf);
	free(t);
}

/* What the function BEFORE NAME is given; NULL = nothing is known. */
static const struct btf_type *ktypes_function(const struct ktypes *t, const char *before, const char *name)
{
	char whole[256];
	const struct ktypes_name wanted = { .name = whole };
	const struct ktypes_name *found;
	const struct btf_type *proto;

	/* A copy that the compiler made for some callers is called f.isra.0, and one of a module "f [module]". */
	text_format(whole, sizeof(whole), "%s%.*s", before, (int)strcspn(name, ". "), name);
	found = bsearch(&wanted, t->name, t->nr, sizeof(wanted), ktypes_compare);
	proto = found ? btf__type_by_id(t->btf, found->proto) : NULL;
	return proto && btf_is_func_proto(proto) ? proto : NULL;
}

/* The type of function that is called by the tracepoint NAME: its parameters have no names. */
static const struct btf_type *ktypes_called(const struct ktypes *t, const char *name)
{
	const struct btf_type *type;
	char whole[256];
	int id;

	text_format(whole, sizeof(whole), "btf_trace_%s", name);
	id = btf__find_by_name_kind(t->btf, whole, BTF_KIND_TYPEDEF);
	type = id > 0 ? ktypes_plain(t, (uint32_t)id) : NULL;
	type = type && btf_is_ptr(type) ? ktypes_plain(t, type->type) : NULL;
	return type && btf_is_func_proto(type) ? type : NULL;
}

/* What WHAT is given; NULL = nothing is known. *RET_FIRST: the first parameter that is one of its caller. */
static const struct btf_type *ktypes_proto(const struct ktypes *t, enum ktypes_of of, const char *what,
					   unsigned int *ret_first)
{
	const struct btf_type *r = ktypes_function(t, of == KTYPES_TRACEPOINT ? "__traceiter_" : "", what);

	/* The first one of a tracepoint is for whoever is called by it. */
	*ret_first = of == KTYPES_TRACEPOINT;
	return r || of == KTYPES_FUNCTION ? r : ktypes_called(t, what);
}

/* Where a walk from an argument to a value is. */
struct ktypes_walk {
	const struct ktypes *t;
	const char *shown;       /* what was walked to so far, for sentences */
	uint32_t type;
	bool in_memory;          /* the value is at OFFSET behind what the hops lead to; else it is an argument */
	int64_t offset;
	struct ktypes_value *ret;
	struct err *e;
};

static int ktypes_hop(struct ktypes_walk *w)
{
	if (w->ret->hops == PARAM_HOPS)
		return err_set(w->e, EOPNOTSUPP, "'%s' cannot be read: it is behind more than %u pointers", w->shown,
			       PARAM_HOPS - 1);
	w->ret->offset[w->ret->hops++] = w->offset;
	w->offset = 0;
	return 0;
}

/* From the pointer, which the value is, to where it points. */
static int ktypes_follow(struct ktypes_walk *w)
{
	const struct btf_type *type = ktypes_plain(w->t, w->type);
	int r = 0;

	if (w->in_memory)
		r = ktypes_hop(w);
	w->in_memory = true;
	w->type = type->type;
	return r;
}

static const char *ktypes_name_of(const struct ktypes *t, const struct btf_type *type)
{
	const char *name = btf__name_by_offset(t->btf, type->name_off);

	return name && *name ? name : "(without a name)";
}

/* The member NAME of TYPE, also of members without a name: *RET_BITS behind its begin. NULL = there is none. */
static const struct btf_member *ktypes_member(const struct ktypes *t, const struct btf_type *type, const char *name,
					      unsigned int depth, struct nearest *near, uint32_t *ret_bits,
					      bool *ret_field)
{
	const struct btf_member *m = btf_members(type);

	for (unsigned int i = 0; i < btf_vlen(type); i++) {
		const char *called = btf__name_by_offset(t->btf, m[i].name_off);
		const struct btf_type *inner = called && *called ? NULL : ktypes_plain(t, m[i].type);
		const struct btf_member *found;

		if (called && *called && near)
			nearest_offer(near, called);
		if (called && !strcmp(called, name)) {
			*ret_bits = btf_member_bit_offset(type, i);
			*ret_field = btf_member_bitfield_size(type, i);
			return &m[i];
		}
		if (!inner || !btf_is_composite(inner) || depth == NESTED_MAX)
			continue;
		found = ktypes_member(t, inner, name, depth + 1, near, ret_bits, ret_field);
		if (!found)
			continue;
		*ret_bits += btf_member_bit_offset(type, i);
		return found;
	}
	return NULL;
}

static int ktypes_to_member(struct ktypes_walk *w, const char *name)
{
	const struct btf_type *type = ktypes_plain(w->t, w->type);
	struct nearest near = nearest_begin(name, strlen(name));
	const struct btf_member *m = NULL;
	bool field = false;
	uint32_t bits = 0;

	if (type && btf_is_composite(type))
		m = ktypes_member(w->t, type, name, 0, &near, &bits, &field);
	if (type && btf_is_composite(type) && !m)
		return err_set(w->e, ENOENT, "%s %s of the kernel has no member '%s'%s%s%s",
			       btf_is_union(type) ? "union" : "struct", ktypes_name_of(w->t, type), name,
			       *near.best ? ": did you mean '" : "", near.best, *near.best ? "'?" : "");
	if (!m)
		return err_set(w->e, EOPNOTSUPP, "'%s' has no members of which the kernel's types know", w->shown);
	if (field || bits % 8)
		return err_set(w->e, EOPNOTSUPP, "'%s' of '%s' is a field of bits, which cannot be read", name,
			       w->shown);
	w->offset += bits / 8;
	w->type = m->type;
	return 0;
}

static int ktypes_to_element(struct ktypes_walk *w, uint32_t index)
{
	const struct btf_type *type = ktypes_plain(w->t, w->type);
	int64_t size;
	int r = 0;

	if (type && btf_is_ptr(type))
		r = ktypes_follow(w);
	else if (type && btf_is_array(type) && w->in_memory)
		w->type = btf_array(type)->type;
	else
		return err_set(w->e, EOPNOTSUPP, "'%s' is no array", w->shown);
	size = btf__resolve_size(w->t->btf, w->type);
	if (!r && (size <= 0 || size > ELEMENT_MAX))
		return err_set(w->e, EOPNOTSUPP, "elements of '%s' have no size, or one that cannot be", w->shown);
	w->offset += (int64_t)index * size;
	return r;
}

static int ktypes_step(struct ktypes_walk *w, const struct param_step *s)
{
	const struct btf_type *type = ktypes_plain(w->t, w->type);
	const bool pointer = type && btf_is_ptr(type);
	int r = 0;

	if (s->join == PARAM_INDEX)
		return ktypes_to_element(w, s->index);
	if (pointer != (s->join == PARAM_POINTER))
		return err_set(w->e, EOPNOTSUPP, pointer ? "'%s' is a pointer: use '%s->%s'" :
			       "'%s' is no pointer: use '%s.%s'", w->shown, w->shown, s->name);
	r = pointer ? ktypes_follow(w) : 0;
	return r ? r : ktypes_to_member(w, s->name);
}

static bool ktypes_is_char(const struct ktypes *t, uint32_t id)
{
	const struct btf_type *type = ktypes_plain(t, id);

	return type && btf_is_int(type) && type->size == 1;
}

/* The value at which W has come is a string. */
static int ktypes_end_text(struct ktypes_walk *w)
{
	const struct btf_type *type = ktypes_plain(w->t, w->type);
	int r = 0;

	if (type && btf_is_ptr(type) && ktypes_is_char(w->t, type->type))
		r = ktypes_follow(w);
	else if (!type || !btf_is_array(type) || !ktypes_is_char(w->t, btf_array(type)->type) || !w->in_memory)
		return err_set(w->e, EOPNOTSUPP, "'%s' is no text", w->shown);
	w->ret->size = 1;
	return r ? r : ktypes_hop(w);
}

static int ktypes_end(struct ktypes_walk *w)
{
	const struct btf_type *type = ktypes_plain(w->t, w->type);
	const int64_t size = type ? btf__resolve_size(w->t->btf, w->type) : 0;

	if (!type || !(btf_is_int(type) || btf_is_any_enum(type) || btf_is_ptr(type)) ||
	    (size != 1 && size != 2 && size != 4 && size != 8))
		return err_set(w->e, EOPNOTSUPP, "'%s' is no number and no pointer", w->shown);
	w->ret->size = (uint8_t)size;
	w->ret->is_signed = btf_is_int(type) ? btf_int_encoding(type) & BTF_INT_SIGNED :
		btf_is_any_enum(type) && btf_kflag(type);
	return w->in_memory ? ktypes_hop(w) : 0;
}

/* What W has come to, or with POINTED what that points to, is to be shown. */
static int ktypes_end_value(struct ktypes_walk *w, bool pointed)
{
	const struct btf_type *type = ktypes_plain(w->t, w->type);
	int64_t size;
	int r = 0;

	if (pointed && (!type || !btf_is_ptr(type)))
		return err_set(w->e, EOPNOTSUPP, "'%s' is no pointer: leave out the '*'", w->shown);
	if (pointed)
		r = ktypes_follow(w);
	/* What points to characters, or consists of them, is a string. */
	else if (type && ((btf_is_ptr(type) && ktypes_is_char(w->t, type->type)) ||
			  (btf_is_array(type) && w->in_memory && ktypes_is_char(w->t, btf_array(type)->type))))
		return ktypes_end_text(w);
	if (r)
		return r;
	type = ktypes_plain(w->t, w->type);
	size = type && !btf_is_void(type) && !btf_is_func_proto(type) ? btf__resolve_size(w->t->btf, w->type) : 0;
	if (size <= 0)
		return err_set(w->e, EOPNOTSUPP, "'%s%s' cannot be shown: the types do not say what is there",
			       pointed ? "*" : "", w->shown);
	w->ret->type = w->type;
	w->ret->bytes = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
	w->ret->size = 1;
	return w->in_memory ? ktypes_hop(w) : 0;
}

/* Goes all N STEPS from where W begins. */
static int ktypes_go(struct ktypes_walk *w, const char *name, const struct param_step *step, uint32_t n,
		     enum ktypes_want want)
{
	char shown[256];
	size_t at = (size_t)text_format(shown, sizeof(shown), "%s", name);
	int r = 0;

	w->shown = shown;
	for (uint32_t i = 0; i < n && !r; i++) {
		r = ktypes_step(w, &step[i]);
		if (step[i].join == PARAM_INDEX)
			at += text_format(shown + at, sizeof(shown) - at, "[%u]", step[i].index);
		else
			at += text_format(shown + at, sizeof(shown) - at, "%s%s",
					  step[i].join == PARAM_POINTER ? "->" : ".", step[i].name);
	}
	if (!r)
		r = want == KTYPES_STRING ? ktypes_end_text(w) : want == KTYPES_NUMBER ? ktypes_end(w) :
			ktypes_end_value(w, want == KTYPES_POINTED);
	w->shown = NULL;
	return r;
}

/* Which parameter of PROTO, behind the FIRST ones, is called NAME; -1 = none, which NEAR has a better name for. */
static int ktypes_parameter(const struct ktypes *t, const struct btf_type *proto, unsigned int first, const char *name,
			    struct nearest *near)
{
	const struct btf_param *p = btf_params(proto);
	const int n = (int)btf_vlen(proto) - (int)first;

	for (int i = 0; i < n; i++) {
		const char *called = btf__name_by_offset(t->btf, p[first + (unsigned int)i].name_off);

		if (called && !strcmp(called, name))
			return i;
		if (called && *called)
			nearest_offer(near, called);
	}
	if (!strncmp(name, "arg", 3) && name[3] >= '0' && name[3] < '0' + (n < 10 ? n : 10) && !name[4])
		return name[3] - '0';
	return -1;
}

int ktypes_find(struct ktypes *t, enum ktypes_of of, const char *what, const char *name,
		const struct param_step *step, uint32_t n, enum ktypes_want want, struct ktypes_value *ret,
		struct err *e)
{
	static const char *const kind[] = { [KTYPES_FUNCTION] = "function", [KTYPES_TRACEPOINT] = "tracepoint" };
	struct nearest near = nearest_begin(name, strlen(name));
	struct ktypes_walk w = { .t = t, .ret = ret, .e = e };
	unsigned int first;
	const struct btf_type *proto = ktypes_proto(t, of, what, &first);
	int arg;

	*ret = (struct ktypes_value){ 0 };
	if (!proto)
		return err_set(e, ENOENT, "the kernel's types say nothing of its %s '%.100s': use arg0 to arg5",
			       kind[of], what);
	if (of == KTYPES_FUNCTION && !strcmp(name, "retval")) {
		ret->is_result = true;
		w.type = proto->type;
		return ktypes_go(&w, name, step, n, want);
	}
	arg = ktypes_parameter(t, proto, first, name, &near);
	if (arg < 0)
		return err_set(e, ENOENT, "%s %.100s of the kernel has no parameter '%.100s'%s%s%s", kind[of], what,
			       name, *near.best ? ": did you mean '" : "", near.best, *near.best ? "'?" : "");
	if (of == KTYPES_FUNCTION && arg >= (int)PARAM_ARGS)
		return err_set(e, EOPNOTSUPP, "'%.100s' cannot be read: it is parameter %d, and those up to the sixth "
			       "can", name, arg + 1);
	ret->arg = (uint8_t)arg;
	w.type = btf_params(proto)[first + (unsigned int)arg].type;
	w.in_memory = of == KTYPES_TRACEPOINT;
	w.offset = of == KTYPES_TRACEPOINT ? 8 * arg : 0;
	return ktypes_go(&w, name, step, n, want);
}

/* The type of that NAME of LEN bytes, "struct" before it or not; 0 = there is none. */
static uint32_t ktypes_named(const struct ktypes *t, const char *name, size_t len)
{
	static const struct {
		const char *word;
		uint32_t kind;
	} words[] = { { "struct ", BTF_KIND_STRUCT }, { "union ", BTF_KIND_UNION }, { "enum ", BTF_KIND_ENUM } };
	uint32_t kind = 0;
	char text[128];
	int id;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words) && !kind; i++)
		if (len > strlen(words[i].word) && !strncmp(name, words[i].word, strlen(words[i].word))) {
			kind = words[i].kind;
			name += strlen(words[i].word);
			len -= strlen(words[i].word);
		}
	text_format(text, sizeof(text), "%.*s", (int)len, name);
	id = btf__find_by_name_kind(t->btf, text, kind ? kind : BTF_KIND_TYPEDEF);
	if (id < 0 && !kind)
		id = btf__find_by_name_kind(t->btf, text, BTF_KIND_INT);
	return id > 0 ? (uint32_t)id : 0;
}

int ktypes_behind(struct ktypes *t, const char *type, const char *name, const struct param_step *step, uint32_t n,
		  enum ktypes_want want, struct ktypes_value *ret, struct err *e)
{
	struct ktypes_walk w = { .t = t, .ret = ret, .e = e };
	const char *at = type;
	size_t len;

	*ret = (struct ktypes_value){ 0 };
	while (!strncmp(at, "const ", strlen("const ")))
		at += strlen("const ");
	len = strcspn(at, "*");
	while (len && at[len - 1] == ' ')
		len--;
	/* A pointer to it, and nothing more. */
	if (!strchr(at, '*') || strchr(strchr(at, '*') + 1, '*') || (!n && want != KTYPES_POINTED))
		return err_set(e, EOPNOTSUPP, "'%s' leads to nothing that is known: it is a '%s'", name, type);
	w.type = ktypes_named(t, at, len);
	if (!w.type)
		return err_set(e, ENOENT, "the kernel's types do not know what '%s', a '%s', points to", name, type);
	w.in_memory = true;
	w.shown = name;
	if (!n)
		return ktypes_go(&w, name, step, 0, KTYPES_VALUE);
	if (step->join == PARAM_INDEX) {
		const int64_t size = btf__resolve_size(t->btf, w.type);

		if (size <= 0)
			return err_set(e, EOPNOTSUPP, "elements of '%s' have no size", name);
		w.offset = (int64_t)step->index * size;
	} else if (step->join != PARAM_POINTER) {
		return err_set(e, EOPNOTSUPP, "'%s' is a pointer: use '%s->%s'", name, name, step->name);
	} else {
		const int r = ktypes_to_member(&w, step->name);

		if (r)
			return r;
	}
	return ktypes_go(&w, step->join == PARAM_INDEX ? name : step->name, step + 1, n - 1, want);
}

/* The struct or union that type ID is, or is a pointer to with POINTER, by its name; NULL = it is no such thing. */
static const char *ktypes_composite(const struct ktypes *t, uint32_t id, bool pointer)
{
	const struct btf_type *type = ktypes_plain(t, id);

	if (pointer)
		type = type && btf_is_ptr(type) ? ktypes_plain(t, type->type) : NULL;
	return type && (btf_is_composite(type) || btf_is_fwd(type)) ? ktypes_name_of(t, type) : NULL;
}

/* What enum NAME calls VALUE; NULL. */
static const char *ktypes_enumerator(const struct ktypes *t, const char *name, uint32_t value)
{
	const int id = btf__find_by_name_kind(t->btf, name, BTF_KIND_ENUM);
	const struct btf_type *type = id > 0 ? btf__type_by_id(t->btf, (uint32_t)id) : NULL;

	for (unsigned int i = 0; type && i < btf_vlen(type); i++)
		if ((uint32_t)btf_enum(type)[i].val == value)
			return btf__name_by_offset(t->btf, btf_enum(type)[i].name_off);
	return NULL;
}

/*
 * The kernel has a struct of all contexts: two members for each type of program, what the program sees and what there
 * is, as BPF_PROG_TYPE_XDP_prog and BPF_PROG_TYPE_XDP_kern.
 */
bool ktypes_context(const struct ktypes *t, const struct ktypes *kernel, uint32_t type, const char *what,
		    const char *name, char *dst, size_t size)
{
	const char *prog = ktypes_enumerator(kernel, "bpf_prog_type", type), *seen = NULL, *other = NULL;
	const int id = btf__find_by_name_kind(kernel->btf, "bpf_ctx_convert", BTF_KIND_STRUCT);
	const struct btf_type *all = id > 0 ? btf__type_by_id(kernel->btf, (uint32_t)id) : NULL;
	struct nearest near = nearest_begin(name, strlen(name));
	const struct btf_type *proto = ktypes_function(t, "", what);
	const int arg = proto ? ktypes_parameter(t, proto, 0, name, &near) : -1;
	const char *given = arg < 0 ? NULL : ktypes_composite(t, btf_params(proto)[arg].type, true);

	for (unsigned int i = 0; prog && all && given && i < btf_vlen(all); i++) {
		const struct btf_member *m = &btf_members(all)[i];
		const char *called = btf__name_by_offset(kernel->btf, m->name_off);
		const size_t len = strlen(prog);

		if (strncmp(called, prog, len))
			continue;
		seen = strcmp(called + len, "_prog") ? seen : ktypes_composite(kernel, m->type, false);
		other = strcmp(called + len, "_kern") ? other : ktypes_composite(kernel, m->type, false);
	}
	if (!seen || !other || strcmp(seen, given))
		return false;
	text_format(dst, size, "struct %s *", other);
	return true;
}

/* TYPE as it is written in C, or nearly so. */
static void ktypes_type_text(const struct ktypes *t, uint32_t id, char dst[TYPE_TEXT_MAX])
{
	const struct btf_type *type = btf__type_by_id(t->btf, id);
	const char *before = "";
	unsigned int pointers = 0;
	size_t n;

	for (unsigned int i = 0; type && i < MODIFIERS_MAX; i++) {
		if (btf_is_ptr(type))
			pointers++;
		else if (btf_is_const(type))
			before = pointers ? "const " : "";
		else if (!btf_is_mod(type) && !btf_is_type_tag(type))
			break;
		type = btf__type_by_id(t->btf, type->type);
	}
	if (!type || btf_is_void(type))
		n = text_format(dst, TYPE_TEXT_MAX, "%svoid", before);
	else if (btf_is_func_proto(type))
		n = text_format(dst, TYPE_TEXT_MAX, "function");
	else
		n = text_format(dst, TYPE_TEXT_MAX, "%s%s%s", before, btf_is_struct(type) ? "struct " :
				btf_is_union(type) ? "union " : btf_is_any_enum(type) ? "enum " : "",
				ktypes_name_of(t, type));
	for (unsigned int i = 0; i < pointers && i < 3; i++)
		n += text_format(dst + n, TYPE_TEXT_MAX - n, "%s*", i ? "" : " ");
}

char *ktypes_text(struct ktypes *t, enum ktypes_of of, const char *what, char *dst, size_t size)
{
	unsigned int first;
	const struct btf_type *proto = ktypes_proto(t, of, what, &first);
	size_t n = 0;

	*dst = '\0';
	for (unsigned int i = first; proto && i < btf_vlen(proto); i++) {
		const struct btf_param *p = &btf_params(proto)[i];
		const char *called = btf__name_by_offset(t->btf, p->name_off);
		char type[TYPE_TEXT_MAX];

		ktypes_type_text(t, p->type, type);
		n += text_format(dst + n, size - n, "%s%s%s%s", n ? ", " : "", p->type ? type : "...",
				 called && *called ? " " : "", called ? called : "");
	}
	return dst;
}

char *ktypes_result_text(struct ktypes *t, const char *what, char *dst, size_t size)
{
	unsigned int first;
	const struct btf_type *proto = ktypes_proto(t, KTYPES_FUNCTION, what, &first);
	char type[TYPE_TEXT_MAX] = "";

	if (proto)
		ktypes_type_text(t, proto->type, type);
	text_format(dst, size, "%s", type);
	return dst;
}

/* Of the type ID, which is called NAME: without a name if it is no number and no pointer. */
static struct param_listed ktypes_listed(const struct ktypes *t, uint32_t id, const char *name)
{
	const struct btf_type *type = ktypes_plain(t, id);
	const bool pointer = type && btf_is_ptr(type), whole = type && btf_is_int(type);
	const int64_t size = pointer || whole || (type && btf_is_any_enum(type)) ? btf__resolve_size(t->btf, id) : 0;
	struct param_listed r = { .is_pointer = pointer };

	if (size != 1 && size != 2 && size != 4 && size != 8)
		return r;
	r.size = (uint8_t)size;
	r.is_signed = whole && btf_int_encoding(type) & BTF_INT_SIGNED;
	text_format(r.name, sizeof(r.name), "%s", name);
	return r;
}

bool ktypes_list(struct ktypes *t, enum ktypes_of of, const char *what, struct param_listed ret[PARAM_ARGS + 1])
{
	unsigned int first;
	const struct btf_type *proto = ktypes_proto(t, of, what, &first);

	memset(ret, 0, (PARAM_ARGS + 1) * sizeof(*ret));
	for (unsigned int i = first; proto && i < btf_vlen(proto) && i - first < PARAM_ARGS; i++) {
		const struct btf_param *p = &btf_params(proto)[i];
		const char *called = btf__name_by_offset(t->btf, p->name_off);
		char place[16];

		text_format(place, sizeof(place), "arg%u", i - first);
		ret[i - first] = ktypes_listed(t, p->type, called && *called ? called : place);
	}
	if (proto && of == KTYPES_FUNCTION)
		ret[PARAM_ARGS] = ktypes_listed(t, proto->type, "retval");
	return proto;
}
