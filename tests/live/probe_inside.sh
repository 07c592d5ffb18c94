#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# probe_inside.sh - what threads did inside the calls of a probe and outside of them, against the clock of a program of known truth; of the
# calls that were slow alone, which are those that wait, and of these beside the others; and of calls that do not return.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
command -v python3 >/dev/null || skip_all "python3 is not installed"
cd "$SCRATCH" || exit 1

# total FUNCTION OPTIONS...: ns in this function, of the threads that work.
total() {
	local name=$1
	shift
	"$SBERF" report -i run.data --metric wall --group-by comm --focus '^work$' --format json "$@" 2>>said | python3 -c 'import json, sys
p = json.load(sys.stdin)
print(sum(f["total_ns"] for f in p["functions"] if f["name"] == sys.argv[1]))' "$name"
}

# near WHAT PERCENT WANTED GOT
near() {
	between "$1: percent of what its own clock says" $((100 - $2)) $((100 + $2)) $((100 * $4 / $3))
}

"$SBERF" record -F 499 -o run.data --budget none --probe call:requests:handle -- "$WORKLOADS/requests" 5 50 2 >out 2>err
equal "recorded: status" 0 $?
note "$(cat err out)"
read -r _ _ fast_path slow_wait slow_cpu between long_fast <out
near "inside" 5 $((fast_path + slow_wait + slow_cpu)) "$(total work --inside)"
near "outside" 8 $between "$(total between --outside)"
# The probe comes a moment after the program.
between "nothing of handle() is outside, but for the beginning: percent" 0 3 $((100 * $(total handle --outside) / (fast_path + slow_wait + slow_cpu)))
equal "nothing of between() is inside" 0 "$(total between --inside)"
near "of calls above 15 ms: slow_wait" 5 $slow_wait "$(total slow_wait --span-above 15ms)"
near "of calls above 15 ms: slow_cpu" 10 $slow_cpu "$(total slow_cpu --span-above '> 15ms')"
near "of calls above 15 ms: all of it" 6 $((slow_wait + slow_cpu + long_fast)) "$(total handle --span-above 15ms)"
near "of calls below 15 ms: fast_path" 6 $((fast_path - long_fast)) "$(total fast_path --span-below 15ms)"
matches "it says of how many calls" "inside call:requests:handle, calls of 15.0 ms and more: [0-9,]+ of [0-9,]+ calls" "$(cat said)"
"$SBERF" report -i run.data --span call:requests --format tree --group-by comm >split 2>err
note "$(head -n 12 split)"
equal "both parts are rows" "inside call:requests:handle outside" "$(grep -oE '(inside call:requests:handle|outside)$' split | sort | tr '\n' ' ' | sed 's/ $//')"
near "all of it is one or the other" 2 "$(total work)" $(($(total work --inside) + $(total work --outside)))

# The slow calls set against the others: "slow_wait" is in the slow ones alone, and what one of them takes on average, times their number,
# is what the program says of all of them.
"$SBERF" report -i run.data --span-diff --span-above 15ms --format tree --group-by comm --focus '^work$' >apart 2>err
equal "slow calls against median ones: status" 0 $?
note "$(head -n 16 apart; cat err)"
matches "which calls are compared" "^median: calls of .* \(p25 to p75\): [0-9,]+ of [0-9,]+, .*slow:   calls of 15.0 ms and more: [0-9,]+ of [0-9,]+, " "$(head -n 2 apart | tr '\n' ' ')"
matches "what a slow call does alone" " slow_wait  \(appeared\)" "$(cat apart)"
slow_calls=$(sed -n 's/^slow:.*more: \([0-9,]*\) of.*/\1/p' apart | tr -d ,)
each() {
	awk -v name="$1" '$NF == name || $(NF - 1) == name && $NF ~ /appeared/ {
		n = NF; while ($n != name) n--
		if ($(n - 1) == "-") n--
		print $(n - 2) * ($(n - 1) == "s" ? 1e9 : $(n - 1) == "ms" ? 1e6 : $(n - 1) == "us" ? 1e3 : 1); exit }' apart
}
near "slow_wait in one slow call" 6 $((slow_wait / slow_calls)) "$(each slow_wait)"
near "all of one slow call" 6 $(((slow_wait + slow_cpu + long_fast) / slow_calls)) "$(each handle)"
"$SBERF" report -i run.data --span-diff --span-above 1us --format tree >/dev/null 2>err
matches "slow calls that are none" "the slow calls, of 1.00 us and more, are among those that they would be compared with" "$(cat err)"
"$SBERF" report -i run.data --span-diff --format callgrind >/dev/null 2>err
matches "a format without differences" "--span-diff compares calls, which --format callgrind cannot show" "$(cat err)"
"$SBERF" report -i run.data --span-diff --span-above 15ms --format json --group-by comm --focus '^work$' >apart.json 2>err
near "as JSON: slow_wait of all slow calls" 6 "$slow_wait" "$(python3 -c 'import json
d = json.load(open("apart.json"))
assert d["share_of"] == "call_after" and d["after"]["called"] == "slow" and d["after"]["calls"] == '"$slow_calls"'
print(next(f["total"]["after"] for f in d["functions"] if f["name"] == "slow_wait"))')"
"$SBERF" report -i run.data --span-diff --metric wall --format folded >folded 2>err
matches "as folded stacks" ";slow_wait;[^ ]* 0 [0-9]+$" "$(grep ';slow_wait;' folded | head -n 1)"

# What is asked for and cannot be.
equal "no such probe: status" 1 "$("$SBERF" report -i run.data --span call:other --format tree >/dev/null 2>err; echo $?)"
matches "no such probe" "there is no probe 'call:other' that has a beginning and an end; there are: call:requests:handle" "$(cat err)"
"$SBERF" report -i run.data --span-above quick --format tree >/dev/null 2>err
matches "no such length" "'quick' is no length of a call" "$(cat err)"

# It is kept by other recordings, and by one of which only the end is kept.
"$SBERF" record -F 499 -o other.data --keep 1h --budget none --probe call:requests:handle --probe sys:clock_nanosleep -- "$WORKLOADS/requests" 2 20 1 >other 2>err
read -r _ _ other_fast other_wait other_cpu _ <other
mv run.data one.data
"$SBERF" merge -o run.data one.data other.data 2>err
equal "merged: status" 0 $?
note "$(cat err)"
near "inside, of two" 6 $((fast_path + slow_wait + slow_cpu + other_fast + other_wait + other_cpu)) "$(total work --span call: --inside)"
# Two probes, one inside of the other.
near "inside of the system call" 5 $other_wait "$(total work --span sys:clock_nanosleep --inside)"
equal "with two probes one has to be named" 1 "$("$SBERF" report -i run.data --inside --format tree >/dev/null 2>err; echo $?)"
matches "which, is said" 'say with --span which of these probes is meant: call:requests:handle,' "$(cat err)"

# Calls that end in other ways than by their return, and those of a function that calls itself.
"$SBERF" record -F 1999 -o run.data --budget none --probe call:inward:deep --probe call:inward:jumps --probe call:inward:quits --probe span:u:inward:starts~~u:inward:stops -- \
	"$WORKLOADS/inward" 6 >out 2>err
equal "recorded: status" 0 $?
note "$(cat err out)"
read -r deep rests jumps lands quits works pauses <out
# of_clock FUNCTION PROBE OPTIONS...: percent of its time by the clock of inward.
of_clock() {
	local name=$1 probe=$2
	shift 2
	echo $((100 * $("$SBERF" report -i run.data --metric wall --span "$probe" "$@" --format json 2>said | python3 -c 'import json, sys
p = json.load(sys.stdin)
print(sum(f["total_ns"] for f in p["functions"] if f["name"] == sys.argv[1]))' "$name") / ${!name}))
}
between "a call that calls itself: percent of its clock" 90 110 "$(of_clock deep call:inward:deep --inside)"
between "it is one call, as long as the outermost" 90 110 "$(of_clock deep call:inward:deep --span-above 3900us)"
equal "between its calls nothing is inside" 0 "$(of_clock rests call:inward:deep --inside)"
between "but outside" 90 110 "$(of_clock rests call:inward:deep --outside)"
between "a call that longjmp() left: percent" 90 110 "$(of_clock jumps call:inward:jumps --inside)"
between "where it leads to is not inside: percent" 0 2 "$(of_clock lands call:inward:jumps --inside)"
between "but outside: percent" 90 110 "$(of_clock lands call:inward:jumps --outside)"
between "a call that a thread ends in: percent" 90 110 "$(of_clock quits call:inward:quits --inside)"
between "how long it took is known: percent" 90 110 "$(of_clock quits call:inward:quits --span-above 4900us)"
between "a span whose end never comes each fourth time: percent" 90 110 "$(of_clock works span: --inside)"
between "what comes behind such a span is inside until the next one begins: percent" 15 35 "$(of_clock pauses span: --inside)"

finish
