#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# bpf_programs.sh - `sberf bpf`: the programs of a capture, with their runs and who keeps them, beside what bpftool says.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
command -v bpftool >/dev/null || skip_all "bpftool is not installed"
cd "$SCRATCH" || exit 1

"$SBERF" record -a --duration 60 -o run.data 2>err &
recorder=$!
also_kill $recorder
ours() {
	"$SBERF" bpf -d 0.01 --format json | python3 -c 'import json, sys
print([p["id"] for p in map(json.loads, sys.stdin) if p["name"].startswith("sb_leave") and
       any(k["pid"] == int(sys.argv[1]) for k in p["processes"])][0])' $recorder 2>/dev/null
}
wait_until 20 ours >/dev/null
id=$(ours)
matches "a program of a capture, and who keeps it" '^[0-9]+$' "$id"

counted() { bpftool -j prog show id "$id" | python3 -c 'import json, sys; print(json.load(sys.stdin).get("run_cnt", 0))'; }
# Somebody has to have runs counted for bpftool, too.
"$SBERF" bpf -d 3 >/dev/null &
listed() {
	bpftool -j prog list | python3 -c 'import json, sys
for p in json.load(sys.stdin):
    print(p["id"], p["type"], p["tag"])' | sort
}
listed >earlier
before=$(counted)
"$SBERF" bpf -d 0.5 --format json >rows
after=$(counted)
listed >later
python3 - "$id" $recorder >judged 2>&1 <<'END'
import json, sys
rows = [json.loads(l) for l in open("rows")]
row = [r for r in rows if r["id"] == int(sys.argv[1])][0]
print("runs", row["runs"])
print("kept", [k["comm"] for k in row["processes"] if k["pid"] == int(sys.argv[2])])
print("sorted", all(a["run_ns"] >= b["run_ns"] for a, b in zip(rows, rows[1:])))
print("time", 0 < row["run_ns"] < row["over_ns"] and 400e6 < row["over_ns"])
END
note "$(cat judged)"
runs=$(awk '$1 == "runs" { print $2 }' judged)
between "runs within half a second: at least one, and no more than bpftool counts around it" 1 $((after - before)) "$runs"
equal "kept by the recorder" "kept ['sberf']" "$(grep kept judged)"
equal "the ones that take most come first" "sorted True" "$(grep sorted judged)"
equal "their time" "time True" "$(grep time judged)"
python3 -c 'import json
for l in open("rows"):
    p = json.loads(l)
    print(p["id"], p["type"], p["tag"])' | sort >ours
# Others load programs meanwhile: those that are there before and behind were there in between.
comm -12 earlier later >theirs
at_least "programs that are there all the time" 5 "$(wc -l <theirs)"
equal "each of them, with type and tag as bpftool has them" "" "$(comm -13 ours theirs)"

mkdir bpffs
pinned=$(unshare -m bash -c 'mount -t bpf none bpffs && bpftool prog pin id "$1" "bpffs/kept here" &&
	bpftool prog pin id "$1" "$3" && "$2" bpf -d 0.1' - "$id" "$SBERF" $'bpffs/odd\e[31m\nname')
matches "where it is pinned" "^ *$id +tracing .* sb_leave[a-z_]*  $SCRATCH/bpffs/kept here, $SCRATCH/bpffs/odd[^[:cntrl:]]+name, sberf \\($recorder\\)" "$(grep "^ *$id " <<<"$pinned")"
"$SBERF" list "bpf:$id:*" >listed
note "$(cat listed)"
matches "sberf list has its functions, by its number, with what they are given" \
	"unknown  bpf:$id:sb_leave[a-z_]*\\([^()]*\\* ?ctx[^()]*\\) -> int  # tracing, tag [0-9a-f]{16}\$" "$(sed -n 1p listed)"
"$SBERF" list 'bpf:sb_leave*' >listed
matches "and by its name" "bpf:$id:sb_leave" "$(cat listed)"
text=$("$SBERF" list 'bpf:no_such_*' 2>&1)
equal "what no program has, status" 1 $?
matches "and a sentence" "^sberf list: no BPF program has a function that is called 'bpf:no_such_\*'" "$text"
text=$(setpriv --reuid 65534 --regid 65534 --clear-groups "$SBERF" bpf -d 0.1 2>&1)
equal "without the right to list them, status" 1 $?
matches "and a sentence" "^sberf bpf: BPF programs may not be listed: that takes root, or CAP_SYS_ADMIN" "$text"
kill -INT $recorder && wait $recorder
finish
