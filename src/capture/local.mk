# SPDX-License-Identifier: BSD-2-Clause
# src/capture: one "libsberf_a_SOURCES += src/capture/FILE" a line, headers too.
libsberf_a_SOURCES += src/capture/source.h
