# SPDX-License-Identifier: BSD-2-Clause
# src/record: one "libsberf_a_SOURCES += src/record/FILE" a line, headers too.
libsberf_a_SOURCES += src/record/recording.h
