/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * files.h - keeps the files behind mappings: one entry for one file, however many processes map it,
 * and its image once loaded.
 *
 * An entry is found by build-id or by inode, whatever the mapping was shown with. A mapping that
 * came with an inode only (from /proc) gets its module when the file has been read, because only
 * then is its build-id known, and with it whether it is a module that is known already; until then
 * its state is MAP_LOADING and its module ID_NONE.
 *
 * A file is loaded when somebody first asks for its state, so that the thousands of libraries in
 * which nothing runs cost nothing. Entries in which nothing ran go away when no process maps them
 * any more; the others stay, since the symbolizer may come back to them, but their images go where
 * these are many, and are read anew when somebody maps the file again.
 *
 * One thread (the engine) calls, except for files_open().
 */
#ifndef SBERF_PROCESS_FILES_H
#define SBERF_PROCESS_FILES_H

#include "model/dict.h"
#include "model/unread.h"
#include "process/loader.h"
#include "process/space.h"
#include "unwind/unwind.h"

struct files;

/*
 * LOAD is load_file() or a test's; CTX goes to it. DICT must outlive the result. With LIMIT_NS 0 files are
 * read by whoever asks for their state, without threads: what is MAP_LOADING is ready after files_poll().
 */
int files_new(struct dict *dict, load_fn *load, void *ctx, uint64_t limit_ns, struct files **ret, struct err *e);
void files_free(struct files *fs);               /* NULL is fine */

/*
 * The entry for the file ID that is mapped at P (copied), by CLOCK_MONOTONIC since SINCE_NS;
 * BACKING_NONE when out of memory. Who has been written to before that gets an entry of its own; a
 * file that was looked at later than that, for another mapping, is not looked at again.
 */
backing_id files_add(struct files *fs, const struct file_id *id, const struct place *p, uint64_t since_ns);
/*
 * A process runs the file B by PATH, of the dictionary: dict_module_run_as(), as soon as it is a
 * module. Nothing when there is no B.
 */
void files_run_as(struct files *fs, backing_id b, str_id path);
/* The entry for a page that the kernel made, named PATH; the vDSO when IS_VDSO, BYTES long. */
backing_id files_add_special(struct files *fs, const char *path, bool is_vdso, uint64_t bytes);

/*
 * The entry for the memory WHERE of PID, which may be text of the file OF that was moved there; if
 * it is not, OTHERWISE lies behind it. BACKING_NONE when out of memory. Compared when somebody asks
 * for its state.
 */
backing_id files_add_moved(struct files *fs, backing_id of, pid_t pid, const struct moved *where, backing_id otherwise);
/*
 * Is B such an entry, for that very memory? Then it is compared again some time, if that was long
 * ago: the memory may have changed.
 */
bool files_moved_again(struct files *fs, backing_id b, const struct moved *where);
/*
 * The file that was mapped at M before, for files_add_moved(), with M completed: of what is text
 * that was moved, its own. False: it is none.
 */
bool files_text_before(const struct files *fs, const struct mapping *before, backing_id *ret_of, struct moved *m);

/*
 * What the jitdump file B says of unwinding, as far as it has been read; NULL when that is nothing.
 * It is read when somebody asks, and again when it has been written to. *RET_PENDING: it is being
 * read for the first time. Valid until the next files_poll().
 */
const struct made_code *files_made(struct files *fs, backing_id b, bool *ret_pending);

/*
 * Fills state, module and image of RET, whose start is set, for what lies behind B, and of moved
 * text the offset; queues a load. ANON_CODE: not a file of code, see MAP_ANON.
 */
void files_state(struct files *fs, backing_id b, struct unwind_map *ret);

/* The same when it is ready, or not a file of code; else false, and nothing is queued. */
bool files_is_ready(struct files *fs, backing_id b, struct unwind_map *ret);

/*
 * Fills the same for the file INO of DEV, as the kernel shows them with a mapping, when an image of
 * it has been loaded; else false. Neither looks for it nor queues anything.
 */
bool files_loaded(const struct files *fs, uint64_t dev, uint64_t ino, struct unwind_map *ret);
/* The same for the vDSO of BYTES, when somebody came by it. */
bool files_vdso(const struct files *fs, uint64_t bytes, struct unwind_map *ret);

/* Takes finished loads in; returns how many. */
unsigned int files_poll(struct files *fs);
int files_fd(const struct files *fs);
/* Files whose call-frame information cannot be used, though it is there. */
const struct unread *files_unread(const struct files *fs);

/* The image loaded for MODULE, NULL when there is none at the moment. */
struct image *files_image(struct files *fs, module_id module);

/* An fd for the file behind MODULE, or a negative errno. Any thread. */
int files_open(struct files *fs, module_id module, struct err *e);

/*
 * An fd for the regular file PATH under the root that MODULE was seen in, else under our own; or a
 * negative errno. Where that root is refused to us, who may opens it, if everybody may read it. Any thread.
 */
int files_open_beside(struct files *fs, module_id module, const char *path);
/*
 * A handle (O_PATH) of the root that those see who mapped MODULE; negative when it is ours, or not
 * known any more. Any thread.
 */
int files_open_root(struct files *fs, module_id module);

/* Entries or images since the last sweep are so many that a sweep is worthwhile. */
bool files_crowded(const struct files *fs);
/*
 * A sweep: mark everything that is mapped, then drop what is not and was never run, and of many
 * images those that are not.
 */
void files_mark(struct files *fs, const struct space *s);
void files_mark_one(struct files *fs, backing_id b);     /* BACKING_NONE is fine */
void files_sweep(struct files *fs);

struct files_stats {
	uint32_t entries, loading;
	uint64_t loads, failures;
	size_t bytes;
};
void files_stats(const struct files *fs, struct files_stats *ret);

DEFINE_AUTO(files_free, struct files);

#endif
