# SPDX-License-Identifier: BSD-2-Clause
# src/holder: the program sberf-collector, which has of the core and of the capture what it needs itself.
sberfcollectordir = $(memorydir)
sberfcollector_PROGRAMS = sberf-collector
sberf_collector_SOURCES = src/holder/collector_main.c
sberf_collector_SOURCES += src/holder/holder.c
sberf_collector_SOURCES += src/holder/holder.h
sberf_collector_LDADD = libsberf_engine.a libsberf_core.a $(LIBBPF_LIBS) $(SECCOMP_LIBS)
