# SPDX-License-Identifier: BSD-2-Clause
# tests/bench: programs that print figures. They are built by make check, so that they stay buildable, and run by `make bench`,
# on a machine that has nothing else to do.
check_PROGRAMS += tests/bench/bench_account
check_PROGRAMS += tests/bench/bench_profile
check_PROGRAMS += tests/bench/recording
tests_bench_recording_SOURCES = tests/bench/recording.c tests/unit/synth.c tests/unit/synth.h
check_PROGRAMS += tests/bench/bench_unwind
tests_bench_bench_unwind_SOURCES = tests/bench/bench_unwind.c tests/unwind/fixture.c tests/unwind/target.c
EXTRA_DIST += tests/bench/symbols.sh
EXTRA_DIST += tests/bench/bench.sh
EXTRA_DIST += tests/bench/record.sh
EXTRA_DIST += tests/bench/offcpu.sh

bench: all check-programs
	top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' SBERF='$(abs_top_builddir)/sberf' \
	bash $(top_srcdir)/tests/bench/bench.sh
.PHONY: bench
