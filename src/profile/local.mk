# SPDX-License-Identifier: BSD-2-Clause
# src/profile: one "libsberf_engine_a_SOURCES += src/profile/FILE" a line, headers too.
libsberf_engine_a_SOURCES += src/profile/carried.c
libsberf_engine_a_SOURCES += src/profile/carried.h
libsberf_engine_a_SOURCES += src/profile/heat.c
libsberf_engine_a_SOURCES += src/profile/heat.h
libsberf_engine_a_SOURCES += src/profile/meta.h
libsberf_engine_a_SOURCES += src/profile/profile.c
libsberf_engine_a_SOURCES += src/profile/profile.h
libsberf_engine_a_SOURCES += src/profile/slice.c
libsberf_engine_a_SOURCES += src/profile/slice.h
libsberf_engine_a_SOURCES += src/profile/snapshot.c
libsberf_engine_a_SOURCES += src/profile/snapshot.h
libsberf_engine_a_SOURCES += src/profile/timeline.c
libsberf_engine_a_SOURCES += src/profile/timeline.h
