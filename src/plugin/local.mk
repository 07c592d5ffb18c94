# SPDX-License-Identifier: BSD-2-Clause
# src/plugin: one "libsberf_engine_a_SOURCES += src/plugin/FILE" a line, headers too.
libsberf_engine_a_SOURCES += src/plugin/cpython.c
libsberf_engine_a_SOURCES += src/plugin/cpython.h
libsberf_engine_a_SOURCES += src/plugin/cpython_layout.c
libsberf_engine_a_SOURCES += src/plugin/cpython_layout.h
libsberf_engine_a_SOURCES += src/plugin/cpython_text.c
libsberf_engine_a_SOURCES += src/plugin/cpython_text.h
