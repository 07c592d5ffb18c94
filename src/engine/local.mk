# SPDX-License-Identifier: BSD-2-Clause
# src/engine: one "libsberf_a_SOURCES += src/engine/FILE" a line, headers too.
libsberf_a_SOURCES += src/engine/child.c
libsberf_a_SOURCES += src/engine/child.h
libsberf_a_SOURCES += src/engine/engine.c
libsberf_a_SOURCES += src/engine/engine.h
libsberf_a_SOURCES += src/engine/ingest.c
libsberf_a_SOURCES += src/engine/ingest.h
libsberf_a_SOURCES += src/engine/intern.c
libsberf_a_SOURCES += src/engine/intern.h
libsberf_a_SOURCES += src/engine/parked.c
libsberf_a_SOURCES += src/engine/parked.h
libsberf_a_SOURCES += src/engine/stacksize.c
libsberf_a_SOURCES += src/engine/stacksize.h
libsberf_a_SOURCES += src/engine/target.c
libsberf_a_SOURCES += src/engine/target.h
