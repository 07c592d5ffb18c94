/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unpack.c - see unpack.h. libelf has zlib always, and zstd since 0.189 when it was built with it:
 * so it is asked, section by section.
 */
#include "config.h"

#include "symbol/unpack.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define WHAT "its debug information"
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

int unpack_refused(const char *what, uint32_t type, struct err *e)
{
	char way[32] = "zstd";

	if (type == ELFCOMPRESS_ZLIB)
		return err_set(e, EBADMSG, "%s is compressed and damaged", what);
	if (type != ZSTD)
		snprintf(way, sizeof(way), "method %u", (unsigned int)type);
	return err_set(e, ENOTSUP, "%s is compressed with %s, which this libelf cannot unpack: a newer "
		       "elfutils can, or "
		       "\"objcopy --decompress-debug-sections\" on the file", what, way);
}

/* A file of three sections: none, their names, and one to be packed. */
static void make_sample(uint8_t bytes[1024])
{
	static const char names[] = "\0.shstrtab\0.debug_info";
	Elf64_Ehdr eh = { .e_ident = ELFMAG, .e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			  .e_ehsize = sizeof(eh),
			  .e_shoff = sizeof(eh), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3, .e_shstrndx = 1 };
	const Elf64_Shdr sh[3] = {
		[1] = { .sh_name = 1, .sh_type = SHT_STRTAB, .sh_offset = 512, .sh_size = sizeof(names),
			.sh_addralign = 1 },
		[2] = { .sh_name = 11, .sh_type = SHT_PROGBITS, .sh_offset = 768, .sh_size = 256, .sh_addralign = 1 },
	};

	eh.e_ident[EI_CLASS] = ELFCLASS64;
	eh.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	eh.e_ident[EI_VERSION] = EV_CURRENT;
	memset(bytes, 0, 1024);
	memcpy(bytes, &eh, sizeof(eh));
	memcpy(bytes + sizeof(eh), sh, sizeof(sh));
	memcpy(bytes + 512, names, sizeof(names));
}

bool unpack_knows_zstd(void)
{
	uint8_t bytes[1024] __attribute__((aligned(8)));
	bool knows;
	Elf *elf;

	make_sample(bytes);
	elf_version(EV_CURRENT);
	elf = elf_memory((char *)bytes, sizeof(bytes));
	knows = elf && elf_compress(elf_getscn(elf, 2), ZSTD, ELF_CHF_FORCE) == 1;
	elf_end(elf);
	return knows;
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
			return unpack_refused(WHAT, ch.ch_type, e);
		/* Without the others something is known yet. */
		if (!strncmp(name, ".debug_info", 11) || !strncmp(name, ".debug_abbrev", 13))
			return unpack_refused(WHAT, ch.ch_type, e);
	}
	return 0;
}
