#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# probe_values.sh - the values that arguments of probes have most often: of programs of known truth, all of few hits, and a sample of many.
. "${top_srcdir:?is set by make check}/tests/live/tracefs.sh"
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
command -v python3 >/dev/null || skip_all "python3 is not installed"
cd "$SCRATCH" || exit 1

# values FILE PROBE ARGUMENT: "value hits" of each, the most frequent first.
values() {
	"$SBERF" report -i "$1" --format json | python3 -c 'import json, sys
for p in json.load(sys.stdin)["probes"]:
    if p["name"] == sys.argv[1]:
        for a in p.get("arguments", []):
            if a["name"] == sys.argv[2]:
                print("\n".join("%s %d" % (v["value"], v["hits"]) for v in a["values"]))' "$2" "$3"
}

# looked FILE PROBE: how many hits were looked at, and how many these stand for.
looked() {
	"$SBERF" report -i "$1" --format json | python3 -c 'import json, sys
for p in json.load(sys.stdin)["probes"]:
    if p["name"] == sys.argv[1]:
        print(p.get("looked_at", 0), p.get("looked_at_for", 0))' "$2"
}

# share FILE PROBE ARGUMENT VALUE: percent of hits that had it.
share_of() {
	values "$1" "$2" "$3" | awk -v value="$4" '{ all += $NF } $0 ~ "^" value " [0-9]+$" { had = $NF } END { print all ? int(100 * had / all + 0.5) : -1 }'
}

# Few hits: all are looked at, and every count is right.
cat >few.py <<'P'
import os, time
for i in range(20):
    os.close(os.memfd_create("made", os.MFD_CLOEXEC if i % 4 else os.MFD_ALLOW_SEALING))
    try:
        os.truncate("/nowhere/a" if i % 2 else "/nowhere/b c", 5)
    except OSError:
        pass
    time.sleep(0.02)
P
record few.data --budget none --probe sys:memfd_create --probe sys:truncate -- python3 few.py
"$SBERF" report -i few.data --format probes --ascii >few
note "$(cat few few.data.err)"
equal "all of few are looked at" "20 20" "$(looked few.data sys:memfd_create)"
equal "flags by name" "MFD_CLOEXEC 15
MFD_ALLOW_SEALING 5" "$(values few.data sys:memfd_create flags)"
equal "numbers" "5 20" "$(values few.data sys:truncate length)"
equal "errors by name" "ENOENT 20" "$(values few.data sys:truncate result)"
equal "paths" '"/nowhere/a" 10
"/nowhere/b c" 10' "$(values few.data sys:truncate path | sort)"
equal "in text" '    flags        MFD_CLOEXEC 75.0 %, MFD_ALLOW_SEALING 25.0 %' "$(grep '^    flags' few)"
matches "of how many" '^  arguments most seen, of all 20 hits:$' "$(grep -m 1 'most seen' few)"

# Each of them is in the recording by itself, and can be printed.
"$SBERF" trace -i few.data >lines 2>err
note "$(head -n 4 lines; cat err)"
equal "a line each" 40 "$(grep -c . lines)"
equal "calls with their arguments" 15 "$(grep -c 'python3/[0-9]* .* memfd_create("made", MFD_CLOEXEC) = [0-9]*$' lines)"
equal "and with paths and errors" 10 "$(grep -c 'truncate("/nowhere/b c", 5) = -1 ENOENT (No such file or directory)$' lines)"
equal "no more than that is to be said" "" "$(cat err)"
equal "as JSON" 20 "$("$SBERF" trace -i few.data --format json | grep -c '"probe":"sys:truncate","text":"truncate(')"

# Many hits: a sample of them that says what it stands for.
record many.data --budget none --ring-size 64M --probe sys:read --probe sys:write -- dd if=/dev/zero of=/dev/null bs=1 count=300000 status=none
note "looked at: $(looked many.data sys:read)"
read -r at of < <(looked many.data sys:read)
between "looked at" 30 30000 "$at"
# Within three standard errors of a sample of so many.
off=$(awk -v n="$at" 'BEGIN { print int(3 * 300000 / sqrt(n)) }')
between "which stand for" $((300000 - off)) $((300000 + off)) "$of"
between "percent with a count of 1" 98 100 "$(share_of many.data sys:read count 1)"
between "percent of descriptor 0" 98 100 "$(share_of many.data sys:read fd 0)"
matches "an estimate is marked" ' ~9[89]\.[0-9] %' "$("$SBERF" report -i many.data --format probes | sed -n '/^sys:read$/,/^$/p' | grep ' count ')"
equal "no addresses" "" "$(values many.data sys:read buf)"

"$SBERF" trace -i many.data >lines 2>err
note "$(head -n 2 lines; cat err)"
matches "lines of a sample say so" 'read\(0, .*\) = 1  \(one of [0-9]+\)' "$(cat lines)"
matches "and of how many" 'sys:read: the recording has [0-9,]+ of about [0-9,]+ hits by themselves' "$(cat err)"

# Functions have the names and types of their parameters, and of what they return.
mkfifo in
"$WORKLOADS/timed" <in >out &
pid=$!
also_kill $pid
exec {to}>in
wait_until 20 grep -q ready out
record_placed calls.data --budget none -p $pid --probe call:timed:recurse
echo "recurse 1" >&$to
wait_until 20 answered out 1 recurse
end_record
note "$("$SBERF" report -i calls.data --format probes)"
read -r at of < <(looked calls.data call:timed:recurse)
equal "calls that were looked at" "20 20" "$at $of"
matches "a parameter by its name" '(^|
)1 1' "$(values calls.data call:timed:recurse left)"

# Static probes, by the notes of two places that have the arguments elsewhere; with a condition, too.
mkfifo in2
"$WORKLOADS/noted" <in2 >out2 &
pid=$!
also_kill $pid
exec {to}>in2
wait_until 20 grep -q ready out2
some='usdt:noted:sberf:step /arg1 < 0 && arg0 > 0/'
record_placed notes.data --budget none -p $pid --probe usdt:noted:sberf:step --probe "$some"
echo 3 >&$to
wait_until 20 answered out2 1 done
end_record
note "$("$SBERF" report -i notes.data --format probes)"
equal "in a register, and in memory" "0 2|1 2|2 2|" "$(values notes.data usdt:noted:sberf:step arg0 | sort | tr '\n' '|')"
equal "constants" "-7 3|7 3|" "$(values notes.data usdt:noted:sberf:step arg1 | sort | tr '\n' '|')"
equal "2 bytes with a sign" "-1 1|-2 1|" "$(values notes.data "$some" arg2 | sort | tr '\n' '|')"
equal "and no more than the note has" "" "$(values notes.data usdt:noted:sberf:step arg3)"
equal "as lines, too" "usdt:noted:sberf:step(arg0=2, arg1=-7, arg2=-2)" \
	"$("$SBERF" trace -i notes.data | grep -o 'step(arg0=2, arg1=-7.*' | sed 's/^/usdt:noted:sberf:/')"

# Tracepoints, by their formats and by the kernel's types; and a function of which nothing is known.
cp /bin/true ./harmless
record traces.data --budget none --probe t:sched:sched_process_exec --probe rt:sched_process_exec -- sh -c './harmless; ./harmless; ./harmless; :'
matches "a text in a record" './harmless 3' "$(values traces.data tracepoint:sched:sched_process_exec filename)"
matches "arguments of a raw tracepoint" '0x[0-9a-f]+ [1-4]' "$(values traces.data rawtracepoint:sched_process_exec bprm)"
matches "as lines, too" 'sched_process_exec\(filename=./harmless, pid=[0-9]+, old_pid=[0-9]+\)' "$("$SBERF" trace -i traces.data)"
matches "and of a trace" 'sched_process_exec\(filename=./harmless, pid=[0-9]+, old_pid=[0-9]+\)' \
	"$("$SBERF" trace --probe t:sched:sched_process_exec -- ./harmless 2>&1)"
matches "each tracepoint of a wildcard by its own name, with its fields" 'sched_process_exec\(filename=./harmless, pid=[0-9]+, old_pid=[0-9]+\)' \
	"$("$SBERF" trace --probe 't:sched:sched_process_e*' -- ./harmless 2>&1)"

# Lines of functions: arguments and results by name and type, and which of several functions.
echo "probed 500" | "$SBERF" trace --budget none --probe 'call:asked:/^(counted|outer)$/' -s -- "$WORKLOADS/asked" >lines 2>err
note "$(tail -n 5 lines; cat err)"
# It waits for the first of its breakpoints, and the others come a moment later.
for name in counted outer; do
	n=$(grep -c "  call:asked:$name(i=[0-9]*)\$" lines)
	between "calls of $name by a regular expression, by its name, with its argument" 300 500 "$n"
	equal "and a sum of these" "$n" "$(awk -v name="call:asked:$name" '$2 == 0 && $NF == name { print $1 }' lines)"
done
echo "probed 500" | "$SBERF" trace --budget none --probe 'ur:asked:counted' --format json -- "$WORKLOADS/asked" 2>err |
	python3 -c 'import json, sys
for l in sys.stdin:
    h = json.loads(l)
    print(h["probe"], h.get("args"), "latency_ns" in h)' >lines
matches "a return, as JSON: it has no time of its own" "uretprobe:asked:counted \\{'i': 490\\} False" "$(cat lines)"
if command -v strip >/dev/null; then
	strip --strip-debug -o bare "$WORKLOADS/asked"
	mkfifo in3
	./bare <in3 >out3 &
	also_kill $!
	exec {to}>in3
	wait_until 20 grep -q ready out3
	record_placed bare.data --budget none -p $! --probe uprobe:bare:counted
	echo 6 >&$to
	wait_until 20 answered out3 1 done
	end_record
	matches "a line has what may be arguments then" 'call:bare:counted\(arg0=490, .*\) = ' \
		"$(echo "probed 500" | "$SBERF" trace --budget none --probe call:bare:counted -- ./bare 2>&1)"
	equal "registers, where nothing says more" "0 1 2 3 4 5" "$(values bare.data uprobe:bare:counted arg0 | cut -d ' ' -f 1 | sort -n | tr '\n' ' ' | sed 's/ $//')"
fi

# What faults, and signals.
record other.data --budget none --probe fault --probe signal -- sh -c 'kill -WINCH $$; kill -WINCH $$; true'
equal "signals" "SIGWINCH 2" "$(values other.data signal signal | grep WINCH)"
matches "where pages were touched first" 'libc\.so\.6 [0-9]+' "$(values other.data fault mapped)"

# They are merged with their recordings.
"$SBERF" merge few.data other.data -o both.data 2>err
equal "merged" "SIGWINCH 2" "$(values both.data signal signal | grep WINCH)"
equal "merged, of the other one" "ENOENT 20" "$(values both.data sys:truncate result)"
finish
