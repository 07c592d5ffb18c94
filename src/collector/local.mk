# SPDX-License-Identifier: BSD-2-Clause
# src/collector: what sberf asks the collector with, one "libsberf_core_a_SOURCES += src/collector/FILE" a line, headers too; and the
# program sberf-collector, which has of the core what it needs itself.
libsberf_core_a_SOURCES += src/collector/ask.c
libsberf_core_a_SOURCES += src/collector/ask.h
libsberf_core_a_SOURCES += src/collector/keeper.c
libsberf_core_a_SOURCES += src/collector/keeper.h
libsberf_core_a_SOURCES += src/collector/collector_policy.c
libsberf_core_a_SOURCES += src/collector/collector_policy.h
libsberf_core_a_SOURCES += src/collector/request.h
libsberf_core_a_SOURCES += src/collector/rights.c
libsberf_core_a_SOURCES += src/collector/rights.h
libsberf_core_a_SOURCES += src/collector/grant.c
libsberf_core_a_SOURCES += src/collector/grant.h

sberfcollectordir = $(memorydir)
sberfcollector_PROGRAMS = sberf-collector
sberf_collector_SOURCES = src/collector/collector_main.c
sberf_collector_LDADD = libsberf_core.a $(SECCOMP_LIBS)
