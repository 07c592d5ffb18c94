/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vdso_file.h - describes the vDSO of this process, which is the same in every other 64-bit process
 * of the running kernel.
 */
#ifndef SBERF_PROCESS_VDSO_FILE_H
#define SBERF_PROCESS_VDSO_FILE_H

#include <stddef.h>

/*
 * Its first byte and, in *RET_LEN, the length of its mapping; NULL when there is none. Lives as
 * long as this process.
 */
const void *vdso_find(size_t *ret_len);

/* A read-only file with its bytes: an fd owned by the caller or a negative errno. */
int vdso_open(void);

#endif
