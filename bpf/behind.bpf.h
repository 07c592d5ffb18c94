/* SPDX-License-Identifier: BSD-2-Clause */
/* behind.bpf.h - reads what values lead to, as struct sb_load of wire.h says: what is shown, and a number. */
#ifndef SBERF_BPF_BEHIND_H
#define SBERF_BPF_BEHIND_H

#include "wire.h"

/* The address of what L says, from the value V. 0, or a negative errno where one of the pointers cannot be read. */
static __always_inline long behind_address(const struct sb_load *l, __u64 v, __u64 *ret)
{
	long r = 0;

	for (__u32 hop = 0; hop < SB_HOPS && hop < l->hops && !r; hop++) {
		v += l->offset[hop];
		if (hop + 1 == l->hops)
			break;
		r = l->user >> hop & 1 ? bpf_probe_read_user(&v, sizeof(v), (void *)v) :
			bpf_probe_read_kernel(&v, sizeof(v), (void *)v);
	}
	*ret = v;
	return r;
}

/* BYTES at ADDRESS, 0 = a string, to TO. Pointers of the kernel may lead to memory of the program. How many, or < 0. */
static __always_inline long behind_read(void *to, __u32 bytes, __u64 address, bool user)
{
	long got;

	if (!bytes) {
		got = user ? -1 : bpf_probe_read_kernel_str(to, SB_TEXT_MAX, (void *)address);
		return got > 0 ? got : bpf_probe_read_user_str(to, SB_TEXT_MAX, (void *)address);
	}
	barrier_var(bytes);
	if (bytes > SB_PRINT_MAX)
		return -1;
	got = user ? -1 : bpf_probe_read_kernel(to, bytes, (void *)address);
	if (got)
		got = bpf_probe_read_user(to, bytes, (void *)address);
	return got ? -1 : (long)bytes;
}

#endif
