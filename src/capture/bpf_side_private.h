/* SPDX-License-Identifier: BSD-2-Clause */
/* bpf_side_private.h - shared by bpf_side.c and bpf_late.c: the state of the kernel half of one capture. */
#ifndef SBERF_CAPTURE_BPF_SIDE_PRIVATE_H
#define SBERF_CAPTURE_BPF_SIDE_PRIVATE_H

#include "capture/bpf_side.h"

#include "base/vec.h"
#include "bpf/sberf.skel.h"
#include "capture/link.h"
#include "capture/mapsizes.h"
#include "capture/mapway.h"
#include "capture/owncost.h"
#include "capture/programs.h"
#include "capture/runtime.h"

#include <stdatomic.h>

#define LATE_MAX 12u             /* kinds of programs for probes, each of which is loaded once */

/* The links to the places in the kernel of one probe. */
struct probe_links {
	uint32_t probe;
	struct links *links;
};

/* Programs for probes, loaded while the capture ran: an object of its own, which shares maps with the first. */
struct late_programs {
	struct sberf_bpf *skel;
	struct programs programs;
};

typedef VEC(struct capture_trace) trace_vec;

struct bpf_side {
	struct sberf_bpf *skel;
	struct hold *hold;               /* who has loaded and attached it; NULL = this process */
	/* with HOLD, where sberf may not ask for entries of maps: the file of each map, -1 = it has none; else NULL */
	int *map_fd;
	uint32_t nr_maps;
	int stats_fd;                    /* keeps the kernel measuring run times, -1 = not permitted */
	int cgroup_fd;                   /* of the target, -1 = it is something else */
	struct map_sizes sizes;
	uint32_t nr_rings;               /* made so far */
	int *ring_fd;                    /* of each ring */
	uint64_t *ring_bytes;
	const volatile struct sb_cpu *cpus;
	size_t cpus_bytes;               /* of that mapping */
	bool follows;                    /* children belong to the target */
	u32_vec ids;                     /* of the target, until bpf_side_aim() */
	char *name;                      /* of the target's processes, until then; NULL = it has none */
	bool off_cpu;
	struct features features;        /* of this kernel; run_stats: and permitted */
	uint8_t *slots;                  /* mapped; NULL without off_cpu */
	size_t slots_size;               /* of that mapping */
	bool walks;                      /* by learnt rules */
	uint32_t first_copy;             /* bpf_side_first_copy() */
	struct rulebook *book;           /* NULL when it does not */
	struct programs programs;
	VEC(struct links *) links;       /* to places in programs */
	trace_vec traces;        /* to be attached when the capture starts */
	trace_vec mapping_calls;         /* the same, where growth of memory is followed, ... */
	struct links *mapping_links;     /* ... and when they are; NULL */
	VEC(struct probe_links) trace_links;     /* of those that are */
	struct owncost own;
	/* of each kind of places in the kernel traceway_measure(), and the kinds of which it is known, as a mask */
	uint32_t trace_way_ns[CAPTURE_TRACE_HOWS], trace_ways;
	uint32_t probe_way_ns[SB_PROBES];        /* of each probe that has such a place */
	struct runtime runtime;
	/* what follows is for probes that are placed later (bpf_late.h); other threads read up to NR_LATE of LATE */
	struct late_programs *late[LATE_MAX];
	_Atomic uint32_t nr_late;
	/* whose maps hold what is known of probes: SKEL, or that of the first of LATE; NULL = there are no probes */
	struct sberf_bpf *_Atomic probe_skel;
	uint32_t when;                   /* conditions under which programs of probes are loaded (programs.h) */
	bool sum_hits;                   /* of the plan */
	/* with HOLD: the probes that have places in the kernel, and the sets of values that were told, as masks */
	uint64_t traced;
	uint64_t told[SB_LOAD_SETS / 64];
};

/* ---- bpf_side.c ---- */

/* The skeleton of the object for this kernel, open. 0 or a negative errno; *RET is the caller's with either. */
int bpf_side_open_object(const struct bpf_side *k, struct sberf_bpf **ret);
/* Maps counters, stacks of waits and learned rules, which are loaded. */
int bpf_side_map_all(struct bpf_side *k, struct err *e);

/* Opens an object of the programs, not loaded yet, whose programs *P are: both are the caller's. */
int bpf_side_object(const struct bpf_side *k, struct sberf_bpf **ret, struct programs *p, struct err *e);
/* The program of P that is to be attached to PLACES; NULL = it has none. */
struct bpf_program *bpf_side_program(const struct programs *p, const struct link_places *places);
/* Kernel memory of the maps that walks by rules need. */
uint64_t bpf_side_walk_bytes(const struct bpf_side *k);
/* Prepares the programs of P that are attached to places in programs, those at FIRST in that way. */
int bpf_side_prepare_places(const struct programs *p, enum link_kind first, struct err *e);
/* The conditions of programs.h that what PLAN has of probes makes true. */
uint32_t bpf_side_probe_conditions(const struct capture_plan *plan);
/* Hands conditions and named values of the probes of PLAN to the maps of S. */
int bpf_side_fill_filters(struct sberf_bpf *s, const struct capture_plan *plan, struct err *e);
/* Hands the rest of what PLAN says of probes to the kernel half, which has the programs for them by now. */
int bpf_side_tell_probes(struct bpf_side *k, const struct capture_plan *plan, struct err *e);
/* Measures, with the programs P of S, what the probes' own cost is, of what these can measure. */
void bpf_side_measure_own(struct bpf_side *k, struct programs *p, struct sberf_bpf *s);
/* The kernel half samples changes of memory by so many bytes; 0: none. */
void bpf_side_tell_growth(struct bpf_side *k, uint32_t interval);
/* The programs of S, which is not loaded yet, are to sample and follow blocks of memory as PLAN says. */
void bpf_side_tell_blocks(struct sberf_bpf *s, const struct capture_plan *plan);
/* Keeps where system calls of PLAN return that map. 0 or -ENOMEM. */
int bpf_side_keep_mapping_calls(struct bpf_side *k, const struct capture_plan *plan, struct err *e);
/* Attaches the programs that follow growth of memory, if there are any, and detaches them. */
int bpf_side_attach_growth(struct bpf_side *k, struct err *e);
void bpf_side_detach_growth(struct bpf_side *k);
/* Attaches the N places TRACES in the kernel. */
int bpf_side_attach_traces(struct bpf_side *k, const struct capture_trace *traces, uint32_t n, struct err *e);

/* Of the placed probes those whose hits count, however long they take, as a mask. */
uint64_t bpf_side_hits_counted(void);

/* The file of the map M of the skeleton, -1 = this process has none. */
int bpf_side_fd(const struct bpf_side *k, const struct bpf_map *m);
/* By which way entries of it are asked for. */
struct mapway bpf_side_mapway(const struct bpf_side *k, const struct bpf_map *m);

/* ---- bpf_adopt.c ---- */

/* The number of the map M of K by which who holds it knows it; UINT32_MAX = there is no such map. */
uint32_t bpf_adopt_index(const struct bpf_side *k, const struct bpf_map *m);
/* Frees what an adopted half has. */
void bpf_adopt_free(struct bpf_side *k);

/* bpf_side_place() of who holds K. */
int bpf_adopt_place(struct bpf_side *k, const struct link_places *places, link_failed_fn *failed, void *ctx,
		    struct links **ret, struct err *e);
/* bpf_side_start() of the same. */
int bpf_adopt_start(struct bpf_side *k, struct err *e);

/* ---- bpf_late.c ---- */

/* The programs, of all objects, that are attached in the way HOW; NULL = none are loaded. */
const struct programs *bpf_late_find(const struct bpf_side *k, enum program_attach how);
/* Detaches those of later probes from what needs no links of their own. */
void bpf_late_stop(struct bpf_side *k);
/* Frees them all. */
void bpf_late_free(struct bpf_side *k);

#endif
