/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * channels.bpf.h - which pipe or socket a task waits for, and which process is at the other end.
 *
 * A pipe is known by the number of its inode, which both ends have; a socket by that of its own. Who may write to a
 * pipe the kernel does not say, so who ends the wait tells it (--wakers, without which nothing is done here). A
 * connected socket of the family AF_UNIX names the process that made its other end.
 */
#ifndef SBERF_BPF_CHANNELS_H
#define SBERF_BPF_CHANNELS_H

#include "maps.bpf.h"
#include "record.bpf.h"
#include "sums.bpf.h"

/* include/uapi/linux/stat.h, poll.h, socket.h */
#define FILE_TYPE 0170000u
#define FILE_PIPE 0010000u
#define FILE_SOCKET 0140000u
#define POLLED_TO_READ 0x1u
#define POLLED_TO_WRITE 0x4u
#define FAMILY_UNIX 1u

#define NO_FD (~0u)
#define FD_WORDS 4u              /* of the set of select(2) that are looked at: 256 file descriptors */

struct polled {                  /* struct pollfd */
	__s32 fd;
	__s16 events, found;
};

/* The number of the only bit that is set in the first words of the set at ADDR; NO_FD when there is no such bit. */
static __always_inline __u32 only_fd(__u64 addr)
{
	__u64 word[FD_WORDS];
	__u32 fd = NO_FD;

	if (!addr || bpf_probe_read_user(word, sizeof(word), (void *)addr))
		return NO_FD;
#pragma unroll
	for (unsigned int i = 0; i < FD_WORDS; i++) {
		if (!word[i])
			continue;
		if (fd != NO_FD || word[i] & (word[i] - 1))
			return NO_FD;
		fd = 0;
		for (unsigned int half = 32; half; half >>= 1)
			fd |= word[i] >> (fd + half) ? half : 0;
		fd += 64 * i;
	}
	return fd;
}

/* Which file descriptor a task that is in CALL with the registers V waits for, and whether to write; NO_FD = many. */
static __always_inline __u32 waited_fd(__s32 call, const __u64 *v, bool *ret_writes)
{
	struct polled p;

	*ret_writes = SB_CALL_WRITES(call);
	if (*ret_writes || SB_CALL_READS(call))
		return v[SB_DWARF_DI];
	if (SB_CALL_SELECTS(call))
		return v[SB_DWARF_DX] ? NO_FD : only_fd(v[SB_DWARF_SI]);
	if (!SB_CALL_POLLS(call) || v[SB_DWARF_SI] != 1 ||
	    bpf_probe_read_user(&p, sizeof(p), (void *)v[SB_DWARF_DI]))
		return NO_FD;
	*ret_writes = p.events & POLLED_TO_WRITE && !(p.events & POLLED_TO_READ);
	return p.fd;
}

/* The file that the current task calls FD; NULL = none. */
static __always_inline struct file *file_of_fd(__u32 fd)
{
	struct files_struct *files = plain((struct task_struct *)bpf_get_current_task_btf())->files;
	struct fdtable *fdt = files ? files->fdt : NULL;
	struct file *file = NULL;

	if (!fdt || fd >= fdt->max_fds || bpf_probe_read_kernel(&file, sizeof(file), fdt->fd + fd))
		return NULL;
	return file;
}

/* The process at the other end of SOCKET, as far as the kernel says; 0 = it does not. */
static __always_inline __u32 socket_peer(struct socket *socket)
{
	struct sock *sk = BPF_CORE_READ(socket, sk);
	struct pid *pid;

	if (BPF_CORE_READ(sk, __sk_common.skc_family) != FAMILY_UNIX)
		return 0;
	pid = BPF_CORE_READ(sk, sk_peer_pid);
	return pid ? BPF_CORE_READ(pid, level) == 0 ? BPF_CORE_READ(pid, numbers[0].nr) : 0 : 0;
}

/*
 * Does the current task, which goes to sleep, wait for one pipe or socket alone? Then that is what the record in its
 * slot INDEX says, which names no lock. Global, so that the verifier looks at it alone.
 */
__noinline int sb_put_channel(__u32 index)
{
	struct sb_task *st = bpf_task_storage_get(&tasks, (struct task_struct *)bpf_get_current_task_btf(), NULL, 0);
	struct sb_slot *slot = bpf_map_lookup_elem(&slots, &index);
	struct sb_lock_owner *o;
	struct inode *inode;
	struct sb_lock *l;
	struct file *file;
	bool writes;
	__u32 fd, type;

	if (!st || !slot || st->state != SB_STATE_INTERRUPTIBLE || st->flags & SB_WAIT_COMPAT)
		return 0;
	fd = waited_fd(st->call, (void *)(slot->rec + WAIT_HEAD_BYTES + sizeof(struct sb_part_regs)), &writes);
	file = fd == NO_FD ? NULL : file_of_fd(fd);
	if (!file)
		return 0;
	inode = BPF_CORE_READ(file, f_inode);
	type = BPF_CORE_READ(inode, i_mode) & FILE_TYPE;
	if (type != FILE_PIPE && type != FILE_SOCKET)
		return 0;
	l = lock_of(slot);
	o = (void *)l->bytes;
	__builtin_memset(l, 0, sizeof(*l));
	l->address = BPF_CORE_READ(inode, i_ino);
	l->flags = SB_LOCK_OF_KERNEL;
	l->op = (type == FILE_PIPE ? SB_CHANNEL_PIPE : SB_CHANNEL_SOCKET) + writes;
	if (type == FILE_SOCKET)
		o->pid = socket_peer(BPF_CORE_READ(file, private_data));
	/* Whoever made both ends is at this one. */
	if (o->pid == bpf_get_current_pid_tgid() >> 32)
		o->pid = 0;
	o->tid = o->pid;
	if (slot->stack)
		slot->stack = sum_fold(slot->stack, l->address) | 1;
	return 0;
}

#endif
