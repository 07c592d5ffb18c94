# SPDX-License-Identifier: BSD-2-Clause
# src/symbol: one "libsberf_a_SOURCES += src/symbol/FILE" a line, headers too.
