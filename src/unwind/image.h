/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * image.h - holds what unwinding needs of one ELF file, read into memory once.
 *
 * An image is made from an open file by whoever may wait for a disk (the module loader) and then
 * handed to the one thread that unwinds: a libdw handle has one owner. After image_open() returned,
 * nothing touches the file again, so a file that is truncated, replaced or sits on a hanging file
 * system later does no harm.
 */
#ifndef SBERF_UNWIND_IMAGE_H
#define SBERF_UNWIND_IMAGE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "model/raw.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;

/*
 * Reads program headers, build-id and call-frame information of the ELF file at FD (borrowed). FD
 * must be a regular file.
 */
int image_open(int fd, struct image **ret, struct err *e);
/* The same from LEN bytes at DATA (copied): the vDSO, or a fixture. */
int image_from_memory(const void *data, size_t len, struct image **ret, struct err *e);
/*
 * Where the function NAME of a program of Go is, by the table that its runtime has, which stripping leaves. False where
 * there is none, also in a program with .debug_frame, which has symbols.
 */
bool image_go_function(const struct image *im, const char *name, uint64_t *ret_vaddr, uint64_t *ret_size);
/*
 * Of SIZE bytes of code for the ELF e_machine MACHINE, at offset and address 0, which the LEN bytes
 * of .eh_frame at DATA (copied) describe as if they lay at the next multiple of 8 behind it.
 * -ENOEXEC when they cannot be used.
 */
int image_from_cfi(uint32_t machine, uint64_t size, const void *data, size_t len, struct image **ret, struct err *e);
void image_free(struct image *im);               /* NULL is fine */

/* Bytes of the build-id copied to ID; 0 = none. */
uint8_t image_build_id(const struct image *im, uint8_t id[BUILD_ID_MAX]);

/* What of its call-frame information cannot be used, though it is there: the sentence of an error; code 0 = nothing. */
const struct err *image_lacks(const struct image *im);

/* File offset -> ELF virtual address by the PT_LOAD that covers it, executable ones first; false when none does. */
bool image_vaddr(const struct image *im, uint64_t offset, uint64_t *ret_vaddr);

/* Whether the file has code or data at VADDR, what it leaves zero included. */
bool image_holds(const struct image *im, uint64_t vaddr);

size_t image_bytes(const struct image *im);      /* memory held, estimated */

DEFINE_AUTO(image_free, struct image);

#endif
