/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * files_open.c - the file behind a module for any thread: what is needed is copied under the lock,
 * and opened without it.
 */
#include "config.h"

#include "process/files_impl.h"

#include "base/regular.h"
#include "collector/ask.h"
#include "process/vdso_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* What files_open() needs of an entry, copied under the lock. */
struct wanted {
	struct file_id id;
	struct place place;
	struct file_mark mark;
	enum module_kind kind;
	int kept_fd;             /* a duplicate, or -1 */
};

static int copy_wanted(struct files *fs, module_id module, struct wanted *ret)
{
	int r = -ENOENT;

	pthread_mutex_lock(&fs->lock);
	if (module < fs->by_module.n && fs->by_module.v[module] != BACKING_NONE) {
		const struct file *f = fs->entry.v[fs->by_module.v[module]];

		*ret = (struct wanted){ .id = f->id, .mark = f->mark, .kind = f->kind, .kept_fd = -1 };
		r = place_copy(&f->place, &ret->place) ? 0 : -ENOMEM;
		if (!r && f->kept_fd >= 0)
			ret->kept_fd = fcntl(f->kept_fd, F_DUPFD_CLOEXEC, 0);
	}
	pthread_mutex_unlock(&fs->lock);
	return r;
}

int files_open(struct files *fs, module_id module, struct err *e)
{
	struct wanted w;
	int r = copy_wanted(fs, module, &w);

	if (r)
		return err_set(e, -r, "module %u has no file that is known", module);
	if (w.kind == MODULE_VDSO) {
		r = vdso_open();
		if (r < 0)
			err_set(e, -r, "cannot read the vDSO: %s", strerror(-r));
	} else if (w.kept_fd >= 0) {
		r = reopen_fd(w.kept_fd);
		close(w.kept_fd);
		if (r < 0)
			err_set(e, -r, "cannot open deleted file %s again: %s", w.place.path, strerror(-r));
	} else {
		r = open_file(&w.id, &w.place, &w.mark, e);
	}
	place_clear(&w.place);
	return r;
}

/* The file PATH below the root of P. *RET_OURS: it may be that of this process as well. */
static int open_beside(const struct place *p, const char *path, bool *ret_ours)
{
	int r;

	*ret_ours = root_is_ours(p->root);
	if (p->root || !collector_is_there())
		return open_in_root(p->root, path, false);
	/* A root that is refused to us is another one, for all that we know. */
	r = ask_path(COLLECTOR_SOURCE, p->pid, path);
	*ret_ours = r == -ESRCH || r == -EPIPE;
	return r;
}

int files_open_beside(struct files *fs, module_id module, const char *path)
{
	struct wanted w;
	bool ours = true;
	int r = copy_wanted(fs, module, &w);

	if (!r) {
		if (w.kept_fd >= 0)
			close(w.kept_fd);
		r = open_beside(&w.place, path, &ours);
		place_clear(&w.place);
	}
	return r < 0 && ours ? open_in_root(NULL, path, false) : r;
}

int files_open_root(struct files *fs, module_id module)
{
	struct wanted w;
	int r = copy_wanted(fs, module, &w);

	if (r)
		return r;
	if (w.kept_fd >= 0)
		close(w.kept_fd);
	r = root_is_ours(w.place.root) ? -ENOENT : fcntl(w.place.root->fd, F_DUPFD_CLOEXEC, 3);
	place_clear(&w.place);
	return r < 0 ? -ENOENT : r;
}
