# SPDX-License-Identifier: BSD-2-Clause
# src/plugin: one "libsberf_core_a_SOURCES += src/plugin/FILE" a line, headers too; and the program in which plug-ins run, which has of
# the core what it needs itself.
libsberf_core_a_SOURCES += src/plugin/call.c
libsberf_core_a_SOURCES += src/plugin/call.h
libsberf_core_a_SOURCES += src/plugin/find.c
libsberf_core_a_SOURCES += src/plugin/find.h
libsberf_core_a_SOURCES += src/plugin/hosted.c
libsberf_core_a_SOURCES += src/plugin/hosted.h
libsberf_core_a_SOURCES += src/plugin/in_process.c
libsberf_core_a_SOURCES += src/plugin/in_process.h
libsberf_core_a_SOURCES += src/plugin/load.c
libsberf_core_a_SOURCES += src/plugin/load.h
libsberf_core_a_SOURCES += src/plugin/message.c
libsberf_core_a_SOURCES += src/plugin/message.h
libsberf_core_a_SOURCES += src/plugin/in_worker.c
libsberf_core_a_SOURCES += src/plugin/in_worker.h
libsberf_core_a_SOURCES += src/plugin/plugins.c
libsberf_core_a_SOURCES += src/plugin/plugins.h
libsberf_core_a_SOURCES += src/plugin/targetview.c
libsberf_core_a_SOURCES += src/plugin/targetview.h
libsberf_core_a_SOURCES += src/plugin/worker.c
libsberf_core_a_SOURCES += src/plugin/worker.h
libsberf_core_a_SOURCES += src/plugin/cpython.c
libsberf_core_a_SOURCES += src/plugin/cpython.h
libsberf_core_a_SOURCES += src/plugin/cpython_layout.c
libsberf_core_a_SOURCES += src/plugin/cpython_layout.h
libsberf_core_a_SOURCES += src/plugin/cpython_text.c
libsberf_core_a_SOURCES += src/plugin/cpython_text.h

sberfworkerdir = $(memorydir)
sberfworker_PROGRAMS = sberf-worker
sberf_worker_SOURCES = src/plugin/worker_main.c
sberf_worker_SOURCES += src/plugin/sandbox.c
sberf_worker_SOURCES += src/plugin/sandbox.h
sberf_worker_SOURCES += src/plugin/serving.c
sberf_worker_SOURCES += src/plugin/serving.h
sberf_worker_LDADD = libsberf_core.a $(SECCOMP_LIBS) $(LIBELF_LIBS) $(IBERTY_LIBS)
