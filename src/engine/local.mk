# SPDX-License-Identifier: BSD-2-Clause
# src/engine: one "libsberf_a_SOURCES += src/engine/FILE" a line, headers too.
libsberf_a_SOURCES += src/engine/engine.h
