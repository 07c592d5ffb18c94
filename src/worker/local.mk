# SPDX-License-Identifier: BSD-2-Clause
# src/worker: the program in which plug-ins run and files of others are read, which has of the core what it needs itself.
sberfworkerdir = $(memorydir)
sberfworker_PROGRAMS = sberf-worker
sberf_worker_SOURCES = src/worker/worker_main.c
sberf_worker_SOURCES += src/worker/image_serving.c
sberf_worker_SOURCES += src/worker/image_serving.h
sberf_worker_SOURCES += src/worker/names_serving.c
sberf_worker_SOURCES += src/worker/names_serving.h
sberf_worker_SOURCES += src/worker/worker_files.c
sberf_worker_SOURCES += src/plugin/serving.c
sberf_worker_SOURCES += src/plugin/serving.h
sberf_worker_LDADD = libsberf_core.a $(core_libs)
