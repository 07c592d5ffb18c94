# SPDX-License-Identifier: BSD-2-Clause
# ui: one "libsberfui_a_SOURCES += ui/FILE" a line, headers too.
libsberfui_a_SOURCES += ui/feed.h
