/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jitdump.h - reads the records of a jitdump file (linux
 * tools/perf/Documentation/jitdump-specification.txt), which a run-time compiler writes meanwhile:
 * what is not complete yet comes with the next reading.
 */
#ifndef SBERF_SYMBOL_JITDUMP_H
#define SBERF_SYMBOL_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JITDUMP_MAGIC 0x4A695444u    /* "JiTD" in the writer's byte order */

/* Records that matter. */
#define JITDUMP_LOAD 0u              /* a function: its place, its name, its code */
#define JITDUMP_MOVE 1u              /* it went elsewhere */
#define JITDUMP_UNWINDING 4u         /* call-frame information of the function whose JITDUMP_LOAD comes next */

struct jitdump_load {
	uint32_t pid, tid;
	uint64_t vma, code_addr, code_size, code_index;
};

struct jitdump_move {
	uint32_t pid, tid;
	uint64_t vma, old_addr, new_addr, code_size, code_index;
};

/*
 * What follows: .eh_frame as it would lie at the next multiple of 8 behind the code, and then its
 * HDR_SIZE bytes of .eh_frame_hdr.
 */
struct jitdump_unwinding {
	uint64_t size, hdr_size, mapped_size;        /* SIZE is that of both */
};

/* Where bytes come from: a file or memory. */
struct jit_input {
	int fd;                      /* -1 = memory */
	const uint8_t *mem;
	uint64_t size;
};

/* Up to LEN bytes at OFFSET to BUF; how many there were. */
size_t jit_input_read(const struct jit_input *in, uint64_t offset, void *buf, size_t len);
/* Does IN begin as a jitdump file does? */
bool jitdump_is(const struct jit_input *in);

struct jitdump_visitor {
	uint32_t ids;                /* bit for each JITDUMP_* that is wanted */
	/* room of BODY_MAX bytes: what stands behind the header of a record, as far as it fits */
	uint8_t *body;
	size_t body_max;
	/* The first LEN bytes of a record's body, which are in BODY. False ends the reading. */
	bool (*record)(void *ctx, uint32_t id, size_t len);
	void *ctx;
};

/*
 * Shows the whole records of IN to V, in their order. *RET_MACHINE is the ELF machine of the file,
 * 0 when it has no header yet. True unless V ended it; *RET_REFUSED: a record made no sense, and
 * what is behind it is not looked at.
 */
bool jitdump_each(const struct jit_input *in, const struct jitdump_visitor *v, uint32_t *ret_machine,
		  bool *ret_refused);

#endif
