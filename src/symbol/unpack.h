/* SPDX-License-Identifier: BSD-2-Clause */
/* unpack.h - says why libelf cannot unpack a compressed debug section. */
#ifndef SBERF_SYMBOL_UNPACK_H
#define SBERF_SYMBOL_UNPACK_H

#include "base/err.h"

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Unpacks the compressed debug sections of ELF in memory, as libdw would; how large they become is
 * for the caller to look at before. 0, or -ENOTSUP or -EBADMSG with a sentence: they are compressed
 * in a way that this libelf does not know (zstd), or damaged.
 */
int unpack_debug(Elf *elf, struct err *e);
/*
 * Says that WHAT is compressed in the way TYPE (ELFCOMPRESS_*) and was not unpacked: -ENOTSUP, or
 * -EBADMSG when this libelf knows the way, with a sentence.
 */
int unpack_refused(const char *what, uint32_t type, struct err *e);
/* Does this libelf know zstd? Tried, not told by its version: it may have been built without. */
bool unpack_knows_zstd(void);

#endif
