# SPDX-License-Identifier: BSD-2-Clause
# src/push: one "libsberf_engine_a_SOURCES += src/push/FILE" a line, headers too.
libsberf_engine_a_SOURCES += src/push/pushbody.c
libsberf_engine_a_SOURCES += src/push/pushbody.h
libsberf_engine_a_SOURCES += src/push/pusher.c
libsberf_engine_a_SOURCES += src/push/pusher.h
libsberf_engine_a_SOURCES += src/push/pushurl.c
libsberf_engine_a_SOURCES += src/push/pushurl.h
