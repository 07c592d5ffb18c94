/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rights.c - capset(2) and prctl(2) are about one thread; what all threads lose is taken by the C library's
 * setuid(), which root's capabilities go with, and by a filter of system calls, which takes new privileges along.
 */
#include "config.h"

#include "collector/rights.h"

#include "collector/collector_policy.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <limits.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of sberf without privileges: what only privileges are for, and what nothing here needs. */
static const int refused[] = {
	SCMP_SYS(acct), SCMP_SYS(add_key), SCMP_SYS(chroot), SCMP_SYS(delete_module), SCMP_SYS(finit_module),
	SCMP_SYS(fsmount), SCMP_SYS(fsopen), SCMP_SYS(init_module), SCMP_SYS(io_uring_setup), SCMP_SYS(kexec_file_load),
	SCMP_SYS(kexec_load), SCMP_SYS(keyctl), SCMP_SYS(mount), SCMP_SYS(move_mount), SCMP_SYS(open_by_handle_at),
	SCMP_SYS(open_tree), SCMP_SYS(perf_event_open), SCMP_SYS(pivot_root), SCMP_SYS(process_vm_writev),
	SCMP_SYS(ptrace), SCMP_SYS(reboot), SCMP_SYS(request_key), SCMP_SYS(setns), SCMP_SYS(swapoff), SCMP_SYS(swapon),
	SCMP_SYS(umount2), SCMP_SYS(unshare), SCMP_SYS(userfaultfd),
};

/* All that the collector calls. */
static const int served[] = {
	SCMP_SYS(bpf), SCMP_SYS(brk), SCMP_SYS(clock_gettime), SCMP_SYS(clone), SCMP_SYS(close), SCMP_SYS(dup),
	SCMP_SYS(exit_group), SCMP_SYS(fcntl), SCMP_SYS(fstat), SCMP_SYS(fstatfs), SCMP_SYS(ftruncate),
	SCMP_SYS(getdents64), SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(kill), SCMP_SYS(lseek), SCMP_SYS(madvise),
	SCMP_SYS(memfd_create), SCMP_SYS(mmap), SCMP_SYS(move_pages), SCMP_SYS(mprotect), SCMP_SYS(munmap),
	SCMP_SYS(newfstatat), SCMP_SYS(openat), SCMP_SYS(openat2), SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(prctl),
	SCMP_SYS(pread64), SCMP_SYS(process_vm_readv), SCMP_SYS(read), SCMP_SYS(recvmsg), SCMP_SYS(restart_syscall),
	SCMP_SYS(rseq), SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sendmsg),
	SCMP_SYS(set_robust_list), SCMP_SYS(set_tid_address), SCMP_SYS(socketpair), SCMP_SYS(wait4), SCMP_SYS(write),
};

/* And one that holds the kernel half. */
static const int held[] = {
	SCMP_SYS(epoll_wait), SCMP_SYS(ioctl), SCMP_SYS(perf_event_open),
	/* probes are taken off by threads, and signals to itself measure the way to them */
	SCMP_SYS(clone3), SCMP_SYS(exit), SCMP_SYS(futex), SCMP_SYS(tgkill),
};

static int rights_add(scmp_filter_ctx filter, uint32_t action, const int *calls, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n && !r; i++) {
		r = seccomp_rule_add(filter, action, calls[i], 0);
		/* This architecture does not have it. */
		r = r == -EDOM ? 0 : r;
	}
	return r;
}

/*
 * A filter that does ACTION with the N system calls CALLS and the NR_MORE calls MORE, and OTHERWISE with the others;
 * for all threads.
 */
static int rights_filter(uint32_t otherwise, uint32_t action, const int *calls, size_t n, const int *more,
			 size_t nr_more, struct err *e)
{
	scmp_filter_ctx filter = seccomp_init(otherwise);
	int r;

	if (!filter)
		return err_nomem(e, "a filter of system calls");
	/* It says that there are no new privileges, too. */
	r = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
	r = r ? r : rights_add(filter, action, calls, n);
	r = r ? r : rights_add(filter, action, more, nr_more);
	r = r ? r : seccomp_load(filter);
	seccomp_release(filter);
	return r ? err_set(e, -r, "cannot give up system calls: %s", strerror(-r)) : 0;
}

int rights_of_sberf(const struct caller *c, struct err *e)
{
	if (!caller_become(c))
		return err_set(e, errno, "cannot become the user who called sudo: %s", strerror(errno));
	return rights_filter(SCMP_ACT_ALLOW, SCMP_ACT_ERRNO(EPERM), refused, sizeof(refused) / sizeof(*refused), NULL,
			     0, e);
}

uint64_t rights_lacking(uint64_t caps)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	syscall(SYS_capget, &head, data);
	return caps & ~((uint64_t)data[1].permitted << 32 | data[0].permitted);
}

/* Keeps CAPS and no others. */
static int rights_keep(uint64_t caps)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	for (unsigned int i = 0; i < 2; i++)
		data[i].effective = data[i].permitted = (uint32_t)(caps >> 32 * i);
	return syscall(SYS_capset, &head, data) ? -errno : 0;
}

int rights_of_collector(uid_t uid, gid_t gid, uint64_t caps)
{
	const bool root = geteuid() == 0;

	/* Whoever has not been started by root cannot become anybody else, and keeps the bounding set of the caller. */
	for (int cap = 0; root && prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
		prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) || (root && setgroups(0, NULL)) || setresgid(gid, gid, gid) ||
	    setresuid(uid, uid, uid))
		return -errno;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
		return -errno;
	return rights_keep(caps);
}

int rights_of_answers(bool holds)
{
	return rights_filter(SCMP_ACT_ERRNO(EPERM), SCMP_ACT_ALLOW, served, sizeof(served) / sizeof(*served), held,
			     holds ? sizeof(held) / sizeof(*held) : 0, NULL);
}

bool rights_suffice_for_file(const struct caller *c, const char *path)
{
	const char *slash = strrchr(path, '/');
	const pid_t pid = fork();
	char dir[PATH_MAX];
	int status = 0;

	if (!pid) {
		snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
		_exit(caller_become(c) && (!access(path, W_OK) || (errno == ENOENT && !access(dir, W_OK | X_OK))) ?
		      0 : 1);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
}
