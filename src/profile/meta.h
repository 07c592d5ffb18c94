/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meta.h - the facts about a profile as a whole: where, when and how it was taken, and what it
 * missed. Live views and recordings fill the same struct, so the header, the summary and exporters
 * need to read only one.
 */
#ifndef SBERF_PROFILE_META_H
#define SBERF_PROFILE_META_H

#include "model/method.h"
#include "model/reasons.h"
#include "model/unread.h"

#include <stdbool.h>
#include <stdint.h>

#define META_TEXT 256
#define META_PRESSURES 3          /* kinds of system/pressure.h */
#define META_UNKNOWN UINT64_MAX      /* a figure that this kernel or recording does not tell */

enum target_state {
	TARGET_WAITING,              /* nothing has been seen of it yet */
	TARGET_RUNNING,
	TARGET_EXITED,               /* end_code = exit status */
	TARGET_KILLED,               /* end_code = signal */
	TARGET_ENDED,                /* it is gone; how is not known */
};

struct profile_meta {
	char host[META_TEXT], kernel[META_TEXT], arch[32];     /* uname */
	/* what the capture did without, as features_missing() (capture/features.h) says; "" = not known */
	char kernel_without[512];
	/* what plug-ins have named, and failed at: "toy: 12 names in 1 process; ..."; "" = nothing; sanitised */
	char plugins[512];
	bool plugin_faults;          /* one of them has failed; in no recording */
	char version[64];            /* of sberf */
	/* the target is processes or threads that were there when the capture began; in no recording */
	bool named;
	bool absent;                 /* nobody had the name of the target when the capture began; in no recording */
	char target[META_TEXT];      /* "redis-server 1234", "all tasks", the command; sanitised */
	char cmdline[META_TEXT];     /* sberf's own command line; sanitised */
	/* of what a flight recorder wrote by itself (--when): the condition, and what met it; "" = none; sanitised */
	char written_when[META_TEXT];
	char event[32];              /* "cycles", "cpu-clock" */
	/* of an import: what it counts (MEASURE_IMPORTED) when that is no time, such as "weight"; "" = time */
	char unit[32];
	uint32_t freq_asked;         /* Hz per CPU that the user asked for */
	/* Hz per CPU that busy CPUs had lately; granted as long as that is unknown; 0 = unknown */
	uint32_t freq_got;
	bool rate_changed;           /* both are those of now, and were others before; in no recording */
	uint32_t cpus;               /* sampled */
	uint64_t start_real_ns, start_mono_ns;   /* when the capture began, both clocks */
	uint64_t duration_ns;        /* until now or until it ended */
	bool complete;               /* false: a recording that was cut off */
	enum target_state target_state;
	int end_code;
	/*
	 * the program that the target, one process, has executed since the capture began; "" =
	 * none; sanitised
	 */
	char executed[64];

	uint64_t samples;            /* EVENT_SAMPLE delivered */
	uint64_t user_samples;       /* of them with a user side */
	uint64_t cut[CUT_NR];        /* of user_samples by reason; cut[CUT_COMPLETE] = complete */
	struct unwound unwound;      /* stacks with a user side, of samples and waits, by how they were unwound */
	struct unwound wait_unwound; /* of these: of waits */
	uint64_t verify_checked;     /* of WAY_KERNEL: copied too, and walked from there to the root again */
	uint64_t verify_incomplete;  /* of WAY_KERNEL: copied too, but the copy did not lead to the root */
	/* of verify_checked: with other frames, in all and by how they differ */
	uint64_t verify_different, verify_cause[VERIFY_NR];
	/* kernel stacks read by hops: unwound, too; with other frames */
	uint64_t verify_kernel_checked, verify_kernel_different;
	/*
	 * stacks of programs in interpreted languages with what was read of their frames; of these: with all of
	 * them, with some that could not be read, or were too many; and those whose frames are not as many as
	 * the native ones of the interpreter. Frames without a name; frames and processes that were too many
	 */
	uint64_t script_stacks, script_whole, script_unread, script_cut, script_unmatched, script_nameless,
		script_refused;
	/*
	 * requests to sberf-collector, which opens files when sberf may not, and those of them that it refused; times
	 * that sberf-worker ended, which reads files for it; files at which that ended twice, and that are left alone
	 */
	uint64_t split_asked, split_refused, worker_ended, files_left;
	/*
	 * files that sberf-worker has read for unwinding; questions to it about places of them, and how many were not
	 * answered at once
	 */
	uint64_t images_in_worker, rows_asked, rows_late;
	char script_said[160];       /* why there are no frames of some program, "" = nothing */
	/* what the kernel knows now to walk by: pages of code, different rules */
	uint64_t rules_pages, rules, rules_processes;
	/* pages and processes that gave way to others; these four META_UNKNOWN: it does not walk by rules */
	uint64_t rules_evicted;
	uint64_t rules_bytes;        /* memory of rules now, in the kernel and here */
	uint64_t oncpu_ns;           /* sum of weights: exact running time when off_cpu, else what samples stand for */

	/*
	 * the container or cgroup that the target is or is in, "" = none, sanitised; for how long since the capture
	 * began some of its threads waited for CPUs, memory, I/O, and for how long no thread ran because all did; the
	 * former in hundredths of a percent of the last 10 s, in no recording; why there is none of that, "" = there is
	 */
	char pressure_of[META_TEXT];
	uint64_t pressure_some_ns[META_PRESSURES], pressure_full_ns[META_PRESSURES], pressure_now[META_PRESSURES];
	char pressure_said[160];

	bool off_cpu;                /* waits were followed; what follows is 0 otherwise */
	bool wakers;                 /* and who ended them */
	uint64_t blocked_ns, runnable_ns;        /* exact; waits that have not ended count up to now */
	uint64_t waits;              /* ended or not */
	uint64_t wait_stacks;        /* of them: with a stack of their own that has a user side */
	uint64_t wait_cut[CUT_NR];   /* of wait_stacks by reason; wait_cut[CUT_COMPLETE] = complete */
	uint64_t wait_own_ns;        /* of blocked_ns + runnable_ns: in waits that have a stack of their own */
	uint64_t wait_none_ns;       /* of it: that no stack stands for (NOTE_NO_STACK) */
	uint64_t wait_open_ns, wait_open;        /* in waits that have not ended, and how many they are */
	/* waits shorter than --min-block: left out, and in none of the above */
	uint64_t wait_short_ns, wait_short;
	uint64_t wait_outside;       /* stacks of waits that were read from outside, and tries that failed: */
	uint64_t wait_hung, wait_denied;     /* because the memory did not answer, or may not be read */
	uint64_t wait_inferred;      /* switches that the kernel did not tell, and whose time follows from others' */
	uint64_t wait_summed;        /* waits that the kernel half summed up instead of telling each */
	uint64_t wait_unsummed;      /* waits that it could not, for want of room: told by sampling */
	uint64_t wait_not_handed;    /* of waits for locks: ends at which it was not told who had it until then */
	uint64_t wait_period_ns;     /* waits of this length and more have a stack of their own, now */
	/*
	 * of probes, 0 = there are none, or nothing is known yet: their hits in a second while they
	 * were in place, lately; what these cost the target, in millionths of one CPU; in one of how
	 * many parts of the time those in programs were in place at the worst, 1 = always; of how
	 * many hits of one in the kernel one was told at the worst, 1 = of each
	 */
	uint64_t probe_hits_s, probe_share, probe_scale, probe_thin;
	uint64_t probe_own_ns;       /* what was taken off a time at most, as it was the probe's own (model/probes.h) */
	/*
	 * of blocks of memory (memory/blocks.h): by how many bytes they were sampled, 0 = they were not followed;
	 * blocks told, living at the end; bytes in use then, and most ever; blocks not followed for want of
	 * room, frees that were missed, and those of blocks that nobody told
	 */
	uint64_t mem_interval, mem_told, mem_living, mem_in_use, mem_peak, mem_dropped, mem_missed, mem_unknown;
	/* and since when, after the start, they were not followed to their frees any more; 0 = they were */
	uint64_t mem_unfollowed_ns;
	uint64_t mem_unseen;         /* processes that allocate unseen: no library could be put into their programs */
	struct losses lost;
	uint64_t numa_too_large;     /* states of nodes (numa/state.h) that found no room in the recording */
	uint64_t late;
	/* frames, stacks and threads that stand under "(other)": the dictionaries were full */
	uint64_t refused;
	/* facts of old slices that went into "(other)" to bound memory; exact totals remain */
	uint64_t folded;
	uint64_t user_cpu_ns;        /* sberf's own, and of those that work for it (base/spawn.h), user + system */
	uint64_t bpf_cpu_ns;
	/*
	 * with a ceiling of what sberf takes (engine/ceiling.h): both of these lately, in millionths of one
	 * CPU; rates are a 2^level-th of what was asked for; and that does not suffice. In no recording
	 */
	uint32_t own_share, own_level;
	bool own_exceeded;
	uint64_t rss_bytes;          /* sberf's own, now */
	uint64_t file_bytes;         /* of the recording; META_UNKNOWN when there is none */
	/* of it, the engine thread: from the rings to the profile and the recorder's queue */
	uint64_t engine_cpu_ns;
	uint64_t symbols_pending;    /* frames without names yet */
	struct unread unread;        /* files of which something could not be read that names or stacks would need */
	/* what a worker does that takes long ("debuginfod: libc.so.6 34 %"), "" = nothing; sanitised */
	char activity[96];
};

/* Prepares M for a file: when the rate has changed, a file states none. */
static inline void meta_of_file(struct profile_meta *m)
{
	if (m->rate_changed)
		m->freq_asked = m->freq_got = 0;
	m->rate_changed = false;
}

#endif
