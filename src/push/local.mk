# SPDX-License-Identifier: BSD-2-Clause
# src/push: one "libsberf_engine_a_SOURCES += src/push/FILE" a line, headers too.
libsberf_engine_a_SOURCES += src/push/https.c
libsberf_engine_a_SOURCES += src/push/https.h
libsberf_engine_a_SOURCES += src/push/otlp.c
libsberf_engine_a_SOURCES += src/push/otlp.h
libsberf_engine_a_SOURCES += src/push/retryafter.c
libsberf_engine_a_SOURCES += src/push/retryafter.h
libsberf_engine_a_SOURCES += src/push/pushbody.c
libsberf_engine_a_SOURCES += src/push/pushbody.h
libsberf_engine_a_SOURCES += src/push/pusher.c
libsberf_engine_a_SOURCES += src/push/pusher.h
libsberf_engine_a_SOURCES += src/push/pushurl.c
libsberf_engine_a_SOURCES += src/push/pushurl.h
libsberf_engine_a_SOURCES += src/push/window.c
libsberf_engine_a_SOURCES += src/push/window.h

# The messages of OTLP, as those of pprof (src/export/local.mk).
src/push/otlp.pb-c.c: src/push/otlp.proto
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(PROTOC_C) --proto_path=$(top_srcdir) --c_out=$(top_builddir) $<

src/push/otlp.pb-c.h: src/push/otlp.pb-c.c
	@test -f $@ || { rm -f $<; $(MAKE) $(AM_MAKEFLAGS) $<; }

nodist_libsberf_engine_a_SOURCES += src/push/otlp.pb-c.c
BUILT_SOURCES += src/push/otlp.pb-c.h
CLEANFILES += src/push/otlp.pb-c.c src/push/otlp.pb-c.h
EXTRA_DIST += src/push/otlp.proto
