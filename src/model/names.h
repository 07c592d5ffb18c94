/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names.h - keeps the names of frames: functions, inlined calls, files and lines, by frame id.
 *
 * One thread adds (the symbolizer, or the reader of a recording); any thread reads without locks. A
 * frame has no names at first, then perhaps names from a symbol table, then perhaps better ones
 * from debug information: names_get() gives the best so far, and what it gave stays valid until
 * names_free(). Text is raw bytes from foreign files: sanitise on output.
 */
#ifndef SBERF_MODEL_NAMES_H
#define SBERF_MODEL_NAMES_H

#include "base/cleanup.h"
#include "base/strtab.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t func_id;

enum func_kind {                 /* numbers are in recordings: append only */
	FUNC_USER = 0,
	FUNC_KERNEL = 1,
	FUNC_JIT = 2,
	FUNC_NOTE = 3,           /* "[cut: ...]", "(other)" */
	FUNC_SCRIPT = 4,         /* of an interpreted language */
};

struct func {
	str_id name;             /* demangled, raw bytes */
	module_id module;
	uint64_t start, size;    /* place in the module (dict.h offsets); size 0 = unknown. Inlined functions: 0, 0 */
	uint8_t kind;            /* enum func_kind */
};

struct name {
	func_id func;
	str_id file;             /* "" = unknown */
	uint32_t line;           /* 0 = unknown */
};

struct frame_names {
	uint16_t n;              /* >= 1 */
	bool detailed;           /* debug information was consulted: this is final */
	struct name name[];      /* innermost first: name[0 .. n-2] are inlined, name[n-1] is the function itself */
};

struct names;

struct names *names_new(void);                   /* NULL when out of memory */
void names_free(struct names *ns);               /* NULL is fine */

/* Readers. NULL = no name known (yet). */
const struct frame_names *names_get(const struct names *ns, frame_id frame);
const struct func *names_func(const struct names *ns, func_id id);
const char *names_text(const struct names *ns, str_id id);
/* Whether F has no name of its own: it is called by its file and the place where it starts, "dash+0x4700". */
bool names_by_place(const struct names *ns, const struct func *f);
uint32_t names_funcs(const struct names *ns);    /* count: ids are below */
uint32_t names_strings(const struct names *ns);
/* Grows by one with every names_set(): a view that saw it unchanged need not ask again. */
uint64_t names_generation(const struct names *ns);
/*
 * The frame that the names_set() which took the generation from AT to AT + 1 was for; AT must be
 * below one that was seen.
 */
frame_id names_changed(const struct names *ns, uint64_t at);

/* Writer. ID_NONE / STR_NONE / -ENOMEM when out of memory. Equal functions have one id. */
str_id names_add_text(struct names *ns, const char *s, size_t len);
func_id names_add_func(struct names *ns, const struct func *f);
/* Replaces what FRAME is called by N names (1 to 1000), innermost first. At most PAGES_MAX times: then -ENOMEM, too. */
int names_set(struct names *ns, frame_id frame, const struct name *name, uint16_t n, bool detailed);

size_t names_bytes(const struct names *ns);

DEFINE_AUTO(names_free, struct names);

#endif
