/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * otlp.c - what is in the tables of a pprof goes into those of the request, behind what is there: a number of pprof
 * becomes a place in a table. All messages are of one arena.
 */
#include "config.h"

#include "push/otlp.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "src/export/pprof.pb-c.h"
#include "src/push/otlp.pb-c.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <zlib.h>

#define INFLATED_MAX (256u << 20)
#define WINDOW_GZIP (MAX_WBITS + 16)

typedef Pprof__Profile profile_in;

struct otlp {
	struct arena arena;
	bool no_memory;
	VEC(Otlp__Mapping *) mappings;
	VEC(Otlp__Location *) locations;
	VEC(Otlp__Function *) functions;
	VEC(Otlp__Attribute *) attributes;
	VEC(Otlp__Stack *) stacks;
	VEC(Otlp__Profile *) profiles;
	VEC(Otlp__KeyValue *) resource;
	struct strtab *texts;
};

/* From ids of one pprof to places in the tables, by id: most are small numbers, and what is no frame has large ones. */
struct places {
	VEC(int32_t) v;
	VEC(struct { uint64_t id; int32_t at; }) large;
};

/* A message of TYPE at the end of LIST, or NULL. */
#define OTLP_ADD(o, list, Type, init) ({ \
	Type *made_ = arena_alloc(&(o)->arena, sizeof(Type)); \
	Type **at_ = made_ ? vec_push(&(o)->list) : NULL; \
	if (at_) { \
		init(made_); \
		*at_ = made_; \
	} else { \
		(o)->no_memory = true; \
	} \
	at_ ? made_ : NULL; })

static void *otlp_array(struct otlp *o, size_t n, size_t size)
{
	void *p = arena_alloc(&o->arena, (n ? n : 1) * size);

	o->no_memory |= !p;
	return p;
}

static int32_t otlp_text(struct otlp *o, const char *s)
{
	const str_id id = strtab_adds(o->texts, s);

	o->no_memory |= id == STR_NONE;
	return id == STR_NONE ? 0 : (int32_t)id;
}

/* The text I of IN. */
static const char *text_in(const profile_in *in, int64_t i)
{
	return i >= 0 && (uint64_t)i < in->n_text ? in->text[i] : "";
}

static int32_t otlp_text_of(struct otlp *o, const profile_in *in, int64_t i)
{
	return otlp_text(o, text_in(in, i));
}

static void places_set(struct otlp *o, struct places *p, uint64_t id, size_t at)
{
	if (id > UINT32_MAX / 64) {
		if (!vec_reserve(&p->large, 1)) {
			o->no_memory = true;
			return;
		}
		p->large.v[p->large.n].id = id;
		p->large.v[p->large.n++].at = (int32_t)at;
		return;
	}
	if (id >= p->v.n && !vec_reserve(&p->v, id + 1 - p->v.n)) {
		o->no_memory = true;
		return;
	}
	while (p->v.n <= id)
		p->v.v[p->v.n++] = 0;
	p->v.v[id] = (int32_t)at;
}

static int32_t places_get(const struct places *p, uint64_t id)
{
	for (size_t i = 0; id > UINT32_MAX / 64 && i < p->large.n; i++)
		if (p->large.v[i].id == id)
			return p->large.v[i].at;
	return id < p->v.n ? p->v.v[id] : 0;
}

static Otlp__Value *otlp_value(struct otlp *o, const char *text)
{
	Otlp__Value *v = otlp_array(o, 1, sizeof(*v));
	char *copy = arena_strndup(&o->arena, text, strlen(text));

	o->no_memory |= !copy;
	if (!v || !copy)
		return NULL;
	otlp__value__init(v);
	v->value_case = OTLP__VALUE__VALUE_TEXT;
	v->text = copy;
	return v;
}

/* The place of the attribute KEY = TEXT in its table. There are few different ones. */
static int32_t otlp_attribute(struct otlp *o, const char *key, const char *text)
{
	const int32_t name = otlp_text(o, key);
	Otlp__Attribute *a;

	for (size_t i = o->attributes.n; i-- > 1; )
		if (o->attributes.v[i]->key == name && !strcmp(o->attributes.v[i]->value->text, text))
			return (int32_t)i;
	a = OTLP_ADD(o, attributes, Otlp__Attribute, otlp__attribute__init);
	if (!a)
		return 0;
	a->key = name;
	a->value = otlp_value(o, text);
	return (int32_t)(o->attributes.n - 1);
}

/* Tables */

static void otlp_take_mappings(struct otlp *o, const profile_in *in, struct places *ret)
{
	for (size_t i = 0; i < in->n_mapping && !o->no_memory; i++) {
		const Pprof__Mapping *m = in->mapping[i];
		Otlp__Mapping *to = OTLP_ADD(o, mappings, Otlp__Mapping, otlp__mapping__init);

		if (!to)
			return;
		to->start = m->start;
		to->end = m->end;
		to->file_offset = m->file_offset;
		to->file = otlp_text_of(o, in, m->file);
		if (*text_in(in, m->build_id)) {
			to->attributes = otlp_array(o, 1, sizeof(*to->attributes));
			to->n_attributes = to->attributes != NULL;
			if (to->attributes)
				to->attributes[0] = otlp_attribute(o, "process.executable.build_id.gnu",
								   text_in(in, m->build_id));
		}
		places_set(o, ret, m->id, o->mappings.n - 1);
	}
}

static void otlp_take_functions(struct otlp *o, const profile_in *in, struct places *ret)
{
	for (size_t i = 0; i < in->n_function && !o->no_memory; i++) {
		const Pprof__Function *f = in->function[i];
		Otlp__Function *to = OTLP_ADD(o, functions, Otlp__Function, otlp__function__init);

		if (!to)
			return;
		to->name = otlp_text_of(o, in, f->name);
		to->system_name = otlp_text_of(o, in, f->system_name);
		to->file = otlp_text_of(o, in, f->file);
		places_set(o, ret, f->id, o->functions.n - 1);
	}
}

static void otlp_lines(struct otlp *o, const Pprof__Location *l, const struct places *functions, Otlp__Location *to)
{
	Otlp__Line *line = otlp_array(o, l->n_line, sizeof(*line));

	to->lines = otlp_array(o, l->n_line, sizeof(*to->lines));
	if (!line || !to->lines)
		return;
	for (size_t i = 0; i < l->n_line; i++) {
		otlp__line__init(&line[i]);
		line[i].function = places_get(functions, l->line[i]->function_id);
		line[i].line = l->line[i]->line;
		to->lines[i] = &line[i];
	}
	to->n_lines = l->n_line;
}

static void otlp_take_locations(struct otlp *o, const profile_in *in, const struct places *mappings,
			   const struct places *functions, struct places *ret)
{
	for (size_t i = 0; i < in->n_location && !o->no_memory; i++) {
		const Pprof__Location *l = in->location[i];
		Otlp__Location *to = OTLP_ADD(o, locations, Otlp__Location, otlp__location__init);

		if (!to)
			return;
		to->mapping = places_get(mappings, l->mapping_id);
		to->address = l->address;
		otlp_lines(o, l, functions, to);
		places_set(o, ret, l->id, o->locations.n - 1);
	}
}

/* Samples */

static int32_t otlp_take_stack(struct otlp *o, const Pprof__Sample *s, const struct places *locations)
{
	Otlp__Stack *last = o->stacks.n ? o->stacks.v[o->stacks.n - 1] : NULL, *to;
	int32_t *at = otlp_array(o, s->n_location_id, sizeof(*at));

	if (!at)
		return 0;
	for (size_t i = 0; i < s->n_location_id; i++)
		at[i] = places_get(locations, s->location_id[i]);
	/* Samples of one stack stand side by side. */
	if (o->stacks.n > 1 && last->n_locations == s->n_location_id &&
	    !memcmp(last->locations, at, s->n_location_id * sizeof(*at)))
		return (int32_t)(o->stacks.n - 1);
	to = OTLP_ADD(o, stacks, Otlp__Stack, otlp__stack__init);
	if (!to)
		return 0;
	to->n_locations = s->n_location_id;
	to->locations = at;
	return (int32_t)(o->stacks.n - 1);
}

static const char *attribute_of(const char *label)
{
	static const char *const names[][2] = {
		{ "thread", "thread.name" }, { "process", "sberf.process" }, { "node", "sberf.numa_node" },
		{ "state", "sberf.state" }, { "syscall", "sberf.syscall" }, { "no_table", "sberf.no_table" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i][0], label))
			return names[i][1];
	return label;
}

/* Values in nanoseconds are added up: each is of another kind of wait, which the attribute of the state tells. */
static int64_t nanoseconds_of(const profile_in *in, const Pprof__Sample *s)
{
	int64_t sum = 0;

	for (size_t i = 0; i < s->n_value && i < in->n_value_type; i++)
		if (!strcmp(text_in(in, in->value_type[i]->unit), "nanoseconds") &&
		    __builtin_add_overflow(sum, s->value[i], &sum))
			return INT64_MAX;
	return sum;
}

static void otlp_take_samples(struct otlp *o, const profile_in *in, const struct places *locations, Otlp__Profile *to)
{
	to->samples = otlp_array(o, in->n_sample, sizeof(*to->samples));
	for (size_t i = 0; i < in->n_sample && !o->no_memory; i++) {
		const Pprof__Sample *s = in->sample[i];
		Otlp__Sample *made = otlp_array(o, 1, sizeof(*made));

		if (!made)
			return;
		otlp__sample__init(made);
		made->stack = otlp_take_stack(o, s, locations);
		made->attributes = otlp_array(o, s->n_label, sizeof(*made->attributes));
		made->values = otlp_array(o, 1, sizeof(*made->values));
		if (!made->attributes || !made->values)
			return;
		for (size_t k = 0; k < s->n_label; k++)
			made->attributes[made->n_attributes++] =
				otlp_attribute(o, attribute_of(text_in(in, s->label[k]->key)),
					       text_in(in, s->label[k]->text));
		made->values[0] = nanoseconds_of(in, s);
		made->n_values = 1;
		to->samples[to->n_samples++] = made;
	}
}

static Otlp__ValueType *otlp_type(struct otlp *o, const char *type, const char *unit)
{
	Otlp__ValueType *t = otlp_array(o, 1, sizeof(*t));

	if (t) {
		otlp__value_type__init(t);
		t->type = otlp_text(o, type);
		t->unit = otlp_text(o, unit);
	}
	return t;
}

static void otlp_id(struct otlp *o, Otlp__Profile *p)
{
	uint8_t *id = otlp_array(o, 16, 1);

	if (!id)
		return;
	(void)!getrandom(id, 16, 0);
	p->id.data = id;
	p->id.len = 16;
}

static void otlp_take_profile(struct otlp *o, const profile_in *in, const char *kind)
{
	struct places mappings = { 0 }, functions = { 0 }, locations = { 0 };
	Otlp__Profile *p = OTLP_ADD(o, profiles, Otlp__Profile, otlp__profile__init);
	const bool on_cpu = !strcmp(kind, "process_cpu");

	if (!p)
		return;
	otlp_take_mappings(o, in, &mappings);
	otlp_take_functions(o, in, &functions);
	otlp_take_locations(o, in, &mappings, &functions, &locations);
	otlp_take_samples(o, in, &locations, p);
	p->time_ns = (uint64_t)in->time_ns;
	p->duration_ns = (uint64_t)in->duration_ns;
	p->sample_type = on_cpu ? otlp_type(o, "samples", "count") : otlp_type(o, kind, "nanoseconds");
	p->period_type = on_cpu ? otlp_type(o, "cpu", "nanoseconds") : NULL;
	p->period = on_cpu;
	otlp_id(o, p);
	vec_free(&mappings.large);
	vec_free(&functions.large);
	vec_free(&locations.large);
	vec_free(&mappings.v);
	vec_free(&functions.v);
	vec_free(&locations.v);
}

/* What is in a gzip file, of LEN bytes: to *RET_LEN bytes, which the caller frees; NULL. */
static uint8_t *inflated(const void *data, size_t len, size_t *ret_len)
{
	z_stream z = { .next_in = (uint8_t *)(uintptr_t)data, .avail_in = (uInt)len };
	size_t room = 4 * len + 4096;
	uint8_t *out = malloc(room), *more;
	int r = out && inflateInit2(&z, WINDOW_GZIP) == Z_OK ? Z_OK : Z_MEM_ERROR;

	while (r == Z_OK) {
		if (z.total_out == room) {
			more = room < INFLATED_MAX ? realloc(out, 2 * room) : NULL;
			if (!more)
				break;
			out = more;
			room *= 2;
		}
		z.next_out = out + z.total_out;
		z.avail_out = (uInt)(room - z.total_out);
		r = inflate(&z, Z_NO_FLUSH);
	}
	*ret_len = z.total_out;
	if (out)
		inflateEnd(&z);
	if (r == Z_STREAM_END)
		return out;
	free(out);
	return NULL;
}

static int otlp_take_pprof(struct otlp *o, const struct push_profile *p, struct err *e)
{
	size_t len;
	AUTO_FREE uint8_t *data = inflated(p->data, p->len, &len);
	profile_in *in = data ? pprof__profile__unpack(NULL, len, data) : NULL;

	if (!in)
		return err_set(e, EINVAL, "a profile that is to be pushed cannot be read");
	otlp_take_profile(o, in, p->kind);
	pprof__profile__free_unpacked(in, NULL);
	return 0;
}

/* The resource */

static void otlp_resource(struct otlp *o, const char *key, const char *value)
{
	Otlp__KeyValue *kv = OTLP_ADD(o, resource, Otlp__KeyValue, otlp__key_value__init);
	char *name = arena_strndup(&o->arena, key, strlen(key));

	o->no_memory |= !name;
	if (!kv || !name)
		return;
	kv->key = name;
	kv->value = otlp_value(o, value);
}

static void otlp_take_labels(struct otlp *o, const struct push_labels *l)
{
	for (unsigned int i = 0; i < l->n; i++) {
		const char *name = l->v[i].name;

		otlp_resource(o, !strcmp(name, "service_name") ? "service.name" : !strcmp(name, "instance") ?
			      "host.name" : name, l->v[i].value);
	}
}

/* The request */

static char *deflated(const void *data, size_t len, size_t *ret_len)
{
	z_stream z = { .next_in = (uint8_t *)(uintptr_t)data, .avail_in = (uInt)len };
	char *out;

	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_GZIP, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return NULL;
	z.avail_out = (uInt)deflateBound(&z, len);
	out = malloc(z.avail_out);
	z.next_out = (uint8_t *)out;
	if (out && deflate(&z, Z_FINISH) != Z_STREAM_END) {
		free(out);
		out = NULL;
	}
	*ret_len = z.total_out;
	deflateEnd(&z);
	return out;
}

/* What is in the tables as one message, compressed; NULL when out of memory. */
static char *otlp_pack(struct otlp *o, size_t *ret_len)
{
	Otlp__Request request = OTLP__REQUEST__INIT;
	Otlp__Dictionary dictionary = OTLP__DICTIONARY__INIT;
	Otlp__ResourceProfiles of_resource = OTLP__RESOURCE_PROFILES__INIT, *one = &of_resource;
	Otlp__ScopeProfiles of_scope = OTLP__SCOPE_PROFILES__INIT, *scopes = &of_scope;
	Otlp__Resource resource = OTLP__RESOURCE__INIT;
	Otlp__Scope scope = OTLP__SCOPE__INIT;
	Otlp__Link link = OTLP__LINK__INIT, *links = &link;
	AUTO_FREE char **texts = calloc(strtab_count(o->texts) + 1ul, sizeof(*texts));
	AUTO_FREE uint8_t *data = NULL;
	size_t len;

	if (!texts)
		return NULL;
	for (uint32_t i = 0; i < strtab_count(o->texts); i++)
		texts[i] = (char *)(uintptr_t)strtab_get(o->texts, i);
	dictionary.n_mappings = o->mappings.n;
	dictionary.mappings = o->mappings.v;
	dictionary.n_locations = o->locations.n;
	dictionary.locations = o->locations.v;
	dictionary.n_functions = o->functions.n;
	dictionary.functions = o->functions.v;
	dictionary.n_links = 1;
	dictionary.links = &links;
	dictionary.n_texts = strtab_count(o->texts);
	dictionary.texts = texts;
	dictionary.n_attributes = o->attributes.n;
	dictionary.attributes = o->attributes.v;
	dictionary.n_stacks = o->stacks.n;
	dictionary.stacks = o->stacks.v;
	scope.name = (char *)(uintptr_t)"sberf";
	scope.version = (char *)(uintptr_t)PACKAGE_VERSION;
	of_scope.scope = &scope;
	of_scope.n_profiles = o->profiles.n;
	of_scope.profiles = o->profiles.v;
	resource.n_attributes = o->resource.n;
	resource.attributes = o->resource.v;
	of_resource.resource = &resource;
	of_resource.n_scope_profiles = 1;
	of_resource.scope_profiles = &scopes;
	request.n_resource_profiles = 1;
	request.resource_profiles = &one;
	request.dictionary = &dictionary;
	len = otlp__request__get_packed_size(&request);
	data = malloc(len);
	if (data)
		otlp__request__pack(&request, data);
	return data ? deflated(data, len, ret_len) : NULL;
}

/* The entries at place 0, which mean none. */
static bool otlp_init(struct otlp *o)
{
	o->texts = strtab_new();
	if (!o->texts)
		return false;
	otlp_text(o, "");
	OTLP_ADD(o, mappings, Otlp__Mapping, otlp__mapping__init);
	OTLP_ADD(o, locations, Otlp__Location, otlp__location__init);
	OTLP_ADD(o, functions, Otlp__Function, otlp__function__init);
	OTLP_ADD(o, attributes, Otlp__Attribute, otlp__attribute__init);
	OTLP_ADD(o, stacks, Otlp__Stack, otlp__stack__init);
	return !o->no_memory;
}

static void otlp_free(struct otlp *o)
{
	vec_free(&o->mappings);
	vec_free(&o->locations);
	vec_free(&o->functions);
	vec_free(&o->attributes);
	vec_free(&o->stacks);
	vec_free(&o->profiles);
	vec_free(&o->resource);
	strtab_free(o->texts);
	arena_reset(&o->arena);
}

int otlp_body(const struct push_labels *l, const struct push_profile *p, size_t n, char **ret, size_t *ret_len,
	      struct err *e)
{
	struct otlp o = { 0 };
	int r = otlp_init(&o) ? 0 : err_nomem(e, "a push of profiles");

	for (size_t i = 0; !r && i < n; i++)
		r = otlp_take_pprof(&o, &p[i], e);
	if (!r) {
		otlp_take_labels(&o, l);
		*ret = o.no_memory ? NULL : otlp_pack(&o, ret_len);
		r = *ret ? 0 : err_nomem(e, "a push of profiles");
	}
	otlp_free(&o);
	return r;
}
