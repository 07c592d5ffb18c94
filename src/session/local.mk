# SPDX-License-Identifier: BSD-2-Clause
# src/session: one "libsberf_a_SOURCES += src/session/FILE" a line, headers too.
libsberf_a_SOURCES += src/session/backends.c
libsberf_a_SOURCES += src/session/backends.h
libsberf_a_SOURCES += src/session/recording_text.c
libsberf_a_SOURCES += src/session/recording_text.h
libsberf_a_SOURCES += src/session/session.h
