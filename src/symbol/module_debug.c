/* SPDX-License-Identifier: BSD-2-Clause */
/* module_debug.c - see module_debug.h. */
#include "config.h"

#include "symbol/module_debug.h"

#include "base/cleanup.h"
#include "base/parse.h"
#include "base/text.h"
#include "base/vec.h"
#include "symbol/debugfile.h"
#include "symbol/elffile.h"
#include "symbol/kernel_debug.h"
#include "symbol/relocated.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECTIONS_MAX 4096u
#define NOTE_BYTES 4096u

/* Below what there is a folder of each release with files of modules: those with debug information apart first. */
static const char *const places[] = {
	"/usr/lib/debug/lib/modules/", "/usr/lib/debug/usr/lib/modules/", "/lib/modules/", "/usr/lib/modules/",
};
/* Behind the name of the file there. */
static const char *const endings[] = { "", ".debug" };

typedef VEC(struct relocated_section) sections_vec;

/* ---- what the kernel says ---- */

/* The file "DIRECTORY/MODULE/FILE" into the SIZE bytes at BYTES; how many, or -1. */
static ssize_t module_read(const struct module_debug_where *w, const char *module, const char *file, void *bytes,
			   size_t size)
{
	char path[PATH_MAX];
	AUTO_FD int fd = -1;

	text_format(path, sizeof(path), "%s/%s/%s", w->modules, module, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -1 : read(fd, bytes, size);
}

static uint8_t module_build_id(const struct module_debug_where *w, const char *module, uint8_t id[BUILD_ID_MAX])
{
	uint8_t notes[NOTE_BYTES];
	const ssize_t n = module_read(w, module, "notes/.note.gnu.build-id", notes, sizeof(notes));

	return n > 0 ? kernel_debug_build_id(notes, (size_t)n, id) : 0;
}

/* Where the sections of MODULE are, to RET. */
static int module_sections(const struct module_debug_where *w, const char *module, sections_vec *ret, struct err *e)
{
	char path[PATH_MAX], file[NAME_MAX + sizeof("sections/")], text[32];
	const struct dirent *entry;
	DIR *dir;

	text_format(path, sizeof(path), "%s/%s/sections", w->modules, module);
	dir = opendir(path);
	if (!dir)
		return err_set(e, errno, "the kernel does not say where module %s is: %s", module, strerror(errno));
	while ((entry = readdir(dir)) && ret->n < SECTIONS_MAX) {
		struct relocated_section *s;
		const char *at = text + 2;
		uint64_t address;
		ssize_t n;

		text_format(file, sizeof(file), "sections/%s", entry->d_name);
		n = strlen(entry->d_name) < sizeof(s->name) ? module_read(w, module, file, text, sizeof(text)) : -1;
		/* "0xffffffffc0401000\n" */
		if (n < 4 || strncmp(text, "0x", 2) || !parse_hex(&at, text + n, &address) || !address)
			continue;
		s = vec_push(ret);
		if (!s) {
			closedir(dir);
			return err_nomem(e, "sections of modules");
		}
		text_format(s->name, sizeof(s->name), "%s", entry->d_name);
		s->address = address;
	}
	closedir(dir);
	return ret->n ? 0 : err_set(e, EPERM, "the kernel hides where module %s is: root or CAP_SYSLOG sees that, "
				    "unless kernel.kptr_restrict is 2", module);
}

/* ---- its file ---- */

/* Is FILE, "kernel/drivers/char/virtio_console.ko.xz", that of MODULE? A file may have '-' where the kernel has '_'. */
static bool module_is_file(const char *file, size_t len, const char *module)
{
	const char *name = file, *end;

	for (const char *at = file; at < file + len; at++)
		name = *at == '/' ? at + 1 : name;
	end = memmem(name, len - (size_t)(name - file), ".ko", 3);
	if (!end || strlen(module) != (size_t)(end - name))
		return false;
	for (size_t i = 0; module[i]; i++)
		if (name[i] != module[i] && !(strchr("-_", name[i]) && strchr("-_", module[i])))
			return false;
	return true;
}

/* Which file MODULE has below the directory of modules, by the list that depmod makes: "kernel/.../NAME.ko", to DST. */
static bool module_file(const struct module_debug_where *w, const char *root, const char *module, char dst[PATH_MAX])
{
	char path[PATH_MAX], *line = NULL;
	size_t size = 0;
	bool found = false;
	ssize_t n;
	FILE *in;

	text_format(path, sizeof(path), "%s/lib/modules/%s/modules.dep", root, w->release);
	in = fopen(path, "re");
	while (in && !found && (n = getline(&line, &size, in)) > 0) {
		const size_t len = strcspn(line, ":");
		const char *end = memmem(line, len, ".ko", 3);

		found = end && module_is_file(line, len, module);
		if (found)
			text_format(dst, PATH_MAX, "%.*s.ko", (int)(end - line), line);
	}
	free(line);
	if (in)
		fclose(in);
	return found;
}

/* Is the file at FD that of the module with ID? */
static bool module_is_of(int fd, const uint8_t *id, uint8_t len)
{
	AUTO(elf_file_free) struct elf_file *f = NULL;
	uint8_t has[BUILD_ID_MAX];

	return !elf_file_open(fd, &f, NULL) && elf_file_section(f, ".debug_info") && elf_file_build_id(f, has) == len &&
		!memcmp(has, id, len);
}

/* Looks for FILE of the module with ID below ROOT, "" = here; -1. *RET_OTHER: a file there is of another build. */
static int module_look(const struct module_debug_where *w, const char *root, const char *file, const uint8_t *id,
		       uint8_t len, bool *ret_other)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		for (size_t k = 0; k < sizeof(endings) / sizeof(endings[0]); k++) {
			int fd;

			text_format(path, sizeof(path), "%s%s%s/%s%s", root, places[i], w->release, file, endings[k]);
			fd = regular_open(path);
			if (fd < 0)
				continue;
			if (module_is_of(fd, id, len))
				return fd;
			close(fd);
			*ret_other = true;
		}
	return -1;
}

/* The file of MODULE with its debug information; a negative errno with a sentence. */
static int module_find(const char *module, const struct module_debug_where *w, struct err *e)
{
	const struct debug_places where = { .symfs = w->symfs, .root = -1 };
	const char *const roots[] = { w->symfs, "" };
	uint8_t id[BUILD_ID_MAX];
	const uint8_t len = module_build_id(w, module, id);
	char file[PATH_MAX];
	bool other = false;
	int fd = -1;

	if (!len)
		return err_set(e, ENOENT, "the kernel does not say which build of module %s is loaded", module);
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]) && fd < 0; i++)
		for (size_t k = 0; k < sizeof(roots) / sizeof(roots[0]) && fd < 0; k++)
			if (roots[i] && roots[k] && module_file(w, roots[k], module, file))
				fd = module_look(w, roots[i], file, id, len, &other);
	fd = fd < 0 ? debugfile_open_build_id(id, len, &where) : fd;
	if (fd < 0 && w->fetch)
		return kernel_debug_fetch(id, len, module, e);
	if (fd >= 0)
		return fd;
	return err_set(e, ENOENT, other ? "the file of module %s is of another build, or has no debug information: "
		       "install that of %s (Debian: linux-image-%s-dbg)" : "there is no debug information of module "
		       "%s: install that of %s (Debian: linux-image-%s-dbg)", module, w->release, w->release);
}

int module_debug_open(const char *module, const struct module_debug_where *where, int *ret_fd, struct err *e)
{
	sections_vec sections = { 0 };
	AUTO_FD int fd = -1;
	int r;

	if (!*module || strchr(module, '/') || *module == '.')
		return err_set(e, EINVAL, "'%.100s' is no module", module);
	fd = module_find(module, where, e);
	if (fd < 0)
		return fd;
	r = module_sections(where, module, &sections, e);
	r = r ? r : relocated_open(fd, sections.v, sections.n, ret_fd, e);
	vec_free(&sections);
	return r ? err_prefix(e, "the debug information of module %s", module) : 0;
}
