#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# firefox.sh - the Firefox Profiler's loader, as its own command line has it, reads our profiles, folded stacks and perf script text, and
# finds the same functions with the same time.
. "${top_srcdir:?is set by make check}/tests/interop/readers.sh"
command -v python3 >/dev/null || skip_all "python3 is not installed"
cd "$SCRATCH" || exit 99
export PROFILER_CLI_SESSION_DIR=$SCRATCH/sessions
mkdir "$PROFILER_CLI_SESSION_DIR"
nr=0

# cli ARGS...: asks the session that load() has begun
cli() {
	timeout 120 "$node" "$profiler_cli" "$@" --session "$nr"
}

said() {
	grep -qE 'Profile loaded successfully|Failed to load profile' "$PROFILER_CLI_SESSION_DIR/$nr.log"
}

# load FILE: succeeds when the loader takes it. (Its own "load" gives a loaded machine half a second.)
load() {
	[ "$nr" -eq 0 ] || kill "$server" 2>/dev/null
	nr=$((nr + 1))
	"$node" "$profiler_cli" --daemon "$1" --session "$nr" >/dev/null 2>&1 &
	server=$!
	also_kill "$server"
	wait_until 120 said || return 1
	grep 'Failed to load' "$PROFILER_CLI_SESSION_DIR/$nr.log" && return 1
	return 0
}

refused() {
	! load "$1"
}

# each_thread ARGS...: what "thread ARGS" says of all threads
each_thread() {
	local thread
	for thread in $(cli thread list --json | python3 -c 'import json, sys
print(*[t["threadHandle"] for t in json.load(sys.stdin)["threads"]])'); do
		cli thread "$@" --thread "$thread" --json
	done
}

# functions UNIT_US: of all threads, as functions.py writes them
functions() {
	each_thread functions --include-idle --limit 0 | python3 "$top_srcdir/tests/interop/functions.py" "$1" want
}

for recording in "${recordings[@]}"; do
	name=$(basename "$recording" .sberf)
	"$sberf" report --format folded --metric wall "$recording" | folded_functions >want
	check "$name: written" "$sberf" report --format firefox -o x.json "$recording"
	load x.json
	result $? "$name: loaded"
	functions 1000 >got
	same_functions "$name: as much in each function as in folded stacks" want got
	check "$name: there are samples to look at" grep -q '^Thread: ' <(cli thread samples)
done
equal "kinds of time are categories" "Blocked Runnable User" \
	"$(for thread in 0 1 2 3 4 5 6 7; do cli thread samples --thread t-$thread --include-idle; done |
		grep -oE '^ +(User|Blocked|Runnable) ' | tr -d ' ' | sort -u | paste -sd ' ')"
# Waits are intervals: as many of each name as were written, each with its stack.
cat >written.py <<'END'
import collections, json
n = collections.Counter()
for t in json.load(open("x.json"))["threads"]:
    n.update(t["stringArray"][i] for i in t["markers"]["name"])
print(*sorted(f"{name} {n[name]}" for name in n), sep="\n")
END
cat >read.py <<'END'
import collections, json, sys
text, decoder, n = sys.stdin.read().lstrip(), json.JSONDecoder(), collections.Counter()
while text:
    thread, end = decoder.raw_decode(text)
    text = text[end:].lstrip()
    for kind in thread["byType"]:
        assert kind["isInterval"] and all(m["hasStack"] and m["duration"] > 0 for m in kind["topMarkers"]), kind
        n[kind["markerName"]] += kind["count"]
print(*sorted(f"{name} {n[name]}" for name in n), sep="\n")
END
python3 written.py >want
each_thread markers --limit 0 | python3 read.py >got
check "waits are markers, with their stacks" test -s got
check "as many as were written" diff want got

# The two other formats that it reads.
recording=$top_srcdir/tests/data/v1_2.sberf
"$sberf" report --format folded "$recording" >x.folded
load x.folded
result $? "folded stacks: loaded"
folded_functions <x.folded >want
functions 1 >got
check "folded stacks: the functions are there" test "$(grep -cFf <(cut -f1 want) got)" -ge "$(wc -l <want)"
"$sberf" report --format perf-script "$recording" >x.perf
load x.perf
result $? "perf script text: loaded"
functions 1 >got
check "perf script text: the functions are there" test "$(grep -cFf <(cut -f1 want) got)" -ge "$(wc -l <want)"

# What is malformed is refused.
sed 's/"stackTable"/"stacksTable"/' x.json >member.json
refused member.json
result $? "a profile without stacks is refused"
head -c 3000 x.json >short.json
refused short.json
result $? "a profile that is cut short is refused"
sed 's/"preprocessedProfileVersion":54/"preprocessedProfileVersion":9999/' x.json >version.json
refused version.json
result $? "a version that it does not know is refused"
finish
