/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * open.h - opens the file behind a mapping, and never trusts a name.
 *
 * A *place* is where a file was seen mapped; it offers several ways to the file (map_files, the
 * path under the process's root, the path under our own, the process's exe), since each of them
 * fails in some common case. What is found must prove that it is the file that is mapped: by its
 * build-id when the kernel gave one with the mapping, else by device and inode. A file that cannot
 * prove it is a failure with a reason and never used.
 *
 * Opening never follows a path to anything but a regular file, and never waits for a FIFO or
 * touches a device. It may still wait for a file system that does not answer: only threads that may
 * hang call this.
 */
#ifndef SBERF_PROCESS_OPEN_H
#define SBERF_PROCESS_OPEN_H

#include "base/err.h"
#include "model/raw.h"
#include "process/moved.h"
#include "process/root.h"
#include "unwind/image.h"
#include "unwind/made.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct file_id {
	uint8_t build_id_len;    /* 0 = unknown */
	uint8_t build_id[BUILD_ID_MAX];
	uint64_t dev, ino;       /* as the kernel showed them with the mapping; ino 0 = unknown */
	uint64_t generation;     /* of the inode; 0 = unknown */
};

struct place {
	pid_t pid;
	uint64_t start, end;     /* of the mapping */
	char *path;              /* as shown with the mapping, " (deleted)" included; owned */
	struct root *root;       /* of the process, NULL = unknown; a reference is owned */
	bool dump;               /* a jitdump file, by its name: what it says of unwinding is wanted, if it is one */
	/* of the process, to be compared with the file; end 0 = none: the file is what is wanted */
	struct moved moved;
};

/* What a file looked like when it had proved its identity, so that it is recognised without reading it again. */
struct file_mark {
	bool known;
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec mtime;
};

struct loaded {
	struct image *image;     /* NULL when not_elf */
	bool not_elf;            /* it is the right file, and holds no ELF (a JIT's memfd, an archive of code) */
	struct made_code *made;  /* of place.dump: what it says of unwinding; NULL = nothing */
	/* of place.moved, which is text of the file: where it begins there. Nothing else is set then. */
	uint64_t moved_offset;
	int fd;                  /* >= 0 when the file has no name any more and would be lost if closed; else -1 */
	struct file_mark mark;
};

/* Copies FROM, path and root reference included; false when out of memory (*RET unchanged). */
bool place_copy(const struct place *from, struct place *ret);
void place_clear(struct place *p);

/*
 * Finds, checks and reads a file. 0 or a negative errno. When P.moved is set, 0 is that it is text
 * of the file, and -ESTALE that it is not. The signature is the loader's (loader.h); CTX is unused.
 */
int load_file(void *ctx, const struct file_id *id, const struct place *p, struct loaded *ret, struct err *e);
void loaded_clear(struct loaded *l);

/* Finds and checks the file again, for reading more of it. An fd owned by the caller or a negative errno. */
int open_file(const struct file_id *id, const struct place *p, const struct file_mark *mark, struct err *e);

/*
 * Has the file of MARK been written to since? Told by what is at the path of P now, if that is the
 * same inode, and if the kernel can tell without asking a file system that may not answer
 * (RESOLVE_CACHED, since Linux 5.12, 99668f618062). Never waits. 1 = yes, 0 = no, -ENODATA when it
 * cannot be told.
 */
int was_rewritten(const struct place *p, const struct file_mark *mark);

/*
 * Does the path LINK lead to FILE, both absolute and below ROOT (NULL = our own root)? Never waits for
 * a file system that may not answer, as was_rewritten() has it; one on a disk of this machine is asked.
 * 1 = yes, 0 = no, -ENODATA when it cannot be told now.
 */
int is_link_to(const struct root *root, const char *link, const char *file);

/*
 * Opens PATH, relative to and confined to ROOT (NULL = our own root), when it is a regular file. No
 * symbolic link is followed when NO_LINKS. An fd or a negative errno (-ELOOP, -ENOTSUP: not a
 * regular file).
 */
int open_in_root(const struct root *root, const char *path, bool no_links);
/*
 * False when ROOT is known to be another directory than our own root, as in containers, or to have
 * mounts of its own: paths mean something else there.
 */
bool root_is_ours(const struct root *root);

#endif
