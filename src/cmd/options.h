/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * options.h - the command line as a value.
 *
 * One table (options.c) describes every option; parsing, --help, man pages and completion read it. Commands see only this.
 */
#ifndef SBERF_CMD_OPTIONS_H
#define SBERF_CMD_OPTIONS_H

#include "base/err.h"
#include "base/parse.h"
#include "capture/source.h"
#include "profile/query.h"

#include <stdbool.h>
#include <stdint.h>

enum opt_target {
	OPT_TARGET_NONE,         /* none was given */
	OPT_TARGET_PIDS,         /* -p */
	OPT_TARGET_TIDS,         /* -t */
	OPT_TARGET_NAME,         /* -n */
	OPT_TARGET_CGROUP,       /* --cgroup */
	OPT_TARGET_ALL,          /* -a */
	OPT_TARGET_COMMAND,      /* -- COMMAND */
};

enum opt_format {
	FORMAT_NONE,             /* not given: the command decides */
	FORMAT_TREE,
	FORMAT_FOLDED,
	FORMAT_SUMMARY,
	FORMAT_WAITS,
};

struct options {
	const char *command_name;        /* "top", "record", ... */
	char *cmdline;                   /* the whole command line, quoted for a shell; owned */

	/* TARGET */
	enum opt_target target;
	u32_vec ids;                     /* -p or -t */
	const char *name;                /* -n */
	const char *cgroup;              /* --cgroup */
	char *const *argv;               /* -- COMMAND ARGS..., NULL-terminated */

	/* CAPTURE */
	uint32_t freq_hz;                /* -F, 99 */
	enum capture_event event;        /* -e, EVENT_AUTO */
	u32_vec cpus;                    /* -C, empty = all */
	bool kernel;                     /* --kernel / --no-kernel, true */
	uint32_t stack_bytes;            /* --stack-size, 32 KiB */
	bool stack_fixed;                /* --stack-size was given */
	bool frame_pointers;             /* --call-graph fp */
	uint64_t ring_bytes;             /* --ring-size, 0 = default */
	uint64_t delay_ns;               /* --delay, 0 */
	bool off_cpu;                    /* --off-cpu / --no-off-cpu, true */
	bool wakers;                     /* --wakers, false */
	uint64_t min_block_ns;           /* --min-block, 0; capturing: shorter waits are only counted; report: left out */

	/* What is shown (top, report) */
	uint32_t kinds;                  /* --metric: bit mask for query.kinds; 0 = not given */
	uint32_t states;                 /* --state: bit mask of 1 << enum wait_state, 0 = all */
	const char *syscalls;            /* --syscall NAME[,NAME...], NULL = all; which they are: cmd/filter.h */
	const char *thread;              /* --thread PATTERN, NULL = all */
	bool hide_idle;                  /* --hide-idle (report) */

	/* top */
	uint64_t refresh_ns;             /* -d, 1 s */

	/* record, report */
	const char *output;              /* -o; NULL = sberf.data for record, stdout for report */
	uint64_t duration_ns;            /* --duration, 0 = until stopped */
	const char *input;               /* -i FILE or FILE; NULL = sberf.data */
	enum opt_format format;          /* --format */
	enum group_by group_by;          /* --group-by, GROUP_COMM for folded, GROUP_PROCESS else */
	bool group_given;

	/* symbols */
	const char *symfs;               /* --symfs, NULL = none */
	bool debuginfod;                 /* --debuginfod */
	bool no_inline;                  /* --no-inline */

	/* screen */
	bool ascii, no_color;            /* --ascii, --no-color */
};

/* options_parse() returns it when --help was met: print the help and end; nothing behind it was looked at. */
#define OPTIONS_HELP 1
#define OPTIONS_VERSION 2        /* the same for --version */

/*
 * Parses ARGV of the command COMMAND_NAME (argv[0] is the command's name). Returns 0, OPTIONS_HELP, OPTIONS_VERSION, or a negative errno with a
 * sentence for a usage error. Pointers in RET reach into ARGV. Ends with options_free() in any case.
 */
int options_parse(const char *command_name, int argc, char **argv, struct options *ret, struct err *e);
void options_free(struct options *o);

/*
 * Commands (src/cmd/NAME.c): the exit status, or a negative errno (exit status 1). A sentence in E is printed in both cases:
 * `record -- CMD` returns 127 with one when CMD cannot be found.
 */
int cmd_top(const struct options *o, struct err *e);
int cmd_record(const struct options *o, struct err *e);
int cmd_report(const struct options *o, struct err *e);
int cmd_doctor(const struct options *o, struct err *e);

#endif
