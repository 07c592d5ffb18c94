/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack_signature.c - computes a hash for what a stack *reads*, so that stacks with the same
 * functions are summed as one (stack_signature.h). The hash is made from that of the parent stack,
 * so shared callers are looked at once. It goes by text, not by ids: functions of one name read the
 * same wherever they are.
 */
#include "config.h"

#include "query/stack_signature.h"

#include "base/hash.h"
#include "model/lock.h"
#include "model/wait.h"
#include "query/label.h"

#include <stdlib.h>
#include <string.h>

#define ARROW " \xe2\x80\xba "
#define NAME_LEN 256u
#define EMPTY_HASH 1u

enum entry { ENTRY_NOT_KNOWN, ENTRY, NO_ENTRY };

/* Parts of the names of functions that go into the kernel, beside those that are called like the system call. */
static const char *const entry_parts[] = {
	"futex_abstimed", "futex_wait", "futex_wake", "lll_", "syscall_cancel", "pthread_cond_wait_common",
	"sem_wait_slow", "sem_wait_common", "sem_waitcommon",
};

/* Whole names, after underscores and the like: of glibc, musl and Go. */
static const char *const entries[] = {
	"syscall", "kernel_vsyscall", "timedwait", "timedwait_cp", "wait", "wait3", "sigwait",
		"sigwaitinfo", "sigtimedwait",
	"syscall_cp", "syscall_cp_c", "syscall_cp_asm", "sccp",
	"runtime.futex", "runtime.futexsleep", "runtime.epollwait", "runtime.usleep", "runtime.read",
	"runtime/internal/syscall.Syscall6", "runtime/internal/syscall.EpollWait", "internal/runtime/syscall.Syscall6",
	"internal/runtime/syscall.EpollWait", "syscall.Syscall", "syscall.Syscall6", "syscall.RawSyscall",
	"syscall.RawSyscall6", "syscall.RawSyscallNoError",
};

/* How names begin that allocate, fill and copy memory for somebody else: of glibc, C++, Rust and Go. */
static const char *const helpers[] = {
	"memset", "memcpy", "mempcpy", "memmove", "memcmp", "memchr", "memalign", "bzero", "bcopy", "strcpy",
		"strncpy", "stpcpy",
	"strcat", "strdup", "strndup", "malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "valloc",
	"int_malloc", "int_realloc", "int_memalign", "sysmalloc", "sys_alloc",
	"operator new", "rust_alloc", "rust_realloc", "rdl_alloc", "rdl_realloc", "alloc::alloc::",
	"runtime.memclr", "runtime.memmove", "runtime.mallocgc", "runtime.newobject", "runtime.makeslice",
	"runtime.growslice",
};

/* How names begin that take locks for somebody else: of C++, Rust, Go, Python and libraries (after underscores). */
static const char *const lockers[] = {
	"gthread_", "gthrw_", "std::mutex::", "std::recursive_mutex::", "std::timed_mutex::", "std::shared_mutex::",
	"std::shared_timed_mutex::", "std::__shared_mutex", "std::lock_guard<", "std::unique_lock<",
	"std::shared_lock<", "std::scoped_lock<", "std::condition_variable", "std::_V2::condition_variable",
	"std::call_once<", "call_once<", "glibcxx_rwlock_", "std::thread::join", "std::__atomic_",
	"std::counting_semaphore<",
	"std::sync::", "std::sys::sync::", "std::sys::unix::locks::", "std::sys::unix::futex::",
	"std::sys::pal::unix::sync::", "std::sys::pal::unix::futex::", "std::sys_common::once",
	"std::sys_common::mutex", "std::sys_common::rwlock", "std::sys_common::condvar", "parking_lot", "lock_api::",
	"sync.(*Mutex)", "sync.(*RWMutex)", "sync.(*Once)", "internal/sync.", "runtime.", "sync.runtime_",
	"take_gil", "PyThread_acquire_lock", "PyMutex_Lock", "PyEval_RestoreThread", "PyEval_AcquireThread",
	"g_mutex_lock", "g_rec_mutex_lock", "g_rw_lock_", "g_cond_", "uv_mutex_lock", "uv_rwlock_", "uv_cond_",
	"absl::Mutex::", "absl::MutexLock", "boost::mutex::", "apr_thread_mutex_lock", "mtx_lock",
	"WaitEventSetWait", "WaitLatch", "ProcSleep", "LockAcquireExtended", "PGSemaphoreLock", "LWLockAcquire",
};

/* In the kernel, from the tracepoint of a switch or waking to what is asked to schedule or wake. */
static const char *const schedulers[] = {
	"sched", "bpf_", "perf_", "trace", "preempt", "ftrace",
	"try_to_wake_up", "ttwu", "default_wake", "autoremove_wake", "swake",
};

/* In the kernel, how names begin that take its locks for somebody else (kernel/locking/, after underscores). */
static const char *const kernel_lockers[] = {
	"mutex_", "ww_mutex_", "rwsem_", "down", "percpu_down_", "percpu_rwsem_", "rt_mutex", "rtlock_",
	"inode_lock", "mmap_read_lock", "mmap_write_lock", "mmap_lock", "queued_", "native_queued_", "pv_queued_",
	"raw_spin_", "raw_read_", "raw_write_",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *func_text(const struct stack_signature *r, func_id id)
{
	const struct func *f = names_func(r->names, id);

	return f ? names_text(r->names, f->name) : "";
}

/*
 * NAME without underscores, prefixes of glibc and symbol version, and the "<" before a type of Rust, in DST; "" when
 * it is too long to be one of these.
 */
static void stack_signature_plain_name(const char *name, char dst[NAME_LEN])
{
	size_t len;

	name += strspn(name, "_");
	while (!strncmp(name, "GI_", 3) || !strncmp(name, "libc_", 5))
		name = strchr(name, '_') + strspn(strchr(name, '_'), "_");
	name += *name == '<';
	len = strcspn(name, "@");
	if (len >= NAME_LEN)
		len = 0;
	memcpy(dst, name, len);
	dst[len] = '\0';
}

static bool is_entry_name(const char *name)
{
	char plain[NAME_LEN];

	stack_signature_plain_name(name, plain);
	for (size_t i = 0; i < COUNT(entry_parts); i++)
		if (strstr(plain, entry_parts[i]))
			return true;
	for (size_t i = 0; i < COUNT(entries); i++)
		if (!strcmp(plain, entries[i]))
			return true;
	return plain[0] && call_name_waits(plain);
}

/* Whether NAME begins as one of the N names at BEGIN. */
static bool stack_signature_begins(const char *name, const char *const *begin, size_t n)
{
	char plain[NAME_LEN];

	stack_signature_plain_name(name, plain);
	for (size_t i = 0; i < n; i++)
		if (!strncmp(plain, begin[i], strlen(begin[i])))
			return true;
	return false;
}

static bool is_helper_name(const char *name)
{
	return stack_signature_begins(name, helpers, COUNT(helpers));
}

static bool is_locker_name(const char *name)
{
	return lock_kind_of(name) != LOCK_NONE || stack_signature_begins(name, lockers, COUNT(lockers));
}

static bool is_scheduler_name(const char *name)
{
	name += strspn(name, "_");
	for (size_t i = 0; i < COUNT(schedulers); i++)
		if (!strncmp(name, schedulers[i], strlen(schedulers[i])))
			return true;
	return strstr(name, "_schedule") || strstr(name, "schedule_");
}

static module_id stack_signature_module_of(const struct stack_signature *r, stack_id stack)
{
	return dict_get_frame(r->d, dict_get_stack(r->d, stack)->frame)->module;
}

static bool stack_signature_in_kernel(const struct stack_signature *r, stack_id stack)
{
	return dict_get_module(r->d, stack_signature_module_of(r, stack))->kind == MODULE_KERNEL;
}

/* The name of the function of STACK's innermost frame, in which others may be inlined; NULL when it has none. */
static const char *outer_name(const struct stack_signature *r, stack_id stack)
{
	const struct frame_names *fn = names_get(r->names, dict_get_stack(r->d, stack)->frame);

	return fn ? func_text(r, fn->name[fn->n - 1].func) : NULL;
}

/* Whether the module M is a C library: its inner functions have no names when it is stripped. */
static bool is_libc(const struct stack_signature *r, module_id m)
{
	static const char *const libraries[] = { "libc.", "libc-", "libpthread", "ld-musl" };
	const char *path = strtab_get(dict_strings(r->d), dict_get_module(r->d, m)->path), *slash = strrchr(path, '/');

	for (size_t i = 0; i < COUNT(libraries); i++)
		if (!strncmp(slash ? slash + 1 : path, libraries[i], strlen(libraries[i])))
			return true;
	return false;
}

/* Whether a function called NAME is left out where it is the innermost. */
static bool is_left_out(const struct stack_signature *r, const char *name)
{
	return is_entry_name(name) || (r->touches && is_helper_name(name)) || (r->takes && is_locker_name(name));
}

static bool is_entry(const struct stack_signature *r, func_id id)
{
	uint8_t known;

	if (id >= r->funcs)
		return is_left_out(r, func_text(r, id));
	known = r->entry[id];
	if (!known)
		known = r->entry[id] = is_left_out(r, func_text(r, id)) ? ENTRY : NO_ENTRY;
	return known == ENTRY;
}

/*
 * The first of FN that is read when it is the innermost frame: ways into the kernel that were
 * inlined are left out as well.
 */
static uint32_t first_name(const struct stack_signature *r, const struct frame_names *fn)
{
	uint32_t i = r->no_inlines ? fn->n - 1u : 0;

	while (i < fn->n - 1u && is_entry(r, fn->name[i].func))
		i++;
	return i;
}

static bool stack_signature_is_note(const struct stack_signature *r, stack_id stack)
{
	return dict_get_module(r->d, stack_signature_module_of(r, stack))->kind == MODULE_NOTE;
}

/* Whether the function of STACK's innermost frame is one that takes locks for others. */
static bool stack_signature_is_locker(const struct stack_signature *r, stack_id stack)
{
	const char *name = stack == STACK_ROOT ? NULL : outer_name(r, stack);

	return name && is_locker_name(name);
}

/* Whether what is left out goes on with STACK: inner functions of a stripped libc have no names. */
static bool stack_signature_goes_on(const struct stack_signature *r, stack_id stack)
{
	const struct frame_names *fn = names_get(r->names, dict_get_stack(r->d, stack)->frame);

	if (fn && is_entry(r, fn->name[fn->n - 1].func))
		return true;
	/* Nor have those of a stripped runtime: what a function that takes locks calls is part of it. */
	if (r->takes && stack_signature_is_locker(r, dict_get_stack(r->d, stack)->parent))
		return true;
	return (r->touches || r->takes || !fn) && is_libc(r, stack_signature_module_of(r, stack));
}

/*
 * Where the program begins from USER, the innermost frame outside of the kernel. Of waits only what
 * goes into the kernel is left out, which is in one library; what touches memory or takes locks for
 * others may be in several.
 */
static stack_id leave_libc(const struct stack_signature *r, stack_id user)
{
	const module_id module = stack_signature_module_of(r, user);
	stack_id s = user;

	while (s != STACK_ROOT && (r->touches || r->takes || stack_signature_module_of(r, s) == module) &&
	       stack_signature_goes_on(r, s))
		s = dict_get_stack(r->d, s)->parent;
	return s == STACK_ROOT || stack_signature_is_note(r, s) ? user : s;
}

static stack_id leave_scheduler(const struct stack_signature *r, stack_id kernel)
{
	stack_id s = kernel;

	while (s != STACK_ROOT) {
		const char *name = outer_name(r, s);

		if (!name || !is_scheduler_name(name))
			return s;
		s = dict_get_stack(r->d, s)->parent;
	}
	return kernel;
}

/* The innermost frame of STACK that is read. */
static stack_id stack_signature_start(const struct stack_signature *r, stack_id stack)
{
	stack_id s = stack;

	while (s != STACK_ROOT && stack_signature_in_kernel(r, s))
		s = dict_get_stack(r->d, s)->parent;
	if (s != STACK_ROOT)
		return leave_libc(r, s);
	return stack == STACK_ROOT ? stack : leave_scheduler(r, stack);
}

const char *stack_signature_kernel_taker(const struct stack_signature *r, stack_id stack)
{
	stack_id s = stack;

	while (s != STACK_ROOT && stack_signature_in_kernel(r, s)) {
		const char *name = outer_name(r, s);

		if (!name || !*name)
			return "";
		if (!is_scheduler_name(name) && !stack_signature_begins(name, kernel_lockers, COUNT(kernel_lockers)))
			return name;
		s = dict_get_stack(r->d, s)->parent;
	}
	return "";
}

stack_id stack_signature_first(const struct stack_signature *r, stack_id stack, uint32_t *ret_name)
{
	const stack_id s = stack_signature_start(r, stack);
	const struct frame_names *fn = s == STACK_ROOT ? NULL : names_get(r->names, dict_get_stack(r->d, s)->frame);

	*ret_name = fn ? first_name(r, fn) : 0;
	return s;
}

/* A hash of the name of ID, not 0. */
static uint64_t stack_signature_func_hash(struct stack_signature *r, func_id id)
{
	uint64_t *memo = id < r->funcs ? &r->func[id] : NULL, h;
	const char *text;

	if (memo && *memo)
		return *memo;
	text = func_text(r, id);
	h = hash_bytes(text, strlen(text)) | 1;
	if (memo)
		*memo = h;
	return h;
}

static uint64_t stack_signature_place_hash(const struct stack_signature *r, frame_id frame)
{
	char text[NAME_LEN];

	label_place(r->d, frame, text, sizeof(text));
	return hash_bytes(text, strlen(text));
}

/* OUTER, what was read outside of FRAME, and FRAME, the innermost or not. Not 0. */
static uint64_t stack_signature_frame_hash(struct stack_signature *r, uint64_t outer, frame_id frame, bool innermost)
{
	const struct frame_names *fn = names_get(r->names, frame);
	uint32_t first;

	if (!fn)
		return hash_2u64(outer, stack_signature_place_hash(r, frame)) | 1;
	first = innermost ? first_name(r, fn) : r->no_inlines ? fn->n - 1u : 0;
	for (uint32_t i = fn->n; i-- > first;)
		outer = hash_2u64(outer, stack_signature_func_hash(r, fn->name[i].func)) | 1;
	return outer;
}

/* The hash of all frames of S, which is not the innermost; 0 when out of memory. */
static uint64_t outer_hash(struct stack_signature *r, stack_id s)
{
	uint64_t h;

	r->path.n = 0;
	while (s != STACK_ROOT && !r->stack[s]) {
		stack_id *slot = vec_push(&r->path);

		if (!slot)
			return 0;
		*slot = s;
		s = dict_get_stack(r->d, s)->parent;
	}
	h = s == STACK_ROOT ? EMPTY_HASH : r->stack[s];
	while (r->path.n) {
		s = r->path.v[--r->path.n];
		h = stack_signature_frame_hash(r, h, dict_get_stack(r->d, s)->frame, false);
		r->stack[s] = h;
	}
	return h;
}

uint64_t stack_signature_hash(struct stack_signature *r, stack_id stack)
{
	const stack_id first = stack_signature_start(r, stack);
	uint64_t outer;

	if (first == STACK_ROOT)
		return EMPTY_HASH;
	outer = outer_hash(r, dict_get_stack(r->d, first)->parent);
	return outer ? stack_signature_frame_hash(r, outer, dict_get_stack(r->d, first)->frame, true) : 0;
}

/* Appends TEXT to what reads so far. False when there is no room for more. */
static bool stack_signature_put_name(char *dst, size_t size, size_t *at, const char *text)
{
	if (*at && *at + strlen(ARROW) + 1 >= size)
		return false;
	if (*at)
		*at = label_put(dst, size, *at, ARROW, strlen(ARROW));
	*at = label_put(dst, size, *at, text[0] ? text : "[unknown]", text[0] ? strlen(text) : strlen("[unknown]"));
	return *at + 1 < size;
}

static bool stack_signature_put_frame(const struct stack_signature *r, char *dst, size_t size,
				      size_t *at, frame_id frame)
{
	const struct frame_names *fn = names_get(r->names, frame);
	char place[NAME_LEN];
	uint32_t first;

	if (!fn) {
		label_place(r->d, frame, place, sizeof(place));
		return stack_signature_put_name(dst, size, at, place);
	}
	first = !*at ? first_name(r, fn) : r->no_inlines ? fn->n - 1u : 0;
	for (uint32_t i = first; i < fn->n; i++)
		if (!stack_signature_put_name(dst, size, at, func_text(r, fn->name[i].func)))
			return false;
	return true;
}

char *stack_signature_text(const struct stack_signature *r, stack_id stack, char *dst, size_t size)
{
	stack_id s = stack_signature_start(r, stack);
	size_t at = 0;

	if (!size)
		return dst;
	dst[0] = '\0';
	while (s != STACK_ROOT && stack_signature_put_frame(r, dst, size, &at, dict_get_stack(r->d, s)->frame))
		s = dict_get_stack(r->d, s)->parent;
	if (!at)
		stack_signature_put_name(dst, size, &at, "[no stack]");
	return dst;
}

bool stack_signature_init(struct stack_signature *r, const struct dict *d, const struct names *names,
			  bool no_inlines, bool touches)
{
	*r = (struct stack_signature){ .d = d, .names = names, .no_inlines = no_inlines, .touches = touches,
				       .funcs = names_funcs(names) };
	r->func = calloc(r->funcs + 1ul, sizeof(*r->func));
	r->entry = calloc(r->funcs + 1ul, sizeof(*r->entry));
	r->stack = calloc(dict_stacks(d), sizeof(*r->stack));
	return r->func && r->entry && r->stack;
}

void stack_signature_free(struct stack_signature *r)
{
	free(r->func);
	free(r->entry);
	free(r->stack);
	vec_free(&r->path);
}
