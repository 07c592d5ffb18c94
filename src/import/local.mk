# SPDX-License-Identifier: BSD-2-Clause
# src/import: one "libsberf_engine_a_SOURCES += src/import/FILE" a line, headers too.
libsberf_engine_a_SOURCES += src/import/read_folded.c
libsberf_engine_a_SOURCES += src/import/import.c
libsberf_engine_a_SOURCES += src/import/import.h
libsberf_engine_a_SOURCES += src/import/lines.c
libsberf_engine_a_SOURCES += src/import/lines.h
libsberf_engine_a_SOURCES += src/import/packed.c
libsberf_engine_a_SOURCES += src/import/packed.h
libsberf_engine_a_SOURCES += src/import/perfevents.c
libsberf_engine_a_SOURCES += src/import/perfevents.h
libsberf_engine_a_SOURCES += src/import/perfline.c
libsberf_engine_a_SOURCES += src/import/perfline.h
libsberf_engine_a_SOURCES += src/import/read_heaptrack.c
libsberf_engine_a_SOURCES += src/import/read_perfscript.c
libsberf_engine_a_SOURCES += src/import/import_state.h
libsberf_engine_a_SOURCES += src/import/sink.c
libsberf_engine_a_SOURCES += src/import/sink.h
