# SPDX-License-Identifier: BSD-2-Clause
# src/lib: libsberf for other programs, a facade over libsberf_core.a: "libsberf_api_a_SOURCES += src/lib/FILE" a line.
#
# The shared library is linked by one command and not by libtool: sberf runs on Linux alone, and so its objects are compiled once,
# position-independent, for all that they are in.
libsberf_api_a_SOURCES += src/lib/adding.c
libsberf_api_a_SOURCES += src/lib/handle.c
libsberf_api_a_SOURCES += src/lib/handle.h
libsberf_api_a_SOURCES += src/lib/naming.c
libsberf_api_a_SOURCES += src/lib/putting.c
libsberf_api_a_SOURCES += src/lib/remote.c
libsberf_api_a_SOURCES += src/lib/remote.h
libsberf_api_a_SOURCES += src/lib/taking.c
libsberf_api_a_SOURCES += src/lib/unwinding.c

sberfincludedir = $(includedir)/sberf
sberfinclude_HEADERS = src/include/sberf/bpf.h
sberfinclude_HEADERS += src/include/sberf/plugin.h
sberfinclude_HEADERS += src/include/sberf/record.h
sberfinclude_HEADERS += src/include/sberf/symbolize.h
sberfinclude_HEADERS += src/include/sberf/unwind.h

# Its interface is what src/lib/libsberf.map says. A change that breaks programs takes another soname.
sharedlibdir = $(libdir)
sharedlib_PROGRAMS = libsberf.so.0.1.0
libsberf_so_0_1_0_SOURCES =
libsberf_so_0_1_0_LDFLAGS = $(AM_LDFLAGS) -shared -Wl,-soname,libsberf.so.0 -Wl,--version-script=$(top_srcdir)/src/lib/libsberf.map \
	-Wl,-z,now -Wl,-z,defs -Wl,--as-needed
libsberf_so_0_1_0_LDADD = $(WHOLE_ARCHIVE) libsberf_api.a $(NO_WHOLE_ARCHIVE) libsberf_core.a $(library_libs)
libsberf_so_0_1_0_DEPENDENCIES = libsberf_api.a libsberf_core.a src/lib/libsberf.map
library_libs = $(LIBDW_LIBS) $(LIBELF_LIBS) $(LZMA_LIBS) $(ZLIB_LIBS) $(IBERTY_LIBS)
EXTRA_DIST += src/lib/libsberf.map

# The static one is a single object in which the names of all that is not the interface are local: none of them can meet one of the program's.
staticlibdir = $(libdir)
staticlib_DATA = src/lib/libsberf.a
src/lib/libsberf.o: libsberf_api.a libsberf_core.a
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(CC) -r -nostdlib -o $@.tmp $(WHOLE_ARCHIVE) libsberf_api.a $(NO_WHOLE_ARCHIVE) libsberf_core.a && \
		$(OBJCOPY) --localize-hidden $@.tmp $@ && rm -f $@.tmp
src/lib/libsberf.a: src/lib/libsberf.o
	$(AM_V_AR)rm -f $@ && $(AR) $(ARFLAGS) $@ $< && $(RANLIB) $@
CLEANFILES += src/lib/libsberf.a src/lib/libsberf.o

pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = src/lib/sberf.pc

install-data-hook:
	cd $(DESTDIR)$(libdir) && ln -sf libsberf.so.0.1.0 libsberf.so.0 && ln -sf libsberf.so.0 libsberf.so

uninstall-hook:
	rm -f $(DESTDIR)$(libdir)/libsberf.so.0 $(DESTDIR)$(libdir)/libsberf.so
