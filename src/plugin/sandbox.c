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
#include <sched.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NOBODY 65534
#define SANDBOX_TRUNCATE (1ull << 14)     /* LANDLOCK_ACCESS_FS_TRUNCATE, which older headers do not have */

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

/* All rights to files that the kernel's Landlock knows, as bits; 0: it has none. */
static uint64_t sandbox_file_rights(void)
{
	const long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	/* how many rights to files each version has */
	static const uint8_t rights[] = { 13, 14, 15, 15, 16 };

	return abi < 1 ? 0 : (1u << rights[abi > (long)sizeof(rights) ? sizeof(rights) - 1 : (size_t)abi - 1]) - 1;
}

/* Lets the rules of RULESET write PATH; of a file that is replaced, and of a folder, what is in the folder. */
static void sandbox_allow_output(int ruleset, const char *path, uint64_t handled)
{
	AUTO_FREE char *copy = strdup(path);
	const char *slash = strrchr(path, '/');
	AUTO_FD int fd = -1;
	struct landlock_path_beneath_attr rule = { .allowed_access = LANDLOCK_ACCESS_FS_WRITE_FILE };
	struct stat st = { .st_mode = S_IFREG };

	(void)stat(path, &st);
	if (!copy)
		return;
	if (S_ISREG(st.st_mode))
		copy[slash ? (slash == path ? 1 : (size_t)(slash - path)) : 0] = '\0';
	if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		rule.allowed_access |= LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |
				       LANDLOCK_ACCESS_FS_REMOVE_FILE | SANDBOX_TRUNCATE;
	fd = open(*copy ? copy : ".", O_PATH | O_CLOEXEC);
	rule.parent_fd = fd;
	rule.allowed_access &= handled;
	if (fd >= 0)
		syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

static bool sandbox_is_path(const char *path)
{
	return path && strcmp(path, "-") != 0;
}

/* What may be opened: files below the NR_READ folders READ to be read, and the NR_WRITTEN outputs WRITTEN. */
struct sandbox_files {
	const char *const *read, *const *written;
	size_t nr_read, nr_written;
};

/* No files but FILES. Kernels without Landlock leave that to seccomp. */
static int sandbox_landlock(const struct sandbox_files *files, struct err *e)
{
	struct landlock_ruleset_attr attr = { .handled_access_fs = sandbox_file_rights() };
	AUTO_FD int ruleset = -1;

	if (!attr.handled_access_fs)
		return 0;
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr.handled_access_fs), 0);
	if (ruleset < 0)
		return err_set(e, errno, "cannot give up files: %s", strerror(errno));
	for (size_t i = 0; i < files->nr_read; i++)
		sandbox_allow_path(ruleset, files->read[i]);
	for (size_t i = 0; i < files->nr_written; i++)
		if (sandbox_is_path(files->written[i]))
			sandbox_allow_output(ruleset, files->written[i], attr.handled_access_fs);
	return syscall(SYS_landlock_restrict_self, ruleset, 0) ?
		err_set(e, errno, "cannot give up files: %s", strerror(errno)) : 0;
}

/* Adds ACTION for the N system calls CALLS; those that this architecture has not need no rule. */
static int sandbox_rules(scmp_filter_ctx filter, uint32_t action, const int *calls, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n && !r; i++) {
		r = seccomp_rule_add(filter, action, calls[i], 0);
		r = r == -EDOM ? 0 : r;
	}
	return r;
}

/* Allows CALL, which sends a signal, to this process alone. */
static int sandbox_allow_signal(scmp_filter_ctx filter, int call)
{
	return seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1, SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid()));
}

/* Allows to open files that are there, to read them. */
static int sandbox_allow_open(scmp_filter_ctx filter)
{
	return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
				SCMP_A2(SCMP_CMP_MASKED_EQ, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY));
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
	r = sandbox_rules(filter, SCMP_ACT_ALLOW, always, COUNT(always));
	/* abort() */
	r = r ? r : sandbox_allow_signal(filter, SCMP_SYS(tgkill));
	if (!r && reads_files && !loads)
		r = sandbox_allow_reading(filter);
	if (!r && loads) {
		r = sandbox_rules(filter, SCMP_ACT_ALLOW, loading, COUNT(loading));
		r = r ? r : sandbox_allow_open(filter);
	}
	r = r ? r : seccomp_load(filter);
	seccomp_release(filter);
	return r ? err_set(e, -r, "cannot give up system calls: %s", strerror(-r)) : 0;
}

int sandbox_enter(const struct sandbox_needs *needs, struct err *e)
{
	int r = sandbox_set_limits(needs, e);

	r = r ? r : sandbox_drop_user(e);
	r = r ? r : sandbox_landlock(&(struct sandbox_files){ .read = libraries, .nr_read = COUNT(libraries) }, e);
	return r ? r : sandbox_seccomp(true, needs->reads_files, e);
}

int sandbox_close(const struct sandbox_needs *needs, struct err *e)
{
	const int r = sandbox_landlock(&(struct sandbox_files){ 0 }, e);

	return r ? r : sandbox_seccomp(false, needs->reads_files, e);
}

/* What commands need beside ALWAYS that read one thing and write another. */
static const int commands[] = {
	SCMP_SYS(readv), SCMP_SYS(writev), SCMP_SYS(pwrite64), SCMP_SYS(newfstatat), SCMP_SYS(statx), SCMP_SYS(ioctl),
	SCMP_SYS(fcntl), SCMP_SYS(ftruncate), SCMP_SYS(fsync), SCMP_SYS(fdatasync), SCMP_SYS(fadvise64),
	SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(select), SCMP_SYS(pselect6), SCMP_SYS(nanosleep),
	SCMP_SYS(clock_nanosleep), SCMP_SYS(rt_sigaction), SCMP_SYS(setitimer), SCMP_SYS(prlimit64),
	SCMP_SYS(getrusage), SCMP_SYS(uname), SCMP_SYS(sysinfo), SCMP_SYS(getcwd), SCMP_SYS(getuid), SCMP_SYS(geteuid),
	SCMP_SYS(getgid),
	SCMP_SYS(getegid), SCMP_SYS(getppid), SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(access),
	SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(getdents64), SCMP_SYS(dup), SCMP_SYS(dup3),
	SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(membarrier), SCMP_SYS(sched_getaffinity),
	/* to give up more */
	SCMP_SYS(prctl), SCMP_SYS(seccomp), SCMP_SYS(landlock_create_ruleset), SCMP_SYS(landlock_add_rule),
	SCMP_SYS(landlock_restrict_self),
};

/* What replacing a file takes. */
static const int replacing[] = {
	SCMP_SYS(rename), SCMP_SYS(renameat), SCMP_SYS(renameat2), SCMP_SYS(unlink), SCMP_SYS(unlinkat),
	SCMP_SYS(fchmod), SCMP_SYS(fchown), SCMP_SYS(link), SCMP_SYS(linkat), SCMP_SYS(umask), SCMP_SYS(fallocate),
};

/* What nothing does that reads a recording: programs, other processes, the network, and the kernel. */
static const int refused[] = {
	SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(ptrace),
	SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(pidfd_getfd), SCMP_SYS(connect),
	SCMP_SYS(bpf), SCMP_SYS(perf_event_open), SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(unshare),
	SCMP_SYS(setns),
	SCMP_SYS(chroot), SCMP_SYS(pivot_root), SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(delete_module),
	SCMP_SYS(kexec_load), SCMP_SYS(reboot), SCMP_SYS(swapon), SCMP_SYS(keyctl), SCMP_SYS(add_key),
	SCMP_SYS(request_key), SCMP_SYS(userfaultfd), SCMP_SYS(io_uring_setup), SCMP_SYS(setuid), SCMP_SYS(setreuid),
	SCMP_SYS(setresuid), SCMP_SYS(setgid), SCMP_SYS(setregid), SCMP_SYS(setresgid),
};

/* Refuses what nothing here does, and new processes, but no new threads. */
static int sandbox_refuse(scmp_filter_ctx filter)
{
	int r = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
				 SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));

	/* The C library then takes clone(), whose flags can be looked at. */
	r = r ? r : seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	return r ? r : sandbox_rules(filter, SCMP_ACT_ERRNO(EPERM), refused, COUNT(refused));
}

/* What a command may call that NEEDS so little that all of it can be told. */
static int sandbox_allow_command(scmp_filter_ctx filter, const struct sandbox_reading *needs)
{
	int r = sandbox_rules(filter, SCMP_ACT_ALLOW, always, COUNT(always));

	r = r ? r : sandbox_rules(filter, SCMP_ACT_ALLOW, commands, COUNT(commands));
	r = r ? r : sandbox_allow_signal(filter, SCMP_SYS(tgkill));
	/* Whoever ended it by a signal is to be told so. */
	r = r ? r : sandbox_allow_signal(filter, SCMP_SYS(kill));
	if (!r && (sandbox_is_path(needs->writes[0]) || sandbox_is_path(needs->writes[1]))) {
		r = sandbox_rules(filter, SCMP_ACT_ALLOW, replacing, COUNT(replacing));
		return r ? r : seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 0);
	}
	if (!r && needs->opens)
		r = sandbox_allow_open(filter);
	return r;
}

int sandbox_reading(const struct sandbox_reading *needs, struct err *e)
{
#ifdef __SANITIZE_ADDRESS__
	(void)needs;
	(void)e;
	return 0;                /* what looks for leaks in the end starts a process */
#else
	static const char *const all[] = { "/" };
	const struct sandbox_files files = { .read = all, .nr_read = needs->opens, .written = needs->writes,
					     .nr_written = COUNT(needs->writes) };
	scmp_filter_ctx filter;
	int r;

	/* The zone of times is in a file, which is read once. */
	tzset();
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return err_set(e, errno, "cannot give up privileges: %s", strerror(errno));
	r = needs->stays ? 0 : sandbox_landlock(&files, e);
	if (r)
		return r;
	filter = seccomp_init(needs->stays ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(EPERM));
	if (!filter)
		return err_nomem(e, "a filter of system calls");
	r = needs->stays ? sandbox_refuse(filter) : sandbox_allow_command(filter, needs);
	r = r ? r : seccomp_load(filter);
	seccomp_release(filter);
	/* A kernel without it is one where nothing of this is to be had. */
	return r && r != -EINVAL && r != -ENOSYS ? err_set(e, -r, "cannot give up system calls: %s", strerror(-r)) : 0;
#endif
}
