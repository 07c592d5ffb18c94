#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Rate and refresh, changed while `sberf top` runs: what is sampled stands for the time that the program ran, whatever the rate.
. "$top_srcdir/tests/tui/tmux.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture

# cpu_time: of the workload so far, in ticks of 10 ms.
cpu_time() {
	sed 's/.*) //' "/proc/$workload/stat" | awk '{ print $12 + $13 }'
}

# ran_for TICKS SINCE: it has run for so many more.
ran_for() {
	[ "$(cpu_time)" -ge $(($2 + $1)) ]
}

start_workload shares
result $? "workload is ready"
[ "$(getconf CLK_TCK)" = 100 ]
result $? "100 ticks a second"
terminal
type_line "cd $SCRATCH; $SBERF top -e cpu-clock --no-off-cpu -p $workload"
see "99 samples a second" "^ shares $workload .* of 99 Hz"
keys o
see "o: options" 'rate'
keys +
see "+ asks for more" '199 samples a second of each CPU are asked for'
see "the header tells" ' of 199 Hz'
see "and what comes" '(1[89][0-9]|20[0-9]) of 199 Hz'
before=$(cpu_time)
keys R
see "a recording" 'recording [0-9]'
first=$(cpu_time)
keys o
see "o again" 'rate'
keys +
see "+ asks for more" '499 samples a second'
see "the header tells" ' of 499 Hz'
wait_until 60 ran_for 60 "$first"
keys o
see "and o again" 'rate'
keys -
see "- asks for fewer" '199 samples a second'
see "the header tells" ' of 199 Hz'
wait_until 60 ran_for 120 "$first"
last=$(cpu_time)
keys R
see "it is ended" 'are recorded in sberf-1.sberf'
after=$(cpu_time)
total=$("$SBERF" report -i "$SCRATCH/sberf-1.sberf" --format folded | awk '{ n += $NF } END { printf "%.0f\n", n / 10000 }')
note "it ran for $((last - first)) to $((after - before)) ticks"
between "what was sampled is what it ran for" $(((last - first) * 80 / 100)) $(((after - before) * 120 / 100 + 5)) "$total"
matches "the recording tells no single rate" 'cpu-clock, no single rate known' "$("$SBERF" check "$SCRATCH/sberf-1.sberf")"

# The refresh.
keys o
see "o: options" '[-] [+] rate  < > refresh  Esc back'
keys '>'
see "> refreshes less often" 'a refresh every 2.00 s'
keys o
see "o: options" '< > refresh'
keys '<'
see "< more often" 'a refresh every 1.00 s'

# The next target is sampled as this one was.
keys P a
see "another target" '^ all tasks .* of 199 Hz'
keys q
restored "after q"
stop_workload
finish
