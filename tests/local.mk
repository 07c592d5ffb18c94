# SPDX-License-Identifier: BSD-2-Clause
# tests: how tests are built and run. Programs are judged by their exit status, scripts speak TAP.
include tests/unit/local.mk
include tests/unwind/local.mk
include tests/workloads/local.mk
include tests/fuzz/local.mk
include tests/symbol/local.mk
include tests/cli/local.mk
include tests/live/local.mk
include tests/qemu/local.mk
include tests/tui/local.mk
include tests/export/local.mk
include tests/bench/local.mk

if HAVE_CMOCKA
check_PROGRAMS += $(unit_tests) $(unit_helpers)
TESTS += $(unit_tests)
endif
shell_tests += tests/check-totals.sh
shell_tests += tests/check-tree.sh
TESTS += $(shell_tests)
include tests/interop/local.mk
EXTRA_DIST += \
	$(shell_tests) \
	tests/again.sh \
	tests/layers.txt \
	tests/tap.sh \
	tests/skips.sh \
	tests/style-report.sh \
	tests/totals.sh

TEST_EXTENSIONS = .sh
SH_LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
SH_LOG_COMPILER = bash
AM_TESTS_ENVIRONMENT = \
	top_srcdir='$(abs_top_srcdir)'; top_builddir='$(abs_top_builddir)'; SBERF='$(abs_top_builddir)/sberf'; \
	CC='$(CC)'; ASAN_OPTIONS="$${ASAN_OPTIONS-allocator_may_return_null=1}"; \
	export top_srcdir top_builddir SBERF CC ASAN_OPTIONS;

# Everything that tests run, without running it: what can be built in parallel, where the tests should run one by one. After "all",
# which is a make of its own (BUILT_SOURCES): beside it the same archive would be made twice at a time.
.PHONY: check-programs
check-programs: all
	@$(MAKE) $(AM_MAKEFLAGS) $(check_PROGRAMS) $(check_DATA)

# In place of automake's own rule: the same work, and behind it one plain line with the totals of all tests and subtests. With
# CHECK_AGAIN set, a few scripts that failed run once more (again.sh); the totals say so.
check-TESTS: $(check_PROGRAMS) $(check_DATA)
	@rm -f $(TEST_LOGS) $(TEST_LOGS:.log=.trs) $(TEST_LOGS:.log=.first.log) $(TEST_SUITE_LOG); rc=0; \
	$(MAKE) $(AM_MAKEFLAGS) $(TEST_SUITE_LOG) || rc=$$?; \
	if test $$rc -ne 0 && test -n "$$CHECK_AGAIN" && \
	AGAIN_SOURCES=$(top_srcdir) bash $(top_srcdir)/tests/again.sh $(TEST_LOGS); then \
		rc=0; $(MAKE) $(AM_MAKEFLAGS) recheck || rc=$$?; \
	fi; \
	AWK='$(AWK)' bash $(top_srcdir)/tests/totals.sh $(TEST_LOGS) || rc=1; \
	exit $$rc
