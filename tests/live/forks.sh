#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# forks.sh - who makes processes and threads: measures that are counted when they are asked for, exactly, with whole stacks.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 99

# total FILE METRIC: the sum of all its stacks.
total() {
	"$SBERF" report -i "$1" --metric "$2" --format folded | awk '{ n += $NF } END { print n + 0 }'
}

# shellcheck disable=SC2016
script='i=0; while [ $i -lt 40 ]; do (exit 0); i=$((i + 1)); done'
record forks.data --metric forks -- sh -c "$script"
result $? "a recording that counts processes"
equal "each is counted" 40 "$(total forks.data forks)"
equal "and no threads are" 0 "$(total forks.data new-threads)"
"$SBERF" report -i forks.data --metric forks --format folded >folded
equal "all with whole stacks: none is cut" 0 "$(grep -c '\[cut' folded)"
matches "of the shell, into the kernel" '^sh;.*fork.*_\[k\] ' "$(cat folded)"
equal "up to what makes the process: who looks on is not among them" 0 "$(grep -c 'bpf_' folded)"
equal "none is lost" 0 "$(value forks.data lost_ring_full)"
check "time is there all the same" test "$("$SBERF" report -i forks.data --metric wall --format folded | wc -l)" -gt 0

record copies.data --metric forks --unwind copy --no-off-cpu -- sh -c "$script"
equal "by copies of stacks, without waits: each is counted" 40 "$(total copies.data forks)"
record none.data -- sh -c "$script"
equal "not asked for, none is" 0 "$(total none.data forks)"

# As many as the program says.
cat >threads.py <<'EOF'
import os, threading
for _ in range(25):
    t = threading.Thread(target=lambda: None)
    t.start()
    t.join()
if os.fork() == 0:
    threading.Thread(target=lambda: None).start()
    os._exit(0)
os.wait()
EOF
if [ -x /usr/bin/python3 ]; then
	record threads.data --metric forks,new-threads -- /usr/bin/python3 threads.py
	equal "threads are counted, those of a child too" 26 "$(total threads.data new-threads)"
	equal "and told from processes" 1 "$(total threads.data forks)"
	matches "beside each other in a tree" 'forks +threads' "$("$SBERF" report -i threads.data --metric forks,new-threads --format tree)"
else
	skip "there is no /usr/bin/python3" "threads are counted"
fi

start_workload forkstorm 20
"$SBERF" top -b --iterations 6 -d 0.5 --metric forks -p "$workload" >top 2>err
result $? "top counts them too"
matches "in a tree of its own" 'total +self +forks
.*100[.]0 % +0[.]0 % +[1-9][0-9]*  all' "$(cat top)"
stop_workload
finish
