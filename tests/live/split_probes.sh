#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# record --split with --probe and --memory: what sberf-collector attaches for sberf is exact, in programs that the user may not read; each
# process holds what it holds without probes, and no more; and what is not the target's is not probed.
. "${top_srcdir:?is set by make check}/tests/live/tracefs.sh"
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"
need_capture
command -v setpriv >/dev/null || skip_all "setpriv (util-linux) is not installed"
python=$(PATH=/usr/bin:$PATH type -P python3) || skip_all "python3 is not installed"
cd "$SCRATCH" || exit 99
chmod 755 "$SCRATCH"
mkdir -m 777 out
for program in timed shares syscalls; do
	install -m 700 "$WORKLOADS/$program" ./$program
done
nobody=65534

split() {
	SUDO_UID=$nobody SUDO_GID=$nobody "$SBERF" record --split -e cpu-clock "$@" 2>err
}
# split_placed FILE OPTIONS...: as record_placed.
split_placed() {
	: >err
	SUDO_UID=$nobody SUDO_GID=$nobody "$SBERF" record --split -e cpu-clock -o "$@" 2>err &
	recorder=$!
	also_kill $recorder
	wait_until 60 probes_placed record
}
# of METRIC FIELD: of the whole tree of out/run.data.
of() {
	"$SBERF" report -i out/run.data --metric "$1" --format json | "$python" -c 'import json, sys
print(json.load(sys.stdin)["tree"][0].get(sys.argv[1], 0))' "$2"
}
held() {
	sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status" 2>/dev/null
}
files() {
	find "/proc/$1/fd" -type l -printf '%l\n' 2>/dev/null | sed 's/:\[[0-9]*\]$//' | sort -u | tr '\n' ' '
}

# Functions of a program that nobody but root may read: all calls, their times, what a condition lets pass, and a span.
mkfifo in
./timed <in >said &
pid=$!
also_kill $pid
exec {to}>in
wait_until 20 grep -q ready said
split_placed out/run.data --budget none --ring-size 64M -p $pid --probe call:timed:slow --probe 'uprobe:timed:quick /i < 100/' \
	--probe 'span:uprobe:timed:recurse~~uprobe:timed:tail'

# What each process holds meanwhile.
three=$(printf '%016x' $((1 << 19 | 1 << 38 | 1 << 39)))
none=$(printf '%016x' 0)
holder=$(pgrep -P $recorder -f '^sberf-collector holds')
equal "the collector that has attached them: the caller's user, three capabilities, no others ever, a filter, and nothing new but links" \
	"$nobody $nobody $nobody $nobody $three $three $none $none 1 2 /dev/null anon_inode:bpf-map anon_inode:bpf-prog anon_inode:bpf-stats \
anon_inode:bpf_link anon_inode:btf socket " \
	"$(held "$holder" Uid | tr '\t' ' ') $(held "$holder" CapPrm) $(held "$holder" CapEff) $(held "$holder" CapBnd) $(held "$holder" CapInh) \
$(held "$holder" NoNewPrivs) $(held "$holder" Seccomp) $(files "$holder" | sed 's/anon_inode:\[perf_event\] //')"
for task in /proc/$recorder/task/*; do
	task=${task##*/}
	echo "$(held "$task" Uid | tr '\t' ' ') $(held "$task" CapPrm) $(held "$task" CapEff) $(held "$task" NoNewPrivs) $(held "$task" Seccomp)"
done | sort -u >tasks
equal "each thread of sberf: the caller's user, no capability, no new privileges, a filter" \
	"$nobody $nobody $nobody $nobody $none $none 1 2" "$(cat tasks)"
equal "sberf has no link and no program" "" "$(files $recorder | grep -oE 'bpf.(link|prog)')"

for what in "slow 1000" "quick 20000" "recurse 1" "tail 1"; do
	echo "$what" >&"$to"
done
wait_until 60 answered said 4 '[a-z]* [0-9]'
end_record
equal "probes in a program: status" 0 $?
note "$(cat err)"
equal "lost" 0 "$(value out/run.data lost_ring_full)"
equal "calls of a function" 1000 "$(of call:timed:slow count)"
between "their time, percent of what the program's own clock says" 95 105 \
	$((100 * $(of call:timed:slow total_ns) / $(awk '$1 == "slow" { print $3 }' said)))
# With that which tail() jumps to.
equal "those that a condition with a named value lets pass" 101 "$(of 'uprobe:timed:quick /i < 100/' count)"
equal "a span" 1 "$(of 'span:uprobe:timed:recurse~~uprobe:timed:tail' count)"
"$SBERF" report -i out/run.data --metric call:timed:slow --format folded --no-inline >folded
equal "percent of calls with their whole stack" 100.00 "$(share folded '^timed;_start;([^;]*;){1,2}main;(act;)?slow ')"
equal "none of what was asked of the collectors was refused" 0 "$(value out/run.data split_refused)"
check "the probes are gone, and the program goes on" eval 'echo "quick 10" >&$to; wait_until 20 answered said 5 "[a-z]* [0-9]"'

# What cannot be placed is said, and what is not the target's stays as it is.
split -o out/none.data -p $pid --probe call:timed:nothing --duration 100ms
equal "a function that is not there: status 1" 1 $?
matches "and it says so" "probe 'call:timed:nothing' has no place in the target" "$(cat err)"
split -o out/none.data -a --probe uprobe:timed:quick --duration 100ms
equal "in every process without --yes: status 1" 1 $?
matches "and it says so" "say --yes" "$(cat err)"
start_workload shares
split_placed out/run.data --budget none -a --yes --probe uprobe:timed:quick
echo "quick 500" >&"$to"
wait_until 60 answered said 6 '[a-z]* [0-9]'
end_record
note "$(cat err)"
equal "in every process: hits" 500 "$(of uprobe:timed:quick count)"
stop_workload
exec {to}>&-

# Places in the kernel.
mkfifo go
sh -c 'read -r _; exec ./syscalls 2000' <go >calls &
pid=$!
also_kill $pid
exec {to}>go
SUDO_UID=$nobody SUDO_GID=$nobody "$SBERF" list -p $pid sys:getppid >listed 2>&1
note "$(cat listed)"
split_placed out/run.data --budget none --ring-size 64M -p $pid --probe sys:read --probe rawtracepoint:sched_process_exec \
	--probe 'tracepoint:sched:sched_process_exec /pid > 0/'
echo >&"$to"
sleep 1
end_record
exec {to}>&-
note "$(cat err)"
equal "programs that were executed, by two tracepoints" "1 1" \
	"$(of rawtracepoint:sched_process_exec count) $(of 'tracepoint:sched:sched_process_exec /pid > 0/' count)"
at_least "system calls" 1 "$(of sys:read count)"
kill $pid 2>/dev/null

# Landlock, which nothing in /proc tells of: each process that reads files has restricted itself, and the kernel has taken that, twice: to
# folders of libraries until its code is loaded, and then to nothing.
if [ "$("$python" -c 'import ctypes; print(ctypes.CDLL(None).syscall(444, 0, 0, 1))')" -gt 0 ]; then
	start_workload shares
	taken='sys:landlock_restrict_self /retval == 0/'
	"$SBERF" record --budget none -o out/run.data --probe "$taken" -- env SUDO_UID=$nobody SUDO_GID=$nobody "$SBERF" record --split -e cpu-clock \
		-o out/inner.data -p "$workload" --duration 500ms 2>err
	note "$(cat err)"
	"$SBERF" report -i out/run.data --metric "$taken" --format folded --no-inline | sed 's/ [0-9]*$//' >folded
	note "$(cat folded)"
	equal "what reads files for names is left no file, by Landlock" "sandbox_enter sandbox_close" \
		"$(sed -n 's/.*;names_serving_run;\(sandbox_[a-z]*\);.*/\1/p' folded | sort -r | xargs)"
	equal "and what reads perf maps" "sandbox_enter sandbox_close" \
		"$(sed -n 's/.*;serving_run_built_in;\(sandbox_[a-z]*\);.*/\1/p' folded | sort -r | xargs)"
	stop_workload
	rm out/run.data          # root's
else
	skip "this kernel has no Landlock" "what reads files for names is left no file, by Landlock"
fi

# Memory, block by block: as functions of the allocator, and as the library of ours tells it.
install -m 755 "$WORKLOADS/blocks" out/blocks
for level in allocs preload; do
	SUDO_UID=$nobody SUDO_GID=$nobody "$SBERF" record --split --no-off-cpu --memory $level --sample-bytes 1 --budget none --ring-size 256M \
		-o out/run.data -- out/blocks 500 3000 >said 2>err
	equal "--memory=$level: status" 0 $?
	note "$(cat err)"
	(cd out && cp ../said . && "$python" "$top_srcdir/tests/live/alloc_judge.py" "$SBERF" 1 >../judged)
	note "$(grep '^#' judged)"
	equal "--memory=$level: all sites are exact" "$(wc -l <said) of $(wc -l <said)" "$(tail -n 1 judged)"
done

# Without sudo, by the capabilities of sberf-collector.
if command -v setcap >/dev/null; then
	mkdir -m 755 bin
	cp "${SBERF%/*}"/sberf "${SBERF%/*}"/sberf-worker "${SBERF%/*}"/sberf-collector bin
	chgrp $nobody bin/sberf-collector && chmod 0750 bin/sberf-collector
	setcap cap_bpf,cap_perfmon,cap_dac_read_search,cap_sys_ptrace,cap_syslog,cap_checkpoint_restore=ep bin/sberf-collector
	start_workload shares
	rm -f out/run.data
	setpriv --reuid $nobody --regid $nobody --clear-groups bin/sberf record -e cpu-clock -o out/run.data --budget none -p "$workload" \
		--probe uprobe:shares:burn_30 --duration 2s 2>err
	equal "without sudo: status" 0 $?
	note "$(cat err)"
	at_least "hits in a program of root" 5 "$(of uprobe:shares:burn_30 count)"
	stop_workload
else
	skip "setcap (libcap2-bin) is not installed" "without sudo: status"
fi
finish
