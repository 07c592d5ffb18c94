/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_debug.h - finds the debug information of the running kernel: the file "vmlinux" with its sections of DWARF,
 * as distributions pack it apart. Whether a file is that of this kernel is told by its build-id, which the kernel has
 * in /sys/kernel/notes. The kernel runs at other addresses than the file says (KASLR), all of them shifted alike.
 *
 * Modules have files of their own (module_debug.h).
 */
#ifndef SBERF_SYMBOL_KERNEL_DEBUG_H
#define SBERF_SYMBOL_KERNEL_DEBUG_H

#include "base/err.h"
#include "model/raw.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_debug {
	int fd;                  /* of the file; the owner closes it */
	char path[PATH_MAX];     /* where it was found */
	uint64_t shift;          /* an address of the kernel less this one is that of the file */
};

/* A kernel whose debug information is looked for. */
struct kernel_debug_of {
	const char *release;     /* as uname -r has it */
	uint8_t build_id[BUILD_ID_MAX], build_id_len;    /* 0 bytes = it does not say: every file is refused */
	uint64_t text;           /* the address of _text; 0 = it is hidden */
};

/* The release of the running kernel, as uname -r has it. */
const char *kernel_debug_release(void);

/* The running kernel, to *RET. 0, or a negative errno with a sentence when it does not say what build it is. */
int kernel_debug_running(struct kernel_debug_of *ret, struct err *e);

/*
 * Looks for the file of the kernel OF where distributions and builds keep it, below SYMFS (NULL = nowhere else) and
 * here; and, with FETCH, on the servers of DEBUGINFOD_URLS, which takes as long as a download does. 0; -ENOENT with a
 * sentence that says where it was not, and which file was of another build; -ENOTSUP: FETCH cannot be had.
 */
int kernel_debug_find(const struct kernel_debug_of *of, const char *symfs, bool fetch, struct kernel_debug *ret,
		      struct err *e);

/*
 * A file with the debug information of what has the build-id ID of LEN bytes, and is called NAME, from the servers of
 * DEBUGINFOD_URLS: a descriptor, which is the caller's. -ENOENT with a sentence; -ENOTSUP: that cannot be had here.
 */
int kernel_debug_fetch(const uint8_t *id, uint8_t len, const char *name, struct err *e);

/* The build-id among the LEN bytes of ELF notes at NOTES, to ID. Returns its length, 0 = there is none. */
uint8_t kernel_debug_build_id(const void *notes, size_t len, uint8_t id[BUILD_ID_MAX]);

#endif
