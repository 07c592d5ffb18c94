# SPDX-License-Identifier: BSD-2-Clause
# src/profile: one "libsberf_a_SOURCES += src/profile/FILE" a line, headers too.
libsberf_a_SOURCES += src/profile/dict.c
libsberf_a_SOURCES += src/profile/dict.h
libsberf_a_SOURCES += src/profile/meta.h
libsberf_a_SOURCES += src/profile/profile.h
libsberf_a_SOURCES += src/profile/query.h
