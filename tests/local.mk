# SPDX-License-Identifier: BSD-2-Clause
# tests: how tests are built and run. Programs are judged by their exit status, scripts speak TAP.
include tests/unit/local.mk
include tests/unwind/local.mk
include tests/workloads/local.mk
include tests/fuzz/local.mk
include tests/symbol/local.mk
include tests/lib/local.mk
include tests/cli/local.mk
include tests/live/local.mk
include tests/qemu/local.mk
include tests/tui/local.mk
include tests/export/local.mk
include tests/bench/local.mk

if HAVE_CMOCKA
check_PROGRAMS += $(suite_groups) $(unit_tests) $(unit_helpers)
check_LIBRARIES += $(unit_libraries)
check_DATA += $(suites)
TESTS += $(suites) $(unit_tests)
endif
shell_tests += tests/check-totals.sh
slow_tests += tests/check-totals.sh
shell_tests += tests/check-tree.sh
TESTS += $(shell_tests)
include tests/interop/local.mk
EXTRA_DIST += \
	$(shell_tests) \
	tests/README.md \
	tests/passed.sh \
	tests/passed.sums \
	tests/again.sh \
	tests/layers.txt \
	tests/tap.sh \
	tests/skips.sh \
	tests/style-report.sh \
	tests/timed.sh \
	tests/totals.sh

TEST_EXTENSIONS = .sh
SH_LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_COMPILER = bash $(top_srcdir)/tests/timed.sh $(BEHIND)
SH_LOG_COMPILER = $(LOG_COMPILER) bash
AM_TESTS_ENVIRONMENT = \
	top_srcdir='$(abs_top_srcdir)'; top_builddir='$(abs_top_builddir)'; SBERF='$(abs_top_builddir)/sberf'; \
	CC='$(CC)'; ASAN_OPTIONS="$${ASAN_OPTIONS-allocator_may_return_null=1}"; \
	export top_srcdir top_builddir SBERF CC ASAN_OPTIONS;

# Everything that tests run, without running it. After "all", which is a make of its own (BUILT_SOURCES): beside it the same archive
# would be made twice at a time.
.PHONY: check-programs
check-programs: all
	@$(MAKE) $(AM_MAKEFLAGS) $(check_PROGRAMS) $(check_LIBRARIES) $(check_DATA)

# Four kinds of tests, run in two phases: those of three kinds at the same time, and then the rest.
#   watching	    watch real programs, but compare with nothing that depends on who else runs (shares of samples, whole stacks, what is
#		    said and shown): WATCH_JOBS at a time; and what steps through a program, or has some seconds
#   guests	    boot a kernel of their own, under an emulator that takes one CPU: GUEST_JOBS at a time
#   pure	    ask for no clock, no kernel feature and no privilege that others beside them could take away: CHECK_JOBS of them, behind
#		    the others: they get a CPU while nobody else wants it
#   measuring	    compare with a clock, a load or a cost: last, one at a time
# Long ones go first: slow_tests, which check-fast leaves out, before others that are pure.
# A script elsewhere than in tests/live and tests/qemu is pure, and one in tests/live measures, unless its local.mk adds it to
# watching_tests or measuring_tests.
measuring_tests += $(filter-out $(watching_tests),$(filter tests/live/%,$(shell_tests)))
guest_tests = $(filter-out $(measuring_tests),$(filter tests/qemu/%,$(shell_tests)))
pure_tests = $(filter-out $(watching_tests) $(measuring_tests) $(guest_tests),$(TESTS))
# In the order of their lists, which is not that of TESTS: filter keeps the order of what it filters.
watching_logs = $(filter $(TEST_LOGS),$(watching_tests:.sh=.log))
measuring_logs = $(filter $(measuring_tests:.sh=.log),$(TEST_LOGS))
guest_logs = $(filter $(TEST_LOGS),$(guest_tests:.sh=.log))
other_logs = $(filter-out $(watching_logs) $(measuring_logs) $(guest_logs),$(TEST_LOGS))
slow_logs = $(filter $(other_logs),$(slow_tests:.sh=.log) $(slow_tests:=.log))
pure_logs = $(slow_logs) $(filter-out $(slow_logs),$(other_logs))
# Tests that watch wait for programs and screens for nearly half of their time, and pure ones fill it. SCHED_IDLE gives way at once, so
# those that watch do not find their programs starved, which they did beside pure tests of their own rank. Guests cannot give way: a
# kernel that gets no CPU for a while finds its clocks broken.
CHECK_JOBS = `n=$$(nproc); echo $$((n + (n + 1) / 2))`
WATCH_JOBS = `nproc`
GUEST_JOBS = `n=$$(nproc); echo $$(((n + 1) / 2))`
# Seconds that one of them may take: it may wait for all of those before it.
BEHIND_LIMIT = 3000
behind = $$(command -v chrt >/dev/null && echo chrt --idle 0 || echo nice -n 19)

# In place of automake's own rule: the same work, in phases, and behind it one plain line with the totals of all tests and subtests. With
# CHECK_AGAIN set, a few tests that failed run once more (again.sh); the last lines say which, and what failed.
check-TESTS: $(check_PROGRAMS) $(check_DATA)
	@rm -f $(TEST_LOGS) $(TEST_LOGS:.log=.trs) $(TEST_LOGS:.log=.first.log) $(TEST_SUITE_LOG); rc=0; \
	logs='$(strip $(pure_logs))'; \
	test -z "$$logs" || CHECK_LIMIT=$(BEHIND_LIMIT) $(MAKE) $(AM_MAKEFLAGS) -k -j$(CHECK_JOBS) BEHIND="$(behind)" $$logs & \
	logs='$(strip $(guest_logs))'; \
	test -z "$$logs" || $(MAKE) $(AM_MAKEFLAGS) -k -j$(GUEST_JOBS) $$logs & \
	logs='$(strip $(watching_logs))'; \
	test -z "$$logs" || $(MAKE) $(AM_MAKEFLAGS) -k -j$(WATCH_JOBS) $$logs || :; \
	wait; \
	$(MAKE) $(AM_MAKEFLAGS) -j1 $(TEST_SUITE_LOG) || rc=$$?; \
	if test $$rc -ne 0 && test -n "$$CHECK_AGAIN" && \
	bash $(top_srcdir)/tests/again.sh $(TEST_LOGS); then \
		rc=0; $(MAKE) $(AM_MAKEFLAGS) -j1 recheck || rc=$$?; \
	fi; \
	AWK='$(AWK)' bash $(top_srcdir)/tests/totals.sh $(TEST_LOGS) || rc=1; \
	exit $$rc

# All of it, what npm brings too (tests/interop), in the same phases.
.PHONY: check-all
check-all: all
	@$(MAKE) $(AM_MAKEFLAGS) check-am TESTS='$(interop_tests) $(TESTS)'

# What needs a minute, no privileges, and no clock: after each change.
.PHONY: check-fast
check-fast: all
	@$(MAKE) $(AM_MAKEFLAGS) check-am TESTS='$(filter-out $(slow_tests),$(pure_tests))'
