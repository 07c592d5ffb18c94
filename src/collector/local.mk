# SPDX-License-Identifier: BSD-2-Clause
# src/collector: what sberf asks the collector with, and what that is made of beside src/holder, one
# "libsberf_core_a_SOURCES += src/collector/FILE" a line, headers too.
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
libsberf_core_a_SOURCES += src/collector/proclink.c
libsberf_core_a_SOURCES += src/collector/proclink.h
