# SPDX-License-Identifier: BSD-2-Clause
# src/engine: one "libsberf_a_SOURCES += src/engine/FILE" a line, headers too.
libsberf_a_SOURCES += src/engine/engine.h
libsberf_a_SOURCES += src/engine/parked.c
libsberf_a_SOURCES += src/engine/parked.h
libsberf_a_SOURCES += src/engine/target.c
libsberf_a_SOURCES += src/engine/target.h
libsberf_a_SOURCES += src/engine/stacksize.c
libsberf_a_SOURCES += src/engine/stacksize.h
