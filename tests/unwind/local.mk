# SPDX-License-Identifier: BSD-2-Clause
# tests/unwind: the unwinder on captures of real processes, beside an independent one. No privileges.
target_sources = \
	tests/unwind/fixture.c \
	tests/unwind/fixture.h \
	tests/unwind/oracle.c \
	tests/unwind/oracle.h \
	tests/unwind/target.c \
	tests/unwind/target.h
check_PROGRAMS += tests/unwind/agree
tests_unwind_agree_SOURCES = tests/unwind/agree.c $(target_sources)
check_PROGRAMS += tests/unwind/step
tests_unwind_step_SOURCES = tests/unwind/step.c $(target_sources)
check_PROGRAMS += tests/unwind/rows
tests_unwind_rows_SOURCES = tests/unwind/rows.c
shell_tests += tests/unwind/agree.sh
slow_tests += tests/unwind/agree.sh
shell_tests += tests/unwind/rows.sh
shell_tests += tests/unwind/step.sh
slow_tests += tests/unwind/step.sh
# These change between two processes at each step, and behind other tests each change would wait for a CPU.
watching_tests += tests/unwind/agree.sh tests/unwind/step.sh
EXTRA_DIST += tests/unwind/steps.c
EXTRA_DIST += tests/unwind/aarch64/program.c tests/unwind/aarch64/record.py
