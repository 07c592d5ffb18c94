#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Other profilers go on working while sberf runs, and sberf while they do.
. "$top_srcdir/tests/tap.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture
command -v perf >/dev/null || skip_all "perf is not installed"
cd "$SCRATCH" || exit 99

start_workload shares
result $? "workload is ready"
"$SBERF" record -e cpu-clock -a -o all.data 2>all.err &
recorder=$!
also_kill $recorder
wait_until 60 sh -c '[ "$(stat -c %s all.data 2>/dev/null || echo 0)" -gt 1000 ]'
# perf maps files by build-id on demand; a record of ours that misleads it ends it.
perf record -q -e cpu-clock -o perf.data -- sh -c "'$WORKLOADS/shares' 1; exit 0" >/dev/null 2>perf.err
equal "perf record beside sberf: status 0" 0 $?
note "$(head -3 perf.err)"
perf report -i perf.data --stdio >perf.txt 2>perf.err
equal "perf report reads what it recorded" 0 $?
check "and names the program's functions" grep -q burn_50 perf.txt

# The other way round: an event that asks for build-ids makes the kernel flag our records too.
perf record -q -a --buildid-mmap -e cpu-clock -o beside.data -- "$WORKLOADS/shares" 2 >/dev/null 2>&1 &
beside=$!
"$SBERF" record -e cpu-clock -o new.data -F 997 -- "$WORKLOADS/shares" 1 >/dev/null 2>new.err
equal "a program that starts while perf asks for build-ids (it ends by SIGALRM)" 142 $?
note "$(cat new.err)"
at_least "percent of its user stacks complete" 99.5 "$(value new.data oncpu_complete_percent)"
"$SBERF" report -i new.data --format folded >new.folded
check "its functions have names" grep -q ';main;share;burn_50' new.folded
wait $beside 2>/dev/null
kill -INT $recorder
wait $recorder
equal "the recording of everything ends well" 0 $?
stop_workload
finish
