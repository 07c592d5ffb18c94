/* SPDX-License-Identifier: BSD-2-Clause */
/* find_syscalls.c - see find_syscalls.h. Names and numbers are those of model/wait.h. */
#include "config.h"

#include "probe/find_syscalls.h"

#include "probe/find_match.h"
#include "probe/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The groups of strace(1): %file are calls that take a file name, %network, %memory, and %process
 * those that begin, end or wait for processes. Names between blanks, of all architectures.
 */
static const struct {
	const char *name, *calls;
} call_groups[] = {
	{ "file",
	  " access acct chdir chmod chown chown32 chroot creat execve execveat faccessat faccessat2 fanotify_mark "
	  "fchmodat fchmodat2 fchownat file_getattr file_setattr fsconfig fspick fstatat64 futimesat getcwd getxattr "
	  "getxattrat inotify_add_watch lchown lchown32 lgetxattr link linkat listxattr listxattrat llistxattr "
	  "lremovexattr "
	  "lsetxattr lstat lstat64 mkdir mkdirat mknod mknodat mount mount_setattr move_mount name_to_handle_at "
	  "newfstatat "
	  "oldlstat oldstat open open_tree openat openat2 pivot_root quotactl readlink readlinkat removexattr "
	  "removexattrat "
	  "rename renameat renameat2 rmdir setxattr setxattrat stat stat64 statfs statfs64 statx swapoff swapon "
	  "symlink "
	  "symlinkat truncate truncate64 umount umount2 unlink unlinkat uselib utime utimensat utimensat_time64 "
	  "utimes " },
	{ "net", " accept accept4 bind connect getpeername getsockname getsockopt listen recv recvfrom recvmmsg "
		 "recvmmsg_time64 recvmsg send sendfile sendfile64 sendmmsg sendmsg sendto setsockopt shutdown socket "
		 "socketcall "
		 "socketpair " },
	{ "memory",
	  " brk get_mempolicy madvise map_shadow_stack mbind migrate_pages mincore mlock mlock2 mlockall mmap mmap2 "
	  "move_pages mprotect mremap mseal msync munlock munlockall munmap pkey_mprotect process_madvise "
	  "remap_file_pages set_mempolicy set_mempolicy_home_node shmat shmdt userfaultfd " },
	{ "process", " clone clone2 clone3 execve execveat exit exit_group fork kill pidfd_open pidfd_send_signal "
		     "rt_sigqueueinfo rt_tgsigqueueinfo tgkill tkill vfork wait4 waitid waitpid " },
};

static bool call_in_group(const char *group, const char *name)
{
	char between[CALL_NAME_MAX + 2];

	snprintf(between, sizeof(between), " %s ", name);
	for (size_t i = 0; i < sizeof(call_groups) / sizeof(call_groups[0]); i++)
		if (!strcmp(call_groups[i].name, group))
			return strstr(call_groups[i].calls, between);
	return false;
}

/* The name of system call NR of ARCH; false when it has none. */
static bool syscall_name(uint32_t nr, const char *arch, char name[CALL_NAME_MAX])
{
	call_name(CALL_SYSCALL + nr, arch, name);
	return strncmp(name, "syscall ", 8) != 0;
}

static int refuse_syscall(const struct spec_point *p, const char *arch, struct err *e)
{
	const char *where = arch ? arch : "this machine";
	struct nearest near = nearest_begin(p->name, strlen(p->name));
	char name[CALL_NAME_MAX];

	if (p->match != SPEC_EXACT)
		return err_set(e, ENOENT, "no system call of %s matches '%s': see syscalls(2)", where, p->name);
	for (uint32_t nr = 0; nr < FIND_SYSCALLS_MAX; nr++)
		if (syscall_name(nr, arch, name))
			nearest_offer(&near, name);
	if (*near.best)
		return err_set(e, ENOENT, "there is no system call '%s' on %s: did you mean '%s'?", p->name, where,
			       near.best);
	return err_set(e, ENOENT, "there is no system call '%s' on %s: see syscalls(2)", p->name, where);
}

int find_syscalls(const struct spec_point *p, const char *arch, found_syscalls *ret, struct err *e)
{
	struct find_match m;
	const size_t before = ret->n;
	int rc = find_match_init(&m, p->match == SPEC_GROUP ? SPEC_ANY : p->match, p->name, e);

	for (uint32_t nr = 0; !rc && nr < FIND_SYSCALLS_MAX; nr++) {
		struct found_syscall call = { .number = nr }, *slot;

		if (!syscall_name(nr, arch, call.name) || !find_match_is(&m, call.name) ||
		    (p->match == SPEC_GROUP && !call_in_group(p->name, call.name)))
			continue;
		slot = vec_push(ret);
		if (slot)
			*slot = call;
		else
			rc = err_nomem(e, "the system calls to probe");
	}
	find_match_free(&m);
	if (rc < 0)
		return rc;
	return ret->n > before ? (int)(ret->n - before) : refuse_syscall(p, arch, e);
}
