/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vdso.h - reads the kernel's own shared library (vDSO), which is in no file but in every process.
 */
#ifndef SBERF_SYMBOL_VDSO_H
#define SBERF_SYMBOL_VDSO_H

#include <stddef.h>

/* The vDSO of this process with its length in bytes: memory that lives for ever; NULL when there is none. */
const void *vdso_image(size_t *ret_len);

#endif
