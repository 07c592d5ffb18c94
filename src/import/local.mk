# SPDX-License-Identifier: BSD-2-Clause
# src/import: one "libsberf_a_SOURCES += src/import/FILE" a line, headers too.
libsberf_a_SOURCES += src/import/read_folded.c
libsberf_a_SOURCES += src/import/import.c
libsberf_a_SOURCES += src/import/import.h
libsberf_a_SOURCES += src/import/lines.c
libsberf_a_SOURCES += src/import/lines.h
libsberf_a_SOURCES += src/import/packed.c
libsberf_a_SOURCES += src/import/packed.h
libsberf_a_SOURCES += src/import/perfevents.c
libsberf_a_SOURCES += src/import/perfevents.h
libsberf_a_SOURCES += src/import/perfline.c
libsberf_a_SOURCES += src/import/perfline.h
libsberf_a_SOURCES += src/import/read_heaptrack.c
libsberf_a_SOURCES += src/import/read_perfscript.c
libsberf_a_SOURCES += src/import/import_state.h
libsberf_a_SOURCES += src/import/sink.c
libsberf_a_SOURCES += src/import/sink.h
