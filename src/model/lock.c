/* SPDX-License-Identifier: BSD-2-Clause */
/* lock.c - names of functions that wait, and the layouts of glibc's locks. */
#include "config.h"

#include "model/lock.h"

#include "base/text.h"

#include <linux/futex.h>
#include <string.h>

/* pthread_mutex_t: the futex is its first word. */
#define MUTEX_OWNER 8u
#define MUTEX_USERS 12u
#define MUTEX_KIND 16u
#define MUTEX_KIND_MAX 0x3ffu    /* type, robust, inheriting, protecting, shared and elision: no further bit is used */
#define MUTEX_WAITED_FOR 2u      /* the value of a contended lock that is neither robust nor of the kernel */
/* pthread_rwlock_t: readers wait at its begin or at its phase, writers at the phase or behind it */
#define RWLOCK_PHASE 8u
#define RWLOCK_WRITERS 12u
#define RWLOCK_WRITER 24u
#define RWLOCK_READERS_WAIT 4u   /* in the first word, and in no value of the other two */
#define RWLOCK_READER_SHIFT 3
#define READERS_MAX 65536u       /* that are believed */

const char *lock_kind_name(unsigned int kind)
{
	static const char *const names[] = {
#define X(id, nr, name) [nr] = name,
		LOCK_KINDS(X)
#undef X
	};

	return kind < LOCK_KIND_NR && names[kind] ? names[kind] : "other";
}

struct lock_function {
	const char *name;
	enum lock_kind kind;
};

static const struct lock_function functions[] = {
	{ "pthread_mutex_lock", LOCK_MUTEX }, { "pthread_mutex_timedlock", LOCK_MUTEX },
	{ "pthread_mutex_lock_full", LOCK_MUTEX }, { "pthread_mutex_cond_lock_full", LOCK_MUTEX },
	{ "pthread_mutex_clocklock", LOCK_MUTEX }, { "pthread_mutex_cond_lock", LOCK_MUTEX },
	{ "pthread_rwlock_rdlock", LOCK_RWLOCK_READ }, { "pthread_rwlock_timedrdlock", LOCK_RWLOCK_READ },
	{ "pthread_rwlock_clockrdlock", LOCK_RWLOCK_READ },
	{ "pthread_rwlock_wrlock", LOCK_RWLOCK_WRITE }, { "pthread_rwlock_timedwrlock", LOCK_RWLOCK_WRITE },
	{ "pthread_rwlock_clockwrlock", LOCK_RWLOCK_WRITE },
	{ "pthread_cond_wait", LOCK_CONDITION }, { "pthread_cond_timedwait", LOCK_CONDITION },
	{ "pthread_cond_clockwait", LOCK_CONDITION }, { "cnd_wait", LOCK_CONDITION },
	{ "cnd_timedwait", LOCK_CONDITION },
	{ "sem_wait", LOCK_SEMAPHORE }, { "sem_timedwait", LOCK_SEMAPHORE }, { "sem_clockwait", LOCK_SEMAPHORE },
	{ "new_sem_wait", LOCK_SEMAPHORE }, { "new_sem_wait_slow", LOCK_SEMAPHORE },
	{ "new_sem_wait_slow64", LOCK_SEMAPHORE }, { "do_futex_wait", LOCK_SEMAPHORE },
	{ "pthread_once", LOCK_ONCE }, { "pthread_once_slow", LOCK_ONCE }, { "call_once", LOCK_ONCE },
	{ "pthread_barrier_wait", LOCK_BARRIER },
	{ "pthread_join", LOCK_JOIN }, { "pthread_timedjoin_np", LOCK_JOIN }, { "pthread_clockjoin_np", LOCK_JOIN },
	{ "pthread_clockjoin_ex", LOCK_JOIN }, { "pthread_timedjoin_ex", LOCK_JOIN }, { "thrd_join", LOCK_JOIN },
	{ "lll_lock_wait_private", LOCK_LIBC }, { "[waiting for the GIL]", LOCK_GIL },
	{ "jobserver_acquire", LOCK_JOBSERVER }, { "ProcSleep", LOCK_DATABASE },
	{ "g_mutex_lock_slowpath", LOCK_RUNTIME_MUTEX }, { "g_cond_wait", LOCK_CONDITION },
	{ "g_cond_wait_until", LOCK_CONDITION },
};

/*
 * The same of languages that put paths before the names of functions, which differ by version: a begin, after
 * "<", and the end. Rust: std::sys::unix::locks::futex_mutex::Mutex::lock_contended of 1.63 is
 * <std::sys::sync::mutex::futex::Mutex>::lock_contended in 1.95. Go: a thread parks on a note of its own when it has
 * no goroutine to run, whatever these wait for.
 */
static const struct path_function {
	const char *begin, *end;
	enum lock_kind kind;
} path_functions[] = {
	{ "std::sys", "::lock_contended", LOCK_RUNTIME_MUTEX },
	{ "std::sys", "::read_contended", LOCK_RUNTIME_READ },
	{ "std::sys", "::write_contended", LOCK_RUNTIME_WRITE },
	{ "std::sys", "Condvar::wait", LOCK_CONDITION }, { "std::sys", "Condvar>::wait", LOCK_CONDITION },
	{ "std::sys", "Condvar::wait_optional_timeout", LOCK_CONDITION },
	{ "std::sys", "Condvar>::wait_optional_timeout", LOCK_CONDITION },
	{ "std::sys", "Once::call", LOCK_ONCE }, { "std::sys", "Once>::call", LOCK_ONCE },
	{ "runtime.", "lock2", LOCK_RUNTIME_MUTEX },
	{ "runtime.", "notesleep", LOCK_CONDITION }, { "runtime.", "notetsleep_internal", LOCK_CONDITION },
};

static bool lock_ends_as(const char *name, const char *end)
{
	const size_t len = strlen(name), of_end = strlen(end);

	return len >= of_end && !strcmp(name + len - of_end, end);
}

enum lock_kind lock_kind_of(const char *name)
{
	size_t len;

	name += strspn(name, "_");
	len = strcspn(name, "@.");
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (strlen(functions[i].name) == len && !strncmp(functions[i].name, name, len))
			return functions[i].kind;
	name += *name == '<';
	for (size_t i = 0; i < sizeof(path_functions) / sizeof(path_functions[0]); i++)
		if (!strncmp(name, path_functions[i].begin, strlen(path_functions[i].begin)) &&
		    lock_ends_as(name, path_functions[i].end))
			return path_functions[i].kind;
	return LOCK_NONE;
}

bool lock_op_waits(uint32_t op)
{
	switch (op & (uint32_t)FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return true;
	}
	return false;
}

bool lock_op_private(uint32_t op)
{
	return op & FUTEX_PRIVATE_FLAG;
}

bool lock_op_lends_priority(uint32_t op)
{
	switch (op & (uint32_t)FUTEX_CMD_MASK) {
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return true;
	}
	return false;
}

char *lock_priority_text(unsigned int prio, char *dst, size_t size)
{
	const int kernel = (int)prio - LOCK_PRIO;

	if (kernel < 0)
		text_format(dst, size, prio ? "deadline" : "unknown");
	else if (kernel < 100)
		text_format(dst, size, "real-time priority %d", 99 - kernel);
	else
		text_format(dst, size, "nice %d", kernel - 120);
	return dst;
}

void lock_fill(struct lock_futex *f, uint64_t at, const uint8_t *bytes, size_t len)
{
	const uint64_t from = f->address - LOCK_BYTES_BEFORE;
	const uint64_t skip = at < from ? from - at : 0, first = at > from ? at - from : 0;

	f->from = f->len = 0;
	if (skip >= len || first >= LOCK_BYTES)
		return;
	len -= skip;
	if (len > LOCK_BYTES - first)
		len = LOCK_BYTES - first;
	f->from = (uint32_t)first;
	f->len = (uint32_t)(first + len);
	memcpy(f->bytes + first, bytes + skip, len);
}

static bool is_inheriting(const struct lock_futex *f)
{
	const uint32_t cmd = f->op & (uint32_t)FUTEX_CMD_MASK;

	return cmd == FUTEX_LOCK_PI || cmd == FUTEX_LOCK_PI2;
}

/* The word AT bytes behind the futex; false when it was not read. */
static bool lock_word(const struct lock_futex *f, int at, uint32_t *ret)
{
	const int byte = (int)LOCK_BYTES_BEFORE + at;

	if (byte < (int)f->from || byte + (int)sizeof(*ret) > (int)f->len)
		return false;
	memcpy(ret, f->bytes + byte, sizeof(*ret));
	return true;
}

static void read_mutex(const struct lock_futex *f, struct lock_state *ret)
{
	uint32_t word, owner, users, kind;

	if (!lock_word(f, 0, &word) || !lock_word(f, MUTEX_OWNER, &owner) || !lock_word(f, MUTEX_USERS, &users) ||
	    !lock_word(f, MUTEX_KIND, &kind))
		return;
	if (kind > MUTEX_KIND_MAX || !users || !word)
		return;
	/* The word of a robust mutex is its owner; that of an ordinary one says that somebody waits. */
	if (f->value == MUTEX_WAITED_FOR ? word == MUTEX_WAITED_FOR : (word & FUTEX_TID_MASK) == owner)
		ret->holder = owner;
}

/* Which word of the lock a thread waits on follows from its place, as locks begin at multiples of 8, and its value. */
static uint32_t rwlock_offset(const struct lock_futex *f)
{
	if (f->address & 4)
		return RWLOCK_WRITERS;
	return f->value & RWLOCK_READERS_WAIT ? 0 : RWLOCK_PHASE;
}

static void read_rwlock(const struct lock_futex *f, struct lock_state *ret)
{
	const int offset = (int)rwlock_offset(f);
	uint32_t readers, writer;

	ret->address = f->address - (uint64_t)offset;
	if (lock_word(f, (int)RWLOCK_WRITER - offset, &writer))
		ret->holder = writer;
	if (!ret->holder && lock_word(f, -offset, &readers))
		ret->readers = readers >> RWLOCK_READER_SHIFT;
}

struct lock_state lock_read(const struct lock_futex *f)
{
	struct lock_state state = { .address = f->address };
	uint32_t word;

	if (is_inheriting(f) && lock_word(f, 0, &word))
		state.holder = word & FUTEX_TID_MASK;
	else if (f->kind == LOCK_MUTEX)
		read_mutex(f, &state);
	else if (f->kind == LOCK_RWLOCK_READ || f->kind == LOCK_RWLOCK_WRITE)
		read_rwlock(f, &state);
	else if (f->kind == LOCK_JOIN && lock_word(f, 0, &word) && word == f->value)
		state.holder = word;
	return state;
}

/* Readers of F if it is an rwlock that nobody writes; 0 also when there would be more than threads can be. */
static uint32_t guess_readers(const struct lock_futex *f)
{
	struct lock_futex as = *f;
	struct lock_state state;

	as.kind = LOCK_RWLOCK_WRITE;
	state = lock_read(&as);
	return state.holder || state.readers > READERS_MAX ? 0 : state.readers;
}

enum lock_kind lock_guess(const struct lock_futex *f, bool (*is_thread)(void *ctx, uint32_t tid), void *ctx,
			  struct lock_state *ret)
{
	static const enum lock_kind kinds[] = { LOCK_MUTEX, LOCK_JOIN, LOCK_RWLOCK_WRITE };

	if (f->of_interpreter && f->holder && is_thread(ctx, f->holder)) {
		*ret = (struct lock_state){ .address = f->address, .holder = f->holder };
		return LOCK_GIL;
	}
	if (is_inheriting(f)) {
		*ret = lock_read(f);
		ret->holder = ret->holder && is_thread(ctx, ret->holder) ? ret->holder : 0;
		return LOCK_LENDING;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct lock_futex as = *f;
		struct lock_state state;

		as.kind = kinds[i];
		state = lock_read(&as);
		if (state.holder && is_thread(ctx, state.holder)) {
			*ret = state;
			return kinds[i];
		}
	}
	*ret = (struct lock_state){ .address = f->address, .readers = guess_readers(f) };
	return ret->readers && !rwlock_offset(f) ? LOCK_RWLOCK_READ : LOCK_FUTEX;
}

bool lock_agrees(enum lock_kind kind, enum lock_kind guess)
{
	return kind == guess || (kind == LOCK_RWLOCK_READ && guess == LOCK_RWLOCK_WRITE);
}
