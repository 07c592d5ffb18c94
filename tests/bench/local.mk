# SPDX-License-Identifier: BSD-2-Clause
# tests/bench: programs that print figures. They are built by make check, so that they stay buildable, and run by `make bench`,
# on a machine that has nothing else to do.
check_PROGRAMS += tests/bench/bench_account
check_PROGRAMS += tests/bench/bench_day
tests_bench_bench_day_SOURCES = tests/bench/bench_day.c $(made)
check_PROGRAMS += tests/bench/bench_access
check_PROGRAMS += tests/bench/bench_lib
check_PROGRAMS += tests/bench/bench_placement
check_PROGRAMS += tests/bench/bench_profile
tests_bench_bench_profile_SOURCES = tests/bench/bench_profile.c $(big)
check_PROGRAMS += tests/bench/bench_view
tests_bench_bench_view_SOURCES = tests/bench/bench_view.c $(big) $(madesession) $(synth)
check_PROGRAMS += tests/bench/bench_tty
check_PROGRAMS += tests/bench/probed
check_PROGRAMS += tests/bench/pairs
check_PROGRAMS += tests/bench/crowd
check_PROGRAMS += tests/bench/recording
tests_bench_recording_SOURCES = tests/bench/recording.c $(synth)
check_PROGRAMS += tests/bench/bench_unwind
tests_bench_bench_unwind_SOURCES = tests/bench/bench_unwind.c tests/unwind/fixture.c tests/unwind/target.c
EXTRA_DIST += tests/bench/symbols.sh
EXTRA_DIST += tests/bench/bench.sh
EXTRA_DIST += tests/bench/record.sh
EXTRA_DIST += tests/bench/walk.sh
EXTRA_DIST += tests/bench/python.sh
EXTRA_DIST += tests/bench/offcpu.sh
EXTRA_DIST += tests/bench/reach.sh
EXTRA_DIST += tests/bench/probes.sh
EXTRA_DIST += tests/bench/branches.sh
EXTRA_DIST += tests/bench/memory.sh
EXTRA_DIST += tests/bench/week.sh
EXTRA_DIST += tests/bench/agent.sh tests/bench/store.py
EXTRA_DIST += tests/bench/page.sh tests/bench/serve.py
EXTRA_DIST += tests/bench/peers.sh
EXTRA_DIST += tests/bench/scale.sh
EXTRA_DIST += tests/bench/split.sh
EXTRA_DIST += tests/bench/numa.sh
EXTRA_DIST += tests/bench/export.sh
EXTRA_DIST += tests/bench/view.sh
EXTRA_DIST += tests/bench/unit.cc
EXTRA_DIST += tests/bench/export.py

run_bench = top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' SBERF='$(abs_top_builddir)/sberf' \
	bash $(top_srcdir)/tests/bench/bench.sh

bench: all check-programs
	$(run_bench)
bench-export: all check-programs
	$(run_bench) export
.PHONY: bench bench-export
