# SPDX-License-Identifier: BSD-2-Clause
# tests/live: one "shell_tests += tests/live/NAME.sh" a line.
