/* SPDX-License-Identifier: BSD-2-Clause */
/* cpython_layout.c - our tables, and how to read the one that a process has. */
#include "config.h"

#include "plugin/cpython_layout.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define OBJECT_OFFSETS .object_type = 8, .bytes_size = 16, .bytes_data = 32, .text_length = 16, .text_state = 32, \
	.frame_copy = CPYTHON_NONE, .code_copies = CPYTHON_NONE

static const struct cpython_layout layouts[] = {
	{
		.version = CPYTHON_VERSION(3, 8), .lines = CPYTHON_LNOTAB, .entry = CPYTHON_EACH, .instr_scale = 1,
		.runtime_interpreters = 32, .interp_next = 0, .interp_threads = 8, .thread_next = 8,
		.thread_interp = 16, .thread_id = 176, .thread_frame = 24,
		.runtime_current = 1368, .runtime_gil = 1152, .interp_gil = CPYTHON_NONE,
		.interp_modules = 56, .type_keys = 872,
		.cframe_frame = CPYTHON_NONE,
		.frame_code = 32, .frame_back = 24, .frame_instr = 104, .frame_entry = CPYTHON_NONE,
		.code_filename = 104, .code_name = 112, .code_qualname = CPYTHON_NONE, .code_firstline = 40,
		.code_lines = 120, OBJECT_OFFSETS, .text_ascii = 48, .text_compact = 72,
	},
	{
		.version = CPYTHON_VERSION(3, 9), .lines = CPYTHON_LNOTAB, .entry = CPYTHON_EACH, .instr_scale = 1,
		.runtime_interpreters = 32, .interp_next = 0, .interp_threads = 8, .thread_next = 8,
		.thread_interp = 16, .thread_id = 176, .thread_frame = 24,
		.runtime_current = 568, .runtime_gil = 352, .interp_gil = CPYTHON_NONE,
		.interp_modules = 856, .type_keys = 864,
		.cframe_frame = CPYTHON_NONE,
		.frame_code = 32, .frame_back = 24, .frame_instr = 104, .frame_entry = CPYTHON_NONE,
		.code_filename = 104, .code_name = 112, .code_qualname = CPYTHON_NONE, .code_firstline = 40,
		.code_lines = 120, OBJECT_OFFSETS, .text_ascii = 48, .text_compact = 72,
	},
	{
		.version = CPYTHON_VERSION(3, 10), .lines = CPYTHON_RANGES, .entry = CPYTHON_EACH, .instr_scale = 2,
		.runtime_interpreters = 32, .interp_next = 0, .interp_threads = 8, .thread_next = 8,
		.thread_interp = 16, .thread_id = 176, .thread_frame = 24,
		.runtime_current = 568, .runtime_gil = 352, .interp_gil = CPYTHON_NONE,
		.interp_modules = 856, .type_keys = 872,
		.cframe_frame = CPYTHON_NONE,
		.frame_code = 32, .frame_back = 24, .frame_instr = 96, .frame_entry = CPYTHON_NONE,
		.code_filename = 104, .code_name = 112, .code_qualname = CPYTHON_NONE, .code_firstline = 40,
		.code_lines = 120, OBJECT_OFFSETS, .text_ascii = 48, .text_compact = 72,
	},
	{
		.version = CPYTHON_VERSION(3, 11), .lines = CPYTHON_LOCATIONS, .entry = CPYTHON_IS_ENTRY,
		.runtime_interpreters = 40, .interp_next = 0, .interp_threads = 16, .thread_next = 8,
		.thread_interp = 16, .thread_id = 152, .thread_frame = 56,
		.runtime_current = 576, .runtime_gil = 360, .interp_gil = CPYTHON_NONE,
		.interp_modules = 888, .type_keys = 872,
		.cframe_frame = 8,
		.frame_code = 32, .frame_back = 48, .frame_instr = 56, .frame_entry = 68,
		.code_filename = 112, .code_name = 120, .code_qualname = 128, .code_firstline = 72,
		.code_lines = 136, .code_instr = 184, OBJECT_OFFSETS, .text_ascii = 48, .text_compact = 72,
	},
	{
		.version = CPYTHON_VERSION(3, 12), .lines = CPYTHON_LOCATIONS, .entry = CPYTHON_SHIM,
		.runtime_interpreters = 40, .interp_next = 0, .interp_threads = 72, .thread_next = 8,
		.thread_interp = 16, .thread_id = 136, .thread_frame = 56,
		.runtime_current = CPYTHON_NONE, .runtime_gil = CPYTHON_NONE, .interp_gil = 384,
		.interp_modules = 944, .type_keys = 880,
		.cframe_frame = 0,
		.frame_code = 0, .frame_back = 8, .frame_instr = 56, .frame_entry = 70,
		.code_filename = 112, .code_name = 120, .code_qualname = 128, .code_firstline = 68,
		.code_lines = 136, .code_instr = 192, OBJECT_OFFSETS, .text_ascii = 40, .text_compact = 56,
	},
};

const struct cpython_layout *cpython_layout_of(uint16_t version)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i].version == version)
			return &layouts[i];
	return NULL;
}

/* Fields of the table, in the order of the header; each is one word behind cookie, version and free_threaded. */
enum offset_field {
	FIELD_INTERPRETERS, FIELD_INTERP_SIZE, FIELD_INTERP_NEXT, FIELD_INTERP_THREADS, FIELD_INTERP_MODULES,
	FIELD_INTERP_GIL,
	FIELD_THREAD_SIZE, FIELD_THREAD_NEXT, FIELD_THREAD_INTERP, FIELD_THREAD_FRAME, FIELD_THREAD_ID,
	FIELD_FRAME_SIZE, FIELD_FRAME_BACK,
	FIELD_FRAME_CODE, FIELD_FRAME_INSTR, FIELD_FRAME_OWNER, FIELD_CODE_SIZE, FIELD_CODE_FILENAME, FIELD_CODE_NAME,
	FIELD_CODE_QUALNAME, FIELD_CODE_LINES, FIELD_CODE_FIRSTLINE, FIELD_CODE_INSTR, FIELD_BYTES_SIZE,
	FIELD_BYTES_DATA, FIELD_OBJECT_SIZE, FIELD_OBJECT_TYPE, FIELD_TEXT_SIZE, FIELD_TEXT_STATE,
	FIELD_TEXT_LENGTH, FIELD_TEXT_ASCII, FIELD_FRAME_COPY, FIELD_CODE_COPIES, FIELD_NR
};

#define OFFSETS_COOKIE "xdebugpy"
#define FREE_THREADED 2u                 /* the word that says so */
#define RELEASE_LEVEL 0xf0u              /* of a version */
#define RELEASE_FINAL 0xf0u
#define OBJECT_BYTES 16u                 /* of an object's head: count of references, type */
#define OBJECT_BYTES_FREE 32u            /* without the lock: thread, flags, two counts, type */
#define TYPE_KEYS_13 880u                /* ht_cached_keys, of which the table says nothing */
#define TEXT_BYTES 24u                   /* PyUnicodeObject behind PyASCIIObject */

/* At which word each field is, by minor version, with the lock or without; 0 = there is no such field. */
static const struct offset_words {
	uint16_t minor;
	uint8_t code_tag;
	uint8_t at[FIELD_NR];
} offset_words[] = {
	{ 13, 0, {
		[FIELD_INTERPRETERS] = 5, [FIELD_INTERP_SIZE] = 6, [FIELD_INTERP_NEXT] = 8, [FIELD_INTERP_THREADS] = 9,
		[FIELD_INTERP_MODULES] = 11, [FIELD_INTERP_GIL] = 14,
		[FIELD_THREAD_SIZE] = 19, [FIELD_THREAD_NEXT] = 21, [FIELD_THREAD_INTERP] = 22,
		[FIELD_THREAD_FRAME] = 23, [FIELD_THREAD_ID] = 24, [FIELD_FRAME_SIZE] = 28, [FIELD_FRAME_BACK] = 29,
		[FIELD_FRAME_CODE] = 30, [FIELD_FRAME_INSTR] = 31, [FIELD_FRAME_OWNER] = 33, [FIELD_CODE_SIZE] = 34,
		[FIELD_CODE_FILENAME] = 35, [FIELD_CODE_NAME] = 36, [FIELD_CODE_QUALNAME] = 37,
		[FIELD_CODE_LINES] = 38, [FIELD_CODE_FIRSTLINE] = 39, [FIELD_CODE_INSTR] = 43,
		[FIELD_OBJECT_SIZE] = 44, [FIELD_OBJECT_TYPE] = 45, [FIELD_BYTES_SIZE] = 65, [FIELD_BYTES_DATA] = 66,
		[FIELD_TEXT_SIZE] = 67, [FIELD_TEXT_STATE] = 68, [FIELD_TEXT_LENGTH] = 69, [FIELD_TEXT_ASCII] = 70,
	} },
	/* A reference in a frame has two low bits that say who owns it. */
	{ 14, 3, {
		[FIELD_INTERPRETERS] = 5, [FIELD_INTERP_SIZE] = 6, [FIELD_INTERP_NEXT] = 8, [FIELD_INTERP_THREADS] = 9,
		[FIELD_INTERP_GIL] = 15,
		[FIELD_THREAD_SIZE] = 22, [FIELD_THREAD_NEXT] = 24, [FIELD_THREAD_INTERP] = 25,
		[FIELD_THREAD_FRAME] = 26, [FIELD_THREAD_ID] = 27, [FIELD_FRAME_SIZE] = 31, [FIELD_FRAME_BACK] = 32,
		[FIELD_FRAME_CODE] = 33, [FIELD_FRAME_INSTR] = 34, [FIELD_FRAME_OWNER] = 36, [FIELD_CODE_SIZE] = 39,
		[FIELD_CODE_FILENAME] = 40, [FIELD_CODE_NAME] = 41, [FIELD_CODE_QUALNAME] = 42,
		[FIELD_CODE_LINES] = 43, [FIELD_CODE_FIRSTLINE] = 44, [FIELD_CODE_INSTR] = 48,
		[FIELD_OBJECT_SIZE] = 50, [FIELD_OBJECT_TYPE] = 51, [FIELD_BYTES_SIZE] = 75, [FIELD_BYTES_DATA] = 76,
		[FIELD_TEXT_SIZE] = 77, [FIELD_TEXT_STATE] = 78, [FIELD_TEXT_LENGTH] = 79, [FIELD_TEXT_ASCII] = 80,
		[FIELD_FRAME_COPY] = 38, [FIELD_CODE_COPIES] = 49,
	} },
};

/* NULL: not known; so are all before the final release, as their tables were others from one to the next. */
static const struct offset_words *words_of(uint64_t version)
{
	if ((version & RELEASE_LEVEL) != RELEASE_FINAL)
		return NULL;
	for (size_t i = 0; i < sizeof(offset_words) / sizeof(offset_words[0]); i++)
		if (version >> 24 == 3 && (version >> 16 & 0xff) == offset_words[i].minor)
			return &offset_words[i];
	return NULL;
}

/* Do the offsets lie within the structures that they are of? */
static bool layout_makes_sense(const uint64_t v[FIELD_NR], bool free_threaded)
{
	const uint64_t object = free_threaded ? OBJECT_BYTES_FREE : OBJECT_BYTES;
	static const struct {
		uint8_t of, from, to;
	} groups[] = {
		{ FIELD_INTERP_SIZE, FIELD_INTERP_NEXT, FIELD_INTERP_GIL },
		{ FIELD_THREAD_SIZE, FIELD_THREAD_NEXT, FIELD_THREAD_ID },
		{ FIELD_FRAME_SIZE, FIELD_FRAME_BACK, FIELD_FRAME_OWNER },
		{ FIELD_CODE_SIZE, FIELD_CODE_FILENAME, FIELD_CODE_FIRSTLINE },
	};

	for (size_t i = 0; i < FIELD_NR; i++)
		if (v[i] >= CPYTHON_NONE && i != FIELD_INTERP_SIZE)
			return false;
	for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); g++)
		for (uint8_t i = groups[g].from; i <= groups[g].to; i++)
			if (v[i] >= v[groups[g].of])
				return false;
	return v[FIELD_OBJECT_SIZE] == object && v[FIELD_OBJECT_TYPE] == object - 8 &&
	       v[FIELD_TEXT_SIZE] == v[FIELD_TEXT_ASCII] + TEXT_BYTES && v[FIELD_FRAME_SIZE] <= 256 &&
	       v[FIELD_TEXT_ASCII] && v[FIELD_BYTES_DATA] && !(v[FIELD_FRAME_CODE] & 7) &&
	       !(v[FIELD_FRAME_BACK] & 7) && !(v[FIELD_FRAME_INSTR] & 7) && !(v[FIELD_CODE_FIRSTLINE] & 3) &&
	       !(v[FIELD_CODE_QUALNAME] & 7) && v[FIELD_FRAME_COPY] < v[FIELD_FRAME_SIZE] &&
	       !(v[FIELD_FRAME_COPY] & 3) && v[FIELD_CODE_COPIES] < v[FIELD_CODE_SIZE];
}

/* Notes where copies of instructions are, where there may be some: neither place is the begin of anything. */
static void layout_copies(struct cpython_layout *l, const uint64_t v[FIELD_NR])
{
	const bool some = l->free_threaded && v[FIELD_FRAME_COPY] && v[FIELD_CODE_COPIES];

	l->frame_copy = some ? (uint16_t)v[FIELD_FRAME_COPY] : CPYTHON_NONE;
	l->code_copies = some ? (uint16_t)v[FIELD_CODE_COPIES] : CPYTHON_NONE;
}

int cpython_layout_read(const void *table, size_t length, struct cpython_layout *ret)
{
	const uint64_t *word = table;
	const struct offset_words *words;
	uint64_t v[FIELD_NR];

	if (length < CPYTHON_OFFSETS_BYTES || memcmp(table, OFFSETS_COOKIE, sizeof(OFFSETS_COOKIE) - 1))
		return -ENOENT;
	words = words_of(word[1]);
	if (!words)
		return -ENOTSUP;
	for (size_t i = 0; i < FIELD_NR; i++)
		v[i] = words->at[i] ? word[words->at[i]] : 0;
	if (!layout_makes_sense(v, word[FREE_THREADED]))
		return -EBADMSG;
	*ret = (struct cpython_layout){
		.version = CPYTHON_VERSION(3, words->minor), .lines = CPYTHON_LOCATIONS, .entry = CPYTHON_SHIM,
		.runtime_interpreters = (uint16_t)v[FIELD_INTERPRETERS], .interp_next = (uint16_t)v[FIELD_INTERP_NEXT],
		.interp_threads = (uint16_t)v[FIELD_INTERP_THREADS], .thread_next = (uint16_t)v[FIELD_THREAD_NEXT],
		.thread_interp = (uint16_t)v[FIELD_THREAD_INTERP], .thread_id = (uint16_t)v[FIELD_THREAD_ID],
		.thread_frame = (uint16_t)v[FIELD_THREAD_FRAME], .cframe_frame = CPYTHON_NONE,
		.code_tag = words->code_tag, .free_threaded = word[FREE_THREADED],
		.object_type = (uint16_t)v[FIELD_OBJECT_TYPE],
		.runtime_current = CPYTHON_NONE,
		.runtime_gil = CPYTHON_NONE, .interp_gil = (uint16_t)v[FIELD_INTERP_GIL],
		.interp_modules = v[FIELD_INTERP_MODULES] ? (uint16_t)v[FIELD_INTERP_MODULES] : CPYTHON_NONE,
		.type_keys = words->minor == 13 && !word[FREE_THREADED] ? TYPE_KEYS_13 : CPYTHON_NONE,
		.frame_code = (uint16_t)v[FIELD_FRAME_CODE], .frame_back = (uint16_t)v[FIELD_FRAME_BACK],
		.frame_instr = (uint16_t)v[FIELD_FRAME_INSTR], .frame_entry = (uint16_t)v[FIELD_FRAME_OWNER],
		.code_filename = (uint16_t)v[FIELD_CODE_FILENAME], .code_name = (uint16_t)v[FIELD_CODE_NAME],
		.code_qualname = (uint16_t)v[FIELD_CODE_QUALNAME], .code_firstline = (uint16_t)v[FIELD_CODE_FIRSTLINE],
		.code_lines = (uint16_t)v[FIELD_CODE_LINES], .code_instr = (uint16_t)v[FIELD_CODE_INSTR],
		.bytes_size = (uint16_t)v[FIELD_BYTES_SIZE], .bytes_data = (uint16_t)v[FIELD_BYTES_DATA],
		.text_length = (uint16_t)v[FIELD_TEXT_LENGTH], .text_state = (uint16_t)v[FIELD_TEXT_STATE],
		.text_ascii = (uint16_t)v[FIELD_TEXT_ASCII], .text_compact = (uint16_t)(v[FIELD_TEXT_ASCII] + 16),
	};
	layout_copies(ret, v);
	return 0;
}
