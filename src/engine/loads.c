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

static int load_field(const struct tracepoint *t, const char *path, struct sb_load *ret, struct err *e)
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
	for (uint32_t i = 0; i < names->n && !r; i++)
		r = load_field(t, names->name[i], &ret->load[i], e);
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
	for (uint32_t i = 0; i < names->n && !r; i++)
		r = load_usdt_arg(site, (unsigned int)(names->name[i][strlen("arg")] - '0'), &ret->load[i], e);
	return r;
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
	unsigned int arg = 0;

	while (arg < PARAM_ARGS && reg[arg] != v->reg)
		arg++;
	if (arg == PARAM_ARGS)
		return err_set(e, EOPNOTSUPP, "'%s' cannot be read: the parameter is in a register in which none is "
			       "passed as a rule", path);
	*ret = (struct sb_load){ .size = v->size, .is_signed = v->is_signed, .hops = v->hops,
				 .user = (uint8_t)((1u << v->hops) - 1), .from = (uint8_t)(SB_LOAD_ARG + arg) };
	for (unsigned int i = 0; i < v->hops; i++)
		ret->offset[i] = v->offset[i];
	return 0;
}

/* The value PATH: a parameter, or what it leads to. */
static int load_param(struct params *debug, const char *path, uint64_t pc, const uint8_t reg[PARAM_ARGS],
		      struct sb_load *ret, struct err *e)
{
	struct spec_path_step name[SPEC_PATH_STEPS_MAX + 1];
	struct param_step step[SPEC_PATH_STEPS_MAX + 1];
	struct param_value v;
	const char *at = path;
	uint32_t n = 0;
	int r;

	while (n < SPEC_PATH_STEPS_MAX + 1 && *at && spec_path_next(&at, &name[n]))
		n++;
	if (!n || *at)
		return err_set(e, EINVAL, "'%s' is no path", path);
	for (uint32_t i = 1; i < n; i++)
		step[i] = (struct param_step){
			.join = name[i].join == SPEC_PATH_INDEX ? PARAM_INDEX :
				name[i].join == SPEC_PATH_POINTER ? PARAM_POINTER : PARAM_MEMBER,
			.name = name[i].name, .index = name[i].index
		};
	r = params_find(debug, pc, name[0].name, step + 1, n - 1, reg, &v, e);
	return r ? r : load_of_param(&v, path, reg, ret, e);
}

int loads_of_function(const struct filter_names *names, struct params *debug, uint16_t machine, uint64_t pc,
		      struct sb_loads *ret, struct err *e)
{
	uint8_t reg[PARAM_ARGS];
	int r = 0;

	load_registers(machine, reg);
	memset(ret, 0, sizeof(*ret));
	for (uint32_t i = 0; i < names->n && !r; i++)
		r = load_param(debug, names->name[i], pc, reg, &ret->load[i], e);
	return r;
}
