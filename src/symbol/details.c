/* SPDX-License-Identifier: BSD-2-Clause */
/* details.c - see details.h. */
#include "config.h"

#include "symbol/details.h"

#include <errno.h>

struct elf_file *details_file(const struct elf_file *code, const char *path,
			      const struct debug_places *where, int *ret_fd)
{
	AUTO_FD int fd = debugfile_open(code, path, where);
	struct elf_file *f;

	if (fd < 0 || elf_file_open(fd, &f, NULL))
		return NULL;
	*ret_fd = take_fd(&fd);
	return f;
}

/* The lowest address of code in F. */
static uint64_t code_start(const struct elf_file *f)
{
	uint64_t low = UINT64_MAX;

	for (size_t i = 0; i < f->nr_ph; i++)
		if (f->ph[i].p_type == PT_LOAD && (f->ph[i].p_flags & PF_X) && f->ph[i].p_vaddr < low)
			low = f->ph[i].p_vaddr;
	return low;
}

int details_open(const struct elf_file *code, const struct elf_file *debug, const char *path,
		 const struct debug_places *where, struct dwarf_info **ret, struct err *e)
{
	AUTO_FD int alt_fd = debugfile_open_alt(debug, path, where);

	/* Without the shared file that it refers to, libdw would go and look for one by itself. */
	if (alt_fd < 0 && elf_file_section(debug, ".gnu_debugaltlink"))
		return err_set(e, ENOENT, "the debug information that it shares with others (dwz) was not found");
	return dwarf_info_open(debug, alt_fd, where->root, code_start(code), ret, e);
}
