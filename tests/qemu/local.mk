# SPDX-License-Identifier: BSD-2-Clause
# tests/qemu: tests in a guest with another kernel. One "shell_tests += tests/qemu/NAME.sh" a line. The kernel's package is
# kept in guest/ of the build directory, or in $SBERF_GUEST_CACHE.
shell_tests += tests/qemu/hotplug.sh
shell_tests += tests/qemu/lockdown.sh
shell_tests += tests/qemu/offcpu.sh
EXTRA_DIST += tests/qemu/guest.sh

clean-local: clean-guest
clean-guest:
	rm -rf guest
.PHONY: clean-guest
