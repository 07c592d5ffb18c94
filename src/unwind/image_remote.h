/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * image_remote.h - answers for an image whose file another process reads (image_worker.h): asks that process, and keeps
 * what it said.
 *
 * Such an image has loads, a build-id and the like here, as any other. Rules and rows are asked for by page of code, or
 * one by one where a page has none. Only the files of the unwinder use this.
 */
#ifndef SBERF_UNWIND_IMAGE_REMOTE_H
#define SBERF_UNWIND_IMAGE_REMOTE_H

#include "base/hash.h"
#include "base/vec.h"
#include "plugin/worker_blame.h"
#include "unwind/cfi_row.h"
#include "unwind/image_impl.h"
#include "unwind/image_message.h"
#include "unwind/rows.h"

/* What was said of a place or a page. */
struct kept_answer {
	uint64_t offset;
	enum image_op op;        /* that asked for it */
	uint32_t n;              /* rows of a page, bytes of a row; 0 = no row */
	union {
		struct rule_row *rows;
		struct cfi_row *row;
		struct rule rule;
	};
};

struct image_remote {
	uint32_t number;
	uint32_t told;           /* to which worker, by its number; 0 = to none */
	int fd;                  /* the file, for the worker that comes after one that ended; -1 = none could be kept */
	char *path;              /* for people */
	bool opened;             /* it is known what it is */
	bool gone;               /* nothing more is to be had: it could not be read a second time, or was another one */
	struct worker_blame blame;
	size_t bytes;            /* memory of the worker */
	int refused;             /* the last answer that said no; 0 = none did */
	VEC(struct kept_answer) kept;
	struct hidx by_place;    /* of KEPT */
	size_t kept_bytes;
};

/* The answer to OP about OFFSET; NULL = none is kept. Valid until the next one is. */
const struct kept_answer *image_remote_kept(const struct image_remote *r, enum image_op op, uint64_t offset);
/* Keeps what M says, which has been checked. Out of memory nothing is kept. */
void image_remote_keep(struct image_remote *r, const struct image_message *m);
/* Keeps nothing any more. */
void image_remote_forget(struct image_remote *r);
/* What M, an IMAGE_OPENED that succeeded, says of IM. False: no memory, or it said otherwise before. */
bool image_remote_take(struct image *im, const struct image_message *m);

/*
 * The rule, or the row (to be freed with free(); NULL = no call-frame information covers it), of the place of the file
 * at OFFSET, as walk_learn() and cfi_row_of() have them. 0; -EAGAIN: it is not there yet, and may be asked for again;
 * -EIO: it cannot be had, or not now, since it takes too long.
 */
int image_remote_rule(struct image *im, uint64_t offset, struct rule *ret);
int image_remote_row(struct image *im, uint64_t offset, struct cfi_row **ret);
/* rows_of() for a page as the kernel half has them; 0 = they are not there. */
size_t image_remote_rows(struct image *im, uint64_t offset, uint32_t size, struct rule_row *ret, size_t max);

/* Memory of R, NULL = none: what it was when the file had been read. */
size_t image_remote_bytes(const struct image_remote *r);
void image_remote_free(struct image_remote *r);          /* NULL is fine */

#endif
