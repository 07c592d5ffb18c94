# SPDX-License-Identifier: BSD-2-Clause
# src/process: one "libsberf_a_SOURCES += src/process/FILE" a line, headers too.
libsberf_a_SOURCES += src/process/process.h
libsberf_a_SOURCES += src/process/lookup.c
libsberf_a_SOURCES += src/process/lookup.h
