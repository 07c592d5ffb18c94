/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * optable.h - the only description of commands and options.
 *
 * Parsing (options.c), --help (help.c), man pages and shell completion (docs/generate.c, run during
 * the build) read these tables, so they cannot disagree. Texts are plain: no markup, no trailing
 * newline.
 */
#ifndef SBERF_CMD_OPTABLE_H
#define SBERF_CMD_OPTABLE_H

#include "cmd/options.h"

#include <stddef.h>
#include <stdint.h>

/* Which commands take an option. */
enum {
	CMD_TOP = 1 << 0,
	CMD_RECORD = 1 << 1,
	CMD_REPORT = 1 << 2,
	CMD_DOCTOR = 1 << 3,
	CMD_CHECK = 1 << 4,
	CMD_MERGE = 1 << 5,
	CMD_DIFF = 1 << 6,
	CMD_LIST = 1 << 7,
	CMD_TRACE = 1 << 8,
	CMD_SYMBOLIZE = 1 << 9,
	CMD_BPF = 1 << 10,
	CMD_BRANCHES = 1 << 11,
	CMD_SERVE = 1 << 12,
	CMD_AGENT = 1 << 13,
	CMD_SERVING = CMD_SERVE | CMD_AGENT,             /* which answer over HTTP */
	CMD_CAPTURING = CMD_TOP | CMD_RECORD | CMD_SERVING,
	CMD_UNWINDING = CMD_CAPTURING | CMD_TRACE,       /* which take stacks of what runs */
	CMD_TARGETING = CMD_UNWINDING | CMD_BRANCHES,    /* which look at what runs, or begin a command */
	CMD_READING = CMD_REPORT | CMD_DIFF,
	CMD_SHOWING = CMD_TOP | CMD_READING | CMD_SERVE, /* which choose what is shown */
	CMD_ALL = CMD_TOP | CMD_RECORD | CMD_READING | CMD_DOCTOR | CMD_CHECK | CMD_MERGE | CMD_LIST |
		  CMD_TRACE | CMD_SYMBOLIZE | CMD_BPF | CMD_BRANCHES | CMD_SERVING,
};

struct command_info {
	const char *name;
	uint32_t bit;                    /* one of CMD_* */
	const char *synopsis;            /* after "sberf NAME" */
	const char *summary;             /* one line, lower case, for lists */
	const char *const *text;         /* paragraphs, NULL-terminated */
	const char *const *examples;     /* pairs of command line and what it does, NULL-terminated */
};

extern const struct command_info command_infos[];
extern const size_t nr_command_infos;

/* The type of an option's value, and of the field that receives it. */
enum opt_type {
	OPT_HELP,                /* --help: no field */
	OPT_VERSION,             /* --version: no field */
	OPT_FLAG,                /* no value; bool, set to .min != 0 */
	OPT_SET,                 /* no value; a 4-byte enum, set to .min */
	OPT_NUMBER,              /* uint32_t, .min to .max */
	OPT_TIME,                /* uint64_t ns, .min to .max */
	OPT_CLOCK,               /* a moment: uint64_t ns since 1970, at most .max from now */
	OPT_SIZE,                /* uint64_t bytes, .min to .max */
	OPT_SIZE32,              /* uint32_t bytes, .min to .max */
	OPT_PIXELS,              /* double, .min to .max */
	OPT_PERCENT,             /* double, percent, .min to .max */
	OPT_PERCENT_OR_NONE,     /* the same, or PERCENT_NONE for "none" */
	OPT_LIST,                /* u32_vec, .min to .max, with ranges */
	OPT_IDS,                 /* the same without ranges */
	OPT_CHOICE,              /* a 4-byte enum or mask, one of .choices */
	OPT_SWITCH,              /* bool, one of .choices */
	/* const struct exporter *, one of those offered to .min (enum exporter_user) */
	OPT_FORMAT,
	OPT_MEASURES,            /* measure_mask, by names with commas, or one of .choices for several */
	OPT_STATES,              /* uint32_t mask of 1 << enum wait_state, by letters or names with commas */
	OPT_TEXT,                /* const char *, not empty unless .min is 1 */
	OPT_FILE,                /* the same, a file */
	OPT_TEXTS,               /* text_vec of non-empty texts: the option may be repeated */
	OPT_FILES,               /* the same, a file */
	OPT_DIR,                 /* the same, a directory */
};

struct opt_choice {
	const char *name;        /* NULL ends the list */
	uint32_t value;
};

enum opt_section {
	SECTION_TARGET,
	SECTION_CAPTURE,
	SECTION_FILTER,
	SECTION_SYMBOLS,
	SECTION_OUTPUT,
	SECTION_OTHER,
	NR_SECTIONS,
};

extern const char *const section_titles[NR_SECTIONS];

struct opt {
	char letter;                     /* '\0' = none */
	enum opt_type type;
	enum opt_section section;
	uint32_t commands;               /* CMD_* */
	enum opt_target target;          /* the target it selects; OPT_TARGET_NONE = it selects none */
	bool positional;                 /* an argument without option is its value */
	const char *name;                /* without "--" */
	const char *metavar;             /* "HZ"; NULL for flags */
	const char *what;                /* names the value in sentences: "rate" */
	size_t at;                       /* the field in struct options */
	size_t given;                    /* a bool there that is set when the option is given; 0 = none */
	uint64_t min, max;
	const struct opt_choice *choices;
	const char *bare;                /* of OPT_CHOICE: what it is without a value; NULL = it needs one */
	const char *fallback;            /* the default, as a user would write it; NULL = none */
	const char *help;                /* lower case, one line for --help */
	const char *more;                /* further sentences for the man page; NULL = none */
};

extern const struct opt opts[];
extern const size_t nr_opts;

#define OPT_VALUE_MAX 192

/*
 * How help shows the value of OPT: its choices, "fallback|force|fp|dwarf", or its metavar. Not for
 * flags. Returns DST.
 */
const char *opt_value(const struct opt *opt, char dst[OPT_VALUE_MAX]);

/* The NR-th word that OPT accepts, counted from 0, its own choices first; NULL = no more. */
const char *opt_word(const struct opt *opt, unsigned int nr);
/* Writes all words of OPT, "on-cpu|blocked|...", to DST of SIZE bytes. Returns DST. */
const char *opt_words(const struct opt *opt, char *dst, size_t size);
/* The mask for the LEN bytes at NAME, one name of an OPT_MEASURES; 0 = unknown. */
measure_mask opt_measures(const struct opt *opt, const char *name, size_t len);

/* The command called NAME; NULL when there is none. */
const struct command_info *command_find(const char *name);

#endif
