#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# `sberf top -b`: documents instead of a view, as text and as JSON, and everything that ends them.
. "$top_srcdir/tests/tap.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture
cd "$SCRATCH" || exit 99

# documents FILE: how many, by their first lines
documents() {
	grep -c "^ [a-z].* \(running\|waiting for it\|exited\|killed\)" "$1"
}

start_workload shares
result $? "workload is ready"

# Text.
"$SBERF" top -e cpu-clock -F 499 -b -n 3 -d 500ms -p "$workload" >out 2>err </dev/null
equal "ends by itself" 0 $?
equal "says nothing on standard error" "" "$(cat err)"
equal "as many documents as asked for" 3 "$(documents out)"
matches "the header names the target" " shares $workload · running" "$(cat out)"
matches "event and rate" 'cpu-clock · .*499 Hz' "$(cat out)"
matches "losses" 'lost 0' "$(cat out)"
matches "the tree has its functions" '[0-9.]+ % .*burn_50' "$(cat out)"
matches "and times" ' [0-9.]+ m?s +.*main' "$(cat out)"
equal "no escape sequences" 0 "$(grep -c $'\e' out)"
equal "no line has blanks at its end" 0 "$(grep -c ' $' out)"
"$SBERF" top -e cpu-clock -F 499 -b --iterations 1 -d 1 --depth 1 --percent-limit 0% -p "$workload" >out
equal "--iterations is -n with a number" 1 "$(documents out)"
matches "--depth cuts the tree" 'shares' "$(cat out)"
equal "so deep functions are not there" 0 "$(grep -c burn_50 out)"

# Processes that a target started before sberf came are not watched: this is said, on standard error.
mkfifo never
exec 9<>never
bash -c '(read -r <&9) & (read -r <&9) & wait' &
parent=$!
wait_until 20 pgrep -P "$parent" >/dev/null
wait_until 20 eval '[ "$(pgrep -c -P "$parent")" = 2 ]'
"$SBERF" top -e cpu-clock -b -n 1 -d 200ms -p "$parent" >out 2>err
equal "children that run already are counted, and who is called the same is offered" \
	"sberf top: 2 child processes run already and are not watched: -n bash watches all" "$(cat err)"
"$SBERF" top -e cpu-clock -b -n 1 -d 200ms -p "$parent,$(pgrep -d , -P "$parent")" >out 2>err
equal "not when all are targets" "" "$(cat err)"
kill "$parent"
echo >&9
echo >&9
exec 9>&-

# JSON.
"$SBERF" top -e cpu-clock -F 499 -b -n 2 -d 700ms --format json -p "$workload" >out.json 2>err
equal "JSON ends by itself" 0 $?
if command -v python3 >/dev/null; then
	cat >read.py <<'END'
import json, sys
text, docs, at = open("out.json").read(), [], 0
decoder = json.JSONDecoder()
while at < len(text):
    doc, at = decoder.raw_decode(text, at)
    assert text[at] == "\n"
    at += 1
    docs.append(doc)
assert [d["live"]["document"] for d in docs] == [1, 2], [d["live"] for d in docs]
assert all(d["live"]["target_state"] == "running" for d in docs)
assert all(d["format"] == "sberf-profile" for d in docs)
assert docs[0]["figures"]["oncpu_samples"] < docs[1]["figures"]["oncpu_samples"]
assert docs[0]["figures"]["duration_seconds"] < docs[1]["figures"]["duration_seconds"]
assert any("burn_50" in f["name"] for f in docs[1]["functions"])
for i, d in enumerate(docs):
    json.dump(d, open("%d.json" % i, "w"))
END
	check "each document is whole, and tells which it is" python3 read.py
	if python=$(python_with jsonschema); then
		check "as the schema says" "$python" -W ignore "$top_srcdir/tests/export/validate.py" "$top_srcdir/docs/sberf-profile.schema.json" 1.json
	else
		skip "no jsonschema for python3" "as the schema says"
	fi
else
	skip "python3 is not installed" "each document is whole"
	skip "python3 is not installed" "as the schema says"
fi

# What ends it from outside, also when a shell has ignored SIGINT for it.
for signal in INT TERM HUP; do
	rm -f out
	"$SBERF" top -e cpu-clock -b -d 200ms -p "$workload" >out 2>err &
	top=$!
	also_kill $top
	check "documents come" wait_until 30 grep -q main out
	kill -$signal $top
	wait $top
	equal "SIG$signal ends it well" 0 $?
	equal "without a word" "" "$(cat err)"
	matches "the last document is whole" '.' "$(tail -n 1 out)"
done

# A reader that has gone.
{ "$SBERF" top -e cpu-clock -b -d 200ms -p "$workload" 2>err; echo $? >status; } | head -n 1 >first
equal "a reader that has gone ends it" 0 "$(cat status)"
equal "without a word, too" "" "$(cat err)"
matches "who has read what he wanted" "^ shares" "$(cat first)"
if [ -w /dev/full ]; then
	"$SBERF" top -e cpu-clock -b -n 2 -d 200ms -p "$workload" >/dev/full 2>err
	equal "a full disk is an error" 1 $?
	matches "with a sentence" '^sberf top: cannot write.*No space left' "$(cat err)"
else
	skip "there is no /dev/full" "a full disk"
fi

# Without a terminal and without -b it says what to do.
"$SBERF" top -e cpu-clock -p "$workload" >out 2>err </dev/null
equal "without a terminal it fails" 1 $?
matches "and names the form that needs none" '^sberf top: .*standard output is none; sberf top -b needs no terminal' "$(cat err)"
# Until something was seen, nothing is to be said of filters.
filtered() {
	"$SBERF" top -e cpu-clock -b -n 1 -d 500ms "${@:2}" -p "$workload" >out 2>err && grep -q "^Filtered: $1" out
}
check "a filter that matches nobody is named" wait_until 60 filtered "no thread is called 'nobody' (" --thread nobody
check "so is a call that nobody waits in" wait_until 60 filtered 'there are no waits in mlock2[.]$' --syscall mlock2
stop_workload

# The target's end.
start_workload shares
rm -f out
"$SBERF" top -e cpu-clock -F 499 -b -d 1h -p "$workload" >out 2>err &
top=$!
also_kill $top
# It has begun when its engine has.
engine_runs() {
	grep -qx sberf-engine /proc/$top/task/*/comm
}
check "it waits for the first document" wait_until 30 engine_runs
stop_workload
wait $top
equal "the target's end ends it" 0 $?
equal "with a last document" 1 "$(documents out)"
matches "that says how it ended" 'killed by SIGKILL' "$(cat out)"
"$SBERF" top -e cpu-clock -b -d 1h --format json -- sh -c 'echo from the command; exit 3' >out.json 2>err
equal "a command that ends, ends it" 0 $?
matches "its status is told" '"target_state": ?"exited", ?"status": ?3' "$(tr -d '\n' <out.json)"
equal "its output does not come between" "" "$(grep -v '^[][{},"]' out.json | head -n 3)"
matches "but goes to standard error" 'from the command' "$(cat err)"
"$SBERF" top -e cpu-clock -b -n 1 -d 300ms -- sleep 1013.$$ >out 2>err
equal "a command that goes on is asked to end" 0 $?
check "and does" wait_until 60 sh -c "! pgrep -x -f 'sleep 1013.$$'"
matches "and has its document" '^ sleep [0-9]+ · |aiting for sleep' "$(cat out)"
finish
