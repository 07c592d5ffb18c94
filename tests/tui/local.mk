# SPDX-License-Identifier: BSD-2-Clause
# tests/tui: one "shell_tests += tests/tui/NAME.sh" a line.
