# SPDX-License-Identifier: BSD-2-Clause
# src/symbol: one "libsberf_a_SOURCES += src/symbol/FILE" a line, headers too.
libsberf_a_SOURCES += src/symbol/names.c
libsberf_a_SOURCES += src/symbol/names.h
libsberf_a_SOURCES += src/symbol/symbolizer.h
libsberf_a_SOURCES += src/symbol/names.c
libsberf_a_SOURCES += src/symbol/names.h
libsberf_a_SOURCES += src/symbol/symbolizer.h
