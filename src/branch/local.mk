# SPDX-License-Identifier: BSD-2-Clause
# src/branch: one "libsberf_engine_a_SOURCES += src/branch/FILE" a line, headers too.
libsberf_engine_a_SOURCES += src/branch/branch.h
libsberf_engine_a_SOURCES += src/branch/calls.c
libsberf_engine_a_SOURCES += src/branch/calls.h
libsberf_engine_a_SOURCES += src/branch/entries.c
libsberf_engine_a_SOURCES += src/branch/entries.h
libsberf_engine_a_SOURCES += src/branch/graph.c
libsberf_engine_a_SOURCES += src/branch/graph.h
libsberf_engine_a_SOURCES += src/branch/show.c
libsberf_engine_a_SOURCES += src/branch/show.h
libsberf_engine_a_SOURCES += src/branch/sums.c
libsberf_engine_a_SOURCES += src/branch/sums.h
libsberf_engine_a_SOURCES += src/branch/jump_x86_64.c
libsberf_engine_a_SOURCES += src/branch/jumps.c
libsberf_engine_a_SOURCES += src/branch/jumps.h
