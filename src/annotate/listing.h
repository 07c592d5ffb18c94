/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * listing.h - reads the code of one function: its instructions, and the source lines from which
 * they were made. Its text is sanitised.
 *
 * It is read from the file behind a module, from debug information there or beside it, and from the
 * source files that this names: that may wait for a disk, so only threads that may hang call it. It
 * depends on no figures: they come from instruction_costs.h.
 */
#ifndef SBERF_ANNOTATE_LISTING_H
#define SBERF_ANNOTATE_LISTING_H

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/vec.h"
#include "model/dict.h"
#include "model/names.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define LISTING_CODE_MAX (256u << 10)    /* bytes of a function that are shown */
#define LISTING_NONE UINT32_MAX
#define LISTING_NAME_MAX 120u            /* bytes of the name of a function that are kept */

/* How files are come by. A call that hangs may be left behind: then it must not touch CTX any more. */
struct code_access {
	/*
	 * An fd in which frames of MODULE, of any kind but MODULE_KERNEL and MODULE_NOTE, are where
	 * their offsets say, proved to be that module; or a negative errno with a sentence.
	 */
	int (*open)(void *ctx, module_id module, struct err *e);
	/* The regular file that is PATH where the code of MODULE runs; an fd or a negative errno. */
	int (*open_source)(void *ctx, module_id module, const char *path);
	/*
	 * The root in which the path of MODULE means what it says (O_PATH); negative when that is
	 * ours. NULL = it always is.
	 */
	int (*open_root)(void *ctx, module_id module);
	void *ctx;
	const char *symfs;       /* directory in which debug files are looked up first; NULL = none */
};

/* Which function. */
struct listing_of {
	module_id module;
	uint8_t kind;            /* enum module_kind of the module */
	uint64_t start;          /* offset in the module */
	uint64_t size;           /* bytes */
	char path[PATH_MAX];     /* of the module, raw bytes */
	char name[LISTING_NAME_MAX];     /* what it is called, sanitised */
	/* the same of the inlined function that was asked for; "" = the function itself */
	char inlined[LISTING_NAME_MAX];
};

struct listing_insn {
	uint64_t address;        /* as objdump -d has it */
	uint32_t at;             /* bytes behind the start */
	uint32_t line;           /* in listing.line; LISTING_NONE = not known */
	const char *inlined;     /* the inlined function that it is of; NULL = the function itself */
	const char *text;
	uint8_t size;
	bool enters;             /* it goes into the kernel */
};

struct listing_line {
	uint32_t file, number;
	const char *text;        /* NULL = there is no source */
	bool code;               /* instructions were made of it; else it stands by for context */
};

struct listing_file {
	const char *path;        /* sanitised */
	const char *why;         /* why it is not shown; NULL = it is */
	bool newer;              /* it was changed after the program was built */
};

struct listing {
	atomic_uint refs;
	struct arena text;
	struct listing_of of;
	uint32_t size;                   /* bytes that were read, of of.size */
	VEC(struct listing_insn) insn;   /* by address */
	VEC(struct listing_line) line;   /* by file and number, those of the function's own file first */
	VEC(struct listing_file) file;   /* that of the function first */
	uint32_t *place;                 /* by byte: its instruction */
	char why_no_code[ERR_TEXT_MAX], why_no_lines[ERR_TEXT_MAX];      /* "" = there is some */
	char lacks[ERR_TEXT_MAX];        /* what of its debug information is missing; "" = nothing that is known */
};

/*
 * Reads it; *STOP ends that early. What could not be read is said in it. On success *RET is the
 * caller's; -ENOMEM, or -ECANCELED.
 */
int listing_read(const struct code_access *access, const struct listing_of *of, const _Atomic bool *stop,
		 struct listing **ret, struct err *e);
/* Another reference to L, which it returns; any thread. The last listing_free() frees it. */
struct listing *listing_ref(struct listing *l);
void listing_free(struct listing *l);            /* NULL is fine */

/* The source of the function itself was found. */
bool listing_has_source(const struct listing *l);

DEFINE_AUTO(listing_free, struct listing);

#endif
