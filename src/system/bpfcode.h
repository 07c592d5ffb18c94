/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bpfcode.h - the machine code that the kernel has made of a BPF program: its functions, where they are, their
 * instructions, and which lines of its source these are of.
 *
 * The kernel gives all of it with BPF_OBJ_GET_INFO_BY_FD (struct bpf_prog_info of linux/bpf.h), to whoever may see
 * addresses of the kernel. Names and lines are of whoever loaded the program: they are bounded, and have to be
 * sanitised before they are shown.
 */
#ifndef SBERF_SYSTEM_BPFCODE_H
#define SBERF_SYSTEM_BPFCODE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "system/bpfprogs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BPFCODE_BYTES_MAX (16u << 20)    /* of one program */
#define BPFCODE_LINES_MAX (1u << 20)

struct bpfcode_function {
	char name[BPF_PROG_NAME_MAX];    /* raw bytes; "" = not known */
	uint64_t address;
	const uint8_t *bytes;            /* its instructions, as they are in memory */
	uint32_t size;
};

/* Code from ADDRESS on is of a line, until that of the next one. */
struct bpfcode_line {
	uint64_t address;
	const char *file, *text;         /* raw bytes; "" = not known */
	uint32_t line, column;
};

struct bpfcode {
	uint32_t id, type;               /* enum bpf_prog_type */
	uint32_t btf_id;                 /* 0 = it has no type information: no names of sub-programs, and no lines */
	uint32_t n;
	struct bpfcode_function *function;       /* the one at which the program begins first */
	size_t lines;
	struct bpfcode_line *line;       /* by address */
	void *own;                       /* what the texts and bytes are in */
};

/*
 * Reads that of the program ID. 0; a negative errno with a sentence: -ENOENT when there is no such program, -EPERM when
 * it may not be seen, -EOPNOTSUPP when it is interpreted, -EBADMSG when what the kernel says does not fit together.
 */
int bpfcode_read(uint32_t id, struct bpfcode **ret, struct err *e);
void bpfcode_free(struct bpfcode *c);            /* NULL is fine */

/* What the kernel says, as it says it; sizes are in elements but for IMAGE_BYTES. */
struct bpfcode_raw {
	uint32_t id, type, btf_id;
	const char *name;                /* of the program */
	const uint8_t *image;
	uint32_t image_bytes;
	const uint64_t *address;         /* of each function */
	const uint32_t *size;
	uint32_t functions;
	const void *func_info;           /* struct bpf_func_info */
	uint32_t func_infos;
	const void *line_info;           /* struct bpf_line_info */
	const uint64_t *line_address;
	uint32_t line_infos;
};
struct btf;

/* The same from RAW, all of which is copied, and BTF, which may be NULL and has to outlive *RET. Pure. */
int bpfcode_make(const struct bpfcode_raw *raw, const struct btf *btf, struct bpfcode **ret, struct err *e);

/* The function that has ADDRESS; NULL. */
const struct bpfcode_function *bpfcode_find(const struct bpfcode *c, uint64_t address);
/* The line of the instruction at ADDRESS; NULL. */
const struct bpfcode_line *bpfcode_line_of(const struct bpfcode *c, uint64_t address);

/*
 * The program that TEXT names, "ID", "NAME", "pinned:PATH", "tag:TAG", each with ":SUB" behind it or without: its id,
 * and the name of the sub-program, "" = none is named. Of programs with one name, or tag, it has to be said which. 0;
 * -ENOENT or -EEXIST with a sentence, or that of bpfprogs_list().
 */
int bpfcode_which(const char *text, uint32_t *ret_id, char ret_sub[BPF_PROG_NAME_MAX], struct err *e);

/* What VALUE means as the result of a program of TYPE: "XDP_DROP"; "" = nothing in particular. */
const char *bpfcode_verdict(uint32_t type, int64_t value);

DEFINE_AUTO(bpfcode_free, struct bpfcode);

#endif
