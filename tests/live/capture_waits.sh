#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# capture_waits.sh - waits as the kernel half tells them: totals, lengths, stacks, those under way, wakers, who may.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/live/dump.sh"

bin=$top_builddir/tests/workloads/bin

# Sleeps of 23 ms: all longer than the period, so all are told, with their stacks.
capture -o -F 99 -- "$bin/naps" 0 23 40
is "every long wait is told" "long_waits >= 40 && waits >= long_waits && waits_total >= 40"
is "with a stack, unless it was taken while the wait lasted" "wait_stacks + no_stack + open_stacks >= waits"
# Of a switch that the kernel half was not called for, as it was at work itself, there is none.
is "kernel stacks come along" "wait_kernel + no_stack + seeded + inferred >= waits && inferred <= 4"
is "they are as long as the totals say" \
	"blocked_us >= blocked_total_us * 99 / 100 && blocked_us <= blocked_total_us * 101 / 100 + 10000"
is "sleeping takes the time that it takes" "blocked_total_us >= 40 * 23000"
is "the thread's end is seen" "gone >= 1"
is "nothing is lost" "lost == 0 && late == 0 && unordered == 0"

# Before 5.18 the state is read from the thread that leaves, and may have changed just then: not of every single wait is it right.
capture -o -P -v -F 99 -- "$bin/naps" 0 23 40
is "without being told the state, waits are the same" "long_waits >= 40 && waits_total >= 40 && lost == 0"
is "and as long" "blocked_total_us >= 40 * 23000 && blocked_us >= blocked_total_us * 99 / 100"
check "and in the same state" test \
	"$(grep -c '^wait [0-9]* naps: clock_nanosleep, interruptible, blocked' <<<"$got")" -ge 36

# Some 70,000 short waits and 50 of 50 ms, in the same call: what is told stands for all of them.
capture -o -p 1000 -F 99 -- taskset -c 1 "$bin/mixed" 4
is "short waits are thinned out" "waits < waits_total / 10 && waits_total > 2000"
is "what is told stands for the whole, within a tenth in one run" \
	"blocked_us + runnable_us > (blocked_total_us + runnable_total_us) * 90 / 100 &&
	blocked_us + runnable_us < (blocked_total_us + runnable_total_us) * 110 / 100"
is "and for as many waits" "waited > waits_total * 75 / 100 && waited < waits_total * 125 / 100"
is "running, runnable and blocked are all of the time" \
	"running_total_us + blocked_total_us + runnable_total_us > 2 * elapsed_ms * 1000 * 90 / 100"
is "nothing is lost" "lost == 0"

# Four threads that nobody wakes: seen while they wait.
capture -o -F 99 -- timeout -s KILL 1.5 "$bin/never"
is "waits under way have stacks" "open_stacks >= 4"

# Where threads wait after the capture has stopped says nothing of the waits that were under way then.
capture -o -F 99 -l 300 -- "$bin/naps" 0 3 10000
is "a wait gets no stack of a later one" "late_open > 0 && late_stacks == 0"

# Everything, but not sberf and its helpers, which wait too.
capture -a -o -H -F 997 -- "$bin/naps" 0 23 40
is "sberf and its helpers are not seen" "own == 0 && waits > 40 && open > 0"

# Wakers: a sleep is ended by a timer, whoever was interrupted; a pipe by who writes.
capture -o -W -F 99 -- "$bin/naps" 0 23 20
is "sleeps are ended by an interrupt" "irq_wakes >= 18 && wakes >= irq_wakes"
capture -o -W -p 1 -r 256M -s 4K -F 99 -- taskset -c 1 "$bin/pingpong" 0 500
is "pipes are ended by threads, with their stacks" "wakes - irq_wakes > 500 && wake_stacks == wakes"

# A ring that is too small: records are lost and counted, totals are not.
capture -o -p 1 -r 64K -F 1 -w 300 -- taskset -c 1 "$bin/pingpong" 0 20000
is "what finds no room is counted" "lost_ring_full > 0"
is "and the totals know of it all the same" "waits_total > 40000"

caps=-all,+bpf,+perfmon,+sys_ptrace,+syslog
if command -v setpriv >/dev/null; then
	open=$(mktemp -d)
	cp "$dump" "$bin/naps" "$open" && chmod -R a+rX "$open"
	got=$(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps "$caps" --ambient-caps "$caps" \
		"$open/capture-dump" -o -W -F 99 -- "$open/naps" 0 23 20 2>&1)
	is "four capabilities and a uid that is not 0 are enough" "long_waits >= 20 && irq_wakes >= 18 && lost == 0"
	rm -rf "$open"
else
	skip "no setpriv" "four capabilities and a uid that is not 0 are enough"
fi
finish
