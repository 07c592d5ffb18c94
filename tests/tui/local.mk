# SPDX-License-Identifier: BSD-2-Clause
# tests/tui: one "shell_tests += tests/tui/NAME.sh" a line, and below "watching_tests += ..." for one that captures.
shell_tests += tests/tui/view.sh
slow_tests += tests/tui/view.sh
shell_tests += tests/tui/big.sh
slow_tests += tests/tui/big.sh
shell_tests += tests/tui/filter.sh
EXTRA_DIST += tests/tui/tmux.sh
EXTRA_DIST += tests/tui/hangup.c
if HAVE_CMOCKA
check_PROGRAMS += tests/tui/fake-session
tests_tui_fake_session_SOURCES = tests/tui/fake-session.c $(madesession) $(madenuma)
endif
shell_tests += tests/tui/annotate.sh
shell_tests += tests/tui/baseline.sh
shell_tests += tests/tui/record.sh
shell_tests += tests/tui/flame.sh
shell_tests += tests/tui/pace.sh
shell_tests += tests/tui/pick.sh
shell_tests += tests/tui/memory.sh
shell_tests += tests/tui/probes.sh
shell_tests += tests/tui/top.sh
shell_tests += tests/tui/waits.sh
shell_tests += tests/tui/numa.sh
shell_tests += tests/tui/time.sh
shell_tests += tests/tui/manners.sh
slow_tests += tests/tui/manners.sh
shell_tests += tests/tui/hostile.sh
shell_tests += tests/tui/whole.sh

# Those that capture, the longest first.
watching_tests += tests/tui/annotate.sh
watching_tests += tests/tui/baseline.sh
watching_tests += tests/tui/filter.sh
watching_tests += tests/tui/flame.sh
watching_tests += tests/tui/hostile.sh
watching_tests += tests/tui/numa.sh
watching_tests += tests/tui/pace.sh
watching_tests += tests/tui/pick.sh
watching_tests += tests/tui/memory.sh
watching_tests += tests/tui/probes.sh
watching_tests += tests/tui/record.sh
watching_tests += tests/tui/time.sh
watching_tests += tests/tui/top.sh
watching_tests += tests/tui/waits.sh
measuring_tests += tests/tui/whole.sh
