# SPDX-License-Identifier: BSD-2-Clause
# tests/cli: one "shell_tests += tests/cli/NAME.sh" a line.
