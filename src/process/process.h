/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process.h - knows each process: pid -> identity, mappings, modules; also after the process has
 * ended.
 *
 * Fed by the side band in time order, and from /proc for what existed before the capture began or
 * when a lookup misses. Reading /proc text is cheap and local and happens here; opening the files
 * behind mappings may hang, and happens in the loader threads behind this interface. One thread
 * (the engine) calls.
 */
#ifndef SBERF_PROCESS_PROCESS_H
#define SBERF_PROCESS_PROCESS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "model/dict.h"
#include "model/raw.h"
#include "system/cgroup.h"
#include "unwind/unwind.h"

#include <stdbool.h>
#include <stdint.h>

struct processes;
struct process;

struct process_stats {
	uint32_t processes;              /* known now, dead ones included */
	uint32_t denied;                 /* of them: those whose mappings may not be read (permission) */
	uint32_t loading;                /* modules in the queue of the loaders */
	uint64_t maps_read;              /* /proc/PID/maps read */
	uint64_t loads, load_failures;   /* files */
	uint64_t retired;                /* dead processes that were forgotten */
	size_t bytes;                    /* memory held, images included, estimated */
};

/* DICT receives modules, threads and strings; it must outlive the result. */
struct processes *processes_new(struct dict *dict, struct err *e);
/*
 * The same without threads: process_space() waits for the files that it needs, however long that takes;
 * what it says is MAP_LOADING is there after processes_poll().
 */
struct processes *processes_new_waiting(struct dict *dict, struct err *e);
void processes_free(struct processes *ps);       /* NULL is fine; loader threads that hang are abandoned */

/* Threads are told the containers that they are in from now on, by NAMER (cgroups_set_namer() of system/cgroup.h). */
void processes_name_containers(struct processes *ps, cgroup_namer *namer);

/* Applies mmap, comm, fork, exec and exit. Samples are ignored. */
void processes_apply(struct processes *ps, const struct raw_event *ev);

/*
 * The process PID, read from /proc when it is not known yet. NULL only when out of memory: a process that is
 * already gone is known, without mappings. Valid until the next processes_apply().
 */
struct process *processes_get(struct processes *ps, pid_t pid);

/*
 * What the side band said was lost in part: the mappings of everybody are read again as they are
 * asked for. Until a process is asked for, nothing is read.
 */
void processes_doubt(struct processes *ps);

/* What P has mapped is read again when it is next asked for: somebody says that it has changed. */
void process_doubt(struct process *p);

/* Forgets the process PID, if it is known: its number means another one from now on. */
void processes_forget(struct processes *ps, pid_t pid);

/*
 * From here on, before the first event, /proc is not asked about processes: their events are of
 * another time, and numbers are others' by now. Then processes_scan() does nothing.
 */
void processes_recorded(struct processes *ps);

/*
 * Reads every process of /proc (or only PIDS) at the start of a capture, so that later ones are
 * told from earlier ones.
 */
int processes_scan(struct processes *ps, const pid_t *pids, size_t n, struct err *e);

/*
 * The identity that thread TID of P has now, as an id of the dictionary; COMM is raw bytes and may
 * be NULL: what it is known to be, or that of the process's first thread.
 */
thread_id process_thread(struct processes *ps, struct process *p, pid_t tid, uint64_t start_ns, uint64_t cgroup_id,
			 const char *comm);

/*
 * The runtime of P calls its thread TID NAME (clean, copied): that is what it is called as long as it has told the
 * kernel nothing else than what its process is called.
 */
void process_name_thread(struct processes *ps, struct process *p, pid_t tid, const char *name);

/*
 * The thread of P, which has not ended, that P itself calls INSIDE: in a pid namespace of its own (a container) threads
 * have other numbers there. 0 = there is none. Asks /proc about one that nothing was told of, at most ten times a
 * second where numbers differ.
 */
pid_t process_thread_inside(const struct processes *ps, struct process *p, pid_t inside);
/* The process that TID, a thread of which something is known, is of; NULL = there is none. */
struct process *process_of_thread(const struct processes *ps, pid_t tid);

/*
 * The address space of P, for unwind_sample(); valid until the next call that takes PS. Queues
 * loads on the way. A file that was first seen in /proc has module ID_NONE as long as it is
 * MAP_LOADING, since its build-id is not known yet; that ends with processes_poll(), after two
 * seconds at the latest.
 */
struct unwind_space process_space(struct processes *ps, struct process *p);

/*
 * Of which module the data at ADDR of P is, and *RET_VADDR, its ELF virtual address there: what is loaded with code
 * lies behind it. ID_NONE where that is none, or none that is loaded yet.
 */
module_id process_data_at(struct processes *ps, struct process *p, uint64_t addr, uint64_t *ret_vaddr);

/*
 * The address space of P as it is now, kept while P goes on to map other files or to execute
 * another program: for a sample that is tried again later. Costs a reference, and a copy once the
 * mappings change. NULL when out of memory.
 */
struct process_hold;
struct process_hold *process_hold(struct processes *ps, struct process *p);
void process_release(struct processes *ps, struct process_hold *h);      /* NULL is fine; before processes_free() */
/* process_space() for the mappings held by H; P is the process that it was made of. */
struct unwind_space process_held_space(struct processes *ps, struct process *p, const struct process_hold *h);

/*
 * A lookup missed: reads /proc/PID/maps again, at most once in 100 ms for one process, less often
 * when reading takes long. True when anything changed, so that the sample is worth another try.
 */
bool process_reread(struct processes *ps, struct process *p);

/*
 * What PID has mapped at this moment of files that are loaded (and, with any of them, the vDSO), by
 * address, to RET: at most MAX of them. Returns how many, 0 also when it cannot be read. Nothing of
 * what is known of the process changes by it: that is of the time of the events.
 */
size_t processes_glimpse(struct processes *ps, pid_t pid, struct unwind_map *ret, size_t max);

/* True when the process had ended before its mappings could be read. */
bool process_gone(const struct process *p);
/* True when its mappings may not be read. */
bool process_denied(const struct process *p);

/* Takes finished loads in; returns how many. Never waits. */
unsigned int processes_poll(struct processes *ps);
/* Readable when processes_poll() has something to do. */
int processes_fd(const struct processes *ps);

/*
 * Opens what holds the instructions of MODULE where the offsets of its frames say: the file behind
 * it, checked against its identity (build-id, else device and inode), which works for dead
 * processes as long as the file can be reached; or, for MODULE_ANON, the memory of its process
 * while it lives. Any thread may call; it may wait for a disk, and needs nothing of PS while it
 * does. Returns an fd owned by the caller or a negative errno.
 */
int processes_open_code(struct processes *ps, module_id module, struct err *e);

/*
 * Opens the source file PATH where the file behind MODULE was seen: under the root of a process
 * that maps it, else under our own. As above in all else.
 */
int processes_open_source(struct processes *ps, module_id module, const char *path);
/*
 * A handle (O_PATH) of the root under which the path of MODULE means what it says; negative when
 * that is ours. As above in all else.
 */
int processes_open_root(struct processes *ps, module_id module);
/* Files whose call-frame information cannot be used, though it is there. The engine's thread. */
const struct unread *processes_unread(const struct processes *ps);

/*
 * What a symbolizer reads for MODULE: the file itself as above, or, for MODULE_ANON, the perf map
 * of its process (tmp/perf-NSPID.map under that process's root, never through a symbolic link) or
 * else the jitdump file that it maps, or mapped while it lived (jit-NSPID.dump), with *RET_UID =
 * the user the process runs as. Any thread may call; it may wait for a disk. An fd owned by the
 * caller or a negative errno (-ENOENT: no such map).
 */
int processes_open_symbols(struct processes *ps, module_id module, uid_t *ret_uid, struct err *e);

/* A handle of /proc/PID of the process of MODULE, a MODULE_ANON, as long as it runs; -ESRCH. Any thread. */
int processes_open_process(struct processes *ps, module_id module);

/* The image that was loaded for MODULE, NULL when none; engine thread. */
struct image *processes_image(struct processes *ps, module_id module);

void processes_stats(const struct processes *ps, struct process_stats *ret);

DEFINE_AUTO(processes_free, struct processes);

#endif
