/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * options.h - the command line as a value.
 *
 * One table (optable.c) describes every option; parsing, --help, man pages and completion read it.
 * Commands see only struct options.
 */
#ifndef SBERF_CMD_OPTIONS_H
#define SBERF_CMD_OPTIONS_H

#include "base/err.h"
#include "base/parse.h"
#include "base/vec.h"
#include "capture/source.h"
#include "export/exporter.h"
#include "import/import.h"
#include "query/query.h"
#include "query/treediff.h"

#include <stdbool.h>
#include <stdint.h>

enum opt_target {
	OPT_TARGET_NONE,         /* no target given */
	OPT_TARGET_PIDS,         /* -p */
	OPT_TARGET_TIDS,         /* -t */
	OPT_TARGET_NAME,         /* -n */
	OPT_TARGET_CGROUP,       /* --cgroup */
	OPT_TARGET_CONTAINER,    /* --container */
	OPT_TARGET_ALL,          /* -a */
	OPT_TARGET_REPLAY,       /* --replay: a raw capture instead of a live target */
	OPT_TARGET_COMMAND,      /* -- COMMAND */
};

/* How stacks are unwound. */
enum opt_call_graph {
	CALL_GRAPH_FALLBACK,             /* unwind tables, and frame pointers where there are none */
	CALL_GRAPH_FORCE,                /* unwind tables only */
	CALL_GRAPH_FP,                   /* frame pointers, followed by the kernel */
	CALL_GRAPH_OFF,                  /* no callers: only the innermost function */
	CALL_GRAPH_LBR,                  /* by branch records of the CPU */
};

enum opt_unwind {
	UNWIND_AUTO,             /* in the kernel; from copies where the kernel refuses that program */
	UNWIND_KERNEL,
	UNWIND_COPY,
};

typedef VEC(const char *) text_vec;

/* Where branches come from. */
enum branch_way {
	BRANCHES_AUTO,           /* the cheapest way there is */
	BRANCHES_LBR,            /* records of the CPU */
	BRANCHES_GRAPH,          /* what a function of the kernel calls */
	BRANCHES_STEP,           /* probes in the function */
};

/* How memory is followed. */
enum memory_level {
	MEMORY_OFF,
	MEMORY_GROWTH,           /* the kernel tells what makes it resident */
	MEMORY_ALLOCS,           /* functions that allocate it are probed */
	MEMORY_PRELOAD,          /* the target samples it, by itself or by a library of ours */
};

struct options {
	const char *command_name;        /* "top", "record", ... */
	char *cmdline;                   /* the whole command line, quoted for a shell; owned */

	/* TARGET */
	enum opt_target target;
	u32_vec ids;                     /* -p or -t */
	const char *name;                /* -n */
	bool wait;                       /* --wait */
	const char *cgroup;              /* --cgroup */
	const char *container;           /* --container */
	char *const *argv;               /* -- COMMAND ARGS..., NULL-terminated */

	/* CAPTURE */
	uint32_t freq_hz;                /* -F, 99 */
	enum capture_event event;        /* -e, EVENT_AUTO */
	u32_vec cpus;                    /* -C, empty = all */
	bool kernel;                     /* --kernel / --no-kernel, true */
	uint32_t stack_bytes;            /* --stack-size, 32 KiB */
	bool stack_fixed;                /* --stack-size was given */
	enum opt_call_graph call_graph;  /* --call-graph, CALL_GRAPH_FALLBACK */
	enum opt_unwind unwind;          /* --unwind, UNWIND_AUTO */
	uint32_t verify_every;           /* --verify-unwind, 0 = off */
	uint64_t ring_bytes;             /* --ring-size, 0 = default */
	uint64_t store_bytes;            /* --store-size, 0 = default */
	uint64_t delay_ns;               /* --delay, 0 */
	uint64_t at_real_ns;             /* --at (record), CLOCK_REALTIME; 0 = at once */
	bool off_cpu;                    /* --off-cpu / --no-off-cpu, true */
	bool wakers;                     /* --wakers, false */
	bool kernel_locks;               /* --kernel-locks, false */
	bool every_wait;                 /* --every-wait, false */
	enum numa_wish numa;             /* --numa / --no-numa: sample where accesses and page faults go */
	text_vec probes;                 /* --probe SPEC; may be repeated */
	bool split, no_split;            /* --split; --no-split */
	const char *raw_capture;         /* --raw-capture FILE (record), NULL = none */
	const char *replay;              /* --replay FILE (record), NULL = capture */
	/* --min-block, 0; while capturing shorter waits are counted only; reports leave them out */
	uint64_t min_block_ns;
	text_vec allocators;             /* --allocator FILE:FUNCTION=malloc; may be repeated */
	uint32_t every, max_rate;        /* of hits of probes; 0 = all */
	enum memory_level memory;        /* --memory, MEMORY_OFF */
	uint64_t older_ns, min_bytes;    /* --older, --min-bytes (report), 0 = none */
	uint32_t sample_bytes;           /* --sample-bytes; 0 = that of the level of --memory */
	bool yes;                        /* --yes: probes in programs may be placed in every process */
#define PERCENT_NONE (-1.0)
	double budget;                   /* --budget, percent of one CPU; PERCENT_NONE = none */

	/* What is shown (top, report) */
	measure_mask measures;           /* --metric: as query.measures; 0 = not given */
	uint8_t lead;                    /* the first that it names: as query.lead */
	uint32_t states;                 /* --state: bit mask of 1 << enum wait_state, 0 = all */
	/* --syscall NAME[,NAME...], NULL = all; looked up in cmd/filter_options.h */
	const char *syscalls;
	text_vec focus, ignore;          /* --focus, --ignore REGEX; may be repeated */
	text_vec threads, processes;     /* --thread, --process PATTERN; may be repeated */
	text_vec sizes;                  /* --size SIZE[,SIZE...]; may be repeated */
	text_vec cgroups;                /* --cgroup PATH (report, diff); may be repeated */
	text_vec containers;             /* --container TEXT; the same */
	text_vec hosts;                  /* --host NAME; the same */
	const char *time;                /* --time FROM,TO: query/timerange.h; NULL = all */
	u32_vec nodes;                   /* --node LIST, empty = all */
	bool by_node;                    /* --by-node */
	bool holders, by_holder;         /* --holders, --by-holder */
	const char *critical_path;       /* --critical-path SPAN (report), NULL = none */
	uint32_t slowest;                /* --slowest, 0 = all */
	const char *span;                /* --span SPEC: a probe, NULL = the only one that takes time */
	bool inside, outside;            /* --inside, --outside */
	const char *span_above, *span_below;     /* --span-above, --span-below: pNN or a time; NULL */
	bool span_diff;                  /* --span-diff (top, report) */
	bool far;                        /* --far; while capturing it implies NUMA_ON, except with --no-numa */
	bool hide_idle;                  /* --hide-idle (report) */

	/* top */
	uint64_t refresh_ns;             /* -d, 1 s */
	bool batch;                      /* -b */
	uint32_t iterations;             /* --iterations, -n with a number; 0 = until the end */

	/* top, record, report */
	const char *output;              /* -o; NULL = sberf.data for record, stdout for report */
	uint64_t keep_ns;                /* --keep, 0 = record everything (record), or nothing (top) */
	/* --max-size, 0 = one file, or with --keep the default memory (record) */
	uint64_t max_bytes;
	uint32_t max_files;              /* --max-files, 10 */
	bool max_files_given;
	uint64_t duration_ns;            /* --duration, 0 = until stopped */
	const char *input;               /* -i FILE or FILE; NULL = sberf.data */
	text_vec files;                  /* -i FILE or FILE, several (check, merge); empty = sberf.data */
	enum import_format import;       /* --import: format of the input, IMPORT_NONE = a recording */
	const char *imported_event;      /* --event of --import perf-script, NULL = that of the first sample */
	const struct exporter *format;   /* --format, NULL = not given; diff too */
	enum group_by group_by;          /* --group-by, when GROUP_GIVEN */
	bool group_given;
	bool inverted;                   /* --inverted (report) */
	const char *title;               /* --title, NULL = what was recorded */
	double min_width;                /* --min-width px, 0.5 */
	bool min_width_given;
	bool upwards;                    /* --orientation flame */
	bool upwards_given;
	bool no_script;                  /* --no-script */

	/* diff */
	const char *before, *after;      /* the two recordings; never NULL */
	enum diff_norm norm;             /* --normalize, DIFF_BY_TOTAL */
	double percent_limit;            /* --percent-limit, 0; report and top too */
	bool percent_given;
	uint32_t depth;                  /* --depth, 0 = all; report and top too */
	double fail_above;               /* --fail-above, when FAIL_GIVEN */
	bool fail_given;

	/* trace */
	bool trace_stacks;               /* -k */
	bool trace_sums;                 /* -s */
	bool trace_sums_only;            /* -S */
	uint32_t trace_json;             /* --format json (trace, symbolize, bpf) */
	uint64_t watch_ns;               /* -d (bpf), 1 s */
	const char *elf;                 /* -e (symbolize), NULL = not given */
	const char *serve, *remote;      /* --serve, --remote (symbolize); the same */
	text_vec addresses;              /* ADDRESS and BUILD-ID (symbolize) */

	/* serve, agent */
	const char *listen, *socket;     /* --listen, --socket; NULL = not given */
	const char *prefix_file;         /* --prefix-file; the same */
	double max_cpu;                  /* --max-cpu (agent), percent of one CPU; PERCENT_NONE = none */
	text_vec when;                   /* --when (top, record, agent) */
	const char *push;                /* --push (agent), NULL = nowhere */
	const char *push_ca;             /* --push-ca; the same */
	const char *push_headers;        /* --push-headers; the same */
	text_vec labels;                 /* --label NAME=VALUE; may be repeated */

	/* branches */
	text_vec branches_of;            /* SPEC; may be repeated */
	const char *part;                /* --part CONDITION, NULL = none */
	bool branch_count, branch_disasm, branch_lines, branch_stacks;   /* --count, --disasm, --lines, --stacks */
	bool branch_any, branch_calls, branch_returns;   /* --any, --calls, --returns */
	bool branch_entry, branch_exit;  /* --entry, --exit */
	text_vec branch_print;           /* --print, one each */
	const char *branch_record;       /* --record: a recording of the calls; NULL */
	uint32_t last;                   /* --last N, 0 = all, while they happen */
	uint32_t how;                    /* --how, enum branch_way */

	/* symbols */
	const char *complete;            /* --complete, NULL = none */
	const char *symfs;               /* --symfs, NULL = none */
	bool debuginfod;                 /* --debuginfod */
	text_vec plugins;                /* --plugin FILE; may be repeated */
	bool plugin_in_process;          /* --plugin-in-process */
	bool no_plugins;                 /* --no-plugins */
	bool no_inline;                  /* --no-inline */
	bool no_libraries;               /* --no-libraries */
	uint32_t scripts;                /* --python, enum script_view */
	bool fold_recursion;             /* --fold-recursion */
	bool short_names;                /* --short-names */

	/* screen */
	bool ascii, no_color;            /* --ascii, --no-color */
	bool verbose;                    /* --verbose */
};

/*
 * Returned by options_parse() for --help: print the help and exit. Later arguments were not looked
 * at.
 */
#define OPTIONS_HELP 1
#define OPTIONS_VERSION 2        /* the same for --version */

/*
 * Parses ARGV of the command COMMAND_NAME (argv[0] is the command's name). Returns 0, OPTIONS_HELP,
 * OPTIONS_VERSION, or a negative errno with a sentence for a usage error. Pointers in RET point
 * into ARGV. Call options_free() in any case.
 */
int options_parse(const char *command_name, int argc, char **argv, struct options *ret, struct err *e);
void options_free(struct options *o);

/*
 * The output format for USER: that of --format, else the one that the name of the output file
 * means, else the tree.
 */
const struct exporter *options_exporter(const struct options *o, enum exporter_user user);

/*
 * Commands (src/cmd/NAME.c) return the exit status, or a negative errno (exit status 1). A sentence
 * in E is printed in both cases: `record -- CMD` returns 127 with one when CMD cannot be found, and
 * `diff --fail-above` EXIT_GREW when a function grew.
 */
#define EXIT_GREW 3

int cmd_top(const struct options *o, struct err *e);
int cmd_record(const struct options *o, struct err *e);
int cmd_report(const struct options *o, struct err *e);
int cmd_merge(const struct options *o, struct err *e);
/* The same in a process that goes on afterwards, and keeps its rights. */
int merge_recordings(const struct options *o, struct err *e);
int cmd_check(const struct options *o, struct err *e);
int cmd_diff(const struct options *o, struct err *e);
int cmd_doctor(const struct options *o, struct err *e);
int cmd_list(const struct options *o, struct err *e);
int cmd_trace(const struct options *o, struct err *e);
int cmd_symbolize(const struct options *o, struct err *e);
int cmd_bpf(const struct options *o, struct err *e);
int cmd_branches(const struct options *o, struct err *e);
int cmd_serve(const struct options *o, struct err *e);
int cmd_agent(const struct options *o, struct err *e);

#endif
