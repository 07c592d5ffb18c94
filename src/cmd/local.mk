# SPDX-License-Identifier: BSD-2-Clause
# src/cmd: one "sberf_SOURCES += src/cmd/FILE" a line, headers too.
