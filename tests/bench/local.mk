# SPDX-License-Identifier: BSD-2-Clause
# tests/bench: one "shell_tests += tests/bench/NAME.sh" a line.
# Programs that print figures are built by make check, so that they stay buildable, and run by hand.
check_PROGRAMS += tests/bench/bench_profile
check_PROGRAMS += tests/bench/recording
tests_bench_recording_SOURCES = tests/bench/recording.c tests/unit/synth.c tests/unit/synth.h
check_PROGRAMS += tests/bench/bench_unwind
tests_bench_bench_unwind_SOURCES = tests/bench/bench_unwind.c tests/unwind/fixture.c tests/unwind/target.c
EXTRA_DIST += tests/bench/symbols.sh
