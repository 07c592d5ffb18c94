# SPDX-License-Identifier: BSD-2-Clause
# tests/cli: one "shell_tests += tests/cli/NAME.sh" a line.
shell_tests += tests/cli/bounded.sh
shell_tests += tests/cli/check.sh
shell_tests += tests/cli/command_line.sh
shell_tests += tests/cli/completion.sh
shell_tests += tests/cli/import_folded.sh
shell_tests += tests/cli/import_perf_script.sh
shell_tests += tests/cli/diff.sh
EXTRA_DIST += tests/data/diff
shell_tests += tests/cli/manual.sh
shell_tests += tests/cli/merge.sh
shell_tests += tests/cli/progress.sh
shell_tests += tests/cli/report_nodes.sh
shell_tests += tests/cli/report_output.sh
shell_tests += tests/cli/report_text.sh
shell_tests += tests/cli/report_waits.sh
EXTRA_DIST += tests/data/folded tests/data/perf
