#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# alloc_leaks.sh - a program of 200 threads that leaks at three sites, churns at a fourth and has a table at a fifth: each verdict is
# right, and each sum within three standard errors. Then a leak that is too small to be told.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
python=$(PATH=/usr/bin:$PATH type -P python3) || skip_all "python3 is not installed"
cd "$SCRATCH" || exit 1

"$SBERF" record --no-off-cpu --memory=allocs --sample-bytes 32K --budget none -o run.data -- "$WORKLOADS/leaks" 12 200 \
	</dev/null >said 2>err
equal "status" 0 $?
note "$(cat err)"
"$SBERF" report -i run.data --format leaks --ascii >leaks 2>report.err
equal "report: status" 0 $?
note "$(cat leaks)"
# verdict of SITE
verdict() { grep -o "grows.* sure  *$1 \|plateau  *$1 \|all freed  *$1 \|cannot tell.*  $1 " leaks | sed "s/  *$1 \$//"; }
for site in leak_fast leak_middle leak_slow; do
	matches "$site grows" '^grows, [0-9.]* % sure$' "$(verdict $site)"
done
equal "churn does not" "all freed" "$(verdict churn)"
equal "a table that is full does not" plateau "$(verdict table_put)"

"$SBERF" report -i run.data --format memory --ascii >memory 2>report.err
equal "as a list: status" 0 $?
matches "as a list: churn" ' freed  churn ' "$(cat memory)"
matches "as a list: sizes" ' 512 B to 1.0 KB .*####' "$(sed -n '/^churn/,/blocks freed/p' memory)"
equal "as a list: 100 columns" "" "$(cat memory leaks | grep '^.\{101\}')"

"$python" "$top_srcdir/tests/live/alloc_judge.py" "$SBERF" 32768 both >judged
note "$(cat judged)"
equal "sums are right within their errors" "5 of 5" "$(tail -n 1 judged)"

# Where calls cost more than the budget, probes are in place for a part of the time, and frees are not seen.
"$SBERF" record --no-off-cpu --memory=allocs --sample-bytes 32K --budget 1 -o few.data -- "$WORKLOADS/leaks" 3 50 </dev/null >said 2>err
equal "over the budget: status" 0 $?
note "$(cat err)"
matches "over the budget: the price is said" 'hits a second, which cost the target .* more than --budget' "$(cat err)"
at_least "over the budget: since when blocks are not followed is said, in us" 1 "$(value few.data memory_not_followed_since_us)"
matches "over the budget: what is in use is not claimed" 'Blocks were not followed since' "$("$SBERF" report -i few.data --format leaks)"
matches "over the budget: what each site has allocated has its error" '[0-9.]+ [KM]B [+][-][0-9.]+ [KM]?B  churn > turn' "$("$SBERF" report -i few.data --format leaks --ascii)"
equal "within it they are followed" unknown "$(value run.data memory_not_followed_since_us)"
finish
