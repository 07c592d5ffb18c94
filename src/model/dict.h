/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dict.h - the dictionaries of a profile: modules, frames, stacks, threads, kinds of waits, places
 * of memory, arguments.
 *
 * Everything is interned, by address and never by name: equal keys have one id, ids count up from 0
 * and are never reused or moved. One thread (the engine) adds; any thread may read ids below a
 * count that it has seen (base/pages.h), without locks.
 *
 * A *module* is a file, the vDSO, the kernel, the anonymous code of one process, or a pseudo module
 * whose frames are notes ("[cut: ...]", "(other)"). A *frame* is a place: (module, offset). The
 * offset is
 *   MODULE_FILE, MODULE_VDSO: the offset in the file (pc - mapping start + mapping pgoff), so no bias is ever needed;
 *   MODULE_KERNEL: the address minus the address of _text (0 when that is unknown);
 *   MODULE_ANON: the virtual address in that process;
 *   MODULE_SCRIPT: the number of a place in the code of an interpreted language, whose name is the path, or
 *   an enum script_note;
 *   MODULE_NOTE: an enum note_kind; for cuts NOTE_CUT + enum cut_reason; above NOTE_MAX what
 *   dict_stack_inside() puts behind the innermost frame.
 * For callers the offset is that of the return address minus one, which lies inside the call; for
 * the innermost frame, and for the frame that a signal interrupted, it is the exact pc. So a frame
 * can be looked up as it is. A *stack* is a trie node: (parent stack, frame), root first;
 * STACK_ROOT is the empty stack.
 *
 * Two modules are equal when kind, pid and start_ns are, and the best identity that either of them
 * has: the build-id, else device, inode and generation, else the path. So a file that is reached by
 * two paths, or that is copied into two containers, is one module, under the path it was first seen
 * by. Whoever can forge a build-id can mislead whoever looks at it; no cheaper identity exists,
 * since the kernel hands out nothing else with a mapping.
 */
#ifndef SBERF_MODEL_DICT_H
#define SBERF_MODEL_DICT_H

#include "base/cleanup.h"
#include "base/strtab.h"
#include "model/raw.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef uint32_t module_id;
typedef uint32_t frame_id;
typedef uint32_t stack_id;
typedef uint32_t thread_id;
typedef uint32_t wait_id;
typedef uint32_t place_id;
typedef uint32_t argument_id;
typedef uint32_t lock_id;

#define ID_NONE UINT32_MAX       /* "no such thing" for each of them; also "out of memory" from the adders */
#define STACK_ROOT 0u            /* the empty stack */
#define WAIT_EMPTY 0u            /* of facts that are no waits: all zero, no waker */
#define PLACE_EMPTY 0u           /* a place of which nothing is known */
#define ARGUMENT_EMPTY 0u        /* the argument 0 */
#define LOCK_ID_NONE 0u          /* no lock, or none that is known */

enum module_kind {               /* numbers are in recordings: append only */
	MODULE_FILE = 1,
	MODULE_VDSO = 2,
	MODULE_KERNEL = 3,
	MODULE_ANON = 4,
	MODULE_NOTE = 5,
	MODULE_SCRIPT = 6,
};

enum note_kind {                 /* offsets of MODULE_NOTE frames; numbers are in recordings: append only */
	NOTE_OTHER = 1,          /* stacks that were folded together to bound memory */
	NOTE_UNKNOWN = 2,        /* an address in no module */
	NOTE_LOST = 3,           /* the part of a recording that said what stood here is damaged: "[lost]" */
	NOTE_NO_STACK = 4,       /* time of a thread that no stack was taken of */
	/* what memory a lock is in (held_lock.place): */
	NOTE_HEAP = 5,
	NOTE_STACK = 6,          /* the first one of a process */
	NOTE_ANON = 7,           /* without a file: blocks that are large, or another thread's, and stacks of threads */
	NOTE_SHARED = 8,         /* that other processes may have mapped */
	NOTE_CUT = 0x100,        /* + enum cut_reason: root frame of a stack that was cut */
	NOTE_MAX = 0xffff,
};

struct module {
	enum module_kind kind;
	str_id path;             /* as the target sees it, raw bytes; "" where there is none */
	uint8_t build_id_len;    /* 0 = none */
	uint8_t build_id[BUILD_ID_MAX];
	uint64_t dev, ino;       /* makedev() and inode; 0 = unknown */
	uint64_t generation;     /* of the inode, tells files that reuse its number apart; 0 = unknown */
	pid_t pid;               /* MODULE_ANON: whose; 0 otherwise */
	uint64_t start_ns;       /* MODULE_ANON: start time of that process */
	str_id run_as;           /* what is known of it, no part of what it is: module_shown_path() */
};

struct frame {
	module_id module;
	uint32_t flags;          /* FRAME_F_*: what is known of the place, no part of what it is */
	uint64_t offset;
};

/*
 * In the offset of a frame of MODULE_FILE: it is a place of data, and the rest of the offset is its address by the
 * file (ELF virtual address), since what a program leaves zero is in no file. No stack of code has such frames.
 */
#define FRAME_DATA (UINT64_C(1) << 63)

/* its code has no unwind table: stacks go on from it by its frame pointer, or by a guess */
#define FRAME_F_NO_TABLE 0x1u
/* Offsets of frames of MODULE_SCRIPT that are notes, above those of all places. In recordings. */
enum script_note {
	SCRIPT_DEEP = UINT32_MAX - 3,    /* frames further out are more than are read */
	SCRIPT_UNREAD = UINT32_MAX - 2,  /* ... could not be read */
	SCRIPT_MISSING = UINT32_MAX - 1, /* of a call of the interpreter no frame was found */
	SCRIPT_LOCK = UINT32_MAX,        /* the stack waits for the lock of the interpreter */
};
/* of an interpreter, which runs the frames of MODULE_SCRIPT that it calls */
#define FRAME_F_INTERPRETER 0x2u
#define FRAME_FLAGS_ALL 0x3u

struct stack {
	stack_id parent;         /* always smaller than its own id; STACK_ROOT for the first frame */
	frame_id frame;
};

struct thread {
	pid_t pid, tid;          /* in the pid namespace that sberf sees */
	/* what they are in a pid namespace of its own, as in a container; 0 = it is in none, or not known */
	pid_t pid_inside, tid_inside;
	uint64_t start_ns;       /* of the thread, CLOCK_MONOTONIC/BOOTTIME of the kernel: only an identity */
	str_id comm;             /* raw bytes; a thread that renames itself or execs is a new entry */
	str_id exe;              /* path of the executable, "" = unknown */
	str_id cgroup;           /* cgroup path, "" = unknown */
	str_id container;        /* what its container is called, "NAMESPACE/POD/NAME" or a name; "" = it is in none */
	str_id image;            /* of that; "" = unknown */
	str_id host;             /* of which machine, in what was read; "" = of this one */
};

/* What tells facts of waits apart beside thread and stack. */
struct wait {
	uint32_t call;           /* CALL_* of model/wait.h */
	uint8_t state;           /* enum wait_state */
	uint8_t bucket;          /* wait_bucket() of its length */
	uint8_t context;         /* enum waker_context */
	uint8_t flags;           /* EVENT_F_OPEN, EVENT_F_EXTRAPOLATED, EVENT_F_EARLIER */
	thread_id waker;         /* ID_NONE = not known */
	stack_id waker_stack;    /* STACK_ROOT = none */
	lock_id lock;            /* LOCK_ID_NONE = none is known */
};

/* What waits for locks are for: one lock at a time when one thread held it. Hashed and compared as a whole. */
struct held_lock {
	uint64_t address;        /* in the process of the thread that waits: of the lock, or of its futex */
	thread_id holder;        /* ID_NONE = not known */
	uint32_t guess;          /* enum lock_kind whose layout names the holder (lock_guess()) */
	/*
	 * what memory it is in: one frame at a place of data (FRAME_DATA), or the stack that allocated the block, or
	 * a note (NOTE_HEAP and those behind it); STACK_ROOT = not known
	 */
	stack_id place;
	uint32_t offset;         /* of ADDRESS in that block */
	/* if it is an rwlock without a writer: so many held it to read; its stack must say that it is one */
	uint32_t readers;
	/* of who waited and who held it (lock_priority_text()), where the first is the higher one; else 0 */
	uint16_t waiter_prio, holder_prio;
};

/* Where memory is: what tells migrations, faults and accesses apart beside thread, stack and node (model/memory.h). */
struct memory_place {
	uint16_t node;           /* NODE_UNKNOWN = not known */
	uint8_t mapping;         /* enum mapping_kind */
	uint8_t how;             /* enum access_how */
	module_id file;          /* ID_NONE = none */
};

struct dict;

struct dict *dict_new(void);             /* NULL when out of memory; holds STACK_ROOT */
void dict_free(struct dict *d);          /* NULL is fine; nobody may read any more */

/* Adders: the id of an equal entry or of a new one; ID_NONE when out of memory or when the parent does not exist. */
module_id dict_module(struct dict *d, const struct module *m);
/*
 * A process runs the executable ID by PATH, its own or that of a link to it. As long as all do so
 * by one path, that is what it is shown as. Nothing when there is no ID, or PATH is STR_NONE or 0.
 */
void dict_module_run_as(struct dict *d, module_id id, str_id path);
/*
 * By which path M, of a dictionary, is best known to who runs it: redis-server on Debian is a link
 * to redis-check-rdb, which is another program to its users; busybox is itself, as it runs by many
 * names. Any thread.
 */
static inline str_id module_shown_path(const struct module *m)
{
	const str_id run_as = __atomic_load_n(&m->run_as, __ATOMIC_RELAXED);

	return run_as ? run_as : m->path;
}
frame_id dict_frame(struct dict *d, module_id module, uint64_t offset);
/* Adds FLAGS to those of the frame ID; nothing when there is none, or it is a stand-in (dict_limit()). */
void dict_frame_flag(struct dict *d, frame_id id, uint32_t flags);
/* FRAME_F_* of the frame ID, 0 when there is none. Any thread, while they may be added. */
uint32_t dict_frame_flags(const struct dict *d, frame_id id);
/* what that will ask memory for first */
void dict_frame_ahead(const struct dict *d, module_id module, uint64_t offset);
stack_id dict_stack(struct dict *d, stack_id parent, frame_id frame);
/*
 * The same as dict_stack() for each of the N frames FRAME, root first, each on top of the one
 * before, the first one on PARENT: RET[i] is the stack that FRAME[i] ends, as far as it gets. Much
 * faster where that is new. Returns the last one; PARENT when there are none.
 */
stack_id dict_path(struct dict *d, stack_id parent, const frame_id *frame, uint32_t n, stack_id *ret);
thread_id dict_thread(struct dict *d, const struct thread *t);
wait_id dict_wait(struct dict *d, const struct wait *w);
place_id dict_place(struct dict *d, const struct memory_place *p);
argument_id dict_argument(struct dict *d, uint64_t argument);
lock_id dict_lock(struct dict *d, const struct held_lock *l);
/* The same wait as ID without its waker and its lock. */
wait_id dict_wakerless(struct dict *d, wait_id id);
/* The same place as ID without its file. */
place_id dict_fileless(struct dict *d, place_id id);

/* The frame of a note, in the one pseudo module. */
frame_id dict_note(struct dict *d, uint64_t note);

/*
 * Facts say inside of which calls of probes they were (model/inside.h) by a note behind the innermost
 * frame of their stack. Returns STACK with INSIDE as that note; STACK itself for 0, and when there is no
 * room.
 */
stack_id dict_stack_inside(struct dict *d, stack_id stack, uint64_t inside);
/* Takes that note off *STACK, if it has one, and returns what it says, else 0. Any thread. */
uint64_t dict_inside(const struct dict *d, stack_id *stack);
/* Whether any stack has one. Any thread. */
bool dict_has_inside(const struct dict *d);

/*
 * Bounds the memory of D to BYTES, index growth included. From then on no adder fails for lack of
 * room under the bound; it answers with what stands in for the new entry:
 *   dict_frame    the frame of NOTE_OTHER
 *   dict_stack    PARENT's child with the frame of NOTE_OTHER; when even those have no room, the child of STACK_ROOT
 *   dict_thread   one thread without pid and tid whose comm is "(other)"
 *   dict_wait     the same without waker and lock; when even that has no room, WAIT_EMPTY
 *   dict_place    the same without file; when even that has no room, PLACE_EMPTY
 *   dict_argument ARGUMENT_EMPTY
 *   dict_lock     LOCK_ID_NONE
 * and a stack that ends in NOTE_OTHER is its own child, whatever the frame. So a chain that is
 * added frame by frame ends in "(other)" under its deepest known caller, and nobody who adds need
 * care. Modules and strings, which others hold by id, are not refused; what they take leaves less
 * for the rest. -ENOMEM: nothing changed.
 */
int dict_limit(struct dict *d, size_t bytes);
/* The child of STACK_ROOT with the frame of NOTE_OTHER; ID_NONE before dict_limit(). */
stack_id dict_other_stack(const struct dict *d);
/* The thread that stands in for others, made when first asked for; ID_NONE when out of memory. */
thread_id dict_other_thread(struct dict *d);
/* How often an adder answered with a stand-in. Any thread. */
uint64_t dict_refused(const struct dict *d);

/* Strings of modules and threads. Writer adds; readers get. */
struct strtab *dict_strings(const struct dict *d);

/* Readers: NULL for an id that does not exist (any more). Valid as long as the dictionary. */
const struct module *dict_get_module(const struct dict *d, module_id id);
const struct frame *dict_get_frame(const struct dict *d, frame_id id);
const struct stack *dict_get_stack(const struct dict *d, stack_id id);
const struct thread *dict_get_thread(const struct dict *d, thread_id id);
const struct wait *dict_get_wait(const struct dict *d, wait_id id);
const struct memory_place *dict_get_place(const struct dict *d, place_id id);
const struct held_lock *dict_get_lock(const struct dict *d, lock_id id);
uint64_t dict_get_argument(const struct dict *d, argument_id id);        /* 0 when there is none */

uint32_t dict_modules(const struct dict *d);     /* counts: ids are below */
uint32_t dict_frames(const struct dict *d);
uint32_t dict_stacks(const struct dict *d);      /* trie nodes */
uint32_t dict_threads(const struct dict *d);
uint32_t dict_waits(const struct dict *d);
uint32_t dict_places(const struct dict *d);
uint32_t dict_arguments(const struct dict *d);
uint32_t dict_locks(const struct dict *d);

size_t dict_bytes(const struct dict *d);         /* memory held */

DEFINE_AUTO(dict_free, struct dict);

#endif
