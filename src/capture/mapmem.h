/* SPDX-License-Identifier: BSD-2-Clause */
/* mapmem.h - how much kernel memory BPF maps take. */
#ifndef SBERF_CAPTURE_MAPMEM_H
#define SBERF_CAPTURE_MAPMEM_H

#include <linux/bpf.h>
#include <stdint.h>

/*
 * Bytes that the elements of the map M take in the kernel's layout (kernel/bpf/hashtab.c,
 * arraymap.c, queue_stack_maps.c); 0 when elements are allocated on use. Not for rings. Pure.
 */
uint64_t mapmem_laid_out(const struct bpf_map_info *m);

/* Bytes that the kernel charges for the map FD (memlock in its fdinfo); 0 when FD is no map. */
uint64_t mapmem_charged(int fd);

/*
 * Bytes that the map FD takes: the larger of mapmem_charged() and mapmem_laid_out(), because
 * kernels before 6.4 charge a hash for its keys and values only. 0 when FD is no map.
 */
uint64_t mapmem(int fd);

#endif
