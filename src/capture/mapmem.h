/* SPDX-License-Identifier: BSD-2-Clause */
/* mapmem.h - how much memory of the kernel BPF maps take. */
#ifndef SBERF_CAPTURE_MAPMEM_H
#define SBERF_CAPTURE_MAPMEM_H

#include <linux/bpf.h>
#include <stdint.h>

/*
 * Bytes that the items of the map M take as the kernel lays them out (kernel/bpf/hashtab.c, arraymap.c, queue_stack_maps.c); 0 when they
 * come and go with what is in it. Not for rings. Pure.
 */
uint64_t mapmem_laid_out(const struct bpf_map_info *m);

/* Bytes that the kernel charges for the map FD (memlock of its fdinfo); 0 when FD is no map. */
uint64_t mapmem_charged(int fd);

/*
 * Bytes that the map FD takes: what the kernel charges for it, or what its items take as the kernel lays them out, whichever is more;
 * before Linux 6.4 it leaves what a hash needs beside its keys and values out. 0 when FD is no map.
 */
uint64_t mapmem(int fd);

#endif
