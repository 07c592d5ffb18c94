/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * format.h - the numbers of the recording format. docs/recording-format.md describes them.
 *
 * A recording is a header and then blocks. A block's payload is a *table* (rows kept as columns,
 * table.h) or, for META, NUMA, PROBES and END, lines of text. Everything is little-endian. Numbers in this
 * file are never changed or reused: append only.
 */
#ifndef SBERF_RECORD_FORMAT_H
#define SBERF_RECORD_FORMAT_H

#include <stdint.h>

#define RECORD_MAGIC "SBERFDAT"
#define RECORD_MAGIC_SIZE 8u
#define RECORD_MAJOR 1u                  /* a reader refuses a higher one */
/*
 * A reader reads a higher minor version and leaves out what it does not know. 1 added waits, 2 NUMA,
 * 3 the ways of unwinding, 4 measures by name, flags of frames and probes.
 */
#define RECORD_MINOR 4u

/* Header: 64 bytes whose layout holds for every major version. */
#define HEADER_SIZE 64u
#define HEADER_SIZE_MAX 4096u            /* a longer header is skipped over, never a longer one than this */
#define HEADER_AT_MAJOR 8u               /* u16 */
#define HEADER_AT_MINOR 10u              /* u16 */
#define HEADER_AT_SIZE 12u               /* u32, bytes, 64 or more */
#define HEADER_AT_FLAGS 16u              /* u64; a reader refuses flags of the low half that it does not know */
#define HEADER_AT_UUID 24u               /* 16 bytes; its first four are the stream id of every block */
#define HEADER_AT_REAL 40u               /* u64, CLOCK_REALTIME at the start, ns */
#define HEADER_AT_MONO 48u               /* u64, CLOCK_MONOTONIC at the same moment, ns */
#define HEADER_AT_RESERVED 56u           /* u32, 0 */
#define HEADER_AT_CRC 60u                /* u32, CRC-32 of bytes 0 .. 59 */

#define BLOCK_MAGIC "SBLK"
#define BLOCK_MAGIC_SIZE 4u
#define BLOCK_HEADER_SIZE 32u
#define BLOCK_AT_TYPE 4u                 /* u16, enum block_type */
#define BLOCK_AT_CODEC 6u                /* u8, enum block_codec */
#define BLOCK_AT_FLAGS 7u                /* u8, BLOCK_F_* */
#define BLOCK_AT_SEQ 8u                  /* u32, 0, 1, 2, ... */
#define BLOCK_AT_EPOCH 12u               /* u32, which dictionaries its ids mean */
#define BLOCK_AT_RAW_LEN 16u             /* u32, bytes of the payload */
#define BLOCK_AT_STORED_LEN 20u          /* u32, bytes of it as stored; never more than raw_len */
#define BLOCK_AT_STREAM 24u              /* u32, first four bytes of the header's uuid */
#define BLOCK_AT_CRC 28u                 /* u32, CRC-32 of bytes 0 .. 27 and the stored payload */
#define BLOCK_RAW_MAX (32u << 20)

#define BLOCK_F_CRITICAL 0x01u           /* a reader that does not know the type must refuse the recording */

enum block_type {
	BLOCK_META = 1,
	BLOCK_END = 2,
	BLOCK_STR = 3,
	BLOCK_MOD = 4,
	BLOCK_FRAME = 5,
	BLOCK_STACK = 6,
	BLOCK_THREAD = 7,
	BLOCK_FUNC = 8,
	BLOCK_NAMES = 9,
	BLOCK_EVENTS = 10,
	BLOCK_NUMA = 11,         /* since 1.2; text of numa_state_write() */
	BLOCK_MEASURES = 12,     /* since 1.4; what the kinds of events are counted in, by name */
	BLOCK_PROBES = 13,       /* since 1.4; text of probe_notes_write() */
	BLOCK_HITS = 14,         /* since 1.4; some hits of probes by themselves, with arguments */
	BLOCK_TYPES              /* one past the last */
};

enum block_codec {
	CODEC_RAW = 0,
	CODEC_ZLIB = 1,
};

/* Columns. A column that is absent is all zero. "+ 1" means: 0 says none, n says id n - 1. */
enum str_column {
	STR_LEN = 1, STR_BYTES = 2,
	STR_REST = 3, STR_REST_BYTES = 4,        /* since 1.4: what is behind TEXT_LEN_MAX */
};
enum mod_column {
	MOD_KIND = 1, MOD_PATH = 2, MOD_ID_LEN = 3, MOD_ID_BYTES = 4, MOD_DEV = 5, MOD_INO = 6,
		MOD_PID = 7, MOD_START = 8,
	MOD_GENERATION = 9, MOD_RUN_AS = 10,     /* since 1.4 */
};
enum frame_column { FRAME_MODULE = 1, FRAME_OFFSET = 2, FRAME_FLAGS = 3 /* since 1.4; FRAME_F_* of model/dict.h */ };
enum stack_column { STACK_PARENT = 1 /* own id - parent's id */, STACK_FRAME = 2 };
enum thread_column { THREAD_PID = 1, THREAD_TID = 2, THREAD_START = 3, THREAD_COMM = 4, THREAD_EXE = 5,
		     THREAD_CGROUP = 6,
		     THREAD_CONTAINER = 7, THREAD_IMAGE = 8, THREAD_PID_INSIDE = 9, THREAD_TID_INSIDE = 10,
		     THREAD_HOST = 11 };
enum func_column { FUNC_NAME = 1, FUNC_MODULE = 2 /* + 1 */, FUNC_START = 3, FUNC_SIZE = 4, FUNC_KIND = 5 };
enum names_column {
	NAMES_FRAME = 1, NAMES_COUNT = 2, NAMES_DETAILED = 3,
	NAMES_FUNC = 4, NAMES_FILE = 5, NAMES_LINE = 6,          /* nested: COUNT values for each row */
};
enum events_column {
	EVENTS_TIME = 1, EVENTS_KIND = 2, EVENTS_THREAD = 3, EVENTS_STACK = 4, EVENTS_CPU = 5, EVENTS_NODE = 6,
	EVENTS_WEIGHT = 7, EVENTS_CUT = 8, EVENTS_CUT_MODULE = 9 /* + 1 */, EVENTS_METHOD = 10, EVENTS_FLAGS = 11,
	/* since 1.1, of waits: */
	EVENTS_CALL = 12, EVENTS_STATE = 13, EVENTS_WAKER = 14 /* + 1 */, EVENTS_WAKER_STACK = 15,
	EVENTS_WAKER_CONTEXT = 16, EVENTS_OWN = 17 /* zigzag: weight - own length */,
	/* since 1.1, of any kind: */
	EVENTS_COUNT = 18,
	/* since 1.2, of migrations, faults and accesses: */
	EVENTS_PLACE_NODE = 19 /* node + 1 */, EVENTS_MAPPING = 20, EVENTS_HOW = 21, EVENTS_FILE = 22 /* + 1 */,
	/* since 1.3, of any kind: */
	EVENTS_WALK = 23,
	/* since 1.4, of kinds that carry one: */
	EVENTS_ARGUMENT = 24,
	EVENTS_INSIDE = 25,
	/* since 1.4, of waits: */
	EVENTS_LOCK = 26, EVENTS_HOLDER = 27 /* + 1 */, EVENTS_GUESS = 28,
	EVENTS_LOCK_PLACE = 29, EVENTS_LOCK_OFFSET = 30, EVENTS_READERS = 31, EVENTS_PRIORITIES = 32,
	EVENTS_COLUMNS           /* one past the last: no other table has as many */
};
/*
 * Kinds of events up to this are known to every reader by their number; later ones by the names of
 * what is counted in them.
 */
#define KINDS_NUMBERED 6u
enum measures_column {
	MEASURES_KIND = 1 /* as in EVENTS */, MEASURES_NAME = 2, MEASURES_UNIT = 3,
	/* + 1: of a probe that was placed; NAME is what was asked for, and ARGUMENT of its events this number */
	MEASURES_PROBE = 4,
};
enum hits_column {
	HITS_TIME = 1, HITS_PROBE = 2 /* as in MEASURES, without + 1 */, HITS_PID = 3, HITS_TID = 4, HITS_CPU = 5,
	HITS_LATENCY = 6 /* + 1; 0 = it has none */, HITS_LOOK = 7, HITS_COMM_LEN = 8, HITS_COMM = 9 /* bytes */,
	HITS_TEXT_LEN = 10, HITS_TEXT = 11 /* bytes */,
};
#define PROBES_IN_FILE_MAX 64u           /* numbers of probes in one epoch are below */
#define COLUMNS_MAX ((unsigned int)EVENTS_COLUMNS)       /* one past the highest tag known here */

enum column_encoding {
	COLUMN_PLAIN = 0,                /* varints */
	COLUMN_DELTA = 1,                /* zigzag varints: difference from the value before, the first from 0 */
	COLUMN_RUNS = 2,                 /* pairs of varints: value, how often (1 or more) */
	COLUMN_BYTES = 3,                /* raw bytes */
};
#define COLUMN_ENCODING 0x7fu            /* mask */
#define COLUMN_F_CRITICAL 0x80u          /* a reader that does not know the tag must refuse the recording */

/* Limits that writers keep and readers insist on. */
#define TABLE_ROWS_MAX 65536u            /* rows of one block */
#define TABLE_NESTED_MAX (1u << 20)      /* nested values of one block */
#define TEXT_LEN_MAX 8191u               /* bytes of one string that every reader knows */
#define TEXT_REST_MAX 57344u             /* further ones; longer strings are cut when written */
#define EPOCH_IDS_MAX (1u << 26)         /* ids of one dictionary in one epoch */
#define NAMES_PER_FRAME_MAX 1000u
#define TIME_MAX (1ull << 62)            /* of one event */
#define WEIGHT_MAX (1ull << 53)          /* of one event, and its own length */
#define CALL_MAX 0x1ffffu                /* of a wait */
#define META_BYTES_MAX (1u << 20)        /* of one META, END, NUMA or PROBES payload */

#endif
