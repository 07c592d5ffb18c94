# SPDX-License-Identifier: BSD-2-Clause
# src/capture: one "libsberf_a_SOURCES += src/capture/FILE" a line, headers too.
libsberf_a_SOURCES += src/capture/source.h
libsberf_a_SOURCES += src/capture/cpus.c
libsberf_a_SOURCES += src/capture/cpus.h
libsberf_a_SOURCES += src/capture/decode.c
libsberf_a_SOURCES += src/capture/decode.h
libsberf_a_SOURCES += src/capture/features.c
libsberf_a_SOURCES += src/capture/features.h
libsberf_a_SOURCES += src/capture/kernel_half.c
libsberf_a_SOURCES += src/capture/kernel_half.h
libsberf_a_SOURCES += src/capture/mapsizes.c
libsberf_a_SOURCES += src/capture/mapsizes.h
libsberf_a_SOURCES += src/capture/peek.c
libsberf_a_SOURCES += src/capture/peek.h
libsberf_a_SOURCES += src/capture/perf_record.c
libsberf_a_SOURCES += src/capture/perf_record.h
libsberf_a_SOURCES += src/capture/prepare.c
libsberf_a_SOURCES += src/capture/prepare.h
libsberf_a_SOURCES += src/capture/probe.c
libsberf_a_SOURCES += src/capture/probe.h
libsberf_a_SOURCES += src/capture/probe_gather.c
libsberf_a_SOURCES += src/capture/rate.h
libsberf_a_SOURCES += src/capture/reorder.c
libsberf_a_SOURCES += src/capture/reorder.h
libsberf_a_SOURCES += src/capture/ring.c
libsberf_a_SOURCES += src/capture/ring.h
libsberf_a_SOURCES += src/capture/mapmem.c
libsberf_a_SOURCES += src/capture/mapmem.h
libsberf_a_SOURCES += src/capture/rulebook.c
libsberf_a_SOURCES += src/capture/rulebook.h
libsberf_a_SOURCES += src/capture/sampler.c
libsberf_a_SOURCES += src/capture/sampler.h
libsberf_a_SOURCES += src/capture/sideband.c
libsberf_a_SOURCES += src/capture/sideband.h
libsberf_a_SOURCES += src/capture/source.c
libsberf_a_SOURCES += src/capture/source_cpus.c
libsberf_a_SOURCES += src/capture/source_private.h
libsberf_a_SOURCES += src/capture/sysfile.c
libsberf_a_SOURCES += src/capture/sysfile.h

# Made first also when a single program is asked for.
src/capture/kernel_half.$(OBJEXT): bpf/sberf.skel.h
libsberf_a_SOURCES += src/capture/source_waits.c
libsberf_a_SOURCES += src/capture/source_sums.c
libsberf_a_SOURCES += src/capture/waker.c
libsberf_a_SOURCES += src/capture/waker.h
libsberf_a_SOURCES += src/capture/source_nodes.c
