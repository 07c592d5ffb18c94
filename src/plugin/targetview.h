/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * targetview.h - an observed process as plug-ins may see it: bounded reads of its memory, what it has mapped,
 * its symbols, and the file in which its run-time compiler tells of functions.
 *
 * Everything is read through a handle of /proc/PID that is of that very process and is closed when the
 * call of the plug-in ends; what belongs to another program, which the process has executed since, is
 * refused. What is read of memory is counted, within a call and within a second.
 */
#ifndef SBERF_PLUGIN_TARGETVIEW_H
#define SBERF_PLUGIN_TARGETVIEW_H

#include <sberf/plugin.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "plugin/message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PLUGIN_READS_PER_SECOND 100000u  /* of one process */
#define PLUGIN_MAPPINGS_MAX 65536u

/* Where a process is looked at, by whoever knows it. Its functions may wait for files, and are called by any thread. */
struct plugin_source {
	pid_t pid;
	uint64_t start_ns;
	/* A handle of /proc/PID, while that is the process; -ESRCH. NULL = it cannot be looked at. */
	int (*process)(void *ctx, uint32_t id);
	/* What SBERF_FILE_NAMES is, with the user who must own it (or root). An fd or a negative errno. NULL = none. */
	int (*names)(void *ctx, uint32_t id, uid_t *ret_owner);
	void *ctx;
	uint32_t id;                 /* what CTX calls it */
};

/* How symbols of ELF files are found; FD is borrowed. False: there is none. */
struct plugin_elf {
	/* Of those that it exports; with ALL of others, too, for which all of them may have to be read. */
	bool (*symbol)(int fd, const char *name, bool all, uint64_t *ret_vaddr, uint64_t *ret_size);
	/* The virtual address at OFFSET of the file. */
	bool (*vaddr)(int fd, uint64_t offset, uint64_t *ret);
};

struct plugin_target_map {
	uint64_t start, end, offset;
	uint32_t flags;              /* SBERF_MAPPED_* */
	uint32_t path;               /* in texts */
	uint64_t dev, ino;
	uint64_t bias;               /* of the first part of a file, once it is BIASED: what target_bias() says */
	bool biased;
	int fd;                      /* of the first part of a file: the file, of the call that runs; -1 = not opened */
};

struct plugin_target {
	struct plugin_source source;
	const struct plugin_elf *elf;
	int dir, mem;                /* of the call that runs; -1 = not opened */
	uint32_t reads;              /* in it */
	uint32_t reads_in_second;
	uint64_t second_ns;          /* when that second began */
	dev_t exe_dev;               /* of the program that was attached to; 0 = none yet */
	ino_t exe_ino;
	bool mapped;                 /* the mappings have been read */
	VEC(struct plugin_target_map) map;
	uint32_t nr_files;           /* that are open of it */
	VEC(char) texts;
	/* Counted, and taken by whoever shows them. */
	uint64_t refused;            /* things that the process tells and that make no sense */
	uint64_t refused_files;      /* of the wrong owner or kind, or too large */
};

void plugin_target_init(struct plugin_target *t, const struct plugin_source *source, const struct plugin_elf *elf);
void plugin_target_clear(struct plugin_target *t);

/* Fills *RET for attach, as far as it is known. -ESRCH when the process has ended or cannot be looked at. */
int plugin_target_describe(struct plugin_target *t, struct plugin_process_body *ret);

/* Before and after each call of a plug-in. */
void plugin_target_begin(struct plugin_target *t);
void plugin_target_end(struct plugin_target *t);

/* What struct sberf_host has, of T. */
int plugin_target_read(struct plugin_target *t, uint64_t address, void *buf, size_t length);
int plugin_target_mapped(struct plugin_target *t, size_t i, struct plugin_mapped_body *ret);
int plugin_target_symbol(struct plugin_target *t, const char *module, const char *name, uint64_t *ret_address,
			 uint64_t *ret_size);
int plugin_target_file(struct plugin_target *t, uint32_t which);

/* What it has mapped is read again when it is next asked for. */
void plugin_target_remap(struct plugin_target *t);

#endif
