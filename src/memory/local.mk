# SPDX-License-Identifier: BSD-2-Clause
# src/memory: one "libsberf_engine_a_SOURCES += src/memory/FILE" a line, headers too.
libsberf_engine_a_SOURCES += src/memory/blocks.c
libsberf_engine_a_SOURCES += src/memory/blocks.h
