/* SPDX-License-Identifier: BSD-2-Clause */
/* loads.c - see loads.h. */
#include "config.h"

#include "engine/loads.h"

#include "model/machine.h"
#include "probe/nearest.h"
#include "probe/site.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(PARAM_HOPS == SB_HOPS, "what can be found can be read");

int load_sets_add(struct load_sets *sets, const struct sb_loads *l, struct err *e)
{
	uint32_t i;

	for (i = 1; i < sets->n; i++)
		if (!memcmp(&sets->set[i], l, sizeof(*l)))
			return (int)i;
	if (i == SB_LOAD_SETS)
		return err_set(e, E2BIG, "the names in conditions and sums of probes stand for values in more than %u "
			       "different ways: probe fewer places", SB_LOAD_SETS - 1);
	sets->set[i] = *l;
	sets->n = i + 1;
	return (int)i;
}

/* T has no field NAME. */
static int loads_no_field(const struct tracepoint *t, const char *name, struct err *e)
{
	struct nearest near = nearest_begin(name, strlen(name));
	const char *others = "";

	for (size_t i = 0; i < t->field.n; i++)
		if (!t->field.v[i].common)
			nearest_offer(&near, t->field.v[i].name);
	if (!*near.best)
		for (size_t i = 0; i < t->field.n && !*others; i++)
			others = t->field.v[i].common ? "" : t->field.v[i].name;
	return err_set(e, ENOENT, "tracepoint %s:%s has no field '%s'%s%s%s", t->category, t->name, name,
		       *near.best ? ": did you mean '" : *others ? ": it has '" : "", *near.best ? near.best : others,
		       *near.best ? "'?" : *others ? "' and those that sberf list shows" : "");
}

/* How many elements the array F has; 0 = it is none. */
static uint32_t field_elements(const struct tracepoint_field *f)
{
	const char *bracket = strrchr(f->type, '[');

	return bracket ? (uint32_t)strtoul(bracket + 1, NULL, 10) : 0;
}

/* The element INDEX of the array F of T. */
static int load_element(const struct tracepoint *t, const struct tracepoint_field *f, uint32_t index,
			struct sb_load *ret, struct err *e)
{
	const uint32_t n = field_elements(f), size = n ? f->size / n : 0;

	if (!n || f->form == TRACEPOINT_DYNAMIC_TEXT || f->form == TRACEPOINT_RELATIVE_TEXT ||
	    (size != 1 && size != 2 && size != 4 && size != 8))
		return err_set(e, EOPNOTSUPP, "field '%s' of tracepoint %s:%s is a '%s', no array of numbers", f->name,
			       t->category, t->name, f->type);
	if (index >= n)
		return err_set(e, EINVAL, "field '%s' of tracepoint %s:%s has %u elements, the last is %s[%u]",
			       f->name, t->category, t->name, n, f->name, n - 1);
	ret->size = (uint8_t)size;
	ret->offset[0] += (int64_t)index * size;
	return 0;
}

/* The value of L is to be whether the string at its last hop is TEXT, which SET gets: there is room (filters.c). */
static void load_text(struct sb_loads *set, struct sb_load *l, const char *text)
{
	char padded[SB_LOAD_TEXT_BYTES] = "";
	uint32_t i = 0;

	memcpy(padded, text, strnlen(text, sizeof(padded) - 1));
	while (i + 1 < SB_LOAD_TEXTS && set->text[i][0] && memcmp(set->text[i], padded, sizeof(padded)))
		i++;
	memcpy(set->text[i], padded, sizeof(padded));
	l->size = (uint8_t)(SB_LOAD_TEXT + i);
	l->is_signed = 0;
}

/* The string that the pointer L is at, in memory of the program if USER. */
static void load_string_at(struct sb_load *l, bool user)
{
	l->offset[l->hops] = l->hops ? 0 : l->offset[0];
	l->user |= (uint8_t)(user << l->hops);
	l->hops++;
}

/* The field F of T, which is a text. */
static int load_field_text(const struct tracepoint *t, const struct tracepoint_field *f, struct sb_load *ret,
			   struct err *e)
{
	switch (f->form) {
	case TRACEPOINT_TEXT:
		return 0;
	case TRACEPOINT_DYNAMIC_TEXT:
		ret->scale = SB_STRING_AT;
		return 0;
	case TRACEPOINT_RELATIVE_TEXT:
		ret->scale = SB_STRING_BEHIND;
		return 0;
	case TRACEPOINT_POINTER:
		if (strstr(f->type, "char")) {
			load_string_at(ret, !strcmp(t->category, "syscalls"));
			return 0;
		}
		break;
	default:
		break;
	}
	return err_set(e, EOPNOTSUPP, "field '%s' of tracepoint %s:%s is a '%s', no text", f->name, t->category,
		       t->name, f->type);
}

static int load_field(const struct tracepoint *t, const char *path, bool text, struct sb_load *ret, struct err *e)
{
	const char *at = path, *rest;
	struct spec_path_step first, next;
	const struct tracepoint_field *f;

	if (!spec_path_next(&at, &first))
		return loads_no_field(t, path, e);
	f = tracepoint_field_find(t, first.name);
	if (!f)
		return loads_no_field(t, first.name, e);
	/* Programs at tracepoints find something else in place of these. */
	if (f->common)
		return err_set(e, EOPNOTSUPP, "'%s' cannot be read: use tid or cpu", path);
	*ret = (struct sb_load){ .hops = 1, .from = SB_LOAD_RECORD, .is_signed = f->is_signed,
				 .size = (uint8_t)f->size, .offset = { f->offset } };
	rest = at;
	if (text && !*at)
		return load_field_text(t, f, ret, e);
	if (*at && spec_path_next(&at, &next) && next.join == SPEC_PATH_INDEX && !*at)
		return load_element(t, f, next.index, ret, e);
	if (*rest)
		return err_set(e, EOPNOTSUPP, "'%s' cannot be looked up: a format does not say what field '%s', of "
			       "type '%s', consists of", path, f->name, f->type);
	if (f->form != TRACEPOINT_NUMBER && f->form != TRACEPOINT_POINTER)
		return err_set(e, EOPNOTSUPP, "field '%s' of tracepoint %s:%s is a '%s', no number", f->name,
			       t->category, t->name, f->type);
	return 0;
}

int loads_of_tracepoint(const struct filter_names *names, const struct tracepoint *t, struct sb_loads *ret,
			struct err *e)
{
	int r = 0;

	memset(ret, 0, sizeof(*ret));
	for (uint32_t i = 0; i < names->n && !r; i++) {
		r = load_field(t, names->name[i], names->compared[i], &ret->load[i], e);
		if (!r && names->compared[i])
			load_text(ret, &ret->load[i], names->text[i]);
	}
	return r;
}

/* Which argument of the system call T is called NAME; -1 = none. */
static int load_call_argument(const struct tracepoint *t, const char *name, const struct tracepoint_field **ret)
{
	int at = 0;

	for (size_t i = 0; i < t->field.n; i++) {
		const struct tracepoint_field *f = &t->field.v[i];

		if (f->common || !strcmp(f->name, "__syscall_nr"))
			continue;
		*ret = f;
		if (!strcmp(f->name, name) || (!strncmp(name, "arg", 3) && name[3] == '0' + at && !name[4]))
			return at < (int)PARAM_ARGS ? at : -1;
		at++;
	}
	return -1;
}

/* Size and sign of an argument of TYPE: the format says of all of them that they are words without sign. */
static void load_call_type(const char *type, struct sb_load *ret)
{
	static const char *const narrow[] = { "int", "pid_t", "key_t", "mqd_t", "key_serial_t", "clockid_t",
					      "timer_t" };
	static const char *const narrow_unsigned[] = { "unsigned int", "unsigned", "umode_t", "uid_t", "gid_t", "u32",
						       "__u32", "qid_t", "rwf_t" };

	ret->size = 8;
	ret->is_signed = 1;
	for (size_t i = 0; i < sizeof(narrow) / sizeof(*narrow); i++)
		ret->size = strcmp(type, narrow[i]) ? ret->size : 4;
	for (size_t i = 0; i < sizeof(narrow_unsigned) / sizeof(*narrow_unsigned); i++)
		if (!strcmp(type, narrow_unsigned[i])) {
			ret->size = 4;
			ret->is_signed = 0;
		}
}

/* PATH in steps, which borrow from NAME, whose first is what it begins with. How many steps follow, or -EINVAL. */
static int load_steps(const char *path, struct spec_path_step name[SPEC_PATH_STEPS_MAX + 1],
		      struct param_step step[SPEC_PATH_STEPS_MAX], struct err *e)
{
	const char *at = path;
	int n = 0;

	while (n < (int)SPEC_PATH_STEPS_MAX + 1 && *at && spec_path_next(&at, &name[n]))
		n++;
	if (!n || *at)
		return err_set(e, EINVAL, "'%s' is no path", path);
	for (int i = 1; i < n; i++)
		step[i - 1] = (struct param_step){
			.join = name[i].join == SPEC_PATH_INDEX ? PARAM_INDEX :
				name[i].join == SPEC_PATH_POINTER ? PARAM_POINTER : PARAM_MEMBER,
			.name = name[i].name, .index = name[i].index
		};
	return n - 1;
}

/* V as a load that begins at FROM, of memory of the program if USER. */
static void load_of_ktype(const struct ktypes_value *v, uint8_t from, bool user, struct sb_load *ret)
{
	*ret = (struct sb_load){ .size = v->size, .is_signed = v->is_signed, .hops = v->hops, .from = from,
				 .user = (uint8_t)(user ? (1u << v->hops) - 1 : 0) };
	for (unsigned int i = 0; i < v->hops; i++)
		ret->offset[i] = v->offset[i];
}

static int load_call(const struct tracepoint *t, const char *path, bool text, struct ktypes *types,
		     struct sb_load *ret, struct err *e)
{
	struct spec_path_step name[SPEC_PATH_STEPS_MAX + 1];
	struct param_step step[SPEC_PATH_STEPS_MAX];
	const struct tracepoint_field *f = NULL;
	const int n = load_steps(path, name, step, e);
	const int arg = n < 0 ? n : load_call_argument(t, name[0].name, &f);
	struct ktypes_value v;

	if (n < 0)
		return n;
	if (arg < 0)
		return loads_no_field(t, name[0].name, e);
	if (n) {
		const int r = ktypes_behind(types, f->type, f->name, step, (uint32_t)n, text, &v, e);

		if (!r)
			load_of_ktype(&v, (uint8_t)(SB_LOAD_ARG + arg), true, ret);
		return r;
	}
	*ret = (struct sb_load){ .from = (uint8_t)(SB_LOAD_ARG + arg) };
	load_call_type(f->type, ret);
	if (text && (f->form != TRACEPOINT_POINTER || !strstr(f->type, "char")))
		return err_set(e, EOPNOTSUPP, "argument '%s' of this system call is a '%s', no text", f->name, f->type);
	if (text)
		load_string_at(ret, true);
	return 0;
}

bool loads_need_types(const struct filter_names *names)
{
	for (uint32_t i = 0; i < names->n; i++)
		if (names->name[i][strcspn(names->name[i], ".-[")])
			return true;
	return false;
}

int loads_of_kernel(const struct filter_names *names, struct ktypes *types, enum ktypes_of of, const char *what,
		    struct sb_loads *ret, struct err *e)
{
	int r = 0;

	_Static_assert(SB_LOAD_RESULT == SB_LOAD_ARG + PARAM_ARGS, "the result stands behind the arguments");
	memset(ret, 0, sizeof(*ret));
	for (uint32_t i = 0; i < names->n && !r; i++) {
		struct spec_path_step name[SPEC_PATH_STEPS_MAX + 1];
		struct param_step step[SPEC_PATH_STEPS_MAX];
		const int n = load_steps(names->name[i], name, step, e);
		struct ktypes_value v;

		r = n < 0 ? n : ktypes_find(types, of, what, name[0].name, step, (uint32_t)n, names->compared[i], &v,
					    e);
		if (r)
			return r;
		load_of_ktype(&v, of == KTYPES_TRACEPOINT ? SB_LOAD_RECORD :
			      (uint8_t)(SB_LOAD_ARG + (v.is_result ? PARAM_ARGS : v.arg)), false, &ret->load[i]);
		if (names->compared[i])
			load_text(ret, &ret->load[i], names->text[i]);
	}
	return r;
}

/* V, which is to be shown, as a load; without a size where there is nothing to be read. */
static void load_to_show(const struct ktypes_value *v, struct sb_load *ret)
{
	load_of_ktype(v, (uint8_t)(SB_LOAD_ARG + (v->is_result ? PARAM_ARGS : v->arg)), false, ret);
	ret->size = v->hops != 0;
	ret->scale = (uint16_t)(v->bytes < SB_PRINT_MAX ? v->bytes : SB_PRINT_MAX);
}

/* As ktypes_find() of the function OF; *RET_TYPES: those that the value is of. */
static int load_program_find(const struct load_program *of, const char *path, enum ktypes_want want,
			     struct ktypes **ret_types, struct ktypes_value *ret, struct err *e)
{
	struct spec_path_step name[SPEC_PATH_STEPS_MAX + 1];
	struct param_step step[SPEC_PATH_STEPS_MAX];
	const int n = load_steps(path, name, step, e);
	const bool behind = n > 0 || want == KTYPES_POINTED;
	char type[128];
	int r;

	*ret_types = of->types;
	if (n < 0)
		return n;
	if (!behind || !of->kernel || !ktypes_context(of->types, of->kernel, of->type, of->function, name[0].name, type,
						      sizeof(type)))
		return ktypes_find(of->types, KTYPES_FUNCTION, of->function, name[0].name, step, (uint32_t)n, want, ret,
				   e);
	r = ktypes_find(of->types, KTYPES_FUNCTION, of->function, name[0].name, step, 0, KTYPES_VALUE, ret, e);
	if (!r) {
		const uint8_t arg = ret->arg;

		*ret_types = of->kernel;
		r = ktypes_behind(of->kernel, type, name[0].name, step, (uint32_t)n, want, ret, e);
		ret->arg = arg;
	}
	return r;
}

int load_of_program_print(const char *expr, const struct load_program *of, struct sb_load *ret_load,
			  struct ktypes **ret_types, struct ktypes_value *ret_value, struct err *e)
{
	const bool pointed = *expr == '*';
	const int r = load_program_find(of, expr + pointed, pointed ? KTYPES_POINTED : KTYPES_VALUE, ret_types,
					ret_value, e);

	if (!r)
		load_to_show(ret_value, ret_load);
	return r;
}

int loads_of_program(const struct filter_names *names, const struct load_program *of, struct sb_loads *ret,
		     struct err *e)
{
	int r = 0;

	if (names->n > SB_BPF_NAMES)
		return err_set(e, E2BIG, "a condition about BPF programs follows %u pointers at most", SB_BPF_NAMES);
	for (uint32_t i = 0; i < names->n && !r; i++) {
		struct ktypes_value v;
		struct ktypes *types;

		if (names->compared[i])
			return err_set(e, EOPNOTSUPP, "'%s' is a text: conditions about BPF programs compare numbers",
				       names->name[i]);
		r = load_program_find(of, names->name[i], KTYPES_NUMBER, &types, &v, e);
		if (!r)
			load_of_ktype(&v, (uint8_t)(SB_LOAD_ARG + (v.is_result ? PARAM_ARGS : v.arg)), false,
				      &ret->load[SB_PRINTS + i]);
	}
	return r;
}

int load_of_print(const char *expr, struct ktypes *types, const char *what, struct sb_load *ret_load,
		  struct ktypes_value *ret_value, struct err *e)
{
	const bool pointed = *expr == '*';
	struct spec_path_step name[SPEC_PATH_STEPS_MAX + 1];
	struct param_step step[SPEC_PATH_STEPS_MAX];
	const int n = load_steps(expr + pointed, name, step, e);
	const int r = n < 0 ? n : ktypes_find(types, KTYPES_FUNCTION, what, name[0].name, step, (uint32_t)n,
					      pointed ? KTYPES_POINTED : KTYPES_VALUE, ret_value, e);

	if (r)
		return r;
	load_to_show(ret_value, ret_load);
	return 0;
}

int loads_of_call(const struct filter_names *names, const struct tracepoint *t, struct ktypes *types,
		  struct sb_loads *ret, struct err *e)
{
	int r = 0;

	memset(ret, 0, sizeof(*ret));
	for (uint32_t i = 0; i < names->n && !r; i++) {
		r = load_call(t, names->name[i], names->compared[i], types, &ret->load[i], e);
		if (!r && names->compared[i])
			load_text(ret, &ret->load[i], names->text[i]);
	}
	return r;
}

/* The register REG as what a load starts from; none is 0. */
static uint8_t load_register(uint8_t reg)
{
	return reg == MACHINE_NO_REG ? SB_LOAD_NOTHING : (uint8_t)(SB_LOAD_REG + reg);
}

static bool is_load_register(uint8_t reg)
{
	return reg == MACHINE_NO_REG || (uint32_t)SB_LOAD_REG + reg < SB_LOAD_BASES;
}

static int load_usdt_arg(const struct usdt_site *site, unsigned int i, struct sb_load *ret, struct err *e)
{
	const struct usdt_arg *a = &site->arg[i];

	if (i >= site->nr_args)
		return err_set(e, ENOENT, "arg%u of static probe %s:%s cannot be read: it has %u argument%s", i,
			       site->provider, site->name, site->nr_args, site->nr_args == 1 ? "" : "s");
	if (a->where == USDT_UNKNOWN || !is_load_register(a->reg) || !is_load_register(a->index))
		return err_set(e, EOPNOTSUPP, "arg%u of static probe %s:%s cannot be read: it stands in no general "
			       "register, nor where one points to, at each place of the probe (its note says '%s')", i,
			       site->provider, site->name, site->text);
	*ret = (struct sb_load){ .size = a->size, .is_signed = a->is_signed, .offset = { a->offset } };
	if (a->where != USDT_CONSTANT)
		ret->from = load_register(a->reg);
	if (a->where == USDT_INDEXED) {
		ret->index = load_register(a->index);
		ret->scale = a->scale;
	}
	if (a->where == USDT_MEMORY || a->where == USDT_INDEXED)
		ret->hops = ret->user = 1;
	return 0;
}

int loads_of_usdt(const struct filter_names *names, const struct usdt_site *site, struct sb_loads *ret,
		  struct err *e)
{
	int r = 0;

	memset(ret, 0, sizeof(*ret));
	for (uint32_t i = 0; i < names->n && !r; i++) {
		struct sb_load *l = &ret->load[i];

		r = load_usdt_arg(site, (unsigned int)(names->name[i][strlen("arg")] - '0'), l, e);
		if (r || !names->compared[i])
			continue;
		/* What was indexed is read with a scale of 1 alone. */
		if (l->size != sizeof(uint64_t) || l->scale > 1)
			r = err_set(e, EOPNOTSUPP, "%s of static probe %s:%s is no pointer to a text", names->name[i],
				    site->provider, site->name);
		l->scale = 0;
		load_string_at(l, true);
		load_text(ret, l, names->text[i]);
	}
	return r;
}

uint32_t loads_of_usdt_args(const struct usdt_site *site, struct sb_loads *ret)
{
	const uint32_t n = site->nr_args < PARAM_ARGS ? site->nr_args : PARAM_ARGS;

	_Static_assert(PARAM_ARGS <= SB_LOADS, "a set has room for them");
	memset(ret, 0, sizeof(*ret));
	for (uint32_t i = 0; i < n; i++)
		if (load_usdt_arg(site, i, &ret->load[i], NULL))
			ret->load[i] = (struct sb_load){ .size = sizeof(uint64_t), .hops = 1, .user = 1 };
	return n;
}

/* The registers of arguments, by DWARF number. */
static void load_registers(uint16_t machine, uint8_t reg[PARAM_ARGS])
{
	for (unsigned int i = 0; i < PARAM_ARGS; i++)
		reg[i] = site_arg_register(machine, i);
}

static int load_of_param(const struct param_value *v, const char *path, const uint8_t reg[PARAM_ARGS],
			 struct sb_load *ret, struct err *e)
{
	unsigned int arg = v->is_result ? PARAM_ARGS : 0;

	_Static_assert(SB_LOAD_RESULT == SB_LOAD_ARG + PARAM_ARGS, "the result stands behind the arguments");
	while (!v->is_result && arg < PARAM_ARGS && reg[arg] != v->reg)
		arg++;
	if (arg == PARAM_ARGS && !v->is_result)
		return err_set(e, EOPNOTSUPP, "'%s' cannot be read: the parameter is in a register in which none is "
			       "passed as a rule", path);
	*ret = (struct sb_load){ .size = v->size, .is_signed = v->is_signed, .hops = v->hops,
				 .user = (uint8_t)((1u << v->hops) - 1), .from = (uint8_t)(SB_LOAD_ARG + arg) };
	for (unsigned int i = 0; i < v->hops; i++)
		ret->offset[i] = v->offset[i];
	return 0;
}

/* The value PATH: a parameter, or what it leads to. */
static int load_param(struct params *debug, const char *path, bool text, uint64_t pc, const uint8_t reg[PARAM_ARGS],
		      struct sb_load *ret, struct err *e)
{
	struct spec_path_step name[SPEC_PATH_STEPS_MAX + 1];
	struct param_step step[SPEC_PATH_STEPS_MAX];
	struct param_value v;
	const int n = load_steps(path, name, step, e);
	int r = n < 0 ? n : params_find(debug, pc, name[0].name, step, (uint32_t)n, text, reg, &v, e);

	return r ? r : load_of_param(&v, path, reg, ret, e);
}

/* Which argument PATH alone is; PARAM_ARGS = the result, -1 = it is something else. */
static int load_plain(const char *path)
{
	if (!strcmp(path, "retval"))
		return PARAM_ARGS;
	if (strncmp(path, "arg", 3) || path[3] < '0' || path[3] >= '0' + (int)PARAM_ARGS || path[4])
		return -1;
	return path[3] - '0';
}

bool loads_need_params(const struct filter_names *names)
{
	for (uint32_t i = 0; i < names->n; i++)
		if (load_plain(names->name[i]) < 0)
			return true;
	return false;
}

int loads_of_function(const struct filter_names *names, struct params *debug, uint16_t machine, uint64_t pc,
		      struct sb_loads *ret, struct err *e)
{
	uint8_t reg[PARAM_ARGS];
	int r = 0;

	load_registers(machine, reg);
	memset(ret, 0, sizeof(*ret));
	for (uint32_t i = 0; i < names->n && !r; i++) {
		struct sb_load *l = &ret->load[i];
		const int plain = load_plain(names->name[i]);

		if (plain >= 0)
			*l = (struct sb_load){ .from = (uint8_t)(SB_LOAD_ARG + plain), .hops = 1, .user = 1 };
		else
			r = load_param(debug, names->name[i], names->compared[i], pc, reg, l, e);
		if (!r && names->compared[i])
			load_text(ret, l, names->text[i]);
	}
	return r;
}

int load_of_param_print(const char *expr, struct params *debug, uint16_t machine, uint64_t pc, struct sb_load *ret_load,
			struct probe_print *ret, struct err *e)
{
	uint8_t reg[PARAM_ARGS];
	bool text = true;
	int r;

	*ret = (struct probe_print){ .known = false };
	if (*expr == '*')
		return err_set(e, EOPNOTSUPP, "structures are shown of the kernel: name a member, '%s->MEMBER'",
			       expr + 1);
	load_registers(machine, reg);
	r = load_param(debug, expr, true, pc, reg, ret_load, NULL);
	if (r) {
		text = false;
		r = load_param(debug, expr, false, pc, reg, ret_load, e);
	}
	if (r)
		return r;
	ret->known = true;
	ret->from = (uint8_t)(ret_load->from - SB_LOAD_ARG);
	ret->there = !ret_load->hops;
	ret->size = text ? 0 : ret_load->size;
	ret->is_signed = !text && ret_load->is_signed;
	ret_load->scale = ret->size;
	ret_load->size = ret_load->hops != 0;
	return 0;
}
