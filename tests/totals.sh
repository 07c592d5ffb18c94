#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# totals.sh LOG... - prints "N passed, N failed, N skipped" over all tests and subtests of a finished `make check`.
#
# A TAP script has one ":test-result:" line per subtest in its .trs file. A cmocka program has one for the whole program,
# so its tests are counted in its log: what was begun and neither ended well nor was skipped has failed, which counts
# the test in which a program crashed. A program that fails without such a test (a leak found at exit, say) counts as one.
# Scripts that were run again (again.sh) count by their second run, and a line before says how many these are.
# What failed is shown before, with what its test said about it: the last of the output is what is read first.
# Tests that were skipped without a good reason (skips.sh) count as failed, and make the exit status 1.
set -eu

wrongly=0
bash "$(dirname "$0")/skips.sh" "$@" || wrongly=$?

again=0
for log; do
	[ ! -f "${log%.log}.first.log" ] || again=$((again + 1))
done

# The comments that stand right before each "not ok", at most 40 lines of them.
for log; do
	[ -f "$log" ] || continue
	"${AWK:-awk}" -v name="${log%.log}" '
		/^# / { said[n++] = $0; next }
		/^not ok/ {
			print name ": " $0
			for (i = n > 40 ? n - 40 : 0; i < n; i++)
				print "    " said[i]
		}
		{ n = 0 }' "$log"
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
			printf "scripts that were run again, and count by their second run: %d\n", again
		printf "%d passed, %d failed, %d skipped\n", pass_all, fail_all + wrongly, skip_all - wrongly
	}'
[ "$wrongly" -eq 0 ]
