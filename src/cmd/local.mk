# SPDX-License-Identifier: BSD-2-Clause
# src/cmd: one "sberf_SOURCES += src/cmd/FILE" a line, headers too.
sberf_SOURCES += src/cmd/filter.c
sberf_SOURCES += src/cmd/filter.h
sberf_SOURCES += src/cmd/help.c
sberf_SOURCES += src/cmd/help.h
sberf_SOURCES += src/cmd/options.c
sberf_SOURCES += src/cmd/options.h
sberf_SOURCES += src/cmd/optable.c
sberf_SOURCES += src/cmd/optable.h
sberf_SOURCES += src/cmd/doctor.c
sberf_SOURCES += src/cmd/report.c
sberf_SOURCES += src/cmd/record.c
sberf_SOURCES += src/cmd/session.c
sberf_SOURCES += src/cmd/session.h
sberf_SOURCES += src/cmd/feed.c
sberf_SOURCES += src/cmd/feed.h
sberf_SOURCES += src/cmd/top.c
