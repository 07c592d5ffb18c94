# SPDX-License-Identifier: BSD-2-Clause
# src/export: one "libsberf_a_SOURCES += src/export/FILE" a line, headers too.
libsberf_a_SOURCES += src/export/export.h
libsberf_a_SOURCES += src/export/folded.c
libsberf_a_SOURCES += src/export/out.c
libsberf_a_SOURCES += src/export/out.h
libsberf_a_SOURCES += src/export/summary.c
libsberf_a_SOURCES += src/export/text.c
libsberf_a_SOURCES += src/export/waits.c
