#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# check-totals.sh - the last line of `make check` counts right, also crashes, and skips need a good reason.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
cd "$SCRATCH" || exit 99

# logs NAME TRS-RESULTS: a test's files; its log comes from standard input.
logs() {
	local name=$1 result
	shift
	cat >"$name.log"
	for result; do
		echo ":test-result: $result"
	done >"$name.trs"
}

totals() {
	bash "$top_srcdir/tests/totals.sh" "$@"
}

logs tap PASS PASS FAIL </dev/null
logs fine PASS <<-'EOF'
	[ RUN      ] one
	[       OK ] one
	[ RUN      ] two
	[       OK ] two
EOF
logs failing FAIL <<-'EOF'
	[ RUN      ] one
	[  FAILED  ] one
	[ RUN      ] two
	[       OK ] two
	[  FAILED  ] 1 test(s), listed below:
	[  FAILED  ] one
EOF
logs crashing FAIL <<-'EOF'
	[ RUN      ] one
	[       OK ] one
	[ RUN      ] two
EOF
logs leaking FAIL <<-'EOF'
	[ RUN      ] one
	[       OK ] one
EOF
logs absent SKIP <<-'EOF'
	SKIP: absent - sberf-no-such-program is not installed
EOF
logs lazy PASS SKIP <<-'EOF'
	SKIP: lazy 2 - hard thing # SKIP bash is not installed
EOF
logs moody SKIP <<-'EOF'
	SKIP: moody 1 - hard thing # SKIP not today
EOF

equal "nothing ran" "0 passed, 0 failed, 0 skipped" "$(totals)"
equal "subtests of a script" "2 passed, 1 failed, 0 skipped" "$(totals tap.log)"
equal "tests of a program" "2 passed, 0 failed, 0 skipped" "$(totals fine.log)"
equal "a test that failed" "1 passed, 1 failed, 0 skipped" "$(totals failing.log)"
equal "a test that crashed" "1 passed, 1 failed, 0 skipped" "$(totals crashing.log)"
equal "a program that failed after its tests" "1 passed, 1 failed, 0 skipped" "$(totals leaking.log)"
equal "all of them" "7 passed, 4 failed, 0 skipped" "$(totals tap.log fine.log failing.log crashing.log leaking.log)"
equal "skipped with a good reason" "0 passed, 0 failed, 1 skipped" "$(totals absent.log)"
check "that is no failure" totals absent.log
equal "skipped though it could run" "1 passed, 1 failed, 0 skipped" "$(totals lazy.log | tail -1)"
equal "skipped for no known reason" "0 passed, 1 failed, 0 skipped" "$(totals moody.log | tail -1)"
matches "the wrong skip is named" 'skipped without a good reason: moody 1 - hard thing' "$(totals moody.log)"
totals fine.log moody.log >/dev/null
equal "a wrong skip fails the suite" 1 $?

# How long tests take.
bash "$top_srcdir/tests/timed.sh" bash -c 'echo said; exit 7' >timed.out
equal "the status of a test is kept when its time is taken" 7 $?
matches "and what it says, and how long it took" '^said # took [0-9]+[.,][0-9] s: CPU [0-9]+[.,][0-9] s, [0-9]+[.,][0-9] s of the kernel $' \
	"$(tr '\n' ' ' <timed.out)"
cp fine.trs quick.trs
cp fine.trs slow.trs
{ cat fine.log; echo '# took 9.2 s: CPU 3.0 s, 0.5 s of the kernel'; } >quick.log
{ cat fine.log; echo '# took 71,3 s: CPU 2,0 s, 0,5 s of the kernel'; } >slow.log
equal "the slowest tests stand before the totals" "took CPU the slowest of 2 tests|71.3 s 2.5 s slow|9.2 s 3.5 s quick|80.5 s 6.0 s all of them|\
4 passed, 0 failed, 0 skipped|" "$(totals quick.log slow.log | sed 's/^ *//; s/  */ /g' | tr '\n' '|')"

# again LOG...: what the suite does after failures.
again() {
	bash "$top_srcdir/tests/again.sh" "$@"
}
for name in clock hurry calm; do
	logs "$name" PASS FAIL <<-EOF
		ok 1 - begins
		not ok 2 - $name is in time
	EOF
	echo ":recheck: yes" >>"$name.trs"
done
echo ":recheck: no" >fine.trs
sed -i 's/:recheck: yes/:recheck: no/' calm.trs
matches "a test that failed is run again, and what failed is said" 'again alone: clock .*not ok 2 - clock is in time' \
	"$(again fine.log clock.log calm.log | tr '\n' ' ')"
check "its first log is kept" cmp clock.log clock.first.log
check "one that passed is not" test ! -e calm.first.log
matches "the totals say so" 'second run: 1 1 passed, 1 failed, 0 skipped' \
	"$(totals clock.log | tr '\n' ' ')"
said=$(totals clock.log)
matches "and name it, with what it said" 'failed twice: clock$' "$(grep twice <<<"$said")"
printf 'ok 1 - begins\nok 2 - clock is in time\n' >clock.log
printf ':test-result: %s\n' PASS PASS >clock.trs
sed -i 's/^not ok 2/# 7 s late\n&/' clock.first.log
said=$(totals fine.log clock.log)
equal "one that passes the second time is named in the last lines, with what it said" \
	"failed, and passed when it ran again: clock|    at first: not ok 2 - clock is in time|    # 7 s late|\
tests that were run again, and count by their second run: 1|4 passed, 0 failed, 0 skipped|" "$(tr '\n' '|' <<<"$said")"
again fine.log calm.log >/dev/null
equal "nothing failed: nothing to run again" 1 $?
echo ":recheck: yes" >failing.trs
matches "a unit test that failed is run again, too" 'again alone: failing .*FAILED  \] one' "$(again hurry.log failing.log | tr '\n' ' ')"
check "beside a script" test -e hurry.first.log
rm hurry.first.log
for i in 1 2 3 4 5 6 7 8 9; do
	for part in log trs; do
		cp "hurry.$part" "many$i.$part"
	done
done
again many[1-8].log >/dev/null
equal "eight are" 0 $?
again many[1-9].log >/dev/null
equal "nine are not: that is no chance" 1 $?
# Tests that run when their files changed.
mkdir -p tree/tests
cp "$top_srcdir/tests/passed.sh" tree/tests
echo one >tree/tests/subject.c
: >tree/tests/passed.sums
cat >seldom.sh <<'EOF'
. "$tests/tap.sh"
. "$top_srcdir/tests/passed.sh"
skip_unless_changed tests/seldom.sh 'tests/subj*.c'
[ -z "${part:-}" ] || skip "bash is not installed" "a part"
result "${fails:-0}" "runs"
finish_passed
EOF
touch tree/tests/seldom.sh
# seldom: what it says for a result.
seldom() {
	tests=$top_srcdir/tests top_srcdir=$PWD/tree bash seldom.sh | grep -oE '^(ok|not ok|1\.\.0)' | paste -sd ' '
}
equal "a test that never passed runs" "not ok" "$(fails=1 seldom)"
equal "one that failed runs again" "ok ok" "$(part=1 seldom)"
equal "one of which a part was skipped, too" "ok" "$(seldom)"
equal "one that passed does not" "1..0" "$(seldom)"
equal "but when it is told to" "ok" "$(SBERF_CHECK_ALL=yes seldom)"
echo two >tree/tests/subject.c
equal "or when a file is another" "ok 1..0" "$(seldom) $(seldom)"
finish
