# SPDX-License-Identifier: BSD-2-Clause
# src/export: one "libsberf_a_SOURCES += src/export/FILE" a line, headers too.
