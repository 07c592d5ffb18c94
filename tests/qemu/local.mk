# SPDX-License-Identifier: BSD-2-Clause
# tests/qemu: tests in a guest with another kernel. One "shell_tests += tests/qemu/NAME.sh" a line. The kernel's package is
# kept in guest/ of the build directory, or in $SBERF_GUEST_CACHE.
# The longest first.
shell_tests += tests/qemu/live_branches.sh
shell_tests += tests/qemu/live.sh
shell_tests += tests/qemu/numa.sh
shell_tests += tests/qemu/numa_steps.sh
shell_tests += tests/qemu/offcpu.sh
shell_tests += tests/qemu/numa_pane.sh
shell_tests += tests/qemu/hotplug.sh
shell_tests += tests/qemu/numa_auto.sh
shell_tests += tests/qemu/lockdown.sh
shell_tests += tests/qemu/live_seldom.sh
EXTRA_DIST += tests/qemu/guest.sh tests/qemu/numa_lines.sh
check_PROGRAMS += tests/qemu/ptyrun
tests_qemu_ptyrun_LDADD = -lutil

# Figures of the verifier (tests/live/verifier.sh), of this kernel and those of the guests.
EXTRA_DIST += tests/qemu/verifier-figures.sh
verifier-figures: all tests/live/verifier$(EXEEXT) tests/live/capture-dump$(EXEEXT) $(workloads)
	@$(AM_TESTS_ENVIRONMENT) bash $(top_srcdir)/tests/qemu/verifier-figures.sh
.PHONY: verifier-figures

clean-local: clean-guest
clean-guest:
	rm -rf guest
.PHONY: clean-guest
