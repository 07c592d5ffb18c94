#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# unwind_whole.sh - deep stacks are whole on the whole machine too: what each program needs is learnt beside all others.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 1

# Between the two are functions of the C library, which has names for them where it was not stripped.
root='^[^;]*;_start;([^;]*;){1,2}main'

# Samples, waits, page faults and who wakes others, in a recording and in what the view shows.
sizes="60000 65536 70001 small"
pids=
for size in $sizes; do
	ln -s "$(readlink -f "$WORKLOADS/stays")" "stays_$size"
	"./stays_$size" 60 "$([ "$size" = small ] && echo 1000 || echo 1)" "$size" turns >"$size.out" &
	also_kill $!
	pids=$pids${pids:+,}$!
	wait_until 20 grep -q ready "$size.out"
done
# all_whole TITLE METRIC...: of each program, of what the recording has of it behind the first second and has a stack: the last wait
# has none when the recording ends, nor has one that was told from other switches.
all_whole() {
	local title=$1
	shift
	note "$(cuts deep.data)"
	for size in $sizes; do
		for metric in "$@"; do
			"$SBERF" report -i deep.data --time 1s, --thread "stays_$size" --metric "$metric" --format folded --no-inline 2>/dev/null |
				grep -v '^[^;]*;\[no stack\] ' >folded
			at_least "$title, $size, $metric: percent that has a stack" 95 \
				"$("$SBERF" report -i deep.data --time 1s, --thread "stays_$size" --metric "$metric" --format folded --no-inline 2>/dev/null |
					awk '{ all += $NF } !/^[^;]*;\[no stack\] / { has += $NF } END { print all ? 100 * has / all : 0 }')"
			at_least "$title, $size, $metric: percent of all behind the first second that is whole" 99 \
				"$(share folded "$root(;stay_small|;one_$size)+;innermost")"
		done
	done
}
check "on the whole machine: recorded" record deep.data -F 499 -a --ring-size 32M --duration 4s
all_whole "on the whole machine" on-cpu off-cpu
check "with who wakes whom: recorded" record deep.data -F 499 -p "$pids" --wakers --numa --ring-size 32M --duration 4s
all_whole "with who wakes whom" on-cpu off-cpu faults
if command -v python3 >/dev/null; then
	cat >wakers.py <<'END'
import json, sys
waits = [w for w in json.load(sys.stdin)["waits"] if w["level"] == "waker" and w["name"].startswith("stays_")]
every = sum(w["count"] for w in waits)
whole = sum(w["count"] for w in waits if "innermost" in w.get("waker_stack", "") and "[cut" not in w["waker_stack"])
print(100 * whole / every if every else 0)
END
	cat >view.py <<'END'
# Of what the last document has more than the first one, and has a stack, in percent: what has no frame that says that it is cut. The end of what is
# shown has not got its stacks yet.
import json
text, docs, at = open("view.json").read(), [], 0
while at < len(text):
    doc, at = json.JSONDecoder().raw_decode(text, at)
    at += 1
    docs.append(doc)
def of(doc):
    every = whole = 0
    below = set()
    for i, n in enumerate(doc["tree"]):
        up = n["parent"]
        name = doc["functions"][n["function"]]["name"] if "function" in n else n.get("name", "")
        if n.get("kind") == "group" and name.startswith("stays_"):
            below.add(i)
            every += n["total_ns"]
        elif up in below and name == "[no stack]":
            every -= n["total_ns"]
        elif up in below and not name.startswith("["):
            whole += n["total_ns"]
    return every, whole
first, last = of(docs[0]), of(docs[-1])
print(100 * (last[1] - first[1]) / (last[0] - first[0]))
END
	at_least "percent of those who woke others whose stacks are whole" 99 \
		"$("$SBERF" report -i deep.data --time 500ms, --thread answers --format json 2>/dev/null | python3 wakers.py)"
	"$SBERF" top -e cpu-clock -F 499 -b --iterations 3 -d 1s --format json --ring-size 32M -a >view.json
	equal "in the view: status" 0 $?
	at_least "in the view: percent of all behind the first second that is whole" 99 "$(python3 view.py)"
else
	for title in woke "in the view: status" "in the view: whole"; do
		skip "python3 is not installed" "$title"
	done
fi
finish
