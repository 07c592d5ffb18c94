/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reasons.h - names every way in which data can be incomplete, once.
 *
 * A *cut* is a truncated user stack, whose unwinding did not reach the root; a *loss* is an event
 * that did not reach the profile. The names are published (`cut_NAME`, `lost_NAME` in the summary,
 * numbers in recordings): append, never rename or reuse.
 */
#ifndef SBERF_MODEL_REASONS_H
#define SBERF_MODEL_REASONS_H

#include <stdint.h>

/*     id, name, what it means, remedy ("" = none) */
#define CUT_REASONS(X) \
	X(0, COMPLETE, "complete", "the stack reaches the root", "") \
	X(1, STACK_SIZE, "stack_size", "the copied part of the stack ended", "raise --stack-size") \
	X(2, STACK_UNREADABLE, "stack_unreadable", "a stack page could not be read", "") \
	X(3, NO_CFI, "no_cfi", "the code has no unwind information", "") \
	X(4, BAD_CFI, "bad_cfi", "the unwind information cannot be used", "") \
	X(5, NO_MAPPING, "no_mapping", "the address lies in no known mapping", "") \
	X(6, NO_FILE, "no_file", "the file behind the mapping could not be read", "") \
	X(7, NOT_LOADED, "not_loaded", "the file was not loaded in time", "") \
	X(8, BAD_FRAME, "bad_frame", "the next frame made no sense", "") \
	X(9, FRAME_LIMIT, "frame_limit", "the stack has more frames than sberf keeps", "") \
	X(10, COMPAT, "compat", "32-bit code is not unwound", "") \
	X(11, NO_REGS, "no_regs", "the user registers were not available", "") \
	X(12, GONE, "gone", "the process ended before its mappings were read", "") \
	X(13, FP_END, "fp_end", "unwinding by frame pointers ended without a known root", "") \
	X(14, STALE, "stale", "the kernel unwound by rules of an earlier mapping", "") \
	X(15, STACK_SWITCH, "stack_switch", "code switched to another stack that cannot be followed", "") \
	X(16, URETPROBE, "uretprobe", "a return probe (uretprobe) of another tool stands in for the return address", \
	  "stop the other tool") \
	X(17, RECORDS_END, "records_end", "the CPU had no more branch records of calls", "use --call-graph fallback")

#define LOST_REASONS(X) \
	X(0, RING_FULL, "ring_full", "the ring buffer was full", "raise --ring-size or lower -F") \
	X(1, NESTED, "nested", "two events met on one CPU", "") \
	X(2, NO_RING, "no_ring", "a CPU came up and had no ring yet", "") \
	X(3, SIDE_BAND, "side_band", "the kernel dropped mmap, fork or exit records", "raise --ring-size") \
	X(4, THROTTLED, "throttled", "the kernel throttled sampling", "lower -F") \
	X(5, CPU_OFFLINE, "cpu_offline", "a CPU was offline or not yet sampled", "") \
	X(6, BAD_RECORD, "bad_record", "a record from the kernel could not be decoded", "") \
	X(7, NO_MEMORY, "no_memory", "memory ran out", "") \
	X(8, BACKLOG, "backlog", "sberf did not keep up", "lower -F") \
	X(9, RECORDER, "recorder", "the disk did not keep up with the recording", \
	  "record to a faster disk or lower -F") \
	X(10, DAMAGED, "damaged", "a part of the recording was damaged", "") \
	X(11, TARGETS, "targets", "a new thread or process did not fit into the table of targets", \
	  "use -a or --cgroup") \
	X(12, NO_SLOT, "no_slot", "a long wait found no room for its stack", "") \
	X(13, TOTALS, "totals", "a thread found no room for its totals", "watch fewer threads") \
	X(14, TASK_STATE, "task_state", "the kernel had no memory to follow a thread", "") \
	X(15, CLOCK, "clock", "the clocks of two CPUs disagreed about a wait", "") \
	X(16, SWITCH, "switch", "a switch of a thread was not seen: its wait is dropped", "") \
	X(17, WAKE, "wake", "the stack of a waker found no room", "raise --ring-size") \
	X(18, HIT_STACK, "hit_stack", "the stack of a probe's hit found no room: it counts with the next one's", \
	  "raise --ring-size") \
	X(19, VALUE, "value", "a value that a probe's condition or sum needs could not be read", "") \
	X(20, OPEN_CALLS, "open_calls", "a thread had more open calls or spans of probes than there is room for", "")

enum cut_reason {
#define X(nr, id, name, text, remedy) CUT_##id = nr,
	CUT_REASONS(X)
#undef X
	CUT_NR
};

enum lost_reason {
#define X(nr, id, name, text, remedy) LOST_##id = nr,
	LOST_REASONS(X)
#undef X
	LOST_NR
};

struct reason_info {
	const char *name, *text, *remedy;
};

/* Never NULL; for numbers out of range (from a newer recording) { "other", "an unknown reason", "" }. */
const struct reason_info *cut_info(unsigned int reason);
const struct reason_info *lost_info(unsigned int reason);

/* Monotonic counters since the source was opened. */
struct losses {
	uint64_t n[LOST_NR];
};

/* Sum of all counters. */
uint64_t losses_total(const struct losses *l);

#endif
