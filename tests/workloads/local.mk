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
