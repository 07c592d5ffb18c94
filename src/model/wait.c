/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wait.c - the tables behind wait.h.
 *
 * Names of system calls are libseccomp's, for every architecture it knows. Asking it costs a search
 * through a few hundred names, so what a call waits for is asked for once and then kept in a small
 * cache that any number of threads use without a lock: each entry is one word that says for which
 * architecture and call it stands, and is replaced as a whole.
 *
 * What a call waits for can only be guessed from its number and state: a read sleeps on a pipe,
 * socket or terminal when it can be interrupted (S), and on a disk when it cannot (D, K), whatever
 * kind of file it was called on.
 */
#include "config.h"

#include "model/wait.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/parse.h"

#include <pthread.h>
#include <seccomp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>

struct word {
	char letter;
	const char *name;
};

static const struct word states[] = {
#define X(id, nr, letter, name) [nr] = { letter, name },
	WAIT_STATES(X)
#undef X
};

static const char *const classes[] = {
#define X(id, nr, name) [nr] = name,
	WAIT_CLASSES(X)
#undef X
};

const char *wait_state_name(unsigned int state)
{
	return state < WAIT_STATE_NR ? states[state].name : "other";
}

enum wait_state wait_state_find(const char *text)
{
	for (unsigned int i = 0; i < WAIT_STATE_NR; i++)
		if ((text[0] == states[i].letter && !text[1]) || !strcasecmp(text, states[i].name))
			return (enum wait_state)i;
	return WAIT_STATE_NR;
}

const char *wait_class_name(enum wait_class c)
{
	return (unsigned int)c < WAIT_CLASS_NR ? classes[c] : classes[WAIT_CLASS_OTHER];
}

const char *waker_context_name(unsigned int context)
{
	switch (context) {
	case WAKER_TASK:
		return "thread";
	case WAKER_HARDIRQ:
		return "interrupt or timer";
	case WAKER_SOFTIRQ:
		return "soft interrupt or timer";
	default:
		return "unknown";
	}
}

/* Architectures. */

struct call_abi {
	const char *name;        /* as uname gives it; a trailing "*" stands for anything */
	uint32_t token;          /* libseccomp's */
	uint32_t compat;         /* of its 32-bit ABI, 0 = none */
};

static const struct call_abi machines[] = {
	{ "x86_64", SCMP_ARCH_X86_64, SCMP_ARCH_X86 },
	{ "i386", SCMP_ARCH_X86, SCMP_ARCH_X86 },
	{ "i486", SCMP_ARCH_X86, SCMP_ARCH_X86 },
	{ "i586", SCMP_ARCH_X86, SCMP_ARCH_X86 },
	{ "i686", SCMP_ARCH_X86, SCMP_ARCH_X86 },
	{ "aarch64*", SCMP_ARCH_AARCH64, SCMP_ARCH_ARM },
	{ "arm*", SCMP_ARCH_ARM, SCMP_ARCH_ARM },
	{ "ppc64le", SCMP_ARCH_PPC64LE, SCMP_ARCH_PPC },
	{ "ppc64", SCMP_ARCH_PPC64, SCMP_ARCH_PPC },
	{ "ppc*", SCMP_ARCH_PPC, SCMP_ARCH_PPC },
	{ "s390x", SCMP_ARCH_S390X, SCMP_ARCH_S390 },
	{ "s390", SCMP_ARCH_S390, SCMP_ARCH_S390 },
	{ "riscv64", SCMP_ARCH_RISCV64, 0 },
#ifdef SCMP_ARCH_LOONGARCH64
	{ "loongarch64", SCMP_ARCH_LOONGARCH64, 0 },
#endif
	{ "mips64*", SCMP_ARCH_MIPS64, SCMP_ARCH_MIPS },         /* numbers do not depend on the byte order */
	{ "mips*", SCMP_ARCH_MIPS, SCMP_ARCH_MIPS },
	{ "parisc64", SCMP_ARCH_PARISC64, SCMP_ARCH_PARISC },
	{ "parisc", SCMP_ARCH_PARISC, SCMP_ARCH_PARISC },
};

static const struct call_abi *find_machine(const char *name)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		const size_t len = strcspn(machines[i].name, "*");

		if (!strncmp(name, machines[i].name, len) && (machines[i].name[len] || !name[len]))
			return &machines[i];
	}
	return NULL;
}

/* The machine ARCH, this one for NULL and ""; NULL when it is none that is known. */
static const struct call_abi *call_abi_of(const char *arch)
{
	static const struct call_abi *_Atomic here;
	const struct call_abi *m;
	struct utsname u;

	if (arch && arch[0])
		return find_machine(arch);
	m = atomic_load_explicit(&here, memory_order_relaxed);
	if (!m && uname(&u) == 0) {
		m = find_machine(u.machine);
		atomic_store_explicit(&here, m, memory_order_relaxed);
	}
	return m;
}

static uint32_t token_of(uint32_t call, const char *arch)
{
	const struct call_abi *m = call_abi_of(arch);

	return !m ? 0 : call >= CALL_COMPAT ? m->compat : m->token;
}

static uint32_t wait_number_of(uint32_t call)
{
	return call >= CALL_COMPAT ? call - CALL_COMPAT : call - CALL_SYSCALL;
}

/* Names. */

static const char *const ways[CALL_SYSCALL] = {
	[CALL_NONE] = "unknown",
	[CALL_FAULT] = "page fault",
	[CALL_PREEMPTED] = "preempted",
	[CALL_KERNEL] = "kernel thread",
	[CALL_STOPPED] = "stopped",
	[CALL_TRACED] = "traced",
	[CALL_FROZEN] = "frozen",
	[CALL_NEW] = "new thread",
	[CALL_RETURN] = "return to user mode",
};

#define COMPAT_SUFFIX " (32-bit)"
#define NUMBER_PREFIX "syscall "
#define NUMBERS_TRIED 1024
#define CALL_MAX (CALL_COMPAT + CALL_SYSCALL_MAX)

static char *wait_resolve(uint32_t call, const char *arch)
{
	const uint32_t token = token_of(call, arch);

	return token ? seccomp_syscall_resolve_num_arch(token, (int)wait_number_of(call)) : NULL;
}

char *call_name(uint32_t call, const char *arch, char dst[CALL_NAME_MAX])
{
	const char *suffix = call >= CALL_COMPAT ? COMPAT_SUFFIX : "";
	AUTO_FREE char *name = NULL;

	if (call < CALL_SYSCALL || call > CALL_MAX) {
		snprintf(dst, CALL_NAME_MAX, "%s", call < CALL_SYSCALL && ways[call] ? ways[call] : ways[CALL_NONE]);
		return dst;
	}
	name = wait_resolve(call, arch);
	if (name)
		snprintf(dst, CALL_NAME_MAX, "%s%s", name, suffix);
	else
		snprintf(dst, CALL_NAME_MAX, NUMBER_PREFIX "%u%s", wait_number_of(call), suffix);
	return dst;
}

/*
 * The number that TOKEN has under NAME, by trying them. Where a call has a number of its own and
 * can also be reached through socketcall() or ipc(), libseccomp knows the name of the number but
 * gives for the name one that it made up, below 0.
 */
static int search_number(uint32_t token, const char *name)
{
	for (int nr = 0; nr < NUMBERS_TRIED; nr++) {
		AUTO_FREE char *have = seccomp_syscall_resolve_num_arch(token, nr);

		if (have && !strcmp(have, name))
			return nr;
	}
	return -1;
}

/* The number that NAME has for TOKEN, or that "syscall 999" says; -1 when there is none. */
static int number_by_name(uint32_t token, const char *name)
{
	const size_t prefix = strlen(NUMBER_PREFIX);
	struct err e = ERR_INIT;
	uint64_t said;
	int nr;

	if (!strncmp(name, NUMBER_PREFIX, prefix))
		return parse_u64(name + prefix, "system call", 0, CALL_SYSCALL_MAX, &said, &e) < 0 ? -1 : (int)said;
	nr = token ? seccomp_syscall_resolve_name_arch(token, name) : __NR_SCMP_ERROR;
	if (nr < 0 && nr != __NR_SCMP_ERROR)
		nr = search_number(token, name);
	return nr <= (int)CALL_SYSCALL_MAX ? nr : -1;
}

uint32_t call_find(const char *name, const char *arch)
{
	const struct call_abi *m = call_abi_of(arch);
	const size_t len = strlen(name), suffix = strlen(COMPAT_SUFFIX);
	const bool compat = len > suffix && !strcmp(name + len - suffix, COMPAT_SUFFIX);
	char plain[CALL_NAME_MAX];
	int nr = -1;

	for (uint32_t i = CALL_NONE + 1; i < CALL_SYSCALL; i++)
		if (ways[i] && !strcmp(name, ways[i]))
			return i;
	if (len >= sizeof(plain))
		return CALL_NONE;
	snprintf(plain, sizeof(plain), "%.*s", (int)(compat ? len - suffix : len), name);
	if (!compat)
		nr = number_by_name(m ? m->token : 0, plain);
	if (nr >= 0)
		return CALL_SYSCALL + (uint32_t)nr;
	nr = number_by_name(m ? m->compat : 0, plain);
	return nr >= 0 ? CALL_COMPAT + (uint32_t)nr : CALL_NONE;
}

uint32_t call_compat(uint32_t call, const char *arch)
{
	const struct call_abi *m = call_abi_of(arch);
	AUTO_FREE char *name = NULL;
	int nr;

	if (call < CALL_SYSCALL || call >= CALL_COMPAT || !m || !m->compat || m->compat == m->token)
		return CALL_NONE;
	name = wait_resolve(call, arch);
	nr = name ? number_by_name(m->compat, name) : -1;
	return nr >= 0 ? CALL_COMPAT + (uint32_t)nr : CALL_NONE;
}

/* Classes. */

struct row {
	uint8_t sleeping, uninterruptible, killable;     /* enum wait_class by state */
	const char *calls;
};

#define ALL(class) WAIT_CLASS_##class, WAIT_CLASS_##class, WAIT_CLASS_##class
#define DISK(class) WAIT_CLASS_##class, WAIT_CLASS_IO, WAIT_CLASS_IO

static const struct row rows[] = {
#define FUTEX_ROW (&rows[0])
	{ ALL(LOCK), "futex futex_time64 futex_wait futex_waitv futex_wake futex_requeue" },
	{ ALL(LOCK), "flock semop semtimedop semtimedop_time64" },
	{ ALL(SLEEP), "nanosleep clock_nanosleep clock_nanosleep_time64" },
	{ ALL(EVENT), "epoll_wait epoll_pwait epoll_pwait2 epoll_wait_old poll ppoll ppoll_time64 select "
	  "_newselect pselect6 "
		      "pselect6_time64 accept accept4 rt_sigtimedwait rt_sigtimedwait_time64 rt_sigsuspend sigsuspend "
		      "pause" },
	{ DISK(EVENT), "io_uring_enter io_getevents io_pgetevents io_pgetevents_time64" },
	{ ALL(PIPE), "recv recvfrom recvmsg recvmmsg recvmmsg_time64 send sendto sendmsg sendmmsg connect shutdown "
		     "socketcall msgrcv msgsnd mq_timedreceive mq_timedreceive_time64 mq_timedsend "
		     "mq_timedsend_time64 tee "
		     "vmsplice" },
	{ DISK(PIPE), "read readv pread pread64 preadv preadv2 write writev pwrite pwrite64 pwritev pwritev2 sendfile "
		      "sendfile64 splice" },
	{ ALL(CHILD), "wait4 waitid waitpid vfork" },
	/* posix_spawn() waits in clone() until the child has called exec. */
	{ WAIT_CLASS_OTHER, WAIT_CLASS_OTHER, WAIT_CLASS_CHILD, "clone clone3" },
	{ DISK(LOCK), "fcntl fcntl64" },
	{ ALL(IO), "fsync fdatasync sync syncfs sync_file_range sync_file_range2 msync open openat openat2 "
		   "open_by_handle_at creat close close_range stat stat64 fstat fstat64 lstat lstat64 fstatat64 "
		   "newfstatat statx oldstat oldfstat oldlstat statfs statfs64 fstatfs fstatfs64 access faccessat "
		   "faccessat2 readlink readlinkat rename renameat renameat2 unlink unlinkat link linkat symlink "
		   "symlinkat mkdir mkdirat rmdir mknod mknodat chdir fchdir chroot chmod fchmod fchmodat fchmodat2 "
		   "chown fchown fchownat lchown chown32 fchown32 lchown32 utime utimes utimensat utimensat_time64 "
		   "futimesat getdents getdents64 readdir truncate ftruncate truncate64 ftruncate64 fallocate lseek "
		   "_llseek copy_file_range fadvise64 fadvise64_64 arm_fadvise64_64 readahead setxattr lsetxattr "
		   "fsetxattr getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr removexattr lremovexattr "
		   "fremovexattr mount umount umount2 move_mount fsmount fsconfig pivot_root swapon swapoff quotactl "
		   "io_submit io_uring_setup execve execveat uselib mlock mlock2 mlockall name_to_handle_at" },
	{ DISK(OTHER), "ioctl madvise process_madvise mincore remap_file_pages process_vm_readv process_vm_writev "
		       "finit_module" },
};

static const struct row unknown = { ALL(OTHER), "" };
/* A kernel thread that can be interrupted, or says so itself (idle), has nothing to do. Zero is "other", too. */
static const struct row ways_in[CALL_SYSCALL] = {
	[CALL_FAULT] = { DISK(OTHER), "" },
	[CALL_KERNEL] = { DISK(EVENT), "" },
	[CALL_STOPPED] = { ALL(STOPPED), "" },
	[CALL_TRACED] = { ALL(TRACED), "" },
	[CALL_FROZEN] = { ALL(FROZEN), "" },
};

/* A name of rows[].calls, in one row only. */
struct call_word {
	const char *at;          /* not terminated */
	size_t len;
	const struct row *row;
};

#define CALL_WORDS_MAX 512u
/* Sorted: the name of each function of a snapshot is looked up. */
static struct call_word call_words[CALL_WORDS_MAX];
static size_t nr_call_words;
static pthread_once_t call_words_once = PTHREAD_ONCE_INIT;

static int compare_call_words(const void *va, const void *vb)
{
	const struct call_word *a = va, *b = vb;

	return a->len != b->len ? (a->len < b->len ? -1 : 1) : memcmp(a->at, b->at, a->len);
}

static void sort_call_words(void)
{
	for (const struct row *row = rows; row < rows + sizeof(rows) / sizeof(rows[0]); row++) {
		for (const char *at = row->calls; *at && nr_call_words < CALL_WORDS_MAX; at += strspn(at, " ")) {
			call_words[nr_call_words++] = (struct call_word){ at, strcspn(at, " "), row };
			at += call_words[nr_call_words - 1].len;
		}
	}
	qsort(call_words, nr_call_words, sizeof(call_words[0]), compare_call_words);
}

static const struct row *row_of_name(const char *name)
{
	const struct call_word want = { .at = name, .len = strlen(name) };
	const struct call_word *found;

	pthread_once(&call_words_once, sort_call_words);
	found = bsearch(&want, call_words, nr_call_words, sizeof(call_words[0]), compare_call_words);
	return found ? found->row : &unknown;
}

static const struct row *wait_row_of(uint32_t call, const char *arch)
{
	AUTO_FREE char *name = NULL;

	if (call < CALL_SYSCALL)
		return &ways_in[call];
	name = wait_resolve(call, arch);
	return name ? row_of_name(name) : &unknown;
}

bool call_name_waits(const char *name)
{
	return row_of_name(name) != &unknown;
}

#define CACHE_BITS 9u
#define TAG_SHIFT 13u    /* below: three classes of four bits, and whether it is a futex */
#define IS_FUTEX (1u << 12)

/*
 * What wait_row_of() says of CALL, kept under a tag of all that decides: 17 bits of call and 32 of
 * architecture. Two calls that share an entry replace each other; an empty entry is no tag, as no
 * call that is looked up is 0.
 */
static uint32_t packed_row(uint32_t call, const char *arch)
{
	static _Atomic uint64_t cache[1u << CACHE_BITS];
	const uint64_t tag = (uint64_t)token_of(call, arch) << 18 | call;
	_Atomic uint64_t *slot = &cache[hash_u64(tag) >> (64 - CACHE_BITS)];
	const uint64_t have = atomic_load_explicit(slot, memory_order_relaxed);
	const struct row *row;
	uint32_t packed;

	if (have >> TAG_SHIFT == tag)
		return have & ((1u << TAG_SHIFT) - 1);
	row = wait_row_of(call, arch);
	packed = (uint32_t)(row->sleeping | row->uninterruptible << 4 | row->killable << 8) |
		(row == FUTEX_ROW ? IS_FUTEX : 0);
	atomic_store_explicit(slot, tag << TAG_SHIFT | packed, memory_order_relaxed);
	return packed;
}

enum wait_class wait_class_of(uint32_t call, unsigned int state, const char *arch)
{
	uint32_t packed;

	switch (state) {
	case WAIT_STOPPED:
		return WAIT_CLASS_STOPPED;
	case WAIT_TRACED:
		return WAIT_CLASS_TRACED;
	case WAIT_FROZEN:
		return WAIT_CLASS_FROZEN;
	case WAIT_THROTTLED:
		return WAIT_CLASS_THROTTLED;
	case WAIT_EXITING:
		return WAIT_CLASS_OTHER;
	default:
		break;
	}
	if (wait_state_runnable(state) || call == CALL_PREEMPTED || call == CALL_NEW)
		return WAIT_CLASS_RUN_QUEUE;
	if (call == CALL_NONE || call > CALL_MAX)
		return WAIT_CLASS_OTHER;
	packed = packed_row(call, arch);
	if (state == WAIT_UNINTERRUPTIBLE)
		packed >>= 4;
	else if (state == WAIT_KILLABLE)
		packed >>= 8;
	return (enum wait_class)(packed & 0xf);
}

bool call_is_futex(uint32_t call, const char *arch)
{
	return call >= CALL_SYSCALL && call <= CALL_MAX && packed_row(call, arch) & IS_FUTEX;
}

/* Lengths. */

unsigned int wait_bucket(uint64_t ns)
{
	const uint64_t us = ns / 1000;
	const unsigned int b = us ? 64 - (unsigned int)__builtin_clzll(us) : 0;

	return b < WAIT_BUCKETS ? b : WAIT_BUCKETS - 1;
}

uint64_t wait_bucket_from_ns(unsigned int bucket)
{
	return bucket ? 1000ull << (bucket - 1) : 0;
}
