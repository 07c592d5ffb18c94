# SPDX-License-Identifier: BSD-2-Clause
# src/unwind: one "libsberf_a_SOURCES += src/unwind/FILE" a line, headers too.
libsberf_a_SOURCES += src/unwind/image.h
libsberf_a_SOURCES += src/unwind/unwind.h
