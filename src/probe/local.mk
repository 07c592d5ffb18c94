# SPDX-License-Identifier: BSD-2-Clause
# src/probe: one "libsberf_a_SOURCES += src/probe/FILE" a line, headers too.
libsberf_a_SOURCES += src/probe/kinds.c
libsberf_a_SOURCES += src/probe/kinds.h
libsberf_a_SOURCES += src/probe/spec.c
libsberf_a_SOURCES += src/probe/spec.h
libsberf_a_SOURCES += src/probe/spec_expr.c
libsberf_a_SOURCES += src/probe/spec_read.h
libsberf_a_SOURCES += src/probe/spec_text.c
