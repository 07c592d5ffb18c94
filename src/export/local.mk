# SPDX-License-Identifier: BSD-2-Clause
# src/export: one "libsberf_engine_a_SOURCES += src/export/FILE" a line, headers too.
libsberf_engine_a_SOURCES += src/export/annotated.c
libsberf_engine_a_SOURCES += src/export/callgrind.c
libsberf_engine_a_SOURCES += src/export/events.c
libsberf_engine_a_SOURCES += src/export/events.h
libsberf_engine_a_SOURCES += src/export/exporter.c
libsberf_engine_a_SOURCES += src/export/exporter.h
libsberf_engine_a_SOURCES += src/export/exporters.c
libsberf_engine_a_SOURCES += src/export/diff_view.h
libsberf_engine_a_SOURCES += src/export/diffflame.c
libsberf_engine_a_SOURCES += src/export/difftext.c
libsberf_engine_a_SOURCES += src/export/flame.c
libsberf_engine_a_SOURCES += src/export/flame.h
libsberf_engine_a_SOURCES += src/export/figures.c
libsberf_engine_a_SOURCES += src/export/figures.h
libsberf_engine_a_SOURCES += src/export/flame_data.c
libsberf_engine_a_SOURCES += src/export/flame_growth.c
libsberf_engine_a_SOURCES += src/export/flame_growth.h
libsberf_engine_a_SOURCES += src/export/flame_plan.c
libsberf_engine_a_SOURCES += src/export/flame_plan.h
libsberf_engine_a_SOURCES += src/export/flame_still.c
libsberf_engine_a_SOURCES += src/export/fold.c
libsberf_engine_a_SOURCES += src/export/fold.h
libsberf_engine_a_SOURCES += src/export/flat.c
libsberf_engine_a_SOURCES += src/export/firefox.c
libsberf_engine_a_SOURCES += src/export/folded.c
libsberf_engine_a_SOURCES += src/export/frames.c
libsberf_engine_a_SOURCES += src/export/frames.h
libsberf_engine_a_SOURCES += src/export/fxmarkers.c
libsberf_engine_a_SOURCES += src/export/fxmarkers.h
libsberf_engine_a_SOURCES += src/export/fxtables.c
libsberf_engine_a_SOURCES += src/export/fxtables.h
libsberf_engine_a_SOURCES += src/export/gzout.c
libsberf_engine_a_SOURCES += src/export/gzout.h
libsberf_engine_a_SOURCES += src/export/json.c
libsberf_engine_a_SOURCES += src/export/lockstext.c
libsberf_engine_a_SOURCES += src/export/lockstext.h
libsberf_engine_a_SOURCES += src/export/json.h
libsberf_engine_a_SOURCES += src/export/jsondiff.c
libsberf_engine_a_SOURCES += src/export/jsonout.c
libsberf_engine_a_SOURCES += src/export/jsonout.h
libsberf_engine_a_SOURCES += src/export/jsonprobes.c
libsberf_engine_a_SOURCES += src/export/jsontree.c
libsberf_engine_a_SOURCES += src/export/jsonwaits.c
libsberf_engine_a_SOURCES += src/export/address_layout.c
libsberf_engine_a_SOURCES += src/export/address_layout.h
libsberf_engine_a_SOURCES += src/export/html.c
libsberf_engine_a_SOURCES += src/export/numatext.c
libsberf_engine_a_SOURCES += src/export/out.c
libsberf_engine_a_SOURCES += src/export/out.h
libsberf_engine_a_SOURCES += src/export/outfile.c
libsberf_engine_a_SOURCES += src/export/outfile.h
libsberf_engine_a_SOURCES += src/export/perfdata.c
libsberf_engine_a_SOURCES += src/export/perfdata.h
libsberf_engine_a_SOURCES += src/export/perfdata_head.c
libsberf_engine_a_SOURCES += src/export/perfscript.c
libsberf_engine_a_SOURCES += src/export/pprof.c
libsberf_engine_a_SOURCES += src/export/pprofparts.c
libsberf_engine_a_SOURCES += src/export/pprofparts.h
libsberf_engine_a_SOURCES += src/export/jsonmemory.c
libsberf_engine_a_SOURCES += src/export/leakstext.c
libsberf_engine_a_SOURCES += src/export/memoryhead.c
libsberf_engine_a_SOURCES += src/export/memoryhead.h
libsberf_engine_a_SOURCES += src/export/memorytext.c
libsberf_engine_a_SOURCES += src/export/memorydiff.c
libsberf_engine_a_SOURCES += src/export/probestext.c
libsberf_engine_a_SOURCES += src/export/recording_out.c
libsberf_engine_a_SOURCES += src/export/speedscope.c
libsberf_engine_a_SOURCES += src/export/summary.c
libsberf_engine_a_SOURCES += src/export/label_sums.c
libsberf_engine_a_SOURCES += src/export/label_sums.h
libsberf_engine_a_SOURCES += src/export/svg.c
libsberf_engine_a_SOURCES += src/export/treetext.c
libsberf_engine_a_SOURCES += src/export/waitstext.c
libsberf_engine_a_SOURCES += src/export/export_view.h
libsberf_engine_a_SOURCES += src/export/waitchain.c
libsberf_engine_a_SOURCES += src/export/waitchain.h

# The messages of pprof, as C that protobuf-c's compiler makes; both files are in the build directory.
src/export/pprof.pb-c.c: src/export/pprof.proto
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(PROTOC_C) --proto_path=$(top_srcdir) --c_out=$(top_builddir) $<

src/export/pprof.pb-c.h: src/export/pprof.pb-c.c
	@test -f $@ || { rm -f $<; $(MAKE) $(AM_MAKEFLAGS) $<; }

nodist_libsberf_engine_a_SOURCES = src/export/pprof.pb-c.c
BUILT_SOURCES += src/export/pprof.pb-c.h
CLEANFILES += src/export/pprof.pb-c.c src/export/pprof.pb-c.h
EXTRA_DIST += src/export/pprof.proto
# The viewer of flame graphs: scripts and style become C strings, which flame_plan.c includes.
flame_viewer_parts = \
	src/export/flame.css \
	src/export/flame_app.js \
	src/export/flame_draw.js \
	src/export/flame_model.js \
	src/export/flame_page.js \
	src/export/flame_start.js \
	src/export/flame_table.js
EXTRA_DIST += src/export/embed.sh $(flame_viewer_parts)
BUILT_SOURCES += src/export/flame_viewer.h
CLEANFILES += src/export/flame_viewer.h

src/export/flame_viewer.h: src/export/embed.sh $(flame_viewer_parts)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && sh $(top_srcdir)/src/export/embed.sh $(top_srcdir)/src/export >$@.tmp && mv $@.tmp $@
