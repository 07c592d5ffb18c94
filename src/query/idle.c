/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * idle.c - lists the names of functions that wait on conditions and semaphores, and of those that
 * make locks from these, and looks for them in the innermost frames of a stack.
 */
#include "config.h"

#include "query/idle.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum kind { KIND_NOT_KNOWN, KIND_PLAIN, KIND_CONDITION, KIND_LOCK };

/*
 * How names begin, after underscores and glibc's "GI_". What follows is "64", or no letter and no
 * digit ("@@GLIBC_2.3.2").
 */
static const char *const conditions[] = {
	"pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait",
	"sem_wait", "sem_timedwait", "sem_clockwait", "new_sem_wait", "new_sem_timedwait", "new_sem_clockwait",
	"cnd_wait", "cnd_timedwait",
	"g_cond_wait", "g_cond_timed_wait", "uv_cond_wait", "uv_cond_timedwait", "uv_sem_wait",
	"runtime.futexsleep", "runtime.notesleep", "runtime.notetsleep", "runtime.notetsleepg",
};

/* Parts of names in C++ and Rust, whatever case: each has its own way to write the class. */
static const char *const condition_parts[] = { "condition_variable", "condvar", "waitcondition" };
static const char *const park_parts[] = { "std::thread::park", "::Parker::park" };

/* Parts of the names of locks that are made of conditions and semaphores. */
static const char *const locks[] = {
	"take_gil", "PyThread_acquire_lock", "ObjectMonitor::enter", "ObjectMonitor::ReenterI", "runtime.lock",
	"waiting for the GIL",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool contains_any(const char *name, const char *const *part, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcasestr(name, part[i]))
			return true;
	return false;
}

static const char *idle_strip(const char *name)
{
	name += strspn(name, "_");
	if (!strncmp(name, "GI_", 3))
		name += 3 + strspn(name + 3, "_");
	return name;
}

/* Whether NAME alone is that of such a function. */
static bool idle_condition_name(const char *name)
{
	const char *plain = idle_strip(name);

	for (size_t i = 0; i < COUNT(conditions); i++) {
		const size_t len = strlen(conditions[i]);

		if (!strncmp(plain, conditions[i], len) &&
		    (!isalnum((unsigned char)plain[len]) || !strcmp(plain + len, "64")))
			return true;
	}
	if (contains_any(name, park_parts, COUNT(park_parts)))
		return true;
	return contains_any(name, condition_parts, COUNT(condition_parts)) && strcasestr(name, "wait");
}

static uint8_t idle_kind_of(struct idle_memo *m, func_id id)
{
	const struct func *f = names_func(m->names, id);
	uint8_t kind = KIND_PLAIN;
	const char *text;

	if (id < m->funcs && m->func[id] != KIND_NOT_KNOWN)
		return m->func[id];
	if (f) {
		text = names_text(m->names, f->name);
		if (contains_any(text, locks, COUNT(locks)))
			kind = KIND_LOCK;
		else if (idle_condition_name(text))
			kind = KIND_CONDITION;
	}
	if (id < m->funcs)
		m->func[id] = kind;
	return kind;
}

/* Goes through the functions of FRAME; false as soon as it is known that this is no condition. */
static bool idle_look_at(struct idle_memo *m, frame_id frame, unsigned int *depth, bool *found)
{
	const struct frame_names *fn = names_get(m->names, frame);

	for (uint32_t i = 0; fn && i < fn->n; i++, (*depth)++) {
		const uint8_t kind = idle_kind_of(m, fn->name[i].func);

		if (kind == KIND_LOCK)
			return false;
		if (kind == KIND_CONDITION && *depth < IDLE_CONDITION_DEPTH)
			*found = true;
	}
	*depth += !fn;
	return *found || *depth < IDLE_CONDITION_DEPTH;
}

static bool find_condition(struct idle_memo *m, stack_id stack)
{
	unsigned int depth = 0;
	bool found = false;

	while (stack != STACK_ROOT && depth < IDLE_LOCK_DEPTH) {
		const struct stack *s = dict_get_stack(m->d, stack);
		const struct frame *f = dict_get_frame(m->d, s->frame);

		if (dict_get_module(m->d, f->module)->kind != MODULE_KERNEL &&
		    !idle_look_at(m, s->frame, &depth, &found))
			return false;
		stack = s->parent;
	}
	return found;
}

bool idle_stack(struct idle_memo *m, stack_id stack)
{
	if (!m->stack[stack])
		m->stack[stack] = find_condition(m, stack) ? KIND_CONDITION : KIND_PLAIN;
	return m->stack[stack] == KIND_CONDITION;
}

bool idle_init(struct idle_memo *m, const struct dict *d, const struct names *names)
{
	*m = (struct idle_memo){ .d = d, .names = names, .funcs = names_funcs(names) };
	m->func = calloc(m->funcs + 1ul, sizeof(*m->func));
	m->stack = calloc(dict_stacks(d), sizeof(*m->stack));
	return m->func && m->stack;
}

void idle_free(struct idle_memo *m)
{
	free(m->func);
	free(m->stack);
	m->func = m->stack = NULL;
}
