/* SPDX-License-Identifier: BSD-2-Clause */
/* sandbox.c - two seccomp filters, one on top of the other: the strictest answer counts. */
#include "config.h"

#include "plugin/sandbox.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOBODY 65534

/* What a process needs that computes, and takes and sends messages. */
static const int always[] = {
	SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(pread64), SCMP_SYS(lseek), SCMP_SYS(fstat), SCMP_SYS(close),
	SCMP_SYS(sendmsg), SCMP_SYS(recvmsg), SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(mprotect),
	SCMP_SYS(brk), SCMP_SYS(madvise), SCMP_SYS(futex), SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(clock_gettime), SCMP_SYS(getpid), SCMP_SYS(gettid),
	SCMP_SYS(getrandom), SCMP_SYS(sched_yield), SCMP_SYS(sigaltstack), SCMP_SYS(restart_syscall),
};

/* What loading code needs beside that, and the step after it. */
static const int loading[] = {
	SCMP_SYS(newfstatat), SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(readlink), SCMP_SYS(readlinkat),
	SCMP_SYS(getcwd), SCMP_SYS(prlimit64), SCMP_SYS(rt_sigaction), SCMP_SYS(set_robust_list), SCMP_SYS(rseq),
	SCMP_SYS(arch_prctl), SCMP_SYS(uname), SCMP_SYS(sysinfo), SCMP_SYS(prctl), SCMP_SYS(seccomp), SCMP_SYS(fcntl),
	SCMP_SYS(landlock_create_ruleset), SCMP_SYS(landlock_restrict_self),
};

static const char *const libraries[] = { "/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/nix/store", "/gnu/store" };

static int sandbox_drop_user(struct err *e)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct none[2] = { { 0 } };

	for (int cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
		prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
	/* In a user namespace there may be no nobody: then what is dropped below must do. */
	if (!geteuid() && !setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY))
		(void)!setresuid(NOBODY, NOBODY, NOBODY);
	if (syscall(SYS_capset, &head, none))
		return err_set(e, errno, "cannot give up capabilities: %s", strerror(errno));
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
		return err_set(e, errno, "cannot give up privileges: %s", strerror(errno));
	return 0;
}

static int sandbox_limit(int what, uint64_t value, struct err *e)
{
	const struct rlimit limit = { .rlim_cur = value, .rlim_max = value };

	return setrlimit(what, &limit) ? err_set(e, errno, "cannot set a limit: %s", strerror(errno)) : 0;
}

static int sandbox_set_limits(const struct sandbox_needs *needs, struct err *e)
{
	uint64_t memory_bytes = needs->memory_bytes;
	int r = sandbox_limit(RLIMIT_CORE, 0, e);

	r = r ? r : sandbox_limit(RLIMIT_FSIZE, 0, e);
	r = r ? r : sandbox_limit(RLIMIT_NPROC, 0, e);
	r = r ? r : sandbox_limit(RLIMIT_NOFILE, needs->files, e);
	r = r ? r : sandbox_limit(RLIMIT_STACK, needs->stack_bytes, e);
	r = r ? r : sandbox_limit(RLIMIT_CPU, needs->cpu_seconds, e);
#ifdef __SANITIZE_ADDRESS__
	/* AddressSanitizer reserves terabytes. */
	memory_bytes = 0;
#endif
	return r || !memory_bytes ? r : sandbox_limit(RLIMIT_AS, memory_bytes, e);
}

/* Lets the rules of RULESET read what is at PATH and below. What is not there needs no rule. */
static void sandbox_allow_path(int ruleset, const char *path)
{
	AUTO_FD int fd = open(path, O_PATH | O_CLOEXEC);
	struct landlock_path_beneath_attr rule = { .parent_fd = fd };

	if (fd < 0)
		return;
	rule.allowed_access = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
	if (syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0)) {
		/* of a file, not of a folder */
		rule.allowed_access &= ~(uint64_t)LANDLOCK_ACCESS_FS_READ_DIR;
		syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	}
}

/* No files but what is below the N folders ALLOWED. Kernels without Landlock leave that to seccomp. */
static int sandbox_landlock(const char *const *allowed, size_t n, struct err *e)
{
	const long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	/* how many rights to files each version has */
	static const uint8_t rights[] = { 13, 14, 15, 15, 16 };
	struct landlock_ruleset_attr attr = { 0 };
	AUTO_FD int ruleset = -1;

	if (abi < 1)
		return 0;
	attr.handled_access_fs = (1u << rights[abi > (long)sizeof(rights) ? sizeof(rights) - 1 : (size_t)abi - 1]) - 1;
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr.handled_access_fs), 0);
	if (ruleset < 0)
		return err_set(e, errno, "cannot give up files: %s", strerror(errno));
	for (size_t i = 0; i < n; i++)
		sandbox_allow_path(ruleset, allowed[i]);
	return syscall(SYS_landlock_restrict_self, ruleset, 0) ?
		err_set(e, errno, "cannot give up files: %s", strerror(errno)) : 0;
}

/* Allows the N system calls CALLS; those that this architecture has not need no rule. */
static int sandbox_allow(scmp_filter_ctx filter, const int *calls, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n && !r; i++) {
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0);
		r = r == -EDOM ? 0 : r;
	}
	return r;
}

/* What fstat() of the C library is, too, and what libraries ask about what is open, or copy. */
static int sandbox_allow_reading(scmp_filter_ctx filter)
{
	static const scmp_datum_t asked[] = { F_DUPFD_CLOEXEC, F_GETFL, F_GETFD };
	int r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(newfstatat), 1,
				 SCMP_A3(SCMP_CMP_EQ, AT_EMPTY_PATH));

	r = r == -EDOM ? 0 : r;
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked) && !r; i++)
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1, SCMP_A1(SCMP_CMP_EQ, asked[i]));
	return r;
}

static int sandbox_seccomp(bool loads, bool reads_files, struct err *e)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int r;

	if (!filter)
		return err_nomem(e, "a filter of system calls");
	r = sandbox_allow(filter, always, sizeof(always) / sizeof(*always));
	/* abort() */
	r = r ? r : seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
				     SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid()));
	if (!r && reads_files && !loads)
		r = sandbox_allow_reading(filter);
	if (!r && loads) {
		r = sandbox_allow(filter, loading, sizeof(loading) / sizeof(*loading));
		r = r ? r : seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
					     SCMP_A2(SCMP_CMP_MASKED_EQ, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY));
	}
	r = r ? r : seccomp_load(filter);
	seccomp_release(filter);
	return r ? err_set(e, -r, "cannot give up system calls: %s", strerror(-r)) : 0;
}

int sandbox_enter(const struct sandbox_needs *needs, struct err *e)
{
	int r = sandbox_set_limits(needs, e);

	r = r ? r : sandbox_drop_user(e);
	r = r ? r : sandbox_landlock(libraries, sizeof(libraries) / sizeof(*libraries), e);
	return r ? r : sandbox_seccomp(true, needs->reads_files, e);
}

int sandbox_close(const struct sandbox_needs *needs, struct err *e)
{
	const int r = sandbox_landlock(NULL, 0, e);

	return r ? r : sandbox_seccomp(false, needs->reads_files, e);
}
