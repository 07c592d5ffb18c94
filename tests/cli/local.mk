# SPDX-License-Identifier: BSD-2-Clause
# tests/cli: one "shell_tests += tests/cli/NAME.sh" a line.
shell_tests += tests/cli/command_line.sh
shell_tests += tests/cli/completion.sh
shell_tests += tests/cli/manual.sh
shell_tests += tests/cli/report_output.sh
shell_tests += tests/cli/report_waits.sh
