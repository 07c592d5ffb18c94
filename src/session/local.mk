# SPDX-License-Identifier: BSD-2-Clause
# src/session: one "libsberf_engine_a_SOURCES += src/session/FILE" a line, headers too.
libsberf_engine_a_SOURCES += src/session/backends.c
libsberf_engine_a_SOURCES += src/session/backends.h
libsberf_engine_a_SOURCES += src/session/recording_text.c
libsberf_engine_a_SOURCES += src/session/recording_text.h
libsberf_engine_a_SOURCES += src/session/session.h
libsberf_engine_a_SOURCES += src/session/when.c
libsberf_engine_a_SOURCES += src/session/when.h
