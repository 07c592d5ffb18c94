# SPDX-License-Identifier: BSD-2-Clause
# src/profile: one "libsberf_a_SOURCES += src/profile/FILE" a line, headers too.
libsberf_a_SOURCES += src/profile/carried.c
libsberf_a_SOURCES += src/profile/carried.h
libsberf_a_SOURCES += src/profile/heat.c
libsberf_a_SOURCES += src/profile/heat.h
libsberf_a_SOURCES += src/profile/meta.h
libsberf_a_SOURCES += src/profile/profile.c
libsberf_a_SOURCES += src/profile/profile.h
libsberf_a_SOURCES += src/profile/slice.c
libsberf_a_SOURCES += src/profile/slice.h
libsberf_a_SOURCES += src/profile/snapshot.c
libsberf_a_SOURCES += src/profile/snapshot.h
libsberf_a_SOURCES += src/profile/timeline.c
libsberf_a_SOURCES += src/profile/timeline.h
