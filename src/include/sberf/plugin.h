/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sberf/plugin.h - plug-ins of sberf: what a language runtime knows of its code and its frames, and no file holds.
 *
 * A plug-in is a shared library that exports one symbol, sberf_plugin_entry(). It does one of two
 * things, or both. It names a place in code that no file holds, as of a run-time compiler
 * (resolve). And it says which frames of a language stand behind a native frame of an interpreter
 * (expand); for that it gives a plan of what is to be read of the process, which is carried out at
 * the very moment of a sample, a wait or another event. It needs this header alone and is linked
 * with nothing of sberf's.
 *
 * Rules:
 * - It runs in a process of its own without privileges: it can open no files, no sockets and start
 *   nothing, and sees of the observed process what the host reads for it. With --plugin-in-process
 *   it runs inside of sberf, with all of its privileges.
 * - All its functions are called by one thread, one after another. They return 0, a count, or a
 *   negative errno. One call may use 20 ms of CPU (attach: 50 ms) and SBERF_PLUGIN_READS_MAX reads.
 *   A crash, a call that takes longer, and an answer that makes no sense are faults; after three of
 *   them the plug-in is not asked any more.
 * - What it says is not believed: texts are cut at SBERF_PLUGIN_TEXT_MAX and control characters in
 *   them replaced, numbers are checked.
 * - Nothing is written to the process and nothing in it is stopped: what is read may change between
 *   two reads. Every pointer in it may be wrong and every list a circle.
 * - Structures begin with their size as their maker knows them, or with abi and size. What is behind
 *   the size of an older one counts as 0. New fields come at the end.
 */
#ifndef SBERF_PLUGIN_H
#define SBERF_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SBERF_PLUGIN_ABI 1u

#define SBERF_PLUGIN_EXPORT __attribute__((visibility("default")))

#define SBERF_PLUGIN_TEXT_MAX 1023u      /* of a function or file, bytes */
#define SBERF_PLUGIN_READ_MAX 4096u      /* of one read, bytes */
#define SBERF_PLUGIN_READS_MAX 1024u     /* in one call of the plug-in */
#define SBERF_PLUGIN_SAID_MAX 1024u      /* to a sink in one call */

/* The observed process. The host's until detach. */
struct sberf_process {
	uint32_t size;
	uint32_t machine;        /* EM_* of <elf.h> */
	int32_t pid;             /* as sberf sees it */
	int32_t pid_inside;      /* as the process sees it, in its pid namespace */
	uint64_t start_ns;       /* when it started, CLOCK_BOOTTIME: a number may be used again */
	const char *exe;         /* path of its executable, "" = unknown; raw bytes */
};

/* Code or data of a file that the process has mapped. */
struct sberf_mapped {
	uint64_t start, end;     /* addresses in the process */
	uint64_t offset;         /* of START in the file */
	uint64_t bias;           /* address in the process of the virtual address 0 of an ELF file */
	uint32_t flags;          /* SBERF_MAPPED_* */
	uint32_t reserved;
	const char *path;        /* as the process sees it, "" = no file; raw bytes, until the next call */
};

#define SBERF_MAPPED_READ 0x1u
#define SBERF_MAPPED_WRITE 0x2u
#define SBERF_MAPPED_EXECUTE 0x4u

/* Which file of a run-time compiler file() opens. */
#define SBERF_FILE_NAMES 1u              /* /tmp/perf-PID.map, or the jitdump file that the process has mapped */

/*
 * What the host does for a plug-in, of one process: attach is given it, and it stays valid until
 * detach. Each function gets the host as its first argument. They fail with -EIO when the process
 * has ended or runs another program, and with -EDQUOT when too much has been asked for.
 */
struct sberf_host {
	uint32_t abi;            /* SBERF_PLUGIN_ABI of the host */
	uint32_t size;
	/*
	 * Copies LENGTH bytes, SBERF_PLUGIN_READ_MAX at most, at ADDRESS of the process to BUF. 0, or
	 * -EFAULT when not all of them are there.
	 */
	int (*read)(const struct sberf_host *host, uint64_t address, void *buf, size_t length);
	/* The I-th mapping of the process, in order of address, to *RET. -ENOENT: there are fewer. */
	int (*mapped)(const struct sberf_host *host, size_t i, struct sberf_mapped *ret);
	/*
	 * The address of the symbol NAME in the process, and its size (0 = unknown; RET_SIZE may be
	 * NULL). MODULE is the end of the path of a file that it has mapped, as "libpython3.11.so.1.0".
	 * NULL means any of them; then symbols that are not exported are found in the executable alone. -ENOENT.
	 */
	int (*symbol)(const struct sberf_host *host, const char *module, const char *name, uint64_t *ret_address,
		      uint64_t *ret_size);
	/* A descriptor to read from, which the plug-in closes. WHICH: SBERF_FILE_*. -ENOENT; -EPERM: another user's. */
	int (*file)(const struct sberf_host *host, uint32_t which);
	/* LENGTH zeroed bytes that are freed after detach; NULL: too much. */
	void *(*allocate)(const struct sberf_host *host, size_t length);
	/* A sentence for who looks after the plug-in; sberf shows the last one. */
	void (*log)(const struct sberf_host *host, const char *text);
	/* N things that the process tells make no sense and were left out: sberf counts them. */
	void (*refused)(const struct sberf_host *host, uint64_t n);
};

/* What a name is of. Numbers never change their meaning. */
enum sberf_said_kind {
	SBERF_SAID_COMPILED = 1, /* code that a run-time compiler made */
	SBERF_SAID_INTERPRETED = 2,
	SBERF_SAID_RUNTIME = 3,  /* code that the runtime made for itself: a stub, its interpreter */
	SBERF_SAID_NOTE = 4,     /* no function: a sentence why there is none, as "[python: 3.15 is not known]" */
};

/* A function. All of it is the plug-in's, until the sink returns. */
struct sberf_said {
	uint32_t size;
	uint32_t kind;           /* enum sberf_said_kind */
	const char *function;
	const char *file;        /* NULL or "" = unknown */
	uint32_t line;           /* 0 = unknown */
	uint32_t reserved;
	/*
	 * of resolve: the same answer is right for these addresses; 0 = for the one that was asked for alone.
	 * Of expand start is the line at which the function begins; 0 = unknown
	 */
	uint64_t start, size_bytes;
};

/*
 * Where answers go. I is the index of what was asked for: of PC of resolve, of a record of expand.
 * Several for one I are inlined calls or frames, innermost first. 0; -EINVAL: there is no such I, or
 * SAID makes no sense; -EDQUOT: SBERF_PLUGIN_SAID_MAX.
 */
struct sberf_sink {
	uint32_t size;
	uint32_t reserved;
	int (*say)(struct sberf_sink *sink, size_t i, const struct sberf_said *said);
};

/*
 * What is read of the process with each sample or other event, as a program of a machine with one
 * number, AT. A read that fails, and a jump to nothing, ends it: what was copied until then counts.
 */
enum sberf_step_op {
	SBERF_STEP_ADDRESS = 1,  /* AT = value: what symbol() has found */
	SBERF_STEP_REGISTER = 2, /* AT = the register with the DWARF number count, of the innermost user frame */
	SBERF_STEP_THREAD = 3,   /* AT = thread pointer (x86-64: fs base) */
	SBERF_STEP_ADD = 4,      /* AT += value */
	SBERF_STEP_DEREF = 5,    /* AT = the 8 bytes at AT + value; 0 ends the plan */
	/*
	 * copies count bytes, a multiple of 8, at AT + value, behind what is in the record; such steps one behind
	 * the other, by ascending value within 128 bytes, are one read
	 */
	SBERF_STEP_COPY = 6,
	/*
	 * The steps up to SBERF_STEP_END are done count times, SBERF_PLAN_TURNS_MAX at most. Each turn
	 * that copies something makes a record. Loops are not nested.
	 */
	SBERF_STEP_LOOP = 7,
	SBERF_STEP_END = 8,      /* of a loop: AT is what it was when the turn began, if value is 1 */
	/*
	 * AT = the 8 bytes at value, a multiple of 8, of what this turn has copied, without the bits count,
	 * SBERF_PLAN_TAG_MAX at most; 0 ends the plan
	 */
	SBERF_STEP_COPIED = 9,
	/*
	 * In front of the loop: where the 8 bytes at value are an address P that is not 0, and the 8 bytes at P + count
	 * are the thread pointer, AT = P. Then the steps behind this one, with the loop, are done from P first, and
	 * after that once more from what AT was, unless it was P already. Where not, nothing is done. Of such steps
	 * one behind the other the first one counts that is true
	 */
	SBERF_STEP_OWN = 10,
	/*
	 * In front of the loop: where AT is not value, and the 8 bytes at value + count are the thread pointer, the
	 * steps behind this one, with the loop, are done once more afterwards, from AT = value. Otherwise nothing is
	 * done
	 */
	SBERF_STEP_THEN = 11,
};

struct sberf_step {
	uint32_t op;             /* enum sberf_step_op */
	uint32_t count;
	int64_t value;
};

#define SBERF_PLAN_STEPS_MAX 32u
#define SBERF_PLAN_RANGES_MAX 8u
#define SBERF_PLAN_TURNS_MAX 1024u
#define SBERF_PLAN_RECORD_MAX 64u        /* of what one turn copies, bytes */
#define SBERF_PLAN_TAG_MAX 255u
#define SBERF_PLAN_LOCK_MAX 65536u       /* bytes of the lock of an interpreter */

struct sberf_range {
	uint64_t start, end;     /* addresses in the process */
};

/*
 * Which records stand for one native frame of the interpreter, together: a *run*. Records of a run
 * follow each other, innermost frame first.
 */
enum sberf_run_end {
	SBERF_RUN_EACH = 0,      /* each record is a run */
	SBERF_RUN_LAST = 1,      /* a record whose 8 bytes at run_offset, under run_mask, are run_value ends its run */
	SBERF_RUN_BEHIND = 2,    /* such a record stands behind the last one of a run, and is no frame itself */
};

struct sberf_plan {
	uint32_t size;
	uint32_t nr_steps;       /* 0 = nothing is read, and expand is not called */
	uint32_t nr_ranges;
	/*
	 * Which 8-byte words of a record tell it from others, bit for bit: of records that are equal in
	 * them, expand is asked for one, once. 0 = all of them
	 */
	uint32_t key_words;
	struct sberf_step steps[SBERF_PLAN_STEPS_MAX];
	/* code of the interpreter: native frames in it are those that expand speaks of */
	struct sberf_range ranges[SBERF_PLAN_RANGES_MAX];
	uint32_t run_end;        /* enum sberf_run_end */
	uint32_t run_offset;     /* multiple of 8 */
	uint64_t run_mask, run_value;
	/* the lock of the interpreter: who waits on a futex there waits for that. Both 0 = it has none */
	struct sberf_range lock;
	uint32_t flags;          /* SBERF_PLAN_* */
	uint32_t reserved;       /* 0 */
	/*
	 * Who has that lock: at the address holder is a pointer to what the runtime knows of that thread; at
	 * holder_thread of this one to the thread's descriptor, which is where its thread pointer points; at holder_id
	 * of this its number, 4 bytes, as gettid() gives it there. What they lead to is checked. holder 0 = that is not
	 * known
	 */
	uint64_t holder;
	uint32_t holder_thread;
	uint32_t holder_id;
};

/*
 * Where a stack has fewer runs than native frames of the interpreter, it is the outermost of these that have none; by
 * default the innermost ones.
 */
#define SBERF_PLAN_INNER_FIRST 0x1u

/* What the plan has copied at one event. The host's until expand returns. */
struct sberf_taken {
	uint32_t size;
	uint32_t nr_records;
	uint32_t record_bytes;   /* of each record */
	uint32_t flags;          /* SBERF_TAKEN_* */
	const void *records;     /* in the order of their turns, without gaps */
};

#define SBERF_TAKEN_CUT 0x1u             /* a read failed, or there was no room for more */

/* What claims returns for a place. */
#define SBERF_CLAIM_NONE 0
#define SBERF_CLAIM_NAME 1               /* resolve names it */
#define SBERF_CLAIM_EXPAND 2             /* it is a frame of the interpreter */

/* What has changed, of changed: bits. */
#define SBERF_CHANGED_MAPPINGS 0x1u
#define SBERF_CHANGED_CODE 0x2u          /* names may have come, or be others: some time has passed */

/*
 * A plug-in. It and its texts are static. Functions that it has not are NULL, but for attach; STATE
 * is what attach has made.
 */
struct sberf_plugin {
	uint32_t abi;            /* SBERF_PLUGIN_ABI that it was compiled with */
	uint32_t size;
	const char *name;        /* letters, digits, '-' and '_', 31 at most: "python" */
	const char *runtime;     /* "CPython" */
	const char *versions;    /* "3.8 to 3.13" */
	/* 0: the process is of its runtime, and *RET_STATE for it; -ENOENT: it is not; others as -ENOENT, and said. */
	int (*attach)(const struct sberf_host *host, const struct sberf_process *process, void **ret_state);
	/* Nothing more will be asked of the process; the host is not asked any more, either. */
	void (*detach)(void *state);
	/* Fills *RET, which is zeroed but for its size. */
	int (*plan)(void *state, struct sberf_plan *ret);
	/* SBERF_CLAIM_* of the address PC, which is in no file. Without it all of them are SBERF_CLAIM_NAME. */
	int (*claims)(void *state, uint64_t pc);
	/* Names the N addresses PC to SINK, as many of them as it knows. */
	int (*resolve)(void *state, const uint64_t *pc, size_t n, struct sberf_sink *sink);
	/* Names the frames that are in the records of TAKEN. */
	int (*expand)(void *state, const struct sberf_taken *taken, struct sberf_sink *sink);
	/*
	 * WHAT: SBERF_CHANGED_*. What it has kept may be old. 1: it may know more now, and what it could not
	 * name is asked for again. 0: it does not.
	 */
	int (*changed)(void *state, uint32_t what);
	/*
	 * Says to SINK what the runtime calls the N threads TID, as gettid() numbers them in the process, as far as it
	 * has names for them, of the kind SBERF_SAID_RUNTIME
	 */
	int (*threads)(void *state, const uint64_t *tid, size_t n, struct sberf_sink *sink);
};

/* The one symbol of a plug-in. NULL: it does not work with an ABI of HOST_ABI. */
SBERF_PLUGIN_EXPORT const struct sberf_plugin *sberf_plugin_entry(uint32_t host_abi);

#ifdef __cplusplus
}
#endif

#endif
