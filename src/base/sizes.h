/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sizes.h - says how large buffers are: large enough to be quick, or small in builds for fuzzing
 * (configure --enable-fuzzers).
 *
 * With small buffers, short inputs fill several of them and reach the code at their borders, and a
 * run costs less. Only sizes that cannot be seen from outside are here, and no limits of what sberf
 * reads or writes.
 */
#ifndef SBERF_BASE_SIZES_H
#define SBERF_BASE_SIZES_H

#ifdef SMALL_BUFFERS
#define BUFFER_SIZE(usual, small) (small)
#else
#define BUFFER_SIZE(usual, small) (usual)
#endif

#endif
