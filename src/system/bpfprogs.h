/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bpfprogs.h - the BPF programs that the kernel has loaded: what they are, how often and how long they run, and who
 * keeps them.
 *
 * The kernel counts runs while somebody asks it to (BPF_ENABLE_STATS, since 5.8, or the sysctl
 * kernel.bpf_stats_enabled); two readings of the clock for each run are what that costs. Listing takes the right to
 * open programs by their numbers, CAP_SYS_ADMIN (kernel/bpf/syscall.c, bpf_prog_get_fd_by_id()).
 */
#ifndef SBERF_SYSTEM_BPFPROGS_H
#define SBERF_SYSTEM_BPFPROGS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/vec.h"

#include <stdint.h>
#include <sys/types.h>

#define BPF_PROG_NAME_MAX 128u
#define BPF_PROG_TAG_BYTES 8u

struct bpf_prog {
	uint32_t id;
	uint32_t type;                   /* enum bpf_prog_type */
	uid_t uid;                       /* who loaded it */
	uint32_t btf_id;                 /* of its type information; 0 = it has none */
	uint32_t jited_bytes;            /* 0 = it is interpreted, or this is hidden */
	uint8_t tag[BPF_PROG_TAG_BYTES];
	/* since it was loaded, while runs were counted; missed: it ran there already */
	uint64_t runs, run_ns, missed;
	char name[BPF_PROG_NAME_MAX];    /* raw bytes; whole where the program has type information */
};

typedef VEC(struct bpf_prog) bpf_prog_vec;

/*
 * Appends all programs, by their numbers. 0, or a negative errno with a sentence: -EPERM when they may not be
 * listed. A program that goes meanwhile is left out.
 */
int bpfprogs_list(bpf_prog_vec *ret, struct err *e);

/* The name of a function of a program; raw bytes. */
struct bpf_function {
	char name[BPF_PROG_NAME_MAX];
};

typedef VEC(struct bpf_function) bpf_function_vec;

#define BPF_FUNCTIONS_MAX 1024u          /* of one program */

/*
 * Appends the functions of P by its type information, that at which it begins first. 0, also when it has none; -ENOMEM,
 * or the negative errno of opening it.
 */
int bpfprogs_functions(const struct bpf_prog *p, bpf_function_vec *ret);

/*
 * Has the kernel count runs until the descriptor returned is closed. A negative errno when it cannot (-EINVAL: a
 * kernel before 5.8; -EPERM); they may be counted all the same, see bpfprogs_counted().
 */
int bpfprogs_count_runs(void);
bool bpfprogs_counted(void);             /* whether the sysctl has them counted */

/* What keeps a program loaded: a process that has it open, or a link of it, or a path where one of these is pinned. */
struct bpf_keeper {
	uint32_t prog;                   /* id */
	pid_t pid;                       /* 0 = it is pinned */
	char *path;                      /* owned; NULL with a pid */
};

typedef VEC(struct bpf_keeper) bpf_keeper_vec;

/*
 * Appends what keeps programs, by program, then pinned ones, then processes. Programs that are attached without a
 * link (XDP, cgroups and others, through netlink or BPF_PROG_ATTACH) have no keeper that can be seen. 0 or -ENOMEM
 * with a sentence.
 */
int bpfprogs_keepers(bpf_keeper_vec *ret, struct err *e);
void bpfprogs_keepers_free(bpf_keeper_vec *v);

/*
 * The number of the program that is pinned at PATH, or of the one of a link there; 0 = neither is, or it may not be
 * seen.
 */
uint32_t bpfprogs_at_path(const char *path);

/* "tracing", "xdp"; "type 99" for one that nobody knows. In DST of 32 bytes, which is returned. */
const char *bpfprogs_type(uint32_t type, char dst[32]);

#endif
