#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# totals.sh LOG... - prints "N passed, N failed, N skipped" over all tests and subtests of a finished `make check`.
#
# A TAP script has one ":test-result:" line per subtest in its .trs file. A cmocka program has one for the whole program,
# so its tests are counted in its log: what was begun and neither ended well nor was skipped has failed, which counts
# the test in which a program crashed. A program that fails without such a test (a leak found at exit, say) counts as one.
# Tests that were run again (again.sh) count by their second run; before the totals stands which they are, and what they said at first.
# What failed is shown before, with what its test said about it: the last of the output is what is read first.
# Before that stand the slowest tests, as timed.sh measured them.
# Tests that were skipped without a good reason (skips.sh) count as failed, and make the exit status 1.
set -eu

wrongly=0
bash "$(dirname "$0")/skips.sh" "$@" || wrongly=$?

# What a run takes is to stay short: by which tests it does, by what timed.sh said.
for log; do
	[ ! -f "$log" ] || sed -n "s|^# took \([0-9][0-9.,]*\) s: CPU \([0-9.,]*\) s, \([0-9.,]*\) s of .*|\1 \2 \3 ${log%.log}|p" "$log" | tail -n 1
done | tr , . | LC_ALL=C sort -rn | LC_ALL=C "${AWK:-awk}" '
	NR <= 10 { slow[NR] = sprintf("%7.1f s  %7.1f s  %s", $1, $2 + $3, $4) }
	{ took += $1; cpu += $2 + $3 }
	END {
		if (NR)
			printf "%9s  %9s  the slowest of %d tests\n", "took", "CPU", NR
		for (i = 1; i in slow; i++)
			print slow[i]
		if (NR)
			printf "%7.1f s  %7.1f s  all of them\n", took, cpu
	}'

# failures NAME LOG: each "not ok" of a script, with the comments that stand right before it, at most 40 lines of them.
failures() {
	"${AWK:-awk}" -v name="$1" '
		/^# / { said[n++] = $0; next }
		/^not ok|^Bail out/ {
			print name ": " $0
			for (i = n > 40 ? n - 40 : 0; i < n; i++)
				print "    " said[i]
		}
		{ n = 0 }' "$2"
}

for log; do
	[ ! -f "$log" ] || failures "${log%.log}" "$log"
done

# Those that were run again, and what each said at first: who passes by chance only is to be found, too.
again=0
for log; do
	first=${log%.log}.first.log
	[ -f "$first" ] || continue
	again=$((again + 1))
	if grep -q '^:test-result: \(FAIL\|ERROR\|XPASS\)' "${log%.log}.trs"; then
		echo "failed twice: ${log%.log}"
	else
		echo "failed, and passed when it ran again: ${log%.log}"
		failures "    at first" "$first"
	fi
done

for log; do
	trs=${log%.log}.trs
	echo "@file"
	sed -n 's/^:test-result: /@result /p' "$trs"
	sed -n 's/^\[ RUN      \] /@run /p; s/^\[       OK \] /@ok /p; s/^\[  SKIPPED \] \([^ ]*\)$/@skip \1/p' "$log"
done | "${AWK:-awk}" -v wrongly="$wrongly" -v again="$again" '
	function close_file(  name) {
		if (run) {
			for (name in skips) skip++
			bad = run - ok - skip
			if (!bad && trs_bad) bad = 1
			pass_all += ok; fail_all += bad; skip_all += skip
		} else {
			pass_all += trs_ok; fail_all += trs_bad; skip_all += trs_skip
		}
		run = ok = skip = trs_ok = trs_bad = trs_skip = 0
		split("", skips)
	}
	$1 == "@file" { close_file() }
	$1 == "@run" { run++ }
	$1 == "@ok" { ok++ }
	$1 == "@skip" { skips[$2] = 1 }
	$1 == "@result" && $2 ~ /^(PASS|XFAIL)/ { trs_ok++ }
	$1 == "@result" && $2 ~ /^(FAIL|XPASS|ERROR)/ { trs_bad++ }
	$1 == "@result" && $2 ~ /^SKIP/ { trs_skip++ }
	END {
		close_file()
		if (again)
			printf "tests that were run again, and count by their second run: %d\n", again
		printf "%d passed, %d failed, %d skipped\n", pass_all, fail_all + wrongly, skip_all - wrongly
	}'
[ "$wrongly" -eq 0 ]
