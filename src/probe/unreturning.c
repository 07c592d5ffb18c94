/* SPDX-License-Identifier: BSD-2-Clause */
/* unreturning.c - by names and sections; see unreturning.h. */
#include "config.h"

#include "probe/unreturning.h"

#include "base/cleanup.h"

#include <string.h>

#define STRINGS_MAX (256u << 20) /* bytes of names that are looked through */

/* With the NUL behind it, and one before: names stand one behind the other, and are not parts of others. */
#define NAME(text) "\0" text, sizeof("\0" text)

static const struct {
	const char *name;
	size_t len;
	const char *what;
} walkers[] = {
	{ NAME("rust_eh_personality"), "panics of Rust" },       /* Rust before C++: it may link that, too */
	{ NAME("__gxx_personality_v0"), "exceptions of C++" },
	{ NAME("__cxa_throw"), "exceptions of C++" },
};

/* What the names of the symbol table of TYPE say; NULL. */
static const char *unreturning_by_names(const struct elf_file *file, uint32_t type)
{
	const Elf64_Shdr *sh = elf_file_section_type(file, type);
	AUTO_FREE uint8_t *owned = NULL;
	struct elf_bytes names;

	if (!sh || sh->sh_link >= file->nr_sh || !elf_file_bytes(file, &file->sh[sh->sh_link], STRINGS_MAX, &names))
		return NULL;
	owned = names.data;
	for (size_t i = 0; i < sizeof(walkers) / sizeof(walkers[0]); i++)
		if (memmem(names.data, names.len + 1, walkers[i].name, walkers[i].len))
			return walkers[i].what;
	return NULL;
}

static bool is_go(const struct elf_file *file)
{
	return elf_file_section(file, ".gopclntab") || elf_file_section(file, ".data.rel.ro.gopclntab");
}

const char *unreturning_file(const struct elf_file *file)
{
	const char *what;

	if (is_go(file))
		return "stacks of Go";
	what = unreturning_by_names(file, SHT_DYNSYM);
	return what ? what : unreturning_by_names(file, SHT_SYMTAB);
}

bool unreturning_function(const char *symbol)
{
	static const char *const names[] = { "setjmp", "sigsetjmp", "savectx", "vfork", "getcontext", "swapcontext" };

	symbol += strspn(symbol, "_");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(symbol, names[i]))
			return true;
	return false;
}

static const char *unreturning_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool unreturning_library(const char *path)
{
	static const char *const names[] = { "libgcc_s.so", "libstdc++.so", "libunwind.so", "libc++abi.so",
					     "libc++.so" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(unreturning_base(path), names[i], strlen(names[i])))
			return true;
	return false;
}

bool unreturning_caller(const char *path, const char *symbol)
{
	static const char *const names[] = {
		"qsort", "qsort_r", "bsearch", "lfind", "lsearch", "tsearch", "tfind", "tdelete", "twalk", "twalk_r",
		"tdestroy", "ftw", "ftw64", "nftw", "nftw64", "fts_open", "fts_read", "fts_children", "glob", "glob64",
		"scandir", "scandir64", "scandirat", "scandirat64", "dl_iterate_phdr", "pthread_once", "call_once",
		"once", "msort_with_tmp", "exit", "error", "error_at_line", "argp_parse", "libc_start_main",
		"libc_start_call_main",
	};
	const char *base = unreturning_base(path);

	if (strncmp(base, "libc.so", 7) && strncmp(base, "libc-2.", 7) && strncmp(base, "ld-linux", 8) &&
	    strncmp(base, "ld-musl", 7) && strncmp(base, "libpthread", 10))
		return true;
	symbol += strspn(symbol, "_");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(symbol, names[i], strlen(names[i])) && strchr(".@", symbol[strlen(names[i])]))
			return true;
	return false;
}

const char *unreturning_stack(const struct elf_file *file, const char *symbol)
{
	symbol += strspn(symbol, "_");
	if (is_go(file))
		return "goroutines of Go change their threads, and their stacks move";
	return strcmp(symbol, "swapcontext") ? NULL : "it returns on another stack";
}
