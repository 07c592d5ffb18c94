/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * placing_private.h - what the three parts of placing.h share: probes as they were asked for (placing.c), their
 * places in one file (placing_file.c), and the files of a process (placing_look.c).
 */
#ifndef SBERF_ENGINE_PLACING_PRIVATE_H
#define SBERF_ENGINE_PLACING_PRIVATE_H

#include "engine/placing.h"

#include "base/vec.h"
#include "engine/filters.h"
#include "engine/loads.h"
#include "probe/allocators.h"
#include "probe/ktypes_all.h"
#include "probe/spec.h"
#include "symbol/params.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct elf_file;
struct fde_starts;
struct image;

#define ALLOCATORS_OWN_MAX 64u

/* A probe in programs, or one of the two of a span. */
struct in_program {
	struct spec spec;        /* its first point is what is placed */
	uint32_t probe;          /* its number */
	uint32_t span;           /* SB_SPAN_* of bpf/wire.h */
	char *target;            /* its file without symbolic links, where it is named by a path; NULL */
	struct filter_names names;       /* in its condition and its sum */
	uint32_t prints;         /* values that are told with it */
	char print[PLACING_PRINTS_MAX][SPEC_POOL_MAX];
};

struct placing {
	VEC(struct capture_call) calls;
	VEC(struct capture_trace) traces;
	VEC(struct capture_filter) filters;
	VEC(struct in_program) points;
	struct load_sets *loads; /* where names of filters are */
	bool shared;             /* they are another one's */
	struct ktypes_all types; /* of the kernel and its modules */
	struct kernel_code *kernel;      /* NULL = nobody has asked yet */
	struct pointers *pointers;       /* calls by pointers in call graphs; NULL = there are none */
	const struct placing_prints *prints;     /* while it is made; NULL = none */
	bool printed;            /* there are some */
	/* it only tries whether this probe, borrowed, can be placed, which gets no number; NULL = it is to be placed */
	const char *tries;
	bool spans;              /* there are some */
	bool valued;             /* LOADS says where something is: names in filters, arguments of static probes */
	uint64_t probes;         /* their numbers, as a mask */
	uint32_t interval;       /* of placing_memory(); 0 = no memory */
	VEC(struct own_allocator) own;   /* of placing_allocator() */
	bool frees;
	bool told;
};

/* Places of probes in one file. */
struct places_in_file {
	VEC(uint64_t) offset;
	VEC(uint64_t) semaphore;
	VEC(uint64_t) cookie;
	VEC(uint32_t) cost_ns;           /* of a hit; 0 = not known, or of another place of the same call */
};

/* A file that is looked into. */
struct file_at_hand {
	struct elf_file *elf;
	int fd;
	struct image *image;             /* its unwind tables, when functions are followed to their return; NULL */
	struct fde_starts *pieces;       /* the same */
	const char *walkers;             /* the same: unreturning_file() */
	bool passed;                     /* exceptions may pass functions of it that call others */
	struct load_sets *loads;         /* where names of filters are */
	const char *name;                /* its path, as the process sees it */
	bool tries;                      /* nothing is noted of its parameters, and of its code */
	pid_t pid;                       /* of the process */
	struct elf_file *debug;          /* its debug file, where its debug information is not in itself; NULL */
	int debug_fd;
	struct params *params;           /* of its functions; NULL = not asked for */
	/*
	 * of the probes in it: those that are moments; functions up to their return; and where others
	 * begin, and are left, which would not survive a return probe
	 */
	struct places_in_file moments, calls, begins, ends;
	struct places_in_file returned;          /* where functions begin whose branches are followed to their return */
	struct places_in_file allocs, frees;     /* functions that allocate memory, and that only free it, */
	struct places_in_file go_allocs;         /* and one of Go's runtime that allocates */
};


/* placing.c */

/* Is what P means told from entry to return? */
bool placing_returns(const struct spec_point *p);

/* Parameters of which only their numbers are known, into LIST. */
void placing_params_unknown(struct param_listed list[PARAM_ARGS + 1]);

/* How the parameters of PROBE are called, for who asks for their values: those in the mask SEEN have one. */
void placing_params_note(uint32_t probe, const struct param_listed list[PARAM_ARGS + 1], unsigned int seen);

/* placing_file.c */

/* How many places F has: of probes, and of functions that allocate. */
size_t at_hand_places(const struct file_at_hand *f);

/*
 * Adds to F, which is open, the functions that X means. What cannot be placed is left out, and E says why.
 * A negative errno.
 */
int at_hand_add_functions(struct file_at_hand *f, const struct in_program *x, struct err *e);

/* The same of static probes: all places or none. */
int at_hand_add_static(struct file_at_hand *f, const struct in_program *x, struct err *e);

/* Adds functions of F that allocate, and to *MET which of P's own allocators there are, as a mask. */
void at_hand_add_allocators(struct file_at_hand *f, const struct placing *p, uint64_t *met, struct err *e);

/* Adds the places of F where it tells of blocks that it has sampled; FREES: also where it frees them. */
void at_hand_add_told(struct file_at_hand *f, bool frees, struct err *e);

/* Closes F and all that was opened for it. */
void at_hand_close(struct file_at_hand *f);

#endif
