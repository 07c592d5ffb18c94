/* SPDX-License-Identifier: BSD-2-Clause */
/* handle.h - the inside of a handle of libsberf, shared by the files of this folder. */
#ifndef SBERF_LIB_HANDLE_H
#define SBERF_LIB_HANDLE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/keyed.h"
#include "base/vec.h"
#include <sberf/unwind.h>
#include "lib/remote.h"
#include "model/unread.h"
#include "process/process.h"
#include "symbol/elffile.h"
#include "symbol/resolver.h"
#include "unwind/unwind.h"

#include <stdatomic.h>

/* A module that the caller has added: no process maps it as far as we know. */
struct added_file {
	uint8_t id[BUILD_ID_MAX];
	uint8_t id_len;          /* 0 = it has none */
	module_id module;
	char *path;              /* owned; NULL = looked for by its build-id */
	int fd;
	struct elf_file *elf;    /* of it */
};

/* A file of a folder of sberf_folder_add(). */
struct folder_file {
	uint8_t id[BUILD_ID_MAX];
	uint8_t id_len;
	char *path;              /* owned */
};

/* The stack of a token. */
struct told_stack {
	uint64_t token;
	stack_id stack;
	uint32_t cut;            /* enum cut_reason */
	module_id cut_module;
	uint32_t bytes;
};

/* Code whose rules are in the maps of a BPF program. */
struct rules_of {
	module_id module;
	uint32_t spare;          /* keys have no padding */
	uint64_t pgoff, size;
	uint32_t row, nr;        /* NR 0 = they found no room, or there are none */
};

struct space_put {
	uint64_t pid;
	uint64_t memory;         /* as of struct sberf_record */
};

struct rules_put {
	KEYED(struct rules_of) file;
	KEYED(struct space_put) space;
	uint32_t next_row;
	uint32_t next_out;       /* of the processes, which goes when there is no room */
	uint64_t refused;
};

/* What the remote service has said of a place. */
struct remote_name {
	uint64_t module, offset;
	str_id lines;            /* of its answer, without the full stop; 0 = it does not know */
};

#define LIB_MAPS_MAX 64u         /* mappings remembered during one walk, to tell addresses of frames */

struct sberf {
	struct err err;          /* of the last call that failed */
	uint32_t mode, flags;
	char *symfs;             /* NULL = none */
	struct dict *dict;
	struct processes *ps;
	struct unwinder *unwinder;
	struct chain chain;      /* of the last walk */
	struct unwind_space below;       /* that the walk goes through, by way of SEEN */
	struct unwind_map seen[LIB_MAPS_MAX];    /* what it came by */
	uint32_t nr_seen;
	uint64_t cut_stacks;

	/* what BPF programs tell */
	KEYED(struct told_stack) told;
	struct sberf_bpf_maps maps;      /* size 0 = none */
	struct rules_put put;

	/* names */
	struct resolver *resolver;       /* NULL until first asked */
	struct plugins *plugins; /* NULL = what is built in alone */
	struct symbolizer_stats counts;
	struct unread unread;
	_Atomic bool stop;       /* what runs is to end */
	struct strtab *texts;    /* names of functions, once each */
	VEC(str_id) function;    /* by the number that a symbol table keeps for us, less 1 */
	struct answer answer;
	VEC(struct added_file) added;
	struct hidx added_ids;   /* of those that have one */
	VEC(struct folder_file) folder;
	struct hidx folder_ids;
	struct remote *remote;   /* NULL = none */
	KEYED(struct remote_name) known; /* by it */
	uint64_t remote_failed;
};

/*
 * Copies *GIVEN, whose first member is its size, to *RET of SIZE bytes: what the caller does not know of
 * is 0. -EINVAL when the size makes no sense, or members that we do not know are set.
 */
int lib_take_struct(struct sberf *s, void *ret, size_t size, const void *given);

/* Begins a call: what the last one had to say is gone. */
static inline void lib_begin(struct sberf *s)
{
	s->err = (struct err)ERR_INIT;
}

/* The process PID, whose mappings are known; NULL with a negative errno in *RET_ERROR. */
struct process *lib_process(struct sberf *s, pid_t pid, int *ret_error);

/* unwinding.c: walks IN of P until nothing more can be had for it. -EAGAIN: something is still being read. */
int lib_walk(struct sberf *s, struct process *p, const struct unwind_input *in);
/* The end of a stack that was cut by CUT in MODULE. */
struct sberf_end lib_end(uint32_t cut, module_id module, uint64_t bytes);

/*
 * putting.c: the rules of P, which has the memory MEMORY, are put into the maps of sberf_bpf_use(), unless they are
 * there. What finds no room there is counted.
 */
void lib_put_rules(struct sberf *s, pid_t pid, struct process *p, uint64_t memory);
/* What PID has mapped is not as it was put in, if it was: its stacks are copied until it is put in again. */
void lib_drop_rules(struct sberf *s, pid_t pid);
void lib_put_clear(struct sberf *s);

void lib_names_clear(struct sberf *s);           /* naming.c: frees what names need */

/* adding.c: what the caller has added as MODULE, borrowed; NULL when that is none of it. */
const struct added_file *lib_added(const struct sberf *s, module_id module);
void lib_added_clear(struct sberf *s);

#endif
