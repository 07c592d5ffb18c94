#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# callgrind.sh - what KCachegrind reads counts as folded stacks do, and callgrind_annotate of valgrind reads it.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
sberf=${SBERF:?is set by make check}
cd "$SCRATCH" || exit 99
command -v python3 >/dev/null || skip_all "python3 is not installed"

# read.py FILE EVENT: "NAME SELF TOTAL" of each function by name, sorted. The total of what calls itself is not told by this format.
cat >read.py <<'END'
import re, sys
names, self_, calls, loops, event, totals = {}, {}, {}, set(), None, None
def name(kind, text):
    number, called = re.fullmatch(r"\((\d+)\)(?: (.*))?", text).groups()
    kind = {"cfn": "fn", "cfi": "fl", "cob": "ob"}.get(kind, kind)
    assert (called is None) == ((kind, number) in names), "a name is said once, before it is used"
    return names.setdefault((kind, number), called)
for line in open(sys.argv[1], encoding="utf-8").read().splitlines():
    if m := re.match(r"(ob|fl|fn|cob|cfi|cfn)=(.*)", line):
        called = name(*m.groups())
        if m[1] == "fn":
            function, callee = called, None
        elif m[1] == "cfn":
            callee = called
    elif line.startswith("events: "):
        event = line.split()[1:].index(sys.argv[2])
    elif line.startswith("totals: "):
        totals = int(line.split()[1 + event])
    elif re.match(r"\d", line):
        value = int(line.split()[1 + event])
        if callee is None:
            self_[function] = self_.get(function, 0) + value
        else:
            calls[function] = calls.get(function, 0) + value
            callee = None
assert sum(self_.values()) == totals
for f in sorted(self_ | calls):
    print(f, self_.get(f, 0), self_.get(f, 0) + calls.get(f, 0))
END

# self_of FOLDED UNIT: "NAME SELF" of each function, sorted.
self_of() {
	python3 - "$@" <<'END'
import collections, re, sys
own = collections.Counter()
for line in open(sys.argv[1], encoding="utf-8"):
    stack, weight = line.rstrip("\n").rsplit(" ", 1)
    own[re.sub(r"_\[[kij]\]$", "", stack.split(";")[-1])] += int(weight)
for name in sorted(own):
    if own[name]:
        print(name, own[name])
END
}

printf '%s\n' 'app;main;work;mix 10' 'app;main;work 5' 'app;main;rec;rec;rec 4' 'app;main;(1) odd;mix 3' >in.folded
"$sberf" report --import folded -o x.callgrind in.folded
equal "the extension chooses the format" "# callgrind format" "$(head -1 x.callgrind)"
equal "what is imported has its unit" "events: weight" "$(grep ^events: x.callgrind)"
equal "self and total of each function; a call that a stack has twice counts once" \
	"(1) odd 0 3, main 0 22, mix 13 13, rec 4 8, work 5 15" "$(python3 read.py x.callgrind weight | paste -sd, | sed 's/,/, /g')"
"$sberf" report --import folded --format callgrind --focus nothing in.folded >x.callgrind 2>/dev/null
equal "a profile of nothing is one" "totals: 0" "$(tail -1 x.callgrind)"

for name in example v1_1 v1_3; do
	data=$top_srcdir/tests/data/$name.sberf
	"$sberf" report --format callgrind "$data" >x.callgrind
	check "$name: it says what it counts" grep -q '^events: [a-z]' x.callgrind
	for event in $(sed -n 's/^events: //p' x.callgrind); do
		metric=${event/running/on-cpu}
		"$sberf" report --format folded --metric "$metric" "$data" | grep -v '^[^;]*;(other) ' >x.folded
		# Each line of folded stacks is rounded to microseconds.
		check "$name: $metric: as much in each function itself as in folded stacks" python3 - <(self_of x.folded) \
			<(python3 read.py x.callgrind "$event") <<'END'
import sys
want = {n: int(v) for n, v in (l.rsplit(" ", 1) for l in open(sys.argv[1], encoding="utf-8"))}
got = {n: int(s) / 1000 for n, s, _ in (l.rsplit(" ", 2) for l in open(sys.argv[2], encoding="utf-8"))}
bad = [(n, want.get(n), got.get(n)) for n in want if abs(want[n] - got.get(n.replace(":", ";"), got.get(n, 0))) > 100]
sys.exit(f"{bad}" if bad or not want else 0)
END
	done
done
equal "names are valid UTF-8 without control characters" 0 "$(iconv -f utf-8 -t utf-8 x.callgrind | grep -c -aP '[\x00-\x08\x0b-\x1f]')"
if command -v callgrind_annotate >/dev/null; then
	callgrind_annotate --threshold=100 x.callgrind >text 2>&1
	matches "callgrind_annotate has the total" "$(sed -n 's/^totals: \([0-9]*\) .*/\1/p' x.callgrind | rev | sed 's/.../&,/g; s/,$//' | rev) \(100" \
		"$(cat text)"
	"$sberf" report --import folded --format callgrind in.folded >x.callgrind
	callgrind_annotate --tree=calling --inclusive=yes x.callgrind >text 2>&1
	matches "callgrind_annotate has the calls" '15 \([0-9. ]*%\)  > .*work' "$(cat text)"
else
	skip "callgrind_annotate is not installed" "callgrind_annotate has the total"
	skip "callgrind_annotate is not installed" "callgrind_annotate has the calls"
fi
if [ -w /dev/full ]; then
	matches "a full disk is an error" "No space left" "$("$sberf" report --format callgrind "$data" 2>&1 >/dev/full)"
else
	skip "there is no /dev/full" "a full disk is an error"
fi
finish
