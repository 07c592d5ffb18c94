# SPDX-License-Identifier: BSD-2-Clause
# tests/bench: one "shell_tests += tests/bench/NAME.sh" a line.
