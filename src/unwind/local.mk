# SPDX-License-Identifier: BSD-2-Clause
# src/unwind: one "libsberf_a_SOURCES += src/unwind/FILE" a line, headers too.
libsberf_a_SOURCES += src/unwind/arch.h
libsberf_a_SOURCES += src/unwind/image.c
libsberf_a_SOURCES += src/unwind/image.h
libsberf_a_SOURCES += src/unwind/image_copy.c
libsberf_a_SOURCES += src/unwind/image_gaps.c
libsberf_a_SOURCES += src/unwind/image_go.c
libsberf_a_SOURCES += src/unwind/image_impl.h
libsberf_a_SOURCES += src/unwind/image_marks.c
libsberf_a_SOURCES += src/unwind/image_marks_x86_64.c
libsberf_a_SOURCES += src/unwind/rules.c
libsberf_a_SOURCES += src/unwind/rules.h
libsberf_a_SOURCES += src/unwind/slow.c
libsberf_a_SOURCES += src/unwind/unwind.c
libsberf_a_SOURCES += src/unwind/unwind.h
libsberf_a_SOURCES += src/unwind/unwind_x86_64.c
libsberf_a_SOURCES += src/unwind/walk.h
