/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sberf/unwind.h - libsberf: registers and copied stack bytes of other processes in, complete stacks
 * out, also of code that keeps no frame pointers.
 *
 * A handle (struct sberf) knows any number of processes. It reads what they have mapped from /proc
 * once and is kept up to date by events of its caller; without these it reads /proc again when an
 * address is in nothing that it knows. Nothing is written to a process, and none is stopped.
 *
 * Rules for every function of the library:
 * - It returns 0 or a count, or a negative errno; sberf_error() has a sentence about the last one.
 * - A handle belongs to one thread at a time; handles are independent of each other.
 * - It prints nothing, ends nothing, changes no signals, and starts no thread unless asked to
 *   (SBERF_BACKGROUND).
 * - Structures that it is given begin with their size as the caller knows them
 *   (`.size = sizeof(x)`); what a newer library added counts as 0 then.
 * - What it gives is in the caller's memory, or the handle's until its next call, or is freed by
 *   the one function that its description names.
 * - Threads that call it have a stack of 1 MB or more.
 */
#ifndef SBERF_UNWIND_H
#define SBERF_UNWIND_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SBERF_API __attribute__((visibility("default")))

struct sberf;

/* How stacks are unwound. */
enum sberf_mode {
	SBERF_FALLBACK = 0,      /* by unwind tables; where there are none by frame pointers and how functions begin */
	SBERF_FORCE = 1,         /* by unwind tables alone: other code ends the stack, and the end says so */
	SBERF_FP = 2,            /* by frame pointers alone */
	SBERF_OFF = 3,           /* not at all: the innermost frame is all there is */
};

/* The mode called NAME: "fallback" or "dwarf", "force", "fp", "off"; -EINVAL. NULL is the first of them. */
SBERF_API int sberf_mode(const char *name);

/* Flags of a handle. */
/*
 * Files are read by two threads of the library, so that one which hangs costs a frame and not the
 * caller's time: sberf_unwind() and sberf_locate() return -EAGAIN as long as what they need is being
 * read, and sberf_fd() becomes readable when it has been. Without this they wait for the file.
 */
#define SBERF_BACKGROUND 0x1u
/* Debug information that this machine lacks is asked of the servers that DEBUGINFOD_URLS names. */
#define SBERF_DEBUGINFOD 0x2u

struct sberf_options {
	size_t size;             /* sizeof(struct sberf_options) */
	uint32_t mode;           /* enum sberf_mode */
	uint32_t flags;          /* SBERF_BACKGROUND, SBERF_DEBUGINFOD */
	const char *symfs;       /* a folder in which files and debug files are looked for first; NULL = none */
	/*
	 * A service that is asked for names which this machine has not: the path of a UNIX socket or
	 * http://HOST[:PORT]. It gets build-ids and offsets, nothing else. NULL = none.
	 */
	const char *remote;
};

/*
 * A handle to *RET; NULL for OPTIONS means all zero. -EINVAL for options that this library does not
 * know, -ENOTSUP when there is no debuginfod, -ENOMEM, -EMFILE.
 */
SBERF_API int sberf_open(struct sberf **ret, const struct sberf_options *options);
/* NULL is fine. A background thread that hangs in a file is left behind. */
SBERF_API void sberf_close(struct sberf *s);

/* A sentence about the last call of S that failed; "" when none has. S's, until its next call. */
SBERF_API const char *sberf_error(const struct sberf *s);

/*
 * Reads what the process PID has mapped, unless S knows it already. -ESRCH: there is no such
 * process; -EPERM: its mappings may not be read (ptrace(2), access mode PTRACE_MODE_READ_FSCREDS).
 * Not needed: the functions below do so by themselves.
 */
SBERF_API int sberf_process_add(struct sberf *s, pid_t pid);

/* Forgets the process PID: its number is another one's, or it is of no interest any more. Always 0. */
SBERF_API int sberf_process_forget(struct sberf *s, pid_t pid);

/* What happened to a process, as the side band of perf_event_open(2) tells it. */
enum sberf_event_kind {
	SBERF_EVENT_MAP = 1,     /* PERF_RECORD_MMAP2: pid, mapping */
	SBERF_EVENT_EXEC = 2,    /* PERF_RECORD_COMM with PERF_RECORD_MISC_COMM_EXEC: pid, tid */
	SBERF_EVENT_FORK = 3,    /* PERF_RECORD_FORK: pid and tid are the new ones, parent_pid and parent_tid theirs */
	SBERF_EVENT_EXIT = 4,    /* PERF_RECORD_EXIT: pid, tid */
	/* PID has unmapped code, or changed what it may be used for: what it has mapped is read again. Not by perf */
	SBERF_EVENT_UNMAP = 5,
};

struct sberf_event {
	size_t size;
	uint32_t kind;           /* enum sberf_event_kind */
	pid_t pid, tid;          /* in the pid namespace of the caller */
	uint64_t time_ns;        /* CLOCK_MONOTONIC */
	pid_t parent_pid, parent_tid;
	/* the mapping */
	uint64_t start, length, offset;
	uint32_t protection;     /* PROT_* of mmap(2); data counts too, as it may replace code */
	uint32_t major_number, minor_number;     /* of the file's device */
	uint64_t inode, inode_generation;        /* generation 0 = unknown */
	const uint8_t *build_id; /* NULL = unknown */
	size_t build_id_length;  /* 20 bytes at most */
	const char *path;        /* as the process sees it; "//anon" and "[...]" as the kernel tells them */
};

/* Brings S up to date with what EVENT says, which is copied. Events come in order of time. -EINVAL, -ENOMEM. */
SBERF_API int sberf_process_event(struct sberf *s, const struct sberf_event *event);

/* A place in code. */
struct sberf_frame {
	uint64_t address;        /* in the process; of callers inside of their call: the return address minus 1 */
	uint64_t offset;         /* the same in the file of MODULE; where there is no file it is the address */
	uint32_t module;         /* number in this handle, never another's: sberf_module_info() */
	uint32_t flags;          /* SBERF_FRAME_* */
};

#define SBERF_MODULE_NONE UINT32_MAX
#define SBERF_FRAME_GUESS 0x1u   /* its caller was found without unwind table */
#define SBERF_FRAME_KERNEL 0x2u

enum sberf_module_kind {
	SBERF_MODULE_FILE = 1,
	SBERF_MODULE_VDSO = 2,
	SBERF_MODULE_KERNEL = 3,
	SBERF_MODULE_MEMORY = 4, /* code without a file, of one process */
};

struct sberf_module {
	uint32_t id;
	uint32_t kind;           /* enum sberf_module_kind */
	const char *path;        /* as the process sees it, "" = none; raw bytes: sanitise before printing */
	const uint8_t *build_id; /* NULL = none, or not known */
	size_t build_id_length;
	/* where it is mapped, of sberf_modules(); else 0 */
	uint64_t start, end;
	uint64_t offset;         /* of START in the file */
};

/*
 * Calls FN for all code that PID has mapped and whose file has been read, by address, as
 * dl_iterate_phdr(3) does; a value other than 0 ends it and is returned. MODULE and what it points
 * to are S's until FN returns; FN calls no function of S but sberf_module_info(). Errors as of
 * sberf_process_add().
 */
typedef int sberf_module_fn(const struct sberf_module *module, void *arg);
SBERF_API int sberf_modules(struct sberf *s, pid_t pid, sberf_module_fn *fn, void *arg);

/* What the module ID is, to *RET, whose pointers are S's as long as it is open. -ENOENT. */
SBERF_API int sberf_module_info(struct sberf *s, uint32_t id, struct sberf_module *ret);

/* Bytes that were copied from a stack. */
struct sberf_segment {
	uint64_t address;        /* in the process */
	const void *bytes;
	uint32_t length;
	uint32_t flags;          /* SBERF_SEGMENT_* */
};

#define SBERF_SEGMENTS_MAX 9u
#define SBERF_REGISTERS_MAX 34u
/* behind it is a page that could not be read; else more could have been copied */
#define SBERF_SEGMENT_UNREADABLE 0x1u
/* of the stack that a signal handler on an alternate stack has interrupted */
#define SBERF_SEGMENT_INTERRUPTED 0x2u

/* A thread at one moment. All that it points to is the caller's. */
struct sberf_capture {
	size_t size;
	pid_t pid;
	uint32_t machine;        /* EM_* of <elf.h> that the registers are of; 0 = this machine's */
	/* in the order of DWARF, the program counter behind the others: x86-64 has 17, aarch64 33 */
	uint32_t nr_registers;
	const uint64_t *registers;
	uint32_t nr_segments;    /* SBERF_SEGMENTS_MAX at most, in any order, without overlaps */
	const struct sberf_segment *segments;
};

/* Where a stack ended. */
struct sberf_end {
	uint32_t reason;         /* 0 = complete: there is no caller; other numbers never change their meaning */
	uint32_t module;         /* where it ended, of a stack that was cut; SBERF_MODULE_NONE = in none */
	const char *name;        /* "complete", "stack_size", "no_cfi": one word, the same in every version */
	const char *text;        /* the same as a sentence */
	uint64_t stack_bytes;    /* so many bytes from the stack pointer on were needed */
	uint64_t key;            /* of sberf_stack(): equal stacks of this handle have equal ones; else 0 */
};

/*
 * Unwinds CAPTURE into FRAMES, innermost first: at most MAX of them, whose number is returned. *END,
 * which may be NULL, says where it ended; its texts are static. What cannot be unwound is no error
 * but the end of a stack. -EINVAL: CAPTURE makes no sense; -EAGAIN as SBERF_BACKGROUND says; -ENOMEM.
 */
SBERF_API int sberf_unwind(struct sberf *s, const struct sberf_capture *capture, struct sberf_frame *frames, size_t max,
			   struct sberf_end *end);

/*
 * The registers of this machine in the order that struct sberf_capture wants, from LENGTH bytes of what
 * ptrace(2) gives for NT_PRSTATUS (struct user_regs_struct, user_pt_regs), which is how the kernel lays
 * out pt_regs, too. RET has room for SBERF_REGISTERS_MAX. Returns how many they are; -EINVAL when LENGTH
 * is too short, -ENOTSUP on machines that are not unwound.
 */
SBERF_API int sberf_registers(const void *regs, size_t length, uint64_t *ret);

/*
 * Where the N ADDRESSES are, to FRAMES: in the process PID, or, for PID 0 and for all addresses of the
 * kernel, in the kernel. Those that are nowhere have no module (SBERF_MODULE_NONE). With
 * SBERF_RETURN_ADDRESSES all but the first are return addresses, as of bpf_get_stack() and
 * perf's call chains. Returns how many have a module; errors as of sberf_process_add(), and -EAGAIN
 * as SBERF_BACKGROUND says.
 */
#define SBERF_RETURN_ADDRESSES 0x1u
SBERF_API int sberf_locate(struct sberf *s, pid_t pid, const uint64_t *addresses, size_t n, uint32_t flags,
			   struct sberf_frame *frames);

/*
 * For BPF programs that use sberf/bpf.h. From now on S puts the rules of each process that tells a stack
 * into these maps of the program (bpf_map__fd()), which stay the caller's and open. -EINVAL, and the error
 * of bpf(2) when they cannot be written to.
 */
struct sberf_bpf_maps {
	size_t size;
	int spaces;              /* sberf_spaces */
	int rows;                /* sberf_rows ... */
	uint32_t nr_rows;        /* ... and how many it has: bpf_map__max_entries() */
};
SBERF_API int sberf_bpf_use(struct sberf *s, const struct sberf_bpf_maps *maps);
/* The same of the MAPS of a skeleton of bpftool's. */
#define SBERF_BPF_MAPS(maps) \
	((struct sberf_bpf_maps){ sizeof(struct sberf_bpf_maps), bpf_map__fd((maps).sberf_spaces), \
				  bpf_map__fd((maps).sberf_rows), bpf_map__max_entries((maps).sberf_rows) })

/*
 * Takes a record of LENGTH bytes from the ring (sberf_ring; a callback of ring_buffer__new() is the place for
 * it), which is copied. *TOKEN and *COOKIE, which may be NULL, are those of sberf_capture(). -EINVAL when
 * it is none; -ENOMEM; -ENOSPC when S keeps as many stacks as it can (4 million).
 */
SBERF_API int sberf_take(struct sberf *s, const void *record, size_t length, uint64_t *token, uint64_t *cookie);

/*
 * The stack of TOKEN, as sberf_unwind() has it, but that addresses are known only of code without a file.
 * -ENOENT: no record of it has been taken.
 */
SBERF_API int sberf_stack(struct sberf *s, uint64_t token, struct sberf_frame *frames, size_t max,
			  struct sberf_end *end);

/*
 * With SBERF_BACKGROUND: a descriptor that is readable when files have been read, for poll(2); S's,
 * not to be read from. sberf_poll() takes them in and returns how many; it never waits.
 */
SBERF_API int sberf_fd(const struct sberf *s);
SBERF_API int sberf_poll(struct sberf *s);

/* What a handle has done and could not do. Monotonic, but for bytes and processes. */
struct sberf_stats {
	size_t size;
	uint64_t stacks, frames;         /* unwound */
	uint64_t guessed_frames;         /* of them: left by frame pointers */
	uint64_t cut_stacks;             /* that did not reach their root */
	uint64_t processes;              /* known now */
	uint64_t files_read, files_failed;
	uint64_t unreadable_files;       /* whose names could not be read */
	uint64_t damaged;                /* parts of files that make no sense and were left out */
	uint64_t bytes;                  /* of memory, estimated */
	uint64_t tokens;                 /* of sberf_take(), known now */
	uint64_t rules;                  /* put into the maps of sberf_bpf_use() */
	uint64_t remote_failed;          /* questions that the remote service did not answer */
	uint64_t rules_refused;          /* mappings that found no room there: their stacks are copied */
};

/* Fills *RET, as much of it as RET->size says. -EINVAL. */
SBERF_API int sberf_stats(const struct sberf *s, struct sberf_stats *ret);

#ifdef __cplusplus
}
#endif

#endif
