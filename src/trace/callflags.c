/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * callflags.c - names of flags and values, from the headers of the kernel; see callflags.h. The C
 * library's headers have other values for some (O_LARGEFILE), and define others twice, so they are
 * left out.
 */
#include "config.h"

#include "trace/callflags.h"

#include "base/text.h"
#include "trace/callargs.h"

#include <asm/ioctls.h>
#include <asm/signal.h>
#include <linux/errno.h>
#include <linux/eventpoll.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/memfd.h>
#include <linux/mman.h>
#include <linux/prctl.h>
#include <linux/random.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/stat.h>
#include <linux/time.h>
#include <linux/wait.h>
#include <string.h>

#define F(name) { (uint64_t)(uint32_t)(name), #name }
#define SET(array, mask) { array, sizeof(array) / sizeof(array[0]), mask }

/* unistd.h and sys/file.h have these; their values are those of every architecture. */
#define R_OK 4
#define W_OK 2
#define X_OK 1
#define F_OK 0
static const struct callflag accesses[] = { F(R_OK), F(W_OK), F(X_OK), { F_OK, "F_OK" } };

static const struct callflag advices[] = {
	F(MADV_NORMAL), F(MADV_RANDOM), F(MADV_SEQUENTIAL), F(MADV_WILLNEED), F(MADV_DONTNEED), F(MADV_FREE),
	F(MADV_REMOVE), F(MADV_DONTFORK), F(MADV_DOFORK), F(MADV_HWPOISON), F(MADV_SOFT_OFFLINE), F(MADV_MERGEABLE),
	F(MADV_UNMERGEABLE), F(MADV_HUGEPAGE), F(MADV_NOHUGEPAGE), F(MADV_DONTDUMP), F(MADV_DODUMP),
	F(MADV_WIPEONFORK), F(MADV_KEEPONFORK), F(MADV_COLD), F(MADV_PAGEOUT),
};

static const struct callflag ats[] = {
	F(AT_SYMLINK_NOFOLLOW), F(AT_REMOVEDIR), F(AT_SYMLINK_FOLLOW), F(AT_NO_AUTOMOUNT), F(AT_EMPTY_PATH),
	F(AT_STATX_FORCE_SYNC), F(AT_STATX_DONT_SYNC), F(AT_RECURSIVE),
};

static const struct callflag clocks[] = {
	F(CLOCK_REALTIME), F(CLOCK_MONOTONIC), F(CLOCK_PROCESS_CPUTIME_ID), F(CLOCK_THREAD_CPUTIME_ID),
	F(CLOCK_MONOTONIC_RAW), F(CLOCK_REALTIME_COARSE), F(CLOCK_MONOTONIC_COARSE), F(CLOCK_BOOTTIME),
	F(CLOCK_REALTIME_ALARM), F(CLOCK_BOOTTIME_ALARM), F(CLOCK_TAI),
};

/* The lowest byte is the signal that the parent gets. */
static const struct callflag clones[] = {
	F(SIGCHLD), F(CLONE_VM), F(CLONE_FS), F(CLONE_FILES), F(CLONE_SIGHAND), F(CLONE_PIDFD), F(CLONE_PTRACE),
	F(CLONE_VFORK), F(CLONE_PARENT), F(CLONE_THREAD), F(CLONE_NEWNS), F(CLONE_SYSVSEM), F(CLONE_SETTLS),
	F(CLONE_PARENT_SETTID), F(CLONE_CHILD_CLEARTID), F(CLONE_DETACHED), F(CLONE_UNTRACED), F(CLONE_CHILD_SETTID),
	F(CLONE_NEWCGROUP), F(CLONE_NEWUTS), F(CLONE_NEWIPC), F(CLONE_NEWUSER), F(CLONE_NEWPID), F(CLONE_NEWNET),
	F(CLONE_IO),
};

static const struct callflag cloexecs[] = { F(O_CLOEXEC), F(O_NONBLOCK) };

static const struct callflag epoll_ops[] = { F(EPOLL_CTL_ADD), F(EPOLL_CTL_DEL), F(EPOLL_CTL_MOD) };

static const struct callflag fcntls[] = {
	F(F_DUPFD), F(F_GETFD), F(F_SETFD), F(F_GETFL), F(F_SETFL), F(F_GETLK), F(F_SETLK), F(F_SETLKW), F(F_SETOWN),
	F(F_GETOWN), F(F_SETSIG), F(F_GETSIG), F(F_SETLEASE), F(F_GETLEASE), F(F_NOTIFY), F(F_DUPFD_CLOEXEC),
	F(F_SETPIPE_SZ), F(F_GETPIPE_SZ), F(F_ADD_SEALS), F(F_GET_SEALS),
};

static const struct callflag futexes[] = {
	F(FUTEX_WAIT), F(FUTEX_WAKE), F(FUTEX_FD), F(FUTEX_REQUEUE), F(FUTEX_CMP_REQUEUE), F(FUTEX_WAKE_OP),
	F(FUTEX_LOCK_PI), F(FUTEX_UNLOCK_PI), F(FUTEX_TRYLOCK_PI), F(FUTEX_WAIT_BITSET), F(FUTEX_WAKE_BITSET),
	F(FUTEX_WAIT_REQUEUE_PI), F(FUTEX_CMP_REQUEUE_PI), F(FUTEX_PRIVATE_FLAG), F(FUTEX_CLOCK_REALTIME),
};

static const struct callflag ioctls[] = {
	F(TCGETS), F(TCSETS), F(TCSETSW), F(TCSETSF), F(TIOCGWINSZ), F(TIOCSWINSZ), F(TIOCGPGRP), F(TIOCSPGRP),
	F(TIOCSCTTY), F(TIOCNOTTY), F(TIOCGSID), F(TIOCGPTN), F(TIOCSPTLCK), F(TIOCGPTPEER), F(TIOCOUTQ), F(FIONREAD),
	F(FIONBIO), F(FIOASYNC), F(FIOCLEX), F(FIONCLEX), F(FICLONE), F(FS_IOC_GETFLAGS), F(FS_IOC_SETFLAGS),
	F(BLKGETSIZE64), F(BLKSSZGET),
};

#define LOCK_SH 1
#define LOCK_EX 2
#define LOCK_UN 8
#define LOCK_NB 4
static const struct callflag locks[] = { F(LOCK_SH), F(LOCK_EX), F(LOCK_UN), F(LOCK_NB) };

#ifndef MAP_TYPE
#define MAP_TYPE 0xf
#endif
static const struct callflag maps[] = {
	F(MAP_SHARED), F(MAP_PRIVATE), F(MAP_SHARED_VALIDATE), F(MAP_FIXED), F(MAP_ANONYMOUS), F(MAP_GROWSDOWN),
	F(MAP_DENYWRITE), F(MAP_EXECUTABLE), F(MAP_LOCKED), F(MAP_NORESERVE), F(MAP_POPULATE), F(MAP_NONBLOCK),
	F(MAP_STACK), F(MAP_HUGETLB), F(MAP_SYNC), F(MAP_FIXED_NOREPLACE),
};

static const struct callflag memfds[] = { F(MFD_CLOEXEC), F(MFD_ALLOW_SEALING), F(MFD_HUGETLB) };

/* What is several bits stands before its parts. */
static const struct callflag opens[] = {
	{ O_RDONLY, "O_RDONLY" }, F(O_WRONLY), F(O_RDWR), F(O_SYNC), F(O_TMPFILE), F(O_CREAT), F(O_EXCL), F(O_NOCTTY),
	F(O_TRUNC), F(O_APPEND), F(O_NONBLOCK), F(O_DSYNC), F(FASYNC), F(O_DIRECT), F(O_LARGEFILE), F(O_DIRECTORY),
	F(O_NOFOLLOW), F(O_NOATIME), F(O_CLOEXEC), F(O_PATH),
};

static const struct callflag prctls[] = {
	F(PR_SET_PDEATHSIG), F(PR_GET_PDEATHSIG), F(PR_GET_DUMPABLE), F(PR_SET_DUMPABLE), F(PR_GET_KEEPCAPS),
	F(PR_SET_KEEPCAPS), F(PR_SET_NAME), F(PR_GET_NAME), F(PR_GET_SECCOMP), F(PR_SET_SECCOMP), F(PR_CAPBSET_READ),
	F(PR_CAPBSET_DROP), F(PR_SET_TIMERSLACK), F(PR_GET_TIMERSLACK), F(PR_SET_CHILD_SUBREAPER),
	F(PR_GET_CHILD_SUBREAPER), F(PR_SET_NO_NEW_PRIVS), F(PR_GET_NO_NEW_PRIVS), F(PR_SET_MM), F(PR_SET_PTRACER),
	F(PR_SET_THP_DISABLE), F(PR_GET_THP_DISABLE), F(PR_CAP_AMBIENT), F(PR_SET_VMA),
};

static const struct callflag prots[] = {
	{ PROT_NONE, "PROT_NONE" }, F(PROT_READ), F(PROT_WRITE), F(PROT_EXEC), F(PROT_SEM), F(PROT_GROWSDOWN),
	F(PROT_GROWSUP),
};

static const struct callflag randoms[] = { F(GRND_NONBLOCK), F(GRND_RANDOM), F(GRND_INSECURE) };

static const struct callflag remaps[] = { F(MREMAP_MAYMOVE), F(MREMAP_FIXED), F(MREMAP_DONTUNMAP) };

static const struct callflag renames[] = { F(RENAME_NOREPLACE), F(RENAME_EXCHANGE), F(RENAME_WHITEOUT) };

static const struct callflag rlimits[] = {
	F(RLIMIT_CPU), F(RLIMIT_FSIZE), F(RLIMIT_DATA), F(RLIMIT_STACK), F(RLIMIT_CORE), F(RLIMIT_RSS),
	F(RLIMIT_NPROC), F(RLIMIT_NOFILE), F(RLIMIT_MEMLOCK), F(RLIMIT_AS), F(RLIMIT_LOCKS), F(RLIMIT_SIGPENDING),
	F(RLIMIT_MSGQUEUE), F(RLIMIT_NICE), F(RLIMIT_RTPRIO), F(RLIMIT_RTTIME),
};

static const struct callflag signals[] = {
	F(SIGHUP), F(SIGINT), F(SIGQUIT), F(SIGILL), F(SIGTRAP), F(SIGABRT), F(SIGBUS), F(SIGFPE), F(SIGKILL),
	F(SIGUSR1), F(SIGSEGV), F(SIGUSR2), F(SIGPIPE), F(SIGALRM), F(SIGTERM), F(SIGCHLD), F(SIGCONT), F(SIGSTOP),
	F(SIGTSTP), F(SIGTTIN), F(SIGTTOU), F(SIGURG), F(SIGXCPU), F(SIGXFSZ), F(SIGVTALRM), F(SIGPROF), F(SIGWINCH),
	F(SIGIO), F(SIGPWR), F(SIGSYS),
};

static const struct callflag sigmasks[] = { F(SIG_BLOCK), F(SIG_UNBLOCK), F(SIG_SETMASK) };

static const struct callflag statxes[] = {
	F(STATX_ALL), F(STATX_BASIC_STATS), F(STATX_TYPE), F(STATX_MODE), F(STATX_NLINK), F(STATX_UID), F(STATX_GID),
	F(STATX_ATIME), F(STATX_MTIME), F(STATX_CTIME), F(STATX_INO), F(STATX_SIZE), F(STATX_BLOCKS), F(STATX_BTIME),
	F(STATX_MNT_ID),
};

static const struct callflag syncs[] = { F(MS_ASYNC), F(MS_INVALIDATE), F(MS_SYNC) };

static const struct callflag waits[] = {
	F(WNOHANG), F(WUNTRACED), F(WEXITED), F(WCONTINUED), F(WNOWAIT), F(__WNOTHREAD), F(__WALL), F(__WCLONE),
};

static const struct callflag whences[] = { F(SEEK_SET), F(SEEK_CUR), F(SEEK_END), F(SEEK_DATA), F(SEEK_HOLE) };

static const struct callflag whos[] = { F(RUSAGE_SELF), F(RUSAGE_CHILDREN), F(RUSAGE_THREAD) };

static const struct callflags sets[] = {
	[CALLARG_ACCESS] = SET(accesses, 0),
	[CALLARG_ADVICE] = SET(advices, UINT64_MAX),
	[CALLARG_AT] = SET(ats, 0),
	[CALLARG_CLOCK] = SET(clocks, UINT64_MAX),
	[CALLARG_CLONE] = SET(clones, CSIGNAL),
	[CALLARG_CLOEXEC] = SET(cloexecs, 0),
	[CALLARG_EPOLL_OP] = SET(epoll_ops, UINT64_MAX),
	[CALLARG_FCNTL] = SET(fcntls, UINT64_MAX),
	[CALLARG_FUTEX] = SET(futexes, ~(uint64_t)(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME)),
	[CALLARG_IOCTL] = SET(ioctls, UINT64_MAX),
	[CALLARG_LOCK] = SET(locks, 0),
	[CALLARG_MAP] = SET(maps, MAP_TYPE),
	[CALLARG_MEMFD] = SET(memfds, 0),
	[CALLARG_OPEN] = SET(opens, O_ACCMODE),
	[CALLARG_PRCTL] = SET(prctls, UINT64_MAX),
	[CALLARG_PROT] = SET(prots, 0),
	[CALLARG_RANDOM] = SET(randoms, 0),
	[CALLARG_REMAP] = SET(remaps, 0),
	[CALLARG_RENAME] = SET(renames, 0),
	[CALLARG_RLIMIT] = SET(rlimits, UINT64_MAX),
	[CALLARG_SIGNAL] = SET(signals, UINT64_MAX),
	[CALLARG_SIGMASK] = SET(sigmasks, UINT64_MAX),
	[CALLARG_STATX] = SET(statxes, 0),
	[CALLARG_SYNC] = SET(syncs, 0),
	[CALLARG_WAIT] = SET(waits, 0),
	[CALLARG_WHENCE] = SET(whences, UINT64_MAX),
	[CALLARG_WHO] = SET(whos, UINT64_MAX),
};

const struct callflags *callflags_of(unsigned int type)
{
	switch (type) {
	case CALLARG_DOMAIN:
		return &callflags_domain;
	case CALLARG_MSG:
		return &callflags_msg;
	case CALLARG_SHUTDOWN:
		return &callflags_shutdown;
	case CALLARG_SOCKET:
		return &callflags_socket;
	case CALLARG_SOCKOPT_LEVEL:
		return &callflags_sockopt_level;
	default:
		return type < sizeof(sets) / sizeof(sets[0]) && sets[type].n ? &sets[type] : NULL;
	}
}

/* The name of what VALUE has chosen, or, where there are only flags, of none of them; NULL: there is no such name. */
static const char *callflags_choice(const struct callflags *set, uint64_t value)
{
	if (!set->choice && value)
		return NULL;
	for (size_t i = 0; i < set->n; i++)
		if (!(set->flag[i].value & ~set->choice) && set->flag[i].value == (value & set->choice))
			return set->flag[i].name;
	return NULL;
}

static size_t callflags_add(char *dst, size_t size, size_t at, const char *name)
{
	return at + text_format(dst + at, size - at, "%s%s", at ? "|" : "", name);
}

size_t callflags_text(const struct callflags *set, uint64_t value, char *dst, size_t size)
{
	const char *choice = callflags_choice(set, value);
	uint64_t rest = value;
	size_t at = 0;

	if (!size)
		return 0;
	dst[0] = '\0';
	if (choice) {
		at = callflags_add(dst, size, at, choice);
		rest &= ~set->choice;
	}
	for (size_t i = 0; i < set->n; i++) {
		const struct callflag *f = &set->flag[i];

		if (f->value & ~set->choice && (rest & f->value) == f->value) {
			at = callflags_add(dst, size, at, f->name);
			rest &= ~f->value;
		}
	}
	if (rest)
		at += text_format(dst + at, size - at, "%s0x%llx", at ? "|" : "", (unsigned long long)rest);
	return at ? at : text_format(dst, size, "0");
}

/* Which no program sees: the kernel begins the call again, or turns them into EINTR (include/linux/errno.h). */
static const struct callflag restarts[] = {
	{ 512, "ERESTARTSYS" }, { 513, "ERESTARTNOINTR" }, { 514, "ERESTARTNOHAND" }, { 515, "ENOIOCTLCMD" },
	{ 516, "ERESTART_RESTARTBLOCK" },
};

const char *callflags_error(int code)
{
	for (size_t i = 0; i < sizeof(restarts) / sizeof(restarts[0]); i++)
		if (restarts[i].value == (uint64_t)code)
			return restarts[i].name;
	return code > 0 ? strerrorname_np(code) : NULL;
}
