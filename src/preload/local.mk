# SPDX-License-Identifier: BSD-2-Clause
# src/preload: the library that record --memory=preload puts into a program. It is no part of sberf: nothing of ours is linked into it.
memorydir = $(libdir)/sberf
memory_PROGRAMS = libsberf-memory.so
libsberf_memory_so_SOURCES =
libsberf_memory_so_CFLAGS = -std=gnu11 -fPIC -fvisibility=hidden -fno-builtin -fasynchronous-unwind-tables -ftls-model=initial-exec -O2 \
	$(WARN_CFLAGS)
libsberf_memory_so_LDFLAGS = -shared -Wl,-soname,libsberf-memory.so -Wl,-z,now -Wl,--as-needed
libsberf_memory_so_LDADD =
libsberf_memory_so_SOURCES += src/preload/allocate.c
libsberf_memory_so_SOURCES += src/preload/early.c
libsberf_memory_so_SOURCES += src/preload/early.h
libsberf_memory_so_SOURCES += src/preload/note.h
libsberf_memory_so_SOURCES += src/preload/operators.c
libsberf_memory_so_SOURCES += src/preload/sampled.c
libsberf_memory_so_SOURCES += src/preload/sampled.h
libsberf_memory_so_SOURCES += src/preload/tell.h
