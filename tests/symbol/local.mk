# SPDX-License-Identifier: BSD-2-Clause
# tests/symbol: the symbolizer against files compiled here and against other tools. symname is what the scripts ask.
check_PROGRAMS += tests/symbol/symname
shell_tests += tests/symbol/names.sh
slow_tests += tests/symbol/names.sh
EXTRA_DIST += tests/symbol/shapes.cc
shell_tests += tests/symbol/hostile.sh
shell_tests += tests/symbol/lines.sh
slow_tests += tests/symbol/lines.sh
EXTRA_DIST += tests/symbol/compare.awk
shell_tests += tests/symbol/debuginfod.sh
