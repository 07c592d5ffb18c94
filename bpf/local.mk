# SPDX-License-Identifier: BSD-2-Clause
# bpf: what runs in the kernel. One "bpf_programs += bpf/NAME.bpf.c" a line, one "bpf_headers += bpf/FILE.h" a line.
#
# NAME.bpf.c becomes NAME.bpf.o and then NAME.skel.h, both in the build directory; user-space code includes
# "bpf/NAME.skel.h". bpftool's linker drops the DWARF that -g makes and keeps the BTF. Compiler flags of the host
# (CFLAGS, CPPFLAGS) are not used here: the target is another machine.
bpf_headers =

bpf_objects = $(bpf_programs:.bpf.c=.bpf.o)
bpf_skeletons = $(bpf_programs:.bpf.c=.skel.h)

BPF_CFLAGS = -O2 -g
BPF_ALL_CFLAGS = \
	-target bpf -mcpu=v3 -std=gnu11 -D__TARGET_ARCH_$(BPF_ARCH) \
	-Wall -Wextra -Wshadow -Wno-unused-parameter -Wno-sign-compare $(WERROR) \
	-iquote $(top_srcdir)/bpf -iquote $(top_srcdir) $(LIBBPF_CFLAGS) $(BPF_SYSINCLUDE) $(BPF_CFLAGS)

%.bpf.o: %.bpf.c
	$(AM_V_CC)$(MKDIR_P) $(@D) && \
	$(CLANG) $(BPF_ALL_CFLAGS) -MMD -MP -MT $@ -MF $(@:.o=.d) -c $< -o $@.tmp && \
	{ $(BPFTOOL) gen object $@ $@.tmp || { rm -f $@; exit 1; }; } && rm -f $@.tmp

%.skel.h: %.bpf.o
	$(AM_V_GEN)$(BPFTOOL) gen skeleton $< name $(subst -,_,$(notdir $*))_bpf >$@.tmp && mv $@.tmp $@

.PRECIOUS: %.bpf.o

-include $(bpf_objects:.o=.d)

BUILT_SOURCES += $(bpf_skeletons)
CLEANFILES += $(bpf_skeletons) $(bpf_objects) $(bpf_objects:.o=.d)
EXTRA_DIST += $(bpf_programs) $(bpf_headers)
bpf_headers += bpf/wire.h
bpf_headers += bpf/allocs.bpf.h
bpf_headers += bpf/behind.bpf.h
bpf_headers += bpf/arch_x86_64.h
bpf_headers += bpf/kernel.h
bpf_headers += bpf/klocks.bpf.h
bpf_headers += bpf/channels.bpf.h
bpf_headers += bpf/kstack.bpf.h
bpf_headers += bpf/hitsums.bpf.h
bpf_headers += bpf/hops.bpf.h
bpf_headers += bpf/operate.bpf.h
bpf_headers += bpf/quota.bpf.h
bpf_headers += bpf/prints.bpf.h
bpf_headers += bpf/owncost.bpf.h
bpf_programs += bpf/sberf.bpf.c
bpf_programs += bpf/sberf_plain.bpf.c
bpf_programs += bpf/bpfcalls.bpf.c
bpf_headers += bpf/maps.bpf.h
bpf_headers += bpf/opencalls.bpf.h
bpf_headers += bpf/inside.bpf.h
bpf_headers += bpf/told.bpf.h
bpf_headers += bpf/target.bpf.h
bpf_headers += bpf/record.bpf.h
bpf_headers += bpf/returns.bpf.h
bpf_headers += bpf/oncpu.bpf.h
bpf_headers += bpf/thin.bpf.h
bpf_headers += bpf/totals.bpf.h
bpf_headers += bpf/traces.bpf.h
bpf_headers += bpf/handover.bpf.h
bpf_headers += bpf/offcpu.bpf.h
bpf_headers += bpf/tasks.bpf.h
bpf_headers += bpf/faults.bpf.h
bpf_headers += bpf/nodes.bpf.h
bpf_headers += bpf/walk.bpf.h
bpf_headers += bpf/space.bpf.h
bpf_headers += bpf/plan.bpf.h
bpf_headers += bpf/sums.bpf.h
bpf_headers += bpf/entered.bpf.h
bpf_headers += bpf/event.bpf.h
bpf_headers += bpf/filter.bpf.h
bpf_headers += bpf/mapped.bpf.h
bpf_headers += bpf/spans.bpf.h
bpf_headers += bpf/followed.bpf.h
bpf_headers += bpf/forks.bpf.h
bpf_headers += bpf/functions.bpf.h
bpf_headers += bpf/growth.bpf.h
bpf_headers += bpf/placed.bpf.h
bpf_headers += bpf/calls.bpf.h
