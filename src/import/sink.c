/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sink.c - see sink.h. The offset of a frame is the id of its text, as nothing else is known of
 * where it is.
 */
#include "config.h"

#include "import/sink.h"

#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Room for as many names as a frame can have is made here, so that it need not be looked for at each. */
int sink_init(struct sink *s, struct profile *p, struct names *names, struct profile_meta *meta, struct err *e)
{
	*s = (struct sink){ .profile = p, .dict = profile_dict(p), .names = names, .meta = meta };
	return vec_reserve(&s->run, SINK_RUN_MAX) ? 0 : err_nomem(e, "the names of an import");
}

void sink_free(struct sink *s)
{
	vec_free(&s->clean);
	vec_free(&s->run);
}

bool sink_full(const struct sink *s)
{
	return names_bytes(s->names) + strtab_bytes(dict_strings(s->dict)) > IMPORT_NAMES_BYTES;
}

/* Makes *TEXT clean text; *RET_CHANGED says whether it was not. False when out of memory. */
static bool make_clean(struct sink *s, const char **text, size_t *len, bool *ret_changed)
{
	*ret_changed = !text_is_clean(*text, *len);
	if (!*ret_changed)
		return true;
	s->clean.n = 0;
	if (!vec_reserve(&s->clean, 3 * *len + 1))
		return false;
	*len = text_sanitise(s->clean.v, 3 * *len + 1, *text, *len);
	*text = s->clean.v;
	return true;
}

/* The id of TEXT among names. */
static str_id sink_add_text(struct sink *s, const char *text, size_t len)
{
	const uint32_t before = names_strings(s->names);
	bool changed;
	str_id id;

	if (!make_clean(s, &text, &len, &changed))
		return STR_NONE;
	id = names_add_text(s->names, text, len);
	s->changed += changed && names_strings(s->names) > before;
	return id;
}

/* The same in the dictionary. */
static str_id add_string(struct sink *s, const char *text, size_t len)
{
	struct strtab *strings = dict_strings(s->dict);
	const uint32_t before = strtab_count(strings);
	bool changed;
	str_id id;

	if (!make_clean(s, &text, &len, &changed))
		return STR_NONE;
	id = strtab_add(strings, text, len);
	s->changed += changed && strtab_count(strings) > before;
	return id;
}

module_id sink_module(struct sink *s, enum module_kind kind, const char *path, size_t len)
{
	const struct module m = { .kind = kind, .path = add_string(s, path, len) };

	return m.path == STR_NONE ? ID_NONE : dict_module(s->dict, &m);
}

/* What people write where no function is known. */
static bool sink_is_note(const char *text)
{
	return !strcmp(text, "[unknown]") || !strcmp(text, "(other)") || !strcmp(text, "[lost]") ||
	       !strcmp(text, "[no stack]") || !strncmp(text, "[cut: ", strlen("[cut: "));
}

static bool sink_name_frame(struct sink *s, frame_id frame, module_id module, const struct sink_name *name, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct func f = { .name = sink_add_text(s, name[i].text, name[i].len), .module = module,
				  .kind = name[i].kind };
		struct name *to = &s->run.v[n - 1 - i];          /* innermost first */

		if (f.name == STR_NONE)
			return false;
		if (f.kind == FUNC_USER && sink_is_note(names_text(s->names, f.name)))
			f.kind = FUNC_NOTE;
		*to = (struct name){ .func = names_add_func(s->names, &f) };
		if (to->func == ID_NONE)
			return false;
	}
	return !names_set(s->names, frame, s->run.v, (uint16_t)n, true);
}

frame_id sink_frame(struct sink *s, module_id module, const char *text, size_t len,
		    const struct sink_name *name, size_t n)
{
	const str_id id = sink_add_text(s, text, len);
	const frame_id frame = id == STR_NONE ? ID_NONE : dict_frame(s->dict, module, id);

	if (frame == ID_NONE || names_get(s->names, frame))
		return frame;
	if (dict_get_frame(s->dict, frame)->module != module)    /* there was no room for it */
		return frame;
	return sink_name_frame(s, frame, module, name, n) ? frame : ID_NONE;
}

thread_id sink_thread(struct sink *s, pid_t pid, pid_t tid, const char *comm, size_t len)
{
	const str_id id = add_string(s, comm, len);
	const struct thread t = { .pid = pid, .tid = tid, .comm = id, .exe = pid ? 0 : id,
				  .start_ns = pid ? 0 : id + 1ull };

	return id == STR_NONE ? ID_NONE : dict_thread(s->dict, &t);
}

bool sink_weighs(const struct sink *s, uint64_t weight)
{
	return weight <= UINT64_MAX - s->total_ns;
}

/* What the profile says of itself. */
static void sink_count(struct profile_meta *m, unsigned int kind, uint64_t weight, uint64_t samples)
{
	if (kind == EVENT_SAMPLE || kind == EVENT_COUNTED) {
		m->samples += samples;
		m->oncpu_ns += weight;
		return;
	}
	m->off_cpu = true;
	m->waits += samples;
	*(kind == EVENT_BLOCKED ? &m->blocked_ns : &m->runnable_ns) += weight;
	m->wait_own_ns += weight;
}

int sink_add(struct sink *s, unsigned int kind, uint64_t time_ns, thread_id thread, stack_id stack, uint64_t weight,
	     uint64_t samples, struct err *e)
{
	const struct event ev = {
		.kind = (uint8_t)kind, .node = NODE_UNKNOWN, .time_ns = time_ns, .weight = weight,
		.thread = thread, .stack = stack,
		.count = samples < UINT32_MAX ? (uint32_t)samples : UINT32_MAX,
		.cut_module = ID_NONE, .wait = { .waker = ID_NONE, .own_ns = EVENT_IS_WAIT(kind) ? weight : 0 },
		.place = { .file = ID_NONE },
	};

	if (thread == ID_NONE || stack == ID_NONE || profile_add(s->profile, &ev) < 0)
		return err_nomem(e, "the profile of an import");
	s->total_ns += weight;
	s->stacks++;
	sink_count(s->meta, kind, weight, samples);
	return 0;
}

int sink_add_block(struct sink *s, const struct event *ev, struct err *e)
{
	if (profile_add(s->profile, ev) < 0)
		return err_nomem(e, "the profile of an import");
	if (ev->kind == EVENT_ALLOC)
		s->total_ns += ev->weight;
	return 0;
}
