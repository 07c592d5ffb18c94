# SPDX-License-Identifier: BSD-2-Clause
# tests/symbol: the symbolizer against files compiled here and against other tools. symname is what the scripts ask.
check_PROGRAMS += tests/symbol/symname
# Makes tests/data/symbol/vmlinux-*; nothing runs it, but it has to compile.
check_PROGRAMS += tests/symbol/kernel_excerpt
tests_symbol_kernel_excerpt_LDADD = $(LIBDW_LIBS)
shell_tests += tests/symbol/names.sh
slow_tests += tests/symbol/names.sh
EXTRA_DIST += tests/symbol/shapes.cc
shell_tests += tests/symbol/hostile.sh
shell_tests += tests/symbol/lines.sh
slow_tests += tests/symbol/lines.sh
EXTRA_DIST += tests/symbol/compare.awk
shell_tests += tests/symbol/debuginfod.sh
