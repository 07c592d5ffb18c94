# SPDX-License-Identifier: BSD-2-Clause
# Programs to be observed. tests/workloads/NAME.c needs one line here:
#   workloads += tests/workloads/bin/NAME
# They are compiled with -O2 -g and without frame pointers whatever CFLAGS says, and never with sanitizers. Flags of one
# program: "tests/workloads/bin/NAME: workload_flags = -static" and "...: workload_libs = -lm".
workload_cflags = -std=gnu11 -O2 -g -fomit-frame-pointer -fno-optimize-sibling-calls -Wall -Wextra -Wno-unused-parameter \
	-Wno-unknown-attributes -pthread
workload_sources = $(patsubst tests/workloads/bin/%,tests/workloads/%.c,$(workloads))

workloads += tests/workloads/bin/demo

tests/workloads/bin/%: tests/workloads/%.c
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(CC) $(workload_cflags) $(workload_flags) $< -o $@ $(workload_libs)

check_DATA += $(workloads)
CLEANFILES += $(workloads)
EXTRA_DIST += $(workload_sources)
workloads += tests/workloads/bin/modes

EXTRA_DIST += tests/workloads/README.md
EXTRA_DIST += tests/workloads/busy.py
EXTRA_DIST += tests/workloads/selfreport.py tests/workloads/gilturns.py
EXTRA_DIST += tests/workloads/services.py
EXTRA_DIST += tests/workloads/workload.h
EXTRA_DIST += tests/workloads/plugin.c tests/workloads/layer.c
EXTRA_DIST += tests/workloads/gochain.go
EXTRA_DIST += tests/workloads/cgoback.go
EXTRA_DIST += tests/workloads/gosignals.go
EXTRA_DIST += tests/workloads/goallocs.go
EXTRA_DIST += tests/workloads/gomutex.go
EXTRA_DIST += tests/workloads/taken.c
EXTRA_DIST += tests/workloads/late_allocator.c
EXTRA_DIST += tests/workloads/bare.c
EXTRA_DIST += tests/workloads/fpblock.c
EXTRA_DIST += tests/workloads/fpcode.c
workload_programs = allocas arenas asked blocks calls chain coroutines dlopen_cycle fibers forked_allocs forkstorm grows inward jit late_allocs latenames leaks movedtext named noreturns noted peaks plt pools realign recurse refused returning shares signals slots spanned tells \
	stalls stays swaps \
	requests syscalls threads_start timed toucher turns vdso vforker
workloads += $(workload_programs:%=tests/workloads/bin/%)
$(workload_programs:%=tests/workloads/bin/%): tests/workloads/workload.h

# The functions of its text stand between what fills the pages that move.
tests/workloads/bin/movedtext: workload_flags = -fno-toplevel-reorder
tests/workloads/bin/movedtext_filling: workload_flags = -fno-toplevel-reorder -DFILLING
check_DATA += tests/workloads/bin/movedtext_filling
CLEANFILES += tests/workloads/bin/movedtext_filling
tests/workloads/bin/movedtext_filling: $(top_srcdir)/tests/workloads/movedtext.c tests/workloads/workload.h
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(CC) $(workload_cflags) $(workload_flags) $< -o $@

numa_programs = migrate nodes
workloads += $(numa_programs:%=tests/workloads/bin/%)
$(numa_programs:%=tests/workloads/bin/%): tests/workloads/workload.h tests/workloads/truth.h tests/workloads/switches.h
$(numa_programs:%=tests/workloads/bin/%): workload_libs = -lnuma
workloads += tests/workloads/bin/arrays
tests/workloads/bin/arrays: tests/workloads/workload.h

# Programs that wait, and measure themselves.
waiting_programs = apart badstack deadlock ends faults fsyncs handoff held hog limited locked mixed naps never paced pingpong pool uring waits
workloads += $(waiting_programs:%=tests/workloads/bin/%)
$(waiting_programs:%=tests/workloads/bin/%): tests/workloads/workload.h tests/workloads/truth.h tests/workloads/switches.h
EXTRA_DIST += tests/workloads/truth.h tests/workloads/switches.h

tests/workloads/bin/plt: workload_flags = -Wl,-z,lazy -fno-builtin
tests/workloads/bin/realign: workload_flags = -mstackrealign
tests/workloads/bin/late_allocs: tests/workloads/bin/late_allocator.so
tests/workloads/bin/late_allocator.so: $(top_srcdir)/tests/workloads/late_allocator.c
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(CC) -O1 -fno-builtin -fPIC -shared $< -o $@
check_DATA += tests/workloads/bin/manykeys.so
CLEANFILES += tests/workloads/bin/manykeys.so
EXTRA_DIST += tests/workloads/manykeys.c
tests/workloads/bin/manykeys.so: $(top_srcdir)/tests/workloads/manykeys.c
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(CC) $(workload_cflags) -shared -fPIC $< -o $@
tests/workloads/bin/dlopen_cycle: tests/workloads/bin/plugin_a.so tests/workloads/bin/plugin_b.so

tests/workloads/bin/plugin_a.so tests/workloads/bin/plugin_b.so: tests/workloads/plugin.c
	$(AM_V_CC)$(MKDIR_P) $(@D) && case $@ in *_a.so) d=PLUGIN_A ;; *) d=PLUGIN_B ;; esac; \
	$(CC) $(workload_cflags) -shared -fPIC -D$$d $< -o $@

tests/workloads/bin/swaps tests/workloads/bin/fibers: workload_libs = -ldl
tests/workloads/bin/swaps: tests/workloads/bin/layer_a.so tests/workloads/bin/layer_b.so
tests/workloads/bin/layer_a.so: layer_flags = -DLAYER=a -DWORDS=32 -Wl,-e,a_outer
tests/workloads/bin/layer_b.so: layer_flags = -DLAYER=b -DWORDS=96 -Wl,-e,b_outer
tests/workloads/bin/layer_a.so tests/workloads/bin/layer_b.so: tests/workloads/layer.c
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(CC) $(workload_cflags) -shared -fPIC -nostdlib -fno-stack-protector $(layer_flags) $< -o $@
layer_outputs = tests/workloads/bin/layer_a.so tests/workloads/bin/layer_b.so
CLEANFILES += $(layer_outputs)

# shares.c as other builds of one program, and one of them without its names.
share_variants = shares_moved shares_grown shares_stripped
share_outputs = $(share_variants:%=tests/workloads/bin/%)
check_DATA += $(share_outputs)
CLEANFILES += $(share_outputs)
tests/workloads/bin/shares_moved: workload_flags = -DMOVED
tests/workloads/bin/shares_grown: workload_flags = -DMOVED -DGROWN
tests/workloads/bin/shares_moved tests/workloads/bin/shares_grown: $(top_srcdir)/tests/workloads/shares.c tests/workloads/workload.h
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(CC) $(workload_cflags) $(workload_flags) $< -o $@
tests/workloads/bin/shares_stripped: tests/workloads/bin/shares
	$(AM_V_GEN)cp $< $@.tmp && strip $@.tmp && mv $@.tmp $@

# chain.c linked in every way. What a machine has no tool for becomes an empty file, and the tests that need it say so.
chain_variants = chain_static chain_static_pie chain_nopie chain_stripped chain_noheaders chain_lld chain_debug_frame \
	chain_fp chain_musl chain_musl_static signals_musl threads_musl taken_musl gochain gochain_stripped goallocs gomutex fpblock fpcode_first fpcode_last fpcode_between \
	fpcode_library bare_fp bare_pie bare
chain_outputs = $(chain_variants:%=tests/workloads/bin/%)
check_DATA += $(chain_outputs)
CLEANFILES += $(chain_outputs) tests/workloads/bin/late_allocator.so tests/workloads/bin/plugin_a.so tests/workloads/bin/plugin_b.so
chain_source = $(top_srcdir)/tests/workloads/chain.c
build_chain = $(AM_V_CC)$(MKDIR_P) $(@D) && $(CC) $(workload_cflags)
no_tool = { echo "$@: left empty, no $$tool here"; : >$@; }
tests/workloads/bin/chain_static: $(chain_source) tests/workloads/workload.h
	$(build_chain) -static $< -o $@
tests/workloads/bin/chain_static_pie: $(chain_source) tests/workloads/workload.h
	$(build_chain) -static-pie -fPIE $< -o $@
tests/workloads/bin/chain_nopie: $(chain_source) tests/workloads/workload.h
	$(build_chain) -no-pie -fno-pie -Wl,-Ttext-segment=0x7000000 $< -o $@
tests/workloads/bin/chain_stripped: $(chain_source) tests/workloads/workload.h
	$(build_chain) -s $< -o $@
tests/workloads/bin/chain_debug_frame: $(chain_source) tests/workloads/workload.h
	$(build_chain) -fno-asynchronous-unwind-tables -fno-unwind-tables -gz $< -o $@
tests/workloads/bin/chain_fp: $(chain_source) tests/workloads/workload.h
	$(build_chain) -fno-omit-frame-pointer $< -o $@
tests/workloads/bin/fpblock: $(top_srcdir)/tests/workloads/fpblock.c tests/workloads/workload.h
	$(build_chain) -DPART_BLOCK -fno-omit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables -c $< -o $@.part.o && \
	$(CC) $(workload_cflags) $@.part.o $< -o $@ && rm -f $@.part.o
# A few functions without tables at the beginning and at the end of a file, between others, and in a file without any table.
without_tables = -g0 -fno-omit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables
tests/workloads/bin/fpcode.o: $(top_srcdir)/tests/workloads/fpcode.c
	$(build_chain) -DPART_CODE $(without_tables) -fPIC -c $< -o $@
tests/workloads/bin/fpmain.o: $(top_srcdir)/tests/workloads/fpcode.c tests/workloads/workload.h
	$(build_chain) -c $< -o $@
tests/workloads/bin/fpbehind.o: $(top_srcdir)/tests/workloads/plugin.c
	$(build_chain) -c $< -o $@
fpcode_objects = tests/workloads/bin/fpcode.o tests/workloads/bin/fpmain.o tests/workloads/bin/fpbehind.o
CLEANFILES += $(fpcode_objects) tests/workloads/bin/libfpcode.so
tests/workloads/bin/fpcode_first: $(fpcode_objects)
	$(AM_V_CC)$(CC) tests/workloads/bin/fpcode.o tests/workloads/bin/fpmain.o -o $@
tests/workloads/bin/fpcode_last: $(fpcode_objects)
	$(AM_V_CC)$(CC) tests/workloads/bin/fpmain.o tests/workloads/bin/fpcode.o -o $@
tests/workloads/bin/fpcode_between: $(fpcode_objects)
	$(AM_V_CC)$(CC) tests/workloads/bin/fpmain.o tests/workloads/bin/fpcode.o tests/workloads/bin/fpbehind.o -o $@
tests/workloads/bin/fpcode_library: $(fpcode_objects)
	$(AM_V_CC)$(CC) -shared -nostdlib tests/workloads/bin/fpcode.o -o tests/workloads/bin/libfpcode.so && \
	$(CC) tests/workloads/bin/fpmain.o tests/workloads/bin/libfpcode.so -Wl,-rpath,'$$ORIGIN' -o $@
# No table, no library: all that there is lies within some hundred bytes of the entry point.
tests/workloads/bin/bare_fp: $(top_srcdir)/tests/workloads/bare.c
	$(build_chain) $(without_tables) -static -nostdlib -fno-stack-protector $< -o $@
tests/workloads/bin/bare: $(top_srcdir)/tests/workloads/bare.c
	$(build_chain) $(without_tables) -fomit-frame-pointer -static -nostdlib -fno-stack-protector $< -o $@
tests/workloads/bin/bare_pie: $(top_srcdir)/tests/workloads/bare.c
	$(build_chain) $(without_tables) -fomit-frame-pointer -static-pie -fPIE -nostdlib -fno-stack-protector $< -o $@
# Program headers only: e_shoff, e_shnum and e_shstrndx are zeroed.
tests/workloads/bin/chain_noheaders: tests/workloads/bin/chain_stripped
	$(AM_V_GEN)cp $< $@.tmp && dd if=/dev/zero of=$@.tmp bs=1 seek=40 count=8 conv=notrunc status=none && \
	dd if=/dev/zero of=$@.tmp bs=1 seek=60 count=4 conv=notrunc status=none && mv $@.tmp $@
tests/workloads/bin/chain_lld: $(chain_source) tests/workloads/workload.h
	$(AM_V_CC)$(MKDIR_P) $(@D); tool=ld.lld; if command -v $$tool >/dev/null; then \
	$(CC) $(workload_cflags) -fuse-ld=lld -Wl,--rosegment -Wl,-z,noseparate-code $< -o $@; else $(no_tool); fi
musl = $(MKDIR_P) $(@D); tool=musl-gcc; if ! command -v $$tool >/dev/null; then $(no_tool); else musl-gcc $(workload_cflags)
tests/workloads/bin/chain_musl: $(chain_source) tests/workloads/workload.h
	$(AM_V_CC)$(musl) $< -o $@; fi
tests/workloads/bin/chain_musl_static: $(chain_source) tests/workloads/workload.h
	$(AM_V_CC)$(musl) -static $< -o $@; fi
tests/workloads/bin/signals_musl: $(top_srcdir)/tests/workloads/signals.c tests/workloads/workload.h
	$(AM_V_CC)$(musl) $< -o $@; fi
tests/workloads/bin/threads_musl: $(top_srcdir)/tests/workloads/threads_start.c tests/workloads/workload.h
	$(AM_V_CC)$(musl) $< -o $@; fi
tests/workloads/bin/taken_musl: $(top_srcdir)/tests/workloads/taken.c tests/workloads/workload.h
	$(AM_V_CC)$(musl) $< -o $@; fi
gobuild = $(MKDIR_P) $(@D); tool=go; if ! command -v $$tool >/dev/null; then $(no_tool); else \
	GOCACHE=`pwd`/tests/workloads/gocache GOFLAGS=-mod=mod GO111MODULE=off GOPROXY=off CGO_ENABLED=0 go build -o $@
tests/workloads/bin/gochain: $(top_srcdir)/tests/workloads/gochain.go
	$(AM_V_GEN)$(gobuild) $<; fi
tests/workloads/bin/goallocs: $(top_srcdir)/tests/workloads/goallocs.go
	$(AM_V_GEN)$(gobuild) $<; fi
tests/workloads/bin/gomutex: $(top_srcdir)/tests/workloads/gomutex.go
	$(AM_V_GEN)$(gobuild) $<; fi
tests/workloads/bin/gochain_stripped: $(top_srcdir)/tests/workloads/gochain.go
	$(AM_V_GEN)$(gobuild) -ldflags="-s -w" $<; fi
clean-local: clean-gocache
clean-gocache:
	rm -rf tests/workloads/gocache
.PHONY: clean-gocache

# A program that allocates, linked statically, and with musl's allocator.
workloads += tests/workloads/bin/blocks_static tests/workloads/bin/blocks_plain tests/workloads/bin/blocks_musl
tests/workloads/bin/blocks: workload_flags = -fno-builtin-malloc
tests/workloads/bin/blocks_static: $(top_srcdir)/tests/workloads/blocks.c
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(CC) $(workload_cflags) -fno-builtin-malloc -static $< -o $@
tests/workloads/bin/blocks_plain: $(top_srcdir)/tests/workloads/blocks.c
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(CC) $(workload_cflags) -fno-builtin-malloc -DNO_PVALLOC $< -o $@
tests/workloads/bin/blocks_musl: $(top_srcdir)/tests/workloads/blocks.c
	$(AM_V_CC)$(musl) -fno-builtin-malloc -DNO_PVALLOC $< -o $@; fi
