# SPDX-License-Identifier: BSD-2-Clause
# tests/live: one "shell_tests += tests/live/NAME.sh" a line.
check_PROGRAMS += tests/live/capture-dump
tests_live_capture_dump_SOURCES = tests/live/capture-dump.c
shell_tests += tests/live/annotate.sh
shell_tests += tests/live/capture.sh
EXTRA_DIST += tests/live/live.sh
shell_tests += tests/live/older.sh
check_PROGRAMS += tests/live/verifier
shell_tests += tests/live/verifier.sh
check_PROGRAMS += tests/live/sizes
shell_tests += tests/live/sizes.sh
EXTRA_DIST += tests/live/verifier.tsv
shell_tests += tests/live/permissions.sh
shell_tests += tests/live/real.sh
shell_tests += tests/live/record.sh
shell_tests += tests/live/record_files.sh
shell_tests += tests/live/record_pipe.sh
shell_tests += tests/live/top_batch.sh
shell_tests += tests/live/unwind_kernel.sh
shell_tests += tests/live/unwind_hops.sh
shell_tests += tests/live/unwind_change.sh
shell_tests += tests/live/unwind_depth.sh
shell_tests += tests/live/names_late.sh
shell_tests += tests/live/unwind_switch.sh
EXTRA_DIST += tests/live/retprobe.c
shell_tests += tests/live/unwind_modules.sh
shell_tests += tests/live/workloads.sh
shell_tests += tests/live/neighbours.sh
EXTRA_DIST += tests/live/truth.sh
shell_tests += tests/live/offcpu_truth.sh
EXTRA_DIST += tests/live/dump.sh
shell_tests += tests/live/capture_waits.sh
shell_tests += tests/live/offcpu_peers.sh
shell_tests += tests/live/offcpu_waits.sh
shell_tests += tests/live/offcpu_sums.sh
shell_tests += tests/live/offcpu_open.sh
shell_tests += tests/live/offcpu_ends.sh
shell_tests += tests/live/offcpu_who.sh
shell_tests += tests/live/capture_nodes.sh
check_PROGRAMS += tests/live/access
shell_tests += tests/live/access.sh
shell_tests += tests/live/diff.sh
shell_tests += tests/live/numa.sh
# The table of docs/sizes.md, from what this kernel makes of the maps.
sizes-table: all tests/live/sizes$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) bash $(top_srcdir)/tests/live/sizes.sh write
.PHONY: sizes-table
