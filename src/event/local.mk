# SPDX-License-Identifier: BSD-2-Clause
# src/event: one "libsberf_a_SOURCES += src/event/FILE" a line, headers too.
libsberf_a_SOURCES += src/event/event.h
libsberf_a_SOURCES += src/event/method.c
libsberf_a_SOURCES += src/event/method.h
libsberf_a_SOURCES += src/event/raw.h
libsberf_a_SOURCES += src/event/reasons.c
libsberf_a_SOURCES += src/event/reasons.h
libsberf_a_SOURCES += src/event/wait.c
libsberf_a_SOURCES += src/event/wait.h
libsberf_a_SOURCES += src/event/memory.c
libsberf_a_SOURCES += src/event/memory.h
libsberf_a_SOURCES += src/event/nodeset.c
libsberf_a_SOURCES += src/event/nodeset.h
libsberf_a_SOURCES += src/event/perfname.c
libsberf_a_SOURCES += src/event/perfname.h
