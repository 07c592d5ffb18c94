/* SPDX-License-Identifier: BSD-2-Clause */
/* kernel_debug.c - see kernel_debug.h. */
#include "config.h"

#include "symbol/kernel_debug.h"

#include "base/text.h"
#include "symbol/debugfile.h"
#include "symbol/elfnamed.h"
#include "symbol/fetch.h"
#include "symbol/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define NOTES_PATH "/sys/kernel/notes"
#define NOTES_BYTES 65536u

/* Of release "%s". Files of the last ones have seldom debug information. */
static const char *const places[] = {
	"/usr/lib/debug/boot/vmlinux-%s", "/usr/lib/debug/lib/modules/%s/vmlinux",
	"/usr/lib/debug/usr/lib/modules/%s/vmlinux", "/lib/modules/%s/build/vmlinux", "/usr/lib/modules/%s/vmlinux",
	"/boot/vmlinux-%s",
};

uint8_t kernel_debug_build_id(const void *notes, size_t len, uint8_t id[BUILD_ID_MAX])
{
	const uint8_t *p = notes;
	struct elf_note n;

	while (elf_note_next(&p, &len, &n)) {
		const uint8_t got = n.desc_len < BUILD_ID_MAX ? (uint8_t)n.desc_len : BUILD_ID_MAX;

		if (n.type != NT_GNU_BUILD_ID || n.name_len != 4 || memcmp(n.name, "GNU", 4))
			continue;
		memcpy(id, n.desc, got);
		return got;
	}
	return 0;
}

const char *kernel_debug_release(void)
{
	static struct utsname name;

	return uname(&name) ? "" : name.release;
}

int kernel_debug_running(struct kernel_debug_of *ret, struct err *e)
{
	AUTO_FREE uint8_t *notes = malloc(NOTES_BYTES);
	AUTO_FD int fd = open(NOTES_PATH, O_RDONLY | O_CLOEXEC);
	const ssize_t n = notes && fd >= 0 ? read(fd, notes, NOTES_BYTES) : -1;

	*ret = (struct kernel_debug_of){ .text = kernel_text_base() };
	ret->release = kernel_debug_release();
	ret->build_id_len = n > 0 ? kernel_debug_build_id(notes, (size_t)n, ret->build_id) : 0;
	if (!ret->build_id_len)
		return err_set(e, ENOENT, "the kernel does not say by " NOTES_PATH " which build it is");
	if (!ret->text)
		return err_set(e, EPERM, "the kernel hides where it is: root or CAP_SYSLOG sees that, unless "
			       "kernel.kptr_restrict is 2");
	return 0;
}

/* Is the file at RET->fd that of OF? Then *RET knows its shift. */
static bool debug_take(const struct kernel_debug_of *of, struct kernel_debug *ret)
{
	AUTO(elf_file_free) struct elf_file *f = NULL;
	uint8_t id[BUILD_ID_MAX];
	uint64_t text, size;

	if (elf_file_open(ret->fd, &f, NULL) || !elf_file_section(f, ".debug_info"))
		return false;
	if (!of->build_id_len || elf_file_build_id(f, id) != of->build_id_len ||
	    memcmp(id, of->build_id, of->build_id_len))
		return false;
	if (!elf_named(f, "_text", &text, &size))
		return false;
	ret->shift = of->text - text;
	return true;
}

/* *OTHER: a file at PATH is none of OF. */
static bool debug_try(const struct kernel_debug_of *of, const char *path, struct kernel_debug *ret, bool *other)
{
	ret->fd = regular_open(path);
	if (ret->fd < 0)
		return false;
	text_format(ret->path, sizeof(ret->path), "%s", path);
	if (debug_take(of, ret))
		return true;
	close(ret->fd);
	ret->fd = -1;
	*other = true;
	return false;
}

/* Among the places below ROOT, "" = here. OTHER: where a file was that is none of OF. */
static bool debug_look(const struct kernel_debug_of *of, const char *root, struct kernel_debug *ret,
		       char other[PATH_MAX])
{
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const char *percent = strchr(places[i], '%');
		bool is_other = false;

		text_format(path, sizeof(path), "%s%.*s%s%s", root, (int)(percent - places[i]), places[i], of->release,
			    percent + 2);
		if (debug_try(of, path, ret, &is_other))
			return true;
		if (is_other && !*other)
			memcpy(other, path, sizeof(path));
	}
	return false;
}

static bool debug_by_id(const struct kernel_debug_of *of, const char *symfs, struct kernel_debug *ret)
{
	const struct debug_places where = { .symfs = symfs, .root = -1 };

	ret->fd = debugfile_open_build_id(of->build_id, of->build_id_len, &where);
	text_format(ret->path, sizeof(ret->path), "a file with the kernel's build-id");
	if (ret->fd >= 0 && debug_take(of, ret))
		return true;
	if (ret->fd >= 0)
		close(ret->fd);
	ret->fd = -1;
	return false;
}

static void debug_no_progress(void *ctx, const char *line)
{
	(void)ctx;
	(void)line;
}

int kernel_debug_fetch(const uint8_t *id, uint8_t len, const char *name, struct err *e)
{
	static const _Atomic bool never;
	const struct fetch_hooks hooks = { &never, &never, debug_no_progress, NULL };
	AUTO(fetcher_free) struct fetcher *f = NULL;
	const int r = fetcher_new(&hooks, &f, e);
	const int fd = r ? r : fetcher_debuginfo(f, id, len, name);

	return r || fd >= 0 ? fd : err_set(e, ENOENT, "no server has debug information of this build of %s", name);
}

static int debug_fetch(const struct kernel_debug_of *of, struct kernel_debug *ret, struct err *e)
{
	ret->fd = kernel_debug_fetch(of->build_id, of->build_id_len, "vmlinux", e);
	text_format(ret->path, sizeof(ret->path), "a debuginfod server");
	if (ret->fd < 0)
		return ret->fd;
	if (debug_take(of, ret))
		return 0;
	close(ret->fd);
	ret->fd = -1;
	return err_set(e, ENOENT, "what a server has is no debug information of this kernel (%s)", of->release);
}

int kernel_debug_find(const struct kernel_debug_of *of, const char *symfs, bool fetch, struct kernel_debug *ret,
		      struct err *e)
{
	char other[PATH_MAX] = "";

	*ret = (struct kernel_debug){ .fd = -1 };
	if ((symfs && debug_look(of, symfs, ret, other)) || debug_look(of, "", ret, other) ||
	    debug_by_id(of, symfs, ret))
		return 0;
	if (fetch)
		return debug_fetch(of, ret, e);
	if (*other)
		return err_set(e, ENOENT, "%.300s is not of this build of the kernel, or has no debug information: "
			       "install that of %s (Debian: linux-image-%s-dbg)", other, of->release, of->release);
	return err_set(e, ENOENT, "there is no debug information of this kernel: install it (Debian: "
		       "linux-image-%s-dbg; it is looked for as /usr/lib/debug/boot/vmlinux-%s and in the like places)",
		       of->release, of->release);
}
