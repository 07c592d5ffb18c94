/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_notes.c - see memory_notes.h. */
#include "config.h"

#include "probe/memory_notes.h"

#include "base/cleanup.h"
#include "probe/allocators.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define INTERPRETERS_MAX 4u      /* scripts of scripts, as the kernel has them */
#define INSTEAD "use --memory=allocs"

int memory_notes_find(const struct elf_file *f, usdt_sites *ret, struct err *e)
{
	static const struct spec_point all = { .kind = PROBE_USDT, .match = SPEC_ANY, .provider_match = SPEC_EXACT,
					       .provider = MEMORY_NOTES_PROVIDER };
	const int r = find_usdt(f, &all, ret, NULL, e);

	return r == -ENOENT ? 0 : r;
}

/* With other rights than those of who starts it the loader preloads nothing. */
static int check_rights(int fd, const char *file, uid_t uid, gid_t gid, struct err *e)
{
	struct stat st;
	const char *what = NULL;

	if (fstat(fd, &st))
		return err_set(e, errno, "cannot read %s: %s", file, strerror(errno));
	if (st.st_mode & S_ISUID && st.st_uid != uid)
		what = "setuid";
	else if (st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != gid)
		what = "setgid";
	else if (uid && fgetxattr(fd, "security.capability", NULL, 0) > 0)
		what = "given capabilities";
	return !what ? 0 : err_set(e, EOPNOTSUPP, "--memory=preload cannot work with %s, which is %s: no library is "
				   "put into such a program; " INSTEAD, file, what);
}

/* The path of the loader of F, in RET; false when it has none. */
static bool loader_of(const struct elf_file *f, char ret[PATH_MAX])
{
	for (size_t i = 0; i < f->nr_ph; i++) {
		const uint64_t n = f->ph[i].p_filesz;

		if (f->ph[i].p_type != PT_INTERP || !n || n > PATH_MAX || !elf_file_read(f, f->ph[i].p_offset, ret, n))
			continue;
		ret[n - 1] = '\0';
		return true;
	}
	return false;
}

bool memory_notes_has_loader(const struct elf_file *f)
{
	char path[PATH_MAX];

	return loader_of(f, path);
}

/* Has F a malloc() of its own, which comes before that of any library? */
static bool has_malloc(const struct elf_file *f)
{
	allocator_functions found = { 0 };
	bool has = false;

	(void)find_allocators(f, "", NULL, 0, &found, NULL);
	for (size_t i = 0; i < found.n; i++)
		has |= !strcmp(found.v[i].at.name, "malloc");
	vec_free(&found);
	return has;
}

static int check_program(const struct elf_file *f, const char *file, struct err *e)
{
	usdt_sites found = { 0 };
	int r = memory_notes_find(f, &found, e);
	char loader[PATH_MAX];

	vec_free(&found);
	if (r)
		return r < 0 ? r : 1;
	if (!loader_of(f, loader))
		return err_set(e, EOPNOTSUPP, "--memory=preload cannot work with %s, which is linked statically: no "
			       "library can be put into it; " INSTEAD, file);
	if (strstr(loader, "/ld-musl"))
		return err_set(e, EOPNOTSUPP, "--memory=preload cannot work with %s: its C library is musl, and the "
			       "library that would be put into it is made for glibc; " INSTEAD, file);
	if (has_malloc(f))
		return err_set(e, EOPNOTSUPP, "--memory=preload cannot work with %s: it has a malloc() of its own, "
			       "which it calls in place of that of any library; " INSTEAD, file);
	return 0;
}

/* Has FD a line that says who runs it? Its path goes to RET. */
static bool script_of(int fd, char ret[PATH_MAX])
{
	char line[PATH_MAX];
	const ssize_t n = pread(fd, line, sizeof(line) - 1, 0);
	const char *at;
	size_t len;

	if (n < 2 || memcmp(line, "#!", 2))
		return false;
	line[n] = '\0';
	at = line + 2 + strspn(line + 2, " \t");
	len = strcspn(at, " \t\n");
	memcpy(ret, at, len);
	ret[len] = '\0';
	return len;
}

int memory_notes_preloadable(const char *file, uid_t uid, gid_t gid, struct err *e)
{
	char path[PATH_MAX], next[PATH_MAX];

	snprintf(path, sizeof(path), "%s", file);
	for (uint32_t i = 0; i < INTERPRETERS_MAX; i++) {
		AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		AUTO(elf_file_free) struct elf_file *f = NULL;
		int r;

		if (fd < 0)
			return err_set(e, errno, "cannot read %s: %s", path, strerror(errno));
		if (script_of(fd, next)) {
			memcpy(path, next, sizeof(path));
			continue;
		}
		r = check_rights(fd, path, uid, gid, e);
		if (r)
			return r;
		r = elf_file_open(fd, &f, e);
		return r < 0 ? err_prefix(e, "%s", path) : check_program(f, path, e);
	}
	return err_set(e, ELOOP, "%s: too many scripts run each other", file);
}
