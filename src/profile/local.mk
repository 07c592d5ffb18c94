# SPDX-License-Identifier: BSD-2-Clause
# src/profile: one "libsberf_a_SOURCES += src/profile/FILE" a line, headers too.
