# SPDX-License-Identifier: BSD-2-Clause
# tests/tui: one "shell_tests += tests/tui/NAME.sh" a line.
shell_tests += tests/tui/view.sh
EXTRA_DIST += tests/tui/tmux.sh
if HAVE_CMOCKA
check_PROGRAMS += tests/tui/fake-feed
tests_tui_fake_feed_SOURCES = tests/tui/fake-feed.c $(madefeed)
endif
shell_tests += tests/tui/top.sh
shell_tests += tests/tui/waits.sh
