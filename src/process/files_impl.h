/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * files_impl.h - the inside of the table of files.
 *
 * Two entries may turn out to be one file: then the younger points at the elder (`same`). The lock
 * guards what files_open() reads from other threads: the table by module, and of an entry its
 * place, mark, identity and kept fd.
 */
#ifndef SBERF_PROCESS_FILES_IMPL_H
#define SBERF_PROCESS_FILES_IMPL_H

#include "base/hash.h"
#include "process/files.h"

#include <pthread.h>

enum life { LIFE_IDLE, LIFE_LOADING, LIFE_READY, LIFE_NOT_ELF, LIFE_FAILED, LIFE_SPECIAL, LIFE_PROBES };

struct file {
	enum life life;
	enum module_kind kind;
	bool is_path_key;        /* a kernel-made page: equal by name */
	bool marked;             /* a sweep found it mapped */
	bool outdated;           /* the file has been written to since: its inode is that of a younger entry */
	struct file_id id;
	struct place place;
	struct file_mark mark;
	uint64_t looked_ns;      /* when it was last seen to be as MARK says */
	int kept_fd;             /* of a deleted file, else -1 */
	uint64_t kept_at;        /* order in which fds were kept */
	module_id module;        /* ID_NONE until it is known or needed */
	uint64_t born;           /* order in which entries were made */
	uint32_t edition;        /* how often its file had been written to */
	/* by which paths it was run while it had no module yet: one, and another one; 0 = none */
	str_id run_as[2];
	backing_id same;         /* the entry that stands for this one, else BACKING_NONE */
	struct image *image;
	/*
	 * Of a jitdump file (place.dump), which grows: what it said when it was last read, and when
	 * that may be done again.
	 */
	struct made_code *made;
	bool read_once;
	/* again, or compared again: the loader still has it, so it may not go, whatever else it is */
	bool reading;
	uint64_t began_ns, again_ns;
	uint64_t failed_ns;
	bool new_place;          /* mapped elsewhere since the last load began: worth another try */
	/*
	 * Of memory that may be moved text, which has place.moved; READY = it is. It is in no index
	 * and has no module and no image of its own.
	 */
	backing_id of, otherwise;
	uint64_t moved_offset, compared_ns;
};

struct files {
	struct dict *dict;
	struct loader *loader;
	VEC(struct file *) entry;        /* NULL = free */
	VEC(backing_id) unused;
	VEC(backing_id) by_module;       /* BACKING_NONE = no file of this table */
	struct hidx by_build_id, by_inode;
	pthread_mutex_t lock;
	backing_id vdso;                 /* our own, BACKING_NONE until it was seen somewhere */
	uint32_t used, crowd;
	uint32_t kept;
	uint64_t kept_seq, births;
	uint64_t loads, failures;
	struct unread unread;            /* of which call-frame information cannot be used */
	uint32_t hung;                   /* comparisons that did not come back */
	size_t image_bytes;
	size_t image_limit;              /* so many of them make a sweep worthwhile */
};

#endif
