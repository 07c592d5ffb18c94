# SPDX-License-Identifier: BSD-2-Clause
# tests/lib: libsberf as other programs use it.
shell_tests += tests/lib/examples.sh
watching_tests += tests/lib/examples.sh
shell_tests += tests/lib/installed.sh
shell_tests += tests/lib/names.sh
shell_tests += tests/lib/peers.sh
watching_tests += tests/lib/peers.sh
EXTRA_DIST += tests/lib/busy.c
EXTRA_DIST += tests/lib/installing.sh
EXTRA_DIST += tests/lib/libsberf.abi
EXTRA_DIST += tests/lib/names.py
EXTRA_DIST += tests/lib/plugged.c
EXTRA_DIST += tests/lib/stack.c
