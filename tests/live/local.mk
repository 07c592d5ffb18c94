# SPDX-License-Identifier: BSD-2-Clause
# tests/live: one "shell_tests += tests/live/NAME.sh" a line.
check_PROGRAMS += tests/live/capture-dump
tests_live_capture_dump_SOURCES = tests/live/capture-dump.c
tests_live_capture_dump_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=features_prev_state
shell_tests += tests/live/capture.sh
EXTRA_DIST += tests/live/live.sh
shell_tests += tests/live/permissions.sh
shell_tests += tests/live/real.sh
shell_tests += tests/live/record.sh
shell_tests += tests/live/workloads.sh
shell_tests += tests/live/neighbours.sh
EXTRA_DIST += tests/live/truth.sh
shell_tests += tests/live/offcpu_truth.sh
EXTRA_DIST += tests/live/dump.sh
shell_tests += tests/live/capture_waits.sh
shell_tests += tests/live/offcpu_peers.sh
shell_tests += tests/live/offcpu_waits.sh
shell_tests += tests/live/offcpu_open.sh
shell_tests += tests/live/offcpu_ends.sh
shell_tests += tests/live/offcpu_who.sh
