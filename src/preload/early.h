/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * early.h - memory for those who allocate while the functions that allocate are looked up: dlsym(3) does,
 * in some C libraries. It is never given back.
 */
#ifndef SBERF_PRELOAD_EARLY_H
#define SBERF_PRELOAD_EARLY_H

#include <stdbool.h>
#include <stddef.h>

/* SIZE bytes of zeros, at a multiple of ALIGN, a power of two; NULL with errno ENOMEM when there are none left. */
void *early_allocate(size_t size, size_t align);
/* Whether P is such memory. */
bool early_is(const void *p);
/* How many bytes there are from P on: at least as many as were asked for. */
size_t early_rest(const void *p);

#endif
