/* SPDX-License-Identifier: BSD-2-Clause */
/* unpack.c - see unpack.h. libelf has zlib always, and zstd since 0.189 when it was built with it: so it is asked, section by section. */
#include "config.h"

#include "symbol/unpack.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ZSTD 2u                          /* ELFCOMPRESS_ZSTD, gABI draft of 2022; elf.h of glibc 2.36 lacks it */

/* The name of SCN when it is a compressed section of debug information; else NULL. */
static const char *packed_name(Elf *elf, size_t names, Elf_Scn *scn, Elf64_Chdr *ret)
{
	const Elf64_Shdr *sh = elf64_getshdr(scn);
	const Elf64_Chdr *ch = sh && (sh->sh_flags & SHF_COMPRESSED) ? elf64_getchdr(scn) : NULL;
	const char *name = ch ? elf_strptr(elf, names, sh->sh_name) : NULL;

	if (!name || strncmp(name, ".debug_", 7))
		return NULL;
	*ret = *ch;
	return name;
}

static int cannot(const Elf64_Chdr *ch, struct err *e)
{
	char way[32] = "zstd";

	if (ch->ch_type != ZSTD)
		snprintf(way, sizeof(way), "method %u", (unsigned int)ch->ch_type);
	return err_set(e, ENOTSUP, "its debug information is compressed with %s, which this libelf cannot unpack: a newer elfutils can, or "
		       "\"objcopy --decompress-debug-sections\" on the file", way);
}

int unpack_debug(Elf *elf, struct err *e)
{
	Elf_Scn *scn = NULL;
	Elf64_Chdr ch;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return 0;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name = packed_name(elf, names, scn, &ch);

		if (!name || elf_compress(scn, 0, 0) >= 0)
			continue;
		if (ch.ch_type != ELFCOMPRESS_ZLIB)
			return cannot(&ch, e);
		/* Without the others something is known yet. */
		if (!strncmp(name, ".debug_info", 11) || !strncmp(name, ".debug_abbrev", 13))
			return err_set(e, EBADMSG, "its debug information is compressed and damaged");
	}
	return 0;
}
