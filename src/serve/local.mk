# SPDX-License-Identifier: BSD-2-Clause
# src/serve: one "libsberf_engine_a_SOURCES += src/serve/FILE" a line, headers too.
libsberf_engine_a_SOURCES += src/serve/answer.c
libsberf_engine_a_SOURCES += src/serve/answer.h
libsberf_engine_a_SOURCES += src/serve/answerer.c
libsberf_engine_a_SOURCES += src/serve/answerer.h
libsberf_engine_a_SOURCES += src/serve/connection.c
libsberf_engine_a_SOURCES += src/serve/connection.h
libsberf_engine_a_SOURCES += src/serve/growths.c
libsberf_engine_a_SOURCES += src/serve/growths.h
libsberf_engine_a_SOURCES += src/serve/page.c
libsberf_engine_a_SOURCES += src/serve/page.h
libsberf_engine_a_SOURCES += src/serve/panes.c
libsberf_engine_a_SOURCES += src/serve/panes.h
libsberf_engine_a_SOURCES += src/serve/admission.c
libsberf_engine_a_SOURCES += src/serve/admission.h
libsberf_engine_a_SOURCES += src/serve/question.c
libsberf_engine_a_SOURCES += src/serve/question.h
libsberf_engine_a_SOURCES += src/serve/server.c
libsberf_engine_a_SOURCES += src/serve/server.h

# The page: the viewer of the HTML export and what is around it become C strings, which page.c includes.
serve_viewer_parts = \
	src/serve/serve.css \
	src/serve/serve_list.js \
	src/serve/serve_start.js \
	src/serve/serve_strip.js \
	src/serve/serve_tree.js
EXTRA_DIST += $(serve_viewer_parts)
BUILT_SOURCES += src/serve/serve_viewer.h
CLEANFILES += src/serve/serve_viewer.h

src/serve/serve_viewer.h: src/export/embed.sh $(flame_viewer_parts) $(serve_viewer_parts)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && sh $(top_srcdir)/src/export/embed.sh $(top_srcdir)/src/export $(top_srcdir)/src/serve >$@.tmp && mv $@.tmp $@
