# SPDX-License-Identifier: BSD-2-Clause
# src/annotate: one "libsberf_engine_a_SOURCES += src/annotate/FILE" a line, headers too.
libsberf_engine_a_SOURCES += src/annotate/annotation.c
libsberf_engine_a_SOURCES += src/annotate/annotation.h
libsberf_engine_a_SOURCES += src/annotate/disasm.c
libsberf_engine_a_SOURCES += src/annotate/disasm.h
libsberf_engine_a_SOURCES += src/annotate/listing.c
libsberf_engine_a_SOURCES += src/annotate/listing.h
libsberf_engine_a_SOURCES += src/annotate/srcfile.c
libsberf_engine_a_SOURCES += src/annotate/srcfile.h
libsberf_engine_a_SOURCES += src/annotate/which.c
libsberf_engine_a_SOURCES += src/annotate/which.h
