/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sizes.h - how large buffers are: as large as is quick, or small in builds for fuzzing (configure --enable-fuzzers).
 *
 * With small ones short inputs fill several of them and reach the code at their borders, and a run costs less. Only what nobody can see
 * from outside has a size of this kind: not what is a limit of what is read or written.
 */
#ifndef SBERF_BASE_SIZES_H
#define SBERF_BASE_SIZES_H

#ifdef SMALL_BUFFERS
#define BUFFER_SIZE(usual, small) (small)
#else
#define BUFFER_SIZE(usual, small) (usual)
#endif

#endif
